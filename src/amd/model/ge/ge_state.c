/* The registers of the geometry engine, unpacked once per draw, and those of the blocks after it. */
#include <string.h>

#include "amd/model/ge/ge.h"
#include "amd/model/register_fields.h"
#include "util/bits.h"

static const char *read_topology(struct ge_state *state, enum amd_gfx gfx, const struct cp_registers *registers)
{
    state->prim_type = GET(VGT_PRIMITIVE_TYPE).PRIM_TYPE;
    switch (state->prim_type) {
    case AMD_PRIM_TYPE_POINTLIST:
        state->kind = RASTER_POINT;
        return NULL;
    case AMD_PRIM_TYPE_LINELIST:
    case AMD_PRIM_TYPE_LINESTRIP:
    case AMD_PRIM_TYPE_LINELOOP:
    case AMD_PRIM_TYPE_LINELIST_ADJ:
    case AMD_PRIM_TYPE_LINESTRIP_ADJ:
        state->kind = RASTER_LINE;
        return NULL;
    case AMD_PRIM_TYPE_TRILIST:
    case AMD_PRIM_TYPE_TRIFAN:
    case AMD_PRIM_TYPE_TRISTRIP:
    case AMD_PRIM_TYPE_TRILIST_ADJ:
    case AMD_PRIM_TYPE_TRISTRIP_ADJ:
    case AMD_PRIM_TYPE_QUADLIST:
    case AMD_PRIM_TYPE_QUADSTRIP:
    case AMD_PRIM_TYPE_POLYGON:
        state->kind = RASTER_TRIANGLE;
        return NULL;
    case AMD_PRIM_TYPE_RECTLIST:
        state->kind = RASTER_RECT;
        return NULL;
    case AMD_PRIM_TYPE_PATCH:
        state->kind = RASTER_TRIANGLE; /* the tessellator's, below */
        return NULL;
    default:
        return "a topology (VGT_PRIMITIVE_TYPE)";
    }
}

static const char *read_indices(struct ge_state *state, enum amd_gfx gfx, const struct cp_registers *registers,
                                bool indexed)
{
    static const uint8_t bytes[4] = {[AMD_INDEX_TYPE_16] = 2, [AMD_INDEX_TYPE_32] = 4, [AMD_INDEX_TYPE_8] = 1};
    state->index_offset = GET_WORD(GE_INDX_OFFSET);
    state->index_min = GET_WORD(GE_MIN_VTX_INDX);
    state->index_max = GET_WORD(GE_MAX_VTX_INDX);
    if (!cp_reg_is_written(registers, AMD_REG_GE_MAX_VTX_INDX_GFX10_3))
        state->index_max = UINT32_MAX;
    state->indexed = indexed;
    if (!indexed)
        return NULL;
    struct amd_GE_MULTI_PRIM_IB_RESET_EN reset = GET(GE_MULTI_PRIM_IB_RESET_EN);
    state->index_B = bytes[GET(VGT_INDEX_TYPE).INDEX_TYPE & 3];
    if (!state->index_B)
        return "an index size (VGT_INDEX_TYPE)";
    state->restart = reset.RESET_EN;
    state->restart_index = state->restart ? GET_WORD(VGT_MULTI_PRIM_IB_RESET_INDX) : 0;
    if (!reset.MATCH_ALL_BITS)
        state->restart_index &= (uint32_t)bits_mask(state->index_B * 8);
    return NULL;
}

/* Where in stream out's buffers the vertices of the old stage go. */
static void read_stream_bases(struct ge_state *state, enum amd_gfx gfx, const struct cp_registers *registers)
{
    struct amd_SPI_SHADER_PGM_RSRC2_VS rsrc2 = GET(SPI_SHADER_PGM_RSRC2_VS);
    state->streamout = rsrc2.SO_EN;
    state->stream_bases =
        (uint8_t)(rsrc2.SO_BASE0_EN | rsrc2.SO_BASE1_EN << 1 | rsrc2.SO_BASE2_EN << 2 | rsrc2.SO_BASE3_EN << 3);
}

