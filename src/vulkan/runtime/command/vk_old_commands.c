/* Older commands that are newer ones with less to say and belong to no larger theme, and those of device groups: a
 * group is always one device here. Copies are in vk_old_copy.c, barriers in vk_old_sync.c, memory in vk_old_memory.c.
 */
#include "vulkan/runtime/command/vk_command_buffer.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"

VKAPI_ATTR void VKAPI_CALL vk_common_CmdDispatch(VkCommandBuffer handle, uint32_t x, uint32_t y, uint32_t z)
{
    vk_command_buffer_from_handle(handle)->base.device->dispatch.CmdDispatchBase(handle, 0, 0, 0, x, y, z);
}

/* Without sizes a buffer reaches to its end, and without strides the pipeline's hold. */
VKAPI_ATTR void VKAPI_CALL vk_common_CmdBindVertexBuffers(VkCommandBuffer handle, uint32_t first, uint32_t count,
                                                          const VkBuffer *buffers, const VkDeviceSize *offsets)
{
    vk_command_buffer_from_handle(handle)->base.device->dispatch.CmdBindVertexBuffers2(handle, first, count, buffers,
                                                                                       offsets, NULL, NULL);
}

/* The only mask that is allowed is the one that holds already. */
VKAPI_ATTR void VKAPI_CALL vk_common_CmdSetDeviceMask(VkCommandBuffer handle, uint32_t mask)
{
}

/* A device's only peer is itself. */
VKAPI_ATTR void VKAPI_CALL vk_common_GetDeviceGroupPeerMemoryFeatures(VkDevice handle, uint32_t heap, uint32_t local,
                                                                      uint32_t remote,
                                                                      VkPeerMemoryFeatureFlags *features_out)
{
    *features_out = VK_PEER_MEMORY_FEATURE_COPY_SRC_BIT | VK_PEER_MEMORY_FEATURE_COPY_DST_BIT |
                    VK_PEER_MEMORY_FEATURE_GENERIC_SRC_BIT | VK_PEER_MEMORY_FEATURE_GENERIC_DST_BIT;
}
