/* Numbering, edges between blocks and dominance. Program order is a reverse postorder of the structured graph, in which
 * every loop is entered at its head alone, so that one walk in that order finds the dominators. */
#include "compiler/ir/ir.h"

#include <string.h>

void ir_index(struct ir_shader *shader)
{
    shader->num_values = shader->num_blocks = 0;
    ir_foreach_block (shader, block) {
        block->index = shader->num_blocks++;
        ir_foreach_instr (block, instr)
            if (instr->def.bits)
                instr->def.index = shader->num_values++;
    }
}

/* That of the block before the node around it, which comes before it in program order. */
static uint32_t loop_depth(const struct ir_block *block)
{
    const struct ir_node *owner = block->node.region->owner;
    return owner ? ir_node_block(ir_node_prev(owner))->loop_depth + (owner->kind == IR_LOOP) : 0;
}

static void add_edge(struct ir_shader *shader, struct ir_block *from, struct ir_block *to)
{
    if (to->num_preds == to->max_preds) {
        uint32_t grown = to->max_preds ? to->max_preds * 2 : 2;
        struct ir_block **preds = ir_alloc(shader, grown * sizeof(*preds));
        if (to->num_preds)
            memcpy(preds, to->preds, to->num_preds * sizeof(*preds));
        to->preds = preds;
        to->max_preds = grown;
    }
    to->preds[to->num_preds++] = from;
}

/* The closest block that dominates both. `known` dominates every block that has `mark` already: each is walked over
 * once for one target, however many ways lead there. The mark stands where number_tree writes later. */
static struct ir_block *common_dominator(struct ir_block *known, struct ir_block *b, uint32_t mark)
{
    struct ir_block *a = known;
    while (a != b) {
        while (a->index > b->index) {
            a->dom_pre = mark;
            a = a->idom;
        }
        while (b->index > a->index) {
            if (b->dom_pre == mark)
                return a;
            b->dom_pre = mark;
            b = b->idom;
        }
    }
    return a;
}

/* Edges forward are known before their target is visited; an edge back comes from a block that its target dominates. */
static void visit_block(struct ir_shader *shader, struct ir_block *block, bool entry)
{
    block->reachable = entry || block->num_preds;
    block->loop_depth = loop_depth(block);
    block->idom = NULL;
    block->dom_pre = 0;
    block->succs[0] = block->succs[1] = NULL;
    if (!block->reachable)
        return;
    for (uint32_t i = 0; i < block->num_preds; i++)
        block->idom = block->idom ? common_dominator(block->idom, block->preds[i], block->index + 1) : block->preds[i];
    struct ir_block *succs[2];
    uint32_t count = ir_block_successors(block, succs);
    for (uint32_t i = 0; i < count; i++) {
        block->succs[i] = succs[i];
        add_edge(shader, block, succs[i]);
    }
}

/* The interval that each block's subtree of the dominator tree has in a walk of the tree. */
static void number_tree(struct ir_shader *shader)
{
    uint32_t count = shader->num_blocks;
    struct ir_block **child = ir_alloc_scratch(shader, count * sizeof(*child));
    struct ir_block **sibling = ir_alloc_scratch(shader, count * sizeof(*sibling));
    ir_foreach_block (shader, block) {
        block->dom_pre = UINT32_MAX;
        block->dom_post = 0;
        if (!block->idom)
            continue;
        sibling[block->index] = child[block->idom->index];
        child[block->idom->index] = block;
    }
    uint32_t clock = 0;
    struct ir_block *block = ir_region_first(&shader->body);
    block->dom_pre = clock++;
    while (block) {
        struct ir_block *next = child[block->index];
        if (next) {
            child[block->index] = sibling[next->index];
            next->dom_pre = clock++;
        } else {
            block->dom_post = clock++;
            next = block->idom;
        }
        block = next;
    }
}

struct ir_block **ir_dominance_order(struct ir_shader *shader, uint32_t *count_out)
{
    /* Twice as many numbers as blocks were given to the intervals: sorted by their starts, with the gaps closed. */
    uint32_t total = 2 * shader->num_blocks, count = 0;
    struct ir_block **order = ir_alloc_scratch(shader, (total + 1) * sizeof(*order));
    ir_foreach_block (shader, block)
        if (block->reachable)
            order[block->dom_pre] = block;
    for (uint32_t i = 0; i < total; i++)
        if (order[i])
            order[count++] = order[i];
    *count_out = count;
    return order;
}

void ir_build_cfg(struct ir_shader *shader)
{
    ir_index(shader);
    ir_foreach_block (shader, block)
        block->num_preds = 0;
    struct ir_block *entry = ir_region_first(&shader->body);
    ir_foreach_block (shader, block)
        visit_block(shader, block, block == entry);
    number_tree(shader);
    shader->cfg_valid = true;
}

bool ir_dominates(const struct ir_block *a, const struct ir_block *b)
{
    if (!b->reachable || a == b)
        return true;
    return a->reachable && a->dom_pre <= b->dom_pre && b->dom_post <= a->dom_post;
}
