/* Graphics pipelines: complete ones, libraries, and the linking of libraries.
 *
 * A library has the flattened state, the layout and, where the driver compiles parts of pipelines, the shaders of its
 * stages; linking puts the parts together and compiles nothing. Where the driver does not, or where the application
 * wants linking to optimise, a library keeps the IR of its stages, and linking goes the way of a pipeline that was made
 * in one piece: both get the same keys and share their shaders, and stages are compiled knowing each other. */
#include "util/bits.h"
#include "vulkan/runtime/command/vk_command_buffer.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/object/vk_struct.h"
#include "vulkan/runtime/pipeline/vk_pipeline_flags.h"
#include "vulkan/runtime/pipeline/vk_pipeline_internal.h"
#include "vulkan/runtime/render/vk_graphics_state.h"
#include "vulkan/runtime/render/vk_graphics_state_private.h"
#include "vulkan/runtime/render/vk_render_pass.h"

#define PRE_RASTERIZATION VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT
#define FRAGMENT_SHADER VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT
#define FRAGMENT_OUTPUT VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT

struct library_stage {
    struct vk_stage_info info;
    struct vk_stage_ir *ir; /* a reference; NULL: nobody will ask for it */
};

struct vk_graphics_library {
    struct vk_graphics_state state;
    uint32_t stage_count;
    struct library_stage stages[VK_PIPELINE_MAX_STAGES];
};

/* One pipeline that is being made. */
struct making {
    const struct vk_pipeline_batch *batch;
    const VkGraphicsPipelineCreateInfo *info;
    VkGraphicsPipelineLibraryFlagsEXT own; /* what the create info itself gives */
    uint32_t library_count;
    const VkPipeline *libraries;
    struct vk_pipeline_layout *layout; /* a reference */
    struct vk_graphics_state state;
    struct vk_pipeline_build build;
};

static const struct vk_graphics_library *library_of(const struct making *making, uint32_t index)
{
    return vk_graphics_pipeline(vk_pipeline_from_handle(making->libraries[index]))->library;
}

/* ---- the state ---- */

static void make_state(struct making *making, uint32_t fill_flags)
{
    const VkGraphicsPipelineCreateInfo *info = making->info;
    struct vk_rendering_formats formats, *subpass = NULL;
    /* Only these parts know a render pass; the handle may be anything for the others. */
    if ((making->own & (PRE_RASTERIZATION | FRAGMENT_SHADER | FRAGMENT_OUTPUT)) && info->renderPass) {
        subpass = &formats;
        vk_render_pass_formats(vk_render_pass_from_handle(info->renderPass), info->subpass, subpass);
    }
    vk_graphics_state_init(&making->state);
    for (uint32_t i = 0; i < making->library_count; i++)
        vk_graphics_state_merge(&making->state, &library_of(making, i)->state);
    vk_graphics_state_fill(&making->state, info, subpass, fill_flags);
    if (!(making->build.flags & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR))
        vk_graphics_state_complete(&making->state);
}

static VkResult make_layout(struct making *making)
{
    struct vk_pipeline_layout *layouts[1 + 4];
    uint32_t count = 0;
    /* A part without shaders has no use for a layout; a create info that links whole libraries may give the final one.
     */
    if (!making->own || (making->own & (PRE_RASTERIZATION | FRAGMENT_SHADER)))
        layouts[count++] = vk_pipeline_layout_from_handle(making->info->layout);
    for (uint32_t i = 0; i < making->library_count && count < ARRAY_SIZE(layouts); i++) {
        struct vk_pipeline_layout *layout = vk_pipeline_from_handle(making->libraries[i])->layout;
        if (layout) /* at most one per part, and there are four */
            layouts[count++] = layout;
    }
    return vk_pipeline_layout_merge(making->batch->device, count, layouts, &making->layout);
}

/* ---- the stages ---- */

static const VkShaderStageFlagBits stage_order[] = {
    VK_SHADER_STAGE_TASK_BIT_EXT,
    VK_SHADER_STAGE_MESH_BIT_EXT,
    VK_SHADER_STAGE_VERTEX_BIT,
    VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
    VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
    VK_SHADER_STAGE_GEOMETRY_BIT,
    VK_SHADER_STAGE_FRAGMENT_BIT,
};

