/* A graphics pipeline's own part: the registers of its shaders and of what lies between them, as blocks of packets that
 * draws copy into the stream where another pipeline had others. Blocks of static state: radeon_state.c. */
#include "amd/driver/radeon_cmd.h"
#include "amd/driver/radeon_entrypoints.h"
#include "amd/driver/radeon_graphics.h"
#include "amd/driver/radeon_quick.h"
#include "amd/hw/regs_cb.h"
#include "amd/hw/regs_db.h"
#include "amd/hw/regs_ge.h"
#include "amd/hw/regs_pa.h"
#include "amd/hw/regs_spi.h"
#include "util/bits.h"
#include "vulkan/runtime/object/vk_alloc.h"
#include "vulkan/runtime/pipeline/vk_code_parts.h"

#define MAX_BAKED_DW 160
#define MAX_PRIMITIVE_ATTRIBUTES 31 /* NUM_PRIM_INTERP */
#define RING_WAVES 32               /* of geometry shaders that are captured, on each shader engine */

/* The value of OFFSET that says: no parameter, but the default of DEFAULT_VAL; or, for values of all three vertices,
 * the parameter as it is. */
#define PARAM_BYPASS 0x20u

/* ---- the vertex stage ---- */

/* Without a geometry shader a primitive becomes one. */
static struct amd_geometry_layout subgroup_sizes(const struct amd_shader_config *config)
{
    static const struct amd_geometry_layout plain = {.invocations = 1,
                                                     .input_dw = 1,
                                                     .max_vertices = RADEON_NGG_SUBGROUP,
                                                     .max_primitives = RADEON_NGG_SUBGROUP,
                                                     .max_out_vertices = RADEON_NGG_SUBGROUP};
    return config->geometry.is_there ? config->geometry : plain;
}

static void bake_ngg(struct radeon_cs *cs, const struct radeon_shader *vertex, const struct radeon_shader *hull)
{
    const struct amd_shader_config *config = &vertex->binary.config;
    const bool is_mesh = config->geometry.is_mesh;
    radeon_set_sh_reg_seq(cs, AMD_REG_SPI_SHADER_PGM_LO_ES, 2);
    radeon_emit(cs, (uint32_t)(vertex->va >> 8));
    radeon_emit(cs, (uint32_t)(vertex->va >> 40) & 0xff);
    radeon_set_sh_reg_seq(cs, AMD_REG_SPI_SHADER_PGM_RSRC1_GS, 2);
    radeon_emit(cs, config->rsrc1);
    radeon_emit(cs, config->rsrc2);
    radeon_set_context_reg(
        cs, AMD_REG_VGT_SHADER_STAGES_EN,
        AMD_PACK(RADEON_GFX, VGT_SHADER_STAGES_EN, .LS_EN = hull ? AMD_LS_STAGE_ON : AMD_LS_STAGE_OFF,
                 .HS_EN = hull ? AMD_HS_STAGE_ON : AMD_HS_STAGE_OFF, .DYNAMIC_HS = hull != NULL,
                 .ES_EN = hull      ? AMD_ES_STAGE_DS
                          : is_mesh ? AMD_ES_STAGE_OFF
                                    : AMD_ES_STAGE_REAL,
                 .HS_W32_EN = hull && hull->binary.config.wave_size == 32, .GS_EN = config->geometry.is_there,
                 .PRIMGEN_EN = true, .MAX_PRIMGRP_IN_WAVE = 2, .GS_FAST_LAUNCH = is_mesh,
                 .GS_W32_EN = config->wave_size == 32, .PRIMGEN_PASSTHRU_EN = config->passthrough));
    struct amd_geometry_layout sizes = subgroup_sizes(config);
    radeon_set_uconfig_reg(
        cs, AMD_REG_GE_CNTL,
        AMD_PACK(RADEON_GFX, GE_CNTL, .PRIM_GRP_SIZE = sizes.max_primitives, .VERT_GRP_SIZE = sizes.max_vertices));
}

/* A geometry shader without NGG and the copy shader after it. */
static void bake_ring(struct radeon_cs *cs, const struct radeon_graphics_pipeline *baked)
{
    const struct amd_shader_config *config = &baked->vertex->binary.config, *copy = &baked->copy->binary.config;
    radeon_set_sh_reg_seq(cs, AMD_REG_SPI_SHADER_PGM_LO_ES, 2);
    radeon_emit(cs, (uint32_t)(baked->vertex->va >> 8));
    radeon_emit(cs, (uint32_t)(baked->vertex->va >> 40) & 0xff);
    radeon_set_sh_reg_seq(cs, AMD_REG_SPI_SHADER_PGM_RSRC1_GS, 2);
    radeon_emit(cs, config->rsrc1);
    radeon_emit(cs, config->rsrc2);
    radeon_set_sh_reg_seq(cs, AMD_REG_SPI_SHADER_PGM_LO_VS, 4);
    radeon_emit(cs, (uint32_t)(baked->copy->va >> 8));
    radeon_emit(cs, (uint32_t)(baked->copy->va >> 40) & 0xff);
    radeon_emit(cs, copy->rsrc1);
    radeon_emit(cs, copy->rsrc2);
    radeon_set_context_reg(
        cs, AMD_REG_VGT_SHADER_STAGES_EN,
        AMD_PACK(RADEON_GFX, VGT_SHADER_STAGES_EN, .LS_EN = baked->hull ? AMD_LS_STAGE_ON : AMD_LS_STAGE_OFF,
                 .HS_EN = baked->hull ? AMD_HS_STAGE_ON : AMD_HS_STAGE_OFF, .DYNAMIC_HS = baked->hull != NULL,
                 .HS_W32_EN = baked->hull && baked->hull->binary.config.wave_size == 32,
                 .ES_EN = baked->hull ? AMD_ES_STAGE_DS : AMD_ES_STAGE_REAL, .GS_EN = true,
                 .VS_EN = AMD_VS_STAGE_COPY_SHADER, .MAX_PRIMGRP_IN_WAVE = 2, .VS_W32_EN = copy->wave_size == 32));
    radeon_set_uconfig_reg(cs, AMD_REG_GE_CNTL,
                           AMD_PACK(RADEON_GFX, GE_CNTL, .PRIM_GRP_SIZE = config->geometry.max_primitives,
                                    .VERT_GRP_SIZE = config->geometry.max_vertices));
}

