/* The specification's tables of stages and accesses ("Supported pipeline stage flags", "Supported access types"), and
 * the functions that look into them. */
#include "vulkan/runtime/sync/vk_synchronization.h"

#define STAGE(name) VK_PIPELINE_STAGE_2_##name
#define ACCESS(name) VK_ACCESS_2_##name

#define PRE_RASTERIZATION_SHADERS                                                                                      \
    (STAGE(VERTEX_SHADER_BIT) | STAGE(TESSELLATION_CONTROL_SHADER_BIT) | STAGE(TESSELLATION_EVALUATION_SHADER_BIT) |   \
     STAGE(GEOMETRY_SHADER_BIT) | STAGE(TASK_SHADER_BIT_EXT) | STAGE(MESH_SHADER_BIT_EXT))
#define SHADERS                                                                                                        \
    (PRE_RASTERIZATION_SHADERS | STAGE(FRAGMENT_SHADER_BIT) | STAGE(COMPUTE_SHADER_BIT) |                              \
     STAGE(RAY_TRACING_SHADER_BIT_KHR))
#define VERTEX_INPUT (STAGE(INDEX_INPUT_BIT) | STAGE(VERTEX_ATTRIBUTE_INPUT_BIT))
#define FRAGMENT_TESTS (STAGE(EARLY_FRAGMENT_TESTS_BIT) | STAGE(LATE_FRAGMENT_TESTS_BIT))
#define BUILDS (STAGE(ACCELERATION_STRUCTURE_BUILD_BIT_KHR) | STAGE(MICROMAP_BUILD_BIT_EXT))
#define READING_TRANSFERS                                                                                              \
    (STAGE(COPY_BIT) | STAGE(RESOLVE_BIT) | STAGE(BLIT_BIT) | STAGE(ACCELERATION_STRUCTURE_COPY_BIT_KHR))
#define TRANSFERS (READING_TRANSFERS | STAGE(CLEAR_BIT))
#define GRAPHICS                                                                                                       \
    (STAGE(DRAW_INDIRECT_BIT) | VERTEX_INPUT | PRE_RASTERIZATION_SHADERS | STAGE(FRAGMENT_SHADER_BIT) |                \
     FRAGMENT_TESTS | STAGE(COLOR_ATTACHMENT_OUTPUT_BIT) | STAGE(CONDITIONAL_RENDERING_BIT_EXT) |                      \
     STAGE(TRANSFORM_FEEDBACK_BIT_EXT) | STAGE(FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR) |                             \
     STAGE(FRAGMENT_DENSITY_PROCESS_BIT_EXT))
#define COMPUTE                                                                                                        \
    (STAGE(DRAW_INDIRECT_BIT) | STAGE(COMPUTE_SHADER_BIT) | STAGE(CONDITIONAL_RENDERING_BIT_EXT) |                     \
     STAGE(RAY_TRACING_SHADER_BIT_KHR) | BUILDS)
#define COMMANDS (GRAPHICS | COMPUTE | TRANSFERS | STAGE(VIDEO_DECODE_BIT_KHR))

#define COLLECTIVE_STAGES                                                                                              \
    (STAGE(ALL_COMMANDS_BIT) | STAGE(ALL_GRAPHICS_BIT) | STAGE(ALL_TRANSFER_BIT) | STAGE(VERTEX_INPUT_BIT) |           \
     STAGE(PRE_RASTERIZATION_SHADERS_BIT) | STAGE(TOP_OF_PIPE_BIT) | STAGE(BOTTOM_OF_PIPE_BIT))

/* The top and the bottom of the pipe are dropped: what they mean depends on the scope. */
static VkPipelineStageFlags2 expand_stages(VkPipelineStageFlags2 stages)
{
    VkPipelineStageFlags2 expanded = stages & ~COLLECTIVE_STAGES;
    if (stages & STAGE(ALL_COMMANDS_BIT))
        expanded |= COMMANDS;
    if (stages & STAGE(ALL_GRAPHICS_BIT))
        expanded |= GRAPHICS;
    if (stages & STAGE(ALL_TRANSFER_BIT))
        expanded |= TRANSFERS;
    if (stages & STAGE(VERTEX_INPUT_BIT))
        expanded |= VERTEX_INPUT;
    if (stages & STAGE(PRE_RASTERIZATION_SHADERS_BIT))
        expanded |= PRE_RASTERIZATION_SHADERS;
    return expanded;
}

VkPipelineStageFlags2 vk_expand_src_stages(VkPipelineStageFlags2 stages)
{
    return expand_stages(stages) | (stages & STAGE(BOTTOM_OF_PIPE_BIT) ? COMMANDS : 0);
}

VkPipelineStageFlags2 vk_expand_dst_stages(VkPipelineStageFlags2 stages)
{
    return expand_stages(stages) | (stages & STAGE(TOP_OF_PIPE_BIT) ? COMMANDS : 0);
}

