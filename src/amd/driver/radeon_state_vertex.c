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
        const struct vk_buffer *buffer = vk_buffer_from_handle(buffers[i]);
        uint64_t va = 0, size_B = 0;
        if (buffer) { /* VK_NULL_HANDLE reads as zeros */
            va = buffer->va + offsets[i];
            size_B = sizes && sizes[i] != VK_WHOLE_SIZE ? sizes[i] : buffer->size_B - offsets[i];
        }
        cmd->graphics->vertex_buffers[first + i].va = va;
        cmd->graphics->vertex_buffers[first + i].size_B = size_B;
        cmd->graphics->vertex_buffers_bound |= 1u << (first + i);
    }
    cmd->graphics->dirty |= RADEON_DIRTY_VERTEX_BUFFERS;
    vk_cmd_set_vertex_binding_strides(&cmd->vk, first, count, strides);
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdBindVertexBuffers(VkCommandBuffer handle, uint32_t first, uint32_t count,
                                                       const VkBuffer *buffers, const VkDeviceSize *offsets)
{
    radeon_CmdBindVertexBuffers2(handle, first, count, buffers, offsets, NULL, NULL);
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdBindIndexBuffer2KHR(VkCommandBuffer handle, VkBuffer buffer_handle,
                                                         VkDeviceSize offset, VkDeviceSize wanted_B, VkIndexType type)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    const struct vk_buffer *buffer = vk_buffer_from_handle(buffer_handle);
    uint8_t log2_B = type == VK_INDEX_TYPE_UINT8_EXT ? 0 : type == VK_INDEX_TYPE_UINT16 ? 1 : 2;
    static const uint8_t types[] = {AMD_INDEX_TYPE_8, AMD_INDEX_TYPE_16, AMD_INDEX_TYPE_32};
    struct radeon_graphics_state *graphics = cmd->graphics;
    uint64_t size_B = !buffer ? 0 : wanted_B != VK_WHOLE_SIZE ? wanted_B : buffer->size_B - offset;
    graphics->index_va = buffer ? buffer->va + offset : 0;
    graphics->index_count = (uint32_t)MIN2(size_B >> log2_B, (uint64_t)UINT32_MAX);
    graphics->index_log2_B = log2_B;
    if (graphics->index_type != types[log2_B])
        graphics->dirty |= RADEON_DIRTY_INDEX_TYPE;
    graphics->index_type = types[log2_B];
    graphics->dirty |= RADEON_DIRTY_INDEX_BUFFER;
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdBindIndexBuffer(VkCommandBuffer handle, VkBuffer buffer, VkDeviceSize offset,
                                                     VkIndexType type)
{
    radeon_CmdBindIndexBuffer2KHR(handle, buffer, offset, VK_WHOLE_SIZE, type);
}

/* ---- indices ---- */

/* The restart index is all ones of the index type. That it is a context register is of use: the chip may miss a change
 * of the enable bit alone between two draws. */
void radeon_emit_index_type(struct radeon_cmd_buffer *cmd)
{
    const struct radeon_graphics_state *graphics = cmd->graphics;
    struct radeon_cs *cs = &cmd->cs;
    radeon_cs_reserve(cs, 9);
    radeon_set_uconfig_reg_index(cs, AMD_REG_VGT_INDEX_TYPE, 2, graphics->index_type);
    radeon_set_uconfig_reg(cs, AMD_REG_GE_MULTI_PRIM_IB_RESET_EN, cmd->vk.rec->dynamic_state.ia.primitive_restart);
    radeon_set_context_reg(cs, AMD_REG_VGT_MULTI_PRIM_IB_RESET_INDX, (uint32_t)bits_mask(8u << graphics->index_log2_B));
}

/* ---- descriptors ---- */

static uint32_t attribute_end_B(const struct vk_vertex_attribute *attribute)
{
    const struct radeon_format *format = radeon_format((VkFormat)attribute->format);
    return attribute->offset_B + (format->info ? format->info->block_size_B : 0);
}

/* All that does not depend on the buffer. */
static uint32_t descriptor_word3(uint32_t stride_B)
{
    uint32_t words[4];
    amd_pack_desc_BUFFER(RADEON_GFX, words,
                         &(const struct amd_desc_BUFFER){
                             .DST_SEL_X = AMD_DST_SEL_X,
                             .DST_SEL_Y = AMD_DST_SEL_Y,
                             .DST_SEL_Z = AMD_DST_SEL_Z,
                             .DST_SEL_W = AMD_DST_SEL_W,
                             .FORMAT = radeon_format(VK_FORMAT_R32_UINT)->image,
                             .RESOURCE_LEVEL = 1,
                             .OOB_SELECT = stride_B ? AMD_OOB_SELECT_STRUCTURED : AMD_OOB_SELECT_RAW,
                         });
    return words[3];
}

uint32_t radeon_vertex_elements(const struct radeon_device *device, const struct vk_vertex_input_state *vi,
                                struct radeon_vertex_element elements[RADEON_MAX_VERTEX_BUFFERS])
{
    bool by_attribute = radeon_has_attribute_descriptors(device);
    uint32_t mask = by_attribute ? vi->attribute_mask : vi->binding_mask, count = mask ? log2_floor(mask) + 1 : 1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t binding = by_attribute ? vi->attributes[i].binding : i;
        elements[i] = (struct radeon_vertex_element){
            .binding = binding, .stride_B = vi->strides_B[binding], .word3 = descriptor_word3(vi->strides_B[binding])};
    }
    /* An element is there only as a whole. */
    bits_foreach (vi->attribute_mask, location) {
        const struct vk_vertex_attribute *attribute = &vi->attributes[location];
        uint32_t at = by_attribute ? (uint32_t)location : attribute->binding;
        if (at < count)
            elements[at].end_B = MAX2(elements[at].end_B, attribute_end_B(attribute));
    }
    return count;
}

