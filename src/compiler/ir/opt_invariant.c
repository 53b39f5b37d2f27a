/* Loop-invariant code motion: what a loop computes anew in every turn though it never changes moves in front of the
 * loop.
 *
 * Only what every turn executes moves (not what stands in an if inside), so that no work is added; loads move when
 * nothing in the loop can write what they read. A lane that enters the loop executes the first turn, so the place in
 * front of it is as good as the first turn for all but operations between lanes. */
#include "compiler/ir/opt.h"

struct loop_facts {
    uint16_t writes; /* IR_TOUCH_* of everything in it */
    bool barrier;
};

static void gather(const struct ir_region *region, struct loop_facts *facts)
{
    list_foreach (&region->nodes, struct ir_node, node, link) {
        if (node->kind == IR_IF) {
            gather(&ir_node_if(node)->then_region, facts);
            gather(&ir_node_if(node)->else_region, facts);
        } else if (node->kind == IR_LOOP) {
            gather(&ir_node_loop(node)->body, facts);
            gather(&ir_node_loop(node)->cont, facts);
        } else {
            ir_foreach_instr (ir_node_block(node), instr) {
                facts->writes |= ir_info(instr)->writes;
                facts->barrier |= instr->op == IR_OP_barrier;
            }
        }
    }
}

static bool is_inside(const struct ir_loop *loop, const struct ir_node *node)
{
    for (; node; node = node->region->owner)
        if (node == &loop->node)
            return true;
    return false;
}

static bool may_move(const struct ir_instr *instr, const struct loop_facts *facts, bool first_block)
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
static void move(struct ir_instr *instr, struct ir_loop *loop, struct ir_block *to)
{
    for (uint32_t i = 0; i < instr->num_srcs; i++) {
        struct ir_instr *def = ir_def_instr(ir_src(instr, i));
        if (is_inside(loop, &def->block->node))
            ir_move_to_end(def, to);
    }
    ir_move_to_end(instr, to);
}

static bool hoist_from(struct ir_loop *loop)
{
    struct loop_facts facts = {0};
    gather(&loop->body, &facts);
    gather(&loop->cont, &facts);
    struct ir_block *before = ir_node_block(ir_node_prev(&loop->node));
    bool progress = false, first = true;
    /* Up to the first place where lanes can leave the turn, every block at the top of the body is executed in every
     * turn. */
    list_foreach (&loop->body.nodes, struct ir_node, node, link) {
        if (node->kind == IR_BLOCK) {
            ir_foreach_instr (ir_node_block(node), instr)
                if (may_move(instr, &facts, first) && is_invariant(loop, instr)) {
                    move(instr, loop, before);
                    progress = true;
                }
            first = false;
        }
    }
    return progress;
}

/* Inner loops first: what leaves them may leave the outer one next. */
static bool hoist_region(struct ir_region *region)
{
    bool progress = false;
    list_foreach (&region->nodes, struct ir_node, node, link) {
        if (node->kind == IR_IF) {
            progress |= hoist_region(&ir_node_if(node)->then_region);
            progress |= hoist_region(&ir_node_if(node)->else_region);
        } else if (node->kind == IR_LOOP) {
            progress |= hoist_region(&ir_node_loop(node)->body);
            progress |= hoist_region(&ir_node_loop(node)->cont);
            progress |= hoist_from(ir_node_loop(node));
        }
    }
    return progress;
}

bool opt_invariant(struct ir_shader *shader, const void *options)
{
    return hoist_region(&shader->body);
}
