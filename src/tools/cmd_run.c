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
#include "tools/wait.h"

static const char usage[] =
    "usage: tuff run [--gpu NAME,...] [--as-gpu] [--claim-conformance] [--png FILE] [--frames N]\n"
    "                [--stat[=FILE]] [--] PROGRAM [ARGUMENT]...\n"
    "\n"
    "Runs PROGRAM with Tuff's Vulkan driver and no other. The exit code is PROGRAM's.\n"
    "\n"
    "  --gpu NAME   what PROGRAM sees: a model by its name, `real` (the machine's own GPUs), `all` (every model), or "
    "several\n"
    "               of these separated by commas. Without it: the machine's GPUs or, where there is none that the "
    "driver\n"
    "               knows, the first model\n"
    "  --as-gpu     the model says that it is a GPU, not a CPU, for programs that take no CPU (mpv, Zink, WebGPU)\n"
    "  --claim-conformance\n"
    "               the driver reports the version of Khronos' tests whose samples pass on it, for programs that hide\n"
    "               drivers without one (wgpu). It is not certified, and claims nothing without this\n"
    "  --png FILE   save the last picture that PROGRAM presents to a window or to a headless surface; it is an error\n"
    "               (code 1, where PROGRAM itself ended with 0) if there was none\n"
    "  --frames N   end PROGRAM, with code 0, when it has presented N pictures\n"
    "  --stat       at the end, say where the time of a model's threads went, on the standard error or at the end of "
    "FILE\n"
    "\n"
    "A window needs a display: DISPLAY or WAYLAND_DISPLAY, as for every program.\n";

struct picture {
    char path[PATH_MAX]; /* empty: none is asked for */
    struct stat before;  /* st_ino 0: there was none */
};

static int set_gpu(const char *words)
{
    int failed = tool_check_gpus(&tool_run, words);
    if (!failed)
        setenv("TUFF_GPU", words, 1);
    return failed;
}

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

static bool is_count(const char *text)
{
    return *text && *text != '0' && strlen(text) < 19 && strspn(text, "0123456789") == strlen(text);
}

static int set_option(const char *option, const char *value, struct picture *picture)
{
    if (strcmp(option, "--gpu") == 0)
        return set_gpu(value);
    if (strcmp(option, "--png") == 0)
        return set_picture(value, picture);
    if (!is_count(value))
        return tool_usage_error(&tool_run, "'%s' is no number of frames", value);
    setenv("TUFF_PRESENT_FRAMES", value, 1);
    return TOOL_OK;
}

/* Options that take no value are a variable of the program's environment. */
static bool set_flag(const char *option)
{
    static const struct {
        const char *option, *variable, *value;
    } flags[] = {
        {"--as-gpu", "TUFF_DEVICE_TYPE", "gpu"},
        {"--claim-conformance", "TUFF_CLAIM_CONFORMANCE", "1"},
    };
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        if (strcmp(option, flags[i].option) == 0)
            return setenv(flags[i].variable, flags[i].value, 1) == 0;
    }
    return false;
}

/* "--name value" and "--name=value". Returns an exit code; *at becomes the index of the program. */
static int read_options(int argc, char **argv, int *at, struct picture *picture)
{
    static const char *const with_value[] = {"--gpu", "--png", "--frames", NULL};
    for (; *at < argc && argv[*at][0] == '-'; ++*at) {
        const char *option = argv[*at], *equals = strchr(option, '=');
        size_t length = equals ? (size_t)(equals - option) : strlen(option);
        if (strcmp(option, "--") == 0) {
            ++*at;
            break;
        }
        if (set_flag(option))
            continue;
        if (length == 6 && strncmp(option, "--stat", 6) == 0) {
            int failed = tool_set_stat(&tool_run, equals ? equals + 1 : NULL);
            if (failed)
                return failed;
            continue;
        }
        const char *const *name = with_value;
        while (*name && (strlen(*name) != length || strncmp(*name, option, length) != 0))
            name++;
        if (!*name)
            return tool_usage_error(&tool_run, "no option '%s'", option);
        if (!equals && *at + 1 >= argc)
            return tool_usage_error(&tool_run, "%s needs a value", option);
        int failed = set_option(*name, equals ? equals + 1 : argv[++*at], picture);
        if (failed)
            return failed;
    }
    return *at < argc ? TOOL_OK : tool_usage_error(&tool_run, "no program");
}

static int set_driver(void)
{
    static const char *const manifests[] = {"../icd/tuff_icd.json", TUFF_DATADIR "/tuff/tuff_run_icd.json", NULL};
    char manifest[PATH_MAX];
    if (!tool_find(manifests, manifest)) {
        tool_error(&tool_run, "the driver's manifest is not where it should be");
        return TOOL_FAILED;
    }
    if (strchr(manifest, ':')) {
        tool_error(&tool_run, "the Vulkan loader cannot be given '%s': it has a colon", manifest);
        return TOOL_FAILED;
    }
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

static int cannot_run(const char *program, int error)
{
    tool_error(&tool_run, "cannot run '%s': %s", program, strerror(error));
    return error == ENOENT ? 127 : 126; /* as a shell says it */
}

static int run(int argc, char **argv)
{
    struct picture picture = {.path = ""};
    int at = 1, failed = read_options(argc, argv, &at, &picture);
    if (!failed)
        failed = set_driver();
    const char *gpu = secure_getenv("TUFF_GPU");
    if (!failed && gpu && (strcmp(gpu, "real") == 0 || strcmp(gpu, "none") == 0))
        failed = look_for_real();
    if (failed)
        return failed;
    if (!picture.path[0]) {
        execvp(argv[at], argv + at);
        return cannot_run(argv[at], errno);
    }
    struct tool_wait end = tool_run_and_wait(argv + at);
    if (end.error)
        return cannot_run(argv[at], end.error);
    bool shown = is_new(&picture);
    if (!shown)
        tool_error(&tool_run, "'%s' presented nothing: no picture in '%s'", argv[at], picture.path);
    if (end.signal)
        tool_end_by_signal(end.signal);
    return end.code || shown ? end.code : TOOL_FAILED;
}

const struct tool_command tool_run = {
    .name = "run",
    .summary = "run a Vulkan program on Tuff's driver, with nothing installed",
    .usage = usage,
    .run = run,
    .takes_program = true,
    .lists_models = true,
};
