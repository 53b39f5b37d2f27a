/* VK_KHR_performance_query: what counters say of work whose size is known. Counters have no standard; those that the
 * cases know are found by their names, of our driver and of RADV. */
#include <string.h>

#include "vt/vt_graphics.h"

#include "shaders/perf_count.h"

#define LOAD_INSTANCE(vt, name) ((PFN_vk##name)(void *)vkGetInstanceProcAddr((vt)->instance, "vk" #name))
#define MAX_COUNTERS 64

/* ---- counters ---- */

struct counters {
    uint32_t count;
    VkPerformanceCounterKHR infos[MAX_COUNTERS];
    VkPerformanceCounterDescriptionKHR texts[MAX_COUNTERS];
};

static void need_feature(struct vt *vt)
{
    if (!vt->has[VT_PERFORMANCE_QUERY])
        vt_skip(vt, "no performance queries");
    if (!vt->features12.hostQueryReset)
        vt_skip(vt, "no resets by the host");
}

static void list(struct vt *vt, struct counters *out)
{
    PFN_vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR enumerate =
        LOAD_INSTANCE(vt, EnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR);
    memset(out, 0, sizeof(*out));
    for (uint32_t i = 0; i < MAX_COUNTERS; i++) {
        out->infos[i].sType = VK_STRUCTURE_TYPE_PERFORMANCE_COUNTER_KHR;
        out->texts[i].sType = VK_STRUCTURE_TYPE_PERFORMANCE_COUNTER_DESCRIPTION_KHR;
    }
    VT_CHECK(vt, enumerate(vt->physical, vt->family, &out->count, NULL, NULL));
    if (!out->count || out->count > MAX_COUNTERS)
        vt_fail(vt, "%u counters", out->count);
    uint32_t fewer = out->count - 1;
    VkResult result = enumerate(vt->physical, vt->family, &fewer, out->infos, out->texts);
    if (out->count > 1 && (result != VK_INCOMPLETE || fewer != out->count - 1))
        vt_fail(vt, "too little room gives VkResult %d and %u counters", result, fewer);
    VT_CHECK(vt, enumerate(vt->physical, vt->family, &out->count, out->infos, out->texts));
}

static uint32_t find_counter(struct vt *vt, const struct counters *all, const char *name, const char *other)
{
    for (uint32_t i = 0; i < all->count; i++) {
        if (!strcmp(all->texts[i].name, name) || !strcmp(all->texts[i].name, other))
            return i;
    }
    vt_skip(vt, "no such counter");
}

/* Every counter has a name, and no two of them are the same. */
static void case_list(struct vt *vt, const void *argument)
{
    static struct counters all;
    need_feature(vt);
    list(vt, &all);
    for (uint32_t i = 0; i < all.count; i++) {
        if (!all.texts[i].name[0] || !all.texts[i].category[0] || !all.texts[i].description[0])
            vt_fail(vt, "counter %u has no name, category or description", i);
        for (uint32_t j = 0; j < i; j++) {
            if (!memcmp(all.infos[i].uuid, all.infos[j].uuid, VK_UUID_SIZE))
                vt_fail(vt, "counters %u and %u have one UUID", j, i);
        }
    }
}

/* ---- queries ---- */

enum {
    WAVES,
    INSTRUCTIONS,
    VECTOR,
    STORES,
    CYCLES,
    KNOWN,
};

static const char *const names[KNOWN][2] = {
    [WAVES] = {"Waves", "Waves"},
    [INSTRUCTIONS] = {"Instructions", "Instructions"},
    [VECTOR] = {"Vector instructions", "VALU Instructions"},
    [STORES] = {"Vector stores", "VMEM Store Instructions"},
    [CYCLES] = {"GPU cycles", "GPU active cycles"},
};

struct pool {
    VkQueryPool pool;
    uint32_t passes;
    bool is_float[KNOWN]; /* of known_pool: counts that come as floats */
};

