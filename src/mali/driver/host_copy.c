/* Copies of images by the CPU: elements of rows and of U-interleaved tiles (mali/hw/tiling/tile.h). Images that are
 * copied so are not compressed. Depth of 24 bits and stencil are bytes of one element. */
#include "mali/driver/host_copy.h"

#include <string.h>

#include "mali/driver/device.h"
#include "mali/driver/image.h"
#include "mali/driver/memory.h"
#include "mali/hw/tiling/tile.h"

/* The part of an element that is copied: bytes of it, from the first one on, and as many as memory has for it. */
struct part {
    uint8_t first_B, size_B, memory_B;
};

static struct part part_of(const struct mali_image *image, unsigned plane, VkImageAspectFlags aspect)
{
    const uint8_t element_B = (uint8_t)mali_vkformat(image->planes[plane].format)->element_B;
    if (image->vk.format != VK_FORMAT_D24_UNORM_S8_UINT)
        return (struct part){0, element_B, element_B};
    return aspect == VK_IMAGE_ASPECT_STENCIL_BIT ? (struct part){3, 1, 1} : (struct part){0, 3, 4};
}

/* ---- rows ---- */

/* `tile_y` is the row's share of an element's number; elements of a tile are in the row of tiles at `tiles`. */
#define COPY_ROW(size)                                                                                                 \
    for (uint32_t x = 0; x < count; x++) {                                                                             \
        uint8_t *element = tiles + (size_t)(mali_tile_x(tile, first + x) ^ tile_y) * (size);                           \
        if (to_image)                                                                                                  \
            memcpy(element, row + (size_t)x * (size), size);                                                           \
        else                                                                                                           \
            memcpy(row + (size_t)x * (size), element, size);                                                           \
    }

static void copy_whole(const struct mali_tile *tile, uint8_t *tiles, uint32_t tile_y, uint32_t first, uint32_t count,
                       uint8_t *row, bool to_image)
{
    switch (tile->element_B) {
    case 1:
        COPY_ROW(1)
        break;
    case 2:
        COPY_ROW(2)
        break;
    case 4:
        COPY_ROW(4)
        break;
    case 8:
        COPY_ROW(8)
        break;
    default:
        COPY_ROW(tile->element_B)
    }
}

static void copy_part(const struct mali_tile *tile, uint8_t *tiles, uint32_t tile_y, uint32_t first, uint32_t count,
                      uint8_t *row, struct part part, bool to_image)
{
    for (uint32_t x = 0; x < count; x++, row += part.memory_B) {
        uint8_t *bytes = tiles + (size_t)(mali_tile_x(tile, first + x) ^ tile_y) * tile->element_B + part.first_B;
        if (to_image)
            memcpy(bytes, row, part.size_B);
        else
            memcpy(row, bytes, part.size_B);
    }
}

static void copy_slice(const struct mali_tile *tile, uint8_t *slice, const struct vk_host_box *box, uint8_t *rows,
                       size_t row_B, struct part part, bool to_image)
{
    for (uint32_t y = box->y; y < box->y + box->height; y++, rows += row_B) {
        uint8_t *tiles = slice + mali_tile_row_B(tile, y);
        const size_t first_B = (size_t)box->x * tile->element_B, size_B = (size_t)box->width * tile->element_B;
        if (part.size_B != tile->element_B)
            copy_part(tile, tiles, mali_tile_y(tile, y), box->x, box->width, rows, part, to_image);
        else if (tile->side_log2)
            copy_whole(tile, tiles, mali_tile_y(tile, y), box->x, box->width, rows, to_image);
        else if (to_image)
            memcpy(tiles + first_B, rows, size_B);
        else
            memcpy(rows, tiles + first_B, size_B);
    }
}

/* ---- memory ---- */

/* Cached mappings are not coherent with the GPU. */
static bool sync(struct mali_device *device, const struct mali_image *image, unsigned plane,
                 enum drm_panthor_bo_sync_op_type type)
{
    const unsigned place = image->is_disjoint ? plane : 0;
    const struct mali_bo *bo = (const struct mali_bo *)image->vk.memory[place].bo;
    if (!(bo->flags & MALI_BO_CACHED))
        return true;
    struct drm_panthor_bo_sync_op op = {.handle = bo->gem.handle,
                                        .type = type,
                                        .offset =
                                            image->vk.memory[place].va - bo->vk.va + image->planes[plane].offset_B,
                                        .size = image->planes[plane].surface.size_B};
    return mali_bo_sync(device->kernel, &op, 1) == 0;
}

static bool copy_box(struct vk_device *base, const struct vk_image *vk, void *memory, const struct vk_host_box *box,
                     const struct vk_host_rows *rows, bool to_image)
{
    struct mali_device *device = mali_device_of(base);
    const struct mali_image *image = (const struct mali_image *)vk;
    const unsigned plane = mali_image_plane_index(image, box->aspect);
    const struct mali_image_plane *from = &image->planes[plane];
    const struct mali_surface_level *level = &from->surface.levels[box->level];
    const struct mali_vkformat *format = mali_vkformat(from->format);
    const struct mali_tile tile = mali_tile_init(
        format->element_B, level->row_B, from->layout == MALI_LAYOUT_TILED ? MALI_ORDER_TILED : MALI_ORDER_LINEAR,
        format_is_compressed(format->info));
    const uint64_t layer_B = mali_image_layer_B(image, plane, box->level);
    uint8_t *first = (uint8_t *)memory + from->offset_B + level->offset_B;
    if (from->layout == MALI_LAYOUT_AFBC ||
        !sync(device, image, plane, DRM_PANTHOR_BO_SYNC_CPU_CACHE_FLUSH_AND_INVALIDATE))
        return false;
    for (uint32_t z = 0; z < box->depth; z++)
        copy_slice(&tile, first + (box->z + z) * layer_B, box, rows->first + z * rows->slice_B, rows->row_B,
                   part_of(image, plane, box->aspect), to_image);
    return !to_image || sync(device, image, plane, DRM_PANTHOR_BO_SYNC_CPU_CACHE_FLUSH);
}

const struct vk_host_copy_ops mali_host_copy_ops = {.copy = copy_box};
