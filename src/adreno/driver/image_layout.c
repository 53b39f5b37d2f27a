/* Where an image's texels are: the choice of tiling and compression, and the place of planes, flags and low-resolution
 * depth. The arithmetic of levels is adreno/hw/tiling's. */
#include <drm_fourcc.h>
#include <string.h>

#include "adreno/driver/image.h"
#include "util/bits.h"
#include "vulkan/runtime/memory/vk_host_copy.h"
#include "vulkan/runtime/object/vk_struct.h"

#define PAGE_B 4096u
#define MAX_SHARED_B 8u /* of an element in a buffer of another driver */

/* ---- which formats views may have ---- */

struct view_formats {
    const VkFormat *formats;
    uint32_t count; /* 0: any of the class */
};

static struct view_formats list_view_formats(const struct adreno_image *image, const void *chain)
{
    const VkImageFormatListCreateInfo *list = vk_find_struct_const(chain, VkImageFormatListCreateInfo);
    if (!(image->vk.flags & VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT) || format_is_depth_or_stencil(image->vk.format_info))
        return (struct view_formats){&image->vk.format, 1};
    return list ? (struct view_formats){list->pViewFormats, list->viewFormatCount} : (struct view_formats){NULL, 0};
}

/* Levels that are narrower than 16 texels have rows, and a descriptor counts texels of the view: where those are whole
 * blocks, it would take tiled levels for rows. */
static bool blocks_agree_with_texels(const struct adreno_image *image)
{
    const uint32_t block_width = image->vk.format_info->block_width;
    const uint32_t width = MAX2(image->vk.extent.width >> (image->vk.levels - 1), 1u);
    return block_width == 1 || !(image->vk.flags & VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT) ||
           div_round_up(width, block_width) >= ADRENO_MIN_TILED_WIDTH;
}

/* Tiled memory has one order of components, so a format cannot be seen as another whose order differs in rows; and
 * two channels of a byte have blocks of their own. */
static bool can_be_tiled(const struct adreno_image *image, const struct view_formats *views)
{
    if (!blocks_agree_with_texels(image))
        return false;
    const struct adreno_vkformat *own = adreno_vkformat(image->vk.format);
    const unsigned element_B = own->element_B;
    if (vk_image_is_host_copied(&image->vk) && own->swap != ADRENO_COLOR_SWAP_WZYX)
        return false;  /* the CPU copies components as they are */
    if (!views->count) /* no class but these has several orders or kinds of blocks */
        return element_B != 2 && element_B != 4;
    for (uint32_t i = 0; i < views->count; i++) {
        const struct adreno_vkformat *view = adreno_vkformat(views->formats[i]);
        if (!view->info || view->swap != own->swap ||
            (adreno_format_is_two_bytes(view->info) != adreno_format_is_two_bytes(own->info) && element_B == 2))
            return false;
        if (own->swap != ADRENO_COLOR_SWAP_WZYX && views->formats[i] != image->vk.format &&
            adreno_format_find(view->texture)->widths[0] != adreno_format_find(own->texture)->widths[0])
            return false;
    }
    return true;
}

/* ---- UBWC ---- */

/* The kind of a format's compression: formats of one kind may be seen as each other. 0: with no other. */
static unsigned ubwc_kind(const struct adreno_vkformat *format)
{
    const struct adreno_format *hw = adreno_format_find(format->texture);
    if (!hw || hw->channels != 4 || hw->widths[0] != 8)
        return 0;
    return hw->numeric == ADRENO_NUMERIC_UNORM ? 1 : 0; /* with and without the curve */
}

/* A signed clear code is another than an unsigned one, and copies take both for unsigned; separate stencil has no bit
 * that switches flags on. */
static bool format_has_ubwc(const struct adreno_chip *chip, const struct adreno_vkformat *format)
{
    const struct format_info *info = format->info;
    return format->texture && !format_is_compressed(info) && info->format != FORMAT_E5B9G9R9_UFLOAT_PACK32 &&
           info->format != FORMAT_S8_UINT && info->numeric != FORMAT_NUMERIC_SNORM &&
           (format->element_B > 1 || chip->has_8bpp_ubwc) && is_power_of_two(format->element_B);
}

