/* The IR as text: what is printed is read back as the same, for every operation at every width; copies are equal, too.
 */
#include "ir_test.h"

static void assert_round_trip(struct ir_shader *shader)
{
    const char *wrong = ir_validate(shader);
    char *first = printed(shader);
    if (wrong)
        fail_msg("%s in:\n%s", wrong, first);
    struct ir_shader *again = parsed(first), *copy = ir_shader_clone(again);
    char *second = printed(again), *third = printed(copy);
    assert_string_equal(first, second);
    assert_string_equal(first, third);
    assert_null(ir_validate(copy));
    free(first);
    free(second);
    free(third);
    ir_shader_destroy(again);
    ir_shader_destroy(copy);
}

static unsigned shapes;

static void op_round_trip(enum ir_op op, uint8_t n, uint8_t m)
{
    for (int extreme = 0; extreme < 2; extreme++) {
        struct ir_shader *shader = ir_shader_create(IR_STAGE_fragment);
        struct ir_builder b = ir_builder_at_body_end(shader);
        b.flags = extreme ? 0x7f : 0;
        any_instr(&b, op, n, m, extreme);
        assert_round_trip(shader);
        ir_shader_destroy(shader);
        shapes++;
    }
}

static void every_operation_at_every_width(void **state)
{
    (void)state;
    shapes = 0;
    foreach_op_width(op_round_trip);
    assert_true(shapes > 2 * IR_OP_COUNT);
}

static void packed_operations(void **state)
{
    (void)state;
    struct ir_shader *shader = ir_shader_create(IR_STAGE_compute);
    struct ir_builder b = ir_builder_at_body_end(shader);
    struct ir_value *pair = ir_undef(&b, 16, 2);
    ir_fadd(&b, pair, pair);
    ir_ishl(&b, pair, pair);
    assert_int_equal(ir_inot(&b, pair)->comps, 2);
    assert_round_trip(shader);
    ir_shader_destroy(shader);
}

static const char control_flow[] = "shader compute \"main\"\n"
                                   "workgroup_size[0] 64\n"
                                   "workgroup_size[1] 1\n"
                                   "workgroup_size[2] 1\n"
                                   "floats.denorm_flush[1]\n"
                                   "resource { binding 1 count 1 kind storage_buffer written }\n"
                                   "const_data \"00ff10\"\n"
                                   "var v0 32 x 4 \"array\"\n"
                                   "b0:\n"
                                   "    %0:32 = const 0x0\n"
                                   "    %1:32 = const 0x1\n"
                                   "    %2:1 = const 0x1\n"
                                   "loop unroll {\n"
                                   "    b1:\n"
                                   "        %3:32 = phi b0 %0, b5 %6\n"
                                   "        %4:1 = ult %3, %1\n"
                                   "    if %4 flatten {\n"
                                   "        b2:\n"
                                   "            break\n"
                                   "    } else {\n"
                                   "        b3:\n"
                                   "            %5:32 = load_var %3 {var v0}\n"
                                   "    }\n"
                                   "    b4:\n"
                                   "} continue {\n"
                                   "    b5:\n"
                                   "        %6:32 = iadd %3, %5 !nuw\n"
                                   "}\n"
                                   "b6:\n"
                                   "    %7:32 = phi b2 %3\n"
                                   "    store_var %7, %0 {var v0}\n";

static void control_flow_and_head(void **state)
{
    (void)state;
    struct ir_shader *shader = parsed(control_flow);
    char *text = printed(shader);
    assert_string_equal(text, control_flow);
    assert_round_trip(shader);
    assert_int_equal(shader->workgroup_size[0], 64);
    assert_true(shader->floats.denorm_flush[1]);
    assert_int_equal(shader->resources[0].binding, 1);
    assert_int_equal(shader->const_data_size_B, 3);
    assert_int_equal(shader->const_data[1], 0xff);
    free(text);
    ir_shader_destroy(shader);
}

