/* Tables: a variable in which every element only ever gets one constant becomes data of the shader.
 *
 * Legal wherever the stores stand: a load gives the constant, or something undefined where no store came before, and
 * then the constant is as good as anything. An index outside the variable gives anything, but must do no harm: it is
 * cut to the last place from which a load stays inside.
 *
 * Not for variables whose indices are all known: opt_vars_to_ssa has taken those apart before. */
#include <string.h>

#include "compiler/ir/ir_builder.h"
#include "compiler/ir/opt.h"
#include "util/bits.h"

struct table {
    struct ir_var *var; /* NULL: no such */
    uint8_t *data;      /* `size_B` for each element */
    bool *known;        /* by element: it has got its constant */
    bool varies, loaded;
    uint32_t offset_B; /* in the shader's data */
};

/* Memory has no single bits: a boolean takes a word. */
static uint32_t element_size_B(const struct ir_var *var)
{
    return var->bits == 1 ? 4 : var->bits / 8u;
}

static void note_store(struct table *table, const struct ir_instr *store)
{
    const struct ir_value *value = ir_src(store, 0), *index = ir_src(store, 1);
    uint32_t size_B = element_size_B(table->var);
    table->varies |= !ir_is_const(index);
    for (uint32_t i = 0; i < value->comps && !table->varies; i++) {
        const struct ir_value *comp = ir_component(value, i);
        uint64_t at = ir_const_u64(index) + i;
        if (at >= table->var->length)
            continue; /* harmless: it is dropped */
        if (!comp || !(ir_is_const(comp) || ir_is_undef(comp))) {
            table->varies = true;
            return;
        }
        if (ir_is_undef(comp))
            continue;
        uint64_t bits = ir_const_u64(comp);
        uint8_t *place = table->data + at * size_B;
        table->varies = table->known[at] && memcmp(place, &bits, size_B) != 0;
        table->known[at] = true;
        memcpy(place, &bits, size_B); /* the low bytes come first, here as in the GPU's memory */
    }
}

static struct table *gather_table(struct ir_shader *shader)
{
    struct table *tables = ir_alloc_scratch(shader, (shader->num_vars + 1) * sizeof(*tables));
    list_foreach (&shader->vars, struct ir_var, var, link) {
        struct table *table = &tables[var->index];
        table->var = var;
        table->data = ir_alloc_scratch(shader, (size_t)var->length * element_size_B(var) + 1);
        table->known = ir_alloc_scratch(shader, var->length + 1);
    }
    ir_foreach_block (shader, block)
        ir_foreach_instr (block, instr) {
            if (instr->op == IR_OP_store_var)
                note_store(&tables[ir_imm(instr, IR_IMM_VAR)], instr);
            else if (instr->op == IR_OP_load_var)
                tables[ir_imm(instr, IR_IMM_VAR)].loaded = true;
        }
    return tables;
}

static bool is_table(const struct table *table)
{
    return table->var && table->loaded && !table->varies;
}

/* The tables after the data that is there already, each at a multiple of 16 bytes. */
static bool place_data(struct ir_shader *shader, struct table *tables)
{
    uint64_t size_B = shader->const_data_size_B;
    for (uint32_t i = 0; i < shader->num_vars; i++) {
        if (!is_table(&tables[i]))
            continue;
        tables[i].offset_B = (uint32_t)align_u64(size_B, 16);
        size_B = tables[i].offset_B + (uint64_t)tables[i].var->length * element_size_B(tables[i].var);
        if (size_B > IR_MAX_CONST_DATA_B)
            return false;
    }
    if (size_B == shader->const_data_size_B)
        return false;
    uint8_t *data = ir_alloc(shader, size_B);
    if (shader->const_data_size_B)
        memcpy(data, shader->const_data, shader->const_data_size_B);
    for (uint32_t i = 0; i < shader->num_vars; i++) {
        if (is_table(&tables[i]))
            memcpy(data + tables[i].offset_B, tables[i].data,
                   (size_t)tables[i].var->length * element_size_B(tables[i].var));
    }
    shader->const_data = data;
    shader->const_data_size_B = (uint32_t)size_B;
    return true;
}

static void lower_load(struct ir_shader *shader, struct ir_instr *load, const struct table *table)
{
    struct ir_builder b = ir_builder_before(shader, load);
    uint32_t size_B = element_size_B(table->var), comps = load->def.comps;
    struct ir_value *index = ir_src(load, 0), *value;
    if (comps > table->var->length) {
        value = ir_undef(&b, load->def.bits, load->def.comps);
    } else {
        index = ir_bounded_index(&b, index, table->var->length - comps);
        struct ir_value *offset = ir_imul(&b, index, ir_const(&b, 32, size_B));
        value = ir_load_const_data(&b, table->var->bits == 1 ? 32 : table->var->bits, (uint8_t)comps, offset,
                                   table->offset_B, size_B, 0);
    }
    if (table->var->bits == 1 && value->bits != 1) {
        struct ir_value *bools[IR_MAX_COMPS];
        for (uint32_t i = 0; i < comps; i++)
            bools[i] = ir_ine(&b, ir_extract(&b, value, i), ir_const(&b, 32, 0));
        value = ir_vec(&b, comps, bools);
    }
    ir_replace_uses(&load->def, value);
    ir_remove(load);
}

bool opt_const_vars(struct ir_shader *shader, const void *options)
{
    if (list_is_empty(&shader->vars))
        return false;
    struct table *tables = gather_table(shader);
    if (!place_data(shader, tables))
        return false;
    ir_foreach_block (shader, block)
        ir_foreach_instr (block, instr) {
            bool load = instr->op == IR_OP_load_var;
            if ((!load && instr->op != IR_OP_store_var) || !is_table(&tables[ir_imm(instr, IR_IMM_VAR)]))
                continue;
            if (load)
                lower_load(shader, instr, &tables[ir_imm(instr, IR_IMM_VAR)]);
            else
                ir_remove(instr);
        }
    for (uint32_t i = 0; i < shader->num_vars; i++) {
        if (is_table(&tables[i]))
            list_remove(&tables[i].var->link);
    }
    return true;
}
