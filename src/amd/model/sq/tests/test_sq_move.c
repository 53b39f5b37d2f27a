/* Moves by lines (sq_move.h) beside copies of one lane after the other: rows and squares of all standard swizzles,
 * either way, with bits of addresses changed, and moves that wait. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amd/model/sq/sq_move.h"
#include "util/bits.h"
#include "util/tests/host_level_test.h"

enum {
    LANES = 64,
    PIECE_B = 16,
    ROW_B = 1088, /* no power of two */
    AREA_B = 64 << 10,
};

static uint8_t source[AREA_B], moved[AREA_B], expected[AREA_B];

/* Lanes as 16 bytes of a row, and of tiles with squares of 256 bytes: which of the four lowest bits are columns. */
static void put_lanes(uint32_t row[LANES], uint32_t tile[LANES], unsigned columns)
{
    const unsigned x_bits = columns ? 3 : 2; /* a square of one column has 16 rows */
    unsigned x = 0, y = x_bits, of[6]; /* bits of a place in the tile: the lane's, whose lowest are x */
    for (unsigned bit = 0; bit < 6; bit++) {
        const bool is_column = bit < 4 ? columns >> bit & 1 : x < x_bits;
        of[bit] = is_column ? x++ : y++;
    }
    for (unsigned lane = 0; lane < LANES; lane++) {
        row[lane] = (lane & bits_mask(x_bits)) * PIECE_B + (lane >> x_bits) * ROW_B;
        tile[lane] = 0;
        for (unsigned bit = 0; bit < 6; bit++)
            tile[lane] |= (lane >> of[bit] & 1) << (bit < 4 ? bit + 4 : bit == 4 ? 12 : 9);
    }
}

static void copy_lanes(const struct sq_move_pair *pair, const uint32_t *from, const uint32_t *to)
{
    for (unsigned i = 0; i < LANES; i++)
        memcpy(expected + (pair->to - moved) + (to[i] ^ pair->to_xor), pair->from + (from[i] ^ pair->from_xor), PIECE_B);
}

static void begin_case(void)
{
    for (unsigned i = 0; i < AREA_B; i++)
        source[i] = (uint8_t)(i * 7 + i / 251);
    memset(moved, 0, sizeof(moved));
    memset(expected, 0, sizeof(expected));
}

/* The changes leave squares whole, or not. */
static const uint32_t changes[] = {0, 0x300, 0x2c00, 0x40, 0xc0};
static const unsigned all_columns[] = {0x0, 0x4, 0x8, 0xc, 0x1, 0x3, 0x6};

static void squares_and_rows(void **state)
{
    (void)state;
    static struct sq_moves none;
    for (unsigned n = 0; n < 2 * ARRAY_SIZE(all_columns); n++) {
        const unsigned columns = all_columns[n / 2];
        const bool to_tile = n % 2, is_standard = !(columns & 3) && columns <= 0xc;
        uint32_t row[LANES], tile[LANES];
        struct sq_move_lines lines = {.credit = 8};
        put_lanes(row, tile, columns);
        const uint32_t *from = to_tile ? row : tile, *to = to_tile ? tile : row;
        assert_true(amd_sq_move_lines_find(&lines, &none, from, to, LANES));
        assert_int_equal(lines.way, !is_standard ? SQ_MOVE_BY_LINES
                                    : to_tile    ? SQ_MOVE_TO_SQUARES
                                    : columns    ? SQ_MOVE_FROM_SQUARES
                                                 : SQ_MOVE_BY_LINES);
        for (unsigned i = 0; i < ARRAY_SIZE(changes); i++) {
            const struct sq_move_pair pair = {moved + 4096, source + 8192, to_tile ? changes[i] : 0,
                                              to_tile ? 0 : changes[i]};
            assert_true(amd_sq_move_lines_fit(&lines, pair.from_xor, pair.to_xor));
            begin_case();
            copy_lanes(&pair, from, to);
            amd_sq_move_lines(&lines, &pair, 1, i % 2 ? source : NULL, LANES);
            assert_memory_equal(moved, expected, AREA_B);
        }
    }
}

/* Rows from the last one upwards are no rows of squares: a step back would be one of four gigabytes. */
static void rows_upwards(void **state)
{
    (void)state;
    static struct sq_moves none;
    for (unsigned to_tile = 0; to_tile < 2; to_tile++) {
        uint32_t row[LANES], tile[LANES];
        struct sq_move_lines lines = {.credit = 8};
        put_lanes(row, tile, 0x8);
        for (unsigned lane = 0; lane < LANES; lane++)
            row[lane] = lane % 8 * PIECE_B + (7 - lane / 8) * ROW_B;
        const uint32_t *from = to_tile ? row : tile, *to = to_tile ? tile : row;
        const struct sq_move_pair pair = {moved, source, 0, 0};
        assert_true(amd_sq_move_lines_find(&lines, &none, from, to, LANES));
        assert_int_equal(lines.way, SQ_MOVE_BY_LINES);
        begin_case();
        copy_lanes(&pair, from, to);
        amd_sq_move_lines(&lines, &pair, 1, NULL, LANES);
        assert_memory_equal(moved, expected, AREA_B);
    }
}

