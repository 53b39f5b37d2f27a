/* The registers of primitive assembly, unpacked once per draw. */
#include "amd/model/pa/pa.h"

#include <math.h>
#include <string.h>

#include "amd/hw/regs_sc.h"
#include "amd/model/register_fields.h"
#include "util/bits.h"

static void cut_rect(int32_t rect[4], int32_t x0, int32_t y0, int32_t x1, int32_t y1)
{
    rect[0] = MAX2(rect[0], x0);
    rect[1] = MAX2(rect[1], y0);
    rect[2] = MIN2(rect[2], x1);
    rect[3] = MIN2(rect[3], y1);
}

/* Screen, window, generic and viewport scissor. The window offset moves the middle two where they ask for it. */
static void read_scissors(struct raster_state *state, enum amd_gfx gfx, const struct cp_registers *registers)
{
    struct amd_PA_SC_SCREEN_SCISSOR_TL screen_tl = GET(PA_SC_SCREEN_SCISSOR_TL);
    struct amd_PA_SC_SCREEN_SCISSOR_BR screen_br = GET(PA_SC_SCREEN_SCISSOR_BR);
    struct amd_PA_SC_WINDOW_OFFSET offset = GET(PA_SC_WINDOW_OFFSET);
    struct amd_PA_SC_WINDOW_SCISSOR_TL window_tl = GET(PA_SC_WINDOW_SCISSOR_TL);
    struct amd_PA_SC_WINDOW_SCISSOR_BR window_br = GET(PA_SC_WINDOW_SCISSOR_BR);
    struct amd_PA_SC_GENERIC_SCISSOR_TL generic_tl = GET(PA_SC_GENERIC_SCISSOR_TL);
    struct amd_PA_SC_GENERIC_SCISSOR_BR generic_br = GET(PA_SC_GENERIC_SCISSOR_BR);
    struct amd_PA_SC_MODE_CNTL_0 mode = GET(PA_SC_MODE_CNTL_0);

    int32_t rect[4] = {(int32_t)screen_tl.TL_X, (int32_t)screen_tl.TL_Y, (int32_t)screen_br.BR_X,
                       (int32_t)screen_br.BR_Y};
    int32_t dx = window_tl.WINDOW_OFFSET_DISABLE ? 0 : offset.WINDOW_X_OFFSET,
            dy = window_tl.WINDOW_OFFSET_DISABLE ? 0 : offset.WINDOW_Y_OFFSET;
    cut_rect(rect, (int32_t)window_tl.TL_X + dx, (int32_t)window_tl.TL_Y + dy, (int32_t)window_br.BR_X + dx,
             (int32_t)window_br.BR_Y + dy);
    dx = generic_tl.WINDOW_OFFSET_DISABLE ? 0 : offset.WINDOW_X_OFFSET;
    dy = generic_tl.WINDOW_OFFSET_DISABLE ? 0 : offset.WINDOW_Y_OFFSET;
    cut_rect(rect, (int32_t)generic_tl.TL_X + dx, (int32_t)generic_tl.TL_Y + dy, (int32_t)generic_br.BR_X + dx,
             (int32_t)generic_br.BR_Y + dy);

    for (unsigned i = 0; i < RASTER_MAX_VIEWPORTS; i++) {
        struct raster_viewport *viewport = &state->viewports[i];
        memcpy(viewport->scissor, rect, sizeof(rect));
        if (!mode.VPORT_SCISSOR_ENABLE)
            continue;
        struct amd_PA_SC_VPORT_SCISSOR_TL tl = GET_AT(PA_SC_VPORT_SCISSOR_TL, i);
        struct amd_PA_SC_VPORT_SCISSOR_BR br = GET_AT(PA_SC_VPORT_SCISSOR_BR, i);
        dx = tl.WINDOW_OFFSET_DISABLE ? 0 : offset.WINDOW_X_OFFSET;
        dy = tl.WINDOW_OFFSET_DISABLE ? 0 : offset.WINDOW_Y_OFFSET;
        cut_rect(viewport->scissor, (int32_t)tl.TL_X + dx, (int32_t)tl.TL_Y + dy, (int32_t)br.BR_X + dx,
                 (int32_t)br.BR_Y + dy);
    }
}

