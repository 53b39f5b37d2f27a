/* Descriptors into sets: writes, templates, and what a new set holds. vkUpdateDescriptorSets and
 * vkUpdateDescriptorSetWithTemplate are the runtime's, made of these; so are pushed sets (vk_push_set.h). */
#ifndef VULKAN_RUNTIME_VK_DESCRIPTOR_UPDATE_H
#define VULKAN_RUNTIME_VK_DESCRIPTOR_UPDATE_H

#include "vulkan/runtime/descriptor/vk_descriptor_pool.h"

struct vk_descriptor_update_template;

/* Descriptors that no update changes: immutable samplers, and headers of inline blocks where the set has an address. */
void vk_descriptor_set_begin(struct vk_descriptor_set *set);

void vk_descriptor_set_write(struct vk_descriptor_set *set, const VkWriteDescriptorSet *write);
void vk_descriptor_set_write_template(struct vk_descriptor_set *set,
                                      const struct vk_descriptor_update_template *template, const void *data);

#endif
