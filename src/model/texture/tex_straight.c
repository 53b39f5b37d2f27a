/* The straight way, for hosts with AVX-512: samples of two axes whose lanes all filter alike, from coordinates to results
 * sixteen lanes at a time. Levels and probes are rounds of a loop in which a sum stays in registers. Bits are those of
 * the other ways: weights and sums are made by the same operations in the same order. */
#include "model/texture/tex_run.h"

#if TEX_HAS_WIDE

#include "model/texture/tex_sixteen.h"
#include "util/bits.h"
#include "util/format/channel.h"

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
        for (unsigned n = 0; n < 2; n++)
            f->at[n][g] = tex16_locate(&f->fraction[n][g], &t->s, n, stand(t, n, f->lane[g], probes, g, probe), &level);
    }
    for (unsigned g = 0; g < f->count; g++) {
        const struct tex16_level level = level_at(t, second, f->lane[g]);
        tex16_place(f, g, t->s.places, &level, is_pair);
    }
    tex16_load(f, t->s.places, element_B, is_pair);
}

/* ---- four bytes ---- */

struct texels {
    __m512 of[4];
};

/* As tex_channels.c's divide_sum. */
TEX_INLINE __m512 divide_sum(__m512 value)
{
    const double divisor = 255.0 * 65536.0;
    const float high = (float)(1 / divisor), low = (float)(1 / divisor - (double)(float)(1 / divisor));
    return _mm512_fmadd_ps(value, _mm512_set1_ps(high), _mm512_mul_ps(value, _mm512_set1_ps(low)));
}

/* As format_unorm_to_float. */
TEX_INLINE __m512 unorm(__m512i code, unsigned bits)
{
    const double max = (double)((1u << bits) - 1);
    const float high = (float)(1 / max), low = (float)(1 / max - (double)(float)(1 / max));
    const __m512 value = _mm512_cvtepi32_ps(code);
    if (bits > 16)
        return _mm512_div_ps(value, _mm512_set1_ps((float)max));
    return _mm512_fmadd_ps(value, _mm512_set1_ps(high), _mm512_mul_ps(value, _mm512_set1_ps(low)));
}

TEX_INLINE __m512i byte_of(__m512i word, unsigned n)
{
    if (n == 3)
        return _mm512_srli_epi32(word, 24);
    return _mm512_and_si512(n ? _mm512_srli_epi32(word, 8 * n) : word, _mm512_set1_epi32(255));
}

/* Between two texels: sixteen bits of red and blue, and of green and alpha, less 32768, so that a product of signed ones
 * takes them. */
struct row16 {
    __m512i rb, ga;
};

TEX_INLINE struct row16 between(__m512i first, __m512i second, __m512i fraction)
{
    const __m512i even = _mm512_set1_epi32(0x00ff00ff), odd = _mm512_set1_epi32((int32_t)0xff00ff00u),
                  half = _mm512_set1_epi32((int32_t)0x80008000u);
    const __m512i rb = _mm512_and_si512(first, even), ga = _mm512_srli_epi16(first, 8),
                  to_rb = _mm512_sub_epi16(_mm512_and_si512(second, even), rb),
                  to_ga = _mm512_sub_epi16(_mm512_srli_epi16(second, 8), ga);
    /* (first & odd) ^ half */
    const __m512i whole_rb = _mm512_xor_si512(_mm512_slli_epi32(rb, 8), half),
                  whole_ga = _mm512_ternarylogic_epi32(first, odd, half, 0x6a);
    return (struct row16){_mm512_add_epi16(whole_rb, _mm512_mullo_epi16(to_rb, fraction)),
                          _mm512_add_epi16(whole_ga, _mm512_mullo_epi16(to_ga, fraction))};
}

/* The lower, or upper, halves of two rows by the weights of both. */
TEX_INLINE __m512 weigh(__m512i top, __m512i bottom, bool is_upper, __m512i weights)
{
    const __m512i pair = is_upper ? _mm512_mask_blend_epi16(0xaaaaaaaa, _mm512_srli_epi32(top, 16), bottom)
                                  : _mm512_mask_blend_epi16(0xaaaaaaaa, top, _mm512_slli_epi32(bottom, 16));
    return _mm512_cvtepi32_ps(_mm512_add_epi32(_mm512_madd_epi16(pair, weights), _mm512_set1_epi32(32768 * 256)));
}

