/* Sorts 64-bit numbers in memory, for a family's own operations: a number's upper half is what is sorted by, its lower
 * half may say whose it is. In steps of one dispatch, between which the caller has a barrier, so that several sorts can
 * go side by side:
 *
 *     for (step = 0; step < vk_meta_sort_steps(count); step++) {
 *         vk_meta_sort_step(cmd, step, count, places);
 *         … a barrier: what shaders wrote, shaders read …
 *     }
 *     … the numbers are in places[vk_meta_sort_place(count)] …
 *
 * The first step sorts blocks in shared memory. Each other merges pairs of sorted runs: of a number its place in its
 * own run is known, and a search finds how many of the other run come before it. */
#ifndef VULKAN_META_VK_META_SORT_H
#define VULKAN_META_VK_META_SORT_H

#include "vulkan/meta/vk_meta.h"

#define VK_META_SORT_BLOCK 1024u

uint32_t vk_meta_sort_steps(uint32_t count);
static inline uint32_t vk_meta_sort_place(uint32_t count)
{
    return count ? (vk_meta_sort_steps(count) - 1) & 1 : 0;
}

/* `count` numbers are in places[0] before the first step. Both places are for as many; no two numbers are equal. */
void vk_meta_sort_step(struct vk_command_buffer *cmd, uint32_t step, uint32_t count, const uint64_t places[2]);

#endif
