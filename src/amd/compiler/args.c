/* Which arguments a shader has and in which registers they lie: see args.h. One walk over the shader finds what it
 * reads; then the SGPRs are dealt out, the most useful first, until none are left. */
#include "amd/compiler/args.h"

#include <string.h>

#include "amd/compiler/compiler.h"
#include "amd/compiler/function.h"
#include "amd/compiler/select.h"
#include "util/bits.h"

/* Inputs that a shader reads. */
struct needs {
    bool sysval[IR_SYSVAL_COUNT];
    uint32_t ps_inputs; /* by enum amd_ps_input */
    uint32_t sets;
    bool push_pointer, push_any;
    uint32_t push_first, push_end; /* words that are read at constant places */
    bool vertex_inputs;
    uint32_t attributes;
    bool sample_positions;
    uint8_t xfb_buffers;
    bool provoking, counters;
    bool tess_rings, patch_points;
    bool task_entry;
};

static void need_push(struct needs *needs, const struct ir_instr *instr)
{
    uint32_t base_B = ir_imm(instr, IR_IMM_BASE), size_B = instr->def.bits / 8u * instr->def.comps;
    if (!ir_is_const(ir_src(instr, 0))) {
        needs->push_pointer = true;
        return;
    }
    base_B += (uint32_t)ir_const_u64(ir_src(instr, 0));
    uint32_t first = base_B / 4, end = (uint32_t)div_round_up(base_B + size_B, 4);
    needs->push_first = needs->push_any ? MIN2(needs->push_first, first) : first;
    needs->push_end = needs->push_any ? MAX2(needs->push_end, end) : end;
    needs->push_any = true;
}

bool amd_runs_per_sample(const struct ir_shader *shader, const struct amd_compile_options *options)
{
    return shader->fs.sample_shading || (options->stage && options->stage->fs.sample_shading);
}

/* Whether fragments may be larger than a pixel. */
bool amd_may_be_coarse(const struct ir_shader *shader, const struct amd_compile_options *options)
{
    return options->stage && options->stage->fs.may_be_coarse && !amd_runs_per_sample(shader, options);
}

/* Where every sample has an invocation of its own, inputs are those of the sample, unless their place is decorated. */
static uint32_t bary_input(uint32_t bary, uint32_t interp, bool per_sample)
{
    bool linear = interp == IR_INTERP_noperspective;
    if (per_sample && bary == IR_BARY_pixel)
        bary = IR_BARY_sample;
    switch (bary) {
    case IR_BARY_centroid:
        return linear ? AMD_PS_LINEAR_CENTROID : AMD_PS_PERSP_CENTROID;
    case IR_BARY_sample:
        return linear ? AMD_PS_LINEAR_SAMPLE : AMD_PS_PERSP_SAMPLE;
    default:
        return linear ? AMD_PS_LINEAR_CENTER : AMD_PS_PERSP_CENTER;
    }
}

/* Elsewhere than at the centre: i / w, j / w and 1 / w grow evenly over the screen. */
enum amd_ps_input amd_ps_input_of_bary(const struct ir_instr *instr, bool per_sample)
{
    if (instr->op == IR_OP_load_bary_at && ir_imm(instr, IR_IMM_INTERP) != IR_INTERP_noperspective)
        return AMD_PS_PERSP_PULL;
    return bary_input(ir_imm(instr, IR_IMM_BARY), ir_imm(instr, IR_IMM_INTERP), per_sample);
}

