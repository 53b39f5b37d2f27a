/* The list of drivers of the test library: the runtime's two fakes. */
#include "icd/drivers.h"
#include "vulkan/runtime/device/tests/fake_driver.h"

#include <stddef.h>

const struct vk_driver *const vk_drivers[] = {&fake_new_driver, &fake_old_driver, NULL};
