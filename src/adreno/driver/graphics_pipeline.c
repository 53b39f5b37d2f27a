/* The group of a pipeline's program: its stages (stages.c), how they are linked (stage_outputs.c), what the first one
 * reads and what fragments read and write. Everything else of a pipeline is state that a command could have set
 * (state*.c). */
#include "adreno/driver/cmd.h"
#include "adreno/driver/graphics.h"
#include "adreno/hw/regs_gras.h"
#include "adreno/hw/regs_pc.h"
#include "adreno/hw/regs_rb.h"
#include "adreno/hw/regs_sp.h"
#include "adreno/hw/regs_vfd.h"
#include "adreno/hw/regs_vpc.h"
#include "util/bits.h"

#define PROGRAM_DW 420 /* of two stages, without immediates */
#define STAGE_DW 40    /* of each further one */
#define XFB_DW 540     /* of what four streams capture */

/* ---- vertices ---- */

static void emit_vertex_inputs(struct adreno_cs *cs, const struct adreno_graphics_pipeline *baked)
{
    const struct adreno_shader_config *vs = &baked->shaders[ADRENO_STAGE_VERTEX]->binary.config;
    const struct adreno_shader *evaluation = baked->shaders[ADRENO_STAGE_EVALUATION];
    const struct adreno_shader_config *ds = evaluation ? &evaluation->binary.config : NULL;
    const bool has_geometry = baked->shaders[ADRENO_STAGE_GEOMETRY] != NULL;
    ADRENO_REG(cs, VFD_CNTL_0, .FETCH_CNT = baked->num_attributes, .DECODE_CNT = baked->num_attributes);
    for (unsigned i = 0; i < baked->num_attributes; i++) {
        const unsigned location = baked->attributes[i];
        adreno_set_reg(cs, ADRENO_REG_VFD_DEST_CNTL + i,
                       ADRENO_PACK(VFD_DEST_CNTL, .WRITEMASK = vs->vs.attribute_mask[location],
                                   .REGID = vs->vs.attribute_reg[location]));
    }
    adreno_set_regs(cs, ADRENO_REG_VFD_CNTL_1, 6);
    adreno_emit(cs, ADRENO_PACK(VFD_CNTL_1, .REGID4VTX = vs->vs.vertex_id_reg, .REGID4INST = vs->vs.instance_id_reg,
                                .REGID4PRIMID = vs->vs.primitive_id_reg, .REGID4VIEWID = vs->vs.view_id_reg));
    adreno_emit(cs, ADRENO_PACK(VFD_CNTL_2, .REGID_HSRELPATCHID = ds ? ADRENO_PATCH_NUMBER_REG : ADRENO_REG_UNUSED,
                                .REGID_INVOCATIONID = ds ? ADRENO_HEADER_REG : ADRENO_REG_UNUSED));
    adreno_emit(cs, ds ? ADRENO_PACK(VFD_CNTL_3, .REGID_DSPRIMID = ds->vs.primitive_id_reg,
                                     .REGID_DSRELPATCHID = ds->ds.patch_number_reg, .REGID_TESSX = ds->ds.point_reg[0],
                                     .REGID_TESSY = ds->ds.point_reg[1])
                       : 0xfcfcfcfc);
    adreno_emit(cs, 0xfc); /* views */
    adreno_emit(cs, ADRENO_PACK(VFD_CNTL_5, .REGID_GSHEADER = has_geometry ? ADRENO_HEADER_REG : ADRENO_REG_UNUSED,
                                .REGID_GSVIEWID = ADRENO_REG_UNUSED));
    adreno_emit(cs, ADRENO_PACK(VFD_CNTL_6, .PRIMID4PSEN = baked->link.primitive_id_loc != ADRENO_LOCATION_UNUSED));
}

/* ---- geometry shaders ---- */

static enum adreno_TESS_OUTPUT output_of(enum ir_primitive primitive)
{
    return primitive == IR_PRIMITIVE_points       ? ADRENO_TESS_OUTPUT_POINTS
           : primitive == IR_PRIMITIVE_line_strip ? ADRENO_TESS_OUTPUT_LINES
                                                  : ADRENO_TESS_OUTPUT_CW_TRIS;
}

