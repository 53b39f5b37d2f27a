/* Rows of the 2D engine that follow each other: they wait to be one range of memory, and memory is as if each had been
 * written when its packet came. */
#include "adreno/model/rb/tests/rig.h"
#include "model/workers.h"

#define ROW 4096u /* elements of 4 bytes: 16 KiB */

struct row {
    bool is_fill;
    uint32_t from, to, count; /* elements of the rig's memory */
    uint32_t color;
};

static int setup(void **state)
{
    if (rig_setup(state))
        return -1;
    struct rig *rig = *state;
    rig->gpu->workers = workers_create(2);
    return rig->gpu->workers ? 0 : -1;
}

static int teardown(void **state)
{
    struct rig *rig = *state;
    workers_destroy(rig->gpu->workers);
    return rig_teardown(state);
}

static bool blit_row(struct rig *rig, const struct row *row)
{
    SET(rig, RB_A2D_DEST_BUFFER_INFO, .COLOR_FORMAT = 48);
    rig_set_va(rig, ADRENO_REG_RB_A2D_DEST_BUFFER_BASE, MEMORY_VA + row->to * 4ull);
    SET(rig, RB_A2D_DEST_BUFFER_PITCH, .VALUE = 4 * ROW);
    SET(rig, TPL1_A2D_SRC_TEXTURE_INFO, .COLOR_FORMAT = 48);
    SET(rig, TPL1_A2D_SRC_TEXTURE_SIZE, .WIDTH = row->count, .HEIGHT = 1);
    rig_set_va(rig, ADRENO_REG_TPL1_A2D_SRC_TEXTURE_BASE, MEMORY_VA + row->from * 4ull);
    SET(rig, TPL1_A2D_SRC_TEXTURE_PITCH, .PITCH = 4 * ROW);
    SET(rig, GRAS_A2D_SRC_XMIN, .VALUE = 0);
    SET(rig, GRAS_A2D_SRC_YMIN, .VALUE = 0);
    SET(rig, GRAS_A2D_SRC_XMAX, .VALUE = (int32_t)row->count - 1);
    SET(rig, GRAS_A2D_SRC_YMAX, .VALUE = 0);
    SET(rig, GRAS_A2D_DEST_TL, .X = 0, .Y = 0);
    SET(rig, GRAS_A2D_DEST_BR, .X = row->count - 1, .Y = 0);
    if (row->is_fill)
        SET(rig, RB_A2D_BLT_CNTL, .SOLID_COLOR = true, .MASK = 15, .IFMT = ADRENO_IFMT_2D_UNORM8);
    else
        SET(rig, RB_A2D_BLT_CNTL, .MASK = 15, .IFMT = ADRENO_IFMT_2D_INT32);
    for (unsigned c = 0; c < 4; c++)
        rig->gpu->regs[ADRENO_REG_RB_A2D_CLEAR_COLOR_DW0 + c] = row->color >> 8 * c & 0xff;
    return adreno_rb_2d(rig->gpu);
}

static void apply_row(uint32_t *memory, const struct row *row)
{
    if (!row->is_fill)
        memcpy(memory + row->to, memory + row->from, row->count * 4);
    for (uint32_t i = 0; row->is_fill && i < row->count; i++)
        memory[row->to + i] = row->color;
}

static uint32_t word(const struct rig *rig, uint32_t at)
{
    uint32_t value;
    memcpy(&value, rig->memory + at * 4ull, 4);
    return value;
}

static void test_rows_wait_for_the_engine_to_be_awaited(void **state)
{
    struct rig *rig = *state;
    for (uint32_t i = 0; i < 8; i++) {
        const struct row row = {.is_fill = true, .to = i * ROW, .count = ROW, .color = 0x04030201};
        assert_true(blit_row(rig, &row));
        assert_int_equal(rig->gpu->a2d_series.size_B, (i + 1) * ROW * 4);
    }
    assert_int_equal(word(rig, 3 * ROW), 0);
    assert_true(adreno_rb_2d_finish(rig->gpu));
    assert_int_equal(rig->gpu->a2d_series.size_B, 0);
    for (uint32_t i = 0; i < 8 * ROW; i++)
        assert_int_equal(word(rig, i), 0x04030201);
    assert_int_equal(word(rig, 8 * ROW), 0);
}

