/* Ray queries on a machine whose rays meet what its nodes say they meet: no geometry, so that Vulkan's rules alone are
 * judged. A program asks for one candidate after the other, accepts some, and writes down what it saw and what the
 * query ends with; the interpreter runs it as it was lowered and optimised. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/ir/ir_interpret.h"
#include "compiler/ir/opt.h"
#include "compiler/ir/target.h"
#include "compiler/lower/lower_rays.h"
#include "util/bits.h"

#define NODE_WORDS 16
#define MAX_NODES 256
#define NONE UINT32_MAX
#define LEVELS 27
#define MAX_SEEN 16

/* ---- the machine: node n of a structure has NODE_WORDS words in a buffer; a structure's address is its first node
 * ---- */

enum {
    WORD_PRIMITIVE = 4,
    WORD_GEOMETRY = 5,
    WORD_OPAQUE = 6,
    WORD_STRUCTURE = 12,
    WORD_MASK = 13,
    WORD_FLAGS = 14,
    WORD_INDEX = 15,
};

static struct ir_value *base(struct ir_builder *b, struct ir_value *structure)
{
    (void)b;
    return structure;
}

static struct ir_value *is_kind(struct ir_builder *b, struct ir_value *reference, enum lower_rays_kind kind)
{
    return ir_ieq(b, ir_iand(b, reference, ir_const(b, 32, 3)), ir_const(b, 32, kind));
}

static struct ir_value *load_value(struct ir_builder *b, struct ir_value *start, struct ir_value *reference,
                                   uint32_t word, uint32_t count)
{
    struct ir_value *handle = ir_resource(b, ir_const(b, 32, 0), 0, 0, IR_RESOURCE_storage_buffer),
                    *node = ir_iadd(b, ir_lo32(b, start), ir_ushr(b, reference, ir_const(b, 32, 2)));
    return ir_load_ssbo(b, 32, (uint8_t)count, handle, ir_imul(b, node, ir_const(b, 32, NODE_WORDS * 4)), word * 4, 4,
                        0, 0);
}

static struct ir_value *test_node(struct ir_builder *b, struct ir_value *start, struct ir_value *reference,
                                  const struct lower_rays_ray *ray)
{
    (void)ray;
    return load_value(b, start, reference, 0, 4);
}

static void meeting(struct ir_builder *b, struct ir_value *words, struct lower_rays_meeting *out)
{
    out->t = ir_extract(b, words, 0);
    out->u = ir_extract(b, words, 1);
    out->v = ir_extract(b, words, 2);
    out->side = ir_extract(b, words, 3);
}

static void leaf(struct ir_builder *b, struct ir_value *start, struct ir_value *reference, struct lower_rays_leaf *out)
{
    struct ir_value *words = load_value(b, start, reference, WORD_PRIMITIVE, 3);
    out->primitive = ir_extract(b, words, 0);
    out->geometry = ir_extract(b, words, 1);
    out->is_opaque = ir_ine(b, ir_extract(b, words, 2), ir_const(b, 32, 0));
}

static void instance(struct ir_builder *b, struct ir_value *start, struct ir_value *reference,
                     struct lower_rays_instance *out)
{
    for (uint32_t i = 0; i < 12; i++)
        out->world_to_object[i] = load_value(b, start, reference, i, 1);
    out->structure = ir_u2u(b, 64, load_value(b, start, reference, WORD_STRUCTURE, 1));
    out->mask = load_value(b, start, reference, WORD_MASK, 1);
    out->flags = load_value(b, start, reference, WORD_FLAGS, 1);
}

static void value(struct ir_builder *b, struct ir_value *start, struct ir_value *reference, enum ir_ray_value what,
                  struct ir_value *out[12])
{
    for (uint32_t i = 0; i < 12; i++)
        out[i] = load_value(b, start, reference, what == IR_RAY_custom_index ? WORD_INDEX : i, 1);
}

static const struct lower_rays_machine machine = {
    .root = LOWER_RAYS_BOXES,
    .none = NONE,
    .max_references = LEVELS * 3,
    .base = base,
    .is_kind = is_kind,
    .test = test_node,
    .meeting = meeting,
    .leaf = leaf,
    .instance = instance,
    .value = value,
};

/* ---- worlds ---- */

static uint32_t nodes[MAX_NODES][NODE_WORDS], num_nodes;

static uint32_t word_of(float x)
{
    uint32_t word;
    memcpy(&word, &x, sizeof(word));
    return word;
}

