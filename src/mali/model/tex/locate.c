/* Where texels are, and what they are: rows or tiles of a plane, blocks of compressed formats. */
#include "mali/model/tex/unit.h"

#include <string.h>

#include "util/bits.h"

static const uint8_t zeros[16] __attribute__((aligned(16)));

const void *mali_tex_bytes(const struct gpu_space *space, uint64_t va, unsigned size_B, uint8_t copy[16])
{
    const void *host = gpu_space_pointer(space, va, size_B, GPU_PERM_READ);
    if (__builtin_expect(host != NULL, 1))
        return host;
    return gpu_space_read(space, va, copy, size_B) == size_B ? copy : NULL;
}

/* The plane of each lane; lanes mostly have the same. */
struct planes {
    const struct mali_tex_plane *plane;
    uint32_t level, layer;
};

static bool find_plane(struct mali_tex *tex, const struct gpu_space *space, struct mali_tex_image *image,
                       struct planes *planes, uint32_t level, uint32_t layer)
{
    uint64_t fault = 0;
    if (planes->plane && planes->level == level && planes->layer == layer)
        return true;
    planes->plane = mali_tex_plane_get(image, space, level, layer, &fault);
    planes->level = level;
    planes->layer = layer;
    if (!planes->plane)
        return mali_tex_stop_fault(tex, image, fault);
    if (planes->plane->problem)
        return mali_tex_stop(tex, planes->plane->problem, "PLANE", planes->plane->words);
    return true;
}

/* ---- texels ---- */

/* A block of a compressed format. */
static bool decode_block(struct mali_tex *tex, const struct mali_tex_plane *plane, const void *at, uint32_t x,
                         uint32_t y, union tex_texel *out)
{
    const struct mali_pixel *pixel = &plane->pixel;
    tex_texels texels =
        tex_block_get(mali_tex_cache_blocks(tex->cache), pixel->format, pixel->is_narrow, at, pixel->size_B);
    if (!texels)
        return mali_tex_stop(tex, "a compressed format that is not implemented", "PLANE", plane->words);
    memcpy(out->f, texels[y % pixel->block_h * pixel->block_w + x % pixel->block_w], sizeof(out->f));
    return true;
}

/* The bytes of a texel of AFBC: where its header says. NULL: stopped. */
static const void *find_afbc(struct mali_tex *tex, const struct gpu_space *space, struct mali_tex_image *image,
                             const struct mali_tex_plane *plane, uint32_t x, uint32_t y, uint32_t slice,
                             uint8_t copy[16])
{
    const uint64_t base_va = plane->base_va + (uint64_t)((int64_t)slice * plane->slice_B);
    uint64_t va = base_va + mali_afbc_texel_header_B(&plane->afbc, x, y);
    const uint8_t *bytes = mali_tex_bytes(space, va, MALI_AFBC_HEADER_B, copy);
    if (!bytes) {
        mali_tex_stop_fault(tex, image, va);
        return NULL;
    }
    struct mali_afbc_header header = mali_afbc_unpack(bytes);
    if (header.kind == MALI_AFBC_SOLID) {
        memcpy(copy, &header.colour, sizeof(header.colour));
        return copy;
    }
    if (header.kind == MALI_AFBC_COMPRESSED) {
        mali_tex_stop(tex, "a superblock of AFBC that is compressed: its bits are not public", "PLANE", plane->words);
        return NULL;
    }
    va = base_va + header.body_B + mali_afbc_texel_B(&plane->afbc, x, y);
    bytes = mali_tex_bytes(space, va, plane->afbc.pixel_B, copy);
    if (!bytes)
        mali_tex_stop_fault(tex, image, va);
    else if (plane->afbc.pixel_B < plane->pixel.size_B && bytes != copy) /* what loads it reads the whole size */
        bytes = memcpy(copy, bytes, plane->afbc.pixel_B);
    return bytes;
}

bool mali_tex_texels(struct mali_tex *tex, const struct gpu_space *space, struct mali_tex_image *image,
                     const struct tex_rows *rows, uint64_t lanes, union tex_texel out[LANES_MAX])
{
    const struct mali_pixel *pixel = &image->pixel;
    const void *at[LANES_MAX];
    uint8_t copies[LANES_MAX][16];
    struct planes planes = {NULL, 0, 0};
    for (unsigned i = 0; i < LANES_MAX; i++)
        at[i] = zeros;
    if (pixel->is_compressed)
        memset(out, 0, LANES_MAX * sizeof(*out));
    bits_foreach (lanes, i) {
        uint32_t z = rows->z[i], layer = image->is_3d ? 0 : z, slice = image->is_3d ? z : rows->sample[i];
        uint32_t x = rows->x[i], y = rows->y[i];
        if (!find_plane(tex, space, image, &planes, rows->level[i], layer))
            return false;
        if (planes.plane->is_null || pixel->is_constant)
            continue;
        if (planes.plane->is_afbc) {
            if (!(at[i] = find_afbc(tex, space, image, planes.plane, x, y, slice, copies[i])))
                return false;
            continue;
        }
        if (pixel->is_compressed)
            x /= pixel->block_w, y /= pixel->block_h;
        uint64_t va = mali_tex_element_va(planes.plane, x, y, slice);
        at[i] = mali_tex_bytes(space, va, pixel->size_B, copies[i]);
        if (!at[i])
            return mali_tex_stop_fault(tex, image, va);
        if (pixel->is_compressed && !decode_block(tex, planes.plane, at[i], rows->x[i], rows->y[i], &out[i]))
            return false;
    }
    if (pixel->is_compressed)
        mali_pixel_order(pixel, out, LANES_MAX);
    else
        mali_pixel_load(pixel, out, at, LANES_MAX);
    return true;
}

