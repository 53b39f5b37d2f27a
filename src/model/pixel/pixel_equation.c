/* Blending by any factors and functions, in lane programs: pixel_blend, operation by operation. See pixel_program.h,
 * which has faster ways for sums of most formats. */
#include "model/pixel/pixel_program.h"

#include "util/half.h"

/* Colours of one pixel, by channel. */
struct operands {
    const struct pixel_blend *blend;
    bool are_finite; /* clamped, so that a factor of zero needs no choice */
    jit_value of[PIXEL_OPERANDS];
};

static jit_value constant(struct lane_program *program, float value)
{
    return lane_program_const(program, float_bits(value));
}

/* A NaN becomes the lower bound. */
static jit_value clamp_value(struct lane_program *program, const struct pixel_blend *blend, jit_value value)
{
    const jit_value low = constant(program, blend->clamp_min), high = constant(program, blend->clamp_max);
    if (blend->clamp_min == blend->clamp_max)
        return value;
    if (blend->clamp_min == 0 && blend->clamp_max == 1)
        return pixel_program_unit(program, value);
    const jit_value above = lane_program_select(program, lane_program_flt(program, low, value), value, low);
    return lane_program_select(program, lane_program_flt(program, above, high), above, high);
}

/* A factor that is no number. */
static jit_value factor(struct lane_program *program, const struct operands *o, unsigned code,
                        const struct pixel_term *term, unsigned c)
{
    const jit_value one = constant(program, 1);
    if (code == PIXEL_FACTOR_SOURCE_ALPHA_SATURATE && c == 3)
        return one;
    if (code == PIXEL_FACTOR_SOURCE_ALPHA_SATURATE)
        return lane_program_emit(program, JIT_FMIN, o->of[PIXEL_OPERAND_SOURCE + 3],
                                 lane_program_fsub(program, one, o->of[PIXEL_OPERAND_DESTINATION + 3]), JIT_NONE, 0);
    return term->scale > 0 ? o->of[term->operand] : lane_program_fsub(program, one, o->of[term->operand]);
}

/* A factor of zero removes its term, whatever the value is. */
static jit_value product(struct lane_program *program, const struct operands *o, jit_value value, unsigned code,
                         const struct pixel_term *term, unsigned c)
{
    const jit_value zero = constant(program, 0);
    if (code != PIXEL_FACTOR_SOURCE_ALPHA_SATURATE && term->scale == 0) {
        if (term->base == 0)
            return zero;
        return term->base == 1 ? value : lane_program_fmul(program, value, constant(program, term->base));
    }
    const jit_value by = factor(program, o, code, term, c), all = lane_program_fmul(program, value, by);
    return o->are_finite ? all : lane_program_select(program, lane_program_feq(program, by, zero), zero, all);
}

/* The lesser or the greater of both. A program that flushes denormal numbers does so in arithmetic alone, and they are
 * what is chosen here. */
static jit_value extreme(struct lane_program *program, const struct operands *o, bool is_max, jit_value a, jit_value b)
{
    const bool keeps = program->mode.keep_in_f32 == UINT32_MAX && program->mode.keep_out_f32 == UINT32_MAX;
    if (o->are_finite || keeps)
        return lane_program_emit(program, is_max ? JIT_FMAX : JIT_FMIN, a, b, JIT_NONE, 0);
    const jit_value before = is_max ? lane_program_flt(program, b, a) : lane_program_flt(program, a, b),
                    is_nan = lane_program_not(program, lane_program_feq(program, b, b)),
                    number = lane_program_select(program, lane_program_or(program, before, is_nan), a, b),
                    both = is_max ? lane_program_and(program, a, b) : lane_program_or(program, a, b); /* zeros */
    return lane_program_select(program, lane_program_feq(program, a, b), both, number);
}

static jit_value combine_terms(struct lane_program *program, const struct operands *o, unsigned c)
{
    const struct pixel_equation *equation = c == 3 ? &o->blend->alpha : &o->blend->color;
    const jit_value source = o->of[PIXEL_OPERAND_SOURCE + c], stored = o->of[PIXEL_OPERAND_DESTINATION + c];
    if (equation->function == PIXEL_SOURCE)
        return source;
    if (equation->function == PIXEL_MIN || equation->function == PIXEL_MAX)
        return extreme(program, o, equation->function == PIXEL_MAX, source, stored);
    const jit_value s = product(program, o, source, equation->source, &o->blend->source_term[c], c),
                    d = product(program, o, stored, equation->destination, &o->blend->destination_term[c], c);
    switch ((enum pixel_function)equation->function) {
    case PIXEL_SUBTRACT:
        return lane_program_fsub(program, s, d);
    case PIXEL_REVERSE_SUBTRACT:
        return lane_program_fsub(program, d, s);
    default:
        return lane_program_fadd(program, s, d);
    }
}

void pixel_program_blend(struct lane_program *program, const struct pixel_blend *blend, const jit_value source[4],
                         const jit_value second[4], const jit_value stored[4], jit_value made_out[4])
{
    struct operands o = {.blend = blend, .are_finite = blend->clamp_min != blend->clamp_max};
    for (unsigned c = 0; c < 4; c++) {
        o.of[PIXEL_OPERAND_SOURCE + c] = clamp_value(program, blend, source[c]);
        o.of[PIXEL_OPERAND_DESTINATION + c] = c == 3 && blend->is_alpha_one ? constant(program, 1) : stored[c];
        o.of[PIXEL_OPERAND_SOURCE1 + c] = second ? clamp_value(program, blend, second[c]) : constant(program, 0);
    }
    for (unsigned c = 0; c < 4; c++)
        made_out[c] = combine_terms(program, &o, c);
}
