/* From an instruction to micro-operations: operands, and categories 1 to 4. */
#include <stddef.h>

#include "adreno/model/sp/alu.h"
#include "adreno/model/sp/code.h"
#include "adreno/model/sp/uops.h"
#include "util/half.h"

enum {
    TYPE_F16,
    TYPE_F32,
    TYPE_U16,
    TYPE_U32,
    TYPE_S16,
    TYPE_S32,
    TYPE_U8,
};

/* ---- places ---- */

static sp_place adreno_sp_row_place(const struct sp_builder *builder, unsigned row)
{
    return (sp_place)(offsetof(struct adreno_wave, rows) + (size_t)row * builder->exec.lanes * 4) | SP_BASE_WAVE;
}

static sp_place adreno_sp_gpr_place(const struct sp_builder *builder, unsigned component, bool is_half)
{
    if (!is_half || component >= ADRENO_ISA_REG_A0)
        return adreno_sp_row_place(builder, component);
    return adreno_sp_row_place(builder, adreno_half_row(component)) | (adreno_half_shift(component) ? SP_HIGH_HALF : 0);
}

static sp_place adreno_sp_temp_place(struct sp_builder *builder)
{
    if (builder->temps == ADRENO_WAVE_TEMPS) {
        builder->exec.failed = true;
        builder->temps = 0;
    }
    return (sp_place)(offsetof(struct adreno_wave, temp) + (size_t)builder->temps++ * builder->exec.lanes * 4);
}

/* ---- sources ---- */

static uint32_t float_bits_of(const struct adreno_isa_operand *operand)
{
    /* 0.0 0.5 1.0 2.0 e pi 1/pi 1/log2(e) log2(e) 1/log2(10) log2(10) 4.0 */
    static const uint32_t table[] = {0x00000000, 0x3f000000, 0x3f800000, 0x40000000, 0x402df854, 0x40490fdb,
                                     0x3ea2f983, 0x3f317218, 0x3fb8aa3b, 0x3e9a209b, 0x40549a78, 0x40800000};
    float number;
    memcpy(&number, &table[operand->value], sizeof(number));
    return operand->flags & ADRENO_ISA_FLAG_HALF ? float_to_half_rtne(number) : table[operand->value];
}

/* The value of an operand as a row, `step` registers further where it has (r). Modifiers are not applied. `is_float`: a
 * half constant is a float of 32 bits that is narrowed. */
static sp_place adreno_sp_source(struct sp_builder *builder, const struct adreno_isa_operand *operand, unsigned step,
                                 bool is_half, bool is_float)
{
    const uint32_t value = (uint32_t)operand->value + (operand->flags & ADRENO_ISA_FLAG_R ? step : 0);
    const enum sp_constant kind = !is_half ? SP_CONSTANT_WORD : is_float ? SP_CONSTANT_NARROWED : SP_CONSTANT_HALF;
    sp_run_fn run;
    switch ((enum adreno_isa_operand_kind)operand->kind) {
    case ADRENO_ISA_OPERAND_GPR:
        return adreno_sp_gpr_place(builder, value & 0xff, is_half);
    case ADRENO_ISA_OPERAND_NUMBER:
        return adreno_sp_build_constant(builder, (uint32_t)operand->value);
    case ADRENO_ISA_OPERAND_FLOAT:
        return adreno_sp_build_constant(builder, float_bits_of(operand));
    case ADRENO_ISA_OPERAND_CONST:
        run = adreno_sp_uop_constant;
        break;
    case ADRENO_ISA_OPERAND_CONST_RELATIVE:
        run = adreno_sp_uop_constant_relative;
        break;
    case ADRENO_ISA_OPERAND_GPR_RELATIVE:
        run = adreno_sp_uop_gpr_relative;
        break;
    default:
        builder->exec.failed = true;
        return 0;
    }
    sp_place place = adreno_sp_temp_place(builder);
    struct sp_uop *uop = adreno_sp_build(builder, run);
    uop->d = place;
    uop->imm = value;
    uop->s[0] = operand->kind == ADRENO_ISA_OPERAND_GPR_RELATIVE ? is_half : kind;
    return place;
}

