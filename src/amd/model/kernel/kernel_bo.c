/* Buffer objects: where their bytes are, who uses them, what they cost. A buffer lives in a sparse file, the heap's;
 * the file offers a fresh zeroed place to each buffer and takes the pages back when it dies. Sharing is
 * kernel_share.c's, mapping kernel_mmap.c's and kernel_vm.c's business. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "amd/model/kernel/kernel_types.h"
#include "model/drm/drm_user.h"
#include "util/bits.h"

struct amd_bo *amd_bo_ref(struct amd_bo *bo)
{
    atomic_fetch_add_explicit(&bo->refs, 1, memory_order_relaxed);
    return bo;
}

uint64_t amd_heap_max_allocation_B(const struct amd_heap *heap)
{
    return heap->total_B / 4 * 3;
}

/* Give the bytes back; amd_device.lock is held. */
static void release_storage(struct amd_bo *bo)
{
    if (bo->heap == AMD_HEAP_NONE)
        return;
    struct amd_heap *heap = &bo->device->heaps[bo->heap];
    heap->used_B -= bo->size_B;
    if (!bo->shared && bo->fd >= 0)
        fallocate(bo->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)bo->offset_B, (off_t)bo->size_B);
}

static void bo_destroy(struct amd_bo *bo)
{
    array_foreach (&bo->fences, fence)
        drm_fence_unref(*fence);
    array_finish(&bo->fences);
    array_finish(&bo->places);
    free(bo);
}

void amd_bo_unref(struct amd_bo *bo)
{
    if (!bo)
        return;
    uint32_t refs = atomic_load(&bo->refs);
    while (refs > 1) {
        if (atomic_compare_exchange_weak(&bo->refs, &refs, refs - 1))
            return;
    }
    /* An import looks for shared buffers by inode: the last reference is dropped where it cannot find a dead one. */
    struct amd_device *device = bo->device;
    pthread_mutex_lock(&device->lock);
    bool last = atomic_fetch_sub_explicit(&bo->refs, 1, memory_order_acq_rel) == 1;
    if (last) {
        amd_bo_release_mmap(bo);
        amd_bo_release_share(bo);
        release_storage(bo);
    }
    pthread_mutex_unlock(&device->lock);
    if (last)
        bo_destroy(bo);
}

static struct amd_bo *bo_new(struct amd_device *device, uint64_t size_B)
{
    struct amd_bo *bo = calloc(1, sizeof(*bo));
    if (!bo)
        return NULL;
    atomic_init(&bo->refs, 1);
    bo->device = device;
    bo->size_B = size_B;
    bo->heap = AMD_HEAP_NONE;
    bo->fd = -1;
    bo->metadata = &bo->own_metadata;
    return bo;
}

/* A place in one heap; amd_device.lock is held. */
static bool take_from_heap(struct amd_bo *bo, enum amd_heap_kind kind)
{
    struct amd_heap *heap = &bo->device->heaps[kind];
    if (bo->size_B > heap->total_B - heap->used_B)
        return false;
    uint64_t place_B = align_u64(heap->next_B, MAX2(bo->align_B, gpu_space_granularity_B()));
    if (heap->memfd < 0)
        place_B = 0; /* on-chip memory: one user at a time has it, from its start */
    heap->used_B += bo->size_B;
    heap->next_B = place_B + bo->size_B;
    bo->heap = kind;
    bo->fd = heap->memfd;
    bo->offset_B = place_B;
    return true;
}

static int take_storage(struct amd_bo *bo, uint32_t domains)
{
    if (domains & AMDGPU_GEM_DOMAIN_GDS)
        return take_from_heap(bo, AMD_HEAP_GDS) ? 0 : -ENOMEM;
    if (domains & AMDGPU_GEM_DOMAIN_GWS)
        return take_from_heap(bo, AMD_HEAP_GWS) ? 0 : -ENOMEM;
    if (domains & AMDGPU_GEM_DOMAIN_OA)
        return take_from_heap(bo, AMD_HEAP_OA) ? 0 : -ENOMEM;
    /* Like the kernel: VRAM when it is asked for and has room, otherwise system memory. */
    if (domains & AMDGPU_GEM_DOMAIN_VRAM && take_from_heap(bo, AMD_HEAP_VRAM))
        return 0;
    return take_from_heap(bo, AMD_HEAP_GTT) ? 0 : -ENOMEM;
}

