/* Where the texels of a wave are: tiling, metadata and permissions. Lanes are mostly neighbours, so that nearly all of
 * them share a slice, a page and the piece of the image that one code of metadata describes: those are looked at when
 * they change, not for each lane. Not for: what the bytes mean (td_fetch.c). */
#include "amd/model/ta.h"

#include "util/bits.h"

static bool is_resident(const struct sq_wave *wave, uint64_t va)
{
    const struct gpu_range *range = &wave->memory->ranges[va >> 63];
    uint64_t offset_B = va - range->base_va;
    return offset_B >= range->size_B || !(range->perms[offset_B >> GPU_PAGE_SHIFT] & GPU_PERM_RESIDENT);
}

/* What texels of one level, slice and sample have in common: tc_element_offset without x and y. */
struct plane {
    unsigned level;
    uint32_t z, sample;
    uint64_t first_va, row_B;
    uint32_t common, tail_x, tail_y;
};

/* A piece of memory, and of the image, about which everything is known. An instruction need not see it change. */
struct piece {
    enum td_meta meta; /* PLAIN, SINGLE or CONSTANT */
    bool valid;
    uint64_t va;   /* of its first byte */
    uint32_t x, y; /* in 8 by 8 texels, where a code stands for so many */
    uint8_t *host; /* NULL: reads zero, drops writes */
    union td_texel texel;
};

static void enter_plane(struct plane *plane, const struct tc_image *image, unsigned level, uint32_t z, uint32_t sample)
{
    const struct amd_tiling_table *p = image->pattern;
    const struct amd_surface_level *at = &image->surface.level[level];
    *plane = (struct plane){
        .level = level,
        .z = z,
        .sample = sample,
        .first_va = image->base_va + at->offset_B + (z >> p->block_d_log2) * image->surface.layer_B,
        .row_B = at->row_B,
        .common = p->z[z & p->z_mask] ^ p->s[sample & 7] ^ image->surface.xor_B,
        .tail_x = at->tail_x,
        .tail_y = at->tail_y,
    };
}

/* The tables as local values: what is stored for a lane cannot change them, which compilers do not know. */
struct tiling {
    const uint32_t *x, *y;
    uint32_t x_mask, y_mask, col_B;
    unsigned w_log2, h_log2;
};

static inline uint64_t address(const struct tiling *t, const struct plane *plane, uint32_t x, uint32_t y)
{
    uint32_t inside_B = t->x[(x + plane->tail_x) & t->x_mask] ^ t->y[(y + plane->tail_y) & t->y_mask] ^ plane->common;
    return plane->first_va + (y >> t->h_log2) * plane->row_B + (uint64_t)(x >> t->w_log2) * t->col_B + inside_B;
}

/* Everything about one texel, and the piece around it. False: the wave has stopped. */
static bool enter_piece(struct piece *piece, struct ta_request *r, unsigned lane, const struct plane *plane, uint32_t x,
                        uint32_t y, uint64_t va, uint64_t piece_B, unsigned need)
{
    const struct tc_image *image = r->image;
    *piece = (struct piece){.meta = TD_META_PLAIN, .va = va & -piece_B, .x = x / 8, .y = y / 8};
    if (image->meta_kind != TC_META_NONE && (need & GPU_PERM_WRITE)) {
        if (!tc_meta_expand(r, x, y, plane->z, plane->sample, plane->level))
            return false;
    } else if (image->meta_kind != TC_META_NONE) {
        piece->meta = tc_meta_read(&piece->texel, r, x, y, plane->z, plane->sample, plane->level);
        if (piece->meta == TD_META_STOP)
            return false;
    }
    piece->valid = true;
    if (piece->meta == TD_META_CONSTANT)
        return true;
    if (piece->meta == TD_META_SINGLE)
        va &= ~(uint64_t)255;
    /* Each lane is asked whether its texel is resident; elements of 12 bytes may reach into the next page. */
    if (r->uop->inst->mem.tfe && !is_resident(r->wave, va))
        r->nonresident[lane] = 1;
    piece->valid = !r->uop->inst->mem.tfe && !(image->format.element_B & (image->format.element_B - 1u));
    if (!sq_resolve(r->wave, r->uop, va, image->format.element_B, need, &piece->host))
        return false;
    if (piece->host && piece->meta == TD_META_PLAIN)
        piece->host -= va - piece->va;
    return true;
}

bool td_locate(struct td_places *out, struct ta_request *r, const struct td_rows *rows, uint64_t lanes, unsigned need)
{
    const struct tc_image *image = r->image;
    const struct tc_format *f = &image->format;
    out->constants = 0;
    if (!lanes)
        return true; /* as of an image that is none */
    /* A code of DCC describes 256 bytes, one of HTILE or CMASK 8 by 8 texels; without any a page is all the same. */
    bool by_texels = image->meta_kind == TC_META_HTILE || image->meta_kind == TC_META_CMASK;
    const uint64_t piece_B = image->meta_kind == TC_META_DCC ? 256 : GPU_PAGE_SIZE_B;
    const struct amd_tiling_table *p = image->pattern;
    const struct tiling tiling = {p->x, p->y, p->x_mask, p->y_mask, p->col_B, p->block_w_log2, p->block_h_log2};
    struct plane plane = {.level = UINT32_MAX};
    struct piece piece = {.valid = false};
    for (; lanes; lanes &= lanes - 1) {
        unsigned i = (unsigned)__builtin_ctzll(lanes);
        uint32_t x = rows->x[i], y = rows->y[i], z = rows->z[i], sample = rows->sample[i];
        if (rows->level[i] != plane.level || z != plane.z || sample != plane.sample) {
            enter_plane(&plane, image, rows->level[i], z, sample);
            piece.valid &= !by_texels;
        }
        uint64_t va = f->is_compressed ? address(&tiling, &plane, x / f->block_w, y / f->block_h)
                                       : address(&tiling, &plane, x, y);
        bool known =
            piece.valid && (va & -piece_B) == piece.va && (!by_texels || (x / 8 == piece.x && y / 8 == piece.y));
        if (!known && !enter_piece(&piece, r, i, &plane, x, y, va, piece_B, need))
            return false;
        if (piece.meta == TD_META_CONSTANT) {
            out->constant[i] = piece.texel;
            out->constants |= 1ull << i;
        } else if (piece.host) {
            out->at[i] = piece.meta == TD_META_SINGLE ? piece.host : piece.host + (va - piece.va);
        }
    }
    return true;
}
