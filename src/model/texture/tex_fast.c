/* The fast path of samples: images whose places are known as tables and whose memory is mapped as a whole, and samplers
 * that take weighted means. A pass is one footprint per lane, for each level, each slice of a volume and, if
 * anisotropic, each probe; all its steps are loops over lanes. What it meets that is not its case (a border, the edge of
 * a cube) leads back to tex_sample.c for the whole instruction, and nothing has been done. */
#include "model/texture/tex_fast.h"

#include <string.h>

#include "util/bits.h"

const float tex_zeros[LANES_MAX];
const float tex_ones[LANES_MAX] = {
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
};

/* What all passes of an instruction have in common. */
struct run {
    struct tex_query *q;
    const struct tex_places *places;
    enum tex_kind kind;
    enum format format;
    bool is_once;   /* sums and positions are rounded once: four bytes and one probe */
    bool is_mixed;  /* lanes differ in their filters */
    bool is_pair;   /* footprints of some lanes have two texels along an axis */
    bool inside[2]; /* what is outside along that axis is not in the tables */
    struct tex_rounding rounding, z_rounding;
    float reference[LANES_MAX];
    struct tex_looked looked;
    struct tex_footprint f;
};

/* ---- is it the case? ---- */

static bool is_wrap(const struct tex_query *q, unsigned axis)
{
    unsigned wrap = q->sampler->wrap[axis];
    if (q->unnormalized)
        return wrap == TEX_CLAMP_TO_EDGE || (axis < 2 && wrap == TEX_CLAMP_TO_BORDER);
    if (axis == 2)
        return wrap == TEX_REPEAT || wrap == TEX_CLAMP_TO_EDGE;
    return wrap == TEX_REPEAT || wrap == TEX_MIRROR || wrap == TEX_CLAMP_TO_EDGE || wrap == TEX_CLAMP_TO_BORDER;
}

static bool are_offsets_small(const struct tex_query *q)
{
    uint32_t far = 0;
    for (unsigned axis = 0; axis < q->axes; axis++) {
        if (!q->offset[axis])
            continue;
        if (axis == 2)
            return false;
        for (unsigned i = 0; i < q->lanes; i++)
            far |= (uint32_t)(q->offset[axis][i] + TEX_PLACES_OFFSET) & q->exec_lanes[i] & ~15u;
    }
    return !far;
}

static bool applies(struct run *r)
{
    const struct tex_query *q = r->q;
    const struct tex_image *image = q->image;
    const struct tex_sampler *s = q->sampler;
    if (!q->space || !q->places || !image->format || !image->is_float || s->reduction != TEX_MEAN ||
        (q->axes != image->axes))
        return false;
    for (unsigned axis = 0; axis < q->axes; axis++) {
        if (!is_wrap(q, axis))
            return false;
    }
    r->format = s->is_encoded ? format_info(image->format)->linear_format : image->format;
    r->kind = tex_kind_of(r->format);
    if (q->compare &&
        ((r->kind != TEX_KIND_R16 && r->kind != TEX_KIND_D24 && r->kind != TEX_KIND_R32F) || image->order[0] != 0))
        return false;
    return r->kind != TEX_KIND_NONE && (!q->offset[0] || are_offsets_small(q));
}

/* ---- filters ---- */

static void set_rounding(struct tex_rounding *to, const struct run *r, unsigned i, bool is_linear)
{
    to->down[i] = !is_linear ? 0 : r->is_once ? 127.5f : 128;
    to->up[i] = is_linear ? (r->is_once ? 0 : 0.5f) : r->q->sampler->trunc ? 0 : 0.5f;
    to->mask[i] = is_linear ? 255 : 0;
}

/* Which lanes take the nearest texel and which filter. */
static void set_filters(struct run *r, const struct tex_levels *levels)
{
    const struct tex_query *q = r->q;
    const struct tex_sampler *s = q->sampler;
    uint64_t linear = s->min_linear ? UINT64_MAX : 0;
    if (s->mag_linear != s->min_linear) {
        linear = 0;
        for (unsigned i = 0; i < q->lanes; i++)
            linear |= (uint64_t)(levels->linear[i] != 0) << i;
        linear &= q->exec;
    }
    r->is_pair = linear != 0;
    r->is_mixed = r->is_pair && (linear & q->exec) != q->exec;
    for (unsigned i = 0; i < (r->is_mixed ? q->lanes : 1); i++)
        set_rounding(&r->rounding, r, i, r->is_mixed ? linear >> i & 1 : r->is_pair);
    if (q->axes < 3)
        return;
    for (unsigned i = 0; i < q->lanes; i++)
        set_rounding(&r->z_rounding, r, i, s->z_follows_xy ? linear >> i & 1 : s->z_linear);
}

