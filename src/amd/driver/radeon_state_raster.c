/* State between vertices and fragments: viewports, scissors, guard band, discard rectangles, culling, clipping, depth
 * bias, lines, topologies. */
#include <math.h>

#include "amd/driver/radeon_cmd.h"
#include "amd/hw/regs_ge.h"
#include "amd/hw/regs_pa.h"
#include "amd/hw/regs_sc.h"
#include "util/bits.h"

#define MAX_COORDINATE 16384 /* of scissors */
#define GUARD_BAND 32767.0f  /* the rasteriser's coordinates have 16 bits before the point */
#define MAX_POINT_SIZE 8191.875f

static uint32_t float_word(float value)
{
    return (uint32_t)hw_put_float(value);
}

/* ---- viewports ---- */

struct transform {
    float scale[3], offset[3];
};

static struct transform viewport_transform(const VkViewport *viewport, bool negative_one_to_one)
{
    struct transform t;
    t.scale[0] = viewport->width * 0.5f;
    t.offset[0] = viewport->x + t.scale[0];
    t.scale[1] = viewport->height * 0.5f;
    t.offset[1] = viewport->y + t.scale[1];
    if (negative_one_to_one) {
        t.scale[2] = (viewport->maxDepth - viewport->minDepth) * 0.5f;
        t.offset[2] = (viewport->maxDepth + viewport->minDepth) * 0.5f;
    } else {
        t.scale[2] = viewport->maxDepth - viewport->minDepth;
        t.offset[2] = viewport->minDepth;
    }
    return t;
}

void radeon_emit_viewports(struct radeon_cmd_buffer *cmd)
{
    const struct vk_dynamic_graphics_state *dyn = &cmd->vk.rec->dynamic_state;
    struct radeon_cs *cs = &cmd->cs;
    uint32_t count = dyn->vp.viewport_count;
    if (!count)
        return;
    radeon_cs_reserve(cs, 4 + count * 8);
    radeon_set_context_reg_seq(cs, AMD_REG_PA_CL_VPORT_XSCALE, count * 6);
    for (uint32_t i = 0; i < count; i++) {
        struct transform t = viewport_transform(&dyn->vp.viewports[i], dyn->vp.negative_one_to_one);
        for (int axis = 0; axis < 3; axis++) {
            radeon_emit(cs, float_word(t.scale[axis]));
            radeon_emit(cs, float_word(t.offset[axis]));
        }
    }
    /* Where nothing is clamped to the viewport, depth still is between 0 and 1 (see radeon_emit_depth_override). */
    radeon_set_context_reg_seq(cs, AMD_REG_PA_SC_VPORT_ZMIN, count * 2);
    for (uint32_t i = 0; i < count; i++) {
        const VkViewport *viewport = &dyn->vp.viewports[i];
        bool clamp = dyn->rs.depth_clamp_enable;
        radeon_emit(cs, float_word(clamp ? fminf(viewport->minDepth, viewport->maxDepth) : 0.0f));
        radeon_emit(cs, float_word(clamp ? fmaxf(viewport->minDepth, viewport->maxDepth) : 1.0f));
    }
}

/* Clipping is left to the guard band, so the viewport's edges are a scissor, too. */
struct rect {
    int32_t x0, y0, x1, y1;
};

static struct rect clamp_rect(struct rect rect)
{
    rect.x0 = MIN2(MAX2(rect.x0, 0), MAX_COORDINATE);
    rect.y0 = MIN2(MAX2(rect.y0, 0), MAX_COORDINATE);
    rect.x1 = MIN2(MAX2(rect.x1, rect.x0), MAX_COORDINATE);
    rect.y1 = MIN2(MAX2(rect.y1, rect.y0), MAX_COORDINATE);
    return rect;
}

static int32_t to_pixels(float value)
{
    return (int32_t)fminf(fmaxf(value, -32768.0f), 32768.0f);
}

static struct rect viewport_rect(const VkViewport *viewport)
{
    float top = fminf(viewport->y, viewport->y + viewport->height),
          bottom = fmaxf(viewport->y, viewport->y + viewport->height);
    return (struct rect){to_pixels(floorf(viewport->x)), to_pixels(floorf(top)),
                         to_pixels(ceilf(viewport->x + viewport->width)), to_pixels(ceilf(bottom))};
}