int amd_bo_create(struct amd_device *device, uint64_t size_B, uint64_t align_B, uint32_t domains, uint64_t flags,
                  struct amd_bo **bo_out)
{
    const uint32_t on_chip = AMDGPU_GEM_DOMAIN_GDS | AMDGPU_GEM_DOMAIN_GWS | AMDGPU_GEM_DOMAIN_OA;
    if (size_B == 0)
        return -EINVAL;
    if (!(domains & on_chip)) {
        uint64_t page_B = gpu_space_granularity_B();
        if (size_B > UINT64_MAX - page_B)
            return -ENOMEM;
        size_B = align_u64(size_B, page_B);
    }
    struct amd_bo *bo = bo_new(device, size_B);
    if (!bo)
        return -ENOMEM;
    bo->align_B = align_B;
    bo->preferred_domains = domains;
    bo->flags = flags;
    pthread_mutex_lock(&device->lock);
    int error = take_storage(bo, domains);
    pthread_mutex_unlock(&device->lock);
    if (error) {
        bo_destroy(bo);
        return error;
    }
    *bo_out = bo;
    return 0;
}

int amd_bo_create_user(struct amd_device *device, void *memory, uint64_t size_B, uint32_t flags, struct amd_bo **bo_out)
{
    struct amd_bo *bo = bo_new(device, size_B);
    if (!bo)
        return -ENOMEM;
    bo->preferred_domains = AMDGPU_GEM_DOMAIN_GTT;
    bo->user_memory = memory;
    bo->user_flags = flags;
    bo->user_generation = drm_process_generation();
    *bo_out = bo;
    return 0;
}

struct amd_bo *amd_bo_find(struct amd_file *file, uint32_t handle)
{
    pthread_mutex_lock(&file->lock);
    struct amd_bo *bo = amd_handles_get(&file->bos, handle);
    if (bo)
        amd_bo_ref(bo);
    pthread_mutex_unlock(&file->lock);
    return bo;
}

int amd_bo_handle(struct amd_file *file, struct amd_bo *bo, uint32_t *handle_out)
{
    int error = 0;
    pthread_mutex_lock(&file->lock);
    uint64_t *known = map64_get(&file->bo_handles, (uintptr_t)bo);
    if (known) {
        *handle_out = (uint32_t)*known;
    } else {
        error = amd_handles_insert(&file->bos, bo, INT32_MAX, handle_out);
        if (!error && !map64_set(&file->bo_handles, (uintptr_t)bo, *handle_out)) {
            amd_handles_remove(&file->bos, *handle_out);
            error = -ENOMEM;
        }
        if (!error)
            amd_bo_ref(bo);
    }
    pthread_mutex_unlock(&file->lock);
    return error;
}

/* ---- who uses it ---- */

static void drop_done_fences(struct amd_bo *bo)
{
    for (uint32_t i = 0; i < bo->fences.count;) {
        if (drm_fence_is_signaled(bo->fences.data[i])) {
            drm_fence_unref(bo->fences.data[i]);
            array_remove_swap(&bo->fences, i);
        } else {
            i++;
        }
    }
}

void amd_bo_add_fence(struct amd_device *device, struct amd_bo *const *bos, uint32_t count, struct drm_fence *fence)
{
    pthread_mutex_lock(&device->lock);
    for (uint32_t i = 0; i < count; i++) {
        drop_done_fences(bos[i]);
        if (array_push(&bos[i]->fences, fence))
            drm_fence_ref(fence);
    }
    pthread_mutex_unlock(&device->lock);
}

/* A fence that is not signaled yet, as a new reference; NULL when all is done. */
static struct drm_fence *pending_fence(struct amd_bo *bo)
{
    struct drm_fence *found = bo->resv ? drm_resv_fence(bo->resv, DRM_RESV_READ, NULL) : NULL;
    if (found && !drm_fence_is_signaled(found))
        return found;
    drm_fence_unref(found);
    found = NULL;
    pthread_mutex_lock(&bo->device->lock);
    array_foreach (&bo->fences, fence) {
        if (!found && !drm_fence_is_signaled(*fence))
            found = drm_fence_ref(*fence);
    }
    for (uint32_t i = 0; !found && bo->always_valid_vm && i < bo->always_valid_vm->fences.count; i++) {
        if (!drm_fence_is_signaled(bo->always_valid_vm->fences.data[i]))
            found = drm_fence_ref(bo->always_valid_vm->fences.data[i]);
    }
    pthread_mutex_unlock(&bo->device->lock);
    return found;
}

bool amd_bo_wait_idle(struct amd_bo *bo, int64_t deadline_ns)
{
    struct drm_fence *fence;
    bool idle = true;
    while (idle && (fence = pending_fence(bo))) {
        idle = drm_fence_wait(fence, deadline_ns);
        drm_fence_unref(fence);
    }
    return idle;
}

void amd_bo_write(struct amd_bo *bo, uint64_t offset_B, const void *data, uint32_t size_B)
{
    pthread_mutex_lock(&bo->device->lock);
    ssize_t written = bo->fd >= 0 ? pwrite(bo->fd, data, size_B, (off_t)(bo->offset_B + offset_B)) : 0;
    (void)written; /* the file is memory and the place is inside it */
    pthread_mutex_unlock(&bo->device->lock);
}
