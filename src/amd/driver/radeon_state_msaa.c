/* State of multisampling: how many samples there are, where they lie, which are written, how many invocations there
 * are. */
#include "amd/driver/radeon_cmd.h"
#include "amd/driver/radeon_preamble.h"
#include "amd/driver/radeon_rates.h"
#include "amd/hw/regs_db.h"
#include "amd/hw/regs_ge.h"
#include "amd/hw/regs_pa.h"
#include "amd/hw/regs_sc.h"
#include "util/bits.h"

#define MAX_SAMPLES 8

/* Of the rasteriser. Bresenham's lines cover whole pixels. */
static uint32_t samples_of(const struct radeon_cmd_buffer *cmd)
{
    const struct vk_dynamic_graphics_state *dyn = &cmd->vk.rec->dynamic_state;
    if (dyn->rs.line_mode == VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT &&
        radeon_drawn_as(cmd) == AMD_GS_OUTPRIM_LINESTRIP)
        return 1;
    return MIN2(MAX2(dyn->ms.samples, 1u), MAX_SAMPLES);
}

static bool own_locations(const struct radeon_cmd_buffer *cmd)
{
    const struct vk_dynamic_graphics_state *dyn = &cmd->vk.rec->dynamic_state;
    return dyn->ms.sample_locations_enable && dyn->ms.sample_locations.count >= samples_of(cmd) &&
           dyn->ms.sample_locations.samples == samples_of(cmd) && dyn->ms.sample_locations.grid.width;
}

/* A position in sixteenths of a pixel from its middle, -8 to 7. */
struct location {
    int8_t x, y;
};

static int8_t from_middle(float position)
{
    int value = (int)(position * 16.0f) - 8;
    return (int8_t)MIN2(MAX2(value, -8), 7);
}

/* Of the four pixels of a quad. */
static void find_locations(const struct radeon_cmd_buffer *cmd, struct location at[4][MAX_SAMPLES])
{
    const struct vk_dynamic_graphics_state *dyn = &cmd->vk.rec->dynamic_state;
    uint32_t samples = samples_of(cmd);
    bool own = own_locations(cmd);
    for (uint32_t pixel = 0; pixel < 4; pixel++) {
        VkExtent2D grid = dyn->ms.sample_locations.grid;
        uint32_t cell = own ? pixel % 2 % grid.width + pixel / 2 % MAX2(grid.height, 1) * grid.width : 0;
        for (uint32_t i = 0; i < samples; i++) {
            if (own) {
                const VkSampleLocationEXT *location = &dyn->ms.sample_locations.at[cell * samples + i];
                at[pixel][i] = (struct location){from_middle(location->x), from_middle(location->y)};
            } else { /* patterns of fewer samples stand before this one */
                const uint8_t *position = radeon_sample_grid[samples - 1 + i];
                at[pixel][i] = (struct location){(int8_t)(position[0] - 8), (int8_t)(position[1] - 8)};
            }
        }
    }
}

static uint32_t max_distance(const struct location at[4][MAX_SAMPLES], uint32_t samples)
{
    int distance = 0;
    for (uint32_t i = 0; i < 4 * samples; i++) {
        struct location l = at[i / samples][i % samples];
        int x = l.x < 0 ? -l.x : l.x, y = l.y < 0 ? -l.y : l.y;
        distance = MAX2(distance, MAX2(x, y));
    }
    return (uint32_t)distance;
}

/* Samples from the nearest to the middle to the farthest, four bits each, again and again. */
static uint64_t centroid_priority(const struct location at[MAX_SAMPLES], uint32_t samples)
{
    uint8_t order[MAX_SAMPLES];
    uint64_t word = 0;
    for (uint32_t i = 0; i < samples; i++) {
        uint32_t place = i;
        int distance = at[i].x * at[i].x + at[i].y * at[i].y;
        for (; place > 0; place--) {
            struct location l = at[order[place - 1]];
            if (l.x * l.x + l.y * l.y <= distance)
                break;
            order[place] = order[place - 1];
        }
        order[place] = (uint8_t)i;
    }
    for (uint32_t i = 0; i < 16; i++)
        word |= (uint64_t)order[i % samples] << 4 * i;
    return word;
}

