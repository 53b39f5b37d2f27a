/* Ray queries: what a query remembers, as variables, which become values where the query is named by a constant; and
 * every operation but the walk itself. */
#include "compiler/lower/lower_rays.h"

#include "compiler/lower/lower_rays_state.h"
#include "util/bits.h"

static const struct {
    const char *name;
    uint8_t bits, comps;
} fields[RAY_FIELD_COUNT] = {
#define X(name, bits, comps) [RAY_##name] = {#name, bits, comps},
    RAY_FIELDS(X)
#undef X
};

/* ---- what is remembered ---- */

struct ir_value *ray_const(const struct ray_query *query, uint32_t value)
{
    return ir_const(query->b, 32, value);
}

static struct ir_value *place_of_comp(const struct ray_query *query, uint32_t comps, uint32_t comp)
{
    struct ir_builder *b = query->b;
    if (ir_is_const(query->element))
        return ir_const(b, 32, ir_const_u64(query->element) * comps + comp);
    return ir_iadd(b, ir_imul(b, query->element, ir_const(b, 32, comps)), ir_const(b, 32, comp));
}

struct ir_value *ray_load(const struct ray_query *query, enum ray_field field, uint32_t comp)
{
    return ir_load_var(query->b, fields[field].bits, 1, place_of_comp(query, fields[field].comps, comp),
                       query->state->fields[field]->index);
}

void ray_store(const struct ray_query *query, enum ray_field field, uint32_t comp, struct ir_value *value)
{
    ir_store_var(query->b, value, place_of_comp(query, fields[field].comps, comp), query->state->fields[field]->index);
}

void ray_load_vector(const struct ray_query *query, enum ray_field field, struct ir_value *out[3])
{
    for (uint32_t i = 0; i < 3; i++)
        out[i] = ray_load(query, field, i);
}

static void ray_store_vector(const struct ray_query *query, enum ray_field field, struct ir_value *const values[3])
{
    for (uint32_t i = 0; i < 3; i++)
        ray_store(query, field, i, values[i]);
}

static const struct ray_state *make_state(struct ir_shader *shader, const struct lower_rays_machine *machine,
                                          uint32_t count)
{
    struct ray_state *state = ir_alloc_scratch(shader, sizeof(*state));
    state->stride = machine->max_references + 3;
    if (count > UINT32_MAX / 4 / state->stride)
        ir_fail(shader, "%u ray queries in one variable", count);
    for (uint32_t i = 0; i < RAY_FIELD_COUNT; i++)
        state->fields[i] = ir_var_create(shader, fields[i].bits, count * fields[i].comps, fields[i].name);
    state->waiting = ir_var_create(shader, 32, count * state->stride, "WAITING");
    return state;
}

/* ---- arithmetic ---- */

struct ir_value *ray_has(const struct ray_query *query, struct ir_value *flags, uint32_t mask)
{
    return ir_ine(query->b, ir_iand(query->b, flags, ray_const(query, mask)), ray_const(query, 0));
}

void ray_transform(const struct ray_query *query, struct ir_value *const rows[12], struct ir_value *const from[3],
                   bool moves, struct ir_value *out[3])
{
    struct ir_builder *b = query->b;
    for (uint32_t row = 0; row < 3; row++) {
        struct ir_value *const *m = &rows[row * 4];
        out[row] = moves ? ir_ffma(b, m[0], from[0], m[3]) : ir_fmul(b, m[0], from[0]);
        out[row] = ir_ffma(b, m[1], from[1], out[row]);
        out[row] = ir_ffma(b, m[2], from[2], out[row]);
    }
}

/* ---- levels ---- */

void ray_enter_level(const struct ray_query *query, struct ir_value *base, struct ir_value *const origin[3],
                     struct ir_value *const direction[3])
{
    struct ir_value *inverse[3];
    for (uint32_t i = 0; i < 3; i++)
        inverse[i] = ir_frcp(query->b, direction[i]);
    ray_store(query, RAY_BASE, 0, base);
    ray_store_vector(query, RAY_LEVEL_ORIGIN, origin);
    ray_store_vector(query, RAY_LEVEL_DIRECTION, direction);
    ray_store_vector(query, RAY_LEVEL_INVERSE, inverse);
}

