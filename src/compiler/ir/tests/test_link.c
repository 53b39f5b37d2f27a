/* Linking of two stages: constants, dead parameters, parameters that nothing writes. */
#include "ir_test.h"

#include "compiler/ir/opt.h"

static unsigned count_ops(const struct ir_shader *shader, enum ir_op op)
{
    unsigned count = 0;
    ir_foreach_block (shader, block)
        ir_foreach_instr (block, instr)
            count += instr->op == op;
    return count;
}

static void link_shaders(struct ir_shader *producer, struct ir_shader *consumer)
{
    char error[256];
    if (!ir_link(producer, consumer, error))
        fail_msg("%s", error);
    assert_null(ir_validate(producer));
    assert_null(ir_validate(consumer));
}

/* The one store of the shader to this location; its components from `comp` on. */
static const struct ir_instr *store_to(const struct ir_shader *shader, uint32_t location)
{
    const struct ir_instr *found = NULL;
    ir_foreach_block (shader, block)
        ir_foreach_instr (block, instr)
            if (instr->op == IR_OP_store_output && ir_imm(instr, IR_IMM_LOCATION) == location) {
                assert_null(found);
                found = instr;
            }
    return found;
}

#define VERTEX                                                                                                         \
    "shader vertex\nb0:\n  %0:32 = const 0x0\n  %1:32 = const 0x3f800000\n  %2:32 = const 0x40000000\n"                \
    "  %3:32 = load_sysval {sysval vertex_index}\n  %4:32 = u2f %3\n  %5:32 = fmul %4, %2\n"
#define FRAGMENT "shader fragment\nb0:\n  %0:32 = const 0x0\n  %1:32x2 = load_bary {bary pixel, interp smooth}\n"

static void constants_come_over(void **state)
{
    struct ir_shader *vertex = parsed(VERTEX "  %6:32x4 = vec %1, %4, %2, %5\n"
                                             "  store_output %6, %0 {location var0}\n");
    struct ir_shader *fragment = parsed(FRAGMENT "  %2:32x4 = load_interp %1, %0 {location var0}\n"
                                                 "  store_output %2, %0 {location var0}\n");
    link_shaders(vertex, fragment);
    const struct ir_value *color = ir_src(store_to(fragment, IR_LOCATION_VAR0), 0);
    assert_int_equal(ir_const_u64(ir_component(color, 0)), 0x3f800000);
    assert_int_equal(ir_const_u64(ir_component(color, 2)), 0x40000000);
    for (unsigned comp = 1; comp < 4; comp += 2) {
        const struct ir_instr *extract = ir_def_instr(ir_component(color, comp));
        assert_int_equal(extract->op, IR_OP_extract);
        assert_int_equal(ir_imm(extract, IR_IMM_COMP), comp);
        assert_int_equal(ir_def_instr(ir_src(extract, 0))->op, IR_OP_load_interp);
    }
    /* Outputs that came over are written no more: two runs of one component are left. */
    assert_int_equal(count_ops(vertex, IR_OP_store_output), 2);
    ir_foreach_block (vertex, block)
        ir_foreach_instr (block, instr)
            if (instr->op == IR_OP_store_output) {
                assert_int_equal(ir_src(instr, 0)->comps, 1);
                assert_int_equal(ir_imm(instr, IR_IMM_COMP) % 2, 1);
            }
    assert_int_equal(ir_inputs_read(fragment), 1);
    ir_shader_destroy(vertex);
    ir_shader_destroy(fragment);
}

