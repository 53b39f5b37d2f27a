/* Memory packets, waits, events and dispatches of the command processor, through the engine's interface. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "amd/hw/regs_compute.h"
#include "amd/hw/regs_cp.h"
#include "amd/model/cp/tests/cp_rig.h"

#define assert_report(rig, words) assert_non_null(strstr((rig)->report, words))

/* ---- memory ---- */

static void write_data_writes_memory_registers_and_gds(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    PUT(&s, WRITE_DATA, .tail_dw = 3, .DST_SEL = AMD_WRITE_DST_MEM, .ADDR = RIG_VA);
    PUT_WORDS(&s, 1, 2, 3);
    PUT(&s, WRITE_DATA, .tail_dw = 3, .DST_SEL = AMD_WRITE_DST_TC_L2, .ADDR = RIG_VA + 16, .ADDR_NO_INCR = true);
    PUT_WORDS(&s, 4, 5, 6);
    PUT(&s, WRITE_DATA, .tail_dw = 2, .DST_SEL = AMD_WRITE_DST_REG, .REG = AMD_REG_SCRATCH_REG / 4);
    PUT_WORDS(&s, 7, 8);
    PUT(&s, WRITE_DATA, .tail_dw = 2, .DST_SEL = AMD_WRITE_DST_GDS, .GDS = 64);
    PUT_WORDS(&s, 9, 10);
    PUT(&s, COPY_DATA, .SRC_SEL = AMD_COPY_SRC_REG, .SRC_REG = AMD_REG_SCRATCH_REG / 4, .COUNT_64 = true,
        .DST_SEL = AMD_COPY_DST_MEM, .DST_ADDR = RIG_VA + 32);
    PUT(&s, COPY_DATA, .SRC_SEL = AMD_COPY_SRC_GDS, .SRC_GDS = 64, .COUNT_64 = true, .DST_SEL = AMD_COPY_DST_MEM,
        .DST_ADDR = RIG_VA + 40);
    assert_int_equal(rig_run_gfx(rig, &s), 0);
    const uint32_t expected[12] = {1, 2, 3, 0, 6, 0, 0, 0, 7, 8, 9, 10};
    assert_memory_equal(rig->map, expected, sizeof(expected));
}

static void gds_ends_where_the_partition_does(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0}, beyond = {0};
    PUT(&s, DMA_DATA, .SRC_SEL = AMD_DMA_SRC_DATA, .SRC_DATA = 0x01020304, .DST_SEL = AMD_DMA_DST_GDS, .DST_ADDR = 0,
        .BYTE_COUNT = 16);
    PUT(&s, DMA_DATA, .SRC_SEL = AMD_DMA_SRC_GDS, .SRC_GDS = 1, .DST_SEL = AMD_DMA_DST_ADDR, .DST_ADDR = RIG_VA,
        .BYTE_COUNT = 4);
    assert_int_equal(rig_run_gfx(rig, &s), 0);
    assert_int_equal(*rig_dw(rig, 0), 0x04010203);
    PUT(&beyond, COPY_DATA, .SRC_SEL = AMD_COPY_SRC_GDS, .SRC_GDS = 4096, .DST_SEL = AMD_COPY_DST_MEM,
        .DST_ADDR = RIG_VA);
    assert_int_equal(rig_run_gfx(rig, &beyond), -EIO);
    assert_report(rig, "of GDS");
    /* Another partition is other memory. */
    rig_gds_B.base = 4096;
    assert_int_equal(rig_run_gfx(rig, &s), 0);
    rig_gds_B.base = 8192;
    struct stream read = {0};
    PUT(&read, COPY_DATA, .SRC_SEL = AMD_COPY_SRC_GDS, .SRC_GDS = 0, .DST_SEL = AMD_COPY_DST_MEM, .DST_ADDR = RIG_VA);
    assert_int_equal(rig_run_gfx(rig, &read), 0);
    assert_int_equal(*rig_dw(rig, 0), 0);
}

