/* X11 by XCB, for xcb and xlib surfaces alike: pictures go to the server by MIT-SHM where it shares memory with us, and
 * in requests of their own (PutImage) where it does not. A card's own memory goes by wsi_x11_dri3.c. */
#include "vulkan/wsi/wsi_x11.h"

#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <time.h>

#include "util/bits.h"
#include "util/log.h"
#include "vulkan/runtime/device/vk_physical_device.h"
#include "vulkan/runtime/object/vk_object.h"
#include "vulkan/wsi/vk_wsi_entrypoints.h"
#include "vulkan/wsi/x11_xcb_library.h"
#include "vulkan/wsi/xcb_shm_library.h"

struct x11_presenter {
    struct wsi_presenter base;
    xcb_connection_t *connection;
    xcb_window_t window;
    xcb_gcontext_t gc;
    uint32_t width, height;
    uint8_t depth;
    bool set_alpha;
    uint32_t rows_in_request; /* of a PutImage */
    struct wsi_pacer pacer;

    xcb_shm_seg_t segment; /* 0: the server does not share memory with us */
    void *memory;          /* of the segment; or a copy of the pixels with their alpha set, or NULL */
};

static const VkPresentModeKHR modes[] = {VK_PRESENT_MODE_FIFO_KHR, VK_PRESENT_MODE_IMMEDIATE_KHR,
                                         VK_PRESENT_MODE_MAILBOX_KHR, VK_PRESENT_MODE_FIFO_RELAXED_KHR};

/* ---- SIGPIPE ---- */

struct wsi_x11_quiet wsi_x11_quiet_begin(void)
{
    struct wsi_x11_quiet quiet;
    sigset_t pipe, pending;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigpending(&pending);
    quiet.was_pending = sigismember(&pending, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, &quiet.before);
    return quiet;
}

void wsi_x11_quiet_end(const struct wsi_x11_quiet *quiet)
{
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    if (!quiet->was_pending)
        sigtimedwait(&pipe, NULL, &(struct timespec){0});
    pthread_sigmask(SIG_SETMASK, &quiet->before, NULL);
}

/* ---- asking the server ---- */

static bool open_libraries(VkIcdWsiPlatform platform)
{
    return wsi_library_open(&wsi_xcb_library) &&
           (platform != VK_ICD_WSI_PLATFORM_XLIB || wsi_library_open(&wsi_x11_xcb_library));
}

xcb_connection_t *wsi_x11_connection(const VkIcdSurfaceBase *surface)
{
    return surface->platform == VK_ICD_WSI_PLATFORM_XLIB ? XGetXCBConnection(((const VkIcdSurfaceXlib *)surface)->dpy)
                                                         : ((const VkIcdSurfaceXcb *)surface)->connection;
}

xcb_window_t wsi_x11_window(const VkIcdSurfaceBase *surface)
{
    return surface->platform == VK_ICD_WSI_PLATFORM_XLIB ? (xcb_window_t)((const VkIcdSurfaceXlib *)surface)->window
                                                         : ((const VkIcdSurfaceXcb *)surface)->window;
}

/* The visual and its depth in whichever screen has it. */
static const xcb_visualtype_t *find_visual(xcb_connection_t *connection, xcb_visualid_t id, uint8_t *depth_out)
{
    xcb_screen_iterator_t screens = xcb_setup_roots_iterator(xcb_get_setup(connection));
    for (; screens.rem; xcb_screen_next(&screens)) {
        xcb_depth_iterator_t depths = xcb_screen_allowed_depths_iterator(screens.data);
        for (; depths.rem; xcb_depth_next(&depths)) {
            const xcb_visualtype_t *visuals = xcb_depth_visuals(depths.data);
            for (int i = 0; i < xcb_depth_visuals_length(depths.data); i++) {
                if (visuals[i].visual_id == id) {
                    *depth_out = depths.data->depth;
                    return &visuals[i];
                }
            }
        }
    }
    return NULL;
}

/* Pixels of 32 bits in our order of bytes, in rows without gaps, whose channels are those of a Vulkan format. */
static VkFormat format_of(xcb_connection_t *connection, const xcb_visualtype_t *visual, uint8_t depth)
{
    const xcb_setup_t *setup = xcb_get_setup(connection);
    /* The colours of DirectColor go through a map, which the program that chose it has set: SDL prefers such windows.
     */
    bool has_channels =
        visual && (visual->_class == XCB_VISUAL_CLASS_TRUE_COLOR || visual->_class == XCB_VISUAL_CLASS_DIRECT_COLOR);
    if (!has_channels || (depth != 24 && depth != 32) || setup->image_byte_order != XCB_IMAGE_ORDER_LSB_FIRST ||
        visual->green_mask != 0xff00)
        return VK_FORMAT_UNDEFINED;
    const xcb_format_t *formats = xcb_setup_pixmap_formats(setup);
    bool wide = false;
    for (int i = 0; i < xcb_setup_pixmap_formats_length(setup); i++)
        wide |= formats[i].depth == depth && formats[i].bits_per_pixel == 32 && formats[i].scanline_pad <= 32;
    if (wide && visual->red_mask == 0xff0000 && visual->blue_mask == 0xff)
        return VK_FORMAT_B8G8R8A8_UNORM;
    if (wide && visual->red_mask == 0xff && visual->blue_mask == 0xff0000)
        return VK_FORMAT_R8G8B8A8_UNORM;
    return VK_FORMAT_UNDEFINED;
}

