/* Queues: found by family, index and flags; submissions in the order and at the time that their waits allow. */
#include "vulkan/runtime/vk_queue.h"

#include <signal.h>

#include "vulkan/runtime/vk_common_entrypoints.h"
#include "vulkan/runtime/vk_device.h"
#include "vulkan/runtime/vk_physical_device.h"
#include "vulkan/runtime/vk_struct.h"
#include "vulkan/runtime/vk_submit.h"
#include "vulkan/runtime/vk_sync_choice.h"

static enum vk_timeline_mode timeline_mode_of(const struct vk_sync_type *type)
{
    if (!type)
        return VK_TIMELINE_NONE;
    if (vk_sync_type_is_emulated_timeline(type))
        return VK_TIMELINE_EMULATED;
    return type->features & VK_SYNC_WAIT_BEFORE_SIGNAL ? VK_TIMELINE_NATIVE : VK_TIMELINE_ASSISTED;
}

void vk_queue_mode_init(struct vk_device *device)
{
    static const char *const submits[] = {"immediate", "deferred", "threaded", "on-demand"};
    device->timeline_mode = timeline_mode_of(
        vk_sync_type_find(device->physical->sync_types, VK_SYNC_TIMELINE | VK_SYNC_GPU_WAIT | VK_SYNC_CPU_WAIT));
    enum vk_submit_mode mode = VK_SUBMIT_IMMEDIATE;
    if (device->timeline_mode == VK_TIMELINE_EMULATED)
        mode = VK_SUBMIT_DEFERRED;
    else if (device->timeline_mode == VK_TIMELINE_ASSISTED)
        mode = VK_SUBMIT_THREADED_ON_DEMAND;
    device->submit_mode = (enum vk_submit_mode)vk_environment_choice("TUFF_SUBMIT", submits, 4, (int)mode);
}

/* Take the oldest submission; waits while there is none. NULL when the queue ends. */
static struct vk_submit *next_submit(struct vk_queue *queue)
{
    struct vk_submit *submit = NULL;
    pthread_mutex_lock(&queue->lock);
    while (list_is_empty(&queue->submits) && !queue->stop)
        pthread_cond_wait(&queue->pushed, &queue->lock);
    if (!list_is_empty(&queue->submits))
        submit = container_of(queue->submits.next, struct vk_submit, link);
    pthread_mutex_unlock(&queue->lock);
    return submit;
}

/* The submission stays in the list until the kernel has it, so that an empty list means that everything is submitted.
 */
static void *run_thread(void *argument)
{
    struct vk_queue *queue = argument;
    struct vk_device *device = queue->base.device;
    struct vk_submit *submit;
    while ((submit = next_submit(queue))) {
        VkResult result = vk_submit_wait_ready(device, submit, UINT64_MAX, &queue->stop);
        if (result == VK_SUCCESS)
            result = vk_submit_execute(queue, submit);
        if (result != VK_SUCCESS && result != VK_TIMEOUT)
            vk_device_set_lost(device, "a submission failed in the queue's thread: %d", result);
        if (result != VK_SUCCESS && vk_device_is_lost(device))
            vk_submit_abandon(device, submit);
        pthread_mutex_lock(&queue->lock);
        list_remove(&submit->link);
        pthread_cond_broadcast(&queue->popped);
        pthread_mutex_unlock(&queue->lock);
        vk_submit_destroy(device, submit);
    }
    return NULL;
}

/* Signals belong to the application's threads. */
static VkResult start_thread(struct vk_queue *queue)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&queue->thread, NULL, run_thread, queue);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    queue->has_thread = true;
    return VK_SUCCESS;
}

VkResult vk_queue_init(struct vk_queue *queue, struct vk_device *device, const VkDeviceQueueCreateInfo *info,
                       uint32_t index)
{
    vk_object_base_init(&queue->base, device, VK_OBJECT_TYPE_QUEUE);
    queue->flags = info->flags;
    queue->family_index = info->queueFamilyIndex;
    queue->index = index;
    queue->mode = device->submit_mode;
    list_init(&queue->submits);
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->pushed, NULL);
    pthread_cond_init(&queue->popped, NULL);
    if (queue->mode == VK_SUBMIT_THREADED) {
        VkResult result = start_thread(queue);
        if (result != VK_SUCCESS) {
            pthread_cond_destroy(&queue->popped);
            pthread_cond_destroy(&queue->pushed);
            pthread_mutex_destroy(&queue->lock);
            vk_object_base_finish(&queue->base);
            return result;
        }
    }
    list_push_back(&device->queues, &queue->link);
    return VK_SUCCESS;
}

