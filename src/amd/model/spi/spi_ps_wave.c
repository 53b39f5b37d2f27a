/* A pixel shader's wave from its first register to its last export. */
#include <string.h>

#include "amd/model/spi/spi_ps.h"
#include "amd/model/sq/sq_code.h"
#include "util/bits.h"
#include "util/half.h"

/* Targets of EXP. */
enum {
    EXP_MRT = 0,
    EXP_MRTZ = 8,
    EXP_NULL = 9,
};

#define MSG_ORDERED_PS_DONE 7

void amd_spi_ps_fill_sgprs(const struct spi_ps *ps, struct sq_wave *wave, uint32_t scratch_slot)
{
    const struct spi_stage *stage = &ps->state->stage;
    uint32_t at = stage->user_count;
    memcpy(wave->sgpr, stage->user_data, at * 4);
    wave->sgpr[at++] = 0; /* where the attributes are, for m0: the model finds them by the quad */
    if (ps->state->loads_collision)
        wave->sgpr[at++] = 0; /* bit 31 would say that an earlier wave is still on one of the pixels */
    if (ps->state->loads_provoking)
        wave->sgpr[at++] = 0; /* two bits per quad: the first vertex is always P0 */
    if (stage->scratch_wave_B)
        wave->sgpr[at++] = scratch_slot * stage->scratch_wave_B;
}

/* One bit per pixel that has any sample. */
static uint32_t pixels_of(uint32_t mask)
{
    mask |= mask >> 4 & 0x0f0f0f0fu;
    mask |= mask >> 2 & 0x03030303u;
    mask = (mask | mask >> 1) & 0x01010101u;
    return (mask | mask >> 7 | mask >> 14 | mask >> 21) & 15;
}

/* Lanes of pixels that have any sample. In most waves every pixel has the same one. */
static uint64_t find_lanes(const struct raster_quad *quads, uint32_t count, uint32_t common)
{
    uint64_t lanes = 0;
    if (pixels_of(common) == 15)
        return lanes_full_mask(count * 4);
    for (uint32_t q = 0; q < count; q++)
        lanes |= (uint64_t)pixels_of(quads[q].mask) << q * 4;
    return lanes;
}

static uint32_t find_common(const struct raster_quad *quads, uint32_t count)
{
    uint32_t common = UINT32_MAX;
    for (uint32_t q = 0; q < count; q++)
        common &= quads[q].mask;
    return common;
}

/* A primitive's quads come block by block, row by row: the first and the last say where the others are. */
static bool is_block(const struct raster_quad *quads, uint32_t count)
{
    const struct raster_quad *last = &quads[count - 1];
    return count == RASTER_BLOCK * RASTER_BLOCK / 4 && !((quads[0].x | quads[0].y) & (RASTER_BLOCK - 1)) &&
           last->x == quads[0].x + RASTER_BLOCK - 2 && last->y == quads[0].y + RASTER_BLOCK - 2 &&
           last->iteration == quads[0].iteration;
}

void amd_spi_ps_set_wave(struct spi_ps *ps, struct raster_quad *quads, uint32_t count)
{
    ps->quads = quads;
    ps->quad_count = count;
    ps->prim = quads[0].prim == quads[count - 1].prim ? quads[0].prim : NULL; /* a primitive's quads are neighbours */
    ps->is_block = ps->prim && ps->sc->iterations == 1 && is_block(quads, count);
    ps->common = find_common(quads, count);
    ps->launched = find_lanes(quads, count, ps->common);
    ps->exports.valid = 0;
    ps->attribute = SPI_NO_ATTRIBUTE;
    ps->has_valid = ps->has_z = false;
}

bool amd_spi_ps_begin(struct spi_ps *ps, const struct sq_launch *launch, struct sq_code *code,
                      struct raster_quad *quads, uint32_t count, uint32_t scratch_slot)
{
    if (!amd_sq_workgroup_begin(ps->group, launch, code, 1))
        return false;
    struct sq_wave *wave = ps->group->waves[0];
    amd_spi_ps_set_wave(ps, quads, count);
    ps->invocations += (unsigned)__builtin_popcountll(ps->launched);
    ps->running = true;
    amd_spi_ps_fill_sgprs(ps, wave, scratch_slot);
    amd_spi_ps_load_inputs(ps, wave);
    sq_write_mask(wave, &wave->sgpr[SQ_EXEC], ps->launched);
    sq_exec_changed(wave);
    return true;
}

