/* A VkFormat in the hardware's terms: image and buffer formats, colour and depth targets, the exports that a
 * fragment shader needs for them, vertex attributes, clear values. Everything follows from what the format is made
 * of (util/format) and from the hardware's own table (amd/hw/formats.table); which of it is advertised is decided in
 * radeon_format_properties.c. */
#ifndef AMD_DRIVER_RADEON_FORMAT_H
#define AMD_DRIVER_RADEON_FORMAT_H

#include "amd/compiler/args.h"
#include "amd/hw/table.h"
#include "util/format/format.h"
#include "vulkan/runtime/object/vk_api.h"

struct radeon_format {
    const struct format_info *info;
    uint16_t image;     /* FORMAT of image and buffer descriptors; 0: the texture units do not know it */
    uint8_t dst_sel[4]; /* AMD_DST_SEL_*: what makes red, green, blue and alpha */
    uint8_t bc_swizzle; /* AMD_BC_SWIZZLE_*: where a border colour's channels are */
    bool buffer;        /* `image` is a format of typed buffers, too */

    struct {
        uint8_t format; /* AMD_COLOR_FORMAT_*; 0: no colour target */
        uint8_t number; /* AMD_NUMBER_TYPE_* */
        uint8_t swap;   /* AMD_COMP_SWAP_* */
        bool blendable;
        bool alpha_is_one; /* no alpha in memory: reads as 1 for blending */
    } color;
    uint8_t depth;     /* AMD_Z_FORMAT_*; 0: none */
    bool is_stencil;   /* has an 8-bit stencil aspect */
    uint8_t element_B; /* of a plane of the surface: of the depth aspect where there are two; 0: several planes */
};

/* Never NULL: a number that is no format has a row of zeros (`info` NULL). Constant time. */
const struct radeon_format *radeon_format(VkFormat format);

extern const struct vk_format_ops radeon_format_ops;

/* DST_SEL_* of a view with component mapping (no identities) on top of the format's own. */
void radeon_format_swizzle(const struct radeon_format *format, const VkComponentMapping *mapping, uint8_t sel_out[4]);

/* How a fragment shader must export to a target: SPI_SHADER_COL_FORMAT. The smallest form that keeps every bit that the
 * format can hold. With blending the values must still be what the blender needs; `alpha_needed`: alpha is read though
 * the format has none (blending with source alpha, alpha to coverage, alpha to one). */
enum amd_export_format_of_shader radeon_export_format(const struct radeon_format *format, bool blend,
                                                      bool alpha_needed);
/* Integers of 8 or 10 bits, which a shader must clamp before they are exported as 16 (amd_fs_options.color_is_int8,
 * _int10). */
bool radeon_format_is_int8(const struct radeon_format *format);
bool radeon_format_is_int64(const struct radeon_format *format); /* one channel of 64 bits */
bool radeon_format_is_int10(const struct radeon_format *format);

/* The format, the channel count and the split of a vertex attribute; place, binding and divisor stay the caller's.
 * False if no attribute can have this format. */
bool radeon_vertex_format(VkFormat format, struct amd_vertex_attribute *attribute);
/* The format, loaded one channel after the other, for elements that are not aligned as a whole (typed loads need the
 * lower of four bytes and the element's size). Only `format` and `split_B` are touched. False for formats whose
 * elements are always aligned. */
bool radeon_vertex_format_by_channel(VkFormat format, struct amd_vertex_attribute *attribute);

#endif
