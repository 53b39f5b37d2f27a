/* tuff shim: run a program with a GPU model offered as a render node. Sets the environment and becomes the program, so
 * that its exit code, its signals and its children are its own. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/hint.h"
#include "util/hash.h"

/* The library's path, absolute: a child may change its folder. */
static bool find_library(char path[PATH_MAX])
{
    static const char *const places[] = {"../shim/libtuff_shim.so", TUFF_LIBDIR "/libtuff_shim.so", NULL};
    const char *named = secure_getenv("TUFF_SHIM_LIBRARY");
    return named ? realpath(named, path) != NULL : tool_find(places, path);
}

/* LD_PRELOAD is split at spaces and colons, with no way to quote one: a library in such a folder gets a link in a
 * folder of ours. */
static bool link_without_spaces(char path[PATH_MAX])
{
    if (!strpbrk(path, " :"))
        return true;
    char folder[64], link[128];
    struct stat about;
    snprintf(folder, sizeof(folder), "/tmp/tuff-%u", (unsigned)getuid());
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        return false;
    if (lstat(folder, &about) != 0 || !S_ISDIR(about.st_mode) || about.st_uid != getuid() || (about.st_mode & 077))
        return false; /* another user's: code in it would run with our rights */
    snprintf(link, sizeof(link), "%s/%016llx-libtuff_shim.so", folder,
             (unsigned long long)hash_bytes(path, strlen(path)));
    if (symlink(path, link) != 0 && errno != EEXIST)
        return false;
    memcpy(path, link, strlen(link) + 1);
    return true;
}

static bool prepend_preload(const char *library)
{
    const char *old = secure_getenv("LD_PRELOAD");
    char *value = NULL;
    if (asprintf(&value, "%s%s%s", library, old && *old ? ":" : "", old ? old : "") < 0)
        return false;
    bool set = setenv("LD_PRELOAD", value, 1) == 0;
    free(value);
    return set;
}

/* Created here, so that a file that cannot be written is an error of the command line; the path becomes absolute. */
static int set_trace(const char *file)
{
    char path[PATH_MAX];
    int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0 || !realpath(file, path)) {
        tool_error(&tool_shim, "cannot write '%s': %s", file, strerror(errno));
        return TOOL_FAILED;
    }
    close(fd);
    setenv("TUFF_TRACE", path, 1);
    return TOOL_OK;
}

int tool_shim_run(const struct tool_line *line)
{
    const char *stat = line->values[TOOL_SHIM_STAT], *trace = line->values[TOOL_SHIM_TRACE];
    char **program = line->operands + 1;
    int failed = tool_set_stat(&tool_shim, stat, line->values[TOOL_SHIM_JSON]);
    if (failed)
        return failed;
    tool_check_environment(&tool_shim);
    char library[PATH_MAX];
    if (!find_library(library)) {
        tool_error(&tool_shim, "the preload library, libtuff_shim.so, is not in " TUFF_LIBDIR
                               " beside this command; install or build it anew, or name it in TUFF_SHIM_LIBRARY");
        return TOOL_FAILED;
    }
    if (!link_without_spaces(library)) {
        tool_error(&tool_shim, "LD_PRELOAD cannot name '%s', and no link to it can be made in /tmp", library);
        return TOOL_FAILED;
    }
    failed = trace ? set_trace(trace) : TOOL_OK;
    if (failed)
        return failed;
    setenv("TUFF_SHIM", line->operands[0], 1);
    if (!prepend_preload(library)) {
        tool_error(&tool_shim, "no memory");
        return TOOL_FAILED;
    }
    execvp(program[0], program);
    return tool_cannot_run(&tool_shim, program[0], errno);
}
