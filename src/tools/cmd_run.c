/* tuff run: a Vulkan program on this stack, with nothing installed. Sets the environment and becomes the program, so
 * that its exit code, its signals and its children are its own; where a picture is asked for it waits for the program
 * instead (wait.c), to say when none came. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/driver.h"
#include "tools/hint.h"
#include "tools/wait.h"

struct picture {
    char path[PATH_MAX]; /* empty: none is asked for */
    struct stat before;  /* st_ino 0: there was none */
};

/* The program itself would only report that it finds no device. */
static int look_for_real(void)
{
    struct tool_driver driver;
    if (!tool_driver_load(&driver, &tool_run))
        return TOOL_FAILED;
    bool opened = tool_driver_open(&driver, "real");
    if (opened && driver.gpu_count == 0)
        tool_error(&tool_run, "no GPU of this machine is one that the driver knows; `tuff info` lists the models");
    else if (!opened)
        tool_error(&tool_run, "the driver does not answer");
    if (opened)
        tool_driver_close(&driver);
    return opened && driver.gpu_count ? TOOL_OK : TOOL_FAILED;
}

/* The driver writes a new file beside it and renames: the folder must let it, and no device may be replaced. */
static int try_picture(const char *file, struct picture *picture)
{
    char folder[PATH_MAX];
    bool was_there = stat(file, &picture->before) == 0;
    if (!was_there)
        picture->before.st_ino = 0;
    else if (!S_ISREG(picture->before.st_mode))
        return S_ISDIR(picture->before.st_mode) ? EISDIR : EINVAL;
    int fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return errno;
    int error = realpath(file, picture->path) ? 0 : errno;
    close(fd);
    if (error)
        return error;
    if (!was_there)
        unlink(picture->path);
    memcpy(folder, picture->path, sizeof(folder));
    return access(dirname(folder), W_OK) == 0 ? 0 : errno;
}

/* Made absolute, for the program may change its folder, and tried here: an error of the command line is reported at
 * once. A picture that is there stays until a new one replaces it. */
static int set_picture(const char *file, struct picture *picture)
{
    int error = try_picture(file, picture);
    if (error) {
        tool_error(&tool_run, "cannot write '%s': %s", file, error == EINVAL ? "not a regular file" : strerror(error));
        return TOOL_FAILED;
    }
    setenv("TUFF_PRESENT_PNG", picture->path, 1);
    return TOOL_OK;
}

/* Options that are a variable of the program's environment. TOOL_OK, or the error is printed. */
static int set_environment(const struct tool_line *line, struct picture *picture)
{
    const char *const *values = line->values;
    if (values[TOOL_RUN_GPU])
        setenv("TUFF_GPU", values[TOOL_RUN_GPU], 1);
    if (values[TOOL_RUN_AS_GPU])
        setenv("TUFF_DEVICE_TYPE", "gpu", 1);
    if (values[TOOL_RUN_CLAIM_CONFORMANCE])
        setenv("TUFF_CLAIM_CONFORMANCE", "1", 1);
    if (values[TOOL_RUN_NO_HINT])
        setenv("TUFF_HINT", "0", 1);
    if (values[TOOL_RUN_FRAMES])
        setenv("TUFF_PRESENT_FRAMES", values[TOOL_RUN_FRAMES], 1);
    int failed = values[TOOL_RUN_PNG] ? set_picture(values[TOOL_RUN_PNG], picture) : TOOL_OK;
    return failed ? failed : tool_set_stat(&tool_run, values[TOOL_RUN_STAT], values[TOOL_RUN_JSON]);
}

static int set_driver(void)
{
    static const char *const manifests[] = {"../icd/tuff_icd.json", TUFF_DATADIR "/tuff/tuff_run_icd.json", NULL};
    char manifest[PATH_MAX], library[PATH_MAX];
    if (!tool_find(manifests, manifest)) {
        tool_error(&tool_run, "the driver's manifest, tuff_run_icd.json, is not in " TUFF_DATADIR
                              "/tuff beside this command; install or build it anew");
        return TOOL_FAILED;
    }
    if (strchr(manifest, ':')) {
        tool_error(&tool_run, "the Vulkan loader cannot be given '%s': it has a colon", manifest);
        return TOOL_FAILED;
    }
    if (!tool_driver_find(library, &tool_run))
        return TOOL_FAILED;
    setenv("VK_DRIVER_FILES", manifest, 1);
    setenv("VK_ICD_FILENAMES", manifest, 1); /* the older loaders' name of the same */
    unsetenv("VK_ADD_DRIVER_FILES");         /* and no other */
    return TOOL_OK;
}

static bool is_new(const struct picture *picture)
{
    struct stat now;
    const struct stat *old = &picture->before;
    if (stat(picture->path, &now) != 0)
        return false;
    return now.st_ino != old->st_ino || now.st_mtim.tv_sec != old->st_mtim.tv_sec ||
           now.st_mtim.tv_nsec != old->st_mtim.tv_nsec;
}

int tool_run_run(const struct tool_line *line)
{
    struct picture picture = {.path = ""};
    char **program = line->operands;
    int failed = set_environment(line, &picture);
    if (!failed)
        failed = set_driver();
    const char *gpu = secure_getenv("TUFF_GPU");
    if (!failed && gpu && (strcmp(gpu, "real") == 0 || strcmp(gpu, "none") == 0))
        failed = look_for_real();
    if (failed)
        return failed;
    tool_check_environment(&tool_run);
    tool_check_loader(&tool_run);
    tool_offer_hint();
    if (!picture.path[0]) {
        execvp(program[0], program);
        return tool_cannot_run(&tool_run, program[0], errno);
    }
    struct tool_wait end = tool_run_and_wait(program);
    if (end.error)
        return tool_cannot_run(&tool_run, program[0], end.error);
    bool shown = is_new(&picture);
    if (!shown)
        tool_error(&tool_run, "'%s' presented nothing: no picture in '%s'", program[0], picture.path);
    if (end.signal)
        tool_end_by_signal(end.signal);
    return end.code || shown ? end.code : TOOL_FAILED;
}
