/* The calls of format.h that decode a block of any compressed format. */
#include "util/format/astc.h"
#include "util/format/bc.h"
#include "util/format/channel.h"
#include "util/format/etc2.h"
#include "util/format/format.h"

_Static_assert(ASTC_MAX_TEXELS == FORMAT_BLOCK_MAX_TEXELS, "no block is larger than ASTC's largest");

enum format format_block_texel_format(enum format format)
{
    const struct format_info *info = format_info(format);
    if (!info)
        return FORMAT_UNDEFINED;
    bool srgb = format_is_srgb(info), is_signed = info->numeric == FORMAT_NUMERIC_SNORM;
    switch ((enum format_compression)info->compression) {
    case FORMAT_COMPRESSION_BC:
        return info->class == FORMAT_CLASS_BC7    ? srgb ? FORMAT_R8G8B8A8_SRGB : FORMAT_R8G8B8A8_UNORM
               : info->class == FORMAT_CLASS_BC6H ? FORMAT_R16G16B16A16_SFLOAT
                                                  : FORMAT_R32G32B32A32_SFLOAT;
    case FORMAT_COMPRESSION_ETC2:
        return srgb ? FORMAT_R8G8B8A8_SRGB : FORMAT_R8G8B8A8_UNORM;
    case FORMAT_COMPRESSION_EAC:
        if (info->component_count == 2)
            return is_signed ? FORMAT_R16G16_SNORM : FORMAT_R16G16_UNORM;
        return is_signed ? FORMAT_R16_SNORM : FORMAT_R16_UNORM;
    case FORMAT_COMPRESSION_ASTC_LDR:
        return srgb ? FORMAT_R8G8B8A8_SRGB : FORMAT_R16G16B16A16_SFLOAT;
    case FORMAT_COMPRESSION_NONE:
    case FORMAT_COMPRESSION_ASTC_HDR:
        break;
    }
    return FORMAT_UNDEFINED;
}

static void etc2_codes(enum format format, uint8_t (*dst)[4], const uint8_t *block)
{
    bool has_alpha = format == FORMAT_ETC2_R8G8B8A8_UNORM_BLOCK || format == FORMAT_ETC2_R8G8B8A8_SRGB_BLOCK;
    bool punchthrough = format == FORMAT_ETC2_R8G8B8A1_UNORM_BLOCK || format == FORMAT_ETC2_R8G8B8A1_SRGB_BLOCK;
    etc2_decode_colour(dst, has_alpha ? block + 8 : block, punchthrough);
    if (has_alpha)
        etc2_decode_alpha(dst, block);
}

static void eac_numbers(const struct format_info *info, uint16_t *dst, const uint8_t *block)
{
    for (unsigned i = 0; i < info->component_count; i++)
        eac_decode(dst + i, info->component_count, block + 8 * i, info->numeric == FORMAT_NUMERIC_SNORM);
}

static void astc_codes(const struct format_info *info, uint8_t (*dst)[4], const uint8_t *block)
{
    uint16_t texels[ASTC_MAX_TEXELS][4];
    astc_decode(texels, info->block_width, info->block_height, format_is_srgb(info), block);
    for (unsigned texel = 0; texel < (unsigned)info->block_width * info->block_height; texel++)
        for (unsigned i = 0; i < 4; i++)
            dst[texel][i] = (uint8_t)(texels[texel][i] >> 8);
}

/* A unorm16 number as binary16: of 65536 instead of 65535, rounded towards zero; the largest one is 1. */
static uint16_t astc_half(uint16_t number)
{
    if (number == 0xffff)
        return 0x3c00;
    if (number < 4) /* below 2^-14: subnormal */
        return (uint16_t)(number << 8);
    unsigned top = 31u - (unsigned)__builtin_clz(number);
    unsigned mantissa = (top > 10 ? (unsigned)number >> (top - 10) : (unsigned)number << (10 - top)) & 0x3ff;
    return (uint16_t)((top - 1) << 10 | mantissa);
}

static void astc_halves(const struct format_info *info, uint16_t (*dst)[4], const uint8_t *block)
{
    astc_decode(dst, info->block_width, info->block_height, false, block);
    for (unsigned texel = 0; texel < (unsigned)info->block_width * info->block_height; texel++)
        for (unsigned i = 0; i < 4; i++)
            dst[texel][i] = astc_half(dst[texel][i]);
}

static void bc6h_halves(uint16_t (*dst)[4], const uint8_t *block, bool is_signed)
{
    uint16_t halves[16][3];
    bc6h_decode(halves, block, is_signed);
    for (unsigned texel = 0; texel < 16; texel++) {
        memcpy(dst[texel], halves[texel], sizeof(halves[texel]));
        dst[texel][3] = 0x3c00;
    }
}

bool format_decode_block(enum format format, void *dst, const void *block)
{
    const struct format_info *info = format_info(format);
    switch (info ? (enum format_compression)info->compression : FORMAT_COMPRESSION_NONE) {
    case FORMAT_COMPRESSION_BC:
        if (info->class == FORMAT_CLASS_BC7)
            bc7_decode(dst, block);
        else if (info->class == FORMAT_CLASS_BC6H)
            bc6h_halves(dst, block, format == FORMAT_BC6H_SFLOAT_BLOCK);
        else
            bc_decode_float(format, dst, block);
        return true;
    case FORMAT_COMPRESSION_ETC2:
        etc2_codes(format, dst, block);
        return true;
    case FORMAT_COMPRESSION_EAC:
        eac_numbers(info, dst, block);
        return true;
    case FORMAT_COMPRESSION_ASTC_LDR:
        if (format_is_srgb(info))
            astc_codes(info, dst, block);
        else
            astc_halves(info, dst, block);
        return true;
    case FORMAT_COMPRESSION_NONE:
    case FORMAT_COMPRESSION_ASTC_HDR:
        break;
    }
    return false;
}

bool format_decode_block_float(enum format format, float (*dst)[4], const void *block)
{
    const struct format_info *info = format_info(format);
    if (!info)
        return false;
    if (info->compression == FORMAT_COMPRESSION_BC)
        return bc_decode_float(format, dst, block);
    uint16_t texels[FORMAT_BLOCK_MAX_TEXELS][4];
    return format_decode_block(format, texels, block) &&
           format_unpack_rgba_float(format_block_texel_format(format), dst, texels,
                                    (size_t)info->block_width * info->block_height);
}

bool format_decode_block_unorm8(enum format format, uint8_t (*dst)[4], const void *block)
{
    const struct format_info *info = format_info(format);
    switch (info ? (enum format_compression)info->compression : FORMAT_COMPRESSION_NONE) {
    case FORMAT_COMPRESSION_BC:
        return bc_decode_unorm8(format, dst, block);
    case FORMAT_COMPRESSION_ETC2:
        etc2_codes(format, dst, block);
        return true;
    case FORMAT_COMPRESSION_ASTC_LDR:
        astc_codes(info, dst, block);
        return true;
    case FORMAT_COMPRESSION_EAC: /* the specification allows no fewer than 11 bits */
    case FORMAT_COMPRESSION_NONE:
    case FORMAT_COMPRESSION_ASTC_HDR:
        break;
    }
    return false;
}