VkResult wsi_x11_query(const VkIcdSurfaceBase *surface, struct wsi_x11_state *state_out)
{
    xcb_connection_t *connection = wsi_x11_connection(surface);
    xcb_window_t window = wsi_x11_window(surface);
    struct wsi_x11_quiet quiet = wsi_x11_quiet_begin();
    xcb_get_geometry_cookie_t ask_geometry = xcb_get_geometry(connection, window);
    xcb_get_window_attributes_cookie_t ask_attributes = xcb_get_window_attributes(connection, window);
    xcb_generic_error_t *errors[2] = {0};
    xcb_get_geometry_reply_t *geometry = xcb_get_geometry_reply(connection, ask_geometry, &errors[0]);
    xcb_get_window_attributes_reply_t *attributes =
        xcb_get_window_attributes_reply(connection, ask_attributes, &errors[1]);
    wsi_x11_quiet_end(&quiet);
    VkResult result = VK_ERROR_SURFACE_LOST_KHR;
    if (geometry && attributes) {
        uint8_t depth = 0;
        const xcb_visualtype_t *visual = find_visual(connection, attributes->visual, &depth);
        *state_out = (struct wsi_x11_state){{geometry->width, geometry->height},
                                            geometry->depth,
                                            format_of(connection, visual, geometry->depth),
                                            geometry->root};
        result = VK_SUCCESS;
    }
    free(geometry);
    free(attributes);
    free(errors[0]);
    free(errors[1]);
    return result;
}

static VkResult get_capabilities(const VkIcdSurfaceBase *surface, VkSurfaceCapabilitiesKHR *capabilities)
{
    struct wsi_x11_state state;
    VkResult result = wsi_x11_query(surface, &state);
    if (result != VK_SUCCESS)
        return result;
    /* The window decides. */
    capabilities->currentExtent = capabilities->minImageExtent = capabilities->maxImageExtent = state.extent;
    capabilities->supportedCompositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR | VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR;
    if (state.depth == 32) /* compositing managers take its alpha as multiplied in */
        capabilities->supportedCompositeAlpha |= VK_COMPOSITE_ALPHA_PRE_MULTIPLIED_BIT_KHR;
    return VK_SUCCESS;
}

static VkResult get_formats(const VkIcdSurfaceBase *surface, VkFormat formats[WSI_MAX_FORMATS], uint32_t *count_out)
{
    struct wsi_x11_state state;
    VkResult result = wsi_x11_query(surface, &state);
    *count_out = 0;
    if (result != VK_SUCCESS || state.format == VK_FORMAT_UNDEFINED)
        return result;
    bool is_bgra = state.format == VK_FORMAT_B8G8R8A8_UNORM;
    formats[0] = is_bgra ? VK_FORMAT_B8G8R8A8_SRGB : VK_FORMAT_R8G8B8A8_SRGB;
    formats[1] = state.format;
    *count_out = 2;
    return VK_SUCCESS;
}

static VkResult get_extent(const VkIcdSurfaceBase *surface, VkExtent2D *extent_out)
{
    struct wsi_x11_state state;
    VkResult result = wsi_x11_query(surface, &state);
    if (result == VK_SUCCESS)
        *extent_out = state.extent;
    return result;
}

/* ---- showing ---- */

bool wsi_x11_succeeded(xcb_connection_t *connection, xcb_void_cookie_t cookie)
{
    xcb_generic_error_t *error = xcb_request_check(connection, cookie);
    free(error);
    return !error && !xcb_connection_has_error(connection);
}

static bool put_rows(struct x11_presenter *presenter, const uint8_t *pixels)
{
    uint32_t row_B = presenter->width * WSI_PIXEL_B;
    bool all = true;
    for (uint32_t y = 0; y < presenter->height && all; y += presenter->rows_in_request) {
        uint32_t rows = MIN2(presenter->rows_in_request, presenter->height - y);
        xcb_void_cookie_t cookie =
            xcb_put_image_checked(presenter->connection, XCB_IMAGE_FORMAT_Z_PIXMAP, presenter->window, presenter->gc,
                                  (uint16_t)presenter->width, (uint16_t)rows, 0, (int16_t)y, 0, presenter->depth,
                                  rows * row_B, pixels + (size_t)y * row_B);
        all = wsi_x11_succeeded(presenter->connection, cookie);
    }
    return all;
}

