/* TUFF_DEBUG=coherence: what the depth backend accesses is shown to model/coherence, sample by sample
 * (docs/coherence.md). Nothing here is called while it is off. */
#include "amd/model/coherence.h"
#include "amd/model/db/db.h"
#include "util/bits.h"

static bool looks_at(unsigned function)
{
    return function != PIXEL_ALWAYS && function != PIXEL_NEVER;
}

/* Whether the value that is there decides what is written. */
static bool is_mixed(unsigned op)
{
    return op >= PIXEL_STENCIL_ADD_CLAMP;
}

static bool reads_stencil(const struct db_stencil_face *face)
{
    return looks_at(face->function) || is_mixed(face->fail) || is_mixed(face->pass) || is_mixed(face->depth_fail) ||
           (face->write_mask && face->write_mask != 0xff);
}

static bool writes_stencil(const struct db_stencil_face *face)
{
    return face->write_mask && (face->fail || face->pass || face->depth_fail);
}

static void note_surface(struct db *db, const struct cb_surface *surface, uint32_t x, uint32_t y, uint32_t slice,
                         unsigned sample, bool is_read, bool is_written)
{
    const uint64_t va = cb_surface_at(surface, x, y, slice, sample);
    if (is_read)
        coherence_read(db->coherence, AMD_CLIENT_DEPTH, 0, va, surface->desc.element_B);
    if (is_written)
        coherence_write(db->coherence, AMD_CLIENT_DEPTH, 0, va, surface->desc.element_B);
}

static void note_htile(struct db *db, uint32_t x, uint32_t y, uint32_t slice, bool is_written)
{
    const struct db_state *state = db->state;
    const unsigned level = (state->z ? state->z : state->s)->level;
    const uint64_t va = state->htile_va + amd_meta_offset(state->htile, x, y, slice, 0, level, NULL);
    coherence_read(db->coherence, AMD_CLIENT_DEPTH_META, 0, va, 4);
    if (is_written)
        coherence_write(db->coherence, AMD_CLIENT_DEPTH_META, 0, va, 4);
}

void amd_db_note_rate(struct db *db, uint32_t x, uint32_t y, uint32_t slice)
{
    note_htile(db, x, y, slice, false);
}

void amd_db_note_fill(struct db *db, const struct cb_surface *surface, uint32_t x, uint32_t y, uint32_t slice)
{
    const uint32_t size = 1u << surface->block_log2;
    for (unsigned i = 0; surface->has_blocks && i < 64 / (size * size); i++) { /* a piece of memory each */
        for (unsigned s = 0; s < surface->desc.samples; s++) {
            const uint64_t va = cb_surface_at(surface, x + i * size % 8, y + i * size / 8 * size, slice, s);
            coherence_write(db->coherence, AMD_CLIENT_DEPTH, 0, va & ~(uint64_t)(surface->block_B - 1),
                            surface->block_B);
        }
    }
    for (unsigned i = 0; !surface->has_blocks && i < 64; i++) {
        const uint32_t px = x + i % 8, py = y + i / 8;
        for (unsigned s = 0; px < surface->width && py < surface->height && s < surface->desc.samples; s++)
            note_surface(db, surface, px, py, slice, s, false, true);
    }
}

void amd_db_note(struct db *db, const struct raster_quad *quads, uint32_t count)
{
    const struct db_state *state = db->state;
    const bool reads_z = state->bounds_test || (state->z_test && !state->clear_depth && looks_at(state->z_func));
    for (uint32_t q = 0; q < count; q++) {
        const struct raster_quad *quad = &quads[q];
        const struct db_stencil_face *face = &state->faces[quad->prim->is_back];
        const bool has_stencil = state->stencil_test && state->s;
        const bool reads_s = has_stencil && !state->clear_stencil && reads_stencil(face),
                   writes_s = has_stencil && (state->clear_stencil || writes_stencil(face)),
                   writes_z = state->z && state->z_test && state->z_write;
        const uint32_t slice = MIN2(state->slice_start + quad->prim->layer, state->slice_max);
        if (quad->mask && state->htile && (state->z_test || state->bounds_test || has_stencil || state->expand))
            note_htile(db, quad->x, quad->y, slice, writes_z || writes_s || state->expand);
        bits_foreach (quad->mask, bit) {
            const uint32_t x = quad->x + ((uint32_t)bit / 8 & 1), y = quad->y + (uint32_t)bit / 16;
            if (state->z)
                note_surface(db, state->z, x, y, slice, bit % 8, reads_z, writes_z);
            if (state->s)
                note_surface(db, state->s, x, y, slice, bit % 8, reads_s, writes_s);
        }
    }
}
