/* Address spaces: a file has up to 32. The lower part is the user's, who chooses addresses there; the upper one is the
 * kernel's, for ring buffers, synchronisation objects and heaps. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mali/model/kernel/kernel_types.h"
#include "util/bits.h"

#define FULL_RANGE_B (1ull << MALI_VA_BITS)
#define KERNEL_LEAST_B (256ull << 20)
#define LARGE_B (2ull << 20) /* what is as large as this begins at a multiple of it: one entry of the page table */

static struct mali_vm *mali_vm(struct drm_vm *vm)
{
    return (struct mali_vm *)vm;
}

/* ---- the kernel's own addresses ---- */

static int take_address(struct mali_vm *vm, uint64_t size_B, uint64_t *va_out)
{
    int error = 0;
    pthread_mutex_lock(&vm->kernel_lock);
    uint32_t i = 0;
    while (i < vm->kernel_free.count && vm->kernel_free.data[i].size_B != size_B)
        i++;
    if (i < vm->kernel_free.count) {
        *va_out = vm->kernel_free.data[i].va;
        array_remove_swap(&vm->kernel_free, i);
    } else {
        uint64_t va = align_u64(vm->kernel_next_va, size_B >= LARGE_B ? LARGE_B : gpu_space_granularity_B());
        if (va > FULL_RANGE_B || size_B > FULL_RANGE_B - va) {
            error = -ENOSPC;
        } else {
            *va_out = va;
            vm->kernel_next_va = va + size_B;
        }
    }
    pthread_mutex_unlock(&vm->kernel_lock);
    return error;
}

/* Without memory for the list the addresses are lost. */
static void give_address_back(struct mali_vm *vm, uint64_t va, uint64_t size_B)
{
    pthread_mutex_lock(&vm->kernel_lock);
    (void)array_push(&vm->kernel_free, (struct mali_va_range){va, size_B});
    pthread_mutex_unlock(&vm->kernel_lock);
}

int mali_kernel_bo_create(struct mali_vm *vm, uint64_t size_B, struct mali_kernel_bo *bo_out)
{
    struct mali_device *device = (struct mali_device *)vm->vm.device;
    struct mali_kernel_bo bo = {.gem = drm_gem_new_in(&device->drm, &device->heap, size_B)};
    if (!bo.gem)
        return -ENOMEM;
    size_B = bo.gem->size_B;
    int error = take_address(vm, size_B, &bo.va);
    if (!error) {
        const struct drm_mapping mapping = {
            .va = bo.va, .size_B = size_B, .gem = bo.gem, .perms = GPU_PERM_READ | GPU_PERM_WRITE};
        error = drm_vm_replace(&vm->vm, &mapping);
        if (error)
            give_address_back(vm, bo.va, size_B);
    }
    if (error)
        drm_gem_unref(bo.gem);
    else
        *bo_out = bo;
    return error;
}

void mali_kernel_bo_destroy(struct mali_vm *vm, struct mali_kernel_bo *bo)
{
    if (!bo->gem)
        return;
    drm_vm_clear(&vm->vm, bo->va, bo->gem->size_B);
    give_address_back(vm, bo->va, bo->gem->size_B);
    drm_gem_unref(bo->gem);
    *bo = (struct mali_kernel_bo){0};
}

/* ---- creation and the end ---- */

/* The user's part: what it asks for, or half. The kernel's is the largest power of two that fits above it. */
static int split_range(const struct drm_panthor_vm_create *args, uint64_t *kernel_va_out)
{
    uint64_t user_B = args->user_va_range ? args->user_va_range : FULL_RANGE_B / 2;
    if (args->flags || user_B > FULL_RANGE_B - KERNEL_LEAST_B)
        return -EINVAL;
    *kernel_va_out = FULL_RANGE_B - (1ull << (63 - __builtin_clzll(FULL_RANGE_B - user_B)));
    return 0;
}

int mali_vm_create_ioctl(struct drm_file *drm_file, void *data)
{
    struct mali_file *file = mali_file(drm_file);
    struct drm_panthor_vm_create *args = data;
    const struct gpu_extent extent = {0, FULL_RANGE_B};
    uint64_t kernel_va;
    struct drm_vm *created = NULL;
    int error = split_range(args, &kernel_va);
    if (!error)
        error = drm_vm_create(&file->device->drm, &extent, 1, &created);
    if (error)
        return error;
    struct mali_vm *vm = mali_vm(created);
    pthread_mutex_init(&vm->kernel_lock, NULL);
    pthread_mutex_init(&vm->heap_lock, NULL);
    pthread_mutex_init(&vm->bind_lock, NULL);
    vm->kernel_next_va = kernel_va;
    pthread_mutex_lock(&file->file.lock);
    error = drm_handles_insert(&file->vms, vm, MALI_FILE_VMS_MAX, &args->id);
    pthread_mutex_unlock(&file->file.lock);
    if (error) {
        drm_vm_unref(created);
        return error == -ENOSPC ? -EBUSY : error;
    }
    args->user_va_range = kernel_va;
    return 0;
}

void mali_vm_finish(struct drm_vm *base)
{
    struct mali_vm *vm = mali_vm(base);
    mali_heap_destroy_all(vm);
    array_finish(&vm->kernel_free);
    pthread_mutex_destroy(&vm->bind_lock);
    pthread_mutex_destroy(&vm->heap_lock);
    pthread_mutex_destroy(&vm->kernel_lock);
}

struct mali_vm *mali_vm_find(struct mali_file *file, uint32_t id)
{
    pthread_mutex_lock(&file->file.lock);
    struct mali_vm *vm = drm_handles_get(&file->vms, id);
    if (vm)
        drm_vm_ref(&vm->vm);
    pthread_mutex_unlock(&file->file.lock);
    return vm;
}

/* Nothing is mapped any more: jobs that still run there fault. What they hold lives on. */
static void close_vm(struct mali_vm *vm)
{
    atomic_store(&vm->is_destroyed, true);
    mali_bind_end(vm);
    mali_heap_destroy_all(vm);
    drm_vm_clear(&vm->vm, 0, FULL_RANGE_B);
    drm_vm_unref(&vm->vm);
}

int mali_vm_destroy_ioctl(struct drm_file *drm_file, void *data)
{
    struct mali_file *file = mali_file(drm_file);
    const struct drm_panthor_vm_destroy *args = data;
    if (args->pad)
        return -EINVAL;
    pthread_mutex_lock(&file->file.lock);
    struct mali_vm *vm = drm_handles_remove(&file->vms, args->id);
    pthread_mutex_unlock(&file->file.lock);
    if (!vm)
        return -EINVAL;
    close_vm(vm);
    return 0;
}

void mali_vm_close_all(struct mali_file *file)
{
    for (uint32_t id = 1; id <= MALI_FILE_VMS_MAX; id++) {
        struct mali_vm *vm = drm_handles_get(&file->vms, id);
        if (vm)
            close_vm(vm);
    }
    drm_handles_finish(&file->vms);
}

int mali_vm_get_state_ioctl(struct drm_file *file, void *data)
{
    struct drm_panthor_vm_get_state *args = data;
    struct mali_vm *vm = mali_vm_find(mali_file(file), args->vm_id);
    if (!vm)
        return -EINVAL;
    args->state = atomic_load(&vm->is_unusable) ? DRM_PANTHOR_VM_STATE_UNUSABLE : DRM_PANTHOR_VM_STATE_USABLE;
    drm_vm_unref(&vm->vm);
    return 0;
}
