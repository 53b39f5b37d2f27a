/* A descriptor's format number, as the texture unit takes it: how texels lie in memory, which functions of
 * util/format read and write them, and which component of a texel is which of the format's. */
#ifndef ADRENO_MODEL_TPL1_FORMAT_H
#define ADRENO_MODEL_TPL1_FORMAT_H

#include "adreno/hw/enums.h"
#include "model/texture/texture.h"
#include "util/format/format.h"

enum tpl1_kind {
    TPL1_KIND_FLOAT, /* a texel is four floats */
    TPL1_KIND_UINT,
    TPL1_KIND_SINT,
};

/* Places of struct tpl1_format.order besides components: the shared room's. */
enum {
    TPL1_ORDER_ZERO = TEX_ORDER_ZERO,
    TPL1_ORDER_ONE = TEX_ORDER_ONE,
};

struct tpl1_format {
    enum format format;
    const struct format_codec *codec;
    uint8_t kind;    /* enum tpl1_kind */
    uint8_t numeric; /* enum format_numeric */
    uint8_t element_B;
    uint8_t block_w, block_h;
    uint8_t order[4];   /* X, Y, Z and W are these components of the codec, or a constant */
    uint8_t present;    /* bit n: the format has that one of X, Y, Z and W */
    bool in_order;      /* order is what the codec gives */
    bool is_compressed; /* read with format_decode_block_float */
    bool is_two_bytes;  /* two channels of a byte: they have tiles of their own */
    bool is_z24s8_uint; /* depth and stencil as integers */
    bool is_video;      /* 4:2:2, or of several planes: texels are luma, Cb, Cr */
    uint8_t planes;     /* 1, 2 or 3 */
};

/* False: no such format, one that is not for textures, or not with that swap or curve. */
bool adreno_tpl1_format_init(struct tpl1_format *out, unsigned number, enum adreno_COLOR_SWAP swap, bool is_srgb);

#endif