/* ---- positions ---- */

/* Whether the active lanes have one value. */
static bool is_one_level(const struct tex_query *q, const uint8_t *level, unsigned first)
{
    uint32_t other = 0;
    for (unsigned i = 0; i < q->lanes; i++)
        other |= (uint32_t)(level[i] ^ level[first]) & q->exec_lanes[i];
    return !other;
}

static bool is_one_slice(const struct tex_query *q, const uint32_t *slice, unsigned first)
{
    uint32_t other = 0;
    for (unsigned i = 0; i < q->lanes; i++)
        other |= (slice[i] ^ slice[first]) & q->exec_lanes[i];
    return !other;
}

static void set_axis(struct tex_axis *to, const struct run *r, unsigned axis, const uint8_t *level, unsigned first,
                     bool is_same)
{
    const struct tex_places *p = r->places;
    for (unsigned i = 0; i < (is_same ? 1 : r->q->lanes); i++) {
        const unsigned at = level[is_same ? first : i];
        const uint32_t size = axis == 0   ? r->q->image->level[at].width
                              : axis == 1 ? r->q->image->level[at].height
                                          : r->q->image->level[at].depth;
        to->size[i] = (int32_t)size;
        to->scale[i] = r->q->unnormalized ? 1 : (float)size;
        to->start[i] = axis == 0 ? (int32_t)p->x_start[at] : axis == 1 ? (int32_t)p->y_start[at] : 0;
    }
    if (is_same && (r->is_mixed || r->q->offset[axis])) { /* rows, for rounding or offsets are */
        for (unsigned i = 1; i < r->q->lanes; i++) {
            to->size[i] = to->size[0];
            to->scale[i] = to->scale[0];
            to->start[i] = to->start[0];
        }
    }
}

/* Rounding as rows where something else is one. */
static void spread_rounding(struct tex_rounding *to, unsigned lanes)
{
    for (unsigned i = 1; i < lanes; i++) {
        to->down[i] = to->down[0];
        to->up[i] = to->up[0];
        to->mask[i] = to->mask[0];
    }
}

/* x and y; false: a footprint is outside where the tables say nothing. */
static bool locate(struct run *r, const struct tex_coords *c, const uint8_t *level, unsigned first, bool is_one)
{
    const struct tex_query *q = r->q;
    struct tex_axis axis;
    struct tex_positions *const to[2] = {&r->f.x, &r->f.y};
    for (unsigned n = 0; n < MIN2(q->axes, 2u); n++) {
        const bool is_same = is_one && !r->is_mixed && !q->offset[n];
        set_axis(&axis, r, n, level, first, is_one);
        if (!is_same && !r->is_mixed)
            spread_rounding(&r->rounding, q->lanes);
        if (tex_locate(to[n], q, c->at[n], q->offset[n], &axis, &r->rounding, r->places->wrap[n], is_same,
                       r->is_pair) &&
            r->inside[n])
            return false;
    }
    if (q->axes == 1) {
        for (unsigned i = 0; i < q->lanes; i++) {
            r->f.y.at[i] = r->places->y_start[level[is_one ? first : i]];
            r->f.y.fraction[i] = 0;
        }
    }
    return true;
}

/* Slices, and what metadata says of the texels. False: they are not as they are in memory. */
static bool set_slices(struct run *r, const uint32_t *slice, const uint8_t *level, unsigned first, bool is_one)
{
    const struct tex_places *p = r->places;
    const uint32_t last = p->slices - 1;
    r->f.taps = r->is_pair ? 4 : 1;
    r->f.is_one_slice = is_one && is_one_slice(r->q, slice, first);
    if (r->f.is_one_slice)
        r->f.slice[0] = p->z[level[first] * p->slices + MIN2(slice[first], last)];
    for (unsigned i = 0; !r->f.is_one_slice && i < r->q->lanes; i++)
        r->f.slice[i] = p->z[level[is_one ? first : i] * p->slices + MIN2(slice[i], last)];
    return !r->q->image->piece_log2 || tex_look(&r->looked, &r->f, p, r->q, level, slice);
}

