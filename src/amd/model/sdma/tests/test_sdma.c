/* The DMA engine, through the engine's interface: streams written by hand, and a copy of every element size and swizzle
 * mode held against the tiling room's own. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "amd/hw/tiling/meta.h"
#include "amd/model/cp/tests/cp_rig.h"
#include "amd/model/sdma/sdma.h"

#define assert_report(rig, words) assert_non_null(strstr((rig)->report, words))
#define rig_run_sdma(rig, s) rig_run(rig, AMD_RING_SDMA, s)

/* SDMA(&s, FENCE, .ADDR = …): append a packet. */
#define SDMA(s, packet, ...)                                                                                           \
    ((s)->count +=                                                                                                     \
     amd_pack_sdma_##packet(RIG_GFX, (s)->dw + (s)->count, &(const struct amd_sdma_##packet){__VA_ARGS__}))

static void fill_random(uint8_t *data, uint32_t size_B)
{
    static uint32_t seed = 1;
    for (uint32_t i = 0; i < size_B; i++)
        data[i] = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 24);
}

static void put_fence(struct stream *s, uint32_t offset_B, uint32_t value)
{
    SDMA(s, FENCE, .ADDR = RIG_VA + offset_B, .DATA = value, .MTYPE = 3);
}

/* ---- the table ---- */

static void every_executed_packet_has_a_handler(void **state)
{
    for (unsigned i = 0; i < amd_sdma_packet_count; i++) {
        bool executed = amd_sdma_packets[i].policy != HW_POLICY_STOP;
        if (executed != (amd_sdma_handler_find(&amd_sdma_packets[i]) != NULL))
            fail_msg("%s", hw_name(&amd_sdma_packets[i]));
    }
}

/* ---- plain packets ---- */

static void padding_writes_and_fences_run_in_order(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    assert_int_equal(rig_run_sdma(rig, &s), 0);
    PUT_WORDS(&s, 0, 0);
    SDMA(&s, NOP, .COUNT = 2);
    PUT_WORDS(&s, 0xffffffff, 0x12345678);
    SDMA(&s, WRITE, .DST_ADDR = RIG_VA, .COUNT = 0);
    PUT_WORDS(&s, 77);
    SDMA(&s, WRITE, .DST_ADDR = RIG_VA + 16, .COUNT = 3);
    PUT_WORDS(&s, 1, 2, 3, 4);
    put_fence(&s, 64, 99);
    SDMA(&s, TRAP, .INT_CONTEXT = 0);
    SDMA(&s, TIMESTAMP_GET_GLOBAL, .ADDR = RIG_VA + 72);
    assert_int_equal(rig_run_sdma(rig, &s), 0);
    assert_int_equal(*rig_dw(rig, 0), 77);
    assert_int_equal(*rig_dw(rig, 28), 4);
    assert_int_equal(*rig_dw(rig, 64), 99);
    assert_true(*rig_qw(rig, 72) != 0);
}

static void fill_writes_dwords_and_no_more(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    SDMA(&s, CONSTANT_FILL, .FILL_SIZE = AMD_SDMA_FILL_DWORD, .DST_ADDR = RIG_VA + 4, .DATA = 0xabcd1234,
         .COUNT_B = 8192 - 1);
    assert_int_equal(rig_run_sdma(rig, &s), 0);
    assert_int_equal(*rig_dw(rig, 0), 0);
    for (uint32_t at_B = 4; at_B < 4 + 8192; at_B += 4)
        assert_int_equal(*rig_dw(rig, at_B), 0xabcd1234);
    assert_int_equal(*rig_dw(rig, 4 + 8192), 0);
}

static void linear_copy_has_any_alignment(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    fill_random(rig->map, 20000);
    SDMA(&s, COPY_LINEAR, .SRC_ADDR = RIG_VA + 3, .DST_ADDR = RIG_VA + 0x10001, .COUNT_B = 12345 - 1);
    assert_int_equal(rig_run_sdma(rig, &s), 0);
    assert_memory_equal(rig->map + 0x10001, rig->map + 3, 12345);
    assert_int_equal(rig->map[0x10000], 0);
    assert_int_equal(rig->map[0x10001 + 12345], 0);
}

