/* The framebuffer descriptor with its render targets and its extension for depth and stencil. */
#include <stdio.h>
#include <string.h>

#include "mali/hw/regs_fragment.h"
#include "mali/model/frag/frag.h"
#include "util/bits.h"

/* Bytes of a pixel in memory, by enum mali_COLOR_FORMAT; 0: of no single pixel, or unknown. */
static const uint8_t color_B[32] = {
    [MALI_COLOR_FORMAT_RAW8] = 1,
    [MALI_COLOR_FORMAT_RAW16] = 2,
    [MALI_COLOR_FORMAT_RAW24] = 3,
    [MALI_COLOR_FORMAT_RAW32] = 4,
    [MALI_COLOR_FORMAT_RAW48] = 6,
    [MALI_COLOR_FORMAT_RAW64] = 8,
    [MALI_COLOR_FORMAT_RAW96] = 12,
    [MALI_COLOR_FORMAT_RAW128] = 16,
    [MALI_COLOR_FORMAT_R8] = 1,
    [MALI_COLOR_FORMAT_R8G8] = 2,
    [MALI_COLOR_FORMAT_R8G8B8] = 3,
    [MALI_COLOR_FORMAT_R8G8B8A8] = 4,
    [MALI_COLOR_FORMAT_R4G4B4A4] = 2,
    [MALI_COLOR_FORMAT_R5G6B5] = 2,
    [MALI_COLOR_FORMAT_R10G10B10A2] = 4,
    [MALI_COLOR_FORMAT_A2B10G10R10] = 4,
    [MALI_COLOR_FORMAT_R5G5B5A1] = 2,
    [MALI_COLOR_FORMAT_A1B5G5R5] = 2,
    [MALI_COLOR_FORMAT_R8G8B8_FROM_R8G8B8A2] = 3,
};

/* Bytes of targets whose cells are floats, by enum mali_FLOAT_COLOR_FORMAT. */
static const uint8_t float_B[32] = {
    [MALI_FLOAT_COLOR_FORMAT_R16F] = 2,       [MALI_FLOAT_COLOR_FORMAT_RG16F] = 4,
    [MALI_FLOAT_COLOR_FORMAT_RGB16F] = 6,     [MALI_FLOAT_COLOR_FORMAT_RGBA16F] = 8,
    [MALI_FLOAT_COLOR_FORMAT_RG11F_B10F] = 4,
};

/* Bytes of a texel of AFBC, by enum mali_AFBC_MODE. */
static const uint8_t afbc_B[64] = {
    [MALI_AFBC_MODE_R8] = 1,           [MALI_AFBC_MODE_R16] = 2,       [MALI_AFBC_MODE_R8G8] = 2,
    [MALI_AFBC_MODE_R5G6B5] = 2,       [MALI_AFBC_MODE_R4G4B4A4] = 2,  [MALI_AFBC_MODE_R5G5B5A1] = 2,
    [MALI_AFBC_MODE_R16G16] = 4,       [MALI_AFBC_MODE_R8G8B8] = 3,    [MALI_AFBC_MODE_R8G8B8A8] = 4,
    [MALI_AFBC_MODE_R10G10B10A2] = 4,  [MALI_AFBC_MODE_R11G11B10] = 4, [MALI_AFBC_MODE_R16G16B16] = 6,
    [MALI_AFBC_MODE_R16G16B16A16] = 8,
};

static const uint8_t zs_B[16] = {
    [MALI_ZS_FORMAT_D16] = 2,   [MALI_ZS_FORMAT_D24] = 3, [MALI_ZS_FORMAT_D24X8] = 4,
    [MALI_ZS_FORMAT_D24S8] = 4, [MALI_ZS_FORMAT_D32] = 4,
};

static const uint8_t s_B[16] = {[MALI_S_FORMAT_S8] = 1, [MALI_S_FORMAT_X24S8] = 4};

static bool check_memory(struct mali_queue *queue, const char *what, unsigned block_format, unsigned msaa)
{
    const bool is_afbc = mali_frag_is_afbc(block_format);
    if (block_format != MALI_BLOCK_FORMAT_LINEAR && block_format != MALI_BLOCK_FORMAT_TILED_U_INTERLEAVED &&
        block_format != MALI_BLOCK_FORMAT_INTERLEAVED_64K && !is_afbc)
        return mali_stop(queue, GPU_STOP_BROKEN, "%s: there are no blocks of format %u", what, block_format);
    if (is_afbc && msaa == MALI_MSAA_LAYERED)
        return mali_stop(queue, GPU_STOP_UNIMPLEMENTED, "%s: AFBC with samples", what);
    if (msaa == MALI_MSAA_MULTIPLE)
        return mali_stop(queue, GPU_STOP_UNIMPLEMENTED, "%s: samples of a pixel beside each other in memory", what);
    return true;
}

