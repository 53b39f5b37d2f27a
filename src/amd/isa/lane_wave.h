/* Primitives of a whole wave, and what scalar instructions ask of the executor. Included by lane_rdna.h alone. */
#ifndef AMD_ISA_LANE_WAVE_H
#define AMD_ISA_LANE_WAVE_H

#include "amd/isa/lane_vector.h"

/* The lane number wraps at the wave's size; exec does not matter. */
static inline void amd_lane_wave_readlane(struct lane_vector *a)
{
    a->scalar_out = a->s0[a->scalar[0] & (a->lanes - 1)];
}

/* The first active lane, lane 0 when none is. */
static inline void amd_lane_wave_readfirstlane(struct lane_vector *a)
{
    a->scalar_out = a->s0[a->wave_exec ? (uint32_t)__builtin_ctzll(a->wave_exec) : 0];
}

/* scalar[0] is the value, scalar[1] the lane; exec does not matter. */
static inline void amd_lane_wave_writelane(struct lane_vector *a)
{
    a->d[a->scalar[1] & (a->lanes - 1)] = a->scalar[0];
}

/* Within rows of 16 lanes (or from the other row of a pair) each lane takes the lane that its nibble of {s2, s1}
 * selects. A selected lane that is inactive gives its value with fetch_inactive, else 0 with bound_ctrl, else nothing
 * is written. */
static inline void amd_lane_wave_permlane(struct lane_vector *a, uint32_t other_row)
{
    const uint64_t selectors = (uint64_t)a->scalar[1] << 32 | a->scalar[0];
    uint32_t source[64];
    memcpy(source, a->s0, a->lanes * sizeof(*source)); /* d may be s0 */
    for (uint32_t lane = 0; lane < a->lanes; lane++) {
        const uint32_t from = ((lane & ~15u) ^ other_row) | ((uint32_t)(selectors >> (lane & 15) * 4) & 15);
        if (!(a->wave_exec >> lane & 1))
            continue;
        if (a->fetch_inactive || a->wave_exec >> from & 1)
            a->d[lane] = source[from];
        else if (a->bound_ctrl)
            a->d[lane] = 0;
    }
}

static inline void amd_lane_wave_permlane16(struct lane_vector *a)
{
    amd_lane_wave_permlane(a, 0);
}

static inline void amd_lane_wave_permlanex16(struct lane_vector *a)
{
    amd_lane_wave_permlane(a, 16);
}

static inline uint32_t amd_lane_sgpr32(struct lane_scalar *a, uint32_t index)
{
    if (index < a->sgpr_count)
        return a->sgpr[index];
    a->out_of_range = true;
    return 0;
}

static inline void amd_lane_set_sgpr32(struct lane_scalar *a, uint32_t index, uint32_t value)
{
    if (index < a->sgpr_count)
        a->sgpr[index] = value;
    else
        a->out_of_range = true;
}

static inline uint64_t amd_lane_sgpr64(struct lane_scalar *a, uint32_t index)
{
    return (uint64_t)amd_lane_sgpr32(a, index + 1) << 32 | amd_lane_sgpr32(a, index);
}

static inline void amd_lane_set_sgpr64(struct lane_scalar *a, uint32_t index, uint64_t value)
{
    amd_lane_set_sgpr32(a, index, (uint32_t)value);
    amd_lane_set_sgpr32(a, index + 1, (uint32_t)(value >> 32));
}

static inline uint32_t amd_lane_getreg(struct lane_scalar *a, uint32_t hwreg)
{
    return a->services->getreg(a, hwreg);
}

static inline void amd_lane_setreg(struct lane_scalar *a, uint32_t hwreg, uint32_t value)
{
    a->services->setreg(a, hwreg, value);
}

static inline void amd_lane_wait_vscnt(struct lane_scalar *a, uint32_t base, uint32_t limit)
{
    a->services->wait(a, LANE_VSCNT, base, limit);
}

static inline void amd_lane_wait_vmcnt(struct lane_scalar *a, uint32_t base, uint32_t limit)
{
    a->services->wait(a, LANE_VMCNT, base, limit);
}

static inline void amd_lane_wait_expcnt(struct lane_scalar *a, uint32_t base, uint32_t limit)
{
    a->services->wait(a, LANE_EXPCNT, base, limit);
}

static inline void amd_lane_wait_lgkmcnt(struct lane_scalar *a, uint32_t base, uint32_t limit)
{
    a->services->wait(a, LANE_LGKMCNT, base, limit);
}

#endif
