/* Which surfaces and coordinates the tiling judge looks at. The program that asked Mesa's addrlib (docs/tiling.md) and
 * the test that compares walk through this same list, so that a hash over 200,000 answers is all that must be stored.
 * Changing anything here makes every stored hash wrong. */
#ifndef TILING_SAMPLE_H
#define TILING_SAMPLE_H

#include "amd/hw/tiling/meta.h"
#include "amd/hw/tiling/tiling.h"
#include <stdio.h>
#include <string.h>

#define SAMPLE_SURFACES 100
#define SAMPLE_COORDS 2000
#define SAMPLE_SHOWN 4

enum sample_kind {
    SAMPLE_SURFACE,
    SAMPLE_HTILE,
    SAMPLE_CMASK,
    SAMPLE_DCC,
    SAMPLE_DCC_UNALIGNED,
    SAMPLE_KIND_COUNT,
};

static const char *const sample_kind_names[SAMPLE_KIND_COUNT] = {"surface", "htile", "cmask", "dcc", "dcc-unaligned"};

/* One combination. For CMASK, element_B is that of the FMASK. */
struct sample_combination {
    enum sample_kind kind;
    enum amd_dim dim;
    enum amd_swizzle swizzle;
    unsigned element_B;
    unsigned samples;
};

struct sample_coord {
    uint32_t x, y, z, sample, level;
};

struct sample_rng {
    uint64_t state;
};

static inline uint64_t sample_next(struct sample_rng *rng)
{
    uint64_t z = rng->state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

/* Below `limit`. */
static inline uint32_t sample_below(struct sample_rng *rng, uint32_t limit)
{
    return (uint32_t)((sample_next(rng) >> 32) * limit >> 32);
}

static inline uint64_t sample_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9fb21c651e98df25ull;
    return hash ^ hash >> 32;
}

/* A number of up to max_bits bits, each length as likely as the others, at least 1. */
static inline uint32_t sample_extent(struct sample_rng *rng, unsigned max_bits)
{
    unsigned bits = 1 + sample_below(rng, max_bits);
    return 1 + sample_below(rng, 1u << bits);
}

static inline uint32_t sample_level_extent(uint32_t extent, unsigned level)
{
    uint32_t rounded = (extent + (1u << level) - 1) >> level;
    return rounded ? rounded : 1;
}

static inline struct sample_rng sample_start(uint32_t gb_addr_config, const struct sample_combination *at,
                                             unsigned surface)
{
    uint64_t seed = gb_addr_config;
    seed = sample_mix(seed, (uint64_t)at->kind << 32 | (uint64_t)at->dim << 24 | (uint64_t)at->swizzle << 16 |
                                at->element_B << 8 | at->samples);
    return (struct sample_rng){sample_mix(seed, surface)};
}

static inline struct amd_surface_desc sample_surface(struct sample_rng *rng, const struct sample_combination *at)
{
    bool linear = at->swizzle == AMD_SW_LINEAR;
    bool depth = at->swizzle == AMD_SW_64KB_Z_X || at->swizzle == AMD_SW_VAR_Z_X;
    struct amd_surface_desc desc = {
        .swizzle = at->swizzle,
        .dim = at->dim,
        .width = sample_extent(rng, at->dim == AMD_DIM_3D ? 10 : 13),
        .height = at->dim == AMD_DIM_1D ? 1 : sample_extent(rng, at->dim == AMD_DIM_3D ? 10 : 13),
        .slices = sample_extent(rng, at->kind != SAMPLE_SURFACE ? 5
                                     : at->dim == AMD_DIM_3D    ? 9
                                                                : 7),
        .block_w = 1,
        .block_h = 1,
        .element_B = at->element_B,
        .samples = at->samples,
        .levels = 1,
    };
    uint32_t largest = desc.width > desc.height ? desc.width : desc.height;
    unsigned levels = 32 - (unsigned)__builtin_clz(largest);
    if (at->samples == 1 && sample_below(rng, 4))
        desc.levels = 1 + sample_below(rng, levels);
    bool wide = at->element_B == 8 || at->element_B == 16;
    if (at->kind == SAMPLE_SURFACE && at->dim != AMD_DIM_1D && wide && !depth && !sample_below(rng, 4))
        desc.block_w = desc.block_h = 4;
    if (linear && desc.levels == 1 && at->element_B != 12 && !sample_below(rng, 2)) {
        uint32_t step = 256 / at->element_B;
        desc.pitch =
            ((desc.width + desc.block_w - 1) / desc.block_w + step - 1) / step * step + sample_below(rng, 4) * step;
    }
    if (!linear)
        desc.pipe_bank_xor = (uint32_t)sample_next(rng) & 0xffff;
    return desc;
}

