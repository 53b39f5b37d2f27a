/* Liveness by value: from each read back to the write, along the value's graph, through the blocks on the way. See
 * live.h. */
#include "compiler/machine/live.h"

#include <string.h>

/* Blocks that were found for the values so far: a run of each list belongs to one value. */
struct blocks {
    uint32_t *list;
    uint32_t count, capacity;
};

struct solver {
    const struct live_input *input;
    struct arena *arena;
    bool failed;
    bool has_escaped;             /* the walk back may have come to where the value was not written */
    struct live_use *uses;        /* by value */
    uint32_t *first_use;          /* of each value */
    uint32_t *low;                /* by block: the first block that can be come to from it */
    bool *is_border[LIVE_GRAPHS]; /* by block: a way begins here, or none that begins is known to come here */
    uint32_t *seen_in, *seen_out; /* by block: value + 1 where the walk back found it alive */
    uint32_t *stack, depth;
    struct blocks in, out;          /* where the values are alive, one value after the other */
    uint32_t *in_count, *out_count; /* by value */
};

static void *take_array(struct solver *s, size_t count, size_t size_B)
{
    void *memory = arena_zalloc_array(s->arena, count ? count : 1, size_B);
    s->failed |= !memory;
    return memory;
}

static __attribute__((noinline)) void grow_blocks(struct solver *s, struct blocks *blocks)
{
    uint32_t capacity = blocks->capacity ? blocks->capacity * 2 : 1024;
    uint32_t *grown = arena_alloc(s->arena, (size_t)capacity * sizeof(*grown));
    if (!grown) {
        s->failed = true;
        return;
    }
    if (blocks->count)
        memcpy(grown, blocks->list, blocks->count * sizeof(*grown));
    blocks->list = grown;
    blocks->capacity = capacity;
}

static inline void append_block(struct solver *s, struct blocks *blocks, uint32_t block)
{
    if (blocks->count == blocks->capacity)
        grow_blocks(s, blocks);
    if (blocks->count < blocks->capacity)
        blocks->list[blocks->count++] = block;
}

/* Program order is a topological one but for the ways back, so that from a block only later ones are come to, and all
 * of the loops around it: the walk back from a read need not look further than the outermost of those. */
static void find_low(struct solver *s)
{
    const struct live_input *input = s->input;
    uint32_t *end =
        take_array(s, input->num_blocks, sizeof(*end)); /* by block: the last one that leads back to it, + 1 */
    s->low = take_array(s, input->num_blocks, sizeof(*s->low));
    if (s->failed)
        return;
    for (unsigned g = 0; g < LIVE_GRAPHS && input->graphs[g]; g++) {
        for (uint32_t b = 0; b < input->num_blocks; b++) {
            for (uint32_t i = 0; i < input->graphs[g][b].num_succs; i++) {
                uint32_t to = input->graphs[g][b].succs[i];
                if (to <= b && end[to] <= b)
                    end[to] = b + 1;
            }
        }
    }
    uint32_t start = 0, until = 0;
    for (uint32_t b = 0; b < input->num_blocks; b++) {
        if (b >= until)
            start = b;
        if (end[b] > until)
            until = end[b];
        s->low[b] = start;
    }
}

/* A way that begins comes to a block by one of the blocks before it. */
static void find_borders(struct solver *s)
{
    const struct live_input *input = s->input;
    for (unsigned g = 0; g < LIVE_GRAPHS && input->graphs[g]; g++) {
        bool *is_come_to = take_array(s, input->num_blocks, sizeof(*is_come_to));
        s->is_border[g] = take_array(s, input->num_blocks, sizeof(*s->is_border[g]));
        for (uint32_t b = 0; b < input->num_blocks && !s->failed; b++) {
            const struct machine_edges *block = &input->graphs[g][b];
            is_come_to[b] = !block->num_preds;
            for (uint32_t i = 0; i < block->num_preds; i++)
                is_come_to[b] |= block->preds[i] < b && is_come_to[block->preds[i]];
            s->is_border[g][b] = !block->num_preds || !is_come_to[b];
        }
    }
}

static void sort_uses(struct solver *s)
{
    const struct live_input *input = s->input;
    s->first_use = take_array(s, (size_t)input->num_values + 2, sizeof(*s->first_use));
    s->uses = take_array(s, input->num_uses, sizeof(*s->uses));
    if (s->failed)
        return;
    /* Counted one place further, filled from the place before: afterwards each entry is where its value begins. */
    for (uint32_t i = 0; i < input->num_uses; i++)
        s->first_use[input->uses[i].value + 2]++;
    for (uint32_t v = 2; v < input->num_values + 2; v++)
        s->first_use[v] += s->first_use[v - 1];
    for (uint32_t i = 0; i < input->num_uses; i++)
        s->uses[s->first_use[input->uses[i].value + 1]++] = input->uses[i];
}

static void want_before(struct solver *s, uint32_t value, uint32_t block)
{
    s->seen_in[block] = value + 1;
    append_block(s, &s->in, block);
    s->stack[s->depth++] = block;
}

