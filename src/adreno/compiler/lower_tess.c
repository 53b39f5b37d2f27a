/* Tessellation, as IR. A control shader finds its inputs in local memory (handover.c) and leaves what it gives in two
 * buffers, by the patch's number among those that are under way: levels, after a word for the primitive's number, where
 * the tessellator reads them; everything else where the evaluation shader looks for it. What a control shader reads of
 * its own outputs comes from there, too: the fibers of a patch are in one wave, so that its barriers are only about
 * memory. */
#include <string.h>

#include "adreno/compiler/compiler.h"
#include "adreno/compiler/lower_adreno.h"
#include "util/bits.h"

#define PATCH_ALIGN_B 64 /* lines of the cache: a patch has its own */

/* ---- the plan ---- */

static bool is_domain(enum ir_primitive input)
{
    return input == IR_PRIMITIVE_triangles || input == IR_PRIMITIVE_quads || input == IR_PRIMITIVE_isolines;
}

static bool is_level(uint32_t location)
{
    return location == IR_LOCATION_tess_level_outer || location == IR_LOCATION_tess_level_inner;
}

/* Slots that either has, but for levels. Returns how many there are. */
static uint32_t join_slots(uint8_t slots[STAGE_LOCATIONS], const uint8_t others[STAGE_LOCATIONS])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < STAGE_LOCATIONS; i++) {
        const bool is_used = (slots[i] != STAGE_NO_SLOT || others[i] != STAGE_NO_SLOT) && !is_level(i);
        slots[i] = is_used ? (uint8_t)count++ : STAGE_NO_SLOT;
    }
    return count;
}

void adreno_plan_tess(const struct ir_shader *control, const struct ir_shader *evaluation,
                      struct adreno_tess_plan *plan_out)
{
    uint8_t own[STAGE_LOCATIONS];
    memset(plan_out, 0, sizeof(*plan_out));
    plan_out->is_there = true;
    /* Either stage may say how patches are cut. */
    plan_out->domain = is_domain(evaluation->gs.input) ? evaluation->gs.input : control->gs.input;
    plan_out->spacing = evaluation->gs.spacing ? evaluation->gs.spacing : control->gs.spacing;
    plan_out->is_ccw = evaluation->gs.ccw || control->gs.ccw;
    plan_out->has_point_mode = evaluation->gs.point_mode || control->gs.point_mode;
    const uint32_t points = control->gs.vertices_out ? control->gs.vertices_out : evaluation->gs.vertices_out;
    plan_out->out_points = (uint8_t)MIN2(MAX2(points, 1u), 32u);
    plan_out->outer = plan_out->domain == IR_PRIMITIVE_quads ? 4 : plan_out->domain == IR_PRIMITIVE_triangles ? 3 : 2;
    plan_out->inner = plan_out->domain == IR_PRIMITIVE_quads ? 2 : plan_out->domain == IR_PRIMITIVE_triangles ? 1 : 0;
    stage_slots_of_loads(evaluation, IR_OP_load_per_vertex, 1, false, plan_out->vertex_slot);
    stage_slots_of_loads(control, IR_OP_load_vertex_output, 1, false, own);
    plan_out->vertex_B = (uint16_t)(16 * join_slots(plan_out->vertex_slot, own));
    stage_slots_of_loads(evaluation, IR_OP_load_input, 0, true, plan_out->patch_slot);
    stage_slots_of_loads(control, IR_OP_load_output, 0, true, own);
    plan_out->patch_first_B = plan_out->out_points * plan_out->vertex_B;
    plan_out->patch_B =
        (uint32_t)align_u64(plan_out->patch_first_B + 16 * join_slots(plan_out->patch_slot, own), PATCH_ALIGN_B);
}

/* ---- places in the buffers ---- */

struct tess {
    struct ir_shader *shader;
    const struct adreno_tess_plan *plan;
    const struct adreno_handover *handover; /* of a control shader */
    struct ir_value *params, *levels;       /* addresses of the patch's */
    struct ir_value *part, *invocation;     /* of a control shader */
};

struct place {
    struct ir_value *address;
    uint32_t base_B;
};

static void find_patch(struct tess *t, struct ir_builder *b)
{
    struct ir_value *bases = ir_tess_bases(b), *number = ir_patch_number(b);
    struct ir_value *params_B = ir_imul(b, number, ir_const(b, 32, t->plan->patch_B));
    struct ir_value *levels_B = ir_imul(b, number, ir_const(b, 32, adreno_levels_B(t->plan)));
    t->params = ir_iadd(b, ir_pack64(b, ir_extract(b, bases, 0), ir_extract(b, bases, 1)), ir_u2u(b, 64, params_B));
    t->levels = ir_iadd(b, ir_pack64(b, ir_extract(b, bases, 2), ir_extract(b, bases, 3)), ir_u2u(b, 64, levels_B));
}

