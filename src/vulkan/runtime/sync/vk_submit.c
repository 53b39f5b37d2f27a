/* Submissions: what an application hands to vkQueueSubmit2, made into what a driver can give to its kernel. Nothing of
 * the application's is changed before the kernel has the submission or it is held, so an error needs no undoing. */
#include "vulkan/runtime/sync/vk_submit.h"

#include "util/log.h"
#include "vulkan/runtime/command/vk_command_buffer.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/memory/vk_bo.h"
#include "vulkan/runtime/object/vk_struct.h"
#include "vulkan/runtime/sync/vk_fence.h"
#include "vulkan/runtime/sync/vk_semaphore.h"

/* One allocation for the whole submission. */
static struct vk_submission *create_submission(struct vk_device *device, uint32_t waits, uint32_t command_buffers,
                                               uint32_t signals, uint32_t binds)
{
    size_t size_B = sizeof(struct vk_submission) + binds * sizeof(struct vk_sparse_bind) +
                    waits * (sizeof(struct vk_need) + sizeof(struct vk_syncobj_point)) +
                    signals * (sizeof(struct vk_syncobj_point) + sizeof(void *)) + command_buffers * sizeof(void *);
    struct vk_submission *submission = vk_zalloc(&device->alloc, NULL, size_B, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!submission)
        return NULL;
    char *next = (char *)(submission + 1);
    submission->binds = (void *)next, next += binds * sizeof(struct vk_sparse_bind);
    submission->needs = (void *)next, next += waits * sizeof(struct vk_need);
    submission->work.waits = (void *)next, next += waits * sizeof(struct vk_syncobj_point);
    submission->work.signals = (void *)next, next += signals * sizeof(struct vk_syncobj_point);
    submission->signalled = (void *)next, next += signals * sizeof(void *);
    submission->work.command_buffers = (void *)next;
    list_init(&submission->link);
    return submission;
}

void vk_submission_destroy(struct vk_device *device, struct vk_submission *submission)
{
    for (uint32_t i = 0; i < submission->need_count; i++) {
        const struct vk_need *need = &submission->needs[i];
        if (need->owns_source)
            vk_syncobj_destroy(device, need->source);
        if (need->owns_syncobj)
            vk_syncobj_destroy(device, need->syncobj);
    }
    vk_free(&device->alloc, NULL, submission);
}

/* ---- needs ---- */

/* A wait for a shared binary semaphore takes its fence away, and must do so before the kernel has the submission: from
 * then on another process may know that it can be signalled again. */
static VkResult take_fence(struct vk_device *device, struct vk_need *need)
{
    VkResult result = vk_syncobj_copy(device, (struct vk_syncobj_point){need->source, 0},
                                      (struct vk_syncobj_point){need->syncobj, 0});
    if (result == VK_SUCCESS)
        result = vk_syncobj_reset(device, need->source);
    need->is_taken = result == VK_SUCCESS;
    return result;
}

/* Undoes what vk_submission_prepare took from others. */
static void vk_submission_give_back(struct vk_device *device, struct vk_submission *submission)
{
    for (uint32_t i = 0; i < submission->need_count; i++) {
        struct vk_need *need = &submission->needs[i];
        if (!need->is_taken)
            continue;
        vk_syncobj_copy(device, (struct vk_syncobj_point){need->syncobj, 0},
                        (struct vk_syncobj_point){need->source, 0});
        need->is_taken = false;
    }
}

static VkResult meet_need(struct vk_device *device, struct vk_need *need, struct vk_syncobj_point *wait_out)
{
    if (need->point.timeline) {
        *wait_out = vk_point_in_kernel(need->point);
        return vk_point_check_submitted(device, need->point);
    }
    *wait_out = (struct vk_syncobj_point){need->syncobj, 0};
    return need->source && !need->is_taken ? take_fence(device, need) : VK_SUCCESS;
}

