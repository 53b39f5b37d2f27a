/* Wayland by wl_shm, which every compositor has: a picture is copied into the first of a few buffers that the
 * compositor does not read at the moment. A card's own memory goes by wsi_wayland_dmabuf.c. */
#include "vulkan/wsi/wsi_wayland.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/bits.h"
#include "util/file_limit.h"
#include "util/log.h"
#include "vulkan/runtime/object/vk_object.h"
#include "vulkan/runtime/sync/vk_time.h"
#include "vulkan/wsi/vk_wsi_entrypoints.h"

enum {
    BUFFERS = 3 /* one is shown, one waits for the screen, one is written */
};

struct slot {
    struct wl_buffer *buffer;
    uint8_t *pixels;
    bool busy; /* the compositor's */
};

struct wayland_presenter {
    struct wsi_presenter base;
    struct wsi_wl_link link;
    struct wl_surface *surface; /* a wrapper of the application's */
    struct wl_callback *frame;  /* comes when the next picture is wanted; NULL: it has come */
    uint32_t width, height;
    bool missed; /* the last picture */
    void *memory;
    size_t memory_B;
    struct slot slots[BUFFERS];
};

static const VkPresentModeKHR modes[] = {VK_PRESENT_MODE_FIFO_KHR, VK_PRESENT_MODE_MAILBOX_KHR};

/* ---- questions ---- */

static bool open_libraries(VkIcdWsiPlatform platform)
{
    return wsi_library_open(&wsi_wayland_client_library);
}

static VkResult get_capabilities(const VkIcdSurfaceBase *surface, VkSurfaceCapabilitiesKHR *capabilities)
{
    if (wl_display_get_error(wsi_wl_display(surface)))
        return VK_ERROR_SURFACE_LOST_KHR;
    /* The swapchain decides. */
    capabilities->currentExtent = (VkExtent2D){UINT32_MAX, UINT32_MAX};
    capabilities->supportedCompositeAlpha =
        VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR | VK_COMPOSITE_ALPHA_PRE_MULTIPLIED_BIT_KHR;
    return VK_SUCCESS;
}

static VkResult get_formats(const VkIcdSurfaceBase *surface, VkFormat formats[WSI_MAX_FORMATS], uint32_t *count_out)
{
    struct wsi_wl_link link;
    *count_out = 0;
    VkResult result = wsi_wl_link_init(&link, wsi_wl_display(surface), NULL);
    if (result != VK_SUCCESS)
        return result;
    formats[(*count_out)++] = VK_FORMAT_B8G8R8A8_SRGB;
    formats[(*count_out)++] = VK_FORMAT_B8G8R8A8_UNORM;
    if (link.has_rgba) {
        formats[(*count_out)++] = VK_FORMAT_R8G8B8A8_SRGB;
        formats[(*count_out)++] = VK_FORMAT_R8G8B8A8_UNORM;
    }
    wsi_wl_link_finish(&link);
    return VK_SUCCESS;
}

static VkResult get_extent(const VkIcdSurfaceBase *surface, VkExtent2D *extent_out)
{
    *extent_out = (VkExtent2D){UINT32_MAX, UINT32_MAX};
    return VK_SUCCESS;
}

/* ---- showing ---- */

static void on_release(void *data, struct wl_buffer *buffer)
{
    ((struct slot *)data)->busy = false;
}

static const struct wl_buffer_listener buffer_listener = {on_release};

static void on_frame(void *data, struct wl_callback *callback, uint32_t time_ms)
{
    struct wayland_presenter *presenter = data;
    wl_callback_destroy(callback);
    presenter->frame = NULL;
}

static const struct wl_callback_listener frame_listener = {on_frame};

static void pace_frames(struct wsi_presenter *base)
{
    struct wayland_presenter *presenter = (struct wayland_presenter *)base;
    uint64_t deadline_ns = vk_time_deadline_ns(WSI_WL_PATIENCE_NS);
    while (base->mode == VK_PRESENT_MODE_FIFO_KHR && presenter->frame &&
           wsi_wl_link_wait(&presenter->link, NULL, 0, deadline_ns) > 0)
        ;
}

static struct slot *find_free(struct wayland_presenter *presenter)
{
    uint64_t deadline_ns = vk_time_deadline_ns(WSI_WL_PATIENCE_NS);
    wl_display_dispatch_queue_pending(presenter->link.display, presenter->link.queue);
    do {
        for (unsigned i = 0; i < BUFFERS; i++) {
            if (!presenter->slots[i].busy)
                return &presenter->slots[i];
        }
    } while (wsi_wl_link_wait(&presenter->link, NULL, 0, deadline_ns) > 0);
    return NULL;
}

static VkResult show_pixels(struct wsi_presenter *base, const void *pixels, const VkRect2D *damage)
{
    struct wayland_presenter *presenter = (struct wayland_presenter *)base;
    struct wl_display *display = presenter->link.display;
    struct slot *slot = find_free(presenter);
    if (wl_display_get_error(display))
        return VK_ERROR_SURFACE_LOST_KHR;
    if (!slot) { /* the compositor holds all and wants no picture: it misses this one */
        presenter->missed = true;
        return VK_SUCCESS;
    }
    const VkRect2D whole = {{0, 0}, {presenter->width, presenter->height}};
    wsi_copy_pixels(slot->pixels, pixels, presenter->width * presenter->height, false);
    slot->busy = true;
    wsi_wl_attach(presenter->surface, slot->buffer, presenter->missed ? &whole : damage);
    presenter->missed = false;
    if (base->mode == VK_PRESENT_MODE_FIFO_KHR && !presenter->frame) {
        presenter->frame = wl_surface_frame(presenter->surface);
        if (presenter->frame)
            wl_callback_add_listener(presenter->frame, &frame_listener, presenter);
    }
    wl_surface_commit(presenter->surface);
    if (wl_display_flush(display) < 0 && errno != EAGAIN)
        return VK_ERROR_SURFACE_LOST_KHR;
    return VK_SUCCESS;
}

