/* Draws that only move texels or words (sc/move.h): rectangles go from memory to memory, without lanes and without a
 * tile buffer, in pieces of 256 pixels: a superblock of AFBC, or 16 by 16. */
#include <string.h>

#include "mali/model/frag/frag_surface.h"
#include "mali/model/sc/move.h"
#include "model/bulk.h"
#include "util/bits.h"

#define PIECE_PIXELS 256
#define PIXEL_B 4

struct moving {
    struct frag_worker *w;
    const struct sc_move *move;
    struct frag_surface surface;
    int32_t piece_w, piece_h;
};

/* ---- superblocks ---- */

/* A square of superblocks whose headers follow each other; or several, in a row. */
struct square {
    int32_t x, y, w, h;
    int32_t side_w, side_h; /* of one */
    unsigned count;         /* superblocks */
};

/* Superblocks that are copies of ones that are not compressed. False: they are none such. */
static bool copy_square(const struct moving *m, const struct square *square)
{
    const struct sc_moved *moved = &m->w->moved;
    const struct mali_afbc *from = &moved->image.plane.afbc, *to = &m->surface.afbc;
    const uint32_t x = moved->places[SC_MOVE_X].base + (uint32_t)square->x,
                   y = moved->places[SC_MOVE_Y].base + (uint32_t)square->y, w = (uint32_t)square->w,
                   h = (uint32_t)square->h;
    if (!m->move->is_fetch || !moved->image.plane.is_afbc || from->w_log2 != to->w_log2 ||
        from->header_tile_log2 != to->header_tile_log2 || x & (uint32_t)(square->side_w - 1) ||
        y & (uint32_t)(square->side_h - 1) || x >= moved->image.width || moved->image.width - x < w ||
        y >= moved->image.height || moved->image.height - y < h)
        return false;
    const uint8_t *bodies = mali_tex_area_superblocks(&moved->image, x, y, square->count);
    uint8_t *places =
        bodies ? mali_frag_surface_take(&m->surface, (uint32_t)square->x, (uint32_t)square->y, square->count) : NULL;
    const size_t size_B = (size_t)square->count * PIECE_PIXELS * PIXEL_B;
    if (!places)
        return false;
    if (places + size_B <= bodies || bodies + size_B <= places)
        bulk_copy_here(places, bodies, size_B);
    else /* where a frame reads itself, bytes are anything, and some may be both */
        memmove(places, bodies, size_B);
    return true;
}

/* Rows to blocks of 4 by 4 pixels. */
static void write_superblock(const struct moving *m, const uint8_t *rows, size_t row_B, uint8_t *to)
{
    const unsigned columns = (unsigned)m->piece_w / 4;
    for (unsigned block = 0; block < PIECE_PIXELS / 16; block++, to += 64) {
        const uint8_t *from = rows + block / columns * 4 * row_B + block % columns * 16;
        for (unsigned y = 0; y < 4; y++)
            memcpy(to + y * 16, from + y * row_B, 16);
    }
}

/* Where the bytes of a superblock of the square are, from its first one's on. */
static size_t place_in_square(const struct moving *m, const struct square *square, int32_t x, int32_t y)
{
    const struct mali_afbc *afbc = &m->surface.afbc;
    return (mali_afbc_texel_header_B(afbc, (uint32_t)x, (uint32_t)y) -
            mali_afbc_texel_header_B(afbc, (uint32_t)square->x, (uint32_t)square->y)) /
           MALI_AFBC_HEADER_B * PIECE_PIXELS * PIXEL_B;
}

/* Words of memory. False: stopped, or it cannot be read so. */
static bool load_square(const struct moving *m, const struct square *square)
{
    const struct mali_tex_rect from = {(uint32_t)square->x, (uint32_t)square->y, (uint32_t)square->w,
                                       (uint32_t)square->h};
    size_t row_B;
    const uint8_t *rows = mali_sc_move_rows(m->move, &m->w->moved, m->w->fb->queue->space, &from, NULL, &row_B);
    uint8_t *to = rows ? mali_frag_surface_take(&m->surface, from.x, from.y, square->count) : NULL;
    for (int32_t y = 0; to && y < square->h; y += m->piece_h) {
        for (int32_t x = 0; x < square->w; x += m->piece_w) {
            const uint8_t *first = rows + (size_t)y * row_B + (size_t)x * PIXEL_B;
            write_superblock(m, first, row_B, to + place_in_square(m, square, square->x + x, square->y + y));
        }
    }
    return to != NULL;
}

/* ---- pieces ---- */

