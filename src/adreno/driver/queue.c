/* Queues: what every submission begins and ends with, and the way into the kernel. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/driver/cmd.h"
#include "adreno/driver/hang.h"
#include "util/bits.h"
#include "util/debug.h"
#include "vulkan/runtime/object/vk_struct.h"
#include "vulkan/runtime/sync/vk_time.h"

static struct adreno_device *device_of(struct adreno_queue *queue)
{
    return adreno_device_of(queue->vk.base.device);
}

/* ---- around the command buffers ---- */

/* Code and data may have changed since UCHE saw them: by the host, by other queues. */
static VkResult write_before(struct adreno_queue *queue)
{
    struct adreno_cs *cs = &queue->before;
    adreno_cs_reserve(cs, 16);
    adreno_event(cs, ADRENO_EVENT_CACHE_INVALIDATE);
    ADRENO_PACKET(cs, CP_WAIT_FOR_IDLE);
    adreno_emit_start(device_of(queue), cs);
    adreno_cs_end(cs);
    return cs->error;
}

/* The kernel writes UCHE back; the CCU is ours. */
static VkResult write_after(struct adreno_queue *queue)
{
    struct adreno_cs *cs = &queue->after;
    adreno_cs_reserve(cs, ADRENO_ORDER_DW);
    adreno_emit_order(cs, ADRENO_CLEAN_ALL | ADRENO_WAIT_IDLE, adreno_word_va(device_of(queue), ADRENO_WORD_EVENTS));
    adreno_cs_end(cs);
    return cs->error;
}

/* ---- submission ---- */

static void fill_points(struct drm_msm_syncobj *out, const struct vk_syncobj_point *points, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        out[i] = (struct drm_msm_syncobj){.handle = points[i].handle, .point = points[i].value};
}

static uint32_t add_pieces(struct adreno_piece *out, const struct adreno_cs *cs)
{
    if (cs->pieces.count)
        memcpy(out, cs->pieces.data, cs->pieces.count * sizeof(*out));
    return cs->pieces.count;
}

/* Command buffers that record nothing need nothing around them. */
static uint32_t collect_pieces(struct adreno_queue *queue, const struct vk_work *work, struct adreno_piece *out)
{
    uint32_t count = add_pieces(out, &queue->before);
    const uint32_t first = count;
    for (uint32_t i = 0; i < work->command_buffer_count; i++)
        count += add_pieces(out + count, &adreno_cmd_of(work->command_buffers[i])->cs);
    return count == first ? 0 : count + add_pieces(out + count, &queue->after);
}

static uint32_t most_pieces(const struct adreno_queue *queue, const struct vk_work *work)
{
    uint32_t count = queue->before.pieces.count + queue->after.pieces.count;
    for (uint32_t i = 0; i < work->command_buffer_count; i++)
        count += adreno_cmd_of(work->command_buffers[i])->cs.pieces.count;
    return count;
}

static VkResult submit_work(struct adreno_queue *queue, const struct vk_work *work, struct adreno_piece *pieces,
                            struct drm_msm_syncobj *points)
{
    struct adreno_device *device = device_of(queue);
    fill_points(points, work->waits, work->wait_count);
    fill_points(points + work->wait_count, work->signals, work->signal_count);
    int error = adreno_kernel_submit(device->kernel,
                                     &(const struct adreno_submit){
                                         .queue = queue->id,
                                         .pieces = pieces,
                                         .piece_count = collect_pieces(queue, work, pieces),
                                         .waits = points,
                                         .signals = points + work->wait_count,
                                         .wait_count = work->wait_count,
                                         .signal_count = work->signal_count,
                                     },
                                     &queue->last_fence);
    if (error == -ENOMEM)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    return error ? vk_device_set_lost(&device->vk, "the kernel refused a submission: %s", strerror(-error))
                 : VK_SUCCESS;
}

static VkResult wait_idle(struct adreno_queue *queue)
{
    struct adreno_device *device = device_of(queue);
    if (queue->last_fence)
        adreno_kernel_wait(device->kernel, queue->id, queue->last_fence, VK_TIME_NEVER_NS);
    return vk_device_check_status(&device->vk);
}

