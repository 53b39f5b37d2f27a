/* The kernel's frame around a user's stream, in the queue's ring buffer: caches are flushed, the stream is called,
 * everything that it started is waited for, and the queue's sequence number is counted up, with the error where
 * there was one. The last registers are the kernel's for that. */
#include "mali/hw/instructions.h"
#include "mali/hw/pack.h"
#include "mali/model/kernel/kernel_types.h"

#define LINE_WORDS 8 /* instructions are fetched by cache lines: each job begins with one */

static void push_word(uint64_t *words, uint32_t *count, uint64_t word)
{
    words[(*count)++] = word;
}

static uint32_t write_words(const struct mali_job *job, uint64_t *words)
{
    const struct mali_chip *chip = job->group->device->chip;
    const uint32_t address = chip->cs_reg_count - chip->unpreserved_cs_reg_count, value = address + 2;
    const uint32_t all_slots = (1u << chip->scoreboard_slot_count) - 1;
    const uint64_t seqno_va = job->group->syncobjs.va + (uint64_t)job->queue * MALI_SYNCOBJ_B;
    uint32_t count = 0;
    push_word(words, &count, MALI_CS(MOVE32, .DESTINATION = value, .IMMEDIATE = job->latest_flush));
    push_word(words, &count,
              MALI_CS(FLUSH_CACHE2, .LATEST_FLUSH_ID = value, .L2_FLUSH_MODE = MALI_CS_FLUSH_MODE_CLEAN_INVALIDATE,
                      .LSC_FLUSH_MODE = MALI_CS_FLUSH_MODE_CLEAN_INVALIDATE, .OTHER_INVALIDATE = true));
    push_word(words, &count, MALI_CS(MOVE, .DESTINATION = address, .IMMEDIATE = job->work.stream_va));
    push_word(words, &count, MALI_CS(MOVE32, .DESTINATION = value, .IMMEDIATE = job->work.stream_B));
    push_word(words, &count, MALI_CS(WAIT, .WAIT_MASK = 1));
    push_word(words, &count, MALI_CS(CALL, .ADDRESS = address, .LENGTH = value));
    push_word(words, &count, MALI_CS(MOVE, .DESTINATION = address, .IMMEDIATE = seqno_va));
    push_word(words, &count, MALI_CS(MOVE, .DESTINATION = value, .IMMEDIATE = 1));
    push_word(words, &count, MALI_CS(WAIT, .WAIT_MASK = all_slots));
    push_word(words, &count, MALI_CS(SYNC_ADD64, .ADDRESS = address, .DATA = value, .ERROR_PROPAGATE = true));
    push_word(words, &count, MALI_CS(ERROR_BARRIER, ));
    while (count % LINE_WORDS)
        push_word(words, &count, MALI_CS(NOP, ));
    return count;
}

/* The ring buffer always has room: the scheduler hands over two jobs at a time, and the smallest takes 32. */
void mali_ring_write(struct mali_job *job)
{
    struct mali_kernel_queue *queue = &job->group->queues[job->queue];
    uint64_t words[2 * LINE_WORDS];
    job->work.flush_id = job->group->device->flush_id;
    job->work.grow_heap = mali_heap_grow;
    job->work.ring_va = queue->ring.va + queue->insert_B;
    job->work.ring_B = 0;
    if (!job->work.stream_B)
        return; /* it only waits and signals */
    job->work.ring_B = write_words(job, words) * (uint32_t)sizeof(words[0]);
    /* Where the GPU reads it, unless something else was bound over the ring. */
    if (gpu_space_write(&job->job.vm->space, job->work.ring_va, words, job->work.ring_B) != job->work.ring_B)
        drm_gem_write(queue->ring.gem, queue->insert_B, words, job->work.ring_B);
    queue->insert_B = (queue->insert_B + job->work.ring_B) % queue->ring_B;
}
