/* The free parts of a range of addresses, by address. An allocation takes the lowest one that
 * is large enough, and need not look at those below the lowest one of its size. */
#include "vulkan/runtime/memory/vk_va.h"

#include <errno.h>
#include <stdbool.h>

struct vk_hole {
    uint64_t start_va, end_va;
};

static uint64_t size_of(const struct vk_hole *hole)
{
    return hole->end_va - hole->start_va;
}

static unsigned size_class(uint64_t size_B)
{
    return 63u - (unsigned)__builtin_clzll(size_B);
}

/* There is memory for it. */
static void add_hole(struct vk_va *va, uint64_t start_va, uint64_t end_va)
{
    *(struct vk_hole *)ordered_insert(&va->holes, start_va) = (struct vk_hole){start_va, end_va};
    for (unsigned n = 0; n <= size_class(end_va - start_va); n++)
        va->hint_va[n] = start_va < va->hint_va[n] ? start_va : va->hint_va[n];
}

int vk_va_init(struct vk_va *va, uint64_t start_va, uint64_t end_va)
{
    ordered_init(&va->holes, sizeof(struct vk_hole));
    va->start_va = start_va;
    va->end_va = end_va;
    for (unsigned n = 0; n < 64; n++)
        va->hint_va[n] = start_va;
    if (start_va != end_va) {
        if (!ordered_reserve(&va->holes, 1))
            return -ENOMEM;
        add_hole(va, start_va, end_va);
    }
    pthread_mutex_init(&va->lock, NULL);
    return 0;
}

void vk_va_finish(struct vk_va *va)
{
    ordered_finish(&va->holes);
    pthread_mutex_destroy(&va->lock);
}

/* With the lock held: take [start, end) out of a hole that has it all. */
static int carve_hole(struct vk_va *va, struct vk_hole hole, uint64_t start_va, uint64_t end_va)
{
    if (!ordered_reserve(&va->holes, 2))
        return -ENOMEM;
    ordered_remove(&va->holes, hole.start_va);
    if (start_va != hole.start_va)
        add_hole(va, hole.start_va, start_va);
    if (end_va != hole.end_va)
        add_hole(va, end_va, hole.end_va);
    return 0;
}

/* The lowest hole that has room. */
static const struct vk_hole *find_hole(struct vk_va *va, uint64_t size_B, uint64_t align_B, uint64_t *skip_B_out)
{
    const unsigned class = size_class(size_B);
    bool is_first = true;
    const struct vk_hole *hole = ordered_after(&va->holes, va->hint_va[class]);
    for (; hole; hole = ordered_after(&va->holes, hole->start_va + 1)) {
        if (is_first && size_of(hole) >> class) {
            va->hint_va[class] = hole->start_va;
            is_first = false;
        }
        /* Counted from the hole's start: the high half ends at the last address, and a sum could wrap. */
        uint64_t skip_B = -hole->start_va & (align_B - 1), room_B = size_of(hole);
        *skip_B_out = skip_B;
        if (skip_B <= room_B && size_B <= room_B - skip_B)
            return hole;
    }
    return NULL;
}

int vk_va_alloc(struct vk_va *va, uint64_t size_B, uint64_t align_B, uint64_t *va_out)
{
    int error = -ENOMEM;
    uint64_t skip_B;
    if (!size_B)
        return -EINVAL;
    pthread_mutex_lock(&va->lock);
    const struct vk_hole *hole = find_hole(va, size_B, align_B, &skip_B);
    if (hole) {
        *va_out = hole->start_va + skip_B;
        error = carve_hole(va, *hole, *va_out, *va_out + size_B);
    }
    pthread_mutex_unlock(&va->lock);
    return error;
}

int vk_va_alloc_at(struct vk_va *va, uint64_t at_va, uint64_t size_B)
{
    int error = -EBUSY;
    pthread_mutex_lock(&va->lock);
    const struct vk_hole *hole = ordered_before(&va->holes, at_va);
    if (hole && at_va - hole->start_va < size_of(hole) && size_B <= hole->end_va - at_va)
        error = carve_hole(va, *hole, at_va, at_va + size_B);
    pthread_mutex_unlock(&va->lock);
    return error;
}

int vk_va_free(struct vk_va *va, uint64_t at_va, uint64_t size_B)
{
    uint64_t start_va = at_va, end_va = at_va + size_B;
    int error = 0;
    pthread_mutex_lock(&va->lock);
    const struct vk_hole *found = ordered_before(&va->holes, at_va), *after = ordered_after(&va->holes, at_va);
    if (!ordered_reserve(&va->holes, 1)) {
        error = -ENOMEM; /* the range is lost until the device closes; nothing else is harmed */
    } else {
        if (found && found->end_va == at_va)
            start_va = found->start_va;
        if (after && after->start_va == at_va + size_B)
            end_va = after->end_va;
        if (end_va != at_va + size_B)
            ordered_remove(&va->holes, at_va + size_B);
        if (start_va != at_va)
            ordered_remove(&va->holes, start_va);
        add_hole(va, start_va, end_va);
    }
    pthread_mutex_unlock(&va->lock);
    return error;
}
