/* See bulk.h. */
#include "model/bulk.h"

#include <string.h>

#include "model/workers.h"
#include "util/bits.h"

#define GRAIN_B (64u << 10) /* what workers share is counted in */
#define PIECE_B (2u << 20)  /* at most before a worker asks whether to go on */
#define TURN_B (8u << 20)   /* of a worker at most: other jobs wait for their turns */
#define SHARED_B (2u << 20) /* from here on sharing is worth waking the workers */

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

/* ---- several streams ----
 *
 * On AArch64 a core copies a fifth faster what it reads and writes in two places at once, for what it asks for in
 * advance is by stream. Two cores that fill, each in eight places, get less in each other's way than in one each; one
 * alone does not need that. Other hosts' memcpy and memset have ways of their own. */
#if defined(__aarch64__)
#define LINES_B 128u /* of a stream before it is the next one's turn */
#define COPY_STREAMS 2u
#define FILL_STREAMS 8u
#define STREAM_B (64u << 10) /* of copies at least: nearer to each other they are slower than one */

static void copy_lines(uint8_t *to, const uint8_t *from)
{
    const words4 *source = (const words4 *)from;
    words4 *target = (words4 *)to;
    const words4 v0 = source[0], v1 = source[1], v2 = source[2], v3 = source[3];
    const words4 v4 = source[4], v5 = source[5], v6 = source[6], v7 = source[7];
    target[0] = v0, target[1] = v1, target[2] = v2, target[3] = v3;
    target[4] = v4, target[5] = v5, target[6] = v6, target[7] = v7;
}

static void fill_lines(uint8_t *to, words4 four)
{
    words4 *target = (words4 *)to;
    for (unsigned i = 0; i < LINES_B / sizeof(four); i++)
        target[i] = four;
}

static uint64_t copy_streams(uint8_t *to, const uint8_t *from, uint64_t size_B)
{
    const uint64_t stream_B = size_B / COPY_STREAMS & ~(uint64_t)(LINES_B - 1);
    if (stream_B < STREAM_B)
        return 0;
    for (uint64_t i = 0; i < stream_B; i += LINES_B) {
        copy_lines(to + i, from + i);
        copy_lines(to + stream_B + i, from + stream_B + i);
    }
    return COPY_STREAMS * stream_B;
}

static uint64_t fill_streams(uint8_t *to, uint32_t word, uint64_t size_B)
{
    const uint64_t stream_B = size_B / FILL_STREAMS & ~(uint64_t)(LINES_B - 1);
    for (uint64_t i = 0; i < stream_B; i += LINES_B) {
        for (unsigned stream = 0; stream < FILL_STREAMS; stream++)
            fill_lines(to + stream * stream_B + i, (words4){word, word, word, word});
    }
    return FILL_STREAMS * stream_B;
}
#else
static uint64_t copy_streams(uint8_t *to, const uint8_t *from, uint64_t size_B)
{
    return 0;
}

static uint64_t fill_streams(uint8_t *to, uint32_t word, uint64_t size_B)
{
    return 0;
}
#endif

void bulk_copy_here(void *to, const void *from, uint64_t size_B)
{
    const uint64_t done_B = copy_streams(to, from, size_B);
    memcpy((uint8_t *)to + done_B, (const uint8_t *)from + done_B, size_B - done_B);
}

void bulk_fill_beside(void *to, uint32_t word, uint64_t size_B)
{
    const uint64_t done_B = fill_streams(to, word, size_B);
    bulk_fill_here((uint8_t *)to + done_B, word, size_B - done_B);
}

/* ---- shared among workers ---- */

/* Each worker has a part of its own, from whose front it takes pieces: a core is quickest where it goes on from where
 * it was. One that has none left takes the second half of what another one has: all are to end at the same time. A part
 * is the number of its first grain and, in the upper half, of the one behind its last. */
static uint64_t part_of(uint64_t next, uint64_t end)
{
    return next | end << 32;
}

static uint64_t next_of(uint64_t part)
{
    return (uint32_t)part;
}

static uint64_t end_of(uint64_t part)
{
    return part >> 32;
}

static uint64_t left_of(uint64_t part)
{
    return end_of(part) - next_of(part);
}