/* ---- targets ---- */

static unsigned cell_size(unsigned internal)
{
    if (internal >= MALI_INTERNAL_FORMAT_RAW8 && internal <= MALI_INTERNAL_FORMAT_RAW128)
        return 1u << (internal - MALI_INTERNAL_FORMAT_RAW8);
    return mali_frag_channels(internal) ? 4 : 0;
}

/* Does memory have the first channels of cells of floats as they are? The writeback copies them. */
static bool copies_floats(const struct frag_target *target, unsigned format)
{
    static const uint8_t channels[32] = {
        [MALI_FLOAT_COLOR_FORMAT_R16F] = 1,       [MALI_FLOAT_COLOR_FORMAT_RG16F] = 2,
        [MALI_FLOAT_COLOR_FORMAT_RGB16F] = 3,     [MALI_FLOAT_COLOR_FORMAT_RGBA16F] = 4,
        [MALI_FLOAT_COLOR_FORMAT_RG11F_B10F] = 3,
    };
    for (unsigned c = 0; c < channels[format]; c++) {
        if (target->from[c] != c)
            return false;
    }
    return (target->internal == MALI_INTERNAL_FORMAT_RG11F_B10F) == (format == MALI_FLOAT_COLOR_FORMAT_RG11F_B10F);
}

static bool read_target(struct frag_fb *fb, struct frag_target *target, const uint32_t words[16], unsigned number)
{
    const struct mali_desc_RENDER_TARGET d = mali_unpack_desc_RENDER_TARGET(words);
    struct mali_queue *queue = fb->queue;
    char name[32];
    snprintf(name, sizeof(name), "render target %u", number);
    *target = (struct frag_target){
        .is_written = d.WRITE_ENABLE && d.WRITEBACK_BLOCK_FORMAT != MALI_BLOCK_FORMAT_NO_WRITE,
        .writes_clean = d.CLEAN_PIXEL_WRITE_ENABLE,
        .internal = (uint8_t)d.INTERNAL_FORMAT,
        .cell_B = (uint8_t)cell_size(d.INTERNAL_FORMAT),
        .channels = mali_frag_channels(d.INTERNAL_FORMAT),
        .clear = {d.CLEAR_COLOR_0, d.CLEAR_COLOR_1, d.CLEAR_COLOR_2, d.CLEAR_COLOR_3},
        .at_B = fb->colors_B,
        .format = (uint8_t)d.WRITEBACK_FORMAT,
        .block_format = (uint8_t)d.WRITEBACK_BLOCK_FORMAT,
        .msaa = (uint8_t)d.WRITEBACK_MSAA,
        .is_srgb = d.SRGB,
        .from = {(uint8_t)d.SWIZZLE_R, (uint8_t)d.SWIZZLE_G, (uint8_t)d.SWIZZLE_B, (uint8_t)d.SWIZZLE_A},
        .pixel_B = color_B[d.WRITEBACK_FORMAT],
        .base_va = d.BASE,
        .row_B = d.ROW_STRIDE,
        .surface_B = d.SURFACE_STRIDE,
        .is_wide = d.AFBC_WIDE_BLOCK,
    };
    target->is_float = mali_frag_floats(d.INTERNAL_FORMAT, &target->pixel);
    if (target->is_float)
        target->cell_B = target->pixel.size_B;
    if (!target->cell_B)
        return mali_stop(queue, GPU_STOP_BROKEN, "%s: there is no internal format %u", name, d.INTERNAL_FORMAT);
    if (d.WRITEBACK_MODE != MALI_WRITEBACK_MODE_COMPAT || d.YUV_ENABLE)
        return mali_stop(queue, GPU_STOP_UNIMPLEMENTED, "%s: AFRC and Y'CbCr targets are not modelled", name);
    fb->colors_B += (size_t)target->cell_B * fb->tile_w * fb->tile_h * fb->samples;
    if (!target->is_written)
        return true;
    if (d.WRITEBACK_FORMAT == MALI_COLOR_FORMAT_NATIVE)
        target->pixel_B = target->cell_B;
    if (target->is_float) /* formats have numbers of their own then */
        target->pixel_B = float_B[d.WRITEBACK_FLOAT_FORMAT];
    if (!target->channels && !target->is_float && mali_frag_is_afbc(target->block_format))
        target->pixel_B = afbc_B[d.AFBC_MODE]; /* three bytes come from cells of four, whatever the raw format says */
    if (!target->pixel_B || (!target->channels && target->pixel_B > target->cell_B) ||
        (target->is_float && !copies_floats(target, d.WRITEBACK_FLOAT_FORMAT)) ||
        (target->channels &&
         (d.WRITEBACK_FORMAT < MALI_COLOR_FORMAT_R8 || d.WRITEBACK_FORMAT == MALI_COLOR_FORMAT_NATIVE)))
        return mali_stop(queue, GPU_STOP_UNIMPLEMENTED, "%s: format %u in memory from internal format %u", name,
                         d.WRITEBACK_FORMAT, d.INTERNAL_FORMAT);
    return check_memory(queue, name, target->block_format, target->msaa);
}

