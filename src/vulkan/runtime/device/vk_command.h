/* Every Vulkan command by name: which table and slot it has and what must be enabled for it to exist. */
#ifndef VULKAN_RUNTIME_VK_COMMAND_H
#define VULKAN_RUNTIME_VK_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "vulkan/runtime/gen/vk_dispatch.h"
#include "vulkan/runtime/gen/vk_extension_sets.h"

/* Which of the three tables a command stands in: what its first parameter is. Queues and command buffers belong to the
 * device; the commands that need no handle belong to the instance. */
enum vk_command_kind {
    VK_COMMAND_INSTANCE,
    VK_COMMAND_PHYSICAL_DEVICE,
    VK_COMMAND_DEVICE,
};

struct vk_command {
    uint32_t name; /* offset in vk_command_names */
    uint16_t slot;
    uint16_t need_first; /* in vk_command_needs; any one of the alternatives provides the command */
    uint8_t need_count;
    uint8_t kind;
    bool global; /* callable without an instance */
    uint8_t name_length;
};

/* One alternative: all that is named is needed. */
struct vk_command_need {
    uint32_t version;      /* core version, or 0 */
    int16_t extensions[3]; /* n > 0: device extension n - 1; n < 0: instance extension -n - 1; 0: none */
};

extern const struct vk_command vk_commands[];
extern const uint32_t vk_command_count;
extern const struct vk_command_need vk_command_needs[];
extern const char vk_command_names[];

static inline const char *vk_command_name(const struct vk_command *command)
{
    return vk_command_names + command->name;
}

/* NULL for a NULL or unknown name. */
const struct vk_command *vk_command_find(const char *name);

/* Whether the version and the enabled extensions provide this name. NULL for a set stands for the empty one. */
bool vk_command_is_provided(const struct vk_command *command, uint32_t api_version,
                            const struct vk_instance_extensions *instance, const struct vk_device_extensions *device);

/* The first command of `kind` after `after` (NULL: from the start) that is provided but has an empty slot: what an
 * implementation promised and does not have. NULL at the end. */
const struct vk_command *vk_command_next_missing(const struct vk_command *after, enum vk_command_kind kind,
                                                 const PFN_vkVoidFunction *slots, uint32_t api_version,
                                                 const struct vk_instance_extensions *instance,
                                                 const struct vk_device_extensions *device);

#endif
