/* The registers of varyings, unpacked once per draw, and the way from a vertex wave's registers to records. */
#include <string.h>

#include "adreno/hw/regs_gras.h"
#include "adreno/hw/regs_pc.h"
#include "adreno/hw/regs_sp.h"
#include "adreno/hw/regs_vpc.h"
#include "adreno/model/vpc/vpc.h"
#include "util/bits.h"

/* Registers that each of the stages before the rasteriser has, with the same fields but for what a geometry shader's
 * OUTPUT_CNTL has besides. */
struct stage_regs {
    uint32_t outputs, output, dest, cntl, clip_cull, siv;
};

#define STAGE_REGS(s)                                                                                                  \
    {                                                                                                                  \
        ADRENO_REG_SP_##s##_OUTPUT_CNTL, ADRENO_REG_SP_##s##_OUTPUT, ADRENO_REG_SP_##s##_VPC_DEST,                     \
            ADRENO_REG_VPC_##s##_CNTL, ADRENO_REG_VPC_##s##_CLIP_CULL_CNTL, ADRENO_REG_VPC_##s##_SIV_CNTL              \
    }
static const struct stage_regs of_stage[] = {
    [ADRENO_STAGE_VS] = STAGE_REGS(VS),
    [ADRENO_STAGE_DS] = STAGE_REGS(DS),
    [ADRENO_STAGE_GS] = STAGE_REGS(GS),
};

/* Output n has half of a word of SP_*_OUTPUT# and a byte of SP_*_VPC_DEST#. */
static bool read_outputs(struct vpc_state *state, struct adreno_gpu *gpu, const struct stage_regs *stage)
{
    const uint32_t *regs = gpu->regs;
    uint32_t count = adreno_unpack_SP_VS_OUTPUT_CNTL(regs[stage->outputs]).OUT;
    memset(state->row_of, ADRENO_NO_REG, sizeof(state->row_of));
    if (count > 32)
        return adreno_stop_register(gpu, stage->outputs, "there are 32 outputs");
    for (unsigned n = 0; n < count; n++) {
        uint32_t output = regs[stage->output + n / 2] >> n % 2 * 16;
        uint32_t location = regs[stage->dest + n / 4] >> n % 4 * 8 & 0xff;
        bits_foreach (output >> 8 & 15, c) {
            if (location + c < VPC_LOCATIONS && (output & 0xff) + c < ADRENO_WAVE_ROWS)
                state->row_of[location + c] = (uint8_t)((output & 0xff) + c);
        }
    }
    return true;
}

/* Two bits for each location in both arrays of registers. A geometry shader says itself which number a primitive has:
 * where there is one, the place of the number is a location like any other. */
static void read_sources(struct vpc_state *state, const uint32_t *regs, enum adreno_stage stage)
{
    static const uint8_t of_interp[4] = {VPC_SMOOTH, VPC_FLAT, VPC_ZERO, VPC_ONE};
    static const uint8_t of_replace[4] = {VPC_SMOOTH, VPC_SPRITE_S, VPC_SPRITE_T, VPC_SPRITE_T_DOWN};
    struct adreno_VPC_PS_CNTL cntl = adreno_unpack_VPC_PS_CNTL(regs[ADRENO_REG_VPC_PS_CNTL]);
    bool is_inverted = adreno_unpack_VPC_REPLACE_MODE_CNTL(regs[ADRENO_REG_VPC_REPLACE_MODE_CNTL]).INVERT;
    for (unsigned i = 0; i < VPC_VARYINGS; i++) {
        unsigned replace = regs[ADRENO_REG_VPC_VARYING_REPLACE_MODE_MODE + i / 16] >> i % 16 * 2 & 3;
        unsigned interp = regs[ADRENO_REG_VPC_VARYING_INTERP_MODE_MODE + i / 16] >> i % 16 * 2 & 3;
        if (is_inverted && replace >= 2)
            replace ^= 1;
        state->sources[i] = replace ? of_replace[replace] : of_interp[interp];
    }
    state->has_own = false;
    if (cntl.PRIMIDLOC < VPC_VARYINGS && stage != ADRENO_STAGE_GS) {
        state->sources[cntl.PRIMIDLOC] = VPC_PRIM_ID;
        state->has_own = true;
    }
    if (cntl.VIEWIDLOC < VPC_VARYINGS) {
        state->sources[cntl.VIEWIDLOC] = VPC_VIEW_ID;
        state->has_own = true;
    }
}

