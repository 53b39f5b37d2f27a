/* Selection of storage buffers. Accesses without a format (ldib.b, stib.b, untyped) count elements of their own size,
 * which are dwords, and halves of them on chips that have such; there the descriptor's format is that of bytes, which
 * are loaded and stored as texels. On other chips values of 8 and 16 bits are cut out of dwords; where they do not fill
 * one, a store is two atomic operations, which leave the other bits of it alone. */
#include "adreno/compiler/select.h"
#include "adreno/hw/chip.h"
#include "util/bits.h"

#define MAX_COMPONENTS 32
#define MAX_OFFSET 127 /* elements that an access adds */
#define MAX_DEPTH 4    /* of a sum that is divided part by part */

static mach_temp full2(struct select *ctx, unsigned op, mach_temp a, struct mach_operand b)
{
    return adreno_sel_alu2(ctx, op, AIR_FULL(1), mach_use(a), b);
}

static struct mach_operand at(unsigned place, struct mach_operand operand)
{
    operand.place = (uint8_t)place;
    return operand;
}

/* ---- offsets: elements are of 1 << log2 bytes ---- */

/* Whether a byte offset is worth dividing by computing it from its parts: it is a multiple by construction. */
static bool is_multiple(const struct ir_value *offset, unsigned log2, unsigned depth)
{
    const uint32_t size_B = 1u << log2;
    if (ir_is_const(offset))
        return ir_const_u64(offset) % size_B == 0;
    const struct ir_instr *def = ir_def_instr(offset);
    switch (depth < MAX_DEPTH ? def->op : IR_OP_COUNT) {
    case IR_OP_ishl:
        return ir_is_const(ir_src(def, 1)) && (ir_const_u64(ir_src(def, 1)) & 31) >= log2;
    case IR_OP_imul:
    case IR_OP_umul24:
        return ir_is_const(ir_src(def, 1)) && ir_const_u64(ir_src(def, 1)) % size_B == 0;
    case IR_OP_iadd:
    case IR_OP_ior:
        return is_multiple(ir_src(def, 0), log2, depth + 1) && is_multiple(ir_src(def, 1), log2, depth + 1);
    default:
        return false;
    }
}

/* A number of a sum or a product may be negative: a[i - 1]. */
static uint32_t divided_number(const struct ir_value *number, unsigned log2)
{
    return (uint32_t)((int32_t)ir_const_u64(number) / (1 << log2));
}

/* Offsets do not wrap around: what leaves the buffer is outside of it either way. */
static mach_temp divided(struct select *ctx, const struct ir_value *offset, unsigned log2)
{
    if (ir_is_const(offset))
        return adreno_sel_number(ctx, AIR_FULL(1), divided_number(offset, log2));
    const struct ir_instr *def = ir_def_instr(offset);
    const mach_temp x = def->op == IR_OP_iadd || def->op == IR_OP_ior ? 0 : adreno_sel_reg(ctx, ir_src(def, 0), 0);
    uint32_t number;
    switch (def->op) {
    case IR_OP_ishl:
        number = (uint32_t)ir_const_u64(ir_src(def, 1)) % 32 - log2;
        return number ? full2(ctx, ADRENO_ISA_OP_SHL_B, x, mach_number(number)) : x;
    case IR_OP_umul24:
    case IR_OP_imul:
        number = def->op == IR_OP_imul ? divided_number(ir_src(def, 1), log2)
                                       : (uint32_t)ir_const_u64(ir_src(def, 1)) >> log2;
        if (number == 1 && def->op == IR_OP_imul)
            return x;
        if (def->op == IR_OP_umul24)
            return full2(ctx, ADRENO_ISA_OP_MUL_U24, x, mach_use(adreno_sel_number(ctx, AIR_FULL(1), number)));
        return adreno_sel_multiply(ctx, mach_use(x), mach_use(adreno_sel_number(ctx, AIR_FULL(1), number)));
    case IR_OP_ior:
        return full2(ctx, ADRENO_ISA_OP_OR_B, divided(ctx, ir_src(def, 0), log2),
                     mach_use(divided(ctx, ir_src(def, 1), log2)));
    default:
        if (ir_is_const(ir_src(def, 1)))
            return adreno_sel_add(ctx, divided(ctx, ir_src(def, 0), log2), divided_number(ir_src(def, 1), log2));
        return full2(ctx, ADRENO_ISA_OP_ADD_S, divided(ctx, ir_src(def, 0), log2),
                     mach_use(divided(ctx, ir_src(def, 1), log2)));
    }
}

/* A place in a storage buffer: a register, and elements that the instruction adds. */
struct place {
    mach_temp reg;
    uint32_t more;
};

