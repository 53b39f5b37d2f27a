/* The control flow of a function as it was read: successors, reverse postorder, dominators, and which block places
 * which.
 *
 * A block with one predecessor is emitted where that one branches to it. A block where paths meet (a join) is placed
 * after its immediate dominator. A loop's merge block is placed after the loop, its continue target in the loop's
 * continue region. This needs only that the graph is reducible and that loops have their OpLoopMerge; anything else is
 * refused when a branch finds no place to go to. */
#include "compiler/spirv/sp.h"

#include <string.h>

static uint32_t block_index(struct sp *s, const struct sp_function *function, uint32_t label)
{
    struct sp_id *def = sp_id(s, label);
    if (def->what != SP_LABEL || !def->block || def->block < function->blocks ||
        def->block >= function->blocks + function->num_blocks)
        sp_fail(s, "id %u is no label of this function", label);
    return (uint32_t)(def->block - function->blocks);
}

/* Width of the value of an id that may not have been translated yet. */
static uint32_t selector_bits(struct sp *s, uint32_t id)
{
    struct sp_id *def = sp_id(s, id);
    struct sp_type *type;
    if (def->what == SP_CONSTANT) {
        type = def->constant->type;
    } else {
        struct sp_instr in;
        uint32_t at = s->at;
        if (def->at == 0)
            sp_fail(s, "the selector is not defined");
        sp_read_instr(s, def->at, &in);
        s->at = at;
        type = in.type ? sp_type(s, in.type) : NULL;
    }
    if (!type || type->kind != SP_INT)
        sp_fail(s, "the selector is no integer");
    return type->bits;
}

static void add_succ(struct sp_function *function, struct sp_block *block, uint32_t succ)
{
    uint32_t mark = (uint32_t)(block - function->blocks) + 1;
    if (function->blocks[succ].mark == mark)
        return;
    function->blocks[succ].mark = mark;
    block->succs[block->num_succs++] = succ;
}

static void read_succs(struct sp *s, struct sp_function *function, struct sp_block *block)
{
    struct sp_instr in;
    sp_read_instr(s, block->end, &in);
    uint32_t max = in.count + 1, step;
    block->succs = sp_new_array(s, uint32_t, max);
    switch (in.opcode) {
    case SpvOpBranch:
        add_succ(function, block, block_index(s, function, sp_op(s, &in, 0)));
        break;
    case SpvOpBranchConditional:
        add_succ(function, block, block_index(s, function, sp_op(s, &in, 1)));
        add_succ(function, block, block_index(s, function, sp_op(s, &in, 2)));
        break;
    case SpvOpSwitch:
        step = selector_bits(s, sp_op(s, &in, 0)) == 64 ? 3 : 2;
        if ((in.count - 2) % step)
            sp_fail(s, "the targets of OpSwitch do not fit its selector");
        sp_spend(s, in.count);
        for (uint32_t i = 2; i < in.count; i += step)
            add_succ(function, block, block_index(s, function, in.ops[i + step - 1]));
        add_succ(function, block, block_index(s, function, sp_op(s, &in, 1)));
        break;
    default:
        break;
    }
}

/* The results of the search in depth that the dominators need. */
struct search {
    uint32_t *vertex; /* blocks in the order in which they were found */
    uint32_t *number; /* the other way round, by block */
    uint32_t *parent; /* by block: the one that it was found from */
};

/* Postorder without recursion: `next[b]` is the successor of b to be looked at. */
static void find_order(struct sp *s, struct sp_function *function, struct search *search)
{
    uint32_t count = function->num_blocks, depth = 0, done = 0, found = 0;
    uint32_t *stack = sp_new_array(s, uint32_t, count);
    uint32_t *next = sp_new_array(s, uint32_t, count);
    uint32_t *post = sp_new_array(s, uint32_t, count);
    bool *seen = sp_new_array(s, bool, count);
    *search = (struct search){sp_new_array(s, uint32_t, count), sp_new_array(s, uint32_t, count),
                              sp_new_array(s, uint32_t, count)};
    stack[depth++] = 0;
    seen[0] = true;
    found++;
    while (depth) {
        uint32_t b = stack[depth - 1];
        struct sp_block *block = &function->blocks[b];
        if (next[b] == block->num_succs) {
            post[done++] = b;
            depth--;
            continue;
        }
        /* The last successor first, so that the first one comes first in reverse postorder. */
        uint32_t succ = block->succs[block->num_succs - 1 - next[b]++];
        if (!seen[succ]) {
            seen[succ] = true;
            stack[depth++] = succ;
            search->parent[succ] = b;
            search->number[succ] = found;
            search->vertex[found++] = succ;
        }
    }
    function->order = post;
    function->num_order = done;
    for (uint32_t i = 0; i < done / 2; i++) {
        uint32_t swap = post[i];
        post[i] = post[done - 1 - i];
        post[done - 1 - i] = swap;
    }
    for (uint32_t b = 0; b < count; b++)
        function->blocks[b].order = SP_NONE;
    for (uint32_t i = 0; i < done; i++)
        function->blocks[post[i]].order = i;
}

