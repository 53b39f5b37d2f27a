/* Submissions: what an application hands to vkQueueSubmit2, made into what a driver can give to its kernel. */
#include "vulkan/runtime/vk_submit.h"

#include <string.h>

#include "vulkan/runtime/vk_command_buffer.h"
#include "vulkan/runtime/vk_common_entrypoints.h"
#include "vulkan/runtime/vk_device.h"
#include "vulkan/runtime/vk_fence.h"
#include "vulkan/runtime/vk_semaphore.h"
#include "vulkan/runtime/vk_struct.h"
#include "vulkan/runtime/vk_sync_binary.h"
#include "vulkan/runtime/vk_sync_dummy.h"
#include "vulkan/runtime/vk_sync_timeline.h"

bool vk_sync_type_is_emulated_timeline(const struct vk_sync_type *type)
{
    struct vk_sync probe = {.type = type};
    return vk_sync_as_timeline(&probe) != NULL;
}

/* One allocation for the whole submission. */
static struct vk_submit *create(struct vk_device *device, uint32_t waits, uint32_t command_buffers, uint32_t signals)
{
    size_t size_B = sizeof(struct vk_submit) + waits * (sizeof(struct vk_sync_wait) + 2 * sizeof(void *)) +
                    signals * (sizeof(struct vk_sync_signal) + sizeof(void *)) + command_buffers * sizeof(void *);
    struct vk_submit *submit = vk_zalloc(&device->alloc, NULL, size_B, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!submit)
        return NULL;
    char *next = (char *)(submit + 1);
    submit->waits = (void *)next, next += waits * sizeof(*submit->waits);
    submit->signals = (void *)next, next += signals * sizeof(*submit->signals);
    submit->owned_syncs = (void *)next, next += waits * sizeof(void *);
    submit->wait_points = (void *)next, next += waits * sizeof(void *);
    submit->signal_points = (void *)next, next += signals * sizeof(void *);
    submit->command_buffers = (void *)next;
    list_init(&submit->link);
    return submit;
}

void vk_submit_destroy(struct vk_device *device, struct vk_submit *submit)
{
    for (uint32_t i = 0; i < submit->wait_count; i++) {
        if (submit->wait_points[i])
            vk_sync_timeline_release(device, submit->wait_points[i]);
    }
    for (uint32_t i = 0; i < submit->signal_count; i++) {
        if (submit->signal_points[i])
            vk_sync_timeline_release(device, submit->signal_points[i]);
    }
    for (uint32_t i = 0; i < submit->owned_count; i++)
        vk_sync_destroy(device, submit->owned_syncs[i]);
    vk_free(&device->alloc, NULL, submit);
}

/* A binary wait takes the payload with it: afterwards the semaphore is unsignalled and may be signalled again at once,
 * even while this submission waits in a list. So the payload moves into a sync of the submission's own. Its signal must
 * be on its way first; the specification demands that it has been submitted, so this ends. */
static VkResult take_binary(struct vk_device *device, struct vk_queue *queue, struct vk_submit *submit,
                            struct vk_sync *sync)
{
    bool direct = queue->mode == VK_SUBMIT_IMMEDIATE ||
                  (queue->mode == VK_SUBMIT_THREADED_ON_DEMAND && !device->has_submit_threads);
    VkResult result = direct ? VK_SUCCESS : vk_queue_settle(device, sync);
    if (result != VK_SUCCESS || !sync->type->move) {
        submit->waits[submit->wait_count++].sync = sync;
        return result;
    }
    struct vk_sync *own;
    result = vk_sync_create(device, sync->type, 0, 0, &own);
    if (result != VK_SUCCESS)
        return result;
    submit->owned_syncs[submit->owned_count++] = own;
    result = sync->type->move(device, own, sync);
    submit->waits[submit->wait_count++].sync = own;
    return result;
}

static VkResult add_wait(struct vk_queue *queue, struct vk_submit *submit, const VkSemaphoreSubmitInfo *info)
{
    struct vk_device *device = queue->base.device;
    struct vk_semaphore *semaphore = vk_semaphore_from_handle(info->semaphore);
    if (semaphore->temporary) {
        struct vk_sync *sync = semaphore->temporary;
        semaphore->temporary = NULL;
        submit->owned_syncs[submit->owned_count++] = sync;
        if (vk_sync_is_dummy(sync))
            return VK_SUCCESS;
        submit->waits[submit->wait_count++] = (struct vk_sync_wait){sync, info->value};
        return VK_SUCCESS;
    }
    if (semaphore->type == VK_SEMAPHORE_TYPE_BINARY)
        return take_binary(device, queue, submit, semaphore->permanent);
    if (info->value) /* a timeline has reached zero from the start */
        submit->waits[submit->wait_count++] = (struct vk_sync_wait){semaphore->permanent, info->value};
    return VK_SUCCESS;
}

