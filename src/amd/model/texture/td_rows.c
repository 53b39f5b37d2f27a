/* The texels of a whole wave at once, where its lanes lie in rows of eight neighbours: what shaders that copy, clear
 * and expand images do. The tables of the tiling are then read in rows, too, and neighbours in memory are moved
 * together. Not for: anything else, which td_locate.c finds. */
#include "amd/model/texture/ta.h"

#include <string.h>

#define ROW 8u

/* Half a row: compilers hold wider vectors in memory. */
#define QUAD 4u
typedef uint32_t quad __attribute__((vector_size(QUAD * sizeof(uint32_t))));

static inline quad load_quad(const uint32_t *from)
{
    quad out;
    memcpy(&out, from, sizeof(out));
    return out;
}

static inline uint32_t any_bits(quad bits)
{
    uint64_t halves[2];
    memcpy(halves, &bits, sizeof(halves));
    return (halves[0] | halves[1]) != 0;
}

static const uint32_t zero_row[LANES_MAX];

/* Have all lanes one value? */
static bool is_uniform(const uint32_t *lane, unsigned lanes)
{
    quad different = {0}, value = different + lane[0];
    for (unsigned i = 0; i < lanes; i += QUAD)
        different |= load_quad(lane + i) ^ value;
    return !any_bits(different);
}

/* Rows of eight that begin at a multiple of eight, inside of the level. */
static bool are_rows(const uint32_t *x, const uint32_t *y, uint32_t width, uint32_t height, unsigned lanes)
{
    const quad count = {0, 1, 2, 3}, next = {4, 5, 6, 7};
    quad different = {0};
    uint32_t wrong = width < ROW;
    for (unsigned first = 0; first < lanes; first += ROW) {
        uint32_t x0 = x[first], y0 = y[first];
        wrong |= (x0 % ROW) | (x0 > width - ROW) | (y0 >= height);
        different |= (load_quad(x + first) ^ (count + x0)) | (load_quad(x + first + QUAD) ^ (next + x0));
        different |= (load_quad(y + first) ^ y0) | (load_quad(y + first + QUAD) ^ y0);
    }
    return !(wrong | any_bits(different));
}

/* The level, slice and sample that all lanes have in common. */
struct plane {
    unsigned level;
    uint32_t z, sample;
};

static bool find_plane(struct plane *plane, const struct ta_request *r)
{
    const struct tc_image *image = r->image;
    const uint32_t *layer = r->layer ? r->layer : r->q.axes > 2 ? r->coord[2] : zero_row;
    const uint32_t *sample = r->sample ? r->sample : zero_row;
    unsigned level = image->tex.base_level;
    uint32_t layers = image->is_3d && !image->slices_of_base ? image->tex.level[level].depth : image->tex.layers;
    *plane = (struct plane){level, image->tex.first_layer + layer[0], sample[0]};
    return layer[0] < layers && sample[0] < image->samples && level >= image->tex.min_lod >> 8 &&
           is_uniform(layer, r->q.lanes) && is_uniform(sample, r->q.lanes);
}

/* Offsets from the first byte of the plane, as td_locate.c finds them. */
static void find_offsets(struct td_wave *out, const struct tc_image *image, const struct plane *plane,
                         const uint32_t *x, const uint32_t *y, unsigned lanes)
{
    const struct amd_tiling_table *p = image->pattern;
    const struct amd_surface_level *at = &image->surface.level[plane->level];
    const uint32_t common = p->z[plane->z & p->z_mask] ^ p->s[plane->sample & 7] ^ image->surface.xor_B,
                   element_B = image->format.element_B;
    uint32_t low_bits = 0;
    for (unsigned first = 0; first < lanes; first += ROW) {
        const uint32_t *of_x = p->x + ((x[first] + at->tail_x) & p->x_mask);
        uint32_t bits = p->y[(y[first] + at->tail_y) & p->y_mask] ^ common,
                 base = (x[first] >> p->block_w_log2) * p->col_B + (y[first] >> p->block_h_log2) * (uint32_t)at->row_B;
        low_bits |= bits ^ of_x[0];
        quad left = (load_quad(of_x) ^ bits) + base, right = (load_quad(of_x + QUAD) ^ bits) + base;
        memcpy(out->offset + first, &left, sizeof(left));
        memcpy(out->offset + first + QUAD, &right, sizeof(right));
    }
    /* Address bits that are those of x alone make neighbours. */
    out->run = 1;
    while (out->run < ROW && p->x[out->run] == out->run * element_B && !(low_bits & (out->run * 2 * element_B - 1)))
        out->run *= 2;
}

/* A linear image has no tables. */
static void find_linear_offsets(struct td_wave *out, const struct tc_image *image, const struct plane *plane,
                                const uint32_t *x, const uint32_t *y, unsigned lanes)
{
    const struct amd_tiling_table *p = image->pattern;
    const uint32_t row_B = (uint32_t)image->surface.level[plane->level].row_B, element_B = image->format.element_B;
    for (unsigned i = 0; i < lanes; i++)
        out->offset[i] = x[i] * element_B + (y[i] >> p->block_h_log2) * row_B;
    out->run = ROW;
}

