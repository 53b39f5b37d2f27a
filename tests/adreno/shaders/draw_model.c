/* Draws of the corpus on the model without a driver: what corpus_draw.c asks Vulkan for, as registers. The targets are
 * four layers of 16 by 16 texels of four floats, in rows, and as many of depth, in tiles; a pixel's samples lie side by
 * side. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/hw/regs_gras.h"
#include "adreno/hw/regs_pc.h"
#include "adreno/hw/regs_rb.h"
#include "adreno/hw/regs_sp.h"
#include "adreno/hw/regs_tpl1.h"
#include "adreno/hw/regs_vfd.h"
#include "adreno/hw/regs_vpc.h"
#include "adreno/hw/tiling/tile.h"
#include "adreno/model/blocks.h"
#include "adreno/model/hlsq/hlsq.h"
#include "compiler/ir/opt.h"
#include "rig.h"
#include "util/bits.h"
#include "util/half.h"

#define SIZE 16
#define LAYERS 4
#define COLOR_AT_B 0x100000u
#define SAMPLES_MAX 4
#define COLOR_B (4 * sizeof(float))
#define DEPTH_AT_B 0x140000u
#define DEPTH_PITCH_B 1024
#define DEPTH_LAYER_B 0x8000
#define VERTEX_CODE_B CODE_B
#define FRAGMENT_CODE_B (CODE_B + 0x80000u)
#define INPUT_AT_B 0x1000u
#define FORMAT_RGBA32_FLOAT 130
#define FORMAT_RGBA32_UINT 131

#define PUT(gpu, name, ...) ((gpu)->regs[ADRENO_REG_##name] = adreno_pack_##name(&(struct adreno_##name){__VA_ARGS__}))

struct stages {
    struct adreno_binary vs, fs;
    bool has_vs, has_fs;
};

/* ---- both stages ---- */

static bool compile_both(struct ir_shader *vertex, struct ir_shader *fragment, const struct job *job,
                         const struct adreno_compile_options *options, struct stages *stages, char error_out[512])
{
    const struct adreno_stage_options stage = {.fs = {.is_multiview = job->kind == JOB_VIEWS}};
    struct adreno_compile_options with_stage = *options;
    with_stage.stage = &stage;
    if (!options->no_optimisation &&
        (!ir_optimise_guarded(vertex, adreno_target(), error_out) ||
         !ir_optimise_guarded(fragment, adreno_target(), error_out) || !ir_link(vertex, fragment, error_out)))
        return false;
    stages->has_vs = adreno_compile(vertex, &with_stage, &stages->vs, error_out);
    stages->has_fs = stages->has_vs && adreno_compile(fragment, &with_stage, &stages->fs, error_out);
    return stages->has_fs;
}

static bool make_stages(const struct job *job, const struct adreno_compile_options *options, struct stages *stages,
                        char error_out[512])
{
    const bool is_vertex = strstr(job->name, "_vert") != NULL;
    char other[640];
    snprintf(other, sizeof(other), "%s", job->path);
    snprintf(strrchr(other, '/'), 64, "/%s.spv", is_vertex ? "colour_frag" : "whole_vert");
    struct ir_shader *vertex =
        alone_read(is_vertex ? job->path : other, IR_STAGE_vertex, options->wave_size, error_out);
    struct ir_shader *fragment =
        alone_read(is_vertex ? other : job->path, IR_STAGE_fragment, options->wave_size, error_out);
    const bool ok = vertex && fragment && compile_both(vertex, fragment, job, options, stages, error_out);
    if (vertex)
        ir_shader_destroy(vertex);
    if (fragment)
        ir_shader_destroy(fragment);
    return ok;
}

/* ---- registers ---- */

