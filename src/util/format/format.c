/* The calls of format.h that need no table of their own. */
#include "util/format/format.h"

const char *format_name(enum format format)
{
    const struct format_info *info = format_info(format);
    return info ? info->name : "VK_FORMAT_<unknown>";
}

enum format format_srgb_of(enum format linear)
{
    for (unsigned i = 0; i < format_count; i++) {
        const struct format_info *info = format_info_at(i);
        if (format_is_srgb(info) && info->linear_format == linear)
            return info->format;
    }
    return FORMAT_UNDEFINED;
}

bool format_unpack_rgba_float(enum format format, float (*dst)[4], const void *src, size_t count)
{
    const struct format_codec *codec = format_codec(format);
    if (codec->unpack_float) {
        codec->unpack_float(dst, src, count);
        return true;
    }
    if (!codec->fetch_float)
        return false;
    const size_t size_B = format_info(format)->block_size_B;
    for (size_t i = 0; i < count; i++)
        codec->fetch_float(dst + i, &(const void *){(const uint8_t *)src + i * size_B}, 1);
    return true;
}

bool format_unpack_rgba_sint(enum format format, int32_t (*dst)[4], const void *src, size_t count)
{
    const struct format_codec *codec = format_codec(format);
    if (!codec->fetch_sint)
        return false;
    const size_t size_B = format_info(format)->block_size_B;
    for (size_t i = 0; i < count; i++)
        codec->fetch_sint(dst + i, &(const void *){(const uint8_t *)src + i * size_B}, 1);
    return true;
}

bool format_unpack_rgba_uint(enum format format, uint32_t (*dst)[4], const void *src, size_t count)
{
    const struct format_codec *codec = format_codec(format);
    if (!codec->fetch_uint)
        return false;
    const size_t size_B = format_info(format)->block_size_B;
    for (size_t i = 0; i < count; i++)
        codec->fetch_uint(dst + i, &(const void *){(const uint8_t *)src + i * size_B}, 1);
    return true;
}

bool format_pack_rgba_float(enum format format, void *dst, const float (*src)[4], size_t count)
{
    const struct format_codec *codec = format_codec(format);
    if (!codec->store_float)
        return false;
    const size_t size_B = format_info(format)->block_size_B;
    for (size_t i = 0; i < count; i++)
        codec->store_float(&(void *){(uint8_t *)dst + i * size_B}, src + i, 1);
    return true;
}

bool format_pack_rgba_sint(enum format format, void *dst, const int32_t (*src)[4], size_t count)
{
    const struct format_codec *codec = format_codec(format);
    if (!codec->store_sint)
        return false;
    const size_t size_B = format_info(format)->block_size_B;
    for (size_t i = 0; i < count; i++)
        codec->store_sint(&(void *){(uint8_t *)dst + i * size_B}, src + i, 1);
    return true;
}

bool format_pack_rgba_uint(enum format format, void *dst, const uint32_t (*src)[4], size_t count)
{
    const struct format_codec *codec = format_codec(format);
    if (!codec->store_uint)
        return false;
    const size_t size_B = format_info(format)->block_size_B;
    for (size_t i = 0; i < count; i++)
        codec->store_uint(&(void *){(uint8_t *)dst + i * size_B}, src + i, 1);
    return true;
}