static bool write_blocks(const struct moving *m, const int32_t rect[4], const uint8_t *rows, size_t row_B)
{
    struct frag_surface surface = m->surface;
    if (!mali_frag_surface_open(&surface, rect, true))
        return false;
    for (int32_t y = rect[1] & -RASTER_BLOCK; y < rect[3]; y += RASTER_BLOCK) {
        for (int32_t x = rect[0] & -RASTER_BLOCK; x < rect[2]; x += RASTER_BLOCK) {
            const uint64_t pixels = mali_frag_pixels_inside(rect, x, y);
            struct frag_block block;
            if (!mali_frag_surface_find(&surface, (uint32_t)x, (uint32_t)y, pixels, &block))
                return false;
            mali_frag_surface_put_rows(&block, pixels,
                                       rows + (y - rect[1]) * (ptrdiff_t)row_B + (x - rect[0]) * PIXEL_B, row_B);
        }
    }
    return true;
}

/* False: stopped, or it cannot be read so. */
static bool move_piece(const struct moving *m, const int32_t rect[4])
{
    const struct mali_tex_rect from = {(uint32_t)rect[0], (uint32_t)rect[1], (uint32_t)(rect[2] - rect[0]),
                                       (uint32_t)(rect[3] - rect[1])};
    const bool is_superblock = m->surface.is_afbc && from.width * from.height == PIECE_PIXELS;
    uint8_t copy[PIECE_PIXELS * PIXEL_B];
    size_t row_B;
    const uint8_t *rows = mali_sc_move_rows(m->move, &m->w->moved, m->w->fb->queue->space, &from, copy, &row_B);
    if (!rows || !is_superblock)
        return rows && write_blocks(m, rect, rows, row_B);
    uint8_t *to = mali_frag_surface_take(&m->surface, from.x, from.y, 1);
    if (to)
        write_superblock(m, rows, row_B, to);
    return to != NULL;
}

/* The pieces of a rectangle, row by row. */
static bool move_pieces(const struct moving *m, const int32_t rect[4])
{
    for (int32_t y = rect[1], next_y; y < rect[3]; y = next_y) {
        next_y = MIN2((y & -m->piece_h) + m->piece_h, rect[3]);
        for (int32_t x = rect[0], next_x; x < rect[2]; x = next_x) {
            next_x = MIN2((x & -m->piece_w) + m->piece_w, rect[2]);
            if (!move_piece(m, (int32_t[4]){x, y, next_x, next_y}))
                return false;
        }
    }
    return true;
}

/* Squares of superblocks, which lie together in memory; a row of the largest ones is one copy. */
static bool move_squares(const struct moving *m, const int32_t rect[4], unsigned log2)
{
    struct square square = {.side_w = m->piece_w << log2, .side_h = m->piece_h << log2};
    square.w = m->move->is_fetch && log2 == m->surface.afbc.header_tile_log2 ? rect[2] - rect[0] : square.side_w;
    square.h = square.side_h;
    square.count = (unsigned)(square.w / square.side_w) << 2 * log2;
    for (square.y = rect[1]; square.y < rect[3]; square.y += square.h) {
        for (square.x = rect[0]; square.x < rect[2]; square.x += square.w) {
            const int32_t part[4] = {square.x, square.y, square.x + square.w, square.y + square.h};
            if (!(m->move->is_fetch ? copy_square(m, &square) : load_square(m, &square)) &&
                (mali_is_stopped(m->w->fb->queue) || !move_pieces(m, part)))
                return false;
        }
    }
    return true;
}

/* By squares as large as the surface has them, down to one superblock; what is left by pieces. */
static bool move_parts(const struct moving *m, const int32_t rect[4], unsigned log2)
{
    int32_t parts[FRAG_PARTS][4];
    const unsigned count = mali_frag_split(rect, m->piece_w << log2, m->piece_h << log2, parts);
    bool is_ok = count ? move_squares(m, parts[0], log2) : log2 ? move_parts(m, rect, log2 - 1) : move_pieces(m, rect);
    for (unsigned i = 1; is_ok && i < count; i++)
        is_ok = log2 ? move_parts(m, parts[i], log2 - 1) : move_pieces(m, parts[i]);
    return is_ok;
}

static bool move_rect(const struct moving *m, const int32_t rect[4])
{
    return m->surface.is_afbc ? move_parts(m, rect, m->surface.afbc.header_tile_log2) : move_pieces(m, rect);
}

bool mali_frag_move(struct frag_worker *w, const struct sc_move *move, bool *is_done_out)
{
    const struct frag_target *target = &w->fb->targets[0];
    struct moving m = {w, move, mali_frag_target_surface(w->fb, target, 0), 16, 16};
    int32_t rect[4];
    *is_done_out = false;
    if (w->fb->target_count != 1 || !mali_frag_is_plain(target) || target->pixel_B != PIXEL_B ||
        w->fb->queue->coherence)
        return true;
    if (!target->is_written || !mali_frag_find_rect(w, rect))
        return *is_done_out = true;
    if (m.surface.is_afbc && m.surface.afbc.w_log2 == 5) {
        m.piece_w = 32;
        m.piece_h = 8;
    }
    if (!move_rect(&m, rect))
        return !mali_is_stopped(w->fb->queue);
    mali_frag_count_rect(rect, PIXEL_B);
    return *is_done_out = true;
}