static void read_viewports(struct raster_state *state, enum amd_gfx gfx, const struct cp_registers *registers)
{
    for (unsigned i = 0; i < RASTER_MAX_VIEWPORTS; i++) {
        struct raster_viewport *viewport = &state->viewports[i];
        viewport->scale[0] = GET_AT(PA_CL_VPORT_XSCALE, i).VALUE;
        viewport->scale[1] = GET_AT(PA_CL_VPORT_YSCALE, i).VALUE;
        viewport->scale[2] = GET_AT(PA_CL_VPORT_ZSCALE, i).VALUE;
        viewport->offset[0] = GET_AT(PA_CL_VPORT_XOFFSET, i).VALUE;
        viewport->offset[1] = GET_AT(PA_CL_VPORT_YOFFSET, i).VALUE;
        viewport->offset[2] = GET_AT(PA_CL_VPORT_ZOFFSET, i).VALUE;
        viewport->z_min = GET_AT(PA_SC_VPORT_ZMIN, i).VALUE;
        viewport->z_max = GET_AT(PA_SC_VPORT_ZMAX, i).VALUE;
    }
}

/* A line that runs to the right or to the left most has bits of its own for the left and the right of its sides, which
 * stand above those of its ends. So says the reset value: by it the line's first end is in, its last one out, and its
 * sides follow the top-left rule. */
static struct raster_line_rule flat_line_rule(uint32_t bits)
{
    return (struct raster_line_rule){.sides = (uint8_t)((bits >> 4 & 3) << 2 | (bits & 3)), .ends = bits & 15};
}

static void read_edge_rules(struct raster_state *state, enum amd_gfx gfx, const struct cp_registers *registers)
{
    struct amd_PA_SC_EDGERULE rule = GET(PA_SC_EDGERULE);
    state->rules = (struct raster_edge_rules){
        .triangle = (uint8_t)rule.ER_TRI,
        .point = (uint8_t)rule.ER_POINT,
        .rect = (uint8_t)rule.ER_RECT,
        .right = flat_line_rule(rule.ER_LINE_LR),
        .left = flat_line_rule(rule.ER_LINE_RL),
        .down = {(uint8_t)rule.ER_LINE_TB, (uint8_t)rule.ER_LINE_TB},
        .up = {(uint8_t)rule.ER_LINE_BT, (uint8_t)rule.ER_LINE_BT},
    };
}

/* 24 bits per coordinate, and grids that are coarser than the 8 bits below the pixel. */
static void read_precision(struct raster_state *state, enum amd_gfx gfx, const struct cp_registers *registers)
{
    const unsigned mode = GET(PA_SU_VTX_CNTL).QUANT_MODE;
    static const struct {
        uint8_t subpixel_bits, quantum_bits;
    } modes[] = {
        [AMD_VTX_QUANT_16_8_FIXED_POINT_1_16TH] = {8, 4},     [AMD_VTX_QUANT_16_8_FIXED_POINT_1_8TH] = {8, 5},
        [AMD_VTX_QUANT_16_8_FIXED_POINT_1_4TH] = {8, 6},      [AMD_VTX_QUANT_16_8_FIXED_POINT_1_2] = {8, 7},
        [AMD_VTX_QUANT_16_8_FIXED_POINT_1] = {8, 8},          [AMD_VTX_QUANT_16_8_FIXED_POINT_1_256TH] = {8, 0},
        [AMD_VTX_QUANT_14_10_FIXED_POINT_1_1024TH] = {10, 0}, [AMD_VTX_QUANT_12_12_FIXED_POINT_1_4096TH] = {12, 0},
    };
    state->subpixel_bits = modes[mode].subpixel_bits;
    state->quantum_bits = modes[mode].quantum_bits;
    struct amd_PA_SU_HARDWARE_SCREEN_OFFSET middle = GET(PA_SU_HARDWARE_SCREEN_OFFSET); /* in steps of 16 pixels */
    state->middle[0] = (float)middle.HW_SCREEN_OFFSET_X * 16;
    state->middle[1] = (float)middle.HW_SCREEN_OFFSET_Y * 16;
}

