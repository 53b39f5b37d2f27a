/* From the tile buffer to memory: formats and samples; blocks of 8 by 8 pixels go to their surfaces. Pixels that
 * nothing has drawn are written only where the target asks for it. */
#include <math.h>
#include <string.h>

#include "mali/model/frag/frag_surface.h"
#include "model/stat.h"
#include "util/bits.h"
#include "util/format/channel.h"
#include "util/half.h"

/* ---- pixels that are written ---- */

bool mali_frag_find_rect(const struct frag_worker *w, int32_t rect[4])
{
    const int32_t *box = w->fb->box;
    rect[0] = MAX2(box[0], w->tile.x);
    rect[1] = MAX2(box[1], w->tile.y);
    rect[2] = MIN2(box[2], w->tile.x + w->tile.width);
    rect[3] = MIN2(box[3], w->tile.y + w->tile.height);
    return rect[0] < rect[2] && rect[1] < rect[3];
}

/* For the report (model/stat.h): bytes of pixels, whatever superblocks make of them. */
static void count_pixels(enum stat_count what, const uint64_t *pixels, unsigned blocks, unsigned pixel_B)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < blocks; i++)
        count += (unsigned)__builtin_popcountll(pixels[i]);
    stat_count_bytes(what, count * pixel_B);
}

void mali_frag_count_rect(const int32_t rect[4], unsigned pixel_B)
{
    stat_count_bytes(STAT_TILE_STORES_B, (uint64_t)(rect[2] - rect[0]) * (uint64_t)(rect[3] - rect[1]) * pixel_B);
}

/* The state of a walk over blocks that are written. */
struct walk {
    int32_t rect[4];
    uint64_t pixels[FRAG_BLOCKS]; /* that are written, by block */
    bool is_any, is_all;          /* of the rectangle's */
};

static struct walk find_pixels(const struct frag_worker *w, const uint64_t *dirty, bool writes_clean)
{
    const struct frag_fb *fb = w->fb;
    struct walk walk = {.is_all = true};
    if (!mali_frag_find_rect(w, walk.rect))
        return walk;
    const int32_t left = w->tile.x, top = w->tile.y, *rect = walk.rect;
    const bool is_whole = rect[2] - rect[0] == (int32_t)fb->tile_w && rect[3] - rect[1] == (int32_t)fb->tile_h;
    unsigned number = 0;
    for (int32_t y = top; y < top + (int32_t)fb->tile_h; y += RASTER_BLOCK) {
        for (int32_t x = left; x < left + (int32_t)fb->tile_w; x += RASTER_BLOCK, number++) {
            uint64_t inside = UINT64_MAX;
            if (!is_whole)
                inside = mali_frag_pixels(MAX2(rect[0] - x, 0), MAX2(rect[1] - y, 0), MIN2(rect[2] - x, RASTER_BLOCK),
                                          MIN2(rect[3] - y, RASTER_BLOCK));
            walk.pixels[number] = writes_clean ? inside : dirty[number] & inside;
            walk.is_any |= walk.pixels[number] != 0;
            walk.is_all &= walk.pixels[number] == inside;
        }
    }
    return walk;
}

/* The block with the number, of which something is written. False: stopped. */
static bool find_block(const struct frag_worker *w, struct frag_surface *surface, const struct walk *walk,
                       unsigned number, struct frag_block *block)
{
    const unsigned columns_log2 = (unsigned)__builtin_ctz(w->fb->tile_w / RASTER_BLOCK);
    return mali_frag_surface_find(surface, (uint32_t)w->tile.x + (number & ((1u << columns_log2) - 1)) * RASTER_BLOCK,
                                  (uint32_t)w->tile.y + (number >> columns_log2) * RASTER_BLOCK, walk->pixels[number],
                                  block);
}

