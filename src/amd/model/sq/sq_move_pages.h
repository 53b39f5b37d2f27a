/* Pages that moves (sq_move.h) have found all right: until the window changes the next ones need not ask again. */
#ifndef AMD_MODEL_SQ_MOVE_PAGES_H
#define AMD_MODEL_SQ_MOVE_PAGES_H

#include <stdbool.h>
#include <stdint.h>

struct gpu_space;

struct sq_move_pages {
    uint64_t va, end_va;
    uint8_t *host;
    uint32_t changes;
};

/* Forget pages of an earlier wave, if they have changed. What changes while one runs does no harm (memory.h). */
void amd_sq_move_pages_check(struct sq_move_pages *pages, const struct gpu_space *space);

/* Pages around a range that allow the access, as many as a few tries find: the next waves will want them. False: not
 * all of it may be accessed. */
bool amd_sq_move_pages_find(struct sq_move_pages *pages, const struct gpu_space *space, uint64_t va, uint64_t end_va,
                            unsigned need);

/* Finds the pages, if they are not there already. */
static inline bool amd_sq_move_pages_have(struct sq_move_pages *pages, const struct gpu_space *space, uint64_t va,
                                          uint64_t end_va, unsigned need)
{
    return va < end_va &&
           ((va >= pages->va && end_va <= pages->end_va) || amd_sq_move_pages_find(pages, space, va, end_va, need));
}

/* From addresses in these pages to the host's. */
static inline uintptr_t amd_sq_move_pages_host(const struct sq_move_pages *pages)
{
    return (uintptr_t)pages->host - (uintptr_t)pages->va;
}

#endif
