/* Images and their views. An image is one surface for each plane (two for 32-bit depth with stencil); image_layout.c
 * decides what is tiled and where everything is.
 *
 * A descriptor of a texture points to an array of descriptors of planes, one for each level and layer. Both are in
 * memory that the GPU reads: a view keeps the words of the texture, and its planes lie in the device's memory
 * (image.c). */
#ifndef MALI_DRIVER_IMAGE_H
#define MALI_DRIVER_IMAGE_H

#include "mali/driver/format.h"
#include "mali/hw/tiling/surface.h"
#include "vulkan/runtime/memory/vk_image.h"
#include "vulkan/runtime/pipeline/vk_code_memory.h"

struct vk_physical_device;
struct mali_chip;

enum {
    MALI_DESCRIPTOR_DW = 8, /* of a texture, a sampler, a buffer, a plane */
    MALI_DESCRIPTOR_B = 32,
};

struct mali_image_plane {
    VkFormat format;        /* to view it alone with */
    uint64_t offset_B;      /* from the start of the plane's memory */
    uint32_t width, height; /* texels of level 0 */
    enum mali_layout layout;
    bool is_ytr; /* of AFBC */
    struct mali_surface surface;
};

struct mali_image {
    struct vk_image vk;
    uint8_t plane_count; /* surfaces */
    bool is_disjoint;
    struct mali_image_plane planes[VK_IMAGE_MAX_PLANES];
};

VK_DEFINE_CASTS(mali_image, VkImage)

extern const struct vk_image_ops mali_image_ops;

static inline struct mali_image *mali_image_of(struct vk_image *image)
{
    return (struct mali_image *)image;
}

/* ---- layout (image_layout.c) ---- */

/* Fills everything but the bindings in from what `image->vk` says; `chain` is VkImageCreateInfo::pNext (format lists,
 * modifiers). VK_ERROR_INVALID_DRM_FORMAT_MODIFIER_PLANE_LAYOUT_EXT, VK_ERROR_OUT_OF_DEVICE_MEMORY for sizes that no
 * descriptor can hold. */
VkResult mali_image_layout(struct mali_image *image, const void *chain);

/* The number of an aspect's surface. */
unsigned mali_image_plane_index(const struct mali_image *image, VkImageAspectFlags aspects);

static inline bool mali_image_is_compressed(const struct mali_image *image)
{
    return image->planes[0].layout == MALI_LAYOUT_AFBC;
}

bool mali_modifier_is_compressed(uint64_t modifier);
/* The modifiers that an image of a format can have, the best first: how many. */
uint32_t mali_modifiers(VkFormat format, uint64_t *modifiers_out);

/* Bytes from one row of texels to the next, as vkGetImageSubresourceLayout says it. */
uint64_t mali_image_pitch_B(const struct mali_image *image, unsigned plane, uint32_t level);
/* Where a level of a layer (or a slice of a volume) begins. */
uint64_t mali_image_va(const struct mali_image *image, unsigned plane, uint32_t level, uint32_t layer);
/* From a layer, or from a slice of a volume, to the next. */
uint64_t mali_image_layer_B(const struct mali_image *image, unsigned plane, uint32_t level);

/* ---- descriptors (texture.c) ---- */

struct mali_texture_info {
    const struct mali_image *image;
    unsigned plane;
    VkFormat format;
    VkImageAspectFlags aspect; /* one */
    VkImageViewType type;
    uint32_t base_level, level_count, base_layer, layer_count;
    VkComponentMapping components; /* no identities */
    float min_lod;                 /* of the view's levels */
    bool is_storage;               /* stores and loads of one level, faces of a cube as layers */
};

/* How many planes the descriptor needs. */
uint32_t mali_texture_planes(const struct mali_texture_info *info);
/* `planes_out` has MALI_DESCRIPTOR_DW words for each; they will be at `planes_va`. */
void mali_texture_words(const struct mali_texture_info *info, uint64_t planes_va, uint32_t *planes_out,
                        uint32_t words_out[MALI_DESCRIPTOR_DW]);

/* A buffer of texels, and one of bytes that is accessed without a format. */
void mali_texel_buffer_words(VkFormat format, uint64_t va, uint64_t size_B, uint32_t words_out[MALI_DESCRIPTOR_DW]);
void mali_buffer_words(uint64_t va, uint64_t size_B, uint32_t words_out[MALI_DESCRIPTOR_DW]);

/* ---- targets (target.c) ---- */

/* One level of an image for the writeback. */
struct mali_target {
    uint64_t va; /* of the first layer; 0: none */
    uint64_t layer_B;
    uint32_t row_B, surface_B; /* from sample to sample; of AFBC, from headers to the body */
    uint32_t width, height;
    uint8_t block_format; /* MALI_BLOCK_FORMAT_* */
    uint8_t samples;
    bool is_ytr; /* of AFBC */
    VkFormat format;
};

static inline bool mali_target_is_compressed(const struct mali_target *target)
{
    return target->block_format == MALI_BLOCK_FORMAT_AFBC;
}

struct mali_target mali_image_target(const struct mali_image *image, VkFormat format, VkImageAspectFlags aspect,
                                     uint32_t level, uint32_t layer);

/* The value with which the tile buffer is cleared, as RENDER_TARGET has it. */
void mali_clear_color(VkFormat format, const VkClearColorValue *value, uint32_t words_out[4]);

/* ---- views ---- */

/* The views of one object: what was sampled, by plane of the format, what is stored, and both aspects as targets. */
struct mali_image_view {
    struct vk_image_view vk;
    uint32_t sampled[VK_IMAGE_MAX_PLANES][MALI_DESCRIPTOR_DW];
    uint32_t storage[MALI_DESCRIPTOR_DW];
    struct mali_target target;  /* of a colour or of depth */
    struct mali_target stencil; /* where it is a surface of its own, or all there is */
    struct vk_code_place place; /* of the planes; of views on a stack, none */
};

VK_DEFINE_CASTS(mali_image_view, VkImageView)

/* Bytes of all planes of a view's descriptors, and their words into memory that is at `va`; `view->vk` is filled. */
uint32_t mali_image_view_planes_B(const struct mali_image_view *view);
void mali_image_view_fill(struct mali_image_view *view, void *map, uint64_t va);
/* The targets alone, of a view that no shader reads. */
void mali_image_view_targets(struct mali_image_view *view);

const struct mali_chip *mali_chip_of(const struct vk_physical_device *physical);

#endif
