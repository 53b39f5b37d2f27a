/* Elements of two bytes or of one, two or four dwords that a wave has as rows: exports that are in memory as they are, halves
 * that blend, and codes of two bytes. */
#include <string.h>

#include "amd/model/cb/cb_quads.h"
#include "amd/model/sq/sq_quads.h"

static inline __attribute__((always_inline)) void put_element(uint8_t *host, const uint32_t (*rows)[CB_MAX_LANES],
                                                              uint32_t lane, unsigned element_B)
{
    uint32_t element[4];
    for (unsigned i = 0; i * 4 < element_B; i++)
        element[i] = rows[i][lane];
    memcpy(host, element, element_B);
}

static inline __attribute__((always_inline)) void get_element(const uint8_t *host, uint32_t (*rows)[CB_MAX_LANES],
                                                              uint32_t lane, unsigned element_B)
{
    uint32_t element[4];
    memcpy(element, host, element_B);
    for (unsigned i = 0; i * 4 < element_B; i++)
        rows[i][lane] = element[i];
}

/* ---- two dwords: both elements of a quad's row at once, where they are neighbours ---- */

static inline bool has_pairs(const struct cb_surface *surface, unsigned element_B)
{
    return element_B == 8 && surface->quad_xor[1] == 8;
}

/* Those of `pixels`, a bit each; what is there is written back for the others. */
static inline void put_row(uint8_t *at, sq_quad row, uint32_t pixels)
{
    const uint32_t first = -(pixels & 1), second = -(pixels >> 1 & 1);
    const sq_quad mask = {first, first, second, second};
    sq_quad_store(at, (row & mask) | (sq_quad_load(at) & ~mask));
}

static inline void put_pairs(const struct cb_surface *surface, uint8_t *host, uint32_t low,
                             const uint32_t (*rows)[CB_MAX_LANES], uint32_t lane, uint32_t pixels)
{
    const sq_quad a = sq_quad_load(rows[0] + lane), b = sq_quad_load(rows[1] + lane),
                  top = __builtin_shufflevector(a, b, 0, 4, 1, 5), bottom = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    uint8_t *at = host + low, *below = host + (low ^ surface->quad_xor[2]);
    if (pixels == 15) {
        sq_quad_store(at, top);
        sq_quad_store(below, bottom);
    } else {
        put_row(at, top, pixels);
        put_row(below, bottom, pixels >> 2);
    }
}

static inline void get_pairs(const struct cb_surface *surface, const uint8_t *host, uint32_t low,
                             uint32_t (*rows)[CB_MAX_LANES], uint32_t lane)
{
    const sq_quad top = sq_quad_load(host + low), bottom = sq_quad_load(host + (low ^ surface->quad_xor[2]));
    sq_quad_store(rows[0] + lane, __builtin_shufflevector(top, bottom, 0, 2, 4, 6));
    sq_quad_store(rows[1] + lane, __builtin_shufflevector(top, bottom, 1, 3, 5, 7));
}

/* ---- quads ---- */

/* The block of a quad; NULL: a fault or a stop. Neighbours are in the same one. */
static inline const struct cb_block *block_of(struct cb *cb, unsigned t, const struct raster_quad *quad,
                                              const struct raster_quad *last, const struct cb_block *block)
{
    const struct cb_target *target = &cb->state->targets[t];
    const bool is_same = last && last->prim == quad->prim &&
                         !(((last->x ^ quad->x) | (last->y ^ quad->y)) >> target->surface->block_log2);
    return is_same ? block : cb_enter_block(cb, t, quad, cb_slice_of(target, quad), false);
}

