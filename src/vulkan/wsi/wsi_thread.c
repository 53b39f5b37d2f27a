/* The thread of a swapchain: it shows what was presented, when that is drawn; or hands it to a server that will wait
 * for that. */
#include <poll.h>
#include <signal.h>

#include "util/bits.h"
#include "vulkan/runtime/sync/vk_time.h"
#include "vulkan/wsi/wsi_capture.h"
#include "vulkan/wsi/wsi_swapchain.h"

#define MS 1000000ull

/* How long a wait may last during which messages of the server are not read: images come back meanwhile. */
#define SLICE_NS (4 * MS)
/* How long a lost device can go unnoticed. */
#define LONG_SLICE_NS (500 * MS)
/* How long the pictures of a swapchain that ends may take to the screen. */
#define LAST_NS (100 * MS)

static bool is_sharing(const struct wsi_swapchain *swapchain)
{
    return swapchain->image_use & WSI_IMAGE_SHARED;
}

static VkResult poll_server(struct wsi_swapchain *swapchain)
{
    struct wsi_presenter *presenter = swapchain->presenter;
    if (!is_sharing(swapchain) || wsi_queue_status(&swapchain->queue) < 0)
        return VK_SUCCESS;
    return presenter->ops->wait(presenter, NULL, 0, 0, false);
}

/* In slices: a device that is lost meanwhile may never signal. */
static VkResult wait_drawn(struct wsi_swapchain *swapchain, uint32_t image)
{
    struct vk_device *device = swapchain->base.device;
    VkResult result = VK_TIMEOUT, server = VK_SUCCESS;
    while (result == VK_TIMEOUT && !vk_device_is_lost(device)) {
        server = server < 0 ? server : poll_server(swapchain);
        result = device->dispatch.WaitForFences(vk_device_to_handle(device), 1, &swapchain->images[image].drawn,
                                                VK_TRUE, is_sharing(swapchain) ? SLICE_NS : LONG_SLICE_NS);
    }
    if (result == VK_TIMEOUT)
        return VK_ERROR_DEVICE_LOST;
    return result == VK_SUCCESS ? server : result;
}

static void capture(struct wsi_swapchain *swapchain, uint32_t image)
{
    const VkExtent3D *extent = &swapchain->image_info.extent;
    if (!swapchain->first_shown_ns)
        swapchain->first_shown_ns = vk_time_now_ns();
    wsi_capture_frame(swapchain->images[image].pixels, extent->width, extent->height, swapchain->image_info.format);
}

/* ---- copying ---- */

/* A newer picture is drawn already. One that only waits in the queue does not count: a GPU that is always a picture
 * behind would show none. */
static bool is_overtaken(struct wsi_swapchain *swapchain, const struct wsi_frame *frame)
{
    struct vk_device *device = swapchain->base.device;
    struct wsi_frame next;
    return frame->mode == VK_PRESENT_MODE_MAILBOX_KHR && wsi_queue_peek(&swapchain->queue, &next) &&
           next.mode == VK_PRESENT_MODE_MAILBOX_KHR &&
           device->dispatch.GetFenceStatus(vk_device_to_handle(device), swapchain->images[next.image].drawn) ==
               VK_SUCCESS;
}

static void show_frame(struct wsi_swapchain *swapchain, const struct wsi_frame *frame)
{
    struct wsi_presenter *presenter = swapchain->presenter;
    VkResult result = wait_drawn(swapchain, frame->image);
    if (result == VK_SUCCESS && is_overtaken(swapchain, frame)) {
        swapchain->has_dropped = true;
        wsi_queue_dropped(&swapchain->queue, frame);
        return;
    }
    if (result == VK_SUCCESS) {
        const VkExtent3D *extent = &swapchain->image_info.extent;
        const VkRect2D whole = {{0, 0}, {extent->width, extent->height}};
        presenter->mode = frame->mode;
        if (presenter->ops->pace && !wsi_queue_is_ending(&swapchain->queue))
            presenter->ops->pace(presenter);
        result = presenter->ops->show(presenter, swapchain->images[frame->image].pixels,
                                      swapchain->has_dropped ? &whole : &frame->damage);
        swapchain->has_dropped = false;
    }
    if (result >= 0)
        capture(swapchain, frame->image);
    wsi_queue_shown(&swapchain->queue, frame, result);
}

static void *run_copying(void *argument)
{
    struct wsi_swapchain *swapchain = argument;
    struct wsi_frame frame;
    while (wsi_queue_take(&swapchain->queue, &frame))
        show_frame(swapchain, &frame);
    return NULL;
}

/* ---- sharing: what the server says ---- */

static struct wsi_swapchain *of_sink(struct wsi_sink *sink)
{
    return container_of(sink, struct wsi_swapchain, sink);
}

static void reach_first(struct wsi_swapchain *swapchain)
{
    struct wsi_flights *flights = &swapchain->flights;
    wsi_queue_reached(&swapchain->queue, flights->entries[flights->first].id);
    flights->first = (flights->first + 1) % WSI_MAX_FLIGHTS;
    flights->count--;
}

static void on_reached(struct wsi_sink *sink, uint32_t serial)
{
    struct wsi_swapchain *swapchain = of_sink(sink);
    struct wsi_flights *flights = &swapchain->flights;
    while (flights->count && (int32_t)(serial - flights->entries[flights->first].serial) >= 0)
        reach_first(swapchain);
}

