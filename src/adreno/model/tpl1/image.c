/* See image.h. The hardware derives levels from the base, the pitch and the size of the first one, as
 * adreno/hw/tiling/surface.h places them. */
#include "adreno/model/tpl1/image.h"

#include <stdlib.h>
#include <string.h>

#include "adreno/model/ubwc/ubwc.h"
#include "model/pixel/pixel.h"
#include "util/bits.h"
#include "util/hash.h"

#define IMAGES 512
#define SAMPLERS 128

#define PAGE_B 4096u
#define MIN_TILED_WIDTH 16u

struct tpl1_cache {
    struct tpl1_image *images[IMAGES];
    struct tpl1_sampler *samplers[SAMPLERS];
    struct tex_blocks blocks;
};

struct tpl1_cache *adreno_tpl1_cache_create(void)
{
    return calloc(1, sizeof(struct tpl1_cache));
}

static void finish_places(struct tex_places_set *places)
{
    for (unsigned i = 0; i < TPL1_MAX_PLANES; i++)
        tex_places_finish(&places[i]);
}

void adreno_tpl1_cache_destroy(struct tpl1_cache *cache)
{
    if (!cache)
        return;
    for (unsigned i = 0; i < IMAGES; i++) {
        if (!cache->images[i])
            continue;
        finish_places(cache->images[i]->places);
        free(cache->images[i]->places);
        free(cache->images[i]);
    }
    for (unsigned i = 0; i < SAMPLERS; i++)
        free(cache->samplers[i]);
    tex_blocks_finish(&cache->blocks);
    free(cache);
}

/* ---- images ---- */

static uint32_t minify_size(uint32_t size, unsigned level)
{
    return MAX2(size >> level, 1u);
}

/* Rows of a tiled level's height are whole macrotiles, or two of them where elements have a byte, and where they are
 * two channels of one. */
static uint32_t tiled_rows(const struct tpl1_image *image)
{
    return image->element_B == 1 || (image->element_B == 2 && image->format.is_two_bytes) ? 32 : 16;
}

static void set_shape(struct tpl1_image *image, const struct adreno_desc_IMAGE *d)
{
    struct tex_image *tex = &image->tex;
    image->is_3d = d->TYPE == ADRENO_TEX_TYPE_3D;
    tex->is_cube = d->TYPE == ADRENO_TEX_TYPE_CUBE;
    tex->axes = d->TYPE == ADRENO_TEX_TYPE_1D ? 1 : image->is_3d ? 3 : 2;
    tex->last_level = (uint8_t)(image->format.is_video ? 0 : MIN2(d->MIPLVLS, ADRENO_MAX_LEVELS - 1u));
    tex->min_lod = (uint16_t)(image->format.is_video ? 0 : image->words[6] & 0xfff);
    uint32_t depth = MAX2(d->DEPTH, 1u);
    tex->layers = image->is_3d ? 1 : tex->is_cube ? depth * 6 : depth;
    for (unsigned i = 0; i <= tex->last_level; i++) {
        tex->level[i].width = minify_size(d->WIDTH, i);
        tex->level[i].height = minify_size(d->HEIGHT, i);
        tex->level[i].depth = image->is_3d ? minify_size(depth, i) : 1;
    }
}

static void set_level(struct tpl1_image *image, const struct adreno_desc_IMAGE *d, unsigned i)
{
    struct tpl1_level *level = &image->level[i];
    level->pitch_B = i ? (uint32_t)align_u64(MAX2(d->PITCH >> i, 1u), 64ull << d->PITCHALIGN) : d->PITCH;
    level->is_tiled =
        d->TILE_MODE == ADRENO_TILE_MODE_TILE6_3 && (d->TILE_ALL || image->tex.level[i].width >= MIN_TILED_WIDTH);
    if (level->is_tiled)
        level->tile = adreno_tile_init(image->chip, image->element_B, level->pitch_B);
    if (image->is_3d)
        level->slice_B = MAX2(d->ARRAY_PITCH >> (2 * i), d->MIN_LAYERSZ);
    else
        level->slice_B = d->ARRAY_PITCH;
}

