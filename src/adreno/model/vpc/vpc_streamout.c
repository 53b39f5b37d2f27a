/* Stream out: the vertices of primitives, in the order of these, into up to four buffers. */
#include <string.h>

#include "adreno/hw/regs_vpc.h"
#include "adreno/model/coherence.h"
#include "adreno/model/vpc/vpc.h"
#include "util/bits.h"

static void add_write(struct vpc_streamout *so, unsigned location, uint32_t buffer, uint32_t offset_B)
{
    so->buffers |= (uint8_t)(1u << buffer);
    so->writes[so->count].location = (uint8_t)location;
    so->writes[so->count].buffer = (uint8_t)buffer;
    so->writes[so->count++].offset_B = (uint16_t)offset_B;
}

/* The program of stream 0, which is the only one without a geometry shader. */
static void read_program(struct vpc_streamout *so, const uint32_t *program)
{
    for (unsigned i = 0; i < VPC_SO_PROGRAM; i++) {
        struct adreno_VPC_SO_MAPPING_PORT word = adreno_unpack_VPC_SO_MAPPING_PORT(program[i]);
        if (word.A_EN)
            add_write(so, 2 * i, word.A_BUF, word.A_OFF);
        if (word.B_EN)
            add_write(so, 2 * i + 1, word.B_BUF, word.B_OFF);
    }
}

static bool read_buffers(struct vpc_streamout *so, struct adreno_gpu *gpu, uint64_t prim_total)
{
    const uint32_t *regs = gpu->regs;
    so->fitting = prim_total;
    bits_foreach (so->buffers, b) {
        uint32_t at = (uint32_t)b * ADRENO_REG_VPC_SO_BUFFER_BASE_STRIDE;
        so->va[b] = adreno_reg64(gpu, ADRENO_REG_VPC_SO_BUFFER_BASE + at);
        so->stride_B[b] = adreno_unpack_VPC_SO_BUFFER_STRIDE(regs[ADRENO_REG_VPC_SO_BUFFER_STRIDE + at]).VALUE;
        so->first_B[b] = gpu->counters.so_offset_B[b];
        uint32_t size_B = adreno_unpack_VPC_SO_BUFFER_SIZE(regs[ADRENO_REG_VPC_SO_BUFFER_SIZE + at]).VALUE;
        uint32_t prim_B = so->vertices * so->stride_B[b];
        if (!prim_B)
            return adreno_stop_register(gpu, ADRENO_REG_VPC_SO_BUFFER_STRIDE + at, "stream out without a stride");
        uint64_t room_B = size_B > so->first_B[b] ? size_B - so->first_B[b] : 0;
        so->fitting = MIN2(so->fitting, room_B / prim_B);
    }
    return true;
}

bool adreno_vpc_has_streamout(const struct adreno_gpu *gpu)
{
    return (adreno_unpack_VPC_SO_CNTL(gpu->regs[ADRENO_REG_VPC_SO_CNTL]).STREAM_ENABLE & 1) &&
           !adreno_unpack_VPC_SO_OVERRIDE(gpu->regs[ADRENO_REG_VPC_SO_OVERRIDE]).DISABLE;
}

bool adreno_vpc_streamout_begin(struct vpc_streamout *so, struct adreno_gpu *gpu, unsigned vertices, uint32_t record_dw,
                                uint64_t prim_total)
{
    so->is_on = adreno_vpc_has_streamout(gpu);
    so->count = so->buffers = 0;
    so->vertices = (uint8_t)vertices;
    so->fitting = 0;
    if (!so->is_on)
        return true;
    if (adreno_unpack_VPC_SO_CNTL(gpu->regs[ADRENO_REG_VPC_SO_CNTL]).STREAM_ENABLE & ~1u)
        return adreno_stop_register(gpu, ADRENO_REG_VPC_SO_CNTL, "streams after the first need a geometry shader");
    read_program(so, gpu->so_mapping);
    for (unsigned i = 0; i < so->count; i++) {
        if (so->writes[i].location >= record_dw)
            return adreno_stop(gpu, ADRENO_STOP_BROKEN, "stream out of location %u, of %u that a vertex has",
                               so->writes[i].location, record_dw);
    }
    return read_buffers(so, gpu, prim_total);
}

bool adreno_vpc_streamout_write(const struct vpc_streamout *so, struct adreno_gpu *gpu, uint64_t prim,
                                const float *const records[3])
{
    if (prim >= so->fitting)
        return true;
    for (unsigned v = 0; v < so->vertices; v++) {
        for (unsigned i = 0; i < so->count; i++) {
            const unsigned b = so->writes[i].buffer;
            uint64_t va =
                so->va[b] + so->first_B[b] + (prim * so->vertices + v) * so->stride_B[b] + so->writes[i].offset_B;
            ADRENO_WRITES(gpu->coherence, ADRENO_CLIENT_STREAM_OUT, va, 4);
            if (!gpu_mem_write32(gpu->space, va, float_bits(records[v][so->writes[i].location])))
                return adreno_fault(gpu, "stream out", va, 4, true);
        }
    }
    return true;
}

void adreno_vpc_streamout_end(const struct vpc_streamout *so, struct adreno_gpu *gpu, uint64_t prim_total)
{
    if (!so->is_on)
        return;
    gpu->counters.so_generated[0] += prim_total;
    gpu->counters.so_written[0] += so->fitting;
    bits_foreach (so->buffers, b)
        gpu->counters.so_offset_B[b] += (uint32_t)(so->fitting * so->vertices * so->stride_B[b]);
}
