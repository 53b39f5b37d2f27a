/* The part of a pipeline's state that the machine code of its stages depends on, and compiling them together.
 * Everything else of the state is registers (radeon_graphics_pipeline.c, radeon_state_*.c). */
#include "amd/driver/radeon_format.h"
#include "amd/driver/radeon_graphics.h"
#include "compiler/ir/ir.h"
#include "util/bits.h"
#include "util/debug.h"
#include "vulkan/runtime/object/vk_hasher.h"
#include "vulkan/runtime/pipeline/vk_link.h"

/* ---- from the state ---- */

/* A typed load needs its element aligned to four bytes, or to its size where that is less; Vulkan aligns channels
 * only. */
static bool is_aligned(const struct vk_vertex_attribute *attribute, uint32_t stride_B)
{
    const struct format_info *info = radeon_format((VkFormat)attribute->format)->info;
    uint32_t size_B = info->block_size_B, align_B = size_B >= 4 ? 4 : size_B == 3 ? 1 : size_B;
    return (attribute->offset_B | stride_B) % align_B == 0;
}

static void fill_attribute(struct amd_vertex_attribute *out, const struct vk_vertex_input_state *vi, uint32_t location)
{
    const struct vk_vertex_attribute *attribute = &vi->attributes[location];
    const struct vk_vertex_binding *binding = &vi->bindings[attribute->binding];
    if (!radeon_vertex_format((VkFormat)attribute->format, out))
        return;
    if (!out->split_B && !is_aligned(attribute, vi->strides_B[attribute->binding]))
        radeon_vertex_format_by_channel((VkFormat)attribute->format, out);
    out->present = true;
    out->binding = attribute->binding;
    out->offset_B = attribute->offset_B;
    out->per_instance = binding->input_rate == VK_VERTEX_INPUT_RATE_INSTANCE;
    out->divisor = out->per_instance ? binding->divisor : 0;
}

/* Member by member: padding stays as it is, for the whole is hashed. */
static void copy_attribute(struct amd_vertex_attribute *to, const struct amd_vertex_attribute *from)
{
    to->present = from->present;
    to->per_instance = from->per_instance;
    to->bgra = from->bgra;
    to->binding = from->binding;
    to->format = from->format;
    to->channels = from->channels;
    to->split_B = from->split_B;
    to->is_int = from->is_int;
    to->is_64 = from->is_64;
    to->offset_B = from->offset_B;
    to->divisor = from->divisor;
}

void radeon_fill_attributes(const struct radeon_device *device, const struct vk_vertex_input_state *vi,
                            uint32_t locations, struct amd_vertex_attribute attributes[AMD_MAX_ATTRIBUTES])
{
    bits_foreach (vi->attribute_mask, location) {
        struct amd_vertex_attribute attribute = {0};
        fill_attribute(&attribute, vi, (uint32_t)location);
        if (radeon_has_attribute_descriptors(device))
            attribute.binding = (uint8_t)location;
        /* More than two doubles go on in the next location. */
        bool two = attribute.is_64 && attribute.channels > 2;
        uint8_t channels = attribute.channels;
        attribute.channels = two ? 2 : channels;
        if (locations >> location & 1)
            copy_attribute(&attributes[location], &attribute);
        attribute.channels = (uint8_t)(channels - 2);
        attribute.offset_B += 16;
        if (two && location + 1 < AMD_MAX_ATTRIBUTES && locations >> (location + 1) & 1)
            copy_attribute(&attributes[location + 1], &attribute);
    }
}

#define VERTEX_INPUT VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT
#define FRAGMENT_SHADER VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT
#define FRAGMENT_OUTPUT VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT

static bool is_dynamic(const struct vk_graphics_state *state, uint64_t rows)
{
    return (vk_graphics_state_open_rows(state) & rows) != 0;
}

static uint8_t vertices_of(uint8_t topology)
{
    switch (topology) {
    case VK_PRIMITIVE_TOPOLOGY_POINT_LIST:
        return 1;
    case VK_PRIMITIVE_TOPOLOGY_LINE_LIST:
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP:
        return 2;
    default:
        return 3;
    }
}

