/* Finding GPUs, once for an instance: the machine's own and the models, each handed to the driver that is for it. */
#ifndef VULKAN_RUNTIME_VK_ENUMERATE_H
#define VULKAN_RUNTIME_VK_ENUMERATE_H

#include "vulkan/runtime/device/vk_driver.h"

/* Fills the instance's list by what TUFF_GPU says:
 *
 *   (not set)     the machine's GPUs that a driver of this library is for; where there is none, the first model
 *   real, none    the machine's GPUs and no model
 *   NAME          the model of that name
 *   all           every model that a driver of this library is for
 *   A,B,...       several of these words, in this order; a model is there once
 *
 * A word that means nothing is reported as an error with the words that do, and gives no device. The caller holds the
 * instance's lock, and destroys what is in the list when an error is returned. */
VkResult vk_enumerate_devices(struct vk_instance *instance);

#endif
