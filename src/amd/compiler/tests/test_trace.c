/* Ray tracing pipelines as Vulkan has them: which shaders a ray calls, in which order, and what they see. By the
 * interpreter, on a machine whose rays meet what its nodes say (trace_rig.h). */
#include "amd/compiler/tests/trace_rig.h"

#include "amd/compiler/compiler.h"

#define FRONT 0xfe
#define BACK 0xff
#define U 0x3e800000 /* 0.25 and 0.5 */
#define V 0x3f000000

/* ---- statements ---- */

static void a_ray_that_meets_nothing_calls_its_miss_shader(void **state)
{
    (void)state;
    const uint32_t bottom_B = trace_add_structure();
    struct trace_scene scene = trace_one_instance(bottom_B);
    scene.rules[4] = 2;
    expect(&scene, LOG_MISS | 18, 100);
    scene.rules[4] = 0xa0003; /* 16 bits of the number count */
    expect(&scene, LOG_MISS | 19, 100);
    scene.structure_B = 0;
    expect(&scene, LOG_MISS | 19, 100);
}

static void the_nearest_hit_is_the_one_that_counts(void **state)
{
    (void)state;
    const uint32_t bottom_B = trace_add_structure();
    trace_add_triangle(bottom_B, 30, 0, 0, true);
    trace_add_triangle(bottom_B, -10, 1, 0, true);
    trace_add_triangle(bottom_B, 20, 2, 0, true);
    struct trace_scene scene = trace_one_instance(bottom_B);
    expect(&scene, LOG_CLOSEST_HIT | 0, 1, 10, BACK, U, V);
    scene.t_min = 15;
    expect(&scene, LOG_CLOSEST_HIT | 0, 2, 20, FRONT, U, V);
    scene.rules[0] = 0x20; /* front faces are culled */
    expect(&scene, LOG_MISS | 16, 100);
}

/* The instance's offset, the ray's, and the geometry's number times the ray's stride; four bits of the ray's count. */
static void a_group_is_found_by_instance_ray_and_geometry(void **state)
{
    (void)state;
    const uint32_t bottom_B = trace_add_structure();
    trace_add_triangle(bottom_B, 5, 0, 5, true);
    struct trace_scene scene = {.structure_B = trace_add_structure(), .rules = {0, 0xff, 0x31, 0x42, 0}};
    trace_add_instance(scene.structure_B, bottom_B, 0, 3);
    expect(&scene, LOG_CLOSEST_HIT | (3 + 1 + 5 * 2), 0, 5, FRONT, U, V);
}

static void any_hit_shaders_judge_what_is_not_opaque(void **state)
{
    (void)state;
    const uint32_t bottom_B = trace_add_structure();
    trace_add_triangle(bottom_B, 30, 0, 0, false);
    trace_add_triangle(bottom_B, 10, 1, 0, false);
    trace_add_triangle(bottom_B, 20, 2, 0, false);
    struct trace_scene scene = trace_one_instance(bottom_B);
    trace_set_record(0, RECORD_VERDICTS, IR_RAY_VERDICT_ignore << 2); /* of primitive 1 */
    expect(&scene, LOG_ANY_HIT | 0, 30, LOG_ANY_HIT | 1, 10, LOG_ANY_HIT | 2, 20, LOG_CLOSEST_HIT, 2, 20, FRONT, U, V);
    trace_set_record(0, RECORD_VERDICTS, IR_RAY_VERDICT_terminate);
    expect(&scene, LOG_ANY_HIT | 0, 30, LOG_CLOSEST_HIT, 0, 30, FRONT, U, V);
    trace_set_record(0, RECORD_VERDICTS, IR_RAY_VERDICT_ignore * 0x15);
    expect(&scene, LOG_ANY_HIT | 0, 30, LOG_ANY_HIT | 1, 10, LOG_ANY_HIT | 2, 20, LOG_MISS | 16, 100);
    scene.rules[0] = 1; /* opaque by the ray's word */
    expect(&scene, LOG_CLOSEST_HIT, 1, 10, FRONT, U, V);
}

