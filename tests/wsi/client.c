/* Swapchains from the application's side, on the loader: a window of X11 or a headless surface, images that are
 * cleared, and what the specification says of acquiring, presenting, resizing and losing. Prints TAP. wsi.py runs it.
 *
 *     client KIND                     the cases; KIND is xcb, xlib, wayland or headless
 *     client KIND --until-lost        present until an error comes; end with 0 when that is VK_ERROR_SURFACE_LOST_KHR
 *     client KIND --show              present a picture of which each pixel is known, and keep it until stdin ends
 *     client KIND --show-undrawn      the same, but the GPU is held up after the presentation for a while after "ok"
 *     client KIND --until-suboptimal  present until VK_SUBOPTIMAL_KHR comes; a new swapchain must be rid of it */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <X11/Xlib-xcb.h>
#include <xcb/xcb.h>
#ifdef HAS_WAYLAND
#include "xdg-shell-client.h"
#include <wayland-client.h>
#define VK_USE_PLATFORM_WAYLAND_KHR
#endif
#define VK_USE_PLATFORM_XCB_KHR
#define VK_USE_PLATFORM_XLIB_KHR
#include <vulkan/vulkan.h>

#define MS 1000000ull
#define PATIENCE (60000 * MS) /* for what must come, on a loaded machine, too */
#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define STRUCT(type) VK_STRUCTURE_TYPE_##type

enum {
    MAX_IMAGES = 16
};

enum kind {
    HEADLESS,
    XCB,
    XLIB,
    WAYLAND,
};

/* Of X11 the server's number, of Wayland one into `windows`; 0: none. */
typedef uint32_t window_id;

static struct {
    enum kind kind;
    Display *display; /* of an Xlib program */
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    VkSurfaceKHR surface;
    VkCommandPool pool;
    bool has_present_wait, has_mutable_format, has_maintenance, has_incremental;
    xcb_connection_t *connection;
    window_id window;
    int case_count, failures;
} vk;

struct chain {
    VkSwapchainKHR handle;
    VkExtent2D extent;
    uint32_t count;
    VkImage images[MAX_IMAGES];
};

static bool is_x11(void)
{
    return vk.kind == XCB || vk.kind == XLIB;
}

/* ---- reporting ---- */

static void report_result(bool good, const char *text)
{
    printf("%sok %d - %s\n", good ? "" : "not ", ++vk.case_count, text);
    vk.failures += !good;
    fflush(stdout);
}

static void skip_case(const char *text, const char *why)
{
    printf("ok %d - %s # SKIP %s\n", ++vk.case_count, text, why);
}

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        VkResult check_ = (call);                                                                                      \
        if (check_ < 0) {                                                                                              \
            printf("Bail out! line %d: %s: VkResult %d\n", __LINE__, #call, check_);                                   \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- Wayland ---- */

#ifdef HAS_WAYLAND
static struct {
    struct wl_display *display;
    struct wl_compositor *compositor;
    struct xdg_wm_base *shell;
    struct {
        struct wl_surface *surface;
        struct xdg_surface *xdg_surface;
        struct xdg_toplevel *toplevel;
    } windows[8];
    uint32_t window_count;
} wl = {.window_count = 1};

static void on_global(void *data, struct wl_registry *registry, uint32_t name, const char *interface, uint32_t version)
{
    (void)data;
    if (strcmp(interface, wl_compositor_interface.name) == 0)
        wl.compositor = wl_registry_bind(registry, name, &wl_compositor_interface, version < 4 ? version : 4);
    else if (strcmp(interface, xdg_wm_base_interface.name) == 0)
        wl.shell = wl_registry_bind(registry, name, &xdg_wm_base_interface, 1);
}

static void on_global_remove(void *data, struct wl_registry *registry, uint32_t name)
{
    (void)data, (void)registry, (void)name;
}

static void on_ping(void *data, struct xdg_wm_base *shell, uint32_t serial)
{
    (void)data;
    xdg_wm_base_pong(shell, serial);
}

static void on_configure(void *data, struct xdg_surface *surface, uint32_t serial)
{
    (void)data;
    xdg_surface_ack_configure(surface, serial);
}

static void on_toplevel_configure(void *data, struct xdg_toplevel *toplevel, int32_t width, int32_t height,
                                  struct wl_array *states)
{
    (void)data, (void)toplevel, (void)width, (void)height, (void)states;
}

static void on_toplevel_close(void *data, struct xdg_toplevel *toplevel)
{
    (void)data, (void)toplevel;
}

static void open_wayland(void)
{
    static const struct wl_registry_listener registry_listener = {on_global, on_global_remove};
    static const struct xdg_wm_base_listener shell_listener = {on_ping};
    wl.display = wl_display_connect(NULL);
    if (wl.display) {
        wl_registry_add_listener(wl_display_get_registry(wl.display), &registry_listener, NULL);
        wl_display_roundtrip(wl.display);
    }
    if (!wl.compositor || !wl.shell) {
        printf("Bail out! no compositor\n");
        exit(1);
    }
    xdg_wm_base_add_listener(wl.shell, &shell_listener, NULL);
}

static window_id create_wayland_window(void)
{
    static const struct xdg_surface_listener surface_listener = {on_configure};
    static const struct xdg_toplevel_listener toplevel_listener = {.configure = on_toplevel_configure,
                                                                   .close = on_toplevel_close};
    window_id id = wl.window_count++;
    wl.windows[id].surface = wl_compositor_create_surface(wl.compositor);
    wl.windows[id].xdg_surface = xdg_wm_base_get_xdg_surface(wl.shell, wl.windows[id].surface);
    xdg_surface_add_listener(wl.windows[id].xdg_surface, &surface_listener, NULL);
    wl.windows[id].toplevel = xdg_surface_get_toplevel(wl.windows[id].xdg_surface);
    xdg_toplevel_add_listener(wl.windows[id].toplevel, &toplevel_listener, NULL);
    wl_surface_commit(wl.windows[id].surface);
    wl_display_roundtrip(wl.display); /* the first configure */
    return id;
}

static void destroy_wayland_window(window_id id)
{
    xdg_toplevel_destroy(wl.windows[id].toplevel);
    xdg_surface_destroy(wl.windows[id].xdg_surface);
    wl_surface_destroy(wl.windows[id].surface);
    wl_display_flush(wl.display);
}
#endif

/* ---- set-up ---- */

static void open_display(void)
{
#ifdef HAS_WAYLAND
    if (vk.kind == WAYLAND) {
        open_wayland();
        return;
    }
#endif
    if (vk.kind == XLIB) {
        vk.display = XOpenDisplay(NULL);
        vk.connection = vk.display ? XGetXCBConnection(vk.display) : NULL;
    } else {
        vk.connection = xcb_connect(NULL, NULL);
    }
    if (!vk.connection || xcb_connection_has_error(vk.connection)) {
        printf("Bail out! no X server\n");
        exit(1);
    }
}

static void close_display(void)
{
#ifdef HAS_WAYLAND
    if (wl.display) {
        wl_display_disconnect(wl.display);
        return;
    }
#endif
    if (vk.display)
        XCloseDisplay(vk.display);
    else if (vk.connection)
        xcb_disconnect(vk.connection);
}

static window_id create_window(uint16_t width, uint16_t height)
{
#ifdef HAS_WAYLAND
    if (vk.kind == WAYLAND)
        return create_wayland_window();
#endif
    xcb_screen_t *screen = xcb_setup_roots_iterator(xcb_get_setup(vk.connection)).data;
    xcb_window_t window = xcb_generate_id(vk.connection);
    xcb_create_window(vk.connection, XCB_COPY_FROM_PARENT, window, screen->root, 10, 10, width, height, 0,
                      XCB_WINDOW_CLASS_INPUT_OUTPUT, screen->root_visual, 0, NULL);
    xcb_map_window(vk.connection, window);
    free(xcb_get_input_focus_reply(vk.connection, xcb_get_input_focus(vk.connection), NULL));
    return window;
}

static void destroy_window(window_id window)
{
#ifdef HAS_WAYLAND
    if (vk.kind == WAYLAND) {
        destroy_wayland_window(window);
        return;
    }
#endif
    xcb_destroy_window(vk.connection, window);
}

static void create_instance(void)
{
    static const char *const surfaces[] = {"VK_EXT_headless_surface", "VK_KHR_xcb_surface", "VK_KHR_xlib_surface",
                                           "VK_KHR_wayland_surface"};
    const char *extensions[] = {"VK_KHR_surface", surfaces[vk.kind], "VK_KHR_get_surface_capabilities2",
                                "VK_EXT_surface_maintenance1"};
    VkExtensionProperties all[128];
    uint32_t all_count = LENGTH(all);
    vkEnumerateInstanceExtensionProperties(NULL, &all_count, all);
    for (uint32_t i = 0; i < all_count; i++)
        vk.has_maintenance |= strcmp(all[i].extensionName, "VK_EXT_surface_maintenance1") == 0;
    VkApplicationInfo application = {.sType = STRUCT(APPLICATION_INFO), .apiVersion = VK_API_VERSION_1_3};
    VkInstanceCreateInfo info = {.sType = STRUCT(INSTANCE_CREATE_INFO),
                                 .pApplicationInfo = &application,
                                 .enabledExtensionCount = LENGTH(extensions) - !vk.has_maintenance,
                                 .ppEnabledExtensionNames = extensions};
    VkResult result = vkCreateInstance(&info, NULL, &vk.instance);
    if (result == VK_ERROR_EXTENSION_NOT_PRESENT) {
        printf("1..0 # SKIP the driver has no such surfaces\n");
        exit(0);
    }
    CHECK(result);
    uint32_t one = 1;
    CHECK(vkEnumeratePhysicalDevices(vk.instance, &one, &vk.physical));
}

static VkSurfaceKHR create_surface(window_id window)
{
    VkSurfaceKHR surface = VK_NULL_HANDLE;
    if (vk.kind == HEADLESS) {
        PFN_vkCreateHeadlessSurfaceEXT create =
            (PFN_vkCreateHeadlessSurfaceEXT)vkGetInstanceProcAddr(vk.instance, "vkCreateHeadlessSurfaceEXT");
        VkHeadlessSurfaceCreateInfoEXT info = {.sType = STRUCT(HEADLESS_SURFACE_CREATE_INFO_EXT)};
        CHECK(create(vk.instance, &info, NULL, &surface));
#ifdef HAS_WAYLAND
    } else if (vk.kind == WAYLAND) {
        VkWaylandSurfaceCreateInfoKHR info = {.sType = STRUCT(WAYLAND_SURFACE_CREATE_INFO_KHR),
                                              .display = wl.display,
                                              .surface = wl.windows[window].surface};
        CHECK(vkCreateWaylandSurfaceKHR(vk.instance, &info, NULL, &surface));
#endif
    } else if (vk.kind == XLIB) {
        VkXlibSurfaceCreateInfoKHR info = {
            .sType = STRUCT(XLIB_SURFACE_CREATE_INFO_KHR), .dpy = vk.display, .window = window};
        CHECK(vkCreateXlibSurfaceKHR(vk.instance, &info, NULL, &surface));
    } else {
        VkXcbSurfaceCreateInfoKHR info = {
            .sType = STRUCT(XCB_SURFACE_CREATE_INFO_KHR), .connection = vk.connection, .window = window};
        CHECK(vkCreateXcbSurfaceKHR(vk.instance, &info, NULL, &surface));
    }
    return surface;
}

static bool has_extension(const char *name)
{
    VkExtensionProperties extensions[512];
    uint32_t count = LENGTH(extensions);
    vkEnumerateDeviceExtensionProperties(vk.physical, NULL, &count, extensions);
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(extensions[i].extensionName, name) == 0)
            return true;
    }
    return false;
}