/* The stages that count: a create info may name others, which are ignored. */
static VkShaderStageFlags own_stages(const struct making *making)
{
    VkShaderStageFlags pre_rasterization =
        VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT;
    pre_rasterization &= ~(VkShaderStageFlags)VK_SHADER_STAGE_FRAGMENT_BIT;
    return (making->own & PRE_RASTERIZATION ? pre_rasterization : 0) |
           (making->own & FRAGMENT_SHADER ? VK_SHADER_STAGE_FRAGMENT_BIT : 0);
}

static bool rasterization_is_off(const struct vk_graphics_state *state)
{
    return (state->dyn.set & VK_DYN(RASTERIZER_DISCARD)) && state->dyn.rs.discard_enable;
}

static bool add_own(struct making *making, VkShaderStageFlagBits stage)
{
    for (uint32_t i = 0; i < making->info->stageCount; i++) {
        const VkPipelineShaderStageCreateInfo *create = &making->info->pStages[i];
        if (create->stage != stage)
            continue;
        struct vk_build_stage *added = &making->build.stages[making->build.count++];
        *added = (struct vk_build_stage){.create = create, .feedback_index = i};
        return vk_stage_info_init(&added->info, making->batch->device, create, making->info->pNext);
    }
    return true;
}

static void add_from_libraries(struct making *making, VkShaderStageFlagBits stage)
{
    for (uint32_t i = 0; i < making->library_count; i++) {
        const struct vk_graphics_library *library = library_of(making, i);
        struct vk_shader *shader = vk_pipeline_from_handle(making->libraries[i])->shaders[vk_stage_index(stage)];
        for (uint32_t j = 0; j < library->stage_count; j++) {
            if (library->stages[j].info.stage != stage)
                continue;
            making->build.stages[making->build.count++] = (struct vk_build_stage){
                .info = library->stages[j].info,
                .kept = library->stages[j].ir,
                .linked = shader,
            };
            return;
        }
    }
}

/* False where a stage has neither words nor an identifier of ours. */
static bool collect_stages(struct making *making)
{
    VkShaderStageFlags own = own_stages(making);
    making->state.stages = 0;
    for (uint32_t i = 0; i < ARRAY_SIZE(stage_order); i++) {
        VkShaderStageFlagBits stage = stage_order[i];
        if (stage == VK_SHADER_STAGE_FRAGMENT_BIT && rasterization_is_off(&making->state))
            continue;
        uint32_t before = making->build.count;
        if ((own & stage) && !add_own(making, stage))
            return false;
        if (making->build.count == before)
            add_from_libraries(making, stage);
        if (making->build.count != before)
            making->state.stages |= stage;
    }
    return true;
}

/* ---- parts ---- */

/* Whether linking takes the libraries' code as it is: unless it is to optimise, for which all IR must be there. */
static bool joins_code(const struct making *making)
{
    bool optimises = making->build.flags & VK_PIPELINE_CREATE_LINK_TIME_OPTIMIZATION_BIT_EXT, has_code = false;
    for (uint32_t i = 0; i < making->build.count; i++) {
        const struct vk_build_stage *stage = &making->build.stages[i];
        has_code |= stage->linked != NULL;
        optimises &= stage->create || stage->kept;
    }
    return has_code && !optimises;
}

