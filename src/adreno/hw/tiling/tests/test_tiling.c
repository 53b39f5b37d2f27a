/* Places of texels and layouts of images. Expected values are answers of another program, Mesa's layout code, which was
 * asked outside of this tree: hashes of all offsets of a level, and sizes of images. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "adreno/hw/tiling/lrz.h"
#include "adreno/hw/tiling/surface.h"
#include "adreno/hw/tiling/tile.h"
#include "util/bits.h"

#define ROWS 160 /* of a level whose offsets are hashed */

static const struct adreno_chip *chip_of(unsigned number)
{
    return adreno_chip_find(number == 618 ? "adreno-618" : "adreno-635");
}

/* FNV-1a over the offsets of the rows, from left to right. */
static uint64_t hash_of_level(const struct adreno_tile *t, uint32_t width)
{
    uint64_t hash = 0xcbf29ce484222325ull;
    for (uint32_t y = 0; y < ROWS; y++) {
        for (uint32_t x = 0; x < width; x++)
            hash = (hash ^ adreno_tile_offset_B(t, x, y)) * 0x100000001b3ull;
    }
    return hash;
}

static void texels_are_where_the_hardware_has_them(void **state)
{
    static const struct {
        unsigned chip;
        uint32_t element_B, pitch_B;
        uint64_t hash;
    } levels[] = {
        {618, 1, 64, 0x6065c2ce806c8325ull},    {618, 1, 192, 0x1d0bc986f411a325ull},
        {618, 1, 512, 0xb65f679abe295325ull},   {618, 1, 1024, 0x78c589cc5f909325ull},
        {618, 1, 2048, 0x68799d44ecf92325ull},  {618, 1, 4096, 0x98cd0f3f5b32a325ull},
        {618, 2, 128, 0x6b5d52b9be1c6325ull},   {618, 2, 384, 0xa92e9d4448430325ull},
        {618, 2, 1024, 0x31fb4a0ebea52325ull},  {618, 2, 2048, 0xc34da9cccc0ba325ull},
        {618, 2, 4096, 0xb7fbe840d5aca325ull},  {618, 2, 8192, 0xcaaf80c271072325ull},
        {618, 4, 128, 0x6f124b15cfc53b25ull},   {618, 4, 384, 0x4a92118fee379b25ull},
        {618, 4, 1024, 0xee2bd354e6f0a325ull},  {618, 4, 2048, 0xdc6bbf21443aa325ull},
        {618, 4, 4096, 0xad621a5438c02325ull},  {618, 4, 8192, 0x49c0b9485297a325ull},
        {618, 8, 128, 0x7f5e7f1c1eb80325ull},   {618, 8, 384, 0x356f3ede4d849325ull},
        {618, 8, 1024, 0xfdcad6612fb6e325ull},  {618, 8, 2048, 0xbbf1bffbf5506325ull},
        {618, 8, 4096, 0x653220e573016325ull},  {618, 8, 8192, 0x6af3f0a513d1a325ull},
        {618, 16, 128, 0x2b1a84b0c2439f25ull},  {618, 16, 384, 0x5b9f6b63394f7725ull},
        {618, 16, 1024, 0x90fcb6245e3f4325ull}, {618, 16, 2048, 0xa8df53f36d968325ull},
        {618, 16, 4096, 0x8ce97f117ad14325ull}, {618, 16, 8192, 0xc0649628f2cfe325ull},
        {635, 1, 64, 0x4a1da3a36a384325ull},    {635, 1, 192, 0x3be4043e91970325ull},
        {635, 1, 512, 0xae7b00e141249325ull},   {635, 1, 1024, 0x773a14fb1ad10325ull},
        {635, 1, 2048, 0x52871fa6bee7c325ull},  {635, 1, 4096, 0x51d0c78156762325ull},
        {635, 2, 128, 0x2e145bb317de4325ull},   {635, 2, 384, 0xc614c03abb33a325ull},
        {635, 2, 1024, 0xdd4408a5c3aaa325ull},  {635, 2, 2048, 0x2f03092d391ea325ull},
        {635, 2, 4096, 0xd30fc6fa57f7a325ull},  {635, 2, 8192, 0x26a9ba9620982325ull},
        {635, 4, 128, 0xcb5a217f5dafdb25ull},   {635, 4, 384, 0xe0d5df589f67a325ull},
        {635, 4, 1024, 0xb813988367ea6325ull},  {635, 4, 2048, 0x71d1ef3457320325ull},
        {635, 4, 4096, 0x0f8181516932a325ull},  {635, 4, 8192, 0xae15eeb7d599a325ull},
        {635, 8, 128, 0x27587681a5337325ull},   {635, 8, 384, 0x362506b659946b25ull},
        {635, 8, 1024, 0xf794c29672f74325ull},  {635, 8, 2048, 0x00e2a67dfcec8325ull},
        {635, 8, 4096, 0x20e26830ba912325ull},  {635, 8, 8192, 0xd55dd4a48679a325ull},
        {635, 16, 128, 0x2b1a84b0c2439f25ull},  {635, 16, 384, 0x5b9f6b63394f7725ull},
        {635, 16, 1024, 0x90fcb6245e3f4325ull}, {635, 16, 2048, 0xa8df53f36d968325ull},
        {635, 16, 4096, 0x8ce97f117ad14325ull}, {635, 16, 8192, 0xc0649628f2cfe325ull},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(levels); i++) {
        struct adreno_tile t = adreno_tile_init(chip_of(levels[i].chip), levels[i].element_B, levels[i].pitch_B);
        if (hash_of_level(&t, levels[i].pitch_B / levels[i].element_B) != levels[i].hash)
            fail_msg("adreno-%u, elements of %u bytes, a pitch of %u", levels[i].chip, levels[i].element_B,
                     levels[i].pitch_B);
    }
}