static struct place place_of(struct select *ctx, const struct ir_value *offset, uint32_t base_B, unsigned log2)
{
    if (ir_is_const(offset)) { /* neighbours share a register */
        const uint32_t element = ((uint32_t)ir_const_u64(offset) + base_B) >> log2;
        const uint32_t more = ctx->options->chip->has_ssbo_imm_offsets ? element & MAX_OFFSET : 0;
        return (struct place){adreno_sel_number(ctx, AIR_FULL(1), element - more), more};
    }
    if (base_B & ((1u << log2) - 1)) {
        const mach_temp byte = adreno_sel_add(ctx, adreno_sel_reg(ctx, offset, 0), base_B);
        return (struct place){full2(ctx, ADRENO_ISA_OP_SHR_B, byte, mach_number(log2)), 0};
    }
    struct place found = {.reg = log2 ? 0 : adreno_sel_reg(ctx, offset, 0), .more = base_B >> log2};
    if (log2)
        found.reg = is_multiple(offset, log2, 0)
                        ? divided(ctx, offset, log2)
                        : full2(ctx, ADRENO_ISA_OP_SHR_B, adreno_sel_reg(ctx, offset, 0), mach_number(log2));
    return found;
}

static struct place dwords_of(struct select *ctx, const struct ir_value *offset, uint32_t base_B)
{
    return place_of(ctx, offset, base_B, 2);
}

mach_temp adreno_sel_dword(struct select *ctx, const struct ir_value *offset, uint32_t base_B)
{
    if (ir_is_const(offset))
        return adreno_sel_number(ctx, AIR_FULL(1), ((uint32_t)ir_const_u64(offset) + base_B) / 4);
    const struct place dwords = dwords_of(ctx, offset, base_B);
    return adreno_sel_add(ctx, dwords.reg, dwords.more);
}

/* ---- accesses ---- */

static void set_offset(struct select *ctx, struct mach_instr *instr, const struct place *where, uint32_t more)
{
    const uint32_t offset = where->more + more;
    if (offset && offset <= MAX_OFFSET && ctx->options->chip->has_ssbo_imm_offsets) {
        air_isa(instr)->field[ADRENO_ISA_FIELD_HAS_OFFSET] = 1;
        air_isa(instr)->field[ADRENO_ISA_FIELD_OFFSET] = (int16_t)offset;
    }
}

/* The register of such a place: with what the instruction has no room for. */
static mach_temp place_reg(struct select *ctx, const struct place *where, uint32_t more)
{
    const uint32_t offset = where->more + more;
    const bool has_room = offset <= MAX_OFFSET && ctx->options->chip->has_ssbo_imm_offsets;
    return has_room ? where->reg : adreno_sel_add(ctx, where->reg, offset);
}

/* The elements of an access: dwords, halves of them, or bytes, which are texels. */
struct elements {
    struct mach_class class; /* of one */
    enum air_type type;
    bool is_typed;
    unsigned span; /* in one access */
};

static struct elements elements_of(unsigned bits)
{
    if (bits >= 32)
        return (struct elements){AIR_FULL(1), AIR_U32, false, 4};
    return (struct elements){AIR_HALF(1), AIR_U16, bits == 8, bits == 8 ? 1 : 4};
}

static void set_elements(struct mach_instr *access, const struct elements *elements, unsigned count)
{
    air_isa(access)->field[ADRENO_ISA_FIELD_TYPE] = (int16_t)elements->type;
    air_isa(access)->field[ADRENO_ISA_FIELD_ELEMENTS] = (int16_t)(count - 1);
    air_isa(access)->field[ADRENO_ISA_FIELD_DIM] = 0;
}

static void load_elements(struct select *ctx, const struct elements *elements, const struct sel_descriptor *descriptor,
                          const struct place *where, unsigned count, mach_temp *regs_out)
{
    for (unsigned first = 0; first < count; first += elements->span) {
        const unsigned some = MIN2(count - first, elements->span);
        const mach_temp reg = place_reg(ctx, where, first);
        const mach_temp tuple = mach_new_temp(ctx->m.program, air_class(some, air_is_half(elements->class)));
        struct mach_instr *ldib =
            adreno_air_form(&ctx->m.b, elements->is_typed ? AIR_FORM_IMAGE_LOAD : AIR_FORM_LDIB, tuple, 2);
        ldib->operands[0] = at(ADRENO_ISA_PLACE_SRC1, mach_use(reg));
        set_offset(ctx, ldib, where, first);
        adreno_sel_set_descriptor(ldib, descriptor, 1, ADRENO_ISA_PLACE_SRC2);
        set_elements(ldib, elements, some);
        adreno_sel_split(ctx, tuple, some, regs_out + first);
    }
}