void ray_enter_top(const struct ray_query *query)
{
    struct ir_value *origin[3], *direction[3];
    ray_load_vector(query, RAY_ORIGIN, origin);
    ray_load_vector(query, RAY_DIRECTION, direction);
    ray_enter_level(query, ray_load(query, RAY_TOP, 0), origin, direction);
    ray_store(query, RAY_BOTTOM, 0, ray_const(query, query->machine->none));
}

/* Nothing more is visited. */
static void ray_stop(const struct ray_query *query)
{
    struct ir_value *none = ray_const(query, query->machine->none);
    ray_store(query, RAY_NODE, 0, none);
    ray_store(query, RAY_DEPTH, 0, ray_const(query, 0));
    ray_store(query, RAY_BOTTOM, 0, none);
}

void ray_commit(const struct ray_query *query, enum ray_committed kind, struct ir_value *t)
{
    static const enum ray_field copies[][2] = {
        {RAY_MET_U, RAY_SEEN_U},
        {RAY_MET_V, RAY_SEEN_V},
        {RAY_MET_FRONT, RAY_SEEN_FRONT},
        {RAY_MET_PRIMITIVE, RAY_SEEN_PRIMITIVE},
        {RAY_MET_GEOMETRY, RAY_SEEN_GEOMETRY},
        {RAY_MET_LEAF, RAY_SEEN_LEAF},
        {RAY_MET_INSTANCE, RAY_INSTANCE},
    };
    ray_store(query, RAY_MET_KIND, 0, ray_const(query, kind));
    ray_store(query, RAY_T, 0, t);
    for (uint32_t i = 0; i < ARRAY_SIZE(copies); i++)
        ray_store(query, copies[i][0], 0, ray_load(query, copies[i][1], 0));
    ir_builder_push_if(query->b, ray_has(query, ray_load(query, RAY_FLAGS, 0), RAY_FLAG_TERMINATE_ON_FIRST_HIT));
    ray_stop(query);
    ir_builder_pop_if(query->b);
}

/* ---- the operations ---- */

/* Instances begin as the root, where there is memory: a program that asks for the instance of nothing reads it. */
static void begin_query(const struct ray_query *query, const struct ir_instr *instr)
{
    struct ir_builder *b = query->b;
    struct ir_value *structure = ir_src(instr, 1), *rules = ir_src(instr, 2), *from = ir_src(instr, 3),
                    *to = ir_src(instr, 4);
    struct ir_value *root = ray_const(query, query->machine->root), *none = ray_const(query, query->machine->none);
    ray_store(query, RAY_TOP, 0, query->machine->base(b, structure));
    ray_store(query, RAY_FLAGS, 0, ir_extract(b, rules, 0));
    ray_store(query, RAY_MASK, 0, ir_extract(b, rules, 1));
    ray_store(query, RAY_T_MIN, 0, ir_extract(b, from, 3));
    ray_store(query, RAY_T, 0, ir_extract(b, to, 3));
    for (uint32_t i = 0; i < 3; i++) {
        ray_store(query, RAY_ORIGIN, i, ir_extract(b, from, i));
        ray_store(query, RAY_DIRECTION, i, ir_extract(b, to, i));
    }
    ray_enter_top(query);
    /* Of no structure nothing is met. */
    struct ir_value *is_null = ir_ieq(b, structure, ir_const(b, 64, 0));
    ray_store(query, RAY_NODE, 0, ir_select(b, is_null, none, root));
    ray_store(query, RAY_DEPTH, 0, ray_const(query, 0));
    ray_store(query, RAY_INSTANCE, 0, root);
    ray_store(query, RAY_MET_INSTANCE, 0, root);
    ray_store(query, RAY_MET_KIND, 0, ray_const(query, RAY_COMMITTED_NONE));
}

