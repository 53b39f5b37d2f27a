/* Queues: what their registers hold before the first command buffer, and the way into the kernel.
 *
 * A submission is at most one run of jobs for each subqueue. They begin when all waits of the submission are over, in
 * subqueues that have nothing to do as well, for what a later submission brings them must wait, too. Signals come when
 * everything before them is done, in this submission and in earlier ones: as long as one subqueue alone has had work,
 * its order is enough; otherwise a job without a stream gathers the ends of all. */
#include <errno.h>
#include <string.h>

#include "mali/driver/cmd.h"
#include "mali/driver/hang.h"
#include "mali/driver/memory.h"
#include "util/bits.h"
#include "util/debug.h"
#include "vulkan/runtime/object/vk_struct.h"
#include "vulkan/runtime/sync/vk_syncobj.h"
#include "vulkan/runtime/sync/vk_time.h"

/* The subqueue that gathers the ends of all. */
#define GATHERER MALI_FRAGMENT

static struct mali_device *device_of(struct mali_queue *queue)
{
    return mali_device_of(queue->vk.base.device);
}

/* ---- what is submitted ---- */

/* Jobs in the order in which the kernel takes them, with the memory for what they wait for and signal. */
struct batch {
    struct mali_queue *queue;
    const struct vk_work *work;
    struct drm_panthor_queue_submit *jobs;
    struct drm_panthor_sync_op *syncs;
    uint32_t job_count, sync_count;
    uint64_t last;                   /* point of mali_queue.ends */
    uint64_t points[MALI_SUBQUEUES]; /* those of this batch; 0: none */
};

static struct drm_panthor_sync_op sync_op(struct vk_syncobj_point point, uint32_t flags)
{
    return (struct drm_panthor_sync_op){
        .flags = flags | (point.value ? DRM_PANTHOR_SYNC_OP_HANDLE_TYPE_TIMELINE_SYNCOBJ
                                      : DRM_PANTHOR_SYNC_OP_HANDLE_TYPE_SYNCOBJ),
        .handle = point.handle,
        .timeline_value = point.value,
    };
}

static void add_job(struct batch *batch, enum mali_subqueue subqueue, uint64_t va, uint32_t size_B)
{
    batch->jobs[batch->job_count++] = (struct drm_panthor_queue_submit){
        .queue_index = subqueue,
        .stream_addr = va,
        .stream_size = size_B,
        .latest_flush = size_B ? *device_of(batch->queue)->kernel->latest_flush : 0,
        .syncs = {.stride = sizeof(struct drm_panthor_sync_op)},
    };
}

/* To the job that was added last: its operations lie side by side. */
static void add_sync(struct batch *batch, struct vk_syncobj_point point, uint32_t flags)
{
    struct drm_panthor_obj_array *syncs = &batch->jobs[batch->job_count - 1].syncs;
    if (!syncs->count)
        syncs->array = (uintptr_t)&batch->syncs[batch->sync_count];
    batch->syncs[batch->sync_count++] = sync_op(point, flags);
    syncs->count++;
}

static struct vk_syncobj_point end_point(const struct batch *batch, uint64_t value)
{
    return (struct vk_syncobj_point){batch->queue->ends.syncobj, value};
}

static void add_waits(struct batch *batch)
{
    for (uint32_t i = 0; i < batch->work->wait_count; i++)
        add_sync(batch, batch->work->waits[i], DRM_PANTHOR_SYNC_OP_WAIT);
}

static void add_signals(struct batch *batch)
{
    for (uint32_t i = 0; i < batch->work->signal_count; i++)
        add_sync(batch, batch->work->signals[i], DRM_PANTHOR_SYNC_OP_SIGNAL);
}

/* The streams of one subqueue. The waits are the first job's, the end is the last one's. */
static void add_subqueue(struct batch *batch, enum mali_subqueue subqueue)
{
    const struct vk_work *work = batch->work;
    const uint32_t first = batch->job_count;
    for (uint32_t i = 0; i < work->command_buffer_count; i++) {
        const struct mali_piece piece = mali_stream_first(&mali_cmd_of(work->command_buffers[i])->streams[subqueue].s);
        if (!piece.chunk)
            continue;
        add_job(batch, subqueue, piece.va, piece.size_B);
        if (batch->job_count == first + 1)
            add_waits(batch);
    }
    if (batch->job_count > first) {
        batch->points[subqueue] = ++batch->last;
        add_sync(batch, end_point(batch, batch->last), DRM_PANTHOR_SYNC_OP_SIGNAL);
        return;
    }
    if (!work->wait_count)
        return;
    add_job(batch, subqueue, 0, 0);
    add_waits(batch);
}