static VkResult submit_queue(struct vk_queue *base, const struct vk_work *work)
{
    struct adreno_queue *queue = (struct adreno_queue *)base;
    struct adreno_device *device = device_of(queue);
    const size_t pieces_B = most_pieces(queue, work) * sizeof(struct adreno_piece);
    const size_t points_B = (work->wait_count + work->signal_count) * sizeof(struct drm_msm_syncobj);
    struct {
        struct adreno_piece pieces[16];
        struct drm_msm_syncobj points[16];
    } few;
    struct adreno_piece *pieces = few.pieces;
    struct drm_msm_syncobj *points = few.points;
    void *memory = NULL;
    if (pieces_B > sizeof(few.pieces) || points_B > sizeof(few.points)) {
        memory = vk_alloc(&device->vk.alloc, NULL, pieces_B + points_B, VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
        if (!memory)
            return VK_ERROR_OUT_OF_HOST_MEMORY;
        pieces = memory;
        points = (struct drm_msm_syncobj *)((uint8_t *)memory + pieces_B);
    }
    VkResult result = submit_work(queue, work, pieces, points);
    vk_free(&device->vk.alloc, NULL, memory);
    if (result == VK_SUCCESS && (debug_enabled(DEBUG_SYNC) || debug_enabled(DEBUG_HANG)))
        result = wait_idle(queue);
    if (result == VK_ERROR_DEVICE_LOST && debug_enabled(DEBUG_HANG))
        adreno_hang_report(queue, work, result);
    return result;
}

/* ---- queues ---- */

/* The kernel counts from 0, the highest; it says how many there are. None of them is above all others. */
static VkResult find_priority(const struct adreno_kernel *kernel, const VkDeviceQueueCreateInfo *info,
                              uint32_t *priority_out)
{
    const VkDeviceQueueGlobalPriorityCreateInfoKHR *global =
        vk_find_struct_const(info->pNext, VkDeviceQueueGlobalPriorityCreateInfoKHR);
    const uint32_t lowest = MAX2(kernel->priorities, 1u) - 1;
    switch (global ? global->globalPriority : VK_QUEUE_GLOBAL_PRIORITY_MEDIUM_KHR) {
    case VK_QUEUE_GLOBAL_PRIORITY_LOW_KHR:
        *priority_out = lowest;
        return VK_SUCCESS;
    case VK_QUEUE_GLOBAL_PRIORITY_MEDIUM_KHR:
        *priority_out = lowest / 2;
        return VK_SUCCESS;
    case VK_QUEUE_GLOBAL_PRIORITY_HIGH_KHR:
        *priority_out = 0;
        return VK_SUCCESS;
    default:
        return VK_ERROR_NOT_PERMITTED_KHR;
    }
}

VkResult adreno_queue_init(struct vk_queue *base, struct vk_device *base_device, const VkDeviceQueueCreateInfo *info,
                           uint32_t index)
{
    struct adreno_queue *queue = (struct adreno_queue *)base;
    struct adreno_device *device = adreno_device_of(base_device);
    uint32_t priority;
    VkResult result = find_priority(device->kernel, info, &priority);
    if (result == VK_SUCCESS)
        result = vk_kernel_result(adreno_submitqueue_create(device->kernel, priority, &queue->id));
    if (result != VK_SUCCESS)
        return result;
    adreno_cs_init(&queue->before, &device->chunks[ADRENO_CHUNK_STREAM], NULL);
    adreno_cs_init(&queue->after, &device->chunks[ADRENO_CHUNK_STREAM], NULL);
    result = vk_queue_init(&queue->vk, &device->vk, info, index, submit_queue);
    if (result != VK_SUCCESS) {
        adreno_submitqueue_destroy(device->kernel, queue->id);
        return result;
    }
    result = write_before(queue);
    if (result == VK_SUCCESS)
        result = write_after(queue);
    if (result == VK_SUCCESS)
        return result;
    adreno_queue_finish(base);
    return VK_ERROR_OUT_OF_HOST_MEMORY; /* of either kind: there is one memory */
}

void adreno_queue_finish(struct vk_queue *base)
{
    struct adreno_queue *queue = (struct adreno_queue *)base;
    struct adreno_device *device = device_of(queue);
    vk_queue_finish(&queue->vk);
    adreno_cs_finish(&queue->before);
    adreno_cs_finish(&queue->after);
    adreno_submitqueue_destroy(device->kernel, queue->id);
}