/* Few buffers have 4 GiB, and 64 bits take the processor longer. */
static uint64_t divide_size(uint64_t size_B, uint32_t by_B)
{
    return size_B <= UINT32_MAX ? (uint32_t)size_B / by_B : size_B / by_B;
}

static void vertex_descriptor(const struct radeon_graphics_state *graphics, const struct radeon_vertex_element *element,
                              uint32_t words[4])
{
    uint32_t binding = element->binding, stride_B = element->stride_B, end_B = element->end_B;
    uint64_t va = graphics->vertex_buffers[binding].va, size_B = graphics->vertex_buffers[binding].size_B;
    uint64_t records = stride_B == 0 ? size_B : size_B < end_B ? 0 : divide_size(size_B - end_B, stride_B) + 1;
    if (!va || size_B < end_B || !(graphics->vertex_buffers_bound >> binding & 1))
        va = records = 0;
    amd_pack_desc_BUFFER(RADEON_GFX, words,
                         &(const struct amd_desc_BUFFER){
                             .BASE_ADDRESS = va & 0xffffffffffffull,
                             .STRIDE = stride_B,
                             .NUM_RECORDS = (uint32_t)MIN2(records, (uint64_t)UINT32_MAX),
                         });
    words[3] = element->word3;
}

/* The table that shaders read; 0 without memory. */
static uint64_t upload_descriptors(struct radeon_cmd_buffer *cmd)
{
    const struct radeon_words *baked = cmd->graphics->baked->vertex_elements;
    struct radeon_vertex_element own[RADEON_MAX_VERTEX_BUFFERS];
    const struct radeon_vertex_element *elements = baked ? (const struct radeon_vertex_element *)baked->dw : own;
    uint32_t count = baked ? baked->count_dw / RADEON_VERTEX_ELEMENT_DW
                           : radeon_vertex_elements(cmd->device, &cmd->vk.rec->dynamic_state.vi, own);
    uint64_t va;
    uint32_t *words = radeon_cmd_upload(cmd, count * 16, 16, &va);
    if (!words)
        return 0;
    for (uint32_t i = 0; i < count; i++)
        vertex_descriptor(cmd->graphics, &elements[i], words + 4 * i);
    return va;
}