static void need_instr(struct needs *needs, const struct ir_shader *shader, const struct ir_instr *instr,
                       bool per_sample)
{
    switch (instr->op) {
    case IR_OP_load_sysval:
        needs->sysval[ir_imm(instr, IR_IMM_SYSVAL)] = true;
        break;
    case IR_OP_load_desc: {
        uint64_t set = ir_const_u64(ir_src(instr, 0));
        if (set == AMD_PUSH_SET)
            needs->push_pointer = true;
        else if (set == AMD_XFB_SET)
            needs->xfb_buffers |= 1u << ir_const_u64(ir_src(instr, 1)) / 16;
        else if (set < AMD_MAX_SETS)
            needs->sets |= 1u << set;
        break;
    }
    case IR_OP_set_address:
        needs->sets |= 1u << ir_const_u64(ir_src(instr, 0));
        break;
    case IR_OP_load_push:
        need_push(needs, instr);
        break;
    case IR_OP_ngg_counters:
        needs->counters = true;
        break;
    case IR_OP_ngg_provoking:
        needs->provoking = true;
        break;
    case IR_OP_tess_buffer:
    case IR_OP_tess_levels:
        needs->tess_rings = true;
        break;
    case IR_OP_tess_in_points:
        needs->patch_points = true;
        break;
    case IR_OP_task_entry:
        needs->task_entry = true;
        break;
    case IR_OP_load_bary:
    case IR_OP_load_bary_at:
        needs->ps_inputs |= 1u << amd_ps_input_of_bary(instr, per_sample);
        needs->sample_positions |= instr->op == IR_OP_load_bary_at && ir_imm(instr, IR_IMM_BARY) == IR_BARY_at_sample;
        break;
    case IR_OP_load_input:
        if (amd_has_vertex_stage(shader)) {
            uint32_t at = ir_imm(instr, IR_IMM_LOCATION) - IR_LOCATION_VAR0 +
                          (ir_is_const(ir_src(instr, 0)) ? (uint32_t)ir_const_u64(ir_src(instr, 0)) : 0);
            needs->vertex_inputs = true;
            if (at < AMD_MAX_ATTRIBUTES)
                needs->attributes |= 1u << at;
        }
        break;
    default:
        break;
    }
}

static void find_ps_inputs(struct needs *needs, bool per_sample, bool may_be_coarse)
{
    const bool *sysval = needs->sysval;
    if (sysval[IR_SYSVAL_frag_coord])
        needs->ps_inputs |= 1u << AMD_PS_POS_X | 1u << AMD_PS_POS_Y | 1u << AMD_PS_POS_Z | 1u << AMD_PS_POS_W;
    if (sysval[IR_SYSVAL_point_coord])
        needs->ps_inputs |= 1u << AMD_PS_PERSP_CENTER;
    if (sysval[IR_SYSVAL_sample_pos])
        needs->ps_inputs |= 1u << AMD_PS_POS_X | 1u << AMD_PS_POS_Y;
    if (sysval[IR_SYSVAL_front_facing])
        needs->ps_inputs |= 1u << AMD_PS_FRONT_FACE;
    if (sysval[IR_SYSVAL_sample_id] || sysval[IR_SYSVAL_layer_in] || sysval[IR_SYSVAL_shading_rate_in] ||
        (sysval[IR_SYSVAL_frag_coord] && may_be_coarse) || (sysval[IR_SYSVAL_sample_mask_in] && per_sample))
        needs->ps_inputs |= 1u << AMD_PS_ANCILLARY;
    if (sysval[IR_SYSVAL_sample_mask_in])
        needs->ps_inputs |= 1u << AMD_PS_SAMPLE_COVERAGE;
    /* The rasteriser hangs without a barycentric pair. */
    if (!(needs->ps_inputs & 0x7f))
        needs->ps_inputs |= 1u << AMD_PS_PERSP_CENTER;
}

static void give_registers(struct amd_args *args, enum amd_arg arg, unsigned reg, unsigned count)
{
    args->place[arg].reg = (uint16_t)reg;
    args->place[arg].count = (uint8_t)count;
}

/* The next user SGPRs, from `base` on. */
static void give_user(struct amd_args *args, unsigned base, enum amd_arg arg, unsigned count)
{
    give_registers(args, arg, base + args->num_user_sgprs, count);
    args->num_user_sgprs += count;
}

static bool is_evaluation(const struct amd_compile_options *options)
{
    return options->stage && options->stage->is_evaluation;
}

