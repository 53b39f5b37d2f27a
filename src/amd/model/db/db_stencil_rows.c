/* Stencil of sixteen pixels at a time: four quads of one sample, whose elements lie side by side in both buffers, with
 * depth of 24 or 32 bits or without. Hosts whose vectors have no 64 bytes do the same in db_stencil_bytes.c. Not for the
 * rest (db_quad_stencil.c), which gives the same results. */
#include "amd/model/db/db_stencil.h"

bool amd_db_has_stencil_rows(const struct db_state *state)
{
    return !state->samples_log2 && state->s->quad_is_row && state->s->block_log2 >= 3 &&
           (!state->z_test || (state->z->quad_is_row && state->z_format != AMD_Z_FORMAT_16));
}

#if defined(__AVX512F__)

#pragma GCC diagnostic ignored "-Wpsabi" /* what takes vectors is inlined: no register of another level is meant */

typedef float float16 __attribute__((vector_size(64)));
typedef int32_t int16 __attribute__((vector_size(64)));
typedef int32_t int8 __attribute__((vector_size(32)));
typedef float float8 __attribute__((vector_size(32)));
typedef uint8_t uchar16 __attribute__((vector_size(16)));

/* ---- vectors ---- */

static INLINE int16 splat16(int32_t value)
{
    return (int16){0} + value;
}

static INLINE int16 select16(int16 mask, int16 yes, int16 no)
{
    return (yes & mask) | (no & ~mask);
}

