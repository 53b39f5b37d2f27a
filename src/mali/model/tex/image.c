/* See image.h. */
#include "mali/model/tex/image.h"

#include <stdlib.h>
#include <string.h>

#include "model/pixel/pixel.h"
#include "util/bits.h"
#include "util/hash.h"

#define IMAGES 512
#define SAMPLERS 128
#define MAX_PLANES 256      /* decoded of one texture */
#define MAX_TABLE_PLANES 64 /* of a texture that tables are made for: all are compared each time */
#define PLANE_B (MALI_DESC_PLANE_DW * 4u)

struct mali_tex_cache {
    struct mali_tex_image *images[IMAGES];
    struct mali_tex_sampler *samplers[SAMPLERS];
    struct tex_blocks blocks;
};

struct mali_tex_cache *mali_tex_cache_create(void)
{
    return calloc(1, sizeof(struct mali_tex_cache));
}

static void image_destroy(struct mali_tex_image *image)
{
    if (image) {
        tex_places_finish(&image->places);
        free(image->planes);
    }
    free(image);
}

void mali_tex_cache_destroy(struct mali_tex_cache *cache)
{
    if (!cache)
        return;
    for (unsigned i = 0; i < IMAGES; i++)
        image_destroy(cache->images[i]);
    for (unsigned i = 0; i < SAMPLERS; i++)
        free(cache->samplers[i]);
    tex_blocks_finish(&cache->blocks);
    free(cache);
}

struct tex_blocks *mali_tex_cache_blocks(struct mali_tex_cache *cache)
{
    return &cache->blocks;
}

/* ---- planes ---- */

static enum format astc_format(const struct mali_desc_PLANE *d)
{
    static const uint8_t sizes[8] = {4, 5, 6, 0, 8, 0, 10, 12};
    static const struct {
        uint8_t w, h;
        uint32_t format;
    } rows[] = {
        {4, 4, FORMAT_ASTC_4x4_UNORM_BLOCK},     {5, 4, FORMAT_ASTC_5x4_UNORM_BLOCK},
        {5, 5, FORMAT_ASTC_5x5_UNORM_BLOCK},     {6, 5, FORMAT_ASTC_6x5_UNORM_BLOCK},
        {6, 6, FORMAT_ASTC_6x6_UNORM_BLOCK},     {8, 5, FORMAT_ASTC_8x5_UNORM_BLOCK},
        {8, 6, FORMAT_ASTC_8x6_UNORM_BLOCK},     {8, 8, FORMAT_ASTC_8x8_UNORM_BLOCK},
        {10, 5, FORMAT_ASTC_10x5_UNORM_BLOCK},   {10, 6, FORMAT_ASTC_10x6_UNORM_BLOCK},
        {10, 8, FORMAT_ASTC_10x8_UNORM_BLOCK},   {10, 10, FORMAT_ASTC_10x10_UNORM_BLOCK},
        {12, 10, FORMAT_ASTC_12x10_UNORM_BLOCK}, {12, 12, FORMAT_ASTC_12x12_UNORM_BLOCK},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        if (rows[i].w == sizes[d->ASTC_2D_WIDTH & 7] && rows[i].h == sizes[d->ASTC_2D_HEIGHT & 7])
            return (enum format)rows[i].format;
    }
    return FORMAT_UNDEFINED;
}

static const char *set_astc(struct mali_tex_plane *plane, const struct mali_desc_PLANE *d, struct mali_pixel_bits bits)
{
    enum format format = astc_format(d);
    if (d->ASTC_DECODE_HDR)
        return "ASTC with a high dynamic range is not implemented";
    if (!format || !mali_pixel_init_block(&plane->pixel, format, !d->ASTC_DECODE_WIDE, bits))
        return "a block size of ASTC that does not exist";
    return NULL;
}

