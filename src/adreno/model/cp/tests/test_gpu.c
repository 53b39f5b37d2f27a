/* The whole GPU: dispatches of programs in memory. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "adreno/hw/regs_sp.h"
#include "adreno/isa/isa.h"
#include "whole.h"

#define PROGRAM_B 0x1000
#define DATA_B 0x2000
#define THREADS 64

static void place_program(struct rig *rig, const char *source)
{
    unsigned line;
    if (adreno_isa_assemble(source, (uint64_t *)(rig->map + PROGRAM_B), 64, &line) < 0)
        fail_msg("line %u is not read", line);
}

static void put_dispatch(struct stream *s, uint32_t groups)
{
    put_reg64(s, ADRENO_REG_SP_CS_BASE, RIG_VA + PROGRAM_B);
    put_reg(s, ADRENO_REG_SP_CS_CNTL_0, ADRENO_PACK(SP_CS_CNTL_0, .MERGEDREGS = true));
    put_reg(s, ADRENO_REG_SP_CS_NDRANGE_0, ADRENO_PACK(SP_CS_NDRANGE_0, .KERNELDIM = 3, .LOCALSIZEX = THREADS - 1));
    /* The workgroup in r48.xyz, the work-item in r0.xyz. */
    put_reg(s, ADRENO_REG_SP_CS_CONST_CONFIG_0,
            ADRENO_PACK(SP_CS_CONST_CONFIG_0, .WGIDCONSTID = 48 * 4, .WGSIZECONSTID = 0xfc, .WGOFFSETCONSTID = 0xfc,
                        .LOCALIDREGID = 0));
    put_reg(s, ADRENO_REG_SP_CS_WGE_CNTL, ADRENO_PACK(SP_CS_WGE_CNTL, .LINEARLOCALIDREGID = 0xfc));
    PUT(s, CP_EXEC_CS, .NGROUPS_X = groups, .NGROUPS_Y = groups, .NGROUPS_Z = groups);
}

static void workgroups_run(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    /* A dword for each work-item of each workgroup along x. */
    place_program(rig, "mov.u32u32 r1.x, 0x2000\n"
                       "mov.u32u32 r1.y, 1\n"
                       "mov.u32u32 r2.x, r48.x\n"
                       "shl.b r2.y, r2.x, 6\n"
                       "add.u r2.y, r2.y, r0.x\n"
                       "stg.a.u32 g[r1.x+(r2.y)<<2], r2.y, 1\n"
                       "end");
    put_dispatch(&s, 3);
    assert_int_equal(whole_run(rig, &s), 0);
    for (uint32_t i = 0; i < 4 * THREADS; i++)
        assert_int_equal(*rig_dw(rig, DATA_B + i * 4), i < 3 * THREADS ? i : 0);
}

/* An index is counted in elements of the type, and has no sign. */
static void indices_are_counted_in_elements(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    memset(rig->map + DATA_B, 0, 4 * THREADS);
    place_program(rig, "mov.u32u32 r1.x, 0x2000\n"
                       "mov.u32u32 r1.y, 1\n"
                       "cov.u32u16 hr4.x, r0.x\n"
                       "stg.a.u16 g[r1.x+(r0.x)<<2], hr4.x, 1\n"
                       "end");
    put_dispatch(&s, 1);
    assert_int_equal(whole_run(rig, &s), 0);
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(((uint16_t *)(rig->map + DATA_B))[i], i);
}

/* Private memory of less than a unit is one. */
static void a_little_private_memory(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    place_program(rig, "mov.u32u32 r1.x, 0x2000\n"
                       "mov.u32u32 r1.y, 1\n"
                       "mov.u32u32 r2.x, 0\n"
                       "mul.u24 r2.y, r0.x, 5\n"
                       "stp.u32 p[r2.x], r2.y, 1\n"
                       "ldp.u32 r2.z, p[r2.x], 1\n"
                       "stg.a.u32 g[r1.x+(r0.x)<<2], r2.z, 1\n"
                       "end");
    put_reg(&s, ADRENO_REG_SP_CS_PVT_MEM_PARAM, 0);
    put_reg64(&s, ADRENO_REG_SP_CS_PVT_MEM_BASE, RIG_VA + 0x4000);
    put_dispatch(&s, 1);
    assert_int_equal(whole_run(rig, &s), 0);
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(*rig_dw(rig, DATA_B + i * 4), i * 5);
}

/* The largest dispatch that is valid, of a kernel that does nothing: it ends, and before a watchdog is tired of it. */
static void workgroups_that_do_nothing_cost_nothing(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    place_program(rig, "(sy)(ss)nop\nbar.g\nend");
    put_dispatch(&s, 65535);
    put_store(&s, DATA_B, 5);
    assert_int_equal(whole_run(rig, &s), 0);
    assert_int_equal(*rig_dw(rig, DATA_B), 5);
}

/* More workgroups than anybody waits for, without a branch backwards in their program. */
static void dispatch_ends_between_workgroups_when_killed(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    static struct rig_job job;
    place_program(rig, "mov.u32u32 r1.x, 0x2000\nend");
    put_dispatch(&s, UINT32_MAX);
    rig_submit(rig, &job, &s);
    usleep(2000);
    assert_false(atomic_load(&job.is_done));
    rig_kill(rig, &job);
    rig_wait(&job);
    assert_int_equal(job.error, -ETIME);
}

/* Its report names the branch that goes back. */
static void endless_shader_is_named_when_killed(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    static struct rig_job job;
    place_program(rig, "mov.u32u32 r1.x, 0x2000\n"
                       "mov.u32u32 r1.y, 1\n"
                       "mov.u32u32 r1.z, 7\n"
                       "stg.a.u32 g[r1.x+(r0.x)<<2], r1.z, 1\n"
                       "again:\n"
                       "add.u r1.x, r1.x, 1\n"
                       "jump #again\n"
                       "end");
    put_dispatch(&s, 1);
    rig_submit(rig, &job, &s);
    while (__atomic_load_n(rig_dw(rig, DATA_B), __ATOMIC_RELAXED) != 7) /* until it runs */
        usleep(1000);
    assert_false(atomic_load(&job.is_done));
    rig_kill(rig, &job);
    rig_wait(&job);
    assert_int_equal(job.error, -ETIME);
    assert_non_null(strstr(job.report, "compute shader: the job was killed\n  at 0x"));
    assert_non_null(strstr(job.report, "(instruction 5): jump"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(workgroups_run, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(indices_are_counted_in_elements, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(a_little_private_memory, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(workgroups_that_do_nothing_cost_nothing, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(dispatch_ends_between_workgroups_when_killed, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(endless_shader_is_named_when_killed, rig_setup, rig_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
