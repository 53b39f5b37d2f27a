/* The folder's entry, float rounding and the helpers of ops.table that are no one-liners. */
#include "compiler/ir/ir_fold.h"

#include <fenv.h>
#include <string.h>

#include "compiler/ir/ir_fold_helpers.h"
#include "util/bits.h"

static const struct {
    unsigned mantissa; /* bits of it */
    uint64_t infinity;
} forms[3] = {{10, 0x7c00}, {23, 0x7f800000}, {52, 0x7ff0000000000000}};

static bool is_denormal(uint64_t bits, unsigned slot)
{
    uint64_t fraction = (1ull << forms[slot].mantissa) - 1;
    return (bits & forms[slot].infinity) == 0 && (bits & fraction);
}

static uint64_t sign_of(uint64_t bits, unsigned slot)
{
    return bits & (forms[slot].infinity + (1ull << forms[slot].mantissa));
}

static uint64_t flushed(uint64_t bits, unsigned slot, bool flush)
{
    return flush && is_denormal(bits, slot) ? sign_of(bits, slot) : bits;
}

/* Cut to a float with the last bit set where anything was lost: rounding that again to fewer bits is one rounding. */
static float to_odd_float(double value)
{
    float cut = (float)value;
    if ((double)cut == value || isnan(value))
        return cut;
    uint32_t bits = float_bits(cut);
    if (fabs((double)cut) > fabs(value))
        bits--; /* toward zero; from infinity to the largest number, too */
    return bits_float(bits | 1);
}

uint64_t fold_to_float(double value, unsigned bits, bool to_zero)
{
    if (isnan(value))
        return forms[fold_slot(bits)].infinity | 1ull << (forms[fold_slot(bits)].mantissa - 1);
    if (bits == 64)
        return double_bits(value);
    float odd = to_odd_float(value);
    if (bits == 16)
        return to_zero ? float_to_half_rtz(odd) : float_to_half_rtne(odd);
    if (!to_zero)
        return float_bits((float)value);
    float cut = (float)value;
    return fabs((double)cut) > fabs(value) && !isinf(value) ? float_bits(cut) - 1 : float_bits(cut);
}

uint64_t fold_int_to_float(uint64_t magnitude, bool negative, unsigned bits, bool to_zero)
{
    unsigned precision = forms[fold_slot(bits)].mantissa + 1;
    unsigned length = magnitude ? 64 - (unsigned)__builtin_clzll(magnitude) : 0;
    /* Keep three bits more than the precision, the last of which says whether anything below was set: then the double
     * is exact and one rounding is left. A double's own result keeps what it has room for. */
    if (bits != 64 && length > precision + 3) {
        unsigned drop = length - precision - 3;
        bool lost = magnitude & bits_mask(drop);
        magnitude = (magnitude >> drop << drop) | (lost ? 1ull << drop : 0);
    } else if (bits == 64 && to_zero && length > precision) {
        magnitude &= ~bits_mask(length - precision);
    }
    double value = (double)magnitude;
    return fold_to_float(negative ? -value : value, bits, to_zero);
}

uint64_t ir_float_to_bits(double value, uint8_t bits)
{
    return fold_to_float(value, bits, false);
}

double ir_bits_to_float(uint64_t value, uint8_t bits)
{
    return bits == 16 ? half_to_float((uint16_t)value) : bits == 32 ? bits_float((uint32_t)value) : bits_double(value);
}

float fold_get_f16(const struct fold_args *args, uint64_t bits)
{
    return half_to_float((uint16_t)flushed(bits, 0, args->flush[0]));
}

float fold_get_f32(const struct fold_args *args, uint64_t bits)
{
    return bits_float((uint32_t)flushed(bits, 1, args->flush[1]));
}

double fold_get_f64(const struct fold_args *args, uint64_t bits)
{
    return bits_double(flushed(bits, 2, args->flush[2]));
}

uint64_t fold_put_f16(const struct fold_args *args, float value)
{
    if (isnan(value))
        return 0x7e00;
    return flushed(args->round_zero[0] ? float_to_half_rtz(value) : float_to_half_rtne(value), 0, args->flush[0]);
}

