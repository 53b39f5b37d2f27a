/* The decision between copying and sharing. */
#include "vulkan/wsi/wsi_share.h"

#include <drm_fourcc.h>
#include <sys/sysmacros.h>

#include "util/bits.h"
#include "vulkan/runtime/object/vk_struct.h"

bool wsi_modifier_set_has(const struct wsi_modifier_set *set, uint64_t modifier)
{
    for (uint32_t i = 0; i < set->count; i++) {
        if (set->modifiers[i] == modifier)
            return true;
    }
    return false;
}

void wsi_modifier_set_add(struct wsi_modifier_set *set, uint64_t modifier)
{
    if (set->count < WSI_MAX_MODIFIERS && !wsi_modifier_set_has(set, modifier))
        set->modifiers[set->count++] = modifier;
}

uint32_t wsi_drm_format(VkFormat format, bool is_opaque)
{
    switch (format) {
    case VK_FORMAT_B8G8R8A8_UNORM:
    case VK_FORMAT_B8G8R8A8_SRGB:
        return is_opaque ? DRM_FORMAT_XRGB8888 : DRM_FORMAT_ARGB8888;
    case VK_FORMAT_R8G8B8A8_UNORM:
    case VK_FORMAT_R8G8B8A8_SRGB:
        return is_opaque ? DRM_FORMAT_XBGR8888 : DRM_FORMAT_ABGR8888;
    default:
        return 0;
    }
}

/* ---- what both know ---- */

static bool has_tiled(const struct wsi_modifier_set *set)
{
    return set->count > (wsi_modifier_set_has(set, DRM_FORMAT_MOD_LINEAR) ? 1u : 0u);
}

bool wsi_offer_choose(const struct wsi_offer *offer, const struct wsi_modifier_set *usable,
                      struct wsi_modifier_set *chosen_out)
{
    chosen_out->count = 0;
    for (uint32_t i = 0; i < offer->set_count; i++) {
        struct wsi_modifier_set common = {0};
        for (uint32_t j = 0; j < usable->count; j++) {
            if (wsi_modifier_set_has(&offer->sets[i], usable->modifiers[j]))
                wsi_modifier_set_add(&common, usable->modifiers[j]);
        }
        if (has_tiled(&common)) {
            *chosen_out = common;
            return true;
        }
        if (common.count && !chosen_out->count)
            *chosen_out = common;
    }
    return chosen_out->count > 0;
}

const char *wsi_offer_refusal(const struct wsi_offer *offer, const dev_t *nodes, uint32_t node_count,
                              const struct wsi_modifier_set *chosen)
{
    if (offer->has_device) {
        for (uint32_t i = 0; i < node_count; i++) {
            if (nodes[i] == offer->device)
                return NULL;
        }
        return "the server draws with another device";
    }
    return has_tiled(chosen) ? NULL : "the server does not tell its device";
}

/* ---- what the device knows ---- */

static uint32_t device_nodes(struct vk_physical_device *physical, dev_t nodes[2])
{
    if (!physical->supported_extensions.EXT_physical_device_drm)
        return 0;
    VkPhysicalDeviceDrmPropertiesEXT drm = vk_struct_init(VkPhysicalDeviceDrmPropertiesEXT);
    VkPhysicalDeviceProperties2 properties = vk_struct_init(VkPhysicalDeviceProperties2);
    properties.pNext = &drm;
    physical->dispatch.GetPhysicalDeviceProperties2(vk_physical_device_to_handle(physical), &properties);
    uint32_t count = 0;
    if (drm.hasRender)
        nodes[count++] = makedev((unsigned)drm.renderMajor, (unsigned)drm.renderMinor);
    if (drm.hasPrimary)
        nodes[count++] = makedev((unsigned)drm.primaryMajor, (unsigned)drm.primaryMinor);
    return count;
}

