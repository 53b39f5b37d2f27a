/* VK_EXT_descriptor_buffer: sets that lie in the application's own memory. A set is memory of descriptors anyway, so
 * layouts say where in it what is (vk_descriptor_set_layout.h), the family's functions write single descriptors
 * (vk_descriptor.h), and what a command buffer binds is an address like a set's (vk_bindings.h). Embedded samplers are
 * part of the code: binding them only takes away what was bound in their place. Pushed sets are uploaded as always. */
#include <string.h>

#include "util/bits.h"
#include "vulkan/runtime/command/vk_command_buffer.h"
#include "vulkan/runtime/descriptor/vk_descriptor_set_layout.h"
#include "vulkan/runtime/descriptor/vk_sampler.h"
#include "vulkan/runtime/descriptor/vk_ycbcr_conversion.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"

/* ---- layouts ---- */

VKAPI_ATTR void VKAPI_CALL vk_common_GetDescriptorSetLayoutSizeEXT(VkDevice handle, VkDescriptorSetLayout layout_handle,
                                                                   VkDeviceSize *size_B_out)
{
    const struct vk_descriptor_set_layout *layout = vk_descriptor_set_layout_from_handle(layout_handle);
    const uint32_t variable = layout->variable_binding;
    *size_B_out =
        vk_descriptor_set_layout_size_B(layout, variable == VK_NO_BINDING ? 0 : layout->bindings[variable].count);
}

VKAPI_ATTR void VKAPI_CALL vk_common_GetDescriptorSetLayoutBindingOffsetEXT(VkDevice handle,
                                                                            VkDescriptorSetLayout layout,
                                                                            uint32_t binding,
                                                                            VkDeviceSize *offset_B_out)
{
    *offset_B_out = vk_descriptor_set_layout_from_handle(layout)->bindings[binding].offset_B;
}

/* ---- descriptors ---- */

#define MAX_DESCRIPTOR_B 512 /* the largest of any family: an image of three planes with its sampler */

static void write_one(const struct vk_descriptor_ops *ops, VkDescriptorType type, const VkDescriptorImageInfo *image,
                      const struct vk_descriptor_binding *binding, uint32_t *out)
{
    const VkDescriptorImageInfo null = {.sampler = VK_NULL_HANDLE};
    ops->write[type](out, 0, (const char *)(image ? image : &null), 0, 1, binding);
}

/* As an element of a binding whose immutable sampler is this one. */
static void write_combined(const struct vk_descriptor_ops *ops, const VkDescriptorImageInfo *image, uint32_t *out)
{
    const struct vk_sampler *sampler = image ? vk_sampler_from_handle(image->sampler) : NULL;
    const struct vk_ycbcr_conversion *conversion = sampler ? sampler->ycbcr : NULL;
    unsigned planes = conversion && conversion->format_info ? vk_descriptor_planes(ops, conversion) : 1;
    const struct vk_descriptor_binding binding = {
        .type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
        .planes = (uint8_t)planes,
        .sampler_index = VK_NO_SAMPLER,
        .sampler_offset_B = (uint16_t)(planes * ops->size_B[VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE]),
    };
    write_one(ops, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, image, &binding, out);
}

static void write_descriptor(const struct vk_descriptor_ops *ops, const VkDescriptorGetInfoEXT *info, uint32_t *out)
{
    const struct vk_descriptor_binding plain = {.type = info->type, .planes = 1, .sampler_index = VK_NO_SAMPLER};
    /* All members of the union are pointers, and those that say the same have the same type. */
    const VkDescriptorAddressInfoEXT *address = info->data.pUniformBuffer;
    switch (info->type) {
    case VK_DESCRIPTOR_TYPE_SAMPLER: {
        const VkDescriptorImageInfo image = {.sampler = *info->data.pSampler};
        write_one(ops, info->type, &image, &plain, out);
        break;
    }
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
        write_combined(ops, info->data.pCombinedImageSampler, out);
        break;
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
        write_one(ops, info->type, info->data.pSampledImage, &plain, out);
        break;
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
        if (address && address->address) {
            ops->write_address(info->type, address, out);
        } else if (info->type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER || info->type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER) {
            const VkDescriptorBufferInfo null = {.buffer = VK_NULL_HANDLE};
            ops->write[info->type](out, 0, (const char *)&null, 0, 1, &plain);
        } else {
            const VkBufferView null = VK_NULL_HANDLE;
            ops->write[info->type](out, 0, (const char *)&null, 0, 1, &plain);
        }
        break;
    case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR: {
        /* A null descriptor is zeros. */
        const VkDescriptorAddressInfoEXT structure = {.address = info->data.accelerationStructure};
        if (structure.address)
            ops->write_address(info->type, &structure, out);
        break;
    }
    default:
        break;
    }
}