/* Compiles the stages that no library has code of, and takes the others' as it is. */
static VkResult build_parts(struct making *making)
{
    struct vk_pipeline_build *whole = &making->build, part = *whole;
    struct vk_graphics_state known = making->state;
    uint32_t from[VK_PIPELINE_MAX_STAGES];
    part.state = &known;
    part.count = 0;
    for (uint32_t i = 0; i < whole->count; i++) {
        struct vk_build_stage *stage = &whole->stages[i];
        if (stage->linked && stage->info.stage == VK_SHADER_STAGE_FRAGMENT_BIT)
            known.subsets &= ~(VkGraphicsPipelineLibraryFlagsEXT)FRAGMENT_SHADER;
        if (stage->linked)
            continue;
        from[part.count] = i;
        part.stages[part.count++] = *stage;
    }
    VkResult result = part.count ? vk_pipeline_build_shaders(&part) : VK_SUCCESS;
    for (uint32_t i = 0; i < part.count; i++)
        whole->stages[from[i]] = part.stages[i];
    for (uint32_t i = 0; i < whole->count && result == VK_SUCCESS; i++) {
        if (whole->stages[i].linked)
            whole->stages[i].shader = vk_shader_ref(whole->stages[i].linked);
    }
    return result;
}

/* ---- a library ---- */

static bool keeps_ir(const struct making *making)
{
    return !making->batch->device->codegen->compiles_parts ||
           making->build.flags & VK_PIPELINE_CREATE_RETAIN_LINK_TIME_OPTIMIZATION_INFO_BIT_EXT;
}

static VkResult keep_stages(struct making *making, struct vk_graphics_library *library)
{
    struct vk_pipeline_build *build = &making->build;
    for (uint32_t i = 0; i < build->count; i++) {
        struct vk_build_stage *stage = &build->stages[i];
        struct library_stage *kept = &library->stages[i];
        kept->info = stage->info;
        if (stage->kept) {
            kept->ir = stage->kept;
            vk_cached_ref(&kept->ir->cached);
        } else if (stage->create && keeps_ir(making)) {
            uint64_t start_ns = vk_pipeline_now_ns();
            VkResult result = vk_stage_ir_get(build->device, build->cache, stage->create, &stage->info,
                                              build->flags & VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT,
                                              &kept->ir, &stage->in_cache);
            stage->duration_ns = vk_pipeline_now_ns() - start_ns;
            if (result != VK_SUCCESS)
                return result;
            stage->kept = kept->ir;
        }
        library->stage_count = i + 1;
    }
    return VK_SUCCESS;
}

static VkResult make_library(struct making *making, VkPipeline *pipeline_out)
{
    struct {
        struct vk_graphics_pipeline pipeline;
        struct vk_graphics_library library;
    } *memory = vk_pipeline_create(making->batch, sizeof(*memory), VK_PIPELINE_BIND_POINT_GRAPHICS, making->build.flags,
                                   making->layout);
    if (!memory)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    struct vk_pipeline *pipeline = &memory->pipeline.base;
    memory->pipeline.library = &memory->library;
    memory->library.state = making->state;
    pipeline->stages = making->state.stages;
    VkResult result = keep_stages(making, &memory->library);
    if (result == VK_SUCCESS && making->batch->device->codegen->compiles_parts) {
        result = build_parts(making);
        if (result == VK_SUCCESS)
            vk_pipeline_take_shaders(pipeline, &making->build);
    }
    if (result != VK_SUCCESS) {
        vk_pipeline_destroy(pipeline, making->batch->allocator);
        return result;
    }
    *pipeline_out = vk_pipeline_to_handle(pipeline);
    return VK_SUCCESS;
}

/* ---- a pipeline that can be bound ---- */

static VkResult make_complete(struct making *making, VkPipeline *pipeline_out)
{
    /* First, so that nothing but the driver can fail after the shaders. */
    struct {
        struct vk_graphics_pipeline pipeline;
        struct vk_dynamic_graphics_state dynamic;
    } *memory = vk_pipeline_create(making->batch, sizeof(*memory), VK_PIPELINE_BIND_POINT_GRAPHICS, making->build.flags,
                                   making->layout);
    if (!memory)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    struct vk_pipeline *pipeline = &memory->pipeline.base;
    memory->pipeline.dynamic = &memory->dynamic;
    memory->dynamic = making->state.dyn;
    VkResult result = joins_code(making) ? build_parts(making) : vk_pipeline_build_shaders(&making->build);
    if (result != VK_SUCCESS) {
        vk_pipeline_destroy(pipeline, making->batch->allocator);
        return result;
    }
    vk_pipeline_take_shaders(pipeline, &making->build);
    *pipeline_out = vk_pipeline_to_handle(pipeline);
    return vk_pipeline_bake(pipeline, &making->state, making->batch->allocator);
}

