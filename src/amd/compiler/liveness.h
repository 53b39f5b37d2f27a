/* What is alive where. Scalars (and linear VGPRs) are alive along the linear graph, vectors along the logical one.
 *
 * Only temporaries that are alive at some block's border have a number here; the sets are bit sets of these numbers. */
#ifndef AMD_COMPILER_LIVENESS_H
#define AMD_COMPILER_LIVENESS_H

#include "amd/compiler/mir.h"

struct mir_live {
    uint32_t num_global;
    uint32_t *number_of; /* by temporary: number + 1, or 0 */
    mir_temp *temp_of;   /* by number */
    uint32_t set_words;
    uint64_t *in, *out; /* by block, set_words each: without the phis' results (in) and with the phis' operands of the
                           successors (out) */
};

static inline uint64_t *mir_live_in(const struct mir_live *live, uint32_t block)
{
    return live->in + (size_t)block * live->set_words;
}
static inline uint64_t *mir_live_out(const struct mir_live *live, uint32_t block)
{
    return live->out + (size_t)block * live->set_words;
}
static inline bool mir_live_has(const uint64_t *set, uint32_t number)
{
    return set[number / 64] >> (number % 64) & 1;
}

/* Registers that a temporary takes: SGPR tuples of three and of five to seven stand at multiples of four. */
static inline unsigned mir_pressure_of(struct mir_class class)
{
    return class.vector || class.dwords < 3 ? class.dwords : (class.dwords + 3u) & ~3u;
}

#endif