/* The effects of (neg) and (abs) on an instruction's sources. */
enum sign {
    SIGN_FLOAT,
    SIGN_INTEGER,
    SIGN_NOT,  /* (neg) inverts all bits */
    SIGN_BITS, /* of sel.b, which takes bits: the highest of them, as in floats */
};

static enum sign sign_of(const struct adreno_isa_inst *inst)
{
    if (inst->op == ADRENO_ISA_OP_SEL_B16 || inst->op == ADRENO_ISA_OP_SEL_B32)
        return SIGN_BITS;
    const char *name = adreno_isa_name(inst->op), *dot = strrchr(name, '.');
    if (!dot || dot[1] == 'f')
        return dot || inst->op >= ADRENO_ISA_OP_RCP ? SIGN_FLOAT : SIGN_INTEGER;
    return strcmp(dot, ".b") == 0 ? SIGN_NOT : SIGN_INTEGER;
}

static sp_place signed_source(struct sp_builder *builder, const struct adreno_isa_operand *operand, unsigned step,
                              bool is_half, enum sign sign)
{
    static const sp_run_fn runs[4][2] = {
        [SIGN_FLOAT] = {adreno_sp_uop_sign_f32, adreno_sp_uop_sign_f16},
        [SIGN_INTEGER] = {adreno_sp_uop_sign_s32, adreno_sp_uop_sign_s16},
        [SIGN_NOT] = {adreno_sp_uop_not, adreno_sp_uop_not},
        [SIGN_BITS] = {adreno_sp_uop_sign_f32, adreno_sp_uop_sign_f16},
    };
    sp_place place = adreno_sp_source(builder, operand, step, is_half, sign == SIGN_FLOAT);
    uint32_t flags = (operand->flags & ADRENO_ISA_FLAG_NEG ? 1 : 0) | (operand->flags & ADRENO_ISA_FLAG_ABS ? 2 : 0);
    if (!flags)
        return place;
    sp_place result = adreno_sp_temp_place(builder);
    struct sp_uop *uop = adreno_sp_build(builder, runs[sign][is_half]);
    uop->d = result;
    uop->s[0] = place;
    uop->imm = flags;
    return result;
}

/* ---- destinations ---- */

static bool is_shared(unsigned component)
{
    return component >= ADRENO_ISA_REG_SHARED && component < ADRENO_ISA_REG_A0;
}

/* Where a kernel writes the result for `operand`; adreno_sp_result() then appends what brings it there from `place`. */
static sp_place adreno_sp_destination(struct sp_builder *builder, const struct adreno_isa_operand *operand,
                                      unsigned step, bool is_half)
{
    unsigned component = ((unsigned)operand->value + step) & 0xff;
    if (operand->kind == ADRENO_ISA_OPERAND_GPR_RELATIVE || is_shared(component))
        return adreno_sp_temp_place(builder);
    return adreno_sp_gpr_place(builder, component, is_half);
}

/* Its result is 0 or 1 already. */
static bool is_comparison(unsigned op)
{
    return op == ADRENO_ISA_OP_CMPS_F || op == ADRENO_ISA_OP_CMPS_U || op == ADRENO_ISA_OP_CMPS_S;
}

