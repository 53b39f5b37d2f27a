/* Dead code: an instruction stays when it has an effect, or when something that stays reads it. Everything is taken for
 * dead until proved alive, so that phis of a loop that only feed each other go, too. Empty variables' stores go with
 * their last load. */
#include "compiler/ir/opt.h"

struct work {
    struct ir_instr **stack;
    uint32_t count;
};

static void keep_instr(struct work *work, struct ir_instr *instr)
{
    if (instr->pass_flags)
        return;
    instr->pass_flags = 1;
    work->stack[work->count++] = instr;
}

static bool has_effect(const struct ir_instr *instr, const bool *var_read)
{
    if (instr->op == IR_OP_store_var)
        return var_read[ir_imm(instr, IR_IMM_VAR)];
    return ir_info(instr)->props & (IR_PROP_EFFECT | IR_PROP_JUMP);
}

static void keep_conditions(struct work *work, const struct ir_region *region)
{
    list_foreach (&region->nodes, struct ir_node, node, link) {
        if (node->kind == IR_IF) {
            struct ir_if *branch = ir_node_if(node);
            keep_instr(work, ir_def_instr(branch->condition.value));
            keep_conditions(work, &branch->then_region);
            keep_conditions(work, &branch->else_region);
        } else if (node->kind == IR_LOOP) {
            keep_conditions(work, &ir_node_loop(node)->body);
            keep_conditions(work, &ir_node_loop(node)->cont);
        }
    }
}

bool opt_dead_code(struct ir_shader *shader, const void *options)
{
    uint32_t total = 0;
    bool *var_read = ir_alloc_scratch(shader, shader->num_vars + 1);
    ir_foreach_block (shader, block)
        ir_foreach_instr (block, instr) {
            total++;
            instr->pass_flags = 0;
            if (instr->op == IR_OP_load_var)
                var_read[ir_imm(instr, IR_IMM_VAR)] = true;
        }
    struct work work = {ir_alloc_scratch(shader, (total + 1) * sizeof(struct ir_instr *)), 0};
    keep_conditions(&work, &shader->body);
    ir_foreach_block (shader, block)
        ir_foreach_instr (block, instr)
            if (has_effect(instr, var_read))
                keep_instr(&work, instr);
    while (work.count) {
        struct ir_instr *instr = work.stack[--work.count];
        for (uint32_t i = 0; i < instr->num_srcs; i++)
            keep_instr(&work, ir_def_instr(ir_src(instr, i)));
    }

    /* Dead instructions may read each other in a circle: drop what they read first. */
    struct ir_instr **dead = work.stack;
    uint32_t num_dead = 0;
    ir_foreach_block (shader, block)
        ir_foreach_instr (block, instr)
            if (!instr->pass_flags)
                dead[num_dead++] = instr;
    for (uint32_t i = 0; i < num_dead; i++) {
        for (uint32_t s = 0; s < dead[i]->num_srcs; s++)
            ir_use_set(&dead[i]->srcs[s], NULL);
        dead[i]->num_srcs = 0;
    }
    for (uint32_t i = 0; i < num_dead; i++)
        ir_remove(dead[i]);
    return num_dead > 0;
}
