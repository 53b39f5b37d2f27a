/* A compiled shader's description for the driver, as a record, and the rules between its fields: a pipeline cache's
 * file says all of it, and may have been written by anybody. What only the GPU looks at may be anything, as its code
 * may. */
#include "mali/compiler/compiler.h"
#include "util/bits.h"

#define MAX_BINARY_B (1u << 30)
#define MAX_PRIVATE_B (16u << 20)
#define MAX_LOCAL_B (32u << 10)
#define MAX_WORKGROUP 1024u
#define MAX_PUSH_B 256
#define PROGRAM_ALIGN_B 128

/* ---- fields ---- */

#define PROGRAM(member, least, most) RECORD_VALUE(struct mali_program, member, least, most)
static const struct record_field program_fields[] = {
    PROGRAM(offset_B, 0, MAX_BINARY_B),
    PROGRAM(size_B, 0, MAX_BINARY_B),
    PROGRAM(registers, 0, 64),
    PROGRAM(preload, 0, UINT16_MAX),
    RECORD_FLAG(struct mali_program, flushes_denormals),
    RECORD_FLAG(struct mali_program, has_jump),
};
static const struct record program_record = RECORD(struct mali_program, program_fields);

#define FAU(member, least, most) RECORD_VALUE(struct mali_fau_layout, member, least, most)
static const struct record_field fau_fields[] = {
    FAU(push_offset_B, 0, MAX_PUSH_B),
    FAU(push_words, 0, MAX_PUSH_B / 4),
    RECORD_ARRAY_OR(struct mali_fau_layout, sysval, 0, MALI_FAU_WORDS_MAX - 1, MALI_FAU_UNUSED),
    FAU(first_immediate, 0, MALI_FAU_WORDS_MAX),
    FAU(words, 0, MALI_FAU_WORDS_MAX),
};
static const struct record fau_record = RECORD(struct mali_fau_layout, fau_fields);

#define VALUE(member, least, most) RECORD_VALUE(struct mali_shader_config, member, least, most)
#define FLAG(member) RECORD_FLAG(struct mali_shader_config, member)
static const struct record_field config_fields[] = {
    RECORD_STRUCT(struct mali_shader_config, main, &program_record),
    RECORD_STRUCT(struct mali_shader_config, varying, &program_record),
    RECORD_STRUCT(struct mali_shader_config, fau, &fau_record),
    VALUE(local_size_B, 0, MAX_LOCAL_B),
    VALUE(private_size_B, 0, MAX_PRIVATE_B),
    VALUE(tables_used, 0, (1u << MALI_MAX_TABLES) - 1),
    FLAG(writes_memory),
    FLAG(uses_driver_sampler),
    RECORD_ARRAY(struct mali_shader_config, cs.workgroup_size, 1, MAX_WORKGROUP),
    FLAG(cs.has_barrier),
    FLAG(cs.may_merge),
    RECORD_ANY(struct mali_shader_config, vs.attributes_read),
    FLAG(vs.writes_point_size),
    FLAG(vs.writes_layer),
    FLAG(vs.is_extended),
    VALUE(vs.varying_size_B, 0, 16 * MALI_MAX_VARYINGS),
    VALUE(fs.targets_written, 0, UINT8_MAX),
    RECORD_ARRAY(struct mali_shader_config, fs.target_base, 0, IR_BASE_uint),
    FLAG(fs.is_dual_source),
    FLAG(fs.may_call_blend_shader),
    FLAG(fs.writes_depth),
    FLAG(fs.writes_stencil),
    FLAG(fs.writes_mask),
    FLAG(fs.has_discard),
    FLAG(fs.early_tests),
    FLAG(fs.post_depth_coverage),
    FLAG(fs.is_per_sample),
    FLAG(fs.needs_helpers),
    VALUE(fs.inputs_read, 0, (1u << MALI_MAX_INPUTS) - 1),
    FLAG(fs.reads_input_memory),
    RECORD_ANY(struct mali_shader_config, fs.noperspective),
    FLAG(fs.reads_frame_argument),
    VALUE(fs.depth_layout, 0, IR_DEPTH_unchanged),
};
const struct record mali_config_record = RECORD(struct mali_shader_config, config_fields);

