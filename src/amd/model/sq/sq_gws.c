/* The global wave sync: semaphores and barriers between the waves of all workgroups. Resource numbers come from m0
 * [21:16] and the offset; values from the first active lane. A wave that has to wait gives up its turn and comes back
 * to the same instruction.
 *
 * A barrier's counter is the number of waves that are still to come, less one; the wave that finds it at zero changes
 * the phase, which the others wait for, and sets the counter up again with its own value. */
#include <stddef.h>

#include "amd/model/sq/sq_gds.h"
#include "amd/model/sq/sq_memory.h"

static sq_gws *find_resource(struct sq_wave *wave, const struct sq_uop *uop)
{
    uint32_t number = ((wave->sgpr[SQ_M0] >> 16 & 63) + (uop->imm & 63)) % SQ_GWS_COUNT;
    if (wave->gds && number < wave->gds->gws_count)
        return &wave->gds->gws[number];
    amd_sq_fault(wave, uop, SQ_FAULT_INSTRUCTION, "a resource of the global wave sync that the context was not given");
    return NULL;
}

static uint32_t first_value(struct sq_wave *wave, const struct sq_uop *uop)
{
    const uint32_t *rows = sq_at(wave, uop->s[0]);
    uint64_t exec = sq_exec(wave);
    return rows[exec ? __builtin_ctzll(exec) : 0];
}

static uint64_t pack_barrier(uint32_t counter, uint32_t phase)
{
    return counter | (uint64_t)phase << 32;
}

static void wait_barrier(struct sq_wave *wave, const struct sq_uop *uop)
{
    wave->next = uop;
    if (atomic_load_explicit(wave->killed, memory_order_relaxed))
        amd_sq_fault(wave, uop, SQ_FAULT_KILLED, "the context was lost");
    else
        wave->state = SQ_YIELDED;
}

static void gws_init(struct sq_wave *wave, const struct sq_uop *uop)
{
    sq_gws *resource = find_resource(wave, uop);
    if (resource)
        atomic_store(resource, pack_barrier(first_value(wave, uop), 0));
}

static void add_waves(struct sq_wave *wave, const struct sq_uop *uop, uint32_t count)
{
    sq_gws *resource = find_resource(wave, uop);
    if (!resource)
        return;
    uint64_t old = atomic_load(resource);
    while (!atomic_compare_exchange_weak(resource, &old, pack_barrier((uint32_t)old + count, (uint32_t)(old >> 32))))
        ;
}

static void gws_sema_v(struct sq_wave *wave, const struct sq_uop *uop)
{
    add_waves(wave, uop, 1);
}

static void gws_sema_br(struct sq_wave *wave, const struct sq_uop *uop)
{
    add_waves(wave, uop, first_value(wave, uop));
}

/* Waves that wait now continue, whatever the counter says: the phase has changed. */
static void gws_release_all(struct sq_wave *wave, const struct sq_uop *uop)
{
    sq_gws *resource = find_resource(wave, uop);
    if (resource)
        atomic_fetch_add(resource, pack_barrier(0, 1));
}

static void gws_sema_p(struct sq_wave *wave, const struct sq_uop *uop)
{
    sq_gws *resource = find_resource(wave, uop);
    if (!resource)
        return;
    uint64_t old = atomic_load(resource);
    bool is_released = wave->gws_waits && (uint32_t)(old >> 32) != wave->gws_phase;
    while (!is_released && (int32_t)old > 0)
        is_released =
            atomic_compare_exchange_weak(resource, &old, pack_barrier((uint32_t)old - 1, (uint32_t)(old >> 32)));
    if (!is_released) {
        if (!wave->gws_waits)
            wave->gws_phase = (uint32_t)(old >> 32);
        wait_barrier(wave, uop);
    }
    wave->gws_waits = !is_released;
}

static void gws_barrier(struct sq_wave *wave, const struct sq_uop *uop)
{
    sq_gws *resource = find_resource(wave, uop);
    if (!resource)
        return;
    uint64_t old = atomic_load(resource);
    if (wave->gws_waits) {
        if ((uint32_t)(old >> 32) != wave->gws_phase)
            wave->gws_waits = false;
        else
            wait_barrier(wave, uop);
        return;
    }
    uint64_t new;
    do {
        bool is_last = (int32_t)old <= 0;
        new = is_last ? pack_barrier(first_value(wave, uop), (uint32_t)(old >> 32) + 1)
                      : pack_barrier((uint32_t)old - 1, (uint32_t)(old >> 32));
    } while (!atomic_compare_exchange_weak(resource, &old, new));
    if ((int32_t)old <= 0)
        return;
    wave->gws_phase = (uint32_t)(old >> 32);
    wave->gws_waits = true;
    wait_barrier(wave, uop);
}

sq_run_fn amd_sq_gws_handler(const struct isa_inst *inst)
{
    switch (inst->op) {
    case ISA_OP_DS_GWS_INIT:
        return gws_init;
    case ISA_OP_DS_GWS_SEMA_V:
        return gws_sema_v;
    case ISA_OP_DS_GWS_SEMA_BR:
        return gws_sema_br;
    case ISA_OP_DS_GWS_SEMA_P:
        return gws_sema_p;
    case ISA_OP_DS_GWS_SEMA_RELEASE_ALL:
        return gws_release_all;
    case ISA_OP_DS_GWS_BARRIER:
        return gws_barrier;
    default:
        return NULL;
    }
}