static void linear_window_keeps_what_is_around_it(void **state)
{
    struct rig *rig = *state;
    for (unsigned log2 = 0; log2 <= 4; log2++) {
        struct stream s = {0};
        fill_random(rig->map, 0x40000);
        uint8_t *expected = malloc(0x20000);
        memcpy(expected, rig->map + 0x20000, 0x20000);
        SDMA(&s, COPY_LINEAR_SUB_WINDOW, .ELEMENT_SIZE = log2, .SRC_ADDR = RIG_VA, .SRC_X = 3, .SRC_Y = 2, .SRC_Z = 1,
             .SRC_PITCH = 40 - 1, .SRC_SLICE_PITCH = 40 * 20 - 1, .DST_ADDR = RIG_VA + 0x20000, .DST_X = 5, .DST_Y = 1,
             .DST_Z = 0, .DST_PITCH = 36 - 1, .DST_SLICE_PITCH = 36 * 16 - 1, .RECT_X = 17 - 1, .RECT_Y = 9 - 1,
             .RECT_Z = 2 - 1);
        assert_int_equal(rig_run_sdma(rig, &s), 0);
        for (uint32_t i = 0; i < 17 * 9 * 2; i++) {
            uint32_t x = i % 17, y = i / 17 % 9, z = i / (17 * 9);
            memcpy(expected + ((5 + x + (1 + y) * 36 + z * 36 * 16) << log2),
                   rig->map + ((3 + x + (2 + y) * 40 + (1 + z) * 40 * 20) << log2), 1u << log2);
        }
        assert_memory_equal(rig->map + 0x20000, expected, 0x20000);
        free(expected);
    }
}

/* ---- tiled copies ---- */

#define TILED_B 0x20000u /* where the tiled image is; 64 KiB aligned */
#define LINEAR_B 0x1000u
#define META_B 0x60000u
#define IMAGE_W 70u
#define IMAGE_H 50u
#define LINEAR_W 80u

struct window {
    uint32_t x, y, width, height;
};

static struct amd_surface make_surface(struct rig *rig, enum amd_swizzle swizzle, unsigned log2, uint32_t xor_bits,
                                       uint32_t width, uint32_t height)
{
    struct amd_tiling_config config;
    struct amd_surface surface;
    const struct amd_surface_desc desc = {.swizzle = swizzle,
                                          .dim = AMD_DIM_2D,
                                          .width = width,
                                          .height = height,
                                          .slices = 1,
                                          .element_B = (uint8_t)(1u << log2),
                                          .samples = 1,
                                          .levels = 1,
                                          .pipe_bank_xor = xor_bits};
    assert_true(amd_tiling_config_init(&config, amd_chip_find("navi21")->gb_addr_config));
    if (!amd_surface_init(&surface, &config, &desc))
        fail_msg("%s, elements of %u bytes: %s", amd_swizzle_info(swizzle)->name, 1u << log2,
                 amd_surface_problem(&desc));
    return surface;
}

static void put_tiled_copy(struct stream *s, enum amd_swizzle swizzle, unsigned log2, uint32_t xor_bits, bool detile,
                           const struct window *w)
{
    SDMA(s, COPY_TILED_SUB_WINDOW, .DETILE = detile, .TILED_ADDR = RIG_VA + TILED_B + (xor_bits << 8), .TILED_X = w->x,
         .TILED_Y = w->y, .WIDTH = IMAGE_W - 1, .HEIGHT = IMAGE_H - 1, .ELEMENT_SIZE = log2, .SW_MODE = swizzle,
         .DIMENSION = AMD_SDMA_DIMENSION_2D, .LINEAR_ADDR = RIG_VA + LINEAR_B, .LINEAR_X = 2, .LINEAR_Y = 1,
         .LINEAR_PITCH = LINEAR_W - 1, .LINEAR_SLICE_PITCH = LINEAR_W * 60 - 1, .RECT_X = w->width - 1,
         .RECT_Y = w->height - 1);
}

