/* Addresses of a space that the kernel manages: each buffer has at most one, chosen by the kernel or by user space, and
 * keeps it until the handle is closed or the address is taken back. The pages are there as soon as the address is,
 * where a kernel waits for the first submission that names the buffer. */
#include <errno.h>

#include "adreno/model/kernel/kernel_types.h"
#include "util/bits.h"

unsigned adreno_gem_perms(struct drm_gem *gem)
{
    return adreno_bo(gem)->flags & MSM_BO_GPU_READONLY ? GPU_PERM_READ | GPU_PERM_EXEC : GPU_PERM_RWX;
}

/* The address that a buffer has in a space; 0: none. */
static uint64_t address_of(struct adreno_vm *vm, struct drm_gem *gem)
{
    uint64_t va = 0;
    pthread_mutex_lock(&gem->device->lock);
    array_foreach (&gem->places, place) {
        if (place->vm == &vm->vm)
            va = place->va;
    }
    pthread_mutex_unlock(&gem->device->lock);
    return va;
}

static int map_at(struct adreno_vm *vm, struct drm_gem *gem, uint64_t va)
{
    const struct drm_mapping mapping = {.va = va, .size_B = gem->size_B, .gem = gem, .perms = adreno_gem_perms(gem)};
    return drm_vm_map(&vm->vm, &mapping);
}

/* The first hole of that size between two addresses; 0: none. drm_vm.lock is held. */
static uint64_t find_hole(const struct adreno_vm *vm, uint64_t from, uint64_t end, uint64_t size_B)
{
    const struct drm_mapping *mapping = ordered_before(&vm->vm.mappings, from);
    if (mapping)
        from = MAX2(from, mapping->va + mapping->size_B);
    while ((mapping = ordered_after(&vm->vm.mappings, from)) && mapping->va - from < size_B)
        from = mapping->va + mapping->size_B;
    uint64_t limit = mapping ? MIN2(mapping->va, end) : end;
    return from < limit && size_B <= limit - from ? from : 0;
}

/* Upwards from the last one, so that what was just unmapped rests for a while. */
static uint64_t choose_range(struct adreno_vm *vm, uint64_t va_size_B, uint64_t size_B)
{
    const uint64_t end = ADRENO_VA_START + va_size_B;
    pthread_mutex_lock(&vm->vm.lock);
    uint64_t va = find_hole(vm, vm->next_va, end, size_B);
    if (!va)
        va = find_hole(vm, ADRENO_VA_START, end, size_B);
    pthread_mutex_unlock(&vm->vm.lock);
    if (va)
        vm->next_va = va + size_B;
    return va;
}

int adreno_iova_get(struct adreno_file *file, struct drm_gem *gem, uint64_t *va_out)
{
    struct adreno_vm *vm = adreno_file_vm(file);
    if (!vm)
        return -ENOMEM;
    *va_out = address_of(vm, gem);
    if (*va_out)
        return 0;
    pthread_mutex_lock(&file->iova_lock);
    int error = 0;
    uint64_t va = address_of(vm, gem);
    if (!va) {
        va = choose_range(vm, file->device->chip->va_size_B, gem->size_B);
        error = va ? map_at(vm, gem, va) : -ENOSPC;
    }
    pthread_mutex_unlock(&file->iova_lock);
    *va_out = error ? 0 : va;
    return error;
}

int adreno_iova_set(struct adreno_file *file, struct drm_gem *gem, uint64_t va)
{
    struct adreno_vm *vm = adreno_file_vm(file);
    if (!vm)
        return -ENOMEM;
    int error = 0;
    pthread_mutex_lock(&file->iova_lock);
    uint64_t before = address_of(vm, gem);
    if (!va) {
        drm_vm_forget_gem(&vm->vm, gem);
    } else if (before && before != va) {
        drm_vm_forget_gem(&vm->vm, gem); /* the kernel takes the old address back, too */
        error = -EBUSY;
    } else if (!before) {
        /* The kernel looks for a place between the address and its end: whatever is wrong with it, there is none. */
        error = va % gpu_space_granularity_B() ? -EINVAL : map_at(vm, gem, va);
        error = error == -EINVAL ? -ENOSPC : error;
    }
    pthread_mutex_unlock(&file->iova_lock);
    return error;
}
