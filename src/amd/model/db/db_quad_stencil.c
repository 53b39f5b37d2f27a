/* Stencil of quads four pixels at a time, with the depth test of the same sample or without: nothing exported, no
 * bounds. Not for the rest (db_test.c), which gives the same results. */
#include "amd/model/db/db_stencil.h"
#include "model/pixel/pixel_bytes.h"

typedef uint8_t uchar4 __attribute__((vector_size(4)));

static void make_stencil(struct stencil_test *t, const struct db_stencil_face *face)
{
    t->face = face;
    t->mask = splat_int(face->mask);
    t->reference = splat_int(face->reference & face->mask);
    t->less = splat_int(-(int32_t)(face->function & 1));
    t->equal = splat_int(-(int32_t)(face->function >> 1 & 1));
    t->more = splat_int(-(int32_t)(face->function >> 2 & 1));
    t->is_always = face->function == PIXEL_ALWAYS;
    t->pass_changes = splat_int(face->pass != PIXEL_STENCIL_KEEP && face->write_mask ? -1 : 0);
    t->fail_changes = splat_int(face->depth_fail != PIXEL_STENCIL_KEEP && face->write_mask ? -1 : 0);
}

static inline int4 select_int(int4 mask, int4 yes, int4 no)
{
    return (yes & mask) | (no & ~mask);
}

/* pixel_stencil_apply of four values. */
static inline int4 apply_op(unsigned op, uchar4 values, const struct db_stencil_face *face)
{
    pixel_bytes bytes = {0};
    memcpy(&bytes, &values, sizeof(values));
    bytes = pixel_bytes_apply(op, bytes, face->reference, face->op_value);
    memcpy(&values, &bytes, sizeof(values));
    return __builtin_convertvector(values, int4);
}

/* Depth of a sample of four pixels against memory, of those that are left. */
static INLINE int4 test_depth(const struct db *db, const struct db_test *t, const struct cb_block *block, uint32_t bits,
                              unsigned sample, float4 z, int4 left)
{
    const struct db_state *state = db->state;
    const uint32_t low = block->low[sample] ^ bits;
    uint8_t *host = block->host[sample];
    int4 pass;
    if (state->z_format == AMD_Z_FORMAT_16) {
        ushort4 codes;
        load_quad(state->z, host, low, sizeof(uint16_t), &codes);
        pass = test_unorm16(t, 0, z, &codes, left);
        if (t->write)
            store_quad(state->z, host, low, sizeof(uint16_t), &codes);
    } else if (state->z_format == AMD_Z_FORMAT_24) {
        int4 codes;
        load_quad(state->z, host, low, sizeof(uint32_t), &codes);
        pass = test_unorm24(t, 0, z, &codes, left);
        if (t->write)
            store_quad(state->z, host, low, sizeof(uint32_t), &codes);
    } else {
        float4 stored;
        load_quad(state->z, host, low, sizeof(float), &stored);
        pass = test_float(t, 0, z, &stored, left);
        if (t->write)
            store_quad(state->z, host, low, sizeof(float), &stored);
    }
    return pass;
}

/* The blocks of both buffers around a quad; `z` is NULL where depth is not tested. */
struct blocks {
    struct cb_block *z, *s;
};

