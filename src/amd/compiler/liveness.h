/* Liveness of values. Scalars (and linear VGPRs) are alive along the linear graph, vectors along the logical one.
 *
 * Only temporaries that are alive at some block's border have a number here. */
#ifndef AMD_COMPILER_LIVENESS_H
#define AMD_COMPILER_LIVENESS_H

#include "amd/compiler/mir.h"
#include "compiler/machine/live.h"

struct mir_live {
    uint32_t num_global;
    uint32_t *number_of; /* by temporary: number + 1, or 0 */
    mir_temp *temp_of;   /* by number */
    struct live_sets sets;
};

#define mir_foreach_live(live, border, block, temp)                                                                    \
    live_foreach(&(live)->sets, border, (block)->index,                                                                \
                 temp##_number) for (mir_temp temp = (live)->temp_of[temp##_number], temp##_once = 1; temp##_once;     \
                                     temp##_once = 0)
#define mir_foreach_live_in(live, block, temp) mir_foreach_live(live, in, block, temp)
#define mir_foreach_live_out(live, block, temp) mir_foreach_live(live, out, block, temp)

static inline bool mir_lives_in(const struct mir_live *live, const struct mir_block *block, mir_temp temp)
{
    return live->number_of[temp] && live_is_in(&live->sets, block->index, live->number_of[temp] - 1);
}

/* Registers that a temporary takes: SGPR tuples of three and of five to seven stand at multiples of four. */
static inline unsigned mir_pressure_of(struct mir_class class)
{
    return class.vector || class.dwords < 3 ? class.dwords : (class.dwords + 3u) & ~3u;
}

#endif