static uint32_t add_node(uint32_t structure, enum lower_rays_kind kind)
{
    assert_true(num_nodes < MAX_NODES);
    memset(nodes[num_nodes], 0, sizeof(nodes[0]));
    return (num_nodes++ - structure) << 2 | kind;
}

static uint32_t *at(uint32_t structure, uint32_t reference)
{
    return nodes[structure + (reference >> 2)];
}

/* A structure begins with its root, without children. */
static uint32_t add_structure(void)
{
    const uint32_t structure = num_nodes;
    memset(at(structure, add_node(structure, LOWER_RAYS_BOXES)), 0xff, 16);
    return structure;
}

static void give_boxes(uint32_t structure, uint32_t boxes, uint32_t child)
{
    uint32_t *words = at(structure, boxes), n = 0;
    while (words[n] != NONE)
        n++;
    assert_true(n < 4);
    words[n] = child;
}

/* A leaf of the structure's root. Triangles are seen from the front unless they lie at a negative distance, which then
 * counts without its sign. */
static uint32_t add_leaf(uint32_t structure, enum lower_rays_kind kind, float t, uint32_t primitive, bool is_opaque)
{
    const uint32_t reference = add_node(structure, kind);
    uint32_t *words = at(structure, reference);
    words[0] = word_of(t < 0 ? -t : t);
    words[1] = word_of(0.25f);
    words[2] = word_of(0.5f);
    words[3] = word_of(t < 0 ? -2.0f : 2.0f);
    words[WORD_PRIMITIVE] = primitive;
    words[WORD_GEOMETRY] = primitive + 100;
    words[WORD_OPAQUE] = is_opaque;
    return reference;
}

static void leaf_of_root(uint32_t structure, enum lower_rays_kind kind, float t, uint32_t primitive, bool is_opaque)
{
    give_boxes(structure, LOWER_RAYS_BOXES, add_leaf(structure, kind, t, primitive, is_opaque));
}

/* Twice as large and moved by (1, 2, 3), as seen from the object. */
static uint32_t add_instance(uint32_t top, uint32_t structure, uint32_t mask, uint32_t flags, uint32_t index)
{
    const uint32_t reference = add_node(top, LOWER_RAYS_INSTANCE);
    uint32_t *words = at(top, reference);
    for (uint32_t i = 0; i < 12; i++)
        words[i] = word_of(i % 4 == 3 ? (float)(i / 4 + 1) : i % 4 == i / 4 ? 2.0f : 0.0f);
    words[WORD_STRUCTURE] = structure;
    words[WORD_MASK] = mask;
    words[WORD_FLAGS] = flags;
    words[WORD_INDEX] = index;
    return reference;
}

/* ---- the program ---- */

struct program {
    uint32_t structure, flags, mask; /* mask 0: all bits */
    float t_min, t_max;              /* t_max 0: 100 */
    uint32_t accepts;                /* bits: primitives */
    uint32_t stops_after;            /* candidates; 0: never */
    bool is_null, is_copied;         /* is_copied: another query walks, and hands over what it found */
};

struct story {
    uint32_t num_seen, seen[MAX_SEEN]; /* primitives; boxes have 0x100, opaque boxes 0x300 */
    uint32_t kind, primitive, geometry, index, front;
    float t, u, origin[3];
};

/* Words of the output. */
enum {
    OUT_SEEN = 1,
    OUT_KIND = OUT_SEEN + MAX_SEEN,
    OUT_T,
    OUT_PRIMITIVE,
    OUT_GEOMETRY,
    OUT_INDEX,
    OUT_FRONT,
    OUT_U,
    OUT_ORIGIN,
    OUT_WORDS = OUT_ORIGIN + 3
};

static void put_word(struct ir_builder *b, struct ir_value *word, struct ir_value *offset, uint32_t at_word)
{
    struct ir_value *handle = ir_resource(b, ir_const(b, 32, 0), 0, 1, IR_RESOURCE_storage_buffer);
    ir_store_ssbo(b, word, handle, offset ? offset : ir_const(b, 32, 0), at_word * 4, 4, 0, 0);
}

static struct ir_value *ask_query(struct ir_builder *b, struct ir_value *element, uint32_t query,
                                  enum ir_ray_value what, bool committed)
{
    return ir_ray_value(b, ir_ray_value_comps(what), element, query, what, committed);
}

