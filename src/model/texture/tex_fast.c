/* The fast path of the most frequent instruction: 2D images of four unorm bytes, plain repeat or clamp. Texels stay
 * bytes and weights integers until the end, so the sum is exact and rounds once; everything but the loads is a loop
 * over lanes that compilers vectorise. */
#include "model/texture/texture.h"

#include <math.h>
#include <string.h>

#include "util/bits.h"
#include "util/format/channel.h"

static bool is_plain(unsigned wrap)
{
    return wrap == TEX_REPEAT || wrap == TEX_CLAMP_TO_EDGE;
}

/* All lanes the same way: linear_out says which. */
static bool applies(const struct tex_query *q, const struct tex_lod *lod, const struct tex_levels *levels,
                    bool *linear_out)
{
    const struct tex_image *image = q->image;
    const struct tex_sampler *s = q->sampler;
    if (!image->is_rgba8 || image->axes != 2 || q->axes != 2 || image->is_cube || q->offset[0] || q->compare ||
        q->unnormalized || lod->max_probes > 1 || levels->any_cubic || s->reduction != TEX_MEAN ||
        !is_plain(s->wrap[0]) || !is_plain(s->wrap[1]))
        return false;
    *linear_out = s->min_linear;
    if (s->mag_linear == s->min_linear)
        return true;
    uint64_t linear = 0;
    for (unsigned i = 0; i < q->lanes; i++)
        linear |= (uint64_t)levels->linear[i] << i;
    *linear_out = linear & q->exec;
    return !(linear & q->exec) || (linear & q->exec) == q->exec;
}

/* size[] differs where lanes are at different levels. Positions are in units of 1/256 texel, `shift` of them lower than
 * the coordinate. */
static void locate_wrap(struct tex_pairs *restrict to, const float *restrict coord, const int32_t *restrict size,
                        unsigned lanes, float shift)
{
    LANES_INDEPENDENT
    for (unsigned i = 0; i < lanes; i++) {
        int32_t texels = size[i];
        float u = coord[i], whole = (float)texels;
        u -= floorf(u);
        u = u >= 0 ? u : 0;                                    /* an infinity or NaN */
        int32_t at = (int32_t)floorf(u * whole * 256 - shift); /* within [-128, size * 256] */
        int32_t first = at >> 8, second = first + 1;
        first = first < 0 ? first + texels : first;
        second = second >= texels ? second - texels : second;
        to->fraction[i] = (uint32_t)at & 255;
        to->first[i] = first >= texels ? first - texels : first;
        to->second[i] = second >= texels ? 0 : second; /* a size of 1 */
    }
}

/* The same for a size that is a power of two and the same in all lanes. */
static void locate_wrap_power(struct tex_pairs *restrict to, const float *restrict coord, int32_t size, unsigned lanes,
                              float shift)
{
    const float scale = (float)size * 256;
    const int32_t mask = size - 1;
    LANES_INDEPENDENT
    for (unsigned i = 0; i < lanes; i++) {
        float u = coord[i] - floorf(coord[i]);
        u = u >= 0 ? u : 0; /* an infinity or NaN */
        int32_t at = (int32_t)floorf(u * scale - shift), first = at >> 8;
        to->fraction[i] = (uint32_t)at & 255;
        to->first[i] = first & mask;
        to->second[i] = (first + 1) & mask;
    }
}

static void locate_clamp(struct tex_pairs *restrict to, const float *restrict coord, const int32_t *restrict size,
                         unsigned lanes, float shift)
{
    LANES_INDEPENDENT
    for (unsigned i = 0; i < lanes; i++) {
        int32_t last = size[i] - 1;
        float u = coord[i] * (float)size[i];
        u = u > -4194304.0f ? u : -4194304.0f;
        u = u < 4194304.0f ? u : 4194304.0f;
        int32_t at = (int32_t)floorf(u * 256 - shift);
        int32_t first = at >> 8, second = first + 1;
        first = first < last ? first : last;
        second = second < last ? second : last;
        to->fraction[i] = (uint32_t)at & 255;
        to->first[i] = first > 0 ? first : 0;
        to->second[i] = second > 0 ? second : 0;
    }
}

