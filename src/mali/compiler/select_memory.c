/* Selection of loads and stores: buffers by handles, addresses, shared and private memory, push constants, constant
 * data; barriers and the clock. */
#include "mali/compiler/lower_mali.h"
#include "mali/compiler/memory.h"
#include "util/bits.h"

#define TABLE_OF_TABLES 62 /* the resource tables themselves, as buffers */
#define DESCRIPTOR_B 32

/* ---- resources ---- */

const struct ir_binding_layout *mali_sel_layout(struct select *ctx, const struct ir_instr *resource)
{
    const uint32_t set = ir_imm(resource, IR_IMM_SET), binding = ir_imm(resource, IR_IMM_BINDING);
    if (set >= ctx->options->num_sets || set >= MALI_MAX_SETS || binding >= ctx->options->sets[set].num_bindings)
        sel_fail(ctx, "set %u has no layout of binding %u", set, binding);
    return &ctx->options->sets[set].bindings[binding];
}

static struct mach_operand resource_handle(struct select *ctx, const struct ir_instr *resource, uint32_t add)
{
    const struct ir_binding_layout *layout = mali_sel_layout(ctx, resource);
    const uint32_t table =
        layout->is_dynamic ? MALI_DRIVER_TABLE : MALI_FIRST_SET_TABLE + (uint32_t)ir_imm(resource, IR_IMM_SET);
    ctx->config->tables_used |= (uint16_t)(1u << table);
    const uint32_t first = table << 24 | (layout->index + add);
    const struct ir_value *index = ir_src(resource, 0);
    if (ir_is_const(index))
        return mach_number(first + (uint32_t)ir_const_u64(index) * layout->stride);
    struct mach_operand at = mali_sel_operand(ctx, index, 0);
    if (layout->stride != 1)
        at = mach_use(SEL_ALU(ctx, MALI_ISA_OP_IMUL_I32, at, mach_number(layout->stride)));
    return mach_use(mali_sel_add(ctx, at, mach_number(first)));
}

struct mach_operand mali_sel_handle(struct select *ctx, const struct ir_value *value, uint32_t add)
{
    const struct ir_instr *def = ir_def_instr(value);
    if (def->op == IR_OP_resource)
        return resource_handle(ctx, def, add);
    const struct mach_operand handle = mali_sel_operand(ctx, value, 0);
    return add ? mach_use(mali_sel_add(ctx, handle, mach_number(add))) : handle;
}

mach_temp mali_sel_descriptor_word(struct select *ctx, struct mach_operand handle, unsigned word)
{
    struct mach_operand table, offset;
    if (handle.kind == MACH_NUMBER) {
        const uint32_t number = (uint32_t)handle.value;
        table = mach_number(TABLE_OF_TABLES << 24 | number >> 24);
        offset = mach_number((number & 0xffffff) * DESCRIPTOR_B + word * 4);
    } else {
        table = mach_use(
            mali_sel_or(ctx, mach_use(mali_sel_shift_right(ctx, handle, 24)), mach_number(TABLE_OF_TABLES << 24)));
        /* The table's number leaves by the upper end of the shift. */
        const mach_temp index = mali_sel_shift_right(ctx, mach_use(mali_sel_shift_left(ctx, handle, 8)), 3);
        offset = mach_use(mali_sel_add(ctx, mach_use(index), mach_number(word * 4)));
    }
    return SEL_ALU(ctx, MALI_ISA_OP_LD_BUFFER_I32, offset, table);
}

/* ---- places ---- */

static struct mach_operand plus(struct select *ctx, struct mach_operand x, uint32_t number)
{
    if (!number)
        return x;
    if (x.kind == MACH_NUMBER)
        return mach_number((uint32_t)x.value + number);
    return mach_use(mali_sel_add(ctx, x, mach_number(number)));
}

mach_temp mali_sel_address(struct select *ctx, struct mach_operand base, struct mach_operand offset)
{
    const struct mach_operand operands[] = {base, sel_part(offset, MALI_ISA_WIDEN64_W0)};
    return mali_sel_wide(ctx, MALI_ISA_OP_IADD_U64, 2, operands);
}

struct sel_place mali_sel_buffer_place(struct select *ctx, const struct ir_value *handle, const struct ir_value *offset,
                                       uint32_t base_B)
{
    return (struct sel_place){.is_buffer = true,
                              .handle = mali_sel_handle(ctx, handle, 0),
                              .offset = mali_sel_operand(ctx, offset, 0),
                              .add_B = (int32_t)base_B};
}

