/* Viewports, scissors, the rasteriser and samples. */
#include <math.h>

#include "adreno/driver/cmd.h"
#include "adreno/hw/regs_gras.h"
#include "adreno/hw/regs_pc.h"
#include "adreno/hw/regs_rb.h"
#include "adreno/hw/regs_tpl1.h"
#include "adreno/hw/regs_vfd.h"
#include "adreno/hw/regs_vpc.h"
#include "util/bits.h"

#define MAX_COORDINATE 16383
#define GUARD_LIMIT 32767.0f /* what fixed-point coordinates can hold, from the middle of a viewport */

/* ---- viewports ---- */

/* Six bits of fraction below an exponent: how far beyond the viewport, in its halves, nothing need be clipped. */
static uint32_t guard_band(float scale)
{
    const float guard = GUARD_LIMIT / MAX2(fabsf(scale), 1.0f) - 1.0f;
    int exponent;
    if (guard < 1.0f)
        return 0;
    const float fraction = frexpf(guard, &exponent) * 2.0f - 1.0f;
    return (uint32_t)MIN2((exponent - 1) * 64 + (int)(fraction * 64.0f), 511);
}

static int32_t clamp_coordinate(float value)
{
    return (int32_t)MIN2(MAX2(value, 0.0f), (float)MAX_COORDINATE);
}

/* Both ends are included, so nothing at all is an end before the beginning. */
static void emit_rectangle(struct adreno_cs *cs, int32_t x0, int32_t y0, int32_t x1, int32_t y1)
{
    if (x0 >= x1 || y0 >= y1) {
        x0 = y0 = 1;
        x1 = y1 = 1;
    }
    adreno_emit(cs, (uint32_t)x0 | (uint32_t)y0 << 16);
    adreno_emit(cs, (uint32_t)(x1 - 1) | (uint32_t)(y1 - 1) << 16);
}

static void emit_viewport(struct adreno_cs *cs, const VkViewport *v, bool negative_one_to_one)
{
    const float x = v->width * 0.5f, y = v->height * 0.5f;
    adreno_emit(cs, float_bits(v->x + x));
    adreno_emit(cs, float_bits(x));
    adreno_emit(cs, float_bits(v->y + y));
    adreno_emit(cs, float_bits(y));
    adreno_emit(cs, float_bits(negative_one_to_one ? (v->minDepth + v->maxDepth) * 0.5f : v->minDepth));
    adreno_emit(cs, float_bits((v->maxDepth - v->minDepth) * (negative_one_to_one ? 0.5f : 1.0f)));
}

void adreno_emit_viewport(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs)
{
    const struct vk_viewport_state *vp = &cmd->vk.rec->dynamic_state.vp;
    const uint32_t count = MAX2(vp->viewport_count, 1), scissors = MAX2(vp->scissor_count, 1);
    float low = 1.0f, high = 0.0f;
    uint32_t guard_x = 511, guard_y = 511;
    adreno_set_regs(cs, ADRENO_REG_GRAS_CL_VIEWPORT_XOFFSET, 6 * count);
    for (uint32_t i = 0; i < count; i++)
        emit_viewport(cs, &vp->viewports[i], vp->negative_one_to_one);
    adreno_set_regs(cs, ADRENO_REG_GRAS_SC_VIEWPORT_SCISSOR_TL, 2 * count);
    for (uint32_t i = 0; i < count; i++) {
        const VkViewport *v = &vp->viewports[i];
        const float bottom = v->y + v->height;
        emit_rectangle(cs, clamp_coordinate(floorf(v->x)), clamp_coordinate(floorf(MIN2(v->y, bottom))),
                       clamp_coordinate(ceilf(v->x + v->width)), clamp_coordinate(ceilf(MAX2(v->y, bottom))));
        guard_x = MIN2(guard_x, guard_band(v->width * 0.5f));
        guard_y = MIN2(guard_y, guard_band(v->height * 0.5f));
    }
    adreno_set_regs(cs, ADRENO_REG_GRAS_CL_VIEWPORT_ZCLAMP_MIN, 2 * count);
    for (uint32_t i = 0; i < count; i++) {
        const float min = MIN2(vp->viewports[i].minDepth, vp->viewports[i].maxDepth);
        const float max = MAX2(vp->viewports[i].minDepth, vp->viewports[i].maxDepth);
        adreno_emit(cs, float_bits(min));
        adreno_emit(cs, float_bits(max));
        low = MIN2(low, min);
        high = MAX2(high, max);
    }
    ADRENO_REG(cs, GRAS_CL_GUARDBAND_CLIP_ADJ, .HORZ = guard_x, .VERT = guard_y);
    adreno_set_regs(cs, ADRENO_REG_RB_VIEWPORT_ZCLAMP_MIN, 2);
    adreno_emit(cs, float_bits(low));
    adreno_emit(cs, float_bits(high));
    adreno_set_regs(cs, ADRENO_REG_GRAS_SC_SCREEN_SCISSOR_TL, 2 * scissors);
    for (uint32_t i = 0; i < scissors; i++) {
        const VkRect2D *r = &vp->scissors[i];
        const int64_t right = (int64_t)r->offset.x + r->extent.width, bottom = (int64_t)r->offset.y + r->extent.height;
        emit_rectangle(cs, MAX2(r->offset.x, 0), MAX2(r->offset.y, 0), (int32_t)MIN2(right, MAX_COORDINATE + 1),
                       (int32_t)MIN2(bottom, MAX_COORDINATE + 1));
    }
}