static void copy_data_keeps_the_bytes_behind_it(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    memset(rig->map, 0xee, 64);
    PUT(&s, COPY_DATA, .SRC_SEL = AMD_COPY_SRC_IMM, .SRC_IMM = 0x1122334455667788, .DST_SEL = AMD_COPY_DST_MEM,
        .DST_ADDR = RIG_VA);
    PUT(&s, COPY_DATA, .SRC_SEL = AMD_COPY_SRC_IMM, .SRC_IMM = 0x1122334455667788, .COUNT_64 = true,
        .DST_SEL = AMD_COPY_DST_MEM, .DST_ADDR = RIG_VA + 12);
    PUT(&s, COPY_DATA, .SRC_SEL = AMD_COPY_SRC_MEM, .SRC_ADDR = RIG_VA + 12, .COUNT_64 = true,
        .DST_SEL = AMD_COPY_DST_TC_L2, .DST_ADDR = RIG_VA + 24);
    assert_int_equal(rig_run_compute(rig, &s), 0);
    const uint32_t expected[9] = {0x55667788, 0xeeeeeeee, 0xeeeeeeee, 0x55667788, 0x11223344,
                                  0xeeeeeeee, 0x55667788, 0x11223344, 0xeeeeeeee};
    assert_memory_equal(rig->map, expected, sizeof(expected));
}

static void timestamps_count_a_hundred_megahertz(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    PUT(&s, COPY_DATA, .SRC_SEL = AMD_COPY_SRC_TIMESTAMP, .COUNT_64 = true, .DST_SEL = AMD_COPY_DST_MEM,
        .DST_ADDR = RIG_VA);
    uint64_t before = rig->ops->timestamp(rig->engine);
    assert_int_equal(rig_run_gfx(rig, &s), 0);
    usleep(20000);
    struct stream end = {0};
    PUT(&end, RELEASE_MEM, .EVENT_TYPE = AMD_EVENT_TYPE_BOTTOM_OF_PIPE_TS, .EVENT_INDEX = AMD_EVENT_INDEX_END_OF_PIPE,
        .DATA_SEL = AMD_RELEASE_DATA_GPU_CLOCK, .ADDR = RIG_VA + 8);
    assert_int_equal(rig_run_gfx(rig, &end), 0);
    uint64_t after = rig->ops->timestamp(rig->engine), first = *rig_qw(rig, 0), second = *rig_qw(rig, 8);
    assert_true(before <= first && second <= after);
    assert_true(second - first >= 2000000); /* 20 ms */
}

static void dma_copies_fills_and_prefetches(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    for (unsigned i = 0; i < 20000; i++)
        rig->map[0x10000 + i] = (uint8_t)(i * 7);
    PUT(&s, DMA_DATA, .SRC_SEL = AMD_DMA_SRC_ADDR_TC_L2, .SRC_ADDR = RIG_VA + 0x10001,
        .DST_SEL = AMD_DMA_DST_ADDR_TC_L2, .DST_ADDR = RIG_VA + 0x20003, .BYTE_COUNT = 10001);
    PUT(&s, DMA_DATA, .SRC_SEL = AMD_DMA_SRC_DATA, .SRC_DATA = 0xa1b2c3d4, .DST_SEL = AMD_DMA_DST_ADDR,
        .DST_ADDR = RIG_VA + 0x30000, .BYTE_COUNT = 4102);
    PUT(&s, DMA_DATA, .SRC_SEL = AMD_DMA_SRC_ADDR_TC_L2, .SRC_ADDR = RIG_UNMAPPED_VA, .DST_SEL = AMD_DMA_DST_NOWHERE,
        .DST_ADDR = RIG_UNMAPPED_VA, .BYTE_COUNT = 4096);
    PUT(&s, DMA_DATA, .SRC_SEL = AMD_DMA_SRC_ADDR, .SRC_ADDR = 0, .DST_SEL = AMD_DMA_DST_ADDR, .DST_ADDR = 0,
        .BYTE_COUNT = 0, .CP_SYNC = true);
    assert_int_equal(rig_run_gfx(rig, &s), 0);
    assert_memory_equal(rig->map + 0x20003, rig->map + 0x10001, 10001);
    assert_int_equal(rig->map[0x20002], 0);
    assert_int_equal(rig->map[0x20003 + 10001], 0);
    assert_int_equal(*rig_dw(rig, 0x30000), 0xa1b2c3d4);
    assert_int_equal(*rig_dw(rig, 0x31000), 0xa1b2c3d4);
    assert_int_equal(*rig_dw(rig, 0x31004), 0x0000c3d4);
}

static void faults_name_the_first_byte_that_is_not_there(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    PUT(&s, DMA_DATA, .SRC_SEL = AMD_DMA_SRC_DATA, .SRC_DATA = 1, .DST_SEL = AMD_DMA_DST_ADDR,
        .DST_ADDR = RIG_VA + RIG_SIZE_B - 4096, .BYTE_COUNT = 8192);
    assert_int_equal(rig_run_gfx(rig, &s), -EFAULT);
    assert_report(rig, "a write of 4096 bytes at 0xffff800000100000");
    assert_report(rig, "-> +000000  DMA_DATA");
    assert_int_equal(*rig_dw(rig, RIG_SIZE_B - 4), 1); /* what came before it has happened */
}