static void locate(struct tex_pairs *to, const float *coord, const int32_t *size, unsigned lanes, unsigned wrap,
                   float shift)
{
    if (wrap == TEX_REPEAT)
        locate_wrap(to, coord, size, lanes, shift);
    else
        locate_clamp(to, coord, size, lanes, shift);
}

/* sum / (255 * 65536), rounded once. With a fused multiplication the reciprocal's two parts do it: no sum of 24 bits
 * comes out different. */
static inline float divide_sum(uint32_t sum)
{
    const double divisor = 255.0 * 65536.0;
    float value = (float)(int32_t)sum;
#if defined(__FP_FAST_FMAF)
    return __builtin_fmaf(value, (float)(1 / divisor), value * (float)(1 / divisor - (double)(float)(1 / divisor)));
#else
    return value / (float)divisor;
#endif
}

/* Each texel by itself: lanes in several levels or slices, or memory that is not all there. `taps` is 4 or, for the
 * nearest texel, 1. */
static bool load_taps(struct tex_words *to, struct tex_query *q, const struct tex_pairs *x, const struct tex_pairs *y,
                      const uint32_t *slice, const uint8_t *level, unsigned taps)
{
    bits_foreach (q->exec, i) {
        for (unsigned tap = 0; tap < taps; tap++) {
            uint32_t at_x = (uint32_t)(tap & 1 ? x->second[i] : x->first[i]),
                     at_y = (uint32_t)(tap & 2 ? y->second[i] : y->first[i]);
            if (!q->ops->load_word(q, &to->at[tap][i], at_x, at_y, slice[i], level[i]))
                return false;
        }
    }
    return true;
}

/* Whether the active lanes are in one slice of one level: that of lane `first`. */
static bool is_one_plane(const struct tex_query *q, const uint32_t *slice, const uint8_t *level, unsigned first)
{
    uint32_t other = 0;
    if (q->exec == lanes_full_mask(q->lanes)) {
        for (unsigned i = 0; i < q->lanes; i++)
            other |= (uint32_t)(level[i] ^ level[first]) | (slice[i] ^ slice[first]);
    } else {
        for (unsigned i = 0; i < q->lanes; i++)
            other |= q->exec_lanes[i] & ((uint32_t)(level[i] ^ level[first]) | (slice[i] ^ slice[first]));
    }
    return other == 0;
}

/* All channels of all lanes. The sums have 24 bits, so the conversion is exact and only the division rounds. Two
 * channels share a word until then: a weighted sum of two bytes has 16 bits. */
static void filter(float (*restrict to)[LANES_MAX], const struct tex_words *restrict texels,
                   const struct tex_pairs *restrict x, const struct tex_pairs *restrict y, unsigned lanes)
{
    const uint32_t even = 0x00ff00ff;
    LANES_INDEPENDENT
    for (unsigned i = 0; i < lanes; i++) {
        uint32_t right = x->fraction[i], left = 256 - right, down = y->fraction[i], up = 256 - down;
        uint32_t t0 = texels->at[0][i], t1 = texels->at[1][i], t2 = texels->at[2][i], t3 = texels->at[3][i];
        uint32_t top_rb = (t0 & even) * left + (t1 & even) * right,
                 top_ga = (t0 >> 8 & even) * left + (t1 >> 8 & even) * right,
                 bottom_rb = (t2 & even) * left + (t3 & even) * right,
                 bottom_ga = (t2 >> 8 & even) * left + (t3 >> 8 & even) * right;
        to[0][i] = divide_sum((top_rb & 0xffff) * up + (bottom_rb & 0xffff) * down);
        to[1][i] = divide_sum((top_ga & 0xffff) * up + (bottom_ga & 0xffff) * down);
        to[2][i] = divide_sum((top_rb >> 16) * up + (bottom_rb >> 16) * down);
        to[3][i] = divide_sum((top_ga >> 16) * up + (bottom_ga >> 16) * down);
    }
}

