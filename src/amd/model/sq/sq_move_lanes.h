/* Lanes of moves (sq_move.h), one by one: what their offsets have in common, and memory moved by them where it is no
 * lines.
 */
#ifndef AMD_MODEL_SQ_MOVE_LANES_H
#define AMD_MODEL_SQ_MOVE_LANES_H

#include <string.h>

#include "amd/model/sq/sq_quads.h"

/* The offsets of a register's lanes. */
struct pattern {
    const uint32_t *offset;
    uint32_t low, high; /* the smallest and the largest */
    uint32_t different; /* bits in which any of them differ */
    uint32_t same;      /* those of all in the other bits */
    uint32_t step_B;    /* from each lane to the next; 0: not always the same */
    bool is_known;
};

static __attribute__((noinline)) void find_pattern(struct pattern *p, const uint32_t *offset, unsigned lanes)
{
    const uint32_t step_B = offset[1] - offset[0];
    const sq_quad first = (sq_quad){0} + offset[0], count = {0, step_B, 2 * step_B, 3 * step_B};
    sq_quad low = first, high = first, different = {0}, uneven = {0};
    for (unsigned i = 0; i < lanes; i += SQ_QUAD) {
        const sq_quad here = sq_quad_load(offset + i), less = (sq_quad)(here < low), more = (sq_quad)(here > high);
        low = (here & less) | (low & ~less);
        high = (here & more) | (high & ~more);
        different |= here ^ first;
        uneven |= here ^ (count + (offset[0] + i * step_B));
    }
    for (unsigned i = 1; i < SQ_QUAD; i++) {
        low[0] = low[i] < low[0] ? low[i] : low[0];
        high[0] = high[i] > high[0] ? high[i] : high[0];
        different[0] |= different[i];
    }
    p->offset = offset;
    p->low = low[0];
    p->high = high[0];
    p->different = different[0];
    p->same = offset[0] & ~different[0];
    p->step_B = sq_quad_any(uneven) ? 0 : step_B;
    p->is_known = true;
}

/* Bits that all offsets have in common may be changed. */
static bool is_row(const struct pattern *p, uint32_t xor, uint32_t size_B)
{
    return p->step_B == size_B && !(xor&p->different);
}

/* The first byte of a row. */
static uint32_t row_start(const struct pattern *p, uint32_t xor)
{
    return p->offset[0] ^ xor;
}

/* ---- moving ---- */

/* Lanes in their order, for where two write the same bytes, the higher one's stay. Eight are in flight at a time;
 * compilers make the most of them if they have names. */
#define TAKE(n) const at v##n = *(const at *)(from + (from_offset[i + n] ^ from_xor));
#define GIVE(n) *(at *)(to + (to_offset[i + n] ^ to_xor)) = v##n;
#define MOVE(name, type)                                                                                               \
    static void name(uint8_t *restrict to, const uint32_t *restrict to_offset, uint32_t to_xor,                        \
                     const uint8_t *restrict from, const uint32_t *restrict from_offset, uint32_t from_xor,            \
                     unsigned lanes)                                                                                   \
    {                                                                                                                  \
        typedef type at __attribute__((aligned(1), may_alias));                                                        \
        for (unsigned i = 0; i < lanes; i += 8) {                                                                      \
            TAKE(0)                                                                                                    \
            TAKE(1)                                                                                                    \
            TAKE(2)                                                                                                    \
            TAKE(3) TAKE(4) TAKE(5) TAKE(6) TAKE(7) GIVE(0) GIVE(1) GIVE(2) GIVE(3) GIVE(4) GIVE(5) GIVE(6) GIVE(7)    \
        }                                                                                                              \
    }
MOVE(move_4, uint32_t)
MOVE(move_8, uint64_t)
MOVE(move_16, sq_quad)

/* Lanes out of a place where lane follows lane. */
#define SPREAD(name, type)                                                                                             \
    static void name(uint8_t *to, const uint32_t *to_offset, uint32_t to_xor, const uint32_t *from, unsigned lanes)    \
    {                                                                                                                  \
        for (unsigned i = 0; i < lanes; i++)                                                                           \
            memcpy(to + (to_offset[i] ^ to_xor), from + i * (sizeof(type) / 4), sizeof(type));                         \
    }
SPREAD(spread_4, uint32_t)
SPREAD(spread_8, uint64_t)
SPREAD(spread_16, sq_quad)

/* Whether all lanes hold the same. */
static bool are_same(const uint32_t *rows, unsigned lanes, unsigned dwords)
{
    sq_quad different = {0};
    for (unsigned n = 0; n < dwords; n++, rows += lanes) {
        const sq_quad first = (sq_quad){0} + rows[0];
        for (unsigned i = 0; i < lanes; i += SQ_QUAD)
            different |= sq_quad_load(rows + i) ^ first;
    }
    return !sq_quad_any(different);
}

#endif
