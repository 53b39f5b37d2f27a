/* Lifetime of the part that all objects share. */
#include "vulkan/runtime/object/vk_object.h"

#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/object/vk_debug_utils.h"
#include "vulkan/runtime/object/vk_struct.h"

#include <vulkan/vk_icd.h>

const struct vk_object_type_info *vk_object_type_info_find(VkObjectType type)
{
    for (uint32_t i = 0; i < vk_object_type_info_count; i++) {
        if (vk_object_type_infos[i].type == (int32_t)type)
            return &vk_object_type_infos[i];
    }
    return NULL;
}

const char *vk_object_type_handle_name(VkObjectType type)
{
    const struct vk_object_type_info *info = vk_object_type_info_find(type);
    return info ? vk_struct_names + info->name : "unknown handle";
}

void vk_object_base_init(struct vk_object_base *base, struct vk_device *device, VkObjectType type)
{
    base->loader_data = ICD_LOADER_MAGIC;
    base->type = type;
    base->device = device;
    base->private_words = NULL;
    base->debug = NULL;
}

void vk_object_base_finish(struct vk_object_base *base)
{
    if (base->private_words)
        vk_object_drop_private_words(base);
    if (base->debug)
        vk_object_drop_debug(base);
    base->type = VK_OBJECT_TYPE_UNKNOWN;
}

void *vk_object_create(struct vk_device *device, const VkAllocationCallbacks *own, size_t size_B, VkObjectType type)
{
    struct vk_object_base *base = vk_zalloc(&device->alloc, own, size_B, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (base)
        vk_object_base_init(base, device, type);
    return base;
}

void vk_object_destroy(struct vk_device *device, const VkAllocationCallbacks *own, struct vk_object_base *base)
{
    if (!base)
        return;
    vk_object_base_finish(base);
    vk_free(&device->alloc, own, base);
}
