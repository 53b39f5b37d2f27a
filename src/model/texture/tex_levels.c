/* Which levels lanes look at: from levels of detail, lane by lane or as short as it can be. */
#include "model/texture/tex_fast.h"

#include <math.h>
#include <string.h>

#include "util/bits.h"

/* Whether the texels of a footprint become one: whatever the sampler asks for, integers have no mean. */
static bool filters_texels(const struct tex_query *q)
{
    return q->image->is_float || q->sampler->reduction != TEX_MEAN;
}

/* As in tex_levels.linear. */
static uint8_t filter_of(const struct tex_query *q, bool is_linear, bool is_cubic)
{
    return !filters_texels(q) ? 0 : is_cubic && q->axes == 2 && q->image->is_float ? 2 : is_linear;
}

/* Vulkan: the level is rounded half down where the sampler takes the nearest one. */
void tex_levels_init(struct tex_levels *levels, const struct tex_query *q, const struct tex_lod *lod)
{
    const struct tex_sampler *s = q->sampler;
    const struct tex_image *image = q->image;
    unsigned lanes = q->lanes;
    int32_t last = image->last_level - image->base_level, base = image->base_level;
    int32_t low[LANES_MAX], high[LANES_MAX], fraction[LANES_MAX], linear[LANES_MAX], any = 0;
    int32_t mag = filter_of(q, s->mag_linear, s->mag_cubic), min = filter_of(q, s->min_linear, s->min_cubic);
    int32_t round = s->mip_linear ? 0 : 127, mask = s->mip_linear && filters_texels(q) ? 255 : 0,
            most = s->mip_none ? 0 : last << 8;
    LANES_INDEPENDENT
    for (unsigned i = 0; i < lanes; i++) {
        float value = lod->lod[i];
        value = tex_at_least(tex_at_most(value, 16.0f), -16.0f);
        int32_t fixed = (int32_t)floorf(value * 256 + 0.5f);
        linear[i] = fixed <= 0 ? mag : min;
        fixed = fixed < most ? fixed : most;
        fixed = fixed > 0 ? fixed : 0;
        int32_t first = (fixed + round) >> 8, next = first + 1;
        low[i] = base + first;
        high[i] = base + (next < last ? next : last);
        fraction[i] = fixed & mask;
        levels->fraction[i] = (float)fraction[i] * (1.0f / 256);
        any |= fraction[i];
    }
    LANES_INDEPENDENT
    for (unsigned i = 0; i < lanes; i++) {
        levels->low[i] = (uint8_t)low[i];
        levels->high[i] = (uint8_t)high[i];
        levels->linear[i] = (uint8_t)linear[i];
    }
    levels->any_cubic = (mag | min) & 2;
    levels->is_same = false;
    uint32_t active = 0;
    for (unsigned i = 0; any && i < lanes; i++)
        active |= (uint32_t)fraction[i] & q->exec_lanes[i];
    levels->any_fraction = active != 0;
}

/* The level of detail that an instruction has by itself. */
static float same_lod(const struct tex_query *q)
{
    const struct tex_sampler *s = q->sampler;
    const float limit = s->bias_limit, bias = MAX2(MIN2(s->lod_bias, limit), -limit);
    const float low = MAX2(s->min_lod, (float)q->image->min_lod / 256 - (float)q->image->base_level);
    return tex_at_least(tex_at_most(bias, s->max_lod), low);
}

/* Fills all lanes with one lane's values. */
static void fill_lanes(struct tex_levels *levels, struct tex_lod *lod, const struct tex_query *q,
                       const struct tex_levels *one)
{
    const struct tex_sampler *s = q->sampler;
    lod->max_probes = 1;
    memset(lod->probes, 1, sizeof(lod->probes));
    memset(levels->low, one->low[0], sizeof(levels->low));
    memset(levels->high, one->high[0], sizeof(levels->high));
    memset(levels->linear, one->linear[0], sizeof(levels->linear));
    for (unsigned i = 0; i < q->lanes; i++)
        levels->fraction[i] = one->fraction[0];
    levels->any_fraction = one->fraction[0] != 0;
    levels->any_cubic = (filter_of(q, s->mag_linear, s->mag_cubic) | filter_of(q, s->min_linear, s->min_cubic)) & 2;
    levels->is_same = true;
}

/* The levels of one lane with this level of detail, clamped. */
static void find_one(struct tex_levels *one, const struct tex_query *q, float value)
{
    struct tex_lod lod;
    struct tex_query lane = *q;
    lane.lanes = 1;
    lod.lod[0] = value;
    tex_levels_init(one, &lane, &lod);
}

bool tex_levels_init_same(struct tex_levels *levels, struct tex_lod *lod, const struct tex_query *q)
{
    const struct tex_sampler *s = q->sampler;
    const struct tex_image *image = q->image;
    uint8_t mag = filter_of(q, s->mag_linear, s->mag_cubic), min = filter_of(q, s->min_linear, s->min_cubic);
    const bool is_one_level = image->last_level == image->base_level || s->mip_none;
    const bool is_given = q->is_level_zero && !q->clamp;
    struct tex_levels one = {.low = {image->base_level}, .high = {image->base_level}, .linear = {mag}};
    if (!is_given && (!is_one_level || mag != min || tex_wants_aniso(q)))
        return false;
    if (is_given && (!is_one_level || mag != min)) {
        find_one(&one, q, same_lod(q));
    }
    fill_lanes(levels, lod, q, &one);
    return true;
}

/* ---- quads ---- */

/* The common part of all lanes of a level of detail: the bias, and the limits. */
struct limits {
    float bias, low, high;
};

