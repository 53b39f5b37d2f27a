/* A job's streams for people, with what CP_INDIRECT_BUFFER and groups of state call: it is part of the stream. */
#include <unistd.h>

#include "adreno/hw/decode.h"
#include "adreno/model/kernel/kernel_types.h"
#include "model/drm/drm_trace.h"

static void trace_ib(struct drm_trace *trace, const struct adreno_ib *ib)
{
    struct hw_decode_options options = {.read = drm_trace_read, .flush = drm_trace_write, .data = trace};
    strbuf_printf(&trace->text, "## stream at 0x%llx, %u dwords\n", (unsigned long long)ib->va, ib->size_dw);
    const uint32_t *words = drm_trace_read(trace, ib->va, ib->size_dw);
    if (words)
        adreno_decode_stream(&trace->text, &options, words, ib->size_dw);
    else
        strbuf_append(&trace->text, "not mapped\n");
    drm_trace_write(trace, &trace->text);
    drm_trace_forget(trace);
}

void adreno_trace_job(const struct adreno_job *job)
{
    struct drm_trace trace;
    if (!drm_trace_begin(&trace, &job->job.vm->space))
        return;
    strbuf_printf(&trace.text, "# process %d, queue %u, %s, job %llu\n", (int)getpid(), job->job.context->id,
                  job->job.queue->ring == ADRENO_RING_BIND ? "bind ring" : "ring 0", (unsigned long long)job->job.seq);
    array_foreach (&job->ibs, ib)
        trace_ib(&trace, ib);
    array_foreach (&job->binds, bind)
        drm_bind_describe(bind, &trace.text);
    drm_trace_end(&trace);
}
