/* See drm_given.h. */
#include "model/drm/drm_given.h"

#include <dirent.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/drm/drm_fence.h"
#include "model/engine_threads.h"
#include "util/bits.h"

int64_t drm_given_part(int64_t period_ns, const struct drm_given_share *share)
{
    const int64_t passed_ns = MIN2(share->passed_ns, 2 * period_ns);
    const uint32_t at_once = MAX2(MIN2(share->runnable, share->processors), 1u);
    const int64_t used_ns = share->used_ns / at_once;
    return MIN2(passed_ns, share->runnable ? used_ns : MAX2(used_ns, passed_ns - MIN2(share->denied_ns, passed_ns)));
}

/* The host counts a wait when it is over: one that goes on is what is left of the time. */
void drm_given_add(struct drm_given_share *share, const struct drm_given_thread *before,
                   const struct drm_given_thread *now)
{
    const int64_t used_ns = now->used_ns - (before ? before->used_ns : 0);
    const int64_t denied_ns = now->denied_ns - (before ? before->denied_ns : 0);
    const int64_t left_ns = now->is_runnable ? share->passed_ns - used_ns : 0;
    share->denied_ns = MAX2(share->denied_ns, MAX2(denied_ns, left_ns));
    if (!now->is_engine)
        return;
    share->used_ns += used_ns;
    share->runnable += now->is_runnable;
}

/* The first line of a thread's file; false: there is none, or the thread is gone. */
static bool read_line(int32_t id, const char *name, char *line, int size)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/self/task/%" PRId32 "/%s", id, name);
    FILE *file = fopen(path, "re");
    const bool is_read = file && fgets(line, size, file);
    if (file)
        fclose(file);
    return is_read;
}

/* A host that does not count knows of no thread that runs or waits. */
static struct drm_given_thread read_thread(int32_t id)
{
    struct drm_given_thread thread = {.id = id, .is_engine = engine_thread_is(id)};
    char line[256];
    if (!read_line(id, "schedstat", line, sizeof(line)) ||
        sscanf(line, "%" SCNd64 " %" SCNd64, &thread.used_ns, &thread.denied_ns) != 2)
        return thread;
    /* NUMBER (NAME) STATE ..., and a name may have brackets of its own. */
    const char *state = read_line(id, "stat", line, sizeof(line)) ? strrchr(line, ')') : NULL;
    thread.is_runnable = state && strncmp(state, ") R", 3) == 0 && id != (int32_t)gettid(); /* who asks does run */
    return thread;
}

static uint32_t list_threads(struct drm_given_thread *threads_out)
{
    uint32_t count = 0;
    DIR *folder = opendir("/proc/self/task");
    if (!folder)
        return 0;
    for (const struct dirent *entry; count < DRM_GIVEN_THREADS && (entry = readdir(folder));) {
        const int32_t id = (int32_t)strtol(entry->d_name, NULL, 10);
        if (id > 0)
            threads_out[count++] = read_thread(id);
    }
    closedir(folder);
    return count;
}

static const struct drm_given_thread *find_thread(const struct drm_given *given, int32_t id)
{
    for (uint32_t i = 0; i < given->thread_count; i++) {
        if (given->threads[i].id == id)
            return &given->threads[i];
    }
    return NULL;
}

static uint32_t count_processors(void)
{
    cpu_set_t set;
    const int count = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
    return (uint32_t)MAX2(count, 1);
}

void drm_given_tick(struct drm_given *given, int64_t period_ns, bool stands_still)
{
    struct drm_given_thread threads[DRM_GIVEN_THREADS];
    const int64_t now_ns = drm_now_ns();
    const uint32_t count = stands_still ? list_threads(threads) : 0;
    struct drm_given_share share = {.passed_ns = given->last_ns ? now_ns - given->last_ns : 0,
                                    .processors = count_processors()};
    for (uint32_t i = 0; i < count && given->thread_count; i++)
        drm_given_add(&share, find_thread(given, threads[i].id), &threads[i]);
    if (!count || given->thread_count) /* else there is nothing to compare with yet */
        given->now_ns += drm_given_part(period_ns, &share);
    given->last_ns = now_ns;
    given->thread_count = count;
    memcpy(given->threads, threads, count * sizeof(threads[0]));
}
