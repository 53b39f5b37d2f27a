/* Command pools and command buffers. Both are externally synchronised by the application, so nothing is locked here. */
#include "vulkan/runtime/command/vk_command_buffer.h"

#include "util/bits.h"
#include "util/debug.h"
#include "vulkan/runtime/command/vk_cmd_queue.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/object/vk_debug_utils.h"
#include "vulkan/runtime/render/vk_render_pass.h"

VKAPI_ATTR VkResult VKAPI_CALL vk_common_CreateCommandPool(VkDevice handle, const VkCommandPoolCreateInfo *info,
                                                           const VkAllocationCallbacks *allocator,
                                                           VkCommandPool *pool_out)
{
    struct vk_device *device = vk_device_from_handle(handle);
    const struct vk_command_buffer_ops *ops = device->command_buffer_ops;
    struct vk_command_pool *pool =
        vk_object_create(device, allocator, MAX2(ops->pool_size_B, sizeof(*pool)), VK_OBJECT_TYPE_COMMAND_POOL);
    if (!pool)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    pool->alloc = allocator ? *allocator : device->alloc;
    pool->flags = info->flags;
    pool->family_index = info->queueFamilyIndex;
    list_init(&pool->command_buffers);
    list_init(&pool->free_buffers);
    list_init(&pool->recordings);
    pool->is_replayed = debug_enabled(DEBUG_REPLAY);
    *pool_out = vk_command_pool_to_handle(pool);
    return VK_SUCCESS;
}

/* ---- what is lent ---- */