/* ---- opening ---- */

static void close_presenter(struct wsi_presenter *base, const VkAllocationCallbacks *alloc)
{
    struct wayland_presenter *presenter = (struct wayland_presenter *)base;
    if (presenter->frame)
        wl_callback_destroy(presenter->frame);
    for (unsigned i = 0; i < BUFFERS; i++) {
        if (presenter->slots[i].buffer)
            wl_buffer_destroy(presenter->slots[i].buffer);
    }
    if (presenter->surface)
        wl_proxy_wrapper_destroy(presenter->surface);
    if (presenter->memory)
        munmap(presenter->memory, presenter->memory_B);
    if (presenter->link.queue) {
        wl_display_flush(presenter->link.display);
        wsi_wl_link_finish(&presenter->link);
    }
    vk_free(alloc, NULL, presenter);
}

static uint32_t shm_format_of(const struct wsi_presenter_info *info)
{
    if (info->format == VK_FORMAT_B8G8R8A8_UNORM || info->format == VK_FORMAT_B8G8R8A8_SRGB)
        return info->is_opaque ? WL_SHM_FORMAT_XRGB8888 : WL_SHM_FORMAT_ARGB8888;
    return info->is_opaque ? WL_SHM_FORMAT_XBGR8888 : WL_SHM_FORMAT_ABGR8888;
}

static VkResult create_buffers(struct wayland_presenter *presenter, const struct wsi_presenter_info *info)
{
    size_t picture_B = (size_t)info->width * info->height * WSI_PIXEL_B;
    if (picture_B * BUFFERS > INT32_MAX) /* the protocol's sizes are signed */
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    int fd = memfd_create("tuff swapchain", MFD_CLOEXEC);
    if (fd < 0)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    void *memory = MAP_FAILED;
    if (!file_resize(fd, picture_B * BUFFERS))
        memory = mmap(NULL, picture_B * BUFFERS, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) {
        close(fd);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    presenter->memory = memory;
    presenter->memory_B = picture_B * BUFFERS;
    struct wl_shm_pool *pool = wl_shm_create_pool(presenter->link.shm, fd, (int32_t)presenter->memory_B);
    close(fd);
    for (unsigned i = 0; i < BUFFERS && pool; i++) {
        struct slot *slot = &presenter->slots[i];
        slot->pixels = (uint8_t *)memory + i * picture_B;
        slot->buffer =
            wl_shm_pool_create_buffer(pool, (int32_t)(i * picture_B), (int32_t)info->width, (int32_t)info->height,
                                      (int32_t)info->width * WSI_PIXEL_B, shm_format_of(info));
        if (!slot->buffer || wl_buffer_add_listener(slot->buffer, &buffer_listener, slot) != 0) {
            wl_shm_pool_destroy(pool);
            return VK_ERROR_OUT_OF_HOST_MEMORY;
        }
    }
    if (!pool)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    wl_shm_pool_destroy(pool);
    return VK_SUCCESS;
}

static VkResult open_presenter(const VkIcdSurfaceBase *surface, const struct wsi_presenter_info *info,
                               struct wsi_presenter **presenter_out)
{
    static const struct wsi_presenter_ops ops = {.pace = pace_frames, .show = show_pixels, .close = close_presenter};
    struct wayland_presenter *presenter =
        vk_zalloc(info->alloc, NULL, sizeof(*presenter), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!presenter)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    presenter->base.ops = &ops;
    presenter->width = info->width;
    presenter->height = info->height;
    VkResult result = wsi_wl_link_init(&presenter->link, wsi_wl_display(surface), NULL);
    if (result != VK_SUCCESS) {
        vk_free(info->alloc, NULL, presenter);
        return result;
    }
    presenter->surface = wsi_wl_wrap_surface(&presenter->link, surface);
    result = presenter->surface ? create_buffers(presenter, info) : VK_ERROR_OUT_OF_HOST_MEMORY;
    if (result != VK_SUCCESS) {
        close_presenter(&presenter->base, info->alloc);
        return result;
    }
    *presenter_out = &presenter->base;
    return VK_SUCCESS;
}

const struct wsi_window_ops wsi_wayland_ops = {
    .open_libraries = open_libraries,
    .modes = modes,
    .mode_count = ARRAY_SIZE(modes),
    .get_capabilities = get_capabilities,
    .get_formats = get_formats,
    .get_extent = get_extent,
    .open = open_presenter,
#ifdef WSI_DMABUF
    .get_offer = wsi_wl_dmabuf_get_offer,
    .open_shared = wsi_wl_dmabuf_open,
#endif
};

VKAPI_ATTR VkBool32 VKAPI_CALL vk_wsi_GetPhysicalDeviceWaylandPresentationSupportKHR(VkPhysicalDevice physical,
                                                                                     uint32_t family,
                                                                                     struct wl_display *display)
{
    struct wsi_wl_link link;
    if (!open_libraries(VK_ICD_WSI_PLATFORM_WAYLAND) || wsi_wl_link_init(&link, display, NULL) != VK_SUCCESS)
        return VK_FALSE;
    wsi_wl_link_finish(&link);
    return VK_TRUE;
}
