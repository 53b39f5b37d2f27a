/* A compiled shader's description of itself, as a file may have it: every member has a row, and what does not fit
 * together is refused by its name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "amd/compiler/compiler.h"
#include "amd/compiler/mir.h"
#include "util/tests/record_cover.h"

static void every_member_has_a_row(void **state)
{
    assert_int_equal(record_cover_missing(&amd_config_record), 0);
    assert_int_equal(record_cover_missing(&amd_statistics_record), 0);
}

static struct amd_binary good_binary(enum amd_hw_stage hw_stage)
{
    struct amd_binary binary = {.size_B = 512, .code_size_B = 256};
    struct amd_shader_config *config = &binary.config;
    config->hw_stage = hw_stage;
    config->wave_size = 64;
    for (unsigned i = 0; i < 3; i++)
        config->workgroup_size[i] = 4;
    return binary;
}

static void takes_what_fits(void **state)
{
    const struct amd_binary compute = good_binary(AMD_HW_CS), vertex = good_binary(AMD_HW_NGG), none = {0};
    assert_null(amd_binary_wrong(&compute, IR_STAGE_compute));
    assert_null(amd_binary_wrong(&vertex, IR_STAGE_vertex));
    assert_null(amd_binary_wrong(&none, IR_STAGE_geometry));
}

#define REFUSES(hw_stage, change, stage, what)                                                                         \
    do {                                                                                                               \
        struct amd_binary binary = good_binary(hw_stage);                                                              \
        change;                                                                                                        \
        const char *wrong = amd_binary_wrong(&binary, stage);                                                          \
        assert_non_null(wrong);                                                                                        \
        assert_string_equal(wrong, what);                                                                              \
    } while (0)

static void refuses_programs_of_other_stages(void **state)
{
    REFUSES(AMD_HW_CS, binary.size_B = 0; binary.code_size_B = 0, IR_STAGE_vertex, "a stage without a program");
    REFUSES(AMD_HW_PS, (void)binary, IR_STAGE_vertex, "the hardware's stage");
    REFUSES(AMD_HW_CS, binary.code_size_B = 513, IR_STAGE_compute, "the code's size");
    REFUSES(AMD_HW_CS, binary.config.wave_size = 16, IR_STAGE_compute, "the wave's size");
    REFUSES(AMD_HW_NGG, binary.config.tess.is_there = true, IR_STAGE_vertex, "the tessellation");
    REFUSES(AMD_HW_HS, (void)binary, IR_STAGE_vertex, "the tessellation");
    REFUSES(AMD_HW_HS, binary.config.tess.is_there = true, IR_STAGE_vertex, "the patches");
    REFUSES(AMD_HW_CS, binary.config.workgroup_size[2] = 0, IR_STAGE_compute, "the workgroup's size");
    REFUSES(AMD_HW_CS, binary.config.scratch_size_B = 256 << 10, IR_STAGE_compute, "the size of scratch memory");
}

static void refuses_user_data_outside_of_its_registers(void **state)
{
    REFUSES(AMD_HW_CS, (binary.config.sets[0] = (struct amd_sgpr_place){16, 1}), IR_STAGE_compute,
            "a place of user data");
    REFUSES(AMD_HW_NGG, (binary.config.user[AMD_USER_base_vertex] = (struct amd_sgpr_place){7, 1}), IR_STAGE_vertex,
            "a place of user data");
    REFUSES(AMD_HW_CS, (binary.config.user[AMD_USER_num_workgroups] = (struct amd_sgpr_place){2, 2}), IR_STAGE_compute,
            "a place of user data");
    REFUSES(AMD_HW_NGG, (binary.config.user[AMD_USER_prolog_inputs] = (struct amd_sgpr_place){8, 1}), IR_STAGE_vertex,
            "what a prolog loads");
}

static void refuses_geometry_that_has_no_room(void **state)
{
    const struct amd_geometry_layout layout = {.is_there = true,
                                               .vertices_in = 3,
                                               .vertices_out = 256,
                                               .invocations = 8,
                                               .max_vertices = 128,
                                               .max_primitives = 128};
    REFUSES(AMD_HW_NGG, binary.config.geometry = layout, IR_STAGE_vertex, "the geometry stage");
    REFUSES(AMD_HW_NGG, binary.config.geometry = layout; binary.config.geometry.invocations = 1;
            memset(binary.config.geometry.stream_dw, 255, 4), IR_STAGE_vertex, "the geometry stage");
    REFUSES(AMD_HW_NGG, binary.config.geometry.has_ring = true, IR_STAGE_vertex, "the geometry stage");
    REFUSES(AMD_HW_NGG, (void)binary, IR_STAGE_mesh, "the geometry stage");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_member_has_a_row),
        cmocka_unit_test(takes_what_fits),
        cmocka_unit_test(refuses_programs_of_other_stages),
        cmocka_unit_test(refuses_user_data_outside_of_its_registers),
        cmocka_unit_test(refuses_geometry_that_has_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