static bool can_make(struct vk_physical_device *physical, const VkImageCreateInfo *info, uint64_t modifier)
{
    VkPhysicalDeviceImageDrmFormatModifierInfoEXT by_modifier =
        vk_struct_init(VkPhysicalDeviceImageDrmFormatModifierInfoEXT);
    by_modifier.pNext = info->pNext; /* the formats of views */
    by_modifier.drmFormatModifier = modifier;
    by_modifier.sharingMode = info->sharingMode;
    by_modifier.queueFamilyIndexCount = info->queueFamilyIndexCount;
    by_modifier.pQueueFamilyIndices = info->pQueueFamilyIndices;
    VkPhysicalDeviceExternalImageFormatInfo external = vk_struct_init(VkPhysicalDeviceExternalImageFormatInfo);
    external.pNext = &by_modifier;
    external.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT;
    VkPhysicalDeviceImageFormatInfo2 ask = vk_struct_init(VkPhysicalDeviceImageFormatInfo2);
    ask.pNext = &external;
    ask.format = info->format;
    ask.type = info->imageType;
    ask.tiling = VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT;
    ask.usage = info->usage;
    ask.flags = info->flags;
    VkExternalImageFormatProperties external_out = vk_struct_init(VkExternalImageFormatProperties);
    VkImageFormatProperties2 answer = vk_struct_init(VkImageFormatProperties2);
    answer.pNext = &external_out;
    if (physical->dispatch.GetPhysicalDeviceImageFormatProperties2(vk_physical_device_to_handle(physical), &ask,
                                                                   &answer) != VK_SUCCESS)
        return false;
    const VkExtent3D *most = &answer.imageFormatProperties.maxExtent;
    return most->width >= info->extent.width && most->height >= info->extent.height &&
           answer.imageFormatProperties.maxArrayLayers >= info->arrayLayers &&
           (external_out.externalMemoryProperties.externalMemoryFeatures & VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT);
}

static void find_usable(struct vk_physical_device *physical, const VkImageCreateInfo *info,
                        struct wsi_modifier_set *usable)
{
    VkDrmFormatModifierPropertiesEXT found[WSI_MAX_MODIFIERS];
    VkDrmFormatModifierPropertiesListEXT list = vk_struct_init(VkDrmFormatModifierPropertiesListEXT);
    list.drmFormatModifierCount = ARRAY_SIZE(found);
    list.pDrmFormatModifierProperties = found;
    VkFormatProperties2 properties = vk_struct_init(VkFormatProperties2);
    properties.pNext = &list;
    physical->dispatch.GetPhysicalDeviceFormatProperties2(vk_physical_device_to_handle(physical), info->format,
                                                          &properties);
    usable->count = 0;
    for (uint32_t i = 0; i < list.drmFormatModifierCount; i++) {
        if (found[i].drmFormatModifierPlaneCount <= WSI_MAX_PLANES &&
            can_make(physical, info, found[i].drmFormatModifier))
            wsi_modifier_set_add(usable, found[i].drmFormatModifier);
    }
}

const char *wsi_share_device_refusal(struct vk_physical_device *physical)
{
    const struct vk_device_extensions *has = &physical->supported_extensions;
    dev_t nodes[2];
    if (!has->EXT_image_drm_format_modifier || !has->EXT_external_memory_dma_buf || !has->KHR_external_memory_fd)
        return "the driver exports no images";
    return device_nodes(physical, nodes) ? NULL : "the device has no node that a server could know";
}

const char *wsi_share_plan(struct vk_physical_device *physical, const VkImageCreateInfo *info,
                           const struct wsi_offer *offer, struct wsi_share_plan *plan_out)
{
    if (offer->set_count == 0)
        return "the server takes no images of a device";
    find_usable(physical, info, &plan_out->usable);
    if (!wsi_offer_choose(offer, &plan_out->usable, &plan_out->chosen))
        return "the device and the server have no modifier in common";
    dev_t nodes[2];
    return wsi_offer_refusal(offer, nodes, device_nodes(physical, nodes), &plan_out->chosen);
}
