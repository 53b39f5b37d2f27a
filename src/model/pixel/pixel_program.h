/* Pixels in lane programs (model/exec/program.h): what comes after a shader, written as lane operations, so that it can
 * stand in one piece of host code with it. The results are those of pixel_blend.c and of the codecs of formats, bit by
 * bit; test_pixel_program compares them.
 *
 * The program must round to nearest. Not for: how a shader hands its colours over, and where pixels are. */
#ifndef MODEL_PIXEL_PROGRAM_H
#define MODEL_PIXEL_PROGRAM_H

#include "model/exec/program.h"
#include "model/pixel/pixel.h"
#include "util/format/format.h"

/* Whether the program's float mode is one that these are right in. */
static inline bool pixel_program_fits(const struct lane_program *program)
{
    return program->mode.round_f32 == LANE_ROUND_NEAREST;
}

/* Whether a value is known to be a half that the program made of a float, with zeros above it. */
bool pixel_program_is_half(const struct lane_program *program, jit_value value);

/* A float, clamped to between 0 and 1; NaN becomes 0. */
jit_value pixel_program_unit(struct lane_program *program, jit_value value);

/* The clamp of a half in the low 16 bits, with zeros above it. */
jit_value pixel_program_unit_of_half(struct lane_program *program, jit_value half);

/* The code of a half again, for pixel_program_pack_bytes4 alone: a half so small that its code is 0 anyway need not
 * be exact. */
jit_value pixel_program_code_of_half(struct lane_program *program, jit_value half);

/* Four unorm bytes, to the nearest code, ties to even: of numbers between 0 and 1, in the order of memory. `is_fused`:
 * the product with 255 is not rounded by itself; where numbers have 16 bits at most, that is the same. */
jit_value pixel_program_pack_bytes4(struct lane_program *program, const jit_value unit[4], bool is_fused);

/* Packs sRGB: three colours to the nearest code of the curve, and a last byte that is linear. `are_halves`: none of
 * the numbers has more bits of fraction than a half. `is_fused`: of the last byte. */
jit_value pixel_program_pack_srgb4(struct lane_program *program, const jit_value unit[4], bool are_halves,
                                   bool is_fused);

/* Halves, each in the low 16 bits with zeros above it, as an element of a format of four bytes at most: components are
 * those of the format. For formats of unorm, snorm and unsigned floats that pixel_program_packs says yes to; which NaN
 * comes out is not said. */
bool pixel_program_packs(enum format format);
jit_value pixel_program_pack_halves(struct lane_program *program, enum format format, const jit_value halves[4]);

/* Packs floats, or for integer formats integers; for formats of unorm, snorm and integers that
 * pixel_program_packs_words says yes to. */
bool pixel_program_packs_words(enum format format); /* of two bytes or four */
jit_value pixel_program_pack_words(struct lane_program *program, enum format format, const jit_value words[4]);

/* pixel_blend_bytes4 where blend->sums is set and is_dual is not: sources are clamped already, `code` is what memory
 * holds. */
jit_value pixel_program_blend_bytes4(struct lane_program *program, const struct pixel_blend *blend,
                                     const jit_value source[4], jit_value code);

/* pixel_blend of sRGB's bytes, of which the last one is linear, where blend->adds is set, is_dual is not and everything
 * is clamped to between 0 and 1: sources are so already. `is_fused`: of the last byte. */
jit_value pixel_program_blend_srgb4(struct lane_program *program, const struct pixel_blend *blend,
                                    const jit_value source[4], jit_value code, bool is_fused);

/* pixel_blend where blend->adds is set, is_dual is not and nothing is clamped, of four halves in two dwords of memory:
 * `stored` before it, `made_out` after it. */
void pixel_program_blend_halves4(struct lane_program *program, const struct pixel_blend *blend,
                                 const jit_value source[4], const jit_value stored[2], jit_value made_out[2]);

/* pixel_blend_terms by channels of the colour, where nothing is clamped, or all of it to between 0 and 1: what is
 * stored is so already, and the sum still is not. */
void pixel_program_blend_terms(struct lane_program *program, const struct pixel_blend *blend, const jit_value source[4],
                               const jit_value stored[4], jit_value sums_out[4]);

/* pixel_blend of any equation, by channels of the colour (pixel_equation.c): `second` is NULL where is_dual is not set.
 * What is stored must be no denormal number where the program flushes such. */
void pixel_program_blend(struct lane_program *program, const struct pixel_blend *blend, const jit_value source[4],
                         const jit_value second[4], const jit_value stored[4], jit_value made_out[4]);

/* Floats as they come to four unorm bytes, `stored` being what memory holds: blended, where that is so, and only bits
 * of `mask` changed. JIT_NONE where neither looks at it. */
jit_value pixel_program_colors4(struct lane_program *program, const struct pixel_blend *blend, bool is_blended,
                                uint32_t mask, const jit_value colors[4], jit_value stored);

/* Numbers between 0 and 1 with all bits changed; `from` is as blend->from, whether there is blending or not, and
 * without it products are fused. */
jit_value pixel_program_units4(struct lane_program *program, const struct pixel_blend *blend, const uint8_t from[4],
                               bool is_blended, const jit_value unit[4], jit_value stored);

/* An attribute from its weights: (base + i * by_i) + j * by_j. */
jit_value pixel_program_interpolate(struct lane_program *program, jit_value base, jit_value i, jit_value by_i,
                                    jit_value j, jit_value by_j);

#endif
