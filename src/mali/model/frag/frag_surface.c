/* See frag_surface.h. */
#include "mali/model/frag/frag_surface.h"

#include <pthread.h>
#include <string.h>

#include "mali/model/coherence.h"
#include "util/bits.h"

struct frag_surface mali_frag_surface(struct mali_queue *queue, const char *client,
                                      const struct frag_surface_info *info)
{
    struct frag_surface surface = {
        .queue = queue, .client = client, .pixel_B = info->pixel_B, .base_va = info->base_va};
    const bool is_tiled = info->block_format == MALI_BLOCK_FORMAT_AFBC_TILED;
    if (mali_frag_is_afbc(info->block_format)) {
        surface.is_afbc = true;
        surface.afbc = (struct mali_afbc){info->row_B, info->is_wide ? 5 : 4, (uint8_t)info->pixel_B,
                                          (uint8_t)mali_afbc_header_tile_log2(is_tiled, info->pixel_B)};
        surface.body_B = info->body_B;
        return surface;
    }
    surface.tile = mali_tile_init(info->pixel_B, info->row_B,
                                  info->block_format == MALI_BLOCK_FORMAT_TILED_U_INTERLEAVED ? MALI_ORDER_TILED
                                  : info->block_format == MALI_BLOCK_FORMAT_INTERLEAVED_64K   ? MALI_ORDER_64K
                                                                                              : MALI_ORDER_LINEAR,
                                  false);
    return surface;
}

static uint8_t *bytes_at(const struct frag_surface *surface, uint64_t va, uint32_t size_B)
{
    uint8_t *host = gpu_space_pointer(surface->queue->space, va, size_B, GPU_PERM_READ | GPU_PERM_WRITE);
    if (!host)
        mali_fault(surface->queue, surface->client, va, size_B, true);
    return host;
}

/* The host's address of any number of bytes. */
static uint8_t *bytes_of(const struct frag_surface *surface, uint64_t va, uint64_t size_B)
{
    uint8_t *host = gpu_space_whole(surface->queue->space, va, size_B, GPU_PERM_READ | GPU_PERM_WRITE);
    if (!host)
        mali_fault(surface->queue, surface->client, va, size_B, true);
    return host;
}

/* Of rows: where the first one is, if the host has all from there to the end of the last one in one piece. NULL: each
 * is to be asked for, which also says what is wrong. */
static uint8_t *rows_of(const struct frag_surface *surface, uint64_t va, uint32_t width, uint32_t height)
{
    return gpu_space_whole(surface->queue->space, va,
                           (uint64_t)(height - 1) * surface->tile.row_B + (uint64_t)width * surface->pixel_B,
                           GPU_PERM_READ | GPU_PERM_WRITE);
}

/* ---- AFBC ---- */

/* Tiles that share a superblock are written by several workers. */
static pthread_mutex_t header_locks[64] = {[0 ... 63] = PTHREAD_MUTEX_INITIALIZER};

static uint32_t body_of(const struct frag_surface *surface, uint64_t header_offset_B)
{
    return surface->body_B + mali_afbc_body_B(&surface->afbc, header_offset_B);
}

/* Where what is known of the superblock of a pixel stands. */
static struct frag_known *known_of(struct frag_surface *surface, uint32_t x, uint32_t y)
{
    const uint32_t column = x >> surface->afbc.w_log2, row = y >> (8 - surface->afbc.w_log2);
    struct frag_known *known = &surface->known[column % 4 + row % 4 * 4];
    if (known->x != column || known->y != row)
        *known = (struct frag_known){column, row, NULL};
    return known;
}

/* A superblock becomes one that is not compressed, at the place that it has for itself. One of a single colour keeps it
 * where nothing is drawn; a header that nothing of the model has written says nothing of what was there before. */