static int32_t add_clamped(int32_t start, uint32_t extent)
{
    int64_t end = (int64_t)start + extent;
    return (int32_t)MIN2(end, (int64_t)INT32_MAX);
}

static struct rect rect_of(const VkRect2D *rect)
{
    return (struct rect){rect->offset.x, rect->offset.y, add_clamped(rect->offset.x, rect->extent.width),
                         add_clamped(rect->offset.y, rect->extent.height)};
}

static struct rect intersect_rects(struct rect a, struct rect b)
{
    return (struct rect){MAX2(a.x0, b.x0), MAX2(a.y0, b.y0), MIN2(a.x1, b.x1), MIN2(a.y1, b.y1)};
}

void radeon_emit_scissors(struct radeon_cmd_buffer *cmd)
{
    const struct vk_dynamic_graphics_state *dyn = &cmd->vk.rec->dynamic_state;
    struct radeon_cs *cs = &cmd->cs;
    uint32_t count = dyn->vp.scissor_count;
    if (!count)
        return;
    radeon_cs_reserve(cs, 2 + count * 2);
    radeon_set_context_reg_seq(cs, AMD_REG_PA_SC_VPORT_SCISSOR_TL, count * 2);
    for (uint32_t i = 0; i < count; i++) {
        struct rect rect = rect_of(&dyn->vp.scissors[i]);
        if (i < dyn->vp.viewport_count)
            rect = intersect_rects(rect, viewport_rect(&dyn->vp.viewports[i]));
        rect = clamp_rect(rect);
        radeon_emit(cs, AMD_PACK(RADEON_GFX, PA_SC_VPORT_SCISSOR_TL, .TL_X = (uint32_t)rect.x0,
                                 .TL_Y = (uint32_t)rect.y0, .WINDOW_OFFSET_DISABLE = true));
        radeon_emit(cs,
                    AMD_PACK(RADEON_GFX, PA_SC_VPORT_SCISSOR_BR, .BR_X = (uint32_t)rect.x1, .BR_Y = (uint32_t)rect.y1));
    }
}

/* How far beyond the viewport, in its halves, primitives are clipped and where they are dropped: the clip distance is
 * what the rasteriser can address, the other one keeps wide points and lines whose middle is outside. */
void radeon_emit_guard_band(struct radeon_cmd_buffer *cmd)
{
    const struct vk_dynamic_graphics_state *dyn = &cmd->vk.rec->dynamic_state;
    struct radeon_cs *cs = &cmd->cs;
    float clip[2] = {INFINITY, INFINITY}, discard[2] = {1.0f, 1.0f};
    uint8_t outprim = radeon_drawn_as(cmd);
    for (uint32_t i = 0; i < dyn->vp.viewport_count; i++) {
        struct transform t = viewport_transform(&dyn->vp.viewports[i], false);
        for (int axis = 0; axis < 2; axis++) {
            float scale = fmaxf(fabsf(t.scale[axis]), 0.5f);
            clip[axis] = fminf(clip[axis], fmaxf((GUARD_BAND - fabsf(t.offset[axis])) / scale, 1.0f));
            if (outprim == AMD_GS_OUTPRIM_POINTLIST || outprim == AMD_GS_OUTPRIM_LINESTRIP) {
                float width = outprim == AMD_GS_OUTPRIM_POINTLIST ? MAX_POINT_SIZE : dyn->rs.line_width;
                discard[axis] = fmaxf(discard[axis], 1.0f + width / (2.0f * scale));
            }
        }
    }
    for (int axis = 0; axis < 2; axis++) {
        clip[axis] = fminf(clip[axis], GUARD_BAND);
        discard[axis] = fminf(discard[axis], clip[axis]);
    }
    radeon_cs_reserve(cs, 6);
    radeon_set_context_reg_seq(cs, AMD_REG_PA_CL_GB_VERT_CLIP_ADJ, 4);
    radeon_emit(cs, float_word(clip[1]));
    radeon_emit(cs, float_word(discard[1]));
    radeon_emit(cs, float_word(clip[0]));
    radeon_emit(cs, float_word(discard[0]));
}

/* ---- discard rectangles ---- */

