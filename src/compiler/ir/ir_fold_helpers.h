/* Helpers of the expressions of ops.table. For the folder alone. */
#ifndef COMPILER_IR_IR_FOLD_HELPERS_H
#define COMPILER_IR_IR_FOLD_HELPERS_H

#include <math.h>

#include "util/bits.h"
#include "util/half.h"

#include "compiler/ir/ir.h"

struct fold_args {
    enum ir_op op;
    uint8_t n, m; /* the widths of the row's letters; 0: it has none */
    const uint64_t *srcs;
    const uint32_t *imm;
    bool flush[3], round_zero[3]; /* of 16, 32 and 64 bits, as struct ir_float_controls */
};

/* Generated: the operation's expression. False where there is none for these widths. */
bool fold_scalar(const struct fold_args *args, uint64_t *out);

/* Operands and results of float operations: denormals flushed where the shader asks for it, NaN without payload. */
float fold_get_f16(const struct fold_args *args, uint64_t bits);
float fold_get_f32(const struct fold_args *args, uint64_t bits);
double fold_get_f64(const struct fold_args *args, uint64_t bits);
uint64_t fold_put_f16(const struct fold_args *args, float value);
uint64_t fold_put_f32(const struct fold_args *args, float value);
uint64_t fold_put_f64(const struct fold_args *args, double value);

/* --- floats: float for 16 and 32 bits, double for 64 --- */

#define FOLD_BY_TYPE(a, name) _Generic((a), float : name##f, double : name)
#define fold_floor(a) FOLD_BY_TYPE(a, floor)(a)
#define fold_ceil(a) FOLD_BY_TYPE(a, ceil)(a)
#define fold_trunc(a) FOLD_BY_TYPE(a, trunc)(a)
#define fold_round_even(a) FOLD_BY_TYPE(a, roundeven)(a)
#define fold_sqrt(a) FOLD_BY_TYPE(a, sqrt)(a)
#define fold_exp2(a) FOLD_BY_TYPE(a, exp2)(a)
#define fold_log2(a) FOLD_BY_TYPE(a, log2)(a)
#define fold_sin(a) FOLD_BY_TYPE(a, sin)(a)
#define fold_cos(a) FOLD_BY_TYPE(a, cos)(a)
#define fold_ldexp(a, e) FOLD_BY_TYPE(a, ldexp)(a, e)
#define fold_frem(a, b) FOLD_BY_TYPE(a, fmod)(a, b)
/* Not by the C library: a signalling NaN is for it an invalid operation, whatever the other operand is, and which of
 * two zeros it takes is the host's choice. Here -0 is less than 0. */
#define fold_fmin(a, b) ((a) != (a) || (b) < (a) || ((a) == (b) && signbit(b)) ? (b) : (a))
#define fold_fmax(a, b) ((a) != (a) || (b) > (a) || ((a) == (b) && signbit(a)) ? (b) : (a))
#define fold_fsat(a) ((a) > 0 ? (a) < 1 ? (a) : 1 : 0)
#define fold_fsign(a) ((a) > 0 ? 1 : (a) < 0 ? -1 : (a) == 0 ? 0 : (a))
/* Below 1 even where the difference rounds to it, as the hardware's instruction gives it; NaN and infinity give NaN. */
#define fold_fract(a, bits) fold_fract_below(a, fold_floor(a), bits)
#define fold_frexp_mant(a) _Generic((a), float : fold_frexp_mant_f, double : fold_frexp_mant_d)(a)

double fold_fract_below(double value, double floor, unsigned bits);
float fold_frexp_mant_f(float value);
double fold_frexp_mant_d(double value);
int32_t fold_frexp_exp(double value); /* 0 for 0, infinity and NaN */
double fold_fmod(double a, double b); /* sign of the divisor */
/* One rounding at the width `bits`: halves are computed so that the rounding to half is the only one. */
double fold_fma(double a, double b, double c, unsigned bits);
bool fold_fclass(uint64_t value, unsigned bits, uint32_t mask);
float fold_quantize_f16(float value);
uint32_t fold_pkrtz(float a, float b);

/* --- conversions; `to_zero` is what IR_ROUNDING_* and the shader's mode came to --- */

uint64_t fold_to_float(double value, unsigned bits, bool to_zero);
uint64_t fold_int_to_float(uint64_t magnitude, bool negative, unsigned bits, bool to_zero);
#define fold_to_zero(rounding, bits)                                                                                   \
    ((rounding) == IR_ROUNDING_zero || ((rounding) == IR_ROUNDING_any && args->round_zero[fold_slot(bits)]))
