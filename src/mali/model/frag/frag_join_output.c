/* A joined program's colours as cells of the tile buffer (frag_join.h): bytes of unorm and sRGB, halves that blend,
 * and elements of any other format, blended or not. */
#include <string.h>

#include "mali/model/frag/frag_join.h"
#include "model/pixel/pixel_program.h"
#include "model/pixel/pixel_words.h"
#include "util/bits.h"

static bool is_bytes4(const struct frag_target *target, const struct frag_conversion *conversion)
{
    return target->internal == MALI_INTERNAL_FORMAT_R8G8B8A8 && conversion->channels;
}

/* Four halves in their order, which blend without a clamp. */
static bool is_halves4(const struct frag_target *target, const struct frag_conversion *conversion)
{
    return target->internal == MALI_INTERNAL_FORMAT_RGBA16F && !conversion->channels && !conversion->is_raw &&
           conversion->pixel.format == FORMAT_R16G16B16A16_SFLOAT && conversion->pixel.in_order;
}

/* The element is all of the cell, and one that lane programs make. */
static bool is_element(const struct frag_conversion *conversion)
{
    const struct mali_pixel *pixel = &conversion->pixel;
    if (conversion->channels || conversion->is_raw)
        return true;
    return pixel->in_order && !pixel->is_constant && !pixel->at_B && pixel->size_B == conversion->cell_B &&
           pixel->size_B == format_info(pixel->format)->block_size_B && pixel_words_fit(pixel->format);
}

/* How an output becomes a cell. */
enum way {
    WAY_NONE,    /* not by the program */
    WAY_BYTES,   /* four unorm bytes, or sRGB's */
    WAY_HALVES,  /* four halves that blend */
    WAY_ELEMENT, /* any element: the colour, blended or not, and channels that stay */
};

static enum way way_of(const struct frag_target *target, const struct frag_conversion *conversion,
                       const struct frag_blend *state, bool is_srgb, enum mali_regfmt format)
{
    const bool is_float = format == MALI_REGFMT_F32 || format == MALI_REGFMT_F16;
    const bool has_equation = target->channels ? conversion->channels != NULL
                                               : target->is_float && !conversion->channels && !conversion->is_raw;
    if (is_bytes4(target, conversion) && is_float && (state->terms.sums || (is_srgb && state->is_replacing)))
        return WAY_BYTES;
    if (is_halves4(target, conversion) && is_float && state->mask == 15 && !state->is_replacing)
        return WAY_HALVES;
    if (is_srgb || !is_element(conversion) || (is_bytes4(target, conversion) && !is_float))
        return WAY_NONE;
    return state->is_replacing || (has_equation && is_float) ? WAY_ELEMENT : WAY_NONE;
}

void mali_frag_choose_output(const struct frag_worker *w, struct frag_join_output *output)
{
    const struct frag_target *target = &w->fb->targets[output->target];
    const struct frag_conversion *conversion = &output->conversion;
    const struct frag_blend *state = mali_frag_output_blend(w, output);
    const enum mali_regfmt format = mali_frag_blend_format(output->request.regfmt, conversion);
    output->is_srgb = conversion->is_srgb || state->is_srgb;
    output->cell_B = conversion->cell_B;
    output->is_codes = way_of(target, conversion, state, output->is_srgb, format) != WAY_NONE;
    output->is_read = output->is_codes && !(state->is_replacing && state->mask == 15);
    if (output->is_read && w->fb->samples > 1) /* they are not the same in all samples */
        output->is_codes = output->is_read = false;
}

/* ---- lane programs ---- */

/* A component as 32 bits, from registers of any format. */
static jit_value component(struct lane_program *program, const struct frag_join_output *output, enum mali_regfmt format,
                           unsigned c)
{
    if (c >= output->request.components) /* 0, 0, 0, 1 */
        return lane_program_const(program, c < 3                                                    ? 0
                                           : format == MALI_REGFMT_F32 || format == MALI_REGFMT_F16 ? 0x3f800000u
                                                                                                    : 1);
    if (!mali_regfmt_is_half(format))
        return output->colour[c];
    jit_value half = output->colour[c / 2];
    half = c & 1 ? lane_program_shift_by(program, JIT_SHR, half, 16) : lane_program_zero_extend(program, half, 16);
    return format == MALI_REGFMT_F16   ? lane_program_unary(program, JIT_F32_OF_HALF, half)
           : format == MALI_REGFMT_S16 ? lane_program_sign_extend(program, half, 16)
                                       : half;
}

