/* Whole work that is broken a little: a dispatch and a draw with all their descriptors and programs (work.h), in which
 * the input changes some words. It ends, with a report where something is wrong.
 *
 * Input: a byte of switches, then changes: two bytes for the place, one for what is done there, four for the value. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rig.h"
#include "work.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B);

struct rig_blocks rig_blocks; /* of the rig's kernel */

#define PATIENCE_US 4000 /* a shader may run for ever */
#define HEAP_B 0x7f000u
#define CHUNK_B 0xc0000u
#define CHANGE_B 7

enum {
    DISPATCH = 1,
    DRAW = 2,
};

enum {
    REPLACE,
    FLIP,
    ADD,
    AIM, /* an address in memory */
    KINDS,
};

static void change_memory(struct rig *rig, const uint8_t *data)
{
    uint16_t place;
    uint32_t value;
    memcpy(&place, data, 2);
    memcpy(&value, data + 3, 4);
    uint32_t *word = (uint32_t *)rig->map + place % (WORK_DATA / 4);
    switch (data[2] % KINDS) {
    case REPLACE:
        *word = value;
        break;
    case FLIP:
        *word ^= value;
        break;
    case ADD:
        *word += value % 256;
        break;
    case AIM:
        word[0] = (uint32_t)RIG_VA + value % RIG_SIZE_B;
        word[1] = RIG_VA >> 32;
        break;
    }
}

static void end_soon(struct rig *rig, struct rig_job *job)
{
    for (unsigned us = 0; us < PATIENCE_US && !job->is_done; us += 50)
        usleep(50);
    if (!job->is_done)
        rig_kill(rig, job);
    rig_wait(job);
    if ((job->error != 0) != (job->report[0] != '\0'))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B)
{
    static struct rig *rig;
    static struct rig_job job;
    static struct stream stream;
    if (!rig && rig_setup((void **)&rig) != 0)
        abort();
    if (size_B < 1)
        return 0;
    struct work work = {.map = rig->map,
                        .va = RIG_VA,
                        .heap_va = RIG_VA + HEAP_B,
                        .chunk_va = RIG_VA + CHUNK_B,
                        .chunk_B = RIG_SIZE_B - CHUNK_B};
    work_fill(&work);
    memset(rig->map + HEAP_B, 0, 64);
    memset(rig->map + CHUNK_B, 0, 64);
    if (data[0] & DISPATCH)
        work_put_dispatch(&work);
    if (data[0] & DRAW)
        work_put_draw(&work);
    for (size_t at = 1; at + CHANGE_B <= size_B; at += CHANGE_B)
        change_memory(rig, data + at);
    stream.count = work.count;
    memcpy(stream.words, rig->map + WORK_STREAM, 8 * work.count);
    rig_blocks.chunks_left = 0;
    rig->stream_B = RIG_STREAM_B;
    rig_submit(rig, &job, 0, 0, &stream);
    end_soon(rig, &job);
    return 0;
}
