/* VkQueue and how work reaches it. vkQueueSubmit2 becomes a struct vk_submit with everything resolved to syncs, and the
 * driver gets it when each of its waits is for something that is signalled or on its way, because no kernel lets a
 * submission wait for what nobody has submitted. How that is made sure is the submit mode. */
#ifndef VULKAN_RUNTIME_VK_QUEUE_H
#define VULKAN_RUNTIME_VK_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>

#include "util/list.h"
#include "vulkan/runtime/vk_object.h"
#include "vulkan/runtime/vk_sync.h"

struct vk_command_buffer;
struct vk_queue;
struct vk_sync_timeline_point;

/* What the device's timelines can do, by its sync types. TUFF_TIMELINE changes those for tests (vk_sync_choice.h). */
enum vk_timeline_mode {
    VK_TIMELINE_NONE,
    VK_TIMELINE_EMULATED, /* over binary syncs */
    VK_TIMELINE_ASSISTED, /* the kernel's, but a wait may not come before its signal is submitted */
    VK_TIMELINE_NATIVE,   /* the kernel takes a wait before its signal */
};

enum vk_submit_mode {
    VK_SUBMIT_IMMEDIATE,
    VK_SUBMIT_DEFERRED,           /* kept in a list; every call that could make one ready tries again */
    VK_SUBMIT_THREADED,           /* a thread of the queue waits until it is ready */
    VK_SUBMIT_THREADED_ON_DEMAND, /* immediate until the first wait that is not ready, then threaded for good */
};

/* One submission. The driver reads waits, signals and command buffers; the rest is the runtime's. */
struct vk_submit {
    struct list link;
    uint32_t wait_count, signal_count, command_buffer_count;
    struct vk_sync_wait *waits;
    struct vk_sync_signal *signals;
    struct vk_command_buffer **command_buffers;

    /* Beside waits and signals: a temporary sync that dies with the submission, the point of an emulated timeline. */
    struct vk_sync **owned_syncs;
    uint32_t owned_count;
    struct vk_sync_timeline_point **wait_points, **signal_points; /* NULL where the sync is no emulated timeline */
};

struct vk_queue {
    struct vk_object_base base;
    struct list link; /* in vk_device::queues */
    VkDeviceQueueCreateFlags flags;
    uint32_t family_index;
    uint32_t index; /* within the family and among those of the same flags */

    /* Hand one ready submission to the kernel. All waits and signals are of types with VK_SYNC_GPU_WAIT and none is an
     * emulation. */
    VkResult (*driver_submit)(struct vk_queue *queue, struct vk_submit *submit);

    _Atomic enum vk_submit_mode mode;
    pthread_mutex_t lock;
    pthread_cond_t pushed, popped;
    struct list submits; /* deferred or waiting for the thread */
    bool has_thread, stop;
    pthread_t thread;
};

VK_DEFINE_CASTS(vk_queue, VkQueue)

/* Queue `index` of those that `info` asks for; it can be found by vkGetDeviceQueue from now on. */
VkResult vk_queue_init(struct vk_queue *queue, struct vk_device *device, const VkDeviceQueueCreateInfo *info,
                       uint32_t index);
void vk_queue_finish(struct vk_queue *queue);

/* Which modes the device uses: the timeline's from its sync types, the submissions' from that or from
 * TUFF_SUBMIT=immediate|deferred|threaded|on-demand. Called by vk_device_init. */
void vk_queue_mode_init(struct vk_device *device);

/* Give deferred submissions another chance; nothing to do in the other modes. */
VkResult vk_device_flush(struct vk_device *device);

/* Until the signal of `sync` has reached the kernel: what must be so before its payload can be exported or moved. */
VkResult vk_queue_settle(struct vk_device *device, struct vk_sync *sync);

/* Of a lost device the threads give up what their lists hold, which takes a moment: until then they look at its
 * semaphores and fences. Nothing where the device lives: there the specification forbids to destroy what is in use. */
void vk_device_settle_lost(struct vk_device *device);

/* An empty submission that signals `sync` behind everything before it. */
VkResult vk_queue_signal_sync(struct vk_queue *queue, struct vk_sync *sync, uint64_t value);

#endif
