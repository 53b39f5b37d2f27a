/* See rig.h. */
#include "rig.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mali/hw/chip.h"

/* ---- the engine ---- */

static void describe_address(const struct gpu_space *space, uint64_t va, struct strbuf *text)
{
    strbuf_printf(text, "  the rig has nothing at 0x%llx\n", (unsigned long long)va);
}

int rig_setup(void **state)
{
    static const struct drm_engine_host host = {.describe_address = describe_address};
    struct rig *rig = calloc(1, sizeof(*rig));
    const struct mali_chip *chip = mali_chip_find("mali-g610");
    if (!rig || !chip)
        return -1;
    memset(&rig_blocks, 0, sizeof(rig_blocks));
    rig->fd = memfd_create("rig", MFD_CLOEXEC);
    if (rig->fd < 0 || ftruncate(rig->fd, RIG_SIZE_B) != 0)
        return -1;
    rig->map = mmap(NULL, RIG_SIZE_B, PROT_READ | PROT_WRITE, MAP_SHARED, rig->fd, 0);
    if (gpu_space_init(&rig->space, (struct gpu_extent[]){{RIG_VA, 1ull << 28}}, 1) != 0 ||
        gpu_space_map_file(&rig->space, RIG_VA, RIG_SIZE_B, rig->fd, 0, GPU_PERM_RWX) != 0)
        return -1;
    if (mali_engine_ops.create(chip, &host, &rig->engine) != 0)
        return -1;
    for (unsigned i = 0; i < 2; i++) {
        if (mali_engine_ops.context_create(rig->engine, &rig->space, &rig->groups[i]) != 0)
            return -1;
    }
    rig->stream_B = RIG_STREAM_B;
    *state = rig;
    return 0;
}

int rig_teardown(void **state)
{
    struct rig *rig = *state;
    for (unsigned i = 0; i < 2; i++)
        mali_engine_ops.context_destroy(rig->engine, rig->groups[i]);
    mali_engine_ops.destroy(rig->engine);
    gpu_space_finish(&rig->space);
    munmap(rig->map, RIG_SIZE_B);
    close(rig->fd);
    free(rig);
    return 0;
}

uint64_t rig_place(struct rig *rig, const struct stream *s)
{
    uint32_t at_B = rig->stream_B;
    if (at_B + 8 * s->count > RIG_SIZE_B)
        abort();
    memcpy(rig->map + at_B, s->words, 8 * s->count);
    rig->stream_B += (8 * s->count + 63) & ~63u;
    return RIG_VA + at_B;
}

static void finished(struct drm_engine_job *base, const struct drm_engine_result *result)
{
    struct rig_job *job = (struct rig_job *)base;
    job->error = result->error;
    snprintf(job->report, sizeof(job->report), "%s", result->report ? result->report : "");
    atomic_store(&job->is_done, true);
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
    memset(job, 0, sizeof(*job));
    uint64_t va = rig_place(rig, s);
    job->work = (struct mali_work){.ring_va = va,
                                   .ring_B = 8 * s->count,
                                   .stream_va = va,
                                   .stream_B = 8 * s->count,
                                   .flush_id = &rig->flush_id,
                                   .grow_heap = grow_heap};
    job->base.ring = mali_ring(group, queue);
    job->base.context = rig->groups[group];
    job->base.space = &rig->space;
    job->base.work = &job->work;
    job->base.finished = finished;
    mali_engine_ops.submit(rig->engine, &job->base);
}

void rig_kill(struct rig *rig, struct rig_job *job)
{
    atomic_store(&job->base.killed, true);
    mali_engine_ops.kill(rig->engine, &job->base);
}

int rig_wait(struct rig_job *job)
{
    while (!atomic_load(&job->is_done))
        usleep(100);
    return job->error;
}

int rig_run(struct rig *rig, const struct stream *s)
{
    struct rig_job *job = malloc(sizeof(*job));
    rig_submit(rig, job, 0, 0, s);
    rig->error = rig_wait(job);
    snprintf(rig->report, sizeof(rig->report), "%s", job->report);
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
