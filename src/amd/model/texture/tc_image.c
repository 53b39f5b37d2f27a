/* See tc_image.h. */
#include "amd/model/texture/tc_image.h"

#include <stdlib.h>
#include <string.h>

#include "amd/hw/enums.h"
#include "amd/model/sq/sq_texture.h"
#include "util/bits.h"
#include "util/hash.h"
#include "util/map.h"

#define IMAGES 512
#define SAMPLERS 128
#define AGAINS 64

struct tc_cache {
    struct amd_tiling_config config;
    struct map64 patterns; /* of equations: few, and kept for good */
    struct tc_image *images[IMAGES];
    struct tc_sampler *samplers[SAMPLERS];
    struct tex_blocks blocks;
    void *agains[AGAINS];
};

struct tc_cache *amd_tc_cache_create(uint32_t gb_addr_config)
{
    struct tc_cache *cache = calloc(1, sizeof(*cache));
    if (cache && !amd_tiling_config_init(&cache->config, gb_addr_config)) {
        free(cache);
        return NULL;
    }
    return cache;
}

void amd_tc_cache_destroy(struct tc_cache *cache)
{
    if (!cache)
        return;
    for (struct map64_slot *slot = NULL; (slot = map64_next(&cache->patterns, slot));)
        free((void *)(uintptr_t)slot->value);
    map64_finish(&cache->patterns);
    for (unsigned i = 0; i < IMAGES; i++) {
        if (cache->images[i])
            tex_places_finish(cache->images[i]->places);
        if (cache->images[i])
            free(cache->images[i]->places);
        free(cache->images[i]);
    }
    for (unsigned i = 0; i < SAMPLERS; i++)
        free(cache->samplers[i]);
    for (unsigned i = 0; i < AGAINS; i++)
        free(cache->agains[i]);
    tex_blocks_finish(&cache->blocks);
    free(cache);
}

uint32_t amd_tc_cache_config(const struct tc_cache *cache)
{
    return cache->config.gb_addr_config;
}

void **amd_tc_cache_again(struct tc_cache *cache, unsigned number)
{
    return &cache->agains[number % AGAINS];
}

/* ---- images ---- */

struct pattern {
    struct amd_tiling_table table;
    struct tc_tile tile, quads;
};

/* Elements that are neighbours in x and in memory. */
static unsigned find_run(const struct tc_tile *tile, unsigned element_B)
{
    unsigned run = TC_TILE;
    for (unsigned i = 0; i < TC_TILE * TC_TILE; i++) {
        while (run > 1 && (tile->offset[i] != tile->offset[i & ~(run - 1)] + (i & (run - 1)) * element_B ||
                           tile->offset[i & ~(run - 1)] & (run * element_B - 1)))
            run /= 2;
    }
    return run;
}

static void find_pieces(struct tc_tile *tile)
{
    uint32_t known[ARRAY_SIZE(tile->piece_lane)];
    for (unsigned i = 0; i < TC_TILE * TC_TILE; i++) {
        unsigned n = 0;
        while (n < tile->pieces && known[n] != tile->offset[i] >> 8)
            n++;
        if (n < tile->pieces)
            continue;
        if (n == ARRAY_SIZE(known)) {
            tile->pieces = 0;
            return;
        }
        known[n] = tile->offset[i] >> 8;
        tile->piece_lane[n] = (uint8_t)i;
        tile->pieces++;
    }
}

/* `by_quads`: lane 4 * q + p is pixel p of quad q. */
static void find_tile(struct tc_tile *tile, const struct amd_tiling_table *table, unsigned element_B, bool by_quads)
{
    *tile = (struct tc_tile){.exists = table->block_w_log2 >= 3 && table->block_h_log2 >= 3 &&
                                       table->x_mask >= TC_TILE - 1 && table->y_mask >= TC_TILE - 1 &&
                                       !(element_B & (element_B - 1))};
    if (!tile->exists)
        return;
    for (unsigned i = 0; i < TC_TILE * TC_TILE; i++) {
        unsigned x = by_quads ? i / 4 % (TC_TILE / 2) * 2 + i % 2 : i % TC_TILE,
                 y = by_quads ? i / 4 / (TC_TILE / 2) * 2 + i / 2 % 2 : i / TC_TILE;
        tile->offset[i] = table->x[x] ^ table->y[y];
        tile->mask |= tile->offset[i];
    }
    tile->run = (uint8_t)find_run(tile, element_B);
    find_pieces(tile);
}

