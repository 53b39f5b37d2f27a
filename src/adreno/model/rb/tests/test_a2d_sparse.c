/* The 2D engine on a destination of which some pages have no memory: what it writes there is lost, and no fault. */
#include "adreno/model/rb/tests/rig.h"

#define DST_AT 0x400000u
#define PITCH_B 16384u /* four pages of a linear row */
#define ROWS 64u
#define PAGES (PITCH_B * ROWS / GPU_PAGE_SIZE_B)
#define UNTOUCHED 0xaaaaaaaau
#define COLOR 0x04030201u

static bool has_memory(uint64_t at_B)
{
    return at_B / GPU_PAGE_SIZE_B % 3 != 1;
}

static uint64_t place_of_element(const struct rig *rig, enum adreno_TILE_MODE mode, uint32_t x, uint32_t y)
{
    const struct adreno_tile tile = adreno_tile_init(rig->gpu->chip, 4, PITCH_B);
    return mode == ADRENO_TILE_MODE_LINEAR ? y * PITCH_B + x * 4 : adreno_tile_offset_B(&tile, x, y);
}

static void set_sides(struct rig *rig, enum adreno_TILE_MODE src, enum adreno_TILE_MODE dst)
{
    SET(rig, RB_A2D_DEST_BUFFER_INFO, .COLOR_FORMAT = 48, .TILE_MODE = dst);
    rig_set_va(rig, ADRENO_REG_RB_A2D_DEST_BUFFER_BASE, MEMORY_VA + DST_AT);
    SET(rig, RB_A2D_DEST_BUFFER_PITCH, .VALUE = PITCH_B);
    SET(rig, TPL1_A2D_SRC_TEXTURE_INFO, .COLOR_FORMAT = 48, .TILE_MODE = src);
    SET(rig, TPL1_A2D_SRC_TEXTURE_SIZE, .WIDTH = PITCH_B / 4, .HEIGHT = ROWS);
    rig_set_va(rig, ADRENO_REG_TPL1_A2D_SRC_TEXTURE_BASE, MEMORY_VA);
    SET(rig, TPL1_A2D_SRC_TEXTURE_PITCH, .PITCH = PITCH_B);
    SET(rig, GRAS_A2D_SRC_XMIN, .VALUE = 0);
    SET(rig, GRAS_A2D_SRC_YMIN, .VALUE = 0);
    SET(rig, GRAS_A2D_SRC_XMAX, .VALUE = PITCH_B / 4 - 1);
    SET(rig, GRAS_A2D_SRC_YMAX, .VALUE = ROWS - 1);
    SET(rig, GRAS_A2D_DEST_TL, .X = 0, .Y = 0);
    SET(rig, GRAS_A2D_DEST_BR, .X = PITCH_B / 4 - 1, .Y = ROWS - 1);
}

/* The word that the GPU reads there, and the word of the memory that would be there if the page had any. */
static void expect_result(struct rig *rig, uint64_t at_B, uint32_t with_memory)
{
    uint32_t seen = 1, below;
    assert_int_equal(gpu_space_read(&rig->space, MEMORY_VA + DST_AT + at_B, &seen, 4), 4);
    memcpy(&below, rig->memory + DST_AT + at_B, 4);
    assert_int_equal(seen, has_memory(at_B) ? with_memory : 0);
    assert_int_equal(below, has_memory(at_B) ? with_memory : UNTOUCHED);
}

static void take_memory_away(struct rig *rig)
{
    memset(rig->memory + DST_AT, 0xaa, PITCH_B * ROWS);
    for (uint64_t page = 0; page < PAGES; page++) {
        const uint64_t at_B = page * GPU_PAGE_SIZE_B;
        if (!has_memory(at_B))
            assert_int_equal(gpu_space_map_resident(&rig->space, MEMORY_VA + DST_AT + at_B, GPU_PAGE_SIZE_B), 0);
    }
}

static void test_fills_are_lost(void **state)
{
    struct rig *rig = *state;
    static const enum adreno_TILE_MODE modes[] = {ADRENO_TILE_MODE_LINEAR, ADRENO_TILE_MODE_TILE6_3};
    for (unsigned i = 0; i < ARRAY_SIZE(modes); i++) {
        take_memory_away(rig);
        set_sides(rig, modes[i], modes[i]);
        SET(rig, RB_A2D_BLT_CNTL, .SOLID_COLOR = true, .MASK = 15, .IFMT = ADRENO_IFMT_2D_UNORM8);
        for (unsigned c = 0; c < 4; c++)
            rig->gpu->regs[ADRENO_REG_RB_A2D_CLEAR_COLOR_DW0 + c] = c + 1;
        assert_true(adreno_rb_2d(rig->gpu));
        for (uint64_t at_B = 0; at_B < PITCH_B * ROWS; at_B += 4)
            expect_result(rig, at_B, COLOR);
    }
}

/* To rows and to tiles, from both. */
static void test_copies_are_lost(void **state)
{
    struct rig *rig = *state;
    for (unsigned tiles = 0; tiles < 4; tiles++) {
        const enum adreno_TILE_MODE src = tiles & 1 ? ADRENO_TILE_MODE_TILE6_3 : ADRENO_TILE_MODE_LINEAR,
                                    dst = tiles & 2 ? ADRENO_TILE_MODE_TILE6_3 : ADRENO_TILE_MODE_LINEAR;
        take_memory_away(rig);
        rig_fill_random(rig, rig->memory, PITCH_B * ROWS);
        set_sides(rig, src, dst);
        SET(rig, RB_A2D_BLT_CNTL, .MASK = 15, .IFMT = ADRENO_IFMT_2D_INT32);
        assert_true(adreno_rb_2d(rig->gpu));
        for (uint32_t y = 0; y < ROWS; y++) {
            for (uint32_t x = 0; x < PITCH_B / 4; x++) {
                uint32_t texel;
                memcpy(&texel, rig->memory + place_of_element(rig, src, x, y), 4);
                expect_result(rig, place_of_element(rig, dst, x, y), texel);
            }
        }
    }
}

/* A page that is not even partially resident is a fault as before. */
static void test_unmapped_pages_are_faults(void **state)
{
    struct rig *rig = *state;
    take_memory_away(rig);
    assert_int_equal(gpu_space_unmap(&rig->space, MEMORY_VA + DST_AT + PITCH_B, GPU_PAGE_SIZE_B, false), 0);
    set_sides(rig, ADRENO_TILE_MODE_LINEAR, ADRENO_TILE_MODE_LINEAR);
    SET(rig, RB_A2D_BLT_CNTL, .MASK = 15, .IFMT = ADRENO_IFMT_2D_INT32);
    assert_false(adreno_rb_2d(rig->gpu));
    assert_string_equal(rig_stop, "the 2D engine: write at 0x100404000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_fills_are_lost, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_copies_are_lost, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_unmapped_pages_are_faults, rig_setup, rig_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
