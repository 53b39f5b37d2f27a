/* Descriptors of samplers, and border colours. */
#include "adreno/driver/sampler.h"

#include <math.h>
#include <string.h>

#include "adreno/hw/descriptors.h"
#include "adreno/hw/enums.h"
#include "util/bits.h"
#include "util/half.h"

/* ---- descriptors ---- */

static enum adreno_TEX_CLAMP clamp_of(VkSamplerAddressMode mode)
{
    static const uint8_t map[] = {
        [VK_SAMPLER_ADDRESS_MODE_REPEAT] = ADRENO_TEX_CLAMP_REPEAT,
        [VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT] = ADRENO_TEX_CLAMP_MIRROR_REPEAT,
        [VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE] = ADRENO_TEX_CLAMP_CLAMP_TO_EDGE,
        [VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER] = ADRENO_TEX_CLAMP_CLAMP_TO_BORDER,
        [VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE] = ADRENO_TEX_CLAMP_MIRROR_CLAMP,
    };
    return (enum adreno_TEX_CLAMP)map[mode];
}

static enum adreno_TEX_FILTER filter_of(VkFilter filter, bool is_anisotropic)
{
    switch (filter) {
    case VK_FILTER_NEAREST:
        return ADRENO_TEX_FILTER_NEAREST;
    case VK_FILTER_LINEAR:
        return is_anisotropic ? ADRENO_TEX_FILTER_ANISO : ADRENO_TEX_FILTER_LINEAR;
    default:
        return ADRENO_TEX_FILTER_CUBIC;
    }
}

static enum adreno_REDUCTION reduction_of(VkSamplerReductionMode mode)
{
    switch (mode) {
    case VK_SAMPLER_REDUCTION_MODE_MIN:
        return ADRENO_REDUCTION_MIN;
    case VK_SAMPLER_REDUCTION_MODE_MAX:
        return ADRENO_REDUCTION_MAX;
    default:
        return ADRENO_REDUCTION_AVERAGE;
    }
}

static uint32_t fixed_lod(float lod)
{
    return (uint32_t)(MIN2(MAX2(lod, 0.0f), 4095.0f / 256.0f) * 256.0f);
}

static int32_t fixed_bias(float bias)
{
    return (int32_t)(MIN2(MAX2(bias, -16.0f), 4095.0f / 256.0f) * 256.0f);
}

void adreno_sampler_words(const struct vk_sampler *sampler, uint32_t border, uint32_t words_out[ADRENO_SAMPLER_DW])
{
    const bool is_anisotropic = sampler->max_anisotropy > 1.0f;
    /* Without normalised coordinates there is one level. */
    const bool has_levels = !sampler->unnormalized;
    const struct adreno_desc_SAMPLER d = {
        .MIPFILTER_LINEAR_NEAR = has_levels && sampler->mipmap_mode == VK_SAMPLER_MIPMAP_MODE_LINEAR,
        .XY_MAG = filter_of(sampler->mag_filter, is_anisotropic),
        .XY_MIN = filter_of(sampler->min_filter, is_anisotropic),
        .WRAP_S = clamp_of(sampler->address_modes[0]),
        .WRAP_T = clamp_of(sampler->address_modes[1]),
        .WRAP_R = clamp_of(sampler->address_modes[2]),
        .ANISO = is_anisotropic
                     ? (enum adreno_TEX_ANISO)MIN2(log2_floor((uint32_t)sampler->max_anisotropy), ADRENO_TEX_ANISO_16)
                     : ADRENO_TEX_ANISO_1,
        .LOD_BIAS = fixed_bias(sampler->lod_bias),
        /* The specification's comparisons have the hardware's numbers. */
        .COMPARE_FUNC =
            sampler->compare_enable ? (enum adreno_COMPARE_FUNC)sampler->compare_op : ADRENO_COMPARE_FUNC_NEVER,
        .CUBEMAPSEAMLESSFILTOFF = sampler->flags & VK_SAMPLER_CREATE_NON_SEAMLESS_CUBE_MAP_BIT_EXT ? true : false,
        .UNNORM_COORDS = sampler->unnormalized,
        .MIPFILTER_LINEAR_FAR = false,
        .MAX_LOD = fixed_lod(sampler->max_lod),
        .MIN_LOD = fixed_lod(sampler->min_lod),
        .REDUCTION_MODE = reduction_of(sampler->reduction_mode),
        .BCOLOR = border,
    };
    adreno_pack_desc_SAMPLER(words_out, &d);
}

/* ---- border colours ---- */

static uint32_t unorm(float value, unsigned bits)
{
    const float top = (float)((1u << bits) - 1);
    return (uint32_t)lrintf(MIN2(MAX2(value, 0.0f), 1.0f) * top);
}

static uint32_t snorm(float value, unsigned bits)
{
    const float top = (float)((1u << (bits - 1)) - 1);
    return (uint32_t)lrintf(MIN2(MAX2(value, -1.0f), 1.0f) * top) & ((1u << bits) - 1);
}

static float curve(float value)
{
    value = MIN2(MAX2(value, 0.0f), 1.0f);
    return value <= 0.0031308f ? value * 12.92f : 1.055f * powf(value, 1.0f / 2.4f) - 0.055f;
}

