/* See ta_rig.h. */
#include "amd/model/texture/tests/ta_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "amd/isa/asm.h"
#include "amd/model/sq/sq_mode.h"
#include "util/bits.h"

#define BASE_VA 0x200000000ull
#define SIZE_B ((uint64_t)128 << 20)

void rig_begin(struct rig *rig)
{
    memset(rig, 0, sizeof(*rig));
    rig->seed = 0x1234567;
    rig->fd = memfd_create("texels", 0);
    assert_true(rig->fd >= 0 && ftruncate(rig->fd, SIZE_B) == 0);
    assert_int_equal(gpu_space_init(&rig->space, &(struct gpu_extent){BASE_VA, 2 * SIZE_B}, 1), 0);
    assert_int_equal(gpu_space_map_file(&rig->space, BASE_VA, SIZE_B, rig->fd, 0, GPU_PERM_RWX), 0);
    rig->code = amd_sq_code_create(&rig->space);
    rig->wave = aligned_alloc(64, (sizeof(struct sq_wave) + (size_t)272 * LANES_MAX * 4 + 63) & ~(size_t)63);
    assert_non_null(rig->code);
    assert_non_null(rig->wave);
    memset(rig->wave, 0, sizeof(struct sq_wave) + (size_t)272 * LANES_MAX * 4);
    rig->ta = (struct ta_state){.gb_addr_config = RIG_GB_ADDR_CONFIG};
    rig_lanes(rig, 64, UINT64_MAX);
}

void rig_end(struct rig *rig)
{
    amd_sq_code_destroy(rig->code);
    free(rig->wave);
    gpu_space_finish(&rig->space);
    close(rig->fd);
}

int rig_setup(void **state)
{
    struct rig *rig = malloc(sizeof(*rig));
    rig_begin(rig);
    *state = rig;
    return 0;
}

int rig_teardown(void **state)
{
    rig_end(*state);
    free(*state);
    return 0;
}

void *rig_alloc(struct rig *rig, uint64_t size_B, uint64_t align_B, uint64_t *va_out)
{
    rig->used_B = align_u64(rig->used_B, MAX2(align_B, 256));
    *va_out = BASE_VA + rig->used_B;
    rig->used_B += size_B;
    assert_true(rig->used_B <= SIZE_B);
    return gpu_space_pointer(&rig->space, *va_out, 1, GPU_PERM_READ);
}

void rig_lanes(struct rig *rig, unsigned lanes, uint64_t exec)
{
    struct sq_wave *wave = rig->wave;
    wave->base[SQ_BASE_WAVE] = (const char *)wave;
    wave->base[SQ_BASE_CONSTANTS] = amd_sq_code_constants(rig->code);
    wave->lanes = lanes;
    wave->code = rig->code;
    wave->memory = &rig->space;
    wave->ta = &rig->ta;
    wave->state = SQ_RUNNING;
    sq_write_mask(wave, &wave->sgpr[SQ_EXEC], exec);
    sq_exec_changed(wave);
    uint64_t host = lane_env_get();
    amd_sq_set_mode(wave, 0xf0);
    lane_env_set(host);
}

bool rig_run(struct rig *rig, const char *text)
{
    struct isa_asm_result result;
    struct isa_inst inst;
    if (!amd_isa_assemble(ISA_GFX10_3, rig->wave->lanes, text, strlen(text), &result))
        fail_msg("%s: %s", text, result.errors[0].message);
    assert_true(amd_isa_decode(ISA_GFX10_3, result.words, result.count_dw, &inst) > 0);
    struct sq_builder builder = amd_sq_builder(rig->code, rig->wave->lanes, 0);
    if (!amd_sq_translate(&builder, &inst))
        fail_msg("%s is not implemented", text);
    uint64_t host = lane_env_get();
    rig->wave->state = SQ_RUNNING;
    memset(&rig->wave->fault, 0, sizeof(rig->wave->fault));
    sq_mode_enter(rig->wave);
    for (unsigned i = 0; i < builder.exec.count && rig->wave->state == SQ_RUNNING; i++)
        amd_sq_uops(&builder)[i].run(rig->wave, &amd_sq_uops(&builder)[i]);
    lane_env_set(host);
    free(builder.exec.uops);
    amd_isa_asm_finish(&result);
    return rig->wave->state == SQ_RUNNING;
}

