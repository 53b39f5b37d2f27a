/* Low-resolution depth: what a draw writes into the buffer and rejects by it, fast clears, the direction of
 * comparisons, events. */
#include "adreno/model/pc/tests/rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "adreno/hw/regs_gras.h"
#include "adreno/hw/regs_pc.h"
#include "adreno/hw/regs_rb.h"
#include "adreno/hw/tiling/lrz.h"
#include "util/bits.h"

#define LRZ_VA (RIG_VA + 0x40000)
#define STATE_VA (RIG_VA + 0x80000)
#define VIEW 0x10000u
#define COLUMNS 32 /* of the buffer: 16 of them have pixels, if there is one sample */

static uint16_t *bounds(void)
{
    return (uint16_t *)(rig.memory + (LRZ_VA - RIG_VA));
}

static uint8_t *bits(void)
{
    return rig.memory + (STATE_VA - RIG_VA);
}

static uint8_t *direction(void)
{
    return bits() + ADRENO_LRZ_DIRECTION_B;
}

/* ---- shaders and vertices ---- */

static void vs_pass(struct adreno_wave *wave)
{
    for (unsigned c = 0; c < 2; c++)
        memcpy(adreno_wave_row(wave, 4 + c), adreno_wave_row(wave, c), wave->lanes * 4);
}

static void fs_flat(struct adreno_wave *wave)
{
    adreno_gras_hooks.flat(wave, 0, adreno_wave_row(wave, 8), wave->active);
}

/* The first lane of each wave dies. */
static void fs_kill(struct adreno_wave *wave)
{
    fs_flat(wave);
    wave->killed = lane_mask_first(1);
}

/* ---- the state of most tests ---- */

static const struct adreno_GRAS_LRZ_CNTL plain_less = {.ENABLE = true, .LRZ_WRITE = true, .Z_WRITE_ENABLE = true};

static void set_cntl(struct adreno_GRAS_LRZ_CNTL cntl)
{
    rig_set(ADRENO_REG_GRAS_LRZ_CNTL, adreno_pack_GRAS_LRZ_CNTL(&cntl));
    rig_set(ADRENO_REG_RB_LRZ_CNTL, cntl.ENABLE);
    rig.is_greater = cntl.GREATER;
}

static void set_bin(struct adreno_GRAS_SC_BIN_CNTL bin)
{
    rig_set(ADRENO_REG_GRAS_SC_BIN_CNTL, adreno_pack_GRAS_SC_BIN_CNTL(&bin));
}

static int setup(void **state)
{
    if (rig_setup(state))
        return -1;
    rig.vs = vs_pass;
    rig.fs = fs_flat;
    rig.has_depth = rig.is_early = true;
    rig_set64(ADRENO_REG_GRAS_LRZ_BUFFER_BASE, LRZ_VA);
    rig_set(ADRENO_REG_GRAS_LRZ_BUFFER_PITCH, adreno_pack_GRAS_LRZ_BUFFER_PITCH(&(struct adreno_GRAS_LRZ_BUFFER_PITCH){
                                                  .PITCH = COLUMNS * 2, .ARRAY_PITCH = COLUMNS * 64 * 2}));
    rig_set64(ADRENO_REG_GRAS_LRZ_FAST_CLEAR_BUFFER_BASE, STATE_VA);
    rig_set(ADRENO_REG_GRAS_LRZ_VIEW_INFO, VIEW);
    rig_set(ADRENO_REG_RB_BLEND_CNTL, 0xffffu << 16);
    set_cntl(plain_less);
    return 0;
}

static void clear_block(uint16_t bound, float depth)
{
    for (unsigned i = 0; i < COLUMNS * 64; i++)
        bounds()[i] = bound;
    for (unsigned i = 0; i < RIG_SIZE * RIG_SIZE * RASTER_MAX_SAMPLES; i++)
        ((float *)rig.depth)[i] = depth;
    memset(rig.pixels, 0, sizeof(rig.pixels));
    memset(rig.samples, 0, sizeof(rig.samples));
    rig.tested = 0;
}

static bool draw(enum adreno_pass pass, uint32_t vertices)
{
    const struct adreno_draw draw = {.topology = ADRENO_PRIM_TYPE_TRILIST,
                                     .source = ADRENO_SRC_SEL_AUTO_INDEX,
                                     .instance_count = 1,
                                     .count = vertices,
                                     .pass = pass};
    return adreno_draw(rig.gpu, &draw);
}

