/* The registers of the scan converter, unpacked once per draw. */
#include "amd/model/sc/sc.h"

#include <string.h>

#include "amd/hw/regs_db.h"
#include "amd/model/register_fields.h"
#include "util/bits.h"

/* Locations are signed sixteenths of a pixel from its centre: x in the low nibble, y in the high one, a byte a sample.
 */
static void read_locations(struct raster_coverage *state, const struct cp_registers *registers, bool msaa)
{
    static const uint32_t first[4] = {
        AMD_REG_PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0, AMD_REG_PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y0_0,
        AMD_REG_PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y1_0, AMD_REG_PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y1_0};
    for (unsigned pixel = 0; pixel < 4; pixel++) {
        for (unsigned s = 0; s < RASTER_MAX_SAMPLES; s++) {
            uint32_t word = cp_reg(registers, first[pixel] + s / 4 * 4) >> s % 4 * 8;
            int x = msaa ? (int)bits_sign_extend(word & 15, 4) : 0,
                y = msaa ? (int)bits_sign_extend(word >> 4 & 15, 4) : 0;
            state->x[pixel][s] = (uint8_t)((x + 8) * RASTER_LOCATION_ONE / 16);
            state->y[pixel][s] = (uint8_t)((y + 8) * RASTER_LOCATION_ONE / 16);
        }
    }
    state->same_locations = true;
    for (unsigned pixel = 1; pixel < 4; pixel++) {
        state->same_locations &= !memcmp(state->x[0], state->x[pixel], state->samples) &&
                                 !memcmp(state->y[0], state->y[pixel], state->samples);
    }
}

static void read_cuts(struct raster_coverage *state, enum amd_gfx gfx, const struct cp_registers *registers)
{
    struct amd_PA_SC_LINE_STIPPLE stipple = GET(PA_SC_LINE_STIPPLE);
    state->stipple_pattern = (uint16_t)stipple.LINE_PATTERN;
    state->stipple_repeat = (uint8_t)stipple.REPEAT_COUNT;
    state->stipple_from_top = stipple.PATTERN_BIT_ORDER;
    state->clip_rule = (uint16_t)GET(PA_SC_CLIPRECT_RULE).CLIP_RULE;
    state->has_clip_rects = state->clip_rule != 0xffff;
    for (unsigned i = 0; i < 4; i++) {
        struct amd_PA_SC_CLIPRECT_TL tl = GET_AT(PA_SC_CLIPRECT_TL, i);
        struct amd_PA_SC_CLIPRECT_BR br = GET_AT(PA_SC_CLIPRECT_BR, i);
        const int32_t rect[4] = {(int32_t)tl.TL_X, (int32_t)tl.TL_Y, (int32_t)br.BR_X, (int32_t)br.BR_Y};
        memcpy(state->clip_rects[i], rect, sizeof(rect));
    }
}

const char *amd_sc_state_init(struct raster_coverage *state, enum amd_gfx gfx, const struct cp_registers *registers)
{
    struct amd_PA_SC_MODE_CNTL_0 mode = GET(PA_SC_MODE_CNTL_0);
    struct amd_PA_SC_MODE_CNTL_1 mode_1 = GET(PA_SC_MODE_CNTL_1);
    struct amd_PA_SC_AA_CONFIG config = GET(PA_SC_AA_CONFIG);
    struct amd_DB_EQAA eqaa = GET(DB_EQAA);
    state->samples_log2 = mode.MSAA_ENABLE ? config.MSAA_NUM_SAMPLES : 0;
    if (state->samples_log2 > 3)
        return "more than 8 samples (PA_SC_AA_CONFIG)";
    state->samples = 1u << state->samples_log2;
    state->iterations = mode_1.PS_ITER_SAMPLE ? 1u << eqaa.PS_ITER_SAMPLES : 1;
    if (state->iterations > state->samples)
        return "more shader iterations than samples (DB_EQAA)";
    if (mode.MSAA_ENABLE && config.MSAA_NUM_SAMPLES && config.MSAA_EXPOSED_SAMPLES != config.MSAA_NUM_SAMPLES)
        return "exposed samples that are neither those of the rasteriser nor those of one (PA_SC_AA_CONFIG)";
    if (eqaa.OVERRASTERIZATION_AMOUNT && eqaa.OVERRASTERIZATION_AMOUNT < state->samples_log2)
        return "over-rasterisation of some of a pixel's samples (DB_EQAA)";
    if (config.COVERAGE_TO_SHADER_SELECT == AMD_COVERAGE_SELECT_INNER_COVERAGE)
        return "coverage of whole pixels as an input (PA_SC_AA_CONFIG)";
    state->centroid_is_center = config.COVERED_CENTROID_IS_CENTER;
    read_locations(state, registers, mode.MSAA_ENABLE);

    uint32_t low = GET_WORD(PA_SC_AA_MASK_X0Y0_X1Y0), high = GET_WORD(PA_SC_AA_MASK_X0Y1_X1Y1);
    uint8_t all = (uint8_t)bits_mask(state->samples);
    state->sample_mask[0] = low & all;
    state->sample_mask[1] = low >> 16 & all;
    state->sample_mask[2] = high & all;
    state->sample_mask[3] = high >> 16 & all;

    uint32_t priority = GET_WORD(PA_SC_CENTROID_PRIORITY_0);
    for (unsigned i = 0; i < RASTER_MAX_SAMPLES; i++)
        state->centroid_order[i] = priority >> i * 4 & 7;

    struct amd_PA_SC_CONSERVATIVE_RASTERIZATION_CNTL conservative = GET(PA_SC_CONSERVATIVE_RASTERIZATION_CNTL);
    if (conservative.OVER_RAST_ENABLE && conservative.UNDER_RAST_ENABLE)
        return "over- and underestimation at once (PA_SC_CONSERVATIVE_RASTERIZATION_CNTL)";
    state->conservative = conservative.OVER_RAST_ENABLE    ? RASTER_OVER
                          : conservative.UNDER_RAST_ENABLE ? RASTER_UNDER
                                                           : RASTER_EXACT;
    read_cuts(state, gfx, registers);
    return NULL;
}

void amd_sc_spread_samples(struct raster_coverage *state, enum amd_gfx gfx, const struct cp_registers *registers,
                           unsigned samples)
{
    if (GET(PA_SC_MODE_CNTL_0).MSAA_ENABLE && state->samples == 1)
        samples = MAX2(samples, MIN2(1u << GET(PA_SC_AA_CONFIG).MSAA_EXPOSED_SAMPLES, (unsigned)RASTER_MAX_SAMPLES));
    const bool is_joined = state->samples > 1 && GET(DB_EQAA).OVERRASTERIZATION_AMOUNT;
    if (!is_joined && (state->samples > 1 || samples <= 1))
        return;
    uint32_t low = GET_WORD(PA_SC_AA_MASK_X0Y0_X1Y0), high = GET_WORD(PA_SC_AA_MASK_X0Y1_X1Y1);
    const uint32_t masks[4] = {low, low >> 16, high, high >> 16};
    for (unsigned p = 0; p < 4; p++) {
        state->spread |= (uint32_t)(masks[p] & bits_mask(samples)) << p * 8;
        if (state->samples == 1)
            state->sample_mask[p] = 1;
    }
}