/* Every member that the text knows, set to something that is not zero. */
static void interface_fields(void **state)
{
    (void)state;
    struct ir_shader *shader =
        parsed("shader fragment \"a\"\nfs.early_tests\nfs.depth_layout less\nvs.clip_distances 3\ngs.input "
               "triangles_adjacency\nsysvals_read 18446744073709551615\n"
               "input { name \"uv\" location var3 component 1 num_comps 2 bits 32 num_locations 4 base uint interp "
               "flat centroid sample }\n"
               "output { name \"colour\" location frag_depth num_comps 1 bits 32 dual_index 1 }\n"
               "resource { set 4294967295 binding 2 count 0 kind combined read atomics nonuniform }\n"
               "capture { location var2 component 3 num_comps 1 bits 64 buffer 2 offset_B 500 }\nxfb_stride_B[3] 512\n"
               "b0:\n");
    assert_round_trip(shader);
    assert_int_equal(shader->inputs[0].location, IR_LOCATION_VAR0 + 3);
    assert_int_equal(shader->inputs[0].interp, IR_INTERP_flat);
    assert_string_equal(shader->inputs[0].name, "uv");
    assert_true(shader->sysvals_read == UINT64_MAX);
    assert_int_equal(shader->fs.depth_layout, IR_DEPTH_less);
    assert_int_equal(shader->captures[0].offset_B, 500);
    assert_int_equal(shader->xfb_stride_B[3], 512);
    ir_shader_destroy(shader);
}

/* A text and the start of what is said about it. */
static const struct {
    const char *text, *error;
} refused[] = {
    {"", "line 1: 'shader'"},
    {"shader", "line 1: a stage"},
    {"shader compute\nb0:\n    break x", "line 3: the line must end"},
    {"shader compute\nb0:\n  %0:32 = const 0x1\n  %0:32 = const 0x2", "line 4: %0 stands there twice"},
    {"shader compute\nb0:\n  %1:32 = ineg %0", "line 3: nothing is called %0"},
    {"shader compute\nb0:\n  %1:32 = phi b7 %1", "line 3: no block is called b7"},
    {"shader compute\nb0:\n  %1:7 = undef", "line 3: 7 bits are no width"},
    {"shader compute\nb0:\n  %1:32x17 = undef", "line 3: a smaller number"},
    {"shader compute\nb0:\n  %1:32 = nonsense", "line 3: an operation"},
    {"shader compute\nb0:\n  %1:32 = undef {comp 1}", "line 3: an immediate of this operation"},
    {"shader compute\nb0:\n  %1:32 = undef !quick", "line 3: a flag"},
    {"shader compute\nb0:\nif", "line 3: '%' must stand here"},
    {"shader compute\nb0:\nloop {\nb1:\n}", "line 5: 'continue'"},
    {"shader compute\nb0:\nb1:\n", "line 3: an operation"},
    {"shader compute\n\"x", "line 2: a text without its end"},
    {"shader compute\nvar v0 32 x 1\nvar v0 32 x 1\nb0:\n", "line 3: v0 stands there twice"},
    {"shader compute\nworkgroup_size[0] 99999999999\nb0:", "line 2: a smaller number"},
    {"shader compute\nvar v0 32 x 4294967295\nb0:\n", "line 3: variables of more than"},
    {"shader compute\nvar v4294967294 32 x 1\nb0:\n", "line 2: a smaller number"},
    {"shader compute\nshared_size_B 4294967295\nb0:", "line 2: a smaller number"},
    {"shader vertex\ncapture { buffer 4 }\nb0:", "line 2: a smaller number"},
    {"shader vertex\noutput { location var128 }\nb0:", "line 2: a smaller number"},
    {"shader compute\nb0:\n  %0:32 = const 0x0\n  %1:32x3 = vec %0, %0, %0\n"
     "  %2:32x5 = tex %0, %0, %1 {tex_kind sample, dim 2d, array 1}",
     "a texel of 5 components"},
    {"shader compute\nconst_data \"0\"\nb0:", "line 3: constant data"},
    {"shader compute\nb0:\n  %0:32 = const 99999999999999999999", "line 3: a number"},
    {"shader compute\nb0:\n  %0:1 = const 0x2", "the constant has bits beyond"},
};

static void broken_text_is_refused(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(refused); i++) {
        char error[256];
        struct ir_shader *shader = ir_parse(refused[i].text, error);
        if (shader || strncmp(error, refused[i].error, strlen(refused[i].error)) != 0)
            fail_msg("'%s' gave '%s'", refused[i].text, shader ? "a shader" : error);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_at_every_width), cmocka_unit_test(packed_operations),
        cmocka_unit_test(control_flow_and_head),          cmocka_unit_test(interface_fields),
        cmocka_unit_test(broken_text_is_refused),
    };
    return cmocka_run_group_tests_name("compiler_ir text", tests, NULL, NULL);
}