/* Whatever the size of an element: no two of a level are at one place, and none is outside. */
static void every_element_has_a_place_of_its_own(void **state)
{
    for (unsigned chip = 0; chip < adreno_chip_count; chip++) {
        for (uint32_t element_B = 1; element_B <= 128; element_B *= 2) {
            uint32_t pitch_B = 64 * (element_B == 1 ? 2 : element_B == 2 ? 4 : element_B) * 4;
            struct adreno_tile t = adreno_tile_init(&adreno_chips[chip], element_B, pitch_B);
            uint32_t width = pitch_B / element_B, height = 16u << t.block_h_log2, count = width * height;
            uint8_t *taken = calloc(count, 1);
            assert_non_null(taken);
            for (uint32_t i = 0; i < count; i++) {
                uint64_t offset_B = adreno_tile_offset_B(&t, i % width, i / width);
                assert_int_equal(offset_B % element_B, 0);
                assert_true(offset_B / element_B < count);
                assert_int_equal(taken[offset_B / element_B]++, 0);
            }
            free(taken);
        }
    }
}

static void images_have_the_size_that_others_give_them(void **state)
{
    static const struct {
        unsigned chip;
        struct adreno_surface_info info;
        uint64_t size_B, layer_B;
        uint32_t pitch_align_log2, first_pitch_B, last_pitch_B;
        uint64_t last_offset_B, flag_layer_B;
    } images[] = {
        {635, {1024, 768, 1, 1, 1, 1, 4, 1, 1}, 3145728u, 3145728u, 8u, 4096u, 4096u, 0u, 0u},
        {635,
         {1024, 768, 1, 1, 1, 1, 4, 1, 1, .is_tiled = true, .has_ubwc = true},
         3158016u,
         3145728u,
         8u,
         4096u,
         4096u,
         12288u,
         12288u},
        {635,
         {1000, 600, 1, 10, 6, 1, 4, 1, 1, .is_tiled = true, .has_ubwc = true},
         20324352u,
         3346432u,
         8u,
         4096u,
         256u,
         3587840u,
         40960u},
        {635, {1000, 600, 1, 10, 6, 1, 4, 1, 1, .is_tiled = true}, 20078592u, 3346432u, 8u, 4096u, 256u, 3342080u, 0u},
        {635,
         {15, 100, 1, 1, 1, 1, 4, 1, 1, .is_tiled = true, .has_ubwc = true},
         28672u,
         28672u,
         8u,
         256u,
         256u,
         0u,
         0u},
        {635,
         {100, 100, 32, 6, 1, 1, 4, 1, 1, .is_volume = true, .is_tiled = true},
         2342912u,
         0u,
         8u,
         512u,
         256u,
         2326528u,
         0u},
        {635,
         {100, 100, 32, 1, 1, 1, 4, 1, 1, .is_volume = true, .is_tiled = true, .has_ubwc = true},
         1966080u,
         0u,
         8u,
         512u,
         512u,
         131072u,
         4096u},
        {635, {333, 77, 9, 9, 1, 1, 16, 1, 1, .is_volume = true}, 5079040u, 0u, 10u, 6144u, 1024u, 5038080u, 0u},
        {635,
         {640, 480, 1, 1, 2, 4, 4, 1, 1, .is_tiled = true, .has_ubwc = true},
         9879552u,
         4915200u,
         10u,
         10240u,
         10240u,
         49152u,
         24576u},
        {635,
         {640, 480, 1, 1, 1, 4, 1, 1, 1, .is_tiled = true, .has_ubwc = true},
         1253376u,
         1228800u,
         8u,
         2560u,
         2560u,
         24576u,
         24576u},
        {635,
         {640, 480, 1, 1, 1, 8, 2, 1, 1, .is_tiled = true, .has_ubwc = true},
         4964352u,
         4915200u,
         10u,
         10240u,
         10240u,
         49152u,
         49152u},
        {635,
         {640, 480, 1, 1, 1, 2, 16, 1, 1, .is_tiled = true, .has_ubwc = true},
         9879552u,
         9830400u,
         11u,
         20480u,
         20480u,
         49152u,
         49152u},
        {635,
         {640, 480, 1, 1, 1, 1, 4, 1, 1, .is_depth = true, .is_tiled = true, .has_ubwc = true},
         1236992u,
         1228800u,
         8u,
         2560u,
         2560u,
         8192u,
         8192u},
        {635,
         {7, 9, 1, 3, 1, 1, 4, 1, 1, .is_depth = true, .is_tiled = true},
         12288u,
         12288u,
         8u,
         256u,
         256u,
         8192u,
         0u},
        {635,
         {640, 480, 1, 8, 1, 1, 2, 1, 1, .is_two_bytes = true, .is_tiled = true, .has_ubwc = true},
         880640u,
         856064u,
         7u,
         1280u,
         128u,
         877440u,
         24576u},
        {635,
         {640, 480, 1, 8, 1, 1, 2, 1, 1, .is_tiled = true, .has_ubwc = true},
         925696u,
         897024u,
         8u,
         1280u,
         256u,
         923392u,
         28672u},
        {635,
         {640, 480, 1, 8, 1, 1, 1, 1, 1, .is_tiled = true, .has_ubwc = true},
         487424u,
         458752u,
         7u,
         640u,
         128u,
         484224u,
         28672u},
        {635, {500, 400, 1, 9, 3, 1, 8, 4, 4, .is_tiled = true}, 565248u, 188416u, 9u, 1024u, 512u, 183296u, 0u},
        {635, {500, 400, 1, 9, 3, 1, 16, 12, 12, .is_tiled = true}, 417792u, 139264u, 10u, 1024u, 1024u, 134144u, 0u},
        {635,
         {64, 64, 1, 7, 1, 1, 8, 1, 1, .is_tiled = true, .has_ubwc = true},
         81920u,
         69632u,
         9u,
         512u,
         512u,
         76800u,
         12288u},
        {618, {1024, 768, 1, 1, 1, 1, 4, 1, 1}, 3145728u, 3145728u, 8u, 4096u, 4096u, 0u, 0u},
        {618,
         {1024, 768, 1, 1, 1, 1, 4, 1, 1, .is_tiled = true, .has_ubwc = true},
         3158016u,
         3145728u,
         8u,
         4096u,
         4096u,
         12288u,
         12288u},
        {618,
         {1000, 600, 1, 10, 6, 1, 4, 1, 1, .is_tiled = true, .has_ubwc = true},
         20471808u,
         3354624u,
         8u,
         4096u,
         256u,
         3694592u,
         57344u},
        {618, {1000, 600, 1, 10, 6, 1, 4, 1, 1, .is_tiled = true}, 20078592u, 3346432u, 8u, 4096u, 256u, 3342080u, 0u},
        {618,
         {15, 100, 1, 1, 1, 1, 4, 1, 1, .is_tiled = true, .has_ubwc = true},
         28672u,
         28672u,
         8u,
         256u,
         256u,
         0u,
         0u},
        {618,
         {100, 100, 32, 6, 1, 1, 4, 1, 1, .is_volume = true, .is_tiled = true},
         2342912u,
         0u,
         8u,
         512u,
         256u,
         2326528u,
         0u},
        {618,
         {100, 100, 32, 1, 1, 1, 4, 1, 1, .is_volume = true, .is_tiled = true, .has_ubwc = true},
         1966080u,
         0u,
         8u,
         512u,
         512u,
         131072u,
         4096u},
        {618, {333, 77, 9, 9, 1, 1, 16, 1, 1, .is_volume = true}, 5079040u, 0u, 10u, 6144u, 1024u, 5038080u, 0u},
        {618,
         {640, 480, 1, 1, 2, 4, 4, 1, 1, .is_tiled = true, .has_ubwc = true},
         9879552u,
         4915200u,
         10u,
         10240u,
         10240u,
         49152u,
         24576u},
        {618,
         {640, 480, 1, 1, 1, 4, 1, 1, 1, .is_tiled = true, .has_ubwc = true},
         1253376u,
         1228800u,
         8u,
         2560u,
         2560u,
         24576u,
         24576u},
        {618,
         {640, 480, 1, 1, 1, 8, 2, 1, 1, .is_tiled = true, .has_ubwc = true},
         4964352u,
         4915200u,
         10u,
         10240u,
         10240u,
         49152u,
         49152u},
        {618,
         {640, 480, 1, 1, 1, 2, 16, 1, 1, .is_tiled = true, .has_ubwc = true},
         9879552u,
         9830400u,
         11u,
         20480u,
         20480u,
         49152u,
         49152u},
        {618,
         {640, 480, 1, 1, 1, 1, 4, 1, 1, .is_depth = true, .is_tiled = true, .has_ubwc = true},
         1236992u,
         1228800u,
         8u,
         2560u,
         2560u,
         8192u,
         8192u},
        {618,
         {7, 9, 1, 3, 1, 1, 4, 1, 1, .is_depth = true, .is_tiled = true},
         12288u,
         12288u,
         8u,
         256u,
         256u,
         8192u,
         0u},
        {618,
         {640, 480, 1, 8, 1, 1, 2, 1, 1, .is_two_bytes = true, .is_tiled = true, .has_ubwc = true},
         892928u,
         860160u,
         7u,
         1280u,
         128u,
         888832u,
         32768u},
        {618,
         {640, 480, 1, 8, 1, 1, 2, 1, 1, .is_tiled = true, .has_ubwc = true},
         937984u,
         901120u,
         8u,
         1280u,
         256u,
         933888u,
         36864u},
        {618,
         {640, 480, 1, 8, 1, 1, 1, 1, 1, .is_tiled = true, .has_ubwc = true},
         499712u,
         462848u,
         7u,
         640u,
         128u,
         495616u,
         36864u},
        {618, {500, 400, 1, 9, 3, 1, 8, 4, 4, .is_tiled = true}, 565248u, 188416u, 9u, 1024u, 512u, 183296u, 0u},
        {618, {500, 400, 1, 9, 3, 1, 16, 12, 12, .is_tiled = true}, 417792u, 139264u, 10u, 1024u, 1024u, 134144u, 0u},
        {618,
         {64, 64, 1, 7, 1, 1, 8, 1, 1, .is_tiled = true, .has_ubwc = true},
         118784u,
         90112u,
         9u,
         512u,
         512u,
         110592u,
         28672u},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(images); i++) {
        struct adreno_surface s;
        const struct adreno_surface_level *last = &s.levels[images[i].info.levels - 1];
        assert_true(adreno_surface_init(&s, chip_of(images[i].chip), &images[i].info));
        if (s.size_B != images[i].size_B || s.layer_B != images[i].layer_B ||
            s.pitch_align_log2 != images[i].pitch_align_log2 || s.levels[0].pitch_B != images[i].first_pitch_B ||
            last->pitch_B != images[i].last_pitch_B || last->offset_B != images[i].last_offset_B ||
            s.flag_layer_B != images[i].flag_layer_B)
            fail_msg("image %u: %llu bytes, the last level at %llu with a pitch of %u", i, (unsigned long long)s.size_B,
                     (unsigned long long)last->offset_B, last->pitch_B);
    }
}

