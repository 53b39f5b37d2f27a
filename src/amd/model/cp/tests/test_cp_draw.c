/* Draw packets: what the graphics pipeline is asked for. The pipeline is a fake that keeps the draws. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "amd/hw/regs_ge.h"
#include "amd/hw/regs_spi.h"
#include "amd/hw/table.h"
#include "amd/model/cp/tests/cp_rig.h"
#include "amd/model/ge/ge_draw.h"

#define SGPR(n) (AMD_REG_SPI_SHADER_USER_DATA_VS + 4 * (n))
#define SGPR_LOC(n) ((SGPR(n) - 0xb000) / 4)

static struct {
    struct ge_draw draw;
    uint32_t sgprs[4];
} drawn[64];
static unsigned drawn_count;
static struct ge_result next_result;

struct ge {
    int unused;
};

struct ge *amd_ge_create(const struct amd_chip *chip, struct workers *workers, struct spi *spi)
{
    drawn_count = 0;
    next_result = (struct ge_result){0};
    return calloc(1, sizeof(struct ge));
}

void amd_ge_destroy(struct ge *ge)
{
    free(ge);
}

bool amd_ge_draw(struct ge *ge, const struct ge_draw *draw, struct ge_result *result_out)
{
    if (next_result.error) {
        *result_out = next_result;
        result_out->number = draw->number;
        return false;
    }
    if (drawn_count == sizeof(drawn) / sizeof(drawn[0]))
        return true;
    drawn[drawn_count].draw = *draw;
    for (unsigned i = 0; i < 4; i++)
        drawn[drawn_count].sgprs[i] = cp_reg(draw->registers, SGPR(i));
    drawn_count++;
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

static void direct_draws(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    put_uconfig(&s, AMD_REG_VGT_INDEX_TYPE, AMD_INDEX_TYPE_32);
    PUT(&s, NUM_INSTANCES, .COUNT = 3);
    PUT(&s, DRAW_INDEX_AUTO, .INDEX_COUNT = 6, .SOURCE_SELECT = AMD_DRAW_SOURCE_AUTO_INDEX);
    PUT(&s, DRAW_INDEX_2, .MAX_SIZE = 100, .INDEX_BASE = RIG_VA + 0x40, .INDEX_COUNT = 9);
    PUT(&s, INDEX_BASE, .ADDR = RIG_VA + 0x80);
    PUT(&s, DRAW_INDEX_OFFSET_2, .MAX_SIZE = 50, .INDEX_OFFSET = 20, .INDEX_COUNT = 12);
    PUT(&s, DRAW_INDEX_AUTO, .INDEX_COUNT = 0);
    PUT(&s, NUM_INSTANCES, .COUNT = 0);
    PUT(&s, DRAW_INDEX_AUTO, .INDEX_COUNT = 3);
    assert_int_equal(rig_run_gfx(rig, &s), 0);
    assert_int_equal(drawn_count, 3); /* nothing to draw is no draw */
    assert_false(drawn[0].draw.indexed);
    assert_int_equal(drawn[0].draw.count, 6);
    assert_int_equal(drawn[0].draw.instance_count, 3);
    assert_int_equal(drawn[0].draw.initiator & 3, AMD_DRAW_SOURCE_AUTO_INDEX);
    assert_true(drawn[1].draw.indexed);
    assert_int_equal(drawn[1].draw.index_va, RIG_VA + 0x40);
    assert_int_equal(drawn[1].draw.index_available, 100);
    assert_int_equal(drawn[2].draw.index_va, RIG_VA + 0x80 + 80);
    assert_int_equal(drawn[2].draw.index_available, 30);
    assert_int_equal(drawn[2].draw.count, 12);
}

