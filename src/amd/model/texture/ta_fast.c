/* The fast path of the most frequent instruction: 2D images of four unorm bytes, plain repeat or clamp. Texels stay
 * bytes and weights integers until the end, so the sum is exact and rounds once; everything but the loads is a loop
 * over lanes that compilers vectorise. */
#include "amd/model/texture/ta.h"

#include <math.h>
#include <string.h>

#include "amd/hw/enums.h"
#include "util/bits.h"
#include "util/format/channel.h"
#include "util/half.h"

struct axis {
    int32_t first[LANES_MAX], second[LANES_MAX];
    uint32_t fraction[LANES_MAX];
};

static bool is_plain(unsigned wrap)
{
    return wrap == TEX_REPEAT || wrap == TEX_CLAMP_TO_EDGE;
}

/* All lanes the same way: linear_out says which. */
static bool applies(const struct ta_request *r, const struct ta_lod *lod, const struct ta_levels *levels,
                    bool *linear_out)
{
    const struct tc_image *image = r->image;
    const struct tex_sampler *s = r->sampler;
    if (!image->format.is_rgba8 || image->axes != 2 || r->axes != 2 || image->is_cube ||
        image->meta_kind != TC_META_NONE || r->offset || r->compare || r->unnormalized || lod->max_probes > 1 ||
        s->reduction != TEX_MEAN || !is_plain(s->wrap[0]) || !is_plain(s->wrap[1]) || r->uop->inst->mem.tfe ||
        r->uop->inst->mem.d16)
        return false;
    *linear_out = s->min_linear;
    if (s->mag_linear == s->min_linear)
        return true;
    uint64_t linear = 0;
    for (unsigned i = 0; i < r->lanes; i++)
        linear |= (uint64_t)levels->linear[i] << i;
    *linear_out = linear & r->exec;
    return !(linear & r->exec) || (linear & r->exec) == r->exec;
}

/* size[] differs where lanes are at different levels. Positions are in units of 1/256 texel, `shift` of them lower than
 * the coordinate. */