static void set_levels(struct tpl1_image *image, const struct adreno_desc_IMAGE *d)
{
    uint64_t offset_B = 0;
    for (unsigned i = 0; i <= image->tex.last_level; i++) {
        struct tpl1_level *level = &image->level[i];
        set_level(image, d, i);
        level->offset_B = offset_B;
        uint64_t rows = div_round_up(image->tex.level[i].height, image->format.block_h);
        if (level->is_tiled)
            rows = align_u64(rows, tiled_rows(image));
        offset_B += image->is_3d ? level->slice_B * image->tex.level[i].depth : rows * level->pitch_B;
        if (d->FLAG && level->is_tiled)
            offset_B = align_u64(offset_B, PAGE_B);
    }
}

/* Where the flags of the first level are. Two channels of a byte have flags of their own kind, which nothing here
 * writes (rb/surface.h). */
static void set_flags(struct tpl1_image *image, const struct adreno_desc_IMAGE *d)
{
    const struct adreno_flag_block block = adreno_flag_block(image->format.element_B, d->SAMPLES);
    if (!d->FLAG || !image->level[0].is_tiled || image->format.is_two_bytes || !block.w_log2)
        return;
    image->flag_va = d->FLAG_BUFFER;
    image->flag_pitch_B = d->FLAG_BUFFER_PITCH;
    image->flag_layer_B = (uint64_t)d->FLAG_BUFFER_ARRAY_PITCH * 4; /* the field counts dwords */
    image->flag_w = (uint8_t)(1u << block.w_log2);
    image->flag_h = (uint8_t)(1u << block.h_log2);
    for (unsigned i = 0; i < 2 && image->tex.last_level; i++) {
        const struct adreno_surface_info info = {
            .width = image->flag_pitch_B << block.w_log2,
            .height = d->HEIGHT + i,
            .depth = 1,
            .levels = image->tex.last_level + 1u,
            .layers = 1,
            .samples = 1u << d->SAMPLES,
            .block_B = image->format.element_B,
            .block_w = 1,
            .block_h = 1,
            .is_tiled = true,
            .has_ubwc = true,
        };
        struct adreno_surface surface;
        if (!adreno_surface_init(&surface, image->chip, &info))
            continue;
        for (unsigned level = 0; level < surface.level_count; level++)
            image->flag_offset_B[i][level] = surface.levels[level].flag_offset_B;
    }
}

/* Nothing reads or writes texels before. */
static void open_level(const struct tpl1_image *image, const struct gpu_space *space, unsigned i, uint64_t flag_offset_B)
{
    const struct tpl1_level *level = &image->level[i];
    const struct tex_image *tex = &image->tex;
    const uint32_t columns = (uint32_t)div_round_up(tex->level[i].width, image->flag_w),
                   rows = (uint32_t)div_round_up(tex->level[i].height, image->flag_h);
    for (uint32_t z = 0; z < (image->is_3d ? tex->level[i].depth : tex->layers); z++) {
        const struct adreno_ubwc ubwc = {
            .space = space,
            .tile = &level->tile,
            .texels_va = image->base_va + level->offset_B + z * level->slice_B,
            .flags_va = image->flag_va + flag_offset_B + z * image->flag_layer_B,
            .flag_pitch_B = MAX2(image->flag_pitch_B >> i, 64u),
            .is_guess = i > 0,
        };
        if (adreno_ubwc_has_marks(&ubwc, image->format.element_B, log2_floor(image->flag_w), log2_floor(image->flag_h)))
            adreno_ubwc_open(&ubwc, 0, 0, columns, rows);
    }
}

static void open_image(struct tpl1_image *image, const struct tpl1_state *state)
{
    image->opened = state->ubwc_changes;
    for (unsigned i = 0; i <= image->tex.last_level && image->level[i].is_tiled; i++) {
        open_level(image, state->space, i, image->flag_offset_B[0][i]);
        if (image->flag_offset_B[1][i] != image->flag_offset_B[0][i])
            open_level(image, state->space, i, image->flag_offset_B[1][i]);
    }
}

/* GMEM's rows are linear, and so are its layers (rb/rb.h); the pitch says how wide a bin is, the register how high. */
static void set_gmem(struct tpl1_image *image, const struct adreno_desc_IMAGE *d)
{
    image->is_gmem = true;
    image->level[0].pitch_B = d->PITCH;
}

/* The flags of a plane's UBWC stand before its texels, and their size is known from the plane's. */
static uint64_t video_flags_B(uint32_t width, uint32_t height, bool is_luma)
{
    uint64_t pitch_B = align_u64(div_round_up(width, is_luma ? 32 : 16), 64);
    uint64_t rows = align_u64(div_round_up(height, 8), 16);
    return align_u64(pitch_B * rows, PAGE_B);
}