/* The two slices of a volume that lanes are between. */
struct slices {
    uint32_t at[2][LANES_MAX];
    float weight[2][LANES_MAX];
};

static void locate_slices(struct slices *to, const struct run *r, const struct tex_coords *c, const uint8_t *level)
{
    const struct tex_query *q = r->q;
    const unsigned wrap = q->sampler->wrap[2];
    struct tex_axis axis;
    struct tex_positions z;
    set_axis(&axis, r, 2, level, 0, false);
    tex_locate(&z, q, c->at[2], NULL, &axis, &r->z_rounding, wrap, false, true);
    for (unsigned second = 0; second < 2; second++) {
        for (unsigned i = 0; i < q->lanes; i++) {
            const int32_t size = axis.size[i];
            int32_t slice = (int32_t)z.at[i] + (int32_t)second;
            if (wrap == TEX_REPEAT)
                slice = (slice + size) % size;
            slice = slice > 0 ? MIN2(slice, size - 1) : 0;
            to->at[second][i] = (uint32_t)slice + q->image->first_layer;
            to->weight[second][i] = (float)(int32_t)(second ? z.fraction[i] : 256 - z.fraction[i]) * (1.0f / 256);
        }
    }
}

/* ---- texels ---- */

/* Sums of an instruction: channels as rows, or texels. */
struct sums {
    float (*row)[LANES_MAX];
    float texel[LANES_MAX][4];
};

static void load_codec(float (*texels)[LANES_MAX][4], struct run *r)
{
    const struct format_codec *codec = format_codec(r->format);
    for (unsigned tap = 0; tap < r->f.taps; tap++)
        codec->fetch_float(texels[tap], (const void *const *)r->f.element[tap], r->q->lanes);
}

/* A block is looked up once where the texels of a lane are all in it. False: nothing decodes it. */
static bool load_blocks(float (*texels)[LANES_MAX][4], struct run *r)
{
    const struct tex_places *p = r->places;
    for (unsigned i = 0; i < r->q->lanes; i++) {
        const uint8_t *known = NULL;
        tex_texels block = NULL;
        if (!(r->q->exec >> i & 1)) {
            for (unsigned tap = 0; tap < r->f.taps; tap++)
                memset(texels[tap][i], 0, sizeof(texels[tap][i]));
            continue;
        }
        for (unsigned tap = 0; tap < r->f.taps; tap++) {
            const uint8_t *at = r->f.element[tap][i];
            const unsigned inside = p->x_inside[r->f.x.at[i] + (tap & 1)] + p->y_inside[r->f.y.at[i] + (tap >> 1)];
            if (at != known &&
                !(block = tex_block_at(r->q->blocks, r->format, r->q->image->is_narrow, at, p->element_B)))
                return false;
            known = at;
            memcpy(texels[tap][i], block[inside], sizeof(texels[tap][i]));
        }
    }
    return true;
}

static bool add_elements(struct sums *sums, struct run *r, const struct tex_share *share)
{
    float texels[4][LANES_MAX][4];
    tex_load_elements(&r->f, r->places, r->q->lanes);
    if (r->kind == TEX_KIND_CODEC)
        load_codec(texels, r);
    else if (!load_blocks(texels, r))
        return false;
    tex_add_texels(sums->texel, &r->f, texels, share, r->q->lanes);
    return true;
}

/* Add the footprint at its place. */
static bool add_footprint(struct sums *sums, struct run *r, const float *lane, const float *slice)
{
    const struct tex_query *q = r->q;
    const struct tex_share share = {lane, slice, q->compare ? r->reference : NULL, q->sampler->compare};
    if (r->kind >= TEX_KIND_CODEC)
        return add_elements(sums, r, &share);
    tex_load_words(&r->f, r->places, q->lanes, r->places->element_B);
    if (r->kind != TEX_KIND_RGBA8) {
        tex_add_channels(sums->row, &r->f, r->kind, &share, q->lanes);
        return true;
    }
    float weight[LANES_MAX];
    for (unsigned i = 0; slice && i < q->lanes; i++)
        weight[i] = lane[i] * slice[i];
    tex_add_bytes(sums->row, &r->f, slice ? weight : lane, q->lanes);
    return true;
}

