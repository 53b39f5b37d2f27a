/* amdgpu's ioctls on buffers: create, map, describe. Checks, and the order of them, are the kernel's. */
#include <drm.h>
#include <errno.h>
#include <string.h>

#include "amd/model/kernel/kernel_types.h"
#include "model/drm/drm_user.h"
#include "util/bits.h"

#define CREATE_DISCARDABLE (1ull << 12) /* newer than the header; a hint only */
#define ON_CHIP ((uint64_t)(AMDGPU_GEM_DOMAIN_GDS | AMDGPU_GEM_DOMAIN_GWS | AMDGPU_GEM_DOMAIN_OA))

/* Flags that a buffer of another process may have. */
#define FLAGS_OF_SHARED                                                                                                \
    (AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED | AMDGPU_GEM_CREATE_NO_CPU_ACCESS | AMDGPU_GEM_CREATE_CPU_GTT_USWC |        \
     AMDGPU_GEM_CREATE_VRAM_CLEARED | AMDGPU_GEM_CREATE_VRAM_CONTIGUOUS | AMDGPU_GEM_CREATE_EXPLICIT_SYNC |            \
     CREATE_DISCARDABLE)

uint64_t amd_heap_max_allocation_B(const struct drm_heap *heap)
{
    return heap->total_B / 4 * 3;
}

/* ---- creation ---- */

static struct amd_bo *bo_init(struct drm_gem *gem, uint32_t domains, uint64_t flags)
{
    struct amd_bo *bo = amd_bo(gem);
    if (!bo)
        return NULL;
    bo->preferred_domains = domains;
    bo->flags = flags;
    bo->own_blob = (struct amd_bo_blob){.domains = domains, .flags = flags};
    gem->blob = &bo->own_blob;
    return bo;
}

int amd_gem_arrived(struct drm_gem *gem, const void *data)
{
    static const struct amd_bo_blob none = {.domains = AMDGPU_GEM_DOMAIN_GTT};
    const struct amd_bo_blob *blob = data ? data : &none;
    bo_init(gem, blob->domains & AMDGPU_GEM_DOMAIN_MASK, blob->flags & FLAGS_OF_SHARED);
    return 0;
}

/* drm_device.lock is held. */
static int take_storage(struct drm_gem *gem, struct drm_heap *heaps, uint32_t domains)
{
    if (domains & AMDGPU_GEM_DOMAIN_GDS)
        return drm_gem_take(gem, &heaps[AMD_HEAP_GDS]) ? 0 : -ENOMEM;
    if (domains & AMDGPU_GEM_DOMAIN_GWS)
        return drm_gem_take(gem, &heaps[AMD_HEAP_GWS]) ? 0 : -ENOMEM;
    if (domains & AMDGPU_GEM_DOMAIN_OA)
        return drm_gem_take(gem, &heaps[AMD_HEAP_OA]) ? 0 : -ENOMEM;
    /* Like the kernel: VRAM when it is asked for and has room, otherwise system memory. */
    if (domains & AMDGPU_GEM_DOMAIN_VRAM && drm_gem_take(gem, &heaps[AMD_HEAP_VRAM]))
        return 0;
    return drm_gem_take(gem, &heaps[AMD_HEAP_GTT]) ? 0 : -ENOMEM;
}

static int create_bo(struct amd_device *device, const struct drm_amdgpu_gem_create_in *in, uint64_t flags,
                     struct amd_bo **bo_out)
{
    uint64_t size_B = in->bo_size, page_B = gpu_space_granularity_B();
    if (size_B == 0)
        return -EINVAL;
    if (!(in->domains & ON_CHIP)) {
        if (size_B > UINT64_MAX - page_B)
            return -ENOMEM;
        size_B = align_u64(size_B, page_B);
    }
    struct amd_bo *bo = bo_init(drm_gem_new(&device->drm, size_B), (uint32_t)in->domains, flags);
    if (!bo)
        return -ENOMEM;
    bo->gem.align_B = in->alignment;
    pthread_mutex_lock(&device->drm.lock);
    int error = take_storage(&bo->gem, device->heaps, (uint32_t)in->domains);
    pthread_mutex_unlock(&device->drm.lock);
    if (error)
        drm_gem_unref(&bo->gem);
    else
        *bo_out = bo;
    return error;
}

