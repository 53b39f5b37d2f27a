/* Inputs that are arrays and are indexed by computed numbers, where no instruction finds an attribute by a number: all
 * elements are loaded and one is chosen. */
#include "compiler/lower/lower.h"
#include "util/bits.h"

/* How many locations there are from the one that the instruction names to the end of its array. */
static uint32_t locations_from(const struct ir_shader *shader, uint32_t location)
{
    for (uint32_t i = 0; i < shader->num_inputs; i++) {
        const struct ir_io_var *input = &shader->inputs[i];
        uint32_t count = MAX2(input->num_locations, 1u);
        if (location >= input->location && location < input->location + count)
            return input->location + count - location;
    }
    return 0;
}

static struct ir_value *load_element(struct ir_builder *b, const struct ir_instr *instr, unsigned operand,
                                     uint32_t element)
{
    struct ir_value *srcs[3];
    for (uint32_t i = 0; i < instr->num_srcs; i++)
        srcs[i] = i == operand ? ir_const(b, 32, element) : ir_src(instr, i);
    return &ir_build(b, instr->op, instr->def.bits, instr->def.comps, instr->num_srcs, srcs, 0, NULL, instr->imm)->def;
}

static struct ir_value *choose_value(struct ir_builder *b, struct ir_value *condition, struct ir_value *yes,
                                     struct ir_value *no)
{
    struct ir_value *comps[IR_MAX_COMPS];
    for (unsigned i = 0; i < yes->comps; i++)
        comps[i] = ir_select(b, condition, ir_extract(b, yes, i), ir_extract(b, no, i));
    return ir_vec(b, yes->comps, comps);
}

static struct ir_value *lower_instr(struct ir_builder *b, struct ir_instr *instr)
{
    unsigned operand;
    switch (instr->op) {
    case IR_OP_load_input:
        operand = 0;
        break;
    case IR_OP_load_interp:
    case IR_OP_load_input_vertex:
        operand = 1;
        break;
    default:
        return NULL;
    }
    struct ir_value *index = ir_src(instr, operand), *result = NULL;
    if (ir_is_const(index))
        return NULL;
    uint32_t count = locations_from(b->shader, ir_imm(instr, IR_IMM_LOCATION));
    if (count == 0 || count > 64)
        ir_fail(b->shader, "an input that is indexed by a computed number, of unknown length");
    for (uint32_t i = 0; i < count; i++) {
        struct ir_value *element = load_element(b, instr, operand, i);
        result = result ? choose_value(b, ir_ieq(b, index, ir_const(b, 32, i)), element, result) : element;
    }
    return result;
}

bool lower_inputs(struct ir_shader *shader, const void *options)
{
    (void)options;
    return shader->target->lacks_indexed_inputs && lower_instrs(shader, lower_instr);
}
