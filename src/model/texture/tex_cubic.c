/* Cubic filters of two axes: Catmull-Rom over four by four texels, as Vulkan's section on texel cubic filtering has it.
 * The sixteen are four footprints of a linear filter, each two texels apart, with weights of their own. */
#include "model/texture/texture.h"

#include <string.h>

/* Of four texels in a row, for a point `f` of the way from the second to the third. */
static void catmull_rom(float out[4], float f)
{
    float f2 = f * f, f3 = f2 * f;
    out[0] = 0.5f * (-f + 2 * f2 - f3);
    out[1] = 0.5f * (2 - 5 * f2 + 3 * f3);
    out[2] = 0.5f * (f + 4 * f2 - 3 * f3);
    out[3] = 0.5f * (f3 - f2);
}

struct weights {
    float x[LANES_MAX][4], y[LANES_MAX][4];
};

/* The fractions of a linear footprint tell where the point is. */
static void find_weights(struct weights *to, const struct tex_taps *taps, unsigned lanes)
{
    for (unsigned i = 0; i < lanes; i++) {
        catmull_rom(to->x[i], taps->weight[1][i] + taps->weight[3][i]);
        catmull_rom(to->y[i], taps->weight[2][i] + taps->weight[3][i]);
    }
}

static void set_weights(struct tex_taps *taps, const struct weights *from, unsigned right, unsigned down,
                        unsigned lanes)
{
    for (unsigned tap = 0; tap < 4; tap++) {
        for (unsigned i = 0; i < lanes; i++)
            taps->weight[tap][i] = from->x[i][right + (tap & 1)] * from->y[i][down + (tap >> 1)];
    }
}

static void move_offsets(int32_t *to, const int32_t *offset, int32_t by, unsigned lanes)
{
    for (unsigned i = 0; i < lanes; i++)
        to[i] = (offset ? offset[i] : 0) + by;
}

bool tex_cubic(struct tex_sum *sum, struct tex_query *q, const struct tex_coords *c, const uint8_t *level,
               const float *lane_weight)
{
    struct tex_taps taps;
    struct tex_query moved = *q;
    struct weights weights;
    union tex_texel texels[4][LANES_MAX];
    uint8_t linear[LANES_MAX];
    int32_t offset[2][LANES_MAX];
    memset(linear, 1, sizeof(linear));
    memcpy(taps.level, level, sizeof(taps.level));
    tex_footprint(&taps, q, c, linear, false);
    find_weights(&weights, &taps, q->lanes);
    moved.offset[0] = offset[0];
    moved.offset[1] = offset[1];
    for (unsigned part = 0; part < 4; part++) {
        unsigned right = part & 1 ? 2 : 0, down = part & 2 ? 2 : 0;
        move_offsets(offset[0], q->offset[0], (int32_t)right - 1, q->lanes);
        move_offsets(offset[1], q->offset[1], (int32_t)down - 1, q->lanes);
        tex_footprint(&taps, &moved, c, linear, false);
        set_weights(&taps, &weights, right, down, q->lanes);
        if (!tex_fetch(texels, q, &taps))
            return false;
        if (q->compare)
            tex_compare(texels, q, taps.count);
        tex_accumulate(sum, q, texels, &taps, lane_weight);
    }
    return true;
}