static void add_end(struct batch *batch)
{
    struct mali_queue *queue = batch->queue;
    if (!batch->work->signal_count)
        return;
    if (!(queue->used & (queue->used - 1))) {
        const enum mali_subqueue only =
            queue->used ? (enum mali_subqueue)__builtin_ctz(queue->used) : (enum mali_subqueue)GATHERER;
        add_job(batch, only, 0, 0);
        add_signals(batch);
        return;
    }
    /* The signals of this batch are found one by one, all that was before by its last point: the kernel's timelines
     * reach a point when they have reached those below. */
    add_job(batch, GATHERER, 0, 0);
    if (queue->ends.last)
        add_sync(batch, end_point(batch, queue->ends.last), DRM_PANTHOR_SYNC_OP_WAIT);
    for (int i = 0; i < MALI_SUBQUEUES; i++) {
        if (batch->points[i])
            add_sync(batch, end_point(batch, batch->points[i]), DRM_PANTHOR_SYNC_OP_WAIT);
    }
    add_signals(batch);
}

static VkResult submit_batch(struct batch *batch)
{
    struct mali_queue *queue = batch->queue;
    struct mali_device *device = device_of(queue);
    const uint32_t used = queue->used;
    batch->last = queue->ends.last;
    for (int i = 0; i < MALI_SUBQUEUES; i++) {
        add_subqueue(batch, (enum mali_subqueue)i);
        queue->used |= batch->points[i] ? 1u << i : 0;
    }
    add_end(batch);
    if (!batch->job_count)
        return VK_SUCCESS;
    int error = mali_group_submit(device->kernel, queue->group, batch->jobs, batch->job_count);
    if (!error) {
        queue->ends.last = batch->last;
        return VK_SUCCESS;
    }
    queue->used = used;
    if (error == -ENOMEM)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    return vk_device_set_lost(&device->vk, "the kernel refused a submission: %s", strerror(-error));
}

static VkResult wait_idle(struct mali_queue *queue)
{
    struct mali_device *device = device_of(queue);
    const struct vk_syncobj_point point = {queue->ends.syncobj, queue->ends.last};
    if (queue->ends.last) {
        VkResult result = vk_syncobj_wait(&device->vk, &point, 1, VK_SYNCOBJ_WAIT_ALL, VK_TIME_NEVER_NS, NULL);
        if (result != VK_SUCCESS)
            return result;
    }
    return vk_device_check_status(&device->vk);
}

