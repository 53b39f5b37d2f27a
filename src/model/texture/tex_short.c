/* The shortest way of a sample: of one channel, in one level that all lanes have, filtered, of texels that lie together
 * (tex_area.c). What is the same for all of its instructions is in the plan; a lane's position along an axis stays one
 * number, in 256ths of a texel, from the coordinate to the sum. All that differs from it goes the longer way
 * (tex_fast.c), whose results have the same bits. */
#include "model/texture/tex_four.h"

#include "util/bits.h"
#if defined(__aarch64__)
#include "util/intrinsics.h"
#endif

/* An instruction's lanes: all of it, or the active ones put one after the other. */
struct lanes {
    unsigned count;         /* a multiple of 4 */
    const uint32_t *active; /* all ones where a lane is; NULL: everywhere */
    unsigned first;         /* an active one */
    const tex_float *at[3];
    const tex_float *reference;
    float own[4][LANES_MAX]; /* of lanes that were put together, and where they come from: */
    uint8_t from[LANES_MAX];
};

/* ---- lanes ---- */

static void set_lanes(struct lanes *to, const struct tex_query *q, const struct tex_coords *c)
{
    to->count = q->lanes;
    to->active = q->exec == lanes_full_mask(q->lanes) ? NULL : q->exec_lanes;
    to->first = (unsigned)__builtin_ctzll(q->exec);
    to->reference = q->compare ? tex_floats(q->compare) : NULL;
    for (unsigned axis = 0; axis < q->axes; axis++)
        to->at[axis] = c->at[axis];
}

static void put_together(struct lanes *l, uint64_t exec, unsigned axes)
{
    unsigned count = 0;
    bits_foreach (exec, i) {
        for (unsigned axis = 0; axis < axes; axis++)
            l->own[axis][count] = l->at[axis][i];
        if (l->reference)
            l->own[3][count] = l->reference[i];
        l->from[count++] = (uint8_t)i;
    }
    for (; count % 4; count++) {
        for (unsigned n = 0; n < 4; n++)
            l->own[n][count] = l->own[n][0];
        l->from[count] = l->from[0];
    }
    for (unsigned axis = 0; axis < axes; axis++)
        l->at[axis] = l->own[axis];
    l->reference = l->reference ? l->own[3] : NULL;
    l->count = count;
    l->active = NULL;
    l->first = 0;
}

/* In the range of what is compared with it. */
static void clamp_reference(struct lanes *l)
{
    const tex_float *const given = l->reference;
    float *const to = l->own[3];
    LANES_INDEPENDENT
    for (unsigned i = 0; i < l->count; i++)
        to[i] = tex_at_most(tex_at_least(given[i], 0), 1);
    l->reference = to;
}

/* ---- sums ---- */

struct texels {
    const float *at;
    uint32_t pitch, plane;
    uint32_t from; /* added to what positions come to */
};

TEX_INLINE tex_four_i32 load_at(const int32_t *from)
{
    tex_four_i32 value;
    memcpy(&value, from, sizeof(value));
    return value;
}

TEX_INLINE tex_four fraction(tex_four_i32 at)
{
#if defined(__aarch64__)
    return vcvtq_n_f32_s32((int32x4_t)(at & 255), 8);
#else
    return __builtin_convertvector(at & 255, tex_four) * (1.0f / 256);
#endif
}

/* A product of weights is a whole number of 24 bits, so that its order does not matter. A weight of zero adds nothing,
 * not even of infinity, and a sum begins with zero, which counts where numbers have signs. */
TEX_INLINE tex_four add_product(tex_four sum, tex_four weight, tex_four texel, bool is_first, bool is_unorm)
{
    if (is_unorm)
        return is_first ? weight * texel : sum + weight * texel;
    return sum + (tex_four)((tex_four_i32)(weight * texel) & (weight != 0));
}

