/* The short way of the most frequent instruction: 2D images of four unorm bytes, plain repeat or clamp. Texels stay
 * bytes and weights integers until the end, so the sum is exact and rounds once; everything but the loads is a loop
 * over lanes that compilers vectorise. */
#include "amd/model/ta.h"

#include <math.h>
#include <string.h>

#include "amd/hw/enums.h"
#include "util/bits.h"
#include "util/half.h"

struct axis {
    int32_t first[LANES_MAX], second[LANES_MAX];
    uint32_t fraction[LANES_MAX];
};

static bool is_plain(unsigned clamp)
{
    return clamp == AMD_TEX_CLAMP_WRAP || clamp == AMD_TEX_CLAMP_CLAMP_LAST_TEXEL;
}

/* All lanes the same way: linear_out says which. */
static bool applies(const struct ta_request *r, const struct ta_lod *lod, const struct ta_levels *levels,
                    bool *linear_out)
{
    const struct tc_image *image = r->image;
    const struct tc_sampler *s = r->sampler;
    if (!image->format.is_rgba8 || image->axes != 2 || r->axes != 2 || image->is_cube ||
        image->meta_kind != TC_META_NONE || r->offset || r->compare || r->unnormalized || lod->max_probes > 1 ||
        s->desc.FILTER_MODE != AMD_TEX_REDUCTION_BLEND || !is_plain(s->clamp[0]) || !is_plain(s->clamp[1]) ||
        r->uop->inst->mem.tfe || r->uop->inst->mem.d16)
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
static void locate_wrap(struct axis *to, const float *coord, const int32_t *size, unsigned lanes, float shift)
{
    LANES_INDEPENDENT
    for (unsigned i = 0; i < lanes; i++) {
        float u = coord[i], whole = (float)size[i];
        u -= floorf(u);
        u = u >= 0 ? u : 0;                                    /* an infinity or NaN */
        int32_t at = (int32_t)floorf(u * whole * 256 - shift); /* within [-128, size * 256] */
        int32_t first = at >> 8, second = first + 1;
        to->fraction[i] = (uint32_t)at & 255;
        first = first < 0 ? first + size[i] : first;
        to->first[i] = first >= size[i] ? first - size[i] : first;
        second = second >= size[i] ? second - size[i] : second;
        to->second[i] = second >= size[i] ? 0 : second; /* a size of 1 */
    }
}

static void locate_clamp(struct axis *to, const float *coord, const int32_t *size, unsigned lanes, float shift)
{
    LANES_INDEPENDENT
    for (unsigned i = 0; i < lanes; i++) {
        float u = coord[i] * (float)size[i];
        u = u > -4194304.0f ? u : -4194304.0f;
        u = u < 4194304.0f ? u : 4194304.0f;
        int32_t at = (int32_t)floorf(u * 256 - shift);
        int32_t first = at >> 8, second = first + 1, last = size[i] - 1;
        to->fraction[i] = (uint32_t)at & 255;
        first = first < last ? first : last;
        second = second < last ? second : last;
        to->first[i] = first > 0 ? first : 0;
        to->second[i] = second > 0 ? second : 0;
    }
}

static void locate(struct axis *to, const float *coord, const int32_t *size, unsigned lanes, unsigned clamp,
                   float shift)
{
    if (clamp == AMD_TEX_CLAMP_WRAP)
        locate_wrap(to, coord, size, lanes, shift);
    else
        locate_clamp(to, coord, size, lanes, shift);
}

struct texels {
    uint32_t at[4][LANES_MAX]; /* (0,0), (1,0), (0,1), (1,1) */
};

static inline bool load_texel(uint32_t *to, struct ta_request *r, const uint8_t *host, uint64_t offset_B)
{
    if (__builtin_expect(host != NULL, 1)) {
        memcpy(to, host + offset_B, 4);
        return true;
    }
    uint8_t *at;
    if (!sq_resolve(r->wave, r->uop, r->image->base_va + offset_B, 4, GPU_PERM_READ, &at))
        return false;
    *to = 0;
    if (at)
        memcpy(to, at, 4);
    return true;
}

/* tc_element_offset, with what the texels have in common taken out. `taps` is 4 or, for the nearest texel, 1. */
static inline __attribute__((always_inline)) bool load_taps(struct texels *to, struct ta_request *r,
                                                            const struct axis *x, const struct axis *y,
                                                            const uint32_t *slice, const uint8_t *level, unsigned taps)
{
    const struct tc_image *image = r->image;
    const struct amd_tiling_table *p = image->pattern;
    const uint32_t *table_x = p->x, *table_y = p->y;
    const uint32_t x_mask = p->x_mask, y_mask = p->y_mask, w_log2 = p->block_w_log2, h_log2 = p->block_h_log2,
                   col_B = p->col_B;
    const struct amd_surface_level *at = NULL;
    const uint8_t *host = NULL;
    uint64_t base_B = 0;
    uint32_t common = 0, z = 0;
    unsigned now = UINT32_MAX;
    for (uint64_t rest = r->exec; rest; rest &= rest - 1) {
        unsigned i = (unsigned)__builtin_ctzll(rest);
        if (level[i] != now || slice[i] != z) {
            now = level[i];
            z = slice[i];
            at = &image->surface.level[now];
            host = td_plane(r, now, z, GPU_PERM_READ);
            base_B = at->offset_B + (z >> p->block_d_log2) * image->surface.layer_B;
            common = p->z[z & p->z_mask] ^ p->s[0] ^ image->surface.xor_B;
        }
        uint32_t x0 = (uint32_t)x->first[i], y0 = (uint32_t)y->first[i];
        uint64_t row0 = base_B + (y0 >> h_log2) * at->row_B, column0 = (uint64_t)(x0 >> w_log2) * col_B;
        uint32_t in_x0 = table_x[(x0 + at->tail_x) & x_mask], in_y0 = table_y[(y0 + at->tail_y) & y_mask] ^ common;
        if (!load_texel(&to->at[0][i], r, host, row0 + column0 + (in_x0 ^ in_y0)))
            return false;
        if (taps == 1)
            continue;
        uint32_t x1 = (uint32_t)x->second[i], y1 = (uint32_t)y->second[i];
        uint64_t row1 = base_B + (y1 >> h_log2) * at->row_B, column1 = (uint64_t)(x1 >> w_log2) * col_B;
        uint32_t in_x1 = table_x[(x1 + at->tail_x) & x_mask], in_y1 = table_y[(y1 + at->tail_y) & y_mask] ^ common;
        if (!load_texel(&to->at[1][i], r, host, row0 + column1 + (in_x1 ^ in_y0)) ||
            !load_texel(&to->at[2][i], r, host, row1 + column0 + (in_x0 ^ in_y1)) ||
            !load_texel(&to->at[3][i], r, host, row1 + column1 + (in_x1 ^ in_y1)))
            return false;
    }
    return true;
}

/* One channel of all lanes: the sum has 24 bits, so the conversion is exact and only the division rounds. */
static void filter(float *to, const struct texels *texels, const struct axis *x, const struct axis *y, unsigned channel,
                   unsigned lanes)
{
    unsigned shift = channel * 8;
    LANES_INDEPENDENT
    for (unsigned i = 0; i < lanes; i++) {
        uint32_t fx = x->fraction[i], fy = y->fraction[i];
        uint32_t top = (texels->at[0][i] >> shift & 255) * (256 - fx) + (texels->at[1][i] >> shift & 255) * fx;
        uint32_t bottom = (texels->at[2][i] >> shift & 255) * (256 - fx) + (texels->at[3][i] >> shift & 255) * fx;
        to[i] = (float)(int32_t)(top * (256 - fy) + bottom * fy) / (255.0f * 65536.0f);
    }
}

static void unpack(float *to, const struct texels *texels, unsigned channel, unsigned lanes)
{
    unsigned shift = channel * 8;
    LANES_INDEPENDENT
    for (unsigned i = 0; i < lanes; i++)
        to[i] = (float)(int32_t)(texels->at[0][i] >> shift & 255) / 255.0f;
}

struct footprint {
    struct axis x, y;
    struct texels texels;
};

static bool fetch(struct footprint *f, struct ta_request *r, const struct ta_coords *c, const uint8_t *level,
                  bool linear)
{
    int32_t width[LANES_MAX], height[LANES_MAX];
    for (unsigned i = 0; i < r->lanes; i++) {
        width[i] = (int32_t)r->image->level[level[i]].width;
        height[i] = (int32_t)r->image->level[level[i]].height;
    }
    /* Half a texel down to the lower neighbour, and half a step up to round. */
    float shift = linear ? 127.5f : r->sampler->trunc ? 0 : -0.5f;
    locate(&f->x, c->at[0], width, r->lanes, r->sampler->clamp[0], shift);
    locate(&f->y, c->at[1], height, r->lanes, r->sampler->clamp[1], shift);
    return linear ? load_taps(&f->texels, r, &f->x, &f->y, c->slice, level, 4)
                  : load_taps(&f->texels, r, &f->x, &f->y, c->slice, level, 1);
}

static void channel_of(float *to, const struct footprint *f, unsigned channel, unsigned lanes, bool linear)
{
    if (linear)
        filter(to, &f->texels, &f->x, &f->y, channel, lanes);
    else
        unpack(to, &f->texels, channel, lanes);
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

bool ta_fast_sample(struct ta_request *r, const struct ta_coords *c, const struct ta_lod *lod,
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
    uint32_t *to = sq_at(r->wave, r->uop->d);
    for (unsigned channel = 0; channel < 4; channel++) {
        if (!(r->uop->inst->mem.dmask >> channel & 1))
            continue;
        float values[LANES_MAX], upper[LANES_MAX];
        unsigned sel = r->image->dst_sel[channel];
        if (sel < AMD_DST_SEL_X) {
            lanes_splat((uint32_t *)values, sel == AMD_DST_SEL_1 ? float_bits(1) : 0, r->lanes);
        } else {
            channel_of(values, &low, sel - AMD_DST_SEL_X, r->lanes, linear);
            if (levels->any_fraction) {
                channel_of(upper, &high, sel - AMD_DST_SEL_X, r->lanes, linear);
                LANES_INDEPENDENT
                for (unsigned i = 0; i < r->lanes; i++)
                    values[i] = values[i] * (1 - levels->fraction[i]) + upper[i] * levels->fraction[i];
            }
        }
        write_row(r, to, values);
        to += r->lanes;
    }
    return true;
}