static void put_vertex_input(struct adreno_gpu *gpu, const struct adreno_shader_config *vs)
{
    static const struct {
        uint32_t offset_B, format;
        bool is_instanced;
    } attributes[] = {
        {INPUT_B / 2, FORMAT_RGBA32_FLOAT, false}, {0, FORMAT_RGBA32_UINT, false}, {0, FORMAT_RGBA32_UINT, true}};
    PUT(gpu, VFD_CNTL_0, .FETCH_CNT = ARRAY_SIZE(attributes), .DECODE_CNT = ARRAY_SIZE(attributes));
    PUT(gpu, VFD_CNTL_1, .REGID4VTX = vs->vs.vertex_id_reg, .REGID4INST = vs->vs.instance_id_reg,
        .REGID4PRIMID = vs->vs.primitive_id_reg, .REGID4VIEWID = vs->vs.view_id_reg);
    PUT(gpu, VFD_MODE_CNTL, .VERTEX = 1, .INSTANCE = 1);
    for (unsigned i = 0; i < ARRAY_SIZE(attributes); i++) {
        const uint32_t buffer = i * ADRENO_REG_VFD_VERTEX_BUFFER_BASE_STRIDE;
        rig_put64(gpu, ADRENO_REG_VFD_VERTEX_BUFFER_BASE + buffer, BASE_VA + INPUT_AT_B + attributes[i].offset_B);
        gpu->regs[ADRENO_REG_VFD_VERTEX_BUFFER_SIZE + buffer] = INPUT_B - attributes[i].offset_B;
        gpu->regs[ADRENO_REG_VFD_VERTEX_BUFFER_STRIDE + buffer] = 16;
        gpu->regs[ADRENO_REG_VFD_FETCH_INSTR + i * ADRENO_REG_VFD_FETCH_INSTR_STRIDE] = adreno_pack_VFD_FETCH_INSTR(
            &(struct adreno_VFD_FETCH_INSTR){.IDX = i,
                                             .INSTANCED = attributes[i].is_instanced,
                                             .FORMAT = attributes[i].format,
                                             .FLOAT = attributes[i].format == FORMAT_RGBA32_FLOAT});
        gpu->regs[ADRENO_REG_VFD_FETCH_INSTR_STEP_RATE + i * ADRENO_REG_VFD_FETCH_INSTR_STEP_RATE_STRIDE] = 1;
        gpu->regs[ADRENO_REG_VFD_DEST_CNTL + i] = adreno_pack_VFD_DEST_CNTL(
            &(struct adreno_VFD_DEST_CNTL){.WRITEMASK = vs->vs.attribute_mask[i], .REGID = vs->vs.attribute_reg[i]});
    }
}

static void put_link(struct adreno_gpu *gpu, const struct adreno_link *link)
{
    uint32_t *regs = gpu->regs;
    PUT(gpu, SP_VS_OUTPUT_CNTL, .OUT = link->num_outputs);
    for (unsigned i = 0; i < link->num_outputs; i++) {
        const uint32_t output = link->outputs[i].reg | (uint32_t)link->outputs[i].mask << 8;
        regs[ADRENO_REG_SP_VS_OUTPUT + i / 2] |= output << i % 2 * 16;
        regs[ADRENO_REG_SP_VS_VPC_DEST + i / 4] |= (uint32_t)link->outputs[i].loc << i % 4 * 8;
    }
    PUT(gpu, VPC_VS_CNTL, .STRIDE_IN_VPC = link->stride, .POSITIONLOC = link->position_loc,
        .PSIZELOC = link->point_size_loc);
    PUT(gpu, VPC_VS_SIV_CNTL, .LAYERLOC = link->layer_loc, .VIEWLOC = link->viewport_loc);
    PUT(gpu, VPC_VS_CLIP_CULL_CNTL, .CLIP_MASK = link->clip_mask | link->cull_mask,
        .CLIP_DIST_03_LOC = link->distance_loc[0], .CLIP_DIST_47_LOC = link->distance_loc[1]);
    PUT(gpu, GRAS_CL_VS_CLIP_CULL_DISTANCE, .CLIP_MASK = link->clip_mask, .CULL_MASK = link->cull_mask);
    PUT(gpu, VPC_PS_CNTL, .NUMNONPOSVAR = link->num_varyings, .PRIMIDLOC = link->primitive_id_loc,
        .VARYING = link->num_varyings > 0, .VIEWIDLOC = link->view_id_loc);
    for (unsigned i = 0; i < 8; i++) {
        regs[ADRENO_REG_VPC_VARYING_INTERP_MODE_MODE + i] = link->interp_modes[i];
        regs[ADRENO_REG_VPC_VARYING_REPLACE_MODE_MODE + i] = link->replace_modes[i];
    }
}

