/* The shared part of vk_graphics_state.c and vk_graphics_state_fill.c. */
#ifndef VULKAN_RUNTIME_VK_GRAPHICS_STATE_PRIVATE_H
#define VULKAN_RUNTIME_VK_GRAPHICS_STATE_PRIVATE_H

#include "vulkan/runtime/render/vk_graphics_state.h"

/* Subsets by what they have in common: stages, and what comes after rasterization. */
#define VK_GRAPHICS_SUBSETS_SHADERS                                                                                    \
    (VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT |                                                  \
     VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT)
#define VK_GRAPHICS_SUBSETS_FRAGMENT                                                                                   \
    (VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT |                                                            \
     VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT)
#define VK_GRAPHICS_SUBSETS_ALL                                                                                        \
    (VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT | VK_GRAPHICS_SUBSETS_SHADERS |                       \
     VK_GRAPHICS_SUBSETS_FRAGMENT)

extern const struct vk_dynamic_graphics_state vk_dynamic_graphics_state_default;

/* The rows that these subsets decide: each row belongs to one. */
uint64_t vk_graphics_subset_rows(VkGraphicsPipelineLibraryFlagsEXT subsets);

/* The local reads of a rendering: which outputs colours take, and which of depth and stencil may be read while they
 * are drawn to. `chain` has both, either or none; an info of NULL says nothing. */
void vk_rendering_formats_read_locations(struct vk_rendering_formats *formats,
                                         const VkRenderingAttachmentLocationInfoKHR *info);
void vk_rendering_formats_read_inputs(struct vk_rendering_formats *formats,
                                      const VkRenderingInputAttachmentIndexInfoKHR *info);
/* Inputs alone, which are the fragment shader's: all else is the attachments'. */
void vk_rendering_formats_take_inputs(struct vk_rendering_formats *formats, const struct vk_rendering_formats *from);
void vk_rendering_formats_read_local(struct vk_rendering_formats *formats, const void *chain);

#endif
