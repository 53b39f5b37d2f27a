/* Hardware formats and swaps as formats of util/format and an order of components. */
#include <string.h>

#include "adreno/hw/texel.h"
#include "adreno/model/rb/surface.h"

#define Z24S8 160
#define Z24S8_AS_RGBA8 145

static void order_channels(struct adreno_rb_format *out, const struct adreno_texel *texel)
{
    for (unsigned k = 0; k < 4; k++)
        out->from[k] = (uint8_t)k;
    for (unsigned i = 0; i < texel->channels; i++) {
        out->from[texel->components[i]] = texel->names[i];
        out->present |= (uint8_t)(1u << texel->names[i]);
    }
    if (texel->row->is_alpha)
        out->from[3] = 0; /* each component of the colour has one place */
    if (!texel->channels)
        out->present = 15; /* compressed: what the 2D engine reads */
}

bool adreno_rb_format_init(struct adreno_rb_format *out, unsigned number, enum adreno_COLOR_SWAP swap, bool is_srgb)
{
    struct adreno_texel texel;
    memset(out, 0, sizeof(*out));
    /* The BLIT event moves depth and stencil as four bytes. Video images and integers of depth are for textures. */
    if (!adreno_texel_init(&texel, number == Z24S8 ? Z24S8_AS_RGBA8 : number, swap, is_srgb) || texel.row->is_video ||
        texel.row->is_x || (texel.row->is_depth && texel.row->numeric == ADRENO_NUMERIC_UINT))
        return false;
    out->format = texel.format;
    out->info = texel.info;
    out->codec = format_codec(out->format);
    out->numeric = out->info->numeric == FORMAT_NUMERIC_UINT   ? ADRENO_RB_UINT
                   : out->info->numeric == FORMAT_NUMERIC_SINT ? ADRENO_RB_SINT
                                                               : ADRENO_RB_FLOAT;
    out->sample_B = out->info->block_size_B;
    order_channels(out, &texel);
    return true;
}
