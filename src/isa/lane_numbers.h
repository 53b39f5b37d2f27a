/* Numbers of the polynomials of lane_math.h that lane programs (model/exec/program.c) use, too. Each was found by a
 * least maximal error, then rounded to f32. */
#ifndef ISA_LANE_NUMBERS_H
#define ISA_LANE_NUMBERS_H

#define LANE_WHOLE 0x1.8p23f /* the lowest bits of a sum with it are the number */

/* 2^y of y in [-0.5, 0.5]. */
#define LANE_EXP2_LN2 0x1.62e43p-1f
#define LANE_EXP2_LN2_LOW -0x1.05c61p-29f
#define LANE_EXP2_1 0x1.ebfbdcp-3f
#define LANE_EXP2_2 0x1.c6af88p-5f
#define LANE_EXP2_3 0x1.3b2e0cp-7f
#define LANE_EXP2_4 0x1.5f03dap-10f
#define LANE_EXP2_5 0x1.414ed2p-13f

/* log2(1 + t) of 1 + t between the roots of 1/2 and of 2. */
#define LANE_LOG2_ROOT 0x3f3504f3u
#define LANE_LOG2_E 0x1.715476p+0f
#define LANE_LOG2_E_LOW 0x1.4ae0bep-26f
#define LANE_LOG2_0 -0x1.71547p-1f
#define LANE_LOG2_1 0x1.ec7096p-2f
#define LANE_LOG2_2 -0x1.715a72p-2f
#define LANE_LOG2_3 0x1.277e3cp-2f
#define LANE_LOG2_4 -0x1.eabd0cp-3f
#define LANE_LOG2_5 0x1.a3058p-3f
#define LANE_LOG2_6 -0x1.87485p-3f
#define LANE_LOG2_7 0x1.7d4802p-3f
#define LANE_LOG2_8 -0x1.c2659p-4f

/* sin and cos of t in [-0.5, 0.5] quarters of a turn: t * (LOW + FIRST + t * t * ...), 1 + t * t * ... */
#define LANE_SIN_0 0x1.921fb6p+0f
#define LANE_SIN_0_LOW -0x1.777a5cp-25f
#define LANE_SIN_1 -0x1.4abbbep-1f
#define LANE_SIN_2 0x1.466004p-4f
#define LANE_SIN_3 -0x1.2dc84cp-8f
#define LANE_COS_1 -0x1.3bd3ccp+0f
#define LANE_COS_2 0x1.03c1dep-2f
#define LANE_COS_3 -0x1.55c5ep-6f
#define LANE_COS_4 0x1.d9d57cp-11f

#endif
