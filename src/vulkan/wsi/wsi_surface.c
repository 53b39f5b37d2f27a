/* VkSurfaceKHR and what can be asked of it. A surface is a struct of the loader's interface (vk_icd.h): since version 3
 * the loader has it made here, before that it made it itself. */
#include "vulkan/wsi/wsi_surface.h"

#include <string.h>

#include "util/bits.h"
#include "vulkan/runtime/device/vk_extension.h"
#include "vulkan/runtime/device/vk_instance.h"
#include "vulkan/runtime/device/vk_physical_device.h"
#include "vulkan/runtime/object/vk_struct.h"
#include "vulkan/wsi/vk_wsi_entrypoints.h"
#include "vulkan/wsi/wsi.h"
#include "vulkan/wsi/wsi_queue.h"

const struct vk_instance_extensions vk_wsi_instance_extensions = {
    .KHR_surface = true,
    .KHR_get_surface_capabilities2 = true,
    .EXT_headless_surface = true,
    .EXT_surface_maintenance1 = true,
#ifdef WSI_X11
    .KHR_xcb_surface = true,
    .KHR_xlib_surface = true,
#endif
#ifdef WSI_WAYLAND
    .KHR_wayland_surface = true,
#endif
};

void vk_wsi_offer(struct vk_device_extensions *extensions, struct vk_features *features)
{
    extensions->KHR_swapchain = true;
    extensions->KHR_incremental_present = true;
    extensions->KHR_present_id = true;
    extensions->KHR_present_wait = true;
    features->presentId = true;
    features->presentWait = true;
    extensions->EXT_swapchain_maintenance1 = true;
    features->swapchainMaintenance1 = true;
    /* Views of other formats: the driver's images must be able to have them. */
    extensions->KHR_swapchain_mutable_format = extensions->KHR_maintenance2 && extensions->KHR_image_format_list;
}

static const struct wsi_window_ops *ops_of_platform(VkIcdWsiPlatform platform)
{
    switch (platform) {
#ifdef WSI_X11
    case VK_ICD_WSI_PLATFORM_XCB:
    case VK_ICD_WSI_PLATFORM_XLIB:
        return &wsi_x11_ops;
#endif
#ifdef WSI_WAYLAND
    case VK_ICD_WSI_PLATFORM_WAYLAND:
        return &wsi_wayland_ops;
#endif
    case VK_ICD_WSI_PLATFORM_HEADLESS:
        return &wsi_headless_ops;
    default:
        return NULL;
    }
}

/* Whoever uses a surface asks here first: before interface 3 loaders made surfaces without us. */
const struct wsi_window_ops *wsi_surface_ops(const VkIcdSurfaceBase *surface)
{
    const struct wsi_window_ops *ops = ops_of_platform(surface->platform);
    return ops && (!ops->open_libraries || ops->open_libraries(surface->platform)) ? ops : NULL;
}

/* ---- creation ---- */

/* Without a library of its window system nothing could be done with it. No error code is for that: VK_ERROR_UNKNOWN is
 * for what can be attributed to no valid behaviour, and every command may return it. */
