/* The shortest way of a sample on hosts with vectors of 16 lanes and their masks (AVX-512), where tex_short.c would
 * take four at a time: one channel, one level that all lanes have, filtered, of texels that lie together; and gathers.
 * Positions, weights and sums stay in registers; the texels, each loaded once, are few enough for most volumes that a
 * lane finds its own by permutations of registers, and are gathered from a row of floats elsewhere. Groups of 16
 * without an active lane are left out. What differs from it goes the longer way (tex_fast.c), whose results have the
 * same bits. */
#include "model/texture/tex_run.h"

#if TEX_HAS_WIDE

#include "model/pixel/pixel.h"
#include "model/texture/tex_box.h"
#include "util/bits.h"

#define WIDTH 16
#define GROUPS (LANES_MAX / WIDTH)

struct wide {
    unsigned groups, count; /* count: those with active lanes */
    __mmask16 active[GROUPS];
    __m512i place[3][GROUPS]; /* in 256ths of a texel */
    struct tex_span span[3];
};

/* ---- positions ---- */

#define DOWN (_MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)

/* tex_place_of of 16 lanes: a NaN comes to the least, too. Constants where it is inlined: wrap. */
TEX_INLINE __m512i place_of(__m512 u, const struct tex_common *axis, unsigned wrap)
{
    const __m512 farthest = _mm512_set1_ps(TEX_FARTHEST);
    if (wrap == TEX_REPEAT)
        u = _mm512_sub_ps(u, _mm512_roundscale_ps(u, DOWN));
    else if (wrap == TEX_MIRROR)
        u = _mm512_sub_ps(
            u, _mm512_mul_ps(_mm512_set1_ps(2), _mm512_roundscale_ps(_mm512_mul_ps(u, _mm512_set1_ps(0.5f)), DOWN)));
    u = _mm512_max_ps(_mm512_mul_ps(u, _mm512_set1_ps(axis->scale)), _mm512_set1_ps(-TEX_FARTHEST));
    u = _mm512_sub_ps(_mm512_min_ps(u, farthest), _mm512_set1_ps(axis->down));
    return _mm512_cvt_roundps_epi32(_mm512_add_ps(u, _mm512_set1_ps(axis->up)), DOWN);
}

/* `offset`: texels of each lane; NULL: none. */
TEX_INLINE struct tex_span place_axis(__m512i *to, const tex_float *coord, const int32_t *offset,
                                      const struct tex_common *axis, unsigned wrap, const struct wide *w)
{
    __m512i low = _mm512_set1_epi32(INT32_MAX), high = _mm512_set1_epi32(INT32_MIN);
    for (unsigned g = 0; g < w->groups; g++) {
        to[g] = place_of(_mm512_loadu_ps((const float *)coord + g * WIDTH), axis, wrap);
        if (offset)
            to[g] = _mm512_add_epi32(to[g], _mm512_slli_epi32(_mm512_loadu_si512(offset + g * WIDTH), 8));
        low = _mm512_mask_min_epi32(low, w->active[g], low, to[g]);
        high = _mm512_mask_max_epi32(high, w->active[g], high, to[g]);
    }
    return (struct tex_span){_mm512_reduce_min_epi32(low), _mm512_reduce_max_epi32(high)};
}

/* To one texel before the first and to the last one: what is farther has the same texels. */
static void clamp_axis(struct wide *w, unsigned axis, int32_t size)
{
    const __m512i least = _mm512_set1_epi32(-1), most = _mm512_set1_epi32(size - 1), fraction = _mm512_set1_epi32(255);
    for (unsigned g = 0; g < w->groups; g++) {
        const __m512i at = w->place[axis][g],
                      texel = _mm512_max_epi32(_mm512_min_epi32(_mm512_srai_epi32(at, 8), most), least);
        w->place[axis][g] = _mm512_or_si512(_mm512_slli_epi32(texel, 8), _mm512_and_si512(at, fraction));
    }
    w->span[axis].low = MAX2(MIN2(w->span[axis].low >> 8, size - 1), -1) * 256;
    w->span[axis].high = MAX2(MIN2(w->span[axis].high >> 8, size - 1), -1) * 256;
}

