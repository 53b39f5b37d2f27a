/* A compiled shader's description for the driver, as a record, and the rules between its fields: a pipeline cache's
 * file says all of it, and may have been written by anybody. Ranges are those of the registers and arrays that the
 * fields become indices of; what only the GPU looks at may be anything, as its code may. */
#include "adreno/compiler/compiler.h"
#include "adreno/hw/chip.h"
#include "util/bits.h"

#define MAX_BINARY_B (1u << 30)
#define MAX_REGISTERS 48
#define MAX_CONSTANTS 512
#define MAX_LOCATION (IR_LOCATION_VAR0 + 63)
#define MAX_VPC_LOCATIONS 128
#define MAX_LOCAL_B (32u << 10) /* SHARED_SIZE */
#define MAX_WORKGROUP 1024u
#define MAX_PUSH_VEC4 16
#define MAX_STRIDE_B 4092   /* VPC_SO_BUFFER_STRIDE */
#define MAX_CAPTURE_B 2047u /* B_OFF: 9 bits of dwords */

/* ---- fields ---- */

#define TESS(member, least, most) RECORD_VALUE(struct adreno_tess_plan, member, least, most)
#define TESS_FLAG(member) RECORD_FLAG(struct adreno_tess_plan, member)
static const struct record_field tess_fields[] = {
    TESS_FLAG(is_there),
    TESS_FLAG(is_ccw),
    TESS_FLAG(has_point_mode),
    TESS(domain, 0, IR_PRIMITIVE_isolines),
    TESS(spacing, 0, 2),
    TESS(out_points, 0, 32),
    TESS(outer, 0, 4),
    TESS(inner, 0, 2),
    RECORD_ARRAY(struct adreno_tess_plan, vertex_slot, 0, UINT8_MAX),
    RECORD_ARRAY(struct adreno_tess_plan, patch_slot, 0, UINT8_MAX),
    TESS(vertex_B, 0, UINT16_MAX),
    TESS(patch_first_B, 0, 1u << 20),
    TESS(patch_B, 0, 1u << 20),
};
static const struct record tess_record = RECORD(struct adreno_tess_plan, tess_fields);

#define OUTPUT(member, least, most) RECORD_VALUE(struct adreno_vs_output, member, least, most)
static const struct record_field output_fields[] = {
    OUTPUT(location, 0, MAX_LOCATION),
    OUTPUT(component, 0, 3),
    OUTPUT(count, 0, 4),
    OUTPUT(reg, 0, UINT8_MAX),
};
static const struct record output_record = RECORD(struct adreno_vs_output, output_fields);

#define CAPTURE(member, least, most) RECORD_VALUE(struct ir_capture, member, least, most)
static const struct record_field capture_fields[] = {
    CAPTURE(location, 0, MAX_LOCATION),     CAPTURE(component, 0, 15),
    CAPTURE(num_comps, 0, IR_MAX_COMPS),    CAPTURE(bits, 0, 64),
    CAPTURE(buffer, 0, IR_XFB_BUFFERS - 1), CAPTURE(offset_B, 0, MAX_CAPTURE_B),
};
static const struct record capture_record = RECORD(struct ir_capture, capture_fields);

#define INPUT(member, least, most) RECORD_VALUE(struct adreno_fs_input, member, least, most)
static const struct record_field input_fields[] = {
    INPUT(location, 0, MAX_LOCATION),
    INPUT(component, 0, 3),
    INPUT(count, 0, 4),
    INPUT(loc, 0, MAX_VPC_LOCATIONS - 1),
    RECORD_FLAG(struct adreno_fs_input, is_flat),
};
static const struct record input_record = RECORD(struct adreno_fs_input, input_fields);

#define PREFETCH(member, least, most) RECORD_VALUE(struct adreno_prefetch, member, least, most)
static const struct record_field prefetch_fields[] = {
    PREFETCH(loc, 0, MAX_VPC_LOCATIONS - 1),
    PREFETCH(texture_set, 0, ADRENO_MAX_SETS - 1),
    PREFETCH(sampler_set, 0, ADRENO_MAX_SETS - 1),
    PREFETCH(texture, 0, UINT16_MAX),
    PREFETCH(sampler, 0, UINT16_MAX),
    PREFETCH(reg, 0, 63),
    PREFETCH(mask, 0, 15),
    RECORD_FLAG(struct adreno_prefetch, is_half),
};
static const struct record prefetch_record = RECORD(struct adreno_prefetch, prefetch_fields);