struct sel_place mali_sel_global_place(struct select *ctx, const struct ir_value *address, uint32_t base_B)
{
    const struct mach_operand words[] = {mali_sel_operand(ctx, address, 0), mali_sel_operand(ctx, address, 1)};
    return (struct sel_place){.base = mach_use(mali_sel_run(ctx, 2, words)), .add_B = (int32_t)base_B};
}

struct sel_place mali_sel_local_place(struct select *ctx, unsigned special, const struct ir_value *offset,
                                      uint32_t base_B)
{
    struct sel_place place = {.base = vir_special(special), .add_B = (int32_t)base_B, .is_private = special == VIR_TLS};
    if (ir_is_const(offset))
        place.add_B += (int32_t)ir_const_u64(offset);
    else
        place.base = mach_use(mali_sel_address(ctx, place.base, mali_sel_operand(ctx, offset, 0)));
    return place;
}

struct mach_operand mali_sel_place_address(struct select *ctx, const struct sel_place *place, int32_t most_B,
                                           int32_t *add_B_out)
{
    *add_B_out = 0;
    if (place->is_buffer) {
        const mach_temp address = mach_new_temp(ctx->m.program, VIR_RUN(2));
        const struct mach_operand operands[] = {plus(ctx, place->offset, (uint32_t)place->add_B), place->handle};
        mali_sel_instr(ctx, MALI_ISA_OP_LEA_BUFFER, address, 2, operands);
        return mach_use(address);
    }
    if (place->add_B >= 0 && place->add_B <= most_B) {
        *add_B_out = place->add_B;
        return place->base;
    }
    return mach_use(mali_sel_address(ctx, place->base, mach_number((uint32_t)place->add_B)));
}

/* ---- pieces of accesses ---- */

static struct sel_place moved(const struct sel_place *place, uint32_t offset_B)
{
    struct sel_place next = *place;
    next.add_B += (int32_t)offset_B;
    return next;
}

/* `words` of 32 bits. */
static void load_words(struct select *ctx, const struct sel_place *place, unsigned words, mach_temp *regs_out)
{
    static const uint16_t ops[2][4] = {
        {MALI_ISA_OP_LOAD_I32, MALI_ISA_OP_LOAD_I64, MALI_ISA_OP_LOAD_I96, MALI_ISA_OP_LOAD_I128},
        {MALI_ISA_OP_LD_BUFFER_I32, MALI_ISA_OP_LD_BUFFER_I64, MALI_ISA_OP_LD_BUFFER_I96, MALI_ISA_OP_LD_BUFFER_I128}};
    const unsigned most = place->is_buffer && ctx->options->checks_loads ? 1 : 4;
    for (unsigned first = 0; first < words; first += most) {
        const unsigned some = MIN2(words - first, most);
        const struct sel_place at = moved(place, first * 4);
        const mach_temp run = mach_new_temp(ctx->m.program, VIR_RUN(some));
        const unsigned op = ops[at.is_buffer][some - 1];
        if (at.is_buffer) {
            const struct mach_operand operands[] = {plus(ctx, at.offset, (uint32_t)at.add_B), at.handle};
            mali_sel_instr(ctx, op, run, 2, operands);
        } else {
            int32_t add_B;
            const struct mach_operand base = mali_sel_place_address(ctx, &at, INT16_MAX, &add_B);
            mali_sel_instr(ctx, op, run, 1, &base);
            mali_sel_last(ctx)->number[0] = (uint32_t)add_B;
        }
        mali_sel_split(ctx, run, some, regs_out + first);
    }
}

/* A component of 8 or 16 bits, with zeros above it. */
static mach_temp load_narrow(struct select *ctx, const struct sel_place *place, unsigned bits)
{
    const mach_temp reg = mach_new_temp(ctx->m.program, VIR_RUN(1));
    const bool is_byte = bits == 8;
    if (place->is_buffer) {
        const struct mach_operand operands[] = {plus(ctx, place->offset, (uint32_t)place->add_B), place->handle};
        mali_sel_instr(ctx, is_byte ? MALI_ISA_OP_LD_BUFFER_I8 : MALI_ISA_OP_LD_BUFFER_I16, reg, 2, operands);
    } else {
        int32_t add_B;
        const struct mach_operand base = mali_sel_place_address(ctx, place, INT16_MAX, &add_B);
        mali_sel_instr(ctx, is_byte ? MALI_ISA_OP_LOAD_I8 : MALI_ISA_OP_LOAD_I16, reg, 1, &base);
        mali_sel_last(ctx)->number[0] = (uint32_t)add_B;
    }
    if (is_byte)
        mali_sel_last(ctx)->field[MALI_ISA_FIELD_LANE8] = MALI_ISA_LANE8_W0;
    else
        mali_sel_last(ctx)->field[MALI_ISA_FIELD_LANE16] = MALI_ISA_LANE16_W0;
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_UNSIGNED] = 1;
    return reg;
}

