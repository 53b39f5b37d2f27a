/* X11 by DRI3 and Present: each image is a pixmap of the server's, made once from its dma-buf, and a picture is a
 * request to present one. The server reports when it was shown (CompleteNotify), when the pixmap is idle and when the
 * window has changed; these events go to a queue of ours and never to the application's.
 *
 * Both extensions are needed in version 1.2, the first with modifiers. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/bits.h"
#include "util/log.h"
#include "vulkan/runtime/sync/vk_time.h"
#include "vulkan/wsi/wsi_queue.h"
#include "vulkan/wsi/wsi_share.h"
#include "vulkan/wsi/wsi_x11.h"
#include "vulkan/wsi/xcb_dri3_library.h"
#include "vulkan/wsi/xcb_present_library.h"

#define MS 1000000ull

enum {
    BITS_PER_PIXEL = 32,
    MAX_FDS = 32,
    NEEDED_MINOR = 2,
};

/* The application's threads read from the same connection, and an event of ours that one of them has just read does
 * not make the socket readable: while a thread waits, we look again after this time. */
#define LOOK_AGAIN_NS (4 * MS)
/* A destroyed window gives nothing back and sends no event; so we ask. */
#define ASK_WINDOW_NS (500 * MS)

struct dri3_presenter {
    struct wsi_presenter base;
    struct wsi_sink *sink;
    xcb_connection_t *connection;
    xcb_window_t window;
    uint32_t width, height;
    uint8_t depth;
    uint64_t modifier;

    xcb_pixmap_t pixmaps[WSI_MAX_IMAGES];
    uint32_t pixmap_count;
    uint32_t event_id; /* 0: no events yet */
    xcb_special_event_t *events;

    uint16_t number; /* in the upper half of the serials that the server is given */
    uint32_t last_serial;
    uint32_t incomplete; /* pictures that the server has not reported; it need not report them in order */
    uint64_t completed_msc;
    uint64_t asked_window_ns;
    bool wrong_size, wrong_modifier;
    VkResult told_fits;
};

/* ---- what the server takes ---- */

static bool has_versions(xcb_connection_t *connection)
{
    if (!wsi_library_open(&wsi_xcb_dri3_library) || !wsi_library_open(&wsi_xcb_present_library))
        return false;
    const xcb_query_extension_reply_t *dri3 = xcb_get_extension_data(connection, &xcb_dri3_id),
                                      *present = xcb_get_extension_data(connection, &xcb_present_id);
    if (!dri3 || !dri3->present || !present || !present->present)
        return false;
    xcb_dri3_query_version_cookie_t ask_dri3 = xcb_dri3_query_version(connection, 1, NEEDED_MINOR);
    xcb_present_query_version_cookie_t ask_present = xcb_present_query_version(connection, 1, NEEDED_MINOR);
    xcb_generic_error_t *errors[2] = {0};
    xcb_dri3_query_version_reply_t *dri3_is = xcb_dri3_query_version_reply(connection, ask_dri3, &errors[0]);
    xcb_present_query_version_reply_t *present_is =
        xcb_present_query_version_reply(connection, ask_present, &errors[1]);
    bool has = dri3_is && present_is && (dri3_is->major_version > 1 || dri3_is->minor_version >= NEEDED_MINOR) &&
               (present_is->major_version > 1 || present_is->minor_version >= NEEDED_MINOR);
    free(dri3_is);
    free(present_is);
    free(errors[0]);
    free(errors[1]);
    return has;
}

/* The node that the server gives its clients to draw with. */
static bool ask_device(xcb_connection_t *connection, xcb_window_t root, dev_t *device_out)
{
    xcb_generic_error_t *error = NULL;
    xcb_dri3_open_reply_t *reply = xcb_dri3_open_reply(connection, xcb_dri3_open(connection, root, 0), &error);
    bool found = false;
    for (int i = 0; reply && i < reply->nfd; i++) {
        int fd = xcb_dri3_open_reply_fds(connection, reply)[i];
        struct stat status;
        if (i == 0 && fstat(fd, &status) == 0 && S_ISCHR(status.st_mode)) {
            *device_out = status.st_rdev;
            found = true;
        }
        close(fd);
    }
    free(reply);
    free(error);
    return found;
}

static void add_set(struct wsi_offer *offer, const uint64_t *modifiers, int count)
{
    struct wsi_modifier_set *set = &offer->sets[offer->set_count];
    set->count = 0;
    for (int i = 0; i < count; i++)
        wsi_modifier_set_add(set, modifiers[i]);
    offer->set_count += count > 0;
}

