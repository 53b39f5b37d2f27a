/* YCbCr conversions. */
#include "vulkan/runtime/descriptor/vk_ycbcr_conversion.h"

#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/memory/vk_components.h"

VKAPI_ATTR VkResult VKAPI_CALL vk_common_CreateSamplerYcbcrConversion(VkDevice handle,
                                                                      const VkSamplerYcbcrConversionCreateInfo *info,
                                                                      const VkAllocationCallbacks *allocator,
                                                                      VkSamplerYcbcrConversion *conversion_out)
{
    struct vk_ycbcr_conversion *conversion = vk_object_create(
        vk_device_from_handle(handle), allocator, sizeof(*conversion), VK_OBJECT_TYPE_SAMPLER_YCBCR_CONVERSION);
    if (!conversion)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    conversion->format = info->format;
    conversion->format_info = format_info((enum format)info->format);
    conversion->model = info->ycbcrModel;
    conversion->range = info->ycbcrRange;
    conversion->components = vk_components_resolve(info->components);
    conversion->chroma_offset[0] = info->xChromaOffset;
    conversion->chroma_offset[1] = info->yChromaOffset;
    conversion->chroma_filter = info->chromaFilter;
    conversion->explicit_reconstruction = info->forceExplicitReconstruction;
    *conversion_out = vk_ycbcr_conversion_to_handle(conversion);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vk_common_DestroySamplerYcbcrConversion(VkDevice handle, VkSamplerYcbcrConversion conversion,
                                                                   const VkAllocationCallbacks *allocator)
{
    vk_object_destroy(vk_device_from_handle(handle), allocator, (struct vk_object_base *)(uintptr_t)conversion);
}
