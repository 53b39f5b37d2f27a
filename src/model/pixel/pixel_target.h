/* A colour target in lane programs, whatever its format: from colours to the words of elements by any blending, logic
 * operation and write mask, which is what pixel_blend, the format's codec and pixel_logic do one after the other.
 * pixel_program.h has the usual targets in fewer operations.
 *
 * The program must round to nearest. Not for: how a shader hands its colours over, and where elements are. */
#ifndef MODEL_PIXEL_TARGET_H
#define MODEL_PIXEL_TARGET_H

#include "model/exec/program.h"
#include "model/pixel/pixel.h"
#include "util/format/format.h"

struct pixel_target {
    enum format format;
    uint8_t from[4];                 /* component of the format ← component of the colour */
    bool is_fused;                   /* of four unorm or sRGB bytes: the product with 255 is not rounded by itself */
    const struct pixel_blend *blend; /* NULL: nothing is blended */
    bool has_logic;
    uint8_t logic;       /* as pixel_logic has it */
    const uint8_t *bits; /* of an element that are written */
};

/* Whether a format is one of these. */
bool pixel_target_fits(enum format format);

/* Dwords of an element, or 1 for less. */
unsigned pixel_target_words(enum format format);

/* Colours, by their own components: floats, or integers of integer formats. `second` is NULL where no factor needs it.
 * What is stored is looked at where there is blending. Words beyond the element are JIT_NONE. */
void pixel_target_pack(struct lane_program *program, const struct pixel_target *target, const jit_value colors[4],
                       const jit_value second[4], const jit_value stored[4], jit_value words_out[4]);

/* Words by the logic operation and the mask, in place. */
void pixel_target_mix(struct lane_program *program, const struct pixel_target *target, const jit_value stored[4],
                      jit_value words[4]);

#endif
