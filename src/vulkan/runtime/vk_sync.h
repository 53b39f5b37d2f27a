/* What fences and semaphores are made of. A sync is one synchronisation object of some implementation (its type): the
 * kernel's syncobj, or one type built on another. A type says by feature bits what it can do; vk_fence and vk_semaphore
 * take the first type of the physical device's list that has what they need, so that a driver only lists what its
 * kernel offers.
 *
 * A binary sync is unsignalled or signalled. A timeline sync has a value that only grows. Waiting on a value of a
 * binary sync means waiting for the signal. */
#ifndef VULKAN_RUNTIME_VK_SYNC_H
#define VULKAN_RUNTIME_VK_SYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vulkan/runtime/vk_api.h"

struct vk_device;
struct vk_sync;

enum vk_sync_features {
    VK_SYNC_BINARY = 1 << 0,
    VK_SYNC_TIMELINE = 1 << 1,
    VK_SYNC_GPU_WAIT = 1 << 2,       /* a submission can wait for it and signal it */
    VK_SYNC_GPU_MULTI_WAIT = 1 << 3, /* several submissions may wait for one signal, and a wait does not consume it */
    VK_SYNC_CPU_WAIT = 1 << 4,
    VK_SYNC_CPU_RESET = 1 << 5, /* binary: back to unsignalled */
    VK_SYNC_CPU_SIGNAL = 1 << 6,
    VK_SYNC_WAIT_ANY = 1 << 7,           /* one call waits until one of several is signalled */
    VK_SYNC_WAIT_PENDING = 1 << 8,       /* a CPU wait can end when the signal is on its way: submitted, not executed */
    VK_SYNC_WAIT_BEFORE_SIGNAL = 1 << 9, /* a submission may wait for what nobody has submitted yet */
    VK_SYNC_SHARED = 1 << 10,            /* leaves the process by fd */
};

enum vk_sync_wait_flags {
    VK_SYNC_WAIT_COMPLETE = 0,
    VK_SYNC_WAIT_FOR_PENDING = 1 << 0,
    VK_SYNC_WAIT_FOR_ANY = 1 << 1,
};

struct vk_sync_wait {
    struct vk_sync *sync;
    uint64_t value; /* ignored by binary syncs */
};

struct vk_sync_signal {
    struct vk_sync *sync;
    uint64_t value;
};

/* An operation that no feature bit asks for may be NULL. Each answers VK_SUCCESS or the error that the application
 * gets. */
struct vk_sync_type {
    const char *name;
    size_t size_B; /* of the object, which begins with a struct vk_sync */
    uint32_t features;

    /* `sync` is zeroed but for its type and flags. Binary: signalled when `initial` is not 0. Timeline: the value. */
    VkResult (*init)(struct vk_device *device, struct vk_sync *sync, uint64_t initial);
    void (*finish)(struct vk_device *device, struct vk_sync *sync);
    VkResult (*signal)(struct vk_device *device, struct vk_sync *sync, uint64_t value);
    VkResult (*reset)(struct vk_device *device, struct vk_sync *sync);
    VkResult (*get_value)(struct vk_device *device, struct vk_sync *sync, uint64_t *value_out);
    /* The payload of `from` goes to `to`, both of this type; `from` is left unsignalled. For temporary imports and
     * binary waits that consume. */
    VkResult (*move)(struct vk_device *device, struct vk_sync *to, struct vk_sync *from);
    /* Until the absolute time of CLOCK_MONOTONIC. VK_TIMEOUT when it passed. All waits are of this type. */
    VkResult (*wait_many)(struct vk_device *device, uint32_t count, const struct vk_sync_wait *waits, uint32_t flags,
                          uint64_t deadline_ns);
    /* The fd stays the caller's when the import fails and is closed by it when it succeeds. */
    VkResult (*import_opaque_fd)(struct vk_device *device, struct vk_sync *sync, int fd);
    VkResult (*export_opaque_fd)(struct vk_device *device, struct vk_sync *sync, int *fd_out);
    VkResult (*import_sync_file)(struct vk_device *device, struct vk_sync *sync, int fd); /* -1: already signalled */
    VkResult (*export_sync_file)(struct vk_device *device, struct vk_sync *sync, int *fd_out);
};

enum vk_sync_flags {
    VK_SYNC_IS_TIMELINE = 1 << 0,
    VK_SYNC_IS_SHAREABLE = 1 << 1, /* may be exported: emulations that live in this process refuse */
};

struct vk_sync {
    const struct vk_sync_type *type;
    uint32_t flags; /* enum vk_sync_flags */
};

static inline bool vk_sync_is_timeline(const struct vk_sync *sync)
{
    return sync->flags & VK_SYNC_IS_TIMELINE;
}

/* The first type of the NULL-terminated list that has all of `features`. */
const struct vk_sync_type *vk_sync_type_find(const struct vk_sync_type *const *types, uint32_t features);

/* In memory of `type->size_B` bytes, zeroed. */
VkResult vk_sync_init(struct vk_device *device, struct vk_sync *sync, const struct vk_sync_type *type, uint32_t flags,
                      uint64_t initial);
void vk_sync_finish(struct vk_device *device, struct vk_sync *sync);
VkResult vk_sync_create(struct vk_device *device, const struct vk_sync_type *type, uint32_t flags, uint64_t initial,
                        struct vk_sync **sync_out);
void vk_sync_destroy(struct vk_device *device, struct vk_sync *sync);

VkResult vk_sync_signal(struct vk_device *device, struct vk_sync *sync, uint64_t value);
VkResult vk_sync_reset(struct vk_device *device, struct vk_sync *sync);
VkResult vk_sync_get_value(struct vk_device *device, struct vk_sync *sync, uint64_t *value_out);
VkResult vk_sync_wait(struct vk_device *device, struct vk_sync *sync, uint64_t value, uint32_t flags,
                      uint64_t deadline_ns);
/* Types may be mixed. A wait-any over mixed types, or over a type without it, looks at each in turn. */
VkResult vk_sync_wait_many(struct vk_device *device, uint32_t count, const struct vk_sync_wait *waits, uint32_t flags,
                           uint64_t deadline_ns);

VkResult vk_sync_import_opaque_fd(struct vk_device *device, struct vk_sync *sync, int fd);
VkResult vk_sync_export_opaque_fd(struct vk_device *device, struct vk_sync *sync, int *fd_out);
VkResult vk_sync_import_sync_file(struct vk_device *device, struct vk_sync *sync, int fd);
VkResult vk_sync_export_sync_file(struct vk_device *device, struct vk_sync *sync, int *fd_out);

/* CLOCK_MONOTONIC, and the time that lies `timeout_ns` from now without wrapping. */
uint64_t vk_time_now_ns(void);
uint64_t vk_time_deadline_ns(uint64_t timeout_ns);

#endif
