/* See window.h. */
#include "model/exec/window.h"

#include <stddef.h>

#define MOST_PAGES 16384 /* of a window, on either side of the address */

static bool is_there(const struct gpu_window *window, uint64_t page, unsigned need)
{
    return (__atomic_load_n(&window->perms[page], __ATOMIC_RELAXED) & need) == need;
}

/* A window has no address with another upper half: a lane's is compared, not computed with. */
void exec_site_find(struct exec_site *site, const struct gpu_space *space, uint64_t va)
{
    const struct gpu_window *window = gpu_space_window(space, va);
    const uint64_t offset_B = va - window->base_va, first = offset_B >> GPU_PAGE_SHIFT;
    site->changes = gpu_space_changes(space, va);
    site->is_known = true;
    site->va = va;
    site->window = (struct exec_window){.host = (const uint8_t *)site};
    if (offset_B >= window->size_B || !is_there(window, first, site->need))
        return;
    const uint64_t end = window->size_B >> GPU_PAGE_SHIFT;
    uint64_t low = first, high = first + 1;
    while (low > 0 && first - low < MOST_PAGES && is_there(window, low - 1, site->need))
        low--;
    while (high < end && high - first < MOST_PAGES && is_there(window, high, site->need))
        high++;
    const uint64_t named = va - (uint64_t)site->offset_B, block = named & ~(uint64_t)UINT32_MAX;
    uint64_t from = window->base_va + (low << GPU_PAGE_SHIFT) - (uint64_t)site->offset_B;
    uint64_t to = window->base_va + (high << GPU_PAGE_SHIFT) - (uint64_t)site->offset_B;
    /* Both ends as distances from the block of 4 GiB that the registers name. */
    const int64_t begin = (int64_t)(from - block), limit = (int64_t)(to - block);
    from = begin < 0 ? block : from;
    to = limit > (int64_t)UINT32_MAX ? block + UINT32_MAX : to;
    if (to - from < site->size_B || named < from)
        return;
    site->window = (struct exec_window){
        .host = window->host + (from + (uint64_t)site->offset_B - window->base_va),
        .base_low = (uint32_t)from,
        .base_high = (uint32_t)(from >> 32),
        .limit = (uint32_t)(to - from - site->size_B + 1),
    };
}

void exec_site_look(struct exec_site *site, const struct gpu_space *space, const uint32_t *low, const uint32_t *high,
                    uint32_t lanes, const uint32_t *active)
{
    const struct exec_window *window = &site->window;
    site->is_wanted = false;
    for (uint32_t i = 0; i < lanes; i++) {
        if ((active && !active[i]) || (high[i] == window->base_high && low[i] - window->base_low < window->limit))
            continue;
        exec_site_find(site, space, (low[i] | (uint64_t)high[i] << 32) + (uint64_t)site->offset_B);
        return;
    }
}

jit_value exec_window_offset(struct lane_program *p, jit_value low, jit_value high, uint32_t window_B,
                             uint32_t active_B, uint32_t number)
{
    const uint32_t fields[] = {offsetof(struct exec_window, base_low), offsetof(struct exec_window, base_high),
                               offsetof(struct exec_window, limit)};
    jit_value splats[3];
    for (unsigned i = 0; i < 3; i++)
        splats[i] = lane_program_emit(p, JIT_SPLAT, JIT_NONE, JIT_NONE, JIT_NONE, window_B + fields[i]);
    const jit_value offset = lane_program_sub(p, low, splats[0]);
    const jit_value bad = lane_program_or(p, lane_program_not(p, lane_program_eq(p, high, splats[1])),
                                          lane_program_le_u(p, splats[2], offset));
    if (!active_B) {
        lane_program_emit(p, JIT_MISS, bad, JIT_NONE, JIT_NONE, number);
        return offset;
    }
    const jit_value active = lane_program_emit(p, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE, active_B);
    lane_program_emit(p, JIT_MISS, lane_program_and(p, bad, active), JIT_NONE, JIT_NONE, number);
    return lane_program_emit(p, JIT_ANDN, offset, bad, JIT_NONE, 0);
}
