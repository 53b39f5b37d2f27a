/* Vertices: where attributes are and in which formats, and the buffers. */
#include "adreno/driver/cmd.h"
#include "adreno/hw/regs_vfd.h"
#include "util/bits.h"

#define STRIDE_OF(name) ADRENO_REG_##name##_STRIDE

static uint32_t fetch_of(const struct vk_vertex_input_state *vi, uint32_t location, uint32_t *step_rate_out)
{
    const struct vk_vertex_attribute *attribute = &vi->attributes[location];
    const struct vk_vertex_binding *binding = &vi->bindings[attribute->binding];
    const struct adreno_vkformat *format = adreno_vkformat((VkFormat)attribute->format);
    *step_rate_out = 1;
    if (!(vi->attribute_mask >> location & 1) || !format->info) /* nothing says where it is: zeros */
        return ADRENO_PACK(VFD_FETCH_INSTR, .IDX = ADRENO_MAX_VERTEX_BUFFERS - 1, .FORMAT = ADRENO_FORMAT_32_UINT);
    const bool is_instanced = binding->input_rate == VK_VERTEX_INPUT_RATE_INSTANCE;
    if (is_instanced)
        *step_rate_out = binding->divisor;
    return ADRENO_PACK(VFD_FETCH_INSTR, .IDX = attribute->binding, .OFFSET = attribute->offset_B,
                       .INSTANCED = is_instanced, .FORMAT = format->vertex,
                       .SWAP = (enum adreno_COLOR_SWAP)format->swap, .UNK30 = true,
                       .FLOAT = !format_is_integer(format->info));
}

void adreno_emit_vertex_input(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs)
{
    const struct adreno_graphics_pipeline *baked = cmd->graphics.baked;
    const struct vk_vertex_input_state *vi = &cmd->vk.rec->dynamic_state.vi;
    if (baked->num_attributes)
        adreno_set_regs(cs, ADRENO_REG_VFD_FETCH_INSTR, 2u * baked->num_attributes);
    for (unsigned i = 0; i < baked->num_attributes; i++) {
        uint32_t step_rate;
        adreno_emit(cs, fetch_of(vi, baked->attributes[i], &step_rate));
        adreno_emit(cs, step_rate);
    }
    bits_foreach (vi->binding_mask, binding)
        adreno_set_reg(cs,
                       ADRENO_REG_VFD_VERTEX_BUFFER_STRIDE + (uint32_t)binding * STRIDE_OF(VFD_VERTEX_BUFFER_STRIDE),
                       ADRENO_PACK(VFD_VERTEX_BUFFER_STRIDE, .VALUE = vi->strides_B[binding]));
}

void adreno_emit_vertex_buffers(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs)
{
    const struct adreno_graphics *graphics = &cmd->graphics;
    const uint32_t mask = cmd->vk.rec->dynamic_state.vi.binding_mask;
    bits_foreach (mask, binding) {
        adreno_set_regs(cs, ADRENO_REG_VFD_VERTEX_BUFFER_BASE + (uint32_t)binding * STRIDE_OF(VFD_VERTEX_BUFFER_BASE),
                        3);
        adreno_emit64(cs, graphics->vertex_buffers[binding].va);
        adreno_emit(cs, (uint32_t)MIN2(graphics->vertex_buffers[binding].size_B, (uint64_t)UINT32_MAX));
    }
    if (!(mask >> (ADRENO_MAX_VERTEX_BUFFERS - 1) & 1)) /* where attributes without a place are */
        adreno_set_reg(
            cs, ADRENO_REG_VFD_VERTEX_BUFFER_SIZE + (ADRENO_MAX_VERTEX_BUFFERS - 1) * STRIDE_OF(VFD_VERTEX_BUFFER_SIZE),
            0);
}
