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

/* ---- windows ---- */

#define PAUSE 64

static void *in_window(const struct exec_site *site, uint64_t low_va, uint64_t end_va)
{
    const uint64_t base_va = site->window.base_low | (uint64_t)site->window.base_high << 32;
    return low_va >= base_va && end_va - base_va <= site->window.limit && end_va > low_va
               ? (uint8_t *)(uintptr_t)site->window.host + (low_va - base_va)
               : NULL;
}

void *mali_tex_window(struct mali_tex *tex, const struct gpu_space *space, uint64_t low_va, uint64_t end_va,
                      unsigned need)
{
    if (tex->windows_space != space) {
        memset(tex->windows, 0, sizeof(tex->windows));
        tex->windows_space = space;
    }
    if (tex->actor || tex->window_pause) {
        tex->window_pause -= tex->window_pause != 0;
        return NULL;
    }
    for (unsigned i = 0; i < MALI_TEX_WINDOWS; i++) {
        const struct exec_site *site = &tex->windows[i];
        void *host = site->is_known && site->need == need ? in_window(site, low_va, end_va) : NULL;
        if (host && site->changes == gpu_space_changes(space, site->va))
            return host;
    }
    struct exec_site *site = &tex->windows[tex->next_window++ % MALI_TEX_WINDOWS];
    exec_site_init(site, 0, 1);
    site->need = (uint8_t)need;
    exec_site_find(site, space, low_va);
    void *host = in_window(site, low_va, end_va);
    tex->window_pause = host ? 0 : PAUSE;
    return host;
}

/* ---- planes ---- */

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

/* The superblock that a lane has found: its neighbours mostly have the same. */
struct superblock {
    uint64_t header_va;
    bool is_solid;
    uint64_t colour;
    uint32_t body_B;
    const uint8_t *body; /* of one that is not compressed; NULL: to be looked up for each texel */
};

static bool find_superblock(struct mali_tex *tex, const struct gpu_space *space, struct mali_tex_image *image,
                            const struct mali_tex_plane *plane, uint64_t base_va, uint64_t header_va,
                            struct superblock *found)
{
    uint8_t copy[MALI_AFBC_HEADER_B];
    const uint8_t *bytes = mali_tex_bytes(space, header_va, MALI_AFBC_HEADER_B, copy);
    mali_tex_note(tex, header_va, MALI_AFBC_HEADER_B);
    if (!bytes)
        return mali_tex_stop_fault(tex, image, header_va);
    memcpy(copy, bytes, sizeof(copy));
    *found = (struct superblock){.header_va = header_va};
    memcpy(&found->body_B, copy, sizeof(found->body_B));
    if (mali_afbc_is_raw(copy)) {
        found->body =
            gpu_space_pointer(space, base_va + found->body_B, MALI_AFBC_TEXELS * plane->afbc.pixel_B, GPU_PERM_READ);
        return true;
    }
    const struct mali_afbc_header header = mali_afbc_unpack(copy);
    found->is_solid = header.kind == MALI_AFBC_SOLID;
    found->colour = header.colour;
    return found->is_solid || mali_tex_stop(tex, "a superblock of AFBC that is compressed: its bits are not public",
                                            "PLANE", plane->words);
}

/* The bytes of a texel of AFBC: where its header says. NULL: stopped. */
static const void *find_afbc(struct mali_tex *tex, const struct gpu_space *space, struct mali_tex_image *image,
                             const struct mali_tex_plane *plane, struct superblock *found, uint32_t x, uint32_t y,
                             uint32_t slice, uint8_t copy[16])
{
    const uint64_t base_va = plane->base_va + (uint64_t)((int64_t)slice * plane->slice_B);
    const uint64_t header_va = base_va + mali_afbc_texel_header_B(&plane->afbc, x, y);
    if (header_va != found->header_va && !find_superblock(tex, space, image, plane, base_va, header_va, found)) {
        found->header_va = 0;
        return NULL;
    }
    if (found->is_solid)
        return memcpy(copy, &found->colour, sizeof(found->colour));
    const uint32_t texel_B = mali_afbc_texel_B(&plane->afbc, x, y);
    const uint64_t va = base_va + found->body_B + texel_B;
    const uint8_t *bytes = found->body ? found->body + texel_B : mali_tex_bytes(space, va, plane->afbc.pixel_B, copy);
    mali_tex_note(tex, va, plane->afbc.pixel_B);
    if (!bytes)
        mali_tex_stop_fault(tex, image, va);
    else if (plane->afbc.pixel_B < plane->pixel.size_B && bytes != copy) /* what loads it reads the whole size */
        bytes = memcpy(copy, bytes, plane->afbc.pixel_B);
    return bytes;
}

