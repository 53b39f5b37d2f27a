/* Clipping in homogeneous coordinates: depth range, guard band, and the distances that the shader exports. A corner
 * that clipping makes is remembered by its weights of the primitive's vertices. */
#include "model/raster/raster.h"

#include <string.h>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "util/bits.h"

/* The planes, in the order in which they are applied. Distances follow. */
enum plane {
    PLANE_W, /* in front of the eye; first, so that the others never meet a negative w */
    PLANE_NEAR,
    PLANE_FAR,
    PLANE_LEFT,
    PLANE_RIGHT,
    PLANE_TOP,
    PLANE_BOTTOM,
    PLANE_DISTANCE,
    PLANE_COUNT = PLANE_DISTANCE + 8,
};

/* The smallest w that is divided by. */
#define W_MIN 1e-30f

/* The planes that this draw clips by. */
static uint32_t active_planes(const struct raster_state *state)
{
    uint32_t planes = (uint32_t)state->clip_distances << PLANE_DISTANCE;
    if (!state->w_inverted || state->clips_divided)
        planes |= 1u << PLANE_W;
    if (!state->has_clipping)
        return planes;
    planes |= 1u << PLANE_LEFT | 1u << PLANE_RIGHT | 1u << PLANE_TOP | 1u << PLANE_BOTTOM;
    if (state->has_near_plane)
        planes |= 1u << PLANE_NEAR;
    if (state->has_far_plane)
        planes |= 1u << PLANE_FAR;
    return planes;
}

/* Not negative inside. */
static inline __attribute__((always_inline)) float distance(const struct raster_point *point, unsigned plane,
                                                            bool z_is_from_zero, const float (*distances)[3],
                                                            float guard_x, float guard_y)
{
    const float *pos = point->pos;
    switch (plane) {
    case PLANE_W:
        return pos[3] - W_MIN;
    case PLANE_NEAR:
        return z_is_from_zero ? pos[2] : pos[2] + pos[3];
    case PLANE_FAR:
        return pos[3] - pos[2];
    case PLANE_LEFT:
        return pos[0] + guard_x * pos[3];
    case PLANE_RIGHT:
        return guard_x * pos[3] - pos[0];
    case PLANE_TOP:
        return pos[1] + guard_y * pos[3];
    case PLANE_BOTTOM:
        return guard_y * pos[3] - pos[1];
    default: {
        const float *row = distances[plane - PLANE_DISTANCE];
        return point->bary[0] * row[0] + point->bary[1] * row[1] + point->bary[2] * row[2];
    }
    }
}

/* NaN counts as outside. */
static bool is_inside(float value)
{
    return value >= 0;
}

/* Each plane's distance in line, no branch. */
static inline __attribute__((always_inline)) uint32_t outside_each(const struct raster_point *point,
                                                                   bool z_is_from_zero, float guard_x, float guard_y)
{
#define OUTSIDE(plane) ((uint32_t)!is_inside(distance(point, plane, z_is_from_zero, NULL, guard_x, guard_y)) << (plane))
    return OUTSIDE(PLANE_W) | OUTSIDE(PLANE_NEAR) | OUTSIDE(PLANE_FAR) | OUTSIDE(PLANE_LEFT) | OUTSIDE(PLANE_RIGHT) |
           OUTSIDE(PLANE_TOP) | OUTSIDE(PLANE_BOTTOM);
#undef OUTSIDE
}

/* Most primitives cross no plane, so this is most of what clipping costs. */
static inline uint32_t outside_volume(const struct raster_state *state, const struct raster_point *point, float guard_x,
                                      float guard_y)
{
#if defined(__AVX2__)
    /* A lane for each plane: the first summand's coordinate with its factor, and the second's, if there is one, with
     * its sign or as a number. */
    const int32_t near = state->z_is_from_zero ? 0 : -1;
    const __m256 pos = _mm256_broadcast_ps((const __m128 *)point->pos),
                 factors = _mm256_setr_ps(1, 1, 1, guard_x, guard_x, guard_y, guard_y, 0),
                 taken = _mm256_castsi256_ps(_mm256_setr_epi32(0, near, -1, -1, -1, -1, -1, 0)),
                 signs = _mm256_setr_ps(-W_MIN, 0, -0.0f, 0, -0.0f, 0, -0.0f, 0),
                 first = _mm256_permutevar_ps(pos, _mm256_setr_epi32(3, 2, 3, 3, 3, 3, 3, 3)),
                 second = _mm256_permutevar_ps(pos, _mm256_setr_epi32(3, 3, 2, 0, 0, 1, 1, 3)),
                 sum = _mm256_add_ps(_mm256_mul_ps(first, factors), _mm256_xor_ps(_mm256_and_ps(second, taken), signs));
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(sum, _mm256_setzero_ps(), _CMP_NGE_UQ)) &
           (uint32_t)bits_mask(PLANE_DISTANCE);
#else
    return outside_each(point, state->z_is_from_zero, guard_x, guard_y);
#endif
}

static inline uint32_t outside_planes(const struct raster_state *state, const struct raster_point *point,
                                      uint32_t planes, const float (*distances)[3], float guard_x, float guard_y)
{
    uint32_t outside = planes & outside_volume(state, point, guard_x, guard_y);
    bits_foreach (planes >> PLANE_DISTANCE << PLANE_DISTANCE, plane) {
        if (!is_inside(distance(point, (unsigned)plane, state->z_is_from_zero, distances, guard_x, guard_y)))
            outside |= 1u << plane;
    }
    return outside;
}