static void create_device(void)
{
    const char *extensions[8] = {"VK_KHR_swapchain"};
    uint32_t extension_count = 1;
    VkPhysicalDeviceSwapchainMaintenance1FeaturesEXT maintenance = {
        .sType = STRUCT(PHYSICAL_DEVICE_SWAPCHAIN_MAINTENANCE_1_FEATURES_EXT), .swapchainMaintenance1 = VK_TRUE};
    vk.has_maintenance &= has_extension("VK_EXT_swapchain_maintenance1");
    vk.has_incremental = has_extension("VK_KHR_incremental_present");
    VkPhysicalDevicePresentWaitFeaturesKHR wait = {.sType = STRUCT(PHYSICAL_DEVICE_PRESENT_WAIT_FEATURES_KHR),
                                                   .presentWait = VK_TRUE};
    VkPhysicalDevicePresentIdFeaturesKHR id = {
        .sType = STRUCT(PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR), .pNext = &wait, .presentId = VK_TRUE};
    vk.has_present_wait = has_extension("VK_KHR_present_id") && has_extension("VK_KHR_present_wait");
    vk.has_mutable_format = has_extension("VK_KHR_swapchain_mutable_format");
    VkPhysicalDeviceVulkan13Features core = {.sType = STRUCT(PHYSICAL_DEVICE_VULKAN_1_3_FEATURES),
                                             .pNext = vk.has_present_wait ? &id : NULL,
                                             .dynamicRendering = VK_TRUE};
    if (vk.has_maintenance) {
        extensions[extension_count++] = "VK_EXT_swapchain_maintenance1";
        maintenance.pNext = core.pNext;
        core.pNext = &maintenance;
    }
    if (vk.has_incremental)
        extensions[extension_count++] = "VK_KHR_incremental_present";
    if (vk.has_mutable_format)
        extensions[extension_count++] = "VK_KHR_swapchain_mutable_format";
    if (vk.has_present_wait) {
        extensions[extension_count++] = "VK_KHR_present_id";
        extensions[extension_count++] = "VK_KHR_present_wait";
    }
    float priority = 1;
    VkDeviceQueueCreateInfo queue = {
        .sType = STRUCT(DEVICE_QUEUE_CREATE_INFO), .queueCount = 1, .pQueuePriorities = &priority};
    VkDeviceCreateInfo info = {.sType = STRUCT(DEVICE_CREATE_INFO),
                               .pNext = &core,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue,
                               .enabledExtensionCount = extension_count,
                               .ppEnabledExtensionNames = extensions};
    CHECK(vkCreateDevice(vk.physical, &info, NULL, &vk.device));
    vkGetDeviceQueue(vk.device, 0, 0, &vk.queue);
    VkCommandPoolCreateInfo pool = {.sType = STRUCT(COMMAND_POOL_CREATE_INFO)};
    CHECK(vkCreateCommandPool(vk.device, &pool, NULL, &vk.pool));
}

static VkResult try_chain_with(struct chain *chain, VkPresentModeKHR mode, uint32_t least, VkExtent2D extent,
                               VkSwapchainKHR old, VkSwapchainCreateFlagsKHR flags, const void *next)
{
    VkSwapchainCreateInfoKHR info = {.sType = STRUCT(SWAPCHAIN_CREATE_INFO_KHR),
                                     .pNext = next,
                                     .flags = flags,
                                     .surface = vk.surface,
                                     .minImageCount = least,
                                     .imageFormat = VK_FORMAT_B8G8R8A8_UNORM,
                                     .imageExtent = extent,
                                     .imageArrayLayers = 1,
                                     .imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                                   VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
                                     .preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
                                     .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
                                     .presentMode = mode,
                                     .oldSwapchain = old};
    VkResult result = vkCreateSwapchainKHR(vk.device, &info, NULL, &chain->handle);
    if (result != VK_SUCCESS)
        return result;
    chain->extent = extent;
    chain->count = MAX_IMAGES;
    return vkGetSwapchainImagesKHR(vk.device, chain->handle, &chain->count, chain->images);
}

