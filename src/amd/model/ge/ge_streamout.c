/* Stream out. The shader writes the buffers itself; the geometry engine says where each wave's vertices go and how many
 * of them fit, and counts. Primitives of vertex shaders are known by their number in the draw, so that waves run in any
 * order; those of a geometry shader's streams by how many came before them (ge_ring.c).
 *
 * Not for NGG, whose shaders count by themselves. */
#include "amd/model/ge/ge.h"
#include "amd/model/register_fields.h"
#include "util/bits.h"

static void begin_buffer(struct ge *ge, unsigned stream, unsigned buffer)
{
    const struct cp_registers *registers = ge->draw->registers;
    enum amd_gfx gfx = ge->chip->gfx;
    struct ge_streamout *out = &ge->streamout;
    uint32_t end_dw = GET_AT(VGT_STRMOUT_BUFFER_SIZE, buffer).VALUE, at_dw = ge->draw->counters->filled_dw[buffer];
    out->first_dw[buffer] = at_dw;
    out->stride_dw[buffer] = GET_AT(VGT_STRMOUT_VTX_STRIDE, buffer).STRIDE;
    uint64_t prim_dw = (uint64_t)out->stride_dw[buffer] * out->vertices;
    if (prim_dw)
        out->fitting[stream] = MIN2(out->fitting[stream], end_dw > at_dw ? (end_dw - at_dw) / prim_dw : 0);
}

const char *amd_ge_streamout_begin(struct ge *ge)
{
    static const uint32_t vertices[] = {
        [RASTER_POINT] = 1, [RASTER_LINE] = 2, [RASTER_TRIANGLE] = 3, [RASTER_RECT] = 3};
    const struct cp_registers *registers = ge->draw->registers;
    enum amd_gfx gfx = ge->chip->gfx;
    const struct ge_state *state = &ge->pipeline.ge;
    struct amd_VGT_STRMOUT_CONFIG config = GET(VGT_STRMOUT_CONFIG);
    struct ge_streamout *out = &ge->streamout;
    *out = (struct ge_streamout){.vertices = state->has_ring ? vertices[state->kind] : amd_ge_vertices_of_prim(state)};
    const uint8_t streams = (uint8_t)(config.STREAMOUT_0_EN | config.STREAMOUT_1_EN << 1 | config.STREAMOUT_2_EN << 2 |
                                      config.STREAMOUT_3_EN << 3);
    if (state->ngg || !streams)
        return NULL;
    if (config.RAST_STREAM || config.USE_RAST_STREAM_MASK)
        return "a stream other than the first is drawn (VGT_STRMOUT_CONFIG)";
    struct amd_VGT_STRMOUT_BUFFER_CONFIG buffers = GET(VGT_STRMOUT_BUFFER_CONFIG);
    const uint8_t of_stream[CP_STREAMS] = {(uint8_t)buffers.STREAM_0_BUFFER_EN, (uint8_t)buffers.STREAM_1_BUFFER_EN,
                                           (uint8_t)buffers.STREAM_2_BUFFER_EN, (uint8_t)buffers.STREAM_3_BUFFER_EN};
    out->streams = state->has_ring ? streams : streams & 1;
    out->needs[0] = state->has_ring || state->hull.is_on ? 0 : ge->prim_total; /* not known before */
    bits_foreach (out->streams, s) {
        out->buffers[s] = of_stream[s];
        out->fitting[s] = of_stream[s] ? UINT64_MAX : 0;
        bits_foreach (of_stream[s], b)
            begin_buffer(ge, (unsigned)s, (unsigned)b);
    }
    return NULL;
}

/* How many vertices of the wave may be written [22:16] and their stream [25:24]; the number of its first one; where
 * each buffer's first is. */
uint32_t amd_ge_streamout_load(const struct ge *ge, const struct ge_subgroup *subgroup, uint32_t stream,
                               uint32_t *sgprs)
{
    const struct ge_streamout *out = &ge->streamout;
    uint64_t fitting = out->fitting[stream], left = fitting > subgroup->first_prim ? fitting - subgroup->first_prim : 0;
    uint32_t at = 0;
    sgprs[at++] = (uint32_t)MIN2(left, (uint64_t)subgroup->prim_count) * out->vertices << 16 | stream << 24;
    sgprs[at++] = (uint32_t)subgroup->first_prim * out->vertices;
    bits_foreach (ge->pipeline.ge.stream_bases, b)
        sgprs[at++] = out->first_dw[b];
    return at;
}

void amd_ge_streamout_end(struct ge *ge)
{
    const struct ge_streamout *out = &ge->streamout;
    struct cp_counters *counters = ge->draw->counters;
    bits_foreach (out->streams, s) {
        uint64_t written = MIN2(out->fitting[s], out->needs[s]);
        counters->stream_needs[s] += out->needs[s];
        counters->streamed[s] += written;
        bits_foreach (out->buffers[s], b)
            counters->filled_dw[b] += (uint32_t)(written * out->vertices * out->stride_dw[b]);
    }
}