/* Where components lie on words: the largest power of two that divides all places. */
static uint32_t alignment_of(const struct ir_instr *instr)
{
    const uint32_t align = ir_imm(instr, IR_IMM_ALIGN), offset = ir_imm(instr, IR_IMM_ALIGN_OFFSET);
    const uint32_t low = offset ? offset & -offset : align;
    return MIN2(low ? low : 1, align ? align : 1);
}

/* A byte or half of a word. */
static mach_temp part_of(struct select *ctx, struct mach_operand word, unsigned part, unsigned bits)
{
    if (part && bits == 16)
        return mali_sel_upper_half(ctx, word);
    return part ? mali_sel_shift_right(ctx, word, part * bits) : mali_sel_move(ctx, word);
}

static void load_memory(struct select *ctx, const struct ir_instr *instr, const struct sel_place *place)
{
    const struct ir_value *def = &instr->def;
    const unsigned count = sel_num_parts(def), in_word = def->bits < 32 ? 32u / def->bits : 1;
    mach_temp *regs = mach_alloc(ctx->m.program, count * sizeof(*regs));
    if (in_word == 1) {
        load_words(ctx, place, count, regs);
        mali_sel_set(ctx, def, regs);
        return;
    }
    const unsigned whole = alignment_of(instr) >= 4 ? count / in_word : 0;
    mach_temp words[IR_MAX_COMPS];
    load_words(ctx, place, whole, words);
    for (unsigned i = 0; i < count; i++) {
        if (i >= whole * in_word) {
            const struct sel_place at = moved(place, i * def->bits / 8);
            regs[i] = load_narrow(ctx, &at, def->bits);
        } else {
            const mach_temp word = words[i / in_word];
            regs[i] = part_of(ctx, mach_use(word), i % in_word, def->bits);
        }
    }
    mali_sel_set(ctx, def, regs);
}

/* ---- stores ---- */

static void store_piece(struct select *ctx, const struct sel_place *place, unsigned op, mach_temp data)
{
    int32_t add_B;
    struct mach_operand operands[2] = {mali_sel_place_address(ctx, place, INT16_MAX, &add_B),
                                       sel_at(mach_use(data), VIR_STAGING0)};
    mali_sel_instr(ctx, op, 0, 2, operands)->has_effect = true;
    mali_sel_last(ctx)->number[0] = (uint32_t)add_B;
    if (place->is_private) /* helpers have their own */
        mali_sel_last(ctx)->field[MALI_ISA_FIELD_ACCESS] = MALI_ISA_ACCESS_FORCE;
}

/* The address of a place in a buffer is looked at by its first byte alone: words that one store may have. */
static unsigned words_at_once(const struct select *ctx, const struct sel_place *place, uint32_t alignment_B)
{
    if (!place->is_buffer || ctx->options->store_check == MALI_STORE_CHECK_FIRST)
        return 4;
    return ctx->options->store_check == MALI_STORE_CHECK_WORDS ? 1 : MIN2(MAX2(alignment_B / 4, 1u), 4u);
}

static void store_words(struct select *ctx, const struct sel_place *place, unsigned words, uint32_t alignment_B,
                        const struct mach_operand *operands)
{
    static const uint16_t ops[] = {MALI_ISA_OP_STORE_I32, MALI_ISA_OP_STORE_I64, MALI_ISA_OP_STORE_I96,
                                   MALI_ISA_OP_STORE_I128};
    const unsigned most = words_at_once(ctx, place, alignment_B);
    for (unsigned first = 0; first < words; first += most) {
        const unsigned some = MIN2(words - first, most);
        const struct sel_place at = moved(place, first * 4);
        store_piece(ctx, &at, ops[some - 1], mali_sel_run(ctx, some, operands + first));
    }
}