uint32_t rig_random(struct rig *rig)
{
    rig->seed = rig->seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(rig->seed >> 32);
}

double rig_uniform(struct rig *rig, double low, double high)
{
    return low + (high - low) * (rig_random(rig) / 4294967296.0);
}

/* ---- pictures ---- */

uint32_t picture_width(const struct picture *p, unsigned level)
{
    return MAX2(p->width >> level, 1u);
}

uint32_t picture_height(const struct picture *p, unsigned level)
{
    return MAX2(p->height >> level, 1u);
}

uint32_t picture_depth(const struct picture *p, unsigned level)
{
    return p->is_3d ? MAX2(p->depth >> level, 1u) : p->depth;
}

void picture_begin(struct rig *rig, struct picture *p, const struct picture_desc *d)
{
    const struct format_info *info = format_info(d->format);
    struct amd_tiling_config config;
    memset(p, 0, sizeof(*p));
    p->format = d->format;
    p->width = d->width;
    p->height = MAX2(d->height, 1u);
    p->depth = MAX2(d->depth, 1u);
    p->levels = MAX2(d->levels, 1u);
    p->samples = MAX2(d->samples, 1u);
    p->is_3d = d->type == AMD_IMG_TYPE_3D;
    bool is_1d = d->type == AMD_IMG_TYPE_1D || d->type == AMD_IMG_TYPE_1D_ARRAY;
    struct amd_surface_desc desc = {
        .swizzle = (enum amd_swizzle)d->swizzle,
        .dim = is_1d      ? AMD_DIM_1D
               : p->is_3d ? AMD_DIM_3D
                          : AMD_DIM_2D,
        .width = p->width,
        .height = p->height,
        .slices = p->depth,
        .block_w = info->block_width,
        .block_h = info->block_height,
        .element_B = info->block_size_B,
        .samples = (uint8_t)p->samples,
        .levels = (uint8_t)p->levels,
    };
    assert_true(amd_tiling_config_init(&config, RIG_GB_ADDR_CONFIG));
    assert_true(amd_surface_init(&p->surface, &config, &desc));
    p->bytes = rig_alloc(rig, p->surface.size_B, p->surface.align_B, &p->va);
    for (unsigned i = 0; i < p->levels; i++) {
        p->texels[i] = calloc((size_t)picture_width(p, i) * picture_height(p, i) * picture_depth(p, i) * p->samples * 4,
                              sizeof(double));
        assert_non_null(p->texels[i]);
    }
    bool is_array = d->type == AMD_IMG_TYPE_1D_ARRAY || d->type == AMD_IMG_TYPE_2D_ARRAY ||
                    d->type == AMD_IMG_TYPE_2D_MSAA_ARRAY || d->type == AMD_IMG_TYPE_CUBE;
    p->desc = (struct amd_desc_IMAGE){
        .BASE_ADDRESS = (p->va >> 8) & 0xffffffffff,
        .FORMAT = d->number,
        .WIDTH = p->width - 1,
        .HEIGHT = p->height - 1,
        .RESOURCE_LEVEL = true,
        .DST_SEL_X = AMD_DST_SEL_X,
        .DST_SEL_Y = AMD_DST_SEL_Y,
        .DST_SEL_Z = AMD_DST_SEL_Z,
        .DST_SEL_W = AMD_DST_SEL_W,
        .LAST_LEVEL = p->samples > 1 ? log2_floor(p->samples) : p->levels - 1,
        .MAX_MIP = p->samples > 1 ? log2_floor(p->samples) : p->levels - 1,
        .SW_MODE = d->swizzle,
        .TYPE = d->type,
        .DEPTH = p->is_3d || is_array ? p->depth - 1 : 0,
    };
}

void picture_end(struct picture *p)
{
    for (unsigned i = 0; i < p->levels; i++)
        free(p->texels[i]);
}

static size_t texel_index(const struct picture *p, unsigned level, uint32_t x, uint32_t y, uint32_t z, uint32_t sample)
{
    return ((((size_t)z * picture_height(p, level) + y) * picture_width(p, level) + x) * p->samples + sample) * 4;
}

void *picture_at(const struct picture *p, unsigned level, uint32_t x, uint32_t y, uint32_t z, uint32_t sample)
{
    return p->bytes + amd_tiling_offset(&p->surface, x, y, z, sample, level);
}