/* A handle for a new buffer, whose only reference that becomes. */
static int give_handle(struct drm_file *file, struct drm_gem *gem, uint32_t *handle_out)
{
    int error = drm_gem_handle(file, gem, handle_out);
    drm_gem_unref(gem);
    return error;
}

int amd_gem_create_ioctl(struct drm_file *file, void *data)
{
    union drm_amdgpu_gem_create *args = data;
    const uint64_t valid_flags = FLAGS_OF_SHARED | AMDGPU_GEM_CREATE_VM_ALWAYS_VALID | AMDGPU_GEM_CREATE_ENCRYPTED;
    uint64_t flags = args->in.domain_flags, domains = args->in.domains;
    if (flags & ~valid_flags || domains & ~(uint64_t)AMDGPU_GEM_DOMAIN_MASK)
        return -EINVAL;
    if (flags & AMDGPU_GEM_CREATE_ENCRYPTED)
        return -EINVAL; /* no trusted memory zone on this device */
    if (domains & ON_CHIP) {
        if (flags & AMDGPU_GEM_CREATE_VM_ALWAYS_VALID)
            return -EINVAL;
        flags |= AMDGPU_GEM_CREATE_NO_CPU_ACCESS;
    }
    if (args->in.alignment && !is_power_of_two(args->in.alignment))
        return -EINVAL;
    struct amd_bo *bo = NULL;
    int error = create_bo(amd_file(file)->device, &args->in, flags, &bo);
    if (error)
        return error;
    if (flags & AMDGPU_GEM_CREATE_VM_ALWAYS_VALID)
        drm_gem_set_exclusive(&bo->gem, amd_file(file)->vm);
    uint32_t handle = 0;
    error = give_handle(file, &bo->gem, &handle);
    if (error)
        return error;
    memset(args, 0, sizeof(*args));
    args->out.handle = handle;
    return 0;
}

int amd_gem_userptr_ioctl(struct drm_file *file, void *data)
{
    struct drm_amdgpu_gem_userptr *args = data;
    const uint32_t valid_flags = AMDGPU_GEM_USERPTR_READONLY | AMDGPU_GEM_USERPTR_ANONONLY |
                                 AMDGPU_GEM_USERPTR_VALIDATE | AMDGPU_GEM_USERPTR_REGISTER;
    uint64_t mask = gpu_space_granularity_B() - 1;
    if ((args->addr | args->size) & mask || args->flags & ~valid_flags)
        return -EINVAL;
    if (!(args->flags & (AMDGPU_GEM_USERPTR_READONLY | AMDGPU_GEM_USERPTR_REGISTER)))
        return -EACCES; /* without a notifier nothing would report that the pages go away */
    if (args->size == 0)
        return -EINVAL;
    if (args->flags & AMDGPU_GEM_USERPTR_VALIDATE) {
        int error = drm_check_user_range(args->addr, args->size);
        if (error)
            return error;
    }
    bool is_read_only = args->flags & AMDGPU_GEM_USERPTR_READONLY;
    struct drm_gem *gem = drm_gem_new_user(file->device, (void *)(uintptr_t)args->addr, args->size, is_read_only);
    if (!bo_init(gem, AMDGPU_GEM_DOMAIN_GTT, 0))
        return -ENOMEM;
    uint32_t handle = 0;
    int error = give_handle(file, gem, &handle);
    if (!error)
        args->handle = handle;
    return error;
}

int amd_gem_mmap_ioctl(struct drm_file *file, void *data)
{
    union drm_amdgpu_gem_mmap *args = data;
    struct drm_gem *gem = drm_gem_find(file, args->in.handle);
    if (!gem)
        return -ENOENT;
    uint64_t offset_B = 0;
    bool is_mappable = !gem->user_memory && !(amd_bo(gem)->flags & AMDGPU_GEM_CREATE_NO_CPU_ACCESS);
    int error = is_mappable ? drm_gem_mmap_offset(gem, &offset_B) : -EPERM;
    drm_gem_unref(gem);
    if (!error)
        args->out.addr_ptr = offset_B;
    return error;
}