static void destroy_pool(struct vt *vt, uint64_t handle)
{
    vkDestroyQueryPool(vt->device, (VkQueryPool)handle, NULL);
}

static void unlock_profiling(struct vt *vt, uint64_t handle)
{
    VT_LOAD(vt, ReleaseProfilingLockKHR)(vt->device);
}

static struct pool make_pool(struct vt *vt, const uint32_t *indices, uint32_t count)
{
    struct pool made = {.is_float = {0}};
    VkQueryPoolPerformanceCreateInfoKHR counters = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_PERFORMANCE_CREATE_INFO_KHR,
                                                    .queueFamilyIndex = vt->family,
                                                    .counterIndexCount = count,
                                                    .pCounterIndices = indices};
    VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                  .pNext = &counters,
                                  .queryType = VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR,
                                  .queryCount = 2};
    LOAD_INSTANCE(vt, GetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR)(vt->physical, &counters, &made.passes);
    if (!made.passes)
        vt_fail(vt, "no passes");
    VkAcquireProfilingLockInfoKHR lock = {.sType = VK_STRUCTURE_TYPE_ACQUIRE_PROFILING_LOCK_INFO_KHR,
                                          .timeout = UINT64_MAX};
    VT_CHECK(vt, VT_LOAD(vt, AcquireProfilingLockKHR)(vt->device, &lock));
    vt_defer(vt, unlock_profiling, 0);
    VT_CHECK(vt, vkCreateQueryPool(vt->device, &info, NULL, &made.pool));
    vt_defer(vt, destroy_pool, (uint64_t)made.pool);
    vkResetQueryPool(vt->device, made.pool, 0, 2);
    return made;
}

static void submit_passes(struct vt *vt, VkCommandBuffer commands, uint32_t passes)
{
    VT_CHECK(vt, vkEndCommandBuffer(commands));
    for (uint32_t pass = 0; pass < passes; pass++) {
        VkPerformanceQuerySubmitInfoKHR which = {.sType = VK_STRUCTURE_TYPE_PERFORMANCE_QUERY_SUBMIT_INFO_KHR,
                                                 .counterPassIndex = pass};
        VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                             .pNext = &which,
                             .commandBufferCount = 1,
                             .pCommandBuffers = &commands};
        VT_CHECK(vt, vkQueueSubmit(vt->queue, 1, &info, VK_NULL_HANDLE));
        VT_CHECK(vt, vkQueueWaitIdle(vt->queue));
    }
}

static void read_counts(struct vt *vt, const struct pool *pool, uint32_t query, uint32_t count, uint64_t *out)
{
    VkPerformanceCounterResultKHR results[KNOWN];
    VT_CHECK(vt, vkGetQueryPoolResults(vt->device, pool->pool, query, 1, sizeof(results[0]) * count, results,
                                       sizeof(results[0]) * count, VK_QUERY_RESULT_WAIT_BIT));
    for (uint32_t i = 0; i < count; i++)
        out[i] = pool->is_float[i] ? (uint64_t)results[i].float64 : results[i].uint64;
}

/* ---- dispatches ---- */

struct dispatch {
    uint32_t groups, rounds;
};

static struct pool known_pool(struct vt *vt)
{
    static struct counters all;
    uint32_t indices[KNOWN];
    need_feature(vt);
    list(vt, &all);
    for (uint32_t i = 0; i < KNOWN; i++)
        indices[i] = find_counter(vt, &all, names[i][0], names[i][1]);
    struct pool pool = make_pool(vt, indices, KNOWN);
    for (uint32_t i = 0; i < KNOWN; i++) {
        const VkPerformanceCounterStorageKHR storage = all.infos[indices[i]].storage;
        pool.is_float[i] = storage == VK_PERFORMANCE_COUNTER_STORAGE_FLOAT64_KHR;
        if (!pool.is_float[i] && storage != VK_PERFORMANCE_COUNTER_STORAGE_UINT64_KHR)
            vt_fail(vt, "counter %s has the storage %d", names[i][0], storage);
    }
    return pool;
}

