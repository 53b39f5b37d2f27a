/* Selection of buffers that have descriptors. Storage buffers are counted in dwords (ldib.b, stib.b, untyped), uniform ones
 * in vec4 (ldc). Values of 8 and 16 bits are cut out of dwords; where they do not fill one, a store is two atomic
 * operations, which leave the other bits of it alone. */
#include "adreno/compiler/select.h"
#include "adreno/hw/chip.h"
#include "util/bits.h"

#define SPAN 4 /* components of one access */
#define MAX_COMPONENTS 32
#define MAX_OFFSET_DW 127 /* of an access to a storage buffer */
#define MAX_DEPTH 4       /* of a sum that is divided part by part */

static mach_temp full2(struct select *ctx, unsigned op, mach_temp a, struct mach_operand b)
{
    return adreno_sel_alu2(ctx, op, AIR_FULL(1), mach_use(a), b);
}

static struct mach_operand at(unsigned place, struct mach_operand operand)
{
    operand.place = (uint8_t)place;
    return operand;
}

/* ---- offsets ---- */

/* Whether a byte offset divided by four is worth computing from its parts: it is a multiple of four by construction. */
static bool is_in_dwords(const struct ir_value *offset, unsigned depth)
{
    if (ir_is_const(offset))
        return ir_const_u64(offset) % 4 == 0;
    const struct ir_instr *def = ir_def_instr(offset);
    switch (depth < MAX_DEPTH ? def->op : IR_OP_COUNT) {
    case IR_OP_ishl:
        return ir_is_const(ir_src(def, 1)) && (ir_const_u64(ir_src(def, 1)) & 31) >= 2;
    case IR_OP_imul:
    case IR_OP_umul24:
        return ir_is_const(ir_src(def, 1)) && ir_const_u64(ir_src(def, 1)) % 4 == 0;
    case IR_OP_iadd:
    case IR_OP_ior:
        return is_in_dwords(ir_src(def, 0), depth + 1) && is_in_dwords(ir_src(def, 1), depth + 1);
    default:
        return false;
    }
}

/* A number of a sum or a product may be negative: a[i - 1]. */
static uint32_t number_in_dwords(const struct ir_value *number)
{
    return (uint32_t)((int32_t)ir_const_u64(number) / 4);
}

/* Offsets do not wrap around: what leaves the buffer is outside of it either way. */
static mach_temp in_dwords(struct select *ctx, const struct ir_value *offset)
{
    if (ir_is_const(offset))
        return adreno_sel_number(ctx, AIR_FULL(1), number_in_dwords(offset));
    const struct ir_instr *def = ir_def_instr(offset);
    const mach_temp x = def->op == IR_OP_iadd || def->op == IR_OP_ior ? 0 : adreno_sel_reg(ctx, ir_src(def, 0), 0);
    uint32_t number;
    switch (def->op) {
    case IR_OP_ishl:
        number = (uint32_t)ir_const_u64(ir_src(def, 1)) % 32 - 2;
        return number ? full2(ctx, ADRENO_ISA_OP_SHL_B, x, mach_number((uint32_t)number)) : x;
    case IR_OP_umul24:
    case IR_OP_imul:
        number = def->op == IR_OP_imul ? number_in_dwords(ir_src(def, 1)) : (uint32_t)ir_const_u64(ir_src(def, 1)) / 4;
        if (number == 1 && def->op == IR_OP_imul)
            return x;
        if (def->op == IR_OP_umul24)
            return full2(ctx, ADRENO_ISA_OP_MUL_U24, x, mach_use(adreno_sel_number(ctx, AIR_FULL(1), number)));
        return adreno_sel_multiply(ctx, mach_use(x), mach_use(adreno_sel_number(ctx, AIR_FULL(1), number)));
    case IR_OP_ior:
        return full2(ctx, ADRENO_ISA_OP_OR_B, in_dwords(ctx, ir_src(def, 0)),
                     mach_use(in_dwords(ctx, ir_src(def, 1))));
    default:
        if (ir_is_const(ir_src(def, 1)))
            return adreno_sel_add(ctx, in_dwords(ctx, ir_src(def, 0)), number_in_dwords(ir_src(def, 1)));
        return full2(ctx, ADRENO_ISA_OP_ADD_S, in_dwords(ctx, ir_src(def, 0)),
                     mach_use(in_dwords(ctx, ir_src(def, 1))));
    }
}

/* A place in a storage buffer: a register, and dwords that the instruction adds. */
struct dwords {
    mach_temp reg;
    uint32_t more;
};