static void unpack(float (*restrict to)[LANES_MAX], const struct tex_words *restrict texels, unsigned lanes)
{
    LANES_INDEPENDENT
    for (unsigned i = 0; i < lanes; i++) {
        uint32_t texel = texels->at[0][i];
        to[0][i] = format_unorm_to_float(texel & 255, 8);
        to[1][i] = format_unorm_to_float(texel >> 8 & 255, 8);
        to[2][i] = format_unorm_to_float(texel >> 16 & 255, 8);
        to[3][i] = format_unorm_to_float(texel >> 24, 8);
    }
}

struct footprint {
    struct tex_pairs x, y;
    struct tex_words texels;
};

/* Lanes that are all in a level. */
static void locate_in_level(struct tex_pairs *to, const float *coord, uint32_t size, unsigned lanes, unsigned wrap,
                            float shift)
{
    uint32_t sizes[LANES_MAX];
    if (wrap == TEX_REPEAT && !(size & (size - 1))) {
        locate_wrap_power(to, coord, (int32_t)size, lanes, shift);
        return;
    }
    lanes_splat(sizes, size, LANES_MAX);
    locate(to, coord, (const int32_t *)sizes, lanes, wrap, shift);
}

static bool fetch(struct footprint *f, struct tex_query *q, const struct tex_coords *c, const uint8_t *level,
                  bool linear)
{
    unsigned first = q->exec ? (unsigned)__builtin_ctzll(q->exec) : 0, taps = linear ? 4 : 1;
    const uint8_t *wrap = q->sampler->wrap;
    /* Half a texel down to the lower neighbour, and half a step up to round. */
    float shift = linear ? 127.5f : q->sampler->trunc ? 0 : -0.5f;
    if (is_one_plane(q, c->slice, level, first)) { /* lanes that are not active may be anywhere in it, too */
        locate_in_level(&f->x, c->at[0], q->image->level[level[first]].width, q->lanes, wrap[0], shift);
        locate_in_level(&f->y, c->at[1], q->image->level[level[first]].height, q->lanes, wrap[1], shift);
        if (q->ops->load_plane(q, &f->texels, &f->x, &f->y, c->slice[first], level[first], taps))
            return true;
    } else {
        uint32_t width[LANES_MAX], height[LANES_MAX];
        for (unsigned i = 0; i < q->lanes; i++) {
            width[i] = q->image->level[level[i]].width;
            height[i] = q->image->level[level[i]].height;
        }
        locate(&f->x, c->at[0], (const int32_t *)width, q->lanes, wrap[0], shift);
        locate(&f->y, c->at[1], (const int32_t *)height, q->lanes, wrap[1], shift);
    }
    return load_taps(&f->texels, q, &f->x, &f->y, c->slice, level, taps);
}

static void channels_of(float (*to)[LANES_MAX], const struct footprint *f, unsigned lanes, bool linear)
{
    if (linear)
        filter(to, &f->texels, &f->x, &f->y, lanes);
    else
        unpack(to, &f->texels, lanes);
}

enum tex_fast tex_fast_sample(float out[4][LANES_MAX], struct tex_query *q, const struct tex_coords *c,
                              const struct tex_lod *lod, const struct tex_levels *levels)
{
    struct footprint low, high;
    bool linear;
    if (!applies(q, lod, levels, &linear))
        return TEX_FAST_NO;
    if (q->exec != lanes_full_mask(q->lanes))
        memset(&low.texels, 0, sizeof(low.texels));
    if (!fetch(&low, q, c, levels->low, linear))
        return TEX_FAST_STOPPED;
    if (levels->any_fraction) {
        memset(&high.texels, 0, sizeof(high.texels));
        if (!fetch(&high, q, c, levels->high, linear))
            return TEX_FAST_STOPPED;
    }
    channels_of(out, &low, q->lanes, linear);
    if (levels->any_fraction) {
        float upper[4][LANES_MAX];
        channels_of(upper, &high, q->lanes, linear);
        for (unsigned channel = 0; channel < 4; channel++) {
            LANES_INDEPENDENT
            for (unsigned i = 0; i < q->lanes; i++)
                out[channel][i] = out[channel][i] * (1 - levels->fraction[i]) + upper[channel][i] * levels->fraction[i];
        }
    }
    return TEX_FAST_DONE;
}
