/* Where footprints are, sixteen lanes at a time, and their words: see tex_straight.h. What is not plain costs some
 * instructions more for each vector, and is one function for all of it. */
#include "model/texture/tex_straight.h"

#if TEX_HAS_WIDE

#include "model/texture/tex_box.h"
#include "util/bits.h"

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

/* Constants where it is inlined: has_probes. */
TEX_INLINE __m512 stand(const struct tex_straight *t, unsigned axis, unsigned lane,
                        const struct tex_straight_pass *pass, unsigned g, bool has_probes)
{
    const __m512 at = _mm512_loadu_ps((const float *)t->c->at[axis] + lane);
    if (!has_probes)
        return at;
    const __m512 part = _mm512_permutexvar_ps(_mm512_sub_epi32(pass->count[g], _mm512_set1_epi32(1)),
                                              _mm512_load_ps(along[pass->probe]));
    return _mm512_add_ps(at, _mm512_mul_ps(_mm512_loadu_ps(t->lod->step[axis] + lane), part));
}

/* ---- which level ---- */

TEX_INLINE struct tex16_level level_at(const struct tex_straight *t, unsigned second, unsigned i)
{
    const uint8_t *level = (second ? t->levels->high : t->levels->low) + i;
    if (t->s.is_same)
        return tex16_spread(&t->s.same[second]);
    return tex16_level_of(&t->s.table, _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)level)));
}

/* ---- words ---- */

/* Constants where it is inlined: is_pair. */
TEX_INLINE void load(struct tex16_footprints *f, const struct tex_straight *t, bool is_pair)
{
    const struct tex_places *p = t->s.places;
    switch (p->element_B) {
    case 1:
        tex16_load(f, p, 1, is_pair);
        break;
    case 2:
        tex16_load(f, p, 2, is_pair);
        break;
    case 4:
        tex16_load(f, p, 4, is_pair);
        break;
    case 8:
        tex16_load(f, p, 8, is_pair);
        break;
    default:
        tex16_load(f, p, 16, is_pair);
        break;
    }
}

/* ---- texels of a small box ---- */

/* Whether active lanes have one level. */
static bool is_one_level(const struct tex_straight *t, const uint8_t *level)
{
    const __m512i levels = _mm512_loadu_si512(level);
    const unsigned first = (unsigned)__builtin_ctzll(t->q->exec);
    return t->s.is_same || !(_mm512_cmpneq_epi8_mask(levels, _mm512_set1_epi8((char)level[first])) & t->q->exec);
}

/* The box around the footprints of active lanes. False: loading it is not half of what loading their words is. */
static bool set_box(struct tex_area_part *to, const struct tex16_footprints *f, const struct tex_straight *t,
                    unsigned level)
{
    /* The least entries, and the complements of the largest. */
    const __m512i ones = _mm512_set1_epi32(-1);
    __m512i least[4] = {ones, ones, ones, ones};
    for (unsigned g = 0; g < f->count; g++) {
        for (unsigned n = 0; n < 2; n++) {
            const __m512i at = f->at[n][g];
            least[n] = _mm512_mask_min_epu32(least[n], f->active[g], least[n], at);
            least[2 + n] = _mm512_mask_min_epu32(least[2 + n], f->active[g], least[2 + n], _mm512_xor_si512(at, ones));
        }
    }
    const __m512i both = _mm512_min_epu32(_mm512_unpacklo_epi32(least[0], least[1]),
                                          _mm512_unpackhi_epi32(least[0], least[1])),
                  ends = _mm512_min_epu32(_mm512_unpacklo_epi32(least[2], least[3]),
                                          _mm512_unpackhi_epi32(least[2], least[3])),
                  all = _mm512_min_epu32(_mm512_unpacklo_epi64(both, ends), _mm512_unpackhi_epi64(both, ends));
    const __m256i half = _mm256_min_epu32(_mm512_castsi512_si256(all), _mm512_extracti64x4_epi64(all, 1));
    uint32_t found[4];
    _mm_storeu_si128((__m128i *)(void *)found,
                     _mm_min_epu32(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1)));
    const uint32_t columns = ~found[2] - found[0] + 2, rows = ~found[3] - found[1] + 2;
    *to = (struct tex_area_part){.x = found[0],
                                 .y = found[1],
                                 .z = t->slice,
                                 .columns = columns,
                                 .rows = rows,
                                 .slices = 1,
                                 .level = level,
                                 .last = t->slice};
    return columns <= TEX_BOX_SIDE && rows <= TEX_BOX_SIDE && columns * rows <= 32 * f->count;
}

