/* Descriptor sets: hardware descriptors of 32 bytes each. A set is one resource table; a handle names the table and the
 * descriptor's number in it (mali/compiler/compiler.h). vk_descriptor.h says how they lie in a set:
 *
 *   buffers, images, samplers             one each
 *   an image with its sampler             the image, then the sampler
 *   an inline uniform block               a buffer over the bytes that follow it
 *   dynamic buffers                       in the driver's own table, all sets' together, uploaded when one changes
 *
 * The driver's own table of a stage is made for a draw or dispatch. */
#ifndef MALI_DRIVER_DESCRIPTOR_H
#define MALI_DRIVER_DESCRIPTOR_H

#include "mali/compiler/compiler.h"
#include "mali/driver/device.h"
#include "mali/driver/image.h"
#include "vulkan/runtime/descriptor/vk_bindings.h"
#include "vulkan/runtime/descriptor/vk_descriptor_pool.h"
#include "vulkan/runtime/descriptor/vk_indexed_layouts.h"
#include "vulkan/runtime/descriptor/vk_pipeline_layout.h"

struct mali_cmd_buffer;

enum {
    MALI_MAX_DYNAMIC_BUFFERS = VK_BINDINGS_DYNAMIC_B / MALI_DESCRIPTOR_B, /* both kinds together */
    MALI_MAX_PUSH_DESCRIPTORS = 32,
    MALI_MAX_SET_B = 1 << 28, /* indices have 24 bits */
    MALI_MAX_DESCRIPTORS_PER_SET = MALI_MAX_SET_B / (4 * MALI_DESCRIPTOR_B),
    MALI_MAX_UNIFORM_B = 64 << 10,
    MALI_BUFFER_ALIGN_B = 16, /* of what descriptors of buffers name */
};

extern const struct vk_descriptor_ops mali_descriptor_ops;

/* ---- resource tables ---- */

/* Descriptors of the driver's own table that are a vertex stage's: attributes at its beginning, buffers for which there
 * is no place among them at its end. */
struct mali_own_entries {
    const uint32_t *first, *last;
    uint32_t first_count, last_count;
};

/* Where such a table was written; size_B 0: nothing of it is needed. */
struct mali_own_table {
    uint64_t va;
    uint32_t size_B;
};

/* The driver's own table for a program: `entries`, the sampler of fetches, the dynamic buffers that are bound. */
struct mali_own_table mali_upload_own_table(struct mali_cmd_buffer *cmd, enum vk_bind_point point,
                                            const struct mali_shader_config *config,
                                            const struct mali_own_entries *entries);
/* The array of all tables: that one and the sets that are bound. Returns what the SRT register takes: the array's
 * address with its count; 0: the program reads none, or there is no memory. */
uint64_t mali_upload_tables(struct mali_cmd_buffer *cmd, enum vk_bind_point point,
                            const struct mali_shader_config *config, struct mali_own_table own);
/* Tables of a program of the driver's own, whose set 0 is at `set_va`. */
uint64_t mali_upload_own_tables(struct mali_cmd_buffer *cmd, const struct mali_shader_config *config, uint64_t set_va);

#endif
