/* Framebuffer descriptors: what the fragment endpoint reads for one layer of a pass. Functions of what they are
 * given. */
#include <string.h>

#include "mali/driver/graphics.h"
#include "mali/hw/chip.h"
#include "mali/hw/regs_fragment.h"
#include "util/bits.h"

#define MAX_TILE_PIXELS (32u * 32u)
#define MIN_TILE_PIXELS (4u * 4u)
#define SUPERBLOCK_PIXELS (16u * 16u)
#define EMPTY_CELL_B 4u /* of a target that nothing is written to */

static uint32_t target_count(const struct mali_pass *pass)
{
    const uint32_t colors = pass->part_mask & ((1u << VK_MAX_COLOR_ATTACHMENTS) - 1);
    return colors ? 32u - (uint32_t)__builtin_clz(colors) : 1;
}

static bool has_part(const struct mali_pass *pass, unsigned part)
{
    return pass->part_mask >> part & 1;
}

static bool has_extension(const struct mali_pass *pass)
{
    return has_part(pass, MALI_PART_DEPTH) || has_part(pass, MALI_PART_STENCIL);
}

uint64_t mali_framebuffer_pointer(const struct mali_pass *pass, uint64_t va)
{
    return mali_pack_FRAGMENT_FBD(&(const struct mali_FRAGMENT_FBD){.TYPE = 1,
                                                                    .ZS_CRC_EXTENSION_PRESENT = has_extension(pass),
                                                                    .RENDER_TARGET_COUNT = target_count(pass),
                                                                    .ADDR = va});
}

_Static_assert(4 * (MALI_DESC_FRAMEBUFFER_DW + MALI_DESC_ZS_CRC_EXTENSION_DW +
                    VK_MAX_COLOR_ATTACHMENTS * MALI_DESC_RENDER_TARGET_DW) ==
                   MALI_FRAME_STRIDE_B,
               "the largest framebuffer");

/* ---- samples ---- */

enum mali_SAMPLE_PATTERN mali_sample_pattern(uint32_t samples)
{
    switch (samples) {
    case 4:
        return MALI_SAMPLE_PATTERN_ROTATED_4X_GRID;
    case 8:
        return MALI_SAMPLE_PATTERN_D3D_8X_GRID;
    case 16:
        return MALI_SAMPLE_PATTERN_D3D_16X_GRID;
    default:
        return MALI_SAMPLE_PATTERN_SINGLE_SAMPLED;
    }
}

/* The places of the specification's standard samples, in 256th of a pixel; the 33rd is the middle. */
void mali_sample_locations(uint32_t samples, uint16_t out[MALI_LOCATIONS_B / 2])
{
    static const uint16_t four[4][2] = {{96, 32}, {224, 96}, {32, 160}, {160, 224}};
    static const uint16_t eight[8][2] = {{144, 80}, {112, 176}, {208, 144}, {80, 48},
                                         {48, 208}, {16, 112},  {176, 240}, {240, 16}};
    static const uint16_t sixteen[16][2] = {{144, 144}, {112, 80}, {80, 160},  {192, 112}, {48, 96}, {160, 208},
                                            {208, 176}, {176, 48}, {96, 224},  {128, 16},  {64, 32}, {32, 192},
                                            {0, 128},   {240, 64}, {224, 240}, {16, 0}};
    memset(out, 0, MALI_LOCATIONS_B);
    out[0] = out[1] = out[64] = out[65] = 128;
    if (samples == 4)
        memcpy(out, four, sizeof(four));
    else if (samples == 8)
        memcpy(out, eight, sizeof(eight));
    else if (samples == 16)
        memcpy(out, sixteen, sizeof(sixteen));
}

/* ---- the tile ---- */

static uint32_t cell_B(const struct mali_pass *pass, unsigned target)
{
    return has_part(pass, target) ? mali_vkformat(pass->parts[target].target.format)->color.cell_B : EMPTY_CELL_B;
}

static uint32_t pixel_B(const struct mali_pass *pass)
{
    uint32_t sum_B = 0;
    for (unsigned i = 0; i < target_count(pass); i++)
        sum_B += cell_B(pass, i);
    return sum_B * pass->samples;
}

bool mali_pass_has_compressed(const struct mali_pass *pass)
{
    bits_foreach (pass->part_mask &((1u << VK_MAX_COLOR_ATTACHMENTS) - 1), i) {
        const struct mali_part *part = &pass->parts[i];
        if (mali_target_is_compressed(&part->target) ||
            (part->is_resolved && mali_target_is_compressed(&part->resolve)))
            return true;
    }
    return false;
}

bool mali_pass_can_compress(const struct mali_chip *chip, const struct mali_pass *pass)
{
    return chip->tile_buffer_B >> log2_ceil(pixel_B(pass)) >= SUPERBLOCK_PIXELS;
}

