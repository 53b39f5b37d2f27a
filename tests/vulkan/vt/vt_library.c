/* Graphics pipelines by way of libraries: the parts of a create info by themselves, and what links them. */
#include "vt/vt_graphics.h"

#define VERTEX_INPUT VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT
#define PRE_RASTERIZATION VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT
#define FRAGMENT_SHADER VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT
#define FRAGMENT_OUTPUT VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT

const struct vt_library_way vt_library_ways[VT_LIBRARY_WAYS] = {
    {"of four libraries", {VERTEX_INPUT, PRE_RASTERIZATION, FRAGMENT_SHADER, FRAGMENT_OUTPUT}},
    {"of two libraries", {VERTEX_INPUT | PRE_RASTERIZATION, FRAGMENT_SHADER | FRAGMENT_OUTPUT}},
    {"of shaders and the rest", {PRE_RASTERIZATION | FRAGMENT_SHADER, VERTEX_INPUT | FRAGMENT_OUTPUT}},
    {"of all but the output", {VERTEX_INPUT | PRE_RASTERIZATION | FRAGMENT_SHADER, FRAGMENT_OUTPUT}},
    {"of libraries of libraries",
     {VERTEX_INPUT, FRAGMENT_OUTPUT, PRE_RASTERIZATION, FRAGMENT_SHADER},
     .is_nested = true},
    {"of libraries with a part of its own",
     {FRAGMENT_SHADER, FRAGMENT_OUTPUT},
     .own = VERTEX_INPUT | PRE_RASTERIZATION},
    {"of optimised libraries",
     {VERTEX_INPUT, PRE_RASTERIZATION, FRAGMENT_SHADER, FRAGMENT_OUTPUT},
     .is_optimised = true},
};

/* The parts that there are of this pipeline. */
static VkGraphicsPipelineLibraryFlagsEXT parts_of(const VkGraphicsPipelineCreateInfo *info)
{
    VkGraphicsPipelineLibraryFlagsEXT parts = VERTEX_INPUT | PRE_RASTERIZATION | FRAGMENT_SHADER | FRAGMENT_OUTPUT;
    for (uint32_t i = 0; i < info->stageCount; i++) {
        if (info->pStages[i].stage == VK_SHADER_STAGE_MESH_BIT_EXT)
            parts &= ~(VkGraphicsPipelineLibraryFlagsEXT)VERTEX_INPUT;
    }
    for (uint32_t i = 0; info->pDynamicState && i < info->pDynamicState->dynamicStateCount; i++) {
        if (info->pDynamicState->pDynamicStates[i] == VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE)
            return parts;
    }
    if (info->pRasterizationState->rasterizerDiscardEnable)
        parts &= VERTEX_INPUT | PRE_RASTERIZATION;
    return parts;
}

static VkPipeline create_library(struct vt *vt, const VkGraphicsPipelineCreateInfo *info)
{
    VkPipeline pipeline = VK_NULL_HANDLE;
    VT_CHECK(vt, vkCreateGraphicsPipelines(vt->device, VK_NULL_HANDLE, 1, info, NULL, &pipeline));
    vt_defer(vt, vt_destroy_pipeline, (uint64_t)pipeline);
    return pipeline;
}

/* The part of the create info that belongs to the parts; all pointers of others are left out, so that nobody reads
 * them. */
static VkGraphicsPipelineCreateInfo part_info(const VkGraphicsPipelineCreateInfo *whole,
                                              VkGraphicsPipelineLibraryFlagsEXT parts,
                                              VkPipelineShaderStageCreateInfo stages[8])
{
    VkGraphicsPipelineCreateInfo info = *whole;
    info.stageCount = 0;
    info.pStages = stages;
    for (uint32_t i = 0; i < whole->stageCount; i++) {
        const bool is_fragment = whole->pStages[i].stage == VK_SHADER_STAGE_FRAGMENT_BIT;
        if (parts & (is_fragment ? FRAGMENT_SHADER : PRE_RASTERIZATION))
            stages[info.stageCount++] = whole->pStages[i];
    }
    if (!(parts & VERTEX_INPUT)) {
        info.pVertexInputState = NULL;
        info.pInputAssemblyState = NULL;
    }
    if (!(parts & PRE_RASTERIZATION)) {
        info.pTessellationState = NULL;
        info.pViewportState = NULL;
        info.pRasterizationState = NULL;
    }
    if (!(parts & FRAGMENT_SHADER))
        info.pDepthStencilState = NULL;
    if (!(parts & FRAGMENT_OUTPUT))
        info.pColorBlendState = NULL;
    if (!(parts & (FRAGMENT_SHADER | FRAGMENT_OUTPUT)))
        info.pMultisampleState = NULL;
    if (!(parts & (PRE_RASTERIZATION | FRAGMENT_SHADER)))
        info.layout = VK_NULL_HANDLE;
    return info;
}

/* The chain of the create info, in which formats come first; only the output's part has any. */
static const void *part_chain(const VkGraphicsPipelineCreateInfo *whole, VkGraphicsPipelineLibraryFlagsEXT parts,
                              VkPipelineRenderingCreateInfo *rendering)
{
    const VkBaseInStructure *first = whole->pNext;
    if (!first || first->sType != VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO || parts & FRAGMENT_OUTPUT)
        return first;
    *rendering = (VkPipelineRenderingCreateInfo){.sType = first->sType,
                                                 .pNext = first->pNext,
                                                 .viewMask = ((const VkPipelineRenderingCreateInfo *)first)->viewMask};
    return rendering;
}