VkResult vk_submission_prepare(struct vk_device *device, struct vk_submission *submission, struct vk_need **blocked_out)
{
    for (uint32_t i = 0; i < submission->need_count; i++) {
        VkResult result = meet_need(device, &submission->needs[i], &submission->work.waits[i]);
        if (result == VK_SUCCESS)
            continue;
        if (blocked_out)
            *blocked_out = &submission->needs[i];
        return result;
    }
    submission->work.wait_count = submission->need_count;
    return VK_SUCCESS;
}

/* The kernel changes addresses at once: what the submission waits for must be over before that. */
static VkResult bind_memory(struct vk_device *device, struct vk_submission *submission)
{
    VkResult result = submission->work.wait_count
                          ? vk_syncobj_wait(device, submission->work.waits, submission->work.wait_count,
                                            VK_SYNCOBJ_WAIT_ALL, INT64_MAX, NULL)
                          : VK_SUCCESS;
    for (uint32_t i = 0; i < submission->bind_count && result == VK_SUCCESS; i++) {
        int error = device->sparse->bind(device, &submission->binds[i]);
        if (error)
            result = vk_kernel_result(error);
    }
    if (result == VK_SUCCESS)
        submission->work.wait_count = 0;
    return result;
}

VkResult vk_submission_run(struct vk_queue *queue, struct vk_submission *submission)
{
    VkResult result = submission->bind_count ? bind_memory(queue->base.device, submission) : VK_SUCCESS;
    if (result == VK_SUCCESS)
        result = queue->submit(queue, &submission->work);
    for (uint32_t i = 0; i < submission->work.signal_count && result == VK_SUCCESS; i++) {
        if (submission->signalled[i])
            vk_timeline_raise(&submission->signalled[i]->submitted, submission->work.signals[i].value);
    }
    return result;
}

void vk_submission_signal_all(struct vk_device *device, struct vk_submission *submission)
{
    for (uint32_t i = 0; i < submission->work.signal_count; i++)
        vk_syncobj_signal(device, submission->work.signals[i]);
}

/* ---- from VkSubmitInfo2 ---- */

/* The payload is only looked at; consume_wait takes it when all is well. */
static VkResult add_binary_wait(struct vk_device *device, struct vk_submission *submission,
                                struct vk_payload_slot *slot)
{
    struct vk_payload *payload = vk_payload_of(slot);
    struct vk_need need = {.point = {atomic_load(&payload->timeline), payload->value}};
    if (payload->syncobj) {
        need.point.timeline = NULL;
        if (payload->is_shared && !payload->taken) {
            VkResult result = vk_syncobj_create(device, false, &payload->taken);
            if (result != VK_SUCCESS)
                return result;
        }
        need.source = payload->is_shared ? payload->syncobj : 0;
        need.syncobj = payload->is_shared ? payload->taken : payload->syncobj;
    } else if (!need.point.timeline) {
        LOG_WARN("vulkan", "a submission waits for a semaphore that nothing signals: it does not wait");
        return VK_SUCCESS;
    } else if (need.point.timeline == &vk_timeline_of_the_past || !need.point.value) {
        return VK_SUCCESS; /* reached from the start: the end of nothing on a queue that has had no work */
    }
    submission->needs[submission->need_count++] = need;
    return VK_SUCCESS;
}

static VkResult add_wait(struct vk_device *device, struct vk_submission *submission, const VkSemaphoreSubmitInfo *info)
{
    struct vk_semaphore *semaphore = vk_semaphore_from_handle(info->semaphore);
    if (semaphore->type == VK_SEMAPHORE_TYPE_BINARY)
        return add_binary_wait(device, submission, &semaphore->binary);
    if (info->value) /* a timeline has reached zero from the start */
        submission->needs[submission->need_count++].point = (struct vk_point){&semaphore->timeline, info->value};
    return VK_SUCCESS;
}

static void add_signal(struct vk_submission *submission, struct vk_timeline *timeline, struct vk_syncobj_point point)
{
    uint32_t i = submission->work.signal_count++;
    submission->work.signals[i] = point;
    submission->signalled[i] = timeline;
}

