/* From an instruction to micro-operations: which operands a kernel gets, and what has to happen before and after it.
 * The order is the hardware's: a source is selected (DPP, SDWA, op_sel), then widened (mixed precision), then its
 * modifiers are applied; a result is scaled, clamped, then placed. */
#include <stddef.h>

#include "amd/model/sq/sq_alu.h"
#include "amd/model/sq/sq_code.h"
#include "amd/model/sq/sq_control.h"
#include "amd/model/sq/sq_hook.h"
#include "amd/model/sq/sq_memory.h"
#include "amd/model/sq/sq_mode.h"
#include "amd/model/sq/sq_uops.h"
#include "util/half.h"

static sq_place wave_place(size_t offset_B)
{
    return (sq_place)offset_B | SQ_BASE_WAVE;
}

static sq_place sgpr_place(unsigned index)
{
    return wave_place(offsetof(struct sq_wave, sgpr) + index * 4);
}

static sq_place vgpr_place(const struct sq_builder *builder, unsigned index)
{
    return wave_place(offsetof(struct sq_wave, vgpr) + index * builder->exec.lanes * 4);
}

static sq_place temp_place(struct sq_builder *builder, unsigned rows)
{
    sq_place place = wave_place(offsetof(struct sq_wave, temp) + builder->temps * builder->exec.lanes * 4);
    builder->temps += rows;
    return place;
}

unsigned amd_sq_special_register(const struct isa_operand *operand)
{
    static const uint8_t registers[] = {
        [ISA_SPECIAL_VCC_LO] = SQ_VCC,
        [ISA_SPECIAL_VCC_HI] = SQ_VCC + 1,
        [ISA_SPECIAL_M0] = SQ_M0,
        [ISA_SPECIAL_NULL] = SQ_NULL,
        [ISA_SPECIAL_EXEC_LO] = SQ_EXEC,
        [ISA_SPECIAL_EXEC_HI] = SQ_EXEC + 1,
        [ISA_SPECIAL_SRC_SHARED_BASE] = SQ_SHARED_BASE,
        [ISA_SPECIAL_SRC_SHARED_LIMIT] = SQ_SHARED_LIMIT,
        [ISA_SPECIAL_SRC_PRIVATE_BASE] = SQ_PRIVATE_BASE,
        [ISA_SPECIAL_SRC_PRIVATE_LIMIT] = SQ_PRIVATE_LIMIT,
        [ISA_SPECIAL_SRC_POPS_EXITING_WAVE_ID] = SQ_POPS,
        [ISA_SPECIAL_SRC_VCCZ] = SQ_VCCZ,
        [ISA_SPECIAL_SRC_EXECZ] = SQ_EXECZ,
        [ISA_SPECIAL_SRC_SCC] = SQ_SCC_VALUE,
    };
    if (operand->kind == ISA_OPERAND_TTMP)
        return SQ_TTMP + operand->value;
    if (operand->kind == ISA_OPERAND_SPECIAL && operand->value < sizeof(registers) && registers[operand->value])
        return registers[operand->value];
    return SQ_TRASH; /* registers of other generations, which GFX10.3 cannot encode */
}

static bool is_scalar_register(const struct isa_operand *operand)
{
    return operand->kind == ISA_OPERAND_SGPR || operand->kind == ISA_OPERAND_TTMP ||
           operand->kind == ISA_OPERAND_SPECIAL;
}

static unsigned scalar_index(const struct isa_operand *operand)
{
    return operand->kind == ISA_OPERAND_SGPR ? operand->value : amd_sq_special_register(operand);
}

static bool is_float(unsigned type)
{
    return type == ISA_TYPE_F16 || type == ISA_TYPE_F32 || type == ISA_TYPE_F64 || type == ISA_TYPE_F16X2;
}

static bool is_half(unsigned type)
{
    return type == ISA_TYPE_F16 || type == ISA_TYPE_U16 || type == ISA_TYPE_I16 || type == ISA_TYPE_B16;
}

static bool is_pair(unsigned type)
{
    return type == ISA_TYPE_F16X2 || type == ISA_TYPE_U16X2 || type == ISA_TYPE_I16X2;
}