static void check_tiled_copy(struct rig *rig, enum amd_swizzle swizzle, unsigned log2, bool detile)
{
    const struct window w = {7, 3, 55, 41};
    uint32_t xor_bits = amd_swizzle_info(swizzle)->xor_kind == AMD_SWIZZLE_XOR_NONE ? 0 : 5;
    struct amd_surface surface = make_surface(rig, swizzle, log2, xor_bits, IMAGE_W, IMAGE_H);
    if (TILED_B + surface.size_B > RIG_STREAM_B)
        return;
    fill_random(rig->map, RIG_STREAM_B);
    uint8_t *expected = malloc(RIG_STREAM_B);
    memcpy(expected, rig->map, RIG_STREAM_B);
    const struct amd_tiling_rect rect = {.x = w.x, .y = w.y, .width = w.width, .height = w.height};
    uint8_t *linear = expected + LINEAR_B + ((2 + LINEAR_W) << log2);
    if (detile)
        amd_tiling_detile(&surface, &rect, linear, LINEAR_W << log2, expected + TILED_B);
    else
        amd_tiling_tile(&surface, &rect, expected + TILED_B, linear, LINEAR_W << log2);
    struct stream s = {0};
    put_tiled_copy(&s, swizzle, log2, xor_bits, detile, &w);
    assert_int_equal(s.count, 14);
    assert_int_equal(rig_run_sdma(rig, &s), 0);
    if (memcmp(rig->map, expected, RIG_STREAM_B) != 0)
        fail_msg("%s, elements of %u bytes, %s", amd_swizzle_info(swizzle)->name, 1u << log2, detile ? "out" : "in");
    free(expected);
}

static void tiled_copies_equal_the_tiling_rooms(void **state)
{
    unsigned modes = 0;
    for (unsigned swizzle = 0; swizzle < AMD_SW_COUNT; swizzle++) {
        const struct amd_swizzle_info *info = amd_swizzle_info(swizzle);
        if (!info || !(info->dim_mask & 1 << AMD_DIM_2D))
            continue;
        modes++;
        for (unsigned log2 = 0; log2 <= (info->type == 'Z' ? 3 : 4); log2++) {
            check_tiled_copy(*state, (enum amd_swizzle)swizzle, log2, true);
            check_tiled_copy(*state, (enum amd_swizzle)swizzle, log2, false);
        }
    }
    assert_true(modes > 10);
}

static void levels_and_slices_are_where_the_layout_has_them(void **state)
{
    struct rig *rig = *state;
    struct amd_surface surface = make_surface(rig, AMD_SW_4KB_S, 2, 0, 40, 40);
    struct amd_surface_desc desc = surface.desc;
    desc.slices = 3;
    desc.levels = 4;
    struct amd_tiling_config config = surface.config;
    assert_true(amd_surface_init(&surface, &config, &desc));
    fill_random(rig->map, RIG_STREAM_B);
    struct stream s = {0};
    SDMA(&s, COPY_TILED_SUB_WINDOW, .DETILE = true, .TILED_ADDR = RIG_VA + TILED_B, .TILED_Z = 1, .WIDTH = 39,
         .HEIGHT = 39, .DEPTH = 2, .ELEMENT_SIZE = 2, .SW_MODE = AMD_SW_4KB_S, .DIMENSION = AMD_SDMA_DIMENSION_2D,
         .MIP_MAX = 3, .MIP_ID = 2, .LINEAR_ADDR = RIG_VA + LINEAR_B, .LINEAR_PITCH = 9, .LINEAR_SLICE_PITCH = 99,
         .RECT_X = 9, .RECT_Y = 9, .RECT_Z = 1);
    assert_int_equal(rig_run_sdma(rig, &s), 0);
    for (uint32_t i = 0; i < 200; i++) {
        uint64_t from = amd_tiling_offset(&surface, i % 10, i / 10 % 10, 1 + i / 100, 0, 2);
        assert_memory_equal(rig->map + LINEAR_B + 4 * i, rig->map + TILED_B + from, 4);
    }
}

static void put_dcc_copy(struct stream *s, bool detile)
{
    SDMA(s, COPY_TILED_SUB_WINDOW, .DETILE = detile, .DCC = true, .TILED_ADDR = RIG_VA + TILED_B, .WIDTH = 127,
         .HEIGHT = 127, .ELEMENT_SIZE = 2, .SW_MODE = AMD_SW_64KB_R_X, .DIMENSION = AMD_SDMA_DIMENSION_2D,
         .LINEAR_ADDR = RIG_VA + LINEAR_B, .LINEAR_PITCH = 31, .RECT_X = 31, .RECT_Y = 15, .META_ADDR = RIG_VA + META_B,
         .DATA_FORMAT = AMD_COLOR_FORMAT_8_8_8_8, .NUMBER_TYPE = AMD_NUMBER_TYPE_UNORM, .ALPHA_IS_ON_MSB = true,
         .PIPE_ALIGNED = true, .MAX_UNCOMPRESSED = 2, .WRITE_COMPRESS = !detile);
}

