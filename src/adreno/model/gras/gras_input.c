/* The registers of a fragment wave at its start, and the inputs of bary.f and flat.b. Lane 4 * q + p is pixel p of
 * quad q: (0, 0), (1, 0), (0, 1), (1, 1). */
#include <string.h>

#include "adreno/model/gras/gras_join.h"
#include "util/bits.h"
#include "util/half.h"

typedef float float4 __attribute__((vector_size(16)));
typedef uint32_t uint4 __attribute__((vector_size(16)));

/* The quads of a wave with the place in each pixel where something is evaluated, from the primitive's origin. */
struct places {
    float4 x[GRAS_WAVE_QUADS], y[GRAS_WAVE_QUADS];
};

static inline float4 splat_value(float value)
{
    return (float4){value, value, value, value};
}

static inline float4 at_plane(const struct raster_plane *plane, float4 x, float4 y)
{
    return splat_value(plane->at) + splat_value(plane->dx) * x + splat_value(plane->dy) * y;
}

static inline void store_quad(uint32_t *row, uint32_t quad, float4 value)
{
    memcpy(row + quad * 4, &value, sizeof(value));
}

enum where {
    AT_CENTER,
    AT_CENTROID,
    AT_SAMPLE,
};

/* A pixel's centre if it is wholly covered; else the first covered sample. */
static unsigned centroid_sample(const struct raster_coverage *coverage, const struct raster_quad *quad, unsigned pixel,
                                bool *is_center)
{
    uint32_t covered = quad->coverage >> pixel * 8 & 0xff;
    *is_center = !covered || covered == bits_mask(coverage->samples) || coverage->samples == 1;
    return *is_center ? 0 : (unsigned)__builtin_ctz(covered);
}

static void find_places(const struct gras_shading *shading, enum where where, struct places *places)
{
    const struct raster_coverage *coverage = shading->coverage;
    for (uint32_t q = 0; q < shading->wave_quad_count; q++) {
        const struct raster_quad *quad = &shading->wave_quads[q];
        float4 x = splat_value(0.5f), y = splat_value(0.5f);
        for (unsigned p = 0; p < 4 && where != AT_CENTER && coverage->samples > 1; p++) {
            bool is_center = false;
            unsigned s = where == AT_SAMPLE ? quad->iteration : centroid_sample(coverage, quad, p, &is_center);
            if (is_center)
                continue;
            x[p] = (float)coverage->x[p][s] / RASTER_LOCATION_ONE;
            y[p] = (float)coverage->y[p][s] / RASTER_LOCATION_ONE;
        }
        places->x[q] = splat_value((float)quad->x) + (float4){0, 1, 0, 1} + x - splat_value(quad->prim->origin_x);
        places->y[q] = splat_value((float)quad->y) + (float4){0, 0, 1, 1} + y - splat_value(quad->prim->origin_y);
    }
}

static void load_ij(const struct gras_shading *shading, const struct places *places, bool is_linear, uint32_t *i_row,
                    uint32_t *j_row)
{
    uint32_t q = 0;
    for (uint32_t run = 0; run < shading->run_count; run++) {
        const struct raster_prim *prim = shading->runs[run].prim;
        const bool divides = !is_linear && !prim->is_linear;
        const struct raster_plane i = divides ? prim->iw : prim->i, j = divides ? prim->jw : prim->j, w = prim->w;
        for (; q < shading->runs[run].end; q++) {
            float4 x = places->x[q], y = places->y[q], at_i = at_plane(&i, x, y), at_j = at_plane(&j, x, y);
            if (divides) {
                float4 depth = 1.0f / at_plane(&w, x, y);
                at_i *= depth;
                at_j *= depth;
            }
            store_quad(i_row, q, at_i);
            store_quad(j_row, q, at_j);
        }
    }
}

void adreno_gras_load_center(const struct gras_shading *shading, uint32_t *i_row, uint32_t *j_row)
{
    struct places places;
    find_places(shading, AT_CENTER, &places);
    load_ij(shading, &places, false, i_row, j_row);
}