static void add_move(struct sq_moves *moves, const struct sq_move_lines *lines, const struct sq_move_pair *pair)
{
    struct sq_move_pair *room = amd_sq_moves_room(moves, lines, LANES);
    assert_non_null(room);
    *room = *pair;
    amd_sq_moves_add(moves, 1, NULL);
}

/* Nothing is there before it is asked for, and lines are kept as long as somebody waits. */
static void moves_that_wait(void **state)
{
    (void)state;
    struct sq_moves moves = {.may_wait = false};
    struct sq_move_lines lines = {.credit = 8};
    uint32_t row[LANES], tile[LANES];
    static const uint8_t nothing[AREA_B];
    put_lanes(row, tile, 0x4);
    begin_case();
    assert_true(amd_sq_move_lines_find(&lines, &moves, row, tile, LANES));
    struct sq_move_pair pair = {moved, source, 0, 0};
    assert_null(amd_sq_moves_room(&moves, &lines, LANES));
    moves.may_wait = true;
    for (unsigned i = 0; i < SQ_MOVES_WAVES; i++) {
        pair.to_xor = i % 4 * 0x100 ^ i / 4 * 0x2000;
        pair.from = source + i * 64;
        copy_lanes(&pair, row, tile);
        add_move(&moves, &lines, &pair);
    }
    assert_memory_equal(moved, nothing, AREA_B);
    lines.credit = 8;
    assert_true(amd_sq_move_lines_find(&lines, &moves, tile, row, LANES)); /* others: what waited is done */
    assert_memory_equal(moved, expected, AREA_B);
    amd_sq_moves_do(&moves);
    assert_memory_equal(moved, expected, AREA_B);
    amd_sq_moves_finish(&moves);
}

/* More waves than there is room for. */
static void waves_in_turn(void **state)
{
    (void)state;
    struct sq_moves moves = {.may_wait = true};
    struct sq_move_lines lines = {.credit = 8};
    uint32_t row[LANES], tile[LANES];
    put_lanes(row, tile, 0x8);
    begin_case();
    assert_true(amd_sq_move_lines_find(&lines, &moves, tile, row, LANES));
    for (unsigned i = 0; i < 3 * SQ_MOVES_WAVES / 2; i++) {
        const struct sq_move_pair pair = {moved + i * 128, source + i * 256, 0, i % 2 * 0x300};
        copy_lanes(&pair, tile, row);
        add_move(&moves, &lines, &pair);
    }
    amd_sq_moves_do(&moves);
    assert_memory_equal(moved, expected, AREA_B);
    amd_sq_moves_finish(&moves);
}

/* ---- fills ---- */

#define FILL_STORES 3

/* Stores of a wave at `to`, and what they make of the expected bytes. */
static void fill_wave(struct sq_moves *moves, const struct sq_move_fill *fill, uint32_t at_B, uint32_t value)
{
    const uint32_t piece[4] = {value, value + 1, value + 2, value + 3};
    uint8_t *to[FILL_STORES];
    for (unsigned n = 0; n < FILL_STORES; n++) {
        to[n] = moved + at_B + n * 0x4000;
        for (unsigned i = 0; i < LANES; i++)
            memcpy(expected + at_B + n * 0x4000 + fill->offset[i], piece, sizeof(piece));
    }
    amd_sq_moves_fill(moves, fill, to, FILL_STORES, piece, LANES);
}

/* They come when they are asked for, when others come or are too many, and the last ones stay. */
static void fills_that_wait(void **state)
{
    (void)state;
    struct sq_moves moves = {.may_wait = false};
    struct sq_move_fill fill = {.credit = 8};
    uint32_t row[LANES], tile[LANES];
    static uint8_t before[AREA_B];
    put_lanes(row, tile, 0x4);
    begin_case();
    assert_true(amd_sq_move_fill_find(&fill, row, LANES));
    fill_wave(&moves, &fill, 0, 5); /* it may not wait */
    assert_memory_equal(moved, expected, AREA_B);
    moves.may_wait = true;
    memcpy(before, moved, AREA_B);
    for (unsigned i = 0; i < 4; i++)
        fill_wave(&moves, &fill, i * 64, 100);
    amd_sq_moves_do_copies(&moves);
    assert_memory_equal(moved, before, AREA_B);
    fill_wave(&moves, &fill, 64, 200); /* other bytes, one wave on the place of another */
    amd_sq_moves_do(&moves);
    assert_memory_equal(moved, expected, AREA_B);
    for (unsigned i = 0; i < SQ_MOVES_FILLS + 2; i++)
        fill_wave(&moves, &fill, i % 16 * 64, 300);
    fill.credit = 8;
    assert_true(amd_sq_move_fill_find(&fill, tile, LANES)); /* what waits has its own lines */
    amd_sq_moves_do(&moves);
    assert_memory_equal(moved, expected, AREA_B);
    amd_sq_moves_finish(&moves);
}

int main(void)
{
    if (!host_level_runs())
        return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(squares_and_rows),
        cmocka_unit_test(rows_upwards),
        cmocka_unit_test(moves_that_wait),
        cmocka_unit_test(waves_in_turn),
        cmocka_unit_test(fills_that_wait),
    };
    return cmocka_run_group_tests_name("moves", tests, NULL, NULL);
}
