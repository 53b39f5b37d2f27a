/* The stages and accesses that a barrier stands for. A driver expands both before it decides what to wait for and which
 * caches to write back or to invalidate, so that it never meets a collective bit such as
 * VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT or VK_ACCESS_2_MEMORY_READ_BIT. Bits of extensions that are not known here pass
 * through every function as they are.
 *
 * Not here: which layouts an image transition needs, and anything that a GPU does. */
#ifndef VULKAN_RUNTIME_VK_SYNCHRONIZATION_H
#define VULKAN_RUNTIME_VK_SYNCHRONIZATION_H

#include <stdbool.h>

#include "vulkan/runtime/object/vk_api.h"

/* The stages of a first synchronisation scope: nothing is before the top of the pipe, everything before its bottom. */
VkPipelineStageFlags2 vk_expand_src_stages(VkPipelineStageFlags2 stages);

/* The stages of a second synchronisation scope: everything is after the top of the pipe, nothing after its bottom. */
VkPipelineStageFlags2 vk_expand_dst_stages(VkPipelineStageFlags2 stages);

/* The accesses of either scope: `stages` as the application gave them, not expanded. Collective accesses become what
 * they stand for, and what these stages cannot do is dropped. The top and the bottom of the pipe access nothing.
 *
 * VK_ACCESS_2_SHADER_READ_BIT is left in the result only for the builds of acceleration structures, whose inputs have
 * no name of their own. */
VkAccessFlags2 vk_expand_accesses(VkPipelineStageFlags2 stages, VkAccessFlags2 accesses);

/* Only the second half of that, for stages and accesses that are expanded already. */
VkAccessFlags2 vk_filter_accesses(VkPipelineStageFlags2 stages, VkAccessFlags2 accesses);

/* The part of `accesses` that reads, or that writes; collective bits count. A source scope needs its writes alone:
 * nothing has to be made available for a read. */
VkAccessFlags2 vk_read_accesses(VkAccessFlags2 accesses);
VkAccessFlags2 vk_write_accesses(VkAccessFlags2 accesses);

/* All source stages of a dependency's barriers, as they were given. */
VkPipelineStageFlags2 vk_dependency_src_stages(const VkDependencyInfo *info);

/* The stages, none of them collective, that commands of a queue with these abilities can have. */
VkPipelineStageFlags2 vk_stages_of_queue(VkQueueFlags flags);

/* A barrier's word about the ownership of the resource, as the queue family that records it sees it. */
enum vk_ownership {
    VK_OWNERSHIP_KEPT,
    VK_OWNERSHIP_RELEASED, /* the second scope does not count here: the acquire has it */
    VK_OWNERSHIP_ACQUIRED, /* the first scope does not count here: the release had it */
};

/* VK_QUEUE_FAMILY_IGNORED on one side and an external family on the other is a resource of concurrent sharing that
 * comes or goes. */
enum vk_ownership vk_ownership_transfer(uint32_t src_family, uint32_t dst_family, uint32_t own_family);

/* Whether the other side of a transfer is not of this device. */
static inline bool vk_queue_family_is_external(uint32_t family)
{
    return family == VK_QUEUE_FAMILY_EXTERNAL || family == VK_QUEUE_FAMILY_FOREIGN_EXT;
}

#endif