static void give_users(struct amd_args *args, const struct needs *needs, const struct ir_shader *shader,
                       const struct amd_compile_options *options, unsigned base)
{
    const bool *sysval = needs->sysval;
    bool prolog = options->stage && options->stage->vs.prolog, compute = shader->stage == IR_STAGE_compute;
    unsigned limit = compute ? AMD_MAX_USER_SGPRS_COMPUTE : AMD_MAX_USER_SGPRS;
    const bool is_mesh = shader->stage == IR_STAGE_mesh;
    give_user(args, base, AMD_ARG_USER0 + AMD_USER_rings, 1);
    if ((is_mesh || compute) && sysval[IR_SYSVAL_draw_index])
        give_user(args, base, AMD_ARG_USER0 + AMD_USER_draw_index, 1);
    if (amd_has_vertex_stage(shader) && !is_evaluation(options) && !is_mesh) {
        if (needs->vertex_inputs)
            give_user(args, base, AMD_ARG_USER0 + (prolog ? AMD_USER_prolog_inputs : AMD_USER_vertex_buffers), 1);
        if (needs->vertex_inputs && prolog)
            give_user(args, base, AMD_ARG_USER0 + AMD_USER_main_pc, 2);
        give_user(args, base, AMD_ARG_USER0 + AMD_USER_base_vertex, 1);
        if (sysval[IR_SYSVAL_draw_index])
            give_user(args, base, AMD_ARG_USER0 + AMD_USER_draw_index, 1);
        give_user(args, base, AMD_ARG_USER0 + AMD_USER_base_instance, 1);
    }
    if (sysval[IR_SYSVAL_view_index] || (amd_has_vertex_stage(shader) && shader->stage != IR_STAGE_tess_control &&
                                         options->stage && options->stage->vs.layer_from_view))
        give_user(args, base, AMD_ARG_USER0 + AMD_USER_view_index, 1);
    if (needs->counters)
        give_user(args, base, AMD_ARG_USER0 + AMD_USER_counters, 1);
    if (needs->provoking)
        give_user(args, base, AMD_ARG_USER0 + AMD_USER_provoking, 1);
    if (needs->task_entry || (is_mesh && options->stage->has_task)) /* which the packet always writes */
        give_user(args, base, AMD_ARG_USER0 + AMD_USER_task_entry, 1);
    if (needs->tess_rings)
        give_user(args, base, AMD_ARG_USER0 + AMD_USER_tess_rings, 1);
    if (needs->patch_points)
        give_user(args, base, AMD_ARG_USER0 + AMD_USER_patch_points, 1);
    if (needs->xfb_buffers)
        give_user(args, base, AMD_ARG_USER0 + AMD_USER_xfb_buffers, 1);
    if (sysval[IR_SYSVAL_num_workgroups] || is_mesh) /* draws from memory always write them */
        give_user(args, base, AMD_ARG_USER0 + AMD_USER_num_workgroups, 3);
    if (sysval[IR_SYSVAL_workgroup_base])
        give_user(args, base, AMD_ARG_USER0 + AMD_USER_workgroup_base, 3);
    if (shader->stage == IR_STAGE_fragment) {
        if ((needs->sample_positions && !(options->stage && options->stage->fs.samples)) ||
            sysval[IR_SYSVAL_corner_order])
            give_user(args, base, AMD_ARG_USER0 + AMD_USER_sample_state, 1);
        if (options->stage && options->stage->fs.epilog)
            give_user(args, base, AMD_ARG_USER0 + AMD_USER_epilog_pc, 2);
    }

    /* One place is kept for the push constants' pointer. */
    unsigned sets = (unsigned)__builtin_popcount(needs->sets),
             left = limit - args->num_user_sgprs - (needs->push_any || needs->push_pointer);
    args->use_set_table = sets > left;
    args->sets_used = needs->sets;
    if (args->use_set_table)
        give_user(args, base, AMD_ARG_USER0 + AMD_USER_set_table, 1);
    else
        bits_foreach (needs->sets, set)
            give_user(args, base, AMD_ARG_SET0 + (unsigned)set, 1);

    if (!needs->push_any && !needs->push_pointer)
        return;
    unsigned words = needs->push_any ? needs->push_end - needs->push_first : 0;
    left = limit - args->num_user_sgprs;
    bool pointer = needs->push_pointer || words > left;
    if (pointer)
        give_user(args, base, AMD_ARG_USER0 + AMD_USER_push, 1);
    args->inline_push_first = (uint8_t)MIN2(needs->push_first, 255u);
    args->inline_push_count = (uint8_t)MIN2(words, limit - args->num_user_sgprs);
    if (args->inline_push_count)
        give_user(args, base, AMD_ARG_USER0 + AMD_USER_push_inline, args->inline_push_count);
}

