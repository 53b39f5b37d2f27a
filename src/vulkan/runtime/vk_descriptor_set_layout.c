/* Lifetime of descriptor set layouts. Their contents are the driver's. */
#include "vulkan/runtime/vk_descriptor_set_layout.h"

#include "vulkan/runtime/vk_common_entrypoints.h"
#include "vulkan/runtime/vk_device.h"

void *vk_descriptor_set_layout_create(struct vk_device *device, size_t size_B, VkDescriptorSetLayoutCreateFlags flags)
{
    struct vk_descriptor_set_layout *layout =
        vk_object_create(device, NULL, size_B, VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT);
    if (!layout)
        return NULL;
    atomic_init(&layout->refs, 1);
    layout->flags = flags;
    return layout;
}

void vk_descriptor_set_layout_unref(struct vk_descriptor_set_layout *layout)
{
    if (!layout || atomic_fetch_sub_explicit(&layout->refs, 1, memory_order_acq_rel) != 1)
        return;
    struct vk_device *device = layout->base.device;
    if (layout->release)
        layout->release(device, layout);
    vk_object_destroy(device, NULL, &layout->base);
}

VKAPI_ATTR void VKAPI_CALL vk_common_DestroyDescriptorSetLayout(VkDevice handle, VkDescriptorSetLayout layout,
                                                                const VkAllocationCallbacks *allocator)
{
    vk_descriptor_set_layout_unref(vk_descriptor_set_layout_from_handle(layout));
}