static void begin_query(struct ir_builder *b, struct ir_value *element, uint32_t query, const struct program *p)
{
    struct ir_value *rules[2] = {ir_const(b, 32, p->flags), ir_const(b, 32, p->mask ? p->mask : 0xff)}, *from[4],
                    *to[4];
    for (uint32_t i = 0; i < 4; i++) {
        from[i] = ir_const_f(b, 32, i < 3 ? 10.0 * (i + 1) : (double)p->t_min);
        to[i] = ir_const_f(b, 32, i < 3 ? 1 : p->t_max > 0 ? (double)p->t_max : 100);
    }
    ir_ray_begin(b, element, ir_const(b, 64, p->is_null ? 0 : p->structure), ir_vec(b, 2, rules), ir_vec(b, 4, from),
                 ir_vec(b, 4, to), query);
}

/* The program's handling of a candidate; `count` of them were seen before. */
static void look_at_candidate(struct ir_builder *b, struct ir_value *element, uint32_t query, struct ir_var *count,
                              const struct program *p)
{
    struct ir_value *zero = ir_const(b, 32, 0), *number = ir_load_var(b, 32, 1, zero, count->index),
                    *next = ir_iadd(b, number, ir_const(b, 32, 1));
    struct ir_value *primitive = ask_query(b, element, query, IR_RAY_primitive_index, false),
                    *is_box = ir_ieq(b, ask_query(b, element, query, IR_RAY_kind, false), ir_const(b, 32, 1)),
                    *is_opaque = ir_ine(b, ask_query(b, element, query, IR_RAY_box_opaque, false), zero);
    struct ir_value *mark = ir_select(b, is_opaque, ir_const(b, 32, 0x300), ir_const(b, 32, 0x100));
    put_word(b, ir_ior(b, primitive, ir_select(b, is_box, mark, zero)), ir_ishl(b, number, ir_const(b, 32, 2)),
             OUT_SEEN);
    ir_store_var(b, next, zero, count->index);
    struct ir_value *bit = ir_iand(b, ir_ushr(b, ir_const(b, 32, p->accepts), primitive), ir_const(b, 32, 1));
    ir_builder_push_if(b, ir_ine(b, bit, zero));
    ir_builder_push_if(b, is_box);
    ir_ray_generate(b, element, ir_const_f(b, 32, 2.5), query);
    ir_builder_push_else(b);
    ir_ray_confirm(b, element, query);
    ir_builder_pop_if(b);
    ir_builder_pop_if(b);
    if (p->stops_after) {
        ir_builder_push_if(b, ir_ieq(b, next, ir_const(b, 32, p->stops_after)));
        ir_ray_terminate(b, element, query);
        ir_builder_pop_if(b);
    }
}

static void tell_hit(struct ir_builder *b, struct ir_value *element, uint32_t query, struct ir_var *count)
{
    static const uint8_t words[][2] = {{OUT_PRIMITIVE, IR_RAY_primitive_index},
                                       {OUT_GEOMETRY, IR_RAY_geometry_index},
                                       {OUT_INDEX, IR_RAY_custom_index},
                                       {OUT_FRONT, IR_RAY_front_face},
                                       {OUT_U, IR_RAY_barycentrics},
                                       {OUT_ORIGIN, IR_RAY_object_origin}};
    struct ir_value *zero = ir_const(b, 32, 0), *kind = ask_query(b, element, query, IR_RAY_kind, true);
    put_word(b, ir_load_var(b, 32, 1, zero, count->index), NULL, 0);
    put_word(b, kind, NULL, OUT_KIND);
    put_word(b, ask_query(b, element, query, IR_RAY_t, true), NULL, OUT_T);
    ir_builder_push_if(b, ir_ine(b, kind, zero));
    for (uint32_t i = 0; i < ARRAY_SIZE(words); i++) {
        struct ir_value *answer = ask_query(b, element, query, words[i][1], true);
        for (uint32_t k = 0; k < (words[i][0] == OUT_ORIGIN ? 3u : 1u); k++)
            put_word(b, ir_extract(b, answer, k), NULL, words[i][0] + k);
    }
    ir_builder_pop_if(b);
}