/* Components of 8 or 16 bits that fill a word. */
static mach_temp packed(struct select *ctx, const struct ir_value *value, unsigned first)
{
    struct mach_operand parts[4];
    const unsigned in_word = 32u / value->bits;
    for (unsigned i = 0; i < in_word; i++)
        parts[i] = mali_sel_operand(ctx, value, first + i);
    if (in_word == 2)
        return mali_sel_halves(ctx, parts[0], parts[1]);
    const mach_temp upper = SEL_ALU(ctx, MALI_ISA_OP_MKVEC_V2I8, sel_part(parts[2], MALI_ISA_BYTE_B0),
                                    sel_part(parts[3], MALI_ISA_BYTE_B0), mach_number(0));
    return SEL_ALU(ctx, MALI_ISA_OP_MKVEC_V2I8, sel_part(parts[0], MALI_ISA_BYTE_B0),
                   sel_part(parts[1], MALI_ISA_BYTE_B0), mach_use(upper));
}

static void store_memory(struct select *ctx, const struct ir_instr *instr, const struct sel_place *place)
{
    const struct ir_value *value = ir_src(instr, 0);
    const unsigned count = sel_num_parts(value), in_word = value->bits < 32 ? 32u / value->bits : 1;
    const unsigned whole = in_word == 1 ? count : alignment_of(instr) >= 4 ? count / in_word : 0;
    struct mach_operand words[2 * IR_MAX_COMPS];
    for (unsigned i = 0; i < whole; i++)
        words[i] = in_word == 1 ? mali_sel_operand(ctx, value, i) : mach_use(packed(ctx, value, i * in_word));
    store_words(ctx, place, whole, alignment_of(instr), words);
    for (unsigned i = whole * in_word; i < count; i++) {
        const struct sel_place at = moved(place, i * value->bits / 8);
        store_piece(ctx, &at, value->bits == 8 ? MALI_ISA_OP_STORE_I8 : MALI_ISA_OP_STORE_I16,
                    mali_sel_move(ctx, mali_sel_operand(ctx, value, i)));
    }
}

/* ---- push constants, constant data ---- */

/* Words of an input attachment: lower_mali.h. */
static bool load_input_words(struct select *ctx, const struct ir_instr *instr, unsigned number)
{
    mach_temp *regs = mach_alloc(ctx->m.program, instr->def.comps * sizeof(*regs));
    for (unsigned i = 0; i < instr->def.comps; i++)
        regs[i] = SEL_ALU(ctx, MALI_ISA_OP_MOV_I32, mali_sel_sysval(ctx, MALI_SYSVAL_INPUT_0 + number, i));
    mach_select_set(&ctx->m, &instr->def, regs);
    return true;
}

/* A word of them is a uniform; components of 8 and 16 bits are parts of one. */
static bool load_pushed(struct select *ctx, const struct ir_instr *instr)
{
    const struct ir_value *offset = ir_src(instr, 0), *def = &instr->def;
    const struct mali_fau_layout *fau = &ctx->config->fau;
    if (!ir_is_const(offset))
        return false;
    const uint32_t at_B = (uint32_t)ir_const_u64(offset) + ir_imm(instr, IR_IMM_BASE), size_B = def->bits / 8;
    if (at_B >= MALI_LOWER_INPUTS_B)
        return load_input_words(ctx, instr, (at_B - MALI_LOWER_INPUTS_B) / MALI_LOWER_INPUT_B);
    if (at_B % MIN2(size_B, 4u) || at_B < fau->push_offset_B ||
        at_B + def->comps * size_B > fau->push_offset_B + fau->push_words * 4u)
        return false;
    const unsigned count = sel_num_parts(def), part_B = MIN2(size_B, 4u);
    mach_temp *regs = mach_alloc(ctx->m.program, count * sizeof(*regs));
    for (unsigned i = 0; i < count; i++) {
        const uint32_t byte = at_B + i * part_B - fau->push_offset_B;
        const struct mach_operand word = vir_uniform(byte / 4);
        regs[i] = part_of(ctx, word, byte % 4 / part_B, part_B * 8);
    }
    mali_sel_set(ctx, def, regs);
    return true;
}

/* The driver's address of two words. */
static struct sel_place sysval_place(struct select *ctx, enum mali_sysval which, const struct ir_value *offset,
                                     uint32_t base_B)
{
    struct sel_place place = {.base = mali_sel_sysval(ctx, which, 0), .add_B = (int32_t)base_B};
    if (ir_is_const(offset))
        place.add_B += (int32_t)ir_const_u64(offset);
    else
        place.base = mach_use(mali_sel_address(ctx, place.base, mali_sel_operand(ctx, offset, 0)));
    return place;
}

/* ---- order ---- */