/* Where vertices of each stream lie in the ring. */
static void bake_ring_items(struct radeon_cs *cs, const struct amd_geometry_layout *sizes)
{
    uint32_t first_dw = 0;
    radeon_set_context_reg_seq(cs, AMD_REG_VGT_GSVS_RING_OFFSET_1, 3);
    for (unsigned i = 0; i < 3; i++) {
        first_dw += sizes->stream_dw[i] * sizes->vertices_out;
        radeon_emit(cs, first_dw);
    }
    radeon_set_context_reg(cs, AMD_REG_VGT_GSVS_RING_ITEMSIZE, first_dw + sizes->stream_dw[3] * sizes->vertices_out);
    radeon_set_context_reg_seq(cs, AMD_REG_VGT_GS_VERT_ITEMSIZE, 4);
    for (unsigned i = 0; i < 4; i++)
        radeon_emit(cs, sizes->stream_dw[i]);
}

static uint32_t gs_mode(const struct amd_geometry_layout *sizes)
{
    if (!sizes->has_ring)
        return 0;
    return AMD_PACK(RADEON_GFX, VGT_GS_MODE, .MODE = AMD_GS_MODE_SCENARIO_G,
                    .CUT_MODE = sizes->vertices_out <= 128 ? AMD_GS_CUT_128 : AMD_GS_CUT_256, .GS_WRITE_OPTIMIZE = true,
                    .ONCHIP = 1);
}

/* Most pipelines have the same words here: these of the preamble. */
static void bake_geometry(struct radeon_cs *cs, const struct radeon_graphics_pipeline *baked, bool reads_depth)
{
    (void)reads_depth;
    struct amd_geometry_layout sizes = subgroup_sizes(&baked->vertex->binary.config);
    uint32_t together = sizes.splits_invocations ? 1 : sizes.invocations;
    radeon_set_context_reg(cs, AMD_REG_VGT_GS_ONCHIP_CNTL,
                           AMD_PACK(RADEON_GFX, VGT_GS_ONCHIP_CNTL, .ES_VERTS_PER_SUBGRP = sizes.max_vertices,
                                    .GS_PRIMS_PER_SUBGRP = sizes.max_primitives,
                                    .GS_INST_PRIMS_IN_SUBGRP = sizes.max_primitives * together));
    radeon_set_context_reg(cs, AMD_REG_VGT_GS_INSTANCE_CNT,
                           AMD_PACK(RADEON_GFX, VGT_GS_INSTANCE_CNT, .ENABLE = sizes.invocations > 1,
                                    .CNT = sizes.invocations,
                                    .EN_MAX_VERT_OUT_PER_GS_INSTANCE = sizes.splits_invocations));
    radeon_set_context_reg(cs, AMD_REG_VGT_GS_MAX_VERT_OUT, sizes.vertices_out);
    radeon_set_context_reg(cs, AMD_REG_VGT_ESGS_RING_ITEMSIZE, sizes.input_dw);
    radeon_set_context_reg(cs, AMD_REG_GE_MAX_OUTPUT_PER_SUBGROUP, sizes.max_out_vertices);
    const uint32_t most = sizes.is_mesh ? sizes.max_out_primitives : sizes.vertices_out;
    radeon_set_context_reg(cs, AMD_REG_GE_NGG_SUBGRP_CNTL,
                           AMD_PACK(RADEON_GFX, GE_NGG_SUBGRP_CNTL, .PRIM_AMP_FACTOR = MAX2(most, 1u)));
    radeon_set_context_reg(
        cs, AMD_REG_VGT_DRAW_PAYLOAD_CNTL,
        AMD_PACK(RADEON_GFX, VGT_DRAW_PAYLOAD_CNTL, .EN_PRIM_PAYLOAD = sizes.places_primitives, .EN_VRS_RATE = true));
    radeon_set_context_reg(cs, AMD_REG_SPI_SHADER_IDX_FORMAT,
                           sizes.places_primitives ? AMD_POS_FORMAT_2COMP : AMD_POS_FORMAT_1COMP);
    radeon_set_context_reg(cs, AMD_REG_VGT_GS_MODE, gs_mode(&sizes));
    if (sizes.has_ring)
        bake_ring_items(cs, &sizes);
}