static bool views_have_ubwc(const struct adreno_image *image, const struct view_formats *views)
{
    const unsigned kind = ubwc_kind(adreno_vkformat(image->vk.format));
    for (uint32_t i = 0; i < views->count; i++) {
        if (views->formats[i] != image->vk.format && (!kind || ubwc_kind(adreno_vkformat(views->formats[i])) != kind))
            return false;
    }
    return views->count != 0;
}

static bool can_have_ubwc(const struct adreno_chip *chip, const struct adreno_image *image,
                          const struct view_formats *views)
{
    const struct adreno_vkformat *format = adreno_vkformat(image->vk.format);
    const VkImageUsageFlags usage = image->vk.usage | image->vk.stencil_usage;
    const VkImageUsageFlags read = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT;
    const bool is_24_bits = format->depth == ADRENO_DEPTH_FORMAT_Z24_S8;
    if (!format_has_ubwc(chip, format) || !views_have_ubwc(image, views) || vk_image_is_host_copied(&image->vk))
        return false;
    if (image->vk.type == VK_IMAGE_TYPE_3D && image->vk.levels > 1)
        return false;
    /* Loads and stores of one image must not see different codes, and descriptors do not know each other. */
    if (usage & VK_IMAGE_USAGE_STORAGE_BIT)
        return false;
    /* Samples are copied as pixels of all of them together. */
    if (image->vk.samples > 1 && usage & (VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT))
        return false;
    /* Chips without integers of it read stencil as four bytes, and know nothing of its samples' flags. */
    return !is_24_bits || chip->has_z24uint_s8uint ||
           (!(format->has_stencil && image->vk.stencil_usage & read) && image->vk.samples == 1);
}

/* ---- modifiers ---- */

uint32_t adreno_modifiers(const struct adreno_chip *chip, VkFormat vk_format, uint64_t *modifiers_out)
{
    const struct adreno_vkformat *format = adreno_vkformat(vk_format);
    uint32_t count = 0;
    if (!format->info || !format->info->block_size_B || format_is_compressed(format->info) ||
        format_is_depth_or_stencil(format->info))
        return 0;
    if (format->info->plane_count <= 1 && (!format->texture || format->element_B > MAX_SHARED_B))
        return 0;
    if (format->info->plane_count <= 1 && format_has_ubwc(chip, format))
        modifiers_out[count++] = DRM_FORMAT_MOD_QCOM_COMPRESSED;
    modifiers_out[count++] = DRM_FORMAT_MOD_LINEAR;
    return count;
}

static bool choose_modifier(const struct adreno_chip *chip, struct adreno_image *image, const void *chain)
{
    const VkImageDrmFormatModifierExplicitCreateInfoEXT *one =
        vk_find_struct_const(chain, VkImageDrmFormatModifierExplicitCreateInfoEXT);
    const VkImageDrmFormatModifierListCreateInfoEXT *list =
        vk_find_struct_const(chain, VkImageDrmFormatModifierListCreateInfoEXT);
    uint64_t modifiers[2];
    const uint32_t count = adreno_modifiers(chip, image->vk.format, modifiers);
    for (uint32_t i = 0; i < count; i++) {
        bool is_wanted = one && one->drmFormatModifier == modifiers[i];
        for (uint32_t j = 0; !one && list && j < list->drmFormatModifierCount; j++)
            is_wanted |= list->pDrmFormatModifiers[j] == modifiers[i];
        if (!is_wanted)
            continue;
        image->vk.modifier = modifiers[i];
        return true;
    }
    return false;
}

/* ---- planes ---- */

struct choice {
    bool is_tiled, has_ubwc;
    bool is_shared; /* the layout is said by a modifier */
    const VkSubresourceLayout *explicit_layouts;
};

