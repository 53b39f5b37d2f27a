/* The group of a pipeline's program: registers of both shaders, how they are linked, and their immediates. Everything
 * else of a pipeline is state that a command could have set (state*.c). */
#include "adreno/driver/cmd.h"
#include "adreno/driver/graphics.h"
#include "adreno/hw/regs_gras.h"
#include "adreno/hw/regs_pc.h"
#include "adreno/hw/regs_rb.h"
#include "adreno/hw/regs_sp.h"
#include "adreno/hw/regs_vfd.h"
#include "adreno/hw/regs_vpc.h"
#include "util/bits.h"

#define INSTRUCTIONS_B 128    /* what *_INSTR_SIZE and loads of programs count in */
#define PROGRAM_DW 420        /* without immediates */
#define NO_RATE_LOC 0xff0000u /* of VPC_VS_SIV_CNTL: the primitive has no shading rate */

/* ---- constants ---- */

static void load_vertex_constants(struct adreno_cs *cs, uint32_t first, const void *words, uint32_t count_dw)
{
    ADRENO_PACKET(cs, CP_LOAD_STATE6_GEOM, .DST_OFF = first, .STATE_TYPE = ADRENO_STATE_TYPE_CONSTANTS,
                  .STATE_SRC = ADRENO_STATE_SRC_DIRECT, .STATE_BLOCK = ADRENO_STATE_BLOCK_VS_SHADER,
                  .NUM_UNIT = count_dw / 4, .tail_dw = count_dw);
    adreno_emit_array(cs, words, count_dw);
}

static void load_fragment_constants(struct adreno_cs *cs, uint32_t first, const void *words, uint32_t count_dw)
{
    ADRENO_PACKET(cs, CP_LOAD_STATE6_FRAG, .DST_OFF = first, .STATE_TYPE = ADRENO_STATE_TYPE_CONSTANTS,
                  .STATE_SRC = ADRENO_STATE_SRC_DIRECT, .STATE_BLOCK = ADRENO_STATE_BLOCK_FS_SHADER,
                  .NUM_UNIT = count_dw / 4, .tail_dw = count_dw);
    adreno_emit_array(cs, words, count_dw);
}

static void load_own_constants(struct adreno_cs *cs, const struct adreno_shader *shader,
                               void (*load)(struct adreno_cs *, uint32_t, const void *, uint32_t))
{
    const struct adreno_shader_config *config = &shader->binary.config;
    const uint64_t data = shader->va + shader->binary.code_size_B;
    if (shader->binary.num_immediates)
        load(cs, config->first_immediate, shader->binary.immediates, shader->binary.num_immediates);
    if (config->param[ADRENO_PARAM_DATA] != ADRENO_CONST_UNUSED)
        load(cs, config->param[ADRENO_PARAM_DATA], (const uint32_t[4]){(uint32_t)data, (uint32_t)(data >> 32)}, 4);
}

/* ---- stages ---- */

static void emit_config(struct adreno_cs *cs, const struct adreno_graphics_pipeline *baked)
{
    const struct adreno_shader_config *vs = &baked->vertex->binary.config;
    const struct adreno_shader_config *fs = baked->fragment ? &baked->fragment->binary.config : NULL;
    ADRENO_REG(cs, SP_UPDATE_CNTL, .VS_STATE = true, .HS_STATE = true, .DS_STATE = true, .GS_STATE = true,
               .FS_STATE = true, .GFX_UAV = true);
    ADRENO_REG(cs, SP_VS_CONFIG, .BINDLESS_TEX = true, .BINDLESS_SAMP = true, .BINDLESS_UAV = true,
               .BINDLESS_UBO = true, .ENABLED = true);
    ADRENO_REG(cs, SP_VS_CONST_CONFIG, .CONSTLEN = (uint32_t)align_u64(vs->constants, 4), .ENABLED = true);
    adreno_set_reg(cs, ADRENO_REG_SP_HS_CONFIG, 0);
    adreno_set_reg(cs, ADRENO_REG_SP_HS_CONST_CONFIG, 0);
    adreno_set_reg(cs, ADRENO_REG_SP_DS_CONFIG, 0);
    adreno_set_reg(cs, ADRENO_REG_SP_DS_CONST_CONFIG, 0);
    adreno_set_reg(cs, ADRENO_REG_SP_GS_CONFIG, 0);
    adreno_set_reg(cs, ADRENO_REG_SP_GS_CONST_CONFIG, 0);
    ADRENO_REG(cs, SP_PS_CONFIG, .BINDLESS_TEX = fs != NULL, .BINDLESS_SAMP = fs != NULL, .BINDLESS_UAV = fs != NULL,
               .BINDLESS_UBO = fs != NULL, .ENABLED = fs != NULL);
    ADRENO_REG(cs, SP_PS_CONST_CONFIG, .CONSTLEN = fs ? (uint32_t)align_u64(fs->constants, 4) : 0,
               .ENABLED = fs != NULL);
}

