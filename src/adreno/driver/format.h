/* A VkFormat in the hardware's terms: textures, colour and depth targets, vertices, the 2D engine. Everything
 * follows from the format's parts (util/format) and from the hardware's own table (adreno/hw/formats.table); the
 * choice of those that are advertised is format_properties.c's. */
#ifndef ADRENO_DRIVER_FORMAT_H
#define ADRENO_DRIVER_FORMAT_H

#include "adreno/hw/chip.h"
#include "adreno/hw/enums.h"
#include "adreno/hw/table.h"
#include "util/format/format.h"
#include "vulkan/runtime/object/vk_api.h"

/* Numbers of formats.table that code must name. */
enum adreno_format_number {
    ADRENO_FORMAT_NONE = 0,
    ADRENO_FORMAT_8_UNORM = 3,
    ADRENO_FORMAT_8_UINT = 5,
    ADRENO_FORMAT_5_5_5_1_UNORM = 10,
    ADRENO_FORMAT_1_5_5_5_UNORM = 12,
    ADRENO_FORMAT_16_UNORM = 21,
    ADRENO_FORMAT_16_UINT = 24,
    ADRENO_FORMAT_8_8_8_8_UNORM = 48,
    ADRENO_FORMAT_8_8_8_8_UINT = 51,
    ADRENO_FORMAT_10_10_10_2_UNORM = 54,
    ADRENO_FORMAT_10_10_10_2_UNORM_DEST = 55,
    ADRENO_FORMAT_32_FLOAT = 74,
    ADRENO_FORMAT_32_UINT = 75,
    ADRENO_FORMAT_32_32_UINT = 104,
    ADRENO_FORMAT_32_32_32_32_UINT = 131,
    ADRENO_FORMAT_Z24S8_AS_RGBA8 = 145,
    ADRENO_FORMAT_ETC1 = 175,
    ADRENO_FORMAT_Z24_UNORM_S8_UINT = 160,
    ADRENO_FORMAT_Z24_UINT_S8_UINT = 234,
};

/* A row for each VkFormat. Of depth and stencil the texture is the depth's; the stencil aspect has another
 * (adreno_texture_format). */
struct adreno_vkformat {
    const struct format_info *info;
    uint8_t texture; /* FMT of descriptors; ADRENO_FORMAT_NONE: the texture units do not know it */
    uint8_t color;   /* of colour targets and of the 2D engine's destination */
    uint8_t vertex;  /* of VFD_FETCH_INSTR */
    uint8_t swap;    /* ADRENO_COLOR_SWAP_*: the order of components in linear memory; tiled memory has WZYX */
    uint8_t depth;   /* ADRENO_DEPTH_FORMAT_*; NONE for a stencil alone and for colours */
    bool is_srgb;    /* with the curve */
    bool is_opaque;  /* a texture whose alpha is one whatever it holds (BC1 without alpha) */
    bool has_stencil;
    uint8_t element_B; /* of a plane of the surface, of depth where there are two; 0: several planes */
};

/* Never NULL: a number that is no format has a row of zeros (`info` NULL). Constant time. */
const struct adreno_vkformat *adreno_vkformat(VkFormat format);

extern const struct vk_format_ops adreno_format_ops;

/* Rows of two bytes and two channels are laid out in blocks of their own. */
bool adreno_format_is_two_bytes(const struct format_info *info);

/* The format and swap with which one aspect of an image is sampled or loaded. A view of the stencil of a packed format
 * finds it in the first component. */
struct adreno_texture_format {
    uint8_t number; /* ADRENO_FORMAT_NONE: it cannot be */
    uint8_t swap;
    bool is_srgb;
    /* Where the components that a shader asks for are; ADRENO_TEX_SWIZ_*. */
    uint8_t swizzle[4];
};
struct adreno_texture_format adreno_texture_format(const struct adreno_chip *chip, VkFormat format,
                                                   VkImageAspectFlags aspect, bool is_tiled);

/* The intermediate format of the 2D engine for a format's numbers: the narrowest that loses nothing. */
enum adreno_IFMT_2D adreno_ifmt(const struct adreno_format *hw, bool is_srgb);

#endif