/* A sample of the four pixels. Lanes of all ones where it passes. */
static INLINE int4 test_pixels(const struct db *db, const struct db_test *t, const struct stencil_test *st,
                               const struct blocks *blocks, const struct raster_quad *quad, unsigned sample,
                               int4 covered)
{
    const struct db_state *state = db->state;
    const struct db_stencil_face *face = st->face;
    const uint32_t low = blocks->s->low[sample] ^ cb_block_bits(state->s, quad->x, quad->y);
    uint8_t *host = blocks->s->host[sample];
    uchar4 bytes = {0, 0, 0, 0};
    int4 old = splat_int(0), stencil = covered;
    if (!st->is_always) {
        load_quad(state->s, host, low, 1, &bytes);
        old = __builtin_convertvector(bytes, int4);
        const int4 seen = old & st->mask;
        stencil = covered & (((st->reference < seen) & st->less) | ((st->reference == seen) & st->equal) |
                             ((st->reference > seen) & st->more));
    }
    int4 pass = stencil;
    if (blocks->z) {
        const float4 z = depth_at(t, splat((float)quad->x) + load4(db->place_x[sample]),
                                  splat((float)quad->y) + load4(db->place_y[sample]));
        pass = test_depth(db, t, blocks->z, cb_block_bits(state->z, quad->x, quad->y), sample, z, stencil);
    }
    if (st->is_always) { /* most volumes change what is before or after them alone */
        if (!any_lane((pass & st->pass_changes) | (covered & ~pass & st->fail_changes)))
            return pass;
        load_quad(state->s, host, low, 1, &bytes);
        old = __builtin_convertvector(bytes, int4);
    }
    int4 value = apply_op(face->pass, bytes, face);
    if (face->depth_fail != face->pass)
        value = select_int(pass, value, apply_op(face->depth_fail, bytes, face));
    if (!st->is_always && (face->fail != face->pass || face->fail != face->depth_fail))
        value = select_int(stencil, value, apply_op(face->fail, bytes, face));
    value = select_int(covered & splat_int(face->write_mask), value, old);
    bytes = __builtin_convertvector(value, uchar4);
    store_quad(state->s, host, low, 1, &bytes);
    return pass;
}

static uint32_t test_quad(const struct db *db, const struct db_test *t, const struct stencil_test *st,
                          const struct blocks *blocks, const struct raster_quad *quad)
{
    const int4 pixel_bits = {1, 1 << 8, 1 << 16, 1 << 24};
    int4 passed = splat_int(0);
    for (unsigned s = 0; s < 1u << db->state->samples_log2; s++) {
        if (!(quad->mask >> s & 0x01010101u))
            continue;
        const int4 mine = pixel_bits << (int32_t)s, covered = (splat_int((int32_t)quad->mask) & mine) != 0;
        passed |= test_pixels(db, t, st, blocks, quad, s, covered) & mine;
    }
    return any_lane(passed);
}

static bool find_one(struct db *db, struct cb_blocks *known, const struct cb_surface *surface, bool is_write,
                     const struct raster_quad *quad, uint32_t slice, struct cb_block **block_out)
{
    *block_out = cb_block_slot(known, surface, quad->x, quad->y);
    return cb_block_is(surface, *block_out, db->draw, quad->x, quad->y, slice) ||
           amd_db_quad_find_block(db, surface, is_write, *block_out, quad, slice);
}

static inline bool find_blocks(struct db *db, const struct raster_quad *quad, uint32_t slice, struct blocks *out)
{
    const struct db_state *state = db->state;
    out->z = NULL;
    return (!state->z_test || find_one(db, db->blocks, state->z, state->z_write, quad, slice, &out->z)) &&
           find_one(db, db->stencil_blocks, state->s, true, quad, slice, &out->s);
}

static void begin_quads(struct db *db, const struct raster_prim *prim, struct db_test *t, struct stencil_test *st)
{
    if (!db->has_places)
        amd_db_quad_set_places(db);
    make_test(t, db->state, prim);
    make_stencil(st, &db->state->faces[prim->is_back]);
}

/* Where a quad's elements are, as number `i` of a row. */
static inline void set_row(struct db_row *row, unsigned i, const struct db_state *state, const struct blocks *blocks,
                           uint32_t x, uint32_t y)
{
    row->s[i] = blocks->s->host[0] + (blocks->s->low[0] ^ cb_block_bits(state->s, x, y));
    if (blocks->z)
        row->z[i] = blocks->z->host[0] + (blocks->z->low[0] ^ cb_block_bits(state->z, x, y));
}

