/* The ranges of a descriptor pool that frees single sets. */
#include "vulkan/runtime/memory/vk_range.h"

#include <assert.h>

#include "util/bits.h"

void vk_ranges_init(struct vk_ranges *ranges, uint32_t size, struct vk_range *nodes, uint32_t num_nodes)
{
    *ranges = (struct vk_ranges){.nodes = nodes, .size = size, .num_nodes = num_nodes};
    vk_ranges_reset(ranges);
}

/* Nodes that were never used come after used_nodes: a pool of many sets costs nothing before they are made. */
static struct vk_range *new_node(struct vk_ranges *ranges)
{
    if (list_is_empty(&ranges->spare)) {
        assert(ranges->used_nodes < ranges->num_nodes);
        return &ranges->nodes[ranges->used_nodes++];
    }
    struct vk_range *node = container_of(ranges->spare.next, struct vk_range, place);
    list_remove(&node->place);
    return node;
}

static void make_free(struct vk_ranges *ranges, struct vk_range *range)
{
    unsigned bin = log2_floor(range->size);
    range->is_free = true;
    list_push_front(&ranges->bins[bin], &range->bin);
    ranges->bin_mask |= 1u << bin;
}

static void leave_bin(struct vk_ranges *ranges, struct vk_range *range)
{
    unsigned bin = log2_floor(range->size);
    list_remove(&range->bin);
    if (list_is_empty(&ranges->bins[bin]))
        ranges->bin_mask &= ~(1u << bin);
}

void vk_ranges_reset(struct vk_ranges *ranges)
{
    list_init(&ranges->all);
    list_init(&ranges->spare);
    for (unsigned i = 0; i < ARRAY_SIZE(ranges->bins); i++)
        list_init(&ranges->bins[i]);
    ranges->bin_mask = 0;
    ranges->used_nodes = 0;
    ranges->free = ranges->size;
    if (!ranges->size)
        return;
    struct vk_range *whole = new_node(ranges);
    whole->at = 0;
    whole->size = ranges->size;
    list_push_back(&ranges->all, &whole->place);
    make_free(ranges, whole);
}

/* Of the request's own bin some fit; of those above all do. */
static struct vk_range *find_range(struct vk_ranges *ranges, uint32_t size)
{
    unsigned bin = log2_floor(size);
    list_foreach (&ranges->bins[bin], struct vk_range, range, bin) {
        if (range->size >= size)
            return range;
    }
    uint32_t above = bin == 31 ? 0 : ranges->bin_mask & (UINT32_MAX << (bin + 1));
    return above ? container_of(ranges->bins[__builtin_ctz(above)].next, struct vk_range, bin) : NULL;
}

struct vk_range *vk_ranges_take(struct vk_ranges *ranges, uint32_t size)
{
    struct vk_range *range = find_range(ranges, size);
    if (!range)
        return NULL;
    leave_bin(ranges, range);
    range->is_free = false;
    ranges->free -= size;
    if (range->size > size) {
        struct vk_range *rest = new_node(ranges);
        rest->at = range->at + size;
        rest->size = range->size - size;
        range->size = size;
        list_insert_after(&range->place, &rest->place);
        make_free(ranges, rest);
    }
    return range;
}

/* `range` takes the next one in. */
static void swallow_next(struct vk_ranges *ranges, struct vk_range *range)
{
    if (range->place.next == &ranges->all)
        return;
    struct vk_range *next = container_of(range->place.next, struct vk_range, place);
    if (!next->is_free)
        return;
    leave_bin(ranges, next);
    range->size += next->size;
    list_remove(&next->place);
    list_push_front(&ranges->spare, &next->place);
}

void vk_ranges_give(struct vk_ranges *ranges, struct vk_range *range)
{
    ranges->free += range->size;
    swallow_next(ranges, range);
    if (range->place.prev != &ranges->all) {
        struct vk_range *prev = container_of(range->place.prev, struct vk_range, place);
        if (prev->is_free) {
            leave_bin(ranges, prev);
            prev->size += range->size;
            list_remove(&range->place);
            list_push_front(&ranges->spare, &range->place);
            range = prev;
        }
    }
    make_free(ranges, range);
}