void vk_queue_finish(struct vk_queue *queue)
{
    if (queue->has_thread) {
        pthread_mutex_lock(&queue->lock);
        queue->stop = true;
        pthread_cond_broadcast(&queue->pushed);
        pthread_mutex_unlock(&queue->lock);
        pthread_join(queue->thread, NULL);
    }
    list_foreach (&queue->submits, struct vk_submit, submit, link)
        vk_submit_destroy(queue->base.device, submit);
    pthread_cond_destroy(&queue->popped);
    pthread_cond_destroy(&queue->pushed);
    pthread_mutex_destroy(&queue->lock);
    list_remove(&queue->link);
    vk_object_base_finish(&queue->base);
}

static void push(struct vk_queue *queue, struct vk_submit *submit)
{
    pthread_mutex_lock(&queue->lock);
    list_push_back(&queue->submits, &submit->link);
    pthread_cond_signal(&queue->pushed);
    pthread_mutex_unlock(&queue->lock);
}

static VkResult execute_now(struct vk_queue *queue, struct vk_submit *submit)
{
    VkResult result = vk_submit_execute(queue, submit);
    vk_submit_destroy(queue->base.device, submit);
    return result;
}

/* Whatever is ready at the head of the queue goes; *progress_out when something went. */
static VkResult flush_queue(struct vk_queue *queue, bool *progress_out)
{
    struct vk_device *device = queue->base.device;
    VkResult result = VK_SUCCESS;
    pthread_mutex_lock(&queue->lock);
    while (result == VK_SUCCESS && !list_is_empty(&queue->submits)) {
        struct vk_submit *submit = container_of(queue->submits.next, struct vk_submit, link);
        result = vk_submit_wait_ready(device, submit, 0, NULL);
        if (result != VK_SUCCESS)
            break;
        result = vk_submit_execute(queue, submit);
        list_remove(&submit->link);
        vk_submit_destroy(device, submit);
        *progress_out = true;
    }
    pthread_mutex_unlock(&queue->lock);
    return result == VK_TIMEOUT ? VK_SUCCESS : result;
}

/* One queue's submission can make another's ready: until nothing moves. */
VkResult vk_device_flush(struct vk_device *device)
{
    if (device->submit_mode != VK_SUBMIT_DEFERRED)
        return VK_SUCCESS;
    bool progress;
    do {
        progress = false;
        list_foreach (&device->queues, struct vk_queue, queue, link) {
            VkResult result = flush_queue(queue, &progress);
            if (result != VK_SUCCESS)
                return vk_device_set_lost(device, "a deferred submission failed: %d", result);
        }
    } while (progress);
    return VK_SUCCESS;
}

/* The submission is the queue's from here on, whatever the answer. */
VkResult vk_queue_push(struct vk_queue *queue, struct vk_submit *submit)
{
    struct vk_device *device = queue->base.device;
    enum vk_submit_mode mode = queue->mode;
    VkResult result;
    switch (mode) {
    case VK_SUBMIT_THREADED_ON_DEMAND:
        result = vk_submit_wait_ready(device, submit, 0, NULL);
        if (result == VK_SUCCESS)
            return execute_now(queue, submit);
        if (result == VK_TIMEOUT) {
            result = start_thread(queue);
            if (result == VK_SUCCESS) {
                queue->mode = VK_SUBMIT_THREADED;
                device->has_submit_threads = true;
                push(queue, submit);
                return VK_SUCCESS;
            }
        }
        vk_submit_destroy(device, submit);
        return result;
    case VK_SUBMIT_THREADED:
        push(queue, submit);
        return VK_SUCCESS;
    case VK_SUBMIT_DEFERRED:
        push(queue, submit);
        return vk_device_flush(device);
    default:
        return execute_now(queue, submit);
    }
}