static void atomics_compute_and_return(void **state)
{
    struct rig *rig = *state;
    static const struct {
        unsigned op;
        uint64_t old, source, compare, expected;
    } cases[] = {
        {AMD_ATOMIC_OP_ADD_RTN_32, 0xffffffff, 2, 0, 1},
        {AMD_ATOMIC_OP_ADD_RTN_64, 0xffffffff, 2, 0, 0x100000001},
        {AMD_ATOMIC_OP_SUB_RTN_32, 1, 2, 0, 0xffffffff},
        {AMD_ATOMIC_OP_SWAP_RTN_64, 1, ~0ull, 0, ~0ull},
        {AMD_ATOMIC_OP_CMPSWAP_RTN_32, 5, 9, 5, 9},
        {AMD_ATOMIC_OP_CMPSWAP_RTN_32, 5, 9, 6, 5},
        {AMD_ATOMIC_OP_SMIN_RTN_32, 0xffffffff, 3, 0, 0xffffffff},
        {AMD_ATOMIC_OP_UMIN_RTN_32, 0xffffffff, 3, 0, 3},
        {AMD_ATOMIC_OP_SMAX_RTN_64, ~0ull, 3, 0, 3},
        {AMD_ATOMIC_OP_UMAX_RTN_64, ~0ull, 3, 0, ~0ull},
        {AMD_ATOMIC_OP_AND_RTN_32, 12, 10, 0, 8},
        {AMD_ATOMIC_OP_OR_RTN_32, 12, 10, 0, 14},
        {AMD_ATOMIC_OP_XOR_RTN_32, 12, 10, 0, 6},
        {AMD_ATOMIC_OP_INC_RTN_32, 3, 3, 0, 0},
        {AMD_ATOMIC_OP_INC_RTN_32, 2, 3, 0, 3},
        {AMD_ATOMIC_OP_DEC_RTN_32, 0, 3, 0, 3},
        {AMD_ATOMIC_OP_DEC_RTN_32, 9, 3, 0, 3},
        {AMD_ATOMIC_OP_DEC_RTN_32, 2, 3, 0, 1},
    };
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bool wide = cases[i].op & 32;
        struct stream s = {0};
        *rig_qw(rig, 0) = wide ? cases[i].old : cases[i].old | 0xdeadull << 32;
        *rig_qw(rig, 8) = 0;
        PUT(&s, ATOMIC_MEM, .ATOMIC = (enum amd_ATOMIC_OP)cases[i].op, .ADDR = RIG_VA, .SRC_DATA = cases[i].source,
            .CMP_DATA = cases[i].compare);
        PUT(&s, COPY_DATA, .SRC_SEL = AMD_COPY_SRC_ATOMIC_RETURN, .COUNT_64 = wide, .DST_SEL = AMD_COPY_DST_MEM,
            .DST_ADDR = RIG_VA + 8);
        assert_int_equal(rig_run_gfx(rig, &s), 0);
        assert_int_equal(*rig_qw(rig, 0), wide ? cases[i].expected : cases[i].expected | 0xdeadull << 32);
        assert_int_equal(*rig_qw(rig, 8), cases[i].old);
    }
}

/* ---- waits ---- */

static void every_function_of_a_wait(void **state)
{
    struct rig *rig = *state;
    for (unsigned function = AMD_CP_FUNCTION_ALWAYS; function <= AMD_CP_FUNCTION_GREATER; function++) {
        for (uint32_t value = 4; value <= 6; value++) {
            static const uint8_t met[7][3] = {{1, 1, 1}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                              {1, 0, 1}, {0, 1, 1}, {0, 0, 1}};
            static struct rig_job job;
            struct stream s = {0};
            *rig_dw(rig, 0) = value | 0xab00;
            PUT(&s, WAIT_REG_MEM, .FUNCTION = (enum amd_CP_FUNCTION)function, .MEM_SPACE = AMD_WAIT_SPACE_MEM,
                .ADDR = RIG_VA, .REFERENCE = 5, .MASK = 0xff);
            uint32_t begin_B = rig->stream_B;
            rig_submit(rig, &job, AMD_RING_GFX, &s);
            if (!met[function][value - 4]) {
                usleep(2000);
                assert_false(atomic_load(&job.is_done));
                rig_kill(rig, &job);
            }
            rig_wait(&job);
            rig->stream_B = begin_B;
            assert_int_equal(job.error, met[function][value - 4] ? 0 : -ETIME);
        }
    }
}

