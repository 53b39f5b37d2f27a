/* A pipeline's graphics state as a whole: its defaults, and putting libraries together. Reading a create info is
 * vk_graphics_state_fill.c's. */
#include "vulkan/runtime/render/vk_graphics_state.h"

#include "util/bits.h"
#include "vulkan/runtime/object/vk_struct.h"
#include "vulkan/runtime/pipeline/vk_pipeline_flags.h"
#include "vulkan/runtime/render/vk_dynamic_state.h"
#include "vulkan/runtime/render/vk_graphics_state_private.h"

#define BOTH(...)                                                                                                      \
    {                                                                                                                  \
        __VA_ARGS__, __VA_ARGS__                                                                                       \
    }

const struct vk_dynamic_graphics_state vk_dynamic_graphics_state_default = {
    .ia.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST,
    .rs =
        {
            .depth_clip = VK_DEPTH_CLIP_UNLESS_CLAMP,
            .line_width = 1.0f,
            .line_stipple = {.factor = 1, .pattern = 0xffff},
        },
    .ds =
        {
            .depth_compare_op = VK_COMPARE_OP_ALWAYS,
            .depth_bounds = {.min = 0.0f, .max = 1.0f},
            .stencil_ops = BOTH({.compare = VK_COMPARE_OP_ALWAYS}),
        },
    .ms = {.samples = VK_SAMPLE_COUNT_1_BIT, .sample_mask = UINT64_MAX},
    .cb.color_write_enables = UINT8_MAX,
    .fsr = {.fragment_size = {1, 1}, .combiners = BOTH(VK_FRAGMENT_SHADING_RATE_COMBINER_OP_KEEP_KHR)},
};

uint64_t vk_graphics_subset_rows(VkGraphicsPipelineLibraryFlagsEXT subsets)
{
    uint64_t rows = 0;
    if (subsets & VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT)
        rows |= VK_DYN_SUBSET_VERTEX_INPUT_INTERFACE;
    if (subsets & VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT)
        rows |= VK_DYN_SUBSET_PRE_RASTERIZATION_SHADERS;
    if (subsets & VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT)
        rows |= VK_DYN_SUBSET_FRAGMENT_SHADER;
    if (subsets & VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT)
        rows |= VK_DYN_SUBSET_FRAGMENT_OUTPUT_INTERFACE;
    return rows;
}

VkGraphicsPipelineLibraryFlagsEXT vk_graphics_pipeline_subsets(const VkGraphicsPipelineCreateInfo *info)
{
    const VkGraphicsPipelineLibraryCreateInfoEXT *subsets =
        vk_find_struct_const(info->pNext, VkGraphicsPipelineLibraryCreateInfoEXT);
    if (subsets)
        return subsets->flags & VK_GRAPHICS_SUBSETS_ALL;
    const VkPipelineLibraryCreateInfoKHR *libraries = vk_find_struct_const(info->pNext, VkPipelineLibraryCreateInfoKHR);
    if ((vk_pipeline_create_flags(info->pNext, info->flags) & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR) ||
        (libraries && libraries->libraryCount > 0))
        return 0;
    return VK_GRAPHICS_SUBSETS_ALL;
}

void vk_graphics_state_init(struct vk_graphics_state *state)
{
    *state = (struct vk_graphics_state){.dyn = vk_dynamic_graphics_state_default};
}

void vk_graphics_state_merge(struct vk_graphics_state *state, const struct vk_graphics_state *library)
{
    VkGraphicsPipelineLibraryFlagsEXT subsets = library->subsets & ~state->subsets;
    uint64_t rows = vk_graphics_subset_rows(subsets);
    vk_dynamic_rows_copy(&state->dyn, &library->dyn, rows);
    state->dyn.set |= library->dyn.set & rows;
    state->dyn.fixed |= library->dyn.fixed & rows;
    state->dynamic |= library->dynamic & rows;
    state->stages |= library->stages;
    if (subsets & VK_GRAPHICS_SUBSETS_SHADERS)
        state->rendering.view_mask = library->rendering.view_mask;
    if (subsets & VK_GRAPHICS_SUBSETS_FRAGMENT) {
        /* Two libraries that both know of sample shading agree. */
        state->sample_shading_enable |= library->sample_shading_enable;
        state->min_sample_shading = MAX2(state->min_sample_shading, library->min_sample_shading);
    }
    if (subsets & VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT) {
        state->depth_stencil_flags = library->depth_stencil_flags;
        vk_rendering_formats_take_inputs(&state->rendering, &library->rendering);
    }
    if (subsets & VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT) {
        const struct vk_rendering_formats known = state->rendering;
        state->rendering = library->rendering;
        state->rendering.view_mask = known.view_mask;
        if (!(library->subsets & VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT))
            vk_rendering_formats_take_inputs(&state->rendering, &known);
        state->color_blend_flags = library->color_blend_flags;
    }
    state->subsets |= subsets;
}

uint64_t vk_graphics_state_open_rows(const struct vk_graphics_state *state)
{
    return state->dynamic | vk_graphics_subset_rows(VK_GRAPHICS_SUBSETS_ALL & ~state->subsets);
}

void vk_graphics_state_complete(struct vk_graphics_state *state)
{
    uint64_t missing = VK_DYN_ALL & ~(state->dyn.set | state->dynamic);
    state->dyn.set |= missing;
    state->dyn.fixed |= missing;
    state->subsets = VK_GRAPHICS_SUBSETS_ALL;
}
