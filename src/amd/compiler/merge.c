/* Two stages as one program: their interfaces, and the copy of a stage. */
#include "amd/compiler/merge.h"

#include <string.h>

#include "util/bits.h"

static void *join_arrays(struct ir_shader *shader, const void *a, size_t a_B, const void *b, size_t b_B)
{
    uint8_t *both = ir_alloc(shader, MAX2(a_B + b_B, (size_t)1));
    if (a_B)
        memcpy(both, a, a_B);
    if (b_B)
        memcpy(both + a_B, b, b_B);
    return both;
}

static void copy_vars(struct ir_shader *shader, const struct ir_shader *from)
{
    const uint32_t first = shader->num_vars;
    list_foreach (&from->vars, struct ir_var, var, link)
        ir_var_create(shader, var->bits, var->length, var->name)->index = first + var->index;
    shader->num_vars = first + from->num_vars;
}

/* One mode register serves both: each has what it asks for, unless the other asks for the opposite. */
static void join_floats(struct ir_shader *shader, const struct ir_float_controls *a, const struct ir_float_controls *b)
{
    struct ir_float_controls *to = &shader->floats;
    for (unsigned i = 0; i < 3; i++) {
        to->denorm_preserve[i] = a->denorm_preserve[i] | b->denorm_preserve[i];
        to->denorm_flush[i] = a->denorm_flush[i] | b->denorm_flush[i];
        to->signed_zero_inf_nan[i] = a->signed_zero_inf_nan[i] | b->signed_zero_inf_nan[i];
        to->round_even[i] = a->round_even[i] | b->round_even[i];
        to->round_zero[i] = a->round_zero[i] | b->round_zero[i];
        if ((to->denorm_preserve[i] && to->denorm_flush[i]) || (to->round_even[i] && to->round_zero[i]))
            ir_fail(shader, "two stages of one program with opposite float controls");
    }
}

static struct ir_io_var *copy_list(struct ir_shader *shader, const struct ir_io_var *from, uint32_t count)
{
    struct ir_io_var *list = join_arrays(shader, from, count * sizeof(*from), NULL, 0);
    for (uint32_t i = 0; i < count; i++)
        list[i].name = ir_strdup(shader, list[i].name);
    return list;
}

void amd_merge_interfaces(struct ir_shader *shader, const struct ir_shader *first, const struct ir_shader *second)
{
    shader->name = ir_strdup(shader, second->name);
    shader->inputs = copy_list(shader, first->inputs, first->num_inputs);
    shader->num_inputs = first->num_inputs;
    shader->outputs = copy_list(shader, second->outputs, second->num_outputs);
    shader->num_outputs = second->num_outputs;
    shader->resources = join_arrays(shader, first->resources, first->num_resources * sizeof(*first->resources),
                                    second->resources, second->num_resources * sizeof(*first->resources));
    shader->num_resources = first->num_resources + second->num_resources;
    shader->push_size_B = MAX2(first->push_size_B, second->push_size_B);
    shader->uses_subgroup_ops = first->uses_subgroup_ops | second->uses_subgroup_ops;
    shader->sysvals_read = first->sysvals_read | second->sysvals_read;
    shader->vs = second->vs;
    shader->gs = second->gs;
    join_floats(shader, &first->floats, &second->floats);
    copy_vars(shader, first);
    copy_vars(shader, second);
}

uint32_t amd_merge_const_data(struct ir_shader *shader, const struct ir_shader *first, const struct ir_shader *second)
{
    const uint32_t second_B = (uint32_t)align_u64(first->const_data_size_B, 16);
    uint8_t *data = ir_alloc(shader, second_B + second->const_data_size_B + 1);
    if (first->const_data_size_B)
        memcpy(data, first->const_data, first->const_data_size_B);
    if (second->const_data_size_B)
        memcpy(data + second_B, second->const_data, second->const_data_size_B);
    shader->const_data_size_B =
        second->const_data_size_B ? second_B + second->const_data_size_B : first->const_data_size_B;
    shader->const_data = shader->const_data_size_B ? data : NULL;
    return second_B;
}

void amd_merge_insert(struct ir_builder *b, const struct ir_shader *stage, uint32_t first_var, uint32_t first_const_B)
{
    struct ir_value **map = ir_alloc_scratch(b->shader, (stage->num_values + 1) * sizeof(struct ir_value *));
    struct ir_region *region = b->block->node.region;
    ir_clone_region(b->shader, &stage->body, region, map);
    for (struct ir_block *block = ir_region_first(region); block; block = ir_next_block(block)) {
        ir_foreach_instr (block, instr) {
            if (instr->op == IR_OP_load_var || instr->op == IR_OP_store_var)
                ir_set_imm(instr, IR_IMM_VAR, ir_imm(instr, IR_IMM_VAR) + first_var);
            if (instr->op == IR_OP_load_const_data)
                ir_set_imm(instr, IR_IMM_BASE, ir_imm(instr, IR_IMM_BASE) + first_const_B);
        }
        if (block == ir_region_last(region))
            break;
    }
}

void amd_merge_barrier(struct ir_builder *b)
{
    ir_barrier(b, IR_SCOPE_workgroup, IR_MEMORY_SHARED, IR_ORDER_ACQUIRE | IR_ORDER_RELEASE | IR_ORDER_EXECUTION);
}

struct ir_value *amd_merge_field(struct ir_builder *b, struct ir_value *word, uint32_t first, uint32_t count)
{
    struct ir_value *shifted = first ? ir_ushr(b, word, ir_const(b, 32, first)) : word;
    return first + count == 32 ? shifted : ir_iand(b, shifted, ir_const(b, 32, (uint32_t)bits_mask(count)));
}

void amd_merge_count(struct ir_builder *b, const struct amd_compile_options *options, unsigned which,
                     struct ir_value *count)
{
    struct ir_value *cell = ir_ngg_counters(b);
    ir_builder_push_if(b, ir_ine(b, cell, ir_const(b, 32, 0)));
    struct ir_value *cell_va = ir_pack64(b, cell, ir_const(b, 32, options->address32_hi)),
                    *va = ir_load_global(b, 64, 1, cell_va, which * 8, 8, 0, IR_ACCESS_READONLY);
    ir_builder_push_if(b, ir_ine(b, va, ir_const(b, 64, 0))); /* it may be something else that is counted */
    ir_builder_push_if(b, ir_elect(b));
    ir_ngg_count(b, va, ir_u2u(b, 64, count));
    ir_builder_pop_if(b);
    ir_builder_pop_if(b);
    ir_builder_pop_if(b);
}

void amd_merge_push_stage(struct ir_builder *b, struct ir_value *wave, struct ir_value *lane, uint32_t first_bit)
{
    ir_builder_push_if(b, ir_ult(b, lane, amd_merge_field(b, wave, first_bit, 8)));
}