/* Constants where it is inlined: vectors. */
TEX_INLINE void permute_box(struct tex16_footprints *f, const struct tex_box *box, const struct tex_area_part *part,
                            unsigned vectors)
{
    const __m512i x = _mm512_set1_epi32((int32_t)part->x), y = _mm512_set1_epi32((int32_t)part->y),
                  pitch = _mm512_set1_epi32((int32_t)box->pitch), one = _mm512_set1_epi32(1);
    __m512i v[8];
    for (unsigned n = 0; n < vectors; n++)
        v[n] = _mm512_loadu_si512(box->words + n * 16);
    for (unsigned g = 0; g < f->count; g++) {
        const __m512i first = _mm512_add_epi32(_mm512_mullo_epi32(_mm512_sub_epi32(f->at[1][g], y), pitch),
                                               _mm512_sub_epi32(f->at[0][g], x));
        for (unsigned tap = 0; tap < 4; tap++) {
            __m512i n = tap & 1 ? _mm512_add_epi32(first, one) : first;
            n = tap & 2 ? _mm512_add_epi32(n, pitch) : n;
            f->word[0][tap][g] = tex_box_look_up(v, NULL, n, vectors, UINT16_MAX);
        }
    }
}

/* The words of footprints of which only `at` is known. False: their texels do not lie together. */
static bool load_together(struct tex16_footprints *f, const struct tex_straight *t,
                          const struct tex_straight_pass *pass)
{
    const uint8_t *level = pass->level ? t->levels->high : t->levels->low;
    struct tex_area_part part;
    struct tex_box box;
    if (t->s.places->element_B != 4 || t->looked || !is_one_level(t, level) ||
        !set_box(&part, f, t, level[__builtin_ctzll(t->q->exec)]))
        return false;
    tex_box_load(&box, &part, t->s.places, 0);
    if (box.count <= 32)
        permute_box(f, &box, &part, 2);
    else if (box.count <= 64)
        permute_box(f, &box, &part, 4);
    else if (box.count <= 96)
        permute_box(f, &box, &part, 6);
    else
        permute_box(f, &box, &part, 8);
    return true;
}

/* ---- what most instructions are ---- */

/* Constants where it is inlined: has_probes. */
TEX_INLINE void find_plain(struct tex16_footprints *f, const struct tex_straight *t,
                           const struct tex_straight_pass *pass, bool has_probes)
{
    for (unsigned g = 0; g < f->count; g++) {
        const struct tex16_level level = level_at(t, pass->level, f->lane[g]);
        for (unsigned n = 0; n < 2; n++) {
            const __m512 at = stand(t, n, f->lane[g], pass, g, has_probes);
            f->at[n][g] = tex16_locate(&f->fraction[n][g], &t->s, n, at, &level);
        }
    }
    if (load_together(f, t, pass))
        return;
    for (unsigned g = 0; g < f->count; g++) {
        const struct tex16_level level = level_at(t, pass->level, f->lane[g]);
        tex16_place(f, g, t->s.places, &level, true);
    }
    load(f, t, true);
}

/* ---- the nearest texels ---- */

/* As tex16_locate without what does nothing here: a position is not moved down, one that repeats is within the tables,
 * and a number that is none comes to the least integer by itself. */