/* By way of words of our own: the application's place may have any alignment. */
VKAPI_ATTR void VKAPI_CALL vk_common_GetDescriptorEXT(VkDevice handle, const VkDescriptorGetInfoEXT *info,
                                                      size_t size_B, void *descriptor_out)
{
    uint32_t words[MAX_DESCRIPTOR_B / 4] = {0};
    write_descriptor(vk_device_from_handle(handle)->descriptors, info, words);
    memcpy(descriptor_out, words, MIN2(size_B, sizeof(words)));
}

/* ---- commands ---- */

VKAPI_ATTR void VKAPI_CALL vk_common_CmdBindDescriptorBuffersEXT(VkCommandBuffer handle, uint32_t count,
                                                                 const VkDescriptorBufferBindingInfoEXT *infos)
{
    struct vk_command_buffer *cmd = vk_command_buffer_from_handle(handle);
    for (uint32_t i = 0; i < count; i++)
        cmd->rec->descriptor_buffers[i] = infos[i].address;
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdSetDescriptorBufferOffsetsEXT(VkCommandBuffer handle, VkPipelineBindPoint point,
                                                                      VkPipelineLayout layout, uint32_t first,
                                                                      uint32_t count, const uint32_t *buffers,
                                                                      const VkDeviceSize *offsets_B)
{
    struct vk_command_buffer *cmd = vk_command_buffer_from_handle(handle);
    for (uint32_t i = 0; i < count; i++)
        vk_bindings_set_address(vk_bindings_of(cmd, point), first + i,
                                cmd->rec->descriptor_buffers[buffers[i]] + offsets_B[i]);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdBindDescriptorBufferEmbeddedSamplersEXT(VkCommandBuffer handle,
                                                                                VkPipelineBindPoint point,
                                                                                VkPipelineLayout layout, uint32_t set)
{
    vk_bindings_set_address(vk_bindings_of(vk_command_buffer_from_handle(handle), point), set, 0);
}

/* ---- capture and replay ---- */

/* The commands come with the extension, their feature is off: what is to be kept of an object has no bytes
 * (*CaptureReplayDescriptorDataSize are 0). */
#define CAPTURES(X)                                                                                                    \
    X(GetBufferOpaqueCaptureDescriptorDataEXT, VkBufferCaptureDescriptorDataInfoEXT)                                   \
    X(GetImageOpaqueCaptureDescriptorDataEXT, VkImageCaptureDescriptorDataInfoEXT)                                     \
    X(GetImageViewOpaqueCaptureDescriptorDataEXT, VkImageViewCaptureDescriptorDataInfoEXT)                             \
    X(GetSamplerOpaqueCaptureDescriptorDataEXT, VkSamplerCaptureDescriptorDataInfoEXT)                                 \
    X(GetAccelerationStructureOpaqueCaptureDescriptorDataEXT, VkAccelerationStructureCaptureDescriptorDataInfoEXT)

#define CAPTURE_NOTHING(name, info_type)                                                                               \
    VKAPI_ATTR VkResult VKAPI_CALL vk_common_##name(VkDevice handle, const info_type *info, void *data_out)            \
    {                                                                                                                  \
        return VK_SUCCESS;                                                                                             \
    }
CAPTURES(CAPTURE_NOTHING)
