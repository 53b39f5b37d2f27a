/* Features without a list of structures in every driver: a driver fills one struct vk_features; queries and requests in
 * any of the API's structures are answered from it by a generated table. */
#ifndef VULKAN_RUNTIME_VK_FEATURE_H
#define VULKAN_RUNTIME_VK_FEATURE_H

#include <stdint.h>

#include "vulkan/runtime/gen/vk_features.h"
#include "vulkan/runtime/object/vk_api.h"

struct vk_feature_member {
    uint16_t offset_B; /* of a VkBool32 in the API's structure */
    uint16_t feature;  /* index in struct vk_features */
};

struct vk_feature_struct {
    int32_t type; /* VkStructureType */
    uint32_t member_count;
    const struct vk_feature_member *members;
};

extern const struct vk_feature_struct vk_feature_structs[]; /* sorted by type */
extern const uint32_t vk_feature_struct_count;
extern const char vk_feature_strings[];
extern const uint32_t vk_feature_name_offsets[VK_FEATURE_COUNT];

static inline const char *vk_feature_name(unsigned feature)
{
    return vk_feature_strings + vk_feature_name_offsets[feature];
}

/* Answer vkGetPhysicalDeviceFeatures2: every feature structure of the chain, and nothing else in it. */
void vk_features_write(const struct vk_features *features, VkPhysicalDeviceFeatures2 *chain);

/* Features that vkCreateDevice asks for, in pEnabledFeatures and in the chain. VK_ERROR_FEATURE_NOT_PRESENT when
 * something is asked for that is not in `supported`; its name goes to the log. */
VkResult vk_features_from_create_info(const VkDeviceCreateInfo *info, const struct vk_features *supported,
                                      struct vk_features *enabled_out);

#endif
