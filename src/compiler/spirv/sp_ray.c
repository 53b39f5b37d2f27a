/* Ray queries (SPV_KHR_ray_query). A variable of queries is an IR variable with a word for each, which nothing reads or
 * writes: it is there to be named. An acceleration structure is its address, whether it comes from a descriptor or from
 * a number. */
#include "compiler/spirv/sp.h"

/* --- types --- */

struct ir_value **sp_read_as(struct sp *s, const struct sp_instr *in, uint32_t i, enum sp_kind kind, uint32_t count)
{
    const uint32_t id = sp_op(s, in, i);
    const struct sp_type *type = sp_type_of(s, id);
    const bool fits = type->kind == (count == 1 ? kind : SP_VECTOR) && type->scalars == count && type->bits == 32 &&
                      (count == 1 || type->element->kind == kind);
    if (!fits)
        sp_fail(s, "%s: operand %u is of another type", in->info->name, i);
    return sp_read(s, id);
}

/* A query: the variable, and the element in it. */
struct query {
    uint32_t var;
    struct ir_value *element;
};

static struct query query_at(struct sp *s, const struct sp_ptr *ptr)
{
    if (!ptr->index && ptr->first >= ptr->node->var->length)
        sp_fail(s, "there is no query %u", ptr->first);
    return (struct query){ptr->node->var->index, sp_ptr_index(s, ptr, 1, 0)};
}

static struct query read_query(struct sp *s, const struct sp_instr *in)
{
    const uint32_t id = sp_op(s, in, 0);
    const struct sp_ptr *ptr = sp_pointer(s, id);
    if (ptr->mode != SP_PTR_VAR || ptr->type->kind != SP_RAY_QUERY)
        sp_fail(s, "%s: id %u is no pointer to a ray query", in->info->name, id);
    return query_at(s, ptr);
}

void sp_copy_query(struct sp *s, const struct sp_ptr *to, const struct sp_ptr *from)
{
    const struct query written = query_at(s, to), read = query_at(s, from);
    ir_ray_copy(&s->b, written.element, read.element, written.var, read.var);
}

/* A query that is loaded is a copy that nothing changes: a variable of its own. */
void sp_load_query(struct sp *s, const struct sp_instr *in, const struct sp_ptr *from)
{
    struct sp_type *type = sp_type(s, in->type);
    struct sp_ptr *to = sp_new(s, struct sp_ptr);
    *to = (struct sp_ptr){.mode = SP_PTR_VAR, .type = type, .node = sp_make_node(s, type, 1, NULL)};
    sp_copy_query(s, to, from);
    sp_set_scalar(s, in, sp_imm(s, type->bits, 0));
    sp_value(s, in->id)->from = to;
}

void sp_store_query(struct sp *s, const struct sp_ptr *to, uint32_t id)
{
    const struct sp_value *value = sp_value(s, id);
    if (value->type->kind != SP_RAY_QUERY || !value->from)
        sp_fail(s, "id %u is no ray query that was loaded", id);
    sp_copy_query(s, to, value->from);
}

void sp_do_convert_u_to_structure(struct sp *s, const struct sp_instr *in)
{
    const uint32_t id = sp_op(s, in, 0);
    const struct sp_type *type = sp_type_of(s, id);
    const bool is_wide = type->kind == SP_INT && type->bits == 64;
    const bool is_pair =
        type->kind == SP_VECTOR && type->count == 2 && type->element->kind == SP_INT && type->bits == 32;
    if (sp_type(s, in->type)->kind != SP_ACCELERATION_STRUCTURE || (!is_wide && !is_pair))
        sp_fail(s, "%s: an address is 64 bits", in->info->name);
    struct ir_value **c = sp_read(s, id);
    sp_set_scalar(s, in, is_wide ? c[0] : ir_pack64(&s->b, c[0], c[1]));
}

/* --- what a query does --- */

void sp_do_ray_begin(struct sp *s, const struct sp_instr *in)
{
    const struct query query = read_query(s, in);
    const uint32_t structure_id = sp_op(s, in, 1);
    if (sp_type_of(s, structure_id)->kind != SP_ACCELERATION_STRUCTURE)
        sp_fail(s, "%s: id %u is no acceleration structure", in->info->name, structure_id);
    struct ir_value *structure = sp_read(s, structure_id)[0];
    struct ir_value *rules[2] = {sp_read_as(s, in, 2, SP_INT, 1)[0], sp_read_as(s, in, 3, SP_INT, 1)[0]};
    struct ir_value **origin = sp_read_as(s, in, 4, SP_FLOAT, 3), **least = sp_read_as(s, in, 5, SP_FLOAT, 1);
    struct ir_value **direction = sp_read_as(s, in, 6, SP_FLOAT, 3), **most = sp_read_as(s, in, 7, SP_FLOAT, 1);
    struct ir_value *from[4] = {origin[0], origin[1], origin[2], least[0]};
    struct ir_value *to[4] = {direction[0], direction[1], direction[2], most[0]};
    ir_ray_begin(&s->b, query.element, structure, ir_vec(&s->b, 2, rules), ir_vec(&s->b, 4, from), ir_vec(&s->b, 4, to),
                 query.var);
}

void sp_do_ray_proceed(struct sp *s, const struct sp_instr *in)
{
    const struct query query = read_query(s, in);
    sp_set_scalar(s, in, ir_ray_proceed(&s->b, query.element, query.var));
}

void sp_do_ray_step(struct sp *s, const struct sp_instr *in)
{
    const struct query query = read_query(s, in);
    if (in->info->arg == IR_OP_ray_generate)
        ir_ray_generate(&s->b, query.element, sp_read_as(s, in, 1, SP_FLOAT, 1)[0], query.var);
    else if (in->info->arg == IR_OP_ray_confirm)
        ir_ray_confirm(&s->b, query.element, query.var);
    else
        ir_ray_terminate(&s->b, query.element, query.var);
}

/* --- what it knows --- */

static bool can_hold(const struct sp_type *type, uint32_t comps)
{
    const bool is_vectors = type->kind == SP_MATRIX || (type->kind == SP_ARRAY && type->element->kind == SP_VECTOR);
    return (sp_is_numeric(type) || is_vectors) && type->scalars == comps;
}

void sp_do_ray_value(struct sp *s, const struct sp_instr *in)
{
    const struct query query = read_query(s, in);
    const enum ir_ray_value what = in->info->arg;
    const uint32_t committed = in->count > 1 ? sp_constant_u32(s, in->ops[1]) : 0;
    const struct sp_type *type = sp_type(s, in->type);
    const uint8_t comps = ir_ray_value_comps(what);
    const bool is_bool = what == IR_RAY_front_face || what == IR_RAY_box_opaque;
    if (committed > SpvRayQueryIntersectionRayQueryCommittedIntersectionKHR)
        sp_fail(s, "%s: an intersection is a candidate or committed", in->info->name);
    if (!can_hold(type, comps) || type->runtime_sized || sp_bits_of_scalar(s, type, 0) != (is_bool ? 1 : 32))
        sp_fail(s, "%s: the result's type is not that of the operation", in->info->name);
    struct ir_value *value = ir_ray_value(&s->b, comps, query.element, query.var, what, committed);
    struct sp_value *result = sp_result(s, in);
    for (uint32_t i = 0; i < comps; i++) {
        struct ir_value *word = ir_extract(&s->b, value, i);
        result->c[i] = is_bool ? ir_ine(&s->b, word, sp_imm(s, 32, 0)) : word;
    }
}