/* Constants where it is inlined: axes, is_unorm, is_compared, function. */
TEX_INLINE void sum_lanes(tex_float *to, const struct texels *restrict given, int32_t (*restrict at)[LANES_MAX],
                          const struct lanes *l, unsigned axes, bool is_unorm, bool is_compared, unsigned function)
{
    const unsigned lanes = l->count;
    const uint32_t *const active = l->active;
    const struct texels t = *given;
    uint32_t first[LANES_MAX]; /* the numbers of first texels: memory is the shorter way from vectors to addresses */
    for (unsigned i = 0; i < lanes; i++)
        first[i] = (uint32_t)(at[0][i] >> 8) + (uint32_t)(at[1][i] >> 8) * t.pitch +
                   (axes == 3 ? (uint32_t)(at[2][i] >> 8) * t.plane : 0) + t.from;
    for (unsigned i = 0; i < lanes; i += 4) {
        const tex_four_i32 x = load_at(at[0] + i), y = load_at(at[1] + i), z = axes == 3 ? load_at(at[2] + i) : x;
        const tex_four right = fraction(x), left = 1 - right, down = fraction(y), up = 1 - down, far = fraction(z),
                       near = 1 - far, weight[4] = {left * up, right * up, left * down, right * down};
        tex_four value = {0}, compared = {0};
        if (is_compared)
            memcpy(&compared, l->reference + i, sizeof(compared));
        for (unsigned slice = 0; slice < (axes == 3 ? 2u : 1u); slice++) {
            tex_four taps[4];
            tex_four_taps(taps, t.at + slice * t.plane, t.pitch, first + i);
            for (unsigned tap = 0; tap < 4; tap++) {
                const tex_four share = axes < 3 ? weight[tap] : weight[tap] * (slice ? far : near);
                if (is_compared)
                    value += (tex_four)((tex_four_i32)share & tex_four_passes(function, compared, taps[tap]));
                else
                    value = add_product(value, share, taps[tap], !slice && !tap, is_unorm);
            }
        }
        if (active) {
            tex_four_i32 kept, mask;
            memcpy(&kept, to + i, sizeof(kept));
            memcpy(&mask, active + i, sizeof(mask));
            value = (tex_four)(((tex_four_i32)value & mask) | (kept & ~mask));
        }
        memcpy(to + i, &value, sizeof(value));
    }
}

static void sum_compared(tex_float *to, const struct texels *t, int32_t (*at)[LANES_MAX], const struct lanes *l,
                         unsigned function)
{
#define COMPARED(function)                                                                                             \
    case function:                                                                                                     \
        sum_lanes(to, t, at, l, 2, true, true, function);                                                              \
        break;
    switch (function) {
        COMPARED(PIXEL_NEVER)
        COMPARED(PIXEL_LESS)
        COMPARED(PIXEL_EQUAL)
        COMPARED(PIXEL_LESS_OR_EQUAL)
        COMPARED(PIXEL_GREATER)
        COMPARED(PIXEL_NOT_EQUAL)
        COMPARED(PIXEL_GREATER_OR_EQUAL)
        COMPARED(PIXEL_ALWAYS)
    }
#undef COMPARED
}

static void sum(tex_float *to, const struct texels *t, int32_t (*at)[LANES_MAX], const struct lanes *l,
                const struct tex_plan *plan)
{
    const bool is_unorm = !tex_may_be_infinite(plan->kind);
    if (l->reference)
        sum_compared(to, t, at, l, plan->sampler.compare);
    else if (plan->axes == 3 && is_unorm)
        sum_lanes(to, t, at, l, 3, true, false, 0);
    else if (plan->axes == 3)
        sum_lanes(to, t, at, l, 3, false, false, 0);
    else if (is_unorm)
        sum_lanes(to, t, at, l, 2, true, false, 0);
    else
        sum_lanes(to, t, at, l, 2, false, false, 0);
}

/* ---- where texels are ---- */

static int32_t clamped(int32_t at, int32_t most)
{
    return (MAX2(MIN2(at >> 8, most), -1) * 256) | (at & 255);
}

/* To one texel before the first and to the last one: what is farther has the same texels. */
static void clamp_all(int32_t *restrict at, struct tex_span *range, int32_t size, unsigned lanes)
{
    if (range->low >= -256 && range->high < size * 256)
        return;
    for (unsigned i = 0; i < lanes; i++)
        at[i] = clamped(at[i], size - 1);
    *range = (struct tex_span){clamped(range->low, size - 1), clamped(range->high, size - 1)};
}

