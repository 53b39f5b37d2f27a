/* Mesh and task shaders: outputs that belong to vertices and primitives, counts, and what one stage leaves to the
 * other. */
#include "spirv_test.h"

#define VERTICES 12
#define PRIMITIVES 4

static float float_of(uint64_t bits)
{
    const uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof(value));
    return value;
}

/* Of vertex or primitive `item`: the interpreter keeps those of each apart. */
static uint64_t output(const struct ir_interpret_result *run, uint32_t item, uint32_t location, uint32_t comp)
{
    const struct ir_interpret_output *found = ir_interpret_find_output(run, 0, location + (item + 1) * 4096, comp);
    if (!found)
        fail_msg("location %u of %u is not written", location, item);
    return found->value;
}

static const struct ir_io_var *find_var(const struct ir_shader *shader, uint32_t location)
{
    for (uint32_t i = 0; i < shader->num_outputs; i++) {
        if (shader->outputs[i].location == location)
            return &shader->outputs[i];
    }
    fail_msg("no output at location %u", location);
    return NULL;
}

static void outputs_of_a_workgroup(void **state)
{
    (void)state;
    const struct spirv_options options = {.stage = IR_STAGE_mesh};
    struct ir_shader *shader = translate_words("groups_mesh", &options);
    assert_int_equal(shader->stage, IR_STAGE_mesh);
    assert_int_equal(shader->gs.vertices_out, VERTICES);
    assert_int_equal(shader->gs.primitives_out, PRIMITIVES);
    assert_int_equal(shader->gs.output, IR_PRIMITIVE_triangles);
    assert_int_equal(shader->workgroup_size[1], 2);
    assert_int_equal(shader->payload_size_B, 16);
    assert_int_equal(shader->shared_size_B, 0);
    assert_false(find_var(shader, IR_LOCATION_VAR0)->per_primitive);
    assert_true(find_var(shader, IR_LOCATION_VAR0 + 3)->per_primitive);
    assert_int_equal(find_var(shader, IR_LOCATION_VAR0 + 4)->num_locations, 2);
    const struct ir_instr *counts = nth(shader, IR_OP_set_mesh_outputs, 0);
    assert_int_equal(ir_const_u64(ir_src(counts, 0)), VERTICES);
    assert_int_equal(ir_const_u64(ir_src(counts, 1)), PRIMITIVES);

    const struct ir_interpret_options how = {.wave_size = 32};
    struct ir_interpret_result run = run_shader(shader, &how);
    for (uint32_t v = 0; v < VERTICES; v++) {
        assert_true(float_of(output(&run, v, IR_LOCATION_position, 0)) == (float)v);
        assert_true(float_of(output(&run, v, IR_LOCATION_position, 1)) == (float)(v % 8 / 4));
        assert_true(float_of(output(&run, v, IR_LOCATION_VAR0, 0)) == (float)v + 0.5f);
        assert_true(float_of(output(&run, v, IR_LOCATION_VAR0 + 4 + (v & 1), 0)) == (float)v);
    }
    for (uint32_t p = 0; p < PRIMITIVES; p++) {
        for (uint32_t i = 0; i < 3; i++)
            assert_int_equal(output(&run, p, IR_LOCATION_primitive_indices, i), p * 3 + i);
        assert_int_equal(output(&run, p, IR_LOCATION_primitive_id, 0), p + 7);
        assert_int_equal(output(&run, p, IR_LOCATION_cull_primitive, 0), p == 2);
        assert_int_equal(output(&run, p, IR_LOCATION_VAR0 + 3, 0), p * p);
    }
    ir_interpret_finish(&run);
    ir_shader_destroy(shader);
}

/* The payload lies in the workgroup's memory, apart from what is the program's own. */
static void a_task_shader_leaves_its_payload(void **state)
{
    (void)state;
    const struct spirv_options options = {.stage = IR_STAGE_task};
    struct ir_shader *shader = translate_words("groups_task", &options);
    assert_int_equal(shader->payload_size_B, 16);
    assert_true(shader->payload_B + 16 <= shader->shared_size_B && shader->shared_size_B >= 20 + 16);
    const struct ir_instr *groups = nth(shader, IR_OP_emit_mesh_tasks, 0);
    assert_int_equal(ir_const_u64(ir_src(groups, 0)), 2);
    assert_int_equal(count_op(shader, IR_OP_load_payload), 0);
    const struct ir_interpret_options how = {.wave_size = 32, .workgroup_id = {5, 0, 0}};
    struct ir_interpret_result run = run_shader(shader, &how);
    ir_interpret_finish(&run);
    ir_shader_destroy(shader);
}

/* An entry point of another stage, and instructions that a stage does not have. */
static void stages_are_told_apart(void **state)
{
    (void)state;
    struct module module = read_module("groups_task");
    struct spirv_error error;
    const struct spirv_options options = {.stage = IR_STAGE_mesh};
    assert_null(spirv_to_ir(module.words, module.count, &options, &error));
    free(module.words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_of_a_workgroup),
        cmocka_unit_test(a_task_shader_leaves_its_payload),
        cmocka_unit_test(stages_are_told_apart),
    };
    return cmocka_run_group_tests_name("spirv mesh", tests, NULL, NULL);
}
