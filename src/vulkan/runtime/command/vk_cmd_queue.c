/* The part of recorded replay that does not depend on the command: memory, chains, descriptors, executing. */
#include <string.h>

#include "util/bits.h"
#include "util/log.h"
#include "vulkan/runtime/command/vk_cmd_queue_private.h"
#include "vulkan/runtime/descriptor/vk_descriptor_update_template.h"
#include "vulkan/runtime/descriptor/vk_pipeline_layout.h"
#include "vulkan/runtime/device/vk_layer.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/object/vk_struct.h"

#define ALIGNMENT_B _Alignof(max_align_t)
#define CHUNK_SIZE_B 16384u

struct chunk {
    struct chunk *next;
    size_t size_B; /* of the memory after the header */
    char memory[] __attribute__((aligned(16)));
};

struct entry {
    struct entry *next;
    vk_cmd_replay replay;
    char args[] __attribute__((aligned(16)));
};

struct kept_layout {
    struct kept_layout *next;
    struct vk_pipeline_layout *layout;
};

struct vk_cmd_queue {
    struct vk_command_buffer *owner;
    struct chunk *chunks; /* the one in use first */
    char *next, *end;
    struct entry *first, **last;
    struct kept_layout *layouts;
    uint32_t length;
};

/* ---- memory: the application's, through the pool's callbacks ---- */

