/* Dead control flow: a branch whose condition is known, an if with nothing in it, a loop that never turns. */
#include "compiler/ir/opt.h"

static bool is_empty(const struct ir_region *region)
{
    const struct ir_block *block = ir_region_first(region);
    return block == ir_region_last(region) && list_is_empty(&block->instrs);
}

static bool has_phis(const struct ir_block *block)
{
    if (list_is_empty(&block->instrs))
        return false;
    return container_of(block->instrs.next, struct ir_instr, link)->op == IR_OP_phi;
}

static bool simplify_if(struct ir_if *branch)
{
    if (ir_is_const(branch->condition.value)) {
        bool taken = ir_const_u64(branch->condition.value);
        ir_dissolve_node(&branch->node, taken ? &branch->then_region : &branch->else_region);
        return true;
    }
    if (is_empty(&branch->then_region) && is_empty(&branch->else_region) &&
        !has_phis(ir_node_block(ir_node_next(&branch->node)))) {
        ir_remove_node(&branch->node);
        return true;
    }
    return false;
}

/* Whether anything below, but for `except`, jumps by this very loop. */
static bool region_jumps(const struct ir_region *region, const struct ir_instr *except)
{
    list_foreach (&region->nodes, struct ir_node, node, link) {
        if (node->kind == IR_BLOCK) {
            const struct ir_instr *jump = ir_block_jump(ir_node_block(node));
            if (jump && jump != except)
                return true;
        } else if (node->kind == IR_IF) {
            if (region_jumps(&ir_node_if(node)->then_region, except) ||
                region_jumps(&ir_node_if(node)->else_region, except))
                return true;
        } /* a loop inside keeps its jumps to itself */
    }
    return false;
}

/* loop { …; break } with no other way out or around: its body runs once. */
static bool simplify_loop(struct ir_loop *loop)
{
    struct ir_instr *last = ir_block_jump(ir_region_last(&loop->body));
    if (!last || last->op != IR_OP_break || region_jumps(&loop->body, last))
        return false;
    /* Phis at the head have one source, from before the loop; phis after it one, from the break. */
    ir_foreach_phi (ir_region_first(&loop->body), phi) {
        if (phi->num_srcs != 1)
            return false;
    }
    struct ir_block *head = ir_region_first(&loop->body);
    while (has_phis(head)) {
        struct ir_instr *phi = container_of(head->instrs.next, struct ir_instr, link);
        ir_replace_uses(&phi->def, ir_src(phi, 0));
        ir_remove(phi);
    }
    struct ir_block *behind = ir_node_block(ir_node_next(&loop->node));
    while (has_phis(behind)) {
        struct ir_instr *phi = container_of(behind->instrs.next, struct ir_instr, link);
        ir_replace_uses(&phi->def, ir_src(phi, 0));
        ir_remove(phi);
    }
    ir_remove(last);
    ir_dissolve_node(&loop->node, &loop->body);
    return true;
}

static bool simplify_region(struct ir_region *region);

static bool simplify_node(struct ir_node *node)
{
    if (node->kind == IR_IF)
        return simplify_if(ir_node_if(node));
    return node->kind == IR_LOOP && simplify_loop(ir_node_loop(node));
}

static bool simplify_inside(struct ir_node *node)
{
    bool progress = false;
    if (node->kind == IR_IF) {
        progress |= simplify_region(&ir_node_if(node)->then_region);
        progress |= simplify_region(&ir_node_if(node)->else_region);
    } else if (node->kind == IR_LOOP) {
        progress |= simplify_region(&ir_node_loop(node)->body);
        progress |= simplify_region(&ir_node_loop(node)->cont);
    }
    return progress;
}

/* A change joins blocks to the one before the node and may drop what follows: the walk goes on from there. */
static bool simplify_region(struct ir_region *region)
{
    bool progress = false;
    list_foreach (&region->nodes, struct ir_node, node, link)
        progress |= simplify_inside(node);
    for (struct ir_node *node = &ir_region_first(region)->node, *before = NULL; node; node = ir_node_next(node)) {
        if (simplify_node(node)) {
            progress = true;
            node = before;
        }
        before = node;
    }
    return progress;
}

static void drop_sources(struct ir_block *block)
{
    if (!has_phis(block))
        return;
    for (uint32_t i = 0; i < block->num_preds; i++)
        block->preds[i]->copy = block; /* a mark until the end of this function */
    ir_foreach_phi (block, phi)
        for (uint32_t i = phi->num_srcs; i-- > 0;)
            if (phi->preds[i]->copy != block)
                ir_phi_remove(phi, phi->preds[i]);
    for (uint32_t i = 0; i < block->num_preds; i++)
        block->preds[i]->copy = NULL;
}

/* After a block that nothing reaches, nothing in its region is reached. */
static bool empty_rest(struct ir_region *region)
{
    bool progress = false;
    list_foreach (&region->nodes, struct ir_node, node, link) {
        if (node->kind == IR_IF) {
            progress |= empty_rest(&ir_node_if(node)->then_region);
            progress |= empty_rest(&ir_node_if(node)->else_region);
        } else if (node->kind == IR_LOOP) {
            progress |= empty_rest(&ir_node_loop(node)->body);
            progress |= empty_rest(&ir_node_loop(node)->cont);
        } else if (!ir_node_block(node)->reachable) {
            progress |= ir_node_next(node) || !list_is_empty(&ir_node_block(node)->instrs);
            while (ir_node_next(node))
                ir_remove_node(ir_node_next(node));
            ir_block_clear(ir_node_block(node));
            break;
        }
    }
    return progress;
}

/* A jump that became certain can cut off what lies after it, up to a loop's way back. What is cut off reads only
 * itself: its operands go first. */
static bool drop_unreached(struct ir_shader *shader)
{
    ir_build_cfg(shader);
    ir_foreach_block (shader, block) {
        if (block->reachable) {
            drop_sources(block);
            continue;
        }
        ir_foreach_instr (block, instr) {
            for (uint32_t i = 0; i < instr->num_srcs; i++)
                ir_use_set(&instr->srcs[i], NULL);
            instr->num_srcs = 0;
        }
    }
    return empty_rest(&shader->body);
}

bool opt_dead_flow(struct ir_shader *shader, const void *options)
{
    bool progress = simplify_region(&shader->body);
    progress |= drop_unreached(shader);
    return progress;
}
