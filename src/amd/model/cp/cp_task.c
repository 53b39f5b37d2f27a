/* Task shaders: a compute ring runs them, the graphics ring draws what they ask for, and a ring of entries in memory
 * stands between the two. An entry says how many mesh workgroups a task workgroup wants and whether it is ready; the
 * shader writes it. A control buffer, which both rings are told of, holds the ring's size and three pointers that only
 * grow: where tasks are written, where they are read, and up to where entries are free again. The bit of a pointer
 * above its place in the ring is the value that "ready" has in that round, so that nothing must be cleared.
 *
 * A packet's last entry is the command processor's own and ends the draw. */
#include <string.h>

#include "amd/model/cp/cp_machine.h"
#include "util/bits.h"

enum {
    /* the control buffer, in bytes */
    WRITE_B = 0,
    READ_B = 8,
    FREE_B = 16,
    COUNT_B = 24,
    RING_LOW_B = 28,
    RING_HIGH_B = 32,
    /* an entry: workgroups in three dimensions, and its state */
    ENTRY_B = 16,
    STATE_B = 12,
    STATE_READY = 1,
    STATE_END = 2,
};

struct task_ring {
    uint64_t control_va, entries_va;
    uint64_t write, read, free;
    uint32_t count; /* of entries, a power of two */
};

bool amd_cp_dispatch_task_state_init(struct cp_machine *m)
{
    struct amd_pkt_DISPATCH_TASK_STATE_INIT p;
    if (!CP_UNPACK(m, DISPATCH_TASK_STATE_INIT, &p))
        return false;
    m->task_control_va = (uint64_t)bits_sign_extend(p.CONTROL_BUF_ADDR & ~0xffull, 48);
    return true;
}

static bool load_ring(struct cp_machine *m, struct task_ring *ring)
{
    uint64_t count, low, high;
    ring->control_va = m->task_control_va;
    if (!ring->control_va)
        return amd_cp_broken(m, "tasks without DISPATCH_TASK_STATE_INIT");
    if (!amd_cp_look(m, ring->control_va + WRITE_B, 8, &ring->write) ||
        !amd_cp_look(m, ring->control_va + READ_B, 8, &ring->read) ||
        !amd_cp_look(m, ring->control_va + FREE_B, 8, &ring->free) ||
        !amd_cp_look(m, ring->control_va + COUNT_B, 4, &count) ||
        !amd_cp_look(m, ring->control_va + RING_LOW_B, 4, &low) ||
        !amd_cp_look(m, ring->control_va + RING_HIGH_B, 4, &high))
        return false;
    ring->count = (uint32_t)count;
    ring->entries_va = (uint64_t)bits_sign_extend(low | high << 32, 48);
    if (!ring->count || (ring->count & (ring->count - 1)))
        return amd_cp_broken(m, "a ring of %u tasks, which is no power of two", ring->count);
    return true;
}

static uint64_t entry_va(const struct task_ring *ring, uint64_t pointer)
{
    return ring->entries_va + (pointer & (ring->count - 1)) * ENTRY_B;
}

static uint32_t ready_value(const struct task_ring *ring, uint64_t pointer)
{
    return pointer & ring->count ? STATE_READY : 0;
}

/* ---- the compute ring ---- */

/* Sleep until an entry is free; how many are. */
static bool wait_for_room(struct cp_machine *m, struct task_ring *ring, uint32_t *room_out)
{
    const uint32_t when_full = (uint32_t)(ring->write - ring->count);
    if (!amd_cp_wait_memory(m, AMD_CP_FUNCTION_NOTEQUAL, ring->control_va + FREE_B, when_full, UINT32_MAX) ||
        !amd_cp_look(m, ring->control_va + FREE_B, 8, &ring->free))
        return false;
    *room_out = ring->count - (uint32_t)(ring->write - ring->free);
    return true;
}

static bool advance_write(struct cp_machine *m, struct task_ring *ring, uint64_t by)
{
    ring->write += by;
    cp_progress(m);
    if (m->actor)
        amd_cp_coherence_finish_compute(m);
    return amd_cp_store(m, ring->control_va + WRITE_B, 8, ring->write);
}

/* A row of workgroups, as many at a time as there is room for. */
static bool run_row(struct cp_machine *m, struct task_ring *ring, uint32_t width, uint32_t y, uint32_t z,
                    uint32_t initiator)
{
    for (uint32_t x = 0; x < width;) {
        uint32_t room;
        if (!wait_for_room(m, ring, &room))
            return false;
        const uint32_t part = MIN2(room, width - x);
        if (!amd_cp_dispatch_part(m, (const uint32_t[3]){x, y, z}, (const uint32_t[3]){x + part, y + 1, z + 1},
                                  initiator) ||
            !advance_write(m, ring, part))
            return false;
        x += part;
    }
    return true;
}

/* Every workgroup is told the first one's entry, and adds its own number. */
static bool run_tasks(struct cp_machine *m, struct task_ring *ring, const uint32_t size[3], uint32_t entry_loc,
                      uint32_t initiator)
{
    uint32_t room;
    if (!size[0] || !size[1] || !size[2])
        return true;
    if (!amd_cp_write_user_sgpr(m, entry_loc, (uint32_t)ring->write) || !wait_for_room(m, ring, &room))
        return false;
    const uint64_t plane = (uint64_t)size[0] * size[1];
    if (plane <= room && plane * size[2] <= room)
        return amd_cp_dispatch_part(m, (const uint32_t[3]){0}, size, initiator) &&
               advance_write(m, ring, plane * size[2]);
    for (uint32_t z = 0; z < size[2]; z++) {
        for (uint32_t y = 0; y < size[1]; y++) {
            if (!run_row(m, ring, size[0], y, z, initiator))
                return false;
        }
    }
    return true;
}

