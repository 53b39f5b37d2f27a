/* The part of the command queue that its generated half needs. Private to the two. */
#ifndef VULKAN_RUNTIME_VK_CMD_QUEUE_PRIVATE_H
#define VULKAN_RUNTIME_VK_CMD_QUEUE_PRIVATE_H

#include "vulkan/runtime/command/vk_cmd_queue.h"
#include "vulkan/runtime/command/vk_command_buffer.h"
#include "vulkan/runtime/device/vk_device.h"

struct vk_cmd_queue;

typedef void (*vk_cmd_replay)(const struct vk_device_dispatch *dispatch, VkCommandBuffer command_buffer,
                              const void *args);

/* A structure that may stand in a chain; sorted by type. `keep` makes what the copy points at its own; NULL: nothing.
 */
struct vk_cmd_queue_link {
    VkStructureType type;
    size_t size_B;
    void (*keep)(struct vk_cmd_queue *queue, void *copy);
};

extern const struct vk_cmd_queue_link vk_cmd_queue_links[];
extern const size_t vk_cmd_queue_link_count;

static inline struct vk_cmd_queue *vk_cmd_queue_of(VkCommandBuffer handle)
{
    return vk_command_buffer_from_handle(handle)->queue;
}

static inline bool vk_cmd_queue_is_recording(VkCommandBuffer handle)
{
    return vk_command_buffer_from_handle(handle)->is_replayed;
}

/* The dispatch table behind the replay layer. */
const struct vk_device_dispatch *vk_replay_next(VkCommandBuffer handle);

/* All return NULL where there is nothing to copy and where there is no memory; the latter is remembered. */
void *vk_cmd_queue_add(struct vk_cmd_queue *queue, vk_cmd_replay replay, size_t args_B);
void *vk_cmd_queue_copy(struct vk_cmd_queue *queue, const void *data, size_t count, size_t element_B);
char *vk_cmd_queue_copy_text(struct vk_cmd_queue *queue, const char *text);
void *vk_cmd_queue_copy_chain(struct vk_cmd_queue *queue, const void *chain);

/* Holds a reference until the queue is reset. */
void vk_cmd_queue_keep_layout(struct vk_cmd_queue *queue, VkPipelineLayout layout);

/* The arrays of a shallow copy. */
void vk_cmd_queue_keep_write(struct vk_cmd_queue *queue, VkWriteDescriptorSet *write);

void vk_cmd_queue_push_template(VkCommandBuffer handle, VkDescriptorUpdateTemplate template_handle,
                                VkPipelineLayout layout, uint32_t set, const void *data);
void vk_cmd_queue_push_template2(VkCommandBuffer handle, const VkPushDescriptorSetWithTemplateInfoKHR *info);

VKAPI_ATTR void VKAPI_CALL vk_replay_CmdExecuteCommands(VkCommandBuffer handle, uint32_t count,
                                                        const VkCommandBuffer *secondaries);

#endif