static void adreno_sp_result(struct sp_builder *builder, const struct adreno_isa_operand *operand, unsigned step,
                             bool is_half, sp_place place)
{
    unsigned component = ((unsigned)operand->value + step) & 0xff;
    if (operand->kind == ADRENO_ISA_OPERAND_GPR_RELATIVE) {
        struct sp_uop *uop = adreno_sp_build(builder, adreno_sp_uop_write_relative);
        uop->imm = (uint32_t)operand->value + step;
        uop->s[0] = place;
        uop->s[1] = is_half;
    } else if (is_shared(component)) {
        struct sp_uop *uop = adreno_sp_build(builder, adreno_sp_uop_share);
        uop->d = adreno_sp_gpr_place(builder, component, is_half);
        uop->s[0] = place;
        uop->imm = is_half;
    } else if (component >= ADRENO_ISA_REG_P0 && !is_comparison(builder->inst->op)) {
        adreno_sp_build(builder, adreno_sp_uop_predicate)->d = place;
    }
}

/* ---- categories 2 to 4 ---- */

static unsigned variant_of(const struct adreno_isa_inst *inst)
{
    const int16_t *field = inst->field;
    switch (inst->op) {
    case ADRENO_ISA_OP_ADD_U:
    case ADRENO_ISA_OP_ADD_S:
        return field[ADRENO_ISA_FIELD_EI] != 0;
    case ADRENO_ISA_OP_DP2ACC:
        return (unsigned)(field[ADRENO_ISA_FIELD_MIXED] | field[ADRENO_ISA_FIELD_HIGH] << 1);
    case ADRENO_ISA_OP_DP4ACC: /* .high: the second source is signed, too */
        return (unsigned)(field[ADRENO_ISA_FIELD_MIXED] |
                          (field[ADRENO_ISA_FIELD_MIXED] ? field[ADRENO_ISA_FIELD_HIGH] << 1 : 0));
    default:
        return (unsigned)field[ADRENO_ISA_FIELD_COND];
    }
}

static bool is_float_result(const struct adreno_isa_inst *inst)
{
    return sign_of(inst) == SIGN_FLOAT && inst->op != ADRENO_ISA_OP_CMPS_F;
}

static bool translate_step(struct sp_builder *builder, unsigned step)
{
    const struct adreno_isa_inst *inst = builder->inst;
    const struct adreno_isa_operand *dst = &inst->operands[ADRENO_ISA_PLACE_DST];
    const bool half_dst = dst->flags & ADRENO_ISA_FLAG_HALF && dst->value < ADRENO_ISA_REG_A0;
    const enum sign sign = sign_of(inst);
    bool half_src = false;
    sp_place s[3] = {0};
    for (unsigned i = 0; i < 3; i++) {
        const struct adreno_isa_operand *operand = &inst->operands[ADRENO_ISA_PLACE_SRC0 + i];
        if (!operand->kind)
            continue;
        if (i == 0) { /* a float of the table has a size of its own, which is that of all sources */
            half_src = operand->flags & ADRENO_ISA_FLAG_HALF;
        }
        s[i] = signed_source(builder, operand, step, operand->flags & ADRENO_ISA_FLAG_HALF, sign);
    }
    const unsigned sizes = (half_src ? SP_HALF_FULL : SP_FULL_FULL) + (half_dst ? 1 : 0);
    sp_run_fn run = adreno_sp_alu_kernels[inst->op][variant_of(inst)][sizes];
    if (!run)
        return false;
    sp_place d = adreno_sp_destination(builder, dst, step, half_dst);
    struct sp_uop *uop = adreno_sp_build(builder, run);
    uop->d = d;
    memcpy(uop->s, s, sizeof(s));
    uop->imm = inst->field[ADRENO_ISA_FIELD_SAT] != 0;
    if (inst->field[ADRENO_ISA_FIELD_SAT] && is_float_result(inst))
        adreno_sp_build(builder, half_dst ? adreno_sp_uop_sat_f16 : adreno_sp_uop_sat_f32)->d = d;
    adreno_sp_result(builder, dst, step, half_dst, d);
    return true;
}

static void convert_number(struct sp_builder *builder, unsigned from, unsigned to, sp_place s, sp_place d)
{
    struct sp_uop *uop = adreno_sp_build(builder, adreno_sp_move_kernels[from][to]);
    uop->s[0] = s;
    uop->d = d;
}