static void read_setup(struct raster_state *state, enum amd_gfx gfx, const struct cp_registers *registers)
{
    struct amd_PA_SU_POINT_SIZE size = GET(PA_SU_POINT_SIZE);
    struct amd_PA_SU_POINT_MINMAX limits = GET(PA_SU_POINT_MINMAX);
    state->point_half[0] = size.WIDTH / 16.0f; /* 4 bits below the pixel */
    state->point_half[1] = size.HEIGHT / 16.0f;
    state->point_half_min = limits.MIN_SIZE / 16.0f;
    state->point_half_max = limits.MAX_SIZE / 16.0f;
    state->line_half = GET(PA_SU_LINE_CNTL).WIDTH / 16.0f;
    state->perpendicular_caps = GET(PA_SC_LINE_CNTL).PERPENDICULAR_ENDCAP_ENA;
    state->over_rasterize = GET(PA_SC_CONSERVATIVE_RASTERIZATION_CNTL).OVER_RAST_ENABLE;
    state->stipple = GET(PA_SC_MODE_CNTL_0).LINE_STIPPLE_ENABLE;
    state->stipple_goes_on = GET(PA_SC_LINE_STIPPLE).AUTO_RESET_CNTL != 1;

    /* The slope's factor is in sixteenths. */
    state->bias_scale[0] = GET(PA_SU_POLY_OFFSET_FRONT_SCALE).VALUE / 16;
    state->bias_scale[1] = GET(PA_SU_POLY_OFFSET_BACK_SCALE).VALUE / 16;
    state->bias_offset[0] = GET(PA_SU_POLY_OFFSET_FRONT_OFFSET).VALUE;
    state->bias_offset[1] = GET(PA_SU_POLY_OFFSET_BACK_OFFSET).VALUE;
    state->bias_clamp = GET(PA_SU_POLY_OFFSET_CLAMP).VALUE;
    struct amd_PA_SU_POLY_OFFSET_DB_FMT_CNTL format = GET(PA_SU_POLY_OFFSET_DB_FMT_CNTL);
    state->bias_exponent = format.POLY_OFFSET_NEG_NUM_DB_BITS;
    state->bias_is_float = format.POLY_OFFSET_DB_IS_FLOAT_FMT;
}

/* The vectors after the position stand in this order, without gaps. In the first of them the point size is channel x;
 * bits [5:2] of channel y are the shading rate; layer [12:0] and viewport [19:16] share channel z. */
static void place_vectors(struct raster_state *state, struct amd_PA_CL_VS_OUT_CNTL out, uint32_t distances)
{
    uint8_t next = 4;
    if (out.VS_OUT_MISC_VEC_ENA) {
        state->has_point_size = out.USE_VTX_POINT_SIZE;
        state->point_size_word = next;
        state->layer = (struct raster_field){next + 2, 0, out.USE_VTX_RENDER_TARGET_INDX ? 13 : 0};
        state->viewport = (struct raster_field){next + 2, 16, out.USE_VTX_VIEWPORT_INDX ? 4 : 0};
        state->rate = (struct raster_field){next + 1, 2, out.USE_VTX_VRS_RATE ? 4 : 0};
        next += 4;
    } else {
        state->has_point_size = false;
        state->layer = state->viewport = state->rate = (struct raster_field){0};
    }
    const bool has_vector[2] = {out.VS_OUT_CCDIST0_VEC_ENA, out.VS_OUT_CCDIST1_VEC_ENA};
    for (unsigned half = 0; half < 2; half++) {
        state->distance_word[half] = next;
        next += has_vector[half] ? 4 : 0;
        if (!has_vector[half])
            distances &= half ? 0x0f0f : 0xf0f0;
    }
    state->clip_distances = distances & 0xff;
    state->cull_distances = distances >> 8 & 0xff;
}

static enum raster_fill fill_of(struct amd_PA_SU_SC_MODE_CNTL mode, uint32_t type)
{
    if (mode.POLY_MODE != AMD_POLY_MODE_DUAL_MODE)
        return RASTER_FILL_TRIANGLES;
    return type == AMD_POLY_TYPE_TRIANGLES ? RASTER_FILL_TRIANGLES
           : type == AMD_POLY_TYPE_LINES   ? RASTER_FILL_LINES
                                           : RASTER_FILL_POINTS;
}

static void read_faces(struct raster_state *state, struct amd_PA_SU_SC_MODE_CNTL mode)
{
    state->front_is_clockwise = mode.FACE != 0;
    state->is_culled[0] = mode.CULL_FRONT;
    state->is_culled[1] = mode.CULL_BACK;
    state->fill[0] = fill_of(mode, mode.POLYMODE_FRONT_PTYPE);
    state->fill[1] = fill_of(mode, mode.POLYMODE_BACK_PTYPE);
    state->has_bias[0] = mode.POLY_OFFSET_FRONT_ENABLE;
    state->has_bias[1] = mode.POLY_OFFSET_BACK_ENABLE;
    state->has_outline_bias = mode.POLY_OFFSET_PARA_ENABLE;
}

