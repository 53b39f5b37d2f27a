/* Shading rates: how large the pixels are that a shader runs for. Coverage, depth and colour keep to the pixels of the
 * targets; the shader runs once for a coarse pixel, of 1 by 2, 2 by 1 or 2 by 2 of those. Four coarse pixels are a
 * quad. */
#include <string.h>

#include "amd/hw/regs_db.h"
#include "amd/hw/regs_ge.h"
#include "amd/hw/regs_pa.h"
#include "amd/model/register_fields.h"
#include "amd/model/sc/sc.h"
#include "util/bits.h"

#define MAX_LOG2 1

static unsigned combine_axis(unsigned mode, unsigned first, unsigned second)
{
    first = MIN2(first, (unsigned)MAX_LOG2);
    second = MIN2(second, (unsigned)MAX_LOG2);
    switch ((enum amd_VRS_COMBINER)mode) {
    case AMD_VRS_COMBINER_OVERRIDE:
        return second;
    case AMD_VRS_COMBINER_MIN:
        return MIN2(first, second);
    case AMD_VRS_COMBINER_MAX:
        return MAX2(first, second);
    case AMD_VRS_COMBINER_SATURATE: /* the product of the sizes */
        return MIN2(first + second, (unsigned)MAX_LOG2);
    default:
        return first;
    }
}

static sc_rate combine_rates(unsigned mode, sc_rate first, sc_rate second)
{
    return (sc_rate)(combine_axis(mode, sc_rate_x(first), sc_rate_x(second)) |
                     combine_axis(mode, sc_rate_y(first), sc_rate_y(second)) << 2);
}

static bool can_change(unsigned mode)
{
    return mode != AMD_VRS_COMBINER_PASSTHRU;
}

/* The last combiner's rate may be coarser than what comes to it, which is for shaders that give one colour anyway: that
 * is allowed, not demanded, and every pixel is shaded. A finer one holds. */
static bool is_overridden(struct amd_DB_VRS_OVERRIDE_CNTL last)
{
    const unsigned mode = last.VRS_OVERRIDE_RATE_COMBINER_MODE;
    return (mode == AMD_VRS_COMBINER_MIN || mode == AMD_VRS_COMBINER_OVERRIDE) && !last.VRS_OVERRIDE_RATE_X &&
           !last.VRS_OVERRIDE_RATE_Y;
}

const char *amd_sc_rates_init(struct sc_rates *rates, enum amd_gfx gfx, const struct cp_registers *registers,
                              const struct raster_coverage *coverage, bool blocks_have_rates, bool is_fine)
{
    const struct amd_PA_CL_VRS_CNTL control = GET(PA_CL_VRS_CNTL);
    const struct amd_PA_CL_VS_OUT_CNTL out = GET(PA_CL_VS_OUT_CNTL);
    const struct amd_VGT_DRAW_PAYLOAD_CNTL payload = GET(VGT_DRAW_PAYLOAD_CNTL);
    const struct amd_DB_VRS_OVERRIDE_CNTL last = GET(DB_VRS_OVERRIDE_CNTL);
    const bool iterates = GET(PA_SC_MODE_CNTL_1).PS_ITER_SAMPLE;
    if (payload.EN_VRS_RATE) {
        const struct amd_GE_VRS_RATE draw = GET(GE_VRS_RATE);
        if (draw.RATE_X > MAX_LOG2 || draw.RATE_Y > MAX_LOG2)
            return "a shading rate beyond 2 by 2 (GE_VRS_RATE)";
        rates->draw = (sc_rate)(draw.RATE_X | draw.RATE_Y << 2);
    }
    rates->with_vertex = out.BYPASS_VTX_RATE_COMBINER ? AMD_VRS_COMBINER_PASSTHRU : control.VERTEX_RATE_COMBINER_MODE;
    rates->with_primitive =
        out.BYPASS_PRIM_RATE_COMBINER ? AMD_VRS_COMBINER_PASSTHRU : control.PRIMITIVE_RATE_COMBINER_MODE;
    rates->with_block = control.HTILE_RATE_COMBINER_MODE;
    rates->is_on = rates->draw || (out.USE_VTX_VRS_RATE && can_change(rates->with_vertex)) ||
                   (payload.EN_PRIM_PAYLOAD && can_change(rates->with_primitive)) ||
                   (blocks_have_rates && can_change(rates->with_block));
    if (!rates->is_on || is_fine || is_overridden(last) || GET(DB_RENDER_OVERRIDE2).FORCE_VRS_RATE_FINE) {
        rates->is_on = false;
        return NULL;
    }
    if (last.VRS_OVERRIDE_RATE_COMBINER_MODE == AMD_VRS_COMBINER_MIN)
        return "a last shading rate that is finer in one direction only (DB_VRS_OVERRIDE_CNTL)";
    if (!iterates)
        return NULL;
    /* Iterations stand for a rate that is finer than a pixel. */
    if (control.SAMPLE_ITER_COMBINER_MODE != AMD_VRS_COMBINER_OVERRIDE && coverage->iterations > 1)
        return "coarse pixels that are shaded sample by sample (PA_CL_VRS_CNTL)";
    rates->is_on = control.SAMPLE_ITER_COMBINER_MODE != AMD_VRS_COMBINER_OVERRIDE;
    return NULL;
}