static unsigned block_count(const struct frag_fb *fb)
{
    return (unsigned)mali_frag_cells(fb) / FRAG_BLOCK_PIXELS;
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

/* A colour of each pixel of a block, by channel. */
struct colors {
    float f[4][FRAG_BLOCK_PIXELS];
};

/* Four channels as memory has them: `from` chooses, the layout packs. */
static void pack_channels(const struct frag_target *target, const struct colors *colors, uint32_t *words)
{
    const struct layout *layout = &layouts[target->format];
    memset(words, 0, FRAG_BLOCK_PIXELS * sizeof(*words));
    for (unsigned k = 0, shift = 0; k < 4 && layout->width[k]; shift += layout->width[k++]) {
        const unsigned from = target->from[layout->component[k]];
        const float most = (float)((1u << layout->width[k]) - 1);
        for (unsigned i = 0; i < FRAG_BLOCK_PIXELS; i++) {
            const float value = from < 4 ? colors->f[from & 3][i] : from == MALI_CHANNEL_1;
            words[i] |= (uint32_t)(int32_t)rintf(value * most) << shift;
        }
    }
}

/* How cells of one sample become pixels where every channel of memory has as many bits as the cell's and none is a
 * fraction: codes stay what they are. Channels that go the same way do so together: most formats have one such
 * group. */
struct codes {
    bool are_pixels; /* memory has the lowest bytes of the cell, as they are */
    unsigned count;
    struct {
        unsigned down; /* to the right, around */
        uint32_t kept;
    } groups[4];
    uint32_t ones; /* of channels that have no bits */
};

/* False: some channel's bits are others. */
static bool find_codes(const struct frag_target *target, struct codes *codes)
{
    const struct layout *layout = &layouts[target->format];
    const struct frag_channels *channels = target->channels;
    *codes = (struct codes){0};
    for (unsigned k = 0, shift = 0; k < 4 && layout->width[k]; shift += layout->width[k++]) {
        const unsigned from = target->from[layout->component[k]], width = layout->width[k];
        const uint32_t bits = (uint32_t)bits_mask(width) << shift;
        unsigned down = 0, group = 0;
        if (from >= 4 || !channels->whole[from]) {
            codes->ones |= from < 4 || from == MALI_CHANNEL_1 ? bits : 0;
            continue;
        }
        if (channels->whole[from] != width || channels->fraction[from])
            return false;
        for (unsigned c = 0; c < from; c++)
            down += channels->whole[c] + channels->fraction[c];
        down = (down - shift) % 32;
        while (group < codes->count && codes->groups[group].down != down)
            group++;
        codes->count = MAX2(codes->count, group + 1);
        codes->groups[group].down = down;
        codes->groups[group].kept |= bits;
    }
    codes->are_pixels = codes->count == 1 && !codes->groups[0].down && !codes->ones &&
                        codes->groups[0].kept == bits_mask(8 * target->pixel_B);
    return true;
}

static void pack_codes(const struct codes *codes, const uint32_t *cells, uint32_t *words)
{
    for (unsigned i = 0; i < FRAG_BLOCK_PIXELS; i++)
        words[i] = codes->ones;
    for (unsigned g = 0; g < codes->count; g++) {
        const unsigned down = codes->groups[g].down;
        for (unsigned i = 0; i < FRAG_BLOCK_PIXELS; i++)
            words[i] |= (cells[i] >> down | cells[i] << (32 - down) % 32) & codes->groups[g].kept;
    }
}

/* Cells of one sample. */
static void decode_cells(const struct frag_target *target, const uint32_t *cells, struct colors *colors)
{
    unsigned shift = 0;
    for (unsigned c = 0; c < 4; c++) {
        const unsigned bits = target->channels->whole[c] + target->channels->fraction[c];
        const float most = (float)(((1u << target->channels->whole[c]) - 1) << target->channels->fraction[c]);
        const uint32_t mask = (1u << bits) - 1;
        for (unsigned i = 0; i < FRAG_BLOCK_PIXELS; i++) {
            const float value = (float)(int32_t)(cells[i] >> shift & mask) / most;
            colors->f[c][i] = !target->channels->whole[c] ? 1
                              : value < 1                 ? value
                                                          : 1; /* without bits there is no alpha */
        }
        shift += bits;
    }
}

static const uint32_t *words_of(const struct frag_worker *w, const struct frag_target *target, unsigned sample,
                                unsigned number)
{
    return (const uint32_t *)(const void *)mali_frag_color(w, target, sample, number * FRAG_BLOCK_PIXELS);
}

/* The mean of a pixel's samples; of sRGB, that of the light. */
static void average(const struct frag_worker *w, const struct frag_target *target, unsigned number,
                    struct colors *colors)
{
    const unsigned lights = target->is_srgb ? 3 : 0; /* channels */
    memset(colors, 0, sizeof(*colors));
    for (unsigned s = 0; s < w->fb->samples; s++) {
        struct colors one;
        decode_cells(target, words_of(w, target, s, number), &one);
        for (unsigned c = 0; c < 4; c++) {
            for (unsigned i = 0; c < lights && i < FRAG_BLOCK_PIXELS; i++)
                one.f[c][i] = format_srgb_to_float((uint32_t)rintf(one.f[c][i] * 255));
            for (unsigned i = 0; i < FRAG_BLOCK_PIXELS; i++)
                colors->f[c][i] += one.f[c][i];
        }
    }
    const float samples = (float)w->fb->samples;
    for (unsigned c = 0; c < 4; c++) {
        for (unsigned i = 0; i < FRAG_BLOCK_PIXELS; i++)
            colors->f[c][i] /= samples;
        for (unsigned i = 0; c < lights && i < FRAG_BLOCK_PIXELS; i++)
            colors->f[c][i] = (float)format_float_to_srgb(colors->f[c][i]) / 255;
    }
}

bool mali_frag_is_plain(const struct frag_target *target)
{
    const bool in_order = target->from[0] == 0 && target->from[1] == 1 && target->from[2] == 2 && target->from[3] == 3;
    return !target->channels || (target->internal == MALI_INTERNAL_FORMAT_R8G8B8A8 && in_order &&
                                 target->format == MALI_COLOR_FORMAT_R8G8B8A8);
}

/* The mean of four unorm bytes, which memory has as the tile buffer has them: exact, and even where it is in the
 * middle. */
static void average_bytes(const struct frag_worker *w, const struct frag_target *target, unsigned number,
                          uint32_t words[FRAG_BLOCK_PIXELS])
{
    const uint32_t low = 0x00ff00ff, ones = 0x00010001;
    const unsigned log2 = (unsigned)__builtin_ctz(w->fb->samples);
    const uint32_t below = ones * ((1u << log2) / 2 - 1);
    uint32_t even[FRAG_BLOCK_PIXELS] = {0}, odd[FRAG_BLOCK_PIXELS] = {0};
    for (unsigned s = 0; s < w->fb->samples; s++) {
        const uint32_t *cells = words_of(w, target, s, number);
        for (unsigned i = 0; i < FRAG_BLOCK_PIXELS; i++) {
            even[i] += cells[i] & low;
            odd[i] += cells[i] >> 8 & low;
        }
    }
    for (unsigned i = 0; i < FRAG_BLOCK_PIXELS; i++) {
        const uint32_t mean_even = (even[i] + below + (even[i] >> log2 & ones)) >> log2 & low;
        words[i] = mean_even | ((odd[i] + below + (odd[i] >> log2 & ones)) >> log2 & low) << 8;
    }
}

/* The mean of cells of floats, as such cells. */
static void average_floats(const struct frag_worker *w, const struct frag_target *target, unsigned number,
                           uint64_t pixels, uint8_t *data)
{
    bits_foreach (pixels, i) {
        const void *cells[FRAG_MAX_SAMPLES];
        union tex_texel texels[FRAG_MAX_SAMPLES], mean = {.f = {0}};
        for (unsigned s = 0; s < w->fb->samples; s++)
            cells[s] = mali_frag_color(w, target, s, number * FRAG_BLOCK_PIXELS + (unsigned)i);
        mali_pixel_load(&target->pixel, texels, cells, w->fb->samples);
        for (unsigned s = 0; s < w->fb->samples; s++) {
            for (unsigned c = 0; c < 4; c++)
                mean.f[c] += texels[s].f[c] / (float)w->fb->samples;
        }
        void *const at = data + (size_t)i * target->cell_B;
        mali_pixel_store(&target->pixel, &at, &mean, 1);
    }
}

/* `codes`: NULL if cells become pixels in another way. */
static void write_block(const struct frag_worker *w, const struct frag_target *target, const struct codes *codes,
                        unsigned sample, unsigned number, uint64_t pixels, const struct frag_block *block)
{
    const bool averages = target->msaa == MALI_MSAA_AVERAGE && w->fb->samples > 1;
    if (!averages && (mali_frag_is_plain(target) || (codes && codes->are_pixels))) {
        mali_frag_surface_put(block, pixels, mali_frag_color(w, target, sample, number * FRAG_BLOCK_PIXELS),
                              target->cell_B, 0, target->pixel_B);
        return;
    }
    if (target->is_float) { /* only means of them are no copies */
        uint8_t data[FRAG_BLOCK_PIXELS * FRAG_CELL_B];
        average_floats(w, target, number, pixels, data);
        mali_frag_surface_put(block, pixels, data, target->cell_B, 0, target->pixel_B);
        return;
    }
    uint32_t words[FRAG_BLOCK_PIXELS];
    if (mali_frag_is_plain(target) && !target->is_srgb) {
        average_bytes(w, target, number, words);
    } else if (codes && !averages) {
        pack_codes(codes, words_of(w, target, sample, number), words);
    } else {
        struct colors colors;
        if (averages)
            average(w, target, number, &colors);
        else
            decode_cells(target, words_of(w, target, sample, number), &colors);
        pack_channels(target, &colors, words);
    }
    mali_frag_surface_put(block, pixels, (const uint8_t *)words, sizeof(*words), 0, target->pixel_B);
}

struct frag_surface mali_frag_target_surface(const struct frag_fb *fb, const struct frag_target *target,
                                             unsigned sample)
{
    const struct frag_surface_info info = {target->base_va + (uint64_t)sample * target->surface_B,
                                           target->pixel_B,
                                           target->block_format,
                                           target->row_B,
                                           target->surface_B,
                                           target->is_wide};
    return mali_frag_surface(fb->queue, "render target", &info);
}

static bool write_colors(struct frag_worker *w, const struct frag_target *target, const struct walk *walk,
                         unsigned sample)
{
    struct frag_surface surface = mali_frag_target_surface(w->fb, target, sample);
    struct codes codes;
    const bool has_codes = target->channels && find_codes(target, &codes);
    if (!mali_frag_surface_open(&surface, walk->rect, walk->is_all))
        return false;
    if (STAT_ON)
        count_pixels(STAT_TILE_STORES_B, walk->pixels, block_count(w->fb), target->pixel_B);
    for (unsigned i = 0; i < block_count(w->fb); i++) {
        struct frag_block block;
        if (!walk->pixels[i])
            continue;
        if (!find_block(w, &surface, walk, i, &block))
            return false;
        write_block(w, target, has_codes ? &codes : NULL, sample, i, walk->pixels[i], &block);
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
    const struct walk walk = find_pixels(w, w->dirty[number], target->writes_clean);
    bool is_written = walk.is_any;
    if (is_written && number == w->fb->checksums.target && !mali_frag_checksum(w, number, walk.pixels, &is_written))
        return false;
    for (unsigned s = 0; is_written && s < surfaces_of(w->fb, target->msaa); s++) {
        if (!write_colors(w, target, &walk, s))
            return false;
    }
    return true;
}

/* ---- depth and stencil ---- */

/* Of the formats of 24 bits the upper byte is stencil's, or nothing's. */
static unsigned z_size_B(const struct frag_plane *plane)
{
    return plane->format == MALI_ZS_FORMAT_D16 ? 2 : plane->format == MALI_ZS_FORMAT_D32 ? 4 : 3;
}

/* The internal format that is memory's. */
static unsigned internal_of(const struct frag_plane *plane)
{
    return plane->format == MALI_ZS_FORMAT_D16   ? MALI_Z_INTERNAL_FORMAT_D16
           : plane->format == MALI_ZS_FORMAT_D32 ? MALI_Z_INTERNAL_FORMAT_D32
                                                 : MALI_Z_INTERNAL_FORMAT_D24;
}

static uint32_t convert_z(const struct frag_fb *fb, const struct frag_plane *plane, uint32_t code)
{
    const unsigned wanted = internal_of(plane);
    if (fb->z_internal == wanted)
        return code;
    const float value = mali_frag_z_value(fb, code);
    return wanted == MALI_Z_INTERNAL_FORMAT_D16   ? (uint32_t)rintf(value * 65535.0f)
           : wanted == MALI_Z_INTERNAL_FORMAT_D24 ? (uint32_t)lrintf(value * 16777215.0f)
                                                  : float_bits(value);
}

static unsigned stencil_at_B(const struct frag_plane *plane)
{
    return plane->format == MALI_S_FORMAT_X24S8 ? 3 : 0;
}

static struct frag_surface plane_surface(const struct frag_fb *fb, const struct frag_plane *plane, unsigned sample,
                                         bool is_stencil)
{
    const struct frag_surface_info info = {plane->base_va + (uint64_t)sample * plane->surface_B,
                                           plane->pixel_B,
                                           plane->block_format,
                                           plane->row_B,
                                           plane->surface_B,
                                           false};
    return mali_frag_surface(fb->queue, is_stencil ? "stencil" : "depth", &info);
}

static void write_zs_block(const struct frag_worker *w, const struct frag_plane *plane, bool is_stencil, size_t cell,
                           uint64_t pixels, const struct frag_block *block)
{
    uint32_t codes[FRAG_BLOCK_PIXELS];
    if (is_stencil) {
        mali_frag_surface_put(block, pixels, w->s + cell, 1, stencil_at_B(plane), 1);
        return;
    }
    const uint32_t *from = &w->z[cell];
    if (w->fb->z_internal != internal_of(plane)) {
        for (unsigned i = 0; i < FRAG_BLOCK_PIXELS; i++)
            codes[i] = convert_z(w->fb, plane, from[i]);
        from = codes;
    }
    mali_frag_surface_put(block, pixels, (const uint8_t *)from, sizeof(*from), 0, z_size_B(plane));
}

static bool write_zs(struct frag_worker *w, const struct frag_plane *plane, bool is_stencil)
{
    if (!plane->is_written)
        return true;
    const struct walk walk = find_pixels(w, w->zs_dirty, w->fb->zs_writes_clean);
    mali_frag_zs_clear(w);
    for (unsigned s = 0; walk.is_any && s < surfaces_of(w->fb, plane->msaa); s++) {
        struct frag_surface surface = plane_surface(w->fb, plane, s, is_stencil);
        const bool is_whole = !is_stencil && z_size_B(plane) == plane->pixel_B; /* depth and stencil may share pixels */
        if (!mali_frag_surface_open(&surface, walk.rect, walk.is_all && is_whole))
            return false;
        if (STAT_ON)
            count_pixels(STAT_TILE_STORES_B, walk.pixels, block_count(w->fb), is_stencil ? 1 : z_size_B(plane));
        for (unsigned i = 0; i < block_count(w->fb); i++) {
            struct frag_block block;
            if (!walk.pixels[i])
                continue;
            if (!find_block(w, &surface, &walk, i, &block))
                return false;
            write_zs_block(w, plane, is_stencil, mali_frag_cell(w, s, i * FRAG_BLOCK_PIXELS), walk.pixels[i], &block);
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

/* ---- what frame draws have brought ---- */

/* A target that is not written has no size in memory that the hardware knows: colours are counted as the tile has
 * them, depth and stencil not. */
void mali_frag_count_loads(const struct frag_worker *w)
{
    const unsigned blocks = block_count(w->fb);
    for (unsigned t = 0; t < w->fb->target_count; t++) {
        const struct frag_target *target = &w->fb->targets[t];
        count_pixels(STAT_TILE_LOADS_B, w->dirty[t], blocks,
                     (target->is_written ? target->pixel_B : target->cell_B) * w->fb->samples);
    }
    count_pixels(STAT_TILE_LOADS_B, w->zs_dirty, blocks,
                 ((w->fb->z.is_written ? z_size_B(&w->fb->z) : 0) + (w->fb->s.is_written ? 1 : 0)) * w->fb->samples);
}

/* ---- tiles without a draw ---- */

/* A cleared cell as memory has it. */
static void clear_pixel(const struct frag_target *target, const uint32_t cell[4], uint8_t pixel[FRAG_CELL_B])
{
    memcpy(pixel, cell, FRAG_CELL_B);
    if (mali_frag_is_plain(target))
        return;
    uint32_t words[FRAG_BLOCK_PIXELS];
    struct colors colors;
    for (unsigned i = 0; i < FRAG_BLOCK_PIXELS; i++)
        words[i] = cell[0];
    decode_cells(target, words, &colors);
    pack_channels(target, &colors, words);
    memcpy(pixel, words, sizeof(*words));
}

/* The mean of equal samples is one of them, but for what sRGB, floats and fractions lose on the way there and back. */
static bool is_mean_exact(const struct frag_fb *fb, const struct frag_target *target)
{
    static const uint8_t none[4];
    return fb->samples == 1 || target->msaa != MALI_MSAA_AVERAGE ||
           (target->channels && !target->is_srgb && memcmp(target->channels->fraction, none, sizeof(none)) == 0);
}

/* Depth and stencil of 24 and 8 bits in one word. */
static bool share_pixels(const struct frag_fb *fb)
{
    return fb->z.is_written && fb->s.is_written && fb->z.pixel_B == 4 && fb->s.format == MALI_S_FORMAT_X24S8 &&
           fb->z.base_va == fb->s.base_va && fb->z.row_B == fb->s.row_B && fb->z.surface_B == fb->s.surface_B &&
           fb->z.block_format == fb->s.block_format && fb->z.msaa == fb->s.msaa;
}

bool mali_frag_can_fill(const struct frag_fb *fb)
{
    if (fb->checksums.is_compared || fb->checksums.is_stored)
        return false;
    for (unsigned t = 0; t < fb->target_count; t++) {
        if (fb->targets[t].is_written && fb->targets[t].writes_clean && !is_mean_exact(fb, &fb->targets[t]))
            return false;
    }
    if (!fb->zs_writes_clean || share_pixels(fb))
        return true;
    return (!fb->z.is_written || z_size_B(&fb->z) == fb->z.pixel_B) && (!fb->s.is_written || fb->s.pixel_B == 1);
}

static bool fill_target(const struct frag_fb *fb, const struct frag_target *target, const uint32_t cell[4],
                        const int32_t rect[4])
{
    uint8_t pixel[FRAG_CELL_B];
    clear_pixel(target, cell, pixel);
    for (unsigned s = 0; s < surfaces_of(fb, target->msaa); s++) {
        struct frag_surface surface = mali_frag_target_surface(fb, target, s);
        if (!mali_frag_surface_fill(&surface, rect, pixel))
            return false;
        mali_frag_count_rect(rect, target->pixel_B);
    }
    return true;
}

static bool fill_plane(const struct frag_fb *fb, const struct frag_plane *plane, bool is_stencil, uint32_t code,
                       const int32_t rect[4])
{
    uint8_t pixel[FRAG_CELL_B] = {0};
    memcpy(pixel, &code, sizeof(code));
    for (unsigned s = 0; s < surfaces_of(fb, plane->msaa); s++) {
        struct frag_surface surface = plane_surface(fb, plane, s, is_stencil);
        if (!mali_frag_surface_fill(&surface, rect, pixel))
            return false;
        mali_frag_count_rect(rect, plane->pixel_B);
    }
    return true;
}

bool mali_frag_fill_rect(const struct frag_fb *fb, const int32_t rect[4])
{
    const bool shares = share_pixels(fb);
    for (unsigned t = 0; t < fb->target_count; t++) {
        const struct frag_target *target = &fb->targets[t];
        if (target->is_written && target->writes_clean && !fill_target(fb, target, target->clear, rect))
            return false;
    }
    if (!fb->zs_writes_clean)
        return true;
    const uint32_t upper = shares ? (uint32_t)fb->s_clear << 24 : 0;
    const uint32_t code = fb->z.is_written ? convert_z(fb, &fb->z, mali_frag_z_clear(fb)) : 0;
    return (!fb->z.is_written || fill_plane(fb, &fb->z, false, code | upper, rect)) &&
           (!fb->s.is_written || shares || fill_plane(fb, &fb->s, true, fb->s_clear, rect));
}

bool mali_frag_fill(const struct frag_worker *w)
{
    int32_t rect[4];
    return !mali_frag_find_rect(w, rect) || mali_frag_fill_rect(w->fb, rect);
}

bool mali_frag_fill_solid(struct frag_worker *w)
{
    int32_t rect[4];
    if (!mali_frag_find_rect(w, rect))
        return true;
    for (unsigned t = 0; t < w->fb->target_count; t++) {
        const uint32_t cell[4] = {w->solid[t]};
        if (w->fb->targets[t].is_written && !fill_target(w->fb, &w->fb->targets[t], cell, rect))
            return false;
    }
    return true;
}
