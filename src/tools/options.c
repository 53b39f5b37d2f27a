/* Long options before one file, for the subcommands that have no other arguments. */
#include <getopt.h>

#include "tools/tool.h"

int tool_options(const struct tool_command *command, int argc, char **argv, const struct option *longs,
                 tool_set_option set, void *options, const char **file_out)
{
    int option, result = TOOL_OK;
    optind = 1;
    opterr = 0;
    while (result == TOOL_OK && (option = getopt_long(argc, argv, ":", longs, NULL)) != -1) {
        if (option == ':')
            return tool_usage_error(command, "%s needs a value", argv[optind - 1]);
        if (option == '?')
            return tool_usage_error(command, "unknown option '%s'", argv[optind - 1]);
        result = set(options, option, optarg);
    }
    if (result == TOOL_OK && argc - optind != 1)
        return tool_usage_error(command, argc == optind ? "no file is named" : "one file at a time");
    *file_out = argv[optind];
    return result;
}
