/* Loop-invariant code motion: what a loop computes anew in every turn though it never changes moves in front of the
 * loop.
 *
 * Only what stands at the top of the body moves (not what stands in an if inside), so that little work is added; loads
 * move when nothing in the loop can write what they read. A lane that enters the loop executes the first turn up to the
 * first place where it can leave, so the place in front of the loop is as good as that part of the first turn for all
 * but operations between lanes. After such a place a lane may never have come: what stands there moves only where it
 * cannot harm, and a read of memory can, because the test that was passed may have kept it within bounds. */
#include "compiler/ir/opt.h"

struct loop_facts {
    uint16_t writes; /* IR_TOUCH_* of everything in it */
};

static bool is_inside(const struct ir_loop *loop, const struct ir_node *node)
{
    for (; node; node = node->region->owner)
        if (node == &loop->node)
            return true;
    return false;
}

/* Whether a lane that comes to the node may not come to what stands after it: a jump of this loop. Loops inside keep
 * their jumps to themselves. */
static bool can_leave(const struct ir_node *node)
{
    if (node->kind == IR_BLOCK)
        return ir_block_jump(ir_node_block(node)) != NULL;
    if (node->kind == IR_LOOP)
        return false;
    const struct ir_if *branch = ir_node_if(node);
    list_foreach (&branch->then_region.nodes, struct ir_node, inner, link)
        if (can_leave(inner))
            return true;
    list_foreach (&branch->else_region.nodes, struct ir_node, inner, link)
        if (can_leave(inner))
            return true;
    return false;
}

/* Reads that cannot fault even for a lane that the program keeps away from them: descriptor sets and push constants
 * that the code names by constants are bound whenever the shader runs. */
static bool is_harmless(const struct ir_instr *instr)
{
    const struct ir_op_info *info = ir_info(instr);
    if (info->reads & ~(IR_TOUCH_PUSH | IR_TOUCH_DESC | IR_TOUCH_CONST))
        return false;
    for (uint32_t i = 0; i < instr->num_srcs; i++) {
        const struct ir_instr *def = ir_def_instr(ir_src(instr, i));
        const struct ir_value *index = def->op == IR_OP_resource ? ir_src(def, 0) : &def->def;
        if (!ir_is_const(index))
            return false;
    }
    return true;
}

static bool may_move(const struct ir_instr *instr, const struct loop_facts *facts, bool first_block, bool guarded)
{
    const struct ir_op_info *info = ir_info(instr);
    if (!instr->def.bits || instr->op == IR_OP_phi || (info->props & (IR_PROP_EFFECT | IR_PROP_CROSS | IR_PROP_JUMP)))
        return false;
    /* Quads: before the loop all lanes of a quad are there that are in its first block; later some may have left. */
    if ((info->props & IR_PROP_QUAD) && !first_block)
        return false;
    if (instr->op == IR_OP_load_sysval && ir_imm(instr, IR_IMM_SYSVAL) == IR_SYSVAL_helper_invocation)
        return false;
    if (instr->op == IR_OP_const || instr->op == IR_OP_undef)
        return false; /* costs nothing where it is and a register where it would be */
    if (!info->reads)
        return true;
    if (guarded && !is_harmless(instr))
        return false;
    uint32_t access = ir_has_imm(instr, IR_IMM_ACCESS) ? ir_imm(instr, IR_IMM_ACCESS) : 0;
    if (access & (IR_ACCESS_VOLATILE | IR_ACCESS_COHERENT))
        return false;
    return (access & IR_ACCESS_READONLY) || !(info->reads & facts->writes);
}

static bool is_invariant(const struct ir_loop *loop, const struct ir_instr *instr)
{
    for (uint32_t i = 0; i < instr->num_srcs; i++) {
        const struct ir_instr *def = ir_def_instr(ir_src(instr, i));
        if (def->op != IR_OP_const && def->op != IR_OP_undef && is_inside(loop, &def->block->node))
            return false;
    }
    return true;
}

/* A constant that a moved instruction reads must stand before it. */
static void move_instr(struct ir_instr *instr, struct ir_loop *loop, struct ir_block *to)
{
    for (uint32_t i = 0; i < instr->num_srcs; i++) {
        struct ir_instr *def = ir_def_instr(ir_src(instr, i));
        if (is_inside(loop, &def->block->node))
            ir_move_to_end(def, to);
    }
    ir_move_to_end(instr, to);
}

static bool hoist_from(struct ir_loop *loop, const struct loop_facts *facts)
{
    struct ir_block *before = ir_node_block(ir_node_prev(&loop->node));
    bool progress = false, first = true, guarded = false;
    list_foreach (&loop->body.nodes, struct ir_node, node, link) {
        if (node->kind == IR_BLOCK) {
            ir_foreach_instr (ir_node_block(node), instr)
                if (may_move(instr, facts, first, guarded) && is_invariant(loop, instr)) {
                    move_instr(instr, loop, before);
                    progress = true;
                }
            first = false;
        }
        guarded = guarded || can_leave(node);
    }
    return progress;
}

/* Inner loops first: what leaves them may leave the outer one next. What leaves a loop writes nothing: the loop's facts
 * stay as they are. */
static bool hoist_region(struct ir_region *region, struct loop_facts *facts)
{
    bool progress = false;
    list_foreach (&region->nodes, struct ir_node, node, link) {
        if (node->kind == IR_IF) {
            progress |= hoist_region(&ir_node_if(node)->then_region, facts);
            progress |= hoist_region(&ir_node_if(node)->else_region, facts);
        } else if (node->kind == IR_LOOP) {
            struct loop_facts inner = {0};
            progress |= hoist_region(&ir_node_loop(node)->body, &inner);
            progress |= hoist_region(&ir_node_loop(node)->cont, &inner);
            progress |= hoist_from(ir_node_loop(node), &inner);
            facts->writes |= inner.writes;
        } else {
            ir_foreach_instr (ir_node_block(node), instr)
                facts->writes |= ir_info(instr)->writes;
        }
    }
    return progress;
}

bool opt_invariant(struct ir_shader *shader, const void *options)
{
    return hoist_region(&shader->body, &(struct loop_facts){0});
}