/* One triangle over the whole picture. */
static bool draw_whole(enum adreno_pass pass, float z)
{
    const float positions[3][4] = {{-1, -1, z, 1}, {4, -1, z, 1}, {-1, 4, z, 1}};
    rig_positions(RIG_VA, positions, 3);
    return draw(pass, 3);
}

/* ---- bounds ---- */

static void test_a_binning_pass_writes_bounds(void **state)
{
    clear_block(0xffff, 1);
    assert_true(draw_whole(ADRENO_PASS_BINNING, 0.25f));
    for (unsigned i = 0; i < COLUMNS * 64; i++) {
        const bool has_pixels = i % COLUMNS < 16 && i / COLUMNS < 16;
        assert_int_equal(bounds()[i], has_pixels ? 16384 : 0xffff); /* 65535 / 4, rounded up */
    }
    assert_int_equal(rig.tested, 0);
}

static void test_bounds_of_the_other_direction_round_down(void **state)
{
    struct adreno_GRAS_LRZ_CNTL cntl = plain_less;
    cntl.GREATER = true;
    set_cntl(cntl);
    clear_block(0, 0);
    assert_true(draw_whole(ADRENO_PASS_BINNING, 0.25f));
    assert_int_equal(bounds()[5 * COLUMNS + 5], 16383);
}

static void test_a_block_must_be_covered_whole(void **state)
{
    /* to pixel 61.5 of both axes */
    const float end = 61.5f / 64 - 1;
    const float positions[6][4] = {{-1, -1, 0.5f, 1},  {end, -1, 0.5f, 1}, {-1, end, 0.5f, 1},
                                   {end, -1, 0.5f, 1}, {-1, end, 0.5f, 1}, {end, end, 0.5f, 1}};
    clear_block(0xffff, 1);
    rig_positions(RIG_VA, positions, 6);
    assert_true(draw(ADRENO_PASS_BINNING, 6));
    for (unsigned y = 0; y < 16; y++) {
        for (unsigned x = 0; x < 16; x++) {
            if (x + y < 6 || x + y > 7) /* the diagonal crosses the others */
                assert_int_equal(bounds()[y * COLUMNS + x], x < 7 && y < 7 ? 32768 : 0xffff);
        }
    }
    assert_int_equal(bounds()[3 * COLUMNS + 4], 0xffff);
}

static void test_fragments_beyond_a_bound_are_not_tested(void **state)
{
    clear_block(32768, 1);
    bounds()[2 * COLUMNS + 3] = 16000; /* one block is nearer */
    set_bin((struct adreno_GRAS_SC_BIN_CNTL){.FORCE_LRZ_WRITE_DIS = true});
    assert_true(draw_whole(ADRENO_PASS_SYSMEM, 0.25f));
    assert_int_equal(rig_drawn(), RIG_SIZE * RIG_SIZE - 64);
    assert_int_equal(rig.samples[2 * 8][3 * 8], 0);
    assert_int_equal(rig.samples[2 * 8 + 7][3 * 8 + 8], 1);
    assert_int_equal(bounds()[0], 32768);
}

static void test_late_depth_and_switches_reject_nothing(void **state)
{
    clear_block(0, 1);
    rig_set(ADRENO_REG_GRAS_SU_DEPTH_PLANE_CNTL, ADRENO_ZTEST_MODE_LATE_Z);
    assert_true(draw_whole(ADRENO_PASS_SYSMEM, 0.5f));
    assert_int_equal(rig_drawn(), RIG_SIZE * RIG_SIZE);
    rig_set(ADRENO_REG_GRAS_SU_DEPTH_PLANE_CNTL, ADRENO_ZTEST_MODE_EARLY_Z);
    clear_block(0, 1);
    set_bin((struct adreno_GRAS_SC_BIN_CNTL){.FORCE_LRZ_DIS = true});
    assert_true(draw_whole(ADRENO_PASS_GMEM, 0.5f));
    assert_int_equal(rig_drawn(), RIG_SIZE * RIG_SIZE);
    set_bin((struct adreno_GRAS_SC_BIN_CNTL){0});
    clear_block(0, 1);
    set_cntl((struct adreno_GRAS_LRZ_CNTL){0});
    assert_true(draw_whole(ADRENO_PASS_GMEM, 0.5f));
    assert_int_equal(rig_drawn(), RIG_SIZE * RIG_SIZE);
    clear_block(0, 1);
    set_cntl(plain_less);
    assert_true(draw_whole(ADRENO_PASS_GMEM, 0.5f));
    assert_int_equal(rig_drawn(), 0);
}