TEX_INLINE __m512i locate_near(const struct tex16 *s, unsigned n, __m512 u, const struct tex16_level *level)
{
    const struct tex16_axis *axis = &s->axis[n];
    const __m512i least = _mm512_set1_epi32(axis->least);
    const __m512 up = _mm512_set1_ps(s->up);
    if (axis->repeats) {
        const __m512 turns =
            axis->period == 1 ? _mm512_roundscale_ps(u, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)
                              : _mm512_mul_ps(_mm512_set1_ps(axis->period),
                                              _mm512_roundscale_ps(_mm512_mul_ps(u, _mm512_set1_ps(axis->per_period)),
                                                                   _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC));
        u = _mm512_mul_ps(_mm512_sub_ps(u, turns), level->scale[n]);
        const __m512i at = tex16_floor(_mm512_add_ps(u, up));
        return _mm512_add_epi32(_mm512_max_epi32(_mm512_srai_epi32(at, 8), least), level->start[n]);
    }
    u = _mm512_min_ps(_mm512_set1_ps(TEX_FARTHEST), _mm512_mul_ps(u, level->scale[n]));
    const __m512i first = _mm512_srai_epi32(tex16_floor(_mm512_add_ps(u, up)), 8);
    return _mm512_add_epi32(_mm512_min_epi32(_mm512_max_epi32(first, least), level->most[n]), level->start[n]);
}

/* Of plain instructions. Constants where it is inlined: element_B. */
TEX_INLINE void find_near(struct tex16_footprints *f, const struct tex_straight *t,
                          const struct tex_straight_pass *pass, unsigned element_B)
{
    for (unsigned g = 0; g < f->count; g++) {
        const struct tex16_level level = level_at(t, pass->level, f->lane[g]);
        for (unsigned n = 0; n < 2; n++)
            f->at[n][g] = locate_near(&t->s, n, stand(t, n, f->lane[g], pass, g, pass->count != NULL), &level);
        tex16_place(f, g, t->s.places, &level, false);
        tex16_words(f, 0, g, t->s.places->host, element_B);
    }
}

static void find_nearest(struct tex16_footprints *f, const struct tex_straight *t, const struct tex_straight_pass *pass)
{
    switch (t->s.places->element_B) {
    case 1:
        find_near(f, t, pass, 1);
        break;
    case 2:
        find_near(f, t, pass, 2);
        break;
    case 4:
        find_near(f, t, pass, 4);
        break;
    case 8:
        find_near(f, t, pass, 8);
        break;
    default:
        find_near(f, t, pass, 16);
        break;
    }
}

/* ---- all others ---- */

/* Lanes that filter. */
static __mmask16 linear_lanes(const struct tex_straight *t, unsigned lane)
{
    const __m128i linear = _mm_loadu_si128((const __m128i *)(const void *)(t->levels->linear + lane));
    return t->is_mixed ? _mm_test_epi8_mask(linear, linear) : t->is_pair ? UINT16_MAX : 0;
}

/* As tex_rounding has it. */
TEX_INLINE __m512i round_lanes(const struct tex_straight *t, __m512 u, __mmask16 linear, bool is_once)
{
    const __m512 up = _mm512_set1_ps(t->q->sampler->trunc ? 0 : 0.5f);
    u = _mm512_sub_ps(u, _mm512_maskz_mov_ps(linear, _mm512_set1_ps(is_once ? 127.5f : 128)));
    return tex16_floor(_mm512_add_ps(u, _mm512_mask_mov_ps(up, linear, _mm512_set1_ps(is_once ? 0 : 0.5f))));
}

/* Lanes whose first and second texel along an axis are outside. */
struct outside {
    __mmask16 of[2];
};

static struct outside locate_axis(struct tex16_footprints *f, const struct tex_straight *t, unsigned n, unsigned g,
                                  __m512 u, const struct tex16_level *level, __mmask16 linear)
{
    const struct tex16_axis *axis = &t->s.axis[n];
    const __m512i most = level->most[n], one = _mm512_set1_epi32(1);
    u = tex16_scaled(u, axis->repeats, axis->period, axis->per_period, level->scale[n]);
    const __m512i at = round_lanes(t, u, linear, t->is_once);
    __m512i first = _mm512_srai_epi32(at, 8), least = _mm512_set1_epi32(axis->least);
    if (t->q->offset[n])
        first = _mm512_add_epi32(first, _mm512_loadu_si512(t->q->offset[n] + f->lane[g]));
    struct outside outside = {{0, 0}};
    if (t->inside[n]) {
        outside.of[0] = _mm512_cmpgt_epu32_mask(first, most);
        outside.of[1] = _mm512_cmpgt_epu32_mask(_mm512_add_epi32(first, one), most);
    }
    if (axis->mirrors_once)
        least = _mm512_sub_epi32(_mm512_set1_epi32(-2), most);
    first = _mm512_min_epi32(_mm512_max_epi32(first, least), most);
    f->at[n][g] = _mm512_add_epi32(first, level->start[n]);
    f->fraction[n][g] = _mm512_maskz_and_epi32(linear, at, _mm512_set1_epi32(255));
    return outside;
}

