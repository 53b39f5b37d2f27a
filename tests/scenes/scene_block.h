/* Encoders of block-compressed textures: simple, the same everywhere, good enough to look at. Each takes 16 texels of
 * RGBA in 0 to 1, row by row, and writes a block. */
#ifndef TESTS_SCENES_SCENE_BLOCK_H
#define TESTS_SCENES_SCENE_BLOCK_H

#include <stdint.h>

void block_bc1(const float texels[16][4], uint8_t out[8]);
void block_bc3(const float texels[16][4], uint8_t out[16]);
void block_bc4(const float texels[16][4], unsigned channel, uint8_t out[8]);
void block_bc5(const float texels[16][4], uint8_t out[16]);
void block_bc6h(const float texels[16][4], uint8_t out[16]); /* without sign, up to 65504: mode 11 */
void block_bc7(const float texels[16][4], uint8_t out[16]);  /* mode 6 */

#endif
