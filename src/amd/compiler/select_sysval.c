/* System values: from the registers that a shader starts with. */
#include "amd/compiler/select.h"
#include "util/bits.h"

/* The number of this lane in its wave. */
mir_temp amd_sel_lane_index(struct select *ctx)
{
    mir_temp low = amd_sel_vop2(ctx, ISA_OP_V_MBCNT_LO_U32_B32, mir_const(UINT32_MAX), mir_const(0));
    return ctx->wave64 ? amd_sel_vop2(ctx, ISA_OP_V_MBCNT_HI_U32_B32, mir_const(UINT32_MAX), mir_use(low)) : low;
}

static mir_temp wave_number(struct select *ctx)
{
    return amd_sel_sop2(ctx, ISA_OP_S_BFE_U32, 1, mir_use(amd_sel_arg(ctx, AMD_ARG_TG_SIZE)), mir_const(6 | 6 << 16));
}

static uint32_t group_threads(const struct select *ctx)
{
    const uint32_t *size = ctx->shader->workgroup_size;
    return MAX2(size[0], 1u) * MAX2(size[1], 1u) * MAX2(size[2], 1u);
}

static void three(struct select *ctx, struct ir_instr *instr, const mir_temp parts[3])
{
    amd_sel_define_elems(ctx, &instr->def, instr->def.comps, parts);
}

static bool compute_sysval(struct select *ctx, struct ir_instr *instr, enum ir_sysval sysval)
{
    mir_temp parts[3];
    switch (sysval) {
    case IR_SYSVAL_workgroup_id:
    case IR_SYSVAL_local_id:
        for (unsigned i = 0; i < 3; i++) {
            if (sysval == IR_SYSVAL_workgroup_id)
                parts[i] = amd_sel_arg(ctx, AMD_ARG_WORKGROUP_X + i);
            else if (ctx->shader->workgroup_size[i] <= 1)
                parts[i] =
                    amd_sel_copy(ctx, MIR_V(1), mir_const(0)); /* the hardware does not write what has one value */
            else
                parts[i] = amd_sel_arg(ctx, AMD_ARG_LOCAL_X + i);
        }
        three(ctx, instr, parts);
        return true;
    case IR_SYSVAL_num_workgroups:
    case IR_SYSVAL_workgroup_base: {
        mir_temp all = amd_sel_arg(ctx, AMD_ARG_USER0 + (sysval == IR_SYSVAL_num_workgroups ? AMD_USER_num_workgroups
                                                                                            : AMD_USER_workgroup_base));
        for (unsigned i = 0; i < 3; i++)
            parts[i] = amd_sel_dword(ctx, all, i);
        three(ctx, instr, parts);
        return true;
    }
    case IR_SYSVAL_local_index: {
        mir_temp lane = amd_sel_lane_index(ctx);
        if (group_threads(ctx) > ctx->program->wave_size) {
            mir_temp first = amd_sel_sop2(ctx, ISA_OP_S_LSHL_B32, 1, mir_use(wave_number(ctx)),
                                          mir_const(log2_floor(ctx->program->wave_size)));
            lane = amd_sel_vop2(ctx, ISA_OP_V_ADD_NC_U32, mir_use(first), mir_use(lane));
        }
        amd_sel_define(ctx, &instr->def, lane);
        return true;
    }
    case IR_SYSVAL_subgroup_id:
        amd_sel_define(ctx, &instr->def,
                       ctx->shader->stage == IR_STAGE_compute ? wave_number(ctx)
                                                              : amd_sel_copy(ctx, MIR_S(1), mir_const(0)));
        return true;
    case IR_SYSVAL_num_subgroups: {
        uint32_t waves = (uint32_t)div_round_up(group_threads(ctx), ctx->program->wave_size);
        amd_sel_define(ctx, &instr->def, amd_sel_copy(ctx, MIR_S(1), mir_const(waves)));
        return true;
    }
    case IR_SYSVAL_subgroup_size:
        amd_sel_define(ctx, &instr->def, amd_sel_copy(ctx, MIR_S(1), mir_const(ctx->program->wave_size)));
        return true;
    case IR_SYSVAL_subgroup_lane:
        amd_sel_define(ctx, &instr->def, amd_sel_lane_index(ctx));
        return true;
    default:
        return false;
    }
}

/* Buffers that are not written have no register. */
static void xfb_bases(struct select *ctx, struct ir_instr *instr)
{
    mir_temp parts[IR_XFB_BUFFERS];
    for (unsigned i = 0; i < IR_XFB_BUFFERS; i++)
        parts[i] = ctx->args->place[AMD_ARG_XFB_BASE0 + i].count ? amd_sel_arg(ctx, AMD_ARG_XFB_BASE0 + i)
                                                                 : amd_sel_copy(ctx, MIR_S(1), mir_const(0));
    amd_sel_define_elems(ctx, &instr->def, IR_XFB_BUFFERS, parts);
}

