/* From an instruction to micro-operations: operands and the ALU. */
#include <stddef.h>

#include "mali/model/sc/alu.h"
#include "mali/model/sc/code.h"
#include "mali/model/sc/memory.h"
#include "mali/model/sc/select.h"
#include "mali/model/sc/strict.h"
#include "mali/model/sc/uniforms.h"
#include "mali/model/sc/uops.h"

/* ---- places ---- */

sc_place mali_sc_register_place(unsigned reg)
{
    return (sc_place)offsetof(struct mali_warp, rows) + (reg % MALI_WARP_REGISTERS) * SC_ROW_B;
}

sc_place mali_sc_temp_place(struct sc_builder *builder, unsigned rows)
{
    if (builder->temps + rows > MALI_WARP_TEMPS) {
        builder->exec.failed = true;
        builder->temps = 0;
    }
    const sc_place place = (sc_place)offsetof(struct mali_warp, temp) + builder->temps * SC_ROW_B;
    builder->temps += rows;
    return place;
}

/* ---- selections ---- */

/* A selection as one function of the word, of select.h. */
enum step_kind {
    STEP_NONE,
    STEP_EXTRACT,
    STEP_PERMUTE,
    STEP_BYTES,
    STEP_HALF_F32,
};

struct step {
    enum step_kind kind;
    uint32_t imm; /* as the micro-operation has it */
};

static uint32_t extract_imm(uint32_t shift, uint32_t bits, bool is_signed)
{
    return shift | bits << 8 | (uint32_t)is_signed << 16;
}

/* Whether parts of integers are extended by their sign: the instruction's type says so. */
static bool is_signed_op(unsigned op)
{
    const char *name = mali_isa_name(op), *dot = strchr(name, '.');
    if (!dot)
        return name[0] == 'S' || strncmp(name, "V2S", 3) == 0;
    return strchr(dot, 's') != NULL;
}

static struct step select_halves(unsigned select)
{
    static const uint16_t orders[] = {[MALI_ISA_HALVES_H00] = 0x1010,
                                      [MALI_ISA_HALVES_H10] = 0x1032,
                                      [MALI_ISA_HALVES_H01] = 0x3210,
                                      [MALI_ISA_HALVES_H11] = 0x3232};
    return (struct step){select == MALI_ISA_HALVES_H01 ? STEP_NONE : STEP_PERMUTE, orders[select]};
}

static struct step select_widen16(unsigned select, bool is_signed)
{
    /* From b00 on: the low byte, then the high one. */
    static const uint8_t bytes[] = {0x00, 0x02, 0x20, 0x22, 0x11, 0x13, 0x31, 0x33, 0x10, 0x32};
    if (select <= MALI_ISA_WIDEN16_H11)
        return select_halves(select);
    return (struct step){STEP_BYTES, bytes[select - MALI_ISA_WIDEN16_B00] | (uint32_t)is_signed << 16};
}

static struct step select_widen8(unsigned select)
{
    static const uint16_t orders[] = {0x3210, 0x0123, 0x1010, 0x3232, 0x0000, 0x1111,
                                      0x2222, 0x3333, 0x1032, 0x2301, 0x1100, 0x3322};
    return (struct step){select == MALI_ISA_WIDEN8_B0123 ? STEP_NONE : STEP_PERMUTE, orders[select]};
}

/* h0 h1 b0 b1 b2 b3 of a word, or all of it. */
static struct step select_widen32(unsigned select, bool is_signed)
{
    if (select == MALI_ISA_WIDEN32_NONE)
        return (struct step){STEP_NONE, 0};
    if (select <= MALI_ISA_WIDEN32_H1)
        return (struct step){STEP_EXTRACT, extract_imm((select - MALI_ISA_WIDEN32_H0) * 16, 16, is_signed)};
    if (select <= MALI_ISA_WIDEN32_B3)
        return (struct step){STEP_EXTRACT, extract_imm((select - MALI_ISA_WIDEN32_B0) * 8, 8, is_signed)};
    return (struct step){STEP_EXTRACT, extract_imm(0, 32, is_signed)}; /* w0 of 64 bits */
}