/* The bits of a constant operand, as wide as its type. */
static uint64_t constant_bits(const struct isa_inst *inst, const struct isa_operand *operand, unsigned type,
                              unsigned dwords)
{
    static const double floats[] = {0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0};
    uint64_t bits = 0;
    switch (operand->kind) {
    case ISA_OPERAND_INT:
        return (uint64_t)(int64_t)(int16_t)operand->value;
    case ISA_OPERAND_LITERAL:
        if (type == ISA_TYPE_F64)
            return (uint64_t)inst->literal << 32; /* the upper half of a double */
        return type == ISA_TYPE_I64 ? (uint64_t)(int64_t)(int32_t)inst->literal : inst->literal;
    case ISA_OPERAND_FLOAT:
        if (operand->value == ISA_FLOAT_INV_2PI)
            return dwords == 2 ? 0x3fc45f306dc9c882ull : is_half(type) || is_pair(type) ? 0x3118 : 0x3e22f983;
        if (dwords == 2)
            memcpy(&bits, &floats[operand->value], sizeof(bits));
        else if (is_half(type) || is_pair(type))
            bits = float_to_half_rtne((float)floats[operand->value]); /* of a pair: the lower half only */
        else
            bits = float_bits((float)floats[operand->value]);
        return bits;
    default:
        return operand->value;
    }
}

/* Status bits are not kept as registers: they are brought there when they are read as one. */
static void read_status(struct sq_builder *builder, const struct isa_inst *inst, unsigned index)
{
    if (index == SQ_VCCZ || index == SQ_EXECZ || index == SQ_SCC_VALUE)
        amd_sq_build(builder, amd_sq_uop_read_status, inst)->imm = index;
}

/* A source as plain dwords. */
static sq_place scalar_source(struct sq_builder *builder, const struct isa_inst *inst,
                              const struct isa_operand *operand, const struct isa_operand_info *info)
{
    if (!is_scalar_register(operand))
        return amd_sq_build_scalar_constant(builder, constant_bits(inst, operand, info->type, info->count));
    unsigned index = scalar_index(operand);
    if (index == SQ_NULL)
        return amd_sq_build_scalar_constant(builder, 0);
    read_status(builder, inst, index);
    return sgpr_place(index);
}

static sq_place scalar_destination(const struct isa_operand *operand)
{
    unsigned index = scalar_index(operand);
    return sgpr_place(index == SQ_NULL ? SQ_TRASH : index);
}

static bool touches_exec(const struct isa_operand *operand)
{
    return operand->kind == ISA_OPERAND_SPECIAL &&
           (operand->value == ISA_SPECIAL_EXEC_LO || operand->value == ISA_SPECIAL_EXEC_HI);
}

static bool translate_scalar(struct sq_builder *builder, const struct isa_inst *inst, const struct isa_op_info *info)
{
    struct sq_uop made = {.run = amd_sq_alu_kernels[inst->op]};
    bool writes_exec = info->writes & ISA_STATE_EXEC;
    if (!made.run)
        return false;
    for (unsigned i = 0; i < info->operand_count; i++) {
        const struct isa_operand *operand = &inst->operands[i];
        const struct isa_operand_info *about = &info->operands[i];
        switch (about->name) {
        case ISA_NAME_D:
            made.d = scalar_destination(operand);
            writes_exec |= touches_exec(operand);
            break;
        case ISA_NAME_S0:
            made.s[0] = scalar_source(builder, inst, operand, about);
            writes_exec |= about->is_written && touches_exec(operand);
            break;
        case ISA_NAME_S1:
            made.s[1] = scalar_source(builder, inst, operand, about);
            break;
        case ISA_NAME_IMM32:
            made.s[0] = amd_sq_build_scalar_constant(builder, inst->literal);
            break;
        default:
            made.imm = operand->value; /* the kernel reads it with the sign that its type has */
            break;
        }
    }
    struct sq_uop *uop = amd_sq_build(builder, made.run, inst);
    uop->d = made.d;
    memcpy(uop->s, made.s, sizeof(made.s));
    uop->imm = made.imm;
    if (writes_exec)
        amd_sq_build(builder, amd_sq_uop_exec_changed, inst);
    return true;
}

/* ---- vector instructions ---- */

struct vector {
    struct sq_builder *builder;
    const struct isa_inst *inst;
    const struct isa_op_info *info;
    struct sq_uop made;
    sq_place exec_kept; /* DPP: where exec is while some lanes are disabled */
};

