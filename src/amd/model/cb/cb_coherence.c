/* TUFF_DEBUG=coherence: what the colour backend accesses is shown to model/coherence, pixel by pixel
 * (docs/coherence.md). Nothing here is called while it is off. */
#include "amd/model/cb/cb.h"
#include "amd/model/cb/cb_quads.h"
#include "amd/model/coherence.h"
#include "util/bits.h"

/* The bytes of an element that are written: others stay as they are, without being read. */
static void note_element(struct cb *cb, const struct cb_target *target, uint64_t va, bool is_read, bool is_written)
{
    unsigned first = 0, end = target->element_B;
    while (first < end && !target->bits[first])
        first++;
    while (end > first && !target->bits[end - 1])
        end--;
    if (is_read)
        coherence_read(cb->coherence, AMD_CLIENT_COLOR, 0, va, target->element_B);
    if (is_written && first < end)
        coherence_write(cb->coherence, AMD_CLIENT_COLOR, 0, va + first, end - first);
}

static void note_meta(struct cb *cb, uint64_t va, uint64_t size_B, bool is_written)
{
    coherence_read(cb->coherence, AMD_CLIENT_COLOR_META, 0, va, size_B);
    if (is_written)
        coherence_write(cb->coherence, AMD_CLIENT_COLOR_META, 0, va, size_B);
}

/* A chip compresses what it writes, so that codes change with pixels. */
static void note_sample(struct cb *cb, unsigned t, uint32_t x, uint32_t y, uint32_t slice, unsigned sample,
                        bool is_read, bool is_written)
{
    const struct cb_target *target = &cb->state->targets[t];
    const struct cb_meta *meta = target->meta;
    note_element(cb, target, cb_surface_at(target->surface, x, y, slice, sample), is_read, is_written);
    if (meta && target->has_dcc)
        note_meta(cb, target->dcc_va + amd_meta_offset(&meta->dcc, x, y, slice, sample, target->surface->level, NULL),
                  1, is_written);
    if (meta && target->has_fmask && sample == 0) {
        note_meta(cb, target->cmask_va + amd_meta_offset(&meta->cmask, x, y, slice, 0, 0, NULL), 1, is_written);
        note_meta(cb, cb_surface_at(&meta->fmask, x, y, slice, 0), meta->fmask.desc.element_B, is_written);
    }
}

void amd_cb_note(struct cb *cb, const struct raster_quad *quads, uint32_t quad_count)
{
    bits_foreach (cb->state->used, t) {
        const struct cb_target *target = &cb->state->targets[t];
        for (uint32_t q = 0; q < quad_count; q++) {
            for (unsigned sample = 0; sample < target->samples; sample++) {
                bits_foreach (cb_pixels_of(&quads[q], sample), p)
                    note_sample(cb, (unsigned)t, quads[q].x + (p & 1), quads[q].y + (unsigned)p / 2,
                                cb_slice_of(target, &quads[q]), sample, target->blend || target->rop, true);
            }
        }
    }
}

/* A resolve reads target 0 and writes target 1; a decompress or eliminate pass brings target 0 to memory. */
void amd_cb_note_pass(struct cb *cb, const struct raster_quad *quads, uint32_t quad_count)
{
    const struct cb_target *to = &cb->state->targets[1];
    for (uint32_t q = 0; q < quad_count; q++) {
        for (unsigned p = 0; p < 4; p++) {
            if (!(quads[q].mask >> p * 8 & 0xff))
                continue;
            const uint32_t x = quads[q].x + (p & 1), y = quads[q].y + p / 2;
            bits_foreach (cb->state->resolve ? 1 : cb->state->used, t) {
                const struct cb_target *from = &cb->state->targets[t];
                for (unsigned s = 0; s < from->samples; s++)
                    note_sample(cb, (unsigned)t, x, y, cb_slice_of(from, &quads[q]), s, true, !cb->state->resolve);
            }
            if (cb->state->resolve)
                note_sample(cb, 1, x, y, cb_slice_of(to, &quads[q]), 0, false, true);
        }
    }
}
