/* Where texels are, and what they are: memory or GMEM, tiles or rows, blocks of compressed formats. */
#include "adreno/model/tpl1/unit.h"

#include <string.h>

#include "util/bits.h"

static const uint8_t zeros[16] __attribute__((aligned(16)));

/* ---- places ---- */

/* `host_out` is not touched where there is no memory behind the address. */
static bool resolve_texel(struct tpl1 *tpl1, const struct tpl1_state *state, const struct tpl1_image *image,
                          uint64_t va, unsigned size_B, unsigned need, uint8_t **host_out)
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

/* Elements of lanes, as offsets from the base: those of a wave mostly stand in rows, of which a part is found once. */
struct offsets {
    uint64_t of[LANES_MAX];
    uint64_t low, high; /* of all lanes */
};

static void find_offsets(const struct tpl1_image *image, const struct tex_rows *rows, uint64_t lanes,
                         struct offsets *to)
{
    const struct tpl1_format *f = &image->format;
    const struct tpl1_level *level = NULL;
    uint32_t row_y = 0, row_z = 0;
    struct {
        uint64_t xor_B, add_B;
    } row = {0, 0};
    to->low = UINT64_MAX;
    to->high = 0;
    bits_foreach (lanes, i) {
        const uint32_t x = f->block_w > 1 ? rows->x[i] / f->block_w : rows->x[i],
                       y = f->block_w > 1 ? rows->y[i] / f->block_h : rows->y[i], z = rows->z[i];
        if (level != &image->level[rows->level[i]] || y != row_y || z != row_z) {
            level = &image->level[rows->level[i]];
            row_y = y;
            row_z = z;
            row.xor_B = level->is_tiled ? adreno_tile_y_B(&level->tile, y) : 0;
            row.add_B = level->offset_B + z * level->slice_B +
                        (level->is_tiled ? adreno_tile_row_B(&level->tile, y) : (uint64_t)y * level->pitch_B);
        }
        const uint64_t x_B = level->is_tiled ? adreno_tile_x_B(&level->tile, x) : (uint64_t)x * image->element_B,
                       at_B = (x_B ^ row.xor_B) + row.add_B + rows->sample[i] * f->element_B;
        to->of[i] = at_B;
        to->low = MIN2(to->low, at_B);
        to->high = MAX2(to->high, at_B);
    }
}

/* ---- the same by vectors ---- */

/* Where a level's elements are, of one layer, as numbers that vectors compute with. */
struct plane {
    uint64_t base_B;
    uint32_t row_B; /* from a row of macrotiles to the next, or of elements */
    uint32_t element_B;
};

static void find_tiled(const struct adreno_tile *t, const struct plane *plane, const struct tex_rows *rows,
                       uint64_t *restrict of)
{
    const uint32_t *restrict xs = rows->x, *restrict ys = rows->y;
    const uint32_t w_log2 = t->block_w_log2, h_log2 = t->block_h_log2, element_log2 = t->element_log2;
    const uint32_t in_x = (1u << w_log2) - 1, in_y = (1u << h_log2) - 1, bank_rows = t->bank_rows,
                   bank_shift = t->bank_shift;
    for (unsigned i = 0; i < LANES_MAX; i++) {
        const uint32_t column = xs[i] >> w_log2, row = ys[i] >> h_log2;
        const uint32_t x_B = adreno_tile_x_number(xs[i] & in_x) << element_log2 ^
                             adreno_tile_place(t->x_place, column) * ADRENO_TILE_BLOCK_B;
        const uint32_t y_B = adreno_tile_y_number(ys[i] & in_y) << element_log2 ^
                             adreno_tile_place(t->y_place, row) * ADRENO_TILE_BLOCK_B ^
                             (row & bank_rows) << bank_shift;
        const uint32_t in_row_B = (x_B + (column >> 1) * ADRENO_MACROTILE_B) ^ y_B;
        of[i] = plane->base_B + in_row_B + (uint64_t)(row >> 2) * plane->row_B;
    }
}

static void find_plain(const struct plane *plane, const struct tex_rows *rows, uint64_t *restrict of)
{
    const uint32_t *restrict xs = rows->x, *restrict ys = rows->y;
    for (unsigned i = 0; i < LANES_MAX; i++)
        of[i] = plane->base_B + (uint64_t)xs[i] * plane->element_B + (uint64_t)ys[i] * plane->row_B;
}