static struct sq_uop *before(struct vector *v, sq_run_fn run, sq_place d, sq_place s)
{
    struct sq_uop *uop = amd_sq_build(v->builder, run, v->inst);
    uop->d = d;
    uop->s[0] = s;
    return uop;
}

/* abs and neg are the sign bits of a float; a pair has two. */
static sq_place modify_sign(struct vector *v, sq_place place, const struct isa_operand_info *about, unsigned source)
{
    const struct isa_alu *alu = &v->inst->alu;
    bool abs = alu->abs >> source & 1, neg = alu->neg >> source & 1, neg_hi = alu->neg_hi >> source & 1;
    bool is_mix = v->info->properties & ISA_PROP_MIX;
    if (is_mix) { /* neg_hi is abs there */
        abs = neg_hi;
        neg_hi = false;
    }
    if (!abs && !neg && !neg_hi)
        return place;

    uint32_t keep = UINT32_MAX, flip = 0;
    if (about->type == ISA_TYPE_F16X2) {
        flip = (neg ? 0x8000u : 0) | (neg_hi ? 0x80000000u : 0);
    } else {
        uint32_t sign = about->type == ISA_TYPE_F16 ? 0x8000u : 0x80000000u;
        keep = abs ? ~sign : UINT32_MAX;
        flip = neg ? sign : 0;
    }
    uint32_t row_B = v->builder->exec.lanes * 4;
    sq_place changed = temp_place(v->builder, about->count);
    for (unsigned row = 0; row < about->count; row++) {
        bool has_sign = row + 1 == about->count;
        struct sq_uop *uop = before(v, amd_sq_uop_and_xor, changed + row * row_B, place + row * row_B);
        uop->imm = has_sign ? keep : UINT32_MAX;
        uop->s[1] = has_sign ? flip : 0;
    }
    return changed;
}

static sq_place select_halves(struct vector *v, sq_place place, const struct isa_operand_info *about, unsigned source)
{
    const struct isa_alu *alu = &v->inst->alu;
    bool low = alu->op_sel >> source & 1, high = alu->op_sel_hi >> source & 1;
    if (v->info->properties & ISA_PROP_MIX) {
        if (!high)
            return place; /* single precision */
        sq_place wide = temp_place(v->builder, 1);
        before(v, amd_sq_uop_half_to_float, wide, place)->imm = low ? 16 : 0;
        return wide;
    }
    /* Only VOP3P chooses halves of pairs; a pair of VOP2 (v_pk_fmac_f16, v_dot2c_f32_f16) is read as it lies. */
    if (is_pair(about->type) && v->info->format == ISA_FORMAT_VOP3P && (low || !high)) {
        sq_place selected = temp_place(v->builder, 1);
        before(v, amd_sq_uop_select_halves, selected, place)->imm = (unsigned)low | (unsigned)high << 1;
        return selected;
    }
    if (is_half(about->type) && low && v->info->format != ISA_FORMAT_VOP3P) {
        sq_place selected = temp_place(v->builder, 1);
        before(v, amd_sq_uop_high_half, selected, place);
        return selected;
    }
    return place;
}

