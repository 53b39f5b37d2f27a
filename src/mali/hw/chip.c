/* Finding a chip by name or id. The rows are generated from chips.table. */
#include "mali/hw/chip.h"

#include <string.h>

const struct mali_chip *mali_chip_find(const char *name)
{
    for (unsigned i = 0; i < mali_chip_count; i++) {
        if (strcmp(mali_chips[i].name, name) == 0)
            return &mali_chips[i];
    }
    return NULL;
}

/* 31:16 architecture and product; below are revisions. */
const struct mali_chip *mali_chip_find_id(uint32_t gpu_id)
{
    for (unsigned i = 0; i < mali_chip_count; i++) {
        if (mali_chips[i].gpu_id >> 16 == gpu_id >> 16)
            return &mali_chips[i];
    }
    return NULL;
}
