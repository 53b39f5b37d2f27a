/* Selection of atomic operations on buffers, addresses and shared memory. What the target lacks has become loops of
 * compare and exchange. */
#include "mali/compiler/memory.h"

#define MAX_OFFSET_B 255 /* that an instruction has room for */

static int operation_of(unsigned atomic)
{
    switch (atomic) {
    case IR_ATOMIC_iadd:
    case IR_ATOMIC_isub:
        return MALI_ISA_ATOMIC_AADD;
    case IR_ATOMIC_imin:
        return MALI_ISA_ATOMIC_ASMIN;
    case IR_ATOMIC_imax:
        return MALI_ISA_ATOMIC_ASMAX;
    case IR_ATOMIC_umin:
        return MALI_ISA_ATOMIC_AUMIN;
    case IR_ATOMIC_umax:
        return MALI_ISA_ATOMIC_AUMAX;
    case IR_ATOMIC_iand:
        return MALI_ISA_ATOMIC_AAND;
    case IR_ATOMIC_ior:
        return MALI_ISA_ATOMIC_AOR;
    case IR_ATOMIC_ixor:
        return MALI_ISA_ATOMIC_AXOR;
    case IR_ATOMIC_exchange:
        return MALI_ISA_ATOMIC_AXCHG;
    default:
        return -1;
    }
}

/* The negative operand of a subtraction, word by word. */
static void negate_operands(struct select *ctx, unsigned words, struct mach_operand *operands)
{
    const struct mach_operand low = operands[0];
    operands[0] = mach_use(SEL_ALU(ctx, MALI_ISA_OP_ISUB_U32, mach_number(0), low));
    if (words == 1)
        return;
    const mach_temp borrow = mali_sel_compare(ctx, MALI_ISA_OP_ICMP_OR_U32, MALI_ISA_COND_NE, low, mach_number(0));
    const mach_temp high = SEL_ALU(ctx, MALI_ISA_OP_ISUB_U32, mach_number(0), operands[1]);
    operands[1] = mach_use(SEL_ALU(ctx, MALI_ISA_OP_IADD_U32, mach_use(high), mach_use(borrow)));
}

void mali_sel_atomic_at(struct select *ctx, const struct ir_instr *instr, unsigned data, bool is_exchange,
                        struct mach_operand address, int32_t add_B)
{
    const struct ir_value *value = ir_src(instr, data);
    const unsigned words = value->bits / 32;
    const unsigned atomic = is_exchange ? IR_ATOMIC_exchange : ir_imm(instr, IR_IMM_ATOMIC);
    const bool has_result = instr->def.uses.next != &instr->def.uses || is_exchange;
    struct mach_operand run[4];
    if (operation_of(atomic) < 0)
        sel_fail(ctx, "an atomic operation that has no instruction");
    /* The new value, then the one to compare with, as cmpxchg has them the other way. */
    for (unsigned i = 0; i < words; i++) {
        run[i] = mali_sel_operand(ctx, ir_src(instr, data + is_exchange), i);
        run[words + i] = mali_sel_operand(ctx, value, i);
    }
    if (atomic == IR_ATOMIC_isub)
        negate_operands(ctx, words, run);
    const mach_temp staging = mali_sel_run(ctx, is_exchange ? 2 * words : words, run);
    const mach_temp result = has_result ? mach_new_temp(ctx->m.program, VIR_RUN(words)) : 0;
    const struct mach_operand operands[] = {address,
                                            sel_at(mach_use(staging), has_result ? VIR_STAGING1 : VIR_STAGING0)};
    const unsigned op = has_result ? (words == 2 ? MALI_ISA_OP_ATOM_RETURN_I64 : MALI_ISA_OP_ATOM_RETURN_I32)
                                   : (words == 2 ? MALI_ISA_OP_ATOM_I64 : MALI_ISA_OP_ATOM_I32);
    mali_sel_instr(ctx, op, result, 2, operands)->has_effect = true;
    struct mali_isa_inst *isa = mali_sel_last(ctx);
    isa->field[MALI_ISA_FIELD_ATOMIC] = (uint8_t)operation_of(atomic);
    isa->field[MALI_ISA_FIELD_COMPARE] = is_exchange;
    isa->number[0] = (uint32_t)add_B;
    mach_temp *regs = mach_alloc(ctx->m.program, words * sizeof(*regs));
    if (has_result)
        mali_sel_split(ctx, result, words, regs);
    mach_select_set(&ctx->m, &instr->def, regs);
}

bool mali_select_atomic(struct select *ctx, const struct ir_instr *instr)
{
    struct sel_place place;
    unsigned data = 2;
    switch (instr->op) {
    case IR_OP_atomic_ssbo:
    case IR_OP_cmpxchg_ssbo:
        place = mali_sel_buffer_place(ctx, ir_src(instr, 0), ir_src(instr, 1), ir_imm(instr, IR_IMM_BASE));
        break;
    case IR_OP_atomic_global:
    case IR_OP_cmpxchg_global:
        place = mali_sel_global_place(ctx, ir_src(instr, 0), ir_imm(instr, IR_IMM_BASE));
        data = 1;
        break;
    case IR_OP_atomic_shared:
    case IR_OP_cmpxchg_shared:
        place = mali_sel_local_place(ctx, VIR_WLS, ir_src(instr, 0), ir_imm(instr, IR_IMM_BASE));
        data = 1;
        break;
    default:
        return false;
    }
    const bool is_exchange =
        instr->op == IR_OP_cmpxchg_ssbo || instr->op == IR_OP_cmpxchg_global || instr->op == IR_OP_cmpxchg_shared;
    int32_t add_B;
    const struct mach_operand address = mali_sel_place_address(ctx, &place, MAX_OFFSET_B, &add_B);
    mali_sel_atomic_at(ctx, instr, data, is_exchange, address, add_B);
    return true;
}
