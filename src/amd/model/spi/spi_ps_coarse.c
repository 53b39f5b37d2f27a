/* Waves of coarse pixels. A lane is a coarse pixel, four of them are a quad as ever, and what a shader computes with
 * are their places: so derivatives are steps of coarse pixels. Coverage, depth and colour are those of the targets'
 * pixels, of which a coarse quad has up to four quads, here called its parts. */
#include <string.h>

#include "amd/model/spi/spi_ps_input.h"
#include "util/bits.h"

/* Where depth is too far left, in coarse pixels that are two wide, by so much of a pixel: drivers know, and go back by
 * a sixteenth of the derivative. */
#define Z_IS_LEFT 0.125f

const char *amd_spi_ps_set_coarse(struct spi_ps_state *state)
{
    const uint32_t of_samples = 1u << INPUT_PERSP_SAMPLE | 1u << INPUT_LINEAR_SAMPLE;
    if (state->ena & state->addr & of_samples || state->position_at_sample)
        return "the places of samples in coarse pixels (SPI_PS_INPUT_ENA, SPI_BARYC_CNTL)";
    state->is_coarse = true;
    state->key.hash = 0; /* no joined programs */
    return NULL;
}

/* ---- from quads of pixels to quads of coarse pixels ---- */

/* HTILE has a rate for each block of 8 by 8 pixels. */
void amd_spi_ps_put_together(struct spi_ps *ps, const struct sc_rates *rates, struct raster_quad *quads, uint32_t count,
                             const struct raster_tile *tile)
{
    const struct db_state *db = ps->db.state;
    sc_rate of_block[64] = {0};
    uint64_t touched = 0;
    if (!count)
        return;
    const struct raster_prim *prim = quads->prim;
    const uint32_t slice = MIN2(db->slice_start + prim->layer, db->slice_max);
    const sc_rate of_prim = amd_sc_rate_of_prim(rates, prim);
    for (uint32_t i = 0; i < count; i++)
        touched |= 1ull << ((quads[i].y >> 3 & 7) * 8 + (quads[i].x >> 3 & 7));
    bits_foreach (touched, b) {
        sc_rate found = 0;
        if (db->htile_has_rates && !amd_db_htile_rate(&ps->db, (uint32_t)tile->x + (uint32_t)b % 8 * 8,
                                                      (uint32_t)tile->y + (uint32_t)b / 8 * 8, slice, &found))
            found = 0; /* a fault, which db has */
        of_block[b] = amd_sc_rate_in_block(rates, of_prim, found);
    }
    amd_sc_rate_quads(quads, count, of_block);
}

uint32_t amd_spi_ps_count_coarse(const struct raster_quad *quads, uint32_t count, uint32_t max)
{
    uint32_t whole = 0;
    for (uint32_t i = 0; i < count; i++) {
        whole += !quads[i].goes_on;
        if (whole > max)
            return i;
    }
    return count;
}

/* The coarse pixel of its quad that a pixel of a part lies in. */
static unsigned coarse_pixel(const struct raster_quad *whole, const struct raster_quad *part, unsigned pixel)
{
    const unsigned x = part->x + (pixel & 1) - whole->x, y = part->y + (pixel >> 1) - whole->y;
    return x >> sc_rate_x(whole->rate) | y >> sc_rate_y(whole->rate) << 1;
}

static void add_part(struct raster_quad *whole, const struct raster_quad *part)
{
    for (unsigned p = 0; p < 4; p++) {
        const unsigned to = coarse_pixel(whole, part, p) * 8, from = p * 8;
        whole->mask |= (part->mask >> from & 0xff) << to;
        whole->coverage |= (part->coverage >> from & 0xff) << to;
    }
}

