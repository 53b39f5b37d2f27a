/* A pixel shader's wave from its first register to its last export. */
#include <string.h>
#if defined(__AVX512BW__)
#include <immintrin.h>
#endif

#include "amd/model/spi/spi_ps.h"
#include "amd/model/sq/sq_code.h"
#include "amd/model/sq/sq_quads.h"
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

#if defined(__AVX512BW__)
/* The union of all quads' masks, and lanes of pixels that have any sample: a byte of a mask is a pixel. */
static uint64_t find_lanes(const struct raster_quad *quads, uint32_t count, uint32_t *common_out)
{
    const __m512i at = _mm512_mullo_epi32(_mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
                                          _mm512_set1_epi32(sizeof(*quads))),
                  masks = _mm512_mask_i32gather_epi32(_mm512_set1_epi32(-1), (__mmask16)bits_mask(count), at,
                                                      &quads->mask, 1);
    *common_out = (uint32_t)_mm512_reduce_and_epi32(masks);
    return _mm512_test_epi8_mask(masks, masks) & lanes_full_mask(count * 4);
}
#else
/* One bit per pixel that has any sample. */
static uint32_t pixels_of(uint32_t mask)
{
    mask |= mask >> 4 & 0x0f0f0f0fu;
    mask |= mask >> 2 & 0x03030303u;
    mask = (mask | mask >> 1) & 0x01010101u;
    return (mask | mask >> 7 | mask >> 14 | mask >> 21) & 15;
}

/* The union of all quads' masks, and lanes of pixels that have any sample. In most waves every pixel has the same
 * one. */
static uint64_t find_lanes(const struct raster_quad *quads, uint32_t count, uint32_t *common_out)
{
    uint32_t common = UINT32_MAX;
    uint64_t lanes = 0;
    for (uint32_t q = 0; q < count; q++)
        common &= quads[q].mask;
    *common_out = common;
    if (pixels_of(common) == 15)
        return lanes_full_mask(count * 4);
    for (uint32_t q = 0; q < count; q++)
        lanes |= (uint64_t)pixels_of(quads[q].mask) << q * 4;
    return lanes;
}
#endif

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
    ps->prim = raster_is_one_prim(quads, count) ? quads[0].prim : NULL;
    ps->is_block = ps->prim && ps->sc->iterations == 1 && !ps->state->is_coarse && is_block(quads, count);
    ps->launched = find_lanes(quads, count, &ps->common);
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
    if (ps->state->is_coarse)
        amd_spi_ps_set_coarse_wave(ps, quads, count);
    else
        amd_spi_ps_set_wave(ps, quads, count);
    ps->invocations += (unsigned)__builtin_popcountll(ps->launched);
    ps->running = true;
    amd_spi_ps_fill_sgprs(ps, wave, scratch_slot);
    if (ps->state->is_coarse)
        amd_spi_ps_load_coarse(ps, wave);
    else
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

/* The numbers of an attribute that nothing is special about. */
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

/* All channels where nothing about the attribute is special. */
static inline void find_smooth_run(const struct raster_prim *prim, unsigned slot, uint32_t value[3][4])
{
    typedef float float4 __attribute__((vector_size(16)));
    float4 at[3];
    for (unsigned i = 0; i < 3; i++)
        memcpy(&at[i], prim->params[i] + slot * 4u, sizeof(at[i]));
    at[1] -= at[0];
    at[2] -= at[0];
    memcpy(value, at, sizeof(at));
}

/* From runs to quads: runs are short and of all lengths, so that no loop over them is foreseen by the host. Quads after
 * the last one have what the first has. */
static void spread_runs(struct spi_ps *ps, const uint8_t run_of[LANES_MAX / 4])
{
    for (unsigned q = 0; q < LANES_MAX / 4; q += SQ_QUAD) {
        for (unsigned i = 0; i < 3; i++) {
            const uint8_t *from[SQ_QUAD];
            for (unsigned n = 0; n < SQ_QUAD; n++)
                from[n] = (const uint8_t *)ps->runs[run_of[q + n]].value[i];
            sq_quads_load_4(&ps->values[i][0][q], LANES_MAX / 4, from);
        }
    }
}