static struct limits limits_of(const struct tex_query *q)
{
    const struct tex_sampler *s = q->sampler;
    return (struct limits){MAX2(MIN2(s->lod_bias, s->bias_limit), -s->bias_limit),
                           MAX2(s->min_lod, (float)q->image->min_lod / 256 - (float)q->image->base_level), s->max_lod};
}

static float limit(float value, const struct limits *limits)
{
    return tex_at_least(tex_at_most(value + limits->bias, limits->high), limits->low);
}

/* An explicit level that all active lanes have. */
static bool is_given_once(const struct tex_query *q, float *value_out)
{
    const uint32_t first = q->lod[__builtin_ctzll(q->exec)];
    uint32_t other = 0;
    for (unsigned i = 0; i < q->lanes; i++)
        other |= (q->lod[i] ^ first) & q->exec_lanes[i];
    *value_out = bits_float(first);
    return !other;
}

/* From the first lane of each quad to all four. */
static void spread_quads(struct tex_levels *levels, const struct tex_levels *quads, unsigned count)
{
    uint32_t low[LANES_MAX / 4], high[LANES_MAX / 4], linear[LANES_MAX / 4];
    for (unsigned n = 0; n < LANES_MAX / 4; n++) {
        low[n] = quads->low[n] * 0x01010101u;
        high[n] = quads->high[n] * 0x01010101u;
        linear[n] = quads->linear[n] * 0x01010101u;
    }
    memcpy(levels->low, low, sizeof(low));
    memcpy(levels->high, high, sizeof(high));
    memcpy(levels->linear, linear, sizeof(linear));
    for (unsigned n = 0; n < count; n++) {
        for (unsigned i = 0; i < 4; i++)
            levels->fraction[4 * n + i] = quads->fraction[n];
    }
}

static void quads_of_exec(uint32_t *active, const struct tex_query *q)
{
    const uint64_t any = q->exec | q->exec >> 1 | q->exec >> 2 | q->exec >> 3;
    for (unsigned n = 0; n < q->lanes / 4; n++)
        active[n] = any >> 4 * n & 1 ? UINT32_MAX : 0;
}

/* The levels of quads that have one pair of derivatives each, and nothing of their own for a lane. */
static bool init_by_quads(struct tex_levels *levels, struct tex_lod *lod, const struct tex_query *q,
                          const struct tex_coords *c)
{
    const struct tex_image *image = q->image;
    const struct limits limits = limits_of(q);
    struct tex_query quads = *q;
    struct tex_levels found = {.low = {0}, .high = {0}, .linear = {0}};
    struct tex_lod of_quads;
    uint32_t active[LANES_MAX / 4];
    float scale[3] = {1, 1, 1}, value[LANES_MAX / 4];
    if (!q->unnormalized) {
        scale[0] = (float)image->level[image->base_level].width;
        scale[1] = (float)image->level[image->base_level].height;
        scale[2] = (float)image->level[image->base_level].depth;
    }
    quads.lanes = q->lanes / 4;
    quads.exec_lanes = active;
    quads_of_exec(active, q);
    if (!q->grad[0][0])
        tex_lod_of_quads(value, q, c, scale);
    else if (!tex_lod_of_quad_gradients(value, q, scale))
        return false;
    for (unsigned n = 0; n < quads.lanes; n++)
        of_quads.lod[n] = limit(value[n], &limits);
    tex_levels_init(&found, &quads, &of_quads);
    spread_quads(levels, &found, quads.lanes);
    levels->any_fraction = found.any_fraction;
    levels->any_cubic = found.any_cubic;
    levels->is_same = false;
    lod->max_probes = 1;
    memset(lod->probes, 1, sizeof(lod->probes));
    return true;
}

#if TEX_HAS_WIDE
/* Whether derivatives along two axes alone make it. */
static bool is_wide(const struct tex_query *q)
{
    return !q->lod && q->axes == 2 && !q->image->is_cube && !(q->grad[0][0] && tex_wants_aniso(q));
}

static bool init_wide(struct tex_levels *levels, struct tex_lod *lod, const struct tex_query *q,
                      const struct tex_coords *c)
{
    const struct tex_sampler *s = q->sampler;
    const struct tex_image *image = q->image;
    const struct limits limits = limits_of(q);
    const int32_t last = image->last_level - image->base_level;
    const struct tex_level_rules rules = {
        .bias = limits.bias,
        .low = limits.low,
        .high = limits.high,
        .mag = filter_of(q, s->mag_linear, s->mag_cubic),
        .min = filter_of(q, s->min_linear, s->min_cubic),
        .base = image->base_level,
        .last = last,
        .most = s->mip_none ? 0 : last << 8,
        .round = s->mip_linear ? 0 : 127,
        .mask = s->mip_linear && filters_texels(q) ? 255 : 0,
    };
    const float scale[2] = {q->unnormalized ? 1 : (float)image->level[image->base_level].width,
                            q->unnormalized ? 1 : (float)image->level[image->base_level].height};
    return tex_levels_init_wide(levels, lod, q, c, scale, &rules);
}
#endif

bool tex_levels_init_short(struct tex_levels *levels, struct tex_lod *lod, const struct tex_query *q,
                           const struct tex_coords *c)
{
    float value;
    if (q->bias || q->clamp || q->is_level_zero || !q->exec)
        return false;
    if (q->lod) {
        struct tex_levels one;
        const struct limits limits = limits_of(q);
        if (!is_given_once(q, &value))
            return false;
        find_one(&one, q, limit(value, &limits));
        fill_lanes(levels, lod, q, &one);
        return true;
    }
#if TEX_HAS_WIDE
    if (is_wide(q))
        return init_wide(levels, lod, q, c);
#endif
    return !tex_wants_aniso(q) && !q->image->is_cube && (!q->grad[0][0] || q->axes == 2) &&
           init_by_quads(levels, lod, q, c);
}
