/* Texels from memory: where they are, what metadata says of them, and their format. */
#include "amd/model/ta.h"

#include <string.h>

#include "amd/hw/enums.h"
#include "util/bits.h"

static const uint8_t zeros[16] __attribute__((aligned(16)));

static bool is_resident(const struct sq_wave *wave, uint64_t va)
{
    const struct gpu_range *range = &wave->memory->ranges[va >> 63];
    uint64_t offset_B = va - range->base_va;
    return offset_B >= range->size_B || !(range->perms[offset_B >> GPU_PAGE_SHIFT] & GPU_PERM_RESIDENT);
}

bool td_locate(struct td_place *out, struct ta_request *r, unsigned lane, uint32_t x, uint32_t y, uint32_t z, uint32_t sample, unsigned level,
               unsigned need)
{
    const struct tc_image *image = r->image;
    const struct tc_format *f = &image->format;
    uint32_t ex = x, ey = y;
    if (f->is_compressed) {
        ex = x / f->block_w;
        ey = y / f->block_h;
    }
    uint64_t va = image->base_va + tc_element_offset(image, ex, ey, z, sample, level);
    out->is_constant = false;
    if (__builtin_expect(image->meta_kind != TC_META_NONE, 0)) {
        if (need & GPU_PERM_WRITE) {
            if (!tc_meta_expand(r, x, y, z, sample, level))
                return false;
        } else {
            switch (tc_meta_read(&out->texel, r, x, y, z, sample, level)) {
            case TD_META_PLAIN:
                break;
            case TD_META_SINGLE:
                va &= ~(uint64_t)255;
                break;
            case TD_META_CONSTANT:
                out->is_constant = true;
                out->at = NULL;
                return true;
            case TD_META_STOP:
                return false;
            }
        }
    }
    if (r->uop->inst->mem.tfe && !is_resident(r->wave, va))
        r->nonresident[lane] = 1;
    return sq_resolve(r->wave, r->uop, va, f->element_B, need, &out->at);
}

/* One border colour for all lanes: the sampler's. */
void td_border(union td_texel *out, struct ta_request *r, bool *ok)
{
    const struct tc_image *image = r->image;
    const struct amd_desc_SAMPLER *d = &r->sampler->desc;
    union td_texel color = {.u = {0, 0, 0, 0}}, one = {.f = {1, 1, 1, 1}};
    if (image->format.kind != TC_FLOAT)
        one = (union td_texel){.u = {1, 1, 1, 1}};
    *ok = true;
    switch (d->BORDER_COLOR_TYPE) {
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
        *ok = sq_resolve(r->wave, r->uop, r->wave->ta->border_va + d->BORDER_COLOR_PTR * 16ull, 16, GPU_PERM_READ, &at);
        if (*ok && at)
            memcpy(&color, at, sizeof(color));
        break;
    }
    }
    for (unsigned i = 0; i < 4; i++)
        out->u[i] = color.u[image->bc_order[i]];
}

/* Texels of FMASK are returned with four bits a sample, however many they have in memory. */
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
static void decode(const struct tc_format *f, const struct format_codec *codec, union td_texel *out, const void *const *at, unsigned count)
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

void td_decode_one(union td_texel *out, const struct tc_format *f, const void *at)
{
    decode(f, f->codec, out, &at, 1);
}

static bool decode_compressed(struct ta_request *r, enum format format, union td_texel *out, const void *block, uint32_t x, uint32_t y)
{
    const struct tc_format *f = &r->image->format;
    tc_texels texels = tc_block_get(r->cache, format, block, f->element_B);
    if (!texels) {
        sq_fault(r->wave, r->uop, SQ_FAULT_INSTRUCTION, "a compressed format that is not implemented, or no memory to decode it");
        return false;
    }
    memcpy(out->f, texels[y % f->block_h * f->block_w + x % f->block_w], sizeof(out->f));
    return true;
}

/* A tap behind two edges of a cube is the mean of the other three. */
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

bool td_fetch(union td_texel (*out)[LANES_MAX], struct ta_request *r, const struct ta_taps *taps)
{
    const struct tc_image *image = r->image;
    const struct tc_format *f = &image->format;
    bool is_encoded = r->sampler && r->sampler->desc.SKIP_DEGAMMA;
    union td_texel border;
    bool has_border = false, has_corner = false;
    for (unsigned tap = 0; tap < taps->count; tap++) {
        const void *at[LANES_MAX];
        union td_texel constant[LANES_MAX];
        uint64_t constants = 0;
        for (unsigned i = 0; i < r->lanes; i++) {
            at[i] = zeros;
            if (!(r->exec >> i & 1))
                continue;
            if (taps->border[tap][i]) {
                bool ok = true;
                if (!has_border)
                    td_border(&border, r, &ok);
                if (!ok)
                    return false;
                has_border = true;
                constant[i] = border;
                constants |= 1ull << i;
                continue;
            }
            has_corner |= taps->corner[tap][i];
            if (taps->corner[tap][i] || (taps->weight[tap][i] == 0 && !image->is_cube))
                continue;
            struct td_place place;
            uint32_t x = (uint32_t)taps->x[tap][i], y = (uint32_t)taps->y[tap][i];
            if (!td_locate(&place, r, i, x, y, (uint32_t)taps->z[tap][i], 0, taps->level[i], GPU_PERM_READ))
                return false;
            if (place.is_constant) {
                constant[i] = place.texel;
                constants |= 1ull << i;
            } else if (f->is_compressed) {
                if (!decode_compressed(r, is_encoded ? f->encoded_format : f->format, &constant[i], place.at ? place.at : zeros, x, y))
                    return false;
                constants |= 1ull << i;
            } else if (place.at) {
                at[i] = place.at;
            }
        }
        if (f->is_compressed)
            memset(out[tap], 0, sizeof(out[tap]));
        else
            decode(f, is_encoded ? f->encoded_codec : f->codec, out[tap], at, r->lanes);
        for (; constants; constants &= constants - 1) {
            unsigned i = (unsigned)__builtin_ctzll(constants);
            out[tap][i] = constant[i];
        }
    }
    if (has_corner)
        fill_corners(out, r, taps);
    return true;
}