/* A source as rows of lanes, with everything applied that the instruction asks for. */
static sq_place vector_source(struct vector *v, const struct isa_operand *operand, const struct isa_operand_info *about,
                              unsigned source)
{
    struct sq_builder *builder = v->builder;
    const struct isa_alu *alu = &v->inst->alu;
    unsigned rows = about->count;
    sq_place place;

    if (operand->kind == ISA_OPERAND_VGPR) {
        place = vgpr_place(builder, operand->value);
    } else if (operand->kind == ISA_OPERAND_SPECIAL && operand->value == ISA_SPECIAL_SRC_LDS_DIRECT) {
        place = temp_place(builder, 1);
        before(v, amd_sq_uop_lds_direct, place, 0);
    } else if (is_scalar_register(operand)) {
        unsigned index = scalar_index(operand);
        read_status(builder, v->inst, index);
        if (index == SQ_NULL) {
            place = amd_sq_build_lanes_constant(builder, 0, rows);
        } else {
            place = temp_place(builder, rows);
            before(v, amd_sq_uop_splat, place, sgpr_place(index))->imm = rows;
        }
    } else {
        /* A source of mixed precision is as wide as op_sel_hi says, and so are inline constants. */
        bool is_mixed_half = (v->info->properties & ISA_PROP_MIX) && (alu->op_sel_hi >> source & 1);
        uint64_t bits = constant_bits(v->inst, operand, is_mixed_half ? (unsigned)ISA_TYPE_F16 : about->type, rows);
        place = amd_sq_build_lanes_constant(builder, bits, rows);
    }

    if (source == 0 && (v->inst->variant == ISA_VARIANT_DPP16 || v->inst->variant == ISA_VARIANT_DPP8)) {
        sq_place moved = temp_place(builder, rows);
        v->exec_kept = temp_place(builder, 1);
        struct sq_uop *uop =
            before(v, v->inst->variant == ISA_VARIANT_DPP8 ? amd_sq_uop_dpp8 : amd_sq_uop_dpp16, moved, place);
        uop->imm = rows;
        uop->s[1] = v->exec_kept;
        place = moved;
    }
    if (v->inst->variant == ISA_VARIANT_SDWA && source < 2) {
        unsigned sel = source ? alu->src1_sel : alu->src0_sel;
        bool sext = alu->sext >> source & 1;
        if (sel != ISA_SDWA_DWORD || (sext && is_half(about->type))) {
            sq_place selected = temp_place(builder, 1);
            struct sq_uop *uop = before(v, amd_sq_uop_sdwa_select, selected, place);
            uop->imm = sel;
            uop->s[1] = sext;
            place = selected;
        }
    } else {
        place = select_halves(v, place, about, source);
    }
    return modify_sign(v, place, about, source);
}

#define MAX_ATTRIBUTES 32 /* SPI_PS_INPUT_CNTL_#; an instruction has room for 64 */

/* Interpolation reads its attribute into the three rows that the kernel expects. False: there is no such attribute. */
static bool build_attribute(struct sq_builder *builder, const struct isa_inst *inst, const struct isa_op_info *info)
{
    for (unsigned i = 0; i < info->operand_count; i++) {
        if (info->operands[i].type != ISA_TYPE_ATTR)
            continue;
        if (inst->operands[i].value / 4 >= MAX_ATTRIBUTES)
            return false;
        amd_sq_build(builder, amd_sq_uop_attribute, inst)->imm = inst->operands[i].value;
    }
    return true;
}

static void take_operand(struct vector *v, unsigned i)
{
    const struct isa_operand *operand = &v->inst->operands[i];
    const struct isa_operand_info *about = &v->info->operands[i];
    bool is_wave = v->info->properties & ISA_PROP_WAVE;
    unsigned source = about->name == ISA_NAME_S2 ? 2 : about->name == ISA_NAME_S1 ? 1 : 0;

    switch (about->name) {
    case ISA_NAME_D:
        v->made.d =
            operand->kind == ISA_OPERAND_VGPR ? vgpr_place(v->builder, operand->value) : scalar_destination(operand);
        break;
    case ISA_NAME_SD:
        v->made.sd = scalar_destination(operand);
        break;
    case ISA_NAME_S0:
    case ISA_NAME_S1:
    case ISA_NAME_S2:
        if (about->type == ISA_TYPE_MASK || (is_wave && operand->kind != ISA_OPERAND_VGPR))
            v->made.s[source] = scalar_source(v->builder, v->inst, operand, about);
        else
            v->made.s[source] = vector_source(v, operand, about, source);
        break;
    case ISA_NAME_ATTR:
        break;
    default:
        v->made.imm = operand->kind == ISA_OPERAND_LITERAL ? v->inst->literal : operand->value;
        break;
    }
}

static sq_run_fn output_modifier(unsigned type)
{
    return type == ISA_TYPE_F16     ? amd_sq_uop_output_f16
           : type == ISA_TYPE_F64   ? amd_sq_uop_output_f64
           : type == ISA_TYPE_F16X2 ? amd_sq_uop_output_f16x2
                                    : amd_sq_uop_output_f32;
}