/* Two dispatches, with something before, between and after them that is not counted. */
static void count_dispatches(struct vt *vt, const struct dispatch dispatches[2], uint64_t counts[2][KNOWN])
{
    struct pool pool = known_pool(vt);
    struct vt_buffer result = vt_buffer(vt, 64 * 1024 * 4, NULL);
    struct vt_compute compute = vt_compute(vt, VT_SPIRV(perf_count), 1, NULL);
    const struct vt_buffer *buffers[] = {&result};
    VkDescriptorSet set = vt_storage_set(vt, compute.set_layout, buffers, 1);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute.pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute.layout, 0, 1, &set, 0, NULL);
    for (uint32_t i = 0; i < 5; i++) {
        const struct dispatch other = {3, 2}, *dispatch = i & 1 ? &dispatches[i / 2] : &other;
        vkCmdPushConstants(commands, compute.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &dispatch->rounds);
        if (i & 1)
            vkCmdBeginQuery(commands, pool.pool, i / 2, 0);
        if (dispatch->groups)
            vkCmdDispatch(commands, dispatch->groups, 1, 1);
        if (i & 1)
            vkCmdEndQuery(commands, pool.pool, i / 2);
        vt_full_barrier(commands);
    }
    submit_passes(vt, commands, pool.passes);
    for (uint32_t i = 0; i < 2; i++)
        read_counts(vt, &pool, i, KNOWN, counts[i]);
}

/* Twice as many workgroups, twice as much of everything; a workgroup is one wave or two. */
static void case_groups(struct vt *vt, const void *argument)
{
    static const struct dispatch dispatches[2] = {{100, 7}, {200, 7}};
    uint64_t counts[2][KNOWN];
    count_dispatches(vt, dispatches, counts);
    if (counts[0][WAVES] != 100 && counts[0][WAVES] != 200)
        vt_fail(vt, "100 workgroups have %u waves", (unsigned)counts[0][WAVES]);
    if (counts[0][STORES] != counts[0][WAVES])
        vt_fail(vt, "%u stores of %u waves", (unsigned)counts[0][STORES], (unsigned)counts[0][WAVES]);
    for (uint32_t i = 0; i < CYCLES; i++) {
        if (!counts[0][i] || counts[1][i] != 2 * counts[0][i])
            vt_fail(vt, "%s: %u, and %u of twice as much", names[i][0], (unsigned)counts[0][i], (unsigned)counts[1][i]);
    }
    if (!counts[0][CYCLES] || !counts[1][CYCLES])
        vt_fail(vt, "no cycles");
}

/* More rounds of a loop: so many more instructions of each wave, and as many waves and stores. */
static void case_rounds(struct vt *vt, const void *argument)
{
    static const struct dispatch dispatches[2] = {{50, 100}, {50, 1100}};
    uint64_t counts[2][KNOWN];
    count_dispatches(vt, dispatches, counts);
    if (counts[0][WAVES] != counts[1][WAVES] || counts[0][STORES] != counts[1][STORES])
        vt_fail(vt, "the same workgroups have other waves or stores");
    const uint64_t more = counts[1][INSTRUCTIONS] - counts[0][INSTRUCTIONS],
                   vector = counts[1][VECTOR] - counts[0][VECTOR];
    /* A multiplication and an addition, or one of both; and what the loop needs. */
    if (vector < 1000 * counts[0][WAVES] || vector > more || more > 100 * 1000 * counts[0][WAVES])
        vt_fail(vt, "1,000 rounds of %u waves are %u instructions, %u of them of vectors", (unsigned)counts[0][WAVES],
                (unsigned)more, (unsigned)vector);
}