static void vertex_options(const struct radeon_device *device, const struct vk_graphics_state *state,
                           struct amd_stage_options *options)
{
    options->vs.prolog = is_dynamic(state, VK_DYN(VERTEX_INPUT));
    if (!options->vs.prolog)
        radeon_fill_attributes(device, &state->dyn.vi, UINT32_MAX, options->vs.attributes);
    /* A topology that is dynamic keeps its class here. */
    if (state->subsets & VERTEX_INPUT) {
        options->vs.points = state->dyn.ia.topology == VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
        options->vs.prim_vertices = vertices_of(state->dyn.ia.topology);
    }
    options->vs.layer_from_view = state->rendering.view_mask != 0;
    /* NGG hands a primitive's number to its first vertex; only the old stage gives it to the last one. Whether it is
     * asked for is known when the stages are linked. */
    options->vs.legacy = debug_enabled(DEBUG_NONGG) || is_dynamic(state, VK_DYN(PROVOKING_VERTEX)) ||
                         state->dyn.rs.provoking_vertex == VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT;
}

static void geometry_options(const struct vk_graphics_state *state, struct amd_stage_options *options)
{
    options->gs.provoking_dynamic = is_dynamic(state, VK_DYN(PROVOKING_VERTEX));
    options->gs.provoking_last =
        !options->gs.provoking_dynamic && state->dyn.rs.provoking_vertex == VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT;
}

/* Of either source: both are exported in the same form. */
static bool reads_source_alpha(uint8_t factor)
{
    return factor == VK_BLEND_FACTOR_SRC_ALPHA || factor == VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA ||
           factor == VK_BLEND_FACTOR_SRC_ALPHA_SATURATE || factor == VK_BLEND_FACTOR_SRC1_ALPHA ||
           factor == VK_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA;
}

static bool reads_second_source(uint8_t factor)
{
    return factor >= VK_BLEND_FACTOR_SRC1_COLOR && factor <= VK_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA;
}

/* Whether a target is blended, by source alpha, from two sources. What is dynamic may be anything. */
struct blend_needs {
    bool blend, alpha, dual;
};

static struct blend_needs blend_needs(const struct vk_graphics_state *state, uint32_t target)
{
    const struct vk_blend_equation *equation = &state->dyn.cb.equations[target];
    struct blend_needs needs = {0};
    needs.blend = is_dynamic(state, VK_DYN(BLEND_ENABLE)) || state->dyn.cb.blend_enables >> target & 1;
    if (!needs.blend)
        return needs;
    if (is_dynamic(state, VK_DYN(BLEND_EQUATION))) {
        needs.alpha = needs.dual = true;
        return needs;
    }
    needs.alpha = reads_source_alpha(equation->src_color) || reads_source_alpha(equation->dst_color) ||
                  reads_source_alpha(equation->src_alpha) || reads_source_alpha(equation->dst_alpha);
    needs.dual = reads_second_source(equation->src_color) || reads_second_source(equation->dst_color) ||
                 reads_second_source(equation->src_alpha) || reads_second_source(equation->dst_alpha);
    return needs;
}

static bool may_be_coarse(const struct radeon_device *device, const struct vk_graphics_state *state)
{
    const struct vk_fragment_shading_rate_state *fsr = &state->dyn.fsr;
    return radeon_has_shading_rates(device) && !state->sample_shading_enable &&
           (is_dynamic(state, VK_DYN(FRAGMENT_SHADING_RATE)) || fsr->fragment_size.width > 1 ||
            fsr->fragment_size.height > 1 || fsr->combiners[0] != VK_FRAGMENT_SHADING_RATE_COMBINER_OP_KEEP_KHR ||
            fsr->combiners[1] != VK_FRAGMENT_SHADING_RATE_COMBINER_OP_KEEP_KHR);
}

/* AMD_EXPORT_32_ABGR for all targets: any format takes that. Those that the shader does not write are not exported. */
#define ALL_WIDE (0x11111111u * AMD_EXPORT_32_ABGR)