/* The modifiers that are best for the window as it is now, then those that every window can have. */
static void ask_modifiers(xcb_connection_t *connection, xcb_window_t window, uint8_t depth, struct wsi_offer *offer)
{
    xcb_generic_error_t *error = NULL;
    xcb_dri3_get_supported_modifiers_reply_t *reply = xcb_dri3_get_supported_modifiers_reply(
        connection, xcb_dri3_get_supported_modifiers(connection, window, depth, BITS_PER_PIXEL), &error);
    offer->set_count = 0;
    if (reply) {
        add_set(offer, xcb_dri3_get_supported_modifiers_window_modifiers(reply),
                xcb_dri3_get_supported_modifiers_window_modifiers_length(reply));
        add_set(offer, xcb_dri3_get_supported_modifiers_screen_modifiers(reply),
                xcb_dri3_get_supported_modifiers_screen_modifiers_length(reply));
    }
    free(reply);
    free(error);
}

VkResult wsi_x11_dri3_get_offer(const VkIcdSurfaceBase *surface, const struct wsi_presenter_info *info,
                                struct wsi_offer *offer_out)
{
    xcb_connection_t *connection = wsi_x11_connection(surface);
    struct wsi_x11_state state;
    *offer_out = (struct wsi_offer){0};
    VkResult result = wsi_x11_query(surface, &state);
    if (result != VK_SUCCESS)
        return result;
    /* A pixmap's depth says what its pixels are: blue first, with alpha or without. The window's alpha would be seen
     * where it must not: there the copy sets it to one. */
    if (state.format != VK_FORMAT_B8G8R8A8_UNORM || (state.depth == 32 && info->is_opaque)) {
        LOG_INFO("wsi", "no pixmap of the X server fits this window's pixels");
        return VK_SUCCESS;
    }
    struct wsi_x11_quiet quiet = wsi_x11_quiet_begin();
    if (has_versions(connection)) {
        offer_out->has_device = ask_device(connection, state.root, &offer_out->device);
        if (offer_out->has_device)
            ask_modifiers(connection, wsi_x11_window(surface), state.depth, offer_out);
    }
    wsi_x11_quiet_end(&quiet);
    return xcb_connection_has_error(connection) ? VK_ERROR_SURFACE_LOST_KHR : VK_SUCCESS;
}

/* ---- what the server says ---- */

static void look_at_modifiers(struct dri3_presenter *presenter)
{
    struct wsi_offer offer = {0};
    struct wsi_modifier_set chosen;
    ask_modifiers(presenter->connection, presenter->window, presenter->depth, &offer);
    presenter->wrong_modifier = wsi_offer_choose(&offer, presenter->sink->usable, &chosen) &&
                                !wsi_modifier_set_has(&chosen, presenter->modifier);
}

/* Every listener of a window gets the events of all pictures, those of earlier swapchains included, and the event
 * names no pixmap. */
static void on_complete(struct dri3_presenter *presenter, const xcb_present_complete_notify_event_t *event)
{
    if (event->kind != XCB_PRESENT_COMPLETE_KIND_PIXMAP || event->serial >> 16 != presenter->number)
        return;
    uint32_t serial = presenter->last_serial - (uint16_t)(presenter->last_serial - event->serial);
    presenter->incomplete -= presenter->incomplete > 0;
    presenter->completed_msc = event->msc; /* which falls when the window goes to another screen */
    /* It could show the picture without a copy, if that were made otherwise: is there a modifier for it? */
    if (event->mode == XCB_PRESENT_COMPLETE_MODE_SUBOPTIMAL_COPY)
        look_at_modifiers(presenter);
    presenter->sink->ops->reached(presenter->sink, serial);
}

static void on_idle(struct dri3_presenter *presenter, const xcb_present_idle_notify_event_t *event)
{
    for (uint32_t i = 0; i < presenter->pixmap_count; i++) {
        if (presenter->pixmaps[i] == event->pixmap)
            presenter->sink->ops->released(presenter->sink, i);
    }
}

static void take_size(struct dri3_presenter *presenter, uint32_t width, uint32_t height)
{
    presenter->wrong_size = width != presenter->width || height != presenter->height;
}

static bool take_events(struct dri3_presenter *presenter)
{
    bool any = false;
    xcb_generic_event_t *event;
    while ((event = xcb_poll_for_special_event(presenter->connection, presenter->events))) {
        switch (((const xcb_present_generic_event_t *)event)->evtype) {
        case XCB_PRESENT_EVENT_CONFIGURE_NOTIFY: {
            const xcb_present_configure_notify_event_t *configure = (const void *)event;
            take_size(presenter, configure->width, configure->height);
            break;
        }
        case XCB_PRESENT_EVENT_COMPLETE_NOTIFY:
            on_complete(presenter, (const void *)event);
            break;
        case XCB_PRESENT_EVENT_IDLE_NOTIFY:
            on_idle(presenter, (const void *)event);
            break;
        default:
            break;
        }
        free(event);
        any = true;
    }
    return any;
}