static VkResult create_surface(VkInstance handle, const VkAllocationCallbacks *allocator,
                               const VkIcdSurfaceBase *surface, size_t size_B, VkSurfaceKHR *surface_out)
{
    struct vk_instance *instance = vk_instance_from_handle(handle);
    if (!wsi_surface_ops(surface))
        return VK_ERROR_UNKNOWN;
    void *copy = vk_alloc(&instance->alloc, allocator, size_B, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!copy)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    memcpy(copy, surface, size_B);
    *surface_out = (VkSurfaceKHR)(uintptr_t)copy;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_wsi_CreateHeadlessSurfaceEXT(VkInstance instance,
                                                               const VkHeadlessSurfaceCreateInfoEXT *info,
                                                               const VkAllocationCallbacks *allocator,
                                                               VkSurfaceKHR *surface_out)
{
    VkIcdSurfaceHeadless surface = {.base.platform = VK_ICD_WSI_PLATFORM_HEADLESS};
    return create_surface(instance, allocator, &surface.base, sizeof(surface), surface_out);
}

#ifdef WSI_X11
VKAPI_ATTR VkResult VKAPI_CALL vk_wsi_CreateXcbSurfaceKHR(VkInstance instance, const VkXcbSurfaceCreateInfoKHR *info,
                                                          const VkAllocationCallbacks *allocator,
                                                          VkSurfaceKHR *surface_out)
{
    VkIcdSurfaceXcb surface = {{VK_ICD_WSI_PLATFORM_XCB}, info->connection, info->window};
    return create_surface(instance, allocator, &surface.base, sizeof(surface), surface_out);
}

VKAPI_ATTR VkResult VKAPI_CALL vk_wsi_CreateXlibSurfaceKHR(VkInstance instance, const VkXlibSurfaceCreateInfoKHR *info,
                                                           const VkAllocationCallbacks *allocator,
                                                           VkSurfaceKHR *surface_out)
{
    VkIcdSurfaceXlib surface = {{VK_ICD_WSI_PLATFORM_XLIB}, info->dpy, info->window};
    return create_surface(instance, allocator, &surface.base, sizeof(surface), surface_out);
}
#endif

#ifdef WSI_WAYLAND
VKAPI_ATTR VkResult VKAPI_CALL vk_wsi_CreateWaylandSurfaceKHR(VkInstance instance,
                                                              const VkWaylandSurfaceCreateInfoKHR *info,
                                                              const VkAllocationCallbacks *allocator,
                                                              VkSurfaceKHR *surface_out)
{
    VkIcdSurfaceWayland surface = {{VK_ICD_WSI_PLATFORM_WAYLAND}, info->display, info->surface};
    return create_surface(instance, allocator, &surface.base, sizeof(surface), surface_out);
}
#endif

VKAPI_ATTR void VKAPI_CALL vk_wsi_DestroySurfaceKHR(VkInstance instance, VkSurfaceKHR surface,
                                                    const VkAllocationCallbacks *allocator)
{
    vk_free(&vk_instance_from_handle(instance)->alloc, allocator, (void *)(uintptr_t)surface);
}

/* ---- questions ---- */

VKAPI_ATTR VkResult VKAPI_CALL vk_wsi_GetPhysicalDeviceSurfaceSupportKHR(VkPhysicalDevice handle, uint32_t family,
                                                                         VkSurfaceKHR surface_handle,
                                                                         VkBool32 *supported_out)
{
    const VkIcdSurfaceBase *surface = wsi_surface_from_handle(surface_handle);
    const struct wsi_window_ops *ops = wsi_surface_ops(surface);
    VkFormat formats[WSI_MAX_FORMATS];
    uint32_t count;
    *supported_out = VK_FALSE;
    if (!ops)
        return VK_SUCCESS;
    /* Every family can copy: graphics and compute by definition, transfer by name. The window must be one that we can
     * fill. */
    VkResult result = ops->get_formats(surface, formats, &count);
    if (result == VK_SUCCESS)
        *supported_out = count > 0;
    return result;
}

static uint32_t max_dimension(struct vk_physical_device *physical)
{
    VkPhysicalDeviceProperties2 properties = vk_struct_init(VkPhysicalDeviceProperties2);
    physical->dispatch.GetPhysicalDeviceProperties2(vk_physical_device_to_handle(physical), &properties);
    return properties.properties.limits.maxImageDimension2D;
}

/* VK_EXT_surface_maintenance1. Every mode of a window can follow every other; nothing is said of how a picture of
 * another size than the window's is scaled. */
static void fill_chained(const struct wsi_window_ops *ops, VkSurfaceCapabilities2KHR *capabilities)
{
    VkSurfacePresentModeCompatibilityEXT *modes =
        vk_find_struct(capabilities->pNext, VkSurfacePresentModeCompatibilityEXT);
    if (modes) {
        uint32_t room = modes->pPresentModes ? modes->presentModeCount : 0;
        for (uint32_t i = 0; i < MIN2(room, ops->mode_count); i++)
            modes->pPresentModes[i] = ops->modes[i];
        modes->presentModeCount = modes->pPresentModes ? MIN2(room, ops->mode_count) : ops->mode_count;
    }
    VkSurfacePresentScalingCapabilitiesEXT *scaling =
        vk_find_struct(capabilities->pNext, VkSurfacePresentScalingCapabilitiesEXT);
    if (scaling) {
        scaling->supportedPresentScaling = 0;
        scaling->supportedPresentGravityX = scaling->supportedPresentGravityY = 0;
        scaling->minScaledImageExtent = capabilities->surfaceCapabilities.minImageExtent;
        scaling->maxScaledImageExtent = capabilities->surfaceCapabilities.maxImageExtent;
    }
}

VKAPI_ATTR VkResult VKAPI_CALL vk_wsi_GetPhysicalDeviceSurfaceCapabilities2KHR(
    VkPhysicalDevice handle, const VkPhysicalDeviceSurfaceInfo2KHR *info, VkSurfaceCapabilities2KHR *capabilities)
{
    const VkIcdSurfaceBase *surface = wsi_surface_from_handle(info->surface);
    const struct wsi_window_ops *ops = wsi_surface_ops(surface);
    if (!ops)
        return VK_ERROR_SURFACE_LOST_KHR;
    uint32_t max = max_dimension(vk_physical_device_from_handle(handle));
    capabilities->surfaceCapabilities = (VkSurfaceCapabilitiesKHR){
        .minImageCount = 2,
        .maxImageCount = WSI_MAX_IMAGES,
        .minImageExtent = {1, 1},
        .maxImageExtent = {max, max},
        .maxImageArrayLayers = 1,
        .supportedTransforms = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
        .currentTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
        .supportedUsageFlags = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                               VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT |
                               VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT,
    };
    VkResult result = ops->get_capabilities(surface, &capabilities->surfaceCapabilities);
    if (result == VK_SUCCESS)
        fill_chained(ops, capabilities);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_wsi_GetPhysicalDeviceSurfaceCapabilitiesKHR(VkPhysicalDevice handle,
                                                                              VkSurfaceKHR surface,
                                                                              VkSurfaceCapabilitiesKHR *capabilities)
{
    VkPhysicalDeviceSurfaceInfo2KHR info = vk_struct_init(VkPhysicalDeviceSurfaceInfo2KHR);
    info.surface = surface;
    VkSurfaceCapabilities2KHR all = vk_struct_init(VkSurfaceCapabilities2KHR);
    VkResult result = vk_wsi_GetPhysicalDeviceSurfaceCapabilities2KHR(handle, &info, &all);
    *capabilities = all.surfaceCapabilities;
    return result;
}

/* Of the window's formats those that the device can draw to and copy from. */
static VkResult usable_formats(struct vk_physical_device *physical, const VkIcdSurfaceBase *surface,
                               VkFormat formats[WSI_MAX_FORMATS], uint32_t *count_out)
{
    const struct wsi_window_ops *ops = wsi_surface_ops(surface);
    uint32_t all = 0;
    *count_out = 0;
    if (!ops)
        return VK_ERROR_SURFACE_LOST_KHR;
    VkResult result = ops->get_formats(surface, formats, &all);
    const VkFormatFeatureFlags needed = VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT | VK_FORMAT_FEATURE_TRANSFER_SRC_BIT;
    for (uint32_t i = 0; i < all && result == VK_SUCCESS; i++) {
        VkFormatProperties2 properties = vk_struct_init(VkFormatProperties2);
        physical->dispatch.GetPhysicalDeviceFormatProperties2(vk_physical_device_to_handle(physical), formats[i],
                                                              &properties);
        if ((properties.formatProperties.optimalTilingFeatures & needed) == needed)
            formats[(*count_out)++] = formats[i];
    }
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_wsi_GetPhysicalDeviceSurfaceFormatsKHR(VkPhysicalDevice handle, VkSurfaceKHR surface,
                                                                         uint32_t *count, VkSurfaceFormatKHR *out)
{
    VkFormat formats[WSI_MAX_FORMATS];
    uint32_t usable;
    VkResult result =
        usable_formats(vk_physical_device_from_handle(handle), wsi_surface_from_handle(surface), formats, &usable);
    if (result != VK_SUCCESS)
        return result;
    result = vk_two_call(usable, count, out);
    for (uint32_t i = 0; out && i < *count; i++)
        out[i] = (VkSurfaceFormatKHR){formats[i], VK_COLOR_SPACE_SRGB_NONLINEAR_KHR};
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_wsi_GetPhysicalDeviceSurfaceFormats2KHR(VkPhysicalDevice handle,
                                                                          const VkPhysicalDeviceSurfaceInfo2KHR *info,
                                                                          uint32_t *count, VkSurfaceFormat2KHR *out)
{
    VkFormat formats[WSI_MAX_FORMATS];
    uint32_t usable;
    VkResult result = usable_formats(vk_physical_device_from_handle(handle), wsi_surface_from_handle(info->surface),
                                     formats, &usable);
    if (result != VK_SUCCESS)
        return result;
    result = vk_two_call(usable, count, out);
    for (uint32_t i = 0; out && i < *count; i++)
        out[i].surfaceFormat = (VkSurfaceFormatKHR){formats[i], VK_COLOR_SPACE_SRGB_NONLINEAR_KHR};
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_wsi_GetPhysicalDeviceSurfacePresentModesKHR(VkPhysicalDevice handle,
                                                                              VkSurfaceKHR surface, uint32_t *count,
                                                                              VkPresentModeKHR *out)
{
    const struct wsi_window_ops *ops = wsi_surface_ops(wsi_surface_from_handle(surface));
    if (!ops)
        return VK_ERROR_SURFACE_LOST_KHR;
    VkResult result = vk_two_call(ops->mode_count, count, out);
    for (uint32_t i = 0; out && i < *count; i++)
        out[i] = ops->modes[i];
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_wsi_GetPhysicalDevicePresentRectanglesKHR(VkPhysicalDevice handle,
                                                                            VkSurfaceKHR surface_handle,
                                                                            uint32_t *count, VkRect2D *rectangles)
{
    const VkIcdSurfaceBase *surface = wsi_surface_from_handle(surface_handle);
    const struct wsi_window_ops *ops = wsi_surface_ops(surface);
    VkRect2D whole = {0};
    VkResult result = ops ? ops->get_extent(surface, &whole.extent) : VK_ERROR_SURFACE_LOST_KHR;
    if (result != VK_SUCCESS)
        return result;
    result = vk_two_call(1, count, rectangles);
    if (rectangles && *count)
        rectangles[0] = whole;
    return result;
}

/* A device is a group of its own and presents what it has. */
VKAPI_ATTR VkResult VKAPI_CALL
vk_wsi_GetDeviceGroupPresentCapabilitiesKHR(VkDevice handle, VkDeviceGroupPresentCapabilitiesKHR *capabilities)
{
    memset(capabilities->presentMask, 0, sizeof(capabilities->presentMask));
    capabilities->presentMask[0] = 1;
    capabilities->modes = VK_DEVICE_GROUP_PRESENT_MODE_LOCAL_BIT_KHR;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_wsi_GetDeviceGroupSurfacePresentModesKHR(VkDevice handle, VkSurfaceKHR surface,
                                                                           VkDeviceGroupPresentModeFlagsKHR *modes)
{
    *modes = VK_DEVICE_GROUP_PRESENT_MODE_LOCAL_BIT_KHR;
    return VK_SUCCESS;
}