static void emit_geometry(struct adreno_cs *cs, const struct adreno_shader_config *gs)
{
    ADRENO_REG(cs, PC_GS_PARAM_0, .GS_VERTICES_OUT = gs->gs.vertices_out - 1u,
               .GS_INVOCATIONS = gs->gs.invocations - 1u, .GS_OUTPUT = output_of(gs->gs.output));
    ADRENO_REG(cs, PC_PRIMITIVE_CNTL_6, .STRIDE_IN_VPC = gs->part_B / 16);
    /* The local memory of a vertex of the stage before: a hint, whose largest value is told apart. */
    ADRENO_REG(cs, SP_GS_CNTL_1, .VALUE = MIN2(gs->part_B / 4 / MAX2(gs->gs.vertices_in, 1u), 63u));
    ADRENO_REG(cs, VPC_GS_PARAM, .LINELENGTHLOC = 0xff);
}

/* ---- fragments ---- */

static bool has_reg(uint8_t reg)
{
    return reg != ADRENO_REG_UNUSED;
}

static void emit_fragment_inputs(struct adreno_cs *cs, const struct adreno_shader_config *config)
{
    uint32_t ij = 0;
    for (unsigned i = 0; i < ADRENO_IJ_COUNT; i++)
        ij |= (uint32_t)has_reg(config->fs.ij_reg[i]) << i;
    const enum adreno_FRAGCOORD_SAMPLE_MODE mode =
        config->fs.is_per_sample ? ADRENO_FRAGCOORD_SAMPLE_MODE_SAMPLE : ADRENO_FRAGCOORD_SAMPLE_MODE_CENTER;
    const bool has_sample_id = has_reg(config->fs.sample_id_reg);
    adreno_set_regs(cs, ADRENO_REG_SP_REG_PROG_ID_0, 3);
    adreno_emit(cs,
                ADRENO_PACK(SP_REG_PROG_ID_0, .FACEREGID = config->fs.face_reg, .SAMPLEID = config->fs.sample_id_reg,
                            .SAMPLEMASK = config->fs.sample_mask_reg, .CENTERRHW = config->fs.center_rhw_reg));
    adreno_emit(cs, ADRENO_PACK(SP_REG_PROG_ID_1, .IJ_PERSP_PIXEL = config->fs.ij_reg[ADRENO_IJ_PERSP_PIXEL],
                                .IJ_LINEAR_PIXEL = config->fs.ij_reg[ADRENO_IJ_LINEAR_PIXEL],
                                .IJ_PERSP_CENTROID = config->fs.ij_reg[ADRENO_IJ_PERSP_CENTROID],
                                .IJ_LINEAR_CENTROID = config->fs.ij_reg[ADRENO_IJ_LINEAR_CENTROID]));
    adreno_emit(cs, ADRENO_PACK(SP_REG_PROG_ID_2, .IJ_PERSP_SAMPLE = config->fs.ij_reg[ADRENO_IJ_PERSP_SAMPLE],
                                .IJ_LINEAR_SAMPLE = config->fs.ij_reg[ADRENO_IJ_LINEAR_SAMPLE],
                                .XYCOORDREGID = config->fs.xy_reg, .ZWCOORDREGID = config->fs.zw_reg));
    ADRENO_REG(cs, SP_PS_WAVE_CNTL, .THREADSIZE = adreno_threadsize(config), .VARYINGS = config->fs.has_varyings);
    adreno_set_reg(cs, ADRENO_REG_GRAS_CL_INTERP_CNTL,
                   ij | ADRENO_PACK(GRAS_CL_INTERP_CNTL, .COORD_MASK = config->fs.coord_mask));
    adreno_set_reg(
        cs, ADRENO_REG_RB_INTERP_CNTL,
        ij | ADRENO_PACK(RB_INTERP_CNTL, .COORD_MASK = config->fs.coord_mask, .INTERP_EN = config->fs.has_varyings));
    ADRENO_REG(cs, RB_PS_INPUT_CNTL, .SAMPLEMASK = has_reg(config->fs.sample_mask_reg),
               .POSTDEPTHCOVERAGE = config->fs.post_depth_coverage, .FACENESS = has_reg(config->fs.face_reg),
               .SAMPLEID = has_sample_id, .FRAGCOORDSAMPLEMODE = mode, .CENTERRHW = has_reg(config->fs.center_rhw_reg));
    ADRENO_REG(cs, GRAS_LRZ_PS_INPUT_CNTL, .SAMPLEID = has_sample_id, .FRAGCOORDSAMPLEMODE = mode);
    ADRENO_REG(cs, RB_PS_SAMPLEFREQ_CNTL, .PER_SAMP_MODE = config->fs.is_per_sample);
    ADRENO_REG(cs, GRAS_LRZ_PS_SAMPLEFREQ_CNTL, .PER_SAMP_MODE = config->fs.is_per_sample);
}

