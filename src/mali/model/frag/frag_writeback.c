/* From the tile buffer to memory: formats, samples, layouts. Pixels that nothing has drawn are written only where the
 * target asks for it. */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "mali/hw/tiling/afbc.h"
#include "mali/hw/tiling/tile.h"
#include "mali/model/frag/frag.h"
#include "util/bits.h"
#include "util/format/channel.h"
#include "util/half.h"

/* ---- places in memory ---- */

struct place {
    struct mali_queue *queue;
    const char *client;
    unsigned pixel_B;
    uint64_t base_va;
    struct mali_tile tile;
    bool is_afbc;
    struct mali_afbc afbc;
    uint32_t body_B; /* of AFBC: from the first header */
};

struct surface {
    uint64_t base_va;
    unsigned pixel_B, block_format;
    uint32_t row_B, body_B;
    bool is_wide;
};

static struct place place_of(struct mali_queue *queue, const char *client, const struct surface *s)
{
    struct place place = {.queue = queue, .client = client, .pixel_B = s->pixel_B, .base_va = s->base_va};
    const bool is_tiled = s->block_format == MALI_BLOCK_FORMAT_AFBC_TILED;
    if (is_tiled || s->block_format == MALI_BLOCK_FORMAT_AFBC) {
        place.is_afbc = true;
        place.afbc = (struct mali_afbc){s->row_B, s->is_wide ? 5 : 4, (uint8_t)s->pixel_B,
                                        (uint8_t)mali_afbc_header_tile_log2(is_tiled, s->pixel_B)};
        place.body_B = s->body_B;
        return place;
    }
    place.tile = mali_tile_init(s->pixel_B, s->row_B,
                                s->block_format == MALI_BLOCK_FORMAT_TILED_U_INTERLEAVED ? MALI_ORDER_TILED
                                : s->block_format == MALI_BLOCK_FORMAT_INTERLEAVED_64K   ? MALI_ORDER_64K
                                                                                         : MALI_ORDER_LINEAR,
                                false);
    return place;
}

static uint8_t *bytes_at(const struct place *place, uint64_t va, uint32_t size_B)
{
    uint8_t *host = gpu_space_pointer(place->queue->space, va, size_B, GPU_PERM_READ | GPU_PERM_WRITE);
    if (!host)
        mali_fault(place->queue, place->client, va, size_B, true);
    return host;
}

/* The pixels of a row of the tile that `mask` has: their places. Memory is looked up once for what lies together: a row
 * of a linear surface, a tile of 16 × 16, a superblock. */
static bool find_row(const struct frag_worker *w, const struct place *place, uint32_t y, uint32_t mask,
                     uint8_t *at[FRAG_TILE_SIDE])
{
    const uint32_t left = (uint32_t)w->tile.x, end = (uint32_t)w->tile.width, B = place->pixel_B;
    const bool is_linear = !place->is_afbc && !place->tile.side_log2;
    const unsigned step = is_linear ? end : place->is_afbc ? 1u << place->afbc.w_log2 : 1u << place->tile.side_log2;
    for (uint32_t x = 0, next; x < end; x = next) {
        next = is_linear ? end : MIN2(((left + x) | (step - 1)) + 1 - left, end);
        if (!(mask & (uint32_t)(bits_mask(next) & ~bits_mask(x))))
            continue;
        uint64_t va = place->base_va;
        uint32_t size_B = MALI_AFBC_TEXELS * B;
        if (place->is_afbc) {
            va += place->body_B + mali_afbc_body_B(&place->afbc, mali_afbc_texel_header_B(&place->afbc, left + x, y));
        } else if (is_linear) {
            va += mali_tile_offset_B(&place->tile, left, y);
            size_B = end * B;
        } else {
            va += mali_tile_offset_B(&place->tile, (left + x) & ~(step - 1), y & ~(step - 1));
        }
        uint8_t *host = bytes_at(place, va, size_B);
        if (!host)
            return false;
        const uint32_t curve = mali_tile_spread(y & 15) * 3;
        for (uint32_t i = x; i < next; i++)
            at[i] = host + (is_linear        ? i * B
                            : place->is_afbc ? mali_afbc_texel_B(&place->afbc, left + i, y)
                                             : (mali_tile_spread((left + i) & 15) ^ curve) * B);
    }
    return true;
}

/* Pixels of a row that lie in the bounds: those of a tile outside stay as they are in memory. */
static uint32_t bounds_mask(const struct frag_worker *w, unsigned y)
{
    const int32_t *box = w->fb->box, row = w->tile.y + (int32_t)y;
    const int32_t first = MAX2(box[0] - w->tile.x, 0), end = MIN2(box[2] - w->tile.x, w->tile.width);
    if (row < box[1] || row >= box[3] || first >= end)
        return 0;
    return (uint32_t)(bits_mask((unsigned)end) & ~bits_mask((unsigned)first));
}