static void fragment_options(const struct radeon_device *device, const struct vk_graphics_state *state,
                             struct amd_stage_options *options)
{
    struct amd_fs_options *fs = &options->fs;
    bool dual = false;
    fs->alpha_to_coverage = is_dynamic(state, VK_DYN(ALPHA_TO_COVERAGE)) || state->dyn.ms.alpha_to_coverage;
    if (!(state->subsets & FRAGMENT_OUTPUT)) {
        fs->color_formats = ALL_WIDE;
        fs->dual_source = true;
    }
    const struct vk_color_slots slots = vk_color_slots_of(&state->rendering);
    for (uint32_t i = 0; i < state->rendering.color_count; i++) {
        const uint32_t slot = vk_color_slot(&slots, i);
        if (state->rendering.color_formats[i] == VK_FORMAT_UNDEFINED || !vk_color_is_written(&slots, i))
            continue;
        const struct radeon_format *format = radeon_format(state->rendering.color_formats[i]);
        struct blend_needs needs = blend_needs(state, i);
        bool masked = !is_dynamic(state, VK_DYN(COLOR_WRITE_MASK)) && !state->dyn.cb.write_masks[i];
        const bool covers = slot == 0 && fs->alpha_to_coverage;
        if (masked && !covers)
            continue;
        unsigned exported = radeon_export_format(format, needs.blend, needs.alpha || covers);
        fs->color_formats |= exported << 4 * slot;
        fs->color_is_int8 |= (uint8_t)(radeon_format_is_int8(format) << slot);
        fs->color_is_int10 |= (uint8_t)(radeon_format_is_int10(format) << slot);
        dual |= slot == 0 && needs.dual;
    }
    /* A second source takes the place of target 1, in the form of target 0. Whether there is one the shader decides. */
    if (dual && state->rendering.color_count <= 1)
        fs->dual_source = true;
    fs->samples = is_dynamic(state, VK_DYN(SAMPLES)) ? 0 : MAX2(state->dyn.ms.samples, 1);
    /* At least the asked fraction of samples: all of them, where it is more than one. */
    fs->sample_shading =
        state->sample_shading_enable && (fs->samples == 0 || state->min_sample_shading * (float)fs->samples > 1.0f);
    fs->may_be_coarse = may_be_coarse(device, state);
}

/* The part of the options that follows from the state alone. Padding stays zero, for the whole is hashed. */
static void state_options(const struct radeon_device *device, const struct vk_graphics_state *state,
                          VkShaderStageFlags stages, struct amd_stage_options *options)
{
    memset(options, 0, sizeof(*options));
    if (stages & VK_SHADER_STAGE_VERTEX_BIT)
        vertex_options(device, state, options);
    options->has_task = stages & VK_SHADER_STAGE_TASK_BIT_EXT;
    if (stages & VK_SHADER_STAGE_MESH_BIT_EXT)
        options->vs.layer_from_view = state->rendering.view_mask != 0;
    if (stages & VK_SHADER_STAGE_GEOMETRY_BIT)
        geometry_options(state, options);
    if (stages & VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT && !is_dynamic(state, VK_DYN(PATCH_CONTROL_POINTS)))
        options->tess.in_points = state->dyn.ts.patch_control_points;
    if (stages & VK_SHADER_STAGE_FRAGMENT_BIT)
        fragment_options(device, state, options);
}

void radeon_graphics_hash_state(struct vk_device *device, const struct vk_graphics_state *state,
                                VkShaderStageFlags stages, struct vk_hasher *hasher)
{
    struct amd_stage_options options;
    if (!state)
        return;
    state_options(radeon_device_of(device), state, stages, &options);
    vk_hasher_add(hasher, &options, sizeof(options));
    vk_hasher_add_u32(hasher, debug_enabled(DEBUG_GFX32));
}

/* ---- from the other stage ---- */

/* A fragment shader that is not known may read all that there is; but for the number of a vertex shader's primitive,
 * for which there is another program (compile_vertex). */
static void link_any(const struct ir_shader *vertex, struct amd_stage_options *options, bool is_vertex_alone)
{
    options->vs.legacy_numbers = options->vs.legacy;
    options->vs.legacy = debug_enabled(DEBUG_NONGG) || (vertex && vertex->num_captures);
    options->vs.next_reads_layer = options->vs.next_reads_viewport = options->vs.next_reads_clip = true;
    options->vs.next_reads_primitive_id = !is_vertex_alone;
}

