/* Constant parts of addresses go into the `base` of the access, where they cost nothing, and where accesses side by
 * side can be seen to be so.
 *
 * `base` is added without wrapping and an addition wraps, so the sum must be known not to: by its largest possible
 * value. */
#include "compiler/ir/ir_builder.h"
#include "compiler/ir/opt.h"

/* Which operand of a memory operation is its 32-bit offset; -1: none. */
static int ir_offset_operand(const struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_load_ubo:
    case IR_OP_load_ssbo:
    case IR_OP_atomic_ssbo:
    case IR_OP_cmpxchg_ssbo:
        return 1;
    case IR_OP_store_ssbo:
        return 2;
    case IR_OP_load_shared:
    case IR_OP_atomic_shared:
    case IR_OP_cmpxchg_shared:
    case IR_OP_load_scratch:
    case IR_OP_load_stack:
    case IR_OP_load_push:
    case IR_OP_load_payload:
    case IR_OP_load_const_data:
        return 0;
    case IR_OP_store_shared:
    case IR_OP_store_scratch:
    case IR_OP_store_stack:
        return 1;
    default:
        return -1;
    }
}

/* Far enough for every structure, and small enough that no back end has to think of overflow. */
#define MAX_BASE (1u << 28)

static bool fold_one(struct ir_shader *shader, struct ir_instr *instr, struct ir_use *use)
{
    uint32_t base = ir_imm(instr, IR_IMM_BASE);
    const struct ir_instr *sum = ir_def_instr(use->value);
    if (ir_is_const(use->value)) {
        uint64_t value = ir_const_u64(use->value);
        if (value == 0 || value + base > MAX_BASE)
            return false;
        struct ir_builder b = ir_builder_before(shader, instr);
        ir_use_set(use, ir_const(&b, 32, 0));
        ir_set_imm(instr, IR_IMM_BASE, base + (uint32_t)value);
        return true;
    }
    if (sum->op != IR_OP_iadd || !ir_is_const(ir_src(sum, 1)))
        return false;
    uint64_t value = ir_const_u64(ir_src(sum, 1));
    if (value + base > MAX_BASE || ir_upper_bound(shader, ir_src(sum, 0)) + value > UINT32_MAX)
        return false;
    ir_use_set(use, ir_src(sum, 0));
    ir_set_imm(instr, IR_IMM_BASE, base + (uint32_t)value);
    return true;
}

/* (a + c) << s and (a + c) * m, where the sum cannot wrap, are a << s and a * m plus a constant. */
static bool distribute_offset(struct ir_shader *shader, struct ir_instr *instr)
{
    if ((instr->op != IR_OP_ishl && instr->op != IR_OP_imul) || instr->def.bits != 32 || instr->def.comps != 1 ||
        !ir_is_const(ir_src(instr, 1)))
        return false;
    const struct ir_instr *sum = ir_def_instr(ir_src(instr, 0));
    if (sum->op != IR_OP_iadd || !ir_is_const(ir_src(sum, 1)))
        return false;
    struct ir_builder b = ir_builder_before(shader, instr);
    struct ir_value *scale = ir_src(instr, 1);
    bool shift = instr->op == IR_OP_ishl;
    struct ir_value *left = shift ? ir_ishl(&b, ir_src(sum, 0), scale) : ir_imul(&b, ir_src(sum, 0), scale);
    struct ir_value *right = shift ? ir_ishl(&b, ir_src(sum, 1), scale) : ir_imul(&b, ir_src(sum, 1), scale);
    ir_replace_uses(&instr->def, ir_iadd(&b, left, right));
    ir_remove(instr);
    return true;
}

/* Only what addresses are made of: elsewhere a distributed product is one instruction more. */
static bool is_address_part(const struct ir_instr *instr, unsigned depth)
{
    ir_foreach_use (&instr->def, use) {
        if (!use->instr)
            return false;
        int operand = ir_offset_operand(use->instr);
        if (operand >= 0 && &use->instr->srcs[operand] == use)
            continue;
        if (use->instr->op == IR_OP_iadd && depth && is_address_part(use->instr, depth - 1))
            continue;
        return false;
    }
    return !list_is_empty(&instr->def.uses);
}

bool opt_address(struct ir_shader *shader, const void *options)
{
    bool progress = false;
    ir_foreach_block (shader, block)
        ir_foreach_instr (block, instr) {
            if ((instr->op == IR_OP_ishl || instr->op == IR_OP_imul) && is_address_part(instr, 3))
                progress |= distribute_offset(shader, instr);
        }
    ir_foreach_block (shader, block)
        ir_foreach_instr (block, instr) {
            int operand = ir_offset_operand(instr);
            while (operand >= 0 && fold_one(shader, instr, &instr->srcs[operand]))
                progress = true;
        }
    return progress;
}
