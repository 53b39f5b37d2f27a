/* See pixel_words.h; util/format/channel.h has the same steps for one number. */
#include "model/pixel/pixel_words.h"

#include "model/pixel/pixel_program.h"
#include "util/half.h"

#define WHOLE 0x1.8p23f /* the lowest bits of a sum with it are the rounded number */

static jit_value number(struct lane_program *program, float value)
{
    return lane_program_const(program, float_bits(value));
}

static bool channel_fits(const struct format_channel *channel)
{
    const unsigned first = channel->low_bit / 32u, last = (channel->low_bit + channel->bits - 1u) / 32u;
    if (channel->component > FORMAT_COMPONENT_A || !channel->bits || first != last)
        return false;
    switch (channel->numeric) {
    case FORMAT_NUMERIC_UNORM:
    case FORMAT_NUMERIC_SNORM:
        return channel->bits <= 16;
    case FORMAT_NUMERIC_UINT:
    case FORMAT_NUMERIC_SINT:
        return channel->bits <= 32;
    case FORMAT_NUMERIC_SFLOAT:
        return channel->bits == 16 || channel->bits == 32;
    case FORMAT_NUMERIC_UFLOAT:
        return channel->bits == 10 || channel->bits == 11;
    default:
        return false;
    }
}

bool pixel_words_fit(enum format format)
{
    const struct format_info *info = format_info(format);
    bool is_good = info && info->aspects == FORMAT_ASPECT_COLOR && info->plane_count <= 1 && !info->compression &&
                   info->block_width == 1 && info->block_size_B <= 16;
    for (unsigned i = 0; is_good && i < info->channel_count; i++)
        is_good = channel_fits(&info->channels[i]);
    return is_good;
}

jit_value pixel_words_unorm(struct lane_program *program, jit_value color, uint32_t most, bool is_fused)
{
    const jit_value unit = pixel_program_unit(program, color), by = number(program, (float)most),
                    whole = number(program, WHOLE);
    const jit_value sum = is_fused ? lane_program_fma_f32(program, unit, by, whole)
                                   : lane_program_fadd(program, lane_program_fmul(program, unit, by), whole);
    return lane_program_and(program, sum, lane_program_const(program, UINT32_MAX >> __builtin_clz(most)));
}

/* A NaN becomes 0. */
static jit_value snorm_of(struct lane_program *program, jit_value color, unsigned bits)
{
    const jit_value value = lane_program_and(program, lane_program_feq(program, color, color), color),
                    above = lane_program_emit(program, JIT_FMAX_NUMBER, value, number(program, -1), JIT_NONE, 0),
                    unit = lane_program_emit(program, JIT_FMIN_NUMBER, above, number(program, 1), JIT_NONE, 0);
    const float most = (float)((1u << (bits - 1)) - 1);
    return lane_program_zero_extend(
        program, lane_program_fma_f32(program, unit, number(program, most), number(program, WHOLE)), bits);
}

/* To nearest even; what is negative is 0, but a NaN of any sign stays one. Below the smallest normal number a sum
 * rounds. */
static jit_value ufloat_of(struct lane_program *program, jit_value color, unsigned bits)
{
    const unsigned fraction = bits - 5, cut = 23 - fraction;
    const uint32_t infinity = 31u << fraction, anchor = (uint32_t)(127 + 9 - (int)fraction) << 23;
    const jit_value magnitude = lane_program_and(program, color, lane_program_const(program, 0x7fffffff)),
                    is_nan = lane_program_lt_u(program, lane_program_const(program, 0x7f800000), magnitude),
                    positive = lane_program_max_i(program, color, lane_program_const(program, 0)),
                    odd = lane_program_and(program, lane_program_shift_by(program, JIT_SHR, positive, cut),
                                           lane_program_const(program, 1)),
                    bias = lane_program_const(program, (1u << (cut - 1)) - 1 - (112u << 23)),
                    rounded = lane_program_shift_by(
                        program, JIT_SHR, lane_program_add(program, lane_program_add(program, positive, bias), odd),
                        cut),
                    normal = lane_program_min_i(program, rounded, lane_program_const(program, infinity)),
                    small = lane_program_sub(program,
                                             lane_program_fadd(program, positive, lane_program_const(program, anchor)),
                                             lane_program_const(program, anchor)),
                    is_small = lane_program_lt_i(program, positive, lane_program_const(program, 113u << 23)),
                    code = lane_program_select(program, is_small, small, normal);
    return lane_program_select(program, is_nan, lane_program_const(program, infinity | 1u << (fraction - 1)), code);
}

