/* Endpoints that write down how they are called. */
#include <string.h>
#include <unistd.h>

#include "rig.h"

struct rig_blocks rig_blocks;

static struct rig_call *note_call(struct mali_queue *queue, enum rig_call_kind kind)
{
    struct rig_call *call = &rig_blocks.calls[atomic_fetch_add(&rig_blocks.call_count, 1) % RIG_MAX_CALLS];
    *call = (struct rig_call){.kind = kind};
    if (queue) {
        call->queue = queue->number;
        gpu_mem_read64(queue->space, RIG_VA, &call->marker);
    }
    return call;
}

static bool note_run(struct mali_run *run, enum rig_call_kind kind)
{
    struct rig_call *call = note_call(run->queue, kind);
    call->word = run->word;
    memcpy(call->regs, run->regs, sizeof(call->regs));
    call->more_count = run->more_count;
    if (run->more_count)
        call->last = run->more[run->more_count - 1];
    return true;
}

/* Jobs that must be under way at the same time to end. */
static bool meet_jobs(struct mali_run *run)
{
    if (!rig_blocks.must_meet)
        return true;
    atomic_fetch_add(&rig_blocks.met, 1);
    while (atomic_load(&rig_blocks.met) < rig_blocks.must_meet) {
        if (mali_is_killed(run->queue))
            return mali_stop(run->queue, GPU_STOP_KILLED, "the other job never came");
        usleep(100);
    }
    return true;
}

bool mali_sc_create(struct mali_gpu *gpu)
{
    return true;
}

void mali_sc_destroy(struct mali_gpu *gpu)
{
}

void mali_sc_invalidate_code(struct mali_gpu *gpu)
{
    note_call(NULL, RIG_INVALIDATE);
}

void mali_sc_forget_space(struct mali_gpu *gpu, const struct gpu_space *space)
{
}

bool mali_sc_run_compute(struct mali_run *run)
{
    note_run(run, RIG_COMPUTE);
    return meet_jobs(run);
}

bool mali_tiler_create(struct mali_gpu *gpu)
{
    return true;
}

void mali_tiler_destroy(struct mali_gpu *gpu)
{
}

/* One of the heap's list, where chunks were given back, or one from the kernel. */
static bool take_chunk(struct mali_queue *queue)
{
    for (;;) {
        const uint32_t freed = mali_cs_freed(queue);
        unsigned unused = atomic_load(&rig_blocks.unused);
        if (unused && atomic_compare_exchange_strong(&rig_blocks.unused, &unused, unused - 1))
            return true;
        while (rig_blocks.is_slow && !atomic_load(&rig_blocks.unused) && !mali_is_killed(queue))
            usleep(100);
        if (!mali_cs_starve(queue, freed, &rig_blocks.chunk))
            return false;
        if (rig_blocks.chunk)
            return true;
    }
}

bool mali_tiler_run_idvs(struct mali_run *run)
{
    note_run(run, RIG_IDVS);
    for (unsigned i = 0; i < rig_blocks.starvations; i++) {
        if (!take_chunk(run->queue))
            return false;
    }
    return meet_jobs(run);
}

bool mali_tiler_run_tiling(struct mali_run *run)
{
    return note_run(run, RIG_TILING);
}

bool mali_tiler_run_fullscreen(struct mali_run *run)
{
    return note_run(run, RIG_FULLSCREEN);
}

bool mali_tiler_finish(struct mali_run *run)
{
    return note_run(run, RIG_FINISH_TILING);
}

bool mali_tiler_free_chunks(struct mali_queue *queue, uint64_t first_va, uint64_t last_va)
{
    struct rig_call *call = note_call(queue, RIG_FREE);
    call->first_va = first_va;
    call->last_va = last_va;
    atomic_fetch_add(&rig_blocks.unused, 1);
    return true;
}

bool mali_frag_create(struct mali_gpu *gpu)
{
    return true;
}

void mali_frag_destroy(struct mali_gpu *gpu)
{
}

bool mali_frag_run(struct mali_run *run)
{
    note_run(run, RIG_FRAGMENT);
    return meet_jobs(run);
}
