/* Binding memory and asking for its requirements, the older forms as the newer ones. A driver writes
 *
 *   vkBindBufferMemory2, vkBindImageMemory2
 *   vkGetDeviceBufferMemoryRequirements, from which the two forms that take a buffer follow
 *   vkGetImageMemoryRequirements2, from which the older form and the one without an image follow
 *   vkGetImageSubresourceLayout2EXT
 */
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/memory/vk_buffer.h"
#include "vulkan/runtime/memory/vk_device_memory.h"
#include "vulkan/runtime/memory/vk_image.h"
#include "vulkan/runtime/object/vk_struct.h"

VKAPI_ATTR VkResult VKAPI_CALL vk_common_BindBufferMemory(VkDevice handle, VkBuffer buffer, VkDeviceMemory memory,
                                                          VkDeviceSize offset_B)
{
    VkBindBufferMemoryInfo info = vk_struct_init(VkBindBufferMemoryInfo);
    info.buffer = buffer;
    info.memory = memory;
    info.memoryOffset = offset_B;
    return vk_device_from_handle(handle)->dispatch.BindBufferMemory2(handle, 1, &info);
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_BindImageMemory(VkDevice handle, VkImage image, VkDeviceMemory memory,
                                                         VkDeviceSize offset_B)
{
    VkBindImageMemoryInfo info = vk_struct_init(VkBindImageMemoryInfo);
    info.image = image;
    info.memory = memory;
    info.memoryOffset = offset_B;
    return vk_device_from_handle(handle)->dispatch.BindImageMemory2(handle, 1, &info);
}

/* A buffer's requirements follow from its creation. The sharing mode is not kept: no requirement may depend on it. */
VKAPI_ATTR void VKAPI_CALL vk_common_GetBufferMemoryRequirements2(VkDevice handle,
                                                                  const VkBufferMemoryRequirementsInfo2 *info,
                                                                  VkMemoryRequirements2 *requirements)
{
    const struct vk_buffer *buffer = vk_buffer_from_handle(info->buffer);
    VkExternalMemoryBufferCreateInfo external = vk_struct_init(VkExternalMemoryBufferCreateInfo);
    external.handleTypes = buffer->external_types;
    VkBufferCreateInfo create = vk_struct_init(VkBufferCreateInfo);
    create.pNext = buffer->external_types ? &external : NULL;
    create.flags = buffer->flags;
    create.size = buffer->size_B;
    create.usage = buffer->usage;
    VkDeviceBufferMemoryRequirements question = vk_struct_init(VkDeviceBufferMemoryRequirements);
    question.pCreateInfo = &create;
    vk_device_from_handle(handle)->dispatch.GetDeviceBufferMemoryRequirements(handle, &question, requirements);
}

VKAPI_ATTR void VKAPI_CALL vk_common_GetBufferMemoryRequirements(VkDevice handle, VkBuffer buffer,
                                                                 VkMemoryRequirements *requirements)
{
    VkBufferMemoryRequirementsInfo2 info = vk_struct_init(VkBufferMemoryRequirementsInfo2);
    info.buffer = buffer;
    VkMemoryRequirements2 all = vk_struct_init(VkMemoryRequirements2);
    vk_device_from_handle(handle)->dispatch.GetBufferMemoryRequirements2(handle, &info, &all);
    *requirements = all.memoryRequirements;
}

VKAPI_ATTR void VKAPI_CALL vk_common_GetImageMemoryRequirements(VkDevice handle, VkImage image,
                                                                VkMemoryRequirements *requirements)
{
    VkImageMemoryRequirementsInfo2 info = vk_struct_init(VkImageMemoryRequirementsInfo2);
    info.image = image;
    VkMemoryRequirements2 all = vk_struct_init(VkMemoryRequirements2);
    vk_device_from_handle(handle)->dispatch.GetImageMemoryRequirements2(handle, &info, &all);
    *requirements = all.memoryRequirements;
}

/* An image's layout is the driver's, so an image is made for the question. The command cannot fail: without host memory
 * for that image the answer is that no memory type fits. */
VKAPI_ATTR void VKAPI_CALL vk_common_GetDeviceImageMemoryRequirements(VkDevice handle,
                                                                      const VkDeviceImageMemoryRequirements *question,
                                                                      VkMemoryRequirements2 *requirements)
{
    const struct vk_device_dispatch *dispatch = &vk_device_from_handle(handle)->dispatch;
    VkImagePlaneMemoryRequirementsInfo plane = vk_struct_init(VkImagePlaneMemoryRequirementsInfo);
    plane.planeAspect = question->planeAspect;
    VkImageMemoryRequirementsInfo2 info = vk_struct_init(VkImageMemoryRequirementsInfo2);
    if (question->pCreateInfo->flags & VK_IMAGE_CREATE_DISJOINT_BIT)
        info.pNext = &plane;
    if (dispatch->CreateImage(handle, question->pCreateInfo, NULL, &info.image) != VK_SUCCESS) {
        requirements->memoryRequirements = (VkMemoryRequirements){.alignment = 1};
        return;
    }
    dispatch->GetImageMemoryRequirements2(handle, &info, requirements);
    dispatch->DestroyImage(handle, info.image, NULL);
}

VKAPI_ATTR void VKAPI_CALL vk_common_GetImageSubresourceLayout(VkDevice handle, VkImage image,
                                                               const VkImageSubresource *subresource,
                                                               VkSubresourceLayout *layout)
{
    VkImageSubresource2EXT which = vk_struct_init(VkImageSubresource2EXT);
    which.imageSubresource = *subresource;
    VkSubresourceLayout2EXT all = vk_struct_init(VkSubresourceLayout2EXT);
    vk_device_from_handle(handle)->dispatch.GetImageSubresourceLayout2EXT(handle, image, &which, &all);
    *layout = all.subresourceLayout;
}

/* Only memory that is allocated lazily commits less than it was asked for; a driver with such a type implements this
 * itself. */
VKAPI_ATTR void VKAPI_CALL vk_common_GetDeviceMemoryCommitment(VkDevice handle, VkDeviceMemory memory,
                                                               VkDeviceSize *size_B_out)
{
    *size_B_out = vk_device_memory_from_handle(memory)->size_B;
}