static jit_value code_of(struct lane_program *program, const struct format_channel *channel, jit_value color)
{
    const unsigned bits = channel->bits;
    const uint32_t most = bits < 32 ? (1u << bits) - 1 : UINT32_MAX;
    switch (channel->numeric) {
    case FORMAT_NUMERIC_UNORM:
        return pixel_words_unorm(program, color, most, true);
    case FORMAT_NUMERIC_SNORM:
        return snorm_of(program, color, bits);
    case FORMAT_NUMERIC_UINT:
        return bits < 32 ? lane_program_min_u(program, color, lane_program_const(program, most)) : color;
    case FORMAT_NUMERIC_SINT:
        if (bits == 32)
            return color;
        color = lane_program_max_i(program, color, lane_program_const(program, ~(most >> 1)));
        color = lane_program_min_i(program, color, lane_program_const(program, most >> 1));
        return lane_program_zero_extend(program, color, bits);
    case FORMAT_NUMERIC_UFLOAT:
        return ufloat_of(program, color, bits);
    default:
        return bits == 32 ? color : lane_program_unary(program, JIT_HALF_ROUNDED, color);
    }
}

void pixel_words_pack(struct lane_program *program, enum format format, const jit_value colors[4],
                      jit_value words_out[4])
{
    const struct format_info *info = format_info(format);
    for (unsigned word = 0; word < 4; word++)
        words_out[word] = word * 4 < info->block_size_B ? lane_program_const(program, 0) : JIT_NONE;
    for (unsigned i = 0; i < info->channel_count; i++) {
        const struct format_channel *channel = &info->channels[i];
        jit_value *word = &words_out[channel->low_bit / 32];
        jit_value code = code_of(program, channel, colors[channel->component]);
        if (channel->low_bit % 32)
            code = lane_program_shift_by(program, JIT_SHL, code, channel->low_bit % 32);
        *word = lane_program_or(program, *word, code);
    }
}

/* ---- from memory ---- */

/* code / most, rounded once: the reciprocal in two parts. */
static jit_value divide_code(struct lane_program *program, jit_value code, uint32_t most)
{
    const float high = (float)(1.0 / most), low = (float)(1.0 / most - (double)high);
    const jit_value value = lane_program_unary(program, JIT_F32_OF_I32, code);
    return lane_program_fma_f32(program, value, number(program, high),
                                lane_program_fmul(program, value, number(program, low)));
}

jit_value pixel_words_of_unorm(struct lane_program *program, jit_value code, unsigned bits)
{
    return divide_code(program, code, (1u << bits) - 1);
}

jit_value pixel_words_of_snorm(struct lane_program *program, jit_value code, unsigned bits)
{
    const jit_value value = divide_code(program, lane_program_sign_extend(program, code, bits), (1u << (bits - 1)) - 1);
    return lane_program_emit(program, JIT_FMAX_NUMBER, value, number(program, -1), JIT_NONE, 0);
}

static jit_value color_of(struct lane_program *program, const struct format_channel *channel, jit_value word)
{
    const unsigned low = channel->low_bit % 32, bits = channel->bits;
    jit_value code = low ? lane_program_shift_by(program, JIT_SHR, word, low) : word;
    if (low + bits < 32)
        code = lane_program_zero_extend(program, code, bits);
    switch (channel->numeric) {
    case FORMAT_NUMERIC_UNORM:
        return pixel_words_of_unorm(program, code, bits);
    case FORMAT_NUMERIC_SNORM:
        return pixel_words_of_snorm(program, code, bits);
    case FORMAT_NUMERIC_SFLOAT:
        return bits == 32 ? code : lane_program_unary(program, JIT_F32_OF_HALF, code);
    case FORMAT_NUMERIC_UFLOAT: /* a half without a sign, whose fraction is shorter */
        return lane_program_unary(program, JIT_F32_OF_HALF, lane_program_shift_by(program, JIT_SHL, code, 15 - bits));
    case FORMAT_NUMERIC_SINT:
        return bits == 32 ? code : lane_program_sign_extend(program, code, bits);
    default:
        return code;
    }
}

void pixel_words_unpack(struct lane_program *program, enum format format, const jit_value words[4],
                        jit_value colors_out[4])
{
    const struct format_info *info = format_info(format);
    for (unsigned c = 0; c < 4; c++)
        colors_out[c] = JIT_NONE;
    for (unsigned i = 0; i < info->channel_count; i++) {
        const struct format_channel *channel = &info->channels[i];
        colors_out[channel->component] = color_of(program, channel, words[channel->low_bit / 32]);
    }
}

/* ---- some bits ---- */

jit_value pixel_words_logic(struct lane_program *program, uint8_t code, jit_value word, jit_value stored)
{
    const jit_value not_word = lane_program_not(program, word), not_stored = lane_program_not(program, stored);
    const jit_value terms[4] = {lane_program_and(program, not_word, not_stored),
                                lane_program_and(program, not_word, stored),
                                lane_program_and(program, word, not_stored), lane_program_and(program, word, stored)};
    jit_value result = lane_program_const(program, 0);
    for (unsigned i = 0; i < 4; i++) {
        if (code >> i & 1)
            result = lane_program_or(program, result, terms[i]);
    }
    return result;
}

jit_value pixel_words_mix(struct lane_program *program, uint32_t mask, jit_value word, jit_value stored)
{
    if (mask == UINT32_MAX)
        return word;
    return lane_program_or(program, lane_program_and(program, word, lane_program_const(program, mask)),
                           lane_program_and(program, stored, lane_program_const(program, ~mask)));
}
