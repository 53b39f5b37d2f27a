/* See tex_block.h. */
#include "model/texture/tex_block.h"

#include <stdlib.h>
#include <string.h>

#include "util/hash.h"

#define BLOCKS 256
#define PLACES 512

struct tex_block {
    uint8_t bytes[16];
    enum format format; /* FORMAT_UNDEFINED: empty */
    bool is_narrow;
    float texels[FORMAT_BLOCK_MAX_TEXELS][4];
};

void tex_blocks_finish(struct tex_blocks *blocks)
{
    free(blocks->blocks);
    free(blocks->places);
    blocks->blocks = blocks->places = NULL;
}

static bool decode_block(struct tex_block *block, enum format format, bool is_narrow)
{
    uint8_t codes[FORMAT_BLOCK_MAX_TEXELS][4];
    if (!is_narrow)
        return format_decode_block_float(format, block->texels, block->bytes);
    if (!format_decode_block_unorm8(format, codes, block->bytes))
        return false;
    const struct format_info *info = format_info(format);
    return format_unpack_rgba_float(format_is_srgb(info) ? FORMAT_R8G8B8A8_SRGB : FORMAT_R8G8B8A8_UNORM, block->texels,
                                    codes, (size_t)info->block_width * info->block_height);
}

static tex_texels find_texels(struct tex_block *block, enum format format, bool is_narrow, const uint64_t halves[2])
{
    if (block->format != format || block->is_narrow != is_narrow ||
        memcmp(block->bytes, halves, sizeof(block->bytes)) != 0) {
        memcpy(block->bytes, halves, sizeof(block->bytes));
        block->is_narrow = is_narrow;
        block->format = decode_block(block, format, is_narrow) ? format : FORMAT_UNDEFINED;
    }
    return block->format == format ? (tex_texels)block->texels : NULL;
}

tex_texels tex_block_get(struct tex_blocks *blocks, enum format format, bool is_narrow, const void *bytes,
                         unsigned block_B)
{
    if (!blocks->blocks && !(blocks->blocks = calloc(BLOCKS, sizeof(*blocks->blocks))))
        return NULL;
    uint64_t halves[2] = {0, 0};
    memcpy(halves, bytes, block_B);
    return find_texels(&blocks->blocks[hash_u64(halves[0] ^ halves[1] * 31) % BLOCKS], format, is_narrow, halves);
}

tex_texels tex_block_at(struct tex_blocks *blocks, enum format format, bool is_narrow, const void *at, unsigned block_B)
{
    if (!blocks->places && !(blocks->places = calloc(PLACES, sizeof(*blocks->places))))
        return NULL;
    uint64_t halves[2] = {0, 0};
    if (block_B == 16)
        memcpy(halves, at, 16);
    else
        memcpy(halves, at, 8);
    /* Neighbours come to different entries, whatever the tiling is. */
    uint64_t number = (uintptr_t)at / 8;
    return find_texels(&blocks->places[(number ^ number >> 9 ^ number >> 18) % PLACES], format, is_narrow, halves);
}
