/* Moves features between struct vk_features and the API's structures. */
#include "vulkan/runtime/device/vk_feature.h"

#include <stddef.h>
#include <string.h>

#include "util/log.h"
#include "vulkan/runtime/object/vk_struct.h"

/* NULL for a type that holds no features. */
static const struct vk_feature_struct *vk_feature_struct_find(VkStructureType type)
{
    uint32_t low = 0, high = vk_feature_struct_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (vk_feature_structs[middle].type == (int32_t)type)
            return &vk_feature_structs[middle];
        if (vk_feature_structs[middle].type < (int32_t)type)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

void vk_features_write(const struct vk_features *features, VkPhysicalDeviceFeatures2 *chain)
{
    vk_foreach_struct(element, chain)
    {
        const struct vk_feature_struct *info = vk_feature_struct_find(element->sType);
        for (uint32_t i = 0; info && i < info->member_count; i++) {
            VkBool32 *value = (VkBool32 *)((char *)element + info->members[i].offset_B);
            *value = features->enabled[info->members[i].feature];
        }
    }
}

/* `base` is what the members' offsets count from. */
static VkResult collect_features(const struct vk_feature_struct *info, const char *base,
                                 const struct vk_features *supported, struct vk_features *enabled)
{
    for (uint32_t i = 0; i < info->member_count; i++) {
        unsigned feature = info->members[i].feature;
        VkBool32 asked;
        memcpy(&asked, base + info->members[i].offset_B, sizeof(asked));
        if (!asked)
            continue;
        if (!supported->enabled[feature]) {
            LOG_INFO("vulkan", "feature %s of %s is not supported", vk_feature_name(feature),
                     vk_struct_name((VkStructureType)info->type));
            return VK_ERROR_FEATURE_NOT_PRESENT;
        }
        enabled->enabled[feature] = true;
    }
    return VK_SUCCESS;
}

VkResult vk_features_from_create_info(const VkDeviceCreateInfo *info, const struct vk_features *supported,
                                      struct vk_features *enabled_out)
{
    memset(enabled_out, 0, sizeof(*enabled_out));
    VkResult result = VK_SUCCESS;
    if (info->pEnabledFeatures) {
        VkPhysicalDeviceFeatures2 core = vk_struct_init(VkPhysicalDeviceFeatures2);
        core.features = *info->pEnabledFeatures;
        result = collect_features(vk_feature_struct_find(core.sType), (const char *)&core, supported, enabled_out);
    }
    vk_foreach_struct_const(element, info->pNext)
    {
        const struct vk_feature_struct *known = vk_feature_struct_find(element->sType);
        if (known && result == VK_SUCCESS)
            result = collect_features(known, (const char *)element, supported, enabled_out);
    }
    return result;
}
