/* Compression metadata as the texture unit reads it. The model never compresses: every block that writes pixels leaves
 * metadata that says "expanded". So what can be met here is "expanded", and the codes by which drivers clear an image
 * without touching its pixels. Any other code is a stop. */
#include "amd/model/coherence.h"
#include "amd/model/texture/ta.h"

#include <string.h>

#include "util/bits.h"

enum {
    DCC_CLEAR_0000 = 0x00,
    DCC_CLEAR_SINGLE = 0x10, /* the first element of the 256 bytes is the colour of all */
    DCC_CLEAR_0001 = 0x40,   /* the alpha channel is one, or the largest integer */
    DCC_CLEAR_1110 = 0x80,
    DCC_CLEAR_1111 = 0xc0,
    DCC_EXPANDING = 0xfe, /* ours: a store is bringing the pixels to memory at this moment */
    DCC_EXPANDED = 0xff,

    HTILE_ZMASK_CLEAR = 0x0,
    HTILE_ZMASK_EXPANDED = 0xf,
    HTILE_SMEM_CLEAR = 0,
    HTILE_SMEM_EXPANDED = 3,
    HTILE_Z_MAX = 0x3fff, /* of the upper 14 bits: the far limit */

    CMASK_CLEAR = 0x0,      /* the colour of the clear registers */
    CMASK_FMASK_ZERO = 0xc, /* every sample's colour is in fragment 0 */
    CMASK_FMASK = 0xd,      /* from here on FMASK says which fragment: of up to 2, 4 or 8 */
    CMASK_EXPANDED = 0xf,

    DCC_BLOCK_B = 256,
};

static enum td_meta stop_request(struct ta_request *r, const char *why)
{
    amd_sq_fault(r->wave, r->uop, SQ_FAULT_INSTRUCTION, why);
    return TD_META_STOP;
}

static bool find_byte(uint8_t **at_out, struct ta_request *r, uint32_t x, uint32_t y, uint32_t z, uint32_t sample,
                      unsigned level, uint32_t size_B, unsigned need, unsigned *bit_out)
{
    uint64_t va = r->image->meta_va + amd_meta_offset(&r->image->meta, x, y, z, sample, level, bit_out);
    if (__builtin_expect(r->wave->coherence != NULL, 0)) {
        coherence_read(r->wave->coherence, AMD_CLIENT_TEXTURE_META, 0, va, size_B);
        if (need & GPU_PERM_WRITE)
            coherence_write(r->wave->coherence, AMD_CLIENT_TEXTURE_META, 0, va, size_B);
    }
    return sq_resolve(r->wave, r->uop, va, size_B, need, at_out);
}

static uint8_t dcc_code(const uint8_t *at)
{
    uint8_t code;
    while ((code = at ? __atomic_load_n(at, __ATOMIC_ACQUIRE) : DCC_CLEAR_0000) == DCC_EXPANDING)
        ;
    return code;
}

/* The colour of a clear code. Alpha is the highest channel or the lowest one; a format of a single channel has nothing
 * else, and one without alpha none. */
static bool dcc_constant(union tex_texel *out, const struct tc_image *image, uint8_t code)
{
    const struct tc_format *f = &image->format;
    if (code != DCC_CLEAR_0000 && code != DCC_CLEAR_0001 && code != DCC_CLEAR_1110 && code != DCC_CLEAR_1111)
        return false;
    bool color = code & 0x80, alpha = code & 0x40;
    bool has_alpha =
        f->format != FORMAT_B10G11R11_UFLOAT_PACK32 && f->format != FORMAT_B5G6R5_UNORM_PACK16 && f->channels > 1;
    unsigned alpha_channel = image->alpha_is_on_msb ? f->channels - 1u : 0;
    memset(out, 0, sizeof(*out));
    for (unsigned i = 0; i < f->channels; i++) {
        bool one = has_alpha && i == alpha_channel ? alpha : color;
        if (!one)
            continue;
        if (f->kind == TC_FLOAT)
            out->f[i] = 1;
        else
            out->u[i] = (uint32_t)bits_mask(f->widths[i] - (f->kind == TC_SINT));
    }
    return true;
}