/* Addresses of metadata are known to the judge for one level only. */
static inline struct sample_coord sample_coordinate(struct sample_rng *rng, const struct amd_surface_desc *desc,
                                                    const struct sample_combination *at)
{
    uint32_t width = (desc->width + desc->block_w - 1) / desc->block_w;
    uint32_t height = (desc->height + desc->block_h - 1) / desc->block_h;
    struct sample_coord coord = {.level = at->kind == SAMPLE_SURFACE ? sample_below(rng, desc->levels) : 0};
    uint32_t depth = desc->dim == AMD_DIM_3D ? desc->slices >> coord.level : desc->slices;
    coord.x = sample_below(rng, sample_level_extent(width, coord.level));
    coord.y = sample_below(rng, sample_level_extent(height, coord.level));
    coord.z = sample_below(rng, depth ? depth : 1);
    coord.sample = sample_below(rng, desc->samples);
    return coord;
}

/* For metadata addresses the surface has one level. */
static inline void sample_single_level(struct amd_surface_desc *desc)
{
    desc->levels = 1;
}

/* Whether addrlib can be asked for the address of this metadata. */
static inline bool sample_has_address(const struct sample_combination *at)
{
    if (at->kind == SAMPLE_DCC || at->kind == SAMPLE_DCC_UNALIGNED)
        return at->dim == AMD_DIM_2D && at->swizzle == AMD_SW_64KB_R_X && at->samples == 1;
    return true;
}

/* The next combination in the order of the expectation; the caller leaves out what is illegal. False at the end. */
static inline bool sample_next_combination(struct sample_combination *at)
{
    static const uint8_t sizes[] = {1, 2, 4, 8, 12, 16};
    if (at->samples < 8) {
        at->samples *= 2;
        return true;
    }
    at->samples = 1;
    for (unsigned i = 0; i < 5; i++) {
        if (at->element_B == sizes[i]) {
            at->element_B = sizes[i + 1];
            return true;
        }
    }
    at->element_B = 1;
    if (at->swizzle + 1 < AMD_SW_COUNT) {
        at->swizzle = (enum amd_swizzle)(at->swizzle + 1);
        return true;
    }
    at->swizzle = AMD_SW_LINEAR;
    if (at->dim < AMD_DIM_3D) {
        at->dim = (enum amd_dim)(at->dim + 1);
        return true;
    }
    at->dim = AMD_DIM_1D;
    at->kind = (enum sample_kind)(at->kind + 1);
    return at->kind < SAMPLE_KIND_COUNT;
}

static inline struct sample_combination sample_first_combination(void)
{
    return (struct sample_combination){SAMPLE_SURFACE, AMD_DIM_1D, AMD_SW_LINEAR, 1, 1};
}

#define SAMPLE_MAX_WORDS 128

/* Everything about a layout that the judge knows, too. */
static inline unsigned sample_surface_words(const struct amd_surface *surface, uint64_t words[SAMPLE_MAX_WORDS])
{
    unsigned n = 0;
    words[n++] = surface->pitch;
    words[n++] = surface->aligned_height;
    words[n++] = surface->aligned_slices;
    words[n++] = surface->block_w_log2;
    words[n++] = surface->block_h_log2;
    words[n++] = surface->block_d_log2;
    words[n++] = surface->slice_B;
    words[n++] = surface->size_B;
    words[n++] = surface->align_B;
    words[n++] = surface->first_tail_level;
    for (unsigned i = 0; i < surface->desc.levels; i++) {
        words[n++] = surface->level[i].pitch;
        words[n++] = surface->level[i].height;
        words[n++] = surface->level[i].offset_B;
        words[n++] = surface->level[i].tail_offset_B;
        words[n++] = surface->level[i].tail_x;
        words[n++] = surface->level[i].tail_y;
    }
    return n;
}

static inline unsigned sample_meta_words(const struct amd_meta *meta, unsigned levels, uint64_t words[SAMPLE_MAX_WORDS])
{
    unsigned n = 0;
    words[n++] = meta->pitch;
    words[n++] = meta->height;
    words[n++] = meta->align_B;
    words[n++] = meta->slice_B;
    words[n++] = meta->size_B;
    words[n++] = meta->blocks_per_slice;
    words[n++] = meta->block_w_log2;
    words[n++] = meta->block_h_log2;
    if (meta->kind == AMD_META_DCC) {
        words[n++] = meta->block_d_log2;
        words[n++] = meta->depth;
        words[n++] = meta->compressed_w_log2;
        words[n++] = meta->compressed_h_log2;
        words[n++] = meta->compressed_d_log2;
    }
    for (unsigned i = 0; i < levels; i++) {
        words[n++] = meta->level[i].offset_B;
        words[n++] = meta->level[i].size_B;
    }
    return n;
}

static inline enum amd_meta_kind sample_meta_kind(enum sample_kind kind)
{
    return kind == SAMPLE_HTILE ? AMD_META_HTILE : kind == SAMPLE_CMASK ? AMD_META_CMASK : AMD_META_DCC;
}

static inline uint64_t sample_hash_words(uint64_t hash, const uint64_t *words, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        hash = sample_mix(hash, words[i]);
    return hash;
}

#endif
