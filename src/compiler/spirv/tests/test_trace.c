/* The stages of ray tracing pipelines: what a shader hands to another is private memory, what it was handed is memory
 * of the stack, its record is memory; built-ins are asked of the ray; modules that misuse them are refused with a
 * reason. */
#include "spirv_test.h"

#include <spirv/unified1/spirv.h>

static struct ir_shader *translate_stage(const char *name, enum ir_stage stage)
{
    const struct spirv_options options = {.stage = stage};
    return translate_words(name, &options);
}

static float as_float(const struct ir_value *value)
{
    return (float)ir_const_f64(value);
}

static struct ir_value *part(const struct ir_instr *instr, uint32_t src, uint32_t comp)
{
    struct ir_value *value = ir_component(ir_src(instr, src), comp);
    assert_non_null(value);
    return value;
}

/* --- calls --- */

static void a_ray_has_the_operands_of_its_instruction(void **state)
{
    (void)state;
    struct ir_shader *shader = translate_stage("rays_rgen", IR_STAGE_raygen);
    const struct ir_instr *ray = nth(shader, IR_OP_trace_ray, 0);
    static const uint32_t rules[] = {1, 0xff, 1, 2, 3};
    assert_int_equal(ir_def_instr(ir_src(ray, 0))->op, IR_OP_ray_structure);
    for (uint32_t i = 0; i < ARRAY_SIZE(rules); i++)
        assert_int_equal(ir_const_u64(part(ray, 1, i)), rules[i]);
    assert_true(as_float(part(ray, 2, 3)) == 0.25f);
    assert_true(as_float(part(ray, 3, 2)) == 1.0f);
    assert_true(as_float(part(ray, 3, 3)) == 100.0f);
    ir_shader_destroy(shader);
}

/* Two payloads and callable data: three places in private memory that do not overlap. */
static void data_for_others_is_private_memory(void **state)
{
    (void)state;
    struct ir_shader *shader = translate_stage("rays_rgen", IR_STAGE_raygen);
    const struct ir_value *addresses[] = {ir_src(nth(shader, IR_OP_trace_ray, 0), 4),
                                          ir_src(nth(shader, IR_OP_trace_ray, 1), 4),
                                          ir_src(nth(shader, IR_OP_execute_callable, 0), 1)};
    static const uint32_t sizes_B[] = {32, 4, 16};
    for (uint32_t i = 0; i < 3; i++) {
        const struct ir_instr *address = ir_def_instr(addresses[i]);
        assert_int_equal(address->op, IR_OP_frame_address);
        const uint32_t at_B = ir_imm(address, IR_IMM_BASE);
        assert_true(at_B + sizes_B[i] <= shader->scratch_size_B);
        for (uint32_t k = 0; k < i; k++) {
            const uint32_t other_B = ir_imm(ir_def_instr(addresses[k]), IR_IMM_BASE);
            assert_true(at_B >= other_B + sizes_B[k] || other_B >= at_B + sizes_B[i]);
        }
    }
    assert_true(count_op(shader, IR_OP_store_scratch) >= 6 && count_op(shader, IR_OP_load_scratch) >= 6);
    assert_int_equal(count_op(shader, IR_OP_load_stack), 0);
    assert_int_equal(ir_const_u64(ir_src(nth(shader, IR_OP_execute_callable, 0), 0)), 5);
    ir_shader_destroy(shader);
}

/* The array of five bytes begins at byte 24 of the first payload: an element that is computed is one of them. */
static void an_index_does_not_lead_out_of_its_data(void **state)
{
    (void)state;
    struct ir_shader *shader = translate_stage("rays_rgen", IR_STAGE_raygen);
    const struct ir_instr *cut = nth(shader, IR_OP_umin, 0);
    const struct ir_value *last = ir_is_const(ir_src(cut, 1)) ? ir_src(cut, 1) : ir_src(cut, 0);
    assert_int_equal(ir_const_u64(last), 32 - 24 - 1);
    ir_shader_destroy(shader);
}

static void a_record_is_memory_that_nothing_writes(void **state)
{
    (void)state;
    struct ir_shader *shader = translate_stage("rays_rgen", IR_STAGE_raygen);
    const struct ir_instr *tint = nth(shader, IR_OP_load_global, 0), *factor = nth(shader, IR_OP_load_global, 1);
    assert_int_equal(ir_def_instr(ir_src(tint, 0))->op, IR_OP_shader_record);
    assert_int_equal(ir_imm(tint, IR_IMM_BASE), 0);
    assert_int_equal(ir_imm(factor, IR_IMM_BASE), 16);
    assert_true(ir_imm(tint, IR_IMM_ACCESS) & IR_ACCESS_READONLY);
    ir_shader_destroy(shader);
}

