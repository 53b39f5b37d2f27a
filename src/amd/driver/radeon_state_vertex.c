/* Vertex and index buffers, and for vertex input that is dynamic the prolog that loads it. */
#include "amd/driver/radeon_cmd.h"
#include "amd/driver/radeon_entrypoints.h"
#include "amd/driver/radeon_format.h"
#include "amd/driver/radeon_memory.h"
#include "amd/hw/descriptors.h"
#include "amd/hw/regs_ge.h"
#include "amd/hw/regs_spi.h"
#include "util/bits.h"

/* ---- commands ---- */

VKAPI_ATTR void VKAPI_CALL radeon_CmdBindVertexBuffers2(VkCommandBuffer handle, uint32_t first, uint32_t count,
                                                        const VkBuffer *buffers, const VkDeviceSize *offsets,
                                                        const VkDeviceSize *sizes, const VkDeviceSize *strides)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    for (uint32_t i = 0; i < count; i++) {
        const struct radeon_buffer *buffer = radeon_buffer_from_handle(buffers[i]);
        uint64_t va = 0, size_B = 0;
        if (buffer) { /* VK_NULL_HANDLE reads as zeros */
            va = buffer->va + offsets[i];
            size_B = sizes && sizes[i] != VK_WHOLE_SIZE ? sizes[i] : buffer->vk.size_B - offsets[i];
        }
        cmd->graphics.vertex_buffers[first + i].va = va;
        cmd->graphics.vertex_buffers[first + i].size_B = size_B;
    }
    cmd->graphics.dirty |= RADEON_DIRTY_VERTEX_BUFFERS;
    vk_cmd_set_vertex_binding_strides(&cmd->vk, first, count, strides);
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdBindVertexBuffers(VkCommandBuffer handle, uint32_t first, uint32_t count,
                                                       const VkBuffer *buffers, const VkDeviceSize *offsets)
{
    radeon_CmdBindVertexBuffers2(handle, first, count, buffers, offsets, NULL, NULL);
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdBindIndexBuffer(VkCommandBuffer handle, VkBuffer buffer_handle,
                                                     VkDeviceSize offset, VkIndexType type)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    const struct radeon_buffer *buffer = radeon_buffer_from_handle(buffer_handle);
    uint8_t log2_B = type == VK_INDEX_TYPE_UINT8_EXT ? 0 : type == VK_INDEX_TYPE_UINT16 ? 1 : 2;
    static const uint8_t types[] = {AMD_INDEX_TYPE_8, AMD_INDEX_TYPE_16, AMD_INDEX_TYPE_32};
    struct radeon_graphics_state *graphics = &cmd->graphics;
    uint64_t size_B = buffer ? buffer->vk.size_B - offset : 0;
    graphics->index_va = buffer ? buffer->va + offset : 0;
    graphics->index_count = (uint32_t)MIN2(size_B >> log2_B, (uint64_t)UINT32_MAX);
    graphics->index_log2_B = log2_B;
    if (graphics->index_type != types[log2_B])
        graphics->dirty |= RADEON_DIRTY_INDEX_TYPE;
    graphics->index_type = types[log2_B];
    graphics->dirty |= RADEON_DIRTY_INDEX_BUFFER;
}

/* ---- indices ---- */

/* The restart index is all ones of the index type. That it is a context register is of use: the chip may miss a change
 * of the enable bit alone between two draws. */
void radeon_emit_index_type(struct radeon_cmd_buffer *cmd)
{
    const struct radeon_graphics_state *graphics = &cmd->graphics;
    struct radeon_cs *cs = &cmd->cs;
    radeon_cs_reserve(cs, 9);
    radeon_set_uconfig_reg_index(cs, AMD_REG_VGT_INDEX_TYPE, 2, graphics->index_type);
    radeon_set_uconfig_reg(cs, AMD_REG_GE_MULTI_PRIM_IB_RESET_EN, cmd->vk.dynamic_state.ia.primitive_restart);
    radeon_set_context_reg(cs, AMD_REG_VGT_MULTI_PRIM_IB_RESET_INDX, (uint32_t)bits_mask(8u << graphics->index_log2_B));
}

/* ---- descriptors ---- */

static uint32_t attribute_end_B(const struct vk_vertex_attribute *attribute)
{
    const struct radeon_format *format = radeon_format((VkFormat)attribute->format);
    return attribute->offset_B + (format->info ? format->info->block_size_B : 0);
}

/* Where the farthest attribute of each binding ends: an element is there only as a whole. */
static void find_attribute_ends(struct radeon_cmd_buffer *cmd)
{
    const struct vk_vertex_input_state *vi = &cmd->vk.dynamic_state.vi;
    memset(cmd->graphics.attribute_end_B, 0, sizeof(cmd->graphics.attribute_end_B));
    bits_foreach (vi->attribute_mask, location) {
        const struct vk_vertex_attribute *attribute = &vi->attributes[location];
        uint32_t *of_binding = &cmd->graphics.attribute_end_B[attribute->binding];
        *of_binding = MAX2(*of_binding, attribute_end_B(attribute));
    }
}

