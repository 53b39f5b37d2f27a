/* The MODE register: the wave's rounding and denormal handling, and the host's float environment that follows it. */
#ifndef AMD_MODEL_SQ_MODE_H
#define AMD_MODEL_SQ_MODE_H

#include "isa/lane_env.h"
#include "amd/model/sq/sq_wave.h"

/* Change the mode of the running wave; the host follows at once. */
void amd_sq_set_mode(struct sq_wave *wave, uint32_t mode);

/* Set the host up for the wave, before its first instruction of a turn. The caller keeps the host's own environment and
 * sets it back. */
static inline void sq_mode_enter(const struct sq_wave *wave)
{
    /* Looking costs less than setting, and waves of a workgroup take turns. */
    if (lane_env_get() != wave->env_f32)
        lane_env_set(wave->env_f32);
}

/* Double precision has fields of its own: kernels of that class stand between these two where they differ. */
void amd_sq_uop_mode_f64(struct sq_wave *wave, const struct sq_uop *uop);
void amd_sq_uop_mode_f32(struct sq_wave *wave, const struct sq_uop *uop);

#endif