/* ---- attributes ---- */

static float sprite_value(const struct spi_ps_state *state, unsigned channel, unsigned which)
{
    switch ((enum amd_POINT_SPRITE_SEL)state->sprite[channel]) {
    case AMD_POINT_SPRITE_SEL_1:
        return which == 0 ? 1 : 0;
    case AMD_POINT_SPRITE_SEL_S:
        return which == 1 ? 1 : 0;
    case AMD_POINT_SPRITE_SEL_T:
        if (state->sprite_from_below) /* 1 at the top, and the way down from there */
            return which == 0 ? 1 : which == 2 ? -1 : 0;
        return which == 2 ? 1 : 0;
    default:
        return 0;
    }
}

/* Two attributes of 16 bits share a channel. */
static uint32_t subtract_halves(uint32_t a, uint32_t b)
{
    float low = half_to_float((uint16_t)a) - half_to_float((uint16_t)b);
    float high = half_to_float((uint16_t)(a >> 16)) - half_to_float((uint16_t)(b >> 16));
    return float_to_half_rtne(low) | (uint32_t)float_to_half_rtne(high) << 16;
}

/* P0, P1 - P0 and P2 - P0 of a primitive, or the three of them as they are. */
static void find_attribute(const struct spi_ps_state *state, const struct raster_prim *prim, unsigned attribute,
                           unsigned channel, uint32_t out[3])
{
    const struct spi_input *input = &state->inputs[attribute];
    out[1] = out[2] = 0;
    if (input->is_sprite && prim->is_point) {
        for (unsigned i = 0; i < 3; i++)
            out[i] = float_bits(sprite_value(state, channel, i));
        return;
    }
    if (input->is_constant) {
        out[0] = float_bits(input->constant[channel]);
        return;
    }
    unsigned at = input->slot * 4u + channel;
    if (input->is_primitive) {
        out[0] = float_bits(prim->own[at]);
        return;
    }
    if (input->is_explicit) {
        for (unsigned i = 0; i < 3; i++)
            out[i] = float_bits(prim->params[i][at]);
        return;
    }
    if (input->is_flat) {
        out[0] = float_bits(prim->flat[at]);
        return;
    }
    float first = prim->params[0][at];
    out[0] = float_bits(first);
    for (unsigned i = 1; i < 3; i++) {
        float other = prim->params[i][at];
        out[i] = input->is_half ? subtract_halves(float_bits(other), float_bits(first)) : float_bits(other - first);
    }
}

/* The same where nothing about the attribute is special. */
static inline void find_smooth(const struct raster_prim *prim, unsigned at, uint32_t out[3])
{
    float first = prim->params[0][at];
    out[0] = float_bits(first);
    out[1] = float_bits(prim->params[1][at] - first);
    out[2] = float_bits(prim->params[2][at] - first);
}

static bool reads_halves(const struct isa_inst *inst)
{
    return inst->op == ISA_OP_V_INTERP_P1LL_F16 || inst->op == ISA_OP_V_INTERP_P1LV_F16 ||
           inst->op == ISA_OP_V_INTERP_P2_F16;
}

/* All channels of an attribute, for every primitive of the wave. */
static void find_runs(struct spi_ps *ps, unsigned attribute)
{
    const struct spi_input *input = &ps->state->inputs[attribute];
    uint32_t runs = 0;
    for (uint32_t q = 0; q < ps->quad_count; runs++) {
        const struct raster_prim *prim = ps->prim ? ps->prim : ps->quads[q].prim; /* blocks have no quads */
        q = ps->prim ? ps->quad_count : q + 1;
        while (q < ps->quad_count && ps->quads[q].prim == prim)
            q++;
        ps->runs[runs].end = q;
        for (unsigned channel = 0; channel < 4; channel++) {
            uint32_t values[3];
            if (input->is_smooth)
                find_smooth(prim, input->slot * 4u + channel, values);
            else
                find_attribute(ps->state, prim, attribute, channel, values);
            for (unsigned i = 0; i < 3; i++)
                ps->runs[runs].value[i][channel] = values[i];
        }
    }
    ps->attribute = attribute;
    ps->run_count = runs;
}

