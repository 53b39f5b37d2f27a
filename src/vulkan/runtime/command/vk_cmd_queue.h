/* Recorded replay: the commands of a secondary command buffer are kept with deep copies of their arguments and recorded
 * again, into the primary one, when that executes it. For what a driver cannot put into a command buffer of its own
 * because it needs to know where it will run.
 *
 * A driver that uses it puts vk_replay_layer in front of its device and, in vkBeginCommandBuffer, calls
 * vk_cmd_queue_begin for those command buffers that are to be replayed; the others go on as if the layer were not
 * there. A driver that replays all of its secondary command buffers may instead call the functions of
 * vk_cmd_enqueue_entrypoints itself and leave vkCmdExecuteCommands to vk_common.
 *
 * Replaying records inline into a rendering whose contents were announced as secondary command buffers: the driver must
 * not mind. The state that a replay leaves behind in the primary command buffer is undefined anyway. */
#ifndef VULKAN_RUNTIME_VK_CMD_QUEUE_H
#define VULKAN_RUNTIME_VK_CMD_QUEUE_H

#include "vulkan/runtime/gen/vk_dispatch.h"

struct vk_command_buffer;
struct vk_layer;

/* From here to the next reset this command buffer's commands are kept for replay. VK_ERROR_OUT_OF_HOST_MEMORY leaves it
 * as it was. */
VkResult vk_cmd_queue_begin(struct vk_command_buffer *command_buffer);

/* Record what `secondary` keeps into `primary`, through the device's table. */
void vk_cmd_queue_execute(const struct vk_command_buffer *secondary, VkCommandBuffer primary);

/* How many commands are kept. */
uint32_t vk_cmd_queue_length(const struct vk_command_buffer *command_buffer);

/* For the command buffer's reset and end of life: forget the commands; free the memory, too. */
void vk_cmd_queue_reset(struct vk_command_buffer *command_buffer);
void vk_cmd_queue_destroy(struct vk_command_buffer *command_buffer);

/* Every command that a secondary command buffer may record, as a function that keeps it. An argument that points at
 * memory is copied with all that it points at; structures in a chain whose type is unknown are left out. A failure is
 * the command buffer's error. The other slots are empty. */
extern const struct vk_device_dispatch vk_cmd_enqueue_entrypoints;

/* Keeps commands of command buffers that vk_cmd_queue_begin was called for; passes the others on. */
extern const struct vk_layer vk_replay_layer;

#endif