static void locate_wrap(struct axis *restrict to, const float *restrict coord, const int32_t *restrict size,
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
static void locate_wrap_power(struct axis *restrict to, const float *restrict coord, int32_t size, unsigned lanes,
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

static void locate_clamp(struct axis *restrict to, const float *restrict coord, const int32_t *restrict size,
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

static void locate(struct axis *to, const float *coord, const int32_t *size, unsigned lanes, unsigned wrap, float shift)
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

struct texels {
    uint32_t at[4][LANES_MAX]; /* (0,0), (1,0), (0,1), (1,1) */
};

static bool load_texel(uint32_t *to, struct ta_request *r, uint64_t offset_B)
{
    uint8_t *at;
    if (!sq_resolve(r->wave, r->uop, r->image->base_va + offset_B, 4, GPU_PERM_READ, &at))
        return false;
    *to = 0;
    if (at)
        memcpy(to, at, 4);
    return true;
}

/* Each texel by itself: lanes in several levels or slices, or memory that is not all there. `taps` is 4 or, for the
 * nearest texel, 1. */
static bool load_taps(struct texels *to, struct ta_request *r, const struct axis *x, const struct axis *y,
                      const uint32_t *slice, const uint8_t *level, unsigned taps)
{
    bits_foreach (r->exec, i) {
        for (unsigned tap = 0; tap < taps; tap++) {
            uint32_t at_x = (uint32_t)(tap & 1 ? x->second[i] : x->first[i]),
                     at_y = (uint32_t)(tap & 2 ? y->second[i] : y->first[i]);
            if (!load_texel(&to->at[tap][i], r, tc_element_offset(r->image, at_x, at_y, slice[i], 0, level[i])))
                return false;
        }
    }
    return true;
}

/* Where the texels of lanes are that are all in one slice of a level: an offset in the tiling's tables for each axis,
 * and the block of the tiling. What needs no table is done in vectors. An element is no farther than 1 GiB away. */
struct places {
    uint32_t x[LANES_MAX], y[LANES_MAX]; /* indices of the first texel [15:0] and of the second */
    uint32_t block[4][LANES_MAX];        /* by tap */
    uint32_t low, high;                  /* blocks lie between these */
};
_Static_assert(AMD_TILING_TABLE_XY <= 1 << 16, "an index has 16 bits");

static void find_places(struct places *restrict out, const struct tc_image *image, const struct axis *restrict x,
                        const struct axis *restrict y, unsigned level, unsigned lanes)
{
    const struct amd_tiling_table *p = image->pattern;
    const struct amd_surface_level *at = &image->surface.level[level];
    const uint32_t x_mask = p->x_mask, y_mask = p->y_mask, w_log2 = p->block_w_log2, h_log2 = p->block_h_log2,
                   col_B = p->col_B, row_B = (uint32_t)at->row_B, tail_x = at->tail_x, tail_y = at->tail_y;
    uint32_t left = UINT32_MAX, right = 0, top = UINT32_MAX, bottom = 0;
    LANES_INDEPENDENT
    for (unsigned i = 0; i < lanes; i++) {
        uint32_t x0 = (uint32_t)x->first[i], x1 = (uint32_t)x->second[i], y0 = (uint32_t)y->first[i],
                 y1 = (uint32_t)y->second[i];
        out->x[i] = ((x0 + tail_x) & x_mask) | ((x1 + tail_x) & x_mask) << 16;
        out->y[i] = ((y0 + tail_y) & y_mask) | ((y1 + tail_y) & y_mask) << 16;
        uint32_t bx0 = x0 >> w_log2, bx1 = x1 >> w_log2, by0 = y0 >> h_log2, by1 = y1 >> h_log2;
        left = MIN2(left, MIN2(bx0, bx1));
        right = MAX2(right, MAX2(bx0, bx1));
        top = MIN2(top, MIN2(by0, by1));
        bottom = MAX2(bottom, MAX2(by0, by1));
        out->block[0][i] = bx0 * col_B + by0 * row_B;
        out->block[1][i] = bx1 * col_B + by0 * row_B;
        out->block[2][i] = bx0 * col_B + by1 * row_B;
        out->block[3][i] = bx1 * col_B + by1 * row_B;
    }
    out->low = left * col_B + top * row_B;
    out->high = right * col_B + bottom * row_B;
}

/* Active lanes that are all in one slice of one level. False: the GPU may not read everything between the first block
 * and the last; nothing has been done. */
static bool load_plane(struct texels *restrict to, const struct ta_request *r, const struct axis *x,
                       const struct axis *y, uint32_t slice, unsigned level, unsigned taps)
{
    const struct tc_image *image = r->image;
    const struct amd_tiling_table *p = image->pattern;
    const uint32_t common = p->z[slice & p->z_mask] ^ p->s[0] ^ image->surface.xor_B;
    const uint32_t block_B = image->surface.equation.bit_count ? 1u << image->surface.block_log2 : 4;
    struct places at;
    find_places(&at, image, x, y, level, r->lanes);
    uint64_t first_va =
        image->base_va + image->surface.level[level].offset_B + (slice >> p->block_d_log2) * image->surface.layer_B;
    const uint8_t *host = amd_td_span(r, first_va + at.low, (uint64_t)at.high - at.low + block_B, GPU_PERM_READ);
    if (!host)
        return false;
    host -= at.low;
    for (unsigned i = 0, lanes = r->lanes; i < lanes; i++) {
        uint32_t in_x0 = p->x[at.x[i] & 0xffff], in_y0 = p->y[at.y[i] & 0xffff] ^ common;
        memcpy(&to->at[0][i], host + at.block[0][i] + (in_x0 ^ in_y0), 4);
        if (taps == 1)
            continue;
        uint32_t in_x1 = p->x[at.x[i] >> 16], in_y1 = p->y[at.y[i] >> 16] ^ common;
        memcpy(&to->at[1][i], host + at.block[1][i] + (in_x1 ^ in_y0), 4);
        memcpy(&to->at[2][i], host + at.block[2][i] + (in_x0 ^ in_y1), 4);
        memcpy(&to->at[3][i], host + at.block[3][i] + (in_x1 ^ in_y1), 4);
    }
    return true;
}

/* Whether the active lanes are in one slice of one level: that of lane `first`. */
static bool is_one_plane(const struct ta_request *r, const uint32_t *slice, const uint8_t *level, unsigned first)
{
    uint32_t other = 0;
    if (r->wave->exec_full) {
        for (unsigned i = 0; i < r->lanes; i++)
            other |= (uint32_t)(level[i] ^ level[first]) | (slice[i] ^ slice[first]);
    } else {
        for (unsigned i = 0; i < r->lanes; i++)
            other |= r->wave->exec_lanes[i] & ((uint32_t)(level[i] ^ level[first]) | (slice[i] ^ slice[first]));
    }
    return other == 0;
}

/* All channels of all lanes. The sums have 24 bits, so the conversion is exact and only the division rounds. Two
 * channels share a word until then: a weighted sum of two bytes has 16 bits. */
static void filter(float (*restrict to)[LANES_MAX], const struct texels *restrict texels, const struct axis *restrict x,
                   const struct axis *restrict y, unsigned lanes)
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

static void unpack(float (*restrict to)[LANES_MAX], const struct texels *restrict texels, unsigned lanes)
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
    struct axis x, y;
    struct texels texels;
};

/* Lanes that are all in a level. */
static void locate_in_level(struct axis *to, const float *coord, uint32_t size, unsigned lanes, unsigned wrap,
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

static bool fetch(struct footprint *f, struct ta_request *r, const struct ta_coords *c, const uint8_t *level,
                  bool linear)
{
    unsigned first = r->exec ? (unsigned)__builtin_ctzll(r->exec) : 0, taps = linear ? 4 : 1;
    const uint8_t *wrap = r->sampler->wrap;
    /* Half a texel down to the lower neighbour, and half a step up to round. */
    float shift = linear ? 127.5f : r->sampler->trunc ? 0 : -0.5f;
    if (is_one_plane(r, c->slice, level, first)) { /* lanes that are not active may be anywhere in it, too */
        locate_in_level(&f->x, c->at[0], r->image->level[level[first]].width, r->lanes, wrap[0], shift);
        locate_in_level(&f->y, c->at[1], r->image->level[level[first]].height, r->lanes, wrap[1], shift);
        if (load_plane(&f->texels, r, &f->x, &f->y, c->slice[first], level[first], taps))
            return true;
    } else {
        uint32_t width[LANES_MAX], height[LANES_MAX];
        for (unsigned i = 0; i < r->lanes; i++) {
            width[i] = r->image->level[level[i]].width;
            height[i] = r->image->level[level[i]].height;
        }
        locate(&f->x, c->at[0], (const int32_t *)width, r->lanes, wrap[0], shift);
        locate(&f->y, c->at[1], (const int32_t *)height, r->lanes, wrap[1], shift);
    }
    return load_taps(&f->texels, r, &f->x, &f->y, c->slice, level, taps);
}

static void channels_of(float (*to)[LANES_MAX], const struct footprint *f, unsigned lanes, bool linear)
{
    if (linear)
        filter(to, &f->texels, &f->x, &f->y, lanes);
    else
        unpack(to, &f->texels, lanes);
}

/* to = values in active lanes. */
static void write_row(const struct ta_request *r, uint32_t *to, const float *values)
{
    if (r->wave->exec_full) {
        memcpy(to, values, r->lanes * sizeof(float));
        return;
    }
    for (unsigned i = 0; i < r->lanes; i++)
        to[i] = r->wave->exec_lanes[i] ? float_bits(values[i]) : to[i];
}

bool amd_ta_fast_sample(struct ta_request *r, const struct ta_coords *c, const struct ta_lod *lod,
                        const struct ta_levels *levels)
{
    struct footprint low, high;
    bool linear;
    if (!applies(r, lod, levels, &linear))
        return false;
    if (r->exec != lanes_full_mask(r->lanes))
        memset(&low.texels, 0, sizeof(low.texels));
    if (!fetch(&low, r, c, levels->low, linear))
        return true;
    if (levels->any_fraction) {
        memset(&high.texels, 0, sizeof(high.texels));
        if (!fetch(&high, r, c, levels->high, linear))
            return true;
    }
    float values[4][LANES_MAX], upper[4][LANES_MAX];
    channels_of(values, &low, r->lanes, linear);
    if (levels->any_fraction) {
        channels_of(upper, &high, r->lanes, linear);
        for (unsigned channel = 0; channel < 4; channel++) {
            LANES_INDEPENDENT
            for (unsigned i = 0; i < r->lanes; i++)
                values[channel][i] =
                    values[channel][i] * (1 - levels->fraction[i]) + upper[channel][i] * levels->fraction[i];
        }
    }
    uint32_t *to = sq_at(r->wave, r->uop->d);
    for (unsigned channel = 0; channel < 4; channel++) {
        unsigned sel = r->image->dst_sel[channel];
        float constant[LANES_MAX];
        if (!(r->uop->inst->mem.dmask >> channel & 1))
            continue;
        if (sel < AMD_DST_SEL_X)
            lanes_splat((uint32_t *)constant, sel == AMD_DST_SEL_1 ? float_bits(1) : 0, r->lanes);
        write_row(r, to, sel < AMD_DST_SEL_X ? constant : values[sel - AMD_DST_SEL_X]);
        to += r->lanes;
    }
    return true;
}
