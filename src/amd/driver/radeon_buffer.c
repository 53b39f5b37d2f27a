/* Descriptors of buffers, and VkBufferView. */
#include <string.h>

#include "amd/driver/radeon_device.h"
#include "amd/driver/radeon_entrypoints.h"
#include "amd/driver/radeon_format.h"
#include "amd/driver/radeon_memory.h"
#include "amd/hw/descriptors.h"
#include "util/bits.h"
#include "vulkan/runtime/object/vk_struct.h"

void radeon_buffer_descriptor(uint64_t va, uint64_t size_B, uint32_t words_out[4])
{
    amd_pack_desc_BUFFER(RADEON_GFX, words_out,
                         &(const struct amd_desc_BUFFER){
                             .BASE_ADDRESS = va & 0xffffffffffff,
                             .NUM_RECORDS = (uint32_t)MIN2(size_B, UINT32_MAX),
                             .DST_SEL_X = AMD_DST_SEL_X,
                             .DST_SEL_Y = AMD_DST_SEL_Y,
                             .DST_SEL_Z = AMD_DST_SEL_Z,
                             .DST_SEL_W = AMD_DST_SEL_W,
                             .FORMAT = radeon_format(VK_FORMAT_R32_SFLOAT)->image,
                             .RESOURCE_LEVEL = 1,
                             .OOB_SELECT = AMD_OOB_SELECT_RAW,
                         });
}

/* ---- views ---- */

/* Typed: the range is checked in whole elements. */
void radeon_texel_descriptor(VkFormat format_name, uint64_t va, uint64_t size_B, uint32_t words_out[4])
{
    const struct radeon_format *format = radeon_format(format_name);
    amd_pack_desc_BUFFER(RADEON_GFX, words_out,
                         &(const struct amd_desc_BUFFER){
                             .BASE_ADDRESS = va & 0xffffffffffff,
                             .STRIDE = format->info->block_size_B,
                             .NUM_RECORDS = (uint32_t)(size_B / format->info->block_size_B),
                             .DST_SEL_X = format->dst_sel[0],
                             .DST_SEL_Y = format->dst_sel[1],
                             .DST_SEL_Z = format->dst_sel[2],
                             .DST_SEL_W = format->dst_sel[3],
                             .FORMAT = format->image,
                             .RESOURCE_LEVEL = 1,
                             .OOB_SELECT = AMD_OOB_SELECT_STRUCTURED_WITH_OFFSET,
                         });
}

VKAPI_ATTR VkResult VKAPI_CALL radeon_CreateBufferView(VkDevice handle, const VkBufferViewCreateInfo *info,
                                                       const VkAllocationCallbacks *allocator, VkBufferView *view_out)
{
    struct radeon_device *device = radeon_device_from_handle(handle);
    struct radeon_buffer_view *view = vk_buffer_view_create(&device->vk, info, allocator, sizeof(*view));
    if (!view)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    struct vk_buffer *buffer = vk_buffer_from_handle(info->buffer);
    radeon_texel_descriptor(info->format, buffer->va + info->offset, view->vk.range_B, view->descriptor);
    *view_out = radeon_buffer_view_to_handle(view);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL radeon_DestroyBufferView(VkDevice handle, VkBufferView view,
                                                    const VkAllocationCallbacks *allocator)
{
    vk_buffer_view_destroy(vk_device_from_handle(handle), allocator, vk_buffer_view_from_handle(view));
}
