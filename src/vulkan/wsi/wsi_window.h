/* A window system's part in surfaces and swapchains: one struct wsi_window_ops for each. A surface is the loader's
 * struct (vk_icd.h), made by the loader or by us; it says which window system it belongs to.
 *
 * A presenter is of one of two kinds. One that copies is given the pixels of each picture, unless it shows nothing. One
 * that shares has passed every image to the server once, as a dma-buf, and from then on names the one to show; the
 * server reports when it has stopped using one. wsi_share.h decides which it will be. */
#ifndef VULKAN_WSI_WSI_WINDOW_H
#define VULKAN_WSI_WSI_WINDOW_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "vulkan/runtime/object/vk_alloc.h"
#include "vulkan/runtime/object/vk_api.h"

#include <vulkan/vk_icd.h>

struct wsi_presenter;
struct wsi_sink;

enum {
    WSI_MAX_FORMATS = 8,
    WSI_PIXEL_B = 4, /* of every format that is offered */
    WSI_MAX_MODIFIERS = 64,
    WSI_MAX_SETS = 4,
    WSI_MAX_PLANES = 4, /* of memory */
};

struct wsi_modifier_set {
    uint32_t count;
    uint64_t modifiers[WSI_MAX_MODIFIERS];
};

/* Which images a window takes as they are, of one format. */
struct wsi_offer {
    bool has_device; /* the server has said with which one it draws */
    dev_t device;
    uint32_t set_count; /* the best for the window first; 0: none */
    struct wsi_modifier_set sets[WSI_MAX_SETS];
};

/* An image for a server. The fd is the caller's and stays open while the presenter lives. */
struct wsi_shared_image {
    int fd;
    uint64_t modifier;
    uint32_t plane_count;
    uint32_t offsets_B[WSI_MAX_PLANES], strides_B[WSI_MAX_PLANES];
};

/* A swapchain as its window must know it. */
struct wsi_presenter_info {
    uint32_t width, height;
    VkFormat format;
    VkPresentModeKHR mode;
    bool is_opaque; /* the pixels' alpha is not to be seen */
    const VkAllocationCallbacks *alloc;
};

/* Every function returns VK_ERROR_SURFACE_LOST_KHR when the window or the connection to its server is gone. None of
 * them raises SIGPIPE or lets an error of ours reach the application's handlers. */
struct wsi_window_ops {
    const VkPresentModeKHR *modes;
    uint32_t mode_count;
    bool shows_nothing; /* its presenters do not look at the pixels */

    /* The libraries that the other functions call, before any of them is called; false: one is missing, which the log
     * has named. NULL: they call none. */
    bool (*open_libraries)(VkIcdWsiPlatform platform);

    /* Extents, counts of images and kinds of alpha; the caller has filled in the rest. */
    VkResult (*get_capabilities)(const VkIcdSurfaceBase *surface, VkSurfaceCapabilitiesKHR *capabilities);
    /* Formats of 4 bytes that the window can show, whatever the device can do with them. Programs take the first and
     * write light into it: sRGB stands before UNORM, as other drivers have it. */
    VkResult (*get_formats)(const VkIcdSurfaceBase *surface, VkFormat formats[WSI_MAX_FORMATS], uint32_t *count_out);
    /* Where in the window a picture lands. */
    VkResult (*get_extent)(const VkIcdSurfaceBase *surface, VkExtent2D *extent_out);
    VkResult (*open)(const VkIcdSurfaceBase *surface, const struct wsi_presenter_info *info,
                     struct wsi_presenter **presenter_out);

    /* Both NULL where pictures are always copied. An answer without sets is an answer, too; its reason goes to the log.
     * `open_shared` may fail with VK_ERROR_FORMAT_NOT_SUPPORTED when the server refuses an image after all. */
    VkResult (*get_offer)(const VkIcdSurfaceBase *surface, const struct wsi_presenter_info *info,
                          struct wsi_offer *offer_out);
    VkResult (*open_shared)(const VkIcdSurfaceBase *surface, const struct wsi_presenter_info *info,
                            const struct wsi_shared_image *images, uint32_t image_count, struct wsi_sink *sink,
                            struct wsi_presenter **presenter_out);
};

/* A server's reports to a presenter that shares, for the thread that calls its functions. */
struct wsi_sink {
    const struct wsi_sink_ops {
        /* The picture that was handed over with this number, and each before it, is on the screen or will never be. */
        void (*reached)(struct wsi_sink *sink, uint32_t serial);
        /* The server has no further use for the image. Its GPU may still read it. */
        void (*released)(struct wsi_sink *sink, uint32_t image);
        /* VK_SUCCESS or VK_SUBOPTIMAL_KHR: how well the images fit the window. */
        void (*fits)(struct wsi_sink *sink, VkResult result);
    } * ops;
    const struct wsi_modifier_set *usable; /* what the device could make the images with */
};

/* One swapchain's way to its window. Used by one thread, which has blocked all signals, and closed when that has ended.
 */
struct wsi_presenter_ops {
    /* Until the screen is ready for the next picture, by the rules of the present mode; soon, whatever happens. NULL:
     * at once. Of a presenter that copies, as the next. */
    void (*pace)(struct wsi_presenter *presenter);
    /* Show rows of width * WSI_PIXEL_B bytes without gaps, of which those outside of `damage` are as before. The bytes
     * are the caller's again when it returns. */
    VkResult (*show)(struct wsi_presenter *presenter, const void *pixels, const VkRect2D *damage);

    /* Of a presenter that shares: whether it is the time for the next picture, by the rules of the present mode. */
    bool (*is_ready)(struct wsi_presenter *presenter);
    /* Show an image, whose contents are ready, at the next chance; `at_once`: whatever the mode says. Numbers rise. */
    VkResult (*hand_over)(struct wsi_presenter *presenter, uint32_t image, uint32_t serial, const VkRect2D *damage,
                          bool at_once);
    /* Pass on to the sink what has come from the server. Where nothing has, wait for something, for one of the fds,
     * whose revents are filled in, or for the deadline. `awaited`: a thread waits for what the server will report. */
    VkResult (*wait)(struct wsi_presenter *presenter, struct pollfd *fds, uint32_t fd_count, uint64_t deadline_ns,
                     bool awaited);

    void (*close)(struct wsi_presenter *presenter, const VkAllocationCallbacks *alloc);
};

struct wsi_presenter {
    const struct wsi_presenter_ops *ops;
    VkPresentModeKHR mode; /* of the next picture; the thread's */
};

extern const struct wsi_window_ops wsi_x11_ops;
extern const struct wsi_window_ops wsi_wayland_ops;
extern const struct wsi_window_ops wsi_headless_ops;

/* Where no vertical blank is reported: a clock of 60 Hz stands for it. */
struct wsi_pacer {
    VkPresentModeKHR mode;
    uint64_t start_ns, last_ns;
};

void wsi_pacer_init(struct wsi_pacer *pacer, VkPresentModeKHR mode);
/* When the next picture may be shown; now or earlier: at once. FIFO waits for the next tick of the clock, FIFO_RELAXED
 * only where the last picture was shown within this period, the others never. */
uint64_t wsi_pacer_next_ns(const struct wsi_pacer *pacer, uint64_t now_ns);
void wsi_pacer_wait(struct wsi_pacer *pacer);

/* The pixels with their alpha set to one where it must not be seen; a plain copy otherwise. */
void wsi_copy_pixels(void *to, const void *from, uint32_t pixel_count, bool set_alpha);

#endif