/* ---- depth and stencil ---- */

/* And where the checksums are. */
static bool read_extension(struct frag_fb *fb, const struct mali_desc_FRAMEBUFFER *d, const uint32_t words[16])
{
    const struct mali_desc_ZS_CRC_EXTENSION e = mali_unpack_desc_ZS_CRC_EXTENSION(words);
    fb->checksums = (struct frag_checksums){
        .target = e.CRC_RENDER_TARGET,
        .is_compared = d->CRC_READ_ENABLE,
        .is_stored = d->CRC_WRITE_ENABLE,
        .base_va = e.CRC_BASE,
        .row_B = e.CRC_ROW_STRIDE,
    };
    fb->zs_writes_clean = e.ZS_CLEAN_PIXEL_WRITE_ENABLE;
    fb->z = (struct frag_plane){
        .is_written = d->Z_WRITE_ENABLE && e.ZS_BLOCK_FORMAT != MALI_BLOCK_FORMAT_NO_WRITE && zs_B[e.ZS_WRITE_FORMAT],
        .format = (uint8_t)e.ZS_WRITE_FORMAT,
        .block_format = (uint8_t)e.ZS_BLOCK_FORMAT,
        .msaa = (uint8_t)e.ZS_MSAA,
        .pixel_B = zs_B[e.ZS_WRITE_FORMAT],
        .base_va = e.ZS_WRITEBACK_BASE,
        .row_B = e.ZS_WRITEBACK_ROW_STRIDE,
        .surface_B = e.ZS_WRITEBACK_SURFACE_STRIDE,
    };
    fb->s = (struct frag_plane){
        .is_written = d->S_WRITE_ENABLE && e.S_BLOCK_FORMAT != MALI_BLOCK_FORMAT_NO_WRITE && s_B[e.S_WRITE_FORMAT],
        .format = (uint8_t)e.S_WRITE_FORMAT,
        .block_format = (uint8_t)e.S_BLOCK_FORMAT,
        .msaa = (uint8_t)e.S_MSAA,
        .pixel_B = s_B[e.S_WRITE_FORMAT],
        .base_va = e.S_WRITEBACK_BASE,
        .row_B = e.S_WRITEBACK_ROW_STRIDE,
        .surface_B = e.S_WRITEBACK_SURFACE_STRIDE,
    };
    /* Stencil that is in the depth's own memory, and described by nothing else. */
    if ((d->S_WRITE_ENABLE || d->Z_WRITE_ENABLE) && !fb->s.is_written && e.ZS_WRITE_FORMAT == MALI_ZS_FORMAT_D24S8) {
        fb->s = fb->z;
        fb->s.is_written = e.ZS_BLOCK_FORMAT != MALI_BLOCK_FORMAT_NO_WRITE;
        fb->s.format = MALI_S_FORMAT_X24S8;
    }
    return (!fb->z.is_written || check_memory(fb->queue, "depth", fb->z.block_format, fb->z.msaa)) &&
           (!fb->s.is_written || check_memory(fb->queue, "stencil", fb->s.block_format, fb->s.msaa));
}

/* ---- samples ---- */

