/* Texels from memory: their format, and the border around them. td_locate.c finds where they are. */
#include "amd/model/texture/ta.h"

#include <string.h>

#include "amd/hw/enums.h"
#include "util/bits.h"

const uint8_t amd_td_zeros[16] __attribute__((aligned(16)));

#define SPAN_MAX_PAGES 8192 /* beyond that, looking at every page costs more than looking at every texel */

uint8_t *amd_td_span(const struct ta_request *r, uint64_t va, uint64_t size_B, unsigned need)
{
    const struct gpu_window *window = gpu_space_window(r->wave->memory, va);
    uint64_t offset_B = va - window->base_va;
    if (offset_B >= window->size_B || size_B > window->size_B - offset_B ||
        __builtin_expect(r->wave->coherence != NULL, 0)) /* then each texel is looked at */
        return NULL;
    uint64_t page = offset_B >> GPU_PAGE_SHIFT, count = ((offset_B + size_B - 1) >> GPU_PAGE_SHIFT) - page + 1;
    if (count == 1)
        return (window->perms[page] & need) == need ? window->host + offset_B : NULL;
    if (count > SPAN_MAX_PAGES)
        return NULL;
    uint8_t all = 0xff;
    for (uint64_t i = 0; i < count; i++)
        all &= window->perms[page + i];
    return (all & need) == need ? window->host + offset_B : NULL;
}

void amd_td_spread_fmask(const struct tc_format *f, uint32_t *codes, unsigned count)
{
    const uint32_t mask = (uint32_t)bits_mask(f->fmask_bits);
    uint32_t out[LANES_MAX] = {0};
    for (unsigned s = 0; s < f->fmask_samples; s++) {
        const unsigned from = s * f->fmask_bits, to = s * 4;
        for (unsigned i = 0; i < count; i++)
            out[i] |= (codes[i] >> from & mask) << to;
    }
    memcpy(codes, out, count * sizeof(*codes));
}

static void fix_texels(const struct tc_format *f, union tex_texel *texels, unsigned count)
{
    if (f->fmask_bits) {
        uint32_t codes[LANES_MAX];
        for (unsigned i = 0; i < count; i++)
            codes[i] = texels[i].u[0];
        amd_td_spread_fmask(f, codes, count);
        for (unsigned i = 0; i < count; i++)
            texels[i].u[0] = codes[i];
    }
    if (f->in_order)
        return;
    for (unsigned i = 0; i < count; i++) {
        union tex_texel from = texels[i];
        for (unsigned n = 0; n < 4; n++)
            texels[i].u[n] = from.u[f->order[n]];
    }
}

/* `count` elements to texels; `codec` is the format's or the one without the sRGB curve. */
static void decode_texels(const struct tc_format *f, const struct format_codec *codec, union tex_texel *out,
                          const void *const *at, unsigned count)
{
    switch (f->kind) {
    case TC_FLOAT:
        codec->fetch_float((float(*)[4])out, at, count);
        break;
    case TC_UINT:
        codec->fetch_uint((uint32_t(*)[4])out, at, count);
        break;
    default:
        codec->fetch_sint((int32_t(*)[4])out, at, count);
        break;
    }
    fix_texels(f, out, count);
}

void amd_td_decode(union tex_texel *out, const struct tc_format *f, const void *const *at, unsigned count)
{
    decode_texels(f, f->codec, out, at, count);
}

bool amd_td_decode_block(union tex_texel *out, struct ta_request *r, enum format format, const void *block, uint32_t x,
                         uint32_t y)
{
    const struct tc_format *f = &r->image->format;
    tex_texels texels = amd_tc_block_get(r->cache, format, block, f->element_B);
    if (!texels) {
        amd_sq_fault(r->wave, r->uop, SQ_FAULT_INSTRUCTION,
                     "a compressed format that is not implemented, or no memory to decode it");
        return false;
    }
    memcpy(out->f, texels[y % f->block_h * f->block_w + x % f->block_w], sizeof(out->f));
    return true;
}

/* ---- amd_ta_ops ---- */

static bool fetch_texels(struct tex_query *q, union tex_texel out[LANES_MAX], const struct tex_rows *rows,
                         uint64_t lanes)
{
    struct ta_request *r = (struct ta_request *)q;
    const struct tc_format *f = &r->image->format;
    struct td_places places;
    bool is_encoded = q->sampler->is_encoded;
    for (unsigned i = 0; i < q->lanes; i++)
        places.at[i] = (uint8_t *)amd_td_zeros;
    if (!amd_td_locate(&places, r, rows, lanes, GPU_PERM_READ))
        return false;
    if (f->is_compressed) {
        memset(out, 0, LANES_MAX * sizeof(*out));
        bits_foreach (lanes & ~places.constants, i) {
            if (!amd_td_decode_block(&out[i], r, is_encoded ? f->encoded_format : f->format, places.at[i], rows->x[i],
                                     rows->y[i]))
                return false;
        }
    } else {
        decode_texels(f, is_encoded ? f->encoded_codec : f->codec, out, (const void *const *)places.at, q->lanes);
    }
    bits_foreach (places.constants, i)
        out[i] = places.constant[i];
    return true;
}

/* One border colour for all lanes: the sampler's. */
static bool find_border(struct tex_query *q, union tex_texel *out)
{
    struct ta_request *r = (struct ta_request *)q;
    const struct tc_image *image = r->image;
    const struct tc_sampler *sampler = r->sampler_descriptor;
    union tex_texel color = {.u = {0, 0, 0, 0}}, one = {.f = {1, 1, 1, 1}};
    if (image->format.kind != TC_FLOAT)
        one = (union tex_texel){.u = {1, 1, 1, 1}};
    switch (sampler->border_type) {
    case AMD_BORDER_COLOR_TRANSPARENT_BLACK:
        break;
    case AMD_BORDER_COLOR_OPAQUE_BLACK:
        color.u[3] = one.u[3];
        break;
    case AMD_BORDER_COLOR_OPAQUE_WHITE:
        color = one;
        break;
    case AMD_BORDER_COLOR_REGISTER: {
        uint8_t *at;
        if (!sq_resolve(r->wave, r->uop, r->wave->ta->border_va + sampler->border * 16ull, 16, GPU_PERM_READ, &at))
            return false;
        if (at)
            memcpy(&color, at, sizeof(color));
        break;
    }
    }
    for (unsigned i = 0; i < 4; i++)
        out->u[i] = color.u[image->bc_order[i]];
    return true;
}

const struct tex_ops amd_ta_ops = {
    .fetch = fetch_texels,
    .border = find_border,
    .layout = amd_td_layout,
    .place = amd_td_place,
    .look = amd_tc_meta_look,
};