/* One value of each run in all lanes of its quads. */
static inline void splat_runs(const struct spi_ps *ps, unsigned which, unsigned channel, unsigned shift,
                              uint32_t *lanes)
{
    typedef uint32_t uint4 __attribute__((vector_size(16)));
    for (uint32_t run = 0, q = 0; run < ps->run_count; run++) {
        uint32_t value = ps->runs[run].value[which][channel] >> shift;
        const uint4 four = {value, value, value, value};
        for (; q < ps->runs[run].end; q++)
            memcpy(lanes + q * 4, &four, sizeof(four));
    }
}

/* A wave of several primitives. */
static void load_attributes(struct spi_ps *ps, const struct sq_uop *uop, unsigned attribute, unsigned channel,
                            unsigned shift, uint32_t *p0, uint32_t *p10, uint32_t *p20)
{
    if (ps->attribute != attribute)
        find_runs(ps, attribute);
    if (uop->inst->op != ISA_OP_V_INTERP_P2_F32) {
        splat_runs(ps, 0, channel, shift, p0);
        splat_runs(ps, 1, channel, shift, p10);
    }
    if (uop->inst->op != ISA_OP_V_INTERP_P1_F32)
        splat_runs(ps, 2, channel, shift, p20);
}

static void load_attribute(struct sq_wave *wave, const struct sq_uop *uop, unsigned attribute, unsigned channel,
                           uint32_t *p0, uint32_t *p10, uint32_t *p20)
{
    struct spi_ps *ps = wave->owner;
    unsigned shift = reads_halves(uop->inst) && uop->inst->alu.high ? 16 : 0;
    uint32_t values[3];
    if (!ps->prim) {
        load_attributes(ps, uop, attribute, channel, shift, p0, p10, p20);
        return;
    }
    if (ps->state->inputs[attribute].is_smooth)
        find_smooth(ps->prim, ps->state->inputs[attribute].slot * 4u + channel, values);
    else
        find_attribute(ps->state, ps->prim, attribute, channel, values);
    if (uop->inst->op != ISA_OP_V_INTERP_P2_F32) {
        lanes_splat(p0, values[0] >> shift, wave->lanes);
        lanes_splat(p10, values[1] >> shift, wave->lanes);
    }
    if (uop->inst->op != ISA_OP_V_INTERP_P1_F32)
        lanes_splat(p20, values[2] >> shift, wave->lanes);
}

static const uint32_t (*load_one_attribute(struct sq_wave *wave, unsigned attribute))[4]
{
    struct spi_ps *ps = wave->owner;
    if (ps->prim && ps->attribute != attribute)
        find_runs(ps, attribute);
    return ps->prim ? ps->runs[0].value : NULL;
}

/* ---- exports ---- */

static void copy_rows(const struct sq_wave *wave, const struct isa_export *exp, const uint32_t *const rows[4],
                      uint32_t (*to)[LANES_MAX])
{
    unsigned count = exp->compr ? 2 : 4;
    for (unsigned c = 0; c < count; c++) {
        bool enabled = exp->compr ? exp->en >> c * 2 & 3 : exp->en >> c & 1;
        if (!enabled)
            memset(to[c], 0, wave->lanes * sizeof(uint32_t));
        else if (wave->lanes == LANES_MAX)
            memcpy(to[c], rows[c], LANES_MAX * sizeof(uint32_t));
        else
            memcpy(to[c], rows[c], LANES_GROUP * sizeof(uint32_t));
    }
}

static void take_export(struct sq_wave *wave, const struct sq_uop *uop, const struct isa_export *exp,
                        const uint32_t *const rows[4])
{
    struct spi_ps *ps = wave->owner;
    if (exp->target < CB_TARGETS) {
        if (ps->cb.state->exports >> exp->target & 1) {
            copy_rows(wave, exp, rows, ps->exports.rows[exp->target]);
            ps->exports.valid |= 1u << exp->target;
        }
    } else if (exp->target == EXP_MRTZ) {
        copy_rows(wave, exp, rows, ps->z_rows);
        ps->has_z = true;
    } else if (exp->target != EXP_NULL) {
        amd_sq_fault(wave, uop, SQ_FAULT_INSTRUCTION, "an export that a pixel shader cannot make");
        return;
    }
    if (exp->vm) {
        ps->has_valid = true;
        ps->valid = sq_exec(wave);
    }
}