static VkResult submit_work(struct vk_queue *base, const struct vk_work *work)
{
    struct mali_queue *queue = (struct mali_queue *)base;
    struct mali_device *device = device_of(queue);
    const size_t max_jobs = MALI_SUBQUEUES * (size_t)MAX2(work->command_buffer_count, 1u) + 1;
    const size_t max_syncs = MALI_SUBQUEUES * ((size_t)work->wait_count + 2) + 1 + work->signal_count;
    struct {
        struct drm_panthor_queue_submit jobs[16];
        struct drm_panthor_sync_op syncs[32];
    } few;
    struct batch batch = {.queue = queue, .work = work, .jobs = few.jobs, .syncs = few.syncs};
    void *memory = NULL;
    if (max_jobs > ARRAY_SIZE(few.jobs) || max_syncs > ARRAY_SIZE(few.syncs)) {
        memory = vk_alloc(&device->vk.alloc, NULL, max_jobs * sizeof(*batch.jobs) + max_syncs * sizeof(*batch.syncs),
                          VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
        if (!memory)
            return VK_ERROR_OUT_OF_HOST_MEMORY;
        batch.jobs = memory;
        batch.syncs = (struct drm_panthor_sync_op *)(batch.jobs + max_jobs);
    }
    VkResult result = submit_batch(&batch);
    vk_free(&device->vk.alloc, NULL, memory);
    if (result == VK_SUCCESS && (debug_enabled(DEBUG_SYNC) || debug_enabled(DEBUG_HANG)))
        result = wait_idle(queue);
    if (result == VK_ERROR_DEVICE_LOST && debug_enabled(DEBUG_HANG))
        mali_hang_report(queue, work, result);
    return result;
}

/* ---- before the first submission ---- */

/* Comparisons are unsigned: what was before a recording is one less than its beginning. */
#define FIRST_PROGRESS 1

/* Registers that every command buffer finds: the queue's memory, and how far the subqueues are. */
static VkResult write_start(struct mali_queue *queue, enum mali_subqueue subqueue)
{
    struct mali_stream *s = &queue->start[subqueue];
    mali_set64(s, mali_context_reg(), queue->context->vk.va);
    for (int of = 0; of < MALI_SUBQUEUES; of++)
        mali_set64(s, mali_progress_reg((enum mali_subqueue)of), FIRST_PROGRESS);
    mali_put_slots(s, MALI_SLOT_WORK);
    if (subqueue != MALI_COMPUTE) {
        mali_set64(s, mali_scratch_pair(0), queue->heap.context_va);
        mali_put_heap_set(s, mali_scratch_pair(0));
    }
    mali_stream_end(s);
    return s->error;
}

static VkResult start_queue(struct mali_queue *queue)
{
    struct mali_device *device = device_of(queue);
    struct mali_context *context = queue->context->vk.map;
    for (int i = 0; i < MALI_SUBQUEUES; i++)
        context->progress[i].value = FIRST_PROGRESS;
    struct drm_panthor_queue_submit jobs[MALI_SUBQUEUES];
    struct batch batch = {.queue = queue, .jobs = jobs};
    for (int i = 0; i < MALI_SUBQUEUES; i++) {
        VkResult result = write_start(queue, (enum mali_subqueue)i);
        if (result != VK_SUCCESS)
            return result;
        const struct mali_piece piece = mali_stream_first(&queue->start[i]);
        add_job(&batch, (enum mali_subqueue)i, piece.va, piece.size_B);
    }
    return vk_kernel_result(mali_group_submit(device->kernel, queue->group, jobs, batch.job_count));
}

/* ---- queues ---- */

static VkResult find_priority(const struct mali_kernel *kernel, const VkDeviceQueueCreateInfo *info,
                              enum drm_panthor_group_priority *priority_out)
{
    const VkDeviceQueueGlobalPriorityCreateInfoKHR *global =
        vk_find_struct_const(info->pNext, VkDeviceQueueGlobalPriorityCreateInfoKHR);
    switch (global ? global->globalPriority : VK_QUEUE_GLOBAL_PRIORITY_MEDIUM_KHR) {
    case VK_QUEUE_GLOBAL_PRIORITY_LOW_KHR:
        *priority_out = PANTHOR_GROUP_PRIORITY_LOW;
        break;
    case VK_QUEUE_GLOBAL_PRIORITY_MEDIUM_KHR:
        *priority_out = PANTHOR_GROUP_PRIORITY_MEDIUM;
        break;
    case VK_QUEUE_GLOBAL_PRIORITY_HIGH_KHR:
        *priority_out = PANTHOR_GROUP_PRIORITY_HIGH;
        break;
    default:
        *priority_out = PANTHOR_GROUP_PRIORITY_REALTIME;
    }
    return kernel->priorities >> *priority_out & 1 ? VK_SUCCESS : VK_ERROR_NOT_PERMITTED_KHR;
}

static VkResult create_parts(struct mali_queue *queue, const VkDeviceQueueCreateInfo *info)
{
    struct mali_device *device = device_of(queue);
    enum drm_panthor_group_priority priority;
    VkResult result = find_priority(device->kernel, info, &priority);
    if (result == VK_SUCCESS)
        result = mali_mapped_bo_create(device, sizeof(struct mali_context), 0, &queue->context);
    if (result == VK_SUCCESS)
        result = mali_queue_heap_init(queue);
    if (result == VK_SUCCESS)
        result = mali_queue_handler_init(queue);
    if (result == VK_SUCCESS)
        result = vk_syncobj_create(&device->vk, false, &queue->ends.syncobj);
    if (result == VK_SUCCESS)
        result = vk_kernel_result(mali_group_create(device->kernel, MALI_SUBQUEUES, priority, &queue->group));
    return result == VK_SUCCESS ? start_queue(queue) : result;
}

static void destroy_parts(struct mali_queue *queue)
{
    struct mali_device *device = device_of(queue);
    if (queue->group)
        mali_group_destroy(device->kernel, queue->group);
    vk_syncobj_destroy(&device->vk, queue->ends.syncobj);
    for (int i = 0; i < MALI_SUBQUEUES; i++)
        mali_stream_finish(&queue->start[i]);
    mali_stream_finish(&queue->handler);
    mali_queue_heap_finish(queue);
    mali_bo_unref(queue->context);
}

VkResult mali_queue_init(struct vk_queue *base, struct vk_device *base_device, const VkDeviceQueueCreateInfo *info,
                         uint32_t index)
{
    struct mali_queue *queue = (struct mali_queue *)base;
    struct mali_device *device = mali_device_of(base_device);
    VkResult result = vk_queue_init(&queue->vk, &device->vk, info, index, submit_work);
    if (result != VK_SUCCESS)
        return result;
    for (int i = 0; i < MALI_SUBQUEUES; i++)
        mali_stream_init(&queue->start[i], &device->chunks[MALI_CHUNK_STREAM], NULL, MALI_SLOT_MEMORY);
    mali_stream_init(&queue->handler, &device->chunks[MALI_CHUNK_STREAM], NULL, MALI_SLOT_MEMORY);
    result = create_parts(queue, info);
    if (result == VK_SUCCESS)
        return result;
    destroy_parts(queue);
    vk_queue_finish(&queue->vk);
    return result == VK_ERROR_OUT_OF_DEVICE_MEMORY ? VK_ERROR_OUT_OF_HOST_MEMORY : result; /* there is one memory */
}

void mali_queue_finish(struct vk_queue *base)
{
    struct mali_queue *queue = (struct mali_queue *)base;
    vk_queue_finish(&queue->vk);
    destroy_parts(queue);
}
