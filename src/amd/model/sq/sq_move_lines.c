/* See sq_move.h: lanes that are lines of memory on both sides. */
#include <stdlib.h>
#include <string.h>

#include "amd/model/sq/sq_move.h"
#include "amd/model/sq/sq_quads.h"

#define PIECE_B 16u
#define PIECES (SQ_MOVE_LINE_B / PIECE_B) /* of a line */
#define SQUARE (1u << SQ_MOVE_SQUARE_LOG2) /* pieces */
#define SQUARE_B (SQUARE * PIECE_B)
#define ROW_PIECES 8u /* of lanes that are rows of pieces, of which there are as many */
#define FIND_COST 4   /* waves */
#define MOST_CREDIT 8

/* ---- finding ---- */

/* Lanes by their places in memory. */
struct side {
    uint32_t line[SQ_MOVE_LINES];
    uint8_t lane[LANES_MAX]; /* of a piece */
    bool is_aligned;
};

/* False: there are lanes that are no part of a line, or share bytes. */
static bool find_side(struct side *side, const uint32_t *offset, unsigned lanes)
{
    for (unsigned i = 0; i < lanes; i++) {
        unsigned at = i;
        for (; at && offset[side->lane[at - 1]] > offset[i]; at--)
            side->lane[at] = side->lane[at - 1];
        side->lane[at] = (uint8_t)i;
    }
    side->is_aligned = true;
    for (unsigned n = 0; n < lanes; n++) {
        const uint32_t here = offset[side->lane[n]], line = offset[side->lane[n / PIECES * PIECES]];
        if (here != line + n % PIECES * PIECE_B ||
            (n && n % PIECES == 0 && here < offset[side->lane[n - 1]] + PIECE_B) || line > UINT32_MAX - SQ_MOVE_LINE_B)
            return false;
        side->line[n / PIECES] = line;
        side->is_aligned &= line % SQ_MOVE_LINE_B == 0;
    }
    return true;
}

static unsigned log2_columns(unsigned columns)
{
    return (unsigned)__builtin_popcount(columns);
}

/* Whether the pieces of squares, by their order in memory, are rows of as many columns as these bits say, one below the
 * other: what goes upwards would be a step of four gigabytes. */
static bool find_rows(struct sq_move_lines *out, const struct side *squares, const uint32_t *rows, unsigned lanes,
                      unsigned columns)
{
    const unsigned log2 = log2_columns(columns);
    const uint32_t row_B = rows[squares->lane[1]] - rows[squares->lane[0]];
    out->squares_aligned = true;
    for (unsigned n = 0; n < lanes / SQUARE; n++) {
        out->square[n] = squares->line[n * SQUARE / PIECES];
        out->row[n] = rows[squares->lane[n * SQUARE]];
        out->squares_aligned &= out->square[n] % SQUARE_B == 0;
        for (unsigned line = 1; line < SQUARE / PIECES; line++) {
            if (squares->line[n * SQUARE / PIECES + line] != out->square[n] + line * SQ_MOVE_LINE_B)
                return false;
        }
        for (unsigned row = 0; row < SQUARE >> log2; row++) {
            for (unsigned column = 0; column < 1u << log2; column++) {
                const unsigned piece = n * SQUARE + amd_sq_move_piece_at(row, column, columns);
                if (rows[squares->lane[piece]] != out->row[n] + (uint64_t)row * row_B + column * PIECE_B)
                    return false;
            }
        }
    }
    out->row_B = row_B;
    out->columns = (uint8_t)columns;
    return true;
}

/* Squares that are read must be side by side in rows of eight pieces, eight rows in all. */
static bool order_squares(struct sq_move_lines *lines, unsigned lanes)
{
    const unsigned log2 = log2_columns(lines->columns), wide = ROW_PIECES >> log2;
    if (!log2 || lanes != ROW_PIECES * ROW_PIECES)
        return false;
    for (unsigned i = 1; i < SQ_MOVE_SQUARES; i++) {
        for (unsigned n = i; n && lines->row[n] < lines->row[n - 1]; n--) {
            const uint32_t row = lines->row[n], square = lines->square[n];
            lines->row[n] = lines->row[n - 1];
            lines->square[n] = lines->square[n - 1];
            lines->row[n - 1] = row;
            lines->square[n - 1] = square;
        }
    }
    for (unsigned n = 0; n < SQ_MOVE_SQUARES; n++) {
        if (lines->row[n] !=
            lines->row[0] + n % wide * (PIECE_B << log2) + (uint64_t)(n / wide) * (SQUARE >> log2) * lines->row_B)
            return false;
    }
    return true;
}