static void indirect_draw_fills_user_sgprs(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    const uint32_t plain[4] = {6, 2, 100, 7}, indexed[5] = {9, 4, 10, 200, 8};
    memcpy(rig->map + 0x10, plain, sizeof(plain));
    memcpy(rig->map + 0x40, indexed, sizeof(indexed));
    PUT(&s, SET_BASE, .BASE_INDEX = AMD_BASE_INDEX_INDIRECT, .ADDR = RIG_VA);
    PUT(&s, DRAW_INDIRECT, .DATA_OFFSET = 0x10, .START_VTX_LOC = SGPR_LOC(0), .START_INST_LOC = SGPR_LOC(1));
    put_uconfig(&s, AMD_REG_VGT_INDEX_TYPE, AMD_INDEX_TYPE_16);
    PUT(&s, INDEX_BASE, .ADDR = RIG_VA + 0x1000);
    PUT(&s, INDEX_BUFFER_SIZE, .SIZE = 15);
    PUT(&s, DRAW_INDEX_INDIRECT, .DATA_OFFSET = 0x40, .BASE_VTX_LOC = SGPR_LOC(0), .START_INST_LOC = 0,
        .START_INDX_LOC = SGPR_LOC(2), .START_INDX_ENABLE = true);
    assert_int_equal(rig_run_gfx(rig, &s), 0);
    assert_int_equal(drawn_count, 2);
    assert_int_equal(drawn[0].draw.count, 6);
    assert_int_equal(drawn[0].draw.instance_count, 2);
    assert_int_equal(drawn[0].sgprs[0], 100);
    assert_int_equal(drawn[0].sgprs[1], 7);
    assert_int_equal(drawn[1].draw.index_va, RIG_VA + 0x1000 + 20);
    assert_int_equal(drawn[1].draw.index_available, 5);
    assert_int_equal(drawn[1].draw.instance_count, 4);
    assert_int_equal(drawn[1].sgprs[0], 200);
    assert_int_equal(drawn[1].sgprs[1], 7); /* no place for the first instance: as it was */
    assert_int_equal(drawn[1].sgprs[2], 10);
}

static void multi_draw_takes_the_smaller_count(void **state)
{
    struct rig *rig = *state;
    for (uint32_t limit = 0; limit < 6; limit += 5) {
        for (unsigned counted = 0; counted < 2; counted++) {
            struct stream s = {0};
            drawn_count = 0;
            *rig_dw(rig, 0x800) = limit;
            for (uint32_t i = 0; i < 4; i++) {
                const uint32_t arguments[4] = {3 + i, 1, 10 * i, 20 * i};
                memcpy(rig->map + 32 * i, arguments, sizeof(arguments));
            }
            PUT(&s, SET_BASE, .BASE_INDEX = AMD_BASE_INDEX_INDIRECT, .ADDR = RIG_VA);
            PUT(&s, DRAW_INDIRECT_MULTI, .START_VTX_LOC = SGPR_LOC(0), .START_INST_LOC = SGPR_LOC(2),
                .DRAW_INDEX_LOC = SGPR_LOC(1), .DRAW_INDEX_ENABLE = true, .COUNT = 4, .COUNT_INDIRECT_ENABLE = counted,
                .COUNT_ADDR = RIG_VA + 0x800, .STRIDE = 32);
            assert_int_equal(rig_run_gfx(rig, &s), 0);
            assert_int_equal(drawn_count, counted && limit == 0 ? 0 : 4);
            for (uint32_t i = 0; i < drawn_count; i++) {
                assert_int_equal(drawn[i].draw.count, 3 + i);
                assert_int_equal(drawn[i].sgprs[0], 10 * i);
                assert_int_equal(drawn[i].sgprs[1], i);
                assert_int_equal(drawn[i].sgprs[2], 20 * i);
            }
        }
    }
}

static void multi_draw_with_indices(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t arguments[5] = {3, i, 10 * i, 0, 0};
        memcpy(rig->map + 20 * i, arguments, sizeof(arguments));
    }
    put_uconfig(&s, AMD_REG_VGT_INDEX_TYPE, AMD_INDEX_TYPE_8);
    PUT(&s, SET_BASE, .BASE_INDEX = AMD_BASE_INDEX_INDIRECT, .ADDR = RIG_VA);
    PUT(&s, INDEX_BASE, .ADDR = RIG_VA + 0x1000);
    PUT(&s, INDEX_BUFFER_SIZE, .SIZE = 15);
    PUT(&s, DRAW_INDEX_INDIRECT_MULTI, .BASE_VTX_LOC = SGPR_LOC(0), .COUNT = 3, .STRIDE = 20);
    assert_int_equal(rig_run_gfx(rig, &s), 0);
    assert_int_equal(drawn_count, 2); /* the first has no instance */
    assert_int_equal(drawn[0].draw.index_va, RIG_VA + 0x1000 + 10);
    assert_int_equal(drawn[0].draw.index_available, 5);
    assert_int_equal(drawn[1].draw.index_available, 0);
}

