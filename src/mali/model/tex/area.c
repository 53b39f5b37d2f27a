/* See area.h. */
#include "mali/model/tex/area.h"

#include <string.h>

#include "mali/model/tex/unit.h"
#include "util/bits.h"

#define TEXEL_B 4
#define TILE_SIDE 16

bool mali_tex_area_open(struct mali_tex *tex, const struct mali_tex_resources *resources,
                        const struct mali_tex_request *request, uint32_t layer, struct mali_tex_area *area_out)
{
    struct mali_tex_image *image;
    uint64_t fault;
    if (!mali_tex_find_image(tex, resources, mali_tex_texture_of(request, 0), &image) || image->is_null ||
        !mali_tex_are_bytes(tex, image, request) || image->tex.min_lod >> 8 || layer >= image->tex.layers)
        return false;
    const struct mali_tex_plane *plane = mali_tex_plane_get(image, resources->space, 0, layer, &fault);
    if (!plane || plane->problem || plane->is_null || (plane->is_afbc && plane->afbc.pixel_B != TEXEL_B))
        return false;
    *area_out = (struct mali_tex_area){resources->space, *plane, image->tex.level[0].width, image->tex.level[0].height};
    return plane->is_afbc || plane->tile.side_log2 == 0 || plane->tile.side_log2 == 4;
}

/* ---- AFBC ---- */

struct superblock {
    const uint8_t *body; /* NULL: of one colour */
    uint32_t colour;
};

static bool find_superblock(const struct mali_tex_area *area, uint32_t x, uint32_t y, struct superblock *out)
{
    const struct mali_tex_plane *plane = &area->plane;
    uint8_t header[MALI_AFBC_HEADER_B];
    const void *bytes = gpu_space_pointer(area->space, plane->base_va + mali_afbc_texel_header_B(&plane->afbc, x, y),
                                          sizeof(header), GPU_PERM_READ);
    if (!bytes)
        return false;
    memcpy(header, bytes, sizeof(header));
    if (mali_afbc_is_raw(header)) {
        uint32_t body_B;
        memcpy(&body_B, header, sizeof(body_B));
        out->body = gpu_space_pointer(area->space, plane->base_va + body_B, MALI_AFBC_TEXELS * TEXEL_B, GPU_PERM_READ);
        return out->body != NULL;
    }
    const struct mali_afbc_header fields = mali_afbc_unpack(header);
    *out = (struct superblock){NULL, (uint32_t)fields.colour};
    return fields.kind == MALI_AFBC_SOLID;
}

const uint8_t *mali_tex_area_superblocks(const struct mali_tex_area *area, uint32_t x, uint32_t y, unsigned count)
{
    const struct mali_tex_plane *plane = &area->plane;
    const uint64_t va = plane->base_va + mali_afbc_texel_header_B(&plane->afbc, x, y);
    const uint8_t *headers = gpu_space_whole(area->space, va, (uint64_t)count * MALI_AFBC_HEADER_B, GPU_PERM_READ);
    uint32_t expected[MALI_AFBC_HEADER_B / 4], other = 0;
    if (!headers)
        return NULL;
    memcpy(expected, headers, 4);
    mali_afbc_pack_raw((uint8_t *)expected, expected[0]);
    const uint64_t body_va = plane->base_va + expected[0];
    for (unsigned i = 0; i < count; i++, expected[0] += MALI_AFBC_TEXELS * TEXEL_B) {
        uint32_t words[MALI_AFBC_HEADER_B / 4];
        memcpy(words, headers + (size_t)i * MALI_AFBC_HEADER_B, sizeof(words));
        other |=
            (words[0] ^ expected[0]) | (words[1] ^ expected[1]) | (words[2] ^ expected[2]) | (words[3] ^ expected[3]);
    }
    return other ? NULL
                 : gpu_space_whole(area->space, body_va, (uint64_t)count * MALI_AFBC_TEXELS * TEXEL_B, GPU_PERM_READ);
}