static uint32_t lines_of(const struct adreno_shader *shader)
{
    return (uint32_t)div_round_up(shader->binary.code_size_B, INSTRUCTIONS_B);
}

static enum adreno_THREADSIZE threadsize_of(const struct adreno_shader_config *config)
{
    return config->wave_size == 128 ? ADRENO_THREADSIZE_THREAD128 : ADRENO_THREADSIZE_THREAD64;
}

static void emit_vertex_program(struct adreno_cs *cs, const struct adreno_chip *chip,
                                const struct adreno_shader *shader)
{
    const struct adreno_private *private = &shader->private;
    const struct adreno_shader_config *config = &shader->binary.config;
    ADRENO_REG(cs, SP_VS_CNTL_0, .FULLREGFOOTPRINT = config->full_registers, .BRANCHSTACK = config->branch_depth,
               .MERGEDREGS = true);
    ADRENO_REG(cs, SP_VS_INSTR_SIZE, .VALUE = lines_of(shader));
    adreno_set_regs(cs, ADRENO_REG_SP_VS_PROGRAM_COUNTER_OFFSET, 7);
    adreno_emit(cs, 0);
    adreno_emit64(cs, shader->va);
    adreno_emit(cs, ADRENO_PACK(SP_VS_PVT_MEM_PARAM, .MEMSIZEPERITEM = private->size_B_of_fiber));
    adreno_emit64(cs, private->va);
    adreno_emit(cs, ADRENO_PACK(SP_VS_PVT_MEM_SIZE, .TOTALPVTMEMSIZE = private->size_B_of_sp));
    ADRENO_REG(cs, SP_VS_PVT_MEM_STACK_OFFSET, .OFFSET = private->size_B_of_sp);
    ADRENO_PACKET(cs, CP_LOAD_STATE6_GEOM, .STATE_TYPE = ADRENO_STATE_TYPE_SHADER,
                  .STATE_SRC = ADRENO_STATE_SRC_INDIRECT, .STATE_BLOCK = ADRENO_STATE_BLOCK_VS_SHADER,
                  .NUM_UNIT = MIN2(lines_of(shader), chip->instr_cache_size), .EXT_SRC_ADDR = shader->va);
    load_own_constants(cs, shader, load_vertex_constants);
}

static void emit_fragment_program(struct adreno_cs *cs, const struct adreno_chip *chip,
                                  const struct adreno_shader *shader)
{
    const struct adreno_private *private = &shader->private;
    const struct adreno_shader_config *config = &shader->binary.config;
    ADRENO_REG(cs, SP_PS_CNTL_0, .FULLREGFOOTPRINT = config->full_registers, .BRANCHSTACK = config->branch_depth,
               .THREADSIZE = threadsize_of(config), .VARYING = config->fs.has_varyings,
               .LODPIXMASK = config->fs.reads_quads, .INOUTREGOVERLAP = true,
               .PIXLODENABLE = config->fs.has_implicit_lod, .MERGEDREGS = true);
    ADRENO_REG(cs, SP_PS_INSTR_SIZE, .VALUE = lines_of(shader));
    adreno_set_regs(cs, ADRENO_REG_SP_PS_PROGRAM_COUNTER_OFFSET, 7);
    adreno_emit(cs, 0);
    adreno_emit64(cs, shader->va);
    adreno_emit(cs, ADRENO_PACK(SP_PS_PVT_MEM_PARAM, .MEMSIZEPERITEM = private->size_B_of_fiber));
    adreno_emit64(cs, private->va);
    adreno_emit(cs, ADRENO_PACK(SP_PS_PVT_MEM_SIZE, .TOTALPVTMEMSIZE = private->size_B_of_sp));
    ADRENO_REG(cs, SP_PS_PVT_MEM_STACK_OFFSET, .OFFSET = private->size_B_of_sp);
    ADRENO_PACKET(cs, CP_LOAD_STATE6_FRAG, .STATE_TYPE = ADRENO_STATE_TYPE_SHADER,
                  .STATE_SRC = ADRENO_STATE_SRC_INDIRECT, .STATE_BLOCK = ADRENO_STATE_BLOCK_FS_SHADER,
                  .NUM_UNIT = MIN2(lines_of(shader), chip->instr_cache_size), .EXT_SRC_ADDR = shader->va);
    load_own_constants(cs, shader, load_fragment_constants);
}

