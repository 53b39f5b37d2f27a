/* Devices: what was enabled, and the tables with the layers in front. */
#include "vulkan/runtime/device/vk_device.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kernel/kernel.h"
#include "util/bits.h"
#include "util/debug.h"
#include "util/log.h"
#include "vulkan/runtime/command/vk_cmd_queue.h"
#include "vulkan/runtime/device/vk_command.h"
#include "vulkan/runtime/device/vk_extension.h"
#include "vulkan/runtime/device/vk_feature.h"
#include "vulkan/runtime/device/vk_hint.h"
#include "vulkan/runtime/device/vk_instance.h"
#include "vulkan/runtime/device/vk_layer.h"
#include "vulkan/runtime/device/vk_physical_device.h"
#include "vulkan/runtime/device/vk_proc_addr.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/object/vk_debug_utils.h"
#include "vulkan/runtime/pipeline/vk_shader.h"

static VkResult set_layers(struct vk_device *device, const struct vk_layer *const *layers, uint32_t count)
{
    uint32_t trace = debug_enabled(DEBUG_ENTRYPOINTS), replay = debug_enabled(DEBUG_REPLAY);
    const struct vk_layer *wsi =
        device->enabled_extensions.KHR_swapchain ? device->physical->instance->icd->wsi_layer : NULL;
    uint32_t objects = device->enabled_features.shaderObject;
    uint32_t total = count + trace + replay + objects + (wsi ? 1 : 0);
    if (total == 0)
        return VK_SUCCESS;
    device->layers =
        vk_zalloc(&device->alloc, NULL, sizeof(*device->layers) * total, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!device->layers)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    if (trace)
        device->layers[device->layer_count++].layer = &vk_trace_layer;
    if (replay)
        device->layers[device->layer_count++].layer = &vk_replay_layer;
    if (wsi)
        device->layers[device->layer_count++].layer = wsi;
    if (objects)
        device->layers[device->layer_count++].layer = &vk_shader_object_layer;
    for (uint32_t i = 0; i < count; i++)
        device->layers[device->layer_count++].layer = layers[i];
    return VK_SUCCESS;
}

/* From the driver outwards: what a layer calls next is what was the front before the layer came. */
static void build_dispatch(struct vk_device *device, const struct vk_device_dispatch *driver)
{
    const struct vk_physical_device *physical = device->physical;
    const struct vk_device_dispatch *sources[] = {driver, physical->driver->shared, physical->instance->icd->wsi.device,
                                                  &vk_common_device_entrypoints};
    for (unsigned slot = 0; slot < VK_DEVICE_SLOT_COUNT; slot++) {
        PFN_vkVoidFunction front = NULL;
        for (unsigned i = 0; i < ARRAY_SIZE(sources) && !front; i++)
            front = sources[i] ? sources[i]->slots[slot] : NULL;
        for (uint32_t i = device->layer_count; i-- > 0 && front;) {
            struct vk_device_layer *layer = &device->layers[i];
            layer->next.slots[slot] = front;
            if (layer->layer->entrypoints->slots[slot])
                front = layer->layer->entrypoints->slots[slot];
        }
        device->dispatch.slots[slot] = front;
    }
}

static void report_missing(const struct vk_device *device)
{
    if (!log_enabled(LOG_LEVEL_DEBUG))
        return;
    const struct vk_command *command = NULL;
    while ((command =
                vk_command_next_missing(command, VK_COMMAND_DEVICE, device->dispatch.slots, device->api_version,
                                        &device->physical->instance->enabled_extensions, &device->enabled_extensions)))
        log_message(LOG_LEVEL_DEBUG, "vulkan", "driver %s promises %s and does not have it",
                    device->physical->driver->name, vk_command_name(command));
}