const struct mali_tex_plane *mali_tex_places(struct mali_tex_image *image, const struct gpu_space *space,
                                             const struct tex_rows *rows, uint64_t lanes, uint64_t *base_va_out,
                                             uint32_t places_out[LANES_MAX])
{
    const unsigned first = lanes ? (unsigned)__builtin_ctzll(lanes) : 0, level = rows->level[first];
    const uint32_t z = rows->z[first], sample = rows->sample[first];
    uint32_t is_on[LANES_MAX], other = !lanes || image->pixel.is_compressed || image->pixel.is_constant;
    uint64_t fault;
    lanes_from_mask(is_on, lanes, LANES_MAX);
    for (unsigned i = 0; i < LANES_MAX; i++)
        other |= ((rows->z[i] ^ z) | (rows->sample[i] ^ sample) | (rows->level[i] ^ level)) & is_on[i];
    if (other)
        return NULL;
    const struct mali_tex_plane *plane = mali_tex_plane_get(image, space, level, image->is_3d ? 0 : z, &fault);
    if (!plane || plane->problem || plane->is_null || plane->is_afbc)
        return NULL;
    const struct mali_tile tile = plane->tile;
    const uint64_t rows_B = mali_tile_row_B(&tile, image->tex.level[level].height | 15);
    if (rows_B >> 31 || (uint64_t)image->tex.level[level].width * tile.element_B << tile.page_h_log2 >> 31)
        return NULL;
    *base_va_out = plane->base_va + (uint64_t)((int64_t)(image->is_3d ? z : sample) * plane->slice_B);
    for (unsigned i = 0; i < LANES_MAX; i++)
        places_out[i] = (uint32_t)mali_tile_offset_B(&tile, rows->x[i] & is_on[i], rows->y[i] & is_on[i]);
    return plane;
}

static uint32_t most_of(const uint32_t places[LANES_MAX])
{
    uint32_t most = 0;
    for (unsigned i = 0; i < LANES_MAX; i++)
        most = MAX2(most, places[i]);
    return most;
}

/* All texels in one superblock of AFBC that is not compressed. */
static bool find_in_superblock(struct mali_tex *tex, const struct gpu_space *space, struct mali_tex_image *image,
                               const struct tex_rows *rows, uint64_t lanes, const void *at[LANES_MAX])
{
    const unsigned first = lanes ? (unsigned)__builtin_ctzll(lanes) : 0, level = rows->level[first];
    const uint32_t x = rows->x[first], y = rows->y[first], z = rows->z[first], sample = rows->sample[first];
    uint32_t is_on[LANES_MAX], places[LANES_MAX], other = 0;
    uint64_t fault;
    const struct mali_tex_plane *plane =
        lanes && !tex->actor ? mali_tex_plane_get(image, space, level, image->is_3d ? 0 : z, &fault) : NULL;
    if (!plane || plane->problem || plane->is_null || !plane->is_afbc || image->pixel.is_compressed ||
        image->pixel.is_constant || plane->afbc.pixel_B < plane->pixel.size_B)
        return false;
    const struct mali_afbc afbc = plane->afbc;
    lanes_from_mask(is_on, lanes, LANES_MAX);
    for (unsigned i = 0; i < LANES_MAX; i++)
        other |= ((rows->x[i] ^ x) >> afbc.w_log2 | (rows->y[i] ^ y) >> (8 - afbc.w_log2) | (rows->z[i] ^ z) |
                  (rows->sample[i] ^ sample) | (rows->level[i] ^ level)) &
                 is_on[i];
    const uint64_t base_va = plane->base_va + (uint64_t)((int64_t)(image->is_3d ? z : sample) * plane->slice_B);
    const uint64_t header_va = base_va + mali_afbc_texel_header_B(&afbc, x, y);
    uint8_t header[MALI_AFBC_HEADER_B];
    const void *bytes = other ? NULL : gpu_space_pointer(space, header_va, sizeof(header), GPU_PERM_READ);
    if (!bytes)
        return false;
    uint32_t body_B;
    memcpy(header, bytes, sizeof(header));
    memcpy(&body_B, header, sizeof(body_B));
    const uint8_t *body = mali_afbc_is_raw(header) ? gpu_space_pointer(space, base_va + body_B,
                                                                       MALI_AFBC_TEXELS * afbc.pixel_B, GPU_PERM_READ)
                                                   : NULL;
    for (unsigned i = 0; i < LANES_MAX; i++)
        places[i] = mali_afbc_texel_B(&afbc, rows->x[i], rows->y[i]);
    for (unsigned i = 0; body && i < LANES_MAX; i++)
        at[i] = is_on[i] ? body + places[i] : zeros;
    return body != NULL;
}

