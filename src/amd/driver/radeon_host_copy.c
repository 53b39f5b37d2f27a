/* Copies of images by the CPU: the swizzle mode's equation says where elements are, as it does for the hardware. */
#include "amd/driver/radeon_host_copy.h"

#include "amd/driver/radeon_image.h"

static bool copy_box(struct vk_device *base, const struct vk_image *vk, void *memory, const struct vk_host_box *box,
                     const struct vk_host_rows *rows, bool to_image)
{
    const struct radeon_image *image = (const struct radeon_image *)vk;
    struct amd_surface surface;
    if (!radeon_image_surface(radeon_device_of(base), image, box->aspect, &surface))
        return false;
    uint8_t *tiled = (uint8_t *)memory + radeon_image_surface_of(image, box->aspect)->offset_B;
    struct amd_tiling_rect rect = {
        .x = box->x, .y = box->y, .width = box->width, .height = box->height, .z = box->z, .level = box->level};
    for (uint8_t *slice = rows->first; rect.z < box->z + box->depth; rect.z++, slice += rows->slice_B) {
        if (to_image)
            amd_tiling_tile(&surface, &rect, tiled, slice, rows->row_B);
        else
            amd_tiling_detile(&surface, &rect, slice, rows->row_B, tiled);
    }
    return true;
}

const struct vk_host_copy_ops radeon_host_copy_ops = {.copy = copy_box};