static void tell_fits(struct dri3_presenter *presenter)
{
    VkResult fits = presenter->wrong_size || presenter->wrong_modifier ? VK_SUBOPTIMAL_KHR : VK_SUCCESS;
    if (fits != presenter->told_fits)
        presenter->sink->ops->fits(presenter->sink, fits);
    presenter->told_fits = fits;
}

static bool window_lives(struct dri3_presenter *presenter)
{
    xcb_generic_error_t *error = NULL;
    xcb_get_geometry_reply_t *geometry = xcb_get_geometry_reply(
        presenter->connection, xcb_get_geometry(presenter->connection, presenter->window), &error);
    bool lives = geometry != NULL;
    free(geometry);
    free(error);
    presenter->asked_window_ns = vk_time_now_ns();
    return lives;
}

static VkResult wait_for_pixmap(struct wsi_presenter *base, struct pollfd *fds, uint32_t fd_count, uint64_t deadline_ns,
                                bool awaited)
{
    struct dri3_presenter *presenter = (struct dri3_presenter *)base;
    struct pollfd all[1 + MAX_FDS] = {{.fd = xcb_get_file_descriptor(presenter->connection), .events = POLLIN}};
    fd_count = MIN2(fd_count, MAX_FDS);
    for (uint32_t i = 0; i < fd_count; i++) {
        fds[i].revents = 0;
        all[1 + i] = fds[i];
    }
    uint64_t now_ns = vk_time_now_ns();
    if (awaited && now_ns - presenter->asked_window_ns > ASK_WINDOW_NS && !window_lives(presenter))
        return VK_ERROR_SURFACE_LOST_KHR;
    if (awaited)
        deadline_ns = MIN2(deadline_ns, now_ns + LOOK_AGAIN_NS);
    xcb_flush(presenter->connection);
    if (!take_events(presenter) && now_ns < deadline_ns) {
        poll(all, 1 + fd_count, (int)((deadline_ns - now_ns + MS - 1) / MS));
        take_events(presenter);
    }
    for (uint32_t i = 0; i < fd_count; i++)
        fds[i].revents = all[1 + i].revents;
    tell_fits(presenter);
    return xcb_connection_has_error(presenter->connection) ? VK_ERROR_SURFACE_LOST_KHR : VK_SUCCESS;
}

/* ---- showing ---- */

static bool is_fifo(const struct dri3_presenter *presenter)
{
    return presenter->base.mode == VK_PRESENT_MODE_FIFO_KHR || presenter->base.mode == VK_PRESENT_MODE_FIFO_RELAXED_KHR;
}

/* A picture that is asked for while another waits for the same vertical blank takes its place: that is a mailbox, and
 * no FIFO. */
static bool is_ready(struct wsi_presenter *base)
{
    const struct dri3_presenter *presenter = (const struct dri3_presenter *)base;
    return !is_fifo(presenter) || presenter->incomplete == 0;
}

static VkResult hand_over(struct wsi_presenter *base, uint32_t image, uint32_t serial, const VkRect2D *damage,
                          bool at_once)
{
    struct dri3_presenter *presenter = (struct dri3_presenter *)base;
    uint32_t options = XCB_PRESENT_OPTION_SUBOPTIMAL;
    if (at_once || base->mode == VK_PRESENT_MODE_IMMEDIATE_KHR || base->mode == VK_PRESENT_MODE_FIFO_RELAXED_KHR)
        options |= XCB_PRESENT_OPTION_ASYNC; /* relaxed: where its vertical blank has passed */
    uint64_t target_msc = is_fifo(presenter) && !at_once ? presenter->completed_msc + 1 : 0;
    presenter->last_serial = serial;
    uint32_t server_serial = (uint32_t)presenter->number << 16 | (serial & 0xffff);
    bool shown =
        wsi_x11_succeeded(presenter->connection,
                          xcb_present_pixmap_checked(presenter->connection, presenter->window,
                                                     presenter->pixmaps[image], server_serial, XCB_NONE, XCB_NONE, 0, 0,
                                                     XCB_NONE, XCB_NONE, XCB_NONE, options, target_msc, 0, 0, 0, NULL));
    if (!shown)
        return VK_ERROR_SURFACE_LOST_KHR;
    presenter->incomplete++;
    presenter->asked_window_ns = vk_time_now_ns(); /* it was there */
    tell_fits(presenter);
    return VK_SUCCESS;
}

/* ---- opening ---- */

