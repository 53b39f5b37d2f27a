/* The traversal: the function that sends a ray for a shader. It is a program on a ray query
 * (compiler/lower/lower_rays.h has the walk) that looks at candidates as a pipeline does, by calling the shaders of
 * their groups:
 *
 *     begin
 *     while there is a candidate
 *         triangle   any hit: ignored, met, or met and the last
 *         box        intersection, which reports hits (lower_amd_trace.c)
 *     closest hit of what is met, or miss */
#include <stdio.h>

#include "amd/compiler/lower_amd_trace.h"

enum {
    CANDIDATE = 0,
    MET = 1,
};

/* SPIR-V's numbers of a query's answers. */
enum {
    CANDIDATE_TRIANGLE = 0,
    MET_NOTHING = 0,
    MET_TRIANGLE = 1,
};

struct traversal {
    struct ir_builder b;
    struct ir_var *query;
    struct ir_value *flags, *offset, *stride, *miss, *payload;
};

static struct ir_value *word(struct traversal *t, uint32_t value)
{
    return ir_const(&t->b, 32, value);
}

static struct ir_value *ask_value(struct traversal *t, enum ir_ray_value value, uint32_t committed)
{
    return ir_ray_value(&t->b, ir_ray_value_comps(value), word(t, 0), t->query->index, value, committed);
}

/* ---- the block ---- */

static void put_value(struct traversal *t, uint32_t place_B, struct ir_value *value)
{
    ir_store_scratch(&t->b, value, word(t, 0), place_B, 4, 0);
}

static struct ir_value *get_value(struct traversal *t, uint32_t place_B)
{
    return ir_load_scratch(&t->b, 32, 1, word(t, 0), place_B, 4, 0);
}

static struct ir_value *has_value(struct traversal *t, uint32_t place_B)
{
    return ir_ine(&t->b, get_value(t, place_B), word(t, 0));
}

static struct ir_value *low_bits(struct traversal *t, struct ir_value *value, uint32_t bits)
{
    return ir_iand(&t->b, value, word(t, (1u << bits) - 1));
}

static void begin_traversal(struct traversal *t)
{
    struct ir_builder *b = &t->b;
    struct ir_value *structure = ir_load_incoming(b, 2, TRACE_RAY_STRUCTURE),
                    *skip = ir_load_incoming(b, 1, TRACE_RAY_SKIP), *from = ir_load_incoming(b, 4, TRACE_RAY_FROM),
                    *to = ir_load_incoming(b, 4, TRACE_RAY_TO), *origin[3], *direction[3];
    t->flags = ir_load_incoming(b, 1, TRACE_RAY_FLAGS);
    struct ir_value *mask = low_bits(t, ir_load_incoming(b, 1, TRACE_RAY_MASK), TRACE_MASK_BITS);
    t->offset = low_bits(t, ir_load_incoming(b, 1, TRACE_RAY_OFFSET), TRACE_RECORD_BITS);
    t->stride = low_bits(t, ir_load_incoming(b, 1, TRACE_RAY_STRIDE), TRACE_RECORD_BITS);
    t->miss = low_bits(t, ir_load_incoming(b, 1, TRACE_RAY_MISS), TRACE_MISS_BITS);
    t->payload = ir_load_incoming(b, 1, TRACE_RAY_PAYLOAD);
    for (uint32_t i = 0; i < 3; i++) {
        origin[i] = ir_extract(b, from, i);
        direction[i] = ir_extract(b, to, i);
    }
    put_value(t, TRACE_BLOCK_FLAGS, t->flags);
    put_value(t, TRACE_BLOCK_MASK, mask);
    put_value(t, TRACE_BLOCK_T_MIN, ir_extract(b, from, 3));
    put_value(t, TRACE_BLOCK_ORIGIN, ir_vec(b, 3, origin));
    put_value(t, TRACE_BLOCK_DIRECTION, ir_vec(b, 3, direction));
    put_value(t, TRACE_BLOCK_ENDED, word(t, 0));
    struct ir_value *rules[2] = {ir_ior(b, t->flags, skip), mask};
    ir_ray_begin(b, word(t, 0), ir_pack64(b, ir_extract(b, structure, 0), ir_extract(b, structure, 1)),
                 ir_vec(b, 2, rules), from, to, t->query->index);
}