static bool add_level(struct sums *sums, struct run *r, const struct tex_coords *c, const uint8_t *level,
                      const float *lane)
{
    const struct tex_query *q = r->q;
    const unsigned first = (unsigned)__builtin_ctzll(q->exec);
    const bool is_one = is_one_level(q, level, first);
    struct slices slices;
    if (!locate(r, c, level, first, is_one))
        return false;
    if (q->axes < 3) {
        return set_slices(r, c->slice, level, first, is_one) && add_footprint(sums, r, lane, NULL);
    }
    locate_slices(&slices, r, c, level);
    for (unsigned second = 0; second < 2; second++) {
        if (!set_slices(r, slices.at[second], level, first, is_one) ||
            !add_footprint(sums, r, lane, slices.weight[second]))
            return false;
    }
    return true;
}

/* ---- instructions ---- */

/* One or two levels of four bytes: each is divided by itself, then mixed. */
static bool mix_bytes(float (*out)[LANES_MAX], struct run *r, const struct tex_coords *c,
                      const struct tex_levels *levels)
{
    const struct tex_query *q = r->q;
    const unsigned first = (unsigned)__builtin_ctzll(q->exec);
    for (unsigned second = 0; second < 1u + levels->any_fraction; second++) {
        const uint8_t *level = second ? levels->high : levels->low;
        const bool is_one = is_one_level(q, level, first);
        float upper[4][LANES_MAX];
        if (!locate(r, c, level, first, is_one) || !set_slices(r, c->slice, level, first, is_one))
            return false;
        tex_load_words(&r->f, r->places, q->lanes, 4);
        tex_filter_bytes(second ? upper : out, &r->f, q->lanes);
        for (unsigned n = 0; second && n < 4; n++) {
            LANES_INDEPENDENT
            for (unsigned i = 0; i < q->lanes; i++)
                out[n][i] = out[n][i] * (1 - levels->fraction[i]) + upper[n][i] * levels->fraction[i];
        }
    }
    return true;
}

static void move_to_probe(struct tex_coords *to, const struct tex_coords *c, const struct tex_lod *lod, unsigned lanes,
                          unsigned number)
{
    LANES_INDEPENDENT
    for (unsigned i = 0; i < lanes; i++) {
        float along = (float)(int32_t)(number + 1) / (float)(lod->probes[i] + 1) - 0.5f;
        to->at[0][i] = c->at[0][i] + lod->step[0][i] * along;
        to->at[1][i] = c->at[1][i] + lod->step[1][i] * along;
    }
}

/* As tex_sample.c does it, with the same weights. */
static bool add_probes(struct sums *sums, struct run *r, const struct tex_coords *c, const struct tex_lod *lod,
                       const struct tex_levels *levels)
{
    const unsigned lanes = r->q->lanes;
    struct tex_coords moved;
    if (lod->max_probes > 1)
        moved = *c;
    for (unsigned probe = 0; probe < lod->max_probes; probe++) {
        float low[LANES_MAX], high[LANES_MAX];
        for (unsigned i = 0; i < lanes; i++) {
            float share = probe < lod->probes[i] ? 1.0f / (float)lod->probes[i] : 0;
            high[i] = share * levels->fraction[i];
            low[i] = share - high[i];
        }
        if (lod->max_probes > 1)
            move_to_probe(&moved, c, lod, lanes, probe);
        const struct tex_coords *at = lod->max_probes > 1 ? &moved : c;
        if (!add_level(sums, r, at, levels->low, low))
            return false;
        if (levels->any_fraction && !add_level(sums, r, at, levels->high, high))
            return false;
    }
    return true;
}

static void set_reference(struct run *r)
{
    const tex_float *given = tex_floats(r->q->compare);
    const bool is_fixed = r->q->image->clamps_reference;
    for (unsigned i = 0; i < r->q->lanes; i++) {
        const float in_range = given[i] > 0 ? MIN2(given[i], 1.0f) : 0;
        r->reference[i] = is_fixed ? in_range : given[i];
    }
}

