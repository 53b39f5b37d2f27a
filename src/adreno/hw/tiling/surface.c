/* See surface.h. */
#include "adreno/hw/tiling/surface.h"

#include <string.h>

#include "util/bits.h"

#define PAGE_B 4096u
#define FLAG_ALIGN_W 64u /* bytes of a row of flags */
#define FLAG_ALIGN_H 16u /* rows; of a mip chain */
#define FLAG_ALIGN_H_MIPS 64u

static uint32_t minify_size(uint32_t size, unsigned level)
{
    return MAX2(size >> level, 1u);
}

/* --- alignments --- */

struct alignment {
    uint8_t pitch_log2;
    uint8_t rows;
    uint32_t base_B;
};

/* Elements of one and two bytes have wider blocks than their size would give, and one-byte ones higher blocks too. */
static struct alignment tiled_alignment(const struct adreno_surface *s, const struct adreno_surface_info *info)
{
    struct alignment a = {.pitch_log2 = (uint8_t)(6 + log2_floor(s->element_B)), .rows = 16, .base_B = 256};
    if (s->element_B == 1 || info->is_two_bytes) {
        a = (struct alignment){.pitch_log2 = 7, .rows = 32, .base_B = 64};
    } else if (s->element_B == 2) {
        a.pitch_log2 = 8;
        a.base_B = 128;
    }
    if (s->has_ubwc || info->is_depth || info->is_two_bytes)
        a.base_B = PAGE_B;
    return a;
}

/* A pitch chosen by another driver need only be fit for stores of 16 by 4 texels. */
static struct alignment linear_alignment(const struct adreno_surface *s, const struct adreno_surface_info *info)
{
    unsigned element_log2 = log2_floor(s->element_B);
    unsigned above = !info->pitch_B ? element_log2 : element_log2 > 2 ? element_log2 - 2 : 0;
    return (struct alignment){.pitch_log2 = (uint8_t)(6 + above), .rows = 1, .base_B = 64};
}

/* --- UBWC --- */

struct adreno_flag_block adreno_flag_block(uint32_t sample_B, unsigned samples_log2)
{
    static const struct adreno_flag_block by_size[8] = {{4, 2}, {4, 2}, {4, 2}, {3, 2}, {2, 2}, {2, 1}};
    /* Samples of one and two bytes take as much room as those of four would. */
    const uint32_t element_B = samples_log2 ? MAX2(sample_B, 4u) << samples_log2 : sample_B;
    return by_size[log2_floor(element_B) & 7];
}

static void init_flag_block(struct adreno_surface *s, const struct adreno_surface_info *info)
{
    const struct adreno_flag_block block = adreno_flag_block(info->block_B, log2_floor(info->samples));
    s->flag_block_w = block.w_log2 ? 1u << block.w_log2 : 0;
    s->flag_block_h = block.w_log2 ? 1u << block.h_log2 : 0;
    if (info->is_two_bytes || info->is_luma) {
        s->flag_block_w = info->is_two_bytes ? 16 : 32;
        s->flag_block_h = 8;
    }
}

/* The flags of all levels of a layer. Those of a mip chain are sized as if the image were a power of two. */
static void place_flags(struct adreno_surface *s, const struct adreno_surface_info *info)
{
    bool has_mips = info->levels > 1;
    uint32_t align_h = has_mips ? FLAG_ALIGN_H_MIPS : FLAG_ALIGN_H;
    uint32_t width = has_mips ? 1u << log2_ceil(info->width) : info->width;
    uint32_t height = has_mips ? 1u << log2_ceil(info->height) : info->height;
    uint32_t columns = (uint32_t)align_u64(div_round_up(width, s->flag_block_w), FLAG_ALIGN_W);
    uint32_t rows = (uint32_t)align_u64(div_round_up(height, s->flag_block_h), align_h);
    for (unsigned i = 0; i < s->level_count; i++) {
        struct adreno_surface_level *level = &s->levels[i];
        if (!level->is_tiled)
            continue;
        level->flag_offset_B = s->flag_layer_B;
        level->flag_pitch_B = (uint32_t)align_u64(minify_size(columns, i), FLAG_ALIGN_W);
        level->flag_slice_B = align_u64(level->flag_pitch_B * align_u64(minify_size(rows, i), align_h), PAGE_B);
        s->flag_layer_B += level->flag_slice_B;
    }
}

/* --- levels --- */

/* A volume's slice shrinks by four with each level, as long as that leaves it in pages and with room for its rows. The
 * first that does not is the size of all that follow, and the descriptor's MIN_LAYERSZ. */
