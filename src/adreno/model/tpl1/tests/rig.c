/* See rig.h. */
#include "rig.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/bits.h"

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
    rig->tpl1 = adreno_tpl1_create();
    rig->state = (struct tpl1_state){
        .chip = adreno_chip_find("adreno-635"),
        .space = &rig->space,
        .border_va = RIG_BORDER_VA,
        .mode = 0xa2, /* as a driver has it */
        .samples = 1,
    };
    seed = 1;
    *state = rig;
    return rig->tpl1 ? 0 : -1;
}

int rig_teardown(void **state)
{
    struct rig *rig = *state;
    adreno_tpl1_destroy(rig->tpl1);
    gpu_space_finish(&rig->space);
    free(rig);
    return 0;
}

void picture_init(struct rig *rig, struct picture *p, unsigned number, enum format format, enum adreno_TEX_TYPE type,
                  struct adreno_surface_info info)
{
    const struct format_info *f = format_info(format);
    info.block_B = f->block_size_B;
    info.block_w = f->block_width;
    info.block_h = f->block_height;
    info.depth = MAX2(info.depth, 1u);
    info.layers = MAX2(info.layers, 1u);
    info.levels = MAX2(info.levels, 1u);
    info.samples = MAX2(info.samples, 1u);
    *p = (struct picture){.info = info, .format = format, .chip = rig->state.chip};
    assert_true(adreno_surface_init(&p->surface, p->chip, &p->info));
    rig->next_B = align_u64(rig->next_B, 4096);
    assert_true(rig->next_B + p->surface.size_B < RIG_SIZE_B - 4096);
    p->va = RIG_VA + rig->next_B;
    p->host = rig->host + rig->next_B;
    rig->next_B += p->surface.size_B;
    for (uint64_t i = 0; i < p->surface.size_B; i++)
        p->host[i] = (uint8_t)rig_random();
    const struct adreno_surface *s = &p->surface;
    uint32_t layers = type == ADRENO_TEX_TYPE_CUBE ? info.layers / 6 : info.layers;
    p->desc = (struct adreno_desc_IMAGE){
        .TILE_MODE = s->levels[0].is_tiled ? ADRENO_TILE_MODE_TILE6_3 : ADRENO_TILE_MODE_LINEAR,
        .SWIZ_Y = ADRENO_TEX_SWIZ_Y,
        .SWIZ_Z = ADRENO_TEX_SWIZ_Z,
        .SWIZ_W = ADRENO_TEX_SWIZ_W,
        .MIPLVLS = info.levels - 1,
        .SAMPLES = (enum adreno_MSAA_SAMPLES)log2_floor(info.samples),
        .FMT = number,
        .WIDTH = info.width,
        .HEIGHT = info.height,
        .PITCHALIGN = s->pitch_align_log2 - 6u,
        .PITCH = s->levels[0].pitch_B,
        .TYPE = type,
        .ARRAY_PITCH = info.is_volume ? s->levels[0].slice_B : s->layer_B,
        .MIN_LAYERSZ = info.is_volume ? (uint32_t)(s->levels[info.levels - 1].slice_B & 0xf000) : 0,
        .TILE_ALL = s->is_all_tiled,
        .FLAG = s->has_ubwc,
        .BASE = p->va + s->levels[0].offset_B,
        .DEPTH = info.is_volume ? info.depth : layers,
    };
}

uint8_t *picture_at(const struct picture *p, uint32_t x, uint32_t y, uint32_t z, unsigned level, unsigned sample)
{
    const struct adreno_surface_level *l = &p->surface.levels[level];
    uint64_t slice_B = p->info.is_volume ? l->slice_B : p->surface.layer_B;
    uint64_t offset_B = l->offset_B + z * slice_B;
    x /= p->info.block_w;
    y /= p->info.block_h;
    if (l->is_tiled) {
        struct adreno_tile tile = adreno_tile_init(p->chip, p->surface.element_B, l->pitch_B);
        offset_B += adreno_tile_offset_B(&tile, x, y);
    } else {
        offset_B += (uint64_t)y * l->pitch_B + (uint64_t)x * p->surface.element_B;
    }
    return p->host + offset_B + sample * p->info.block_B;
}

void picture_texel(const struct picture *p, uint32_t x, uint32_t y, uint32_t z, unsigned level, double out[4])
{
    float texels[FORMAT_BLOCK_MAX_TEXELS][4];
    const uint8_t *at = picture_at(p, x, y, z, level, 0);
    const struct format_info *info = format_info(p->format);
    if (format_is_compressed(info))
        assert_true(format_decode_block_float(p->format, texels, at));
    else
        assert_true(format_unpack_rgba_float(p->format, texels, at, 1));
    const float *texel = texels[y % info->block_height * info->block_width + x % info->block_width];
    for (unsigned i = 0; i < 4; i++)
        out[i] = texel[i];
}

void bind(struct rig *rig, unsigned n, const struct adreno_desc_IMAGE *desc)
{
    adreno_pack_desc_IMAGE(rig->textures[n], desc);
}

void bind_sampler(struct rig *rig, unsigned n, const struct adreno_desc_SAMPLER *desc)
{
    adreno_pack_desc_SAMPLER(rig->samplers[n], desc);
}

static const uint32_t *find_entry(void *context, bool is_sampler, uint32_t index)
{
    struct rig *rig = context;
    return is_sampler ? rig->samplers[index] : rig->textures[index];
}

struct tpl1_request request_of(struct rig *rig, enum tpl1_op op, enum tpl1_type type)
{
    return (struct tpl1_request){
        .op = (uint8_t)op,
        .type = (uint8_t)type,
        .wrmask = 15,
        .lanes = RIG_LANES,
        .active = lane_mask_first(RIG_LANES),
        .src0 = {.row = rig->regs[0], .stride_dw = RIG_LANES},
        .src1 = {.row = rig->regs[16], .stride_dw = RIG_LANES},
        .dst = {.row = rig->regs[24], .stride_dw = RIG_LANES},
        .find = find_entry,
        .context = rig,
    };
}

void run(struct rig *rig, const struct tpl1_request *request)
{
    if (!adreno_tpl1_run(rig->tpl1, &rig->state, request))
        fail_msg("%s", adreno_tpl1_problem(rig->tpl1));
}
