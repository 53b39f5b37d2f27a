/* Random programs as fragment programs are that were joined (sc/join.h), but that what they leave are their
 * registers. */
#ifndef MALI_MODEL_SC_TESTS_RANDOM_JOIN_H
#define MALI_MODEL_SC_TESTS_RANDOM_JOIN_H

#include "mali/model/sc/join.h"

/* The program of a launch that the core has entered, for some lanes of a warp that `fill` has filled. NULL: it is not
 * joined, or *stopped_out. */
struct mali_warp *random_join_run(struct mali_core *core, const struct mali_launch *launch,
                                  void (*fill)(struct mali_warp *warp), uint64_t lanes, bool *stopped_out);
/* Whether the lanes of the program that was joined last may be in any order. */
bool random_join_was_apart(void);
/* How many pieces it had. */
unsigned random_join_pieces(void);

#endif
