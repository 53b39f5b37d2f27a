/* Video formats: texels of luma, Cb and Cr out of blocks of two texels (4:2:2) or of planes (4:2:0). Chroma has half of
 * the texels in one direction or in both; each luma texel gets its chroma as Vulkan's section on chroma reconstruction
 * has it, the nearest one or by a linear filter, and what filters then sees texels of three components. */
#include "adreno/model/tpl1/unit.h"

#include <math.h>
#include <string.h>

#include "util/bits.h"

/* Where chroma is, and how it is found. */
struct chroma {
    struct tpl1 *tpl1;
    const struct tpl1_state *state;
    const struct tpl1_image *image;
    uint32_t width, height; /* of the chroma planes, or of the blocks */
    bool halves_y;
    bool is_linear;
};

static bool read_bytes(const struct chroma *c, uint64_t va, uint8_t *to, unsigned size_B)
{
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
        if (!read_bytes(c, va, out + i, plane->element_B))
            return false;
    }
    return true;
}

/* Of the luma texel `i` along an axis: the lower one of two samples and the upper one's weight. */
static int32_t chroma_at(const struct chroma *c, uint32_t i, bool is_halved, bool is_midpoint, float *weight_out)
{
    *weight_out = 0;
    if (!is_halved)
        return (int32_t)i;
    if (!c->is_linear)
        return (int32_t)(i / 2);
    float at = ((float)i - (is_midpoint ? 0.5f : 0)) * 0.5f, low = floorf(at);
    *weight_out = at - low;
    return (int32_t)low;
}

static bool find_chroma(const struct chroma *c, uint32_t x, uint32_t y, uint32_t z, float out[2])
{
    float weight[2];
    int32_t left = chroma_at(c, x, true, c->image->chroma_midpoint[0], &weight[0]),
            top = chroma_at(c, y, c->halves_y, c->image->chroma_midpoint[1], &weight[1]);
    out[0] = out[1] = 0;
    for (unsigned tap = 0; tap < 4; tap++) {
        uint8_t codes[2];
        float share = (tap & 1 ? weight[0] : 1 - weight[0]) * (tap & 2 ? weight[1] : 1 - weight[1]);
        if (share == 0)
            continue;
        if (!read_chroma(c, left + (int32_t)(tap & 1), top + (int32_t)(tap >> 1), z, codes))
            return false;
        for (unsigned n = 0; n < 2; n++)
            out[n] += share * (float)codes[n] * (1.0f / 255);
    }
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

bool adreno_tpl1_video(struct tpl1 *tpl1, const struct tpl1_state *state, const struct tpl1_image *image,
                       const struct tex_rows *rows, uint64_t lanes, bool chroma_linear, union tex_texel out[LANES_MAX])
{
    const struct chroma c = {
        .tpl1 = tpl1,
        .state = state,
        .image = image,
        .width = (image->tex.level[0].width + 1) / 2,
        .height = image->format.planes > 1 ? (image->tex.level[0].height + 1) / 2 : image->tex.level[0].height,
        .halves_y = image->format.planes > 1,
        .is_linear = chroma_linear,
    };
    memset(out, 0, LANES_MAX * sizeof(*out));
    bits_foreach (lanes, i) {
        if (!find_luma(&c, rows->x[i], rows->y[i], rows->z[i], &out[i].f[0]) ||
            !find_chroma(&c, rows->x[i], rows->y[i], rows->z[i], &out[i].f[1]))
            return false;
        out[i].f[3] = 1;
    }
    return true;
}
