/* The `tuff` command: finds the subcommand and runs it. Prints nothing of its own unless something went wrong. */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>

#include "kernel/model.h"
#include "tools/tool.h"
#include "util/bits.h"

static const struct tool_command *const commands[] = {
    &tool_run, &tool_info, &tool_dis, &tool_asm, &tool_compile, &tool_decode, &tool_shim,
};

static void print_help(FILE *file)
{
    fprintf(file, "usage: tuff COMMAND [OPTION]... [ARGUMENT]...\n\n");
    for (unsigned i = 0; i < ARRAY_SIZE(commands); i++)
        fprintf(file, "  %-8s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(file,
            "\n`tuff COMMAND --help` says more of one; `tuff --version`. TUFF_DEBUG=help lists the debug switches.\n");
}

static void print_error(const struct tool_command *command, const char *format, va_list args)
{
    fflush(stdout);
    fprintf(stderr, "tuff %s: ", command->name);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

void tool_error(const struct tool_command *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_error(command, format, args);
    va_end(args);
}

int tool_usage_error(const struct tool_command *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_error(command, format, args);
    va_end(args);
    fprintf(stderr, "try `tuff %s --help`\n", command->name);
    return TOOL_USAGE;
}

int tool_finish_output(const struct tool_command *command)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return TOOL_OK;
    tool_error(command, "cannot write the output: %s", strerror(errno));
    return TOOL_FAILED;
}

static void print_models(void)
{
    const struct kernel_model_row *model;
    puts("\nModels:");
    for (unsigned i = 0; (model = kernel_model_row(i)); i++)
        printf("  %-13s %s%s\n", model->name, model->gpu, i == 0 ? ", the default" : "");
}

/* A file that may not grow (RLIMIT_FSIZE) is an error of the output, not the end; a program that is started finds the
 * signal as it was. */
static int run_command(const struct tool_command *command, int argc, char **argv)
{
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
    int last = command->takes_program && argc > 2 ? 2 : argc;
    for (int i = 1; i < last && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            fputs(command->usage, stdout);
            if (command->lists_models)
                print_models();
            return tool_finish_output(command);
        }
    }
    if (command->takes_program)
        signal(SIGXFSZ, before);
    return command->run(argc, argv);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return TOOL_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return TOOL_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("tuff " TUFF_VERSION);
        return fflush(stdout) == 0 ? TOOL_OK : TOOL_FAILED;
    }
    for (unsigned i = 0; i < ARRAY_SIZE(commands); i++) {
        if (strcmp(argv[1], commands[i]->name) == 0)
            return run_command(commands[i], argc - 1, argv + 1);
    }
    fprintf(stderr, "tuff: no command '%s'; `tuff --help` lists them\n", argv[1]);
    return TOOL_USAGE;
}