static void bake_legacy(struct radeon_cs *cs, const struct radeon_shader *vertex, const struct radeon_shader *hull)
{
    const struct amd_shader_config *config = &vertex->binary.config;
    radeon_set_sh_reg_seq(cs, AMD_REG_SPI_SHADER_PGM_LO_VS, 4);
    radeon_emit(cs, (uint32_t)(vertex->va >> 8));
    radeon_emit(cs, (uint32_t)(vertex->va >> 40) & 0xff);
    radeon_emit(cs, config->rsrc1);
    radeon_emit(cs, config->rsrc2);
    radeon_set_context_reg(cs, AMD_REG_VGT_SHADER_STAGES_EN,
                           AMD_PACK(RADEON_GFX, VGT_SHADER_STAGES_EN,
                                    .LS_EN = hull ? AMD_LS_STAGE_ON : AMD_LS_STAGE_OFF,
                                    .HS_EN = hull ? AMD_HS_STAGE_ON : AMD_HS_STAGE_OFF, .DYNAMIC_HS = hull != NULL,
                                    .VS_EN = hull ? AMD_VS_STAGE_DS : AMD_VS_STAGE_REAL,
                                    .HS_W32_EN = hull && hull->binary.config.wave_size == 32, .MAX_PRIMGRP_IN_WAVE = 2,
                                    .VS_W32_EN = config->wave_size == 32));
    radeon_set_uconfig_reg(cs, AMD_REG_GE_CNTL,
                           AMD_PACK(RADEON_GFX, GE_CNTL, .PRIM_GRP_SIZE = 128, .VERT_GRP_SIZE = 256));
}

static uint32_t vs_out_cntl(const struct amd_shader_config *config)
{
    bool misc = config->writes_point_size || config->writes_layer || config->writes_viewport || config->writes_rate;
    uint32_t distances = config->clip_mask | config->cull_mask;
    return config->clip_mask | (uint32_t)config->cull_mask << 8 |
           AMD_PACK(
               RADEON_GFX, PA_CL_VS_OUT_CNTL, .USE_VTX_POINT_SIZE = config->writes_point_size,
               .USE_VTX_RENDER_TARGET_INDX = config->writes_layer, .USE_VTX_VIEWPORT_INDX = config->writes_viewport,
               .VS_OUT_MISC_VEC_ENA = misc, .VS_OUT_MISC_SIDE_BUS_ENA = misc, .USE_VTX_VRS_RATE = config->writes_rate,
               .VS_OUT_CCDIST0_VEC_ENA = (distances & 0x0f) != 0, .VS_OUT_CCDIST1_VEC_ENA = (distances & 0xf0) != 0);
}

static uint32_t pos_format(const struct amd_shader_config *config)
{
    uint32_t word = 0;
    for (unsigned i = 0; i < config->num_positions; i++)
        word |= (uint32_t)AMD_POS_FORMAT_4COMP << 4 * i;
    return word;
}

/* Of the last stage before the rasteriser. */
static const struct amd_shader_config *exporting(const struct radeon_graphics_pipeline *baked)
{
    return baked->copy ? &baked->copy->binary.config : &baked->vertex->binary.config;
}

static void bake_vertex(struct radeon_cs *cs, const struct radeon_graphics_pipeline *baked, bool reads_depth)
{
    const struct radeon_shader *vertex = baked->vertex;
    const struct amd_shader_config *config = exporting(baked);
    bool is_ngg = baked->is_ngg;
    if (baked->hull)
        radeon_bake_hull(cs, baked->hull);
    if (baked->copy)
        bake_ring(cs, baked);
    else if (is_ngg)
        bake_ngg(cs, vertex, baked->hull);
    else
        bake_legacy(cs, vertex, baked->hull);
    radeon_set_context_reg(cs, AMD_REG_SPI_VS_OUT_CONFIG,
                           AMD_PACK(RADEON_GFX, SPI_VS_OUT_CONFIG, .VS_EXPORT_COUNT = MAX2(config->num_params, 1u) - 1,
                                    .PRIM_EXPORT_COUNT = config->geometry.primitive_params,
                                    .NO_PC_EXPORT = is_ngg && config->num_params == 0));
    radeon_set_context_reg(cs, AMD_REG_PA_CL_VS_OUT_CNTL, vs_out_cntl(config));
    radeon_set_context_reg(cs, AMD_REG_VGT_PRIMITIVEID_EN,
                           AMD_PACK(RADEON_GFX, VGT_PRIMITIVEID_EN,
                                    .PRIMITIVEID_EN = !is_ngg && config->reads_primitive_id,
                                    .NGG_DISABLE_PROVOK_REUSE = is_ngg && config->reads_primitive_id));
}

/* ---- the fragment stage ---- */

static uint32_t ps_input_cntl(const struct amd_shader_config *vertex, const struct amd_ps_attribute *attribute)
{
    uint8_t param = attribute->location < sizeof(vertex->param_of) ? vertex->param_of[attribute->location] : 0xff;
    if (attribute->sprite)
        return AMD_PACK(RADEON_GFX, SPI_PS_INPUT_CNTL, .OFFSET = PARAM_BYPASS, .PT_SPRITE_TEX = true);
    if (param == 0xff) /* nothing wrote it: zeros */
        return AMD_PACK(RADEON_GFX, SPI_PS_INPUT_CNTL, .OFFSET = PARAM_BYPASS);
    return AMD_PACK(RADEON_GFX, SPI_PS_INPUT_CNTL, .OFFSET = param | (attribute->explicit_vertices ? PARAM_BYPASS : 0),
                    .FLAT_SHADE = attribute->flat || attribute->explicit_vertices, .FP16_INTERP_MODE = attribute->half,
                    .ROTATE_PC_PTR = attribute->ordered, .ATTR0_VALID = attribute->half);
}