/* On to the next candidate by a copy, which then comes back; the query itself was ended meanwhile. */
static struct ir_value *proceed_query(struct ir_builder *b, struct ir_value *element, uint32_t query, uint32_t copy,
                                      const struct program *p)
{
    if (!p->is_copied)
        return ir_ray_proceed(b, element, query);
    struct ir_value *one = ir_const(b, 32, 1);
    ir_ray_copy(b, one, element, copy, query);
    ir_ray_terminate(b, element, query);
    struct ir_value *goes_on = ir_ray_proceed(b, one, copy);
    ir_ray_copy(b, element, one, query, copy);
    ir_ray_terminate(b, one, copy);
    return goes_on;
}

/* `queries` in one variable; the program works with one of them, and begins the others before and after. */
static struct ir_shader *write_program(const struct program *p, uint32_t queries, bool is_computed)
{
    struct ir_shader *shader = ir_shader_create(IR_STAGE_compute);
    assert_non_null(shader);
    for (uint32_t i = 0; i < 3; i++)
        shader->workgroup_size[i] = 1;
    struct ir_builder b = ir_builder_at_body_end(shader);
    const uint32_t query = ir_var_create(shader, 32, queries, "query")->index;
    const uint32_t other = ir_var_create(shader, 32, 2, "copy")->index;
    struct ir_var *count = ir_var_create(shader, 32, 1, "count");
    struct ir_value *element = ir_const(&b, 32, queries - 1);
    if (is_computed)
        element = ir_iadd(&b, ir_load_sysval(&b, 32, 1, IR_SYSVAL_local_index), element);
    const struct program nothing = {.structure = p->structure, .mask = 0x100};
    ir_store_var(&b, ir_const(&b, 32, 0), ir_const(&b, 32, 0), count->index);
    if (queries > 1)
        begin_query(&b, ir_const(&b, 32, 0), query, &nothing);
    begin_query(&b, element, query, p);
    if (queries > 2)
        begin_query(&b, ir_const(&b, 32, 1), query, &nothing);
    ir_builder_push_loop(&b);
    ir_builder_push_if(&b, ir_inot(&b, proceed_query(&b, element, query, other, p)));
    ir_jump(&b, IR_OP_break);
    ir_builder_pop_if(&b);
    look_at_candidate(&b, element, query, count, p);
    ir_builder_pop_loop(&b);
    /* A query that is at its end stays there. */
    ir_builder_push_if(&b, proceed_query(&b, element, query, other, p));
    put_word(&b, ir_const(&b, 32, 99), NULL, OUT_SEEN);
    ir_builder_pop_if(&b);
    tell_hit(&b, element, query, count);
    return shader;
}

static void lower_shader(struct ir_shader *shader, bool optimises)
{
    struct ir_failure failure;
    if (ir_guard(shader, &failure))
        fail_msg("%s", failure.text);
    assert_true(lower_rays(shader, &machine));
    const char *wrong = ir_validate(shader);
    if (wrong)
        fail_msg("%s", wrong);
    if (optimises)
        ir_optimise(shader, &ir_target_generic);
    ir_foreach_block (shader, block)
        ir_foreach_instr (block, instr)
            assert_true(ir_info(instr)->imm_slot[IR_IMM_QUERY] < 0);
    shader->failure = NULL;
}

static void run_one(const struct program *p, uint32_t queries, bool is_computed, bool optimises,
                    uint32_t out[OUT_WORDS])
{
    struct ir_shader *shader = write_program(p, queries, is_computed);
    lower_shader(shader, optimises);
    memset(out, 0, OUT_WORDS * 4);
    const struct ir_interpret_buffer buffers[] = {{.binding = 0, .data = nodes, .size_B = sizeof(nodes)},
                                                  {.binding = 1, .data = out, .size_B = OUT_WORDS * 4}};
    const struct ir_interpret_options options = {.wave_size = 32, .buffers = buffers, .num_buffers = 2};
    struct ir_interpret_result result;
    if (!ir_interpret(shader, &options, &result))
        fail_msg("%s", result.error);
    assert_false(result.too_long || result.used_undef);
    ir_interpret_finish(&result);
    ir_shader_destroy(shader);
}

/* In all forms of the program it is the same story. */
static struct story run_program(const struct program *p)
{
    uint32_t out[OUT_WORDS], again[OUT_WORDS];
    run_one(p, 1, false, false, out);
    for (uint32_t form = 1; form < 6; form++) {
        run_one(p, form / 2 + 1, form >= 4, form & 1, again);
        assert_memory_equal(out, again, sizeof(out));
    }
    struct story story = {.num_seen = out[0],
                          .kind = out[OUT_KIND],
                          .primitive = out[OUT_PRIMITIVE],
                          .geometry = out[OUT_GEOMETRY],
                          .index = out[OUT_INDEX],
                          .front = out[OUT_FRONT]};
    assert_true(story.num_seen <= MAX_SEEN);
    memcpy(story.seen, &out[OUT_SEEN], sizeof(story.seen));
    memcpy(&story.t, &out[OUT_T], 4);
    memcpy(&story.u, &out[OUT_U], 4);
    memcpy(story.origin, &out[OUT_ORIGIN], 12);
    return story;
}

