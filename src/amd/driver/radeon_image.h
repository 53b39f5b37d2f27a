/* Images and their views. An image is one surface for each plane (two for depth and stencil), the metadata
 * after it and a few words for values that only the GPU knows; radeon_image_layout.c decides where everything is. */
#ifndef AMD_DRIVER_RADEON_IMAGE_H
#define AMD_DRIVER_RADEON_IMAGE_H

#include "amd/driver/radeon_device.h"
#include "amd/driver/radeon_format.h"
#include "amd/driver/radeon_surface.h"
#include "amd/hw/tiling/meta.h"
#include "vulkan/runtime/memory/vk_image.h"

/* The part of a struct amd_surface that the driver needs after it is laid out. */
struct radeon_surface {
    uint64_t offset_B; /* from the start of the plane's memory */
    uint64_t size_B;
    uint64_t slice_B; /* from layer to layer (thick blocks: of one slice, slices come in groups) */
    uint32_t align_B;
    uint8_t swizzle; /* enum amd_swizzle */
    uint8_t dim;     /* enum amd_dim */
    uint8_t element_B, block_w, block_h;
    uint8_t samples, levels, first_tail_level;
    uint16_t pipe_bank_xor;
    uint32_t width, height, slices;                  /* texels of this plane; layers or depth */
    uint32_t pitch, aligned_height;                  /* of level 0, elements */
    uint64_t level_offset_B[AMD_SURFACE_MAX_LEVELS]; /* within a slice */
    uint32_t level_pitch[AMD_SURFACE_MAX_LEVELS];    /* elements; rows of a linear surface are that far apart */
};

struct radeon_image_plane {
    VkFormat format; /* to view it alone with; of a depth/stencil image the depth's (or stencil's, where that is all) */
    struct radeon_surface surface;
};

/* A place in the image's memory; size_B 0: not there. */
struct radeon_image_range {
    uint64_t offset_B, size_B;
    uint32_t align_B;
};

/* Metadata that is laid out. `enabled`: it is used; what is only reserved is never read nor written. */
struct radeon_image_meta {
    struct radeon_image_range range;
    uint64_t slice_B;
    uint8_t levels; /* that it describes, from 0 on */
    bool enabled;
    uint8_t piece_w_log2, piece_h_log2; /* DCC: the pixels that a byte describes */
    struct {
        uint32_t offset_B, size_B; /* of one slice of the level */
    } level[AMD_SURFACE_MAX_LEVELS];
};

struct radeon_image {
    struct vk_image vk;
    uint8_t plane_count;
    bool disjoint;
    bool is_private;   /* nothing outside the driver reads the layout: metadata and pipe/bank bits can be used */
    bool has_stencil_surface;
    bool mutable_format;
    bool is_l2_coherent;     /* the render backends and the texture units see the same bytes without a flush of L2 */
    uint32_t queue_families; /* that may use it at a time; bit per family */
    struct radeon_image_plane planes[3];
    struct radeon_surface stencil; /* of an image with a stencil aspect */

    struct radeon_image_meta dcc, htile, cmask;
    struct radeon_surface fmask; /* swizzle, pipe_bank_xor, offset; size_B 0: none */
    bool fmask_enabled;
    bool tc_compatible_htile;  /* the texture units read through HTILE */
    bool dcc_image_stores;     /* stores keep DCC compressed */
    bool comp_to_single;       /* fast clears need no elimination */
    bool dcc_sign_reinterpret; /* views change the sign of the numbers: not every clear colour can be a code */
    /* Words for the GPU, 0: not there. Two per level: whether a fast clear must be eliminated, whether DCC must be
     * decompressed, the clear value; one per level: the workaround for ZRANGE_PRECISION. */
    uint64_t fce_predicate_offset_B, dcc_predicate_offset_B, clear_value_offset_B, zrange_offset_B;
};

VK_DEFINE_CASTS(radeon_image, VkImage)

extern const struct vk_image_ops radeon_image_ops;

static inline struct radeon_image *radeon_image_of(struct vk_image *image)
{
    return (struct radeon_image *)image;
}

/* Fills everything but the bindings in from what `image->vk` says; `chain` is VkImageCreateInfo::pNext (format lists).
 */
