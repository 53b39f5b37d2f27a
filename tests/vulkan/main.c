/* The runner: runs the cases on the first Vulkan device and prints TAP. Cases run in a child process; where one crashes
 * or hangs, it has failed and the next child goes on after it.
 *
 *     vulkan_cases [--list] [--validate] [--here] [--libraries] [PATTERN]...       a pattern is a part of a name
 *
 * With --libraries pipelines are linked of four libraries each, where a case does not say how they are made. With
 * --here they run in this process, which ends as programs do: what is written at the end of one (docs/stat.md) is. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vt/vt_graphics.h"

#define CASE_SECONDS 120

struct entry {
    const struct vt_case *test;
    char name[128];
};

static struct entry entries[4096];
static size_t entry_count;
static bool validate, libraries;

/* ---- cases ---- */

static void add_cases(const char *group, const struct vt_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct entry *entry = &entries[entry_count++];
        entry->test = &cases[i];
        snprintf(entry->name, sizeof(entry->name), "%s.%s", group, cases[i].name);
        for (const struct entry *other = entries; other < entry; other++) {
            if (strcmp(other->name, entry->name) == 0) { /* a reader of the report would take two for one */
                fprintf(stderr, "two cases are called %s\n", entry->name);
                exit(2);
            }
        }
    }
}

#define TAINTED 3 /* a child's exit code: go on after its last case */

enum outcome {
    PASSED = 'p',
    FAILED = 'f',
    SKIPPED = 's',
};

static enum outcome run_case(struct vt *vt, const struct vt_case *test)
{
    vt->message[0] = '\0';
    vt->skipped = false;
    volatile bool finished = false;
    if (setjmp(vt->end) == 0) {
        test->run(vt, test->argument);
        finished = true;
    }
    vt_free_resources(vt);
    vkResetCommandPool(vt->device, vt->commands, VK_COMMAND_POOL_RESET_RELEASE_RESOURCES_BIT);
    if (vt->skipped)
        return SKIPPED;
    return finished && !vt->message[0] ? PASSED : FAILED;
}

/* The child: runs entries from `first` on and writes a line each: the outcome and the message. */
static void child(size_t first, int out)
{
    static struct vt vt;
    if (setjmp(vt.end) != 0) {
        dprintf(out, "%c%s\n", FAILED, vt.message);
        _exit(1);
    }
    vt_open(&vt, validate ? VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT : 0);
    vt.way = libraries ? &vt_library_ways[0] : NULL;
    for (size_t i = first; i < entry_count; i++) {
        enum outcome outcome = run_case(&vt, entries[i].test);
        for (char *at = vt.message; *at; at++)
            *at = *at == '\n' ? ' ' : *at;
        dprintf(out, "%c%s\n", outcome, vt.message);
        if (outcome == FAILED)
            _exit(TAINTED); /* what failed may have harmed the device: the next case gets another one */
    }
    _exit(0);
}

/* One line of the child, or NULL when it is gone or has been silent for too long. */
static char *read_line(int in, char *line, size_t size)
{
    size_t used = 0;
    while (used + 1 < size) {
        struct pollfd poll_in = {.fd = in, .events = POLLIN};
        if (poll(&poll_in, 1, CASE_SECONDS * 1000) <= 0 || read(in, line + used, 1) != 1)
            return NULL;
        if (line[used] == '\n')
            break;
        used++;
    }
    line[used] = '\0';
    return line;
}

static unsigned report_case(size_t number, const char *outcome)
{
    const char *name = entries[number].name;
    if (outcome[0] == PASSED)
        printf("ok %zu - %s\n", number + 1, name);
    else if (outcome[0] == SKIPPED)
        printf("ok %zu - %s # SKIP %s\n", number + 1, name, outcome + 1);
    else
        printf("not ok %zu - %s\n# %s\n# repeat: vulkan_cases %s\n", number + 1, name, outcome + 1, name);
    fflush(stdout);
    return outcome[0] == FAILED;
}