static void read_legacy(struct ge_state *state, enum amd_gfx gfx, const struct cp_registers *registers, bool wave32)
{
    amd_spi_stage_init(&state->stage, registers, GET_WORD(SPI_SHADER_PGM_LO_VS), GET_WORD(SPI_SHADER_PGM_HI_VS),
                       GET_WORD(SPI_SHADER_PGM_RSRC1_VS), GET_WORD(SPI_SHADER_PGM_RSRC2_VS),
                       AMD_REG_SPI_SHADER_USER_DATA_VS_GFX10_3, wave32);
    read_stream_bases(state, gfx, registers);
    state->loads_offchip = GET(SPI_SHADER_PGM_RSRC2_VS).OC_LDS_EN;
    state->vgpr_components = GET(SPI_SHADER_PGM_RSRC1_VS).VGPR_COMP_CNT;
    state->prim_ids = GET(VGT_PRIMITIVEID_EN).PRIMITIVEID_EN && state->vgpr_components >= 2;
    state->unshared = state->prim_ids || state->streamout;
    state->max_vertices = state->stage.lanes;
    state->max_prims = GE_BATCH_PRIMS;
}

/* The common part of NGG and geometry shaders without it: vertices and primitives are waves of one program. */
static const char *read_subgroups(struct ge_state *state, enum amd_gfx gfx, const struct cp_registers *registers,
                                  struct amd_VGT_SHADER_STAGES_EN stages)
{
    static const enum raster_kind kinds[] = {[AMD_GS_OUTPRIM_POINTLIST] = RASTER_POINT,
                                             [AMD_GS_OUTPRIM_LINESTRIP] = RASTER_LINE,
                                             [AMD_GS_OUTPRIM_TRISTRIP] = RASTER_TRIANGLE,
                                             [AMD_GS_OUTPRIM_RECTLIST] = RASTER_RECT};
    struct amd_VGT_GS_ONCHIP_CNTL onchip = GET(VGT_GS_ONCHIP_CNTL);
    struct amd_SPI_SHADER_PGM_RSRC2_GS rsrc2 = GET(SPI_SHADER_PGM_RSRC2_GS);
    amd_spi_stage_init(&state->stage, registers, GET_WORD(SPI_SHADER_PGM_LO_ES), GET_WORD(SPI_SHADER_PGM_HI_ES),
                       GET_WORD(SPI_SHADER_PGM_RSRC1_GS), GET_WORD(SPI_SHADER_PGM_RSRC2_GS),
                       AMD_REG_SPI_SHADER_USER_DATA_GS_GFX10_3, stages.GS_W32_EN);
    state->stage.is_wgp_mode = GET(SPI_SHADER_PGM_RSRC1_GS).WGP_MODE;
    state->user_address[0] = cp_reg_if_written(registers, AMD_REG_SPI_SHADER_USER_DATA_ADDR_LO_GS_GFX10_3);
    state->user_address[1] = cp_reg_if_written(registers, AMD_REG_SPI_SHADER_USER_DATA_ADDR_HI_GS_GFX10_3);
    state->vgpr_components = rsrc2.ES_VGPR_COMP_CNT;
    state->loads_offchip = rsrc2.OC_LDS_EN;
    state->lds_size_B = MIN2(rsrc2.LDS_SIZE * 512u, (uint32_t)SQ_LDS_B);
    state->item_dw = GET(VGT_ESGS_RING_ITEMSIZE).ITEMSIZE;
    state->max_vertices = onchip.ES_VERTS_PER_SUBGRP;
    state->max_prims = onchip.GS_PRIMS_PER_SUBGRP;
    unsigned kind = GET(VGT_GS_OUT_PRIM_TYPE).OUTPRIM_TYPE;
    if (kind >= ARRAY_SIZE(kinds))
        return "an output primitive (VGT_GS_OUT_PRIM_TYPE)";
    state->kind = kinds[kind];
    struct amd_VGT_GS_INSTANCE_CNT instances = GET(VGT_GS_INSTANCE_CNT);
    state->has_gs = stages.GS_EN;
    state->gs_instances = state->has_gs && instances.ENABLE ? MAX2(instances.CNT, 1u) : 1;
    state->gs_max_out = state->has_gs ? GET(VGT_GS_MAX_VERT_OUT).MAX_VERT_OUT : 0;
    return NULL;
}

/* Each point of the draw starts a workgroup, of as many threads as a geometry shader could have vertices; what they are
 * to do is up to the program. */
static const char *read_mesh(struct ge_state *state, uint32_t launch, bool numbers_groups)
{
    state->is_mesh = true;
    state->numbers_groups = numbers_groups;
    if (launch != 1 || !state->has_gs || state->gs_split || state->gs_instances != 1 ||
        state->prim_type != AMD_PRIM_TYPE_POINTLIST)
        return "a way to launch mesh shaders (VGT_SHADER_STAGES_EN)";
    if (state->max_vertices != 1 || state->max_prims != 1 || !state->gs_max_out ||
        state->gs_max_out > GE_MESH_WAVES * state->stage.lanes || state->max_out_vertices > GE_MAX_VERTICES ||
        state->prim_amp > GE_MAX_PRIMS)
        return "the size of a mesh shader's workgroup (VGT_GS_MAX_VERT_OUT)";
    return NULL;
}

