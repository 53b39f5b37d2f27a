/* The drivers that the ICD library is linked from. A test links its own list. */
#ifndef ICD_DRIVERS_H
#define ICD_DRIVERS_H

#include "vulkan/runtime/device/vk_driver.h"

extern const struct vk_driver *const vk_drivers[]; /* ends with NULL */

#endif