/* The value is wanted at the end of a block: it is alive there, and before it unless the block writes it. */
static void want_at_end(struct solver *s, uint32_t value, uint32_t block)
{
    uint32_t home = s->input->home[value];
    if (s->seen_out[block] == value + 1)
        return;
    if (block < s->low[home]) {
        s->has_escaped = true;
        return;
    }
    s->seen_out[block] = value + 1;
    append_block(s, &s->out, block);
    if (block != home && s->seen_in[block] != value + 1)
        want_before(s, value, block);
}

static void walk_back(struct solver *s, uint32_t value)
{
    const bool *is_border = s->is_border[s->input->graph_of[value]];
    const struct machine_edges *graph = s->input->graphs[s->input->graph_of[value]];
    uint32_t home = s->input->home[value];
    for (uint32_t i = s->first_use[value]; i < s->first_use[value + 1]; i++) {
        const struct live_use *use = &s->uses[i];
        if (use->at_end) {
            want_at_end(s, value, use->block);
        } else if (use->block != home && use->block < s->low[home]) {
            s->has_escaped = true;
        } else if (use->block != home && s->seen_in[use->block] != value + 1) {
            want_before(s, value, use->block);
        }
    }
    while (s->depth) {
        const struct machine_edges *block = &graph[s->stack[--s->depth]];
        s->has_escaped |= is_border[block - graph];
        for (uint32_t i = 0; i < block->num_preds; i++)
            want_at_end(s, value, block->preds[i]);
    }
}

/* From the write on, where the walk back has been: what is not come to this way was never written there. It is all come
 * to where each way back ends at the write. The marks are taken back. */
static void walk_on(struct solver *s, uint32_t value)
{
    const struct machine_edges *graph = s->input->graphs[s->input->graph_of[value]];
    uint32_t home = s->input->home[value];
    if (s->seen_out[home] != value + 1)
        return;
    s->seen_out[home] = 0;
    append_block(s, &s->out, home);
    s->stack[s->depth++] = home;
    while (s->depth) {
        const struct machine_edges *block = &graph[s->stack[--s->depth]];
        for (uint32_t i = 0; i < block->num_succs; i++) {
            uint32_t to = block->succs[i];
            if (s->seen_in[to] != value + 1)
                continue;
            s->seen_in[to] = 0;
            append_block(s, &s->in, to);
            if (s->seen_out[to] != value + 1)
                continue;
            s->seen_out[to] = 0;
            append_block(s, &s->out, to);
            s->stack[s->depth++] = to;
        }
    }
}

/* Lists by value become lists by block; values in order stay in order. */
static void turn_lists(struct solver *s, const struct blocks *blocks, const uint32_t *counts, uint32_t **first_out,
                       uint32_t **list_out)
{
    uint32_t num_blocks = s->input->num_blocks;
    uint32_t *first = take_array(s, (size_t)num_blocks + 2, sizeof(*first)),
             *list = take_array(s, blocks->count, sizeof(*list));
    if (s->failed)
        return;
    for (uint32_t i = 0; i < blocks->count; i++)
        first[blocks->list[i] + 2]++;
    for (uint32_t b = 2; b < num_blocks + 2; b++)
        first[b] += first[b - 1];
    for (uint32_t v = 0, at = 0; v < s->input->num_values; v++) {
        for (uint32_t i = 0; i < counts[v]; i++)
            list[first[blocks->list[at++] + 1]++] = v;
    }
    *first_out = first;
    *list_out = list;
}

bool live_solve(const struct live_input *input, struct arena *arena, struct live_sets *sets_out)
{
    struct solver s = {.input = input, .arena = arena};
    sort_uses(&s);
    find_low(&s);
    find_borders(&s);
    s.seen_in = take_array(&s, input->num_blocks, sizeof(uint32_t));
    s.seen_out = take_array(&s, input->num_blocks, sizeof(uint32_t));
    s.stack = take_array(&s, (size_t)input->num_blocks + 1, sizeof(uint32_t));
    s.in_count = take_array(&s, input->num_values, sizeof(uint32_t));
    s.out_count = take_array(&s, input->num_values, sizeof(uint32_t));
    for (uint32_t v = 0; v < input->num_values && !s.failed; v++) {
        uint32_t in = s.in.count, out = s.out.count;
        s.has_escaped = false;
        if (input->home[v] != LIVE_NOWHERE)
            walk_back(&s, v);
        if (s.has_escaped) {
            s.in.count = in;
            s.out.count = out;
            walk_on(&s, v);
        }
        s.in_count[v] = s.in.count - in;
        s.out_count[v] = s.out.count - out;
    }
    if (s.failed)
        return false;
    turn_lists(&s, &s.in, s.in_count, &sets_out->in_first, &sets_out->in);
    turn_lists(&s, &s.out, s.out_count, &sets_out->out_first, &sets_out->out);
    return !s.failed;
}

bool live_is_in(const struct live_sets *sets, uint32_t block, uint32_t value)
{
    uint32_t low = sets->in_first[block], high = sets->in_first[block + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (sets->in[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low < sets->in_first[block + 1] && sets->in[low] == value;
}