bool adreno_vpc_state_init(struct vpc_state *state, struct adreno_gpu *gpu, enum adreno_stage stage, bool has_streamout)
{
    const uint32_t *regs = gpu->regs;
    struct adreno_VPC_VS_CNTL vs = adreno_unpack_VPC_VS_CNTL(regs[of_stage[stage].cntl]);
    struct adreno_VPC_VS_CLIP_CULL_CNTL clip = adreno_unpack_VPC_VS_CLIP_CULL_CNTL(regs[of_stage[stage].clip_cull]);
    struct adreno_VPC_VS_SIV_CNTL siv = adreno_unpack_VPC_VS_SIV_CNTL(regs[of_stage[stage].siv]);
    struct adreno_VPC_PS_CNTL ps = adreno_unpack_VPC_PS_CNTL(regs[ADRENO_REG_VPC_PS_CNTL]);
    struct adreno_GRAS_SU_CNTL su = adreno_unpack_GRAS_SU_CNTL(regs[ADRENO_REG_GRAS_SU_CNTL]);
    struct adreno_PC_STEREO_RENDERING_CNTL stereo =
        adreno_unpack_PC_STEREO_RENDERING_CNTL(regs[ADRENO_REG_PC_STEREO_RENDERING_CNTL]);
    if (!read_outputs(state, gpu, &of_stage[stage]))
        return false;
    state->stage = stage;
    read_sources(state, regs, stage);
    state->position = (uint8_t)vs.POSITIONLOC;
    state->point_size = (uint8_t)vs.PSIZELOC;
    state->layer = (uint8_t)siv.LAYERLOC;
    state->viewport = (uint8_t)siv.VIEWLOC;
    state->distance_mask = (uint8_t)clip.CLIP_MASK;
    state->distances[0] = (uint8_t)clip.CLIP_DIST_03_LOC;
    state->distances[1] = (uint8_t)clip.CLIP_DIST_47_LOC;
    state->has_view_positions = stereo.ENABLE && !stereo.DISABLEMULTIPOS && vs.EXTRAPOS;
    /* The first chips of the family have but the one switch, for layers. */
    state->adds_view_to_layer =
        stereo.ENABLE && (gpu->chip->has_per_view_viewport ? su.RENDERTARGETINDEXINCR : su.MULTIVIEW_ENABLE);
    state->adds_view_to_viewport = stereo.ENABLE && gpu->chip->has_per_view_viewport && su.VIEWPORTINDEXINCR;
    state->record_dw = has_streamout ? MAX2(vs.STRIDE_IN_VPC, ps.NUMNONPOSVAR) : ps.NUMNONPOSVAR;
    return true;
}

static const uint32_t *row_at(const struct vpc_state *state, struct adreno_wave *wave, unsigned location)
{
    uint8_t row = location < VPC_NOWHERE ? state->row_of[location] : ADRENO_NO_REG;
    return row == ADRENO_NO_REG ? NULL : adreno_wave_row(wave, row);
}

/* One word of the position vectors of all vertices; 0 where the shader does not give it. */
static void take_word(const struct vpc_state *state, struct adreno_wave *wave, unsigned location, uint32_t count,
                      float (*pos)[RASTER_POS_VECTORS][4], unsigned word)
{
    const uint32_t *row = row_at(state, wave, location);
    for (uint32_t lane = 0; lane < count; lane++)
        pos[lane][word / 4][word % 4] = row ? bits_float(row[lane]) : 0;
}

static void add_view(const uint8_t *views, uint32_t count, float (*pos)[RASTER_POS_VECTORS][4], unsigned word)
{
    for (uint32_t lane = 0; lane < count; lane++)
        pos[lane][word / 4][word % 4] = bits_float(float_bits(pos[lane][word / 4][word % 4]) + views[lane]);
}

static void take_positions(const struct vpc_state *state, struct adreno_wave *wave, uint32_t count,
                           const uint8_t *views, float (*pos)[RASTER_POS_VECTORS][4])
{
    for (unsigned c = 0; c < 4; c++) {
        if (!state->has_view_positions) {
            take_word(state, wave, state->position + c, count, pos, c);
            continue;
        }
        for (uint32_t lane = 0; lane < count; lane++) {
            const uint32_t *row = row_at(state, wave, state->position + views[lane] * 4u + c);
            pos[lane][0][c] = row ? bits_float(row[lane]) : 0;
        }
    }
}

void adreno_vpc_take(const struct vpc_state *state, struct adreno_wave *wave, uint32_t count, const uint8_t *views,
                     float (*pos)[RASTER_POS_VECTORS][4], float *records)
{
    take_positions(state, wave, count, views, pos);
    take_word(state, wave, state->point_size, count, pos, VPC_POS_POINT_SIZE);
    take_word(state, wave, state->layer, count, pos, VPC_POS_LAYER);
    take_word(state, wave, state->viewport, count, pos, VPC_POS_VIEWPORT);
    if (state->adds_view_to_layer)
        add_view(views, count, pos, VPC_POS_LAYER);
    if (state->adds_view_to_viewport)
        add_view(views, count, pos, VPC_POS_VIEWPORT);
    bits_foreach (state->distance_mask, d) {
        unsigned first = state->distances[d / 4];
        take_word(state, wave, first == VPC_NOWHERE ? first : first + (unsigned)d % 4, count, pos,
                  VPC_POS_DISTANCES + (unsigned)d);
    }
    const uint32_t record_dw = state->record_dw;
    for (uint32_t location = 0; location < record_dw; location++) {
        const uint32_t *row = row_at(state, wave, location);
        for (uint32_t lane = 0; lane < count; lane++)
            records[(size_t)lane * record_dw + location] = row ? bits_float(row[lane]) : 0;
    }
}
