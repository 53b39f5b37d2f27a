/* Parts of logarithms and powers as lane operations: the steps of lane_float.h and lane_valhall.h, bit by bit. */
#include "mali/isa/lane_valhall.h"
#include "mali/model/sc/jit.h"
#include "mali/model/sc/jit_build.h"

static jit_value number(struct lane_program *p, float value)
{
    return lane_program_const(p, lane_bits_f32(value));
}

static jit_value magnitude_of(struct lane_program *p, jit_value x)
{
    return lane_program_and(p, x, lane_program_const(p, 0x7fffffff));
}

static jit_value is_below(struct lane_program *p, jit_value magnitude, uint32_t limit)
{
    return lane_program_lt_u(p, magnitude, lane_program_const(p, limit));
}

/* Neither zero nor infinite nor a NaN; where denormals are flushed, none of them either. */
static jit_value has_exponent(struct lane_program *p, jit_value x)
{
    const uint32_t first = p->mode.keep_in_f32 ? 1 : 0x00800000;
    return is_below(p, lane_program_sub(p, magnitude_of(p, x), lane_program_const(p, first)), 0x7f800000 - first);
}

/* Whether a clamp has made it a number that is neither negative nor large, +0 included: most of what powers are taken
 * of. */
#define SMALL_ENOUGH 0x72000000u /* 2^101 */
static bool is_bounded(const struct lane_program *p, jit_value x)
{
    const struct jit_inst *min = &p->insts[x];
    uint32_t low, high;
    if (min->op != JIT_FMIN_NUMBER || p->insts[min->a].op != JIT_FMAX_NUMBER)
        return false;
    return lane_program_is_const(p, min->b, &high) && high < SMALL_ENOUGH &&
           lane_program_is_const(p, p->insts[min->a].b, &low) && low < SMALL_ENOUGH;
}

/* Of what is bounded. */
static jit_value is_zero(struct lane_program *p, jit_value x)
{
    return is_below(p, x, p->mode.keep_in_f32 ? 1 : 0x00800000);
}

/* A NaN is one that arithmetic may have made. */
static jit_value quiet_of(struct lane_program *p, jit_value x)
{
    if (lane_program_is_calm(p, x))
        return x;
    const jit_value is_nan = lane_program_lt_u(p, lane_program_const(p, 0x7f800000), magnitude_of(p, x));
    return lane_program_or(p, x, lane_program_and(p, is_nan, lane_program_const(p, 0x400000)));
}

/* Denormals times 2^25, and what the exponent has too much then; JIT_NONE: nothing, for there are none. What is bounded
 * is small enough for that as a whole. */
static jit_value normal_of(struct lane_program *p, jit_value x, jit_value *excess_out)
{
    *excess_out = JIT_NONE;
    if (!p->mode.keep_in_f32)
        return x;
    const jit_value scaled = lane_program_fmul(p, x, number(p, 0x1p25f));
    *excess_out = lane_program_const(p, 25);
    if (is_bounded(p, x))
        return scaled;
    const jit_value is_small = is_below(p, magnitude_of(p, x), 0x00800000);
    *excess_out = lane_program_and(p, is_small, *excess_out);
    return lane_program_select(p, is_small, scaled, x);
}

/* Bits that begin with an exponent, as a number without its bias, and without the excess. */
static jit_value exponent_of(struct lane_program *p, jit_value bits, uint32_t bias, jit_value excess)
{
    const jit_value exponent = lane_program_shift_by(p, JIT_SHR, bits, 23);
    uint32_t known = 0;
    if (excess == JIT_NONE || lane_program_is_const(p, excess, &known))
        return lane_program_sub(p, exponent, lane_program_const(p, bias + known));
    return lane_program_sub(p, lane_program_sub(p, exponent, lane_program_const(p, bias)), excess);
}

jit_value mali_sc_jit_frexp_mant(struct sc_jit_builder *b, jit_value x)
{
    struct lane_program *p = &b->exec.program;
    jit_value excess;
    const jit_value normal = normal_of(p, x, &excess), fraction = lane_program_const(p, 0x807fffff);
    const jit_value mantissa =
        lane_program_or(p, lane_program_and(p, normal, fraction), lane_program_const(p, 0x3f000000));
    const jit_value own = lane_program_flush_f32(p, quiet_of(p, x)); /* zeros and infinities as they are */
    return lane_program_select(p, has_exponent(p, x), mantissa, own);
}

