/* Stages that share a wave: what a vertex shader leaves for a geometry or a control shader, where, and how each of them
 * ends; what a control shader leaves in memory. */
#include "adreno/compiler/compiler.h"
#include "compiler/ir/tests/ir_test.h"

/* Position and two outputs: the geometry shader reads the position and x of location 1. */
static const char vertex_text[] = "shader vertex\n"
                                  "b0:\n"
                                  "  %0:32 = const 0x0\n"
                                  "  %1:32x4 = load_input %0 {location var0, comp 0}\n"
                                  "  store_output %1, %0 {location position, comp 0, dual_index 0}\n"
                                  "  store_output %1, %0 {location var0, comp 0, dual_index 0}\n"
                                  "  store_output %1, %0 {location var1, comp 0, dual_index 0}\n";
/* Each vertex of a triangle, as a strip; component x of location 2 nothing has written. */
static const char geometry_text[] = "shader geometry\n"
                                    "gs.vertices_in 3\n"
                                    "gs.vertices_out 2\n"
                                    "gs.invocations 1\n"
                                    "b0:\n"
                                    "  %0:32 = const 0x0\n"
                                    "  %1:32 = const 0x1\n"
                                    "  %2:32x4 = load_per_vertex %0, %0 {location position, comp 0}\n"
                                    "  %3:32 = load_per_vertex %1, %0 {location var1, comp 0}\n"
                                    "  %4:32 = load_per_vertex %1, %0 {location var2, comp 0}\n"
                                    "  %5:32 = load_sysval {sysval primitive_id}\n"
                                    "  %6:32 = iadd %4, %5\n"
                                    "  store_output %2, %0 {location position, comp 0, dual_index 0}\n"
                                    "  store_output %3, %0 {location var0, comp 0, dual_index 0}\n"
                                    "  emit_vertex {stream 0}\n"
                                    "  store_output %2, %0 {location position, comp 0, dual_index 0}\n"
                                    "  store_output %6, %0 {location var0, comp 0, dual_index 0}\n"
                                    "  emit_vertex {stream 0}\n"
                                    "  end_primitive {stream 0}\n";

static unsigned count(const char *text, const char *word)
{
    unsigned found = 0;
    for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
        found++;
    return found;
}

static struct adreno_binary compiled(struct ir_shader *shader, const struct adreno_stage_options *stage)
{
    char error[256] = "";
    struct adreno_binary binary;
    const struct adreno_compile_options options = {.stage = stage, .keep_text = true};
    if (!adreno_compile(shader, &options, &binary, error))
        fail_msg("%s", error);
    return binary;
}

static void test_only_what_is_read_has_a_place(void **state)
{
    struct ir_shader *vertex = parsed(vertex_text), *geometry = parsed(geometry_text);
    struct adreno_handover plan;
    (void)state;
    adreno_plan_handover(vertex, geometry, 3, &plan);
    assert_true(plan.is_there && plan.has_primitive_id);
    assert_int_equal(plan.slot[IR_LOCATION_position], 0);
    assert_int_equal(plan.slot[IR_LOCATION_VAR0], STAGE_NO_SLOT);
    assert_int_equal(plan.slot[IR_LOCATION_VAR0 + 1], 1);
    assert_int_equal(plan.stored[IR_LOCATION_VAR0 + 1], 15);
    assert_int_equal(plan.stored[IR_LOCATION_VAR0 + 2], 0);
    assert_int_equal(plan.vertex_B, 48);
    assert_int_equal(adreno_part_B(&plan), 144);
    ir_shader_destroy(vertex);
    ir_shader_destroy(geometry);
}

static void test_a_vertex_shader_chains(void **state)
{
    struct ir_shader *vertex = parsed(vertex_text), *geometry = parsed(geometry_text);
    struct adreno_stage_options stage = {0};
    (void)state;
    adreno_plan_handover(vertex, geometry, 3, &stage.geometry);
    struct adreno_binary binary = compiled(vertex, &stage);
    assert_int_equal(count(binary.disassembly, "stlw"), 2);
    assert_int_equal(count(binary.disassembly, "chmask"), 1);
    assert_int_equal(count(binary.disassembly, "chsh"), 1);
    assert_int_equal(count(binary.disassembly, "\tend"), 0);
    assert_int_equal(binary.config.header_reg, ADRENO_HEADER_REG);
    assert_int_equal(binary.config.vs.primitive_id_reg, ADRENO_PRIMITIVE_ID_REG);
    assert_int_equal(binary.config.vs.num_outputs, 0);
    adreno_binary_finish(&binary);
    ir_shader_destroy(vertex);
    ir_shader_destroy(geometry);
}

