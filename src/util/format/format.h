/* Image formats: what each VkFormat is made of, and its texels to and from float, int32 and uint32.
 *
 * The values of `enum format` (generated, format_enum.h) are those of VkFormat, so that a cast converts them; this room
 * includes no Vulkan header. What the arithmetic promises is written in channel.h. Not here: tiling, image layout,
 * filtering, chroma reconstruction of multi-planar formats (each plane has a format of its own). */
#ifndef UTIL_FORMAT_FORMAT_H
#define UTIL_FORMAT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/format/format_enum.h"

enum format_component {
    FORMAT_COMPONENT_R,
    FORMAT_COMPONENT_G,
    FORMAT_COMPONENT_B,
    FORMAT_COMPONENT_A,
    FORMAT_COMPONENT_D,
    FORMAT_COMPONENT_S,
    FORMAT_COMPONENT_E, /* the exponent that R, G and B share */
};

enum format_numeric {
    FORMAT_NUMERIC_NONE,
    FORMAT_NUMERIC_UNORM,
    FORMAT_NUMERIC_SNORM,
    FORMAT_NUMERIC_USCALED,
    FORMAT_NUMERIC_SSCALED,
    FORMAT_NUMERIC_UINT,
    FORMAT_NUMERIC_SINT,
    FORMAT_NUMERIC_UFLOAT,
    FORMAT_NUMERIC_SFLOAT,
    FORMAT_NUMERIC_SRGB,
};

enum format_layout {
    FORMAT_LAYOUT_NONE,
    FORMAT_LAYOUT_ARRAY,      /* each channel is a little-endian unit of its own, in the order of memory */
    FORMAT_LAYOUT_PACKED,     /* the channels share one little-endian word of the block's size */
    FORMAT_LAYOUT_WORDS16,    /* each channel is the high part of a 16-bit word, the bits below are unused */
    FORMAT_LAYOUT_PLANES,     /* more than one plane */
    FORMAT_LAYOUT_COMPRESSED, /* see compression */
};

enum format_compression {
    FORMAT_COMPRESSION_NONE,
    FORMAT_COMPRESSION_BC,
    FORMAT_COMPRESSION_ETC2,
    FORMAT_COMPRESSION_EAC,
    FORMAT_COMPRESSION_ASTC_LDR,
    FORMAT_COMPRESSION_ASTC_HDR,
};

/* Bit by bit VkImageAspectFlagBits. */
enum format_aspect {
    FORMAT_ASPECT_COLOR = 1 << 0,
    FORMAT_ASPECT_DEPTH = 1 << 1,
    FORMAT_ASPECT_STENCIL = 1 << 2,
    FORMAT_ASPECT_PLANE_0 = 1 << 4,
    FORMAT_ASPECT_PLANE_1 = 1 << 5,
    FORMAT_ASPECT_PLANE_2 = 1 << 6,
};

struct format_channel {
    uint8_t component; /* enum format_component */
    uint8_t numeric;   /* enum format_numeric */
    uint8_t bits;      /* 0: compressed */
    uint8_t low_bit;   /* of the block (of the plane's texel if there are planes), counted in little-endian order */
    uint8_t plane;
};

struct format_plane {
    enum format format;    /* to view the plane alone with */
    uint8_t width_divisor; /* of the image's extent */
    uint8_t height_divisor;
};

struct format_info {
    const char *name; /* "VK_FORMAT_..." */
    enum format format;
    enum format_class class; /* a view of an image may have any format of its class */
    uint8_t block_width, block_height, block_depth;
    uint8_t block_size_B;    /* of all planes together, one texel each, if there are planes */
    uint8_t layout;          /* enum format_layout */
    uint8_t numeric;         /* enum format_numeric: of colour, else of depth, else of stencil */
    uint8_t compression;     /* enum format_compression */
    uint8_t aspects;         /* enum format_aspect bits */
    uint8_t component_count; /* different ones; the shared exponent is none */
    uint8_t channel_count;   /* rows of channels; a 4:2:2 block has green twice */
    uint8_t plane_count;
    struct format_channel channels[4]; /* in the order of memory; packed words from their lowest bit */
    struct format_plane planes[3];
    enum format depth_format; /* the depth aspect alone, as copies to buffers have it; FORMAT_UNDEFINED without depth */
    enum format stencil_format; /* likewise */
    enum format linear_format;  /* of an sRGB format the one that reads its codes as unorm; else the format itself */
};

/* NULL for a number that is not a format of Vulkan 1.3. FORMAT_UNDEFINED has a row, with blocks of no size. */
const struct format_info *format_info(enum format format);

/* "VK_FORMAT_R8_UNORM"; "VK_FORMAT_<unknown>" for a number that is not a format. */
const char *format_name(enum format format);

