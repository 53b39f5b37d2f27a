/* Exports as lane operations: what cb_export.c and blending do, in the lane program of the shader itself. Only for
 * targets whose shaders export halves: of four unorm or sRGB bytes, of four halves that blend, or of other fixed-point
 * numbers and unsigned floats that do not; cb_state.c says which. */
#include "amd/model/cb/cb_lower.h"
#include "model/pixel/pixel_program.h"

jit_value amd_cb_lower(struct lane_program *program, const struct cb_target *target, const jit_value rows[4],
                       jit_value stored)
{
    const bool blends = target->output == CB_OUTPUT_BLEND;
    jit_value halves[4], unit[4], ordered[4];
    for (unsigned c = 0; c < 4; c++)
        halves[c] = cb_half_of(program, rows[c / 2], c & 1);
    if (!target->bytes4) {
        for (unsigned k = 0; k < 4; k++)
            ordered[k] = halves[target->from[k]];
        return pixel_program_pack_halves(program, target->format, ordered);
    }
    for (unsigned c = 0; c < 4; c++) {
        const jit_value half = halves[c];
        unit[c] = blends ? pixel_program_unit_of_half(program, half) : pixel_program_code_of_half(program, half);
    }
    if (blends)
        return target->srgb ? pixel_program_blend_srgb4(program, &target->blending, unit, stored, false)
                            : pixel_program_blend_bytes4(program, &target->blending, unit, stored);
    for (unsigned k = 0; k < 4; k++)
        ordered[k] = unit[target->from[k]];
    return target->srgb ? pixel_program_pack_srgb4(program, ordered, true, true)
                        : pixel_program_pack_bytes4(program, ordered, true);
}

void amd_cb_lower_pairs(struct lane_program *program, const struct cb_target *target, const jit_value rows[4],
                        const jit_value stored[2], jit_value made_out[2])
{
    jit_value source[4];
    for (unsigned c = 0; c < 4; c++)
        source[c] = lane_program_unary(program, JIT_F32_OF_HALF, cb_half_of(program, rows[c / 2], c & 1));
    pixel_program_blend_halves4(program, &target->blending, source, stored, made_out);
}
