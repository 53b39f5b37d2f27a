/* GEM_VA: amdgpu's checks, in its order, before an address space is changed. */
#include <errno.h>

#include "amd/model/kernel/kernel_types.h"

#define VA_RESERVED_B (2ull << 20)
#define VA_HOLE_START 0x0000800000000000ull
#define VA_HOLE_END 0xffff800000000000ull

static int check_va_args(const struct drm_vm *vm, const struct drm_amdgpu_gem_va *args)
{
    const uint32_t valid_flags = AMDGPU_VM_DELAY_UPDATE | AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE |
                                 AMDGPU_VM_PAGE_EXECUTABLE | AMDGPU_VM_MTYPE_MASK | (1u << 9) /* NOALLOC */;
    const uint32_t prt_flags = AMDGPU_VM_DELAY_UPDATE | AMDGPU_VM_PAGE_PRT;
    if (args->va_address < VA_RESERVED_B)
        return -EINVAL;
    if (args->va_address >= VA_HOLE_START && args->va_address < VA_HOLE_END)
        return -EINVAL;
    if (args->flags & ~valid_flags && args->flags & ~prt_flags)
        return -EINVAL;
    if (args->operation < AMDGPU_VA_OP_MAP || args->operation > AMDGPU_VA_OP_REPLACE)
        return -EINVAL;
    uint64_t mask = gpu_space_granularity_B() - 1;
    if (args->operation == AMDGPU_VA_OP_UNMAP)
        return 0;
    if ((args->va_address | args->map_size | args->offset_in_bo) & mask)
        return -EINVAL;
    return gpu_space_contains(&vm->space, args->va_address, args->map_size) ? 0 : -EINVAL;
}

static unsigned perms_of(uint32_t flags)
{
    return (flags & AMDGPU_VM_PAGE_READABLE ? GPU_PERM_READ : 0u) |
           (flags & AMDGPU_VM_PAGE_WRITEABLE ? GPU_PERM_WRITE : 0u) |
           (flags & AMDGPU_VM_PAGE_EXECUTABLE ? GPU_PERM_EXEC : 0u);
}

static int run_va_op(struct drm_vm *vm, const struct drm_amdgpu_gem_va *args, struct drm_gem *gem)
{
    struct drm_mapping mapping = {.va = args->va_address,
                                  .size_B = args->map_size,
                                  .gem = gem,
                                  .offset_B = gem ? args->offset_in_bo : 0,
                                  .perms = perms_of(args->flags),
                                  .flags = args->flags};
    bool maps = args->operation == AMDGPU_VA_OP_MAP || args->operation == AMDGPU_VA_OP_REPLACE;
    if (maps && gem) {
        /* The kernel counts a unit of on-chip memory as a page and lets it be mapped. */
        uint64_t end_B, size_B = drm_gem_has_bytes(gem) ? gem->size_B : gem->size_B << GPU_PAGE_SHIFT;
        if (__builtin_add_overflow(args->offset_in_bo, args->map_size, &end_B) || end_B > size_B)
            return -EINVAL;
    }
    switch (args->operation) {
    case AMDGPU_VA_OP_MAP:
        return drm_vm_map(vm, &mapping);
    case AMDGPU_VA_OP_REPLACE:
        return drm_vm_replace(vm, &mapping);
    case AMDGPU_VA_OP_UNMAP:
        return drm_vm_unmap(vm, gem, args->va_address);
    default:
        return drm_vm_clear(vm, args->va_address, args->map_size);
    }
}

int amd_gem_va_ioctl(struct drm_file *file, void *data)
{
    const struct drm_amdgpu_gem_va *args = data;
    struct drm_vm *vm = amd_file(file)->vm;
    int error = check_va_args(vm, args);
    if (error)
        return error;
    struct drm_gem *gem = NULL;
    if (args->operation != AMDGPU_VA_OP_CLEAR && !(args->flags & AMDGPU_VM_PAGE_PRT)) {
        gem = drm_gem_find(file, args->handle);
        if (!gem)
            return -ENOENT;
    }
    error = run_va_op(vm, args, gem);
    drm_gem_unref(gem);
    return error;
}
