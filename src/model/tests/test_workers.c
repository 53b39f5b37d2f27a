/* The worker pool: every worker has its turns until it says that it has none left. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/workers.h"
#include "util/sanitizer.h"

/* The sanitizer itself needs the addresses that test_no_threads takes away: there that case does not exist. */
#define HAS_ADDRESSES_TO_SPARE (!IS_SANITIZED)

struct counted_job {
    struct workers_job job;
    unsigned turns[WORKERS_MAX];
};

enum {
    TURNS = 20
};

static bool count_turn(struct workers_job *job, unsigned worker)
{
    struct counted_job *counted = (struct counted_job *)job;
    return ++counted->turns[worker] < TURNS;
}

static void run_job(struct workers *workers, struct counted_job *job)
{
    *job = (struct counted_job){.job.turn = count_turn};
    workers_run(workers, &job->job);
    for (unsigned i = 0; i < workers_count(workers); i++)
        assert_int_equal(job->turns[i], TURNS);
}

static void test_turns(void **state)
{
    for (unsigned count = 1; count <= 5; count++) {
        struct workers *workers = workers_create(count);
        struct counted_job job;
        assert_non_null(workers);
        assert_int_equal(workers_count(workers), count);
        for (unsigned n = 0; n < 50; n++)
            run_job(workers, &job);
        workers_destroy(workers);
    }
}

/* A job of one owner has all workers; one of another owner waits for them. */
struct held_job {
    struct workers_job job;
    _Atomic unsigned begun;
    _Atomic bool may_end;
};

static bool hold_turn(struct workers_job *job, unsigned worker)
{
    struct held_job *held = (struct held_job *)job;
    held->begun++;
    while (!held->may_end)
        usleep(100);
    return false;
}

struct run_in_thread {
    struct workers *workers;
    struct workers_job *job;
};

static void *run_main(void *argument)
{
    const struct run_in_thread *run = argument;
    workers_run(run->workers, run->job);
    return NULL;
}

static void test_owners_that_wait(void **state)
{
    const int one = 0, other = 0;
    struct held_job held = {.job = {.turn = hold_turn, .owner = &one}};
    struct counted_job counted = {.job = {.turn = count_turn, .owner = &other}};
    struct workers *workers = workers_create(2);
    struct run_in_thread runs[2] = {{workers, &held.job}, {workers, &counted.job}};
    pthread_t threads[2];
    assert_false(workers_are_awaited(workers, &one));
    assert_int_equal(pthread_create(&threads[0], NULL, run_main, &runs[0]), 0);
    while (held.begun < 2)
        usleep(100);
    assert_int_equal(pthread_create(&threads[1], NULL, run_main, &runs[1]), 0);
    while (!workers_are_awaited(workers, &other))
        usleep(100);
    assert_false(workers_are_awaited(workers, &one));
    held.may_end = true;
    for (unsigned i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert_false(workers_are_awaited(workers, &other));
    workers_destroy(workers);
}

/* A worker that is busy elsewhere is not waited for where the others have found that nothing is left. */
static void test_shared_end(void **state)
{
    struct held_job held = {.job = {.turn = hold_turn, .is_single = true}};
    struct counted_job shared = {.job = {.turn = count_turn, .is_shared = true}};
    struct workers *workers = workers_create(2);
    workers_start(workers, &held.job);
    while (!held.begun)
        usleep(100);
    workers_run(workers, &shared.job);
    assert_int_equal(shared.turns[0] + shared.turns[1], TURNS);
    assert_true(shared.turns[0] == TURNS || shared.turns[1] == TURNS);
    held.may_end = true;
    workers_wait(workers, &held.job);
    workers_destroy(workers);
}

/* The thread that waits for a job is one of its workers, if one sleeps; never more than one thread has a worker's
 * number. */
struct seen_job {
    struct workers_job job;
    pthread_t caller;
    _Atomic unsigned here;
};

static _Atomic unsigned inside[3]; /* turns of each number, of all jobs */

static bool see_turn(struct workers_job *job, unsigned worker)
{
    struct seen_job *seen = (struct seen_job *)job;
    assert_int_equal(inside[worker]++, 0);
    seen->here += pthread_equal(pthread_self(), seen->caller) != 0;
    inside[worker]--;
    return false;
}

static void *see_main(void *argument)
{
    unsigned here = 0;
    for (unsigned i = 0; i < 2000; i++) {
        struct seen_job seen = {.job = {.turn = see_turn}, .caller = pthread_self()};
        workers_run(argument, &seen.job);
        here += seen.here;
    }
    return (void *)(uintptr_t)here;
}

static void test_callers_that_work(void **state)
{
    struct workers *workers = workers_create(3);
    pthread_t threads[4];
    uintptr_t here = 0;
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, see_main, workers), 0);
    for (unsigned i = 0; i < 4; i++) {
        void *found;
        pthread_join(threads[i], &found);
        here += (uintptr_t)found;
    }
    assert_true(here > 0);
    workers_destroy(workers);
}

/* Jobs that come while workers still look for one, and others when they sleep: each is run, none by two with one
 * number. */
static void *pause_main(void *argument)
{
    for (unsigned i = 0; i < 1500; i++) {
        struct seen_job all = {.job = {.turn = see_turn}, .caller = pthread_self()};
        struct seen_job one = {.job = {.turn = see_turn, .is_single = true}, .caller = pthread_self()};
        struct timespec begun, now;
        clock_gettime(CLOCK_MONOTONIC, &begun);
        do
            clock_gettime(CLOCK_MONOTONIC, &now);
        while ((now.tv_sec - begun.tv_sec) * 1000000000l + now.tv_nsec - begun.tv_nsec < (long)(i % 64) * 1000);
        workers_start(argument, &one.job);
        workers_run(argument, &all.job);
        workers_wait(argument, &one.job);
        assert_int_equal(one.here, 0);
    }
    return NULL;
}

static void test_pauses(void **state)
{
    for (unsigned count = 1; count <= 3; count++) {
        struct workers *workers = workers_create(count);
        pthread_t threads[2];
        for (unsigned i = 0; i < 2; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, pause_main, workers), 0);
        for (unsigned i = 0; i < 2; i++)
            pthread_join(threads[i], NULL);
        workers_destroy(workers);
    }
}

#if HAS_ADDRESSES_TO_SPARE
/* A host that gives no thread: the work is done all the same. */
static void test_no_threads(void **state)
{
    pid_t child = fork();
    if (child == 0) {
        struct counted_job job;
        setrlimit(RLIMIT_AS, &(struct rlimit){1 << 20, 1 << 20}); /* no room for a stack */
        struct workers *workers = workers_create(3);
        _exit(workers && workers_count(workers) == 1 && (run_job(workers, &job), job.turns[0] == TURNS) ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#if HAS_ADDRESSES_TO_SPARE
        cmocka_unit_test(test_no_threads), /* before there are stacks of ended threads to use again */
#endif
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_owners_that_wait),
        cmocka_unit_test(test_shared_end),
        cmocka_unit_test(test_callers_that_work),
        cmocka_unit_test(test_pauses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
