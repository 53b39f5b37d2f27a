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
#include "vulkan/runtime/vk_struct.h"

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
    uint32_t waves = MIN2(device->physical->max_waves, 4095u);
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
    uint32_t *table = (uint32_t *)((uint8_t *)queue->rings->vk.map + RINGS_GRAPHICS * RINGS_B);
    amd_pack_desc_BUFFER(RADEON_GFX, &table[4 * AMD_RING_GSVS],
                         &(const struct amd_desc_BUFFER){
                             .BASE_ADDRESS = bo->vk.va & 0xffffffffffff,
                             .NUM_RECORDS = size_B,
                             .DST_SEL_X = AMD_DST_SEL_X,
                             .DST_SEL_Y = AMD_DST_SEL_Y,
                             .DST_SEL_Z = AMD_DST_SEL_Z,
                             .DST_SEL_W = AMD_DST_SEL_W,
                             .FORMAT = 22, /* 32 bits, float */
                             .RESOURCE_LEVEL = 1,
                             .OOB_SELECT = AMD_OOB_SELECT_RAW,
                         });
    *changed = true;
    return VK_SUCCESS;
}

static VkResult create_rings(struct radeon_queue *queue)
{
    struct radeon_device *device = device_of(queue);
    int error = amd_ws_bo_create(device->ws, 4096, 4096, AMDGPU_GEM_DOMAIN_VRAM, WS_BO_CPU_ACCESS | WS_BO_VA_32, 0,
                                 &queue->rings);
    void *map;
    if (!error)
        error = amd_ws_bo_map(queue->rings, &map);
    if (error)
        return vk_kernel_result(error);
    memset(map, 0, 4096);
    for (int which = RINGS_COMPUTE; which <= RINGS_GRAPHICS; which++)
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

static VkResult update_preambles(struct radeon_queue *queue)
{
    write_preamble(queue, &queue->preamble_after_wait, true);
    write_preamble(queue, &queue->preamble, false);
    queue->has_preambles = true;
    return queue->preamble_after_wait.error ? queue->preamble_after_wait.error : queue->preamble.error;
}

/* What the command buffers need of the queue before they can run. */
static VkResult prepare(struct radeon_queue *queue, const struct vk_work *work)
{
    uint32_t compute_B = 0, graphics_B = 0, ring_B = 0;
    for (uint32_t i = 0; i < work->command_buffer_count; i++) {
        const struct radeon_cmd_buffer *cmd = radeon_cmd_of(work->command_buffers[i]);
        compute_B = MAX2(compute_B, cmd->compute_scratch_B_per_wave);
        graphics_B = MAX2(graphics_B, cmd->graphics_scratch_B_per_wave);
        ring_B = MAX2(ring_B, cmd->geometry_ring_B);
    }
    bool changed = !queue->has_preambles;
    VkResult result = grow_scratch(queue, RINGS_COMPUTE, compute_B, &changed);
    if (result == VK_SUCCESS)
        result = grow_scratch(queue, RINGS_GRAPHICS, graphics_B, &changed);
    if (result == VK_SUCCESS)
        result = grow_geometry_ring(queue, ring_B, &changed);
    if (result != VK_SUCCESS || !changed)
        return result;
    result = wait_idle(queue);
    return result == VK_SUCCESS ? update_preambles(queue) : result;
}

/* ---- submission ---- */

static void fill_points(struct ws_sync_point *out, const struct vk_syncobj_point *points, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        out[i] = (struct ws_sync_point){.handle = points[i].handle, .point = points[i].value};
}

/* A command buffer that may be pending twice is called by an entry of its own in the kernel's list; others are chained,
 * each by the jump at the end of the one before it. */
static uint32_t collect_ibs(const struct vk_work *work, uint32_t first, struct ws_ib *ibs, uint32_t *count,
                            uint32_t most)
{
    struct radeon_cs *previous = NULL;
    uint32_t i = first;
    for (; i < work->command_buffer_count; i++) {
        struct radeon_cmd_buffer *cmd = radeon_cmd_of(work->command_buffers[i]);
        if (radeon_cs_is_empty(&cmd->cs))
            continue;
        bool alone = cmd->vk.usage & VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
        if (previous && !alone) {
            radeon_cs_chain(previous, &cmd->cs);
        } else {
            if (*count == most)
                break;
            ibs[(*count)++] = radeon_cs_ib(&cmd->cs);
        }
        if (!alone)
            radeon_cs_chain(&cmd->cs, NULL);
        previous = alone ? NULL : &cmd->cs;
    }
    return i;
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
        struct ws_ib ibs[WS_MAX_IBS];
        uint32_t count = 0;
        if (is_transfer(queue)) {
            collect_pieces(queue, work, &at, ibs, &count);
        } else {
            ibs[count++] = radeon_cs_ib(is_first && work->wait_count ? &queue->preamble_after_wait : &queue->preamble);
            at.next = collect_ibs(work, at.next, ibs, &count, WS_MAX_IBS);
        }
        bool is_last = at.next == work->command_buffer_count;
        int error = amd_ws_submit(device->ws,
                                  &(const struct ws_submit){
                                      .context = queue->context,
                                      .ip_type = queue->ip_type,
                                      .ring = queue->ring,
                                      .ibs = ibs,
                                      .ib_count = count,
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

static VkResult submit(struct vk_queue *base, const struct vk_work *work)
{
    struct radeon_queue *queue = (struct radeon_queue *)base;
    struct radeon_device *device = device_of(queue);
    VkResult result = prepare(queue, work);
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
    queue->preamble_after_wait.is_dma = queue->preamble.is_dma = is_transfer(queue);
    result = vk_queue_init(&queue->vk, &device->vk, info, index, submit);
    if (result != VK_SUCCESS) {
        context_give(device, queue->priority);
        return result;
    }
    if (!is_transfer(queue))
        result = create_rings(queue);
    if (result != VK_SUCCESS)
        radeon_queue_finish(base);
    return result;
}

void radeon_queue_finish(struct vk_queue *base)
{
    struct radeon_queue *queue = (struct radeon_queue *)base;
    struct radeon_device *device = device_of(queue);
    vk_queue_finish(&queue->vk);
    radeon_cs_finish(&queue->preamble_after_wait);
    radeon_cs_finish(&queue->preamble);
    amd_ws_bo_unref(queue->rings);
    amd_ws_bo_unref(queue->geometry_ring);
    for (int i = 0; i < 2; i++)
        amd_ws_bo_unref(queue->scratch[i].bo);
    context_give(device, queue->priority);
}
