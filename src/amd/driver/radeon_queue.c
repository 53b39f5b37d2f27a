/* Queues: what every submission begins with, memory for waves that spill, and the way into the kernel. */
#include <errno.h>
#include <string.h>

#include "amd/compiler/args.h"
#include "amd/driver/radeon_cmd.h"
#include "amd/driver/radeon_device.h"
#include "amd/driver/radeon_hang.h"
#include "amd/driver/radeon_preamble.h"
#include "amd/hw/descriptors.h"
#include "amd/hw/regs_compute.h"
#include "amd/hw/regs_ge.h"
#include "util/bits.h"
#include "util/debug.h"
#include "vulkan/runtime/object/vk_struct.h"

/* ---- contexts ---- */

/* Queues of one priority share a context of the kernel; it lives as long as one of them. */
static VkResult context_take(struct radeon_device *device, enum radeon_priority priority, uint32_t *context_out)
{
    static const int32_t levels[RADEON_PRIORITY_COUNT] = {AMDGPU_CTX_PRIORITY_LOW, AMDGPU_CTX_PRIORITY_NORMAL,
                                                          AMDGPU_CTX_PRIORITY_HIGH, AMDGPU_CTX_PRIORITY_VERY_HIGH};
    int error = 0;
    pthread_mutex_lock(&device->context_lock);
    if (!device->contexts[priority].users)
        error = amd_ws_context_create(device->ws, levels[priority], &device->contexts[priority].id);
    if (!error) {
        device->contexts[priority].users++;
        *context_out = device->contexts[priority].id;
    }
    pthread_mutex_unlock(&device->context_lock);
    return vk_kernel_result(error);
}

static void context_give(struct radeon_device *device, enum radeon_priority priority)
{
    pthread_mutex_lock(&device->context_lock);
    if (--device->contexts[priority].users == 0)
        amd_ws_context_destroy(device->ws, device->contexts[priority].id);
    pthread_mutex_unlock(&device->context_lock);
}

enum {
    RINGS_COMPUTE,
    RINGS_GRAPHICS,
    RINGS_TASKS, /* of the compute ring beside the graphics ring */
    RINGS_COUNT,
    RINGS_B = 512, /* one table, with room */
};
_Static_assert(AMD_RING_COUNT * 16 <= RINGS_B, "a ring table does not fit its place");

static struct radeon_device *device_of(struct radeon_queue *queue)
{
    return radeon_device_of(queue->vk.base.device);
}

static bool is_transfer(const struct radeon_queue *queue)
{
    return queue->ip_type == AMDGPU_HW_IP_DMA;
}

/* ---- memory of waves ---- */

static void scratch_descriptor(uint64_t va, uint32_t wave_size, uint32_t words_out[4])
{
    amd_pack_desc_BUFFER(RADEON_GFX, words_out,
                         &(const struct amd_desc_BUFFER){
                             .BASE_ADDRESS = va & 0xffffffffffff,
                             .SWIZZLE_ENABLE = 1,
                             .NUM_RECORDS = UINT32_MAX,
                             .FORMAT = 22, /* 32 bits, float: a swizzled buffer needs some format */
                             .INDEX_STRIDE = wave_size == 32 ? 2 : 3,
                             .ADD_TID_ENABLE = true,
                             .RESOURCE_LEVEL = 1,
                             .OOB_SELECT = AMD_OOB_SELECT_DISABLED,
                         });
}

/* The tables are read by work that is on its way: nothing may change in them before that is done. */
static VkResult wait_idle(struct radeon_queue *queue)
{
    if (!queue->last_sequence)
        return VK_SUCCESS;
    int done = amd_ws_wait(device_of(queue)->ws, queue->context, queue->ip_type, queue->ring, queue->last_sequence,
                           UINT64_MAX);
    return done < 0 ? vk_kernel_result(done) : VK_SUCCESS;
}

#define MAX_SCRATCH_B (1u << 30) /* of a queue, as long as LEAST_WAVES fit */
#define LEAST_WAVES 64u

