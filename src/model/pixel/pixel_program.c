/* See pixel_program.h. */
#include "model/pixel/pixel_program.h"

#include "model/pixel/pixel_srgb.h"
#include "util/half.h"

#define ONE_F32 0x3f800000u
#define ONE_F16 0x3c00u
#define INFINITY_F16 0x7c00u
#define HALF_MANTISSA 0xffffe000u /* the bits of a float that a half of its size has, too */
#define SMALLEST 0x1p-24f         /* of halves; all denormal ones are a number of these */
#define SMALLEST_NORMAL 0x1p-14f
#define WHOLE 0x1.8p23f /* the lowest bits of a sum with it are the rounded number */
#define WHOLE_BITS 0x4b400000u

static jit_value constant(struct lane_program *program, float value)
{
    return lane_program_const(program, float_bits(value));
}

/* Numbers above 0 that are no NaN are in the order of their bits. */
jit_value pixel_program_unit(struct lane_program *program, jit_value value)
{
    const jit_value zero = constant(program, 0),
                    above = lane_program_select(program, lane_program_flt(program, zero, value), value, zero);
    return lane_program_min_i(program, above, lane_program_const(program, ONE_F32));
}

/* A half as the program has it: the float that it was made of, or JIT_NONE, and whether denormal ones were flushed. */
struct half {
    jit_value of;
    bool is_flushed;
};

static struct half look_at_half(const struct lane_program *program, jit_value half)
{
    const struct jit_inst *inst = &program->insts[half], *sign;
    if (inst->op == JIT_HALF_OF_F32)
        return (struct half){inst->a, false};
    if (inst->op != JIT_SELECT || program->insts[inst->b].op != JIT_HALF_OF_F32)
        return (struct half){JIT_NONE, false};
    sign = &program->insts[inst->c]; /* what flushing leaves */
    return (struct half){sign->op == JIT_AND && sign->a == inst->b ? program->insts[inst->b].a : JIT_NONE, true};
}

bool pixel_program_is_half(const struct lane_program *program, jit_value value)
{
    return look_at_half(program, value).of != JIT_NONE;
}

/* The nearest half toward zero of a float between 0 and 1: its mantissa is cut. Below the smallest normal half there is
 * a whole number of SMALLEST left, or nothing; above it, bits below SMALLEST are among those that are cut anyway. */
static jit_value cut_to_half(struct lane_program *program, jit_value unit, bool is_flushed)
{
    const jit_value mask = lane_program_const(program, HALF_MANTISSA);
    if (is_flushed) {
        const jit_value is_normal = lane_program_fle(program, constant(program, SMALLEST_NORMAL), unit);
        return lane_program_select(program, is_normal, lane_program_and(program, unit, mask), constant(program, 0));
    }
    const jit_value count =
        lane_program_unary(program, JIT_TRUNC, lane_program_fmul(program, unit, constant(program, 1 / SMALLEST)));
    return lane_program_and(program, lane_program_fmul(program, count, constant(program, SMALLEST)), mask);
}

/* Above infinity are NaN and what is negative, which become 0. A denormal half is a number of SMALLEST, and any other
 * has a float's bits but for the exponent's bias. */
static jit_value widen_half(struct lane_program *program, jit_value half)
{
    const jit_value is_number = lane_program_le_i(program, half, lane_program_const(program, INFINITY_F16));
    const jit_value number = lane_program_and(program, is_number, half),
                    unit = lane_program_min_i(program, number, lane_program_const(program, ONE_F16));
    const jit_value wide = lane_program_add(program, lane_program_shift_by(program, JIT_SHL, unit, 13),
                                            lane_program_const(program, 112u << 23)),
                    small = lane_program_fmul(program, lane_program_unary(program, JIT_F32_OF_I32, unit),
                                              constant(program, SMALLEST));
    const jit_value is_small = lane_program_lt_i(program, unit, lane_program_const(program, 0x400));
    return lane_program_select(program, is_small, small, wide);
}

jit_value pixel_program_unit_of_half(struct lane_program *program, jit_value value)
{
    const struct half half = look_at_half(program, value);
    return half.of == JIT_NONE ? widen_half(program, value)
                               : cut_to_half(program, pixel_program_unit(program, half.of), half.is_flushed);
}