static bool open_superblock(struct frag_surface *surface, uint32_t x, uint32_t y, bool is_overwritten)
{
    const uint64_t header_offset_B = mali_afbc_texel_header_B(&surface->afbc, x, y);
    const uint32_t body_B = body_of(surface, header_offset_B);
    uint8_t *bytes = bytes_at(surface, surface->base_va + header_offset_B, MALI_AFBC_HEADER_B);
    uint8_t *body = bytes ? bytes_at(surface, surface->base_va + body_B, MALI_AFBC_TEXELS * surface->pixel_B) : NULL;
    uint8_t raw[MALI_AFBC_HEADER_B];
    if (!body)
        return false;
    known_of(surface, x, y)->body = body;
    mali_afbc_pack_raw(raw, body_B);
    if (memcmp(bytes, raw, sizeof(raw)) == 0)
        return true;
    const struct mali_afbc_header header = mali_afbc_unpack(bytes);
    const bool keeps = header.kind == MALI_AFBC_SOLID && !is_overwritten;
    for (unsigned i = 0; keeps && i < MALI_AFBC_TEXELS; i++)
        memcpy(body + (size_t)i * surface->pixel_B, &header.colour, MIN2(surface->pixel_B, sizeof(header.colour)));
    memcpy(bytes, raw, sizeof(raw));
    MALI_WRITES(surface->queue, MALI_CLIENT_WRITEBACK, surface->base_va + header_offset_B, MALI_AFBC_HEADER_B);
    if (keeps)
        MALI_WRITES(surface->queue, MALI_CLIENT_WRITEBACK, surface->base_va + body_B,
                    (uint64_t)MALI_AFBC_TEXELS * surface->pixel_B);
    return true;
}

struct superblocks {
    uint32_t w, h; /* of each */
};

static struct superblocks superblocks_of(const struct frag_surface *surface)
{
    return (struct superblocks){1u << surface->afbc.w_log2, MALI_AFBC_TEXELS >> surface->afbc.w_log2};
}

/* Is the superblock at (x, y) inside of the rectangle? */
static bool is_inside(const struct superblocks *size, const int32_t rect[4], uint32_t x, uint32_t y)
{
    return (int32_t)x >= rect[0] && (int32_t)y >= rect[1] && (int32_t)(x + size->w) <= rect[2] &&
           (int32_t)(y + size->h) <= rect[3];
}

bool mali_frag_surface_open(struct frag_surface *surface, const int32_t rect[4], bool writes_all)
{
    if (!surface->is_afbc)
        return true;
    const struct superblocks size = superblocks_of(surface);
    for (uint32_t y = (uint32_t)rect[1] & ~(size.h - 1); y < (uint32_t)rect[3]; y += size.h) {
        for (uint32_t x = (uint32_t)rect[0] & ~(size.w - 1); x < (uint32_t)rect[2]; x += size.w) {
            const bool is_own = is_inside(&size, rect, x, y); /* the rectangle is a worker's */
            pthread_mutex_t *lock = &header_locks[(x / size.w + y / size.h * 8) % 64];
            if (!is_own)
                pthread_mutex_lock(lock);
            const bool is_open = open_superblock(surface, x, y, writes_all && is_own);
            if (!is_own)
                pthread_mutex_unlock(lock);
            if (!is_open)
                return false;
        }
    }
    return true;
}

uint8_t *mali_frag_surface_take(const struct frag_surface *surface, uint32_t x, uint32_t y, unsigned count)
{
    const uint64_t header_offset_B = mali_afbc_texel_header_B(&surface->afbc, x, y);
    const uint64_t va = surface->base_va + header_offset_B,
                   body_va = surface->base_va + body_of(surface, header_offset_B);
    const uint32_t size_B = MALI_AFBC_TEXELS * surface->pixel_B;
    uint8_t *headers = bytes_of(surface, va, (uint64_t)count * MALI_AFBC_HEADER_B),
            *body = headers ? bytes_of(surface, body_va, (uint64_t)count * size_B) : NULL;
    for (unsigned i = 0; body && i < count; i++)
        mali_afbc_pack_raw(headers + (size_t)i * MALI_AFBC_HEADER_B, body_of(surface, header_offset_B) + i * size_B);
    return body;
}