/* bary.f and flat.b: the block that launched the wave has the varyings. */
static bool translate_input(struct sp_builder *builder, unsigned step)
{
    const struct adreno_isa_inst *inst = builder->inst;
    const struct adreno_isa_operand *dst = &inst->operands[ADRENO_ISA_PLACE_DST];
    const struct adreno_isa_operand *location = &inst->operands[ADRENO_ISA_PLACE_SRC0];
    const struct adreno_isa_operand *ij = &inst->operands[ADRENO_ISA_PLACE_SRC1];
    const bool is_bary = inst->op == ADRENO_ISA_OP_BARY_F, half_dst = dst->flags & ADRENO_ISA_FLAG_HALF;
    if ((is_bary && ij->kind != ADRENO_ISA_OPERAND_GPR) || (location->flags & ADRENO_ISA_FLAG_HALF))
        return false;
    struct adreno_isa_operand first = *location;
    first.flags &= (uint8_t)~ADRENO_ISA_FLAG_R;
    sp_place s0 = adreno_sp_source(builder, &first, 0, false, false);
    sp_place d = adreno_sp_destination(builder, dst, step, half_dst);
    sp_place row = half_dst ? adreno_sp_temp_place(builder) : d;
    struct sp_uop *uop = adreno_sp_build(builder, is_bary ? adreno_sp_uop_bary : adreno_sp_uop_flat);
    uop->d = row;
    uop->s[0] = s0;
    if (is_bary) {
        uop->s[1] = adreno_sp_gpr_place(builder, (unsigned)ij->value, false);
        uop->s[2] = adreno_sp_gpr_place(builder, (unsigned)ij->value + 1, false);
    }
    uop->imm = location->flags & ADRENO_ISA_FLAG_R ? step : 0;
    if (half_dst)
        convert_number(builder, is_bary ? TYPE_F32 : TYPE_U32, is_bary ? TYPE_F16 : TYPE_U16, row, d);
    if (inst->field[ADRENO_ISA_FIELD_SAT])
        adreno_sp_build(builder, half_dst ? adreno_sp_uop_sat_f16 : adreno_sp_uop_sat_f32)->d = d;
    adreno_sp_result(builder, dst, step, half_dst, d);
    return true;
}

static bool adreno_sp_translate_alu(struct sp_builder *builder)
{
    const struct adreno_isa_inst *inst = builder->inst;
    const bool is_input = inst->op == ADRENO_ISA_OP_BARY_F || inst->op == ADRENO_ISA_OP_FLAT_B;
    for (unsigned step = 0; step <= (unsigned)inst->field[ADRENO_ISA_FIELD_REPEAT]; step++) {
        builder->temps = 0;
        if (!(is_input ? translate_input : translate_step)(builder, step))
            return false;
    }
    return true;
}

/* ---- category 1 ---- */

static bool is_half_type(unsigned type)
{
    return type % 2 == 0;
}

static bool is_float_type(unsigned type)
{
    return type == TYPE_F16 || type == TYPE_F32;
}

static void set_round(struct sp_builder *builder, enum lane_round round)
{
    adreno_sp_build(builder, adreno_sp_uop_round)->imm = round;
}