static VkResult grow_scratch(struct radeon_queue *queue, int which, uint32_t bytes_per_wave, bool *changed)
{
    struct radeon_device *device = device_of(queue);
    struct radeon_scratch *scratch = &queue->scratch[which];
    bytes_per_wave = (uint32_t)align_u64(bytes_per_wave, 1024);
    if (bytes_per_wave <= scratch->bytes_per_wave)
        return VK_SUCCESS;
    VkResult result = wait_idle(queue);
    if (result != VK_SUCCESS)
        return result;
    struct ws_bo *bo;
    /* Stacks of rays may be so large that the GPU is not filled: fewer waves run at once then. */
    const uint32_t affordable = MAX2(MAX_SCRATCH_B / bytes_per_wave, LEAST_WAVES);
    uint32_t waves = MIN2(MIN2(device->physical->max_waves, 4095u), affordable);
    int error = amd_ws_bo_create(device->ws, (uint64_t)bytes_per_wave * waves, 4096, AMDGPU_GEM_DOMAIN_VRAM, 0, 0, &bo);
    if (error)
        return error == -ENOMEM ? VK_ERROR_OUT_OF_DEVICE_MEMORY : vk_kernel_result(error);
    amd_ws_bo_unref(scratch->bo);
    *scratch = (struct radeon_scratch){.bo = bo, .bytes_per_wave = bytes_per_wave, .waves = waves};
    uint32_t *table = (uint32_t *)((uint8_t *)queue->rings->vk.map + which * RINGS_B);
    scratch_descriptor(bo->vk.va, 32, &table[4 * AMD_RING_SCRATCH_32]);
    scratch_descriptor(bo->vk.va, 64, &table[4 * AMD_RING_SCRATCH_64]);
    *changed = true;
    return VK_SUCCESS;
}

static void set_ring(struct radeon_queue *queue, int which, enum amd_ring ring, uint64_t va, uint32_t size_B)
{
    uint32_t *table = (uint32_t *)((uint8_t *)queue->rings->vk.map + which * RINGS_B);
    amd_pack_desc_BUFFER(RADEON_GFX, &table[4 * ring],
                         &(const struct amd_desc_BUFFER){
                             .BASE_ADDRESS = va & 0xffffffffffff,
                             .NUM_RECORDS = size_B,
                             .DST_SEL_X = AMD_DST_SEL_X,
                             .DST_SEL_Y = AMD_DST_SEL_Y,
                             .DST_SEL_Z = AMD_DST_SEL_Z,
                             .DST_SEL_W = AMD_DST_SEL_W,
                             .FORMAT = 22, /* 32 bits, float */
                             .RESOURCE_LEVEL = 1,
                             .OOB_SELECT = AMD_OOB_SELECT_RAW,
                         });
}

/* Geometry shaders write to it and copy shaders read from it; the geometry engine says where. */
static VkResult grow_geometry_ring(struct radeon_queue *queue, uint32_t size_B, bool *changed)
{
    struct radeon_device *device = device_of(queue);
    if (size_B <= queue->geometry_ring_B)
        return VK_SUCCESS;
    VkResult result = wait_idle(queue);
    if (result != VK_SUCCESS)
        return result;
    struct ws_bo *bo;
    int error = amd_ws_bo_create(device->ws, align_u64(size_B, 4096), 4096, AMDGPU_GEM_DOMAIN_VRAM, 0, 0, &bo);
    if (error)
        return error == -ENOMEM ? VK_ERROR_OUT_OF_DEVICE_MEMORY : vk_kernel_result(error);
    amd_ws_bo_unref(queue->geometry_ring);
    queue->geometry_ring = bo;
    queue->geometry_ring_B = size_B;
    set_ring(queue, RINGS_GRAPHICS, AMD_RING_GSVS, bo->vk.va, size_B);
    *changed = true;
    return VK_SUCCESS;
}

/* Between task and mesh shaders: what both command processors know of it, entries, payloads. The pointers begin one
 * round further than the entries' state, so that none is ready. */
enum {
    TASK_ENTRIES_B = 256,
    TASK_PAYLOAD_B = TASK_ENTRIES_B + 16 * AMD_TASK_ENTRIES,
    TASK_RING_B = TASK_PAYLOAD_B + AMD_TASK_ENTRIES * AMD_TASK_PAYLOAD_B,
};

