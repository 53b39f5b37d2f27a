/* Strict mode (docs/strict.md): a look at each instruction before it runs. */
#ifndef MALI_MODEL_SC_STRICT_H
#define MALI_MODEL_SC_STRICT_H

#include "mali/model/sc/code.h"

/* Its size, 0 when strict mode is off: warps have it after their rows. */
size_t mali_sc_strict_size_B(void);
void mali_sc_strict_begin(struct sc_strict *strict);

/* Append what is looked at before an instruction, and what it leaves behind; false: no memory. The second goes before
 * the instruction's own micro-operations where they end the block. */
bool mali_sc_strict_before(struct sc_builder *builder);
void mali_sc_strict_after(struct sc_builder *builder);

#endif