static void test_a_geometry_shader_gives_one_vertex(void **state)
{
    struct ir_shader *vertex = parsed(vertex_text), *geometry = parsed(geometry_text);
    struct adreno_stage_options stage = {0};
    (void)state;
    adreno_plan_handover(vertex, geometry, 3, &stage.geometry);
    struct adreno_binary binary = compiled(geometry, &stage);
    /* What nothing has written is not loaded. */
    assert_int_equal(count(binary.disassembly, "ldlw"), 2);
    assert_int_equal(count(binary.disassembly, "kill"), 1);
    assert_int_equal(count(binary.disassembly, "chsh"), 0);
    assert_int_equal(binary.config.gs.vertices_out, 2);
    assert_int_equal(binary.config.part_B, 144);
    assert_int_equal(binary.config.vs.num_outputs, 2);
    assert_int_not_equal(binary.config.gs.flags_reg, binary.config.vs.outputs[1].reg);
    adreno_binary_finish(&binary);
    ir_shader_destroy(vertex);
    ir_shader_destroy(geometry);
}

/* The first fiber of an invocation does what it does to memory alone; the others read the result in local memory, as long as
 * they are in its wave. */
static void test_results_of_atomics_are_shared(void **state)
{
    static const char counts[] = "shader geometry\n"
                                 "gs.vertices_in 1\n"
                                 "gs.vertices_out %u\n"
                                 "gs.invocations 2\n"
                                 "b0:\n"
                                 "  %%0:32 = const 0x0\n"
                                 "  %%1:64 = const 0x1000\n"
                                 "  %%2:32 = atomic_global %%1, %%0 {atomic iadd, base 0}\n"
                                 "  store_output %%2, %%0 {location var0, comp 0, dual_index 0}\n"
                                 "  emit_vertex {stream 0}\n";
    (void)state;
    for (unsigned vertices = 32; vertices <= 33; vertices++) {
        char text[1024], error[256] = "";
        snprintf(text, sizeof(text), counts, vertices);
        struct ir_shader *vertex = parsed(vertex_text), *geometry = parsed(text);
        struct adreno_stage_options stage = {0};
        struct adreno_binary binary;
        adreno_plan_handover(vertex, geometry, 1, &stage.geometry);
        assert_int_equal(stage.geometry.results_B, 16);
        const struct adreno_compile_options options = {.stage = &stage, .keep_text = true};
        const bool is_done = adreno_compile(geometry, &options, &binary, error);
        assert_int_equal(is_done, vertices == 32);
        if (is_done) {
            assert_int_equal(count(binary.disassembly, "ldlw"), 1);
            assert_int_equal(count(binary.disassembly, "stlw"), 1);
            adreno_binary_finish(&binary);
        } else {
            assert_non_null(strstr(error, "atomic"));
        }
        ir_shader_destroy(vertex);
        ir_shader_destroy(geometry);
    }
}

/* A buffer of feedback is of the stream whose emission its outputs are stored for. */
static void test_buffers_have_a_stream(void **state)
{
    static const char streams[] = "shader geometry\n"
                                  "xfb_stride_B[0] 4\n"
                                  "xfb_stride_B[2] 4\n"
                                  "gs.vertices_in 1\n"
                                  "gs.vertices_out 2\n"
                                  "gs.invocations 1\n"
                                  "capture { location var0 component 0 num_comps 1 bits 32 buffer 0 offset_B 0 }\n"
                                  "capture { location var1 component 1 num_comps 1 bits 32 buffer 2 offset_B 0 }\n"
                                  "b0:\n"
                                  "  %0:32 = const 0x0\n"
                                  "  store_output %0, %0 {location var1, comp 1, dual_index 0}\n"
                                  "  emit_vertex {stream 3}\n"
                                  "  store_output %0, %0 {location var0, comp 0, dual_index 0}\n"
                                  "  emit_vertex {stream 0}\n";
    struct ir_shader *vertex = parsed(vertex_text), *geometry = parsed(streams);
    struct adreno_stage_options stage = {0};
    (void)state;
    adreno_plan_handover(vertex, geometry, 1, &stage.geometry);
    struct adreno_binary binary = compiled(geometry, &stage);
    assert_int_equal(binary.config.vs.num_captures, 2);
    assert_int_equal(binary.config.vs.buffer_stream[0], 0);
    assert_int_equal(binary.config.vs.buffer_stream[2], 3);
    adreno_binary_finish(&binary);
    ir_shader_destroy(vertex);
    ir_shader_destroy(geometry);
}

/* Patches of two points, which become one; location 0 of the vertex, location 3 of the patch, and levels. */
static const char control_text[] = "shader tess_control\n"
                                   "gs.vertices_out 1\n"
                                   "b0:\n"
                                   "  %0:32 = const 0x0\n"
                                   "  %1:32x4 = load_per_vertex %0, %0 {location var0, comp 0}\n"
                                   "  %2:32 = load_sysval {sysval patch_vertices}\n"
                                   "  store_per_vertex %1, %0, %0 {location var0, comp 0}\n"
                                   "  store_per_vertex %1, %0, %0 {location var1, comp 0}\n"
                                   "  store_output %2, %0 {location var3, comp 0, dual_index 0}\n"
                                   "  store_output %1, %0 {location tess_level_outer, comp 0, dual_index 0}\n";
