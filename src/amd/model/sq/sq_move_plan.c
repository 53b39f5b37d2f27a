/* See sq_move_plan.h. */
#include "amd/model/sq/sq_move_plan.h"

#include <stdlib.h>
#include <string.h>

#include "amd/model/sq/sq_quads.h"

#define PIECE_B 16u
#define LINE_PIECES (SQ_MOVE_LINE_B / PIECE_B)
#define SQUARE_B 256u
#define MOST_SQUARES_B (1u << 20) /* from the first to the last */

/* ---- making ---- */

struct square {
    uint32_t row, at;
};

static int compare_rows(const void *a, const void *b)
{
    const uint32_t x = ((const struct square *)a)->row, y = ((const struct square *)b)->row;
    return (x > y) - (x < y);
}

/* By their rows. False: two are the same, or lie too far apart. */
static bool list_squares(struct sq_move_plan *plan, const struct sq_move_lines *lines, unsigned each,
                         struct square *squares)
{
    uint64_t seen[MOST_SQUARES_B / SQUARE_B / 64] = {0};
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->pair_count; i++) {
        if (plan->pairs[i].squares % SQUARE_B)
            return false;
        for (unsigned n = 0; n < each; n++, count++) {
            const uint32_t at = lines->square[n] ^ plan->pairs[i].squares, number = at / SQUARE_B;
            if (at >= MOST_SQUARES_B || (seen[number / 64] >> number % 64 & 1) ||
                __builtin_add_overflow(plan->pairs[i].rows, lines->row[n], &squares[count].row))
                return false;
            seen[number / 64] |= 1ull << number % 64;
            squares[count].at = at;
            plan->squares_bits |= at;
        }
    }
    qsort(squares, count, sizeof(*squares), compare_rows);
    return true;
}

/* Squares side by side to units, units of the same rows to strips. Places are steps of units in both directions, so
 * that no two of them share bytes unless they are the same. */
static bool take_units(struct sq_move_plan *plan, const struct square *squares, uint32_t count)
{
    const unsigned log2 = (unsigned)__builtin_popcount(plan->columns), wide = LINE_PIECES >> log2, high = 16u >> log2;
    uint64_t end_B = 0;
    plan->rows_begin_B = squares[0].row;
    for (uint32_t i = 0; i < count; i += wide) {
        const uint32_t row = squares[i].row - plan->rows_begin_B, x = row % plan->row_B, y = row / plan->row_B;
        if (x % SQ_MOVE_LINE_B || x + SQ_MOVE_LINE_B > plan->row_B || y % high || i + wide > count ||
            (i && squares[i].row == squares[i - 1].row))
            return false;
        struct sq_plan_unit *unit = &plan->units[plan->unit_count++];
        unit->row = row;
        for (unsigned n = 0; n < wide; n++) {
            unit->square[n] = squares[i + n].at;
            if (squares[i + n].row != squares[i].row + n * (PIECE_B << log2))
                return false;
        }
        if (!plan->strip_count || plan->units[plan->unit_count - 2].row / plan->row_B != y)
            plan->strip_count++;
        plan->strip_end[plan->strip_count - 1] = (uint16_t)plan->unit_count;
        end_B = squares[i].row + (uint64_t)(high - 1) * plan->row_B + SQ_MOVE_LINE_B;
    }
    plan->rows_end_B = (uint32_t)end_B;
    plan->is_dense = count * SQUARE_B == plan->squares_bits + SQUARE_B;
    return end_B <= UINT32_MAX;
}

bool amd_sq_move_plan_make(struct sq_move_plan *plan, const struct sq_move_lines *lines,
                           const struct sq_plan_pair *pairs, uint32_t count, unsigned lanes)
{
    if (plan->serial == lines->serial && plan->pair_count == count &&
        memcmp(plan->pairs, pairs, count * sizeof(*pairs)) == 0)
        return plan->is_good;
    struct square squares[SQ_PLAN_UNITS];
    const unsigned each = lanes / 16;
    plan->is_good = plan->is_dense = false;
    plan->unit_count = plan->strip_count = plan->squares_bits = 0;
    plan->serial = lines->serial;
    plan->pair_count = count;
    memcpy(plan->pairs, pairs, count * sizeof(*pairs));
    plan->to_squares = lines->way == SQ_MOVE_TO_SQUARES;
    plan->columns = lines->columns;
    plan->row_B = lines->row_B;
    if (lines->way == SQ_MOVE_BY_LINES || !lines->squares_aligned || plan->row_B < SQ_MOVE_LINE_B || !count)
        return false;
    plan->is_good = list_squares(plan, lines, each, squares) && take_units(plan, squares, count * each);
    return plan->is_good;
}

