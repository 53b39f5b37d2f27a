/* Draws whose parameters are in memory, and many draws of one command. */
#include "vulkan/runtime/command/vk_draw.h"

#include "vulkan/runtime/command/vk_command_buffer.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/memory/vk_buffer.h"

/* ---- parameters in memory ---- */

static uint64_t va_of(VkBuffer buffer, VkDeviceSize offset_B)
{
    return vk_buffer_from_handle(buffer)->va + offset_B;
}

static void draw_indirect(VkCommandBuffer handle, const struct vk_draw_indirect *indirect)
{
    struct vk_command_buffer *cmd = vk_command_buffer_from_handle(handle);
    if (indirect->count)
        cmd->base.device->draws->indirect(cmd, indirect);
}

#define DRAW_INDIRECT(name, kind)                                                                                      \
    VKAPI_ATTR void VKAPI_CALL vk_common_##name(VkCommandBuffer cmd, VkBuffer buffer, VkDeviceSize offset_B,           \
                                                uint32_t count, uint32_t stride_B)                                     \
    {                                                                                                                  \
        draw_indirect(cmd, &(const struct vk_draw_indirect){kind, va_of(buffer, offset_B), 0, count, stride_B});       \
    }
#define DRAW_INDIRECT_COUNT(name, kind)                                                                                \
    VKAPI_ATTR void VKAPI_CALL vk_common_##name(VkCommandBuffer cmd, VkBuffer buffer, VkDeviceSize offset_B,           \
                                                VkBuffer count_buffer, VkDeviceSize count_offset_B,                    \
                                                uint32_t max_count, uint32_t stride_B)                                 \
    {                                                                                                                  \
        draw_indirect(cmd, &(const struct vk_draw_indirect){kind, va_of(buffer, offset_B),                             \
                                                            va_of(count_buffer, count_offset_B), max_count,            \
                                                            stride_B});                                                \
    }

DRAW_INDIRECT(CmdDrawIndirect, VK_DRAW_PLAIN)
DRAW_INDIRECT(CmdDrawIndexedIndirect, VK_DRAW_INDEXED)
DRAW_INDIRECT(CmdDrawMeshTasksIndirectEXT, VK_DRAW_MESHES)
DRAW_INDIRECT_COUNT(CmdDrawIndirectCount, VK_DRAW_PLAIN)
DRAW_INDIRECT_COUNT(CmdDrawIndexedIndirectCount, VK_DRAW_INDEXED)
DRAW_INDIRECT_COUNT(CmdDrawMeshTasksIndirectCountEXT, VK_DRAW_MESHES)

/* ---- many draws ---- */

VKAPI_ATTR void VKAPI_CALL vk_common_CmdDrawMultiEXT(VkCommandBuffer handle, uint32_t count,
                                                     const VkMultiDrawInfoEXT *infos, uint32_t instances,
                                                     uint32_t first_instance, uint32_t stride_B)
{
    struct vk_command_buffer *cmd = vk_command_buffer_from_handle(handle);
    const struct vk_draw_ops *ops = cmd->base.device->draws;
    if (!count || !instances || !ops->begin_many(cmd, false, instances))
        return;
    for (uint32_t i = 0; i < count; i++) {
        const VkMultiDrawInfoEXT *info = (const VkMultiDrawInfoEXT *)((const char *)infos + (size_t)i * stride_B);
        const struct vk_draw draw = {info->vertexCount, 0, info->firstVertex, i};
        if (draw.count)
            ops->draw(cmd, &draw, false, instances, first_instance);
    }
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdDrawMultiIndexedEXT(VkCommandBuffer handle, uint32_t count,
                                                            const VkMultiDrawIndexedInfoEXT *infos, uint32_t instances,
                                                            uint32_t first_instance, uint32_t stride_B,
                                                            const int32_t *vertex_offset)
{
    struct vk_command_buffer *cmd = vk_command_buffer_from_handle(handle);
    const struct vk_draw_ops *ops = cmd->base.device->draws;
    if (!count || !instances || !ops->begin_many(cmd, true, instances))
        return;
    for (uint32_t i = 0; i < count; i++) {
        const VkMultiDrawIndexedInfoEXT *info =
            (const VkMultiDrawIndexedInfoEXT *)((const char *)infos + (size_t)i * stride_B);
        const struct vk_draw draw = {info->indexCount, info->firstIndex,
                                     (uint32_t)(vertex_offset ? *vertex_offset : info->vertexOffset), i};
        if (draw.count)
            ops->draw(cmd, &draw, true, instances, first_instance);
    }
}
