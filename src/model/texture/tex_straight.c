/* The straight way, for hosts with AVX-512: samples from coordinates to results sixteen lanes at a time, whatever the
 * address modes, levels, slices and filters are. Levels, slices of volumes and probes are passes over which a sum is
 * kept. Bits are those of the other ways: weights and sums are made by the same operations in the same order. Not for
 * codecs and blocks, and cubes where a lane is at an edge of its face. */
#include "model/texture/tex_straight.h"

#if TEX_HAS_WIDE

#include <stdlib.h>
#include <string.h>

#include "model/texture/tex_sixteen_channels.h"
#include "util/bits.h"

#define MAX_PROBES 16

/* Groups that have active lanes. */
static void find_groups(struct tex16_footprints *f, const struct tex_straight *t)
{
    f->count = 0;
    for (unsigned i = 0; i < t->q->lanes; i += 16) {
        f->lane[f->count] = (uint8_t)i;
        f->active[f->count] = (__mmask16)(t->q->exec >> i);
        f->count += f->active[f->count] != 0;
    }
}

/* A component of active lanes, if it is wanted: rows may be registers. */
TEX_INLINE void store(float (*rows)[LANES_MAX], const struct tex_straight *t, const struct tex16_footprints *f,
                      unsigned g, unsigned n, __m512 value)
{
    if (t->components >> n & 1)
        _mm512_mask_storeu_ps(rows[n] + f->lane[g], f->active[g], value);
}

/* ---- four bytes ---- */

/* One or two levels of four bytes: each is divided by itself, then mixed. Constants where it is inlined: is_pair. */
TEX_INLINE void mix_bytes(float (*rows)[LANES_MAX], const struct tex_straight *t, const struct tex16_footprints *f,
                          __m512 (*lower)[4], unsigned second, bool is_pair)
{
    const bool is_last = second == t->levels->any_fraction;
    for (unsigned g = 0; g < f->count; g++) {
        struct tex16_texels texels;
        if (is_pair)
            texels = tex16_sum_bytes(f, g);
        const __m512 part = _mm512_loadu_ps(t->levels->fraction + f->lane[g]),
                     rest = _mm512_sub_ps(_mm512_set1_ps(1), part);
        for (unsigned n = 0; n < 4; n++) {
            __m512 value =
                is_pair ? tex16_divide_sum(texels.of[n]) : tex16_unorm(tex16_byte_of(f->word[0][0][g], n), 8);
            if (second)
                value = _mm512_add_ps(_mm512_mul_ps(lower[g][n], rest), _mm512_mul_ps(value, part));
            if (is_last)
                store(rows, t, f, g, n, value);
            else
                lower[g][n] = value;
        }
    }
}

static bool sample_bytes(float (*rows)[LANES_MAX], const struct tex_straight *t)
{
    struct tex16_footprints f;
    __m512 lower[TEX16_GROUPS][4];
    find_groups(&f, t);
    for (unsigned second = 0; second < 1u + t->levels->any_fraction; second++) {
        if (!tex_straight_find(&f, t, &(struct tex_straight_pass){.level = second}))
            return false;
        if (t->is_pair)
            mix_bytes(rows, t, &f, lower, second, true);
        else
            mix_bytes(rows, t, &f, lower, second, false);
    }
    return true;
}

/* ---- sums ---- */

/* Probes of all groups. */
struct probes {
    __m512i count[TEX16_GROUPS];
    __m512 each[TEX16_GROUPS]; /* the weight of one */
};

static void find_probes(struct probes *to, const struct tex_straight *t, const struct tex16_footprints *f)
{
    for (unsigned g = 0; g < f->count; g++) {
        const __m128i count = _mm_loadu_si128((const __m128i *)(const void *)(t->lod->probes + f->lane[g]));
        to->count[g] = _mm512_cvtepu8_epi32(count);
        to->each[g] = _mm512_div_ps(_mm512_set1_ps(1), _mm512_cvtepi32_ps(to->count[g]));
    }
}

/* The weight of a probe in a level and a slice. */
static __m512 share_of(const struct tex_straight *t, const struct probes *probes, const struct tex16_footprints *f,
                       unsigned g, const struct tex_straight_pass *pass)
{
    __m512 share = _mm512_set1_ps(1);
    if (t->probes > 1)
        share = _mm512_maskz_mov_ps(_mm512_cmpgt_epi32_mask(probes->count[g], _mm512_set1_epi32((int32_t)pass->probe)),
                                    probes->each[g]);
    if (t->levels->any_fraction) {
        const __m512 upper = _mm512_mul_ps(share, _mm512_loadu_ps(t->levels->fraction + f->lane[g]));
        share = pass->level ? upper : _mm512_sub_ps(share, upper);
    }
    return t->q->axes == 3 ? _mm512_mul_ps(share, f->depth[g]) : share;
}