static struct step step_of(enum mali_isa_selection selection, unsigned select, bool is_signed)
{
    switch (selection) {
    case MALI_ISA_SELECT_HALF:
        return (struct step){select == MALI_ISA_HALF_NONE ? STEP_NONE : STEP_HALF_F32,
                             select == MALI_ISA_HALF_H1 ? 16 : 0};
    case MALI_ISA_SELECT_HALVES:
        return select_halves(select);
    case MALI_ISA_SELECT_WIDEN8:
        return select_widen8(select);
    case MALI_ISA_SELECT_WIDEN16:
        return select_widen16(select, is_signed);
    case MALI_ISA_SELECT_WIDEN32:
    case MALI_ISA_SELECT_WIDEN64:
        return select_widen32(select, is_signed);
    case MALI_ISA_SELECT_BYTES:
        return (struct step){STEP_EXTRACT, extract_imm((select - MALI_ISA_BYTES_B00) * 8, 8, false)};
    case MALI_ISA_SELECT_BYTEPAIR: /* bXY: X is the low byte */
        return (struct step){STEP_BYTES, (select & 3) | (select >> 2) << 4};
    case MALI_ISA_SELECT_BYTE:
        return (struct step){STEP_EXTRACT, extract_imm(select * 8, 8, false)};
    case MALI_ISA_SELECT_HALFWORD:
        return (struct step){STEP_EXTRACT, extract_imm(select * 16, 16, false)};
    default: /* none, and BRANCHZ's, which looks itself */
        return (struct step){STEP_NONE, 0};
    }
}

static uint32_t apply_step(struct step step, uint32_t word)
{
    switch (step.kind) {
    case STEP_EXTRACT:
        return sc_extract(word, step.imm & 0xff, step.imm >> 8 & 0xff, step.imm >> 16);
    case STEP_PERMUTE:
        return sc_permute(word, step.imm);
    case STEP_BYTES:
        return sc_bytes_to_halves(word, step.imm & 3, step.imm >> 4 & 3, step.imm >> 16);
    case STEP_HALF_F32:
        return sc_half_to_f32(word, step.imm);
    case STEP_NONE:
        break;
    }
    return word;
}

/* ---- sources ---- */

/* The bits that neg and abs are about. */
static uint32_t sign_bits(unsigned op, enum mali_isa_selection selection)
{
    const bool is_half =
        selection == MALI_ISA_SELECT_HALVES || selection == MALI_ISA_SELECT_HALFWORD || op == MALI_ISA_OP_LDEXP_V2F16;
    return is_half ? 0x80008000u : 0x80000000u;
}

static sc_place constant_source(struct sc_builder *builder, unsigned index, struct step step, uint32_t sign)
{
    const struct mali_isa_source *source = &builder->inst->sources[index];
    const bool is_wide = mali_isa_source_flags(builder->inst->op, index) & MALI_ISA_SOURCE_WIDE;
    uint32_t word = sc_sign(apply_step(step, mali_isa_constants[source->value]), sign, source->flags & 3);
    /* Constants of 64 bits are extended by zeros, unless a part is selected and signed. */
    uint64_t value = word;
    if (is_wide && step.kind == STEP_EXTRACT && step.imm >> 16)
        value = (uint64_t)(int64_t)(int32_t)word;
    if (source->flags & MALI_ISA_FLAG_NOT)
        value = is_wide ? ~value : (uint32_t)~value;
    return mali_sc_constant_place(builder, value, is_wide ? 2 : 1);
}

/* Where the source's word is before anything is done to it. */
static sc_place base_source(struct sc_builder *builder, const struct mali_isa_source *source)
{
    switch ((enum mali_isa_source_kind)source->kind) {
    case MALI_ISA_SOURCE_REGISTER:
        return mali_sc_register_place(source->value);
    case MALI_ISA_SOURCE_UNIFORM:
        return mali_sc_uniform_place(source->value);
    case MALI_ISA_SOURCE_SPECIAL:
        return mali_sc_special_place(builder, builder->inst->page, source->value);
    default:
        builder->exec.failed = true;
        return 0;
    }
}

static sc_place apply_uop(struct sc_builder *builder, sc_place place, sc_run_fn run, unsigned rows, uint32_t imm,
                          uint32_t imm2)
{
    const sc_place result = mali_sc_temp_place(builder, rows);
    struct sc_uop *uop = mali_sc_build(builder, run);
    uop->d = result;
    uop->s[0] = place;
    uop->imm = imm;
    uop->imm2 = imm2;
    return result;
}