/* Sums of 24 bits, as tex_channels.c's sum_bytes. */
TEX_INLINE struct texels sum_bytes(const struct tex16_footprints *f, unsigned g)
{
    const __m512i right = _mm512_or_si512(f->fraction[0][g], _mm512_slli_epi32(f->fraction[0][g], 16)),
                  down = _mm512_or_si512(_mm512_sub_epi32(_mm512_set1_epi32(256), f->fraction[1][g]),
                                         _mm512_slli_epi32(f->fraction[1][g], 16));
    const struct row16 top = between(f->low[0][g], f->low[1][g], right),
                       bottom = between(f->low[2][g], f->low[3][g], right);
    return (struct texels){{weigh(top.rb, bottom.rb, false, down), weigh(top.ga, bottom.ga, false, down),
                            weigh(top.rb, bottom.rb, true, down), weigh(top.ga, bottom.ga, true, down)}};
}

/* One or two levels of four bytes: each is divided by itself, then mixed. Constants where it is inlined: is_pair. */
TEX_INLINE void sample_bytes(const struct straight *t, bool is_pair)
{
    struct tex16_footprints f;
    find_groups(&f, t);
    for (unsigned second = 0; second < 1u + t->levels->any_fraction; second++) {
        find_words(&f, t, NULL, 0, second, 4, is_pair);
        for (unsigned g = 0; g < f.count; g++) {
            struct texels texels;
            if (is_pair)
                texels = sum_bytes(&f, g);
            const __m512 upper = _mm512_loadu_ps(t->levels->fraction + f.lane[g]),
                         lower = _mm512_sub_ps(_mm512_set1_ps(1), upper);
            for (unsigned n = 0; n < 4; n++) {
                float *const to = t->row[n] + f.lane[g];
                const __m512 value = is_pair ? divide_sum(texels.of[n]) : unorm(byte_of(f.low[0][g], n), 8);
                _mm512_storeu_ps(
                    to, second ? _mm512_add_ps(_mm512_mul_ps(_mm512_loadu_ps(to), lower), _mm512_mul_ps(value, upper))
                               : value);
            }
        }
    }
}

/* ---- sums ---- */

TEX_INLINE __m512i bits_of(__m512i word, unsigned shift, unsigned bits)
{
    return _mm512_and_si512(_mm512_srli_epi32(word, shift), _mm512_set1_epi32((1 << bits) - 1));
}

/* The lower halves of words. */
TEX_INLINE __m512 widen_halves(__m512i words)
{
    return _mm512_cvtph_ps(_mm512_cvtepi32_epi16(words));
}

/* Channel `n` of a texel, as tex_channels.c's channel_of. */
TEX_INLINE __m512 channel_of(enum tex_kind kind, __m512i low, __m512i high, unsigned n)
{
    const __m512i word = n < 2 ? low : high, half = n & 1 ? _mm512_srli_epi32(word, 16) : word;
    switch (kind) {
    case TEX_KIND_SRGB8:
        return n == 3 ? unorm(byte_of(low, 3), 8)
                      : _mm512_castsi512_ps(TEX16_WORDS(format_srgb_to_linear_table, byte_of(low, n), 4));
    case TEX_KIND_R8:
    case TEX_KIND_RG8:
        return unorm(byte_of(low, n), 8);
    case TEX_KIND_R16:
    case TEX_KIND_RG16:
        return unorm(_mm512_and_si512(half, _mm512_set1_epi32(0xffff)), 16);
    case TEX_KIND_RGBA16:
        return unorm(n & 1 ? half : _mm512_and_si512(half, _mm512_set1_epi32(0xffff)), 16);
    case TEX_KIND_RGB565:
        return n == 3 ? _mm512_set1_ps(1)
                      : unorm(bits_of(low,
                                      n == 0   ? 11
                                      : n == 1 ? 5
                                               : 0,
                                      n == 1 ? 6 : 5),
                              n == 1 ? 6 : 5);
    case TEX_KIND_RGB10A2:
        return n == 3 ? unorm(_mm512_srli_epi32(low, 30), 2) : unorm(bits_of(low, 10 * n, 10), 10);
    case TEX_KIND_RG11B10F: /* halves without a sign and with fewer bits of fraction */
        return n == 3   ? _mm512_set1_ps(1)
               : n == 2 ? widen_halves(_mm512_slli_epi32(_mm512_srli_epi32(low, 22), 5))
                        : widen_halves(_mm512_slli_epi32(bits_of(low, 11 * n, 11), 4));
    case TEX_KIND_D24:
        return unorm(_mm512_and_si512(low, _mm512_set1_epi32(0xffffff)), 24);
    case TEX_KIND_R16F:
    case TEX_KIND_RG16F:
    case TEX_KIND_RGBA16F:
        return widen_halves(half);
    default:
        return _mm512_castsi512_ps(n ? high : low);
    }
}