static VkResult lend_recording(struct vk_command_buffer *command_buffer)
{
    struct vk_command_pool *pool = command_buffer->pool;
    if (list_is_empty(&pool->recordings)) {
        const size_t size_B =
            MAX2(command_buffer->base.device->command_buffer_ops->recording_size_B, sizeof(struct vk_recording));
        command_buffer->rec = vk_zalloc(&pool->alloc, NULL, size_B, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
        return command_buffer->rec ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    command_buffer->rec = container_of(pool->recordings.next, struct vk_recording, link);
    list_remove(&command_buffer->rec->link);
    return VK_SUCCESS;
}

/* With nothing bound, as it was lent. */
static void take_recording_back(struct vk_command_buffer *command_buffer)
{
    struct vk_recording *rec = command_buffer->rec;
    if (!rec)
        return;
    for (int i = 0; i < VK_BIND_POINT_COUNT; i++)
        vk_bindings_reset(&rec->bindings[i]);
    list_push_front(&command_buffer->pool->recordings, &rec->link);
    command_buffer->rec = NULL;
}

static void destroy_recordings(struct vk_command_pool *pool)
{
    list_foreach (&pool->recordings, struct vk_recording, rec, link) {
        list_remove(&rec->link);
        for (int i = 0; i < VK_BIND_POINT_COUNT; i++)
            vk_bindings_finish(&pool->alloc, &rec->bindings[i]);
        vk_free(&pool->alloc, NULL, rec);
    }
}

/* ---- pools and command buffers ---- */

static void destroy_command_buffer(struct vk_command_buffer *command_buffer)
{
    struct vk_command_pool *pool = command_buffer->pool;
    list_remove(&command_buffer->link);
    command_buffer->base.device->command_buffer_ops->finish(command_buffer);
    take_recording_back(command_buffer);
    vk_pass_instance_destroy(command_buffer);
    vk_cmd_queue_destroy(command_buffer);
    vk_object_base_finish(&command_buffer->base);
    vk_free(&pool->alloc, NULL, command_buffer);
}

VKAPI_ATTR void VKAPI_CALL vk_common_TrimCommandPool(VkDevice handle, VkCommandPool pool_handle,
                                                     VkCommandPoolTrimFlags flags)
{
    struct vk_command_pool *pool = vk_command_pool_from_handle(pool_handle);
    list_foreach (&pool->free_buffers, struct vk_command_buffer, command_buffer, link)
        destroy_command_buffer(command_buffer);
    destroy_recordings(pool);
    const struct vk_command_buffer_ops *ops = vk_device_from_handle(handle)->command_buffer_ops;
    if (ops->pool_trim)
        ops->pool_trim(pool);
}

VKAPI_ATTR void VKAPI_CALL vk_common_DestroyCommandPool(VkDevice handle, VkCommandPool pool_handle,
                                                        const VkAllocationCallbacks *allocator)
{
    struct vk_command_pool *pool = vk_command_pool_from_handle(pool_handle);
    if (!pool)
        return;
    list_foreach (&pool->command_buffers, struct vk_command_buffer, command_buffer, link)
        destroy_command_buffer(command_buffer);
    vk_common_TrimCommandPool(handle, pool_handle, 0);
    vk_object_destroy(vk_device_from_handle(handle), allocator, &pool->base);
}

static void reset_command_buffer(struct vk_command_buffer *command_buffer, bool release)
{
    if (command_buffer->state == VK_COMMAND_BUFFER_INITIAL && !release)
        return;
    command_buffer->base.device->command_buffer_ops->reset(command_buffer, release);
    take_recording_back(command_buffer);
    vk_cmd_queue_reset(command_buffer);
    vk_object_drop_labels(&command_buffer->base);
    if (release) {
        vk_pass_instance_destroy(command_buffer);
        vk_cmd_queue_destroy(command_buffer);
    }
    command_buffer->state = VK_COMMAND_BUFFER_INITIAL;
    command_buffer->result = VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_ResetCommandPool(VkDevice handle, VkCommandPool pool_handle,
                                                          VkCommandPoolResetFlags flags)
{
    struct vk_command_pool *pool = vk_command_pool_from_handle(pool_handle);
    bool release = flags & VK_COMMAND_POOL_RESET_RELEASE_RESOURCES_BIT;
    list_foreach (&pool->command_buffers, struct vk_command_buffer, command_buffer, link)
        reset_command_buffer(command_buffer, release);
    if (release)
        vk_common_TrimCommandPool(handle, pool_handle, 0);
    return VK_SUCCESS;
}

static VkResult create_command_buffer(struct vk_device *device, struct vk_command_pool *pool,
                                      struct vk_command_buffer **out)
{
    const struct vk_command_buffer_ops *ops = device->command_buffer_ops;
    struct vk_command_buffer *command_buffer =
        vk_zalloc(&pool->alloc, NULL, ops->size_B, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!command_buffer)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    vk_object_base_init(&command_buffer->base, device, VK_OBJECT_TYPE_COMMAND_BUFFER);
    command_buffer->pool = pool;
    VkResult result = ops->init(command_buffer);
    if (result != VK_SUCCESS) {
        vk_object_base_finish(&command_buffer->base);
        vk_free(&pool->alloc, NULL, command_buffer);
        return result;
    }
    *out = command_buffer;
    return VK_SUCCESS;
}

static VkResult allocate_command_buffer(struct vk_device *device, struct vk_command_pool *pool,
                                        VkCommandBufferLevel level, struct vk_command_buffer **out)
{
    if (!list_is_empty(&pool->free_buffers)) {
        *out = container_of(pool->free_buffers.next, struct vk_command_buffer, link);
        list_remove(&(*out)->link);
        /* The loader wrote its own word into it; a new handle must look new. */
        vk_object_base_init(&(*out)->base, device, VK_OBJECT_TYPE_COMMAND_BUFFER);
    } else {
        VkResult result = create_command_buffer(device, pool, out);
        if (result != VK_SUCCESS)
            return result;
    }
    (*out)->level = level;
    list_push_back(&pool->command_buffers, &(*out)->link);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vk_common_FreeCommandBuffers(VkDevice handle, VkCommandPool pool_handle, uint32_t count,
                                                        const VkCommandBuffer *command_buffers)
{
    struct vk_command_pool *pool = vk_command_pool_from_handle(pool_handle);
    for (uint32_t i = 0; i < count; i++) {
        struct vk_command_buffer *command_buffer = vk_command_buffer_from_handle(command_buffers[i]);
        if (!command_buffer)
            continue;
        reset_command_buffer(command_buffer, false);
        list_remove(&command_buffer->link);
        vk_object_base_finish(&command_buffer->base);
        list_push_back(&pool->free_buffers, &command_buffer->link);
    }
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_AllocateCommandBuffers(VkDevice handle,
                                                                const VkCommandBufferAllocateInfo *info,
                                                                VkCommandBuffer *command_buffers_out)
{
    struct vk_device *device = vk_device_from_handle(handle);
    struct vk_command_pool *pool = vk_command_pool_from_handle(info->commandPool);
    for (uint32_t i = 0; i < info->commandBufferCount; i++) {
        struct vk_command_buffer *command_buffer;
        VkResult result = allocate_command_buffer(device, pool, info->level, &command_buffer);
        if (result != VK_SUCCESS) {
            vk_common_FreeCommandBuffers(handle, info->commandPool, i, command_buffers_out);
            for (uint32_t j = 0; j < info->commandBufferCount; j++)
                command_buffers_out[j] = VK_NULL_HANDLE;
            return result;
        }
        command_buffers_out[i] = vk_command_buffer_to_handle(command_buffer);
    }
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_ResetCommandBuffer(VkCommandBuffer handle, VkCommandBufferResetFlags flags)
{
    reset_command_buffer(vk_command_buffer_from_handle(handle), flags & VK_COMMAND_BUFFER_RESET_RELEASE_RESOURCES_BIT);
    return VK_SUCCESS;
}

VkResult vk_command_buffer_begin(struct vk_command_buffer *command_buffer, const VkCommandBufferBeginInfo *info)
{
    reset_command_buffer(command_buffer, false);
    VkResult result = lend_recording(command_buffer);
    if (result != VK_SUCCESS)
        return result;
    command_buffer->state = VK_COMMAND_BUFFER_RECORDING;
    command_buffer->usage = info->flags;
    if (command_buffer->level == VK_COMMAND_BUFFER_LEVEL_SECONDARY && command_buffer->pool->is_replayed)
        vk_command_buffer_set_error(command_buffer, vk_cmd_queue_begin(command_buffer));
    vk_dynamic_graphics_state_reset(&command_buffer->rec->dynamic_state);
    vk_rendering_first(&command_buffer->rec->rendering, command_buffer->level, info);
    vk_bound_objects_begin(&command_buffer->rec->objects, command_buffer->level, info);
    return VK_SUCCESS;
}

VkResult vk_command_buffer_end(struct vk_command_buffer *command_buffer)
{
    bool good = command_buffer->result == VK_SUCCESS;
    take_recording_back(command_buffer);
    command_buffer->state = good ? VK_COMMAND_BUFFER_EXECUTABLE : VK_COMMAND_BUFFER_INVALID;
    return command_buffer->result;
}
