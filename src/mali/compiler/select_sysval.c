/* Selection of what an invocation knows of itself: registers that the hardware fills, values that the driver gives. */
#include "mali/compiler/select.h"
#include "util/bits.h"

mach_temp mali_sel_preloaded(struct select *ctx, unsigned reg)
{
    return ctx->preload[reg - VIR_FIRST_PRELOAD];
}

struct mach_operand mali_sel_sysval(struct select *ctx, enum mali_sysval which, unsigned word)
{
    if (ctx->config->fau.sysval[which] == MALI_FAU_UNUSED)
        sel_fail(ctx, "internal: system value %u has no uniform", which);
    return vir_uniform(ctx->config->fau.sysval[which] + word);
}

/* ---- compute ---- */

/* x and y are halves of r55, z is r56. */
static mach_temp local_id(struct select *ctx, unsigned component)
{
    if (component == 2)
        return mali_sel_preloaded(ctx, 56);
    const struct mach_operand both = mach_use(mali_sel_preloaded(ctx, 55));
    return SEL_ALU(ctx, MALI_ISA_OP_U16_TO_U32, sel_part(both, component ? MALI_ISA_HALVES_H11 : MALI_ISA_HALVES_H00));
}

static mach_temp workgroup_id(struct select *ctx, unsigned component)
{
    const mach_temp id = mali_sel_preloaded(ctx, 57 + component);
    if (!ctx->options->has_workgroup_base)
        return id;
    return SEL_ALU(ctx, MALI_ISA_OP_IADD_U32, mach_use(id),
                   mali_sel_sysval(ctx, MALI_SYSVAL_WORKGROUP_BASE, component));
}

static uint32_t size_of(const struct select *ctx, unsigned axis)
{
    return MAX2(ctx->m.shader->workgroup_size[axis], 1u);
}

static mach_temp times_plus(struct select *ctx, mach_temp a, uint32_t number, mach_temp b)
{
    const mach_temp product = SEL_ALU(ctx, MALI_ISA_OP_IMUL_I32, mach_use(a), mach_number(number));
    return SEL_ALU(ctx, MALI_ISA_OP_IADD_U32, mach_use(product), mach_use(b));
}

static mach_temp local_index(struct select *ctx)
{
    mach_temp index = 0;
    for (int axis = 2; axis >= 0; axis--) {
        if (size_of(ctx, (unsigned)axis) == 1 && axis > 0)
            continue;
        index = index ? times_plus(ctx, index, size_of(ctx, (unsigned)axis), local_id(ctx, (unsigned)axis))
                      : local_id(ctx, (unsigned)axis);
    }
    return index;
}

static uint32_t num_subgroups(const struct select *ctx)
{
    const uint64_t threads = (uint64_t)size_of(ctx, 0) * size_of(ctx, 1) * size_of(ctx, 2);
    return (uint32_t)div_round_up(threads, 16);
}

/* The component of a system value that a value is; -1: it is none. */
static int axis_of(const struct ir_value *value, enum ir_sysval which)
{
    const struct ir_instr *extract = ir_def_instr(value);
    if (extract->op != IR_OP_extract)
        return -1;
    const struct ir_instr *load = ir_def_instr(ir_src(extract, 0));
    return load->op == IR_OP_load_sysval && ir_imm(load, IR_IMM_SYSVAL) == (uint32_t)which
               ? (int)ir_imm(extract, IR_IMM_COMP)
               : -1;
}

/* A component of the workgroup's number, and what it was multiplied by. */
static int scaled_axis_of(const struct ir_value *value, uint64_t *scale_out)
{
    const struct ir_instr *def = ir_def_instr(value);
    *scale_out = 1;
    if (def->op != IR_OP_imul && def->op != IR_OP_ishl)
        return axis_of(value, IR_SYSVAL_workgroup_id);
    if (!ir_is_const(ir_src(def, 1)))
        return -1;
    const uint64_t number = ir_const_u64(ir_src(def, 1));
    *scale_out = def->op == IR_OP_imul ? number : 1ull << (number & 31);
    return axis_of(ir_src(def, 0), IR_SYSVAL_workgroup_id);
}

mach_temp mali_sel_global_id(struct select *ctx, const struct ir_instr *sum)
{
    if (ctx->m.shader->stage != IR_STAGE_compute || ctx->options->has_workgroup_base)
        return 0;
    for (unsigned side = 0; side < 2; side++) {
        uint64_t scale;
        const int axis = axis_of(ir_src(sum, side), IR_SYSVAL_local_id);
        if (axis >= 0 && scaled_axis_of(ir_src(sum, 1 - side), &scale) == axis && scale == size_of(ctx, (unsigned)axis))
            return mali_sel_preloaded(ctx, 60 + (unsigned)axis);
    }
    return 0;
}

static mach_temp compute_sysval(struct select *ctx, enum ir_sysval which, unsigned component)
{
    switch (which) {
    case IR_SYSVAL_local_id:
        return local_id(ctx, component);
    case IR_SYSVAL_workgroup_id:
        return workgroup_id(ctx, component);
    case IR_SYSVAL_num_workgroups:
        return mali_sel_move(ctx, mali_sel_sysval(ctx, MALI_SYSVAL_WORKGROUPS, component));
    case IR_SYSVAL_workgroup_base:
        return mali_sel_move(ctx, mali_sel_sysval(ctx, MALI_SYSVAL_WORKGROUP_BASE, component));
    case IR_SYSVAL_local_index:
        return local_index(ctx);
    case IR_SYSVAL_num_subgroups:
        return mali_sel_number(ctx, num_subgroups(ctx));
    case IR_SYSVAL_subgroup_id:
        return mali_sel_shift_right(ctx, mach_use(local_index(ctx)), 4);
    default:
        return 0;
    }
}

/* ---- all stages ---- */

static mach_temp component_of(struct select *ctx, enum ir_sysval which, unsigned component)
{
    switch (which) {
    case IR_SYSVAL_subgroup_size:
        return mali_sel_number(ctx, 16);
    case IR_SYSVAL_subgroup_lane:
        return mali_sel_move(ctx, vir_special(VIR_LANE_ID));
    case IR_SYSVAL_device_index:
        return mali_sel_number(ctx, 0);
    default:
        break;
    }
    switch (ctx->m.shader->stage) {
    case IR_STAGE_compute:
        return compute_sysval(ctx, which, component);
    case IR_STAGE_vertex:
        return mali_sel_vertex_sysval(ctx, which);
    default:
        return mali_sel_fragment_sysval(ctx, which, component);
    }
}

bool mali_select_sysval(struct select *ctx, const struct ir_instr *instr)
{
    if (instr->op != IR_OP_load_sysval)
        return false;
    const enum ir_sysval which = ir_imm(instr, IR_IMM_SYSVAL);
    mach_temp *regs = mach_alloc(ctx->m.program, instr->def.comps * sizeof(*regs));
    for (unsigned i = 0; i < instr->def.comps; i++) {
        regs[i] = component_of(ctx, which, i);
        if (!regs[i])
            sel_fail(ctx, "system value %u has no register yet", which);
    }
    mach_select_set(&ctx->m, &instr->def, regs);
    return true;
}
