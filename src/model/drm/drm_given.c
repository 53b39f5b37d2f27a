/* See drm_given.h. */
#include "model/drm/drm_given.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/drm/drm_fence.h"
#include "util/bits.h"

int64_t drm_given_part(int64_t period_ns, int64_t passed_ns, int64_t denied_ns, int64_t used_ns)
{
    passed_ns = MIN2(passed_ns, 2 * period_ns);
    return MIN2(passed_ns, MAX2(MAX2(passed_ns - denied_ns, used_ns), INT64_C(0)));
}

/* Nanoseconds that a thread has waited for a processor; 0 where the host does not count them. */
static int64_t denied_of(int32_t id)
{
    char path[64];
    int64_t ran_ns, denied_ns = 0;
    snprintf(path, sizeof(path), "/proc/self/task/%" PRId32 "/schedstat", id);
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    if (fscanf(file, "%" SCNd64 " %" SCNd64, &ran_ns, &denied_ns) != 2)
        denied_ns = 0;
    fclose(file);
    return denied_ns;
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
            threads_out[count++] = (struct drm_given_thread){id, denied_of(id)};
    }
    closedir(folder);
    return count;
}

/* The longest that one of them has waited since. */
static int64_t most_denied(const struct drm_given *given, const struct drm_given_thread *threads, uint32_t count)
{
    int64_t most_ns = 0;
    for (uint32_t i = 0; i < count; i++) {
        int64_t before_ns = 0;
        for (uint32_t n = 0; n < given->thread_count; n++)
            before_ns = given->threads[n].id == threads[i].id ? given->threads[n].denied_ns : before_ns;
        most_ns = MAX2(most_ns, threads[i].denied_ns - before_ns);
    }
    return most_ns;
}

static int64_t used_ns(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

void drm_given_tick(struct drm_given *given, int64_t period_ns, bool stands_still)
{
    struct drm_given_thread threads[DRM_GIVEN_THREADS];
    const int64_t now_ns = drm_now_ns(), passed_ns = given->last_ns ? now_ns - given->last_ns : 0;
    const uint32_t count = stands_still ? list_threads(threads) : 0;
    const int64_t used = stands_still ? used_ns() : 0;
    if (count && given->thread_count)
        given->now_ns +=
            drm_given_part(period_ns, passed_ns, most_denied(given, threads, count), used - given->last_used_ns);
    else
        given->now_ns += MIN2(passed_ns, 2 * period_ns);
    given->last_ns = now_ns;
    given->last_used_ns = used;
    given->thread_count = count;
    memcpy(given->threads, threads, count * sizeof(threads[0]));
}
