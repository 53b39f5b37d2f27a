/* Host code of waves: what random programs (random_sp.c) do not have, faults and registers of other fibers. */
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

#include "adreno/hw/chip.h"
#include "adreno/hw/descriptors.h"
#include "adreno/isa/isa.h"
#include "adreno/model/hlsq/hlsq.h"
#include "adreno/model/sp/code.h"
#include "adreno/model/sp/sp.h"
#include "util/tests/host_level_test.h"

#define BASE_VA 0x100000000ull
#define SIZE_B 0x10000u
#define DATA_B 0x8000u /* where the buffer begins */
#define ELEMENTS 200u
#define LOCAL_B 0xc000u
#define OWN_B 0x1000u /* lanes store from here on, 256 bytes each */

enum {
    OWN = 14, /* r3.z: the lane's own bytes */
    COMPONENTS = 40,
};

struct worker {
    struct adreno_sp *sp;
    struct adreno_stage_state state;
    uint8_t local[LOCAL_B];
    struct adreno_wave *wave;
};

struct rig {
    struct gpu_space space;
    uint8_t *memory;
    int fd;
    uint32_t ibos[ADRENO_MAX_IBOS][ADRENO_DESCRIPTOR_DW];
    uint32_t constants[ADRENO_WAVE_CONSTANTS_DW];
    struct worker host;
};

static struct rig rig;
static uint32_t seed;

static uint32_t random32(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 16 | seed << 16) ^ seed >> 7;
}

static uint32_t interesting(void)
{
    static const uint32_t some[] = {0,          1,          2,          31,         32,         0xffff,     0x10000,
                                    0x7fffffff, 0x80000000, 0xffffffff, 0x00800000, 0x007fffff, 0x3f800000, 0xbf800000,
                                    0x40490fdb, 0x4f000000, 0xcf000000, 0x4f800000, 0x7f800000, 0x33800000, 0x477fe000};
    return random32() % 3 ? random32() : some[random32() % (sizeof(some) / sizeof(some[0]))];
}

static void worker_begin(struct worker *worker, bool has_host_code)
{
    worker->sp = adreno_sp_create(&rig.space, NULL);
    assert_non_null(worker->sp);
    struct exec_code *code = adreno_sp_code_exec(worker->sp->code);
    if (!has_host_code) {
        jit_destroy(code->jit);
        code->jit = NULL;
    }
    worker->sp->tpl1_state.chip = adreno_chip_find("adreno-635");
    worker->sp->tpl1_state.space = &rig.space;
    worker->state.ibos = (const uint32_t(*)[ADRENO_DESCRIPTOR_DW])rig.ibos;
    memcpy(worker->state.textures[1], rig.ibos[2], sizeof(rig.ibos[2]));
}

static int setup(void **state)
{
    (void)state;
    memset(&rig, 0, sizeof(rig));
    rig.fd = memfd_create("sp", 0);
    if (rig.fd < 0 || ftruncate(rig.fd, SIZE_B) != 0)
        return -1;
    rig.memory = mmap(NULL, SIZE_B, PROT_READ | PROT_WRITE, MAP_SHARED, rig.fd, 0);
    const struct gpu_extent extent = {BASE_VA, 1 << 20};
    if (gpu_space_init(&rig.space, &extent, 1) != 0 ||
        gpu_space_map_file(&rig.space, BASE_VA, SIZE_B, rig.fd, 0, GPU_PERM_RWX) != 0)
        return -1;
    struct adreno_desc_BUFFER desc = {.FMT = 75 /* 32_UINT */,
                                      .SWIZ_X = ADRENO_TEX_SWIZ_X,
                                      .SWIZ_W = ADRENO_TEX_SWIZ_ONE,
                                      .NUM_ELEMENTS = ELEMENTS,
                                      .STRUCTSIZETEXELS = 1,
                                      .TYPE = ADRENO_TEX_TYPE_BUFFER,
                                      .BASE = BASE_VA + DATA_B};
    adreno_pack_desc_BUFFER(rig.ibos[2], &desc);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    gpu_space_finish(&rig.space);
    munmap(rig.memory, SIZE_B);
    close(rig.fd);
    return 0;
}