#define fold_f2f(a, bits, rounding) fold_flush_result(args, fold_to_float(a, bits, fold_to_zero(rounding, bits)), bits)
#define fold_i2f(a, bits, rounding)                                                                                    \
    fold_int_to_float((a) < 0 ? 0 - (uint64_t)(a) : (uint64_t)(a), (a) < 0, bits, fold_to_zero(rounding, bits))
#define fold_u2f(a, bits, rounding) fold_int_to_float(a, false, bits, fold_to_zero(rounding, bits))
uint64_t fold_flush_result(const struct fold_args *args, uint64_t value, unsigned bits);
int64_t fold_f2i(double value, unsigned bits);
uint64_t fold_f2u(double value, unsigned bits);

static inline unsigned fold_slot(unsigned bits)
{
    return bits == 16 ? 0 : bits == 32 ? 1 : 2;
}

/* --- integers --- */

static inline int64_t fold_clamp_i(__int128 value, unsigned bits)
{
    const __int128 high = ((__int128)1 << (bits - 1)) - 1, low = -high - 1;
    return (int64_t)(value > high ? high : value < low ? low : value);
}

static inline uint64_t fold_clamp_u(__int128 value, unsigned bits)
{
    const __int128 high = ((__int128)1 << bits) - 1;
    return (uint64_t)(value > high ? high : value < 0 ? 0 : value);
}

static inline int64_t fold_imul_hi(int64_t a, int64_t b, unsigned bits)
{
    return (int64_t)((__int128)a * b >> bits);
}

static inline uint64_t fold_umul_hi(uint64_t a, uint64_t b, unsigned bits)
{
    return (uint64_t)((unsigned __int128)a * b >> bits);
}

/* By zero: all bits set, and the dividend as remainder. The smallest number by -1 wraps to itself. */
static inline int64_t fold_idiv(int64_t a, int64_t b)
{
    return b == 0 ? -1 : b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}

static inline int64_t fold_irem(int64_t a, int64_t b)
{
    return b == 0 ? a : b == -1 ? 0 : a % b;
}

static inline int64_t fold_imod(int64_t a, int64_t b)
{
    int64_t rest = fold_irem(a, b);
    return rest != 0 && b != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static inline uint64_t fold_udiv(uint64_t a, uint64_t b)
{
    return b ? a / b : UINT64_MAX;
}

static inline uint64_t fold_umod(uint64_t a, uint64_t b)
{
    return b ? a % b : a;
}

/* Offset and count are taken modulo 32, as the hardware does; what lies beyond bit 31 is not part of the field. */
/* A field may be all 32 bits wide; beyond that nothing is defined. */
static inline uint32_t fold_field_count(uint32_t count)
{
    return count == 32 ? 32 : count & 31;
}

static inline uint32_t fold_ubfe(uint32_t a, uint32_t offset, uint32_t count)
{
    return (uint32_t)(((a >> (offset & 31))) & bits_mask(fold_field_count(count)));
}

static inline int32_t fold_ibfe(int32_t a, uint32_t offset, uint32_t count)
{
    offset &= 31;
    count = fold_field_count(count);
    if (count == 0)
        return 0;
    return offset + count >= 32 ? a >> offset : (int32_t)bits_sign_extend((uint32_t)a >> offset, count);
}

static inline uint32_t fold_bfi(uint32_t base, uint32_t inserted, uint32_t offset, uint32_t count)
{
    uint32_t mask = (uint32_t)(bits_mask(fold_field_count(count)) << (offset & 31));
    return (base & ~mask) | ((inserted << (offset & 31)) & mask);
}

static inline uint64_t fold_brev(uint64_t value, unsigned bits)
{
    uint64_t out = 0;
    for (unsigned i = 0; i < bits; i++)
        out |= (value >> i & 1) << (bits - 1 - i);
    return out;
}

static inline int32_t fold_find_lsb(uint64_t value)
{
    return value ? __builtin_ctzll(value) : -1;
}

static inline int32_t fold_ufind_msb(uint64_t value)
{
    return value ? 63 - __builtin_clzll(value) : -1;
}

static inline int32_t fold_ifind_msb(int64_t value)
{
    return fold_ufind_msb((uint64_t)(value < 0 ? ~value : value));
}

uint32_t fold_dot4(uint32_t a, uint32_t b, uint32_t c, uint32_t signs, uint32_t sat);
uint32_t fold_dot2(uint32_t a, uint32_t b, uint32_t c, uint32_t signs, uint32_t sat);

#endif
