/* The host's float environment while lane code runs. + - * fma sqrt min max and comparisons of f32 and f64 round and
 * flush as the host does, so an executor sets the host to lane_env_of(mode, class of the instruction) and sets it back
 * when it leaves. A switch costs tens of cycles: keep the word that is set and compare. Compilers move arithmetic over
 * lane_env_set, but not calls of the wrappers. LANE_FP_NONE needs nothing; LANE_FP_F16 needs the rounding only.
 *
 * Denormal modes 1 and 2 flush one side alone. Where the host cannot, lane_env_software_flush says what the executor
 * must do on the rows of sources (LANE_FLUSH_IN) or on the result (LANE_FLUSH_OUT). */
#ifndef ISA_LANE_ENV_H
#define ISA_LANE_ENV_H

#include "isa/lane_types.h"

enum {
    LANE_FLUSH_IN = 1,
    LANE_FLUSH_OUT = 2,
};

uint64_t lane_env_of(const struct lane_mode *m, enum lane_fp_class fp_class);
uint32_t lane_env_software_flush(const struct lane_mode *m, enum lane_fp_class fp_class);

static inline uint64_t lane_env_get(void)
{
#if defined(__aarch64__)
    uint64_t fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr) : : "memory");
    return fpcr;
#else
    uint32_t mxcsr;
    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr) : : "memory");
    return mxcsr;
#endif
}

static inline void lane_env_set(uint64_t word)
{
#if defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"(word) : "memory");
#else
    uint32_t mxcsr = (uint32_t)word;
    __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr) : "memory");
#endif
}

#endif
