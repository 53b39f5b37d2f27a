/* See rig.h. */
#include "rig.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static uint32_t seed;

uint32_t rig_random(void)
{
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8 ^ seed << 16;
}

float rig_random_float(float low, float high)
{
    return low + (high - low) * (float)(rig_random() & 0xffff) / 65536.0f;
}

/* Beyond the table there is nothing. */
static const uint32_t *find_entry(void *context, uint32_t handle)
{
    static const uint32_t nothing[8];
    struct rig *rig = context;
    return handle < ARRAY_SIZE(rig->table) ? rig->table[handle] : nothing;
}

int rig_setup(void **state)
{
    const struct gpu_extent extent = {0, 1ull << 34};
    struct rig *rig = calloc(1, sizeof(*rig));
    int fd = memfd_create("rig", 0);
    if (!rig || fd < 0 || ftruncate(fd, RIG_SIZE_B) || gpu_space_init(&rig->space, &extent, 1) ||
        gpu_space_map_file(&rig->space, RIG_VA, RIG_SIZE_B, fd, 0, GPU_PERM_READ | GPU_PERM_WRITE))
        return -1;
    close(fd);
    rig->host = gpu_space_pointer(&rig->space, RIG_VA, 1, GPU_PERM_READ);
    rig->tex = mali_tex_create();
    rig->resources = (struct mali_tex_resources){&rig->space, find_entry, rig};
    seed = 1;
    *state = rig;
    return rig->tex ? 0 : -1;
}

int rig_teardown(void **state)
{
    struct rig *rig = *state;
    mali_tex_destroy(rig->tex);
    gpu_space_finish(&rig->space);
    free(rig);
    return 0;
}

static uint64_t allocate_memory(struct rig *rig, uint64_t size_B)
{
    rig->next_B = align_u64(rig->next_B, 4096);
    uint64_t at = rig->next_B;
    rig->next_B += size_B;
    assert_true(rig->next_B <= RIG_SIZE_B);
    return at;
}

static void write_planes(const struct picture *p, uint8_t *to, enum mali_CLUMP_FORMAT clump)
{
    const bool is_astc = format_info(p->format)->compression == FORMAT_COMPRESSION_ASTC_LDR;
    for (unsigned layer = 0; layer < p->info.layers; layer++) {
        for (unsigned i = 0; i < p->info.levels; i++, to += MALI_DESC_PLANE_DW * 4) {
            const struct mali_surface_level *level = &p->surface.levels[i];
            uint32_t words[MALI_DESC_PLANE_DW];
            struct mali_desc_PLANE plane = {
                .TYPE = MALI_DESCRIPTOR_TYPE_PLANE,
                .PLANE_TYPE = is_astc ? MALI_PLANE_TYPE_ASTC_2D : MALI_PLANE_TYPE_GENERIC,
                .CLUMP_ORDERING = p->info.layout == MALI_LAYOUT_TILED ? MALI_CLUMP_ORDERING_TILED_U_INTERLEAVED
                                                                      : MALI_CLUMP_ORDERING_LINEAR,
                .CLUMP_FORMAT = is_astc ? 0 : clump,
                .ASTC_DECODE_WIDE = is_astc,
                .SIZE = (uint32_t)level->size_B,
                .POINTER = p->va + level->offset_B + layer * p->surface.layer_B,
                .ROW_STRIDE = level->row_B,
                .SLICE_STRIDE = (int32_t)level->slice_B,
                .WIDTH = MAX2(p->info.width >> i, 1u),
                .HEIGHT = MAX2(p->info.height >> i, 1u),
                .CHROMA_WIDTH = 1,
                .CHROMA_HEIGHT = 1,
            };
            if (is_astc) /* 8 × 6 */
                plane.ASTC_2D_WIDTH = MALI_ASTC_2D_SIZE_8, plane.ASTC_2D_HEIGHT = MALI_ASTC_2D_SIZE_6;
            mali_pack_desc_PLANE(words, &plane);
            words[5] = 0;
            memcpy(to, words, sizeof(words));
        }
    }
}

void picture_init(struct rig *rig, struct picture *p, unsigned number, enum mali_CLUMP_FORMAT clump, enum format format,
                  enum mali_TEXTURE_DIMENSION dimension, struct mali_surface_info info)
{
    const struct format_info *f = format_info(format);
    info.block_B = f->block_size_B;
    info.block_w = f->block_width;
    info.block_h = f->block_height;
    info.depth = MAX2(info.depth, 1u);
    info.layers = MAX2(info.layers, 1u);
    info.levels = MAX2(info.levels, 1u);
    info.samples = MAX2(info.samples, 1u);
    info.is_volume = dimension == MALI_TEXTURE_DIMENSION_3D;
    *p = (struct picture){.info = info, .format = format};
    assert_true(mali_surface_init(&p->surface, &p->info));
    uint64_t at = allocate_memory(rig, p->surface.size_B),
             planes = allocate_memory(rig, 32ull * info.levels * info.layers);
    p->va = RIG_VA + at;
    p->host = rig->host + at;
    for (uint64_t i = 0; i < p->surface.size_B; i++)
        p->host[i] = (uint8_t)rig_random();
    write_planes(p, rig->host + planes, clump);
    p->desc = (struct mali_desc_TEXTURE){
        .TYPE = MALI_DESCRIPTOR_TYPE_TEXTURE,
        .DIMENSION = dimension,
        .FORMAT = number,
        .WIDTH = info.width,
        .HEIGHT = info.height,
        .SWIZZLE_G = MALI_CHANNEL_G,
        .SWIZZLE_B = MALI_CHANNEL_B,
        .SWIZZLE_A = MALI_CHANNEL_A,
        .LEVELS = info.levels,
        .SAMPLE_COUNT = info.samples,
        .MAXIMUM_LOD = (info.levels - 1) * 256,
        .SURFACES = RIG_VA + planes,
        .ARRAY_SIZE = dimension == MALI_TEXTURE_DIMENSION_CUBE ? info.layers / 6 : info.layers,
        .DEPTH = info.depth,
    };
}

