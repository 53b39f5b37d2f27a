/* Selection of loads, stores, atomics and barriers. Buffers go by their descriptors (bindless: a set is a base, a
 * descriptor its number there), addresses, local and private memory directly. */
#include <string.h>

#include "adreno/compiler/select.h"
#include "util/bits.h"

#define SPAN 4 /* components of one access */

static struct air_instr *form(struct select *ctx, enum air_form which, air_temp result, unsigned count)
{
    return adreno_air_form(&ctx->b, which, result, count);
}

static struct air_operand at(unsigned place, struct air_operand operand)
{
    operand.place = (uint8_t)place;
    return operand;
}

/* ---- what is loaded and stored ---- */

static air_temp new_tuple(struct select *ctx, bool is_half, unsigned count)
{
    return adreno_air_temp(ctx->program, (struct air_class){.comps = (uint8_t)count, .is_half = is_half});
}

static enum air_type memory_type(const struct ir_value *value)
{
    return value->bits == 8 ? AIR_U8 : value->bits == 16 ? AIR_U16 : AIR_U32;
}

/* An address of 64 bits with a number added, as a pair. */
static air_temp address(struct select *ctx, const struct ir_value *value, uint32_t number)
{
    air_temp words[2] = {adreno_sel_reg(ctx, value, 0), adreno_sel_reg(ctx, value, 1)};
    if (number) {
        const air_temp sum = adreno_sel_add(ctx, words[0], number);
        const air_temp carry =
            adreno_sel_compare(ctx, ADRENO_ISA_OP_CMPS_U, 0 /* lt */, air_use(sum), air_use(words[0]));
        words[1] = adreno_sel_alu2(ctx, ADRENO_ISA_OP_ADD_S, AIR_FULL(1), air_use(words[1]), air_use(carry));
        words[0] = sum;
    }
    return adreno_sel_tuple(ctx, 2, words);
}

/* ---- addresses, local and private memory ---- */

struct place {
    enum air_form load, store;
    bool is_global;
};

static const struct place global = {AIR_FORM_LDG, AIR_FORM_STG, true};
static const struct place local = {AIR_FORM_LDL, AIR_FORM_STL, false};
static const struct place private = {AIR_FORM_LDP, AIR_FORM_STP, false};

static air_temp place_address(struct select *ctx, const struct place *place, const struct ir_value *value,
                              uint32_t base)
{
    return place->is_global ? address(ctx, value, base) : adreno_sel_add(ctx, adreno_sel_reg(ctx, value, 0), base);
}

static void load(struct select *ctx, const struct ir_instr *instr, const struct place *place)
{
    const unsigned count = instr->def.comps * adreno_sel_words(&instr->def);
    const bool is_half = adreno_sel_class(&instr->def).is_half;
    const unsigned size_B = instr->def.bits < 32 ? instr->def.bits / 8 : 4;
    air_temp *regs = adreno_sel_alloc(ctx, count * sizeof(*regs));
    for (unsigned first = 0; first < count; first += SPAN) {
        const unsigned some = MIN2(count - first, SPAN);
        const air_temp where = place_address(ctx, place, ir_src(instr, 0), ir_imm(instr, IR_IMM_BASE) + first * size_B);
        const air_temp tuple = new_tuple(ctx, is_half, some);
        struct air_instr *ld = form(ctx, place->load, tuple, 1);
        ld->operands[0] = at(ADRENO_ISA_PLACE_SRC0, air_use(where));
        ld->isa.field[ADRENO_ISA_FIELD_TYPE] = (int16_t)memory_type(&instr->def);
        ld->isa.field[ADRENO_ISA_FIELD_SIZE] = (int16_t)some;
        adreno_sel_split(ctx, tuple, some, regs + first);
    }
    adreno_sel_set(ctx, &instr->def, regs);
}

