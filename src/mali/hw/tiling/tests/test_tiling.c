/* Where elements, levels, layers and headers are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mali/hw/tiling/afbc.h"
#include "mali/hw/tiling/surface.h"
#include "mali/hw/tiling/tile.h"
#include "util/bits.h"

static void a_tile_follows_its_curve(void **state)
{
    const struct mali_tile tile = mali_tile_init(1, 64 * 16, MALI_ORDER_TILED, false);
    static const struct {
        uint8_t x, y, at;
    } facts[] = {
        {0, 0, 0},  {1, 0, 1},  {1, 1, 2},     {0, 1, 3},    {2, 0, 4},      {3, 1, 6},    {2, 2, 8},
        {0, 2, 12}, {4, 0, 16}, {15, 0, 0x55}, {0, 15, 255}, {15, 15, 0xaa}, {8, 8, 0x80}, {7, 9, 0xc0 ^ 3 ^ 0x15}};
    for (unsigned i = 0; i < ARRAY_SIZE(facts); i++)
        assert_int_equal(mali_tile_offset_B(&tile, facts[i].x, facts[i].y), facts[i].at);
    assert_int_equal(mali_tile_offset_B(&tile, 16, 0), 256);
    assert_int_equal(mali_tile_offset_B(&tile, 17, 16), 64 * 16 + 256 + 1);
}

/* Every byte of an image belongs to one element. */
static void elements_have_places_of_their_own(void **state)
{
    static const uint8_t sizes_B[] = {1, 2, 3, 4, 6, 8, 12, 16};
    for (unsigned s = 0; s < ARRAY_SIZE(sizes_B); s++) {
        for (unsigned kind = 0; kind < 3; kind++) {
            uint8_t seen[48 * 32 * 16] = {0};
            unsigned side = kind == 0 ? 1 : kind == 1 ? 16 : 4;
            const struct mali_tile tile = mali_tile_init(sizes_B[s], 48u * side * sizes_B[s],
                                                         kind ? MALI_ORDER_TILED : MALI_ORDER_LINEAR, kind == 2);
            for (unsigned y = 0; y < 32; y++) {
                for (unsigned x = 0; x < 48; x++) {
                    uint64_t at = mali_tile_offset_B(&tile, x, y);
                    assert_true(at + sizes_B[s] <= 48u * 32 * sizes_B[s] && at % sizes_B[s] == 0);
                    assert_int_equal(seen[at / sizes_B[s]]++, 0);
                }
            }
        }
    }
}

/* Pages of 64 KiB, whatever the element's size; tiles in rows, elements on their curve. */
static void pages_hold_rows_of_tiles(void **state)
{
    static const struct {
        uint8_t element_B;
        uint16_t w, h;
    } pages[] = {{1, 256, 256}, {2, 256, 128}, {4, 128, 128}, {8, 128, 64}, {16, 64, 64}};
    for (unsigned i = 0; i < ARRAY_SIZE(pages); i++) {
        const uint32_t row_B = 2 << 16, w = pages[i].w, h = pages[i].h, B = pages[i].element_B;
        const struct mali_tile tile = mali_tile_init(B, row_B, MALI_ORDER_64K, i % 2);
        assert_int_equal(mali_tile_offset_B(&tile, w - 1, h - 1) / 65536, 0);
        assert_int_equal(mali_tile_offset_B(&tile, w, 0), 65536);
        assert_int_equal(mali_tile_offset_B(&tile, 0, h), row_B);
        assert_int_equal(mali_tile_offset_B(&tile, 16, 0), 256 * B);
        assert_int_equal(mali_tile_offset_B(&tile, 0, 16), w * 16 * B);
        assert_int_equal(mali_tile_offset_B(&tile, 1, 1), 2 * B);
        static uint8_t seen[65536];
        memset(seen, 0, sizeof(seen));
        for (uint32_t y = 0; y < h; y++) {
            for (uint32_t x = 0; x < w; x++)
                assert_int_equal(seen[mali_tile_offset_B(&tile, x, y) / B]++, 0);
        }
    }
}