jit_value mali_sc_jit_frexp_exp(struct sc_jit_builder *b, jit_value x)
{
    struct lane_program *p = &b->exec.program;
    jit_value excess;
    const jit_value normal = normal_of(p, x, &excess);
    return lane_program_and(p, exponent_of(p, magnitude_of(p, normal), 126, excess), has_exponent(p, x));
}

/* Bits of a magnitude and half of its fraction more: where that reaches 1.5, the exponent is the next one. */
static jit_value near_exponent(struct lane_program *p, jit_value magnitude)
{
    return lane_program_add(p, magnitude, lane_program_const(p, 0x400000));
}

/* A number's fraction in [0.75, 1.5), with its sign; zeros, infinities and NaNs as they are. */
static jit_value near_fraction(struct lane_program *p, jit_value x)
{
    jit_value excess;
    const bool bounded = is_bounded(p, x);
    const jit_value normal = normal_of(p, x, &excess), magnitude = bounded ? normal : magnitude_of(p, normal);
    const jit_value exponent = lane_program_and(p, near_exponent(p, magnitude), lane_program_const(p, 0x7f800000));
    const jit_value fraction = lane_program_add(p, lane_program_sub(p, normal, exponent), number(p, 1));
    if (bounded)
        return lane_program_select(p, is_zero(p, x), lane_program_const(p, 0), fraction);
    return lane_program_select(p, has_exponent(p, x), fraction, lane_program_flush_f32(p, quiet_of(p, x)));
}

/* Of a fraction without 1, the steps of mali_lane_slope_of. */
static jit_value slope_of(struct lane_program *p, jit_value t)
{
    const jit_value z = lane_program_fmul(p, t, t), w = lane_program_fmul(p, z, z);
    jit_value pairs[5];
    for (unsigned i = 0; i < 4; i++)
        pairs[i] =
            lane_program_fma_f32(p, number(p, mali_lane_slope[2 * i + 2]), t, number(p, mali_lane_slope[2 * i + 1]));
    pairs[4] = number(p, mali_lane_slope[9]);
    const jit_value upper = lane_program_fma_f32(p, lane_program_fma_f32(p, pairs[4], z, pairs[3]), z, pairs[2]),
                    rest = lane_program_fma_f32(p, upper, w, lane_program_fma_f32(p, pairs[1], z, pairs[0]));
    return lane_program_fadd(p, lane_program_fma_f32(p, rest, t, number(p, MALI_LANE_SLOPE_LOW)),
                             number(p, mali_lane_slope[0]));
}

/* Logarithms have FADD_LSCALE of -1 and the same number beside this: what is subtracted here is that sum, and is made
 * once. */
jit_value mali_sc_jit_log_slope(struct sc_jit_builder *b, jit_value x)
{
    struct lane_program *p = &b->exec.program;
    const jit_value slope = slope_of(p, lane_program_fadd(p, number(p, -1), near_fraction(p, x)));
    /* Zeros and +infinity give infinity, other negative numbers a NaN, a NaN itself. */
    const jit_value infinite = lane_program_const(p, 0x7f800000);
    if (is_bounded(p, x))
        return lane_program_select(p, is_below(p, x, 0x00800000), infinite, slope);
    const jit_value magnitude = magnitude_of(p, x), is_nan = lane_program_lt_u(p, infinite, magnitude),
                    is_small = is_below(p, magnitude, 0x00800000);
    const jit_value is_number = is_below(p, lane_program_sub(p, x, lane_program_const(p, 0x00800000)), 0x7f000000);
    const jit_value quiet = lane_program_is_calm(p, x) ? x : lane_program_or(p, x, lane_program_const(p, 0x400000));
    jit_value other = lane_program_select(p, is_nan, quiet, lane_program_const(p, 0x7fc00000));
    other = lane_program_select(p, lane_program_eq(p, x, infinite), infinite, other);
    other = lane_program_select(p, is_small, infinite, other);
    return lane_program_select(p, is_number, slope, other);
}

/* The part of an exponent that a factor of at most 2^127 takes. Below the normal numbers, so much that a product
 * which is not zero at the end is exact here. */
