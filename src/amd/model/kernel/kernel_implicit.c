/* Implicit synchronisation: a submission waits for what others do with the buffers that it names, and the others wait
 * for it. amdgpu's rules: work of the same address space is ordered by its own fences and is not waited for; all other
 * work is, whether it reads or writes, for a list of buffers does not say what the submission does with them; a buffer
 * with AMDGPU_GEM_CREATE_EXPLICIT_SYNC makes nobody wait. The fences of a gang's leader count as writes. */
#include <errno.h>
#include <stdlib.h>

#include "amd/model/kernel/kernel_sched.h"

struct place {
    struct drm_resv *resv; /* a reference */
    bool waits;
};

struct implicit {
    ARRAY(struct place) places;      /* of shared buffers: in order, each once */
    ARRAY(struct drm_fence *) waits; /* references */
};

static void finish(struct implicit *implicit)
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

/* Other files of this process may have the buffer by name (flink). The device's lock is held. */
static int wait_in_process(struct implicit *implicit, struct amd_bo *bo, const struct amd_vm *vm)
{
    int error = 0;
    array_foreach (&bo->fences, fence) {
        if (!error && (*fence)->owner != vm)
            error = add_wait(implicit, drm_fence_ref(*fence));
    }
    return error;
}

static int find_places(struct implicit *implicit, struct amd_device *device, const struct amd_bo_list *bos,
                       const struct amd_vm *vm)
{
    int error = 0;
    pthread_mutex_lock(&device->lock);
    bool shares = device->shared_bos.count || device->flink_names.slots.count;
    for (uint32_t i = 0; shares && i < bos->bos.count && !error; i++) {
        struct amd_bo *bo = bos->bos.data[i];
        bool waits = !(bo->flags & AMDGPU_GEM_CREATE_EXPLICIT_SYNC);
        if (bo->resv && array_push(&implicit->places, (struct place){bo->resv, waits}))
            drm_resv_ref(bo->resv);
        else if (bo->resv)
            error = -ENOMEM;
        else if (bo->flink_name && waits)
            error = wait_in_process(implicit, bo, vm);
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
        if (places[i].resv == places[kept - 1].resv)
            drm_resv_unref(places[i].resv);
        else
            places[kept++] = places[i];
    }
    implicit->places.count = kept;
}

/* The places are locked. Everything is looked at before anything is added, or two submissions could wait for each
 * other. */
static int exchange_fences(struct implicit *implicit, struct amd_job *const *jobs, uint32_t count)
{
    int error = 0;
    array_foreach (&implicit->places, place) {
        if (place->waits && !error)
            error = add_wait(implicit, drm_resv_fence(place->resv, DRM_RESV_READ, jobs[0]->vm));
    }
    for (uint32_t i = 0; i < count && !error; i++) {
        array_foreach (&implicit->waits, fence)
            error = error ? error : amd_job_depend(jobs[i], *fence);
    }
    array_foreach (&implicit->places, place) {
        for (uint32_t i = 0; i < count && !error; i++)
            error = drm_resv_add(place->resv, jobs[i]->fence, i + 1 == count ? DRM_RESV_WRITE : DRM_RESV_READ);
    }
    return error;
}

int amd_implicit_sync(struct amd_job *const *jobs, uint32_t count, const struct amd_bo_list *bos)
{
    struct implicit implicit = {0};
    int error = find_places(&implicit, jobs[0]->ctx->device, bos, jobs[0]->vm);
    if (!error && (implicit.places.count || implicit.waits.count)) {
        sort_places(&implicit);
        array_foreach (&implicit.places, place)
            drm_resv_lock(place->resv);
        error = exchange_fences(&implicit, jobs, count);
        array_foreach (&implicit.places, place)
            drm_resv_unlock(place->resv);
    }
    finish(&implicit);
    return error;
}