static void link_outputs(const struct ir_shader *vertex, const struct ir_shader *fragment,
                         struct amd_stage_options *options)
{
    options->vs.outputs_known = true;
    if (!debug_enabled(DEBUG_NONGG))
        options->vs.legacy &= fragment && fragment->sysvals_read >> IR_SYSVAL_primitive_id & 1;
    /* Only the old stage receives where in transform feedback's buffers its vertices go. */
    options->vs.legacy |= vertex && vertex->num_captures;
    if (!fragment)
        return;
    for (uint32_t i = 0; i < fragment->num_inputs; i++) {
        const struct ir_io_var *input = &fragment->inputs[i];
        switch (input->location) {
        case IR_LOCATION_layer:
            options->vs.next_reads_layer = true;
            break;
        case IR_LOCATION_viewport:
            options->vs.next_reads_viewport = true;
            break;
        case IR_LOCATION_clip_distance0:
        case IR_LOCATION_clip_distance1:
        case IR_LOCATION_cull_distance0:
        case IR_LOCATION_cull_distance1:
            options->vs.next_reads_clip = true;
            break;
        default:
            if (input->location >= IR_LOCATION_VAR0 && input->location < IR_LOCATION_VAR0 + 64)
                options->vs.outputs_read |= bits_mask(input->num_locations ? input->num_locations : 1)
                                            << (input->location - IR_LOCATION_VAR0);
            break;
        }
    }
    options->vs.next_reads_viewport |= fragment->sysvals_read >> IR_SYSVAL_viewport_in & 1;
    options->vs.next_reads_primitive_id = fragment->sysvals_read >> IR_SYSVAL_primitive_id & 1;
}

/* The stages of a pipeline in their order, as far as they are there. */
enum {
    STAGE_VERTEX,
    STAGE_CONTROL,
    STAGE_EVALUATION,
    STAGE_GEOMETRY,
    STAGE_MESH,
    STAGE_FRAGMENT,
    STAGES
};

/* The second source exists only where the shader has an output with Index 1, and in the place of target 1. */
static void link_dual_source(const struct ir_shader *fragment, struct amd_stage_options *options)
{
    bool has_second = false, has_next = false;
    for (uint32_t i = 0; fragment && i < fragment->num_outputs; i++) {
        const struct ir_io_var *output = &fragment->outputs[i];
        has_second |= output->dual_index != 0;
        has_next |= output->location <= IR_LOCATION_VAR0 + 1 &&
                    output->location + MAX2(output->num_locations, 1u) > IR_LOCATION_VAR0 + 1;
    }
    options->fs.dual_source &= has_second && !(has_next && options->fs.color_formats >> 4 & 0xf);
    if (options->fs.dual_source)
        options->fs.color_formats |= (options->fs.color_formats & 0xf) << 4;
}

/* A geometry shader is always NGG's, and the last stage before the rasteriser. */
static void link_geometry(const struct ir_shader *geometry, struct amd_stage_options *options)
{
    if (!geometry)
        return;
    options->vs.legacy = false;
    options->vs.points = geometry->gs.output == IR_PRIMITIVE_points;
}

static void link_mesh(const struct ir_shader *mesh, struct amd_stage_options *options)
{
    if (mesh)
        options->vs.points = mesh->gs.output == IR_PRIMITIVE_points;
}

static uint8_t wave_size_of(const struct vk_stage_job *job)
{
    return job->required_subgroup_size ? (uint8_t)job->required_subgroup_size : debug_enabled(DEBUG_GFX32) ? 32 : 64;
}

/* An evaluation shader stands where the vertex shader would; only the old stage captures its outputs. */
static void link_evaluation(struct ir_shader *const stages[STAGES], struct amd_stage_options *options)
{
    const struct ir_shader *evaluation = stages[STAGE_EVALUATION];
    if (!evaluation)
        return;
    amd_tess_layout(stages[STAGE_VERTEX], stages[STAGE_CONTROL], evaluation, options->tess.in_points, &options->tess);
    options->is_evaluation = true;
    options->vs.points = options->tess.has_point_mode;
    options->vs.legacy = debug_enabled(DEBUG_NONGG) || evaluation->num_captures;
}

/* A vertex shader before it is known what reads its outputs. Handing on a primitive's number costs too much to do it
 * for fragment shaders that do not read it, so there is a second program for those that do. */