/* ---- vertices ---- */

static void emit_vertex_inputs(struct adreno_cs *cs, const struct adreno_graphics_pipeline *baked)
{
    const struct adreno_shader_config *vs = &baked->vertex->binary.config;
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
    adreno_emit(cs, 0xfcfc); /* no patches, */
    adreno_emit(cs, 0xfcfcfcfc);
    adreno_emit(cs, 0xfc);
    adreno_emit(cs, 0xfcfc); /* no geometry shader */
    adreno_emit(cs, ADRENO_PACK(VFD_CNTL_6, .PRIMID4PSEN = baked->link.primitive_id_loc != ADRENO_LOCATION_UNUSED));
}

static void emit_outputs(struct adreno_cs *cs, const struct adreno_link *link)
{
    const unsigned pairs = (link->num_outputs + 1u) / 2, quads = (link->num_outputs + 3u) / 4;
    if (pairs)
        adreno_set_regs(cs, ADRENO_REG_SP_VS_OUTPUT, pairs);
    for (unsigned i = 0; i < pairs; i++) {
        const bool has_second = 2 * i + 1 < link->num_outputs;
        adreno_emit(cs, ADRENO_PACK(SP_VS_OUTPUT, .A_REGID = link->outputs[2 * i].reg,
                                    .A_COMPMASK = link->outputs[2 * i].mask,
                                    .B_REGID = has_second ? link->outputs[2 * i + 1].reg : 0,
                                    .B_COMPMASK = has_second ? link->outputs[2 * i + 1].mask : 0));
    }
    if (quads)
        adreno_set_regs(cs, ADRENO_REG_SP_VS_VPC_DEST, quads);
    for (unsigned i = 0; i < quads; i++) {
        uint32_t word = 0;
        for (unsigned j = 0; j < 4 && 4 * i + j < link->num_outputs; j++)
            word |= (uint32_t)link->outputs[4 * i + j].loc << 8 * j;
        adreno_emit(cs, word);
    }
    ADRENO_REG(cs, SP_VS_OUTPUT_CNTL, .OUT = link->num_outputs);
}

static bool is_used(uint8_t loc)
{
    return loc != ADRENO_LOCATION_UNUSED;
}