static const struct pattern *find_pattern(struct tc_cache *cache, const struct amd_surface *surface)
{
    const struct amd_surface_desc *desc = &surface->desc;
    uint64_t key =
        desc->swizzle | (uint64_t)desc->dim << 8 | (uint64_t)desc->element_B << 16 | (uint64_t)desc->samples << 24;
    uint64_t *found = map64_get(&cache->patterns, key);
    if (found)
        return (const void *)(uintptr_t)*found;
    struct pattern *pattern = malloc(sizeof(*pattern));
    if (!pattern)
        return NULL;
    struct amd_surface plain = *surface;
    plain.xor_B = 0;
    amd_tiling_table_init(&pattern->table, &plain);
    find_tile(&pattern->tile, &pattern->table, desc->element_B, false);
    find_tile(&pattern->quads, &pattern->table, desc->element_B, true);
    if (!map64_set(&cache->patterns, key, (uintptr_t)pattern)) {
        free(pattern);
        return NULL;
    }
    return pattern;
}

static const uint8_t bc_orders[8][4] = {
    [AMD_BC_SWIZZLE_XYZW] = {0, 1, 2, 3}, [AMD_BC_SWIZZLE_XWYZ] = {0, 3, 1, 2}, [AMD_BC_SWIZZLE_WZYX] = {3, 2, 1, 0},
    [AMD_BC_SWIZZLE_WXYZ] = {3, 0, 1, 2}, [AMD_BC_SWIZZLE_ZYXW] = {2, 1, 0, 3}, [AMD_BC_SWIZZLE_YXWZ] = {1, 0, 3, 2},
};

static void set_shape(struct tc_image *image, const struct amd_desc_IMAGE *d)
{
    bool is_msaa = d->TYPE == AMD_IMG_TYPE_2D_MSAA || d->TYPE == AMD_IMG_TYPE_2D_MSAA_ARRAY;
    image->type = d->TYPE;
    image->is_3d = d->TYPE == AMD_IMG_TYPE_3D;
    image->tex.is_cube = d->TYPE == AMD_IMG_TYPE_CUBE;
    image->is_array = d->TYPE == AMD_IMG_TYPE_1D_ARRAY || d->TYPE == AMD_IMG_TYPE_2D_ARRAY ||
                      d->TYPE == AMD_IMG_TYPE_2D_MSAA_ARRAY || image->tex.is_cube;
    image->tex.axes = d->TYPE == AMD_IMG_TYPE_1D || d->TYPE == AMD_IMG_TYPE_1D_ARRAY ? 1 : image->is_3d ? 3 : 2;
    image->samples = is_msaa ? (uint8_t)(1u << MIN2(d->LAST_LEVEL, 4)) : 1;
    image->tex.base_level = is_msaa ? 0 : (uint8_t)d->BASE_LEVEL;
    image->tex.last_level = is_msaa ? 0 : (uint8_t)MAX2(d->LAST_LEVEL, d->BASE_LEVEL);
    image->tex.min_lod = (uint16_t)d->MIN_LOD;

    /* ARRAY_PITCH 1 is a volume whose slices are counted in the base level, from BASE_ARRAY on; otherwise BASE_ARRAY
     * does not count there. */
    image->slices_of_base = image->is_3d && (d->ARRAY_PITCH & 1);
    image->tex.first_layer = image->is_3d && !image->slices_of_base ? 0 : d->BASE_ARRAY;
    if (image->is_3d || image->is_array)
        image->tex.layers = d->DEPTH >= image->tex.first_layer ? d->DEPTH - image->tex.first_layer + 1 : 1;
    else
        image->tex.layers = 1;
}

static void set_levels(struct tc_image *image, const struct amd_desc_IMAGE *d)
{
    uint32_t depth = image->is_3d ? (d->DEPTH + 1) << (image->slices_of_base ? image->tex.base_level : 0) : 1;
    for (unsigned i = 0; i < TC_MAX_LEVELS; i++) {
        image->tex.level[i].width = MAX2((d->WIDTH + 1) >> i, 1u);
        image->tex.level[i].height = image->tex.axes == 1 ? 1 : MAX2((d->HEIGHT + 1) >> i, 1u);
        image->tex.level[i].depth = MAX2(depth >> i, 1u);
    }
}

