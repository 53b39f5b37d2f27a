/* Macrotiles of one colour: what is read after they are opened is what a plain fill would have left. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "adreno/model/ubwc/ubwc.h"

#define VA 0x100000000ull
#define FLAGS_B 0x10000u
#define SIZE_B 0x200000u
#define WIDTH 512u
#define HEIGHT 256u
#define ELEMENT_B 4u

struct rig {
    struct gpu_space space;
    uint8_t *memory;
    struct adreno_tile tile;
    struct adreno_ubwc ubwc;
};

static int setup(void **state)
{
    struct rig *rig = calloc(1, sizeof(*rig));
    const struct gpu_extent extent = {VA, 2 * SIZE_B};
    const int fd = memfd_create("ubwc", 0);
    assert_int_equal(ftruncate(fd, SIZE_B), 0);
    assert_int_equal(gpu_space_init(&rig->space, &extent, 1), 0);
    assert_int_equal(gpu_space_map_file(&rig->space, VA, SIZE_B, fd, 0, GPU_PERM_READ | GPU_PERM_WRITE), 0);
    rig->memory = mmap(NULL, SIZE_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    rig->tile = adreno_tile_init(adreno_chip_find("adreno-635"), ELEMENT_B, WIDTH * ELEMENT_B);
    rig->ubwc = (struct adreno_ubwc){.space = &rig->space,
                                     .tile = &rig->tile,
                                     .texels_va = VA + FLAGS_B,
                                     .flags_va = VA,
                                     .flag_pitch_B = 64};
    for (uint32_t i = 0; i < SIZE_B; i++)
        rig->memory[i] = (uint8_t)(i * 7 + i / 256);
    *state = rig;
    return 0;
}

static int teardown(void **state)
{
    struct rig *rig = *state;
    munmap(rig->memory, SIZE_B);
    gpu_space_finish(&rig->space);
    free(rig);
    return 0;
}

static void set_color(uint8_t color[ADRENO_UBWC_COLOR_B], uint32_t word)
{
    for (unsigned i = 0; i < ADRENO_UBWC_COLOR_B / sizeof(word); i++)
        memcpy(color + i * sizeof(word), &word, sizeof(word));
}

static uint32_t texel(const struct rig *rig, uint32_t x, uint32_t y)
{
    uint32_t word;
    memcpy(&word, rig->memory + FLAGS_B + adreno_tile_offset_B(&rig->tile, x, y), sizeof(word));
    return word;
}

static uint8_t *row_of(const struct rig *rig, uint32_t row)
{
    return rig->memory + FLAGS_B + row * rig->tile.macrotile_row_B;
}

/* Macrotiles 2 to 12 of rows 0 to 7 are marked, and some blocks of them opened: these have the colour, the others that
 * were not marked have what they had. */
static void marked_and_opened(void **state)
{
    struct rig *rig = *state;
    uint32_t before[HEIGHT][WIDTH];
    uint8_t color[ADRENO_UBWC_COLOR_B];
    for (uint32_t y = 0; y < HEIGHT; y++) {
        for (uint32_t x = 0; x < WIDTH; x++)
            before[y][x] = texel(rig, x, y);
    }
    for (uint32_t row = 0; row < 8; row++) {
        set_color(color, 0x12345600 + row);
        assert_true(adreno_ubwc_mark(&rig->ubwc, row_of(rig, row), row, 2, 13, color));
    }
    for (uint32_t row = 0; row < 8 * 4; row++) {
        for (uint32_t column = 4; column < 26; column++)
            assert_int_equal(rig->memory[row * 64 + column], ADRENO_UBWC_SOLID);
    }
    adreno_ubwc_open_block(&rig->ubwc, 5, 3); /* macrotile 2 of row 0 */
    adreno_ubwc_open_block(&rig->ubwc, 3, 3); /* not marked */
    for (uint32_t row = 0; row < 4; row++) {
        for (uint32_t column = 4; column < 26; column++)
            assert_int_equal(rig->memory[row * 64 + column], column < 6 ? ADRENO_UBWC_PLAIN : ADRENO_UBWC_SOLID);
    }
    assert_int_equal(texel(rig, 2 * 32, 0), 0x12345600);
    adreno_ubwc_open(&rig->ubwc, 0, 0, WIDTH / 16, HEIGHT / 4);
    for (uint32_t y = 0; y < HEIGHT; y++) {
        for (uint32_t x = 0; x < WIDTH; x++)
            assert_int_equal(texel(rig, x, y),
                             y < 8 * 16 && x >= 2 * 32 && x < 13 * 32 ? 0x12345600 + y / 16 : before[y][x]);
    }
    assert_null(memchr(rig->memory + 4, ADRENO_UBWC_SOLID, 26 - 4));
}