static void read_clipping(struct raster_state *state, enum amd_gfx gfx, const struct cp_registers *registers)
{
    struct amd_PA_CL_CLIP_CNTL clip = GET(PA_CL_CLIP_CNTL);
    state->is_off = clip.DX_RASTERIZATION_KILL;
    state->has_clipping = !clip.CLIP_DISABLE;
    state->has_near_plane = !clip.ZCLIP_NEAR_DISABLE;
    state->has_far_plane = !clip.ZCLIP_FAR_DISABLE;
    state->z_is_from_zero = clip.DX_CLIP_SPACE_DEF;
    state->guard_x = GET(PA_CL_GB_HORZ_CLIP_ADJ).VALUE;
    state->guard_y = GET(PA_CL_GB_VERT_CLIP_ADJ).VALUE;
    state->discard_x = GET(PA_CL_GB_HORZ_DISC_ADJ).VALUE;
    state->discard_y = GET(PA_CL_GB_VERT_DISC_ADJ).VALUE;
}

/* Which of its transforms the viewport makes. NULL, or what is not implemented. */
static const char *read_transform(struct raster_state *state, enum amd_gfx gfx, const struct cp_registers *registers)
{
    struct amd_PA_CL_VTE_CNTL vte = GET(PA_CL_VTE_CNTL);
    state->xy_transform = vte.VPORT_X_SCALE_ENA;
    state->z_transform = vte.VPORT_Z_SCALE_ENA;
    if (vte.VPORT_X_SCALE_ENA != vte.VPORT_X_OFFSET_ENA || vte.VPORT_X_SCALE_ENA != vte.VPORT_Y_SCALE_ENA ||
        vte.VPORT_X_SCALE_ENA != vte.VPORT_Y_OFFSET_ENA || vte.VPORT_Z_SCALE_ENA != vte.VPORT_Z_OFFSET_ENA)
        return "a viewport transform of some coordinates only (PA_CL_VTE_CNTL)";
    state->xy_divided = vte.VTX_XY_FMT;
    state->z_divided = vte.VTX_Z_FMT;
    state->w_inverted = !vte.VTX_W0_FMT;
    if ((state->xy_divided || state->z_divided || state->w_inverted) && state->has_clipping)
        return "clipping of positions that the shader has already divided by w (PA_CL_VTE_CNTL, PA_CL_CLIP_CNTL)";
    return NULL;
}

const char *amd_pa_state_init(struct raster_state *state, enum amd_gfx gfx, const struct cp_registers *registers)
{
    struct amd_PA_CL_VS_OUT_CNTL out = GET(PA_CL_VS_OUT_CNTL);
    struct amd_PA_SU_SC_MODE_CNTL mode = GET(PA_SU_SC_MODE_CNTL);
    struct amd_PA_SU_VTX_CNTL vtx = GET(PA_SU_VTX_CNTL);
    place_vectors(state, out, GET_WORD(PA_CL_VS_OUT_CNTL));
    read_faces(state, mode);
    read_viewports(state, gfx, registers);
    read_scissors(state, gfx, registers);
    read_precision(state, gfx, registers);
    read_setup(state, gfx, registers);
    read_edge_rules(state, gfx, registers);
    read_clipping(state, gfx, registers);
    const char *why = read_transform(state, gfx, registers);
    if (why)
        return why;
    if (vtx.ROUND_MODE != AMD_VTX_ROUND_ROUND_TO_EVEN)
        return "a rounding of positions other than to the nearest even (PA_SU_VTX_CNTL)";
    if (!vtx.PIX_CENTER)
        return "pixel centres at integers (PA_SU_VTX_CNTL)";
    if (out.USE_VTX_KILL_FLAG || out.USE_VTX_EDGE_FLAG || out.USE_VTX_GS_CUT_FLAG || out.USE_VTX_LINE_WIDTH)
        return "kill flags, edge flags, cut flags or line widths from the shader (PA_CL_VS_OUT_CNTL)";
    if (mode.VTX_WINDOW_OFFSET_ENABLE)
        return "a window offset added to positions (PA_SU_SC_MODE_CNTL)";
    if (mode.PERSP_CORR_DIS)
        return "perspective correction switched off (PA_SU_SC_MODE_CNTL)";
    return NULL;
}