/* The server has read the segment when it answers a request made after it. */
static bool put_shared(struct x11_presenter *presenter)
{
    uint16_t width = (uint16_t)presenter->width, height = (uint16_t)presenter->height;
    return wsi_x11_succeeded(presenter->connection,
                             xcb_shm_put_image_checked(presenter->connection, presenter->window, presenter->gc, width,
                                                       height, 0, 0, width, height, 0, 0, presenter->depth,
                                                       XCB_IMAGE_FORMAT_Z_PIXMAP, 0, presenter->segment, 0));
}

/* All of it: a window keeps nothing of what was behind another. */
static VkResult show_pixels(struct wsi_presenter *base, const void *pixels, const VkRect2D *damage)
{
    struct x11_presenter *presenter = (struct x11_presenter *)base;
    if (xcb_connection_has_error(presenter->connection))
        return VK_ERROR_SURFACE_LOST_KHR;
    xcb_get_geometry_cookie_t ask = xcb_get_geometry(presenter->connection, presenter->window);
    if (presenter->memory)
        wsi_copy_pixels(presenter->memory, pixels, presenter->width * presenter->height, presenter->set_alpha);
    bool shown = presenter->segment ? put_shared(presenter)
                                    : put_rows(presenter, presenter->memory ? presenter->memory : pixels);
    xcb_generic_error_t *error = NULL;
    xcb_get_geometry_reply_t *geometry = xcb_get_geometry_reply(presenter->connection, ask, &error);
    VkResult result = VK_SUCCESS;
    if (!shown || !geometry)
        result = VK_ERROR_SURFACE_LOST_KHR;
    else if (geometry->width != presenter->width || geometry->height != presenter->height)
        result = VK_SUBOPTIMAL_KHR; /* it is shown, cut off or with a margin */
    free(geometry);
    free(error);
    return result;
}

static void pace_frames(struct wsi_presenter *base)
{
    struct x11_presenter *presenter = (struct x11_presenter *)base;
    presenter->pacer.mode = base->mode;
    wsi_pacer_wait(&presenter->pacer);
}

/* ---- opening ---- */

static bool has_shm(xcb_connection_t *connection)
{
    if (!wsi_library_open(&wsi_xcb_shm_library))
        return false;
    const xcb_query_extension_reply_t *extension = xcb_get_extension_data(connection, &xcb_shm_id);
    if (!extension || !extension->present)
        return false;
    xcb_generic_error_t *error = NULL;
    xcb_shm_query_version_reply_t *version =
        xcb_shm_query_version_reply(connection, xcb_shm_query_version(connection), &error);
    bool has = version != NULL;
    free(version);
    free(error);
    return has;
}

/* A server on another machine, or in another namespace, has the extension and cannot attach: that is found by trying.
 */
static void open_shared(struct x11_presenter *presenter, size_t size_B)
{
    if (!has_shm(presenter->connection))
        return;
    int id = shmget(IPC_PRIVATE, size_B, IPC_CREAT | 0600);
    if (id < 0)
        return;
    void *memory = shmat(id, NULL, 0);
    xcb_shm_seg_t segment = xcb_generate_id(presenter->connection);
    bool attached = memory != (void *)-1 &&
                    wsi_x11_succeeded(presenter->connection,
                                      xcb_shm_attach_checked(presenter->connection, segment, (uint32_t)id, 1));
    shmctl(id, IPC_RMID, NULL); /* it exists as long as it is attached, and no longer */
    if (attached) {
        presenter->segment = segment;
        presenter->memory = memory;
    } else if (memory != (void *)-1) {
        shmdt(memory);
    }
}

static void close_presenter(struct wsi_presenter *base, const VkAllocationCallbacks *alloc)
{
    struct x11_presenter *presenter = (struct x11_presenter *)base;
    struct wsi_x11_quiet quiet = wsi_x11_quiet_begin();
    if (!xcb_connection_has_error(presenter->connection)) {
        if (presenter->segment)
            wsi_x11_succeeded(presenter->connection, xcb_shm_detach_checked(presenter->connection, presenter->segment));
        if (presenter->gc)
            wsi_x11_succeeded(presenter->connection, xcb_free_gc_checked(presenter->connection, presenter->gc));
    }
    wsi_x11_quiet_end(&quiet);
    if (presenter->segment)
        shmdt(presenter->memory);
    else
        vk_free(alloc, NULL, presenter->memory);
    vk_free(alloc, NULL, presenter);
}

