/* What Valhall has no instruction for and no other machine lacks in this way. All run under IR_PASS. */
#ifndef MALI_COMPILER_LOWER_MALI_H
#define MALI_COMPILER_LOWER_MALI_H

#include "compiler/lower/lower.h"

/* Reductions and scans between lanes. Needs divergence. */
bool mali_lower_lanes(struct ir_shader *shader, const void *options);

/* Sizes, levels and samples of images, by their descriptors. Before divisions. */
bool mali_lower_queries(struct ir_shader *shader, const void *options);

#endif
