/* The walk of a ray query: nodes are visited, nearer ones first, until one of them is a candidate that the program has
 * to look at, or none is left. References that wait are a stack; the instance that a ray is in was entered at a
 * certain depth of it and is left when the stack is down to that again.
 *
 *     loop {
 *         none in hand? take the last that waits, leaving the instance where that was its last; the end where none waits
 *         boxes: the nearest child in hand, the others wait
 *         an instance whose mask fits: its root in hand, the ray in its space
 *         a triangle or box that counts: committed, or a candidate
 *     } */
#include "compiler/lower/lower_rays_state.h"

enum {
    INSTANCE_CULL_DISABLE = 0x1,
    INSTANCE_FLIP_FACING = 0x2,
    INSTANCE_FORCE_OPAQUE = 0x4,
    INSTANCE_FORCE_NO_OPAQUE = 0x8,
};

static void end_walk(const struct ray_query *query, bool found)
{
    struct ir_builder *b = query->b;
    ir_store_var(b, found ? ir_true(b) : ir_false(b), ray_const(query, 0), query->found->index);
    ir_jump(b, IR_OP_break);
}

/* ---- what waits ---- */

static struct ir_value *waiting_place(const struct ray_query *query, struct ir_value *depth)
{
    struct ir_builder *b = query->b;
    return ir_iadd(b, ir_imul(b, query->element, ray_const(query, query->state->stride)), depth);
}

/* Children after the first: the farthest is pushed first. Those that are not there are pushed over by the next. */
static void push_children(const struct ray_query *query, struct ir_value *words)
{
    struct ir_builder *b = query->b;
    struct ir_value *none = ray_const(query, query->machine->none), *depth = ray_load(query, RAY_DEPTH, 0);
    for (uint32_t i = 3; i > 0; i--) {
        struct ir_value *child = ir_extract(b, words, i);
        ir_store_var(b, child, waiting_place(query, depth), query->state->waiting->index);
        depth = ir_iadd(b, depth, ir_b2i(b, 32, ir_ine(b, child, none)));
    }
    ray_store(query, RAY_DEPTH, 0, depth);
}

static void take_one(const struct ray_query *query)
{
    struct ir_builder *b = query->b;
    struct ir_value *depth = ray_load(query, RAY_DEPTH, 0);
    ir_builder_push_if(b, ir_ieq(b, depth, ray_load(query, RAY_BOTTOM, 0)));
    ray_enter_top(query);
    ir_builder_pop_if(b);
    ir_builder_push_if(b, ir_ieq(b, depth, ray_const(query, 0)));
    end_walk(query, false);
    ir_builder_pop_if(b);
    struct ir_value *left = ir_isub(b, depth, ray_const(query, 1));
    ray_store(query, RAY_DEPTH, 0, left);
    ray_store(query, RAY_NODE, 0, ir_load_var(b, 32, 1, waiting_place(query, left), query->state->waiting->index));
}

/* ---- instances ---- */

static void visit_instance(const struct ray_query *query, struct ir_value *reference)
{
    const struct lower_rays_machine *machine = query->machine;
    struct ir_builder *b = query->b;
    struct lower_rays_instance instance;
    struct ir_value *from[3], *origin[3], *direction[3];
    machine->instance(b, ray_load(query, RAY_BASE, 0), reference, &instance);
    struct ir_value *common = ir_iand(b, instance.mask, ray_load(query, RAY_MASK, 0));
    ir_builder_push_if(b, ir_ine(b, common, ray_const(query, 0)));
    ray_load_vector(query, RAY_ORIGIN, from);
    ray_transform(query, instance.world_to_object, from, true, origin);
    ray_load_vector(query, RAY_DIRECTION, from);
    ray_transform(query, instance.world_to_object, from, false, direction);
    ray_enter_level(query, machine->base(b, instance.structure), origin, direction);
    ray_store(query, RAY_NODE, 0, ray_const(query, machine->root));
    ray_store(query, RAY_BOTTOM, 0, ray_load(query, RAY_DEPTH, 0));
    ray_store(query, RAY_INSTANCE, 0, reference);
    ray_store(query, RAY_INSTANCE_FLAGS, 0, instance.flags);
    ir_builder_pop_if(b);
}

