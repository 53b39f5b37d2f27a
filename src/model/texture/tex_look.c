/* Metadata and the fast path: an image whose memory is described piece by piece is looked at where footprints are, each
 * piece once for an instruction. A piece is a rectangle of texels that lie together in memory; a lane's texels are in
 * one, or in those of the corners of its footprint. */
#include "model/texture/tex_fast.h"

#include "util/bits.h"

/* One texel of a lane: an entry of x and one of y. */
static uint64_t piece_of(const struct tex_places *p, uint32_t at_x, uint32_t at_y, uint32_t at_z, unsigned log2)
{
    const struct tex_place y = p->y[at_y];
    return (uint64_t)(at_z + 1) << 32 | ((p->x[at_x] ^ y.xor_B ^ p->z[at_z].xor_B) + y.add_B) >> log2;
}

static bool look(struct tex_looked *looked, const struct tex_places *p, struct tex_query *q, uint64_t piece,
                 uint32_t at_x, uint32_t at_y, unsigned level, uint32_t slice)
{
    uint64_t *known = &looked->piece[(piece ^ piece >> 5 ^ piece >> 32) % TEX_LOOKED];
    if (__builtin_expect(*known == piece, 1))
        return true;
    const uint32_t x = tex_places_texel((int32_t)(at_x - p->x_start[level]), (int32_t)q->image->level[level].width,
                                        p->wrap[0]),
                   y = tex_places_texel((int32_t)(at_y - p->y_start[level]), (int32_t)q->image->level[level].height,
                                        p->wrap[1]);
    if (!q->ops->is_plain(q, level, x, y, slice))
        return false;
    *known = piece;
    return true;
}

bool tex_look(struct tex_looked *looked, const struct tex_footprint *f, const struct tex_places *p, struct tex_query *q,
              const uint8_t *level, const uint32_t *slice)
{
    const unsigned log2 = q->image->piece_log2;
    bits_foreach (q->exec, i) {
        const uint32_t x = f->x.at[i], y = f->y.at[i], in = MIN2(slice[i], p->slices - 1),
                       z = level[i] * p->slices + in;
        const uint64_t first = piece_of(p, x, y, z, log2);
        if (!look(looked, p, q, first, x, y, level[i], in))
            return false;
        if (f->taps == 1 || piece_of(p, x + 1, y + 1, z, log2) == first)
            continue;
        for (unsigned tap = 1; tap < 4; tap++) {
            const uint32_t to_x = x + (tap & 1), to_y = y + (tap >> 1);
            if (!look(looked, p, q, piece_of(p, to_x, to_y, z, log2), to_x, to_y, level[i], in))
                return false;
        }
    }
    return true;
}
