/* See pixel_target.h. */
#include "model/pixel/pixel_target.h"

#include <string.h>

#include "model/pixel/pixel_program.h"
#include "model/pixel/pixel_srgb.h"
#include "model/pixel/pixel_words.h"
#include "util/bits.h"

bool pixel_target_fits(enum format format)
{
    return format == FORMAT_R8G8B8A8_SRGB || pixel_words_fit(format);
}

unsigned pixel_target_words(enum format format)
{
    return MAX2(format_info(format)->block_size_B / 4u, 1u);
}

/* By components of the format, as the codec has them. */
static void unpack_words(struct lane_program *program, enum format format, const jit_value stored[4],
                         jit_value components[4])
{
    if (format != FORMAT_R8G8B8A8_SRGB) {
        pixel_words_unpack(program, format, stored, components);
        return;
    }
    components[0] = lane_program_call(program, pixel_linear_of_first, stored[0], stored[0], stored[0]);
    components[1] = lane_program_call(program, pixel_linear_of_second, stored[0], stored[0], stored[0]);
    components[2] = lane_program_call(program, pixel_linear_of_third, stored[0], stored[0], stored[0]);
    components[3] = pixel_words_of_unorm(program, lane_program_shift_by(program, JIT_SHR, stored[0], 24), 8);
}

static void pack_words(struct lane_program *program, const struct pixel_target *target, const jit_value components[4],
                       jit_value words_out[4])
{
    const bool is_srgb = target->format == FORMAT_R8G8B8A8_SRGB;
    jit_value unit[4];
    if (!is_srgb && target->format != FORMAT_R8G8B8A8_UNORM) {
        pixel_words_pack(program, target->format, components, words_out);
        return;
    }
    for (unsigned k = 0; k < 4; k++) {
        unit[k] = pixel_program_unit(program, components[k]);
        words_out[k] = JIT_NONE;
    }
    words_out[0] = is_srgb ? pixel_program_pack_srgb4(program, unit, false, target->is_fused)
                           : pixel_program_pack_bytes4(program, unit, target->is_fused);
}

/* A channel that a format lacks is 0, and alpha is 1. */
static void blend_words(struct lane_program *program, const struct pixel_target *target, const jit_value colors[4],
                        const jit_value second[4], const jit_value stored[4], jit_value out[4])
{
    jit_value components[4], destination[4];
    unpack_words(program, target->format, stored, components);
    for (unsigned c = 0; c < 4; c++)
        destination[c] = lane_program_const(program, c == 3 ? 0x3f800000u : 0);
    for (unsigned k = 0; k < 4; k++) {
        if (components[k] != JIT_NONE)
            destination[target->from[k]] = components[k];
    }
    pixel_program_blend(program, target->blend, colors, second, destination, out);
}

void pixel_target_pack(struct lane_program *program, const struct pixel_target *target, const jit_value colors[4],
                       const jit_value second[4], const jit_value stored[4], jit_value words_out[4])
{
    jit_value blended[4], components[4];
    if (target->blend)
        blend_words(program, target, colors, second, stored, blended);
    for (unsigned k = 0; k < 4; k++)
        components[k] = (target->blend ? blended : colors)[target->from[k]];
    pack_words(program, target, components, words_out);
}

void pixel_target_mix(struct lane_program *program, const struct pixel_target *target, const jit_value stored[4],
                      jit_value words[4])
{
    const uint32_t element_B = format_info(target->format)->block_size_B;
    uint32_t bits[4] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    memcpy(bits, target->bits, element_B); /* what is not stored may be anything */
    for (unsigned i = 0; i < pixel_target_words(target->format); i++) {
        if (target->has_logic)
            words[i] = pixel_words_logic(program, target->logic, words[i], stored[i]);
        words[i] = pixel_words_mix(program, bits[i], words[i], stored[i]);
    }
}