jit_value pixel_program_code_of_half(struct lane_program *program, jit_value value)
{
    const struct half half = look_at_half(program, value);
    return half.of == JIT_NONE ? widen_half(program, value)
                               : lane_program_and(program, pixel_program_unit(program, half.of),
                                                  lane_program_const(program, HALF_MANTISSA));
}

/* The sum of four numbers with WHOLE above them, each at its byte. */
static jit_value sum_of_bytes(struct lane_program *program, const jit_value bits[4])
{
    jit_value sum = bits[0];
    for (unsigned k = 1; k < 4; k++)
        sum = lane_program_emit(program, JIT_ADD, sum, lane_program_shift_by(program, JIT_SHL, bits[k], 8 * k),
                                JIT_NONE, 0);
    return lane_program_sub(program, sum, lane_program_const(program, WHOLE_BITS + (WHOLE_BITS << 8)));
}

/* The nearest code, with WHOLE above it. */
static jit_value byte_of(struct lane_program *program, jit_value unit, bool is_fused)
{
    const jit_value most = constant(program, 255.0f), whole = constant(program, WHOLE);
    return is_fused ? lane_program_fma_f32(program, unit, most, whole)
                    : lane_program_fadd(program, lane_program_fmul(program, unit, most), whole);
}

jit_value pixel_program_pack_bytes4(struct lane_program *program, const jit_value unit[4], bool is_fused)
{
    jit_value bits[4];
    for (unsigned k = 0; k < 4; k++)
        bits[k] = byte_of(program, unit[k], is_fused);
    return sum_of_bytes(program, bits);
}

jit_value pixel_program_pack_srgb4(struct lane_program *program, const jit_value unit[4], bool are_halves,
                                   bool is_fused)
{
    const jit_value colours =
        lane_program_call(program, are_halves ? pixel_srgb_of_halves : pixel_srgb_of_floats, unit[0], unit[1], unit[2]);
    return lane_program_or(program, colours,
                           lane_program_shift_by(program, JIT_SHL, byte_of(program, unit[3], is_fused), 24));
}

/* code / 255, rounded once: the first product is exact, and the second one's error lies far below the sum's last
 * bit. */
static jit_value unorm8_to_float(struct lane_program *program, jit_value code, unsigned k)
{
    const jit_value low = k ? lane_program_shift_by(program, JIT_SHR, code, 8 * k) : code,
                    byte = k == 3 ? low : lane_program_and(program, low, lane_program_const(program, 0xff)),
                    value = lane_program_unary(program, JIT_F32_OF_I32, byte);
    return lane_program_fma_f32(program, value, constant(program, 0x1.010102p-24f),
                                lane_program_fmul(program, value, constant(program, 0x1.01p-8f)));
}

/* A factor that is no number: base + scale * operand. */
static jit_value factor(struct lane_program *program, const struct pixel_term *term, const jit_value *operands)
{
    const jit_value operand = operands[term->operand], base = constant(program, term->base);
    if (term->scale == 1 && term->base == 0)
        return operand;
    if (term->scale == -1)
        return lane_program_fsub(program, base, operand);
    return lane_program_fadd(program, base, lane_program_fmul(program, constant(program, term->scale), operand));
}

static bool is_same(const struct pixel_term *a, const struct pixel_term *b)
{
    return a->base == b->base && a->scale == b->scale && a->operand == b->operand;
}

/* Factors of all channels of a source or of a destination, made once where they are the same; JIT_NONE: a number. */
static void find_factors(struct lane_program *program, const struct pixel_term terms[4], const jit_value *operands,
                         jit_value factors[4])
{
    for (unsigned c = 0; c < 4; c++) {
        unsigned same = 0;
        while (!is_same(&terms[same], &terms[c]))
            same++;
        factors[c] = terms[c].scale == 0 ? JIT_NONE : same < c ? factors[same] : factor(program, &terms[c], operands);
    }
}

/* A value and its factor. Nothing here is negative, a NaN or infinite: factors of 0 and 1 need no product. JIT_NONE: it
 * is 0. */
