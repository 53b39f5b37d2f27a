/* Layers inside the driver: a table of functions in front of a device's own. Each layer sees, through vk_device_next,
 * the table of what stands behind it. Not Vulkan layers: the loader does not know them. */
#ifndef VULKAN_RUNTIME_VK_LAYER_H
#define VULKAN_RUNTIME_VK_LAYER_H

#include "vulkan/runtime/gen/vk_dispatch.h"

struct vk_device;

struct vk_layer {
    const char *name;
    /* Empty slots are passed by. A command that nothing behind the layer implements stays absent: layers add none. */
    const struct vk_device_dispatch *entrypoints;
};

/* Prints every device-level call; TUFF_DEBUG=entrypoints puts it in front of all others. */
extern const struct vk_layer vk_trace_layer;

/* For the trace: the elements of an array of handles, as far as they fit on a line. `handles` may be NULL. */
void vk_trace_handles(const char *name, const void *handles, uint32_t count);

/* The next table after a layer of this device; the device itself where it has no such layer. */
const struct vk_device_dispatch *vk_device_next(const struct vk_device *device, const struct vk_layer *layer);

#endif
