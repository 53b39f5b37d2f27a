/* The plan of splits on random graphs, carried out: no edge from a fork to a join is left, old blocks keep their order
 * and their ways, and every new block stands where the plan's header says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/machine/edges.h"

enum {
    MAX_BLOCKS = 20
};

static uint64_t seed = 1;

static uint32_t below(uint32_t limit)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(seed >> 33) % limit;
}

struct graph {
    uint32_t num_blocks;
    bool has_edge[MAX_BLOCKS][MAX_BLOCKS];
    uint32_t preds[MAX_BLOCKS][MAX_BLOCKS], succs[MAX_BLOCKS][MAX_BLOCKS];
    struct machine_edges edges[MAX_BLOCKS];
};

static void make_graph(struct graph *g)
{
    memset(g, 0, sizeof(*g));
    g->num_blocks = 1 + below(MAX_BLOCKS);
    for (uint32_t count = below(3 * MAX_BLOCKS); count; count--)
        g->has_edge[below(g->num_blocks)][below(g->num_blocks)] = true;
    for (uint32_t b = 0; b < g->num_blocks; b++)
        g->edges[b] = (struct machine_edges){g->preds[b], g->succs[b], 0, 0};
    for (uint32_t from = 0; from < g->num_blocks; from++) {
        for (uint32_t to = 0; to < g->num_blocks; to++) {
            if (!g->has_edge[from][to])
                continue;
            g->succs[from][g->edges[from].num_succs++] = to;
            g->preds[to][g->edges[to].num_preds++] = from;
        }
    }
}

static bool is_critical(const struct graph *g, uint32_t from, uint32_t to)
{
    return g->has_edge[from][to] && g->edges[from].num_succs > 1 && g->edges[to].num_preds > 1;
}

/* Between this place and that one there are new blocks alone. */
static bool only_new_between(const struct edge_splits *splits, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        if (splits->old_index[i] != EDGE_NEW_BLOCK)
            return false;
    }
    return true;
}

static void every_critical_edge_gets_a_block(void **state)
{
    static struct graph g;
    unsigned split_rounds = 0;
    for (unsigned round = 0; round < 20000; round++) {
        struct arena arena = {0};
        struct edge_splits splits;
        uint32_t next = 0;
        make_graph(&g);
        assert_true(edges_plan_splits(g.edges, g.num_blocks, &arena, &splits));
        assert_int_equal(splits.num_blocks, g.num_blocks + splits.count);
        for (uint32_t from = 0; from < g.num_blocks; from++) {
            for (uint32_t i = 0; i < g.edges[from].num_succs; i++) {
                uint32_t to = g.succs[from][i];
                if (!is_critical(&g, from, to))
                    continue;
                const struct edge_split *split = &splits.list[next++];
                assert_int_equal(split->from, splits.new_index[from]);
                assert_int_equal(split->to, splits.new_index[to]);
                assert_int_equal(g.preds[to][split->pred], from);
                assert_int_equal(splits.old_index[split->block], EDGE_NEW_BLOCK);
                assert_true(to > from ? only_new_between(&splits, split->block, split->to)
                                      : only_new_between(&splits, split->from + 1, split->block + 1));
                for (uint32_t other = 0; other + 1 < next; other++)
                    assert_int_not_equal(splits.list[other].block, split->block);
            }
        }
        assert_int_equal(next, splits.count);
        for (uint32_t b = 0; splits.count && b < g.num_blocks; b++) {
            assert_int_equal(splits.old_index[splits.new_index[b]], b);
            assert_true(b == 0 || splits.new_index[b] > splits.new_index[b - 1]);
        }
        split_rounds += splits.count != 0;
        arena_finish(&arena);
    }
    assert_true(split_rounds > 1000);
}

static void nothing_is_made_where_nothing_is_critical(void **state)
{
    static const uint32_t one[] = {1}, zero[] = {0};
    const struct machine_edges line[] = {{NULL, one, 0, 1}, {zero, NULL, 1, 0}};
    struct arena arena = {0};
    struct edge_splits splits;
    assert_true(edges_plan_splits(line, 2, &arena, &splits));
    assert_int_equal(splits.count, 0);
    assert_int_equal(splits.num_blocks, 2);
    assert_null(splits.new_index);
    arena_finish(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_critical_edge_gets_a_block),
        cmocka_unit_test(nothing_is_made_where_nothing_is_critical),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