static void close_presenter(struct wsi_presenter *base, const VkAllocationCallbacks *alloc)
{
    struct dri3_presenter *presenter = (struct dri3_presenter *)base;
    xcb_connection_t *connection = presenter->connection;
    struct wsi_x11_quiet quiet = wsi_x11_quiet_begin();
    if (!xcb_connection_has_error(connection)) {
        if (presenter->event_id)
            wsi_x11_succeeded(connection,
                              xcb_present_select_input_checked(connection, presenter->event_id, presenter->window,
                                                               XCB_PRESENT_EVENT_MASK_NO_EVENT));
        /* The server keeps the one that it still shows. */
        for (uint32_t i = 0; i < presenter->pixmap_count; i++)
            wsi_x11_succeeded(connection, xcb_free_pixmap_checked(connection, presenter->pixmaps[i]));
    }
    if (presenter->events)
        xcb_unregister_for_special_event(connection, presenter->events);
    wsi_x11_quiet_end(&quiet);
    vk_free(alloc, NULL, presenter);
}

static VkResult listen_to_server(struct dri3_presenter *presenter)
{
    xcb_connection_t *connection = presenter->connection;
    presenter->event_id = xcb_generate_id(connection);
    presenter->events = xcb_register_for_special_xge(connection, &xcb_present_id, presenter->event_id, NULL);
    if (!presenter->events)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    const uint32_t mask = XCB_PRESENT_EVENT_MASK_CONFIGURE_NOTIFY | XCB_PRESENT_EVENT_MASK_COMPLETE_NOTIFY |
                          XCB_PRESENT_EVENT_MASK_IDLE_NOTIFY;
    return wsi_x11_succeeded(connection,
                             xcb_present_select_input_checked(connection, presenter->event_id, presenter->window, mask))
               ? VK_SUCCESS
               : VK_ERROR_SURFACE_LOST_KHR;
}

static VkResult add_pixmap(struct dri3_presenter *presenter, const struct wsi_shared_image *image)
{
    int32_t fds[WSI_MAX_PLANES];
    for (uint32_t i = 0; i < image->plane_count; i++) { /* libxcb closes what it sends */
        fds[i] = dup(image->fd);
        if (fds[i] < 0) {
            while (i--)
                close(fds[i]);
            return VK_ERROR_OUT_OF_HOST_MEMORY;
        }
    }
    xcb_pixmap_t pixmap = xcb_generate_id(presenter->connection);
    xcb_void_cookie_t cookie = xcb_dri3_pixmap_from_buffers_checked(
        presenter->connection, pixmap, presenter->window, (uint8_t)image->plane_count, (uint16_t)presenter->width,
        (uint16_t)presenter->height, image->strides_B[0], image->offsets_B[0], image->strides_B[1], image->offsets_B[1],
        image->strides_B[2], image->offsets_B[2], image->strides_B[3], image->offsets_B[3], presenter->depth,
        BITS_PER_PIXEL, image->modifier, fds);
    if (!wsi_x11_succeeded(presenter->connection, cookie))
        return xcb_connection_has_error(presenter->connection) ? VK_ERROR_SURFACE_LOST_KHR
                                                               : VK_ERROR_FORMAT_NOT_SUPPORTED;
    presenter->pixmaps[presenter->pixmap_count++] = pixmap;
    return VK_SUCCESS;
}

VkResult wsi_x11_dri3_open(const VkIcdSurfaceBase *surface, const struct wsi_presenter_info *info,
                           const struct wsi_shared_image *images, uint32_t image_count, struct wsi_sink *sink,
                           struct wsi_presenter **presenter_out)
{
    static const struct wsi_presenter_ops ops = {
        .is_ready = is_ready, .hand_over = hand_over, .wait = wait_for_pixmap, .close = close_presenter};
    static atomic_ushort presenter_count;
    struct wsi_x11_state state;
    VkResult result = wsi_x11_query(surface, &state);
    if (result != VK_SUCCESS)
        return result;
    struct dri3_presenter *presenter =
        vk_zalloc(info->alloc, NULL, sizeof(*presenter), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!presenter)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    presenter->base.ops = &ops;
    presenter->sink = sink;
    presenter->connection = wsi_x11_connection(surface);
    presenter->window = wsi_x11_window(surface);
    presenter->width = info->width;
    presenter->height = info->height;
    presenter->depth = state.depth;
    presenter->modifier = images[0].modifier;
    presenter->told_fits = VK_SUCCESS;
    presenter->number = atomic_fetch_add(&presenter_count, 1);
    take_size(presenter, state.extent.width, state.extent.height);
    struct wsi_x11_quiet quiet = wsi_x11_quiet_begin();
    result = listen_to_server(presenter);
    for (uint32_t i = 0; i < image_count && result == VK_SUCCESS; i++)
        result = add_pixmap(presenter, &images[i]);
    wsi_x11_quiet_end(&quiet);
    if (result != VK_SUCCESS) {
        close_presenter(&presenter->base, info->alloc);
        return result;
    }
    *presenter_out = &presenter->base;
    return VK_SUCCESS;
}
