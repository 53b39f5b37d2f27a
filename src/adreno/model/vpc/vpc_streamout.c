/* Stream out: the vertices of primitives, in the order of these, into up to four buffers. */
#include <string.h>

#include "adreno/hw/regs_vpc.h"
#include "adreno/model/coherence.h"
#include "adreno/model/vpc/vpc.h"
#include "util/bits.h"

static bool add_write(struct vpc_stream *stream, struct adreno_gpu *gpu, const struct vpc_state *vpc, unsigned location,
                      uint32_t buffer, uint32_t offset_B)
{
    if (location >= vpc->record_dw)
        return adreno_stop(gpu, ADRENO_STOP_BROKEN, "stream out of location %u, of %u that a vertex has", location,
                           vpc->record_dw);
    stream->buffers |= (uint8_t)(1u << buffer);
    stream->writes[stream->count].location = (uint8_t)location;
    stream->writes[stream->count].buffer = (uint8_t)buffer;
    stream->writes[stream->count++].offset_B = (uint16_t)offset_B;
    return true;
}

static bool read_program(struct vpc_stream *stream, struct adreno_gpu *gpu, const struct vpc_state *vpc,
                         const uint32_t *program)
{
    for (unsigned i = 0; i < VPC_SO_PROGRAM; i++) {
        struct adreno_VPC_SO_MAPPING_PORT word = adreno_unpack_VPC_SO_MAPPING_PORT(program[i]);
        if (word.A_EN && !add_write(stream, gpu, vpc, 2 * i, word.A_BUF, word.A_OFF))
            return false;
        if (word.B_EN && !add_write(stream, gpu, vpc, 2 * i + 1, word.B_BUF, word.B_OFF))
            return false;
    }
    return true;
}

static bool read_buffers(struct vpc_streamout *so, struct adreno_gpu *gpu, struct vpc_stream *stream)
{
    const uint32_t *regs = gpu->regs;
    stream->room = UINT64_MAX;
    bits_foreach (stream->buffers, b) {
        uint32_t at = (uint32_t)b * ADRENO_REG_VPC_SO_BUFFER_BASE_STRIDE;
        so->va[b] = adreno_reg64(gpu, ADRENO_REG_VPC_SO_BUFFER_BASE + at);
        so->stride_B[b] = adreno_unpack_VPC_SO_BUFFER_STRIDE(regs[ADRENO_REG_VPC_SO_BUFFER_STRIDE + at]).VALUE;
        so->first_B[b] = gpu->counters.so_offset_B[b];
        uint32_t size_B = adreno_unpack_VPC_SO_BUFFER_SIZE(regs[ADRENO_REG_VPC_SO_BUFFER_SIZE + at]).VALUE;
        uint32_t prim_B = so->vertices * so->stride_B[b];
        if (!prim_B)
            return adreno_stop_register(gpu, ADRENO_REG_VPC_SO_BUFFER_STRIDE + at, "stream out without a stride");
        uint64_t room_B = size_B > so->first_B[b] ? size_B - so->first_B[b] : 0;
        stream->room = MIN2(stream->room, room_B / prim_B);
    }
    return true;
}

bool adreno_vpc_has_streamout(const struct adreno_gpu *gpu)
{
    return adreno_unpack_VPC_SO_CNTL(gpu->regs[ADRENO_REG_VPC_SO_CNTL]).STREAM_ENABLE &&
           !adreno_unpack_VPC_SO_OVERRIDE(gpu->regs[ADRENO_REG_VPC_SO_OVERRIDE]).DISABLE;
}

bool adreno_vpc_streamout_begin(struct vpc_streamout *so, struct adreno_gpu *gpu, const struct vpc_state *vpc,
                                unsigned vertices)
{
    so->is_on = adreno_vpc_has_streamout(gpu);
    if (!so->is_on)
        return true;
    so->vertices = (uint8_t)vertices;
    so->enabled = (uint8_t)adreno_unpack_VPC_SO_CNTL(gpu->regs[ADRENO_REG_VPC_SO_CNTL]).STREAM_ENABLE;
    if ((so->enabled & ~1u) && vpc->stage != ADRENO_STAGE_GS)
        return adreno_stop_register(gpu, ADRENO_REG_VPC_SO_CNTL, "streams after the first need a geometry shader");
    bits_foreach (so->enabled, s) {
        struct vpc_stream *stream = &so->streams[s];
        stream->count = stream->buffers = 0;
        if (!read_program(stream, gpu, vpc, gpu->so_mapping + s * VPC_SO_PROGRAM) || !read_buffers(so, gpu, stream))
            return false;
    }
    return true;
}

bool adreno_vpc_streamout_write(const struct vpc_streamout *so, struct adreno_gpu *gpu, unsigned stream, uint64_t prim,
                                const float *const records[3])
{
    const struct vpc_stream *to = &so->streams[stream];
    if (!(so->enabled >> stream & 1) || prim >= to->room)
        return true;
    for (unsigned v = 0; v < so->vertices; v++) {
        for (unsigned i = 0; i < to->count; i++) {
            const unsigned b = to->writes[i].buffer;
            uint64_t va =
                so->va[b] + so->first_B[b] + (prim * so->vertices + v) * so->stride_B[b] + to->writes[i].offset_B;
            ADRENO_WRITES(gpu->coherence, ADRENO_CLIENT_STREAM_OUT, va, 4);
            if (!gpu_mem_write32(gpu->space, va, float_bits(records[v][to->writes[i].location])))
                return adreno_fault(gpu, "stream out", va, 4, true);
        }
    }
    return true;
}

void adreno_vpc_streamout_end(const struct vpc_streamout *so, struct adreno_gpu *gpu,
                              const uint64_t prims[ADRENO_STREAMS])
{
    for (unsigned s = 0; so->is_on && s < ADRENO_STREAMS; s++) {
        if (!(so->enabled >> s & 1))
            continue;
        const struct vpc_stream *stream = &so->streams[s];
        const uint64_t written = MIN2(prims[s], stream->room);
        gpu->counters.so_generated[s] += prims[s];
        gpu->counters.so_written[s] += written;
        bits_foreach (stream->buffers, b)
            gpu->counters.so_offset_B[b] += (uint32_t)(written * so->vertices * so->stride_B[b]);
    }
}