static const char *read_ngg(struct ge_state *state, enum amd_gfx gfx, const struct cp_registers *registers,
                            struct amd_VGT_SHADER_STAGES_EN stages)
{
    const char *why = read_subgroups(state, gfx, registers, stages);
    if (why)
        return why;
    state->export_edges = GET(PA_CL_NGG_CNTL).INDEX_BUF_EDGE_FLAG_ENA;
    state->has_payload = GET(VGT_DRAW_PAYLOAD_CNTL).EN_PRIM_PAYLOAD;
    state->passthrough = stages.PRIMGEN_PASSTHRU_EN;
    state->passthrough_no_message = stages.PRIMGEN_PASSTHRU_NO_MSG;
    state->prim_ids = state->unshared = GET(VGT_PRIMITIVEID_EN).NGG_DISABLE_PROVOK_REUSE;
    state->max_out_vertices = GET(GE_MAX_OUTPUT_PER_SUBGROUP).MAX_VERTS_PER_SUBGROUP;
    state->prim_amp = state->has_gs ? MAX2(GET(GE_NGG_SUBGRP_CNTL).PRIM_AMP_FACTOR, 1u) : 1;
    state->gs_split = state->has_gs && GET(VGT_GS_INSTANCE_CNT).EN_MAX_VERT_OUT_PER_GS_INSTANCE;
    if (state->gs_split)
        state->max_prims = 1;
    if (stages.GS_FAST_LAUNCH)
        return read_mesh(state, stages.GS_FAST_LAUNCH, stages.NGG_WAVE_ID_EN);
    if (stages.NGG_WAVE_ID_EN)
        return "ordered numbers of subgroups (VGT_SHADER_STAGES_EN)";
    uint64_t threads = (uint64_t)state->max_prims * (state->gs_split ? 1 : state->gs_instances);
    if (state->has_gs &&
        (threads > GE_MAX_PRIMS || threads * MAX2(state->gs_max_out, state->prim_amp) > GE_MAX_VERTICES))
        return "a geometry shader with more output than a subgroup can have (VGT_GS_MAX_VERT_OUT)";
    if (state->max_vertices < (state->has_gs ? GE_PRIM_VERTICES : 3) || !state->max_prims ||
        state->max_vertices > GE_MAX_VERTICES || state->max_prims > GE_MAX_PRIMS ||
        state->max_out_vertices > GE_MAX_VERTICES ||
        MAX2(state->max_vertices, state->max_prims) > SQ_MAX_WAVES * state->stage.lanes)
        return "the size of an NGG subgroup (VGT_GS_ONCHIP_CNTL)";
    return NULL;
}

/* A subgroup is full when it has so many vertices or more, so that its last primitive may exceed them. */
static const char *read_ring(struct ge_state *state, enum amd_gfx gfx, const struct cp_registers *registers,
                             struct amd_VGT_SHADER_STAGES_EN stages)
{
    const char *why = read_subgroups(state, gfx, registers, stages);
    if (why)
        return why;
    if (stages.ES_EN == AMD_ES_STAGE_OFF || GET(VGT_GS_MODE).MODE != AMD_GS_MODE_SCENARIO_G)
        return "a geometry shader after no other stage (VGT_SHADER_STAGES_EN)";
    state->has_ring = true;
    state->prim_amp = 1;
    const bool has_vertices = state->max_vertices > 0;
    state->max_vertices += amd_ge_vertices_of_prim(state) - 1;
    uint64_t threads = (uint64_t)state->max_prims * state->gs_instances;
    if (!has_vertices || !threads || threads > GE_MAX_PRIMS || state->max_vertices > GE_MAX_VERTICES ||
        MAX2(state->max_vertices, (uint32_t)threads) > SQ_MAX_WAVES * state->stage.lanes)
        return "the size of a geometry shader's subgroup (VGT_GS_ONCHIP_CNTL)";
    read_stream_bases(state, gfx, registers);
    amd_spi_stage_init(&state->ring.copy, registers, GET_WORD(SPI_SHADER_PGM_LO_VS), GET_WORD(SPI_SHADER_PGM_HI_VS),
                       GET_WORD(SPI_SHADER_PGM_RSRC1_VS), GET_WORD(SPI_SHADER_PGM_RSRC2_VS),
                       AMD_REG_SPI_SHADER_USER_DATA_VS_GFX10_3, stages.VS_W32_EN);
    return amd_ge_ring_read(state, gfx, registers);
}

