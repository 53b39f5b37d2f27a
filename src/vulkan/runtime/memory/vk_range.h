/* Ranges of a piece of memory that are taken and given back in any order, where the most that can live at once is
 * known: all memory for the bookkeeping comes from the caller, nothing fails but for want of room. Not thread-safe.
 *
 * Ranges, taken and free, are one list in the order of their places, so that a freed one finds its neighbours at once;
 * free ones are also in a bin by the logarithm of their size, where the first that fits is taken. */
#ifndef VULKAN_RUNTIME_VK_RANGE_H
#define VULKAN_RUNTIME_VK_RANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/list.h"

struct vk_range {
    struct list place; /* in vk_ranges::all, or in ::spare */
    struct list bin;   /* while it is free */
    uint32_t at, size;
    bool is_free;
};

struct vk_ranges {
    struct list all, spare;
    struct list bins[32];
    uint32_t bin_mask; /* which are not empty */
    uint32_t free;     /* of all together */
    struct vk_range *nodes;
    uint32_t size, num_nodes, used_nodes;
};

/* Nodes that `max_live` ranges need: between them and at both ends there may be holes. */
static inline uint64_t vk_ranges_node_count(uint32_t max_live)
{
    return 2 * (uint64_t)max_live + 1;
}

/* The nodes need not be cleared, and are the caller's to free when the ranges are not used any more. */
void vk_ranges_init(struct vk_ranges *ranges, uint32_t size, struct vk_range *nodes, uint32_t num_nodes);
/* All ranges are free again. */
void vk_ranges_reset(struct vk_ranges *ranges);
/* NULL: no hole is large enough. `size` is not 0. */
struct vk_range *vk_ranges_take(struct vk_ranges *ranges, uint32_t size);
void vk_ranges_give(struct vk_ranges *ranges, struct vk_range *range);

#endif
