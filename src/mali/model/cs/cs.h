/* The command-stream machine of a queue: runs a stretch of the queue's ring buffer and what it calls, instruction by
 * instruction, and hands work to the endpoints (blocks.h). For the engine; what the files of this folder share is in
 * cs_machine.h. */
#ifndef MALI_MODEL_CS_H
#define MALI_MODEL_CS_H

#include "mali/model/gpu.h"

struct strbuf;

bool mali_cs_create(struct mali_queue *queue); /* sets queue->cs; false: no memory */
void mali_cs_destroy(struct mali_queue *queue);

/* Run to the end, with queue->work and the others of a job set. False after a stop, whose text then has the place in
 * the stream, too. */
bool mali_cs_run(struct mali_queue *queue);

/* Whether a test asks for a list of the run, or leaves something out (cs_mutations.c). */
bool mali_cs_has_mutations(void);
void mali_cs_note_access(struct mali_queue *queue, unsigned client, uint64_t line_va, uint64_t bytes, bool is_write);
void mali_cs_note_discard(struct mali_queue *queue, uint64_t va, uint64_t size_B);

/* An instruction and its address, as a line of text. */
void mali_cs_describe_word(struct strbuf *out, uint64_t va, uint64_t word);

#endif
