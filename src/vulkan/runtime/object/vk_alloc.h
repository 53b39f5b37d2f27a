/* Host memory through the application's VkAllocationCallbacks. An object's own callbacks win over those of its parent;
 * where neither gave any, malloc does the work. */
#ifndef VULKAN_RUNTIME_VK_ALLOC_H
#define VULKAN_RUNTIME_VK_ALLOC_H

#include <stddef.h>

#include "vulkan/runtime/object/vk_api.h"

/* The callbacks used where none are given. */
extern const VkAllocationCallbacks vk_default_allocator;

/* Aligned for any object; NULL when there is no memory. `own` may be NULL; `parent` may not. */
void *vk_alloc(const VkAllocationCallbacks *parent, const VkAllocationCallbacks *own, size_t size_B,
               VkSystemAllocationScope scope);
void *vk_zalloc(const VkAllocationCallbacks *parent, const VkAllocationCallbacks *own, size_t size_B,
                VkSystemAllocationScope scope);
void vk_free(const VkAllocationCallbacks *parent, const VkAllocationCallbacks *own, void *memory);

/* NULL for a NULL text, and when there is no memory. */
char *vk_strdup(const VkAllocationCallbacks *parent, const char *text, VkSystemAllocationScope scope);

#endif