/* A payload that only this object knows names the end of the submission; one that others see is signalled in the
 * kernel. */
static void add_payload_signal(struct vk_submission *submission, struct vk_payload_slot *slot)
{
    const struct vk_payload *payload = vk_payload_of(slot);
    if (payload->is_shared)
        add_signal(submission, NULL, (struct vk_syncobj_point){payload->syncobj, 0});
    else
        submission->is_named = true;
}

static void add_semaphore_signal(struct vk_submission *submission, const VkSemaphoreSubmitInfo *info)
{
    struct vk_semaphore *semaphore = vk_semaphore_from_handle(info->semaphore);
    if (semaphore->type == VK_SEMAPHORE_TYPE_BINARY)
        add_payload_signal(submission, &semaphore->binary);
    else
        add_signal(submission, &semaphore->timeline,
                   vk_point_in_kernel((struct vk_point){&semaphore->timeline, info->value}));
}

static VkResult fill_submission(struct vk_device *device, struct vk_submission *submission, const VkSubmitInfo2 *info,
                                struct vk_fence *fence)
{
    for (uint32_t i = 0; i < info->waitSemaphoreInfoCount; i++) {
        VkResult result = add_wait(device, submission, &info->pWaitSemaphoreInfos[i]);
        if (result != VK_SUCCESS)
            return result;
    }
    for (uint32_t i = 0; i < info->commandBufferInfoCount; i++)
        submission->work.command_buffers[submission->work.command_buffer_count++] =
            vk_command_buffer_from_handle(info->pCommandBufferInfos[i].commandBuffer);
    for (uint32_t i = 0; i < info->signalSemaphoreInfoCount; i++)
        add_semaphore_signal(submission, &info->pSignalSemaphoreInfos[i]);
    if (fence)
        add_payload_signal(submission, &fence->payload);
    return VK_SUCCESS;
}

/* ---- on its way ---- */

/* A held submission outlives the temporary payloads that it waits for: their syncobjs become its own. */
static void own_temporary(struct vk_submission *submission, struct vk_payload_slot *slot)
{
    struct vk_payload *payload = &slot->temporary;
    if (!slot->has_temporary || !payload->syncobj)
        return;
    for (uint32_t i = 0; i < submission->need_count; i++) {
        struct vk_need *need = &submission->needs[i];
        need->owns_source |= need->source && need->source == payload->syncobj;
        need->owns_syncobj |= need->syncobj == (payload->is_shared ? payload->taken : payload->syncobj);
    }
    payload->syncobj = payload->taken = 0;
}

static VkResult hold_submission(struct vk_queue *queue, struct vk_submission *submission, const VkSubmitInfo2 *info)
{
    VkResult result = vk_held_prepare(queue->base.device, submission);
    for (uint32_t i = 0; i < info->waitSemaphoreInfoCount && result == VK_SUCCESS; i++) {
        struct vk_semaphore *semaphore = vk_semaphore_from_handle(info->pWaitSemaphoreInfos[i].semaphore);
        if (semaphore->type == VK_SEMAPHORE_TYPE_BINARY)
            own_temporary(submission, &semaphore->binary);
    }
    if (result == VK_SUCCESS)
        vk_held_add(queue, submission);
    return result;
}

/* A submission in the kernel, or held, has taken the payloads that it waited for, and will signal others. A
 * semaphore can so be signalled again at once, even while the submission that waits for it is held. */
static void commit_payloads(struct vk_queue *queue, const VkSubmitInfo2 *info, struct vk_fence *fence)
{
    struct vk_device *device = queue->base.device;
    for (uint32_t i = 0; i < info->waitSemaphoreInfoCount; i++) {
        struct vk_semaphore *semaphore = vk_semaphore_from_handle(info->pWaitSemaphoreInfos[i].semaphore);
        if (semaphore->type == VK_SEMAPHORE_TYPE_BINARY)
            vk_payload_consume(device, &semaphore->binary);
    }
    for (uint32_t i = 0; i < info->signalSemaphoreInfoCount; i++) {
        struct vk_semaphore *semaphore = vk_semaphore_from_handle(info->pSignalSemaphoreInfos[i].semaphore);
        if (semaphore->type == VK_SEMAPHORE_TYPE_BINARY)
            vk_payload_set_point(device, vk_payload_of(&semaphore->binary), vk_queue_latest_point(queue));
    }
    if (fence)
        vk_payload_set_point(device, vk_payload_of(&fence->payload), vk_queue_latest_point(queue));
}