/* ---- leaves ---- */

/* The ray's word counts more than the instance's, and that more than the geometry's. */
static struct ir_value *opacity(const struct ray_query *query, struct ir_value *is_opaque)
{
    struct ir_builder *b = query->b;
    struct ir_value *flags = ray_load(query, RAY_FLAGS, 0), *own = ray_load(query, RAY_INSTANCE_FLAGS, 0);
    is_opaque = ir_ior(b, is_opaque, ray_has(query, own, INSTANCE_FORCE_OPAQUE));
    is_opaque = ir_iand(b, is_opaque, ir_inot(b, ray_has(query, own, INSTANCE_FORCE_NO_OPAQUE)));
    is_opaque = ir_ior(b, is_opaque, ray_has(query, flags, RAY_FLAG_OPAQUE));
    return ir_iand(b, is_opaque, ir_inot(b, ray_has(query, flags, RAY_FLAG_NO_OPAQUE)));
}

static struct ir_value *one_of(const struct ray_query *query, struct ir_value *condition, uint32_t yes, uint32_t no)
{
    return ir_select(query->b, condition, ray_const(query, yes), ray_const(query, no));
}

/* Whether the query's flags have that one of two that the condition names. */
static struct ir_value *is_culled(const struct ray_query *query, struct ir_value *condition, uint32_t yes, uint32_t no)
{
    struct ir_value *flag = one_of(query, condition, yes, no);
    return ir_ine(query->b, ir_iand(query->b, ray_load(query, RAY_FLAGS, 0), flag), ray_const(query, 0));
}

/* The leaf becomes the candidate, unless it is culled by opacity: what is inside this if is begun here. */
static struct ir_value *push_candidate(const struct ray_query *query, struct ir_value *reference,
                                       enum ray_candidate kind)
{
    struct ir_builder *b = query->b;
    struct lower_rays_leaf leaf;
    query->machine->leaf(b, ray_load(query, RAY_BASE, 0), reference, &leaf);
    struct ir_value *is_opaque = opacity(query, leaf.is_opaque);
    ir_builder_push_if(b, ir_inot(b, is_culled(query, is_opaque, RAY_FLAG_CULL_OPAQUE, RAY_FLAG_CULL_NO_OPAQUE)));
    ray_store(query, RAY_SEEN_KIND, 0, ray_const(query, kind));
    ray_store(query, RAY_SEEN_PRIMITIVE, 0, leaf.primitive);
    ray_store(query, RAY_SEEN_GEOMETRY, 0, leaf.geometry);
    ray_store(query, RAY_SEEN_LEAF, 0, reference);
    return is_opaque;
}

/* A box's distance, weights and face are not known: zero. */
static void visit_box(const struct ray_query *query, struct ir_value *reference)
{
    struct ir_builder *b = query->b;
    struct ir_value *flags = ray_load(query, RAY_FLAGS, 0), *zero = ray_const(query, 0);
    ir_builder_push_if(b, ir_inot(b, ray_has(query, flags, RAY_FLAG_SKIP_BOXES)));
    struct ir_value *is_opaque = push_candidate(query, reference, RAY_CANDIDATE_BOX);
    ray_store(query, RAY_SEEN_OPAQUE, 0, ir_b2i(b, 32, is_opaque));
    ray_store(query, RAY_SEEN_T, 0, zero);
    ray_store(query, RAY_SEEN_U, 0, zero);
    ray_store(query, RAY_SEEN_V, 0, zero);
    ray_store(query, RAY_SEEN_FRONT, 0, zero);
    end_walk(query, true);
    ir_builder_pop_if(b);
    ir_builder_pop_if(b);
}