/* False: where tables say nothing, or not so seldom that it would be worth it here. */
static bool place_axes(struct wide *w, const struct tex_query *q, const struct tex_coords *c,
                       const struct tex_plan *plan)
{
    const bool has_pieces = q->image->piece_log2 != 0;
    for (unsigned n = 0; n < plan->axes; n++) {
        const struct tex_common *axis = &plan->axis[n];
        const unsigned wrap = tex_wrap_kind(plan->sampler.wrap[n]);
        const bool repeats = wrap != TEX_CLAMP_TO_EDGE;
        const int32_t size = wrap == TEX_MIRROR ? 2 * axis->size : axis->size;
        struct tex_span *const span = &w->span[n];
        *span = wrap == TEX_REPEAT   ? place_axis(w->place[n], c->at[n], q->offset[n], axis, TEX_REPEAT, w)
                : wrap == TEX_MIRROR ? place_axis(w->place[n], c->at[n], q->offset[n], axis, TEX_MIRROR, w)
                                     : place_axis(w->place[n], c->at[n], q->offset[n], axis, TEX_CLAMP_TO_EDGE, w);
        if (span->low >= 0 && span->high >> 8 < size - 1)
            continue;
        if ((n < 2 && plan->inside[n]) || (n == 2 && (has_pieces || repeats)) ||
            (repeats && (span->low < -256 || span->high >> 8 >= size)))
            return false;
        if (span->low < -256 || span->high >= size * 256)
            clamp_axis(w, n, size);
    }
    return true;
}

/* ---- texels ---- */

/* The box around all footprints. False: larger than what lanes' own loads would be. */
static bool set_part(struct tex_area_part *part, const struct wide *w, const struct tex_query *q,
                     const struct tex_coords *c, const struct tex_places *p, const struct tex_plan *plan)
{
    const unsigned level = plan->levels.low[0];
    const uint32_t last = p->slices - 1, most = (plan->axes == 3 ? 8 : 4) * WIDTH * w->count;
    uint64_t texels = 1;
    uint32_t reach[3] = {1, 1, 1};
    for (unsigned n = 0; n < plan->axes; n++) {
        reach[n] = (uint32_t)((w->span[n].high >> 8) - (w->span[n].low >> 8)) + 2;
        texels *= MIN2(reach[n], most + 1);
    }
    *part = (struct tex_area_part){
        .x = p->x_start[level] + (uint32_t)(w->span[0].low >> 8),
        .y = p->y_start[level] + (uint32_t)(w->span[1].low >> 8),
        .z = MIN2(c->slice[__builtin_ctzll(q->exec)], last),
        .columns = reach[0],
        .rows = reach[1],
        .slices = reach[2],
        .level = level,
        .last = last,
    };
    if (plan->axes == 3) {
        const int32_t first = w->span[2].low >> 8;
        part->lead = first < 0;
        part->z = MIN2(q->image->first_layer + (uint32_t)MAX2(first, 0), last);
        part->last = MIN2(q->image->first_layer + (uint32_t)plan->axis[2].size - 1, last);
    }
    return texels <= most;
}

/* Elements that stand for texels, in place of the words that were loaded. False: what metadata says is not known. */
static bool put_ones(struct tex_box *to, const struct tex_area_part *part, struct tex_run *r, unsigned skip_B)
{
    uint8_t pieces[TEX_AREA_TEXELS];
    switch (tex_look_at_area(pieces, to->pitch, r->looked, part, r->places, r->q)) {
    case TEX_PIECE_PLAIN:
        return true;
    case TEX_PIECE_ONE:
        break;
    default:
        return false;
    }
    for (uint32_t row = 0; row < part->rows; row++) {
        for (uint32_t n = row * to->pitch; n < row * to->pitch + part->columns; n++) {
            if (!pieces[n])
                continue;
            to->words[n] = 0;
            memcpy(&to->words[n], r->looked->ones[pieces[n] - 1] + skip_B, MIN2(r->places->element_B, 4u));
        }
    }
    return true;
}