/* DCC that says of all pieces that memory holds them, or that one element does. */
static bool look_at_dcc(struct td_wave *out, struct ta_request *r, const struct plane *plane)
{
    uint32_t known = UINT32_MAX;
    enum td_meta meta = TD_META_STOP;
    const uint32_t *x = r->coord[0], *y = r->coord[1];
    for (unsigned first = 0; first < r->q.lanes; first += ROW) {
        uint32_t piece = out->offset[first] / TD_DCC_PIECE_B;
        union tex_texel texel;
        if (piece != known)
            meta = amd_tc_meta_read(&texel, r, x[first], y[first], plane->z, plane->sample, plane->level);
        known = piece;
        if (meta != TD_META_PLAIN && meta != TD_META_SINGLE)
            return false;
        for (unsigned i = 0; i < ROW && meta == TD_META_SINGLE; i++)
            out->offset[first + i] = piece * TD_DCC_PIECE_B;
        if (meta == TD_META_SINGLE)
            out->run = 1;
    }
    return true;
}

/* The first and the last element. */
static void find_span(const struct td_wave *at, unsigned lanes, uint32_t *low_out, uint32_t *high_out)
{
    quad low = load_quad(at->offset), high = low;
    for (unsigned i = QUAD; i < lanes; i += QUAD) {
        quad row = load_quad(at->offset + i), less = (quad)(row < low), more = (quad)(row > high);
        low = (row & less) | (low & ~less);
        high = (row & more) | (high & ~more);
    }
    *low_out = low[0];
    *high_out = high[0];
    for (unsigned i = 1; i < QUAD; i++) {
        *low_out = low[i] < *low_out ? low[i] : *low_out;
        *high_out = high[i] > *high_out ? high[i] : *high_out;
    }
}

/* Rows of eight lie in one block, and in one piece of DCC where that is asked. */
static bool is_simple(const struct ta_request *r, unsigned need)
{
    const struct tc_image *image = r->image;
    const struct tc_format *f = &image->format;
    if (!r->wave->exec_full || r->q.axes < 2 || r->q.lod || r->uop->inst->mem.tfe || image->is_null ||
        f->is_compressed || (f->element_B & (f->element_B - 1u)))
        return false;
    bool is_linear = image->surface.desc.swizzle == AMD_SW_LINEAR;
    if (image->meta_kind == TC_META_DCC)
        return !(need & GPU_PERM_WRITE) && f->element_B * ROW <= TD_DCC_PIECE_B / 4 && !is_linear &&
               image->samples == 1 && image->pattern->block_w_log2 >= 3;
    return image->meta_kind == TC_META_NONE && (is_linear || image->pattern->block_w_log2 >= 3);
}

bool amd_td_locate_wave(struct td_wave *out, struct ta_request *r, unsigned need)
{
    const struct tc_image *image = r->image;
    const uint32_t *x = r->coord[0], *y = r->coord[1];
    struct plane plane;
    if (!is_simple(r, need) || !find_plane(&plane, r) ||
        !are_rows(x, y, image->tex.level[plane.level].width, image->tex.level[plane.level].height, r->q.lanes))
        return false;
    const struct amd_surface_level *at = &image->surface.level[plane.level];
    bool is_linear = image->surface.desc.swizzle == AMD_SW_LINEAR;
    if (is_linear)
        find_linear_offsets(out, image, &plane, x, y, r->q.lanes);
    else if (at->tail_x % ROW)
        return false;
    else
        find_offsets(out, image, &plane, x, y, r->q.lanes);
    if (image->meta_kind == TC_META_DCC && !look_at_dcc(out, r, &plane))
        return false;
    uint32_t low, high;
    find_span(out, r->q.lanes, &low, &high);
    uint64_t first_va =
        image->base_va + at->offset_B + (plane.z >> image->pattern->block_d_log2) * image->surface.layer_B;
    uint8_t *host = amd_td_span(r, first_va + low, (uint64_t)high - low + image->format.element_B, need);
    if (!host)
        return false;
    out->host = host - low;
    return true;
}

/* ---- the bytes ---- */

#define MOVE_RUNS(run_B)                                                                                               \
    for (unsigned i = 0; i < lanes; i += (run_B) / 4)                                                                  \
    memcpy(row + i, at->host + at->offset[i], (run_B))

void amd_td_load_words(uint32_t *row, const struct td_wave *at, unsigned lanes)
{
    if (at->run == 8) {
        MOVE_RUNS(32);
    } else if (at->run == 4) {
        MOVE_RUNS(16);
    } else if (at->run == 2) {
        MOVE_RUNS(8);
    } else {
        MOVE_RUNS(4);
    }
}

#undef MOVE_RUNS
#define MOVE_RUNS(run_B)                                                                                               \
    for (unsigned i = 0; i < lanes; i += (run_B) / 4)                                                                  \
    memcpy(at->host + at->offset[i], row + i, (run_B))

void amd_td_store_words(const uint32_t *row, const struct td_wave *at, unsigned lanes)
{
    if (at->run == 8) {
        MOVE_RUNS(32);
    } else if (at->run == 4) {
        MOVE_RUNS(16);
    } else if (at->run == 2) {
        MOVE_RUNS(8);
    } else {
        MOVE_RUNS(4);
    }
}
