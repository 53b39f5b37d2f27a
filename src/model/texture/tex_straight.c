/* The straight way, for hosts with AVX-512: samples of two axes whose lanes all filter alike, from coordinates to results
 * sixteen lanes at a time. Levels and probes are rounds of a loop in which a sum stays in registers. Bits are those of
 * the other ways: weights and sums are made by the same operations in the same order. */
#include "model/texture/tex_run.h"

#if TEX_HAS_WIDE

#include "model/texture/tex_sixteen_channels.h"
#include "util/bits.h"

/* An instruction. */
struct straight {
    struct tex16 s;
    const struct tex_query *q;
    const struct tex_coords *c;
    const struct tex_lod *lod;
    const struct tex_levels *levels;
    unsigned probes;     /* at most; 1: lanes stand where their coordinates are */
    unsigned components; /* that are wanted, a bit each */
    float (*row)[LANES_MAX];
};

/* ---- where probes are ---- */

/* How far along the distance that all probes cover, by the number of a probe and how many there are. */
#define ALONG(n, count) (float)((n) + 1) / (float)((count) + 1) - 0.5f
#define ALONG_8(n, count)                                                                                              \
    ALONG(n, count), ALONG(n, (count) + 1), ALONG(n, (count) + 2), ALONG(n, (count) + 3), ALONG(n, (count) + 4),       \
        ALONG(n, (count) + 5), ALONG(n, (count) + 6), ALONG(n, (count) + 7)
#define ALONG_ROW(n)                                                                                                   \
    {                                                                                                                  \
        ALONG_8(n, 1), ALONG_8(n, 9)                                                                                   \
    }
#define MAX_PROBES 16
static const float along[MAX_PROBES][MAX_PROBES] __attribute__((aligned(64))) = {
    ALONG_ROW(0),  ALONG_ROW(1),  ALONG_ROW(2),  ALONG_ROW(3),  ALONG_ROW(4),  ALONG_ROW(5),
    ALONG_ROW(6),  ALONG_ROW(7),  ALONG_ROW(8),  ALONG_ROW(9),  ALONG_ROW(10), ALONG_ROW(11),
    ALONG_ROW(12), ALONG_ROW(13), ALONG_ROW(14), ALONG_ROW(15),
};

/* Probes of all groups. */
struct probes {
    __m512i count[TEX16_GROUPS];
    __m512 each[TEX16_GROUPS]; /* the weight of one */
};

static void find_probes(struct probes *to, const struct straight *t, const struct tex16_footprints *f)
{
    for (unsigned g = 0; g < f->count; g++) {
        const __m128i count = _mm_loadu_si128((const __m128i *)(const void *)(t->lod->probes + f->lane[g]));
        to->count[g] = _mm512_cvtepu8_epi32(count);
        to->each[g] = _mm512_div_ps(_mm512_set1_ps(1), _mm512_cvtepi32_ps(to->count[g]));
    }
}

TEX_INLINE __m512 stand(const struct straight *t, unsigned axis, unsigned lane, const struct probes *probes, unsigned g,
                        unsigned probe)
{
    const __m512 at = _mm512_loadu_ps((const float *)t->c->at[axis] + lane);
    if (!probes)
        return at;
    const __m512 part =
        _mm512_permutexvar_ps(_mm512_sub_epi32(probes->count[g], _mm512_set1_epi32(1)), _mm512_load_ps(along[probe]));
    return _mm512_add_ps(at, _mm512_mul_ps(_mm512_loadu_ps(t->lod->step[axis] + lane), part));
}

/* ---- which level ---- */

TEX_INLINE struct tex16_level level_at(const struct straight *t, unsigned second, unsigned i)
{
    const uint8_t *level = (second ? t->levels->high : t->levels->low) + i;
    if (t->s.is_same)
        return tex16_spread(&t->s.same[second]);
    return tex16_level_of(&t->s.table, _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)level)));
}

/* Groups that have active lanes. */
TEX_INLINE void find_groups(struct tex16_footprints *f, const struct straight *t)
{
    f->count = 0;
    for (unsigned i = 0; i < t->q->lanes; i += 16) {
        f->lane[f->count] = (uint8_t)i;
        f->active[f->count] = (__mmask16)(t->q->exec >> i);
        f->count += f->active[f->count] != 0;
    }
}

