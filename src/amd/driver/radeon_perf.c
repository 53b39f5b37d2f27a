/* See radeon_perf.h. A counter is an event of a block, which every engine and every instance of the block counts for
 * itself: a query has a 64-bit word for each of them. Counting begins at zero with a query and ends with it, and
 * nothing else may run on the GPU meanwhile: that is what the profiling lock is for. All counters fit into the
 * registers at once, so one pass is enough. */
#include "amd/driver/radeon_perf.h"

#include <stdio.h>
#include <string.h>

#include "amd/driver/radeon_cp_dma.h"
#include "amd/driver/radeon_entrypoints.h"
#include "amd/hw/regs_compute.h"
#include "amd/hw/regs_cp.h"
#include "amd/hw/regs_perf.h"

/* ---- blocks and counters ---- */

enum block {
    BLOCK_GRBM,
    BLOCK_SQ,
    BLOCK_GL2C,
};

struct place {
    uint32_t select_reg, low_reg;
};

/* The registers of a block's counter `n`. */
static struct place place_of(enum block block, uint32_t n)
{
    switch (block) {
    case BLOCK_SQ:
        return (struct place){AMD_REG_SQ_PERFCOUNTER_SELECT + 4 * n, AMD_REG_SQ_PERFCOUNTER_LO + 8 * n};
    case BLOCK_GL2C:
        return (struct place){AMD_REG_GL2C_PERFCOUNTER0_SELECT + 8 * n, AMD_REG_GL2C_PERFCOUNTER_LO + 8 * n};
    default:
        return (struct place){AMD_REG_GRBM_PERFCOUNTER_SELECT + 4 * n, AMD_REG_GRBM_PERFCOUNTER_LO + 12 * n};
    }
}

static const struct counter {
    enum block block;
    uint16_t event;
    VkPerformanceCounterUnitKHR unit;
    const char *name, *category, *description;
} counters[] = {
    {BLOCK_GRBM, 0x02, VK_PERFORMANCE_COUNTER_UNIT_CYCLES_KHR, "GPU cycles", "GPU",
     "Cycles in which the GPU was active"},
    {BLOCK_SQ, 0x04, VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR, "Waves", "Shaders", "Waves that were started"},
    {BLOCK_SQ, 0x31, VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR, "Instructions", "Shaders",
     "Instructions that waves executed"},
    {BLOCK_SQ, 0x40, VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR, "Vector instructions", "Shaders", "Arithmetic on lanes"},
    {BLOCK_SQ, 0x3c, VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR, "Scalar instructions", "Shaders",
     "Arithmetic of whole waves"},
    {BLOCK_SQ, 0x3d, VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR, "Scalar loads", "Shaders",
     "Instructions that load for whole waves"},
    {BLOCK_SQ, 0x45, VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR, "Vector loads", "Shaders",
     "Instructions that load or sample for lanes"},
    {BLOCK_SQ, 0x46, VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR, "Vector stores", "Shaders",
     "Instructions that store for lanes"},
    {BLOCK_SQ, 0x3b, VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR, "Shared memory instructions", "Shaders",
     "Instructions on the memory of workgroups"},
    {BLOCK_GL2C, 0x03, VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR, "L2 requests", "Memory",
     "Requests that came to the second cache"},
    {BLOCK_GL2C, 0x2b, VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR, "L2 misses", "Memory",
     "Requests that the second cache asked the memory for"},
};

_Static_assert(ARRAY_SIZE(counters) <= VK_QUERY_MAX_VALUES, "the runtime reads fewer values");

static uint32_t engines_of(const struct radeon_device *device, enum block block)
{
    return block == BLOCK_SQ ? MAX2(device->ws->info.device.num_shader_engines, 1u) : 1;
}

static uint32_t instances_of(const struct radeon_device *device, enum block block)
{
    return block == BLOCK_GL2C ? MAX2(device->ws->info.device.num_tcc_blocks, 1u) : 1;
}

static uint32_t words_of(const struct radeon_device *device, enum block block)
{
    return engines_of(device, block) * instances_of(device, block);
}

/* ---- what there is ---- */

