/* Caches and waits: from Vulkan's accesses to the places they go through, and from what is due to packets. */
#include "adreno/driver/order.h"

#include "adreno/driver/pm4.h"
#include "util/bits.h"
#include "vulkan/runtime/sync/vk_synchronization.h"

/* ---- accesses ---- */

uint32_t adreno_access_of(VkPipelineStageFlags2 stages, VkAccessFlags2 access)
{
    static const struct {
        VkAccessFlags2 vk;
        uint32_t ours;
    } table[] = {
        {VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT | VK_ACCESS_2_CONDITIONAL_RENDERING_READ_BIT_EXT |
             VK_ACCESS_2_TRANSFORM_FEEDBACK_COUNTER_READ_BIT_EXT | VK_ACCESS_2_HOST_READ_BIT,
         ADRENO_ACCESS_MEMORY_READ},
        /* Indices come through UCHE, and so does what a draw reads as the command processor's constants. */
        {VK_ACCESS_2_INDEX_READ_BIT | VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT | VK_ACCESS_2_UNIFORM_READ_BIT |
             VK_ACCESS_2_SHADER_SAMPLED_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_READ_BIT |
             VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT,
         ADRENO_ACCESS_UCHE_READ},
        {VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT | VK_ACCESS_2_TRANSFORM_FEEDBACK_WRITE_BIT_EXT, ADRENO_ACCESS_UCHE_WRITE},
        {VK_ACCESS_2_TRANSFORM_FEEDBACK_COUNTER_WRITE_BIT_EXT, ADRENO_ACCESS_UCHE_WRITE | ADRENO_ACCESS_CP_WRITE},
        {VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT, ADRENO_ACCESS_COLOR_READ | ADRENO_ACCESS_NEW_TARGET},
        {VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT, ADRENO_ACCESS_COLOR_WRITE | ADRENO_ACCESS_NEW_TARGET},
        {VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT, ADRENO_ACCESS_DEPTH_READ | ADRENO_ACCESS_NEW_TARGET},
        {VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT, ADRENO_ACCESS_DEPTH_WRITE | ADRENO_ACCESS_NEW_TARGET},
        /* Transfers read as textures do, and write by the 2D engine, as targets, by shaders or by the command processor
         * (markers, results of queries). Copies of GMEM to memory have been waited for. */
        {VK_ACCESS_2_TRANSFER_READ_BIT, ADRENO_ACCESS_UCHE_READ},
        {VK_ACCESS_2_TRANSFER_WRITE_BIT, ADRENO_ACCESS_COLOR_WRITE | ADRENO_ACCESS_DEPTH_WRITE |
                                             ADRENO_ACCESS_UCHE_WRITE | ADRENO_ACCESS_CP_WRITE |
                                             ADRENO_ACCESS_NEW_TARGET},
        {VK_ACCESS_2_HOST_WRITE_BIT, ADRENO_ACCESS_MEMORY_WRITE},
    };
    uint32_t ours = 0;
    access = vk_expand_accesses(stages, access);
    for (unsigned i = 0; i < ARRAY_SIZE(table); i++)
        ours |= access & table[i].vk ? table[i].ours : 0;
    return ours;
}

/* By place: what a write through it leaves to be done, and what an access must find done. */
static const struct {
    uint32_t reads, writes; /* enum adreno_access */
    uint32_t clean, drop;   /* its own, enum adreno_order */
} places[] = {
    {ADRENO_ACCESS_UCHE_READ, ADRENO_ACCESS_UCHE_WRITE, ADRENO_CLEAN_UCHE, ADRENO_DROP_UCHE},
    {ADRENO_ACCESS_COLOR_READ, ADRENO_ACCESS_COLOR_WRITE, ADRENO_CLEAN_COLOR, ADRENO_DROP_COLOR},
    {ADRENO_ACCESS_DEPTH_READ, ADRENO_ACCESS_DEPTH_WRITE, ADRENO_CLEAN_DEPTH, ADRENO_DROP_DEPTH},
    {0, ADRENO_ACCESS_CP_WRITE, ADRENO_CLEAN_CP, 0},
    {ADRENO_ACCESS_MEMORY_READ, ADRENO_ACCESS_MEMORY_WRITE, 0, 0},
};

void adreno_orders_add(struct adreno_orders *orders, uint32_t src_access, uint32_t dst_access)
{
    for (unsigned i = 0; i < ARRAY_SIZE(places); i++) {
        if (src_access & places[i].writes)
            orders->pending |= places[i].clean | (ADRENO_DROP_ALL & ~places[i].drop);
    }
    /* A place that was a target may be another target next: it drops what it holds, too. */
    if (src_access & ADRENO_ACCESS_NEW_TARGET)
        orders->pending |= ((src_access & ADRENO_ACCESS_COLOR_WRITE ? ADRENO_DROP_COLOR : 0) |
                            (src_access & ADRENO_ACCESS_DEPTH_WRITE ? ADRENO_DROP_DEPTH : 0));
    for (unsigned i = 0; i < ARRAY_SIZE(places); i++) {
        if (dst_access & (places[i].reads | places[i].writes))
            orders->due |= orders->pending & (places[i].drop | (ADRENO_CLEAN_ALL & ~places[i].clean));
    }
    orders->pending &= ~orders->due;
}

/* ---- stages ---- */

uint32_t adreno_order_of_stages(VkPipelineStageFlags2 src_stages, VkPipelineStageFlags2 dst_stages)
{
    const VkPipelineStageFlags2 of_cp = VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT |
                                        VK_PIPELINE_STAGE_2_CONDITIONAL_RENDERING_BIT_EXT |
                                        VK_PIPELINE_STAGE_2_TRANSFORM_FEEDBACK_BIT_EXT;
    if (!vk_expand_src_stages(src_stages))
        return 0;
    return ADRENO_WAIT_IDLE | (vk_expand_dst_stages(dst_stages) & of_cp ? ADRENO_WAIT_ME : 0);
}

/* ---- packets ---- */

/* Caches write back before they drop; those in front of memory before those that will be filled from it. */
void adreno_emit_order(struct adreno_cs *cs, uint32_t order, uint64_t va)
{
    if (order & (ADRENO_CLEAN_COLOR | ADRENO_DROP_COLOR))
        adreno_event_write(cs, ADRENO_EVENT_PC_CCU_FLUSH_COLOR_TS, va, 0);
    if (order & (ADRENO_CLEAN_DEPTH | ADRENO_DROP_DEPTH))
        adreno_event_write(cs, ADRENO_EVENT_PC_CCU_FLUSH_DEPTH_TS, va, 0);
    if (order & ADRENO_DROP_COLOR)
        adreno_event(cs, ADRENO_EVENT_PC_CCU_INVALIDATE_COLOR);
    if (order & ADRENO_DROP_DEPTH)
        adreno_event(cs, ADRENO_EVENT_PC_CCU_INVALIDATE_DEPTH);
    if (order & ADRENO_CLEAN_UCHE)
        adreno_event_write(cs, ADRENO_EVENT_CACHE_FLUSH_TS, va, 0);
    if (order & ADRENO_CLEAN_CP)
        ADRENO_PACKET(cs, CP_WAIT_MEM_WRITES);
    if (order & ADRENO_DROP_UCHE)
        adreno_event(cs, ADRENO_EVENT_CACHE_INVALIDATE);
    /* Events have happened when the pipeline is idle. */
    if (order)
        ADRENO_PACKET(cs, CP_WAIT_FOR_IDLE);
    if (order & ADRENO_WAIT_ME)
        ADRENO_PACKET(cs, CP_WAIT_FOR_ME);
}