static void flags_end_rays_and_leave_shaders_out(void **state)
{
    (void)state;
    const uint32_t bottom_B = trace_add_structure();
    trace_add_triangle(bottom_B, 30, 0, 0, false);
    trace_add_triangle(bottom_B, 10, 1, 0, true);
    struct trace_scene scene = trace_one_instance(bottom_B);
    scene.rules[0] = TRACE_FLAG_TERMINATE_ON_FIRST_HIT;
    expect(&scene, LOG_ANY_HIT, 30, LOG_CLOSEST_HIT, 0, 30, FRONT, U, V);
    scene.rules[0] = TRACE_FLAG_SKIP_CLOSEST_HIT;
    expect(&scene, LOG_ANY_HIT, 30);
    scene.rules[0] = TRACE_FLAG_SKIP_TRIANGLES | TRACE_FLAG_SKIP_CLOSEST_HIT;
    expect(&scene, LOG_MISS | 16, 100);
}

/* The pipeline's word, which the ray's flags do not show. */
static void see_flags(struct ir_builder *b)
{
    trace_note(b, trace_hit(b, IR_RAY_flags));
    trace_note(b, trace_hit(b, IR_RAY_cull_mask));
}

static void a_pipeline_can_skip_triangles_or_boxes(void **state)
{
    (void)state;
    const uint32_t bottom_B = trace_add_structure();
    trace_add_triangle(bottom_B, 30, 0, 0, true);
    trace_add_box(bottom_B, 1, true);
    struct trace_scene scene = trace_one_instance(bottom_B);
    trace_set_record(0, RECORD_T, 20);
    scene.skips_boxes = true;
    scene.rules[0] = 0x10;
    scene.rules[1] = 0x7f3;
    scene.look = see_flags;
    expect(&scene, 0x10, 0xf3);
    scene.skips_boxes = false;
    scene.skips_triangles = true;
    expect(&scene, LOG_INTERSECTION | 1, 1, 20, 0x10, 0xf3);
}

static void an_intersection_shader_reports_hits(void **state)
{
    (void)state;
    const uint32_t bottom_B = trace_add_structure();
    trace_add_triangle(bottom_B, 50, 0, 0, true);
    trace_add_box(bottom_B, 1, true);
    struct trace_scene scene = trace_one_instance(bottom_B);
    /* Nearer ones count, each for itself; their kind and attributes reach the closest-hit shader. */
    trace_set_record(0, RECORD_T, 40);
    trace_set_record(0, RECORD_T_2, 30);
    expect(&scene, LOG_INTERSECTION | 1, 1, 40, 1, 30, LOG_CLOSEST_HIT, 1, 30, 8, 30, 130);
    /* One that is farther than what is met does not. */
    trace_set_record(0, RECORD_T_2, 45);
    expect(&scene, LOG_INTERSECTION | 1, 1, 40, 0, 40, LOG_CLOSEST_HIT, 1, 40, 7, 40, 140);
    trace_set_record(0, RECORD_T, 60);
    trace_set_record(0, RECORD_T_2, 0);
    expect(&scene, LOG_INTERSECTION | 1, 0, 50, LOG_CLOSEST_HIT, 0, 50, FRONT, U, V);
    /* The ends of the interval belong to it. */
    scene.t_min = 20;
    trace_set_record(0, RECORD_T, 20);
    expect(&scene, LOG_INTERSECTION | 1, 1, 20, LOG_CLOSEST_HIT, 1, 20, 7, 20, 120);
    trace_set_record(0, RECORD_T, 19);
    expect(&scene, LOG_INTERSECTION | 1, 0, 50, LOG_CLOSEST_HIT, 0, 50, FRONT, U, V);
}

/* A triangle that is nearer takes the place of what an intersection shader reported. */
static void attributes_are_those_of_the_last_hit(void **state)
{
    (void)state;
    const uint32_t bottom_B = trace_add_structure();
    trace_add_box(bottom_B, 1, true);
    trace_add_triangle(bottom_B, -10, 0, 0, false);
    struct trace_scene scene = trace_one_instance(bottom_B);
    trace_set_record(0, RECORD_T, 40);
    expect(&scene, LOG_INTERSECTION | 1, 1, 40, LOG_ANY_HIT | 0, 10, LOG_CLOSEST_HIT, 0, 10, BACK, U, V);
    trace_set_record(0, RECORD_VERDICTS, IR_RAY_VERDICT_ignore);
    expect(&scene, LOG_INTERSECTION | 1, 1, 40, LOG_ANY_HIT | 0, 10, LOG_CLOSEST_HIT, 1, 40, 7, 40, 140);
}

