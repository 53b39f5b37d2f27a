/* Decoded descriptors of images and samplers, and the cache that keeps them: keyed by the descriptor's own words, so
 * that nothing ever has to be invalidated and nothing is locked. Not for: bytes of texels, which are read from memory
 * each time. */
#ifndef ADRENO_MODEL_TPL1_IMAGE_H
#define ADRENO_MODEL_TPL1_IMAGE_H

#include "adreno/hw/descriptors.h"
#include "adreno/hw/tiling/surface.h"
#include "adreno/hw/tiling/tile.h"
#include "adreno/model/tpl1/format.h"
#include "adreno/model/tpl1/tpl1.h"
#include "model/texture/tex_block.h"
#include "model/texture/tex_places.h"
#include "model/texture/texture.h"

#define TPL1_MAX_PLANES 3

struct tpl1_level {
    uint64_t offset_B; /* from the base */
    uint32_t pitch_B;
    uint64_t slice_B; /* from a layer or slice to the next */
    bool is_tiled;
    struct adreno_tile tile;
};

/* Luma or chroma of a video format as an image of its own: one level, linear or tiled as the others are. Luma is X, Cb
 * is Y and Cr is Z of what is sampled. */
struct tpl1_plane {
    uint64_t base_va;
    struct tpl1_level level;
    uint8_t element_B;
    uint8_t texels; /* of an element: luma of 4:2:2 has two */
    struct tex_image tex;
};

struct tpl1_image {
    uint32_t words[TPL1_IMAGE_DW];
    const struct adreno_chip *chip;
    const char *problem; /* why it cannot be accessed; NULL if it can */
    bool is_null;        /* no image at all: reads give zero, writes are dropped */
    bool is_buffer;
    bool is_3d, is_gmem;
    struct tpl1_format format;
    struct tex_image tex;
    uint8_t swizzle[4]; /* enum adreno_TEX_SWIZ */
    uint8_t samples_log2;
    uint8_t element_B; /* of a texel or block with its samples */
    uint64_t base_va;
    struct tpl1_level level[ADRENO_MAX_LEVELS];
    uint32_t elements, first_element; /* of a buffer */

    /* UBWC of the first level, for stores; flag_va 0: there is none */
    uint64_t flag_va, flag_layer_B;
    uint32_t flag_pitch_B;
    uint8_t flag_w, flag_h; /* texels of a flag */
    /* Where flags of levels may be, from flag_va on. Those of a mip chain are sized as if it were a power of two; of a
     * view that begins at a later level, whose height is one itself, that may be twice as much. */
    uint64_t flag_offset_B[2][ADRENO_MAX_LEVELS];
    uint64_t opened; /* tpl1_state's ubwc_changes when macrotiles were opened last */

    uint8_t plane_count; /* of a video format: luma, then chroma */
    struct tpl1_plane planes[TPL1_MAX_PLANES];
    bool chroma_midpoint[2]; /* else chroma stands at even texels */

    struct tex_places_set *places; /* TPL1_MAX_PLANES of them: tables for samples, of the image or of its planes */
};

struct tpl1_sampler {
    uint32_t words[TPL1_SAMPLER_DW];
    const char *problem;
    struct tex_sampler tex;
    bool clamps_result;
    bool has_fast_border;
    uint8_t fast_border; /* enum adreno_FAST_BORDER */
    uint32_t border;
    bool chroma_linear;
};

struct tpl1_cache;
struct tpl1_cache *adreno_tpl1_cache_create(void);
void adreno_tpl1_cache_destroy(struct tpl1_cache *cache);

/* Valid until the next call for another descriptor; its macrotiles are open (ubwc/ubwc.h). NULL: out of memory. */
const struct tpl1_image *adreno_tpl1_image_get(struct tpl1_cache *cache, const struct tpl1_state *state,
                                               const uint32_t words[TPL1_IMAGE_DW]);
const struct tpl1_sampler *adreno_tpl1_sampler_get(struct tpl1_cache *cache, const uint32_t words[TPL1_SAMPLER_DW]);

/* The texels of one block of a compressed format, NULL: nothing decodes it, or out of memory; and where the shared room
 * keeps them. */
struct tex_blocks *adreno_tpl1_cache_blocks(struct tpl1_cache *cache);
tex_texels adreno_tpl1_block_get(struct tpl1_cache *cache, enum format format, const void *block, unsigned block_B);

/* Byte offset of an element from base_va; coordinates are inside the level. */
static inline uint64_t tpl1_element_B(const struct tpl1_level *level, unsigned element_B, uint32_t x, uint32_t y,
                                      uint32_t z)
{
    uint64_t in_slice_B = level->is_tiled ? adreno_tile_offset_B(&level->tile, x, y)
                                          : (uint64_t)y * level->pitch_B + (uint64_t)x * element_B;
    return level->offset_B + z * level->slice_B + in_slice_B;
}

#endif