static void store_elements(struct select *ctx, const struct elements *elements, const struct sel_descriptor *descriptor,
                           const struct place *where, unsigned count, const mach_temp *regs)
{
    for (unsigned first = 0; first < count; first += elements->span) {
        const unsigned some = MIN2(count - first, elements->span);
        const mach_temp reg = place_reg(ctx, where, first), tuple = adreno_sel_tuple(ctx, some, regs + first);
        struct mach_instr *stib =
            adreno_air_form(&ctx->m.b, elements->is_typed ? AIR_FORM_IMAGE_STORE : AIR_FORM_STIB, 0, 3);
        stib->operands[0] = at(ADRENO_ISA_PLACE_SRC0, mach_use(tuple));
        stib->operands[1] = at(ADRENO_ISA_PLACE_SRC1, mach_use(reg));
        set_offset(ctx, stib, where, first);
        adreno_sel_set_descriptor(stib, descriptor, 2, ADRENO_ISA_PLACE_SRC2);
        set_elements(stib, elements, some);
        stib->has_effect = true;
    }
}

static void load_dwords(struct select *ctx, const struct sel_descriptor *descriptor, const struct place *where,
                        unsigned count, mach_temp *regs_out)
{
    const struct elements dwords = elements_of(32);
    load_elements(ctx, &dwords, descriptor, where, count, regs_out);
}

static void store_dwords(struct select *ctx, const struct sel_descriptor *descriptor, const struct place *where,
                         unsigned count, const mach_temp *regs)
{
    const struct elements dwords = elements_of(32);
    store_elements(ctx, &dwords, descriptor, where, count, regs);
}

/* ---- parts of dwords ---- */

/* From a bit on, into a half register. */
mach_temp adreno_sel_part(struct select *ctx, mach_temp dword, struct mach_operand bit)
{
    if (bit.kind == MACH_NUMBER && !bit.value)
        return adreno_sel_move(ctx, AIR_U32, AIR_U16, mach_use(dword));
    return adreno_sel_alu2(ctx, ADRENO_ISA_OP_SHR_B, AIR_HALF(1), mach_use(dword), bit);
}

mach_temp adreno_sel_cut(struct select *ctx, mach_temp dword, mach_temp offset)
{
    const mach_temp byte = full2(ctx, ADRENO_ISA_OP_AND_B, offset, mach_number(3));
    return adreno_sel_part(ctx, dword, mach_use(full2(ctx, ADRENO_ISA_OP_SHL_B, byte, mach_number(3))));
}

/* Where bytes lie in their dwords, if it is known: -1 if not. */
static int phase_of(const struct ir_instr *instr, const struct ir_value *offset)
{
    if (ir_is_const(offset))
        return (int)((ir_const_u64(offset) + ir_imm(instr, IR_IMM_BASE)) % 4);
    return ir_imm(instr, IR_IMM_ALIGN) >= 4 ? (int)(ir_imm(instr, IR_IMM_ALIGN_OFFSET) % 4) : -1;
}

static bool has_parts(const struct select *ctx)
{
    return ctx->options->chip->has_storage_16bit;
}