/* Rows 0 to format_count - 1, to go through all of them. */
extern const unsigned format_count;
const struct format_info *format_info_at(unsigned index);

/* The sRGB format whose linear_format this one is; FORMAT_UNDEFINED: there is none. Looks at every row. */
enum format format_srgb_of(enum format linear);

/* The texel functions of one format; a hot loop looks them up once. A NULL function: the conversion does not exist.
 *
 * - float: unorm, snorm, scaled, float and sRGB formats, and the depth of depth formats (in the first component).
 * - uint, sint: formats of that numeric type alone, up to 32 bits per channel; uint also for stencil (first component).
 * - Components that the format lacks read as 0, and 1 for alpha; on writes they are ignored.
 * - Writing one aspect of a depth and stencil format keeps the other's bits.
 * - 4:2:2 blocks can be unpacked (`src` at the start of a block, each chroma sample for both of its texels), not packed
 * and not fetched.
 * - Multi-planar and compressed formats have no functions: use the planes' formats, format_decode_block_*.
 *
 * fetch and store take one pointer per texel, for lanes that lie anywhere; unpack goes along a row of adjacent texels,
 * and is there for the formats that blocks are decoded to (format_block_texel_format) and those of 4:2:2 alone. No
 * alignment is needed. Source and destination must not overlap. */
struct format_codec {
    void (*fetch_float)(float (*dst)[4], const void *const *src, size_t count);
    void (*fetch_sint)(int32_t (*dst)[4], const void *const *src, size_t count);
    void (*fetch_uint)(uint32_t (*dst)[4], const void *const *src, size_t count);
    void (*store_float)(void *const *dst, const float (*src)[4], size_t count);
    void (*store_sint)(void *const *dst, const int32_t (*src)[4], size_t count);
    void (*store_uint)(void *const *dst, const uint32_t (*src)[4], size_t count);
    void (*unpack_float)(float (*dst)[4], const void *src, size_t count);
};

/* Never NULL: a number that is not a format gets a codec without functions. */
const struct format_codec *format_codec(enum format format);

/* One row, texel by texel where the codec has no function for it; false, and nothing written, where the conversion does
 * not exist. */
bool format_unpack_rgba_float(enum format format, float (*dst)[4], const void *src, size_t count);
bool format_unpack_rgba_sint(enum format format, int32_t (*dst)[4], const void *src, size_t count);
bool format_unpack_rgba_uint(enum format format, uint32_t (*dst)[4], const void *src, size_t count);
bool format_pack_rgba_float(enum format format, void *dst, const float (*src)[4], size_t count);
bool format_pack_rgba_sint(enum format format, void *dst, const int32_t (*src)[4], size_t count);
bool format_pack_rgba_uint(enum format format, void *dst, const uint32_t (*src)[4], size_t count);

/* One block of a compressed format to its texels, row by row. `dst` has block_width * block_height of them, at most
 * FORMAT_BLOCK_MAX_TEXELS. BC1 to BC7, ETC2, EAC and the LDR profile of ASTC; false, and nothing written, for every
 * other format, ASTC's SFLOAT ones among them. Any bytes decode. What is exact and what the specification leaves open:
 * bc.h, etc2.h, astc.h. */
#define FORMAT_BLOCK_MAX_TEXELS 144
bool format_decode_block_float(enum format format, float (*dst)[4], const void *block);

/* One block to 8-bit codes, sRGB ones still encoded. Unorm and sRGB formats only, without EAC, whose numbers have 11
 * bits. Of ASTC's unorm formats these are the upper bits of the interpolation's result (the specification's
 * decode_unorm8). */
bool format_decode_block_unorm8(enum format format, uint8_t (*dst)[4], const void *block);

/* The smallest plain format that holds all of a compressed format's values: for a texture unit that keeps decoded
 * blocks and reads their texels with that format's codec. FORMAT_UNDEFINED where nothing decodes. */
enum format format_block_texel_format(enum format format);
bool format_decode_block(enum format format, void *dst, const void *block);

static inline bool format_is_depth_or_stencil(const struct format_info *info)
{
    return info->aspects & (FORMAT_ASPECT_DEPTH | FORMAT_ASPECT_STENCIL);
}

static inline bool format_is_compressed(const struct format_info *info)
{
    return info->compression != FORMAT_COMPRESSION_NONE;
}

static inline bool format_is_integer(const struct format_info *info)
{
    return info->numeric == FORMAT_NUMERIC_UINT || info->numeric == FORMAT_NUMERIC_SINT;
}

static inline bool format_is_srgb(const struct format_info *info)
{
    return info->numeric == FORMAT_NUMERIC_SRGB;
}

#endif
