/* Copies of images by the CPU: elements of rows and of TILE6_3 (adreno/hw/tiling/tile.h). Images that are copied so
 * have no flags of UBWC and no low-resolution depth, and are tiled only where tiled memory has the format's order of
 * components (image_layout.c). */
#include "adreno/driver/host_copy.h"

#include <string.h>

#include "adreno/driver/device.h"
#include "adreno/driver/image.h"
#include "adreno/hw/tiling/tile.h"

/* A level's slice and what of its elements is copied. */
struct slice {
    uint8_t *bytes;
    struct adreno_tile tile;
    uint32_t pitch_B, element_B;
    bool is_tiled;
    uint8_t first_B, part_B, memory_B; /* of an element: bytes from the first one on; what memory has for them */
};

/* Depth of 24 bits and stencil share a word, whose bytes have two places in memory. */
static void choose_part(struct slice *slice, const struct adreno_image *image, VkImageAspectFlags aspect)
{
    slice->part_B = slice->memory_B = (uint8_t)slice->element_B;
    if (image->vk.format != VK_FORMAT_D24_UNORM_S8_UINT)
        return;
    const bool is_stencil = aspect == VK_IMAGE_ASPECT_STENCIL_BIT;
    slice->first_B = is_stencil ? 3 : 0;
    slice->part_B = is_stencil ? 1 : 3;
    slice->memory_B = is_stencil ? 1 : 4;
}

static void move_bytes(uint8_t *in_image, uint8_t *in_memory, size_t size_B, bool to_image)
{
    memcpy(to_image ? in_image : in_memory, to_image ? in_memory : in_image, size_B);
}

static void copy_tiled_row(const struct slice *slice, uint32_t y, const struct vk_host_box *box, uint8_t *row,
                           bool to_image)
{
    uint8_t *tiles = slice->bytes + adreno_tile_row_B(&slice->tile, y) + slice->first_B;
    const uint64_t y_B = adreno_tile_y_B(&slice->tile, y);
    for (uint32_t x = box->x; x < box->x + box->width; x++, row += slice->memory_B)
        move_bytes(tiles + (adreno_tile_x_B(&slice->tile, x) ^ y_B), row, slice->part_B, to_image);
}

static void copy_plain_row(const struct slice *slice, uint32_t y, const struct vk_host_box *box, uint8_t *row,
                           bool to_image)
{
    uint8_t *elements = slice->bytes + (size_t)y * slice->pitch_B + (size_t)box->x * slice->element_B + slice->first_B;
    if (slice->part_B == slice->element_B) {
        move_bytes(elements, row, (size_t)box->width * slice->element_B, to_image);
        return;
    }
    for (uint32_t x = 0; x < box->width; x++, elements += slice->element_B, row += slice->memory_B)
        move_bytes(elements, row, slice->part_B, to_image);
}

static bool copy_box(struct vk_device *device, const struct vk_image *vk, void *memory, const struct vk_host_box *box,
                     const struct vk_host_rows *rows, bool to_image)
{
    const struct adreno_image *image = (const struct adreno_image *)vk;
    const unsigned plane = adreno_image_plane_index(image, box->aspect);
    const struct adreno_surface *surface = &image->planes[plane].surface;
    const struct adreno_surface_level *level = &surface->levels[box->level];
    struct slice slice = {.pitch_B = level->pitch_B, .element_B = surface->element_B, .is_tiled = level->is_tiled};
    if (surface->has_ubwc || image->vk.samples > 1)
        return false;
    if (slice.is_tiled)
        slice.tile = adreno_tile_init(adreno_device_of(device)->chip, surface->element_B, level->pitch_B);
    choose_part(&slice, image, box->aspect);
    for (uint32_t z = 0; z < box->depth; z++) {
        slice.bytes = (uint8_t *)memory + image->planes[plane].offset_B + level->offset_B +
                      (box->z + z) * adreno_image_layer_B(image, plane, box->level);
        for (uint32_t y = 0; y < box->height; y++) {
            uint8_t *row = rows->first + z * rows->slice_B + y * rows->row_B;
            if (slice.is_tiled)
                copy_tiled_row(&slice, box->y + y, box, row, to_image);
            else
                copy_plain_row(&slice, box->y + y, box, row, to_image);
        }
    }
    return true;
}

const struct vk_host_copy_ops adreno_host_copy_ops = {.copy = copy_box};
