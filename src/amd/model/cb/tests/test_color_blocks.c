/* Colours of elements whose blocks leave a page: 8 by 8 pixels at once and quads, beside the address of each pixel.
 * Memory is one piece of the host's, or has pages of the program's own in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "amd/model/cb/cb.h"
#include "util/bits.h"
#include "util/tests/host_level_test.h"

#define BASE_VA 0x100000000ull
#define SIZE_B (1u << 20)
#define PIECE_B (64u << 10) /* of which all of a tile is in one */
#define NAVI21_ADDR_CONFIG 0x444
#define SIDE 128
#define DCC_VA (BASE_VA + (3u << 18))

enum {
    DCC_CLEAR_REG = 0x20,
    DCC_EXPANDED = 0xff,
};

struct rig {
    struct gpu_space space;
    int fd;
    struct cb_surface surface;
    struct cb_meta meta;
    struct cb_state state;
    struct cb_blocks blocks[CB_TARGETS];
    struct cb cb;
};

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(*state >> 32);
}

/* `has_user_pages`: one in each piece. */
static void open_rig(struct rig *rig, unsigned element_B, bool has_user_pages)
{
    static _Alignas(GPU_PAGE_SIZE_B) uint8_t pages[SIZE_B / PIECE_B][GPU_PAGE_SIZE_B];
    const unsigned access = GPU_PERM_READ | GPU_PERM_WRITE;
    memset(rig, 0, sizeof(*rig));
    rig->fd = memfd_create("colors", MFD_CLOEXEC);
    assert_true(rig->fd >= 0 && ftruncate(rig->fd, SIZE_B) == 0);
    assert_int_equal(gpu_space_init(&rig->space, &(struct gpu_extent){BASE_VA, SIZE_B}, 1), 0);
    assert_int_equal(gpu_space_map_file(&rig->space, BASE_VA, SIZE_B, rig->fd, 0, access), 0);
    for (unsigned i = 0; has_user_pages && i < SIZE_B / PIECE_B; i++)
        assert_int_equal(gpu_space_map_user(&rig->space, BASE_VA + i * PIECE_B + 4 * GPU_PAGE_SIZE_B, GPU_PAGE_SIZE_B,
                                            pages[i], access),
                         0);
    const struct amd_surface_desc desc = {.swizzle = AMD_SW_64KB_R_X,
                                          .dim = AMD_DIM_2D,
                                          .width = SIDE,
                                          .height = SIDE,
                                          .slices = 1,
                                          .element_B = (uint8_t)element_B,
                                          .samples = 1,
                                          .levels = 1};
    assert_null(amd_cb_surface_set(&rig->surface, NAVI21_ADDR_CONFIG, desc, BASE_VA, 0));
    rig->state.used = 1;
    rig->state.targets[0] = (struct cb_target){.surface = &rig->surface,
                                               .element_B = (uint8_t)element_B,
                                               .whole = true,
                                               .samples = 1,
                                               .output = element_B == 8 ? CB_OUTPUT_PAIRS : CB_OUTPUT_ROWS,
                                               .is_raw = true};
    rig->cb = (struct cb){.state = &rig->state, .memory = &rig->space, .draw = 1, .blocks = rig->blocks};
}

static void close_rig(struct rig *rig)
{
    gpu_space_finish(&rig->space);
    close(rig->fd);
}

static uint8_t *pixel(const struct rig *rig, uint32_t x, uint32_t y)
{
    void *at;
    assert_int_equal(gpu_space_resolve(&rig->space, cb_surface_at(&rig->surface, x, y, 0, 0),
                                       rig->surface.desc.element_B, GPU_PERM_READ, &at),
                     GPU_ACCESS_MEMORY);
    return at;
}

static void random_rows(uint32_t rows[4][CB_MAX_LANES], uint64_t *random)
{
    for (unsigned i = 0; i < 4 * CB_MAX_LANES; i++)
        rows[i / CB_MAX_LANES][i % CB_MAX_LANES] = next_random(random);
}

/* A lane's element is at the pixel; one that was not written is not there. */
static void check_pixel(const struct rig *rig, uint32_t x, uint32_t y, const uint32_t rows[4][CB_MAX_LANES],
                        unsigned lane, bool is_written)
{
    uint32_t element[4];
    memcpy(element, pixel(rig, x, y), rig->surface.desc.element_B);
    for (unsigned i = 0; i < rig->surface.desc.element_B / 4; i++)
        assert_true((element[i] == rows[i][lane]) == is_written);
}