static struct dwords dwords_of(struct select *ctx, const struct ir_value *offset, uint32_t base_B)
{
    if (ir_is_const(offset)) { /* neighbours share a register */
        const uint32_t dword = ((uint32_t)ir_const_u64(offset) + base_B) / 4;
        const uint32_t more = ctx->options->chip->has_ssbo_imm_offsets ? dword & MAX_OFFSET_DW : 0;
        return (struct dwords){adreno_sel_number(ctx, AIR_FULL(1), dword - more), more};
    }
    if (base_B % 4) {
        const mach_temp byte = adreno_sel_add(ctx, adreno_sel_reg(ctx, offset, 0), base_B);
        return (struct dwords){full2(ctx, ADRENO_ISA_OP_SHR_B, byte, mach_number(2)), 0};
    }
    struct dwords found = {.more = base_B / 4};
    found.reg = is_in_dwords(offset, 0)
                    ? in_dwords(ctx, offset)
                    : full2(ctx, ADRENO_ISA_OP_SHR_B, adreno_sel_reg(ctx, offset, 0), mach_number(2));
    return found;
}

mach_temp adreno_sel_dword(struct select *ctx, const struct ir_value *offset, uint32_t base_B)
{
    if (ir_is_const(offset))
        return adreno_sel_number(ctx, AIR_FULL(1), ((uint32_t)ir_const_u64(offset) + base_B) / 4);
    const struct dwords dwords = dwords_of(ctx, offset, base_B);
    return adreno_sel_add(ctx, dwords.reg, dwords.more);
}

/* ---- storage buffers in dwords ---- */

static void set_dwords(struct select *ctx, struct mach_instr *instr, const struct dwords *where, uint32_t more)
{
    const uint32_t offset = where->more + more;
    if (offset && offset <= MAX_OFFSET_DW && ctx->options->chip->has_ssbo_imm_offsets) {
        air_isa(instr)->field[ADRENO_ISA_FIELD_HAS_OFFSET] = 1;
        air_isa(instr)->field[ADRENO_ISA_FIELD_OFFSET] = (int16_t)offset;
    }
}

/* The register of such a place: with what the instruction has no room for. */
static mach_temp dword_reg(struct select *ctx, const struct dwords *where, uint32_t more)
{
    const uint32_t offset = where->more + more;
    const bool has_room = offset <= MAX_OFFSET_DW && ctx->options->chip->has_ssbo_imm_offsets;
    return has_room ? where->reg : adreno_sel_add(ctx, where->reg, offset);
}

static void load_dwords(struct select *ctx, const struct sel_descriptor *descriptor, const struct dwords *where,
                        unsigned count, mach_temp *regs_out)
{
    for (unsigned first = 0; first < count; first += SPAN) {
        const unsigned some = MIN2(count - first, SPAN);
        const mach_temp dword = dword_reg(ctx, where, first);
        const mach_temp tuple = mach_new_temp(ctx->m.program, AIR_FULL((uint8_t)some));
        struct mach_instr *ldib = adreno_air_form(&ctx->m.b, AIR_FORM_LDIB, tuple, 2);
        ldib->operands[0] = at(ADRENO_ISA_PLACE_SRC1, mach_use(dword));
        set_dwords(ctx, ldib, where, first);
        adreno_sel_set_descriptor(ldib, descriptor, 1, ADRENO_ISA_PLACE_SRC2);
        air_isa(ldib)->field[ADRENO_ISA_FIELD_ELEMENTS] = (int16_t)(some - 1);
        adreno_sel_split(ctx, tuple, some, regs_out + first);
    }
}

static void store_dwords(struct select *ctx, const struct sel_descriptor *descriptor, const struct dwords *where,
                         unsigned count, const mach_temp *regs)
{
    for (unsigned first = 0; first < count; first += SPAN) {
        const unsigned some = MIN2(count - first, SPAN);
        const mach_temp dword = dword_reg(ctx, where, first), tuple = adreno_sel_tuple(ctx, some, regs + first);
        struct mach_instr *stib = adreno_air_form(&ctx->m.b, AIR_FORM_STIB, 0, 3);
        stib->operands[0] = at(ADRENO_ISA_PLACE_SRC0, mach_use(tuple));
        stib->operands[1] = at(ADRENO_ISA_PLACE_SRC1, mach_use(dword));
        set_dwords(ctx, stib, where, first);
        adreno_sel_set_descriptor(stib, descriptor, 2, ADRENO_ISA_PLACE_SRC2);
        air_isa(stib)->field[ADRENO_ISA_FIELD_ELEMENTS] = (int16_t)(some - 1);
        stib->has_effect = true;
    }
}

/* ---- parts of dwords ---- */

