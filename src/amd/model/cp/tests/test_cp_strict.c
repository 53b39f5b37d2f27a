/* Strict mode on registers: a draw or a dispatch must not read one that nothing has written. The pipeline is a fake
 * that reads a single one. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "amd/hw/regs_compute.h"
#include "amd/hw/regs_pa.h"
#include "amd/model/cp/tests/cp_rig.h"
#include "amd/model/ge/ge_draw.h"

struct ge {
    int unused;
};

struct ge *amd_ge_create(const struct amd_chip *chip, struct workers *workers, struct spi *spi)
{
    return calloc(1, sizeof(struct ge));
}

void amd_ge_destroy(struct ge *ge)
{
    free(ge);
}

bool amd_ge_draw(struct ge *ge, const struct ge_draw *draw, struct ge_result *result_out)
{
    cp_reg(draw->registers, AMD_REG_PA_SU_LINE_CNTL);
    return true;
}

bool amd_ge_finish(struct ge *ge, struct ge_result *result_out)
{
    return true;
}

uint64_t amd_ge_progress(const struct ge *ge)
{
    return 0;
}

static void put_draw(struct stream *s)
{
    PUT(s, DRAW_INDEX_AUTO, .INDEX_COUNT = 3, .SOURCE_SELECT = AMD_DRAW_SOURCE_AUTO_INDEX);
}

static void a_draw_reads_what_nobody_wrote(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    PUT(&s, NUM_INSTANCES, .COUNT = 1);
    put_draw(&s);
    assert_int_equal(rig_run_gfx(rig, &s), -EIO);
    assert_non_null(strstr(rig->report, "register PA_SU_LINE_CNTL is read, and nothing has written it"));
}

static void a_write_is_enough(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    PUT(&s, NUM_INSTANCES, .COUNT = 1);
    put_context(&s, AMD_REG_PA_SU_LINE_CNTL, 8);
    put_draw(&s);
    assert_int_equal(rig_run_gfx(rig, &s), 0);
}

static void so_is_clear_state(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    PUT(&s, NUM_INSTANCES, .COUNT = 1);
    PUT(&s, CLEAR_STATE);
    put_draw(&s);
    assert_int_equal(rig_run_gfx(rig, &s), 0);
}

static void a_dispatch_without_a_size(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    put_sh(&s, AMD_REG_COMPUTE_PGM_LO, (uint32_t)(RIG_VA >> 8));
    put_sh(&s, AMD_REG_COMPUTE_PGM_HI, (uint32_t)(RIG_VA >> 40) & 0xff);
    put_sh(&s, AMD_REG_COMPUTE_PGM_RSRC1, 0);
    put_sh(&s, AMD_REG_COMPUTE_PGM_RSRC2, 0);
    put_sh(&s, AMD_REG_COMPUTE_PGM_RSRC3, 0);
    for (unsigned i = 0; i < 3; i++)
        put_sh(&s, AMD_REG_COMPUTE_START_X + 4 * i, 0);
    put_sh(&s, AMD_REG_COMPUTE_NUM_THREAD_X, 64);
    put_sh(&s, AMD_REG_COMPUTE_NUM_THREAD_Z, 1);
    PUT(&s, DISPATCH_DIRECT, .DIM_X = 1, .DIM_Y = 1, .DIM_Z = 1, .COMPUTE_SHADER_EN = true);
    assert_int_equal(rig_run_gfx(rig, &s), -EIO);
    assert_non_null(strstr(rig->report, "register COMPUTE_NUM_THREAD_Y is read"));
}

int main(void)
{
    setenv("TUFF_DEBUG", "strict", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_draw_reads_what_nobody_wrote, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(a_write_is_enough, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(so_is_clear_state, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(a_dispatch_without_a_size, rig_setup, rig_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
