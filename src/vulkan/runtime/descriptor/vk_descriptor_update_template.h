/* VkDescriptorUpdateTemplate: where in the application's memory each descriptor of an update lies. Fully the runtime's
 * as an object; a driver's vkUpdateDescriptorSetWithTemplate and vkCmdPushDescriptorSetWithTemplateKHR read the
 * entries. */
#ifndef VULKAN_RUNTIME_VK_DESCRIPTOR_UPDATE_TEMPLATE_H
#define VULKAN_RUNTIME_VK_DESCRIPTOR_UPDATE_TEMPLATE_H

#include "vulkan/runtime/descriptor/vk_descriptor_set_layout.h"

/* Element i is read at offset_B + i * stride_B. Of an inline uniform block `count` and `first` are bytes and the data
 * lies in one piece. */
struct vk_descriptor_template_entry {
    VkDescriptorType type;
    uint32_t binding;
    uint32_t first; /* array element; elements after the binding's end go on in the next binding */
    uint32_t count;
    size_t offset_B, stride_B;
};

struct vk_descriptor_update_template {
    struct vk_object_base base;
    VkDescriptorUpdateTemplateType type;
    VkPipelineBindPoint bind_point;              /* of push descriptors */
    uint32_t set;                                /* of push descriptors */
    struct vk_descriptor_set_layout *set_layout; /* a reference: the set's; for push descriptors that of the pipeline
                                                  * layout's set */
    uint32_t entry_count;
    struct vk_descriptor_template_entry entries[];
};

VK_DEFINE_CASTS(vk_descriptor_update_template, VkDescriptorUpdateTemplate)

#endif
