/* What a subcommand of `tuff` is. Each is in a file of its own, cmd_<name>.c, and has one row in tuff.c. */
#ifndef TOOLS_TOOL_H
#define TOOLS_TOOL_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

/* Exit codes, the same for every subcommand. */
enum tool_exit {
    TOOL_OK = 0,
    TOOL_FAILED = 1, /* the input was wrong or the work failed; standard error says where and why */
    TOOL_USAGE = 2,  /* the command line was wrong */
};

struct tool_command {
    const char *name;
    const char *summary;               /* one line for `tuff --help` */
    const char *usage;                 /* printed by `tuff NAME --help`, whole */
    int (*run)(int argc, char **argv); /* argv[0] is the subcommand's name; returns enum tool_exit */
    bool lists_models;                 /* the table of models follows its usage */
    bool takes_program; /* what follows is another program's: `tuff run vulkaninfo --help` is not for us */
};

extern const struct tool_command tool_asm;
extern const struct tool_command tool_compile;
extern const struct tool_command tool_decode;
extern const struct tool_command tool_dis;
extern const struct tool_command tool_info;
extern const struct tool_command tool_run;
extern const struct tool_command tool_shim;

/* Print "tuff NAME: message" to standard error. */
void tool_error(const struct tool_command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same with the hint to look at --help; returns TOOL_USAGE. */
int tool_usage_error(const struct tool_command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The usage error for a GPU that no family knows; names those that some family does. Returns TOOL_USAGE. */
int tool_bad_gpu(const struct tool_command *command, const char *name);

/* Reads the options that `longs` (getopt's) names and the one file after them. `set` gets each option's letter and its
 * value, and returns TOOL_OK or, after printing the reason, TOOL_USAGE. */
struct option;
typedef int (*tool_set_option)(void *options, int option, const char *value);
int tool_options(const struct tool_command *command, int argc, char **argv, const struct option *longs,
                 tool_set_option set, void *options, const char **file_out);

/* The first of `places` (ends with NULL; from the folder of the command `tuff`) that is there, as an absolute path. */
bool tool_find(const char *const *places, char path[PATH_MAX]);

/* Whether all of a list for --gpu or TUFF_GPU is known; otherwise the error is printed and TOOL_USAGE returned. */
int tool_check_gpus(const struct tool_command *command, const char *words);
bool tool_gpus_name(const char *words, const char *name); /* the list has that word */

/* --stat: a model in the program that follows says where its time went (model/stat.h), at the end of a file, which is
 * created here, or with NULL on the standard error. TOOL_OK, or the error is printed and TOOL_FAILED returned. */
int tool_set_stat(const struct tool_command *command, const char *file);

/* Flush standard output; a full disk or a closed pipe is a failure that the exit code must show. */
int tool_finish_output(const struct tool_command *command);

#endif