/* Bit n of the rule: fragments inside exactly the rectangles of n's bits pass. There are four rectangles. */
static uint32_t cliprect_rule(uint32_t count, bool exclusive)
{
    uint32_t rule = 0, used = (1u << count) - 1;
    for (uint32_t inside = 0; inside < 16; inside++) {
        bool any = (inside & used) != 0;
        if (any != exclusive)
            rule |= 1u << inside;
    }
    return rule;
}

void radeon_emit_discard_rectangles(struct radeon_cmd_buffer *cmd)
{
    const struct vk_discard_rectangle_state *dr = &cmd->vk.rec->dynamic_state.dr;
    struct radeon_cs *cs = &cmd->cs;
    uint32_t count = dr->is_on ? MIN2(dr->count, 4u) : 0;
    radeon_cs_reserve(cs, 16);
    if (!count) {
        radeon_set_context_reg(cs, AMD_REG_PA_SC_CLIPRECT_RULE, 0xffff);
        return;
    }
    radeon_set_context_reg_seq(cs, AMD_REG_PA_SC_CLIPRECT_RULE, 1 + 2 * count);
    radeon_emit(cs, cliprect_rule(count, dr->mode == VK_DISCARD_RECTANGLE_MODE_EXCLUSIVE_EXT));
    for (uint32_t i = 0; i < count; i++) {
        struct rect rect = clamp_rect(rect_of(&dr->rectangles[i]));
        radeon_emit(cs, (uint32_t)rect.x0 | (uint32_t)rect.y0 << 16);
        radeon_emit(cs, (uint32_t)rect.x1 | (uint32_t)rect.y1 << 16);
    }
}

/* ---- polygons ---- */

void radeon_emit_polygons(struct radeon_cmd_buffer *cmd)
{
    static const uint8_t fill[] = {
        [VK_POLYGON_MODE_FILL] = AMD_POLY_TYPE_TRIANGLES,
        [VK_POLYGON_MODE_LINE] = AMD_POLY_TYPE_LINES,
        [VK_POLYGON_MODE_POINT] = AMD_POLY_TYPE_POINTS,
    };
    const struct vk_rasterization_state *rs = &cmd->vk.rec->dynamic_state.rs;
    struct radeon_cs *cs = &cmd->cs;
    enum amd_POLY_TYPE type = rs->polygon_mode < ARRAY_SIZE(fill) ? fill[rs->polygon_mode] : AMD_POLY_TYPE_TRIANGLES;
    radeon_cs_reserve(cs, 3);
    radeon_set_context_reg(
        cs, AMD_REG_PA_SU_SC_MODE_CNTL,
        AMD_PACK(RADEON_GFX, PA_SU_SC_MODE_CNTL, .CULL_FRONT = (rs->cull_mode & VK_CULL_MODE_FRONT_BIT) != 0,
                 .CULL_BACK = (rs->cull_mode & VK_CULL_MODE_BACK_BIT) != 0,
                 .FACE = rs->front_face == VK_FRONT_FACE_CLOCKWISE,
                 .POLY_MODE =
                     type == AMD_POLY_TYPE_TRIANGLES ? AMD_POLY_MODE_DISABLE_POLY_MODE : AMD_POLY_MODE_DUAL_MODE,
                 .POLYMODE_FRONT_PTYPE = type, .POLYMODE_BACK_PTYPE = type,
                 .POLY_OFFSET_FRONT_ENABLE = rs->depth_bias_enable, .POLY_OFFSET_BACK_ENABLE = rs->depth_bias_enable,
                 .POLY_OFFSET_PARA_ENABLE = rs->depth_bias_enable,
                 .PROVOKING_VTX_LAST = rs->provoking_vertex == VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT,
                 .KEEP_TOGETHER_ENABLE = type != AMD_POLY_TYPE_TRIANGLES));
}

void radeon_emit_clipping(struct radeon_cmd_buffer *cmd)
{
    const struct vk_dynamic_graphics_state *dyn = &cmd->vk.rec->dynamic_state;
    struct radeon_cs *cs = &cmd->cs;
    bool clip = vk_depth_clip_enable(&dyn->rs);
    radeon_cs_reserve(cs, 3);
    radeon_set_context_reg(cs, AMD_REG_PA_CL_CLIP_CNTL,
                           AMD_PACK(RADEON_GFX, PA_CL_CLIP_CNTL, .DX_CLIP_SPACE_DEF = !dyn->vp.negative_one_to_one,
                                    .DX_RASTERIZATION_KILL = dyn->rs.discard_enable, .DX_LINEAR_ATTR_CLIP_ENA = true,
                                    .ZCLIP_NEAR_DISABLE = !clip, .ZCLIP_FAR_DISABLE = !clip));
}