/* Footprints of a probe in one of the two levels, and their words. Constants where it is inlined: element_B, is_pair. */
TEX_INLINE void find_words(struct tex16_footprints *f, const struct straight *t, const struct probes *probes,
                           unsigned probe, unsigned second, unsigned element_B, bool is_pair)
{
    for (unsigned g = 0; g < f->count; g++) {
        const struct tex16_level level = level_at(t, second, f->lane[g]);
        for (unsigned n = 0; n < 2; n++) {
            __m512i fraction;
            f->at[n][g] = tex16_locate(&fraction, &t->s, n, stand(t, n, f->lane[g], probes, g, probe), &level);
            if (is_pair)
                f->fraction[n][g] = fraction;
        }
    }
    for (unsigned g = 0; g < f->count; g++) {
        const struct tex16_level level = level_at(t, second, f->lane[g]);
        tex16_place(f, g, t->s.places, &level, is_pair);
    }
    tex16_load(f, t->s.places, element_B, is_pair);
}

/* ---- four bytes ---- */

/* A component of active lanes, if it is wanted: rows may be registers. */
TEX_INLINE void store(const struct straight *t, const struct tex16_footprints *f, unsigned g, unsigned n, __m512 value)
{
    if (t->components >> n & 1)
        _mm512_mask_storeu_ps(t->row[n] + f->lane[g], f->active[g], value);
}

/* One or two levels of four bytes: each is divided by itself, then mixed. Constants where it is inlined: is_pair. */
TEX_INLINE void sample_bytes(const struct straight *t, bool is_pair)
{
    struct tex16_footprints f;
    __m512 lower[TEX16_GROUPS][4];
    find_groups(&f, t);
    for (unsigned second = 0; second < 1u + t->levels->any_fraction; second++) {
        const bool is_last = second == t->levels->any_fraction;
        find_words(&f, t, NULL, 0, second, 4, is_pair);
        for (unsigned g = 0; g < f.count; g++) {
            struct tex16_texels texels;
            if (is_pair)
                texels = tex16_sum_bytes(&f, g);
            const __m512 part = _mm512_loadu_ps(t->levels->fraction + f.lane[g]),
                         rest = _mm512_sub_ps(_mm512_set1_ps(1), part);
            for (unsigned n = 0; n < 4; n++) {
                __m512 value = is_pair ? tex16_divide_sum(texels.of[n]) : tex16_unorm(tex16_byte_of(f.low[0][g], n), 8);
                if (second)
                    value = _mm512_add_ps(_mm512_mul_ps(lower[g][n], rest), _mm512_mul_ps(value, part));
                if (is_last)
                    store(t, &f, g, n, value);
                else
                    lower[g][n] = value;
            }
        }
    }
}

/* ---- sums ---- */

/* A footprint's part of the sum. Constants where it is inlined: kind, channels, is_pair, and is_shared: whether `share` is
 * not 1 in all lanes. */
TEX_INLINE void add_texels(__m512 sum[4], const struct straight *t, const struct tex16_footprints *f, unsigned g,
                           __m512 share, enum tex_kind kind, unsigned channels, bool is_pair, bool is_shared)
{
    __m512 own[4];
    if (is_pair)
        tex16_find_weights(own, f, g);
    for (unsigned tap = 0; tap < (is_pair ? 4u : 1u); tap++) {
        const __m512 weight = !is_pair ? share : is_shared ? _mm512_mul_ps(own[tap], share) : own[tap];
        const __mmask16 counts =
            tex_may_be_infinite(kind) ? _mm512_cmp_ps_mask(weight, _mm512_setzero_ps(), _CMP_NEQ_UQ) : UINT16_MAX;
        for (unsigned n = 0; n < channels; n++) {
            if (channels == 4 && !(t->components >> n & 1))
                continue;
            const __m512 texel = tex16_channel_of(kind, f->low[tap][g], f->high[tap][g], n),
                         value = is_pair || is_shared ? _mm512_mul_ps(weight, texel) : texel;
            sum[n] = tex_may_be_infinite(kind) ? _mm512_mask_add_ps(sum[n], counts, sum[n], value)
                                               : _mm512_add_ps(sum[n], value);
        }
    }
}

/* The same of four bytes, whose sum is of 24 bits. */
TEX_INLINE void add_bytes(__m512 sum[4], const struct tex16_footprints *f, unsigned g, __m512 share, bool is_pair)
{
    if (is_pair) {
        const struct tex16_texels texels = tex16_sum_bytes(f, g);
        for (unsigned n = 0; n < 4; n++)
            sum[n] = _mm512_add_ps(sum[n], _mm512_mul_ps(texels.of[n], share));
        return;
    }
    const __m512 all = _mm512_mul_ps(share, _mm512_set1_ps(65536));
    for (unsigned n = 0; n < 4; n++)
        sum[n] = _mm512_add_ps(sum[n], _mm512_mul_ps(_mm512_cvtepi32_ps(tex16_byte_of(f->low[0][g], n)), all));
}