/* The candidate or the committed hit, and the record of its group. */
static struct ir_value *describe_candidate(struct traversal *t, uint32_t committed)
{
    struct ir_builder *b = &t->b;
    struct ir_value *geometry = ask_value(t, IR_RAY_geometry_index, committed);
    put_value(t, TRACE_BLOCK_INSTANCE, ask_value(t, IR_RAY_instance, committed));
    put_value(t, TRACE_BLOCK_LEAF, ask_value(t, IR_RAY_leaf, committed));
    put_value(t, TRACE_BLOCK_PRIMITIVE, ask_value(t, IR_RAY_primitive_index, committed));
    put_value(t, TRACE_BLOCK_GEOMETRY, geometry);
    struct ir_value *own = ir_iadd(b, ask_value(t, IR_RAY_sbt_offset, committed), t->offset);
    return amd_trace_record(b, TRACE_TABLES_HIT, ir_iadd(b, own, ir_imul(b, geometry, t->stride)));
}

static struct ir_value *facing(struct traversal *t, uint32_t committed)
{
    struct ir_value *is_front = ir_ine(&t->b, ask_value(t, IR_RAY_front_face, committed), word(t, 0));
    return ir_select(&t->b, is_front, word(t, TRACE_KIND_FRONT), word(t, TRACE_KIND_BACK));
}

static struct ir_value *block_at(struct traversal *t, uint32_t place_B)
{
    return ir_frame_address(&t->b, place_B);
}

/* ---- candidates ---- */

static void end_ray(struct traversal *t, struct ir_value *condition)
{
    ir_builder_push_if(&t->b, condition);
    ir_ray_terminate(&t->b, word(t, 0), t->query->index);
    ir_builder_pop_if(&t->b);
}

static void judge_triangle(struct traversal *t, struct ir_value *record)
{
    struct ir_builder *b = &t->b;
    put_value(t, TRACE_BLOCK_T, ask_value(t, IR_RAY_t, CANDIDATE));
    put_value(t, TRACE_BLOCK_HIT_KIND, facing(t, CANDIDATE));
    put_value(t, TRACE_BLOCK_WEIGHTS, ask_value(t, IR_RAY_barycentrics, CANDIDATE));
    const struct trace_call call = {.code = amd_trace_code(b, record, TRACE_HANDLE_ANY_HIT),
                                    .record = record,
                                    .ray = block_at(t, 0),
                                    .data = t->payload,
                                    .attributes = block_at(t, TRACE_BLOCK_WEIGHTS),
                                    .has_verdict = true};
    struct ir_value *verdict = amd_trace_call(b, &call);
    ir_builder_push_if(b, ir_ine(b, verdict, word(t, IR_RAY_VERDICT_ignore)));
    ir_ray_confirm(b, word(t, 0), t->query->index);
    end_ray(t, ir_ieq(b, verdict, word(t, IR_RAY_VERDICT_terminate)));
    ir_builder_pop_if(b);
}

static void judge_box(struct traversal *t, struct ir_value *record)
{
    struct ir_builder *b = &t->b;
    struct ir_value *is_opaque = ir_ine(b, ask_value(t, IR_RAY_box_opaque, CANDIDATE), word(t, 0)),
                    *any_hit = amd_trace_code(b, record, TRACE_HANDLE_ANY_HIT), *words[2];
    any_hit = ir_select(b, is_opaque, ir_const(b, 64, 0), any_hit);
    words[0] = ir_lo32(b, any_hit);
    words[1] = ir_hi32(b, any_hit);
    put_value(t, TRACE_BLOCK_T, ask_value(t, IR_RAY_t, MET));
    put_value(t, TRACE_BLOCK_ANY_HIT, ir_vec(b, 2, words));
    put_value(t, TRACE_BLOCK_ACCEPTED, word(t, 0));
    const struct trace_call call = {.code = amd_trace_code(b, record, TRACE_HANDLE_INTERSECTION),
                                    .record = record,
                                    .ray = block_at(t, 0),
                                    .data = t->payload};
    amd_trace_call(b, &call);
    ir_builder_push_if(b, has_value(t, TRACE_BLOCK_ACCEPTED));
    ir_ray_generate(b, word(t, 0), get_value(t, TRACE_BLOCK_T), t->query->index);
    end_ray(t, has_value(t, TRACE_BLOCK_ENDED));
    ir_builder_pop_if(b);
}

