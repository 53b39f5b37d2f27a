/* Which values may differ between the lanes of a wave that are active where the value is made: ir_value.divergent.
 *
 * A difference has three sources. A lane's own number or memory, and whatever is computed from it. Joins of control
 * flow: a phi after an if whose condition differs, in the continue part of a loop that some lanes continue early, after
 * a loop that lanes leave at different turns. And time: a value made in such a loop is the same for all lanes of one
 * turn, but a reader after the loop sees that of each lane's last turn, so it counts as divergent as a whole.
 *
 * The answer grows from "all are uniform" until nothing changes: the largest set of uniform values that is consistent.
 */
#include "compiler/ir/ir.h"

static bool sysval_differs(enum ir_sysval sysval)
{
    switch (sysval) {
    case IR_SYSVAL_base_vertex:
    case IR_SYSVAL_base_instance:
    case IR_SYSVAL_draw_index:
    case IR_SYSVAL_view_index:
    case IR_SYSVAL_device_index:
    case IR_SYSVAL_workgroup_id:
    case IR_SYSVAL_num_workgroups:
    case IR_SYSVAL_workgroup_base:
    case IR_SYSVAL_subgroup_size:
    case IR_SYSVAL_subgroup_id:
    case IR_SYSVAL_num_subgroups:
    case IR_SYSVAL_patch_vertices:
    case IR_SYSVAL_xfb_config:
    case IR_SYSVAL_xfb_first:
    case IR_SYSVAL_xfb_bases:
    case IR_SYSVAL_launch_size:
        return false;
    default:
        return true;
    }
}

static bool any_source_differs(const struct ir_instr *instr)
{
    for (uint32_t i = 0; i < instr->num_srcs; i++) {
        if (ir_src(instr, i)->divergent)
            return true;
    }
    return false;
}

static bool result_differs(const struct ir_instr *instr)
{
    const struct ir_op_info *info = ir_info(instr);
    if (info->props & IR_PROP_UNIFORM)
        return false;
    if (info->props & IR_PROP_DIVERGENT)
        return true;
    switch (instr->op) {
    case IR_OP_load_sysval:
        return sysval_differs(ir_imm(instr, IR_IMM_SYSVAL));
    case IR_OP_load_var:
        return true; /* each invocation has its own */
    case IR_OP_reduce:
        return ir_imm(instr, IR_IMM_CLUSTER) != 0 && any_source_differs(instr);
    default:
        return any_source_differs(instr);
    }
}

/* ---- control flow ---- */

static bool if_differs(const struct ir_node *node)
{
    return ir_node_if(node)->condition.value->divergent;
}

/* Whether jumps of the loop around this region lie under a divergent if. `only`: of this operation; IR_OP_COUNT: of
 * both. */
static bool jumps_differ(const struct ir_region *region, bool under, unsigned only)
{
    list_foreach (&region->nodes, struct ir_node, node, link) {
        if (node->kind == IR_BLOCK) {
            const struct ir_instr *jump = ir_block_jump(ir_node_block(node));
            if (under && jump && (only == IR_OP_COUNT || jump->op == only))
                return true;
        } else if (node->kind == IR_IF) {
            bool inside = under || if_differs(node);
            if (jumps_differ(&ir_node_if(node)->then_region, inside, only) ||
                jumps_differ(&ir_node_if(node)->else_region, inside, only))
                return true;
        }
    }
    return false;
}

static bool loop_differs(const struct ir_loop *loop)
{
    return jumps_differ(&loop->body, false, IR_OP_COUNT) || jumps_differ(&loop->cont, false, IR_OP_COUNT);
}

static bool same_sources(const struct ir_instr *phi)
{
    const struct ir_value *first = NULL;
    for (uint32_t i = 0; i < phi->num_srcs; i++) {
        const struct ir_value *source = ir_src(phi, i);
        if (source == &phi->def || ir_is_undef(source))
            continue;
        if (first && source != first)
            return false;
        first = source;
    }
    return true;
}

/* Whether lanes can reach this block by different paths, or at different times. */
static bool lanes_meet_at(const struct ir_block *block, const struct ir_node **loop_out)
{
    *loop_out = NULL;
    const struct ir_node *before = ir_node_prev(&block->node), *owner = block->node.region->owner;
    if (before && before->kind == IR_IF)
        return if_differs(before);
    if (before && before->kind == IR_LOOP) {
        *loop_out = before;
        return ir_node_loop(before)->differs;
    }
    if (!before && owner && owner->kind == IR_LOOP && block->node.region == &ir_node_loop(owner)->cont)
        return ir_node_loop(owner)->continue_differs;
    return false;
}