sc_place mali_sc_source(struct sc_builder *builder, unsigned index)
{
    static const sc_run_fn runs[] = {[STEP_EXTRACT] = mali_sc_uop_extract,
                                     [STEP_PERMUTE] = mali_sc_uop_permute,
                                     [STEP_BYTES] = mali_sc_uop_bytes,
                                     [STEP_HALF_F32] = mali_sc_uop_half_f32};
    const unsigned op = builder->inst->op, flags = mali_isa_source_flags(op, index);
    const struct mali_isa_source *source = &builder->inst->sources[index];
    const enum mali_isa_selection selection = mali_isa_source_selection(op, index);
    const struct step step = step_of(selection, source->select, is_signed_op(op));
    const unsigned rows = flags & MALI_ISA_SOURCE_WIDE ? 2 : 1;
    const uint32_t sign = sign_bits(op, selection);
    if (source->kind == MALI_ISA_SOURCE_CONSTANT)
        return constant_source(builder, index, step, sign);
    sc_place place = base_source(builder, source);
    if (step.kind != STEP_NONE)
        place = apply_uop(builder, place, rows == 2 ? mali_sc_uop_extract64 : runs[step.kind], rows, step.imm, 0);
    if (source->flags & (MALI_ISA_FLAG_NEG | MALI_ISA_FLAG_ABS))
        place = apply_uop(builder, place, mali_sc_uop_sign, 1, source->flags & 3, sign);
    if (source->flags & MALI_ISA_FLAG_NOT)
        place = apply_uop(builder, place, mali_sc_uop_not, rows, rows, 0);
    return place;
}

/* ---- results ---- */

static bool is_wide_op(unsigned op)
{
    const char *name = mali_isa_name(op);
    return strcmp(name + strlen(name) - 2, "64") == 0;
}

static bool is_comparison(unsigned op)
{
    const char *name = mali_isa_name(op);
    return strncmp(name, "ICMP", 4) == 0 || strncmp(name, "FCMP", 4) == 0;
}

/* The result of a comparison that holds, in bits that its elements have; 0: not known. */
static uint32_t result_bits(unsigned op, unsigned result)
{
    const char *name = mali_isa_name(op);
    const unsigned size = strstr(name, ".v4") ? 0 : strstr(name, ".v2") ? 1 : 2;
    static const uint32_t ones[] = {0x01010101, 0x00010001, 1}, floats[] = {0, 0x3c003c00, 0x3f800000};
    switch (result) {
    case MALI_ISA_RESULT_I1:
    case MALI_ISA_RESULT_U1:
        return ones[size];
    case MALI_ISA_RESULT_F1:
        return floats[size];
    default:
        return UINT32_MAX;
    }
}

/* Of an operation on floats of 32 bits a half is the result, rounded. */
static bool gives_f32(unsigned op)
{
    const char *name = mali_isa_name(op);
    const size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".f32") == 0;
}

/* The operations after a kernel that has written `place`, which is a temporary where only a half is written. */
static bool build_result(struct sc_builder *builder, sc_place place)
{
    const struct mali_isa_inst *inst = builder->inst;
    const unsigned clamp = inst->field[MALI_ISA_FIELD_CLAMP], rows = is_wide_op(inst->op) ? 2 : 1;
    if (clamp) {
        const bool is_half = strstr(mali_isa_name(inst->op), "F16") || strstr(mali_isa_name(inst->op), "f16");
        struct sc_uop *uop = mali_sc_build(builder, is_half ? mali_sc_uop_clamp_f16 : mali_sc_uop_clamp_f32);
        uop->d = place;
        uop->imm = clamp;
    }
    if (is_comparison(inst->op)) {
        const uint32_t bits = result_bits(inst->op, inst->field[MALI_ISA_FIELD_RESULT]);
        if (!bits)
            return false;
        if (bits != UINT32_MAX) {
            struct sc_uop *uop = mali_sc_build(builder, mali_sc_uop_and);
            uop->d = place;
            uop->imm = bits;
        }
    }
    if (inst->field[MALI_ISA_FIELD_NOT_RESULT]) {
        struct sc_uop *uop = mali_sc_build(builder, mali_sc_uop_invert);
        uop->d = place;
        uop->imm = rows;
    }
    if (inst->dst_mask != 3) {
        if (gives_f32(inst->op)) {
            struct sc_uop *uop = mali_sc_build(builder, mali_sc_uop_narrow);
            uop->d = uop->s[0] = place;
        }
        struct sc_uop *uop = mali_sc_build(builder, mali_sc_uop_merge);
        uop->d = mali_sc_register_place(inst->dst);
        uop->s[0] = place;
        uop->imm = inst->dst_mask == 1 ? 0x0000ffff : 0xffff0000;
    }
    return true;
}

