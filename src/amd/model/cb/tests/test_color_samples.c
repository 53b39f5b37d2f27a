/* Colours of four samples (and resolves of eight) with FMASK and CMASK, and with DCC: whatever is written, in blocks
 * and in quads, each sample's colour is where the metadata says. What covers 8 by 8 pixels as a whole is in fragment 0
 * alone, and so is, where FMASK is kept pixel by pixel, what covers a pixel, as the hardware leaves it: who reads
 * samples without FMASK must find out here. And resolves of such colours. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "amd/model/cb/cb.h"
#include "util/tests/host_level_test.h"

#define BASE_VA 0x100000000ull
#define SIZE_B (1u << 21)
#define RESOLVED_VA (BASE_VA + (1u << 19))
#define FMASK_VA (BASE_VA + (1u << 20))
#define CMASK_VA (BASE_VA + (3u << 19))
#define DCC_VA (BASE_VA + (7u << 18))
#define NAVI21_ADDR_CONFIG 0x444
#define SIDE 128
#define SAMPLES 4 /* but for test_resolve_eight */
#define MAX_SAMPLES 8
#define CLEARED 0x44332211u
#define UNTOUCHED 0xdeadbeefu

enum {
    CODE_CLEAR = 0x0,
    CODE_FRAGMENT_0 = 0xc,
    CODE_EXPANDED = 0xf,
    DCC_CLEAR_REG = 0x20,
    DCC_EXPANDED = 0xff,
};

struct rig {
    struct gpu_space space;
    int fd;
    uint8_t *memory;
    struct cb_surface surface, resolved;
    struct cb_meta meta;
    struct cb_state state;
    struct cb_blocks blocks[CB_TARGETS];
    struct cb cb;
    unsigned samples;
    uint32_t expected[SIDE][SIDE][MAX_SAMPLES];
};

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(*state >> 32);
}

static struct amd_surface_desc describe_surface(enum amd_swizzle swizzle, unsigned element_B, unsigned samples)
{
    return (struct amd_surface_desc){.swizzle = swizzle,
                                     .dim = AMD_DIM_2D,
                                     .width = SIDE,
                                     .height = SIDE,
                                     .slices = 1,
                                     .element_B = (uint8_t)element_B,
                                     .samples = (uint8_t)samples,
                                     .levels = 1};
}

/* Cleared: by CMASK or, with DCC, by that, with CMASK saying fragment 0. */
static void open_rig_of(struct rig *rig, unsigned samples, bool has_dcc, bool by_pixel)
{
    memset(rig, 0, sizeof(*rig));
    rig->samples = samples;
    rig->fd = memfd_create("colors", MFD_CLOEXEC);
    assert_true(rig->fd >= 0 && ftruncate(rig->fd, SIZE_B) == 0);
    rig->memory = mmap(NULL, SIZE_B, PROT_READ | PROT_WRITE, MAP_SHARED, rig->fd, 0);
    assert_true(rig->memory != MAP_FAILED);
    assert_int_equal(gpu_space_init(&rig->space, &(struct gpu_extent){BASE_VA, SIZE_B}, 1), 0);
    assert_int_equal(gpu_space_map_file(&rig->space, BASE_VA, SIZE_B, rig->fd, 0, GPU_PERM_READ | GPU_PERM_WRITE), 0);
    assert_null(amd_cb_surface_set(&rig->surface, NAVI21_ADDR_CONFIG, describe_surface(AMD_SW_64KB_R_X, 4, samples),
                                   BASE_VA, 0));
    assert_null(amd_cb_surface_set(&rig->meta.fmask, NAVI21_ADDR_CONFIG,
                                   describe_surface(AMD_SW_64KB_Z_X, amd_fmask_element_B(samples, samples), 1),
                                   FMASK_VA, 0));
    assert_true(amd_meta_init(&rig->meta.cmask, AMD_META_CMASK, &rig->meta.fmask.layout, true));
    assert_true(amd_meta_init(&rig->meta.dcc, AMD_META_DCC, &rig->surface.layout, true));
    for (uint32_t i = 0; i < SIZE_B / 2; i += 4)
        memcpy(rig->memory + i, &(uint32_t){UNTOUCHED}, 4);
    memset(rig->memory + (CMASK_VA - BASE_VA), has_dcc ? CODE_FRAGMENT_0 * 0x11 : CODE_CLEAR, DCC_VA - CMASK_VA);
    memset(rig->memory + (DCC_VA - BASE_VA), DCC_CLEAR_REG, BASE_VA + SIZE_B - DCC_VA);
    for (uint32_t i = 0; i < SIDE * SIDE * MAX_SAMPLES; i++)
        (&rig->expected[0][0][0])[i] = CLEARED;
    rig->state.used = 1;
    rig->state.targets[0] = (struct cb_target){.surface = &rig->surface,
                                               .meta = &rig->meta,
                                               .has_dcc = has_dcc,
                                               .has_fmask = true,
                                               .cmask_clears = !has_dcc,
                                               .by_pixel = by_pixel,
                                               .dcc_va = DCC_VA,
                                               .cmask_va = CMASK_VA,
                                               .element_B = 4,
                                               .codec = format_codec(FORMAT_R8G8B8A8_UNORM),
                                               .bytes4 = true,
                                               .whole = true,
                                               .samples = (uint8_t)samples,
                                               .output = CB_OUTPUT_CODES};
    memcpy(rig->state.targets[0].clear_element, &(uint32_t){CLEARED}, 4);
    assert_int_equal(amd_cb_meta_by_pixel(&rig->state.targets[0]), samples == SAMPLES);
    rig->cb = (struct cb){.state = &rig->state, .memory = &rig->space, .draw = 1, .blocks = rig->blocks};
}

