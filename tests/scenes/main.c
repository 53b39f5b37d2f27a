/* Draws scenes on the first Vulkan device and writes each as a PNG. A line of output for each scene: its name, then
 * "ok", "skip" or "fail", then the reason.
 *
 *     scenes --list                                         name, share of pixels that may differ, what it is about,
 *                                                           why the share
 *     scenes [--validate] [--suffix TEXT] FOLDER [NAME]...  FOLDER/NAME_TEXT.png; all scenes without names;
 *                                                           --validate: any message of the layers fails
 *     scenes --code FOLDER                                  the code of all shaders of graphics pipelines instead of
 *                                                           pictures: FOLDER/SCENE_NUMBER_STAGE.assembly
 *     scenes --frames SECONDS NAME                          submit its frame again and again, which must stay the same
 *                                                           picture; the line is that of bench_vulkan */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"
#include "util/png.h"

static const struct scene *const tables[] = {scene_light_table,   scene_texture_table, scene_blend_table,
                                             scene_compute_table, scene_state_table,   scene_raster_table};

static void list(void)
{
    for (size_t t = 0; t < COUNT_OF(tables); t++) {
        for (const struct scene *scene = tables[t]; scene->name; scene++)
            printf("%s\t%g\t%s\t%s\n", scene->name, scene->share, scene->what, scene->reason ? scene->reason : "");
    }
}

static bool wanted(const char *name, char *const *names, int count)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return count == 0;
}

/* False when it failed. */
static bool run_scene(struct vt *vt, const struct scene *scene, const char *folder, const char *suffix)
{
    static uint8_t picture[SCENE_WIDTH * SCENE_HEIGHT * 4];
    static char prefix[2048];
    char path[4096];
    vt->message[0] = '\0';
    vt->skipped = false;
    if (vt->code_prefix) {
        snprintf(prefix, sizeof(prefix), "%s/%s", folder, scene->name);
        vt->code_prefix = prefix;
        vt->num_codes = 0;
    }
    memset(picture, 0, sizeof(picture));
    volatile bool finished = false;
    if (setjmp(vt->end) == 0) {
        scene->draw(vt, picture);
        finished = true;
    }
    vt_free_resources(vt);
    vkResetCommandPool(vt->device, vt->commands, VK_COMMAND_POOL_RESET_RELEASE_RESOURCES_BIT);
    bool good = finished && !vt->message[0];
    const bool is_picture = !vt->code_prefix;
    if (is_picture)
        snprintf(path, sizeof(path), "%s/%s_%s.png", folder, scene->name, suffix);
    const int error = good && is_picture ? png_write(path, picture, SCENE_WIDTH, SCENE_HEIGHT, false) : 0;
    if (error) {
        snprintf(vt->message, sizeof(vt->message), "cannot write %.900s: %s", path, strerror(-error));
        good = false;
    }
    for (char *at = vt->message; *at; at++)
        *at = *at == '\n' ? ' ' : *at;
    printf("%s %s %s\n", scene->name, good ? "ok" : vt->skipped ? "skip" : "fail", vt->message);
    fflush(stdout);
    return good || vt->skipped;
}

static const struct scene *scene_named(const char *name)
{
    for (size_t t = 0; t < COUNT_OF(tables); t++) {
        for (const struct scene *scene = tables[t]; scene->name; scene++) {
            if (strcmp(scene->name, name) == 0)
                return scene;
        }
    }
    return NULL;
}

/* 0, or 1 where it failed, or 77 where the device does not offer what it needs. */
static int measure_scene(struct vt *vt, const struct scene *scene)
{
    static uint8_t picture[SCENE_WIDTH * SCENE_HEIGHT * 4];
    scene_frames.may_differ = scene->keeps_state;
    if (setjmp(vt->end) == 0)
        scene->draw(vt, picture);
    if (vt->skipped)
        printf("not offered: %s\n", vt->message);
    else if (vt->message[0])
        fprintf(stderr, "scenes: %s\n", vt->message);
    else
        printf("rate %g frame/s runs %u median_s %g best_s %g cpu_s %g work 1 device %s\n", 1 / scene_frames.median_s,
               scene_frames.runs, scene_frames.median_s, scene_frames.best_s, scene_frames.cpu_s,
               vt->properties.deviceName);
    return vt->skipped ? 77 : vt->message[0] != '\0';
}

static bool open_device(struct vt *vt, bool validate)
{
    const VkDebugUtilsMessageSeverityFlagsEXT any =
        VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT;
    if (setjmp(vt->end) != 0) {
        fprintf(stderr, "scenes: %s\n", vt->message);
        return false;
    }
    vt_open(vt, validate ? any : 0);
    return true;
}

int main(int argc, char **argv)
{
    static struct vt vt;
    const char *suffix = "picture";
    bool validate = false;
    int at = 1;
    for (; at < argc && strncmp(argv[at], "--", 2) == 0; at++) {
        if (strcmp(argv[at], "--list") == 0) {
            list();
            return 0;
        } else if (strcmp(argv[at], "--frames") == 0 && at + 2 < argc) {
            const struct scene *scene = scene_named(argv[at + 2]);
            scene_frames.seconds = strtod(argv[at + 1], NULL);
            return scene && open_device(&vt, false) ? measure_scene(&vt, scene) : 1;
        } else if (strcmp(argv[at], "--validate") == 0) {
            validate = true;
        } else if (strcmp(argv[at], "--code") == 0) {
            vt.code_prefix = "";
        } else if (strcmp(argv[at], "--suffix") == 0 && at + 1 < argc) {
            suffix = argv[++at];
        } else {
            break;
        }
    }
    if (at >= argc || strncmp(argv[at], "--", 2) == 0) {
        fprintf(stderr, "usage: scenes --list | scenes --frames SECONDS NAME | scenes [--validate] [--code] "
                        "[--suffix TEXT] FOLDER [NAME]...\n");
        return 2;
    }
    if (!open_device(&vt, validate))
        return 1;
    if (vt.code_prefix && !vt.has[VT_PIPELINE_EXECUTABLE]) {
        fprintf(stderr, "scenes: the device does not give its code\n");
        return 77;
    }
    const char *folder = argv[at++];
    unsigned drawn = 0, failed = 0;
    for (size_t t = 0; t < COUNT_OF(tables); t++) {
        for (const struct scene *scene = tables[t]; scene->name; scene++) {
            if (!wanted(scene->name, argv + at, argc - at))
                continue;
            drawn++;
            failed += !run_scene(&vt, scene, folder, suffix);
        }
    }
    return failed != 0 || drawn == 0;
}
