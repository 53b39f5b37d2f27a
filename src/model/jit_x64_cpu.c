/* x86-64: what the processor does that this runs on, where the level of host instructions does not say it. Apart from
 * the code makers, whose code can be read on any host. */
#include "model/jit_host.h"

#if JIT_HOST_X64

#include <cpuid.h>
#include <immintrin.h>

#include "model/jit_x64.h"

/* The conversions' rule is that halves are never flushed, whatever the control word says. Programs that stand in for a
 * CPU do it all the same. */
bool jit_x64_keeps_small_halves(void)
{
    const unsigned control = _mm_getcsr();
    volatile float value = 0x1p-20f, back;
    volatile unsigned short half;
    _mm_setcsr(control | _MM_FLUSH_ZERO_ON | 0x40); /* denormals are zero, too */
    half = _cvtss_sh(value, 3);
    back = _cvtsh_ss(half);
    _mm_setcsr(control);
    return half == 0x10 && back == 0x1p-20f;
}

/* AVX512-FP16, which no level asks for. */
bool jit_has_fma_half(void)
{
    unsigned a, b, c, d = 0;
    return JIT_X64_HAS_EVEX && __get_cpuid_count(7, 0, &a, &b, &c, &d) && d >> 23 & 1;
}

#endif