static void give_compute(struct amd_args *args, const struct needs *needs)
{
    unsigned at = args->num_user_sgprs;
    if (needs->sysval[IR_SYSVAL_workgroup_id]) {
        for (unsigned axis = 0; axis < 3; axis++)
            give_registers(args, AMD_ARG_WORKGROUP_X + axis, at++, 1);
    }
    if (needs->sysval[IR_SYSVAL_local_index] || needs->sysval[IR_SYSVAL_subgroup_id] ||
        needs->sysval[IR_SYSVAL_num_subgroups])
        give_registers(args, AMD_ARG_TG_SIZE, at++, 1);
    give_registers(args, AMD_ARG_SCRATCH_OFFSET, at++, 1);
    args->num_sgprs = (uint8_t)at;
    for (unsigned axis = 0; axis < 3; axis++)
        give_registers(args, AMD_ARG_LOCAL_X + axis, 256 + axis, 1);
    args->num_vgprs = 3;
}

static void give_fragment(struct amd_args *args, const struct needs *needs)
{
    static const uint8_t rows[AMD_PS_INPUT_COUNT] = {2, 2, 2, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    unsigned at = args->num_user_sgprs;
    give_registers(args, AMD_ARG_PRIM_MASK, at++, 1);
    if (needs->sysval[IR_SYSVAL_corner_order])
        give_registers(args, AMD_ARG_TURNS, at++, 1);
    give_registers(args, AMD_ARG_SCRATCH_OFFSET, at++, 1);
    args->num_sgprs = (uint8_t)at;
    unsigned vgpr = 256;
    bits_foreach (needs->ps_inputs, input) {
        give_registers(args, AMD_ARG_PS_INPUT0 + (unsigned)input, vgpr, rows[input]);
        vgpr += rows[input];
    }
    args->num_vgprs = (uint8_t)(vgpr - 256);
}

/* The vertex's registers, from VGPR `first` on: NGG leaves two registers between its numbers. */
static void give_numbers(struct amd_args *args, unsigned first, bool is_point)
{
    if (!is_point) {
        give_registers(args, AMD_ARG_VERTEX_ID, 256 + first, 1);
        give_registers(args, AMD_ARG_INSTANCE_ID, 256 + first + 3, 1);
        return;
    }
    for (unsigned i = 0; i < 4; i++)
        give_registers(args, AMD_ARG_TESS_U + i, 256 + first + i, 1);
}

/* The hull shader: a vertex shader and a control shader. */
static void give_hull(struct amd_args *args)
{
    give_registers(args, AMD_ARG_OFFCHIP, 2, 1);
    give_registers(args, AMD_ARG_NGG_WAVE, 3, 1);
    give_registers(args, AMD_ARG_LEVELS, 4, 1);
    give_registers(args, AMD_ARG_SCRATCH_OFFSET, 5, 1);
    args->num_sgprs = args->num_user_sgprs + 8u;
    give_registers(args, AMD_ARG_TESS_NUMBER, 256, 1);
    give_registers(args, AMD_ARG_TESS_PATCH, 256 + 1, 1);
    give_numbers(args, 2, false);
}

static unsigned give_attributes(struct amd_args *args, const struct needs *needs, unsigned vgpr)
{
    bits_foreach (needs->attributes, at) {
        give_registers(args, AMD_ARG_ATTRIBUTE0 + (unsigned)at, vgpr, 4);
        vgpr += 4;
    }
    return vgpr;
}

static void give_vertex(struct amd_args *args, const struct needs *needs, bool legacy, bool passthrough, bool geometry,
                        bool is_point)
{
    if (legacy) {
        unsigned at = args->num_user_sgprs;
        if (needs->xfb_buffers) {
            give_registers(args, AMD_ARG_XFB_CONFIG, at++, 1);
            give_registers(args, AMD_ARG_XFB_FIRST, at++, 1);
            bits_foreach (needs->xfb_buffers &bits_mask(IR_XFB_BUFFERS), buffer)
                give_registers(args, AMD_ARG_XFB_BASE0 + (unsigned)buffer, at++, 1);
        }
        if (is_point)
            give_registers(args, AMD_ARG_OFFCHIP, at++, 1);
        give_registers(args, AMD_ARG_SCRATCH_OFFSET, at++, 1);
        args->num_sgprs = (uint8_t)at;
        give_numbers(args, 0, is_point);
        if (!is_point)
            give_registers(args, AMD_ARG_PRIMITIVE_ID, 256 + 2, 1);
    } else {
        give_registers(args, AMD_ARG_NGG_SUBGROUP, 2, 1);
        give_registers(args, AMD_ARG_NGG_WAVE, 3, 1);
        if (is_point)
            give_registers(args, AMD_ARG_OFFCHIP, 4, 1);
        give_registers(args, AMD_ARG_SCRATCH_OFFSET, 5, 1);
        args->num_sgprs = args->num_user_sgprs + 8u;
        give_registers(args, AMD_ARG_NGG_PRIM, 256, 1);
        if (!passthrough)
            give_registers(args, AMD_ARG_NGG_PRIM_2, 256 + 1, 1);
        give_registers(args, AMD_ARG_PRIMITIVE_ID, 256 + 2, 1);
        if (geometry) {
            give_registers(args, AMD_ARG_INVOCATION, 256 + 3, 1);
            give_registers(args, AMD_ARG_NGG_PRIM_3, 256 + 4, 1);
        }
        give_numbers(args, 5, is_point);
    }
}

/* Arguments that are in the same registers in every function, and in those in which a launch's kernel starts. */
static void give_launch(struct amd_args *args, const struct needs *needs)
{
    static const uint8_t places[][3] = {
        {AMD_USER_rings, AMD_FUNCTION_RINGS, 1},     {AMD_USER_set_table, AMD_FUNCTION_SET_TABLE, 1},
        {AMD_USER_push, AMD_FUNCTION_PUSH, 1},       {AMD_USER_trace_tables, AMD_FUNCTION_TABLES, 2},
        {AMD_USER_trace_size, AMD_FUNCTION_SIZE, 2}, {AMD_USER_traversal, AMD_FUNCTION_TRAVERSAL, 2},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(places); i++)
        give_registers(args, AMD_ARG_USER0 + places[i][0], places[i][1], places[i][2]);
    args->num_user_sgprs = AMD_FUNCTION_STACK;
    args->use_set_table = true;
    args->sets_used = needs->sets;
}

static void give_function(struct amd_args *args)
{
    give_registers(args, AMD_ARG_SCRATCH_OFFSET, AMD_FUNCTION_STACK, 1);
    give_registers(args, AMD_ARG_SP, AMD_FUNCTION_SP, 1);
    give_registers(args, AMD_ARG_SCRATCH, AMD_FUNCTION_SCRATCH, 4);
    give_registers(args, AMD_ARG_RETURN, AMD_FUNCTION_RETURN, 2);
    args->num_sgprs = AMD_FUNCTION_RETURN + 2;
}

/* By the hardware's old vertex stage; geometry shaders are always NGG. */
static bool runs_legacy(const struct ir_shader *shader, const struct amd_compile_options *options)
{
    return shader->stage == IR_STAGE_vertex && options->stage && options->stage->vs.legacy;
}

unsigned amd_vertex_vgprs(enum amd_hw_stage stage)
{
    return stage == AMD_HW_VS ? 4 : stage == AMD_HW_HS ? 6 : 9;
}

bool amd_hands_over_primitive_id(const struct amd_compile_options *options)
{
    return options->stage && options->stage->vs.next_reads_primitive_id && !options->stage->is_evaluation;
}

void amd_args_init(struct amd_args *args, const struct ir_shader *shader, const struct amd_compile_options *options)
{
    struct needs needs = {0};
    bool geometry = shader->stage == IR_STAGE_geometry, legacy = runs_legacy(shader, options),
         prolog = options->stage && options->stage->vs.prolog, per_sample = amd_runs_per_sample(shader, options);
    memset(args, 0, sizeof(*args));
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr)
            need_instr(&needs, shader, instr, per_sample);
    }
    if (ir_is_function(shader) || amd_calls(shader))
        give_launch(args, &needs);
    else
        give_users(args, &needs, shader, options, amd_has_vertex_stage(shader) && !legacy ? 8 : 0);
    if (ir_is_function(shader)) {
        give_function(args);
        return;
    }
    switch (shader->stage) {
    case IR_STAGE_fragment:
        find_ps_inputs(&needs, per_sample, amd_may_be_coarse(shader, options));
        give_fragment(args, &needs);
        break;
    case IR_STAGE_vertex:
    case IR_STAGE_geometry:
    case IR_STAGE_mesh:
    case IR_STAGE_tess_control: {
        unsigned vgpr = 256 + amd_vertex_vgprs(shader->stage == IR_STAGE_tess_control ? AMD_HW_HS
                                               : legacy                               ? AMD_HW_VS
                                                                                      : AMD_HW_NGG);
        if (shader->stage == IR_STAGE_tess_control)
            give_hull(args);
        else
            give_vertex(args, &needs, legacy, !geometry && !amd_hands_over_primitive_id(options), geometry,
                        is_evaluation(options));
        if (prolog && !is_evaluation(options))
            vgpr = give_attributes(args, &needs, vgpr);
        args->num_vgprs = (uint8_t)(vgpr - 256);
        break;
    }
    default:
        give_compute(args, &needs);
        break;
    }
}

