/* Codes of a row of lanes, in words from the lowest byte on, to cells of the tile buffer and back: cells of 1 to 16
 * bytes, of a batch's quads or of a block. */
#include <string.h>

#include "mali/model/frag/frag.h"
#include "model/lanes.h"
#include "util/bits.h"

typedef const uint32_t (*word_rows)[MALI_ROW_LANES];

/* ---- lanes whose cells follow each other ---- */

static void put_words(uint32_t *cells, unsigned words, word_rows codes, const uint32_t *drawn, unsigned first,
                      unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const uint32_t mask = drawn[first + i];
        for (unsigned k = 0; k < words; k++)
            cells[words * i + k] = (codes[k][first + i] & mask) | (cells[words * i + k] & ~mask);
    }
}

static void put_shorts(uint16_t *cells, const uint32_t *codes, const uint32_t *drawn, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        cells[i] = (uint16_t)((codes[i] & drawn[i]) | (cells[i] & ~drawn[i]));
}

static void put_bytes(uint8_t *cells, const uint32_t *codes, const uint32_t *drawn, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        cells[i] = (uint8_t)((codes[i] & drawn[i]) | (cells[i] & ~drawn[i]));
}

/* Lanes from `first` on; `cells` are theirs. */
static void put_run(uint8_t *cells, unsigned cell_B, word_rows codes, const uint32_t *drawn, unsigned first,
                    unsigned count)
{
    void *at = cells; /* planes of cells are aligned */
    switch (cell_B) {
    case 1:
        put_bytes(cells, codes[0] + first, drawn + first, count);
        break;
    case 2:
        put_shorts(at, codes[0] + first, drawn + first, count);
        break;
    case 4:
        put_words(at, 1, codes, drawn, first, count);
        break;
    case 8:
        put_words(at, 2, codes, drawn, first, count);
        break;
    default:
        put_words(at, 4, codes, drawn, first, count);
        break;
    }
}

static void get_run(const uint8_t *cells, unsigned cell_B, uint32_t (*codes)[MALI_ROW_LANES], unsigned first,
                    unsigned count)
{
    const unsigned words = cell_B / 4;
    if (words == 1) {
        memcpy(codes[0] + first, cells, 4u * count);
        return;
    }
    for (unsigned i = 0; cell_B == 1 && i < count; i++)
        codes[0][first + i] = cells[i];
    for (unsigned i = 0; cell_B == 2 && i < count; i++)
        codes[0][first + i] = ((const uint16_t *)(const void *)cells)[i];
    const uint32_t *at = (const uint32_t *)(const void *)cells;
    for (unsigned i = 0; i < count; i++) {
        for (unsigned k = 0; k < words; k++)
            codes[k][first + i] = at[words * i + k];
    }
}

/* ---- batches ---- */

static void mark_drawn(struct frag_worker *w, unsigned number, uint64_t drawn)
{
    uint64_t *dirty = w->dirty[number];
    const unsigned first = w->quads[0].cell, shift = first % FRAG_BLOCK_PIXELS;
    if (w->is_run && !shift) {
        dirty[first / FRAG_BLOCK_PIXELS] |= drawn;
        return;
    }
    for (unsigned q = 0; q < w->quad_count; q++) {
        const unsigned cell = w->quads[q].cell;
        dirty[cell / FRAG_BLOCK_PIXELS] |= (drawn >> 4 * q & 15) << cell % FRAG_BLOCK_PIXELS;
    }
}

void mali_frag_put_sample(struct frag_worker *w, unsigned number, unsigned sample, word_rows codes,
                          const uint32_t *drawn, uint64_t any)
{
    const struct frag_target *target = &w->fb->targets[number];
    const unsigned count = 4 * w->quad_count, cell_B = target->cell_B;
    if (w->is_run && cell_B == 4 && any == bits_mask(count)) {
        memcpy(mali_frag_color(w, target, sample, w->quads[0].cell), codes[0], 4u * count);
    } else if (w->is_run) {
        put_run(mali_frag_color(w, target, sample, w->quads[0].cell), cell_B, codes, drawn, 0, count);
    } else {
        for (unsigned q = 0; q < w->quad_count; q++)
            put_run(mali_frag_color(w, target, sample, w->quads[q].cell), cell_B, codes, drawn, 4 * q, 4);
    }
    mark_drawn(w, number, any);
}