static void emit_link(struct adreno_cs *cs, const struct adreno_graphics_pipeline *baked)
{
    const struct adreno_link *link = &baked->link;
    const uint8_t distances = link->clip_mask | link->cull_mask;
    const uint32_t clip =
        ADRENO_PACK(VPC_VS_CLIP_CULL_CNTL, .CLIP_MASK = distances, .CLIP_DIST_03_LOC = link->distance_loc[0],
                    .CLIP_DIST_47_LOC = link->distance_loc[1]);
    const uint32_t siv =
        ADRENO_PACK(VPC_VS_SIV_CNTL, .LAYERLOC = link->layer_loc, .VIEWLOC = link->viewport_loc) | NO_RATE_LOC;
    emit_outputs(cs, link);
    ADRENO_REG(cs, VPC_VS_CNTL, .STRIDE_IN_VPC = link->stride, .POSITIONLOC = link->position_loc,
               .PSIZELOC = link->point_size_loc);
    adreno_set_reg(cs, ADRENO_REG_VPC_VS_CLIP_CULL_CNTL, clip);
    adreno_set_reg(cs, ADRENO_REG_VPC_VS_CLIP_CULL_CNTL_V2, clip);
    ADRENO_REG(cs, GRAS_CL_VS_CLIP_CULL_DISTANCE, .CLIP_MASK = link->clip_mask, .CULL_MASK = link->cull_mask);
    ADRENO_REG(cs, PC_VS_CNTL, .STRIDE_IN_VPC = link->stride, .PSIZE = is_used(link->point_size_loc),
               .LAYER = is_used(link->layer_loc), .VIEW = is_used(link->viewport_loc), .CLIP_MASK = distances);
    adreno_set_reg(cs, ADRENO_REG_VPC_VS_SIV_CNTL, siv);
    adreno_set_reg(cs, ADRENO_REG_VPC_VS_SIV_CNTL_V2, siv);
    ADRENO_REG(cs, GRAS_SU_VS_SIV_CNTL, .WRITES_LAYER = is_used(link->layer_loc),
               .WRITES_VIEW = is_used(link->viewport_loc));
    adreno_set_regs(cs, ADRENO_REG_VPC_VARYING_INTERP_MODE_MODE, 8);
    adreno_emit_array(cs, link->interp_modes, 8);
    adreno_set_regs(cs, ADRENO_REG_VPC_VARYING_REPLACE_MODE_MODE, 8);
    adreno_emit_array(cs, link->replace_modes, 8);
    adreno_set_regs(cs, ADRENO_REG_VPC_VARYING_LM_TRANSFER_CNTL_DISABLE, 4);
    for (unsigned i = 0; i < 4; i++)
        adreno_emit(cs, ~link->varying_mask[i]);
    ADRENO_REG(cs, VPC_PS_CNTL, .NUMNONPOSVAR = link->num_varyings, .PRIMIDLOC = link->primitive_id_loc,
               .VARYING = baked->fragment && baked->fragment->binary.config.fs.has_varyings,
               .VIEWIDLOC = link->view_id_loc);
    ADRENO_REG(cs, PC_PS_CNTL, .PRIMITIVEIDEN = is_used(link->primitive_id_loc));
}

/* ---- transform feedback ---- */

#define XFB_WORDS 64                /* of the first stream, for two locations each */
#define XFB_DW (2 * XFB_WORDS + 18) /* at most */

/* A component of a location goes to a buffer. */
static void add_capture(uint32_t *words, unsigned loc, unsigned buffer, unsigned offset_B)
{
    words[loc / 2] |= loc % 2 ? ADRENO_PACK(VPC_SO_MAPPING_PORT, .B_BUF = buffer, .B_OFF = offset_B, .B_EN = true)
                              : ADRENO_PACK(VPC_SO_MAPPING_PORT, .A_BUF = buffer, .A_OFF = offset_B, .A_EN = true);
}

static uint32_t fill_captures(const struct adreno_graphics_pipeline *baked, uint32_t words[XFB_WORDS])
{
    const struct adreno_shader_config *vs = &baked->vertex->binary.config;
    uint32_t count = 0;
    for (unsigned i = 0; i < vs->vs.num_captures; i++) {
        const struct ir_capture *capture = &vs->vs.captures[i];
        for (unsigned c = 0; c < capture->num_comps * (capture->bits == 64 ? 2u : 1u); c++) {
            const unsigned at = capture->component + c;
            const uint8_t loc = adreno_link_find(vs, &baked->link, capture->location + at / 4, at % 4);
            if (loc / 2 >= XFB_WORDS)
                continue; /* it is not written */
            add_capture(words, loc, capture->buffer, capture->offset_B + 4 * c);
            count = MAX2(count, loc / 2u + 1);
        }
    }
    return count;
}