/* One instance of one structure in node 1 onwards: node 0 is nobody's, for its address is null. */
static uint32_t bottom, top;
static void begin_world(uint32_t instance_flags)
{
    num_nodes = 1;
    bottom = add_structure();
    num_nodes += 20; /* its leaves */
    top = add_structure();
    give_boxes(top, LOWER_RAYS_BOXES, add_instance(top, bottom, 0x0f, instance_flags, 1234));
    num_nodes = bottom + 1;
}

static void triangle(float t, uint32_t primitive, bool is_opaque)
{
    leaf_of_root(bottom, LOWER_RAYS_TRIANGLE, t, primitive, is_opaque);
}

static void box(uint32_t primitive, bool is_opaque)
{
    leaf_of_root(bottom, LOWER_RAYS_BOX, 0, primitive, is_opaque);
}

/* ---- what is true ---- */

static void the_nearest_is_met_in_any_order(void **state)
{
    (void)state;
    static const uint8_t orders[][3] = {{0, 1, 2}, {2, 1, 0}, {1, 0, 2}};
    for (uint32_t i = 0; i < ARRAY_SIZE(orders); i++) {
        begin_world(0);
        for (uint32_t n = 0; n < 3; n++)
            triangle(3.0f + (float)orders[i][n], orders[i][n], true);
        const struct story story = run_program(&(struct program){.structure = top});
        assert_int_equal(story.num_seen, 0);
        assert_int_equal(story.kind, 1);
        assert_int_equal(story.primitive, 0);
        assert_int_equal(story.geometry, 100);
        assert_int_equal(story.index, 1234);
        assert_true(story.t == 3 && story.u == 0.25f);
        /* (10, 20, 30) through the instance. */
        assert_true(story.origin[0] == 21 && story.origin[1] == 42 && story.origin[2] == 63);
    }
}

static void a_confirmed_candidate_hides_what_is_behind_it(void **state)
{
    (void)state;
    begin_world(0);
    triangle(5, 0, false);
    triangle(3, 1, false);
    triangle(4, 2, false);
    triangle(2, 3, false);
    struct story story = run_program(&(struct program){.structure = top, .accepts = 1u << 1});
    const uint32_t seen[] = {0, 1, 3};
    assert_int_equal(story.num_seen, 3);
    assert_memory_equal(story.seen, seen, sizeof(seen));
    assert_int_equal(story.primitive, 1);
    /* None is accepted: all are shown, none is met. */
    story = run_program(&(struct program){.structure = top});
    assert_int_equal(story.num_seen, 4);
    assert_int_equal(story.kind, 0);
    assert_true(story.t == 100);
}

static void distances_are_between_the_ends(void **state)
{
    (void)state;
    static const struct {
        float t;
        bool is_met;
    } rows[] = {{1, false}, {1.0001f, true}, {7.999f, true}, {8, false}, {0.5f, false}, {9, false}};
    for (uint32_t i = 0; i < ARRAY_SIZE(rows); i++) {
        begin_world(0);
        triangle(rows[i].t, 0, true);
        const struct story story = run_program(&(struct program){.structure = top, .t_min = 1, .t_max = 8});
        assert_int_equal(story.kind, rows[i].is_met);
    }
}

/* Flags of the ray and of the instance: which of the four triangles (front and back, opaque and not) and two boxes
 * remain. Bits 0 to 3: opaque front, opaque back, front, back; 4: opaque box, 5: box. Opaque triangles are met, others
 * are candidates. */