static void put_fragment_stage(struct adreno_gpu *gpu, const struct adreno_shader_config *fs)
{
    PUT(gpu, SP_REG_PROG_ID_0, .FACEREGID = fs->fs.face_reg, .SAMPLEID = fs->fs.sample_id_reg,
        .SAMPLEMASK = fs->fs.sample_mask_reg, .CENTERRHW = fs->fs.center_rhw_reg);
    PUT(gpu, SP_REG_PROG_ID_1, .IJ_PERSP_PIXEL = fs->fs.ij_reg[ADRENO_IJ_PERSP_PIXEL],
        .IJ_LINEAR_PIXEL = fs->fs.ij_reg[ADRENO_IJ_LINEAR_PIXEL],
        .IJ_PERSP_CENTROID = fs->fs.ij_reg[ADRENO_IJ_PERSP_CENTROID],
        .IJ_LINEAR_CENTROID = fs->fs.ij_reg[ADRENO_IJ_LINEAR_CENTROID]);
    PUT(gpu, SP_REG_PROG_ID_2, .IJ_PERSP_SAMPLE = fs->fs.ij_reg[ADRENO_IJ_PERSP_SAMPLE],
        .IJ_LINEAR_SAMPLE = fs->fs.ij_reg[ADRENO_IJ_LINEAR_SAMPLE], .XYCOORDREGID = fs->fs.xy_reg,
        .ZWCOORDREGID = fs->fs.zw_reg);
    PUT(gpu, SP_PS_OUTPUT_CNTL, .DEPTH_REGID = fs->fs.depth_reg, .SAMPMASK_REGID = fs->fs.sample_mask_out_reg,
        .STENCILREF_REGID = fs->fs.stencil_reg);
    PUT(gpu, RB_PS_OUTPUT_CNTL, .FRAG_WRITES_Z = fs->fs.depth_reg != ADRENO_REG_UNUSED,
        .FRAG_WRITES_SAMPMASK = fs->fs.sample_mask_out_reg != ADRENO_REG_UNUSED,
        .FRAG_WRITES_STENCILREF = fs->fs.stencil_reg != ADRENO_REG_UNUSED);
    for (unsigned i = 0; i < ADRENO_MAX_TARGETS; i++)
        gpu->regs[ADRENO_REG_SP_PS_OUTPUT + i] = adreno_pack_SP_PS_OUTPUT(
            &(struct adreno_SP_PS_OUTPUT){.REGID = fs->fs.colors[i].reg, .HALF_PRECISION = fs->fs.colors[i].is_half});
    PUT(gpu, SP_PS_OUTPUT_MASK, .RT0 = 15);
    PUT(gpu, RB_PS_OUTPUT_MASK, .RT0 = 15);
    PUT(gpu, SP_PS_MRT_CNTL, .MRT = 1);
    PUT(gpu, RB_PS_MRT_CNTL, .MRT = 1);
    PUT(gpu, SP_PS_MRT, .COLOR_FORMAT = FORMAT_RGBA32_FLOAT);
    const bool is_late = !fs->fs.early_tests && (fs->fs.has_kill || fs->fs.depth_reg != ADRENO_REG_UNUSED);
    PUT(gpu, RB_DEPTH_PLANE_CNTL, .Z_MODE = is_late ? ADRENO_ZTEST_MODE_LATE_Z : ADRENO_ZTEST_MODE_EARLY_Z);
    const enum adreno_FRAGCOORD_SAMPLE_MODE mode =
        fs->fs.is_per_sample ? ADRENO_FRAGCOORD_SAMPLE_MODE_SAMPLE : ADRENO_FRAGCOORD_SAMPLE_MODE_CENTER;
    PUT(gpu, RB_PS_INPUT_CNTL, .SAMPLEMASK = fs->fs.sample_mask_reg != ADRENO_REG_UNUSED,
        .SAMPLEID = fs->fs.sample_id_reg != ADRENO_REG_UNUSED, .FACENESS = fs->fs.face_reg != ADRENO_REG_UNUSED,
        .CENTERRHW = fs->fs.center_rhw_reg != ADRENO_REG_UNUSED, .FRAGCOORDSAMPLEMODE = mode);
    PUT(gpu, GRAS_LRZ_PS_INPUT_CNTL, .SAMPLEID = fs->fs.sample_id_reg != ADRENO_REG_UNUSED,
        .FRAGCOORDSAMPLEMODE = mode);
    PUT(gpu, RB_PS_SAMPLEFREQ_CNTL, .PER_SAMP_MODE = fs->fs.is_per_sample);
    PUT(gpu, GRAS_LRZ_PS_SAMPLEFREQ_CNTL, .PER_SAMP_MODE = fs->fs.is_per_sample);
}

