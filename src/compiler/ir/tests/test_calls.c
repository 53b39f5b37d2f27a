/* Functions in the interpreter: which one is called by which lane, frames, and what is refused. */
#include "compiler/ir/ir_interpret.h"
#include "compiler/ir/tests/ir_test.h"

#define TRIPLE 0x100
#define DEPTH 0x200

/* word 0 becomes three times as much */
static const char triple[] = "shader callable\n"
                             "b0:\n"
                             "  %0:32 = load_incoming\n"
                             "  %1:32 = const 3\n"
                             "  %2:32 = imul %0, %1\n"
                             "  store_incoming %2\n";

/* word 0 becomes the place of its private memory, in which word 1 stands during another call of itself by lanes whose
 * word 1 is not 0 */
static const char depth[] = "shader callable\n"
                            "scratch_size_B 4\n"
                            "b0:\n"
                            "  %0:32x2 = load_incoming\n"
                            "  %1:32 = extract %0 {comp 1}\n"
                            "  %2:32 = const 0\n"
                            "  %3:32 = const 1\n"
                            "  store_scratch %1, %2 {align 4}\n"
                            "  %4:32 = isub %1, %3\n"
                            "  %5:32x2 = vec %2, %4\n"
                            "  store_outgoing %5\n"
                            "  %6:1 = ine %1, %2\n"
                            "  %7:64 = const 0x200\n"
                            "  %8:64 = const 0\n"
                            "  %9:64 = select %6, %7, %8\n"
                            "  stack_call %9\n"
                            "  %10:32 = load_outgoing\n"
                            "  %11:32 = frame_address\n"
                            "  %12:32 = load_stack %11 {align 4}\n"
                            "  %13:32 = iadd %10, %12\n"
                            "  %14:32 = select %6, %13, %11\n"
                            "  store_incoming %14\n";

static struct ir_interpret_result run_program(const char *kernel, uint32_t stack_B)
{
    struct ir_shader *shaders[3] = {parsed(kernel), parsed(triple), parsed(depth)};
    const struct ir_interpret_function functions[2] = {{TRIPLE, shaders[1]}, {DEPTH, shaders[2]}};
    struct ir_interpret_options options = {
        .wave_size = 4, .num_lanes = 8, .functions = functions, .num_functions = 2, .stack_size_B = stack_B};
    struct ir_interpret_result result;
    for (unsigned i = 0; i < 3; i++)
        assert_null(ir_validate(shaders[i]));
    ir_interpret(shaders[0], &options, &result);
    for (unsigned i = 0; i < 3; i++)
        ir_shader_destroy(shaders[i]);
    return result;
}

/* A lane's number, the address of a function for each odd one, the call, and what it left. */
#define CALL_OF(address)                                                                                               \
    "shader vertex\n"                                                                                                  \
    "b0:\n"                                                                                                            \
    "  %0:32 = load_sysval {sysval subgroup_lane}\n"                                                                   \
    "  %1:32 = const 1\n"                                                                                              \
    "  %2:32 = const 0\n"                                                                                              \
    "  %3:32 = iand %0, %1\n"                                                                                          \
    "  %4:1 = ine %3, %2\n"                                                                                            \
    "  %5:64 = const " #address "\n"                                                                                   \
    "  %6:64 = const 0\n"                                                                                              \
    "  %7:64 = select %4, %5, %6\n"                                                                                    \
    "  %8:32x2 = vec %0, %0\n"                                                                                         \
    "  store_outgoing %8\n"                                                                                            \
    "  stack_call %7\n"                                                                                                \
    "  %9:32 = load_outgoing\n"                                                                                        \
    "  store_output %9, %2 {location var0}\n"

static uint64_t output(const struct ir_interpret_result *result, uint32_t lane)
{
    const struct ir_interpret_output *out = ir_interpret_find_output(result, lane, IR_LOCATION_VAR0, 0);
    assert_non_null(out);
    return out->value;
}

static void lanes_with_an_address_call_and_the_others_do_not(void **state)
{
    (void)state;
    struct ir_interpret_result result = run_program(CALL_OF(0x100), 0);
    assert_string_equal(result.error, "");
    for (uint32_t lane = 0; lane < 8; lane++)
        assert_int_equal(output(&result, lane), lane % 4 * (lane % 2 ? 3 : 1));
    ir_interpret_finish(&result);
}

/* The kernel has no frame of its own: those of the calls begin at 0, 144, 288, …, each with its private memory behind
 * what is shared. */
static void each_call_has_a_frame(void **state)
{
    (void)state;
    struct ir_interpret_result result = run_program(CALL_OF(0x200), 0);
    assert_string_equal(result.error, "");
    assert_int_equal(output(&result, 0), 0);
    assert_int_equal(output(&result, 1), 144 + IR_FRAME_ARGS_B + 1);
    assert_int_equal(output(&result, 3), 3 * 144 + IR_FRAME_ARGS_B + 1 + 2 + 3);
    ir_interpret_finish(&result);
}

static void a_stack_has_an_end(void **state)
{
    (void)state;
    struct ir_interpret_result result = run_program(CALL_OF(0x200), 3 * 144);
    assert_string_equal(result.error, "the stack of 432 bytes is full");
    ir_interpret_finish(&result);
}

static void there_must_be_a_function(void **state)
{
    (void)state;
    struct ir_interpret_result result = run_program(CALL_OF(0x300), 0);
    assert_string_equal(result.error, "there is no function at 0x300");
    ir_interpret_finish(&result);
}

static void words_outside_of_a_frame_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "shader callable\nb0:\n  %0:32x2 = load_incoming {base 124}\n",
        "shader callable\nb0:\n  %0:32 = load_outgoing {base 2}\n",
        "shader callable\nb0:\n  %0:32 = load_outgoing {base 4294967292}\n",
    };
    for (unsigned i = 0; i < ARRAY_SIZE(wrong); i++) {
        char error[256];
        assert_null(ir_parse(wrong[i], error));
        assert_non_null(strstr(error, "not in a frame's first"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_with_an_address_call_and_the_others_do_not),
        cmocka_unit_test(each_call_has_a_frame),
        cmocka_unit_test(a_stack_has_an_end),
        cmocka_unit_test(there_must_be_a_function),
        cmocka_unit_test(words_outside_of_a_frame_are_refused),
    };
    return cmocka_run_group_tests_name("calls", tests, NULL, NULL);
}