/* A level's elements are inside its slice, tiled or not. */
static void levels_hold_their_texels(void **state)
{
    const struct adreno_surface_info info = {333, 211, 1, 9, 3, 1, 4, 1, 1, .is_tiled = true};
    struct adreno_surface s;
    assert_true(adreno_surface_init(&s, chip_of(635), &info));
    for (unsigned i = 0; i < info.levels; i++) {
        const struct adreno_surface_level *level = &s.levels[i];
        uint32_t width = MAX2(info.width >> i, 1u), height = MAX2(info.height >> i, 1u);
        struct adreno_tile t = adreno_tile_init(chip_of(635), s.element_B, level->pitch_B);
        assert_int_equal(level->is_tiled, width >= 16);
        for (uint32_t y = 0; y < height; y++) {
            for (uint32_t x = 0; x < width; x++) {
                uint64_t offset_B =
                    level->is_tiled ? adreno_tile_offset_B(&t, x, y) : (uint64_t)y * level->pitch_B + 4 * x;
                assert_true(offset_B + 4 <= level->slice_B);
            }
        }
        assert_true(level->offset_B + level->slice_B <= s.layer_B);
    }
}

static void what_cannot_be_is_refused(void **state)
{
    struct adreno_surface s;
    const struct adreno_surface_info good = {64, 64, 1, 1, 1, 1, 4, 1, 1};
    struct adreno_surface_info bad[] = {good, good, good, good, good};
    bad[0].width = 0;
    bad[1].levels = 16;
    bad[2].samples = 3;
    bad[3].pitch_B = 100;
    bad[4].block_B = 12;
    assert_true(adreno_surface_init(&s, chip_of(635), &good));
    for (unsigned i = 0; i < ARRAY_SIZE(bad); i++)
        assert_false(adreno_surface_init(&s, chip_of(635), &bad[i]));
}