static uint32_t mask_of(const struct frag_blend *blend)
{
    uint32_t mask = 0;
    for (unsigned c = 0; c < 4; c++)
        mask |= blend->mask >> c & 1 ? 0xffu << 8 * c : 0;
    return mask;
}

static jit_value bytes4(struct lane_program *program, const struct frag_join_output *output,
                        const struct frag_blend *state, const jit_value colors[4], jit_value stored)
{
    if (!output->is_srgb)
        return pixel_program_colors4(program, &state->terms, !state->is_replacing, mask_of(state), colors, stored);
    jit_value units[4];
    for (unsigned c = 0; c < 4; c++)
        units[c] = pixel_program_unit(program, colors[c]);
    const jit_value made = state->is_replacing
                               ? pixel_program_pack_srgb4(program, units, false, false)
                               : pixel_program_blend_srgb4(program, &state->terms, units, stored, false);
    if (state->mask == 15)
        return made;
    const jit_value mask = lane_program_const(program, mask_of(state));
    return lane_program_or(program, lane_program_and(program, made, mask),
                           lane_program_and(program, stored, lane_program_not(program, mask)));
}

/* Fixed point, as mali_frag_encode makes it. */
static jit_value fixed4(struct lane_program *program, const struct frag_conversion *conversion,
                        const jit_value colors[4])
{
    const struct frag_channels *channels = conversion->channels;
    jit_value word = lane_program_const(program, 0);
    for (unsigned c = 0, shift = 0; c < 4; c++) {
        const unsigned fraction = channels->fraction[c], kept = conversion->is_dithered ? fraction : 0;
        const uint32_t most = ((1u << channels->whole[c]) - 1) << kept;
        if (most) {
            const jit_value sum = pixel_words_unorm(program, colors[c], most, false);
            word =
                lane_program_or(program, word, lane_program_shift_by(program, JIT_SHL, sum, shift + fraction - kept));
        }
        shift += channels->whole[c] + fraction;
    }
    return word;
}

/* The way back, as mali_frag_decode has it: a fraction may be more than there is of the number. */
static void unfix4(struct lane_program *program, const struct frag_channels *channels, jit_value word,
                   jit_value colors_out[4])
{
    const jit_value one = lane_program_const(program, 0x3f800000);
    for (unsigned c = 0, shift = 0; c < 4; c++) {
        const unsigned whole = channels->whole[c], fraction = channels->fraction[c], bits = whole + fraction;
        jit_value code = lane_program_shift_by(program, JIT_SHR, word, shift);
        shift += bits;
        colors_out[c] = one;
        if (!whole)
            continue;
        if (shift < 32)
            code = lane_program_zero_extend(program, code, bits);
        colors_out[c] = pixel_words_of_unorm(program, code, whole);
        if (fraction)
            colors_out[c] =
                lane_program_min_i(/* none is negative */
                                   program,
                                   lane_program_fmul(
                                       program, colors_out[c],
                                       lane_program_const(program, float_bits(1.0f / (float)(1u << fraction)))),
                                   one);
    }
}

/* ---- elements ---- */

/* A channel that the format does not have. */
static uint32_t absent(const struct mali_pixel *pixel, unsigned c)
{
    const bool is_integer = pixel->numeric == FORMAT_NUMERIC_UINT || pixel->numeric == FORMAT_NUMERIC_SINT;
    return c < 3 ? 0 : is_integer ? 1 : 0x3f800000;
}

