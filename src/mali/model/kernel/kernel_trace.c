/* A job's streams for people: the user's, as the kernel's own instructions call it, and binds. */
#include <unistd.h>

#include "mali/model/kernel/kernel_types.h"
#include "model/drm/drm_trace.h"

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
    if (!job->group && job->bind_work.count)
        drm_bind_describe(&job->bind, &trace.text);
    drm_trace_write(&trace, &trace.text);
    drm_trace_end(&trace);
}