static void find_preds(struct sp *s, struct sp_function *function)
{
    uint32_t *counts = sp_new_array(s, uint32_t, function->num_blocks);
    for (uint32_t i = 0; i < function->num_order; i++) {
        const struct sp_block *block = &function->blocks[function->order[i]];
        for (uint32_t k = 0; k < block->num_succs; k++)
            counts[block->succs[k]]++;
    }
    for (uint32_t b = 0; b < function->num_blocks; b++)
        function->blocks[b].preds = sp_new_array(s, uint32_t, counts[b]);
    for (uint32_t i = 0; i < function->num_order; i++) {
        const struct sp_block *block = &function->blocks[function->order[i]];
        for (uint32_t k = 0; k < block->num_succs; k++) {
            struct sp_block *succ = &function->blocks[block->succs[k]];
            succ->preds[succ->num_preds++] = function->order[i];
        }
    }
}

/* The forest of Lengauer and Tarjan, by block. */
struct forest {
    uint32_t *semi;     /* number of the semidominator */
    uint32_t *best;     /* the block of the smallest semidominator on the way up, as far as it is known */
    uint32_t *ancestor; /* SP_NONE: a root */
    uint32_t *first_waiting, *next_waiting; /* blocks by their semidominator, SP_NONE */
    uint32_t *path;
};

/* The block of the smallest semidominator between b and its root. Ways that were walked become short. */
static uint32_t best_above(struct forest *f, uint32_t b)
{
    uint32_t depth = 0;
    if (f->ancestor[b] == SP_NONE)
        return b;
    for (uint32_t at = b; f->ancestor[f->ancestor[at]] != SP_NONE; at = f->ancestor[at])
        f->path[depth++] = at;
    while (depth) {
        uint32_t at = f->path[--depth], above = f->ancestor[at];
        if (f->semi[f->best[above]] < f->semi[f->best[at]])
            f->best[at] = f->best[above];
        f->ancestor[at] = f->ancestor[above];
    }
    return f->best[b];
}

/* The blocks that waited for `parent` know their dominator, or the block that has the same one. */
static void settle_dominators(struct sp_function *function, struct forest *f, const struct search *search,
                              uint32_t parent)
{
    for (uint32_t b = f->first_waiting[parent]; b != SP_NONE; b = f->next_waiting[b]) {
        uint32_t best = best_above(f, b);
        function->blocks[b].idom = f->semi[best] < f->semi[b] ? best : search->vertex[f->semi[b]];
    }
    f->first_waiting[parent] = SP_NONE;
}

/* Lengauer, Tarjan: "A Fast Algorithm for Finding Dominators in a Flowgraph", with the simple links: near-linear
 * whatever the graph is like. */
static void find_dominators(struct sp *s, struct sp_function *function, const struct search *search)
{
    uint32_t count = function->num_blocks;
    struct forest f;
    uint32_t **arrays[] = {&f.semi, &f.best, &f.ancestor, &f.first_waiting, &f.next_waiting, &f.path};
    for (uint32_t i = 0; i < ARRAY_SIZE(arrays); i++)
        *arrays[i] = sp_new_array(s, uint32_t, count);
    for (uint32_t b = 0; b < count; b++) {
        f.semi[b] = search->number[b];
        f.best[b] = b;
        f.ancestor[b] = f.first_waiting[b] = function->blocks[b].idom = SP_NONE;
    }
    for (uint32_t i = function->num_order; i-- > 1;) {
        uint32_t b = search->vertex[i], parent = search->parent[b];
        const struct sp_block *block = &function->blocks[b];
        sp_spend(s, block->num_preds);
        for (uint32_t k = 0; k < block->num_preds; k++)
            f.semi[b] = MIN2(f.semi[b], f.semi[best_above(&f, block->preds[k])]);
        uint32_t semi = search->vertex[f.semi[b]];
        f.next_waiting[b] = f.first_waiting[semi];
        f.first_waiting[semi] = b;
        f.ancestor[b] = parent;
        settle_dominators(function, &f, search, parent);
    }
    function->blocks[0].idom = 0;
    for (uint32_t i = 1; i < function->num_order; i++) {
        uint32_t b = search->vertex[i];
        struct sp_block *block = &function->blocks[b];
        if (block->idom != search->vertex[f.semi[b]])
            block->idom = function->blocks[block->idom].idom;
    }
}

