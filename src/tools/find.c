/* Files of ours, found from where the command `tuff` itself is: the build tree or where it was installed. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/tool.h"

bool tool_find(const char *const *places, char path[PATH_MAX])
{
    char program[PATH_MAX], candidate[2 * PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
    if (length < 0)
        return false;
    program[length] = '\0';
    *strrchr(program, '/') = '\0';
    for (; *places; places++) {
        bool absolute = **places == '/';
        snprintf(candidate, sizeof(candidate), "%s/%s", absolute ? "" : program, *places);
        if (realpath(candidate, path))
            return true;
    }
    return false;
}
