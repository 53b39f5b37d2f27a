/* The driver's physical device, device and queues. */
#ifndef MALI_DRIVER_DEVICE_H
#define MALI_DRIVER_DEVICE_H

#include "mali/compiler/compiler.h"
#include "mali/driver/kernel.h"
#include "mali/driver/stream.h"
#include "mali/driver/subqueue.h"
#include "mali/hw/chip.h"
#include "util/array.h"
#include "vulkan/meta/vk_meta.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/device/vk_physical_device.h"
#include "vulkan/runtime/pipeline/vk_code_memory.h"
#include "vulkan/runtime/sync/vk_queue.h"

#define MALI_MAX_MEMORY_TYPES 4
#define MALI_MAX_PUSH_B 256

/* The abilities of the one family of queues. */
#define MALI_QUEUE_FLAGS (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT)

/* The version of which everything is here. */
#define MALI_API_VERSION VK_RUNTIME_API_VERSION

struct mali_physical_device {
    struct vk_physical_device vk;
    struct mali_kernel *kernel;
    const struct mali_chip *chip;
    uint32_t bo_flags[MALI_MAX_MEMORY_TYPES]; /* enum mali_bo_flags of a memory type */
};

VK_DEFINE_CASTS(mali_physical_device, VkPhysicalDevice)

/* A queue of Vulkan is a group of the kernel with a queue for each subqueue (subqueue.h). */
struct mali_queue {
    struct vk_queue vk;
    uint32_t group;
    struct mali_bo *context;                  /* struct mali_context, at its beginning */
    struct mali_heap heap;                    /* of the tiler; context_va 0: none */
    struct mali_stream handler;               /* of an exhausted heap */
    struct mali_bo *geometry;                 /* the heap's descriptor, and positions of vertices */
    struct mali_stream start[MALI_SUBQUEUES]; /* each subqueue's first stream: the registers that are always set */
    struct {
        uint32_t syncobj; /* a timeline: the end of each subqueue's part of each submission is a point of it */
        uint64_t last;
    } ends;
    uint32_t used; /* bit n: subqueue n has had work */
};

/* Chunks (vk_chunk.h). */
enum mali_chunk_kind {
    MALI_CHUNK_STREAM,
    MALI_CHUNK_UPLOAD, /* descriptors, uniforms, small data: the CPU writes, the GPU reads; it may also write there */
    MALI_CHUNK_KIND_COUNT
};

/* Storage of threads and of workgroups by the logarithm of all its bytes; made when a shader needs it, kept until the
 * end, for streams name it by its address. */
#define MALI_STORAGE_SIZES 40

struct mali_blend_shader {
    struct mali_blend_key key;
    uint16_t constants_word;
    struct vk_code_place place; /* .va: of its first instruction */
};

struct mali_device {
    struct vk_device vk;
    struct mali_physical_device *physical;
    struct mali_kernel *kernel;
    const struct mali_chip *chip;
    struct vk_queue_set queues; /* struct mali_queue */
    struct vk_chunk_pool chunks[MALI_CHUNK_KIND_COUNT];
    struct vk_code_memory code_memory;
    bool has_marks; /* TUFF_DEBUG=hang */
    _Atomic uint32_t next_mark;
    pthread_mutex_t storage_lock;                  /* of what follows */
    ARRAY(struct mali_blend_shader) blend_shaders; /* blend_shader.c */
    struct mali_bo *thread_storage[MALI_STORAGE_SIZES];
    struct mali_bo *group_storage[MALI_STORAGE_SIZES];
};

VK_DEFINE_CASTS(mali_device, VkDevice)

static inline struct mali_device *mali_device_of(struct vk_device *device)
{
    return (struct mali_device *)device;
}

/* The VkResult for an -errno of the kernel. */

extern const struct vk_driver mali_driver;
extern const struct vk_device_driver mali_device_driver;

/* features.c: what is advertised. A bit is set only for what works and is tested. */
void mali_fill_features(const struct mali_physical_device *physical, struct vk_features *features);
void mali_fill_extensions(const struct mali_physical_device *physical, struct vk_device_extensions *extensions);

/* storage.c: the LOCAL_STORAGE descriptor of a shader with `thread_B` bytes of each thread and `group_B` of each
 * workgroup of `threads` threads. The memory is the device's: threads have places in it that no other running thread
 * has; workgroups have not, so dispatches with storage of workgroups run one after the other (cmd.h). */
struct mali_desc_LOCAL_STORAGE;
VkResult mali_storage(struct mali_device *device, uint32_t thread_B, uint32_t group_B, uint32_t threads,
                      struct mali_desc_LOCAL_STORAGE *storage_out);
void mali_storage_finish(struct mali_device *device);

/* blend_shader.c */
void mali_blend_shaders_finish(struct mali_device *device);

/* queue.c */
VkResult mali_queue_init(struct vk_queue *queue, struct vk_device *device, const VkDeviceQueueCreateInfo *info,
                         uint32_t index);
void mali_queue_finish(struct vk_queue *queue);

#endif
