/* See trace_rig.h. */
#include "amd/compiler/tests/trace_rig.h"

#include "amd/compiler/compiler.h"
#include "amd/compiler/lower_amd.h"
#include "amd/compiler/ray_layout.h"
#include "compiler/ir/ir_interpret.h"
#include "compiler/ir/opt.h"

#define MEMORY 0x100000u /* its address */
#define RECORDS 0x1000u
#define STRUCTURES 0x4000u
#define MEMORY_B 0x8000u
#define MAX_RECORDS 32u
#define RECORD_B 64u
#define RESULTS 0x900000u

/* ---- memory ---- */

static union {
    uint8_t bytes[MEMORY_B];
    uint32_t words[MEMORY_B / 4];
} memory;
static uint32_t used_B;
uint32_t trace_results[LANES][MAX_LOG + 1];

void trace_put(uint32_t at_B, uint32_t word)
{
    memory.words[at_B / 4] = word;
}

void trace_put_address(uint32_t at_B, uint64_t address)
{
    trace_put(at_B, (uint32_t)address);
    trace_put(at_B + 4, (uint32_t)(address >> 32));
}

static uint32_t float_word(float x)
{
    uint32_t word;
    memcpy(&word, &x, 4);
    return word;
}

uint32_t trace_add_structure(void)
{
    const uint32_t at_B = used_B = (uint32_t)align_u64(used_B, RAY_STRUCTURE_ALIGN);
    memset(&memory.bytes[at_B + RAY_ROOT_OFFSET], 0xff, RAY_BOXES_SIZE);
    used_B += RAY_ROOT_OFFSET + RAY_BOXES_SIZE;
    return at_B;
}

static uint32_t add_child(uint32_t structure_B, uint32_t kind, uint32_t size_B)
{
    uint32_t child_B = structure_B + RAY_ROOT_OFFSET;
    const uint32_t at_B = used_B;
    while (memory.words[child_B / 4] != RAY_NONE)
        child_B += 4;
    assert_true(child_B < structure_B + RAY_ROOT_OFFSET + 16);
    trace_put(child_B, RAY_REFERENCE(at_B - structure_B, kind));
    used_B += size_B;
    return at_B;
}

/* The instruction's answer lies where the vertices would: distance, side and weights. A negative distance is that of
 * a triangle that is seen from behind. */
void trace_add_triangle(uint32_t structure_B, float t, uint32_t primitive, uint32_t geometry, bool is_opaque)
{
    const uint32_t at_B = add_child(structure_B, RAY_KIND_TRIANGLE, RAY_LEAF_SIZE);
    const float side = t < 0 ? -1 : 1;
    trace_put(at_B, float_word(t));
    trace_put(at_B + 4, float_word(side));
    trace_put(at_B + 8, float_word(0.25f * side));
    trace_put(at_B + 12, float_word(0.5f * side));
    trace_put(at_B + RAY_LEAF_PRIMITIVE, primitive);
    trace_put(at_B + RAY_LEAF_GEOMETRY, geometry | (is_opaque ? RAY_GEOMETRY_OPAQUE : 0));
}

void trace_add_box(uint32_t structure_B, uint32_t primitive, bool is_opaque)
{
    const uint32_t at_B = add_child(structure_B, RAY_KIND_AABB, RAY_LEAF_SIZE);
    trace_put(at_B + RAY_LEAF_PRIMITIVE, primitive);
    trace_put(at_B + RAY_LEAF_GEOMETRY, is_opaque ? RAY_GEOMETRY_OPAQUE : 0);
}

