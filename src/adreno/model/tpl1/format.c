/* See format.h. */
#include "adreno/model/tpl1/format.h"

#include <string.h>

#include "adreno/hw/texel.h"
#include "util/bits.h"

enum {
    YUV_2PLANE = 142,
    YUV_3PLANE = 144,
    Z24S8_UINT = 234,
};

static void set_order(struct tpl1_format *f, const uint8_t names[4], const uint8_t components[4], unsigned channels,
                      unsigned codec_channels)
{
    static const uint8_t absent[4] = {TPL1_ORDER_ZERO, TPL1_ORDER_ZERO, TPL1_ORDER_ZERO, TPL1_ORDER_ONE};
    memcpy(f->order, absent, sizeof(f->order));
    for (unsigned i = 0; i < channels; i++) {
        f->order[names[i]] = components[i];
        f->present |= (uint8_t)(1u << names[i]);
    }
    /* A codec fills in what its format lacks with the same constants. */
    f->in_order = true;
    for (unsigned i = 0; i < 4; i++)
        f->in_order &= f->order[i] == i || (f->order[i] >= TPL1_ORDER_ZERO && i >= codec_channels);
}

static void set_video(struct tpl1_format *f, unsigned number)
{
    static const uint8_t as_is[4] = {0, 1, 2, TPL1_ORDER_ONE};
    f->is_video = true;
    f->planes = number == YUV_2PLANE ? 2 : number == YUV_3PLANE ? 3 : 1;
    memcpy(f->order, as_is, sizeof(f->order));
    f->present = 7;
    f->in_order = true;
}

/* Formats whose texels are not plain channels have their components in order. */
static void set_components(struct tpl1_format *f, const struct adreno_texel *texel)
{
    static const uint8_t as_is[4] = {0, 1, 2, 3};
    const unsigned count = f->is_z24s8_uint ? 2 : f->is_compressed ? texel->info->component_count : texel->channels;
    const bool is_plain = !f->is_z24s8_uint && !f->is_compressed;
    set_order(f, is_plain ? texel->names : as_is, is_plain ? texel->components : as_is, texel->row->is_x ? 3 : count,
              count);
}

/* Which orders textures have. */
static bool has_swap(const struct adreno_texel *texel, enum adreno_COLOR_SWAP swap)
{
    return swap == ADRENO_COLOR_SWAP_WZYX || texel->channels == 4 ||
           (texel->channels == 3 && swap == ADRENO_COLOR_SWAP_WXYZ);
}

bool adreno_tpl1_format_init(struct tpl1_format *out, unsigned number, enum adreno_COLOR_SWAP swap, bool is_srgb)
{
    struct adreno_texel texel;
    if (!adreno_texel_init(&texel, number, swap, is_srgb) || texel.has_curve != is_srgb || !has_swap(&texel, swap))
        return false;
    const struct format_info *info = texel.info;
    *out = (struct tpl1_format){
        .format = texel.format,
        .codec = format_codec(texel.format),
        .kind = info->numeric == FORMAT_NUMERIC_UINT   ? TPL1_KIND_UINT
                : info->numeric == FORMAT_NUMERIC_SINT ? TPL1_KIND_SINT
                                                       : TPL1_KIND_FLOAT,
        .numeric = info->numeric,
        .element_B = info->block_size_B,
        .block_w = info->block_width,
        .block_h = info->block_height,
        .is_compressed = format_is_compressed(info),
        .is_two_bytes = texel.row->channels == 2 && texel.row->widths[0] == 8,
        .is_z24s8_uint = number == Z24S8_UINT,
        .planes = 1,
    };
    if (texel.row->is_video)
        set_video(out, number);
    else
        set_components(out, &texel);
    return true;
}