/* Intervals of the dominator tree: sizes of subtrees from the leaves up, then places from the root down. */
static void number_dominators(struct sp *s, struct sp_function *function)
{
    uint32_t *size = sp_new_array(s, uint32_t, function->num_blocks);
    uint32_t *used = sp_new_array(s, uint32_t, function->num_blocks);
    for (uint32_t i = function->num_order; i-- > 0;) {
        uint32_t b = function->order[i];
        size[b]++;
        if (i)
            size[function->blocks[b].idom] += size[b];
    }
    for (uint32_t i = 0; i < function->num_order; i++) {
        uint32_t b = function->order[i];
        struct sp_block *block = &function->blocks[b], *parent = &function->blocks[block->idom];
        block->dom_pre = i ? parent->dom_pre + 1 + used[block->idom] : 0;
        block->dom_post = block->dom_pre + size[b];
        if (i)
            used[block->idom] += size[b];
    }
}

static bool sp_block_dominates(const struct sp_function *function, uint32_t a, uint32_t b)
{
    const struct sp_block *x = &function->blocks[a], *y = &function->blocks[b];
    return x->order != SP_NONE && y->order != SP_NONE && x->dom_pre <= y->dom_pre && y->dom_post <= x->dom_post;
}

/* Keeps the predecessors whose edges run forward; those that run back must come to a loop's header. */
static void drop_back_edges(struct sp *s, struct sp_function *function)
{
    for (uint32_t i = 0; i < function->num_order; i++) {
        struct sp_block *block = &function->blocks[function->order[i]];
        uint32_t kept = 0;
        for (uint32_t k = 0; k < block->num_preds; k++) {
            uint32_t pred = block->preds[k];
            if (function->blocks[pred].order < block->order) {
                block->preds[kept++] = pred;
                continue;
            }
            s->at = function->blocks[pred].end;
            if (!block->loop || !sp_block_dominates(function, function->order[i], pred))
                sp_fail(s, "a branch back to block %u, which is not the header of a loop around it", block->id);
        }
        block->num_preds = kept;
    }
}

static void attach_block(struct sp_function *function, uint32_t header, uint32_t b)
{
    struct sp_block *block = &function->blocks[b];
    if (b != header && block->order != SP_NONE && block->attached_to == SP_NONE &&
        sp_block_dominates(function, header, b))
        block->attached_to = header;
}

static void attach_loops(struct sp *s, struct sp_function *function)
{
    for (uint32_t b = 0; b < function->num_blocks; b++)
        function->blocks[b].attached_to = SP_NONE;
    for (uint32_t i = 0; i < function->num_order; i++) {
        uint32_t header = function->order[i];
        struct sp_block *block = &function->blocks[header];
        if (!block->loop)
            continue;
        s->at = block->end;
        uint32_t merge = block_index(s, function, block->merge), cont = block_index(s, function, block->cont);
        if (merge == cont || merge == header)
            sp_fail(s, "the loop's merge block is its header or its continue target");
        attach_block(function, header, merge);
        attach_block(function, header, cont);
    }
}

static void find_joins(struct sp *s, struct sp_function *function)
{
    uint32_t *counts = sp_new_array(s, uint32_t, function->num_blocks);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 1; i < function->num_order; i++) {
            uint32_t b = function->order[i];
            const struct sp_block *block = &function->blocks[b];
            if (block->attached_to != SP_NONE || block->num_preds < 2)
                continue;
            struct sp_block *parent = &function->blocks[block->idom];
            if (pass == 0)
                counts[block->idom]++;
            else
                parent->joins[parent->num_joins++] = b;
        }
        for (uint32_t b = 0; pass == 0 && b < function->num_blocks; b++)
            function->blocks[b].joins = counts[b] ? sp_new_array(s, uint32_t, counts[b]) : NULL;
    }
}

void sp_analyse_function(struct sp *s, struct sp_function *function)
{
    if (function->analysed)
        return;
    uint32_t at = s->at;
    struct search search;
    if (function->num_blocks == 0)
        sp_fail(s, "the function has no body");
    for (uint32_t b = 0; b < function->num_blocks; b++)
        sp_id(s, function->blocks[b].id)->block = &function->blocks[b];
    for (uint32_t b = 0; b < function->num_blocks; b++)
        read_succs(s, function, &function->blocks[b]);
    find_order(s, function, &search);
    find_preds(s, function);
    find_dominators(s, function, &search);
    number_dominators(s, function);
    drop_back_edges(s, function);
    attach_loops(s, function);
    find_joins(s, function);
    s->at = at;
    function->analysed = true;
}