static bool end_tasks(struct cp_machine *m, struct task_ring *ring)
{
    uint32_t room;
    return wait_for_room(m, ring, &room) &&
           amd_cp_store(m, entry_va(ring, ring->write) + STATE_B, 4, ready_value(ring, ring->write) | STATE_END) &&
           advance_write(m, ring, 1);
}

bool amd_cp_dispatch_taskmesh_direct_ace(struct cp_machine *m)
{
    struct amd_pkt_DISPATCH_TASKMESH_DIRECT_ACE p;
    struct task_ring ring;
    return CP_UNPACK(m, DISPATCH_TASKMESH_DIRECT_ACE, &p) && load_ring(m, &ring) &&
           run_tasks(m, &ring, (const uint32_t[3]){p.DIM_X, p.DIM_Y, p.DIM_Z}, p.RING_ENTRY_LOC, m->dw[4]) &&
           end_tasks(m, &ring);
}

bool amd_cp_dispatch_taskmesh_indirect_multi_ace(struct cp_machine *m)
{
    struct amd_pkt_DISPATCH_TASKMESH_INDIRECT_MULTI_ACE p;
    struct task_ring ring;
    uint64_t limit = UINT32_MAX;
    if (!CP_UNPACK(m, DISPATCH_TASKMESH_INDIRECT_MULTI_ACE, &p) || !load_ring(m, &ring) ||
        (p.COUNT_INDIRECT_ENABLE && !amd_cp_load(m, p.COUNT_ADDR & ~3ull, 4, &limit)))
        return false;
    const uint32_t count = MIN2(p.COUNT, (uint32_t)limit), initiator = m->dw[10];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size[3] = {0};
        if (cp_is_killed(m))
            return amd_cp_killed(m);
        if (!amd_cp_read(m, (p.DATA_ADDR & ~3ull) + (uint64_t)i * p.STRIDE, size, sizeof(size)) ||
            (p.DRAW_INDEX_ENABLE && !amd_cp_write_user_sgpr(m, p.DRAW_INDEX_LOC, i)))
            return false;
        for (uint32_t axis = 0; axis < 3 && p.XYZ_DIM_ENABLE; axis++) {
            if (!amd_cp_write_user_sgpr(m, p.XYZ_DIM_LOC + axis, size[axis]))
                return false;
        }
        if (!run_tasks(m, &ring, size, p.RING_ENTRY_LOC, initiator))
            return false;
    }
    return end_tasks(m, &ring);
}

/* ---- the graphics ring ---- */

/* Entries are free when the mesh shaders that read their payloads have ended. */
static bool free_entries(struct cp_machine *m, struct task_ring *ring)
{
    ring->free = ring->read;
    return amd_cp_finish_draws(m) && amd_cp_store(m, ring->control_va + FREE_B, 8, ring->free);
}

/* True: drawn, or the end is found. */
static bool draw_entry(struct cp_machine *m, const struct task_ring *ring, uint32_t entry_loc, uint32_t size_loc,
                       uint32_t initiator, bool *is_end_out)
{
    const uint64_t va = entry_va(ring, ring->read);
    uint64_t state;
    uint32_t size[3];
    /* Where caches are looked at, the whole of the tasks has ended. */
    if (m->actor &&
        !amd_cp_wait_memory(m, AMD_CP_FUNCTION_NOTEQUAL, ring->control_va + WRITE_B, (uint32_t)ring->read, UINT32_MAX))
        return false;
    if (!amd_cp_wait_memory(m, AMD_CP_FUNCTION_EQUAL, va + STATE_B, ready_value(ring, ring->read), STATE_READY) ||
        !amd_cp_look(m, va + STATE_B, 4, &state))
        return false;
    *is_end_out = state & STATE_END;
    return *is_end_out ||
           (amd_cp_read(m, va, size, sizeof(size)) && amd_cp_write_user_sgpr(m, entry_loc, (uint32_t)ring->read) &&
            amd_cp_draw_mesh(m, size, size_loc, initiator));
}

bool amd_cp_dispatch_taskmesh_gfx(struct cp_machine *m)
{
    struct amd_pkt_DISPATCH_TASKMESH_GFX p;
    struct task_ring ring;
    if (!CP_UNPACK(m, DISPATCH_TASKMESH_GFX, &p) || !load_ring(m, &ring))
        return false;
    const uint32_t initiator = m->dw[3];
    for (bool is_end = false; !is_end;) {
        if (!draw_entry(m, &ring, p.RING_ENTRY_LOC, p.XYZ_DIM_LOC, initiator, &is_end))
            return false;
        ring.read++;
        cp_progress(m);
        if (!amd_cp_store(m, ring.control_va + READ_B, 8, ring.read) ||
            ((is_end || ring.read - ring.free >= (ring.count + 1) / 2) && !free_entries(m, &ring)))
            return false;
    }
    return true;
}
