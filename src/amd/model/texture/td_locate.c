/* Where the texels of a wave are: tiling, metadata and permissions. Lanes are mostly neighbours, so that nearly all of
 * them share a slice, a page and the piece of the image that one code of metadata describes: those are looked at when
 * they change, not for each lane. Not for: what the bytes mean (td_fetch.c). */
#include "amd/model/texture/ta.h"

#include "util/bits.h"

static bool is_resident(const struct sq_wave *wave, uint64_t va)
{
    const struct gpu_window *window = gpu_space_window(wave->memory, va);
    uint64_t offset_B = va - window->base_va;
    return offset_B >= window->size_B || !(window->perms[offset_B >> GPU_PAGE_SHIFT] & GPU_PERM_RESIDENT);
}

/* The common part of texels of one level, slice and sample: tc_element_offset without x and y. */
struct plane {
    unsigned level;
    uint32_t z, sample;
    uint64_t first_va;
    uint32_t row_B, common, tail_x, tail_y;
};

/* A piece of memory, and of the image, about which everything is known. An instruction need not see it change. */
struct piece {
    enum td_meta meta; /* PLAIN, SINGLE or CONSTANT */
    bool valid;
    uint64_t va;   /* of its first byte */
    uint32_t x, y; /* in 8 by 8 texels, where a code stands for so many */
    uint8_t *host; /* NULL: reads zero, drops writes */
    union tex_texel texel;
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
        .row_B = (uint32_t)at->row_B,
        .common = p->z[z & p->z_mask] ^ p->s[sample & 7] ^ image->surface.xor_B,
        .tail_x = at->tail_x,
        .tail_y = at->tail_y,
    };
}

/* From a plane's first byte to the elements of lanes that are in it; of other lanes some number. What needs no table is
 * done in vectors. An element is less than 4 GiB away: 16384 by 16384 of them with 16 bytes would be just that. */
static void find_offsets(uint32_t *restrict offset, const struct tc_image *image, const struct plane *plane,
                         const uint32_t *restrict x, const uint32_t *restrict y, unsigned lanes)
{
    const struct amd_tiling_table *p = image->pattern;
    const uint32_t x_mask = p->x_mask, y_mask = p->y_mask, w_log2 = p->block_w_log2, h_log2 = p->block_h_log2,
                   col_B = p->col_B, row_B = plane->row_B, common = plane->common, tail_x = plane->tail_x,
                   tail_y = plane->tail_y;
    /* A block of a compressed format is an element. */
    const uint32_t texels_x = (uint32_t)__builtin_ctz(image->format.block_w),
                   texels_y = (uint32_t)__builtin_ctz(image->format.block_h);
    uint32_t index_x[LANES_MAX], index_y[LANES_MAX];
    LANES_INDEPENDENT
    for (unsigned i = 0; i < lanes; i++) {
        uint32_t element_x = x[i] >> texels_x, element_y = y[i] >> texels_y;
        index_x[i] = (element_x + tail_x) & x_mask;
        index_y[i] = (element_y + tail_y) & y_mask;
        offset[i] = (element_x >> w_log2) * col_B + (element_y >> h_log2) * row_B;
    }
    for (unsigned i = 0; i < lanes; i++)
        offset[i] += p->x[index_x[i]] ^ p->y[index_y[i]] ^ common;
}