/* ---- moving ---- */

typedef sq_quad piece __attribute__((aligned(1), may_alias));

/* Four rows of a line each are whole lines of squares, too. */
static inline __attribute__((always_inline)) void move_unit(const struct sq_move_plan *plan,
                                                            const struct sq_plan_unit *unit,
                                                            const struct sq_plan_place *place, unsigned columns,
                                                            bool to_squares)
{
    const unsigned log2 = (unsigned)__builtin_popcount(columns), wide = LINE_PIECES >> log2, high = 16u >> log2;
    piece *squares[SQ_PLAN_WIDE];
    uint8_t *rows = place->rows + unit->row;
    for (unsigned n = 0; n < wide; n++) {
        squares[n] = (piece *)(place->squares + (unit->square[n] ^ place->xor));
        __asm__("" : "+r"(squares[n]));
    }
    for (unsigned first = 0; first < high; first += 4) {
        piece read[4 * LINE_PIECES], *line[4];
        for (unsigned i = 0; i < 4; i++, rows += plan->row_B) {
            line[i] = (piece *)rows;
            __asm__("" : "+r"(line[i])); /* an address, and no sum: neighbours are loaded and stored in pairs then */
        }
#pragma GCC unroll 16
        for (unsigned i = 0; i < 4 * LINE_PIECES; i++) {
            const unsigned column = to_squares ? i % LINE_PIECES : i / 4, row = to_squares ? i / LINE_PIECES : i % 4,
                           at = amd_sq_move_piece_at(first + row, column % (1u << log2), columns);
            read[row * LINE_PIECES + column] = to_squares ? line[row][column] : squares[column >> log2][at];
        }
#pragma GCC unroll 16
        for (unsigned i = 0; i < 4 * LINE_PIECES; i++) {
            const unsigned column = to_squares ? i / 4 : i % LINE_PIECES, row = to_squares ? i % 4 : i / LINE_PIECES,
                           at = amd_sq_move_piece_at(first + row, column % (1u << log2), columns);
            *(to_squares ? &squares[column >> log2][at] : &line[row][column]) = read[row * LINE_PIECES + column];
        }
    }
}

static inline __attribute__((always_inline)) void
move_to(const struct sq_move_plan *plan, const struct sq_plan_place *places, uint32_t count, unsigned columns)
{
    for (uint32_t strip = 0, begin = 0; strip < plan->strip_count; begin = plan->strip_end[strip++]) {
        for (uint32_t i = 0; i < count; i++) {
            for (uint32_t n = begin; n < plan->strip_end[strip]; n++)
                move_unit(plan, &plan->units[n], &places[i], columns, true);
        }
    }
}

/* Not as near as what is read now. It need not be there. */
static inline void fetch_lines(const uint8_t *next, unsigned lines)
{
    for (unsigned i = 0; i < lines; i++)
        __builtin_prefetch(next + (size_t)i * SQ_MOVE_LINE_B, 0, 2);
}

static inline __attribute__((always_inline)) void
move_from(const struct sq_move_plan *plan, const struct sq_plan_place *places, uint32_t count, unsigned columns)
{
    const unsigned lines = 16u >> (unsigned)__builtin_popcount(columns); /* of a unit */
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *next = i + 1 < count
                                  ? places[i + 1].squares
                                  : (const uint8_t *)((uintptr_t)places[i].squares + plan->squares_bits + SQUARE_B);
        for (uint32_t n = 0; n < plan->unit_count; n++) {
            if (plan->is_dense)
                fetch_lines((const uint8_t *)((uintptr_t)next + (size_t)n * lines * SQ_MOVE_LINE_B), lines);
            move_unit(plan, &plan->units[n], &places[i], columns, false);
        }
    }
}

void amd_sq_move_plan_do(const struct sq_move_plan *plan, const struct sq_plan_place *places, uint32_t count)
{
#define EITHER_WAY(columns)                                                                                            \
    case columns:                                                                                                      \
        if (plan->to_squares)                                                                                          \
            move_to(plan, places, count, columns);                                                                     \
        else                                                                                                           \
            move_from(plan, places, count, columns);                                                                   \
        return;
    switch (plan->columns) {
        EITHER_WAY(0x0)
        EITHER_WAY(0x4)
        EITHER_WAY(0x8)
    default:
        EITHER_WAY(0xc)
    }
#undef EITHER_WAY
}