void trace_add_instance(uint32_t top_B, uint32_t structure_B, uint32_t index, uint32_t record)
{
    const uint32_t at_B = add_child(top_B, RAY_KIND_INSTANCE, RAY_INSTANCE_SIZE);
    for (uint32_t i = 0; i < 12; i++) {
        trace_put(at_B + RAY_INSTANCE_WORLD_TO_OBJECT + 4 * i, float_word(i % 4 == 3       ? (float)(i / 4 + 1)
                                                                          : i % 4 == i / 4 ? 2.0f
                                                                                           : 0.0f));
        trace_put(at_B + RAY_INSTANCE_OBJECT_TO_WORLD + 4 * i, float_word((float)(10 + i)));
    }
    trace_put_address(at_B + RAY_INSTANCE_STRUCTURE, MEMORY + structure_B);
    trace_put(at_B + RAY_INSTANCE_INDEX_MASK, index | 0xffu << 24);
    trace_put(at_B + RAY_INSTANCE_SBT_FLAGS, record);
    trace_put(at_B + RAY_INSTANCE_ID, index + 1000);
}

/* ---- functions ---- */

static struct ir_value *trace_word(struct ir_builder *b, uint32_t value)
{
    return ir_const(b, 32, value);
}

static struct ir_value *record_word(struct ir_builder *b, uint32_t i)
{
    return ir_load_global(b, 32, 1, ir_shader_record(b), 4 * i, 4, 0, IR_ACCESS_READONLY);
}

static struct ir_value *tagged(struct ir_builder *b, uint32_t tag, struct ir_value *value)
{
    return ir_ior(b, trace_word(b, tag), value);
}

/* The payload: how many words there are, and the words. */
void trace_note(struct ir_builder *b, struct ir_value *value)
{
    struct ir_value *log = ir_incoming_data(b, IR_RAY_DATA_payload), *count = ir_load_stack(b, 32, 1, log, 0, 4, 0);
    count = ir_iadd(b, count, trace_word(b, 1));
    ir_store_stack(b, count, log, 0, 4, 0);
    ir_store_stack(b, value, ir_iadd(b, log, ir_ishl(b, count, trace_word(b, 2))), 0, 4, 0);
}

struct ir_value *trace_hit(struct ir_builder *b, enum ir_ray_value value)
{
    return ir_extract(b, ir_hit_value(b, ir_ray_value_comps(value), value), 0);
}

static void note_t(struct ir_builder *b)
{
    trace_note(b, ir_f2u(b, 32, trace_hit(b, IR_RAY_t)));
}

static void any_hit(struct ir_builder *b)
{
    struct ir_value *primitive = trace_hit(b, IR_RAY_primitive_index);
    struct ir_value *at = ir_ishl(b, primitive, trace_word(b, 1));
    struct ir_value *verdict = ir_ubfe(b, record_word(b, RECORD_VERDICTS), at, trace_word(b, 2));
    trace_note(b, tagged(b, LOG_ANY_HIT, primitive));
    note_t(b);
    ir_builder_push_if(b, ir_ieq(b, verdict, trace_word(b, IR_RAY_VERDICT_ignore)));
    ir_judge_hit(b, IR_RAY_VERDICT_ignore);
    ir_builder_pop_if(b);
    ir_builder_push_if(b, ir_ieq(b, verdict, trace_word(b, IR_RAY_VERDICT_terminate)));
    ir_judge_hit(b, IR_RAY_VERDICT_terminate);
    ir_builder_pop_if(b);
}

/* Attributes: the hit's distance as an integer, and 100 more. Behind its last hit it does nothing. */
static void intersection(struct ir_builder *b)
{
    struct ir_value *zero = trace_word(b, 0);
    struct ir_var *answer = ir_var_create(b->shader, 32, 1, "answer");
    b->shader->scratch_size_B = 16;
    trace_note(b, tagged(b, LOG_INTERSECTION, trace_hit(b, IR_RAY_primitive_index)));
    ir_store_var(b, zero, zero, answer->index);
    for (uint32_t i = 0; i < 2; i++) {
        struct ir_value *number = record_word(b, RECORD_T + i),
                        *has_ended = ir_ieq(b, ir_load_var(b, 32, 1, zero, answer->index), trace_word(b, 2));
        ir_builder_push_if(b, ir_iand(b, ir_ine(b, number, zero), ir_inot(b, has_ended)));
        struct ir_value *attributes[2] = {number, ir_iadd(b, number, trace_word(b, 100))};
        ir_store_scratch(b, ir_vec(b, 2, attributes), zero, 8, 4, 0);
        struct ir_value *said =
            ir_report_hit(b, ir_u2f(b, 32, number, 0), trace_word(b, 7 + i), ir_frame_address(b, 8), 8);
        ir_store_var(b, said, zero, answer->index);
        trace_note(b, said);
        note_t(b);
        ir_builder_pop_if(b);
    }
}