static void test_row(const struct db *db, const struct db_test *t, const struct stencil_test *st,
                     const struct blocks *blocks, struct raster_quad *quads)
{
    struct db_row row;
    float4 z[DB_ROW_QUADS];
    uint32_t masks[DB_ROW_QUADS];
    for (unsigned i = 0; i < DB_ROW_QUADS; i++) {
        set_row(&row, i, db->state, blocks, quads[i].x, quads[i].y);
        z[i] = depth_at(t, splat((float)quads[i].x) + load4(db->place_x[0]),
                        splat((float)quads[i].y) + load4(db->place_y[0]));
        masks[i] = quads[i].mask;
    }
    amd_db_test_stencil_row(db->state, t, st, &row, z, masks);
    for (unsigned i = 0; i < DB_ROW_QUADS; i++)
        quads[i].mask = masks[i];
}

/* Whether four quads from `quads` on are of one primitive and in one block. */
static bool are_row(const struct raster_quad *quads, uint32_t left, unsigned log2)
{
    if (left < DB_ROW_QUADS)
        return false;
    uint32_t other = 0;
    for (unsigned i = 1; i < DB_ROW_QUADS; i++) {
        if (quads[i].prim != quads->prim)
            return false;
        other |= (uint32_t)(quads[i].x ^ quads->x) | (uint32_t)(quads[i].y ^ quads->y);
    }
    return !(other >> log2);
}

void amd_db_test_quads_stencil(struct db *db, struct raster_quad *quads, uint32_t count)
{
    const bool has_rows = amd_db_has_stencil_rows(db->state);
    const struct raster_prim *prim = NULL;
    struct db_test test;
    struct stencil_test stencil;
    struct blocks blocks;
    uint32_t known = UINT32_MAX; /* the pixels that `blocks` are of */
    const unsigned log2 = MIN2(db->state->s->block_log2, db->state->z_test ? db->state->z->block_log2 : 3);
    uint64_t passed = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct raster_quad *quad = &quads[i];
        const uint32_t place = (uint32_t)quad->y >> log2 << 16 | quad->x >> log2;
        if (!quad->mask)
            continue;
        if (quad->prim != prim) {
            prim = quad->prim;
            begin_quads(db, prim, &test, &stencil);
            known = UINT32_MAX; /* it may be of another layer */
        }
        if (place != known)
            known = find_blocks(db, quad, db_quad_slice(db->state, prim), &blocks) ? place : UINT32_MAX;
        if (has_rows && known == place && are_row(quad, count - i, log2)) {
            test_row(db, &test, &stencil, &blocks, quad);
            for (unsigned k = 0; k < DB_ROW_QUADS; k++)
                passed += (unsigned)__builtin_popcount(quad[k].mask);
            i += DB_ROW_QUADS - 1;
            continue;
        }
        quad->mask = known == place ? test_quad(db, &test, &stencil, &blocks, quad) : 0;
        passed += (unsigned)__builtin_popcount(quad->mask);
    }
    if (db->state->count)
        db->zpass += passed;
}

/* ---- blocks of 8 by 8 pixels ---- */

/* Whether the elements of four quads that are a square follow each other, in every square of a block. */
static bool has_runs(const struct cb_surface *surface, const struct cb_block *block)
{
    const uint32_t size_B = 4 * surface->desc.element_B, right = surface->block_x[2], down = surface->block_y[2],
                   others = block->low[0] | surface->block_x[4] | surface->block_y[4];
    return right == size_B && down == 2 * size_B && others % (4 * size_B) == 0;
}

static inline uint8_t *square_at(const struct cb_surface *surface, const struct cb_block *block, unsigned square)
{
    return block->host[0] + (block->low[0] ^ surface->block_x[square % 2 * 4] ^ surface->block_y[square / 2 * 4]);
}