VKAPI_ATTR VkResult VKAPI_CALL radeon_EnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR(
    VkPhysicalDevice handle, uint32_t family, uint32_t *count, VkPerformanceCounterKHR *out,
    VkPerformanceCounterDescriptionKHR *descriptions)
{
    const uint32_t all = family == RADEON_QUEUE_TRANSFER ? 0 : (uint32_t)ARRAY_SIZE(counters);
    if (!out && !descriptions) {
        *count = all;
        return VK_SUCCESS;
    }
    const bool is_all = *count >= all;
    *count = MIN2(*count, all);
    for (uint32_t i = 0; i < *count; i++) {
        if (out) {
            out[i].unit = counters[i].unit;
            out[i].scope = VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_KHR;
            out[i].storage = VK_PERFORMANCE_COUNTER_STORAGE_UINT64_KHR;
            memset(out[i].uuid, 0, sizeof(out[i].uuid));
            memcpy(out[i].uuid, "tuff radeon", 11);
            out[i].uuid[12] = (uint8_t)counters[i].block;
            memcpy(&out[i].uuid[14], &counters[i].event, sizeof(counters[i].event));
        }
        if (descriptions) {
            descriptions[i].flags = VK_PERFORMANCE_COUNTER_DESCRIPTION_CONCURRENTLY_IMPACTED_BIT_KHR;
            snprintf(descriptions[i].name, sizeof(descriptions[i].name), "%s", counters[i].name);
            snprintf(descriptions[i].category, sizeof(descriptions[i].category), "%s", counters[i].category);
            snprintf(descriptions[i].description, sizeof(descriptions[i].description), "%s", counters[i].description);
        }
    }
    return is_all ? VK_SUCCESS : VK_INCOMPLETE;
}

VKAPI_ATTR void VKAPI_CALL radeon_GetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR(
    VkPhysicalDevice handle, const VkQueryPoolPerformanceCreateInfoKHR *info, uint32_t *passes)
{
    *passes = 1;
}

