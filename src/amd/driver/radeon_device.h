/* The driver's physical device, device and queues. */
#ifndef AMD_DRIVER_RADEON_DEVICE_H
#define AMD_DRIVER_RADEON_DEVICE_H

#include "amd/driver/radeon_cs.h"
#include "amd/driver/ws.h"
#include "amd/hw/tiling/tiling.h"
#include "util/map.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/device/vk_physical_device.h"
#include "vulkan/runtime/pipeline/vk_code_memory.h"
#include "vulkan/runtime/sync/vk_queue.h"

struct radeon_graphics_cache;
struct radeon_shader;
struct vk_pipeline_cache;

enum radeon_family_index { /* of queues */
    RADEON_QUEUE_GENERAL,
    RADEON_QUEUE_COMPUTE,
    RADEON_QUEUE_TRANSFER, /* the system DMA engine's */
    RADEON_QUEUE_FAMILY_COUNT
};

/* Kernels that call ray generation shaders, by the shape of their workgroups. */
enum radeon_entry {
    RADEON_ENTRY_SQUARE, /* 8 × 8 */
    RADEON_ENTRY_ROW,    /* 64 × 1, for launches that are a row */
    RADEON_ENTRIES
};

#define RADEON_MAX_MEMORY_TYPES 8
#define RADEON_MAX_PUSH_B 256
#define RADEON_MAX_SETS 32
#define RADEON_XFB_BUFFERS 4 /* of transform feedback */

/* The version that the driver implements completely. */
#define RADEON_API_VERSION VK_RUNTIME_API_VERSION

struct radeon_memory_type {
    uint32_t domain;   /* AMDGPU_GEM_DOMAIN_* */
    uint32_t bo_flags; /* WS_BO_* */
};

struct radeon_physical_device {
    struct vk_physical_device vk;
    struct ws_device *ws;
    struct amd_tiling_config tiling;
    bool is_apu;
    struct radeon_memory_type memory_types[RADEON_MAX_MEMORY_TYPES];
    uint32_t mapped_types; /* those whose memory the processor can see, as bits; visible or not to applications */
    uint32_t num_render_backends; /* as built: queries write a result for each */
    uint32_t enabled_render_backends;
    uint32_t max_waves; /* of all compute units together: what scratch memory must hold */
};

VK_DEFINE_CASTS(radeon_physical_device, VkPhysicalDevice)

enum radeon_priority {
    RADEON_PRIORITY_LOW,
    RADEON_PRIORITY_MEDIUM,
    RADEON_PRIORITY_HIGH,
    RADEON_PRIORITY_REALTIME,
    RADEON_PRIORITY_COUNT
};

/* A queue's own memory for waves that spill. Grows when a submission needs more. */
struct radeon_scratch {
    struct ws_bo *bo;
    uint32_t bytes_per_wave, waves;
};

struct radeon_queue {
    struct vk_queue vk;
    enum radeon_priority priority;
    uint32_t context; /* of the kernel */
    uint32_t ip_type, ring;
    struct ws_bo *rings; /* the tables that AMD_USER_rings points to: compute's, graphics', task shaders' */
    struct radeon_scratch scratch[3]; /* the same */
    struct ws_bo *task_ring;          /* between task and mesh shaders; NULL: none was needed yet */
    struct ws_bo *geometry_ring;      /* what geometry shaders emit that are captured; NULL: none was needed yet */
    uint32_t geometry_ring_B;
    /* Before every submission: the state that command buffers rely on. The first also drops and writes back every
     * cache: after a wait for another process's work. */
    struct radeon_cs preamble_after_wait, preamble;
    struct radeon_cs task_preamble; /* for the compute ring that runs task shaders */
    bool has_preambles, has_preamble_after_wait; /* the latter from the first submission that waits on */
    const struct ws_bo *preamble_tess; /* the device's rings of tessellation that these know */
    uint64_t last_sequence;
};

struct radeon_device {
    struct vk_device vk;
    struct radeon_physical_device *physical;
    struct ws_device *ws;
    uint32_t address32_hi;      /* of every 32-bit pointer */
    struct vk_queue_set queues; /* struct radeon_queue */
    struct vk_chunk_pool chunks[RADEON_CHUNK_KIND_COUNT];
    pthread_mutex_t context_lock;
    struct {
        uint32_t id, users;
    } contexts[RADEON_PRIORITY_COUNT];

    struct vk_code_memory code_memory;

    struct ws_bo *marks; /* TUFF_DEBUG=hang: where the command processor writes how far it is (radeon_hang.c) */
    _Atomic uint32_t next_mark;

    struct ws_bo *border_colors;        /* radeon_sampler.c; NULL: there are none */
    _Atomic(struct ws_bo *) tess_rings; /* radeon_tess.c; NULL: no pipeline has needed them yet */
    uint32_t tess_buffers;              /* off-chip buffers in it */
    pthread_mutex_t border_lock;
    uint64_t border_used[64]; /* bit mask of 4096 entries */

    struct radeon_graphics_cache *graphics_cache; /* radeon_shader_parts.c */
    struct {                                      /* radeon_words.c */
        pthread_mutex_t lock;
        struct map64 by_hash; /* of struct radeon_words, the first of those of a hash */
    } words;
    struct { /* radeon_trace_pipeline.c: made with the first ray tracing pipeline */
        pthread_mutex_t lock;
        struct radeon_shader *entries[RADEON_ENTRIES];
        struct radeon_shader *traversal;
    } traces;
    _Atomic uint64_t last_baked; /* radeon_graphics_pipeline::serial */
};

VK_DEFINE_CASTS(radeon_device, VkDevice)

static inline struct radeon_device *radeon_device_of(struct vk_device *device)
{
    return (struct radeon_device *)device;
}

/* The VkResult for an -errno of the kernel. */

/* 32-bit pointers: the address must be in the window. */
static inline uint32_t radeon_pointer32(const struct radeon_device *device, uint64_t va)
{
    assert(va >> 32 == device->address32_hi);
    (void)device;
    return (uint32_t)va;
}

extern const struct vk_driver radeon_driver;
extern const struct vk_device_driver radeon_device_driver;

/* radeon_features.c: what is advertised. A bit is set only for what works and is tested. */
void radeon_fill_features(const struct radeon_physical_device *physical, struct vk_features *features);
void radeon_fill_extensions(const struct radeon_physical_device *physical, struct vk_device_extensions *extensions);

/* radeon_chunks.c */
extern const struct vk_bo_ops radeon_bo_ops;
struct vk_bo *radeon_vk_bo_create(struct vk_device *device, uint32_t size_B, uint32_t domain, uint32_t flags);
void radeon_vk_bo_destroy(struct vk_device *device, struct vk_bo *bo);
void radeon_chunk_pools_init(struct radeon_device *device);
void radeon_chunk_pools_finish(struct radeon_device *device);

static inline void radeon_device_cs_init(struct radeon_device *device, struct radeon_cs *cs, struct vk_rest *rest)
{
    radeon_cs_init(cs, &device->chunks[RADEON_CHUNK_STREAM], &device->ws->info, rest);
}

/* radeon_queue.c */
VkResult radeon_queue_init(struct vk_queue *queue, struct vk_device *device, const VkDeviceQueueCreateInfo *info,
                           uint32_t index);
void radeon_queue_finish(struct vk_queue *queue);

#endif