static bool vertex_sysval(struct select *ctx, struct ir_instr *instr, enum ir_sysval sysval)
{
    mir_temp base;
    switch (sysval) {
    case IR_SYSVAL_xfb_config:
        amd_sel_define(ctx, &instr->def, amd_sel_arg(ctx, AMD_ARG_XFB_CONFIG));
        return true;
    case IR_SYSVAL_xfb_first:
        amd_sel_define(ctx, &instr->def, amd_sel_arg(ctx, AMD_ARG_XFB_FIRST));
        return true;
    case IR_SYSVAL_xfb_bases:
        xfb_bases(ctx, instr);
        return true;
    case IR_SYSVAL_vertex_index:
        base = amd_sel_arg(ctx, AMD_ARG_USER0 + AMD_USER_base_vertex);
        amd_sel_define(
            ctx, &instr->def,
            amd_sel_vop2(ctx, ISA_OP_V_ADD_NC_U32, mir_use(base), mir_use(amd_sel_arg(ctx, AMD_ARG_VERTEX_ID))));
        return true;
    case IR_SYSVAL_instance_index:
        base = amd_sel_arg(ctx, AMD_ARG_USER0 + AMD_USER_base_instance);
        amd_sel_define(
            ctx, &instr->def,
            amd_sel_vop2(ctx, ISA_OP_V_ADD_NC_U32, mir_use(base), mir_use(amd_sel_arg(ctx, AMD_ARG_INSTANCE_ID))));
        return true;
    case IR_SYSVAL_base_vertex:
        amd_sel_define(ctx, &instr->def, amd_sel_arg(ctx, AMD_ARG_USER0 + AMD_USER_base_vertex));
        return true;
    case IR_SYSVAL_base_instance:
        amd_sel_define(ctx, &instr->def, amd_sel_arg(ctx, AMD_ARG_USER0 + AMD_USER_base_instance));
        return true;
    case IR_SYSVAL_draw_index:
        amd_sel_define(ctx, &instr->def, amd_sel_arg(ctx, AMD_ARG_USER0 + AMD_USER_draw_index));
        return true;
    case IR_SYSVAL_primitive_id: /* of a geometry shader's primitive */
        amd_sel_define(ctx, &instr->def, amd_sel_arg(ctx, AMD_ARG_PRIMITIVE_ID));
        return true;
    case IR_SYSVAL_invocation_id:
        amd_sel_define(
            ctx, &instr->def,
            amd_sel_vop2(ctx, ISA_OP_V_AND_B32, mir_const(0x7f), mir_use(amd_sel_arg(ctx, AMD_ARG_INVOCATION))));
        return true;
    default:
        return false;
    }
}

static mir_temp ps_input(struct select *ctx, enum amd_ps_input input)
{
    return amd_sel_arg(ctx, AMD_ARG_PS_INPUT0 + input);
}

static mir_temp ancillary_field(struct select *ctx, unsigned offset, unsigned count)
{
    return amd_sel_vop3(ctx, ISA_OP_V_BFE_U32, mir_use(ps_input(ctx, AMD_PS_ANCILLARY)), mir_const(offset),
                        mir_const(count));
}

static void frag_coord(struct select *ctx, struct ir_instr *instr)
{
    mir_temp parts[4];
    for (unsigned i = 0; i < 4; i++)
        parts[i] = ps_input(ctx, AMD_PS_POS_X + i);
    if (ctx->coarse_depth)
        parts[2] = ctx->coarse_depth;
    parts[3] = amd_sel_vop1(ctx, ISA_OP_V_RCP_F32, mir_use(parts[3]));
    amd_sel_define_elems(ctx, &instr->def, 4, parts);
}

/* The ancillary word has the logarithm of the width in [3:2], that of the height in [5:4]. */
static void shading_rate(struct select *ctx, struct ir_instr *instr)
{
    mir_temp width = ancillary_field(ctx, 2, 2), height = ancillary_field(ctx, 4, 2);
    width = amd_sel_vop2(ctx, ISA_OP_V_LSHLREV_B32, mir_const(2), mir_use(width));
    amd_sel_define(ctx, &instr->def, amd_sel_vop2(ctx, ISA_OP_V_OR_B32, mir_use(width), mir_use(height)));
}

/* Lines and points have larger numbers than any turn of a triangle. */
static void corner_order(struct select *ctx, struct ir_instr *instr)
{
    mir_temp turns = amd_sel_arg(ctx, AMD_ARG_TURNS), state = amd_sel_arg(ctx, AMD_ARG_USER0 + AMD_USER_sample_state),
             quad = amd_sel_vop2(ctx, ISA_OP_V_LSHRREV_B32, mir_const(2), mir_use(amd_sel_lane_index(ctx))),
             shift = amd_sel_vop2(ctx, ISA_OP_V_LSHLREV_B32, mir_const(1), mir_use(quad)),
             turn = amd_sel_vop3(ctx, ISA_OP_V_BFE_U32, mir_use(turns), mir_use(shift), mir_const(2)),
             drawn = amd_sel_sop2(ctx, ISA_OP_S_LSHR_B32, 1, mir_use(state), mir_const(8));
    amd_sel_define(ctx, &instr->def, amd_sel_vop2(ctx, ISA_OP_V_MAX_U32, mir_use(drawn), mir_use(turn)));
}

