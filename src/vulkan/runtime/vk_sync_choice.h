/* TUFF_TIMELINE=none|emulated|assisted|native: a physical device's sync types as if its kernel had no timelines, none
 * of its own, timelines that need help, or timelines that need none (enum vk_timeline_mode). For tests: everything else
 * follows from the types by rule. */
#ifndef VULKAN_RUNTIME_VK_SYNC_CHOICE_H
#define VULKAN_RUNTIME_VK_SYNC_CHOICE_H

#include "vulkan/runtime/vk_queue.h"
#include "vulkan/runtime/vk_sync_timeline.h"

enum {
    VK_SYNC_CHOICE_TYPES = 8 /* that a driver may list */
};

struct vk_sync_choice {
    enum vk_timeline_mode mode;
    const struct vk_sync_type *types[VK_SYNC_CHOICE_TYPES + 2]; /* the list to use; ends with NULL */
    struct vk_sync_type weakened[VK_SYNC_CHOICE_TYPES];         /* the driver's with features taken away */
    struct vk_sync_timeline_type emulated;
};

/* *choice_out is NULL where nothing is forced, and where the driver's types cannot do what is asked for, which is said
 * in the log: abilities can be taken away, not given. To be freed with `alloc`. */
VkResult vk_sync_choice_create(const VkAllocationCallbacks *alloc, const struct vk_sync_type *const *types,
                               struct vk_sync_choice **choice_out);

/* The index of the word that an environment variable holds; `otherwise` where it is not set or holds another word. */
int vk_environment_choice(const char *variable, const char *const *words, int count, int otherwise);

#endif