static VkResult add_signal(struct vk_device *device, struct vk_submit *submit, struct vk_sync *sync, uint64_t value)
{
    struct vk_sync_timeline *timeline = vk_sync_as_timeline(sync);
    uint32_t i = submit->signal_count;
    submit->signals[i] = (struct vk_sync_signal){sync, value};
    if (timeline) {
        VkResult result = vk_sync_timeline_alloc_point(device, timeline, value, &submit->signal_points[i]);
        if (result != VK_SUCCESS)
            return result;
    }
    submit->signal_count++;
    return VK_SUCCESS;
}

VkResult vk_submit_wait_ready(struct vk_device *device, struct vk_submit *submit, uint64_t deadline_ns,
                              const bool *stop)
{
    /* Slices, so that a queue can be torn down while it waits for what will never come. */
    const uint64_t slice_ns = 50 * 1000 * 1000;
    for (uint32_t i = 0; i < submit->wait_count; i++) {
        if (!(submit->waits[i].sync->type->features & VK_SYNC_WAIT_PENDING))
            continue;
        VkResult result;
        do {
            uint64_t until_ns = deadline_ns == 0 ? 0 : vk_time_deadline_ns(slice_ns);
            result =
                vk_sync_wait(device, submit->waits[i].sync, submit->waits[i].value, VK_SYNC_WAIT_FOR_PENDING, until_ns);
        } while (result == VK_TIMEOUT && deadline_ns != 0 && !(stop && *(const volatile bool *)stop) &&
                 !vk_device_is_lost(device));
        if (result != VK_SUCCESS)
            return result;
    }
    return VK_SUCCESS;
}

/* Emulated timelines to their points, binaries over timelines to their timelines. Waits that are over are dropped. */
static VkResult resolve(struct vk_device *device, struct vk_submit *submit)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < submit->wait_count; i++) {
        struct vk_sync_wait wait = submit->waits[i];
        struct vk_sync_timeline *timeline = vk_sync_as_timeline(wait.sync);
        struct vk_sync_binary *binary = vk_sync_as_binary(wait.sync);
        if (timeline) {
            struct vk_sync_timeline_point *point;
            VkResult result = vk_sync_timeline_get_point(device, timeline, wait.value, &point);
            if (result != VK_SUCCESS)
                return result;
            if (!point)
                continue;
            submit->wait_points[kept] = point;
            wait = (struct vk_sync_wait){point->sync, 0};
        } else if (binary) {
            wait = (struct vk_sync_wait){binary->timeline, binary->point};
        }
        submit->waits[kept++] = wait;
    }
    submit->wait_count = kept;
    for (uint32_t i = 0; i < submit->signal_count; i++) {
        struct vk_sync_binary *binary = vk_sync_as_binary(submit->signals[i].sync);
        if (submit->signal_points[i])
            submit->signals[i] = (struct vk_sync_signal){submit->signal_points[i]->sync, 0};
        else if (binary)
            submit->signals[i] = (struct vk_sync_signal){binary->timeline, binary->point};
    }
    return VK_SUCCESS;
}

VkResult vk_submit_execute(struct vk_queue *queue, struct vk_submit *submit)
{
    struct vk_device *device = queue->base.device;
    VkResult result = vk_device_is_lost(device) ? VK_ERROR_DEVICE_LOST : resolve(device, submit);
    if (result == VK_SUCCESS)
        result = queue->driver_submit(queue, submit);
    for (uint32_t i = 0; i < submit->signal_count && result == VK_SUCCESS; i++) {
        if (!submit->signal_points[i])
            continue;
        result = vk_sync_timeline_install(device, submit->signal_points[i]);
        submit->signal_points[i] = NULL;
    }
    return result;
}

void vk_submit_abandon(struct vk_device *device, struct vk_submit *submit)
{
    for (uint32_t i = 0; i < submit->signal_count; i++) {
        if (!submit->signal_points[i])
            vk_sync_signal(device, submit->signals[i].sync, submit->signals[i].value);
    }
}

VkResult vk_queue_signal_sync(struct vk_queue *queue, struct vk_sync *sync, uint64_t value)
{
    struct vk_device *device = queue->base.device;
    struct vk_submit *submit = create(device, 0, 0, 1);
    if (!submit)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = add_signal(device, submit, sync, value);
    if (result != VK_SUCCESS) {
        vk_submit_destroy(device, submit);
        return result;
    }
    return vk_queue_push(queue, submit);
}

