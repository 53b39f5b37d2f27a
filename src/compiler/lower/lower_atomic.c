/* Atomic operations that a machine lacks, as a loop of compare and exchange, which all have.
 *
 *     old = 0; loop { new = op(old, x); found = exchange(old, new); if (found == old) break; old = found }
 *
 * The first turn guesses zero, which costs no more than a load would. Bits are compared, so that a NaN ends the loop.
 */
#include "compiler/lower/lower.h"

static bool is_missing(const struct ir_target *target, const struct ir_instr *instr)
{
    enum ir_atomic_place place;
    switch (instr->op) {
    case IR_OP_atomic_ssbo:
    case IR_OP_atomic_global:
        place = IR_ATOMIC_IN_BUFFER;
        break;
    case IR_OP_atomic_image:
        place = IR_ATOMIC_IN_IMAGE;
        break;
    case IR_OP_atomic_shared:
        place = IR_ATOMIC_IN_SHARED;
        break;
    default:
        return false;
    }
    return target->lacks_atomic[place][ir_imm(instr, IR_IMM_ATOMIC)] & instr->def.bits;
}

static struct ir_value *combine_values(struct ir_builder *b, uint32_t atomic, struct ir_value *old, struct ir_value *x)
{
    static const uint16_t ops[IR_ATOMIC_COUNT] = {
        [IR_ATOMIC_iadd] = IR_OP_iadd, [IR_ATOMIC_isub] = IR_OP_isub, [IR_ATOMIC_imin] = IR_OP_imin,
        [IR_ATOMIC_imax] = IR_OP_imax, [IR_ATOMIC_umin] = IR_OP_umin, [IR_ATOMIC_umax] = IR_OP_umax,
        [IR_ATOMIC_iand] = IR_OP_iand, [IR_ATOMIC_ior] = IR_OP_ior,   [IR_ATOMIC_ixor] = IR_OP_ixor,
        [IR_ATOMIC_fadd] = IR_OP_fadd, [IR_ATOMIC_fmin] = IR_OP_fmin, [IR_ATOMIC_fmax] = IR_OP_fmax,
    };
    if (atomic == IR_ATOMIC_exchange)
        return x;
    return &ir_build(b, (enum ir_op)ops[atomic], old->bits, 1, 2, (struct ir_value *[]){old, x}, 0, NULL, NULL)->def;
}

/* The operand that is combined is the last. */
static struct ir_value *exchange_value(struct ir_builder *b, const struct ir_instr *instr, struct ir_value *old,
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
    struct ir_value *found = exchange_value(b, instr, old, combine_values(b, ir_imm(instr, IR_IMM_ATOMIC), old, x));
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
static void lower_instr(struct ir_shader *shader, struct ir_instr *instr)
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

bool lower_atomic(struct ir_shader *shader, const void *options)
{
    (void)options;
    bool progress = false;
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            if (!is_missing(shader->target, instr))
                continue;
            lower_instr(shader, instr);
            progress = true;
            break; /* the rest of the block is another one now */
        }
    }
    return progress;
}