/* `vertex` NULL: of the patch. */
static struct place place_of(const struct tess *t, struct ir_builder *b, const struct ir_instr *instr,
                             struct ir_value *vertex, struct ir_value *offset)
{
    const uint32_t location = stage_location(instr, offset), comp_B = ir_imm(instr, IR_IMM_COMP) * 4;
    struct ir_value *more = vertex ? ir_imul(b, vertex, ir_const(b, 32, t->plan->vertex_B)) : NULL;
    if (!ir_is_const(offset)) {
        struct ir_value *elements_B = ir_ishl(b, offset, ir_const(b, 32, 4));
        more = more ? ir_iadd(b, more, elements_B) : elements_B;
    }
    const uint32_t first_B =
        vertex ? t->plan->vertex_slot[location] * 16u : t->plan->patch_first_B + t->plan->patch_slot[location] * 16u;
    return (struct place){more ? ir_iadd(b, t->params, ir_u2u(b, 64, more)) : t->params, first_B + comp_B};
}

/* The first of the levels that an access names. */
static struct place level_place(const struct tess *t, const struct ir_instr *instr)
{
    const bool is_inner = ir_imm(instr, IR_IMM_LOCATION) == IR_LOCATION_tess_level_inner;
    return (struct place){t->levels, 4 * (1 + (is_inner ? t->plan->outer : 0u) + ir_imm(instr, IR_IMM_COMP))};
}

static bool has_level(const struct tess *t, const struct ir_instr *instr, uint32_t comp)
{
    const bool is_inner = ir_imm(instr, IR_IMM_LOCATION) == IR_LOCATION_tess_level_inner;
    return ir_imm(instr, IR_IMM_COMP) + comp < (is_inner ? t->plan->inner : t->plan->outer);
}

/* ---- values: a dword for each component, or two ---- */

static void store_place(struct ir_builder *b, const struct place *place, struct ir_value *value)
{
    if (value->bits != 16) {
        ir_store_global(b, value, place->address, place->base_B, 4, 0, 0);
        return;
    }
    for (uint32_t i = 0; i < value->comps; i++)
        ir_store_global(b, ir_u2u(b, 32, ir_extract(b, value, i)), place->address, place->base_B + i * 4, 4, 0, 0);
}

static struct ir_value *load_place(struct ir_builder *b, const struct place *place, uint8_t bits, uint8_t comps)
{
    struct ir_value *values[IR_MAX_COMPS];
    if (bits != 16)
        return ir_load_global(b, bits, comps, place->address, place->base_B, 4, 0, 0);
    for (uint32_t i = 0; i < comps; i++)
        values[i] = ir_u2u(b, 16, ir_load_global(b, 32, 1, place->address, place->base_B + i * 4, 4, 0, 0));
    return ir_vec(b, comps, values);
}

static struct ir_value *load_levels(const struct tess *t, struct ir_builder *b, const struct ir_instr *instr)
{
    struct ir_value *values[IR_MAX_COMPS];
    struct place place = level_place(t, instr);
    for (uint32_t i = 0; i < instr->def.comps; i++, place.base_B += 4)
        values[i] = has_level(t, instr, i) ? load_place(b, &place, 32, 1) : ir_const(b, 32, 0);
    return ir_vec(b, instr->def.comps, values);
}

static struct ir_value *load_patch(const struct tess *t, struct ir_builder *b, const struct ir_instr *instr)
{
    if (is_level(ir_imm(instr, IR_IMM_LOCATION)))
        return load_levels(t, b, instr);
    const struct place place = place_of(t, b, instr, NULL, ir_src(instr, 0));
    return load_place(b, &place, instr->def.bits, instr->def.comps);
}

static struct ir_value *load_vertex(const struct tess *t, struct ir_builder *b, const struct ir_instr *instr)
{
    const struct place place = place_of(t, b, instr, ir_src(instr, 0), ir_src(instr, 1));
    return load_place(b, &place, instr->def.bits, instr->def.comps);
}

static void replace_all(struct tess *t,
                        struct ir_value *(*replace)(const struct tess *t, struct ir_builder *b, struct ir_instr *instr))
{
    ir_foreach_block (t->shader, block) {
        ir_foreach_instr (block, instr) {
            struct ir_builder b = ir_builder_before(t->shader, instr);
            struct ir_value *value = replace(t, &b, instr);
            if (!value)
                continue;
            ir_replace_uses(&instr->def, value);
            ir_remove(instr);
        }
    }
}

/* ---- control shaders ---- */

static void store_patch(const struct tess *t, struct ir_builder *b, const struct ir_instr *instr)
{
    struct ir_value *value = ir_src(instr, 0);
    struct place place;
    if (!is_level(ir_imm(instr, IR_IMM_LOCATION))) {
        place = place_of(t, b, instr, NULL, ir_src(instr, 1));
        if (t->plan->patch_slot[stage_location(instr, ir_src(instr, 1))] != STAGE_NO_SLOT)
            store_place(b, &place, value);
        return;
    }
    place = level_place(t, instr);
    for (uint32_t i = 0; i < value->comps; i++, place.base_B += 4) {
        if (has_level(t, instr, i))
            store_place(b, &place, ir_extract(b, value, i));
    }
}