static VkPipeline make_part(struct vt *vt, const VkGraphicsPipelineCreateInfo *whole,
                            VkGraphicsPipelineLibraryFlagsEXT parts, VkPipelineCreateFlags flags,
                            const VkPipelineLayout *layout)
{
    VkPipelineShaderStageCreateInfo stages[8];
    VkPipelineRenderingCreateInfo rendering;
    const VkGraphicsPipelineLibraryCreateInfoEXT kind = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT,
        .pNext = (void *)(uintptr_t)part_chain(whole, parts, &rendering),
        .flags = parts};
    VkGraphicsPipelineCreateInfo info = part_info(whole, parts, stages);
    info.pNext = &kind;
    info.flags |= VK_PIPELINE_CREATE_LIBRARY_BIT_KHR | flags;
    if (layout && info.layout)
        info.layout = *layout;
    return create_library(vt, &info);
}

/* Without what a library already said. */
static VkPipeline join_libraries(struct vt *vt, const VkGraphicsPipelineCreateInfo *whole, const VkPipeline *libraries,
                                 uint32_t count, VkPipelineCreateFlags flags)
{
    const VkPipelineLibraryCreateInfoKHR list = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR, .libraryCount = count, .pLibraries = libraries};
    const VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                               .pNext = &list,
                                               .flags = whole->flags | flags,
                                               .layout = whole->layout};
    return create_library(vt, &info);
}

/* The last part comes with the create info that links the others. */
static VkPipeline join_own(struct vt *vt, const VkGraphicsPipelineCreateInfo *whole, const VkPipeline *libraries,
                           uint32_t count, VkGraphicsPipelineLibraryFlagsEXT own)
{
    VkPipelineShaderStageCreateInfo stages[8];
    VkPipelineRenderingCreateInfo rendering;
    const VkPipelineLibraryCreateInfoKHR list = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR,
                                                 .pNext = part_chain(whole, own, &rendering),
                                                 .libraryCount = count,
                                                 .pLibraries = libraries};
    const VkGraphicsPipelineLibraryCreateInfoEXT kind = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT,
        .pNext = (void *)(uintptr_t)&list,
        .flags = own};
    VkGraphicsPipelineCreateInfo info = part_info(whole, own, stages);
    info.pNext = &kind;
    return create_library(vt, &info);
}

static bool links_fast(struct vt *vt)
{
    VkPhysicalDeviceGraphicsPipelineLibraryPropertiesEXT library = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &library};
    vkGetPhysicalDeviceProperties2(vt->physical, &properties);
    /* lavapipe compiles nothing where it links, and says all the same that it would have to. */
    return library.graphicsPipelineLibraryFastLinking && vt->features13.pipelineCreationCacheControl &&
           vt->driver != VK_DRIVER_ID_MESA_LLVMPIPE;
}

void vt_need_libraries(struct vt *vt)
{
    if (!vt->has[VT_GRAPHICS_PIPELINE_LIBRARY] || !vt->has[VT_PIPELINE_LIBRARY])
        vt_skip(vt, "no VK_EXT_graphics_pipeline_library");
}

VkPipeline vt_link_pipeline(struct vt *vt, const VkGraphicsPipelineCreateInfo *info, const struct vt_library_way *way,
                            const VkPipelineLayout layouts[2])
{
    const VkGraphicsPipelineLibraryFlagsEXT there = parts_of(info), own = way->own & there;
    const VkPipelineCreateFlags keep =
        way->is_optimised ? VK_PIPELINE_CREATE_RETAIN_LINK_TIME_OPTIMIZATION_INFO_BIT_EXT : 0;
    VkPipeline parts[4], halves[2];
    uint32_t count = 0, joined = 0;
    vt_need_libraries(vt);
    if (vt->is_validated && !(there & VERTEX_INPUT))
        vt_skip(vt, "the layers take no mesh shader for one of a library before the rasteriser");
    if (vt->is_validated && !(there & FRAGMENT_OUTPUT))
        vt_skip(vt, "Debian 12's layers end where a draw has no library of the output");
    if (vt->driver == VK_DRIVER_ID_MESA_LLVMPIPE && !(there & FRAGMENT_OUTPUT) &&
        VK_API_VERSION_MAJOR(vt->properties.driverVersion) < 23)
        vt_skip(vt, "lavapipe looks for the library of the output where there is none");
    for (uint32_t i = 0; i < COUNT_OF(way->parts); i++) {
        const VkGraphicsPipelineLibraryFlagsEXT part = way->parts[i] & there;
        if (part)
            parts[count++] = make_part(vt, info, part, keep, !layouts ? NULL : &layouts[!(part & PRE_RASTERIZATION)]);
    }
    if (own)
        return join_own(vt, info, parts, count, own);
    if (way->is_nested) {
        for (uint32_t first = 0; first < count; first += 2)
            halves[joined++] =
                join_libraries(vt, info, parts + first, count - first < 2 ? 1 : 2, VK_PIPELINE_CREATE_LIBRARY_BIT_KHR);
        return join_libraries(vt, info, halves, joined, 0);
    }
    /* A driver that says that linking is fast has nothing to compile. */
    VkPipelineCreateFlags flags = way->is_optimised ? VK_PIPELINE_CREATE_LINK_TIME_OPTIMIZATION_BIT_EXT
                                  : links_fast(vt)  ? VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT
                                                    : 0;
    return join_libraries(vt, info, parts, count, flags);
}