/* From a bit on, into a half register. */
static mach_temp part_of(struct select *ctx, mach_temp dword, struct mach_operand bit)
{
    if (bit.kind == MACH_NUMBER && !bit.value)
        return adreno_sel_move(ctx, AIR_U32, AIR_U16, mach_use(dword));
    return adreno_sel_alu2(ctx, ADRENO_ISA_OP_SHR_B, AIR_HALF(1), mach_use(dword), bit);
}

mach_temp adreno_sel_cut(struct select *ctx, mach_temp dword, mach_temp offset)
{
    const mach_temp byte = full2(ctx, ADRENO_ISA_OP_AND_B, offset, mach_number(3));
    return part_of(ctx, dword, mach_use(full2(ctx, ADRENO_ISA_OP_SHL_B, byte, mach_number(3))));
}

/* Where bytes lie in their dwords, if it is known: -1 if not. */
static int phase_of(const struct ir_instr *instr, const struct ir_value *offset)
{
    if (ir_is_const(offset))
        return (int)((ir_const_u64(offset) + ir_imm(instr, IR_IMM_BASE)) % 4);
    return ir_imm(instr, IR_IMM_ALIGN) >= 4 ? (int)(ir_imm(instr, IR_IMM_ALIGN_OFFSET) % 4) : -1;
}

static void load_narrow(struct select *ctx, const struct ir_instr *instr, const struct sel_descriptor *descriptor)
{
    const struct ir_value *offset = ir_src(instr, 1);
    const uint32_t base = ir_imm(instr, IR_IMM_BASE), size_B = instr->def.bits / 8u;
    const int phase = phase_of(instr, offset);
    mach_temp *regs = mach_alloc(ctx->m.program, instr->def.comps * sizeof(*regs)), dwords[MAX_COMPONENTS];
    if (phase >= 0) {
        const struct dwords where = dwords_of(ctx, offset, base - (uint32_t)phase);
        const unsigned count = (unsigned)div_round_up((uint32_t)phase + instr->def.comps * size_B, 4);
        load_dwords(ctx, descriptor, &where, count, dwords);
        for (unsigned i = 0; i < instr->def.comps; i++) {
            const unsigned byte = (unsigned)phase + i * size_B;
            regs[i] = part_of(ctx, dwords[byte / 4], mach_number((uint32_t)(byte % 4 * 8)));
        }
    } else {
        for (unsigned i = 0; i < instr->def.comps; i++) {
            const mach_temp byte = adreno_sel_add(ctx, adreno_sel_reg(ctx, offset, 0), base + i * size_B);
            const struct dwords where = {.reg = full2(ctx, ADRENO_ISA_OP_SHR_B, byte, mach_number(2))};
            load_dwords(ctx, descriptor, &where, 1, dwords);
            regs[i] = adreno_sel_cut(ctx, dwords[0], byte);
        }
    }
    adreno_sel_set(ctx, &instr->def, regs);
}

static mach_temp widened(struct select *ctx, const struct ir_value *value, unsigned index)
{
    const mach_temp wide = adreno_sel_move(ctx, AIR_U16, AIR_U32, mach_use(adreno_sel_reg(ctx, value, index)));
    return value->bits == 8 ? full2(ctx, ADRENO_ISA_OP_AND_B, wide, mach_number(0xff)) : wide;
}

/* Some bits of a dword: they are cleared, then set. */
static void store_part(struct select *ctx, const struct sel_descriptor *descriptor, mach_temp dword, unsigned bits,
                       mach_temp value, struct mach_operand bit)
{
    const mach_temp ones = adreno_sel_number(ctx, AIR_FULL(1), (1u << bits) - 1);
    const mach_temp hole = full2(ctx, ADRENO_ISA_OP_SHL_B, ones, bit);
    const struct mach_operand holes = mach_use(hole);
    const mach_temp mask = adreno_sel_alu(ctx, ADRENO_ISA_OP_NOT_B, AIR_FULL(1), 1, &holes);
    adreno_sel_atomic_dword(ctx, descriptor, dword, IR_ATOMIC_iand, mask);
    adreno_sel_atomic_dword(ctx, descriptor, dword, IR_ATOMIC_ior, full2(ctx, ADRENO_ISA_OP_SHL_B, value, bit));
}