/* ---- what is reported to the driver ---- */

/* Blocks of VGPRs minus one: 8 registers per block in wave32, 4 in wave64. SGPRs are always 128 on GFX10. */
static uint32_t register_fields(const struct amd_shader_config *config, uint32_t float_mode)
{
    uint32_t granule = config->wave_size == 32 ? 8 : 4, vgprs = MAX2(config->num_vgprs, 1u);
    return (uint32_t)(div_round_up(vgprs, granule) - 1) | float_mode << 12 | 1u << 21; /* DX10_CLAMP */
}

static uint32_t user_fields(const struct amd_shader_config *config)
{
    return (config->scratch_size_B != 0) | (config->num_user_sgprs & 31u) << 1;
}

static void finish_compute(const struct amd_args *args, struct amd_shader_config *config)
{
    unsigned components = config->workgroup_size[2] > 1 ? 2 : config->workgroup_size[1] > 1 ? 1 : 0;
    config->rsrc1 |= 1u << 30 | 1u << 29; /* MEM_ORDERED, WGP_MODE */
    config->rsrc2 |= (args->place[AMD_ARG_WORKGROUP_X].count ? 7u << 7 : 0) |
                     (args->place[AMD_ARG_TG_SIZE].count ? 1u << 10 : 0) | components << 11 |
                     (uint32_t)div_round_up(config->lds_size_B, 512) << 15;
}