static void open_rig(struct rig *rig, bool has_dcc, bool by_pixel)
{
    open_rig_of(rig, SAMPLES, has_dcc, by_pixel);
}

/* The next draw knows of no block. */
static void next_draw(struct rig *rig)
{
    rig->cb = (struct cb){.state = &rig->state, .memory = &rig->space, .draw = rig->cb.draw + 1, .blocks = rig->blocks};
}

static void close_rig(struct rig *rig)
{
    munmap(rig->memory, SIZE_B);
    gpu_space_finish(&rig->space);
    close(rig->fd);
}

/* ---- what memory and its metadata stand for ---- */

static unsigned cmask_code(const struct rig *rig, uint32_t x, uint32_t y)
{
    unsigned bit;
    const uint64_t va = CMASK_VA + amd_meta_offset(&rig->meta.cmask, x, y, 0, 0, 0, &bit);
    return rig->memory[va - BASE_VA] >> bit & 15;
}

static uint32_t fragment_at(const struct rig *rig, uint32_t x, uint32_t y, unsigned fragment)
{
    uint32_t color;
    memcpy(&color, rig->memory + (cb_surface_at(&rig->surface, x, y, 0, fragment) - BASE_VA), sizeof(color));
    return color;
}

static uint32_t seen_at(const struct rig *rig, uint32_t x, uint32_t y, unsigned sample)
{
    const unsigned code = cmask_code(rig, x, y);
    if (code == CODE_CLEAR)
        return CLEARED;
    const unsigned bits = rig->samples == 8 ? 4 : 2;
    uint32_t numbers = 0;
    memcpy(&numbers, rig->memory + (cb_surface_at(&rig->meta.fmask, x, y, 0, 0) - BASE_VA),
           rig->meta.fmask.desc.element_B);
    const unsigned fragment = code == CODE_FRAGMENT_0 ? 0 : numbers >> sample * bits & (rig->samples - 1);
    const uint64_t dcc_va = DCC_VA + amd_meta_offset(&rig->meta.dcc, x, y, 0, fragment, 0, NULL);
    assert_true(code == CODE_FRAGMENT_0 || code == CODE_EXPANDED);
    if (rig->state.targets[0].has_dcc && rig->memory[dcc_va - BASE_VA] != DCC_EXPANDED)
        return CLEARED;
    return fragment_at(rig, x, y, fragment);
}