/* Positions and what they reach. False: where tables say nothing, or not so seldom that it would be worth it here. */
static bool place_axes(int32_t (*at)[LANES_MAX], struct tex_span *range, const struct lanes *l,
                       const struct tex_plan *plan, bool has_pieces)
{
    for (unsigned axis = 0; axis < plan->axes; axis++) {
        const unsigned wrap = tex_wrap_kind(plan->sampler.wrap[axis]);
        const bool repeats = wrap != TEX_CLAMP_TO_EDGE;
        const int32_t size = wrap == TEX_MIRROR ? 2 * plan->axis[axis].size : plan->axis[axis].size;
        range[axis] = tex_place_lanes(at[axis], l->at[axis], &plan->axis[axis], wrap, l->active, l->first, l->count);
        const bool is_inside = range[axis].low >= 0 && range[axis].high >> 8 < size - 1;
        if (is_inside)
            continue;
        if ((axis < 2 && plan->inside[axis]) || (axis == 2 && (has_pieces || repeats)) ||
            (repeats && (range[axis].low < -256 || range[axis].high >> 8 >= size)))
            return false;
        clamp_all(at[axis], &range[axis], size, l->count);
    }
    return true;
}

/* The box around all footprints. False: too large. */
static bool set_area(struct tex_area *a, const struct tex_span *range, const struct tex_query *q,
                     const struct tex_coords *c, const struct tex_places *p, const struct tex_plan *plan,
                     const struct lanes *l)
{
    const unsigned level = plan->levels.low[0];
    const uint32_t last = p->slices - 1, most = plan->axes == 3 ? MAX2(8 * l->count, 128) : MAX2(4 * l->count, 64);
    struct tex_area_part *const part = &a->parts[0];
    uint64_t texels = 1;
    uint32_t reach[3] = {1, 1, 1};
    for (unsigned axis = 0; axis < plan->axes; axis++) {
        reach[axis] = (uint32_t)((range[axis].high >> 8) - (range[axis].low >> 8)) + 2;
        texels *= MIN2(reach[axis], most + 1);
    }
    if (texels > most)
        return false;
    const uint32_t pitch = (uint32_t)align_u64(reach[0], TEX_AREA_STEP);
    *part = (struct tex_area_part){
        .x = p->x_start[level] + (uint32_t)(range[0].low >> 8),
        .y = p->y_start[level] + (uint32_t)(range[1].low >> 8),
        .z = MIN2(c->slice[__builtin_ctzll(q->exec)], last),
        .columns = reach[0],
        .rows = reach[1],
        .slices = reach[2],
        .level = level,
        .last = last,
    };
    if (plan->axes == 3) {
        part->lead = range[2].low < 0;
        part->z = MIN2(q->image->first_layer + (uint32_t)MAX2(range[2].low >> 8, 0), last);
        part->last = MIN2(q->image->first_layer + (uint32_t)plan->axis[2].size - 1, last);
    }
    a->is_one = true;
    a->part_count = 1;
    a->pitch = pitch;
    a->count = pitch * reach[1] * reach[2];
    return true;
}

static void set_channels(struct tex_result *out, const struct tex_image *image)
{
    for (unsigned n = 0; n < 4; n++) {
        const unsigned from = image->order[n];
        out->channel[n] = from == 0 ? out->value[0] : from == 3 || from == TEX_ORDER_ONE ? tex_ones : tex_zeros;
    }
}

/* Of texels that lie together. False: what metadata says of them is not known. */
static bool sum_near(tex_float *to, struct tex_area *area, struct tex_run *r, const struct tex_span *range,
                     int32_t (*at)[LANES_MAX], const struct lanes *l, const struct tex_plan *plan)
{
    if (!tex_area_load_one(area, r, 0))
        return false;
    const uint32_t plane = area->pitch * area->parts[0].rows;
    const struct texels texels = {
        .at = area->one,
        .pitch = area->pitch,
        .plane = plane,
        .from = 0u - (uint32_t)(range[1].low >> 8) * area->pitch - (uint32_t)(range[0].low >> 8) -
                (plan->axes == 3 ? (uint32_t)(range[2].low >> 8) * plane : 0),
    };
    sum(to, &texels, at, l, plan);
    return true;
}