/* `reads_depth`: the shader may read the depth and stencil it is tested against. */
static uint32_t db_shader_control(const struct amd_shader_config *config, bool reads_depth)
{
    enum amd_Z_EXPORT_HINT hint = config->depth_layout == IR_DEPTH_greater ? AMD_Z_EXPORT_HINT_GREATER_THAN_Z
                                  : config->depth_layout == IR_DEPTH_less  ? AMD_Z_EXPORT_HINT_LESS_THAN_Z
                                                                           : AMD_Z_EXPORT_HINT_ANY_Z;
    /* Effects must happen although nothing of the fragment is seen; without early_fragment_tests they come before the
     * tests, and reads see what was there before. */
    bool late = (config->writes_memory || reads_depth) && !config->early_tests;
    return AMD_PACK(RADEON_GFX, DB_SHADER_CONTROL, .Z_EXPORT_ENABLE = config->writes_depth,
                    .STENCIL_TEST_VAL_EXPORT_ENABLE = config->writes_stencil,
                    .Z_ORDER = late ? AMD_Z_ORDER_LATE_Z : AMD_Z_ORDER_EARLY_Z_THEN_LATE_Z,
                    .KILL_ENABLE = config->can_discard, .MASK_EXPORT_ENABLE = config->writes_mask,
                    .EXEC_ON_HIER_FAIL = config->writes_memory, .EXEC_ON_NOOP = config->writes_memory,
                    .DEPTH_BEFORE_SHADER = config->early_tests,
                    .PRE_SHADER_DEPTH_COVERAGE_ENABLE = config->post_depth_coverage, .CONSERVATIVE_Z_EXPORT = hint);
}

/* The last ones: what a mesh shader's primitives export. */
static uint32_t attributes_of_primitives(const struct amd_shader_config *vertex,
                                         const struct amd_shader_config *fragment)
{
    uint32_t count = 0;
    while (vertex->geometry.is_mesh && count < MIN2(fragment->num_attributes, MAX_PRIMITIVE_ATTRIBUTES)) {
        const uint8_t location = fragment->attributes[fragment->num_attributes - 1 - count].location;
        const uint8_t param = location < sizeof(vertex->param_of) ? vertex->param_of[location] : 0xff;
        /* One that nothing writes may stand on either side. */
        if (param < vertex->geometry.vertex_params)
            break;
        count++;
    }
    return count;
}

static void bake_fragment(struct radeon_cs *cs, const struct radeon_graphics_pipeline *baked, bool reads_depth)
{
    const struct radeon_shader *fragment = baked->fragment;
    const struct amd_shader_config *config = &fragment->binary.config, *vertex = exporting(baked);
    radeon_set_sh_reg_seq(cs, AMD_REG_SPI_SHADER_PGM_LO_PS, 4);
    radeon_emit(cs, (uint32_t)(fragment->va >> 8));
    radeon_emit(cs, (uint32_t)(fragment->va >> 40) & 0xff);
    radeon_emit(cs, config->rsrc1);
    radeon_emit(cs, config->rsrc2);

    radeon_set_context_reg_seq(cs, AMD_REG_SPI_PS_INPUT_ENA, 2);
    radeon_emit(cs, config->spi_ps_input_ena);
    radeon_emit(cs, config->spi_ps_input_ena);
    const uint32_t of_primitives = attributes_of_primitives(vertex, config);
    radeon_set_context_reg(cs, AMD_REG_SPI_PS_IN_CONTROL,
                           AMD_PACK(RADEON_GFX, SPI_PS_IN_CONTROL, .NUM_INTERP = config->num_attributes - of_primitives,
                                    .NUM_PRIM_INTERP = of_primitives, .PS_W32_EN = config->wave_size == 32));
    radeon_set_context_reg(cs, AMD_REG_SPI_BARYC_CNTL,
                           AMD_PACK(RADEON_GFX, SPI_BARYC_CNTL, .POS_FLOAT_LOCATION = config->sample_shading ? 2 : 0,
                                    .FRONT_FACE_ALL_BITS = true));
    if (config->num_attributes) {
        radeon_set_context_reg_seq(cs, AMD_REG_SPI_PS_INPUT_CNTL, config->num_attributes);
        for (unsigned i = 0; i < config->num_attributes; i++)
            radeon_emit(cs, ps_input_cntl(vertex, &config->attributes[i]));
    }

    /* Fragments that may be dropped must come out of the shader with something. */
    uint32_t formats = config->color_formats;
    if (!formats && !config->z_format && config->can_discard)
        formats = AMD_EXPORT_32_R;
    radeon_set_context_reg_seq(cs, AMD_REG_SPI_SHADER_POS_FORMAT, 3);
    radeon_emit(cs, pos_format(vertex));
    radeon_emit(cs, config->z_format);
    radeon_emit(cs, formats);
    radeon_set_context_reg(cs, AMD_REG_CB_SHADER_MASK, config->cb_shader_mask);
    radeon_set_context_reg(cs, AMD_REG_DB_SHADER_CONTROL, db_shader_control(config, reads_depth));
}

/* ---- making one ---- */

static uint8_t geometry_outprim(const struct amd_geometry_layout *geometry)
{
    return geometry->output == IR_PRIMITIVE_points       ? AMD_GS_OUTPRIM_POINTLIST
           : geometry->output == IR_PRIMITIVE_line_strip ? AMD_GS_OUTPRIM_LINESTRIP
                                                         : AMD_GS_OUTPRIM_TRISTRIP;
}

