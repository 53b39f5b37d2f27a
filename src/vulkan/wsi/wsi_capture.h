/* Presented pictures as files: for tests and for `tuff run --png`. Works for every kind of surface.
 *
 *   TUFF_PRESENT_PNG=FILE    the last picture that this process presented
 *   TUFF_PRESENT_FRAMES=N    the process ends with code 0 when N pictures were presented */
#ifndef VULKAN_WSI_WSI_CAPTURE_H
#define VULKAN_WSI_WSI_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "vulkan/runtime/object/vk_api.h"

/* Whether the pixels of pictures will be looked at. */
bool wsi_capture_wants_pixels(void);

/* A picture that was shown: rows of width * 4 bytes, which may be NULL where they are not wanted. Does nothing,
 * quickly, where the environment asks for nothing. */
void wsi_capture_frame(const void *pixels, uint32_t width, uint32_t height, VkFormat format);

/* Write what there is now: a swapchain ends. */
void wsi_capture_flush(void);

#endif