void radeon_emit_sample_locations(struct radeon_cmd_buffer *cmd)
{
    struct radeon_cs *cs = &cmd->cs;
    uint32_t samples = samples_of(cmd);
    struct location at[4][MAX_SAMPLES] = {0};
    find_locations(cmd, at);
    uint64_t priority = centroid_priority(at[0], samples);
    radeon_cs_reserve(cs, 24);
    radeon_set_context_reg_seq(cs, AMD_REG_PA_SC_CENTROID_PRIORITY_0, 2);
    radeon_emit(cs, (uint32_t)priority);
    radeon_emit(cs, (uint32_t)(priority >> 32));
    /* Four registers per pixel, of which 8 samples need two. */
    static const uint32_t regs[] = {
        AMD_REG_PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0, AMD_REG_PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y0_0,
        AMD_REG_PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y1_0, AMD_REG_PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y1_0};
    uint32_t words = (samples + 3) / 4;
    for (uint32_t pixel = 0; pixel < 4; pixel++) {
        radeon_set_context_reg_seq(cs, regs[pixel], words);
        for (uint32_t word = 0; word < words; word++) {
            uint32_t value = 0;
            for (uint32_t i = 0; i < 4; i++) {
                struct location l = at[pixel][4 * word + i];
                value |= ((uint32_t)(l.x & 0xf) | (uint32_t)(l.y & 0xf) << 4) << 8 * i;
            }
            radeon_emit(cs, value);
        }
    }
}

void radeon_emit_samples(struct radeon_cmd_buffer *cmd)
{
    const struct vk_dynamic_graphics_state *dyn = &cmd->vk.rec->dynamic_state;
    struct radeon_cs *cs = &cmd->cs;
    uint32_t samples = samples_of(cmd), log2 = log2_floor(samples);
    bool each = cmd->graphics->baked->sample_shading && samples > 1;
    bool over = dyn->rs.conservative_mode == VK_CONSERVATIVE_RASTERIZATION_MODE_OVERESTIMATE_EXT;
    struct location at[4][MAX_SAMPLES] = {0};
    find_locations(cmd, at);
    radeon_cs_reserve(cs, 12);
    radeon_set_context_reg(cs, AMD_REG_DB_EQAA,
                           AMD_PACK(RADEON_GFX, DB_EQAA, .MAX_ANCHOR_SAMPLES = log2, .PS_ITER_SAMPLES = each ? log2 : 0,
                                    .MASK_EXPORT_NUM_SAMPLES = log2, .ALPHA_TO_MASK_NUM_SAMPLES = log2,
                                    .HIGH_QUALITY_INTERSECTIONS = true, .INCOHERENT_EQAA_READS = true,
                                    .INTERPOLATE_COMP_Z = true, .STATIC_ANCHOR_ASSOCIATIONS = true,
                                    .OVERRASTERIZATION_AMOUNT = over ? 4 : 0, .ENABLE_POSTZ_OVERRASTERIZATION = over));
    radeon_set_context_reg(cs, AMD_REG_PA_SC_AA_CONFIG,
                           AMD_PACK(RADEON_GFX, PA_SC_AA_CONFIG, .MSAA_NUM_SAMPLES = log2,
                                    .AA_MASK_CENTROID_DTMN = over, .MSAA_EXPOSED_SAMPLES = log2,
                                    .MAX_SAMPLE_DIST = samples > 1 ? max_distance(at, samples) : 0,
                                    .COVERED_CENTROID_IS_CENTER = samples > 1));
    /* MODE_CNTL_0 and _1. */
    radeon_set_context_reg_seq(cs, AMD_REG_PA_SC_MODE_CNTL_0, 2);
    radeon_emit(cs, AMD_PACK(RADEON_GFX, PA_SC_MODE_CNTL_0, .MSAA_ENABLE = samples > 1, .VPORT_SCISSOR_ENABLE = true,
                             .LINE_STIPPLE_ENABLE = dyn->rs.line_stipple_enable, .ALTERNATE_RBS_PER_TILE = true));
    radeon_emit(cs,
                AMD_PACK(RADEON_GFX, PA_SC_MODE_CNTL_1, .WALK_ALIGN8_PRIM_FITS_ST = true, .WALK_FENCE_ENABLE = true,
                         .WALK_FENCE_SIZE = 3, .SUPERTILE_WALK_ORDER_ENABLE = true, .TILE_WALK_ORDER_ENABLE = true,
                         .PS_ITER_SAMPLE = each, .MULTI_SHADER_ENGINE_PRIM_DISCARD_ENABLE = true,
                         .FORCE_EOV_CNTDWN_ENABLE = true, .FORCE_EOV_REZ_ENABLE = true, .OUT_OF_ORDER_WATER_MARK = 7));
}

