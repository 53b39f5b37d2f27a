/* Geometry shaders, as IR: every vertex that one may emit is a fiber of its own, which runs the whole shader, keeps the
 * outputs of its vertex and gives them at the end.
 *
 *     emitted = 0; begins = true
 *     … EmitVertex:    if (emitted == the fiber's vertex) { keep the outputs; flags = stream, begins }
 *                      emitted++; begins = false
 *       EndPrimitive:  begins = true
 *     if (emitted <= the fiber's vertex) the fiber gives nothing
 *
 * What a shader does to memory its first fiber does alone. */
#include "adreno/compiler/compiler.h"
#include "adreno/compiler/lower_adreno.h"

#define WAVE 64
#define FLAGS_BEGIN 4u /* of a strip; the stream is below it */

struct geometry {
    struct ir_shader *shader;
    const struct adreno_handover *plan;
    struct ir_value *part, *invocation, *number; /* number: of the vertex that the fiber gives */
    struct ir_var *emitted, *begins, *flags;
    struct ir_var *outputs[STAGE_LOCATIONS][4];
};

static struct ir_value *get_var(struct ir_builder *b, const struct ir_var *var)
{
    return ir_load_var(b, var->bits, 1, ir_const(b, 32, 0), var->index);
}

static void set_var(struct ir_builder *b, const struct ir_var *var, struct ir_value *value)
{
    ir_store_var(b, value, ir_const(b, 32, 0), var->index);
}

static struct ir_var *new_var(struct geometry *g, struct ir_builder *b, uint8_t bits, uint64_t value, const char *name)
{
    struct ir_var *var = ir_var_create(g->shader, bits, 1, name);
    set_var(b, var, ir_const(b, bits, value));
    return var;
}

/* ---- inputs ---- */

static struct ir_value *replace_instr(const struct geometry *g, struct ir_builder *b, const struct ir_instr *instr)
{
    if (instr->op == IR_OP_load_per_vertex)
        return adreno_load_handover(b, g->plan, instr, g->part);
    if (instr->op == IR_OP_load_sysval && ir_imm(instr, IR_IMM_SYSVAL) == IR_SYSVAL_invocation_id)
        return g->invocation;
    return NULL;
}

static void lower_inputs_of(const struct geometry *g)
{
    ir_foreach_block (g->shader, block) {
        ir_foreach_instr (block, instr) {
            struct ir_builder b = ir_builder_before(g->shader, instr);
            struct ir_value *value = replace_instr(g, &b, instr);
            if (!value)
                continue;
            ir_replace_uses(&instr->def, value);
            ir_remove(instr);
        }
    }
}

/* ---- lists, for what follows takes blocks apart ---- */

struct list_of {
    struct ir_instr **at;
    uint32_t count;
};

static struct list_of collect_instrs(const struct geometry *g, bool (*is_wanted)(const struct ir_instr *instr))
{
    struct list_of found = {0};
    for (unsigned turn = 0; turn < 2; turn++) {
        uint32_t count = 0;
        ir_foreach_block (g->shader, block) {
            ir_foreach_instr (block, instr) {
                if (!is_wanted(instr))
                    continue;
                if (turn)
                    found.at[count] = instr;
                count++;
            }
        }
        if (!turn)
            found.at = ir_alloc_scratch(g->shader, (count + 1) * sizeof(struct ir_instr *));
        found.count = count;
    }
    return found;
}

/* ---- outputs ---- */

static bool is_output(const struct ir_instr *instr)
{
    return instr->op == IR_OP_store_output || instr->op == IR_OP_emit_vertex || instr->op == IR_OP_end_primitive;
}

static void create_outputs(struct geometry *g, struct ir_builder *b, const struct list_of *found)
{
    for (uint32_t i = 0; i < found->count; i++) {
        const struct ir_instr *instr = found->at[i];
        if (instr->op != IR_OP_store_output)
            continue;
        const struct ir_value *value = ir_src(instr, 0);
        if (!ir_is_const(ir_src(instr, 1)))
            ir_fail(g->shader, "an output of a geometry shader that is indexed by a computed number");
        for (uint32_t c = 0; c < value->comps; c++) {
            const uint32_t at = ir_imm(instr, IR_IMM_COMP) + c * (value->bits == 64 ? 2 : 1);
            struct ir_var **var = &g->outputs[stage_location(instr, ir_src(instr, 1))][at & 3];
            if (!*var)
                *var = new_var(g, b, value->bits, 0, "output");
            if ((*var)->bits != value->bits)
                ir_fail(g->shader, "an output of a geometry shader of two sizes");
        }
    }
}

static void keep_output(const struct geometry *g, struct ir_builder *b, const struct ir_instr *store)
{
    struct ir_value *value = ir_src(store, 0);
    for (uint32_t c = 0; c < value->comps; c++) {
        const uint32_t at = ir_imm(store, IR_IMM_COMP) + c * (value->bits == 64 ? 2 : 1);
        set_var(b, g->outputs[stage_location(store, ir_src(store, 1))][at & 3], ir_extract(b, value, c));
    }
}