static VkResult compile_for_any(struct radeon_device *device, const struct vk_stage_job *job,
                                const struct amd_stage_options *options, uint8_t wave_size, struct vk_code **code_out)
{
    struct amd_stage_options numbered = *options;
    struct vk_stage_job second = *job;
    struct vk_code *code = NULL, *other = NULL;
    numbered.vs.next_reads_primitive_id = true;
    numbered.vs.legacy |= options->vs.legacy_numbers;
    second.ir = ir_shader_clone(job->ir);
    if (!second.ir)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = radeon_shader_compile_stage(device, job, options, wave_size, &code);
    if (result == VK_SUCCESS)
        result = radeon_shader_compile_stage(device, &second, &numbered, wave_size, &other);
    ir_shader_destroy(second.ir);
    if (result != VK_SUCCESS) {
        vk_code_destroy(&device->vk, code);
        return result;
    }
    *code_out = radeon_shader_join(device, code, other);
    return *code_out ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

/* Compiles the job and, where the stage after it is part of the same program, that one; returns how many. */
static VkResult compile_job(struct radeon_device *device, const struct vk_stage_job *job,
                            struct ir_shader *const stages[STAGES], struct amd_stage_options *options,
                            struct vk_code **codes_out, uint32_t *count_out)
{
    const bool has_geometry = stages[STAGE_GEOMETRY], is_tessellated = stages[STAGE_EVALUATION];
    const uint8_t wave_size = wave_size_of(job);
    *count_out = 2;
    if (job->stage == VK_SHADER_STAGE_VERTEX_BIT && is_tessellated) {
        struct amd_stage_options hull = *options;
        hull.is_evaluation = false;
        return radeon_shader_compile_hull(device, job, &hull, wave_size, codes_out);
    }
    if (job->stage == VK_SHADER_STAGE_VERTEX_BIT && has_geometry)
        return radeon_shader_compile_geometry(device, job, options, wave_size, codes_out);
    *count_out = job->stage == VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT && has_geometry ? 2 : 1;
    if (job->stage == VK_SHADER_STAGE_TASK_BIT_EXT)
        return radeon_shader_compile_task(device, job, options, wave_size, codes_out);
    if (job->stage == VK_SHADER_STAGE_MESH_BIT_EXT)
        return radeon_shader_compile_mesh(device, job, options, wave_size, codes_out);
    if (job->stage == VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT)
        return radeon_shader_compile_evaluation(device, job, has_geometry, options, wave_size, codes_out);
    if (job->stage == VK_SHADER_STAGE_VERTEX_BIT && !options->vs.outputs_known)
        return compile_for_any(device, job, options, wave_size, codes_out);
    return radeon_shader_compile_stage(device, job, options, wave_size, codes_out);
}

VkResult radeon_graphics_compile(struct radeon_device *device, uint32_t count, const struct vk_stage_job *jobs,
                                 const struct vk_graphics_state *state, struct vk_code **codes_out)
{
    static const VkShaderStageFlagBits bits[STAGES] = {VK_SHADER_STAGE_VERTEX_BIT,
                                                       VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
                                                       VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
                                                       VK_SHADER_STAGE_GEOMETRY_BIT,
                                                       VK_SHADER_STAGE_MESH_BIT_EXT,
                                                       VK_SHADER_STAGE_FRAGMENT_BIT};
    struct ir_shader *stages[STAGES];
    VkShaderStageFlags flags = 0;
    struct amd_stage_options options;
    for (unsigned i = 0; i < STAGES; i++)
        stages[i] = vk_find_stage(count, jobs, bits[i]);
    for (uint32_t i = 0; i < count; i++)
        flags |= jobs[i].stage;
    if ((stages[STAGE_VERTEX] || stages[STAGE_MESH]) && count > 1 &&
        !(jobs[0].flags & VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT)) {
        const bool has_between = stages[STAGE_GEOMETRY] || stages[STAGE_EVALUATION];
        VkResult result = vk_link_stages(stages, STAGES, has_between ? 2 : 1, amd_target(ISA_GFX10_3));
        if (result != VK_SUCCESS)
            return result;
    }
    const struct ir_shader *last = stages[STAGE_GEOMETRY]     ? stages[STAGE_GEOMETRY]
                                   : stages[STAGE_EVALUATION] ? stages[STAGE_EVALUATION]
                                   : stages[STAGE_MESH]       ? stages[STAGE_MESH]
                                                              : stages[STAGE_VERTEX];
    state_options(device, state, flags, &options);
    if (state->subsets & FRAGMENT_SHADER)
        link_outputs(last, stages[STAGE_FRAGMENT], &options);
    else
        link_any(last, &options, last == stages[STAGE_VERTEX]);
    link_evaluation(stages, &options);
    link_geometry(stages[STAGE_GEOMETRY], &options);
    link_mesh(stages[STAGE_MESH], &options);
    link_dual_source(stages[STAGE_FRAGMENT], &options);
    for (uint32_t i = 0, done; i < count; i += done) {
        VkResult result = compile_job(device, &jobs[i], stages, &options, &codes_out[i], &done);
        if (result != VK_SUCCESS) {
            while (i--)
                vk_code_destroy(&device->vk, codes_out[i]);
            return result;
        }
    }
    return VK_SUCCESS;
}