/* Two stores of different constants, infinity where it is interpolated, and other widths are not constants. */
static void what_is_no_constant_stays(void **state)
{
    struct ir_shader *vertex =
        parsed(VERTEX "  %6:1 = ult %3, %1\n  %7:32 = const 0x7f800000\n  %8:16 = const 0x3c00\n"
                      "if %6 {\n b1:\n  store_output %1, %0 {location var0}\n} else {\n b2:\n"
                      "  store_output %2, %0 {location var0}\n}\nb3:\n  store_output %7, %0 {location var1}\n"
                      "  store_output %7, %0 {location var2}\n  store_output %8, %0 {location var3}\n");
    struct ir_shader *fragment =
        parsed(FRAGMENT "  %2:32 = load_interp %1, %0 {location var0}\n  %3:32 = load_interp %1, %0 {location var1}\n"
                        "  %4:32 = load_input %0 {location var2}\n  %5:32 = load_input %0 {location var3}\n"
                        "  %6:32x4 = vec %2, %3, %4, %5\n  store_output %6, %0 {location var0}\n");
    link_shaders(vertex, fragment);
    assert_int_equal(count_ops(fragment, IR_OP_load_interp), 2);
    assert_int_equal(count_ops(fragment, IR_OP_load_input), 1); /* flat infinity is infinity */
    assert_int_equal(ir_inputs_read(fragment), 1 | 2 | 8);
    assert_int_equal(count_ops(vertex, IR_OP_store_output), 4);
    ir_shader_destroy(vertex);
    ir_shader_destroy(fragment);
}

static void nothing_unread_is_written(void **state)
{
    struct ir_shader *vertex =
        parsed(VERTEX "  %6:32x4 = vec %4, %5, %4, %5\n  store_output %6, %0 {location position}\n"
                      "  store_output %6, %0 {location var0}\n"
                      "  store_output %6, %0 {location var1}\n"
                      "  %7:64 = pack64 %4, %5\n  store_output %7, %0 {location var2}\n");
    struct ir_shader *fragment =
        parsed(FRAGMENT "  %2:32x4 = load_interp %1, %0 {location var1}\n  %3:32 = extract %2 {comp 1}\n"
                        "  %4:32 = extract %2 {comp 2}\n  %5:64 = load_input %0 {location var2}\n"
                        "  %6:32 = hi32 %5\n  %7:32x3 = vec %3, %4, %6\n  store_output %7, %0 {location var0}\n");
    link_shaders(vertex, fragment);
    assert_int_equal(ir_src(store_to(vertex, IR_LOCATION_position), 0)->comps, 4);
    assert_null(store_to(vertex, IR_LOCATION_VAR0));
    const struct ir_instr *kept = store_to(vertex, IR_LOCATION_VAR0 + 1);
    assert_int_equal(ir_src(kept, 0)->comps, 2);
    assert_int_equal(ir_imm(kept, IR_IMM_COMP), 1);
    assert_int_equal(ir_src(store_to(vertex, IR_LOCATION_VAR0 + 2), 0)->bits, 64);
    ir_shader_destroy(vertex);
    ir_shader_destroy(fragment);
}

/* An array that is indexed by a computed number: everything from there on may be read, and nothing is a constant there.
 */
static void computed_indices_keep_all(void **state)
{
    struct ir_shader *vertex =
        parsed(VERTEX "  store_output %4, %0 {location var0}\n  store_output %1, %0 {location var1}\n"
                      "  store_output %4, %0 {location var2}\n");
    struct ir_shader *fragment =
        parsed(FRAGMENT "  %2:32 = load_sysval {sysval sample_id}\n  %3:32 = load_interp %1, %2 {location var1}\n"
                        "  store_output %3, %0 {location var0}\n");
    link_shaders(vertex, fragment);
    assert_null(store_to(vertex, IR_LOCATION_VAR0));
    assert_non_null(store_to(vertex, IR_LOCATION_VAR0 + 1));
    assert_non_null(store_to(vertex, IR_LOCATION_VAR0 + 2));
    assert_int_equal(count_ops(fragment, IR_OP_load_interp), 1);
    ir_shader_destroy(vertex);
    ir_shader_destroy(fragment);
}