void radeon_emit_sample_mask(struct radeon_cmd_buffer *cmd)
{
    struct radeon_cs *cs = &cmd->cs;
    uint32_t mask = (uint32_t)cmd->vk.rec->dynamic_state.ms.sample_mask & 0xffff;
    radeon_cs_reserve(cs, 4);
    radeon_set_context_reg_seq(cs, AMD_REG_PA_SC_AA_MASK_X0Y0_X1Y0, 2);
    radeon_emit(cs, mask | mask << 16);
    radeon_emit(cs, mask | mask << 16);
}

/* The offsets dither the threshold over the four pixels of a quad. */
void radeon_emit_alpha_to_coverage(struct radeon_cmd_buffer *cmd)
{
    struct radeon_cs *cs = &cmd->cs;
    radeon_cs_reserve(cs, 3);
    radeon_set_context_reg(cs, AMD_REG_DB_ALPHA_TO_MASK,
                           AMD_PACK(RADEON_GFX, DB_ALPHA_TO_MASK,
                                    .ALPHA_TO_MASK_ENABLE = cmd->vk.rec->dynamic_state.ms.alpha_to_coverage,
                                    .ALPHA_TO_MASK_OFFSET0 = 3, .ALPHA_TO_MASK_OFFSET1 = 1, .ALPHA_TO_MASK_OFFSET2 = 0,
                                    .ALPHA_TO_MASK_OFFSET3 = 2, .OFFSET_ROUND = true));
}

/* The rate of draws, with which that of vertices or of a mesh shader's primitives is combined, and then that of an
 * attachment. Where there is none its rate is 1 by 1, so that the last combiner either leaves things alone or undoes
 * all. */
void radeon_emit_shading_rate(struct radeon_cmd_buffer *cmd)
{
    const struct vk_fragment_shading_rate_state *fsr = &cmd->vk.rec->dynamic_state.fsr;
    const struct radeon_graphics_pipeline *baked = cmd->graphics->baked;
    struct radeon_cs *cs = &cmd->cs;
    if (!radeon_has_shading_rates(cmd->device))
        return;
    /* The hardware has the same numbers for the operations of combiners. */
    static_assert((int)VK_FRAGMENT_SHADING_RATE_COMBINER_OP_REPLACE_KHR == (int)AMD_VRS_COMBINER_OVERRIDE &&
                      (int)VK_FRAGMENT_SHADING_RATE_COMBINER_OP_MIN_KHR == (int)AMD_VRS_COMBINER_MIN &&
                      (int)VK_FRAGMENT_SHADING_RATE_COMBINER_OP_MAX_KHR == (int)AMD_VRS_COMBINER_MAX &&
                      (int)VK_FRAGMENT_SHADING_RATE_COMBINER_OP_MUL_KHR == (int)AMD_VRS_COMBINER_SATURATE,
                  "operations");
    const bool has_blocks = radeon_may_have_rates(cmd);
    const bool is_undone = !has_blocks && (fsr->combiners[1] == VK_FRAGMENT_SHADING_RATE_COMBINER_OP_REPLACE_KHR ||
                                           fsr->combiners[1] == VK_FRAGMENT_SHADING_RATE_COMBINER_OP_MIN_KHR);
    const bool is_fine =
        baked->stays_fine || !(MAX2(cmd->vk.rec->dynamic_state.ms.samples, 1u) & RADEON_COARSE_SAMPLES) || is_undone;
    const uint32_t mode = is_fine ? AMD_VRS_COMBINER_PASSTHRU : (uint32_t)fsr->combiners[0];
    radeon_cs_reserve(cs, 6);
    radeon_set_uconfig_reg(cs, AMD_REG_GE_VRS_RATE,
                           AMD_PACK(RADEON_GFX, GE_VRS_RATE, .RATE_X = !is_fine && fsr->fragment_size.width > 1,
                                    .RATE_Y = !is_fine && fsr->fragment_size.height > 1));
    radeon_set_context_reg(cs, AMD_REG_PA_CL_VRS_CNTL,
                           AMD_PACK(RADEON_GFX, PA_CL_VRS_CNTL,
                                    .VERTEX_RATE_COMBINER_MODE = baked->is_mesh ? AMD_VRS_COMBINER_PASSTHRU : mode,
                                    .PRIMITIVE_RATE_COMBINER_MODE = baked->is_mesh ? mode : AMD_VRS_COMBINER_PASSTHRU,
                                    .HTILE_RATE_COMBINER_MODE = has_blocks && !is_fine ? (uint32_t)fsr->combiners[1]
                                                                                       : AMD_VRS_COMBINER_PASSTHRU,
                                    .SAMPLE_ITER_COMBINER_MODE = AMD_VRS_COMBINER_OVERRIDE));
}
