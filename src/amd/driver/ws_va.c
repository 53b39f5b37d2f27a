/* Address ranges of one half of a GPU's address space: the free parts as a sorted list. Allocation is rare (a buffer,
 * not a draw), so a walk is good enough. */
#include <errno.h>
#include <stdlib.h>

#include "amd/driver/ws.h"

struct ws_hole {
    struct list link;
    uint64_t start_va, end_va;
};

static struct ws_hole *hole_create(uint64_t start_va, uint64_t end_va)
{
    struct ws_hole *hole = malloc(sizeof(*hole));
    if (hole) {
        hole->start_va = start_va;
        hole->end_va = end_va;
        list_init(&hole->link);
    }
    return hole;
}

int amd_ws_va_init(struct ws_va *va, uint64_t start_va, uint64_t end_va)
{
    list_init(&va->holes);
    va->start_va = start_va;
    va->end_va = end_va;
    pthread_mutex_init(&va->lock, NULL);
    if (start_va == end_va)
        return 0;
    struct ws_hole *hole = hole_create(start_va, end_va);
    if (!hole) {
        pthread_mutex_destroy(&va->lock);
        return -ENOMEM;
    }
    list_push_back(&va->holes, &hole->link);
    return 0;
}

void amd_ws_va_finish(struct ws_va *va)
{
    list_foreach (&va->holes, struct ws_hole, hole, link)
        free(hole);
    pthread_mutex_destroy(&va->lock);
}

/* With the lock held: take [start, end) out of a hole that has it all. */
static int carve(struct ws_hole *hole, uint64_t start_va, uint64_t end_va)
{
    if (start_va == hole->start_va && end_va == hole->end_va) {
        list_remove(&hole->link);
        free(hole);
    } else if (start_va == hole->start_va) {
        hole->start_va = end_va;
    } else if (end_va == hole->end_va) {
        hole->end_va = start_va;
    } else {
        struct ws_hole *rest = hole_create(end_va, hole->end_va);
        if (!rest)
            return -ENOMEM;
        list_insert_after(&hole->link, &rest->link);
        hole->end_va = start_va;
    }
    return 0;
}

int amd_ws_va_alloc(struct ws_va *va, uint64_t size_B, uint64_t align_B, uint64_t *va_out)
{
    int error = -ENOMEM;
    if (!size_B)
        return -EINVAL;
    pthread_mutex_lock(&va->lock);
    list_foreach (&va->holes, struct ws_hole, hole, link) {
        /* Counted from the hole's start: the high half ends at the last address, and a sum could wrap. */
        uint64_t skip_B = -hole->start_va & (align_B - 1), room_B = hole->end_va - hole->start_va;
        if (skip_B > room_B || size_B > room_B - skip_B)
            continue;
        *va_out = hole->start_va + skip_B;
        error = carve(hole, *va_out, *va_out + size_B);
        break;
    }
    pthread_mutex_unlock(&va->lock);
    return error;
}

int amd_ws_va_alloc_at(struct ws_va *va, uint64_t at_va, uint64_t size_B)
{
    int error = -EBUSY;
    pthread_mutex_lock(&va->lock);
    list_foreach (&va->holes, struct ws_hole, hole, link) {
        if (at_va < hole->start_va || at_va - hole->start_va >= hole->end_va - hole->start_va ||
            size_B > hole->end_va - at_va)
            continue;
        error = carve(hole, at_va, at_va + size_B);
        break;
    }
    pthread_mutex_unlock(&va->lock);
    return error;
}

int amd_ws_va_free(struct ws_va *va, uint64_t at_va, uint64_t size_B)
{
    uint64_t end_va = at_va + size_B;
    pthread_mutex_lock(&va->lock);
    struct ws_hole *before = NULL, *after = NULL;
    list_foreach (&va->holes, struct ws_hole, hole, link) {
        if (hole->start_va >= end_va) {
            after = hole;
            break;
        }
        before = hole;
    }
    bool joins_before = before && before->end_va == at_va, joins_after = after && after->start_va == end_va;
    int error = 0;
    if (joins_before && joins_after) {
        before->end_va = after->end_va;
        list_remove(&after->link);
        free(after);
    } else if (joins_before) {
        before->end_va = end_va;
    } else if (joins_after) {
        after->start_va = at_va;
    } else {
        struct ws_hole *hole = hole_create(at_va, end_va);
        if (hole)
            list_insert_after(before ? &before->link : &va->holes, &hole->link);
        else
            error = -ENOMEM; /* the range is lost until the device closes; nothing else is harmed */
    }
    pthread_mutex_unlock(&va->lock);
    return error;
}