static struct mali_surface_info image(uint32_t width, uint32_t height, uint32_t levels, enum mali_layout layout,
                                      uint32_t block_B)
{
    return (struct mali_surface_info){.width = width,
                                      .height = height,
                                      .depth = 1,
                                      .levels = levels,
                                      .layers = 1,
                                      .samples = 1,
                                      .block_B = block_B,
                                      .block_w = 1,
                                      .block_h = 1,
                                      .layout = layout,
                                      .superblock_w = 16};
}

static void rows_and_levels_are_lines_of_the_cache(void **state)
{
    struct mali_surface s;
    struct mali_surface_info info = image(33, 17, 3, MALI_LAYOUT_LINEAR, 4);
    assert_true(mali_surface_init(&s, &info));
    assert_int_equal(s.levels[0].row_B, 192);
    assert_int_equal(s.levels[1].offset_B, 192 * 17);
    assert_int_equal(s.levels[1].row_B, 64);
    assert_int_equal(s.levels[2].offset_B, 192 * 17 + 64 * 8);
    assert_int_equal(s.size_B, 4096);
    info.layout = MALI_LAYOUT_TILED;
    assert_true(mali_surface_init(&s, &info));
    assert_int_equal(s.levels[0].row_B, 48 * 16 * 4);
    assert_int_equal(s.levels[0].slice_B, 48 * 32 * 4);
    assert_int_equal(s.levels[2].row_B, 16 * 16 * 4);
}

static void compressed_formats_have_tiles_of_four_blocks(void **state)
{
    struct mali_surface s;
    struct mali_surface_info info = image(20, 36, 1, MALI_LAYOUT_TILED, 8);
    info.block_w = info.block_h = 4;
    assert_true(mali_surface_init(&s, &info));
    assert_int_equal(s.levels[0].row_B, 8 * 8 * 4); /* 5 blocks are 8 */
    assert_int_equal(s.levels[0].slice_B, 8 * 8 * 4 * 3);
}

static void samples_and_slices_are_inside_their_level(void **state)
{
    struct mali_surface s;
    struct mali_surface_info info = image(16, 16, 1, MALI_LAYOUT_TILED, 4);
    info.samples = 4;
    info.layers = 3;
    assert_true(mali_surface_init(&s, &info));
    assert_int_equal(s.levels[0].slice_B, 1024);
    assert_int_equal(s.layer_B, 4096);
    assert_int_equal(s.size_B, 3 * 4096);
    info = image(8, 8, 3, MALI_LAYOUT_LINEAR, 1);
    info.is_volume = true;
    info.depth = 8;
    assert_true(mali_surface_init(&s, &info));
    assert_int_equal(s.levels[1].offset_B, 64 * 8 * 8);
    assert_int_equal(s.levels[2].offset_B, 64 * 8 * 8 + 64 * 4 * 4);
    info.samples = 2;
    assert_false(mali_surface_init(&s, &info));
}

static void headers_stand_before_bodies(void **state)
{
    struct mali_surface s;
    struct mali_surface_info info = image(100, 60, 1, MALI_LAYOUT_AFBC, 4);
    assert_true(mali_surface_init(&s, &info));
    assert_int_equal(s.levels[0].row_B, 7 * 16);
    assert_int_equal(s.levels[0].header_B, align_u64(7 * 4 * 16, 128));
    assert_int_equal(s.levels[0].slice_B, align_u64(7 * 4 * 16, 128) + 112 * 64 * 4);
    info.has_tiled_headers = true;
    assert_true(mali_surface_init(&s, &info));
    assert_int_equal(s.levels[0].row_B, 8 * 16 * 8);
    assert_int_equal(s.levels[0].header_B, 4096);
    info.superblock_w = 32;
    info.has_tiled_headers = false;
    assert_true(mali_surface_init(&s, &info));
    assert_int_equal(s.levels[0].row_B, 4 * 16);
    assert_int_equal(s.levels[0].header_B, align_u64(4 * 8 * 16, 128));
    info.samples = 4;
    assert_false(mali_surface_init(&s, &info));
}

