/* Acceleration structures as objects. */
#include "vulkan/runtime/memory/vk_acceleration_structure.h"

#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"

VKAPI_ATTR VkResult VKAPI_CALL vk_common_CreateAccelerationStructureKHR(
    VkDevice handle, const VkAccelerationStructureCreateInfoKHR *info, const VkAllocationCallbacks *allocator,
    VkAccelerationStructureKHR *structure_out)
{
    struct vk_acceleration_structure *structure = vk_object_create(
        vk_device_from_handle(handle), allocator, sizeof(*structure), VK_OBJECT_TYPE_ACCELERATION_STRUCTURE_KHR);
    if (!structure)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    structure->buffer = vk_buffer_from_handle(info->buffer);
    structure->offset_B = info->offset;
    structure->size_B = info->size;
    structure->type = info->type;
    *structure_out = vk_acceleration_structure_to_handle(structure);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vk_common_DestroyAccelerationStructureKHR(VkDevice handle,
                                                                     VkAccelerationStructureKHR structure,
                                                                     const VkAllocationCallbacks *allocator)
{
    vk_object_destroy(vk_device_from_handle(handle), allocator,
                      (struct vk_object_base *)vk_acceleration_structure_from_handle(structure));
}

VKAPI_ATTR VkDeviceAddress VKAPI_CALL vk_common_GetAccelerationStructureDeviceAddressKHR(
    VkDevice handle, const VkAccelerationStructureDeviceAddressInfoKHR *info)
{
    return vk_acceleration_structure_va(vk_acceleration_structure_from_handle(info->accelerationStructure));
}

/* ---- what no family has: builds and copies by the CPU, and builds whose sizes are in memory ----
 *
 * The features are off and nobody may call these; the extension has them all the same. */

VKAPI_ATTR VkResult VKAPI_CALL
vk_common_BuildAccelerationStructuresKHR(VkDevice handle, VkDeferredOperationKHR operation, uint32_t count,
                                         const VkAccelerationStructureBuildGeometryInfoKHR *infos,
                                         const VkAccelerationStructureBuildRangeInfoKHR *const *ranges)
{
    return VK_ERROR_FEATURE_NOT_PRESENT;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_CopyAccelerationStructureKHR(VkDevice handle, VkDeferredOperationKHR operation,
                                                                      const VkCopyAccelerationStructureInfoKHR *info)
{
    return VK_ERROR_FEATURE_NOT_PRESENT;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_CopyAccelerationStructureToMemoryKHR(
    VkDevice handle, VkDeferredOperationKHR operation, const VkCopyAccelerationStructureToMemoryInfoKHR *info)
{
    return VK_ERROR_FEATURE_NOT_PRESENT;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_CopyMemoryToAccelerationStructureKHR(
    VkDevice handle, VkDeferredOperationKHR operation, const VkCopyMemoryToAccelerationStructureInfoKHR *info)
{
    return VK_ERROR_FEATURE_NOT_PRESENT;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_WriteAccelerationStructuresPropertiesKHR(
    VkDevice handle, uint32_t count, const VkAccelerationStructureKHR *structures, VkQueryType type, size_t size_B,
    void *data, size_t stride_B)
{
    return VK_ERROR_FEATURE_NOT_PRESENT;
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdBuildAccelerationStructuresIndirectKHR(
    VkCommandBuffer handle, uint32_t count, const VkAccelerationStructureBuildGeometryInfoKHR *infos,
    const VkDeviceAddress *addresses, const uint32_t *strides, const uint32_t *const *most_primitives)
{
}