static void send_ray(struct ir_builder *b, struct ir_value *structure, const uint32_t rules[5], struct ir_value *miss,
                     double t_min, double t_max, struct ir_value *payload)
{
    struct ir_value *words[5], *from[4], *to[4];
    for (uint32_t i = 0; i < 5; i++)
        words[i] = i == 4 && miss ? miss : trace_word(b, rules[i]);
    for (uint32_t i = 0; i < 4; i++) {
        from[i] = ir_const_f(b, 32, i < 3 ? 10.0 * (i + 1) : t_min);
        to[i] = ir_const_f(b, 32, i < 3 ? i + 1.0 : t_max);
    }
    ir_trace_ray(b, structure, ir_vec(b, 5, words), ir_vec(b, 4, from), ir_vec(b, 4, to), payload);
}

static void closest_hit(struct ir_builder *b)
{
    struct ir_value *attributes = ir_incoming_data(b, IR_RAY_DATA_attributes);
    trace_note(b, tagged(b, LOG_CLOSEST_HIT, record_word(b, RECORD_NUMBER)));
    trace_note(b, trace_hit(b, IR_RAY_primitive_index));
    note_t(b);
    trace_note(b, trace_hit(b, IR_RAY_hit_kind));
    trace_note(b, ir_load_stack(b, 32, 1, attributes, 0, 4, 0));
    trace_note(b, ir_load_stack(b, 32, 1, attributes, 4, 4, 0));
    /* With its own payload, to where there is nothing. */
    ir_builder_push_if(b, ir_ieq(b, record_word(b, RECORD_RAY), trace_word(b, 1)));
    static const uint32_t rules[5] = {0, 0xff, 0, 0, 1};
    send_ray(b, ir_const(b, 64, 0), rules, NULL, 0, 77, ir_incoming_data(b, IR_RAY_DATA_payload));
    trace_note(b, trace_hit(b, IR_RAY_custom_index));
    ir_builder_pop_if(b);
}

static void miss_shader(struct ir_builder *b)
{
    trace_note(b, tagged(b, LOG_MISS, record_word(b, RECORD_NUMBER)));
    note_t(b);
}

static void callable(struct ir_builder *b)
{
    struct ir_value *data = ir_incoming_data(b, IR_RAY_DATA_callable);
    struct ir_value *sum = ir_iadd(b, ir_load_stack(b, 32, 1, data, 0, 4, 0), record_word(b, RECORD_NUMBER));
    ir_store_stack(b, sum, data, 0, 4, 0);
}

/* ---- a run ---- */

static bool source(void *data, const struct ir_instr *instr, uint32_t lane, uint32_t comp, const uint64_t *const *srcs,
                   uint64_t *out)
{
    (void)data, (void)lane;
    switch (instr->op) {
    case IR_OP_trace_tables:
        *out = MEMORY + TABLES;
        return true;
    case IR_OP_trace_size:
        *out = MEMORY + SIZE;
        return true;
    case IR_OP_trace_traversal:
        *out = CODE_TRAVERSAL;
        return true;
    case IR_OP_bvh_ray: {
        const uint64_t number = srcs[0][0], kind = number & 7, at_B = (number & ~7ull) * 8 - MEMORY;
        *out = kind == RAY_KIND_BOXES || kind == RAY_KIND_TRIANGLE ? memory.words[at_B / 4 + comp] : 0;
        return true;
    }
    default:
        return false;
    }
}

