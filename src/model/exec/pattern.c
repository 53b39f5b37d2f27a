/* See pattern.h. */
#include "model/exec/pattern.h"

#include <ctype.h>
#include <string.h>

static const char *skip_blanks(const char *text)
{
    while (*text == '^')
        text++;
    return text;
}

/* A register's name: letters, digits, and a component after a dot. */
static bool is_part(const char *text)
{
    return isalnum((unsigned char)*text) || *text == '_' ||
           (*text == '.' && strchr("xyzw", text[1]) && !isalnum((unsigned char)text[2]) && text[1]);
}

static bool take_name(char name[EXEC_PATTERN_NAME_B], const char **text)
{
    char found[EXEC_PATTERN_NAME_B] = "";
    unsigned length = 0;
    for (; is_part(*text); (*text)++) {
        if (length == sizeof(found) - 1)
            return false;
        found[length++] = **text;
    }
    if (!length || (name[0] && strcmp(name, found) != 0))
        return false;
    memcpy(name, found, sizeof(found));
    return true;
}

bool exec_pattern_match(struct exec_pattern *pattern, const char *line, const char *text)
{
    while (*text == '(') {
        text = strchr(text, ')');
        if (!text)
            return false;
        for (text++; *text == ' '; text++)
            ;
    }
    for (text = skip_blanks(text); *line; text = skip_blanks(text)) {
        if (*line == '$') {
            if (!take_name(pattern->names[line[1] - 'a'], &text))
                return false;
            line += 2;
        } else if (*line++ != *text++) {
            return false;
        }
    }
    while (*text == ' ')
        text++;
    return !*text;
}