static VkFormat plane_format(const struct adreno_image *image, unsigned plane)
{
    const struct format_info *info = image->vk.format_info;
    if (info->plane_count > 1)
        return (VkFormat)info->planes[plane].format;
    if (info->format == FORMAT_D32_SFLOAT_S8_UINT)
        return plane ? VK_FORMAT_S8_UINT : VK_FORMAT_D32_SFLOAT;
    return image->vk.format;
}

static struct adreno_surface_info surface_info(const struct adreno_image *image, const struct choice *choice,
                                               unsigned number)
{
    const struct adreno_image_plane *plane = &image->planes[number];
    const struct adreno_vkformat *format = adreno_vkformat(plane->format);
    const bool is_stencil_alone = format->info->format == FORMAT_S8_UINT;
    return (struct adreno_surface_info){
        .width = plane->width,
        .height = plane->height,
        .depth = image->vk.extent.depth,
        .levels = image->vk.levels,
        .layers = image->vk.layers,
        .samples = image->vk.samples,
        .block_B = format->element_B,
        .block_w = format->info->block_width,
        .block_h = format->info->block_height,
        .is_volume = image->vk.type == VK_IMAGE_TYPE_3D,
        .is_depth = format_is_depth_or_stencil(format->info),
        .is_two_bytes = adreno_format_is_two_bytes(format->info) && image->vk.samples == 1,
        .is_tiled = choice->is_tiled,
        .has_ubwc = choice->has_ubwc && !is_stencil_alone,
        .pitch_B = choice->explicit_layouts ? (uint32_t)choice->explicit_layouts[number].rowPitch : 0,
    };
}

static VkResult place_plane(const struct adreno_chip *chip, struct adreno_image *image, const struct choice *choice,
                            unsigned number)
{
    struct adreno_image_plane *plane = &image->planes[number];
    const struct format_plane *divisors = &image->vk.format_info->planes[number];
    const bool is_planar = image->vk.format_info->plane_count > 1;
    plane->format = plane_format(image, number);
    plane->width = (uint32_t)div_round_up(image->vk.extent.width, is_planar ? divisors->width_divisor : 1);
    plane->height = (uint32_t)div_round_up(image->vk.extent.height, is_planar ? divisors->height_divisor : 1);
    struct adreno_surface_info info = surface_info(image, choice, number);
    if (!adreno_surface_init(&plane->surface, chip, &info))
        return choice->explicit_layouts ? VK_ERROR_INVALID_DRM_FORMAT_MODIFIER_PLANE_LAYOUT_EXT
                                        : VK_ERROR_OUT_OF_DEVICE_MEMORY;
    info.is_rounded = plane->surface.min_slice_B > ADRENO_MAX_MIN_SLICE_B;
    if (info.is_rounded && !adreno_surface_init(&plane->surface, chip, &info))
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    if (choice->explicit_layouts)
        plane->offset_B = choice->explicit_layouts[number].offset;
    else
        plane->offset_B = image->is_disjoint ? 0 : align_u64(image->vk.size_B, PAGE_B);
    image->vk.size_B = MAX2(image->vk.size_B, plane->offset_B + plane->surface.size_B);
    return VK_SUCCESS;
}

/* ---- all of it ---- */

static bool is_linear(const struct adreno_image *image, const struct adreno_layout_options *options)
{
    if (format_is_depth_or_stencil(image->vk.format_info))
        return false;
    /* A row of texels gains nothing by blocks. A disjoint image of one plane may have the memory of a plane. */
    return image->vk.tiling == VK_IMAGE_TILING_LINEAR || image->vk.type == VK_IMAGE_TYPE_1D || options->is_linear ||
           image->vk.format_info->plane_count > 1 || image->is_disjoint;
}