/* All standard swizzles have one of these, but for the lowest bits of large elements. */
static const uint8_t square_columns[] = {0x0, 0x4, 0x8, 0xc};

static enum sq_move_way find_way(struct sq_move_lines *lines, const struct side *from, const struct side *to,
                                 unsigned lanes)
{
    for (unsigned i = 0; i < sizeof(square_columns); i++) {
        if (find_rows(lines, to, lines->from_offset, lanes, square_columns[i]))
            return SQ_MOVE_TO_SQUARES;
        if (find_rows(lines, from, lines->to_offset, lanes, square_columns[i]) && order_squares(lines, lanes))
            return SQ_MOVE_FROM_SQUARES;
    }
    return SQ_MOVE_BY_LINES;
}

static struct sq_move_bits find_bits(const uint32_t *offset, unsigned lanes)
{
    uint32_t different = 0;
    for (unsigned i = 1; i < lanes; i++)
        different |= offset[i] ^ offset[0];
    return (struct sq_move_bits){different, offset[0] & ~different};
}

bool amd_sq_move_lines_find(struct sq_move_lines *lines, struct sq_moves *moves, const uint32_t *from_offset,
                            const uint32_t *to_offset, unsigned lanes)
{
    const size_t size_B = lanes * sizeof(*from_offset);
    const bool is_known =
        memcmp(lines->from_offset, from_offset, size_B) == 0 && memcmp(lines->to_offset, to_offset, size_B) == 0;
    lines->credit = (int8_t)(lines->credit < MOST_CREDIT ? lines->credit + 1 : lines->credit);
    if (is_known)
        return lines->has_lines;
    if (lines->credit < FIND_COST)
        return false;
    lines->credit -= FIND_COST;
    lines->serial++;
    amd_sq_moves_do_copies(moves); /* these lines may be theirs */
    memcpy(lines->from_offset, from_offset, size_B);
    memcpy(lines->to_offset, to_offset, size_B);
    struct side from, to;
    lines->has_lines = find_side(&from, from_offset, lanes) && find_side(&to, to_offset, lanes);
    if (!lines->has_lines)
        return false;
    memcpy(lines->to, to.line, sizeof(lines->to));
    memcpy(lines->from, from.line, sizeof(lines->from));
    for (unsigned n = 0; n < lanes; n++)
        lines->pieces[n] = from_offset[to.lane[n]];
    lines->from_bits = find_bits(from_offset, lanes);
    lines->to_bits = find_bits(to_offset, lanes);
    lines->from_aligned = from.is_aligned;
    lines->to_aligned = to.is_aligned;
    lines->way = find_way(lines, &from, &to, lanes);
    return true;
}

bool amd_sq_move_fill_find(struct sq_move_fill *fill, const uint32_t *offset, unsigned lanes)
{
    fill->credit = (int8_t)(fill->credit < MOST_CREDIT ? fill->credit + 1 : fill->credit);
    if (memcmp(fill->offset, offset, lanes * sizeof(*offset)) == 0)
        return fill->has_lines;
    if (fill->credit < FIND_COST)
        return false;
    fill->credit -= FIND_COST;
    struct side side = {.is_aligned = false};
    memcpy(fill->offset, offset, lanes * sizeof(*offset));
    fill->has_lines = find_side(&side, offset, lanes);
    fill->is_aligned = side.is_aligned;
    memcpy(fill->line, side.line, sizeof(fill->line));
    return fill->has_lines;
}

/* ---- moving ---- */

typedef sq_quad piece __attribute__((aligned(1), may_alias));

/* Hosts that follow few streams find no order in the lines of many rows, and are told of them a few pairs before.
 * Others do, and are only held up by being told. */
#if defined(__x86_64__)
#define TOLD_PAIRS 8
#else
#define TOLD_PAIRS 0
#endif

static void move_lines(const struct sq_move_lines *lines, const struct sq_move_pair *pair, unsigned lanes)
{
    uint8_t *const to = pair->to;
    const uint8_t *const from = pair->from;
    const uint32_t to_xor = pair->to_xor, from_xor = pair->from_xor;
    for (unsigned n = 0; n < lanes; n += PIECES) {
        piece read[PIECES];
        for (unsigned i = 0; i < PIECES; i++)
            read[i] = *(const piece *)(from + (lines->pieces[n + i] ^ from_xor));
        piece *line = (piece *)(to + (lines->to[n / PIECES] ^ to_xor));
        for (unsigned i = 0; i < PIECES; i++)
            line[i] = read[i];
    }
}