static enum td_meta read_dcc(union tex_texel *out, struct ta_request *r, uint32_t x, uint32_t y, uint32_t z,
                             uint32_t sample, unsigned level)
{
    uint8_t *at;
    if (!find_byte(&at, r, x, y, z, sample, level, 1, GPU_PERM_READ, NULL))
        return TD_META_STOP;
    uint8_t code = dcc_code(at);
    if (code == DCC_EXPANDED)
        return TD_META_PLAIN;
    if (code == DCC_CLEAR_SINGLE)
        return TD_META_SINGLE;
    return dcc_constant(out, r->image, code)
               ? TD_META_CONSTANT
               : stop_request(r, "an image read meets a DCC code that is not implemented");
}

static enum td_meta read_htile(union tex_texel *out, struct ta_request *r, uint32_t x, uint32_t y, uint32_t z,
                               uint32_t sample, unsigned level)
{
    uint8_t *at;
    uint32_t word = 0;
    if (!find_byte(&at, r, x, y, z, sample, level, 4, GPU_PERM_READ, NULL))
        return TD_META_STOP;
    if (at)
        memcpy(&word, at, sizeof(word));
    memset(out, 0, sizeof(*out));
    if (r->image->format.kind !=
        TC_FLOAT) { /* stencil; its clear value can only be zero where the texture unit reads it */
        uint32_t smem = word >> 8 & 3;
        if (smem == HTILE_SMEM_EXPANDED)
            return TD_META_PLAIN;
        return smem == HTILE_SMEM_CLEAR
                   ? TD_META_CONSTANT
                   : stop_request(r, "an image read meets an HTILE stencil code that is not implemented");
    }
    uint32_t zmask = word & 15, z_value = word >> 18;
    if (zmask == HTILE_ZMASK_EXPANDED)
        return TD_META_PLAIN;
    if (zmask != HTILE_ZMASK_CLEAR || (z_value != 0 && z_value != HTILE_Z_MAX))
        return stop_request(r, "an image read meets an HTILE depth code that is not implemented");
    out->f[0] = z_value ? 1 : 0;
    return TD_META_CONSTANT;
}

static enum td_meta read_cmask(union tex_texel *out, struct ta_request *r, uint32_t x, uint32_t y, uint32_t z,
                               unsigned level)
{
    uint8_t *at;
    unsigned bit;
    if (!find_byte(&at, r, x, y, z, 0, level, 1, GPU_PERM_READ, &bit))
        return TD_META_STOP;
    unsigned code = at ? *at >> bit & 15 : 0;
    memset(out, 0, sizeof(*out));
    if (code >= CMASK_FMASK)
        return TD_META_PLAIN;
    /* A cleared block has its colour in fragment 0, too. */
    return code == CMASK_FMASK_ZERO || code == CMASK_CLEAR
               ? TD_META_CONSTANT
               : stop_request(r, "an FMASK read meets a CMASK code that is not implemented");
}

enum td_meta amd_tc_meta_read(union tex_texel *texel_out, struct ta_request *r, uint32_t x, uint32_t y, uint32_t z,
                              uint32_t sample, unsigned level)
{
    switch (r->image->meta_kind) {
    case TC_META_DCC:
        return read_dcc(texel_out, r, x, y, z, sample, level);
    case TC_META_HTILE:
        return read_htile(texel_out, r, x, y, z, sample, level);
    case TC_META_CMASK:
        return read_cmask(texel_out, r, x, y, z, level);
    default:
        return TD_META_PLAIN;
    }
}

/* A colour as an element of memory. */
static void encode_color(uint8_t *element, const struct tc_format *f, const union tex_texel *texel)
{
    union tex_texel ordered = {.u = {0, 0, 0, 0}};
    void *to = element;
    for (unsigned i = 0; i < 4; i++)
        ordered.u[f->order[i]] = texel->u[i];
    if (f->kind == TC_FLOAT)
        f->codec->store_float(&to, (const float(*)[4])ordered.f, 1);
    else if (f->kind == TC_UINT)
        f->codec->store_uint(&to, (const uint32_t(*)[4])ordered.u, 1);
    else
        f->codec->store_sint(&to, (const int32_t(*)[4])ordered.i, 1);
}