void picture_afbc(struct rig *rig, struct picture *p, const struct mali_afbc *afbc, uint32_t width, uint32_t height)
{
    uint32_t words[MALI_DESC_PLANE_DW];
    mali_pack_desc_PLANE(words, &(struct mali_desc_PLANE){
                                    .TYPE = MALI_DESCRIPTOR_TYPE_PLANE,
                                    .PLANE_TYPE = MALI_PLANE_TYPE_AFBC,
                                    .AFBC_MODE = afbc->pixel_B == 3 ? MALI_AFBC_MODE_R8G8B8 : MALI_AFBC_MODE_R8G8B8A8,
                                    .AFBC_SUPERBLOCK = afbc->w_log2 - 4u,
                                    .AFBC_TILED_HEADER = afbc->header_tile_log2 != 0,
                                    .POINTER = p->va,
                                    .ROW_STRIDE = afbc->row_B,
                                    .WIDTH = width,
                                    .HEIGHT = height,
                                    .CHROMA_WIDTH = 1,
                                    .CHROMA_HEIGHT = 1,
                                });
    words[5] = 0;
    words[7] = (width - 1) | (height - 1) << 16;
    memcpy(rig->host + (p->desc.SURFACES - RIG_VA), words, sizeof(words));
    p->desc.WIDTH = width;
    p->desc.HEIGHT = height;
}

uint8_t *picture_at(const struct picture *p, uint32_t x, uint32_t y, uint32_t z, unsigned level, unsigned sample)
{
    const struct mali_surface_level *l = &p->surface.levels[level];
    const bool is_compressed = p->info.block_w > 1;
    struct mali_tile tile =
        mali_tile_init(p->info.block_B, l->row_B,
                       p->info.layout == MALI_LAYOUT_TILED ? MALI_ORDER_TILED : MALI_ORDER_LINEAR, is_compressed);
    uint64_t at = p->info.is_volume ? z * l->slice_B : z * p->surface.layer_B + sample * l->slice_B;
    return p->host + l->offset_B + at + mali_tile_offset_B(&tile, x / p->info.block_w, y / p->info.block_h);
}

void picture_texel(const struct picture *p, uint32_t x, uint32_t y, uint32_t z, unsigned level, unsigned sample,
                   float out[4])
{
    float texels[FORMAT_BLOCK_MAX_TEXELS][4];
    const uint8_t *at = picture_at(p, x, y, z, level, sample);
    const struct format_info *info = format_info(p->format);
    if (format_is_compressed(info))
        assert_true(format_decode_block_float(p->format, texels, at));
    else
        assert_true(format_unpack_rgba_float(p->format, texels, at, 1));
    memcpy(out, texels[y % info->block_height * info->block_width + x % info->block_width], sizeof(texels[0]));
}

void bind(struct rig *rig, unsigned n, const struct mali_desc_TEXTURE *desc)
{
    mali_pack_desc_TEXTURE(rig->table[n], desc);
}

struct mali_desc_SAMPLER sampler_of(bool is_linear)
{
    return (struct mali_desc_SAMPLER){
        .TYPE = MALI_DESCRIPTOR_TYPE_SAMPLER,
        .WRAP_MODE_R = MALI_WRAP_MODE_CLAMP_TO_EDGE,
        .WRAP_MODE_T = MALI_WRAP_MODE_CLAMP_TO_EDGE,
        .WRAP_MODE_S = MALI_WRAP_MODE_CLAMP_TO_EDGE,
        .ROUND_TO_NEAREST_EVEN = is_linear,
        .SEAMLESS_CUBE_MAP = true,
        .NORMALIZED_COORDINATES = true,
        .MINIFY_NEAREST = !is_linear,
        .MAGNIFY_NEAREST = !is_linear,
        .MIPMAP_MODE = MALI_MIPMAP_MODE_NEAREST,
        .MAXIMUM_LOD = 15 * 256,
        .MAXIMUM_ANISOTROPY = 1,
    };
}

void bind_sampler(struct rig *rig, unsigned n, struct mali_desc_SAMPLER desc)
{
    mali_pack_desc_SAMPLER(rig->table[n], &desc);
}

struct mali_tex_request request_of(struct rig *rig, enum mali_tex_op op, enum mali_tex_dimension dimension)
{
    for (unsigned i = 0; i < LANES; i++)
        rig->source[0][i] = 1; /* sampler 1 and texture 0 of table 0 */
    memset(rig->result, 0xee, sizeof(rig->result));
    return (struct mali_tex_request){
        .op = (uint8_t)op,
        .type = MALI_TEX_TYPE_F,
        .is_32_bit = true,
        .mask = 15,
        .dimension = (uint8_t)dimension,
        .lanes = UINT64_MAX,
        .staging = rig->staging[0],
        .source = {rig->source[0], rig->source[1]},
        .result = rig->result[0],
    };
}

float result_at(const struct rig *rig, unsigned component, unsigned lane)
{
    return bits_float(rig->result[component][lane]);
}