/* A conversion with the instruction's rounding; without one it cuts off. */
static bool build_conversion(struct sp_builder *builder, unsigned from, unsigned to, sp_place s, sp_place d)
{
    static const uint8_t rounds[] = {LANE_ROUND_ZERO, LANE_ROUND_NEAREST, LANE_ROUND_UP, LANE_ROUND_DOWN};
    static const uint16_t integers[] = {0, ADRENO_ISA_OP_RNDNE_F, ADRENO_ISA_OP_CEIL_F, ADRENO_ISA_OP_FLOOR_F};
    const unsigned mode = (unsigned)builder->inst->field[ADRENO_ISA_FIELD_ROUND];
    if (from > TYPE_U8 || to > TYPE_U8 || !adreno_sp_move_kernels[from][to])
        return false;
    if (from == to || (!is_float_type(from) && !is_float_type(to)) || (from == TYPE_F16 && to == TYPE_F32)) {
        convert_number(builder, from, to, s, d);
        return true;
    }
    if (is_float_type(to)) {
        set_round(builder, rounds[mode]);
        convert_number(builder, from, to, s, d);
        set_round(builder, LANE_ROUND_NEAREST);
        return true;
    }
    if (mode) { /* to an integral float before */
        sp_place integral = adreno_sp_temp_place(builder);
        struct sp_uop *uop = adreno_sp_build(
            builder, adreno_sp_alu_kernels[integers[mode]][0][is_half_type(from) ? SP_HALF_HALF : SP_FULL_FULL]);
        uop->s[0] = s;
        uop->d = integral;
        s = integral;
    }
    convert_number(builder, from, to, s, d);
    return true;
}

/* movs: the value of one fiber. A destination that is not shared makes a mov of it, as is known of the hardware. */
static sp_place one_fibers(struct sp_builder *builder, sp_place s, bool is_half)
{
    const struct adreno_isa_operand *dst = &builder->inst->operands[ADRENO_ISA_PLACE_DST];
    const struct adreno_isa_operand *fiber = &builder->inst->operands[ADRENO_ISA_PLACE_SRC1];
    if (dst->kind != ADRENO_ISA_OPERAND_GPR || !is_shared((unsigned)dst->value))
        return s;
    sp_place d = adreno_sp_temp_place(builder);
    struct sp_uop *uop = adreno_sp_build(builder, adreno_sp_uop_broadcast);
    uop->d = d;
    uop->s[0] = s;
    uop->s[1] = is_half;
    uop->imm = fiber->kind == ADRENO_ISA_OPERAND_NUMBER ? (uint32_t)fiber->value : SP_FIBER_IN_A0;
    return d;
}

static bool translate_mov(struct sp_builder *builder)
{
    const struct adreno_isa_inst *inst = builder->inst;
    const struct adreno_isa_operand *dst = &inst->operands[ADRENO_ISA_PLACE_DST];
    const unsigned from = (unsigned)inst->field[ADRENO_ISA_FIELD_SRC_TYPE];
    unsigned to = (unsigned)inst->field[ADRENO_ISA_FIELD_DST_TYPE];
    bool half_dst = is_half_type(to);
    if (inst->op == ADRENO_ISA_OP_MOVS && from == TYPE_U8)
        return false; /* does not work on the hardware; what it does is not known */
    if (dst->kind == ADRENO_ISA_OPERAND_GPR && dst->value >= ADRENO_ISA_REG_A0 && half_dst) {
        to = to == TYPE_U16 ? TYPE_U32 : TYPE_S32; /* address registers and predicates have rows of their own */
        half_dst = false;
    }
    for (unsigned step = 0; step <= (unsigned)inst->field[ADRENO_ISA_FIELD_REPEAT]; step++) {
        builder->temps = 0;
        sp_place s = adreno_sp_source(builder, &inst->operands[ADRENO_ISA_PLACE_SRC0], step, is_half_type(from), false);
        if (inst->op == ADRENO_ISA_OP_MOVS)
            s = one_fibers(builder, s, is_half_type(from));
        sp_place d = adreno_sp_destination(builder, dst, step, half_dst);
        if (!build_conversion(builder, from, to, s, d))
            return false;
        adreno_sp_result(builder, dst, step, half_dst, d);
    }
    return true;
}