/* A barrier of memory alone waits for what was written. */
static void select_barrier(struct select *ctx, const struct ir_instr *instr)
{
    if (ir_imm(instr, IR_IMM_SCOPE) <= IR_SCOPE_subgroup)
        return;
    const bool is_execution = ir_imm(instr, IR_IMM_ORDER) & IR_ORDER_EXECUTION;
    mali_sel_instr(ctx, is_execution ? MALI_ISA_OP_BARRIER : MALI_ISA_OP_NOP, 0, 0, NULL)->has_effect = true;
    mali_sel_last(ctx)->flow = is_execution ? MALI_ISA_FLOW_NONE : MALI_ISA_FLOW_WAIT012;
    ctx->config->cs.has_barrier |= is_execution;
}

static void select_clock(struct select *ctx, const struct ir_instr *instr)
{
    mach_temp *regs = mach_alloc(ctx->m.program, 2 * sizeof(*regs));
    const mach_temp run = mach_new_temp(ctx->m.program, VIR_RUN(2));
    mali_sel_instr(ctx, MALI_ISA_OP_LD_GCLK_U64, run, 0, NULL)->has_effect = true;
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_CLOCK] =
        ir_imm(instr, IR_IMM_SCOPE) == IR_SCOPE_device ? MALI_ISA_CLOCK_SYSTEM_TIMESTAMP : MALI_ISA_CLOCK_CYCLE_COUNTER;
    mali_sel_split(ctx, run, 2, regs);
    mali_sel_set(ctx, &instr->def, regs);
}

static bool select_load(struct select *ctx, const struct ir_instr *instr)
{
    struct sel_place place;
    switch (instr->op) {
    case IR_OP_load_ubo:
    case IR_OP_load_ssbo:
        place = mali_sel_buffer_place(ctx, ir_src(instr, 0), ir_src(instr, 1), ir_imm(instr, IR_IMM_BASE));
        break;
    case IR_OP_load_global:
        place = mali_sel_global_place(ctx, ir_src(instr, 0), ir_imm(instr, IR_IMM_BASE));
        break;
    case IR_OP_load_shared:
        place = mali_sel_local_place(ctx, VIR_WLS, ir_src(instr, 0), ir_imm(instr, IR_IMM_BASE));
        break;
    case IR_OP_load_scratch:
        place = mali_sel_local_place(ctx, VIR_TLS, ir_src(instr, 0), ir_imm(instr, IR_IMM_BASE));
        break;
    case IR_OP_load_push:
        if (load_pushed(ctx, instr))
            return true;
        place = sysval_place(ctx, MALI_SYSVAL_PUSH_ADDRESS, ir_src(instr, 0), ir_imm(instr, IR_IMM_BASE));
        break;
    case IR_OP_load_const_data:
        place = sysval_place(ctx, MALI_SYSVAL_DATA_ADDRESS, ir_src(instr, 0), ir_imm(instr, IR_IMM_BASE));
        break;
    default:
        return false;
    }
    load_memory(ctx, instr, &place);
    return true;
}

static bool select_store(struct select *ctx, const struct ir_instr *instr)
{
    struct sel_place place;
    switch (instr->op) {
    case IR_OP_store_ssbo:
        place = mali_sel_buffer_place(ctx, ir_src(instr, 1), ir_src(instr, 2), ir_imm(instr, IR_IMM_BASE));
        break;
    case IR_OP_store_global:
        place = mali_sel_global_place(ctx, ir_src(instr, 1), ir_imm(instr, IR_IMM_BASE));
        break;
    case IR_OP_store_shared:
        place = mali_sel_local_place(ctx, VIR_WLS, ir_src(instr, 1), ir_imm(instr, IR_IMM_BASE));
        break;
    case IR_OP_store_scratch:
        place = mali_sel_local_place(ctx, VIR_TLS, ir_src(instr, 1), ir_imm(instr, IR_IMM_BASE));
        break;
    default:
        return false;
    }
    store_memory(ctx, instr, &place);
    return true;
}

bool mali_select_memory(struct select *ctx, const struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_resource:
        mach_select_set_one(&ctx->m, &instr->def, mali_sel_move(ctx, resource_handle(ctx, instr, 0)));
        return true;
    case IR_OP_ssbo_size:
        mach_select_set_one(&ctx->m, &instr->def,
                            mali_sel_descriptor_word(ctx, mali_sel_handle(ctx, ir_src(instr, 0), 0), 1));
        return true;
    case IR_OP_barrier:
        select_barrier(ctx, instr);
        return true;
    case IR_OP_shader_clock:
        select_clock(ctx, instr);
        return true;
    default:
        return select_load(ctx, instr) || select_store(ctx, instr);
    }
}
