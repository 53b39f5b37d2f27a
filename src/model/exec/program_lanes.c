/* Values in some lanes alone: choices that these lanes have made already are left out. So an operation for some
 * lanes does not wait for values of others. */
#include "model/exec/program.h"

#define DEPTH 8 /* of masks made of masks that is looked at */

/* Whether a lane mask is a part of another one. */
static bool is_part(const struct lane_program *b, jit_value mask, jit_value of, unsigned depth)
{
    const struct jit_inst *inst = &b->insts[mask];
    if (mask == of)
        return true;
    if (!depth)
        return false;
    if (inst->op == JIT_AND)
        return is_part(b, inst->a, of, depth - 1) || is_part(b, inst->b, of, depth - 1);
    return inst->op == JIT_ANDN && is_part(b, inst->a, of, depth - 1);
}

/* Whether two lane masks have no lane in common. */
static bool is_apart(const struct lane_program *b, jit_value mask, jit_value from, unsigned depth)
{
    const struct jit_inst *inst = &b->insts[mask];
    if (!depth)
        return false;
    if (inst->op == JIT_NOT)
        return is_part(b, from, inst->a, depth - 1);
    if (inst->op == JIT_AND)
        return is_apart(b, inst->a, from, depth - 1) || is_apart(b, inst->b, from, depth - 1);
    return inst->op == JIT_ANDN && (is_part(b, from, inst->b, depth - 1) || is_apart(b, inst->a, from, depth - 1));
}

jit_value lane_program_in_lanes(const struct lane_program *b, jit_value value, jit_value lanes)
{
    while (b->insts[value].op == JIT_SELECT) {
        const struct jit_inst *inst = &b->insts[value];
        if (is_part(b, lanes, inst->a, DEPTH))
            value = inst->b;
        else if (is_apart(b, lanes, inst->a, DEPTH))
            value = inst->c;
        else
            break;
    }
    return value;
}