/* All texels in one plane, which is mapped as a whole there. */
static bool find_together(struct mali_tex *tex, const struct gpu_space *space, struct mali_tex_image *image,
                          const struct tex_rows *rows, uint64_t lanes, const void *at[LANES_MAX])
{
    uint32_t places[LANES_MAX];
    uint64_t base_va;
    if (tex->actor)
        return false;
    if (!mali_tex_places(image, space, rows, lanes, &base_va, places))
        return find_in_superblock(tex, space, image, rows, lanes, at);
    const uint64_t end_va = base_va + most_of(places) + image->pixel.size_B;
    const uint8_t *host = mali_tex_window(tex, space, base_va, end_va, GPU_PERM_READ);
    if (!host)
        return false;
    uint32_t is_on[LANES_MAX];
    lanes_from_mask(is_on, lanes, LANES_MAX);
    const uintptr_t none = (uintptr_t)zeros, first = (uintptr_t)host - none; /* sums, since choices are branches */
    LANES_INDEPENDENT
    for (unsigned i = 0; i < LANES_MAX; i++)
        at[i] = (const void *)(none + ((first + places[i]) & (uintptr_t)(intptr_t)(int32_t)is_on[i]));
    return true;
}

bool mali_tex_texels(struct mali_tex *tex, const struct gpu_space *space, struct mali_tex_image *image,
                     const struct tex_rows *rows, uint64_t lanes, union tex_texel out[LANES_MAX])
{
    const struct mali_pixel *pixel = &image->pixel;
    const void *at[LANES_MAX];
    uint8_t copies[LANES_MAX][16];
    struct planes planes = {NULL, 0, 0};
    struct superblock found = {.header_va = 0};
    if (find_together(tex, space, image, rows, lanes, at)) {
        mali_pixel_load(pixel, out, at, LANES_MAX);
        return true;
    }
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
            if (!(at[i] = find_afbc(tex, space, image, planes.plane, &found, x, y, slice, copies[i])))
                return false;
            continue;
        }
        if (pixel->is_compressed)
            x /= pixel->block_w, y /= pixel->block_h;
        uint64_t va = mali_tex_element_va(planes.plane, x, y, slice);
        at[i] = mali_tex_bytes(space, va, pixel->size_B, copies[i]);
        mali_tex_note(tex, va, pixel->size_B);
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

static bool fetch_texels(struct tex_query *q, union tex_texel out[LANES_MAX], const struct tex_rows *rows,
                         uint64_t lanes)
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

/* ---- tables of places ---- */

static unsigned plane_count(const struct mali_tex_image *image)
{
    return image->levels * image->tex.layers;
}

