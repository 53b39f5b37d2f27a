/* Between test_vk_cmd_queue.c and its generated half (gen_cmd_queue_cases.py): every command with arguments that a seed
 * stands for. */
#ifndef VULKAN_RUNTIME_TESTS_CMD_QUEUE_CASES_H
#define VULKAN_RUNTIME_TESTS_CMD_QUEUE_CASES_H

#include "vulkan/runtime/gen/vk_dispatch.h"

struct cmd_queue_case {
    const char *name;
    /* Call the command in `table` with the arguments of the current seed. */
    void (*call)(const struct vk_device_dispatch *table, VkCommandBuffer command_buffer);
};

extern const struct cmd_queue_case cmd_queue_cases[];
extern const uint32_t cmd_queue_case_count;

/* Functions that compare what arrives with the arguments of the current seed, and count it. */
extern const struct vk_device_dispatch cmd_queue_checks;

/* Of the test: the same numbers for the same seed, memory that is wiped and freed by the test, a real layout. */
uint64_t cmd_random(void);
void cmd_restart(void);
void *cmd_memory(size_t size_B);
VkPipelineLayout cmd_layout(void);
void cmd_arrived(VkCommandBuffer command_buffer, const char *command);
void cmd_differs(const char *command, const char *what);

#endif