sc_rate amd_sc_rate_of_prim(const struct sc_rates *rates, const struct raster_prim *prim)
{
    const sc_rate rate = combine_rates(rates->with_vertex, rates->draw, prim->rate);
    return combine_rates(rates->with_primitive, rate, prim->own_rate);
}

sc_rate amd_sc_rate_in_block(const struct sc_rates *rates, sc_rate of_prim, sc_rate of_block)
{
    return combine_rates(rates->with_block, of_prim, of_block);
}

/* ---- quads ---- */

#define SQUARE_LOG2 2 /* what the largest quad covers */
#define SQUARES (SC_TILE >> SQUARE_LOG2)

/* The quads of a square, [2 * row + column], 0 where there is none. */
struct square {
    uint16_t after[4];
};

/* Quads of one coarse quad one after the other. */
static uint32_t put_square(const struct raster_quad *quads, const struct square *square, sc_rate rate,
                           struct raster_quad *out)
{
    static const uint8_t by_rows[4] = {0, 1, 2, 3}, by_columns[4] = {0, 2, 1, 3};
    const uint8_t *order = sc_rate_y(rate) && !sc_rate_x(rate) ? by_columns : by_rows;
    uint32_t count = 0;
    unsigned last = UINT32_MAX;
    for (unsigned i = 0; i < 4; i++) {
        const unsigned at = order[i], coarse = (at & 1) >> sc_rate_x(rate) | (at >> 1) >> sc_rate_y(rate) << 1;
        if (!square->after[at])
            continue;
        struct raster_quad *quad = &out[count++];
        *quad = quads[square->after[at] - 1];
        quad->rate = rate;
        quad->goes_on = coarse == last;
        last = coarse;
    }
    return count;
}

void amd_sc_rate_quads(struct raster_quad *quads, uint32_t count, const sc_rate of_block[64])
{
    struct square squares[SQUARES * SQUARES];
    struct raster_quad *out = quads + count;
    memset(squares, 0, sizeof(squares));
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t x = quads[i].x % SC_TILE, y = quads[i].y % SC_TILE;
        squares[(y >> SQUARE_LOG2) * SQUARES + (x >> SQUARE_LOG2)].after[(y >> 1 & 1) * 2 + (x >> 1 & 1)] =
            (uint16_t)(i + 1);
    }
    for (uint32_t i = 0; i < SQUARES * SQUARES; i++)
        out += put_square(quads, &squares[i], of_block[i / SQUARES / 2 * 8 + i % SQUARES / 2], out);
    memcpy(quads, quads + count, count * sizeof(*quads));
}