/* As many pixels as half of the tile buffer holds, so that the next tile can begin; at least a superblock, where there
 * are any. */
static uint32_t tile_pixels(const struct mali_chip *chip, const struct mali_pass *pass)
{
    const uint32_t fitting = chip->tile_buffer_B / 2 >> log2_ceil(pixel_B(pass));
    const uint32_t least = mali_pass_has_compressed(pass) ? SUPERBLOCK_PIXELS : MIN_TILE_PIXELS;
    return MAX2(MIN2(fitting, MAX_TILE_PIXELS), least);
}

/* ---- targets ---- */

static void pack_target(const struct mali_pass *pass, unsigned number, uint32_t layer, uint32_t offset_B, uint32_t *out)
{
    const struct mali_part *part = &pass->parts[number];
    struct mali_desc_RENDER_TARGET d = {
        .INTERNAL_BUFFER_OFFSET = offset_B,
        .INTERNAL_FORMAT = MALI_INTERNAL_FORMAT_R8G8B8A8,
        .SWIZZLE_G = MALI_CHANNEL_G,
        .SWIZZLE_B = MALI_CHANNEL_B,
        .SWIZZLE_A = MALI_CHANNEL_A,
    };
    if (has_part(pass, number)) {
        const struct mali_color_format *color = &mali_vkformat(part->target.format)->color;
        uint32_t clear[4] = {0};
        if (part->is_cleared)
            mali_clear_color(part->target.format, &part->clear.color, clear);
        d.INTERNAL_FORMAT = (enum mali_INTERNAL_FORMAT)color->internal;
        d.WRITE_ENABLE = part->is_stored || part->is_resolved;
        if (color->is_float)
            d.WRITEBACK_FLOAT_FORMAT = (enum mali_FLOAT_COLOR_FORMAT)color->writeback;
        else
            d.WRITEBACK_FORMAT = (enum mali_COLOR_FORMAT)color->writeback;
        const struct mali_target *target = part->is_resolved ? &part->resolve : &part->target;
        d.WRITEBACK_BLOCK_FORMAT = (enum mali_BLOCK_FORMAT)target->block_format;
        d.WRITEBACK_MSAA = part->is_resolved   ? MALI_MSAA_AVERAGE
                           : pass->samples > 1 ? MALI_MSAA_LAYERED
                                               : MALI_MSAA_SINGLE;
        d.SRGB = color->conversion.is_srgb && color->is_blended;
        d.SWIZZLE_R = (enum mali_CHANNEL)color->swizzle[0];
        d.SWIZZLE_G = (enum mali_CHANNEL)color->swizzle[1];
        d.SWIZZLE_B = (enum mali_CHANNEL)color->swizzle[2];
        d.SWIZZLE_A = (enum mali_CHANNEL)color->swizzle[3];
        d.CLEAN_PIXEL_WRITE_ENABLE = part->is_cleared || part->is_resolved;
        d.BASE = target->va + layer * target->layer_B;
        d.ROW_STRIDE = target->row_B;
        d.SURFACE_STRIDE = pass->samples > 1 && !part->is_resolved ? target->surface_B : 0;
        if (mali_target_is_compressed(target)) {
            d.SURFACE_STRIDE = target->surface_B;
            d.AFBC_YTR = target->is_ytr;
            d.AFBC_MODE = (enum mali_AFBC_MODE)mali_vkformat(target->format)->afbc_mode;
        }
        d.CLEAR_COLOR_0 = clear[0];
        d.CLEAR_COLOR_1 = clear[1];
        d.CLEAR_COLOR_2 = clear[2];
        d.CLEAR_COLOR_3 = clear[3];
    }
    mali_pack_desc_RENDER_TARGET(out, &d);
}

/* ---- depth and stencil ---- */