static void split_positions(struct tex_positions *restrict to, const int32_t *restrict at, int32_t start,
                            unsigned lanes)
{
    for (unsigned i = 0; i < lanes; i++) {
        to->at[i] = (uint32_t)((at[i] >> 8) + start);
        to->fraction[i] = (uint32_t)at[i] & 255;
    }
}

/* Of others, each lane's on its own. False: as above. */
static bool sum_far(tex_float *restrict to, struct tex_run *r, const struct tex_coords *c, int32_t (*at)[LANES_MAX],
                    const struct lanes *l, const struct tex_plan *plan)
{
    const struct tex_places *p = r->places;
    const unsigned level = plan->levels.low[0];
    const struct tex_share share = {tex_ones, NULL, l->reference, plan->sampler.compare};
    float row[1][LANES_MAX] = {{0}};
    split_positions(&r->f.x, at[0], (int32_t)p->x_start[level], l->count);
    split_positions(&r->f.y, at[1], (int32_t)p->y_start[level], l->count);
    r->f.is_one_slice = r->is_one_level = true;
    r->f.taps = 4;
    r->f.words = 1;
    r->level = plan->levels.low;
    r->slice = c->slice;
    r->first = l->first;
    r->others = 0;
    r->is_outside = false;
    tex_run_load_words(r, p->element_B);
    if (r->others)
        return false;
    tex_add_channels(row, &r->f, plan->kind, &share, l->count);
    for (unsigned i = 0; i < l->count; i++)
        to[i] = !l->active || l->active[i] ? row[0][i] : to[i];
    return true;
}

static __attribute__((noinline)) bool sample(struct tex_result *out, uint32_t *into, struct tex_query *q,
                                             const struct tex_coords *c, const struct tex_plan *plan)
{
    tex_float *const to = into ? (tex_float *)into : out->value[0];
    struct tex_run r;
    struct tex_area area;
    struct lanes l;
    struct tex_span range[3];
    int32_t at[3][LANES_MAX];
    float row[LANES_MAX];
#if TEX_HAS_WIDE
    if (!tex_wide_sample(to, q, c, plan))
        return false;
    if (!into)
        set_channels(out, q->image);
    return true;
#endif
    r.places = tex_places_get(q);
    if (!r.places || !plan->axes) /* places that have changed forget the plans that were made with the old ones */
        return false;
    set_lanes(&l, q, c);
    const bool is_sparse = (unsigned)__builtin_popcountll(q->exec) * 2 <= q->lanes;
    if (is_sparse)
        put_together(&l, q->exec, q->axes);
    if (!place_axes(at, range, &l, plan, q->image->piece_log2 != 0))
        return false;
    const bool is_near = set_area(&area, range, q, c, r.places, plan, &l);
    if (!is_near && (is_sparse || q->axes == 3))
        return false;
    r.q = q;
    r.kind = plan->kind;
    r.format = plan->format;
    if (q->image->piece_log2)
        r.looked = tex_look_begin(&r.own_looked, q);
    if (l.reference && q->image->clamps_reference)
        clamp_reference(&l);
    if (!(is_near ? sum_near(is_sparse ? row : to, &area, &r, range, at, &l, plan)
                  : sum_far(to, &r, c, at, &l, plan)))
        return false;
    for (unsigned i = 0; is_sparse && i < l.count; i++)
        to[l.from[i]] = row[i];
    if (!into)
        set_channels(out, q->image);
    return true;
}

bool tex_short_sample(struct tex_result *out, uint32_t *into, struct tex_query *q, const struct tex_coords *c)
{
    const struct tex_plan *plan = tex_plan_get(q);
    return plan && plan->is_short && q->exec && (q->axes == 3 || q->is_one_slice) && (TEX_HAS_WIDE || !q->offset[0]) &&
           sample(out, into, q, c, plan);
}