static void test_what_may_not_pass_is_not_written(void **state)
{
    struct adreno_GRAS_LRZ_CNTL cntl = plain_less;
    clear_block(0xffff, 1);
    cntl.LRZ_WRITE = false;
    set_cntl(cntl);
    assert_true(draw_whole(ADRENO_PASS_BINNING, 0.5f));
    cntl.LRZ_WRITE = cntl.Z_BOUNDS_ENABLE = true;
    set_cntl(cntl);
    assert_true(draw_whole(ADRENO_PASS_BINNING, 0.5f));
    set_cntl(plain_less);
    rig_set(ADRENO_REG_RB_BLEND_CNTL, 0xfffeu << 16);
    assert_true(draw_whole(ADRENO_PASS_BINNING, 0.5f));
    rig_set(ADRENO_REG_RB_BLEND_CNTL, 0xffffu << 16);
    set_bin((struct adreno_GRAS_SC_BIN_CNTL){.FORCE_LRZ_WRITE_DIS = true});
    assert_true(draw_whole(ADRENO_PASS_GMEM, 0.5f));
    assert_int_equal(bounds()[0], 0xffff);
    set_bin((struct adreno_GRAS_SC_BIN_CNTL){0});
    assert_true(draw_whole(ADRENO_PASS_GMEM, 0.5f));
    assert_int_equal(bounds()[0], 32768);
}

static void test_layers_have_bounds_of_their_own(void **state)
{
    for (unsigned i = 0; i < 4 * COLUMNS * 64; i++)
        bounds()[i] = 0xffff;
    rig_set(ADRENO_REG_PC_STEREO_RENDERING_CNTL, 1 | 1u << 1 | 3u << 2);
    rig_set(ADRENO_REG_PC_STEREO_RENDERING_VIEWMASK, 6);
    rig_set(ADRENO_REG_GRAS_SU_CNTL, 1u << 17 | 1u << 18);
    assert_true(draw_whole(ADRENO_PASS_BINNING, 0.25f));
    for (unsigned layer = 0; layer < 4; layer++)
        assert_int_equal(bounds()[layer * COLUMNS * 64 + 3], layer == 1 || layer == 2 ? 16384 : 0xffff);
}

static void test_a_missing_buffer_faults(void **state)
{
    clear_block(0xffff, 1);
    rig_set64(ADRENO_REG_GRAS_LRZ_BUFFER_BASE, 0x4000);
    assert_false(draw_whole(ADRENO_PASS_BINNING, 0.5f));
    assert_non_null(strstr(rig.stop, "low-resolution depth"));
}

/* ---- feedback ---- */

static void test_feedback_follows_the_mode_of_the_test(void **state)
{
    struct adreno_GRAS_LRZ_CNTL cntl = plain_less;
    cntl.LRZ_WRITE = false;
    set_cntl(cntl);
    clear_block(0xffff, 1);
    set_bin((struct adreno_GRAS_SC_BIN_CNTL){.LRZ_FEEDBACK_ZMODE_MASK = ADRENO_LRZ_FEEDBACK_MASK_EARLY_Z_LATE_Z});
    assert_true(draw_whole(ADRENO_PASS_SYSMEM, 0.5f));
    assert_int_equal(bounds()[0], 0xffff);
    set_bin((struct adreno_GRAS_SC_BIN_CNTL){.LRZ_FEEDBACK_ZMODE_MASK = ADRENO_LRZ_FEEDBACK_MASK_EARLY_Z});
    assert_true(draw_whole(ADRENO_PASS_SYSMEM, 0.5f));
    assert_int_equal(bounds()[0], 32768);
    rig.has_depth = false; /* nothing is written */
    assert_true(draw_whole(ADRENO_PASS_SYSMEM, 0.25f));
    assert_int_equal(bounds()[0], 32768);
}