/* For as many waves as are worth having at a time. */
static uint32_t ring_size_B(const struct radeon_device *device, const struct amd_geometry_layout *sizes)
{
    uint32_t engines = MAX2(device->ws->info.device.num_shader_engines, 1u), item_dw = 0;
    for (unsigned i = 0; i < 4; i++)
        item_dw += sizes->stream_dw[i] * sizes->vertices_out;
    return (uint32_t)align_u64((uint64_t)RING_WAVES * engines * 64 * 4 * item_dw, 256ull * engines);
}

static uint8_t tess_outprim(const struct amd_tess_layout *tess)
{
    return tess->has_point_mode                    ? AMD_GS_OUTPRIM_POINTLIST
           : tess->domain == IR_PRIMITIVE_isolines ? AMD_GS_OUTPRIM_LINESTRIP
                                                   : AMD_GS_OUTPRIM_TRISTRIP;
}

/* Shaders that know samples, or write depth, stencil or masks, are for one pixel: what the device says of itself. */
static bool stays_fine(const struct amd_shader_config *fragment)
{
    return fragment->sample_shading || fragment->reads_sample_mask || fragment->writes_depth ||
           fragment->writes_stencil || fragment->writes_mask;
}

static void describe_state(const struct radeon_device *device, struct radeon_graphics_pipeline *baked)
{
    baked->front = baked->hull ? baked->hull : baked->vertex;
    const struct amd_shader_config *vertex = &baked->vertex->binary.config, *front = &baked->front->binary.config;
    baked->is_merged = vertex->hw_stage == AMD_HW_NGG;
    baked->is_ngg = baked->is_merged && !vertex->geometry.has_ring;
    baked->has_geometry = vertex->geometry.is_there;
    baked->is_mesh = vertex->geometry.is_mesh;
    baked->geometry_outprim = baked->has_geometry ? geometry_outprim(&vertex->geometry) : 0;
    if (baked->hull && !baked->has_geometry) {
        baked->has_geometry = true;
        baked->geometry_outprim = tess_outprim(&front->tess);
    }
    baked->vertex_user_reg =
        baked->is_merged ? AMD_REG_SPI_SHADER_USER_DATA_GS - 8 * 4 : AMD_REG_SPI_SHADER_USER_DATA_VS;
    baked->front_user_reg = baked->hull ? AMD_REG_SPI_SHADER_USER_DATA_HS - 8 * 4 : baked->vertex_user_reg;
    baked->base_vertex_reg = baked->front_user_reg + front->user[AMD_USER_base_vertex].first * 4u;
    baked->has_draw_index = front->user[AMD_USER_draw_index].count != 0;
    baked->has_view_index = vertex->user[AMD_USER_view_index].count != 0 ||
                            front->user[AMD_USER_view_index].count != 0 ||
                            baked->fragment->binary.config.user[AMD_USER_view_index].count != 0;
    baked->is_prolog = front->user[AMD_USER_prolog_inputs].count != 0;
    baked->has_vertex_buffers = front->user[AMD_USER_vertex_buffers].count != 0 || baked->is_prolog;
    for (uint32_t i = 0; i < RADEON_XFB_BUFFERS; i++)
        baked->xfb_buffers |= (uint8_t)((exporting(baked)->xfb_stride_B[i] != 0) << i);
    baked->has_xfb_descriptors = exporting(baked)->user[AMD_USER_xfb_buffers].count != 0;
    baked->xfb_streams = baked->copy ? vertex->geometry.stream_buffers : baked->xfb_buffers;
    baked->geometry_ring_B = baked->copy ? ring_size_B(device, &vertex->geometry) : 0;
    baked->sample_shading = baked->fragment->binary.config.sample_shading;
    baked->stays_fine = stays_fine(&baked->fragment->binary.config);
    baked->has_sample_state = baked->fragment->binary.config.user[AMD_USER_sample_state].count != 0;
    baked->has_geometry_user = vertex->user[AMD_USER_provoking].count || vertex->user[AMD_USER_counters].count;
    baked->scratch_B_per_wave = MAX2(baked->vertex->scratch_B_per_wave, baked->fragment->scratch_B_per_wave);
    if (baked->copy)
        baked->scratch_B_per_wave = MAX2(baked->scratch_B_per_wave, baked->copy->scratch_B_per_wave);
    baked->scratch_B_per_wave = MAX2(baked->scratch_B_per_wave, baked->front->scratch_B_per_wave);
}

typedef void bake_fn(struct radeon_cs *cs, const struct radeon_graphics_pipeline *baked, bool reads_depth);

static bool bake_block(struct radeon_device *device, struct radeon_graphics_pipeline *baked, enum radeon_block block,
                       bake_fn *bake, bool reads_depth)
{
    uint32_t words[MAX_BAKED_DW];
    struct radeon_cs cs = {.dw = words, .end = words + MAX_BAKED_DW};
    bake(&cs, baked, reads_depth);
    uint32_t count_dw = (uint32_t)(cs.dw - words);
    assert(count_dw <= MAX_BAKED_DW);
    baked->blocks[block] = radeon_words_get(device, words, count_dw);
    return baked->blocks[block];
}

/* Everything that says which user SGPRs a draw writes, and with what. */
static const struct radeon_words *user_words(struct radeon_device *device, const struct radeon_shader *shader,
                                             uint32_t xfb)
{
    const struct amd_shader_config *config = &shader->binary.config;
    struct {
        uint32_t hw_stage, inline_push_first, num_user_sgprs, xfb;
        struct radeon_push_area area;
        struct amd_sgpr_place user[ARRAY_SIZE(config->user)], sets[ARRAY_SIZE(config->sets)];
    } key;
    static_assert(sizeof(key) % 4 == 0, "words");
    memset(&key, 0, sizeof(key)); /* the padding, too */
    key.hw_stage = (uint32_t)config->hw_stage;
    key.inline_push_first = config->inline_push_first;
    key.num_user_sgprs = config->num_user_sgprs;
    key.area = shader->area;
    key.xfb = xfb;
    memcpy(key.user, config->user, sizeof(key.user));
    memcpy(key.sets, config->sets, sizeof(key.sets));
    uint32_t words[sizeof(key) / 4];
    memcpy(words, &key, sizeof(key));
    return radeon_words_get(device, words, sizeof(key) / 4);
}