static void emit_prefetches(struct adreno_cs *cs, const struct adreno_shader_config *config)
{
    ADRENO_REG(cs, SP_PS_INITIAL_TEX_LOAD_CNTL, .COUNT = config->fs.num_prefetches,
               .CONSTSLOTID = config->fs.num_prefetches ? 0x1ff : 0);
    for (unsigned i = 0; i < config->fs.num_prefetches; i++) {
        const struct adreno_prefetch *p = &config->fs.prefetches[i];
        adreno_set_reg(cs, ADRENO_REG_SP_PS_INITIAL_TEX_LOAD_CMD + i,
                       ADRENO_PACK(SP_PS_INITIAL_TEX_LOAD_CMD, .SRC = p->loc, .SAMP_ID = p->sampler_set,
                                   .TEX_ID = p->texture_set, .DST = p->reg, .WRMASK = p->mask, .HALF = p->is_half,
                                   .BINDLESS = true, .CMD = ADRENO_TEX_PREFETCH_CMD_SAM));
        adreno_set_reg(cs, ADRENO_REG_SP_PS_INITIAL_TEX_INDEX_CMD + i,
                       ADRENO_PACK(SP_PS_INITIAL_TEX_INDEX_CMD, .SAMP_ID = p->sampler, .TEX_ID = p->texture));
    }
}

static void emit_fragment_outputs(struct adreno_cs *cs, const struct adreno_shader_config *config)
{
    uint32_t mask = 0;
    ADRENO_REG(cs, SP_PS_OUTPUT_CNTL, .DUAL_COLOR_IN_ENABLE = config->fs.is_dual_source,
               .DEPTH_REGID = config->fs.depth_reg, .SAMPMASK_REGID = config->fs.sample_mask_out_reg,
               .STENCILREF_REGID = config->fs.stencil_reg);
    adreno_set_regs(cs, ADRENO_REG_SP_PS_OUTPUT, ADRENO_MAX_TARGETS);
    for (unsigned i = 0; i < ADRENO_MAX_TARGETS; i++) {
        const struct adreno_fs_color *color = &config->fs.colors[i];
        adreno_emit(cs, ADRENO_PACK(SP_PS_OUTPUT, .REGID = color->reg, .HALF_PRECISION = color->is_half));
        mask |= has_reg(color->reg) ? 0xfu << 4 * i : 0;
    }
    adreno_set_reg(cs, ADRENO_REG_SP_PS_OUTPUT_MASK, mask);
    adreno_set_reg(cs, ADRENO_REG_RB_PS_OUTPUT_MASK, mask);
    ADRENO_REG(cs, RB_PS_OUTPUT_CNTL, .DUAL_COLOR_IN_ENABLE = config->fs.is_dual_source,
               .FRAG_WRITES_Z = has_reg(config->fs.depth_reg),
               .FRAG_WRITES_SAMPMASK = has_reg(config->fs.sample_mask_out_reg),
               .FRAG_WRITES_STENCILREF = has_reg(config->fs.stencil_reg));
}

/* Without a fragment shader: the stage is off and no register is anybody's. */
static void emit_no_fragment(struct adreno_cs *cs)
{
    adreno_set_regs(cs, ADRENO_REG_SP_REG_PROG_ID_0, 3);
    for (unsigned i = 0; i < 3; i++)
        adreno_emit(cs, 0xfcfcfcfc);
    adreno_set_reg(cs, ADRENO_REG_SP_PS_CNTL_0, 0);
    adreno_set_reg(cs, ADRENO_REG_SP_PS_INITIAL_TEX_LOAD_CNTL, 0);
    adreno_set_reg(cs, ADRENO_REG_SP_PS_WAVE_CNTL, 0);
    adreno_set_reg(cs, ADRENO_REG_GRAS_CL_INTERP_CNTL, 0);
    adreno_set_reg(cs, ADRENO_REG_RB_INTERP_CNTL, 0);
    adreno_set_reg(cs, ADRENO_REG_RB_PS_INPUT_CNTL, 0);
    adreno_set_reg(cs, ADRENO_REG_GRAS_LRZ_PS_INPUT_CNTL, 0);
    adreno_set_reg(cs, ADRENO_REG_RB_PS_SAMPLEFREQ_CNTL, 0);
    adreno_set_reg(cs, ADRENO_REG_GRAS_LRZ_PS_SAMPLEFREQ_CNTL, 0);
    ADRENO_REG(cs, SP_PS_OUTPUT_CNTL, .DEPTH_REGID = ADRENO_REG_UNUSED, .SAMPMASK_REGID = ADRENO_REG_UNUSED,
               .STENCILREF_REGID = ADRENO_REG_UNUSED);
    adreno_set_reg(cs, ADRENO_REG_SP_PS_OUTPUT_MASK, 0);
    adreno_set_reg(cs, ADRENO_REG_RB_PS_OUTPUT_MASK, 0);
    adreno_set_reg(cs, ADRENO_REG_RB_PS_OUTPUT_CNTL, 0);
}

