/* Streams on the whole GPU, for tests that need its blocks. */
#ifndef ADRENO_MODEL_CP_TESTS_WHOLE_H
#define ADRENO_MODEL_CP_TESTS_WHOLE_H

#include "rig.h"

/* Run one stream to its end; the error, with a report in rig->report. */
static inline int whole_run(struct rig *rig, const struct stream *s)
{
    static struct rig_job job;
    rig->stream_B = RIG_STREAM_B;
    rig_submit(rig, &job, s);
    return rig_finish(rig, &job);
}

#endif