static void what_was_handed_over_is_read_through_its_address(void **state)
{
    (void)state;
    struct ir_shader *shader = translate_stage("rays_rcall", IR_STAGE_callable);
    const struct ir_instr *first = ir_def_instr(ir_src(nth(shader, IR_OP_execute_callable, 0), 1)),
                          *second = ir_def_instr(ir_src(nth(shader, IR_OP_execute_callable, 1), 1)),
                          *load = nth(shader, IR_OP_load_stack, 0);
    assert_int_equal(first->op, IR_OP_frame_address);
    assert_int_equal(second->op, IR_OP_incoming_data);
    assert_int_equal(ir_imm(second, IR_IMM_RAY_DATA), IR_RAY_DATA_callable);
    assert_int_equal(ir_def_instr(ir_src(load, 0))->op, IR_OP_incoming_data);
    ir_shader_destroy(shader);

    /* A ray with the payload that the shader itself was given. */
    shader = translate_stage("rays_rchit", IR_STAGE_closest_hit);
    assert_int_equal(ir_def_instr(ir_src(nth(shader, IR_OP_trace_ray, 0), 4))->op, IR_OP_frame_address);
    const struct ir_instr *own = ir_def_instr(ir_src(nth(shader, IR_OP_trace_ray, 1), 4));
    assert_int_equal(own->op, IR_OP_incoming_data);
    assert_int_equal(ir_imm(own, IR_IMM_RAY_DATA), IR_RAY_DATA_payload);
    ir_shader_destroy(shader);
}

/* --- hits --- */

static void attributes_belong_to_the_intersection_shader(void **state)
{
    (void)state;
    struct ir_shader *shader = translate_stage("rays_rint", IR_STAGE_intersection);
    assert_int_equal(count_op(shader, IR_OP_report_hit), 2);
    for (uint32_t i = 0; i < 2; i++) {
        const struct ir_instr *report = nth(shader, IR_OP_report_hit, i);
        assert_int_equal(ir_const_u64(ir_src(report, 1)), 5 + i);
        assert_int_equal(ir_def_instr(ir_src(report, 2))->op, IR_OP_frame_address);
        assert_int_equal(ir_imm(report, IR_IMM_SIZE), 16);
    }
    /* The second stands where the first was not the ray's last. */
    assert_true(nth(shader, IR_OP_report_hit, 1)->block->node.region != &shader->body);
    assert_int_equal(count_op(shader, IR_OP_load_stack) + count_op(shader, IR_OP_store_stack), 0);
    ir_shader_destroy(shader);

    shader = translate_stage("rays_rahit", IR_STAGE_any_hit);
    const struct ir_instr *load = nth(shader, IR_OP_incoming_data, 0);
    bool has_attributes = false;
    for (uint32_t i = 0; i < count_op(shader, IR_OP_incoming_data); i++) {
        load = nth(shader, IR_OP_incoming_data, i);
        has_attributes |= ir_imm(load, IR_IMM_RAY_DATA) == IR_RAY_DATA_attributes;
    }
    assert_true(has_attributes);
    ir_shader_destroy(shader);
}

/* Both words end the shader: what comes after them is not run for the lanes that said them. */
static void a_verdict_ends_the_shader(void **state)
{
    (void)state;
    struct ir_shader *shader = translate_stage("rays_rahit", IR_STAGE_any_hit);
    assert_int_equal(count_op(shader, IR_OP_judge_hit), 2);
    assert_int_equal(ir_imm(nth(shader, IR_OP_judge_hit, 0), IR_IMM_RAY_VERDICT), IR_RAY_VERDICT_ignore);
    assert_int_equal(ir_imm(nth(shader, IR_OP_judge_hit, 1), IR_IMM_RAY_VERDICT), IR_RAY_VERDICT_terminate);
    assert_true(nth(shader, IR_OP_judge_hit, 0)->block->node.region != &shader->body);
    ir_shader_destroy(shader);
}

static void built_ins_are_asked_of_the_ray(void **state)
{
    (void)state;
    static const uint8_t expected[] = {IR_RAY_world_origin,    IR_RAY_world_direction, IR_RAY_t,
                                       IR_RAY_t_min,           IR_RAY_object_origin,   IR_RAY_object_direction,
                                       IR_RAY_object_to_world, IR_RAY_world_to_object, IR_RAY_primitive_index,
                                       IR_RAY_instance_id,     IR_RAY_custom_index,    IR_RAY_geometry_index,
                                       IR_RAY_hit_kind,        IR_RAY_flags,           IR_RAY_cull_mask};
    struct ir_shader *shader = translate_stage("rays_rchit", IR_STAGE_closest_hit);
    bool seen[64] = {0};
    for (uint32_t i = 0; i < count_op(shader, IR_OP_hit_value); i++)
        seen[ir_imm(nth(shader, IR_OP_hit_value, i), IR_IMM_RAY_VALUE)] = true;
    for (uint32_t i = 0; i < ARRAY_SIZE(expected); i++)
        if (!seen[expected[i]])
            fail_msg("value %u is not asked", expected[i]);
    assert_true(shader->sysvals_read >> IR_SYSVAL_launch_id & 1 && shader->sysvals_read >> IR_SYSVAL_launch_size & 1);
    assert_false(shader->sysvals_read >> IR_SYSVAL_primitive_id & 1);
    ir_shader_destroy(shader);

    shader = translate_stage("rays_rmiss", IR_STAGE_miss);
    assert_int_equal(count_op(shader, IR_OP_hit_value), 3);
    ir_shader_destroy(shader);
}

