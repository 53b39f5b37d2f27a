/* The registers of vertex fetch, unpacked once per draw. */
#include "adreno/hw/regs_vfd.h"
#include "adreno/model/vfd/vfd.h"
#include "util/bits.h"

/* The channels of a format from the lowest bit on, by swap: 0 is x. */
static const uint8_t channel_order[4][4] = {
    [ADRENO_COLOR_SWAP_WZYX] = {0, 1, 2, 3},
    [ADRENO_COLOR_SWAP_WXYZ] = {2, 1, 0, 3},
    [ADRENO_COLOR_SWAP_ZYXW] = {3, 0, 1, 2},
    [ADRENO_COLOR_SWAP_XYZW] = {3, 2, 1, 0},
};

static void place_channels(struct vfd_attribute *attribute, enum adreno_COLOR_SWAP swap)
{
    unsigned bit = 0;
    for (unsigned k = 0; k < 4; k++) {
        unsigned channel = channel_order[swap][k];
        if (channel >= attribute->format->channels)
            continue;
        attribute->first_bit[channel] = (uint8_t)bit;
        bit += attribute->format->widths[channel];
    }
}

static bool read_attribute(struct vfd_attribute *attribute, struct adreno_gpu *gpu, unsigned i)
{
    const uint32_t *regs = gpu->regs;
    struct adreno_VFD_FETCH_INSTR instr =
        adreno_unpack_VFD_FETCH_INSTR(regs[ADRENO_REG_VFD_FETCH_INSTR + i * ADRENO_REG_VFD_FETCH_INSTR_STRIDE]);
    struct adreno_VFD_DEST_CNTL dest = adreno_unpack_VFD_DEST_CNTL(regs[ADRENO_REG_VFD_DEST_CNTL + i]);
    const uint32_t buffer = instr.IDX * ADRENO_REG_VFD_VERTEX_BUFFER_BASE_STRIDE;
    *attribute = (struct vfd_attribute){
        .va = adreno_reg64(gpu, ADRENO_REG_VFD_VERTEX_BUFFER_BASE + buffer),
        .size_B = regs[ADRENO_REG_VFD_VERTEX_BUFFER_SIZE + buffer],
        .stride_B = adreno_unpack_VFD_VERTEX_BUFFER_STRIDE(regs[ADRENO_REG_VFD_VERTEX_BUFFER_STRIDE + buffer]).VALUE,
        .offset_B = instr.OFFSET,
        .is_instanced = instr.INSTANCED,
        .step_rate = regs[ADRENO_REG_VFD_FETCH_INSTR_STEP_RATE + i * ADRENO_REG_VFD_FETCH_INSTR_STEP_RATE_STRIDE],
        .format = adreno_format_find(instr.FORMAT),
        .is_float = instr.FLOAT,
        .regid = (uint8_t)dest.REGID,
        .mask = (uint8_t)dest.WRITEMASK,
    };
    if (!attribute->mask)
        return true;
    if (!attribute->format || !attribute->format->widths[0] || attribute->format->block_width > 1)
        return adreno_stop_register(gpu, ADRENO_REG_VFD_FETCH_INSTR + i * ADRENO_REG_VFD_FETCH_INSTR_STRIDE,
                                    "no format of vertices");
    if (attribute->regid > ADRENO_NO_REG)
        return adreno_stop_register(gpu, ADRENO_REG_VFD_DEST_CNTL + i, "its registers end after the last one");
    attribute->element_B = attribute->format->block_bits / 8;
    place_channels(attribute, instr.SWAP);
    if (attribute->size_B)
        attribute->host = gpu_space_whole(gpu->space, attribute->va, attribute->size_B, GPU_PERM_READ);
    return true;
}

bool adreno_vfd_state_init(struct vfd_state *state, struct adreno_gpu *gpu)
{
    const uint32_t *regs = gpu->regs;
    struct adreno_VFD_CNTL_1 ids = adreno_unpack_VFD_CNTL_1(regs[ADRENO_REG_VFD_CNTL_1]);
    state->vertex_id_reg = (uint8_t)ids.REGID4VTX;
    state->instance_id_reg = (uint8_t)ids.REGID4INST;
    state->prim_id_reg = (uint8_t)ids.REGID4PRIMID;
    state->view_id_reg = (uint8_t)ids.REGID4VIEWID;
    state->index_offset = regs[ADRENO_REG_VFD_INDEX_OFFSET];
    state->instance_offset = regs[ADRENO_REG_VFD_INSTANCE_START_OFFSET];
    struct adreno_VFD_MODE_CNTL mode = adreno_unpack_VFD_MODE_CNTL(regs[ADRENO_REG_VFD_MODE_CNTL]);
    state->vertex_id_less = mode.VERTEX ? 0 : state->index_offset;
    state->instance_id_more = mode.INSTANCE ? state->instance_offset : 0;
    uint32_t count = adreno_unpack_VFD_CNTL_0(regs[ADRENO_REG_VFD_CNTL_0]).DECODE_CNT;
    if (count > VFD_MAX_ATTRIBUTES)
        return adreno_stop_register(gpu, ADRENO_REG_VFD_CNTL_0, "there are 32 attributes");
    state->count = count;
    for (unsigned i = 0; i < count; i++) {
        if (!read_attribute(&state->attributes[i], gpu, i))
            return false;
    }
    return true;
}