/* All that radeon_graphics_bind looks at, of pipelines whose words are shared. */
static const struct radeon_words *bind_words(struct radeon_device *device, const struct radeon_graphics_pipeline *baked)
{
    struct {
        const void *vertex_user, *fragment_user, *vertex_elements;
        uint32_t scratch_B_per_wave, geometry_ring_B;
        uint8_t is_ngg, has_geometry, geometry_outprim, sample_shading;
        uint8_t stays_fine, is_mesh, has_view_index, zero;
    } key;
    static_assert(sizeof(key) % 4 == 0, "words");
    memset(&key, 0, sizeof(key)); /* the padding, too */
    key.vertex_user = baked->vertex_user;
    key.fragment_user = baked->fragment_user;
    key.vertex_elements = baked->vertex_elements;
    key.is_ngg = baked->is_ngg;
    key.has_geometry = baked->has_geometry;
    key.geometry_outprim = baked->geometry_outprim;
    key.sample_shading = baked->sample_shading;
    key.stays_fine = baked->stays_fine;
    key.is_mesh = baked->is_mesh;
    key.has_view_index = baked->has_view_index;
    key.scratch_B_per_wave = baked->scratch_B_per_wave;
    key.geometry_ring_B = baked->geometry_ring_B;
    uint32_t words[sizeof(key) / 4];
    memcpy(words, &key, sizeof(key));
    return radeon_words_get(device, words, sizeof(key) / 4);
}

/* False: not by a plan. */
static bool plan_user_data(const struct radeon_shader *shader, uint32_t sgpr0_reg, struct radeon_user_plan *plan)
{
    const struct amd_shader_config *config = &shader->binary.config;
    const struct amd_sgpr_place push = config->user[AMD_USER_push_inline];
    const uint32_t first = (sgpr0_reg - RADEON_SH_BASE) / 4;
    if (config->user[AMD_USER_set_table].count || config->user[AMD_USER_push].count ||
        shader->sets_used >> RADEON_PLAN_SETS || push.count > RADEON_PLAN_PUSH_DW)
        return false;
    *plan = (struct radeon_user_plan){.sets = shader->sets_used,
                                      .push_reg = first + push.first,
                                      .push_first = config->inline_push_first,
                                      .push_count = push.count};
    bits_foreach (shader->sets_used, set)
        plan->set_reg[set] = first + config->sets[set].first;
    return true;
}