static void store(struct select *ctx, const struct ir_instr *instr, const struct place *place)
{
    const struct ir_value *value = ir_src(instr, 0);
    const unsigned count = value->comps * adreno_sel_words(value);
    const unsigned size_B = value->bits < 32 ? value->bits / 8 : 4;
    for (unsigned first = 0; first < count; first += SPAN) {
        const unsigned some = MIN2(count - first, SPAN);
        air_temp regs[SPAN];
        for (unsigned i = 0; i < some; i++)
            regs[i] = adreno_sel_reg(ctx, value, first + i);
        const air_temp where = place_address(ctx, place, ir_src(instr, 1), ir_imm(instr, IR_IMM_BASE) + first * size_B);
        const air_temp tuple = adreno_sel_tuple(ctx, some, regs);
        struct air_instr *st = form(ctx, place->store, 0, 2);
        st->operands[0] = at(ADRENO_ISA_PLACE_SRC0, air_use(where));
        st->operands[1] = at(place->is_global ? ADRENO_ISA_PLACE_SRC2 : ADRENO_ISA_PLACE_SRC1, air_use(tuple));
        st->isa.field[ADRENO_ISA_FIELD_TYPE] = (int16_t)memory_type(value);
        st->isa.field[ADRENO_ISA_FIELD_SIZE] = (int16_t)some;
        st->has_effect = true;
    }
}

/* ---- storage buffers ---- */

/* The number of a dword in a storage buffer. */
static air_temp dword_of(struct select *ctx, const struct ir_value *offset, uint32_t base_B)
{
    if (ir_is_const(offset))
        return adreno_sel_number(ctx, AIR_FULL(1), ((uint32_t)ir_const_u64(offset) + base_B) / 4);
    const air_temp byte = adreno_sel_add(ctx, adreno_sel_reg(ctx, offset, 0), base_B % 4 ? base_B : 0);
    const air_temp dword = adreno_sel_alu2(ctx, ADRENO_ISA_OP_SHR_B, AIR_FULL(1), air_use(byte), air_number(2));
    return adreno_sel_add(ctx, dword, base_B % 4 ? 0 : base_B / 4);
}

static void check_width(struct select *ctx, const struct ir_value *value)
{
    if (value->bits < 32)
        sel_fail(ctx, "storage buffers of %u bits are not built yet", value->bits);
}

static void load_ssbo(struct select *ctx, const struct ir_instr *instr)
{
    const unsigned count = instr->def.comps * adreno_sel_words(&instr->def);
    air_temp *regs = adreno_sel_alloc(ctx, count * sizeof(*regs));
    check_width(ctx, &instr->def);
    const struct sel_descriptor descriptor = adreno_sel_descriptor(ctx, ir_src(instr, 0));
    for (unsigned first = 0; first < count; first += SPAN) {
        const unsigned some = MIN2(count - first, SPAN);
        const air_temp dword = dword_of(ctx, ir_src(instr, 1), ir_imm(instr, IR_IMM_BASE) + first * 4);
        const air_temp tuple = new_tuple(ctx, false, some);
        struct air_instr *ldib = form(ctx, AIR_FORM_LDIB, tuple, 2);
        ldib->operands[0] = at(ADRENO_ISA_PLACE_SRC1, air_use(dword));
        adreno_sel_set_descriptor(ldib, &descriptor, 1, ADRENO_ISA_PLACE_SRC2);
        ldib->isa.field[ADRENO_ISA_FIELD_ELEMENTS] = (int16_t)(some - 1);
        adreno_sel_split(ctx, tuple, some, regs + first);
    }
    adreno_sel_set(ctx, &instr->def, regs);
}

static void store_ssbo(struct select *ctx, const struct ir_instr *instr)
{
    const struct ir_value *value = ir_src(instr, 0);
    const unsigned count = value->comps * adreno_sel_words(value);
    check_width(ctx, value);
    const struct sel_descriptor descriptor = adreno_sel_descriptor(ctx, ir_src(instr, 1));
    for (unsigned first = 0; first < count; first += SPAN) {
        const unsigned some = MIN2(count - first, SPAN);
        air_temp regs[SPAN];
        for (unsigned i = 0; i < some; i++)
            regs[i] = adreno_sel_reg(ctx, value, first + i);
        const air_temp dword = dword_of(ctx, ir_src(instr, 2), ir_imm(instr, IR_IMM_BASE) + first * 4);
        const air_temp tuple = adreno_sel_tuple(ctx, some, regs);
        struct air_instr *stib = form(ctx, AIR_FORM_STIB, 0, 3);
        stib->operands[0] = at(ADRENO_ISA_PLACE_SRC0, air_use(tuple));
        stib->operands[1] = at(ADRENO_ISA_PLACE_SRC1, air_use(dword));
        adreno_sel_set_descriptor(stib, &descriptor, 2, ADRENO_ISA_PLACE_SRC2);
        stib->isa.field[ADRENO_ISA_FIELD_ELEMENTS] = (int16_t)(some - 1);
        stib->has_effect = true;
    }
}