uint64_t fold_put_f32(const struct fold_args *args, float value)
{
    return isnan(value) ? 0x7fc00000 : flushed(float_bits(value), 1, args->flush[1]);
}

uint64_t fold_put_f64(const struct fold_args *args, double value)
{
    return isnan(value) ? 0x7ff8000000000000 : flushed(double_bits(value), 2, args->flush[2]);
}

uint64_t fold_flush_result(const struct fold_args *args, uint64_t value, unsigned bits)
{
    return flushed(value, fold_slot(bits), args->flush[fold_slot(bits)]);
}

/* --- float helpers --- */

double fold_fract_below(double value, double floor, unsigned bits)
{
    static const double below_one[3] = {0x1.ffcp-1, 0x1.fffffep-1, 0x1.fffffffffffffp-1};
    double rest = value - floor;
    return rest > below_one[fold_slot(bits)] ? below_one[fold_slot(bits)] : rest;
}

float fold_frexp_mant_f(float value)
{
    int exponent;
    return isfinite(value) ? frexpf(value, &exponent) : value;
}

double fold_frexp_mant_d(double value)
{
    int exponent;
    return isfinite(value) ? frexp(value, &exponent) : value;
}

int32_t fold_frexp_exp(double value)
{
    int exponent = 0;
    if (isfinite(value))
        frexp(value, &exponent);
    return exponent;
}

