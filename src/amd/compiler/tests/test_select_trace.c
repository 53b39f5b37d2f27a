/* Ray tracing pipelines compiled and run on the model, in strict mode: entry, ray generation, traversal and shaders of
 * hits as functions, in waves of 32 and 64, beside what arithmetic in double finds (ray_world.h). A shader with a hit
 * to tell writes it into the payload, which the ray generation shader stores. */
#include "amd/compiler/function.h"
#include "amd/compiler/tests/ray_world.h"
#include "amd/compiler/trace_layout.h"
#include "compiler/ir/tests/ir_test.h"

#define WIDTH 16u
#define HEIGHT (LANES / WIDTH)
#define STACK_B 16384

static struct shader_rig rig;
static struct hit hits[LANES];

/* ---- shaders ---- */

static struct ir_value *word(struct ir_builder *b, uint32_t value)
{
    return ir_const(b, 32, value);
}

static struct ir_value *hit(struct ir_builder *b, enum ir_ray_value value)
{
    return ir_hit_value(b, 1, value);
}

struct rules {
    uint32_t flags, mask;
};

static void raygen(struct ir_builder *b, const struct rules *rules)
{
    struct ir_value *id = ir_load_sysval(b, 32, 3, IR_SYSVAL_launch_id),
                    *size = ir_load_sysval(b, 32, 3, IR_SYSVAL_launch_size), *zero = word(b, 0);
    struct ir_value *ray = ir_iadd(b, ir_imul(b, ir_extract(b, id, 1), ir_extract(b, size, 0)), ir_extract(b, id, 0));
    struct ir_value *in = ir_resource(b, zero, 0, 1, IR_RESOURCE_storage_buffer),
                    *out = ir_resource(b, zero, 0, 2, IR_RESOURCE_storage_buffer), *at = ir_ishl(b, ray, word(b, 5));
    struct ir_value *from = ir_load_ssbo(b, 32, 4, in, at, 0, 16, 0, 0),
                    *to = ir_load_ssbo(b, 32, 4, in, at, 16, 16, 0, 0);
    struct ir_value *structure = ir_ray_structure(b, ir_resource(b, zero, 0, 0, IR_RESOURCE_acceleration_structure));
    struct ir_value *words[5] = {word(b, rules->flags), word(b, rules->mask), zero, zero, zero};
    b->shader->scratch_size_B = 32;
    ir_store_scratch(b, word(b, 0xdead), zero, 16, 4, 0);
    ir_trace_ray(b, structure, ir_vec(b, 5, words), from, to, ir_frame_address(b, 16));
    ir_store_ssbo(b, ir_load_scratch(b, 32, 4, zero, 16, 4, 0), out, ir_ishl(b, ray, word(b, 4)), 0, 16, 0, 0);
}

static void tell_ray(struct ir_builder *b, struct ir_value *kind, struct ir_value *primitive, struct ir_value *index)
{
    struct ir_value *words[4] = {kind, primitive, index, hit(b, IR_RAY_t)};
    ir_store_stack(b, ir_vec(b, 4, words), ir_incoming_data(b, IR_RAY_DATA_payload), 0, 4, 0);
}

/* A hit of a box has kind 5, and its primitive's number as attribute. */
static void closest_hit(struct ir_builder *b)
{
    struct ir_value *is_box = ir_ieq(b, hit(b, IR_RAY_hit_kind), word(b, 5)),
                    *attribute = ir_load_stack(b, 32, 1, ir_incoming_data(b, IR_RAY_DATA_attributes), 0, 4, 0);
    tell_ray(b, ir_select(b, is_box, word(b, 2), word(b, 1)),
             ir_select(b, is_box, attribute, hit(b, IR_RAY_primitive_index)), hit(b, IR_RAY_custom_index));
}

static void miss_shader(struct ir_builder *b)
{
    tell_ray(b, word(b, 0), word(b, 0), word(b, 0));
}

static void any_hit(struct ir_builder *b)
{
    struct ir_value *primitive = hit(b, IR_RAY_primitive_index), *ignored = word(b, world.ignored ? world.ignored : 1);
    if (!world.ignored)
        return;
    ir_builder_push_if(b, ir_ieq(b, ir_umod(b, primitive, ignored), word(b, world.ignored - 1)));
    ir_judge_hit(b, IR_RAY_VERDICT_ignore);
    ir_builder_pop_if(b);
}

static void intersection(struct ir_builder *b)
{
    struct ir_value *primitive = hit(b, IR_RAY_primitive_index);
    struct ir_value *t =
        ir_ffma(b, ir_u2f(b, 32, primitive, IR_ROUNDING_any), ir_const_f(b, 32, 0.25), ir_const_f(b, 32, 900));
    b->shader->scratch_size_B = 16;
    ir_store_scratch(b, primitive, word(b, 0), 0, 4, 0);
    ir_report_hit(b, t, word(b, 5), ir_frame_address(b, 0), 4);
}

static struct ir_shader *make_stage(enum ir_stage stage, void (*build)(struct ir_builder *b))
{
    struct ir_shader *shader = ir_shader_create(stage);
    struct ir_builder b = ir_builder_at_body_end(shader);
    build(&b);
    return shader;
}

/* ---- a launch ---- */

enum {
    TRAVERSAL,
    RAYGEN,
    CLOSEST_HIT,
    ANY_HIT,
    INTERSECTION,
    MISS,
    FUNCTIONS
};

