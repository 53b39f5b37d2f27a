/* Video formats: texels of luma, Cb and Cr out of blocks of two texels (4:2:2) or of planes (4:2:0). Chroma has half of
 * the texels in one direction or in both.
 *
 * A load gives each luma texel the nearest chroma. Samples find it by what Vulkan calls implicit reconstruction, which
 * is what drivers say of these chips: chroma is an image of its own, filtered at the same place by the sampler's chroma
 * filter. */
#include "adreno/model/tpl1/unit.h"

#include <string.h>

#include "util/bits.h"
#include "util/format/channel.h"

static bool read_element(struct tpl1 *tpl1, const struct tpl1_state *state, const struct tpl1_image *image, uint64_t va,
                         uint8_t *to, unsigned size_B)
{
    adreno_tpl1_note(state->coherence, va, size_B, GPU_PERM_READ);
    if (gpu_space_read(state->space, va, to, size_B) == size_B)
        return true;
    return adreno_tpl1_stop_fault(tpl1, image, va);
}

bool adreno_tpl1_plane(struct tpl1 *tpl1, const struct tpl1_state *state, const struct tpl1_image *image,
                       const struct tpl1_plane *plane, const struct tex_rows *rows, uint64_t lanes,
                       union tex_texel out[LANES_MAX])
{
    memset(out, 0, LANES_MAX * sizeof(*out));
    bits_foreach (lanes, i) {
        const uint32_t x = rows->x[i];
        const uint64_t va = plane->base_va + tpl1_element_B(&plane->level, plane->element_B, x / plane->texels,
                                                            rows->y[i], rows->z[i]);
        uint8_t codes[4];
        if (!read_element(tpl1, state, image, va, codes, plane->element_B))
            return false;
        for (unsigned n = 0; n < 4; n++) {
            const unsigned from = plane->tex.order[n];
            if (from < TEX_ORDER_ZERO)
                out[i].f[n] = format_unorm_to_float(codes[from + x % plane->texels * 2], 8);
            else
                out[i].f[n] = from == TEX_ORDER_ONE;
        }
    }
    return true;
}

bool adreno_tpl1_video(struct tpl1 *tpl1, const struct tpl1_state *state, const struct tpl1_image *image,
                       const struct tex_rows *rows, uint64_t lanes, union tex_texel out[LANES_MAX])
{
    const bool halves_y = image->format.planes > 1;
    uint32_t x[LANES_MAX], y[LANES_MAX];
    const struct tex_rows halved = {x, y, rows->z, rows->sample, rows->level};
    union tex_texel chroma[LANES_MAX];
    for (unsigned i = 0; i < LANES_MAX; i++) {
        x[i] = rows->x[i] / 2;
        y[i] = rows->y[i] >> halves_y;
    }
    if (!adreno_tpl1_plane(tpl1, state, image, &image->planes[0], rows, lanes, out))
        return false;
    for (unsigned n = 1; n < image->plane_count; n++) {
        if (!adreno_tpl1_plane(tpl1, state, image, &image->planes[n], &halved, lanes, chroma))
            return false;
        for (unsigned i = 0; i < LANES_MAX; i++) {
            out[i].f[1] += chroma[i].f[1]; /* what a plane does not have is zero */
            out[i].f[2] += chroma[i].f[2];
        }
    }
    return true;
}

/* ---- samples ---- */

/* A place among the chroma samples: they stand in the middle of two luma texels, or at every second one. The nearest
 * sample is found as if it stood in the middle. */
static void halve_axis(float to[LANES_MAX], const float from[LANES_MAX], const struct tex_query *q, uint32_t luma,
                       uint32_t chroma, bool is_even)
{
    const float scale = q->unnormalized ? 0.5f : 0.5f * (float)luma / (float)chroma;
    const float shift = !is_even ? 0 : q->unnormalized ? 0.25f : 0.25f / (float)chroma;
    for (unsigned i = 0; i < LANES_MAX; i++)
        to[i] = from[i] * scale + shift;
}

/* Where a lane samples chroma. */
static void halve_coords(struct tex_coords *to, const struct tpl1_unit *u, const struct tex_coords *from)
{
    const struct tpl1_plane *chroma = &u->image->planes[1];
    const struct tex_image *luma = &u->image->tex;
    const bool is_linear = u->sampler->chroma_linear;
    to->at[0] = to->own.at[0];
    to->at[1] = from->at[1];
    to->at[2] = from->at[2];
    to->slice = from->slice;
    halve_axis(to->own.at[0], from->at[0], &u->q, luma->level[0].width, chroma->tex.level[0].width,
               is_linear && !u->image->chroma_midpoint[0]);
    if (u->image->format.planes == 1)
        return;
    to->at[1] = to->own.at[1];
    halve_axis(to->own.at[1], from->at[1], &u->q, luma->level[0].height, chroma->tex.level[0].height,
               is_linear && !u->image->chroma_midpoint[1]);
}

static bool sample_plane(struct tpl1_unit *u, unsigned n, const struct tex_coords *c, struct tex_result *result)
{
    u->plane = &u->image->planes[n];
    u->q.image = &u->plane->tex;
    u->q.places = &u->image->places[n];
    return adreno_tpl1_sample_rows(u, c, result);
}

bool adreno_tpl1_sample_video(struct tpl1_unit *u, const struct tex_coords *c)
{
    const struct tex_query whole = u->q;
    const unsigned last = u->image->plane_count - 1;
    struct tex_result planes[TPL1_MAX_PLANES], result;
    struct tex_sampler sampler = *whole.sampler;
    struct tex_coords halved;
    u->q.wanted = 0;
    if (!sample_plane(u, 0, c, &planes[0]))
        return false;
    halve_coords(&halved, u, c);
    sampler.mag_linear = sampler.min_linear = u->sampler->chroma_linear;
    sampler.mag_cubic = sampler.min_cubic = false;
    u->q.sampler = &sampler;
    for (unsigned n = 1; n <= last; n++) {
        if (!sample_plane(u, n, &halved, &planes[n]))
            return false;
    }
    result.channel[0] = planes[0].channel[0];
    result.channel[1] = planes[1].channel[1];
    result.channel[2] = planes[last].channel[2];
    result.channel[3] = planes[0].channel[3];
    u->plane = NULL;
    u->q = whole;
    adreno_tpl1_return_rows(u, &result);
    return true;
}
