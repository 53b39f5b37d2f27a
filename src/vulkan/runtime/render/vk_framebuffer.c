/* Framebuffers keep what they were created with; nothing is derived from it. */
#include "vulkan/runtime/render/vk_framebuffer.h"

#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"

VKAPI_ATTR VkResult VKAPI_CALL vk_common_CreateFramebuffer(VkDevice handle, const VkFramebufferCreateInfo *info,
                                                           const VkAllocationCallbacks *allocator,
                                                           VkFramebuffer *framebuffer_out)
{
    struct vk_device *device = vk_device_from_handle(handle);
    /* pAttachments of an imageless framebuffer is ignored and may be anything. */
    uint32_t count = info->flags & VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT ? 0 : info->attachmentCount;
    struct vk_framebuffer *framebuffer =
        vk_object_create(device, allocator, sizeof(*framebuffer) + count * sizeof(framebuffer->attachments[0]),
                         VK_OBJECT_TYPE_FRAMEBUFFER);
    if (!framebuffer)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    framebuffer->flags = info->flags;
    framebuffer->width = info->width;
    framebuffer->height = info->height;
    framebuffer->layers = info->layers;
    framebuffer->attachment_count = count;
    for (uint32_t i = 0; i < count; i++)
        framebuffer->attachments[i] = info->pAttachments[i];
    *framebuffer_out = vk_framebuffer_to_handle(framebuffer);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vk_common_DestroyFramebuffer(VkDevice handle, VkFramebuffer framebuffer,
                                                        const VkAllocationCallbacks *allocator)
{
    vk_object_destroy(vk_device_from_handle(handle), allocator,
                      (struct vk_object_base *)vk_framebuffer_from_handle(framebuffer));
}