static inline __attribute__((always_inline)) void store_quads_in_blocks(struct cb *cb, unsigned t,
                                                                        const uint32_t (*rows)[CB_MAX_LANES],
                                                                        const struct raster_quad *quads, uint32_t count,
                                                                        unsigned element_B)
{
    const struct cb_target *target = &cb->state->targets[t];
    const struct cb_surface *surface = target->surface;
    const struct cb_block *block = NULL;
    const struct raster_quad *last = NULL;
    for (uint32_t q = 0; q < count; q++) {
        if (!quads[q].mask)
            continue;
        block = block_of(cb, t, &quads[q], last, block);
        if (!block)
            return;
        last = &quads[q];
        for (unsigned s = 0; s < target->samples; s++) {
            const uint32_t low = block->low[s] ^ cb_block_bits(surface, last->x, last->y);
            if (has_pairs(surface, element_B)) {
                put_pairs(surface, block->host[s], low, rows, q * 4, cb_pixels_of(last, s));
                continue;
            }
            bits_foreach (cb_pixels_of(last, s), p)
                put_element(block->host[s] + (low ^ surface->quad_xor[p]), rows, q * 4 + (unsigned)p, element_B);
        }
    }
}

static inline __attribute__((always_inline)) void store_quads(struct cb *cb, unsigned t,
                                                              const uint32_t (*rows)[CB_MAX_LANES],
                                                              const struct raster_quad *quads, uint32_t count,
                                                              unsigned element_B)
{
    const unsigned samples = cb->state->targets[t].samples;
    if (cb->state->targets[t].surface->has_blocks) {
        store_quads_in_blocks(cb, t, rows, quads, count, element_B);
        return;
    }
    for (uint32_t q = 0; q < count; q++) {
        for (unsigned s = 0; s < samples; s++) {
            const uint32_t pixels = cb_pixels_of(&quads[q], s);
            uint8_t *host[4];
            if (pixels && !amd_cb_find_quad(cb, t, &quads[q], pixels, s, host))
                return;
            bits_foreach (pixels, p)
                put_element(host[p], rows, q * 4 + (unsigned)p, element_B);
        }
    }
}

/* What lies beside the pixels in question does no harm. */
static bool load_quads(struct cb *cb, unsigned t, uint32_t (*rows)[CB_MAX_LANES], const struct raster_quad *quads,
                       uint32_t count)
{
    const struct cb_surface *surface = cb->state->targets[t].surface;
    const struct cb_block *block = NULL;
    const struct raster_quad *last = NULL;
    for (uint32_t q = 0; q < count; q++) {
        if (!quads[q].mask)
            continue;
        block = block_of(cb, t, &quads[q], last, block);
        if (!block)
            return false;
        last = &quads[q];
        const uint32_t low = block->low[0] ^ cb_block_bits(surface, last->x, last->y);
        if (has_pairs(surface, 8)) {
            get_pairs(surface, block->host[0], low, rows, q * 4);
            continue;
        }
        for (unsigned p = 0; p < 4; p++)
            get_element(block->host[0] + (low ^ surface->quad_xor[p]), rows, q * 4 + p, 8);
    }
    return true;
}

bool amd_cb_read_pairs(struct cb *cb, unsigned t, uint32_t (*rows)[CB_MAX_LANES], const struct raster_quad *quads,
                       uint32_t quad_count, bool is_block)
{
    const struct cb_target *target = &cb->state->targets[t];
    if (is_block && cb_takes_blocks(target)) {
        const struct cb_block *block = cb_enter_block(cb, t, quads, cb_slice_of(target, quads), false);
        if (block)
            amd_cb_read_pairs_block(cb, t, (unsigned)(block - cb->blocks[t].at), rows);
        return block;
    }
    if (target->surface->has_blocks)
        return load_quads(cb, t, rows, quads, quad_count);
    for (uint32_t q = 0; q < quad_count; q++) {
        const uint32_t pixels = cb_pixels_of(&quads[q], 0);
        uint8_t *host[4];
        if (pixels && !amd_cb_find_quad(cb, t, &quads[q], pixels, 0, host))
            return false;
        bits_foreach (pixels, p)
            get_element(host[p], rows, q * 4 + (unsigned)p, 8);
    }
    return true;
}

/* ---- blocks of 8 by 8 ---- */

