/* Wayland by linux-dmabuf: the compositor reads the images themselves. Which ones it takes it says in a list (version 3
 * of zwp_linux_dmabuf_v1) or for each surface, with its device, and again whenever that changes (version 4).
 *
 * presentation-time reports when pictures reach the screen; where it is missing, the frame events do. */
#include <drm_fourcc.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/bits.h"
#include "vulkan/runtime/sync/vk_time.h"
#include "vulkan/wsi/wsi_queue.h"
#include "vulkan/wsi/wsi_share.h"
#include "vulkan/wsi/wsi_wayland.h"

#include "vulkan/wsi/linux-dmabuf-client.h"
#include "vulkan/wsi/presentation-time-client.h"

enum {
    DMABUF_VERSION = 4,
    MODIFIERS_VERSION = 3, /* since then there are modifiers */
    MAX_FEEDBACKS = 32,    /* pictures that presentation-time has not reported yet */
};

struct dmabuf_link {
    struct wsi_wl_link base;
    struct zwp_linux_dmabuf_v1 *dmabuf;
    uint32_t version;
    struct wp_presentation *presentation;
    uint32_t drm_format;           /* that modifiers are wanted of */
    struct wsi_modifier_set plain; /* version 3's list */
};

/* ---- globals ---- */

static void on_format(void *data, struct zwp_linux_dmabuf_v1 *dmabuf, uint32_t format)
{
    /* of version 1 and 2: modifiers say it all */
}

static void on_modifier(void *data, struct zwp_linux_dmabuf_v1 *dmabuf, uint32_t format, uint32_t high, uint32_t low)
{
    struct dmabuf_link *link = data;
    uint64_t modifier = (uint64_t)high << 32 | low;
    if (format == link->drm_format && modifier != DRM_FORMAT_MOD_INVALID)
        wsi_modifier_set_add(&link->plain, modifier);
}

static const struct zwp_linux_dmabuf_v1_listener dmabuf_listener = {on_format, on_modifier};

static void on_clock(void *data, struct wp_presentation *presentation, uint32_t clock)
{
    /* times are not used */
}

static const struct wp_presentation_listener presentation_listener = {on_clock};

static void on_global(struct wsi_wl_link *base, uint32_t name, const char *interface, uint32_t version)
{
    struct dmabuf_link *link = container_of(base, struct dmabuf_link, base);
    if (!link->dmabuf && version >= MODIFIERS_VERSION && strcmp(interface, zwp_linux_dmabuf_v1_interface.name) == 0) {
        link->version = MIN2(version, DMABUF_VERSION);
        link->dmabuf = wl_registry_bind(base->registry, name, &zwp_linux_dmabuf_v1_interface, link->version);
        if (link->dmabuf)
            zwp_linux_dmabuf_v1_add_listener(link->dmabuf, &dmabuf_listener, link);
    }
    if (!link->presentation && strcmp(interface, wp_presentation_interface.name) == 0) {
        link->presentation = wl_registry_bind(base->registry, name, &wp_presentation_interface, 1);
        if (link->presentation)
            wp_presentation_add_listener(link->presentation, &presentation_listener, link);
    }
}

static void link_finish(struct dmabuf_link *link)
{
    if (link->dmabuf)
        zwp_linux_dmabuf_v1_destroy(link->dmabuf);
    if (link->presentation)
        wp_presentation_destroy(link->presentation);
    link->dmabuf = NULL;
    link->presentation = NULL;
    wsi_wl_link_finish(&link->base);
}

static VkResult link_init(struct dmabuf_link *link, const VkIcdSurfaceBase *surface,
                          const struct wsi_presenter_info *info)
{
    *link = (struct dmabuf_link){.drm_format = wsi_drm_format(info->format, info->is_opaque)};
    VkResult result = wsi_wl_link_init(&link->base, wsi_wl_display(surface), on_global);
    if (result != VK_SUCCESS)
        link_finish(link);
    return result;
}

/* ---- feedback: what a surface takes, since version 4 ---- */

struct table_entry { /* the protocol's */
    uint32_t format;
    uint32_t padding;
    uint64_t modifier;
};

