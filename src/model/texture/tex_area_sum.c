/* From the texels of an area (tex_area.c) to those of a lane's footprint and their weighted sums. A texel of four
 * channels is a vector, and four lanes are as many; weights, products and the order of sums are those of
 * tex_channels.c. */
#include "model/texture/tex_four.h"

/* ---- weights ---- */

TEX_INLINE tex_four fraction(const struct tex_positions *at, unsigned i)
{
    tex_four_i32 value;
    memcpy(&value, at->fraction + i, sizeof(value));
    return __builtin_convertvector(value, tex_four);
}

/* Weights of four lanes, by tap. Constants where it is inlined: is_shared, and slice if it is NULL. */
TEX_INLINE void weigh(tex_four weight[4], const struct tex_footprint *f, bool is_shared, const float *lane,
                      const float *slice, unsigned i)
{
    const tex_four right = fraction(&f->x, i) * (1.0f / 256), left = 1 - right, down = fraction(&f->y, i) * (1.0f / 256),
               up = 1 - down;
    weight[0] = left * up;
    weight[1] = right * up;
    weight[2] = left * down;
    weight[3] = right * down;
    for (unsigned tap = 0; is_shared && tap < 4; tap++)
        weight[tap] = (slice ? weight[tap] * tex_four_load(slice + i) : weight[tap]) * tex_four_load(lane + i);
}

/* ---- one channel ---- */

void tex_area_spread(float (*restrict to)[LANES_MAX], const struct tex_area *restrict a, unsigned lanes)
{
    for (unsigned i = 0; i < lanes; i += 4) {
        tex_four taps[4];
        tex_four_taps(taps, a->one, a->pitch, a->first + i);
        for (unsigned tap = 0; tap < 4; tap++)
            tex_four_store(to[tap] + i, taps[tap]);
    }
}

/* Constants where it is inlined: is_shared, is_compared, function. A weight of zero adds nothing, not even of
 * infinity. */
TEX_INLINE void add_one(float *restrict sum, const struct tex_area *restrict a, const struct tex_footprint *restrict f,
                        const struct tex_share *share, bool is_shared, bool is_compared, unsigned function,
                        unsigned lanes)
{
    const float *restrict const lane = share->lane, *restrict const slice = share->slice ? share->slice : tex_ones;
    const tex_float *restrict const reference = share->reference;
    for (unsigned i = 0; i < lanes; i += 4) {
        tex_four weight[4], taps[4], value = tex_four_load(sum + i), given;
        weigh(weight, f, is_shared, lane, slice, i);
        tex_four_taps(taps, a->one, a->pitch, a->first + i);
        if (is_compared)
            memcpy(&given, reference + i, sizeof(given));
        for (unsigned tap = 0; tap < 4; tap++) {
            if (is_compared)
                value += (tex_four)((tex_four_i32)weight[tap] & tex_four_passes(function, given, taps[tap]));
            else
                value += (tex_four)((tex_four_i32)(weight[tap] * taps[tap]) & (weight[tap] != 0));
        }
        tex_four_store(sum + i, value);
    }
}

void tex_area_add_one(float *sum, const struct tex_area *a, const struct tex_footprint *f,
                      const struct tex_share *share, unsigned lanes)
{
    const bool is_shared = share->lane != tex_ones || share->slice;
    if (!share->reference) {
        if (is_shared)
            add_one(sum, a, f, share, true, false, 0, lanes);
        else
            add_one(sum, a, f, share, false, false, 0, lanes);
        return;
    }
#define COMPARED(function)                                                                                             \
    case function:                                                                                                     \
        if (is_shared)                                                                                                 \
            add_one(sum, a, f, share, true, true, function, lanes);                                                    \
        else                                                                                                           \
            add_one(sum, a, f, share, false, true, function, lanes);                                                   \
        break;
    switch (share->compare) {
        COMPARED(PIXEL_NEVER)
        COMPARED(PIXEL_LESS)
        COMPARED(PIXEL_EQUAL)
        COMPARED(PIXEL_LESS_OR_EQUAL)
        COMPARED(PIXEL_GREATER)
        COMPARED(PIXEL_NOT_EQUAL)
        COMPARED(PIXEL_GREATER_OR_EQUAL)
        COMPARED(PIXEL_ALWAYS)
    }
}

/* Both slices of a volume, the first one before the second. Constants where it is inlined: is_shared, is_finite. */
TEX_INLINE void add_volume(float *restrict sum, const struct tex_area *restrict a,
                           const struct tex_footprint *restrict f, const struct tex_slices *restrict slices,
                           const float *restrict lane, const uint32_t *restrict active, uint32_t last, uint32_t plane,
                           bool is_shared, bool is_finite, unsigned lanes)
{
    for (unsigned i = 0; i < lanes; i += 4) {
        tex_four weight[4], value = tex_four_load(sum + i);
        uint32_t first[2][4];
        weigh(weight, f, false, NULL, NULL, i);
        for (unsigned k = 0; k < 4; k++) {
            const uint32_t here = slices->at[0][i + k], there = slices->at[1][i + k];
            first[0][k] = a->first[i + k];
            first[1][k] = a->first[i + k] +
                          ((((there < last ? there : last) - (here < last ? here : last)) * plane) & active[i + k]);
        }
        for (unsigned second = 0; second < 2; second++) {
            tex_four taps[4];
            tex_four_taps(taps, a->one, a->pitch, first[second]);
            for (unsigned tap = 0; tap < 4; tap++) {
                tex_four share = weight[tap] * tex_four_load(slices->weight[second] + i);
                if (is_shared)
                    share = share * tex_four_load(lane + i);
                value += is_finite ? share * taps[tap] : (tex_four)((tex_four_i32)(share * taps[tap]) & (share != 0));
            }
        }
        tex_four_store(sum + i, value);
    }
}

