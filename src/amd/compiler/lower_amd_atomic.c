/* Atomic additions of floats, which GFX10.3 has in shared memory at 32 bits only: elsewhere a loop of compare and
 * exchange.
 *
 *     old = 0; loop { new = old + x; found = exchange(old, new); if (found == old) break; old = found }
 *
 * The first turn guesses zero, which costs no more than a load would. Bits are compared, so that a NaN ends the loop.
 */
#include "amd/compiler/lower_amd.h"

static bool is_missing(const struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_atomic_ssbo:
    case IR_OP_atomic_global:
    case IR_OP_atomic_image:
        return ir_imm(instr, IR_IMM_ATOMIC) == IR_ATOMIC_fadd;
    case IR_OP_atomic_shared:
        return ir_imm(instr, IR_IMM_ATOMIC) == IR_ATOMIC_fadd && instr->def.bits == 64;
    default:
        return false;
    }
}

/* The operand that is added is the last. */
static struct ir_value *exchange(struct ir_builder *b, const struct ir_instr *instr, struct ir_value *old,
                                 struct ir_value *new)
{
    b->flags = instr->flags;
    switch (instr->op) {
    case IR_OP_atomic_ssbo:
        return ir_cmpxchg_ssbo(b, ir_src(instr, 0), ir_src(instr, 1), old, new, ir_imm(instr, IR_IMM_BASE),
                               ir_imm(instr, IR_IMM_ACCESS));
    case IR_OP_atomic_global:
        return ir_cmpxchg_global(b, ir_src(instr, 0), old, new, ir_imm(instr, IR_IMM_BASE),
                                 ir_imm(instr, IR_IMM_ACCESS));
    case IR_OP_atomic_image:
        return ir_cmpxchg_image(b, ir_src(instr, 0), ir_src(instr, 1), old, new, ir_imm(instr, IR_IMM_DIM),
                                ir_imm(instr, IR_IMM_ARRAY), ir_imm(instr, IR_IMM_FORMAT),
                                ir_imm(instr, IR_IMM_ACCESS));
    default:
        return ir_cmpxchg_shared(b, ir_src(instr, 0), old, new, ir_imm(instr, IR_IMM_BASE));
    }
}

static struct ir_value *build_loop(struct ir_builder *b, const struct ir_instr *instr)
{
    struct ir_shader *shader = b->shader;
    struct ir_value *start = ir_const(b, instr->def.bits, 0);
    struct ir_block *before = b->block;
    ir_builder_push_loop(b);
    struct ir_value *old = ir_phi(b, instr->def.bits, 1), *x = ir_src(instr, instr->num_srcs - 1u);
    b->flags = 0;
    struct ir_value *found = exchange(b, instr, old, ir_fadd(b, old, x));
    b->flags = 0;
    ir_builder_push_if(b, ir_ieq(b, found, old));
    ir_jump(b, IR_OP_break);
    ir_builder_pop_if(b);
    ir_builder_push_cont(b);
    struct ir_block *last = b->block;
    ir_builder_pop_loop(b);
    ir_phi_add(shader, ir_def_instr(old), before, start);
    ir_phi_add(shader, ir_def_instr(old), last, found);
    return found;
}

/* Helper lanes write nothing, so that what they find would never be what they expect: they stay out. */
static void lower(struct ir_shader *shader, struct ir_instr *instr)
{
    struct ir_builder b = ir_builder_before(shader, instr);
    struct ir_value *result;
    if (shader->stage == IR_STAGE_fragment) {
        struct ir_value *counts = ir_inot(&b, ir_load_sysval(&b, 1, 1, IR_SYSVAL_helper_invocation)),
                        *nothing = ir_const(&b, instr->def.bits, 0);
        struct ir_if *branch = ir_builder_push_if(&b, counts);
        result = build_loop(&b, instr);
        ir_builder_pop_if(&b);
        result = ir_if_phi(&b, branch, result, nothing);
    } else {
        result = build_loop(&b, instr);
    }
    ir_replace_uses(&instr->def, result);
    ir_remove(instr);
}

bool amd_lower_amd_atomic(struct ir_shader *shader, const void *options)
{
    (void)options;
    bool progress = false;
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            if (!is_missing(instr))
                continue;
            lower(shader, instr);
            progress = true;
            break; /* the rest of the block is another one now */
        }
    }
    return progress;
}
