/* Whether a window's server can read the images of a swapchain itself, and how they must then be made. Decided by what
 * the device and the server report, never by their names: the same DRM device on both sides, and a modifier that both
 * know. A device without a node, which a model in this process is, has nothing to share. */
#ifndef VULKAN_WSI_WSI_SHARE_H
#define VULKAN_WSI_WSI_SHARE_H

#include "vulkan/runtime/device/vk_physical_device.h"
#include "vulkan/wsi/wsi_window.h"

struct wsi_share_plan {
    struct wsi_modifier_set usable; /* of the device, for such images */
    struct wsi_modifier_set chosen; /* of those, what the window takes */
};

/* Why pictures of a device are copied regardless of the server, or NULL. */
const char *wsi_share_device_refusal(struct vk_physical_device *physical);

/* NULL and a plan; or why pictures are copied. `info` is of images with VK_IMAGE_TILING_OPTIMAL; its chain may have a
 * list of formats. */
const char *wsi_share_plan(struct vk_physical_device *physical, const VkImageCreateInfo *info,
                           const struct wsi_offer *offer, struct wsi_share_plan *plan_out);

/* The modifiers of one set that are usable, too: of the first set that has a tiled one, for drawing to rows costs more
 * than what the server gains by them; of the first that has any otherwise. False: there is none in common. */
bool wsi_offer_choose(const struct wsi_offer *offer, const struct wsi_modifier_set *usable,
                      struct wsi_modifier_set *chosen_out);

/* Why an offer is refused for reasons other than its modifiers, or NULL. `nodes`: the device's. A server that does not
 * name its device is accepted when it knows a tiled modifier of ours: those name the chip. */
const char *wsi_offer_refusal(const struct wsi_offer *offer, const dev_t *nodes, uint32_t node_count,
                              const struct wsi_modifier_set *chosen);

bool wsi_modifier_set_has(const struct wsi_modifier_set *set, uint64_t modifier);
/* More than there is room for is left out, and so are doubles. */
void wsi_modifier_set_add(struct wsi_modifier_set *set, uint64_t modifier);

/* The DRM format of a swapchain's; 0 where there is none. */
uint32_t wsi_drm_format(VkFormat format, bool is_opaque);

#endif