/* Clumps whose bits are not simply those of the texture's format. */
static const struct {
    uint8_t number;
    uint32_t format;
    uint8_t at_B, channel; /* of memory: stencil is the second one */
} holes[] = {
    {MALI_CLUMP_FORMAT_D32X32, FORMAT_D32_SFLOAT, 0, 0}, {MALI_CLUMP_FORMAT_X32D32, FORMAT_D32_SFLOAT, 4, 0},
    {MALI_CLUMP_FORMAT_X32S8X24, FORMAT_S8_UINT, 4, 1},  {MALI_CLUMP_FORMAT_X24S8X32, FORMAT_S8_UINT, 3, 1},
    {MALI_CLUMP_FORMAT_X24S8, FORMAT_S8_UINT, 3, 1},     {MALI_CLUMP_FORMAT_S8X24, FORMAT_S8_UINT, 0, 1},
    {MALI_CLUMP_FORMAT_S8, FORMAT_S8_UINT, 0, 1},        {MALI_CLUMP_FORMAT_A8, FORMAT_R8_UNORM, 0, 3},
};

static const char *set_clump(struct mali_tex_plane *plane, const struct mali_desc_PLANE *d, struct mali_pixel_bits bits)
{
    const struct mali_clump *clump = mali_clump_find(d->CLUMP_FORMAT);
    if (!clump)
        return "a format of clumps that is not implemented";
    if (clump->format)
        return mali_pixel_init_block(&plane->pixel, clump->format, false, bits)
                   ? NULL
                   : "a compressed format that has no such order or curve";
    for (unsigned i = 0; i < ARRAY_SIZE(holes); i++) {
        if (holes[i].number == clump->number)
            return mali_pixel_init_bytes(&plane->pixel, (enum format)holes[i].format, clump->size_B, holes[i].at_B,
                                         holes[i].channel, bits)
                       ? NULL
                       : "an order of channels that does not exist";
    }
    if (!mali_pixel_init(&plane->pixel, bits))
        return "a format that is not implemented for textures, or not with this order";
    if (!plane->pixel.is_constant && plane->pixel.size_B != clump->size_B)
        return "a format whose texels are not as large as the clumps of its plane";
    return NULL;
}

/* Stencil and depth that are beside each other are where the mode says; all else is as the texture's format has it. */
static const char *set_afbc(struct mali_tex_plane *plane, const struct mali_desc_PLANE *d, struct mali_pixel_bits bits)
{
    bool is_good;
    if (d->AFBC_SUPERBLOCK > MALI_AFBC_SUPERBLOCK_64X4)
        return "a size of superblocks that does not exist";
    if (d->AFBC_MODE == MALI_AFBC_MODE_X24S8)
        is_good = mali_pixel_init_bytes(&plane->pixel, FORMAT_S8_UINT, 4, 3, 1, bits);
    else if (d->AFBC_MODE == MALI_AFBC_MODE_S8)
        is_good = mali_pixel_init_bytes(&plane->pixel, FORMAT_S8_UINT, 1, 0, 1, bits);
    else
        is_good = mali_pixel_init(&plane->pixel, bits) && !plane->pixel.is_constant;
    if (!is_good)
        return "a format that is not implemented for AFBC, or not with this order";
    /* Depth of 24 bits has no fourth byte there, though the texture's format has one. */
    const bool is_d24 = plane->pixel.format == FORMAT_X8_D24_UNORM_PACK32 && d->AFBC_MODE == MALI_AFBC_MODE_R8G8B8;
    const unsigned pixel_B = is_d24 ? 3 : plane->pixel.size_B;
    plane->is_afbc = true;
    plane->afbc = (struct mali_afbc){d->ROW_STRIDE, (uint8_t)(4 + d->AFBC_SUPERBLOCK), (uint8_t)pixel_B,
                                     (uint8_t)mali_afbc_header_tile_log2(d->AFBC_TILED_HEADER, pixel_B)};
    return NULL;
}