/* All of it: a row has four texels of each of the blocks of 4 by 4 that are beside each other. */
static void read_whole(const uint8_t *body, unsigned w_log2, uint8_t *to, size_t row_B)
{
    const unsigned columns = 1u << (w_log2 - 2), rows = MALI_AFBC_TEXELS >> w_log2;
    for (unsigned y = 0; y < rows; y++, to += row_B) {
        const uint8_t *from = body + (y / 4 * columns) * 64 + y % 4 * 16;
        for (unsigned x = 0; x < columns; x++)
            memcpy(to + x * 16, from + x * 64, 16);
    }
}

/* What the host does not foresee: the lines of a superblock, and of the rows that it goes to. */
static void ask_for(const struct mali_tex_area *area, const struct mali_tex_rect *piece, const uint8_t *to,
                    size_t row_B)
{
    struct superblock next;
    if (piece->x >= area->width || !find_superblock(area, piece->x, piece->y, &next) || !next.body)
        return;
    for (unsigned line = 0; line < MALI_AFBC_TEXELS * TEXEL_B; line += 64)
        __builtin_prefetch(next.body + line);
}

static void read_part(const struct mali_tex_area *area, const struct superblock *superblock,
                      const struct mali_tex_rect *rect, uint8_t *to, size_t row_B)
{
    for (uint32_t y = 0; y < rect->height; y++, to += row_B) {
        for (uint32_t x = 0; x < rect->width; x++) {
            const void *texel = superblock->body
                                    ? superblock->body + mali_afbc_texel_B(&area->plane.afbc, rect->x + x, rect->y + y)
                                    : (const void *)&superblock->colour;
            memcpy(to + (size_t)x * TEXEL_B, texel, TEXEL_B);
        }
    }
}

/* ---- tiles ---- */

/* Of a tile of 16 by 16, where elements are on a curve. */
static void read_tile(const uint8_t *tile, const struct mali_tex_rect *rect, uint8_t *to, size_t row_B)
{
    for (uint32_t y = 0; y < rect->height; y++, to += row_B) {
        const uint32_t of_row = mali_tile_spread((rect->y + y) % TILE_SIDE) * 3;
        for (uint32_t x = 0; x < rect->width; x++)
            memcpy(to + (size_t)x * TEXEL_B,
                   tile + (mali_tile_spread((rect->x + x) % TILE_SIDE) ^ of_row) * (size_t)TEXEL_B, TEXEL_B);
    }
}

/* ---- all ---- */

/* A part that lies in one superblock, one tile, or one row. */
static bool read_piece(const struct mali_tex_area *area, const struct mali_tex_rect *piece, uint8_t *to, size_t row_B)
{
    const struct mali_tex_plane *plane = &area->plane;
    if (plane->is_afbc) {
        const uint32_t w_log2 = plane->afbc.w_log2;
        struct superblock superblock;
        if (!find_superblock(area, piece->x, piece->y, &superblock))
            return false;
        if (superblock.body && piece->width * piece->height == MALI_AFBC_TEXELS) {
            const struct mali_tex_rect next = {piece->x + piece->width, piece->y, piece->width, piece->height};
            ask_for(area, &next, to + piece->width * TEXEL_B, row_B);
            read_whole(superblock.body, w_log2, to, row_B);
        } else {
            read_part(area, &superblock, piece, to, row_B);
        }
        return true;
    }
    if (plane->tile.side_log2) {
        const uint64_t va = mali_tex_element_va(plane, piece->x & ~(TILE_SIDE - 1u), piece->y & ~(TILE_SIDE - 1u), 0);
        const uint8_t *tile = gpu_space_pointer(area->space, va, TILE_SIDE * TILE_SIDE * TEXEL_B, GPU_PERM_READ);
        if (tile)
            read_tile(tile, piece, to, row_B);
        return tile != NULL;
    }
    const uint64_t va = mali_tex_element_va(plane, piece->x, piece->y, 0);
    const uint8_t *row = gpu_space_whole(area->space, va, piece->width * (uint64_t)TEXEL_B, GPU_PERM_READ);
    if (row)
        memcpy(to, row, piece->width * (size_t)TEXEL_B);
    return row != NULL;
}