/* A flag alone says nothing, and a colour that looks like a mark is none. */
static void nothing_marked(void **state)
{
    struct rig *rig = *state;
    uint8_t color[ADRENO_UBWC_COLOR_B], *before = malloc(SIZE_B - FLAGS_B);
    memset(rig->memory, ADRENO_UBWC_SOLID, FLAGS_B);
    memcpy(before, rig->memory + FLAGS_B, SIZE_B - FLAGS_B);
    adreno_ubwc_open(&rig->ubwc, 0, 0, WIDTH / 16, HEIGHT / 4);
    assert_memory_equal(before, rig->memory + FLAGS_B, SIZE_B - FLAGS_B);
    assert_int_equal(rig->memory[0], ADRENO_UBWC_PLAIN);
    free(before);
    set_color(color, 1);
    assert_true(adreno_ubwc_is_color(color));
    assert_true(adreno_ubwc_mark(&rig->ubwc, row_of(rig, 0), 0, 0, 1, color));
    memcpy(color, rig->memory + FLAGS_B + ADRENO_UBWC_COLOR_B, sizeof(uint64_t));
    assert_false(adreno_ubwc_is_color(color));
}

static void what_has_marks(void **state)
{
    struct rig *rig = *state;
    struct adreno_ubwc other = rig->ubwc;
    assert_true(adreno_ubwc_has_marks(&rig->ubwc, 4, 4, 2));
    assert_false(adreno_ubwc_has_marks(&rig->ubwc, 4, 3, 2));
    assert_false(adreno_ubwc_has_marks(&rig->ubwc, 2, 4, 2));
    other.texels_va += 256;
    assert_false(adreno_ubwc_has_marks(&other, 4, 4, 2));
}

/* Flags without memory. */
static void not_all_mapped(void **state)
{
    struct rig *rig = *state;
    uint8_t color[ADRENO_UBWC_COLOR_B], *row = row_of(rig, 0), first = row[0];
    set_color(color, 0xabcdef);
    rig->ubwc.flags_va = VA + SIZE_B - 64;
    assert_false(adreno_ubwc_mark(&rig->ubwc, row, 0, 0, 4, color));
    assert_int_equal(row[0], first);
    rig->ubwc.flags_va = VA + SIZE_B;
    adreno_ubwc_open(&rig->ubwc, 0, 0, WIDTH / 16, HEIGHT / 4);
}

/* Two threads open the same macrotiles; who comes second must not write them once more. */
static void *open_and_write(void *data)
{
    struct rig *rig = data;
    for (uint32_t y = 0; y < HEIGHT; y += 4) {
        for (uint32_t x = 0; x < WIDTH; x += 16) {
            adreno_ubwc_open_block(&rig->ubwc, x / 16, y / 4);
            uint32_t *at =
                (uint32_t *)(void *)(rig->memory + FLAGS_B + adreno_tile_offset_B(&rig->tile, x + 5, y + 2));
            __atomic_fetch_add(at, 1, __ATOMIC_RELAXED);
        }
    }
    return NULL;
}

static void at_once(void **state)
{
    struct rig *rig = *state;
    uint8_t color[ADRENO_UBWC_COLOR_B];
    set_color(color, 100);
    for (unsigned round = 0; round < 50; round++) {
        pthread_t threads[2];
        for (uint32_t row = 0; row < HEIGHT / 16; row++)
            assert_true(adreno_ubwc_mark(&rig->ubwc, row_of(rig, row), row, 0, WIDTH / 32, color));
        for (unsigned i = 0; i < 2; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, open_and_write, rig), 0);
        for (unsigned i = 0; i < 2; i++)
            pthread_join(threads[i], NULL);
        for (uint32_t y = 0; y < HEIGHT; y++) {
            for (uint32_t x = 0; x < WIDTH; x++)
                assert_int_equal(texel(rig, x, y), 100 + (x % 16 == 5 && y % 4 == 2 ? 2 : 0));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(marked_and_opened, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_marked, setup, teardown),
        cmocka_unit_test_setup_teardown(what_has_marks, setup, teardown),
        cmocka_unit_test_setup_teardown(not_all_mapped, setup, teardown),
        cmocka_unit_test_setup_teardown(at_once, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