static void what_nobody_writes_is_zero(void **state)
{
    struct ir_shader *vertex = parsed(VERTEX "  store_output %4, %0 {location var0}\n");
    struct ir_shader *fragment = parsed(FRAGMENT "  %2:32x2 = load_interp %1, %0 {location var0}\n"
                                                 "  store_output %2, %0 {location var0}\n");
    link_shaders(vertex, fragment);
    const struct ir_value *color = ir_src(store_to(fragment, IR_LOCATION_VAR0), 0);
    assert_true(ir_is_const(ir_component(color, 1)) && ir_const_u64(ir_component(color, 1)) == 0);
    assert_false(ir_is_const(ir_component(color, 0)));
    ir_shader_destroy(vertex);
    ir_shader_destroy(fragment);
}

/* Outputs that transform feedback reads stay, though the next stage does not read them. */
static void captured_components_stay(void **state)
{
    struct ir_shader *vertex = parsed("shader vertex\nxfb_stride_B[1] 16\n"
                                      "capture { location var0 component 1 num_comps 2 bits 32 buffer 1 offset_B 4 }\n"
                                      "b0:\n  %0:32 = const 0x0\n  %3:32 = load_sysval {sysval vertex_index}\n"
                                      "  %4:32x4 = vec %3, %3, %3, %3\n  store_output %4, %0 {location var0}\n"
                                      "  store_output %4, %0 {location var1}\n");
    struct ir_shader *fragment = parsed(FRAGMENT "  store_output %0, %0 {location var0}\n");
    link_shaders(vertex, fragment);
    const struct ir_instr *kept = store_to(vertex, IR_LOCATION_VAR0);
    assert_int_equal(ir_src(kept, 0)->comps, 2);
    assert_int_equal(ir_imm(kept, IR_IMM_COMP), 1);
    assert_null(store_to(vertex, IR_LOCATION_VAR0 + 1));
    ir_shader_destroy(vertex);
    ir_shader_destroy(fragment);
}

/* Outputs of a mesh shader are a vertex's or a primitive's: those that nobody reads go, and constants come over. */
static void outputs_of_mesh_shaders(void **state)
{
    struct ir_shader *mesh = parsed("shader mesh\nb0:\n  %0:32 = const 0x0\n  %1:32 = const 0x3f800000\n"
                                    "  %2:32 = load_sysval {sysval local_index}\n  %3:32x2 = vec %1, %2\n"
                                    "  store_per_vertex %3, %2, %0 {location var0}\n"
                                    "  store_per_vertex %2, %2, %0 {location var1}\n"
                                    "  store_per_vertex %2, %2, %0 {location var2}\n"
                                    "  store_per_vertex %2, %2, %0 {location primitive_id}\n");
    struct ir_shader *fragment = parsed("shader fragment\nb0:\n  %0:32 = const 0x0\n"
                                        "  %1:32x2 = load_input %0 {location var0}\n"
                                        "  %2:32 = load_input %0 {location var2}\n  %3:32 = extract %1\n"
                                        "  %4:32x2 = vec %3, %2\n  store_output %4, %0 {location var0}\n");
    link_shaders(mesh, fragment);
    assert_int_equal(count_ops(mesh, IR_OP_store_per_vertex), 2); /* var2 and the number */
    assert_int_equal(ir_inputs_read(fragment), 4);
    const struct ir_value *color = ir_src(store_to(fragment, IR_LOCATION_VAR0), 0);
    assert_int_equal(ir_const_u64(ir_component(color, 0)), 0x3f800000);
    ir_shader_destroy(mesh);
    ir_shader_destroy(fragment);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_come_over),        cmocka_unit_test(what_is_no_constant_stays),
        cmocka_unit_test(nothing_unread_is_written),  cmocka_unit_test(computed_indices_keep_all),
        cmocka_unit_test(what_nobody_writes_is_zero), cmocka_unit_test(captured_components_stay),
        cmocka_unit_test(outputs_of_mesh_shaders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
