/* The buffer of low-resolution depth (LRZ): a 16-bit depth for each 8 by 8 pixels, samples of a pixel spread out.
 * Layers follow each other; after them, on chips that can clear it fast or follow its direction, come bits and bytes
 * that the hardware keeps there. */
#ifndef ADRENO_HW_TILING_LRZ_H
#define ADRENO_HW_TILING_LRZ_H

#include "adreno/hw/chip.h"

#define ADRENO_LRZ_PIXELS 8u   /* of a depth, in each direction */
#define ADRENO_LRZ_CLEAR_W 16u /* depths of a bit that says "written since the last fast clear" */
#define ADRENO_LRZ_CLEAR_H 4u

/* From GRAS_LRZ_FAST_CLEAR_BUFFER_BASE on. */
#define ADRENO_LRZ_CLEAR_B 512u     /* of bits */
#define ADRENO_LRZ_DIRECTION_B 512u /* offset of a byte: enum adreno_lrz_direction */
#define ADRENO_LRZ_VIEW_B 516u      /* offset of a dword: the GRAS_LRZ_VIEW_INFO that it was written with */
#define ADRENO_LRZ_STATE_B 520u     /* all of it */

/* Which comparisons the depths are good for. */
enum adreno_lrz_direction {
    ADRENO_LRZ_DISABLED,
    ADRENO_LRZ_LESS,
    ADRENO_LRZ_GREATER,
    ADRENO_LRZ_UNSET, /* nothing was drawn yet */
};

struct adreno_lrz {
    uint32_t pitch;  /* depths */
    uint32_t height; /* depths */
    uint32_t layer_B;
    uint64_t state_B;     /* offset of the hardware's state; 0: the chip has none */
    uint32_t clear_bytes; /* of bits that are used; 0: too large to be cleared fast, or the chip cannot */
    uint64_t size_B;
};

struct adreno_lrz adreno_lrz_init(const struct adreno_chip *chip, uint32_t width, uint32_t height, uint32_t samples,
                                  uint32_t layers);

#endif
