/* Tiles of GMEM within the limits of both chips, for areas and attachments of all kinds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "adreno/driver/tiles.h"
#include "util/bits.h"

static uint64_t seed = 1;

static uint32_t next(uint32_t limit)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(seed >> 33) % limit;
}

static void check_limits(const struct adreno_chip *chip, const struct adreno_tiles_info *info,
                         const struct adreno_tiles *tiles)
{
    uint64_t end_B = 0;
    assert_true(tiles->width && tiles->width % chip->tile_align_w == 0 && tiles->width <= chip->tile_max_w);
    assert_true(tiles->height && tiles->height % chip->tile_align_h == 0 && tiles->height <= chip->tile_max_h);
    assert_true(tiles->columns * tiles->width >= info->right && (tiles->columns - 1) * tiles->width < info->right);
    assert_true(tiles->rows * tiles->height >= info->bottom && (tiles->rows - 1) * tiles->height < info->bottom);
    for (unsigned i = 0; i < info->parts; i++) {
        assert_int_equal(tiles->gmem_B[i] % ADRENO_GMEM_ALIGN_B, 0);
        assert_true(tiles->gmem_B[i] >= end_B);
        if (info->layers > 1) /* each of which has an address for a BLIT event */
            assert_int_equal(tiles->width * tiles->height * info->part_B[i] % ADRENO_GMEM_ALIGN_B, 0);
        end_B = tiles->gmem_B[i] + (uint64_t)tiles->width * tiles->height * info->part_B[i] * info->layers;
    }
    assert_true(end_B <= adreno_gmem_caches(chip).color_B);
    assert_true(tiles->pipe_columns * tiles->pipe_rows <= chip->vsc_pipes);
    assert_int_equal(tiles->can_bin, tiles->pipe_width * tiles->pipe_height <= ADRENO_TILES_PER_PIPE);
}

/* Every tile has a pipe whose rectangle holds it, and no two have the same place. */
static void check_places(const struct adreno_tiles *tiles)
{
    uint64_t used[32] = {0};
    for (uint32_t row = 0; row < tiles->rows; row++) {
        for (uint32_t column = 0; column < tiles->columns; column++) {
            const struct adreno_tile_place place = adreno_tile_place(tiles, column, row);
            const struct adreno_pipe pipe = adreno_pipe(tiles, place.pipe);
            assert_true(place.pipe < 32 && place.slot < place.size);
            assert_true(column >= pipe.column && column < pipe.column + pipe.columns);
            assert_true(row >= pipe.row && row < pipe.row + pipe.rows);
            assert_int_equal(pipe.column + place.slot % pipe.columns, column);
            assert_int_equal(pipe.row + place.slot / pipe.columns, row);
            if (!tiles->can_bin)
                continue;
            assert_false(used[place.pipe] >> place.slot & 1);
            used[place.pipe] |= 1ull << place.slot;
        }
    }
}

static void tiles_are_within_the_limits(void **state)
{
    for (unsigned n = 0; n < 4000; n++) {
        const struct adreno_chip *chip = &adreno_chips[n % adreno_chip_count];
        struct adreno_tiles_info info = {
            .right = 1 + next(n % 3 ? 2048 : 16384),
            .bottom = 1 + next(n % 3 ? 2048 : 16384),
            .layers = 1 + (next(8) == 0 ? next(6) : 0),
            .parts = next(ADRENO_MAX_GMEM_PARTS + 1),
        };
        for (unsigned i = 0; i < info.parts; i++)
            info.part_B[i] = (uint8_t)(1u << next(6));
        const struct adreno_tiles tiles = adreno_tiles(chip, &info);
        if (!tiles.is_possible) { /* then not even the smallest tile fits */
            uint64_t least_B = 0, pixels = (uint64_t)chip->tile_align_w * chip->tile_align_h;
            for (unsigned i = 0; i < info.parts; i++) {
                while (info.layers > 1 && pixels * info.part_B[i] % ADRENO_GMEM_ALIGN_B)
                    pixels *= 2;
            }
            for (unsigned i = 0; i < info.parts; i++)
                least_B += align_u64(pixels * info.part_B[i] * info.layers, ADRENO_GMEM_ALIGN_B);
            assert_true(least_B > adreno_gmem_caches(chip).color_B);
            continue;
        }
        check_limits(chip, &info, &tiles);
        check_places(&tiles);
    }
}

/* The CCU of the 635 keeps a quarter of two times 64 KiB, that of the 618 of one. */
static void caches_have_their_part_of_gmem(void **state)
{
    const struct adreno_chip *a635 = adreno_chip_find("adreno-635"), *a618 = adreno_chip_find("adreno-618");
    assert_int_equal(adreno_gmem_caches(a635).color_B, 480 * 1024);
    assert_int_equal(adreno_gmem_caches(a618).color_B, 496 * 1024);
    assert_int_equal(adreno_gmem_caches(a635).sysmem_color_B, 128 * 1024);
    assert_int_equal(adreno_gmem_caches(a618).sysmem_color_B, 64 * 1024);
}

static void few_tiles_are_taken(void **state)
{
    const struct adreno_chip *chip = adreno_chip_find("adreno-635");
    /* A colour and a depth of 4 bytes: 61,440 pixels a tile. */
    struct adreno_tiles_info info = {.right = 1024, .bottom = 1024, .layers = 1, .parts = 2, .part_B = {4, 4}};
    struct adreno_tiles tiles = adreno_tiles(chip, &info);
    assert_true(tiles.columns * tiles.rows <= 20); /* 17.07 is the least that GMEM's size allows */
    info.right = info.bottom = 64;
    tiles = adreno_tiles(chip, &info);
    assert_int_equal(tiles.columns * tiles.rows, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_are_within_the_limits),
        cmocka_unit_test(caches_have_their_part_of_gmem),
        cmocka_unit_test(few_tiles_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
