/* Arrays that live as long as one command: on the caller's stack while they are short, and with the application's
 * allocation callbacks when they are long. */
#ifndef VULKAN_RUNTIME_VK_TEMPORARY_H
#define VULKAN_RUNTIME_VK_TEMPORARY_H

#include "util/bits.h"
#include "vulkan/runtime/object/vk_alloc.h"

/* `VkBufferCopy2 stack[16], *regions = vk_temporary_array(alloc, stack, count);` is the stack's array or, where `count`
 * elements do not fit into it, memory; NULL when there is none. Nothing is cleared. */
#define vk_temporary_array(alloc, stack, count)                                                                        \
    ((__typeof__(&(stack)[0]))vk_temporary_get((alloc), (stack), ARRAY_SIZE(stack), (count), sizeof((stack)[0])))

static inline void *vk_temporary_get(const VkAllocationCallbacks *alloc, void *stack, size_t stack_count, size_t count,
                                     size_t element_B)
{
    size_t size_B;
    if (count <= stack_count)
        return stack;
    if (__builtin_mul_overflow(count, element_B, &size_B))
        return NULL;
    return vk_alloc(alloc, NULL, size_B, VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
}

/* With the same stack; `array` may be NULL. */
static inline void vk_temporary_free(const VkAllocationCallbacks *alloc, const void *stack, void *array)
{
    if (array != stack)
        vk_free(alloc, NULL, array);
}

#endif