static const struct {
    uint32_t flags, instance_flags;
    uint8_t met, candidates;
} rules[] = {
    {0, 0, 0x3, 0x3c},      {0x1, 0, 0xf, 0x30},                           /* opaque */
    {0x2, 0, 0x0, 0x3f},                                                   /* not opaque */
    {0, 0x4, 0xf, 0x30},                                                   /* by the instance */
    {0, 0x8, 0x0, 0x3f},    {0x1, 0x8, 0xf, 0x30},                         /* the ray counts more */
    {0x2, 0x4, 0x0, 0x3f},  {0x10, 0, 0x1, 0x34},                          /* without backs */
    {0x20, 0, 0x2, 0x38},                                                  /* without fronts */
    {0x10, 0x2, 0x2, 0x38},                                                /* turned by the instance */
    {0x20, 0x2, 0x1, 0x34}, {0x10, 0x1, 0x3, 0x3c},                        /* the instance forbids culling */
    {0x30, 0, 0x0, 0x30},   {0x40, 0, 0x0, 0x2c},                          /* without opaque ones */
    {0x80, 0, 0x3, 0x10},                                                  /* without others */
    {0x41, 0, 0x0, 0x00},   {0x80, 0x8, 0x0, 0x00}, {0x100, 0, 0x0, 0x30}, /* without triangles */
    {0x200, 0, 0x3, 0x0c},                                                 /* without boxes */
    {0x300, 0, 0x0, 0x00},
};

static void flags_say_what_is_left(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < ARRAY_SIZE(rules); i++) {
        uint8_t met = 0, candidates = 0;
        for (uint32_t n = 0; n < 6; n++) {
            begin_world(rules[i].instance_flags);
            if (n < 4)
                triangle(n & 1 ? -3.0f : 3.0f, n, n < 2);
            else
                box(n, n == 4);
            const struct story story = run_program(&(struct program){.structure = top, .flags = rules[i].flags});
            met |= (uint8_t)(story.kind << n);
            candidates |= (uint8_t)(story.num_seen << n);
        }
        if (met != rules[i].met || candidates != rules[i].candidates)
            fail_msg("flags %x and %x: %x are met and %x seen", rules[i].flags, rules[i].instance_flags, met,
                     candidates);
    }
}

static void a_face_is_turned_by_the_instance(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        begin_world(i & 1 ? 0x2 : 0);
        triangle(i & 2 ? -3.0f : 3.0f, 0, true);
        assert_int_equal(run_program(&(struct program){.structure = top}).front, i == 0 || i == 3);
    }
}

static void the_first_may_be_the_last(void **state)
{
    (void)state;
    begin_world(0);
    triangle(5, 0, true);
    triangle(3, 1, true);
    assert_int_equal(run_program(&(struct program){.structure = top, .flags = 0x4}).primitive, 0);
    begin_world(0);
    triangle(5, 0, false);
    triangle(4, 1, false);
    triangle(3, 2, false);
    const struct story story = run_program(&(struct program){.structure = top, .flags = 0x4, .accepts = 1u << 1});
    assert_int_equal(story.num_seen, 2);
    assert_int_equal(story.primitive, 1);
}

static void boxes_are_met_where_the_program_says(void **state)
{
    (void)state;
    begin_world(0);
    box(0, true);
    box(1, false);
    triangle(2, 2, true);
    triangle(3, 3, false);
    struct story story = run_program(&(struct program){.structure = top, .accepts = 1u << 1});
    assert_int_equal(story.num_seen, 2); /* the triangle at 3 is behind the box at 2.5 */
    assert_int_equal(story.seen[0], 0x300);
    assert_int_equal(story.seen[1], 0x101);
    assert_int_equal(story.kind, 1);
    assert_true(story.t == 2);
    story = run_program(&(struct program){.structure = top, .accepts = 1u << 0, .flags = 0x4});
    assert_int_equal(story.num_seen, 1);
    assert_int_equal(story.kind, 2);
    assert_true(story.t == 2.5f && story.u == 0);
}

static void a_terminated_query_shows_nothing_more(void **state)
{
    (void)state;
    begin_world(0);
    for (uint32_t n = 0; n < 4; n++)
        triangle(9.0f - (float)n, n, false);
    const struct story story = run_program(&(struct program){.structure = top, .accepts = 0xf, .stops_after = 2});
    assert_int_equal(story.num_seen, 2);
    assert_int_equal(story.primitive, 1); /* and keeps what it has */
}

