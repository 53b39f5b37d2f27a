/* Video formats: texels of luma, Cb and Cr out of blocks of two texels (4:2:2) or of planes (4:2:0). Chroma has half of
 * the texels in one direction or in both.
 *
 * A load gives each luma texel the nearest chroma. Samples find it by what Vulkan calls implicit reconstruction, which is
 * what drivers say of these chips: chroma is an image of its own, filtered at the same place by the sampler's chroma
 * filter. */
#include "adreno/model/tpl1/unit.h"

#include <string.h>

#include "util/bits.h"

/* Where chroma is, and how it is found. */
struct chroma {
    struct tpl1 *tpl1;
    const struct tpl1_state *state;
    const struct tpl1_image *image;
    uint32_t width, height; /* of the chroma planes, or of the blocks */
    bool halves_y;
};

/* Called with a size that the compiler knows. */
static inline bool read_bytes(const struct chroma *c, uint64_t va, uint8_t *to, unsigned size_B)
{
    adreno_tpl1_note(c->state->coherence, va, size_B, GPU_PERM_READ);
    const void *host = gpu_space_pointer(c->state->space, va, size_B, GPU_PERM_READ);
    if (__builtin_expect(host != NULL, 1)) {
        memcpy(to, host, size_B);
        return true;
    }
    if (gpu_space_read(c->state->space, va, to, size_B) == size_B)
        return true;
    return adreno_tpl1_stop_fault(c->tpl1, c->image, va);
}

/* The block of two texels, luma and chroma. Bytes: Cb Y Cr Y, or Y Cb Y Cr. */
static bool read_block(const struct chroma *c, uint32_t x, uint32_t y, uint32_t z, uint8_t out[4])
{
    return read_bytes(c, c->image->base_va + tpl1_element_B(&c->image->level[0], 4, x, y, z), out, 4);
}

static bool is_luma_first(const struct tpl1_image *image)
{
    return image->format.format == FORMAT_G8B8G8R8_422_UNORM;
}

/* One sample of Cb and Cr. */
static bool read_chroma(const struct chroma *c, int32_t x, int32_t y, uint32_t z, uint8_t out[2])
{
    uint32_t at_x = (uint32_t)MAX2(MIN2(x, (int32_t)c->width - 1), 0),
             at_y = (uint32_t)MAX2(MIN2(y, (int32_t)c->height - 1), 0);
    const struct tpl1_image *image = c->image;
    if (image->format.planes == 1) {
        uint8_t block[4];
        if (!read_block(c, at_x, at_y, z, block))
            return false;
        out[0] = block[is_luma_first(image) ? 1 : 0];
        out[1] = block[is_luma_first(image) ? 3 : 2];
        return true;
    }
    for (unsigned i = 0; i + 1 < image->format.planes; i++) {
        const struct tpl1_plane *plane = &image->planes[i];
        uint64_t va = plane->base_va + tpl1_element_B(&plane->level, plane->element_B, at_x, at_y, z);
        if (!(plane->element_B == 1 ? read_bytes(c, va, out + i, 1) : read_bytes(c, va, out + i, 2)))
            return false;
    }
    return true;
}

static bool find_chroma(const struct chroma *c, uint32_t x, uint32_t y, uint32_t z, float out[2])
{
    uint8_t codes[2];
    if (!read_chroma(c, (int32_t)x, (int32_t)y, z, codes))
        return false;
    for (unsigned n = 0; n < 2; n++)
        out[n] = (float)codes[n] * (1.0f / 255);
    return true;
}

static bool find_luma(const struct chroma *c, uint32_t x, uint32_t y, uint32_t z, float *out)
{
    uint8_t block[4];
    if (c->image->format.planes > 1) {
        if (!read_bytes(c, c->image->base_va + tpl1_element_B(&c->image->level[0], 1, x, y, z), block, 1))
            return false;
    } else {
        if (!read_block(c, x / 2, y, z, block))
            return false;
        block[0] = block[x % 2 * 2 + (is_luma_first(c->image) ? 0 : 1)];
    }
    *out = (float)block[0] * (1.0f / 255);
    return true;
}

static struct chroma init_chroma(struct tpl1 *tpl1, const struct tpl1_state *state, const struct tpl1_image *image)
{
    const bool halves_y = image->format.planes > 1;
    const uint32_t width = image->tex.level[0].width, height = image->tex.level[0].height;
    return (struct chroma){
        .tpl1 = tpl1,
        .state = state,
        .image = image,
        .width = (width + 1) / 2,
        .height = halves_y ? (height + 1) / 2 : height,
        .halves_y = halves_y,
    };
}

