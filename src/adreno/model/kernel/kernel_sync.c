/* Waits and signals of a submission or a bind: synchronisation objects with points, and sync files. Objects are read
 * entry by entry at the stride that the program gives, which may be shorter or longer than what we know. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/model/kernel/kernel_types.h"
#include "model/drm/drm_sync_file.h"
#include "model/drm/drm_user.h"
#include "util/bits.h"

#define MAX_OBJECTS (1u << 20) /* more is no submission but a test of our memory */

void adreno_sync_finish(struct adreno_sync *sync)
{
    array_foreach (&sync->waits, fence)
        drm_fence_unref(*fence);
    array_foreach (&sync->resets, object)
        drm_syncobj_unref(*object);
    array_foreach (&sync->signals, room)
        drm_syncobj_room_finish(room);
    array_finish(&sync->waits);
    array_finish(&sync->resets);
    array_finish(&sync->signals);
    array_finish(&sync->points);
}

/* Takes the reference. */
static int add_wait(struct adreno_sync *sync, struct drm_fence *fence)
{
    if (array_push(&sync->waits, fence))
        return 0;
    drm_fence_unref(fence);
    return -ENOMEM;
}

int adreno_sync_wait_fd(struct adreno_sync *sync, int fd)
{
    struct drm_fence *fence = NULL;
    int error = drm_sync_file_import(fd, &fence);
    return error ? error : add_wait(sync, fence);
}

/* The arrays in as few copies as possible; entries that are too short have zeros at their ends. */
static int read_entries(uint64_t address, uint32_t count, uint32_t stride_B, struct drm_msm_syncobj **entries_out)
{
    *entries_out = NULL;
    if (count == 0)
        return 0;
    if (count > MAX_OBJECTS)
        return -ENOMEM;
    struct drm_msm_syncobj *entries = calloc(count, sizeof(*entries));
    struct drm_user_copy *copies = calloc(count, sizeof(*copies));
    if (!entries || !copies) {
        free(entries);
        free(copies);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < count; i++)
        copies[i] = (struct drm_user_copy){&entries[i], address + (uint64_t)i * stride_B,
                                           MIN2((size_t)stride_B, sizeof(*entries))};
    int error = stride_B == sizeof(*entries) ? drm_copy_from_user(entries, address, (size_t)count * sizeof(*entries))
                                             : drm_copy_list_from_user(copies, count);
    free(copies);
    if (error) {
        free(entries);
        return error;
    }
    *entries_out = entries;
    return 0;
}

static int wait_for(struct adreno_sync *sync, struct drm_file *file, const struct drm_msm_syncobj *entry)
{
    if (entry->flags & ~MSM_SYNCOBJ_RESET)
        return -EINVAL;
    struct drm_syncobj *object = drm_syncobj_find(&file->syncobjs, entry->handle);
    if (!object)
        return -ENOENT;
    struct drm_fence *fence = NULL;
    int error = drm_syncobj_find_fence(object, entry->point, &fence);
    if (!error)
        error = add_wait(sync, fence);
    if (!error && entry->flags & MSM_SYNCOBJ_RESET) {
        if (array_push(&sync->resets, object))
            return 0; /* the reference is the array's */
        error = -ENOMEM;
    }
    drm_syncobj_unref(object);
    return error;
}

int adreno_sync_read_in(struct adreno_sync *sync, struct drm_file *file, const struct adreno_sync_args *args)
{
    struct drm_msm_syncobj *entries;
    int error = read_entries(args->in, args->in_count, args->stride_B, &entries);
    for (uint32_t i = 0; i < args->in_count && !error; i++)
        error = wait_for(sync, file, &entries[i]);
    free(entries);
    return error;
}

static int signal_later(struct adreno_sync *sync, struct drm_file *file, const struct drm_msm_syncobj *entry)
{
    if (entry->flags)
        return -EINVAL;
    struct drm_syncobj *object = drm_syncobj_find(&file->syncobjs, entry->handle);
    if (!object)
        return -EINVAL;
    struct drm_syncobj_room room;
    int error = drm_syncobj_prepare(object, &room);
    drm_syncobj_unref(object);
    if (error)
        return error;
    if (array_reserve(&sync->points, sync->points.count + 1) && array_push(&sync->signals, room)) {
        sync->points.data[sync->points.count++] = entry->point;
        return 0;
    }
    drm_syncobj_room_finish(&room);
    return -ENOMEM;
}

int adreno_sync_read_out(struct adreno_sync *sync, struct drm_file *file, const struct adreno_sync_args *args)
{
    struct drm_msm_syncobj *entries;
    int error = read_entries(args->out, args->out_count, args->stride_B, &entries);
    for (uint32_t i = 0; i < args->out_count && !error; i++)
        error = signal_later(sync, file, &entries[i]);
    free(entries);
    return error;
}

int adreno_sync_depend(const struct adreno_sync *sync, struct drm_job *job)
{
    int error = 0;
    array_foreach (&sync->waits, fence)
        error = error ? error : drm_job_depend(job, *fence);
    return error;
}

void adreno_sync_publish(struct adreno_sync *sync, struct drm_fence *done)
{
    array_foreach (&sync->resets, object)
        drm_syncobj_replace(*object, NULL);
    for (uint32_t i = 0; i < sync->signals.count; i++)
        drm_syncobj_put(&sync->signals.data[i], done, sync->points.data[i]);
}
