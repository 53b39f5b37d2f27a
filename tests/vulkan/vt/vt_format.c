/* See vt_format.h. */
#include "vt/vt_format.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define COLOR(name, size, kind, ...)                                                                                   \
    {                                                                                                                  \
        VK_FORMAT_##name, #name, size, 1, kind,                                                                        \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define BLOCK(name, size)                                                                                              \
    {                                                                                                                  \
        VK_FORMAT_##name, #name, size, 4, VT_BLOCK,                                                                    \
        {                                                                                                              \
            {                                                                                                          \
                0                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }
#define R(b)                                                                                                           \
    {                                                                                                                  \
        0, b                                                                                                           \
    }
#define RG(b)                                                                                                          \
    {0, b},                                                                                                            \
    {                                                                                                                  \
        b, b                                                                                                           \
    }
#define RGBA(b)                                                                                                        \
    {0, b}, {b, b}, {2 * (b), b},                                                                                      \
    {                                                                                                                  \
        3 * (b), b                                                                                                     \
    }

static const struct vt_format formats[] = {
    COLOR(R8_UNORM, 1, VT_UNORM, R(8)),
    COLOR(R8_SNORM, 1, VT_SNORM, R(8)),
    COLOR(R8_UINT, 1, VT_UINT, R(8)),
    COLOR(R8_SINT, 1, VT_SINT, R(8)),
    COLOR(R8_SRGB, 1, VT_SRGB, R(8)),
    COLOR(R8G8_UNORM, 2, VT_UNORM, RG(8)),
    COLOR(R8G8_SNORM, 2, VT_SNORM, RG(8)),
    COLOR(R8G8_UINT, 2, VT_UINT, RG(8)),
    COLOR(R8G8_SINT, 2, VT_SINT, RG(8)),
    COLOR(R8G8B8A8_UNORM, 4, VT_UNORM, RGBA(8)),
    COLOR(R8G8B8A8_SNORM, 4, VT_SNORM, RGBA(8)),
    COLOR(R8G8B8A8_UINT, 4, VT_UINT, RGBA(8)),
    COLOR(R8G8B8A8_SINT, 4, VT_SINT, RGBA(8)),
    COLOR(R8G8B8A8_SRGB, 4, VT_SRGB, RGBA(8)),
    COLOR(B8G8R8A8_UNORM, 4, VT_UNORM, {16, 8}, {8, 8}, {0, 8}, {24, 8}),
    COLOR(B8G8R8A8_SRGB, 4, VT_SRGB, {16, 8}, {8, 8}, {0, 8}, {24, 8}),
    COLOR(A8B8G8R8_UNORM_PACK32, 4, VT_UNORM, RGBA(8)),
    COLOR(R5G6B5_UNORM_PACK16, 2, VT_UNORM, {11, 5}, {5, 6}, {0, 5}),
    COLOR(A1R5G5B5_UNORM_PACK16, 2, VT_UNORM, {10, 5}, {5, 5}, {0, 5}, {15, 1}),
    COLOR(R4G4B4A4_UNORM_PACK16, 2, VT_UNORM, {12, 4}, {8, 4}, {4, 4}, {0, 4}),
    COLOR(A4R4G4B4_UNORM_PACK16, 2, VT_UNORM, {8, 4}, {4, 4}, {0, 4}, {12, 4}),
    COLOR(A4B4G4R4_UNORM_PACK16, 2, VT_UNORM, {0, 4}, {4, 4}, {8, 4}, {12, 4}),
    COLOR(A2B10G10R10_UNORM_PACK32, 4, VT_UNORM, {0, 10}, {10, 10}, {20, 10}, {30, 2}),
    COLOR(A2B10G10R10_UINT_PACK32, 4, VT_UINT, {0, 10}, {10, 10}, {20, 10}, {30, 2}),
    COLOR(A2R10G10B10_UNORM_PACK32, 4, VT_UNORM, {20, 10}, {10, 10}, {0, 10}, {30, 2}),
    COLOR(B10G11R11_UFLOAT_PACK32, 4, VT_UFLOAT, {0, 11}, {11, 11}, {22, 10}),
    COLOR(E5B9G9R9_UFLOAT_PACK32, 4, VT_SHARED_EXPONENT, {0, 9}, {9, 9}, {18, 9}),
    COLOR(R16_UNORM, 2, VT_UNORM, R(16)),
    COLOR(R16_SNORM, 2, VT_SNORM, R(16)),
    COLOR(R16_UINT, 2, VT_UINT, R(16)),
    COLOR(R16_SINT, 2, VT_SINT, R(16)),
    COLOR(R16_SFLOAT, 2, VT_SFLOAT, R(16)),
    COLOR(R16G16_UNORM, 4, VT_UNORM, RG(16)),
    COLOR(R16G16_SNORM, 4, VT_SNORM, RG(16)),
    COLOR(R16G16_UINT, 4, VT_UINT, RG(16)),
    COLOR(R16G16_SINT, 4, VT_SINT, RG(16)),
    COLOR(R16G16_SFLOAT, 4, VT_SFLOAT, RG(16)),
    COLOR(R16G16B16A16_UNORM, 8, VT_UNORM, RGBA(16)),
    COLOR(R16G16B16A16_SNORM, 8, VT_SNORM, RGBA(16)),
    COLOR(R16G16B16A16_UINT, 8, VT_UINT, RGBA(16)),
    COLOR(R16G16B16A16_SINT, 8, VT_SINT, RGBA(16)),
    COLOR(R16G16B16A16_SFLOAT, 8, VT_SFLOAT, RGBA(16)),
    COLOR(R32_UINT, 4, VT_UINT, R(32)),
    COLOR(R32_SINT, 4, VT_SINT, R(32)),
    COLOR(R32_SFLOAT, 4, VT_SFLOAT, R(32)),
    COLOR(R32G32_UINT, 8, VT_UINT, RG(32)),
    COLOR(R32G32_SINT, 8, VT_SINT, RG(32)),
    COLOR(R32G32_SFLOAT, 8, VT_SFLOAT, RG(32)),
    COLOR(R32G32B32_SFLOAT, 12, VT_SFLOAT, {0, 32}, {32, 32}, {64, 32}),
    COLOR(R32G32B32_UINT, 12, VT_UINT, {0, 32}, {32, 32}, {64, 32}),
    COLOR(R32G32B32A32_UINT, 16, VT_UINT, RGBA(32)),
    COLOR(R32G32B32A32_SINT, 16, VT_SINT, RGBA(32)),
    COLOR(R32G32B32A32_SFLOAT, 16, VT_SFLOAT, RGBA(32)),
    COLOR(D16_UNORM, 2, VT_UNORM, R(16)),
    COLOR(X8_D24_UNORM_PACK32, 4, VT_UNORM, R(24)),
    COLOR(D32_SFLOAT, 4, VT_SFLOAT, R(32)),
    COLOR(S8_UINT, 1, VT_UINT, R(8)),
    BLOCK(BC1_RGB_UNORM_BLOCK, 8),
    BLOCK(BC1_RGBA_UNORM_BLOCK, 8),
    BLOCK(BC1_RGBA_SRGB_BLOCK, 8),
    BLOCK(BC2_UNORM_BLOCK, 16),
    BLOCK(BC3_UNORM_BLOCK, 16),
    BLOCK(BC4_UNORM_BLOCK, 8),
    BLOCK(BC4_SNORM_BLOCK, 8),
    BLOCK(BC5_UNORM_BLOCK, 16),
    BLOCK(BC5_SNORM_BLOCK, 16),
    BLOCK(BC6H_UFLOAT_BLOCK, 16),
    BLOCK(BC6H_SFLOAT_BLOCK, 16),
    BLOCK(BC7_UNORM_BLOCK, 16),
    BLOCK(BC7_SRGB_BLOCK, 16),
    BLOCK(ETC2_R8G8B8_UNORM_BLOCK, 8),
    BLOCK(ASTC_4x4_UNORM_BLOCK, 16),
};

const struct vt_format *vt_format(VkFormat format)
{
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        if (formats[i].format == format)
            return &formats[i];
    }
    return NULL;
}

VkImageAspectFlags vt_aspects(VkFormat format)
{
    switch (format) {
    case VK_FORMAT_D16_UNORM:
    case VK_FORMAT_D32_SFLOAT:
    case VK_FORMAT_X8_D24_UNORM_PACK32:
        return VK_IMAGE_ASPECT_DEPTH_BIT;
    case VK_FORMAT_S8_UINT:
        return VK_IMAGE_ASPECT_STENCIL_BIT;
    case VK_FORMAT_D16_UNORM_S8_UINT:
    case VK_FORMAT_D24_UNORM_S8_UINT:
    case VK_FORMAT_D32_SFLOAT_S8_UINT:
        return VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
    default:
        return VK_IMAGE_ASPECT_COLOR_BIT;
    }
}

double vt_srgb_to_linear(double value)
{
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static double vt_linear_to_srgb(double value)
{
    return value <= 0.0031308 ? value * 12.92 : 1.055 * pow(value, 1 / 2.4) - 0.055;
}

/* A float of `mantissa` bits under five bits of exponent: the halves and the 11- and 10-bit numbers. */
static double small_float(uint32_t bits, int mantissa)
{
    int exponent = (int)(bits >> mantissa) & 31;
    uint32_t fraction = bits & ((1u << mantissa) - 1);
    if (exponent == 31)
        return fraction ? NAN : INFINITY;
    return exponent ? ldexp((1u << mantissa) + fraction, exponent - 15 - mantissa) : ldexp(fraction, -14 - mantissa);
}

static uint32_t small_float_bits(double value, int mantissa)
{
    if (value <= 0)
        return 0;
    int exponent;
    frexp(value, &exponent);
    exponent = exponent - 1 < -14 ? -14 : exponent - 1;
    double fraction = rint(ldexp(value, mantissa - exponent));
    uint32_t bits = (uint32_t)fraction + ((uint32_t)(exponent + 14) << mantissa);
    return bits < 31u << mantissa ? bits : 31u << mantissa;
}

double vt_half_value(uint16_t bits)
{
    double magnitude = small_float(bits & 0x7fff, 10);
    return bits & 0x8000 ? -magnitude : magnitude;
}

uint16_t vt_half_bits(double value)
{
    return (uint16_t)(small_float_bits(fabs(value), 10) | (signbit(value) ? 0x8000 : 0));
}

static double clamp_number(double value, double low, double high)
{
    return value > low ? (value < high ? value : high) : low;
}

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static uint32_t encode_component(const struct vt_format *format, unsigned index, double value)
{
    unsigned bits = format->component[index].bits;
    double top = ldexp(1, (int)bits) - 1, signed_top = ldexp(1, (int)bits - 1) - 1;
    switch (format->kind) {
    case VT_UNORM:
        return (uint32_t)rint(clamp_number(value, 0, 1) * top);
    case VT_SRGB:
        return (uint32_t)rint((index < 3 ? vt_linear_to_srgb(clamp_number(value, 0, 1)) : clamp_number(value, 0, 1)) *
                              top);
    case VT_SNORM:
        return (uint32_t)(int32_t)rint(clamp_number(value, -1, 1) * signed_top);
    case VT_UINT:
        return (uint32_t)clamp_number(value, 0, top);
    case VT_SINT:
        return (uint32_t)(int32_t)clamp_number(value, -signed_top - 1, signed_top);
    case VT_SFLOAT:
        return bits == 16 ? vt_half_bits(value) : float_bits((float)value);
    case VT_UFLOAT:
        return small_float_bits(value, (int)bits - 5);
    default:
        return 0;
    }
}

static double decode_component(const struct vt_format *format, unsigned index, uint32_t code)
{
    unsigned bits = format->component[index].bits;
    double top = ldexp(1, (int)bits) - 1, signed_top = ldexp(1, (int)bits - 1) - 1;
    int32_t signed_code = (int32_t)(code << (32 - bits)) >> (32 - bits);
    float single;
    switch (format->kind) {
    case VT_UNORM:
        return code / top;
    case VT_SRGB:
        return index < 3 ? vt_srgb_to_linear(code / top) : code / top;
    case VT_SNORM:
        return clamp_number(signed_code / signed_top, -1, 1);
    case VT_UINT:
        return code;
    case VT_SINT:
        return signed_code;
    case VT_SFLOAT:
        if (bits == 16)
            return vt_half_value((uint16_t)code);
        memcpy(&single, &code, sizeof(single));
        return single;
    case VT_UFLOAT:
        return small_float(code, (int)bits - 5);
    default:
        return 0;
    }
}

/* Codes of up to 32 bits at any place of a texel. */
static void put_bits(uint8_t *texel, unsigned shift, unsigned bits, uint32_t code)
{
    for (unsigned i = 0; i < bits; i++) {
        unsigned at = shift + i;
        texel[at / 8] = (uint8_t)((texel[at / 8] & ~(1u << at % 8)) | (code >> i & 1) << at % 8);
    }
}

static uint32_t get_bits(const uint8_t *texel, unsigned shift, unsigned bits)
{
    if (shift % 8 == 0 && bits % 8 == 0) {
        uint32_t code = 0;
        memcpy(&code, texel + shift / 8, bits / 8);
        return code;
    }
    uint32_t word;
    memcpy(&word, texel + shift / 32 * 4, shift + bits > 16 ? 4 : 2);
    return word >> shift % 32 & ((1u << bits) - 1);
}

void vt_encode(const struct vt_format *format, const double color[4], void *texel_out)
{
    memset(texel_out, 0, format->texel_B);
    for (unsigned i = 0; i < 4; i++) {
        if (format->component[i].bits)
            put_bits(texel_out, format->component[i].shift, format->component[i].bits,
                     encode_component(format, i, color[i]));
    }
    if (format->kind != VT_SHARED_EXPONENT)
        return;
    double most = fmax(fmax(clamp_number(color[0], 0, 65408), clamp_number(color[1], 0, 65408)),
                       clamp_number(color[2], 0, 65408));
    int exponent = 0;
    frexp(most, &exponent);
    exponent = most > 0 && exponent > -15 ? exponent : -15;
    if (rint(ldexp(most, 9 - exponent)) == 512)
        exponent++;
    for (unsigned i = 0; i < 3; i++)
        put_bits(texel_out, i * 9, 9, (uint32_t)rint(ldexp(clamp_number(color[i], 0, 65408), 9 - exponent)));
    put_bits(texel_out, 27, 5, (uint32_t)(exponent + 15));
}

void vt_decode(const struct vt_format *format, const void *texel, double color_out[4])
{
    for (unsigned i = 0; i < 4; i++) {
        unsigned bits = format->component[i].bits;
        color_out[i] = bits ? decode_component(format, i, get_bits(texel, format->component[i].shift, bits)) : (i == 3);
    }
    if (format->kind != VT_SHARED_EXPONENT)
        return;
    int exponent = (int)get_bits(texel, 27, 5);
    for (unsigned i = 0; i < 3; i++)
        color_out[i] = ldexp(get_bits(texel, i * 9, 9), exponent - 24);
}

double vt_step(const struct vt_format *format, unsigned component, double value)
{
    unsigned bits = format->component[component].bits;
    if (bits == 0 && format->kind != VT_SHARED_EXPONENT)
        return 0;
    int exponent;
    frexp(value, &exponent);
    switch (format->kind) {
    case VT_UNORM:
        return 1 / (ldexp(1, (int)bits) - 1);
    case VT_SRGB: {
        double coded = component < 3 ? vt_linear_to_srgb(clamp_number(value, 0, 1)) : 0;
        return component < 3 ? fabs(vt_srgb_to_linear(coded + 1 / 255.0) - vt_srgb_to_linear(coded)) : 1 / 255.0;
    }
    case VT_SNORM:
        return 1 / (ldexp(1, (int)bits - 1) - 1);
    case VT_SFLOAT:
        return ldexp(1, exponent - (bits == 16 ? 11 : 24));
    case VT_UFLOAT:
        return ldexp(1, exponent - ((int)bits - 4));
    case VT_SHARED_EXPONENT:
        return ldexp(1, exponent - 8);
    default:
        return 0;
    }
}
