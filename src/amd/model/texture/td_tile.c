/* A wave whose lanes are a square of 8 by 8 texels at a multiple of eight (or half of one, in waves of 32 lanes): what
 * shaders that copy, clear, expand and resolve images do, the last with their lanes in quads. The address is found
 * once, the rest of it is the same in every square of the swizzle mode (struct tc_tile), and neighbours in memory are
 * moved together. Elements are moved as they are: for formats whose channels registers hold without a change. Not for:
 * other shapes (td_rows.c, td_locate.c). */
#include "amd/model/texture/ta.h"

#include "amd/model/sq/sq_quads.h"
#include "util/bits.h"

static const uint32_t zero_row[LANES_MAX];

/* The lanes' columns and rows, one layer and one sample. */
static bool is_square(const uint32_t *x, const uint32_t *y, const uint32_t *layer, const uint32_t *sample,
                      unsigned lanes)
{
    const sq_quad count = {0, 1, 2, 3}, zero = {0}, left = count + x[0], right = left + SQ_QUAD,
                  one_layer = zero + layer[0], one_sample = zero + sample[0];
    sq_quad different = zero, row = zero + y[0];
    for (unsigned i = 0; i < lanes; i += TC_TILE) {
        different |= (sq_quad_load(x + i) ^ left) | (sq_quad_load(x + i + SQ_QUAD) ^ right);
        different |= (sq_quad_load(y + i) ^ row) | (sq_quad_load(y + i + SQ_QUAD) ^ row);
        different |= (sq_quad_load(layer + i) ^ one_layer) | (sq_quad_load(layer + i + SQ_QUAD) ^ one_layer);
        row += 1;
    }
    for (unsigned i = 0; sample != zero_row && i < lanes; i += SQ_QUAD)
        different |= sq_quad_load(sample + i) ^ one_sample;
    return !sq_quad_any(different);
}

/* The test for lanes in the order of pixel shaders. */
static bool is_square_of_quads(const uint32_t *x, const uint32_t *y, const uint32_t *layer, const uint32_t *sample,
                               unsigned lanes)
{
    const sq_quad zero = {0}, one_layer = zero + layer[0], one_sample = zero + sample[0];
    sq_quad different = zero;
    for (unsigned i = 0; i < lanes; i += SQ_QUAD) {
        const sq_quad column = (sq_quad){0, 1, 0, 1} + x[0] + i / 4 % (TC_TILE / 2) * 2,
                      row = (sq_quad){0, 0, 1, 1} + y[0] + i / 4 / (TC_TILE / 2) * 2;
        different |= (sq_quad_load(x + i) ^ column) | (sq_quad_load(y + i) ^ row);
        different |= (sq_quad_load(layer + i) ^ one_layer) | (sq_quad_load(sample + i) ^ one_sample);
    }
    return !sq_quad_any(different);
}

/* The conditions on instruction and image for this way. */
static bool is_simple(const struct ta_request *r, unsigned need)
{
    const struct tc_image *image = r->image;
    if (!r->wave->exec_full || r->q.axes < 2 || r->q.lod || r->uop->inst->mem.tfe || image->is_null ||
        image->format.is_compressed || !image->tile->exists)
        return false;
    if (image->meta_kind == TC_META_NONE)
        return true;
    return !(need & GPU_PERM_WRITE) &&
           (image->meta_kind == TC_META_CMASK || (image->meta_kind == TC_META_DCC && image->tile->pieces));
}

/* The square's metadata: CMASK has one code for it. DCC has one for each piece; of several only that memory holds
 * them. */
static bool look_at_meta(struct td_tile *out, struct ta_request *r, uint32_t z, uint32_t sample, unsigned level)
{
    const struct tc_tile *tile = out->shape;
    if (r->image->meta_kind == TC_META_CMASK) {
        out->meta = amd_tc_meta_read(&out->constant, r, r->coord[0][0], r->coord[1][0], z, sample, level);
        return out->meta != TD_META_STOP;
    }
    for (unsigned n = 0; n < tile->pieces; n++) {
        unsigned lane = tile->piece_lane[n];
        if (lane >= r->q.lanes)
            continue;
        out->meta = amd_tc_meta_read(&out->constant, r, r->coord[0][lane], r->coord[1][lane], z, sample, level);
        if (out->meta == TD_META_STOP || (out->meta != TD_META_PLAIN && tile->pieces > 1))
            return false;
    }
    return true;
}

