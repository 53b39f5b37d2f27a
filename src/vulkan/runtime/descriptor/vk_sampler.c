/* Samplers. */
#include "vulkan/runtime/descriptor/vk_sampler.h"

#include <string.h>

#include "vulkan/runtime/descriptor/vk_ycbcr_conversion.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/memory/vk_components.h"
#include "vulkan/runtime/object/vk_struct.h"

static VkClearColorValue value_of(VkBorderColor color)
{
    switch (color) {
    case VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK:
        return (VkClearColorValue){.float32 = {0, 0, 0, 1}};
    case VK_BORDER_COLOR_INT_OPAQUE_BLACK:
        return (VkClearColorValue){.uint32 = {0, 0, 0, 1}};
    case VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE:
        return (VkClearColorValue){.float32 = {1, 1, 1, 1}};
    case VK_BORDER_COLOR_INT_OPAQUE_WHITE:
        return (VkClearColorValue){.uint32 = {1, 1, 1, 1}};
    default:
        return (VkClearColorValue){.uint32 = {0, 0, 0, 0}};
    }
}

static void fill_border(struct vk_sampler *sampler, const VkSamplerCreateInfo *info)
{
    sampler->border_color = info->borderColor;
    sampler->border_value = value_of(info->borderColor);
    sampler->border_components = vk_components_resolve((VkComponentMapping){0}); /* identities */
    const VkSamplerCustomBorderColorCreateInfoEXT *custom =
        vk_find_struct_const(info->pNext, VkSamplerCustomBorderColorCreateInfoEXT);
    /* The structure counts only beside a border colour that asks for it. */
    if (custom && vk_border_color_is_custom(info->borderColor)) {
        sampler->border_value = custom->customBorderColor;
        sampler->border_format = custom->format;
    }
    const VkSamplerBorderColorComponentMappingCreateInfoEXT *mapping =
        vk_find_struct_const(info->pNext, VkSamplerBorderColorComponentMappingCreateInfoEXT);
    if (mapping) {
        sampler->border_components = vk_components_resolve(mapping->components);
        sampler->border_srgb = mapping->srgb;
    }
}

static void fill_sampler(struct vk_sampler *sampler, const VkSamplerCreateInfo *info)
{
    sampler->flags = info->flags;
    sampler->mag_filter = info->magFilter;
    sampler->min_filter = info->minFilter;
    sampler->mipmap_mode = info->mipmapMode;
    sampler->address_modes[0] = info->addressModeU;
    sampler->address_modes[1] = info->addressModeV;
    sampler->address_modes[2] = info->addressModeW;
    sampler->lod_bias = info->mipLodBias;
    sampler->min_lod = info->minLod;
    sampler->max_lod = info->maxLod;
    sampler->max_anisotropy = info->anisotropyEnable ? info->maxAnisotropy : 1.0f;
    sampler->compare_enable = info->compareEnable;
    sampler->compare_op = info->compareEnable ? info->compareOp : VK_COMPARE_OP_NEVER;
    sampler->unnormalized = info->unnormalizedCoordinates;
    const VkSamplerReductionModeCreateInfo *reduction =
        vk_find_struct_const(info->pNext, VkSamplerReductionModeCreateInfo);
    sampler->reduction_mode = reduction ? reduction->reductionMode : VK_SAMPLER_REDUCTION_MODE_WEIGHTED_AVERAGE;
    const VkSamplerYcbcrConversionInfo *ycbcr = vk_find_struct_const(info->pNext, VkSamplerYcbcrConversionInfo);
    sampler->ycbcr = ycbcr ? vk_ycbcr_conversion_from_handle(ycbcr->conversion) : NULL;
    fill_border(sampler, info);
}

void *vk_sampler_create(struct vk_device *device, const VkSamplerCreateInfo *info, const VkAllocationCallbacks *own,
                        size_t size_B)
{
    struct vk_sampler *sampler = vk_object_create(device, own, size_B, VK_OBJECT_TYPE_SAMPLER);
    if (sampler)
        fill_sampler(sampler, info);
    return sampler;
}

void vk_sampler_init(struct vk_device *device, struct vk_sampler *sampler, const VkSamplerCreateInfo *info)
{
    memset(sampler, 0, sizeof(*sampler));
    vk_object_base_init(&sampler->base, device, VK_OBJECT_TYPE_SAMPLER);
    fill_sampler(sampler, info);
}

void vk_sampler_destroy(struct vk_device *device, const VkAllocationCallbacks *own, struct vk_sampler *sampler)
{
    vk_object_destroy(device, own, sampler ? &sampler->base : NULL);
}
