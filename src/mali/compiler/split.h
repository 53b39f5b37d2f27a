/* The two programs of a vertex shader (split.c). */
#ifndef MALI_COMPILER_SPLIT_H
#define MALI_COMPILER_SPLIT_H

#include "compiler/ir/ir.h"

bool mali_has_varyings(const struct ir_shader *shader);
/* Leaves what the program that places vertices needs: positions, and all effects. */
void mali_keep_positions(struct ir_shader *shader);
/* Leaves what varyings need, and the position where `needs_w`, of a copy of `whole`: nothing is written but the packet.
 * Fails where varyings depend on memory that the shader changes, for there they would be computed from what it
 * became. */
void mali_keep_varyings(struct ir_shader *shader, const struct ir_shader *whole, bool needs_w);

#endif
