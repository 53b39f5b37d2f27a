/* Between surfaces and swapchains. */
#ifndef VULKAN_WSI_WSI_SURFACE_H
#define VULKAN_WSI_WSI_SURFACE_H

#include "vulkan/wsi/wsi_window.h"

static inline const VkIcdSurfaceBase *wsi_surface_from_handle(VkSurfaceKHR handle)
{
    return (const VkIcdSurfaceBase *)(uintptr_t)handle;
}

/* NULL for a window system that this was not built with, or whose libraries are not here. */
const struct wsi_window_ops *wsi_surface_ops(const VkIcdSurfaceBase *surface);

#endif
