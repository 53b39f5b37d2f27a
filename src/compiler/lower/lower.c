/* The walk that most lowering passes are made of. See lower.h. */
#include "compiler/lower/lower.h"

bool lower_instrs(struct ir_shader *shader, lower_function lower)
{
    bool progress = false;
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            struct ir_builder b = ir_builder_before(shader, instr);
            b.flags = instr->flags;
            struct ir_value *result = instr->def.bits ? lower(&b, instr) : NULL;
            if (!result)
                continue;
            ir_replace_uses(&instr->def, result);
            ir_remove(instr);
            progress = true;
        }
    }
    return progress;
}
