/* Hierarchical depth: a word for 8 by 8 pixels. The model compresses nothing, so it meets two states of depth and of
 * stencil: cleared, which means the value of the clear register whatever memory holds, and expanded. A cleared block is
 * brought to memory when it is first touched. */
#include "amd/model/db/db.h"

#include <string.h>

#include "amd/model/register_fields.h"
#include "util/bits.h"

enum {
    ZMASK_CLEAR = 0x0,
    ZMASK_EXPANDED = 0xf,
    SMEM_SHIFT = 8,
    SMEM_CLEAR = 0,
    SMEM_EXPANDED = 3,
    RATE_X_SHIFT = 6, /* in place of one of stencil's results */
    RATE_Y_SHIFT = 10,
};

/* The whole range of depth: nothing can be concluded from it. */
#define EXPANDED_Z 0xfffc000fu
#define EXPANDED_ZS_DEPTH 0xfffff00fu /* the bits that belong to depth when stencil is there, too */
#define DEPTH_BITS_ZS 0xfffffc0fu
#define RATE_BITS (3u << RATE_X_SHIFT | 3u << RATE_Y_SHIFT)

const char *amd_db_htile_init(struct db_state *state, struct db_surfaces *surfaces, enum amd_gfx gfx,
                              const struct cp_registers *registers)
{
    const struct cb_surface *of = state->z ? state->z : state->s;
    struct amd_DB_HTILE_SURFACE surface = GET(DB_HTILE_SURFACE);
    if (!of)
        return NULL;
    if (!surface.PIPE_ALIGNED)
        return "HTILE that is not pipe aligned (DB_HTILE_SURFACE)";
    if (surfaces->htile_of != of || surfaces->htile_generation != of->generation) {
        surfaces->htile_of = NULL;
        if (!amd_meta_init(&surfaces->htile, AMD_META_HTILE, &of->layout, true) || !surfaces->htile.has_equation)
            return "HTILE of a surface that cannot have it (DB_Z_INFO)";
        surfaces->htile_of = of;
        surfaces->htile_generation = of->generation;
    }
    state->htile = &surfaces->htile;
    state->htile_va = cb_surface_va(GET_WORD(DB_HTILE_DATA_BASE), GET_WORD(DB_HTILE_DATA_BASE_HI));
    state->htile_has_stencil = state->s && !GET(DB_STENCIL_INFO).TILE_STENCIL_DISABLE;
    state->htile_has_rates = surface.VRS_HTILE_ENCODING != AMD_VRS_HTILE_DISABLE;
    if (surface.VRS_HTILE_ENCODING == AMD_VRS_HTILE_2BIT_ENCODING)
        return "shading rates of two bits (DB_HTILE_SURFACE)";
    return NULL;
}

static inline void fill_piece(uint8_t *host, uint32_t low, const struct cb_surface *surface, const void *value,
                              size_t size_B)
{
    uint32_t size = 1u << surface->block_log2;
    for (unsigned i = 0; i < size * size; i++)
        memcpy(host + (low ^ cb_block_bits(surface, i % size, i / size)), value, size_B);
}

/* All of a piece, whose size is a power of two like that of an element, which has four bytes at most. */
static void fill_whole(uint8_t *host, uint32_t piece_B, const void *value, size_t size_B)
{
    uint32_t words[4];
    if (size_B == 1)
        words[0] = *(const uint8_t *)value * 0x01010101u;
    else if (size_B == 2)
        words[0] = *(const uint16_t *)value * 0x00010001u;
    else
        memcpy(words, value, sizeof(words[0]));
    words[1] = words[2] = words[3] = words[0];
    if (piece_B < sizeof(words)) {
        memcpy(host, words, piece_B);
        return;
    }
    for (uint32_t at_B = 0; at_B < piece_B; at_B += sizeof(words))
        memcpy(host + at_B, words, sizeof(words));
}

/* Fills a block at once, where it lies in one piece for each sample, or for all of them. Memory beyond the surface's
 * edge is unused. */
static bool fill_block(struct db *db, const struct cb_surface *surface, uint32_t x, uint32_t y, uint32_t slice,
                       const void *value)
{
    uint32_t row = surface->samples_are_row ? surface->desc.samples : 1, size_B = surface->desc.element_B;
    const uint32_t piece_B = (size_B * row) << 2 * surface->block_log2;
    const bool whole = piece_B == surface->block_B || surface->block_is_row; /* or a part of 256 bytes, of small ones */
    for (unsigned s = 0; s < surface->desc.samples; s += whole ? row : 1) {
        uint64_t va = cb_surface_at(surface, x, y, slice, s);
        uint32_t low = (uint32_t)va & (surface->block_B - 1u);
        uint8_t *host = amd_db_access(db, va - low, surface->block_B, true);
        if (!host)
            return false;
        if (whole)
            fill_whole(host + (low & ~(piece_B - 1)), piece_B, value, size_B);
        else if (size_B == 1)
            fill_piece(host, low, surface, value, 1);
        else if (size_B == 2)
            fill_piece(host, low, surface, value, 2);
        else
            fill_piece(host, low, surface, value, 4);
    }
    return true;
}