/* Patches, and what the stages after the tessellator are then. */
static const char *read_hull(struct ge *ge, const struct cp_registers *registers,
                             struct amd_VGT_SHADER_STAGES_EN stages)
{
    static const enum raster_kind kinds[] = {[TESS_OUTPUT_POINTS] = RASTER_POINT,
                                             [TESS_OUTPUT_LINES] = RASTER_LINE,
                                             [TESS_OUTPUT_CW] = RASTER_TRIANGLE,
                                             [TESS_OUTPUT_CCW] = RASTER_TRIANGLE};
    struct ge_state *state = &ge->pipeline.ge;
    const bool is_patch = state->prim_type == AMD_PRIM_TYPE_PATCH;
    if ((bool)stages.HS_EN != is_patch || (stages.LS_EN == AMD_LS_STAGE_ON) != is_patch)
        return "patches without tessellation, or tessellation without patches (VGT_SHADER_STAGES_EN)";
    if (!is_patch)
        return NULL;
    if (state->ngg || stages.GS_EN ? stages.ES_EN != AMD_ES_STAGE_DS : stages.VS_EN != AMD_VS_STAGE_DS)
        return "tessellation with a vertex shader after it (VGT_SHADER_STAGES_EN)";
    const char *why = amd_ge_hull_state_init(ge, registers);
    if (!why && !state->ngg)
        state->kind = kinds[state->hull.mode.output];
    return why;
}

static const char *read_geometry(struct ge *ge, enum amd_gfx gfx, const struct cp_registers *registers, bool indexed)
{
    struct ge_state *state = &ge->pipeline.ge;
    struct amd_VGT_SHADER_STAGES_EN stages = GET(VGT_SHADER_STAGES_EN);
    struct amd_SPI_VS_OUT_CONFIG out = GET(SPI_VS_OUT_CONFIG);
    const char *why = read_topology(state, gfx, registers);
    if (!why)
        why = read_indices(state, gfx, registers, indexed);
    if (why)
        return why;
    state->ngg = stages.PRIMGEN_EN;
    why = read_hull(ge, registers, stages);
    if (why)
        return why;
    if (state->ngg) {
        why = read_ngg(state, gfx, registers, stages);
        if (why)
            return why;
    } else if (stages.GS_EN && stages.VS_EN == AMD_VS_STAGE_COPY_SHADER) {
        why = read_ring(state, gfx, registers, stages);
        if (why)
            return why;
    } else {
        /* Scenario A is a vertex shader alone that wants primitive numbers. */
        unsigned mode = GET(VGT_GS_MODE).MODE;
        if (stages.ES_EN || stages.GS_EN || stages.VS_EN == AMD_VS_STAGE_COPY_SHADER ||
            (stages.VS_EN == AMD_VS_STAGE_DS && !state->hull.is_on) ||
            (mode != AMD_GS_MODE_OFF && mode != AMD_GS_MODE_SCENARIO_A))
            return "stages that do not go together (VGT_SHADER_STAGES_EN)";
        read_legacy(state, gfx, registers, stages.VS_W32_EN);
    }
    state->max_out_vertices = MAX2(state->max_out_vertices, state->max_vertices);
    state->param_count = out.NO_PC_EXPORT ? 0 : out.VS_EXPORT_COUNT + 1 + out.PRIM_EXPORT_COUNT;
    state->has_prim_params = out.PRIM_EXPORT_COUNT > 0;
    state->prim_id_base = GET_WORD(VGT_PRIMITIVEID_RESET);
    if (out.VS_HALF_PACK)
        return "half-size parameters (SPI_VS_OUT_CONFIG)";
    if (state->has_prim_params && !state->ngg)
        return "parameters of primitives without NGG (SPI_VS_OUT_CONFIG)";
    return NULL;
}