/* The weight of a probe in a level. */
TEX_INLINE __m512 share_of(const struct straight *t, const struct probes *probes, unsigned g, unsigned lane,
                           unsigned probe, unsigned second)
{
    const bool is_two = t->levels->any_fraction;
    __m512 share = _mm512_set1_ps(1);
    if (t->probes > 1)
        share = _mm512_maskz_mov_ps(_mm512_cmpgt_epi32_mask(probes->count[g], _mm512_set1_epi32((int32_t)probe)),
                                    probes->each[g]);
    if (!is_two)
        return share;
    const __m512 upper = _mm512_mul_ps(share, _mm512_loadu_ps(t->levels->fraction + lane));
    return second ? upper : _mm512_sub_ps(share, upper);
}

/* All probes in all levels. Constants where it is inlined: kind, channels, element_B, is_pair. */
TEX_INLINE void sample_sums(const struct straight *t, enum tex_kind kind, unsigned channels, unsigned element_B,
                            bool is_pair)
{
    struct tex16_footprints f;
    struct probes probes;
    __m512 sums[TEX16_GROUPS][4];
    find_groups(&f, t);
    if (t->probes > 1)
        find_probes(&probes, t, &f);
    for (unsigned pass = 0; pass < t->probes << t->levels->any_fraction; pass++) {
        const unsigned probe = pass >> t->levels->any_fraction, second = pass & t->levels->any_fraction;
        find_words(&f, t, t->probes > 1 ? &probes : NULL, probe, second, element_B, is_pair);
        for (unsigned g = 0; g < f.count; g++) {
            const __m512 share = share_of(t, &probes, g, f.lane[g], probe, second);
            __m512 sum[4];
            for (unsigned n = 0; n < channels; n++)
                sum[n] = pass ? sums[g][n] : _mm512_setzero_ps();
            if (kind == TEX_KIND_RGBA8)
                add_bytes(sum, &f, g, share, is_pair);
            else
                add_texels(sum, t, &f, g, share, kind, channels, is_pair, true);
            for (unsigned n = 0; n < channels; n++)
                sums[g][n] = sum[n];
        }
    }
    for (unsigned g = 0; g < f.count; g++) {
        for (unsigned n = 0; n < channels; n++)
            store(t, &f, g, n, kind == TEX_KIND_RGBA8 ? tex16_divide_sum(sums[g][n]) : sums[g][n]);
    }
}

/* One probe in one level. Constants where it is inlined: kind, channels, element_B, is_pair. */
TEX_INLINE void sample_alone(const struct straight *t, enum tex_kind kind, unsigned channels, unsigned element_B,
                             bool is_pair)
{
    struct tex16_footprints f;
    find_groups(&f, t);
    find_words(&f, t, NULL, 0, 0, element_B, is_pair);
    for (unsigned g = 0; g < f.count; g++) {
        const __m512 zero = _mm512_setzero_ps();
        __m512 sum[4] = {zero, zero, zero, zero};
        add_texels(sum, t, &f, g, _mm512_set1_ps(1), kind, channels, is_pair, false);
        for (unsigned n = 0; n < channels; n++)
            store(t, &f, g, n, sum[n]);
    }
}

/* ---- one function for each kind ---- */

#define SAMPLER(name, kind, channels, element_B)                                                                       \
    static void name(const struct straight *t, bool is_pair)                                                           \
    {                                                                                                                  \
        const bool is_alone = kind != TEX_KIND_RGBA8 && t->probes == 1 && !t->levels->any_fraction;                    \
        if (is_alone && is_pair)                                                                                       \
            sample_alone(t, kind, channels, element_B, true);                                                          \
        else if (is_alone)                                                                                             \
            sample_alone(t, kind, channels, element_B, false);                                                         \
        else if (is_pair)                                                                                              \
            sample_sums(t, kind, channels, element_B, true);                                                           \
        else                                                                                                           \
            sample_sums(t, kind, channels, element_B, false);                                                          \
    }