static void store_vertex(const struct tess *t, struct ir_builder *b, const struct ir_instr *instr)
{
    const struct place place = place_of(t, b, instr, ir_src(instr, 1), ir_src(instr, 2));
    if (t->plan->vertex_slot[stage_location(instr, ir_src(instr, 2))] != STAGE_NO_SLOT)
        store_place(b, &place, ir_src(instr, 0));
}

static void lower_stores(const struct tess *t)
{
    ir_foreach_block (t->shader, block) {
        ir_foreach_instr (block, instr) {
            struct ir_builder b = ir_builder_before(t->shader, instr);
            if (instr->op == IR_OP_barrier) {
                ir_set_imm(instr, IR_IMM_MEMORY, ir_imm(instr, IR_IMM_MEMORY) | IR_MEMORY_BUFFER);
                ir_set_imm(instr, IR_IMM_ORDER, IR_ORDER_ACQUIRE | IR_ORDER_RELEASE);
            }
            if (instr->op != IR_OP_store_output && instr->op != IR_OP_store_per_vertex)
                continue;
            if (instr->op == IR_OP_store_output)
                store_patch(t, &b, instr);
            else
                store_vertex(t, &b, instr);
            ir_remove(instr);
        }
    }
}

static struct ir_value *replace_in_control(const struct tess *t, struct ir_builder *b, struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_load_per_vertex:
        return adreno_load_handover(b, t->handover, instr, t->part);
    case IR_OP_load_vertex_output:
        return load_vertex(t, b, instr);
    case IR_OP_load_output:
        return load_patch(t, b, instr);
    case IR_OP_load_sysval:
        break;
    default:
        return NULL;
    }
    switch (ir_imm(instr, IR_IMM_SYSVAL)) {
    case IR_SYSVAL_invocation_id:
        return t->invocation;
    case IR_SYSVAL_patch_vertices:
        return t->handover->has_unknown_vertices ? NULL : ir_const(b, 32, t->handover->vertices);
    default:
        return NULL;
    }
}

/* Everything after the cursor stands under the condition, to the shader's end. */
static struct ir_if *put_under(struct ir_builder *b, struct ir_value *condition)
{
    struct ir_if *node = ir_builder_push_if(b, condition);
    struct ir_block *end = ir_region_first(&node->then_region);
    struct ir_region *body = node->node.region;
    list_remove(&end->node.link);
    for (struct ir_node *next; (next = ir_node_next(&node->node));) {
        list_remove(&next->link);
        next->region = &node->then_region;
        list_push_back(&node->then_region.nodes, &next->link);
    }
    end->node.region = body;
    list_push_back(&body->nodes, &end->node.link);
    return node;
}

/* A patch may have more fibers than it has points that come out. The first one leaves the primitive's number. */
bool adreno_lower_control(struct ir_shader *shader, const void *options)
{
    const struct adreno_stage_options *stage = options;
    struct tess t = {.shader = shader, .plan = &stage->tess, .handover = &stage->control};
    struct ir_builder b = ir_builder_at_start(shader, ir_region_first(&shader->body));
    struct ir_value *header = ir_fiber_header(&b);
    t.part = adreno_handover_part(&b, t.handover, header, t.handover->second_bit);
    t.invocation = adreno_header_field(&b, header, ADRENO_HEADER_INVOCATION);
    find_patch(&t, &b);
    lower_stores(&t);
    replace_all(&t, replace_in_control);
    b = ir_builder_after(shader, ir_def_instr(t.levels)); /* what stood after it may be gone */
    struct ir_if *node = put_under(&b, ir_ult(&b, t.invocation, ir_const(&b, 32, t.plan->out_points)));
    b = ir_builder_at_start(shader, ir_region_first(&node->then_region));
    ir_builder_push_if(&b, ir_ieq(&b, t.invocation, ir_const(&b, 32, 0)));
    ir_store_global(&b, ir_load_sysval(&b, 32, 1, IR_SYSVAL_primitive_id), t.levels, 0, 4, 0, 0);
    ir_builder_pop_if(&b);
    shader->num_outputs = 0;
    return true;
}

/* ---- evaluation shaders ---- */

static struct ir_value *replace_in_evaluation(const struct tess *t, struct ir_builder *b, struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_load_per_vertex:
        return load_vertex(t, b, instr);
    case IR_OP_load_input:
        return load_patch(t, b, instr);
    case IR_OP_load_sysval:
        break;
    default:
        return NULL;
    }
    switch (ir_imm(instr, IR_IMM_SYSVAL)) {
    case IR_SYSVAL_tess_coord:
        return stage_tess_coord(b, t->plan->domain);
    case IR_SYSVAL_patch_vertices:
        return ir_const(b, 32, t->plan->out_points);
    default:
        return NULL;
    }
}

bool adreno_lower_evaluation(struct ir_shader *shader, const void *options)
{
    const struct adreno_stage_options *stage = options;
    struct tess t = {.shader = shader, .plan = &stage->tess};
    struct ir_builder b = ir_builder_at_start(shader, ir_region_first(&shader->body));
    find_patch(&t, &b);
    replace_all(&t, replace_in_evaluation);
    shader->num_inputs = 0;
    return true;
}
