/* Halves to the elements of any format whose channels are fixed-point numbers or unsigned floats, and words to those of
 * fixed-point numbers and integers, in lane programs. See pixel_program.h; the results are those of the format's codec
 * (util/format/channel.h). */
#include "model/pixel/pixel_program.h"
#include "util/half.h"

#define INFINITY_F16 0x7c00u
#define QUIET_F16 0x200u
#define FRACTION_F16 10
#define WHOLE 0x1.8p23f /* the lowest bits of a sum with it are the rounded number */
#define WHOLE_BITS 0x4b400000u

static jit_value constant(struct lane_program *program, float value)
{
    return lane_program_const(program, float_bits(value));
}

static bool is_packed(const struct format_channel *channel)
{
    switch (channel->numeric) {
    case FORMAT_NUMERIC_UNORM:
    case FORMAT_NUMERIC_SNORM:
        return channel->bits <= 11; /* what a half's smallest numbers come to is 0 */
    case FORMAT_NUMERIC_UFLOAT:
        return channel->bits == 10 || channel->bits == 11;
    default:
        return false;
    }
}

static bool packs_channels(enum format format, bool (*is_packed_channel)(const struct format_channel *channel))
{
    const struct format_info *info = format_info(format);
    bool packs = info && info->aspects == FORMAT_ASPECT_COLOR && info->plane_count <= 1 && !info->compression &&
                 info->block_width == 1 && info->block_size_B <= 4 && info->block_size_B != 3;
    for (unsigned i = 0; packs && i < info->channel_count; i++)
        packs = info->channels[i].component <= FORMAT_COMPONENT_A && is_packed_channel(&info->channels[i]);
    return packs;
}

bool pixel_program_packs(enum format format)
{
    return packs_channels(format, is_packed);
}

/* Codes of 16 bits are the lowest bits of a sum with WHOLE. */
static bool is_packed_word(const struct format_channel *channel)
{
    switch (channel->numeric) {
    case FORMAT_NUMERIC_UNORM:
    case FORMAT_NUMERIC_SNORM:
    case FORMAT_NUMERIC_UINT:
    case FORMAT_NUMERIC_SINT:
        return channel->bits <= 16;
    default:
        return false;
    }
}

bool pixel_program_packs_words(enum format format)
{
    return packs_channels(format, is_packed_word) && format_info(format)->block_size_B > 1;
}

/* A code with WHOLE_BITS added to it. */
static jit_value unorm_of(struct lane_program *program, jit_value half, unsigned bits)
{
    return lane_program_fma_f32(program, pixel_program_code_of_half(program, half),
                                constant(program, (float)((1u << bits) - 1)), constant(program, WHOLE));
}

/* Clamped; a NaN becomes 0. */
static jit_value snorm_of_float(struct lane_program *program, jit_value value, unsigned bits)
{
    const jit_value number = lane_program_and(program, lane_program_feq(program, value, value), value),
                    above = lane_program_emit(program, JIT_FMAX_NUMBER, number, constant(program, -1), JIT_NONE, 0),
                    unit = lane_program_emit(program, JIT_FMIN_NUMBER, above, constant(program, 1), JIT_NONE, 0),
                    sum = lane_program_fma_f32(program, unit, constant(program, (float)((1u << (bits - 1)) - 1)),
                                               constant(program, WHOLE));
    return lane_program_zero_extend(program, sum, bits);
}

static jit_value snorm_of(struct lane_program *program, jit_value half, unsigned bits)
{
    return snorm_of_float(program, lane_program_unary(program, JIT_F32_OF_HALF, half), bits);
}

/* Exponents are those of halves, so that the fraction alone is rounded, to nearest even, and may carry up to infinity.
 * What is negative is 0, but a NaN of any sign stays one. */