/* The unit of the constant is the depth format's (PA_SU_POLY_OFFSET_DB_FMT_CNTL, with the target); slopes count in
 * sixteenths of a pixel. */
void radeon_emit_depth_bias(struct radeon_cmd_buffer *cmd)
{
    const struct vk_rasterization_state *rs = &cmd->vk.rec->dynamic_state.rs;
    struct radeon_cs *cs = &cmd->cs;
    uint32_t slope = float_word(rs->depth_bias.slope * 16.0f), constant = float_word(rs->depth_bias.constant);
    radeon_cs_reserve(cs, 7);
    radeon_set_context_reg_seq(cs, AMD_REG_PA_SU_POLY_OFFSET_CLAMP, 5);
    radeon_emit(cs, float_word(rs->depth_bias.clamp));
    radeon_emit(cs, slope); /* front */
    radeon_emit(cs, constant);
    radeon_emit(cs, slope); /* back */
    radeon_emit(cs, constant);
}

void radeon_emit_conservative(struct radeon_cmd_buffer *cmd)
{
    uint8_t mode = cmd->vk.rec->dynamic_state.rs.conservative_mode;
    bool over = mode == VK_CONSERVATIVE_RASTERIZATION_MODE_OVERESTIMATE_EXT,
         under = mode == VK_CONSERVATIVE_RASTERIZATION_MODE_UNDERESTIMATE_EXT;
    radeon_cs_reserve(&cmd->cs, 3);
    radeon_set_context_reg(&cmd->cs, AMD_REG_PA_SC_CONSERVATIVE_RASTERIZATION_CNTL,
                           AMD_PACK(RADEON_GFX, PA_SC_CONSERVATIVE_RASTERIZATION_CNTL, .OVER_RAST_ENABLE = over,
                                    .OVER_RAST_SAMPLE_SELECT = under, .UNDER_RAST_ENABLE = under,
                                    .UNDER_RAST_SAMPLE_SELECT = over, .PBB_UNCERTAINTY_REGION_ENABLE = over,
                                    .NULL_SQUAD_AA_MASK_ENABLE = !over && !under, .PREZ_AA_MASK_ENABLE = over || under,
                                    .POSTZ_AA_MASK_ENABLE = over || under, .CENTROID_SAMPLE_OVERRIDE = over || under));
}

/* ---- lines ---- */

static bool has_geometry(const struct radeon_cmd_buffer *cmd)
{
    return cmd->graphics->baked && cmd->graphics->baked->has_geometry;
}

void radeon_emit_lines(struct radeon_cmd_buffer *cmd)
{
    const struct vk_dynamic_graphics_state *dyn = &cmd->vk.rec->dynamic_state;
    const struct vk_rasterization_state *rs = &dyn->rs;
    struct radeon_cs *cs = &cmd->cs;
    bool rectangles = rs->line_mode == VK_LINE_RASTERIZATION_MODE_RECTANGULAR_EXT ||
                      rs->line_mode == VK_LINE_RASTERIZATION_MODE_RECTANGULAR_SMOOTH_EXT;
    bool strip = has_geometry(cmd) ? cmd->graphics->baked->geometry_outprim == AMD_GS_OUTPRIM_LINESTRIP
                                   : dyn->ia.topology == VK_PRIMITIVE_TOPOLOGY_LINE_STRIP;
    radeon_cs_reserve(cs, 9);
    radeon_set_context_reg(cs, AMD_REG_PA_SU_LINE_CNTL, MIN2((uint32_t)(rs->line_width * 8.0f), 0xffffu));
    radeon_set_context_reg(cs, AMD_REG_PA_SC_LINE_CNTL,
                           AMD_PACK(RADEON_GFX, PA_SC_LINE_CNTL, .PERPENDICULAR_ENDCAP_ENA = rectangles));
    radeon_set_context_reg(cs, AMD_REG_PA_SC_LINE_STIPPLE,
                           AMD_PACK(RADEON_GFX, PA_SC_LINE_STIPPLE,
                                    .LINE_PATTERN = rs->line_stipple_enable ? rs->line_stipple.pattern & 0xffff : 0,
                                    .REPEAT_COUNT = rs->line_stipple_enable ? (rs->line_stipple.factor - 1) & 0xff : 0,
                                    .AUTO_RESET_CNTL = strip ? 2 : 1));
}