/* One texel for each lane. */
static bool take_texels(float (*rows)[LANES_MAX], const struct tex_straight *t)
{
    struct tex16_footprints f;
    find_groups(&f, t);
    if (!tex_straight_find(&f, t, &(struct tex_straight_pass){.level = 0}))
        return false;
    tex_straight_take(rows, t, &f);
    return true;
}

/* All probes in all levels and slices. */
static bool sample_sums(float (*rows)[LANES_MAX], const struct tex_straight *t)
{
    const unsigned channels = tex_kind_channels(t->kind), levels = t->levels->any_fraction,
                   slices = t->q->axes == 3 && t->is_depth_linear;
    const bool is_alone = t->probes == 1 && !levels && t->q->axes < 3;
    struct tex16_footprints f;
    struct probes probes;
    __m512 sums[TEX16_GROUPS][4], share[TEX16_GROUPS];
    find_groups(&f, t);
    if (t->probes > 1)
        find_probes(&probes, t, &f);
    for (unsigned g = 0; g < f.count; g++) {
        for (unsigned n = 0; n < channels; n++)
            sums[g][n] = _mm512_setzero_ps();
    }
    for (unsigned n = 0; n < t->probes << levels << slices; n++) {
        const struct tex_straight_pass pass = {
            .level = n >> slices & levels,
            .probe = n >> slices >> levels,
            .depth = n & slices,
            .count = t->probes > 1 ? probes.count : NULL,
        };
        if (!tex_straight_find(&f, t, &pass))
            return false;
        for (unsigned g = 0; g < f.count && !is_alone; g++)
            share[g] = share_of(t, &probes, &f, g, &pass);
        tex_straight_add(sums, t, &f, is_alone ? NULL : share);
    }
    for (unsigned g = 0; g < f.count; g++) {
        for (unsigned n = 0; n < channels; n++)
            store(rows, t, &f, g, n, t->kind == TEX_KIND_RGBA8 ? tex16_divide_sum(sums[g][n]) : sums[g][n]);
    }
    return true;
}

/* ---- is it the case? ---- */

/* Whether memory has all texels of the levels and slices that active lanes look at, as they are, or it is known what
 * each piece of it holds. */
static bool are_pieces_known(struct tex_straight *t, struct tex_query *q)
{
    struct tex_looked own, *looked = tex_look_begin(&own, q);
    const uint32_t last = t->s.places->slices - 1;
    const unsigned first = (unsigned)__builtin_ctzll(q->exec);
    uint32_t levels = 1u << t->levels->low[first] | (t->levels->any_fraction ? 1u << t->levels->high[first] : 0);
    uint64_t slices = t->has_slices ? 0 : 1;
    if (q->axes == 3)
        return false;
    for (unsigned i = 0; i < q->lanes && !t->levels->is_same; i++)
        levels |=
            ((1u << t->levels->low[i]) | (t->levels->any_fraction ? 1u << t->levels->high[i] : 0)) & q->exec_lanes[i];
    for (unsigned i = 0; i < q->lanes && t->has_slices; i++) {
        const uint32_t slice = MIN2(t->c->slice[i], last);
        if (q->exec_lanes[i] && slice > 63)
            return false;
        slices |= q->exec_lanes[i] ? 1ull << slice : 0;
    }
    bits_foreach (levels, level) {
        bits_foreach (slices, slice) {
            if (tex_look_is_plain(looked, t->s.places, q, (unsigned)level, t->has_slices ? (uint32_t)slice : t->slice))
                continue;
            if (!looked->has_pieces)
                return false;
            t->looked = looked;
        }
    }
    return true;
}

/* Whether active lanes have several slices; else `slice`. */
static bool find_slices(uint32_t *slice_out, const struct tex_query *q, const struct tex_coords *c)
{
    const uint32_t first = c->slice[__builtin_ctzll(q->exec)];
    uint32_t other = 0;
    for (unsigned i = 0; !q->is_one_slice && i < q->lanes; i++)
        other |= (c->slice[i] ^ first) & q->exec_lanes[i];
    *slice_out = first;
    return other != 0;
}