static void check_blocks(struct rig *rig, uint64_t *random)
{
    const unsigned b = next_random(random) % 64;
    const struct raster_tile tile = sc_tile(next_random(random) % 2, next_random(random) % 2);
    uint32_t rows[4][CB_MAX_LANES], back[2][CB_MAX_LANES];
    random_rows(rows, random);
    assert_true(amd_cb_open_blocks(&rig->cb, 0, &tile, 0, 1ull << b, false));
    amd_cb_write_raw_block(&rig->cb, 0, b, (const uint32_t(*)[CB_MAX_LANES])rows);
    for (unsigned lane = 0; lane < CB_MAX_LANES; lane++) {
        const unsigned q = lane / 4, p = lane % 4;
        check_pixel(rig, (uint32_t)tile.x + b % 8 * 8 + q % 4 * 2 + p % 2,
                    (uint32_t)tile.y + b / 8 * 8 + q / 4 * 2 + p / 2, (const uint32_t(*)[CB_MAX_LANES])rows, lane,
                    true);
    }
    if (rig->surface.desc.element_B != 8)
        return;
    amd_cb_read_pairs_block(&rig->cb, 0, b, back);
    assert_memory_equal(back, rows, sizeof(back));
}

/* Of four bytes they are codes. */
static void write_quads(struct rig *rig, uint32_t rows[4][CB_MAX_LANES], const struct raster_quad *quads, bool is_block)
{
    if (rig->surface.desc.element_B == 4)
        amd_cb_write_codes(&rig->cb, 0, rows[0], quads, 16, is_block);
    else
        amd_cb_write_raw(&rig->cb, 0, (const uint32_t(*)[CB_MAX_LANES])rows, quads, 16, is_block);
}

static bool read_quads(struct rig *rig, uint32_t rows[2][CB_MAX_LANES], const struct raster_quad *quads, bool is_block)
{
    return rig->surface.desc.element_B == 4 ? amd_cb_read_codes(&rig->cb, 0, 0, rows[0], quads, 16, is_block)
                                            : amd_cb_read_pairs(&rig->cb, 0, 0, rows, quads, 16, is_block);
}

/* Quads far from each other, of several primitives and tiles or of one tile, and those of a block in their order. */
static void check_quads(struct rig *rig, bool is_block, bool is_tile, uint64_t *random)
{
    const uint32_t tile_x = is_tile ? next_random(random) % 2 * 64 : 0,
                   tile_y = is_tile ? next_random(random) % 2 * 64 : 0, side = is_tile ? 64 : SIDE, step = side / 16;
    const uint32_t left = next_random(random) % (SIDE / 8) * 8, top = next_random(random) % (SIDE / 8) * 8;
    struct raster_prim prims[2] = {{.layer = 0}, {.layer = 0}};
    struct raster_quad quads[16];
    uint32_t rows[4][CB_MAX_LANES], back[2][CB_MAX_LANES];
    random_rows(rows, random);
    for (unsigned q = 0; q < 16; q++) {
        quads[q] = (struct raster_quad){.prim = &prims[!is_block && q > 7],
                                        .x = (uint16_t)(left + q % 4 * 2),
                                        .y = (uint16_t)(top + q / 4 * 2),
                                        .mask = is_block ? 0x01010101u : next_random(random) & 0x01010101u};
        if (!is_block) { /* all in rows of their own */
            quads[q].x = (uint16_t)(tile_x + next_random(random) % (side / 2) * 2);
            quads[q].y = (uint16_t)(tile_y + q * step + next_random(random) % (step / 2) * 2);
        }
    }
    write_quads(rig, rows, quads, is_block);
    for (unsigned lane = 0; lane < CB_MAX_LANES; lane++) {
        const struct raster_quad *quad = &quads[lane / 4];
        check_pixel(rig, quad->x + lane % 2, quad->y + lane % 4 / 2, (const uint32_t(*)[CB_MAX_LANES])rows, lane,
                    quad->mask >> lane % 4 * 8 & 1);
    }
    const unsigned size_dw = rig->surface.desc.element_B / 4;
    if (size_dw > 2)
        return;
    assert_true(read_quads(rig, back, quads, is_block));
    for (unsigned lane = 0; lane < CB_MAX_LANES; lane++) {
        for (unsigned i = 0; i < size_dw && quads[lane / 4].mask >> lane % 4 * 8 & 1; i++)
            assert_int_equal(back[i][lane], rows[i][lane]);
    }
}

static void test_wide_blocks(void **state)
{
    static struct rig rig;
    uint64_t random = 11;
    for (unsigned n = 0; n < 4; n++) {
        const bool has_user_pages = n & 1;
        const struct raster_tile first = sc_tile(0, 0);
        open_rig(&rig, n / 2 ? 16 : 8, has_user_pages);
        assert_true(rig.surface.has_wide && amd_cb_takes_blocks(&rig.state.targets[0]));
        assert_int_equal(amd_cb_reaches_blocks(&rig.cb, 0, &first, 0), !has_user_pages);
        for (unsigned i = 0; i < 200; i++) {
            if (!has_user_pages)
                check_blocks(&rig, &random);
            check_quads(&rig, i & 1, i & 2, &random);
        }
        close_rig(&rig);
    }
}