bool adreno_tpl1_video(struct tpl1 *tpl1, const struct tpl1_state *state, const struct tpl1_image *image,
                       const struct tex_rows *rows, uint64_t lanes, union tex_texel out[LANES_MAX])
{
    const struct chroma c = init_chroma(tpl1, state, image);
    memset(out, 0, LANES_MAX * sizeof(*out));
    bits_foreach (lanes, i) {
        if (!find_luma(&c, rows->x[i], rows->y[i], rows->z[i], &out[i].f[0]) ||
            !find_chroma(&c, rows->x[i] / 2, c.halves_y ? rows->y[i] / 2 : rows->y[i], rows->z[i], &out[i].f[1]))
            return false;
        out[i].f[3] = 1;
    }
    return true;
}

bool adreno_tpl1_luma(struct tpl1 *tpl1, const struct tpl1_state *state, const struct tpl1_image *image,
                      const struct tex_rows *rows, uint64_t lanes, union tex_texel out[LANES_MAX])
{
    const struct chroma c = init_chroma(tpl1, state, image);
    memset(out, 0, LANES_MAX * sizeof(*out));
    bits_foreach (lanes, i) {
        if (!find_luma(&c, rows->x[i], rows->y[i], rows->z[i], &out[i].f[0]))
            return false;
        out[i].f[3] = 1;
    }
    return true;
}

bool adreno_tpl1_chroma(struct tpl1 *tpl1, const struct tpl1_state *state, const struct tpl1_image *image,
                        const struct tex_rows *rows, uint64_t lanes, union tex_texel out[LANES_MAX])
{
    const struct chroma c = init_chroma(tpl1, state, image);
    memset(out, 0, LANES_MAX * sizeof(*out));
    bits_foreach (lanes, i) {
        if (!find_chroma(&c, rows->x[i], rows->y[i], rows->z[i], &out[i].f[1]))
            return false;
    }
    return true;
}

/* ---- samples ---- */

/* The same place among the chroma samples: they stand in the middle of two luma texels, or at every second one. The
 * nearest sample is found as if it stood in the middle. */
static void halve_axis(float to[LANES_MAX], const float from[LANES_MAX], const struct tex_query *q, uint32_t luma,
                       uint32_t chroma, bool is_even)
{
    const float scale = q->unnormalized ? 0.5f : 0.5f * (float)luma / (float)chroma;
    const float shift = !is_even ? 0 : q->unnormalized ? 0.25f : 0.25f / (float)chroma;
    for (unsigned i = 0; i < LANES_MAX; i++)
        to[i] = from[i] * scale + shift;
}

static bool sample_chroma(struct tpl1_unit *u, const struct tex_coords *at, const struct tex_lod *lod,
                          union tex_texel out[LANES_MAX])
{
    const struct tex_query whole = u->q;
    const struct chroma c = init_chroma(u->tpl1, u->state, u->image);
    struct tex_image image = *whole.image;
    struct tex_sampler sampler = *whole.sampler;
    struct tex_coords halved = *at;
    struct tex_levels levels;
    const bool is_linear = u->sampler->chroma_linear;
    halved.at[0] = halved.own.at[0];
    halve_axis(halved.own.at[0], at->at[0], &whole, image.level[0].width, c.width,
               is_linear && !u->image->chroma_midpoint[0]);
    if (c.halves_y) {
        halved.at[1] = halved.own.at[1];
        halve_axis(halved.own.at[1], at->at[1], &whole, image.level[0].height, c.height,
                   is_linear && !u->image->chroma_midpoint[1]);
    }
    image.level[0].width = c.width;
    image.level[0].height = c.height;
    sampler.mag_linear = sampler.min_linear = is_linear;
    sampler.mag_cubic = sampler.min_cubic = false;
    u->q.image = &image;
    u->q.sampler = &sampler;
    u->is_chroma = true;
    tex_levels_init(&levels, &u->q, lod);
    const bool is_good = tex_sample(out, &u->q, &halved, lod, &levels);
    u->is_chroma = false;
    u->q = whole;
    return is_good;
}

bool adreno_tpl1_sample_video(struct tpl1_unit *u, const struct tex_coords *c)
{
    struct tex_lod lod;
    struct tex_levels levels;
    union tex_texel luma[LANES_MAX], chroma[LANES_MAX];
    tex_lod_init(&lod, &u->q, c);
    tex_levels_init(&levels, &u->q, &lod);
    u->is_luma = true;
    const bool is_good = tex_sample(luma, &u->q, c, &lod, &levels);
    u->is_luma = false;
    if (!is_good || !sample_chroma(u, c, &lod, chroma))
        return false;
    for (unsigned i = 0; i < LANES_MAX; i++) {
        luma[i].f[1] = chroma[i].f[1];
        luma[i].f[2] = chroma[i].f[2];
    }
    adreno_tpl1_return(u, luma);
    return true;
}