static void set_axis(struct tex_straight *t, unsigned n)
{
    const unsigned wrap = t->s.places->wrap[n];
    const bool repeats = wrap == TEX_REPEAT || wrap == TEX_MIRROR;
    t->s.axis[n] = (struct tex16_axis){
        .repeats = repeats,
        .mirrors_once = wrap == TEX_MIRROR_ONCE_TO_EDGE,
        .period = wrap == TEX_MIRROR ? 2 : 1,
        .per_period = wrap == TEX_MIRROR ? 0.5f : 1,
        .least = repeats ? -(TEX_PLACES_OFFSET + 1) : -1,
    };
}

static void set_same(struct tex16_one *to, const struct tex_straight *t, unsigned level, uint32_t slice)
{
    const struct tex_places *p = t->s.places;
    for (unsigned n = 0; n < 2; n++) {
        to->scale[n] = t->q->unnormalized ? 256 : p->scale[n][level];
        to->start[n] = (int32_t)(n ? p->y_start : p->x_start)[level];
        to->most[n] = p->most[n][level];
    }
    to->slice = p->z[level * p->slices + slice];
    to->number = (int32_t)level;
}

static struct tex16_level level_table(const struct tex_straight *t, uint32_t slice)
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

static __m512i depth_table(const struct tex_image *image)
{
    int32_t depths[TEX_MAX_LEVELS] = {0};
    for (unsigned n = 0; n <= image->last_level; n++)
        depths[n] = (int32_t)image->level[n].depth;
    return _mm512_loadu_si512(depths);
}

static void set_levels(struct tex_straight *t)
{
    if (t->q->axes == 3)
        t->depths = depth_table(t->q->image);
    t->s.is_same = t->levels->is_same;
    if (!t->s.is_same) {
        if (!t->has_table)
            t->s.table = level_table(t, t->slice);
        t->has_table = true;
        return;
    }
    set_same(&t->s.same[0], t, t->levels->low[0], t->slice);
    if (t->levels->any_fraction)
        set_same(&t->s.same[1], t, t->levels->high[0], t->slice);
}

/* Which lanes filter. */
static void set_filters(struct tex_straight *t)
{
    const struct tex_sampler *s = t->q->sampler;
    t->is_pair = s->min_linear;
    t->is_mixed = false;
    if (s->mag_linear != s->min_linear) {
        uint64_t linear = 0;
        for (unsigned i = 0; i < t->q->lanes; i++)
            linear |= (uint64_t)(t->levels->linear[i] != 0) << i;
        linear &= t->q->exec;
        t->is_pair = linear != 0;
        t->is_mixed = t->is_pair && linear != t->q->exec;
    }
    t->is_depth_linear = s->z_follows_xy ? t->is_pair : s->z_linear;
    t->s.down = !t->is_pair ? 0 : t->is_once ? 127.5f : 128;
    t->s.up = t->is_pair ? (t->is_once ? 0 : 0.5f) : s->trunc ? 0 : 0.5f;
}

/* The state of an image and a sampler. False: not its case. */
static bool begin_image(struct tex_straight *t, const struct tex_plan *plan, struct tex_query *q)
{
    t->s.places = tex_places_get(q);
    if (!t->s.places || !plan->axes || (t->s.places->element_B < 4 && (uintptr_t)t->s.places->host % 4))
        return false;
    t->kind = plan->straight_kind;
    t->inside[0] = plan->inside[0];
    t->inside[1] = plan->inside[1] && q->axes > 1;
    set_axis(t, 0);
    set_axis(t, 1);
    t->has_table = false;
    return true;
}

/* The state of an instruction. False: not its case. */
static bool begin_lanes(struct tex_straight *t, struct tex_query *q, const struct tex_coords *c)
{
    uint32_t slice;
    if (!q->exec || (q->offset[0] && !tex_are_offsets_small(q)))
        return false;
    t->q = q;
    t->c = c;
    t->components = tex_wanted_components(q);
    t->has_slices = find_slices(&slice, q, c);
    slice = MIN2(slice, t->s.places->slices - 1);
    t->has_table &= slice == t->slice;
    t->slice = slice;
    t->is_bordered = (t->inside[0] || t->inside[1]) && !q->image->is_cube && tex_border_words(t->border, q, t->kind);
    return true;
}

/* Whether it is known what the levels and slices at hand hold. */
static bool look_at_pieces(struct tex_straight *t)
{
    t->looked = NULL;
    return !t->q->image->piece_log2 || are_pieces_known(t, t->q);
}

/* And what its levels do. */
static bool begin_levels(struct tex_straight *t, const struct tex_lod *lod, const struct tex_levels *levels)
{
    if (levels->any_cubic)
        return false;
    t->lod = lod;
    t->levels = levels;
    t->probes = lod ? lod->max_probes : 1;
    t->is_once = t->kind == TEX_KIND_RGBA8 && t->probes == 1 && t->q->axes < 3;
    if (!look_at_pieces(t))
        return false;
    set_levels(t);
    return true;
}