/* Work to do, something to wait for, or a signal that others must see; or an end to be named that has no point yet.
 * Without any of it the submission is over when the queue's latest point is reached. */
static bool is_for_kernel(const struct vk_queue *queue, const struct vk_submission *submission)
{
    return submission->work.command_buffer_count || submission->bind_count || submission->need_count ||
           submission->work.signal_count || (submission->is_named && queue->has_unnamed);
}

/* The submission is not the caller's any more, but for errors. */
static VkResult run_or_hold(struct vk_queue *queue, struct vk_submission *submission, const VkSubmitInfo2 *info)
{
    struct vk_device *device = queue->base.device;
    VkResult result = VK_NOT_READY;
    if (!atomic_load(&queue->held_count))
        result = vk_submission_prepare(device, submission, NULL);
    if (result == VK_NOT_READY)
        return hold_submission(queue, submission, info);
    if (result == VK_SUCCESS)
        result = vk_submission_run(queue, submission);
    if (result == VK_SUCCESS)
        vk_submission_destroy(device, submission);
    else
        vk_submission_give_back(device, submission);
    return result;
}

struct binds {
    const struct vk_sparse_bind *all;
    uint32_t count;
};

static VkResult submit_one(struct vk_queue *queue, const VkSubmitInfo2 *info, struct vk_fence *fence, bool names_end,
                           struct binds binds)
{
    struct vk_device *device = queue->base.device;
    struct vk_submission *submission =
        create_submission(device, info->waitSemaphoreInfoCount, info->commandBufferInfoCount,
                          info->signalSemaphoreInfoCount + 2, binds.count);
    if (!submission)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    submission->is_named = names_end;
    submission->bind_count = binds.count;
    for (uint32_t i = 0; i < binds.count; i++)
        submission->binds[i] = binds.all[i];
    VkResult result = fill_submission(device, submission, info, fence);
    bool goes = result == VK_SUCCESS && is_for_kernel(queue, submission), is_named = submission->is_named;
    struct vk_point end = {&queue->timeline, queue->last + 1};
    if (goes && is_named)
        add_signal(submission, end.timeline, vk_point_in_kernel(end));
    if (goes)
        result = run_or_hold(queue, submission, info);
    if (!goes || result != VK_SUCCESS)
        vk_submission_destroy(device, submission);
    if (result != VK_SUCCESS)
        return result;
    if (goes) {
        queue->last += is_named;
        queue->has_unnamed = !is_named;
    }
    commit_payloads(queue, info, fence);
    vk_held_release(device);
    return VK_SUCCESS;
}

static const VkSubmitInfo2 nothing = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2};
static const struct binds no_binds;

VkResult vk_queue_submit_binds(struct vk_queue *queue, const VkSubmitInfo2 *info, const struct vk_sparse_bind *binds,
                               uint32_t bind_count, struct vk_fence *fence)
{
    return submit_one(queue, info, fence, false, (struct binds){binds, bind_count});
}

VkResult vk_queue_name_end(struct vk_queue *queue, struct vk_point *point_out)
{
    VkResult result = queue->has_unnamed ? submit_one(queue, &nothing, NULL, true, no_binds) : VK_SUCCESS;
    *point_out = vk_queue_latest_point(queue);
    return result;
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
        return fence ? submit_one(queue, &nothing, fence, false, no_binds) : VK_SUCCESS;
    for (uint32_t i = 0; i < count; i++) {
        VkResult result = submit_one(queue, &infos[i], i + 1 == count ? fence : NULL, false, no_binds);
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