void amd_spi_ps_set_coarse_wave(struct spi_ps *ps, struct raster_quad *quads, uint32_t count)
{
    uint32_t whole = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!quads[i].goes_on) {
            ps->coarse[whole] = quads[i];
            ps->coarse[whole].x = (uint16_t)(quads[i].x & ~((2u << sc_rate_x(quads[i].rate)) - 1));
            ps->coarse[whole].y = (uint16_t)(quads[i].y & ~((2u << sc_rate_y(quads[i].rate)) - 1));
            ps->coarse[whole].mask = ps->coarse[whole].coverage = 0;
            whole++;
        }
        ps->whole_of[i] = (uint8_t)(whole - 1);
        add_part(&ps->coarse[whole - 1], &quads[i]);
    }
    ps->parts = quads;
    ps->part_count = count;
    amd_spi_ps_set_wave(ps, ps->coarse, whole);
}

/* ---- VGPRs ---- */

/* A place on the screen for each lane. */
struct places {
    float x[LANES_MAX], y[LANES_MAX];
};

static float eval_plane(const struct raster_plane *plane, float x, float y)
{
    return plane->at + plane->dx * x + plane->dy * y;
}

static float width_of(const struct raster_quad *quad)
{
    return (float)(1u << sc_rate_x(quad->rate));
}

static float height_of(const struct raster_quad *quad)
{
    return (float)(1u << sc_rate_y(quad->rate));
}

static void find_corners(const struct spi_ps *ps, struct places *places)
{
    for (uint32_t lane = 0; lane < ps->quad_count * 4; lane++) {
        const struct raster_quad *quad = &ps->quads[lane / 4];
        places->x[lane] = (float)quad->x + (float)(lane & 1) * width_of(quad);
        places->y[lane] = (float)quad->y + (float)(lane >> 1 & 1) * height_of(quad);
    }
}

static void find_centers(const struct spi_ps *ps, struct places *places)
{
    find_corners(ps, places);
    for (uint32_t lane = 0; lane < ps->quad_count * 4; lane++) {
        places->x[lane] += width_of(&ps->quads[lane / 4]) / 2;
        places->y[lane] += height_of(&ps->quads[lane / 4]) / 2;
    }
}

/* The first covered sample of a pixel in the order of the registers. */
static unsigned first_sample(const struct raster_coverage *sc, uint8_t covered)
{
    for (unsigned i = 0; i < sc->samples; i++) {
        if (covered >> sc->centroid_order[i] & 1)
            return sc->centroid_order[i];
    }
    return (unsigned)__builtin_ctz(covered);
}

/* The centre where all samples of all pixels are covered, or none is; else a covered sample. */
static void find_centroids(const struct spi_ps *ps, struct places *places)
{
    const struct raster_coverage *sc = ps->sc;
    const unsigned all = (unsigned)bits_mask(sc->samples);
    uint8_t covered_pixels[LANES_MAX] = {0};
    bool is_found[LANES_MAX] = {false};
    struct places centers;
    find_centers(ps, &centers);
    *places = centers;
    for (uint32_t i = 0; i < ps->part_count; i++) {
        const struct raster_quad *part = &ps->parts[i];
        for (unsigned p = 0; p < 4; p++) {
            const unsigned lane = ps->whole_of[i] * 4u + coarse_pixel(&ps->coarse[ps->whole_of[i]], part, p);
            const uint8_t covered = (uint8_t)(part->coverage >> p * 8);
            covered_pixels[lane] += (covered & all) == all;
            if (is_found[lane] || !covered)
                continue;
            const unsigned s = sc->samples == 1 ? 0 : first_sample(sc, covered);
            places->x[lane] = (float)(part->x + (p & 1)) + sc->x[p][s] / (float)RASTER_LOCATION_ONE;
            places->y[lane] = (float)(part->y + (p >> 1)) + sc->y[p][s] / (float)RASTER_LOCATION_ONE;
            is_found[lane] = true;
        }
    }
    for (uint32_t lane = 0; lane < ps->quad_count * 4; lane++) {
        const sc_rate rate = ps->quads[lane / 4].rate;
        if (covered_pixels[lane] == 1u << (sc_rate_x(rate) + sc_rate_y(rate)) &&
            (sc->centroid_is_center || sc->samples == 1)) {
            places->x[lane] = centers.x[lane];
            places->y[lane] = centers.y[lane];
        }
    }
}