static VkResult create_task_ring(struct radeon_queue *queue, bool *changed)
{
    struct radeon_device *device = device_of(queue);
    void *map;
    if (queue->task_ring)
        return VK_SUCCESS;
    VkResult result = wait_idle(queue);
    if (result != VK_SUCCESS)
        return result;
    int error = amd_ws_bo_create(device->ws, align_u64(TASK_RING_B, 4096), 4096, AMDGPU_GEM_DOMAIN_VRAM,
                                 WS_BO_CPU_ACCESS, 0, &queue->task_ring);
    if (!error)
        error = amd_ws_bo_map(queue->task_ring, &map);
    if (error) {
        amd_ws_bo_unref(queue->task_ring);
        queue->task_ring = NULL;
        return error == -ENOMEM ? VK_ERROR_OUT_OF_DEVICE_MEMORY : vk_kernel_result(error);
    }
    const uint64_t va = queue->task_ring->vk.va, entries_va = va + TASK_ENTRIES_B;
    memset(map, 0, TASK_PAYLOAD_B);
    const uint32_t control[9] = {AMD_TASK_ENTRIES,
                                 0, /* written */
                                 AMD_TASK_ENTRIES,
                                 0, /* read */
                                 AMD_TASK_ENTRIES,
                                 0, /* free */
                                 AMD_TASK_ENTRIES,
                                 (uint32_t)entries_va,
                                 (uint32_t)(entries_va >> 32)};
    memcpy(map, control, sizeof(control));
    for (int which = RINGS_GRAPHICS; which <= RINGS_TASKS; which++) {
        set_ring(queue, which, AMD_RING_TASK_ENTRIES, entries_va, 16 * AMD_TASK_ENTRIES);
        set_ring(queue, which, AMD_RING_TASK_PAYLOAD, va + TASK_PAYLOAD_B, AMD_TASK_ENTRIES * AMD_TASK_PAYLOAD_B);
    }
    *changed = true;
    return VK_SUCCESS;
}

/* With the queue's first work: many queues never have any. */
static VkResult create_rings(struct radeon_queue *queue)
{
    struct radeon_device *device = device_of(queue);
    if (queue->rings || is_transfer(queue))
        return VK_SUCCESS;
    int error = amd_ws_bo_create(device->ws, 4096, 4096, AMDGPU_GEM_DOMAIN_VRAM, WS_BO_CPU_ACCESS | WS_BO_VA_32, 0,
                                 &queue->rings);
    void *map;
    if (!error)
        error = amd_ws_bo_map(queue->rings, &map);
    if (error) {
        amd_ws_bo_unref(queue->rings);
        queue->rings = NULL;
        return vk_kernel_result(error);
    }
    memset(map, 0, 4096);
    for (int which = 0; which < RINGS_COUNT; which++)
        radeon_sample_positions((float *)((uint8_t *)map + which * RINGS_B + 16 * AMD_RING_SAMPLE_POS_1X));
    return VK_SUCCESS;
}

/* ---- preambles ---- */

static uint32_t tmpring(const struct radeon_scratch *scratch)
{
    return AMD_PACK(RADEON_GFX, COMPUTE_TMPRING_SIZE, .WAVES = scratch->waves,
                    .WAVESIZE = scratch->bytes_per_wave / 1024);
}

/* The geometry engine must have let go of the ring before its size changes. */
static void emit_geometry_ring(const struct radeon_queue *queue, struct radeon_cs *cs)
{
    radeon_emit_order(cs, false, RADEON_AFTER_VERTICES | RADEON_GEOMETRY_ENDS);
    radeon_cs_reserve(cs, 3);
    radeon_set_uconfig_reg(cs, AMD_REG_VGT_GSVS_RING_SIZE, queue->geometry_ring_B / 256);
}

static void emit_task_ring(const struct radeon_queue *queue, struct radeon_cs *cs, bool is_compute)
{
    radeon_cs_reserve(cs, AMD_PKT_DISPATCH_TASK_STATE_INIT_DW);
    RADEON_PACKET(cs, DISPATCH_TASK_STATE_INIT, .flags.compute = is_compute,
                  .CONTROL_BUF_ADDR = queue->task_ring->vk.va);
}

static void write_preamble(struct radeon_queue *queue, struct radeon_cs *cs, bool after_wait)
{
    struct radeon_device *device = device_of(queue);
    radeon_cs_reset(cs);
    if (is_transfer(queue)) {
        radeon_cs_reserve(cs, 1);
        radeon_emit(cs, 0);
        radeon_cs_end(cs);
        return;
    }
    bool is_compute = queue->ip_type == AMDGPU_HW_IP_COMPUTE;
    if (!is_compute)
        radeon_graphics_preamble(device, cs, tmpring(&queue->scratch[RINGS_GRAPHICS]),
                                 radeon_pointer32(device, queue->rings->vk.va + RINGS_GRAPHICS * RINGS_B));
    if (queue->geometry_ring)
        emit_geometry_ring(queue, cs);
    if (queue->task_ring)
        emit_task_ring(queue, cs, false);
    radeon_compute_preamble(device, cs, tmpring(&queue->scratch[RINGS_COMPUTE]),
                            radeon_pointer32(device, queue->rings->vk.va + RINGS_COMPUTE * RINGS_B));
    /* Code and data may have changed since these caches saw them: by the host, by another queue. After a wait the work
     * that is still on its way here must end first. */
    uint32_t order =
        RADEON_FRESH_CODE | RADEON_FRESH_SCALAR | RADEON_FRESH_VECTOR | RADEON_FRESH_L2 | RADEON_STATISTICS_ON;
    if (after_wait)
        order |= RADEON_AFTER_COMPUTE | (is_compute ? 0 : RADEON_AFTER_PIXELS);
    radeon_emit_order(cs, is_compute, order);
    radeon_cs_end(cs);
}

