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
    if (!codec->unpack_float)
        return false;
    codec->unpack_float(dst, src, count);
    return true;
}

bool format_unpack_rgba_sint(enum format format, int32_t (*dst)[4], const void *src, size_t count)
{
    const struct format_codec *codec = format_codec(format);
    if (!codec->unpack_sint)
        return false;
    codec->unpack_sint(dst, src, count);
    return true;
}

bool format_unpack_rgba_uint(enum format format, uint32_t (*dst)[4], const void *src, size_t count)
{
    const struct format_codec *codec = format_codec(format);
    if (!codec->unpack_uint)
        return false;
    codec->unpack_uint(dst, src, count);
    return true;
}

bool format_pack_rgba_float(enum format format, void *dst, const float (*src)[4], size_t count)
{
    const struct format_codec *codec = format_codec(format);
    if (!codec->pack_float)
        return false;
    codec->pack_float(dst, src, count);
    return true;
}

bool format_pack_rgba_sint(enum format format, void *dst, const int32_t (*src)[4], size_t count)
{
    const struct format_codec *codec = format_codec(format);
    if (!codec->pack_sint)
        return false;
    codec->pack_sint(dst, src, count);
    return true;
}

bool format_pack_rgba_uint(enum format format, void *dst, const uint32_t (*src)[4], size_t count)
{
    const struct format_codec *codec = format_codec(format);
    if (!codec->pack_uint)
        return false;
    codec->pack_uint(dst, src, count);
    return true;
}
