/* Which drivers there are: the only file that knows all of them. */
#include "icd/drivers.h"

#include <stddef.h>

const struct vk_driver *const vk_drivers[] = {
    NULL,
};
