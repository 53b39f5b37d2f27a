/* Variables that are left, those with computed indices, go to private memory: each gets its place there, and its
 * accesses become loads and stores by byte. An index outside is cut to the last element: other variables, and other
 * invocations' memory, are not to be touched. */
#include "compiler/ir/ir_builder.h"
#include "compiler/ir/opt.h"

/* Memory has no single bits: a boolean takes a word. */
static uint32_t element_size_B(uint8_t bits)
{
    return bits == 1 ? 4 : bits / 8;
}

static struct ir_value *byte_offset(struct ir_builder *b, struct ir_value *index, uint32_t size_B)
{
    return size_B == 1 ? index : ir_ishl(b, index, ir_const(b, 32, (uint32_t)__builtin_ctz(size_B)));
}

static void lower_load(struct ir_shader *shader, struct ir_instr *load, const struct ir_var *var)
{
    struct ir_builder b = ir_builder_before(shader, load);
    uint32_t size_B = element_size_B(var->bits);
    if (load->def.comps > var->length) { /* nothing lies there */
        ir_replace_uses(&load->def, ir_undef(&b, load->def.bits, load->def.comps));
        ir_remove(load);
        return;
    }
    struct ir_value *index = ir_bounded_index(&b, ir_src(load, 0), var->length - load->def.comps),
                    *offset = byte_offset(&b, index, size_B);
    struct ir_value *value =
        ir_load_scratch(&b, var->bits == 1 ? 32 : var->bits, load->def.comps, offset, var->scratch_offset_B, size_B, 0);
    if (var->bits == 1) {
        struct ir_value *comps[IR_MAX_COMPS];
        for (uint32_t i = 0; i < load->def.comps; i++)
            comps[i] = ir_ine(&b, ir_extract(&b, value, i), ir_const(&b, 32, 0));
        value = ir_vec(&b, load->def.comps, comps);
    }
    ir_replace_uses(&load->def, value);
    ir_remove(load);
}

static void lower_store(struct ir_shader *shader, struct ir_instr *store, const struct ir_var *var)
{
    struct ir_builder b = ir_builder_before(shader, store);
    uint32_t size_B = element_size_B(var->bits);
    struct ir_value *value = ir_src(store, 0);
    if (value->comps > var->length) {
        ir_remove(store);
        return;
    }
    struct ir_value *index = ir_bounded_index(&b, ir_src(store, 1), var->length - value->comps);
    if (var->bits == 1) {
        struct ir_value *comps[IR_MAX_COMPS];
        for (uint32_t i = 0; i < value->comps; i++)
            comps[i] = ir_b2i(&b, 32, ir_extract(&b, value, i));
        value = ir_vec(&b, value->comps, comps);
    }
    ir_store_scratch(&b, value, byte_offset(&b, index, size_B), var->scratch_offset_B, size_B, 0);
    ir_remove(store);
}

bool lower_vars_to_scratch(struct ir_shader *shader, const void *options)
{
    if (list_is_empty(&shader->vars))
        return false;
    struct ir_var **by_index = ir_alloc_scratch(shader, (shader->num_vars + 1) * sizeof(*by_index));
    bool *stays = ir_alloc_scratch(shader, shader->num_vars + 1);
    ir_foreach_block (shader, block)
        ir_foreach_instr (block, instr) {
            if (ir_names_query(instr))
                stays[ir_imm(instr, IR_IMM_QUERY)] = true;
            if (ir_copies_query(instr))
                stays[ir_imm(instr, IR_IMM_SOURCE)] = true;
        }
    list_foreach (&shader->vars, struct ir_var, var, link) {
        if (var->is_in_registers)
            stays[var->index] = true;
        if (stays[var->index])
            continue;
        uint64_t size_B = (uint64_t)var->length * element_size_B(var->bits);
        uint64_t at = ((uint64_t)shader->scratch_size_B + 15) & ~15ull;
        if (at + size_B > IR_MAX_SCRATCH_B)
            ir_fail(shader, "variables take more than %u bytes of private memory", IR_MAX_SCRATCH_B);
        var->scratch_offset_B = (uint32_t)at;
        shader->scratch_size_B = (uint32_t)(at + size_B);
        by_index[var->index] = var;
    }
    ir_foreach_block (shader, block)
        ir_foreach_instr (block, instr) {
            if (instr->op == IR_OP_load_var && by_index[ir_imm(instr, IR_IMM_VAR)])
                lower_load(shader, instr, by_index[ir_imm(instr, IR_IMM_VAR)]);
            else if (instr->op == IR_OP_store_var && by_index[ir_imm(instr, IR_IMM_VAR)])
                lower_store(shader, instr, by_index[ir_imm(instr, IR_IMM_VAR)]);
        }
    list_foreach (&shader->vars, struct ir_var, var, link) {
        if (!stays[var->index])
            list_remove(&var->link);
    }
    return true;
}
