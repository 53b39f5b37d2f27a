/* Implicit synchronisation: a submission waits for what others do with the buffers that it names, and the others wait
 * for it. Work of the same owner (drm_fence.owner) is ordered by its own fences and is not waited for: the owner is the
 * address space, or the queue where the family says so. A writer waits for all work of others, a reader for their
 * writes; a use with DRM_USE_NO_WAIT waits for nothing. Where several jobs are submitted together, the fence of the
 * last one stands for their writes. */
#include <errno.h>
#include <stdlib.h>

#include "model/drm/drm_job.h"
#include "model/drm/drm_resv.h"

struct place {
    struct drm_resv *resv; /* a reference */
    unsigned flags;        /* enum drm_use_flags of all uses of it */
};

struct implicit {
    ARRAY(struct place) places;      /* of shared buffers: in order, each once */
    ARRAY(struct drm_fence *) waits; /* references */
};

static void finish_fences(struct implicit *implicit)
{
    array_foreach (&implicit->places, place)
        drm_resv_unref(place->resv);
    array_finish(&implicit->places);
    array_foreach (&implicit->waits, fence)
        drm_fence_unref(*fence);
    array_finish(&implicit->waits);
}

/* Takes the reference; NULL: there was no memory for it. */
static int add_wait(struct implicit *implicit, struct drm_fence *fence)
{
    if (!fence)
        return -ENOMEM;
    if (!drm_fence_is_signaled(fence) && array_push(&implicit->waits, fence))
        return 0;
    int error = drm_fence_is_signaled(fence) ? 0 : -ENOMEM;
    drm_fence_unref(fence);
    return error;
}

/* Work of others in this process: of files that have the buffer by name (flink), or of other queues. The device's lock
 * is held. */
static int wait_in_process(struct implicit *implicit, const struct drm_use *use, const void *owner)
{
    int error = 0;
    array_foreach (&use->gem->fences, other) {
        bool conflicts = other->is_write || use->flags & DRM_USE_WRITE;
        if (!error && conflicts && other->fence->owner != owner)
            error = add_wait(implicit, drm_fence_ref(other->fence));
    }
    return error;
}

static int find_places(struct implicit *implicit, const struct drm_job *job, const struct drm_use_list *list)
{
    struct drm_device *device = job->context->device;
    const void *owner = job->fence->owner;
    int error = 0;
    pthread_mutex_lock(&device->lock);
    bool by_queue = owner != job->vm;
    bool shares = by_queue || device->shared_gems.count || device->flink_names.slots.count;
    for (uint32_t i = 0; shares && i < list->uses.count && !error; i++) {
        const struct drm_use *use = &list->uses.data[i];
        struct drm_gem *gem = use->gem;
        if (gem->resv && array_push(&implicit->places, (struct place){gem->resv, use->flags}))
            drm_resv_ref(gem->resv);
        else if (gem->resv)
            error = -ENOMEM;
        else if ((by_queue || gem->flink_name) && !(use->flags & DRM_USE_NO_WAIT))
            error = wait_in_process(implicit, use, owner);
    }
    pthread_mutex_unlock(&device->lock);
    return error;
}

static int compare_places(const void *a, const void *b)
{
    return drm_resv_compare(((const struct place *)a)->resv, ((const struct place *)b)->resv);
}

/* A list may name a buffer twice. */
static void sort_places(struct implicit *implicit)
{
    if (implicit->places.count < 2)
        return;
    struct place *places = implicit->places.data;
    qsort(places, implicit->places.count, sizeof(*places), compare_places);
    uint32_t kept = 1;
    for (uint32_t i = 1; i < implicit->places.count; i++) {
        if (places[i].resv == places[kept - 1].resv) {
            unsigned a = places[kept - 1].flags, b = places[i].flags;
            places[kept - 1].flags = ((a | b) & ~(unsigned)DRM_USE_NO_WAIT) | (a & b & DRM_USE_NO_WAIT);
            drm_resv_unref(places[i].resv);
        } else {
            places[kept++] = places[i];
        }
    }
    implicit->places.count = kept;
}

/* The places are locked. Everything is looked at before anything is added, or two submissions could wait for each
 * other. */
static int exchange_fences(struct implicit *implicit, struct drm_job *const *jobs, uint32_t count)
{
    int error = 0;
    array_foreach (&implicit->places, place) {
        enum drm_resv_usage up_to = place->flags & DRM_USE_WRITE ? DRM_RESV_READ : DRM_RESV_WRITE;
        if (!(place->flags & DRM_USE_NO_WAIT) && !error)
            error = add_wait(implicit, drm_resv_fence(place->resv, up_to, jobs[0]->fence->owner));
    }
    for (uint32_t i = 0; i < count && !error; i++) {
        array_foreach (&implicit->waits, fence)
            error = error ? error : drm_job_depend(jobs[i], *fence);
    }
    array_foreach (&implicit->places, place) {
        for (uint32_t i = 0; i < count && !error; i++) {
            bool is_write = place->flags & DRM_USE_WRITE && i + 1 == count;
            error = drm_resv_add(place->resv, jobs[i]->fence, is_write ? DRM_RESV_WRITE : DRM_RESV_READ);
        }
    }
    return error;
}

int drm_implicit_sync(struct drm_job *const *jobs, uint32_t count, const struct drm_use_list *list)
{
    struct implicit implicit = {0};
    int error = find_places(&implicit, jobs[0], list);
    if (!error && (implicit.places.count || implicit.waits.count)) {
        sort_places(&implicit);
        array_foreach (&implicit.places, place)
            drm_resv_lock(place->resv);
        error = exchange_fences(&implicit, jobs, count);
        array_foreach (&implicit.places, place)
            drm_resv_unlock(place->resv);
    }
    finish_fences(&implicit);
    return error;
}
