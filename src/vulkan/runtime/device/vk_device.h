/* VkDevice: dispatch with layers, enabled extensions and features, queues. A driver's own struct begins with this one.
 */
#ifndef VULKAN_RUNTIME_VK_DEVICE_H
#define VULKAN_RUNTIME_VK_DEVICE_H

#include <stdatomic.h>

#include "util/list.h"
#include "vulkan/runtime/gen/vk_dispatch.h"
#include "vulkan/runtime/gen/vk_extension_sets.h"
#include "vulkan/runtime/gen/vk_features.h"
#include "vulkan/runtime/object/vk_object.h"
#include "vulkan/runtime/pipeline/vk_shader_object.h"
#include "vulkan/runtime/sync/vk_held.h"
#include "vulkan/runtime/sync/vk_queue.h"

struct kernel_file;
struct vk_bo_ops;
struct vk_draw_ops;
struct vk_query_ops;
struct vk_cached_ops;
struct vk_codegen;
struct vk_command_buffer_ops;
struct vk_descriptor_ops;
struct vk_image_ops;
struct vk_physical_device;
struct vk_layer;
struct vk_meta;
struct vk_shader;

/* All shaders that exist, by key; vk_shader.c's alone. A zeroed one is not a table yet. */
struct vk_shader_table {
    struct vk_shader **buckets; /* `least`, or memory of the device's */
    uint32_t num_buckets;       /* a power of two */
    uint32_t count;             /* shaders */
    struct vk_shader *least[1024];
};

/* A layer in front of a device, and what stands behind it. */
struct vk_device_layer {
    const struct vk_layer *layer;
    struct vk_device_dispatch next;
};

struct vk_command_buffer;

struct vk_device {
    struct vk_object_base base;
    VkAllocationCallbacks alloc;
    struct vk_physical_device *physical;
    struct vk_device_dispatch dispatch; /* the first implementor of each command: a layer's or the driver's */
    uint32_t api_version;               /* the lower of what the application asked for and what the device has */
    struct vk_device_extensions enabled_extensions;
    struct vk_features enabled_features;
    struct list queues; /* struct vk_queue::link */

    struct kernel_file *kernel_file; /* set by the driver before its first queue is made */
    struct kernel_file *own_file;    /* a reference that ends with the device; NULL: the file lives longer */
    struct vk_held held;             /* submissions that wait for what has not been submitted */
    _Atomic bool lost;

    pthread_mutex_t object_lock; /* what applications hang on objects: private data, names */
    const struct vk_command_buffer_ops *command_buffer_ops;
    const struct vk_bo_ops *bos;                     /* vk_bo.h; NULL: no events */
    const struct vk_descriptor_ops *descriptors;     /* vk_descriptor.h; NULL: no descriptor sets */
    const struct vk_image_ops *images;               /* vk_image.h; NULL: the driver has the commands of images */
    const struct vk_cached_ops *const *cached_kinds; /* what a pipeline cache's file may hold; ends with NULL */
    const struct vk_sparse_ops *sparse;              /* vk_sparse.h; NULL: no sparse resources */
    const struct vk_host_copy_ops *host_copy;        /* vk_host_copy.h; NULL: no VK_EXT_host_image_copy */
    const struct vk_draw_ops *draws;                 /* vk_draw.h; NULL: no draws */
    const struct vk_query_ops *queries;              /* vk_query_pool.h; NULL: no query pools */
    const struct vk_codegen *codegen;                /* vk_shader.h; NULL: no pipelines */
    pthread_mutex_t shader_lock;                     /* of the next one */
    struct vk_shader_table living_shaders;
    struct vk_shader_mixes shader_mixes; /* vk_shader_object.h */
    /* Asks the kernel whether the device still works; calls vk_device_set_lost where it does not. NULL: cannot be
     * queried. */
    VkResult (*check_status)(struct vk_device *device);
    /* The GPU's clock as timestamps have it, and the length of a tick, rounded up. NULL: the driver does not offer
     * VK_EXT_calibrated_timestamps. */
    VkResult (*read_clock)(struct vk_device *device, uint64_t *ticks_out, uint64_t *tick_ns_out);
    /* No submission that reaches the kernel while memory is unused works with it, so the driver need not name it there
     * and does not wait for others that share it. Memory is used until this says otherwise. NULL: all always is. */
    void (*set_memory_used)(struct vk_device *device, VkDeviceMemory memory, bool used);

    VkExtent2D area_granularity; /* render areas of whole blocks of it are drawn fastest; zero: any */

    /* How many colours the subpasses of one rendering may have together, and what goes on to the next of them
     * (vk_render_pass.h). 0: each subpass is a rendering of its own. */
    uint32_t max_joined_colors;
    void (*next_subpass)(struct vk_command_buffer *command_buffer, const VkDependencyInfo *dependency,
                         const VkRenderingInfo *info);

    struct vk_meta *meta; /* vulkan/meta's, where the driver uses that room */

    struct vk_device_layer *layers; /* outermost first */
    uint32_t layer_count;
};

VK_DEFINE_CASTS(vk_device, VkDevice)

/* For a driver's vkCreateDevice. Checks extensions and features against what the physical device supports and builds
 * the tables: `layers` (outermost first, may be NULL), then `entrypoints`, then the driver's shared rooms
 * (vk_driver.h), then the window systems', then the runtime's. On an error nothing is left behind. */
VkResult vk_device_init(struct vk_device *device, struct vk_physical_device *physical, const VkDeviceCreateInfo *info,
                        const VkAllocationCallbacks *allocator, const struct vk_device_dispatch *entrypoints,
                        const struct vk_layer *const *layers, uint32_t layer_count);

/* All queues must be finished before. */
void vk_device_finish(struct vk_device *device);

/* The device is lost from now on, for every queue and every wait. Says why, once. Returns VK_ERROR_DEVICE_LOST. */
VkResult vk_device_set_lost(struct vk_device *device, const char *format, ...) __attribute__((format(printf, 2, 3)));

static inline bool vk_device_is_lost(struct vk_device *device)
{
    return atomic_load_explicit(&device->lost, memory_order_acquire);
}

/* After every signal that reached the kernel: what was held for it follows. */
static inline void vk_held_release(struct vk_device *device)
{
    if (atomic_load(&device->held.count))
        vk_held_release_all(device);
}

/* VK_SUCCESS or VK_ERROR_DEVICE_LOST, by asking the driver. */
VkResult vk_device_check_status(struct vk_device *device);

#endif