static struct ir_value *counts(const struct ray_query *query, const struct lower_rays_meeting *met,
                               struct ir_value *is_front)
{
    struct ir_builder *b = query->b;
    struct ir_value *own = ray_load(query, RAY_INSTANCE_FLAGS, 0),
                    *is_facing_culled =
                        is_culled(query, is_front, RAY_FLAG_CULL_FRONT_FACING, RAY_FLAG_CULL_BACK_FACING),
                    *culled = ir_iand(b, is_facing_culled, ir_inot(b, ray_has(query, own, INSTANCE_CULL_DISABLE))),
                    *skipped = ray_has(query, ray_load(query, RAY_FLAGS, 0), RAY_FLAG_SKIP_TRIANGLES),
                    *within = ir_iand(b, ir_flt(b, ray_load(query, RAY_T_MIN, 0), met->t),
                                      ir_flt(b, met->t, ray_load(query, RAY_T, 0)));
    return ir_iand(b, within, ir_inot(b, ir_ior(b, culled, skipped)));
}

static void visit_triangle(const struct ray_query *query, struct ir_value *reference, struct ir_value *words)
{
    struct ir_builder *b = query->b;
    struct lower_rays_meeting met;
    query->machine->meeting(b, words, &met);
    struct ir_value *is_flipped = ray_has(query, ray_load(query, RAY_INSTANCE_FLAGS, 0), INSTANCE_FLIP_FACING),
                    *is_front = ir_ixor(b, ir_flt(b, ray_const(query, 0), met.side), is_flipped);
    ir_builder_push_if(b, counts(query, &met, is_front));
    struct ir_value *is_opaque = push_candidate(query, reference, RAY_CANDIDATE_TRIANGLE);
    ray_store(query, RAY_SEEN_T, 0, met.t);
    ray_store(query, RAY_SEEN_U, 0, met.u);
    ray_store(query, RAY_SEEN_V, 0, met.v);
    ray_store(query, RAY_SEEN_FRONT, 0, ir_b2i(b, 32, is_front));
    ir_builder_push_if(b, is_opaque);
    ray_commit(query, RAY_COMMITTED_TRIANGLE, met.t);
    ir_builder_push_else(b);
    end_walk(query, true);
    ir_builder_pop_if(b);
    ir_builder_pop_if(b);
    ir_builder_pop_if(b);
}

/* ---- the loop ---- */

static void visit_node(const struct ray_query *query, struct ir_value *reference)
{
    const struct lower_rays_machine *machine = query->machine;
    struct ir_builder *b = query->b;
    struct lower_rays_ray ray = {.t = ray_load(query, RAY_T, 0)};
    ray_load_vector(query, RAY_LEVEL_ORIGIN, ray.origin);
    ray_load_vector(query, RAY_LEVEL_DIRECTION, ray.direction);
    ray_load_vector(query, RAY_LEVEL_INVERSE, ray.inverse);
    struct ir_value *words = machine->test(b, ray_load(query, RAY_BASE, 0), reference, &ray),
                    *none = ray_const(query, machine->none);
    ray_store(query, RAY_NODE, 0, none);
    ir_builder_push_if(b, machine->is_kind(b, reference, LOWER_RAYS_BOXES));
    ray_store(query, RAY_NODE, 0, ir_extract(b, words, 0));
    ir_builder_push_if(b, ir_ine(b, ir_extract(b, words, 1), none));
    push_children(query, words);
    ir_builder_pop_if(b);
    ir_builder_push_else(b);
    ir_builder_push_if(b, machine->is_kind(b, reference, LOWER_RAYS_TRIANGLE));
    visit_triangle(query, reference, words);
    ir_builder_push_else(b);
    ir_builder_push_if(b, machine->is_kind(b, reference, LOWER_RAYS_INSTANCE));
    visit_instance(query, reference);
    ir_builder_push_else(b);
    visit_box(query, reference);
    ir_builder_pop_if(b);
    ir_builder_pop_if(b);
    ir_builder_pop_if(b);
}

struct ir_value *ray_walk(const struct ray_query *query)
{
    struct ir_builder *b = query->b;
    ir_builder_push_loop(b);
    struct ir_value *in_hand = ray_load(query, RAY_NODE, 0);
    ir_builder_push_if(b, ir_ieq(b, in_hand, ray_const(query, query->machine->none)));
    take_one(query);
    ir_builder_pop_if(b);
    visit_node(query, ray_load(query, RAY_NODE, 0));
    ir_builder_pop_loop(b);
    return ir_load_var(b, 1, 1, ray_const(query, 0), query->found->index);
}
