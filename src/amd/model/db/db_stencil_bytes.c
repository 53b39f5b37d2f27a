/* db_stencil_rows.c for hosts whose vectors have 16 bytes, or that are made of such: the stencils of sixteen pixels are
 * one vector of bytes, and so are masks; only depth is four vectors. Longer vectors would fall apart to single lanes
 * there. The results are the same. */
#include "amd/model/db/db_stencil.h"

#if !defined(__AVX512F__)

typedef uint8_t bytes __attribute__((vector_size(16)));
typedef uint16_t ushort8 __attribute__((vector_size(16)));

static INLINE bytes splat_byte(unsigned value)
{
    return (bytes){0} + (uint8_t)value;
}

static INLINE bytes choose_bytes(bytes mask, bytes yes, bytes no)
{
    return (yes & mask) | (no & ~mask);
}

/* Masks, which are ones or zeros in a whole lane: from words to bytes and back. */
static INLINE bytes narrow(const int4 of[DB_ROW_QUADS])
{
    const ushort8 low = __builtin_shufflevector((ushort8)of[0], (ushort8)of[1], 0, 2, 4, 6, 8, 10, 12, 14),
                  high = __builtin_shufflevector((ushort8)of[2], (ushort8)of[3], 0, 2, 4, 6, 8, 10, 12, 14);
    return __builtin_shufflevector((bytes)low, (bytes)high, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
}

static INLINE void widen(int4 to[DB_ROW_QUADS], bytes mask)
{
    const ushort8 low = (ushort8)__builtin_shufflevector(mask, mask, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7),
                  high = (ushort8)__builtin_shufflevector(mask, mask, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14,
                                                          14, 15, 15);
    to[0] = (int4)__builtin_shufflevector(low, low, 0, 0, 1, 1, 2, 2, 3, 3);
    to[1] = (int4)__builtin_shufflevector(low, low, 4, 4, 5, 5, 6, 6, 7, 7);
    to[2] = (int4)__builtin_shufflevector(high, high, 0, 0, 1, 1, 2, 2, 3, 3);
    to[3] = (int4)__builtin_shufflevector(high, high, 4, 4, 5, 5, 6, 6, 7, 7);
}

/* ---- memory ---- */

static INLINE bytes load_stencils(uint8_t *const at[DB_ROW_QUADS])
{
    uint32_t words[DB_ROW_QUADS];
    bytes values;
    for (unsigned i = 0; i < DB_ROW_QUADS; i++)
        memcpy(&words[i], at[i], sizeof(words[i]));
    memcpy(&values, words, sizeof(values));
    return values;
}

static INLINE void store_stencils(uint8_t *const at[DB_ROW_QUADS], bytes values)
{
    uint32_t words[DB_ROW_QUADS];
    memcpy(words, &values, sizeof(words));
    for (unsigned i = 0; i < DB_ROW_QUADS; i++)
        memcpy(at[i], &words[i], sizeof(words[i]));
}

/* ---- tests ---- */

/* pixel_stencil_apply. */
static bytes apply(unsigned op, bytes value, const struct db_stencil_face *face)
{
    const bytes operand = splat_byte(face->op_value);
    switch (op) {
    case PIXEL_STENCIL_KEEP:
        return value;
    case PIXEL_STENCIL_ZERO:
        return splat_byte(0);
    case PIXEL_STENCIL_ONES:
        return splat_byte(0xff);
    case PIXEL_STENCIL_REFERENCE:
        return splat_byte(face->reference);
    case PIXEL_STENCIL_OPERAND:
        return operand;
    case PIXEL_STENCIL_ADD_CLAMP:
        return (value + operand) | (bytes)(value + operand < value);
    case PIXEL_STENCIL_SUB_CLAMP:
        return (value - operand) & (bytes)(value > operand);
    case PIXEL_STENCIL_INVERT:
        return ~value;
    case PIXEL_STENCIL_ADD_WRAP:
        return value + operand;
    case PIXEL_STENCIL_SUB_WRAP:
        return value - operand;
    default: /* the logical ones, which no API has by itself */
        for (unsigned i = 0; i < 16; i++)
            value[i] = pixel_stencil_apply(op, value[i], face->reference, face->op_value);
        return value;
    }
}

/* Depth against memory, of those that are left. Constants where it is inlined: is_unorm. */
static INLINE bytes test_depth(const struct db_test *t, bool is_unorm, uint8_t *const at[DB_ROW_QUADS],
                               const float4 z[DB_ROW_QUADS], bytes left)
{
    int4 of[DB_ROW_QUADS];
    widen(of, left);
    for (unsigned i = 0; i < DB_ROW_QUADS; i++) {
        int4 codes;
        memcpy(&codes, at[i], sizeof(codes));
        if (is_unorm) {
            of[i] = test_unorm24(t, 0, z[i], &codes, of[i]);
        } else {
            float4 stored = (float4)codes;
            of[i] = test_float(t, 0, z[i], &stored, of[i]);
            codes = (int4)stored;
        }
        if (t->write)
            memcpy(at[i], &codes, sizeof(codes));
    }
    return narrow(of);
}

void amd_db_test_stencil_row(const struct db_state *state, const struct db_test *t, const struct stencil_test *st,
                             const struct db_row *row, const float4 z[DB_ROW_QUADS], uint32_t masks[DB_ROW_QUADS])
{
    const struct db_stencil_face *face = st->face;
    bytes covered, old = splat_byte(0), pass;
    memcpy(&covered, masks, sizeof(covered)); /* a mask has a byte for a pixel */
    covered = (bytes)((covered & 1) != 0);
    bytes stencil = covered;
    if (!st->is_always) {
        const bytes reference = splat_byte((unsigned)st->reference[0]);
        old = load_stencils(row->s);
        const bytes seen = old & splat_byte((unsigned)st->mask[0]);
        stencil = covered & (((bytes)(reference < seen) & splat_byte((unsigned)st->less[0])) |
                             ((bytes)(reference == seen) & splat_byte((unsigned)st->equal[0])) |
                             ((bytes)(reference > seen) & splat_byte((unsigned)st->more[0])));
    }
    if (!state->z_test)
        pass = stencil;
    else if (state->z_format == AMD_Z_FORMAT_24)
        pass = test_depth(t, true, row->z, z, stencil);
    else
        pass = test_depth(t, false, row->z, z, stencil);
    const bytes passed = pass & 1;
    memcpy(masks, &passed, sizeof(passed));
    if (st->is_always) { /* most volumes change what is before or after them alone */
        const bytes changes = (pass & splat_byte((unsigned)st->pass_changes[0])) |
                              (covered & ~pass & splat_byte((unsigned)st->fail_changes[0]));
        if (!any_lane((int4)changes))
            return;
        old = load_stencils(row->s);
    }
    bytes value = apply(face->pass, old, face);
    if (face->depth_fail != face->pass)
        value = choose_bytes(pass, value, apply(face->depth_fail, old, face));
    if (!st->is_always && (face->fail != face->pass || face->fail != face->depth_fail))
        value = choose_bytes(stencil, value, apply(face->fail, old, face));
    store_stencils(row->s, choose_bytes(covered & splat_byte(face->write_mask), value, old));
}

#endif
