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
#include "util/bits.h"

#define VA 0x100000000ull
#define FLAGS_B 0x10000u
#define SIZE_B 0x200000u
#define WIDTH 512u
#define HEIGHT 256u
#define ELEMENT_B 4u

struct rig {
    struct gpu_space space;
    uint8_t *memory;
    int fd; /* of it */
    struct adreno_tile tile;
    struct adreno_ubwc ubwc;
};

static int setup(void **state)
{
    struct rig *rig = calloc(1, sizeof(*rig));
    const struct gpu_extent extent = {VA, 2 * SIZE_B};
    const int fd = rig->fd = memfd_create("ubwc", 0);
    assert_int_equal(ftruncate(fd, SIZE_B), 0);
    assert_int_equal(gpu_space_init(&rig->space, &extent, 1), 0);
    assert_int_equal(gpu_space_map_file(&rig->space, VA, SIZE_B, fd, 0, GPU_PERM_READ | GPU_PERM_WRITE), 0);
    rig->memory = mmap(NULL, SIZE_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    rig->tile = adreno_tile_init(adreno_chip_find("adreno-635"), ELEMENT_B, WIDTH * ELEMENT_B);
    rig->ubwc = (struct adreno_ubwc){
        .space = &rig->space, .tile = &rig->tile, .texels_va = VA + FLAGS_B, .flags_va = VA, .flag_pitch_B = 64};
    for (uint32_t i = 0; i < SIZE_B; i++)
        rig->memory[i] = (uint8_t)(i * 7 + i / 256);
    *state = rig;
    return 0;
}

static int teardown(void **state)
{
    struct rig *rig = *state;
    munmap(rig->memory, SIZE_B);
    close(rig->fd);
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
        assert_true(adreno_ubwc_mark(&rig->ubwc, row_of(rig, row), row, 1, 2, 13, color));
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

/* Rows 3 to 10 at once, all of them or a part, with flags that follow each other and such that do not: their flags and
 * their colour, and nothing beside them. */
static void several_rows(void **state)
{
    struct rig *rig = *state;
    uint8_t color[ADRENO_UBWC_COLOR_B], *before = malloc(SIZE_B);
    for (uint32_t way = 0; way < 4; way++) {
        const uint32_t first = way & 1 ? 5 : 0, pitch_B = rig->ubwc.flag_pitch_B = way & 2 ? WIDTH / 16 : 64;
        memset(rig->memory, ADRENO_UBWC_PLAIN, FLAGS_B);
        memcpy(before, rig->memory, SIZE_B);
        set_color(color, 0xabcd + way);
        assert_true(adreno_ubwc_mark(&rig->ubwc, row_of(rig, 3), 3, 8, first, WIDTH / 32, color));
        for (uint32_t i = 0; i < FLAGS_B; i++) {
            const uint32_t row = i / pitch_B, column = i % pitch_B;
            const bool is_marked = row >= 3 * 4 && row < 11 * 4 && column >= first * 2 && column < WIDTH / 16;
            assert_int_equal(rig->memory[i], is_marked ? ADRENO_UBWC_SOLID : ADRENO_UBWC_PLAIN);
        }
        adreno_ubwc_open(&rig->ubwc, 0, 0, WIDTH / 16, HEIGHT / 4);
        for (uint32_t y = 0; y < HEIGHT; y++) {
            for (uint32_t x = 0; x < WIDTH; x++) {
                const uint64_t at_B = FLAGS_B + adreno_tile_offset_B(&rig->tile, x, y);
                const bool is_marked = y >= 3 * 16 && y < 11 * 16 && x >= first * 32;
                assert_memory_equal(rig->memory + at_B, is_marked ? color : before + at_B, ELEMENT_B);
            }
        }
    }
    free(before);
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
    assert_true(adreno_ubwc_mark(&rig->ubwc, row_of(rig, 0), 0, 1, 0, 1, color));
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
    assert_false(adreno_ubwc_mark(&rig->ubwc, row, 0, 1, 0, 4, color));
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
            uint32_t *at = (uint32_t *)(void *)(rig->memory + FLAGS_B + adreno_tile_offset_B(&rig->tile, x + 5, y + 2));
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
        assert_true(adreno_ubwc_mark(&rig->ubwc, row_of(rig, 0), 0, HEIGHT / 16, 0, WIDTH / 32, color));
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

/* ---- groups ---- */

#define WIDE 80u /* macrotiles in a row, of which 32 and 32 and 16 are groups */
#define ROWS 2u

static void make_wide(struct rig *rig)
{
    rig->tile = adreno_tile_init(adreno_chip_find("adreno-635"), ELEMENT_B, WIDE * 32 * ELEMENT_B);
    rig->ubwc.flag_pitch_B = 192;
    assert_int_equal(rig->tile.macrotile_row_B, WIDE * ADRENO_MACROTILE_B);
}

/* The macrotile has one colour from its beginning to its end. */
static void check_color(const struct rig *rig, uint32_t number, uint32_t row, uint32_t color)
{
    for (uint32_t y = row * 16; y < row * 16 + 16; y++) {
        for (uint32_t x = number * 32; x < number * 32 + 32; x++)
            assert_int_equal(texel(rig, x, y), color);
    }
}

static uint8_t *macrotile(const struct rig *rig, uint32_t number, uint32_t row)
{
    const uint64_t at_B = adreno_tile_offset_B(&rig->tile, number * 32, row * 16);
    return rig->memory + FLAGS_B + (at_B & ~(uint64_t)(ADRENO_MACROTILE_B - 1));
}

/* Without opening it, as who writes it whole does. */
static void write_whole(const struct rig *rig, uint32_t number, uint32_t row, uint32_t color)
{
    uint8_t *at = macrotile(rig, number, row);
    for (uint32_t i = 0; i < 4; i++)
        memset(rig->memory + (row * 4 + i) * 192 + number * 2, ADRENO_UBWC_PLAIN, 2);
    for (uint32_t i = 0; i < ADRENO_MACROTILE_B; i += sizeof(color))
        memcpy(at + i, &color, sizeof(color));
}

/* One mark is for 32. */
static void few_marks(void **state)
{
    struct rig *rig = *state;
    uint8_t color[ADRENO_UBWC_COLOR_B], *before = malloc(SIZE_B);
    unsigned changed = 0;
    make_wide(rig);
    set_color(color, 0x5a5a);
    memcpy(before, rig->memory, SIZE_B);
    assert_true(adreno_ubwc_mark(&rig->ubwc, row_of(rig, 1), 1, 1, 0, WIDE, color));
    for (uint32_t i = 0; i < WIDE; i++) {
        const uint8_t *at = macrotile(rig, i, 1);
        changed += memcmp(at, before + (at - rig->memory), ADRENO_MACROTILE_B) != 0;
    }
    assert_int_equal(changed, 3);
    adreno_ubwc_open_block(&rig->ubwc, 2 * 40 + 1, 4);
    check_color(rig, 40, 1, 0x5a5a);
    assert_int_equal(rig->memory[4 * 192 + 2 * 41], ADRENO_UBWC_SOLID);
    free(before);
}

/* Marks over any macrotiles of a row, such that are written over, and opened ones, beside the colours that they
 * have. */
static void groups(void **state)
{
    struct rig *rig = *state;
    uint32_t colors[ROWS][WIDE] = {{0}}, random = 1;
    make_wide(rig);
    for (uint32_t i = 0; i < ROWS * WIDE; i++)
        write_whole(rig, i % WIDE, i / WIDE, 0);
    for (uint32_t step = 1; step < 3000; step++) {
        random = random * 1664525 + 1013904223;
        const uint32_t row = random >> 31, kind = random >> 24 & 3, a = (random >> 8 & 255) % WIDE,
                       b = kind == 0 ? WIDE - 1 : (random >> 16 & 255) % WIDE,
                       first = kind == 0 && a < 20 ? 0 : MIN2(a, b), end = MAX2(a, b) + 1;
        uint8_t color[ADRENO_UBWC_COLOR_B];
        set_color(color, step);
        if (kind == 3) {
            adreno_ubwc_open_block(&rig->ubwc, 2 * a, 4 * row);
            check_color(rig, a, row, colors[row][a]);
            continue;
        }
        if (kind == 2)
            adreno_ubwc_own(&rig->ubwc, first, end, row);
        else
            assert_true(adreno_ubwc_mark(&rig->ubwc, row_of(rig, row), row, 1, first, end, color));
        for (uint32_t i = first; i < end; i++) {
            colors[row][i] = step;
            if (kind == 2)
                write_whole(rig, i, row, step);
        }
    }
    adreno_ubwc_open(&rig->ubwc, 0, 0, 2 * WIDE, 4 * ROWS);
    for (uint32_t i = 0; i < ROWS * WIDE; i++)
        check_color(rig, i % WIDE, i / WIDE, colors[i / WIDE][i % WIDE]);
}

/* Colours without opening: of groups, of what was split, and of none that is plain. */
static void colors(void **state)
{
    struct rig *rig = *state;
    uint8_t color[ADRENO_UBWC_COLOR_B], other[ADRENO_UBWC_COLOR_B], got[ADRENO_UBWC_COLOR_B];
    make_wide(rig);
    for (uint32_t i = 0; i < WIDE; i++)
        write_whole(rig, i, 0, 5);
    assert_false(adreno_ubwc_any(&rig->ubwc, 0, 2 * WIDE, 0));
    set_color(other, 8);
    assert_true(adreno_ubwc_mark(&rig->ubwc, row_of(rig, 0), 0, 1, 0, 40, other)); /* what groups leave behind */
    adreno_ubwc_own(&rig->ubwc, 1, 2, 0);
    set_color(color, 9);
    assert_true(adreno_ubwc_mark(&rig->ubwc, row_of(rig, 0), 0, 1, 0, 20, color));
    for (unsigned is_split = 0; is_split < 2; is_split++) {
        for (uint32_t i = 0; i < 40; i++) {
            assert_true(adreno_ubwc_color(&rig->ubwc, 2 * i + 1, 2, got));
            assert_memory_equal(got, i < 20 ? color : other, sizeof(got));
        }
        assert_false(adreno_ubwc_color(&rig->ubwc, 2 * 40, 0, got));
        assert_true(adreno_ubwc_any(&rig->ubwc, 2 * 39, 2 * WIDE, 3));
        assert_false(adreno_ubwc_any(&rig->ubwc, 2 * 40, 2 * WIDE, 3));
        adreno_ubwc_own(&rig->ubwc, 7, 8, 0);
    }
    adreno_ubwc_open_block(&rig->ubwc, 2 * 7, 0);
    assert_false(adreno_ubwc_color(&rig->ubwc, 2 * 7, 0, got));
    memset(rig->memory, ADRENO_UBWC_SOLID, 4 * 192); /* a flag alone says nothing */
    assert_false(adreno_ubwc_color(&rig->ubwc, 2 * 7, 0, got));
    assert_false(adreno_ubwc_color(&rig->ubwc, 2 * 40, 0, got));
}

/* Memory of which nothing is known: flags that say of some that they are plain keep those as they are. */
static void not_all_flags(void **state)
{
    struct rig *rig = *state;
    uint8_t color[ADRENO_UBWC_COLOR_B];
    make_wide(rig);
    set_color(color, 7);
    assert_true(adreno_ubwc_mark(&rig->ubwc, row_of(rig, 0), 0, 1, 0, 32, color));
    write_whole(rig, 9, 0, 1234);
    adreno_ubwc_open(&rig->ubwc, 0, 0, 64, 4);
    for (uint32_t i = 0; i < 32; i++)
        check_color(rig, i, 0, i == 9 ? 1234 : 7);
}

/* Two threads, each with every other macrotile as its own: most are written whole, others opened. */
struct half {
    struct rig *rig;
    uint32_t number;
};

static void *write_half(void *data)
{
    const struct half *half = data;
    for (uint32_t i = half->number; i < WIDE; i += 2) {
        if (i % 3) {
            adreno_ubwc_own(&half->rig->ubwc, i, i + 1, 0);
            write_whole(half->rig, i, 0, 1000 + i);
        } else {
            adreno_ubwc_open_block(&half->rig->ubwc, 2 * i, 1);
            check_color(half->rig, i, 0, 100);
        }
    }
    return NULL;
}

static void groups_at_once(void **state)
{
    struct rig *rig = *state;
    uint8_t color[ADRENO_UBWC_COLOR_B];
    make_wide(rig);
    set_color(color, 100);
    for (unsigned round = 0; round < 200; round++) {
        struct half halves[2] = {{rig, 0}, {rig, 1}};
        pthread_t threads[2];
        assert_true(adreno_ubwc_mark(&rig->ubwc, row_of(rig, 0), 0, 1, 0, WIDE, color));
        for (unsigned i = 0; i < 2; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, write_half, &halves[i]), 0);
        for (unsigned i = 0; i < 2; i++)
            pthread_join(threads[i], NULL);
        for (uint32_t i = 0; i < WIDE; i++)
            check_color(rig, i, 0, i % 3 ? 1000 + i : 100);
    }
}

/* ---- permissions ---- */

/* Who may only read finds the colour, too. Pages that are not resident stay zero. */
static void read_only(void **state)
{
    struct rig *rig = *state;
    struct adreno_ubwc reader = rig->ubwc;
    uint8_t color[ADRENO_UBWC_COLOR_B];
    set_color(color, 77);
    assert_int_equal(gpu_space_map_file(&rig->space, VA + SIZE_B, SIZE_B, rig->fd, 0, GPU_PERM_READ), 0);
    reader.texels_va += SIZE_B;
    reader.flags_va += SIZE_B;
    assert_true(adreno_ubwc_mark(&rig->ubwc, row_of(rig, 0), 0, 1, 0, WIDTH / 32, color));
    assert_false(adreno_ubwc_mark(&reader, row_of(rig, 0), 0, 1, 0, WIDTH / 32, color));
    adreno_ubwc_open_block(&reader, 6, 0);
    check_color(rig, 3, 0, 77);
    adreno_ubwc_open(&reader, 0, 0, WIDTH / 16, 4);
    for (uint32_t i = 0; i < WIDTH / 32; i++)
        check_color(rig, i, 0, 77);
    assert_null(memchr(rig->memory, ADRENO_UBWC_SOLID, WIDTH / 16));

    /* Of four rows of flags the third and fourth are another page's. */
    uint16_t flags = 1;
    reader.flag_pitch_B = rig->ubwc.flag_pitch_B = GPU_PAGE_SIZE_B / 2;
    assert_true(adreno_ubwc_mark(&rig->ubwc, row_of(rig, 0), 0, 1, 0, WIDTH / 32, color));
    assert_int_equal(gpu_space_map_resident(&rig->space, reader.flags_va + GPU_PAGE_SIZE_B, GPU_PAGE_SIZE_B), 0);
    adreno_ubwc_open_block(&reader, 6, 0);
    check_color(rig, 3, 0, 77);
    assert_int_equal(gpu_space_read(&rig->space, reader.flags_va + GPU_PAGE_SIZE_B + 6, &flags, sizeof(flags)), 2);
    assert_int_equal(flags, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(marked_and_opened, setup, teardown),
        cmocka_unit_test_setup_teardown(several_rows, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_marked, setup, teardown),
        cmocka_unit_test_setup_teardown(what_has_marks, setup, teardown),
        cmocka_unit_test_setup_teardown(not_all_mapped, setup, teardown),
        cmocka_unit_test_setup_teardown(at_once, setup, teardown),
        cmocka_unit_test_setup_teardown(few_marks, setup, teardown),
        cmocka_unit_test_setup_teardown(groups, setup, teardown),
        cmocka_unit_test_setup_teardown(colors, setup, teardown),
        cmocka_unit_test_setup_teardown(not_all_flags, setup, teardown),
        cmocka_unit_test_setup_teardown(groups_at_once, setup, teardown),
        cmocka_unit_test_setup_teardown(read_only, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
