/* Blocks of compressed formats that a texture unit has decoded lately. A block is known by its bytes, not by where they
 * are: what memory holds now is always what is decoded, and nothing needs invalidating. Each worker has its own. */
#ifndef MODEL_TEXTURE_TEX_BLOCK_H
#define MODEL_TEXTURE_TEX_BLOCK_H

#include "util/format/format.h"

typedef const float (*tex_texels)[4];

struct tex_blocks {
    struct tex_block *blocks; /* by their bytes; made when the first one is asked for */
    struct tex_block *places; /* by where they are; the bytes are compared all the same */
};

void tex_blocks_finish(struct tex_blocks *blocks);

/* The texels of a block of `block_B` bytes, row by row, until the next call. With `is_narrow` they have eight bits, as
 * format_decode_block_unorm8 gives them. NULL: nothing decodes the format, or no memory. */
tex_texels tex_block_get(struct tex_blocks *blocks, enum format format, bool is_narrow, const void *bytes,
                         unsigned block_B);

/* Texels for blocks of 8 or 16 bytes that stay where they are: faster where neighbours differ. */
tex_texels tex_block_at(struct tex_blocks *blocks, enum format format, bool is_narrow, const void *at,
                        unsigned block_B);

#endif