/* All samples of 8 by 8 pixels are in fragment 0, whatever says so. */
static bool is_in_fragment_0(const struct rig *rig, uint32_t x, uint32_t y)
{
    uint8_t any = 0;
    for (unsigned i = 0; i < 64; i++)
        any |= rig->memory[cb_surface_at(&rig->meta.fmask, x + i % 8, y + i / 8, 0, 0) - BASE_VA];
    return cmask_code(rig, x, y) == CODE_FRAGMENT_0 || any == 0;
}

static void check_area(const struct rig *rig, uint32_t width, uint32_t height)
{
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            for (unsigned s = 0; s < rig->samples; s++)
                assert_int_equal(seen_at(rig, x, y, s), rig->expected[y][x][s]);
        }
    }
}

/* ---- what is written ---- */

static void write_quads(struct rig *rig, const struct raster_quad *quads, uint64_t *random, bool is_block)
{
    uint32_t codes[CB_MAX_LANES];
    for (unsigned lane = 0; lane < CB_MAX_LANES; lane++) {
        const struct raster_quad *quad = &quads[lane / 4];
        uint32_t *at = rig->expected[quad->y + lane % 4 / 2][quad->x + lane % 2];
        codes[lane] = next_random(random);
        for (unsigned s = 0; s < rig->samples; s++)
            at[s] = quad->mask >> (lane % 4 * 8 + s) & 1 ? codes[lane] : at[s];
    }
    amd_cb_write_codes(&rig->cb, 0, codes, quads, 16, is_block);
    assert_null(rig->cb.why);
    assert_int_equal(rig->cb.fault_va, 0);
}

static void write_somewhere(struct rig *rig, uint64_t *random)
{
    const struct raster_prim prim = {.layer = 0};
    const bool is_block = next_random(random) % 3 == 0;
    const uint32_t left = next_random(random) % 2 * 8, top = next_random(random) % 2 * 8, number = next_random(random);
    const uint32_t all = rig->samples == 8 ? UINT32_MAX : 0x0f0f0f0fu;
    struct raster_quad quads[16];
    for (unsigned q = 0; q < 16; q++)
        quads[q] = (struct raster_quad){.prim = &prim,
                                        .x = (uint16_t)(left + q % 4 * 2),
                                        .y = (uint16_t)(top + q / 4 * 2),
                                        .mask = is_block       ? all
                                                : number & 256 ? next_random(random) & all
                                                               : all * (number >> q % 8 & 1)};
    write_quads(rig, quads, random, is_block);
    if (is_block && rig->samples == SAMPLES)
        assert_true(is_in_fragment_0(rig, left, top));
    if (number % 8 == 0) {
        next_draw(rig);
        rig->state.targets[0].by_pixel = next_random(random) % 2 && rig->samples == SAMPLES;
    }
}

static void test_any_writes(void **state)
{
    static struct rig rig;
    uint64_t random = 5;
    (void)state;
    for (unsigned n = 0; n < 2; n++) {
        open_rig(&rig, n, n);
        check_area(&rig, SIDE, SIDE);
        for (unsigned i = 0; i < 400; i++) {
            write_somewhere(&rig, &random);
            check_area(&rig, 16, 16);
        }
        check_area(&rig, SIDE, SIDE);
        close_rig(&rig);
    }
}

/* The other fragments of a block that is written as a whole are left alone; one quad more, and each sample has its
 * own. */
static void test_fragment_0(void **state)
{
    static struct rig rig;
    uint64_t random = 9;
    const struct raster_prim prim = {.layer = 0};
    struct raster_quad quads[16];
    (void)state;
    open_rig(&rig, false, false);
    for (unsigned q = 0; q < 16; q++)
        quads[q] = (struct raster_quad){
            .prim = &prim, .x = (uint16_t)(8 + q % 4 * 2), .y = (uint16_t)(16 + q / 4 * 2), .mask = 0x0f0f0f0fu};
    write_quads(&rig, quads, &random, true);
    for (unsigned fragment = 1; fragment < SAMPLES; fragment++)
        assert_int_equal(fragment_at(&rig, 9, 17, fragment), UNTOUCHED);
    for (unsigned q = 0; q < 16; q++)
        quads[q].mask = q == 3 ? 0x00000400u : 0;
    write_quads(&rig, quads, &random, false);
    assert_int_equal(cmask_code(&rig, 8, 16), CODE_EXPANDED);
    for (unsigned fragment = 1; fragment < SAMPLES; fragment++)
        assert_int_equal(fragment_at(&rig, 9, 17, fragment), rig.expected[17][9][fragment]);
    check_area(&rig, SIDE, SIDE);
    close_rig(&rig);
}