/* Fills 8 by 8 pixels of any surface. */
static bool fill_pixels(struct db *db, const struct cb_surface *surface, uint32_t x, uint32_t y, uint32_t slice,
                        const void *value)
{
    uint32_t size_B = surface->desc.element_B;
    if (__builtin_expect(db->coherence != NULL, 0))
        amd_db_note_fill(db, surface, x, y, slice);
    if (surface->has_blocks) {
        uint32_t size = 1u << surface->block_log2;
        for (uint32_t at_y = 0; at_y < 8; at_y += size) {
            for (uint32_t at_x = 0; at_x < 8; at_x += size) {
                if (!fill_block(db, surface, x + at_x, y + at_y, slice, value))
                    return false;
            }
        }
        return true;
    }
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t px = x + i % 8, py = y + i / 8;
        if (px >= surface->width || py >= surface->height)
            continue;
        for (unsigned s = 0; s < surface->desc.samples; s++) {
            void *host = amd_db_access(db, cb_surface_at(surface, px, py, slice, s), size_B, true);
            if (!host)
                return false;
            memcpy(host, value, size_B);
        }
    }
    return true;
}

static bool fill_depth(struct db *db, uint32_t x, uint32_t y, uint32_t slice)
{
    const struct db_state *state = db->state;
    if (state->z_format == AMD_Z_FORMAT_16) {
        uint16_t code = (uint16_t)db_unorm16(state->clear_z);
        return fill_pixels(db, state->z, x, y, slice, &code);
    }
    if (state->z_format == AMD_Z_FORMAT_24) {
        uint32_t code = db_unorm24(state->clear_z);
        return fill_pixels(db, state->z, x, y, slice, &code);
    }
    return fill_pixels(db, state->z, x, y, slice, &state->clear_z);
}

static uint32_t *find_word(struct db *db, uint32_t x, uint32_t y, uint32_t slice, bool is_write)
{
    const struct db_state *state = db->state;
    unsigned level = (state->z ? state->z : state->s)->level;
    return amd_db_access(db, state->htile_va + amd_meta_offset(state->htile, x, y, slice, 0, level, NULL),
                         sizeof(uint32_t), is_write);
}

/* Without stencil and rates the whole word is depth's; with them, all have bits of their own. */
static uint32_t expanded_word(const struct db_state *state, uint32_t word)
{
    if (!state->htile_has_stencil && !state->htile_has_rates)
        return EXPANDED_Z;
    const uint32_t kept = state->htile_has_rates ? RATE_BITS : 0,
                   expanded = (word & ~DEPTH_BITS_ZS & ~(3u << SMEM_SHIFT)) | EXPANDED_ZS_DEPTH |
                              SMEM_EXPANDED << SMEM_SHIFT | 0xf0u;
    return (expanded & ~kept) | (word & kept);
}

/* x and y are the block's. */
static bool expand_tile(struct db *db, uint32_t x, uint32_t y, uint32_t slice)
{
    const struct db_state *state = db->state;
    uint32_t *host = find_word(db, x, y, slice, true);
    if (!host)
        return false;
    uint32_t word = *host, zmask = word & 15, smem = word >> SMEM_SHIFT & 3;
    if (state->z && zmask != ZMASK_EXPANDED) {
        if (zmask != ZMASK_CLEAR) {
            db->why = "depth meets an HTILE code that is not implemented";
            return false;
        }
        if (!fill_depth(db, x, y, slice))
            return false;
    }
    if (state->htile_has_stencil && smem != SMEM_EXPANDED) {
        if (smem != SMEM_CLEAR) {
            db->why = "stencil meets an HTILE code that is not implemented";
            return false;
        }
        if (!fill_pixels(db, state->s, x, y, slice, &state->clear_s))
            return false;
    }
    *host = expanded_word(state, word);
    return true;
}

bool amd_db_htile_rate(struct db *db, uint32_t x, uint32_t y, uint32_t slice, sc_rate *rate_out)
{
    if (__builtin_expect(db->coherence != NULL, 0))
        amd_db_note_rate(db, x, y, slice);
    const uint32_t *host = find_word(db, x & ~7u, y & ~7u, slice, false);
    if (!host)
        return false;
    *rate_out = (sc_rate)((*host >> RATE_X_SHIFT & 3) | (*host >> RATE_Y_SHIFT & 3) << 2);
    return true;
}

bool amd_db_htile_prepare(struct db *db, uint32_t x, uint32_t y, uint32_t slice)
{
    uint32_t tile_x = x >> SC_TILE_LOG2, tile_y = y >> SC_TILE_LOG2;
    uint64_t bit = 1ull << ((y >> 3 & 7) * 8 + (x >> 3 & 7));
    if (db->known_x != tile_x || db->known_y != tile_y || db->known_slice != slice) {
        db->known_x = tile_x;
        db->known_y = tile_y;
        db->known_slice = slice;
        db->known = 0;
    }
    if (db->known & bit)
        return true;
    if (!expand_tile(db, x & ~7u, y & ~7u, slice))
        return false;
    db->known |= bit;
    return true;
}