static void ends_of_the_pipeline_become_ends_of_the_job(void **state)
{
    struct rig *rig = *state;
    static const struct {
        int error;
        const char *words;
    } cases[] = {
        {-ENOSYS, "no such thing"}, {-EFAULT, "0xffff800000500000"}, {-ETIME, "killed"}, {-EIO, "no such thing"}};
    struct stream s = {0};
    PUT(&s, NUM_INSTANCES, .COUNT = 1);
    PUT(&s, DRAW_INDEX_AUTO, .INDEX_COUNT = 3);
    assert_int_equal(rig_run_gfx(rig, &s), 0);
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        next_result =
            (struct ge_result){.error = cases[i].error, .why = "no such thing", .fault.va = RIG_VA + 0x500000};
        assert_int_equal(rig_run_gfx(rig, &s), cases[i].error);
        assert_non_null(strstr(rig->report, cases[i].words));
        assert_non_null(strstr(rig->report, "-> +000008  DRAW_INDEX_AUTO"));
    }
    next_result = (struct ge_result){.error = -EFAULT,
                                     .in_shader = true,
                                     .stage = "pixel shader",
                                     .program_va = RIG_VA,
                                     .wave_size = 32,
                                     .fault = {.kind = SQ_FAULT_MEMORY, .va = 0x1234, .pc = RIG_VA + 8}};
    assert_int_equal(rig_run_gfx(rig, &s), -EFAULT);
    assert_non_null(strstr(rig->report, "pixel shader 0xffff800000000000 (wave32)"));
}

/* ---- anything ---- */

static uint32_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return (uint32_t)(*seed >> 16);
}

static uint32_t random_word(uint64_t *seed)
{
    uint32_t kind = next_random(seed) % 6, word = next_random(seed);
    switch (kind) {
    case 0:
        return 0;
    case 1:
        return word % 64;
    case 2:
        return (uint32_t)(RIG_VA >> 32);
    case 3:
        return word % RIG_SIZE_B & ~7u;
    case 4:
        return 1u << word % 32;
    default:
        return word;
    }
}

/* A packet of the tables with random contents, now and then of a wrong length. */
static void put_random(struct stream *s, uint64_t *seed)
{
    const struct hw_packet *packet = &amd_packets[next_random(seed) % amd_packet_count];
    uint32_t length_dw = packet->length_dw[RIG_GFX] + (packet->tail == HW_TAIL_NONE ? 0 : next_random(seed) % 8);
    if (packet->opcode[RIG_GFX] < 0)
        return;
    if (next_random(seed) % 16 == 0)
        length_dw = 1 + next_random(seed) % 20;
    const struct amd_pkt_flags flags = {.predicate = next_random(seed) % 4 == 0, .compute = next_random(seed) % 2};
    PUT_WORDS(s, amd_pkt3_header((unsigned)packet->opcode[RIG_GFX], length_dw, flags));
    for (uint32_t i = 1; i < length_dw; i++)
        PUT_WORDS(s, random_word(seed));
}

static void random_streams_end(void **state)
{
    struct rig *rig = *state;
    uint64_t seed = 88172645463325252ull;
    for (unsigned i = 0; i < 1000; i++) {
        static struct rig_job job;
        struct stream s = {0};
        uint32_t begin_B = rig->stream_B;
        for (unsigned n = 0; n < 4; n++)
            put_random(&s, &seed);
        rig_submit(rig, &job, i % 3 ? AMD_RING_GFX : AMD_RING_COMPUTE, &s);
        for (unsigned n = 0; n < 20 && !atomic_load(&job.is_done); n++)
            usleep(100);
        rig_kill(rig, &job); /* it may wait for what never comes */
        rig_wait(&job);
        rig->stream_B = begin_B;
        bool known =
            job.error == 0 || job.error == -EIO || job.error == -EFAULT || job.error == -ENOSYS || job.error == -ETIME;
        assert_true(known);
        assert_true(job.error == 0 || job.report[0] != '\0');
    }
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(direct_draws),
        CASE(indirect_draw_fills_user_sgprs),
        CASE(multi_draw_takes_the_smaller_count),
        CASE(multi_draw_with_indices),
        CASE(ends_of_the_pipeline_become_ends_of_the_job),
        CASE(random_streams_end),
    };
    return cmocka_run_group_tests_name("command processor: draws", tests, NULL, NULL);
}
