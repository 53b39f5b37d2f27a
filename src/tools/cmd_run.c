/* tuff run: a Vulkan program on this stack, with nothing installed. Sets the environment and becomes the program, so
 * that its exit code, its signals and its children are its own. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/model.h"
#include "tools/tool.h"

static const char usage[] =
    "usage: tuff run [--gpu NAME] [--png FILE] [--frames N] [--] PROGRAM [ARGUMENT]...\n"
    "\n"
    "Runs PROGRAM with Tuff's Vulkan driver and no other. The exit code is PROGRAM's.\n"
    "\n"
    "  --gpu NAME   a model by its name (gfx1030, gfx1033), or `real`: no model. Without it: the machine's GPUs or, "
    "where\n"
    "               there is none that the driver knows, the model gfx1030. `tuff info` lists them\n"
    "  --png FILE   save the last picture that PROGRAM presents to a window or to a headless surface\n"
    "  --frames N   end PROGRAM, with code 0, when it has presented N pictures\n"
    "\n"
    "A window needs a display: DISPLAY or WAYLAND_DISPLAY, as for every program.\n";

/* What the driver's environment calls the GPU; NULL for a name that nobody knows. */
static const char *gpu_word(const char *name)
{
    const char *known;
    if (strcmp(name, "real") == 0)
        return "none";
    for (unsigned i = 0; (known = kernel_model_name(i)); i++) {
        if (strcmp(known, name) == 0)
            return known;
    }
    return NULL;
}

/* Made absolute, for the program may change its folder, and tried here: an error of the command line is said at once. A
 * picture that is there stays until a new one replaces it. */
static int set_picture(const char *file)
{
    bool was_there = access(file, F_OK) == 0;
    char path[PATH_MAX];
    int fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0 || !realpath(file, path)) {
        tool_error(&tool_run, "cannot write '%s': %s", file, strerror(errno));
        return TOOL_FAILED;
    }
    close(fd);
    if (!was_there)
        unlink(path);
    setenv("TUFF_PRESENT_PNG", path, 1);
    return TOOL_OK;
}

static bool is_count(const char *text)
{
    return *text && *text != '0' && strlen(text) < 19 && strspn(text, "0123456789") == strlen(text);
}

static int run(int argc, char **argv)
{
    static const char *const manifests[] = {"../icd/tuff_icd.json",
                                            "../" TUFF_DATADIR "/vulkan/icd.d/tuff_icd." TUFF_CPU ".json", NULL};
    int at = 1;
    for (; at < argc && argv[at][0] == '-'; at++) {
        const char *option = argv[at];
        if (strcmp(option, "--") == 0) {
            at++;
            break;
        }
        bool known = strcmp(option, "--gpu") == 0 || strcmp(option, "--png") == 0 || strcmp(option, "--frames") == 0;
        if (!known)
            return tool_usage_error(&tool_run, "no option '%s'", option);
        if (at + 1 >= argc)
            return tool_usage_error(&tool_run, "%s needs a value", option);
        const char *value = argv[++at];
        if (strcmp(option, "--gpu") == 0) {
            const char *word = gpu_word(value);
            if (!word)
                return tool_usage_error(&tool_run, "no GPU '%s'", value);
            setenv("TUFF_GPU", word, 1);
        } else if (strcmp(option, "--png") == 0) {
            int failed = set_picture(value);
            if (failed)
                return failed;
        } else if (is_count(value)) {
            setenv("TUFF_PRESENT_FRAMES", value, 1);
        } else {
            return tool_usage_error(&tool_run, "'%s' is no number of frames", value);
        }
    }
    if (at >= argc)
        return tool_usage_error(&tool_run, "no program");
    char manifest[PATH_MAX];
    if (!tool_find(manifests, manifest)) {
        tool_error(&tool_run, "the driver's manifest is not where it should be");
        return TOOL_FAILED;
    }
    if (strchr(manifest, ':')) {
        tool_error(&tool_run, "the Vulkan loader cannot be told of '%s': it has a colon", manifest);
        return TOOL_FAILED;
    }
    setenv("VK_DRIVER_FILES", manifest, 1);
    setenv("VK_ICD_FILENAMES", manifest, 1); /* the older loaders' name of the same */
    execvp(argv[at], argv + at);
    tool_error(&tool_run, "cannot run '%s': %s", argv[at], strerror(errno));
    return errno == ENOENT ? 127 : 126; /* as a shell says it */
}

const struct tool_command tool_run = {
    .name = "run",
    .summary = "run a Vulkan program on Tuff's driver, with nothing installed",
    .usage = usage,
    .run = run,
};
