/* The cases' knowledge of formats: where the components of a texel are and what their bits mean. Written from the
 * specification's definitions, apart from every table that a driver or the model uses. Block-compressed formats have
 * a size and no components. */
#ifndef TESTS_VULKAN_VT_FORMAT_H
#define TESTS_VULKAN_VT_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

enum vt_kind {
    VT_UNORM,
    VT_SNORM,
    VT_UINT,
    VT_SINT,
    VT_SFLOAT,
    VT_UFLOAT,
    VT_SRGB,
    VT_SHARED_EXPONENT,
    VT_BLOCK,
};

struct vt_format {
    VkFormat format;
    const char *name;
    uint8_t texel_B; /* of a texel or block */
    uint8_t block;   /* texels along the side of a block */
    enum vt_kind kind;
    struct {
        uint8_t shift, bits; /* red, green, blue, alpha; no bits: the component is missing */
    } component[4];
};

/* NULL where the table has no such format. */
const struct vt_format *vt_format(VkFormat format);

/* Integers travel as numbers, too. A missing component reads as (0, 0, 0, 1). Encoding rounds to the nearest code and
 * clamps. */
void vt_encode(const struct vt_format *format, const double color[4], void *texel_out);
void vt_decode(const struct vt_format *format, const void *texel, double color_out[4]);

/* How far apart codes are at a value of this component, times `codes`: an allowance for rounding. */
double vt_step(const struct vt_format *format, unsigned component, double value);

double vt_srgb_to_linear(double value);
double vt_half_value(uint16_t bits);
uint16_t vt_half_bits(double value); /* to nearest, even */

static inline bool vt_is_integer(const struct vt_format *format)
{
    return format->kind == VT_UINT || format->kind == VT_SINT;
}

VkImageAspectFlags vt_aspects(VkFormat format);

#endif