static void emit_captures(struct adreno_cs *cs, const struct adreno_graphics_pipeline *baked)
{
    const struct adreno_shader_config *vs = &baked->vertex->binary.config;
    uint32_t words[XFB_WORDS] = {0};
    const uint32_t count = fill_captures(baked, words);
    ADRENO_REG(cs, PC_DGEN_SO_CNTL, .STREAM_ENABLE = count != 0);
    ADRENO_REG(cs, VPC_SO_CNTL, .BUF0_STREAM = vs->vs.xfb_stride_B[0] != 0, .BUF1_STREAM = vs->vs.xfb_stride_B[1] != 0,
               .BUF2_STREAM = vs->vs.xfb_stride_B[2] != 0, .BUF3_STREAM = vs->vs.xfb_stride_B[3] != 0,
               .STREAM_ENABLE = count != 0);
    if (!count)
        return;
    for (unsigned i = 0; i < IR_XFB_BUFFERS; i++)
        adreno_set_reg(cs, ADRENO_REG_VPC_SO_BUFFER_STRIDE + i * ADRENO_REG_VPC_SO_BUFFER_STRIDE_STRIDE,
                       ADRENO_PACK(VPC_SO_BUFFER_STRIDE, .VALUE = vs->vs.xfb_stride_B[i]));
    ADRENO_PACKET(cs, CP_CONTEXT_REG_BUNCH, .tail_dw = 2 * (1 + count));
    adreno_emit(cs, ADRENO_REG_VPC_SO_MAPPING_WPTR);
    adreno_emit(cs, ADRENO_PACK(VPC_SO_MAPPING_WPTR, .RESET = true));
    for (uint32_t i = 0; i < count; i++) {
        adreno_emit(cs, ADRENO_REG_VPC_SO_MAPPING_PORT);
        adreno_emit(cs, words[i]);
    }
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
    ADRENO_REG(cs, SP_PS_WAVE_CNTL, .THREADSIZE = threadsize_of(config), .VARYINGS = config->fs.has_varyings);
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
    emit_config(cs, baked);
    emit_vertex_program(cs, chip, baked->vertex);
    emit_vertex_inputs(cs, baked);
    emit_link(cs, baked);
    emit_captures(cs, baked);
    ADRENO_REG(cs, SP_LB_PARAM_LIMIT, .PRIMALLOCTHRESHOLD = 7);
    adreno_set_reg(cs, ADRENO_REG_SP_REG_PROG_ID_3, 0xfcfc);
    if (!baked->fragment) {
        emit_no_fragment(cs);
        return;
    }
    emit_fragment_program(cs, chip, baked->fragment);
    emit_fragment_inputs(cs, &baked->fragment->binary.config);
    emit_prefetches(cs, &baked->fragment->binary.config);
    emit_fragment_outputs(cs, &baked->fragment->binary.config);
}

/* ---- life ---- */

static void describe(struct adreno_graphics_pipeline *baked, const struct vk_graphics_state *state)
{
    const struct adreno_shader_config *vs = &baked->vertex->binary.config;
    for (uint8_t i = 0; i < ADRENO_MAX_ATTRIBUTES; i++) {
        if (vs->vs.attribute_mask[i])
            baked->attributes[baked->num_attributes++] = i;
    }
    for (unsigned i = 0; baked->fragment && i < ADRENO_MAX_TARGETS; i++)
        baked->color_mask |= (uint8_t)(has_reg(baked->fragment->binary.config.fs.colors[i].reg) << i);
    baked->is_feedback_loop = state && state->rendering.feedback_loop;
}

static uint32_t program_dw(const struct adreno_graphics_pipeline *baked)
{
    return PROGRAM_DW + (baked->vertex->binary.config.vs.num_captures ? XFB_DW : 0) +
           baked->vertex->binary.num_immediates + (baked->fragment ? baked->fragment->binary.num_immediates : 0);
}

static bool link(struct adreno_graphics_pipeline *baked)
{
    const struct adreno_shader_config *vs = &baked->vertex->binary.config;
    const struct adreno_shader_config *fs = baked->fragment ? &baked->fragment->binary.config : NULL;
    return adreno_link(vs, fs, vs->vs.num_captures != 0, &baked->link);
}

/* The pipeline as binning passes have it: attributes are numbered as ever. */
static bool derive_binning(const struct adreno_graphics_pipeline *baked, struct adreno_graphics_pipeline *binning_out)
{
    if (!baked->vertex->binning)
        return false;
    *binning_out = *baked;
    binning_out->vertex = baked->vertex->binning;
    binning_out->fragment = NULL;
    return link(binning_out);
}

static VkResult bake(struct adreno_device *device, struct adreno_graphics_pipeline *baked)
{
    struct adreno_graphics_pipeline binning;
    void *map;
    struct adreno_cs cs;
    if (!link(baked))
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
    struct vk_shader *vertex = pipeline->shaders[vk_stage_index(VK_SHADER_STAGE_VERTEX_BIT)],
                     *fragment = pipeline->shaders[vk_stage_index(VK_SHADER_STAGE_FRAGMENT_BIT)];
    struct adreno_graphics_pipeline *baked =
        vk_zalloc(&base->alloc, allocator, sizeof(*baked), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!baked)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    baked->vertex = adreno_shader_of(vertex);
    baked->fragment = fragment ? adreno_shader_of(fragment) : NULL;
    describe(baked, state);
    VkResult result = bake(adreno_device_of(base), baked);
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
    cmd->push_dirty |= VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
}