/* All channels of an attribute, for every primitive of the wave. */
static void find_runs(struct spi_ps *ps, unsigned attribute)
{
    const struct spi_input *input = &ps->state->inputs[attribute];
    uint32_t runs = 0;
    uint8_t run_of[LANES_MAX / 4] = {0};
    for (uint32_t q = 0; q < ps->quad_count; runs++) {
        const struct raster_prim *prim = ps->prim ? ps->prim : ps->quads[q].prim; /* blocks have no quads */
        run_of[q] = (uint8_t)runs;
        q = ps->prim ? ps->quad_count : q + 1;
        while (q < ps->quad_count && ps->quads[q].prim == prim)
            run_of[q++] = (uint8_t)runs;
        if (input->is_smooth) {
            find_smooth_run(prim, input->slot, ps->runs[runs].value);
            continue;
        }
        for (unsigned channel = 0; channel < 4; channel++) {
            uint32_t values[3];
            find_attribute(ps->state, prim, attribute, channel, values);
            for (unsigned i = 0; i < 3; i++)
                ps->runs[runs].value[i][channel] = values[i];
        }
    }
    if (!ps->prim)
        spread_runs(ps, run_of);
    ps->attribute = attribute;
}

/* One value of each quad in all its lanes. */
static inline void splat_quads(const uint32_t values[LANES_MAX / 4], unsigned shift, uint32_t *row, unsigned lanes)
{
    for (unsigned q = 0; q < lanes / 4; q += SQ_QUAD, row += 4 * SQ_QUAD) {
        const sq_quad four = sq_quad_load(values + q) >> shift;
        sq_quad_store(row, __builtin_shufflevector(four, four, 0, 0, 0, 0));
        sq_quad_store(row + 4, __builtin_shufflevector(four, four, 1, 1, 1, 1));
        sq_quad_store(row + 8, __builtin_shufflevector(four, four, 2, 2, 2, 2));
        sq_quad_store(row + 12, __builtin_shufflevector(four, four, 3, 3, 3, 3));
    }
}

/* A wave of several primitives. */
static void load_attributes(struct spi_ps *ps, const struct sq_wave *wave, const struct sq_uop *uop, unsigned attribute,
                            unsigned channel, unsigned shift, uint32_t *p0, uint32_t *p10, uint32_t *p20)
{
    if (ps->attribute != attribute)
        find_runs(ps, attribute);
    if (uop->inst->op != ISA_OP_V_INTERP_P2_F32) {
        splat_quads(ps->values[0][channel], shift, p0, wave->lanes);
        splat_quads(ps->values[1][channel], shift, p10, wave->lanes);
    }
    if (uop->inst->op != ISA_OP_V_INTERP_P1_F32)
        splat_quads(ps->values[2][channel], shift, p20, wave->lanes);
}

