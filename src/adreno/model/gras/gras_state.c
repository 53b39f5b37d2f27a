/* The registers of clipping, set-up and scan conversion as the shared rasteriser's state, once per draw. */
#include <math.h>
#include <string.h>

#include "adreno/hw/regs_gras.h"
#include "adreno/hw/regs_pc.h"
#include "adreno/model/gras/gras.h"
#include "util/bits.h"

#define SUBPIXEL_BITS 8

static float float_reg(const uint32_t *regs, uint32_t reg)
{
    return bits_float(regs[reg]);
}

/* Scissors include their last pixel. */
static void cut_rect(int32_t rect[4], uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1)
{
    rect[0] = MAX2(rect[0], (int32_t)x0);
    rect[1] = MAX2(rect[1], (int32_t)y0);
    rect[2] = MIN2(rect[2], (int32_t)x1 + 1);
    rect[3] = MIN2(rect[3], (int32_t)y1 + 1);
}

static void read_viewport(struct raster_viewport *viewport, const uint32_t *regs, unsigned i)
{
    const uint32_t at = i * ADRENO_REG_GRAS_CL_VIEWPORT_XOFFSET_STRIDE;
    viewport->offset[0] = float_reg(regs, ADRENO_REG_GRAS_CL_VIEWPORT_XOFFSET + at);
    viewport->scale[0] = float_reg(regs, ADRENO_REG_GRAS_CL_VIEWPORT_XSCALE + at);
    viewport->offset[1] = float_reg(regs, ADRENO_REG_GRAS_CL_VIEWPORT_YOFFSET + at);
    viewport->scale[1] = float_reg(regs, ADRENO_REG_GRAS_CL_VIEWPORT_YSCALE + at);
    viewport->offset[2] = float_reg(regs, ADRENO_REG_GRAS_CL_VIEWPORT_ZOFFSET + at);
    viewport->scale[2] = float_reg(regs, ADRENO_REG_GRAS_CL_VIEWPORT_ZSCALE + at);
    viewport->z_min = float_reg(regs, ADRENO_REG_GRAS_CL_VIEWPORT_ZCLAMP_MIN + 2 * i);
    viewport->z_max = float_reg(regs, ADRENO_REG_GRAS_CL_VIEWPORT_ZCLAMP_MAX + 2 * i);
}

/* Window, screen and viewport scissor. */
static void read_scissors(struct raster_viewport *viewport, const uint32_t *regs, unsigned i)
{
    struct adreno_GRAS_SC_WINDOW_SCISSOR_TL window_tl =
        adreno_unpack_GRAS_SC_WINDOW_SCISSOR_TL(regs[ADRENO_REG_GRAS_SC_WINDOW_SCISSOR_TL]);
    struct adreno_GRAS_SC_WINDOW_SCISSOR_BR window_br =
        adreno_unpack_GRAS_SC_WINDOW_SCISSOR_BR(regs[ADRENO_REG_GRAS_SC_WINDOW_SCISSOR_BR]);
    struct adreno_GRAS_SC_VIEWPORT_SCISSOR_TL tl =
        adreno_unpack_GRAS_SC_VIEWPORT_SCISSOR_TL(regs[ADRENO_REG_GRAS_SC_VIEWPORT_SCISSOR_TL + 2 * i]);
    struct adreno_GRAS_SC_VIEWPORT_SCISSOR_BR br =
        adreno_unpack_GRAS_SC_VIEWPORT_SCISSOR_BR(regs[ADRENO_REG_GRAS_SC_VIEWPORT_SCISSOR_BR + 2 * i]);
    struct adreno_GRAS_SC_SCREEN_SCISSOR_TL screen_tl =
        adreno_unpack_GRAS_SC_SCREEN_SCISSOR_TL(regs[ADRENO_REG_GRAS_SC_SCREEN_SCISSOR_TL + 2 * i]);
    struct adreno_GRAS_SC_SCREEN_SCISSOR_BR screen_br =
        adreno_unpack_GRAS_SC_SCREEN_SCISSOR_BR(regs[ADRENO_REG_GRAS_SC_SCREEN_SCISSOR_BR + 2 * i]);
    int32_t rect[4] = {0, 0, 1 << 14, 1 << 14}; /* the largest target */
    cut_rect(rect, window_tl.X, window_tl.Y, window_br.X, window_br.Y);
    cut_rect(rect, tl.X, tl.Y, br.X, br.Y);
    if (!adreno_unpack_GRAS_SC_SCREEN_SCISSOR_CNTL(regs[ADRENO_REG_GRAS_SC_SCREEN_SCISSOR_CNTL]).SCISSOR_DISABLE)
        cut_rect(rect, screen_tl.X, screen_tl.Y, screen_br.X, screen_br.Y);
    memcpy(viewport->scissor, rect, sizeof(rect));
}