static void ssbo_size(struct select *ctx, const struct ir_instr *instr)
{
    const struct sel_descriptor descriptor = adreno_sel_descriptor(ctx, ir_src(instr, 0));
    const air_temp size = new_tuple(ctx, false, 3); /* all three are written */
    struct air_instr *info = form(ctx, AIR_FORM_RESINFO, size, 1);
    adreno_sel_set_descriptor(info, &descriptor, 0, ADRENO_ISA_PLACE_SRC0);
    air_temp *regs = adreno_sel_alloc(ctx, sizeof(*regs)), dwords[3];
    adreno_sel_split(ctx, size, 3, dwords);
    regs[0] = adreno_sel_alu2(ctx, ADRENO_ISA_OP_SHL_B, AIR_FULL(1), air_use(dwords[0]), air_number(2));
    adreno_sel_set(ctx, &instr->def, regs);
}

/* ---- uniform buffers: ldc counts in vec4 ---- */

static void load_vec4(struct select *ctx, const struct sel_descriptor *descriptor, air_temp vec4, unsigned first,
                      unsigned count, air_temp *regs_out)
{
    const air_temp tuple = new_tuple(ctx, false, count);
    struct air_instr *ldc = form(ctx, AIR_FORM_LDC, tuple, 2);
    ldc->operands[0] = at(ADRENO_ISA_PLACE_SRC0, air_use(vec4));
    adreno_sel_set_descriptor(ldc, descriptor, 1, ADRENO_ISA_PLACE_SRC1);
    ldc->isa.field[ADRENO_ISA_FIELD_AT] = (int16_t)first;
    ldc->isa.field[ADRENO_ISA_FIELD_ELEMENTS] = (int16_t)(count - 1);
    adreno_sel_split(ctx, tuple, count, regs_out);
}

/* One dword at an offset of which nothing is known: the component is chosen afterwards. */
static air_temp load_dword(struct select *ctx, const struct sel_descriptor *descriptor, air_temp offset)
{
    air_temp all[4], pair[2];
    const air_temp vec4 = adreno_sel_alu2(ctx, ADRENO_ISA_OP_SHR_B, AIR_FULL(1), air_use(offset), air_number(4));
    const air_temp is_odd = adreno_sel_alu2(ctx, ADRENO_ISA_OP_AND_B, AIR_FULL(1), air_use(offset), air_number(4));
    const air_temp is_upper = adreno_sel_alu2(ctx, ADRENO_ISA_OP_AND_B, AIR_FULL(1), air_use(offset), air_number(8));
    load_vec4(ctx, descriptor, vec4, 0, 4, all);
    for (unsigned i = 0; i < 2; i++) {
        const struct air_operand choice[] = {air_use(all[2 + i]), air_use(is_upper), air_use(all[i])};
        pair[i] = adreno_sel_alu(ctx, ADRENO_ISA_OP_SEL_B32, AIR_FULL(1), 3, choice);
    }
    const struct air_operand choice[] = {air_use(pair[1]), air_use(is_odd), air_use(pair[0])};
    return adreno_sel_alu(ctx, ADRENO_ISA_OP_SEL_B32, AIR_FULL(1), 3, choice);
}

/* Values of fewer than 32 bits: out of the dword that has them. */
static air_temp cut(struct select *ctx, air_temp dword, air_temp offset)
{
    const air_temp byte = adreno_sel_alu2(ctx, ADRENO_ISA_OP_AND_B, AIR_FULL(1), air_use(offset), air_number(3));
    const air_temp bit = adreno_sel_alu2(ctx, ADRENO_ISA_OP_SHL_B, AIR_FULL(1), air_use(byte), air_number(3));
    const air_temp low = adreno_sel_alu2(ctx, ADRENO_ISA_OP_SHR_B, AIR_FULL(1), air_use(dword), air_use(bit));
    return adreno_sel_move(ctx, AIR_U32, AIR_U16, air_use(low));
}

