/* Two drivers without a GPU, for the tests of the runtime: enough of each that the loader, vulkaninfo and the
 * validation layer accept a device of theirs. Their devices are those of kernel/tests/models.table, found and opened
 * like any other. */
#ifndef VULKAN_RUNTIME_TESTS_FAKE_DRIVER_H
#define VULKAN_RUNTIME_TESTS_FAKE_DRIVER_H

#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/device/vk_driver.h"
#include "vulkan/runtime/device/vk_physical_device.h"

/* "new" has version 1.3 and four extensions; "old" has version 1.0, none, and a vendor of its own. */
extern const struct vk_driver fake_new_driver;
extern const struct vk_driver fake_old_driver;

#define FAKE_NEW_VENDOR 0x1fffu
#define FAKE_OLD_VENDOR 0x1ffeu
#define FAKE_OLD_DRIVER_VERSION 10u /* from a query that only the old driver has */
#define FAKE_MEMORY_SIZE_B (1ull << 30)

/* State that the tests look at and change; all zero at the start. */
struct fake_state {
    VkResult old_result;                  /* what the old driver answers, when the new one's device is made already */
    bool old_unsupported;                 /* the old driver does not know the device: no error, and no device */
    bool unsound_extensions;              /* claim an extension without what it needs */
    const struct vk_layer *const *layers; /* put in front of the next device */
    uint32_t layer_count;
    uint32_t dispatches; /* vkCmdDispatch calls that arrived */
    uint32_t cull_modes; /* vkCmdSetCullMode, under whatever name */
    uint32_t alive;      /* physical devices that exist */
};
extern struct fake_state fake_state;

#endif