static void load_narrow(struct select *ctx, const struct ir_instr *instr, const struct sel_descriptor *descriptor)
{
    const struct ir_value *offset = ir_src(instr, 1);
    const uint32_t base = ir_imm(instr, IR_IMM_BASE), size_B = instr->def.bits / 8u;
    const int phase = phase_of(instr, offset);
    mach_temp *regs = mach_alloc(ctx->m.program, instr->def.comps * sizeof(*regs)), dwords[MAX_COMPONENTS];
    if (has_parts(ctx) && (size_B == 2 || phase < 0 || instr->def.comps == 1)) {
        const struct elements elements = elements_of(instr->def.bits);
        const struct place where = place_of(ctx, offset, base, size_B == 2);
        load_elements(ctx, &elements, descriptor, &where, instr->def.comps, regs);
    } else if (phase >= 0) {
        const struct place where = dwords_of(ctx, offset, base - (uint32_t)phase);
        const unsigned count = (unsigned)div_round_up((uint32_t)phase + instr->def.comps * size_B, 4);
        load_dwords(ctx, descriptor, &where, count, dwords);
        for (unsigned i = 0; i < instr->def.comps; i++) {
            const unsigned byte = (unsigned)phase + i * size_B;
            regs[i] = adreno_sel_part(ctx, dwords[byte / 4], mach_number((uint32_t)(byte % 4 * 8)));
        }
    } else {
        for (unsigned i = 0; i < instr->def.comps; i++) {
            const mach_temp byte = adreno_sel_add(ctx, adreno_sel_reg(ctx, offset, 0), base + i * size_B);
            const struct place where = {.reg = full2(ctx, ADRENO_ISA_OP_SHR_B, byte, mach_number(2))};
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

/* The bytes or halves of a whole dword. */
static mach_temp joined(struct select *ctx, const struct ir_value *value, unsigned first)
{
    mach_temp word = widened(ctx, value, first);
    for (unsigned i = 1; i < 32u / value->bits; i++) {
        const mach_temp part =
            full2(ctx, ADRENO_ISA_OP_SHL_B, widened(ctx, value, first + i), mach_number(i * value->bits));
        word = full2(ctx, ADRENO_ISA_OP_OR_B, word, mach_use(part));
    }
    return word;
}

/* A store to a texel takes a number that the texel can hold. */
static void store_byte(struct select *ctx, const struct sel_descriptor *descriptor, mach_temp value,
                       const struct place *where)
{
    const struct elements bytes = elements_of(8);
    const mach_temp byte = adreno_sel_alu2(ctx, ADRENO_ISA_OP_AND_B, AIR_HALF(1), mach_use(value), mach_number(0xff));
    store_elements(ctx, &bytes, descriptor, where, 1, &byte);
}

static void store_halves(struct select *ctx, const struct ir_instr *instr, const struct sel_descriptor *descriptor)
{
    const struct ir_value *value = ir_src(instr, 0);
    const struct elements elements = elements_of(16);
    mach_temp regs[MAX_COMPONENTS];
    for (unsigned i = 0; i < value->comps; i++)
        regs[i] = adreno_sel_reg(ctx, value, i);
    const struct place where = place_of(ctx, ir_src(instr, 2), ir_imm(instr, IR_IMM_BASE), 1);
    store_elements(ctx, &elements, descriptor, &where, value->comps, regs);
}

static void store_narrow(struct select *ctx, const struct ir_instr *instr, const struct sel_descriptor *descriptor)
{
    const struct ir_value *value = ir_src(instr, 0), *offset = ir_src(instr, 2);
    const uint32_t base = ir_imm(instr, IR_IMM_BASE), size_B = value->bits / 8u, in_dword = 4 / size_B;
    const int phase = phase_of(instr, offset);
    for (unsigned i = 0, some; i < value->comps; i += some) {
        const uint32_t byte = (uint32_t)phase + i * size_B;
        some = 1;
        if (phase >= 0 && byte % 4 == 0 && value->comps - i >= in_dword) {
            const mach_temp word = joined(ctx, value, i);
            const struct place where = dwords_of(ctx, offset, base + i * size_B);
            store_dwords(ctx, descriptor, &where, 1, &word);
            some = in_dword;
        } else if (has_parts(ctx)) { /* a byte: store_halves has the others */
            const struct place where = place_of(ctx, offset, base + i, 0);
            store_byte(ctx, descriptor, adreno_sel_reg(ctx, value, i), &where);
        } else if (phase >= 0) {
            const mach_temp dword = adreno_sel_dword(ctx, offset, base + i * size_B - byte % 4);
            store_part(ctx, descriptor, dword, value->bits, widened(ctx, value, i), mach_number(byte % 4 * 8));
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
    const struct place where = dwords_of(ctx, ir_src(instr, 1), ir_imm(instr, IR_IMM_BASE));
    load_dwords(ctx, &descriptor, &where, count, regs);
    adreno_sel_set(ctx, &instr->def, regs);
}

static void store_ssbo(struct select *ctx, const struct ir_instr *instr)
{
    const struct ir_value *value = ir_src(instr, 0);
    const unsigned count = value->comps * adreno_sel_words(value);
    const struct sel_descriptor descriptor = adreno_sel_descriptor(ctx, ir_src(instr, 1));
    if (value->bits < 32) {
        (value->bits == 16 && has_parts(ctx) ? store_halves : store_narrow)(ctx, instr, &descriptor);
        return;
    }
    mach_temp regs[MAX_COMPONENTS];
    for (unsigned i = 0; i < count; i++)
        regs[i] = adreno_sel_reg(ctx, value, i);
    const struct place where = dwords_of(ctx, ir_src(instr, 2), ir_imm(instr, IR_IMM_BASE));
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
    /* In elements of the descriptor's format. */
    regs[0] = has_parts(ctx) ? dwords[0] : full2(ctx, ADRENO_ISA_OP_SHL_B, dwords[0], mach_number(2));
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
        adreno_sel_load_ubo(ctx, instr);
        return true;
    default:
        return false;
    }
}