VkResult vk_device_init(struct vk_device *device, struct vk_physical_device *physical, const VkDeviceCreateInfo *info,
                        const VkAllocationCallbacks *allocator, const struct vk_device_dispatch *entrypoints,
                        const struct vk_layer *const *layers, uint32_t layer_count)
{
    vk_hint_gpu_taken();
    memset(device, 0, sizeof(*device));
    vk_object_base_init(&device->base, device, VK_OBJECT_TYPE_DEVICE);
    device->alloc = allocator ? *allocator : physical->instance->alloc;
    device->physical = physical;
    device->api_version = MIN2(physical->instance->api_version, physical->api_version);
    device->cached_kinds = vk_runtime_cached_kinds;
    list_init(&device->queues);

    VkResult result = vk_device_extensions_from_names(info->ppEnabledExtensionNames, info->enabledExtensionCount,
                                                      &physical->supported_extensions, &device->enabled_extensions);
    if (result == VK_SUCCESS)
        result = vk_features_from_create_info(info, &physical->supported_features, &device->enabled_features);
    if (result == VK_SUCCESS)
        result = set_layers(device, layers, layer_count);
    if (result != VK_SUCCESS)
        return result;
    vk_held_init(device);
    pthread_mutex_init(&device->object_lock, NULL);
    pthread_mutex_init(&device->shader_lock, NULL);
    pthread_mutex_init(&device->shader_mixes.lock, NULL);
    vk_shader_table_init(device);
    build_dispatch(device, entrypoints);
    report_missing(device);
    return VK_SUCCESS;
}

void vk_device_finish(struct vk_device *device)
{
    vk_held_finish(device);
    vk_shader_table_finish(device);
    vk_free(&device->alloc, NULL, device->layers);
    kernel_close(device->own_file);
    vk_object_base_finish(&device->base);
    pthread_mutex_destroy(&device->object_lock);
    pthread_mutex_destroy(&device->shader_lock);
    pthread_mutex_destroy(&device->shader_mixes.lock);
}

static void destroy_device(struct vk_device *device, const VkAllocationCallbacks *allocator)
{
    const VkAllocationCallbacks parent = device->physical->instance->alloc;
    device->physical->driver->devices->finish(device);
    vk_device_finish(device);
    vk_free(&parent, allocator, device);
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_CreateDevice(VkPhysicalDevice handle, const VkDeviceCreateInfo *info,
                                                      const VkAllocationCallbacks *allocator, VkDevice *device_out)
{
    struct vk_physical_device *physical = vk_physical_device_from_handle(handle);
    const struct vk_device_driver *driver = physical->driver->devices;
    const VkAllocationCallbacks *parent = &physical->instance->alloc;
    struct vk_device *device = vk_zalloc(parent, allocator, driver->size_B, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!device)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = vk_device_init(device, physical, info, allocator, driver->entrypoints, NULL, 0);
    if (result != VK_SUCCESS) {
        vk_free(parent, allocator, device);
        return result;
    }
    result = driver->init(device, info);
    if (result != VK_SUCCESS) {
        destroy_device(device, allocator);
        return result;
    }
    *device_out = vk_device_to_handle(device);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vk_common_DestroyDevice(VkDevice handle, const VkAllocationCallbacks *allocator)
{
    if (handle)
        destroy_device(vk_device_from_handle(handle), allocator);
}

VkResult vk_device_set_lost(struct vk_device *device, const char *format, ...)
{
    if (atomic_exchange(&device->lost, true))
        return VK_ERROR_DEVICE_LOST;
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    vk_device_error(device, NULL, "device lost: %s", text);
    vk_held_give_up(device);
    return VK_ERROR_DEVICE_LOST;
}

VkResult vk_device_check_status(struct vk_device *device)
{
    if (vk_device_is_lost(device))
        return VK_ERROR_DEVICE_LOST;
    return device->check_status ? device->check_status(device) : VK_SUCCESS;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_common_GetDeviceProcAddr(VkDevice handle, const char *name)
{
    return vk_device_get_proc_addr(vk_device_from_handle(handle), name);
}
