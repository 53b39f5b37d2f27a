/* Instructions that are known by their text: a table of lines in which $a to $z stand for a register, the same one
 * wherever the letter is. Families find programs with it that mean something simple as a whole (docs/host-code.md,
 * shuffles). */
#ifndef MODEL_EXEC_PATTERN_H
#define MODEL_EXEC_PATTERN_H

#include <stdbool.h>

#define EXEC_PATTERN_NAME_B 16

struct exec_pattern {
    char names[26][EXEC_PATTERN_NAME_B]; /* of each letter that was met */
};

/* Whether the text is one of the line's. Groups in brackets before it, and ^ anywhere, say when it runs or what is read
 * for the last time: they are not compared. */
bool exec_pattern_match(struct exec_pattern *pattern, const char *line, const char *text);

/* The name of a letter. */
static inline const char *exec_pattern_name(const struct exec_pattern *pattern, char letter)
{
    return pattern->names[letter - 'a'];
}

#endif