VkPipelineStageFlags2 vk_stages_of_queue(VkQueueFlags flags)
{
    VkPipelineStageFlags2 stages = 0;
    if (flags & VK_QUEUE_GRAPHICS_BIT)
        stages |= GRAPHICS;
    if (flags & VK_QUEUE_COMPUTE_BIT)
        stages |= COMPUTE;
    if (flags & (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT))
        stages |= TRANSFERS;
    if (flags & VK_QUEUE_VIDEO_DECODE_BIT_KHR)
        stages |= STAGE(VIDEO_DECODE_BIT_KHR);
    return stages;
}

/* One row per access that is not collective, but for SHADER_READ, whose row has only the stages that its parts lack. An
 * X macro and no array, for a static initialiser may not hold the 64-bit flags: C does not call them constants. */
#define ACCESS_ROWS(X)                                                                                                 \
    X(READ, INDIRECT_COMMAND_READ_BIT, STAGE(DRAW_INDIRECT_BIT) | STAGE(ACCELERATION_STRUCTURE_BUILD_BIT_KHR))         \
    X(READ, INDEX_READ_BIT, STAGE(INDEX_INPUT_BIT))                                                                    \
    X(READ, VERTEX_ATTRIBUTE_READ_BIT, STAGE(VERTEX_ATTRIBUTE_INPUT_BIT))                                              \
    X(READ, UNIFORM_READ_BIT, SHADERS)                                                                                 \
    X(READ, INPUT_ATTACHMENT_READ_BIT, STAGE(FRAGMENT_SHADER_BIT))                                                     \
    X(READ, SHADER_READ_BIT, BUILDS)                                                                                   \
    X(READ, SHADER_SAMPLED_READ_BIT, SHADERS)                                                                          \
    X(READ, SHADER_STORAGE_READ_BIT, SHADERS)                                                                          \
    X(WRITE, SHADER_STORAGE_WRITE_BIT, SHADERS)                                                                        \
    X(READ, SHADER_BINDING_TABLE_READ_BIT_KHR, STAGE(RAY_TRACING_SHADER_BIT_KHR))                                      \
    X(READ, DESCRIPTOR_BUFFER_READ_BIT_EXT, SHADERS)                                                                   \
    X(READ, COLOR_ATTACHMENT_READ_BIT, STAGE(COLOR_ATTACHMENT_OUTPUT_BIT))                                             \
    X(READ, COLOR_ATTACHMENT_READ_NONCOHERENT_BIT_EXT, STAGE(COLOR_ATTACHMENT_OUTPUT_BIT))                             \
    X(WRITE, COLOR_ATTACHMENT_WRITE_BIT, STAGE(COLOR_ATTACHMENT_OUTPUT_BIT))                                           \
    X(READ, DEPTH_STENCIL_ATTACHMENT_READ_BIT, FRAGMENT_TESTS)                                                         \
    X(WRITE, DEPTH_STENCIL_ATTACHMENT_WRITE_BIT, FRAGMENT_TESTS)                                                       \
    X(READ, TRANSFER_READ_BIT, READING_TRANSFERS | BUILDS)                                                             \
    X(WRITE, TRANSFER_WRITE_BIT, TRANSFERS | BUILDS)                                                                   \
    X(READ, HOST_READ_BIT, STAGE(HOST_BIT))                                                                            \
    X(WRITE, HOST_WRITE_BIT, STAGE(HOST_BIT))                                                                          \
    X(WRITE, TRANSFORM_FEEDBACK_WRITE_BIT_EXT, STAGE(TRANSFORM_FEEDBACK_BIT_EXT))                                      \
    X(READ, TRANSFORM_FEEDBACK_COUNTER_READ_BIT_EXT, STAGE(DRAW_INDIRECT_BIT) | STAGE(TRANSFORM_FEEDBACK_BIT_EXT))     \
    X(WRITE, TRANSFORM_FEEDBACK_COUNTER_WRITE_BIT_EXT, STAGE(TRANSFORM_FEEDBACK_BIT_EXT))                              \
    X(READ, CONDITIONAL_RENDERING_READ_BIT_EXT, STAGE(CONDITIONAL_RENDERING_BIT_EXT))                                  \
    X(READ, FRAGMENT_SHADING_RATE_ATTACHMENT_READ_BIT_KHR, STAGE(FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR))            \
    X(READ, FRAGMENT_DENSITY_MAP_READ_BIT_EXT, STAGE(FRAGMENT_DENSITY_PROCESS_BIT_EXT))                                \
    X(READ, ACCELERATION_STRUCTURE_READ_BIT_KHR,                                                                       \
      SHADERS | STAGE(ACCELERATION_STRUCTURE_BUILD_BIT_KHR) | STAGE(ACCELERATION_STRUCTURE_COPY_BIT_KHR))              \
    X(WRITE, ACCELERATION_STRUCTURE_WRITE_BIT_KHR,                                                                     \
      STAGE(ACCELERATION_STRUCTURE_BUILD_BIT_KHR) | STAGE(ACCELERATION_STRUCTURE_COPY_BIT_KHR))                        \
    X(READ, MICROMAP_READ_BIT_EXT, BUILDS)                                                                             \
    X(WRITE, MICROMAP_WRITE_BIT_EXT, STAGE(MICROMAP_BUILD_BIT_EXT))                                                    \
    X(READ, VIDEO_DECODE_READ_BIT_KHR, STAGE(VIDEO_DECODE_BIT_KHR))                                                    \
    X(WRITE, VIDEO_DECODE_WRITE_BIT_KHR, STAGE(VIDEO_DECODE_BIT_KHR))

