/* Finding a chip or a generation by name. The rows themselves are generated from chips.table. */
#include "amd/hw/chip.h"

#include <stdlib.h>
#include <string.h>

static const char *const gfx_names[AMD_GFX_COUNT] = {
    [AMD_GFX9] = "gfx9",
    [AMD_GFX10_3] = "gfx10.3",
    [AMD_GFX11] = "gfx11",
};

const struct amd_chip *amd_chip_find(const char *name)
{
    for (size_t i = 0; i < amd_chip_count; i++) {
        if (strcmp(amd_chips[i]->name, name) == 0 || strcmp(amd_chips[i]->llvm_cpu, name) == 0)
            return amd_chips[i];
    }
    return NULL;
}

const char *amd_gfx_name(enum amd_gfx gfx)
{
    return (unsigned)gfx < AMD_GFX_COUNT ? gfx_names[gfx] : "gfx?";
}

bool amd_gfx_find(const char *name, enum amd_gfx *gfx_out)
{
    /* LLVM's processors: major, minor and stepping, the last two one hexadecimal digit each. */
    static const struct {
        const char *prefix;
        enum amd_gfx gfx;
    } processors[] = {{"gfx90", AMD_GFX9}, {"gfx103", AMD_GFX10_3}, {"gfx110", AMD_GFX11}};

    for (unsigned i = 0; i < AMD_GFX_COUNT; i++) {
        if (strcmp(name, gfx_names[i]) == 0) {
            *gfx_out = (enum amd_gfx)i;
            return true;
        }
    }
    for (unsigned i = 0; i < sizeof(processors) / sizeof(processors[0]); i++) {
        size_t length = strlen(processors[i].prefix);
        if (strncmp(name, processors[i].prefix, length) == 0 && strlen(name) == length + 1 &&
            strchr("0123456789abcdef", name[length])) {
            *gfx_out = processors[i].gfx;
            return true;
        }
    }
    const struct amd_chip *chip = amd_chip_find(name);
    if (chip)
        *gfx_out = chip->gfx;
    return chip != NULL;
}