static const struct mali_tex_plane *plane_of(const struct mali_tex_image *image, unsigned level, uint32_t layer)
{
    return &image->planes[layer * image->levels + level];
}

#define MAX_SUPERBLOCKS 65536 /* of a texture that tables are made for */

/* The superblocks of a plane: any is for the slow way; all are as they are drawn; or some have one colour. */
enum superblocks {
    SUPERBLOCKS_OTHER,
    SUPERBLOCKS_RAW,
    SUPERBLOCKS_MIXED,
};

/* Tables have those that are not compressed and each where its number says. `*body_out`: where the first one is, from
 * the first header, or would be where none says so. */
static enum superblocks look_at_plane(const struct mali_tex_unit *u, const struct mali_tex_plane *plane, uint32_t width,
                                      uint32_t height, uint32_t *body_out)
{
    const struct mali_afbc *afbc = &plane->afbc;
    const uint32_t columns = (width - 1) >> afbc->w_log2, rows = (height - 1) >> (8 - afbc->w_log2); /* the last ones */
    const uint64_t size_B =
        mali_afbc_header_offset_B(afbc->row_B, afbc->header_tile_log2, columns | ((1u << afbc->header_tile_log2) - 1),
                                  rows | ((1u << afbc->header_tile_log2) - 1)) +
        MALI_AFBC_HEADER_B;
    const uint8_t *host = gpu_space_whole(u->space, plane->base_va, size_B, GPU_PERM_READ);
    enum superblocks found = SUPERBLOCKS_RAW;
    bool has_raw = false;
    uint8_t want[MALI_AFBC_HEADER_B];
    if (!host)
        return SUPERBLOCKS_OTHER;
    *body_out = (uint32_t)align_u64(size_B, (uint64_t)MALI_AFBC_TEXELS * afbc->pixel_B);
    for (uint32_t y = 0; y <= rows; y++) {
        for (uint32_t x = 0; x <= columns; x++) {
            const uint64_t at_B = mali_afbc_header_offset_B(afbc->row_B, afbc->header_tile_log2, x, y);
            if (!mali_afbc_is_raw(host + at_B)) {
                if (mali_afbc_unpack(host + at_B).kind != MALI_AFBC_SOLID)
                    return SUPERBLOCKS_OTHER;
                found = SUPERBLOCKS_MIXED;
                continue;
            }
            if (!has_raw) {
                memcpy(body_out, host + at_B, sizeof(*body_out));
                *body_out -= mali_afbc_body_B(afbc, at_B);
            }
            has_raw = true;
            mali_afbc_pack_raw(want, *body_out + mali_afbc_body_B(afbc, at_B));
            if (memcmp(host + at_B, want, sizeof(want)) != 0)
                return SUPERBLOCKS_OTHER;
        }
    }
    return found;
}

/* Superblocks of one colour are pieces of the tables' (model/texture/tex_look.c), which are of a power of two and lie
 * at multiples of it from one another. */
static bool can_have_pieces(const struct mali_tex_image *image)
{
    const uint32_t size_B = MALI_AFBC_TEXELS * image->planes[0].afbc.pixel_B;
    bool can = is_power_of_two(size_B) && !image->is_3d && !image->pixel.at_B &&
               image->planes[0].afbc.pixel_B <= sizeof(((struct mali_afbc_header *)0)->colour);
    for (unsigned i = 1; i < plane_count(image); i++)
        can &=
            (image->planes[i].base_va + image->planes[i].body_B - image->planes[0].base_va - image->planes[0].body_B) %
                size_B ==
            0;
    return can;
}