static const char *set_surface(struct tc_cache *cache, struct tc_image *image, const struct amd_desc_IMAGE *d)
{
    const struct amd_swizzle_info *info = amd_swizzle_info(d->SW_MODE);
    if (!info)
        return "an image descriptor with a reserved swizzle mode";
    uint64_t va = (uint64_t)bits_sign_extend(d->BASE_ADDRESS << 8, 48);
    uint32_t levels = image->samples > 1 ? 1 : MAX2(d->MAX_MIP, image->tex.last_level) + 1;
    struct amd_surface_desc desc = {
        .swizzle = (enum amd_swizzle)d->SW_MODE,
        .dim = image->tex.axes == 1 ? AMD_DIM_1D
               : image->is_3d       ? AMD_DIM_3D
                                    : AMD_DIM_2D,
        .width = image->tex.level[0].width,
        .height = image->tex.level[0].height,
        .slices = image->is_3d ? image->tex.level[0].depth : image->tex.first_layer + image->tex.layers,
        .block_w = image->format.block_w,
        .block_h = image->format.block_h,
        .element_B = image->format.element_B,
        .samples = image->samples,
        .levels = (uint8_t)levels,
    };
    if (info->xor_kind != AMD_SWIZZLE_XOR_NONE) {
        unsigned block_log2 =
            info->block_log2 == AMD_SWIZZLE_BLOCK_VAR ? 14u + cache->config.pipes_log2 : info->block_log2;
        desc.pipe_bank_xor = (uint32_t)(va & bits_mask(block_log2)) >> 8;
        va &= ~bits_mask(block_log2);
    }
    /* A plain linear image has no layers: the field holds its pitch where that is not the usual one. */
    bool has_pitch = info->type == 'L' && levels == 1 && (d->TYPE == AMD_IMG_TYPE_1D || d->TYPE == AMD_IMG_TYPE_2D);
    uint32_t pitch = (d->DEPTH | (uint32_t)d->PITCH_MSB << 13) + 1;
    if (has_pitch && pitch > 1)
        desc.pitch = pitch;
    const char *problem = amd_surface_problem(&desc);
    if (problem)
        return problem;
    if (!amd_surface_init(&image->surface, &cache->config, &desc))
        return "an image descriptor whose swizzle mode has no equation for this element size and number of samples";
    image->base_va = va;
    const struct pattern *pattern = find_pattern(cache, &image->surface);
    if (!pattern)
        return "the host has no memory for a swizzle pattern";
    image->pattern = &pattern->table;
    image->tile = &pattern->tile;
    image->quads = &pattern->quads;
    return NULL;
}

/* The swizzle mode determines the kind of metadata: depth has HTILE, FMASK has CMASK, all else DCC. */
static const char *set_meta(struct tc_image *image, const struct amd_desc_IMAGE *d)
{
    if (!d->COMPRESSION_EN)
        return NULL;
    bool is_z = amd_swizzle_info(d->SW_MODE)->type == 'Z';
    enum amd_meta_kind kind = image->format.fmask_bits ? AMD_META_CMASK : is_z ? AMD_META_HTILE : AMD_META_DCC;
    image->meta_kind = kind == AMD_META_CMASK ? TC_META_CMASK : kind == AMD_META_HTILE ? TC_META_HTILE : TC_META_DCC;
    image->alpha_is_on_msb = d->ALPHA_IS_ON_MSB;
    /* The depth backend, which HTILE is of, has no dimensions but two. */
    struct amd_surface surface = image->surface;
    if (kind == AMD_META_HTILE && surface.desc.dim == AMD_DIM_1D)
        surface.desc.dim = AMD_DIM_2D;
    if (!amd_meta_init(&image->meta, kind, &surface, d->META_PIPE_ALIGNED))
        return "an image descriptor with compression metadata that its surface cannot have";
    if (!image->meta.has_equation)
        return "compression metadata of a surface whose metadata equation is not known";
    /* DCC takes part in the surface's pipe/bank bits, in so far as its alignment leaves room: the address carries them.
     */
    uint64_t va = (uint64_t)bits_sign_extend(d->META_ADDRESS << 8, 48);
    image->meta_va = kind == AMD_META_DCC ? va & ~(uint64_t)(image->meta.align_B - 1) : va;
    return NULL;
}

/* The piece that one code of metadata describes: 256 bytes, or 8 by 8 texels. False: that is not one piece of
 * memory. */