/* With one invocation a sample, the mask has that sample's bit alone. */
static void sample_mask_in(struct select *ctx, struct ir_instr *instr)
{
    mir_temp mask = ps_input(ctx, AMD_PS_SAMPLE_COVERAGE);
    ctx->config->reads_sample_mask = true;
    if (ctx->per_sample) {
        mir_temp bit = amd_sel_vop2(ctx, ISA_OP_V_LSHLREV_B32, mir_use(ancillary_field(ctx, 8, 4)), mir_const(1));
        mask = amd_sel_vop2(ctx, ISA_OP_V_AND_B32, mir_use(bit), mir_use(mask));
    }
    amd_sel_define(ctx, &instr->def, mask);
}

static void point_coord(struct select *ctx, struct ir_instr *instr)
{
    mir_temp center = ps_input(ctx, AMD_PS_PERSP_CENTER), i = amd_sel_dword(ctx, center, 0),
             j = amd_sel_dword(ctx, center, 1), parts[2];
    for (unsigned n = 0; n < 2; n++)
        parts[n] = amd_sel_interpolate(ctx, AMD_LOCATION_POINT_COORD, n, i, j);
    amd_sel_define_elems(ctx, &instr->def, 2, parts);
}

static bool fragment_sysval(struct select *ctx, struct ir_instr *instr, enum ir_sysval sysval)
{
    switch (sysval) {
    case IR_SYSVAL_frag_coord:
        frag_coord(ctx, instr);
        return true;
    case IR_SYSVAL_shading_rate_in:
        shading_rate(ctx, instr);
        return true;
    case IR_SYSVAL_corner_order:
        corner_order(ctx, instr);
        return true;
    case IR_SYSVAL_sample_pos: {
        mir_temp parts[2];
        for (unsigned i = 0; i < 2; i++)
            parts[i] = amd_sel_vop1(ctx, ISA_OP_V_FRACT_F32, mir_use(ps_input(ctx, AMD_PS_POS_X + i)));
        amd_sel_define_elems(ctx, &instr->def, 2, parts);
        return true;
    }
    case IR_SYSVAL_front_facing:
        amd_sel_define(ctx, &instr->def,
                       amd_sel_vopc(ctx, ISA_OP_V_CMP_NE_U32, mir_const(0), mir_use(ps_input(ctx, AMD_PS_FRONT_FACE))));
        return true;
    case IR_SYSVAL_point_coord:
        point_coord(ctx, instr);
        return true;
    case IR_SYSVAL_primitive_id:
        amd_sel_define(ctx, &instr->def, amd_sel_attribute(ctx, IR_LOCATION_primitive_id, 0));
        return true;
    case IR_SYSVAL_viewport_in:
        amd_sel_define(ctx, &instr->def, amd_sel_attribute(ctx, IR_LOCATION_viewport, 0));
        return true;
    case IR_SYSVAL_sample_id:
        amd_sel_define(ctx, &instr->def, ancillary_field(ctx, 8, 4));
        return true;
    case IR_SYSVAL_layer_in:
        amd_sel_define(ctx, &instr->def, ancillary_field(ctx, 16, 13));
        return true;
    case IR_SYSVAL_sample_mask_in:
        sample_mask_in(ctx, instr);
        return true;
    case IR_SYSVAL_helper_invocation:
        amd_sel_define(ctx, &instr->def,
                       ctx->has_exact ? amd_sel_mask_not(ctx, mir_use(ctx->exact))
                                      : amd_sel_copy(ctx, ctx->program->lane_mask, amd_sel_mask_const(ctx, false)));
        return true;
    default:
        return false;
    }
}

bool amd_sel_sysval(struct select *ctx, struct ir_instr *instr)
{
    if (instr->op != IR_OP_load_sysval)
        return false;
    enum ir_sysval sysval = ir_imm(instr, IR_IMM_SYSVAL);
    if (sysval == IR_SYSVAL_view_index) {
        amd_sel_define(ctx, &instr->def, amd_sel_arg(ctx, AMD_ARG_USER0 + AMD_USER_view_index));
        return true;
    }
    if (sysval == IR_SYSVAL_device_index) {
        amd_sel_define(ctx, &instr->def, amd_sel_copy(ctx, MIR_S(1), mir_const(0)));
        return true;
    }
    if (compute_sysval(ctx, instr, sysval))
        return true;
    if (sysval == IR_SYSVAL_draw_index && ctx->shader->stage == IR_STAGE_compute) { /* of a task shader */
        amd_sel_define(ctx, &instr->def, amd_sel_arg(ctx, AMD_ARG_USER0 + AMD_USER_draw_index));
        return true;
    }
    if (amd_has_vertex_stage(ctx->shader))
        return vertex_sysval(ctx, instr, sysval);
    if (ctx->shader->stage == IR_STAGE_fragment)
        return fragment_sysval(ctx, instr, sysval);
    return false;
}
