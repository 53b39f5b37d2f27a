/* The host's copies of pushed descriptor sets. */
#include "vulkan/runtime/descriptor/vk_push_set.h"

#include <string.h>

#include "vulkan/runtime/command/vk_command_buffer.h"
#include "vulkan/runtime/descriptor/vk_descriptor_update.h"
#include "vulkan/runtime/descriptor/vk_pipeline_layout.h"

void vk_push_set_reset(struct vk_push_set *push)
{
    if (!push)
        return;
    vk_descriptor_set_layout_unref(push->set.layout);
    push->set.layout = NULL;
}

void vk_push_set_destroy(const VkAllocationCallbacks *alloc, struct vk_push_set *push)
{
    vk_push_set_reset(push);
    vk_free(alloc, NULL, push);
}

static bool has_same_layout(const struct vk_push_set *push, const struct vk_descriptor_set_layout *layout)
{
    return push->set.layout &&
           (push->set.layout == layout || !memcmp(push->set.layout->hash, layout->hash, VK_HASH_SIZE_B));
}

/* The copy with room for so much; NULL, with the error remembered, when there is no memory. */
static struct vk_push_set *with_capacity(struct vk_command_buffer *cmd, struct vk_push_set **push, uint32_t size_B)
{
    if (*push && (*push)->capacity_B >= size_B)
        return *push;
    struct vk_push_set *larger =
        vk_zalloc(&cmd->pool->alloc, NULL, sizeof(*larger) + size_B, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!larger) {
        vk_command_buffer_set_error(cmd, VK_ERROR_OUT_OF_HOST_MEMORY);
        return NULL;
    }
    vk_push_set_destroy(&cmd->pool->alloc, *push);
    larger->capacity_B = size_B;
    larger->set.map = (uint32_t *)(larger + 1);
    return *push = larger;
}

static struct vk_descriptor_set *begin_push_set(struct vk_command_buffer *cmd, struct vk_push_set **place,
                                                VkPipelineLayout pipeline_layout, uint32_t number)
{
    struct vk_descriptor_set_layout *layout = vk_pipeline_layout_from_handle(pipeline_layout)->set_layouts[number];
    if (*place && (*place)->number == number && has_same_layout(*place, layout))
        return &(*place)->set;
    uint32_t size_B = vk_descriptor_set_layout_size_B(layout, 0);
    struct vk_push_set *push = with_capacity(cmd, place, size_B);
    if (!push)
        return NULL;
    vk_push_set_reset(push);
    push->set.layout = vk_descriptor_set_layout_ref(layout);
    push->set.size_B = size_B;
    push->number = number;
    memset(push->set.map, 0, size_B);
    vk_descriptor_set_begin(&push->set);
    return &push->set;
}

bool vk_push_set_write(struct vk_command_buffer *cmd, struct vk_push_set **push, VkPipelineLayout layout,
                       uint32_t number, uint32_t count, const VkWriteDescriptorSet *writes)
{
    struct vk_descriptor_set *set = begin_push_set(cmd, push, layout, number);
    for (uint32_t i = 0; set && i < count; i++)
        vk_descriptor_set_write(set, &writes[i]);
    return set != NULL;
}

bool vk_push_set_write_template(struct vk_command_buffer *cmd, struct vk_push_set **push, VkPipelineLayout layout,
                                uint32_t number, const struct vk_descriptor_update_template *template, const void *data)
{
    struct vk_descriptor_set *set = begin_push_set(cmd, push, layout, number);
    if (set)
        vk_descriptor_set_write_template(set, template, data);
    return set != NULL;
}