/* For the compute ring beside this one. */
static void write_task_preamble(struct radeon_queue *queue)
{
    struct radeon_device *device = device_of(queue);
    struct radeon_cs *cs = &queue->task_preamble;
    radeon_cs_reset(cs);
    radeon_compute_preamble(device, cs, tmpring(&queue->scratch[RINGS_TASKS]),
                            radeon_pointer32(device, queue->rings->vk.va + RINGS_TASKS * RINGS_B));
    emit_task_ring(queue, cs, true);
    radeon_emit_order(cs, true,
                      RADEON_FRESH_CODE | RADEON_FRESH_SCALAR | RADEON_FRESH_VECTOR | RADEON_FRESH_L2 |
                          RADEON_STATISTICS_ON);
    radeon_cs_end(cs);
}

static VkResult update_preambles(struct radeon_queue *queue)
{
    queue->preamble_tess = atomic_load(&device_of(queue)->tess_rings);
    if (queue->task_ring)
        write_task_preamble(queue);
    if (queue->task_preamble.error)
        return queue->task_preamble.error;
    write_preamble(queue, &queue->preamble, false);
    queue->has_preambles = !queue->preamble.error;
    queue->has_preamble_after_wait = false;
    return queue->preamble.error;
}

/* The queue's work that is pending uses another one, if any. */
static VkResult update_preamble_after_wait(struct radeon_queue *queue)
{
    if (!queue->has_preamble_after_wait)
        write_preamble(queue, &queue->preamble_after_wait, true);
    queue->has_preamble_after_wait = !queue->preamble_after_wait.error;
    return queue->preamble_after_wait.error;
}

/* Makes the queue's memory that the command buffers need before they can run. */
static VkResult prepare_queue(struct radeon_queue *queue, const struct vk_work *work)
{
    uint32_t compute_B = 0, graphics_B = 0, tasks_B = 0, ring_B = 0;
    bool has_tasks = false;
    for (uint32_t i = 0; i < work->command_buffer_count; i++) {
        const struct radeon_cmd_buffer *cmd = radeon_cmd_of(work->command_buffers[i]);
        compute_B = MAX2(compute_B, cmd->compute_scratch_B_per_wave);
        graphics_B = MAX2(graphics_B, cmd->graphics_scratch_B_per_wave);
        ring_B = MAX2(ring_B, cmd->geometry_ring_B);
        tasks_B = MAX2(tasks_B, cmd->tasks_scratch_B_per_wave);
        has_tasks |= !radeon_cs_is_empty(&cmd->tasks);
    }
    bool changed = !queue->has_preambles || queue->preamble_tess != atomic_load(&device_of(queue)->tess_rings);
    VkResult result = create_rings(queue);
    if (result == VK_SUCCESS)
        result = grow_scratch(queue, RINGS_COMPUTE, compute_B, &changed);
    if (result == VK_SUCCESS)
        result = grow_scratch(queue, RINGS_GRAPHICS, graphics_B, &changed);
    if (result == VK_SUCCESS)
        result = grow_geometry_ring(queue, ring_B, &changed);
    if (result == VK_SUCCESS)
        result = grow_scratch(queue, RINGS_TASKS, tasks_B, &changed);
    if (result == VK_SUCCESS && has_tasks)
        result = create_task_ring(queue, &changed);
    if (result == VK_SUCCESS && changed)
        result = wait_idle(queue);
    if (result == VK_SUCCESS && changed)
        result = update_preambles(queue);
    return result == VK_SUCCESS && work->wait_count ? update_preamble_after_wait(queue) : result;
}

/* ---- submission ---- */

static void fill_points(struct ws_sync_point *out, const struct vk_syncobj_point *points, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        out[i] = (struct ws_sync_point){.handle = points[i].handle, .point = points[i].value};
}