struct job {
    struct workers_job base; /* first */
    const struct bulk *bulk;
    uint8_t *to;
    const uint8_t *from; /* NULL: the word */
    uint32_t word;
    uint64_t size_B;
    unsigned workers;
    _Atomic uint64_t part[WORKERS_MAX];
};

/* From the others, for a worker whose own part is empty, which nobody else writes then. */
static bool take_part(struct job *job, unsigned worker)
{
    for (;;) {
        unsigned most = 0;
        uint64_t part = atomic_load_explicit(&job->part[0], memory_order_relaxed);
        for (unsigned i = 1; i < job->workers; i++) {
            const uint64_t other = atomic_load_explicit(&job->part[i], memory_order_relaxed);
            if (left_of(other) > left_of(part))
                most = i, part = other;
        }
        if (!left_of(part))
            return false;
        const uint64_t middle = next_of(part) + left_of(part) / 2, mine = part_of(middle, end_of(part));
        if (atomic_compare_exchange_strong_explicit(&job->part[most], &part, part_of(next_of(part), middle),
                                                    memory_order_relaxed, memory_order_relaxed)) {
            atomic_store_explicit(&job->part[worker], mine, memory_order_relaxed);
            return true;
        }
    }
}

static bool take_piece(struct job *job, unsigned worker, uint64_t *at_B, uint64_t *end_B)
{
    uint64_t part = atomic_load_explicit(&job->part[worker], memory_order_relaxed), next;
    do {
        while (!left_of(part)) {
            if (!take_part(job, worker))
                return false;
            part = atomic_load_explicit(&job->part[worker], memory_order_relaxed);
        }
        /* Less towards the end, so that there is something to take for those that end sooner. */
        next = next_of(part) + MIN2(MAX2(left_of(part) / 2, 1ull), (uint64_t)PIECE_B / GRAIN_B);
    } while (!atomic_compare_exchange_weak_explicit(&job->part[worker], &part, part_of(next, end_of(part)),
                                                    memory_order_relaxed, memory_order_relaxed));
    *at_B = next_of(part) * GRAIN_B;
    *end_B = MIN2(next * GRAIN_B, job->size_B);
    return true;
}

static void do_piece(const struct job *job, uint64_t at_B, uint64_t size_B)
{
    uint8_t *to = job->to + at_B;
    if (job->from)
        bulk_copy_here(to, job->from + at_B, size_B);
    else
        (job->workers > 1 ? bulk_fill_beside : bulk_fill_here)(to, job->word, size_B);
}

static bool take_turn(struct workers_job *base, unsigned worker)
{
    struct job *job = (struct job *)base;
    for (uint64_t done_B = 0, at_B, end_B; done_B < TURN_B; done_B += end_B - at_B) {
        if (job->bulk->killed && atomic_load_explicit(job->bulk->killed, memory_order_relaxed))
            return false;
        if (!take_piece(job, worker, &at_B, &end_B))
            return false;
        do_piece(job, at_B, end_B - at_B);
    }
    return true;
}

static void run_job(struct job *job)
{
    const unsigned before = stat_enter(STAT_COPIES);
    job->base.stage = STAT_COPIES;
    job->base.is_shared = true;
    const uint64_t grains = div_round_up(job->size_B, (uint64_t)GRAIN_B);
    const bool is_shared = job->size_B >= SHARED_B && job->bulk->workers && workers_count(job->bulk->workers) > 1;
    job->base.units = grains;
    job->workers = is_shared ? workers_count(job->bulk->workers) : 1;
    for (unsigned i = 0; i < job->workers; i++)
        job->part[i] = part_of(grains * i / job->workers, grains * (i + 1) / job->workers);
    if (is_shared) {
        workers_run(job->bulk->workers, &job->base);
    } else {
        while (take_turn(&job->base, 0))
            ;
    }
    stat_leave(before);
}

void bulk_fill(const struct bulk *bulk, void *to, uint32_t word, uint64_t size_B)
{
    run_job(&(struct job){.base.turn = take_turn, .bulk = bulk, .to = to, .word = word, .size_B = size_B});
}

void bulk_copy(const struct bulk *bulk, void *to, const void *from, uint64_t size_B)
{
    run_job(&(struct job){.base.turn = take_turn, .bulk = bulk, .to = to, .from = from, .size_B = size_B});
}