static void rings_wait_for_each_other(void **state)
{
    struct rig *rig = *state;
    struct stream gfx = {0}, compute = {0};
    for (uint32_t i = 1; i <= 50; i++) {
        put_store(&gfx, 0, i);
        PUT(&gfx, WAIT_REG_MEM, .FUNCTION = AMD_CP_FUNCTION_EQUAL, .MEM_SPACE = AMD_WAIT_SPACE_MEM, .ADDR = RIG_VA + 4,
            .REFERENCE = i, .MASK = UINT32_MAX);
        PUT(&compute, WAIT_REG_MEM64, .FUNCTION = AMD_CP_FUNCTION_GEQUAL, .MEM_SPACE = AMD_WAIT_SPACE_MEM,
            .ADDR = RIG_VA, .REFERENCE = i, .MASK = UINT32_MAX);
        PUT(&compute, RELEASE_MEM, .EVENT_TYPE = AMD_EVENT_TYPE_CS_DONE, .EVENT_INDEX = AMD_EVENT_INDEX_END_OF_SHADER,
            .DATA_SEL = AMD_RELEASE_DATA_32_BITS, .ADDR = RIG_VA + 4, .DATA = i);
    }
    static struct rig_job jobs[2];
    rig_submit(rig, &jobs[0], AMD_RING_GFX, &gfx);
    rig_submit(rig, &jobs[1], AMD_RING_COMPUTE, &compute);
    rig_wait(&jobs[0]);
    rig_wait(&jobs[1]);
    assert_int_equal(jobs[0].error, 0);
    assert_int_equal(jobs[1].error, 0);
    assert_int_equal(*rig_dw(rig, 4), 50);
}

static void wait_for_a_register(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    put_uconfig(&s, AMD_REG_SCRATCH_REG, 0x30);
    PUT(&s, WAIT_REG_MEM, .FUNCTION = AMD_CP_FUNCTION_NOTEQUAL, .MEM_SPACE = AMD_WAIT_SPACE_REG,
        .REG = AMD_REG_SCRATCH_REG / 4, .REFERENCE = 0, .MASK = 0xf0);
    assert_int_equal(rig_run_compute(rig, &s), 0);
}

/* ---- events ---- */

static void occlusion_counts_come_from_the_backends_that_are_there(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    memset(rig->map, 0xcc, 512);
    PUT(&s, EVENT_WRITE, .EVENT_TYPE = AMD_EVENT_TYPE_ZPASS_DONE, .EVENT_INDEX = AMD_EVENT_INDEX_ZPASS_DONE,
        .ADDR = RIG_VA);
    assert_int_equal(rig_run_gfx(rig, &s), 0);
    for (unsigned rb = 0; rb < 17; rb++) {
        bool there = 0xff0f >> rb & 1; /* navi21's mask: four of sixteen are harvested */
        assert_int_equal(*rig_qw(rig, rb * 16), there ? 1ull << 63 : 0xccccccccccccccccull);
        assert_int_equal(*rig_qw(rig, rb * 16 + 8), 0xccccccccccccccccull);
    }
}

static void events_are_known_or_stop(void **state)
{
    struct rig *rig = *state;
    struct stream flush = {0}, streamout = {0}, unknown = {0};
    PUT(&flush, EVENT_WRITE, .EVENT_TYPE = AMD_EVENT_TYPE_CS_PARTIAL_FLUSH,
        .EVENT_INDEX = AMD_EVENT_INDEX_PARTIAL_FLUSH);
    PUT(&flush, EVENT_WRITE, .EVENT_TYPE = AMD_EVENT_TYPE_VGT_FLUSH);
    PUT(&flush, ACQUIRE_MEM, .GLI_INV = AMD_GCR_GLI_INV_ALL);
    assert_int_equal(rig_run_gfx(rig, &flush), 0);
    PUT(&streamout, EVENT_WRITE, .EVENT_TYPE = AMD_EVENT_TYPE_VGT_STREAMOUT_RESET);
    assert_int_equal(rig_run_gfx(rig, &streamout), -ENOSYS);
    PUT(&unknown, EVENT_WRITE, .EVENT_TYPE = AMD_EVENT_TYPE_SET_FE_ID);
    assert_int_equal(rig_run_gfx(rig, &unknown), -ENOSYS);
}

