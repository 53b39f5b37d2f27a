/* The float mode: what follows from its fields, and the host's float environment that it needs. */
#include "isa/lane.h"

#include "isa/lane_env.h"

struct lane_mode lane_mode_complete(struct lane_mode m)
{
    m.one = 1.0f;
    m.f16_nearest = m.round_f16 == LANE_ROUND_NEAREST ? UINT32_MAX : 0;
    m.f16_up[0] = m.round_f16 == LANE_ROUND_UP ? UINT32_MAX : 0;
    m.f16_up[1] = m.round_f16 == LANE_ROUND_DOWN ? UINT32_MAX : 0;
    return m;
}

/* --- the host's float environment --- */

#if defined(__aarch64__)

uint64_t lane_env_of(const struct lane_mode *m, enum lane_fp_class fp_class)
{
    const bool single = fp_class == LANE_FP_F32;
    const uint32_t in = single ? m->keep_in_f32 : m->keep_in_f16, out = single ? m->keep_out_f32 : m->keep_out_f16;
    /* FPCR.FZ flushes both sides or none. Halves are computed in f32, where none of them is denormal. */
    const uint64_t flush = fp_class != LANE_FP_F16 && !in && !out ? 1ull << 24 : 0;
    return (uint64_t)(single ? m->round_f32 : m->round_f16) << 22 | flush; /* RMode counts as enum lane_round */
}

uint32_t lane_env_software_flush(const struct lane_mode *m, enum lane_fp_class fp_class)
{
    const bool single = fp_class == LANE_FP_F32;
    const uint32_t in = single ? m->keep_in_f32 : m->keep_in_f16, out = single ? m->keep_out_f32 : m->keep_out_f16;
    if (fp_class == LANE_FP_NONE || fp_class == LANE_FP_F16 || in == out)
        return 0;
    return in ? LANE_FLUSH_OUT : LANE_FLUSH_IN;
}

#else

uint64_t lane_env_of(const struct lane_mode *m, enum lane_fp_class fp_class)
{
    static const uint8_t rounding[4] = {0, 2, 1, 3};
    const bool single = fp_class == LANE_FP_F32;
    const uint32_t in = single ? m->keep_in_f32 : m->keep_in_f16, out = single ? m->keep_out_f32 : m->keep_out_f16;
    uint64_t mxcsr = 0x1f80 | (uint64_t)rounding[single ? m->round_f32 : m->round_f16] << 13;
    if (fp_class == LANE_FP_F32 || fp_class == LANE_FP_F64)
        mxcsr |= (in ? 0 : 0x40) | (out ? 0 : 0x8000);
    return mxcsr;
}

uint32_t lane_env_software_flush(const struct lane_mode *m, enum lane_fp_class fp_class)
{
    (void)m, (void)fp_class;
    return 0;
}

#endif
