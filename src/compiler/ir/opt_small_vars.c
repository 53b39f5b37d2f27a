/* Small arrays with computed indices become values: a load chooses among the elements, a store gives each of them what
 * it was or what is stored, so that all indices are known and opt_vars_to_ssa does the rest. For machines whose private
 * memory costs more than a few choices (target.h: chosen_elements). An index outside of the array may give anything.
 *
 * Vectors and structures were taken apart: an array of vectors is one whose indices are multiples of a stride. Only the
 * places that such an index can name are looked at. */
#include "compiler/ir/ir_builder.h"
#include "compiler/ir/opt.h"
#include "compiler/ir/target.h"

enum {
    MAX_TOTAL = 48, /* words of all arrays of a shader that are kept in registers */
};

/* The places that an index can name: offset + stride · number. */
struct places {
    struct ir_value *number;
    int64_t stride, offset, first, count; /* `first`: the least number that is inside */
};

static bool has_known_index(const struct ir_instr *instr)
{
    return ir_is_const(ir_src(instr, instr->op == IR_OP_store_var));
}

/* x · constant. */
static bool is_scaled(const struct ir_value *value, struct places *places)
{
    const struct ir_instr *def = ir_def_instr(value);
    if ((def->op != IR_OP_imul && def->op != IR_OP_ishl) || !ir_is_const(ir_src(def, 1)))
        return false;
    const uint64_t by = ir_const_u64(ir_src(def, 1));
    places->number = ir_src(def, 0);
    places->stride = def->op == IR_OP_imul ? (int64_t)by : by < 16 ? 1 << by : 0;
    return places->stride > 1 && places->stride < 1 << 16;
}

/* Numbers of as many elements as the access has, inside the array. */
static struct places places_of(struct ir_value *index, uint32_t length, uint32_t comps)
{
    struct places places = {.number = index, .stride = 1};
    const struct ir_instr *def = ir_def_instr(index);
    if (def->op == IR_OP_iadd && ir_is_const(ir_src(def, 1)) && is_scaled(ir_src(def, 0), &places))
        places.offset = ir_const_i64(ir_src(def, 1));
    else if (!is_scaled(index, &places))
        places = (struct places){.number = index, .stride = 1};
    if (places.offset < 0)
        places.first = (places.stride - 1 - places.offset) / places.stride;
    while (places.offset + places.stride * (places.first + places.count) + comps <= length)
        places.count++;
    return places;
}

static uint32_t comps_of(const struct ir_instr *instr)
{
    return instr->op == IR_OP_store_var ? ir_src(instr, 0)->comps : instr->def.comps;
}

static struct places places_of_access(const struct ir_instr *instr, const struct ir_var *var)
{
    return places_of(ir_src(instr, instr->op == IR_OP_store_var), var->length, comps_of(instr));
}

static struct ir_value *is_place(struct ir_builder *b, const struct places *places, int64_t number)
{
    return ir_ieq(b, places->number, ir_const(b, 32, (uint32_t)number));
}

static struct ir_value *element(const struct places *places, struct ir_builder *b, int64_t number, uint32_t comp)
{
    return ir_const(b, 32, (uint32_t)(places->offset + places->stride * number + comp));
}

static void choose_load(struct ir_shader *shader, struct ir_instr *load, const struct ir_var *var)
{
    const struct places places = places_of_access(load, var);
    struct ir_builder b = ir_builder_before(shader, load);
    struct ir_value *comps[IR_MAX_COMPS] = {NULL};
    for (int64_t n = places.first + places.count - 1; n >= places.first; n--) {
        struct ir_value *condition = comps[0] ? is_place(&b, &places, n) : NULL;
        for (uint32_t i = 0; i < load->def.comps; i++) {
            struct ir_value *value = ir_load_var(&b, var->bits, 1, element(&places, &b, n, i), var->index);
            comps[i] = condition ? ir_select(&b, condition, value, comps[i]) : value;
        }
    }
    struct ir_value *result =
        comps[0] ? ir_vec(&b, load->def.comps, comps) : ir_undef(&b, load->def.bits, load->def.comps);
    ir_replace_uses(&load->def, result);
    ir_remove(load);
}

static void choose_store(struct ir_shader *shader, struct ir_instr *store, const struct ir_var *var)
{
    const struct places places = places_of_access(store, var);
    struct ir_builder b = ir_builder_before(shader, store);
    struct ir_value *value = ir_src(store, 0);
    const uint32_t num_comps = value->comps;
    for (int64_t n = places.first; n < places.first + places.count; n++) {
        struct ir_value *condition = is_place(&b, &places, n), *comps[IR_MAX_COMPS];
        for (uint32_t i = 0; i < num_comps; i++) {
            struct ir_value *was = ir_load_var(&b, var->bits, 1, element(&places, &b, n, i), var->index);
            comps[i] = ir_select(&b, condition, ir_extract(&b, value, i), was);
        }
        for (uint32_t i = 0; i < num_comps; i++)
            ir_store_var(&b, comps[i], element(&places, &b, n, i), var->index);
    }
    ir_remove(store);
}

/* Of each variable whether it is kept in registers; false: none is. */
static bool choose_vars(struct ir_shader *shader, struct ir_var **by_index)
{
    uint32_t total = 0;
    bool has_any = false;
    bool *is_too_long = ir_alloc_scratch(shader, shader->num_vars + 1);
    bool *is_indexed = ir_alloc_scratch(shader, shader->num_vars + 1);
    list_foreach (&shader->vars, struct ir_var, var, link) {
        if (!var->is_in_registers && var->length <= MAX_TOTAL)
            by_index[var->index] = var;
    }
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            struct ir_var *var = instr->op == IR_OP_load_var || instr->op == IR_OP_store_var
                                     ? by_index[ir_imm(instr, IR_IMM_VAR)]
                                     : NULL;
            if (!var || has_known_index(instr))
                continue;
            is_indexed[var->index] = true;
            is_too_long[var->index] |= places_of_access(instr, var).count > shader->target->chosen_elements;
        }
    }
    list_foreach (&shader->vars, struct ir_var, var, link) {
        const uint32_t words = var->length * (var->bits == 64 ? 2 : 1);
        if (!by_index[var->index])
            continue;
        if (!is_indexed[var->index] || is_too_long[var->index] || total + words > MAX_TOTAL)
            by_index[var->index] = NULL;
        else
            total += words, has_any = true;
    }
    return has_any;
}

bool opt_small_vars(struct ir_shader *shader, const void *options)
{
    (void)options;
    if (!shader->target->chosen_elements || list_is_empty(&shader->vars))
        return false;
    struct ir_var **by_index = ir_alloc_scratch(shader, (shader->num_vars + 1) * sizeof(*by_index));
    if (!choose_vars(shader, by_index))
        return false;
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op != IR_OP_load_var && instr->op != IR_OP_store_var)
                continue;
            const struct ir_var *var = by_index[ir_imm(instr, IR_IMM_VAR)];
            if (!var || has_known_index(instr))
                continue;
            if (instr->op == IR_OP_load_var)
                choose_load(shader, instr, var);
            else
                choose_store(shader, instr, var);
        }
    }
    return true;
}
