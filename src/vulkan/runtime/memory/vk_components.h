/* Component swizzles without VK_COMPONENT_SWIZZLE_IDENTITY: each component names its source. */
#ifndef VULKAN_RUNTIME_VK_COMPONENTS_H
#define VULKAN_RUNTIME_VK_COMPONENTS_H

#include "vulkan/runtime/object/vk_api.h"

static inline VkComponentSwizzle vk_component_resolve(VkComponentSwizzle swizzle, VkComponentSwizzle self)
{
    return swizzle == VK_COMPONENT_SWIZZLE_IDENTITY ? self : swizzle;
}

static inline VkComponentMapping vk_components_resolve(VkComponentMapping mapping)
{
    return (VkComponentMapping){
        vk_component_resolve(mapping.r, VK_COMPONENT_SWIZZLE_R),
        vk_component_resolve(mapping.g, VK_COMPONENT_SWIZZLE_G),
        vk_component_resolve(mapping.b, VK_COMPONENT_SWIZZLE_B),
        vk_component_resolve(mapping.a, VK_COMPONENT_SWIZZLE_A),
    };
}

#endif
