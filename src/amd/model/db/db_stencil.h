/* What the two ways of testing stencil have in common: quad by quad (db_quad_stencil.c) and four quads at a time
 * (db_stencil_rows.c). For these two alone. */
#ifndef AMD_MODEL_DB_STENCIL_H
#define AMD_MODEL_DB_STENCIL_H

#include "amd/model/db/db_quad.h"

/* What the quads of a face have in common. */
struct stencil_test {
    const struct db_stencil_face *face;
    int4 mask, reference; /* the reference is masked */
    int4 less, equal, more;
    bool is_always; /* it passes whatever is stored */
    int4 pass_changes,
        fail_changes; /* lanes of all ones where a pass, or a failed depth test, changes what is stored */
};

#define DB_ROW_QUADS 4

/* Where the elements of quads are; depth only where it is tested. */
struct db_row {
    uint8_t *z[DB_ROW_QUADS], *s[DB_ROW_QUADS];
};

/* Whether four quads at a time are for this state. */
bool amd_db_has_stencil_rows(const struct db_state *state);

/* Quads at different places, their depths, and their masks, which become those of what passes. */
void amd_db_test_stencil_row(const struct db_state *state, const struct db_test *t, const struct stencil_test *st,
                             const struct db_row *row, const float4 z[DB_ROW_QUADS], uint32_t masks[DB_ROW_QUADS]);

#endif