static void unpack_element(struct lane_program *program, const struct frag_conversion *conversion,
                           const jit_value stored[4], jit_value colors_out[4])
{
    if (conversion->channels)
        unfix4(program, conversion->channels, stored[0], colors_out);
    else if (conversion->is_raw)
        memcpy(colors_out, stored, 4 * sizeof(*colors_out));
    else
        pixel_words_unpack(program, conversion->pixel.format, stored, colors_out);
    for (unsigned c = 0; c < 4; c++) {
        if (colors_out[c] == JIT_NONE)
            colors_out[c] = lane_program_const(program, absent(&conversion->pixel, c));
    }
}

static void pack_element(struct lane_program *program, const struct frag_conversion *conversion,
                         const jit_value colors[4], jit_value codes_out[4])
{
    if (conversion->channels)
        codes_out[0] = fixed4(program, conversion, colors);
    else if (conversion->is_raw)
        memcpy(codes_out, colors, div_round_up(conversion->cell_B, 4) * sizeof(colors[0]));
    else
        pixel_words_pack(program, conversion->pixel.format, colors, codes_out);
}

static void element(struct lane_program *program, const struct frag_join_output *output, const struct frag_blend *state,
                    const jit_value colors[4], const jit_value stored[4], jit_value codes_out[4])
{
    jit_value before[4], after[4];
    memcpy(after, colors, sizeof(after));
    if (output->is_read)
        unpack_element(program, &output->conversion, stored, before);
    if (!state->is_replacing)
        pixel_program_blend_terms(program, &state->terms, colors, before, after);
    for (unsigned c = 0; c < 4; c++) {
        if (!(state->mask >> c & 1))
            after[c] = before[c];
    }
    pack_element(program, &output->conversion, after, codes_out);
}

/* ---- codes ---- */

void mali_frag_make_codes(const struct frag_worker *w, const struct frag_join_output *output,
                          struct lane_program *program, const jit_value stored[4], jit_value codes_out[4])
{
    const struct frag_target *target = &w->fb->targets[output->target];
    const struct frag_blend *state = mali_frag_output_blend(w, output);
    const struct frag_conversion *conversion = &output->conversion;
    const enum mali_regfmt format = mali_frag_blend_format(output->request.regfmt, conversion);
    jit_value colors[4];
    for (unsigned c = 0; c < 4; c++)
        colors[c] = component(program, output, format, c);
    if (state->has_alpha_one)
        colors[3] = lane_program_const(program, 0x3f800000);
    for (unsigned i = 0; i < 4; i++)
        codes_out[i] = JIT_NONE;
    switch (way_of(target, conversion, state, output->is_srgb, format)) {
    case WAY_BYTES:
        codes_out[0] = bytes4(program, output, state, colors, stored[0]);
        break;
    case WAY_HALVES:
        pixel_program_blend_halves4(program, &state->terms, colors, stored, codes_out);
        break;
    default:
        element(program, output, state, colors, stored, codes_out);
        break;
    }
}

/* ---- registers ---- */

static jit_value low_half(struct lane_program *program, enum mali_regfmt format, jit_value value)
{
    return format == MALI_REGFMT_F16 ? lane_program_unary(program, JIT_HALF_ROUNDED, value)
                                     : lane_program_zero_extend(program, value, 16);
}

unsigned mali_frag_make_registers(struct lane_program *program, const struct frag_conversion *conversion,
                                  enum mali_regfmt format, unsigned components, const jit_value stored[4],
                                  jit_value registers_out[4])
{
    const bool is_half = mali_regfmt_is_half(format);
    jit_value values[4];
    if (conversion->is_srgb || !is_element(conversion) || (is_half && components % 2)) /* the other half stays */
        return 0;
    unpack_element(program, conversion, stored, values);
    if (!is_half) {
        memcpy(registers_out, values, components * sizeof(values[0]));
        return components;
    }
    for (unsigned i = 0; i < components / 2; i++)
        registers_out[i] =
            lane_program_or(program, low_half(program, format, values[2 * i]),
                            lane_program_shift_by(program, JIT_SHL, low_half(program, format, values[2 * i + 1]), 16));
    return components / 2;
}