static void put_program(struct rig *rig, enum adreno_stage stage, uint32_t base, const struct adreno_binary *binary,
                        uint32_t code_B, const struct world *world)
{
    static const uint32_t none[3];
    memcpy(rig->alone.memory + code_B, binary->words, binary->size_B);
    rig_put64(rig->gpu, base, BASE_VA + code_B);
    rig_write_constants(rig->gpu->hlsq->stages[stage].constants, binary, BASE_VA + code_B, world, none);
}

/* The second viewport is half as wide as the first. */
static void put_raster(struct adreno_gpu *gpu, bool has_views)
{
    uint32_t *regs = gpu->regs;
    for (unsigned i = 0; i < 2; i++) {
        const uint32_t at = i * ADRENO_REG_GRAS_CL_VIEWPORT_XOFFSET_STRIDE;
        const float width = i ? SIZE / 4.0f : SIZE / 2.0f;
        regs[ADRENO_REG_GRAS_CL_VIEWPORT_XSCALE + at] = regs[ADRENO_REG_GRAS_CL_VIEWPORT_XOFFSET + at] =
            float_bits(width);
        regs[ADRENO_REG_GRAS_CL_VIEWPORT_YSCALE + at] = regs[ADRENO_REG_GRAS_CL_VIEWPORT_YOFFSET + at] =
            float_bits(SIZE / 2.0f);
        regs[ADRENO_REG_GRAS_CL_VIEWPORT_ZSCALE + at] = float_bits(1);
        regs[ADRENO_REG_GRAS_CL_VIEWPORT_ZCLAMP_MAX + 2 * i] = float_bits(1);
        regs[ADRENO_REG_GRAS_SC_VIEWPORT_SCISSOR_BR + 2 * i] = (SIZE - 1) * 0x10001u;
        regs[ADRENO_REG_GRAS_SC_SCREEN_SCISSOR_BR + 2 * i] = (SIZE - 1) * 0x10001u;
    }
    regs[ADRENO_REG_GRAS_SC_WINDOW_SCISSOR_BR] = (SIZE - 1) * 0x10001u;
    regs[ADRENO_REG_GRAS_CL_GUARDBAND_CLIP_ADJ] = 0x1ff | 0x1ffu << 10;
    regs[ADRENO_REG_GRAS_SU_POINT_MINMAX] = 4092u << 20 | 16;
    PUT(gpu, GRAS_SU_POINT_SIZE, 1);
    PUT(gpu, GRAS_CL_CNTL, .ZERO_GB_SCALE_Z = 1);
    PUT(gpu, PC_DGEN_RAST_CNTL, .MODE = ADRENO_POLYGON_MODE_TRIANGLES);
    PUT(gpu, GRAS_SU_CNTL, .FRONT_CW = 0, .RENDERTARGETINDEXINCR = has_views, .MULTIVIEW_ENABLE = has_views);
    PUT(gpu, PC_STEREO_RENDERING_CNTL, .ENABLE = has_views, .DISABLEMULTIPOS = 1, .VIEWS = has_views ? LAYERS : 0);
    PUT(gpu, VFD_STEREO_RENDERING_CNTL, .ENABLE = has_views, .DISABLEMULTIPOS = 1, .VIEWS = has_views ? LAYERS : 0);
    regs[ADRENO_REG_PC_STEREO_RENDERING_VIEWMASK] = has_views ? (1u << LAYERS) - 1 : 0;
}