static void load_barycentrics(const struct spi_ps *ps, const struct places *places, bool linear, uint32_t *i_row,
                              uint32_t *j_row)
{
    for (uint32_t lane = 0; lane < ps->quad_count * 4; lane++) {
        const struct raster_prim *prim = ps->quads[lane / 4].prim;
        const float x = places->x[lane] - prim->origin_x, y = places->y[lane] - prim->origin_y;
        if (linear || prim->is_linear) {
            i_row[lane] = float_bits(eval_plane(&prim->i, x, y));
            j_row[lane] = float_bits(eval_plane(&prim->j, x, y));
            continue;
        }
        const float depth = 1.0f / eval_plane(&prim->w, x, y);
        i_row[lane] = float_bits(eval_plane(&prim->iw, x, y) * depth);
        j_row[lane] = float_bits(eval_plane(&prim->jw, x, y) * depth);
    }
}

static void load_pull(const struct spi_ps *ps, const struct places *places, uint32_t *rows, uint32_t lanes)
{
    for (uint32_t lane = 0; lane < ps->quad_count * 4; lane++) {
        const struct raster_prim *prim = ps->quads[lane / 4].prim;
        const float x = places->x[lane] - prim->origin_x, y = places->y[lane] - prim->origin_y;
        rows[lane] = float_bits(eval_plane(&prim->iw, x, y));
        rows[lanes + lane] = float_bits(eval_plane(&prim->jw, x, y));
        rows[2 * lanes + lane] = float_bits(eval_plane(&prim->w, x, y));
    }
}

static uint32_t word_of(const struct spi_ps *ps, enum input input, const struct places *places, uint32_t lane)
{
    const struct raster_quad *quad = &ps->quads[lane / 4];
    const struct raster_prim *prim = quad->prim;
    const float x = places->x[lane] - prim->origin_x, y = places->y[lane] - prim->origin_y;
    switch (input) {
    case INPUT_POS_X:
        return float_bits(places->x[lane]);
    case INPUT_POS_Y:
        return float_bits(places->y[lane]);
    case INPUT_POS_Z:
        return float_bits(eval_plane(&prim->z, sc_rate_x(quad->rate) ? x - Z_IS_LEFT : x, y));
    case INPUT_POS_W:
        return float_bits(1.0f / eval_plane(&prim->w, x, y));
    case INPUT_FRONT_FACE:
        return ps->state->front_all_bits ? prim->is_back ? 0 : UINT32_MAX : float_bits(prim->is_back ? -1.0f : 1.0f);
    case INPUT_ANCILLARY: /* rate [5:2], layer [28:16] */
        return (uint32_t)quad->rate << 2 | (uint32_t)(prim->layer & 0x1fff) << 16;
    case INPUT_SAMPLE_COVERAGE: /* samples that any of the pixels has */
        return (ps->state->coverage_behind_depth ? quad->mask : quad->coverage) >> (lane & 3) * 8 & 0xff;
    default: /* INPUT_POS_FIXED: the first pixel */
        return (uint32_t)places->x[lane] | (uint32_t)places->y[lane] << 16;
    }
}

