/* Allocation callbacks, and the ones used where the application gave none. */
#include "vulkan/runtime/object/vk_alloc.h"

#include <stdlib.h>
#include <string.h>

#include "util/slab.h"

static VKAPI_ATTR void *VKAPI_CALL default_allocate(void *user, size_t size_B, size_t alignment_B,
                                                    VkSystemAllocationScope scope)
{
    void *memory = NULL;
    if (alignment_B < sizeof(void *))
        alignment_B = sizeof(void *);
    if (alignment_B <= _Alignof(max_align_t))
        return slab_alloc(size_B);
    return posix_memalign(&memory, alignment_B, size_B) == 0 ? memory : NULL;
}

/* malloc's alignment is what realloc keeps, and all that this project ever reallocates with. */
static VKAPI_ATTR void *VKAPI_CALL default_reallocate(void *user, void *original, size_t size_B, size_t alignment_B,
                                                      VkSystemAllocationScope scope)
{
    return alignment_B <= _Alignof(max_align_t) ? slab_realloc(original, size_B) : NULL;
}

static VKAPI_ATTR void VKAPI_CALL default_free(void *user, void *memory)
{
    slab_free(memory);
}

const VkAllocationCallbacks vk_default_allocator = {
    .pfnAllocation = default_allocate,
    .pfnReallocation = default_reallocate,
    .pfnFree = default_free,
};

void *vk_alloc(const VkAllocationCallbacks *parent, const VkAllocationCallbacks *own, size_t size_B,
               VkSystemAllocationScope scope)
{
    const VkAllocationCallbacks *used = own ? own : parent;
    return used->pfnAllocation(used->pUserData, size_B, _Alignof(max_align_t), scope);
}

void *vk_zalloc(const VkAllocationCallbacks *parent, const VkAllocationCallbacks *own, size_t size_B,
                VkSystemAllocationScope scope)
{
    void *memory = vk_alloc(parent, own, size_B, scope);
    return memory ? memset(memory, 0, size_B) : NULL;
}

void vk_free(const VkAllocationCallbacks *parent, const VkAllocationCallbacks *own, void *memory)
{
    const VkAllocationCallbacks *used = own ? own : parent;
    if (memory)
        used->pfnFree(used->pUserData, memory);
}

char *vk_strdup(const VkAllocationCallbacks *parent, const char *text, VkSystemAllocationScope scope)
{
    if (!text)
        return NULL;
    size_t size_B = strlen(text) + 1;
    char *copy = vk_alloc(parent, NULL, size_B, scope);
    return copy ? memcpy(copy, text, size_B) : NULL;
}