/* How far buffers are filled comes from the packet or from memory, and goes to memory. */
static void stream_out_buffers_are_filled_from_where_packets_say(void **state)
{
    struct rig *rig = *state;
    struct stream stream = {0};
    PUT(&stream, EVENT_WRITE, .EVENT_TYPE = AMD_EVENT_TYPE_SO_VGTSTREAMOUT_FLUSH);
    PUT(&stream, WAIT_REG_MEM, .FUNCTION = AMD_CP_FUNCTION_EQUAL, .MEM_SPACE = AMD_WAIT_SPACE_REG,
        .REG = AMD_REG_CP_STRMOUT_CNTL / 4, .REFERENCE = 1, .MASK = 1);
    PUT(&stream, STRMOUT_BUFFER_UPDATE, .OFFSET_SOURCE = AMD_STRMOUT_SOURCE_PACKET, .BUFFER_SELECT = 2,
        .SRC_OFFSET = 77);
    PUT(&stream, STRMOUT_BUFFER_UPDATE, .OFFSET_SOURCE = AMD_STRMOUT_SOURCE_NONE, .BUFFER_SELECT = 2,
        .STORE_FILLED_SIZE = 1, .DST_ADDR = RIG_VA + 64);
    PUT(&stream, STRMOUT_BUFFER_UPDATE, .OFFSET_SOURCE = AMD_STRMOUT_SOURCE_MEM, .BUFFER_SELECT = 0,
        .SRC_ADDR = RIG_VA + 64);
    PUT(&stream, STRMOUT_BUFFER_UPDATE, .OFFSET_SOURCE = AMD_STRMOUT_SOURCE_NONE, .BUFFER_SELECT = 0,
        .STORE_FILLED_SIZE = 1, .DST_ADDR = RIG_VA + 68);
    /* the same in bytes */
    PUT(&stream, STRMOUT_BUFFER_UPDATE, .OFFSET_SOURCE = AMD_STRMOUT_SOURCE_NONE, .BUFFER_SELECT = 0, .DATA_TYPE = 1,
        .STORE_FILLED_SIZE = 1, .DST_ADDR = RIG_VA + 72);
    PUT(&stream, STRMOUT_BUFFER_UPDATE, .OFFSET_SOURCE = AMD_STRMOUT_SOURCE_MEM, .BUFFER_SELECT = 1, .DATA_TYPE = 1,
        .SRC_ADDR = RIG_VA + 72);
    PUT(&stream, STRMOUT_BUFFER_UPDATE, .OFFSET_SOURCE = AMD_STRMOUT_SOURCE_NONE, .BUFFER_SELECT = 1,
        .STORE_FILLED_SIZE = 1, .DST_ADDR = RIG_VA + 76);
    assert_int_equal(rig_run_gfx(rig, &stream), 0);
    assert_int_equal(*rig_qw(rig, 64), 77ull << 32 | 77);
    assert_int_equal(*rig_qw(rig, 72), 77ull << 32 | 77 * 4);
}

/* ---- dispatches ---- */

/* Thread t of group g writes 7 + n at data[n], n = 64 g + t. */
static const uint32_t store_program[] = {0xd7460001, 0x04010c02, 0x34040282, 0x4a020287,
                                         0xdc708000, 0x00000102, 0xbf810000};
/* A program that stores and then turns for ever. */
static const uint32_t endless_program[] = {0xd7460001, 0x04010c02, 0x34040282, 0x4a020287,
                                           0xdc708000, 0x00000102, 0xbf82ffff, 0xbf810000};
/* Thread t writes s3 at data[t]. */
static const uint32_t group_program[] = {0x34040082, 0x7e020203, 0xdc708000, 0x00000102, 0xbf810000};
static const uint32_t illegal_program[] = {0xbf800000, 0xffffffff, 0xbf810000};

#define PROGRAM_B 0x40000
#define DATA_B 0x50000
#define ENDLESS_DATA_B 0x60000

static void place_program(struct rig *rig, const uint32_t *words, size_t size_B)
{
    memcpy(rig->map + PROGRAM_B, words, size_B);
}

static uint32_t count_written(struct rig *rig)
{
    uint32_t count = 0;
    while (rig_dw(rig, DATA_B)[count] == 7 + count)
        count++;
    return count;
}

