/* VkShaderEXT: one stage without a pipeline (VK_EXT_shader_object). Fully the runtime's; a driver that has pipelines,
 * and whose state is all dynamic, has shader objects, too.
 *
 * An object is the IR of its stage and a layout. What the GPU runs depends on the stages together and on the targets:
 * a draw asks for the *mix* of what is bound, which is a pipeline without static state that nobody sees. A mix is
 * compiled when it is first drawn with, and lives as long as all its objects. A compute shader is a pipeline at once.
 *
 * vk_shader_object_layer stands in front of devices that enabled the feature: it binds the mix before a draw. Others
 * pay nothing. */
#ifndef VULKAN_RUNTIME_VK_SHADER_OBJECT_H
#define VULKAN_RUNTIME_VK_SHADER_OBJECT_H

#include "vulkan/runtime/pipeline/vk_pipeline.h"
#include "vulkan/runtime/pipeline/vk_stage_ir.h"
#include "vulkan/runtime/render/vk_graphics_state.h"

struct vk_command_buffer;
struct vk_layer;

#define VK_SHADER_BINARY_VERSION 1

struct vk_shader_object {
    struct vk_object_base base;
    struct vk_stage_info info;
    VkShaderCreateFlagsEXT flags;
    struct vk_pipeline_layout *layout; /* a reference */
    struct vk_stage_ir *ir;            /* a reference */
    VkPipeline compute;                /* of a compute shader */
};

VK_DEFINE_CASTS(vk_shader_object, VkShaderEXT)

/* The shader objects and the state that make a pipeline. Compared as bytes: made by memset and assignments. */
struct vk_shader_mix {
    const struct vk_shader_object *stages[VK_PIPELINE_MAX_STAGES]; /* by vk_stage_index */
    struct vk_rendering_formats formats;
    uint32_t topology; /* the list of its class */
};

/* The shader objects that a recording has bound. */
struct vk_bound_objects {
    bool is_used;  /* draws use objects: no pipeline was bound since */
    bool is_bound; /* the pipeline of `mix` is */
    const struct vk_shader_object *stages[VK_PIPELINE_MAX_STAGES];
    /* Of the pipeline that draws used before: what the driver had of its static state is the objects' until commands
     * say something else. Applications must say it, but rely on this. */
    const struct vk_dynamic_graphics_state *before;
    struct vk_shader_mix mix;
    /* The local reads of the rendering; the rest of the formats is elsewhere. */
    struct vk_rendering_formats local;
};

/* A rendering begins: outputs have the numbers of attachments. */
static inline void vk_bound_objects_new_rendering(struct vk_bound_objects *objects)
{
    objects->local.has_locations = false;
    objects->local.feedback_loop = 0;
}

/* A recording begins, a secondary one with what it inherits. */
void vk_bound_objects_begin(struct vk_bound_objects *objects, VkCommandBufferLevel level,
                            const VkCommandBufferBeginInfo *info);

extern const struct vk_layer vk_shader_object_layer;

/* ---- for vk_shader_object*.c ---- */

/* All mixes of a device. */
struct vk_shader_mix_entry;
struct vk_shader_mixes {
    pthread_mutex_t lock;
    struct vk_shader_mix_entry *buckets[256];
};

/* The pipeline of a mix: found or made. */
VkResult vk_shader_mix_pipeline(struct vk_device *device, const struct vk_shader_mix *mix, VkPipeline *pipeline_out);
/* Mixes with this object are destroyed. */
void vk_shader_mixes_forget(struct vk_device *device, const struct vk_shader_object *object);

#endif
