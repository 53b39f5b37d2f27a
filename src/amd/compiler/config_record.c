/* A compiled shader's description for the driver, as a record, and the rules between its fields: a pipeline cache's
 * file says all of it, and may have been written by anybody. Ranges are those of the registers and arrays that the
 * fields become indices of; what only the GPU looks at may be anything, as its code may. */
#include "amd/compiler/compiler.h"
#include "amd/compiler/mir.h"
#include "util/bits.h"

#define MAX_BINARY_B (1u << 30)
#define MAX_SCRATCH_OF_WAVE_B (8191u << 10) /* WAVESIZE of *_TMPRING_SIZE: 13 bits, in KiB */
#define MAX_LDS_B (64u << 10)
#define MAX_START_SGPRS 64
#define MAX_PARAM (AMD_MAX_PARAMS - 1)
#define MAX_LOCATION (IR_LOCATION_VAR0 + 63)
#define MAX_RING_ITEM_DW 32767u      /* VGT_GSVS_RING_ITEMSIZE */
#define MAX_PRIMITIVES_OF_GROUP 1023 /* GS_INST_PRIMS_IN_SUBGRP */
#define MAX_WORKGROUP 1024u

/* ---- fields ---- */

#define PLACE(member, least, most) RECORD_VALUE(struct amd_sgpr_place, member, least, most)
static const struct record_field place_fields[] = {
    PLACE(first, 0, 127),
    PLACE(count, 0, AMD_MAX_USER_SGPRS),
};
static const struct record place_record = RECORD(struct amd_sgpr_place, place_fields);

#define GEOMETRY(member, least, most) RECORD_VALUE(struct amd_geometry_layout, member, least, most)
#define GEOMETRY_FLAG(member) RECORD_FLAG(struct amd_geometry_layout, member)
static const struct record_field geometry_fields[] = {
    GEOMETRY_FLAG(is_there),
    GEOMETRY_FLAG(splits_invocations),
    GEOMETRY(output, 0, IR_PRIMITIVE_isolines),
    GEOMETRY(vertices_in, 0, 6),
    GEOMETRY(invocations, 0, 127),
    GEOMETRY(vertices_out, 0, 511),
    GEOMETRY(input_dw, 0, 32767),
    GEOMETRY(max_vertices, 0, 511),
    GEOMETRY(max_primitives, 0, 511),
    GEOMETRY(max_out_vertices, 0, 2047),
    GEOMETRY_FLAG(has_ring),
    RECORD_ARRAY(struct amd_geometry_layout, stream_dw, 0, UINT8_MAX),
    GEOMETRY(stream_buffers, 0, UINT16_MAX),
    GEOMETRY_FLAG(is_mesh),
    GEOMETRY_FLAG(places_primitives),
    GEOMETRY(max_out_primitives, 0, 511),
    GEOMETRY(vertex_params, 0, AMD_MAX_PARAMS),
    GEOMETRY(primitive_params, 0, MAX_PARAM),
    RECORD_ARRAY(struct amd_geometry_layout, primitive_locations, 0, MAX_LOCATION),
};
static const struct record geometry_record = RECORD(struct amd_geometry_layout, geometry_fields);

#define TESS(member, least, most) RECORD_VALUE(struct amd_tess_layout, member, least, most)
#define TESS_FLAG(member) RECORD_FLAG(struct amd_tess_layout, member)
static const struct record_field tess_fields[] = {
    TESS_FLAG(is_there),
    TESS_FLAG(is_ccw),
    TESS_FLAG(has_point_mode),
    TESS(domain, 0, IR_PRIMITIVE_isolines),
    TESS(spacing, 0, 2),
    TESS(patches, 0, UINT8_MAX),
    TESS(in_points, 0, 32),
    TESS(out_points, 0, 32),
    TESS(vertex_B, 0, UINT16_MAX),
    TESS(patch_first_B, 0, UINT16_MAX),
    TESS(patch_B, 0, UINT16_MAX),
    RECORD_ARRAY(struct amd_tess_layout, vertex_slot, 0, UINT8_MAX),
    RECORD_ARRAY(struct amd_tess_layout, patch_slot, 0, UINT8_MAX),
};
static const struct record tess_record = RECORD(struct amd_tess_layout, tess_fields);

#define ATTRIBUTE_FLAG(member) RECORD_FLAG(struct amd_ps_attribute, member)
static const struct record_field attribute_fields[] = {
    RECORD_VALUE(struct amd_ps_attribute, location, 0, MAX_LOCATION),
    ATTRIBUTE_FLAG(flat),
    ATTRIBUTE_FLAG(explicit_vertices),
    ATTRIBUTE_FLAG(ordered),
    ATTRIBUTE_FLAG(half),
    ATTRIBUTE_FLAG(sprite),
};
static const struct record attribute_record = RECORD(struct amd_ps_attribute, attribute_fields);