/* A command buffer that may be pending twice is called by an entry of its own in the kernel's list; others are chained,
 * each by the jump at the end of the one before it. */
static uint32_t collect_ibs(const struct vk_work *work, uint32_t first, uint32_t end, bool of_tasks, struct ws_ib *ibs,
                            uint32_t *count, uint32_t most)
{
    struct radeon_cs *previous = NULL;
    uint32_t i = first;
    for (; i < end; i++) {
        struct radeon_cmd_buffer *cmd = radeon_cmd_of(work->command_buffers[i]);
        struct radeon_cs *cs = of_tasks ? &cmd->tasks : &cmd->cs;
        if (radeon_cs_is_empty(cs))
            continue;
        bool alone = cmd->vk.usage & VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
        if (previous && !alone) {
            radeon_cs_chain(previous, cs);
        } else {
            if (*count == most)
                break;
            ibs[(*count)++] = radeon_cs_ib(cs);
        }
        if (!alone)
            radeon_cs_chain(cs, NULL);
        previous = alone ? NULL : cs;
    }
    return i;
}

/* Streams for the compute ring beside this one: never more of them than of the others. */
static uint32_t collect_tasks(struct radeon_queue *queue, const struct vk_work *work, uint32_t first, uint32_t end,
                              struct ws_ib *ibs)
{
    uint32_t count = 0;
    if (!queue->task_ring)
        return 0;
    ibs[count++] = radeon_cs_ib(&queue->task_preamble);
    collect_ibs(work, first, end, true, ibs, &count, WS_MAX_IBS);
    return count > 1 ? count : 0;
}

/* Where a submission goes on: a command buffer, and of one for the DMA engine the piece of its stream. */
struct cursor {
    uint32_t next;
    struct radeon_piece piece; /* .chunk NULL: the first */
};

/* The DMA engine cannot jump: every piece is an entry. An engine without work still signals: an empty packet. */
static void collect_pieces(struct radeon_queue *queue, const struct vk_work *work, struct cursor *at, struct ws_ib *ibs,
                           uint32_t *count)
{
    for (; at->next < work->command_buffer_count; at->next++) {
        const struct radeon_cs *cs = &radeon_cmd_of(work->command_buffers[at->next])->cs;
        if (radeon_cs_is_empty(cs))
            continue;
        if (!at->piece.chunk)
            at->piece = radeon_cs_first(cs);
        for (; at->piece.chunk; at->piece = radeon_cs_next(cs, &at->piece)) {
            if (*count == WS_MAX_IBS)
                return;
            ibs[(*count)++] = (struct ws_ib){.va = at->piece.va, .size_dw = at->piece.count_dw};
        }
    }
    if (!*count)
        ibs[(*count)++] = radeon_cs_ib(&queue->preamble);
}

static VkResult submit_ibs(struct radeon_queue *queue, const struct vk_work *work, struct ws_sync_point *points)
{
    struct radeon_device *device = device_of(queue);
    fill_points(points, work->waits, work->wait_count);
    fill_points(points + work->wait_count, work->signals, work->signal_count);
    struct cursor at = {0};
    bool is_first = true;
    do {
        struct ws_ib ibs[WS_MAX_IBS], tasks[WS_MAX_IBS];
        uint32_t count = 0, num_tasks = 0;
        if (is_transfer(queue)) {
            collect_pieces(queue, work, &at, ibs, &count);
        } else {
            ibs[count++] = radeon_cs_ib(is_first && work->wait_count ? &queue->preamble_after_wait : &queue->preamble);
            const uint32_t first = at.next;
            at.next = collect_ibs(work, first, work->command_buffer_count, false, ibs, &count, WS_MAX_IBS);
            num_tasks = collect_tasks(queue, work, first, at.next, tasks);
        }
        bool is_last = at.next == work->command_buffer_count;
        int error = amd_ws_submit(device->ws,
                                  &(const struct ws_submit){
                                      .context = queue->context,
                                      .ip_type = queue->ip_type,
                                      .ring = queue->ring,
                                      .ibs = ibs,
                                      .ib_count = count,
                                      .companions = tasks,
                                      .companion_count = num_tasks,
                                      .waits = points,
                                      .wait_count = is_first ? work->wait_count : 0,
                                      .signals = points + work->wait_count,
                                      .signal_count = is_last ? work->signal_count : 0,
                                  },
                                  &queue->last_sequence);
        if (error == -ENOMEM)
            return VK_ERROR_OUT_OF_DEVICE_MEMORY;
        if (error)
            return vk_device_set_lost(&device->vk, "the kernel refused a submission: %s", strerror(-error));
        is_first = false;
    } while (at.next < work->command_buffer_count);
    return VK_SUCCESS;
}

