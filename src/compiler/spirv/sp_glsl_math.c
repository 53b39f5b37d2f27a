/* The transcendental functions of GLSL.std.450 out of exp2, log2, sin, cos, division and square root, to Vulkan's
 * precision
 * ("Precision and Operation of SPIR-V Instructions"). Half floats are computed at 32 bits: there, no step loses what
 * the result has. */
#include "compiler/spirv/sp.h"

static const double pi = 3.14159265358979323846;

/* Runs a function of 32-bit floats on halves. */
typedef struct ir_value *(*function_1)(struct sp *s, struct ir_value *x);

static struct ir_value *at_32(struct sp *s, function_1 f, struct ir_value *x)
{
    if (x->bits != 16)
        return f(s, x);
    return ir_f2f(&s->b, 16, f(s, ir_f2f(&s->b, 32, x, IR_ROUNDING_any)), IR_ROUNDING_even);
}

static struct ir_value *f32(struct sp *s, double value)
{
    return sp_imm_f(s, 32, value);
}

static struct ir_value *copy_sign(struct sp *s, struct ir_value *magnitude, struct ir_value *sign)
{
    struct ir_value *bit = ir_iand(&s->b, sign, sp_imm(s, 32, 0x80000000u));
    return ir_ior(&s->b, magnitude, bit);
}

/* Are infinities and NaN numbers like others? Then what formulas make of them is put right. */
static bool keeps_specials(const struct sp *s)
{
    return s->b.flags & IR_FLAG_NAN_INF;
}

/* `value`, a formula of `x`; NaN where that is one. */
static struct ir_value *or_nan_of(struct sp *s, struct ir_value *x, struct ir_value *value)
{
    return keeps_specials(s) ? ir_select(&s->b, ir_ford(&s->b, x, x), value, x) : value;
}

/* `value`, a formula of an `x` in [-1, 1]; NaN of others. */
static struct ir_value *in_unit_range(struct sp *s, struct ir_value *x, struct ir_value *value)
{
    if (!keeps_specials(s))
        return value;
    return ir_select(&s->b, ir_fge(&s->b, f32(s, 1), ir_fabs(&s->b, x)), value, sp_imm(s, 32, 0x7fc00000));
}

/* ((c[n] x + c[n-1]) x + …) + c[0] */
static struct ir_value *polynomial(struct sp *s, struct ir_value *x, const double *c, uint32_t count)
{
    struct ir_value *sum = f32(s, c[count - 1]);
    for (uint32_t i = count - 1; i-- > 0;)
        sum = ir_ffma(&s->b, sum, x, f32(s, c[i]));
    return sum;
}

struct ir_value *sp_math_exp(struct sp *s, struct ir_value *x)
{
    return ir_fexp2(&s->b, ir_fmul(&s->b, x, sp_imm_f(s, x->bits, 1.44269504088896340736)));
}

struct ir_value *sp_math_log(struct sp *s, struct ir_value *x)
{
    return ir_fmul(&s->b, ir_flog2(&s->b, x), sp_imm_f(s, x->bits, 0.69314718055994530942));
}

#define MAX_PRODUCTS 5 /* that take no longer than a logarithm and a power of two */

/* x to a small whole number by squares, NULL where it is none. */
static struct ir_value *whole_power(struct sp *s, struct ir_value *x, const struct ir_value *y)
{
    const double number = ir_is_const(y) ? ir_const_f64(y) : 0;
    const unsigned n = number >= 1 && number <= 64 ? (unsigned)number : 0;
    if (!n || n != number || (s->b.flags & IR_FLAG_EXACT) ||
        log2_floor(n) + (unsigned)__builtin_popcount(n) - 1 > MAX_PRODUCTS)
        return NULL;
    struct ir_value *power = NULL;
    for (unsigned left = n; left; left >>= 1) {
        if (left & 1)
            power = power ? ir_fmul(&s->b, power, x) : x;
        if (left > 1)
            x = ir_fmul(&s->b, x, x);
    }
    return power;
}

struct ir_value *sp_math_pow(struct sp *s, struct ir_value *x, struct ir_value *y)
{
    struct ir_value *power = whole_power(s, x, y);
    if (power)
        return power;
    return ir_fexp2(&s->b, ir_fmul(&s->b, y, ir_flog2(&s->b, x)));
}

struct ir_value *sp_math_tan(struct sp *s, struct ir_value *x)
{
    return ir_fdiv(&s->b, ir_fsin(&s->b, x), ir_fcos(&s->b, x));
}