static void any_hit_shaders_judge_reports(void **state)
{
    (void)state;
    const uint32_t bottom_B = trace_add_structure();
    trace_add_box(bottom_B, 1, false);
    trace_add_box(bottom_B, 2, false);
    struct trace_scene scene = trace_one_instance(bottom_B);
    trace_set_record(0, RECORD_T, 40);
    trace_set_record(0, RECORD_VERDICTS, IR_RAY_VERDICT_ignore << 2);
    expect(&scene, LOG_INTERSECTION | 1, LOG_ANY_HIT | 1, 40, 0, 100, LOG_INTERSECTION | 2, LOG_ANY_HIT | 2, 40, 1, 40,
           LOG_CLOSEST_HIT, 2, 40, 7, 40, 140);
    /* The last word: the shader ends, and there is no other box. */
    trace_set_record(0, RECORD_T_2, 30);
    trace_set_record(0, RECORD_VERDICTS, IR_RAY_VERDICT_terminate << 2);
    expect(&scene, LOG_INTERSECTION | 1, LOG_ANY_HIT | 1, 40, 2, 40, LOG_CLOSEST_HIT, 1, 40, 7, 40, 140);
    trace_set_record(0, RECORD_VERDICTS, 0);
    scene.rules[0] = TRACE_FLAG_TERMINATE_ON_FIRST_HIT;
    expect(&scene, LOG_INTERSECTION | 1, LOG_ANY_HIT | 1, 40, 2, 40, LOG_CLOSEST_HIT, 1, 40, 7, 40, 140);
}

static void shaders_that_are_not_there_are_not_called(void **state)
{
    (void)state;
    const uint32_t bottom_B = trace_add_structure();
    trace_add_box(bottom_B, 1, false);
    trace_add_triangle(bottom_B, 10, 0, 0, false);
    struct trace_scene scene = trace_one_instance(bottom_B);
    trace_put_record(0, CODE_CLOSEST_HIT, 0, 0);
    expect(&scene, LOG_CLOSEST_HIT, 0, 10, FRONT, U, V);
    trace_put_record(0, 0, 0, 0);
    trace_put(SIZE, 0);
    trace_run(&scene);
    assert_int_equal(trace_results[0][0], 0);
    /* Nor those of a table that is not there. */
    trace_put_address(TABLES + TRACE_TABLES_HIT, 0);
    trace_run(&scene);
    assert_int_equal(trace_results[0][0], 0);
    trace_put_address(TABLES + TRACE_TABLES_MISS, 0);
    scene.structure_B = 0;
    trace_run(&scene);
    assert_int_equal(trace_results[0][0], 0);
}

static void a_closest_hit_shader_sends_rays(void **state)
{
    (void)state;
    const uint32_t bottom_B = trace_add_structure();
    trace_add_triangle(bottom_B, 10, 3, 0, true);
    struct trace_scene scene = trace_one_instance(bottom_B);
    trace_set_record(0, RECORD_RAY, 1);
    expect(&scene, LOG_CLOSEST_HIT, 3, 10, FRONT, U, V, LOG_MISS | 17, 77, 42);
}

static void every_lane_has_its_own_shader(void **state)
{
    (void)state;
    struct trace_scene scene = {.rules = {0, 0xff, 0, 0, 0}, .miss_by_lane = true};
    trace_put_record(17, 0, 0, 0);
    trace_run(&scene);
    for (uint32_t lane = 0; lane < LANES; lane++) {
        assert_int_equal(trace_results[lane][0], lane == 1 ? 0 : 2);
        if (lane != 1)
            assert_int_equal(trace_results[lane][1], LOG_MISS | (16 + lane));
    }
}

static void a_callable_shader_works_on_its_callers_data(void **state)
{
    (void)state;
    struct trace_scene scene = {.rules = {0, 0xff, 0, 0, 0}, .callable = 4};
    trace_run(&scene);
    for (uint32_t lane = 0; lane < LANES; lane++)
        assert_int_equal(trace_results[lane][MAX_LOG], lane + 1 + 24 + 3);
}

/* ---- what a shader asks ---- */