static void set_locations(struct raster_coverage *coverage, unsigned samples_log2, uint16_t (*table)[2])
{
    coverage->samples = 1u << samples_log2;
    coverage->samples_log2 = samples_log2;
    coverage->iterations = 1;
    coverage->same_locations = true;
    for (unsigned s = 0; s < RASTER_MAX_SAMPLES; s++) {
        coverage->centroid_order[s] = (uint8_t)s;
        for (unsigned p = 0; p < 4; p++) {
            coverage->x[p][s] = (uint8_t)MIN2(table[s][0], 255);
            coverage->y[p][s] = (uint8_t)MIN2(table[s][1], 255);
        }
    }
}

/* Where samples are: a table in memory of two numbers of 8.8 bits each, or the middle of the pixel. */
static bool read_locations(struct frag_fb *fb)
{
    uint16_t table[FRAG_MAX_SAMPLES][2];
    for (unsigned s = 0; s < FRAG_MAX_SAMPLES; s++)
        table[s][0] = table[s][1] = RASTER_LOCATION_ONE / 2;
    if (fb->samples > 1 && !mali_read(fb->queue, "sample locations", fb->locations_va, table, fb->samples * 4))
        return false;
    for (unsigned h = 0; h < FRAG_HALVES; h++)
        set_locations(&fb->coverage[h], MIN2(fb->samples_log2, 3u), &table[h * RASTER_MAX_SAMPLES]);
    return true;
}

/* ---- all of it ---- */

/* Whether anything can see where tiles end. */
static bool has_visible_tiles(const struct mali_desc_FRAMEBUFFER *d)
{
    return d->PRE_FRAME_0 == MALI_FRAME_SHADER_MODE_INTERSECT || d->PRE_FRAME_1 == MALI_FRAME_SHADER_MODE_INTERSECT ||
           d->POST_FRAME == MALI_FRAME_SHADER_MODE_INTERSECT || d->CRC_READ_ENABLE || d->CRC_WRITE_ENABLE;
}

#define LARGE_FRAME (16 * FRAG_TILE_PIXELS) /* that has enough of the largest tiles for several workers */

/* The largest power of two of pixels that the descriptor allows, as a rectangle of the rasteriser's blocks; four of the
 * hardware's largest tiles at once, where nothing can see that: a primitive is then looked at in fewer of them. */
static void choose_tile(struct frag_fb *fb, const struct mali_desc_FRAMEBUFFER *d)
{
    const uint32_t pixels = d->EFFECTIVE_TILE_SIZE;
    const int64_t area = ((int64_t)fb->box[2] - fb->box[0]) * (fb->box[3] - fb->box[1]);
    unsigned log2 = pixels ? 31u - (unsigned)__builtin_clz(pixels) : 0;
    fb->tile_w = 1u << MIN2((log2 + 1) / 2, 5);
    fb->tile_h = 1u << MIN2(log2 / 2, 5);
    fb->tile_w = MAX2(fb->tile_w, (uint32_t)RASTER_BLOCK);
    fb->tile_h = MAX2(fb->tile_h, (uint32_t)RASTER_BLOCK);
    if (log2 >= 10 && fb->samples == 1 && area >= LARGE_FRAME && !has_visible_tiles(d))
        fb->tile_w = fb->tile_h = FRAG_TILE_SIDE;
}

static void read_parameters(struct frag_fb *fb, const struct mali_desc_FRAMEBUFFER *d, const struct mali_run *run)
{
    const struct mali_FRAGMENT_BOX box = mali_unpack_FRAGMENT_BOX(mali_run_reg64(run, MALI_SR(FRAGMENT_BOX)));
    fb->width = d->WIDTH;
    fb->height = d->HEIGHT;
    fb->box[0] = (int32_t)box.MIN_X;
    fb->box[1] = (int32_t)box.MIN_Y;
    fb->box[2] = (int32_t)MIN2(box.MAX_X + 1, d->WIDTH);
    fb->box[3] = (int32_t)MIN2(box.MAX_Y + 1, d->HEIGHT);
    fb->frame.raster = (struct raster_prim){
        .is_linear = true, .i.dx = 1 / (float)d->WIDTH, .j.dy = 1 / (float)d->HEIGHT}; /* corners at 0,0, w,0, 0,h */
    fb->samples = d->SAMPLE_COUNT;
    fb->samples_log2 = (unsigned)__builtin_ctz(d->SAMPLE_COUNT);
    fb->halves = d->SAMPLE_COUNT > RASTER_MAX_SAMPLES ? 2 : 1;
    fb->is_point_origin_below = d->POINT_SPRITE_COORD_ORIGIN_MAX_Y;
    fb->frame_argument = d->FRAME_ARGUMENT;
    fb->locations_va = d->SAMPLE_LOCATIONS;
    fb->layer = d->INTERNAL_LAYER_INDEX;
    fb->tiler_va = d->TILER;
    fb->frame_draws_va = d->FRAME_SHADER_DCDS;
    fb->frame_modes[0] = (uint8_t)d->PRE_FRAME_0;
    fb->frame_modes[1] = (uint8_t)d->PRE_FRAME_1;
    fb->frame_modes[2] = (uint8_t)d->POST_FRAME;
    fb->z_internal = (uint8_t)d->Z_INTERNAL_FORMAT;
    fb->z_clear = d->Z_CLEAR;
    fb->s_clear = (uint8_t)d->S_CLEAR;
    fb->target_count = d->RENDER_TARGET_COUNT;
    choose_tile(fb, d);
}