static void load_input(const struct spi_ps *ps, enum input input, uint32_t *rows, uint32_t lanes)
{
    struct places places;
    const bool is_centroid = input == INPUT_PERSP_CENTROID || input == INPUT_LINEAR_CENTROID,
               is_position = input == INPUT_POS_X || input == INPUT_POS_Y;
    if (is_centroid)
        find_centroids(ps, &places);
    else if (input == INPUT_POS_FIXED || (is_position && ps->state->position_at_corner))
        find_corners(ps, &places);
    else
        find_centers(ps, &places);
    if (input == INPUT_PERSP_PULL) {
        load_pull(ps, &places, rows, lanes);
    } else if (input < INPUT_LINE_STIPPLE) {
        load_barycentrics(ps, &places, input >= INPUT_LINEAR_SAMPLE, rows, rows + lanes);
    } else {
        for (uint32_t lane = 0; lane < ps->quad_count * 4; lane++)
            rows[lane] = word_of(ps, input, &places, lane);
    }
}

void amd_spi_ps_load_coarse(const struct spi_ps *ps, struct sq_wave *wave)
{
    uint32_t *row = wave->vgpr;
    bits_foreach (ps->state->addr &bits_mask(INPUT_COUNT), input) {
        if (ps->state->ena >> input & 1 && input != INPUT_LINE_STIPPLE)
            load_input(ps, (enum input)input, row, wave->lanes);
        row += amd_spi_ps_input_rows[input] * wave->lanes;
    }
}

/* ---- after the shader ---- */

/* So many parts at a time: fewer than make a block of 8 by 8 pixels, which must be in order where it is written. */
#define CHUNK 12

/* The lanes of the wave that the pixels of some parts are shaded by. */
static void find_lanes(const struct spi_ps *ps, uint32_t first, uint32_t count, uint8_t *lanes)
{
    for (uint32_t i = 0; i < count * 4; i++) {
        const unsigned whole = ps->whole_of[first + i / 4];
        lanes[i] = (uint8_t)(whole * 4 + coarse_pixel(&ps->coarse[whole], &ps->parts[first + i / 4], i & 3));
    }
}

static void cut_parts(struct spi_ps *ps, uint32_t first, uint32_t count, const uint8_t *lanes,
                      const union pixel_colors *alphas)
{
    for (uint32_t i = 0; i < count * 4; i++) {
        const unsigned lane = lanes[i], pixel = i & 3;
        uint8_t keep = ps->has_valid && !(ps->valid >> lane & 1) ? 0 : 0xff;
        if (alphas)
            keep &= amd_spi_ps_alpha_mask(ps, alphas->f[3][lane], pixel);
        ps->parts[first + i / 4].mask &= ~((uint32_t)(uint8_t)~keep << pixel * 8);
    }
}

static void spread_exports(const struct spi_ps *ps, uint32_t count, const uint8_t *lanes, struct cb_exports *out)
{
    out->valid = ps->exports.valid;
    bits_foreach (ps->exports.valid, t) {
        for (unsigned c = 0; c < 4; c++) {
            memset(out->rows[t][c], 0, sizeof(out->rows[t][c]));
            for (uint32_t i = 0; i < count * 4; i++)
                out->rows[t][c][i] = ps->exports.rows[t][c][lanes[i]];
        }
    }
}

void amd_spi_ps_end_coarse(struct spi_ps *ps)
{
    const bool has_alpha = ps->state->alpha_to_mask && (ps->exports.valid & 1);
    union pixel_colors alphas;
    struct cb_exports exports;
    if (has_alpha)
        amd_cb_convert(&ps->cb.state->targets[0], ps->exports.rows[0], &alphas);
    for (uint32_t first = 0; first < ps->part_count; first += CHUNK) {
        const uint32_t count = MIN2(ps->part_count - first, (uint32_t)CHUNK);
        uint8_t lanes[CHUNK * 4];
        find_lanes(ps, first, count, lanes);
        cut_parts(ps, first, count, lanes, has_alpha ? &alphas : NULL);
        if (!ps->db.state->early)
            amd_db_test_quads(&ps->db, ps->parts + first, count);
        if (!ps->exports.valid)
            continue;
        spread_exports(ps, count, lanes, &exports);
        amd_cb_write(&ps->cb, &exports, ps->parts + first, count);
    }
}
