/* Which names have a function for an instance, a physical device or a device. */
#include "vulkan/runtime/device/vk_proc_addr.h"

#include "vulkan/runtime/device/vk_command.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/device/vk_instance.h"
#include "vulkan/runtime/device/vk_physical_device.h"

/* A command below the instance is there when the core version provides it, or an extension that one of the physical
 * devices has. Extensions of different devices do not add up. */
static bool is_available(struct vk_instance *instance, const struct vk_command *command)
{
    const struct vk_instance_extensions *enabled = &instance->enabled_extensions;
    if (vk_command_is_provided(command, instance->api_version, enabled, NULL))
        return true;
    /* The loader asks before it has enumerated anything, and keeps the answer. */
    if (vk_instance_enumerate(instance) != VK_SUCCESS)
        return false;
    list_foreach(&instance->physical_devices, struct vk_physical_device, physical, link)
    {
        if (vk_command_is_provided(command, instance->api_version, enabled, &physical->supported_extensions))
            return true;
    }
    return false;
}

static PFN_vkVoidFunction below_instance(struct vk_instance *instance, const struct vk_command *command)
{
    if (!is_available(instance, command))
        return NULL;
    return command->kind == VK_COMMAND_PHYSICAL_DEVICE ? vk_physical_device_trampolines.slots[command->slot]
                                                       : vk_device_trampolines.slots[command->slot];
}

PFN_vkVoidFunction vk_instance_get_proc_addr(struct vk_instance *instance, const char *name)
{
    const struct vk_command *command = vk_command_find(name);
    if (!command || command->global)
        return NULL;
    if (command->kind != VK_COMMAND_INSTANCE)
        return below_instance(instance, command);
    if (!vk_command_is_provided(command, instance->api_version, &instance->enabled_extensions, NULL))
        return NULL;
    return instance->dispatch.slots[command->slot];
}

PFN_vkVoidFunction vk_instance_get_physical_device_proc_addr(struct vk_instance *instance, const char *name)
{
    const struct vk_command *command = vk_command_find(name);
    if (!command || command->kind != VK_COMMAND_PHYSICAL_DEVICE)
        return NULL;
    return below_instance(instance, command);
}

PFN_vkVoidFunction vk_device_get_proc_addr(const struct vk_device *device, const char *name)
{
    const struct vk_command *command = vk_command_find(name);
    if (!command || command->kind != VK_COMMAND_DEVICE)
        return NULL;
    if (!vk_command_is_provided(command, device->api_version, &device->physical->instance->enabled_extensions,
                                &device->enabled_extensions))
        return NULL;
    return device->dispatch.slots[command->slot];
}
