/* Who is a helper, where the hardware does not say who was demoted since the program began. See lower.h. */
#include "compiler/lower/lower.h"

static bool reads_helper(const struct ir_instr *instr)
{
    return instr->op == IR_OP_load_sysval && ir_imm(instr, IR_IMM_SYSVAL) == IR_SYSVAL_helper_invocation;
}

static void add_demoted(struct ir_shader *shader, struct ir_instr *demote, const struct ir_var *helper)
{
    struct ir_builder b = ir_builder_before(shader, demote);
    struct ir_value *zero = ir_const(&b, 32, 0), *before = ir_load_var(&b, 1, 1, zero, helper->index);
    ir_store_var(&b, ir_ior(&b, before, ir_src(demote, 0)), zero, helper->index);
}

/* A helper begins without samples; the hardware does not say who was demoted since. */
bool lower_helper(struct ir_shader *shader, const void *options)
{
    bool is_read = false;
    (void)options;
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr)
            is_read |= reads_helper(instr);
    }
    if (!is_read)
        return false;
    struct ir_var *helper = ir_var_create(shader, 1, 1, "helper");
    ir_foreach_block (shader, block) {
        for (struct list *link = block->instrs.next, *next; link != &block->instrs; link = next) {
            struct ir_instr *instr = container_of(link, struct ir_instr, link);
            next = link->next;
            if (instr->op == IR_OP_demote)
                add_demoted(shader, instr, helper);
            if (!reads_helper(instr))
                continue;
            struct ir_builder b = ir_builder_before(shader, instr);
            ir_replace_uses(&instr->def, ir_load_var(&b, 1, 1, ir_const(&b, 32, 0), helper->index));
            ir_remove(instr);
        }
    }
    struct ir_builder b = ir_builder_at_start(shader, ir_region_first(&shader->body));
    struct ir_value *mask = ir_load_sysval(&b, 32, 1, IR_SYSVAL_sample_mask_in);
    ir_store_var(&b, ir_ieq(&b, mask, ir_const(&b, 32, 0)), ir_const(&b, 32, 0), helper->index);
    return true;
}