/* A float of 3 bits of exponent and 6 of fraction. */
static float guard_of(uint32_t code)
{
    return ldexpf(1 + (float)(code & 63) / 64, (int)(code >> 6));
}

static void read_clipping(struct raster_state *state, const uint32_t *regs, const struct vpc_state *vpc)
{
    struct adreno_GRAS_CL_CNTL cl = adreno_unpack_GRAS_CL_CNTL(regs[ADRENO_REG_GRAS_CL_CNTL]);
    struct adreno_GRAS_CL_GUARDBAND_CLIP_ADJ guard =
        adreno_unpack_GRAS_CL_GUARDBAND_CLIP_ADJ(regs[ADRENO_REG_GRAS_CL_GUARDBAND_CLIP_ADJ]);
    /* The registers of all stages are alike. */
    const uint32_t distance_reg = vpc->stage == ADRENO_STAGE_GS   ? ADRENO_REG_GRAS_CL_GS_CLIP_CULL_DISTANCE
                                  : vpc->stage == ADRENO_STAGE_DS ? ADRENO_REG_GRAS_CL_DS_CLIP_CULL_DISTANCE
                                                                  : ADRENO_REG_GRAS_CL_VS_CLIP_CULL_DISTANCE;
    struct adreno_GRAS_CL_VS_CLIP_CULL_DISTANCE distance =
        adreno_unpack_GRAS_CL_VS_CLIP_CULL_DISTANCE(regs[distance_reg]);
    state->has_clipping = !cl.CLIP_DISABLE;
    state->has_near_plane = !cl.ZNEAR_CLIP_DISABLE;
    state->has_far_plane = !cl.ZFAR_CLIP_DISABLE;
    state->z_is_from_zero = cl.ZERO_GB_SCALE_Z;
    state->guard_x = guard_of(guard.HORZ);
    state->guard_y = guard_of(guard.VERT);
    state->discard_x = state->discard_y = 1;
    state->xy_transform = state->z_transform = !cl.VP_XFORM_DISABLE;
    state->xy_divided = state->z_divided = cl.PERSP_DIVISION_DISABLE;
    state->clip_distances = distance.CLIP_MASK & vpc->distance_mask;
    state->cull_distances = distance.CULL_MASK & vpc->distance_mask;
    state->distance_word[0] = VPC_POS_DISTANCES;
    state->distance_word[1] = VPC_POS_DISTANCES + 4;
}

static enum raster_fill fill_of(enum adreno_POLYGON_MODE mode)
{
    return mode == ADRENO_POLYGON_MODE_POINTS  ? RASTER_FILL_POINTS
           : mode == ADRENO_POLYGON_MODE_LINES ? RASTER_FILL_LINES
                                               : RASTER_FILL_TRIANGLES;
}

static void read_faces(struct raster_state *state, const uint32_t *regs, struct adreno_GRAS_SU_CNTL su)
{
    state->front_is_clockwise = su.FRONT_CW;
    state->is_culled[0] = su.CULL_FRONT;
    state->is_culled[1] = su.CULL_BACK;
    state->fill[0] = state->fill[1] = fill_of(adreno_unpack_PC_DGEN_RAST_CNTL(regs[ADRENO_REG_PC_DGEN_RAST_CNTL]).MODE);
    state->has_bias[0] = state->has_bias[1] = state->has_outline_bias = su.POLY_OFFSET;
    state->bias_scale[0] = state->bias_scale[1] = float_reg(regs, ADRENO_REG_GRAS_SU_POLY_OFFSET_SCALE);
    state->bias_offset[0] = state->bias_offset[1] = float_reg(regs, ADRENO_REG_GRAS_SU_POLY_OFFSET_OFFSET);
    state->bias_clamp = float_reg(regs, ADRENO_REG_GRAS_SU_POLY_OFFSET_OFFSET_CLAMP);
    switch (adreno_unpack_GRAS_SU_DEPTH_BUFFER_INFO(regs[ADRENO_REG_GRAS_SU_DEPTH_BUFFER_INFO]).DEPTH_FORMAT) {
    case ADRENO_DEPTH_FORMAT_Z16:
        state->bias_exponent = -16;
        break;
    case ADRENO_DEPTH_FORMAT_Z32:
        state->bias_exponent = -23;
        state->bias_is_float = true;
        break;
    default:
        state->bias_exponent = -24;
        break;
    }
}