static VkResult submit_work(struct vk_queue *base, const struct vk_work *work)
{
    struct radeon_queue *queue = (struct radeon_queue *)base;
    struct radeon_device *device = device_of(queue);
    VkResult result = prepare_queue(queue, work);
    if (result != VK_SUCCESS)
        return result;
    struct ws_sync_point few[16], *points = few;
    uint32_t num_points = work->wait_count + work->signal_count;
    if (num_points > ARRAY_SIZE(few))
        points = vk_alloc(&device->vk.alloc, NULL, num_points * sizeof(*points), VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
    if (!points)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    result = submit_ibs(queue, work, points);
    if (points != few)
        vk_free(&device->vk.alloc, NULL, points);
    if (result == VK_SUCCESS && (debug_enabled(DEBUG_SYNC) || debug_enabled(DEBUG_HANG))) {
        wait_idle(queue);
        result = vk_device_check_status(&device->vk);
    }
    if (result == VK_ERROR_DEVICE_LOST && debug_enabled(DEBUG_HANG))
        radeon_hang_report(queue, work, result);
    return result;
}

static enum radeon_priority priority_of(const VkDeviceQueueCreateInfo *info)
{
    const VkDeviceQueueGlobalPriorityCreateInfoKHR *global =
        vk_find_struct_const(info->pNext, VkDeviceQueueGlobalPriorityCreateInfoKHR);
    switch (global ? global->globalPriority : VK_QUEUE_GLOBAL_PRIORITY_MEDIUM_KHR) {
    case VK_QUEUE_GLOBAL_PRIORITY_LOW_KHR:
        return RADEON_PRIORITY_LOW;
    case VK_QUEUE_GLOBAL_PRIORITY_HIGH_KHR:
        return RADEON_PRIORITY_HIGH;
    case VK_QUEUE_GLOBAL_PRIORITY_REALTIME_KHR:
        return RADEON_PRIORITY_REALTIME;
    default:
        return RADEON_PRIORITY_MEDIUM;
    }
}

VkResult radeon_queue_init(struct vk_queue *base, struct vk_device *base_device, const VkDeviceQueueCreateInfo *info,
                           uint32_t index)
{
    struct radeon_queue *queue = (struct radeon_queue *)base;
    struct radeon_device *device = radeon_device_of(base_device);
    queue->priority = priority_of(info);
    VkResult result = context_take(device, queue->priority, &queue->context);
    if (result != VK_SUCCESS)
        return result;
    static const uint32_t engines[RADEON_QUEUE_FAMILY_COUNT] = {[RADEON_QUEUE_GENERAL] = AMDGPU_HW_IP_GFX,
                                                                [RADEON_QUEUE_COMPUTE] = AMDGPU_HW_IP_COMPUTE,
                                                                [RADEON_QUEUE_TRANSFER] = AMDGPU_HW_IP_DMA};
    queue->ip_type = engines[info->queueFamilyIndex];
    queue->ring = index;
    radeon_device_cs_init(device, &queue->preamble_after_wait, NULL);
    radeon_device_cs_init(device, &queue->preamble, NULL);
    radeon_device_cs_init(device, &queue->task_preamble, NULL);
    queue->preamble_after_wait.is_dma = queue->preamble.is_dma = is_transfer(queue);
    result = vk_queue_init(&queue->vk, &device->vk, info, index, submit_work);
    if (result != VK_SUCCESS)
        context_give(device, queue->priority);
    return result;
}

void radeon_queue_finish(struct vk_queue *base)
{
    struct radeon_queue *queue = (struct radeon_queue *)base;
    struct radeon_device *device = device_of(queue);
    vk_queue_finish(&queue->vk);
    radeon_cs_finish(&queue->preamble_after_wait);
    radeon_cs_finish(&queue->preamble);
    radeon_cs_finish(&queue->task_preamble);
    amd_ws_bo_unref(queue->rings);
    amd_ws_bo_unref(queue->geometry_ring);
    amd_ws_bo_unref(queue->task_ring);
    for (int i = 0; i < RINGS_COUNT; i++)
        amd_ws_bo_unref(queue->scratch[i].bo);
    context_give(device, queue->priority);
}