/* ---- topologies ---- */

static const struct {
    uint8_t prim, outprim;
} topologies[] = {
    [VK_PRIMITIVE_TOPOLOGY_POINT_LIST] = {AMD_PRIM_TYPE_POINTLIST, AMD_GS_OUTPRIM_POINTLIST},
    [VK_PRIMITIVE_TOPOLOGY_LINE_LIST] = {AMD_PRIM_TYPE_LINELIST, AMD_GS_OUTPRIM_LINESTRIP},
    [VK_PRIMITIVE_TOPOLOGY_LINE_STRIP] = {AMD_PRIM_TYPE_LINESTRIP, AMD_GS_OUTPRIM_LINESTRIP},
    [VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST] = {AMD_PRIM_TYPE_TRILIST, AMD_GS_OUTPRIM_TRISTRIP},
    [VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP] = {AMD_PRIM_TYPE_TRISTRIP, AMD_GS_OUTPRIM_TRISTRIP},
    [VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN] = {AMD_PRIM_TYPE_TRIFAN, AMD_GS_OUTPRIM_TRISTRIP},
    [VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY] = {AMD_PRIM_TYPE_LINELIST_ADJ, AMD_GS_OUTPRIM_LINESTRIP},
    [VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY] = {AMD_PRIM_TYPE_LINESTRIP_ADJ, AMD_GS_OUTPRIM_LINESTRIP},
    [VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY] = {AMD_PRIM_TYPE_TRILIST_ADJ, AMD_GS_OUTPRIM_TRISTRIP},
    [VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY] = {AMD_PRIM_TYPE_TRISTRIP_ADJ, AMD_GS_OUTPRIM_TRISTRIP},
    [VK_PRIMITIVE_TOPOLOGY_PATCH_LIST] = {AMD_PRIM_TYPE_PATCH, AMD_GS_OUTPRIM_TRISTRIP},
    [RADEON_TOPOLOGY_RECT_LIST] = {AMD_PRIM_TYPE_RECTLIST, AMD_GS_OUTPRIM_RECTLIST},
};

static uint8_t outprim_of(const struct radeon_cmd_buffer *cmd)
{
    return has_geometry(cmd) ? cmd->graphics->baked->geometry_outprim
                             : topologies[cmd->vk.rec->dynamic_state.ia.topology].outprim;
}

uint8_t radeon_drawn_as(const struct radeon_cmd_buffer *cmd)
{
    const struct vk_dynamic_graphics_state *dyn = &cmd->vk.rec->dynamic_state;
    uint8_t outprim = outprim_of(cmd);
    if (outprim != AMD_GS_OUTPRIM_TRISTRIP)
        return outprim;
    return dyn->rs.polygon_mode == VK_POLYGON_MODE_POINT  ? AMD_GS_OUTPRIM_POINTLIST
           : dyn->rs.polygon_mode == VK_POLYGON_MODE_LINE ? AMD_GS_OUTPRIM_LINESTRIP
                                                          : outprim;
}

void radeon_emit_topology(struct radeon_cmd_buffer *cmd)
{
    const struct vk_dynamic_graphics_state *dyn = &cmd->vk.rec->dynamic_state;
    struct radeon_cs *cs = &cmd->cs;
    radeon_cs_reserve(cs, 6);
    const bool is_mesh = cmd->graphics->baked && cmd->graphics->baked->is_mesh; /* a point is a workgroup */
    radeon_set_uconfig_reg_index(cs, AMD_REG_VGT_PRIMITIVE_TYPE, 1,
                                 is_mesh ? AMD_PRIM_TYPE_POINTLIST : topologies[dyn->ia.topology].prim);
    radeon_set_context_reg(cs, AMD_REG_VGT_GS_OUT_PRIM_TYPE, outprim_of(cmd));
}