static void test_quads(void **state)
{
    static struct rig rig;
    uint64_t random = 12;
    for (unsigned n = 0; n < 2; n++) {
        open_rig(&rig, 4, n & 1);
        assert_true(rig.surface.has_tiles && !rig.surface.has_wide);
        for (unsigned i = 0; i < 200; i++)
            check_quads(&rig, i & 1, i & 2, &random);
        close_rig(&rig);
    }
}

/* Whether 256 bytes that have an element of 8 by 8 aligned pixels have one of others, pixel by pixel. */
static bool shares_units(const struct cb_surface *surface)
{
    static uint32_t owner[SIZE_B / 256]; /* + 1 */
    memset(owner, 0, sizeof(owner));
    for (uint32_t i = 0; i < SIDE * SIDE * surface->desc.samples; i++) {
        const uint32_t x = i % SIDE, y = i / SIDE % SIDE, sample = i / (SIDE * SIDE);
        const uint64_t unit = (cb_surface_at(surface, x, y, 0, sample) - BASE_VA) >> 8;
        const uint32_t own = (sample * SIDE + y / 8) * SIDE + x / 8 + 1;
        assert_true(unit < ARRAY_SIZE(owner));
        if (owner[unit] && owner[unit] != own)
            return true;
        owner[unit] = own;
    }
    return false;
}

/* A clear's codes in the metadata of 8 by 8 pixels need not come to memory when all of them are written, if that
 * metadata is theirs alone. */
static void test_units(void **state)
{
    static const enum amd_swizzle swizzles[] = {AMD_SW_64KB_R_X, AMD_SW_64KB_Z_X, AMD_SW_64KB_S, AMD_SW_64KB_D_X};
    unsigned whole = 0, shared = 0;
    for (unsigned i = 0; i < ARRAY_SIZE(swizzles) * 5 * 4; i++) {
        static struct cb_surface surface;
        const struct amd_surface_desc desc = {.swizzle = swizzles[i % ARRAY_SIZE(swizzles)],
                                              .dim = AMD_DIM_2D,
                                              .width = SIDE,
                                              .height = SIDE,
                                              .slices = 1,
                                              .element_B = (uint8_t)(1u << i / ARRAY_SIZE(swizzles) % 5),
                                              .samples = (uint8_t)(1u << i / ARRAY_SIZE(swizzles) / 5),
                                              .levels = 1};
        memset(&surface, 0, sizeof(surface));
        if (desc.element_B * desc.samples * SIDE * SIDE > SIZE_B || amd_surface_problem(&desc) ||
            amd_cb_surface_set(&surface, NAVI21_ADDR_CONFIG, desc, BASE_VA, 0) || !surface.blocks_fit)
            continue;
        assert_int_equal(surface.fills_units, !shares_units(&surface));
        *(surface.fills_units ? &whole : &shared) += 1;
    }
    assert_true(whole >= 8 && shared >= 4);
}

/* ---- tiles that were cleared ---- */

static uint8_t *code_of(const struct rig *rig, uint32_t x, uint32_t y)
{
    void *at;
    const uint64_t va = DCC_VA + amd_meta_offset(&rig->meta.dcc, x, y, 0, 0, 0, NULL);
    assert_int_equal(gpu_space_resolve(&rig->space, va, 1, GPU_PERM_READ, &at), GPU_ACCESS_MEMORY);
    return at;
}

/* All codes say that the pixels are what the clear registers hold; memory has something else. */
static void clear_rig(struct rig *rig, uint64_t *random)
{
    const unsigned element_B = rig->surface.desc.element_B;
    struct cb_target *target = &rig->state.targets[0];
    assert_true(amd_meta_init(&rig->meta.dcc, AMD_META_DCC, &rig->surface.layout, true) && rig->meta.dcc.has_equation);
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        memset(pixel(rig, i % SIDE, i / SIDE), 0xee, element_B);
        *code_of(rig, i % SIDE, i / SIDE) = DCC_CLEAR_REG;
    }
    target->meta = &rig->meta;
    target->has_dcc = true;
    target->dcc_va = DCC_VA;
    for (unsigned i = 0; i < element_B; i++)
        target->clear_element[i] = (uint8_t)(next_random(random) % 200);
}

