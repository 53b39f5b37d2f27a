/* Selection of what an invocation knows of itself. */
#include "adreno/compiler/select.h"
#include "util/bits.h"

mach_temp adreno_sel_param(struct select *ctx, enum adreno_param which, unsigned component)
{
    return adreno_sel_move(ctx, AIR_U32, AIR_U32, air_const((int32_t)(ctx->config->param[which] * 4u + component)));
}

/* In the order of the command processor. */
static mach_temp draw_param(struct select *ctx, enum ir_sysval which)
{
    const unsigned component = which == IR_SYSVAL_draw_index ? 0 : which == IR_SYSVAL_base_vertex ? 1 : 2;
    return adreno_sel_param(ctx, ADRENO_PARAM_DRAW, component);
}

/* The hardware counts from zero. */
static mach_temp workgroup_id(struct select *ctx, unsigned component)
{
    const mach_temp id =
        adreno_sel_move(ctx, AIR_U32, AIR_U32, air_special(ADRENO_ISA_REG_SHARED + (int32_t)component));
    if (!ctx->options->has_workgroup_base)
        return id;
    const int32_t base = (int32_t)(ctx->config->param[ADRENO_PARAM_WORKGROUP_BASE] * 4u + component);
    return adreno_sel_alu2(ctx, ADRENO_ISA_OP_ADD_S, AIR_FULL(1), mach_use(id), air_const(base));
}

static mach_temp times(struct select *ctx, mach_temp a, uint32_t number)
{
    return adreno_sel_alu2(ctx, ADRENO_ISA_OP_MUL_U24, AIR_FULL(1), mach_use(a),
                           mach_use(adreno_sel_number(ctx, AIR_FULL(1), number)));
}

mach_temp adreno_sel_local_index(struct select *ctx)
{
    const uint32_t *size = ctx->m.shader->workgroup_size;
    mach_temp sum = times(ctx, ctx->local_id[2], MAX2(size[1], 1u));
    sum = adreno_sel_alu2(ctx, ADRENO_ISA_OP_ADD_S, AIR_FULL(1), mach_use(sum), mach_use(ctx->local_id[1]));
    sum = times(ctx, sum, MAX2(size[0], 1u));
    return adreno_sel_alu2(ctx, ADRENO_ISA_OP_ADD_S, AIR_FULL(1), mach_use(sum), mach_use(ctx->local_id[0]));
}

static uint32_t num_subgroups(const struct select *ctx)
{
    const uint32_t *size = ctx->m.shader->workgroup_size;
    const uint64_t threads = (uint64_t)MAX2(size[0], 1u) * MAX2(size[1], 1u) * MAX2(size[2], 1u);
    return (uint32_t)div_round_up(threads, ctx->wave_size);
}

bool adreno_select_sysval(struct select *ctx, const struct ir_instr *instr)
{
    if (instr->op != IR_OP_load_sysval)
        return false;
    mach_temp *regs = mach_alloc(ctx->m.program, instr->def.comps * sizeof(*regs));
    const enum ir_sysval which = ir_imm(instr, IR_IMM_SYSVAL);
    for (unsigned i = 0; i < instr->def.comps; i++) {
        switch (which) {
        case IR_SYSVAL_local_id:
            regs[i] = ctx->local_id[i];
            break;
        case IR_SYSVAL_workgroup_id:
            regs[i] = workgroup_id(ctx, i);
            break;
        case IR_SYSVAL_num_workgroups:
            regs[i] = adreno_sel_param(ctx, ADRENO_PARAM_WORKGROUPS, i);
            break;
        case IR_SYSVAL_workgroup_base:
            regs[i] = adreno_sel_param(ctx, ADRENO_PARAM_WORKGROUP_BASE, i);
            break;
        case IR_SYSVAL_patch_vertices:
            regs[i] = adreno_sel_param(ctx, ADRENO_PARAM_PATCH, 0);
            break;
        case IR_SYSVAL_local_index:
            regs[i] = adreno_sel_local_index(ctx);
            break;
        case IR_SYSVAL_subgroup_size:
            regs[i] = adreno_sel_number(ctx, AIR_FULL(1), ctx->wave_size);
            break;
        case IR_SYSVAL_num_subgroups:
            regs[i] = adreno_sel_number(ctx, AIR_FULL(1), num_subgroups(ctx));
            break;
        case IR_SYSVAL_subgroup_id:
            regs[i] = adreno_sel_alu2(ctx, ADRENO_ISA_OP_SHR_B, AIR_FULL(1), mach_use(adreno_sel_local_index(ctx)),
                                      mach_number(ctx->wave_size == 128 ? 7 : 6));
            break;
        case IR_SYSVAL_subgroup_lane:
            regs[i] = adreno_sel_lane(ctx);
            break;
        case IR_SYSVAL_draw_index:
        case IR_SYSVAL_base_vertex:
        case IR_SYSVAL_base_instance:
            regs[i] = draw_param(ctx, which);
            break;
        case IR_SYSVAL_device_index:
            regs[i] = adreno_sel_number(ctx, AIR_FULL(1), 0);
            break;
        default:
            regs[i] = ctx->fragment ? adreno_sel_fragment_sysval(ctx, which, i) : adreno_sel_vertex_sysval(ctx, which);
            if (regs[i])
                break;
            sel_fail(ctx, "system value %u has no register yet", which);
        }
    }
    adreno_sel_set(ctx, &instr->def, regs);
    return true;
}
