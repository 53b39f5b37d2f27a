/* The driver's library, asked without a loader: which GPUs it offers for a word of TUFF_GPU. */
#ifndef TOOLS_DRIVER_H
#define TOOLS_DRIVER_H

#include <stdint.h>

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include "tools/tool.h"
#include "tools/vk_newer.h"

enum {
    DRIVER_GPUS_MAX = 16
};

struct tool_driver {
    PFN_vkGetInstanceProcAddr get_proc;
    VkInstance instance;
    VkPhysicalDevice gpus[DRIVER_GPUS_MAX];
    uint32_t gpu_count;
};

#define DRIVER_GET(driver, name) ((PFN_##name)(driver)->get_proc((driver)->instance, #name))

/* Where the driver's library is, which is one of this architecture. False: an error was printed in the command's
 * name. */
bool tool_driver_find(char library[PATH_MAX], const struct tool_command *command);

/* False: an error was printed. */
bool tool_driver_load(struct tool_driver *driver, const struct tool_command *command);

/* An instance and its GPUs. `gpu` is a word of TUFF_GPU: a model's name, or "real" for the machine's own. */
bool tool_driver_open(struct tool_driver *driver, const char *gpu);
void tool_driver_close(struct tool_driver *driver);

#endif
