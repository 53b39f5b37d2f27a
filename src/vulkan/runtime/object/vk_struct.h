/* Chains of structures (pNext): finding, walking, appending; what a structure type stands for. A structure whose type
 * is not known is passed over, as the specification asks. A chain that loops is the application's error and not
 * handled. */
#ifndef VULKAN_RUNTIME_VK_STRUCT_H
#define VULKAN_RUNTIME_VK_STRUCT_H

#include <stddef.h>
#include <stdint.h>

#include "vulkan/runtime/gen/vk_struct_types.h"

struct vk_struct_info {
    int32_t type;  /* VkStructureType */
    uint32_t name; /* offset in vk_struct_names */
    uint32_t size_B;
};

extern const struct vk_struct_info vk_struct_infos[];
extern const uint32_t vk_struct_info_count;
extern const char vk_struct_names[];

/* "VkBufferCreateInfo", or NULL. */
const char *vk_struct_name(VkStructureType type);

/* 0 for an unknown type and for one whose platform is not this one. */
size_t vk_struct_size(VkStructureType type);

/* The loop variable is a VkBaseOutStructure (VkBaseInStructure) pointer; `chain` may be NULL and may begin anywhere. */
#define vk_foreach_struct(element, chain)                                                                              \
    for (VkBaseOutStructure *element = (VkBaseOutStructure *)(chain); element; element = element->pNext)
#define vk_foreach_struct_const(element, chain)                                                                        \
    for (const VkBaseInStructure *element = (const VkBaseInStructure *)(chain); element; element = element->pNext)

static inline void *vk_find_struct_by_type(void *chain, VkStructureType type)
{
    vk_foreach_struct(element, chain)
    {
        if (element->sType == type)
            return element;
    }
    return NULL;
}

static inline const void *vk_find_struct_by_type_const(const void *chain, VkStructureType type)
{
    vk_foreach_struct_const(element, chain)
    {
        if (element->sType == type)
            return element;
    }
    return NULL;
}

/* `VkTimelineSemaphoreSubmitInfo *info = vk_find_struct(chain, VkTimelineSemaphoreSubmitInfo)`: the first of that type.
 */
#define vk_find_struct(chain, type) ((type *)vk_find_struct_by_type((chain), VK_TYPE_OF_##type))
#define vk_find_struct_const(chain, type) ((const type *)vk_find_struct_by_type_const((chain), VK_TYPE_OF_##type))

/* A structure of `type` with its sType set and everything else zero. */
#define vk_struct_init(type) ((type){.sType = VK_TYPE_OF_##type})

/* Put `element`, which must be in no chain, right after `head`. */
static inline void vk_append_struct(void *head, void *element)
{
    VkBaseOutStructure *first = head, *added = element;
    added->pNext = first->pNext;
    first->pNext = added;
}

#endif