/* A channel of the texels as floats. False: what metadata says of them is not known. */
static bool load_texels(struct tex_box *to, struct tex_area *area, const struct tex_area_part *part, struct tex_run *r,
                        unsigned channel)
{
    const struct tex_places *p = r->places;
    const unsigned skip_B = p->element_B < 8 ? 0 : r->kind == TEX_KIND_RG32F ? channel * 4 : channel / 2 * 4;
    if (part->columns <= TEX_BOX_SIDE && part->rows <= TEX_BOX_SIDE &&
        (p->element_B >= 4 || (uintptr_t)p->host % 4 == 0)) {
        tex_box_load(to, part, p, skip_B);
        if (r->q->image->piece_log2 && !put_ones(to, part, r, skip_B))
            return false;
        tex_take_words(area->one, to->words, to->words, r->kind, channel, to->count);
        return true;
    }
    area->is_one = true;
    area->part_count = 1;
    area->parts[0] = *part;
    area->pitch = to->pitch = (uint32_t)align_u64(part->columns, TEX_AREA_STEP);
    to->plane = to->pitch * part->rows;
    area->count = to->count = to->plane * part->slices;
    return to->count <= TEX_AREA_TEXELS && tex_area_load_one(area, r, channel);
}

/* ---- sums ---- */

/* As tex_channels.c compares. */
TEX_INLINE __mmask16 passes(unsigned function, __m512 reference, __m512 texel)
{
    switch (function) {
    case PIXEL_NEVER:
        return 0;
    case PIXEL_LESS:
        return _mm512_cmp_ps_mask(reference, texel, _CMP_LT_OQ);
    case PIXEL_EQUAL:
        return _mm512_cmp_ps_mask(reference, texel, _CMP_EQ_OQ);
    case PIXEL_LESS_OR_EQUAL:
        return _mm512_cmp_ps_mask(reference, texel, _CMP_LE_OQ);
    case PIXEL_GREATER:
        return _mm512_cmp_ps_mask(reference, texel, _CMP_GT_OQ);
    case PIXEL_NOT_EQUAL:
        return _mm512_cmp_ps_mask(reference, texel, _CMP_NEQ_UQ);
    case PIXEL_GREATER_OR_EQUAL:
        return _mm512_cmp_ps_mask(reference, texel, _CMP_GE_OQ);
    default:
        return 0xffff;
    }
}

/* Constants where it is inlined: vectors. */
TEX_INLINE __m512 look_up(const __m512i *v, const float *texels, __m512i n, unsigned vectors, __mmask16 active)
{
    return _mm512_castsi512_ps(tex_box_look_up(v, texels, n, vectors, active));
}

TEX_INLINE __m512 fraction(__m512i at)
{
    return _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_and_si512(at, _mm512_set1_epi32(255))), _mm512_set1_ps(1.0f / 256));
}

TEX_INLINE __m512 product(__m512 share, __m512 texel)
{
    const __m512i bits = _mm512_castps_si512(share);
    return _mm512_maskz_mul_ps(_mm512_test_epi32_mask(bits, bits), share, texel);
}

/* A product of weights is a whole number of 24 bits, so that its order does not matter. A weight of zero adds nothing,
 * not even of infinity. Constants where it is inlined: axes, vectors, is_compared. */