static void raygen(struct ir_builder *b, const struct trace_scene *scene)
{
    struct ir_value *zero = trace_word(b, 0),
                    *structure = ir_const(b, 64, scene->structure_B ? MEMORY + scene->structure_B : 0);
    struct ir_value *lane = ir_load_sysval(b, 32, 1, IR_SYSVAL_subgroup_lane);
    b->shader->scratch_size_B = 4 * (MAX_LOG + 1) + 16;
    ir_store_scratch(b, zero, zero, 0, 4, 0);
    send_ray(b, structure, scene->rules, scene->miss_by_lane ? lane : NULL, scene->t_min,
             scene->t_max > 0 ? scene->t_max : 100, ir_frame_address(b, 0));
    if (scene->callable) {
        ir_store_scratch(b, ir_iadd(b, lane, trace_word(b, 1)), zero, 4 * (MAX_LOG + 1), 4, 0);
        ir_execute_callable(b, trace_word(b, scene->callable - 1), ir_frame_address(b, 4 * (MAX_LOG + 1)));
        ir_store_scratch(b, ir_load_scratch(b, 32, 1, zero, 4 * (MAX_LOG + 1), 4, 0), zero, 4 * MAX_LOG, 4, 0);
    }
    struct ir_value *at =
        ir_iadd(b, ir_const(b, 64, RESULTS), ir_u2u(b, 64, ir_imul(b, lane, trace_word(b, sizeof(trace_results[0])))));
    for (uint32_t i = 0; i <= MAX_LOG; i++)
        ir_store_global(b, ir_load_scratch(b, 32, 1, zero, 4 * i, 4, 0), at, 4 * i, 4, 0, 0);
}

/* As compile.c does it. */
static void lower_shader(struct ir_shader *shader, const struct trace_scene *scene)
{
    const struct amd_stage_options stage = {
        .ray = {.skip_triangles = scene->skips_triangles, .skip_boxes = scene->skips_boxes}};
    const struct amd_compile_options options = {.gfx = ISA_GFX10_3, .wave_size = 32, .stage = &stage};
    struct ir_failure failure;
    if (ir_guard(shader, &failure))
        fail_msg("%s", failure.text);
    assert_null(ir_validate(shader));
    IR_PASS(shader, amd_lower_amd_trace, &options);
    IR_PASS(shader, amd_lower_amd_ray, NULL);
    if (scene->is_optimised)
        ir_optimise(shader, amd_target(options.gfx));
    assert_null(ir_validate(shader));
    shader->failure = NULL;
}

static struct ir_shader *make_stage(enum ir_stage stage, void (*build)(struct ir_builder *),
                                    const struct trace_scene *scene)
{
    struct ir_shader *shader = ir_shader_create(stage);
    struct ir_builder b = ir_builder_at_body_end(shader);
    if (build)
        build(&b);
    else
        raygen(&b, scene);
    lower_shader(shader, scene);
    return shader;
}

