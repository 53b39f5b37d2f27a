/* If-conversion: a short if without effects becomes selects, for a branch costs more than a few instructions that every
 * lane can do.
 *
 * Legal because what is moved has no effect, cannot fault and does not ask which lanes are active: a lane that would
 * not have come here computes a value that its select does not take. */
#include "compiler/ir/ir_builder.h"
#include "compiler/ir/opt.h"
#include "compiler/ir/target.h"

/* Cost in instructions, or -1 where it may not move. */
static int cost(const struct ir_target *target, const struct ir_instr *instr)
{
    const struct ir_op_info *info = ir_info(instr);
    if (instr->op == IR_OP_phi || (info->props & (IR_PROP_EFFECT | IR_PROP_CROSS | IR_PROP_QUAD | IR_PROP_JUMP)) ||
        info->reads || info->writes)
        return -1;
    switch (instr->op) {
    case IR_OP_const:
    case IR_OP_undef:
    case IR_OP_vec:
    case IR_OP_extract:
    case IR_OP_fneg:
    case IR_OP_fabs:
        return 0;
    case IR_OP_idiv:
    case IR_OP_udiv:
    case IR_OP_irem:
    case IR_OP_imod:
    case IR_OP_umod:
        return target->divide_cost;
    case IR_OP_fdiv:
    case IR_OP_frem:
    case IR_OP_fmod:
        return target->float_divide_cost;
    default:
        return instr->def.bits == 64 ? target->wide_cost : 1;
    }
}

static int region_cost(const struct ir_target *target, const struct ir_region *region)
{
    const struct ir_block *block = ir_region_first(region);
    if (block != ir_region_last(region))
        return -1;
    int sum = 0;
    ir_foreach_instr (block, instr) {
        int one = cost(target, instr);
        if (one < 0)
            return -1;
        sum += one;
    }
    return sum;
}

/* Both sides together are worth no branch. The program's hint overrules. */
static bool is_cheap(const struct ir_target *target, const struct ir_if *branch)
{
    int then_cost = region_cost(target, &branch->then_region), else_cost = region_cost(target, &branch->else_region);
    if (then_cost < 0 || else_cost < 0 || branch->dont_flatten)
        return false;
    return then_cost + else_cost <= (branch->flatten ? target->flatten_cost : target->branch_cost);
}

static void hoist_region(struct ir_block *to, struct ir_region *region)
{
    ir_foreach_instr (ir_region_first(region), instr)
        ir_move_to_end(instr, to);
}

static void convert_branch(struct ir_shader *shader, struct ir_if *branch)
{
    struct ir_block *head = ir_node_block(ir_node_prev(&branch->node)),
                    *behind = ir_node_block(ir_node_next(&branch->node));
    struct ir_block *then_end = ir_region_last(&branch->then_region), *else_end = ir_region_last(&branch->else_region);
    struct ir_value *condition = branch->condition.value;
    hoist_region(head, &branch->then_region);
    hoist_region(head, &branch->else_region);
    struct ir_builder b = ir_builder_at_end(shader, head);
    ir_foreach_phi (behind, phi) {
        struct ir_value *yes = ir_phi_source(phi, then_end), *no = ir_phi_source(phi, else_end);
        struct ir_value *comps[IR_MAX_COMPS];
        for (uint32_t i = 0; i < phi->def.comps; i++)
            comps[i] = ir_select(&b, condition, ir_extract(&b, yes, i), ir_extract(&b, no, i));
        ir_replace_uses(&phi->def, ir_vec(&b, phi->def.comps, comps));
        ir_remove(phi);
    }
    ir_remove_node(&branch->node);
}

static bool convert_region(struct ir_shader *shader, struct ir_region *region)
{
    bool progress = false;
    list_foreach (&region->nodes, struct ir_node, node, link) {
        if (node->kind == IR_IF) {
            progress |= convert_region(shader, &ir_node_if(node)->then_region);
            progress |= convert_region(shader, &ir_node_if(node)->else_region);
        } else if (node->kind == IR_LOOP) {
            progress |= convert_region(shader, &ir_node_loop(node)->body);
            progress |= convert_region(shader, &ir_node_loop(node)->cont);
        }
    }
    /* A conversion joins the block after the if to the one before it, from which the walk goes on. */
    for (struct ir_node *node = &ir_region_first(region)->node, *before = NULL; node; node = ir_node_next(node)) {
        if (node->kind == IR_IF && is_cheap(shader->target, ir_node_if(node))) {
            convert_branch(shader, ir_node_if(node));
            progress = true;
            node = before;
        }
        before = node;
    }
    return progress;
}

bool opt_if_convert(struct ir_shader *shader, const void *options)
{
    return convert_region(shader, &shader->body);
}
