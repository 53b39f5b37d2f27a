/* db_stencil_rows.c for hosts whose vectors have 16 bytes, or that are made of such: the stencils of sixteen pixels are
 * one vector of bytes, and so are masks; only depth is four vectors. Longer vectors would fall apart to single lanes
 * there. The results are the same. */
#include "amd/model/db/db_stencil.h"
#include "model/pixel/pixel_bytes.h"

#if !DB_STENCIL_HAS_MASKS

typedef pixel_bytes bytes;

/* ---- memory ---- */

/* Constant where it is inlined: is_run, the elements of the four quads follow each other. */
static INLINE bytes load_stencils(const struct db_row *row, bool is_run)
{
    uint32_t words[DB_ROW_QUADS];
    bytes values;
    for (unsigned i = 0; i < DB_ROW_QUADS && !is_run; i++)
        memcpy(&words[i], row->s[i], sizeof(words[i]));
    memcpy(&values, is_run ? (const void *)row->s[0] : words, sizeof(values));
    return values;
}

static INLINE void store_stencils(const struct db_row *row, bool is_run, bytes values)
{
    uint32_t words[DB_ROW_QUADS];
    memcpy(is_run ? (void *)row->s[0] : words, &values, sizeof(values));
    for (unsigned i = 0; i < DB_ROW_QUADS && !is_run; i++)
        memcpy(row->s[i], &words[i], sizeof(words[i]));
}

/* ---- tests ---- */

static INLINE bytes apply_op(unsigned op, bytes value, const struct db_stencil_face *face)
{
    return pixel_bytes_apply(op, value, face->reference, face->op_value);
}

/* Depth against memory, of those that are left. Constants where it is inlined: is_unorm, function. */
static INLINE bytes test_depth(const struct db_test *t, bool is_unorm, unsigned function,
                               uint8_t *const at[DB_ROW_QUADS], const float4 z[DB_ROW_QUADS], bytes left)
{
    int4 of[DB_ROW_QUADS];
    pixel_bytes_widen(of, left);
    for (unsigned i = 0; i < DB_ROW_QUADS; i++) {
        int4 codes;
        memcpy(&codes, at[i], sizeof(codes));
        if (is_unorm) {
            of[i] = test_unorm24(t, function, z[i], &codes, of[i]);
        } else {
            float4 stored = (float4)codes;
            of[i] = test_float(t, function, z[i], &stored, of[i]);
            codes = (int4)stored;
        }
        if (t->write)
            memcpy(at[i], &codes, sizeof(codes));
    }
    return pixel_bytes_narrow(of);
}

/* A test's use of depth. */
enum depth {
    DEPTH_NONE,
    DEPTH_UNORM,
    DEPTH_FLOAT,
    DEPTH_FLOAT_LESS, /* as most volumes are tested */
};

static enum depth depth_of(const struct db_state *state)
{
    if (!state->z_test)
        return DEPTH_NONE;
    if (state->z_format == AMD_Z_FORMAT_24)
        return DEPTH_UNORM;
    return state->z_func == PIXEL_LESS ? DEPTH_FLOAT_LESS : DEPTH_FLOAT;
}

/* Pixels of `covered` that pass. Constants where it is inlined: depth, is_run. */
static INLINE bytes test_pixels(const struct db_test *t, const struct stencil_test *st, enum depth depth,
                                const struct db_row *row, bool is_run, const float4 z[DB_ROW_QUADS], bytes covered)
{
    const struct db_stencil_face *face = st->face;
    bytes old = pixel_bytes_splat(0), stencil = covered, pass;
    if (!st->is_always) {
        const bytes reference = pixel_bytes_splat((unsigned)st->reference[0]);
        old = load_stencils(row, is_run);
        const bytes seen = old & pixel_bytes_splat((unsigned)st->mask[0]);
        stencil = covered & (((bytes)(reference < seen) & pixel_bytes_splat((unsigned)st->less[0])) |
                             ((bytes)(reference == seen) & pixel_bytes_splat((unsigned)st->equal[0])) |
                             ((bytes)(reference > seen) & pixel_bytes_splat((unsigned)st->more[0])));
    }
    if (depth == DEPTH_NONE)
        pass = stencil;
    else
        pass = test_depth(t, depth == DEPTH_UNORM, depth == DEPTH_FLOAT_LESS ? PIXEL_LESS : 0, row->z, z, stencil);
    if (st->is_always) { /* most volumes change what is before or after them alone */
        const bytes changes = (pass & pixel_bytes_splat((unsigned)st->pass_changes[0])) |
                              (covered & ~pass & pixel_bytes_splat((unsigned)st->fail_changes[0]));
        if (!any_lane((int4)changes))
            return pass;
        old = load_stencils(row, is_run);
    }
    bytes value = apply_op(face->pass, old, face);
    if (face->depth_fail != face->pass)
        value = pixel_bytes_choose(pass, value, apply_op(face->depth_fail, old, face));
    if (!st->is_always && (face->fail != face->pass || face->fail != face->depth_fail))
        value = pixel_bytes_choose(stencil, value, apply_op(face->fail, old, face));
    store_stencils(row, is_run, pixel_bytes_choose(covered & pixel_bytes_splat(face->write_mask), value, old));
    return pass;
}