static void float_border(const float color[4], struct adreno_desc_BORDER_COLOR *d)
{
    uint32_t half[4], u16[4], s16[4], u8[4], s8[4], srgb[4];
    for (unsigned i = 0; i < 4; i++) {
        half[i] = float_to_half_rtne(color[i]);
        u16[i] = unorm(color[i], 16);
        s16[i] = snorm(color[i], 16);
        u8[i] = unorm(color[i], 8);
        s8[i] = snorm(color[i], 8);
        srgb[i] = float_to_half_rtne(i < 3 ? curve(color[i]) : color[i]);
    }
    *d = (struct adreno_desc_BORDER_COLOR){
        .FP32_R = color[0],
        .FP32_G = color[1],
        .FP32_B = color[2],
        .FP32_A = color[3],
        .UI16_R = u16[0],
        .UI16_G = u16[1],
        .UI16_B = u16[2],
        .UI16_A = u16[3],
        .SI16_R = s16[0],
        .SI16_G = s16[1],
        .SI16_B = s16[2],
        .SI16_A = s16[3],
        .FP16_R = half[0],
        .FP16_G = half[1],
        .FP16_B = half[2],
        .FP16_A = half[3],
        .RGB565 = unorm(color[0], 5) | unorm(color[1], 6) << 5 | unorm(color[2], 5) << 11,
        .RGB5A1 = unorm(color[0], 5) | unorm(color[1], 5) << 5 | unorm(color[2], 5) << 10 | unorm(color[3], 1) << 15,
        .RGBA4 = unorm(color[0], 4) | unorm(color[1], 4) << 4 | unorm(color[2], 4) << 8 | unorm(color[3], 4) << 12,
        .UI8_R = u8[0],
        .UI8_G = u8[1],
        .UI8_B = u8[2],
        .UI8_A = u8[3],
        .SI8_R = s8[0],
        .SI8_G = s8[1],
        .SI8_B = s8[2],
        .SI8_A = s8[3],
        .RGB10A2 =
            unorm(color[0], 10) | unorm(color[1], 10) << 10 | unorm(color[2], 10) << 20 | unorm(color[3], 2) << 30,
        .Z24 = unorm(color[0], 24),
        .SRGB_R = srgb[0],
        .SRGB_G = srgb[1],
        .SRGB_B = srgb[2],
        .SRGB_A = srgb[3],
    };
}

static void int_border(const uint32_t color[4], struct adreno_desc_BORDER_COLOR *d)
{
    const uint32_t m16 = 0xffff, m8 = 0xff;
    *d = (struct adreno_desc_BORDER_COLOR){
        .FP32_R = bits_float(color[0]),
        .FP32_G = bits_float(color[1]),
        .FP32_B = bits_float(color[2]),
        .FP32_A = bits_float(color[3]),
        .UI16_R = color[0] & m16,
        .UI16_G = color[1] & m16,
        .UI16_B = color[2] & m16,
        .UI16_A = color[3] & m16,
        .SI16_R = color[0] & m16,
        .SI16_G = color[1] & m16,
        .SI16_B = color[2] & m16,
        .SI16_A = color[3] & m16,
        .UI8_R = color[0] & m8,
        .UI8_G = color[1] & m8,
        .UI8_B = color[2] & m8,
        .UI8_A = color[3] & m8,
        .SI8_R = color[0] & m8,
        .SI8_G = color[1] & m8,
        .SI8_B = color[2] & m8,
        .SI8_A = color[3] & m8,
        .RGB10A2 = (color[0] & 0x3ff) | (color[1] & 0x3ff) << 10 | (color[2] & 0x3ff) << 20 | color[3] << 30,
    };
}

void adreno_border_words(const VkClearColorValue *color, bool is_int, uint32_t words_out[ADRENO_BORDER_DW])
{
    struct adreno_desc_BORDER_COLOR d;
    if (is_int)
        int_border(color->uint32, &d);
    else
        float_border(color->float32, &d);
    adreno_pack_desc_BORDER_COLOR(words_out, &d);
    /* A number that is no float stays as it is. */
    memcpy(words_out, color->uint32, sizeof(color->uint32));
}

void adreno_border_table_init(uint32_t (*table)[ADRENO_BORDER_DW])
{
    for (unsigned i = 0; i < ADRENO_FIRST_CUSTOM_BORDER; i++) {
        const VkBorderColor name = (VkBorderColor)i;
        const bool is_int = vk_border_color_is_int(name);
        const bool is_white = name == VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE || name == VK_BORDER_COLOR_INT_OPAQUE_WHITE;
        const bool is_opaque =
            is_white || name == VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK || name == VK_BORDER_COLOR_INT_OPAQUE_BLACK;
        VkClearColorValue color;
        for (unsigned c = 0; c < 4; c++) {
            const bool is_one = c < 3 ? is_white : is_opaque;
            color.uint32[c] = is_int ? is_one : is_one ? float_bits(1.0f) : 0;
        }
        adreno_border_words(&color, is_int, table[i]);
    }
}