static uint64_t volume_slice_B(struct adreno_surface *s, unsigned level, uint64_t rows)
{
    uint64_t needed_B = rows * s->levels[level].pitch_B;
    if (level == 0)
        return align_u64(needed_B, PAGE_B);
    if (s->min_slice_B)
        return s->min_slice_B;
    uint64_t slice_B = MAX2(s->levels[0].slice_B >> 2 * level, 1u);
    if (s->levels[level].pitch_B != s->levels[level - 1].pitch_B / 2 || slice_B < needed_B)
        s->min_slice_B = slice_B = needed_B;
    if (slice_B % PAGE_B)
        s->min_slice_B = slice_B = align_u64(slice_B, PAGE_B);
    return slice_B;
}

/* The pitch must halve until a slice is small enough for the hardware's smallest. */
static uint32_t rounded_pitch_B(const struct adreno_surface_info *info, struct alignment align, uint32_t pitch_B)
{
    const uint32_t rows = MAX2(1u << log2_ceil((uint32_t)div_round_up(info->height, info->block_h)), align.rows);
    unsigned level = 0;
    while (level + 1 < info->levels &&
           (uint64_t)MAX2(rows >> level, align.rows) << align.pitch_log2 > ADRENO_MAX_MIN_SLICE_B)
        level++;
    return MAX2(1u << log2_ceil(pitch_B), 1u << (align.pitch_log2 + level));
}

static void place_levels(struct adreno_surface *s, const struct adreno_surface_info *info, struct alignment align)
{
    uint32_t pitch_B = info->pitch_B;
    if (!pitch_B)
        pitch_B =
            (uint32_t)align_u64(div_round_up(info->width, info->block_w) * s->element_B, 1ull << align.pitch_log2);
    if (info->is_rounded)
        pitch_B = rounded_pitch_B(info, align, pitch_B);
    for (unsigned i = 0; i < s->level_count; i++) {
        struct adreno_surface_level *level = &s->levels[i];
        level->is_tiled = s->is_tiled && (s->is_all_tiled || minify_size(info->width, i) >= ADRENO_MIN_TILED_WIDTH);
        level->pitch_B = (uint32_t)align_u64(minify_size(pitch_B, i), 1ull << align.pitch_log2);
        level->offset_B = s->size_B;
        uint64_t rows = div_round_up(minify_size(info->height, i), info->block_h);
        rows = align_u64(rows, level->is_tiled ? align.rows : 1);
        if (info->is_rounded && i == 0)
            rows = 1ull << log2_ceil((uint32_t)rows);
        if (i == s->level_count - 1)
            rows = align_u64(rows, 4); /* stores from GMEM have four rows */
        level->slice_B = info->is_volume ? volume_slice_B(s, i, rows) : rows * level->pitch_B;
        s->size_B += level->slice_B * (info->is_volume ? minify_size(info->depth, i) : 1);
        if (s->has_ubwc && level->is_tiled)
            s->size_B = align_u64(s->size_B, PAGE_B);
    }
}

/* --- all of it --- */

static bool is_possible(const struct adreno_surface_info *info)
{
    return info->width && info->height && info->depth && info->layers && info->levels && info->samples &&
           info->block_w && info->block_h && info->width <= 0x8000 && info->height <= 0x8000 && info->depth <= 0x4000 &&
           info->layers <= 0x4000 && info->levels <= ADRENO_MAX_LEVELS && info->samples <= 8 &&
           is_power_of_two(info->samples) && is_power_of_two(info->block_B) && info->block_B * info->samples <= 128;
}

bool adreno_surface_init(struct adreno_surface *s, const struct adreno_chip *chip,
                         const struct adreno_surface_info *info)
{
    memset(s, 0, sizeof(*s));
    if (!is_possible(info))
        return false;
    s->element_B = info->block_B * info->samples;
    s->level_count = MIN2(info->levels, ADRENO_MAX_LEVELS);
    init_flag_block(s, info);
    /* Flags are for images that are wide enough, of formats that have them, and not for mip chains of volumes. */
    s->has_ubwc = info->has_ubwc && s->flag_block_w && info->width >= ADRENO_MIN_TILED_WIDTH &&
                  !(info->depth > 1 && info->levels > 1);
    s->is_tiled = info->is_tiled && (info->is_depth || info->width >= ADRENO_MIN_TILED_WIDTH);
    s->is_all_tiled = info->is_depth || (s->has_ubwc && !chip->has_ubwc_linear_levels);

    struct alignment align = s->is_tiled ? tiled_alignment(s, info) : linear_alignment(s, info);
    if (info->pitch_B % (1u << align.pitch_log2))
        return false;
    s->pitch_align_log2 = align.pitch_log2;
    s->base_align_B = align.base_B;
    place_levels(s, info, align);
    if (!info->is_volume) {
        s->layer_B = align_u64(s->size_B, PAGE_B);
        s->size_B = s->layer_B * info->layers;
    }
    if (s->has_ubwc) {
        place_flags(s, info);
        uint64_t flags_B = s->flag_layer_B * info->layers * info->depth;
        for (unsigned i = 0; i < s->level_count; i++)
            s->levels[i].offset_B += flags_B;
        s->size_B += flags_B;
    }
    return true;
}
