/* Elements of one, two or four dwords between memory, where an element's dwords are neighbours, and registers, where
 * those of the lanes are: four lanes at a time. Not for: where elements are (sq_global.c, td_tile.c, cb_write.c). */
#ifndef AMD_MODEL_SQ_QUADS_H
#define AMD_MODEL_SQ_QUADS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SQ_QUAD 4u
typedef uint32_t sq_quad __attribute__((vector_size(SQ_QUAD * sizeof(uint32_t))));

static inline sq_quad sq_quad_load(const void *from)
{
    sq_quad out;
    memcpy(&out, from, sizeof(out));
    return out;
}

static inline void sq_quad_store(void *to, sq_quad quad)
{
    memcpy(to, &quad, sizeof(quad));
}

static inline uint32_t sq_quad_any(sq_quad bits)
{
    uint64_t halves[2];
    memcpy(halves, &bits, sizeof(halves));
    return (halves[0] | halves[1]) != 0;
}

/* Rows become columns, which is its own inverse. */
static inline void sq_quads_transpose(sq_quad q[4])
{
    sq_quad a = __builtin_shufflevector(q[0], q[1], 0, 4, 1, 5), b = __builtin_shufflevector(q[0], q[1], 2, 6, 3, 7),
            c = __builtin_shufflevector(q[2], q[3], 0, 4, 1, 5), d = __builtin_shufflevector(q[2], q[3], 2, 6, 3, 7);
    q[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    q[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    q[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    q[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

/* Four elements at `from`, one after the other, to rows that are `stride` dwords apart. */
static inline void sq_quads_load_2(uint32_t *rows, size_t stride, const uint8_t *from)
{
    sq_quad a = sq_quad_load(from), b = sq_quad_load(from + 16);
    sq_quad_store(rows, __builtin_shufflevector(a, b, 0, 2, 4, 6));
    sq_quad_store(rows + stride, __builtin_shufflevector(a, b, 1, 3, 5, 7));
}

static inline void sq_quads_store_2(uint8_t *to, const uint32_t *x, const uint32_t *y)
{
    sq_quad a = sq_quad_load(x), b = sq_quad_load(y);
    sq_quad_store(to, __builtin_shufflevector(a, b, 0, 4, 1, 5));
    sq_quad_store(to + 16, __builtin_shufflevector(a, b, 2, 6, 3, 7));
}

static inline void sq_quads_load_4(uint32_t *rows, size_t stride, const uint8_t *const from[4])
{
    sq_quad q[4] = {sq_quad_load(from[0]), sq_quad_load(from[1]), sq_quad_load(from[2]), sq_quad_load(from[3])};
    sq_quads_transpose(q);
    for (unsigned n = 0; n < 4; n++)
        sq_quad_store(rows + n * stride, q[n]);
}

static inline void sq_quads_store_4(uint8_t *const to[4], const uint32_t *const rows[4], size_t lane)
{
    sq_quad q[4] = {sq_quad_load(rows[0] + lane), sq_quad_load(rows[1] + lane), sq_quad_load(rows[2] + lane),
                    sq_quad_load(rows[3] + lane)};
    sq_quads_transpose(q);
    for (unsigned n = 0; n < 4; n++)
        sq_quad_store(to[n], q[n]);
}

#endif