/* ---- primitives ---- */

static enum adreno_POLYGON_MODE polygon_mode(uint8_t mode)
{
    return mode == VK_POLYGON_MODE_POINT  ? ADRENO_POLYGON_MODE_POINTS
           : mode == VK_POLYGON_MODE_LINE ? ADRENO_POLYGON_MODE_LINES
                                          : ADRENO_POLYGON_MODE_TRIANGLES;
}

static void emit_views(struct adreno_cs *cs, const struct adreno_chip *chip, uint32_t view_mask)
{
    const uint32_t views = view_mask ? 32u - (uint32_t)__builtin_clz(view_mask) : 0;
    const uint32_t cntl =
        ADRENO_PACK(PC_STEREO_RENDERING_CNTL, .ENABLE = views != 0, .DISABLEMULTIPOS = views != 0, .VIEWS = views);
    adreno_set_reg(cs, ADRENO_REG_PC_STEREO_RENDERING_CNTL, cntl);
    adreno_set_reg(cs, ADRENO_REG_VFD_STEREO_RENDERING_CNTL, cntl);
    if (chip->has_multiview_mask)
        ADRENO_REG(cs, PC_STEREO_RENDERING_VIEWMASK, .VALUE = view_mask);
}

void adreno_emit_raster(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs)
{
    const struct vk_dynamic_graphics_state *dyn = &cmd->vk.rec->dynamic_state;
    const struct vk_rasterization_state *rs = &dyn->rs;
    const bool has_views = cmd->vk.rec->rendering.view_mask != 0, is_clipped = vk_depth_clip_enable(rs);
    const uint32_t restart[] = {
        [ADRENO_INDEX_SIZE_8_BIT] = 0xff, [ADRENO_INDEX_SIZE_16_BIT] = 0xffff, [ADRENO_INDEX_SIZE_32_BIT] = UINT32_MAX};
    ADRENO_REG(cs, GRAS_SU_CNTL, .CULL_FRONT = rs->cull_mode & VK_CULL_MODE_FRONT_BIT,
               .CULL_BACK = (rs->cull_mode & VK_CULL_MODE_BACK_BIT) != 0,
               .FRONT_CW = rs->front_face == VK_FRONT_FACE_CLOCKWISE,
               .LINEHALFWIDTH = (uint32_t)MIN2(rs->line_width * 2.0f, 255.0f), .POLY_OFFSET = rs->depth_bias_enable,
               .LINE_MODE = rs->line_mode == VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT ? ADRENO_LINE_MODE_BRESENHAM
                                                                                      : ADRENO_LINE_MODE_RECTANGULAR,
               .MULTIVIEW_ENABLE = has_views, .RENDERTARGETINDEXINCR = has_views);
    ADRENO_REG(cs, GRAS_CL_CNTL, .ZNEAR_CLIP_DISABLE = !is_clipped, .ZFAR_CLIP_DISABLE = !is_clipped,
               .Z_CLAMP_ENABLE = rs->depth_clamp_enable, .ZERO_GB_SCALE_Z = !dyn->vp.negative_one_to_one,
               .VP_CLIP_CODE_IGNORE = true);
    ADRENO_REG(cs, VPC_RAST_CNTL, .MODE = polygon_mode(rs->polygon_mode));
    ADRENO_REG(cs, PC_DGEN_RAST_CNTL, .MODE = polygon_mode(rs->polygon_mode));
    ADRENO_REG(cs, PC_RAST_STREAM_CNTL, .STREAM = rs->stream, .DISCARD = rs->discard_enable);
    ADRENO_REG(cs, VPC_RAST_STREAM_CNTL, .STREAM = rs->stream, .DISCARD = rs->discard_enable);
    adreno_set_regs(cs, ADRENO_REG_GRAS_SU_POINT_MINMAX, 2);
    adreno_emit(cs, ADRENO_PACK(GRAS_SU_POINT_MINMAX, .MIN = 1, .MAX = 4092 << 4));
    adreno_emit(cs, ADRENO_PACK(GRAS_SU_POINT_SIZE, .VALUE = 1 << 4));
    adreno_set_regs(cs, ADRENO_REG_GRAS_SU_POLY_OFFSET_SCALE, 3);
    adreno_emit(cs, float_bits(rs->depth_bias.slope));
    adreno_emit(cs, float_bits(rs->depth_bias.constant));
    adreno_emit(cs, float_bits(rs->depth_bias.clamp));
    ADRENO_REG(cs, PC_CNTL, .PRIMITIVE_RESTART = dyn->ia.primitive_restart,
               .PROVOKING_VTX_LAST = rs->provoking_vertex == VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT);
    ADRENO_REG(cs, PC_RESTART_INDEX, .VALUE = restart[cmd->graphics.index_size]);
    emit_views(cs, cmd->device->chip, cmd->vk.rec->rendering.view_mask);
    adreno_emit_tess_state(cmd, cs);
    ADRENO_REG(cs, GRAS_SC_CNTL, .CCUSINGLECACHELINESIZE = 2,
               .SINGLE_PRIM_MODE = cmd->graphics.baked->is_feedback_loop
                                       ? ADRENO_SINGLE_PRIM_MODE_FLUSH_PER_OVERLAP_AND_OVERWRITE
                                       : ADRENO_SINGLE_PRIM_MODE_NO_FLUSH);
}