static inline __attribute__((always_inline)) void store_block(const struct cb_surface *surface,
                                                              const struct cb_block *block, unsigned sample,
                                                              const uint32_t (*rows)[CB_MAX_LANES], unsigned element_B)
{
    uint8_t *host = block->host[sample];
    for (unsigned q = 0; q < 16; q++) {
        const uint32_t low = block->low[sample] ^ surface->block_x[q % 4 * 2] ^ surface->block_y[q / 4 * 2];
        if (has_pairs(surface, element_B)) {
            put_pairs(surface, host, low, rows, q * 4, 15);
            continue;
        }
        for (unsigned p = 0; p < 4; p++)
            put_element(host + (low ^ surface->quad_xor[p]), rows, q * 4 + p, element_B);
    }
}

/* Of two bytes: two quads are four elements of a row and four of the next. */
static void store_narrow_block(const struct cb_surface *surface, const struct cb_block *block, unsigned sample,
                               const uint32_t (*rows)[CB_MAX_LANES])
{
    typedef uint16_t narrow __attribute__((vector_size(8)));
    uint8_t *host = block->host[sample];
    const uint32_t low = block->low[sample];
    if (!surface->fours_are_rows) {
        store_block(surface, block, sample, rows, 2);
        return;
    }
    for (unsigned q = 0; q < 16; q += 2) {
        const unsigned four = q / 4 * 4 + q % 4 / 2;
        const sq_quad left = sq_quad_load(rows[0] + q * 4), right = sq_quad_load(rows[0] + q * 4 + 4);
        const narrow top = __builtin_convertvector(__builtin_shufflevector(left, right, 0, 1, 4, 5), narrow),
                     bottom = __builtin_convertvector(__builtin_shufflevector(left, right, 2, 3, 6, 7), narrow);
        memcpy(host + (low ^ surface->four_at[four]), &top, sizeof(top));
        memcpy(host + (low ^ surface->four_at[four + 2]), &bottom, sizeof(bottom));
    }
}

void amd_cb_write_raw_block(struct cb *cb, unsigned t, unsigned b, const uint32_t (*rows)[CB_MAX_LANES])
{
    const struct cb_target *target = &cb->state->targets[t];
    const struct cb_block *block = &cb->blocks[t].at[b];
    for (unsigned s = 0; s < target->samples; s++) {
        switch (target->element_B) {
        case 2:
            store_narrow_block(target->surface, block, s, rows);
            break;
        case 4:
            store_block(target->surface, block, s, rows, 4);
            break;
        case 8:
            store_block(target->surface, block, s, rows, 8);
            break;
        default:
            store_block(target->surface, block, s, rows, 16);
            break;
        }
    }
}

void amd_cb_read_pairs_block(struct cb *cb, unsigned t, unsigned b, uint32_t (*rows)[CB_MAX_LANES])
{
    const struct cb_surface *surface = cb->state->targets[t].surface;
    const struct cb_block *block = &cb->blocks[t].at[b];
    for (unsigned q = 0; q < 16; q++) {
        const uint32_t low = block->low[0] ^ surface->block_x[q % 4 * 2] ^ surface->block_y[q / 4 * 2];
        if (has_pairs(surface, 8)) {
            get_pairs(surface, block->host[0], low, rows, q * 4);
            continue;
        }
        for (unsigned p = 0; p < 4; p++)
            get_element(block->host[0] + (low ^ surface->quad_xor[p]), rows, q * 4 + p, 8);
    }
}

void amd_cb_write_raw(struct cb *cb, unsigned t, const uint32_t (*rows)[CB_MAX_LANES], const struct raster_quad *quads,
                      uint32_t quad_count, bool is_block)
{
    const struct cb_target *target = &cb->state->targets[t];
    if (is_block && cb_takes_blocks(target)) {
        const struct cb_block *block =
            cb_enter_block(cb, t, quads, cb_slice_of(target, quads), !cb_output_blends(target->output));
        if (block)
            amd_cb_write_raw_block(cb, t, (unsigned)(block - cb->blocks[t].at), rows);
        return;
    }
    switch (target->element_B) {
    case 2:
        store_quads(cb, t, rows, quads, quad_count, 2);
        break;
    case 4:
        store_quads(cb, t, rows, quads, quad_count, 4);
        break;
    case 8:
        store_quads(cb, t, rows, quads, quad_count, 8);
        break;
    default:
        store_quads(cb, t, rows, quads, quad_count, 16);
        break;
    }
}
