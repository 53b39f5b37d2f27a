/* Layouts of images as PanVK has them, beside ours (src/mali/hw/tiling). layouts.py starts it.
 *
 *     layouts SEED COUNT
 *
 * The processor writes random texels into tiled and linear images (VK_EXT_host_image_copy), of all levels, layers and
 * slices; then every byte of the image's memory must be where our layout puts it.
 *
 * Prints a line for each image that differs, then how many were looked at, by kind. Ends with 0 when none differs. */
#include "host_images.h"

#include <stdlib.h>

#include "mali/hw/tiling/surface.h"
#include "mali/hw/tiling/tile.h"
#include "util/bits.h"

struct placed {
    struct mali_surface surface;
    bool is_tiled;
};

static uint64_t place_of_element(const void *data, const struct image *image, unsigned level, uint32_t slice,
                                 uint32_t x, uint32_t y)
{
    const struct placed *p = data;
    const struct mali_surface_level *at = &p->surface.levels[level];
    struct mali_tile tile =
        mali_tile_init(image->format->block_B, at->row_B, p->is_tiled ? MALI_ORDER_TILED : MALI_ORDER_LINEAR,
                       image->format->block_w > 1);
    return at->offset_B + slice * (image->type == VK_IMAGE_TYPE_3D ? at->slice_B : p->surface.layer_B) +
           mali_tile_offset_B(&tile, x, y);
}

static bool judge_image(struct image *image, const char **kind_out)
{
    /* The driver has no use for tiles in a single row or column. */
    const bool is_line = image->extent.width == 1 || image->extent.height == 1;
    struct placed placed = {.is_tiled = image->tiling == VK_IMAGE_TILING_OPTIMAL && !is_line};
    const struct mali_surface_info info = {
        .width = image->extent.width,
        .height = image->extent.height,
        .depth = image->extent.depth,
        .levels = image->levels,
        .layers = image->layers,
        .samples = image->samples,
        .block_B = image->format->block_B,
        .block_w = image->format->block_w,
        .block_h = image->format->block_h,
        .is_volume = image->type == VK_IMAGE_TYPE_3D,
        .layout = placed.is_tiled ? MALI_LAYOUT_TILED : MALI_LAYOUT_LINEAR,
    };
    need(mali_surface_init(&placed.surface, &info), "an image that we have no layout for");
    *kind_out = !placed.is_tiled ? "linear" : image->format->block_w > 1 ? "tiled blocks" : "tiled";
    return judge_copy(image, &(struct layout){placed.surface.size_B, placed.surface.size_B, place_of_element, &placed});
}

int main(int argc, char **argv)
{
    need(argc == 3, "layouts SEED COUNT");
    const unsigned total = (unsigned)strtoul(argv[2], NULL, 0);
    unsigned bad = 0;
    set_seed(strtoull(argv[1], NULL, 0));
    create_device(true);
    for (unsigned i = 0; i < total;) {
        struct image image = choose_image(true);
        const VkImageCreateInfo info = info_of(&image);
        const char *kind;
        if (!is_offered(&image))
            continue;
        CHECK(vkCreateImage(device, &info, NULL, &image.handle));
        bad += !judge_image(&image, &kind);
        vkDestroyImage(device, image.handle, NULL);
        count_kind(kind);
        i++;
    }
    print_kinds(bad);
    return bad ? 1 : 0;
}
