/* See sq_move.h: lanes that are lines of memory on both sides. */
#include <string.h>

#include "amd/model/sq/sq_move.h"
#include "amd/model/sq/sq_quads.h"

#define PIECE_B 16u
#define PIECES (SQ_MOVE_LINE_B / PIECE_B) /* of a line */
#define FIND_COST 4                       /* waves */
#define MOST_CREDIT 8

/* ---- finding ---- */

/* One side: its lines in the order of memory, and the piece of them that each lane has. */
struct side {
    uint32_t line[SQ_MOVE_LINES];
    uint8_t piece[LANES_MAX]; /* of a lane */
    uint8_t lane[LANES_MAX];  /* of a piece */
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
        side->piece[side->lane[n]] = (uint8_t)n;
        side->line[n / PIECES] = line;
        side->is_aligned &= line % SQ_MOVE_LINE_B == 0;
    }
    return true;
}

/* Groups of lines of which each has one run of pieces in each line on the other side: the run's number there is the
 * line's number in the group here. */
static bool find_groups(struct sq_move_lines *out, const struct side *from, const struct side *to, unsigned lanes,
                        unsigned group)
{
    const unsigned run = PIECES / group, count = lanes / PIECES;
    uint32_t done = 0;
    unsigned at = 0;
    for (unsigned first = 0; first < count; first++) {
        if (done >> first & 1)
            continue;
        unsigned to_line[PIECES], from_line[PIECES];
        for (unsigned i = 0; i < group; i++)
            to_line[i] = to->piece[from->lane[first * PIECES + i * run]] / PIECES;
        for (unsigned i = 0; i < group; i++) {
            from_line[i] = from->piece[to->lane[to_line[0] * PIECES + i * run]] / PIECES;
            if (done >> from_line[i] & 1)
                return false;
            done |= 1u << from_line[i];
        }
        for (unsigned n = 0; n < group * PIECES; n++) {
            const unsigned f = n / PIECES, t = n % PIECES / run;
            if (to->piece[from->lane[from_line[f] * PIECES + n % PIECES]] != to_line[t] * PIECES + f * run + n % run)
                return false;
        }
        for (unsigned i = 0; i < group; i++) {
            out->from[at] = from->line[from_line[i]];
            out->to[at++] = to->line[to_line[i]];
        }
    }
    out->group = (uint8_t)group;
    return true;
}

bool amd_sq_move_lines_find(struct sq_move_lines *lines, const uint32_t *from_offset, const uint32_t *to_offset,
                            unsigned lanes)
{
    const size_t size_B = lanes * sizeof(*from_offset);
    const bool is_known =
        memcmp(lines->from_offset, from_offset, size_B) == 0 && memcmp(lines->to_offset, to_offset, size_B) == 0;
    lines->credit = (int8_t)(lines->credit < MOST_CREDIT ? lines->credit + 1 : lines->credit);
    if (is_known)
        return lines->group;
    if (lines->credit < FIND_COST)
        return false;
    lines->credit -= FIND_COST;
    memcpy(lines->from_offset, from_offset, size_B);
    memcpy(lines->to_offset, to_offset, size_B);
    lines->group = 0;
    struct side from, to;
    if (!find_side(&from, from_offset, lanes) || !find_side(&to, to_offset, lanes) ||
        !(find_groups(lines, &from, &to, lanes, PIECES) || find_groups(lines, &from, &to, lanes, PIECES / 2)))
        return false;
    lines->from_aligned = from.is_aligned;
    lines->to_aligned = to.is_aligned;
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

/* Hosts that follow few streams find no order in the lines of many rows, and are told of them a few pairs before. Others
 * do, and are only held up by being told. */
#if defined(__x86_64__)
#define TOLD_PAIRS 8
#else
#define TOLD_PAIRS 0
#endif

static inline __attribute__((always_inline)) void move(const struct sq_move_lines *lines,
                                                       const struct sq_move_pair *pair, unsigned count, unsigned group)
{
    const unsigned run = PIECES / group;
    uint8_t *const to = pair->to;
    const uint8_t *const from = pair->from;
    const uint32_t to_xor = pair->to_xor, from_xor = pair->from_xor;
    for (unsigned first = 0; first < count; first += group) {
        piece pieces[PIECES][PIECES];
        for (unsigned f = 0; f < group; f++) {
            const piece *line = (const piece *)(from + (lines->from[first + f] ^ from_xor));
            for (unsigned i = 0; i < PIECES; i++)
                pieces[f][i] = line[i];
        }
        for (unsigned t = 0; t < group; t++) {
            piece *line = (piece *)(to + (lines->to[first + t] ^ to_xor));
            for (unsigned i = 0; i < PIECES; i++)
                line[i] = pieces[i / run][t * run + i % run];
        }
    }
}

static void fetch(const struct sq_move_lines *lines, const struct sq_move_pair *pair, unsigned count)
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
            fetch(lines, &pairs[i + TOLD_PAIRS], each);
        if (lines->group == PIECES)
            move(lines, &pairs[i], each, PIECES);
        else
            move(lines, &pairs[i], each, PIECES / 2);
    }
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
