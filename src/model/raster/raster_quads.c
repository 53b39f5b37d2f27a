/* Covered pixels of a block as what the caller takes: quads, whole blocks, parts of blocks. */
#include "model/raster/raster.h"

#include "util/bits.h"

#define PIXELS (RASTER_BLOCK * RASTER_BLOCK)

/* The pixels of a quad, of a block's from its first one on, as its mask has them: in the lowest bits of four bytes. Two
 * rows 16 bits apart, then both pixels of each by one product. */
static inline uint32_t quad_of(uint64_t pixels)
{
    const uint32_t bits = (uint32_t)pixels, second = bits >> RASTER_BLOCK & 3;
    return ((bits & 3) | second << 16) * 0x81u & 0x01010101u;
}

/* Bytes that are not 0, all bits of each. */
static inline uint32_t whole_bytes(uint32_t bits)
{
    bits |= bits >> 4;
    bits |= bits >> 2;
    bits |= bits >> 1;
    return (bits & 0x01010101u) * 0xff;
}

/* Field by field: a whole struct would be put together on the stack. */
static inline void set_quad(const struct raster_coverage *state, struct raster_quad *quad,
                            const struct raster_prim *prim, int32_t x, int32_t y, uint32_t mask, uint32_t covered)
{
    quad->prim = prim;
    quad->x = (uint16_t)x;
    quad->y = (uint16_t)y;
    quad->mask = mask;
    quad->coverage = state->samples == 1 ? mask : covered;
    quad->iteration = 0;
}

/* A block that is covered from its first to its last sample. */
static void emit_whole_block(const struct raster_coverage *state, const struct raster_prim *prim, int32_t x, int32_t y,
                             struct raster_quads *out)
{
    struct raster_quad *quad = out->quads + out->count;
    const uint32_t mask = raster_whole_quad(state), covered = raster_whole_coverage(state);
    for (int row = 0; row < RASTER_BLOCK; row += 2) {
        for (int column = 0; column < RASTER_BLOCK; column += 2)
            set_quad(state, quad++, prim, x + column, y + row, mask, covered);
    }
    out->count += PIXELS / 4;
}

/* `any` and `all`: pixels of which some samples are covered, or every one. */
static void emit_block(const struct raster_coverage *state, const struct raster_prim *prim, int32_t x, int32_t y,
                       const uint64_t *masks, uint64_t any, uint64_t all, struct raster_quads *out)
{
    struct raster_quad *quad = out->quads + out->count;
    const uint32_t whole = raster_whole_quad(state), whole_covered = raster_whole_coverage(state);
    any |= any >> 1;
    any |= any >> RASTER_BLOCK;
    all &= all >> 1;
    all &= all >> RASTER_BLOCK;
    bits_foreach (any & 0x0055005500550055ull, first) { /* the first pixels of quads */
        uint32_t mask = whole, covered = whole_covered;
        if (!(all >> first & 1)) {
            covered = 0;
            if (state->samples == 1) { /* apart: the loop is made for many samples */
                covered = quad_of(masks[0] >> first);
            } else {
                for (unsigned s = 0; s < state->samples; s++)
                    covered |= quad_of(masks[s] >> first) << s;
            }
            mask = state->spread ? whole_bytes(covered) & state->spread : covered;
        }
        if (mask)
            set_quad(state, quad++, prim, x + (int32_t)(first % RASTER_BLOCK), y + (int32_t)(first / RASTER_BLOCK),
                     mask, covered);
    }
    out->count = (uint32_t)(quad - out->quads);
}

void raster_add_part(const struct raster_coverage *state, const struct raster_prim *prim, int32_t x, int32_t y,
                     uint64_t covered, uint64_t mask, struct raster_quads *out)
{
    struct raster_quad *quad = out->quads + out->count;
    uint64_t any = mask | mask >> 1;
    any |= any >> RASTER_BLOCK;
    bits_foreach (any & 0x0055005500550055ull, first) {
        set_quad(state, quad, prim, x + (int32_t)(first % RASTER_BLOCK), y + (int32_t)(first / RASTER_BLOCK),
                 quad_of(mask >> first), 0);
        quad++->coverage = quad_of(covered >> first);
    }
    out->count = (uint32_t)(quad - out->quads);
}

/* The pixels of 8 by 8 at any place of the tile, as parts of the up to four blocks that have some of them. */
static void emit_parts(int x, int y, uint64_t pixels, struct raster_quads *out)
{
    const unsigned right = (unsigned)x % RASTER_BLOCK, down = (unsigned)y % RASTER_BLOCK;
    const uint64_t columns = 0x0101010101010101ull * (0xffu >> right), left = (pixels & columns) << right,
                   next = right ? (pixels & ~columns) >> (RASTER_BLOCK - right) : 0;
    const int block = y / RASTER_BLOCK * RASTER_BLOCK + x / RASTER_BLOCK;
    const uint64_t masks[4] = {left << RASTER_BLOCK * down, next << RASTER_BLOCK * down,
                               down ? left >> RASTER_BLOCK * (RASTER_BLOCK - down) : 0,
                               down ? next >> RASTER_BLOCK * (RASTER_BLOCK - down) : 0};
    for (int i = 0; i < 4; i++) {
        const int b = block + i % 2 + i / 2 * RASTER_BLOCK;
        if (!masks[i])
            continue;
        out->parts |= 1ull << b;
        out->masks[b] = masks[i];
    }
}

void raster_emit(const struct raster_coverage *state, const struct raster_prim *prim, const struct raster_tile *tile,
                 int x, int y, const uint64_t *masks, uint64_t any, uint64_t all, struct raster_quads *out)
{
    const bool whole = all == UINT64_MAX && raster_whole_quad(state), is_aligned = !((x | y) % RASTER_BLOCK);
    const int block = y + x / RASTER_BLOCK;
    if (whole && out->takes_blocks && is_aligned) {
        out->blocks |= 1ull << block;
    } else if (out->masks && is_aligned) {
        out->parts |= 1ull << block;
        out->masks[block] = any;
    } else if (out->masks && out->wants_no_quads) {
        emit_parts(x, y, any, out);
    } else if (whole) {
        emit_whole_block(state, prim, tile->x + x, tile->y + y, out);
    } else {
        emit_block(state, prim, tile->x + x, tile->y + y, masks, any, all, out);
    }
}
