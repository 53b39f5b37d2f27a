/* Payloads that come and go. */
#include "vulkan/runtime/vk_payload.h"

#include "vulkan/runtime/vk_device.h"
#include "vulkan/runtime/vk_queue.h"

void vk_payload_drop_temporary(struct vk_device *device, const struct vk_payload *payload)
{
    vk_sync_destroy(device, *payload->temporary);
    *payload->temporary = NULL;
}

VkResult vk_payload_import_fd(struct vk_device *device, const struct vk_payload *payload, bool sync_file,
                              bool temporarily, int fd)
{
    if (!sync_file && !temporarily)
        return vk_sync_import_opaque_fd(device, payload->permanent, fd);
    uint32_t flags = VK_SYNC_IS_SHAREABLE | (payload->permanent->flags & VK_SYNC_IS_TIMELINE);
    struct vk_sync *imported;
    VkResult result = vk_sync_create(device, payload->permanent->type, flags, 0, &imported);
    if (result != VK_SUCCESS)
        return result;
    result =
        sync_file ? vk_sync_import_sync_file(device, imported, fd) : vk_sync_import_opaque_fd(device, imported, fd);
    if (result != VK_SUCCESS) {
        vk_sync_destroy(device, imported);
        return result;
    }
    vk_payload_drop_temporary(device, payload);
    *payload->temporary = imported;
    return VK_SUCCESS;
}

VkResult vk_payload_export_fd(struct vk_device *device, const struct vk_payload *payload, bool sync_file, int *fd_out)
{
    struct vk_sync *sync = vk_payload_sync(payload);
    if (!sync_file)
        return vk_sync_export_opaque_fd(device, sync, fd_out);
    VkResult result = vk_queue_settle(device, sync);
    if (result == VK_SUCCESS)
        result = vk_sync_export_sync_file(device, sync, fd_out);
    if (result != VK_SUCCESS)
        return result;
    if (*payload->temporary) {
        vk_payload_drop_temporary(device, payload);
        return VK_SUCCESS;
    }
    return vk_sync_reset(device, payload->permanent);
}
