/* Between rows of elements and blocks of 256 bytes, in the order in which memory is quickest. Not for: finding either
 * side (a2d_blocks.c). */
#include <string.h>

#include "adreno/model/rb/a2d.h"
#include "util/bits.h"

#define ROWS ADRENO_A2D_BLOCK_ROWS
#define INLINE static inline __attribute__((always_inline))

/* ---- one block ---- */

/* Rows of the linear side, from the block's first element on; by pairs of elements. */
#define DEFINE_BLOCK(size, w, h)                                                                                       \
    INLINE void tile_##size(uint8_t *block, uint8_t *const rows[ROWS], size_t at_B)                                    \
    {                                                                                                                  \
        for (unsigned y = 0; y < (h); y++) {                                                                           \
            for (unsigned x = 0; x < (w); x += 2)                                                                      \
                memcpy(block + (adreno_tile_x_order[x] | adreno_tile_y_order[y]) * (size),                             \
                       rows[y] + at_B + x * (size), 2 * (size));                                                       \
        }                                                                                                              \
    }                                                                                                                  \
    INLINE void untile_##size(uint8_t *block, uint8_t *const rows[ROWS], size_t at_B)                                  \
    {                                                                                                                  \
        for (unsigned y = 0; y < (h); y++) {                                                                           \
            for (unsigned x = 0; x < (w); x += 2)                                                                      \
                memcpy(rows[y] + at_B + x * (size),                                                                    \
                       block + (adreno_tile_x_order[x] | adreno_tile_y_order[y]) * (size), 2 * (size));                \
        }                                                                                                              \
    }
DEFINE_BLOCK(1, 32, 8)
DEFINE_BLOCK(2, 32, 4)
DEFINE_BLOCK(8, 8, 4)
DEFINE_BLOCK(16, 4, 4)

/* Of four bytes: squares of four by four elements are 64 bytes, in which the two halves of two rows stand together.
 * Whole lines of either side are read, then whole lines of the other are written. */
typedef uint64_t pair __attribute__((vector_size(16), aligned(1), may_alias));

/* An address, and no sum: neighbours are loaded and stored in pairs then. */
INLINE pair *line_at(uint8_t *at)
{
    __asm__("" : "+r"(at));
    return (pair *)at;
}

INLINE void tile_4(uint8_t *block, uint8_t *const rows[ROWS], size_t at_B)
{
    pair row[4][4];
    for (unsigned y = 0; y < 4; y++) {
        const pair *from = line_at(rows[y] + at_B);
        for (unsigned square = 0; square < 4; square++)
            row[y][square] = from[square];
    }
    pair *to = line_at(block);
    for (unsigned square = 0; square < 4; square++, to += 4) {
        to[0] = (pair){row[0][square][0], row[1][square][0]};
        to[1] = (pair){row[0][square][1], row[1][square][1]};
        to[2] = (pair){row[2][square][0], row[3][square][0]};
        to[3] = (pair){row[2][square][1], row[3][square][1]};
    }
}

INLINE void untile_4(uint8_t *block, uint8_t *const rows[ROWS], size_t at_B)
{
    pair from[16];
    for (unsigned i = 0; i < 16; i++)
        from[i] = line_at(block)[i];
    for (unsigned y = 0; y < 4; y++) {
        pair *to = line_at(rows[y] + at_B);
        for (unsigned square = 0; square < 4; square++) {
            const pair *two = &from[square * 4 + (y & 2)];
            to[square] = (pair){two[0][y & 1], two[1][y & 1]};
        }
    }
}

const adreno_a2d_block_fn adreno_a2d_tile_block[5] = {tile_1, tile_2, tile_4, tile_8, tile_16},
                          adreno_a2d_untile_block[5] = {untile_1, untile_2, untile_4, untile_8, untile_16};

/* ---- strips ---- */

INLINE uint64_t block_B(const struct adreno_a2d_strips *s, uint32_t column, uint64_t y_B)
{
    return (s->tile->x_place[column & 7] * ADRENO_TILE_BLOCK_B +
            (uint64_t)(column / ADRENO_A2D_MACROTILE_W) * ADRENO_MACROTILE_B) ^
           y_B;
}

/* To blocks: a few rows from end to end, in the order that a processor foresees. All rows of macrotiles at once, which
 * often are a power of two apart, would be in each other's way in its cache. */
INLINE void tile_strips(const struct adreno_a2d_strips *s, adreno_a2d_block_fn move, unsigned w_B, unsigned height)
{
    for (uint32_t row = 0; row < s->row_count;) {
        const uint32_t next = row + height;
        const uint64_t y_B = adreno_tile_y_B(s->tile, s->y + row), next_B = adreno_tile_y_B(s->tile, s->y + next);
        const bool has_two = next < s->row_count;
        for (uint32_t i = 0; i < s->count; i++) {
            move(s->macrotiles + block_B(s, s->column + i, y_B), s->rows + row, (size_t)i * w_B);
            if (has_two)
                move(s->macrotiles + block_B(s, s->column + i, next_B), s->rows + next, (size_t)i * w_B);
        }
        row = has_two ? next + height : next;
    }
}

/* From blocks: macrotiles of a piece of memory are asked for in the order that they have there, while those of the
 * piece before are read in another one, which no processor foresees. */
#define SEGMENT 32u /* blocks of a row */
#define SEGMENT_B (SEGMENT / ADRENO_A2D_MACROTILE_W * ADRENO_MACROTILE_B)
#define LINE_B 64u

INLINE void untile_strips(const struct adreno_a2d_strips *s, adreno_a2d_block_fn move, unsigned w_B, unsigned height)
{
    for (uint32_t first = 0, end; first < s->count; first = end) {
        const uint32_t next = ((s->column + first) / SEGMENT + 1) * SEGMENT;
        const uint8_t *later =
            s->macrotiles + (block_B(s, next, adreno_tile_y_B(s->tile, s->y)) & ~(uint64_t)(SEGMENT_B - 1));
        end = MIN2(next - s->column, s->count);
        for (uint32_t row = 0; row < s->row_count; row += height) {
            const uint64_t y_B = adreno_tile_y_B(s->tile, s->y + row);
            for (uint32_t i = first; i < end; i++, later += ADRENO_TILE_BLOCK_B) {
                for (unsigned line_B = 0; line_B < ADRENO_TILE_BLOCK_B; line_B += LINE_B)
                    __builtin_prefetch(later + line_B, 0, 2);
                move(s->macrotiles + block_B(s, s->column + i, y_B), s->rows + row, (size_t)i * w_B);
            }
        }
    }
}

void adreno_a2d_move_strips(const struct adreno_a2d_strips *s, bool is_tiling)
{
#define EITHER_WAY(log2, size, w, h)                                                                                   \
    case log2:                                                                                                         \
        if (is_tiling)                                                                                                 \
            tile_strips(s, tile_##size, (w) * (size), h);                                                              \
        else                                                                                                           \
            untile_strips(s, untile_##size, (w) * (size), h);                                                          \
        return;
    switch (s->tile->element_log2) {
        EITHER_WAY(0, 1, 32, 8)
        EITHER_WAY(1, 2, 32, 4)
        EITHER_WAY(2, 4, 16, 4)
        EITHER_WAY(3, 8, 8, 4)
    default:
        EITHER_WAY(4, 16, 4, 4)
    }
#undef EITHER_WAY
}