/* Pixels are integers with 4 bits below the point. */
static void load_xy(const struct gras_shading *shading, uint32_t *x_row, uint32_t *y_row)
{
    const struct raster_coverage *coverage = shading->coverage;
    for (uint32_t lane = 0; lane < shading->wave_quad_count * 4; lane++) {
        const struct raster_quad *quad = &shading->wave_quads[lane / 4];
        const unsigned p = lane & 3;
        const bool at_sample = shading->state->coord_at_sample && coverage->samples > 1;
        uint32_t x = at_sample ? coverage->x[p][quad->iteration] * 16u / RASTER_LOCATION_ONE : 8;
        uint32_t y = at_sample ? coverage->y[p][quad->iteration] * 16u / RASTER_LOCATION_ONE : 8;
        x_row[lane] = (quad->x + (p & 1)) * 16u + x;
        y_row[lane] = (quad->y + (p >> 1)) * 16u + y;
    }
}

static void load_zw(const struct gras_shading *shading, const struct places *places, uint32_t *z_row, uint32_t *w_row)
{
    for (uint32_t q = 0; q < shading->wave_quad_count; q++) {
        const struct raster_prim *prim = shading->wave_quads[q].prim;
        if (z_row)
            store_quad(z_row, q, at_plane(&prim->z, places->x[q], places->y[q]));
        store_quad(w_row, q, at_plane(&prim->w, places->x[q], places->y[q]));
    }
}

static uint32_t face_of(const struct gras_shading *shading, const struct raster_quad *quad, unsigned pixel)
{
    return quad->prim->is_back ? UINT32_MAX : 0;
}

static uint32_t sample_of(const struct gras_shading *shading, const struct raster_quad *quad, unsigned pixel)
{
    return quad->iteration;
}

static uint32_t mask_of(const struct gras_shading *shading, const struct raster_quad *quad, unsigned pixel)
{
    uint32_t mask = (shading->state->mask_after_depth ? quad->mask : quad->coverage) >> pixel * 8 & 0xff;
    return shading->coverage->iterations > 1 ? mask & 1u << quad->iteration : mask;
}

static void load_word(const struct gras_shading *shading, struct adreno_wave *wave, uint8_t reg, bool is_half,
                      uint32_t (*word)(const struct gras_shading *, const struct raster_quad *, unsigned))
{
    uint32_t row[ADRENO_WAVE_LANES_MAX] = {0};
    if (reg >= ADRENO_NO_REG)
        return;
    for (uint32_t lane = 0; lane < shading->wave_quad_count * 4; lane++)
        row[lane] = word(shading, &shading->wave_quads[lane / 4], lane & 3);
    adreno_wave_write(wave, reg, is_half, row);
}

static uint32_t *input_row(struct adreno_wave *wave, unsigned reg)
{
    adreno_wave_has_input(wave, reg, false);
    return adreno_wave_row(wave, reg);
}

static bool has_ij(const struct gras_state *state, enum gras_ij persp, enum gras_ij linear)
{
    return state->ij_reg[persp] < ADRENO_NO_REG || state->ij_reg[linear] < ADRENO_NO_REG;
}

static void load_pair(const struct gras_shading *shading, struct adreno_wave *wave, enum where where,
                      enum gras_ij persp, enum gras_ij linear, struct places *places)
{
    const struct gras_state *state = shading->state;
    if (!has_ij(state, persp, linear))
        return;
    find_places(shading, where, places);
    for (unsigned is_linear = 0; is_linear < 2; is_linear++) {
        unsigned reg = state->ij_reg[is_linear ? linear : persp];
        if (reg < ADRENO_NO_REG)
            load_ij(shading, places, is_linear, input_row(wave, reg), input_row(wave, reg + 1));
    }
}

