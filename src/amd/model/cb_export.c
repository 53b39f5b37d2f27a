/* Exported colours as numbers. Rows are converted a channel at a time, in loops that become vectors. */
#include "amd/model/cb.h"

#include <string.h>

#include "amd/hw/enums.h"
#include "util/half.h"

/* half_to_float without a branch: by the host's own instruction, or the exponent is moved by a multiplication, which
 * also makes subnormal halves right. */
static inline float half_lane(uint32_t half)
{
#if defined(__aarch64__)
    uint16_t bits16 = (uint16_t)half;
    __fp16 value16;
    memcpy(&value16, &bits16, sizeof(value16));
    return (float)value16;
#else
    float value = bits_float((half & 0x7fff) << 13) * 0x1p112f;
    uint32_t bits = float_bits(value);
    bits |= (half & 0x7c00) == 0x7c00 ? 0xffu << 23 : 0;
    return bits_float(bits | (half & 0x8000) << 16);
#endif
}

/* Two 16-bit channels a row: R and G in the first, B and A in the second. */
static inline uint32_t channel16(const uint32_t rows[4][CB_MAX_LANES], unsigned lane, unsigned c)
{
    return rows[c / 2][lane] >> (c & 1) * 16 & 0xffff;
}

/* One channel of a float target, for all lanes. */
static void float_channel(const struct cb_target *target, const uint32_t rows[4][CB_MAX_LANES], unsigned c,
                          float out[CB_MAX_LANES])
{
    switch ((enum amd_EXPORT_FORMAT)target->export_format) {
    case AMD_EXPORT_FORMAT_FP16_ABGR:
        for (unsigned lane = 0; lane < CB_MAX_LANES; lane++)
            out[lane] = half_lane(channel16(rows, lane, c));
        break;
    case AMD_EXPORT_FORMAT_UNORM16_ABGR:
        for (unsigned lane = 0; lane < CB_MAX_LANES; lane++)
            out[lane] = (float)channel16(rows, lane, c) / 65535.0f;
        break;
    case AMD_EXPORT_FORMAT_SNORM16_ABGR:
        for (unsigned lane = 0; lane < CB_MAX_LANES; lane++) {
            float value = (float)(int16_t)channel16(rows, lane, c) / 32767.0f;
            out[lane] = value < -1 ? -1 : value;
        }
        break;
    case AMD_EXPORT_FORMAT_32_AR: /* alpha comes in the second channel */
        if (c == 0 || c == 3)
            memcpy(out, rows[c ? 1 : 0], CB_MAX_LANES * sizeof(float));
        else
            memset(out, 0, CB_MAX_LANES * sizeof(float));
        break;
    default:
        memcpy(out, rows[c], CB_MAX_LANES * sizeof(float));
        break;
    }
}

static uint32_t integer(const struct cb_target *target, const uint32_t rows[4][CB_MAX_LANES], unsigned lane, unsigned c)
{
    switch ((enum amd_EXPORT_FORMAT)target->export_format) {
    case AMD_EXPORT_FORMAT_UINT16_ABGR:
        return channel16(rows, lane, c);
    case AMD_EXPORT_FORMAT_SINT16_ABGR:
        return (uint32_t)(int16_t)channel16(rows, lane, c);
    case AMD_EXPORT_FORMAT_32_AR:
        return c == 0 ? rows[0][lane] : c == 3 ? rows[1][lane] : 0;
    default:
        return rows[c][lane];
    }
}

void cb_convert(const struct cb_target *target, const uint32_t rows[4][CB_MAX_LANES], uint32_t lanes,
                union cb_color *colors)
{
    for (unsigned c = 0; c < 4; c++) {
        if (target->numeric == CB_FLOAT) {
            float channel[CB_MAX_LANES];
            float_channel(target, rows, c, channel);
            for (uint32_t lane = 0; lane < lanes; lane++)
                colors[lane].f[c] = channel[lane];
        } else {
            for (uint32_t lane = 0; lane < lanes; lane++)
                colors[lane].u[c] = integer(target, rows, lane, c);
        }
    }
}

/* To the nearest code, ties to even: the sum's lowest bits are the rounded number. NaN becomes 0. */
static inline uint32_t unorm8(float value)
{
    float clamped = value > 0 ? value : 0;
    clamped = clamped < 1 ? clamped : 1;
    return float_bits(clamped * 255.0f + 0x1.8p23f) & 0xff;
}

void cb_convert_plain8(const struct cb_target *target, const uint32_t rows[4][CB_MAX_LANES], uint32_t lanes,
                       uint32_t *codes)
{
    float channel[CB_MAX_LANES];
    for (unsigned k = 0; k < 4; k++) {
        float_channel(target, rows, target->from[k], channel);
        for (unsigned lane = 0; lane < CB_MAX_LANES; lane++)
            codes[lane] = (k ? codes[lane] : 0) | unorm8(channel[lane]) << k * 8;
    }
}
