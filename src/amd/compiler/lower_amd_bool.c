/* Booleans that cannot be lane masks. A mask is a scalar: where lanes meet it would have to be put together of parts,
 * and after a loop the lanes that left early have lost their bits. So a phi of one bit becomes one of 32; so does a
 * value that is read after the loop that made it; and lane operations move 32 bits. */
#include "amd/compiler/lower_amd.h"

static struct ir_value *as_number(struct ir_shader *shader, struct ir_value *value)
{
    struct ir_builder b = ir_builder_after(shader, ir_def_instr(value));
    return ir_b2i(&b, 32, value);
}

static struct ir_value *as_bool(struct ir_builder *b, struct ir_value *number)
{
    return ir_ine(b, number, ir_const(b, 32, 0));
}

static void lower_phi(struct ir_shader *shader, struct ir_instr *phi)
{
    struct ir_builder b = ir_builder_after(shader, phi);
    struct ir_value *wide = ir_phi(&b, 32, phi->def.comps);
    struct ir_instr *wide_phi = ir_def_instr(wide);
    struct ir_builder at_start = ir_builder_at_start(shader, phi->block);
    struct ir_value *narrow = as_bool(&at_start, wide);
    for (uint32_t i = 0; i < phi->num_srcs; i++) {
        struct ir_value *source = ir_src(phi, i);
        struct ir_builder end = ir_builder_at_end(shader, phi->preds[i]);
        struct ir_value *number = source == &phi->def   ? wide
                                  : ir_is_const(source) ? ir_const(&end, 32, ir_const_u64(source) & 1)
                                                        : ir_b2i(&end, 32, source);
        ir_phi_add(shader, wide_phi, phi->preds[i], number);
    }
    ir_replace_uses(&phi->def, narrow);
    ir_remove(phi);
}

static bool outlives_loop(const struct ir_instr *instr, const struct ir_use *use)
{
    const struct ir_node *reader = use->instr ? &use->instr->block->node : use->node;
    const struct ir_loop *loop = instr->block->node.region->loop; /* who is out of any loop is out of the innermost */
    return loop && !(use->instr && use->instr->op == IR_OP_phi) && !ir_loop_has(loop, reader->region->loop);
}

static bool lower_long_lived(struct ir_shader *shader, struct ir_instr *instr)
{
    struct ir_value *number = NULL;
    ir_foreach_use (&instr->def, use) {
        if (!outlives_loop(instr, use))
            continue;
        if (!number)
            number = as_number(shader, &instr->def);
        struct ir_builder b = use->instr ? ir_builder_before(shader, use->instr)
                                         : ir_builder_at_end(shader, ir_node_block(ir_node_prev(use->node)));
        ir_use_set(use, as_bool(&b, number));
    }
    return number != NULL;
}

static bool is_lane_move(const struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_read_first:
    case IR_OP_read_lane:
    case IR_OP_shuffle:
    case IR_OP_shuffle_xor:
    case IR_OP_shuffle_up:
    case IR_OP_shuffle_down:
    case IR_OP_rotate:
    case IR_OP_quad_read:
    case IR_OP_quad_swap:
    case IR_OP_reduce:
    case IR_OP_scan_inclusive:
    case IR_OP_scan_exclusive:
    case IR_OP_vote_eq:
        return instr->num_srcs && ir_src(instr, 0)->bits == 1;
    default:
        return false;
    }
}

/* The reduction of 0 and 1 is one of numbers; sums and products of one bit are xor and and. */
static uint32_t wide_reduction(uint32_t reduction)
{
    switch (reduction) {
    case IR_REDUCTION_iadd:
        return IR_REDUCTION_ixor;
    case IR_REDUCTION_imul:
    case IR_REDUCTION_umin:
    case IR_REDUCTION_imax:
        return IR_REDUCTION_iand;
    case IR_REDUCTION_umax:
    case IR_REDUCTION_imin:
        return IR_REDUCTION_ior;
    default:
        return reduction;
    }
}

static void lower_lane_move(struct ir_shader *shader, struct ir_instr *instr)
{
    struct ir_builder b = ir_builder_before(shader, instr);
    struct ir_value *srcs[4] = {ir_b2i(&b, 32, ir_src(instr, 0))};
    for (uint32_t i = 1; i < instr->num_srcs; i++)
        srcs[i] = ir_src(instr, i);
    bool vote = instr->op == IR_OP_vote_eq;
    struct ir_instr *wide = ir_build(&b, instr->op, vote ? 1 : 32, 1, instr->num_srcs, srcs, 0, NULL, instr->imm);
    wide->flags = instr->flags;
    if (ir_has_imm(wide, IR_IMM_REDUCTION))
        ir_set_imm(wide, IR_IMM_REDUCTION, wide_reduction(ir_imm(wide, IR_IMM_REDUCTION)));
    ir_replace_uses(&instr->def, vote ? &wide->def : as_bool(&b, &wide->def));
    ir_remove(instr);
}

bool amd_lower_amd_bool(struct ir_shader *shader, const void *options)
{
    (void)options;
    bool progress = false;
    ir_note_loops(shader);
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op == IR_OP_phi && instr->def.bits == 1) {
                lower_phi(shader, instr);
                progress = true;
            } else if (is_lane_move(instr)) {
                lower_lane_move(shader, instr);
                progress = true;
            }
        }
    }
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            if (instr->def.bits == 1 && instr->op != IR_OP_const && instr->op != IR_OP_undef)
                progress |= lower_long_lived(shader, instr);
        }
    }
    return progress;
}
