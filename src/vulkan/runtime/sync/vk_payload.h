/* The payload of a fence or a binary semaphore. While only its object knows it, a payload is the point that signals it,
 * which a submission writes and a reset or a wait forgets: all without the kernel. At the edges it is a syncobj: with
 * the fence of an imported sync file, or shared with all holders of its fd.
 *
 * An object has a payload of its own and, after a temporary import, another one in front of it. */
#ifndef VULKAN_RUNTIME_VK_PAYLOAD_H
#define VULKAN_RUNTIME_VK_PAYLOAD_H

#include "vulkan/runtime/sync/vk_timeline.h"

struct vk_payload {
    _Atomic(struct vk_timeline *) timeline; /* NULL: unsignalled, and nothing that was submitted signals it */
    uint64_t value;
    uint32_t syncobj; /* not 0: its fence counts, and the point does not */
    bool is_shared;   /* others have the syncobj by fd: it is signalled and reset in the kernel */
    uint32_t taken;   /* of a shared one: a syncobj for the fence that a wait takes away; 0 before the first */
};

struct vk_payload_slot {
    struct vk_payload permanent, temporary;
    bool has_temporary;
};

static inline struct vk_payload *vk_payload_of(struct vk_payload_slot *slot)
{
    return slot->has_temporary ? &slot->temporary : &slot->permanent;
}

/* In zeroed memory. What may leave by an opaque fd is a syncobj from the start: a submission that signals it may be
 * held when it leaves. */
VkResult vk_payload_slot_init(struct vk_device *device, struct vk_payload_slot *slot, bool is_signalled,
                              bool is_shareable);
void vk_payload_slot_finish(struct vk_device *device, struct vk_payload_slot *slot);

enum vk_payload_state {
    VK_PAYLOAD_IDLE,     /* nothing to wait for, and not signalled */
    VK_PAYLOAD_WAITABLE, /* `point_out` is where its signal will be seen */
    VK_PAYLOAD_SIGNALLED,
};
enum vk_payload_state vk_payload_look(struct vk_payload *payload, struct vk_syncobj_point *point_out);

/* A submission signals it at this point, or with vk_timeline_of_the_past it is signalled. A shared one stays as it is:
 * the submission signals its syncobj. */
void vk_payload_set_point(struct vk_device *device, struct vk_payload *payload, struct vk_point point);
/* By the host, shared or not. */
VkResult vk_payload_signal(struct vk_device *device, struct vk_payload *payload);
/* The effect of a submission's wait: the temporary payload is gone, or the permanent one unsignalled. Of a shared
 * permanent one the submission takes the fence itself. */
void vk_payload_consume(struct vk_device *device, struct vk_payload_slot *slot);
/* The effect of vkResetFences: the permanent payload is current again, and unsignalled. */
VkResult vk_payload_slot_reset(struct vk_device *device, struct vk_payload_slot *slot);

/* Takes `fd` over when it succeeds; -1 is a sync file that is signalled. A sync file is a copy of a payload, so its
 * import is temporary whatever `temporarily` says. */
VkResult vk_payload_import_fd(struct vk_device *device, struct vk_payload_slot *slot, bool is_sync_file,
                              bool temporarily, int fd);
/* A sync file takes the payload away, as a wait does. */
VkResult vk_payload_export_fd(struct vk_device *device, struct vk_payload_slot *slot, bool is_sync_file, int *fd_out);
/* A sync file beside the payload, which stays as it is. */
VkResult vk_payload_copy_file(struct vk_device *device, struct vk_payload *payload, int *fd_out);

#endif