static inline __attribute__((always_inline)) void
move_to_squares(const struct sq_move_lines *lines, const struct sq_move_pair *pair, unsigned lanes, unsigned columns)
{
    const unsigned log2 = log2_columns(columns);
    for (unsigned n = 0; n < lanes / SQUARE; n++) {
        const uint8_t *from = pair->from + lines->row[n];
        piece read[SQUARE];
        for (unsigned row = 0; row < SQUARE >> log2; row++, from += lines->row_B) {
            for (unsigned column = 0; column < 1u << log2; column++)
                read[amd_sq_move_piece_at(row, column, columns)] = ((const piece *)from)[column];
        }
        piece *square = (piece *)(pair->to + (lines->square[n] ^ pair->to_xor));
        for (unsigned i = 0; i < SQUARE; i++)
            square[i] = read[i];
    }
}

static inline __attribute__((always_inline)) void
move_from_squares(const struct sq_move_lines *lines, const struct sq_move_pair *pair, unsigned columns)
{
    const unsigned log2 = log2_columns(columns), wide = ROW_PIECES >> log2, high = SQUARE >> log2;
    const piece *squares[SQ_MOVE_SQUARES];
    uint8_t *to = pair->to + lines->row[0];
    for (unsigned n = 0; n < SQ_MOVE_SQUARES; n++)
        squares[n] = (const piece *)(pair->from + (lines->square[n] ^ pair->from_xor));
    for (unsigned row = 0; row < ROW_PIECES; row++, to += lines->row_B) {
        piece read[ROW_PIECES];
        for (unsigned i = 0; i < ROW_PIECES; i++)
            read[i] = squares[row / high * wide + (i >> log2)][amd_sq_move_piece_at(row % high, i % (1u << log2), columns)];
        for (unsigned i = 0; i < ROW_PIECES; i++)
            ((piece *)to)[i] = read[i];
    }
}

/* Squares stay whole where none of their bits is changed; rows may not be changed at all. */
static inline bool has_squares(const struct sq_move_lines *lines, uint32_t squares_xor, uint32_t rows_xor)
{
    return !rows_xor && squares_xor % SQUARE_B == 0 && (!squares_xor || lines->squares_aligned);
}

static void move_pair(const struct sq_move_lines *lines, const struct sq_move_pair *pair, unsigned lanes)
{
    if (lines->way == SQ_MOVE_TO_SQUARES && has_squares(lines, pair->to_xor, pair->from_xor)) {
        switch (lines->columns) {
        case 0x0:
            move_to_squares(lines, pair, lanes, 0x0);
            return;
        case 0x4:
            move_to_squares(lines, pair, lanes, 0x4);
            return;
        case 0x8:
            move_to_squares(lines, pair, lanes, 0x8);
            return;
        default:
            move_to_squares(lines, pair, lanes, 0xc);
            return;
        }
    }
    if (lines->way == SQ_MOVE_FROM_SQUARES && has_squares(lines, pair->from_xor, pair->to_xor)) {
        if (lines->columns == 0x4)
            move_from_squares(lines, pair, 0x4);
        else if (lines->columns == 0x8)
            move_from_squares(lines, pair, 0x8);
        else
            move_from_squares(lines, pair, 0xc);
        return;
    }
    move_lines(lines, pair, lanes);
}

static void fetch_lines(const struct sq_move_lines *lines, const struct sq_move_pair *pair, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        __builtin_prefetch(pair->from + (lines->from[i] ^ pair->from_xor));
}

/* Not as near as what is read now. */
static void fetch_next(const uint8_t *next, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        __builtin_prefetch(next + (size_t)i * SQ_MOVE_LINE_B, 0, 2);
}

void amd_sq_move_lines(const struct sq_move_lines *lines, const struct sq_move_pair *pairs, unsigned count,
                       const uint8_t *next, unsigned lanes)
{
    const unsigned each = lanes / PIECES;
    for (unsigned i = 0; i < count; i++) {
        if (next)
            fetch_next(next + (size_t)i * each * SQ_MOVE_LINE_B, each);
        else if (TOLD_PAIRS && i + TOLD_PAIRS < count)
            fetch_lines(lines, &pairs[i + TOLD_PAIRS], each);
        move_pair(lines, &pairs[i], lanes);
    }
}