TEX_INLINE void sum_groups(tex_float *to, const struct wide *w, const struct tex_box *t, const float *texels,
                           const struct tex_plan *plan, const tex_float *reference, unsigned axes, unsigned vectors,
                           bool is_compared)
{
    const __m512 one = _mm512_set1_ps(1);
    const uint32_t pitch = t->pitch, plane = t->plane;
    const __m512i from = _mm512_set1_epi32(-(w->span[1].low >> 8) * (int32_t)pitch - (w->span[0].low >> 8) -
                                           (axes == 3 ? (w->span[2].low >> 8) * (int32_t)plane : 0)),
                  steps[2] = {_mm512_set1_epi32((int)pitch), _mm512_set1_epi32((int)plane)};
    __m512i v[8];
    for (unsigned n = 0; n < vectors; n++)
        v[n] = _mm512_loadu_si512(texels + n * WIDTH);
    for (unsigned g = 0; g < w->groups; g++) {
        const __mmask16 active = w->active[g];
        if (!active)
            continue;
        const __m512i x = w->place[0][g], y = w->place[1][g], z = axes == 3 ? w->place[2][g] : x;
        const __m512 right = fraction(x), left = _mm512_sub_ps(one, right), down = fraction(y),
                     up = _mm512_sub_ps(one, down), far = fraction(z), near = _mm512_sub_ps(one, far);
        const __m512 weight[4] = {_mm512_mul_ps(left, up), _mm512_mul_ps(right, up), _mm512_mul_ps(left, down),
                                  _mm512_mul_ps(right, down)};
        __m512i first = _mm512_add_epi32(_mm512_add_epi32(_mm512_srai_epi32(x, 8), from),
                                         _mm512_mullo_epi32(_mm512_srai_epi32(y, 8), steps[0]));
        if (axes == 3)
            first = _mm512_add_epi32(first, _mm512_mullo_epi32(_mm512_srai_epi32(z, 8), steps[1]));
        __m512 sum = _mm512_setzero_ps(), given = sum;
        if (is_compared)
            given = _mm512_loadu_ps((const float *)reference + g * WIDTH);
        for (unsigned tap = 0; tap < (axes == 3 ? 8u : 4u); tap++) {
            __m512i n = tap & 1 ? _mm512_add_epi32(first, _mm512_set1_epi32(1)) : first;
            n = tap & 2 ? _mm512_add_epi32(n, steps[0]) : n;
            n = tap & 4 ? _mm512_add_epi32(n, steps[1]) : n;
            const __m512 texel = look_up(v, texels, n, vectors, active),
                         share = axes < 3 ? weight[tap & 3] : _mm512_mul_ps(weight[tap & 3], tap & 4 ? far : near);
            if (is_compared)
                sum = _mm512_add_ps(sum, _mm512_maskz_mov_ps(passes(plan->sampler.compare, given, texel), share));
            else
                sum = _mm512_add_ps(sum, product(share, texel));
        }
        _mm512_mask_storeu_ps(to + g * WIDTH, active, sum);
    }
}

static void sum(tex_float *to, const struct wide *w, const struct tex_box *t, const float *texels,
                const struct tex_plan *plan, const tex_float *reference)
{
#define SUM(axes, vectors, is_compared) sum_groups(to, w, t, texels, plan, reference, axes, vectors, is_compared)
#define SIZES(axes, is_compared)                                                                                       \
    do {                                                                                                               \
        if (t->count <= 2 * WIDTH)                                                                                     \
            SUM(axes, 2, is_compared);                                                                                 \
        else if (t->count <= 4 * WIDTH)                                                                                \
            SUM(axes, 4, is_compared);                                                                                 \
        else if (t->count <= 8 * WIDTH)                                                                                \
            SUM(axes, 8, is_compared);                                                                                 \
        else                                                                                                           \
            SUM(axes, 0, is_compared);                                                                                 \
    } while (0)
    if (plan->axes == 3)
        SIZES(3, false);
    else if (reference)
        SIZES(2, true);
    else
        SIZES(2, false);
#undef SIZES
#undef SUM
}

/* ---- gathers ---- */