/* Whether all lanes that count are in one layer and level, without blocks or samples. */
static bool find_plane(const struct tpl1_image *image, const struct tex_rows *rows, const uint32_t *restrict on,
                       unsigned first, struct plane *plane_out)
{
    const struct tpl1_level *level = &image->level[rows->level[first]];
    const uint32_t *restrict z = rows->z, *restrict sample = rows->sample, z_first = z[first];
    const uint8_t *restrict levels = rows->level, level_first = levels[first];
    uint32_t other = 0;
    for (unsigned i = 0; i < LANES_MAX; i++)
        other |= ((z[i] ^ z_first) | sample[i] | (uint32_t)(levels[i] ^ level_first)) & on[i];
    const uint64_t row_B = level->is_tiled ? level->tile.macrotile_row_B : level->pitch_B;
    *plane_out = (struct plane){level->offset_B + z_first * level->slice_B, (uint32_t)row_B, image->element_B};
    return !other && image->format.block_w == 1 && row_B <= UINT32_MAX;
}

static void find_ends(const uint64_t *restrict of, const uint32_t *restrict on, struct offsets *to)
{
    uint64_t low = UINT64_MAX, high = 0;
    for (unsigned i = 0; i < LANES_MAX; i++) {
        const uint64_t all = (uint64_t)(int64_t)(int32_t)on[i], least = of[i] | ~all, most = of[i] & all;
        low = least < low ? least : low;
        high = most > high ? most : high;
    }
    to->low = low;
    to->high = high;
}

#define MANY 8 /* lanes from which on vectors are worth it */

static void find_texels(const struct tpl1_image *image, const struct tex_rows *rows, uint64_t lanes, struct offsets *to)
{
    uint32_t on[LANES_MAX];
    struct plane plane;
    if (__builtin_popcountll(lanes) < MANY) {
        find_offsets(image, rows, lanes, to);
        return;
    }
    const unsigned first = (unsigned)__builtin_ctzll(lanes);
    const struct tpl1_level *level = &image->level[rows->level[first]];
    lanes_from_mask(on, lanes, LANES_MAX);
    if (!find_plane(image, rows, on, first, &plane)) {
        find_offsets(image, rows, lanes, to);
        return;
    }
    if (level->is_tiled)
        find_tiled(&level->tile, &plane, rows, to->of);
    else
        find_plain(&plane, rows, to->of);
    find_ends(to->of, on, to);
}

static void find_elements(const struct tpl1_image *image, const struct tex_rows *rows, uint64_t lanes,
                          struct offsets *to)
{
    to->low = UINT64_MAX;
    to->high = 0;
    bits_foreach (lanes, i) {
        to->of[i] = (uint64_t)(image->first_element + rows->x[i]) * image->element_B;
        to->low = MIN2(to->low, to->of[i]);
        to->high = MAX2(to->high, to->of[i]);
    }
}

#define TOGETHER_B (1u << 20) /* elements farther apart are looked up one by one */

bool adreno_tpl1_locate_lanes(struct tpl1 *tpl1, const struct tpl1_state *state, const struct tpl1_image *image,
                              const struct tex_rows *rows, uint64_t lanes, unsigned need, uint8_t *at[LANES_MAX])
{
    const unsigned element_B = image->format.element_B;
    struct offsets offsets;
    if (image->is_gmem)
        return locate_gmem(tpl1, state, image, rows, lanes, at);
    (image->is_buffer ? find_elements : find_texels)(image, rows, lanes, &offsets);
    if (!lanes)
        return true;
    const uint64_t size_B = offsets.high - offsets.low + element_B;
    uint8_t *host = state->coherence || size_B > TOGETHER_B
                        ? NULL
                        : gpu_space_whole(state->space, image->base_va + offsets.low, size_B, need);
    if (host && lanes == UINT64_MAX) {
        for (unsigned i = 0; i < LANES_MAX; i++)
            at[i] = host + (offsets.of[i] - offsets.low);
        return true;
    }
    bits_foreach (lanes, i) {
        const uint64_t va = image->base_va + offsets.of[i];
        if (host) {
            at[i] = host + (offsets.of[i] - offsets.low);
            continue;
        }
        if (!resolve_texel(tpl1, state, image, va, element_B, need, &at[i]))
            return false;
        adreno_tpl1_note(state->coherence, va, element_B, need);
    }
    return true;
}

/* ---- texels ---- */

/* Components of the codec to X, Y, Z and W. */
static void adreno_tpl1_order(const struct tpl1_format *f, union tex_texel *texels, unsigned count)
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

static void decode_texels(const struct tpl1_format *f, union tex_texel *out, const void *const *at, unsigned count)
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
    decode_texels(&image->format, out, (const void *const *)at, LANES_MAX);
    return true;
}