static jit_value product(struct lane_program *program, jit_value value, const struct pixel_term *term, jit_value by)
{
    if (by != JIT_NONE)
        return lane_program_fmul(program, value, by);
    if (term->base == 0)
        return JIT_NONE;
    return term->base == 1 ? value : lane_program_fmul(program, value, constant(program, term->base));
}

/* Whether a sum cannot be more than 1 by so much that its code would be above 255: factors of which one is 1 less the
 * other. */
static bool is_within_one(const struct pixel_term *source, const struct pixel_term *destination)
{
    const float base = source->base + destination->base;
    if (source->scale == 0 && destination->scale == 0)
        return base <= 1;
    return base <= 1 && source->scale + destination->scale == 0 && source->operand == destination->operand &&
           (source->scale == 1 || source->scale == -1);
}

/* Sums by component of memory, of clamped sources and of what memory holds; not above 1 but by rounding where
 * is_within_one says so. */
static void blend_units(struct lane_program *program, const struct pixel_blend *blend, const jit_value source[4],
                        const jit_value stored[4], jit_value sums[4])
{
    const struct pixel_term *of_source = blend->source_term, *of_destination = blend->destination_term;
    jit_value operands[PIXEL_OPERANDS], *destination = operands + PIXEL_OPERAND_DESTINATION, factors[2][4];
    for (unsigned k = 0; k < 4; k++) {
        operands[PIXEL_OPERAND_SOURCE + k] = source[k];
        destination[blend->from[k]] = stored[k];
    }
    if (blend->is_alpha_one)
        destination[3] = constant(program, 1);
    find_factors(program, of_source, operands, factors[0]);
    find_factors(program, of_destination, operands, factors[1]);
    for (unsigned k = 0; k < 4; k++) {
        const unsigned c = blend->from[k];
        const jit_value s = product(program, source[c], &of_source[c], factors[0][c]),
                        d = product(program, destination[c], &of_destination[c], factors[1][c]);
        sums[k] = constant(program, 0);
        if (s != JIT_NONE && d != JIT_NONE)
            sums[k] = lane_program_fadd(program, s, d);
        else if (s != JIT_NONE || d != JIT_NONE)
            sums[k] = s != JIT_NONE ? s : d;
    }
}

/* The code of a sum, with WHOLE above it. */
static jit_value byte_of_sum(struct lane_program *program, const struct pixel_blend *blend, jit_value sum, unsigned k,
                             bool is_fused)
{
    const unsigned c = blend->from[k];
    const jit_value bits = byte_of(program, sum, is_fused);
    return is_within_one(&blend->source_term[c], &blend->destination_term[c])
               ? bits
               : lane_program_min_i(program, bits, lane_program_const(program, WHOLE_BITS + 255));
}

jit_value pixel_program_blend_bytes4(struct lane_program *program, const struct pixel_blend *blend,
                                     const jit_value source[4], jit_value code)
{
    jit_value stored[4], sums[4], bits[4];
    for (unsigned k = 0; k < 4; k++)
        stored[k] = unorm8_to_float(program, code, k);
    blend_units(program, blend, source, stored, sums);
    for (unsigned k = 0; k < 4; k++)
        bits[k] = byte_of_sum(program, blend, sums[k], k, false);
    return sum_of_bytes(program, bits);
}

jit_value pixel_program_blend_srgb4(struct lane_program *program, const struct pixel_blend *blend,
                                    const jit_value source[4], jit_value code, bool is_fused)
{
    jit_value stored[4] = {lane_program_call(program, pixel_linear_of_first, code, code, code),
                           lane_program_call(program, pixel_linear_of_second, code, code, code),
                           lane_program_call(program, pixel_linear_of_third, code, code, code)},
              sums[4];
    stored[3] = unorm8_to_float(program, code, 3);
    blend_units(program, blend, source, stored, sums);
    const jit_value colours = lane_program_call(program, pixel_srgb_of_floats, sums[0], sums[1], sums[2]);
    return lane_program_or(
        program, colours,
        lane_program_shift_by(program, JIT_SHL, byte_of_sum(program, blend, sums[3], 3, is_fused), 24));
}

