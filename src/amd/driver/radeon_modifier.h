/* DRM format modifiers: layouts that drivers and displays agree on by a number. Only those without compression. */
#ifndef AMD_DRIVER_RADEON_MODIFIER_H
#define AMD_DRIVER_RADEON_MODIFIER_H

#include "amd/driver/radeon_image.h"

#define RADEON_MAX_MODIFIERS 8

/* The modifiers that an image of a format can have, the best first; 0 of them for formats that are never shared. */
unsigned radeon_modifiers(const struct radeon_physical_device *physical, VkFormat format,
                          uint64_t modifiers_out[RADEON_MAX_MODIFIERS]);
enum amd_swizzle radeon_modifier_swizzle(uint64_t modifier);

/* The modifier that a create info's chain asks for: one, or the best of a list. False if there is none that works. */
bool radeon_modifier_choose(const struct radeon_physical_device *physical, VkFormat format, const void *chain,
                            uint64_t *modifier_out);
/* An explicit layout of the planes, against the one that the image has; where they begin is taken over. */
VkResult radeon_modifier_place_planes(struct radeon_image *image, const void *chain);

#endif