#define SHADER_READS                                                                                                   \
    (ACCESS(SHADER_SAMPLED_READ_BIT) | ACCESS(SHADER_STORAGE_READ_BIT) | ACCESS(SHADER_BINDING_TABLE_READ_BIT_KHR))

#define READ_OF_READ(name) ACCESS(name)
#define READ_OF_WRITE(name) 0
#define WRITE_OF_READ(name) 0
#define WRITE_OF_WRITE(name) ACCESS(name)
#define READ_OF_ROW(kind, name, stages) | READ_OF_##kind(name)
#define WRITE_OF_ROW(kind, name, stages) | WRITE_OF_##kind(name)
#define ALL_READS (0 ACCESS_ROWS(READ_OF_ROW))
#define ALL_WRITES (0 ACCESS_ROWS(WRITE_OF_ROW))

VkAccessFlags2 vk_filter_accesses(VkPipelineStageFlags2 stages, VkAccessFlags2 accesses)
{
    /* Stages of which nothing is known may do anything. */
    if (stages & ~(COMMANDS | STAGE(HOST_BIT)))
        return accesses;
#define KEEP_ROW(kind, name, able) | ((stages & (able)) ? ACCESS(name) : 0)
    VkAccessFlags2 possible = 0 ACCESS_ROWS(KEEP_ROW);
#undef KEEP_ROW
    return accesses & (possible | ~(ALL_READS | ALL_WRITES));
}

VkAccessFlags2 vk_expand_accesses(VkPipelineStageFlags2 stages, VkAccessFlags2 accesses)
{
    VkAccessFlags2 expanded =
        accesses & ~(ACCESS(MEMORY_READ_BIT) | ACCESS(MEMORY_WRITE_BIT) | ACCESS(SHADER_WRITE_BIT));
    if (accesses & ACCESS(MEMORY_READ_BIT))
        expanded |= ALL_READS;
    if (accesses & ACCESS(MEMORY_WRITE_BIT))
        expanded |= ALL_WRITES;
    if (accesses & ACCESS(SHADER_READ_BIT))
        expanded |= SHADER_READS;
    if (accesses & ACCESS(SHADER_WRITE_BIT))
        expanded |= ACCESS(SHADER_STORAGE_WRITE_BIT);
    return vk_filter_accesses(expand_stages(stages), expanded);
}

/* An access without a row may do both. */

VkAccessFlags2 vk_read_accesses(VkAccessFlags2 accesses)
{
    return accesses & ~(ALL_WRITES | ACCESS(MEMORY_WRITE_BIT) | ACCESS(SHADER_WRITE_BIT));
}

VkAccessFlags2 vk_write_accesses(VkAccessFlags2 accesses)
{
    return accesses & ~(ALL_READS | ACCESS(MEMORY_READ_BIT) | ACCESS(SHADER_READ_BIT));
}

enum vk_ownership vk_ownership_transfer(uint32_t src_family, uint32_t dst_family, uint32_t own_family)
{
    if (src_family == dst_family)
        return VK_OWNERSHIP_KEPT;
    if (vk_queue_family_is_external(dst_family) && (src_family == VK_QUEUE_FAMILY_IGNORED || src_family == own_family))
        return VK_OWNERSHIP_RELEASED;
    if (vk_queue_family_is_external(src_family) && (dst_family == VK_QUEUE_FAMILY_IGNORED || dst_family == own_family))
        return VK_OWNERSHIP_ACQUIRED;
    if (src_family == VK_QUEUE_FAMILY_IGNORED || dst_family == VK_QUEUE_FAMILY_IGNORED)
        return VK_OWNERSHIP_KEPT;
    if (src_family == own_family)
        return VK_OWNERSHIP_RELEASED;
    return dst_family == own_family ? VK_OWNERSHIP_ACQUIRED : VK_OWNERSHIP_KEPT;
}

VkPipelineStageFlags2 vk_dependency_src_stages(const VkDependencyInfo *info)
{
    VkPipelineStageFlags2 stages = 0;
    for (uint32_t i = 0; i < info->memoryBarrierCount; i++)
        stages |= info->pMemoryBarriers[i].srcStageMask;
    for (uint32_t i = 0; i < info->bufferMemoryBarrierCount; i++)
        stages |= info->pBufferMemoryBarriers[i].srcStageMask;
    for (uint32_t i = 0; i < info->imageMemoryBarrierCount; i++)
        stages |= info->pImageMemoryBarriers[i].srcStageMask;
    return stages;
}