/* Triangles, points and rectangles have their top and left samples. Of a line the first end is in and the last one out;
 * its sides follow the same rule, turned for lines that run to the right. */
static const struct raster_edge_rules edge_rules = {
    .triangle = RASTER_TOP_IN | RASTER_LEFT_IN,
    .point = RASTER_TOP_IN | RASTER_LEFT_IN,
    .rect = RASTER_TOP_IN | RASTER_LEFT_IN,
    .right = {.sides = RASTER_TOP_IN | RASTER_RIGHT_IN, .ends = RASTER_TOP_IN | RASTER_LEFT_IN},
    .left = {.sides = RASTER_TOP_IN | RASTER_LEFT_IN, .ends = RASTER_TOP_IN | RASTER_RIGHT_IN},
    .down = {.sides = RASTER_TOP_IN | RASTER_LEFT_IN, .ends = RASTER_TOP_IN | RASTER_LEFT_IN},
    .up = {.sides = RASTER_TOP_IN | RASTER_LEFT_IN, .ends = RASTER_TOP_IN | RASTER_LEFT_IN},
};

static void read_outlines(struct raster_state *state, const uint32_t *regs, struct adreno_GRAS_SU_CNTL su,
                          const struct vpc_state *vpc)
{
    struct adreno_GRAS_SU_POINT_MINMAX limits =
        adreno_unpack_GRAS_SU_POINT_MINMAX(regs[ADRENO_REG_GRAS_SU_POINT_MINMAX]);
    struct adreno_GRAS_SU_POINT_SIZE size = adreno_unpack_GRAS_SU_POINT_SIZE(regs[ADRENO_REG_GRAS_SU_POINT_SIZE]);
    state->has_point_size = vpc->point_size != VPC_NOWHERE;
    state->point_size_word = VPC_POS_POINT_SIZE;
    /* Sizes have 4 bits below the pixel. */
    state->point_half_min = (float)limits.MIN / 32;
    state->point_half_max = (float)limits.MAX / 32;
    float half = fminf(fmaxf((float)size.VALUE / 32, state->point_half_min), state->point_half_max);
    state->point_half[0] = state->point_half[1] = half;
    state->line_half = (float)su.LINEHALFWIDTH / 4;
    state->perpendicular_caps = su.LINE_MODE == ADRENO_LINE_MODE_RECTANGULAR;
    state->rules = edge_rules;
}

bool adreno_gras_raster_init(struct raster_state *state, struct adreno_gpu *gpu, const struct vpc_state *vpc)
{
    const uint32_t *regs = gpu->regs;
    struct adreno_GRAS_SU_CNTL su = adreno_unpack_GRAS_SU_CNTL(regs[ADRENO_REG_GRAS_SU_CNTL]);
    /* Without one all vertices have the first viewport, and their places do not depend on their primitive. */
    const bool has_viewport = vpc->viewport != VPC_NOWHERE || vpc->adds_view_to_viewport;
    *state = (struct raster_state){
        .is_off = adreno_unpack_PC_RAST_STREAM_CNTL(regs[ADRENO_REG_PC_RAST_STREAM_CNTL]).DISCARD,
        .subpixel_bits = SUBPIXEL_BITS,
        .layer = {VPC_POS_LAYER, 0, 11},
        .viewport = {VPC_POS_VIEWPORT, 0, has_viewport ? 4 : 0},
    };
    if (adreno_unpack_GRAS_SU_CONSERVATIVE_RAS_CNTL(regs[ADRENO_REG_GRAS_SU_CONSERVATIVE_RAS_CNTL]).CONSERVATIVERASEN)
        return adreno_stop_register(gpu, ADRENO_REG_GRAS_SU_CONSERVATIVE_RAS_CNTL,
                                    "conservative rasterisation is not modelled");
    read_clipping(state, regs, vpc);
    read_faces(state, regs, su);
    read_outlines(state, regs, su, vpc);
    for (unsigned i = 0; i < RASTER_MAX_VIEWPORTS; i++) {
        read_viewport(&state->viewports[i], regs, i);
        read_scissors(&state->viewports[i], regs, i);
    }
    return true;
}