/* swz, gat, sct: all sources are read before a destination is written. */
static bool translate_moves(struct sp_builder *builder, const struct adreno_isa_operand *sources,
                            const struct adreno_isa_operand *destinations, unsigned count)
{
    const unsigned from = (unsigned)builder->inst->field[ADRENO_ISA_FIELD_SRC_TYPE];
    const unsigned to = (unsigned)builder->inst->field[ADRENO_ISA_FIELD_DST_TYPE];
    sp_place temps[4];
    for (unsigned i = 0; i < count; i++) {
        temps[i] = adreno_sp_temp_place(builder);
        sp_place s = adreno_sp_source(builder, &sources[i], 0, is_half_type(from), false);
        if (!build_conversion(builder, from, to, s, temps[i]))
            return false;
    }
    for (unsigned i = 0; i < count; i++) {
        sp_place d = adreno_sp_destination(builder, &destinations[i], 0, is_half_type(to));
        struct sp_uop *uop = adreno_sp_build(builder, adreno_sp_uop_copy);
        uop->d = d;
        uop->s[0] = temps[i];
        uop->imm = is_half_type(to);
        adreno_sp_result(builder, &destinations[i], 0, is_half_type(to), d);
    }
    return true;
}

static void consecutive(struct adreno_isa_operand out[4], const struct adreno_isa_operand *first)
{
    for (int i = 0; i < 4; i++) {
        out[i] = *first;
        out[i].value += i;
    }
}

static bool translate_movmsk(struct sp_builder *builder)
{
    const struct adreno_isa_operand *dst = &builder->inst->operands[ADRENO_ISA_PLACE_DST];
    for (unsigned step = 0; step <= (unsigned)builder->inst->field[ADRENO_ISA_FIELD_REPEAT]; step++) {
        sp_place d = adreno_sp_destination(builder, dst, step, false);
        struct sp_uop *uop = adreno_sp_build(builder, adreno_sp_uop_movmsk);
        uop->d = d;
        uop->imm = step * 32;
        adreno_sp_result(builder, dst, step, false, d);
    }
    return true;
}

static bool adreno_sp_translate_move(struct sp_builder *builder)
{
    const struct adreno_isa_operand *operands = builder->inst->operands;
    struct adreno_isa_operand row[4];
    const struct adreno_isa_operand dsts[4] = {operands[ADRENO_ISA_PLACE_DST], operands[ADRENO_ISA_PLACE_DST1],
                                               operands[ADRENO_ISA_PLACE_DST2], operands[ADRENO_ISA_PLACE_DST3]};
    switch (builder->inst->op) {
    case ADRENO_ISA_OP_MOV:
    case ADRENO_ISA_OP_MOVS:
        return translate_mov(builder);
    case ADRENO_ISA_OP_MOVMSK:
        return translate_movmsk(builder);
    case ADRENO_ISA_OP_SWZ:
        return translate_moves(builder, &operands[ADRENO_ISA_PLACE_SRC0], dsts, 2);
    case ADRENO_ISA_OP_GAT:
        consecutive(row, &operands[ADRENO_ISA_PLACE_DST]);
        return translate_moves(builder, &operands[ADRENO_ISA_PLACE_SRC0], row, 4);
    case ADRENO_ISA_OP_SCT:
        consecutive(row, &operands[ADRENO_ISA_PLACE_SRC0]);
        return translate_moves(builder, row, dsts, 4);
    default:
        return false;
    }
}

/* ---- all ---- */

bool adreno_sp_translate(struct sp_builder *builder, const struct adreno_isa_inst *inst)
{
    builder->inst = inst;
    if (inst->op < ADRENO_ISA_OP_MOV || inst->op >= ADRENO_ISA_OP_BAR || inst->op == ADRENO_ISA_OP_TCINV)
        return adreno_sp_translate_control(builder);
    if (inst->op < ADRENO_ISA_OP_ADD_F)
        return adreno_sp_translate_move(builder);
    if (inst->op < ADRENO_ISA_OP_ISAM)
        return adreno_sp_translate_alu(builder);
    if (inst->op < ADRENO_ISA_OP_LDG)
        return adreno_sp_translate_texture(builder);
    return adreno_sp_translate_memory(builder);
}
