/* Liveness on random graphs, against the equations solved block by block with whole sets until nothing changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/machine/live.h"

enum {
    MAX_BLOCKS = 24,
    MAX_VALUES = 40,
    MAX_USES = 120
};

struct world {
    uint32_t num_blocks, num_values, num_uses;
    uint32_t preds[LIVE_GRAPHS][MAX_BLOCKS][MAX_BLOCKS], succs[LIVE_GRAPHS][MAX_BLOCKS][MAX_BLOCKS];
    struct machine_edges edges[LIVE_GRAPHS][MAX_BLOCKS];
    uint8_t graph_of[MAX_VALUES];
    uint32_t home[MAX_VALUES];
    struct live_use uses[MAX_USES];
};

static uint64_t seed;

static uint32_t below(uint32_t limit)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(seed >> 33) % limit;
}

static void add_edge(struct world *w, unsigned graph, uint32_t from, uint32_t to)
{
    struct machine_edges *a = &w->edges[graph][from], *b = &w->edges[graph][to];
    for (uint32_t i = 0; i < a->num_succs; i++) {
        if (w->succs[graph][from][i] == to)
            return;
    }
    w->succs[graph][from][a->num_succs++] = to;
    w->preds[graph][to][b->num_preds++] = from;
}

/* Blocks in a row, with ways forward over some of them and a few back. */
static void make_world(struct world *w)
{
    memset(w, 0, sizeof(*w));
    w->num_blocks = 1 + below(MAX_BLOCKS);
    w->num_values = below(MAX_VALUES + 1);
    for (unsigned g = 0; g < LIVE_GRAPHS; g++) {
        for (uint32_t b = 0; b < w->num_blocks; b++)
            w->edges[g][b] = (struct machine_edges){w->preds[g][b], w->succs[g][b], 0, 0};
        for (uint32_t b = 0; b + 1 < w->num_blocks; b++) {
            if (below(8))
                add_edge(w, g, b, b + 1);
            if (below(3) == 0)
                add_edge(w, g, b, b + 1 + below(w->num_blocks - b - 1));
        }
        for (uint32_t i = below(4); i; i--) {
            uint32_t to = below(w->num_blocks);
            add_edge(w, g, to + below(w->num_blocks - to), to);
        }
    }
    for (uint32_t v = 0; v < w->num_values; v++) {
        w->graph_of[v] = (uint8_t)below(LIVE_GRAPHS);
        w->home[v] = below(12) ? below(w->num_blocks) : LIVE_NOWHERE;
    }
    w->num_uses = w->num_values ? below(MAX_USES) : 0;
    for (uint32_t i = 0; i < w->num_uses; i++)
        w->uses[i] = (struct live_use){below(w->num_values), below(w->num_blocks), below(3) == 0};
}

struct answer {
    bool in[MAX_BLOCKS], out[MAX_BLOCKS];
};

static void solve_plainly(const struct world *w, uint32_t value, struct answer *answer)
{
    const struct machine_edges *graph = w->edges[w->graph_of[value]];
    bool written[MAX_BLOCKS] = {false};
    memset(answer, 0, sizeof(*answer));
    for (uint32_t i = 0; i < w->num_uses; i++) {
        if (w->uses[i].value != value)
            continue;
        if (w->uses[i].at_end)
            answer->out[w->uses[i].block] = true;
        else if (w->uses[i].block != w->home[value])
            answer->in[w->uses[i].block] = true;
    }
    for (uint32_t round = 0; round < 2 * MAX_BLOCKS; round++) {
        for (uint32_t b = 0; b < w->num_blocks; b++) {
            written[b] |= b == w->home[value];
            for (uint32_t i = 0; i < graph[b].num_succs; i++)
                answer->out[b] |= answer->in[graph[b].succs[i]];
            for (uint32_t i = 0; i < graph[b].num_preds; i++)
                written[b] |= written[graph[b].preds[i]];
            answer->in[b] |= answer->out[b] && b != w->home[value];
        }
    }
    for (uint32_t b = 0; b < w->num_blocks; b++) {
        bool before = false;
        for (uint32_t i = 0; i < graph[b].num_preds; i++)
            before |= written[graph[b].preds[i]];
        answer->in[b] &= before;
        answer->out[b] &= written[b];
    }
}

static void compare_sets(const struct world *w, const struct live_sets *sets)
{
    for (uint32_t v = 0; v < w->num_values; v++) {
        struct answer answer;
        solve_plainly(w, v, &answer);
        for (uint32_t b = 0; b < w->num_blocks; b++) {
            bool in = false, out = false;
            live_foreach(sets, in, b, one) in |= one == v;
            live_foreach(sets, out, b, one) out |= one == v;
            assert_int_equal(in, answer.in[b]);
            assert_int_equal(out, answer.out[b]);
            assert_int_equal(live_is_in(sets, b, v), in);
        }
    }
    for (uint32_t b = 0; b < w->num_blocks; b++) {
        for (uint32_t i = sets->in_first[b]; i + 1 < sets->in_first[b + 1]; i++)
            assert_true(sets->in[i] < sets->in[i + 1]);
        for (uint32_t i = sets->out_first[b]; i + 1 < sets->out_first[b + 1]; i++)
            assert_true(sets->out[i] < sets->out[i + 1]);
    }
}

static void random_graphs_have_the_sets_of_the_equations(void **state)
{
    static struct world w;
    for (uint64_t i = 1; i <= 3000; i++) {
        seed = i * 7919;
        make_world(&w);
        struct live_input input = {.num_blocks = w.num_blocks,
                                   .num_values = w.num_values,
                                   .num_uses = w.num_uses,
                                   .graphs = {w.edges[0], w.edges[1]},
                                   .graph_of = w.graph_of,
                                   .home = w.home,
                                   .uses = w.uses};
        struct arena arena = {0};
        struct live_sets sets;
        assert_true(live_solve(&input, &arena, &sets));
        compare_sets(&w, &sets);
        arena_finish(&arena);
    }
}

/* A value that lives through a loop lives in all of it; one made in the loop and read at its start is alive on the way
 * back. */
static void loops_keep_values_alive(void **state)
{
    static struct world w;
    memset(&w, 0, sizeof(w));
    w.num_blocks = 4;
    w.num_values = 2;
    for (uint32_t b = 0; b < 4; b++)
        w.edges[0][b] = (struct machine_edges){w.preds[0][b], w.succs[0][b], 0, 0};
    add_edge(&w, 0, 0, 1);
    add_edge(&w, 0, 1, 2);
    add_edge(&w, 0, 2, 1);
    add_edge(&w, 0, 2, 3);
    w.home[0] = 0;
    w.home[1] = 2;
    w.uses[0] = (struct live_use){0, 1, false};
    w.uses[1] = (struct live_use){1, 2, true}; /* a phi at the loop's head */
    struct live_input input = {.num_blocks = 4,
                               .num_values = 2,
                               .num_uses = 2,
                               .graphs = {w.edges[0], NULL},
                               .graph_of = w.graph_of,
                               .home = w.home,
                               .uses = w.uses};
    struct arena arena = {0};
    struct live_sets sets;
    assert_true(live_solve(&input, &arena, &sets));
    assert_true(live_is_in(&sets, 1, 0) && live_is_in(&sets, 2, 0));
    assert_false(live_is_in(&sets, 0, 0) || live_is_in(&sets, 3, 0) || live_is_in(&sets, 1, 1));
    assert_int_equal(sets.out_first[3] - sets.out_first[2], 2);
    arena_finish(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_graphs_have_the_sets_of_the_equations),
        cmocka_unit_test(loops_keep_values_alive),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