bool amd_td_find_tile(struct td_tile *out, struct ta_request *r, unsigned need)
{
    const struct tc_image *image = r->image;
    if (!is_simple(r, need))
        return false;
    const struct amd_tiling_table *p = image->pattern;
    const uint32_t *layer = r->layer        ? r->layer
                            : r->q.axes > 2 ? r->coord[2]
                                            : zero_row,
                   *sample = r->sample ? r->sample : zero_row;
    unsigned level = image->tex.base_level;
    const struct amd_surface_level *at = &image->surface.level[level];
    uint32_t layers = image->is_3d && !image->slices_of_base ? image->tex.level[level].depth : image->tex.layers,
             x = r->coord[0][0], y = r->coord[1][0], z = image->tex.first_layer + layer[0], rows = r->q.lanes / TC_TILE;
    if (x >= image->tex.level[level].width || image->tex.level[level].width - x < TC_TILE ||
        y >= image->tex.level[level].height || image->tex.level[level].height - y < rows ||
        ((x | at->tail_x) % TC_TILE) | ((y | at->tail_y) % rows) || layer[0] >= layers || sample[0] >= image->samples ||
        level < image->tex.min_lod >> 8)
        return false;
    const struct tc_tile *shape = r->coord[0][2] == x ? image->quads : image->tile;
    if (!(shape == image->tile ? is_square : is_square_of_quads)(r->coord[0], r->coord[1], layer, sample, r->q.lanes))
        return false;
    uint64_t block_va = image->base_va + at->offset_B + (z >> p->block_d_log2) * image->surface.layer_B +
                        (y >> p->block_h_log2) * at->row_B + (uint64_t)(x >> p->block_w_log2) * p->col_B;
    uint32_t corner_B = p->x[(x + at->tail_x) & p->x_mask] ^ p->y[(y + at->tail_y) & p->y_mask] ^ p->z[z & p->z_mask] ^
                        p->s[sample[0] & 7] ^ image->surface.xor_B,
             element_B = image->format.element_B, low_B = corner_B & ~shape->mask;
    if (corner_B & (shape->run * element_B - 1))
        return false;
    *out = (struct td_tile){.shape = shape, .corner_B = corner_B, .meta = TD_META_PLAIN};
    if (image->meta_kind != TC_META_NONE && !look_at_meta(out, r, z, sample[0], level))
        return false;
    if (out->meta == TD_META_CONSTANT)
        return true;
    if (out->meta == TD_META_SINGLE) {
        out->host = amd_td_span(r, block_va + (corner_B & ~255u), element_B, need);
        return out->host;
    }
    out->host = amd_td_span(r, block_va + low_B, (uint64_t)shape->mask + element_B, need);
    if (!out->host)
        return false;
    out->host -= low_B;
    return true;
}

/* ---- the bytes ---- */

static inline uint8_t *element(const struct td_tile *tile, unsigned lane)
{
    return tile->host + (tile->shape->offset[lane] ^ tile->corner_B);
}

/* for (i over lanes, in runs), with the length of a run a constant */
#define FOR_RUNS(tile, lanes, i, ...)                                                                                  \
    do {                                                                                                               \
        const unsigned end_ = (lanes) == LANES_MAX ? LANES_MAX : LANES_MAX / 2;                                        \
        if ((tile)->shape->run == 8) {                                                                                 \
            enum {                                                                                                     \
                RUN = 8                                                                                                \
            };                                                                                                         \
            for (unsigned i = 0; i < end_; i += RUN)                                                                   \
                __VA_ARGS__;                                                                                           \
        } else if ((tile)->shape->run == 4) {                                                                          \
            enum {                                                                                                     \
                RUN = 4                                                                                                \
            };                                                                                                         \
            for (unsigned i = 0; i < end_; i += RUN)                                                                   \
                __VA_ARGS__;                                                                                           \
        } else if ((tile)->shape->run == 2) {                                                                          \
            enum {                                                                                                     \
                RUN = 2                                                                                                \
            };                                                                                                         \
            for (unsigned i = 0; i < end_; i += RUN)                                                                   \
                __VA_ARGS__;                                                                                           \
        } else {                                                                                                       \
            enum {                                                                                                     \
                RUN = 1                                                                                                \
            };                                                                                                         \
            for (unsigned i = 0; i < end_; i += RUN)                                                                   \
                __VA_ARGS__;                                                                                           \
        }                                                                                                              \
    } while (0)

