/* What a window system does for surfaces and swapchains: one struct wsi_window_ops for each. A surface is the loader's
 * struct (vk_icd.h), whoever made it; it says which window system it is of. */
#ifndef VULKAN_WSI_WSI_WINDOW_H
#define VULKAN_WSI_WSI_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "vulkan/runtime/vk_alloc.h"
#include "vulkan/runtime/vk_api.h"

#include <vulkan/vk_icd.h>

struct wsi_presenter;

enum {
    WSI_MAX_FORMATS = 8,
    WSI_PIXEL_B = 4, /* of every format that is offered */
};

/* A swapchain as its window must know it. */
struct wsi_presenter_info {
    uint32_t width, height;
    VkFormat format;
    VkPresentModeKHR mode;
    bool is_opaque; /* the pixels' alpha is not to be seen */
    const VkAllocationCallbacks *alloc;
};

/* Every function answers VK_ERROR_SURFACE_LOST_KHR when the window or the connection to its server is gone. None of
 * them raises SIGPIPE or lets an error of ours reach the application's handlers. */
struct wsi_window_ops {
    const VkPresentModeKHR *modes;
    uint32_t mode_count;

    /* Extents, counts of images and kinds of alpha; the caller has filled in the rest. */
    VkResult (*get_capabilities)(const VkIcdSurfaceBase *surface, VkSurfaceCapabilitiesKHR *capabilities);
    /* Formats of 4 bytes that the window can show, whatever the device can do with them; best first. */
    VkResult (*get_formats)(const VkIcdSurfaceBase *surface, VkFormat formats[WSI_MAX_FORMATS], uint32_t *count_out);
    /* Where in the window a picture lands. */
    VkResult (*get_extent)(const VkIcdSurfaceBase *surface, VkExtent2D *extent_out);
    VkResult (*open)(const VkIcdSurfaceBase *surface, const struct wsi_presenter_info *info,
                     struct wsi_presenter **presenter_out);
};

/* One swapchain's way to its window. Used by one thread, which has blocked all signals, and closed when that has ended.
 */
struct wsi_presenter_ops {
    /* Until the screen is ready for the next picture, by the rules of the present mode; soon, whatever happens. NULL:
     * at once. */
    void (*pace)(struct wsi_presenter *presenter);
    /* Show rows of width * WSI_PIXEL_B bytes without gaps. The bytes are the caller's again when it returns. */
    VkResult (*show)(struct wsi_presenter *presenter, const void *pixels);
    void (*close)(struct wsi_presenter *presenter, const VkAllocationCallbacks *alloc);
};

struct wsi_presenter {
    const struct wsi_presenter_ops *ops;
};

extern const struct wsi_window_ops wsi_x11_ops;
extern const struct wsi_window_ops wsi_wayland_ops;
extern const struct wsi_window_ops wsi_headless_ops;

/* Where nobody tells of a screen's vertical blank: a clock of 60 Hz stands for it. */
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
