/* VkBufferView: a descriptor of texels in memory, ready to be copied into a set. */
#include "adreno/driver/buffer_view.h"

#include "adreno/driver/entrypoints.h"
#include "vulkan/runtime/device/vk_device.h"

VKAPI_ATTR VkResult VKAPI_CALL adreno_CreateBufferView(VkDevice handle, const VkBufferViewCreateInfo *info,
                                                       const VkAllocationCallbacks *allocator, VkBufferView *view_out)
{
    struct vk_device *device = vk_device_from_handle(handle);
    struct adreno_buffer_view *view = vk_buffer_view_create(device, info, allocator, sizeof(*view));
    if (!view)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    const uint32_t element_B = adreno_vkformat(info->format)->info->block_size_B;
    adreno_texel_buffer_words(info->format, view->vk.buffer->va + info->offset, (uint64_t)view->vk.elements * element_B,
                              view->descriptor);
    *view_out = adreno_buffer_view_to_handle(view);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL adreno_DestroyBufferView(VkDevice handle, VkBufferView view,
                                                    const VkAllocationCallbacks *allocator)
{
    vk_buffer_view_destroy(vk_device_from_handle(handle), allocator, vk_buffer_view_from_handle(view));
}
