/* A job's streams for people: the user's, as the kernel's own instructions call it, and binds. Registers stay from job
 * to job, so each queue has what the decoder knows of them. Memory is read before the job runs. */
#include <unistd.h>

#include "mali/model/kernel/kernel_types.h"
#include "model/drm/drm_trace.h"

static void trace_stream(struct drm_trace *trace, const struct mali_job *job)
{
    struct hw_decode_options options = {.read = drm_trace_read, .flush = drm_trace_write, .data = trace};
    if (job->work.stream_B && mali_decode_submit(&trace->text, &options, &job->group->queues[job->queue].traced,
                                                 job->work.stream_va, job->work.stream_B))
        strbuf_append(&trace->text, "## something could not be decoded\n");
}

void mali_trace_job(const struct mali_job *job)
{
    struct drm_trace trace;
    if (!drm_trace_begin(&trace, &job->job.vm->space))
        return;
    if (job->group)
        strbuf_printf(&trace.text, "# process %d, group %u, queue %u, job %llu\n## stream at 0x%llx, %u bytes\n",
                      (int)getpid(), job->job.context->id, job->queue, (unsigned long long)job->job.seq,
                      (unsigned long long)job->work.stream_va, job->work.stream_B);
    else
        strbuf_printf(&trace.text, "# process %d, bind ring, job %llu\n", (int)getpid(),
                      (unsigned long long)job->job.seq);
    if (job->group)
        trace_stream(&trace, job);
    if (!job->group && job->bind_work.count)
        drm_bind_describe(&job->bind, &trace.text);
    drm_trace_write(&trace, &trace.text);
    drm_trace_forget(&trace);
    drm_trace_end(&trace);
}