void amd_db_test_stencil_row(const struct db_state *state, const struct db_test *t, const struct stencil_test *st,
                             const struct db_row *row, const float4 z[DB_ROW_QUADS], uint32_t masks[DB_ROW_QUADS])
{
    bytes covered, pass;
    memcpy(&covered, masks, sizeof(covered)); /* a mask has a byte for a pixel */
    covered = (bytes)((covered & 1) != 0);
    if (!state->z_test)
        pass = test_pixels(t, st, DEPTH_NONE, row, false, z, covered);
    else if (state->z_format == AMD_Z_FORMAT_24)
        pass = test_pixels(t, st, DEPTH_UNORM, row, false, z, covered);
    else
        pass = test_pixels(t, st, DEPTH_FLOAT, row, false, z, covered);
    const bytes passed = pass & 1;
    memcpy(masks, &passed, sizeof(passed));
}

/* ---- squares ---- */

/* Pixels quad by quad: each one's bit in the byte of its row. */
static const bytes bit_of_pixel = {1, 2, 1, 2, 4, 8, 4, 8, 1, 2, 1, 2, 4, 8, 4, 8};

static INLINE bytes spread_pixels(uint32_t pixels)
{
    typedef uint32_t uint4 __attribute__((vector_size(16)));
    const bytes all = (bytes)(uint4){pixels, pixels, pixels, pixels},
                row = __builtin_shufflevector(all, all, 0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3);
    return (bytes)((row & bit_of_pixel) != 0);
}

static INLINE uint32_t collect_pixels(bytes passed)
{
    passed &= bit_of_pixel;
    uint64_t half[2];
    memcpy(half, &passed, sizeof(half));
    uint32_t pixels = 0;
    for (unsigned i = 0; i < 2; i++) {
        uint64_t quads = half[i] | half[i] >> 8; /* rows of a quad in bytes 0 and 2, 4 and 6 */
        quads |= quads >> 32;                    /* both quads */
        pixels |= (uint32_t)((quads & 0xf) | (quads >> 8 & 0xf00)) << 16 * i;
    }
    return pixels;
}

/* The sums that columns and rows of quads of a block add to the depth: depth_at of a quad is clamp_depth of their
 * sum. */
struct depths {
    float4 column[4], row[4];
};

static INLINE void make_depths(struct depths *out, const struct db_test *t, const struct db_squares *squares)
{
    for (unsigned k = 0; k < 4; k++) {
        const float step = (float)(2 * k);
        out->column[k] = t->at + t->dx * (splat(squares->x + step) + squares->place_x - t->left);
        out->row[k] = t->dy * (splat(squares->y + step) + squares->place_y - t->top);
    }
}

static INLINE uint64_t test_squares(const struct db_test *t, const struct stencil_test *st, enum depth depth,
                                    const struct db_squares *squares, uint64_t mask)
{
    uint64_t passed = 0;
    struct depths depths;
    if (depth != DEPTH_NONE)
        make_depths(&depths, t, squares);
    for (unsigned i = 0; i < DB_SQUARES; i++) {
        const uint32_t pixels = db_square_pixels(mask, i);
        if (!pixels)
            continue;
        struct db_row row = {.s = {squares->s[i]}};
        float4 z[DB_ROW_QUADS];
        for (unsigned k = 0; k < DB_ROW_QUADS && depth != DEPTH_NONE; k++) {
            row.z[k] = squares->z[i] + k * sizeof(int4);
            z[k] = clamp_depth(t, depths.column[i % 2 * 2 + k % 2] + depths.row[i / 2 * 2 + k / 2]);
        }
        const bytes pass = test_pixels(t, st, depth, &row, true, z, spread_pixels(pixels));
        passed |= (uint64_t)collect_pixels(pass) << db_square_first(i);
    }
    return passed;
}

uint64_t amd_db_test_stencil_squares(const struct db_state *state, const struct db_test *t,
                                     const struct stencil_test *st, const struct db_squares *squares, uint64_t mask)
{
    switch (depth_of(state)) {
    case DEPTH_NONE:
        return test_squares(t, st, DEPTH_NONE, squares, mask);
    case DEPTH_UNORM:
        return test_squares(t, st, DEPTH_UNORM, squares, mask);
    case DEPTH_FLOAT_LESS:
        return test_squares(t, st, DEPTH_FLOAT_LESS, squares, mask);
    default:
        return test_squares(t, st, DEPTH_FLOAT, squares, mask);
    }
}

#endif
