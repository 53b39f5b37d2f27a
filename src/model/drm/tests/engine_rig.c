/* See engine_rig.h. */
#include "engine_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/strbuf.h"

static void describe_address(const struct gpu_space *space, uint64_t va, struct strbuf *text)
{
    strbuf_printf(text, "  the rig has nothing at 0x%llx\n", (unsigned long long)va);
}

int rig_open(void **state, const struct drm_engine_ops *ops, const void *chip, uint64_t va,
             const struct gpu_extent *extents, uint32_t extent_count, unsigned context_count)
{
    static const struct drm_engine_host host = {.describe_address = describe_address};
    struct rig *rig = calloc(1, sizeof(*rig));
    if (!rig || !chip)
        return -1;
    rig->ops = ops;
    rig->va = va;
    rig->stream_B = RIG_STREAM_B;
    rig->fd = memfd_create("rig", MFD_CLOEXEC);
    if (rig->fd < 0 || ftruncate(rig->fd, RIG_SIZE_B) != 0)
        return -1;
    rig->map = mmap(NULL, RIG_SIZE_B, PROT_READ | PROT_WRITE, MAP_SHARED, rig->fd, 0);
    if (rig->map == MAP_FAILED || gpu_space_init(&rig->space, extents, extent_count) != 0 ||
        gpu_space_map_file(&rig->space, va, RIG_SIZE_B, rig->fd, 0, GPU_PERM_RWX) != 0 ||
        ops->create(chip, &host, &rig->engine) != 0)
        return -1;
    for (unsigned i = 0; i < context_count; i++) {
        if (ops->context_create(rig->engine, &rig->space, &rig->contexts[i]) != 0)
            return -1;
    }
    *state = rig;
    return 0;
}

int rig_teardown(void **state)
{
    struct rig *rig = *state;
    for (unsigned i = 0; i < RIG_MAX_CONTEXTS; i++)
        rig->ops->context_destroy(rig->engine, rig->contexts[i]);
    rig->ops->destroy(rig->engine);
    gpu_space_finish(&rig->space);
    munmap(rig->map, RIG_SIZE_B);
    close(rig->fd);
    free(rig);
    return 0;
}

uint64_t rig_place_bytes(struct rig *rig, const void *data, uint32_t size_B)
{
    const uint32_t at_B = rig->stream_B;
    if (at_B + size_B > RIG_SIZE_B)
        abort();
    memcpy(rig->map + at_B, data, size_B);
    rig->stream_B += (size_B + 63) & ~63u;
    return rig->va + at_B;
}

static void finished(struct drm_engine_job *base, const struct drm_engine_result *result)
{
    struct rig_job *job = (struct rig_job *)base;
    job->error = result->error;
    snprintf(job->report, sizeof(job->report), "%s", result->report ? result->report : "");
    atomic_store(&job->is_done, true);
}

void *rig_job_init(struct rig *rig, struct rig_job *job, unsigned context, uint32_t ring, size_t work_B)
{
    if (work_B > sizeof(job->work))
        abort();
    memset(job, 0, sizeof(*job));
    job->base.ring = ring;
    job->base.context = rig->contexts[context];
    job->base.space = &rig->space;
    job->base.work = job->work;
    job->base.finished = finished;
    return job->work;
}

void rig_job_submit(struct rig *rig, struct rig_job *job)
{
    rig->ops->submit(rig->engine, &job->base);
}

void rig_kill(struct rig *rig, struct rig_job *job)
{
    atomic_store(&job->base.killed, true);
    rig->ops->kill(rig->engine, &job->base);
}

int rig_wait(struct rig_job *job)
{
    while (!atomic_load(&job->is_done))
        usleep(100);
    return job->error;
}

int rig_finish(struct rig *rig, struct rig_job *job)
{
    rig->error = rig_wait(job);
    memcpy(rig->report, job->report, sizeof(rig->report));
    return rig->error;
}
