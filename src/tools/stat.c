/* --stat of the commands that become another program. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/tool.h"

int tool_set_stat(const struct tool_command *command, const char *file, bool is_json)
{
    char path[PATH_MAX] = "-";
    if (!file)
        return is_json ? tool_usage_error(command, "--json is about --stat, which is not given") : TOOL_OK;
    if (*file) {
        int fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        if (fd < 0 || !realpath(file, path)) {
            tool_error(command, "cannot write '%s': %s", file, strerror(errno));
            if (fd >= 0)
                close(fd);
            return TOOL_FAILED;
        }
        close(fd);
    }
    setenv("TUFF_STAT", path, 1);
    setenv("TUFF_STAT_FORMAT", is_json ? "json" : "text", 1);
    return TOOL_OK;
}
