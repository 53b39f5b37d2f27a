/* The descriptor sets that a recording has bound: addresses of sets, dynamic buffers with their offsets added, pushed
 * descriptors. vkCmdBindDescriptorSets and vkCmdPushDescriptorSet* are the runtime's and only note what changed; a
 * family brings it to its registers before the next draw or dispatch and clears what is dirty. */
#ifndef VULKAN_RUNTIME_VK_BINDINGS_H
#define VULKAN_RUNTIME_VK_BINDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "vulkan/runtime/object/vk_api.h"

struct vk_command_buffer;
struct vk_descriptor_set;
struct vk_push_set;
struct vk_upload;

#define VK_BINDINGS_MAX_SETS 32
#define VK_MAX_DESCRIPTOR_BUFFERS 32
#define VK_BINDINGS_DYNAMIC_B 1024 /* vk_descriptor_ops::max_dynamic descriptors must fit */

enum vk_bind_point {
    VK_BIND_GRAPHICS, /* the first: what draws look at is near the beginning of a recording */
    VK_BIND_COMPUTE,
    VK_BIND_RAYS,
    VK_BIND_POINT_COUNT
};

struct vk_bindings {
    /* By set number, where `valid` says so: for families that must know what is in a set when it is used. NULL: memory
     * of the application's (vk_descriptor_buffer.c). */
    const struct vk_descriptor_set *sets[VK_BINDINGS_MAX_SETS];
    uint64_t set_va[VK_BINDINGS_MAX_SETS]; /* 0: nothing in memory */
    /* A field that a bind sets and a draw clears has no neighbour of its size: a compiler would write or read two of
     * them as one, and a processor that finds half of a load among its last stores waits until these are done. */
    uint32_t dirty; /* by set number: the address has not reached the registers */
    bool dynamic_dirty;
    uint32_t valid;  /* by set number */
    bool push_dirty; /* the pushed set is not in memory */
    uint32_t num_dynamic;
    uint8_t first_dynamic[VK_BINDINGS_MAX_SETS]; /* by set number, of sets that have dynamic buffers: in `dynamic` */
    struct vk_push_set *push_set;                /* NULL before the first push */
    /* With offsets added, in the pipeline layout's order, vk_descriptor_dynamic_B each. */
    _Alignas(8) uint32_t dynamic[VK_BINDINGS_DYNAMIC_B / 4];
};

/* Pushed descriptors go to memory of their own and count as bound: for vk_bindings_flush_push. */
void vk_bindings_upload_push(struct vk_command_buffer *cmd, struct vk_bindings *bindings, struct vk_upload *upload);

/* Before the addresses are written: what was pushed since the last draw or dispatch is in memory. */
static inline void vk_bindings_flush_push(struct vk_command_buffer *cmd, struct vk_bindings *bindings,
                                          struct vk_upload *upload)
{
    if (__builtin_expect(bindings->push_dirty, 0))
        vk_bindings_upload_push(cmd, bindings, upload);
}

/* All that is bound must be written to registers again: after commands that used them otherwise. */
static inline void vk_bindings_all_dirty(struct vk_bindings *bindings)
{
    bindings->dirty = bindings->valid;
    bindings->dynamic_dirty = bindings->num_dynamic != 0;
}

/* ---- for commands of a family's own, between those of the application ---- */

/* Bindings that the family's own set 0 replaces, and whether the pushed set, not for such commands, still waits. */
struct vk_bindings_saved {
    const struct vk_descriptor_set *set;
    uint64_t va;
    uint32_t valid;
    bool push_dirty;
};

void vk_bindings_save(struct vk_bindings *bindings, struct vk_bindings_saved *saved_out);
void vk_bindings_set_own(struct vk_bindings *bindings, uint64_t va);
void vk_bindings_restore(struct vk_bindings *bindings, const struct vk_bindings_saved *saved);

/* ---- for vk_descriptor_buffer.c ---- */

/* Set `number` is at this address from here on, and what was pushed to it and not used yet is dropped. */
void vk_bindings_set_address(struct vk_bindings *bindings, uint32_t number, uint64_t va);

/* ---- for vk_command_buffer.c ---- */

void vk_bindings_reset(struct vk_bindings *bindings);
void vk_bindings_finish(const VkAllocationCallbacks *alloc, struct vk_bindings *bindings);

#endif