/* References that wait are copied one by one: few programs hand queries over. */
static void copy_query(const struct ray_query *to, const struct ray_query *from)
{
    struct ir_builder *b = to->b;
    for (uint32_t field = 0; field < RAY_FIELD_COUNT; field++) {
        for (uint32_t comp = 0; comp < fields[field].comps; comp++)
            ray_store(to, field, comp, ray_load(from, field, comp));
    }
    for (uint32_t i = 0; i < to->state->stride; i++) {
        struct ir_value *reference =
            ir_load_var(b, 32, 1, place_of_comp(from, from->state->stride, i), from->state->waiting->index);
        ir_store_var(b, reference, place_of_comp(to, to->state->stride, i), to->state->waiting->index);
    }
}

/* Values that the query itself has. */
static bool own_value(const struct ray_query *query, enum ir_ray_value value, bool committed, struct ir_value *out[12])
{
    static const struct {
        uint8_t is_there, candidate, committed;
    } rows[] = {
        [IR_RAY_flags] = {1, RAY_FLAGS, RAY_FLAGS},
        [IR_RAY_t_min] = {1, RAY_T_MIN, RAY_T_MIN},
        [IR_RAY_world_origin] = {1, RAY_ORIGIN, RAY_ORIGIN},
        [IR_RAY_world_direction] = {1, RAY_DIRECTION, RAY_DIRECTION},
        [IR_RAY_kind] = {1, RAY_SEEN_KIND, RAY_MET_KIND},
        [IR_RAY_t] = {1, RAY_SEEN_T, RAY_T},
        [IR_RAY_geometry_index] = {1, RAY_SEEN_GEOMETRY, RAY_MET_GEOMETRY},
        [IR_RAY_primitive_index] = {1, RAY_SEEN_PRIMITIVE, RAY_MET_PRIMITIVE},
        [IR_RAY_front_face] = {1, RAY_SEEN_FRONT, RAY_MET_FRONT},
        [IR_RAY_box_opaque] = {1, RAY_SEEN_OPAQUE, RAY_SEEN_OPAQUE},
    };
    if (value == IR_RAY_barycentrics) {
        out[0] = ray_load(query, committed ? RAY_MET_U : RAY_SEEN_U, 0);
        out[1] = ray_load(query, committed ? RAY_MET_V : RAY_SEEN_V, 0);
        return true;
    }
    if (value >= ARRAY_SIZE(rows) || !rows[value].is_there)
        return false;
    const enum ray_field field = committed ? rows[value].committed : rows[value].candidate;
    for (uint32_t i = 0; i < fields[field].comps; i++)
        out[i] = ray_load(query, field, i);
    return true;
}

/* Values that lie with an instance or a triangle. */
static void other_value(const struct ray_query *query, enum ir_ray_value value, bool committed,
                        struct ir_value *out[12])
{
    const struct lower_rays_machine *machine = query->machine;
    struct ir_builder *b = query->b;
    struct ir_value *top = ray_load(query, RAY_TOP, 0),
                    *reference = ray_load(query, committed ? RAY_MET_INSTANCE : RAY_INSTANCE, 0), *from[3], *rows[12];
    struct lower_rays_instance instance;
    switch (value) {
    case IR_RAY_object_origin:
    case IR_RAY_object_direction:
        machine->instance(b, top, reference, &instance);
        ray_load_vector(query, value == IR_RAY_object_origin ? RAY_ORIGIN : RAY_DIRECTION, from);
        ray_transform(query, instance.world_to_object, from, value == IR_RAY_object_origin, out);
        return;
    case IR_RAY_world_to_object:
    case IR_RAY_object_to_world:
        if (value == IR_RAY_world_to_object)
            machine->instance(b, top, reference, &instance);
        else
            machine->value(b, top, reference, value, rows);
        for (uint32_t i = 0; i < 12; i++) {
            const uint32_t at = i % 3 * 4 + i / 3; /* by columns */
            out[i] = value == IR_RAY_world_to_object ? instance.world_to_object[at] : rows[at];
        }
        return;
    case IR_RAY_vertices:
    case IR_RAY_leaf:
        machine->instance(b, top, reference, &instance);
        machine->value(b, machine->base(b, instance.structure),
                       ray_load(query, committed ? RAY_MET_LEAF : RAY_SEEN_LEAF, 0), value, out);
        return;
    default:
        machine->value(b, top, reference, value, out);
        return;
    }
}