static VkResult try_chain(struct chain *chain, VkPresentModeKHR mode, uint32_t least, VkExtent2D extent,
                          VkSwapchainKHR old)
{
    return try_chain_with(chain, mode, least, extent, old, 0, NULL);
}

static VkExtent2D current_extent(void)
{
    VkSurfaceCapabilitiesKHR capabilities;
    CHECK(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(vk.physical, vk.surface, &capabilities));
    return capabilities.currentExtent.width == UINT32_MAX ? (VkExtent2D){200, 150} : capabilities.currentExtent;
}

static struct chain create_chain(VkPresentModeKHR mode, uint32_t least, VkSwapchainKHR old)
{
    struct chain chain;
    CHECK(try_chain(&chain, mode, least, current_extent(), old));
    return chain;
}

/* ---- one frame ---- */

static void barrier(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to)
{
    VkImageMemoryBarrier info = {.sType = STRUCT(IMAGE_MEMORY_BARRIER),
                                 .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                 .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                 .oldLayout = from,
                                 .newLayout = to,
                                 .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                 .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                 .image = image,
                                 .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL,
                         0, NULL, 1, &info);
}

static VkCommandBuffer begin_commands(void)
{
    VkCommandBufferAllocateInfo info = {
        .sType = STRUCT(COMMAND_BUFFER_ALLOCATE_INFO), .commandPool = vk.pool, .commandBufferCount = 1};
    VkCommandBufferBeginInfo start = {.sType = STRUCT(COMMAND_BUFFER_BEGIN_INFO)};
    VkCommandBuffer commands;
    CHECK(vkAllocateCommandBuffers(vk.device, &info, &commands));
    CHECK(vkBeginCommandBuffer(commands, &start));
    return commands;
}

static VkSemaphore create_semaphore(void)
{
    VkSemaphoreCreateInfo info = {.sType = STRUCT(SEMAPHORE_CREATE_INFO)};
    VkSemaphore semaphore;
    CHECK(vkCreateSemaphore(vk.device, &info, NULL, &semaphore));
    return semaphore;
}

static void submit_commands(VkCommandBuffer commands, VkSemaphore wait, VkSemaphore signal)
{
    VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkSubmitInfo info = {.sType = STRUCT(SUBMIT_INFO),
                         .waitSemaphoreCount = wait != VK_NULL_HANDLE,
                         .pWaitSemaphores = &wait,
                         .pWaitDstStageMask = &stage,
                         .commandBufferCount = 1,
                         .pCommandBuffers = &commands,
                         .signalSemaphoreCount = signal != VK_NULL_HANDLE,
                         .pSignalSemaphores = &signal};
    CHECK(vkEndCommandBuffer(commands));
    CHECK(vkQueueSubmit(vk.queue, 1, &info, VK_NULL_HANDLE));
}

