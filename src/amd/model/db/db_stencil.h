/* The common part of the ways of testing stencil: quad by quad (db_quad_stencil.c) and four quads at a time
 * (db_stencil_rows.c, db_stencil_bytes.c). For these alone. */
#ifndef AMD_MODEL_DB_STENCIL_H
#define AMD_MODEL_DB_STENCIL_H

#include "amd/model/db/db_quad.h"

/* The common part of a face's quads. */
struct stencil_test {
    const struct db_stencil_face *face;
    int4 mask, reference; /* the reference is masked */
    int4 less, equal, more;
    bool is_always; /* it passes whatever is stored */
    int4 pass_changes,
        fail_changes; /* lanes of all ones where a pass, or a failed depth test, changes what is stored */
};

#define DB_ROW_QUADS 4

/* Whether sixteen pixels are one vector of the host, and masks of them registers of their own. */
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512DQ__) && defined(__BMI2__)
#define DB_STENCIL_HAS_MASKS 1
#else
#define DB_STENCIL_HAS_MASKS 0
#endif

/* Where the elements of quads are; depth only where it is tested. */
struct db_row {
    uint8_t *z[DB_ROW_QUADS], *s[DB_ROW_QUADS];
};

/* Whether four quads at a time are for this state. */
bool amd_db_has_stencil_rows(const struct db_state *state);

/* Quads at different places, their depths, and their masks, which become those of what passes. */
void amd_db_test_stencil_row(const struct db_state *state, const struct db_test *t, const struct stencil_test *st,
                             const struct db_row *row, const float4 z[DB_ROW_QUADS], uint32_t masks[DB_ROW_QUADS]);

/* Tests 8 by 8 pixels as four squares of 4 by 4, from left to right and from the top, in buffers where the elements of
 * a square follow each other, quad by quad: pixels of `mask` are tested, and those that pass returned. */
#define DB_SQUARES 4
struct db_squares {
    uint8_t *z[DB_SQUARES], *s[DB_SQUARES]; /* their first elements */
    float x, y;                             /* the block's corner */
    float4 place_x, place_y;                /* of a quad's pixels, from its corner */
};
uint64_t amd_db_test_stencil_squares(const struct db_state *state, const struct db_test *t,
                                     const struct stencil_test *st, const struct db_squares *squares, uint64_t mask);

/* Where a square's first pixel is in a block's mask; its pixels from there on, of each row in the low half of a
 * byte. */
static inline unsigned db_square_first(unsigned square)
{
    return square / 2 * 32 + square % 2 * 4;
}

static inline uint32_t db_square_pixels(uint64_t mask, unsigned square)
{
    return (uint32_t)(mask >> db_square_first(square)) & 0x0f0f0f0fu;
}

#endif
