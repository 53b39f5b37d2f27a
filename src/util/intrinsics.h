/* The host's own vector instructions as the compiler's functions. Long: half a second for a compiler to read with
 * AVX-512, a quarter with NEON. So what is written in them includes it, and no header that many files come by. */
#ifndef UTIL_INTRINSICS_H
#define UTIL_INTRINSICS_H

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#endif
