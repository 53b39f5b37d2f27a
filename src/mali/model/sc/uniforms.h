/* Uniforms and special values as rows of lanes: what a launch has of them, on each core. */
#ifndef MALI_MODEL_SC_UNIFORMS_H
#define MALI_MODEL_SC_UNIFORMS_H

#include "mali/model/sc/code.h"

#define SC_SPECIAL_WORDS 32 /* of a page */
/* Rows: u0 ..., then the special values of pages 0, 1 and 3 that are the same in all warps. */
#define SC_UNIFORM_ROWS (MALI_FAU_WORDS + 3 * SC_SPECIAL_WORDS)

struct sc_uniforms {
    uint32_t words[SC_UNIFORM_ROWS]; /* what the rows hold */
    uint64_t serial;                 /* of the launch that they are for */
    uint32_t rows[SC_UNIFORM_ROWS * MALI_ROW_LANES] __attribute__((aligned(64)));
};

/* Rows of zeros, and the numbers of lanes. */
void mali_sc_uniforms_init(struct sc_uniforms *uniforms);
/* Rows whose word is another one than before are written. */
void mali_sc_uniforms_enter(struct sc_uniforms *uniforms, const struct mali_launch *launch, unsigned core);

sc_place mali_sc_uniform_place(unsigned number);
/* The row in which lanes differ. */
unsigned mali_sc_lane_id_row(void);
/* `value`: twice the place in the page, and the word. */
sc_place mali_sc_special_place(struct sc_builder *builder, unsigned page, unsigned value);

#endif