static void run_program(uint64_t structure, const struct rules *rules, unsigned wave_size, bool no_optimisation)
{
    char error[512];
    const uint32_t group[3] = {8, wave_size / 8, 1}, size[3] = {WIDTH, HEIGHT, 1};
    const uint32_t descriptor[12] = {(uint32_t)structure, (uint32_t)(structure >> 32)};
    uint64_t tables_va, size_va, record_va[3], *records[3];
    uint64_t *tables = shader_rig_alloc(&rig, TRACE_TABLES_CALLABLE + 24, &tables_va);
    memcpy(shader_rig_alloc(&rig, sizeof(size), &size_va), size, sizeof(size));
    for (unsigned i = 0; i < 3; i++) {
        records[i] = shader_rig_alloc(&rig, TRACE_HANDLE_SIZE, &record_va[i]);
        memset(records[i], 0, TRACE_HANDLE_SIZE);
    }
    /* All records of hits are one: the stride is 0. */
    memset(tables, 0, TRACE_TABLES_CALLABLE + 24);
    tables[0] = record_va[0];
    tables[TRACE_TABLES_MISS / 8] = record_va[1];
    tables[TRACE_TABLES_HIT / 8] = record_va[2];
    struct ir_shader *first = ir_shader_create(IR_STAGE_raygen);
    struct ir_builder b = ir_builder_at_body_end(first);
    raygen(&b, rules);
    struct ir_shader *functions[FUNCTIONS] = {
        [TRAVERSAL] = amd_trace_traversal(error),
        [RAYGEN] = first,
        [CLOSEST_HIT] = make_stage(IR_STAGE_closest_hit, closest_hit),
        [ANY_HIT] = make_stage(IR_STAGE_any_hit, any_hit),
        [INTERSECTION] = make_stage(IR_STAGE_intersection, intersection),
        [MISS] = make_stage(IR_STAGE_miss, miss_shader),
    };
    struct rig_buffer buffers[] = {{NULL, 0}, {rays, sizeof(rays)}, {hits, sizeof(hits)}};
    struct rig_shape shape = {.wave_size = wave_size,
                              .no_optimisation = no_optimisation,
                              .groups = {WIDTH / 8, (HEIGHT + group[1] - 1) / group[1], 1},
                              .buffers = buffers,
                              .num_buffers = 3,
                              .descriptors = {descriptor},
                              .functions = functions,
                              .num_functions = FUNCTIONS,
                              .stack_B = STACK_B,
                              .trace_tables = tables_va,
                              .trace_size = size_va};
    uint64_t *const places[FUNCTIONS] = {
        [TRAVERSAL] = &shape.traversal,
        [RAYGEN] = records[0],
        [MISS] = records[1],
        [CLOSEST_HIT] = records[2] + TRACE_HANDLE_GENERAL / 8,
        [ANY_HIT] = records[2] + TRACE_HANDLE_ANY_HIT / 8,
        [INTERSECTION] = records[2] + TRACE_HANDLE_INTERSECTION / 8,
    };
    shape.functions_out = places;
    memset(hits, 0xee, sizeof(hits));
    struct ir_shader *entry = amd_build_ray_entry(group);
    if (!shader_rig_run(&rig, entry, &shape, error))
        fail_msg("wave%u%s: %s", wave_size, no_optimisation ? " plain" : "", error);
    for (unsigned i = 0; i < FUNCTIONS; i++)
        ir_shader_destroy(functions[i]);
    ir_shader_destroy(entry);
}

static void meets_what_is_there(unsigned primitives, unsigned instances, bool has_boxes, bool is_opaque,
                                unsigned ignored)
{
    for (unsigned form = 0; form < 4; form++) {
        const struct rules rules = {0, form & 2 ? 0x15 : 0xff};
        char text[256];
        shader_rig_reset(&rig);
        ray_world_make(primitives, instances, has_boxes, 7 + primitives);
        world.ignored = ignored;
        run_program(ray_world_top(&rig, ray_world_bottom(&rig, is_opaque)), &rules, form & 1 ? 32 : 64, form == 3);
        if (!ray_world_check(hits, rules.mask, text))
            fail_msg("form %u: %s", form, text);
    }
}

static void opaque_triangles(void **state)
{
    (void)state;
    meets_what_is_there(12, 1, false, true, 0);
    meets_what_is_there(33, 6, false, true, 0);
}

static void triangles_that_any_hit_shaders_judge(void **state)
{
    (void)state;
    meets_what_is_there(40, 5, false, false, 0);
    meets_what_is_there(40, 5, false, false, 3);
}

static void boxes_with_intersection_shaders(void **state)
{
    (void)state;
    meets_what_is_there(12, 3, true, true, 0);
    meets_what_is_there(12, 3, true, false, 4);
}

static void nothing_is_met_in_no_structure(void **state)
{
    const struct rules rules = {0, 0xff};
    (void)state;
    shader_rig_reset(&rig);
    ray_world_make(3, 1, false, 1);
    run_program(0, &rules, 64, false);
    for (unsigned n = 0; n < LANES; n++) {
        assert_int_equal(hits[n].kind, 0);
        assert_true(hits[n].t == rays[n].most);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opaque_triangles),
        cmocka_unit_test(triangles_that_any_hit_shaders_judge),
        cmocka_unit_test(boxes_with_intersection_shaders),
        cmocka_unit_test(nothing_is_met_in_no_structure),
    };
    shader_rig_begin(&rig);
    int failed = cmocka_run_group_tests_name("select trace", tests, NULL, NULL);
    shader_rig_end(&rig);
    return failed;
}