static void emit_program(struct adreno_cs *cs, const struct adreno_chip *chip,
                         const struct adreno_graphics_pipeline *baked)
{
    const struct adreno_shader *fragment = baked->shaders[ADRENO_STAGE_FRAGMENT];
    adreno_emit_stage_configs(cs, baked->shaders);
    for (unsigned i = 0; i < ADRENO_STAGES; i++) {
        if (baked->shaders[i])
            adreno_emit_stage(cs, chip, (enum adreno_stage)i, baked->shaders[i]);
    }
    emit_vertex_inputs(cs, baked);
    if (baked->shaders[ADRENO_STAGE_CONTROL])
        adreno_emit_tess(cs, baked);
    if (baked->shaders[ADRENO_STAGE_GEOMETRY])
        emit_geometry(cs, &baked->shaders[ADRENO_STAGE_GEOMETRY]->binary.config);
    adreno_emit_outputs(cs, baked);
    ADRENO_REG(cs, SP_LB_PARAM_LIMIT, .PRIMALLOCTHRESHOLD = 7);
    adreno_set_reg(cs, ADRENO_REG_SP_REG_PROG_ID_3, 0xfcfc);
    if (!fragment) {
        emit_no_fragment(cs);
        return;
    }
    emit_fragment_inputs(cs, &fragment->binary.config);
    emit_prefetches(cs, &fragment->binary.config);
    emit_fragment_outputs(cs, &fragment->binary.config);
}

/* ---- life ---- */

static void take_shaders(struct adreno_graphics_pipeline *baked, struct vk_shader *const *shaders)
{
    for (unsigned i = 0; i < ADRENO_STAGES; i++) {
        struct vk_shader *shader = shaders[vk_stage_index((VkShaderStageFlagBits)(1u << i))];
        baked->shaders[i] = shader ? adreno_shader_of(shader) : NULL;
    }
    baked->last = baked->shaders[ADRENO_STAGE_GEOMETRY]     ? ADRENO_STAGE_GEOMETRY
                  : baked->shaders[ADRENO_STAGE_EVALUATION] ? ADRENO_STAGE_EVALUATION
                                                            : ADRENO_STAGE_VERTEX;
}

static void describe_state(struct adreno_graphics_pipeline *baked, const struct vk_graphics_state *state)
{
    const struct adreno_shader_config *vs = &baked->shaders[ADRENO_STAGE_VERTEX]->binary.config;
    const struct adreno_shader *fragment = baked->shaders[ADRENO_STAGE_FRAGMENT];
    for (uint8_t i = 0; i < ADRENO_MAX_ATTRIBUTES; i++) {
        if (vs->vs.attribute_mask[i])
            baked->attributes[baked->num_attributes++] = i;
    }
    for (unsigned i = 0; fragment && i < ADRENO_MAX_TARGETS; i++)
        baked->color_mask |= (uint8_t)(has_reg(fragment->binary.config.fs.colors[i].reg) << i);
    baked->is_feedback_loop = state && state->rendering.feedback_loop;
}

static uint32_t program_dw(const struct adreno_graphics_pipeline *baked)
{
    uint32_t count_dw = PROGRAM_DW + (adreno_last_config(baked)->vs.num_captures ? XFB_DW : 0);
    for (unsigned i = 0; i < ADRENO_STAGES; i++)
        count_dw += baked->shaders[i] ? STAGE_DW + baked->shaders[i]->binary.num_immediates : 0;
    return count_dw;
}

static bool link_stages(struct adreno_graphics_pipeline *baked)
{
    const struct adreno_shader_config *last = adreno_last_config(baked);
    const struct adreno_shader *fragment = baked->shaders[ADRENO_STAGE_FRAGMENT];
    return adreno_link(last, fragment ? &fragment->binary.config : NULL, last->vs.num_captures != 0, &baked->link);
}

