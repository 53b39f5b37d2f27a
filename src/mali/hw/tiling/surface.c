/* See surface.h. */
#include "mali/hw/tiling/surface.h"

#include <string.h>

#include "mali/hw/tiling/afbc.h"
#include "util/bits.h"

#define PAGE_B 4096u

static uint32_t minify_size(uint32_t size, unsigned level)
{
    return MAX2(size >> level, 1u);
}

/* Elements that a row and a column are rounded up to, and those of a tile. */
struct grain {
    uint32_t align_w, align_h;
    uint32_t tile_h;
};

static struct grain grain_of(const struct mali_surface_info *info)
{
    if (info->layout == MALI_LAYOUT_TILED) {
        uint32_t side = info->block_w > 1 || info->block_h > 1 ? 4 : 16;
        return (struct grain){side, side, side};
    }
    if (info->layout == MALI_LAYOUT_AFBC) {
        uint32_t h = MALI_AFBC_TEXELS / info->superblock_w,
                 group = 1u << mali_afbc_header_tile_log2(info->has_tiled_headers, info->block_B);
        /* Tiles of 16 × 16 are what the GPU writes: rows of flat superblocks are made up to that. */
        return (struct grain){info->superblock_w * group, MAX2(h, 16u) * group, h};
    }
    return (struct grain){1, 1, 1};
}

static void set_afbc(struct mali_surface_level *level, const struct mali_surface_info *info, uint32_t w, uint32_t h,
                     uint32_t depth)
{
    uint32_t superblock_h = MALI_AFBC_TEXELS / info->superblock_w;
    uint64_t count = (uint64_t)(w / info->superblock_w) * (h / superblock_h);
    uint64_t body_B = level->slice_B;
    level->row_B = w / info->superblock_w * MALI_AFBC_HEADER_B
                   << mali_afbc_header_tile_log2(info->has_tiled_headers, info->block_B);
    level->header_slice_B =
        align_u64(count * MALI_AFBC_HEADER_B, info->has_tiled_headers ? PAGE_B : MALI_AFBC_BODY_ALIGN_B);
    /* A volume has the headers of all slices first, everything else headers and body by turns. */
    level->header_B = level->header_slice_B * (info->is_volume ? depth : 1);
    if (!info->is_volume) {
        level->slice_B = body_B + level->header_slice_B;
        level->header_slice_B = level->slice_B;
    }
}

static bool is_possible(const struct mali_surface_info *info)
{
    if (!info->width || !info->height || !info->depth || !info->levels || !info->layers || !info->samples)
        return false;
    if (info->levels > MALI_MAX_LEVELS || (info->is_volume && (info->samples > 1 || info->layers > 1)))
        return false;
    if (info->layout != MALI_LAYOUT_AFBC)
        return true;
    return info->samples == 1 && info->block_w == 1 && info->block_h == 1 &&
           (info->superblock_w == 16 || info->superblock_w == 32 || info->superblock_w == 64);
}

bool mali_surface_init(struct mali_surface *out, const struct mali_surface_info *info)
{
    uint64_t offset_B = 0;
    memset(out, 0, sizeof(*out));
    if (!is_possible(info))
        return false;
    struct grain grain = grain_of(info);
    for (unsigned i = 0; i < info->levels; i++) {
        struct mali_surface_level *level = &out->levels[i];
        uint32_t depth = info->is_volume ? minify_size(info->depth, i) : 1;
        uint64_t w = align_u64(div_round_up(minify_size(info->width, i), info->block_w), grain.align_w);
        uint64_t h = align_u64(div_round_up(minify_size(info->height, i), info->block_h), grain.align_h);
        uint32_t align_B = info->layout == MALI_LAYOUT_AFBC ? MALI_AFBC_HEADER_B : MALI_SURFACE_ALIGN_B;
        uint64_t row_B = align_u64(info->block_B * w * grain.tile_h, align_B);
        offset_B = align_u64(offset_B, MALI_SURFACE_ALIGN_B);
        level->offset_B = offset_B;
        level->row_B = (uint32_t)row_B;
        level->slice_B = row_B * (h / grain.tile_h);
        if (info->layout == MALI_LAYOUT_AFBC)
            set_afbc(level, info, (uint32_t)w, (uint32_t)h, depth);
        level->size_B = level->slice_B * depth * info->samples;
        offset_B += level->size_B + (info->is_volume ? level->header_B : 0);
    }
    out->layer_B = align_u64(offset_B, MALI_SURFACE_ALIGN_B);
    out->size_B = align_u64(out->layer_B * info->layers, PAGE_B);
    return true;
}