/* Nothing is drawn outside of a target, whatever the scissors say. */
static void cut_scissors(struct ge_pipeline *p)
{
    int32_t width = INT32_MAX, height = INT32_MAX;
    bits_foreach (p->cb.used, t) {
        width = MIN2(width, (int32_t)p->cb.targets[t].surface->width);
        height = MIN2(height, (int32_t)p->cb.targets[t].surface->height);
    }
    bool expand = p->db.htile && p->db.expand;
    const struct cb_surface *depth[2] = {p->db.z_test || p->db.bounds_test || expand ? p->db.z : NULL,
                                         p->db.stencil_test || expand ? p->db.s : NULL};
    for (unsigned i = 0; i < 2; i++) {
        if (depth[i]) {
            width = MIN2(width, (int32_t)depth[i]->width);
            height = MIN2(height, (int32_t)depth[i]->height);
        }
    }
    for (unsigned i = 0; i < RASTER_MAX_VIEWPORTS; i++) {
        int32_t *scissor = p->pa.viewports[i].scissor;
        scissor[0] = MAX2(scissor[0], 0);
        scissor[1] = MAX2(scissor[1], 0);
        scissor[2] = MIN2(scissor[2], width);
        scissor[3] = MIN2(scissor[3], height);
    }
}

static unsigned target_samples(const struct ge_pipeline *p)
{
    unsigned samples = p->db.z || p->db.s ? 1u << p->db.samples_log2 : 1;
    bits_foreach (p->cb.used, t)
        samples = MAX2(samples, p->cb.targets[t].samples);
    return samples;
}

/* A shader may name a parameter that nothing exported; it reads zero. */
static void widen_params(struct ge_pipeline *p)
{
    for (unsigned i = 0; i < SPI_MAX_INPUTS; i++) {
        if (!p->ps.inputs[i].is_constant)
            p->ge.param_count = MAX2(p->ge.param_count, p->ps.inputs[i].slot + 1u);
    }
}

/* This chip shades each pixel by itself where the shader exports depth, stencil or a mask of samples, and where its
 * pixels are ordered. */
static const char *read_rates(struct ge_pipeline *p, enum amd_gfx gfx, const struct cp_registers *registers)
{
    const bool is_fine =
        !p->ps.needed || p->db.z_export || p->db.stencil_export || p->db.mask_export || p->ps.is_ordered;
    const char *why = amd_sc_rates_init(&p->rates, gfx, registers, &p->sc, p->db.htile_has_rates, is_fine);
    return !why && p->rates.is_on ? amd_spi_ps_set_coarse(&p->ps) : why;
}

/* Draws mostly differ in user data alone. In strict mode every register that a draw reads must be seen. */
static bool keep_pipeline(struct ge *ge, const struct ge_draw *draw)
{
    struct ge_pipeline *p = &ge->pipeline;
    const struct cp_registers *registers = draw->registers;
    if (ge->pipeline_of != registers || ge->pipeline_generation != registers->generation ||
        ge->pipeline.ge.indexed != draw->indexed || registers->unwritten)
        return false;
    amd_spi_stage_read_user_data(&p->ge.stage, registers);
    if (p->ge.hull.is_on)
        amd_spi_stage_read_user_data(&p->ge.hull.stage, registers);
    if (p->ge.has_ring)
        amd_spi_stage_read_user_data(&p->ge.ring.copy, registers);
    amd_spi_stage_read_user_data(&p->ps.stage, registers);
    return true;
}

const char *amd_ge_pipeline_init(struct ge *ge, const struct ge_draw *draw)
{
    struct ge_pipeline *p = &ge->pipeline;
    const struct cp_registers *registers = draw->registers;
    enum amd_gfx gfx = draw->chip->gfx;
    if (keep_pipeline(ge, draw))
        return NULL;
    ge->pipeline_of = NULL;
    ge->pipeline_number = ++ge->front->numbers.pipelines;
    memset(p, 0, sizeof(*p));
    const char *why = read_geometry(ge, gfx, registers, draw->indexed);
    if (!why)
        why = amd_pa_state_init(&p->pa, gfx, registers);
    if (!why)
        why = amd_sc_state_init(&p->sc, gfx, registers);
    if (!why)
        why = amd_db_state_init(&p->db, &ge->db_surfaces, draw->chip, registers);
    if (!why)
        why = amd_cb_state_init(&p->cb, &ge->cb_surfaces, draw->chip, registers);
    if (!why)
        why = amd_spi_ps_state_init(&p->ps, gfx, registers, &p->cb, &p->db);
    if (!why)
        why = read_rates(p, gfx, registers);
    if (why)
        return why;
    if (p->db.coverage_to_mask)
        p->cb.exports |= 1;
    p->ge.provoking_last = GET(PA_SU_SC_MODE_CNTL).PROVOKING_VTX_LAST;
    widen_params(p);
    cut_scissors(p);
    amd_sc_spread_samples(&p->sc, gfx, registers, target_samples(p));
    ge->pipeline_of = registers;
    ge->pipeline_generation = registers->generation;
    return NULL;
}
