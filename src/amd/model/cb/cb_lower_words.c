/* Exports to elements of any format as lane operations, with any blending, logic operation and write mask: what
 * cb_export.c, pixel_blend and the format's codec do. cb_lower.c has the usual ones in fewer operations. */
#include <string.h>

#include "amd/model/cb/cb_lower.h"
#include "model/pixel/pixel_target.h"
#include "model/pixel/pixel_words.h"

bool amd_cb_keeps_denormals(const struct cb_target *target)
{
    const struct format_channel *first = &format_info(target->format)->channels[0];
    return target->output == CB_OUTPUT_MIXED && target->blend && first->numeric == FORMAT_NUMERIC_SFLOAT &&
           first->bits == 32;
}

bool amd_cb_lowers_words(const struct cb_target *target)
{
    switch ((enum amd_EXPORT_FORMAT)target->export_format) {
    case AMD_EXPORT_FORMAT_FP16_ABGR:
    case AMD_EXPORT_FORMAT_UNORM16_ABGR:
    case AMD_EXPORT_FORMAT_SNORM16_ABGR:
    case AMD_EXPORT_FORMAT_UINT16_ABGR:
    case AMD_EXPORT_FORMAT_SINT16_ABGR:
    case AMD_EXPORT_FORMAT_32_R:
    case AMD_EXPORT_FORMAT_32_GR:
    case AMD_EXPORT_FORMAT_32_AR:
    case AMD_EXPORT_FORMAT_32_ABGR:
        break;
    default:
        return false;
    }
    return target->bytes4 || pixel_words_fit(target->format);
}

/* ---- exports ---- */

static bool is_of_halves(const struct cb_target *target)
{
    return target->export_format >= AMD_EXPORT_FORMAT_FP16_ABGR &&
           target->export_format <= AMD_EXPORT_FORMAT_SINT16_ABGR;
}

/* A component of the colour, as the target's numbers: amd_cb_convert. */
static jit_value color_of(struct lane_program *program, const struct cb_target *target, const jit_value rows[4],
                          unsigned c)
{
    if (target->export_format == AMD_EXPORT_FORMAT_32_AR) /* alpha comes in the second channel */
        return c == 0 ? rows[0] : c == 3 ? rows[1] : lane_program_const(program, 0);
    if (!is_of_halves(target))
        return rows[c];
    const jit_value half = cb_half_of(program, rows[c / 2], c & 1);
    switch ((enum amd_EXPORT_FORMAT)target->export_format) {
    case AMD_EXPORT_FORMAT_FP16_ABGR:
        return target->numeric == CB_FLOAT ? lane_program_unary(program, JIT_F32_OF_HALF, half) : rows[c];
    case AMD_EXPORT_FORMAT_UNORM16_ABGR:
        return target->numeric == CB_FLOAT ? pixel_words_of_unorm(program, half, 16) : rows[c];
    case AMD_EXPORT_FORMAT_SNORM16_ABGR:
        return target->numeric == CB_FLOAT ? pixel_words_of_snorm(program, half, 16) : rows[c];
    case AMD_EXPORT_FORMAT_UINT16_ABGR:
        return target->numeric == CB_FLOAT ? rows[c] : half;
    default:
        return target->numeric == CB_FLOAT ? rows[c] : lane_program_sign_extend(program, half, 16);
    }
}

/* Codes of 16 bits that are exported as they are in memory. */
static bool is_as_exported(const struct cb_target *target)
{
    static const uint8_t exports[] = {[FORMAT_NUMERIC_SFLOAT] = AMD_EXPORT_FORMAT_FP16_ABGR,
                                      [FORMAT_NUMERIC_UNORM] = AMD_EXPORT_FORMAT_UNORM16_ABGR,
                                      [FORMAT_NUMERIC_UINT] = AMD_EXPORT_FORMAT_UINT16_ABGR,
                                      [FORMAT_NUMERIC_SINT] = AMD_EXPORT_FORMAT_SINT16_ABGR};
    const struct format_info *info = format_info(target->format);
    bool is_so = !target->blend && is_of_halves(target);
    for (unsigned i = 0; i < info->channel_count && is_so; i++) {
        const struct format_channel *channel = &info->channels[i];
        is_so = channel->bits == 16 && (size_t)channel->numeric < sizeof(exports) &&
                exports[channel->numeric] == target->export_format;
    }
    return is_so;
}

static void copy_codes(struct lane_program *program, const struct cb_target *target, const jit_value rows[4],
                       jit_value made_out[4])
{
    const struct format_info *info = format_info(target->format);
    for (unsigned i = 0; i < info->channel_count; i++) {
        const struct format_channel *channel = &info->channels[i];
        const unsigned c = target->from[channel->component], low = channel->low_bit % 32;
        jit_value *to = &made_out[channel->low_bit / 32];
        const jit_value code = cb_half_of(program, rows[c / 2], c & 1);
        *to = low ? lane_program_or(program, *to, lane_program_shift_by(program, JIT_SHL, code, low)) : code;
    }
}

/* ---- words ---- */

static bool is_fused(const struct cb_target *target)
{
    return !target->bytes4;
}

void amd_cb_lower_words(struct lane_program *program, const struct cb_target *target, const jit_value rows[4],
                        const jit_value second[4], const jit_value stored[4], jit_value made_out[4])
{
    struct pixel_target to = {.format = target->format,
                              .is_fused = is_fused(target),
                              .blend = target->blend ? &target->blending : NULL,
                              .has_logic = target->rop,
                              .logic = target->rop_code,
                              .bits = target->bits};
    jit_value colors[4], colors1[4];
    memcpy(to.from, target->from, sizeof(to.from));
    for (unsigned i = 0; i < 4; i++)
        made_out[i] = JIT_NONE;
    if (is_as_exported(target)) {
        copy_codes(program, target, rows, made_out);
    } else {
        for (unsigned c = 0; c < 4; c++) {
            colors[c] = color_of(program, target, rows, c);
            colors1[c] = second ? color_of(program, target, second, c) : JIT_NONE;
        }
        pixel_target_pack(program, &to, colors, second ? colors1 : NULL, stored, made_out);
    }
    if (target->output == CB_OUTPUT_MIXED)
        pixel_target_mix(program, &to, stored, made_out);
}