void radeon_emit_vertex_buffers(struct radeon_cmd_buffer *cmd)
{
    struct radeon_graphics_state *graphics = cmd->graphics;
    const struct radeon_graphics_pipeline *baked = graphics->baked;
    const struct amd_shader_config *config = &baked->front->binary.config;
    if (graphics->vertex_elements != baked->vertex_elements || graphics->dirty & RADEON_DIRTY_VERTEX_BUFFERS ||
        (!baked->vertex_elements &&
         cmd->vk.rec->dynamic_state.dirty & (VK_DYN(VERTEX_INPUT) | VK_DYN(BINDING_STRIDES))))
        graphics->vertex_descriptors_va = 0;
    graphics->vertex_elements = baked->vertex_elements;
    if (!baked->has_vertex_buffers)
        return;
    if (!graphics->vertex_descriptors_va)
        graphics->vertex_descriptors_va = upload_descriptors(cmd);
    if (!graphics->vertex_descriptors_va)
        return;
    struct amd_sgpr_place place = config->user[baked->is_prolog ? AMD_USER_prolog_inputs : AMD_USER_vertex_buffers];
    radeon_cs_reserve(&cmd->cs, 3);
    radeon_set_sh_reg(&cmd->cs, baked->front_user_reg + place.first * 4u,
                      radeon_pointer32(cmd->device, graphics->vertex_descriptors_va));
}

/* ---- the prolog ---- */

void radeon_emit_vertex_input(struct radeon_cmd_buffer *cmd)
{
    struct radeon_graphics_state *graphics = cmd->graphics;
    const struct radeon_graphics_pipeline *baked = graphics->baked;
    struct radeon_cs *cs = &cmd->cs;
    if (!baked->is_prolog)
        return;
    const struct radeon_shader_part *prolog =
        radeon_vertex_prolog(cmd->device, baked->front, &cmd->vk.rec->dynamic_state.vi);
    if (!prolog) {
        vk_command_buffer_set_error(&cmd->vk, VK_ERROR_OUT_OF_HOST_MEMORY);
        return;
    }
    const struct amd_shader_config *main = &baked->front->binary.config;
    const uint32_t program = baked->hull        ? AMD_REG_SPI_SHADER_PGM_LO_LS
                             : baked->is_merged ? AMD_REG_SPI_SHADER_PGM_LO_ES
                                                : AMD_REG_SPI_SHADER_PGM_LO_VS,
                   rsrc1 = baked->hull        ? AMD_REG_SPI_SHADER_PGM_RSRC1_HS
                           : baked->is_merged ? AMD_REG_SPI_SHADER_PGM_RSRC1_GS
                                              : AMD_REG_SPI_SHADER_PGM_RSRC1_VS;
    struct amd_sgpr_place place = main->user[AMD_USER_main_pc];
    radeon_cs_reserve(cs, 16);
    radeon_set_sh_reg_seq(cs, baked->front_user_reg + place.first * 4u, 2);
    radeon_emit(cs, (uint32_t)baked->front->va);
    radeon_emit(cs, (uint32_t)(baked->front->va >> 32));
    radeon_set_sh_reg_seq(cs, program, 2);
    radeon_emit(cs, (uint32_t)(prolog->va >> 8));
    radeon_emit(cs, (uint32_t)(prolog->va >> 40) & 0xff);
    radeon_set_sh_reg_seq(cs, rsrc1, 2);
    uint32_t vgprs = AMD_GET(RADEON_GFX, SPI_SHADER_PGM_RSRC1_GS, VGPRS, main->rsrc1);
    radeon_emit(cs, main->rsrc1 - vgprs + MAX2(vgprs, prolog->vgpr_field));
    radeon_emit(cs, main->rsrc2);
    radeon_unsettle(graphics);
    graphics->blocks[RADEON_BLOCK_VERTEX] = NULL; /* not as it is any more */
}