static void store_narrow(struct select *ctx, const struct ir_instr *instr, const struct sel_descriptor *descriptor)
{
    const struct ir_value *value = ir_src(instr, 0), *offset = ir_src(instr, 2);
    const uint32_t base = ir_imm(instr, IR_IMM_BASE), size_B = value->bits / 8u, in_dword = 4 / size_B;
    const int phase = phase_of(instr, offset);
    for (unsigned i = 0, some; i < value->comps; i += some) {
        const uint32_t byte = (uint32_t)phase + i * size_B;
        some = 1;
        if (phase >= 0 && byte % 4 == 0 && value->comps - i >= in_dword) { /* a whole one */
            mach_temp word = widened(ctx, value, i);
            for (some = 1; some < in_dword; some++) {
                const mach_temp part = full2(ctx, ADRENO_ISA_OP_SHL_B, widened(ctx, value, i + some),
                                             mach_number((uint32_t)(some * value->bits)));
                word = full2(ctx, ADRENO_ISA_OP_OR_B, word, mach_use(part));
            }
            const struct dwords where = dwords_of(ctx, offset, base + i * size_B);
            store_dwords(ctx, descriptor, &where, 1, &word);
        } else if (phase >= 0) {
            const mach_temp dword = adreno_sel_dword(ctx, offset, base + i * size_B - byte % 4);
            store_part(ctx, descriptor, dword, value->bits, widened(ctx, value, i),
                       mach_number((uint32_t)(byte % 4 * 8)));
        } else {
            const mach_temp place = adreno_sel_add(ctx, adreno_sel_reg(ctx, offset, 0), base + i * size_B);
            const mach_temp low = full2(ctx, ADRENO_ISA_OP_AND_B, place, mach_number(3));
            store_part(ctx, descriptor, full2(ctx, ADRENO_ISA_OP_SHR_B, place, mach_number(2)), value->bits,
                       widened(ctx, value, i), mach_use(full2(ctx, ADRENO_ISA_OP_SHL_B, low, mach_number(3))));
        }
    }
}

static void load_ssbo(struct select *ctx, const struct ir_instr *instr)
{
    const unsigned count = instr->def.comps * adreno_sel_words(&instr->def);
    const struct sel_descriptor descriptor = adreno_sel_descriptor(ctx, ir_src(instr, 0));
    if (instr->def.bits < 32) {
        load_narrow(ctx, instr, &descriptor);
        return;
    }
    mach_temp *regs = mach_alloc(ctx->m.program, count * sizeof(*regs));
    const struct dwords where = dwords_of(ctx, ir_src(instr, 1), ir_imm(instr, IR_IMM_BASE));
    load_dwords(ctx, &descriptor, &where, count, regs);
    adreno_sel_set(ctx, &instr->def, regs);
}

static void store_ssbo(struct select *ctx, const struct ir_instr *instr)
{
    const struct ir_value *value = ir_src(instr, 0);
    const unsigned count = value->comps * adreno_sel_words(value);
    const struct sel_descriptor descriptor = adreno_sel_descriptor(ctx, ir_src(instr, 1));
    if (value->bits < 32) {
        store_narrow(ctx, instr, &descriptor);
        return;
    }
    mach_temp regs[MAX_COMPONENTS];
    for (unsigned i = 0; i < count; i++)
        regs[i] = adreno_sel_reg(ctx, value, i);
    const struct dwords where = dwords_of(ctx, ir_src(instr, 2), ir_imm(instr, IR_IMM_BASE));
    store_dwords(ctx, &descriptor, &where, count, regs);
}

static void ssbo_size(struct select *ctx, const struct ir_instr *instr)
{
    const struct sel_descriptor descriptor = adreno_sel_descriptor(ctx, ir_src(instr, 0));
    const mach_temp size = mach_new_temp(ctx->m.program, AIR_FULL(3)); /* all three are written */
    struct mach_instr *info = adreno_air_form(&ctx->m.b, AIR_FORM_RESINFO, size, 1);
    adreno_sel_set_descriptor(info, &descriptor, 0, ADRENO_ISA_PLACE_SRC0);
    mach_temp *regs = mach_alloc(ctx->m.program, sizeof(*regs)), dwords[3];
    adreno_sel_split(ctx, size, 3, dwords);
    regs[0] = full2(ctx, ADRENO_ISA_OP_SHL_B, dwords[0], mach_number(2));
    adreno_sel_set(ctx, &instr->def, regs);
}

/* ---- uniform buffers ---- */

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
        regs[i] = part_of(ctx, dwords[byte / 4], mach_number((uint32_t)(byte % 4 * 8)));
    }
}

static void load_ubo(struct select *ctx, const struct ir_instr *instr)
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

bool adreno_select_buffer(struct select *ctx, const struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_load_ssbo:
        load_ssbo(ctx, instr);
        return true;
    case IR_OP_store_ssbo:
        store_ssbo(ctx, instr);
        return true;
    case IR_OP_ssbo_size:
        ssbo_size(ctx, instr);
        return true;
    case IR_OP_load_ubo:
        load_ubo(ctx, instr);
        return true;
    default:
        return false;
    }
}