/* ---- moves that wait ---- */

struct sq_move_pair *amd_sq_moves_room(struct sq_moves *moves, const struct sq_move_lines *lines, unsigned lanes)
{
    if (!moves->may_wait)
        return NULL;
    if (moves->wave_count == SQ_MOVES_WAVES || (moves->wave_count && moves->lines != lines))
        amd_sq_moves_do_copies(moves);
    if (!moves->pairs && !(moves->pairs = malloc(SQ_MOVES_WAVES * SQ_MOVE_LOADS * sizeof(*moves->pairs))))
        return NULL;
    moves->lines = lines;
    moves->lanes = lanes;
    return moves->pairs + (size_t)moves->wave_count * SQ_MOVE_LOADS;
}

void amd_sq_moves_add(struct sq_moves *moves, unsigned count, const uint8_t *next)
{
    moves->waves[moves->wave_count].next = next;
    moves->waves[moves->wave_count++].count = count;
}

void amd_sq_moves_do_copies(struct sq_moves *moves)
{
    for (uint32_t i = 0; i < moves->wave_count; i++)
        amd_sq_move_lines(moves->lines, moves->pairs + (size_t)i * SQ_MOVE_LOADS, moves->waves[i].count,
                          moves->waves[i].next, moves->lanes);
    moves->wave_count = 0;
}

void amd_sq_move_fill(const struct sq_move_fill *fill, uint8_t *to, uint32_t xor, const uint32_t words[4],
                      unsigned lanes)
{
    const piece value = sq_quad_load(words);
    for (unsigned i = 0; i < lanes / PIECES; i++) {
        piece *line = (piece *)(to + (fill->line[i] ^ xor));
        for (unsigned n = 0; n < PIECES; n++)
            line[n] = value;
    }
}

/* ---- fills that wait ---- */

static void do_fills(struct sq_moves_fills *fills)
{
    for (uint32_t i = 0; i < fills->wave_count; i++) {
        for (uint32_t n = 0; n < fills->store_count; n++)
            amd_sq_move_fill(&fills->lines, fills->waves[i] + fills->stores_B[n], 0, fills->piece, fills->lanes);
    }
    fills->wave_count = 0;
}

static bool are_like(const struct sq_moves_fills *fills, const struct sq_moves_fills *others)
{
    return fills->lanes == others->lanes && fills->store_count == others->store_count &&
           memcmp(fills->piece, others->piece, sizeof(fills->piece)) == 0 &&
           memcmp(fills->stores_B, others->stores_B, fills->store_count * sizeof(fills->stores_B[0])) == 0 &&
           memcmp(fills->lines.line, others->lines.line, fills->lanes / PIECES * sizeof(fills->lines.line[0])) == 0;
}

void amd_sq_moves_fill(struct sq_moves *moves, const struct sq_move_fill *fill, uint8_t *const *to, unsigned count,
                       const uint32_t piece[4], unsigned lanes)
{
    if (!moves->may_wait || (!moves->fills && !(moves->fills = calloc(1, sizeof(*moves->fills))))) {
        for (unsigned i = 0; i < count; i++)
            amd_sq_move_fill(fill, to[i], 0, piece, lanes);
        return;
    }
    struct sq_moves_fills *fills = moves->fills, mine;
    mine.lines = *fill;
    mine.lanes = lanes;
    mine.store_count = count;
    memcpy(mine.piece, piece, sizeof(mine.piece));
    for (unsigned i = 0; i < count; i++)
        mine.stores_B[i] = to[i] - to[0];
    if (fills->wave_count == SQ_MOVES_FILLS || (fills->wave_count && !are_like(fills, &mine)))
        do_fills(fills);
    if (!fills->wave_count)
        memcpy(fills, &mine, offsetof(struct sq_moves_fills, wave_count));
    memcpy(fills->stores_B, mine.stores_B, count * sizeof(mine.stores_B[0]));
    fills->waves[fills->wave_count++] = to[0];
}

void amd_sq_moves_do(struct sq_moves *moves)
{
    amd_sq_moves_do_copies(moves);
    if (moves->fills)
        do_fills(moves->fills);
}

void amd_sq_moves_finish(struct sq_moves *moves)
{
    free(moves->pairs);
    free(moves->fills);
}
