/* Stream out of vertex shaders. The shader writes the buffers itself; the geometry engine says where each wave's
 * vertices go and how many of them fit, and counts. A wave's primitives are known by their number in the draw, so that
 * waves run in any order.
 *
 * Not for: NGG, whose shaders count by themselves, and geometry shaders, which run by NGG alone. */
#include "amd/model/ge/ge.h"
#include "amd/model/ge/ge_regs.h"
#include "util/bits.h"

const char *amd_ge_streamout_begin(struct ge *ge)
{
    const struct cp_registers *registers = ge->draw->registers;
    enum amd_gfx gfx = ge->chip->gfx;
    struct amd_VGT_STRMOUT_CONFIG config = GET(VGT_STRMOUT_CONFIG);
    struct ge_streamout *out = &ge->streamout;
    *out = (struct ge_streamout){.vertices = amd_ge_vertices_of_prim(&ge->pipeline.ge)};
    if (ge->pipeline.ge.ngg || !config.STREAMOUT_0_EN)
        return NULL;
    if (config.RAST_STREAM || config.USE_RAST_STREAM_MASK)
        return "a stream other than the first is drawn (VGT_STRMOUT_CONFIG)";
    out->counts = true;
    out->buffers = (uint8_t)GET(VGT_STRMOUT_BUFFER_CONFIG).STREAM_0_BUFFER_EN;
    out->fitting = out->buffers ? ge->pipeline.ge.hull.is_on ? UINT64_MAX : ge->prim_total : 0;
    bits_foreach (out->buffers, b) {
        uint32_t end_dw = GET_AT(VGT_STRMOUT_BUFFER_SIZE, b).VALUE, at_dw = ge->draw->counters->filled_dw[b];
        out->first_dw[b] = at_dw;
        out->stride_dw[b] = GET_AT(VGT_STRMOUT_VTX_STRIDE, b).STRIDE;
        uint64_t prim_dw = (uint64_t)out->stride_dw[b] * out->vertices;
        if (prim_dw)
            out->fitting = MIN2(out->fitting, end_dw > at_dw ? (end_dw - at_dw) / prim_dw : 0);
    }
    return NULL;
}

/* How many vertices of the wave may be written [22:16]; the number of its first one; where each buffer's first is. */
uint32_t amd_ge_streamout_load(const struct ge *ge, const struct ge_subgroup *subgroup, uint32_t *sgprs)
{
    const struct ge_streamout *out = &ge->streamout;
    uint64_t left = out->fitting > subgroup->first_prim ? out->fitting - subgroup->first_prim : 0;
    uint32_t at = 0;
    sgprs[at++] = (uint32_t)MIN2(left, (uint64_t)subgroup->prim_count) * out->vertices << 16;
    sgprs[at++] = (uint32_t)subgroup->first_prim * out->vertices;
    bits_foreach (ge->pipeline.ge.stream_bases, b)
        sgprs[at++] = out->first_dw[b];
    return at;
}

void amd_ge_streamout_end(struct ge *ge)
{
    const struct ge_streamout *out = &ge->streamout;
    struct cp_counters *counters = ge->draw->counters;
    if (!out->counts)
        return;
    const uint64_t total = ge->pipeline.ge.hull.is_on ? out->prims : ge->prim_total,
                   fitting = MIN2(out->fitting, total);
    counters->stream_needs[0] += total;
    counters->streamed[0] += fitting;
    bits_foreach (out->buffers, b)
        counters->filled_dw[b] += (uint32_t)(fitting * out->vertices * out->stride_dw[b]);
}