/* ---- blocks ---- */

/* Element of each cell of a block: on the curve of U-interleaved tiles, and in rows of 4 × 4 blocks of AFBC, of which a
 * superblock's row has four or eight. */
#define CELL_X(i) (((i) >> 2 & 3) * 2 + ((i)&1))
#define CELL_Y(i) (((i) >> 4 & 3) * 2 + ((i) >> 1 & 1))
#define SPREAD(n) (((n)&1) | ((n)&2) << 1 | ((n)&4) << 2)
#define ON_CURVE(i) (SPREAD(CELL_X(i)) ^ SPREAD(CELL_Y(i)) * 3)
#define IN_ROWS(i, blocks)                                                                                             \
    (((CELL_Y(i) >> 2) * (blocks) + (CELL_X(i) >> 2)) * 16 + (CELL_Y(i) & 3) * 4 + (CELL_X(i) & 3))
#define FOUR(f, i, ...)                                                                                                \
    f(i, ##__VA_ARGS__), f((i) + 1, ##__VA_ARGS__), f((i) + 2, ##__VA_ARGS__), f((i) + 3, ##__VA_ARGS__)
#define SIXTEEN(f, i, ...)                                                                                             \
    FOUR(f, i, ##__VA_ARGS__), FOUR(f, (i) + 4, ##__VA_ARGS__), FOUR(f, (i) + 8, ##__VA_ARGS__),                       \
        FOUR(f, (i) + 12, ##__VA_ARGS__)
#define ALL(f, ...)                                                                                                    \
    SIXTEEN(f, 0, ##__VA_ARGS__), SIXTEEN(f, 16, ##__VA_ARGS__), SIXTEEN(f, 32, ##__VA_ARGS__),                        \
        SIXTEEN(f, 48, ##__VA_ARGS__)

static const uint8_t on_curve[FRAG_BLOCK_PIXELS] = {ALL(ON_CURVE)};
static const uint8_t in_rows[2][FRAG_BLOCK_PIXELS] = {{ALL(IN_ROWS, 4)}, {ALL(IN_ROWS, 8)}};

/* TUFF_DEBUG=coherence: the pixels of a block that are written. `va` is of its first one, or of its first row. */
static void note_pixels(const struct frag_surface *surface, uint64_t va, uint64_t pixels,
                        const struct frag_block *block)
{
    const unsigned B = surface->pixel_B;
    bits_foreach (pixels, i) {
        const uint64_t at_B =
            block->first ? (uint64_t)block->order[i] * B : CELL_Y(i) * (uint64_t)surface->tile.row_B + CELL_X(i) * B;
        coherence_write(surface->queue->coherence, MALI_CLIENT_WRITEBACK, 0, va + at_B, B);
    }
}

static bool find_rows(const struct frag_surface *surface, uint64_t pixels, struct frag_block *block)
{
    const uint64_t va = surface->base_va + mali_tile_offset_B(&surface->tile, block->x, block->y);
    uint8_t *first = pixels == UINT64_MAX ? rows_of(surface, va, RASTER_BLOCK, RASTER_BLOCK) : NULL;
    for (unsigned y = 0; first && y < RASTER_BLOCK; y++)
        block->row[y] = first + (size_t)y * surface->tile.row_B;
    for (unsigned y = 0; !first && y < RASTER_BLOCK; y++) {
        const uint64_t of_row = pixels & mali_frag_pixels(0, (int32_t)y, RASTER_BLOCK, (int32_t)y + 1);
        block->row[y] = NULL;
        if (!of_row)
            continue;
        /* Up to the last pixel that is written: what is after it may belong to nothing. */
        unsigned end = RASTER_BLOCK;
        while (!(of_row & mali_frag_pixels((int32_t)end - 1, (int32_t)y, (int32_t)end, (int32_t)y + 1)))
            end--;
        block->row[y] = bytes_at(surface, va + (uint64_t)y * surface->tile.row_B, end * surface->pixel_B);
        if (!block->row[y])
            return false;
    }
    if (__builtin_expect(surface->queue->coherence != NULL, 0))
        note_pixels(surface, va, pixels, block);
    return true;
}

static bool find_in_superblock(struct frag_surface *surface, uint32_t x, uint32_t y, uint64_t pixels,
                               struct frag_block *block)
{
    struct frag_known *known = known_of(surface, x, y);
    const uint32_t at_B = mali_afbc_texel_B(&surface->afbc, x, y);
    block->order = in_rows[surface->afbc.w_log2 - 4];
    if (!known->body || __builtin_expect(surface->queue->coherence != NULL, 0)) {
        const uint64_t body_va = surface->base_va + body_of(surface, mali_afbc_texel_header_B(&surface->afbc, x, y));
        known->body = bytes_at(surface, body_va, MALI_AFBC_TEXELS * surface->pixel_B);
        if (!known->body)
            return false;
        if (surface->queue->coherence)
            note_pixels(surface, body_va + at_B, pixels, block);
    }
    block->first = known->body + at_B;
    return true;
}

bool mali_frag_surface_find(struct frag_surface *surface, uint32_t x, uint32_t y, uint64_t pixels,
                            struct frag_block *block)
{
    const unsigned B = surface->pixel_B;
    block->x = x;
    block->y = y;
    block->pixel_B = B;
    block->first = NULL;
    block->is_curve = false;
    if (surface->is_afbc)
        return find_in_superblock(surface, x, y, pixels, block);
    if (!surface->tile.side_log2)
        return find_rows(surface, pixels, block);
    block->order = on_curve;
    block->is_curve = true;
    const uint64_t va = surface->base_va + mali_tile_offset_B(&surface->tile, x, y);
    block->first = bytes_at(surface, va, FRAG_BLOCK_PIXELS * B);
    if (__builtin_expect(block->first && surface->queue->coherence, 0))
        note_pixels(surface, va, pixels, block);
    return block->first;
}

static uint8_t *pixel_at(const struct frag_block *block, unsigned i)
{
    return block->first ? block->first + (size_t)block->order[i] * block->pixel_B
                        : block->row[CELL_Y(i)] + (size_t)CELL_X(i) * block->pixel_B;
}

typedef uint32_t word4 __attribute__((vector_size(16)));

/* Four bytes a pixel, all pixels. */
static void put_words(const struct frag_block *block, const uint8_t *data)
{
    if (block->is_curve) { /* a quad is four elements that follow each other: 0, 1, 3, 2 */
        for (unsigned q = 0; q < FRAG_WARP_QUADS; q++) {
            word4 quad;
            memcpy(&quad, data + 16 * q, sizeof(quad));
            quad = __builtin_shufflevector(quad, quad, 0, 1, 3, 2);
            memcpy(block->first + 4 * on_curve[4 * q], &quad, sizeof(quad));
        }
        return;
    }
    for (unsigned q = 0; q < FRAG_WARP_QUADS; q += 2) { /* four pixels of a row follow each other everywhere else */
        word4 left, right;
        memcpy(&left, data + 16 * q, sizeof(left));
        memcpy(&right, data + 16 * q + 16, sizeof(right));
        const word4 upper = __builtin_shufflevector(left, right, 0, 1, 4, 5),
                    lower = __builtin_shufflevector(left, right, 2, 3, 6, 7);
        memcpy(pixel_at(block, 4 * q), &upper, sizeof(upper));
        memcpy(pixel_at(block, 4 * q + 2), &lower, sizeof(lower));
    }
}

/* Inlined for each size that pixels often have: a copy of a size that the compiler does not know is a call. */
static inline __attribute__((always_inline)) void put_each(const struct frag_block *block, uint64_t pixels,
                                                           const uint8_t *data, unsigned stride_B, unsigned at_B,
                                                           unsigned size_B)
{
    bits_foreach (pixels, i)
        memcpy(pixel_at(block, (unsigned)i) + at_B, data + (size_t)i * stride_B, size_B);
}

/* Four cells to where they follow each other. */
static inline __attribute__((always_inline)) void put_four(uint8_t *to, const uint8_t *data, unsigned stride_B,
                                                           unsigned size_B, const uint8_t from[4])
{
    for (unsigned i = 0; i < 4; i++)
        memcpy(to + (size_t)i * size_B, data + (size_t)from[i] * stride_B, size_B);
}

/* All pixels as a whole. The same order as in put_words. */
static inline __attribute__((always_inline)) void put_all(const struct frag_block *block, const uint8_t *data,
                                                          unsigned stride_B, unsigned size_B)
{
    static const uint8_t of_quad[4] = {0, 1, 3, 2}, upper[4] = {0, 1, 4, 5}, lower[4] = {2, 3, 6, 7};
    for (unsigned q = 0; q < FRAG_WARP_QUADS && block->is_curve; q++)
        put_four(block->first + (size_t)size_B * on_curve[4 * q], data + (size_t)4 * q * stride_B, stride_B, size_B,
                 of_quad);
    for (unsigned q = 0; q < FRAG_WARP_QUADS && !block->is_curve; q += 2) {
        put_four(pixel_at(block, 4 * q), data + (size_t)4 * q * stride_B, stride_B, size_B, upper);
        put_four(pixel_at(block, 4 * q + 2), data + (size_t)4 * q * stride_B, stride_B, size_B, lower);
    }
}

/* One byte a pixel, all pixels: two quads side by side are eight bytes, in which only the middle pairs change
 * places. */
static void put_bytes(const struct frag_block *block, const uint8_t *data, unsigned stride_B)
{
    uint64_t two[FRAG_WARP_QUADS / 2];
    uint8_t bytes[FRAG_BLOCK_PIXELS];
    if (stride_B == 4) {
        uint32_t words[FRAG_BLOCK_PIXELS];
        memcpy(words, data, sizeof(words));
        for (unsigned i = 0; i < FRAG_BLOCK_PIXELS; i++)
            bytes[i] = (uint8_t)words[i];
        data = bytes;
    }
    memcpy(two, data, sizeof(two));
    if (block->is_curve) { /* the lower pixels of a quad do */
        for (unsigned i = 0; i < FRAG_WARP_QUADS / 2; i++)
            two[i] =
                (two[i] & 0x0000ffff0000ffff) | (two[i] & 0x00ff000000ff0000) << 8 | (two[i] >> 8 & 0x00ff000000ff0000);
        for (unsigned q = 0; q < FRAG_WARP_QUADS; q++) {
            const uint32_t quad = (uint32_t)(two[q / 2] >> q % 2 * 32);
            memcpy(block->first + on_curve[4 * q], &quad, sizeof(quad));
        }
        return;
    }
    for (unsigned i = 0; i < FRAG_WARP_QUADS / 2; i++) {
        const uint64_t other = (two[i] ^ two[i] >> 16) & 0xffff0000;
        two[i] ^= other ^ other << 16;
    }
    if (block->first) { /* the two rows of four follow each other */
        const uint8_t *order = block->order;
        uint8_t *first = block->first;
        for (unsigned i = 0; i < FRAG_WARP_QUADS / 2; i++)
            memcpy(first + order[8 * i], &two[i], sizeof(two[i]));
        return;
    }
    for (unsigned i = 0; i < FRAG_WARP_QUADS / 2; i++) {
        const uint32_t upper = (uint32_t)two[i], lower = (uint32_t)(two[i] >> 32);
        memcpy(pixel_at(block, 8 * i), &upper, sizeof(upper));
        memcpy(pixel_at(block, 8 * i + 2), &lower, sizeof(lower));
    }
}

static inline __attribute__((always_inline)) void put_size(const struct frag_block *block, uint64_t pixels,
                                                           const uint8_t *data, unsigned stride_B, unsigned at_B,
                                                           unsigned size_B)
{
    if (pixels != UINT64_MAX || block->pixel_B != size_B)
        put_each(block, pixels, data, stride_B, at_B, size_B);
    else if (size_B == 1 && (stride_B == 1 || stride_B == 4))
        put_bytes(block, data, stride_B);
    else if (stride_B == size_B)
        put_all(block, data, size_B, size_B);
    else if (stride_B == 4)
        put_all(block, data, 4, size_B);
    else
        put_each(block, pixels, data, stride_B, at_B, size_B);
}

void mali_frag_surface_put(const struct frag_block *block, uint64_t pixels, const uint8_t *data, unsigned stride_B,
                           unsigned at_B, unsigned size_B)
{
    if (pixels == UINT64_MAX && size_B == 4 && stride_B == 4 && block->pixel_B == 4) {
        put_words(block, data);
        return;
    }
    switch (size_B) {
    case 1:
        put_size(block, pixels, data, stride_B, at_B, 1);
        break;
    case 2:
        put_size(block, pixels, data, stride_B, at_B, 2);
        break;
    case 4:
        put_each(block, pixels, data, stride_B, at_B, 4);
        break;
    case 8:
        put_size(block, pixels, data, stride_B, at_B, 8);
        break;
    default:
        put_each(block, pixels, data, stride_B, at_B, size_B);
        break;
    }
}

void mali_frag_surface_put_rows(const struct frag_block *block, uint64_t pixels, const uint8_t *rows, size_t row_B)
{
    uint8_t data[FRAG_BLOCK_PIXELS * 4];
    bits_foreach (pixels, i)
        memcpy(data + 4 * i, rows + CELL_Y(i) * row_B + CELL_X(i) * 4, 4);
    mali_frag_surface_put(block, pixels, data, 4, 0, 4);
}

/* ---- fills ---- */

/* One pixel repeated: a vector is a multiple of 1, 2, 4, 8 and 16 bytes. Four of them at a time are as quick as
 * memory. */
static void fill_run(uint8_t *to, const uint8_t *pixel, unsigned pixel_B, size_t count)
{
    typedef word4 word4_anywhere __attribute__((aligned(1), may_alias));
    word4 pattern;
    const size_t size_B = count * pixel_B;
    size_t at_B = 0;
    if (!is_power_of_two(pixel_B)) {
        for (size_t i = 0; i < count; i++)
            memcpy(to + i * pixel_B, pixel, pixel_B);
        return;
    }
    for (unsigned i = 0; i < sizeof(pattern); i += pixel_B)
        memcpy((uint8_t *)&pattern + i, pixel, pixel_B);
    for (; at_B + 4 * sizeof(pattern) <= size_B; at_B += 4 * sizeof(pattern)) {
        word4_anywhere *four = (word4_anywhere *)(to + at_B);
        four[0] = four[1] = four[2] = four[3] = pattern;
    }
    for (; at_B < size_B; at_B += sizeof(pattern))
        memcpy(to + at_B, &pattern, MIN2(size_B - at_B, sizeof(pattern)));
}

uint64_t mali_frag_pixels_inside(const int32_t rect[4], int32_t x, int32_t y)
{
    return mali_frag_pixels(MAX2(rect[0] - x, 0), MAX2(rect[1] - y, 0), MIN2(rect[2] - x, RASTER_BLOCK),
                            MIN2(rect[3] - y, RASTER_BLOCK));
}

static bool fill_blocks(struct frag_surface *surface, const int32_t rect[4], const uint8_t *pixel)
{
    uint8_t data[FRAG_BLOCK_PIXELS * FRAG_CELL_B];
    if (!mali_frag_surface_open(surface, rect, true))
        return false;
    fill_run(data, pixel, surface->pixel_B, FRAG_BLOCK_PIXELS);
    for (int32_t y = rect[1] & -RASTER_BLOCK; y < rect[3]; y += RASTER_BLOCK) {
        for (int32_t x = rect[0] & -RASTER_BLOCK; x < rect[2]; x += RASTER_BLOCK) {
            const uint64_t pixels = mali_frag_pixels_inside(rect, x, y);
            struct frag_block block;
            if (!mali_frag_surface_find(surface, (uint32_t)x, (uint32_t)y, pixels, &block))
                return false;
            mali_frag_surface_put(&block, pixels, data, surface->pixel_B, 0, surface->pixel_B);
        }
    }
    return true;
}

/* Superblocks of one colour are headers alone. Those of a square follow each other, and so do the largest squares of a
 * row. The body stays what it was. */
static bool fill_squares(const struct frag_surface *surface, const int32_t rect[4], const uint8_t *pixel, unsigned log2)
{
    const struct superblocks size = superblocks_of(surface);
    const uint32_t square_w = size.w << log2, square_h = size.h << log2;
    const uint32_t width = log2 == surface->afbc.header_tile_log2 ? (uint32_t)(rect[2] - rect[0]) : square_w;
    const uint64_t size_B = (uint64_t)(width / square_w << 2 * log2) * MALI_AFBC_HEADER_B;
    uint8_t solid[MALI_AFBC_HEADER_B];
    uint64_t colour = 0;
    memcpy(&colour, pixel, surface->pixel_B);
    mali_afbc_pack_solid(solid, colour);
    for (uint32_t y = (uint32_t)rect[1]; y < (uint32_t)rect[3]; y += square_h) {
        for (uint32_t x = (uint32_t)rect[0]; x < (uint32_t)rect[2]; x += width) {
            const uint64_t va = surface->base_va + mali_afbc_texel_header_B(&surface->afbc, x, y);
            uint8_t *headers =
                size_B <= GPU_PAGE_SIZE_B ? bytes_at(surface, va, (uint32_t)size_B) : bytes_of(surface, va, size_B);
            if (!headers)
                return false;
            fill_run(headers, solid, MALI_AFBC_HEADER_B, size_B / MALI_AFBC_HEADER_B);
        }
    }
    return true;
}

/* Fills from (x, y) on a number of pixels that lie together. */
static bool fill_at(const struct frag_surface *surface, int32_t x, int32_t y, uint32_t count, const uint8_t *pixel)
{
    const uint64_t va = surface->base_va + mali_tile_offset_B(&surface->tile, (uint32_t)x, (uint32_t)y);
    uint8_t *to = bytes_at(surface, va, count * surface->pixel_B);
    if (!to)
        return false;
    MALI_WRITES(surface->queue, MALI_CLIENT_WRITEBACK, va, (uint64_t)count * surface->pixel_B);
    fill_run(to, pixel, surface->pixel_B, count);
    return true;
}

/* Fills any number, where all of it is there; false: it may be, piece by piece. */
static bool fill_whole(const struct frag_surface *surface, int32_t x, int32_t y, uint64_t count, const uint8_t *pixel)
{
    const uint64_t va = surface->base_va + mali_tile_offset_B(&surface->tile, (uint32_t)x, (uint32_t)y);
    uint8_t *to = gpu_space_whole(surface->queue->space, va, count * surface->pixel_B, GPU_PERM_READ | GPU_PERM_WRITE);
    if (!to)
        return false;
    MALI_WRITES(surface->queue, MALI_CLIENT_WRITEBACK, va, count * surface->pixel_B);
    fill_run(to, pixel, surface->pixel_B, count);
    return true;
}

/* Tiles of 16 by 16 pixels that are beside each other are one run, as far as a page of interleaved 64k goes. */
static bool fill_tiles(const struct frag_surface *surface, const int32_t rect[4], const uint8_t *pixel)
{
    const int32_t side = 1 << surface->tile.side_log2;
    const uint64_t row = (uint64_t)(rect[2] - rect[0]) * (uint64_t)side;
    for (int32_t y = rect[1]; y < rect[3]; y += side) {
        if (!surface->tile.page_log2 && fill_whole(surface, rect[0], y, row, pixel))
            continue;
        for (int32_t x = rect[0]; x < rect[2]; x += side) {
            if (!fill_at(surface, x, y, (uint32_t)(side * side), pixel))
                return false;
        }
    }
    return true;
}

/* Rows from end to end are one run. */
static bool fill_rows(const struct frag_surface *surface, const int32_t rect[4], const uint8_t *pixel)
{
    const uint32_t width = (uint32_t)(rect[2] - rect[0]);
    if ((uint64_t)width * surface->pixel_B == surface->tile.row_B &&
        fill_whole(surface, rect[0], rect[1], (uint64_t)width * (uint64_t)(rect[3] - rect[1]), pixel))
        return true;
    const uint64_t va = surface->base_va + mali_tile_offset_B(&surface->tile, (uint32_t)rect[0], (uint32_t)rect[1]);
    uint8_t *first = rows_of(surface, va, width, (uint32_t)(rect[3] - rect[1]));
    for (int32_t y = rect[1]; first && y < rect[3]; y++)
        fill_run(first + (size_t)(y - rect[1]) * surface->tile.row_B, pixel, surface->pixel_B, width);
    for (int32_t y = rect[1]; !first && y < rect[3]; y++) {
        if (!fill_at(surface, rect[0], y, width, pixel))
            return false;
    }
    return true;
}

unsigned mali_frag_split(const int32_t rect[4], int32_t w, int32_t h, int32_t parts_out[FRAG_PARTS][4])
{
    const int32_t left = (rect[0] + w - 1) & -w, top = (rect[1] + h - 1) & -h, right = rect[2] & -w,
                  bottom = rect[3] & -h;
    const int32_t all[FRAG_PARTS][4] = {{left, top, right, bottom},
                                        {rect[0], rect[1], rect[2], top},
                                        {rect[0], top, left, bottom},
                                        {right, top, rect[2], bottom},
                                        {rect[0], bottom, rect[2], rect[3]}};
    unsigned count = 0;
    if (left >= right || top >= bottom)
        return 0;
    for (unsigned i = 0; i < FRAG_PARTS; i++) {
        if (all[i][0] < all[i][2] && all[i][1] < all[i][3])
            memcpy(parts_out[count++], all[i], sizeof(all[i]));
    }
    return count;
}

/* Superblocks by squares as large as the rectangle has them, down to one; the rest by blocks. */
static bool fill_superblocks(struct frag_surface *surface, const int32_t rect[4], const uint8_t *pixel, unsigned log2)
{
    const struct superblocks size = superblocks_of(surface);
    int32_t parts[FRAG_PARTS][4];
    const unsigned count = mali_frag_split(rect, (int32_t)(size.w << log2), (int32_t)(size.h << log2), parts);
    bool is_ok = count  ? fill_squares(surface, parts[0], pixel, log2)
                 : log2 ? fill_superblocks(surface, rect, pixel, log2 - 1)
                        : fill_blocks(surface, rect, pixel);
    for (unsigned i = 1; is_ok && i < count; i++)
        is_ok = log2 ? fill_superblocks(surface, parts[i], pixel, log2 - 1) : fill_blocks(surface, parts[i], pixel);
    return is_ok;
}

bool mali_frag_surface_fill(struct frag_surface *surface, const int32_t rect[4], const uint8_t *pixel)
{
    const int32_t side = 1 << surface->tile.side_log2;
    if (surface->queue->coherence) /* it looks at every pixel */
        return fill_blocks(surface, rect, pixel);
    if (surface->is_afbc)
        return surface->pixel_B <= 8 ? fill_superblocks(surface, rect, pixel, surface->afbc.header_tile_log2)
                                     : fill_blocks(surface, rect, pixel);
    if (side == 1)
        return fill_rows(surface, rect, pixel);
    int32_t parts[FRAG_PARTS][4];
    const unsigned count = mali_frag_split(rect, side, side, parts);
    bool is_ok = count ? fill_tiles(surface, parts[0], pixel) : fill_blocks(surface, rect, pixel);
    for (unsigned i = 1; is_ok && i < count; i++)
        is_ok = fill_blocks(surface, parts[i], pixel);
    return is_ok;
}