static void pack_extension(const struct mali_pass *pass, uint32_t layer, uint32_t *out)
{
    const struct mali_part *depth = &pass->parts[MALI_PART_DEPTH], *stencil = &pass->parts[MALI_PART_STENCIL];
    const bool has_depth = has_part(pass, MALI_PART_DEPTH) && depth->is_stored,
               has_stencil = has_part(pass, MALI_PART_STENCIL) && stencil->is_stored;
    const enum mali_MSAA msaa = pass->samples > 1 ? MALI_MSAA_LAYERED : MALI_MSAA_SINGLE;
    struct mali_desc_ZS_CRC_EXTENSION d = {
        .ZS_MSAA = msaa,
        .S_MSAA = msaa,
        .ZS_CLEAN_PIXEL_WRITE_ENABLE = (has_depth && depth->is_cleared) || (has_stencil && stencil->is_cleared),
    };
    if (has_depth) {
        /* Depth with stencil in one surface is stored with it: render.c has both parts then. */
        d.ZS_WRITE_FORMAT = (enum mali_ZS_FORMAT)mali_vkformat(depth->target.format)->zs;
        d.ZS_BLOCK_FORMAT = (enum mali_BLOCK_FORMAT)depth->target.block_format;
        d.ZS_WRITEBACK_BASE = depth->target.va + layer * depth->target.layer_B;
        d.ZS_WRITEBACK_ROW_STRIDE = depth->target.row_B;
        d.ZS_WRITEBACK_SURFACE_STRIDE = pass->samples > 1 ? depth->target.surface_B : 0;
    }
    if (has_stencil && d.ZS_WRITE_FORMAT != MALI_ZS_FORMAT_D24S8) {
        d.S_WRITE_FORMAT = (enum mali_S_FORMAT)mali_vkformat(stencil->target.format)->s;
        d.S_BLOCK_FORMAT = (enum mali_BLOCK_FORMAT)stencil->target.block_format;
        d.S_WRITEBACK_BASE = stencil->target.va + layer * stencil->target.layer_B;
        d.S_WRITEBACK_ROW_STRIDE = stencil->target.row_B;
        d.S_WRITEBACK_SURFACE_STRIDE = pass->samples > 1 ? stencil->target.surface_B : 0;
    }
    mali_pack_desc_ZS_CRC_EXTENSION(out, &d);
}

/* ---- the whole ---- */

static enum mali_Z_INTERNAL_FORMAT z_internal(const struct mali_pass *pass)
{
    return has_part(pass, MALI_PART_DEPTH)
               ? (enum mali_Z_INTERNAL_FORMAT)mali_vkformat(pass->parts[MALI_PART_DEPTH].target.format)->z_internal
               : MALI_Z_INTERNAL_FORMAT_D24;
}

void mali_framebuffer_pack(const struct mali_chip *chip, const struct mali_pass *pass, uint32_t layer,
                           const struct mali_preload *preload, uint64_t locations_va, uint32_t *out)
{
    const struct mali_part *depth = &pass->parts[MALI_PART_DEPTH], *stencil = &pass->parts[MALI_PART_STENCIL];
    const uint32_t pixels = tile_pixels(chip, pass), targets = target_count(pass);
    struct mali_desc_FRAMEBUFFER d = {
        .PRE_FRAME_0 = preload->modes[0],
        .PRE_FRAME_1 = preload->modes[1],
        .POST_FRAME = MALI_FRAME_SHADER_MODE_NEVER,
        .INTERNAL_LAYER_INDEX = layer % MALI_TILER_LAYERS,
        .FRAME_ARGUMENT = layer,
        .SAMPLE_LOCATIONS = locations_va,
        .FRAME_SHADER_DCDS = preload->draws_va,
        .WIDTH = pass->width,
        .HEIGHT = pass->height,
        .BOUND_MAX_X = pass->width - 1,
        .BOUND_MAX_Y = pass->height - 1,
        .SAMPLE_COUNT = pass->samples,
        .SAMPLE_PATTERN = mali_sample_pattern(pass->samples),
        .TIE_BREAK_RULE = MALI_TIE_BREAK_RULE_MINUS_180_IN_0_OUT,
        .EFFECTIVE_TILE_SIZE = pixels,
        .FIRST_PROVOKING_VERTEX = !pass->is_provoking_last,
        .RENDER_TARGET_COUNT = targets,
        .COLOR_BUFFER_ALLOCATION = (uint32_t)align_u64((uint64_t)pixel_B(pass) * pixels, 1024),
        .S_CLEAR =
            has_part(pass, MALI_PART_STENCIL) && stencil->is_cleared ? stencil->clear.depthStencil.stencil & 0xff : 0,
        .S_WRITE_ENABLE = has_part(pass, MALI_PART_STENCIL) && stencil->is_stored,
        .Z_INTERNAL_FORMAT = z_internal(pass),
        .Z_WRITE_ENABLE = has_part(pass, MALI_PART_DEPTH) && depth->is_stored,
        .HAS_ZS_CRC_EXTENSION = has_extension(pass),
        .Z_CLEAR = has_part(pass, MALI_PART_DEPTH) && depth->is_cleared ? depth->clear.depthStencil.depth : 0,
        .TILER = pass->tilers_va ? pass->tilers_va + layer / MALI_TILER_LAYERS * 4u * MALI_DESC_TILER_CONTEXT_DW : 0,
    };
    mali_pack_desc_FRAMEBUFFER(out, &d);
    out += MALI_DESC_FRAMEBUFFER_DW;
    if (has_extension(pass)) {
        pack_extension(pass, layer, out);
        out += MALI_DESC_ZS_CRC_EXTENSION_DW;
    }
    for (uint32_t i = 0, offset_B = 0; i < targets; i++, out += MALI_DESC_RENDER_TARGET_DW) {
        pack_target(pass, i, layer, offset_B, out);
        offset_B += cell_B(pass, i) * pixels * pass->samples;
    }
}
