/* Conversions between binary16 and binary32, exact in every case: subnormals, infinities, and the bits of a NaN, so
 * that a half that becomes a float and a half again is the same. */
#ifndef UTIL_HALF_H
#define UTIL_HALF_H

#include <stdint.h>

#include "util/bits.h"

float half_to_float(uint16_t half);

/* Round to nearest, ties to even: overflow gives infinity. */
uint16_t float_to_half_rtne(float value);

/* Round toward zero: overflow gives the largest finite number. */
uint16_t float_to_half_rtz(float value);

#endif