static void load_bytes(uint32_t *row, const struct td_tile *tile, unsigned lanes)
{
    uint8_t bytes[LANES_MAX];
    FOR_RUNS(tile, lanes, i, memcpy(bytes + i, element(tile, i), RUN));
    for (unsigned i = 0; i < lanes; i++)
        row[i] = bytes[i];
}

static void load_halves(uint32_t *row, const struct td_tile *tile, unsigned lanes)
{
    uint16_t halves[LANES_MAX];
    FOR_RUNS(tile, lanes, i, memcpy(halves + i, element(tile, i), RUN * 2));
    for (unsigned i = 0; i < lanes; i++)
        row[i] = halves[i];
}

static void load_pairs(uint32_t *rows, const struct td_tile *tile, unsigned lanes)
{
    uint64_t pairs[LANES_MAX];
    FOR_RUNS(tile, lanes, i, memcpy(pairs + i, element(tile, i), RUN * 8));
    for (unsigned i = 0; i < lanes; i += SQ_QUAD)
        sq_quads_load_2(rows + i, LANES_MAX, (const uint8_t *)&pairs[i]);
}

void amd_td_load_tile(uint32_t (*rows)[LANES_MAX], const struct td_tile *tile, unsigned element_B, unsigned lanes)
{
    if (tile->meta == TD_META_SINGLE) {
        uint32_t words[4] = {0};
        memcpy(words, tile->host, element_B);
        for (unsigned n = 0; n < MAX2(element_B / 4, 1u); n++)
            lanes_splat(rows[n], words[n], lanes);
        return;
    }
    switch (element_B) {
    case 1:
        load_bytes(rows[0], tile, lanes);
        break;
    case 2:
        load_halves(rows[0], tile, lanes);
        break;
    case 4:
        FOR_RUNS(tile, lanes, i, memcpy(rows[0] + i, element(tile, i), RUN * 4));
        break;
    case 8:
        load_pairs(rows[0], tile, lanes);
        break;
    default:
        for (unsigned i = 0; i < lanes; i += SQ_QUAD)
            sq_quads_load_4(rows[0] + i, LANES_MAX,
                            (const uint8_t *const[4]){element(tile, i), element(tile, i + 1), element(tile, i + 2),
                                                      element(tile, i + 3)});
        break;
    }
}

/* A number that a narrow channel does not hold becomes the largest that it does. */
static void store_bytes(const uint32_t *row, const struct td_tile *tile, unsigned lanes)
{
    uint8_t bytes[LANES_MAX];
    for (unsigned i = 0; i < lanes; i++)
        bytes[i] = (uint8_t)MIN2(row[i], UINT8_MAX);
    FOR_RUNS(tile, lanes, i, memcpy(element(tile, i), bytes + i, RUN));
}

static void store_halves(const uint32_t *row, const struct td_tile *tile, unsigned lanes)
{
    uint16_t halves[LANES_MAX];
    for (unsigned i = 0; i < lanes; i++)
        halves[i] = (uint16_t)MIN2(row[i], UINT16_MAX);
    FOR_RUNS(tile, lanes, i, memcpy(element(tile, i), halves + i, RUN * 2));
}

static void store_pairs(const uint32_t *const rows[4], const struct td_tile *tile, unsigned lanes)
{
    uint64_t pairs[LANES_MAX];
    for (unsigned i = 0; i < lanes; i += SQ_QUAD)
        sq_quads_store_2((uint8_t *)&pairs[i], rows[0] + i, rows[1] + i);
    FOR_RUNS(tile, lanes, i, memcpy(element(tile, i), pairs + i, RUN * 8));
}

void amd_td_store_tile(const uint32_t *const rows[4], const struct td_tile *tile, unsigned element_B, unsigned lanes)
{
    switch (element_B) {
    case 1:
        store_bytes(rows[0], tile, lanes);
        break;
    case 2:
        store_halves(rows[0], tile, lanes);
        break;
    case 4:
        FOR_RUNS(tile, lanes, i, memcpy(element(tile, i), rows[0] + i, RUN * 4));
        break;
    case 8:
        store_pairs(rows, tile, lanes);
        break;
    default:
        for (unsigned i = 0; i < lanes; i += SQ_QUAD)
            sq_quads_store_4(
                (uint8_t *const[4]){element(tile, i), element(tile, i + 1), element(tile, i + 2), element(tile, i + 3)},
                rows, i);
        break;
    }
}