VkResult vk_graphics_pipeline_of_stages(struct vk_device *device, const struct vk_graphics_state *state,
                                        struct vk_pipeline_layout *layout, const struct vk_kept_stage *stages,
                                        VkPipeline *pipeline_out)
{
    const struct vk_pipeline_batch batch = {.device = device};
    struct making making = {
        .batch = &batch,
        .layout = layout,
        .state = *state,
        .build = {.device = device, .layout = layout},
    };
    making.build.state = &making.state;
    for (uint32_t i = 0; i < ARRAY_SIZE(stage_order); i++) {
        const struct vk_kept_stage *stage = &stages[vk_stage_index(stage_order[i])];
        if (!stage->ir)
            continue;
        making.build.stages[making.build.count++] = (struct vk_build_stage){.info = *stage->info, .kept = stage->ir};
        making.state.stages |= stage_order[i];
    }
    return make_complete(&making, pipeline_out);
}

void vk_graphics_pipeline_bind_state(struct vk_command_buffer *command_buffer,
                                     const struct vk_graphics_pipeline *pipeline)
{
    vk_dynamic_graphics_state_bind(&command_buffer->rec->dynamic_state, pipeline->dynamic, pipeline->baked_rows);
}

void vk_graphics_pipeline_release(struct vk_graphics_pipeline *pipeline, const VkAllocationCallbacks *allocator)
{
    struct vk_graphics_library *library = pipeline->library;
    for (uint32_t i = 0; library && i < library->stage_count; i++)
        vk_cached_unref(pipeline->base.base.device, library->stages[i].ir ? &library->stages[i].ir->cached : NULL);
}

static VkResult make_pipeline(struct making *making, VkPipeline *pipeline_out)
{
    make_state(making, making->batch->device->codegen->graphics_state_flags);
    if (!collect_stages(making))
        return VK_PIPELINE_COMPILE_REQUIRED;
    VkResult result = make_layout(making);
    if (result != VK_SUCCESS)
        return result;
    making->build.layout = making->layout;
    result = making->build.flags & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR ? make_library(making, pipeline_out)
                                                                      : make_complete(making, pipeline_out);
    vk_pipeline_layout_unref(making->layout);
    return result;
}

static VkResult create_one(const struct vk_pipeline_batch *batch, uint32_t index, VkPipeline *pipeline_out,
                           VkPipelineCreateFlags *flags_out)
{
    const VkGraphicsPipelineCreateInfo *info = (const VkGraphicsPipelineCreateInfo *)batch->infos + index;
    const VkPipelineLibraryCreateInfoKHR *libraries = vk_find_struct_const(info->pNext, VkPipelineLibraryCreateInfoKHR);
    uint64_t start_ns = vk_pipeline_now_ns();
    struct making making = {
        .batch = batch,
        .info = info,
        .own = vk_graphics_pipeline_subsets(info),
        .library_count = libraries ? libraries->libraryCount : 0,
        .libraries = libraries ? libraries->pLibraries : NULL,
        .build = {.device = batch->device,
                  .cache = batch->cache,
                  .flags = *flags_out = vk_pipeline_create_flags(info->pNext, info->flags)},
    };
    making.build.state = &making.state;
    VkResult result = make_pipeline(&making, pipeline_out);
    vk_pipeline_write_feedback(info->pNext, &making.build, start_ns, result);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_CreateGraphicsPipelines(VkDevice handle, VkPipelineCache cache, uint32_t count,
                                                                 const VkGraphicsPipelineCreateInfo *infos,
                                                                 const VkAllocationCallbacks *allocator,
                                                                 VkPipeline *pipelines_out)
{
    struct vk_pipeline_batch batch = {
        vk_device_from_handle(handle), vk_pipeline_cache_from_handle(cache), allocator, count, infos, create_one};
    return vk_pipeline_create_batch(&batch, pipelines_out);
}