static bool set_pieces(struct tc_image *image)
{
    const unsigned square_B = 64u * image->format.element_B;
    if (image->meta_kind == TC_META_NONE)
        return true;
    if (image->meta_kind == TC_META_DCC)
        image->tex.piece_log2 = 8;
    else if (image->meta_kind == TC_META_HTILE && image->tile->exists && image->tile->mask < square_B)
        image->tex.piece_log2 = (uint8_t)__builtin_ctz(square_B);
    return image->tex.piece_log2 != 0 && image->format.block_w == 1;
}

static void decode_image(struct tc_cache *cache, struct tc_image *image, const uint32_t words[8])
{
    struct amd_desc_IMAGE d = amd_unpack_desc_IMAGE(AMD_GFX10_3, words);
    struct tex_places_set *places = image->places;
    tex_places_finish(places);
    memset(image, 0, sizeof(*image));
    memcpy(image->words, words, sizeof(image->words));
    image->places = places;
    image->is_null = d.TYPE < AMD_IMG_TYPE_1D;
    set_shape(image, &d);
    image->dst_sel[0] = d.DST_SEL_X;
    image->dst_sel[1] = d.DST_SEL_Y;
    image->dst_sel[2] = d.DST_SEL_Z;
    image->dst_sel[3] = d.DST_SEL_W;
    memcpy(image->bc_order, bc_orders[d.BC_SWIZZLE], sizeof(image->bc_order));
    if (image->is_null)
        return;
    set_levels(image, &d);
    if (!amd_tc_format_init(&image->format, d.FORMAT))
        image->problem = "an image descriptor with a format that is not implemented";
    else if (d.CORNER_SAMPLES)
        image->problem = "an image descriptor with corner samples is not implemented";
    else
        image->problem = set_surface(cache, image, &d);
    if (!image->problem)
        image->problem = set_meta(image, &d);
    image->tex.is_float = image->format.kind == TC_FLOAT;
    image->tex.is_signed = image->format.kind == TC_SINT;
    image->tex.clamps_reference = image->format.clamps_reference;
    if (!image->problem && image->samples == 1 && !image->format.fmask_bits && set_pieces(image))
        image->tex.format = image->format.format;
    memcpy(image->tex.order, image->format.order, sizeof(image->tex.order));
}

/* Of few words, in a place where a call would be most of the work. */
static uint32_t hash_image(const uint32_t words[8])
{
    uint64_t parts[4];
    memcpy(parts, words, sizeof(parts));
    uint64_t hash = parts[0] * 0x9e3779b97f4a7c15ull ^ parts[1] * 0xc2b2ae3d27d4eb4full ^
                    parts[2] * 0x165667b19e3779f9ull ^ parts[3] * 0xd6e8feb86659fd93ull;
    return (uint32_t)(hash >> 32);
}

static struct tc_image *new_image(void)
{
    struct tc_image *image = calloc(1, sizeof(*image));
    if (image && !(image->places = calloc(1, sizeof(*image->places)))) {
        free(image);
        return NULL;
    }
    return image;
}

const struct tc_image *amd_tc_image_get(struct tc_cache *cache, const uint32_t words[8])
{
    struct tc_image **slot = &cache->images[hash_image(words) % IMAGES];
    if (__builtin_expect(*slot && tc_are_same((*slot)->words, words, 8), 1))
        return *slot;
    if (!*slot && !(*slot = new_image()))
        return NULL;
    decode_image(cache, *slot, words);
    return *slot;
}

/* ---- samplers ---- */

static const char *sampler_problem(const struct amd_desc_SAMPLER *d)
{
    if (d->FORCE_DEGAMMA)
        return "a sampler that forces degamma is not implemented";
    if (d->FILTER_MODE > AMD_TEX_REDUCTION_MAX)
        return "a sampler with a reserved reduction mode";
    if (d->LOD_BIAS_SEC)
        return "a sampler with a secondary LOD bias is not implemented";
    return NULL;
}

