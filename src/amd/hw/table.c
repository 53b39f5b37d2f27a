/* Where Radeon's spaces of registers begin, and finding image formats. */
#include "amd/hw/table.h"

#include <string.h>

uint32_t amd_space_base_B(enum amd_space space)
{
    static const uint32_t bases_B[AMD_SPACE_COUNT] = {
        [AMD_SPACE_CONFIG] = 0x8000,
        [AMD_SPACE_SH] = 0xb000,
        [AMD_SPACE_CONTEXT] = 0x28000,
        [AMD_SPACE_UCONFIG] = 0x30000,
    };
    return (unsigned)space < AMD_SPACE_COUNT ? bases_B[space] : 0;
}

const struct amd_image_format *amd_image_format_find(enum amd_gfx gfx, unsigned number)
{
    if ((unsigned)gfx >= AMD_GFX_COUNT || number >= AMD_IMAGE_FORMAT_LIMIT || !amd_image_format_index[gfx][number])
        return NULL;
    return &amd_image_formats[amd_image_format_index[gfx][number] - 1];
}

const struct amd_image_format *amd_image_format_find_name(const char *name)
{
    for (unsigned i = 0; i < amd_image_format_count; i++) {
        if (strcmp(amd_image_formats[i].name, name) == 0)
            return &amd_image_formats[i];
    }
    return NULL;
}

const char *amd_format_name(unsigned gfx, unsigned number)
{
    const struct amd_image_format *format = amd_image_format_find((enum amd_gfx)gfx, number);
    return format ? format->name : NULL;
}
