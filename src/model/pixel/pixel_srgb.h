/* Functions of sRGB's curve that joined pixel programs call (pixel_srgb.c). */
#ifndef MODEL_PIXEL_PIXEL_SRGB_H
#define MODEL_PIXEL_PIXEL_SRGB_H

#include "model/jit.h"

/* The codes of three numbers, one above the other in a dword. Halves: not negative, no NaN, up to one. */
JIT_CALL_ABI jit_vector pixel_srgb_of_halves(const void *frame, jit_vector r, jit_vector g, jit_vector b);
JIT_CALL_ABI jit_vector pixel_srgb_of_floats(const void *frame, jit_vector r, jit_vector g, jit_vector b);

/* A byte of a code, counted from the lowest, as the number that it stands for. */
JIT_CALL_ABI jit_vector pixel_linear_of_first(const void *frame, jit_vector code, jit_vector, jit_vector);
JIT_CALL_ABI jit_vector pixel_linear_of_second(const void *frame, jit_vector code, jit_vector, jit_vector);
JIT_CALL_ABI jit_vector pixel_linear_of_third(const void *frame, jit_vector code, jit_vector, jit_vector);

#endif