static void dispatch_direct_and_indirect_of_both_rings(void **state)
{
    struct rig *rig = *state;
    place_program(rig, store_program, sizeof(store_program));
    const uint32_t arguments[3] = {5, 1, 1};
    memcpy(rig->map + 0x108, arguments, sizeof(arguments));
    for (unsigned form = 0; form < 3; form++) {
        struct stream s = {0};
        memset(rig->map + DATA_B, 0, 4096);
        put_program(&s, RIG_VA + PROGRAM_B, RIG_VA + DATA_B, 64);
        if (form == 0)
            PUT(&s, DISPATCH_DIRECT, .DIM_X = 5, .DIM_Y = 1, .DIM_Z = 1, .COMPUTE_SHADER_EN = true);
        if (form == 1) {
            PUT(&s, SET_BASE, .BASE_INDEX = AMD_BASE_INDEX_INDIRECT, .ADDR = RIG_VA + 0x104);
            PUT(&s, DISPATCH_INDIRECT, .DATA_OFFSET = 4, .COMPUTE_SHADER_EN = true);
        }
        if (form == 2)
            PUT(&s, DISPATCH_INDIRECT_MEC, .ADDR = RIG_VA + 0x108, .COMPUTE_SHADER_EN = true, .CS_W32_EN = true);
        assert_int_equal(rig_run(rig, form == 2 ? AMD_RING_COMPUTE : AMD_RING_GFX, &s), 0);
        assert_int_equal(count_written(rig), 320);
    }
}

/* The largest dispatch that is valid, of a kernel that does nothing: it ends, and before a watchdog is tired of it. */
static void workgroups_that_do_nothing_cost_nothing(void **state)
{
    struct rig *rig = *state;
    static const uint32_t idle[] = {0xbf800000, 0xbf8a0000, 0xbf810000}; /* s_nop, s_barrier, s_endpgm */
    struct stream s = {0};
    place_program(rig, idle, sizeof(idle));
    put_program(&s, RIG_VA + PROGRAM_B, RIG_VA + DATA_B, 64);
    PUT(&s, DISPATCH_DIRECT, .DIM_X = 65535, .DIM_Y = 65535, .DIM_Z = 65535, .COMPUTE_SHADER_EN = true);
    put_store(&s, DATA_B, 5);
    assert_int_equal(rig_run_gfx(rig, &s), 0);
    assert_int_equal(*rig_dw(rig, DATA_B), 5);
}

/* More workgroups than anybody waits for, without a branch backwards in their program. */
static void dispatch_ends_between_workgroups_when_killed(void **state)
{
    struct rig *rig = *state;
    static const uint32_t move[] = {0x7e000280, 0xbf810000}; /* v_mov_b32 v0, 0; s_endpgm */
    static struct rig_job job;
    struct stream s = {0};
    place_program(rig, move, sizeof(move));
    put_program(&s, RIG_VA + PROGRAM_B, RIG_VA + DATA_B, 64);
    PUT(&s, DISPATCH_DIRECT, .DIM_X = UINT32_MAX, .DIM_Y = UINT32_MAX, .DIM_Z = UINT32_MAX, .COMPUTE_SHADER_EN = true);
    rig_submit(rig, &job, AMD_RING_GFX, &s);
    usleep(2000);
    assert_false(atomic_load(&job.is_done));
    rig_kill(rig, &job);
    rig_wait(&job);
    assert_int_equal(job.error, -ETIME);
}

/* Waves [5:0] and the number of this one, in bits [11:6] for the ordered append and in [24:20] for itself. */
static void waves_of_a_workgroup_know_their_numbers(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    place_program(rig, group_program, sizeof(group_program));
    put_program(&s, RIG_VA + PROGRAM_B, RIG_VA + DATA_B, 256);
    put_sh(&s, AMD_REG_COMPUTE_PGM_RSRC2,
           AMD_PACK(RIG_GFX, COMPUTE_PGM_RSRC2, .USER_SGPR = 2, .TGID_X_EN = true, .TG_SIZE_EN = true));
    PUT(&s, DISPATCH_DIRECT, .DIM_X = 1, .DIM_Y = 1, .DIM_Z = 1, .COMPUTE_SHADER_EN = true);
    assert_int_equal(rig_run_gfx(rig, &s), 0);
    for (uint32_t i = 0; i < 256; i++)
        assert_int_equal(*rig_dw(rig, DATA_B + i * 4), 4 | i / 64 << 6 | i / 64 << 20);
}