SAMPLER(sample_rgba8, TEX_KIND_RGBA8, 4, 4)
SAMPLER(sample_srgb8, TEX_KIND_SRGB8, 4, 4)
SAMPLER(sample_r8, TEX_KIND_R8, 1, 1)
SAMPLER(sample_rg8, TEX_KIND_RG8, 2, 2)
SAMPLER(sample_r16, TEX_KIND_R16, 1, 2)
SAMPLER(sample_rg16, TEX_KIND_RG16, 2, 4)
SAMPLER(sample_d24, TEX_KIND_D24, 1, 4)
SAMPLER(sample_r16f, TEX_KIND_R16F, 1, 2)
SAMPLER(sample_rg16f, TEX_KIND_RG16F, 2, 4)
SAMPLER(sample_r32f, TEX_KIND_R32F, 1, 4)
SAMPLER(sample_rg32f, TEX_KIND_RG32F, 2, 8)
SAMPLER(sample_rgba16, TEX_KIND_RGBA16, 4, 8)
SAMPLER(sample_rgb565, TEX_KIND_RGB565, 4, 2)
SAMPLER(sample_rgb10a2, TEX_KIND_RGB10A2, 4, 4)
SAMPLER(sample_rg11b10f, TEX_KIND_RG11B10F, 4, 4)
SAMPLER(sample_rgba16f, TEX_KIND_RGBA16F, 4, 8)

static void sample_bytes_once(const struct straight *t, bool is_pair)
{
    if (is_pair)
        sample_bytes(t, true);
    else
        sample_bytes(t, false);
}

/* ---- is it the case? ---- */

/* Whether memory has all texels of the levels that active lanes look at, as they are. */
static bool are_levels_plain(const struct straight *t, struct tex_query *q, uint32_t slice)
{
    struct tex_looked own, *looked = tex_look_begin(&own, q);
    uint32_t bits = 0;
    for (unsigned i = 0; i < q->lanes; i++)
        bits |=
            ((1u << t->levels->low[i]) | (t->levels->any_fraction ? 1u << t->levels->high[i] : 0)) & q->exec_lanes[i];
    bits_foreach (bits, level) {
        if (!tex_look_is_plain(looked, t->s.places, q, (unsigned)level, slice))
            return false;
    }
    return true;
}

/* One slice for all active lanes. */
static bool find_slice(uint32_t *slice_out, const struct tex_query *q, const struct tex_coords *c)
{
    const uint32_t first = c->slice[__builtin_ctzll(q->exec)];
    uint32_t other = 0;
    for (unsigned i = 0; !q->is_one_slice && i < q->lanes; i++)
        other |= (c->slice[i] ^ first) & q->exec_lanes[i];
    *slice_out = first;
    return !other;
}

static void set_axis(struct straight *t, unsigned n)
{
    const unsigned wrap = t->s.places->wrap[n];
    const bool repeats = wrap == TEX_REPEAT || wrap == TEX_MIRROR;
    t->s.axis[n] = (struct tex16_axis){
        .repeats = repeats,
        .period = wrap == TEX_MIRROR ? 2 : 1,
        .per_period = wrap == TEX_MIRROR ? 0.5f : 1,
        .least = repeats ? -(TEX_PLACES_OFFSET + 1) : -1,
    };
}

static void set_same(struct tex16_one *to, const struct straight *t, unsigned level, uint32_t slice)
{
    const struct tex_places *p = t->s.places;
    for (unsigned n = 0; n < 2; n++) {
        to->scale[n] = t->q->unnormalized ? 256 : p->scale[n][level];
        to->start[n] = (int32_t)(n ? p->y_start : p->x_start)[level];
        to->most[n] = p->most[n][level];
    }
    to->slice = p->z[level * p->slices + slice];
}

static struct tex16_level level_table(const struct straight *t, uint32_t slice)
{
    const struct tex_places *p = t->s.places;
    const __m512i number = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __mmask16 there = (__mmask16)((2u << t->q->image->last_level) - 1);
    const __m512i at = _mm512_add_epi32(_mm512_mullo_epi32(number, _mm512_set1_epi32((int32_t)p->slices)),
                                        _mm512_set1_epi32((int32_t)slice)),
                  none = _mm512_setzero_si512();
    struct tex16_level to = {
        .slice_xor = _mm512_mask_i32gather_epi32(none, there, at, &p->z->xor_B, sizeof(*p->z)),
        .slice_add = _mm512_mask_i32gather_epi32(none, there, at, &p->z->add_B, sizeof(*p->z)),
    };
    for (unsigned n = 0; n < 2; n++) {
        to.scale[n] = t->q->unnormalized ? _mm512_set1_ps(256) : _mm512_loadu_ps(p->scale[n]);
        to.start[n] = _mm512_loadu_si512(n ? p->y_start : p->x_start);
        to.most[n] = _mm512_loadu_si512(p->most[n]);
    }
    return to;
}