static bool phi_differs(const struct ir_instr *phi)
{
    const struct ir_node *loop;
    if (any_source_differs(phi))
        return true;
    if (!lanes_meet_at(phi->block, &loop))
        return false;
    if (!same_sources(phi))
        return true;
    /* One value from everywhere; but made inside the loop, it is that of each lane's last turn. */
    for (uint32_t i = 0; loop && i < phi->num_srcs; i++) {
        if (ir_loop_has(ir_node_loop(loop), ir_def_instr(ir_src(phi, i))->block->node.region->loop))
            return true;
    }
    return false;
}

/* Where a value is read: of a phi, the end of the block that it comes from. */
static const struct ir_node *reader_of(const struct ir_use *use)
{
    if (!use->instr)
        return use->node;
    if (use->instr->op == IR_OP_phi)
        return &use->instr->preds[use - use->instr->srcs]->node;
    return &use->instr->block->node;
}

/* A reader outside a loop whose lanes leave one after the other. The phis at its exit read inside and are judged for
 * themselves. */
bool ir_read_behind_loop(const struct ir_instr *instr)
{
    const struct ir_loop *innermost = instr->block->node.region->loop;
    if (!innermost)
        return false;
    ir_foreach_use (&instr->def, use) {
        const struct ir_loop *reader = reader_of(use)->region->loop;
        for (const struct ir_loop *loop = innermost; loop && !ir_loop_has(loop, reader);
             loop = loop->node.region->loop) {
            if (loop->differs)
                return true;
        }
    }
    return false;
}

/* The walk comes from a loop's body to its continue part, or from the loop to what follows it: what is known of its
 * jumps now. */
static bool note_loop(const struct ir_block *block)
{
    const struct ir_node *before = ir_node_prev(&block->node);
    const struct ir_region *region = block->node.region;
    bool changed = false;
    if (before && before->kind == IR_LOOP && !ir_node_loop(before)->differs) {
        changed = loop_differs(ir_node_loop(before));
        ir_node_loop(before)->differs = changed;
    }
    if (!before && region->owner && region->owner->kind == IR_LOOP && region == &ir_node_loop(region->owner)->cont) {
        struct ir_loop *loop = ir_node_loop(region->owner);
        if (!loop->continue_differs)
            loop->continue_differs = jumps_differ(&loop->body, false, IR_OP_continue);
    }
    return changed;
}

void ir_analyse_divergence(struct ir_shader *shader)
{
    ir_note_loops(shader);
    ir_foreach_block (shader, block) {
        struct ir_node *next = ir_node_next(&block->node);
        if (next && next->kind == IR_LOOP)
            ir_node_loop(next)->differs = ir_node_loop(next)->continue_differs = false;
        ir_foreach_instr (block, instr)
            instr->def.divergent = false;
    }
    for (bool changed = true; changed;) {
        changed = false;
        ir_foreach_block (shader, block) {
            changed |= note_loop(block); /* values in the loop, which the walk has passed, look at it, too */
            bool in_loop = block->node.region->loop != NULL;
            ir_foreach_instr (block, instr) {
                if (!instr->def.bits || instr->def.divergent || instr->op == IR_OP_const)
                    continue;
                bool differs = (instr->op == IR_OP_phi ? phi_differs(instr) : result_differs(instr)) ||
                               (in_loop && ir_read_behind_loop(instr));
                instr->def.divergent = differs;
                changed |= differs;
            }
        }
    }
    shader->divergence_valid = true;
}

/* ---- where an instruction stands ---- */

static bool some_lanes_jump(const struct ir_region *region, bool under)
{
    list_foreach (&region->nodes, struct ir_node, node, link) {
        if (node->kind == IR_BLOCK) {
            if (under && ir_block_jump(ir_node_block(node)))
                return true;
        } else if (node->kind == IR_IF) {
            bool inside = under || ir_node_if(node)->condition.value->divergent;
            if (some_lanes_jump(&ir_node_if(node)->then_region, inside) ||
                some_lanes_jump(&ir_node_if(node)->else_region, inside))
                return true;
        }
    }
    return false;
}

bool ir_lanes_are_elsewhere(const struct ir_instr *instr)
{
    for (const struct ir_node *owner = instr->block->node.region->owner; owner; owner = owner->region->owner) {
        if (owner->kind == IR_IF && ir_node_if(owner)->condition.value->divergent)
            return true;
        if (owner->kind == IR_LOOP &&
            (some_lanes_jump(&ir_node_loop(owner)->body, false) || some_lanes_jump(&ir_node_loop(owner)->cont, false)))
            return true;
    }
    return false;
}