static const char *set_tiles(struct mali_tex_plane *plane, const struct mali_desc_PLANE *d)
{
    enum mali_order order = MALI_ORDER_LINEAR;
    if (d->CLUMP_ORDERING == MALI_CLUMP_ORDERING_TILED_U_INTERLEAVED)
        order = MALI_ORDER_TILED;
    else if (d->CLUMP_ORDERING == MALI_CLUMP_ORDERING_INTERLEAVED_64K && plane->pixel.size_B &&
             is_power_of_two(plane->pixel.size_B))
        order = MALI_ORDER_64K;
    else if (d->CLUMP_ORDERING != MALI_CLUMP_ORDERING_LINEAR)
        return "an order of clumps that is not implemented";
    plane->tile = mali_tile_init(plane->pixel.size_B, d->ROW_STRIDE, order, plane->pixel.is_compressed);
    return NULL;
}

static const char *decode_plane(struct mali_tex_plane *plane, struct mali_pixel_bits bits)
{
    struct mali_desc_PLANE d = mali_unpack_desc_PLANE(plane->words);
    const char *problem = NULL;
    plane->is_null = d.PLANE_TYPE == MALI_PLANE_TYPE_NULL;
    plane->base_va = d.POINTER;
    plane->slice_B = d.SLICE_STRIDE;
    plane->width = d.WIDTH;
    plane->height = d.HEIGHT;
    if (plane->is_null)
        return NULL;
    if (d.PLANE_TYPE == MALI_PLANE_TYPE_ASTC_2D)
        problem = set_astc(plane, &d, bits);
    else if (d.PLANE_TYPE == MALI_PLANE_TYPE_GENERIC)
        problem = set_clump(plane, &d, bits);
    else if (d.PLANE_TYPE == MALI_PLANE_TYPE_AFBC)
        return set_afbc(plane, &d, bits);
    else
        problem = "a kind of plane that is not implemented";
    return problem ? problem : set_tiles(plane, &d);
}

const struct mali_tex_plane *mali_tex_plane_get(struct mali_tex_image *image, const struct gpu_space *space,
                                                unsigned level, uint32_t layer, uint64_t *fault_out)
{
    uint64_t number = (uint64_t)layer * image->levels + level;
    uint64_t va = image->planes_va + number * PLANE_B;
    struct mali_tex_plane *plane = &image->planes[number % image->plane_slots];
    uint32_t copy[MALI_DESC_PLANE_DW];
    const uint32_t *words = gpu_space_pointer(space, va, PLANE_B, GPU_PERM_READ);
    if (__builtin_expect(!words, 0)) {
        if (gpu_space_read(space, va, copy, PLANE_B) != PLANE_B) {
            *fault_out = va;
            return NULL;
        }
        words = copy;
    }
    if (__builtin_expect(memcmp(plane->words, words, PLANE_B) == 0, 1))
        return plane;
    memset(plane, 0, sizeof(*plane));
    memcpy(plane->words, words, PLANE_B);
    plane->problem = decode_plane(plane, image->bits);
    image->plane_changes++;
    return plane;
}

/* ---- textures ---- */

static uint32_t minify_size(uint32_t size, unsigned level)
{
    return MAX2(size >> level, 1u);
}

static void set_shape(struct mali_tex_image *image, const struct mali_desc_TEXTURE *d)
{
    struct tex_image *tex = &image->tex;
    image->is_3d = d->DIMENSION == MALI_TEXTURE_DIMENSION_3D;
    image->levels = d->LEVELS;
    image->samples = image->is_3d ? 1 : d->SAMPLE_COUNT;
    tex->is_cube = d->DIMENSION == MALI_TEXTURE_DIMENSION_CUBE;
    tex->axes = d->DIMENSION == MALI_TEXTURE_DIMENSION_1D ? 1 : image->is_3d ? 3 : 2;
    tex->last_level = (uint8_t)(MIN2(d->LEVELS, TEX_MAX_LEVELS + 0u) - 1);
    tex->min_lod = (uint16_t)d->MINIMUM_LOD;
    tex->layers = tex->is_cube ? d->ARRAY_SIZE * 6 : d->ARRAY_SIZE;
    for (unsigned i = 0; i <= tex->last_level; i++) {
        tex->level[i].width = minify_size(d->WIDTH, i);
        tex->level[i].height = tex->axes == 1 ? 1 : minify_size(d->HEIGHT, i);
        tex->level[i].depth = image->is_3d ? minify_size(d->DEPTH, i) : 1;
    }
}