/* A footprint's part of the sum. Constants where it is inlined: kind, channels, is_pair. */
TEX_INLINE void add_texels(__m512 sum[4], const struct straight *t, const struct tex16_footprints *f, unsigned g,
                           __m512 share, enum tex_kind kind, unsigned channels, bool is_pair)
{
    const __m512 one = _mm512_set1_ps(1), part = _mm512_set1_ps(1.0f / 256),
                 right = _mm512_mul_ps(_mm512_cvtepi32_ps(f->fraction[0][g]), part), left = _mm512_sub_ps(one, right),
                 down = _mm512_mul_ps(_mm512_cvtepi32_ps(f->fraction[1][g]), part), up = _mm512_sub_ps(one, down);
    for (unsigned tap = 0; tap < (is_pair ? 4u : 1u); tap++) {
        const __m512 own = _mm512_mul_ps(tap & 1 ? right : left, tap & 2 ? down : up),
                     weight = is_pair ? _mm512_mul_ps(own, share) : share;
        const __mmask16 counts =
            tex_may_be_infinite(kind) ? _mm512_cmp_ps_mask(weight, _mm512_setzero_ps(), _CMP_NEQ_UQ) : UINT16_MAX;
        for (unsigned n = 0; n < channels; n++) {
            if (channels == 4 && !(t->components >> n & 1))
                continue;
            const __m512 value = _mm512_mul_ps(weight, channel_of(kind, f->low[tap][g], f->high[tap][g], n));
            sum[n] = tex_may_be_infinite(kind) ? _mm512_mask_add_ps(sum[n], counts, sum[n], value)
                                               : _mm512_add_ps(sum[n], value);
        }
    }
}

/* The same of four bytes, whose sum is of 24 bits. */
TEX_INLINE void add_bytes(__m512 sum[4], const struct tex16_footprints *f, unsigned g, __m512 share, bool is_pair)
{
    if (is_pair) {
        const struct texels texels = sum_bytes(f, g);
        for (unsigned n = 0; n < 4; n++)
            sum[n] = _mm512_add_ps(sum[n], _mm512_mul_ps(texels.of[n], share));
        return;
    }
    const __m512 all = _mm512_mul_ps(share, _mm512_set1_ps(65536));
    for (unsigned n = 0; n < 4; n++)
        sum[n] = _mm512_add_ps(sum[n], _mm512_mul_ps(_mm512_cvtepi32_ps(byte_of(f->low[0][g], n)), all));
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
                add_texels(sum, t, &f, g, share, kind, channels, is_pair);
            for (unsigned n = 0; n < channels; n++)
                sums[g][n] = sum[n];
        }
    }
    for (unsigned g = 0; g < f.count; g++) {
        for (unsigned n = 0; n < channels; n++)
            _mm512_storeu_ps(t->row[n] + f.lane[g], kind == TEX_KIND_RGBA8 ? divide_sum(sums[g][n]) : sums[g][n]);
    }
}

/* ---- one function for each kind ---- */

#define SAMPLER(name, kind, channels, element_B)                                                                       \
    static void name(const struct straight *t, bool is_pair)                                                           \
    {                                                                                                                  \
        if (is_pair)                                                                                                   \
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

bool tex_straight_sample(struct tex_result *out, const struct tex_plan *plan, struct tex_query *q,
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
    t.row = out->value;
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
    tex_order_rows(out, q->image, tex_kind_channels(kind));
    return true;
}

#endif