static sc_place result_place(struct sc_builder *builder)
{
    if (builder->inst->dst_mask != 3)
        return mali_sc_temp_place(builder, is_wide_op(builder->inst->op) ? 2 : 1);
    return mali_sc_register_place(builder->inst->dst);
}

/* ---- the ALU ---- */

static unsigned variant_of(const struct mali_isa_inst *inst)
{
    const uint8_t *field = inst->field;
    const char *name = mali_isa_name(inst->op);
    if (strncmp(name, "ICMP_MULTI", 10) == 0 && field[MALI_ISA_FIELD_RESULT] == MALI_ISA_RESULT_U1)
        return 8 + field[MALI_ISA_FIELD_COND];
    if (is_comparison(inst->op) || strncmp(name, "CSEL", 4) == 0)
        return field[MALI_ISA_FIELD_COND];
    if (strncmp(name, "MUX", 3) == 0)
        return field[MALI_ISA_FIELD_MUX];
    return field[MALI_ISA_FIELD_RHADD] | field[MALI_ISA_FIELD_SIGNED] | field[MALI_ISA_FIELD_NEG] |
           field[MALI_ISA_FIELD_PRESERVE_NULL] << 1 | field[MALI_ISA_FIELD_SQRT] | field[MALI_ISA_FIELD_LOG] << 1;
}

/* An instruction with a number of 32 bits is another one with a constant. */
static unsigned op_without_number(unsigned op)
{
    switch (op) {
    case MALI_ISA_OP_IADD_IMM_I32:
        return MALI_ISA_OP_IADD_U32;
    case MALI_ISA_OP_IADD_IMM_V2I16:
        return MALI_ISA_OP_IADD_V2U16;
    case MALI_ISA_OP_IADD_IMM_V4I8:
        return MALI_ISA_OP_IADD_V4U8;
    case MALI_ISA_OP_FADD_IMM_F32:
        return MALI_ISA_OP_FADD_F32;
    case MALI_ISA_OP_FADD_IMM_V2F16:
        return MALI_ISA_OP_FADD_V2F16;
    default:
        return op;
    }
}

static void build_round(struct sc_builder *builder, unsigned round)
{
    static const uint8_t rounds[] = {[MALI_ISA_ROUND_RTE] = LANE_ROUND_NEAREST,
                                     [MALI_ISA_ROUND_RTP] = LANE_ROUND_UP,
                                     [MALI_ISA_ROUND_RTN] = LANE_ROUND_DOWN,
                                     [MALI_ISA_ROUND_RTZ] = LANE_ROUND_ZERO};
    mali_sc_build(builder, mali_sc_uop_round)->imm = rounds[round];
}

static bool translate_kernel(struct sc_builder *builder)
{
    const struct mali_isa_inst *inst = builder->inst;
    const unsigned op = op_without_number(inst->op), round = inst->field[MALI_ISA_FIELD_ROUND];
    const bool has_rounds = round && mali_sc_alu_kernels[op][round]; /* else it is the mode's */
    const sc_run_fn kernel = mali_sc_alu_kernels[op][has_rounds ? round : variant_of(inst)];
    if (!kernel)
        return false;
    sc_place s[4] = {0};
    const unsigned count = mali_isa_source_count(inst->op);
    for (unsigned i = 0; i < count; i++)
        s[i] = mali_sc_source(builder, i);
    if (op != inst->op)
        s[1] = mali_sc_constant_place(builder, inst->number[0], 1);
    const sc_place d = result_place(builder);
    if (round && !has_rounds)
        build_round(builder, round);
    struct sc_uop *uop = mali_sc_build(builder, kernel);
    uop->d = d;
    memcpy(uop->s, s, sizeof(s));
    uop->imm = inst->field[MALI_ISA_FIELD_SATURATE];
    uop->imm2 = op == inst->op ? inst->number[0] : 0;
    if (round && !has_rounds)
        build_round(builder, MALI_ISA_ROUND_RTE);
    return build_result(builder, d);
}