/* ---- samples ---- */

static void emit_positions(struct adreno_cs *cs, const struct vk_sample_locations *locations, uint32_t cntl,
                           uint32_t first)
{
    adreno_set_reg(cs, cntl, ADRENO_PACK(RB_MSAA_SAMPLE_POS_CNTL, .LOCATION_ENABLE = locations != NULL));
    if (!locations)
        return;
    uint32_t words[2] = {0};
    for (unsigned i = 0; i < MIN2(locations->count, 8u); i++) {
        const uint32_t x = (uint32_t)MIN2(MAX2(locations->at[i].x * 16.0f, 0.0f), 15.0f);
        const uint32_t y = (uint32_t)MIN2(MAX2(locations->at[i].y * 16.0f, 0.0f), 15.0f);
        words[i / 4] |= (x | y << 4) << 8 * (i % 4);
    }
    adreno_set_regs(cs, first, 2);
    adreno_emit_array(cs, words, 2);
}

static bool draws_lines(const struct adreno_cmd_buffer *cmd)
{
    const struct adreno_shader *geometry = cmd->graphics.baked->shaders[ADRENO_STAGE_GEOMETRY];
    const uint8_t topology = cmd->vk.rec->dynamic_state.ia.topology;
    const struct adreno_shader *control = cmd->graphics.baked->shaders[ADRENO_STAGE_CONTROL];
    if (geometry)
        return geometry->binary.config.gs.output == IR_PRIMITIVE_line_strip;
    if (control)
        return control->binary.config.tess.domain == IR_PRIMITIVE_isolines &&
               !control->binary.config.tess.has_point_mode;
    return topology == VK_PRIMITIVE_TOPOLOGY_LINE_LIST || topology == VK_PRIMITIVE_TOPOLOGY_LINE_STRIP;
}

void adreno_emit_samples(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs)
{
    static const uint32_t registers[] = {ADRENO_REG_TPL1_RAS_MSAA_CNTL, ADRENO_REG_GRAS_SC_RAS_MSAA_CNTL,
                                         ADRENO_REG_RB_RAS_MSAA_CNTL};
    const struct vk_multisample_state *ms = &cmd->vk.rec->dynamic_state.ms;
    const struct vk_dynamic_graphics_state *dyn = &cmd->vk.rec->dynamic_state;
    const enum adreno_MSAA_SAMPLES samples = (enum adreno_MSAA_SAMPLES)log2_floor(MAX2(ms->samples, 1));
    /* Lines by Bresenham's rule have whole pixels. */
    const bool has_whole_pixels = dyn->rs.line_mode == VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT && draws_lines(cmd);
    for (unsigned i = 0; i < ARRAY_SIZE(registers); i++) {
        adreno_set_regs(cs, registers[i], 2);
        adreno_emit(cs, ADRENO_PACK(RB_RAS_MSAA_CNTL, .SAMPLES = samples));
        adreno_emit(cs, ADRENO_PACK(RB_DEST_MSAA_CNTL, .SAMPLES = samples,
                                    .MSAA_DISABLE = samples == ADRENO_MSAA_SAMPLES_ONE || has_whole_pixels));
    }
    const struct vk_sample_locations *locations =
        ms->sample_locations_enable && cmd->device->chip->has_sample_locations ? &ms->sample_locations : NULL;
    emit_positions(cs, locations, ADRENO_REG_GRAS_SC_MSAA_SAMPLE_POS_CNTL, ADRENO_REG_GRAS_SC_PROGRAMMABLE_MSAA_POS_0);
    emit_positions(cs, locations, ADRENO_REG_RB_MSAA_SAMPLE_POS_CNTL, ADRENO_REG_RB_PROGRAMMABLE_MSAA_POS_0);
    emit_positions(cs, locations, ADRENO_REG_TPL1_MSAA_SAMPLE_POS_CNTL, ADRENO_REG_TPL1_PROGRAMMABLE_MSAA_POS_0);
}
