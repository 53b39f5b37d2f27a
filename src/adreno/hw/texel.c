/* See texel.h. */
#include "adreno/hw/texel.h"

#include <string.h>

#include "util/bits.h"

/* From the lowest component in memory on. Formats with fewer channels leave out the components that they do not
 * have. */
static const uint8_t swaps[4][4] = {
    [ADRENO_COLOR_SWAP_WZYX] = {0, 1, 2, 3},
    [ADRENO_COLOR_SWAP_WXYZ] = {2, 1, 0, 3},
    [ADRENO_COLOR_SWAP_ZYXW] = {3, 0, 1, 2},
    [ADRENO_COLOR_SWAP_XYZW] = {3, 2, 1, 0},
};

/* The components of a format from the lowest bit up. */
static unsigned list_components(uint8_t out[4], const struct format_info *info)
{
    unsigned count = 0;
    for (unsigned i = 0; i < info->channel_count; i++) {
        const unsigned component = info->channels[i].component;
        if (component <= FORMAT_COMPONENT_A)
            out[count++] = (uint8_t)component;
        else if (component == FORMAT_COMPONENT_D)
            out[count++] = 0;
    }
    return count;
}

static void name_channels(struct adreno_texel *out, enum adreno_COLOR_SWAP swap)
{
    /* An alpha of one bit that comes first lies below the others, whatever the swap. */
    static const uint8_t alpha_first[2][4] = {{3, 0, 1, 2}, {3, 2, 1, 0}};
    const bool is_alpha_first = out->row->channels == 4 && out->row->widths[0] < out->row->widths[3];
    const uint8_t *names = is_alpha_first ? alpha_first[swap & 1] : swaps[swap];
    unsigned count = 0;
    for (unsigned i = 0; i < 4; i++) {
        if (names[i] < out->channels)
            out->names[count++] = names[i];
    }
    if (out->row->is_alpha)
        out->names[0] = 3;
}

bool adreno_texel_init(struct adreno_texel *out, unsigned number, enum adreno_COLOR_SWAP swap, bool is_srgb)
{
    const struct adreno_format *row = adreno_format_find(number);
    memset(out, 0, sizeof(*out));
    if (!row || !row->format || (unsigned)swap >= ARRAY_SIZE(swaps))
        return false;
    /* Below the others the last channel may only be where that is a format of its own, or where it is as wide as they
     * are. */
    const bool is_low = swap >= ADRENO_COLOR_SWAP_ZYXW && row->low_format;
    if (swap >= ADRENO_COLOR_SWAP_ZYXW && row->channels == 4 && row->widths[3] != row->widths[0] && !is_low)
        return false;
    out->row = row;
    out->has_curve = is_srgb && row->srgb_format;
    out->format = out->has_curve ? row->srgb_format : is_low ? row->low_format : row->format;
    out->info = format_info(out->format);
    if (format_is_compressed(out->info) || row->is_video)
        return true;
    out->channels = (uint8_t)list_components(out->components, out->info);
    name_channels(out, swap);
    return true;
}