/* A block with one sample, of the pixels of `mask`: those that pass. */
static uint64_t test_squares(struct db *db, const struct db_test *t, const struct stencil_test *st,
                             const struct blocks *blocks, uint32_t x, uint32_t y, uint64_t mask)
{
    const struct db_state *state = db->state;
    struct db_squares squares = {
        .x = (float)x, .y = (float)y, .place_x = load4(db->place_x[0]), .place_y = load4(db->place_y[0])};
    for (unsigned k = 0; k < 4; k++) {
        squares.s[k] = square_at(state->s, blocks->s, k);
        squares.z[k] = blocks->z ? square_at(state->z, blocks->z, k) : NULL;
    }
    return amd_db_test_stencil_squares(state, t, st, &squares, mask);
}

/* In other buffers: quad by quad. */
static uint64_t test_part(struct db *db, const struct db_test *t, const struct stencil_test *st, uint32_t slice,
                          const struct raster_quad *at, uint64_t mask)
{
    uint64_t passed = 0;
    bits_foreach (db_first_pixels(mask), first) {
        const uint32_t pixels = (uint32_t)(mask >> first), pairs = (pixels & 3) | (pixels >> 8 & 3) << 16;
        struct raster_quad quad = *at;
        struct blocks both;
        quad.x = (uint16_t)(quad.x + first % 8);
        quad.y = (uint16_t)(quad.y + first / 8);
        quad.mask = (pairs | pairs << 7) & 0x01010101u;
        const uint32_t left = find_blocks(db, &quad, slice, &both) ? test_quad(db, t, st, &both, &quad) : 0,
                       both_rows = left | left >> 7;
        passed |= (uint64_t)((both_rows & 3) | (both_rows >> 16 & 3) << 8) << first;
    }
    return passed;
}

void amd_db_test_stencil_parts(struct db *db, const struct raster_prim *prim, const struct raster_tile *tile,
                               uint64_t parts, const uint64_t masks[64], uint64_t passed_out[64])
{
    const uint32_t slice = db_quad_slice(db->state, prim);
    const bool has_rows = amd_db_has_stencil_rows(db->state);
    struct db_test test;
    struct stencil_test stencil;
    uint64_t passed = 0;
    begin_quads(db, prim, &test, &stencil);
    bits_foreach (parts, b) {
        const struct raster_quad first = {
            .prim = prim, .x = (uint16_t)(tile->x + b % 8 * 8), .y = (uint16_t)(tile->y + b / 8 * 8)};
        struct blocks both;
        if (has_rows && find_blocks(db, &first, slice, &both) && has_runs(db->state->s, both.s) &&
            (!both.z || has_runs(db->state->z, both.z)))
            passed_out[b] = test_squares(db, &test, &stencil, &both, first.x, first.y, masks[b]);
        else
            passed_out[b] = test_part(db, &test, &stencil, slice, &first, masks[b]);
        passed += (unsigned)__builtin_popcountll(passed_out[b]);
    }
    if (db->state->count)
        db->zpass += passed;
}

uint64_t amd_db_test_stencil_blocks(struct db *db, const struct raster_prim *prim, const struct raster_tile *tile,
                                    uint64_t blocks, uint32_t masks_out[64][16])
{
    const uint32_t slice = db_quad_slice(db->state, prim), all = (uint32_t)bits_mask(db->sc->samples) * 0x01010101u;
    struct db_test test;
    struct stencil_test stencil;
    uint64_t whole = 0, passed = 0;
    begin_quads(db, prim, &test, &stencil);
    bits_foreach (blocks, b) {
        uint32_t common = all;
        for (unsigned q = 0; q < 16; q++) {
            const struct raster_quad quad = {.prim = prim,
                                             .x = (uint16_t)(tile->x + b % 8 * 8 + (int)(q % 4 * 2)),
                                             .y = (uint16_t)(tile->y + b / 8 * 8 + (int)(q / 4 * 2)),
                                             .mask = all};
            struct blocks both;
            masks_out[b][q] = find_blocks(db, &quad, slice, &both) ? test_quad(db, &test, &stencil, &both, &quad) : 0;
            common &= masks_out[b][q];
            passed += (unsigned)__builtin_popcount(masks_out[b][q]);
        }
        whole |= (uint64_t)(common == all) << b;
    }
    if (db->state->count)
        db->zpass += passed;
    return whole;
}
