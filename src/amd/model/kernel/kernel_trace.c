/* A job's streams for people, with what INDIRECT_BUFFER packets call: it is part of the stream. */
#include <unistd.h>

#include "amd/hw/decode.h"
#include "amd/model/kernel/kernel_types.h"
#include "model/drm/drm_trace.h"

static void trace_ib(struct drm_trace *trace, const struct amd_job *job, const struct amd_engine_ib *ib)
{
    bool is_sdma = amd_ring_kind(job->job.base.ring) == AMD_RING_SDMA;
    const struct amd_device *device = (const struct amd_device *)job->job.context->device;
    struct hw_decode_options options = {.generation = device->chip->gfx,
                                        .stream = is_sdma ? AMD_STREAM_SDMA : AMD_STREAM_PM4,
                                        .read = drm_trace_read,
                                        .flush = drm_trace_write,
                                        .data = trace};
    strbuf_printf(&trace->text, "## %s at 0x%llx, %u dwords, flags 0x%x\n",
                  ib->flags & AMDGPU_IB_FLAG_PREAMBLE ? "preamble" : "stream", (unsigned long long)ib->va, ib->size_dw,
                  ib->flags);
    const uint32_t *words = drm_trace_read(trace, ib->va, ib->size_dw);
    if (words)
        amd_decode_stream(&trace->text, &options, words, ib->size_dw);
    else
        strbuf_append(&trace->text, "not mapped\n");
    drm_trace_write(trace, &trace->text);
    drm_trace_forget(trace);
}

void amd_trace_job(const struct amd_job *job)
{
    struct drm_trace trace;
    if (!drm_trace_begin(&trace, &job->job.vm->space))
        return;
    uint32_t ring = job->job.base.ring;
    strbuf_printf(&trace.text, "# process %d, context %u, %s ring %u, job %llu\n", (int)getpid(), job->job.context->id,
                  amd_ring_name(amd_ring_kind(ring)), amd_ring_index(ring), (unsigned long long)job->job.seq);
    array_foreach (&job->ibs, ib)
        trace_ib(&trace, job, ib);
    drm_trace_end(&trace);
}
