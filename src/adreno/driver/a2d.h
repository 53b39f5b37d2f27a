/* The 2D engine: one rectangle of one layer, filled with a colour or with texels of a source, at the same size or
 * scaled. It writes through the colour cache of the CCU and reads through UCHE; who uses it says what is due before and
 * after. */
#ifndef ADRENO_DRIVER_A2D_H
#define ADRENO_DRIVER_A2D_H

#include "adreno/driver/image.h"
#include "adreno/driver/pm4.h"

/* The part of a packed depth and stencil that is written. */
enum adreno_a2d_keep {
    ADRENO_A2D_ALL,
    ADRENO_A2D_DEPTH,   /* the first three channels */
    ADRENO_A2D_STENCIL, /* the last one */
};

struct adreno_a2d {
    struct adreno_target dst;
    uint32_t x0, y0, x1, y1; /* of the destination, the last ones not included */
    enum adreno_a2d_keep keep;

    bool has_source;   /* false: `color` */
    uint32_t color[4]; /* in the intermediate format (adreno_a2d_color) */
    struct adreno_target src;
    uint32_t src_x0, src_y0, src_x1, src_y1; /* the last ones not included */
    bool is_mirrored_x, is_mirrored_y;
    bool is_linear;  /* a filter */
    bool is_average; /* of the source's samples; otherwise the first */
};

#define ADRENO_A2D_DW 64
/* At most ADRENO_A2D_DW dwords, which the caller has reserved. */
void adreno_emit_a2d(struct adreno_cs *cs, const struct adreno_chip *chip, const struct adreno_a2d *op);

/* As the engine knows a target, of depth above all, and as it reads one. */
struct adreno_target adreno_a2d_target(const struct adreno_target *target);
struct adreno_target adreno_a2d_source(const struct adreno_target *target);

/* The colour of a solid fill for a target. */
void adreno_a2d_color(const struct adreno_target *target, const VkClearColorValue *value, uint32_t color_out[4]);
void adreno_a2d_depth_color(const struct adreno_target *target, const VkClearDepthStencilValue *value,
                            bool is_stencil_alone, uint32_t color_out[4]);

/* Bytes of memory as elements of one row: the address is rounded down and the elements before it are skipped. */
struct adreno_target adreno_a2d_row(uint64_t va, uint32_t element_B, uint32_t *first_out);

/* Longest row in elements, from a row's beginning. */
#define ADRENO_A2D_MAX_ROW 0x4000u
/* Of addresses and pitches. */
#define ADRENO_A2D_ALIGN_B 64u

#endif