static void test_feedback_after_the_shader_counts_what_passed(void **state)
{
    struct adreno_GRAS_LRZ_CNTL cntl = plain_less;
    cntl.LRZ_WRITE = false;
    set_cntl(cntl);
    rig.is_early = false;
    rig_set(ADRENO_REG_GRAS_SU_DEPTH_PLANE_CNTL, ADRENO_ZTEST_MODE_EARLY_Z_LATE_Z);
    set_bin((struct adreno_GRAS_SC_BIN_CNTL){.LRZ_FEEDBACK_ZMODE_MASK = ADRENO_LRZ_FEEDBACK_MASK_EARLY_Z_LATE_Z});
    clear_block(0xffff, 1);
    rig.fs = fs_kill; /* a wave of 64 lanes is a block */
    assert_true(draw_whole(ADRENO_PASS_SYSMEM, 0.5f));
    for (unsigned i = 0; i < COLUMNS * 64; i++)
        assert_int_equal(bounds()[i], 0xffff);
    rig.fs = fs_flat;
    assert_true(draw_whole(ADRENO_PASS_SYSMEM, 0.25f));
    for (unsigned i = 0; i < 16 * 16; i++)
        assert_int_equal(bounds()[i / 16 * COLUMNS + i % 16], 16384);
}

/* ---- pictures ---- */

static uint32_t seed;

static float random_unit(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (float)(seed >> 8) / (float)(1 << 24);
}

#define TRIANGLES 200

static void put_triangles(void)
{
    static float positions[TRIANGLES * 3][4];
    for (unsigned i = 0; i < TRIANGLES; i++) {
        const float size = random_unit() < 0.3f ? 2 : 0.5f, x = random_unit() * 3 - 1.5f, y = random_unit() * 3 - 1.5f;
        const float z = random_unit(), slope = random_unit() * 0.6f;
        for (unsigned v = 0; v < 3; v++) {
            float *position = positions[i * 3 + v];
            position[0] = x + (random_unit() - 0.5f) * 2 * size;
            position[1] = y + (random_unit() - 0.5f) * 2 * size;
            position[2] = fminf(fmaxf(z + (random_unit() - 0.5f) * slope, 0), 1);
            position[3] = 1;
        }
    }
    rig_positions(RIG_VA, (const float(*)[4])positions, TRIANGLES * 3);
}

/* No depth is beyond its block's bound. */
static void check_bounds(unsigned samples_log2)
{
    static const uint8_t spread[4][2] = {{1, 1}, {1, 2}, {2, 2}, {2, 4}};
    for (unsigned y = 0; y < RIG_SIZE; y++) {
        for (unsigned x = 0; x < RIG_SIZE; x++) {
            const unsigned column = x * spread[samples_log2][0] / 8, row = y * spread[samples_log2][1] / 8;
            const uint16_t bound = bounds()[row * COLUMNS + column];
            for (unsigned s = 0; s < 1u << samples_log2; s++) {
                const double depth = (double)rig.depth[y][x][s] * 65535;
                assert_true(rig.is_greater ? depth >= bound : depth <= bound);
            }
        }
    }
}

static uint32_t pictures[2][RIG_SIZE][RIG_SIZE];
static float depths[RIG_SIZE][RIG_SIZE][RASTER_MAX_SAMPLES];

static void compare_pictures(bool is_greater, unsigned samples_log2, bool is_binned)
{
    struct adreno_GRAS_LRZ_CNTL cntl = plain_less;
    cntl.GREATER = is_greater;
    rig.samples_log2 = (uint8_t)samples_log2;
    rig_set(ADRENO_REG_GRAS_SC_RAS_MSAA_CNTL, samples_log2);
    rig_set(ADRENO_REG_GRAS_SC_DEST_MSAA_CNTL, samples_log2);
    put_triangles();
    set_bin((struct adreno_GRAS_SC_BIN_CNTL){.LRZ_FEEDBACK_ZMODE_MASK = ADRENO_LRZ_FEEDBACK_MASK_EARLY_Z});
    clear_block(is_greater ? 0 : 0xffff, is_greater ? 0 : 1);
    set_cntl((struct adreno_GRAS_LRZ_CNTL){0});
    rig.is_greater = is_greater;
    assert_true(draw(ADRENO_PASS_SYSMEM, TRIANGLES * 3));
    const uint32_t tested = rig.tested;
    memcpy(pictures[0], rig.pixels, sizeof(rig.pixels));
    memcpy(depths, rig.depth, sizeof(rig.depth));
    clear_block(is_greater ? 0 : 0xffff, is_greater ? 0 : 1);
    set_cntl(cntl);
    assert_true(!is_binned || draw(ADRENO_PASS_BINNING, TRIANGLES * 3));
    assert_true(draw(is_binned ? ADRENO_PASS_GMEM : ADRENO_PASS_SYSMEM, TRIANGLES * 3));
    assert_memory_equal(depths, rig.depth, sizeof(rig.depth));
    assert_memory_equal(pictures[0], rig.pixels, sizeof(rig.pixels));
    assert_true(rig.tested < tested);
    check_bounds(samples_log2);
}

