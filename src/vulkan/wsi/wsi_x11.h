/* The shared part of the ways to an X server. The connection is the application's. So every request is a checked one
 * and its answer is fetched here: an error never becomes an event of the application's, and none of its events is
 * taken away. */
#ifndef VULKAN_WSI_WSI_X11_H
#define VULKAN_WSI_WSI_X11_H

#include <signal.h>

#include "vulkan/wsi/wsi_window.h"
#include "vulkan/wsi/xcb_library.h"

/* Writing to a server that has gone raises SIGPIPE in the thread that writes, and libxcb does not prevent it. For
 * threads of the application, around whatever may write. */
struct wsi_x11_quiet {
    sigset_t before;
    bool was_pending;
};

struct wsi_x11_quiet wsi_x11_quiet_begin(void);
void wsi_x11_quiet_end(const struct wsi_x11_quiet *quiet);

xcb_connection_t *wsi_x11_connection(const VkIcdSurfaceBase *surface);
xcb_window_t wsi_x11_window(const VkIcdSurfaceBase *surface);

struct wsi_x11_state {
    VkExtent2D extent;
    uint8_t depth;
    VkFormat format; /* VK_FORMAT_UNDEFINED where we cannot fill it */
    xcb_window_t root;
};

VkResult wsi_x11_query(const VkIcdSurfaceBase *surface, struct wsi_x11_state *state_out);

/* The answer to a checked request, which must be fetched whatever came before. */
bool wsi_x11_succeeded(xcb_connection_t *connection, xcb_void_cookie_t cookie);

/* wsi_x11_dri3.c: struct wsi_window_ops's functions of the same names. */
VkResult wsi_x11_dri3_get_offer(const VkIcdSurfaceBase *surface, const struct wsi_presenter_info *info,
                                struct wsi_offer *offer_out);
VkResult wsi_x11_dri3_open(const VkIcdSurfaceBase *surface, const struct wsi_presenter_info *info,
                           const struct wsi_shared_image *images, uint32_t image_count, struct wsi_sink *sink,
                           struct wsi_presenter **presenter_out);

#endif