static void decide_ways(struct tex_straight *t)
{
    t->is_plain = t->q->axes == 2 && !t->has_slices && !t->q->offset[0] && !t->inside[0] && !t->inside[1] &&
                  !t->is_mixed && !t->s.axis[0].mirrors_once && !t->s.axis[1].mirrors_once;
}

/* Levels and filters of a sample. */
static bool begin_sample(struct tex_straight *t, const struct tex_lod *lod, const struct tex_levels *levels)
{
    if (lod->max_probes > MAX_PROBES || !begin_levels(t, lod, levels))
        return false;
    set_filters(t);
    decide_ways(t);
    return true;
}

/* To rows of components. */
static bool sample(float (*rows)[LANES_MAX], const struct tex_straight *t)
{
    const bool is_alone = !t->is_pair && t->probes == 1 && !t->levels->any_fraction &&
                          !(t->q->axes == 3 && t->is_depth_linear) && !t->q->compare && t->kind != TEX_KIND_RGBA8;
    return t->is_once ? sample_bytes(rows, t) : is_alone ? take_texels(rows, t) : sample_sums(rows, t);
}

static bool sample_by(float (*rows)[LANES_MAX], const struct tex_plan *plan, struct tex_query *q,
                      const struct tex_coords *c, const struct tex_lod *lod, const struct tex_levels *levels)
{
    struct tex_straight t;
    return begin_image(&t, plan, q) && begin_lanes(&t, q, c) && begin_sample(&t, lod, levels) && sample(rows, &t);
}

bool tex_straight_sample(struct tex_result *out, const struct tex_plan *plan, struct tex_query *q,
                         const struct tex_coords *c, const struct tex_lod *lod, const struct tex_levels *levels)
{
    if (!sample_by(out->value, plan, q, c, lod, levels))
        return false;
    tex_order_rows(out, q->image, tex_kind_channels(plan->straight_kind));
    return true;
}

/* Words of a tap as rows. */
static void spread_words(uint32_t (*to)[LANES_MAX], const struct tex16_footprints *f, unsigned tap, unsigned words)
{
    for (unsigned n = 0; n < words; n++) {
        for (unsigned g = 0; g < f->count; g++)
            _mm512_storeu_si512(to[n] + f->lane[g], f->word[n][tap][g]);
    }
}

bool tex_straight_gather(float (*out)[LANES_MAX], struct tex_query *q, const struct tex_coords *c,
                         const struct tex_levels *given, unsigned component)
{
    const struct tex_plan *plan = tex_plan_get(q);
    struct tex_levels levels = {.is_same = false};
    struct tex_straight t;
    struct tex16_footprints f;
    uint32_t words[4][LANES_MAX] = {{0}};
    if (!plan || !plan->is_straight || !q->exec || q->axes != 2 || component >= tex_kind_channels(plan->straight_kind))
        return false;
    const unsigned first = (unsigned)__builtin_ctzll(q->exec);
    levels.is_same = tex_is_one_level(q, given->low, first);
    if (levels.is_same)
        memset(levels.low, given->low[first], sizeof(levels.low));
    else
        memcpy(levels.low, given->low, sizeof(levels.low));
    if (!begin_image(&t, plan, q) || !begin_lanes(&t, q, c) || !begin_levels(&t, NULL, &levels))
        return false;
    t.is_pair = true;
    t.is_mixed = t.is_once = false;
    t.s.down = 128;
    t.s.up = 0.5f;
    decide_ways(&t);
    find_groups(&f, &t);
    if (!tex_straight_find(&f, &t, &(struct tex_straight_pass){.level = 0}))
        return false;
    for (unsigned tap = 0; tap < 4; tap++) {
        spread_words(words, &f, tap, (t.s.places->element_B + 3) / 4u);
        if (t.kind == TEX_KIND_RGBA32F)
            memcpy(out[tap], words[component], sizeof(out[tap]));
        else
            tex_take_words(out[tap], words[0], words[1], t.kind, component, q->lanes);
    }
    return true;
}

bool tex_sample_into(float (*rows)[LANES_MAX], struct tex_query *q, const struct tex_coords *c,
                     const struct tex_lod *lod, const struct tex_levels *levels)
{
    const struct tex_plan *plan = tex_plan_get(q);
    return plan && plan->is_straight && tex_wanted_components(q) < 1u << tex_kind_channels(plan->straight_kind) &&
           sample_by(rows, plan, q, c, lod, levels);
}

/* ---- once more ---- */