/* SO_EN, and SO_BASEn_EN of each buffer that something is written to; what is captured counts without being written. */
static void finish_xfb(const struct amd_args *args, const struct ir_shader *shader, struct amd_shader_config *config)
{
    for (uint32_t i = 0; i < shader->num_captures; i++)
        config->xfb_stride_B[shader->captures[i].buffer] = shader->xfb_stride_B[shader->captures[i].buffer];
    if (!args->place[AMD_ARG_XFB_CONFIG].count)
        return;
    config->rsrc2 |= 1u << 12;
    for (unsigned i = 0; i < IR_XFB_BUFFERS; i++) {
        if (!args->place[AMD_ARG_XFB_BASE0 + i].count)
            continue;
        config->rsrc2 |= 1u << (8 + i);
    }
}

static void finish_hull(struct amd_shader_config *config)
{
    config->rsrc1 |= 1u << 24 | 1u << 26 | 3u << 28; /* MEM_ORDERED, WGP_MODE, LS_VGPR_COMP_CNT: up to the instance */
    config->rsrc2 |= 1u << 7 | (uint32_t)div_round_up(config->lds_size_B, 512) << 18 |
                     (uint32_t)config->num_user_sgprs >> 5 << 27; /* OC_LDS_EN */
}

/* As NGG's vertices, but nothing is known of them: MEM_ORDERED, WGP_MODE; the number of the workgroup is the first. */
static void finish_mesh(struct amd_shader_config *config)
{
    config->rsrc1 |= 1u << 25 | 1u << 27;
    config->rsrc2 |=
        (uint32_t)div_round_up(config->lds_size_B, 512) << 19 | (uint32_t)config->num_user_sgprs >> 5 << 27;
}