VkResult radeon_image_layout(struct radeon_device *device, struct radeon_image *image, const void *chain);
/* The whole description of a plane's surface, for its address arithmetic. `aspect` selects a plane, depth or stencil.
 */
bool radeon_image_surface(const struct radeon_device *device, const struct radeon_image *image,
                          VkImageAspectFlags aspect, struct amd_surface *surface_out);

/* Another mode for an image of one plane without metadata, whose memory comes from elsewhere. False if there is no such
 * surface. */
bool radeon_image_set_swizzle(const struct radeon_device *device, struct radeon_image *image, enum amd_swizzle swizzle);

/* The layout goes with memory that is dedicated to an image and leaves the process, and comes with it
 * (radeon_image_share.c).
 */
VkResult radeon_image_export(struct radeon_device *device, struct radeon_image *image, struct ws_bo *bo);
VkResult radeon_image_import(struct radeon_device *device, struct radeon_image *image, struct ws_bo *bo);

/* The surface of an aspect. */
const struct radeon_surface *radeon_image_surface_of(const struct radeon_image *image, VkImageAspectFlags aspect);
/* The first byte of that surface. */
uint64_t radeon_image_surface_va(const struct radeon_image *image, VkImageAspectFlags aspect);

/* Whether metadata of a level is used at all, and whether it may be in a layout on these queue families. */
static inline bool radeon_dcc_enabled(const struct radeon_image *image, uint32_t level)
{
    return image->dcc.enabled && level < image->dcc.levels;
}

static inline bool radeon_htile_enabled(const struct radeon_image *image, uint32_t level)
{
    return image->htile.enabled && level < image->htile.levels;
}

/* The families that an image may be on when `family` owns it (VK_QUEUE_FAMILY_* included) and `current` records. */
uint32_t radeon_image_queue_mask(const struct radeon_image *image, uint32_t family, uint32_t current);
bool radeon_layout_htile_compressed(const struct radeon_image *image, VkImageLayout layout, uint32_t queue_mask);
bool radeon_layout_dcc_compressed(const struct radeon_image *image, uint32_t level, VkImageLayout layout,
                                  uint32_t queue_mask);
/* The format in which a shader reads an image's own bits through DCC, channel by channel; VK_FORMAT_UNDEFINED where
 * there is none: floats of less than 32 bits, several samples. */
VkFormat radeon_dcc_bits_format(const struct radeon_image *image);
bool radeon_layout_fmask_compressed(const struct radeon_image *image, VkImageLayout layout, uint32_t queue_mask);
bool radeon_layout_can_fast_clear(const struct radeon_image *image, uint32_t level, VkImageLayout layout,
                                  uint32_t queue_mask);

/* ---- views ---- */

struct radeon_image_view {
    struct vk_image_view vk;
    struct radeon_image *image;
    VkFormat format; /* of the hardware's view: of the aspect, where there are two */
    uint8_t plane;   /* the first */
    uint8_t plane_count;
    VkExtent3D extent; /* of level 0 as the hardware sees it, in texels of `format` */
    /* A view of uncompressed texels on a compressed image whose size the hardware would round down wrong: the level is
     * a surface of its own. */
    struct {
        bool valid;
        uint8_t level, levels; /* of the small mip chain that stands in */
        uint16_t pipe_bank_xor;
        uint64_t offset_B;
    } alone;
    /* Descriptors of a shader; planes beyond plane_count are zero. A view with both depth and stencil reads the depth.
     */
    uint32_t sampled[3][8];
    uint32_t storage[3][8];
    struct radeon_color_target color; /* where the view can be a colour target */
    struct radeon_depth_target depth; /* where the image is depth or stencil */
};

VK_DEFINE_CASTS(radeon_image_view, VkImageView)

static inline struct radeon_image_view *radeon_image_view_of(struct vk_image_view *view)
{
    return (struct radeon_image_view *)view;
}

struct radeon_image_view_options {
    bool no_compression; /* shaders do not read through metadata */
    bool no_dcc_target;  /* a colour target that leaves DCC alone */
};

/* Views of the driver's own, on the stack: nothing to destroy. `options` may be NULL. The format may be any with
 * elements of the same size, whatever the image was created with. */
void radeon_image_view_init(struct radeon_device *device, struct radeon_image_view *view,
                            const VkImageViewCreateInfo *info, const struct radeon_image_view_options *options);

#endif
