/* Work that would take hours although it makes progress: counts that nobody meant. It ends by the limit of a job or by
 * a fault, the device is lost and a report says why; memory stays as it was; and a process that ends does not wait for
 * it.
 *
 *     wild_work LIBRARY [NAME]      all cases, or those with this in their names */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "world.h"

#define ALL UINT32_MAX
#define LIMIT_S "1"  /* of a job */
#define LONGEST_S 60 /* on a machine that has much else to do: without a limit each case takes hours */
#define MOST_KB (768 << 10)

#if defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED true
#elif defined(__has_feature)
#define IS_SANITIZED __has_feature(address_sanitizer)
#else
#define IS_SANITIZED false
#endif

static unsigned cases, failures;
static struct world world;

/* ---- cases: the buffer has what `words` says, and begins with it again and again ---- */

struct wild {
    const char *name;
    uint32_t words[5];
    bool is_dispatch;
    void (*record)(const struct world *w);
};

static void record_vertices(const struct world *w)
{
    vk.CmdDraw(w->commands, ALL, 1, 0, 0);
}

static void record_instances(const struct world *w)
{
    vk.CmdDraw(w->commands, 3, ALL, 0, 0);
}

static void record_indices(const struct world *w)
{
    vk.CmdBindIndexBuffer(w->commands, w->buffer, 0, VK_INDEX_TYPE_UINT16);
    vk.CmdDrawIndexed(w->commands, ALL, ALL, 0, 0, 0);
}

static void record_indirect(const struct world *w)
{
    vk.CmdDrawIndirect(w->commands, w->buffer, 0, 1, 16);
}

static void record_draws(const struct world *w)
{
    vk.CmdDrawIndirect(w->commands, w->buffer, 0, w->has_many_indirect ? ALL : 1, 0);
}

static void record_draws_of_indices(const struct world *w)
{
    vk.CmdBindIndexBuffer(w->commands, w->buffer, 0, VK_INDEX_TYPE_UINT32);
    vk.CmdDrawIndexedIndirect(w->commands, w->buffer, 0, w->has_many_indirect ? ALL : 1, 0);
}

static void record_count(const struct world *w)
{
    vk.CmdDrawIndirectCount(w->commands, w->buffer, 0, w->buffer, 16, ALL, 0);
}

static void record_count_off_the_end(const struct world *w)
{
    vk.CmdDrawIndirectCount(w->commands, w->buffer, 0, w->buffer, 16, ALL, 20);
}

static void record_groups(const struct world *w)
{
    vk.CmdDispatch(w->commands, 65535, 65535, 65535);
}

static void record_wild_groups(const struct world *w)
{
    vk.CmdDispatchIndirect(w->commands, w->buffer, 0);
}

static const struct wild wilds[] = {
    {"2^32-1 vertices", {0}, false, record_vertices},
    {"2^32-1 instances", {0}, false, record_instances},
    {"2^32-1 indices of as many instances", {0}, false, record_indices},
    {"an indirect draw of wild counts", {ALL, ALL, 0, 0, 1}, false, record_indirect},
    {"2^32-1 indirect draws", {3, 1, 0, 0, 1}, false, record_draws},
    {"2^32-1 indirect draws of nothing", {0, 0, 0, 0, 0}, false, record_draws},
    {"2^32-1 indirect draws of indices", {3, 1, 0, 0, 0}, false, record_draws_of_indices},
    {"a count of 2^32-1", {3, 1, 0, 0, ALL}, false, record_count},
    {"a count of 2^32-1 that leads out of the buffer", {ALL, ALL, ALL, ALL, ALL}, false, record_count_off_the_end},
    {"65,535 workgroups in each direction", {0}, true, record_groups},
    {"2^31 workgroups", {1u << 31, 1, 1, 0, 0}, true, record_wild_groups},
    {"2^96 workgroups", {ALL, ALL, ALL, 0, 0}, true, record_wild_groups},
};

static bool is_offered(const struct wild *wild)
{
    const bool is_count = wild->record == record_count || wild->record == record_count_off_the_end;
    return !is_count || world.has_indirect_count;
}

/* Once the words, and zeros after them. */
static void fill_buffer(const struct wild *wild)
{
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT};
    vk.CmdUpdateBuffer(world.commands, world.buffer, 0, sizeof(wild->words), wild->words);
    vk.CmdPipelineBarrier(world.commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1,
                          &barrier, 0, NULL, 0, NULL);
}

