/* The application's connection to a compositor, through an event queue of our own: none of its events is taken away,
 * and none of ours reaches its listeners. */
#include <errno.h>
#include <poll.h>
#include <string.h>

#include "util/bits.h"
#include "util/log.h"
#include "vulkan/runtime/sync/vk_time.h"
#include "vulkan/wsi/wsi_wayland.h"

enum {
    MAX_FDS = 32 /* of others, in one wait */
};

static void on_shm_format(void *data, struct wl_shm *shm, uint32_t format)
{
    struct wsi_wl_link *link = data;
    if (format == WL_SHM_FORMAT_XBGR8888)
        link->has_rgba = true;
}

static const struct wl_shm_listener shm_listener = {on_shm_format};

static void on_global(void *data, struct wl_registry *registry, uint32_t name, const char *interface, uint32_t version)
{
    struct wsi_wl_link *link = data;
    if (link->on_global)
        link->on_global(link, name, interface, version);
    if (link->shm || strcmp(interface, wl_shm_interface.name) != 0)
        return;
    link->shm = wl_registry_bind(registry, name, &wl_shm_interface, 1);
    if (link->shm)
        wl_shm_add_listener(link->shm, &shm_listener, link);
}

static void on_global_remove(void *data, struct wl_registry *registry, uint32_t name)
{
}

static const struct wl_registry_listener registry_listener = {on_global, on_global_remove};

void wsi_wl_link_finish(struct wsi_wl_link *link)
{
    if (link->shm)
        wl_shm_destroy(link->shm);
    if (link->registry)
        wl_registry_destroy(link->registry);
    if (link->wrapper)
        wl_proxy_wrapper_destroy(link->wrapper);
    if (link->queue)
        wl_event_queue_destroy(link->queue);
}

VkResult wsi_wl_link_init(struct wsi_wl_link *link, struct wl_display *display,
                          void (*on_global)(struct wsi_wl_link *, uint32_t, const char *, uint32_t))
{
    *link = (struct wsi_wl_link){.display = display, .on_global = on_global};
    if (wl_display_get_error(display))
        return VK_ERROR_SURFACE_LOST_KHR;
    link->queue = wl_display_create_queue(display);
    link->wrapper = link->queue ? wl_proxy_create_wrapper(display) : NULL;
    if (!link->wrapper) {
        wsi_wl_link_finish(link);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    wl_proxy_set_queue((struct wl_proxy *)link->wrapper, link->queue);
    link->registry = wl_display_get_registry(link->wrapper);
    bool answered = link->registry && wl_registry_add_listener(link->registry, &registry_listener, link) == 0 &&
                    wl_display_roundtrip_queue(display, link->queue) >= 0 && /* the globals */
                    wl_display_roundtrip_queue(display, link->queue) >= 0;   /* the formats */
    if (answered && link->shm)
        return VK_SUCCESS;
    if (answered)
        LOG_WARN("wsi", "the compositor has no wl_shm");
    wsi_wl_link_finish(link);
    return VK_ERROR_SURFACE_LOST_KHR;
}

int wsi_wl_link_wait(struct wsi_wl_link *link, struct pollfd *fds, uint32_t fd_count, uint64_t deadline_ns)
{
    struct wl_display *display = link->display;
    for (uint32_t i = 0; i < fd_count; i++)
        fds[i].revents = 0;
    while (wl_display_prepare_read_queue(display, link->queue) != 0) {
        int count = wl_display_dispatch_queue_pending(display, link->queue);
        if (count != 0)
            return count > 0 ? 1 : -1;
    }
    /* Bytes that do not go out now (EAGAIN) go out with a later request. */
    if (wl_display_flush(display) < 0 && errno != EAGAIN) {
        wl_display_cancel_read(display);
        return -1;
    }
    struct pollfd all[1 + MAX_FDS] = {{.fd = wl_display_get_fd(display), .events = POLLIN}};
    fd_count = MIN2(fd_count, MAX_FDS);
    for (uint32_t i = 0; i < fd_count; i++)
        all[1 + i] = fds[i];
    uint64_t now_ns = vk_time_now_ns();
    int left_ms = now_ns < deadline_ns ? (int)((deadline_ns - now_ns + 999999) / 1000000) : 0;
    int ready = poll(all, 1 + fd_count, left_ms);
    bool interrupted = ready < 0 && errno == EINTR;
    for (uint32_t i = 0; i < fd_count && ready > 0; i++)
        fds[i].revents = all[1 + i].revents;
    if (ready <= 0 || !all[0].revents) {
        wl_display_cancel_read(display);
        return ready > 0 || interrupted;
    }
    bool good = wl_display_read_events(display) == 0 && wl_display_dispatch_queue_pending(display, link->queue) >= 0;
    return good ? 1 : -1;
}

struct wl_surface *wsi_wl_wrap_surface(struct wsi_wl_link *link, const VkIcdSurfaceBase *surface)
{
    struct wl_surface *wrapper = wl_proxy_create_wrapper(wsi_wl_surface(surface));
    if (wrapper)
        wl_proxy_set_queue((struct wl_proxy *)wrapper, link->queue);
    return wrapper;
}

void wsi_wl_attach(struct wl_surface *surface, struct wl_buffer *buffer, const VkRect2D *damage)
{
    wl_surface_attach(surface, buffer, 0, 0);
    if (wl_proxy_get_version((struct wl_proxy *)surface) >= WL_SURFACE_DAMAGE_BUFFER_SINCE_VERSION)
        wl_surface_damage_buffer(surface, damage->offset.x, damage->offset.y, (int32_t)damage->extent.width,
                                 (int32_t)damage->extent.height);
    else /* in the surface's own units, which need not be the buffer's */
        wl_surface_damage(surface, 0, 0, INT32_MAX, INT32_MAX);
}
