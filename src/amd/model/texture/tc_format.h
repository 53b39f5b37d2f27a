/* A format number of a GFX10.3 descriptor, as the texture unit takes it: how texels lie in memory, which functions
 * of util/format read and write them, and how filtering has to treat them. */
#ifndef AMD_MODEL_TC_FORMAT_H
#define AMD_MODEL_TC_FORMAT_H

#include "util/format/format.h"

enum tc_kind {
    TC_FLOAT, /* a texel is four floats */
    TC_UINT,  /* four integers */
    TC_SINT,
};

struct tc_format {
    enum format format;
    const struct format_codec *codec;
    const struct format_codec *encoded_codec; /* the same without the sRGB curve (SKIP_DEGAMMA) */
    enum format encoded_format;
    uint8_t kind;    /* enum tc_kind */
    uint8_t numeric; /* enum format_numeric */
    uint8_t element_B;
    uint8_t block_w, block_h;
    uint8_t channels;      /* in memory */
    uint8_t widths[4];     /* of the channels; 0 if compressed */
    uint8_t order[4];      /* X, Y, Z and W are these components of the codec */
    bool in_order;         /* order is the identity */
    bool is_compressed;    /* read with format_decode_block_float */
    bool clamps_reference; /* of a comparison: to the range of fixed point */
    bool is_bytes;         /* four bytes, unorm or unsigned: the fast path of loads */
    bool is_words;         /* channels of 32 bits, which registers hold as they are */
    bool is_narrow;        /* one unsigned channel of 8 or 16 bits */
    uint8_t fmask_bits;    /* of FMASK: how many a sample has in memory; 0 for all others */
    uint8_t fmask_samples;
    bool is_short_fmask;   /* of up to 32 bits */
};

/* False: a number that means nothing, or a format that util/format does not know. */
bool amd_tc_format_init(struct tc_format *out, unsigned number);

/* Texels of four components each, floats or integers by the format's kind, to their places in memory. */
static inline void tc_format_store(const struct tc_format *f, void *const *at, const void *texels, unsigned count)
{
    if (f->kind == TC_FLOAT)
        f->codec->store_float(at, texels, count);
    else if (f->kind == TC_UINT)
        f->codec->store_uint(at, texels, count);
    else
        f->codec->store_sint(at, texels, count);
}

#endif
