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

#define RUN 8 /* superblocks that are read side by side: lines of a row that follow each other are written together */

/* Superblocks from (x, y) on, the first one of which is `first`, that are not compressed and whole. */
static unsigned find_run(const struct mali_tex_area *area, const struct superblock *first, uint32_t x, uint32_t y,
                         uint32_t right, const uint8_t *bodies[RUN])
{
    const uint32_t w = 1u << area->plane.afbc.w_log2;
    struct superblock next = *first;
    unsigned count = 0;
    do {
        bodies[count++] = next.body;
        x += w;
    } while (count < RUN && x + w <= right && find_superblock(area, x, y, &next) && next.body);
    return count;
}

typedef uint32_t texels4 __attribute__((vector_size(16), aligned(4), may_alias));

/* A row has four texels of each of the blocks of 4 by 4 that are beside each other; a line of the host's is written at
 * once. `columns` is a constant where this is called. */
static inline __attribute__((always_inline)) void read_rows(const uint8_t *const *bodies, unsigned count,
                                                            unsigned columns, uint8_t *to, size_t row_B)
{
    for (unsigned y = 0; y < MALI_AFBC_TEXELS / 4 / columns; y++, to += row_B) {
        texels4 *at = (texels4 *)to;
        for (unsigned i = 0; i < count; i++) {
            const texels4 *row = (const texels4 *)(bodies[i] + ((y >> 2) * columns * 16 + (y & 3) * 4) * TEXEL_B);
            for (unsigned x = 0; x < columns; x += 4, at += 4) {
                const texels4 a = row[4 * x], b = row[4 * x + 4], c = row[4 * x + 8], d = row[4 * x + 12];
                at[0] = a;
                at[1] = b;
                at[2] = c;
                at[3] = d;
            }
        }
    }
}

static void read_run(const uint8_t *const *bodies, unsigned count, unsigned w_log2, uint8_t *to, size_t row_B)
{
    if (w_log2 == 4)
        read_rows(bodies, count, 4, to, row_B);
    else if (w_log2 == 5)
        read_rows(bodies, count, 8, to, row_B);
    else
        read_rows(bodies, count, 16, to, row_B);
}

/* All of it, or a part, of one colour. */
static void read_solid(uint32_t colour, const struct mali_tex_rect *rect, uint8_t *to, size_t row_B)
{
    const uint32_t four[4] = {colour, colour, colour, colour};
    for (uint32_t y = 0; y < rect->height; y++, to += row_B) {
        uint32_t x = 0;
        for (; x + 4 <= rect->width; x += 4)
            memcpy(to + (size_t)x * TEXEL_B, four, sizeof(four));
        for (; x < rect->width; x++)
            memcpy(to + (size_t)x * TEXEL_B, &colour, TEXEL_B);
    }
}

