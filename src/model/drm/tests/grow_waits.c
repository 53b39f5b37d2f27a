/* A program whose cost is to grow with a number, for growth_of_waits.py.
 *
 *     grow_waits KIND NUMBER
 *
 *     signals  one wait for so many objects, which are signaled one by one
 *     points   so many points of one timeline; a fence for each, asked for in another order; then they are reached
 *     uses     so many pending submissions of one queue that use a buffer */
#include <drm.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/drm/drm_fence.h"
#include "model/drm/drm_syncobj.h"

static struct drm_syncobj_table table;

static void require_success(bool is_good)
{
    if (!is_good)
        abort();
}

static void *wait_for_all(void *argument)
{
    require_success(!drm_syncobj_timeline_wait_ioctl(&table, argument));
    return NULL;
}

static void grow_signals(unsigned count)
{
    uint32_t *handles = calloc(count, sizeof(*handles));
    uint64_t *points = calloc(count, sizeof(*points));
    require_success(handles && points);
    for (unsigned i = 0; i < count; i++) {
        struct drm_syncobj_create create = {0};
        require_success(!drm_syncobj_create_ioctl(&table, &create));
        handles[i] = create.handle;
        points[i] = 1;
    }
    struct drm_syncobj_timeline_wait wait = {.handles = (uintptr_t)handles,
                                             .points = (uintptr_t)points,
                                             .count_handles = count,
                                             .timeout_nsec = INT64_MAX,
                                             .flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL |
                                                      DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT};
    pthread_t thread;
    require_success(!pthread_create(&thread, NULL, wait_for_all, &wait));
    for (unsigned i = 0; i < count; i++) {
        struct drm_syncobj_timeline_array signal = {
            .handles = (uintptr_t)&handles[i], .points = (uintptr_t)&points[i], .count_handles = 1};
        usleep(100); /* the other looks at each */
        require_success(!drm_syncobj_timeline_signal_ioctl(&table, &signal));
    }
    require_success(!pthread_join(thread, NULL));
    free(handles);
    free(points);
}

static void grow_points(unsigned count)
{
    struct drm_syncobj *object = drm_syncobj_create(false);
    struct drm_fence **fences = calloc(count, sizeof(struct drm_fence *));
    struct drm_fence **reached = calloc(count, sizeof(struct drm_fence *));
    require_success(object && fences && reached);
    for (unsigned i = 0; i < count; i++) {
        fences[i] = drm_fence_create();
        require_success(fences[i] && !drm_syncobj_add_point(object, fences[i], i + 1));
    }
    for (unsigned i = 0; i < count; i++)
        require_success(!drm_syncobj_find_fence(object, i * 7919ull % count + 1, &reached[i]));
    for (unsigned i = 0; i < count; i++)
        drm_fence_signal(fences[i], 0);
    for (unsigned i = 0; i < count; i++) {
        require_success(drm_fence_is_signaled(reached[i]));
        drm_fence_unref(reached[i]);
        drm_fence_unref(fences[i]);
    }
    drm_syncobj_unref(object);
    free(fences);
    free(reached);
}

static void grow_uses(unsigned count)
{
    struct drm_fence_uses uses = {0};
    for (unsigned i = 0; i < count; i++) {
        struct drm_fence *fence = drm_fence_create();
        require_success(fence && drm_fence_uses_reserve(&uses, 1));
        fence->order = &uses;
        drm_fence_uses_add(&uses, fence, i % 3 == 0);
        drm_fence_unref(fence);
    }
    require_success(uses.count <= 2);
    drm_fence_uses_finish(&uses);
}

int main(int argc, char **argv)
{
    const unsigned count = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
    drm_syncobj_table_init(&table);
    if (count && !strcmp(argv[1], "signals"))
        grow_signals(count);
    else if (count && !strcmp(argv[1], "points"))
        grow_points(count);
    else if (count && !strcmp(argv[1], "uses"))
        grow_uses(count);
    else
        return fprintf(stderr, "usage: grow_waits signals|points|uses NUMBER\n"), 2;
    drm_syncobj_table_finish(&table);
    return 0;
}
