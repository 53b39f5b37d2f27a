/* One level of an image for the fragment endpoint, and values that the tile buffer is cleared with. */
#include <math.h>
#include <string.h>

#include "mali/driver/image.h"
#include "util/bits.h"
#include "util/format/channel.h"

struct mali_target mali_image_target(const struct mali_image *image, VkFormat format, VkImageAspectFlags aspect,
                                     uint32_t level, uint32_t layer)
{
    const unsigned number = mali_image_plane_index(image, aspect);
    const struct mali_image_plane *plane = &image->planes[number];
    const struct mali_surface_level *at = &plane->surface.levels[level];
    static const uint8_t block_formats[] = {
        [MALI_LAYOUT_LINEAR] = MALI_BLOCK_FORMAT_LINEAR,
        [MALI_LAYOUT_TILED] = MALI_BLOCK_FORMAT_TILED_U_INTERLEAVED,
        [MALI_LAYOUT_AFBC] = MALI_BLOCK_FORMAT_AFBC,
    };
    return (struct mali_target){
        .va = mali_image_va(image, number, level, layer),
        .layer_B = mali_image_layer_B(image, number, level),
        .row_B = at->row_B,
        .surface_B = (uint32_t)(plane->layout == MALI_LAYOUT_AFBC ? at->header_B : at->slice_B),
        .width = MAX2(plane->width >> level, 1u),
        .height = MAX2(plane->height >> level, 1u),
        .block_format = block_formats[plane->layout],
        .is_ytr = plane->is_ytr,
        .samples = (uint8_t)image->vk.samples,
        .format = format,
    };
}

/* ---- clears ---- */

/* Cells of fixed point: bits of each channel, and the fraction below them, which a clear leaves zero. */
static const struct {
    uint8_t whole[4], fraction[4];
} cells[] = {
    [MALI_INTERNAL_FORMAT_R8G8B8A8] = {{8, 8, 8, 8}, {0, 0, 0, 0}},
    [MALI_INTERNAL_FORMAT_R10G10B10A2] = {{10, 10, 10, 2}, {0, 0, 0, 0}},
    [MALI_INTERNAL_FORMAT_R4G4B4A4] = {{4, 4, 4, 4}, {4, 4, 4, 4}},
    [MALI_INTERNAL_FORMAT_R5G6B5A0] = {{5, 6, 5, 0}, {5, 4, 5, 2}},
    [MALI_INTERNAL_FORMAT_R5G5B5A1] = {{5, 5, 5, 1}, {5, 5, 5, 1}},
};

static uint32_t pack_cell(const struct mali_color_format *color, const float value[4])
{
    uint32_t word = 0;
    unsigned shift = 0;
    for (unsigned c = 0; c < 4; c++) {
        const unsigned whole = cells[color->internal].whole[c], fraction = cells[color->internal].fraction[c];
        if (whole)
            word |= (color->conversion.is_srgb && c < 3 ? format_float_to_srgb(value[c])
                                                        : format_float_to_unorm(value[c], whole))
                    << (shift + fraction);
        shift += whole + fraction;
    }
    return word;
}

void mali_clear_color(VkFormat format, const VkClearColorValue *value, uint32_t words_out[4])
{
    const struct mali_vkformat *row = mali_vkformat(format);
    const struct mali_color_format *color = &row->color;
    uint8_t bytes[16] = {0};
    memset(words_out, 0, 16);
    if (!color->cell_B)
        return;
    if (color->is_blended && !color->is_float) {
        const uint32_t word = pack_cell(color, value->float32);
        memcpy(bytes, &word, sizeof(word));
    } else if (row->info->numeric == FORMAT_NUMERIC_UINT) {
        format_pack_rgba_uint(row->info->format, bytes, &value->uint32, 1);
    } else if (row->info->numeric == FORMAT_NUMERIC_SINT) {
        format_pack_rgba_sint(row->info->format, bytes, &value->int32, 1);
    } else {
        format_pack_rgba_float(row->info->format, bytes, &value->float32, 1);
    }
    for (unsigned at = 0; at < 16; at += color->cell_B)
        memcpy((uint8_t *)words_out + at, bytes, color->cell_B);
}