/* As panfrost's layout code places them: the whole, a layer, and of the last level offset, headers' row, headers,
 * slice. */
static void afbc_is_as_large_as_drivers_have_it(void **state)
{
    static const struct {
        uint32_t width, height, depth, levels, layers, block_B, superblock_w;
        bool has_tiled_headers, is_volume;
        uint64_t size_B, layer_B, offset_B, row_B, header_B, slice_B;
    } facts[] = {
        {135, 526, 1, 6, 2, 2, 16, false, false, 442368, 220672, 220032, 16, 128, 640},
        {2, 21, 20, 5, 1, 2, 32, false, true, 65536, 64256, 63104, 16, 128, 1024},
        {444, 487, 1, 6, 3, 2, 32, false, false, 1867776, 622208, 621056, 16, 128, 1152},
        {155, 938, 1, 6, 2, 4, 32, true, false, 4538368, 2269184, 2134016, 1024, 4096, 135168},
        {552, 623, 1, 7, 4, 4, 16, false, false, 7716864, 1928704, 1927552, 16, 128, 1152},
        {847, 844, 1, 7, 1, 4, 32, false, false, 4050944, 4048000, 4045824, 16, 128, 2176},
        {71, 80, 13, 5, 1, 2, 32, false, true, 253952, 253568, 252416, 16, 128, 1024},
        {747, 380, 1, 4, 2, 4, 32, true, false, 4005888, 2002944, 1867776, 1024, 4096, 135168},
        {659, 866, 1, 10, 2, 2, 32, true, false, 5169152, 2584576, 2514944, 1024, 4096, 69632},
        {335, 537, 1, 4, 4, 4, 32, false, false, 4272128, 1067264, 1046400, 32, 384, 20864},
        {718, 460, 1, 1, 1, 2, 16, true, false, 811008, 811008, 0, 6144, 24576, 811008},
        {181, 996, 1, 4, 4, 2, 16, true, false, 3129344, 782336, 745472, 1024, 4096, 36864},
        {486, 77, 1, 3, 3, 4, 32, true, false, 1609728, 536576, 401408, 1024, 4096, 135168},
        {100, 378, 1, 5, 4, 2, 16, false, false, 495616, 123264, 122112, 16, 128, 1152},
        {62, 40, 2, 5, 1, 2, 16, true, true, 221184, 221184, 184320, 1024, 4096, 32768},
        {450, 164, 1, 3, 2, 4, 32, true, false, 1605632, 802816, 667648, 1024, 4096, 135168},
        {44, 90, 13, 3, 1, 2, 32, false, true, 192512, 190464, 183936, 16, 384, 2048},
        {879, 640, 1, 4, 3, 4, 32, true, false, 11587584, 3862528, 3727360, 1024, 4096, 135168},
        {904, 456, 1, 8, 4, 4, 32, true, false, 13893632, 3473408, 3338240, 1024, 4096, 135168},
        {659, 330, 1, 5, 2, 2, 16, true, false, 1916928, 958464, 921600, 1024, 4096, 36864},
        {11, 21, 20, 4, 1, 4, 16, false, true, 65536, 63104, 60800, 16, 256, 1024},
        {16, 32, 15, 5, 1, 1, 32, false, true, 28672, 24960, 24320, 16, 128, 512},
        {97, 2, 11, 7, 1, 4, 16, true, true, 1531904, 1531904, 1462272, 1024, 4096, 65536},
        {56, 9, 4, 5, 1, 1, 16, false, true, 8192, 7040, 6656, 16, 128, 256},
        {2, 21, 20, 5, 1, 2, 32, false, true, 65536, 64256, 63104, 16, 128, 1024},
        {55, 21, 2, 4, 1, 2, 16, true, true, 184320, 184320, 147456, 1024, 4096, 32768},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(facts); i++) {
        struct mali_surface s;
        struct mali_surface_info info =
            image(facts[i].width, facts[i].height, facts[i].levels, MALI_LAYOUT_AFBC, facts[i].block_B);
        info.depth = facts[i].depth;
        info.layers = facts[i].layers;
        info.superblock_w = facts[i].superblock_w;
        info.has_tiled_headers = facts[i].has_tiled_headers;
        info.is_volume = facts[i].is_volume;
        assert_true(mali_surface_init(&s, &info));
        const struct mali_surface_level *last = &s.levels[facts[i].levels - 1];
        assert_int_equal(s.size_B, facts[i].size_B);
        assert_int_equal(s.layer_B, facts[i].layer_B);
        assert_int_equal(last->offset_B, facts[i].offset_B);
        assert_int_equal(last->row_B, facts[i].row_B);
        assert_int_equal(last->header_B, facts[i].header_B);
        assert_int_equal(last->slice_B, facts[i].slice_B);
    }
}