/* Numbers as another chip would leave them, of any fragments: they become each sample's own, or 0. */
static void set_numbers(struct rig *rig, uint64_t *random)
{
    memset(rig->memory + (CMASK_VA - BASE_VA), CODE_EXPANDED * 0x11, DCC_VA - CMASK_VA);
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        const uint32_t x = i % SIDE, y = i / SIDE;
        rig->memory[cb_surface_at(&rig->meta.fmask, x, y, 0, 0) - BASE_VA] =
            (uint8_t)(next_random(random) & (x & 8 ? UINT8_MAX : 0));
        for (unsigned s = 0; s < SAMPLES; s++) {
            const uint32_t color = next_random(random);
            memcpy(rig->memory + (cb_surface_at(&rig->surface, x, y, 0, s) - BASE_VA), &color, sizeof(color));
        }
        for (unsigned s = 0; s < SAMPLES; s++)
            rig->expected[y][x][s] = seen_at(rig, x, y, s);
    }
}

static void test_any_numbers(void **state)
{
    static struct rig rig;
    uint64_t random = 3;
    (void)state;
    open_rig(&rig, false, true);
    set_numbers(&rig, &random);
    for (unsigned i = 0; i < 40; i++) {
        write_somewhere(&rig, &random);
        check_area(&rig, SIDE, SIDE);
    }
    close_rig(&rig);
}

/* A pixel that is written as a whole is in fragment 0, beside one of which some samples are. */
static void test_pixel_by_pixel(void **state)
{
    static struct rig rig;
    uint64_t random = 11;
    const struct raster_prim prim = {.layer = 0};
    struct raster_quad quads[16];
    (void)state;
    for (unsigned n = 0; n < 2; n++) {
        open_rig(&rig, n, true);
        for (unsigned q = 0; q < 16; q++)
            quads[q] = (struct raster_quad){.prim = &prim,
                                            .x = (uint16_t)(8 + q % 4 * 2),
                                            .y = (uint16_t)(16 + q / 4 * 2),
                                            .mask = q == 5 ? 0x0f000f06u : 0};
        write_quads(&rig, quads, &random, false);
        for (unsigned p = 0; p < 4; p++)
            assert_int_equal(rig.memory[cb_surface_at(&rig.meta.fmask, 10 + p % 2, 18 + p / 2, 0, 0) - BASE_VA],
                             p == 0 ? 0xe4 : 0);
        for (unsigned s = 1; s < SAMPLES; s++)
            assert_int_equal(fragment_at(&rig, 11, 18, s), UNTOUCHED);
        check_area(&rig, SIDE, SIDE);
        quads[5].mask = 0x0000000fu; /* and back again */
        write_quads(&rig, quads, &random, false);
        assert_true(is_in_fragment_0(&rig, 8, 16));
        check_area(&rig, SIDE, SIDE);
        close_rig(&rig);
    }
}

/* ---- resolves ---- */

static void check_resolved(const struct rig *rig, uint32_t width, uint32_t height)
{
    for (uint32_t i = 0; i < width * height; i++) {
        const uint32_t x = i % width, y = i / width;
        uint32_t color, mean = 0;
        memcpy(&color, rig->memory + (cb_surface_at(&rig->resolved, x, y, 0, 0) - BASE_VA), sizeof(color));
        for (unsigned c = 0; c < 32; c += 8) {
            uint32_t sum = rig->samples / 2;
            for (unsigned s = 0; s < rig->samples; s++)
                sum += rig->expected[y][x][s] >> c & 0xff;
            mean |= sum / rig->samples << c;
        }
        assert_int_equal(color, mean);
    }
}

