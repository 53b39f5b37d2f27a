/* The formats of formats.table as formats of util/format: for whoever reads or writes texels. */
#ifndef ADRENO_HW_TEXEL_H
#define ADRENO_HW_TEXEL_H

#include "adreno/hw/enums.h"
#include "adreno/hw/table.h"
#include "util/format/format.h"

/* A swap turns the order in which components lie in memory, and their widths go with them. Channels are counted from
 * the lowest bit up: each is a component of the hardware's (X, Y, Z and W are 0 to 3) and one of the format's. */
struct adreno_texel {
    const struct adreno_format *row;
    enum format format;
    const struct format_info *info;
    uint8_t channels; /* 0 in compressed and video formats, whose components are the format's */
    uint8_t names[4];
    uint8_t components[4];
    bool has_curve; /* sRGB */
};

/* False: no such format, or not with that swap. A curve that was asked for and that the format cannot have is left
 * out. */
bool adreno_texel_init(struct adreno_texel *out, unsigned number, enum adreno_COLOR_SWAP swap, bool is_srgb);

#endif