static void dispatch_counts_invocations_while_it_is_asked_to(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    place_program(rig, store_program, sizeof(store_program));
    put_program(&s, RIG_VA + PROGRAM_B, RIG_VA + DATA_B, 64);
    PUT(&s, DISPATCH_DIRECT, .DIM_X = 1, .DIM_Y = 1, .DIM_Z = 1, .COMPUTE_SHADER_EN = true);
    PUT(&s, EVENT_WRITE, .EVENT_TYPE = AMD_EVENT_TYPE_PIPELINESTAT_START);
    PUT(&s, DISPATCH_DIRECT, .DIM_X = 2, .DIM_Y = 1, .DIM_Z = 1, .COMPUTE_SHADER_EN = true);
    PUT(&s, DISPATCH_DIRECT, .DIM_X = 100, .DIM_Y = 1, .DIM_Z = 1, .COMPUTE_SHADER_EN = true,
        .USE_THREAD_DIMENSIONS = true);
    PUT(&s, EVENT_WRITE, .EVENT_TYPE = AMD_EVENT_TYPE_PIPELINESTAT_STOP);
    PUT(&s, DISPATCH_DIRECT, .DIM_X = 4, .DIM_Y = 1, .DIM_Z = 1, .COMPUTE_SHADER_EN = true);
    PUT(&s, EVENT_WRITE, .EVENT_TYPE = AMD_EVENT_TYPE_SAMPLE_PIPELINESTAT,
        .EVENT_INDEX = AMD_EVENT_INDEX_SAMPLE_PIPELINESTAT, .ADDR = RIG_VA);
    *rig_qw(rig, 88) = 0xcc;
    assert_int_equal(rig_run_gfx(rig, &s), 0);
    for (unsigned i = 0; i < 10; i++)
        assert_int_equal(*rig_qw(rig, i * 8), 0);
    assert_int_equal(*rig_qw(rig, 80), 228);
    assert_int_equal(*rig_qw(rig, 88), 0xcc);
}

static void compute_ring_samples_invocations_alone(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    place_program(rig, store_program, sizeof(store_program));
    put_program(&s, RIG_VA + PROGRAM_B, RIG_VA + DATA_B, 64);
    PUT(&s, EVENT_WRITE, .EVENT_TYPE = AMD_EVENT_TYPE_PIPELINESTAT_START);
    PUT(&s, DISPATCH_DIRECT, .DIM_X = 2, .DIM_Y = 1, .DIM_Z = 1, .COMPUTE_SHADER_EN = true);
    PUT(&s, EVENT_WRITE, .EVENT_TYPE = AMD_EVENT_TYPE_SAMPLE_PIPELINESTAT,
        .EVENT_INDEX = AMD_EVENT_INDEX_SAMPLE_PIPELINESTAT, .ADDR = RIG_VA);
    for (unsigned i = 1; i < 11; i++)
        *rig_qw(rig, i * 8) = 0xcc;
    assert_int_equal(rig_run_compute(rig, &s), 0);
    assert_int_equal(*rig_qw(rig, 0), 128);
    for (unsigned i = 1; i < 11; i++)
        assert_int_equal(*rig_qw(rig, i * 8), 0xcc);
}

static void changed_program_is_seen_behind_an_invalidate(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    place_program(rig, store_program, sizeof(store_program));
    put_program(&s, RIG_VA + PROGRAM_B, RIG_VA + DATA_B, 64);
    PUT(&s, ACQUIRE_MEM, .GLI_INV = AMD_GCR_GLI_INV_ALL);
    PUT(&s, DISPATCH_DIRECT, .DIM_X = 1, .DIM_Y = 1, .DIM_Z = 1, .COMPUTE_SHADER_EN = true);
    assert_int_equal(rig_run_gfx(rig, &s), 0);
    assert_int_equal(*rig_dw(rig, DATA_B), 7);
    rig_dw(rig, PROGRAM_B)[3] = 0x4a020289; /* v_add_nc_u32 v1, 9, v1 */
    assert_int_equal(rig_run_gfx(rig, &s), 0);
    assert_int_equal(*rig_dw(rig, DATA_B), 9);
}

static void shader_fault_names_instruction_and_address(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0}, again = {0};
    place_program(rig, store_program, sizeof(store_program));
    put_program(&s, RIG_VA + PROGRAM_B, RIG_UNMAPPED_VA, 64);
    PUT(&s, DISPATCH_DIRECT, .DIM_X = 1, .DIM_Y = 1, .DIM_Z = 1, .COMPUTE_SHADER_EN = true);
    assert_int_equal(rig_run_gfx(rig, &s), -EFAULT);
    assert_report(rig, "a write to 0xffff800004000000");
    assert_report(rig, "-> +00016  global_store_dword v2, v1, s[0:1]");
    assert_report(rig, "v_lshlrev_b32");
    assert_report(rig, "s_endpgm");
    assert_report(rig, "the rig has nothing at");
    assert_report(rig, "DISPATCH_DIRECT DIM_X=1");
    /* The ring goes on. */
    put_program(&again, RIG_VA + PROGRAM_B, RIG_VA + DATA_B, 64);
    PUT(&again, DISPATCH_DIRECT, .DIM_X = 1, .DIM_Y = 1, .DIM_Z = 1, .COMPUTE_SHADER_EN = true);
    assert_int_equal(rig_run_gfx(rig, &again), 0);
    assert_int_equal(count_written(rig), 64);
}