static bool will_signal(const struct vk_queue *queue, const struct vk_sync *sync)
{
    list_foreach(&queue->submits, struct vk_submit, submit, link)
    {
        for (uint32_t i = 0; i < submit->signal_count; i++) {
            if (submit->signals[i].sync == sync)
                return true;
        }
    }
    return false;
}

/* The signal may stand in the list of some queue's thread. It leaves the list when the kernel has it. */
VkResult vk_queue_settle(struct vk_device *device, struct vk_sync *sync)
{
    if (device->submit_mode == VK_SUBMIT_DEFERRED)
        return vk_device_flush(device);
    list_foreach(&device->queues, struct vk_queue, queue, link)
    {
        pthread_mutex_lock(&queue->lock);
        while (will_signal(queue, sync) && !vk_device_is_lost(device))
            pthread_cond_wait(&queue->popped, &queue->lock);
        pthread_mutex_unlock(&queue->lock);
    }
    return vk_device_is_lost(device) ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;
}

void vk_device_settle_lost(struct vk_device *device)
{
    if (!vk_device_is_lost(device))
        return;
    list_foreach (&device->queues, struct vk_queue, queue, link) {
        pthread_mutex_lock(&queue->lock);
        while (queue->has_thread && !list_is_empty(&queue->submits))
            pthread_cond_wait(&queue->popped, &queue->lock);
        pthread_mutex_unlock(&queue->lock);
    }
}

/* Until the kernel has everything. */
static VkResult drain(struct vk_queue *queue)
{
    struct vk_device *device = queue->base.device;
    if (queue->mode == VK_SUBMIT_DEFERRED)
        return vk_device_flush(device);
    pthread_mutex_lock(&queue->lock);
    while (!list_is_empty(&queue->submits) && !vk_device_is_lost(device))
        pthread_cond_wait(&queue->popped, &queue->lock);
    pthread_mutex_unlock(&queue->lock);
    return vk_device_is_lost(device) ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_QueueWaitIdle(VkQueue handle)
{
    struct vk_queue *queue = vk_queue_from_handle(handle);
    struct vk_device *device = queue->base.device;
    if (vk_device_is_lost(device))
        return VK_ERROR_DEVICE_LOST;
    const struct vk_sync_type *type =
        vk_sync_type_find(device->physical->sync_types, VK_SYNC_BINARY | VK_SYNC_CPU_WAIT | VK_SYNC_GPU_WAIT);
    struct vk_sync *sync;
    VkResult result = vk_sync_create(device, type, 0, 0, &sync);
    if (result != VK_SUCCESS)
        return result;
    result = vk_queue_signal_sync(queue, sync, 0);
    if (result == VK_SUCCESS)
        result = drain(queue);
    if (result == VK_SUCCESS)
        result = vk_sync_wait(device, sync, 0, VK_SYNC_WAIT_COMPLETE, INT64_MAX);
    vk_sync_destroy(device, sync);
    VkResult status = vk_device_check_status(device);
    return status != VK_SUCCESS ? status : result;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_DeviceWaitIdle(VkDevice handle)
{
    struct vk_device *device = vk_device_from_handle(handle);
    list_foreach (&device->queues, struct vk_queue, queue, link) {
        VkResult result = device->dispatch.QueueWaitIdle(vk_queue_to_handle(queue));
        if (result != VK_SUCCESS)
            return result;
    }
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vk_common_GetDeviceQueue2(VkDevice handle, const VkDeviceQueueInfo2 *info,
                                                     VkQueue *queue_out)
{
    *queue_out = VK_NULL_HANDLE;
    list_foreach (&vk_device_from_handle(handle)->queues, struct vk_queue, queue, link) {
        if (queue->flags == info->flags && queue->family_index == info->queueFamilyIndex &&
            queue->index == info->queueIndex)
            *queue_out = vk_queue_to_handle(queue);
    }
}

VKAPI_ATTR void VKAPI_CALL vk_common_GetDeviceQueue(VkDevice handle, uint32_t family_index, uint32_t index,
                                                    VkQueue *queue_out)
{
    VkDeviceQueueInfo2 info = vk_struct_init(VkDeviceQueueInfo2);
    info.queueFamilyIndex = family_index;
    info.queueIndex = index;
    vk_device_from_handle(handle)->dispatch.GetDeviceQueue2(handle, &info, queue_out);
}