static void low_resolution_depth_has_its_size(void **state)
{
    struct adreno_lrz lrz = adreno_lrz_init(chip_of(635), 1920, 1080, 1, 2);
    assert_int_equal(lrz.pitch, 256);
    assert_int_equal(lrz.height, 160);
    assert_int_equal(lrz.layer_B, 256 * 160 * 2);
    assert_int_equal(lrz.state_B, 2 * 256 * 160 * 2);
    assert_int_equal(lrz.clear_bytes, 2 * 64); /* 15 by 34 bits */
    assert_int_equal(lrz.size_B, lrz.state_B + 520);

    lrz = adreno_lrz_init(chip_of(635), 1920, 1080, 8, 3); /* twice as wide, four times as high */
    assert_int_equal(lrz.pitch, 480);
    assert_int_equal(lrz.height, 544);
    assert_int_equal(lrz.clear_bytes, 0); /* 510 bytes a layer do not fit three times */

    lrz = adreno_lrz_init(chip_of(618), 64, 64, 1, 1);
    assert_int_equal(lrz.size_B, 32 * 32 * 2); /* no state of the hardware's */
    assert_int_equal(lrz.clear_bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texels_are_where_the_hardware_has_them),
        cmocka_unit_test(every_element_has_a_place_of_its_own),
        cmocka_unit_test(images_have_the_size_that_others_give_them),
        cmocka_unit_test(levels_hold_their_texels),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(low_resolution_depth_has_its_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