struct feedback {
    struct zwp_linux_dmabuf_feedback_v1 *object;
    uint32_t drm_format;
    const struct table_entry *table;
    uint32_t table_count;
    struct wsi_modifier_set tranche; /* the one being received */
    struct wsi_offer next;           /* the feedback that it will belong to */
    struct wsi_offer offer;          /* the last that was received completely */
    uint32_t done_count;
};

static void drop_table(struct feedback *feedback)
{
    if (feedback->table)
        munmap((void *)feedback->table, feedback->table_count * sizeof(*feedback->table));
    feedback->table = NULL;
    feedback->table_count = 0;
}

static void on_done(void *data, struct zwp_linux_dmabuf_feedback_v1 *object)
{
    struct feedback *feedback = data;
    feedback->offer = feedback->next;
    feedback->next.set_count = 0;
    feedback->done_count++;
}

static void on_table(void *data, struct zwp_linux_dmabuf_feedback_v1 *object, int fd, uint32_t size_B)
{
    struct feedback *feedback = data;
    drop_table(feedback);
    uint32_t count = size_B / (uint32_t)sizeof(*feedback->table);
    void *bytes = count ? mmap(NULL, count * sizeof(*feedback->table), PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    if (bytes != MAP_FAILED) {
        feedback->table = bytes;
        feedback->table_count = count;
    }
    close(fd);
}

static void on_main_device(void *data, struct zwp_linux_dmabuf_feedback_v1 *object, struct wl_array *device)
{
    struct feedback *feedback = data;
    feedback->next.has_device = device->size == sizeof(feedback->next.device);
    if (feedback->next.has_device)
        memcpy(&feedback->next.device, device->data, sizeof(feedback->next.device));
}

static void on_tranche_done(void *data, struct zwp_linux_dmabuf_feedback_v1 *object)
{
    struct feedback *feedback = data;
    struct wsi_offer *next = &feedback->next;
    if (feedback->tranche.count && next->set_count < WSI_MAX_SETS)
        next->sets[next->set_count++] = feedback->tranche;
    feedback->tranche.count = 0;
}

static void on_tranche_device(void *data, struct zwp_linux_dmabuf_feedback_v1 *object, struct wl_array *device)
{
    /* which of the compositor's devices gains by the tranche: the main one can use it, too */
}

static void on_tranche_formats(void *data, struct zwp_linux_dmabuf_feedback_v1 *object, struct wl_array *indices)
{
    struct feedback *feedback = data;
    const uint16_t *index = indices->data;
    for (size_t i = 0; i < indices->size / sizeof(*index); i++) {
        if (index[i] >= feedback->table_count)
            continue;
        const struct table_entry *entry = &feedback->table[index[i]];
        if (entry->format == feedback->drm_format && entry->modifier != DRM_FORMAT_MOD_INVALID)
            wsi_modifier_set_add(&feedback->tranche, entry->modifier);
    }
}

static void on_tranche_flags(void *data, struct zwp_linux_dmabuf_feedback_v1 *object, uint32_t flags)
{
    /* the order of tranches says what is best */
}

static const struct zwp_linux_dmabuf_feedback_v1_listener feedback_listener = {
    .done = on_done,
    .format_table = on_table,
    .main_device = on_main_device,
    .tranche_done = on_tranche_done,
    .tranche_target_device = on_tranche_device,
    .tranche_formats = on_tranche_formats,
    .tranche_flags = on_tranche_flags,
};

static void feedback_finish(struct feedback *feedback)
{
    drop_table(feedback);
    if (feedback->object)
        zwp_linux_dmabuf_feedback_v1_destroy(feedback->object);
    feedback->object = NULL;
}

/* In place. Below version 4 the list is all there is. */
static VkResult feedback_init(struct feedback *feedback, struct dmabuf_link *link, struct wl_surface *surface)
{
    *feedback = (struct feedback){.drm_format = link->drm_format};
    if (!link->dmabuf)
        return VK_SUCCESS;
    if (link->version < ZWP_LINUX_DMABUF_V1_GET_SURFACE_FEEDBACK_SINCE_VERSION) {
        feedback->offer.set_count = link->plain.count > 0;
        feedback->offer.sets[0] = link->plain;
        return VK_SUCCESS;
    }
    feedback->object = zwp_linux_dmabuf_v1_get_surface_feedback(link->dmabuf, surface);
    if (!feedback->object ||
        zwp_linux_dmabuf_feedback_v1_add_listener(feedback->object, &feedback_listener, feedback) != 0)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    return wl_display_roundtrip_queue(link->base.display, link->base.queue) < 0 ? VK_ERROR_SURFACE_LOST_KHR
                                                                                : VK_SUCCESS;
}

VkResult wsi_wl_dmabuf_get_offer(const VkIcdSurfaceBase *surface, const struct wsi_presenter_info *info,
                                 struct wsi_offer *offer_out)
{
    struct dmabuf_link link;
    struct feedback feedback;
    *offer_out = (struct wsi_offer){0};
    VkResult result = link_init(&link, surface, info);
    if (result != VK_SUCCESS)
        return result;
    result = feedback_init(&feedback, &link, wsi_wl_surface(surface));
    *offer_out = feedback.offer;
    feedback_finish(&feedback);
    link_finish(&link);
    return result;
}

/* ---- the presenter ---- */

struct buffer {
    struct dmabuf_presenter *presenter;
    struct wl_buffer *object;
    struct zwp_linux_buffer_params_v1 *params; /* until the compositor has answered */
};

struct picture {
    struct dmabuf_presenter *presenter;
    struct wp_presentation_feedback *object; /* NULL: not in use */
    uint32_t serial;
};

struct dmabuf_presenter {
    struct wsi_presenter base;
    struct dmabuf_link link;
    struct feedback feedback;
    uint32_t seen_done_count;
    struct wsi_sink *sink;
    struct wl_surface *original, *surface; /* the application's, and our wrapper of it */
    uint64_t modifier;
    dev_t device;
    struct wl_callback *frame; /* comes when the next picture is wanted; NULL: it has come */
    uint64_t frame_deadline_ns;
    uint32_t last_serial;
    bool refused; /* an image */
    struct buffer buffers[WSI_MAX_IMAGES];
    uint32_t buffer_count;
    struct picture pictures[MAX_FEEDBACKS];
};

static void on_release(void *data, struct wl_buffer *object)
{
    struct buffer *buffer = data;
    struct wsi_sink *sink = buffer->presenter->sink;
    sink->ops->released(sink, (uint32_t)(buffer - buffer->presenter->buffers));
}

static const struct wl_buffer_listener buffer_listener = {on_release};

static void on_frame(void *data, struct wl_callback *callback, uint32_t time_ms)
{
    struct dmabuf_presenter *presenter = data;
    wl_callback_destroy(callback);
    presenter->frame = NULL;
    if (!presenter->link.presentation)
        presenter->sink->ops->reached(presenter->sink, presenter->last_serial);
}

static const struct wl_callback_listener frame_listener = {on_frame};

static void end_picture(struct picture *picture)
{
    struct wsi_sink *sink = picture->presenter->sink;
    wp_presentation_feedback_destroy(picture->object);
    picture->object = NULL;
    sink->ops->reached(sink, picture->serial);
}

static void on_sync_output(void *data, struct wp_presentation_feedback *object, struct wl_output *output)
{
}

static void on_presented(void *data, struct wp_presentation_feedback *object, uint32_t seconds_high,
                         uint32_t seconds_low, uint32_t nanoseconds, uint32_t refresh_ns, uint32_t count_high,
                         uint32_t count_low, uint32_t flags)
{
    end_picture(data);
}

static void on_discarded(void *data, struct wp_presentation_feedback *object)
{
    end_picture(data);
}

static const struct wp_presentation_feedback_listener picture_listener = {on_sync_output, on_presented, on_discarded};

static void ask_when_presented(struct dmabuf_presenter *presenter, uint32_t serial)
{
    for (unsigned i = 0; i < MAX_FEEDBACKS; i++) {
        struct picture *picture = &presenter->pictures[i];
        if (picture->object)
            continue;
        picture->object = wp_presentation_feedback(presenter->link.presentation, presenter->original);
        picture->presenter = presenter;
        picture->serial = serial;
        if (picture->object)
            wp_presentation_feedback_add_listener(picture->object, &picture_listener, picture);
        return;
    }
    /* Too many: it is reached with the next one that has been asked for. */
}

static bool is_ready(struct wsi_presenter *base)
{
    struct dmabuf_presenter *presenter = (struct dmabuf_presenter *)base;
    return !presenter->frame || base->mode != VK_PRESENT_MODE_FIFO_KHR ||
           vk_time_now_ns() >= presenter->frame_deadline_ns;
}

static VkResult hand_over(struct wsi_presenter *base, uint32_t image, uint32_t serial, const VkRect2D *damage,
                          bool at_once)
{
    struct dmabuf_presenter *presenter = (struct dmabuf_presenter *)base;
    struct wl_display *display = presenter->link.base.display;
    bool is_fifo = base->mode == VK_PRESENT_MODE_FIFO_KHR && !at_once;
    wsi_wl_attach(presenter->surface, presenter->buffers[image].object, damage);
    if (is_fifo && !presenter->frame) {
        presenter->frame = wl_surface_frame(presenter->surface);
        if (presenter->frame)
            wl_callback_add_listener(presenter->frame, &frame_listener, presenter);
    }
    if (is_fifo)
        presenter->frame_deadline_ns = vk_time_deadline_ns(WSI_WL_PATIENCE_NS);
    if (presenter->link.presentation)
        ask_when_presented(presenter, serial);
    presenter->last_serial = serial;
    wl_surface_commit(presenter->surface);
    if ((wl_display_flush(display) < 0 && errno != EAGAIN) || wl_display_get_error(display))
        return VK_ERROR_SURFACE_LOST_KHR;
    if (!presenter->link.presentation && !presenter->frame)
        presenter->sink->ops->reached(presenter->sink, serial);
    return VK_SUCCESS;
}

/* Would the images be made like this now? */
static void look_at_feedback(struct dmabuf_presenter *presenter)
{
    const struct wsi_offer *offer = &presenter->feedback.offer;
    if (presenter->feedback.done_count == presenter->seen_done_count)
        return;
    presenter->seen_done_count = presenter->feedback.done_count;
    struct wsi_modifier_set chosen;
    bool fits = offer->device == presenter->device && wsi_offer_choose(offer, presenter->sink->usable, &chosen) &&
                wsi_modifier_set_has(&chosen, presenter->modifier);
    presenter->sink->ops->fits(presenter->sink, fits ? VK_SUCCESS : VK_SUBOPTIMAL_KHR);
}

static VkResult wait_for_buffer(struct wsi_presenter *base, struct pollfd *fds, uint32_t fd_count, uint64_t deadline_ns,
                                bool awaited)
{
    struct dmabuf_presenter *presenter = (struct dmabuf_presenter *)base;
    if (presenter->frame && presenter->frame_deadline_ns < deadline_ns)
        deadline_ns = MAX2(presenter->frame_deadline_ns, vk_time_now_ns() + 1000000);
    int answer = wsi_wl_link_wait(&presenter->link.base, fds, fd_count, deadline_ns);
    if (answer < 0 || wl_display_get_error(presenter->link.base.display))
        return VK_ERROR_SURFACE_LOST_KHR;
    look_at_feedback(presenter);
    return VK_SUCCESS;
}

/* ---- opening ---- */

static void close_presenter(struct wsi_presenter *base, const VkAllocationCallbacks *alloc)
{
    struct dmabuf_presenter *presenter = (struct dmabuf_presenter *)base;
    for (unsigned i = 0; i < MAX_FEEDBACKS; i++) {
        if (presenter->pictures[i].object)
            wp_presentation_feedback_destroy(presenter->pictures[i].object);
    }
    if (presenter->frame)
        wl_callback_destroy(presenter->frame);
    for (uint32_t i = 0; i < presenter->buffer_count; i++) {
        if (presenter->buffers[i].params)
            zwp_linux_buffer_params_v1_destroy(presenter->buffers[i].params);
        if (presenter->buffers[i].object)
            wl_buffer_destroy(presenter->buffers[i].object);
    }
    feedback_finish(&presenter->feedback);
    if (presenter->surface)
        wl_proxy_wrapper_destroy(presenter->surface);
    wl_display_flush(presenter->link.base.display);
    link_finish(&presenter->link);
    vk_free(alloc, NULL, presenter);
}

static void end_params(struct buffer *buffer)
{
    zwp_linux_buffer_params_v1_destroy(buffer->params);
    buffer->params = NULL;
}

static void on_created(void *data, struct zwp_linux_buffer_params_v1 *params, struct wl_buffer *object)
{
    struct buffer *buffer = data;
    buffer->object = object;
    wl_buffer_add_listener(object, &buffer_listener, buffer);
    end_params(buffer);
}

static void on_failed(void *data, struct zwp_linux_buffer_params_v1 *params)
{
    struct buffer *buffer = data;
    buffer->presenter->refused = true;
    end_params(buffer);
}

static const struct zwp_linux_buffer_params_v1_listener params_listener = {on_created, on_failed};

static bool add_buffer(struct dmabuf_presenter *presenter, const struct wsi_presenter_info *info,
                       const struct wsi_shared_image *image)
{
    struct buffer *buffer = &presenter->buffers[presenter->buffer_count++];
    buffer->presenter = presenter;
    buffer->params = zwp_linux_dmabuf_v1_create_params(presenter->link.dmabuf);
    if (!buffer->params || zwp_linux_buffer_params_v1_add_listener(buffer->params, &params_listener, buffer) != 0)
        return false;
    for (uint32_t i = 0; i < image->plane_count; i++)
        zwp_linux_buffer_params_v1_add(buffer->params, image->fd, i, image->offsets_B[i], image->strides_B[i],
                                       (uint32_t)(image->modifier >> 32), (uint32_t)image->modifier);
    /* Not create_immed: a compositor that cannot import may end the connection over that. */
    zwp_linux_buffer_params_v1_create(buffer->params, (int32_t)info->width, (int32_t)info->height,
                                      presenter->link.drm_format, 0);
    return true;
}

static VkResult add_buffers(struct dmabuf_presenter *presenter, const struct wsi_presenter_info *info,
                            const struct wsi_shared_image *images, uint32_t image_count)
{
    if (!presenter->link.dmabuf)
        return VK_ERROR_FORMAT_NOT_SUPPORTED;
    for (uint32_t i = 0; i < image_count; i++) {
        if (!add_buffer(presenter, info, &images[i]))
            return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    if (wl_display_roundtrip_queue(presenter->link.base.display, presenter->link.base.queue) < 0)
        return VK_ERROR_SURFACE_LOST_KHR;
    for (uint32_t i = 0; i < image_count; i++)
        presenter->refused |= !presenter->buffers[i].object;
    return presenter->refused ? VK_ERROR_FORMAT_NOT_SUPPORTED : VK_SUCCESS;
}

VkResult wsi_wl_dmabuf_open(const VkIcdSurfaceBase *surface, const struct wsi_presenter_info *info,
                            const struct wsi_shared_image *images, uint32_t image_count, struct wsi_sink *sink,
                            struct wsi_presenter **presenter_out)
{
    static const struct wsi_presenter_ops ops = {
        .is_ready = is_ready, .hand_over = hand_over, .wait = wait_for_buffer, .close = close_presenter};
    struct dmabuf_presenter *presenter =
        vk_zalloc(info->alloc, NULL, sizeof(*presenter), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!presenter)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    presenter->base.ops = &ops;
    presenter->sink = sink;
    presenter->modifier = images[0].modifier;
    VkResult result = link_init(&presenter->link, surface, info);
    if (result != VK_SUCCESS) {
        vk_free(info->alloc, NULL, presenter);
        return result;
    }
    presenter->original = wsi_wl_surface(surface);
    presenter->surface = wsi_wl_wrap_surface(&presenter->link.base, surface);
    result = presenter->surface ? feedback_init(&presenter->feedback, &presenter->link, presenter->original)
                                : VK_ERROR_OUT_OF_HOST_MEMORY;
    presenter->device = presenter->feedback.offer.device;
    if (result == VK_SUCCESS)
        result = add_buffers(presenter, info, images, image_count);
    if (result != VK_SUCCESS) {
        close_presenter(&presenter->base, info->alloc);
        return result;
    }
    *presenter_out = &presenter->base;
    return VK_SUCCESS;
}