static const char *set_texture(struct mali_tex_image *image, const struct mali_desc_TEXTURE *d)
{
    if (d->BYTES_REVERSED)
        return "texels of big-endian bytes are not implemented";
    if (d->LEVELS > TEX_MAX_LEVELS)
        return "more levels than there can be";
    if (d->SAMPLE_CORNER_POSITION || d->NORMALIZE_COORDINATES || d->MINIMUM_LEVEL)
        return "a corner as the sample's place, integers as normalised coordinates and a least level are not "
               "implemented";
    for (unsigned i = 0; i < 4; i++) {
        if (image->swizzle[i] > MALI_CHANNEL_1)
            return "a swizzle that does not exist";
    }
    set_shape(image, d);
    return NULL;
}

/* The kind of a texture's texels is known with its first plane: all others must have the same. */
static const char *look_at_plane(struct mali_tex_image *image, const struct gpu_space *space, uint64_t *fault_out)
{
    const struct mali_tex_plane *plane = mali_tex_plane_get(image, space, 0, 0, fault_out);
    if (!plane)
        return "a plane of a texture that is not mapped";
    if (plane->problem)
        return plane->problem;
    image->is_null = plane->is_null;
    image->pixel = plane->pixel;
    image->tex.is_float = plane->is_null || plane->pixel.kind == MALI_PIXEL_FLOAT;
    image->tex.is_signed = !plane->is_null && plane->pixel.kind == MALI_PIXEL_SINT;
    image->tex.clamps_reference = plane->pixel.numeric == FORMAT_NUMERIC_UNORM;
    bool is_plain = image->samples == 1 && !plane->is_null && !plane->pixel.is_constant &&
                    (!plane->is_afbc || plane->afbc.pixel_B == plane->pixel.size_B) &&
                    image->levels * image->tex.layers <= MAX_TABLE_PLANES;
    image->tex.format = is_plain ? plane->pixel.format : FORMAT_UNDEFINED;
    image->tex.is_narrow = plane->pixel.is_narrow;
    memcpy(image->tex.order, plane->pixel.from, sizeof(image->tex.order));
    return NULL;
}

static bool decode_image(struct mali_tex_image *image, const uint32_t words[MALI_DESC_TEXTURE_DW])
{
    struct mali_desc_TEXTURE d = mali_unpack_desc_TEXTURE(words);
    tex_places_finish(&image->places);
    free(image->planes);
    memset(image, 0, sizeof(*image));
    memcpy(image->words, words, sizeof(image->words));
    const uint8_t swizzle[4] = {(uint8_t)d.SWIZZLE_R, (uint8_t)d.SWIZZLE_G, (uint8_t)d.SWIZZLE_B, (uint8_t)d.SWIZZLE_A};
    memcpy(image->swizzle, swizzle, sizeof(swizzle));
    image->bits = (struct mali_pixel_bits){d.FORMAT, d.ORDER, d.SRGB};
    image->planes_va = d.SURFACES;
    image->plane_slots = 1;
    image->is_null = d.TYPE == MALI_DESCRIPTOR_TYPE_NULL;
    image->tex.is_float = true;
    image->tex.axes = 2;
    image->tex.layers = 1;
    image->tex.level[0].width = image->tex.level[0].height = image->tex.level[0].depth = 1;
    if (!image->is_null && d.TYPE != MALI_DESCRIPTOR_TYPE_TEXTURE)
        image->problem = "a descriptor that is none of a texture";
    else if (!image->is_null)
        image->problem = set_texture(image, &d);
    if (!image->is_null && !image->problem)
        image->plane_slots = MIN2(image->levels * image->tex.layers, (unsigned)MAX_PLANES);
    image->planes = calloc(image->plane_slots, sizeof(*image->planes));
    if (image->planes) {
        for (unsigned i = 0; i < image->plane_slots; i++)
            image->planes[i].is_null = true; /* what words of zero mean */
    }
    return image->planes != NULL;
}