static void masks_choose_instances(void **state)
{
    (void)state;
    begin_world(0);
    triangle(3, 0, true);
    num_nodes = top + 3;
    const uint32_t second = add_structure(), other = add_leaf(second, LOWER_RAYS_TRIANGLE, 2, 7, true);
    give_boxes(second, LOWER_RAYS_BOXES, other);
    give_boxes(top, LOWER_RAYS_BOXES, add_instance(top, second, 0xf0, 0, 77));
    static const struct {
        uint32_t mask, kind, primitive, index;
    } rows[] = {{0xff, 1, 7, 77}, {0x01, 1, 0, 1234}, {0x80, 1, 7, 77}, {0x100, 0, 0, 0}, {0x108, 1, 0, 1234}};
    for (uint32_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct story story = run_program(&(struct program){.structure = top, .mask = rows[i].mask});
        assert_int_equal(story.kind, rows[i].kind);
        if (!rows[i].kind)
            continue;
        assert_int_equal(story.primitive, rows[i].primitive);
        assert_int_equal(story.index, rows[i].index);
    }
}

/* As many levels as there may be, of both kinds, with everything waiting on each: the last leaf is the nearest. */
static uint32_t deep_tree(uint32_t levels, uint32_t (*leaf_at)(uint32_t structure, uint32_t number))
{
    const uint32_t structure = add_structure();
    uint32_t boxes = LOWER_RAYS_BOXES, number = 0;
    for (uint32_t level = 1; level < levels; level++) {
        const uint32_t below = add_node(structure, LOWER_RAYS_BOXES);
        memset(at(structure, below), 0xff, 16);
        give_boxes(structure, boxes, below);
        for (uint32_t i = 0; i < 3; i++)
            give_boxes(structure, boxes, leaf_at(structure, number++));
        boxes = below;
    }
    for (uint32_t i = 0; i < 4; i++)
        give_boxes(structure, boxes, leaf_at(structure, number++));
    return structure;
}

static uint32_t deep_bottom;
static uint32_t triangle_leaf(uint32_t structure, uint32_t number)
{
    return add_leaf(structure, LOWER_RAYS_TRIANGLE, number == 2 ? 1.0f : 50.0f - (float)number, number, true);
}
static uint32_t instance_leaf(uint32_t structure, uint32_t number)
{
    return add_instance(structure, deep_bottom, number == 36 ? 1 : 2, 0, number);
}

static void the_deepest_tree_is_walked_to_its_end(void **state)
{
    (void)state;
    num_nodes = 1;
    deep_bottom = deep_tree(15, triangle_leaf);
    const uint32_t deep_top = deep_tree(12, instance_leaf);
    struct story story = run_program(&(struct program){.structure = deep_top, .mask = 1});
    assert_int_equal(story.kind, 1);
    assert_int_equal(story.primitive, 2); /* waited at the bottom's root from the beginning */
    assert_int_equal(story.index, 36);
    story = run_program(&(struct program){.structure = deep_top, .mask = 2});
    assert_int_equal(story.primitive, 2);
}

/* Nodes that wait to be visited go with the copy, as do the candidate and the committed hit. */
static void a_copy_of_a_query_goes_on_where_it_was(void **state)
{
    (void)state;
    begin_world(0);
    triangle(5, 0, false);
    triangle(3, 1, false);
    box(2, false);
    triangle(2, 3, false);
    struct program p = {.structure = top, .accepts = 1u << 1 | 1u << 2};
    const struct story alone = run_program(&p);
    assert_int_equal(alone.num_seen, 4);
    p.is_copied = true;
    const struct story copied = run_program(&p);
    assert_memory_equal(&alone, &copied, sizeof(alone));
}

static void of_no_structure_nothing_is_met(void **state)
{
    (void)state;
    begin_world(0);
    triangle(3, 0, true);
    assert_int_equal(run_program(&(struct program){.structure = top, .is_null = true}).kind, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_is_met_in_any_order),
        cmocka_unit_test(a_confirmed_candidate_hides_what_is_behind_it),
        cmocka_unit_test(distances_are_between_the_ends),
        cmocka_unit_test(flags_say_what_is_left),
        cmocka_unit_test(a_face_is_turned_by_the_instance),
        cmocka_unit_test(the_first_may_be_the_last),
        cmocka_unit_test(boxes_are_met_where_the_program_says),
        cmocka_unit_test(a_terminated_query_shows_nothing_more),
        cmocka_unit_test(masks_choose_instances),
        cmocka_unit_test(the_deepest_tree_is_walked_to_its_end),
        cmocka_unit_test(a_copy_of_a_query_goes_on_where_it_was),
        cmocka_unit_test(of_no_structure_nothing_is_met),
    };
    return cmocka_run_group_tests_name("lower rays", tests, NULL, NULL);
}
