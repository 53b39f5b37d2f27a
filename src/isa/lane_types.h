/* The types of generated lane code: values that C has no type for, and the float mode. Not for: the primitives
 * (lane.h), registers: those are a family's. docs/lane.md explains them. */
#ifndef ISA_LANE_TYPES_H
#define ISA_LANE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint16_t lane_f16; /* the bits of a binary16 */

struct lane_b128 {
    uint32_t w[4];
};

enum lane_round {
    LANE_ROUND_NEAREST = 0, /* ties to even */
    LANE_ROUND_UP = 1,
    LANE_ROUND_DOWN = 2,
    LANE_ROUND_ZERO = 3,
};

/* Whose fields of the mode rule an operation. f16 and f64 share their fields, but differ in what the host must do. */
enum lane_fp_class {
    LANE_FP_NONE,
    LANE_FP_F16,
    LANE_FP_F32,
    LANE_FP_F64,
};

/* A wave's float mode, unpacked once when it changes. A keep mask is all ones where denormals survive, else zero. */
struct lane_mode {
    uint32_t keep_in_f32, keep_out_f32;
    uint32_t keep_in_f16, keep_out_f16; /* of f64 too */
    uint32_t ieee;                      /* all ones: signalling NaNs are quieted by min, max, med3 */
    bool clamps_nan;                    /* clamp turns NaN into 0 */
    uint8_t round_f32, round_f16;       /* enum lane_round; round_f16 is of f64 too */
    uint32_t f16_nearest;               /* all ones: round to nearest */
    uint32_t f16_up[2];                 /* all ones: away from zero; of positive and of negative values */
    float one;                          /* 1.0, which no compiler knows */
};

/* Fills in what follows from the rounding, and the one. */
struct lane_mode lane_mode_complete(struct lane_mode mode);

#endif