static void load_ubo(struct select *ctx, const struct ir_instr *instr)
{
    const unsigned count = instr->def.comps * adreno_sel_words(&instr->def);
    const uint32_t base = ir_imm(instr, IR_IMM_BASE), align = ir_imm(instr, IR_IMM_ALIGN);
    const uint32_t known = ir_imm(instr, IR_IMM_ALIGN_OFFSET) % 16;
    const bool is_small = instr->def.bits < 32;
    const struct sel_descriptor descriptor = adreno_sel_descriptor(ctx, ir_src(instr, 0));
    air_temp *regs = adreno_sel_alloc(ctx, count * sizeof(*regs));
    const air_temp offset = adreno_sel_add(ctx, adreno_sel_reg(ctx, ir_src(instr, 1), 0), base);
    if (align >= 16 && !is_small) {
        const air_temp first = adreno_sel_alu2(ctx, ADRENO_ISA_OP_SHR_B, AIR_FULL(1), air_use(offset), air_number(4));
        for (unsigned done = 0, some; done < count; done += some) {
            const unsigned dword = known / 4 + done;
            some = MIN2(count - done, 4 - dword % 4);
            load_vec4(ctx, &descriptor, adreno_sel_add(ctx, first, dword / 4), dword % 4, some, regs + done);
        }
    } else {
        const unsigned size_B = is_small ? instr->def.bits / 8 : 4;
        for (unsigned i = 0; i < count; i++) {
            const air_temp one = adreno_sel_add(ctx, offset, i * size_B);
            regs[i] = load_dword(ctx, &descriptor, one);
            if (is_small)
                regs[i] = cut(ctx, regs[i], one);
        }
    }
    adreno_sel_set(ctx, &instr->def, regs);
}

/* ---- push constants and constant data ---- */

static air_temp push_dword(struct select *ctx, const struct ir_value *offset, uint32_t base_B)
{
    const int32_t first = ctx->config->first_push * 4;
    if (ir_is_const(offset))
        return adreno_sel_move(ctx, AIR_U32, AIR_U32,
                               air_const(first + (int32_t)(((uint32_t)ir_const_u64(offset) + base_B) / 4)));
    const air_temp byte = adreno_sel_add(ctx, adreno_sel_reg(ctx, offset, 0), base_B);
    const air_temp dword = adreno_sel_alu2(ctx, ADRENO_ISA_OP_SHR_B, AIR_FULL(1), air_use(byte), air_number(2));
    const struct air_operand index = air_use(adreno_sel_move(ctx, AIR_U32, AIR_U16, air_use(dword)));
    struct air_instr *mova = adreno_air_instr(&ctx->b, ADRENO_ISA_OP_MOV, 1, 1);
    mova->defs[0].special = ADRENO_ISA_REG_A0;
    mova->operands[0] = at(ADRENO_ISA_PLACE_SRC0, index);
    mova->isa.operands[ADRENO_ISA_PLACE_DST].flags = ADRENO_ISA_FLAG_HALF;
    mova->isa.field[ADRENO_ISA_FIELD_SRC_TYPE] = mova->isa.field[ADRENO_ISA_FIELD_DST_TYPE] = AIR_S16;
    struct air_operand relative = air_const(first);
    relative.kind = AIR_CONST_RELATIVE;
    return adreno_sel_move(ctx, AIR_U32, AIR_U32, relative);
}