static void *take_bytes(struct vk_cmd_queue *queue, size_t size_B)
{
    size_B = align_u64(size_B, ALIGNMENT_B);
    if (size_B > (size_t)(queue->end - queue->next)) {
        size_t chunk_B = MAX2(size_B, CHUNK_SIZE_B);
        struct chunk *chunk =
            vk_alloc(&queue->owner->pool->alloc, NULL, sizeof(*chunk) + chunk_B, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
        if (!chunk) {
            vk_command_buffer_set_error(queue->owner, VK_ERROR_OUT_OF_HOST_MEMORY);
            return NULL;
        }
        *chunk = (struct chunk){.next = queue->chunks, .size_B = chunk_B};
        queue->chunks = chunk;
        queue->next = chunk->memory;
        queue->end = chunk->memory + chunk_B;
    }
    void *memory = queue->next;
    queue->next += size_B;
    return memory;
}

void *vk_cmd_queue_add(struct vk_cmd_queue *queue, vk_cmd_replay replay, size_t args_B)
{
    struct entry *entry = take_bytes(queue, sizeof(*entry) + args_B);
    if (!entry)
        return NULL;
    entry->next = NULL;
    entry->replay = replay;
    *queue->last = entry;
    queue->last = &entry->next;
    queue->length++;
    return entry->args;
}

void *vk_cmd_queue_copy(struct vk_cmd_queue *queue, const void *data, size_t count, size_t element_B)
{
    if (!data || count == 0)
        return NULL;
    void *copy = take_bytes(queue, count * element_B);
    return copy ? memcpy(copy, data, count * element_B) : NULL;
}

char *vk_cmd_queue_copy_text(struct vk_cmd_queue *queue, const char *text)
{
    return text ? vk_cmd_queue_copy(queue, text, strlen(text) + 1, 1) : NULL;
}

static const struct vk_cmd_queue_link *find_link(VkStructureType type)
{
    size_t low = 0, high = vk_cmd_queue_link_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (vk_cmd_queue_links[middle].type == type)
            return &vk_cmd_queue_links[middle];
        if (vk_cmd_queue_links[middle].type < type)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

void *vk_cmd_queue_copy_chain(struct vk_cmd_queue *queue, const void *chain)
{
    VkBaseOutStructure *first = NULL, **last = &first;
    vk_foreach_struct_const(element, chain)
    {
        const struct vk_cmd_queue_link *link = find_link(element->sType);
        if (!link)
            continue;
        VkBaseOutStructure *copy = vk_cmd_queue_copy(queue, element, 1, link->size_B);
        if (!copy)
            break;
        copy->pNext = NULL;
        if (link->keep)
            link->keep(queue, copy);
        *last = copy;
        last = &copy->pNext;
    }
    return first;
}

void vk_cmd_queue_keep_layout(struct vk_cmd_queue *queue, VkPipelineLayout layout)
{
    if (!layout || (queue->layouts && queue->layouts->layout == vk_pipeline_layout_from_handle(layout)))
        return;
    struct kept_layout *kept = take_bytes(queue, sizeof(*kept));
    if (!kept)
        return;
    kept->layout = vk_pipeline_layout_ref(vk_pipeline_layout_from_handle(layout));
    kept->next = queue->layouts;
    queue->layouts = kept;
}

/* ---- descriptors ---- */

enum payload {
    PAYLOAD_NONE, /* in the chain */
    PAYLOAD_IMAGE,
    PAYLOAD_BUFFER,
    PAYLOAD_TEXEL_BUFFER,
    PAYLOAD_ACCELERATION_STRUCTURE,
};

static enum payload payload_of(VkDescriptorType type)
{
    switch (type) {
    case VK_DESCRIPTOR_TYPE_SAMPLER:
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
    case VK_DESCRIPTOR_TYPE_SAMPLE_WEIGHT_IMAGE_QCOM:
    case VK_DESCRIPTOR_TYPE_BLOCK_MATCH_IMAGE_QCOM:
        return PAYLOAD_IMAGE;
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC:
        return PAYLOAD_BUFFER;
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
        return PAYLOAD_TEXEL_BUFFER;
    case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR:
        return PAYLOAD_ACCELERATION_STRUCTURE;
    default:
        return PAYLOAD_NONE;
    }
}

/* The arrays that the type does not call for may be any pointer. */
void vk_cmd_queue_keep_write(struct vk_cmd_queue *queue, VkWriteDescriptorSet *write)
{
    enum payload payload = payload_of(write->descriptorType);
    uint32_t count = write->descriptorCount;
    write->pImageInfo = payload == PAYLOAD_IMAGE
                            ? vk_cmd_queue_copy(queue, write->pImageInfo, count, sizeof(*write->pImageInfo))
                            : NULL;
    write->pBufferInfo = payload == PAYLOAD_BUFFER
                             ? vk_cmd_queue_copy(queue, write->pBufferInfo, count, sizeof(*write->pBufferInfo))
                             : NULL;
    write->pTexelBufferView = payload == PAYLOAD_TEXEL_BUFFER ? vk_cmd_queue_copy(queue, write->pTexelBufferView, count,
                                                                                  sizeof(*write->pTexelBufferView))
                                                              : NULL;
}

/* The elements of a template's entry, one after the other; NULL when there is no memory. */
static void *gather_elements(struct vk_cmd_queue *queue, const struct vk_descriptor_template_entry *entry,
                             const void *data, size_t element_B)
{
    char *elements = take_bytes(queue, entry->count * element_B);
    for (uint32_t i = 0; elements && i < entry->count; i++)
        memcpy(elements + i * element_B, (const char *)data + entry->offset_B + i * entry->stride_B, element_B);
    return elements;
}

static bool write_of(struct vk_cmd_queue *queue, const struct vk_descriptor_template_entry *entry, const void *data,
                     VkWriteDescriptorSet *write)
{
    *write = vk_struct_init(VkWriteDescriptorSet);
    write->dstBinding = entry->binding;
    write->dstArrayElement = entry->first;
    write->descriptorCount = entry->count;
    write->descriptorType = entry->type;
    switch (payload_of(entry->type)) {
    case PAYLOAD_IMAGE:
        return (write->pImageInfo = gather_elements(queue, entry, data, sizeof(*write->pImageInfo)));
    case PAYLOAD_BUFFER:
        return (write->pBufferInfo = gather_elements(queue, entry, data, sizeof(*write->pBufferInfo)));
    case PAYLOAD_TEXEL_BUFFER:
        return (write->pTexelBufferView = gather_elements(queue, entry, data, sizeof(*write->pTexelBufferView)));
    case PAYLOAD_ACCELERATION_STRUCTURE: {
        VkWriteDescriptorSetAccelerationStructureKHR *structures = take_bytes(queue, sizeof(*structures));
        if (!structures)
            return false;
        *structures = vk_struct_init(VkWriteDescriptorSetAccelerationStructureKHR);
        structures->accelerationStructureCount = entry->count;
        structures->pAccelerationStructures = gather_elements(queue, entry, data, sizeof(VkAccelerationStructureKHR));
        write->pNext = structures;
        return structures->pAccelerationStructures;
    }
    case PAYLOAD_NONE: { /* an inline uniform block, whose count is bytes */
        VkWriteDescriptorSetInlineUniformBlock *block = take_bytes(queue, sizeof(*block));
        if (!block)
            return false;
        *block = vk_struct_init(VkWriteDescriptorSetInlineUniformBlock);
        block->dataSize = entry->count;
        block->pData = vk_cmd_queue_copy(queue, (const char *)data + entry->offset_B, entry->count, 1);
        write->pNext = block;
        return block->pData;
    }
    }
    return false;
}

/* The template may be gone when this is replayed, and with it the layout of the data: kept as the writes that it stands
 * for. */
void vk_cmd_queue_push_template(VkCommandBuffer handle, VkDescriptorUpdateTemplate template_handle,
                                VkPipelineLayout layout, uint32_t set, const void *data)
{
    struct vk_cmd_queue *queue = vk_cmd_queue_of(handle);
    const struct vk_descriptor_update_template *template = vk_descriptor_update_template_from_handle(template_handle);
    VkWriteDescriptorSet *writes = take_bytes(queue, template->entry_count * sizeof(*writes));
    for (uint32_t i = 0; writes && i < template->entry_count; i++) {
        if (!write_of(queue, &template->entries[i], data, &writes[i]))
            return;
    }
    if (writes)
        vk_cmd_enqueue_entrypoints.CmdPushDescriptorSetKHR(handle, template->bind_point, layout, set,
                                                           template->entry_count, writes);
}

void vk_cmd_queue_push_template2(VkCommandBuffer handle, const VkPushDescriptorSetWithTemplateInfoKHR *info)
{
    vk_cmd_queue_push_template(handle, info->descriptorUpdateTemplate, info->layout, info->set, info->pData);
}

/* ---- life ---- */

VkResult vk_cmd_queue_begin(struct vk_command_buffer *command_buffer)
{
    if (!command_buffer->queue) {
        struct vk_cmd_queue *queue =
            vk_zalloc(&command_buffer->pool->alloc, NULL, sizeof(*queue), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
        if (!queue)
            return VK_ERROR_OUT_OF_HOST_MEMORY;
        queue->owner = command_buffer;
        queue->last = &queue->first;
        command_buffer->queue = queue;
    }
    vk_cmd_queue_reset(command_buffer);
    command_buffer->is_replayed = true;
    return VK_SUCCESS;
}

static void free_chunks(struct vk_cmd_queue *queue, struct chunk *chunk)
{
    while (chunk) {
        struct chunk *next = chunk->next;
        vk_free(&queue->owner->pool->alloc, NULL, chunk);
        chunk = next;
    }
}

/* The newest chunk is kept for the next recording. */
void vk_cmd_queue_reset(struct vk_command_buffer *command_buffer)
{
    struct vk_cmd_queue *queue = command_buffer->queue;
    command_buffer->is_replayed = false;
    if (!queue)
        return;
    for (struct kept_layout *kept = queue->layouts; kept; kept = kept->next)
        vk_pipeline_layout_unref(kept->layout);
    queue->layouts = NULL;
    queue->first = NULL;
    queue->last = &queue->first;
    queue->length = 0;
    if (queue->chunks) {
        free_chunks(queue, queue->chunks->next);
        queue->chunks->next = NULL;
        queue->next = queue->chunks->memory;
        queue->end = queue->next + queue->chunks->size_B;
    }
}

void vk_cmd_queue_destroy(struct vk_command_buffer *command_buffer)
{
    vk_cmd_queue_reset(command_buffer);
    if (!command_buffer->queue)
        return;
    free_chunks(command_buffer->queue, command_buffer->queue->chunks);
    vk_free(&command_buffer->pool->alloc, NULL, command_buffer->queue);
    command_buffer->queue = NULL;
}

/* ---- executing ---- */

uint32_t vk_cmd_queue_length(const struct vk_command_buffer *command_buffer)
{
    return command_buffer->is_replayed ? command_buffer->queue->length : 0;
}

void vk_cmd_queue_execute(const struct vk_command_buffer *secondary, VkCommandBuffer primary)
{
    if (!secondary->is_replayed || secondary->result != VK_SUCCESS)
        return; /* what memory failed for is not whole */
    const struct vk_device_dispatch *dispatch = &secondary->base.device->dispatch;
    for (const struct entry *entry = secondary->queue->first; entry; entry = entry->next)
        entry->replay(dispatch, primary, entry->args);
}

const struct vk_device_dispatch *vk_replay_next(VkCommandBuffer handle)
{
    return vk_device_next(((struct vk_object_base *)handle)->device, &vk_replay_layer);
}

/* In order: runs of the driver's own go on together. */
VKAPI_ATTR void VKAPI_CALL vk_replay_CmdExecuteCommands(VkCommandBuffer handle, uint32_t count,
                                                        const VkCommandBuffer *secondaries)
{
    for (uint32_t i = 0; i < count;) {
        uint32_t native = 0;
        while (i + native < count && !vk_cmd_queue_is_recording(secondaries[i + native]))
            native++;
        if (native > 0)
            vk_replay_next(handle)->CmdExecuteCommands(handle, native, secondaries + i);
        i += native;
        if (i < count)
            vk_cmd_queue_execute(vk_command_buffer_from_handle(secondaries[i++]), handle);
    }
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdExecuteCommands(VkCommandBuffer handle, uint32_t count,
                                                        const VkCommandBuffer *secondaries)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct vk_command_buffer *secondary = vk_command_buffer_from_handle(secondaries[i]);
        if (!secondary->is_replayed) {
            LOG_ERROR("vulkan", "the driver neither executes this secondary command buffer nor had it kept for replay");
            vk_command_buffer_set_error(vk_command_buffer_from_handle(handle), VK_ERROR_FEATURE_NOT_PRESENT);
            return;
        }
        vk_cmd_queue_execute(secondary, handle);
    }
}