static VkResult submit_one(struct vk_queue *queue, const VkSubmitInfo2 *info, struct vk_fence *fence)
{
    struct vk_device *device = queue->base.device;
    struct vk_submit *submit =
        create(device, info->waitSemaphoreInfoCount, info->commandBufferInfoCount, info->signalSemaphoreInfoCount + 1);
    if (!submit)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < info->waitSemaphoreInfoCount && result == VK_SUCCESS; i++)
        result = add_wait(queue, submit, &info->pWaitSemaphoreInfos[i]);
    for (uint32_t i = 0; i < info->commandBufferInfoCount; i++)
        submit->command_buffers[submit->command_buffer_count++] =
            vk_command_buffer_from_handle(info->pCommandBufferInfos[i].commandBuffer);
    for (uint32_t i = 0; i < info->signalSemaphoreInfoCount && result == VK_SUCCESS; i++) {
        const VkSemaphoreSubmitInfo *signal = &info->pSignalSemaphoreInfos[i];
        result =
            add_signal(device, submit, vk_semaphore_sync(vk_semaphore_from_handle(signal->semaphore)), signal->value);
    }
    if (fence && result == VK_SUCCESS)
        result = add_signal(device, submit, vk_fence_sync(fence), 0);
    if (result != VK_SUCCESS) {
        vk_submit_destroy(device, submit);
        return result;
    }
    return vk_queue_push(queue, submit);
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_QueueSubmit2(VkQueue handle, uint32_t count, const VkSubmitInfo2 *infos,
                                                      VkFence fence_handle)
{
    struct vk_queue *queue = vk_queue_from_handle(handle);
    struct vk_device *device = queue->base.device;
    struct vk_fence *fence = vk_fence_from_handle(fence_handle);
    if (vk_device_is_lost(device))
        return VK_ERROR_DEVICE_LOST;
    if (count == 0)
        return fence ? vk_queue_signal_sync(queue, vk_fence_sync(fence), 0) : VK_SUCCESS;
    for (uint32_t i = 0; i < count; i++) {
        VkResult result = submit_one(queue, &infos[i], i + 1 == count ? fence : NULL);
        /* Part of the work may be on its way and the rest is not: nothing can be promised of this queue any more. */
        if (result != VK_SUCCESS)
            return i == 0 && result != VK_ERROR_DEVICE_LOST
                       ? result
                       : vk_device_set_lost(device, "submission %u of %u failed: %d", i, count, result);
    }
    return VK_SUCCESS;
}

/* The older structs say the same in three arrays and two chained structs. */
static uint32_t infos_needed(const VkSubmitInfo *info)
{
    return info->waitSemaphoreCount + info->signalSemaphoreCount;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_QueueSubmit(VkQueue handle, uint32_t count, const VkSubmitInfo *infos,
                                                     VkFence fence)
{
    struct vk_queue *queue = vk_queue_from_handle(handle);
    struct vk_device *device = queue->base.device;
    size_t semaphores = 0, buffers = 0;
    for (uint32_t i = 0; i < count; i++) {
        semaphores += infos_needed(&infos[i]);
        buffers += infos[i].commandBufferCount;
    }
    size_t size_B = count * sizeof(VkSubmitInfo2) + semaphores * sizeof(VkSemaphoreSubmitInfo) +
                    buffers * sizeof(VkCommandBufferSubmitInfo);
    char *memory = size_B ? vk_zalloc(&device->alloc, NULL, size_B, VK_SYSTEM_ALLOCATION_SCOPE_COMMAND) : NULL;
    if (size_B && !memory)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkSubmitInfo2 *out = (void *)memory;
    VkSemaphoreSubmitInfo *semaphore = (void *)(out + count);
    VkCommandBufferSubmitInfo *buffer = (void *)(semaphore + semaphores);
    for (uint32_t i = 0; i < count; i++) {
        const VkSubmitInfo *in = &infos[i];
        const VkTimelineSemaphoreSubmitInfo *values = vk_find_struct_const(in->pNext, VkTimelineSemaphoreSubmitInfo);
        out[i] = vk_struct_init(VkSubmitInfo2);
        out[i].waitSemaphoreInfoCount = in->waitSemaphoreCount;
        out[i].pWaitSemaphoreInfos = semaphore;
        for (uint32_t j = 0; j < in->waitSemaphoreCount; j++, semaphore++) {
            *semaphore = vk_struct_init(VkSemaphoreSubmitInfo);
            semaphore->semaphore = in->pWaitSemaphores[j];
            semaphore->stageMask = in->pWaitDstStageMask[j];
            semaphore->value = values && j < values->waitSemaphoreValueCount ? values->pWaitSemaphoreValues[j] : 0;
        }
        out[i].commandBufferInfoCount = in->commandBufferCount;
        out[i].pCommandBufferInfos = buffer;
        for (uint32_t j = 0; j < in->commandBufferCount; j++, buffer++) {
            *buffer = vk_struct_init(VkCommandBufferSubmitInfo);
            buffer->commandBuffer = in->pCommandBuffers[j];
        }
        out[i].signalSemaphoreInfoCount = in->signalSemaphoreCount;
        out[i].pSignalSemaphoreInfos = semaphore;
        for (uint32_t j = 0; j < in->signalSemaphoreCount; j++, semaphore++) {
            *semaphore = vk_struct_init(VkSemaphoreSubmitInfo);
            semaphore->semaphore = in->pSignalSemaphores[j];
            semaphore->stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
            semaphore->value = values && j < values->signalSemaphoreValueCount ? values->pSignalSemaphoreValues[j] : 0;
        }
    }
    VkResult result = device->dispatch.QueueSubmit2(handle, count, out, fence);
    vk_free(&device->alloc, NULL, memory);
    return result;
}