static void write_block(struct rig *rig, unsigned b, uint32_t rows[4][CB_MAX_LANES])
{
    if (rig->surface.desc.element_B == 4)
        amd_cb_write_block(&rig->cb, 0, b, rows[0]);
    else
        amd_cb_write_raw_block(&rig->cb, 0, b, (const uint32_t(*)[CB_MAX_LANES])rows);
}

/* Some blocks of a tile, or all: overwritten, or only brought to memory. `wanted`: what all pixels are. */
static void check_some_blocks(struct rig *rig, uint8_t (*wanted)[CB_MAX_ELEMENT_B], uint64_t *random)
{
    const unsigned element_B = rig->surface.desc.element_B;
    const struct raster_tile tile = sc_tile(next_random(random) % 2, next_random(random) % 2);
    const bool kills = next_random(random) % 2;
    uint64_t blocks = next_random(random) % 4 ? (uint64_t)next_random(random) << 32 | next_random(random) : UINT64_MAX;
    blocks &= next_random(random) % 2 ? UINT64_MAX : (uint64_t)next_random(random) << 32 | next_random(random);
    if (next_random(random) % 2) /* another draw */
        rig->cb.tiles[0].is_set = false;
    assert_true(amd_cb_reaches_blocks(&rig->cb, 0, &tile, 0));
    assert_true(amd_cb_open_blocks(&rig->cb, 0, &tile, 0, blocks, kills));
    bits_foreach (blocks, b) {
        uint32_t rows[4][CB_MAX_LANES];
        random_rows(rows, random);
        if (!kills)
            write_block(rig, (unsigned)b, rows);
        for (unsigned lane = 0; lane < CB_MAX_LANES; lane++) {
            const unsigned q = lane / 4, p = lane % 4;
            const uint32_t x = (uint32_t)tile.x + (uint32_t)b % 8 * 8 + q % 4 * 2 + p % 2,
                           y = (uint32_t)tile.y + (uint32_t)b / 8 * 8 + q / 4 * 2 + p / 2;
            const uint32_t element[4] = {rows[0][lane], rows[1][lane], rows[2][lane], rows[3][lane]};
            assert_int_equal(*code_of(rig, x, y), DCC_EXPANDED);
            if (!kills)
                memcpy(wanted[y * SIDE + x], element, element_B);
        }
    }
}

/* A clear comes to memory where some of what a code speaks for stays, and never over what was written. */
static void test_cleared_tiles(void **state)
{
    static struct rig rig;
    static uint8_t wanted[SIDE * SIDE][CB_MAX_ELEMENT_B];
    uint64_t random = 14;
    for (unsigned n = 0; n < 5 * 8; n++) {
        const unsigned element_B = 1u << n % 5;
        open_rig(&rig, element_B, false);
        clear_rig(&rig, &random);
        for (uint32_t i = 0; i < SIDE * SIDE; i++)
            memcpy(wanted[i], rig.state.targets[0].clear_element, element_B);
        for (unsigned i = 0; i <= n / 5; i++)
            check_some_blocks(&rig, wanted, &random);
        for (uint32_t i = 0; i < SIDE * SIDE; i++) {
            const bool is_expanded = *code_of(&rig, i % SIDE, i / SIDE) == DCC_EXPANDED;
            assert_memory_equal(is_expanded ? pixel(&rig, i % SIDE, i / SIDE) : rig.state.targets[0].clear_element,
                                wanted[i], element_B);
        }
        close_rig(&rig);
    }
}

/* A wave ends before the first quad that lies where an earlier one of another primitive does. */
static void test_apart(void **state)
{
    static struct raster_prim prims[3];
    uint64_t random = 13;
    for (unsigned i = 0; i < 2000; i++) {
        struct raster_quad quads[16];
        const uint32_t count = 1 + next_random(&random) % 16, side = 1u << next_random(&random) % 7;
        uint32_t end = 0;
        for (uint32_t q = 0; q < 16; q++)
            quads[q] = (struct raster_quad){.prim = &prims[next_random(&random) % (i % 3 + 1)],
                                            .x = (uint16_t)(next_random(&random) % side * 2),
                                            .y = (uint16_t)(next_random(&random) % side * 2)};
        for (bool is_apart = true; is_apart && end < count; end += is_apart) {
            for (uint32_t q = 0; q < end; q++)
                is_apart &=
                    quads[q].x != quads[end].x || quads[q].y != quads[end].y || quads[q].prim == quads[end].prim;
        }
        assert_int_equal(amd_cb_count_apart(quads, count), end);
    }
}

int main(void)
{
    if (!host_level_runs())
        return 0;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_wide_blocks), cmocka_unit_test(test_quads),
                                       cmocka_unit_test(test_apart), cmocka_unit_test(test_units),
                                       cmocka_unit_test(test_cleared_tiles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