/* The kernel, and what has to happen to its result. */
static void build_kernel(struct vector *v)
{
    const struct isa_alu *alu = &v->inst->alu;
    const struct isa_operand_info *d = &v->info->operands[0];
    bool has_rows = v->info->dst_count && v->inst->operands[0].kind == ISA_OPERAND_VGPR;
    bool scales = has_rows && is_float(d->type) && (alu->clamp || alu->omod);
    bool is_sdwa = has_rows && v->inst->variant == ISA_VARIANT_SDWA;
    bool to_high = has_rows && is_half(d->type) && (alu->op_sel >> 3 & 1);
    sq_place real = v->made.d, result = real;

    if (scales || to_high || (is_sdwa && (alu->dst_sel != ISA_SDWA_DWORD || is_half(d->type)))) {
        result = temp_place(v->builder, d->count);
        if (d->is_read || is_half(d->type)) {
            /* The kernel looks at the old value; of a 16-bit one at the half that it replaces. */
            sq_run_fn bring = to_high ? amd_sq_uop_high_half : amd_sq_uop_and_xor;
            for (unsigned row = 0; row < d->count; row++) {
                uint32_t offset_B = row * v->builder->exec.lanes * 4;
                before(v, bring, result + offset_B, real + offset_B)->imm =
                    is_sdwa && is_half(d->type) ? 0xffff : UINT32_MAX;
            }
        }
    }

    struct sq_uop *uop = amd_sq_build(v->builder, v->made.run, v->inst);
    uop->d = result;
    uop->sd = v->made.sd;
    memcpy(uop->s, v->made.s, sizeof(uop->s));
    uop->imm = v->made.imm;

    if (scales) {
        bool is_last = !to_high && !is_sdwa;
        uop = before(v, output_modifier(d->type), is_last ? real : result, result);
        uop->imm = alu->omod;
        uop->s[1] = alu->clamp;
    }
    if (to_high) {
        before(v, amd_sq_uop_merge_high, real, result);
    } else if (is_sdwa && result != real) {
        uop = before(v, amd_sq_uop_sdwa_merge, real, result);
        uop->imm = alu->dst_sel;
        uop->s[1] = alu->dst_unused;
    }
}

static bool translate_vector(struct sq_builder *builder, const struct isa_inst *inst, const struct isa_op_info *info)
{
    struct vector v = {.builder = builder, .inst = inst, .info = info, .made.run = amd_sq_alu_kernels[inst->op]};
    if (!v.made.run)
        return false;
    if ((info->writes & ISA_STATE_EXEC) && (inst->variant == ISA_VARIANT_DPP16 || inst->variant == ISA_VARIANT_DPP8))
        return false; /* what becomes of lanes that DPP disables is not known; no compiler uses it */
    if (!build_attribute(builder, inst, info))
        return false;
    for (unsigned i = 0; i < info->operand_count; i++) {
        take_operand(&v, i);
    }
    bool is_f64 = amd_sq_alu_fp_class[inst->op] == SQ_FP_F64;
    if (is_f64)
        amd_sq_build(builder, amd_sq_uop_mode_f64, inst);
    build_kernel(&v);
    if (is_f64)
        amd_sq_build(builder, amd_sq_uop_mode_f32, inst);
    if (v.exec_kept)
        amd_sq_build(builder, amd_sq_uop_dpp_end, inst)->s[1] = v.exec_kept;
    return !builder->exec.failed;
}

bool amd_sq_translate(struct sq_builder *builder, const struct isa_inst *inst)
{
    const struct isa_op_info *info = isa_info(inst->op);
    switch (info->format) {
    case ISA_FORMAT_SOP1:
    case ISA_FORMAT_SOP2:
    case ISA_FORMAT_SOPK:
    case ISA_FORMAT_SOPC:
        return amd_sq_translate_control(builder, inst) || translate_scalar(builder, inst, info);
    case ISA_FORMAT_SOPP:
        return amd_sq_translate_control(builder, inst);
    case ISA_FORMAT_VOP1:
    case ISA_FORMAT_VOP2:
    case ISA_FORMAT_VOPC:
    case ISA_FORMAT_VOP3:
    case ISA_FORMAT_VOP3P:
    case ISA_FORMAT_VINTRP:
        return translate_vector(builder, inst, info);
    case ISA_FORMAT_EXP:
        return amd_sq_translate_export(builder, inst);
    default:
        return amd_sq_translate_memory(builder, inst, info);
    }
}