static void put_targets(struct adreno_gpu *gpu, uint32_t samples)
{
    const uint32_t log2 = log2_floor(samples);
    PUT(gpu, GRAS_SC_RAS_MSAA_CNTL, .SAMPLES = log2);
    PUT(gpu, GRAS_SC_DEST_MSAA_CNTL, .SAMPLES = log2);
    PUT(gpu, RB_RAS_MSAA_CNTL, .SAMPLES = log2);
    PUT(gpu, RB_DEST_MSAA_CNTL, .SAMPLES = log2);
    PUT(gpu, TPL1_RAS_MSAA_CNTL, .SAMPLES = log2);
    PUT(gpu, RB_CNTL, .BUFFERS_LOCATION = ADRENO_BUFFERS_LOCATION_SYSMEM);
    PUT(gpu, RB_MRT_CONTROL, .COMPONENT_ENABLE = 15);
    PUT(gpu, RB_MRT_BUF_INFO, .COLOR_FORMAT = FORMAT_RGBA32_FLOAT, .COLOR_TILE_MODE = ADRENO_TILE_MODE_LINEAR);
    PUT(gpu, RB_MRT_PITCH, SIZE * COLOR_B * samples);
    PUT(gpu, RB_MRT_ARRAY_PITCH, SIZE * SIZE * COLOR_B * samples);
    rig_put64(gpu, ADRENO_REG_RB_MRT_BASE, BASE_VA + COLOR_AT_B);
    PUT(gpu, RB_BLEND_CNTL, .SAMPLE_MASK = 0xffff);
    PUT(gpu, RB_DEPTH_CNTL, .Z_TEST_ENABLE = 1, .Z_WRITE_ENABLE = 1, .ZFUNC = ADRENO_COMPARE_FUNC_ALWAYS);
    PUT(gpu, RB_DEPTH_BUFFER_INFO, .DEPTH_FORMAT = ADRENO_DEPTH_FORMAT_Z32);
    PUT(gpu, GRAS_SU_DEPTH_BUFFER_INFO, .DEPTH_FORMAT = ADRENO_DEPTH_FORMAT_Z32);
    PUT(gpu, RB_DEPTH_BUFFER_PITCH, DEPTH_PITCH_B);
    PUT(gpu, RB_DEPTH_BUFFER_ARRAY_PITCH, DEPTH_LAYER_B);
    rig_put64(gpu, ADRENO_REG_RB_DEPTH_BUFFER_BASE, BASE_VA + DEPTH_AT_B);
}

/* ---- targets ---- */

static uint32_t *depth_at(struct rig *rig, uint32_t samples, unsigned layer, unsigned x, unsigned y)
{
    const struct adreno_tile tile = adreno_tile_init(rig->gpu->chip, 4 * samples, DEPTH_PITCH_B);
    return (uint32_t *)(rig->alone.memory + DEPTH_AT_B + layer * DEPTH_LAYER_B + adreno_tile_offset_B(&tile, x, y));
}

static void clear_targets(struct rig *rig, uint32_t samples)
{
    static const float clear[4] = {0.25f, 0.5f, 0.75f, 1};
    for (unsigned i = 0; i < LAYERS * SIZE * SIZE * samples; i++)
        memcpy(rig->alone.memory + COLOR_AT_B + i * COLOR_B, clear, COLOR_B);
    for (unsigned i = 0; i < LAYERS * SIZE * SIZE; i++) {
        for (unsigned s = 0; s < samples; s++)
            depth_at(rig, samples, i / (SIZE * SIZE), i % SIZE, i / SIZE % SIZE)[s] = float_bits(1);
    }
}