/* ---- samples ---- */

/* Sixteenths of a pixel, by log2 of the number of samples: the places that Vulkan calls standard. */
static const uint8_t standard_places[4][8][2] = {
    {{8, 8}},
    {{12, 12}, {4, 4}},
    {{6, 2}, {14, 6}, {2, 10}, {10, 14}},
    {{9, 5}, {7, 11}, {13, 9}, {5, 3}, {3, 13}, {1, 7}, {11, 15}, {15, 1}},
};

static void read_places(struct raster_coverage *state, const uint32_t *regs)
{
    bool has_places =
        adreno_unpack_GRAS_SC_MSAA_SAMPLE_POS_CNTL(regs[ADRENO_REG_GRAS_SC_MSAA_SAMPLE_POS_CNTL]).LOCATION_ENABLE;
    for (unsigned s = 0; s < state->samples; s++) {
        uint8_t x = standard_places[state->samples_log2][s][0], y = standard_places[state->samples_log2][s][1];
        if (has_places) {
            uint32_t byte = regs[ADRENO_REG_GRAS_SC_PROGRAMMABLE_MSAA_POS_0 + s / 4] >> s % 4 * 8;
            x = byte & 15;
            y = byte >> 4 & 15;
        }
        for (unsigned pixel = 0; pixel < 4; pixel++) {
            state->x[pixel][s] = (uint8_t)(x * RASTER_LOCATION_ONE / 16);
            state->y[pixel][s] = (uint8_t)(y * RASTER_LOCATION_ONE / 16);
        }
    }
    state->same_locations = true;
}

bool adreno_gras_coverage_init(struct raster_coverage *state, struct adreno_gpu *gpu, const struct adreno_rb_draw *rb)
{
    const uint32_t *regs = gpu->regs;
    const uint16_t sample_mask = rb->sample_mask;
    struct adreno_GRAS_SC_DEST_MSAA_CNTL dest =
        adreno_unpack_GRAS_SC_DEST_MSAA_CNTL(regs[ADRENO_REG_GRAS_SC_DEST_MSAA_CNTL]);
    struct adreno_GRAS_SC_RAS_MSAA_CNTL ras =
        adreno_unpack_GRAS_SC_RAS_MSAA_CNTL(regs[ADRENO_REG_GRAS_SC_RAS_MSAA_CNTL]);
    *state = (struct raster_coverage){.centroid_is_center = true, .iterations = 1};
    if (dest.SAMPLES != rb->samples_log2)
        return adreno_stop_register(gpu, ADRENO_REG_GRAS_SC_DEST_MSAA_CNTL, "samples that are not those of the RB");
    /* Without multisampling a pixel's centre stands for all samples of the targets. */
    bool is_spread = dest.SAMPLES && (dest.MSAA_DISABLE || !ras.SAMPLES);
    if (!is_spread && ras.SAMPLES != dest.SAMPLES)
        return adreno_stop_register(gpu, ADRENO_REG_GRAS_SC_RAS_MSAA_CNTL,
                                    "samples that are not those of GRAS_SC_DEST_MSAA_CNTL");
    state->samples_log2 = is_spread ? 0 : ras.SAMPLES;
    state->samples = 1u << state->samples_log2;
    if (is_spread)
        state->spread = (uint32_t)(sample_mask & bits_mask(1u << dest.SAMPLES)) * 0x01010101u;
    for (unsigned pixel = 0; pixel < 4; pixel++)
        state->sample_mask[pixel] = is_spread ? state->spread != 0 : (uint8_t)(sample_mask & bits_mask(state->samples));
    for (unsigned i = 0; i < RASTER_MAX_SAMPLES; i++)
        state->centroid_order[i] = (uint8_t)i;
    read_places(state, regs);
    /* A shader that asks for the sample's number runs for each of them, whatever the mode: drivers copy samples so. */
    if (adreno_unpack_GRAS_LRZ_PS_SAMPLEFREQ_CNTL(regs[ADRENO_REG_GRAS_LRZ_PS_SAMPLEFREQ_CNTL]).PER_SAMP_MODE ||
        adreno_unpack_GRAS_LRZ_PS_INPUT_CNTL(regs[ADRENO_REG_GRAS_LRZ_PS_INPUT_CNTL]).SAMPLEID)
        state->iterations = state->samples;
    return true;
}