static void load_push(struct select *ctx, const struct ir_instr *instr)
{
    const unsigned count = instr->def.comps * adreno_sel_words(&instr->def);
    const bool is_small = instr->def.bits < 32;
    const unsigned size_B = is_small ? instr->def.bits / 8 : 4;
    air_temp *regs = adreno_sel_alloc(ctx, count * sizeof(*regs));
    for (unsigned i = 0; i < count; i++) {
        const uint32_t base = ir_imm(instr, IR_IMM_BASE) + i * size_B;
        regs[i] = push_dword(ctx, ir_src(instr, 0), base);
        if (is_small)
            regs[i] = cut(ctx, regs[i], adreno_sel_add(ctx, adreno_sel_reg(ctx, ir_src(instr, 0), 0), base));
    }
    adreno_sel_set(ctx, &instr->def, regs);
}

/* Constant data follows the code; its address is a parameter. */
static void load_const_data(struct select *ctx, const struct ir_instr *instr)
{
    const unsigned count = instr->def.comps * adreno_sel_words(&instr->def);
    const bool is_half = adreno_sel_class(&instr->def).is_half;
    const unsigned size_B = instr->def.bits < 32 ? instr->def.bits / 8 : 4;
    const int32_t data = ctx->config->param[ADRENO_PARAM_DATA] * 4;
    air_temp *regs = adreno_sel_alloc(ctx, count * sizeof(*regs));
    for (unsigned first = 0; first < count; first += SPAN) {
        const unsigned some = MIN2(count - first, SPAN);
        const air_temp offset =
            adreno_sel_add(ctx, adreno_sel_reg(ctx, ir_src(instr, 0), 0), ir_imm(instr, IR_IMM_BASE) + first * size_B);
        air_temp words[2];
        words[0] = adreno_sel_alu2(ctx, ADRENO_ISA_OP_ADD_S, AIR_FULL(1), air_use(offset), air_const(data));
        const air_temp carry = adreno_sel_compare(ctx, ADRENO_ISA_OP_CMPS_U, 0, air_use(words[0]), air_const(data));
        words[1] = adreno_sel_alu2(ctx, ADRENO_ISA_OP_ADD_S, AIR_FULL(1), air_use(carry), air_const(data + 1));
        const air_temp tuple = new_tuple(ctx, is_half, some);
        const air_temp where = adreno_sel_tuple(ctx, 2, words);
        struct air_instr *ldg = form(ctx, AIR_FORM_LDG, tuple, 1);
        ldg->operands[0] = at(ADRENO_ISA_PLACE_SRC0, air_use(where));
        ldg->isa.field[ADRENO_ISA_FIELD_TYPE] = (int16_t)memory_type(&instr->def);
        ldg->isa.field[ADRENO_ISA_FIELD_SIZE] = (int16_t)some;
        adreno_sel_split(ctx, tuple, some, regs + first);
    }
    adreno_sel_set(ctx, &instr->def, regs);
}

/* ---- atomics ---- */

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

void adreno_sel_set_atomic(struct select *ctx, struct air_instr *instr, const struct ir_instr *from, unsigned atomic,
                           bool is_bindless)
{
    const int number = atomic_number(atomic, is_bindless);
    if (number < 0 || from->def.bits != 32)
        sel_fail(ctx, "an atomic of this kind, of %u bits, is not built yet", from->def.bits);
    instr->isa.op = (uint16_t)(instr->isa.op + number);
    if (atomic == IR_ATOMIC_imin || atomic == IR_ATOMIC_imax)
        instr->isa.field[ADRENO_ISA_FIELD_TYPE] = AIR_S32;
}

/* The result takes the place of the first register, the value and what it is compared with follow. */
static void atomic_ssbo(struct select *ctx, const struct ir_instr *instr, unsigned atomic)
{
    const bool is_exchange = atomic == IR_ATOMIC_cmpxchg;
    const struct sel_descriptor descriptor = adreno_sel_descriptor(ctx, ir_src(instr, 0));
    const air_temp dword = dword_of(ctx, ir_src(instr, 1), ir_imm(instr, IR_IMM_BASE));
    /* IR: what it is compared with, then the new value. */
    air_temp data[3] = {adreno_sel_number(ctx, AIR_FULL(1), 0),
                        adreno_sel_reg(ctx, ir_src(instr, is_exchange ? 3 : 2), 0)};
    if (is_exchange)
        data[2] = adreno_sel_reg(ctx, ir_src(instr, 2), 0);
    const unsigned count = is_exchange ? 3 : 2;
    const air_temp tuple = adreno_sel_tuple(ctx, count, data), result = new_tuple(ctx, false, count);
    struct air_instr *atom = form(ctx, AIR_FORM_ATOMIC_B, result, 3);
    atom->is_tied = true;
    atom->operands[0] = at(ADRENO_ISA_PLACE_DST, air_use(tuple));
    atom->operands[1] = at(ADRENO_ISA_PLACE_SRC1, air_use(dword));
    adreno_sel_set_descriptor(atom, &descriptor, 2, ADRENO_ISA_PLACE_SRC2);
    adreno_sel_set_atomic(ctx, atom, instr, atomic, true);
    atom->has_effect = true;
    air_temp *regs = adreno_sel_alloc(ctx, 3 * sizeof(*regs));
    adreno_sel_split(ctx, result, count, regs);
    adreno_sel_set(ctx, &instr->def, regs);
}

