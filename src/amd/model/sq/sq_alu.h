/* The generated ALU kernels (gen_alu.py) and what they use. */
#ifndef AMD_MODEL_SQ_ALU_H
#define AMD_MODEL_SQ_ALU_H

#include "isa/lane.h"
#include "isa/lane_env.h"
#include "amd/model/sq/sq_wave.h"
#include "model/jit.h"

/* Whose rounding and denormal fields of MODE rule an instruction. */
enum sq_fp_class {
    SQ_FP_NONE,
    SQ_FP_F16,
    SQ_FP_F32,
    SQ_FP_F64,
};

/* By enum isa_op; NULL where the instruction is none of the ALU's. */
extern const sq_run_fn amd_sq_alu_kernels[ISA_OP_COUNT];
/* Functions that lane programs call, one for each result. */
extern const jit_call amd_sq_jit_calls[ISA_OP_COUNT][2];
extern const uint8_t amd_sq_alu_fp_class[ISA_OP_COUNT]; /* enum sq_fp_class */

/* Around a kernel of halves. */
static inline void sq_enter_f16(const struct sq_wave *wave)
{
    if (__builtin_expect(wave->f16_rounds_apart, 0))
        lane_env_set(wave->env_f16);
}

static inline void sq_leave_f16(const struct sq_wave *wave)
{
    if (__builtin_expect(wave->f16_rounds_apart, 0))
        lane_env_set(wave->env_f32);
}

/* Registers addressed relative to m0. Outside the wave's registers a VGPR is v0 and an SGPR is s0, so that no program
 * can leave its own. */
static inline uint32_t *sq_relative_vgpr(struct sq_wave *wave, sq_place place, uint32_t offset)
{
    uint32_t *row = sq_at(wave, place);
    if (row < wave->vgpr || row >= wave->vgpr + (size_t)wave->vgpr_count * wave->lanes)
        return row; /* a scalar source spread over a temporary: nothing to be relative to */
    uint64_t index = (uint64_t)(row - wave->vgpr) / wave->lanes + offset;
    return wave->vgpr + (index < wave->vgpr_count ? index : 0) * wave->lanes;
}

static inline uint32_t *sq_relative_sgpr(struct sq_wave *wave, sq_place place, uint32_t offset)
{
    uint64_t index = (uint64_t)((uint32_t *)sq_at(wave, place) - wave->sgpr) + offset;
    return wave->sgpr + (index + 1 < SQ_SGPR_COUNT ? index : 0);
}

/* Attribute data of the running interpolation, brought there by amd_sq_uop_attribute. */
enum sq_interpolant {
    SQ_P0,
    SQ_P10,
    SQ_P20,
};
static inline uint32_t *sq_interpolant(struct sq_wave *wave, enum sq_interpolant which)
{
    return wave->temp + (SQ_TEMPS - 3 + which) * wave->lanes;
}

#endif
