/* Descriptor update templates. */
#include "vulkan/runtime/descriptor/vk_descriptor_update_template.h"

#include "vulkan/runtime/descriptor/vk_pipeline_layout.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"

/* Which of the create info's members count depends on the type; the others may be anything. */
static struct vk_descriptor_set_layout *layout_of(const VkDescriptorUpdateTemplateCreateInfo *info)
{
    if (info->templateType == VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET)
        return vk_descriptor_set_layout_from_handle(info->descriptorSetLayout);
    const struct vk_pipeline_layout *layout = vk_pipeline_layout_from_handle(info->pipelineLayout);
    return info->set < layout->set_count ? layout->set_layouts[info->set] : NULL;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_CreateDescriptorUpdateTemplate(
    VkDevice handle, const VkDescriptorUpdateTemplateCreateInfo *info, const VkAllocationCallbacks *allocator,
    VkDescriptorUpdateTemplate *template_out)
{
    struct vk_device *device = vk_device_from_handle(handle);
    struct vk_descriptor_update_template *template = vk_object_create(
        device, allocator, sizeof(*template) + info->descriptorUpdateEntryCount * sizeof(template->entries[0]),
        VK_OBJECT_TYPE_DESCRIPTOR_UPDATE_TEMPLATE);
    if (!template)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    template->type = info->templateType;
    if (info->templateType == VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR) {
        template->bind_point = info->pipelineBindPoint;
        template->set = info->set;
    }
    template->set_layout = vk_descriptor_set_layout_ref(layout_of(info));
    for (uint32_t i = 0; i < info->descriptorUpdateEntryCount; i++) {
        const VkDescriptorUpdateTemplateEntry *entry = &info->pDescriptorUpdateEntries[i];
        if (!entry->descriptorCount)
            continue;
        template->entries[template->entry_count++] = (struct vk_descriptor_template_entry){
            .type = entry->descriptorType,
            .binding = entry->dstBinding,
            .first = entry->dstArrayElement,
            .count = entry->descriptorCount,
            .offset_B = entry->offset,
            .stride_B = entry->stride,
        };
    }
    *template_out = vk_descriptor_update_template_to_handle(template);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vk_common_DestroyDescriptorUpdateTemplate(VkDevice handle,
                                                                     VkDescriptorUpdateTemplate template_handle,
                                                                     const VkAllocationCallbacks *allocator)
{
    struct vk_descriptor_update_template *template = vk_descriptor_update_template_from_handle(template_handle);
    if (!template)
        return;
    vk_descriptor_set_layout_unref(template->set_layout);
    vk_object_destroy(vk_device_from_handle(handle), allocator, &template->base);
}