static void dcc_clears_are_seen_and_expanded(void **state)
{
    struct rig *rig = *state;
    static const struct {
        uint8_t code;
        uint32_t element;
    } codes[] = {{0x00, 0}, {0x40, 0xff000000}, {0x80, 0x00ffffff}, {0xc0, 0xffffffff}, {0x10, 0x11223344}};
    struct amd_surface surface = make_surface(rig, AMD_SW_64KB_R_X, 2, 0, 128, 128);
    struct amd_meta meta;
    assert_true(amd_meta_init(&meta, AMD_META_DCC, &surface, true));
    for (unsigned i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        struct stream out = {0}, in = {0};
        fill_random(rig->map, META_B);
        memset(rig->map + META_B, 0xff, meta.size_B);
        uint8_t *code = rig->map + META_B + amd_meta_offset(&meta, 0, 0, 0, 0, 0, NULL);
        uint64_t first_B = amd_tiling_offset(&surface, 0, 0, 0, 0, 0) & ~255ull;
        *code = codes[i].code;
        if (codes[i].code == 0x10)
            *rig_dw(rig, TILED_B + (uint32_t)first_B) = codes[i].element;
        put_dcc_copy(&out, true);
        assert_int_equal(out.count, 17);
        assert_int_equal(rig_run_sdma(rig, &out), 0);
        unsigned cleared = 0;
        for (uint32_t p = 0; p < 32 * 16; p++) {
            uint64_t at_B = amd_tiling_offset(&surface, p % 32, p / 32, 0, 0, 0);
            bool in_block = (at_B & ~255ull) == first_B;
            cleared += in_block;
            assert_int_equal(*rig_dw(rig, LINEAR_B + 4 * p),
                             in_block ? codes[i].element : *rig_dw(rig, TILED_B + (uint32_t)at_B));
        }
        assert_int_equal(cleared, 64);
        assert_int_equal(*code, codes[i].code); /* reading changes nothing */
        fill_random(rig->map + LINEAR_B, 4 * 32 * 16);
        put_dcc_copy(&in, false);
        assert_int_equal(rig_run_sdma(rig, &in), 0);
        assert_int_equal(*code, 0xff);
        for (uint32_t p = 0; p < 32 * 16; p++) {
            uint64_t at_B = amd_tiling_offset(&surface, p % 32, p / 32, 0, 0, 0);
            assert_int_equal(*rig_dw(rig, TILED_B + (uint32_t)at_B), *rig_dw(rig, LINEAR_B + 4 * p));
        }
    }
    struct stream s = {0};
    memset(rig->map + META_B, 0x77, meta.size_B);
    put_dcc_copy(&s, true);
    assert_int_equal(rig_run_sdma(rig, &s), -ENOSYS);
    assert_report(rig, "DCC code 0x77");
}

/* ---- order ---- */

static void waits_sleep_until_another_ring_writes(void **state)
{
    struct rig *rig = *state;
    struct stream waits = {0}, writes = {0};
    SDMA(&waits, POLL_REGMEM, .FUNCTION = AMD_CP_FUNCTION_EQUAL, .MEM_POLL = true, .ADDR = RIG_VA, .REFERENCE = 5,
         .MASK = 0xff, .INTERVAL = 10, .RETRY_COUNT = 0xfff);
    put_fence(&waits, 8, 6);
    static struct rig_job job;
    rig_submit(rig, &job, AMD_RING_SDMA, &waits);
    usleep(20000);
    assert_false(atomic_load(&job.is_done));
    put_store(&writes, 0, 0x105);
    assert_int_equal(rig_run_gfx(rig, &writes), 0);
    rig_wait(&job);
    assert_int_equal(job.error, 0);
    assert_int_equal(*rig_dw(rig, 8), 6);
}