static VkResult bake_pipeline(struct radeon_device *device, const struct vk_graphics_state *state,
                              struct radeon_graphics_pipeline *baked)
{
    /* Operations of the driver's own pass no state. */
    bool reads_depth =
        state && state->rendering.feedback_loop & (VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT);
    describe_state(device, baked);
    baked->stays_fine |= state && state->sample_shading_enable;
    uint32_t xfb = baked->xfb_buffers;
    if (baked->copy)
        xfb |= 0x100u | (uint32_t)baked->copy->binary.config.user[AMD_USER_xfb_buffers].first << 16;
    baked->vertex_user = user_words(device, baked->vertex, xfb);
    baked->fragment_user = user_words(device, baked->fragment, 0);
    baked->hull_user = baked->hull ? user_words(device, baked->hull, 0) : NULL;
    if (!baked->vertex_user || !baked->fragment_user || (baked->hull && !baked->hull_user) ||
        !bake_block(device, baked, RADEON_BLOCK_VERTEX, bake_vertex, reads_depth) ||
        !bake_block(device, baked, RADEON_BLOCK_GEOMETRY, bake_geometry, reads_depth) ||
        !bake_block(device, baked, RADEON_BLOCK_FRAGMENT, bake_fragment, reads_depth))
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    baked->has_plans = !baked->hull && !baked->task &&
                       plan_user_data(baked->vertex, baked->vertex_user_reg, &baked->vertex_plan) &&
                       plan_user_data(baked->fragment, AMD_REG_SPI_SHADER_USER_DATA_PS, &baked->fragment_plan);
    baked->serial = atomic_fetch_add_explicit(&device->last_baked, 1, memory_order_relaxed) + 1;
    VkResult result = radeon_bake_state(device, state, baked);
    if (result == VK_SUCCESS && !radeon_whole_make(device, baked))
        result = VK_ERROR_OUT_OF_HOST_MEMORY;
    if (result != VK_SUCCESS || baked->is_prolog || baked->has_sample_state || baked->hull)
        return result;
    baked->traits_of_bind = bind_words(device, baked);
    return baked->traits_of_bind ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

static void release_baked(struct radeon_device *device, struct radeon_graphics_pipeline *baked,
                          const VkAllocationCallbacks *allocator)
{
    for (int i = 0; i < RADEON_BLOCK_COUNT; i++)
        radeon_words_put(device, baked->blocks[i]);
    vk_free(&device->vk.alloc, NULL, baked->whole);
    radeon_words_put(device, baked->vertex_user);
    radeon_words_put(device, baked->fragment_user);
    radeon_words_put(device, baked->hull_user);
    radeon_words_put(device, baked->vertex_elements);
    radeon_words_put(device, baked->traits_of_bind);
    if (baked->owns_fragment)
        radeon_shader_unref(device, baked->fragment);
    vk_free(&device->vk.alloc, allocator, baked);
}

static bool reads_primitive_id(const struct radeon_shader *fragment)
{
    const struct amd_shader_config *config = &fragment->binary.config;
    for (unsigned i = 0; i < config->num_attributes; i++) {
        if (config->attributes[i].location == IR_LOCATION_primitive_id)
            return true;
    }
    return false;
}

/* Of libraries: a vertex shader that knew no fragment shader has code for both kinds of them; one that knew no layout
 * of vertices has its prolog found before the first draw. */
static VkResult link_stages(struct radeon_device *device, const struct vk_graphics_state *state,
                            struct radeon_graphics_pipeline *baked)
{
    if (baked->vertex->with_primitive_id && reads_primitive_id(baked->fragment))
        baked->vertex = baked->vertex->with_primitive_id;
    const struct radeon_shader *front = baked->hull ? baked->hull : baked->vertex;
    const bool has_layout = state && state->dyn.set & VK_DYN(VERTEX_INPUT);
    if (front->binary.config.user[AMD_USER_prolog_inputs].count && has_layout &&
        !radeon_vertex_prolog(device, front, &state->dyn.vi))
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    return VK_SUCCESS;
}

static bool runs_as(const struct radeon_shader *shader, uint32_t hw_stages)
{
    return shader->binary.size_B && hw_stages >> shader->binary.config.hw_stage & 1;
}

/* Whether a program may be a pipeline's last before the rasterizer, with the geometry shader that the pipeline has: it
 * runs as one does, and has the layout of a mesh or of a geometry shader where there is one. */
static bool fits_geometry(const struct radeon_shader *vertex, const struct radeon_shader *geometry)
{
    const struct amd_shader_config *config = &vertex->binary.config;
    const struct amd_geometry_layout *layout = &config->geometry;
    if (!runs_as(vertex, 1u << AMD_HW_VS | 1u << AMD_HW_NGG))
        return false;
    if (!layout->is_there)
        return true;
    return config->hw_stage == AMD_HW_NGG && (layout->is_mesh || geometry) &&
           (!layout->has_ring || !geometry || runs_as(geometry, 1u << AMD_HW_VS));
}

static struct radeon_shader *stage_of(struct vk_shader *const *shaders, VkShaderStageFlagBits stage)
{
    struct vk_shader *shader = shaders[vk_stage_index(stage)];
    return shader ? radeon_shader_of(shader) : NULL;
}

bool radeon_graphics_fits(struct vk_shader *const *shaders)
{
    const struct radeon_shader *vertex = stage_of(shaders, VK_SHADER_STAGE_VERTEX_BIT),
                               *mesh = stage_of(shaders, VK_SHADER_STAGE_MESH_BIT_EXT),
                               *evaluation = stage_of(shaders, VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT),
                               *geometry = stage_of(shaders, VK_SHADER_STAGE_GEOMETRY_BIT),
                               *last = mesh         ? mesh
                                       : evaluation ? evaluation
                                                    : vertex;
    return (!last || fits_geometry(last, geometry)) && (!evaluation || runs_as(vertex, 1u << AMD_HW_HS)) &&
           (!last || !last->with_primitive_id || fits_geometry(last->with_primitive_id, geometry));
}

VkResult radeon_graphics_pipeline_init(struct vk_device *base, struct vk_pipeline *pipeline,
                                       const struct vk_graphics_state *state, const VkAllocationCallbacks *allocator)
{
    struct radeon_device *device = radeon_device_of(base);
    struct radeon_shader *vertex = stage_of(pipeline->shaders, VK_SHADER_STAGE_VERTEX_BIT),
                         *mesh = stage_of(pipeline->shaders, VK_SHADER_STAGE_MESH_BIT_EXT),
                         *geometry = stage_of(pipeline->shaders, VK_SHADER_STAGE_GEOMETRY_BIT),
                         *evaluation = stage_of(pipeline->shaders, VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT),
                         *fragment = stage_of(pipeline->shaders, VK_SHADER_STAGE_FRAGMENT_BIT);
    /* Another thread may have put the file's shaders back that were forgotten. */
    if (!radeon_graphics_fits(pipeline->shaders))
        return vk_code_judge(base, "the stages are of different pipelines");
    struct radeon_graphics_pipeline *baked =
        vk_zalloc(&base->alloc, allocator, sizeof(*baked), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!baked)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = VK_SUCCESS;
    baked->vertex = mesh ? mesh : evaluation ? evaluation : vertex;
    baked->hull = evaluation ? vertex : NULL;
    baked->task = stage_of(pipeline->shaders, VK_SHADER_STAGE_TASK_BIT_EXT);
    if (geometry && baked->vertex->binary.config.geometry.has_ring)
        baked->copy = geometry;
    if (fragment) {
        baked->fragment = fragment;
    } else {
        result = radeon_empty_fragment_shader(device, &baked->fragment);
        baked->owns_fragment = result == VK_SUCCESS;
    }
    if (result == VK_SUCCESS && baked->hull)
        result = radeon_tess_need(device);
    if (result == VK_SUCCESS)
        result = link_stages(device, state, baked);
    if (result == VK_SUCCESS)
        result = bake_pipeline(device, state, baked);
    if (result != VK_SUCCESS) {
        release_baked(device, baked, allocator);
        return result;
    }
    if (state)
        vk_graphics_pipeline(pipeline)->baked_rows = state->dyn.set & ~baked->live_rows;
    pipeline->driver_data = baked;
    return VK_SUCCESS;
}

void radeon_graphics_pipeline_finish(struct vk_device *base, struct vk_pipeline *pipeline,
                                     const VkAllocationCallbacks *allocator)
{
    if (pipeline->driver_data)
        release_baked(radeon_device_of(base), pipeline->driver_data, allocator);
}

/* ---- binding one ---- */

void radeon_graphics_bind(struct radeon_cmd_buffer *cmd, struct vk_graphics_pipeline *pipeline)
{
    struct radeon_graphics_state *graphics = cmd->graphics;
    const struct radeon_graphics_pipeline *old = graphics->baked, *new = pipeline->base.driver_data;
    graphics->pipeline = pipeline;
    if (old == new)
        return;
    graphics->baked = new;
    if (new->has_view_index)
        graphics->last.is_odd = true;
    graphics->dirty |= RADEON_DIRTY_PIPELINE;
    cmd->graphics_scratch_B_per_wave = MAX2(cmd->graphics_scratch_B_per_wave, new->scratch_B_per_wave);
    cmd->geometry_ring_B = MAX2(cmd->geometry_ring_B, new->geometry_ring_B);
    if (!old) { /* the first of a recording: all else is dirty */
        cmd->due |= new->is_ngg ? 0 : RADEON_GEOMETRY_ENDS;
        cmd->vk.rec->dynamic_state.dirty |= VK_DYN(TOPOLOGY);
        return;
    }
    if (graphics->vertex_elements != new->vertex_elements)
        graphics->dirty |= RADEON_DIRTY_VERTEX_BUFFERS;
    /* Navi 21 must have finished what NGG began before the old vertex stage begins. */
    if (!new->is_ngg && old->is_ngg)
        cmd->due |= RADEON_GEOMETRY_ENDS;
    /* The primitives follow from the topology only without a geometry shader. */
    if (old->has_geometry != new->has_geometry || old->geometry_outprim != new->geometry_outprim ||
        old->is_mesh != new->is_mesh)
        cmd->vk.rec->dynamic_state.dirty |= VK_DYN(TOPOLOGY);
    if (old->sample_shading != new->sample_shading || old->stays_fine != new->stays_fine ||
        old->is_mesh != new->is_mesh || new->has_sample_state)
        graphics->dirty |= RADEON_DIRTY_SHADING;
    /* Which prolog loads the vertices depends on the shader; and it has changed the block. */
    if (old->vertex_user != new->vertex_user || old->hull != new->hull || new->is_prolog) {
        cmd->push_dirty |= VK_SHADER_STAGE_VERTEX_BIT;
        graphics->dirty |= RADEON_DIRTY_VERTEX_USER;
        graphics->last.valid = false;
        graphics->last.is_odd = true;
        cmd->vk.rec->bindings[VK_BIND_GRAPHICS].dirty = UINT32_MAX;
    }
    if (old->fragment_user != new->fragment_user) {
        cmd->push_dirty |= VK_SHADER_STAGE_FRAGMENT_BIT;
        cmd->vk.rec->bindings[VK_BIND_GRAPHICS].dirty = UINT32_MAX;
    }
}

static void __attribute__((noinline))
bind_with_rows(struct radeon_cmd_buffer *cmd, struct vk_graphics_pipeline *pipeline)
{
    vk_dynamic_graphics_state_bind(&cmd->vk.rec->dynamic_state, pipeline->dynamic, pipeline->baked_rows);
    radeon_graphics_bind(cmd, pipeline);
}

static void bind_other(struct radeon_cmd_buffer *cmd, VkPipelineBindPoint bind_point, struct vk_pipeline *pipeline)
{
    if (bind_point == VK_PIPELINE_BIND_POINT_COMPUTE)
        radeon_bind_compute_shader(cmd,
                                   radeon_shader_of(pipeline->shaders[vk_stage_index(VK_SHADER_STAGE_COMPUTE_BIT)]));
    else if (bind_point == VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR)
        cmd->rays.pipeline = vk_ray_pipeline(pipeline);
}

/* Calls nothing but at its end, so that a pipeline like the one before is bound without saving registers. */
VKAPI_ATTR void VKAPI_CALL radeon_CmdBindPipeline(VkCommandBuffer handle, VkPipelineBindPoint bind_point,
                                                  VkPipeline pipeline_handle)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    struct vk_pipeline *pipeline = vk_pipeline_from_handle(pipeline_handle);
    if (bind_point != VK_PIPELINE_BIND_POINT_GRAPHICS) {
        bind_other(cmd, bind_point, pipeline);
        return;
    }
    struct vk_graphics_pipeline *bound = vk_graphics_pipeline(pipeline);
    if (!radeon_bind_rows(&cmd->vk.rec->dynamic_state, bound->dynamic, bound->baked_rows)) {
        bind_with_rows(cmd, bound);
        return;
    }
    struct radeon_graphics_state *graphics = cmd->graphics;
    const struct radeon_graphics_pipeline *old = graphics->baked, *new = bound->base.driver_data;
    if (old && new->traits_of_bind && old->traits_of_bind == new->traits_of_bind) {
        graphics->pipeline = bound;
        graphics->baked = new;
        graphics->dirty |= old == new ? 0 : RADEON_DIRTY_PIPELINE;
        return;
    }
    radeon_graphics_bind(cmd, bound);
}