/* Texels to rows; rows to X, Y, Z and W. */
static void finish(struct tex_result *out, const struct run *r, const struct sums *sums)
{
    const unsigned channels = tex_kind_channels(r->kind);
    if (r->kind >= TEX_KIND_CODEC) {
        for (unsigned i = 0; i < r->q->lanes; i++) {
            for (unsigned n = 0; n < 4; n++)
                out->value[n][i] = sums->texel[i][n];
        }
    }
    for (unsigned n = 0; n < 4; n++) {
        const unsigned from = r->q->image->order[n];
        const bool is_one = from == TEX_ORDER_ONE || from == 3;
        out->channel[n] = from < channels ? out->value[from] : is_one ? tex_ones : tex_zeros;
    }
}

/* What is outside along an axis and not in the tables. */
static void set_inside(struct run *r)
{
    const struct tex_query *q = r->q;
    for (unsigned axis = 0; axis < 2; axis++)
        r->inside[axis] = q->image->is_cube ? q->sampler->is_seamless || q->sampler->wrap[axis] != TEX_CLAMP_TO_EDGE
                                            : q->sampler->wrap[axis] == TEX_CLAMP_TO_BORDER;
    if (q->image->piece_log2)
        memset(&r->looked, 0, sizeof(r->looked));
}

bool tex_fast_sample(struct tex_result *out, struct tex_query *q, const struct tex_coords *c, const struct tex_lod *lod,
                     const struct tex_levels *levels)
{
    struct run r;
    struct sums sums;
    r.q = q;
    if (!q->exec || levels->any_cubic || !applies(&r) || !(r.places = tex_places_get(q)))
        return false;
    set_inside(&r);
    r.is_once = r.kind == TEX_KIND_RGBA8 && lod->max_probes == 1 && q->axes < 3;
    set_filters(&r, levels);
    if (q->compare)
        set_reference(&r);
    if (r.is_once) {
        if (!mix_bytes(out->value, &r, c, levels))
            return false;
    } else {
        sums.row = out->value;
        memset(out->value, 0, sizeof(out->value));
        if (r.kind >= TEX_KIND_CODEC)
            memset(sums.texel, 0, sizeof(sums.texel));
        if (!add_probes(&sums, &r, c, lod, levels))
            return false;
        if (r.kind == TEX_KIND_RGBA8)
            tex_divide_sums(out->value, q->lanes);
    }
    finish(out, &r, &sums);
    return true;
}

bool tex_fast_gather(union tex_texel out[4][LANES_MAX], struct tex_query *q, const struct tex_coords *c,
                     const struct tex_levels *levels)
{
    static const uint8_t in_order[4] = {0, 1, 2, 3};
    struct run r;
    float(*texels)[LANES_MAX][4] = (float(*)[LANES_MAX][4])out;
    r.q = q;
    if (!q->exec || q->axes != 2 || !applies(&r) || !(r.places = tex_places_get(q)))
        return false;
    const unsigned first = (unsigned)__builtin_ctzll(q->exec);
    const bool is_one = is_one_level(q, levels->low, first);
    set_inside(&r);
    r.is_once = r.is_mixed = false;
    r.is_pair = true;
    set_rounding(&r.rounding, &r, 0, true);
    if (!locate(&r, c, levels->low, first, is_one) || !set_slices(&r, c->slice, levels->low, first, is_one))
        return false;
    tex_load_elements(&r.f, r.places, q->lanes);
    if (r.kind != TEX_KIND_BLOCKS)
        load_codec(texels, &r);
    else if (!load_blocks(texels, &r))
        return false;
    for (unsigned tap = 0; tap < 4 && memcmp(q->image->order, in_order, sizeof(in_order)) != 0; tap++) {
        for (unsigned i = 0; i < q->lanes; i++) {
            const union tex_texel from = out[tap][i];
            for (unsigned n = 0; n < 4; n++) {
                const unsigned order = q->image->order[n];
                out[tap][i].f[n] = order < 4 ? from.f[order] : order == TEX_ORDER_ONE;
            }
        }
    }
    return true;
}