/* The kernel has no lock of counters: whoever asks for it trusts the others to ask, too. */
VKAPI_ATTR VkResult VKAPI_CALL radeon_AcquireProfilingLockKHR(VkDevice handle,
                                                              const VkAcquireProfilingLockInfoKHR *info)
{
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL radeon_ReleaseProfilingLockKHR(VkDevice handle)
{
}

/* ---- pools ---- */

VkResult radeon_perf_init_pool(const struct radeon_device *device, const VkQueryPoolPerformanceCreateInfoKHR *info,
                               struct radeon_query_pool *pool)
{
    if (!info || info->counterIndexCount > ARRAY_SIZE(pool->perf.counters))
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    pool->perf.count = info->counterIndexCount;
    pool->vk.stride_B = 0;
    for (uint32_t i = 0; i < pool->perf.count; i++) {
        pool->perf.counters[i] = (uint8_t)MIN2(info->pCounterIndices[i], ARRAY_SIZE(counters) - 1);
        pool->perf.words[i] = (uint8_t)words_of(device, counters[pool->perf.counters[i]].block);
        pool->vk.stride_B += 8u * pool->perf.words[i];
    }
    pool->vk.stride_B = MAX2(pool->vk.stride_B, 8u);
    return VK_SUCCESS;
}

void radeon_perf_read(const struct radeon_query_pool *pool, uint32_t query, uint64_t values_out[VK_QUERY_MAX_VALUES])
{
    const volatile uint64_t *word = vk_query_slot(&pool->vk, query);
    for (uint32_t i = 0; i < pool->perf.count; i++) {
        values_out[i] = 0;
        for (uint32_t n = 0; n < pool->perf.words[i]; n++)
            values_out[i] += *word++;
    }
}

/* ---- commands ---- */

#define TO_ALL                                                                                                         \
    AMD_PACK(RADEON_GFX, GRBM_GFX_INDEX, .SA_BROADCAST_WRITES = true, .INSTANCE_BROADCAST_WRITES = true,               \
             .SE_BROADCAST_WRITES = true)

static void control(struct radeon_cs *cs, uint32_t state)
{
    radeon_set_uconfig_reg(cs, AMD_REG_CP_PERFMON_CNTL,
                           AMD_PACK(RADEON_GFX, CP_PERFMON_CNTL, .PERFMON_STATE = state,
                                    .PERFMON_SAMPLE_ENABLE = state == AMD_PERFMON_STATE_STOP_COUNTING));
}

/* Where counter i of a pool is: those of a block stand one after the other, and one that is asked for twice once. */
static struct place find_place(const struct radeon_query_pool *pool, uint32_t i)
{
    const uint8_t *ids = pool->perf.counters;
    const enum block block = counters[ids[i]].block;
    uint32_t seen = 0;
    for (uint32_t j = 0; ids[j] != ids[i]; j++)
        seen |= counters[ids[j]].block == block ? 1u << ids[j] : 0;
    return place_of(block, (uint32_t)__builtin_popcount(seen));
}

/* Counters by draws and by dispatches are opened apart. */
static void open_window(struct radeon_cmd_buffer *cmd, bool is_open)
{
    if (!cmd->is_compute)
        RADEON_PACKET(&cmd->cs, EVENT_WRITE,
                      .EVENT_TYPE = is_open ? AMD_EVENT_TYPE_PERFCOUNTER_START : AMD_EVENT_TYPE_PERFCOUNTER_STOP);
    radeon_set_sh_reg(&cmd->cs, AMD_REG_COMPUTE_PERFCOUNT_ENABLE, is_open);
}

static void wait_idle(struct radeon_cmd_buffer *cmd)
{
    radeon_cp_writes_wait(cmd);
    cmd->due |= RADEON_AFTER_PIXELS | RADEON_AFTER_COMPUTE;
    radeon_emit_due(cmd);
}

void radeon_perf_begin(struct radeon_cmd_buffer *cmd, const struct radeon_query_pool *pool)
{
    struct radeon_cs *cs = &cmd->cs;
    wait_idle(cmd);
    radeon_cs_reserve(cs, 32 + 3 * pool->perf.count);
    radeon_set_uconfig_reg(cs, AMD_REG_GRBM_GFX_INDEX, TO_ALL);
    control(cs, AMD_PERFMON_STATE_DISABLE_AND_RESET);
    radeon_set_uconfig_reg(cs, AMD_REG_RLC_PERFMON_CLK_CNTL, 1);
    radeon_set_uconfig_reg(cs, AMD_REG_SQ_PERFCOUNTER_CTRL,
                           AMD_PACK(RADEON_GFX, SQ_PERFCOUNTER_CTRL, .PS_EN = true, .VS_EN = true, .GS_EN = true,
                                    .ES_EN = true, .HS_EN = true, .LS_EN = true, .CS_EN = true));
    for (uint32_t i = 0; i < pool->perf.count; i++) {
        const struct counter *counter = &counters[pool->perf.counters[i]];
        const uint32_t banks =
            counter->block == BLOCK_SQ ? AMD_PACK(RADEON_GFX, SQ_PERFCOUNTER_SELECT, .SQC_BANK_MASK = 15) : 0;
        /* The processor of graphics drops writes of a value that it has written before. */
        RADEON_PACKET(cs, SET_UCONFIG_REG, .REG_OFFSET = (find_place(pool, i).select_reg - RADEON_UCONFIG_BASE) / 4,
                      .tail_dw = 1, .flags.reset_filter_cam = !cmd->is_compute);
        radeon_emit(cs, counter->event | banks);
    }
    control(cs, AMD_PERFMON_STATE_START_COUNTING);
    open_window(cmd, true);
}

static void read_counter(struct radeon_cmd_buffer *cmd, enum block block, uint32_t low_reg, uint64_t *va)
{
    for (uint32_t engine = 0; engine < engines_of(cmd->device, block); engine++) {
        for (uint32_t instance = 0; instance < instances_of(cmd->device, block); instance++, *va += 8) {
            radeon_cs_reserve(&cmd->cs, 3 + AMD_PKT_COPY_DATA_DW);
            radeon_set_uconfig_reg(&cmd->cs, AMD_REG_GRBM_GFX_INDEX,
                                   AMD_PACK(RADEON_GFX, GRBM_GFX_INDEX, .SA_BROADCAST_WRITES = true, .SE_INDEX = engine,
                                            .INSTANCE_INDEX = instance));
            RADEON_PACKET(&cmd->cs, COPY_DATA, .SRC_SEL = AMD_COPY_SRC_PERF, .SRC_REG = low_reg / 4,
                          .DST_SEL = AMD_COPY_DST_TC_L2, .COUNT_64 = true, .WR_CONFIRM = true,
                          .ENGINE = AMD_CP_ENGINE_ME, .DST_ADDR = *va);
        }
    }
}

void radeon_perf_end(struct radeon_cmd_buffer *cmd, const struct radeon_query_pool *pool, uint32_t query)
{
    struct radeon_cs *cs = &cmd->cs;
    uint64_t va = radeon_query_va(pool, query);
    wait_idle(cmd);
    radeon_cs_reserve(cs, 32);
    RADEON_PACKET(cs, EVENT_WRITE, .EVENT_TYPE = AMD_EVENT_TYPE_PERFCOUNTER_SAMPLE);
    open_window(cmd, false);
    control(cs, AMD_PERFMON_STATE_STOP_COUNTING);
    for (uint32_t i = 0; i < pool->perf.count; i++)
        read_counter(cmd, counters[pool->perf.counters[i]].block, find_place(pool, i).low_reg, &va);
    radeon_cs_reserve(cs, 16);
    radeon_set_uconfig_reg(cs, AMD_REG_GRBM_GFX_INDEX, TO_ALL);
    control(cs, AMD_PERFMON_STATE_DISABLE_AND_RESET);
    radeon_set_uconfig_reg(cs, AMD_REG_RLC_PERFMON_CLK_CNTL, 0);
    radeon_emit_release(cmd, radeon_query_available_va(pool, query), AMD_RELEASE_DATA_32_BITS, 1);
}
