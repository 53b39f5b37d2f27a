/* Forged pipeline caches: a real file, changed in a few places that matter, with checksums that are right again.
 * Anybody who may write the file can make one. What forges knows the file's form (vk_pipeline_cache.c,
 * vk_code_parts.h). */
#ifndef TESTS_VULKAN_HOSTILE_FORGE_H
#define TESTS_VULKAN_HOSTILE_FORGE_H

#include <stddef.h>
#include <stdint.h>

/* Changes the file in place; its size stays. Equal seeds give equal files. Returns the number of entries; 0: it is
 * not a file of ours, or has none. */
unsigned forge_cache(uint8_t *file, size_t size_B, uint64_t seed);

#endif