void adreno_gras_load_inputs(struct gras_shading *shading, struct adreno_wave *wave)
{
    const struct gras_state *state = shading->state;
    struct places places;
    load_pair(shading, wave, AT_CENTROID, GRAS_IJ_PERSP_CENTROID, GRAS_IJ_LINEAR_CENTROID, &places);
    load_pair(shading, wave, AT_SAMPLE, GRAS_IJ_PERSP_SAMPLE, GRAS_IJ_LINEAR_SAMPLE, &places);
    load_pair(shading, wave, AT_CENTER, GRAS_IJ_PERSP_PIXEL, GRAS_IJ_LINEAR_PIXEL, &places);
    if (state->center_rhw_reg < ADRENO_NO_REG) {
        find_places(shading, AT_CENTER, &places);
        load_zw(shading, &places, NULL, input_row(wave, state->center_rhw_reg));
    }
    if (state->xy_reg < ADRENO_NO_REG)
        load_xy(shading, input_row(wave, state->xy_reg), input_row(wave, state->xy_reg + 1));
    if (state->zw_reg < ADRENO_NO_REG) {
        find_places(shading, state->coord_at_sample ? AT_SAMPLE : AT_CENTER, &places);
        load_zw(shading, &places, input_row(wave, state->zw_reg), input_row(wave, state->zw_reg + 1));
    }
    load_word(shading, wave, state->face_reg, true, face_of);
    load_word(shading, wave, state->sample_id_reg, true, sample_of);
    load_word(shading, wave, state->sample_mask_reg, false, mask_of);
}

/* ---- varyings ---- */

/* A component as `at + di * i + dj * j` over one primitive. */
struct slope {
    float at, di, dj;
};

static struct slope smooth_slope(const struct raster_prim *prim, uint32_t location)
{
    float first = prim->params[0][location];
    return (struct slope){first, prim->params[1][location] - first, prim->params[2][location] - first};
}

/* A rectangle of two corners has no third one: what is not replaced goes along x. */
static struct slope sprite_slope(const struct gras_state *state, const struct raster_prim *prim, uint32_t location,
                                 enum vpc_source source)
{
    if (prim->is_point) {
        return source == VPC_SPRITE_S   ? (struct slope){0, 1, 0}
               : source == VPC_SPRITE_T ? (struct slope){0, 0, 1}
                                        : (struct slope){1, 0, -1};
    }
    struct slope slope = smooth_slope(prim, location);
    if (state->is_rect && source == VPC_SPRITE_S)
        slope.dj = 0;
    if (state->is_rect && source != VPC_SPRITE_S)
        slope.di = 0;
    return slope;
}

static struct slope slope_of(const struct gras_state *state, const struct raster_prim *prim, uint32_t location)
{
    enum vpc_source source = location < VPC_VARYINGS ? state->vpc->sources[location] : VPC_ZERO;
    switch (source) {
    case VPC_PRIM_ID:
        return (struct slope){.at = prim->own[VPC_OWN_PRIM_ID]};
    case VPC_VIEW_ID:
        return (struct slope){.at = prim->own[VPC_OWN_VIEW_ID]};
    case VPC_ONE:
        return (struct slope){.at = 1};
    case VPC_ZERO:
        return (struct slope){0};
    case VPC_SPRITE_S:
    case VPC_SPRITE_T:
    case VPC_SPRITE_T_DOWN:
        if (prim->is_point || location < state->vpc->record_dw)
            return sprite_slope(state, prim, location, source);
        return (struct slope){0};
    default:
        break;
    }
    if (location >= state->vpc->record_dw)
        return (struct slope){0};
    if (source == VPC_FLAT)
        return (struct slope){.at = prim->flat[location]};
    struct slope slope = smooth_slope(prim, location);
    if (state->is_rect)
        slope.dj = 0;
    return slope;
}

bool adreno_gras_is_constant(const uint8_t *sources, uint32_t location)
{
    switch (location < VPC_VARYINGS ? sources[location] : VPC_ZERO) {
    case VPC_SMOOTH:
    case VPC_SPRITE_S:
    case VPC_SPRITE_T:
    case VPC_SPRITE_T_DOWN:
        return false;
    default:
        return true;
    }
}

