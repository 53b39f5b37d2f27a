/* Calls of functions (function.h) whose addresses may differ between lanes: one address after the other.
 *
 *     if (address != 0) loop { first = read_first(address); if (address == first) { call_one(first); break } }
 *
 * Lanes that wait keep what they have in their registers: a callee leaves lanes alone that are not active. */
#include "amd/compiler/function.h"
#include "amd/compiler/lower_amd.h"

static bool is_call(const struct ir_instr *instr)
{
    return instr->op == IR_OP_stack_call || instr->op == IR_OP_call_one;
}

bool amd_calls(const struct ir_shader *shader)
{
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            if (is_call(instr))
                return true;
        }
    }
    return false;
}

static void lower_call(struct ir_shader *shader, struct ir_instr *call)
{
    struct ir_builder b = ir_builder_before(shader, call);
    struct ir_value *address = ir_src(call, 0);
    ir_builder_push_if(&b, ir_ine(&b, address, ir_const(&b, 64, 0)));
    if (!address->divergent) {
        ir_call_one(&b, address);
    } else {
        ir_builder_push_loop(&b);
        struct ir_value *first =
            ir_pack64(&b, ir_read_first(&b, ir_lo32(&b, address)), ir_read_first(&b, ir_hi32(&b, address)));
        ir_builder_push_if(&b, ir_ieq(&b, address, first));
        ir_call_one(&b, first);
        ir_jump(&b, IR_OP_break);
        ir_builder_pop_if(&b);
        ir_builder_pop_loop(&b);
    }
    ir_builder_pop_if(&b);
    ir_remove(call);
}

bool amd_lower_amd_call(struct ir_shader *shader, const void *options)
{
    bool progress = false;
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op != IR_OP_stack_call)
                continue;
            lower_call(shader, instr);
            progress = true;
            break; /* the rest of the block is another one now */
        }
    }
    (void)options;
    return progress;
}
