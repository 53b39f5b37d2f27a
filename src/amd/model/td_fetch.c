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

bool td_locate(struct td_place *out, struct ta_request *r, unsigned lane, uint32_t x, uint32_t y, uint32_t z,
               uint32_t sample, unsigned level, unsigned need)
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
    /* Neighbours mostly lie in the same 256 bytes, and an instruction need not see a change of their code. */
    bool known = image->meta_kind == TC_META_DCC && (va & ~(uint64_t)255) == r->plain_va;
    if (image->meta_kind != TC_META_NONE && !known) {
        if (need & GPU_PERM_WRITE) {
            if (!tc_meta_expand(r, x, y, z, sample, level))
                return false;
            r->plain_va = va & ~(uint64_t)255;
        } else {
            switch (tc_meta_read(&out->texel, r, x, y, z, sample, level)) {
            case TD_META_PLAIN:
                r->plain_va = va & ~(uint64_t)255;
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

#define PLANE_MAX_PAGES 8192 /* beyond that, looking at every page costs more than looking at every texel */

uint8_t *td_plane(const struct ta_request *r, unsigned level, uint32_t slice, unsigned need)
{
    const struct tc_image *image = r->image;
    const struct amd_tiling_table *p = image->pattern;
    const struct amd_surface_level *at = &image->surface.level[level];
    if (image->meta_kind != TC_META_NONE || image->format.is_compressed || r->uop->inst->mem.tfe)
        return NULL;
    uint64_t first_B = at->offset_B + (slice >> p->block_d_log2) * image->surface.layer_B,
             va = image->base_va + first_B;
    uint64_t rows = ((image->level[level].height - 1) >> p->block_h_log2) + 1, size_B = rows * at->row_B;
    if (level >= image->surface.first_tail_level) /* its levels share one block */
        size_B = 1ull << image->surface.block_log2;
    const struct gpu_range *range = &r->wave->memory->ranges[va >> 63];
    uint64_t offset_B = va - range->base_va;
    if (offset_B >= range->size_B || size_B > range->size_B - offset_B)
        return NULL;
    uint64_t page = offset_B >> GPU_PAGE_SHIFT, count = ((offset_B + size_B - 1) >> GPU_PAGE_SHIFT) - page + 1;
    if (count > PLANE_MAX_PAGES)
        return NULL;
    uint8_t all = 0xff;
    for (uint64_t i = 0; i < count; i++)
        all &= range->perms[page + i];
    return (all & need) == need ? range->host + offset_B - first_B : NULL;
}

/* The last plane that was looked at. */
struct plane {
    uint8_t *host;
    unsigned level;
    uint32_t slice;
};

static inline uint8_t *plane_of(struct plane *plane, const struct ta_request *r, unsigned level, uint32_t slice)
{
    if (plane->level != level || plane->slice != slice)
        *plane = (struct plane){td_plane(r, level, slice, GPU_PERM_READ), level, slice};
    return plane->host;
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

void td_decode_one(union td_texel *out, const struct tc_format *f, const void *at)
{
    decode(f, f->codec, out, &at, 1);
}

static bool decode_compressed(struct ta_request *r, enum format format, union td_texel *out, const void *block,
                              uint32_t x, uint32_t y)
{
    const struct tc_format *f = &r->image->format;
    tc_texels texels = tc_block_get(r->cache, format, block, f->element_B);
    if (!texels) {
        sq_fault(r->wave, r->uop, SQ_FAULT_INSTRUCTION,
                 "a compressed format that is not implemented, or no memory to decode it");
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
    struct plane plane = {.level = UINT32_MAX};
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
            uint32_t x = (uint32_t)taps->x[tap][i], y = (uint32_t)taps->y[tap][i], z = (uint32_t)taps->z[tap][i];
            const uint8_t *host = plane_of(&plane, r, taps->level[i], z);
            if (host) {
                at[i] = host + tc_element_offset(image, x, y, z, 0, taps->level[i]);
                continue;
            }
            if (!td_locate(&place, r, i, x, y, z, 0, taps->level[i], GPU_PERM_READ))
                return false;
            if (place.is_constant) {
                constant[i] = place.texel;
                constants |= 1ull << i;
            } else if (f->is_compressed) {
                if (!decode_compressed(r, is_encoded ? f->encoded_format : f->format, &constant[i],
                                       place.at ? place.at : zeros, x, y))
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
