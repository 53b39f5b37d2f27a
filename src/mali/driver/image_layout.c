/* Where an image's texels are: the choice of tiling, and the place of planes. The arithmetic of levels is
 * mali/hw/tiling's. */
#include <drm_fourcc.h>
#include <string.h>

#include "mali/driver/image.h"
#include "mali/hw/tiling/afbc.h"
#include "util/bits.h"
#include "vulkan/runtime/memory/vk_host_copy.h"
#include "vulkan/runtime/object/vk_struct.h"

#define PAGE_B 4096u
#define SUPERBLOCK_W 16u
#define MAX_SHARED_B 8u /* of an element in a buffer of another driver */

/* ---- modifiers ---- */

static const struct {
    uint64_t modifier;
    enum mali_layout layout;
    bool is_ytr;
} modifiers[] = {
    {DRM_FORMAT_MOD_ARM_AFBC(AFBC_FORMAT_MOD_BLOCK_SIZE_16x16 | AFBC_FORMAT_MOD_SPARSE | AFBC_FORMAT_MOD_YTR),
     MALI_LAYOUT_AFBC, true},
    {DRM_FORMAT_MOD_ARM_AFBC(AFBC_FORMAT_MOD_BLOCK_SIZE_16x16 | AFBC_FORMAT_MOD_SPARSE), MALI_LAYOUT_AFBC, false},
    {DRM_FORMAT_MOD_ARM_16X16_BLOCK_U_INTERLEAVED, MALI_LAYOUT_TILED},
    {DRM_FORMAT_MOD_LINEAR, MALI_LAYOUT_LINEAR},
};

bool mali_modifier_is_compressed(uint64_t modifier)
{
    for (unsigned i = 0; i < ARRAY_SIZE(modifiers); i++) {
        if (modifiers[i].modifier == modifier)
            return modifiers[i].layout == MALI_LAYOUT_AFBC;
    }
    return false;
}

/* Of a format whose texels are plain. */
static bool is_possible(const struct mali_vkformat *format, unsigned number)
{
    if (format->info->plane_count > 1)
        return modifiers[number].layout == MALI_LAYOUT_LINEAR;
    return modifiers[number].layout != MALI_LAYOUT_AFBC ||
           (format->has_afbc && (format->has_afbc_ytr || !modifiers[number].is_ytr));
}

uint32_t mali_modifiers(VkFormat vk_format, uint64_t *modifiers_out)
{
    const struct mali_vkformat *format = mali_vkformat(vk_format);
    uint32_t count = 0;
    if (!format->info || !format->info->block_size_B || format_is_compressed(format->info) ||
        format_is_depth_or_stencil(format->info))
        return 0;
    const bool is_planar = format->info->plane_count > 1;
    if (!is_planar && (!format->plane_type || format->element_B > MAX_SHARED_B))
        return 0;
    for (unsigned i = 0; i < ARRAY_SIZE(modifiers); i++) {
        if (is_possible(format, i))
            modifiers_out[count++] = modifiers[i].modifier;
    }
    return count;
}

static bool is_wanted(const void *chain, uint64_t modifier)
{
    const VkImageDrmFormatModifierExplicitCreateInfoEXT *one =
        vk_find_struct_const(chain, VkImageDrmFormatModifierExplicitCreateInfoEXT);
    const VkImageDrmFormatModifierListCreateInfoEXT *list =
        vk_find_struct_const(chain, VkImageDrmFormatModifierListCreateInfoEXT);
    if (one)
        return one->drmFormatModifier == modifier;
    for (uint32_t i = 0; list && i < list->drmFormatModifierCount; i++) {
        if (list->pDrmFormatModifiers[i] == modifier)
            return true;
    }
    return false;
}

/* Images that cannot be compressed whatever the application says of the layout. */
static bool may_be_compressed(const struct mali_image *image, const void *chain)
{
    const VkImageFormatListCreateInfo *list = vk_find_struct_const(chain, VkImageFormatListCreateInfo);
    if (image->vk.type != VK_IMAGE_TYPE_2D || image->vk.samples > 1 || vk_image_is_host_copied(&image->vk) ||
        image->vk.usage & (VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT))
        return false;
    if (!(image->vk.flags & VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT))
        return true;
    /* Views with and without a curve have the same bits. */
    for (uint32_t i = 0; list && i < list->viewFormatCount; i++) {
        const struct format_info *info = format_info((enum format)list->pViewFormats[i]);
        if (!info || info->linear_format != image->vk.format_info->linear_format)
            return false;
    }
    return list && list->viewFormatCount;
}