double fold_fmod(double a, double b)
{
    double rest = fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

double fold_fma(double a, double b, double c, unsigned bits)
{
    if (bits == 32)
        return fmaf((float)a, (float)b, (float)c);
    if (bits == 64)
        return fma(a, b, c);
    /* Products of halves and the sums of those with a half that can round differently fit a double: only the way to
     * float rounds. */
    return to_odd_float(a * b + c);
}

bool fold_fclass(uint64_t value, unsigned bits, uint32_t mask)
{
    unsigned slot = fold_slot(bits);
    uint64_t magnitude = value & (sign_of(UINT64_MAX, slot) - 1), infinity = forms[slot].infinity;
    bool negative = sign_of(value, slot);
    unsigned bit;
    if (magnitude > infinity)
        bit = magnitude >> (forms[slot].mantissa - 1) & 1;
    else if (magnitude == infinity)
        bit = negative ? 2 : 9;
    else if (magnitude == 0)
        bit = negative ? 5 : 6;
    else if (is_denormal(magnitude, slot))
        bit = negative ? 4 : 7;
    else
        bit = negative ? 3 : 8;
    return mask >> bit & 1;
}

float fold_quantize_f16(float value)
{
    return half_to_float((uint16_t)flushed(float_to_half_rtne(value), 0, true));
}

uint32_t fold_pkrtz(float a, float b)
{
    return (uint32_t)float_to_half_rtz(b) << 16 | float_to_half_rtz(a);
}

int64_t fold_f2i(double value, unsigned bits)
{
    double limit = ldexp(1, (int)bits - 1);
    if (isnan(value))
        return 0;
    return value >= limit   ? (int64_t)bits_mask(bits - 1)
           : value < -limit ? -(int64_t)bits_mask(bits - 1) - 1
                            : (int64_t)value;
}

uint64_t fold_f2u(double value, unsigned bits)
{
    return !(value > 0) ? 0 : value >= ldexp(1, (int)bits) ? bits_mask(bits) : (uint64_t)value;
}

/* --- dot products --- */

static int64_t field(uint32_t word, unsigned index, unsigned width, bool is_signed)
{
    uint64_t bits = bits_get(word, index * width, width);
    return is_signed ? bits_sign_extend(bits, width) : (int64_t)bits;
}

/* The sum is of the accumulator's sign: signed where either operand is. */
static uint32_t dot(uint32_t a, uint32_t b, uint32_t c, uint32_t signs, bool saturate, unsigned width)
{
    int64_t sum = signs ? (int32_t)c : (int64_t)c;
    for (unsigned i = 0; i < 32 / width; i++)
        sum += field(a, i, width, signs & 1) * field(b, i, width, signs & 2);
    if (!saturate)
        return (uint32_t)sum;
    return (uint32_t)(signs ? (uint64_t)fold_clamp_i(sum, 32) : fold_clamp_u(sum, 32));
}

uint32_t fold_dot4(uint32_t a, uint32_t b, uint32_t c, uint32_t signs, uint32_t sat)
{
    return dot(a, b, c, signs, sat, 8);
}

uint32_t fold_dot2(uint32_t a, uint32_t b, uint32_t c, uint32_t signs, uint32_t sat)
{
    return dot(a, b, c, signs, sat, 16);
}

/* --- entry --- */

static bool letter_width(uint8_t widths[4], const struct ir_operand_info *info, uint8_t bits)
{
    if (info->letter == IR_LETTER_NONE)
        return true; /* a packed operation's halves are folded one by one: the row's width is for the whole */
    if (widths[info->letter] && widths[info->letter] != bits)
        return false;
    widths[info->letter] = bits;
    return true;
}

/* The mode is the host's own while the expression is evaluated; the call cannot move out of it because it writes
 * memory. */
static __attribute__((noinline)) bool fold_to_zero_mode(const struct fold_args *args, uint64_t *out)
{
    int mode = fegetround();
    fesetround(FE_TOWARDZERO);
    bool done = fold_scalar(args, out);
    fesetround(mode);
    return done;
}

bool ir_fold_op(enum ir_op op, uint8_t bits, const uint8_t *src_bits, const uint64_t *srcs, const uint32_t *imms,
                const struct ir_float_controls *floats, uint64_t *out)
{
    static const uint32_t no_imms[IR_MAX_IMMS];
    const struct ir_op_info *info = &ir_op_infos[op];
    if (!info->folds)
        return false;
    uint8_t widths[4] = {0};
    bool ok = letter_width(widths, &info->def, bits);
    for (uint32_t i = 0; i < info->num_srcs; i++)
        ok &= letter_width(widths, &info->srcs[i], src_bits[i]);
    if (!ok)
        return false;
    struct fold_args args = {
        .op = op, .n = widths[IR_LETTER_N], .m = widths[IR_LETTER_M], .srcs = srcs, .imm = imms ? imms : no_imms};
    if (floats && info->props & IR_PROP_FLOAT) {
        memcpy(args.flush, floats->denorm_flush, sizeof(args.flush));
        memcpy(args.round_zero, floats->round_zero, sizeof(args.round_zero));
    }
    uint8_t float_bits_of_result = info->def.kind == 'f' ? bits : 0;
    /* A conversion that does not say how it rounds obeys the mode. */
    int rounding = info->imm_slot[IR_IMM_ROUNDING];
    uint32_t moded[IR_MAX_IMMS];
    if (float_bits_of_result && rounding >= 0 && args.imm[rounding] == IR_ROUNDING_any &&
        args.round_zero[fold_slot(bits)]) {
        memcpy(moded, args.imm, sizeof(moded));
        moded[rounding] = IR_ROUNDING_zero;
        args.imm = moded;
    }
    bool zero_mode = float_bits_of_result && args.round_zero[fold_slot(bits)] && info->imm_slot[IR_IMM_ROUNDING] < 0;
    return zero_mode ? fold_to_zero_mode(&args, out) : fold_scalar(&args, out);
}

bool ir_fold(const struct ir_shader *shader, const struct ir_instr *instr, uint64_t *out)
{
    uint64_t srcs[IR_MAX_FIXED_SRCS];
    uint8_t src_bits[IR_MAX_FIXED_SRCS];
    if (!ir_info(instr)->folds || instr->def.comps != 1 || instr->num_srcs > IR_MAX_FIXED_SRCS)
        return false;
    for (uint32_t i = 0; i < instr->num_srcs; i++) {
        if (!ir_is_const(ir_src(instr, i)))
            return false;
        srcs[i] = ir_const_u64(ir_src(instr, i));
        src_bits[i] = ir_src(instr, i)->bits;
    }
    return ir_fold_op((enum ir_op)instr->op, instr->def.bits, src_bits, srcs, instr->imm, &shader->floats, out);
}