#define VALUE(member, least, most) RECORD_VALUE(struct amd_shader_config, member, least, most)
#define FLAG(member) RECORD_FLAG(struct amd_shader_config, member)
#define ANY(member) RECORD_ANY(struct amd_shader_config, member)
static const struct record_field config_fields[] = {
    VALUE(hw_stage, AMD_HW_CS, AMD_HW_HS),
    VALUE(wave_size, 0, 64),
    ANY(rsrc1),
    ANY(rsrc2),
    ANY(rsrc3),
    VALUE(num_sgprs, 0, 128),
    VALUE(num_vgprs, 0, 256),
    VALUE(lds_size_B, 0, MAX_LDS_B),
    VALUE(scratch_size_B, 0, MAX_SCRATCH_OF_WAVE_B / 32),
    RECORD_STRUCTS(struct amd_shader_config, user, &place_record),
    RECORD_STRUCTS(struct amd_shader_config, sets, &place_record),
    VALUE(num_user_sgprs, 0, AMD_MAX_USER_SGPRS),
    VALUE(num_start_sgprs, 0, MAX_START_SGPRS),
    VALUE(inline_push_first, 0, UINT8_MAX),
    ANY(sets_used),
    RECORD_ARRAY(struct amd_shader_config, workgroup_size, 0, MAX_WORKGROUP),
    RECORD_ARRAY_OR(struct amd_shader_config, param_of, 0, MAX_PARAM, 0xff),
    VALUE(num_params, 0, AMD_MAX_PARAMS),
    ANY(attributes_used),
    VALUE(num_positions, 0, 4),
    VALUE(clip_mask, 0, UINT8_MAX),
    VALUE(cull_mask, 0, UINT8_MAX),
    FLAG(writes_point_size),
    FLAG(writes_layer),
    FLAG(writes_viewport),
    FLAG(writes_rate),
    FLAG(reads_primitive_id),
    RECORD_ARRAY(struct amd_shader_config, xfb_stride_B, 0, 4095),
    RECORD_STRUCT(struct amd_shader_config, geometry, &geometry_record),
    RECORD_STRUCT(struct amd_shader_config, tess, &tess_record),
    FLAG(passthrough),
    VALUE(spi_ps_input_ena, 0, UINT16_MAX),
    RECORD_STRUCTS(struct amd_shader_config, attributes, &attribute_record),
    VALUE(num_attributes, 0, AMD_MAX_PARAMS),
    ANY(color_formats),
    VALUE(z_format, 0, AMD_EXPORT_32_ABGR),
    ANY(cb_shader_mask),
    FLAG(writes_depth),
    FLAG(writes_stencil),
    FLAG(writes_mask),
    FLAG(can_discard),
    FLAG(writes_memory),
    FLAG(early_tests),
    FLAG(sample_shading),
    FLAG(reads_sample_mask),
    FLAG(post_depth_coverage),
    VALUE(epilog_targets, 0, 0x1ff),
    VALUE(depth_layout, 0, IR_DEPTH_unchanged),
};
const struct record amd_config_record = RECORD(struct amd_shader_config, config_fields);

#define COUNT(member) RECORD_ANY(struct amd_statistics, member)
static const struct record_field statistics_fields[] = {
    COUNT(sgprs),
    COUNT(vgprs),
    COUNT(spilled_sgprs),
    COUNT(spilled_vgprs),
    COUNT(code_size_B),
    COUNT(lds_size_B),
    COUNT(scratch_size_B),
    COUNT(subgroups_per_simd),
    COUNT(instructions),
    COUNT(branches),
    COUNT(valu),
    COUNT(salu),
    COUNT(vmem),
    COUNT(vmem_clauses),
    COUNT(smem),
    COUNT(smem_clauses),
    COUNT(copies),
    COUNT(presched_sgprs),
    COUNT(presched_vgprs),
    COUNT(latency),
    COUNT(inverse_throughput),
};
const struct record amd_statistics_record = RECORD(struct amd_statistics, statistics_fields);

/* ---- rules between fields ---- */

/* SGPRs of each kind of user data; 0: any number. */
static const uint8_t user_counts[AMD_USER_COUNT] = {
    [AMD_USER_rings] = 1,          [AMD_USER_main_pc] = 2,      [AMD_USER_set_table] = 1,
    [AMD_USER_push] = 1,           [AMD_USER_push_inline] = 0,  [AMD_USER_vertex_buffers] = 1,
    [AMD_USER_prolog_inputs] = 1,  [AMD_USER_base_vertex] = 1,  [AMD_USER_draw_index] = 1,
    [AMD_USER_base_instance] = 1,  [AMD_USER_view_index] = 1,   [AMD_USER_xfb_buffers] = 1,
    [AMD_USER_counters] = 1,       [AMD_USER_provoking] = 1,    [AMD_USER_tess_rings] = 1,
    [AMD_USER_patch_points] = 1,   [AMD_USER_task_entry] = 1,   [AMD_USER_num_workgroups] = 3,
    [AMD_USER_workgroup_base] = 3, [AMD_USER_sample_state] = 1, [AMD_USER_epilog_pc] = 2,
    [AMD_USER_trace_tables] = 2,   [AMD_USER_trace_size] = 2,   [AMD_USER_traversal] = 2,
};

