/* See sq_mode.h. Flushing of one side only (denormal modes 1 and 2), which no known compiler asks for, is a stop. */
#include "amd/model/sq/sq_mode.h"

#include "amd/isa/lane_rdna.h"

void amd_sq_set_mode(struct sq_wave *wave, uint32_t mode)
{
    wave->mode = mode;
    wave->lane_mode = amd_lane_mode_unpack(mode);
    wave->env_f32 = lane_env_of(&wave->lane_mode, LANE_FP_F32);
    wave->env_f64 = lane_env_of(&wave->lane_mode, LANE_FP_F64);
    wave->env_f16 = lane_env_of(&wave->lane_mode, LANE_FP_F16);
    wave->f16_rounds_apart = wave->lane_mode.round_f16 != wave->lane_mode.round_f32;
    if (lane_env_software_flush(&wave->lane_mode, LANE_FP_F32) ||
        lane_env_software_flush(&wave->lane_mode, LANE_FP_F64)) {
        wave->state = SQ_FAULTED;
        wave->fault = (struct sq_fault){.kind = SQ_FAULT_INSTRUCTION,
                                        .why = "denormals flushed on one side only are not implemented"};
    }
    sq_mode_enter(wave);
}

void amd_sq_uop_mode_f64(struct sq_wave *wave, const struct sq_uop *uop)
{
    if (wave->env_f64 != wave->env_f32)
        lane_env_set(wave->env_f64);
}

void amd_sq_uop_mode_f32(struct sq_wave *wave, const struct sq_uop *uop)
{
    if (wave->env_f64 != wave->env_f32)
        lane_env_set(wave->env_f32);
}