/* Wholly outside one plane of the view volume, the guard band's discard limit for x and y. */
static bool is_discarded(const struct raster_state *state, const struct raster_point *points, unsigned count,
                         uint32_t planes, const float (*distances)[3])
{
    uint32_t common = planes;
    for (unsigned i = 0; i < count && common; i++)
        common &= outside_planes(state, &points[i], common, distances, state->discard_x, state->discard_y);
    return common != 0;
}

/* All of a row, with what its loop does not have to ask as constants. */
static inline __attribute__((always_inline)) void classify(const float (*restrict pos)[RASTER_ROW], bool z_is_from_zero,
                                                           uint32_t planes, float guard_x, float guard_y,
                                                           uint32_t *restrict out)
{
    for (unsigned i = 0; i < RASTER_ROW; i++) {
        const struct raster_point point = {.pos = {pos[0][i], pos[1][i], pos[2][i], pos[3][i]}};
        out[i] = planes & outside_each(&point, z_is_from_zero, guard_x, guard_y);
    }
}

void raster_classify_row(const struct raster_state *state, const float (*pos)[RASTER_ROW], uint32_t *crossed_out,
                         uint32_t *discarded_out)
{
    const uint32_t planes = active_planes(state) & (uint32_t)bits_mask(PLANE_DISTANCE);
    if (state->z_is_from_zero) {
        classify(pos, true, planes, state->guard_x, state->guard_y, crossed_out);
        classify(pos, true, planes, state->discard_x, state->discard_y, discarded_out);
    } else {
        classify(pos, false, planes, state->guard_x, state->guard_y, crossed_out);
        classify(pos, false, planes, state->discard_x, state->discard_y, discarded_out);
    }
}

static void cross_plane(struct raster_point *out, const struct raster_point *inside, const struct raster_point *outside,
                        float d_in, float d_out)
{
    float t = d_in / (d_in - d_out);
    for (unsigned k = 0; k < 4; k++)
        out->pos[k] = inside->pos[k] + t * (outside->pos[k] - inside->pos[k]);
    for (unsigned k = 0; k < 3; k++)
        out->bary[k] = inside->bary[k] + t * (outside->bary[k] - inside->bary[k]);
}

unsigned raster_clip_polygon(const struct raster_state *state, struct raster_point *points, unsigned count,
                             const float (*distances)[3])
{
    uint32_t planes = active_planes(state), crossed = 0;
    for (unsigned i = 0; i < count; i++)
        crossed |= outside_planes(state, &points[i], planes, distances, state->guard_x, state->guard_y);
    if (is_discarded(state, points, count, planes, distances))
        return 0;

    struct raster_point other[RASTER_MAX_POLYGON];
    struct raster_point *from = points, *to = other;
    bits_foreach (crossed, plane) {
        unsigned kept = 0;
        for (unsigned i = 0; i < count; i++) {
            const struct raster_point *a = &from[i], *b = &from[(i + 1) % count];
            float da = distance(a, (unsigned)plane, state->z_is_from_zero, distances, state->guard_x, state->guard_y);
            float db = distance(b, (unsigned)plane, state->z_is_from_zero, distances, state->guard_x, state->guard_y);
            if (is_inside(da))
                to[kept++] = *a;
            /* Always computed from the inside out, so that neighbours that share an edge get the same corner. */
            if (is_inside(da) != is_inside(db))
                cross_plane(&to[kept++], is_inside(da) ? a : b, is_inside(da) ? b : a, is_inside(da) ? da : db,
                            is_inside(da) ? db : da);
        }
        struct raster_point *swap = from;
        from = to;
        to = swap;
        count = kept;
        if (count < 3)
            return 0;
    }
    if (from != points)
        memcpy(points, from, count * sizeof(*points));
    return count;
}

unsigned raster_clip_line(const struct raster_state *state, struct raster_point *points, const float (*distances)[3])
{
    uint32_t planes = active_planes(state), crossed = 0;
    for (unsigned i = 0; i < 2; i++)
        crossed |= outside_planes(state, &points[i], planes, distances, state->guard_x, state->guard_y);
    if (is_discarded(state, points, 2, planes, distances))
        return 0;
    bits_foreach (crossed, plane) {
        float d0 =
            distance(&points[0], (unsigned)plane, state->z_is_from_zero, distances, state->guard_x, state->guard_y);
        float d1 =
            distance(&points[1], (unsigned)plane, state->z_is_from_zero, distances, state->guard_x, state->guard_y);
        if (!is_inside(d0) && !is_inside(d1))
            return 0;
        if (is_inside(d0) != is_inside(d1)) {
            unsigned out = is_inside(d0) ? 1 : 0;
            struct raster_point corner;
            cross_plane(&corner, &points[!out], &points[out], out ? d0 : d1, out ? d1 : d0);
            points[out] = corner;
        }
    }
    return 2;
}

/* A point is inside or not; its size does not matter but for the discard limit, which the driver widens by it. */
bool raster_clip_point(const struct raster_state *state, const struct raster_point *point, const float (*distances)[3])
{
    return !outside_planes(state, point, active_planes(state), distances, state->discard_x, state->discard_y);
}