static void look_at_candidates(struct traversal *t)
{
    struct ir_builder *b = &t->b;
    ir_builder_push_loop(b);
    ir_builder_push_if(b, ir_inot(b, ir_ray_proceed(b, word(t, 0), t->query->index)));
    ir_jump(b, IR_OP_break);
    ir_builder_pop_if(b);
    struct ir_value *record = describe_candidate(t, CANDIDATE);
    ir_builder_push_if(b, ir_ieq(b, ask_value(t, IR_RAY_kind, CANDIDATE), word(t, CANDIDATE_TRIANGLE)));
    judge_triangle(t, record);
    ir_builder_push_else(b);
    judge_box(t, record);
    ir_builder_pop_if(b);
    ir_builder_pop_loop(b);
}

/* ---- the end ---- */

/* Of a triangle the weights, of others what the intersection shader left. */
static void describe_met(struct traversal *t, struct ir_value *met)
{
    struct ir_builder *b = &t->b;
    ir_builder_push_if(b, ir_ieq(b, met, word(t, MET_TRIANGLE)));
    put_value(t, TRACE_BLOCK_MET_ATTRIBUTES, ask_value(t, IR_RAY_barycentrics, MET));
    put_value(t, TRACE_BLOCK_HIT_KIND, facing(t, MET));
    ir_builder_push_else(b);
    put_value(t, TRACE_BLOCK_HIT_KIND, get_value(t, TRACE_BLOCK_MET_KIND));
    ir_builder_pop_if(b);
}

/* One call for both: lanes that hit and lanes that miss are served in one loop. */
static void call_last(struct traversal *t)
{
    struct ir_builder *b = &t->b;
    struct ir_value *met = ask_value(t, IR_RAY_kind, MET);
    put_value(t, TRACE_BLOCK_T, ask_value(t, IR_RAY_t, MET));
    struct ir_if *node = ir_builder_push_if(b, ir_ine(b, met, word(t, MET_NOTHING)));
    describe_met(t, met);
    struct ir_value *is_skipped = ir_ine(b, ir_iand(b, t->flags, word(t, TRACE_FLAG_SKIP_CLOSEST_HIT)), word(t, 0));
    struct ir_value *hit = ir_select(b, is_skipped, ir_const(b, 64, 0), describe_candidate(t, MET));
    ir_builder_push_else(b);
    struct ir_value *miss = amd_trace_record(b, TRACE_TABLES_MISS, t->miss);
    ir_builder_pop_if(b);
    struct ir_value *record = ir_if_phi(b, node, hit, miss);
    const struct trace_call call = {.code = amd_trace_code(b, record, TRACE_HANDLE_GENERAL),
                                    .record = record,
                                    .ray = block_at(t, 0),
                                    .data = t->payload,
                                    .attributes = block_at(t, TRACE_BLOCK_MET_ATTRIBUTES)};
    amd_trace_call(b, &call);
}

static void build_traversal(struct ir_shader *shader)
{
    struct traversal t = {.b = ir_builder_at_body_end(shader)};
    shader->name = "traversal";
    shader->scratch_size_B = TRACE_BLOCK_SIZE;
    t.query = ir_var_create(shader, 32, 1, "query");
    begin_traversal(&t);
    look_at_candidates(&t);
    call_last(&t);
}

struct ir_shader *amd_trace_traversal(char error_out[256])
{
    struct ir_failure failure;
    struct ir_shader *volatile shader = ir_shader_create(IR_STAGE_callable);
    if (!shader) {
        snprintf(error_out, 256, "out of memory");
        return NULL;
    }
    if (ir_guard(shader, &failure)) {
        snprintf(error_out, 256, "%s", failure.text);
        ir_shader_destroy(shader);
        return NULL;
    }
    build_traversal(shader);
    shader->failure = NULL;
    return shader;
}
