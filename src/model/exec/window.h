/* Memory at addresses that lanes compute: a load of host code has a window, the mapped pages around an address that was
 * met before, and the code looks whether the address of each lane is in it. One that is not is a miss (JIT_MISS): the
 * micro-operations do what is left, and the window is found anew. Not for: memory that a descriptor bounds (view.h). */
#ifndef MODEL_EXEC_WINDOW_H
#define MODEL_EXEC_WINDOW_H

#include "model/exec/program.h"
#include "model/memory.h"

/* In the wave, filled before the code runs. Addresses from base on, all with the same upper half, are at `host`. */
struct exec_window {
    const uint8_t *host; /* something to load from, even if there is none */
    uint32_t base_low, base_high;
    uint32_t limit; /* of addresses less the base; 0: none is there */
};

/* A load, of one cache. What a lane's registers say is an address less offset_B. */
struct exec_site {
    int64_t offset_B;
    uint32_t size_B; /* of a lane's access */
    uint8_t need;    /* GPU_PERM_*: what the pages must allow */
    bool is_known;
    bool is_wanted;   /* a lane has missed: to be found anew when the micro-operation comes (exec_site_look) */
    uint32_t changes; /* gpu_space_changes() when it was found */
    uint64_t va;      /* the address that it was found for */
    struct exec_window window;
};

/* Nothing is there yet. What lanes that are not active load from is never looked at, but loaded. */
static inline void exec_site_init(struct exec_site *site, int64_t offset_B, uint32_t size_B)
{
    *site = (struct exec_site){
        .offset_B = offset_B, .size_B = size_B, .need = GPU_PERM_READ, .window.host = (const uint8_t *)site};
}

/* The window around an address. */
void exec_site_find(struct exec_site *site, const struct gpu_space *space, uint64_t va);
/* A look at active lanes' registers, low and high words: a window that has one which missed. */
void exec_site_look(struct exec_site *site, const struct gpu_space *space, const uint32_t *low, const uint32_t *high,
                    uint32_t lanes, const uint32_t *active);

/* Before the code runs. */
static inline void exec_site_bring(struct exec_site *site, const struct gpu_space *space, struct exec_window *window)
{
    if (__builtin_expect(site->is_known && site->changes != gpu_space_changes(space, site->va), 0))
        exec_site_find(site, space, site->va);
    *window = site->window;
}

/* Lanes at low and high whose window is at window_B in the wave: how far after its base they are. Active lanes that are
 * outside of it miss; active_B is the row of active lanes, 0: all are. */
jit_value exec_window_offset(struct lane_program *p, jit_value low, jit_value high, uint32_t window_B,
                             uint32_t active_B, uint32_t number);

#endif