struct mali_tex_image *mali_tex_image_get(struct mali_tex_cache *cache, const struct gpu_space *space,
                                          const uint32_t words[MALI_DESC_TEXTURE_DW], uint64_t *fault_out)
{
    uint64_t parts[4];
    memcpy(parts, words, sizeof(parts));
    uint64_t hash = parts[0] * 0x9e3779b97f4a7c15ull ^ parts[1] * 0xc2b2ae3d27d4eb4full ^
                    parts[2] * 0x165667b19e3779f9ull ^ parts[3] * 0xd6e8feb86659fd93ull;
    struct mali_tex_image **slot = &cache->images[(hash >> 32) % IMAGES];
    *fault_out = 0;
    if (__builtin_expect(!*slot || memcmp((*slot)->words, words, sizeof((*slot)->words)) != 0, 0)) {
        if (!*slot && !(*slot = calloc(1, sizeof(**slot))))
            return NULL;
        if (!decode_image(*slot, words)) {
            image_destroy(*slot);
            *slot = NULL;
            return NULL;
        }
        (*slot)->is_decoded_null = (*slot)->is_null;
        (*slot)->decoded_problem = (*slot)->problem;
    }
    struct mali_tex_image *image = *slot;
    image->problem = image->decoded_problem;
    if (!image->problem && !image->is_decoded_null)
        image->problem = look_at_plane(image, space, fault_out);
    return image;
}

/* ---- samplers ---- */

static const uint8_t wraps[16] = {
    [MALI_WRAP_MODE_REPEAT] = TEX_REPEAT,
    [MALI_WRAP_MODE_CLAMP_TO_EDGE] = TEX_CLAMP_TO_EDGE,
    [MALI_WRAP_MODE_CLAMP_TO_BORDER] = TEX_CLAMP_TO_BORDER,
    [MALI_WRAP_MODE_MIRRORED_REPEAT] = TEX_MIRROR,
    [MALI_WRAP_MODE_MIRRORED_CLAMP_TO_EDGE] = TEX_MIRROR_ONCE_TO_EDGE,
    [MALI_WRAP_MODE_MIRRORED_CLAMP_TO_BORDER] = TEX_MIRROR_ONCE_TO_BORDER,
};

static bool is_wrap(unsigned mode)
{
    return mode == MALI_WRAP_MODE_REPEAT || wraps[mode & 15] != TEX_REPEAT;
}

static const char *sampler_problem(const struct mali_desc_SAMPLER *d)
{
    if (d->TYPE != MALI_DESCRIPTOR_TYPE_SAMPLER)
        return "a descriptor that is none of a sampler";
    if (!is_wrap(d->WRAP_MODE_S) || !is_wrap(d->WRAP_MODE_T) || !is_wrap(d->WRAP_MODE_R))
        return "an address mode that does not exist";
    if (d->REDUCTION_MODE == 1)
        return "a reduction that does not exist";
    if (d->LOD_ALGORITHM != MALI_LOD_ALGORITHM_ISOTROPIC && d->LOD_ALGORITHM != MALI_LOD_ALGORITHM_ANISOTROPIC)
        return "an algorithm of the level of detail that is not known";
    if (d->SRGB_OVERRIDE)
        return "texels without their sRGB curve are not implemented";
    if (d->MAGNIFY_CUTOFF)
        return "a cut-off between magnification and minification at one half is not implemented";
    return NULL;
}

