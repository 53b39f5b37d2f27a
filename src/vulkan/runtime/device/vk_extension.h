/* Facts about extensions: names, versions, their promotion, their dependencies; and sets of them. */
#ifndef VULKAN_RUNTIME_VK_EXTENSION_H
#define VULKAN_RUNTIME_VK_EXTENSION_H

#include <stdbool.h>
#include <stdint.h>

#include "vulkan/runtime/gen/vk_extension_sets.h"
#include "vulkan/runtime/object/vk_api.h"

/* Extensions as numbers: n > 0 is device extension n - 1, n < 0 is instance extension -n - 1, 0 is none. */
struct vk_extension_info {
    uint32_t name; /* offset in vk_extension_names */
    uint32_t spec_version;
    uint32_t promoted_to_version; /* 0: to none */
    int16_t promoted_to_extension;
    uint16_t need_first; /* in vk_extension_needs */
    uint16_t need_count;
    bool platform_available; /* its types are declared on this platform */
};

/* Needs are clauses, each of which must be met by one of its items; the last item of a clause is marked. */
struct vk_extension_need {
    uint32_t version;
    int16_t extension;
    bool ends_clause;
};

extern const struct vk_extension_info vk_instance_extension_infos[VK_INSTANCE_EXTENSION_COUNT];
extern const struct vk_extension_info vk_device_extension_infos[VK_DEVICE_EXTENSION_COUNT];
extern const struct vk_extension_need vk_extension_needs[];
extern const char vk_extension_names[];

static inline const char *vk_extension_name(const struct vk_extension_info *info)
{
    return vk_extension_names + info->name;
}

/* Index in the table and in the set; -1 for a NULL or unknown name. */
int vk_instance_extension_find(const char *name);
int vk_device_extension_find(const char *name);

/* The sets that a list of names stands for: VK_ERROR_EXTENSION_NOT_PRESENT when one of them is not in `supported`. */
VkResult vk_instance_extensions_from_names(const char *const *names, uint32_t count,
                                           const struct vk_instance_extensions *supported,
                                           struct vk_instance_extensions *set_out);
VkResult vk_device_extensions_from_names(const char *const *names, uint32_t count,
                                         const struct vk_device_extensions *supported,
                                         struct vk_device_extensions *set_out);

/* The two-call enumeration of the members of a set. */
VkResult vk_instance_extensions_enumerate(const struct vk_instance_extensions *set, uint32_t *count,
                                          VkExtensionProperties *properties);
VkResult vk_device_extensions_enumerate(const struct vk_device_extensions *set, uint32_t *count,
                                        VkExtensionProperties *properties);

/* The first extension of the two sets whose needs the sets and the version do not meet, or that does not exist on this
 * platform; NULL when the sets are sound. An extension that became part of a version is there with that version. */
const char *vk_extensions_find_unsound(const struct vk_instance_extensions *instance,
                                       const struct vk_device_extensions *device, uint32_t api_version);

/* The end of every enumeration: how many elements to write to an array that the caller may not have given. */
static inline VkResult vk_two_call(uint32_t available, uint32_t *count, const void *array)
{
    if (!array) {
        *count = available;
        return VK_SUCCESS;
    }
    VkResult result = *count < available ? VK_INCOMPLETE : VK_SUCCESS;
    if (*count > available)
        *count = available;
    return result;
}

#endif