/* Pixels of a row that are written: those with the bit, or all. */
static uint32_t row_mask(const struct frag_worker *w, const uint8_t *dirty, unsigned y, unsigned bit, bool is_all)
{
    const unsigned width = (unsigned)w->tile.width;
    const uint32_t inside = bounds_mask(w, y);
    uint32_t mask = 0;
    if (is_all)
        return inside;
    for (unsigned x = 0; x < width; x++)
        mask |= (uint32_t)(dirty[y * w->fb->tile_w + x] >> bit & 1) << x;
    return mask & inside;
}

uint32_t mali_frag_written(const struct frag_worker *w, unsigned target, unsigned y)
{
    return row_mask(w, w->dirty, y, target, w->fb->targets[target].writes_clean);
}

/* ---- AFBC ---- */

/* Tiles that share a superblock are written by several workers. */
static pthread_mutex_t header_locks[64] = {[0 ... 63] = PTHREAD_MUTEX_INITIALIZER};

/* A superblock becomes one that is not compressed, at the place that it has for itself. One of a single colour keeps it
 * where nothing is drawn; a header that nothing of the model has written says nothing of what was there before. */
static bool open_superblock(const struct place *place, uint64_t header_offset_B)
{
    const uint32_t body_B = place->body_B + mali_afbc_body_B(&place->afbc, header_offset_B);
    uint8_t *bytes = bytes_at(place, place->base_va + header_offset_B, MALI_AFBC_HEADER_B);
    uint8_t *body = bytes ? bytes_at(place, place->base_va + body_B, MALI_AFBC_TEXELS * place->pixel_B) : NULL;
    if (!body)
        return false;
    const struct mali_afbc_header header = mali_afbc_unpack(bytes);
    if (header.kind == MALI_AFBC_RAW && header.body_B == body_B)
        return true;
    for (unsigned i = 0; header.kind == MALI_AFBC_SOLID && i < MALI_AFBC_TEXELS; i++)
        memcpy(body + (size_t)i * place->pixel_B, &header.colour, MIN2(place->pixel_B, sizeof(header.colour)));
    mali_afbc_pack_raw(bytes, body_B);
    return true;
}

/* All superblocks that the tile touches, before its pixels are written. */
static bool open_tile(const struct frag_worker *w, const struct place *place)
{
    const uint32_t step_x = 1u << place->afbc.w_log2, step_y = MALI_AFBC_TEXELS >> place->afbc.w_log2;
    const uint32_t x0 = (uint32_t)w->tile.x & ~(step_x - 1), y0 = (uint32_t)w->tile.y & ~(step_y - 1);
    for (uint32_t y = y0; place->is_afbc && y < (uint32_t)(w->tile.y + w->tile.height); y += step_y) {
        for (uint32_t x = x0; x < (uint32_t)(w->tile.x + w->tile.width); x += step_x) {
            const uint64_t header_offset_B = mali_afbc_texel_header_B(&place->afbc, x, y);
            pthread_mutex_t *lock = &header_locks[(place->base_va + header_offset_B) / MALI_AFBC_HEADER_B % 64];
            pthread_mutex_lock(lock);
            const bool is_open = open_superblock(place, header_offset_B);
            pthread_mutex_unlock(lock);
            if (!is_open)
                return false;
        }
    }
    return true;
}

/* ---- colours ---- */

/* Channels of memory from the lowest bit on, by enum mali_COLOR_FORMAT: widths, and which component each is. */
static const struct layout {
    uint8_t width[4];
    uint8_t component[4];
} layouts[32] = {
    [MALI_COLOR_FORMAT_R8] = {{8}, {0}},
    [MALI_COLOR_FORMAT_R8G8] = {{8, 8}, {0, 1}},
    [MALI_COLOR_FORMAT_R8G8B8] = {{8, 8, 8}, {0, 1, 2}},
    [MALI_COLOR_FORMAT_R8G8B8A8] = {{8, 8, 8, 8}, {0, 1, 2, 3}},
    [MALI_COLOR_FORMAT_R4G4B4A4] = {{4, 4, 4, 4}, {0, 1, 2, 3}},
    [MALI_COLOR_FORMAT_R5G6B5] = {{5, 6, 5}, {0, 1, 2}},
    [MALI_COLOR_FORMAT_R8G8B8_FROM_R8G8B8A2] = {{8, 8, 8}, {0, 1, 2}},
    [MALI_COLOR_FORMAT_R10G10B10A2] = {{10, 10, 10, 2}, {0, 1, 2, 3}},
    [MALI_COLOR_FORMAT_A2B10G10R10] = {{2, 10, 10, 10}, {3, 2, 1, 0}},
    [MALI_COLOR_FORMAT_R5G5B5A1] = {{5, 5, 5, 1}, {0, 1, 2, 3}},
    [MALI_COLOR_FORMAT_A1B5G5R5] = {{1, 5, 5, 5}, {3, 2, 1, 0}},
};