static struct ir_value *value_of(const struct ray_query *query, const struct ir_instr *instr)
{
    const enum ir_ray_value value = ir_imm(instr, IR_IMM_RAY_VALUE);
    const bool committed = ir_imm(instr, IR_IMM_COMMITTED);
    struct ir_value *out[12];
    if (!own_value(query, value, committed, out))
        other_value(query, value, committed, out);
    return ir_vec(query->b, instr->def.comps, out);
}

/* ---- the pass ---- */

/* The variables of queries, by index: what stands for each. */
struct pass {
    struct ir_shader *shader;
    const struct lower_rays_machine *machine;
    const struct ray_state **states;
    struct ir_var *found;
};

static struct ray_query query_of(struct pass *pass, struct ir_builder *b, uint32_t var, struct ir_value *element)
{
    if (!pass->states[var])
        pass->states[var] = make_state(pass->shader, pass->machine, ir_var_by_index(pass->shader, var)->length);
    return (struct ray_query){b, pass->machine, pass->states[var], element, pass->found};
}

static void replace_instr(struct pass *pass, struct ir_instr *instr)
{
    struct ir_builder b = ir_builder_before(pass->shader, instr);
    b.flags = IR_FLAG_NAN_INF;
    const struct ray_query query = query_of(pass, &b, ir_imm(instr, IR_IMM_QUERY), ir_src(instr, 0));
    struct ray_query from;
    struct ir_value *result = NULL;
    switch (instr->op) {
    case IR_OP_ray_begin:
        begin_query(&query, instr);
        break;
    case IR_OP_ray_copy:
        from = query_of(pass, &b, ir_imm(instr, IR_IMM_SOURCE), ir_src(instr, 1));
        copy_query(&query, &from);
        break;
    case IR_OP_ray_proceed:
        result = ray_walk(&query);
        break;
    case IR_OP_ray_terminate:
        ray_stop(&query);
        break;
    case IR_OP_ray_confirm:
        ray_commit(&query, RAY_COMMITTED_TRIANGLE, ray_load(&query, RAY_SEEN_T, 0));
        break;
    case IR_OP_ray_generate:
        ray_commit(&query, RAY_COMMITTED_GENERATED, ir_src(instr, 1));
        break;
    default:
        result = value_of(&query, instr);
        break;
    }
    if (result)
        ir_replace_uses(&instr->def, result);
    ir_remove(instr);
}

bool lower_rays(struct ir_shader *shader, const struct lower_rays_machine *machine)
{
    const uint32_t num_vars = shader->num_vars;
    uint32_t count = 0, at = 0;
    ir_foreach_block (shader, block)
        ir_foreach_instr (block, instr)
            count += ir_names_query(instr);
    if (!count)
        return false;
    /* Blocks are split on the way: the instructions are gathered first. */
    struct ir_instr **instrs = ir_alloc_scratch(shader, count * sizeof(struct ir_instr *));
    struct pass pass = {shader, machine, ir_alloc_scratch(shader, num_vars * sizeof(*pass.states)),
                        ir_var_create(shader, 1, 1, "FOUND")};
    ir_foreach_block (shader, block)
        ir_foreach_instr (block, instr)
            if (ir_names_query(instr))
                instrs[at++] = instr;
    for (uint32_t i = 0; i < count; i++)
        replace_instr(&pass, instrs[i]);
    list_foreach (&shader->vars, struct ir_var, var, link) {
        if (var->index < num_vars && pass.states[var->index])
            list_remove(&var->link);
    }
    return true;
}