static VkResult choose_layout(const struct adreno_chip *chip, const struct adreno_layout_options *options,
                              struct adreno_image *image, const void *chain, struct choice *choice)
{
    const VkImageDrmFormatModifierExplicitCreateInfoEXT *one =
        vk_find_struct_const(chain, VkImageDrmFormatModifierExplicitCreateInfoEXT);
    const struct view_formats views = list_view_formats(image, chain);
    if (image->vk.tiling == VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT) {
        if (!choose_modifier(chip, image, chain))
            return VK_ERROR_INVALID_DRM_FORMAT_MODIFIER_PLANE_LAYOUT_EXT;
        choice->is_shared = true;
        choice->is_tiled = choice->has_ubwc = image->vk.modifier == DRM_FORMAT_MOD_QCOM_COMPRESSED;
        choice->explicit_layouts = one ? one->pPlaneLayouts : NULL;
        return VK_SUCCESS;
    }
    choice->is_tiled = !is_linear(image, options) && can_be_tiled(image, &views);
    choice->has_ubwc = choice->is_tiled && !options->no_ubwc && can_have_ubwc(chip, image, &views);
    return VK_SUCCESS;
}

VkResult adreno_image_layout(const struct adreno_chip *chip, const struct adreno_layout_options *options,
                             struct adreno_image *image, const void *chain)
{
    const struct format_info *info = image->vk.format_info;
    struct choice choice = {0};
    image->is_disjoint = image->vk.flags & VK_IMAGE_CREATE_DISJOINT_BIT;
    VkResult result = choose_layout(chip, options, image, chain, &choice);
    image->plane_count = info->plane_count > 1 ? info->plane_count : info->format == FORMAT_D32_SFLOAT_S8_UINT ? 2 : 1;
    for (unsigned i = 0; i < image->plane_count && result == VK_SUCCESS; i++)
        result = place_plane(chip, image, &choice, i);
    if (result != VK_SUCCESS)
        return result;
    image->vk.align_B = image->planes[0].surface.is_tiled || (choice.is_shared && choice.is_tiled)
                            ? PAGE_B
                            : image->planes[0].surface.base_align_B;
    if (adreno_vkformat(image->vk.format)->depth && !options->no_lrz && !vk_image_is_host_copied(&image->vk)) {
        image->lrz =
            adreno_lrz_init(chip, image->vk.extent.width, image->vk.extent.height, image->vk.samples, image->vk.layers);
        image->lrz_offset_B = align_u64(image->vk.size_B, PAGE_B);
        image->vk.size_B = align_u64(image->lrz_offset_B + image->lrz.size_B, PAGE_B);
    }
    return VK_SUCCESS;
}

unsigned adreno_image_plane_index(const struct adreno_image *image, VkImageAspectFlags aspects)
{
    if (image->vk.format == VK_FORMAT_D32_SFLOAT_S8_UINT)
        return aspects == VK_IMAGE_ASPECT_STENCIL_BIT;
    return image->plane_count > 1 ? vk_plane_of_aspect(aspects) : 0;
}

static uint64_t plane_va(const struct adreno_image *image, unsigned plane)
{
    return image->vk.memory[image->is_disjoint ? plane : 0].va + image->planes[plane].offset_B;
}

uint64_t adreno_image_layer_B(const struct adreno_image *image, unsigned plane, uint32_t level)
{
    const struct adreno_surface *surface = &image->planes[plane].surface;
    return image->vk.type == VK_IMAGE_TYPE_3D ? surface->levels[level].slice_B : surface->layer_B;
}

uint64_t adreno_image_va(const struct adreno_image *image, unsigned plane, uint32_t level, uint32_t layer)
{
    return plane_va(image, plane) + image->planes[plane].surface.levels[level].offset_B +
           layer * adreno_image_layer_B(image, plane, level);
}

/* Slices of a volume with flags have one level. */
uint64_t adreno_image_flag_va(const struct adreno_image *image, unsigned plane, uint32_t level, uint32_t layer)
{
    const struct adreno_surface *surface = &image->planes[plane].surface;
    return plane_va(image, plane) + surface->levels[level].flag_offset_B + layer * surface->flag_layer_B;
}