static void a_wait_for_nothing_can_be_killed(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    SDMA(&s, POLL_REGMEM, .FUNCTION = AMD_CP_FUNCTION_EQUAL, .MEM_POLL = true, .ADDR = RIG_VA, .REFERENCE = 5,
         .MASK = UINT32_MAX, .RETRY_COUNT = 0xfff);
    static struct rig_job job;
    rig_submit(rig, &job, AMD_RING_SDMA, &s);
    usleep(5000);
    rig_kill(rig, &job);
    rig_wait(&job);
    assert_int_equal(job.error, -ETIME);
}

/* ---- ends ---- */

static void what_is_not_modelled_stops_with_the_stream_around_it(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    put_fence(&s, 0, 1);
    uint32_t before = s.count;
    SDMA(&s, COPY_T2T_SUB_WINDOW, .SRC_ADDR = RIG_VA);
    assert_int_equal(rig_run_sdma(rig, &s), -ENOSYS);
    assert_report(rig, "DMA ring 0");
    assert_report(rig, "FENCE");
    assert_report(rig, "-> +000010  COPY_T2T_SUB_WINDOW");
    s.count = before;
    PUT_WORDS(&s, 0x000000fe, 0, 0);
    assert_int_equal(rig_run_sdma(rig, &s), -ENOSYS);
    assert_report(rig, "0x000000fe is not in the tables");
    s.count = before;
    SDMA(&s, COPY_LINEAR, .TMZ = true, .SRC_ADDR = RIG_VA, .DST_ADDR = RIG_VA);
    assert_int_equal(rig_run_sdma(rig, &s), -ENOSYS);
    assert_report(rig, "COPY_LINEAR.TMZ");
    s.count = before;
    SDMA(&s, WRITE, .DST_ADDR = RIG_VA, .COUNT = 9);
    PUT_WORDS(&s, 1, 2, 3);
    assert_int_equal(rig_run_sdma(rig, &s), -EIO);
    assert_report(rig, "only 7 more");
    s.count = before;
    PUT_WORDS(&s, AMD_SDMA_COPY_LINEAR, 1);
    assert_int_equal(rig_run_sdma(rig, &s), -EIO);
}

static void unmapped_memory_faults_at_its_address(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    const struct window all = {0, 0, IMAGE_W, IMAGE_H};
    SDMA(&s, COPY_LINEAR, .SRC_ADDR = RIG_VA, .DST_ADDR = RIG_UNMAPPED_VA, .COUNT_B = 15);
    assert_int_equal(rig_run_sdma(rig, &s), -EFAULT);
    assert_report(rig, "a write of 16 bytes at 0xffff800004000000");
    s.count = 0;
    put_tiled_copy(&s, AMD_SW_64KB_R_X, 2, 0, true, &all);
    s.dw[1] = (uint32_t)RIG_UNMAPPED_VA;
    s.dw[2] = (uint32_t)(RIG_UNMAPPED_VA >> 32);
    assert_int_equal(rig_run_sdma(rig, &s), -EFAULT);
    assert_report(rig, "a read of 4 bytes");
    s.count = 0;
    put_fence(&s, 0, 3);
    assert_int_equal(rig_run_sdma(rig, &s), 0); /* the ring goes on */
}

static void boxes_outside_the_image_are_refused(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    const struct window wide = {100, 0, IMAGE_W, IMAGE_H};
    put_tiled_copy(&s, AMD_SW_64KB_R_X, 2, 0, true, &wide);
    assert_int_equal(rig_run_sdma(rig, &s), -EIO);
    assert_report(rig, "a box that ends at 169");
    s.count = 0;
    put_tiled_copy(&s, (enum amd_swizzle)3, 2, 0, true, &wide);
    assert_int_equal(rig_run_sdma(rig, &s), -EIO);
    assert_report(rig, "swizzle mode 3");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_executed_packet_has_a_handler),
        TEST(padding_writes_and_fences_run_in_order),
        TEST(fill_writes_dwords_and_no_more),
        TEST(linear_copy_has_any_alignment),
        TEST(linear_window_keeps_what_is_around_it),
        TEST(tiled_copies_equal_the_tiling_rooms),
        TEST(levels_and_slices_are_where_the_layout_has_them),
        TEST(dcc_clears_are_seen_and_expanded),
        TEST(waits_sleep_until_another_ring_writes),
        TEST(a_wait_for_nothing_can_be_killed),
        TEST(what_is_not_modelled_stops_with_the_stream_around_it),
        TEST(unmapped_memory_faults_at_its_address),
        TEST(boxes_outside_the_image_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