static void atomic_plain(struct select *ctx, const struct ir_instr *instr, unsigned atomic, bool is_global)
{
    const bool is_exchange = atomic == IR_ATOMIC_cmpxchg;
    const uint32_t base = ir_imm(instr, IR_IMM_BASE);
    const air_temp where = is_global ? address(ctx, ir_src(instr, 0), base)
                                     : adreno_sel_add(ctx, adreno_sel_reg(ctx, ir_src(instr, 0), 0), base);
    air_temp data[2] = {adreno_sel_reg(ctx, ir_src(instr, is_exchange ? 2 : 1), 0)};
    if (is_exchange)
        data[1] = adreno_sel_reg(ctx, ir_src(instr, 1), 0);
    const air_temp tuple = adreno_sel_tuple(ctx, is_exchange ? 2 : 1, data);
    const air_temp *regs = adreno_sel_results(ctx, &instr->def);
    struct air_instr *atom = form(ctx, is_global ? AIR_FORM_ATOMIC_G : AIR_FORM_ATOMIC_L, regs[0], 2);
    atom->operands[0] = at(ADRENO_ISA_PLACE_SRC0, air_use(where));
    atom->operands[1] = at(ADRENO_ISA_PLACE_SRC1, air_use(tuple));
    adreno_sel_set_atomic(ctx, atom, instr, atomic, false);
    atom->has_effect = true;
}

/* ---- barriers ---- */

static void barrier(struct select *ctx, const struct ir_instr *instr)
{
    const uint32_t memory = ir_imm(instr, IR_IMM_MEMORY);
    const bool is_local = memory & IR_MEMORY_SHARED, is_global = memory & (IR_MEMORY_BUFFER | IR_MEMORY_IMAGE);
    const bool waits = ir_imm(instr, IR_IMM_ORDER) & IR_ORDER_EXECUTION;
    for (unsigned i = 0; i < 2; i++) {
        if (i == 0 ? !is_local && !is_global : !waits)
            continue;
        struct air_instr *bar = form(ctx, i == 0 ? AIR_FORM_FENCE : AIR_FORM_BAR, 0, 0);
        bar->isa.field[ADRENO_ISA_FIELD_GLOBAL] = is_global || i == 1;
        bar->isa.field[ADRENO_ISA_FIELD_LOCAL] = is_local || i == 1;
        bar->has_effect = true;
    }
    ctx->config->cs.has_barrier |= waits;
}

bool adreno_select_memory(struct select *ctx, const struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_load_global:
        load(ctx, instr, &global);
        return true;
    case IR_OP_load_shared:
        load(ctx, instr, &local);
        return true;
    case IR_OP_load_scratch:
        load(ctx, instr, &private);
        return true;
    case IR_OP_store_global:
        store(ctx, instr, &global);
        return true;
    case IR_OP_store_shared:
        store(ctx, instr, &local);
        return true;
    case IR_OP_store_scratch:
        store(ctx, instr, &private);
        return true;
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
    case IR_OP_load_push:
        load_push(ctx, instr);
        return true;
    case IR_OP_load_const_data:
        load_const_data(ctx, instr);
        return true;
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
    case IR_OP_barrier:
        barrier(ctx, instr);
        return true;
    default:
        return false;
    }
}