/* The next owner waits for the server's GPU. */
static void on_released(struct wsi_sink *sink, uint32_t image)
{
    wsi_queue_released(&of_sink(sink)->queue, image);
}

static void on_fits(struct wsi_sink *sink, VkResult result)
{
    wsi_queue_set_status(&of_sink(sink)->queue, result);
}

void wsi_swapchain_init_sink(struct wsi_swapchain *swapchain)
{
    static const struct wsi_sink_ops ops = {.reached = on_reached, .released = on_released, .fits = on_fits};
    swapchain->sink = (struct wsi_sink){.ops = &ops, .usable = &swapchain->plan.usable};
}

/* ---- sharing: the loop ---- */

/* Until the server may have the image: once the kernel knows of the work on it, or when that is done. A picture that is
 * captured must be done. */
static VkResult prepare_image(struct wsi_swapchain *swapchain, uint32_t image)
{
    struct vk_device *device = swapchain->base.device;
    if (vk_device_is_lost(device))
        return VK_ERROR_DEVICE_LOST;
    if (!(swapchain->image_use & WSI_IMAGE_COPIED) && wsi_image_tell_drawn(device, &swapchain->images[image]))
        return VK_SUCCESS;
    return wait_drawn(swapchain, image);
}

static void hand_over(struct wsi_swapchain *swapchain, const struct wsi_frame *frame)
{
    struct wsi_presenter *presenter = swapchain->presenter;
    struct wsi_flights *flights = &swapchain->flights;
    VkResult result = prepare_image(swapchain, frame->image);
    if (result == VK_SUCCESS)
        wsi_image_set_used(swapchain->base.device, &swapchain->images[frame->image], false);
    if (result == VK_SUCCESS)
        result = wsi_queue_status(&swapchain->queue);
    if (result >= 0) {
        if (flights->count == WSI_MAX_FLIGHTS)
            reach_first(swapchain); /* a server that does not report it */
        flights->entries[(flights->first + flights->count++) % WSI_MAX_FLIGHTS] =
            (struct wsi_flight){++flights->last_serial, frame->id};
        presenter->mode = frame->mode;
        result = presenter->ops->hand_over(presenter, frame->image, flights->last_serial, &frame->damage,
                                           wsi_queue_is_ending(&swapchain->queue));
        if (result < 0 && flights->count)
            flights->count--;
    }
    if (result < 0) {
        wsi_queue_shown(&swapchain->queue, frame, result);
        return;
    }
    capture(swapchain, frame->image);
}

/* Until something has happened: a frame, or a message of the server. */
static void wait_for_something(struct wsi_swapchain *swapchain, bool has_frame)
{
    struct wsi_presenter *presenter = swapchain->presenter;
    struct wsi_queue *queue = &swapchain->queue;
    struct pollfd wake = {.fd = queue->wake_fd, .events = POLLIN};
    bool awaited = has_frame || wsi_queue_is_awaited(queue);
    if (wsi_queue_status(queue) < 0) {
        poll(&wake, 1, -1); /* there is no server any more */
    } else {
        VkResult result = presenter->ops->wait(presenter, &wake, 1, vk_time_deadline_ns(1000 * MS), awaited);
        if (result < 0)
            wsi_queue_set_status(queue, result);
    }
    if (wake.revents)
        wsi_queue_clear_wake(queue);
}

/* Frames that were handed over go to the screen before the images go away. */
static void wait_for_last(struct wsi_swapchain *swapchain)
{
    struct wsi_presenter *presenter = swapchain->presenter;
    uint64_t deadline_ns = vk_time_deadline_ns(LAST_NS);
    while (swapchain->flights.count && wsi_queue_status(&swapchain->queue) >= 0 && vk_time_now_ns() < deadline_ns) {
        if (presenter->ops->wait(presenter, NULL, 0, deadline_ns, true) < 0)
            break;
    }
    while (swapchain->flights.count)
        reach_first(swapchain);
}

static void *run_sharing(void *argument)
{
    struct wsi_swapchain *swapchain = argument;
    struct wsi_presenter *presenter = swapchain->presenter;
    struct wsi_queue *queue = &swapchain->queue;
    struct wsi_frame frame;
    while (!wsi_queue_is_over(queue)) {
        bool has_frame = wsi_queue_peek(queue, &frame);
        if (has_frame)
            presenter->mode = frame.mode;
        bool ready = has_frame && (wsi_queue_is_ending(queue) || presenter->ops->is_ready(presenter));
        if (ready && wsi_queue_try_take(queue, &frame))
            hand_over(swapchain, &frame);
        else
            wait_for_something(swapchain, has_frame);
    }
    wait_for_last(swapchain);
    return NULL;
}

/* ---- beginning and end ---- */

VkResult wsi_swapchain_start(struct wsi_swapchain *swapchain)
{
    /* Signals belong to the application's threads. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&swapchain->thread, NULL, is_sharing(swapchain) ? run_sharing : run_copying, swapchain);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    swapchain->has_thread = !error;
    return error ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_SUCCESS;
}

void wsi_swapchain_stop(struct wsi_swapchain *swapchain)
{
    if (!swapchain->has_thread)
        return;
    wsi_queue_stop(&swapchain->queue);
    pthread_join(swapchain->thread, NULL);
    swapchain->has_thread = false;
}