/* ORDERED_PS_DONE: what comes after it needs no order. A wave that would wait for it has not started yet. */
static void take_message(struct sq_wave *wave, const struct sq_uop *uop, uint32_t message, uint32_t m0)
{
    if ((message & 15) != MSG_ORDERED_PS_DONE)
        amd_sq_fault(wave, uop, SQ_FAULT_INSTRUCTION, "a message that no pixel shader sends");
}

const struct sq_hooks amd_spi_ps_hooks = {
    .message = take_message,
    .export = take_export,
    .attribute = load_attribute,
    .one_attribute = load_one_attribute,
};

/* ---- after the shader ---- */

/* The exported sample mask and stencil: in channels of their own, or packed in 16 bits when there is no depth. */
static uint32_t exported_mask(const struct spi_ps *ps, uint32_t lane)
{
    return ps->state->z_format == AMD_EXPORT_FORMAT_UINT16_ABGR ? ps->z_rows[1][lane] & 0xffff : ps->z_rows[2][lane];
}

static uint8_t exported_stencil(const struct spi_ps *ps, uint32_t lane)
{
    return (uint8_t)(ps->state->z_format == AMD_EXPORT_FORMAT_UINT16_ABGR ? ps->z_rows[0][lane] >> 16
                                                                          : ps->z_rows[1][lane]);
}

/* The samples that an alpha covers; the offset rounds, or dithers over the quad. */
static uint8_t alpha_mask(const struct spi_ps *ps, float alpha, unsigned pixel)
{
    unsigned samples = ps->sc->samples;
    float count = alpha * (float)samples + (float)ps->state->alpha_offset[pixel] / 4.0f;
    return count >= (float)samples ? 0xff : count >= 1 ? (uint8_t)bits_mask((unsigned)count) : 0;
}

static void cut_masks(struct spi_ps *ps)
{
    const struct db_state *db = ps->db.state;
    union pixel_colors colors;
    bool alpha = ps->state->alpha_to_mask && (ps->exports.valid & 1);
    if (!alpha && !(db->mask_export && ps->has_z) && (!ps->has_valid || ps->valid == ps->launched))
        return; /* nothing was killed */
    if (alpha)
        amd_cb_convert(&ps->cb.state->targets[0], ps->exports.rows[0], &colors);
    for (uint32_t lane = 0; lane < ps->quad_count * 4; lane++) {
        struct raster_quad *quad = &ps->quads[lane / 4];
        unsigned pixel = lane & 3;
        uint8_t keep = 0xff;
        if (ps->has_valid && !(ps->valid >> lane & 1))
            keep = 0;
        if (db->mask_export && ps->has_z)
            keep &= (uint8_t)exported_mask(ps, lane);
        if (alpha)
            keep &= alpha_mask(ps, colors.f[3][lane], pixel);
        quad->mask &= ~((uint32_t)(uint8_t)~keep << pixel * 8);
    }
}

static void test_late(struct spi_ps *ps)
{
    const struct db_state *db = ps->db.state;
    if (!ps->has_z || !(db->z_export || db->stencil_export)) {
        amd_db_test_quads(&ps->db, ps->quads, ps->quad_count);
        return;
    }
    for (uint32_t q = 0; q < ps->quad_count; q++) {
        float z[4];
        uint8_t stencil[4];
        for (unsigned p = 0; p < 4; p++) {
            z[p] = bits_float(ps->z_rows[0][q * 4 + p]);
            stencil[p] = exported_stencil(ps, q * 4 + p);
        }
        struct db_export export = {
            .z = db->z_export ? z : NULL,
            .stencil = db->stencil_export ? stencil : NULL,
        };
        if (ps->quads[q].mask)
            amd_db_test_quad(&ps->db, &ps->quads[q], &export);
    }
}

void amd_spi_ps_end(struct spi_ps *ps)
{
    ps->running = false;
    cut_masks(ps);
    if (!ps->db.state->early)
        test_late(ps);
    if (ps->exports.valid)
        amd_cb_write(&ps->cb, &ps->exports, ps->quads, ps->quad_count);
}
