/* The shared part of the creation of all kinds of pipelines: stages become shaders, and the application gets
 * feedback. Only for vk_pipeline*.c. */
#ifndef VULKAN_RUNTIME_VK_PIPELINE_INTERNAL_H
#define VULKAN_RUNTIME_VK_PIPELINE_INTERNAL_H

#include "vulkan/runtime/pipeline/vk_pipeline.h"
#include "vulkan/runtime/pipeline/vk_stage_ir.h"

/* One stage of a pipeline that is being made. */
struct vk_build_stage {
    struct vk_stage_info info;
    const VkPipelineShaderStageCreateInfo *create; /* NULL: it comes from a library */
    struct vk_stage_ir *kept;                      /* the library's; borrowed. NULL: read the words of `create` */
    struct vk_shader *linked;                      /* the library's code, borrowed; NULL: it is to be compiled */
    uint32_t feedback_index;                       /* of `create` in the create info */

    uint8_t key[VK_HASH_SIZE_B]; /* of the compiled shader */
    bool in_cache;               /* the application's cache had it */
    uint64_t duration_ns;
    struct vk_shader *shader; /* a reference: vk_pipeline_build_shaders gives it, vk_pipeline_take_shaders takes it */
};

struct vk_pipeline_build {
    struct vk_device *device;
    struct vk_pipeline_cache *cache; /* may be NULL */
    VkPipelineCreateFlags flags;
    struct vk_pipeline_layout *layout;     /* borrowed; may be NULL */
    const struct vk_graphics_state *state; /* NULL: compute */
    uint32_t count;
    struct vk_build_stage stages[VK_PIPELINE_MAX_STAGES]; /* in the order of the pipeline */
};

/* All stages' shaders: found by their keys or compiled together. On an error no stage has one. */
VkResult vk_pipeline_build_shaders(struct vk_pipeline_build *build);

/* The build's references become the pipeline's. */
void vk_pipeline_take_shaders(struct vk_pipeline *pipeline, struct vk_pipeline_build *build);

/* Pipelines of stages whose IR is there already: what shader objects become. `stages` are by vk_stage_index, without an
 * IR where there is none. The layout is borrowed. */
struct vk_kept_stage {
    const struct vk_stage_info *info;
    struct vk_stage_ir *ir;
};
VkResult vk_graphics_pipeline_of_stages(struct vk_device *device, const struct vk_graphics_state *state,
                                        struct vk_pipeline_layout *layout, const struct vk_kept_stage *stages,
                                        VkPipeline *pipeline_out);
VkResult vk_compute_pipeline_of_stage(struct vk_device *device, const struct vk_stage_info *info,
                                      struct vk_stage_ir *ir, struct vk_pipeline_layout *layout,
                                      VkPipelineCreateFlags flags, VkPipeline *pipeline_out);

/* Creation feedback. A stage that the pipeline does not use has none. */
uint64_t vk_pipeline_now_ns(void);
void vk_pipeline_write_feedback(const void *chain, const struct vk_pipeline_build *build, uint64_t start_ns,
                                VkResult result);
void vk_pipeline_write_stages_feedback(const void *chain, const struct vk_build_stage *stages, uint32_t count,
                                       uint64_t start_ns, VkResult result);

/* vkCreate*Pipelines' rule for many: `create` makes the one with that index; where it fails its handle is
 * VK_NULL_HANDLE, and unless its flags ask for an early return the others are tried, too. An error counts more than
 * VK_PIPELINE_COMPILE_REQUIRED. */
struct vk_pipeline_batch {
    struct vk_device *device;
    struct vk_pipeline_cache *cache;
    const VkAllocationCallbacks *allocator;
    uint32_t count;
    const void *infos;
    VkResult (*create)(const struct vk_pipeline_batch *batch, uint32_t index, VkPipeline *pipeline_out,
                       VkPipelineCreateFlags *flags_out);
};
VkResult vk_pipeline_create_batch(const struct vk_pipeline_batch *batch, VkPipeline *pipelines_out);

/* The part that every pipeline has; zeroed after it up to `size_B`. */
void *vk_pipeline_create(const struct vk_pipeline_batch *batch, size_t size_B, VkPipelineBindPoint bind_point,
                         VkPipelineCreateFlags flags, struct vk_pipeline_layout *layout);
/* The driver's part, for a pipeline that has everything else. On an error the pipeline is destroyed. */
VkResult vk_pipeline_bake(struct vk_pipeline *pipeline, const struct vk_graphics_state *state,
                          const VkAllocationCallbacks *allocator);
/* Without the driver's part. */
void vk_pipeline_destroy(struct vk_pipeline *pipeline, const VkAllocationCallbacks *allocator);

/* A graphics pipeline's part beyond the common one: at a bind, and at its end. */
void vk_graphics_pipeline_bind_state(struct vk_command_buffer *command_buffer,
                                     const struct vk_graphics_pipeline *pipeline);
void vk_graphics_pipeline_release(struct vk_graphics_pipeline *pipeline, const VkAllocationCallbacks *allocator);

void vk_ray_pipeline_release(struct vk_ray_pipeline *pipeline);

#endif