/* Four channels as memory has them: `from` chooses, the layout packs. */
static uint32_t pack(const struct frag_target *target, const float color[4])
{
    const struct layout *layout = &layouts[target->format];
    uint32_t word = 0;
    for (unsigned k = 0, shift = 0; k < 4 && layout->width[k]; shift += layout->width[k++]) {
        const unsigned from = target->from[layout->component[k]];
        const float value = from < 4 ? color[from] : from == MALI_CHANNEL_1;
        word |= (uint32_t)rintf(value * (float)((1u << layout->width[k]) - 1)) << shift;
    }
    return word;
}

static void decode(const struct frag_target *target, uint32_t word, float color[4])
{
    for (unsigned c = 0; c < 4; c++)
        color[c] = mali_frag_decode(target->channels, c, word);
}

/* The mean of a pixel's samples; of sRGB, that of the light. */
static void average(const struct frag_worker *w, const struct frag_target *target, unsigned x, unsigned y,
                    float color[4])
{
    float sum[4] = {0};
    for (unsigned s = 0; s < w->fb->samples; s++) {
        uint32_t word;
        float one[4];
        memcpy(&word, mali_frag_color(w, target, s, x, y), sizeof(word));
        decode(target, word, one);
        for (unsigned c = 0; c < 4; c++)
            sum[c] += target->is_srgb && c < 3 ? format_srgb_to_float((uint32_t)rintf(one[c] * 255)) : one[c];
    }
    for (unsigned c = 0; c < 4; c++) {
        const float mean = sum[c] / (float)w->fb->samples;
        color[c] = target->is_srgb && c < 3 ? (float)format_float_to_srgb(mean) / 255 : mean;
    }
}

/* Are cells and memory the same bytes? */
static bool is_plain(const struct frag_target *target)
{
    const bool in_order = target->from[0] == 0 && target->from[1] == 1 && target->from[2] == 2 && target->from[3] == 3;
    return !target->channels || (target->internal == MALI_INTERNAL_FORMAT_R8G8B8A8 && in_order &&
                                 target->format == MALI_COLOR_FORMAT_R8G8B8A8);
}

static bool is_any_dirty(const struct frag_worker *w, unsigned number)
{
    for (unsigned y = 0; y < (unsigned)w->tile.height; y++) {
        for (unsigned x = 0; x < (unsigned)w->tile.width; x++) {
            if (w->dirty[y * w->fb->tile_w + x] >> number & 1)
                return true;
        }
    }
    return false;
}

/* The same of cells of floats, to such a cell. */
static void average_floats(const struct frag_worker *w, const struct frag_target *target, unsigned x, unsigned y,
                           uint8_t *to)
{
    const void *cells[FRAG_MAX_SAMPLES];
    union tex_texel texels[FRAG_MAX_SAMPLES], mean = {.f = {0}};
    for (unsigned s = 0; s < w->fb->samples; s++)
        cells[s] = mali_frag_color(w, target, s, x, y);
    mali_pixel_load(&target->pixel, texels, cells, w->fb->samples);
    for (unsigned s = 0; s < w->fb->samples; s++) {
        for (unsigned c = 0; c < 4; c++)
            mean.f[c] += texels[s].f[c] / (float)w->fb->samples;
    }
    void *const at = to;
    mali_pixel_store(&target->pixel, &at, &mean, 1);
}

static void write_converted(const struct frag_worker *w, const struct frag_target *target, unsigned sample, unsigned x,
                            unsigned y, bool averages, uint8_t *to)
{
    float color[4];
    uint32_t word;
    if (target->is_float) { /* only means of them are no copies */
        average_floats(w, target, x, y, to);
        return;
    }
    memcpy(&word, mali_frag_color(w, target, sample, x, y), sizeof(word));
    if (averages)
        average(w, target, x, y, color);
    else
        decode(target, word, color);
    word = pack(target, color);
    memcpy(to, &word, target->pixel_B);
}