static enum tex_piece look_at_htile(const struct tc_image *image, const uint8_t *at, uint8_t *element)
{
    union tex_texel texel = {.u = {0, 0, 0, 0}};
    uint32_t word;
    memcpy(&word, at, sizeof(word));
    const uint32_t zmask = word & 15, z_value = word >> 18;
    if (zmask == HTILE_ZMASK_EXPANDED)
        return TEX_PIECE_PLAIN;
    if (zmask != HTILE_ZMASK_CLEAR || (z_value != 0 && z_value != HTILE_Z_MAX) || image->format.kind != TC_FLOAT)
        return TEX_PIECE_UNKNOWN;
    texel.f[0] = z_value ? 1 : 0;
    encode_color(element, &image->format, &texel);
    return TEX_PIECE_ONE;
}

enum tex_piece amd_tc_meta_look(struct tex_query *q, unsigned level, uint32_t x, uint32_t y, uint32_t slice,
                                uint8_t *element)
{
    const struct ta_request *r = (const struct ta_request *)q;
    const struct tc_image *image = r->image;
    const uint64_t va = image->meta_va + amd_meta_offset(&image->meta, x, y, slice, 0, level, NULL);
    const bool is_htile = image->meta_kind == TC_META_HTILE;
    const uint8_t *at = gpu_space_pointer(r->wave->memory, va, is_htile ? 4 : 1, GPU_PERM_READ);
    union tex_texel texel;
    if (!at)
        return TEX_PIECE_UNKNOWN;
    if (is_htile)
        return look_at_htile(image, at, element);
    const uint8_t code = __atomic_load_n(at, __ATOMIC_ACQUIRE);
    if (code == DCC_EXPANDED)
        return TEX_PIECE_PLAIN;
    if (code == DCC_CLEAR_SINGLE) {
        const uint64_t first_va = image->base_va + tc_element_offset(image, x, y, slice, 0, level);
        const uint8_t *first = gpu_space_pointer(r->wave->memory, first_va & ~(uint64_t)(DCC_BLOCK_B - 1),
                                                 image->format.element_B, GPU_PERM_READ);
        if (first)
            memcpy(element, first, image->format.element_B);
        return first ? TEX_PIECE_ONE : TEX_PIECE_UNKNOWN;
    }
    if (!dcc_constant(&texel, image, code))
        return TEX_PIECE_UNKNOWN;
    encode_color(element, &image->format, &texel);
    return TEX_PIECE_ONE;
}

/* ---- stores ---- */

/* Bring the 256 bytes that a code stands for to memory. */
static bool fill_block(struct ta_request *r, uint8_t code, uint8_t *block)
{
    const struct tc_image *image = r->image;
    const struct tc_format *f = &image->format;
    uint8_t element[16];
    if (code == DCC_CLEAR_SINGLE) {
        memcpy(element, block, f->element_B);
    } else {
        union tex_texel texel;
        if (!dcc_constant(&texel, image, code))
            return false;
        encode_color(element, f, &texel);
    }
    for (unsigned at_B = 0; at_B < DCC_BLOCK_B; at_B += f->element_B)
        memcpy(block + at_B, element, f->element_B);
    return true;
}

bool amd_tc_meta_expand(struct ta_request *r, uint32_t x, uint32_t y, uint32_t z, uint32_t sample, unsigned level)
{
    const struct tc_image *image = r->image;
    uint8_t *at, *block;
    if (image->meta_kind != TC_META_DCC) {
        stop_request(r, "a store to an image with depth or FMASK metadata is not implemented");
        return false;
    }
    if (!find_byte(&at, r, x, y, z, sample, level, 1, GPU_PERM_READ | GPU_PERM_WRITE, NULL))
        return false;
    if (!at)
        return true; /* partially resident: nothing is kept */
    for (;;) {
        uint8_t code = dcc_code(at);
        if (code == DCC_EXPANDED)
            return true;
        /* Other workers may store to the same block: one brings it to memory, the others wait for that. */
        if (!__atomic_compare_exchange_n(at, &code, DCC_EXPANDING, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            continue;
        uint64_t va =
            (image->base_va + tc_element_offset(image, x, y, z, sample, level)) & ~(uint64_t)(DCC_BLOCK_B - 1);
        bool ok = sq_resolve(r->wave, r->uop, va, DCC_BLOCK_B, GPU_PERM_READ | GPU_PERM_WRITE, &block);
        bool known = ok && (!block || fill_block(r, code, block));
        __atomic_store_n(at, known ? DCC_EXPANDED : code, __ATOMIC_RELEASE);
        if (ok && !known)
            stop_request(r, "an image store meets a DCC code that is not implemented");
        return known;
    }
}