/* ---- the family's part of a query ---- */

static bool fetch(struct tex_query *q, union tex_texel out[LANES_MAX], const struct tex_rows *rows, uint64_t lanes)
{
    struct mali_tex_unit *u = (struct mali_tex_unit *)q;
    return mali_tex_texels(u->tex, u->space, u->image, rows, lanes, out);
}

/* The border's channels are what the program sees, but for those that the format lacks. */
static bool find_border(struct tex_query *q, union tex_texel *out)
{
    struct mali_tex_unit *u = (struct mali_tex_unit *)q;
    const struct mali_pixel *pixel = &u->image->pixel;
    const uint32_t one = q->image->is_float ? float_bits(1) : 1;
    bool is_signed = pixel->numeric == FORMAT_NUMERIC_SNORM;
    bool is_norm = is_signed || pixel->numeric == FORMAT_NUMERIC_UNORM || pixel->numeric == FORMAT_NUMERIC_SRGB;
    memcpy(out->u, u->sampler->border, sizeof(out->u));
    for (unsigned n = 0; n < 4; n++) {
        float low = is_signed ? -1.0f : 0.0f;
        if (!(pixel->present >> n & 1))
            out->u[n] = n == 3 ? one : 0;
        else if (is_norm)
            out->f[n] = out->f[n] > low ? MIN2(out->f[n], 1.0f) : low;
    }
    return true;
}

#define SPAN_MAX_B (32u << 20) /* beyond that, looking at every page costs more than looking at every texel */

static void find_offsets(uint32_t offset[4][LANES_MAX], const struct mali_tile *tile, const struct tex_pairs *x,
                         const struct tex_pairs *y, unsigned taps)
{
    const struct mali_tile t = *tile;
    LANES_INDEPENDENT
    for (unsigned i = 0; i < LANES_MAX; i++) {
        uint32_t x0 = mali_tile_x(&t, (uint32_t)x->first[i]), y0 = mali_tile_y(&t, (uint32_t)y->first[i]);
        uint32_t row0 = (uint32_t)mali_tile_row_B(&t, (uint32_t)y->first[i]);
        offset[0][i] = row0 + (x0 ^ y0) * 4;
    }
    if (taps == 1)
        return;
    LANES_INDEPENDENT
    for (unsigned i = 0; i < LANES_MAX; i++) {
        uint32_t x0 = mali_tile_x(&t, (uint32_t)x->first[i]), y0 = mali_tile_y(&t, (uint32_t)y->first[i]);
        uint32_t x1 = mali_tile_x(&t, (uint32_t)x->second[i]), y1 = mali_tile_y(&t, (uint32_t)y->second[i]);
        uint32_t row0 = (uint32_t)mali_tile_row_B(&t, (uint32_t)y->first[i]);
        uint32_t row1 = (uint32_t)mali_tile_row_B(&t, (uint32_t)y->second[i]);
        offset[1][i] = row0 + (x1 ^ y0) * 4;
        offset[2][i] = row1 + (x0 ^ y1) * 4;
        offset[3][i] = row1 + (x1 ^ y1) * 4;
    }
}

static bool load_plane(struct tex_query *q, struct tex_words *to, const struct tex_pairs *x, const struct tex_pairs *y,
                       uint32_t slice, unsigned level, unsigned taps)
{
    struct mali_tex_unit *u = (struct mali_tex_unit *)q;
    struct planes planes = {NULL, 0, 0};
    uint32_t offset[4][LANES_MAX], low = UINT32_MAX, high = 0;
    if (!find_plane(u->tex, u->space, u->image, &planes, level, u->image->is_3d ? 0 : slice) || planes.plane->is_null) {
        u->tex->has_problem = u->tex->is_fault = false; /* one by one, it will be reported again */
        return false;
    }
    find_offsets(offset, &planes.plane->tile, x, y, taps);
    for (unsigned tap = 0; tap < taps; tap++) {
        for (unsigned i = 0; i < LANES_MAX; i++) {
            low = MIN2(low, offset[tap][i]);
            high = MAX2(high, offset[tap][i]);
        }
    }
    if (high - low > SPAN_MAX_B)
        return false;
    uint64_t va = mali_tex_element_va(planes.plane, 0, 0, u->image->is_3d ? slice : 0);
    const uint8_t *host = gpu_space_whole(u->space, va + low, (uint64_t)high - low + 4, GPU_PERM_READ);
    if (!host)
        return false;
    host -= low;
    for (unsigned tap = 0; tap < taps; tap++) {
        for (unsigned i = 0; i < LANES_MAX; i++)
            memcpy(&to->at[tap][i], host + offset[tap][i], 4);
    }
    return true;
}

static bool load_word(struct tex_query *q, uint32_t *to, uint32_t x, uint32_t y, uint32_t slice, unsigned level)
{
    struct mali_tex_unit *u = (struct mali_tex_unit *)q;
    struct planes planes = {NULL, 0, 0};
    if (!find_plane(u->tex, u->space, u->image, &planes, level, u->image->is_3d ? 0 : slice))
        return false;
    if (planes.plane->is_null) {
        *to = 0;
        return true;
    }
    uint64_t va = mali_tex_element_va(planes.plane, x, y, u->image->is_3d ? slice : 0);
    if (gpu_space_read(u->space, va, to, 4) != 4)
        return mali_tex_stop_fault(u->tex, u->image, va);
    return true;
}

const struct tex_ops mali_tex_ops = {
    .fetch = fetch,
    .border = find_border,
    .load_plane = load_plane,
    .load_word = load_word,
};