static void headers_say_what_a_superblock_is(void **state)
{
    uint8_t bytes[16];
    mali_afbc_pack_raw(bytes, 0x12340);
    struct mali_afbc_header header = mali_afbc_unpack(bytes);
    assert_int_equal(header.kind, MALI_AFBC_RAW);
    assert_int_equal(header.body_B, 0x12340);
    bytes[15] = 0x84; /* the last size is 33 */
    assert_int_equal(mali_afbc_unpack(bytes).kind, MALI_AFBC_COMPRESSED);
    assert_int_equal(mali_afbc_unpack(bytes).sizes[15], 33);
    mali_afbc_pack_solid(bytes, 0x1122334455667788);
    header = mali_afbc_unpack(bytes);
    assert_int_equal(header.kind, MALI_AFBC_SOLID);
    assert_true(header.colour == 0x1122334455667788);
    assert_int_equal(mali_afbc_header_offset_B(112, 0, 2, 3), 3 * 112 + 2 * 16);
    assert_int_equal(mali_afbc_header_offset_B(1024, 3, 9, 8), 1024 + (64 + 1) * 16);
    assert_int_equal(mali_afbc_header_offset_B(1024, 3, 1, 1), 3 * 16);
    assert_int_equal(mali_afbc_header_offset_B(1024, 2, 5, 4), 1024 + (16 + 1) * 16);
    assert_int_equal(mali_afbc_header_tile_log2(true, 8), 2);
    assert_int_equal(mali_afbc_header_tile_log2(true, 4), 3);
    /* every texel of a superblock has its place, whatever its shape */
    for (unsigned w_log2 = 4; w_log2 <= 6; w_log2++) {
        const struct mali_afbc afbc = {.row_B = 64, .w_log2 = (uint8_t)w_log2, .pixel_B = 4};
        uint8_t seen[256] = {0};
        for (unsigned i = 0; i < 256; i++) {
            uint32_t x = i & ((1u << w_log2) - 1), y = i >> w_log2;
            assert_int_equal(mali_afbc_texel_header_B(&afbc, x, y), 0);
            assert_int_equal(seen[mali_afbc_texel_B(&afbc, x, y) / 4]++, 0);
        }
        assert_int_equal(mali_afbc_texel_header_B(&afbc, 1u << w_log2, 256u >> w_log2), 64 + 16);
        assert_int_equal(mali_afbc_body_B(&afbc, 64 + 16), 5 * 1024);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tile_follows_its_curve),
        cmocka_unit_test(elements_have_places_of_their_own),
        cmocka_unit_test(pages_hold_rows_of_tiles),
        cmocka_unit_test(rows_and_levels_are_lines_of_the_cache),
        cmocka_unit_test(compressed_formats_have_tiles_of_four_blocks),
        cmocka_unit_test(samples_and_slices_are_inside_their_level),
        cmocka_unit_test(headers_stand_before_bodies),
        cmocka_unit_test(afbc_is_as_large_as_drivers_have_it),
        cmocka_unit_test(headers_say_what_a_superblock_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