static void load_attribute(struct sq_wave *wave, const struct sq_uop *uop, unsigned attribute, unsigned channel,
                           uint32_t *p0, uint32_t *p10, uint32_t *p20)
{
    struct spi_ps *ps = wave->owner;
    unsigned shift = reads_halves(uop->inst) && uop->inst->alu.high ? 16 : 0;
    uint32_t values[3];
    if (!ps->prim) {
        load_attributes(ps, wave, uop, attribute, channel, shift, p0, p10, p20);
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

/* ---- the same as tables ---- */

typedef float float4 __attribute__((vector_size(16)));

static inline float4 load4(const float *from)
{
    float4 value;
    memcpy(&value, from, sizeof(value));
    return value;
}

/* Four channels of four primitives to rows of channels. */
static inline void put_four(uint32_t (*to)[SQ_TABLE], const float4 of[4])
{
    const float4 low_01 = __builtin_shufflevector(of[0], of[1], 0, 4, 1, 5),
                 low_23 = __builtin_shufflevector(of[2], of[3], 0, 4, 1, 5),
                 high_01 = __builtin_shufflevector(of[0], of[1], 2, 6, 3, 7),
                 high_23 = __builtin_shufflevector(of[2], of[3], 2, 6, 3, 7);
    const float4 rows[4] = {
        __builtin_shufflevector(low_01, low_23, 0, 1, 4, 5), __builtin_shufflevector(low_01, low_23, 2, 3, 6, 7),
        __builtin_shufflevector(high_01, high_23, 0, 1, 4, 5), __builtin_shufflevector(high_01, high_23, 2, 3, 6, 7)};
    for (unsigned channel = 0; channel < 4; channel++)
        memcpy(to[channel], &rows[channel], sizeof(rows[channel]));
}

/* The primitives of the wave's quads, one after the other; the last one again up to a multiple of four. */
static uint32_t find_prims(const struct spi_ps *ps, const struct raster_prim *prims[SPI_PS_QUADS],
                           uint32_t *entry_of_lane)
{
    typedef uint32_t uint4 __attribute__((vector_size(16)));
    uint32_t count = 0;
    for (uint32_t q = 0; q < ps->quad_count; q++) {
        const struct raster_prim *prim = ps->prim ? ps->prim : ps->quads[q].prim;
        if (!count || prims[count - 1] != prim)
            prims[count++] = prim;
        const uint4 four = {count - 1, count - 1, count - 1, count - 1};
        memcpy(entry_of_lane + q * 4, &four, sizeof(four));
    }
    while (count % 4) {
        prims[count] = prims[count - 1];
        count++;
    }
    return count;
}

static void fill_smooth(uint32_t (*to)[4][SQ_TABLE], const struct raster_prim *const *prims, uint32_t count,
                        unsigned first)
{
    for (uint32_t i = 0; i < count; i += 4) {
        float4 of[3][4];
        for (unsigned k = 0; k < 4; k++) {
            const struct raster_prim *prim = prims[i + k];
            of[0][k] = load4(prim->params[0] + first);
            of[1][k] = load4(prim->params[1] + first) - of[0][k];
            of[2][k] = load4(prim->params[2] + first) - of[0][k];
        }
        for (unsigned which = 0; which < 3; which++)
            put_four((uint32_t(*)[SQ_TABLE])(to[which][0] + i), of[which]);
    }
}

static void fill_flat(uint32_t (*to)[4][SQ_TABLE], const struct raster_prim *const *prims, uint32_t count,
                      unsigned first)
{
    for (uint32_t i = 0; i < count; i += 4) {
        float4 of[4];
        for (unsigned k = 0; k < 4; k++)
            of[k] = load4(prims[i + k]->flat + first);
        put_four((uint32_t(*)[SQ_TABLE])(to[0][0] + i), of);
        for (unsigned n = 0; n < 2 * 4; n++)
            memset(to[1 + n / 4][n % 4] + i, 0, sizeof(float4));
    }
}

static void fill_tables(struct sq_wave *wave, const uint8_t *attributes, uint32_t attribute_count,
                        uint32_t *entry_of_lane, uint32_t (*tables)[3][4][SQ_TABLE])
{
    const struct spi_ps *ps = wave->owner;
    const struct raster_prim *prims[SPI_PS_QUADS];
    const uint32_t count = find_prims(ps, prims, entry_of_lane);
    for (uint32_t i = 0; i < attribute_count; i++) {
        const struct spi_input *input = &ps->state->inputs[attributes[i]];
        if (input->is_smooth) {
            fill_smooth(tables[i], prims, count, input->slot * 4u);
            continue;
        }
        if (input->is_only_flat) {
            fill_flat(tables[i], prims, count, input->slot * 4u);
            continue;
        }
        for (uint32_t k = 0; k < count; k++) {
            for (unsigned channel = 0; channel < 4; channel++) {
                uint32_t values[3];
                find_attribute(ps->state, prims[k], attributes[i], channel, values);
                for (unsigned which = 0; which < 3; which++)
                    tables[i][which][channel][k] = values[which];
            }
        }
    }
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
    .tables = fill_tables,
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
uint8_t amd_spi_ps_alpha_mask(const struct spi_ps *ps, float alpha, unsigned pixel)
{
    unsigned samples = ps->state->alpha_samples;
    float count = alpha * (float)samples + (float)ps->state->alpha_offset[pixel] / 4.0f;
    return count >= (float)samples ? 0xff : count >= 1 ? (uint8_t)bits_mask((unsigned)count) : 0;
}

/* Of all lanes at once: the same as amd_spi_ps_alpha_mask. */
static void cut_by_alpha(struct spi_ps *ps)
{
    float alphas[CB_MAX_LANES], offsets[CB_MAX_LANES];
    uint8_t keep[CB_MAX_LANES];
    const float samples = (float)ps->state->alpha_samples;
    amd_cb_convert_alpha(&ps->cb.state->targets[0], ps->exports.rows[0], alphas);
    for (unsigned lane = 0; lane < CB_MAX_LANES; lane++)
        offsets[lane] = (float)ps->state->alpha_offset[lane & 3] / 4.0f;
    for (unsigned lane = 0; lane < CB_MAX_LANES; lane++) {
        const float count = alphas[lane] * samples + offsets[lane], some = count >= 1 ? count : 0;
        const int32_t whole = (int32_t)(some < samples ? some : samples);
        keep[lane] = (uint8_t)(some >= samples ? 0xff : (1 << whole) - 1);
    }
    for (uint32_t q = 0; q < ps->quad_count; q++) {
        uint32_t mask;
        memcpy(&mask, keep + q * 4, sizeof(mask));
        ps->quads[q].mask &= mask;
    }
}

void amd_spi_ps_cut_masks(struct spi_ps *ps)
{
    const struct db_state *db = ps->db.state;
    bool alpha = ps->state->alpha_to_mask && (ps->exports.valid & 1);
    if (alpha)
        cut_by_alpha(ps);
    if (!(db->mask_export && ps->has_z) && (!ps->has_valid || ps->valid == ps->launched))
        return; /* nothing was killed */
    for (uint32_t lane = 0; lane < ps->quad_count * 4; lane++) {
        struct raster_quad *quad = &ps->quads[lane / 4];
        unsigned pixel = lane & 3;
        uint8_t keep = 0xff;
        if (ps->has_valid && !(ps->valid >> lane & 1))
            keep = 0;
        if (db->mask_export && ps->has_z)
            keep &= (uint8_t)exported_mask(ps, lane);
        quad->mask &= ~((uint32_t)(uint8_t)~keep << pixel * 8);
    }
}

void amd_spi_ps_test_late(struct spi_ps *ps)
{
    const struct db_state *db = ps->db.state;
    if (!ps->has_z || !(db->z_export || db->stencil_export)) {
        amd_db_test_quads(&ps->db, ps->quads, ps->quad_count);
        return;
    }
    if (!db->stencil_export && db_has_fast_quads(&ps->db)) {
        amd_db_test_quads_exported(&ps->db, ps->quads, ps->quad_count, (const float(*)[4])ps->z_rows[0]);
        return;
    }
    if (ps->db.coherence)
        amd_db_note(&ps->db, ps->quads, ps->quad_count);
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
    if (ps->state->is_coarse) {
        amd_spi_ps_end_coarse(ps);
        return;
    }
    amd_spi_ps_cut_masks(ps);
    if (!ps->db.state->early)
        amd_spi_ps_test_late(ps);
    if (ps->exports.valid)
        amd_cb_write(&ps->cb, &ps->exports, ps->quads, ps->quad_count);
}
