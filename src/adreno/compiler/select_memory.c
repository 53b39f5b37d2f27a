/* Selection of loads and stores by addresses, in local and private memory; barriers and the clock. Buffers with
 * descriptors are in select_buffer.c, what the constant file has in select_constant.c. */
#include <string.h>

#include "adreno/compiler/select.h"
#include "adreno/hw/chip.h"
#include "util/bits.h"

#define SPAN 4 /* components of one access */

static struct mach_instr *form(struct select *ctx, enum air_form which, mach_temp result, unsigned count)
{
    return adreno_air_form(&ctx->m.b, which, result, count);
}

static struct mach_operand at(unsigned place, struct mach_operand operand)
{
    operand.place = (uint8_t)place;
    return operand;
}

/* ---- what is loaded and stored ---- */

static mach_temp new_tuple(struct select *ctx, bool is_half, unsigned count)
{
    return mach_new_temp(ctx->m.program, air_class(count, is_half));
}

static enum air_type memory_type(const struct ir_value *value)
{
    return value->bits == 8 ? AIR_U8 : value->bits == 16 ? AIR_U16 : AIR_U32;
}

/* An address of 64 bits with a number added, as a pair. */
mach_temp adreno_sel_address(struct select *ctx, const struct ir_value *value, uint32_t number)
{
    mach_temp words[2] = {adreno_sel_reg(ctx, value, 0), adreno_sel_reg(ctx, value, 1)};
    if (number) {
        const mach_temp sum = adreno_sel_add(ctx, words[0], number);
        const mach_temp carry =
            adreno_sel_compare(ctx, ADRENO_ISA_OP_CMPS_U, 0 /* lt */, mach_use(sum), mach_use(words[0]));
        words[1] = adreno_sel_alu2(ctx, ADRENO_ISA_OP_ADD_S, AIR_FULL(1), mach_use(words[1]), mach_use(carry));
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
static const struct place between = {AIR_FORM_LDLW, AIR_FORM_STLW, false}; /* stages of a wave */
static const struct place private = {AIR_FORM_LDP, AIR_FORM_STP, false};

static const struct place *local_place(const struct select *ctx)
{
    const enum ir_stage stage = ctx->m.shader->stage;
    const bool is_control = (stage == IR_STAGE_vertex || stage == IR_STAGE_tess_control) && ctx->options->stage &&
                            ctx->options->stage->control.is_there;
    return stage == IR_STAGE_compute || (is_control && ctx->options->chip->tess_uses_shared) ? &local : &between;
}

#define MAX_OFFSET_B 4095 /* that an instruction has room for */

static uint32_t room_for(uint32_t offset_B)
{
    return offset_B <= MAX_OFFSET_B ? offset_B : 0;
}

static mach_temp place_address(struct select *ctx, const struct place *place, const struct ir_value *value,
                               uint32_t offset_B)
{
    const uint32_t more = offset_B - room_for(offset_B);
    return place->is_global ? adreno_sel_address(ctx, value, more)
                            : adreno_sel_add(ctx, adreno_sel_reg(ctx, value, 0), more);
}

static void load_memory(struct select *ctx, const struct ir_instr *instr, const struct place *place)
{
    const unsigned count = instr->def.comps * adreno_sel_words(&instr->def);
    const bool is_half = air_is_half(adreno_sel_class(&instr->def));
    const unsigned size_B = instr->def.bits < 32 ? instr->def.bits / 8 : 4;
    mach_temp *regs = mach_alloc(ctx->m.program, count * sizeof(*regs));
    for (unsigned first = 0; first < count; first += SPAN) {
        const unsigned some = MIN2(count - first, SPAN);
        const uint32_t offset_B = ir_imm(instr, IR_IMM_BASE) + first * size_B;
        const mach_temp where = place_address(ctx, place, ir_src(instr, 0), offset_B);
        const mach_temp tuple = new_tuple(ctx, is_half, some);
        struct mach_instr *ld = form(ctx, place->load, tuple, 1);
        ld->operands[0] = at(ADRENO_ISA_PLACE_SRC0, mach_use(where));
        air_isa(ld)->field[ADRENO_ISA_FIELD_TYPE] = (int16_t)memory_type(&instr->def);
        air_isa(ld)->field[ADRENO_ISA_FIELD_SIZE] = (int16_t)some;
        air_isa(ld)->field[ADRENO_ISA_FIELD_OFFSET] = (int16_t)room_for(offset_B);
        adreno_sel_split(ctx, tuple, some, regs + first);
    }
    adreno_sel_set(ctx, &instr->def, regs);
}

static void store_memory(struct select *ctx, const struct ir_instr *instr, const struct place *place)
{
    const struct ir_value *value = ir_src(instr, 0);
    const unsigned count = value->comps * adreno_sel_words(value);
    const unsigned size_B = value->bits < 32 ? value->bits / 8 : 4;
    for (unsigned first = 0; first < count; first += SPAN) {
        const unsigned some = MIN2(count - first, SPAN);
        mach_temp regs[SPAN];
        for (unsigned i = 0; i < some; i++)
            regs[i] = adreno_sel_reg(ctx, value, first + i);
        const uint32_t offset_B = ir_imm(instr, IR_IMM_BASE) + first * size_B;
        const mach_temp where = place_address(ctx, place, ir_src(instr, 1), offset_B);
        const mach_temp tuple = adreno_sel_tuple(ctx, some, regs);
        struct mach_instr *st = form(ctx, place->store, 0, 2);
        st->operands[0] = at(ADRENO_ISA_PLACE_SRC0, mach_use(where));
        st->operands[1] = at(place->is_global ? ADRENO_ISA_PLACE_SRC2 : ADRENO_ISA_PLACE_SRC1, mach_use(tuple));
        air_isa(st)->field[ADRENO_ISA_FIELD_TYPE] = (int16_t)memory_type(value);
        air_isa(st)->field[ADRENO_ISA_FIELD_SIZE] = (int16_t)some;
        air_isa(st)->field[ADRENO_ISA_FIELD_OFFSET] = (int16_t)room_for(offset_B);
        air_isa(st)->field[ADRENO_ISA_FIELD_HAS_OFFSET] = place->is_global && room_for(offset_B);
        st->has_effect = true;
    }
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
        struct mach_instr *bar = form(ctx, i == 0 ? AIR_FORM_FENCE : AIR_FORM_BAR, 0, 0);
        air_isa(bar)->field[ADRENO_ISA_FIELD_GLOBAL] = is_global || i == 1;
        air_isa(bar)->field[ADRENO_ISA_FIELD_LOCAL] = is_local || i == 1;
        bar->has_effect = true;
    }
    ctx->config->cs.has_barrier |= waits;
}

/* ---- the clock ---- */

/* The page of UCHE's traps reads as the counter that is always on. */
static void read_clock(struct select *ctx, const struct ir_instr *instr)
{
    const uint64_t page = ADRENO_UCHE_TRAP_BASE;
    const mach_temp words[2] = {adreno_sel_number(ctx, AIR_FULL(1), (uint32_t)page),
                                adreno_sel_number(ctx, AIR_FULL(1), (uint32_t)(page >> 32))};
    const mach_temp where = adreno_sel_tuple(ctx, 2, words), time = new_tuple(ctx, false, 2);
    struct mach_instr *ldg = form(ctx, AIR_FORM_LDG, time, 1);
    ldg->operands[0] = at(ADRENO_ISA_PLACE_SRC0, mach_use(where));
    air_isa(ldg)->field[ADRENO_ISA_FIELD_SIZE] = 2;
    ldg->has_effect = true;
    mach_temp *regs = mach_alloc(ctx->m.program, 2 * sizeof(*regs));
    adreno_sel_split(ctx, time, 2, regs);
    adreno_sel_set(ctx, &instr->def, regs);
}

bool adreno_select_memory(struct select *ctx, const struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_load_global:
        load_memory(ctx, instr, &global);
        return true;
    case IR_OP_load_shared:
        load_memory(ctx, instr, local_place(ctx));
        return true;
    case IR_OP_load_scratch:
        load_memory(ctx, instr, &private);
        return true;
    case IR_OP_store_global:
        store_memory(ctx, instr, &global);
        return true;
    case IR_OP_store_shared:
        store_memory(ctx, instr, local_place(ctx));
        return true;
    case IR_OP_store_scratch:
        store_memory(ctx, instr, &private);
        return true;
    case IR_OP_barrier:
        barrier(ctx, instr);
        return true;
    case IR_OP_shader_clock:
        read_clock(ctx, instr);
        return true;
    default:
        return adreno_select_constant(ctx, instr) || adreno_select_buffer(ctx, instr) ||
               adreno_select_atomic(ctx, instr);
    }
}