/* The slice of a volume that a lane is in, or the next one, and its weight. */
static __m512i find_depth(struct tex16_footprints *f, const struct tex_straight *t,
                          const struct tex_straight_pass *pass, unsigned g, const struct tex16_level *level,
                          __mmask16 linear)
{
    const struct tex_query *q = t->q;
    const bool repeats = q->sampler->wrap[2] == TEX_REPEAT;
    const __m512i size = _mm512_permutexvar_epi32(level->number, t->depths),
                  last = _mm512_sub_epi32(size, _mm512_set1_epi32(1));
    const __m512 scale = q->unnormalized ? _mm512_set1_ps(256)
                                         : _mm512_mul_ps(_mm512_cvtepi32_ps(size), _mm512_set1_ps(256)),
                 u = _mm512_loadu_ps((const float *)t->c->at[2] + f->lane[g]);
    if (!q->sampler->z_follows_xy)
        linear = q->sampler->z_linear ? UINT16_MAX : 0;
    const __m512i at = round_lanes(t, tex16_scaled(u, repeats, 1, 1, scale), linear, false),
                  fraction = _mm512_maskz_and_epi32(linear, at, _mm512_set1_epi32(255));
    __m512i slice = _mm512_srai_epi32(at, 8);
    slice = _mm512_max_epi32(slice, _mm512_set1_epi32(repeats ? -(TEX_PLACES_OFFSET + 1) : -1));
    slice = _mm512_min_epi32(slice, repeats ? _mm512_add_epi32(size, _mm512_set1_epi32(TEX_PLACES_OFFSET)) : last);
    slice = _mm512_add_epi32(slice, _mm512_set1_epi32((int32_t)pass->depth));
    if (repeats) {
        const __mmask16 before = _mm512_movepi32_mask(slice), behind = _mm512_cmpgt_epi32_mask(slice, last);
        slice = _mm512_mask_add_epi32(_mm512_mask_sub_epi32(slice, behind, slice, size), before, slice, size);
    }
    slice = _mm512_min_epi32(_mm512_max_epi32(slice, _mm512_setzero_si512()), last);
    f->depth[g] =
        _mm512_mul_ps(_mm512_cvtepi32_ps(pass->depth ? fraction : _mm512_sub_epi32(_mm512_set1_epi32(256), fraction)),
                      _mm512_set1_ps(1.0f / 256));
    return _mm512_add_epi32(slice, _mm512_set1_epi32((int32_t)q->image->first_layer));
}

/* Lanes' own slices in place of the one that the level has: mostly all lanes have theirs among sixteen. */
static void find_slices(struct tex16_level *level, const struct tex_straight *t, __m512i slice, __mmask16 active)
{
    const struct tex_places *p = t->s.places;
    const uint32_t slices = p->slices, count = slices * (t->q->image->last_level + 1u);
    slice = _mm512_min_epu32(slice, _mm512_set1_epi32((int32_t)slices - 1));
    const __m512i none = _mm512_setzero_si512(),
                  at = _mm512_add_epi32(_mm512_mullo_epi32(level->number, _mm512_set1_epi32((int32_t)slices)), slice);
    const uint32_t first = (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(at)), base = first > 7 ? first - 7 : 0;
    const __m512i index = _mm512_sub_epi32(at, _mm512_set1_epi32((int32_t)base));
    if (base >= count || (_mm512_cmpgt_epu32_mask(index, _mm512_set1_epi32(15)) & active)) {
        level->slice_xor = _mm512_mask_i32gather_epi32(none, active, at, &p->z->xor_B, sizeof(*p->z));
        level->slice_add = _mm512_mask_i32gather_epi32(none, active, at, &p->z->add_B, sizeof(*p->z));
        return;
    }
    const unsigned there = MIN2(count - base, 16u);
    const __m512i low = _mm512_maskz_loadu_epi32((__mmask16)bits_mask(2 * MIN2(there, 8u)), p->z + base),
                  high =
                      _mm512_maskz_loadu_epi32((__mmask16)bits_mask(there > 8 ? 2 * (there - 8) : 0), p->z + base + 8),
                  twice = _mm512_slli_epi32(index, 1);
    level->slice_xor = _mm512_permutex2var_epi32(low, twice, high);
    level->slice_add = _mm512_permutex2var_epi32(low, _mm512_or_si512(twice, _mm512_set1_epi32(1)), high);
}