/* Everything about one texel, and the piece around it. False: the wave has stopped. */
static bool enter_piece(struct piece *piece, struct ta_request *r, unsigned lane, const struct plane *plane, uint32_t x,
                        uint32_t y, uint64_t va, uint64_t piece_B, unsigned need)
{
    const struct tc_image *image = r->image;
    *piece = (struct piece){.meta = TD_META_PLAIN, .va = va & -piece_B, .x = x / 8, .y = y / 8};
    if (image->meta_kind != TC_META_NONE && (need & GPU_PERM_WRITE)) {
        if (!amd_tc_meta_expand(r, x, y, plane->z, plane->sample, plane->level))
            return false;
    } else if (image->meta_kind != TC_META_NONE) {
        piece->meta = amd_tc_meta_read(&piece->texel, r, x, y, plane->z, plane->sample, plane->level);
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

/* Where no metadata speaks of texels and the GPU may access everything between the first and the last one, single
 * texels need not be looked at. False: they must be; nothing has been done. */
static bool locate_all(struct td_places *out, const struct ta_request *r, const uint32_t *offset, uint64_t lanes,
                       uint64_t first_va, unsigned need)
{
    uint32_t active[LANES_MAX], low = UINT32_MAX, high = 0, element_B = r->image->format.element_B;
    if (r->image->meta_kind != TC_META_NONE || r->uop->inst->mem.tfe)
        return false;
    lanes_from_mask(active, lanes, r->q.lanes);
    for (unsigned i = 0; i < r->q.lanes; i++) {
        uint32_t at_least = offset[i] | ~active[i], at_most = offset[i] & active[i];
        low = at_least < low ? at_least : low;
        high = at_most > high ? at_most : high;
    }
    uint8_t *host = amd_td_span(r, first_va + low, (uint64_t)high - low + element_B, need);
    if (!host)
        return false;
    host -= low;
    for (unsigned i = 0; i < r->q.lanes; i++)
        out->at[i] = active[i] ? host + offset[i] : out->at[i];
    return true;
}

#define FEW_LANES 3 /* so many are found faster one by one */

/* Lanes of one plane. */
static bool locate_in_plane(struct td_places *out, struct ta_request *r, const struct tex_rows *rows, uint64_t lanes,
                            const struct plane *plane, unsigned need)
{
    const struct tc_image *image = r->image;
    /* A code of DCC describes 256 bytes, one of HTILE or CMASK 8 by 8 texels; without any a page is all the same. */
    bool by_texels = image->meta_kind == TC_META_HTILE || image->meta_kind == TC_META_CMASK;
    const uint64_t piece_B = image->meta_kind == TC_META_DCC ? 256 : GPU_PAGE_SIZE_B;
    struct piece piece = {.valid = false};
    uint32_t offset[LANES_MAX];
    if (__builtin_popcountll(lanes) > FEW_LANES) {
        find_offsets(offset, image, plane, rows->x, rows->y, r->q.lanes);
        if (locate_all(out, r, offset, lanes, plane->first_va, need))
            return true;
    } else {
        const struct tc_format *f = &image->format;
        bits_foreach (lanes, i)
            offset[i] = (uint32_t)(image->base_va - plane->first_va +
                                   tc_element_offset(image, rows->x[i] / f->block_w, rows->y[i] / f->block_h, plane->z,
                                                     plane->sample, plane->level));
    }
    const uint64_t all = lanes;
    for (; lanes; lanes &= lanes - 1) {
        unsigned i = (unsigned)__builtin_ctzll(lanes);
        uint64_t va = plane->first_va + offset[i];
        uint32_t x = rows->x[i], y = rows->y[i];
        bool known =
            piece.valid && (va & -piece_B) == piece.va && (!by_texels || (x / 8 == piece.x && y / 8 == piece.y));
        if (!known && !enter_piece(&piece, r, i, plane, x, y, va, piece_B, need))
            return false;
        if (piece.meta == TD_META_CONSTANT) {
            out->constant[i] = piece.texel;
            out->constants |= 1ull << i;
        } else if (piece.host) {
            out->at[i] = piece.meta == TD_META_SINGLE ? piece.host : piece.host + (va - piece.va);
        }
    }
    if (__builtin_expect(r->wave->coherence != NULL, 0)) {
        bits_foreach (all & ~out->constants, i)
            sq_note(r->wave, r->uop, plane->first_va + offset[i], image->format.element_B, need);
    }
    return true;
}

/* Lanes of `lanes` that are in the plane of the first one. */
static uint64_t find_plane(struct plane *plane, const struct ta_request *r, const struct tex_rows *rows, uint64_t lanes)
{
    unsigned first = (unsigned)__builtin_ctzll(lanes);
    uint32_t level = rows->level[first], z = rows->z[first], sample = rows->sample[first], same[LANES_MAX];
    enter_plane(plane, r->image, level, z, sample);
    LANES_INDEPENDENT
    for (unsigned i = 0; i < r->q.lanes; i++)
        same[i] = (rows->level[i] ^ level) | (rows->z[i] ^ z) | (rows->sample[i] ^ sample) ? 0 : UINT32_MAX;
    return lanes_to_mask(same, r->q.lanes) & lanes;
}

bool amd_td_locate(struct td_places *out, struct ta_request *r, const struct tex_rows *rows, uint64_t lanes,
                   unsigned need)
{
    out->constants = 0;
    while (lanes) {
        struct plane plane;
        uint64_t in_plane = find_plane(&plane, r, rows, lanes);
        if (!locate_in_plane(out, r, rows, in_plane, &plane, need))
            return false;
        lanes &= ~in_plane;
    }
    return true;
}
