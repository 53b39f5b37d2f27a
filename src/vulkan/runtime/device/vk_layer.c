/* The shared part of the layers: the way to the next one, and the printing of handles. */
#include "vulkan/runtime/device/vk_layer.h"

#include <inttypes.h>
#include <string.h>

#include "util/log.h"
#include "util/strbuf.h"
#include "vulkan/runtime/device/vk_device.h"

#define HANDLES_ON_A_LINE 32

_Static_assert(sizeof(VkDevice) == 8 && sizeof(VkBuffer) == 8, "handles of both kinds are 64 bits wide");

const struct vk_device_dispatch *vk_device_next(const struct vk_device *device, const struct vk_layer *layer)
{
    for (uint32_t i = 0; i < device->layer_count; i++) {
        if (device->layers[i].layer == layer)
            return &device->layers[i].next;
    }
    /* A function that was asked for on another device, which is not valid, and what dEQP-VK does. This device's own way
     * does not lead through the layer. */
    return &device->dispatch;
}

void vk_trace_handles(const char *name, const void *handles, uint32_t count)
{
    if (!handles || count == 0)
        return;
    struct strbuf text = {0};
    for (uint32_t i = 0; i < count && i < HANDLES_ON_A_LINE; i++) {
        uint64_t handle;
        memcpy(&handle, (const char *)handles + i * sizeof(handle), sizeof(handle));
        strbuf_printf(&text, "%s0x%" PRIx64, i ? ", " : "", handle);
    }
    log_message(LOG_LEVEL_DEBUG, "vulkan", "  %s[%u]={%s%s}", name, count, text.failed ? "" : text.text,
                count > HANDLES_ON_A_LINE ? ", ..." : "");
    strbuf_finish(&text);
}