static void emit_vertex(const struct geometry *g, struct ir_instr *emit, struct ir_instr *const *stores, uint32_t count)
{
    struct ir_builder b = ir_builder_before(g->shader, emit);
    struct ir_value *emitted = get_var(&b, g->emitted), *begins = get_var(&b, g->begins);
    ir_builder_push_if(&b, ir_ieq(&b, emitted, g->number));
    for (uint32_t i = 0; i < count; i++) {
        if (stores[i]->op == IR_OP_store_output)
            keep_output(g, &b, stores[i]);
    }
    set_var(&b, g->flags, ir_ior(&b, begins, ir_const(&b, 32, ir_imm(emit, IR_IMM_STREAM))));
    ir_builder_pop_if(&b);
    set_var(&b, g->emitted, ir_iadd(&b, emitted, ir_const(&b, 32, 1)));
    set_var(&b, g->begins, ir_const(&b, 32, 0));
}

static void lower_outputs(const struct geometry *g, const struct list_of *found)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < found->count; i++) {
        struct ir_instr *instr = found->at[i];
        if (instr->op == IR_OP_end_primitive) {
            struct ir_builder b = ir_builder_before(g->shader, instr);
            set_var(&b, g->begins, ir_const(&b, 32, FLAGS_BEGIN));
        } else if (instr->op == IR_OP_emit_vertex) {
            emit_vertex(g, instr, found->at + first, i - first);
            first = i + 1;
        }
    }
    for (uint32_t i = 0; i < found->count; i++)
        ir_remove(found->at[i]);
}

static void give_vertex(const struct geometry *g)
{
    struct ir_builder b = ir_builder_at_body_end(g->shader);
    ir_demote(&b, ir_uge(&b, g->number, get_var(&b, g->emitted)));
    ir_store_output(&b, get_var(&b, g->flags), ir_const(&b, 32, 0), ADRENO_LOCATION_FLAGS, 0, 0);
    for (uint32_t i = 0; i < STAGE_LOCATIONS * 4; i++) {
        const struct ir_var *var = g->outputs[i / 4][i % 4];
        if (var)
            ir_store_output(&b, get_var(&b, var), ir_const(&b, 32, 0), i / 4, i % 4, 0);
    }
}

/* ---- memory ---- */

static bool is_effect(const struct ir_instr *instr)
{
    return instr->op != IR_OP_barrier && ir_info(instr)->writes & (IR_TOUCH_BUFFER | IR_TOUCH_IMAGE);
}

static bool is_result(const struct ir_instr *instr)
{
    return is_effect(instr) && instr->def.bits && instr->def.uses.next != &instr->def.uses;
}

bool adreno_reads_results(const struct ir_shader *shader)
{
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            if (is_result(instr))
                return true;
        }
    }
    return false;
}

/* The other fibers find what the first one got in local memory: all of them are in its wave. */
static void share_result(const struct geometry *g, struct ir_builder *b, struct ir_instr *instr)
{
    if (g->shader->gs.vertices_out * (g->shader->gs.invocations ? g->shader->gs.invocations : 1) > WAVE)
        ir_fail(g->shader, "a geometry shader of more than a wave that reads what an atomic operation returns");
    const uint32_t first_B = (uint32_t)g->plan->vertices * g->plan->vertex_B;
    struct ir_value *own_B = ir_imul(b, g->invocation, ir_const(b, 32, ADRENO_RESULT_B));
    struct ir_value *address = ir_iadd(b, g->part, own_B);
    struct ir_if *node = ir_builder_push_if(b, ir_ieq(b, g->number, ir_const(b, 32, 0)));
    ir_move_to_end(instr, b->block);
    ir_builder_pop_if(b);
    ir_replace_uses(&instr->def, ir_load_shared(b, instr->def.bits, instr->def.comps, address, first_B, 4, 0));
    struct ir_builder inner = ir_builder_at_end(g->shader, ir_region_last(&node->then_region));
    ir_store_shared(&inner, &instr->def, address, first_B, 4, 0);
}

static void lower_effects(const struct geometry *g)
{
    const struct list_of found = collect_instrs(g, is_effect);
    for (uint32_t i = 0; i < found.count && g->shader->gs.vertices_out > 1; i++) {
        struct ir_instr *instr = found.at[i];
        struct ir_builder b = ir_builder_before(g->shader, instr);
        if (is_result(instr)) {
            share_result(g, &b, instr);
            continue;
        }
        ir_builder_push_if(&b, ir_ieq(&b, g->number, ir_const(&b, 32, 0)));
        ir_move_to_end(instr, b.block);
        ir_builder_pop_if(&b);
    }
}

bool adreno_lower_geometry(struct ir_shader *shader, const void *options)
{
    struct geometry g = {.shader = shader, .plan = options};
    struct ir_builder b = ir_builder_at_start(shader, ir_region_first(&shader->body));
    struct ir_value *header = ir_fiber_header(&b);
    const struct list_of found = collect_instrs(&g, is_output);
    g.part = adreno_handover_part(&b, g.plan, header, 0);
    g.invocation = adreno_header_field(&b, header, ADRENO_HEADER_INVOCATION);
    g.number = adreno_header_field(&b, header, ADRENO_HEADER_OUTPUT);
    g.emitted = new_var(&g, &b, 32, 0, "emitted");
    g.begins = new_var(&g, &b, 32, FLAGS_BEGIN, "begins");
    g.flags = new_var(&g, &b, 32, 0, "flags");
    create_outputs(&g, &b, &found);
    lower_inputs_of(&g);
    lower_effects(&g);
    lower_outputs(&g, &found);
    give_vertex(&g);
    return true;
}