static void test_pictures_are_the_same_with_and_without(void **state)
{
    for (unsigned i = 0; i < 16; i++) {
        seed = i;
        compare_pictures(i & 1, i / 2 % 4, i & 8);
    }
}

/* ---- fast clears ---- */

static void test_a_cleared_group_is_filled_at_its_first_write(void **state)
{
    struct adreno_GRAS_LRZ_CNTL cntl = plain_less;
    cntl.FC_ENABLE = true;
    set_cntl(cntl);
    clear_block(0x1234, 1);
    memset(bits(), 0xff, 600);
    assert_true(adreno_lrz_clear(rig.gpu));
    for (unsigned i = 0; i < 600; i++)
        assert_int_equal(bits()[i], i < ADRENO_LRZ_CLEAR_B ? 0 : 0xff);
    assert_int_equal(bounds()[0], 0x1234);
    /* pixels 8 to 15 of both axes: block 1, 1 */
    rig_set(ADRENO_REG_GRAS_SC_SCREEN_SCISSOR_TL, 8 | 8u << 16);
    rig_set(ADRENO_REG_GRAS_SC_SCREEN_SCISSOR_BR, 15 | 15u << 16);
    assert_true(draw_whole(ADRENO_PASS_BINNING, 0.5f));
    unsigned set = 0;
    for (unsigned i = 0; i < ADRENO_LRZ_CLEAR_B; i++)
        set += (unsigned)__builtin_popcount(bits()[i]);
    assert_int_equal(set, 1);
    assert_int_equal(bits()[0], 1);
    for (unsigned i = 0; i < COLUMNS * 64; i++) {
        const unsigned x = i % COLUMNS, y = i / COLUMNS;
        assert_int_equal(bounds()[i], x == 1 && y == 1 ? 32768 : x < 16 && y < 4 ? 0xffff : 0x1234);
    }
}

static void test_a_cleared_block_rejects_nothing(void **state)
{
    struct adreno_GRAS_LRZ_CNTL cntl = plain_less;
    cntl.FC_ENABLE = true;
    cntl.LRZ_WRITE = false;
    set_cntl(cntl);
    clear_block(0, 1);
    memset(bits(), 0, ADRENO_LRZ_CLEAR_B);
    bits()[0] = 1; /* 128 by 32 pixels are not cleared */
    assert_true(draw_whole(ADRENO_PASS_SYSMEM, 0.5f));
    assert_int_equal(rig_drawn(), RIG_SIZE * (RIG_SIZE - 32));
    assert_int_equal(rig.samples[31][127], 0);
    assert_int_equal(rig.samples[32][0], 1);
}

/* ---- direction ---- */

static struct adreno_GRAS_LRZ_CNTL tracked(bool is_greater, bool writes_z)
{
    struct adreno_GRAS_LRZ_CNTL cntl = plain_less;
    cntl.GREATER = is_greater;
    cntl.DIR = is_greater ? ADRENO_LRZ_DIR_STATUS_GE : ADRENO_LRZ_DIR_STATUS_LE;
    cntl.DIR_WRITE = cntl.DISABLE_ON_WRONG_DIR = true;
    cntl.Z_WRITE_ENABLE = cntl.LRZ_WRITE = writes_z;
    return cntl;
}

static void open_direction(void)
{
    struct adreno_GRAS_LRZ_CNTL cntl = {.ENABLE = true, .DISABLE_ON_WRONG_DIR = true};
    memset(bits(), 0xaa, ADRENO_LRZ_STATE_B);
    set_cntl(cntl);
    assert_true(adreno_lrz_clear(rig.gpu));
}