static bool is_inside(const struct mali_tex_area *area, const struct mali_tex_rect *rect)
{
    return rect->x < area->width && rect->width <= area->width - rect->x && rect->y < area->height &&
           rect->height <= area->height - rect->y;
}

bool mali_tex_area_read(const struct mali_tex_area *area, const struct mali_tex_rect *rect, uint8_t *to, size_t row_B)
{
    const struct mali_tex_plane *plane = &area->plane;
    const uint32_t w = plane->is_afbc          ? 1u << plane->afbc.w_log2
                       : plane->tile.side_log2 ? TILE_SIDE
                                               : 1u << 16,
                   h = plane->is_afbc          ? MALI_AFBC_TEXELS / w
                       : plane->tile.side_log2 ? TILE_SIDE
                                               : 1;
    if (!is_inside(area, rect))
        return false;
    const uint32_t right = rect->x + rect->width, bottom = rect->y + rect->height;
    for (uint32_t y = rect->y, next_y; y < bottom; y = next_y) {
        next_y = MIN2((y & ~(h - 1)) + h, bottom);
        for (uint32_t x = rect->x, next_x; x < right; x = next_x) {
            next_x = MIN2((x & ~(w - 1)) + w, right);
            const struct mali_tex_rect piece = {x, y, next_x - x, next_y - y};
            if (!read_piece(area, &piece, to + (size_t)(y - rect->y) * row_B + (size_t)(x - rect->x) * TEXEL_B, row_B))
                return false;
        }
    }
    return true;
}

/* ---- what else is there ---- */

static bool do_meet(uint64_t va, uint64_t size_B, uint64_t other_va, uint64_t other_B)
{
    return va < other_va + other_B && other_va < va + size_B;
}

static bool superblocks_meet(const struct mali_tex_area *area, const struct mali_tex_rect *rect, uint64_t va,
                             uint64_t size_B)
{
    const struct mali_tex_plane *plane = &area->plane;
    const uint32_t w = 1u << plane->afbc.w_log2, h = MALI_AFBC_TEXELS / w;
    bool is_any = false;
    for (uint32_t y = rect->y & ~(h - 1); y < rect->y + rect->height; y += h) {
        for (uint32_t x = rect->x & ~(w - 1); x < rect->x + rect->width; x += w) {
            const uint64_t header_va = plane->base_va + mali_afbc_texel_header_B(&plane->afbc, x, y);
            uint32_t body_B = 0;
            is_any |= !gpu_mem_read32(area->space, header_va, &body_B) ||
                      do_meet(va, size_B, header_va, MALI_AFBC_HEADER_B) ||
                      do_meet(va, size_B, plane->base_va + body_B, MALI_AFBC_TEXELS * TEXEL_B);
        }
    }
    return is_any;
}

bool mali_tex_area_meets(const struct mali_tex_area *area, const struct mali_tex_rect *rect, uint64_t va,
                         uint64_t size_B)
{
    const struct mali_tex_plane *plane = &area->plane;
    if (!is_inside(area, rect))
        return true;
    if (plane->is_afbc)
        return superblocks_meet(area, rect, va, size_B);
    const uint32_t side = plane->tile.side_log2 ? TILE_SIDE : 1, mask = ~(side - 1);
    const uint64_t first_va = mali_tex_element_va(plane, rect->x & mask, rect->y & mask, 0),
                   last_va = mali_tex_element_va(plane, (rect->x + rect->width - 1) & mask,
                                                 (rect->y + rect->height - 1) & mask, 0);
    return do_meet(va, size_B, first_va, last_va - first_va + side * side * TEXEL_B);
}
