/* Small draws one after the other: while one worker shades the pixels of a draw, the command processor's thread goes on
 * with the geometry of the next ones, as the hardware does; the stream orders them where that matters, and then
 * amd_ge_finish comes first. Pixels stay in the order of the draws.
 *
 * Draws that wait for their pixels have a context, a struct ge: their state, and what their geometry has left. It is
 * one draw's, or that of a group (ge_group.c), which is open for more until it is handed over. What workers have in
 * hand is the device's, that of vertices for one thread, that of pixels for the other. What is not small is drawn in
 * the device's own context, as ever: the draw before says which it will be. Few that wait are not worth waking a worker
 * for: then the command processor's thread shades them itself. So it does where it has to wait and the worker is at
 * none of them, as one that is awake and has no processor, and where there is one worker alone. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "amd/model/ge/ge.h"
#include "util/bits.h"
#include "util/debug.h"

#define CONTEXTS 8
#define WORTH_WAKING 3 /* draws or groups that wait */
_Static_assert((CONTEXTS + 1) * GE_GROUP_DRAWS < GE_DRAWS_BEFORE, "whose places are kept");
#define TURN_DRAWS 64 /* then the worker looks for other jobs */
#define SPINS 4000    /* without a draw, before the worker goes: a few microseconds, more than a draw takes */
#define YIELDS 16
#define PATIENCE 256 /* spins in which a worker that has a processor begins a draw */

enum shader {
    SHADER_GONE,
    SHADER_HERE,
};

/* Words that one thread writes again and again lie apart from those of the other one. */
#define LINE _Alignas(64)

struct ge_queue {
    struct workers_job job; /* first */
    struct ge *front;
    struct ge *contexts[CONTEXTS]; /* NULL before it is needed */
    struct ge *open;               /* the next one's, with draws that are not handed over; NULL: there are none */
    struct {
        const struct cp_registers *registers; /* NULL: none */
        uint64_t generation;
    } by_lane;     /* whose draws may be one group, since the last time that all were waited for */
    bool is_small; /* the draw before was */
    bool is_started;
    uint64_t retired;             /* draws whose end was looked at */
    uint64_t pushed;              /* by the command processor's thread alone */
    _Atomic uint32_t shader;      /* enum shader: whether the worker is there */
    LINE _Atomic uint64_t ready;  /* pushed, for the worker */
    _Atomic bool is_awaited;      /* the worker need not wait for more */
    LINE _Atomic uint64_t shaded; /* by whoever shades */
    _Atomic bool is_shading;      /* whoever shades: one at a time */
    _Atomic bool has_failed;      /* what comes after is not drawn */
};

static struct ge *context_of(const struct ge_queue *q, uint64_t number)
{
    return q->contexts[number % CONTEXTS];
}

static bool has_one(const struct ge_queue *q)
{
    return atomic_load_explicit(&q->shaded, memory_order_relaxed) !=
           atomic_load_explicit(&q->ready, memory_order_acquire);
}

/* The oldest draw that waits. False: there is none, or another thread is at it. */
static bool shade_next(struct ge_queue *q, unsigned code_slot)
{
    if (!has_one(q) || atomic_load_explicit(&q->is_shading, memory_order_relaxed) ||
        atomic_exchange_explicit(&q->is_shading, true, memory_order_acquire))
        return false;
    const bool is_there = has_one(q);
    if (is_there) {
        const uint64_t number = atomic_load_explicit(&q->shaded, memory_order_relaxed);
        struct ge *ge = context_of(q, number);
        if (!atomic_load_explicit(&q->has_failed, memory_order_relaxed)) {
            amd_ge_shade_alone(ge, code_slot);
            if (ge_is_stopped(ge))
                atomic_store_explicit(&q->has_failed, true, memory_order_relaxed);
        }
        atomic_store_explicit(&q->shaded, number + 1, memory_order_release);
    }
    atomic_store_explicit(&q->is_shading, false, memory_order_release);
    return is_there;
}