/* atan of [0, 1]: x times a polynomial of x², minimax with a relative error of 1.6e-8. */
static struct ir_value *atan_unit(struct sp *s, struct ir_value *x)
{
    static const double c[] = {0.9999999848,   -0.3333307335, 0.1999261939,   -0.1420364446, 0.1064093399,
                               -0.07504294445, 0.04269151809, -0.01606862821, 0.002849889431};
    struct ir_value *square = ir_fmul(&s->b, x, x);
    return ir_fmul(&s->b, x, polynomial(s, square, c, ARRAY_SIZE(c)));
}

static struct ir_value *atan_32(struct sp *s, struct ir_value *x)
{
    struct ir_builder *b = &s->b;
    struct ir_value *size = ir_fabs(b, x), *one = f32(s, 1);
    struct ir_value *large = ir_flt(b, one, size);
    struct ir_value *reduced = ir_select(b, large, ir_frcp(b, size), size);
    struct ir_value *angle = atan_unit(s, reduced);
    angle = ir_select(b, large, sp_fsub(s, f32(s, pi / 2), angle), angle);
    return copy_sign(s, angle, x);
}

struct ir_value *sp_math_atan(struct sp *s, struct ir_value *x)
{
    return at_32(s, atan_32, x);
}

/* The angle of the smaller over the larger, turned to the octant. */
static struct ir_value *atan2_32(struct sp *s, struct ir_value *y, struct ir_value *x)
{
    struct ir_builder *b = &s->b;
    struct ir_value *ax = ir_fabs(b, x), *ay = ir_fabs(b, y);
    struct ir_value *large = ir_fmax(b, ax, ay), *small = ir_fmin(b, ax, ay);
    /* The reciprocal of what is near the top would be a denormal. */
    struct ir_value *scale = ir_select(b, ir_flt(b, f32(s, 0x1p100), large), f32(s, 0x1p-30), f32(s, 1));
    struct ir_value *ratio = ir_fdiv(b, ir_fmul(b, small, scale), ir_fmul(b, large, scale));
    ratio = ir_select(b, ir_feq(b, large, f32(s, 0)), f32(s, 0), ratio);
    ratio = ir_select(b, ir_feq(b, small, f32(s, __builtin_inf())), f32(s, 1), ratio);
    struct ir_value *angle = atan_unit(s, ratio);
    angle = ir_select(b, ir_flt(b, ax, ay), sp_fsub(s, f32(s, pi / 2), angle), angle);
    angle = ir_select(b, ir_ilt(b, x, sp_imm(s, 32, 0)), sp_fsub(s, f32(s, pi), angle), angle);
    return or_nan_of(s, x, or_nan_of(s, y, copy_sign(s, angle, y)));
}

struct ir_value *sp_math_atan2(struct sp *s, struct ir_value *y, struct ir_value *x)
{
    if (y->bits != 16)
        return atan2_32(s, y, x);
    y = ir_f2f(&s->b, 32, y, IR_ROUNDING_any);
    x = ir_f2f(&s->b, 32, x, IR_ROUNDING_any);
    return ir_f2f(&s->b, 16, atan2_32(s, y, x), IR_ROUNDING_even);
}

/* sqrt(1 - x²) as a product, which keeps its digits near 1. */
static struct ir_value *other_leg(struct sp *s, struct ir_value *x)
{
    struct ir_value *one = f32(s, 1);
    return ir_fsqrt(&s->b, ir_fmul(&s->b, sp_fsub(s, one, x), ir_fadd(&s->b, one, x)));
}

static struct ir_value *asin_32(struct sp *s, struct ir_value *x)
{
    return in_unit_range(s, x, atan2_32(s, x, other_leg(s, x)));
}

static struct ir_value *acos_32(struct sp *s, struct ir_value *x)
{
    return in_unit_range(s, x, atan2_32(s, other_leg(s, x), x));
}

struct ir_value *sp_math_asin(struct sp *s, struct ir_value *x)
{
    return at_32(s, asin_32, x);
}

struct ir_value *sp_math_acos(struct sp *s, struct ir_value *x)
{
    return at_32(s, acos_32, x);
}

/* Near zero the difference of two exponentials loses its digits: there the series is taken. */
static struct ir_value *sinh_32(struct sp *s, struct ir_value *x)
{
    static const double c[] = {1, 1.0 / 6, 1.0 / 120, 1.0 / 5040};
    struct ir_builder *b = &s->b;
    struct ir_value *half = f32(s, 0.5);
    struct ir_value *up = ir_fmul(b, half, sp_math_exp(s, x)), *down = ir_fmul(b, half, sp_math_exp(s, ir_fneg(b, x)));
    struct ir_value *series = ir_fmul(b, x, polynomial(s, ir_fmul(b, x, x), c, ARRAY_SIZE(c)));
    return ir_select(b, ir_flt(b, ir_fabs(b, x), half), series, sp_fsub(s, up, down));
}