int amd_gem_wait_idle_ioctl(struct drm_file *file, void *data)
{
    union drm_amdgpu_gem_wait_idle *args = data;
    struct drm_gem *gem = drm_gem_find(file, args->in.handle);
    if (!gem)
        return -ENOENT;
    bool idle = drm_gem_wait_idle(gem, amd_deadline_ns(args->in.timeout));
    drm_gem_unref(gem);
    memset(args, 0, sizeof(*args));
    args->out.status = !idle;
    return 0;
}

int amd_gem_metadata_ioctl(struct drm_file *file, void *data)
{
    struct drm_amdgpu_gem_metadata *args = data;
    struct drm_gem *gem = drm_gem_find(file, args->handle);
    if (!gem)
        return -ENOENT;
    int error = 0;
    pthread_mutex_lock(&gem->device->lock);
    struct amd_bo_blob *blob = gem->blob ? gem->blob : &amd_bo(gem)->own_blob;
    if (args->op == AMDGPU_GEM_METADATA_OP_GET_METADATA) {
        args->data.flags = blob->metadata_flags;
        args->data.tiling_info = blob->tiling_info;
        uint32_t size_B = __atomic_load_n(&blob->metadata_B, __ATOMIC_RELAXED); /* others may write it meanwhile */
        args->data.data_size_bytes = MIN2(size_B, (uint32_t)sizeof(blob->metadata));
        memcpy(args->data.data, blob->metadata, sizeof(blob->metadata));
    } else if (args->op == AMDGPU_GEM_METADATA_OP_SET_METADATA) {
        if (args->data.data_size_bytes > sizeof(args->data.data)) {
            error = -EINVAL;
        } else {
            blob->metadata_flags = args->data.flags;
            blob->tiling_info = args->data.tiling_info;
            blob->metadata_B = args->data.data_size_bytes;
            memset(blob->metadata, 0, sizeof(blob->metadata));
            memcpy(blob->metadata, args->data.data, args->data.data_size_bytes);
        }
    } /* the kernel treats any other operation as none */
    pthread_mutex_unlock(&gem->device->lock);
    drm_gem_unref(gem);
    return error;
}

static int set_placement(struct amd_bo *bo, uint64_t domains)
{
    struct drm_gem *gem = &bo->gem;
    if (gem->user_memory)
        return -EPERM;
    if (!gem->heap && domains & AMDGPU_GEM_DOMAIN_VRAM)
        return -EINVAL; /* an imported buffer stays where it was made */
    pthread_mutex_lock(&gem->device->lock);
    bo->preferred_domains = domains & (AMDGPU_GEM_DOMAIN_VRAM | AMDGPU_GEM_DOMAIN_GTT | AMDGPU_GEM_DOMAIN_CPU);
    pthread_mutex_unlock(&gem->device->lock);
    return 0;
}

int amd_gem_op_ioctl(struct drm_file *file, void *data)
{
    const struct drm_amdgpu_gem_op *args = data;
    struct drm_gem *gem = drm_gem_find(file, args->handle);
    if (!gem)
        return -ENOENT;
    int error = -EINVAL;
    if (args->op == AMDGPU_GEM_OP_GET_GEM_CREATE_INFO) {
        struct drm_amdgpu_gem_create_in info = {.bo_size = gem->size_B,
                                                .alignment = align_u64(gem->align_B, gpu_space_granularity_B()),
                                                .domains = amd_bo(gem)->preferred_domains,
                                                .domain_flags = amd_bo(gem)->flags};
        error = drm_copy_to_user(args->value, &info, sizeof(info));
    } else if (args->op == AMDGPU_GEM_OP_SET_PLACEMENT) {
        error = set_placement(amd_bo(gem), args->value);
    }
    drm_gem_unref(gem);
    return error;
}