static bool take_turn(struct workers_job *job, unsigned worker)
{
    struct ge_queue *q = (struct ge_queue *)job;
    unsigned draws = 0;
    for (unsigned spins = 0; spins < SPINS && !atomic_load_explicit(&q->is_awaited, memory_order_relaxed); spins++) {
        while (shade_next(q, worker)) {
            if (++draws == TURN_DRAWS)
                return true;
            spins = 0;
        }
    }
    while (shade_next(q, worker))
        ;
    /* One that was pushed meanwhile is this worker's unless the other thread shades itself or has already taken the job
     * up again. */
    atomic_store(&q->shader, SHADER_GONE);
    uint32_t gone = SHADER_GONE;
    return has_one(q) && !atomic_load(&q->is_shading) && atomic_compare_exchange_strong(&q->shader, &gone, SHADER_HERE);
}

/* ---- the command processor's thread ---- */

/* Until so many draws are shaded, by the worker if it is at them. It may have no processor, or a long draw. */
static void wait_for(struct ge_queue *q, uint64_t shaded)
{
    const unsigned before = stat_enter_wait(STAT_FOR_WORKERS);
    for (unsigned spins = 0; atomic_load_explicit(&q->shaded, memory_order_acquire) < shaded; spins++) {
        if (spins >= PATIENCE && shade_next(q, amd_spi_outside(q->front->spi)))
            continue;
        if (spins > SPINS + YIELDS)
            nanosleep(&(const struct timespec){.tv_nsec = 20000}, NULL);
        else if (spins > SPINS)
            sched_yield();
    }
    stat_leave(before);
}

struct ge_queue *amd_ge_queue_create(struct ge *front)
{
    struct ge_queue *q = aligned_alloc(_Alignof(struct ge_queue), sizeof(*q));
    if (!q)
        return NULL;
    memset(q, 0, sizeof(*q));
    q->front = front;
    q->job = (struct workers_job){.turn = take_turn, .stage = STAT_RASTER, .is_single = true};
    return q;
}

void amd_ge_queue_destroy(struct ge_queue *q)
{
    if (!q)
        return;
    if (q->is_started)
        workers_wait(q->front->workers, &q->job);
    for (unsigned i = 0; i < CONTEXTS; i++)
        amd_ge_destroy(context_of(q, i));
    free(q);
}

/* Look at the ends of draws that are shaded. False: one has failed; the others are dropped. */
static bool retire_draws(struct ge_queue *q, struct ge_result *result_out)
{
    bool is_good = true;
    const uint64_t shaded = atomic_load_explicit(&q->shaded, memory_order_acquire);
    for (; q->retired != shaded; q->retired++) {
        const struct ge *ge = context_of(q, q->retired);
        if (ge->is_by_lane) {
            q->by_lane.registers = ge->pipeline_of;
            q->by_lane.generation = ge->pipeline_generation;
        }
        if (is_good)
            is_good = amd_ge_end_draw(context_of(q, q->retired), result_out);
    }
    return is_good;
}

/* All of them that are handed over, by the worker or here. */
static bool wait_for_all(struct ge_queue *q, struct ge_result *result_out)
{
    uint32_t gone = SHADER_GONE;
    if (q->retired == q->pushed)
        return true;
    if (atomic_compare_exchange_strong(&q->shader, &gone, SHADER_HERE)) {
        while (shade_next(q, amd_spi_outside(q->front->spi)))
            ;
        atomic_store(&q->shader, SHADER_GONE);
    } else {
        atomic_store_explicit(&q->is_awaited, true, memory_order_relaxed);
        wait_for(q, q->pushed);
    }
    const bool is_good = retire_draws(q, result_out);
    atomic_store(&q->has_failed, false);
    return is_good;
}

/* A worker that leaves just now may not see the last draw: the next one wakes it, or whoever waits shades that draw. */
static void wake_worker(struct ge_queue *q)
{
    uint32_t gone = SHADER_GONE;
    if (q->front->slots == 1) {
        shade_next(q, amd_spi_outside(q->front->spi));
        return;
    }
    if (atomic_load(&q->shader) == SHADER_HERE ||
        q->pushed - atomic_load_explicit(&q->shaded, memory_order_relaxed) < WORTH_WAKING ||
        !atomic_compare_exchange_strong(&q->shader, &gone, SHADER_HERE))
        return;
    if (q->is_started)
        workers_wait(q->front->workers, &q->job); /* it has left its last turn, or is about to */
    q->is_started = true;
    workers_start(q->front->workers, &q->job);
}