/* Headers are looked at once in each run of work: caches of textures are those of a run. */
static void look_at_headers(struct mali_tex_unit *u)
{
    struct mali_tex_image *image = u->image;
    if (u->epoch && image->epoch == u->epoch && image->epoch_changes == image->plane_changes)
        return;
    bool is_good = true, has_solid = false;
    for (unsigned i = 0; is_good && i < plane_count(image); i++) {
        struct mali_tex_plane *plane = &image->planes[i];
        const uint32_t width = image->tex.level[i % image->levels].width,
                       height = image->tex.level[i % image->levels].height;
        uint32_t body_B = 0;
        if (!plane->is_afbc)
            continue;
        const enum superblocks found = (uint64_t)width * height <= (uint64_t)MAX_SUPERBLOCKS * MALI_AFBC_TEXELS
                                           ? look_at_plane(u, plane, width, height, &body_B)
                                           : SUPERBLOCKS_OTHER;
        is_good = found != SUPERBLOCKS_OTHER;
        has_solid |= found == SUPERBLOCKS_MIXED;
        if (is_good && body_B != plane->body_B) {
            plane->body_B = body_B;
            image->plane_changes++;
        }
    }
    const unsigned piece_log2 =
        has_solid ? (unsigned)__builtin_ctz(MALI_AFBC_TEXELS * image->planes[0].afbc.pixel_B) : 0;
    is_good &= !has_solid || can_have_pieces(image);
    if (is_good != image->has_bodies || (is_good && piece_log2 != image->tex.piece_log2))
        image->plane_changes++;
    image->has_bodies = is_good;
    image->tex.piece_log2 = is_good ? (uint8_t)piece_log2 : 0;
    image->epoch = u->epoch;
    image->epoch_changes = image->plane_changes;
}

/* Superblocks that were looked at in this run of work say where memory is; those of one colour may be asked for
 * again. */
static enum tex_piece look_at_piece(struct tex_query *q, unsigned level, uint32_t x, uint32_t y, uint32_t slice,
                                    uint8_t *element)
{
    const struct mali_tex_unit *u = (const struct mali_tex_unit *)q;
    const struct mali_tex_plane *plane = plane_of(u->image, level, slice);
    const uint8_t *host = gpu_space_pointer(u->space, plane->base_va + mali_afbc_texel_header_B(&plane->afbc, x, y),
                                            MALI_AFBC_HEADER_B, GPU_PERM_READ);
    if (!host)
        return TEX_PIECE_UNKNOWN;
    if (mali_afbc_is_raw(host))
        return TEX_PIECE_PLAIN;
    const struct mali_afbc_header header = mali_afbc_unpack(host);
    if (header.kind != MALI_AFBC_SOLID)
        return TEX_PIECE_UNKNOWN;
    memcpy(element, &header.colour, sizeof(header.colour));
    return TEX_PIECE_ONE;
}

/* Are the planes in memory still those that were decoded? Each has a slot of its own. */
static bool has_changed(struct tex_query *q)
{
    struct mali_tex_unit *u = (struct mali_tex_unit *)q;
    struct mali_tex_image *image = u->image;
    const unsigned count = plane_count(image);
    const uint8_t *words =
        gpu_space_pointer(u->space, image->planes_va, count * MALI_DESC_PLANE_DW * 4u, GPU_PERM_READ);
    for (unsigned i = 0; words && i < count; i++) {
        uint64_t fault;
        if (memcmp(words + i * MALI_DESC_PLANE_DW * 4u, image->planes[i].words, MALI_DESC_PLANE_DW * 4u) != 0)
            (void)mali_tex_plane_get(image, u->space, i % image->levels, i / image->levels, &fault);
    }
    if (image->planes[0].is_afbc)
        look_at_headers(u);
    else
        image->tex.piece_log2 = 0;
    bool is_new = !words || image->seen_changes != image->plane_changes;
    image->seen_changes = image->plane_changes;
    return is_new;
}

/* A plane as the tables can have it: like the first one of its level, and the format's elements. */
static bool is_plain(const struct mali_tex_image *image, const struct mali_tex_plane *plane,
                     const struct mali_tex_plane *first)
{
    const struct mali_pixel *pixel = &image->pixel;
    if (plane->is_afbc != first->is_afbc ||
        (plane->is_afbc &&
         (!image->has_bodies || image->is_3d || memcmp(&plane->afbc, &first->afbc, sizeof(plane->afbc)))))
        return false;
    return !plane->problem && !plane->is_null && plane->pixel.format == pixel->format &&
           plane->pixel.at_B == pixel->at_B && plane->slice_B >= 0 &&
           memcmp(&plane->tile, &first->tile, sizeof(plane->tile)) == 0 &&
           (!plane->tile.side_log2 || is_power_of_two(plane->tile.element_B));
}

