/* Strict mode: what is read before it was waited for is found, what was waited for is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "adreno/isa/isa.h"
#include "adreno/model/hlsq/hlsq.h"

#define BASE_VA 0x100000000ull
#define SIZE_B 0x10000u

/* Where a program stops in strict mode, or -1. */
static int stops_at(const char *source)
{
    static struct adreno_stage_state state;
    static uint32_t constants[ADRENO_WAVE_CONSTANTS_DW];
    static uint8_t local[1024];
    struct gpu_space space = {0};
    const struct gpu_extent extent = {BASE_VA, 1 << 20};
    unsigned line;
    int fd = memfd_create("strict", 0), found = -1;
    assert_int_equal(ftruncate(fd, SIZE_B), 0);
    uint64_t *words = mmap(NULL, SIZE_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_int_equal(gpu_space_init(&space, &extent, 1), 0);
    assert_int_equal(gpu_space_map_file(&space, BASE_VA, SIZE_B, fd, 0, GPU_PERM_RWX), 0);
    if (adreno_isa_assemble(source, words, 64, &line) < 0)
        fail_msg("line %u is not read", line);
    constants[1] = 1; /* c0.xy: BASE_VA */
    const struct adreno_launch launch = {.stage = ADRENO_STAGE_CS,
                                         .lanes = 64,
                                         .program_va = BASE_VA,
                                         .constants = constants,
                                         .constants_dw = ADRENO_WAVE_CONSTANTS_DW,
                                         .local_size_B = sizeof(local),
                                         .state = &state,
                                         .serial = 1};
    struct adreno_sp *sp = adreno_sp_create(&space, NULL);
    struct adreno_wave *wave = adreno_sp_begin(sp, &launch);
    assert_non_null(wave);
    wave->local = local;
    memset(adreno_wave_row(wave, 0), 0, 64 * 4 * 48);
    if (!adreno_sp_run(wave)) {
        assert_int_equal(wave->fault.kind, ADRENO_FAULT_STRICT);
        found = (int)((wave->fault.pc - BASE_VA) / 8);
    }
    adreno_sp_destroy(sp);
    gpu_space_finish(&space);
    munmap(words, SIZE_B);
    close(fd);
    return found;
}

static void special_functions_are_waited_for(void **state)
{
    (void)state;
    assert_int_equal(stops_at("rcp r1.x, r0.x\nadd.f r1.y, r1.x, r1.x\nend"), 1);
    assert_int_equal(stops_at("rcp r1.x, r0.x\n(ss)add.f r1.y, r1.x, r1.x\nend"), -1);
    assert_int_equal(stops_at("rcp r1.x, r0.x\n(sy)add.f r1.y, r1.x, r1.x\nend"), 1);
    assert_int_equal(stops_at("rcp r1.x, r0.x\n(ss)nop\nadd.f r1.y, r1.x, r1.x\nend"), -1);
    assert_int_equal(stops_at("(rpt1)rcp r1.x, r0.x\nadd.f r2.y, r1.z, r0.x\nadd.f r2.y, r1.y, r0.x\nend"), 2);
}

static void loads_are_waited_for(void **state)
{
    static const char head[] = "mov.u32u32 r2.x, c0.x\nmov.u32u32 r2.y, c0.y\n";
    char source[256];
    (void)state;
    snprintf(source, sizeof(source), "%sldg.u32 r1.x, g[r2.x], 2\nmov.u32u32 r3.x, r1.y\nend", head);
    assert_int_equal(stops_at(source), 3);
    snprintf(source, sizeof(source), "%sldg.u32 r1.x, g[r2.x], 2\n(sy)mov.u32u32 r3.x, r1.y\nend", head);
    assert_int_equal(stops_at(source), -1);
    assert_int_equal(stops_at("ldl.u32 r1.x, l[r0.x], 1\nmov.u32u32 r3.x, r1.x\nend"), 1);
    assert_int_equal(stops_at("ldl.u32 r1.x, l[r0.x], 1\n(ss)mov.u32u32 r3.x, r1.x\nend"), -1);
    /* A half of a pending register. */
    assert_int_equal(stops_at("ldl.u32 r1.x, l[r0.x], 1\nmov.u16u16 hr9.x, hr2.y\nend"), 1);
}

/* What waits in a wave waits along its way through branches. */
static void waits_cross_branches(void **state)
{
    (void)state;
    assert_int_equal(stops_at("rcp r1.x, r0.x\njump #out\nnop\nout:\n(jp)mov.u32u32 r2.x, r1.x\nend"), 3);
    assert_int_equal(stops_at("rcp r1.x, r0.x\njump #out\nnop\nout:\n(ss)(jp)mov.u32u32 r2.x, r1.x\nend"), -1);
}

int main(void)
{
    setenv("TUFF_DEBUG", "strict", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(special_functions_are_waited_for),
        cmocka_unit_test(loads_are_waited_for),
        cmocka_unit_test(waits_cross_branches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