/* An array of three vectors, of which one is chosen by a number that the shader computes. */
static void corners_of_a_triangle_are_values_of_the_hit(void **state)
{
    (void)state;
    struct ir_shader *shader = translate_stage("positions", IR_STAGE_closest_hit);
    uint32_t corners = 0;
    for (uint32_t i = 0; i < count_op(shader, IR_OP_hit_value); i++)
        corners += ir_imm(nth(shader, IR_OP_hit_value, i), IR_IMM_RAY_VALUE) == IR_RAY_vertices;
    assert_int_equal(corners, 2);
    const struct ir_instr *sum = nth(shader, IR_OP_fadd, 1), *known = ir_def_instr(ir_src(sum, 0));
    assert_int_equal(known->op, IR_OP_extract);
    assert_int_equal(ir_imm(known, IR_IMM_COMP), 7); /* y of the third */
    assert_int_equal(ir_def_instr(ir_src(sum, 1))->op, IR_OP_select);
    ir_shader_destroy(shader);
}

/* --- refusals --- */

static void the_capability_can_be_refused(void **state)
{
    (void)state;
    expect_capability("rays_rmiss", IR_STAGE_miss, SpvCapabilityRayTracingKHR, "RayTracing");
}

/* Word `word` of the first such instruction becomes another. */
static void refused(const char *name, enum ir_stage stage, uint32_t opcode, uint32_t word, uint32_t from_opcode,
                    uint32_t from_word, const char *text)
{
    const struct spirv_options options = {.stage = stage};
    struct module module = read_module(name);
    find_words(&module, opcode)[word] = find_words(&module, from_opcode)[from_word];
    expect_refusal(module, &options, text);
}

/* The module's entry point, said to be of another stage, has instructions or variables that are not its own. */
static void refused_as(const char *name, uint32_t model, enum ir_stage stage, const char *text)
{
    const struct spirv_options options = {.stage = stage};
    struct module module = read_module(name);
    find_words(&module, SpvOpEntryPoint)[1] = model;
    expect_refusal(module, &options, text);
}

static void misuse_is_refused(void **state)
{
    (void)state;
    const enum ir_stage raygen = IR_STAGE_raygen;
    refused("rays_rgen", raygen, SpvOpTraceRayKHR, 1, SpvOpTraceRayKHR, 2, "is no acceleration structure");
    refused("rays_rgen", raygen, SpvOpTraceRayKHR, 7, SpvOpTraceRayKHR, 8, "operand 6 is of another type");
    refused("rays_rgen", raygen, SpvOpTraceRayKHR, 3, SpvOpTraceRayKHR, 8, "operand 2 is of another type");
    refused("rays_rgen", raygen, SpvOpTraceRayKHR, 11, SpvOpExecuteCallableKHR, 2, "is no data for such a shader");
    refused("rays_rgen", raygen, SpvOpExecuteCallableKHR, 2, SpvOpTraceRayKHR, 11, "is no data for such a shader");
    refused("rays_rint", IR_STAGE_intersection, SpvOpReportIntersectionKHR, 3, SpvOpReportIntersectionKHR, 4,
            "operand 0 is of another type");
    refused_as("rays_rgen", SpvExecutionModelAnyHitKHR, IR_STAGE_any_hit, "a stage that has no such instruction");
    refused_as("rays_rint", SpvExecutionModelClosestHitKHR, IR_STAGE_closest_hit,
               "a stage that has no such instruction");
    refused_as("rays_rahit", SpvExecutionModelMissKHR, IR_STAGE_miss, "");
    refused_as("rays_rmiss", SpvExecutionModelFragment, IR_STAGE_fragment, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ray_has_the_operands_of_its_instruction),
        cmocka_unit_test(data_for_others_is_private_memory),
        cmocka_unit_test(an_index_does_not_lead_out_of_its_data),
        cmocka_unit_test(a_record_is_memory_that_nothing_writes),
        cmocka_unit_test(what_was_handed_over_is_read_through_its_address),
        cmocka_unit_test(attributes_belong_to_the_intersection_shader),
        cmocka_unit_test(a_verdict_ends_the_shader),
        cmocka_unit_test(built_ins_are_asked_of_the_ray),
        cmocka_unit_test(corners_of_a_triangle_are_values_of_the_hit),
        cmocka_unit_test(the_capability_can_be_refused),
        cmocka_unit_test(misuse_is_refused),
    };
    return cmocka_run_group_tests_name("spirv trace", tests, NULL, NULL);
}