static void clear_image(VkCommandBuffer commands, VkImage image, float red)
{
    VkClearColorValue colour = {.float32 = {red, 0.5f, 0.25f, 1}};
    VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    barrier(commands, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdClearColorImage(commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &colour, 1, &all);
    barrier(commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
}

static VkResult present_image(const struct chain *chain, uint32_t index, VkSemaphore wait, uint64_t id)
{
    VkPresentIdKHR ids = {.sType = STRUCT(PRESENT_ID_KHR), .swapchainCount = 1, .pPresentIds = &id};
    VkPresentInfoKHR info = {.sType = STRUCT(PRESENT_INFO_KHR),
                             .pNext = id ? &ids : NULL,
                             .waitSemaphoreCount = wait != VK_NULL_HANDLE,
                             .pWaitSemaphores = &wait,
                             .swapchainCount = 1,
                             .pSwapchains = &chain->handle,
                             .pImageIndices = &index};
    return vkQueuePresentKHR(vk.queue, &info);
}

/* Acquire, clear, present, wait until the queue is idle. */
static VkResult frame(const struct chain *chain, float red, uint64_t id)
{
    VkSemaphore acquired = create_semaphore(), drawn = create_semaphore();
    uint32_t index = 0;
    VkResult result = vkAcquireNextImageKHR(vk.device, chain->handle, UINT64_MAX, acquired, VK_NULL_HANDLE, &index);
    if (result >= 0) {
        VkCommandBuffer commands = begin_commands();
        clear_image(commands, chain->images[index], red);
        submit_commands(commands, acquired, drawn);
        VkResult presented = present_image(chain, index, drawn, id);
        result = presented != VK_SUCCESS ? presented : result;
        vkQueueWaitIdle(vk.queue);
        vkFreeCommandBuffers(vk.device, vk.pool, 1, &commands);
    }
    vkDestroySemaphore(vk.device, acquired, NULL);
    vkDestroySemaphore(vk.device, drawn, NULL);
    return result;
}

/* ---- cases ---- */

static void surface_cases(void)
{
    VkBool32 supported = VK_FALSE;
    CHECK(vkGetPhysicalDeviceSurfaceSupportKHR(vk.physical, 0, vk.surface, &supported));
    report_result(supported, "the first queue family can present");
    VkSurfaceFormatKHR formats[32];
    uint32_t count = LENGTH(formats), one = 1;
    VkResult shortened = vkGetPhysicalDeviceSurfaceFormatsKHR(vk.physical, vk.surface, &one, formats);
    /* After that: validation layers keep the last answer. */
    CHECK(vkGetPhysicalDeviceSurfaceFormatsKHR(vk.physical, vk.surface, &count, formats));
    report_result(count < 2 || shortened == VK_INCOMPLETE, "a short array is VK_INCOMPLETE");
    bool found = false;
    for (uint32_t i = 0; i < count; i++)
        found |=
            formats[i].format == VK_FORMAT_B8G8R8A8_UNORM && formats[i].colorSpace == VK_COLOR_SPACE_SRGB_NONLINEAR_KHR;
    report_result(found, "B8G8R8A8_UNORM is among the formats");
    report_result(count && formats[0].format == VK_FORMAT_B8G8R8A8_SRGB,
                  "sRGB is the first: programs that take it write light");
    VkSurfaceCapabilitiesKHR capabilities;
    CHECK(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(vk.physical, vk.surface, &capabilities));
    report_result((capabilities.supportedUsageFlags & VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT) &&
                      capabilities.minImageCount > 0 && (!is_x11() || capabilities.currentExtent.width == 200),
                  "the capabilities tell the window's size");
}

static xcb_visualid_t find_direct_color(uint8_t depth)
{
    xcb_screen_t *screen = xcb_setup_roots_iterator(xcb_get_setup(vk.connection)).data;
    for (xcb_depth_iterator_t it = xcb_screen_allowed_depths_iterator(screen); it.rem; xcb_depth_next(&it)) {
        const xcb_visualtype_t *visuals = xcb_depth_visuals(it.data);
        for (int i = 0; it.data->depth == depth && i < xcb_depth_visuals_length(it.data); i++) {
            if (visuals[i]._class == XCB_VISUAL_CLASS_DIRECT_COLOR)
                return visuals[i].visual_id;
        }
    }
    return 0;
}

/* Pixels are indices into three ramps there, which programs leave as they are (SDL does so). */
static void direct_color_cases(void)
{
    xcb_visualid_t visual = find_direct_color(24);
    if (!visual) {
        skip_case("a window with a DirectColor visual can be presented to", "the server has none");
        return;
    }
    xcb_screen_t *screen = xcb_setup_roots_iterator(xcb_get_setup(vk.connection)).data;
    xcb_colormap_t colormap = xcb_generate_id(vk.connection);
    xcb_create_colormap(vk.connection, XCB_COLORMAP_ALLOC_NONE, colormap, screen->root, visual);
    window_id window = xcb_generate_id(vk.connection);
    xcb_create_window(vk.connection, 24, window, screen->root, 10, 10, 64, 64, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT, visual,
                      XCB_CW_BORDER_PIXEL | XCB_CW_COLORMAP, (uint32_t[]){0, colormap});
    xcb_map_window(vk.connection, window);
    VkSurfaceKHR surface = create_surface(window);
    VkBool32 supported = VK_FALSE;
    CHECK(vkGetPhysicalDeviceSurfaceSupportKHR(vk.physical, 0, surface, &supported));
    uint32_t count = 0;
    CHECK(vkGetPhysicalDeviceSurfaceFormatsKHR(vk.physical, surface, &count, NULL));
    report_result(supported && count > 0, "a window with a DirectColor visual can be presented to");
    vkDestroySurfaceKHR(vk.instance, surface, NULL);
    xcb_destroy_window(vk.connection, window);
    xcb_free_colormap(vk.connection, colormap);
}

static void mode_cases(void)
{
    static const char *const names[] = {"IMMEDIATE", "MAILBOX", "FIFO", "FIFO_RELAXED"};
    VkPresentModeKHR modes[16];
    uint32_t count = LENGTH(modes);
    CHECK(vkGetPhysicalDeviceSurfacePresentModesKHR(vk.physical, vk.surface, &count, modes));
    bool has_fifo = false;
    for (uint32_t i = 0; i < count; i++) {
        has_fifo |= modes[i] == VK_PRESENT_MODE_FIFO_KHR;
        struct chain chain = create_chain(modes[i], 3, VK_NULL_HANDLE);
        bool good = chain.count >= 3;
        for (int j = 0; j < 20; j++)
            good &= frame(&chain, (float)j / 20, 0) == VK_SUCCESS;
        char text[64];
        snprintf(text, sizeof(text), "20 frames in mode %s", modes[i] < 4 ? names[modes[i]] : "other");
        report_result(good, text);
        vkDestroySwapchainKHR(vk.device, chain.handle, NULL);
    }
    report_result(has_fifo, "FIFO is always there");
}

static void acquire_cases(void)
{
    struct chain chain = create_chain(VK_PRESENT_MODE_FIFO_KHR, 2, VK_NULL_HANDLE);
    VkFenceCreateInfo info = {.sType = STRUCT(FENCE_CREATE_INFO)};
    VkFence fence;
    CHECK(vkCreateFence(vk.device, &info, NULL, &fence));
    uint32_t index, seen = 0, taken = 0;
    /* How many can be had at once is the driver's; all of them or fewer, each another. */
    while (taken < chain.count) {
        VkResult result = vkAcquireNextImageKHR(vk.device, chain.handle, 0, VK_NULL_HANDLE, fence, &index);
        if (result != VK_SUCCESS)
            break;
        taken++;
        seen |= 1u << index;
        CHECK(vkWaitForFences(vk.device, 1, &fence, VK_TRUE, PATIENCE));
        CHECK(vkResetFences(vk.device, 1, &fence));
    }
    report_result(taken > 0 && __builtin_popcount(seen) == (int)taken,
                  "acquired images are different, and the fence is signalled");
    report_result(vkAcquireNextImageKHR(vk.device, chain.handle, 0, VK_NULL_HANDLE, fence, &index) == VK_NOT_READY,
                  "without a free image and without a time-out: VK_NOT_READY");
    uint64_t start_ns = now_ns();
    VkResult late = vkAcquireNextImageKHR(vk.device, chain.handle, 50 * MS, VK_NULL_HANDLE, fence, &index);
    uint64_t waited_ns = now_ns() - start_ns;
    report_result(late == VK_TIMEOUT && waited_ns >= 50 * MS && waited_ns < PATIENCE,
                  "with one: VK_TIMEOUT, and not earlier");
    vkDestroyFence(vk.device, fence, NULL);
    vkDestroySwapchainKHR(vk.device, chain.handle, NULL);
}

static void present_wait_cases(void)
{
    if (!vk.has_present_wait) {
        skip_case("present ids are waited for", "no VK_KHR_present_wait");
        return;
    }
    PFN_vkWaitForPresentKHR wait = (PFN_vkWaitForPresentKHR)vkGetDeviceProcAddr(vk.device, "vkWaitForPresentKHR");
    struct chain chain = create_chain(VK_PRESENT_MODE_FIFO_KHR, 3, VK_NULL_HANDLE);
    bool good = true;
    for (uint64_t id = 1; id <= 5; id++)
        good &= frame(&chain, 0.5f, 10 * id) == VK_SUCCESS;
    good &= wait(vk.device, chain.handle, 50, PATIENCE) == VK_SUCCESS;
    good &= wait(vk.device, chain.handle, 11, 0) == VK_SUCCESS;
    report_result(good, "present ids are waited for");
    report_result(wait(vk.device, chain.handle, 51, 20 * MS) == VK_TIMEOUT,
                  "an id that is not presented is a VK_TIMEOUT");
    vkDestroySwapchainKHR(vk.device, chain.handle, NULL);
}

static void retire_cases(void)
{
    struct chain old = create_chain(VK_PRESENT_MODE_FIFO_KHR, 3, VK_NULL_HANDLE);
    bool good = frame(&old, 0.25f, 0) == VK_SUCCESS;
    struct chain new = create_chain(VK_PRESENT_MODE_FIFO_KHR, 3, old.handle);
    good &= frame(&new, 0.5f, 0) >= 0;
    report_result(good, "a swapchain replaces another");
    vkDestroySwapchainKHR(vk.device, old.handle, NULL);
    good = frame(&new, 0.75f, 0) >= 0;
    report_result(good, "and goes on when the other is destroyed");
    vkDestroySwapchainKHR(vk.device, new.handle, NULL);
    for (int i = 0; i < 20; i++) {
        struct chain one = create_chain(VK_PRESENT_MODE_FIFO_KHR, 2, VK_NULL_HANDLE);
        good &= i % 4 || frame(&one, 0.5f, 0) >= 0;
        vkDestroySwapchainKHR(vk.device, one.handle, NULL);
    }
    report_result(good, "twenty swapchains, one after the other");
}

/* An image of the application's in the memory of a swapchain's: what is written to the one is in the other. */
static void memory_cases(void)
{
    struct chain chain = create_chain(VK_PRESENT_MODE_FIFO_KHR, 2, VK_NULL_HANDLE);
    VkImageSwapchainCreateInfoKHR of = {.sType = STRUCT(IMAGE_SWAPCHAIN_CREATE_INFO_KHR), .swapchain = chain.handle};
    VkImageCreateInfo info = {.sType = STRUCT(IMAGE_CREATE_INFO),
                              .pNext = &of,
                              .imageType = VK_IMAGE_TYPE_2D,
                              .format = VK_FORMAT_B8G8R8A8_UNORM,
                              .extent = {chain.extent.width, chain.extent.height, 1},
                              .mipLevels = 1,
                              .arrayLayers = 1,
                              .samples = VK_SAMPLE_COUNT_1_BIT,
                              .usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                       VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT};
    VkImage image;
    CHECK(vkCreateImage(vk.device, &info, NULL, &image));
    VkSemaphore acquired = create_semaphore(), drawn = create_semaphore();
    VkAcquireNextImageInfoKHR next = {.sType = STRUCT(ACQUIRE_NEXT_IMAGE_INFO_KHR),
                                      .swapchain = chain.handle,
                                      .timeout = UINT64_MAX,
                                      .semaphore = acquired,
                                      .deviceMask = 1};
    uint32_t index = 0;
    CHECK(vkAcquireNextImage2KHR(vk.device, &next, &index));
    VkBindImageMemorySwapchainInfoKHR place = {
        .sType = STRUCT(BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR), .swapchain = chain.handle, .imageIndex = index};
    VkBindImageMemoryInfo bind = {.sType = STRUCT(BIND_IMAGE_MEMORY_INFO), .pNext = &place, .image = image};
    CHECK(vkBindImageMemory2(vk.device, 1, &bind));
    VkCommandBuffer commands = begin_commands();
    clear_image(commands, image, 1);
    submit_commands(commands, acquired, drawn);
    report_result(present_image(&chain, index, drawn, 0) >= 0,
                  "an image in a swapchain's memory is drawn to and presented");
    vkDeviceWaitIdle(vk.device);
    vkFreeCommandBuffers(vk.device, vk.pool, 1, &commands);
    vkDestroySemaphore(vk.device, acquired, NULL);
    vkDestroySemaphore(vk.device, drawn, NULL);
    vkDestroyImage(vk.device, image, NULL);
    vkDestroySwapchainKHR(vk.device, chain.handle, NULL);
}

static void resize_cases(void)
{
    struct chain chain = create_chain(VK_PRESENT_MODE_IMMEDIATE_KHR, 3, VK_NULL_HANDLE);
    bool good = frame(&chain, 0.5f, 0) == VK_SUCCESS;
    xcb_configure_window(vk.connection, vk.window, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT,
                         (uint32_t[]){320, 100});
    xcb_flush(vk.connection);
    VkResult result = VK_SUCCESS;
    for (int i = 0; i < 20 && result == VK_SUCCESS; i++)
        result = frame(&chain, 0.5f, 0);
    report_result(good && (result == VK_SUBOPTIMAL_KHR || result == VK_ERROR_OUT_OF_DATE_KHR),
                  "a resized window makes its swapchain suboptimal or out of date");
    struct chain fitting = create_chain(VK_PRESENT_MODE_IMMEDIATE_KHR, 3, chain.handle);
    good = fitting.extent.width == 320 && fitting.extent.height == 100;
    for (int i = 0; i < 5; i++)
        good &= frame(&fitting, 1, 0) == VK_SUCCESS;
    report_result(good, "a new one of the new size is neither");
    vkDestroySwapchainKHR(vk.device, chain.handle, NULL);
    vkDestroySwapchainKHR(vk.device, fitting.handle, NULL);
}

/* Bytes of host memory that the device reads and writes. */
static uint8_t *create_buffer(VkDeviceSize size_B, VkBuffer *buffer_out, VkDeviceMemory *memory_out)
{
    VkBufferCreateInfo info = {.sType = STRUCT(BUFFER_CREATE_INFO),
                               .size = size_B,
                               .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT};
    CHECK(vkCreateBuffer(vk.device, &info, NULL, buffer_out));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(vk.device, *buffer_out, &needs);
    VkPhysicalDeviceMemoryProperties types;
    vkGetPhysicalDeviceMemoryProperties(vk.physical, &types);
    const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    uint32_t type = 0;
    while (type + 1 < types.memoryTypeCount &&
           (!(needs.memoryTypeBits & 1u << type) || (types.memoryTypes[type].propertyFlags & wanted) != wanted))
        type++;
    VkMemoryAllocateInfo allocate = {
        .sType = STRUCT(MEMORY_ALLOCATE_INFO), .allocationSize = needs.size, .memoryTypeIndex = type};
    CHECK(vkAllocateMemory(vk.device, &allocate, NULL, memory_out));
    CHECK(vkBindBufferMemory(vk.device, *buffer_out, *memory_out, 0));
    void *map;
    CHECK(vkMapMemory(vk.device, *memory_out, 0, VK_WHOLE_SIZE, 0, &map));
    return map;
}

/* Cleared through a view of the sRGB format, an image of the linear one holds what sRGB makes of the colour. */
static void draw_through_view(VkImage image, VkExtent2D extent, VkBuffer buffer, VkSemaphore acquired,
                              VkSemaphore drawn)
{
    VkImageViewCreateInfo info = {.sType = STRUCT(IMAGE_VIEW_CREATE_INFO),
                                  .image = image,
                                  .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                  .format = VK_FORMAT_B8G8R8A8_SRGB,
                                  .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    VkImageView view;
    CHECK(vkCreateImageView(vk.device, &info, NULL, &view));
    VkCommandBuffer commands = begin_commands();
    barrier(commands, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    VkRenderingAttachmentInfo attachment = {.sType = STRUCT(RENDERING_ATTACHMENT_INFO),
                                            .imageView = view,
                                            .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                            .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                            .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                            .clearValue.color.float32 = {0.5f, 0.5f, 0.5f, 1}};
    VkRenderingInfo rendering = {.sType = STRUCT(RENDERING_INFO),
                                 .renderArea.extent = extent,
                                 .layerCount = 1,
                                 .colorAttachmentCount = 1,
                                 .pColorAttachments = &attachment};
    vkCmdBeginRendering(commands, &rendering);
    vkCmdEndRendering(commands);
    barrier(commands, image, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {1, 1, 1}};
    vkCmdCopyImageToBuffer(commands, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, buffer, 1, &region);
    barrier(commands, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
    submit_commands(commands, acquired, drawn);
    vkDeviceWaitIdle(vk.device);
    vkFreeCommandBuffers(vk.device, vk.pool, 1, &commands);
    vkDestroyImageView(vk.device, view, NULL);
}

static void mutable_format_cases(void)
{
    if (!vk.has_mutable_format) {
        skip_case("an image is drawn to through a view of another format", "no VK_KHR_swapchain_mutable_format");
        return;
    }
    const VkFormat formats[] = {VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_B8G8R8A8_SRGB};
    VkImageFormatListCreateInfo list = {
        .sType = STRUCT(IMAGE_FORMAT_LIST_CREATE_INFO), .viewFormatCount = 2, .pViewFormats = formats};
    struct chain chain;
    CHECK(try_chain_with(&chain, VK_PRESENT_MODE_FIFO_KHR, 2, current_extent(), VK_NULL_HANDLE,
                         VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR, &list));
    VkBuffer buffer;
    VkDeviceMemory memory;
    const uint8_t *pixel = create_buffer(4, &buffer, &memory);
    VkSemaphore acquired = create_semaphore(), drawn = create_semaphore();
    uint32_t index = 0;
    CHECK(vkAcquireNextImageKHR(vk.device, chain.handle, UINT64_MAX, acquired, VK_NULL_HANDLE, &index));
    draw_through_view(chain.images[index], chain.extent, buffer, acquired, drawn);
    report_result(abs(pixel[0] - 188) <= 1 && present_image(&chain, index, drawn, 0) >= 0,
                  "an image is drawn to through a view of another format");
    vkDeviceWaitIdle(vk.device);
    vkDestroySemaphore(vk.device, acquired, NULL);
    vkDestroySemaphore(vk.device, drawn, NULL);
    vkDestroyBuffer(vk.device, buffer, NULL);
    vkFreeMemory(vk.device, memory, NULL);
    vkDestroySwapchainKHR(vk.device, chain.handle, NULL);
}

/* ---- VK_EXT_surface_maintenance1 and VK_EXT_swapchain_maintenance1 ---- */

static uint32_t ask_compatible(VkPresentModeKHR mode, uint32_t room, VkPresentModeKHR *modes)
{
    VkSurfacePresentModeEXT of = {.sType = STRUCT(SURFACE_PRESENT_MODE_EXT), .presentMode = mode};
    VkPhysicalDeviceSurfaceInfo2KHR info = {
        .sType = STRUCT(PHYSICAL_DEVICE_SURFACE_INFO_2_KHR), .pNext = &of, .surface = vk.surface};
    VkSurfacePresentScalingCapabilitiesEXT scaling = {.sType = STRUCT(SURFACE_PRESENT_SCALING_CAPABILITIES_EXT)};
    VkSurfacePresentModeCompatibilityEXT compatible = {.sType = STRUCT(SURFACE_PRESENT_MODE_COMPATIBILITY_EXT),
                                                       .pNext = &scaling,
                                                       .presentModeCount = room,
                                                       .pPresentModes = modes};
    VkSurfaceCapabilities2KHR capabilities = {.sType = STRUCT(SURFACE_CAPABILITIES_2_KHR), .pNext = &compatible};
    PFN_vkGetPhysicalDeviceSurfaceCapabilities2KHR ask =
        (PFN_vkGetPhysicalDeviceSurfaceCapabilities2KHR)vkGetInstanceProcAddr(
            vk.instance, "vkGetPhysicalDeviceSurfaceCapabilities2KHR");
    CHECK(ask(vk.physical, &info, &capabilities));
    return compatible.presentModeCount;
}

/* The modes that presentations of one swapchain can have. The validation layers keep the first answer that they see for
 * a mode, even one without room: the short questions are about another. */
static uint32_t compatible_modes(VkPresentModeKHR modes[8])
{
    uint32_t count = ask_compatible(VK_PRESENT_MODE_FIFO_KHR, 8, modes);
    bool has_itself = false;
    for (uint32_t i = 0; i < count; i++)
        has_itself |= modes[i] == VK_PRESENT_MODE_FIFO_KHR;
    report_result(has_itself && count <= 8, "a present mode is compatible with itself at least");
    VkPresentModeKHR one;
    report_result(ask_compatible(VK_PRESENT_MODE_MAILBOX_KHR, 0, NULL) >= 1 &&
                      ask_compatible(VK_PRESENT_MODE_MAILBOX_KHR, 1, &one) == 1,
                  "compatible modes are counted, and written where there is room");
    return count;
}

/* Acquire, clear, present in the mode; the fence says that the semaphore can be had again. */
static bool present_in_mode(const struct chain *chain, VkPresentModeKHR mode)
{
    VkSemaphore acquired = create_semaphore(), drawn = create_semaphore();
    VkFenceCreateInfo fence_info = {.sType = STRUCT(FENCE_CREATE_INFO)};
    VkFence fence;
    CHECK(vkCreateFence(vk.device, &fence_info, NULL, &fence));
    uint32_t index = 0;
    CHECK(vkAcquireNextImageKHR(vk.device, chain->handle, UINT64_MAX, acquired, VK_NULL_HANDLE, &index));
    VkCommandBuffer commands = begin_commands();
    clear_image(commands, chain->images[index], 0.5f);
    submit_commands(commands, acquired, drawn);
    VkSwapchainPresentFenceInfoEXT fences = {
        .sType = STRUCT(SWAPCHAIN_PRESENT_FENCE_INFO_EXT), .swapchainCount = 1, .pFences = &fence};
    VkSwapchainPresentModeInfoEXT modes = {.sType = STRUCT(SWAPCHAIN_PRESENT_MODE_INFO_EXT),
                                           .pNext = &fences,
                                           .swapchainCount = 1,
                                           .pPresentModes = &mode};
    VkPresentInfoKHR info = {.sType = STRUCT(PRESENT_INFO_KHR),
                             .pNext = &modes,
                             .waitSemaphoreCount = 1,
                             .pWaitSemaphores = &drawn,
                             .swapchainCount = 1,
                             .pSwapchains = &chain->handle,
                             .pImageIndices = &index};
    bool good = vkQueuePresentKHR(vk.queue, &info) >= 0;
    good &= vkWaitForFences(vk.device, 1, &fence, VK_TRUE, PATIENCE) == VK_SUCCESS;
    vkQueueWaitIdle(vk.queue); /* for the validation layers, which do not know that fence yet */
    vkDestroySemaphore(vk.device, acquired, NULL);
    vkDestroySemaphore(vk.device, drawn, NULL);
    vkDestroyFence(vk.device, fence, NULL);
    vkFreeCommandBuffers(vk.device, vk.pool, 1, &commands);
    return good;
}

static void release_case(const struct chain *chain)
{
    PFN_vkReleaseSwapchainImagesEXT release =
        (PFN_vkReleaseSwapchainImagesEXT)vkGetDeviceProcAddr(vk.device, "vkReleaseSwapchainImagesEXT");
    VkFenceCreateInfo fence_info = {.sType = STRUCT(FENCE_CREATE_INFO)};
    VkFence fence;
    CHECK(vkCreateFence(vk.device, &fence_info, NULL, &fence));
    bool good = true;
    /* More often than there are images, which only works when they come back. */
    for (uint32_t i = 0; i < 3 * chain->count; i++) {
        uint32_t index;
        good &= vkAcquireNextImageKHR(vk.device, chain->handle, PATIENCE, VK_NULL_HANDLE, fence, &index) >= 0;
        CHECK(vkWaitForFences(vk.device, 1, &fence, VK_TRUE, PATIENCE));
        CHECK(vkResetFences(vk.device, 1, &fence));
        VkReleaseSwapchainImagesInfoEXT info = {.sType = STRUCT(RELEASE_SWAPCHAIN_IMAGES_INFO_EXT),
                                                .swapchain = chain->handle,
                                                .imageIndexCount = 1,
                                                .pImageIndices = &index};
        good &= release(vk.device, &info) == VK_SUCCESS;
    }
    report_result(good, "images that are released unpresented can be acquired again");
    vkDestroyFence(vk.device, fence, NULL);
}

static void maintenance_cases(void)
{
    if (!vk.has_maintenance) {
        skip_case("present modes change within a swapchain", "no VK_EXT_swapchain_maintenance1");
        return;
    }
    VkPresentModeKHR modes[8];
    uint32_t count = compatible_modes(modes);
    VkSwapchainPresentModesCreateInfoEXT all = {
        .sType = STRUCT(SWAPCHAIN_PRESENT_MODES_CREATE_INFO_EXT), .presentModeCount = count, .pPresentModes = modes};
    struct chain chain;
    CHECK(try_chain_with(&chain, VK_PRESENT_MODE_FIFO_KHR, 3, current_extent(), VK_NULL_HANDLE, 0, &all));
    bool good = true;
    for (uint32_t i = 0; i < 5 * count; i++)
        good &= present_in_mode(&chain, modes[i % count]);
    report_result(good, "present modes change within a swapchain, and fences tell when semaphores are free");
    release_case(&chain);
    vkDestroySwapchainKHR(vk.device, chain.handle, NULL);
}

static void incremental_cases(void)
{
    if (!vk.has_incremental) {
        skip_case("a part of a picture is presented", "no VK_KHR_incremental_present");
        return;
    }
    struct chain chain = create_chain(VK_PRESENT_MODE_FIFO_KHR, 3, VK_NULL_HANDLE);
    bool good = frame(&chain, 0.5f, 0) >= 0;
    const VkRectLayerKHR rectangles[] = {{{10, 20}, {30, 40}, 0}, {{50, 1}, {7, 9}, 0}};
    const VkPresentRegionKHR regions[] = {{2, rectangles}, {1, rectangles}};
    for (uint32_t i = 0; i < 6; i++) {
        VkSemaphore acquired = create_semaphore(), drawn = create_semaphore();
        uint32_t index = 0;
        CHECK(vkAcquireNextImageKHR(vk.device, chain.handle, UINT64_MAX, acquired, VK_NULL_HANDLE, &index));
        VkCommandBuffer commands = begin_commands();
        clear_image(commands, chain.images[index], 0.5f);
        submit_commands(commands, acquired, drawn);
        VkPresentRegionsKHR changed = {
            .sType = STRUCT(PRESENT_REGIONS_KHR), .swapchainCount = 1, .pRegions = &regions[i % 2]};
        VkPresentInfoKHR info = {.sType = STRUCT(PRESENT_INFO_KHR),
                                 .pNext = &changed,
                                 .waitSemaphoreCount = 1,
                                 .pWaitSemaphores = &drawn,
                                 .swapchainCount = 1,
                                 .pSwapchains = &chain.handle,
                                 .pImageIndices = &index};
        good &= vkQueuePresentKHR(vk.queue, &info) >= 0;
        vkQueueWaitIdle(vk.queue);
        vkDestroySemaphore(vk.device, acquired, NULL);
        vkDestroySemaphore(vk.device, drawn, NULL);
        vkFreeCommandBuffers(vk.device, vk.pool, 1, &commands);
    }
    report_result(good, "a part of a picture is presented");
    vkDestroySwapchainKHR(vk.device, chain.handle, NULL);
}

/* Two windows, one presentation. */
static void two_window_cases(void)
{
    window_id window = vk.kind == HEADLESS ? 0 : create_window(200, 150);
    VkSurfaceKHR first = vk.surface, second = create_surface(window);
    struct chain chains[2];
    chains[0] = create_chain(VK_PRESENT_MODE_FIFO_KHR, 3, VK_NULL_HANDLE);
    vk.surface = second;
    chains[1] = create_chain(VK_PRESENT_MODE_FIFO_KHR, 2, VK_NULL_HANDLE);
    vk.surface = first;
    bool good = true;
    for (int i = 0; i < 10; i++) {
        VkSemaphore acquired[2] = {create_semaphore(), create_semaphore()},
                    drawn[2] = {create_semaphore(), create_semaphore()};
        VkCommandBuffer commands[2];
        uint32_t indices[2];
        VkResult results[2] = {VK_NOT_READY, VK_NOT_READY};
        for (int j = 0; j < 2; j++) {
            CHECK(vkAcquireNextImageKHR(vk.device, chains[j].handle, UINT64_MAX, acquired[j], VK_NULL_HANDLE,
                                        &indices[j]));
            commands[j] = begin_commands();
            clear_image(commands[j], chains[j].images[indices[j]], (float)j);
            submit_commands(commands[j], acquired[j], drawn[j]);
        }
        VkSwapchainKHR handles[2] = {chains[0].handle, chains[1].handle};
        VkPresentInfoKHR info = {.sType = STRUCT(PRESENT_INFO_KHR),
                                 .waitSemaphoreCount = 2,
                                 .pWaitSemaphores = drawn,
                                 .swapchainCount = 2,
                                 .pSwapchains = handles,
                                 .pImageIndices = indices,
                                 .pResults = results};
        good &= vkQueuePresentKHR(vk.queue, &info) >= 0 && results[0] >= 0 && results[1] >= 0 &&
                results[0] != VK_NOT_READY && results[1] != VK_NOT_READY;
        vkDeviceWaitIdle(vk.device);
        for (int j = 0; j < 2; j++) {
            vkDestroySemaphore(vk.device, acquired[j], NULL);
            vkDestroySemaphore(vk.device, drawn[j], NULL);
        }
        vkFreeCommandBuffers(vk.device, vk.pool, 2, commands);
    }
    report_result(good, "two windows in one presentation, each with its own result");
    vkDestroySwapchainKHR(vk.device, chains[0].handle, NULL);
    vkDestroySwapchainKHR(vk.device, chains[1].handle, NULL);
    vkDestroySurfaceKHR(vk.instance, second, NULL);
    if (window)
        destroy_window(window);
}

/* Allocation callbacks that fail when their time has come. */
static struct {
    int64_t left, living;
} allocations;

static void *VKAPI_CALL count_allocate(void *data, size_t size_B, size_t align_B, VkSystemAllocationScope scope)
{
    (void)data, (void)scope;
    void *memory = allocations.left-- > 0 ? aligned_alloc(align_B, (size_B + align_B - 1) / align_B * align_B) : NULL;
    allocations.living += memory != NULL;
    return memory;
}

static void VKAPI_CALL count_free(void *data, void *memory)
{
    (void)data;
    allocations.living -= memory != NULL;
    free(memory);
}

static void *VKAPI_CALL no_reallocate(void *data, void *memory, size_t size_B, size_t align_B,
                                      VkSystemAllocationScope scope)
{
    (void)data, (void)memory, (void)size_B, (void)align_B, (void)scope;
    return NULL;
}

static void memory_failure_cases(void)
{
    VkAllocationCallbacks callbacks = {
        .pfnAllocation = count_allocate, .pfnReallocation = no_reallocate, .pfnFree = count_free};
    VkSwapchainCreateInfoKHR info = {.sType = STRUCT(SWAPCHAIN_CREATE_INFO_KHR),
                                     .surface = vk.surface,
                                     .minImageCount = 3,
                                     .imageFormat = VK_FORMAT_B8G8R8A8_UNORM,
                                     .imageExtent = current_extent(),
                                     .imageArrayLayers = 1,
                                     .imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
                                     .preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
                                     .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
                                     .presentMode = VK_PRESENT_MODE_FIFO_KHR};
    VkSwapchainKHR swapchain = VK_NULL_HANDLE;
    VkResult result = VK_ERROR_OUT_OF_HOST_MEMORY;
    bool good = true;
    int failures = 0;
    for (; failures < 1000 && result == VK_ERROR_OUT_OF_HOST_MEMORY; failures++) {
        allocations.left = failures;
        result = vkCreateSwapchainKHR(vk.device, &info, &callbacks, &swapchain);
        good &= result == VK_SUCCESS || (result == VK_ERROR_OUT_OF_HOST_MEMORY && allocations.living == 0);
    }
    good &= result == VK_SUCCESS && failures > 5;
    if (result == VK_SUCCESS)
        vkDestroySwapchainKHR(vk.device, swapchain, &callbacks);
    report_result(good && allocations.living == 0,
                  "every allocation of a swapchain fails once, and nothing is left behind");
}

static bool is_tuff(void)
{
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(vk.physical, &properties);
    return strstr(properties.deviceName, "Tuff");
}

static void destroyed_window_cases(void)
{
    if (!is_tuff()) {
        skip_case("a window that is destroyed is a lost surface", "said of Tuff alone: others look less often");
        return;
    }
    struct chain chain = create_chain(VK_PRESENT_MODE_IMMEDIATE_KHR, 3, VK_NULL_HANDLE);
    bool good = frame(&chain, 0.5f, 0) == VK_SUCCESS;
    xcb_destroy_window(vk.connection, vk.window);
    xcb_flush(vk.connection);
    VkResult result = VK_SUCCESS;
    for (int i = 0; i < 20 && result >= 0; i++)
        result = frame(&chain, 0.5f, 0);
    VkSurfaceCapabilitiesKHR capabilities;
    report_result(good && result == VK_ERROR_SURFACE_LOST_KHR &&
                      vkGetPhysicalDeviceSurfaceCapabilitiesKHR(vk.physical, vk.surface, &capabilities) == result,
                  "a window that is destroyed is a lost surface");
    /* No error of ours is among the application's events. */
    xcb_generic_event_t *event = xcb_poll_for_event(vk.connection);
    report_result(!event || event->response_type != 0, "and the application sees no error event");
    free(event);
    vkDestroySwapchainKHR(vk.device, chain.handle, NULL);
}

static int until_lost(void)
{
    struct chain chain = create_chain(VK_PRESENT_MODE_FIFO_KHR, 3, VK_NULL_HANDLE);
    VkResult result = VK_SUCCESS;
    for (int i = 0; i < 100000 && result >= 0; i++) {
        result = frame(&chain, 0.5f, 0);
        if (i == 5)
            report_result(true, "presenting"); /* the sign to end the server */
    }
    VkSurfaceCapabilitiesKHR capabilities;
    VkResult asked = vkGetPhysicalDeviceSurfaceCapabilitiesKHR(vk.physical, vk.surface, &capabilities);
    vkDestroySwapchainKHR(vk.device, chain.handle, NULL);
    report_result(result == VK_ERROR_SURFACE_LOST_KHR && asked == result, "the lost server is a lost surface");
    struct chain another;
    VkResult again = try_chain(&another, VK_PRESENT_MODE_FIFO_KHR, 3, (VkExtent2D){200, 150}, VK_NULL_HANDLE);
    report_result(again == VK_ERROR_SURFACE_LOST_KHR, "for a new swapchain, too");
    return vk.failures;
}

/* The window's needs change under a swapchain. */
static int until_suboptimal(void)
{
    struct chain chain = create_chain(VK_PRESENT_MODE_FIFO_KHR, 3, VK_NULL_HANDLE);
    VkResult result = VK_SUCCESS;
    for (int i = 0; i < 1000 && result == VK_SUCCESS; i++) {
        result = frame(&chain, 0.5f, 0);
        if (i == 5)
            report_result(result == VK_SUCCESS, "presenting"); /* the sign to change them */
    }
    report_result(result == VK_SUBOPTIMAL_KHR, "the swapchain is suboptimal");
    struct chain another = create_chain(VK_PRESENT_MODE_FIFO_KHR, 3, chain.handle);
    bool good = true;
    for (int i = 0; i < 5; i++)
        good &= frame(&another, 1, 0) == VK_SUCCESS;
    report_result(good, "a new one is not");
    vkDestroySwapchainKHR(vk.device, chain.handle, NULL);
    vkDestroySwapchainKHR(vk.device, another.handle, NULL);
    return vk.failures;
}

/* Each pixel says where it is: red and green by x and y, blue by both. */
static void fill_known(uint8_t *pixels, VkExtent2D extent)
{
    for (uint32_t y = 0; y < extent.height; y++) {
        for (uint32_t x = 0; x < extent.width; x++, pixels += 4) {
            pixels[0] = (uint8_t)(x ^ y);
            pixels[1] = (uint8_t)(y * 3);
            pixels[2] = (uint8_t)(x * 5);
            pixels[3] = 0xff;
        }
    }
}

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* Time for the server to take the picture, and then to show it. */
static void open_slowly(VkEvent gate)
{
    pause_ms(300);
    report_result(true, "presented"); /* the sign to look at the screen */
    pause_ms(2000);
    CHECK(vkSetEvent(vk.device, gate));
}

/* `gate`: what the GPU waits for before it draws, or none. */
static VkResult show_known(const struct chain *chain, VkBuffer buffer, VkEvent gate)
{
    VkSemaphore acquired = create_semaphore(), drawn = create_semaphore();
    uint32_t index = 0;
    VkResult result = vkAcquireNextImageKHR(vk.device, chain->handle, UINT64_MAX, acquired, VK_NULL_HANDLE, &index);
    if (result >= 0) {
        VkImage image = chain->images[index];
        VkCommandBuffer commands = begin_commands();
        VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                    .imageExtent = {chain->extent.width, chain->extent.height, 1}};
        if (gate)
            vkCmdWaitEvents(commands, 1, &gate, VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, NULL,
                            0, NULL, 0, NULL);
        barrier(commands, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
        vkCmdCopyBufferToImage(commands, buffer, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
        barrier(commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
        submit_commands(commands, acquired, drawn);
        result = present_image(chain, index, drawn, 0);
        if (gate)
            open_slowly(gate);
        vkQueueWaitIdle(vk.queue);
        vkFreeCommandBuffers(vk.device, vk.pool, 1, &commands);
    }
    vkDestroySemaphore(vk.device, acquired, NULL);
    vkDestroySemaphore(vk.device, drawn, NULL);
    return result;
}

/* A picture that is presented long before it is drawn. */
static bool show_undrawn(const struct chain *chain, VkBuffer buffer)
{
    VkEventCreateInfo info = {.sType = STRUCT(EVENT_CREATE_INFO)};
    VkEvent gate;
    CHECK(vkCreateEvent(vk.device, &info, NULL, &gate));
    pause_ms(500); /* the picture before is on the screen, and the window has its place */
    bool good = show_known(chain, buffer, gate) == VK_SUCCESS;
    vkDestroyEvent(vk.device, gate, NULL);
    return good;
}

static int show_until_told(bool undrawn)
{
    struct chain chain = create_chain(VK_PRESENT_MODE_FIFO_KHR, 3, VK_NULL_HANDLE);
    VkBuffer buffer;
    VkDeviceMemory memory;
    fill_known(create_buffer((VkDeviceSize)chain.extent.width * chain.extent.height * 4, &buffer, &memory),
               chain.extent);
    bool good = frame(&chain, 1, 0) == VK_SUCCESS; /* another picture first: it must go away */
    for (int i = 0; i < 3 && !undrawn; i++)
        good &= show_known(&chain, buffer, VK_NULL_HANDLE) == VK_SUCCESS;
    if (undrawn)
        good &= show_undrawn(&chain, buffer);
    report_result(good, "showing");
    while (getchar() != EOF)
        ;
    vkDestroyBuffer(vk.device, buffer, NULL);
    vkFreeMemory(vk.device, memory, NULL);
    vkDestroySwapchainKHR(vk.device, chain.handle, NULL);
    return vk.failures;
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "xcb";
    static const char *const kinds[] = {"headless", "xcb", "xlib", "wayland"};
    while (vk.kind < LENGTH(kinds) && strcmp(kind, kinds[vk.kind]) != 0)
        vk.kind++;
    if (vk.kind == LENGTH(kinds)) {
        printf("Bail out! no surfaces called %s\n", kind);
        return 2;
    }
    create_instance();
    if (vk.kind != HEADLESS) {
        open_display();
        vk.window = create_window(200, 150);
    }
    vk.surface = create_surface(vk.window);
    create_device();
    if (argc > 2 && strcmp(argv[2], "--until-suboptimal") == 0) {
        until_suboptimal();
    } else if (argc > 2 && strncmp(argv[2], "--show", 6) == 0) {
        show_until_told(strcmp(argv[2], "--show-undrawn") == 0);
    } else if (argc > 2) {
        until_lost();
    } else {
        surface_cases();
        if (is_x11())
            direct_color_cases();
        mode_cases();
        acquire_cases();
        present_wait_cases();
        retire_cases();
        if (is_x11())
            resize_cases();
        memory_cases();
        mutable_format_cases();
        maintenance_cases();
        incremental_cases();
        two_window_cases();
        if (is_tuff())
            memory_failure_cases();
        if (is_x11())
            destroyed_window_cases();
    }
    vkDestroyCommandPool(vk.device, vk.pool, NULL);
    vkDestroyDevice(vk.device, NULL);
    vkDestroySurfaceKHR(vk.instance, vk.surface, NULL);
    vkDestroyInstance(vk.instance, NULL);
    close_display();
    printf("1..%d\n", vk.case_count);
    return vk.failures != 0;
}
