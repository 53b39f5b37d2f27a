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
    if (offset_B >= window->size_B || size_B > window->size_B - offset_B)
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

/* One border colour for all lanes: the sampler's. */
void amd_td_border(union td_texel *out, struct ta_request *r, bool *ok)
{
    const struct tc_image *image = r->image;
    const struct tc_sampler *sampler = r->sampler_descriptor;
    union td_texel color = {.u = {0, 0, 0, 0}}, one = {.f = {1, 1, 1, 1}};
    if (image->format.kind != TC_FLOAT)
        one = (union td_texel){.u = {1, 1, 1, 1}};
    *ok = true;
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
        *ok = sq_resolve(r->wave, r->uop, r->wave->ta->border_va + sampler->border * 16ull, 16, GPU_PERM_READ, &at);
        if (*ok && at)
            memcpy(&color, at, sizeof(color));
        break;
    }
    }
    for (unsigned i = 0; i < 4; i++)
        out->u[i] = color.u[image->bc_order[i]];
}

/* Texels of FMASK are returned with four bits per sample, however many they have in memory. */
static uint32_t spread_fmask(const struct tc_format *f, uint32_t bits)
{
    uint32_t out = 0;
    for (unsigned i = 0; i < f->fmask_samples; i++)
        out |= (bits >> (i * f->fmask_bits) & (uint32_t)bits_mask(f->fmask_bits)) << (i * 4);
    return out;
}

static void fix_texels(const struct tc_format *f, union td_texel *texels, unsigned count)
{
    if (f->fmask_bits) {
        for (unsigned i = 0; i < count; i++)
            texels[i].u[0] = spread_fmask(f, texels[i].u[0]);
    }
    if (f->in_order)
        return;
    for (unsigned i = 0; i < count; i++) {
        union td_texel from = texels[i];
        for (unsigned n = 0; n < 4; n++)
            texels[i].u[n] = from.u[f->order[n]];
    }
}

/* `count` elements to texels; `codec` is the format's or the one without the sRGB curve. */
static void decode(const struct tc_format *f, const struct format_codec *codec, union td_texel *out,
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

void amd_td_decode(union td_texel *out, const struct tc_format *f, const void *const *at, unsigned count)
{
    decode(f, f->codec, out, at, count);
}

bool amd_td_decode_block(union td_texel *out, struct ta_request *r, enum format format, const void *block, uint32_t x,
                         uint32_t y)
{
    const struct tc_format *f = &r->image->format;
    tc_texels texels = amd_tc_block_get(r->cache, format, block, f->element_B);
    if (!texels) {
        amd_sq_fault(r->wave, r->uop, SQ_FAULT_INSTRUCTION,
                     "a compressed format that is not implemented, or no memory to decode it");
        return false;
    }
    memcpy(out->f, texels[y % f->block_h * f->block_w + x % f->block_w], sizeof(out->f));
    return true;
}

/* A tap beyond two edges of a cube is the mean of the other three. */
static void fill_corners(union td_texel (*out)[LANES_MAX], const struct ta_request *r, const struct ta_taps *taps)
{
    if (r->image->format.kind != TC_FLOAT)
        return;
    for (unsigned tap = 0; tap < taps->count; tap++) {
        for (unsigned i = 0; i < r->lanes; i++) {
            if (!taps->corner[tap][i])
                continue;
            for (unsigned n = 0; n < 4; n++)
                out[tap][i].f[n] = (out[tap ^ 1][i].f[n] + out[tap ^ 2][i].f[n] + out[tap ^ 3][i].f[n]) * (1.0f / 3);
        }
    }
}

/* The lanes of a tap that have a texel in memory; the others are on the border, a corner or count for nothing. */
static uint64_t taken_lanes(const struct ta_request *r, const struct ta_taps *taps, unsigned tap, uint64_t *border_out,
                            bool *has_corner)
{
    const uint8_t *is_border = taps->border[tap], *is_corner = taps->corner[tap];
    const float *weight = taps->weight[tap];
    uint32_t counts_all = r->image->is_cube ? UINT32_MAX : 0;
    uint32_t in_memory[LANES_MAX], on_border[LANES_MAX], on_corner[LANES_MAX];
    LANES_INDEPENDENT
    for (unsigned i = 0; i < r->lanes; i++) {
        uint32_t counts = weight[i] != 0 ? UINT32_MAX : 0;
        on_border[i] = is_border[i] ? UINT32_MAX : 0;
        on_corner[i] = is_corner[i] ? UINT32_MAX : 0;
        in_memory[i] = ~on_border[i] & ~on_corner[i] & (counts | counts_all);
    }
    uint64_t taken = lanes_to_mask(in_memory, r->lanes), border = lanes_to_mask(on_border, r->lanes),
             corner = lanes_to_mask(on_corner, r->lanes);
    *border_out = border & r->exec;
    *has_corner |= (corner & r->exec & ~border) != 0;
    return taken & r->exec;
}

static const uint32_t sample_0[LANES_MAX];

bool amd_td_fetch(union td_texel (*out)[LANES_MAX], struct ta_request *r, const struct ta_taps *taps)
{
    const struct tc_format *f = &r->image->format;
    bool is_encoded = r->sampler && r->sampler->is_encoded;
    union td_texel border;
    bool has_border = false, has_corner = false;
    for (unsigned tap = 0; tap < taps->count; tap++) {
        struct td_places places;
        uint64_t on_border, taken = taken_lanes(r, taps, tap, &on_border, &has_corner);
        const struct td_rows rows = {(const uint32_t *)taps->x[tap], (const uint32_t *)taps->y[tap],
                                     (const uint32_t *)taps->z[tap], sample_0, taps->level};
        if (on_border && !has_border) {
            bool ok = true;
            amd_td_border(&border, r, &ok);
            if (!ok)
                return false;
            has_border = true;
        }
        for (unsigned i = 0; i < r->lanes; i++)
            places.at[i] = (uint8_t *)amd_td_zeros;
        if (!amd_td_locate(&places, r, &rows, taken, GPU_PERM_READ))
            return false;
        if (f->is_compressed) {
            memset(out[tap], 0, sizeof(out[tap]));
            bits_foreach (taken & ~places.constants, i) {
                if (!amd_td_decode_block(&out[tap][i], r, is_encoded ? f->encoded_format : f->format, places.at[i],
                                         rows.x[i], rows.y[i]))
                    return false;
            }
        } else {
            decode(f, is_encoded ? f->encoded_codec : f->codec, out[tap], (const void *const *)places.at, r->lanes);
        }
        bits_foreach (places.constants, i)
            out[tap][i] = places.constant[i];
        bits_foreach (on_border, i)
            out[tap][i] = border;
    }
    if (has_corner)
        fill_corners(out, r, taps);
    return true;
}