static void what_is_no_instruction_stops(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    place_program(rig, illegal_program, sizeof(illegal_program));
    put_program(&s, RIG_VA + PROGRAM_B, RIG_VA + DATA_B, 64);
    PUT(&s, DISPATCH_DIRECT, .DIM_X = 1, .DIM_Y = 1, .DIM_Z = 1, .COMPUTE_SHADER_EN = true);
    assert_int_equal(rig_run_gfx(rig, &s), -ENOSYS);
    assert_report(rig, "compute shader 0xffff800000040000 (wave64)");
}

/* An endless shader on one ring while another one works; it is killed then. */
static void kill_endless(struct rig *rig, struct rig_job *job, uint32_t groups)
{
    struct stream s = {0}, other = {0};
    place_program(rig, endless_program, sizeof(endless_program));
    memcpy(rig->map + PROGRAM_B + 0x1000, store_program, sizeof(store_program));
    put_program(&s, RIG_VA + PROGRAM_B, RIG_VA + ENDLESS_DATA_B, 64);
    PUT(&s, DISPATCH_DIRECT, .DIM_X = groups, .DIM_Y = 1, .DIM_Z = 1, .COMPUTE_SHADER_EN = true);
    rig_submit(rig, job, AMD_RING_GFX, &s);
    put_program(&other, RIG_VA + PROGRAM_B + 0x1000, RIG_VA + DATA_B, 64);
    PUT(&other, DISPATCH_DIRECT, .DIM_X = 16, .DIM_Y = 1, .DIM_Z = 1, .COMPUTE_SHADER_EN = true);
    assert_int_equal(rig_run_compute(rig, &other), 0);
    assert_int_equal(count_written(rig), 1024);
    /* A job killed before its dispatch would have no shader to report: wait for what the shader writes first. */
    while (*(volatile uint32_t *)rig_dw(rig, ENDLESS_DATA_B) != 7)
        usleep(1000);
    assert_false(atomic_load(&job->is_done));
    rig_kill(rig, job);
    rig_wait(job);
    assert_int_equal(job->error, -ETIME);
}

static void endless_shaders_are_killed_while_the_other_ring_works(void **state)
{
    static struct rig_job job;
    kill_endless(*state, &job, 100);
}

/* One wave: of several, one that has not come to its branch yet may be the first to be killed. */
static void endless_shader_is_reported_where_it_turns(void **state)
{
    static struct rig_job job;
    kill_endless(*state, &job, 1);
    if (!strstr(job.report, "s_branch"))
        fail_msg("the report is:\n%s", job.report);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(write_data_writes_memory_registers_and_gds),
        CASE(gds_ends_where_the_partition_does),
        CASE(copy_data_keeps_the_bytes_behind_it),
        CASE(timestamps_count_a_hundred_megahertz),
        CASE(dma_copies_fills_and_prefetches),
        CASE(faults_name_the_first_byte_that_is_not_there),
        CASE(atomics_compute_and_return),
        CASE(every_function_of_a_wait),
        CASE(rings_wait_for_each_other),
        CASE(wait_for_a_register),
        CASE(occlusion_counts_come_from_the_backends_that_are_there),
        CASE(events_are_known_or_stop),
        CASE(stream_out_buffers_are_filled_from_where_packets_say),
        CASE(dispatch_direct_and_indirect_of_both_rings),
        CASE(workgroups_that_do_nothing_cost_nothing),
        CASE(dispatch_ends_between_workgroups_when_killed),
        CASE(waves_of_a_workgroup_know_their_numbers),
        CASE(dispatch_counts_invocations_while_it_is_asked_to),
        CASE(compute_ring_samples_invocations_alone),
        CASE(changed_program_is_seen_behind_an_invalidate),
        CASE(shader_fault_names_instruction_and_address),
        CASE(what_is_no_instruction_stops),
        CASE(endless_shaders_are_killed_while_the_other_ring_works),
        CASE(endless_shader_is_reported_where_it_turns),
    };
    return cmocka_run_group_tests_name("command processor: work", tests, NULL, NULL);
}