void trace_run(const struct trace_scene *scene)
{
    char error[256];
    struct ir_shader *traversal = amd_trace_traversal(error), *first = make_stage(IR_STAGE_raygen, NULL, scene);
    assert_non_null(traversal);
    lower_shader(traversal, scene);
    const struct ir_interpret_function functions[] = {
        {CODE_TRAVERSAL, traversal},
        {CODE_ANY_HIT, make_stage(IR_STAGE_any_hit, any_hit, scene)},
        {CODE_INTERSECTION, make_stage(IR_STAGE_intersection, intersection, scene)},
        {CODE_CLOSEST_HIT, make_stage(IR_STAGE_closest_hit, scene->look ? scene->look : closest_hit, scene)},
        {CODE_MISS, make_stage(IR_STAGE_miss, miss_shader, scene)},
        {CODE_CALLABLE, make_stage(IR_STAGE_callable, callable, scene)},
    };
    const struct ir_interpret_buffer buffers[] = {
        {.is_global = true, .address = MEMORY, .data = memory.bytes, .size_B = sizeof(memory)},
        {.is_global = true, .address = RESULTS, .data = trace_results, .size_B = sizeof(trace_results)},
    };
    const struct ir_interpret_options options = {.wave_size = LANES,
                                                 .num_lanes = LANES,
                                                 .buffers = buffers,
                                                 .num_buffers = ARRAY_SIZE(buffers),
                                                 .source = source,
                                                 .functions = functions,
                                                 .num_functions = ARRAY_SIZE(functions)};
    struct ir_interpret_result result;
    if (!ir_interpret(first, &options, &result))
        fail_msg("%s", result.error);
    assert_false(result.too_long);
    ir_interpret_finish(&result);
    for (uint32_t i = 0; i < ARRAY_SIZE(functions); i++)
        ir_shader_destroy(functions[i].shader);
    ir_shader_destroy(first);
}

void trace_expect_words(const struct trace_scene *scene, uint32_t count, const uint32_t *words)
{
    for (uint32_t pass = 0; pass < 2; pass++) {
        struct trace_scene now = *scene;
        now.is_optimised = pass;
        memset(trace_results, 0xee, sizeof(trace_results));
        trace_run(&now);
        for (uint32_t i = 0; i < count && i < trace_results[0][0]; i++)
            if (trace_results[0][1 + i] != words[i])
                fail_msg("word %u is 0x%x, not 0x%x", i, trace_results[0][1 + i], words[i]);
        assert_int_equal(trace_results[0][0], count);
    }
}
/* ---- tables ---- */

void trace_put_record(uint32_t number, uint64_t general, uint64_t any, uint64_t intersect)
{
    const uint32_t at_B = RECORDS + number * RECORD_B;
    assert_true(number < MAX_RECORDS);
    trace_put_address(at_B + TRACE_HANDLE_GENERAL, general);
    trace_put_address(at_B + TRACE_HANDLE_ANY_HIT, any);
    trace_put_address(at_B + TRACE_HANDLE_INTERSECTION, intersect);
    trace_put(at_B + TRACE_HANDLE_SIZE + 4 * RECORD_NUMBER, number);
}

void trace_set_record(uint32_t number, uint32_t record_word_number, uint32_t value)
{
    trace_put(RECORDS + number * RECORD_B + TRACE_HANDLE_SIZE + 4 * record_word_number, value);
}

int trace_prepare(void **state)
{
    static const uint32_t tables[][2] = {{TRACE_TABLES_HIT, 0}, {TRACE_TABLES_MISS, 16}, {TRACE_TABLES_CALLABLE, 24}};
    (void)state;
    memset(&memory, 0, sizeof(memory));
    used_B = STRUCTURES;
    for (uint32_t i = 0; i < ARRAY_SIZE(tables); i++) {
        trace_put_address(TABLES + tables[i][0], MEMORY + RECORDS + tables[i][1] * RECORD_B);
        trace_put_address(TABLES + tables[i][0] + TRACE_TABLE_STRIDE, RECORD_B);
    }
    for (uint32_t i = 0; i < MAX_RECORDS; i++) {
        if (i < 16)
            trace_put_record(i, CODE_CLOSEST_HIT, CODE_ANY_HIT, CODE_INTERSECTION);
        else
            trace_put_record(i, i < 24 ? CODE_MISS : CODE_CALLABLE, 0, 0);
    }
    return 0;
}

struct trace_scene trace_one_instance(uint32_t bottom_B)
{
    struct trace_scene scene = {.structure_B = trace_add_structure(), .rules = {0, 0xff, 0, 0, 0}};
    trace_add_instance(scene.structure_B, bottom_B, 42, 0);
    return scene;
}