static jit_value part_of(struct lane_program *p, jit_value exponent)
{
    return lane_program_select(p, lane_program_lt_i(p, exponent, lane_program_const(p, (uint32_t)-126)),
                               lane_program_const(p, (uint32_t)-100),
                               lane_program_min_i(p, exponent, lane_program_const(p, 127)));
}

static jit_value power_of(struct lane_program *p, jit_value exponent)
{
    return lane_program_shift_by(p, JIT_SHL, lane_program_add(p, exponent, lane_program_const(p, 127)), 23);
}

bool mali_sc_jit_power(int32_t exponent, uint32_t *power_out)
{
    *power_out = (uint32_t)(exponent + 127) << 23;
    return exponent >= -126 && exponent <= 127;
}

/* By a uniform: its power is a scalar, and code is not for one that has none. JIT_NONE: it is none, or there are too
 * many. */
static jit_value scale_by_uniform(struct sc_jit_builder *b, jit_value x, jit_value exponent)
{
    struct lane_program *p = &b->exec.program;
    struct sc_jit_inputs *inputs = &b->inputs;
    uint32_t row, number = 0;
    if (!mali_sc_jit_is_uniform(b, exponent, &row))
        return JIT_NONE;
    while (number < inputs->power_count && inputs->powers[number] != row)
        number++;
    if (number == MALI_WARP_POWERS)
        return JIT_NONE;
    inputs->powers[number] = (uint16_t)row;
    inputs->power_count += number == inputs->power_count;
    const uint32_t at = number * 4 + (uint32_t)offsetof(struct mali_warp, powers);
    return lane_program_fmul(p, x, lane_program_emit(p, JIT_SPLAT, JIT_NONE, JIT_NONE, JIT_NONE, at));
}

jit_value mali_sc_jit_ldexp(struct sc_jit_builder *b, jit_value x, jit_value exponent)
{
    struct lane_program *p = &b->exec.program;
    uint32_t known;
    const jit_value scaled = scale_by_uniform(b, x, exponent);
    if (scaled != JIT_NONE)
        return scaled;
    if (lane_program_is_const(p, exponent, &known) && (int32_t)known >= -126 && (int32_t)known <= 127)
        return lane_program_fmul(p, x, lane_program_const(p, (known + 127) << 23));
    exponent = lane_program_max_i(p, lane_program_min_i(p, exponent, lane_program_const(p, 300)),
                                  lane_program_const(p, (uint32_t)-300));
    for (unsigned i = 0; i < 2; i++) {
        const jit_value part = part_of(p, exponent);
        x = lane_program_fmul(p, x, power_of(p, part));
        exponent = lane_program_sub(p, exponent, part);
    }
    return lane_program_fmul(p, x, power_of(p, exponent));
}

/* ---- instructions ---- */

void mali_sc_alu_frexpe_f32_log(struct mali_warp *warp, const struct sc_uop *uop);
void mali_sc_alu_fadd_lscale_f32(struct mali_warp *warp, const struct sc_uop *uop);
void mali_sc_alu_fexp_f32(struct mali_warp *warp, const struct sc_uop *uop);
void mali_sc_alu_fsin_table_u6(struct mali_warp *warp, const struct sc_uop *uop);
void mali_sc_alu_fcos_table_u6(struct mali_warp *warp, const struct sc_uop *uop);

/* Of numbers the exponent for a fraction in [0.75, 1.5). Of zero -1, of the others 0. */
static void lower_log_exponent(struct sc_jit_builder *b)
{
    struct lane_program *p = &b->exec.program;
    const jit_value x = mali_sc_jit_read_row(b, b->uop->s[0]);
    const bool bounded = is_bounded(p, x);
    jit_value excess;
    const jit_value normal = normal_of(p, x, &excess),
                    exponent =
                        exponent_of(p, near_exponent(p, bounded ? normal : magnitude_of(p, normal)), 127, excess);
    const jit_value minus_one = is_zero(p, bounded ? x : magnitude_of(p, x));
    mali_sc_jit_write_row(b, b->uop->d,
                          bounded ? lane_program_or(p, exponent, minus_one)
                                  : lane_program_select(p, has_exponent(p, x), exponent, minus_one));
}

/* A sum with a number's fraction in [0.75, 1.5), that of s[1]. */
static void lower_add_fraction(struct sc_jit_builder *b)
{
    struct lane_program *p = &b->exec.program;
    const jit_value fraction = near_fraction(p, mali_sc_jit_read_row(b, b->uop->s[1]));
    mali_sc_jit_write_row(b, b->uop->d, lane_program_fadd(p, mali_sc_jit_read_row(b, b->uop->s[0]), fraction));
}

