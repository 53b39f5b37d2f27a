/* Caches and waits: what is due before the next work, and what will be once somebody looks.
 *
 *   shaders, textures, vertices, indices ── UCHE ──────────────┐
 *   colour targets, the 2D engine ───────── CCU colour ────────┤
 *   depth and stencil targets ───────────── CCU depth ─────────┼── memory ── host
 *   what the command processor writes ───── its queue ─────────┤
 *   what the command processor reads ──────────────────────────┘
 *
 * None of them knows of the others. A barrier's first half says through which place something was written: that place
 * must be cleaned before others look, and the others must drop what they hold. Neither happens at once: both become
 * `pending`. The second half says who will look: of what is pending, that which concerns this place becomes `due`. What
 * is due is written to the stream before the next work. So memory that shaders write and shaders read costs a wait and
 * no flush, and nothing is flushed twice. */
#ifndef ADRENO_DRIVER_ORDER_H
#define ADRENO_DRIVER_ORDER_H

#include "vulkan/runtime/object/vk_api.h"

/* Through which place an access goes, and whether it writes. */
enum adreno_access {
    ADRENO_ACCESS_UCHE_READ = 1 << 0,
    ADRENO_ACCESS_UCHE_WRITE = 1 << 1,
    ADRENO_ACCESS_COLOR_READ = 1 << 2,
    ADRENO_ACCESS_COLOR_WRITE = 1 << 3,
    ADRENO_ACCESS_DEPTH_READ = 1 << 4,
    ADRENO_ACCESS_DEPTH_WRITE = 1 << 5,
    ADRENO_ACCESS_CP_WRITE = 1 << 6,
    ADRENO_ACCESS_MEMORY_READ = 1 << 7,  /* the host, the command processor, loads of GMEM */
    ADRENO_ACCESS_MEMORY_WRITE = 1 << 8, /* the host, events, stores of GMEM that were waited for */
    /* Entries of the CCU are found by target and layer, too: accesses of attachments and of the 2D engine may be
     * others than those before. */
    ADRENO_ACCESS_NEW_TARGET = 1 << 9,
};

enum adreno_order {
    ADRENO_CLEAN_UCHE = 1 << 0,
    ADRENO_CLEAN_COLOR = 1 << 1,
    ADRENO_CLEAN_DEPTH = 1 << 2,
    ADRENO_CLEAN_CP = 1 << 3, /* CP_WAIT_MEM_WRITES */
    ADRENO_DROP_UCHE = 1 << 4,
    ADRENO_DROP_COLOR = 1 << 5, /* with what it holds written back before */
    ADRENO_DROP_DEPTH = 1 << 6,
    ADRENO_WAIT_IDLE = 1 << 7, /* all work is done, and what events before it do has been done */
    ADRENO_WAIT_ME = 1 << 8,   /* and the front of the command processor knows it */
    ADRENO_CLEAN_ALL = ADRENO_CLEAN_UCHE | ADRENO_CLEAN_COLOR | ADRENO_CLEAN_DEPTH | ADRENO_CLEAN_CP,
    ADRENO_DROP_ALL = ADRENO_DROP_UCHE | ADRENO_DROP_COLOR | ADRENO_DROP_DEPTH,
};

struct adreno_orders {
    uint32_t due, pending; /* enum adreno_order */
};

/* A recording begins: work before it may have written anything, and has cleaned it. */
static inline struct adreno_orders adreno_orders_begin(void)
{
    return (struct adreno_orders){.pending = ADRENO_DROP_ALL};
}

/* The two halves of a barrier, as enum adreno_access. Waits are the stages' matter (adreno_order_of_stages). */
void adreno_orders_add(struct adreno_orders *orders, uint32_t src_access, uint32_t dst_access);
/* The caches that Vulkan's accesses of these stages go through; neither is expanded. */
uint32_t adreno_access_of(VkPipelineStageFlags2 stages, VkAccessFlags2 access);
/* Waits between stages. */
uint32_t adreno_order_of_stages(VkPipelineStageFlags2 src_stages, VkPipelineStageFlags2 dst_stages);

struct adreno_cs;
/* At most ADRENO_ORDER_DW dwords. Events write their number to `va`, which nothing reads. */
#define ADRENO_ORDER_DW 40
void adreno_emit_order(struct adreno_cs *cs, uint32_t order, uint64_t va);

#endif