static void record_work(const struct wild *wild, VkPipeline pipeline)
{
    const VkDeviceSize offset = 0;
    fill_buffer(wild);
    if (!wild->is_dispatch) {
        world_begin_rendering(&world);
        vk.CmdBindVertexBuffers(world.commands, 0, 1, &world.buffer, &offset);
    }
    world_bind(&world, wild->is_dispatch ? VK_PIPELINE_BIND_POINT_COMPUTE : VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    wild->record(&world);
    if (!wild->is_dispatch)
        vk.CmdEndRendering(world.commands);
}

static VkResult create_pipeline(const struct wild *wild, VkPipeline *out)
{
    return wild->is_dispatch ? world_create_dispatch(&world, VK_NULL_HANDLE, out)
                             : world_create_draw(&world, VK_NULL_HANDLE, false, false, out);
}

/* In a process of its own: its memory is what the work took. 1: the device was lost; 0: the work was done. */
static int run_work(const struct wild *wild, bool waits)
{
    VkPipeline pipeline;
    if (world_create(&world) != VK_SUCCESS)
        return 3;
    if (!is_offered(wild))
        return 2;
    if (create_pipeline(wild, &pipeline) != VK_SUCCESS || world_begin(&world) != VK_SUCCESS)
        return 3;
    record_work(wild, pipeline);
    if (!waits)
        return world_submit(&world) == VK_SUCCESS ? 1 : 3;
    const VkResult result = world_run(&world);
    vk.DestroyPipeline(world.device, pipeline, NULL);
    world_destroy(&world);
    return result == VK_SUCCESS ? 0 : result == VK_ERROR_DEVICE_LOST ? 1 : 3;
}

/* ---- processes ---- */

struct outcome {
    int status;
    double seconds;
    long memory_kB;
    char report[8192]; /* the beginning of what it wrote to standard error */
};

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool run_process(const struct wild *wild, bool waits, struct outcome *out)
{
    struct rusage usage;
    FILE *errors = tmpfile();
    const double begin_s = now_s();
    fflush(stdout);
    const pid_t child = errors ? fork() : -1;
    if (child == 0) {
        dup2(fileno(errors), STDERR_FILENO);
        alarm(LONGEST_S);
        exit(run_work(wild, waits)); /* as a program that returns from main: libraries have their say */
    }
    const bool is_good = child > 0 && wait4(child, &out->status, 0, &usage) == child;
    out->seconds = now_s() - begin_s;
    if (is_good) {
        out->memory_kB = usage.ru_maxrss;
        rewind(errors);
        out->report[fread(out->report, 1, sizeof(out->report) - 1, errors)] = '\0';
    }
    if (errors)
        fclose(errors);
    return is_good;
}

/* ---- answers ---- */

static void tell_result(const char *name, bool is_good, const struct outcome *outcome)
{
    failures += !is_good;
    printf("%s %u - %s\n", is_good ? "ok" : "not ok", ++cases, name);
    printf("# %.1f s, at most %ld MiB, %s %d\n", outcome->seconds, outcome->memory_kB >> 10,
           WIFSIGNALED(outcome->status) ? "signal" : "exit code",
           WIFSIGNALED(outcome->status) ? WTERMSIG(outcome->status) : WEXITSTATUS(outcome->status));
    for (const char *line = outcome->report; !is_good && *line; line += strcspn(line, "\n"), line += *line == '\n')
        printf("# %.*s\n", (int)strcspn(line, "\n"), line);
}

static bool has_reason(const struct outcome *outcome)
{
    return strstr(outcome->report, "TUFF_JOB_LIMIT_S") || strstr(outcome->report, "fault") ||
           strstr(outcome->report, "mapped");
}

/* Sanitizers have memory of their own. */
static bool is_bounded(const struct outcome *outcome)
{
    return IS_SANITIZED || outcome->memory_kB < MOST_KB;
}

static void check_wild(const struct wild *wild)
{
    struct outcome outcome = {0};
    if (!run_process(wild, true, &outcome))
        outcome.status = 3 << 8;
    const bool is_exit = WIFEXITED(outcome.status);
    const int code = is_exit ? WEXITSTATUS(outcome.status) : -1;
    if (code == 2) {
        printf("ok %u - %s # SKIP not offered\n", ++cases, wild->name);
        return;
    }
    tell_result(wild->name, is_bounded(&outcome) && (code == 0 || (code == 1 && has_reason(&outcome))), &outcome);
}

static void check_end_of_process(const struct wild *wild)
{
    struct outcome outcome = {0};
    char name[128];
    setenv("TUFF_JOB_LIMIT_S", "0", 1); /* for ever */
    const bool is_good = run_process(wild, false, &outcome);
    snprintf(name, sizeof(name), "a process ends with %s on their way", wild->name);
    tell_result(name, is_good && WIFEXITED(outcome.status) && WEXITSTATUS(outcome.status) == 1, &outcome);
}

int main(int argc, char **argv)
{
    if (argc < 2 || !world_load(argv[1])) {
        fprintf(stderr, "usage: wild_work LIBRARY [NAME]\n");
        return 2;
    }
    setenv("TUFF_JOB_LIMIT_S", LIMIT_S, 1);
    const unsigned count = sizeof(wilds) / sizeof(wilds[0]);
    for (unsigned i = 0; i < count; i++) {
        if (argc < 3 || strstr(wilds[i].name, argv[2]))
            check_wild(&wilds[i]);
    }
    if (argc > 2) {
        printf("1..%u\n", cases);
        return failures != 0;
    }
    check_end_of_process(&wilds[0]);
    check_end_of_process(&wilds[count - 1]);
    printf("1..%u\n", cases);
    return failures != 0;
}