/* Of AFBC: bodies follow their headers' order. */
static uint64_t last_texel_va(const struct mali_tex_plane *plane, uint32_t width, uint32_t height)
{
    const struct mali_afbc *afbc = &plane->afbc;
    const uint64_t header_B = mali_afbc_texel_header_B(afbc, width - 1, height - 1);
    return plane->base_va + plane->body_B + mali_afbc_body_B(afbc, header_B) + MALI_AFBC_TEXELS * afbc->pixel_B;
}

/* The part of a texel's offset in the bodies that one axis has: headers in tiles and in rows, blocks in superblocks and
 * texels in blocks all are sums of such. */
static uint32_t afbc_part_B(const struct mali_afbc *afbc, uint32_t x, uint32_t y)
{
    return mali_afbc_body_B(afbc, mali_afbc_texel_header_B(afbc, x, y)) + mali_afbc_texel_B(afbc, x, y);
}

/* Rows of texels in a superblock and columns have bits of their own, if texels are of a power of two. */
static struct tex_place afbc_row_place(const struct mali_afbc *afbc, uint32_t y)
{
    const uint32_t in_B = mali_afbc_texel_B(afbc, 0, y), all_B = afbc_part_B(afbc, 0, y);
    return is_power_of_two(afbc->pixel_B) ? (struct tex_place){in_B, all_B - in_B} : (struct tex_place){0, all_B};
}

static bool find_layout(struct tex_query *q, uint64_t *base_va_out)
{
    const struct mali_tex_image *image = ((const struct mali_tex_unit *)q)->image;
    const struct tex_image *tex = &image->tex;
    uint64_t low = UINT64_MAX, high = 0;
    for (unsigned i = 0; i < plane_count(image); i++) {
        const struct mali_tex_plane *plane = &image->planes[i];
        const unsigned level = i % image->levels;
        if (!is_plain(image, plane, plane_of(image, level, 0)))
            return false;
        uint64_t last = plane->is_afbc
                            ? last_texel_va(plane, tex->level[level].width, tex->level[level].height)
                            : mali_tex_element_va(plane, tex->level[level].width - 1, tex->level[level].height - 1,
                                                  image->is_3d ? tex->level[0].depth : 0);
        low = MIN2(low, plane->base_va + plane->body_B);
        high = MAX2(high, last);
    }
    *base_va_out = low;
    /* Where accesses are looked at, they come one by one. */
    return high - low < 1ull << 31 && !((const struct mali_tex_unit *)q)->tex->actor;
}

static struct tex_place find_place(struct tex_query *q, unsigned level, unsigned axis, uint32_t at)
{
    const struct mali_tex_image *image = ((const struct mali_tex_unit *)q)->image;
    const struct mali_tex_plane *plane = plane_of(image, level, axis == 2 && !image->is_3d ? at : 0);
    const struct mali_tile *tile = &plane->tile;
    uint64_t low;
    switch (axis) {
    case 0:
        return (struct tex_place){
            plane->is_afbc ? afbc_part_B(&plane->afbc, at, 0) : mali_tile_x(tile, at) * tile->element_B, 0};
    case 1:
        if (plane->is_afbc)
            return afbc_row_place(&plane->afbc, at);
        return (struct tex_place){mali_tile_y(tile, at) * tile->element_B, (uint32_t)mali_tile_row_B(tile, at)};
    default:
        (void)find_layout(q, &low);
        return (struct tex_place){0, (uint32_t)(plane->base_va - low + plane->body_B + image->pixel.at_B +
                                                (image->is_3d ? at * (uint64_t)plane->slice_B : 0))};
    }
}

const struct tex_ops mali_tex_ops = {
    .fetch = fetch_texels,
    .border = find_border,
    .layout = find_layout,
    .place = find_place,
    .has_changed = has_changed,
    .look = look_at_piece,
};
