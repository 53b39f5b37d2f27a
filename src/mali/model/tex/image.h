/* Decoded descriptors of textures, planes and samplers, and the cache that keeps them: keyed by the descriptors' own
 * words, so that nothing ever has to be invalidated and nothing is locked. A texture points to its planes in memory;
 * they are compared with what was decoded each time one is used. Not for: bytes of texels. */
#ifndef MALI_MODEL_TEX_IMAGE_H
#define MALI_MODEL_TEX_IMAGE_H

#include "mali/hw/descriptors.h"
#include "mali/hw/tiling/afbc.h"
#include "mali/hw/tiling/tile.h"
#include "mali/model/tex/format.h"
#include "model/memory.h"
#include "model/texture/tex_block.h"
#include "model/texture/tex_places.h"
#include "model/texture/texture.h"

/* One level of one layer. */
struct mali_tex_plane {
    uint32_t words[MALI_DESC_PLANE_DW];
    const char *problem; /* why it cannot be accessed; NULL if it can */
    bool is_null;
    bool is_afbc;
    uint64_t base_va;
    int64_t slice_B; /* from a slice or sample to the next */
    struct mali_tile tile;
    struct mali_afbc afbc; /* if is_afbc */
    uint32_t body_B;       /* of AFBC: where the first superblock was when tables of places were made; else 0 */
    struct mali_pixel pixel;
    uint32_t width, height; /* texels that are there */
};

struct mali_tex_image {
    uint32_t words[MALI_DESC_TEXTURE_DW];
    const char *problem;
    bool is_null;                /* no texture at all: reads give zero, writes are dropped */
    const char *decoded_problem; /* the same of the descriptor alone, without its planes */
    bool is_decoded_null;
    bool is_3d;
    uint32_t levels, samples;
    uint64_t planes_va;
    struct mali_pixel_bits bits;
    struct tex_image tex;
    uint8_t swizzle[4];      /* enum mali_CHANNEL */
    struct mali_pixel pixel; /* of the first plane: what kind of texels there are */
    /* Decoded planes, by level and layer; a place for each of `plane_slots`, which more than one may share. */
    unsigned plane_slots;
    struct mali_tex_plane *planes;

    struct tex_places_set places; /* tables for samples */
    uint32_t plane_changes;       /* how often a plane has been decoded */
    uint32_t seen_changes;        /* when the tables were last asked for */
    /* Of AFBC: superblocks are where their numbers say, or of one colour (then tex.piece_log2 is their size), as was
     * seen in this epoch, and when planes were so. */
    bool has_bodies;
    uint64_t epoch;
    uint32_t epoch_changes;
};

struct mali_tex_sampler {
    uint32_t words[MALI_DESC_SAMPLER_DW];
    const char *problem;
    struct tex_sampler tex;
    uint32_t border[4];
};

struct mali_tex_cache;
struct mali_tex_cache *mali_tex_cache_create(void);
void mali_tex_cache_destroy(struct mali_tex_cache *cache);
struct tex_blocks *mali_tex_cache_blocks(struct mali_tex_cache *cache);

/* Valid until the next call for another descriptor. NULL: out of memory. Of an image, the first plane is looked at:
 * where it cannot be read, *fault_out is its address. */
struct mali_tex_image *mali_tex_image_get(struct mali_tex_cache *cache, const struct gpu_space *space,
                                          const uint32_t words[MALI_DESC_TEXTURE_DW], uint64_t *fault_out);
const struct mali_tex_sampler *mali_tex_sampler_get(struct mali_tex_cache *cache,
                                                    const uint32_t words[MALI_DESC_SAMPLER_DW]);

/* The plane of a level and layer. NULL: its address is not mapped, and is *fault_out. */
const struct mali_tex_plane *mali_tex_plane_get(struct mali_tex_image *image, const struct gpu_space *space,
                                                unsigned level, uint32_t layer, uint64_t *fault_out);

/* The address of an element: a texel, or a block of a compressed format. */
static inline uint64_t mali_tex_element_va(const struct mali_tex_plane *plane, uint32_t x, uint32_t y, uint32_t z)
{
    return plane->base_va + (uint64_t)((int64_t)z * plane->slice_B) + mali_tile_offset_B(&plane->tile, x, y);
}

#endif