static void read_part(const struct mali_tex_area *area, const struct superblock *superblock,
                      const struct mali_tex_rect *rect, uint8_t *to, size_t row_B)
{
    for (uint32_t y = 0; y < rect->height; y++, to += row_B) {
        for (uint32_t x = 0; x < rect->width; x++) {
            const uint8_t *texel = superblock->body + mali_afbc_texel_B(&area->plane.afbc, rect->x + x, rect->y + y);
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

/* The part of the rectangle from (x, y) on that lies in one superblock, to *next_x_out; or in several that are
 * whole. */
static bool read_superblocks(const struct mali_tex_area *area, const struct mali_tex_rect *piece, uint32_t right,
                             uint8_t *to, size_t row_B, uint32_t *next_x_out)
{
    const unsigned w_log2 = area->plane.afbc.w_log2;
    const uint8_t *bodies[RUN];
    struct superblock first;
    if (!find_superblock(area, piece->x, piece->y, &first))
        return false;
    if (!first.body) {
        read_solid(first.colour, piece, to, row_B);
    } else if (piece->width * piece->height < MALI_AFBC_TEXELS) {
        read_part(area, &first, piece, to, row_B);
    } else {
        const unsigned count = find_run(area, &first, piece->x, piece->y, right, bodies);
        read_run(bodies, count, w_log2, to, row_B);
        *next_x_out = piece->x + (count << w_log2);
    }
    return true;
}

/* A part that lies in one tile, or one row. */
static bool read_piece(const struct mali_tex_area *area, const struct mali_tex_rect *piece, uint8_t *to, size_t row_B)
{
    const struct mali_tex_plane *plane = &area->plane;
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

static bool read_rect(const struct mali_tex_area *area, const struct mali_tex_rect *rect, uint8_t *to, size_t row_B)
{
    const struct mali_tex_plane *plane = &area->plane;
    const uint32_t w = plane->is_afbc          ? 1u << plane->afbc.w_log2
                       : plane->tile.side_log2 ? TILE_SIDE
                                               : 1u << 16,
                   h = plane->is_afbc          ? MALI_AFBC_TEXELS / w
                       : plane->tile.side_log2 ? TILE_SIDE
                                               : 1;
    const uint32_t right = rect->x + rect->width, bottom = rect->y + rect->height;
    for (uint32_t y = rect->y, next_y; y < bottom; y = next_y) {
        next_y = MIN2((y & ~(h - 1)) + h, bottom);
        for (uint32_t x = rect->x, next_x; x < right; x = next_x) {
            uint8_t *at = to + (size_t)(y - rect->y) * row_B + (size_t)(x - rect->x) * TEXEL_B;
            next_x = MIN2((x & ~(w - 1)) + w, right);
            const struct mali_tex_rect piece = {x, y, next_x - x, next_y - y};
            if (!(plane->is_afbc ? read_superblocks(area, &piece, right, at, row_B, &next_x)
                                 : read_piece(area, &piece, at, row_B)))
                return false;
        }
    }
    return true;
}

/* ---- squares of superblocks, whose headers lie together ---- */

static struct mali_tex_rect square_at(const struct mali_tex_area *area, uint32_t x, uint32_t y)
{
    const struct mali_afbc *afbc = &area->plane.afbc;
    return (struct mali_tex_rect){x, y, (1u << afbc->w_log2) << afbc->header_tile_log2,
                                  (MALI_AFBC_TEXELS >> afbc->w_log2) << afbc->header_tile_log2};
}

/* Whether a rectangle has whole squares only. */
static bool is_of_squares(const struct mali_tex_area *area, const struct mali_tex_rect *rect)
{
    if (!area->plane.is_afbc || !area->plane.afbc.header_tile_log2)
        return false;
    const struct mali_tex_rect square = square_at(area, 0, 0);
    return !((rect->x | rect->width) & (square.width - 1)) && !((rect->y | rect->height) & (square.height - 1));
}

static const uint8_t *bodies_of(const struct mali_tex_area *area, const struct mali_tex_rect *square)
{
    return mali_tex_area_superblocks(area, square->x, square->y, 1u << 2 * area->plane.afbc.header_tile_log2);
}

#define SQUARE 64 /* superblocks at most */
#define SUPERBLOCK_B (MALI_AFBC_TEXELS * TEXEL_B)

/* Where superblocks of a square are, in the order of their headers. */
struct places {
    uint16_t x[SQUARE], y[SQUARE];
};

static struct places find_places(const struct mali_tex_area *area)
{
    const struct mali_afbc *afbc = &area->plane.afbc;
    const uint32_t side = 1u << afbc->header_tile_log2, w = 1u << afbc->w_log2, h = MALI_AFBC_TEXELS / w;
    struct places places = {{0}, {0}};
    for (uint32_t i = 0; i < side * side; i++) {
        const uint32_t x = i % side * w, y = i / side * h;
        const uint64_t number = mali_afbc_texel_header_B(afbc, x, y) / MALI_AFBC_HEADER_B;
        places.x[number % SQUARE] = (uint16_t)x;
        places.y[number % SQUARE] = (uint16_t)y;
    }
    return places;
}

/* In the order of memory, which the host foresees, but for where the next one begins. False: not all are
 * uncompressed. */
static bool read_square(const struct mali_tex_area *area, const struct places *places,
                        const struct mali_tex_rect *square, uint8_t *to, size_t row_B)
{
    const struct mali_afbc *afbc = &area->plane.afbc;
    const uint8_t *body = bodies_of(area, square);
    for (unsigned i = 0; body && i < 1u << 2 * afbc->header_tile_log2; i++, body += SUPERBLOCK_B) {
        for (unsigned line_B = 0; line_B < SUPERBLOCK_B; line_B += 64)
            __builtin_prefetch(body + SUPERBLOCK_B + line_B);
        read_run(&body, 1, afbc->w_log2, to + places->y[i] * row_B + (size_t)places->x[i] * TEXEL_B, row_B);
    }
    return body != NULL;
}

bool mali_tex_area_read(const struct mali_tex_area *area, const struct mali_tex_rect *rect, uint8_t *to, size_t row_B)
{
    if (!is_inside(area, rect))
        return false;
    if (!is_of_squares(area, rect))
        return read_rect(area, rect, to, row_B);
    const struct mali_tex_rect step = square_at(area, 0, 0);
    const struct places places = find_places(area);
    for (uint32_t y = 0; y < rect->height; y += step.height) {
        for (uint32_t x = 0; x < rect->width; x += step.width) {
            const struct mali_tex_rect square = square_at(area, rect->x + x, rect->y + y);
            uint8_t *at = to + (size_t)y * row_B + (size_t)x * TEXEL_B;
            if (!read_square(area, &places, &square, at, row_B) && !read_rect(area, &square, at, row_B))
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

/* Whether whole squares meet: where their bytes lie together, as they do in images that were drawn, one look is
 * enough. */
static bool squares_meet(const struct mali_tex_area *area, const struct mali_tex_rect *rect, uint64_t va,
                         uint64_t size_B)
{
    const struct mali_tex_plane *plane = &area->plane;
    const struct mali_tex_rect step = square_at(area, 0, 0);
    const uint64_t count = 1u << 2 * plane->afbc.header_tile_log2;
    bool is_any = false;
    for (uint32_t y = 0; y < rect->height && !is_any; y += step.height) {
        for (uint32_t x = 0; x < rect->width && !is_any; x += step.width) {
            const struct mali_tex_rect square = square_at(area, rect->x + x, rect->y + y);
            const uint64_t header_va = plane->base_va + mali_afbc_texel_header_B(&plane->afbc, square.x, square.y);
            uint32_t body_B = 0;
            is_any = !bodies_of(area, &square) || !gpu_mem_read32(area->space, header_va, &body_B)
                         ? superblocks_meet(area, &square, va, size_B)
                         : do_meet(va, size_B, header_va, count * MALI_AFBC_HEADER_B) ||
                               do_meet(va, size_B, plane->base_va + body_B, count * MALI_AFBC_TEXELS * TEXEL_B);
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
        return is_of_squares(area, rect) ? squares_meet(area, rect, va, size_B)
                                         : superblocks_meet(area, rect, va, size_B);
    const uint32_t side = plane->tile.side_log2 ? TILE_SIDE : 1, mask = ~(side - 1);
    const uint64_t first_va = mali_tex_element_va(plane, rect->x & mask, rect->y & mask, 0),
                   last_va = mali_tex_element_va(plane, (rect->x + rect->width - 1) & mask,
                                                 (rect->y + rect->height - 1) & mask, 0);
    return do_meet(va, size_B, first_va, last_va - first_va + side * side * TEXEL_B);
}