void adreno_gras_varying(const struct gras_state *state, const struct raster_prim *prim, uint32_t location,
                         bool is_flat, uint32_t values_out[3])
{
    if (is_flat && location < state->vpc->record_dw && !adreno_gras_is_constant(state->vpc->sources, location)) {
        values_out[0] = float_bits(prim->flat[location]);
        return;
    }
    const struct slope slope = slope_of(state, prim, location);
    const bool is_one = adreno_gras_is_constant(state->vpc->sources, location);
    values_out[0] = float_bits(slope.at);
    values_out[1] = is_one ? 0 : float_bits(slope.di);
    values_out[2] = is_one ? 0 : float_bits(slope.dj);
}

static void splat_runs(const struct gras_shading *shading, uint32_t location, bool is_flat, uint32_t *row)
{
    const struct gras_state *state = shading->state;
    uint32_t q = 0;
    for (uint32_t run = 0; run < shading->run_count; run++) {
        const struct raster_prim *prim = shading->runs[run].prim;
        uint32_t value =
            is_flat && location < state->vpc->record_dw && !adreno_gras_is_constant(state->vpc->sources, location)
                ? float_bits(prim->flat[location])
                : float_bits(slope_of(state, prim, location).at);
        const uint4 four = {value, value, value, value};
        for (; q < shading->runs[run].end; q++)
            memcpy(row + q * 4, &four, sizeof(four));
    }
}

/* A row of all the wave's quads where all of them are asked for; else a row beside it, of which keep_lanes takes
 * some. */
static uint32_t *row_for(const struct gras_shading *shading, struct lane_mask lanes, uint32_t *row_out,
                         uint32_t *beside)
{
    return lane_mask_equal(lanes, lane_mask_first(shading->wave_quad_count * 4)) ? row_out : beside;
}

static void keep_lanes(const uint32_t *row, struct lane_mask lanes, uint32_t *row_out)
{
    if (row == row_out)
        return;
    lane_mask_foreach(lanes, lane)
    {
        row_out[lane] = row[lane];
    }
}

/* Of one primitive: loops that are long enough for whole vectors. */
static void interpolate_one(const struct slope *slope, const float *restrict i, const float *restrict j,
                            uint32_t *restrict row, uint32_t lanes)
{
    for (uint32_t lane = 0; lane < lanes; lane++)
        row[lane] = float_bits(slope->at + slope->di * i[lane] + slope->dj * j[lane]);
}

static void interpolate(struct adreno_wave *wave, uint32_t location, const float *i, const float *j, uint32_t *row_out,
                        struct lane_mask lanes)
{
    const struct gras_shading *shading = wave->user;
    uint32_t beside[ADRENO_WAVE_LANES_MAX], *row = row_for(shading, lanes, row_out, beside), q = 0;
    if (adreno_gras_is_constant(shading->state->vpc->sources, location)) {
        splat_runs(shading, location, false, row);
        keep_lanes(row, lanes, row_out);
        return;
    }
    for (uint32_t run = 0; run < shading->run_count; run++) {
        const struct slope slope = slope_of(shading->state, shading->runs[run].prim, location);
        if (shading->run_count == 1 && row != (const uint32_t *)i && row != (const uint32_t *)j) {
            interpolate_one(&slope, i, j, row, shading->runs[run].end * 4);
            break;
        }
        for (; q < shading->runs[run].end; q++) {
            float4 at_i, at_j;
            memcpy(&at_i, i + q * 4, sizeof(at_i));
            memcpy(&at_j, j + q * 4, sizeof(at_j));
            store_quad(row, q, splat_value(slope.at) + splat_value(slope.di) * at_i + splat_value(slope.dj) * at_j);
        }
    }
    keep_lanes(row, lanes, row_out);
}

static void flat(struct adreno_wave *wave, uint32_t location, uint32_t *row_out, struct lane_mask lanes)
{
    uint32_t beside[ADRENO_WAVE_LANES_MAX], *row = row_for(wave->user, lanes, row_out, beside);
    splat_runs(wave->user, location, true, row);
    keep_lanes(row, lanes, row_out);
}

const struct adreno_wave_hooks adreno_gras_hooks = {
    .interpolate = interpolate,
    .flat = flat,
};
