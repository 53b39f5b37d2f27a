/* Locations of outputs in VPC: what a fragment shader reads, what is captured, what the hardware takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "adreno/compiler/compiler.h"

/* Position in r0, a vec4 in r1 (location 0), y and z of location 3 in r2.xy. */
static struct adreno_shader_config vertex(void)
{
    struct adreno_shader_config vs = {.vs = {.num_outputs = 3,
                                             .outputs = {{IR_LOCATION_position, 0, 4, 0},
                                                         {IR_LOCATION_VAR0, 0, 4, 4},
                                                         {IR_LOCATION_VAR0 + 3, 1, 2, 8}}}};
    return vs;
}

static void test_fragments_choose_their_locations(void **state)
{
    struct adreno_shader_config vs = vertex();
    struct adreno_shader_config fs = {
        .fs = {.num_locs = 3,
               .num_inputs = 2,
               .inputs = {{IR_LOCATION_VAR0 + 3, 2, 1, 0, true}, {IR_LOCATION_VAR0, 1, 2, 1, false}}}};
    struct adreno_link link;
    (void)state;
    assert_true(adreno_link(&vs, &fs, false, &link));
    assert_int_equal(adreno_link_find(&link, IR_LOCATION_VAR0 + 3, 2), 0);
    assert_int_equal(adreno_link_find(&link, IR_LOCATION_VAR0, 1), 1);
    assert_int_equal(adreno_link_find(&link, IR_LOCATION_VAR0, 2), 2);
    assert_int_equal(adreno_link_find(&link, IR_LOCATION_VAR0, 0), ADRENO_LOCATION_UNUSED);
    assert_int_equal(link.interp_modes[0], 1);
    assert_int_equal(link.varying_mask[0], 7);
    assert_int_equal(link.num_varyings, 3);
    assert_int_equal(link.position_loc, 3);
    assert_int_equal(link.stride, 7);
    assert_int_equal(link.point_size_loc, ADRENO_LOCATION_UNUSED);
}

static void test_what_nothing_writes_is_zero(void **state)
{
    struct adreno_shader_config vs = vertex();
    struct adreno_shader_config fs = {.fs = {.num_locs = 4,
                                             .num_inputs = 3,
                                             .inputs = {{IR_LOCATION_layer, 0, 1, 0, true},
                                                        {ADRENO_LOCATION_POINT_COORD, 0, 2, 1, false},
                                                        {IR_LOCATION_primitive_id, 0, 1, 3, true}}}};
    struct adreno_link link;
    (void)state;
    assert_true(adreno_link(&vs, &fs, false, &link));
    assert_int_equal(link.interp_modes[0], 2 | 1 << 6);
    assert_int_equal(link.replace_modes[0], 1 << 2 | 2 << 4);
    assert_int_equal(link.primitive_id_loc, 3);
    assert_int_equal(link.varying_mask[0], 0);
}

static void test_captured_outputs_have_locations(void **state)
{
    struct adreno_shader_config vs = vertex();
    struct adreno_link link;
    (void)state;
    vs.vs.num_captures = 1;
    vs.vs.captures[0] = (struct ir_capture){.location = IR_LOCATION_VAR0, .component = 1, .num_comps = 3, .bits = 32};
    assert_true(adreno_link(&vs, NULL, true, &link));
    for (unsigned i = 1; i < 4; i++)
        assert_int_equal(adreno_link_find(&link, IR_LOCATION_VAR0, i), i - 1);
    assert_int_equal(link.num_varyings, 0);
    assert_int_equal(link.position_loc, 3);
}

static void test_captured_outputs_of_one_register_have_a_location_each(void **state)
{
    struct adreno_shader_config vs = vertex();
    struct adreno_link link;
    (void)state;
    vs.vs.outputs[2].reg = vs.vs.outputs[1].reg + 1; /* the same constants, say */
    vs.vs.num_captures = 2;
    vs.vs.captures[0] = (struct ir_capture){.location = IR_LOCATION_VAR0, .num_comps = 4, .bits = 32};
    vs.vs.captures[1] =
        (struct ir_capture){.location = IR_LOCATION_VAR0 + 3, .component = 1, .num_comps = 2, .bits = 32, .buffer = 1};
    assert_true(adreno_link(&vs, NULL, true, &link));
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(adreno_link_find(&link, IR_LOCATION_VAR0, i), i);
    assert_int_equal(adreno_link_find(&link, IR_LOCATION_VAR0 + 3, 1), 4);
    assert_int_equal(adreno_link_find(&link, IR_LOCATION_VAR0 + 3, 2), 5);
    assert_int_equal(link.position_loc, 6);
}

static void test_distances_lie_side_by_side(void **state)
{
    struct adreno_shader_config vs = vertex();
    struct adreno_link link;
    (void)state;
    vs.vs.outputs[1] = (struct adreno_vs_output){IR_LOCATION_clip_distance0, 0, 3, 4};
    vs.vs.outputs[2] = (struct adreno_vs_output){IR_LOCATION_cull_distance0, 0, 2, 8};
    vs.vs.clip_distances = 3;
    vs.vs.cull_distances = 2;
    assert_true(adreno_link(&vs, NULL, false, &link));
    assert_int_equal(link.clip_mask, 7);
    assert_int_equal(link.cull_mask, 0x18);
    assert_int_equal(link.distance_loc[0], 4);
    assert_int_equal(link.distance_loc[1], 8);
    assert_int_equal(adreno_link_find(&link, IR_LOCATION_cull_distance0, 0), 7);
    assert_int_equal(adreno_link_find(&link, IR_LOCATION_cull_distance0, 1), 8);
}

static void test_too_many_outputs_are_refused(void **state)
{
    struct adreno_shader_config vs = {.vs = {.num_outputs = 32}}, fs = {.fs = {.num_inputs = 33, .num_locs = 33}};
    struct adreno_link link;
    (void)state;
    for (unsigned i = 0; i < 33; i++)
        fs.fs.inputs[i] = (struct adreno_fs_input){(uint8_t)(IR_LOCATION_VAR0 + i % 32), 0, 1, (uint8_t)i, false};
    for (unsigned i = 0; i < 32; i++)
        vs.vs.outputs[i] = (struct adreno_vs_output){(uint8_t)(IR_LOCATION_VAR0 + i), 0, 1, (uint8_t)(4 * i)};
    assert_false(adreno_link(&vs, &fs, false, &link));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fragments_choose_their_locations),
        cmocka_unit_test(test_what_nothing_writes_is_zero),
        cmocka_unit_test(test_captured_outputs_have_locations),
        cmocka_unit_test(test_captured_outputs_of_one_register_have_a_location_each),
        cmocka_unit_test(test_distances_lie_side_by_side),
        cmocka_unit_test(test_too_many_outputs_are_refused),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