static const struct record_field color_fields[] = {
    RECORD_VALUE(struct adreno_fs_color, reg, 0, UINT8_MAX),
    RECORD_VALUE(struct adreno_fs_color, mask, 0, 15),
    RECORD_FLAG(struct adreno_fs_color, is_half),
};
static const struct record color_record = RECORD(struct adreno_fs_color, color_fields);

#define VALUE(member, least, most) RECORD_VALUE(struct adreno_shader_config, member, least, most)
#define FLAG(member) RECORD_FLAG(struct adreno_shader_config, member)
#define ANY(member) RECORD_ANY(struct adreno_shader_config, member)
#define REG(member) VALUE(member, 0, UINT8_MAX)
#define REGS(member) RECORD_ARRAY(struct adreno_shader_config, member, 0, UINT8_MAX)
static const struct record_field config_fields[] = {
    VALUE(full_registers, 0, MAX_REGISTERS),
    VALUE(constants, 0, MAX_CONSTANTS),
    VALUE(first_push, 0, MAX_CONSTANTS),
    VALUE(push_size, 0, MAX_PUSH_VEC4),
    RECORD_ARRAY_OR(struct adreno_shader_config, param, 0, MAX_CONSTANTS - 1, ADRENO_CONST_UNUSED),
    VALUE(first_immediate, 0, MAX_CONSTANTS),
    RECORD_VALUE_OR(struct adreno_shader_config, wave_size, 64, 64, 128),
    VALUE(local_size_B, 0, MAX_LOCAL_B),
    ANY(private_size_B), /* adreno_private_memory has no more than the register can say */
    VALUE(branch_depth, 0, 127),
    REG(sets_used),
    FLAG(writes_memory),
    REG(header_reg),
    VALUE(part_B, 0, 32767),
    REG(cs.local_id_reg),
    REG(cs.workgroup_id_reg),
    RECORD_ARRAY(struct adreno_shader_config, cs.workgroup_size, 1, MAX_WORKGROUP),
    FLAG(cs.has_barrier),
    REG(ds.patch_number_reg),
    REGS(ds.point_reg),
    RECORD_STRUCT(struct adreno_shader_config, tess, &tess_record),
    REG(gs.flags_reg),
    VALUE(gs.invocations, 0, 32),
    VALUE(gs.vertices_in, 0, 6),
    VALUE(gs.vertices_out, 0, 256),
    VALUE(gs.output, 0, IR_PRIMITIVE_isolines),
    REG(vs.vertex_id_reg),
    REG(vs.instance_id_reg),
    REG(vs.primitive_id_reg),
    REG(vs.view_id_reg),
    REGS(vs.attribute_reg),
    RECORD_ARRAY(struct adreno_shader_config, vs.attribute_mask, 0, 15),
    RECORD_STRUCTS(struct adreno_shader_config, vs.outputs, &output_record),
    VALUE(vs.num_outputs, 0, ADRENO_MAX_OUTPUTS),
    VALUE(vs.clip_distances, 0, 8),
    VALUE(vs.cull_distances, 0, 8),
    RECORD_STRUCTS(struct adreno_shader_config, vs.captures, &capture_record),
    VALUE(vs.num_captures, 0, ADRENO_MAX_CAPTURES),
    RECORD_ARRAY(struct adreno_shader_config, vs.xfb_stride_B, 0, MAX_STRIDE_B),
    RECORD_ARRAY(struct adreno_shader_config, vs.buffer_stream, 0, 3),
    REGS(fs.ij_reg),
    REG(fs.xy_reg),
    REG(fs.zw_reg),
    REG(fs.center_rhw_reg),
    REG(fs.sample_mask_reg),
    REG(fs.face_reg),
    REG(fs.sample_id_reg),
    VALUE(fs.coord_mask, 0, 15),
    RECORD_STRUCTS(struct adreno_shader_config, fs.inputs, &input_record),
    VALUE(fs.num_inputs, 0, ADRENO_MAX_VARYINGS),
    VALUE(fs.num_locs, 0, MAX_VPC_LOCATIONS),
    RECORD_STRUCTS(struct adreno_shader_config, fs.prefetches, &prefetch_record),
    VALUE(fs.num_prefetches, 0, ADRENO_MAX_PREFETCHES),
    RECORD_STRUCTS(struct adreno_shader_config, fs.colors, &color_record),
    REG(fs.depth_reg),
    REG(fs.stencil_reg),
    REG(fs.sample_mask_out_reg),
    FLAG(fs.is_dual_source),
    FLAG(fs.has_kill),
    FLAG(fs.early_tests),
    FLAG(fs.post_depth_coverage),
    FLAG(fs.is_per_sample),
    FLAG(fs.has_implicit_lod),
    FLAG(fs.reads_quads),
    FLAG(fs.has_varyings),
    VALUE(fs.depth_layout, 0, IR_DEPTH_unchanged),
};
const struct record adreno_config_record = RECORD(struct adreno_shader_config, config_fields);