/* ---- rules between fields ---- */

static bool is_good_program(const struct mali_binary *binary, const struct mali_program *program)
{
    return (program->registers == 32 || program->registers == 64) && program->offset_B % PROGRAM_ALIGN_B == 0 &&
           program->offset_B <= binary->code_size_B && program->size_B <= binary->code_size_B - program->offset_B;
}

/* System values that the driver has for a stage: others would be what its stack had. */
static uint32_t sysvals_of(enum ir_stage stage)
{
    const uint32_t all = 1u << MALI_SYSVAL_PUSH_ADDRESS | 1u << MALI_SYSVAL_DATA_ADDRESS;
    switch (stage) {
    case IR_STAGE_vertex:
        return all | 1u << MALI_SYSVAL_VIEWPORT_SCALE | 1u << MALI_SYSVAL_VIEWPORT_OFFSET |
               1u << MALI_SYSVAL_BASE_VERTEX | 1u << MALI_SYSVAL_BASE_INSTANCE | 1u << MALI_SYSVAL_NOPERSPECTIVE;
    case IR_STAGE_fragment:
        return all | 1u << MALI_SYSVAL_SAMPLES | 1u << MALI_SYSVAL_BLEND_CONSTANTS |
               (uint32_t)bits_mask(MALI_MAX_INPUTS) << MALI_SYSVAL_INPUT_0;
    default:
        return all | 1u << MALI_SYSVAL_WORKGROUPS | 1u << MALI_SYSVAL_WORKGROUP_BASE;
    }
}

static bool has_good_uniforms(const struct mali_binary *binary, enum ir_stage stage)
{
    const struct mali_fau_layout *fau = &binary->config.fau;
    if (fau->words % 2 || fau->push_words > fau->words || fau->push_offset_B + 4u * fau->push_words > MAX_PUSH_B ||
        fau->first_immediate > fau->words || binary->num_immediates > (uint32_t)fau->words - fau->first_immediate)
        return false;
    for (unsigned i = 0; i < MALI_SYSVAL_COUNT; i++) {
        if (fau->sysval[i] == MALI_FAU_UNUSED)
            continue;
        if (!(sysvals_of(stage) >> i & 1) || fau->sysval[i] + mali_sysval_words[i] > fau->words)
            return false;
    }
    /* The driver looks where the inputs are that are read, and at no others. */
    for (unsigned i = 0; i < MALI_MAX_INPUTS; i++) {
        const bool is_read = fau->sysval[MALI_SYSVAL_INPUT_0 + i] != MALI_FAU_UNUSED;
        if (is_read != (binary->config.fs.inputs_read >> i & 1))
            return false;
    }
    return true;
}

const char *mali_binary_wrong(const struct mali_binary *binary, enum ir_stage stage)
{
    const struct mali_shader_config *config = &binary->config;
    const uint16_t *size = config->cs.workgroup_size;
    if (stage != IR_STAGE_vertex && stage != IR_STAGE_fragment && stage != IR_STAGE_compute)
        return "the stage";
    if (binary->size_B > MAX_BINARY_B)
        return "the program's size";
    if (!binary->code_size_B || binary->code_size_B > binary->size_B)
        return "the code's size";
    if (!config->main.size_B || !is_good_program(binary, &config->main))
        return "the main program";
    if (config->varying.size_B && (stage != IR_STAGE_vertex || !is_good_program(binary, &config->varying)))
        return "the program of varyings";
    if (!has_good_uniforms(binary, stage))
        return "the uniforms";
    if ((uint32_t)size[0] * size[1] > MAX_WORKGROUP || (uint32_t)size[0] * size[1] * size[2] > MAX_WORKGROUP)
        return "the workgroup's size";
    if (config->local_size_B && stage != IR_STAGE_compute)
        return "a workgroup's memory";
    return NULL;
}