bool adreno_graphics_fits(struct vk_shader *const *shaders)
{
    struct adreno_graphics_pipeline pipeline = {0};
    take_shaders(&pipeline, shaders);
    return !pipeline.shaders[ADRENO_STAGE_VERTEX] || link_stages(&pipeline);
}

/* The pipeline as binning passes have it: attributes are numbered as ever. */
static bool derive_binning(const struct adreno_graphics_pipeline *baked, struct adreno_graphics_pipeline *binning_out)
{
    struct adreno_shader *version = baked->shaders[baked->last]->binning;
    if (!version)
        return false;
    *binning_out = *baked;
    binning_out->shaders[baked->last] = version;
    binning_out->shaders[ADRENO_STAGE_FRAGMENT] = NULL;
    return link_stages(binning_out);
}

static VkResult bake_pipeline(struct adreno_device *device, struct adreno_graphics_pipeline *baked)
{
    struct adreno_graphics_pipeline binning;
    void *map;
    struct adreno_cs cs;
    if (!link_stages(baked))
        return VK_ERROR_UNKNOWN;
    const bool has_binning = derive_binning(baked, &binning);
    const uint32_t own_dw = program_dw(baked), size_dw = own_dw + (has_binning ? program_dw(&binning) : 0);
    VkResult result = vk_code_memory_alloc(&device->code_memory, size_dw * 4, &baked->place, &map);
    if (result != VK_SUCCESS)
        return result;
    adreno_cs_init_fixed(&cs, map, baked->place.va, own_dw);
    emit_program(&cs, device->chip, baked);
    assert(cs.dw <= cs.end);
    baked->program = adreno_cs_range(&cs);
    if (!has_binning)
        return VK_SUCCESS;
    adreno_cs_init_fixed(&cs, (uint32_t *)map + own_dw, baked->place.va + 4ull * own_dw, size_dw - own_dw);
    emit_program(&cs, device->chip, &binning);
    assert(cs.dw <= cs.end);
    baked->binning = adreno_cs_range(&cs);
    return VK_SUCCESS;
}

VkResult adreno_graphics_pipeline_init(struct vk_device *base, struct vk_pipeline *pipeline,
                                       const struct vk_graphics_state *state, const VkAllocationCallbacks *allocator)
{
    struct adreno_graphics_pipeline *baked =
        vk_zalloc(&base->alloc, allocator, sizeof(*baked), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!baked)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    take_shaders(baked, pipeline->shaders);
    describe_state(baked, state);
    VkResult result = VK_SUCCESS;
    if (baked->shaders[ADRENO_STAGE_CONTROL])
        result = adreno_tess_memory(adreno_device_of(base), &baked->tess_va);
    if (result == VK_SUCCESS)
        result = bake_pipeline(adreno_device_of(base), baked);
    if (result != VK_SUCCESS) {
        vk_free(&base->alloc, allocator, baked);
        return result;
    }
    pipeline->driver_data = baked;
    return VK_SUCCESS;
}

void adreno_graphics_pipeline_finish(struct vk_device *base, struct vk_pipeline *pipeline,
                                     const VkAllocationCallbacks *allocator)
{
    struct adreno_graphics_pipeline *baked = pipeline->driver_data;
    if (!baked)
        return;
    vk_code_memory_free(&adreno_device_of(base)->code_memory, &baked->place);
    vk_free(&base->alloc, allocator, baked);
}

void adreno_graphics_bind(struct adreno_cmd_buffer *cmd, struct vk_graphics_pipeline *pipeline)
{
    struct adreno_graphics *graphics = &cmd->graphics;
    const struct adreno_graphics_pipeline *baked = adreno_baked(&pipeline->base);
    graphics->pipeline = pipeline;
    if (graphics->baked == baked)
        return;
    graphics->baked = baked;
    graphics->groups[ADRENO_GROUP_PROGRAM] = baked->program;
    graphics->groups[ADRENO_GROUP_PROGRAM_BINNING] = baked->binning;
    graphics->dirty_groups |= 1u << ADRENO_GROUP_PROGRAM | 1u << ADRENO_GROUP_PROGRAM_BINNING;
    graphics->dirty |= ADRENO_DIRTY_PIPELINE;
    graphics->last.is_valid = false;
    cmd->push_dirty |= VK_SHADER_STAGE_ALL_GRAPHICS;
}
