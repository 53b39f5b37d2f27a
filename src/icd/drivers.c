/* Which drivers there are: the only file that knows all of them. */
#include "icd/drivers.h"

#include <stddef.h>

extern const struct vk_driver radeon_driver; /* src/amd/driver */
extern const struct vk_driver adreno_driver; /* src/adreno/driver */
extern const struct vk_driver mali_driver;   /* src/mali/driver */

const struct vk_driver *const vk_drivers[] = {
    &radeon_driver,
    &adreno_driver,
    &mali_driver,
    NULL,
};