static bool translate_flush(struct sc_builder *builder)
{
    const uint8_t *field = builder->inst->field;
    const sc_place s = mali_sc_source(builder, 0), d = result_place(builder);
    struct sc_uop *uop = mali_sc_build(builder, mali_sc_uop_flush);
    uop->d = d;
    uop->s[0] = s;
    uop->imm = field[MALI_ISA_FIELD_NAN] | (uint32_t)field[MALI_ISA_FIELD_FTZ] << 2 |
               (uint32_t)field[MALI_ISA_FIELD_FLUSH_INF] << 3 |
               (builder->inst->op == MALI_ISA_OP_FLUSH_V2F16 ? 16u : 0);
    return build_result(builder, d);
}

/* CLPER, WMASK. */
static bool translate_lanes(struct sc_builder *builder)
{
    static const uint32_t inactive[] = {0,          UINT32_MAX, 1,          0x00010001, 0x80000000, 0x7fffffff,
                                        0x80008000, 0x7fff7fff, 0x80808080, 0x7f7f7f7f, 0x3f800000, 0x3c003c00,
                                        0xff800000, 0x7f800000, 0xfc00fc00, 0x7c007c00};
    const struct mali_isa_inst *inst = builder->inst;
    const bool is_mask = inst->op == MALI_ISA_OP_WMASK;
    const unsigned operation = inst->field[MALI_ISA_FIELD_LANE_OP], rows = is_wide_op(inst->op) ? 2 : 1;
    if (operation > MALI_ISA_LANE_OP_XOR)
        return false;
    const sc_place s0 = mali_sc_source(builder, 0), s1 = is_mask ? 0 : mali_sc_source(builder, 1);
    const sc_place d = result_place(builder);
    for (unsigned row = 0; row < rows; row++) {
        struct sc_uop *uop = mali_sc_build(builder, is_mask ? mali_sc_uop_mask_lanes : mali_sc_uop_permute_lanes);
        uop->d = d + row * SC_ROW_B;
        uop->s[0] = s0 + row * SC_ROW_B;
        uop->s[1] = s1;
        uop->imm = 2u << inst->field[MALI_ISA_FIELD_SUBGROUP] | operation << 8;
        uop->imm2 = inactive[inst->field[MALI_ISA_FIELD_INACTIVE]];
    }
    return build_result(builder, d);
}

static bool mali_sc_translate_alu(struct sc_builder *builder)
{
    const unsigned op = builder->inst->op;
    if (op == MALI_ISA_OP_FLUSH_F32 || op == MALI_ISA_OP_FLUSH_V2F16)
        return translate_flush(builder);
    if (op == MALI_ISA_OP_WMASK || strncmp(mali_isa_name(op), "CLPER", 5) == 0)
        return translate_lanes(builder);
    return translate_kernel(builder);
}

/* ---- all ---- */

static bool translate_one(struct sc_builder *builder)
{
    switch (mali_isa_unit(builder->inst->op)) {
    case MALI_ISA_UNIT_CVT:
    case MALI_ISA_UNIT_FMA:
    case MALI_ISA_UNIT_SFU:
        return mali_isa_has_dst(builder->inst->op) ? mali_sc_translate_alu(builder)
                                                   : mali_sc_translate_control(builder);
    case MALI_ISA_UNIT_LS:
        return mali_sc_translate_memory(builder) || mali_sc_translate_message(builder);
    default:
        return builder->inst->op == MALI_ISA_OP_BARRIER ? mali_sc_translate_control(builder)
                                                        : mali_sc_translate_message(builder);
    }
}

/* Instructions after whose own micro-operations nothing of the block runs. */
static bool is_last(unsigned op)
{
    return op == MALI_ISA_OP_BRANCHZ || op == MALI_ISA_OP_BRANCHZI || op == MALI_ISA_OP_BLEND;
}

bool mali_sc_translate(struct sc_builder *builder)
{
    const bool is_early = is_last(builder->inst->op);
    if (builder->is_strict && !mali_sc_strict_before(builder))
        return false;
    if (builder->is_strict && is_early)
        mali_sc_strict_after(builder);
    if (builder->is_coherent)
        mali_sc_coherence_before(builder);
    if (!translate_one(builder))
        return false;
    if (builder->is_strict && !is_early)
        mali_sc_strict_after(builder);
    if (!builder->exec.ends_block)
        mali_sc_translate_flow(builder);
    return true;
}