/* Constants where it is inlined: vectors. */
TEX_INLINE void gather_groups(float (*to)[LANES_MAX], const struct wide *w, const struct tex_box *t,
                              const float *texels, unsigned vectors)
{
    const __m512i from = _mm512_set1_epi32(-(w->span[1].low >> 8) * (int32_t)t->pitch - (w->span[0].low >> 8)),
                  pitch = _mm512_set1_epi32((int)t->pitch);
    __m512i v[8];
    for (unsigned n = 0; n < vectors; n++)
        v[n] = _mm512_loadu_si512(texels + n * WIDTH);
    for (unsigned g = 0; g < w->groups; g++) {
        const __m512i first = _mm512_add_epi32(_mm512_add_epi32(_mm512_srai_epi32(w->place[0][g], 8), from),
                                               _mm512_mullo_epi32(_mm512_srai_epi32(w->place[1][g], 8), pitch));
        for (unsigned tap = 0; tap < 4; tap++) {
            __m512i n = tap & 1 ? _mm512_add_epi32(first, _mm512_set1_epi32(1)) : first;
            n = tap & 2 ? _mm512_add_epi32(n, pitch) : n;
            _mm512_storeu_ps(to[tap] + g * WIDTH, look_up(v, texels, n, vectors, w->active[g]));
        }
    }
}

static void gather_texels(float (*to)[LANES_MAX], const struct wide *w, const struct tex_box *t, const float *texels)
{
    if (t->count <= 4 * WIDTH)
        gather_groups(to, w, t, texels, 4);
    else if (t->count <= 8 * WIDTH)
        gather_groups(to, w, t, texels, 8);
    else
        gather_groups(to, w, t, texels, 0);
}

/* ---- instructions ---- */

/* The first part of all of them: places, positions and the texels of a channel. */
struct box {
    struct tex_area area;
    struct tex_box texels;
};

static bool find_box(struct box *box, struct wide *w, struct tex_query *q, const struct tex_coords *c,
                     const struct tex_plan *plan, unsigned channel)
{
    struct tex_run r;
    struct tex_area_part part;
    r.places = tex_places_get(q);
    if (!r.places || !plan->axes) /* places that have changed forget the plans that were made with the old ones */
        return false;
    w->groups = q->lanes / WIDTH;
    w->count = 0;
    for (unsigned g = 0; g < w->groups; g++) {
        w->active[g] = (__mmask16)(q->exec >> g * WIDTH);
        w->count += w->active[g] != 0;
    }
    if (!place_axes(w, q, c, plan) || !set_part(&part, w, q, c, r.places, plan))
        return false;
    r.q = q;
    r.kind = plan->kind;
    r.format = plan->format;
    if (q->image->piece_log2)
        r.looked = tex_look_begin(&r.own_looked, q);
    return load_texels(&box->texels, &box->area, &part, &r, channel);
}

static void clamp_reference(float *restrict to, const tex_float *restrict given, unsigned lanes)
{
    LANES_INDEPENDENT
    for (unsigned i = 0; i < lanes; i++)
        to[i] = tex_at_most(tex_at_least(given[i], 0), 1);
}

bool tex_wide_sample(tex_float *to, struct tex_query *q, const struct tex_coords *c, const struct tex_plan *plan)
{
    struct box box;
    struct wide w;
    float own[LANES_MAX];
    const tex_float *reference = q->compare ? tex_floats(q->compare) : NULL;
    if (!find_box(&box, &w, q, c, plan, 0))
        return false;
    if (reference && q->image->clamps_reference) {
        clamp_reference(own, reference, q->lanes);
        reference = own;
    }
    sum(to, &w, &box.texels, box.area.one, plan, reference);
    return true;
}

bool tex_wide_gather(float (*to)[LANES_MAX], struct tex_query *q, const struct tex_coords *c, unsigned component)
{
    const struct tex_plan *plan = tex_plan_get(q);
    struct box box;
    struct wide w;
    if (!plan || !plan->applies || !plan->is_same || plan->kind >= TEX_KIND_CODEC || !q->exec || !q->is_one_slice ||
        q->axes != 2 || q->image->is_cube || component >= tex_kind_channels(plan->kind) ||
        !find_box(&box, &w, q, c, plan, component))
        return false;
    gather_texels(to, &w, &box.texels, box.area.one);
    return true;
}

#endif
