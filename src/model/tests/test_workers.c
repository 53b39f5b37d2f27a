/* The worker pool: every worker has its turns until it says that it has none left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/workers.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