static VkResult connect_window(struct x11_presenter *presenter, const struct wsi_presenter_info *info)
{
    xcb_connection_t *connection = presenter->connection;
    presenter->gc = xcb_generate_id(connection);
    /* Without GraphicsExpose the server sends the application nothing that it did not ask for. */
    if (!wsi_x11_succeeded(connection, xcb_create_gc_checked(connection, presenter->gc, presenter->window,
                                                             XCB_GC_GRAPHICS_EXPOSURES, (uint32_t[]){0}))) {
        presenter->gc = 0;
        return VK_ERROR_SURFACE_LOST_KHR;
    }
    size_t size_B = (size_t)presenter->width * presenter->height * WSI_PIXEL_B;
    open_shared(presenter, size_B);
    if (presenter->segment)
        return VK_SUCCESS;
    LOG_INFO("wsi", "the X server shares no memory with us: pictures are sent");
    uint64_t request_B = (uint64_t)xcb_get_maximum_request_length(connection) * 4 - sizeof(xcb_put_image_request_t) - 4;
    presenter->rows_in_request = (uint32_t)MIN2(request_B / (presenter->width * WSI_PIXEL_B), presenter->height);
    if (presenter->rows_in_request == 0)
        return VK_ERROR_INITIALIZATION_FAILED; /* a row is longer than a request may be */
    if (!presenter->set_alpha)
        return VK_SUCCESS;
    presenter->memory = vk_alloc(info->alloc, NULL, size_B, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    return presenter->memory ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

static VkResult open_presenter(const VkIcdSurfaceBase *surface, const struct wsi_presenter_info *info,
                               struct wsi_presenter **presenter_out)
{
    static const struct wsi_presenter_ops ops = {.pace = pace_frames, .show = show_pixels, .close = close_presenter};
    struct wsi_x11_state state;
    VkResult result = wsi_x11_query(surface, &state);
    if (result != VK_SUCCESS)
        return result;
    struct x11_presenter *presenter =
        vk_zalloc(info->alloc, NULL, sizeof(*presenter), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!presenter)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    presenter->base.ops = &ops;
    presenter->connection = wsi_x11_connection(surface);
    presenter->window = wsi_x11_window(surface);
    presenter->width = info->width;
    presenter->height = info->height;
    presenter->depth = state.depth;
    presenter->set_alpha = info->is_opaque && state.depth == 32;
    wsi_pacer_init(&presenter->pacer, info->mode);
    struct wsi_x11_quiet quiet = wsi_x11_quiet_begin();
    result = connect_window(presenter, info);
    wsi_x11_quiet_end(&quiet);
    if (result != VK_SUCCESS) {
        close_presenter(&presenter->base, info->alloc);
        return result;
    }
    *presenter_out = &presenter->base;
    return VK_SUCCESS;
}

const struct wsi_window_ops wsi_x11_ops = {
    .open_libraries = open_libraries,
    .modes = modes,
    .mode_count = ARRAY_SIZE(modes),
    .get_capabilities = get_capabilities,
    .get_formats = get_formats,
    .get_extent = get_extent,
    .open = open_presenter,
#ifdef WSI_DRI3
    .get_offer = wsi_x11_dri3_get_offer,
    .open_shared = wsi_x11_dri3_open,
#endif
};

/* ---- commands ---- */

static VkBool32 can_present(xcb_connection_t *connection, xcb_visualid_t visual_id)
{
    uint8_t depth = 0;
    if (!connection || xcb_connection_has_error(connection))
        return VK_FALSE;
    const xcb_visualtype_t *visual = find_visual(connection, visual_id, &depth);
    return format_of(connection, visual, depth) != VK_FORMAT_UNDEFINED;
}

VKAPI_ATTR VkBool32 VKAPI_CALL vk_wsi_GetPhysicalDeviceXcbPresentationSupportKHR(VkPhysicalDevice physical,
                                                                                 uint32_t family,
                                                                                 xcb_connection_t *connection,
                                                                                 xcb_visualid_t visual_id)
{
    return open_libraries(VK_ICD_WSI_PLATFORM_XCB) && can_present(connection, visual_id);
}

VKAPI_ATTR VkBool32 VKAPI_CALL vk_wsi_GetPhysicalDeviceXlibPresentationSupportKHR(VkPhysicalDevice physical,
                                                                                  uint32_t family, Display *display,
                                                                                  VisualID visual_id)
{
    return open_libraries(VK_ICD_WSI_PLATFORM_XLIB) &&
           can_present(XGetXCBConnection(display), (xcb_visualid_t)visual_id);
}
