/* See rig.h. */
#include "rig.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mali/hw/chip.h"

/* ---- the engine ---- */

int rig_setup(void **state)
{
    const struct gpu_extent extent = {RIG_VA, 1ull << 28};
    memset(&rig_blocks, 0, sizeof(rig_blocks));
    return rig_open(state, &mali_engine_ops, mali_chip_find("mali-g610"), RIG_VA, &extent, 1, 2);
}

uint64_t rig_place(struct rig *rig, const struct stream *s)
{
    return rig_place_bytes(rig, s->words, 8 * s->count);
}

/* The kernel has as many chunks as the test says. */
static int grow_heap(const struct drm_engine_job *job, uint64_t heap_va, uint32_t passes_in_flight,
                     uint32_t fragments_pending, uint64_t *chunk_out)
{
    rig_blocks.passes_in_flight = passes_in_flight;
    rig_blocks.passes_tiled = fragments_pending;
    if (heap_va == RIG_UNMAPPED_VA)
        return -EINVAL;
    if (!rig_blocks.chunks_left)
        return -ENOMEM;
    rig_blocks.chunks_left--;
    *chunk_out = 0x12345000;
    return 0;
}

void rig_submit(struct rig *rig, struct rig_job *job, unsigned group, unsigned queue, const struct stream *s)
{
    struct mali_work *work = rig_job_init(rig, job, group, mali_ring(group, queue), sizeof(*work));
    const uint64_t va = rig_place(rig, s);
    *work = (struct mali_work){.ring_va = va,
                               .ring_B = 8 * s->count,
                               .stream_va = va,
                               .stream_B = 8 * s->count,
                               .flush_id = &rig_blocks.flush_id,
                               .grow_heap = grow_heap};
    rig_job_submit(rig, job);
}

int rig_run(struct rig *rig, const struct stream *s)
{
    struct rig_job *job = malloc(sizeof(*job));
    rig_submit(rig, job, 0, 0, s);
    rig_finish(rig, job);
    free(job);
    return rig->error;
}

/* ---- streams ---- */

void put_set(struct stream *s, unsigned reg, uint32_t value)
{
    PUT(s, MOVE32, .DESTINATION = reg, .IMMEDIATE = value);
}

void put_set64(struct stream *s, unsigned reg, uint64_t value)
{
    put_set(s, reg, (uint32_t)value);
    put_set(s, reg + 1, (uint32_t)(value >> 32));
}

void put_wait(struct stream *s, unsigned mask)
{
    PUT(s, WAIT, .WAIT_MASK = mask);
}

void put_dump(struct stream *s, unsigned reg, uint32_t offset_B)
{
    put_set64(s, 90, RIG_VA + offset_B);
    PUT(s, STORE_MULTIPLE, .BASE_REGISTER = reg, .MASK = 1, .ADDRESS = 90);
    put_wait(s, 1);
}

void put_dump64(struct stream *s, unsigned reg, uint32_t offset_B)
{
    put_dump(s, reg, offset_B);
    put_dump(s, reg + 1, offset_B + 4);
}

void put_call(struct stream *s, uint64_t va, uint32_t count)
{
    put_set64(s, 88, va);
    put_set(s, 90, 8 * count);
    PUT(s, CALL, .ADDRESS = 88, .LENGTH = 90);
}
