/* VK_EXT_headless_surface: pictures go nowhere, or to the file that TUFF_PRESENT_PNG names (wsi_capture.h). There is no
 * screen, so nothing waits for one. */
#include "vulkan/wsi/wsi_window.h"

#include "util/bits.h"

static const VkPresentModeKHR modes[] = {VK_PRESENT_MODE_FIFO_KHR, VK_PRESENT_MODE_IMMEDIATE_KHR,
                                         VK_PRESENT_MODE_MAILBOX_KHR, VK_PRESENT_MODE_FIFO_RELAXED_KHR};

static VkResult get_capabilities(const VkIcdSurfaceBase *surface, VkSurfaceCapabilitiesKHR *capabilities)
{
    /* The swapchain decides. */
    capabilities->currentExtent = (VkExtent2D){UINT32_MAX, UINT32_MAX};
    capabilities->supportedCompositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR | VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR;
    return VK_SUCCESS;
}

static VkResult get_formats(const VkIcdSurfaceBase *surface, VkFormat formats[WSI_MAX_FORMATS], uint32_t *count_out)
{
    static const VkFormat all[] = {VK_FORMAT_B8G8R8A8_SRGB, VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB,
                                   VK_FORMAT_R8G8B8A8_UNORM};
    for (uint32_t i = 0; i < ARRAY_SIZE(all); i++)
        formats[i] = all[i];
    *count_out = ARRAY_SIZE(all);
    return VK_SUCCESS;
}

static VkResult get_extent(const VkIcdSurfaceBase *surface, VkExtent2D *extent_out)
{
    *extent_out = (VkExtent2D){UINT32_MAX, UINT32_MAX};
    return VK_SUCCESS;
}

static VkResult show_pixels(struct wsi_presenter *presenter, const void *pixels, const VkRect2D *damage)
{
    return VK_SUCCESS;
}

static void close_presenter(struct wsi_presenter *presenter, const VkAllocationCallbacks *alloc)
{
    vk_free(alloc, NULL, presenter);
}

static VkResult open_presenter(const VkIcdSurfaceBase *surface, const struct wsi_presenter_info *info,
                               struct wsi_presenter **presenter_out)
{
    static const struct wsi_presenter_ops ops = {.show = show_pixels, .close = close_presenter};
    struct wsi_presenter *presenter =
        vk_zalloc(info->alloc, NULL, sizeof(*presenter), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!presenter)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    presenter->ops = &ops;
    *presenter_out = presenter;
    return VK_SUCCESS;
}

const struct wsi_window_ops wsi_headless_ops = {
    .modes = modes,
    .mode_count = ARRAY_SIZE(modes),
    .shows_nothing = true,
    .get_capabilities = get_capabilities,
    .get_formats = get_formats,
    .get_extent = get_extent,
    .open = open_presenter,
};