/* Layout and colour transformation of what is chosen. */
struct choice {
    enum mali_layout layout;
    bool is_ytr;
};

static bool choose_modifier(struct mali_image *image, const void *chain, struct choice *choice_out)
{
    const struct mali_vkformat *format = mali_vkformat(image->vk.format);
    uint64_t possible[ARRAY_SIZE(modifiers)];
    if (!mali_modifiers(image->vk.format, possible))
        return false;
    for (uint32_t i = 0; i < ARRAY_SIZE(modifiers); i++) {
        if (!is_possible(format, i) || !is_wanted(chain, modifiers[i].modifier) ||
            (modifiers[i].layout == MALI_LAYOUT_AFBC && !may_be_compressed(image, chain)))
            continue;
        image->vk.modifier = modifiers[i].modifier;
        *choice_out = (struct choice){modifiers[i].layout, modifiers[i].is_ytr};
        return true;
    }
    return false;
}

/* Attachments of colour, which are written by tiles. Small ones are not worth a superblock. */
static bool is_compressed(const struct mali_image *image, const void *chain)
{
    enum {
        SIDE = 16
    };
    return image->vk.tiling == VK_IMAGE_TILING_OPTIMAL && !image->is_disjoint &&
           mali_vkformat(image->vk.format)->has_afbc && image->vk.usage & VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT &&
           image->vk.extent.width >= SIDE && image->vk.extent.height >= SIDE && may_be_compressed(image, chain);
}

/* ---- planes ---- */

static VkFormat plane_format(const struct mali_image *image, unsigned plane)
{
    const struct format_info *info = image->vk.format_info;
    if (info->plane_count > 1)
        return (VkFormat)info->planes[plane].format;
    if (info->format == FORMAT_D32_SFLOAT_S8_UINT)
        return plane ? VK_FORMAT_S8_UINT : VK_FORMAT_D32_SFLOAT;
    return image->vk.format;
}

/* Of AFBC: that of the texels, as others count it. */
uint64_t mali_image_pitch_B(const struct mali_image *image, unsigned plane, uint32_t level)
{
    const uint32_t row_B = image->planes[plane].surface.levels[level].row_B;
    if (image->planes[plane].layout != MALI_LAYOUT_AFBC)
        return row_B;
    return (uint64_t)row_B / MALI_AFBC_HEADER_B * SUPERBLOCK_W * mali_vkformat(image->planes[plane].format)->element_B;
}

/* The rows of somebody else's image are as long as they say; of superblocks there are no more than needed. */
static bool set_pitch(struct mali_surface *surface, const struct mali_image *image, uint64_t pitch_B)
{
    struct mali_surface_level *level = &surface->levels[0];
    if (mali_image_is_compressed(image))
        return pitch_B == mali_image_pitch_B(image, 0, 0);
    if (image->vk.levels > 1 || image->vk.layers > 1 || image->vk.type == VK_IMAGE_TYPE_3D || image->vk.samples > 1 ||
        pitch_B < level->row_B || pitch_B % MALI_SURFACE_ALIGN_B || pitch_B > UINT32_MAX)
        return false;
    level->slice_B = level->size_B = level->slice_B / level->row_B * pitch_B;
    level->row_B = (uint32_t)pitch_B;
    surface->layer_B = level->size_B;
    surface->size_B = align_u64(level->size_B, PAGE_B);
    return true;
}

