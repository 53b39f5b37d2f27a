/* Streams of anything, executed on two queues of a group: the input is the streams and the memory that they reach. A
 * broken stream ends in a report. Words that are no instruction get the opcode of one; one in sixteen is left as it
 * is. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mali/hw/table.h"
#include "rig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B);

#ifdef WHOLE_GPU
struct rig_blocks rig_blocks; /* of the rig's kernel */
#endif

#define MEMORY_B 0x4000u
#define PATIENCE_US 3000 /* a stream may wait for ever */
#define MAX_WORDS 400u

/* Addresses in every second pair, small numbers in the others: RUN_* read all of them. */
static void put_registers(struct stream *s)
{
    for (unsigned reg = 0; reg < 92; reg += 2)
        put_set64(s, reg, reg % 4 == 0 ? RIG_VA + reg * 0x40 : reg);
}

static uint64_t repaired(uint64_t word, unsigned number)
{
    if (mali_instr_find(word) || (word ^ number) % 16 == 0)
        return word;
    const unsigned opcode = (unsigned)mali_instr_packets[(word >> 56) % mali_instr_packet_count].opcode[MALI_V10];
    return (word & ~(0xffull << 56)) | (uint64_t)opcode << 56;
}

static void read_stream(struct stream *s, const uint8_t *data, size_t size_B)
{
    s->count = 0;
    put_registers(s);
    for (unsigned i = 0; i < size_B / 8 && i < MAX_WORDS; i++) {
        uint64_t word;
        memcpy(&word, data + 8 * i, 8);
        s->words[s->count++] = repaired(word, i);
    }
}

static void end_soon(struct rig *rig, struct rig_job *jobs)
{
    for (unsigned us = 0; us < PATIENCE_US && !(jobs[0].is_done && jobs[1].is_done); us += 50)
        usleep(50);
    for (unsigned i = 0; i < 2; i++) {
        if (!jobs[i].is_done)
            rig_kill(rig, &jobs[i]);
    }
    for (unsigned i = 0; i < 2; i++) {
        rig_wait(&jobs[i]);
        if ((jobs[i].error != 0) != (jobs[i].report[0] != '\0'))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B)
{
    static struct rig *rig;
    static struct rig_job jobs[2];
    static struct stream stream;
    if (!rig && rig_setup((void **)&rig) != 0)
        abort();
    memset(rig->map, 0, MEMORY_B);
    memcpy(rig->map, data, size_B < MEMORY_B ? size_B : MEMORY_B);
    rig_blocks.chunks_left = 2;
    rig->stream_B = RIG_STREAM_B;
    for (unsigned i = 0; i < 2; i++) {
        read_stream(&stream, data + i * (size_B / 2), size_B / 2);
        rig_submit(rig, &jobs[i], 0, i, &stream);
    }
    end_soon(rig, jobs);
    return 0;
}
