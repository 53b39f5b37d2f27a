/* Streams as they go to a ring, for people. */
#include "amd/model/kernel_sched.h"

void amd_trace_job(const struct amd_job *job)
{
}