static VkResult place_plane(struct mali_image *image, struct choice choice, unsigned number,
                            const VkSubresourceLayout *explicit_layouts)
{
    struct mali_image_plane *plane = &image->planes[number];
    const bool is_planar = image->vk.format_info->plane_count > 1;
    const struct format_plane *divisors = &image->vk.format_info->planes[number];
    plane->format = plane_format(image, number);
    plane->layout = choice.layout;
    plane->is_ytr = choice.is_ytr;
    plane->width = (uint32_t)div_round_up(image->vk.extent.width, is_planar ? divisors->width_divisor : 1);
    plane->height = (uint32_t)div_round_up(image->vk.extent.height, is_planar ? divisors->height_divisor : 1);
    const struct mali_vkformat *format = mali_vkformat(plane->format);
    const struct mali_surface_info info = {
        .width = plane->width,
        .height = plane->height,
        .depth = image->vk.extent.depth,
        .levels = image->vk.levels,
        .layers = image->vk.layers,
        .samples = image->vk.samples,
        .is_volume = image->vk.type == VK_IMAGE_TYPE_3D,
        .block_B = format->element_B,
        .block_w = format->info->block_width,
        .block_h = format->info->block_height,
        .layout = choice.layout,
        .superblock_w = SUPERBLOCK_W,
    };
    if (!mali_surface_init(&plane->surface, &info))
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    if (explicit_layouts) {
        if (!set_pitch(&plane->surface, image, explicit_layouts[number].rowPitch) ||
            explicit_layouts[number].offset % MALI_SURFACE_ALIGN_B)
            return VK_ERROR_INVALID_DRM_FORMAT_MODIFIER_PLANE_LAYOUT_EXT;
        plane->offset_B = explicit_layouts[number].offset;
    } else {
        plane->offset_B = image->is_disjoint ? 0 : align_u64(image->vk.size_B, PAGE_B);
    }
    image->vk.size_B = MAX2(image->vk.size_B, plane->offset_B + plane->surface.size_B);
    return VK_SUCCESS;
}

/* ---- all of it ---- */

/* Blocks of a compressed format and texels of their size have tiles of different shapes, and copies see the one as the
 * other: rows are the same for both. A row of texels gains nothing by tiles. A disjoint image of one plane may have the
 * memory of a plane. */
static bool is_linear(const struct mali_image *image)
{
    const struct format_info *info = image->vk.format_info;
    if (format_is_depth_or_stencil(info))
        return false;
    return image->vk.tiling == VK_IMAGE_TILING_LINEAR || image->vk.type == VK_IMAGE_TYPE_1D ||
           format_is_compressed(info) || info->plane_count > 1 || image->is_disjoint;
}

VkResult mali_image_layout(struct mali_image *image, const void *chain)
{
    const struct format_info *info = image->vk.format_info;
    const VkImageDrmFormatModifierExplicitCreateInfoEXT *one =
        vk_find_struct_const(chain, VkImageDrmFormatModifierExplicitCreateInfoEXT);
    image->is_disjoint = image->vk.flags & VK_IMAGE_CREATE_DISJOINT_BIT;
    struct choice choice = {is_linear(image) ? MALI_LAYOUT_LINEAR : MALI_LAYOUT_TILED, false};
    if (is_compressed(image, chain))
        choice = (struct choice){MALI_LAYOUT_AFBC, mali_vkformat(image->vk.format)->has_afbc_ytr};
    VkResult result = VK_SUCCESS;
    if (image->vk.tiling == VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT && !choose_modifier(image, chain, &choice))
        return VK_ERROR_INVALID_DRM_FORMAT_MODIFIER_PLANE_LAYOUT_EXT;
    image->plane_count = info->plane_count > 1 ? info->plane_count : info->format == FORMAT_D32_SFLOAT_S8_UINT ? 2 : 1;
    image->vk.align_B = PAGE_B;
    for (unsigned i = 0; i < image->plane_count && result == VK_SUCCESS; i++)
        result = place_plane(image, choice, i, one ? one->pPlaneLayouts : NULL);
    return result;
}

unsigned mali_image_plane_index(const struct mali_image *image, VkImageAspectFlags aspects)
{
    if (image->vk.format == VK_FORMAT_D32_SFLOAT_S8_UINT)
        return aspects == VK_IMAGE_ASPECT_STENCIL_BIT;
    return image->plane_count > 1 ? vk_plane_of_aspect(aspects) : 0;
}

uint64_t mali_image_layer_B(const struct mali_image *image, unsigned plane, uint32_t level)
{
    const struct mali_surface *surface = &image->planes[plane].surface;
    return image->vk.type == VK_IMAGE_TYPE_3D ? surface->levels[level].slice_B : surface->layer_B;
}

uint64_t mali_image_va(const struct mali_image *image, unsigned plane, uint32_t level, uint32_t layer)
{
    return image->vk.memory[image->is_disjoint ? plane : 0].va + image->planes[plane].offset_B +
           image->planes[plane].surface.levels[level].offset_B + layer * mali_image_layer_B(image, plane, level);
}
