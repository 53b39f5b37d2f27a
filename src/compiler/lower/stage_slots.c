/* See stage_slots.h. */
#include "compiler/lower/stage_slots.h"

#include <string.h>

static void mark_slots(const struct ir_shader *shader, const struct ir_instr *instr, const struct ir_value *offset,
                       bool is_patch, bool is_output, bool is_used[STAGE_LOCATIONS])
{
    const struct ir_io_var *vars = is_output ? shader->outputs : shader->inputs;
    const uint32_t count = is_output ? shader->num_outputs : shader->num_inputs;
    is_used[stage_location(instr, offset)] = true;
    if (ir_is_const(offset))
        return;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t n = 0; vars[i].patch == is_patch && n < vars[i].num_locations; n++) {
            if (vars[i].location + n < STAGE_LOCATIONS)
                is_used[vars[i].location + n] = true;
        }
    }
}

uint32_t stage_slots_of_loads(const struct ir_shader *shader, enum ir_op load, uint32_t offset, bool is_patch,
                              uint8_t slots_out[STAGE_LOCATIONS])
{
    const bool is_output = load == IR_OP_load_output || load == IR_OP_load_vertex_output;
    bool is_used[STAGE_LOCATIONS] = {false};
    uint32_t count = 0;
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op == load)
                mark_slots(shader, instr, ir_src(instr, offset), is_patch, is_output, is_used);
        }
    }
    for (uint32_t i = 0; i < STAGE_LOCATIONS; i++)
        slots_out[i] = is_used[i] ? (uint8_t)count++ : STAGE_NO_SLOT;
    return count;
}

void stage_slots_note_stores(const struct ir_shader *shader, uint8_t stored_out[STAGE_LOCATIONS])
{
    memset(stored_out, 0, STAGE_LOCATIONS);
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op != IR_OP_store_output)
                continue;
            const uint32_t location = stage_location(instr, ir_src(instr, 1)), first = ir_imm(instr, IR_IMM_COMP);
            for (uint32_t i = 0; i < stage_dwords(ir_src(instr, 0)) && first + i < 4; i++)
                stored_out[location] |= (uint8_t)(1u << (first + i));
        }
    }
}

/* The third coordinate of a triangle follows from the others, exactly: all of them are multiples of 2^-16. */
struct ir_value *stage_tess_coord(struct ir_builder *b, unsigned domain)
{
    struct ir_value *point = ir_tess_point(b), *u = ir_extract(b, point, 0), *v = ir_extract(b, point, 1);
    struct ir_value *w = ir_const(b, 32, 0);
    if (domain == IR_PRIMITIVE_triangles)
        w = ir_fadd(b, ir_const_f(b, 32, 1), ir_fneg(b, ir_fadd(b, u, v)));
    return ir_vec(b, 3, (struct ir_value *[]){u, v, w});
}
