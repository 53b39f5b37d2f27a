/* Where texels are, and what they are: memory or GMEM, tiles or rows, blocks of compressed formats. */
#include "adreno/model/tpl1/unit.h"

#include <string.h>

#include "util/bits.h"

static const uint8_t zeros[16] __attribute__((aligned(16)));

/* ---- places ---- */

/* `host_out` is not touched where there is no memory behind the address. */
static bool resolve(struct tpl1 *tpl1, const struct tpl1_state *state, const struct tpl1_image *image, uint64_t va,
                    unsigned size_B, unsigned need, uint8_t **host_out)
{
    void *host = gpu_space_pointer(state->space, va, size_B, need);
    if (__builtin_expect(host != NULL, 1)) {
        *host_out = host;
        return true;
    }
    switch (gpu_space_resolve(state->space, va, size_B, need, &host)) {
    case GPU_ACCESS_MEMORY:
        *host_out = host;
        return true;
    case GPU_ACCESS_ZERO:
        return true;
    default:
        return adreno_tpl1_stop_fault(tpl1, image, va);
    }
}

/* Pixels at the edge of what may be drawn have neighbours that run for derivatives alone. */
static bool is_drawn(const struct tpl1_state *state, uint32_t x, uint32_t y)
{
    return x >= state->drawn_x0 && x <= state->drawn_x1 && y >= state->drawn_y0 && y <= state->drawn_y1;
}

/* GMEM: rows as the RB writes them (rb/rb.h). A texel outside of the bin has no place. */
static bool locate_gmem(struct tpl1 *tpl1, const struct tpl1_state *state, const struct tpl1_image *image,
                        const struct tex_rows *rows, uint64_t lanes, uint8_t *at[LANES_MAX])
{
    uint64_t base_B = image->base_va - state->chip->gmem_base;
    uint32_t pitch_B = image->level[0].pitch_B, sample_B = image->format.element_B;
    if (!state->gmem)
        return adreno_tpl1_stop(tpl1, image, "an image in GMEM where there is none");
    bits_foreach (lanes, i) {
        uint32_t x = rows->x[i] - state->window_x, y = rows->y[i] - state->window_y;
        uint64_t offset_B = base_B + (uint64_t)rows->z[i] * pitch_B * state->bin_height + (uint64_t)y * pitch_B +
                            (uint64_t)x * image->element_B + rows->sample[i] * sample_B;
        if ((uint64_t)(x + 1) * image->element_B > pitch_B || y >= state->bin_height)
            continue;
        if (offset_B > state->chip->gmem_size_B - sample_B) /* a base below GMEM is far above it, too */
            return adreno_tpl1_stop(tpl1, image, "an image that is not all inside GMEM");
        if (state->gmem_written && is_drawn(state, rows->x[i], rows->y[i]) &&
            memchr(state->gmem_written + offset_B, 0, sample_B))
            return adreno_tpl1_stop(tpl1, image,
                                    "strict mode: a texel of GMEM that nothing has written since the bin began");
        at[i] = state->gmem + offset_B;
        adreno_tpl1_note(state->coherence, ADRENO_COHERENCE_GMEM + offset_B, sample_B, GPU_PERM_READ);
    }
    return true;
}

bool adreno_tpl1_locate_lanes(struct tpl1 *tpl1, const struct tpl1_state *state, const struct tpl1_image *image,
                              const struct tex_rows *rows, uint64_t lanes, unsigned need, uint8_t *at[LANES_MAX])
{
    const struct tpl1_format *f = &image->format;
    struct coherence_actor *coherence = state->coherence;
    if (image->is_gmem)
        return locate_gmem(tpl1, state, image, rows, lanes, at);
    bits_foreach (lanes, i) {
        uint32_t x = rows->x[i], y = rows->y[i];
        uint64_t va = image->base_va;
        if (image->is_buffer) {
            va += (uint64_t)(image->first_element + x) * image->element_B;
        } else {
            if (f->block_w > 1)
                x /= f->block_w, y /= f->block_h;
            va += tpl1_element_B(&image->level[rows->level[i]], image->element_B, x, y, rows->z[i]) +
                  rows->sample[i] * f->element_B;
        }
        if (!resolve(tpl1, state, image, va, f->element_B, need, &at[i]))
            return false;
        adreno_tpl1_note(coherence, va, f->element_B, need);
    }
    return true;
}

/* ---- texels ---- */

void adreno_tpl1_order(const struct tpl1_format *f, union tex_texel *texels, unsigned count)
{
    if (f->in_order)
        return;
    const uint32_t one = f->kind == TPL1_KIND_FLOAT ? float_bits(1) : 1;
    for (unsigned i = 0; i < count; i++) {
        const uint32_t from[6] = {texels[i].u[0], texels[i].u[1], texels[i].u[2], texels[i].u[3], 0, one};
        for (unsigned n = 0; n < 4; n++)
            texels[i].u[n] = from[f->order[n]];
    }
}

static void decode(const struct tpl1_format *f, union tex_texel *out, const void *const *at, unsigned count)
{
    switch (f->kind) {
    case TPL1_KIND_FLOAT:
        f->codec->fetch_float((float(*)[4])out, at, count);
        break;
    case TPL1_KIND_UINT:
        f->codec->fetch_uint((uint32_t(*)[4])out, at, count);
        break;
    default:
        f->codec->fetch_sint((int32_t(*)[4])out, at, count);
        break;
    }
    if (f->is_z24s8_uint) {
        for (unsigned i = 0; i < count; i++)
            out[i] = (union tex_texel){.u = {out[i].u[0] & 0xffffff, out[i].u[0] >> 24, 0, 1}};
    }
    adreno_tpl1_order(f, out, count);
}

static bool decode_blocks(struct tpl1 *tpl1, const struct tpl1_image *image, const struct tex_rows *rows,
                          uint64_t lanes, uint8_t *const at[LANES_MAX], union tex_texel out[LANES_MAX])
{
    const struct tpl1_format *f = &image->format;
    memset(out, 0, LANES_MAX * sizeof(*out));
    bits_foreach (lanes, i) {
        tex_texels texels = adreno_tpl1_block_get(tpl1->cache, f->format, at[i], f->element_B);
        if (!texels)
            return adreno_tpl1_stop(tpl1, image, "a compressed format that is not implemented");
        memcpy(out[i].f, texels[rows->y[i] % f->block_h * f->block_w + rows->x[i] % f->block_w], sizeof(out[i].f));
    }
    adreno_tpl1_order(f, out, LANES_MAX);
    return true;
}

bool adreno_tpl1_texels(struct tpl1 *tpl1, const struct tpl1_state *state, const struct tpl1_image *image,
                        const struct tex_rows *rows, uint64_t lanes, union tex_texel out[LANES_MAX])
{
    uint8_t *at[LANES_MAX];
    for (unsigned i = 0; i < LANES_MAX; i++)
        at[i] = (uint8_t *)zeros;
    if (!adreno_tpl1_locate_lanes(tpl1, state, image, rows, lanes, GPU_PERM_READ, at))
        return false;
    if (image->format.is_compressed)
        return decode_blocks(tpl1, image, rows, lanes, at, out);
    decode(&image->format, out, (const void *const *)at, LANES_MAX);
    return true;
}