/* Another colour, a gap, and a copy of what waits: each ends the series before it. */
static void test_what_is_not_the_next_row_ends_the_series(void **state)
{
    struct rig *rig = *state;
    static const struct row rows[] = {
        {.is_fill = true, .to = 0, .count = ROW, .color = 1},
        {.is_fill = true, .to = ROW, .count = ROW, .color = 2},
        {.is_fill = true, .to = 3 * ROW, .count = ROW, .color = 2},
        {.from = 3 * ROW, .to = 4 * ROW, .count = ROW},
        {.from = 4 * ROW, .to = 5 * ROW, .count = ROW}, /* reads what the row before writes */
    };
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        assert_true(blit_row(rig, &rows[i]));
        assert_int_equal(rig->gpu->a2d_series.size_B, ROW * 4);
        if (i)
            assert_int_equal(word(rig, rows[i - 1].to), i == 1 ? 1 : 2);
    }
    assert_true(adreno_rb_2d_finish(rig->gpu));
    assert_int_equal(word(rig, 5 * ROW), 2);
    assert_int_equal(word(rig, 2 * ROW), 0);
}

/* Alone on its thread the engine has nothing to wait for. */
static void test_rows_do_not_wait_without_workers(void **state)
{
    struct rig *rig = *state;
    const struct row row = {.is_fill = true, .to = 5, .count = ROW, .color = 7};
    assert_true(blit_row(rig, &row));
    assert_int_equal(rig->gpu->a2d_series.size_B, 0);
    assert_int_equal(word(rig, 5), 7);
}

/* Mostly the next row of the last one, now and then one that overlaps it, comes from it or is short. */
static struct row random_row(struct rig *rig, const struct row *last)
{
    static const uint32_t counts[] = {ROW, ROW, 1024, 1000, 3};
    struct row row = *last;
    if (rig_random(rig) % 4 == 0) {
        row = (struct row){.is_fill = rig_random(rig) % 2, .count = counts[rig_random(rig) % ARRAY_SIZE(counts)]};
        row.to = rig_random(rig) % 64 * 1024;
        row.from = rig_random(rig) % 64 * 1024;
        row.color = rig_random(rig);
    } else {
        row.to += row.count;
        row.from += row.count;
    }
    if (!row.is_fill && row.to < row.from + row.count && row.from < row.to + row.count)
        row.from = row.to + row.count;
    return row;
}

static void test_any_rows_are_as_if_written_at_once(void **state)
{
    struct rig *rig = *state;
    uint32_t *expected = malloc(MEMORY_B);
    unsigned kept = 0;
    rig_fill_random(rig, rig->memory, MEMORY_B);
    memcpy(expected, rig->memory, MEMORY_B);
    struct row row = {.count = ROW};
    for (unsigned turn = 0; turn < 2000; turn++) {
        row = random_row(rig, &row);
        if (row.to + row.count > MEMORY_B / 4 || row.from + row.count > MEMORY_B / 4)
            row = (struct row){.is_fill = true, .count = ROW, .color = turn};
        assert_true(blit_row(rig, &row));
        apply_row(expected, &row);
        kept += rig->gpu->a2d_series.size_B > row.count * 4ull;
        if (turn % 16 == 15) {
            assert_true(adreno_rb_2d_finish(rig->gpu));
            assert_memory_equal(rig->memory, expected, MEMORY_B);
        }
    }
    assert_true(kept > 200);
    free(expected);
}

static void test_memory_that_goes_while_rows_wait_is_a_fault(void **state)
{
    struct rig *rig = *state;
    const struct row row = {.is_fill = true, .count = ROW, .color = 7};
    assert_true(blit_row(rig, &row));
    assert_int_equal(gpu_space_unmap(&rig->space, MEMORY_VA, GPU_PAGE_SIZE_B, false), 0);
    assert_false(adreno_rb_2d_finish(rig->gpu));
    assert_string_equal(rig_stop, "the 2D engine: write at 0x100000000");
    assert_true(adreno_rb_2d_finish(rig->gpu)); /* said once */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_rows_wait_for_the_engine_to_be_awaited, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_is_not_the_next_row_ends_the_series, setup, teardown),
        cmocka_unit_test_setup_teardown(test_rows_do_not_wait_without_workers, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_any_rows_are_as_if_written_at_once, setup, teardown),
        cmocka_unit_test_setup_teardown(test_memory_that_goes_while_rows_wait_is_a_fault, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
