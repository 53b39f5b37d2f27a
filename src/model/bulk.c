/* See bulk.h. */
#include "model/bulk.h"

#include <string.h>

#include "model/workers.h"
#include "util/bits.h"

#define PIECE_B (256u << 10) /* before a worker asks whether to go on */
#define TURN_B (8u << 20)    /* of a worker at most: other jobs wait for their turns */
#define SHARED_B (2u << 20)  /* from here on sharing is worth waking the workers */

typedef uint32_t words4 __attribute__((vector_size(16), aligned(1), may_alias));

void bulk_fill_here(void *to, uint32_t word, uint64_t size_B)
{
    uint8_t *at = to;
    if (word == (word & 0xff) * 0x01010101u) {
        memset(to, (int)(word & 0xff), size_B);
        return;
    }
    const words4 four = {word, word, word, word};
    uint64_t left_B = size_B;
    for (; left_B >= 4 * sizeof(four); left_B -= 4 * sizeof(four), at += 4 * sizeof(four)) {
        words4 *line = (words4 *)at;
        line[0] = four;
        line[1] = four;
        line[2] = four;
        line[3] = four;
    }
    for (; left_B; at += MIN2(left_B, sizeof(word)), left_B -= MIN2(left_B, sizeof(word)))
        memcpy(at, &word, MIN2(left_B, sizeof(word)));
}

struct job {
    struct workers_job base; /* first */
    const struct bulk *bulk;
    uint8_t *to;
    const uint8_t *from; /* NULL: the word */
    uint32_t word;
    uint64_t size_B;
    _Atomic uint64_t next_B;
};

/* Half of what is left for each worker: a core is quickest where it goes on from where it was, and all are to end at the
 * same time. */
static bool take_range(struct job *job, uint64_t *at_B, uint64_t *end_B)
{
    const unsigned workers = job->bulk->workers ? workers_count(job->bulk->workers) : 1;
    uint64_t next_B = atomic_load_explicit(&job->next_B, memory_order_relaxed), size_B;
    do {
        if (next_B >= job->size_B)
            return false;
        size_B = (job->size_B - next_B) / (2 * workers) / PIECE_B * PIECE_B;
        size_B = MIN2(MAX2(size_B, (uint64_t)PIECE_B), (uint64_t)TURN_B);
    } while (!atomic_compare_exchange_weak_explicit(&job->next_B, &next_B, next_B + size_B, memory_order_relaxed,
                                                    memory_order_relaxed));
    *at_B = next_B;
    *end_B = MIN2(next_B + size_B, job->size_B);
    return true;
}

static bool turn(struct workers_job *base, unsigned worker)
{
    (void)worker;
    struct job *job = (struct job *)base;
    uint64_t at_B, end_B;
    if (!take_range(job, &at_B, &end_B))
        return false;
    for (; at_B < end_B; at_B += PIECE_B) {
        const uint64_t piece_B = MIN2(end_B - at_B, (uint64_t)PIECE_B);
        if (job->bulk->killed && atomic_load_explicit(job->bulk->killed, memory_order_relaxed))
            return false;
        if (job->from)
            memcpy(job->to + at_B, job->from + at_B, piece_B);
        else
            bulk_fill_here(job->to + at_B, job->word, piece_B);
    }
    return true;
}

static void run(struct job *job)
{
    const unsigned before = stat_enter(STAT_COPIES);
    job->base.stage = STAT_COPIES;
    job->base.is_shared = true;
    job->base.units = div_round_up(job->size_B, (uint64_t)PIECE_B);
    if (job->size_B >= SHARED_B && job->bulk->workers && workers_count(job->bulk->workers) > 1) {
        workers_run(job->bulk->workers, &job->base);
    } else {
        while (turn(&job->base, 0))
            ;
    }
    stat_leave(before);
}

void bulk_fill(const struct bulk *bulk, void *to, uint32_t word, uint64_t size_B)
{
    run(&(struct job){.base.turn = turn, .bulk = bulk, .to = to, .word = word, .size_B = size_B});
}

void bulk_copy(const struct bulk *bulk, void *to, const void *from, uint64_t size_B)
{
    run(&(struct job){.base.turn = turn, .bulk = bulk, .to = to, .from = from, .size_B = size_B});
}