static void finish_vertex(struct amd_shader_config *config, bool legacy, bool geometry, bool is_point)
{
    uint32_t msb = (uint32_t)config->num_user_sgprs >> 5 << 27;
    if (legacy) {
        config->rsrc1 |= 3u << 24 | 1u << 27;            /* VGPR_COMP_CNT: up to the instance; MEM_ORDERED */
        config->rsrc2 |= msb | (is_point ? 1u << 7 : 0); /* OC_LDS_EN */
    } else {
        /* MEM_ORDERED, WGP_MODE, GS_VGPR_COMP_CNT: up to the primitive's number, or all */
        config->rsrc1 |= 1u << 25 | 1u << 27 | (geometry ? 3u : 2u) << 29;
        config->rsrc2 |=
            3u << 16 | (is_point ? 1u << 18 : 0) | (uint32_t)div_round_up(config->lds_size_B, 512) << 19 | msb;
    }
}

void amd_args_finish(const struct amd_args *args, const struct ir_shader *shader,
                     const struct amd_compile_options *options, uint32_t float_mode, struct amd_shader_config *config)
{
    bool legacy = runs_legacy(shader, options);
    config->wave_size = options->wave_size;
    config->num_user_sgprs = args->num_user_sgprs;
    config->num_start_sgprs = args->num_sgprs;
    config->inline_push_first = args->inline_push_first;
    config->sets_used = args->sets_used;
    for (unsigned i = 0; i < AMD_USER_COUNT; i++)
        config->user[i] =
            (struct amd_sgpr_place){(uint8_t)args->place[AMD_ARG_USER0 + i].reg, args->place[AMD_ARG_USER0 + i].count};
    for (unsigned i = 0; i < AMD_MAX_SETS; i++)
        config->sets[i] =
            (struct amd_sgpr_place){(uint8_t)args->place[AMD_ARG_SET0 + i].reg, args->place[AMD_ARG_SET0 + i].count};
    config->rsrc1 = register_fields(config, float_mode);
    config->rsrc2 = user_fields(config);
    config->rsrc3 = 0;
    switch (shader->stage) {
    case IR_STAGE_raygen:
    case IR_STAGE_intersection:
    case IR_STAGE_any_hit:
    case IR_STAGE_closest_hit:
    case IR_STAGE_miss:
    case IR_STAGE_callable: /* the registers are those of the kernel that calls it */
    case IR_STAGE_compute:
        config->hw_stage = AMD_HW_CS;
        finish_compute(args, config);
        break;
    case IR_STAGE_tess_control:
        config->hw_stage = AMD_HW_HS;
        config->tess = options->stage->tess;
        finish_hull(config);
        break;
    case IR_STAGE_geometry:
        config->hw_stage = AMD_HW_NGG;
        config->geometry = options->stage->gs.layout;
        finish_vertex(config, false, true, is_evaluation(options));
        break;
    case IR_STAGE_mesh:
        config->hw_stage = AMD_HW_NGG;
        config->geometry = options->stage->gs.layout;
        finish_mesh(config);
        break;
    case IR_STAGE_vertex:
        config->hw_stage = legacy ? AMD_HW_VS : AMD_HW_NGG;
        finish_vertex(config, legacy, false, is_evaluation(options));
        finish_xfb(args, shader, config);
        break;
    default:
        config->hw_stage = AMD_HW_PS;
        config->rsrc1 |= 1u << 25;                                        /* MEM_ORDERED */
        config->rsrc1 |= args->place[AMD_ARG_TURNS].count ? 1u << 27 : 0; /* LOAD_PROVOKING_VTX */
        config->rsrc2 |= (uint32_t)config->num_user_sgprs >> 5 << 27;
        for (unsigned i = 0; i < AMD_PS_INPUT_COUNT; i++)
            config->spi_ps_input_ena |= args->place[AMD_ARG_PS_INPUT0 + i].count ? 1u << i : 0;
        break;
    }
}