static jit_value ufloat_of(struct lane_program *program, jit_value half, unsigned bits)
{
    const unsigned cut = FRACTION_F16 + 5 - bits;
    const jit_value last = lane_program_shift_by(program, JIT_SHR, half, cut),
                    odd = lane_program_and(program, last, lane_program_const(program, 1)),
                    bias = lane_program_add(program, half, lane_program_const(program, (1u << (cut - 1)) - 1)),
                    rounded = lane_program_shift_by(program, JIT_SHR, lane_program_add(program, bias, odd), cut);
    const jit_value infinity = lane_program_const(program, INFINITY_F16),
                    is_number = lane_program_le_i(program, half, infinity),
                    magnitude = lane_program_and(program, half, lane_program_const(program, 0x7fff)),
                    is_nan = lane_program_lt_i(program, infinity, magnitude),
                    nan = lane_program_shift_by(
                        program, JIT_SHR, lane_program_or(program, magnitude, lane_program_const(program, QUIET_F16)),
                        cut);
    return lane_program_or(program, lane_program_and(program, is_number, rounded),
                           lane_program_and(program, is_nan, nan));
}

jit_value pixel_program_pack_halves(struct lane_program *program, enum format format, const jit_value halves[4])
{
    const struct format_info *info = format_info(format);
    jit_value sum = lane_program_const(program, 0);
    uint32_t above = 0; /* of WHOLE_BITS, all together */
    for (unsigned i = 0; i < info->channel_count; i++) {
        const struct format_channel *channel = &info->channels[i];
        const jit_value half = halves[channel->component];
        jit_value code;
        if (channel->numeric == FORMAT_NUMERIC_UNORM) {
            code = unorm_of(program, half, channel->bits);
            above += WHOLE_BITS << channel->low_bit;
        } else if (channel->numeric == FORMAT_NUMERIC_SNORM) {
            code = snorm_of(program, half, channel->bits);
        } else {
            code = ufloat_of(program, half, channel->bits);
        }
        sum = lane_program_add(program, sum, lane_program_shift_by(program, JIT_SHL, code, channel->low_bit));
    }
    return above ? lane_program_sub(program, sum, lane_program_const(program, above)) : sum;
}

/* A channel's code; of unorm with WHOLE_BITS added to it. */
static jit_value code_of_word(struct lane_program *program, const struct format_channel *channel, jit_value word)
{
    const uint32_t all = (1u << channel->bits) - 1;
    jit_value low;
    switch (channel->numeric) {
    case FORMAT_NUMERIC_UNORM:
        return lane_program_fma_f32(program, pixel_program_unit(program, word), constant(program, (float)all),
                                    constant(program, WHOLE));
    case FORMAT_NUMERIC_SNORM:
        return snorm_of_float(program, word, channel->bits);
    case FORMAT_NUMERIC_UINT:
        return lane_program_emit(program, JIT_MIN_U, word, lane_program_const(program, all), JIT_NONE, 0);
    default:
        low = lane_program_emit(program, JIT_MAX_I, word, lane_program_const(program, ~(all >> 1)), JIT_NONE, 0);
        return lane_program_zero_extend(program,
                                        lane_program_min_i(program, low, lane_program_const(program, all >> 1)),
                                        channel->bits);
    }
}

jit_value pixel_program_pack_words(struct lane_program *program, enum format format, const jit_value words[4])
{
    const struct format_info *info = format_info(format);
    jit_value sum = lane_program_const(program, 0);
    uint32_t above = 0; /* of WHOLE_BITS, all together */
    for (unsigned i = 0; i < info->channel_count; i++) {
        const struct format_channel *channel = &info->channels[i];
        const jit_value code = code_of_word(program, channel, words[channel->component]);
        above += channel->numeric == FORMAT_NUMERIC_UNORM ? WHOLE_BITS << channel->low_bit : 0;
        sum = lane_program_add(program, sum, lane_program_shift_by(program, JIT_SHL, code, channel->low_bit));
    }
    return above ? lane_program_sub(program, sum, lane_program_const(program, above)) : sum;
}
