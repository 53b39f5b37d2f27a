/* Samplers that convert from Y'CbCr: what they mean is written into the shaders that use them. The texture units need
 * know nothing of planes: each is sampled by itself, the chroma planes where their samples lie beside those of luma,
 * and the specification's steps follow: swizzle, range, model. */
#ifndef VULKAN_RUNTIME_VK_YCBCR_LOWER_H
#define VULKAN_RUNTIME_VK_YCBCR_LOWER_H

#include "vulkan/runtime/descriptor/vk_descriptor_set_layout.h"

struct ir_builder;
struct ir_value;
struct vk_stage_job;

/* An element of a binding whose immutable sampler converts. */
struct vk_ycbcr_element {
    const struct vk_descriptor_set_layout *layout;
    const struct vk_descriptor_binding *binding;
    uint32_t set, index;
};

/* A family's part: the image and the sampler that its own `tex` takes. Planes are counted as vk_descriptor_ops
 * counts them: where it has one descriptor for all, the hardware rebuilds chroma and gives the components in order. */
struct vk_ycbcr_ops {
    struct ir_value *(*image)(struct ir_builder *b, const struct vk_ycbcr_element *element, unsigned plane);
    struct ir_value *(*sampler)(struct ir_builder *b, const struct vk_ycbcr_element *element);
};

/* Replaces the samples of such bindings by samples of the planes and the conversion's arithmetic. */
VkResult vk_lower_ycbcr(struct vk_device *device, const struct vk_stage_job *job, const struct vk_ycbcr_ops *ops);

#endif