/* False: a footprint that is outside has no words for that. Constants where it is inlined: is_pair. */
TEX_INLINE bool find_other(struct tex16_footprints *f, const struct tex_straight *t,
                           const struct tex_straight_pass *pass, bool is_pair)
{
    const unsigned axes = t->q->axes;
    uint32_t lost = 0;
    for (unsigned g = 0; g < f->count; g++) {
        struct tex16_level level = level_at(t, pass->level, f->lane[g]);
        const __mmask16 linear = linear_lanes(t, f->lane[g]);
        struct outside outside[2] = {{{0, 0}}, {{0, 0}}};
        for (unsigned n = 0; n < 2 && !pass->depth; n++) { /* the next slice has the same */
            if (n < axes) {
                outside[n] =
                    locate_axis(f, t, n, g, stand(t, n, f->lane[g], pass, g, pass->count != NULL), &level, linear);
            } else {
                f->at[n][g] = level.start[n];
                f->fraction[n][g] = _mm512_setzero_si512();
            }
        }
        for (unsigned tap = 0; tap < (is_pair ? 4u : 1u) && !pass->depth; tap++) {
            f->outside[tap][g] = outside[0].of[tap & 1] | outside[1].of[tap >> 1];
            lost |= t->is_bordered ? 0 : f->outside[tap][g] & f->active[g];
        }
        if (axes == 3)
            find_slices(&level, t, find_depth(f, t, pass, g, &level, linear), f->active[g]);
        else if (t->has_slices)
            find_slices(&level, t, _mm512_loadu_si512(t->c->slice + f->lane[g]), f->active[g]);
        tex16_place(f, g, t->s.places, &level, is_pair);
    }
    return !lost;
}

static void put_border(struct tex16_footprints *f, const struct tex_straight *t, unsigned words, bool is_pair)
{
    for (unsigned tap = 0; tap < (is_pair ? 4u : 1u); tap++) {
        for (unsigned g = 0; g < f->count; g++) {
            for (unsigned n = 0; n < words; n++)
                f->word[n][tap][g] = _mm512_mask_mov_epi32(f->word[n][tap][g], f->outside[tap][g],
                                                           _mm512_set1_epi32((int32_t)t->border[n]));
        }
    }
}

/* ---- words ---- */

/* Of one axis: the second row of texels has no weight. */
static void load_line(struct tex16_footprints *f, const struct tex_straight *t)
{
    const unsigned element_B = t->s.places->element_B;
    for (unsigned g = 0; g < f->count; g++) {
        for (unsigned n = 0; n < (element_B + 3) / 4; n++) {
            const uint8_t *host = t->s.places->host + 4 * n;
            for (unsigned tap = 0; tap < 2; tap++) {
                f->word[n][tap][g] = tex16_word(host, f->offset[tap][g], f->active[g], element_B);
                f->word[n][tap + 2][g] = _mm512_setzero_si512();
            }
        }
    }
}

/* ---- what pieces hold ---- */