/* User SGPRs of merged stages begin after those of the hardware. */
static unsigned first_user_of(const struct amd_shader_config *config)
{
    return config->hw_stage == AMD_HW_NGG || config->hw_stage == AMD_HW_HS ? 8 : 0;
}

static bool is_place(const struct amd_shader_config *config, struct amd_sgpr_place place, unsigned count)
{
    const unsigned first = first_user_of(config),
                   most = config->hw_stage == AMD_HW_CS ? AMD_MAX_USER_SGPRS_COMPUTE : AMD_MAX_USER_SGPRS;
    return !place.count || ((!count || place.count == count) && place.first >= first &&
                            (unsigned)place.first + place.count <= first + most);
}

static bool has_good_places(const struct amd_shader_config *config)
{
    for (unsigned i = 0; i < AMD_USER_COUNT; i++) {
        if (!is_place(config, config->user[i], user_counts[i]))
            return false;
    }
    for (unsigned i = 0; i < AMD_MAX_SETS; i++) {
        if (!is_place(config, config->sets[i], 1))
            return false;
    }
    return true;
}

static bool starts_with(const struct amd_shader_config *config, enum amd_user_data which)
{
    const struct amd_sgpr_place place = config->user[which];
    return place.count && (unsigned)place.first + place.count <= config->num_start_sgprs;
}

/* A prolog is made of these. */
static bool has_good_prolog(const struct amd_shader_config *config)
{
    if (!config->user[AMD_USER_prolog_inputs].count)
        return true;
    return starts_with(config, AMD_USER_prolog_inputs) && starts_with(config, AMD_USER_main_pc) &&
           starts_with(config, AMD_USER_base_vertex) && starts_with(config, AMD_USER_base_instance) &&
           (config->hw_stage == AMD_HW_VS || config->num_start_sgprs > first_user_of(config));
}

static bool is_good_geometry(const struct amd_geometry_layout *g)
{
    if (!g->is_there)
        return !g->is_mesh && !g->has_ring;
    uint32_t item_dw = 0;
    for (unsigned i = 0; i < ARRAY_SIZE(g->stream_dw); i++)
        item_dw += (uint32_t)g->stream_dw[i] * g->vertices_out;
    return g->vertices_in && g->vertices_out && g->invocations && g->max_vertices && g->max_primitives &&
           (uint32_t)g->max_primitives * (g->splits_invocations ? 1 : g->invocations) <= MAX_PRIMITIVES_OF_GROUP &&
           item_dw <= MAX_RING_ITEM_DW && !(g->is_mesh && g->has_ring);
}

/* The hardware's stages that a stage of the API may run as. */
static uint32_t hw_stages_of(enum ir_stage stage)
{
    switch (stage) {
    case IR_STAGE_vertex:
        return 1u << AMD_HW_VS | 1u << AMD_HW_NGG | 1u << AMD_HW_HS;
    case IR_STAGE_tess_eval:
        return 1u << AMD_HW_VS | 1u << AMD_HW_NGG;
    case IR_STAGE_geometry: /* the copy shader */
        return 1u << AMD_HW_VS;
    case IR_STAGE_mesh:
        return 1u << AMD_HW_NGG;
    case IR_STAGE_fragment:
        return 1u << AMD_HW_PS;
    case IR_STAGE_tess_control: /* part of the vertex stage's program */
        return 0;
    default:
        return 1u << AMD_HW_CS;
    }
}

static bool is_good_workgroup(const struct amd_shader_config *config)
{
    const uint16_t *size = config->workgroup_size;
    return size[0] && size[1] && size[2] && (uint32_t)size[0] * size[1] <= MAX_WORKGROUP &&
           (uint32_t)size[0] * size[1] * size[2] <= MAX_WORKGROUP;
}

const char *amd_binary_wrong(const struct amd_binary *binary, enum ir_stage stage)
{
    const struct amd_shader_config *config = &binary->config;
    if (binary->size_B % 4 || binary->size_B > MAX_BINARY_B)
        return "the program's size";
    if (binary->code_size_B > binary->size_B)
        return "the code's size";
    if (!binary->size_B)
        return stage == IR_STAGE_geometry || stage == IR_STAGE_tess_control ? NULL : "a stage without a program";
    if (!(hw_stages_of(stage) >> config->hw_stage & 1))
        return "the hardware's stage";
    if (config->wave_size != 32 && config->wave_size != 64)
        return "the wave's size";
    if (config->scratch_size_B > MAX_SCRATCH_OF_WAVE_B / config->wave_size)
        return "the size of scratch memory";
    if (!has_good_places(config))
        return "a place of user data";
    if (!has_good_prolog(config))
        return "what a prolog loads";
    if (!is_good_geometry(&config->geometry) || (stage == IR_STAGE_mesh) != config->geometry.is_mesh)
        return "the geometry stage";
    if (config->hw_stage == AMD_HW_HS ? !config->tess.is_there : config->tess.is_there)
        return "the tessellation";
    if (config->tess.is_there && (!config->tess.patches || !config->tess.out_points))
        return "the patches";
    if (config->hw_stage == AMD_HW_CS && !is_good_workgroup(config))
        return "the workgroup's size";
    return NULL;
}
