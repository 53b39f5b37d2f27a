/* A compiled shader's description of itself, as a file may have it: every member has a row, and what does not fit
 * together is refused by its name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "mali/compiler/compiler.h"
#include "util/tests/record_cover.h"

static void every_member_has_a_row(void **state)
{
    assert_int_equal(record_cover_missing(&mali_config_record), 0);
}

static struct mali_binary good_binary(void)
{
    struct mali_binary binary = {.size_B = 512, .code_size_B = 256, .num_immediates = 2};
    struct mali_shader_config *config = &binary.config;
    config->main = (struct mali_program){.size_B = 128, .registers = 32};
    config->fau = (struct mali_fau_layout){.push_words = 4, .first_immediate = 6, .words = 8};
    memset(config->fau.sysval, 0xff, sizeof(config->fau.sysval));
    config->fau.sysval[MALI_SYSVAL_DATA_ADDRESS] = 4;
    for (unsigned i = 0; i < 3; i++)
        config->cs.workgroup_size[i] = 4;
    return binary;
}

static void takes_what_fits(void **state)
{
    const struct mali_binary binary = good_binary();
    assert_null(mali_binary_wrong(&binary, IR_STAGE_compute));
    assert_null(mali_binary_wrong(&binary, IR_STAGE_vertex));
    assert_null(mali_binary_wrong(&binary, IR_STAGE_fragment));
}

#define REFUSES(change, stage, what)                                                                                   \
    do {                                                                                                               \
        struct mali_binary binary = good_binary();                                                                     \
        change;                                                                                                        \
        const char *wrong = mali_binary_wrong(&binary, stage);                                                         \
        assert_non_null(wrong);                                                                                        \
        assert_string_equal(wrong, what);                                                                              \
    } while (0)

static void refuses_programs_that_are_not_in_the_code(void **state)
{
    REFUSES(binary.code_size_B = 513, IR_STAGE_compute, "the code's size");
    REFUSES(binary.code_size_B = 0, IR_STAGE_compute, "the code's size");
    REFUSES(binary.config.main.size_B = 257, IR_STAGE_compute, "the main program");
    REFUSES(binary.config.main.size_B = 0, IR_STAGE_compute, "the main program");
    REFUSES(binary.config.main.offset_B = 64, IR_STAGE_compute, "the main program");
    REFUSES(binary.config.main.registers = 48, IR_STAGE_compute, "the main program");
    REFUSES(binary.config.varying = binary.config.main, IR_STAGE_fragment, "the program of varyings");
    REFUSES(binary.size_B = 0xffffffff, IR_STAGE_fragment, "the program's size");
}

static void refuses_uniforms_that_lie_outside(void **state)
{
    REFUSES(binary.num_immediates = 3, IR_STAGE_compute, "the uniforms");
    REFUSES(binary.config.fau.first_immediate = 9, IR_STAGE_compute, "the uniforms");
    REFUSES(binary.config.fau.words = 7, IR_STAGE_compute, "the uniforms");
    REFUSES(binary.config.fau.push_offset_B = 244, IR_STAGE_compute, "the uniforms");
    REFUSES(binary.config.fau.sysval[MALI_SYSVAL_DATA_ADDRESS] = 7, IR_STAGE_compute, "the uniforms");
}

/* The driver has no such number for the stage: it would upload what its stack had. */
static void refuses_system_values_of_another_stage(void **state)
{
    REFUSES(binary.config.fau.sysval[MALI_SYSVAL_SAMPLES] = 0, IR_STAGE_compute, "the uniforms");
    REFUSES(binary.config.fau.sysval[MALI_SYSVAL_WORKGROUPS] = 0, IR_STAGE_vertex, "the uniforms");
    REFUSES(binary.config.fau.sysval[MALI_SYSVAL_INPUT_0] = 0, IR_STAGE_fragment, "the uniforms");
    REFUSES(binary.config.fs.inputs_read = 1, IR_STAGE_fragment, "the uniforms");
}

static void refuses_workgroups_that_no_core_runs(void **state)
{
    REFUSES(binary.config.cs.workgroup_size[0] = 1024, IR_STAGE_compute, "the workgroup's size");
    REFUSES(binary.config.local_size_B = 16, IR_STAGE_vertex, "a workgroup's memory");
    REFUSES((void)binary, IR_STAGE_geometry, "the stage");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_member_has_a_row),
        cmocka_unit_test(takes_what_fits),
        cmocka_unit_test(refuses_programs_that_are_not_in_the_code),
        cmocka_unit_test(refuses_uniforms_that_lie_outside),
        cmocka_unit_test(refuses_system_values_of_another_stage),
        cmocka_unit_test(refuses_workgroups_that_no_core_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
