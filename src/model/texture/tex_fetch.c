/* The texels of a footprint: those in memory by the family's function, the border's, and the corners of cubes. */
#include "model/texture/texture.h"

#include "util/bits.h"

/* A tap beyond two edges of a cube is the mean of the other three. Integers have none, and who asks for the smallest or
 * largest of them does not mind one that comes twice. */
static void fill_corners(union tex_texel (*out)[LANES_MAX], const struct tex_query *q, const struct tex_taps *taps)
{
    for (unsigned tap = 0; tap < taps->count; tap++) {
        for (unsigned i = 0; i < q->lanes; i++) {
            if (!taps->corner[tap][i])
                continue;
            if (!q->image->is_float)
                out[tap][i] = out[tap ^ 1][i];
            for (unsigned n = 0; n < 4 && q->image->is_float; n++)
                out[tap][i].f[n] = (out[tap ^ 1][i].f[n] + out[tap ^ 2][i].f[n] + out[tap ^ 3][i].f[n]) * (1.0f / 3);
        }
    }
}

/* The lanes of a tap that have a texel in memory; the others are on the border, a corner or count for nothing. */
static uint64_t taken_lanes(const struct tex_query *q, const struct tex_taps *taps, unsigned tap, uint64_t *border_out,
                            bool *has_corner)
{
    const uint8_t *is_border = taps->border[tap], *is_corner = taps->corner[tap];
    const float *weight = taps->weight[tap];
    uint32_t counts_all = q->image->is_cube ? UINT32_MAX : 0;
    uint32_t in_memory[LANES_MAX], on_border[LANES_MAX], on_corner[LANES_MAX];
    LANES_INDEPENDENT
    for (unsigned i = 0; i < q->lanes; i++) {
        uint32_t counts = weight[i] != 0 ? UINT32_MAX : 0;
        on_border[i] = is_border[i] ? UINT32_MAX : 0;
        on_corner[i] = is_corner[i] ? UINT32_MAX : 0;
        in_memory[i] = ~on_border[i] & ~on_corner[i] & (counts | counts_all);
    }
    uint64_t taken = lanes_to_mask(in_memory, q->lanes), border = lanes_to_mask(on_border, q->lanes),
             corner = lanes_to_mask(on_corner, q->lanes);
    *border_out = border & q->exec;
    *has_corner |= (corner & q->exec & ~border) != 0;
    return taken & q->exec;
}

static const uint32_t sample_0[LANES_MAX];

bool tex_fetch(union tex_texel (*out)[LANES_MAX], struct tex_query *q, const struct tex_taps *taps)
{
    union tex_texel border;
    bool has_border = false, has_corner = false;
    for (unsigned tap = 0; tap < taps->count; tap++) {
        uint64_t on_border, taken = taken_lanes(q, taps, tap, &on_border, &has_corner);
        const struct tex_rows rows = {(const uint32_t *)taps->x[tap], (const uint32_t *)taps->y[tap],
                                      (const uint32_t *)taps->z[tap], sample_0, taps->level};
        if (on_border && !has_border) {
            if (!q->ops->border(q, &border))
                return false;
            has_border = true;
        }
        if (!q->ops->fetch(q, out[tap], &rows, taken))
            return false;
        bits_foreach (on_border, i)
            out[tap][i] = border;
    }
    if (has_corner)
        fill_corners(out, q, taps);
    return true;
}
