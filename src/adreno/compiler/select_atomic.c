/* Selection of atomic operations on buffers, addresses and local memory. */
#include "adreno/compiler/select.h"
#include "util/bits.h"

#define TYPE_U64 AIR_U8 /* of atomics */

/* By the order of the instruction set: of those with a descriptor, and of the others. */
static int atomic_number(unsigned atomic, bool is_bindless)
{
    switch (atomic) {
    case IR_ATOMIC_iadd:
        return 0;
    case IR_ATOMIC_isub:
        return 1;
    case IR_ATOMIC_exchange:
        return 2;
    case IR_ATOMIC_cmpxchg:
        return is_bindless ? 3 : 5;
    case IR_ATOMIC_imin:
    case IR_ATOMIC_umin:
        return is_bindless ? 4 : 6;
    case IR_ATOMIC_imax:
    case IR_ATOMIC_umax:
        return is_bindless ? 5 : 7;
    case IR_ATOMIC_iand:
        return is_bindless ? 6 : 8;
    case IR_ATOMIC_ior:
        return is_bindless ? 7 : 9;
    case IR_ATOMIC_ixor:
        return is_bindless ? 8 : 10;
    default:
        return -1;
    }
}

static struct mach_operand at(unsigned place, struct mach_operand operand)
{
    operand.place = (uint8_t)place;
    return operand;
}

static void set_atomic(struct select *ctx, struct mach_instr *instr, unsigned bits, unsigned atomic, bool is_bindless)
{
    const int number = atomic_number(atomic, is_bindless);
    if (number < 0)
        sel_fail(ctx, "an atomic of this kind, of %u bits, has no instruction", bits);
    instr->op = (uint16_t)(instr->op + number);
    if (bits == 64)
        air_isa(instr)->field[ADRENO_ISA_FIELD_TYPE] = TYPE_U64;
    else if (atomic == IR_ATOMIC_imin || atomic == IR_ATOMIC_imax)
        air_isa(instr)->field[ADRENO_ISA_FIELD_TYPE] = AIR_S32;
    instr->has_effect = true;
}

void adreno_sel_set_atomic(struct select *ctx, struct mach_instr *instr, const struct ir_instr *from, unsigned atomic,
                           bool is_bindless)
{
    set_atomic(ctx, instr, from->def.bits, atomic, is_bindless);
}

/* The result takes the place of the first registers, the value and what it is compared with follow. */
static void atomic_b(struct select *ctx, const struct sel_descriptor *descriptor, mach_temp dword, unsigned atomic,
                     unsigned bits, unsigned count, const mach_temp *data, mach_temp *regs_out)
{
    const mach_temp tuple = adreno_sel_tuple(ctx, count, data);
    const mach_temp result = mach_new_temp(ctx->m.program, AIR_FULL((uint8_t)count));
    struct mach_instr *atom = adreno_air_form(&ctx->m.b, AIR_FORM_ATOMIC_B, result, 3);
    atom->is_tied = true;
    atom->operands[0] = at(ADRENO_ISA_PLACE_DST, mach_use(tuple));
    atom->operands[1] = at(ADRENO_ISA_PLACE_SRC1, mach_use(dword));
    adreno_sel_set_descriptor(atom, descriptor, 2, ADRENO_ISA_PLACE_SRC2);
    set_atomic(ctx, atom, bits, atomic, true);
    if (regs_out)
        adreno_sel_split(ctx, result, count, regs_out);
}

void adreno_sel_atomic_dword(struct select *ctx, const struct sel_descriptor *descriptor, mach_temp dword,
                             unsigned atomic, mach_temp value)
{
    atomic_b(ctx, descriptor, dword, atomic, 32, 2, (mach_temp[]){adreno_sel_number(ctx, AIR_FULL(1), 0), value}, NULL);
}