static bool write_colors(struct frag_worker *w, const struct frag_target *target, unsigned number, unsigned sample)
{
    const struct frag_fb *fb = w->fb;
    const struct surface surface = {target->base_va + (uint64_t)sample * target->surface_B,
                                    target->pixel_B,
                                    target->block_format,
                                    target->row_B,
                                    target->surface_B,
                                    target->is_wide};
    const struct place place = place_of(fb->queue, "render target", &surface);
    const bool averages = target->msaa == MALI_MSAA_AVERAGE && fb->samples > 1, plain = is_plain(target) && !averages;
    if ((target->writes_clean || is_any_dirty(w, number)) && !open_tile(w, &place))
        return false;
    for (unsigned y = 0; y < (unsigned)w->tile.height; y++) {
        const uint32_t mask = mali_frag_written(w, number, y);
        uint8_t *at[FRAG_TILE_SIDE];
        if (!find_row(w, &place, (uint32_t)w->tile.y + y, mask, at))
            return false;
        const uint8_t *cells = mali_frag_color(w, target, sample, 0, y);
        if (plain && target->pixel_B == 4) {
            bits_foreach (mask, x)
                memcpy(at[x], cells + 4 * x, 4);
            continue;
        }
        bits_foreach (mask, x) {
            if (plain)
                memcpy(at[x], cells + x * target->cell_B, target->pixel_B);
            else
                write_converted(w, target, sample, (unsigned)x, y, averages, at[x]);
        }
    }
    return true;
}

/* How many surfaces the samples go to. */
static unsigned surfaces_of(const struct frag_fb *fb, unsigned msaa)
{
    return msaa == MALI_MSAA_LAYERED ? fb->samples : 1;
}

static bool write_target(struct frag_worker *w, unsigned number)
{
    const struct frag_target *target = &w->fb->targets[number];
    if (!target->is_written)
        return true;
    if (target->msaa == MALI_MSAA_AVERAGE && w->fb->samples > 1 && !target->channels && !target->is_float)
        return mali_stop(w->fb->queue, GPU_STOP_UNIMPLEMENTED, "samples of a raw format that are averaged");
    bool is_written = true;
    if (number == w->fb->checksums.target && !mali_frag_checksum(w, number, &is_written))
        return false;
    for (unsigned s = 0; is_written && s < surfaces_of(w->fb, target->msaa); s++) {
        if (!write_colors(w, target, number, s))
            return false;
    }
    return true;
}

/* ---- depth and stencil ---- */

static void store_z(const struct frag_worker *w, const struct frag_plane *plane, uint32_t code, uint8_t *to)
{
    const unsigned wanted = plane->format == MALI_ZS_FORMAT_D16   ? MALI_Z_INTERNAL_FORMAT_D16
                            : plane->format == MALI_ZS_FORMAT_D32 ? MALI_Z_INTERNAL_FORMAT_D32
                                                                  : MALI_Z_INTERNAL_FORMAT_D24;
    uint32_t word = code;
    if (w->fb->z_internal != wanted) {
        const float value = mali_frag_z_value(w->fb, code);
        word = wanted == MALI_Z_INTERNAL_FORMAT_D16   ? (uint32_t)rintf(value * 65535.0f)
               : wanted == MALI_Z_INTERNAL_FORMAT_D24 ? (uint32_t)lrintf(value * 16777215.0f)
                                                      : float_bits(value);
    }
    /* Of the formats of 24 bits the upper byte is stencil's, or nothing's. */
    memcpy(to, &word, plane->format == MALI_ZS_FORMAT_D16 ? 2 : plane->format == MALI_ZS_FORMAT_D32 ? 4 : 3);
}

static bool write_zs(struct frag_worker *w, const struct frag_plane *plane, bool is_stencil)
{
    const struct frag_fb *fb = w->fb;
    for (unsigned s = 0; s < (plane->is_written ? surfaces_of(fb, plane->msaa) : 0); s++) {
        const struct surface surface = {plane->base_va + (uint64_t)s * plane->surface_B,
                                        plane->pixel_B,
                                        plane->block_format,
                                        plane->row_B,
                                        plane->surface_B,
                                        false};
        const struct place place = place_of(fb->queue, is_stencil ? "stencil" : "depth", &surface);
        if (!open_tile(w, &place))
            return false;
        for (unsigned y = 0; y < (unsigned)w->tile.height; y++) {
            const uint32_t mask = row_mask(w, w->zs_dirty, y, 0, fb->zs_writes_clean);
            uint8_t *at[FRAG_TILE_SIDE];
            if (!find_row(w, &place, (uint32_t)w->tile.y + y, mask, at))
                return false;
            bits_foreach (mask, x) {
                const size_t cell = mali_frag_cell(w, s, (unsigned)x, y);
                if (is_stencil)
                    at[x][plane->format == MALI_S_FORMAT_X24S8 ? 3 : 0] = w->s[cell];
                else
                    store_z(w, plane, w->z[cell], at[x]);
            }
        }
    }
    return true;
}

bool mali_frag_writeback(struct frag_worker *w)
{
    for (unsigned t = 0; t < w->fb->target_count; t++) {
        if (!write_target(w, t))
            return false;
    }
    return write_zs(w, &w->fb->z, false) && write_zs(w, &w->fb->s, true);
}