/* A value and its factor, any numbers: a factor of zero removes its term, whatever the value is. */
static jit_value free_product(struct lane_program *program, jit_value value, const struct pixel_term *term,
                              jit_value by)
{
    const jit_value zero = constant(program, 0);
    if (by != JIT_NONE)
        return lane_program_select(program, lane_program_feq(program, by, zero), zero,
                                   lane_program_fmul(program, value, by));
    if (term->base == 0)
        return zero;
    return term->base == 1 ? value : lane_program_fmul(program, value, constant(program, term->base));
}

void pixel_program_blend_terms(struct lane_program *program, const struct pixel_blend *blend, const jit_value source[4],
                               const jit_value stored[4], jit_value sums_out[4])
{
    const bool is_clamped = blend->clamp_min != blend->clamp_max;
    jit_value operands[PIXEL_OPERANDS], *destination = operands + PIXEL_OPERAND_DESTINATION, factors[2][4];
    for (unsigned c = 0; c < 4; c++) {
        operands[PIXEL_OPERAND_SOURCE + c] = is_clamped ? pixel_program_unit(program, source[c]) : source[c];
        destination[c] = c == 3 && blend->is_alpha_one ? constant(program, 1) : stored[c];
    }
    find_factors(program, blend->source_term, operands, factors[0]);
    find_factors(program, blend->destination_term, operands, factors[1]);
    for (unsigned c = 0; c < 4; c++) {
        const jit_value s = free_product(program, operands[PIXEL_OPERAND_SOURCE + c], &blend->source_term[c],
                                         factors[0][c]),
                        d = free_product(program, destination[c], &blend->destination_term[c], factors[1][c]);
        sums_out[c] = lane_program_fadd(program, s, d);
    }
}

void pixel_program_blend_halves4(struct lane_program *program, const struct pixel_blend *blend,
                                 const jit_value source[4], const jit_value stored[2], jit_value made_out[2])
{
    jit_value destination[4], sums[4], halves[4];
    for (unsigned k = 0; k < 4; k++) {
        const jit_value half = k & 1 ? lane_program_shift_by(program, JIT_SHR, stored[k / 2], 16) : stored[k / 2];
        destination[blend->from[k]] = lane_program_unary(program, JIT_F32_OF_HALF, half);
    }
    pixel_program_blend_terms(program, blend, source, destination, sums);
    for (unsigned k = 0; k < 4; k++)
        halves[k] = lane_program_unary(program, JIT_HALF_ROUNDED, sums[blend->from[k]]);
    for (unsigned i = 0; i < 2; i++)
        made_out[i] =
            lane_program_or(program, halves[2 * i], lane_program_shift_by(program, JIT_SHL, halves[2 * i + 1], 16));
}

static jit_value pack_ordered(struct lane_program *program, const uint8_t from[4], const jit_value unit[4],
                              bool is_fused)
{
    const jit_value ordered[4] = {unit[from[0]], unit[from[1]], unit[from[2]], unit[from[3]]};
    return pixel_program_pack_bytes4(program, ordered, is_fused);
}

jit_value pixel_program_colors4(struct lane_program *program, const struct pixel_blend *blend, bool is_blended,
                                uint32_t mask, const jit_value colors[4], jit_value stored)
{
    jit_value unit[4], code;
    for (unsigned c = 0; c < 4; c++)
        unit[c] = pixel_program_unit(program, colors[c]);
    code = is_blended ? pixel_program_blend_bytes4(program, blend, unit, stored)
                      : pack_ordered(program, blend->from, unit, false);
    if (mask == UINT32_MAX)
        return code;
    return lane_program_or(program, lane_program_and(program, code, lane_program_const(program, mask)),
                           lane_program_and(program, stored, lane_program_const(program, ~mask)));
}

jit_value pixel_program_units4(struct lane_program *program, const struct pixel_blend *blend, const uint8_t from[4],
                               bool is_blended, const jit_value unit[4], jit_value stored)
{
    return is_blended ? pixel_program_blend_bytes4(program, blend, unit, stored)
                      : pack_ordered(program, from, unit, true);
}

jit_value pixel_program_interpolate(struct lane_program *program, jit_value base, jit_value i, jit_value by_i,
                                    jit_value j, jit_value by_j)
{
    const jit_value sum = lane_program_fadd(program, base, lane_program_fmul(program, i, by_i));
    return lane_program_fadd(program, sum, lane_program_fmul(program, j, by_j));
}