/* IR: what it is compared with, then the new value. */
static unsigned collect_data(struct select *ctx, const struct ir_instr *instr, unsigned first, bool is_exchange,
                             mach_temp *data)
{
    const unsigned words = adreno_sel_words(&instr->def);
    for (unsigned i = 0; i < words; i++) {
        data[i] = adreno_sel_reg(ctx, ir_src(instr, is_exchange ? first + 1 : first), i);
        if (is_exchange)
            data[words + i] = adreno_sel_reg(ctx, ir_src(instr, first), i);
    }
    return is_exchange ? 2 * words : words;
}

static void atomic_ssbo(struct select *ctx, const struct ir_instr *instr, unsigned atomic)
{
    const unsigned words = adreno_sel_words(&instr->def);
    const struct sel_descriptor descriptor = adreno_sel_descriptor(ctx, ir_src(instr, 0));
    mach_temp dword = adreno_sel_dword(ctx, ir_src(instr, 1), ir_imm(instr, IR_IMM_BASE));
    if (words > 1) /* counted in elements of the type */
        dword = adreno_sel_alu2(ctx, ADRENO_ISA_OP_SHR_B, AIR_FULL(1), mach_use(dword), mach_number(1));
    mach_temp data[6];
    for (unsigned i = 0; i < words; i++)
        data[i] = adreno_sel_number(ctx, AIR_FULL(1), 0);
    const unsigned count = words + collect_data(ctx, instr, 2, atomic == IR_ATOMIC_cmpxchg, data + words);
    mach_temp *regs = mach_alloc(ctx->m.program, 6 * sizeof(*regs));
    atomic_b(ctx, &descriptor, dword, atomic, instr->def.bits, count, data, regs);
    adreno_sel_set(ctx, &instr->def, regs);
}

static void atomic_plain(struct select *ctx, const struct ir_instr *instr, unsigned atomic, bool is_global)
{
    const unsigned words = adreno_sel_words(&instr->def);
    const uint32_t base = ir_imm(instr, IR_IMM_BASE);
    if (words > 1 && !is_global)
        sel_fail(ctx, "local memory has no atomics of 64 bits");
    const mach_temp where = is_global ? adreno_sel_address(ctx, ir_src(instr, 0), base)
                                      : adreno_sel_add(ctx, adreno_sel_reg(ctx, ir_src(instr, 0), 0), base);
    mach_temp data[4];
    const unsigned count = collect_data(ctx, instr, 1, atomic == IR_ATOMIC_cmpxchg, data);
    const mach_temp tuple = adreno_sel_tuple(ctx, count, data);
    const mach_temp result = mach_new_temp(ctx->m.program, AIR_FULL((uint8_t)words));
    struct mach_instr *atom = adreno_air_form(&ctx->m.b, is_global ? AIR_FORM_ATOMIC_G : AIR_FORM_ATOMIC_L, result, 2);
    atom->operands[0] = at(ADRENO_ISA_PLACE_SRC0, mach_use(where));
    atom->operands[1] = at(ADRENO_ISA_PLACE_SRC1, mach_use(tuple));
    set_atomic(ctx, atom, instr->def.bits, atomic, false);
    mach_temp *regs = mach_alloc(ctx->m.program, words * sizeof(*regs));
    adreno_sel_split(ctx, result, words, regs);
    adreno_sel_set(ctx, &instr->def, regs);
}

bool adreno_select_atomic(struct select *ctx, const struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_atomic_ssbo:
        atomic_ssbo(ctx, instr, ir_imm(instr, IR_IMM_ATOMIC));
        return true;
    case IR_OP_cmpxchg_ssbo:
        atomic_ssbo(ctx, instr, IR_ATOMIC_cmpxchg);
        return true;
    case IR_OP_atomic_global:
    case IR_OP_atomic_shared:
        atomic_plain(ctx, instr, ir_imm(instr, IR_IMM_ATOMIC), instr->op == IR_OP_atomic_global);
        return true;
    case IR_OP_cmpxchg_global:
    case IR_OP_cmpxchg_shared:
        atomic_plain(ctx, instr, IR_ATOMIC_cmpxchg, instr->op == IR_OP_cmpxchg_global);
        return true;
    default:
        return false;
    }
}