static unsigned run_all(void)
{
    unsigned failures = 0;
    size_t next = 0;
    while (next < entry_count) {
        int fds[2];
        if (pipe(fds) != 0)
            return failures + 1;
        pid_t pid = fork();
        if (pid == 0) {
            close(fds[0]);
            child(next, fds[1]);
        }
        close(fds[1]);
        char line[1200];
        while (next < entry_count && read_line(fds[0], line, sizeof(line)))
            failures += report_case(next++, line);
        kill(pid, SIGKILL);
        int status;
        waitpid(pid, &status, 0);
        close(fds[0]);
        if (next < entry_count && !(WIFEXITED(status) && (WEXITSTATUS(status) == 1 || WEXITSTATUS(status) == TAINTED))) {
            snprintf(line, sizeof(line), "%cthe process ended by signal %d in this case, or was silent for %d seconds", FAILED,
                     WIFSIGNALED(status) ? WTERMSIG(status) : 0, CASE_SECONDS);
            failures += report_case(next++, line);
        }
    }
    return failures;
}

static unsigned run_here(void)
{
    static struct vt vt;
    static unsigned failures;
    static size_t next;
    if (setjmp(vt.end) != 0) {
        printf("Bail out! %s\n", vt.message);
        return 1;
    }
    vt_open(&vt, validate ? VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT : 0);
    vt.way = libraries ? &vt_library_ways[0] : NULL;
    for (; next < entry_count; next++) {
        char line[sizeof(vt.message) + 2];
        const enum outcome outcome = run_case(&vt, entries[next].test);
        snprintf(line, sizeof(line), "%c%s", outcome, vt.message);
        failures += report_case(next, line);
    }
    return failures;
}

