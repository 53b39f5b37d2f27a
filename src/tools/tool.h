/* A subcommand of `tuff`: a command and its options are rows of command.table, from which gen_command.py makes a struct
 * tool_command, and its function is in a file of its own, cmd_<name>.c. */
#ifndef TOOLS_TOOL_H
#define TOOLS_TOOL_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "tools/command_table.h"

/* Exit codes, the same for every subcommand; one that becomes another program has that program's. */
enum tool_exit {
    TOOL_OK = 0,
    TOOL_FAILED = 1, /* the input was wrong or the work failed; standard error says where and why */
    TOOL_USAGE = 2,  /* the command line was wrong */
};

enum tool_value {
    TOOL_VALUE_NONE,
    TOOL_VALUE_NEEDED,
    TOOL_VALUE_OPTIONAL, /* "--option" and "--option=VALUE" */
};

/* The kind of a value; the reader refuses others. Only words and file names of any kind come through unlooked at. */
enum tool_kind {
    TOOL_KIND_NONE,
    TOOL_KIND_WORDS, /* one of tool_option.words */
    TOOL_KIND_GPUS,  /* models, `real` and `all`, separated by commas */
    TOOL_KIND_MODEL,
    TOOL_KIND_GPU, /* a model, or what the family calls one: the command finds out */
    TOOL_KIND_COUNT,
    TOOL_KIND_FILE,
    TOOL_KIND_WORD,
};

enum tool_operands {
    TOOL_OPERANDS_NONE,
    TOOL_OPERANDS_FILE,  /* exactly one */
    TOOL_OPERANDS_FILES, /* any number */
    TOOL_OPERANDS_PROGRAM,
    TOOL_OPERANDS_MODEL_PROGRAM,
};

struct tool_option {
    const char *name; /* with its dashes */
    enum tool_value value;
    enum tool_kind kind;
    const char *words; /* NUL after each and after the last; NULL: any */
};

struct tool_command {
    const char *name;
    const char *summary; /* one line for `tuff --help` */
    const char *help;    /* `tuff NAME --help` */
    const struct tool_option *options;
    unsigned option_count;
    enum tool_operands operands;
    bool lists_models;                        /* the table of models follows its help */
    int (*run)(const struct tool_line *line); /* returns enum tool_exit, or what became of a program */
};

/* A command line that was read. */
struct tool_line {
    const struct tool_command *command;
    const char *values[TOOL_OPTION_MAX]; /* by TOOL_<COMMAND>_<OPTION>; NULL: not given; "": given without a value */
    char **operands;                     /* ends with NULL: the file, or [model and] program with its arguments */
    int operand_count;
};

extern const struct tool_command *const tool_commands[]; /* ends with NULL */
/* The variables that the command was started with; NULL in a program with more rights than its caller. */
extern char *const *tool_environment;
extern const char *const tool_variables[];               /* that something of ours reads; ends with NULL */

/* Reads argv[1] and those after it. TOOL_OK; TOOL_USAGE after printing the reason; TOOL_ASKED_FOR_HELP. */
#define TOOL_ASKED_FOR_HELP (-1)
int tool_read_line(struct tool_line *line, const struct tool_command *command, int argc, char **argv);

/* Print "tuff NAME: message" to standard error. */
void tool_error(const struct tool_command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* tool_error with the hint to look at --help; returns TOOL_USAGE. */
int tool_usage_error(const struct tool_command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The usage error for a GPU that no family knows; names those that some family does. Returns TOOL_USAGE. */
int tool_bad_gpu(const struct tool_command *command, const char *name);

/* The first of `places` (ends with NULL; from the folder of the command `tuff`) that is there, as an absolute path. */
bool tool_find(const char *const *places, char path[PATH_MAX]);

/* Whether all of a list for --gpu or TUFF_GPU is known; otherwise the error is printed and TOOL_USAGE returned. */
int tool_check_gpus(const struct tool_command *command, const char *words);
int tool_check_model(const struct tool_command *command, const char *name);
bool tool_gpus_name(const char *words, const char *name); /* the list has that word */

/* --stat: a model in the program that follows says where its time went (model/stat.h), at the end of a file, which is
 * created here, or with "" on the standard error, as JSON on the standard output; NULL: the option is not given.
 * TOOL_OK, or the error is printed. */
int tool_set_stat(const struct tool_command *command, const char *file, bool is_json);

/* Flush standard output; a full disk or a closed pipe is a failure that the exit code must show. */
int tool_finish_output(const struct tool_command *command);

/* Prints what was written, to whose end it has come, and finishes the text. TOOL_OK, or the error is printed. */
struct json;
int tool_print_json(const struct tool_command *command, struct json *json);

/* The error for a program that could not be started, and the exit code that a shell has for it. */
int tool_cannot_run(const struct tool_command *command, const char *program, int error);

#endif