/* Descriptors have the shared room's codes. */
_Static_assert((int)AMD_TEX_CLAMP_WRAP == (int)TEX_REPEAT && (int)AMD_TEX_CLAMP_MIRROR == (int)TEX_MIRROR &&
                   (int)AMD_TEX_CLAMP_CLAMP_LAST_TEXEL == (int)TEX_CLAMP_TO_EDGE &&
                   (int)AMD_TEX_CLAMP_MIRROR_ONCE_LAST_TEXEL == (int)TEX_MIRROR_ONCE_TO_EDGE &&
                   (int)AMD_TEX_CLAMP_CLAMP_HALF_BORDER == (int)TEX_CLAMP_TO_HALF_BORDER &&
                   (int)AMD_TEX_CLAMP_MIRROR_ONCE_HALF_BORDER == (int)TEX_MIRROR_ONCE_TO_HALF_BORDER &&
                   (int)AMD_TEX_CLAMP_CLAMP_BORDER == (int)TEX_CLAMP_TO_BORDER &&
                   (int)AMD_TEX_CLAMP_MIRROR_ONCE_BORDER == (int)TEX_MIRROR_ONCE_TO_BORDER,
               "address modes");

static enum tex_reduction reduction_of(unsigned mode)
{
    return mode == AMD_TEX_REDUCTION_BLEND ? TEX_MEAN : mode == AMD_TEX_REDUCTION_MIN ? TEX_MIN : TEX_MAX;
}

static void decode_sampler(struct tc_sampler *sampler, const uint32_t words[4])
{
    struct amd_desc_SAMPLER d = amd_unpack_desc_SAMPLER(AMD_GFX10_3, words);
    bool is_aniso = d.XY_MAG_FILTER >= AMD_TEX_FILTER_ANISO_POINT || d.XY_MIN_FILTER >= AMD_TEX_FILTER_ANISO_POINT;
    *sampler = (struct tc_sampler){
        .problem = sampler_problem(&d),
        .border_type = d.BORDER_COLOR_TYPE,
        .border = (uint16_t)d.BORDER_COLOR_PTR,
        .tex =
            {
                .wrap = {d.CLAMP_X, d.CLAMP_Y, d.CLAMP_Z},
                .reduction = reduction_of(d.FILTER_MODE),
                .compare = d.DEPTH_COMPARE_FUNC,
                .mag_linear = d.XY_MAG_FILTER & 1,
                .min_linear = d.XY_MIN_FILTER & 1,
                .z_follows_xy = d.Z_FILTER == AMD_TEX_MIP_FILTER_NONE,
                .z_linear = d.Z_FILTER == AMD_TEX_MIP_FILTER_LINEAR,
                .mip_linear = d.MIP_FILTER == AMD_TEX_MIP_FILTER_LINEAR,
                .mip_none = d.MIP_FILTER == AMD_TEX_MIP_FILTER_NONE,
                .is_seamless = !d.DISABLE_CUBE_WRAP,
                .is_encoded = d.SKIP_DEGAMMA,
                .trunc = d.TRUNC_COORD,
                .unnormalized = d.FORCE_UNNORMALIZED,
                .max_aniso = is_aniso && d.MAX_ANISO_RATIO ? 1u << MIN2(d.MAX_ANISO_RATIO, 4) : 1,
                .lod_bias = (float)d.LOD_BIAS / 256,
                .bias_limit = 16,
                .min_lod = (float)d.MIN_LOD / 256,
                .max_lod = (float)MAX2(d.MAX_LOD, d.MIN_LOD) / 256,
            },
    };
    memcpy(sampler->words, words, sizeof(sampler->words));
}

static uint32_t hash_sampler(const uint32_t words[4])
{
    uint64_t parts[2];
    memcpy(parts, words, sizeof(parts));
    return (uint32_t)((parts[0] * 0x9e3779b97f4a7c15ull ^ parts[1] * 0xc2b2ae3d27d4eb4full) >> 32);
}

const struct tc_sampler *amd_tc_sampler_get(struct tc_cache *cache, const uint32_t words[4])
{
    struct tc_sampler **slot = &cache->samplers[hash_sampler(words) % SAMPLERS];
    if (__builtin_expect(*slot && tc_are_same((*slot)->words, words, 4), 1))
        return *slot;
    if (!*slot && !(*slot = malloc(sizeof(**slot))))
        return NULL;
    decode_sampler(*slot, words);
    return *slot;
}

/* ---- compressed blocks ---- */

struct tex_blocks *amd_tc_cache_blocks(struct tc_cache *cache)
{
    return &cache->blocks;
}

tex_texels amd_tc_block_get(struct tc_cache *cache, enum format format, const void *block, unsigned block_B)
{
    return tex_block_get(&cache->blocks, format, false, block, block_B);
}
