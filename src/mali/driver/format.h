/* A VkFormat in the hardware's terms: textures, targets, attributes. Everything follows from the format's parts
 * (util/format) and from the hardware's own tables (mali/hw/formats.table, clumps.table); the choice of those that
 * are advertised is format_properties.c's. */
#ifndef MALI_DRIVER_FORMAT_H
#define MALI_DRIVER_FORMAT_H

#include "mali/hw/enums.h"
#include "mali/hw/table.h"
#include "util/format/format.h"
#include "vulkan/runtime/object/vk_api.h"

/* Numbers of formats.table that code must name. */
enum mali_format_number {
    MALI_FORMAT_NONE = 0,
    MALI_FORMAT_RGB10_A2_UNORM = 67,
    MALI_FORMAT_Z16_UNORM = 75,
    MALI_FORMAT_Z32 = 76,
    MALI_FORMAT_Z24X8_UNORM = 77,
    MALI_FORMAT_R11F_G11F_B10F = 89,
    MALI_FORMAT_S8 = 93,
    MALI_FORMAT_RG16_UNORM = 172,
    MALI_FORMAT_RGBA8_UNORM = 187,
    MALI_FORMAT_RGBA16F = 223,
};

/* The 22 bits of a pixel format; number MALI_FORMAT_NONE: none. */
struct mali_pixel_format {
    uint8_t number;
    uint8_t order; /* MALI_RGB_ORDER_* */
    bool is_srgb;
};

static inline uint32_t mali_pixel_format_bits(struct mali_pixel_format format)
{
    return format.order | (uint32_t)format.number << 12 | (uint32_t)format.is_srgb << 20;
}

/* How a colour lies in the tile buffer and goes to memory. */
struct mali_color_format {
    uint8_t internal;                    /* MALI_INTERNAL_FORMAT_* */
    uint8_t writeback;                   /* MALI_COLOR_FORMAT_*, or MALI_FLOAT_COLOR_FORMAT_* */
    uint8_t swizzle[4];                  /* of memory's channels: MALI_CHANNEL_* */
    uint8_t cell_B;                      /* of a sample in the tile buffer; 0: no target */
    bool is_blended;                     /* by fixed function; others are raw */
    bool is_float;                       /* `writeback` is of MALI_FLOAT_COLOR_FORMAT_* */
    struct mali_pixel_format conversion; /* of registers into cells */
};

/* A row for each VkFormat. Of depth and stencil the texture is the depth's; the stencil aspect has another
 * (mali_texture_format). */
struct mali_vkformat {
    const struct format_info *info;
    struct mali_pixel_format texture;
    struct mali_pixel_format attribute;
    uint8_t plane_type; /* MALI_PLANE_TYPE_*; _NULL: no texture of an image */
    uint8_t clump;      /* MALI_CLUMP_FORMAT_* of a generic plane */
    uint8_t element_B;  /* of a plane of the surface, of depth where there are two; 0: several planes */
    struct mali_color_format color;
    uint8_t zs;         /* MALI_ZS_FORMAT_*; 0: no depth */
    uint8_t z_internal; /* MALI_Z_INTERNAL_FORMAT_* */
    uint8_t s;          /* MALI_S_FORMAT_*; 0: no stencil */
    bool has_afbc;
    uint8_t afbc_mode; /* MALI_AFBC_MODE_* */
    bool has_afbc_ytr; /* its colours are compressed as luma and differences */
};

/* Never NULL: a number that is no format has a row of zeros (`info` NULL). Constant time. */
const struct mali_vkformat *mali_vkformat(VkFormat format);

/* How one aspect of an image is sampled. */
struct mali_texture_format {
    struct mali_pixel_format pixel; /* number MALI_FORMAT_NONE: it cannot be */
    uint8_t plane_type, clump;
    bool is_opaque; /* alpha is one whatever is in memory (BC1 without alpha) */
    bool is_alpha;  /* there is nothing else, and colours are zero */
};
struct mali_texture_format mali_texture_format(VkFormat format, VkImageAspectFlags aspect);

extern const struct vk_format_ops mali_format_ops;

#endif
