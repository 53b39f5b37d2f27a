/* Images with elements of 12 bytes. They are linear, of one level, and no format stores them: copies are the command
 * processor's, row by row, and fills a shader of their own. */
#include "amd/driver/radeon_cp_dma.h"
#include "amd/driver/radeon_image.h"
#include "amd/driver/radeon_meta.h"
#include "compiler/ir/ir_builder.h"
#include "vulkan/meta/vk_meta_build.h"

#define ELEMENT_B 12u

/* The pitch of such elements counts dwords. */
static uint32_t row_B(const struct radeon_surface *surface)
{
    return surface->level_pitch[0] * 4;
}

static uint64_t element_va(const struct vk_image *base, const uint32_t first[3], uint32_t y, uint32_t z)
{
    const struct radeon_image *image = (const struct radeon_image *)base;
    const struct radeon_surface *surface = radeon_image_surface_of(image, VK_IMAGE_ASPECT_COLOR_BIT);
    return radeon_image_surface_va(image, VK_IMAGE_ASPECT_COLOR_BIT) + (first[2] + z) * surface->slice_B +
           (uint64_t)(first[1] + y) * row_B(surface) + (uint64_t)first[0] * ELEMENT_B;
}

void radeon_meta_copy_memory_rows(struct radeon_cmd_buffer *cmd, const struct vk_meta_memory_copy *copy)
{
    for (uint32_t z = 0; z < copy->extent[2]; z++) {
        for (uint32_t y = 0; y < copy->extent[1]; y++) {
            uint64_t in_image = element_va(copy->image.image, copy->image.first, y, z);
            uint64_t in_memory = copy->va + ELEMENT_B * ((uint64_t)z * copy->slice + (uint64_t)y * copy->row);
            radeon_cp_copy(cmd, copy->to_image ? in_image : in_memory, copy->to_image ? in_memory : in_image,
                           (uint64_t)copy->extent[0] * ELEMENT_B);
        }
    }
}

void radeon_meta_copy_image_rows(struct radeon_cmd_buffer *cmd, const struct vk_meta_image_copy *copy)
{
    for (uint32_t z = 0; z < copy->extent[2]; z++) {
        for (uint32_t y = 0; y < copy->extent[1]; y++)
            radeon_cp_copy(cmd, element_va(copy->dst.image, copy->dst.first, y, z),
                           element_va(copy->src.image, copy->src.first, y, z), (uint64_t)copy->extent[0] * ELEMENT_B);
    }
}

/* ---- fills ---- */

struct fill_push {
    uint32_t extent[3];
    uint32_t row_B, slice_B;
    uint32_t words[3];
    uint32_t va_lo, va_hi;
};
enum {
    FILL_EXTENT = 0,
    FILL_ROW = 3,
    FILL_SLICE = 4,
    FILL_WORDS = 5,
    FILL_VA = 8
};

static void build_fill(struct ir_builder *b, uint64_t key, const struct vk_meta_ops *ops)
{
    (void)key, (void)ops;
    struct ir_value *ids[3], *words[3];
    vk_meta_workgroup(b->shader, false);
    vk_meta_ids(b, ids);
    ir_builder_push_if(b, vk_meta_in_bounds(b, ids, FILL_EXTENT));
    struct ir_value *va = vk_meta_push64(b, FILL_VA);
    struct ir_value *scale[3] = {ir_const(b, 32, ELEMENT_B), vk_meta_push(b, FILL_ROW), vk_meta_push(b, FILL_SLICE)};
    for (uint32_t i = 0; i < 3; i++) {
        va = ir_iadd(b, va, ir_imul(b, ir_u2u(b, 64, ids[i]), ir_u2u(b, 64, scale[i])));
        words[i] = vk_meta_push(b, FILL_WORDS + i);
    }
    ir_store_global(b, ir_vec(b, 3, words), va, 0, 4, 0, 0);
    ir_builder_pop_if(b);
}

void radeon_meta_fill_rows(struct radeon_cmd_buffer *cmd, const struct vk_meta_fill *fill)
{
    const struct radeon_surface *surface =
        radeon_image_surface_of((const struct radeon_image *)fill->image, VK_IMAGE_ASPECT_COLOR_BIT);
    uint64_t va = element_va(fill->image, (const uint32_t[3]){0, 0, fill->first_layer}, 0, 0);
    const struct fill_push push = {
        .extent = {fill->extent[0], fill->extent[1], fill->extent[2]},
        .row_B = row_B(surface),
        .slice_B = (uint32_t)surface->slice_B,
        .words = {fill->words[0], fill->words[1], fill->words[2]},
        .va_lo = (uint32_t)va,
        .va_hi = (uint32_t)(va >> 32),
    };
    uint32_t groups[3];
    vk_meta_count_groups(false, push.extent, groups);
    radeon_meta_dispatch(cmd, vk_meta_shader(&cmd->vk, VK_META_KEY(RADEON_META_FILL_ROWS, 0), build_fill), NULL, 0,
                         &push, sizeof(push), groups);
}