/* ---- rules between fields ---- */

/* All of the constant file that the driver writes is in the part that the program has. */
static bool has_good_constants(const struct adreno_binary *binary)
{
    const struct adreno_shader_config *config = &binary->config;
    const uint32_t constants = config->constants;
    if (binary->num_immediates % 4 || (uint32_t)config->first_push + config->push_size > constants ||
        config->first_immediate > constants || binary->num_immediates / 4 > constants - config->first_immediate)
        return false;
    for (unsigned i = 0; i < ADRENO_PARAM_COUNT; i++) {
        if (config->param[i] != ADRENO_CONST_UNUSED && config->param[i] >= constants)
            return false;
    }
    return true;
}

/* Whether the components of every input have locations in VPC. */
static bool has_good_inputs(const struct adreno_shader_config *config)
{
    for (unsigned i = 0; i < config->fs.num_inputs; i++) {
        if ((unsigned)config->fs.inputs[i].loc + config->fs.inputs[i].count > MAX_VPC_LOCATIONS)
            return false;
    }
    return true;
}

/* The last dword of a capture has an offset in the vertex, too. */
static bool has_good_captures(const struct adreno_shader_config *config)
{
    for (unsigned i = 0; i < IR_XFB_BUFFERS; i++) {
        if (config->vs.xfb_stride_B[i] % 4)
            return false;
    }
    for (unsigned i = 0; i < config->vs.num_captures; i++) {
        const struct ir_capture *capture = &config->vs.captures[i];
        const unsigned dwords = capture->num_comps * (capture->bits == 64 ? 2u : 1u);
        if (capture->offset_B % 4 || capture->offset_B + 4u * dwords > MAX_CAPTURE_B + 1)
            return false;
    }
    return true;
}

static bool is_stage(enum ir_stage stage)
{
    return stage <= IR_STAGE_compute;
}

const char *adreno_binary_wrong(const struct adreno_binary *binary, enum ir_stage stage)
{
    const struct adreno_shader_config *config = &binary->config;
    const uint16_t *size = config->cs.workgroup_size;
    if (!is_stage(stage))
        return "the stage";
    if (binary->size_B > MAX_BINARY_B)
        return "the program's size";
    if (!binary->code_size_B || binary->code_size_B > binary->size_B)
        return "the code's size";
    if (!has_good_constants(binary))
        return "the constants";
    if (!has_good_inputs(config))
        return "the varyings";
    if (!has_good_captures(config))
        return "what is captured";
    if ((uint32_t)size[0] * size[1] > MAX_WORKGROUP || (uint32_t)size[0] * size[1] * size[2] > MAX_WORKGROUP)
        return "the workgroup's size";
    if (stage == IR_STAGE_geometry && (!config->gs.invocations || !config->gs.vertices_out))
        return "the geometry stage";
    if ((stage == IR_STAGE_tess_control || stage == IR_STAGE_tess_eval) &&
        (!config->tess.is_there || !config->tess.out_points))
        return "the patches";
    return NULL;
}
