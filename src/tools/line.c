/* Reads a command line by the rows of command.table: the only reader of command lines. An option that is given twice
 * has its last value. */
#include <stdlib.h>
#include <string.h>

#include "tools/tool.h"
#include "util/nearest.h"

struct reader {
    struct tool_line *line;
    int argc, at;
    char **argv;
};

static int refuse_option(const struct tool_command *command, const char *argument, size_t length)
{
    char hint[96];
    struct nearest nearest = nearest_begin(argument, length);
    for (unsigned i = 0; i < command->option_count; i++)
        nearest_try(&nearest, command->options[i].name);
    return tool_usage_error(command, "no option '%.*s'%s", (int)length, argument, nearest_text(&nearest, hint));
}

static bool is_count(const char *text)
{
    return *text && *text != '0' && strlen(text) < 19 && strspn(text, "0123456789") == strlen(text);
}

static int check_words(const struct tool_command *command, const struct tool_option *option, const char *value)
{
    char known[128] = "";
    for (const char *word = option->words; *word; word += strlen(word) + 1) {
        if (strcmp(word, value) == 0)
            return TOOL_OK;
        const size_t used = strlen(known);
        snprintf(known + used, sizeof(known) - used, "%s%s", used ? " or " : "", word);
    }
    return tool_usage_error(command, "%s takes %s, not '%s'", option->name, known, value);
}

static int check_value(const struct tool_command *command, const struct tool_option *option, const char *value)
{
    switch (option->kind) {
    case TOOL_KIND_WORDS:
        return check_words(command, option, value);
    case TOOL_KIND_GPUS:
        return tool_check_gpus(command, value);
    case TOOL_KIND_MODEL:
        return tool_check_model(command, value);
    case TOOL_KIND_COUNT:
        if (!is_count(value))
            return tool_usage_error(command, "%s takes a number from 1 on: '%s' is no number of %s", option->name,
                                    value, option->name + strspn(option->name, "-"));
        return TOOL_OK;
    default:
        return TOOL_OK;
    }
}

/* "-o VALUE", "--word VALUE", "--word=VALUE"; "--word" alone where a value is optional. */
static int read_option(struct reader *reader)
{
    const struct tool_command *command = reader->line->command;
    const char *argument = reader->argv[reader->at], *equals = strchr(argument, '=');
    const size_t length = equals ? (size_t)(equals - argument) : strlen(argument);
    unsigned i = 0;
    while (i < command->option_count &&
           (strlen(command->options[i].name) != length || memcmp(command->options[i].name, argument, length) != 0))
        i++;
    if (i == command->option_count)
        return refuse_option(command, argument, length);
    const struct tool_option *option = &command->options[i];
    const char *value = equals ? equals + 1 : "";
    if (option->value == TOOL_VALUE_NONE && equals)
        return tool_usage_error(command, "%s takes no value", option->name);
    if (option->value == TOOL_VALUE_OPTIONAL && equals && !*value)
        return tool_usage_error(command, "%s= lacks its value", option->name);
    if (option->value == TOOL_VALUE_NEEDED && !equals) {
        if (reader->at + 1 >= reader->argc)
            return tool_usage_error(command, "%s needs a value", option->name);
        value = reader->argv[++reader->at];
    }
    reader->line->values[i] = value;
    return option->value == TOOL_VALUE_NEEDED || equals ? check_value(command, option, value) : TOOL_OK;
}

/* How many operands stand before a program's own arguments; INT_MAX: options may follow each. */
static int operands_before_arguments(const struct tool_command *command)
{
    return command->operands == TOOL_OPERANDS_PROGRAM         ? 1
           : command->operands == TOOL_OPERANDS_MODEL_PROGRAM ? 2
                                                              : INT_MAX;
}

static int check_operands(const struct tool_line *line)
{
    const struct tool_command *command = line->command;
    char **operands = line->operands;
    switch (command->operands) {
    case TOOL_OPERANDS_NONE:
        return line->operand_count ? tool_usage_error(command, "'%s' is one word too many", operands[0]) : TOOL_OK;
    case TOOL_OPERANDS_FILE:
        if (line->operand_count == 0)
            return tool_usage_error(command, "no file is named");
        return line->operand_count > 1 ? tool_usage_error(command, "one file at a time, not also '%s'", operands[1])
                                       : TOOL_OK;
    case TOOL_OPERANDS_FILES:
        return TOOL_OK;
    case TOOL_OPERANDS_PROGRAM:
        return line->operand_count ? TOOL_OK : tool_usage_error(command, "no program is named");
    case TOOL_OPERANDS_MODEL_PROGRAM:
        if (line->operand_count < 2)
            return tool_usage_error(command, line->operand_count ? "no program is named" : "no model and no program");
        return tool_check_model(command, operands[0]);
    }
    return TOOL_OK;
}

/* Operands move to the front of argv, where those before them were options. */
int tool_read_line(struct tool_line *line, const struct tool_command *command, int argc, char **argv)
{
    struct reader reader = {.line = line, .argc = argc, .argv = argv, .at = 1};
    bool only_operands = false;
    *line = (struct tool_line){.command = command, .operands = argv};
    for (; reader.at < argc; reader.at++) {
        char *argument = argv[reader.at];
        if (line->operand_count == operands_before_arguments(command))
            only_operands = true; /* those of the program */
        if (only_operands || argument[0] != '-' || argument[1] == '\0') {
            argv[line->operand_count++] = argument;
        } else if (strcmp(argument, "--") == 0) {
            only_operands = true;
        } else if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
            return TOOL_ASKED_FOR_HELP;
        } else {
            int failed = read_option(&reader);
            if (failed)
                return failed;
        }
    }
    argv[line->operand_count] = NULL;
    return check_operands(line);
}