static void test_a_clear_opens_the_direction(void **state)
{
    uint32_t view;
    open_direction();
    memcpy(&view, bits() + ADRENO_LRZ_VIEW_B, sizeof(view));
    assert_int_equal(*direction(), ADRENO_LRZ_UNSET);
    assert_int_equal(view, VIEW);
    assert_int_equal(bits()[0], 0xaa); /* without FC_ENABLE */
}

static void test_the_first_draw_that_writes_sets_the_direction(void **state)
{
    open_direction();
    clear_block(0xffff, 1);
    set_cntl(tracked(true, false));
    assert_true(draw_whole(ADRENO_PASS_BINNING, 0.5f));
    assert_int_equal(*direction(), ADRENO_LRZ_UNSET);
    set_cntl(tracked(false, true));
    assert_true(draw_whole(ADRENO_PASS_BINNING, 0.5f));
    assert_int_equal(*direction(), ADRENO_LRZ_LESS);
    assert_int_equal(bounds()[0], 32768);
    /* the other direction, without writes: no test, and nothing changes */
    set_cntl(tracked(true, false));
    assert_true(draw_whole(ADRENO_PASS_GMEM, 0.25f));
    assert_int_equal(*direction(), ADRENO_LRZ_LESS);
    assert_int_not_equal(rig.tested, 0);
}

static void test_the_other_direction_disables(void **state)
{
    open_direction();
    clear_block(0xffff, 1);
    set_cntl(tracked(false, true));
    assert_true(draw_whole(ADRENO_PASS_BINNING, 0.5f));
    set_cntl(tracked(true, true));
    assert_true(draw_whole(ADRENO_PASS_BINNING, 0.75f));
    assert_int_equal(*direction(), ADRENO_LRZ_DISABLED);
    assert_int_equal(bounds()[0], 32768);
    /* and it stays so */
    set_cntl(tracked(false, true));
    assert_true(draw_whole(ADRENO_PASS_GMEM, 0.75f));
    assert_int_equal(rig_drawn(), RIG_SIZE * RIG_SIZE);
    assert_int_equal(*direction(), ADRENO_LRZ_DISABLED);
}

static void test_another_view_has_no_bounds(void **state)
{
    open_direction();
    clear_block(0, 1);
    rig_set(ADRENO_REG_GRAS_LRZ_VIEW_INFO, VIEW + 1);
    set_cntl(tracked(false, true));
    assert_true(draw_whole(ADRENO_PASS_GMEM, 0.5f));
    assert_int_equal(rig_drawn(), RIG_SIZE * RIG_SIZE);
    assert_int_equal(*direction(), ADRENO_LRZ_UNSET);
    assert_int_equal(bounds()[0], 0);
}

static void test_older_chips_follow_no_direction(void **state)
{
    rig.gpu->chip = adreno_chip_find("adreno-618");
    memset(bits(), 0xaa, ADRENO_LRZ_STATE_B);
    clear_block(0xffff, 1);
    set_cntl(tracked(false, true));
    assert_true(adreno_lrz_clear(rig.gpu));
    assert_true(draw_whole(ADRENO_PASS_BINNING, 0.5f));
    assert_int_equal(*direction(), 0xaa);
    assert_int_equal(bounds()[0], 32768);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_binning_pass_writes_bounds),
        TEST(test_bounds_of_the_other_direction_round_down),
        TEST(test_a_block_must_be_covered_whole),
        TEST(test_fragments_beyond_a_bound_are_not_tested),
        TEST(test_late_depth_and_switches_reject_nothing),
        TEST(test_what_may_not_pass_is_not_written),
        TEST(test_layers_have_bounds_of_their_own),
        TEST(test_a_missing_buffer_faults),
        TEST(test_feedback_follows_the_mode_of_the_test),
        TEST(test_feedback_after_the_shader_counts_what_passed),
        TEST(test_pictures_are_the_same_with_and_without),
        TEST(test_a_cleared_group_is_filled_at_its_first_write),
        TEST(test_a_cleared_block_rejects_nothing),
        TEST(test_a_clear_opens_the_direction),
        TEST(test_the_first_draw_that_writes_sets_the_direction),
        TEST(test_the_other_direction_disables),
        TEST(test_another_view_has_no_bounds),
        TEST(test_older_chips_follow_no_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