/* The hardware compares the texel with the reference, texture.h the reference with the texel. */
static uint8_t turned_compare(unsigned func)
{
    static const uint8_t turned[8] = {
        [MALI_FUNC_NEVER] = PIXEL_NEVER,          [MALI_FUNC_LESS] = PIXEL_GREATER,
        [MALI_FUNC_EQUAL] = PIXEL_EQUAL,          [MALI_FUNC_LEQUAL] = PIXEL_GREATER_OR_EQUAL,
        [MALI_FUNC_GREATER] = PIXEL_LESS,         [MALI_FUNC_NOT_EQUAL] = PIXEL_NOT_EQUAL,
        [MALI_FUNC_GEQUAL] = PIXEL_LESS_OR_EQUAL, [MALI_FUNC_ALWAYS] = PIXEL_ALWAYS,
    };
    return turned[func & 7];
}

static void decode_sampler(struct mali_tex_sampler *sampler, const uint32_t words[MALI_DESC_SAMPLER_DW])
{
    struct mali_desc_SAMPLER d = mali_unpack_desc_SAMPLER(words);
    bool is_aniso = d.LOD_ALGORITHM == MALI_LOD_ALGORITHM_ANISOTROPIC;
    *sampler = (struct mali_tex_sampler){
        .problem = sampler_problem(&d),
        .border = {d.BORDER_COLOR_R, d.BORDER_COLOR_G, d.BORDER_COLOR_B, d.BORDER_COLOR_A},
        .tex =
            {
                .wrap = {wraps[d.WRAP_MODE_S], wraps[d.WRAP_MODE_T], wraps[d.WRAP_MODE_R]},
                .reduction = d.REDUCTION_MODE == MALI_REDUCTION_MODE_MINIMUM   ? TEX_MIN
                             : d.REDUCTION_MODE == MALI_REDUCTION_MODE_MAXIMUM ? TEX_MAX
                                                                               : TEX_MEAN,
                .compare = turned_compare(d.COMPARE_FUNCTION),
                .mag_linear = !d.MAGNIFY_NEAREST,
                .min_linear = !d.MINIFY_NEAREST,
                .z_follows_xy = true,
                .mip_linear = d.MIPMAP_MODE >= 2,
                .mip_none = d.MIPMAP_MODE == MALI_MIPMAP_MODE_NONE,
                .is_seamless = d.SEAMLESS_CUBE_MAP,
                .trunc = !d.ROUND_TO_NEAREST_EVEN,
                .unnormalized = !d.NORMALIZED_COORDINATES,
                .max_aniso = is_aniso ? d.MAXIMUM_ANISOTROPY : 1,
                .lod_bias = (float)d.LOD_BIAS / 256,
                .min_lod = (float)d.MINIMUM_LOD / 256,
                .max_lod = (float)MAX2(d.MAXIMUM_LOD, d.MINIMUM_LOD) / 256,
                .bias_limit = 16,
            },
    };
    memcpy(sampler->words, words, sizeof(sampler->words));
}

const struct mali_tex_sampler *mali_tex_sampler_get(struct mali_tex_cache *cache,
                                                    const uint32_t words[MALI_DESC_SAMPLER_DW])
{
    struct mali_tex_sampler **slot = &cache->samplers[hash_bytes(words, MALI_DESC_SAMPLER_DW * 4) % SAMPLERS];
    if (__builtin_expect(*slot && memcmp((*slot)->words, words, MALI_DESC_SAMPLER_DW * 4) == 0, 1))
        return *slot;
    if (!*slot && !(*slot = malloc(sizeof(**slot))))
        return NULL;
    decode_sampler(*slot, words);
    return *slot;
}
