/* VkPipeline: references to shaders, a layout, and for graphics the static state. Fully the runtime's: creation,
 * libraries and their linking, caches, feedback, executables, vkCmdBindPipeline. What a driver adds is in
 * vk_codegen. */
#ifndef VULKAN_RUNTIME_VK_PIPELINE_H
#define VULKAN_RUNTIME_VK_PIPELINE_H

#include "vulkan/runtime/pipeline/vk_shader.h"

struct vk_dynamic_graphics_state;
struct vk_graphics_library;

/* Stages by the number of their bit, vertex to mesh; compute has a place among them. */
#define VK_PIPELINE_MAX_STAGES 8

static inline uint32_t vk_stage_index(VkShaderStageFlagBits stage)
{
    return (uint32_t)__builtin_ctz(stage);
}

struct vk_pipeline {
    struct vk_object_base base;
    VkPipelineBindPoint bind_point;
    VkPipelineCreateFlags flags;
    struct vk_pipeline_layout *layout; /* a reference; NULL where a library needs none */
    VkShaderStageFlags stages;
    struct vk_shader *shaders[VK_PIPELINE_MAX_STAGES]; /* references, by vk_stage_index; NULL: no such stage */
    void *driver_data;                                 /* of vk_codegen.bake */
};

VK_DEFINE_CASTS(vk_pipeline, VkPipeline)

/* The shaders of a record of the binding table: each of these may be NULL. */
struct vk_ray_group {
    VkRayTracingShaderGroupTypeKHR type;
    struct vk_shader *main; /* of a general group its shader, of others what is called for the closest hit */
    struct vk_shader *any_hit, *intersection;
};

/* Its stages are compiled one by one, and there may be several of one kind. A library is the same without driver_data;
 * a pipeline that links it has its shaders and groups after its own. */
struct vk_ray_pipeline {
    struct vk_pipeline base; /* `shaders` of it are not used */
    uint32_t shader_count;
    struct vk_shader **shaders; /* references */
    uint32_t group_count;
    struct vk_ray_group *groups;
    uint32_t max_depth;     /* of rays that shaders of rays send */
    uint32_t stack_B;       /* by the specification's sum; not looked at where the size is dynamic */
    bool has_dynamic_stack; /* vkCmdSetRayTracingPipelineStackSizeKHR says */
};

static inline struct vk_ray_pipeline *vk_ray_pipeline(struct vk_pipeline *pipeline)
{
    return (struct vk_ray_pipeline *)pipeline;
}

struct vk_graphics_pipeline {
    struct vk_pipeline base;
    /* The static state, to be copied into a command buffer's by a bind. NULL in a library. */
    struct vk_dynamic_graphics_state *dynamic;
    /* Rows of it that a bind leaves out, because the driver has what it needs of them in driver_data: its `bake`
     * says so. */
    uint64_t baked_rows;
    /* State for linking; NULL in a pipeline that can be bound. vk_pipeline_graphics.c's alone. */
    struct vk_graphics_library *library;
};

static inline struct vk_graphics_pipeline *vk_graphics_pipeline(struct vk_pipeline *pipeline)
{
    return (struct vk_graphics_pipeline *)pipeline;
}

#endif