int main(int argc, char **argv)
{
    bool list = false, here = false;
    int patterns = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--list") == 0)
            list = true;
        else if (strcmp(argv[i], "--validate") == 0)
            validate = true;
        else if (strcmp(argv[i], "--here") == 0)
            here = true;
        else if (strcmp(argv[i], "--libraries") == 0)
            libraries = true;
        else
            argv[1 + patterns++] = argv[i];
    }
    add_cases("compute", vt_compute_cases, vt_compute_count);
    add_cases("subgroup", vt_subgroup_cases, vt_subgroup_count);
    add_cases("texture", vt_texture_cases, vt_texture_count);
    add_cases("transfer", vt_transfer_cases, vt_transfer_count);
    add_cases("large_copy", vt_large_copy_cases, vt_large_copy_count);
    add_cases("descriptor", vt_descriptor_cases, vt_descriptor_count);
    add_cases("image", vt_image_cases, vt_image_count);
    add_cases("sampling", vt_sampling_cases, vt_sampling_count);
    add_cases("storage", vt_storage_cases, vt_storage_count);
    add_cases("draw", vt_draw_cases, vt_draw_count);
    add_cases("render", vt_render_cases, vt_render_count);
    add_cases("raster", vt_raster_cases, vt_raster_count);
    add_cases("depth", vt_depth_cases, vt_depth_count);
    add_cases("hidden", vt_hidden_cases, vt_hidden_count);
    add_cases("area", vt_area_cases, vt_area_count);
    add_cases("subpass", vt_subpass_cases, vt_subpass_count);
    add_cases("subpass", vt_subpass_self_cases, vt_subpass_self_count);
    add_cases("geometry", vt_geometry_cases, vt_geometry_count);
    add_cases("mesh", vt_mesh_cases, vt_mesh_count);
    add_cases("bound", vt_bound_cases, vt_bound_count);
    add_cases("task", vt_task_cases, vt_task_count);
    add_cases("perf", vt_perf_cases, vt_perf_count);
    add_cases("ray_query", vt_ray_query_cases, vt_ray_query_count);
    add_cases("mesh_view", vt_mesh_view_cases, vt_mesh_view_count);
    add_cases("mesh_query", vt_mesh_query_cases, vt_mesh_query_count);
    add_cases("sparse", vt_sparse_cases, vt_sparse_count);
    add_cases("sparse", vt_sparse_image_cases, vt_sparse_image_count);
    add_cases("sparse", vt_sparse_residency_cases, vt_sparse_residency_count);
    add_cases("rays", vt_rays_cases, vt_rays_count);
    add_cases("rays_build", vt_rays_build_cases, vt_rays_build_count);
    add_cases("ray_pipeline", vt_ray_pipeline_cases, vt_ray_pipeline_count);
    add_cases("ray_call", vt_ray_call_cases, vt_ray_call_count);
    add_cases("ray_table", vt_ray_table_cases, vt_ray_table_count);
    add_cases("position", vt_position_cases, vt_position_count);
    add_cases("rays_change", vt_rays_change_cases, vt_rays_change_count);
    add_cases("tessellation", vt_tessellation_cases, vt_tessellation_count);
    add_cases("tessellation", vt_tessellation_stage_cases, vt_tessellation_stage_count);
    add_cases("queue", vt_queue_copy_cases, vt_queue_copy_count);
    add_cases("queue", vt_queue_cases, vt_queue_count);
    add_cases("blend", vt_blend_cases, vt_blend_count);
    add_cases("msaa", vt_msaa_cases, vt_msaa_count);
    add_cases("dynamic", vt_dynamic_cases, vt_dynamic_count);
    add_cases("meta", vt_meta_cases, vt_meta_count);
    add_cases("blit_layers", vt_blit_layers_cases, vt_blit_layers_count);
    add_cases("metadata", vt_metadata_cases, vt_metadata_count);
    add_cases("ycbcr", vt_ycbcr_cases, vt_ycbcr_count);
    add_cases("query", vt_query_cases, vt_query_count);
    add_cases("streams", vt_streams_cases, vt_streams_count);
    add_cases("xfb", vt_xfb_cases, vt_xfb_count);
    add_cases("extension", vt_extension_cases, vt_extension_count);
    add_cases("extension", vt_extension_compute_cases, vt_extension_compute_count);
    add_cases("sync", vt_sync_cases, vt_sync_count);
    add_cases("state", vt_state_cases, vt_state_count);
    add_cases("branch", vt_branch_cases, vt_branch_count);
    add_cases("look", vt_look_cases, vt_look_count);
    add_cases("shader", vt_shader_cases, vt_shader_count);
    add_cases("pressure", vt_pressure_cases, vt_pressure_count);
    add_cases("host", vt_host_cases, vt_host_count);
    add_cases("newer", vt_newer_cases, vt_newer_count);
    add_cases("contents", vt_contents_cases, vt_contents_count);
    add_cases("host_copy", vt_host_copy_cases, vt_host_copy_count);
    size_t library_count;
    const struct vt_case *library_cases = vt_library_list(&library_count);
    add_cases("library", library_cases, library_count);
    add_cases("local_read", vt_local_read_cases, vt_local_read_count);
    add_cases("shader_object", vt_shader_object_cases, vt_shader_object_count);
    add_cases("shader_object", vt_shader_object_compute, vt_shader_object_compute_count);
    add_cases("shader_object", vt_shader_object_feedback, vt_shader_object_feedback_count);
    add_cases("shader_object", vt_shader_object_scenes, vt_shader_object_scene_count);
    add_cases("barycentric", vt_barycentric_cases, vt_barycentric_count);
    add_cases("shading_rate", vt_shading_rate_cases, vt_shading_rate_count);
    add_cases("shading_rate", vt_shading_rate_cover_cases, vt_shading_rate_cover_count);
    add_cases("shading_rate", vt_shading_rate_state_cases, vt_shading_rate_state_count);
    add_cases("shader_object", vt_shader_object_stages, vt_shader_object_stage_count);
    add_cases("descriptor_buffer", vt_db_cases, vt_db_count);
    add_cases("descriptor_buffer", vt_db_data_cases, vt_db_data_count);
    add_cases("descriptor_buffer", vt_db_command_cases, vt_db_command_count);
    add_cases("descriptor_buffer", vt_db_draw_cases, vt_db_draw_count);
    add_cases("descriptor_buffer", vt_db_more_cases, vt_db_more_count);
    add_cases("share", vt_share_cases, vt_share_count);

    if (patterns) {
        size_t kept = 0;
        for (size_t i = 0; i < entry_count; i++) {
            bool wanted = false;
            for (int n = 0; n < patterns; n++)
                wanted |= strstr(entries[i].name, argv[1 + n]) != NULL;
            if (wanted)
                entries[kept++] = entries[i];
        }
        entry_count = kept;
    }
    if (list) {
        for (size_t i = 0; i < entry_count; i++)
            puts(entries[i].name);
        return 0;
    }
    unsigned failures = here ? run_here() : run_all();
    printf("1..%zu\n", entry_count);
    return failures != 0 || entry_count == 0;
}
