/* Streams of anything, executed: the input is the stream and the memory that it reaches. A broken stream ends in a
 * report. Headers get their parity here, which chance would seldom find; one in sixteen is left as it is. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B);

#define MEMORY_B 0x4000u
#define PATIENCE_US 3000 /* a stream may wait for ever */

/* Repairs the headers of the words, as far as the stream can be followed. */
static void repair_headers(uint32_t *words, uint32_t count)
{
    for (uint32_t at = 0; at < count;) {
        uint32_t word = words[at], length_dw = 1;
        if ((word >> 24 & 0xf) == 0xf) {
            at++;
            continue;
        }
        if (ADRENO_PKT_TYPE(word) == 4) {
            length_dw += ADRENO_PKT4_COUNT(word) % 8;
            words[at] = adreno_pkt4_header(ADRENO_PKT4_REG(word), length_dw - 1);
        } else {
            length_dw += ADRENO_PKT7_COUNT(word) % 16;
            words[at] = adreno_pkt7_header(ADRENO_PKT7_OPCODE(word), length_dw);
        }
        at += length_dw;
    }
}

static void end_soon(struct rig *rig, struct rig_job *job)
{
    for (unsigned us = 0; us < PATIENCE_US && !atomic_load(&job->is_done); us += 50)
        usleep(50);
    if (!atomic_load(&job->is_done)) {
        atomic_store(&job->base.killed, true);
        adreno_engine_ops.kill(rig->engine, &job->base);
    }
    rig_wait(job);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B)
{
    static struct rig *rig;
    static struct rig_job job;
    static struct stream stream;
    if (!rig && rig_setup((void **)&rig) != 0)
        abort();
    memset(rig->map, 0, MEMORY_B);
    memcpy(rig->map, data, size_B < MEMORY_B ? size_B : MEMORY_B);
    stream.count = (uint32_t)(size_B / 4 < 1024 ? size_B / 4 : 1024);
    memcpy(stream.dw, data, 4 * stream.count);
    repair_headers(stream.dw, stream.count);
    memcpy(rig->map, stream.dw, 4 * stream.count); /* what calls reach is repaired, too */
    rig->stream_B = RIG_STREAM_B;
    rig_submit(rig, &job, &stream);
    end_soon(rig, &job);
    if ((job.error != 0) != (job.report[0] != '\0'))
        abort();
    return 0;
}