static bool check_parameters(const struct frag_fb *fb, const struct mali_desc_FRAMEBUFFER *d)
{
    struct mali_queue *queue = fb->queue;
    if (fb->samples > FRAG_MAX_SAMPLES)
        return mali_stop(queue, GPU_STOP_UNIMPLEMENTED, "a framebuffer of %u samples", fb->samples);
    if (fb->target_count > FRAG_TARGETS)
        return mali_stop(queue, GPU_STOP_BROKEN, "a framebuffer with %u render targets", fb->target_count);
    if ((d->SAMPLE_PATTERN == MALI_SAMPLE_PATTERN_SINGLE_SAMPLED) != (fb->samples == 1))
        return mali_stop(queue, GPU_STOP_UNIMPLEMENTED, "sample pattern %u in a framebuffer of %u samples",
                         d->SAMPLE_PATTERN, fb->samples);
    if (d->Z_PRELOAD_ENABLE || d->S_PRELOAD_ENABLE)
        return mali_stop(queue, GPU_STOP_UNIMPLEMENTED, "depth and stencil that are loaded without a shader");
    if ((d->CRC_READ_ENABLE || d->CRC_WRITE_ENABLE) && !d->HAS_ZS_CRC_EXTENSION)
        return mali_stop(queue, GPU_STOP_BROKEN, "checksums of tiles without the extension that says where they are");
    if (d->DOWNSCALE_GEOMETRY != MALI_DOWNSCALE_NONE)
        return mali_stop(queue, GPU_STOP_UNIMPLEMENTED, "downscaled geometry");
    if (fb->z_internal > MALI_Z_INTERNAL_FORMAT_D32)
        return mali_stop(queue, GPU_STOP_BROKEN, "there is no internal depth format %u", fb->z_internal);
    return true;
}

bool mali_frag_read_fb(struct frag_fb *fb, const struct mali_run *run)
{
    const struct mali_FRAGMENT_FBD pointer = mali_unpack_FRAGMENT_FBD(mali_run_reg64(run, MALI_SR(FRAGMENT_FBD)));
    uint32_t words[32], extension[16], targets[16];
    memset(fb, 0, sizeof(*fb));
    fb->queue = run->queue;
    fb->epoch = mali_launch_number();
    uint64_t va = pointer.ADDR;
    if (!mali_read(run->queue, "framebuffer descriptor", va, words, sizeof(words)))
        return false;
    const struct mali_desc_FRAMEBUFFER d = mali_unpack_desc_FRAMEBUFFER(words);
    read_parameters(fb, &d, run);
    if (!check_parameters(fb, &d) || !read_locations(fb))
        return false;
    va += sizeof(words);
    if (d.HAS_ZS_CRC_EXTENSION) {
        if (!mali_read(run->queue, "framebuffer's extension", va, extension, sizeof(extension)) ||
            !read_extension(fb, &d, extension))
            return false;
        va += sizeof(extension);
    }
    for (unsigned i = 0; i < fb->target_count; i++, va += sizeof(targets)) {
        if (!mali_read(run->queue, "render target", va, targets, sizeof(targets)) ||
            !read_target(fb, &fb->targets[i], targets, i))
            return false;
    }
    fb->can_fill = mali_frag_can_fill(fb);
    return true;
}