const double *picture_get(const struct picture *p, unsigned level, uint32_t x, uint32_t y, uint32_t z, uint32_t sample)
{
    return &p->texels[level][texel_index(p, level, x, y, z, sample)];
}

void picture_set(struct picture *p, unsigned level, uint32_t x, uint32_t y, uint32_t z, uint32_t sample,
                 const double color[4])
{
    void *at = picture_at(p, level, x, y, z, sample);
    double *kept = &p->texels[level][texel_index(p, level, x, y, z, sample)];
    const struct format_info *info = format_info(p->format);
    if (info->numeric == FORMAT_NUMERIC_UINT) {
        uint32_t in[1][4], out[1][4];
        for (unsigned n = 0; n < 4; n++)
            in[0][n] = (uint32_t)color[n];
        assert_true(format_pack_rgba_uint(p->format, at, (const uint32_t(*)[4])in, 1) &&
                    format_unpack_rgba_uint(p->format, out, at, 1));
        for (unsigned n = 0; n < 4; n++)
            kept[n] = out[0][n];
    } else if (info->numeric == FORMAT_NUMERIC_SINT) {
        int32_t in[1][4], out[1][4];
        for (unsigned n = 0; n < 4; n++)
            in[0][n] = (int32_t)color[n];
        assert_true(format_pack_rgba_sint(p->format, at, (const int32_t(*)[4])in, 1) &&
                    format_unpack_rgba_sint(p->format, out, at, 1));
        for (unsigned n = 0; n < 4; n++)
            kept[n] = out[0][n];
    } else {
        float in[1][4], out[1][4];
        for (unsigned n = 0; n < 4; n++)
            in[0][n] = (float)color[n];
        assert_true(format_pack_rgba_float(p->format, at, (const float(*)[4])in, 1) &&
                    format_unpack_rgba_float(p->format, out, at, 1));
        for (unsigned n = 0; n < 4; n++)
            kept[n] = out[0][n];
    }
}

void picture_fill(struct rig *rig, struct picture *p)
{
    const struct format_info *info = format_info(p->format);
    bool is_signed = info->numeric == FORMAT_NUMERIC_SNORM || info->numeric == FORMAT_NUMERIC_SFLOAT;
    for (unsigned level = 0; level < p->levels; level++) {
        for (uint32_t z = 0; z < picture_depth(p, level); z++) {
            for (uint32_t y = 0; y < picture_height(p, level); y++) {
                for (uint32_t x = 0; x < picture_width(p, level); x++) {
                    for (uint32_t s = 0; s < p->samples; s++) {
                        double color[4];
                        for (unsigned n = 0; n < 4; n++) {
                            if (format_is_integer(info))
                                color[n] = rig_random(rig) & 0x7f;
                            else
                                color[n] = rig_uniform(rig, is_signed ? -1 : 0, 1);
                        }
                        picture_set(p, level, x, y, z, s, color);
                    }
                }
            }
        }
    }
}

void picture_bind(struct rig *rig, const struct picture *p)
{
    amd_pack_desc_IMAGE(AMD_GFX10_3, &rig->wave->sgpr[0], &p->desc);
}

void sampler_bind(struct rig *rig, const struct amd_desc_SAMPLER *s)
{
    amd_pack_desc_SAMPLER(AMD_GFX10_3, &rig->wave->sgpr[8], s);
}

struct amd_desc_SAMPLER sampler_linear(void)
{
    return (struct amd_desc_SAMPLER){
        .CLAMP_X = AMD_TEX_CLAMP_CLAMP_LAST_TEXEL,
        .CLAMP_Y = AMD_TEX_CLAMP_CLAMP_LAST_TEXEL,
        .CLAMP_Z = AMD_TEX_CLAMP_CLAMP_LAST_TEXEL,
        .MAX_LOD = 0xfff,
        .XY_MAG_FILTER = AMD_TEX_FILTER_BILINEAR,
        .XY_MIN_FILTER = AMD_TEX_FILTER_BILINEAR,
        .MIP_FILTER = AMD_TEX_MIP_FILTER_POINT,
    };
}

struct amd_desc_SAMPLER sampler_nearest(void)
{
    struct amd_desc_SAMPLER s = sampler_linear();
    s.XY_MAG_FILTER = s.XY_MIN_FILTER = AMD_TEX_FILTER_POINT;
    s.TRUNC_COORD = true;
    return s;
}
