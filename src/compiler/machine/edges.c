/* The plan of new blocks on critical edges, in time of the blocks and edges. */
#include "compiler/machine/edges.h"

static bool is_critical(const struct machine_edges *graph, uint32_t from, uint32_t to)
{
    return graph[from].num_succs > 1 && graph[to].num_preds > 1;
}

static uint32_t find_critical(const struct machine_edges *graph, uint32_t num_blocks, struct edge_split *list)
{
    uint32_t count = 0;
    for (uint32_t from = 0; from < num_blocks; from++) {
        for (uint32_t i = 0; i < graph[from].num_succs; i++) {
            uint32_t to = graph[from].succs[i];
            if (!is_critical(graph, from, to))
                continue;
            if (list)
                list[count] = (struct edge_split){.from = from, .to = to};
            count++;
        }
    }
    return count;
}

/* The old block that a new one stands before; one after the last, too. */
static uint32_t place_of(const struct edge_split *split)
{
    return split->to > split->from ? split->to : split->from + 1;
}

/* Where each old block goes: after all new blocks that stand before it. `next`, zero at first, is the place
 * of the first of those. */
static void number_blocks(struct edge_splits *splits, uint32_t num_blocks, uint32_t *next)
{
    for (uint32_t i = 0; i < splits->count; i++)
        next[place_of(&splits->list[i])]++;
    for (uint32_t old = 0, at = 0; old <= num_blocks; old++) {
        uint32_t before = next[old];
        next[old] = at;
        at += before;
        if (old < num_blocks) {
            splits->new_index[old] = at;
            splits->old_index[at++] = old;
        }
    }
}

/* A join may have as many ways in as the program has blocks: none is searched for. `first`, zero at first, is the first
 * split of each source, + 1. */
static void find_preds(const struct machine_edges *graph, uint32_t num_blocks, struct edge_splits *splits,
                       uint32_t *first)
{
    struct edge_split *list = splits->list;
    for (uint32_t i = splits->count; i-- > 0;)
        first[list[i].from] = i + 1;
    for (uint32_t to = 0; to < num_blocks; to++) {
        for (uint32_t k = 0; k < graph[to].num_preds; k++) {
            uint32_t from = graph[to].preds[k];
            for (uint32_t i = first[from]; i && i <= splits->count && list[i - 1].from == from; i++) {
                if (list[i - 1].to == to)
                    list[i - 1].pred = k;
            }
        }
    }
}

bool edges_plan_splits(const struct machine_edges *graph, uint32_t num_blocks, struct arena *arena,
                       struct edge_splits *splits_out)
{
    uint32_t count = find_critical(graph, num_blocks, NULL);
    *splits_out = (struct edge_splits){.count = count, .num_blocks = num_blocks + count};
    if (count == 0)
        return true;
    struct edge_splits *splits = splits_out;
    splits->list = arena_zalloc_array(arena, count, sizeof(struct edge_split));
    splits->new_index = arena_zalloc_array(arena, num_blocks, sizeof(uint32_t));
    splits->old_index = arena_zalloc_array(arena, splits->num_blocks, sizeof(uint32_t));
    uint32_t *next = arena_zalloc_array(arena, num_blocks + 1, sizeof(uint32_t));
    uint32_t *first = arena_zalloc_array(arena, num_blocks, sizeof(uint32_t));
    if (!splits->list || !splits->new_index || !splits->old_index || !next || !first)
        return false;
    find_critical(graph, num_blocks, splits->list);
    find_preds(graph, num_blocks, splits, first);
    number_blocks(splits, num_blocks, next);
    for (uint32_t i = 0; i < count; i++) {
        struct edge_split *split = &splits->list[i];
        split->block = next[place_of(split)]++;
        splits->old_index[split->block] = EDGE_NEW_BLOCK;
        split->from = splits->new_index[split->from];
        split->to = splits->new_index[split->to];
    }
    return true;
}
