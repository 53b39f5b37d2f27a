/* The flags of a pipeline's create info, which may be chained to it as 64 bits. */
#ifndef VULKAN_RUNTIME_VK_PIPELINE_FLAGS_H
#define VULKAN_RUNTIME_VK_PIPELINE_FLAGS_H

#include "vulkan/runtime/object/vk_struct.h"

/* No flag above 32 bits is of anything that is offered; the others have the same bits in both forms. */
static inline VkPipelineCreateFlags vk_pipeline_create_flags(const void *chain, VkPipelineCreateFlags flags)
{
    const VkPipelineCreateFlags2CreateInfoKHR *wide = vk_find_struct_const(chain, VkPipelineCreateFlags2CreateInfoKHR);
    return wide ? (VkPipelineCreateFlags)wide->flags : flags;
}

#endif