static void fill_memory(struct worker *worker, const struct adreno_launch *launch, struct lane_mask lanes,
                        uint32_t from)
{
    const uint32_t kept = seed;
    seed = from;
    worker->wave = adreno_sp_begin(worker->sp, launch);
    assert_non_null(worker->wave);
    worker->wave->launched = worker->wave->covered = lanes;
    worker->wave->local = worker->local;
    for (unsigned c = 0; c < COMPONENTS; c++) {
        for (unsigned i = 0; i < launch->lanes; i++)
            adreno_wave_row(worker->wave, c)[i] = c == OWN ? OWN_B + i * 256 : interesting();
    }
    for (unsigned i = 0; i < LOCAL_B / 4; i++)
        ((uint32_t *)worker->local)[i] = random32();
    seed = kept;
}

/* A lane that leaves local memory stops the wave, as it does without host code. */
static void local_memory_is_left(void **state)
{
    (void)state;
    unsigned wrong;
    struct adreno_launch launch = {.stage = ADRENO_STAGE_CS,
                                   .lanes = 128,
                                   .program_va = BASE_VA,
                                   .constants = rig.constants,
                                   .local_size_B = 1024,
                                   .serial = 1};
    assert_true(adreno_isa_assemble("shl.b r1.x, r0.x, 4\nldl.u32 r1.y, l[r1.x+4], 2\nadd.u r1.y, r1.y, r1.z\nend",
                                    (uint64_t *)rig.memory, DATA_B / 8, &wrong) > 0);
    worker_begin(&rig.host, true);
    launch.state = &rig.host.state;
    for (unsigned lanes = 63; lanes <= 65; lanes++) { /* lane 63 reads up to byte 1020, lane 64 beyond the end */
        fill_memory(&rig.host, &launch, lane_mask_first(lanes), 1);
        for (unsigned i = 0; i < 128; i++)
            adreno_wave_row(rig.host.wave, 0)[i] = i;
        assert_int_equal(adreno_sp_run(rig.host.wave), lanes <= 64);
        if (lanes > 64)
            assert_int_equal(rig.host.wave->fault.kind, ADRENO_FAULT_MEMORY);
    }
    adreno_sp_destroy(rig.host.sp);
}

/* movs looks at a register of a fiber that waits elsewhere, and that makes no use of it itself. */
static void another_fibers_register_is_kept(void **state)
{
    (void)state;
    unsigned wrong;
    struct adreno_launch launch = {.stage = ADRENO_STAGE_CS,
                                   .lanes = 64,
                                   .program_va = BASE_VA,
                                   .constants = rig.constants,
                                   .local_size_B = LOCAL_B,
                                   .serial = 1};
    assert_true(adreno_isa_assemble("cmps.u.lt p0.x, r0.x, 20\n"
                                    "br p0.x, #few\n"
                                    "add.u r1.y, r0.x, 3\n" /* fibers 20 to 63, which run first */
                                    "mul.u24 r1.x, r1.y, 2\n"
                                    "jump #out\n"
                                    "few:\n"
                                    "(jp)movs.u32u32 r48.x, r1.x, 37\n"
                                    "mov.u32u32 r1.x, r48.x\n"
                                    "stl.u32 l[r3.z], r1.x, 1\n"
                                    "out:\n"
                                    "(jp)end",
                                    (uint64_t *)rig.memory, DATA_B / 8, &wrong) > 0);
    for (unsigned has_host_code = 0; has_host_code < 2; has_host_code++) {
        worker_begin(&rig.host, has_host_code);
        launch.state = &rig.host.state;
        fill_memory(&rig.host, &launch, lane_mask_first(64), 1);
        for (unsigned i = 0; i < 64; i++)
            adreno_wave_row(rig.host.wave, 0)[i] = i;
        assert_true(adreno_sp_run(rig.host.wave));
        for (unsigned i = 0; i < 20; i++)
            assert_int_equal(*(const uint32_t *)(rig.host.local + OWN_B + i * 256), 80);
        const struct jit *jit = adreno_sp_code_exec(rig.host.sp->code)->jit;
        assert_true(!has_host_code || !jit || jit_size_B(jit));
        adreno_sp_destroy(rig.host.sp);
    }
}

int main(void)
{
    if (!host_level_runs())
        return 0;
    setenv("TUFF_DEBUG", "jitnow", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(local_memory_is_left, setup, teardown),
        cmocka_unit_test_setup_teardown(another_fibers_register_is_kept, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
