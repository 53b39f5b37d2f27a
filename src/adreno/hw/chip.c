/* Finding a chip by name, and what its kernel lets streams touch. The rows are generated from chips.table. */
#include "adreno/hw/chip.h"

#include <string.h>

const struct adreno_chip *adreno_chip_find(const char *name)
{
    for (unsigned i = 0; i < adreno_chip_count; i++) {
        if (strcmp(adreno_chips[i].name, name) == 0)
            return &adreno_chips[i];
    }
    return NULL;
}

const struct adreno_chip *adreno_chip_find_id(uint64_t chip_id)
{
    for (unsigned i = 0; i < adreno_chip_count; i++) {
        if (adreno_chips[i].chip_id == (uint32_t)chip_id)
            return &adreno_chips[i];
    }
    return NULL;
}

static bool is_allowed(const struct adreno_chip *chip, uint32_t reg, bool reads)
{
    for (unsigned i = 0; i < chip->protected_count; i++) {
        const struct adreno_protected *range = &chip->protected_ranges[i];
        if (reg >= range->first && reg <= range->last && !(reads && range->is_readable))
            return false;
    }
    return true;
}

bool adreno_chip_may_write(const struct adreno_chip *chip, uint32_t reg)
{
    return is_allowed(chip, reg, false);
}

bool adreno_chip_may_read(const struct adreno_chip *chip, uint32_t reg)
{
    return is_allowed(chip, reg, true);
}