/* The pieces of these lanes have not been met before. */
static void look_at_lanes(const struct tex_straight *t, const struct tex16_footprints *f,
                          const struct tex_straight_pass *pass, unsigned tap, unsigned g, __mmask16 lanes)
{
    const uint8_t *level = pass->level ? t->levels->high : t->levels->low;
    uint32_t x[16], y[16];
    _mm512_storeu_si512(x, f->at[0][g]);
    _mm512_storeu_si512(y, f->at[1][g]);
    bits_foreach (lanes, i) {
        const unsigned lane = f->lane[g] + (unsigned)i;
        const uint32_t slice = t->has_slices ? MIN2(t->c->slice[lane], t->s.places->slices - 1) : t->slice;
        tex_look_at(t->looked, t->s.places, t->q, x[i] + (tap & 1), y[i] + (tap >> 1), level[lane], slice);
    }
}

/* The pieces of a tap, as `pieces` has it. */
static __m512i see_pieces(const struct tex_straight *t, const struct tex16_footprints *f,
                          const struct tex_straight_pass *pass, unsigned tap, unsigned g)
{
    const __m512i piece = _mm512_srl_epi32(f->offset[tap][g], _mm_cvtsi32_si128(t->q->image->piece_log2)),
                  one = tex16_word(t->looked->pieces, piece, f->active[g], 1);
    const __mmask16 unseen = _mm512_mask_cmpeq_epi32_mask(f->active[g], one, _mm512_set1_epi32(TEX_PIECE_NOT_LOOKED));
    if (!unseen)
        return one;
    look_at_lanes(t, f, pass, tap, g, unseen);
    return tex16_word(t->looked->pieces, piece, f->active[g], 1);
}

/* Puts colours in the texels' place. False: of some it is not known. */
static __attribute__((noinline)) bool put_pieces(struct tex16_footprints *f, const struct tex_straight *t,
                                                 const struct tex_straight_pass *pass)
{
    const unsigned words = (t->s.places->element_B + 3) / 4, taps = !t->is_pair ? 1 : t->q->axes == 1 ? 2 : 4;
    for (unsigned tap = 0; tap < taps; tap++) {
        for (unsigned g = 0; g < f->count; g++) {
            const __m512i one = see_pieces(t, f, pass, tap, g),
                          at = _mm512_slli_epi32(_mm512_sub_epi32(one, _mm512_set1_epi32(1)), 4);
            const __mmask16 put = _mm512_mask_test_epi32_mask(f->active[g], one, one);
            _Static_assert(TEX_ELEMENT_B == 16, "`at` is in elements");
            if (_mm512_mask_cmpeq_epi32_mask(put, one, _mm512_set1_epi32(TEX_PIECE_NOT_KNOWN)))
                return false;
            for (unsigned n = 0; n < words && put; n++)
                f->word[n][tap][g] =
                    _mm512_mask_i32gather_epi32(f->word[n][tap][g], put, at, &t->looked->ones[0][4 * n], 1);
        }
    }
    return true;
}

/* Constants where it is inlined: is_pair. */
TEX_INLINE bool find_all(struct tex16_footprints *f, const struct tex_straight *t, const struct tex_straight_pass *pass,
                         bool is_pair)
{
    if (!find_other(f, t, pass, is_pair))
        return false;
    if (is_pair && t->q->axes == 1)
        load_line(f, t);
    else
        load(f, t, is_pair);
    if (t->looked && !put_pieces(f, t, pass))
        return false;
    if (t->is_bordered)
        put_border(f, t, (t->s.places->element_B + 3) / 4, is_pair);
    return true;
}

static __attribute__((noinline)) bool find(struct tex16_footprints *f, const struct tex_straight *t,
                                           const struct tex_straight_pass *pass)
{
    return t->is_pair ? find_all(f, t, pass, true) : find_all(f, t, pass, false);
}

bool tex_straight_find(struct tex16_footprints *f, const struct tex_straight *t, const struct tex_straight_pass *pass)
{
    if (!t->is_plain)
        return find(f, t, pass);
    if (!t->is_pair) {
        find_nearest(f, t, pass);
        return !t->looked || put_pieces(f, t, pass);
    }
    if (pass->count)
        find_plain(f, t, pass, true);
    else
        find_plain(f, t, pass, false);
    return !t->looked || put_pieces(f, t, pass);
}

#endif