static void vertex_descriptor(const struct radeon_graphics_state *graphics, uint32_t binding, uint32_t stride_B,
                              uint32_t end_B, uint32_t words[4])
{
    uint64_t va = graphics->vertex_buffers[binding].va, size_B = graphics->vertex_buffers[binding].size_B;
    uint64_t records = stride_B == 0 ? size_B : size_B < end_B ? 0 : (size_B - end_B) / stride_B + 1;
    if (!va || size_B < end_B)
        va = records = 0;
    amd_pack_desc_BUFFER(RADEON_GFX, words,
                         &(const struct amd_desc_BUFFER){
                             .BASE_ADDRESS = va & 0xffffffffffffull,
                             .STRIDE = stride_B,
                             .NUM_RECORDS = (uint32_t)MIN2(records, (uint64_t)UINT32_MAX),
                             .DST_SEL_X = AMD_DST_SEL_X,
                             .DST_SEL_Y = AMD_DST_SEL_Y,
                             .DST_SEL_Z = AMD_DST_SEL_Z,
                             .DST_SEL_W = AMD_DST_SEL_W,
                             .FORMAT = radeon_format(VK_FORMAT_R32_UINT)->image,
                             .RESOURCE_LEVEL = 1,
                             .OOB_SELECT = stride_B ? AMD_OOB_SELECT_STRUCTURED : AMD_OOB_SELECT_RAW,
                         });
}

/* The table that shaders read; 0 without memory. */
static uint64_t upload_descriptors(struct radeon_cmd_buffer *cmd)
{
    const struct radeon_graphics_state *graphics = &cmd->graphics;
    const struct vk_vertex_input_state *vi = &cmd->vk.dynamic_state.vi;
    bool by_attribute = radeon_has_attribute_descriptors(cmd->device);
    uint32_t mask = by_attribute ? vi->attribute_mask : vi->binding_mask, count = mask ? log2_floor(mask) + 1 : 1;
    uint64_t va;
    uint32_t *words = radeon_cmd_upload(cmd, count * 16, 16, &va);
    if (!words)
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct vk_vertex_attribute *attribute = &vi->attributes[i];
        uint32_t binding = by_attribute ? attribute->binding : i;
        vertex_descriptor(graphics, binding, vi->strides_B[binding],
                          by_attribute ? attribute_end_B(attribute) : graphics->attribute_end_B[binding],
                          words + 4 * i);
    }
    return va;
}

void radeon_emit_vertex_buffers(struct radeon_cmd_buffer *cmd)
{
    struct radeon_graphics_state *graphics = &cmd->graphics;
    const struct vk_dynamic_graphics_state *dyn = &cmd->vk.dynamic_state;
    const struct amd_shader_config *config = &graphics->baked->vertex->binary.config;
    bool stale =
        dyn->dirty & (VK_DYN(VERTEX_INPUT) | VK_DYN(BINDING_STRIDES)) || graphics->dirty & RADEON_DIRTY_VERTEX_BUFFERS;
    if (dyn->dirty & VK_DYN(VERTEX_INPUT))
        find_attribute_ends(cmd);
    if (stale)
        graphics->vertex_descriptors_va = 0;
    if (!graphics->baked->has_vertex_buffers)
        return;
    if (!graphics->vertex_descriptors_va)
        graphics->vertex_descriptors_va = upload_descriptors(cmd);
    if (!graphics->vertex_descriptors_va)
        return;
    struct amd_sgpr_place place =
        config->user[graphics->baked->is_prolog ? AMD_USER_prolog_inputs : AMD_USER_vertex_buffers];
    radeon_cs_reserve(&cmd->cs, 3);
    radeon_set_sh_reg(&cmd->cs, graphics->baked->vertex_user_reg + place.first * 4u,
                      radeon_pointer32(cmd->device, graphics->vertex_descriptors_va));
}

/* ---- the prolog ---- */

void radeon_emit_vertex_input(struct radeon_cmd_buffer *cmd)
{
    struct radeon_graphics_state *graphics = &cmd->graphics;
    const struct radeon_graphics_pipeline *baked = graphics->baked;
    struct radeon_cs *cs = &cmd->cs;
    if (!baked->is_prolog)
        return;
    const struct radeon_shader_part *prolog =
        radeon_vertex_prolog(cmd->device, baked->vertex, &cmd->vk.dynamic_state.vi);
    if (!prolog) {
        vk_command_buffer_set_error(&cmd->vk, VK_ERROR_OUT_OF_HOST_MEMORY);
        return;
    }
    const struct amd_shader_config *main = &baked->vertex->binary.config;
    struct amd_sgpr_place place = main->user[AMD_USER_main_pc];
    radeon_cs_reserve(cs, 16);
    radeon_set_sh_reg_seq(cs, baked->vertex_user_reg + place.first * 4u, 2);
    radeon_emit(cs, (uint32_t)baked->vertex->va);
    radeon_emit(cs, (uint32_t)(baked->vertex->va >> 32));
    radeon_set_sh_reg_seq(cs, baked->is_ngg ? AMD_REG_SPI_SHADER_PGM_LO_ES : AMD_REG_SPI_SHADER_PGM_LO_VS, 2);
    radeon_emit(cs, (uint32_t)(prolog->va >> 8));
    radeon_emit(cs, (uint32_t)(prolog->va >> 40) & 0xff);
    radeon_set_sh_reg_seq(cs, baked->is_ngg ? AMD_REG_SPI_SHADER_PGM_RSRC1_GS : AMD_REG_SPI_SHADER_PGM_RSRC1_VS, 2);
    uint32_t vgprs = AMD_GET(RADEON_GFX, SPI_SHADER_PGM_RSRC1_GS, VGPRS, main->rsrc1);
    radeon_emit(cs, main->rsrc1 - vgprs + MAX2(vgprs, prolog->vgpr_field));
    radeon_emit(cs, main->rsrc2);
}
