/* See sq_move_pages.h. */
#include "amd/model/sq/sq_move_pages.h"

#include "model/memory.h"

void amd_sq_move_pages_check(struct sq_move_pages *pages, const struct gpu_space *space)
{
    if (pages->end_va && pages->changes != gpu_space_changes(space, pages->va))
        pages->end_va = 0;
}

__attribute__((noinline)) bool amd_sq_move_pages_find(struct sq_move_pages *pages, const struct gpu_space *space,
                                                      uint64_t va, uint64_t end_va, unsigned need)
{
    static const uint32_t units_B[] = {1u << 20, 64u << 10, GPU_PAGE_SIZE_B};
    pages->changes = gpu_space_changes(space, va);
    for (unsigned i = 0; i < sizeof(units_B) / sizeof(units_B[0]); i++) {
        const uint64_t unit_B = units_B[i], first = va & ~(unit_B - 1), end = (end_va + unit_B - 1) & ~(unit_B - 1);
        pages->host = gpu_space_whole(space, first, end - first, need);
        pages->va = first;
        pages->end_va = end;
        if (pages->host)
            return true;
    }
    pages->end_va = 0;
    return false;
}
