/* Mutations for tests (docs/coherence.md): a list of what the streams of a run issue, wait for, signal and access, and
 * one instruction that is left out, whoever wrote the stream. Nothing here is called unless a variable asks for it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "mali/model/cs/cs_machine.h"

static struct {
    FILE *list;
    uint64_t va, word; /* the instruction that is left out */
    bool has_skip;
} mutations;

/* TUFF_CS_LIST=FILE; TUFF_CS_SKIP=ADDRESS:WORD. Addresses are used again, so both must be right. */
static void read_variables(void)
{
    const char *path = secure_getenv("TUFF_CS_LIST"), *skip = secure_getenv("TUFF_CS_SKIP");
    char *end = NULL;
    if (path)
        mutations.list = fopen(path, "we");
    if (!skip)
        return;
    mutations.va = strtoull(skip, &end, 16);
    mutations.has_skip = *end == ':';
    mutations.word = mutations.has_skip ? strtoull(end + 1, NULL, 16) : 0;
}

bool mali_cs_has_mutations(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_variables);
    return mutations.list || mutations.has_skip;
}

/* The kind, queue, depth, address, word, and two numbers. */
void mali_cs_note(struct mali_cs *m, const char *what, uint64_t first, uint64_t second)
{
    if (!mutations.list)
        return;
    uint64_t word = 0;
    gpu_mem_read64(m->queue->space, m->at_va, &word);
    fprintf(mutations.list, "%s %p.%u %u %" PRIx64 " %016" PRIx64 " %" PRIx64 " %" PRIx64 "\n", what,
            (void *)m->queue->group, m->queue->number, m->depth, m->at_va, word, first, second);
}

/* An access of the operation in hand: client, line, bytes. */
void mali_cs_note_access(struct mali_queue *queue, unsigned client, uint64_t line_va, uint64_t bytes, bool is_write)
{
    if (mutations.list)
        fprintf(mutations.list, "%c %p.%u %u %u %" PRIx64 " %" PRIx64 "\n", is_write ? 'w' : 'r', (void *)queue->group,
                queue->number, queue->cs->op_in_hand, client, line_va / 64, bytes);
}

/* Memory that is handed out anew: lines. */
void mali_cs_note_discard(struct mali_queue *queue, uint64_t va, uint64_t size_B)
{
    if (mutations.list)
        fprintf(mutations.list, "x %p.%u %" PRIx64 " %" PRIx64 "\n", (void *)queue->group, queue->number, va / 64,
                size_B / 64);
}

void mali_cs_end_notes(void)
{
    if (mutations.list)
        fflush(mutations.list);
}

bool mali_cs_is_left_out(const struct mali_cs *m, uint64_t word)
{
    return mutations.has_skip && mutations.word == word && mutations.va == m->at_va;
}