static void look_at_candidate(struct ir_builder *b)
{
    static const uint8_t first[] = {IR_RAY_world_origin, IR_RAY_world_direction, IR_RAY_object_origin,
                                    IR_RAY_object_direction, IR_RAY_t_min};
    for (uint32_t i = 0; i < ARRAY_SIZE(first); i++)
        trace_note(b, ir_f2u(b, 32, trace_hit(b, first[i])));
    trace_note(b, trace_hit(b, IR_RAY_instance_id));
    trace_note(b, trace_hit(b, IR_RAY_custom_index));
    trace_note(b, trace_hit(b, IR_RAY_geometry_index));
    for (uint32_t i = 0; i < 12; i += 5) {
        trace_note(b, ir_f2u(b, 32, ir_extract(b, ir_hit_value(b, 12, IR_RAY_object_to_world), i)));
        trace_note(b, ir_f2u(b, 32, ir_extract(b, ir_hit_value(b, 12, IR_RAY_world_to_object), i)));
    }
    trace_note(b, ir_f2u(b, 32, ir_extract(b, ir_hit_value(b, 9, IR_RAY_vertices), 0)));
    struct ir_value *size = ir_load_sysval(b, 32, 3, IR_SYSVAL_launch_size);
    trace_note(b, ir_extract(b, size, 2));
}

static void a_shader_knows_its_ray_and_what_it_met(void **state)
{
    (void)state;
    const uint32_t bottom_B = trace_add_structure();
    trace_add_triangle(bottom_B, 10, 0, 4, true);
    struct trace_scene scene = trace_one_instance(bottom_B);
    scene.look = look_at_candidate;
    scene.t_min = 3;
    trace_put(SIZE + 8, 9);
    /* Matrices by columns: elements 0, 5 and 10 are rows 0, 2 and 1 of columns 0, 1 and 3. */
    expect(&scene, 10, 1, 21, 2, 3, 1042, 42, 4, 10, 2, 19, 0, 17, 2, 10, 9);
}

/* ---- as machine code ---- */

static void the_traversal_compiles(void **state)
{
    (void)state;
    for (uint8_t wave_size = 32; wave_size <= 64; wave_size += 32) {
        const struct amd_compile_options options = {.gfx = ISA_GFX10_3, .wave_size = wave_size};
        struct amd_binary binary;
        char error[256];
        struct ir_shader *shader = amd_trace_traversal(error);
        assert_non_null(shader);
        if (!amd_compile(shader, &options, &binary, error))
            fail_msg("%s", error);
        /* Its frame has the ray's block, and what waits to be visited. */
        assert_true(binary.config.scratch_size_B >= IR_FRAME_ARGS_B + TRACE_BLOCK_SIZE + 3 * 27 * 4);
        printf("# %u lanes: %u bytes of code, %u of the stack, %u VGPRs\n", wave_size, binary.code_size_B,
               binary.config.scratch_size_B, binary.config.num_vgprs);
        amd_binary_finish(&binary);
        ir_shader_destroy(shader);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_ray_that_meets_nothing_calls_its_miss_shader, trace_prepare),
        cmocka_unit_test_setup(the_nearest_hit_is_the_one_that_counts, trace_prepare),
        cmocka_unit_test_setup(a_group_is_found_by_instance_ray_and_geometry, trace_prepare),
        cmocka_unit_test_setup(any_hit_shaders_judge_what_is_not_opaque, trace_prepare),
        cmocka_unit_test_setup(flags_end_rays_and_leave_shaders_out, trace_prepare),
        cmocka_unit_test_setup(a_pipeline_can_skip_triangles_or_boxes, trace_prepare),
        cmocka_unit_test_setup(an_intersection_shader_reports_hits, trace_prepare),
        cmocka_unit_test_setup(attributes_are_those_of_the_last_hit, trace_prepare),
        cmocka_unit_test_setup(any_hit_shaders_judge_reports, trace_prepare),
        cmocka_unit_test_setup(shaders_that_are_not_there_are_not_called, trace_prepare),
        cmocka_unit_test_setup(a_closest_hit_shader_sends_rays, trace_prepare),
        cmocka_unit_test_setup(every_lane_has_its_own_shader, trace_prepare),
        cmocka_unit_test_setup(a_callable_shader_works_on_its_callers_data, trace_prepare),
        cmocka_unit_test_setup(a_shader_knows_its_ray_and_what_it_met, trace_prepare),
        cmocka_unit_test(the_traversal_compiles),
    };
    return cmocka_run_group_tests_name("trace", tests, NULL, NULL);
}