static void set_planes(struct tpl1_image *image, const struct adreno_desc_IMAGE *image_words)
{
    struct adreno_desc_PLANES d = adreno_unpack_desc_PLANES(image->words);
    uint64_t bases[] = {d.BASE_U, d.BASE_V};
    uint32_t width = (uint32_t)div_round_up(d.WIDTH, 2), height = (uint32_t)div_round_up(d.HEIGHT, 2);
    image->chroma_midpoint[0] = d.CHROMA_MIDPOINT_X;
    image->chroma_midpoint[1] = d.CHROMA_MIDPOINT_Y;
    if (d.FLAG && image->format.planes > 1)
        image->base_va += video_flags_B(image_words->WIDTH, image_words->HEIGHT, true);
    for (unsigned i = 0; i + 1 < image->format.planes; i++) {
        struct tpl1_plane *plane = &image->planes[i + 1];
        plane->element_B = image->format.planes == 2 ? 2 : 1;
        plane->base_va = bases[i] + (d.FLAG ? video_flags_B(width, height, false) : 0);
        plane->level.pitch_B = d.PLANE_PITCH;
        plane->level.slice_B = image_words->ARRAY_PITCH;
        plane->level.is_tiled = image->level[0].is_tiled;
        if (plane->level.is_tiled)
            plane->level.tile = adreno_tile_init(image->chip, plane->element_B, plane->level.pitch_B);
    }
}

static const char *set_image(struct tpl1_image *image, const struct adreno_desc_IMAGE *d)
{
    unsigned element_B = image->format.element_B << d->SAMPLES;
    image->samples_log2 = (uint8_t)d->SAMPLES;
    image->element_B = (uint8_t)element_B;
    if (!d->WIDTH || !d->HEIGHT)
        return "an image without texels";
    if (d->TILE_MODE == 1)
        return "a tile mode that does not exist";
    if (d->TILE_MODE && !is_power_of_two(element_B))
        return "a tiled image of a format whose texels are not a power of two";
    set_shape(image, d);
    if (d->TILE_MODE == ADRENO_TILE_MODE_TILE6_2)
        set_gmem(image, d);
    else
        set_levels(image, d);
    if (image->format.is_video)
        set_planes(image, d);
    else
        set_flags(image, d);
    return NULL;
}

static void set_buffer(struct tpl1_image *image)
{
    struct adreno_desc_BUFFER d = adreno_unpack_desc_BUFFER(image->words);
    image->is_buffer = true;
    image->element_B = image->format.element_B;
    image->elements = d.NUM_ELEMENTS;
    image->first_element = d.STARTOFFSETTEXELS;
    image->tex.axes = 1;
    image->tex.layers = 1;
}

/* The planes of a video format as images: of bytes, of which each component has its order. */
static void set_plane_images(struct tpl1_image *image)
{
    const bool is_block = image->format.planes == 1, /* Cb Y Cr Y, or Y Cb Y Cr */
               is_luma_first = image->format.format == FORMAT_G8B8G8R8_422_UNORM;
    const struct tpl1_plane whole = {image->base_va, image->level[0], is_block ? 4 : 1, 1, image->tex};
    image->plane_count = is_block ? 2 : image->format.planes;
    image->planes[0] = whole;
    if (is_block)
        image->planes[1] = whole;
    for (unsigned i = 0; i < image->plane_count; i++) {
        struct tpl1_plane *plane = &image->planes[i];
        struct tex_image *tex = &plane->tex;
        *tex = image->tex;
        plane->texels = i == 0 && is_block ? 2 : 1;
        if (!image->is_gmem && plane->texels == 1)
            tex->format = plane->element_B == 1   ? FORMAT_R8_UNORM
                          : plane->element_B == 2 ? FORMAT_R8G8_UNORM
                                                  : FORMAT_R8G8B8A8_UNORM;
        memset(tex->order, TEX_ORDER_ZERO, sizeof(tex->order));
        tex->order[3] = TEX_ORDER_ONE;
        if (i == 0) {
            tex->order[0] = is_block && !is_luma_first;
            continue;
        }
        tex->level[0].width = (image->tex.level[0].width + 1) / 2;
        if (!is_block)
            tex->level[0].height = (image->tex.level[0].height + 1) / 2;
        if (i == 1)
            tex->order[1] = is_block && is_luma_first;
        if (i + 1u == image->plane_count)
            tex->order[2] = (uint8_t)(is_block ? tex->order[1] + 2 : i == 1 ? 1 : 0);
    }
}

