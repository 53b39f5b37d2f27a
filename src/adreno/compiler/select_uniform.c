/* Selection of uniform buffers, which are counted in vec4 (ldc): a component whose place is not known is chosen after
 * the load. Those that the preamble has copied to the constant file are select_constant.c's. */
#include "adreno/compiler/select.h"
#include "util/bits.h"

#define MAX_COMPONENTS 32

static mach_temp full2(struct select *ctx, unsigned op, mach_temp a, struct mach_operand b)
{
    return adreno_sel_alu2(ctx, op, AIR_FULL(1), mach_use(a), b);
}

static struct mach_operand at(unsigned place, struct mach_operand operand)
{
    operand.place = (uint8_t)place;
    return operand;
}

static void load_vec4(struct select *ctx, const struct sel_descriptor *descriptor, struct mach_operand vec4,
                      unsigned first, unsigned count, mach_temp *regs_out)
{
    const mach_temp tuple = mach_new_temp(ctx->m.program, AIR_FULL((uint8_t)count));
    struct mach_instr *ldc = adreno_air_form(&ctx->m.b, AIR_FORM_LDC, tuple, 2);
    ldc->operands[0] = at(ADRENO_ISA_PLACE_SRC0, vec4);
    ldc->operands[0].flags |= vec4.kind == MACH_NUMBER ? ADRENO_ISA_FLAG_IMMEDIATE : 0;
    adreno_sel_set_descriptor(ldc, descriptor, 1, ADRENO_ISA_PLACE_SRC1);
    air_isa(ldc)->field[ADRENO_ISA_FIELD_AT] = (int16_t)first;
    air_isa(ldc)->field[ADRENO_ISA_FIELD_ELEMENTS] = (int16_t)(count - 1);
    adreno_sel_split(ctx, tuple, count, regs_out);
}

/* One dword at an offset of which nothing is known: the component is chosen afterwards. */
static mach_temp load_dword(struct select *ctx, const struct sel_descriptor *descriptor, mach_temp offset)
{
    mach_temp all[4], pair[2];
    const mach_temp vec4 = full2(ctx, ADRENO_ISA_OP_SHR_B, offset, mach_number(4));
    const mach_temp is_odd = full2(ctx, ADRENO_ISA_OP_AND_B, offset, mach_number(4));
    const mach_temp is_upper = full2(ctx, ADRENO_ISA_OP_AND_B, offset, mach_number(8));
    load_vec4(ctx, descriptor, mach_use(vec4), 0, 4, all);
    for (unsigned i = 0; i < 2; i++) {
        const struct mach_operand choice[] = {mach_use(all[2 + i]), mach_use(is_upper), mach_use(all[i])};
        pair[i] = adreno_sel_alu(ctx, ADRENO_ISA_OP_SEL_B32, AIR_FULL(1), 3, choice);
    }
    const struct mach_operand choice[] = {mach_use(pair[1]), mach_use(is_odd), mach_use(pair[0])};
    return adreno_sel_alu(ctx, ADRENO_ISA_OP_SEL_B32, AIR_FULL(1), 3, choice);
}

/* Dwords that follow each other, from dword `first` of vec4 `vec4` (a number, or a register) on. */
static void load_run(struct select *ctx, const struct sel_descriptor *descriptor, mach_temp vec4, uint32_t first,
                     unsigned count, mach_temp *regs_out)
{
    for (unsigned done = 0, some; done < count; done += some) {
        const uint32_t dword = first + done, more = dword / 4;
        some = MIN2(count - done, 4 - dword % 4);
        struct mach_operand where = mach_number((uint32_t)more);
        if (vec4)
            where = mach_use(adreno_sel_add(ctx, vec4, more));
        else if (more >= 256)
            where = mach_use(adreno_sel_number(ctx, AIR_FULL(1), more));
        load_vec4(ctx, descriptor, where, dword % 4, some, regs_out + done);
    }
}

static void load_known(struct select *ctx, const struct ir_instr *instr, const struct sel_descriptor *descriptor,
                       mach_temp vec4, uint32_t first_B, mach_temp *regs)
{
    const unsigned count = instr->def.comps * adreno_sel_words(&instr->def);
    mach_temp dwords[MAX_COMPONENTS];
    if (instr->def.bits >= 32) {
        load_run(ctx, descriptor, vec4, first_B / 4, count, regs);
        return;
    }
    const uint32_t size_B = instr->def.bits / 8u, phase = first_B % 4;
    load_run(ctx, descriptor, vec4, first_B / 4, (unsigned)div_round_up(phase + count * size_B, 4), dwords);
    for (unsigned i = 0; i < count; i++) {
        const uint32_t byte = phase + i * size_B;
        regs[i] = adreno_sel_part(ctx, dwords[byte / 4], mach_number((uint32_t)(byte % 4 * 8)));
    }
}

void adreno_sel_load_ubo(struct select *ctx, const struct ir_instr *instr)
{
    const unsigned count = instr->def.comps * adreno_sel_words(&instr->def);
    const uint32_t base = ir_imm(instr, IR_IMM_BASE);
    const struct ir_value *offset = ir_src(instr, 1);
    const struct sel_descriptor descriptor = adreno_sel_descriptor(ctx, ir_src(instr, 0));
    mach_temp *regs = mach_alloc(ctx->m.program, count * sizeof(*regs));
    if (ir_is_const(offset)) {
        load_known(ctx, instr, &descriptor, 0, (uint32_t)ir_const_u64(offset) + base, regs);
    } else if (ir_imm(instr, IR_IMM_ALIGN) >= 16) {
        const uint32_t phase = ir_imm(instr, IR_IMM_ALIGN_OFFSET) % 16;
        const mach_temp byte = adreno_sel_add(ctx, adreno_sel_reg(ctx, offset, 0), base % 16 ? base : 0);
        const mach_temp vec4 = full2(ctx, ADRENO_ISA_OP_SHR_B, byte, mach_number(4));
        load_known(ctx, instr, &descriptor, adreno_sel_add(ctx, vec4, base % 16 ? 0 : base / 16), phase, regs);
    } else {
        const mach_temp first = adreno_sel_add(ctx, adreno_sel_reg(ctx, offset, 0), base);
        const unsigned size_B = instr->def.bits < 32 ? instr->def.bits / 8 : 4;
        for (unsigned i = 0; i < count; i++) {
            const mach_temp one = adreno_sel_add(ctx, first, i * size_B);
            regs[i] = load_dword(ctx, &descriptor, one);
            if (instr->def.bits < 32)
                regs[i] = adreno_sel_cut(ctx, regs[i], one);
        }
    }
    adreno_sel_set(ctx, &instr->def, regs);
}
