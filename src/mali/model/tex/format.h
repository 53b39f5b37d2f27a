/* Pixel formats: 22 bits that say what a number in memory is. FORMAT is a row of mali/hw/formats.table, ORDER names the
 * channels from the lowest bit on, then sRGB. This is the place that turns bytes into r, g, b, a and back, for
 * textures, attributes, conversions, and for whoever writes render targets in such a format. */
#ifndef MALI_MODEL_TEX_FORMAT_H
#define MALI_MODEL_TEX_FORMAT_H

#include "mali/hw/enums.h"
#include "mali/hw/table.h"
#include "model/texture/texture.h"
#include "util/format/format.h"

enum mali_pixel_kind {
    MALI_PIXEL_FLOAT, /* a texel is four floats */
    MALI_PIXEL_UINT,
    MALI_PIXEL_SINT,
};

/* Places of mali_pixel.from besides channels of the codec. */
enum {
    MALI_PIXEL_ZERO = TEX_ORDER_ZERO,
    MALI_PIXEL_ONE = TEX_ORDER_ONE,
};

struct mali_pixel {
    enum format format;
    const struct format_codec *codec;
    uint8_t kind;    /* enum mali_pixel_kind */
    uint8_t numeric; /* enum format_numeric */
    uint8_t size_B;  /* of a texel, or of a block */
    uint8_t block_w, block_h;
    uint8_t from[4]; /* r, g, b and a are these channels of the codec, or a constant */
    uint8_t present; /* bit n: that one of r, g, b and a is in memory */
    bool in_order;   /* `from` is what the codec gives */
    bool is_compressed;
    bool is_narrow;   /* ASTC that is decoded to eight bits */
    uint8_t at_B;     /* byte of a clump with holes at which the codec's own bytes begin */
    bool is_constant; /* no memory at all: ORDER alone says what is read */
};

/* The 22 bits. */
struct mali_pixel_bits {
    unsigned format, order;
    bool is_srgb;
};

static inline struct mali_pixel_bits mali_pixel_unpack(uint32_t bits)
{
    return (struct mali_pixel_bits){bits >> 12 & 0xff, bits & 0xfff, bits >> 20 & 1};
}

static inline uint32_t mali_pixel_pack(struct mali_pixel_bits bits)
{
    return (bits.order & 0xfff) | (bits.format & 0xff) << 12 | (uint32_t)bits.is_srgb << 20;
}

/* False: no such format, or one that is not a texel of memory (tile buffer, Y'CbCr), or not with this order. */
bool mali_pixel_init(struct mali_pixel *out, struct mali_pixel_bits bits);
/* Of textures whose plane says more than the format: blocks of a compressed format; a codec of one channel that lies
 * at byte `at_B` of `size_B`, and is channel `channel` of memory. */
bool mali_pixel_init_block(struct mali_pixel *out, enum format format, bool is_narrow, struct mali_pixel_bits bits);
bool mali_pixel_init_bytes(struct mali_pixel *out, enum format format, unsigned size_B, unsigned at_B, unsigned channel,
                           struct mali_pixel_bits bits);

/* Texels in memory to r, g, b, a, and back; pointers for each texel, at least size_B bytes each. Back, channels that
 * memory does not have are dropped. Not for compressed formats. */
void mali_pixel_load(const struct mali_pixel *pixel, union tex_texel *out, const void *const *at, unsigned count);
void mali_pixel_store(const struct mali_pixel *pixel, void *const *at, const union tex_texel *texels, unsigned count);

/* Channels of the codec to r, g, b and a. */
void mali_pixel_order(const struct mali_pixel *pixel, union tex_texel *texels, unsigned count);

#endif