static void set_levels(struct straight *t, uint32_t slice)
{
    t->s.is_same = t->levels->is_same;
    if (!t->s.is_same) {
        t->s.table = level_table(t, slice);
        return;
    }
    set_same(&t->s.same[0], t, t->levels->low[0], slice);
    if (t->levels->any_fraction)
        set_same(&t->s.same[1], t, t->levels->high[0], slice);
}

/* Whether lanes filter, all alike. */
static bool find_filter(bool *is_pair_out, const struct tex_query *q, const struct tex_levels *levels)
{
    const struct tex_sampler *s = q->sampler;
    *is_pair_out = s->min_linear;
    if (s->mag_linear == s->min_linear)
        return true;
    *is_pair_out = levels->linear[__builtin_ctzll(q->exec)];
    return levels->is_same;
}

/* To rows of components. */
static bool sample(float (*rows)[LANES_MAX], const struct tex_plan *plan, struct tex_query *q,
                   const struct tex_coords *c, const struct tex_lod *lod, const struct tex_levels *levels)
{
    static void (*const samplers[TEX_KIND_CODEC])(const struct straight *, bool) = {
        [TEX_KIND_RGBA8] = sample_rgba8,       [TEX_KIND_SRGB8] = sample_srgb8,   [TEX_KIND_R8] = sample_r8,
        [TEX_KIND_RG8] = sample_rg8,           [TEX_KIND_R16] = sample_r16,       [TEX_KIND_RG16] = sample_rg16,
        [TEX_KIND_RGBA16] = sample_rgba16,     [TEX_KIND_RGB565] = sample_rgb565, [TEX_KIND_RGB10A2] = sample_rgb10a2,
        [TEX_KIND_D24] = sample_d24,           [TEX_KIND_R16F] = sample_r16f,     [TEX_KIND_RG16F] = sample_rg16f,
        [TEX_KIND_RG11B10F] = sample_rg11b10f, [TEX_KIND_R32F] = sample_r32f,     [TEX_KIND_RG32F] = sample_rg32f,
        [TEX_KIND_RGBA16F] = sample_rgba16f,
    };
    struct straight t;
    const enum tex_kind kind = plan->kind;
    bool is_pair;
    uint32_t slice;
    if (!samplers[kind] || q->offset[0] || q->offset[1] || !q->exec || levels->any_cubic ||
        lod->max_probes > MAX_PROBES || !find_filter(&is_pair, q, levels) || !find_slice(&slice, q, c))
        return false;
    t.s.places = tex_places_get(q);
    if (!t.s.places || !plan->axes || (t.s.places->element_B < 4 && (uintptr_t)t.s.places->host % 4))
        return false;
    t.q = q;
    t.c = c;
    t.lod = lod;
    t.levels = levels;
    t.probes = lod->max_probes;
    t.row = rows;
    slice = MIN2(slice, t.s.places->slices - 1);
    if (q->image->piece_log2 && !are_levels_plain(&t, q, slice))
        return false;
    const bool is_once = kind == TEX_KIND_RGBA8 && lod->max_probes == 1;
    t.s.down = !is_pair ? 0 : is_once ? 127.5f : 128;
    t.s.up = is_pair ? (is_once ? 0 : 0.5f) : q->sampler->trunc ? 0 : 0.5f;
    t.components = tex_wanted_components(q);
    set_axis(&t, 0);
    set_axis(&t, 1);
    set_levels(&t, slice);
    (is_once ? sample_bytes_once : samplers[kind])(&t, is_pair);
    return true;
}

bool tex_straight_sample(struct tex_result *out, const struct tex_plan *plan, struct tex_query *q,
                         const struct tex_coords *c, const struct tex_lod *lod, const struct tex_levels *levels)
{
    if (!sample(out->value, plan, q, c, lod, levels))
        return false;
    tex_order_rows(out, q->image, tex_kind_channels(plan->kind));
    return true;
}

bool tex_sample_into(float (*rows)[LANES_MAX], struct tex_query *q, const struct tex_coords *c,
                     const struct tex_lod *lod, const struct tex_levels *levels)
{
    const struct tex_plan *plan = tex_plan_get(q);
    return plan && plan->is_straight && tex_wanted_components(q) < 1u << tex_kind_channels(plan->kind) &&
           sample(rows, plan, q, c, lod, levels);
}

#else

bool tex_sample_into(float (*rows)[LANES_MAX], struct tex_query *q, const struct tex_coords *c,
                     const struct tex_lod *lod, const struct tex_levels *levels)
{
    return false;
}

#endif