struct tex_kept {
    struct tex_straight t;
    bool is_found;    /* t's image is: */
    uint32_t changes; /* as in tex_again */
    bool is_settled;  /* levels and filters are found, for all lanes alike */
    uint64_t work;    /* for which t.looked is known; 0: for none */
};

/* NULL: out of memory, or not its case. */
static struct tex_kept *kept_of(struct tex_plan *plan, struct tex_query *q)
{
    if (!plan->kept && !(plan->kept = aligned_alloc(_Alignof(struct tex_kept), sizeof(struct tex_kept))))
        return NULL;
    plan->kept->is_settled = plan->kept->is_found = false;
    if (!begin_image(&plan->kept->t, plan, q))
        return NULL;
    plan->kept->is_found = true;
    plan->kept->changes = q->places->changes;
    return plan->kept;
}

bool tex_again_begin(struct tex_again *again, struct tex_query *q)
{
    struct tex_plan *plan = tex_plan_get(q);
    again->plan = plan;
    again->components = tex_wanted_components(q);
    if (!plan || !plan->is_straight || again->components >= 1u << tex_kind_channels(plan->straight_kind))
        return false;
    const struct tex_kept *kept = plan->kept;
    if (!(kept && kept->is_found && kept->changes == q->places->changes) && !kept_of(plan, q))
        return false;
    again->changes = q->places->changes;
    return true;
}

/* Whether what t.looked says is of that work: other instructions may have looked for another since. */
static bool is_known(const struct tex_kept *kept, uint64_t work)
{
    return work && work == kept->work && (!kept->t.looked || kept->t.looked->work == work);
}

/* Whether nothing but coordinates and active lanes is new. */
static bool is_settled(const struct tex_kept *kept, const struct tex_query *q)
{
    return kept->is_settled && q->is_one_slice && !q->offset[0] && !kept->t.inside[0] && !kept->t.inside[1] &&
           (!q->image->piece_log2 || is_known(kept, q->work));
}

static bool settle_kept(struct tex_kept *kept, const struct tex_plan *plan, struct tex_query *q,
                        const struct tex_coords *c, struct tex_found *found)
{
    kept->is_settled = false;
    if (!plan->is_same)
        tex_find_own_levels(found, q, c);
    if (!begin_lanes(&kept->t, q, c) ||
        !begin_sample(&kept->t, plan->is_same ? &plan->lod : found->lod, plan->is_same ? &plan->levels : found->levels))
        return false;
    kept->is_settled = plan->is_same;
    kept->work = q->work;
    return true;
}

enum tex_again_end tex_again_sample(float (*rows)[LANES_MAX], const struct tex_again *again, struct tex_query *q,
                                    const struct tex_coords *c)
{
    const struct tex_plan *plan = again->plan;
    struct tex_found found;
    if (!q->exec || q->places->changes != again->changes ||
        !tex_places_are_same(q, plan->kept->t.s.places, again->changes))
        return TEX_AGAIN_CHANGED;
    if (plan->is_short && (q->axes == 3 || q->is_one_slice) && tex_wide_sample(rows[0], q, c, plan))
        return TEX_AGAIN_DONE;
    struct tex_kept *kept = plan->kept;
    kept->t.q = q;
    kept->t.c = c;
    kept->t.components = again->components;
    return (is_settled(kept, q) || settle_kept(kept, plan, q, c, &found)) && sample(rows, &kept->t) ? TEX_AGAIN_DONE
                                                                                                    : TEX_AGAIN_OTHER;
}

enum tex_again_end tex_again_result(struct tex_result *out, const struct tex_again *again, struct tex_query *q,
                                    const struct tex_coords *c)
{
    const enum tex_again_end end = tex_again_sample(out->value, again, q, c);
    if (end == TEX_AGAIN_DONE)
        tex_order_rows(out, q->image, tex_kind_channels(again->plan->straight_kind));
    return end;
}

#else

bool tex_sample_into(float (*rows)[LANES_MAX], struct tex_query *q, const struct tex_coords *c,
                     const struct tex_lod *lod, const struct tex_levels *levels)
{
    return false;
}

bool tex_again_begin(struct tex_again *again, struct tex_query *q)
{
    return false;
}

enum tex_again_end tex_again_sample(float (*rows)[LANES_MAX], const struct tex_again *again, struct tex_query *q,
                                    const struct tex_coords *c)
{
    return TEX_AGAIN_CHANGED;
}

enum tex_again_end tex_again_result(struct tex_result *out, const struct tex_again *again, struct tex_query *q,
                                    const struct tex_coords *c)
{
    return TEX_AGAIN_CHANGED;
}

#endif
