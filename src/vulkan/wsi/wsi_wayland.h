/* The shared part of the ways to a Wayland compositor: a view of the application's connection that takes none of its
 * events. */
#ifndef VULKAN_WSI_WSI_WAYLAND_H
#define VULKAN_WSI_WSI_WAYLAND_H

#include "vulkan/wsi/wayland_client_library.h"
#include "vulkan/wsi/wsi_window.h"

/* How long a compositor may keep us waiting: it sends no frame events for a window that is not visible. */
#define WSI_WL_PATIENCE_NS (1000ull * 1000 * 1000)

struct wsi_wl_link {
    struct wl_display *display;
    struct wl_event_queue *queue;
    struct wl_display *wrapper; /* what it creates sends its events to our queue */
    struct wl_registry *registry;
    struct wl_shm *shm;
    bool has_rgba; /* beside BGRA, which every compositor has */
    /* For globals that the link itself does not know; may be NULL. */
    void (*on_global)(struct wsi_wl_link *link, uint32_t name, const char *interface, uint32_t version);
};

/* In place, for the listeners keep the address. What globals say when they are bound has come when it returns. */
VkResult wsi_wl_link_init(struct wsi_wl_link *link, struct wl_display *display,
                          void (*on_global)(struct wsi_wl_link *, uint32_t, const char *, uint32_t));
void wsi_wl_link_finish(struct wsi_wl_link *link);

/* Handle events; where there are none, wait for some, for one of the fds or for the deadline. 1: something may have
 * changed; 0: nothing has; -1: the connection is gone. */
int wsi_wl_link_wait(struct wsi_wl_link *link, struct pollfd *fds, uint32_t fd_count, uint64_t deadline_ns);

static inline struct wl_display *wsi_wl_display(const VkIcdSurfaceBase *surface)
{
    return ((const VkIcdSurfaceWayland *)surface)->display;
}

/* The surface of the application, and a wrapper whose objects send their events to the link's queue; NULL without
 * memory. */
static inline struct wl_surface *wsi_wl_surface(const VkIcdSurfaceBase *surface)
{
    return ((const VkIcdSurfaceWayland *)surface)->surface;
}
struct wl_surface *wsi_wl_wrap_surface(struct wsi_wl_link *link, const VkIcdSurfaceBase *surface);

/* Attach a buffer, of which only a part is new; the commit is the caller's. */
void wsi_wl_attach(struct wl_surface *surface, struct wl_buffer *buffer, const VkRect2D *damage);

/* wsi_wayland_dmabuf.c: struct wsi_window_ops's functions of the same names. */
VkResult wsi_wl_dmabuf_get_offer(const VkIcdSurfaceBase *surface, const struct wsi_presenter_info *info,
                                 struct wsi_offer *offer_out);
VkResult wsi_wl_dmabuf_open(const VkIcdSurfaceBase *surface, const struct wsi_presenter_info *info,
                            const struct wsi_shared_image *images, uint32_t image_count, struct wsi_sink *sink,
                            struct wsi_presenter **presenter_out);

#endif
