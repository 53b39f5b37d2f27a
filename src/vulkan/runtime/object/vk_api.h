/* The Vulkan API as all of Tuff sees it: the core headers, what is newer than they are (newer.table), and the window
 * systems of Linux. The window systems' own headers are not needed: the few types that the API names are declared here,
 * as C11 allows them to be declared again. */
#ifndef VULKAN_RUNTIME_VK_API_H
#define VULKAN_RUNTIME_VK_API_H

#include <stdint.h>

/* Included before any platform's define, so that neither it nor vk_icd.h fetches the window systems' headers. */
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

typedef struct xcb_connection_t xcb_connection_t;
typedef uint32_t xcb_window_t;
typedef uint32_t xcb_visualid_t;
#define VK_USE_PLATFORM_XCB_KHR
#include <vulkan/vulkan_xcb.h>

typedef struct _XDisplay Display;
typedef unsigned long Window;
typedef unsigned long VisualID;
#define VK_USE_PLATFORM_XLIB_KHR
#include <vulkan/vulkan_xlib.h>

typedef unsigned long RROutput;
#define VK_USE_PLATFORM_XLIB_XRANDR_EXT
#include <vulkan/vulkan_xlib_xrandr.h>

struct wl_display;
struct wl_surface;
#define VK_USE_PLATFORM_WAYLAND_KHR
#include <vulkan/vulkan_wayland.h>

#include "vulkan/runtime/gen/vk_newer.h"
#include "vulkan/runtime/gen/vk_version.h"

#endif