void tex_area_add_volume(float *sum, const struct tex_area *a, const struct tex_run *r, const struct tex_slices *slices,
                         const float *lane)
{
    const uint32_t last = r->places->slices - 1, plane = a->parts[0].slices > 1 ? a->pitch * a->parts[0].rows : 0;
    const bool is_finite = !tex_may_be_infinite(r->kind);
    const uint32_t *active = r->q->exec_lanes;
    if (lane == tex_ones && is_finite)
        add_volume(sum, a, &r->f, slices, lane, active, last, plane, false, true, r->q->lanes);
    else if (is_finite)
        add_volume(sum, a, &r->f, slices, lane, active, last, plane, true, true, r->q->lanes);
    else
        add_volume(sum, a, &r->f, slices, lane, active, last, plane, true, false, r->q->lanes);
}

/* ---- four channels ---- */

/* The footprints of four lanes to their sums, which are texels. */
TEX_INLINE void add_four(tex_four sum[4], const tex_four weight[4], const struct tex_area *a, unsigned i)
{
    for (unsigned j = 0; j < 4; j++) {
        const float(*const top)[4] = a->four + a->first[i + j], (*const bottom)[4] = top + a->pitch;
        sum[j] += weight[0][j] * tex_four_load(top[0]);
        sum[j] += weight[1][j] * tex_four_load(top[1]);
        sum[j] += weight[2][j] * tex_four_load(bottom[0]);
        sum[j] += weight[3][j] * tex_four_load(bottom[1]);
    }
}

/* Constants where it is inlined: is_shared. */
TEX_INLINE void add_rows(float (*restrict sum)[LANES_MAX], const struct tex_area *restrict a,
                         const struct tex_footprint *restrict f, bool is_shared, const float *restrict lane,
                         const float *restrict slice, unsigned lanes)
{
    for (unsigned i = 0; i < lanes; i += 4) {
        tex_four weight[4], v[4];
        weigh(weight, f, is_shared, lane, slice, i);
        for (unsigned n = 0; n < 4; n++)
            v[n] = tex_four_load(sum[n] + i);
        tex_four_transpose(v);
        add_four(v, weight, a, i);
        tex_four_transpose(v);
        for (unsigned n = 0; n < 4; n++)
            tex_four_store(sum[n] + i, v[n]);
    }
}

void tex_area_add_rows(float (*sum)[LANES_MAX], const struct tex_area *a, const struct tex_footprint *f,
                       const struct tex_share *share, unsigned lanes)
{
    if (share->lane == tex_ones && !share->slice)
        add_rows(sum, a, f, false, NULL, NULL, lanes);
    else if (!share->slice)
        add_rows(sum, a, f, true, share->lane, NULL, lanes);
    else
        add_rows(sum, a, f, true, share->lane, share->slice, lanes);
}

void tex_area_add_texels(float (*sum)[4], const struct tex_area *a, const struct tex_footprint *f,
                         const struct tex_share *share, unsigned lanes)
{
    const float *slice = share->slice ? share->slice : tex_ones;
    for (unsigned i = 0; i < lanes; i += 4) {
        tex_four weight[4], v[4];
        weigh(weight, f, true, share->lane, slice, i);
        for (unsigned j = 0; j < 4; j++)
            v[j] = tex_four_load(sum[i + j]);
        add_four(v, weight, a, i);
        for (unsigned j = 0; j < 4; j++)
            tex_four_store(sum[i + j], v[j]);
    }
}

/* Of four bytes: products of a byte and two weights of 8 bits are whole numbers of 24 bits, and so is their sum. */
TEX_INLINE void sum_bytes(tex_four v[4], const struct tex_area *a, const struct tex_footprint *f, unsigned i)
{
    const tex_four right = fraction(&f->x, i), left = 256 - right, down = fraction(&f->y, i), up = 256 - down;
    const tex_four weight[4] = {left * up, right * up, left * down, right * down};
    for (unsigned j = 0; j < 4; j++) {
        const float(*const top)[4] = a->four + a->first[i + j], (*const bottom)[4] = top + a->pitch;
        v[j] = weight[0][j] * tex_four_load(top[0]);
#if defined(__aarch64__)
        v[j] = vfmaq_n_f32(v[j], tex_four_load(top[1]), weight[1][j]);
        v[j] = vfmaq_n_f32(v[j], tex_four_load(bottom[0]), weight[2][j]);
        v[j] = vfmaq_n_f32(v[j], tex_four_load(bottom[1]), weight[3][j]);
#else
        v[j] += weight[1][j] * tex_four_load(top[1]);
        v[j] += weight[2][j] * tex_four_load(bottom[0]);
        v[j] += weight[3][j] * tex_four_load(bottom[1]);
#endif
    }
    tex_four_transpose(v);
}

void tex_area_add_bytes(float (*restrict sum)[LANES_MAX], const struct tex_area *restrict a,
                        const struct tex_footprint *restrict f, const float *restrict weight, unsigned lanes)
{
    for (unsigned i = 0; i < lanes; i += 4) {
        tex_four v[4];
        sum_bytes(v, a, f, i);
        for (unsigned n = 0; n < 4; n++)
            tex_four_store(sum[n] + i, weight ? tex_four_load(sum[n] + i) + v[n] * tex_four_load(weight + i) : v[n]);
    }
    if (!weight)
        tex_divide_sums(sum, lanes);
}
