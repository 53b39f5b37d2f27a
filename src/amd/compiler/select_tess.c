/* The registers that hull and evaluation shaders start with (hull.c, evaluation.c). */
#include "amd/compiler/select.h"

/* The ring that the driver gave plus the place that the hardware gave. */
static mir_temp ring_place(struct select *ctx, enum amd_arg place, uint32_t first_B)
{
    mir_temp ring = amd_sel_arg(ctx, AMD_ARG_USER0 + AMD_USER_tess_rings), at = amd_sel_arg(ctx, place);
    mir_temp sum = amd_sel_sop2(ctx, ISA_OP_S_ADD_U32, 1, mir_use(ring), mir_use(at));
    return first_B ? amd_sel_sop2(ctx, ISA_OP_S_ADD_U32, 1, mir_use(sum), mir_const(first_B)) : sum;
}

static void two(struct select *ctx, struct ir_instr *instr, enum amd_arg first, enum amd_arg second)
{
    const mir_temp parts[2] = {amd_sel_arg(ctx, first), amd_sel_arg(ctx, second)};
    amd_sel_define_elems(ctx, &instr->def, 2, parts);
}

bool amd_sel_tess(struct select *ctx, struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_tess_buffer:
        amd_sel_define(ctx, &instr->def, ring_place(ctx, AMD_ARG_OFFCHIP, AMD_TESS_BUFFERS_B));
        return true;
    case IR_OP_tess_levels:
        amd_sel_define(ctx, &instr->def, ring_place(ctx, AMD_ARG_LEVELS, 0));
        return true;
    case IR_OP_tess_point:
        two(ctx, instr, AMD_ARG_TESS_U, AMD_ARG_TESS_V);
        return true;
    case IR_OP_tess_patch:
        two(ctx, instr, AMD_ARG_TESS_PATCH, AMD_ARG_TESS_NUMBER);
        return true;
    case IR_OP_tess_in_points:
        amd_sel_define(ctx, &instr->def, amd_sel_arg(ctx, AMD_ARG_USER0 + AMD_USER_patch_points));
        return true;
    default:
        return false;
    }
}