/* Without work nothing is counted. */
static void case_nothing(struct vt *vt, const void *argument)
{
    static const struct dispatch dispatches[2] = {{0, 1}, {64, 1}};
    uint64_t counts[2][KNOWN];
    count_dispatches(vt, dispatches, counts);
    for (uint32_t i = 0; i < CYCLES; i++) {
        if (counts[0][i] || !counts[1][i])
            vt_fail(vt, "%s: %u without work, %u with it", names[i][0], (unsigned)counts[0][i], (unsigned)counts[1][i]);
    }
}

/* ---- draws ---- */

/* One draw once and three times. */
static void case_draws(struct vt *vt, const void *argument)
{
    uint64_t counts[2][KNOWN];
    struct pool pool = known_pool(vt);
    struct vt_target target = vt_target(vt, VK_FORMAT_R8G8B8A8_UNORM, 64, 64);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_screen_vert, vt_constant_frag);
    vt_make_pipeline(vt, &graphics, &target);
    VkCommandBuffer commands = vt_begin(vt);
    for (uint32_t i = 0; i < 2; i++) {
        vt_begin_rendering(commands, &target);
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
        vkCmdBeginQuery(commands, pool.pool, i, 0);
        for (uint32_t n = 0; n < (i ? 3 : 1); n++)
            vkCmdDraw(commands, 3, 1, 0, 0);
        vkCmdEndQuery(commands, pool.pool, i);
        vkCmdEndRendering(commands);
    }
    submit_passes(vt, commands, pool.passes);
    for (uint32_t i = 0; i < 2; i++)
        read_counts(vt, &pool, i, KNOWN, counts[i]);
    static const double color[4] = {0.2, 0.4, 0.6, 0.8};
    vt_expect_color(vt, VK_FORMAT_R8G8B8A8_UNORM, vt_download(vt, &target.colors[0], 0), 64, 64, color, 1, "picture");
    /* 4,096 pixels in waves of at most 64, and the vertices. */
    if (counts[0][WAVES] < 65)
        vt_fail(vt, "%u waves shade 4,096 pixels", (unsigned)counts[0][WAVES]);
    for (uint32_t i = 0; i < STORES; i++) {
        if (counts[1][i] != 3 * counts[0][i])
            vt_fail(vt, "%s: %u by a draw, %u by three", names[i][0], (unsigned)counts[0][i], (unsigned)counts[1][i]);
    }
}

/* All counters at once, in as many passes as they need. */
static void case_all(struct vt *vt, const void *argument)
{
    static struct counters all;
    uint32_t indices[MAX_COUNTERS];
    need_feature(vt);
    list(vt, &all);
    for (uint32_t i = 0; i < all.count; i++)
        indices[i] = i;
    struct pool pool = make_pool(vt, indices, all.count);
    VkCommandBuffer commands = vt_begin(vt);
    for (uint32_t i = 0; i < 2; i++) {
        vkCmdBeginQuery(commands, pool.pool, i, 0);
        vkCmdEndQuery(commands, pool.pool, i);
    }
    submit_passes(vt, commands, pool.passes);
    VkPerformanceCounterResultKHR results[MAX_COUNTERS];
    VT_CHECK(vt, vkGetQueryPoolResults(vt->device, pool.pool, 1, 1, sizeof(results[0]) * all.count, results,
                                       sizeof(results[0]) * all.count, VK_QUERY_RESULT_WAIT_BIT));
    if (results[find_counter(vt, &all, "Waves", "Waves")].uint64) /* zero, as a number of any kind */
        vt_fail(vt, "waves without work");
}

const struct vt_case vt_perf_cases[] = {
    {"list", case_list, NULL},       {"workgroups", case_groups, NULL}, {"rounds of a loop", case_rounds, NULL},
    {"nothing", case_nothing, NULL}, {"draws", case_draws, NULL},       {"all counters", case_all, NULL},
};
const size_t vt_perf_count = COUNT_OF(vt_perf_cases);
