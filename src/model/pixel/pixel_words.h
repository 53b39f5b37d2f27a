/* Colours as elements of formats of 1 to 16 bytes, in lane programs: floats, or integers where the format has them, to
 * the words of memory from the lowest bit on. The results are those of the format's codec, but for which NaN comes out.
 *
 * The program must round to nearest. Not for: sRGB, shared exponents, channels that lie in two words, blending
 * (pixel_program.h has some of these). */
#ifndef MODEL_PIXEL_WORDS_H
#define MODEL_PIXEL_WORDS_H

#include "model/exec/program.h"
#include "util/format/format.h"

bool pixel_words_fit(enum format format);
/* `colors` are components; what the format does not have is not looked at. Of formats that fit; words beyond the
 * element are JIT_NONE. */
void pixel_words_pack(struct lane_program *program, enum format format, const jit_value colors[4],
                      jit_value words_out[4]);

/* A float to the nearest code of an unorm of up to 16 bits, of which 1 is `most`, ties to even; `is_fused`: the product
 * is not rounded by itself. */
jit_value pixel_words_unorm(struct lane_program *program, jit_value color, uint32_t most, bool is_fused);

/* The way back; JIT_NONE where the format has no such component. Of floats of 32 bits it gives the bits. */
void pixel_words_unpack(struct lane_program *program, enum format format, const jit_value words[4],
                        jit_value colors_out[4]);
/* Codes of up to 16 bits as numbers; those of an unorm have zeros above them. */
jit_value pixel_words_of_unorm(struct lane_program *program, jit_value code, unsigned bits);
jit_value pixel_words_of_snorm(struct lane_program *program, jit_value code, unsigned bits);

/* pixel_logic of a word; a word of which only the bits of `mask` are written. */
jit_value pixel_words_logic(struct lane_program *program, uint8_t code, jit_value word, jit_value stored);
jit_value pixel_words_mix(struct lane_program *program, uint32_t mask, jit_value word, jit_value stored);

#endif
