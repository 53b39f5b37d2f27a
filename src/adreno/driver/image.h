/* Images and their views. An image is one surface for each plane (two for 32-bit depth with stencil), after them the
 * buffer of low-resolution depth; image_layout.c decides what is tiled and compressed and where everything is. */
#ifndef ADRENO_DRIVER_IMAGE_H
#define ADRENO_DRIVER_IMAGE_H

#include "adreno/driver/format.h"
#include "adreno/hw/tiling/lrz.h"
#include "adreno/hw/tiling/surface.h"
#include "vulkan/runtime/memory/vk_image.h"

struct vk_physical_device;

#define ADRENO_IMAGE_DW 16 /* of a descriptor */

struct adreno_image_plane {
    VkFormat format;        /* to view it alone with */
    uint64_t offset_B;      /* from the start of the plane's memory */
    uint32_t width, height; /* texels of level 0 */
    struct adreno_surface surface;
};

struct adreno_image {
    struct vk_image vk;
    uint8_t plane_count; /* surfaces */
    bool is_disjoint;
    struct adreno_image_plane planes[VK_IMAGE_MAX_PLANES];
    struct adreno_lrz lrz; /* size_B 0: none */
    uint64_t lrz_offset_B;
};

VK_DEFINE_CASTS(adreno_image, VkImage)

extern const struct vk_image_ops adreno_image_ops;

static inline struct adreno_image *adreno_image_of(struct vk_image *image)
{
    return (struct adreno_image *)image;
}

/* ---- layout (image_layout.c) ---- */

struct adreno_layout_options {
    bool no_ubwc, no_lrz, is_linear; /* debug switches */
};

/* Fills everything but the bindings in from what `image->vk` says; `chain` is VkImageCreateInfo::pNext (format lists,
 * modifiers). VK_ERROR_INVALID_DRM_FORMAT_MODIFIER_PLANE_LAYOUT_EXT, VK_ERROR_OUT_OF_DEVICE_MEMORY for sizes that no
 * descriptor can hold. */
VkResult adreno_image_layout(const struct adreno_chip *chip, const struct adreno_layout_options *options,
                             struct adreno_image *image, const void *chain);

/* The number of an aspect's surface. */
unsigned adreno_image_plane_index(const struct adreno_image *image, VkImageAspectFlags aspects);

/* The modifiers that an image of a format can have, the best first: how many. */
uint32_t adreno_modifiers(const struct adreno_chip *chip, VkFormat format, uint64_t *modifiers_out);

/* Where a level of a layer (or a slice of a volume) begins. */
uint64_t adreno_image_va(const struct adreno_image *image, unsigned plane, uint32_t level, uint32_t layer);
uint64_t adreno_image_flag_va(const struct adreno_image *image, unsigned plane, uint32_t level, uint32_t layer);
/* From a layer, or from a slice of a volume, to the next. */
uint64_t adreno_image_layer_B(const struct adreno_image *image, unsigned plane, uint32_t level);

/* ---- what the render backend and the 2D engine must know of a level (image_target.c) ---- */

struct adreno_target {
    uint64_t va, flag_va; /* of the first layer */
    uint64_t layer_B, flag_layer_B;
    uint32_t pitch_B, flag_pitch_B;
    uint32_t width, height;
    uint8_t format, swap; /* of a colour: enum adreno_format_number, ADRENO_COLOR_SWAP_*; of depth for the 2D engine */
    uint8_t depth_format; /* ADRENO_DEPTH_FORMAT_* */
    uint8_t tile_mode;    /* ADRENO_TILE_MODE_* */
    uint8_t sample_B, samples_log2;
    bool has_ubwc, is_srgb, is_sint, is_uint;
    bool is_tight; /* another level follows its last row */
};

/* One level of one aspect of an image, from a layer on, in any format with elements of the same size. A format that the
 * render backend does not write has no number. */
struct adreno_target adreno_image_target(const struct adreno_image *image, VkFormat format, VkImageAspectFlags aspect,
                                         uint32_t level, uint32_t layer);

/* ---- descriptors (texture.c) ---- */

struct adreno_texture_info {
    const struct adreno_image *image;
    unsigned plane;
    VkFormat format;
    VkImageAspectFlags aspect; /* one */
    VkImageViewType type;
    uint32_t base_level, level_count, base_layer, layer_count;
    VkComponentMapping components; /* no identities */
    float min_lod;                 /* of the view's levels */
    bool is_storage;               /* stores and loads of one level, faces of a cube as layers */
};

void adreno_texture_words(const struct adreno_chip *chip, const struct adreno_texture_info *info,
                          uint32_t words_out[ADRENO_IMAGE_DW]);

/* A buffer of texels, and one of bytes that is accessed without a format. */
void adreno_texel_buffer_words(VkFormat format, uint64_t va, uint64_t size_B, uint32_t words_out[ADRENO_IMAGE_DW]);

struct adreno_image_view {
    struct vk_image_view vk;
    uint32_t sampled[VK_IMAGE_MAX_PLANES][ADRENO_IMAGE_DW]; /* by plane of the format */
    uint32_t storage[ADRENO_IMAGE_DW];
    struct adreno_target target;  /* of a colour or of depth */
    struct adreno_target stencil; /* where it is a surface of its own, or all there is */
};

VK_DEFINE_CASTS(adreno_image_view, VkImageView)

/* A view's descriptors and targets; `view->vk` is filled. */
void adreno_image_view_fill(const struct adreno_chip *chip, struct adreno_image_view *view);

const struct adreno_chip *adreno_chip_of(const struct vk_physical_device *physical);

#endif
