/* Offers of every driver because the shared rooms do the work: the runtime, vulkan/meta, the SPIR-V front end and
 * the passes on the IR. The hardware's abilities are each driver's own to say, even where all say the same. */
#ifndef VULKAN_RUNTIME_VK_OFFER_H
#define VULKAN_RUNTIME_VK_OFFER_H

struct vk_device_extensions;
struct vk_features;

/* Adds it to what the driver has filled in. */
void vk_offer_common(struct vk_device_extensions *extensions, struct vk_features *features);

#endif
