/* VkDeviceMemory: a buffer object of the kernel each; memory of the driver's own; what buffers ask of memory. */
#include "adreno/driver/memory.h"

#include <errno.h>

#include "adreno/driver/device.h"
#include "adreno/driver/entrypoints.h"
#include "util/bits.h"
#include "vulkan/runtime/memory/vk_image.h"
#include "vulkan/runtime/object/vk_struct.h"

/* ---- of the driver's own ---- */

VkResult adreno_mapped_bo_create(struct adreno_device *device, uint64_t size_B, uint32_t flags,
                                 struct adreno_bo **bo_out)
{
    struct adreno_bo *bo;
    void *map;
    int error = adreno_bo_create(device->kernel, size_B, flags, 0, &bo);
    if (error)
        return error == -ENOMEM ? VK_ERROR_OUT_OF_DEVICE_MEMORY : vk_kernel_result(error);
    error = adreno_bo_map(bo, &map);
    if (error) {
        adreno_bo_unref(bo);
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    *bo_out = bo;
    return VK_SUCCESS;
}

struct vk_bo *adreno_vk_bo_create(struct vk_device *device, uint32_t size_B)
{
    struct adreno_bo *bo = NULL;
    return adreno_mapped_bo_create(adreno_device_of(device), size_B, MSM_BO_WC, &bo) == VK_SUCCESS ? &bo->vk : NULL;
}

void adreno_vk_bo_destroy(struct vk_device *device, struct vk_bo *bo)
{
    (void)device;
    adreno_bo_unref((struct adreno_bo *)bo);
}

/* MSM_BO_* of memory in which the CPU reads what the GPU wrote. */
static uint32_t adreno_read_back_flags(const struct adreno_device *device)
{
    return device->chip->has_cached_coherent ? MSM_BO_CACHED_COHERENT : MSM_BO_WC;
}

static struct vk_bo *create_read_back(struct vk_device *base, uint32_t size_B)
{
    struct adreno_device *device = adreno_device_of(base);
    struct adreno_bo *bo = NULL;
    return adreno_mapped_bo_create(device, size_B, adreno_read_back_flags(device), &bo) == VK_SUCCESS ? &bo->vk : NULL;
}

static void *map_bo(struct vk_device *device, struct vk_bo *bo)
{
    void *map;
    return adreno_bo_map((struct adreno_bo *)bo, &map) == 0 ? map : NULL;
}

/* Sizes are powers of two, so that few are ever made; streams name the memory by its address, so none goes before the
 * device does. */
VkResult adreno_private_memory(struct adreno_device *device, uint32_t size_B, struct adreno_private *private_out)
{
    enum {
        UNIT_B = 512,
        MOST_UNITS = 255 /* that MEMSIZEPERITEM can say */
    };
    *private_out = (struct adreno_private){0};
    if (!size_B)
        return VK_SUCCESS;
    const uint32_t units = (uint32_t)div_round_up(size_B, UNIT_B);
    const uint32_t index = units > 1 ? log2_floor(units - 1) + 1 : 0;
    if (units > MOST_UNITS)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    const uint32_t fiber_B = MIN2((uint32_t)UNIT_B << index, UNIT_B * MOST_UNITS);
    const uint64_t sp_B = (uint64_t)fiber_B * device->chip->fibers_per_sp;
    if (sp_B > UINT32_MAX)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    VkResult result = VK_SUCCESS;
    pthread_mutex_lock(&device->private_lock);
    struct adreno_bo **bo = &device->private_memory[index];
    if (!*bo) {
        int error = adreno_bo_create(device->kernel, sp_B * device->chip->sp_count, MSM_BO_WC, 0, bo);
        result = error ? VK_ERROR_OUT_OF_DEVICE_MEMORY : VK_SUCCESS;
    }
    if (result == VK_SUCCESS)
        *private_out = (struct adreno_private){(*bo)->vk.va, fiber_B, (uint32_t)sp_B};
    pthread_mutex_unlock(&device->private_lock);
    return result;
}

/* ---- VkDeviceMemory ---- */

static int import_fd(struct vk_device *device, int fd, struct vk_bo **bo_out)
{
    struct adreno_bo *bo;
    int error = adreno_bo_import(adreno_device_of(device)->kernel, fd, &bo);
    if (!error)
        *bo_out = &bo->vk;
    return error;
}

static int export_fd(struct vk_device *device, struct vk_bo *bo, int *fd_out)
{
    return adreno_bo_export((struct adreno_bo *)bo, fd_out);
}

static VkResult allocate_memory(struct vk_device *base, const struct vk_device_memory *memory, struct vk_bo **bo_out)
{
    struct adreno_device *device = adreno_device_of(base);
    const uint64_t size_B = align_u64(memory->size_B, 4096);
    const uint32_t flags = device->physical->bo_flags[memory->type_index];
    struct adreno_bo *bo;
    int error = device->physical->vk.plain_types >> memory->type_index & 1
                    ? adreno_bo_create(device->kernel, size_B, flags, memory->opaque_address, &bo)
                    : adreno_bo_reserve(device->kernel, size_B, flags, &bo);
    if (error)
        return error == -ENOMEM || error == -EBUSY ? VK_ERROR_OUT_OF_DEVICE_MEMORY : vk_kernel_result(error);
    *bo_out = &bo->vk;
    return VK_SUCCESS;
}

const struct vk_bo_ops adreno_bo_ops = {.create = create_read_back,
                                        .destroy = adreno_vk_bo_destroy,
                                        .map = map_bo,
                                        .allocate = allocate_memory,
                                        .import_fd = import_fd,
                                        .export_fd = export_fd};

/* ---- memory that may never be needed ---- */

VKAPI_ATTR void VKAPI_CALL adreno_GetDeviceMemoryCommitment(VkDevice handle, VkDeviceMemory memory_handle,
                                                            VkDeviceSize *size_B_out)
{
    const struct vk_device_memory *memory = vk_device_memory_from_handle(memory_handle);
    *size_B_out = adreno_bo_is_committed(adreno_memory_bo(memory)) ? memory->size_B : 0;
}

VkResult adreno_image_commit(const struct vk_image *image)
{
    for (unsigned i = 0; i < VK_IMAGE_MAX_PLANES; i++) {
        struct adreno_bo *bo = (struct adreno_bo *)image->memory[i].bo;
        const int error = bo && bo->is_lazy ? adreno_bo_commit(bo) : 0;
        if (error)
            return error == -ENOMEM ? VK_ERROR_OUT_OF_DEVICE_MEMORY : vk_kernel_result(error);
    }
    return VK_SUCCESS;
}

bool adreno_image_is_lazy(const struct vk_image *image)
{
    const struct adreno_bo *bo = (const struct adreno_bo *)image->memory[0].bo;
    return bo && bo->is_lazy;
}