static void decode_image(struct tpl1_image *image, const struct adreno_chip *chip, const uint32_t words[TPL1_IMAGE_DW])
{
    struct adreno_desc_IMAGE d = adreno_unpack_desc_IMAGE(words);
    struct tex_places_set *places = image->places;
    finish_places(places);
    memset(image, 0, sizeof(*image));
    memcpy(image->words, words, sizeof(image->words));
    image->places = places;
    image->chip = chip;
    image->swizzle[0] = d.SWIZ_X;
    image->swizzle[1] = d.SWIZ_Y;
    image->swizzle[2] = d.SWIZ_Z;
    image->swizzle[3] = d.SWIZ_W;
    image->base_va = d.BASE;
    image->is_null = !d.FMT && !d.BASE; /* what a driver writes for no image: all zero */
    if (image->is_null)
        return;
    if (!adreno_tpl1_format_init(&image->format, d.FMT, (enum adreno_COLOR_SWAP)d.SWAP, d.SRGB))
        image->problem = "a format that is not implemented for textures, or not with this swap";
    else if (d.TYPE == ADRENO_TEX_TYPE_BUFFER)
        set_buffer(image);
    else if (d.TYPE > ADRENO_TEX_TYPE_3D)
        image->problem = "a type of image that is not implemented";
    else
        image->problem = set_image(image, &d);
    for (unsigned i = 0; i < 4 && !image->problem; i++) {
        if (image->swizzle[i] > ADRENO_TEX_SWIZ_ONE)
            image->problem = "a swizzle that does not exist";
    }
    image->tex.is_float = image->format.kind == TPL1_KIND_FLOAT;
    image->tex.is_signed = image->format.kind == TPL1_KIND_SINT;
    image->tex.clamps_reference = image->format.numeric == FORMAT_NUMERIC_UNORM;
    if (!image->problem && !image->is_buffer && !image->is_gmem && !image->samples_log2 && !image->format.is_video)
        image->tex.format = image->format.format;
    memcpy(image->tex.order, image->format.order, sizeof(image->tex.order));
    if (!image->problem && image->format.is_video)
        set_plane_images(image);
}

static uint32_t hash_image(const uint32_t words[TPL1_IMAGE_DW])
{
    uint64_t parts[4];
    memcpy(parts, words, sizeof(parts));
    uint64_t hash = parts[0] * 0x9e3779b97f4a7c15ull ^ parts[1] * 0xc2b2ae3d27d4eb4full ^
                    parts[2] * 0x165667b19e3779f9ull ^ parts[3] * 0xd6e8feb86659fd93ull;
    return (uint32_t)(hash >> 32);
}

static struct tpl1_image *new_image(void)
{
    struct tpl1_image *image = calloc(1, sizeof(*image));
    if (image && !(image->places = calloc(TPL1_MAX_PLANES, sizeof(*image->places)))) {
        free(image);
        return NULL;
    }
    return image;
}

const struct tpl1_image *adreno_tpl1_image_get(struct tpl1_cache *cache, const struct tpl1_state *state,
                                               const uint32_t words[TPL1_IMAGE_DW])
{
    struct tpl1_image **slot = &cache->images[hash_image(words) % IMAGES];
    const bool is_known =
        *slot && (*slot)->chip == state->chip && memcmp((*slot)->words, words, TPL1_IMAGE_DW * 4) == 0;
    if (__builtin_expect(!is_known, 0)) {
        if (!*slot && !(*slot = new_image()))
            return NULL;
        decode_image(*slot, state->chip, words);
    }
    if (__builtin_expect((*slot)->flag_va && (*slot)->opened != state->ubwc_changes, 0))
        open_image(*slot, state);
    return *slot;
}

/* ---- samplers ---- */

static const uint8_t wraps[8] = {
    [ADRENO_TEX_CLAMP_REPEAT] = TEX_REPEAT,
    [ADRENO_TEX_CLAMP_CLAMP_TO_EDGE] = TEX_CLAMP_TO_EDGE,
    [ADRENO_TEX_CLAMP_MIRROR_REPEAT] = TEX_MIRROR,
    [ADRENO_TEX_CLAMP_CLAMP_TO_BORDER] = TEX_CLAMP_TO_BORDER,
    [ADRENO_TEX_CLAMP_MIRROR_CLAMP] = TEX_MIRROR_ONCE_TO_EDGE,
};