static void resolve_samples(struct rig *rig, bool by_blocks)
{
    memset(rig->memory + (RESOLVED_VA - BASE_VA), 0, SIDE * SIDE * 4);
    rig->state.resolve = true;
    assert_true(amd_cb_resolves_blocks(&rig->state));
    for (uint32_t i = 0; i < (by_blocks ? 4 : 16 * 16); i++)
        assert_true(by_blocks ? amd_cb_resolve_block(&rig->cb, i % 2 * 8, i / 2 * 8, 0)
                              : amd_cb_resolve(&rig->cb, i % 16, i / 16, 0));
    rig->state.resolve = false;
    check_resolved(rig, 16, 16);
    check_area(rig, SIDE, SIDE);
}

static void open_resolved(struct rig *rig, enum format format)
{
    assert_null(amd_cb_surface_set(&rig->resolved, NAVI21_ADDR_CONFIG, describe_surface(AMD_SW_64KB_R_X, 4, 1),
                                   RESOLVED_VA, 0));
    rig->state.targets[0].codec = format_codec(format);
    rig->state.targets[1] = (struct cb_target){
        .surface = &rig->resolved, .element_B = 4, .codec = format_codec(format), .whole = true, .samples = 1};
    for (unsigned t = 0; t < 2; t++)
        memcpy(rig->state.targets[t].from, (const uint8_t[4]){0, 1, 2, 3}, 4);
}

static void test_resolve(void **state)
{
    static struct rig rig;
    uint64_t random = 21;
    (void)state;
    for (unsigned n = 0; n < 8; n++) {
        open_rig(&rig, n & 1, n & 2);
        open_resolved(&rig, FORMAT_R8G8B8A8_UNORM);
        if (n & 4)
            set_numbers(&rig, &random);
        for (unsigned i = 0; i < 30; i++) {
            next_draw(&rig);
            resolve_samples(&rig, i % 3);
            next_draw(&rig);
            write_somewhere(&rig, &random);
        }
        close_rig(&rig);
    }
}

/* Whose numbers have four bits: what is all in fragment 0 is read so, all else gets a fragment for each sample
 * first. */
static void test_resolve_eight(void **state)
{
    static struct rig rig;
    uint64_t random = 23;
    (void)state;
    for (unsigned n = 0; n < 2; n++) {
        open_rig_of(&rig, 8, n, false);
        open_resolved(&rig, FORMAT_R8G8B8A8_UNORM);
        for (unsigned i = 0; i < 30; i++) {
            next_draw(&rig);
            resolve_samples(&rig, i % 3);
            next_draw(&rig);
            write_somewhere(&rig, &random);
        }
        close_rig(&rig);
    }
}

/* Other numbers: blocks as pixel by pixel, which is by the format's own conversions. */
static void test_resolve_floats(void **state)
{
    static struct rig rig;
    uint8_t *resolved, one_by_one[SIDE * SIDE * 4];
    uint64_t random = 33;
    (void)state;
    open_rig(&rig, true, false);
    open_resolved(&rig, FORMAT_R8G8B8A8_SNORM);
    resolved = rig.memory + (RESOLVED_VA - BASE_VA);
    for (unsigned i = 0; i < 20; i++) {
        rig.state.targets[0].by_pixel = false;
        write_somewhere(&rig, &random);
        next_draw(&rig);
        assert_true(amd_cb_resolves_blocks(&rig.state));
        memset(resolved, 0, sizeof(one_by_one));
        for (uint32_t p = 0; p < 16 * 16; p++)
            assert_true(amd_cb_resolve(&rig.cb, p % 16, p / 16, 0));
        memcpy(one_by_one, resolved, sizeof(one_by_one));
        memset(resolved, 0, sizeof(one_by_one));
        for (uint32_t b = 0; b < 4; b++)
            assert_true(amd_cb_resolve_block(&rig.cb, b % 2 * 8, b / 2 * 8, 0));
        assert_memory_equal(one_by_one, resolved, sizeof(one_by_one));
        next_draw(&rig);
    }
    close_rig(&rig);
}

int main(void)
{
    if (!host_level_runs())
        return 0;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_any_writes),    cmocka_unit_test(test_any_numbers),
                                       cmocka_unit_test(test_fragment_0),    cmocka_unit_test(test_pixel_by_pixel),
                                       cmocka_unit_test(test_resolve),       cmocka_unit_test(test_resolve_eight),
                                       cmocka_unit_test(test_resolve_floats)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
