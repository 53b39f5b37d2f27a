/* Binary search in the generated table of structures. */
#include "vulkan/runtime/object/vk_struct.h"

/* NULL for a type that vk.xml does not know. */
static const struct vk_struct_info *vk_struct_info_find(VkStructureType type)
{
    uint32_t low = 0, high = vk_struct_info_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (vk_struct_infos[middle].type == (int32_t)type)
            return &vk_struct_infos[middle];
        if (vk_struct_infos[middle].type < (int32_t)type)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const char *vk_struct_name(VkStructureType type)
{
    const struct vk_struct_info *info = vk_struct_info_find(type);
    return info ? vk_struct_names + info->name : NULL;
}

size_t vk_struct_size(VkStructureType type)
{
    const struct vk_struct_info *info = vk_struct_info_find(type);
    return info ? info->size_B : 0;
}