/* The hardware's comparisons are numbered as Vulkan's. */
_Static_assert((int)ADRENO_COMPARE_FUNC_LESS == (int)PIXEL_LESS && (int)ADRENO_COMPARE_FUNC_EQUAL == (int)PIXEL_EQUAL &&
                   (int)ADRENO_COMPARE_FUNC_GREATER == (int)PIXEL_GREATER &&
                   (int)ADRENO_COMPARE_FUNC_ALWAYS == (int)PIXEL_ALWAYS,
               "comparisons");

static const char *sampler_problem(const struct adreno_desc_SAMPLER *d)
{
    if (MAX2(d->WRAP_S, MAX2(d->WRAP_T, d->WRAP_R)) > ADRENO_TEX_CLAMP_MIRROR_CLAMP)
        return "an address mode that does not exist";
    if (d->REDUCTION_MODE > ADRENO_REDUCTION_MAX)
        return "a reduction that does not exist";
    if (d->ANISO > ADRENO_TEX_ANISO_16)
        return "an anisotropy that does not exist";
    return NULL;
}

static enum tex_reduction reduction_of(unsigned mode)
{
    return mode == ADRENO_REDUCTION_MIN ? TEX_MIN : mode == ADRENO_REDUCTION_MAX ? TEX_MAX : TEX_MEAN;
}

static void decode_sampler(struct tpl1_sampler *sampler, const uint32_t words[TPL1_SAMPLER_DW])
{
    struct adreno_desc_SAMPLER d = adreno_unpack_desc_SAMPLER(words);
    bool is_aniso = d.XY_MAG == ADRENO_TEX_FILTER_ANISO || d.XY_MIN == ADRENO_TEX_FILTER_ANISO;
    *sampler = (struct tpl1_sampler){
        .problem = sampler_problem(&d),
        .clamps_result = d.CLAMPENABLE,
        .has_fast_border = d.FASTBORDERCOLOREN,
        .fast_border = (uint8_t)d.FASTBORDERCOLOR,
        .border = d.BCOLOR,
        .chroma_linear = d.CHROMA_LINEAR,
        .tex =
            {
                .wrap = {wraps[d.WRAP_S], wraps[d.WRAP_T], wraps[d.WRAP_R]},
                .reduction = reduction_of(d.REDUCTION_MODE),
                .compare = (uint8_t)d.COMPARE_FUNC,
                .mag_linear = d.XY_MAG != ADRENO_TEX_FILTER_NEAREST,
                .min_linear = d.XY_MIN != ADRENO_TEX_FILTER_NEAREST,
                .mag_cubic = d.XY_MAG == ADRENO_TEX_FILTER_CUBIC,
                .min_cubic = d.XY_MIN == ADRENO_TEX_FILTER_CUBIC,
                .z_follows_xy = true,
                .mip_linear = d.MIPFILTER_LINEAR_NEAR,
                .mip_none = d.MIPFILTER_LINEAR_FAR,
                .is_seamless = !d.CUBEMAPSEAMLESSFILTOFF,
                .unnormalized = d.UNNORM_COORDS,
                .max_aniso = is_aniso ? 1u << MIN2(d.ANISO, 4u) : 1,
                .lod_bias = (float)d.LOD_BIAS / 256,
                .min_lod = (float)d.MIN_LOD / 256,
                .max_lod = (float)MAX2(d.MAX_LOD, d.MIN_LOD) / 256,
                .bias_limit = 16,
            },
    };
    memcpy(sampler->words, words, sizeof(sampler->words));
}

const struct tpl1_sampler *adreno_tpl1_sampler_get(struct tpl1_cache *cache, const uint32_t words[TPL1_SAMPLER_DW])
{
    struct tpl1_sampler **slot = &cache->samplers[hash_bytes(words, TPL1_SAMPLER_DW * 4) % SAMPLERS];
    if (__builtin_expect(*slot && memcmp((*slot)->words, words, TPL1_SAMPLER_DW * 4) == 0, 1))
        return *slot;
    if (!*slot && !(*slot = malloc(sizeof(**slot))))
        return NULL;
    decode_sampler(*slot, words);
    return *slot;
}

/* ---- compressed blocks ---- */

struct tex_blocks *adreno_tpl1_cache_blocks(struct tpl1_cache *cache)
{
    return &cache->blocks;
}

tex_texels adreno_tpl1_block_get(struct tpl1_cache *cache, enum format format, const void *block, unsigned block_B)
{
    return tex_block_get(&cache->blocks, format, false, block, block_B);
}