static INLINE int16 join(const int4 of[DB_ROW_QUADS])
{
    const int8 low = __builtin_shufflevector(of[0], of[1], 0, 1, 2, 3, 4, 5, 6, 7),
               high = __builtin_shufflevector(of[2], of[3], 0, 1, 2, 3, 4, 5, 6, 7);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

static INLINE float16 join_floats(const float4 of[DB_ROW_QUADS])
{
    const float8 low = __builtin_shufflevector(of[0], of[1], 0, 1, 2, 3, 4, 5, 6, 7),
                 high = __builtin_shufflevector(of[2], of[3], 0, 1, 2, 3, 4, 5, 6, 7);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

static INLINE void divide(int4 to[DB_ROW_QUADS], int16 from)
{
    to[0] = __builtin_shufflevector(from, from, 0, 1, 2, 3);
    to[1] = __builtin_shufflevector(from, from, 4, 5, 6, 7);
    to[2] = __builtin_shufflevector(from, from, 8, 9, 10, 11);
    to[3] = __builtin_shufflevector(from, from, 12, 13, 14, 15);
}

static INLINE bool is_any(int16 bits)
{
    int4 of[DB_ROW_QUADS];
    divide(of, bits);
    return any_lane((of[0] | of[1]) | (of[2] | of[3]));
}

/* ---- memory ---- */

static INLINE int16 load_depths(uint8_t *const at[DB_ROW_QUADS])
{
    int4 of[DB_ROW_QUADS];
    for (unsigned i = 0; i < DB_ROW_QUADS; i++)
        memcpy(&of[i], at[i], sizeof(of[i]));
    return join(of);
}

static INLINE void store_depths(uint8_t *const at[DB_ROW_QUADS], int16 values)
{
    int4 of[DB_ROW_QUADS];
    divide(of, values);
    for (unsigned i = 0; i < DB_ROW_QUADS; i++)
        memcpy(at[i], &of[i], sizeof(of[i]));
}

static INLINE int16 load_stencils(uint8_t *const at[DB_ROW_QUADS])
{
    int4 words;
    for (unsigned i = 0; i < DB_ROW_QUADS; i++) {
        int32_t word;
        memcpy(&word, at[i], sizeof(word));
        words[i] = word;
    }
    return __builtin_convertvector((uchar16)words, int16);
}

static INLINE void store_stencils(uint8_t *const at[DB_ROW_QUADS], int16 values)
{
    const int4 words = (int4) __builtin_convertvector(values, uchar16);
    for (unsigned i = 0; i < DB_ROW_QUADS; i++) {
        const int32_t word = words[i];
        memcpy(at[i], &word, sizeof(word));
    }
}

/* ---- tests ---- */

/* pixel_stencil_apply; bits above the eighth mean nothing. Not inlined, and so without vectors as arguments. */
static void apply(int16 *out, unsigned op, const int16 *from, const struct db_stencil_face *face)
{
    int16 value = *from;
    const int16 operand = splat16(face->op_value);
    switch (op) {
    case PIXEL_STENCIL_KEEP:
        *out = value;
        break;
    case PIXEL_STENCIL_ZERO:
        *out = splat16(0);
        break;
    case PIXEL_STENCIL_ONES:
        *out = splat16(0xff);
        break;
    case PIXEL_STENCIL_REFERENCE:
        *out = splat16(face->reference);
        break;
    case PIXEL_STENCIL_OPERAND:
        *out = operand;
        break;
    case PIXEL_STENCIL_ADD_CLAMP:
        *out = select16(value + operand > splat16(255), splat16(255), value + operand);
        break;
    case PIXEL_STENCIL_SUB_CLAMP:
        *out = (value - operand) & (value > operand);
        break;
    case PIXEL_STENCIL_INVERT:
        *out = ~value;
        break;
    case PIXEL_STENCIL_ADD_WRAP:
        *out = value + operand;
        break;
    case PIXEL_STENCIL_SUB_WRAP:
        *out = value - operand;
        break;
    default: /* the logical ones, which no API has by itself */
        for (unsigned i = 0; i < 16; i++)
            value[i] = pixel_stencil_apply(op, (uint8_t)value[i], face->reference, face->op_value);
        *out = value;
        break;
    }
}

static INLINE int16 clamp_codes(float16 z)
{
    const float16 zero = {0}, one = zero + 1, half_way = zero + 8388608.0f;
    const float16 above = (float16)((int16)z & (z > zero)); /* NaN becomes 0 */
    const float16 product = (float16)select16(above < one, (int16)above, (int16)one) * 16777215.0f;
    return __builtin_convertvector((float16)select16(product < half_way, (int16)(product + 0.5f), (int16)product),
                                   int16);
}

/* Depth against memory, of those that are left. */
static INLINE int16 test_depth(const struct db_test *t, unsigned format, uint8_t *const at[DB_ROW_QUADS], float16 z,
                               int16 left)
{
    const int16 stored = load_depths(at), less = splat16(t->less[0]), equal = splat16(t->equal[0]),
                more = splat16(t->more[0]), always = splat16(t->always[0]);
    int16 pass, made;
    if (format == AMD_Z_FORMAT_24) {
        const int16 old = stored & 0xffffff;
        made = clamp_codes(z);
        pass = ((made < old) & less) | ((made == old) & equal) | ((made > old) & more) | always;
    } else {
        const float16 old = (float16)stored;
        made = (int16)z;
        pass = ((z < old) & less) | ((z == old) & equal) | ((z > old) & more) | always;
    }
    pass &= left;
    if (t->write)
        store_depths(at, select16(pass, made, stored));
    return pass;
}

/* Lanes of all ones where a pixel passes. */
static INLINE int16 test(const struct db_test *t, const struct stencil_test *st, const struct db_row *row, bool has_z,
                         unsigned format, float16 z, int16 covered)
{
    const struct db_stencil_face *face = st->face;
    int16 old = splat16(0), stencil = covered;
    if (!st->is_always) {
        const int16 reference = splat16(st->reference[0]);
        old = load_stencils(row->s);
        const int16 seen = old & splat16(st->mask[0]);
        stencil =
            covered & (((reference < seen) & splat16(st->less[0])) | ((reference == seen) & splat16(st->equal[0])) |
                       ((reference > seen) & splat16(st->more[0])));
    }
    const int16 pass = has_z ? test_depth(t, format, row->z, z, stencil) : stencil;
    if (st->is_always) {
        if (!is_any((pass & splat16(st->pass_changes[0])) | (covered & ~pass & splat16(st->fail_changes[0]))))
            return pass;
        old = load_stencils(row->s);
    }
    int16 value, other;
    apply(&value, face->pass, &old, face);
    if (face->depth_fail != face->pass) {
        apply(&other, face->depth_fail, &old, face);
        value = select16(pass, value, other);
    }
    if (!st->is_always && (face->fail != face->pass || face->fail != face->depth_fail)) {
        apply(&other, face->fail, &old, face);
        value = select16(stencil, value, other);
    }
    store_stencils(row->s, select16(covered & splat16(face->write_mask), value, old));
    return pass;
}

void amd_db_test_stencil_row(const struct db_state *state, const struct db_test *t, const struct stencil_test *st,
                             const struct db_row *row, const float4 z[DB_ROW_QUADS], uint32_t masks[DB_ROW_QUADS])
{
    const int4 pixel_bits = {1, 1 << 8, 1 << 16, 1 << 24};
    int4 of[DB_ROW_QUADS];
    for (unsigned i = 0; i < DB_ROW_QUADS; i++)
        of[i] = (splat_int((int32_t)masks[i]) & pixel_bits) != 0;
    const int16 covered = join(of);
    int16 pass;
    if (!state->z_test)
        pass = test(t, st, row, false, 0, (float16){0}, covered);
    else if (state->z_format == AMD_Z_FORMAT_24)
        pass = test(t, st, row, true, AMD_Z_FORMAT_24, join_floats(z), covered);
    else
        pass = test(t, st, row, true, AMD_Z_FORMAT_32_FLOAT, join_floats(z), covered);
    divide(of, pass);
    for (unsigned i = 0; i < DB_ROW_QUADS; i++)
        masks[i] = any_lane(of[i] & pixel_bits);
}

/* The masks of a square's quads, and back. */
static inline uint32_t mask_of_quad(uint32_t pixels, unsigned quad)
{
    pixels >>= quad / 2 * 16 + quad % 2 * 2;
    return ((pixels & 3) * 0x81 & 0x101) | ((pixels >> 8 & 3) * 0x81 & 0x101) << 16;
}

static inline uint32_t pixels_of_quad(uint32_t mask, unsigned quad)
{
    const uint32_t pairs = mask | mask >> 7;
    return ((pairs & 3) | (pairs >> 16 & 3) << 8) << (quad / 2 * 16 + quad % 2 * 2);
}

uint64_t amd_db_test_stencil_squares(const struct db_state *state, const struct db_test *t,
                                     const struct stencil_test *st, const struct db_squares *squares, uint64_t mask)
{
    uint64_t passed = 0;
    for (unsigned i = 0; i < DB_SQUARES; i++) {
        uint32_t pixels = db_square_pixels(mask, i), masks[DB_ROW_QUADS];
        if (!pixels)
            continue;
        struct db_row row = {.z = {NULL}};
        float4 z[DB_ROW_QUADS];
        for (unsigned k = 0; k < DB_ROW_QUADS; k++) {
            row.s[k] = squares->s[i] + k * sizeof(uint32_t);
            row.z[k] = state->z_test ? squares->z[i] + k * sizeof(int4) : NULL;
            z[k] = db_depth_in_square(t, squares, i, k);
            masks[k] = mask_of_quad(pixels, k);
        }
        amd_db_test_stencil_row(state, t, st, &row, z, masks);
        pixels = 0;
        for (unsigned k = 0; k < DB_ROW_QUADS; k++)
            pixels |= pixels_of_quad(masks[k], k);
        passed |= (uint64_t)pixels << db_square_first(i);
    }
    return passed;
}

#endif