static const char evaluation_text[] = "shader tess_eval\n"
                                      "gs.input triangles\n"
                                      "b0:\n"
                                      "  %0:32 = const 0x0\n"
                                      "  %1:32x4 = load_per_vertex %0, %0 {location var0, comp 0}\n"
                                      "  %2:32 = load_input %0 {location var3, comp 0}\n"
                                      "  %3:32x3 = load_sysval {sysval tess_coord}\n"
                                      "  store_output %1, %0 {location position, comp 0, dual_index 0}\n"
                                      "  store_output %2, %0 {location var0, comp 0, dual_index 0}\n"
                                      "  store_output %3, %0 {location var1, comp 0, dual_index 0}\n";

static void test_patches_go_through_memory(void **state)
{
    struct ir_shader *vertex = parsed(vertex_text), *control = parsed(control_text),
                     *evaluation = parsed(evaluation_text);
    struct adreno_stage_options stage = {0};
    (void)state;
    adreno_plan_control(vertex, control, NULL, 2, &stage.control);
    adreno_plan_tess(control, evaluation, &stage.tess);
    assert_int_equal(adreno_part_B(&stage.control), 32);
    assert_int_equal(stage.tess.domain, IR_PRIMITIVE_triangles);
    assert_int_equal(stage.tess.out_points, 1);
    assert_int_equal(adreno_levels_B(&stage.tess), 20);
    assert_int_equal(stage.tess.vertex_slot[IR_LOCATION_VAR0], 0);
    assert_int_equal(stage.tess.vertex_slot[IR_LOCATION_VAR0 + 1], STAGE_NO_SLOT);
    assert_int_equal(stage.tess.patch_slot[IR_LOCATION_VAR0 + 3], 0);
    assert_int_equal(stage.tess.patch_first_B, 16);
    assert_int_equal(stage.tess.patch_B, 64);
    struct adreno_binary binary = compiled(control, &stage);
    assert_int_equal(count(binary.disassembly, "ldlw"), 1);
    /* The vertex, the patch's number of points, the primitive's number; three levels of four. */
    assert_in_range(count(binary.disassembly, "stg"), 4, 6);
    assert_int_not_equal(binary.config.param[ADRENO_PARAM_TESS], ADRENO_CONST_UNUSED);
    assert_int_equal(binary.config.param[ADRENO_PARAM_PATCH], ADRENO_CONST_UNUSED);
    adreno_binary_finish(&binary);
    binary = compiled(evaluation, &stage);
    assert_int_equal(count(binary.disassembly, "ldg"), 2);
    assert_int_equal(binary.config.vs.num_outputs, 3);
    assert_int_not_equal(binary.config.ds.point_reg[0], ADRENO_REG_UNUSED);
    adreno_binary_finish(&binary);
    ir_shader_destroy(vertex);
    ir_shader_destroy(control);
    ir_shader_destroy(evaluation);
}

/* As many points as a command says: room for all that there may be, and their number is a parameter. */
static void test_points_may_be_a_parameter(void **state)
{
    struct ir_shader *vertex = parsed(vertex_text), *control = parsed(control_text),
                     *evaluation = parsed(evaluation_text);
    struct adreno_stage_options stage = {0};
    (void)state;
    adreno_plan_control(vertex, control, NULL, 0, &stage.control);
    adreno_plan_tess(control, evaluation, &stage.tess);
    assert_int_equal(adreno_part_B(&stage.control), 32 * 16);
    struct adreno_binary binary = compiled(control, &stage);
    assert_int_not_equal(binary.config.param[ADRENO_PARAM_PATCH], ADRENO_CONST_UNUSED);
    adreno_binary_finish(&binary);
    ir_shader_destroy(vertex);
    ir_shader_destroy(control);
    ir_shader_destroy(evaluation);
}

/* The front end refuses modules that ask which memory is there; the IR's text comes without it. */
static void test_residency_is_refused(void **state)
{
    static const char *const operations[] = {
        "  %3:32x5 = load_image %0, %2, %0 {dim 2d, array 0, access residency}\n",
        "  %3:32x5 = tex %0, %0, %1 {tex_kind sample, dim 2d, tex_flags residency}\n"};
    for (unsigned i = 0; i < 2; i++) {
        char text[512], error[256] = "";
        struct adreno_binary binary;
        const struct adreno_compile_options options = {0};
        (void)state;
        snprintf(text, sizeof(text),
                 "shader fragment\nb0:\n  %%0:32 = const 0x0\n  %%1:32x2 = vec %%0, %%0\n"
                 "  %%2:32x2 = vec %%0, %%0\n%s",
                 operations[i]);
        struct ir_shader *shader = ir_parse(text, error);
        if (!shader)
            fail_msg("%s", error);
        assert_false(adreno_compile(shader, &options, &binary, error));
        assert_non_null(strstr(error, "which memory is there"));
        ir_shader_destroy(shader);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_what_is_read_has_a_place),
        cmocka_unit_test(test_a_vertex_shader_chains),
        cmocka_unit_test(test_a_geometry_shader_gives_one_vertex),
        cmocka_unit_test(test_results_of_atomics_are_shared),
        cmocka_unit_test(test_buffers_have_a_stream),
        cmocka_unit_test(test_patches_go_through_memory),
        cmocka_unit_test(test_points_may_be_a_parameter),
        cmocka_unit_test(test_residency_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