/* Of several samples the average; their depths are not asked for. */
static void take_targets(struct rig *rig, uint32_t samples, struct world *world)
{
    const float *colors = (const float *)(rig->alone.memory + COLOR_AT_B);
    for (unsigned i = 0; i < LAYERS * SIZE * SIZE * 4; i++) {
        float sum = 0;
        for (unsigned s = 0; s < samples; s++)
            sum += colors[(i / 4 * samples + s) * 4 + i % 4];
        world->output[i] = float_bits(sum / (float)samples);
    }
    for (unsigned i = 0; i < LAYERS * SIZE * SIZE && samples == 1; i++)
        world->addressed[i] = *depth_at(rig, samples, i / (SIZE * SIZE), i % SIZE, i / SIZE % SIZE);
}

static bool draw(struct rig *rig, const struct job *job, const struct stages *stages, const struct world *world)
{
    struct adreno_gpu *gpu = rig->gpu;
    struct adreno_link link;
    if (!adreno_link(&stages->vs.config, &stages->fs.config, false, &link))
        return false;
    PUT(gpu, SP_VS_CNTL_0, .MERGEDREGS = 1, .FULLREGFOOTPRINT = stages->vs.config.full_registers);
    PUT(gpu, SP_PS_CNTL_0, .MERGEDREGS = 1, .FULLREGFOOTPRINT = stages->fs.config.full_registers,
        .THREADSIZE = stages->fs.config.wave_size == 128, .VARYING = stages->fs.config.fs.has_varyings,
        .PIXLODENABLE = stages->fs.config.fs.has_implicit_lod);
    PUT(gpu, SP_VS_CONFIG, .ENABLED = 1);
    PUT(gpu, SP_PS_CONFIG, .ENABLED = 1);
    gpu->regs[ADRENO_REG_SP_VS_PVT_MEM_PARAM] = (stages->vs.config.private_size_B + 511) / 512;
    gpu->regs[ADRENO_REG_SP_PS_PVT_MEM_PARAM] = (stages->fs.config.private_size_B + 511) / 512;
    put_program(rig, ADRENO_STAGE_VS, ADRENO_REG_SP_VS_BASE, &stages->vs, VERTEX_CODE_B, world);
    put_program(rig, ADRENO_STAGE_FS, ADRENO_REG_SP_PS_BASE, &stages->fs, FRAGMENT_CODE_B, world);
    rig_put64(gpu, ADRENO_REG_SP_GFX_BINDLESS_BASE_DESCRIPTOR, BASE_VA + SETS_B);
    put_vertex_input(gpu, &stages->vs.config);
    put_link(gpu, &link);
    put_fragment_stage(gpu, &stages->fs.config);
    put_raster(gpu, job->kind == JOB_VIEWS);
    put_targets(gpu, job->groups[2]);
    adreno_hlsq_invalidate_code(gpu);
    const struct adreno_draw draw = {
        .topology = job->kind == JOB_POINTS ? ADRENO_PRIM_TYPE_POINTLIST : ADRENO_PRIM_TYPE_TRILIST,
        .source = ADRENO_SRC_SEL_AUTO_INDEX,
        .instance_count = job->groups[1],
        .count = job->groups[0],
    };
    return adreno_draw(gpu, &draw);
}

bool rig_draw(struct rig *rig, const struct job *job, const struct adreno_compile_options *options, struct world *world,
              char error_out[512])
{
    struct stages stages = {.has_vs = false};
    const uint32_t samples = job->groups[2];
    bool ok = samples && samples <= SAMPLES_MAX;
    if (!ok)
        snprintf(error_out, 512, "%u samples", samples);
    ok = ok && make_stages(job, options, &stages, error_out);
    if (ok) {
        clear_targets(rig, samples);
        ok = draw(rig, job, &stages, world);
        take_targets(rig, samples, world);
    }
    if (stages.has_vs)
        adreno_binary_finish(&stages.vs);
    if (stages.has_fs)
        adreno_binary_finish(&stages.fs);
    return ok;
}
