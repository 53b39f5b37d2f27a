/* The `tuff` command: finds the subcommand and runs it. Prints nothing of its own unless something went wrong. */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "kernel/model.h"
#include "tools/tool.h"
#include "util/json.h"
#include "util/nearest.h"

static void print_help(FILE *file)
{
    fprintf(file, "usage: tuff COMMAND [OPTION]... [ARGUMENT]...\n\n");
    for (const struct tool_command *const *command = tool_commands; *command; command++)
        fprintf(file, "  %-9s  %s\n", (*command)->name, (*command)->summary);
    fprintf(file,
            "\n`tuff COMMAND --help` says more of one, as does its manual page, tuff-COMMAND(1); `tuff --version`.\n"
            "TUFF_DEBUG=help lists the debug switches.\n");
}

static struct {
    bool is_printed;  /* JSON, on standard output */
    char error[1024]; /* the first that was told */
} output;

static void print_error(const struct tool_command *command, const char *format, va_list args)
{
    char message[sizeof(output.error)];
    vsnprintf(message, sizeof(message), format, args);
    fflush(stdout);
    fprintf(stderr, "tuff %s: %s\n", command->name, message);
    if (!output.error[0])
        memcpy(output.error, message, sizeof(message));
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

int tool_print_json(const struct tool_command *command, struct json *json)
{
    const bool is_whole = !json->text.failed;
    output.is_printed = is_whole;
    if (is_whole)
        fputs(json->text.text, stdout);
    else
        tool_error(command, "out of memory");
    strbuf_finish(&json->text);
    const int written = tool_finish_output(command);
    return is_whole ? written : TOOL_FAILED;
}

/* Standard output is JSON even where there is nothing to tell. */
static void print_json_error(const struct tool_command *command)
{
    struct json json = {.is_line = true};
    json_object(&json, NULL);
    json_string(&json, "error", output.error);
    json_end(&json);
    tool_print_json(command, &json);
}

static bool wants_json(const struct tool_line *line)
{
    for (unsigned i = 0; i < line->command->option_count; i++) {
        if (line->values[i] && strcmp(line->command->options[i].name, "--json") == 0)
            return true;
    }
    return false;
}

static void print_models(void)
{
    const struct kernel_model_row *model;
    puts("\nModels:");
    for (unsigned i = 0; (model = kernel_model_row(i)); i++)
        printf("  %-13s %s%s\n", model->name, model->gpu, i == 0 ? ", the default" : "");
}

int tool_cannot_run(const struct tool_command *command, const char *program, int error)
{
    if (error == ENOENT && !strchr(program, '/'))
        tool_error(command, "cannot run '%s': no program of that name is in PATH%s%s", program,
                   access(program, X_OK) == 0 ? "; the one in this folder is ./" : "",
                   access(program, X_OK) == 0 ? program : "");
    else
        tool_error(command, "cannot run '%s': %s", program, strerror(error));
    return error == ENOENT ? 127 : 126; /* as a shell says it */
}

/* A file that may not grow (RLIMIT_FSIZE) is an error of the output, not the end; a program that is started finds the
 * signal as it was. */
static int run_command(const struct tool_command *command, int argc, char **argv)
{
    struct tool_line line;
    int failed = tool_read_line(&line, command, argc, argv);
    const bool becomes_program =
        command->operands == TOOL_OPERANDS_PROGRAM || command->operands == TOOL_OPERANDS_MODEL_PROGRAM;
    if (!becomes_program || failed)
        signal(SIGXFSZ, SIG_IGN);
    if (failed == TOOL_ASKED_FOR_HELP) {
        fputs(command->help, stdout);
        if (command->lists_models)
            print_models();
        return tool_finish_output(command);
    }
    if (failed)
        return failed;
    const int code = command->run(&line);
    if (code == TOOL_FAILED && !becomes_program && wants_json(&line) && !output.is_printed)
        print_json_error(command);
    return code;
}

static int refuse_command(const char *name)
{
    char hint[96];
    struct nearest nearest = nearest_begin(name, strlen(name));
    for (const struct tool_command *const *command = tool_commands; *command; command++)
        nearest_try(&nearest, (*command)->name);
    fprintf(stderr, "tuff: no command '%s'; `tuff --help` lists them%s\n", name, nearest_text(&nearest, hint));
    return TOOL_USAGE;
}

char *const *tool_environment;

int main(int argc, char **argv, char **environment)
{
    tool_environment = getauxval(AT_SECURE) ? NULL : environment;
    if (argc < 2) {
        print_help(stderr);
        return TOOL_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return fflush(stdout) == 0 ? TOOL_OK : TOOL_FAILED;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("tuff " TUFF_VERSION);
        return fflush(stdout) == 0 ? TOOL_OK : TOOL_FAILED;
    }
    for (const struct tool_command *const *command = tool_commands; *command; command++) {
        if (strcmp(argv[1], (*command)->name) == 0)
            return run_command(*command, argc - 1, argv + 1);
    }
    return refuse_command(argv[1]);
}