void mali_frag_put_codes(struct frag_worker *w, unsigned number, word_rows codes, const uint32_t *masks)
{
    for (unsigned s = 0; s < w->fb->samples; s++) {
        uint32_t drawn[MALI_ROW_LANES];
        for (unsigned i = 0; i < MALI_ROW_LANES; i++)
            drawn[i] = -(masks[i] >> s & 1);
        const uint64_t any = lanes_to_mask(drawn, MALI_ROW_LANES);
        if (any)
            mali_frag_put_sample(w, number, s, codes, drawn, any);
    }
}

void mali_frag_get_codes(const struct frag_worker *w, unsigned number, unsigned sample,
                         uint32_t (*codes)[MALI_ROW_LANES])
{
    const struct frag_target *target = &w->fb->targets[number];
    if (w->is_run) {
        get_run(mali_frag_color(w, target, sample, w->quads[0].cell), target->cell_B, codes, 0, 4 * w->quad_count);
        return;
    }
    for (unsigned q = 0; q < w->quad_count; q++)
        get_run(mali_frag_color(w, target, sample, w->quads[q].cell), target->cell_B, codes, 4 * q, 4);
}

/* ---- packed pixels ---- */

/* Inlined for each size of a cell: a copy of a size that the compiler does not know is a call, or slower (x86-64). */
static inline __attribute__((always_inline)) void put_cells(uint8_t *cells, const uint16_t *places, unsigned cell_B,
                                                            word_rows codes, uint64_t drawn)
{
    bits_foreach (drawn, i) {
        const uint32_t words[4] = {codes[0][i], cell_B > 4 ? codes[1][i] : 0, cell_B > 8 ? codes[2][i] : 0,
                                   cell_B > 8 ? codes[3][i] : 0};
        memcpy(cells + (size_t)cell_B * places[i], words, cell_B);
    }
}

void mali_frag_put_pixels(struct frag_worker *w, unsigned number, word_rows codes, uint64_t drawn)
{
    const struct frag_target *target = &w->fb->targets[number];
    const uint16_t *places = w->packed.cells;
    uint8_t *cells = mali_frag_color(w, target, 0, 0);
    uint64_t *dirty = w->dirty[number];
    bits_foreach (drawn, i)
        dirty[places[i] / FRAG_BLOCK_PIXELS] |= 1ull << places[i] % FRAG_BLOCK_PIXELS;
    switch (target->cell_B) {
    case 1:
        put_cells(cells, places, 1, codes, drawn);
        break;
    case 2:
        put_cells(cells, places, 2, codes, drawn);
        break;
    case 4:
        put_cells(cells, places, 4, codes, drawn);
        break;
    case 8:
        put_cells(cells, places, 8, codes, drawn);
        break;
    default:
        put_cells(cells, places, 16, codes, drawn);
        break;
    }
}

void mali_frag_get_pixels(const struct frag_worker *w, unsigned number, uint32_t (*codes)[MALI_ROW_LANES])
{
    const struct frag_target *target = &w->fb->targets[number];
    for (unsigned i = 0; i < w->packed.count; i++)
        get_run(mali_frag_color(w, target, 0, w->packed.cells[i]), target->cell_B, codes, i, 1);
}

/* ---- blocks ---- */

void mali_frag_put_block(struct frag_worker *w, unsigned number, unsigned cell, word_rows codes, uint64_t drawn)
{
    const struct frag_target *target = &w->fb->targets[number];
    uint8_t *cells = mali_frag_color(w, target, 0, cell);
    w->dirty[number][cell / FRAG_BLOCK_PIXELS] |= drawn;
    if (drawn == UINT64_MAX && target->cell_B == 4) {
        memcpy(cells, codes[0], sizeof(codes[0]));
        return;
    }
    uint32_t masks[MALI_ROW_LANES];
    lanes_from_mask(masks, drawn, MALI_ROW_LANES);
    put_run(cells, target->cell_B, codes, masks, 0, MALI_ROW_LANES);
}

void mali_frag_get_block(const struct frag_worker *w, unsigned number, unsigned cell, uint32_t (*codes)[MALI_ROW_LANES])
{
    const struct frag_target *target = &w->fb->targets[number];
    get_run(mali_frag_color(w, target, 0, cell), target->cell_B, codes, 0, MALI_ROW_LANES);
}