/* The second operand, if the first one is that as an integer; JIT_NONE: it is not. */
static jit_value whole_of(const struct lane_program *p, jit_value integer, jit_value x)
{
    const struct jit_inst *of = &p->insts[integer];
    const bool is_whole = of->op == JIT_I32_OF_F32 && p->insts[of->a].op == JIT_NEAREST && p->insts[of->a].a == x;
    return is_whole ? of->a : JIT_NONE;
}

/* Of a number of 2^-24, and of what it was made of, which says where it is too large for that. Where both are one
 * number all that is below the integers is below what the power has, and is 0 anyway. */
static void lower_exp(struct sc_jit_builder *b)
{
    struct lane_program *p = &b->exec.program;
    const jit_value integer = mali_sc_jit_read_row(b, b->uop->s[0]), x = mali_sc_jit_read_row(b, b->uop->s[1]);
    const jit_value whole = whole_of(p, integer, x);
    const jit_value from = whole != JIT_NONE ? whole : lane_program_unary(p, JIT_F32_OF_I32, integer);
    jit_value power = lane_program_exp2_to_128_f32(p, lane_program_fmul(p, from, number(p, 0x1p-24f)));
    if (whole == JIT_NONE)
        power = lane_program_select(p, lane_program_fle(p, x, number(p, -0x1p31f)), lane_program_const(p, 0), power);
    const jit_value infinite = lane_program_const(p, 0x7f800000);
    if (lane_program_is_calm(p, x)) { /* what is no smaller is infinite or a NaN, and so is its product */
        const jit_value is_less = lane_program_flt(p, x, number(p, 0x1p31f));
        power = lane_program_select(p, is_less, power, lane_program_fmul(p, x, infinite));
    } else {
        power = lane_program_select(p, lane_program_fle(p, number(p, 0x1p31f), x), infinite, power);
        power = lane_program_select(p, lane_program_feq(p, x, x), power, x);
    }
    mali_sc_jit_write_row(b, b->uop->d, power);
}

void mali_sc_jit_turns(float turns_out[64][2], const struct lane_mode *mode)
{
    for (unsigned i = 0; i < 64; i++) {
        turns_out[i][0] = lane_sin_turns_f32(mode, (float)i * 0.015625f);
        turns_out[i][1] = lane_cos_turns_f32(mode, (float)i * 0.015625f);
    }
}

/* Where lanes load pairs at once, a table of both is shorter than the steps to one of them. Other programs compare what
 * they load from with what they store to. */
static void lower_turns(struct sc_jit_builder *b)
{
    struct lane_program *p = &b->exec.program;
    const bool is_cosine = b->uop->run == mali_sc_alu_fcos_table_u6;
    const jit_value part = lane_program_and(p, mali_sc_jit_read_row(b, b->uop->s[0]), lane_program_const(p, 63));
    jit_value value;
    if (JIT_HAS_LANE_LOADS && b->has_words) {
        const uint32_t from = (uint32_t)offsetof(struct mali_warp, turns) | (is_cosine ? 4u << 16 : 0);
        value = lane_program_emit(p, JIT_LOAD, lane_program_shift_by(p, JIT_SHL, part, 3), JIT_NONE, JIT_NONE, from);
    } else {
        const jit_value turns = lane_program_fmul(p, lane_program_unary(p, JIT_F32_OF_U32, part), number(p, 0.015625f));
        value = is_cosine ? lane_program_cos_turns_f32(p, turns) : lane_program_sin_turns_f32(p, turns);
    }
    mali_sc_jit_write_row(b, b->uop->d, value);
}

const struct sc_jit_row *mali_sc_jit_shorter(sc_run_fn run)
{
    static const struct sc_jit_row rows[] = {
        {mali_sc_alu_frexpe_f32_log, lower_log_exponent, false},
        {mali_sc_alu_fadd_lscale_f32, lower_add_fraction, false},
        {mali_sc_alu_fexp_f32, lower_exp, false},
        {mali_sc_alu_fsin_table_u6, lower_turns, false},
        {mali_sc_alu_fcos_table_u6, lower_turns, false},
    };
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].kernel == run)
            return &rows[i];
    }
    return NULL;
}