static struct ir_value *cosh_32(struct sp *s, struct ir_value *x)
{
    struct ir_builder *b = &s->b;
    struct ir_value *half = f32(s, 0.5);
    struct ir_value *up = ir_fmul(b, half, sp_math_exp(s, x)), *down = ir_fmul(b, half, sp_math_exp(s, ir_fneg(b, x)));
    return ir_fadd(b, up, down);
}

static struct ir_value *tanh_32(struct sp *s, struct ir_value *x)
{
    static const double c[] = {1, -1.0 / 3, 2.0 / 15, -17.0 / 315, 62.0 / 2835};
    struct ir_builder *b = &s->b;
    /* Beyond 10 the result is 1 at 32 bits, and the exponential stays finite. */
    struct ir_value *size = ir_fmin(b, ir_fabs(b, x), f32(s, 10)), *one = f32(s, 1);
    struct ir_value *e = sp_math_exp(s, ir_fmul(b, size, f32(s, 2)));
    struct ir_value *quotient = ir_fdiv(b, sp_fsub(s, e, one), ir_fadd(b, e, one));
    struct ir_value *series = ir_fmul(b, size, polynomial(s, ir_fmul(b, size, size), c, ARRAY_SIZE(c)));
    if (keeps_specials(s)) /* of an infinity it is 1, and not a quotient next to that */
        quotient = ir_select(b, ir_fge(b, size, f32(s, 10)), one, quotient);
    return or_nan_of(s, x, copy_sign(s, ir_select(b, ir_flt(b, size, f32(s, 0.25)), series, quotient), x));
}

static struct ir_value *asinh_32(struct sp *s, struct ir_value *x)
{
    struct ir_builder *b = &s->b;
    struct ir_value *size = ir_fabs(b, x), *one = f32(s, 1);
    struct ir_value *root = ir_fsqrt(b, ir_ffma(b, size, size, one));
    static const double c[] = {1, -1.0 / 6, 3.0 / 40, -15.0 / 336, 105.0 / 3456};
    struct ir_value *series = ir_fmul(b, size, polynomial(s, ir_fmul(b, size, size), c, ARRAY_SIZE(c)));
    struct ir_value *value = sp_math_log(s, ir_fadd(b, size, root));
    return copy_sign(s, ir_select(b, ir_flt(b, size, f32(s, 0.25)), series, value), x);
}

static struct ir_value *acosh_32(struct sp *s, struct ir_value *x)
{
    struct ir_builder *b = &s->b;
    struct ir_value *one = f32(s, 1);
    struct ir_value *square = ir_fmul(b, sp_fsub(s, x, one), ir_fadd(b, x, one));
    return sp_math_log(s, ir_fadd(b, x, ir_fsqrt(b, square)));
}

static struct ir_value *atanh_32(struct sp *s, struct ir_value *x)
{
    static const double c[] = {1, 1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9};
    struct ir_builder *b = &s->b;
    struct ir_value *one = f32(s, 1);
    struct ir_value *ratio = ir_fdiv(b, ir_fadd(b, one, x), sp_fsub(s, one, x));
    struct ir_value *value = ir_fmul(b, f32(s, 0.5), sp_math_log(s, ratio));
    struct ir_value *series = ir_fmul(b, x, polynomial(s, ir_fmul(b, x, x), c, ARRAY_SIZE(c)));
    return ir_select(b, ir_flt(b, ir_fabs(b, x), f32(s, 0.25)), series, value);
}

struct ir_value *sp_math_sinh(struct sp *s, struct ir_value *x)
{
    return at_32(s, sinh_32, x);
}
struct ir_value *sp_math_cosh(struct sp *s, struct ir_value *x)
{
    return at_32(s, cosh_32, x);
}
struct ir_value *sp_math_tanh(struct sp *s, struct ir_value *x)
{
    return at_32(s, tanh_32, x);
}
struct ir_value *sp_math_asinh(struct sp *s, struct ir_value *x)
{
    return at_32(s, asinh_32, x);
}
struct ir_value *sp_math_acosh(struct sp *s, struct ir_value *x)
{
    return at_32(s, acosh_32, x);
}
struct ir_value *sp_math_atanh(struct sp *s, struct ir_value *x)
{
    return at_32(s, atanh_32, x);
}