/* The open group is for the worker now; if it has become large, for all of them. */
static bool hand_over(struct ge_queue *q, struct ge_result *result_out)
{
    struct ge *group = q->open;
    if (!group)
        return true;
    q->open = NULL;
    amd_ge_bin(group);
    if (group->group_count ? group->group_is_large : !ge_is_small(group)) {
        q->is_small = false;
        return wait_for_all(q, result_out) && amd_ge_draw_pixels(group, result_out);
    }
    amd_ge_note_geometry(group);
    atomic_store_explicit(&q->is_awaited, false, memory_order_relaxed);
    atomic_store_explicit(&q->ready, ++q->pushed, memory_order_release);
    wake_worker(q);
    return true;
}

static bool drain_queue(struct ge_queue *q, struct ge_result *result_out)
{
    const bool is_good = hand_over(q, result_out) && wait_for_all(q, result_out);
    q->by_lane.registers = NULL;
    return is_good;
}

/* The oldest draw's context is the next one's. */
static bool wait_for_context(struct ge_queue *q, struct ge_result *result_out)
{
    if (q->pushed - q->retired < CONTEXTS)
        return true;
    wait_for(q, q->retired + 1);
    return retire_draws(q, result_out);
}

/* The context for the next draw; NULL: there is none. */
static struct ge *next_context(struct ge_queue *q)
{
    struct ge **context = &q->contexts[q->pushed % CONTEXTS];
    if (!*context)
        *context = amd_ge_create_context(q->front);
    return *context;
}

/* It is in no context: what was before it comes first, if that fails, it is what failed. */
static bool fail_draw(struct ge_queue *q, struct ge_result *result_out)
{
    struct ge_result before = {0};
    if (!drain_queue(q, &before))
        *result_out = before;
    return false;
}

static bool is_by_lane(const struct ge_queue *q, const struct cp_registers *registers)
{
    return q->by_lane.registers == registers && q->by_lane.generation == registers->generation;
}

/* The first of a group, or one that is alone. */
static bool open_group(struct ge_queue *q, struct ge *context, const struct ge_draw *draw, struct ge_result *result_out)
{
    switch (amd_ge_draw_geometry(context, draw, result_out)) {
    case GE_GEOMETRY_WAITS:
        q->open = context;
        if (!is_by_lane(q, draw->registers))
            return hand_over(q, result_out);
        amd_ge_group_note(context, draw->number);
        return true;
    case GE_GEOMETRY_IS_LARGE:
        q->is_small = false;
        amd_ge_bin(context);
        return wait_for_all(q, result_out) && amd_ge_draw_pixels(context, result_out);
    case GE_GEOMETRY_FAILED:
        break;
    }
    return fail_draw(q, result_out);
}

static bool draw_large(struct ge *ge, const struct ge_draw *draw, struct ge_result *result_out)
{
    struct ge_queue *q = ge->queue;
    if (q && !drain_queue(q, result_out))
        return false;
    const bool is_done = amd_ge_draw_now(ge, draw, result_out);
    if (q)
        q->is_small = is_done && ge_is_small(ge);
    return is_done;
}

bool amd_ge_draw(struct ge *ge, const struct ge_draw *draw, struct ge_result *result_out)
{
    struct ge_queue *q = ge->queue;
    if (!q || !q->is_small || draw->registers->unwritten)
        return draw_large(ge, draw, result_out);
    if (q->open && amd_ge_group_takes(q->open, draw))
        return amd_ge_group_add(q->open, draw, result_out) || fail_draw(q, result_out);
    if (!hand_over(q, result_out))
        return false;
    struct ge *context = next_context(q);
    if (!context || !q->is_small)
        return draw_large(ge, draw, result_out);
    return wait_for_context(q, result_out) && open_group(q, context, draw, result_out);
}

bool amd_ge_finish(struct ge *ge, struct ge_result *result_out)
{
    return !ge->queue || drain_queue(ge->queue, result_out);
}
