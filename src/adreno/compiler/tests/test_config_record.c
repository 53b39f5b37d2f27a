/* A compiled shader's description of itself, as a file may have it: every member has a row, and what does not fit
 * together is refused by its name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "adreno/compiler/compiler.h"
#include "util/tests/record_cover.h"

static void every_member_has_a_row(void **state)
{
    assert_int_equal(record_cover_missing(&adreno_config_record), 0);
}

static struct adreno_binary good_binary(void)
{
    struct adreno_binary binary = {.size_B = 512, .code_size_B = 256, .num_immediates = 8};
    struct adreno_shader_config *config = &binary.config;
    config->constants = 8;
    config->push_size = 2;
    config->first_immediate = 6;
    memset(config->param, 0xff, sizeof(config->param));
    config->param[ADRENO_PARAM_DATA] = 7;
    config->wave_size = 64;
    config->gs.invocations = config->gs.vertices_out = 1;
    config->tess.is_there = true;
    config->tess.out_points = 3;
    for (unsigned i = 0; i < 3; i++)
        config->cs.workgroup_size[i] = 4;
    return binary;
}

static void takes_what_fits(void **state)
{
    const struct adreno_binary binary = good_binary();
    for (unsigned stage = IR_STAGE_vertex; stage <= IR_STAGE_compute; stage++)
        assert_null(adreno_binary_wrong(&binary, (enum ir_stage)stage));
}

/* A compiler spills as much as a program needs: MEMSIZEPERITEM has room for 255 times 512 bytes. */
static void takes_all_private_memory_that_there_is(void **state)
{
    static struct adreno_binary binary;
    static uint8_t bytes[sizeof(binary.config)];
    struct adreno_shader_config config;
    binary = good_binary();
    binary.config.private_size_B = 255 * 512;
    record_write(&adreno_config_record, &binary.config, bytes);
    assert_null(record_read(&adreno_config_record, bytes, record_size_B(&adreno_config_record), &config));
    assert_int_equal(config.private_size_B, 255 * 512);
}

#define REFUSES(change, stage, what)                                                                                   \
    do {                                                                                                               \
        struct adreno_binary binary = good_binary();                                                                   \
        change;                                                                                                        \
        const char *wrong = adreno_binary_wrong(&binary, stage);                                                       \
        assert_non_null(wrong);                                                                                        \
        assert_string_equal(wrong, what);                                                                              \
    } while (0)

static void refuses_constants_outside_of_the_file(void **state)
{
    REFUSES(binary.num_immediates = 12, IR_STAGE_compute, "the constants");
    REFUSES(binary.num_immediates = 7, IR_STAGE_compute, "the constants");
    REFUSES(binary.config.first_push = 7, IR_STAGE_compute, "the constants");
    REFUSES(binary.config.param[ADRENO_PARAM_DRAW] = 8, IR_STAGE_vertex, "the constants");
    REFUSES(binary.config.constants = 0, IR_STAGE_vertex, "the constants");
}

static void refuses_varyings_and_captures_without_a_place(void **state)
{
    REFUSES(binary.config.fs.num_inputs = 1;
            binary.config.fs.inputs[0] = ((struct adreno_fs_input){.count = 4, .loc = 125}), IR_STAGE_fragment,
            "the varyings");
    REFUSES(binary.config.vs.num_captures = 1;
            binary.config.vs.captures[0] = ((struct ir_capture){.num_comps = 2, .bits = 64, .offset_B = 2036}),
            IR_STAGE_vertex, "what is captured");
    REFUSES(binary.config.vs.xfb_stride_B[1] = 6, IR_STAGE_vertex, "what is captured");
}

static void refuses_numbers_that_are_divided_by(void **state)
{
    REFUSES(binary.config.tess.out_points = 0, IR_STAGE_tess_control, "the patches");
    REFUSES(binary.config.gs.vertices_out = 0, IR_STAGE_geometry, "the geometry stage");
    REFUSES(binary.config.cs.workgroup_size[1] = 1024, IR_STAGE_compute, "the workgroup's size");
    REFUSES((void)binary, IR_STAGE_mesh, "the stage");
    REFUSES(binary.code_size_B = 513, IR_STAGE_compute, "the code's size");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_member_has_a_row),
        cmocka_unit_test(takes_what_fits),
        cmocka_unit_test(takes_all_private_memory_that_there_is),
        cmocka_unit_test(refuses_constants_outside_of_the_file),
        cmocka_unit_test(refuses_varyings_and_captures_without_a_place),
        cmocka_unit_test(refuses_numbers_that_are_divided_by),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
