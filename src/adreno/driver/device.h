/* The driver's physical device, device and queues. */
#ifndef ADRENO_DRIVER_DEVICE_H
#define ADRENO_DRIVER_DEVICE_H

#include "adreno/driver/kernel.h"
#include "adreno/driver/pm4.h"
#include "adreno/driver/sampler.h"
#include "adreno/hw/chip.h"
#include "vulkan/meta/vk_meta.h"
#include "vulkan/runtime/descriptor/vk_descriptor.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/device/vk_physical_device.h"
#include "vulkan/runtime/pipeline/vk_code_memory.h"
#include "vulkan/runtime/sync/vk_queue.h"

#define ADRENO_MAX_MEMORY_TYPES 4
#define ADRENO_MAX_PUSH_B 256
#define ADRENO_XFB_BUFFERS 4         /* of transform feedback */
#define ADRENO_TIMESTAMP_HZ 19200000 /* the counter that is always on */

/* The abilities of the one family of queues. */
#define ADRENO_QUEUE_FLAGS (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT)

/* The version of which everything is here. 1.4 wants seven sets that can be bound; there are five bases in registers,
 * of which one is the driver's. */
#define ADRENO_API_VERSION VK_MAKE_API_VERSION(0, 1, 3, VK_RUNTIME_PATCH)

struct adreno_physical_device {
    struct vk_physical_device vk;
    struct adreno_kernel *kernel;
    const struct adreno_chip *chip;
    uint32_t bo_flags[ADRENO_MAX_MEMORY_TYPES]; /* MSM_BO_* of a memory type */
};

VK_DEFINE_CASTS(adreno_physical_device, VkPhysicalDevice)

/* Around the command buffers of a submission: the state that they rely on, and the caches that the kernel leaves
 * alone. */
struct adreno_queue {
    struct vk_queue vk;
    uint32_t id;                    /* of the kernel's submit queue */
    struct adreno_cs before, after; /* every submission */
    uint32_t last_fence;            /* 0: none yet */
};

/* Chunks (vk_chunk.h) for streams and for uploads. */
enum adreno_chunk_kind {
    ADRENO_CHUNK_STREAM,
    ADRENO_CHUNK_UPLOAD,
    ADRENO_CHUNK_KIND_COUNT
};

/* Words of the device that the GPU writes and reads, by their offset in adreno_device.words. */
enum adreno_word {
    ADRENO_WORD_EVENTS = 0,       /* where events write that must write something, and nothing reads */
    ADRENO_WORD_MARK = 64,        /* TUFF_DEBUG=hang: how far the command processor is */
    ADRENO_WORD_SCRATCH = 128,    /* 16 bytes that a command writes and reads again */
    ADRENO_WORD_FLUSH = 192,      /* four words, 16 bytes apart: how far buffers of transform feedback are filled */
    ADRENO_WORD_VISIBILITY = 256, /* lengths of streams of primitives and draws that were too short; 0: none */
    ADRENO_WORD_NO_LRZ = 1024,    /* zeros: a buffer of low-resolution depth that holds for nothing */
    ADRENO_WORDS_B = 4096,
};

/* Private memory of waves by the size that a fiber has; made when a shader needs it, kept until the end. */
#define ADRENO_PRIVATE_SIZES 9

/* Streams of visibility, for all passes of the device: they follow each other (visibility.c). */
#define ADRENO_MAX_VISIBILITY 16      /* that grew too short */
#define ADRENO_VISIBILITY_PAD_B 0x40u /* after each stream */
struct adreno_visibility {
    struct adreno_bo *bo;
    uint32_t prim_at_B, draw_at_B, size_at_B, prim_pitch_B, draw_pitch_B;
};

struct adreno_device {
    struct vk_device vk;
    struct adreno_physical_device *physical;
    struct adreno_kernel *kernel;
    const struct adreno_chip *chip;
    struct vk_descriptor_ops descriptor_ops; /* as the chip has them */
    struct vk_queue_set queues;              /* struct adreno_queue */
    struct vk_chunk_pool chunks[ADRENO_CHUNK_KIND_COUNT];
    struct vk_code_memory code_memory;
    struct adreno_bo *words; /* enum adreno_word */
    struct adreno_borders borders;
    struct adreno_visibility visibility; /* made by the first pass that needs it (graphics.h), under private_lock */
    struct adreno_bo *old_visibility[ADRENO_MAX_VISIBILITY]; /* shorter ones, which recordings may name */
    uint32_t num_old_visibility;
    bool has_marks; /* TUFF_DEBUG=hang */
    _Atomic uint32_t next_mark;
    pthread_mutex_t private_lock;
    struct adreno_bo *tess_memory; /* made by the first pipeline with tessellation, under private_lock */
    struct adreno_bo *private_memory[ADRENO_PRIVATE_SIZES]; /* by the logarithm of a fiber's units of 512 bytes */
};

VK_DEFINE_CASTS(adreno_device, VkDevice)

static inline struct adreno_device *adreno_device_of(struct vk_device *device)
{
    return (struct adreno_device *)device;
}

static inline uint64_t adreno_word_va(const struct adreno_device *device, enum adreno_word word)
{
    return device->words->vk.va + word;
}

/* The VkResult for an -errno of the kernel. */

extern const struct vk_driver adreno_driver;
extern const struct vk_device_driver adreno_device_driver;

/* features.c: what is advertised. A bit is set only for what works and is tested. */
void adreno_fill_features(const struct adreno_physical_device *physical, struct vk_features *features);
void adreno_fill_extensions(const struct adreno_physical_device *physical, struct vk_device_extensions *extensions);

/* memory.c: mapped memory that the CPU writes and the GPU reads, as the runtime's rooms want it. */
struct vk_bo *adreno_vk_bo_create(struct vk_device *device, uint32_t size_B);
void adreno_vk_bo_destroy(struct vk_device *device, struct vk_bo *bo);

/* Memory for `size_B` bytes of each fiber that a shader may have: `param` is as the registers count it, `total_B` of
 * all shader processors. The memory is the device's. */
struct adreno_private {
    uint64_t va;
    uint32_t size_B_of_fiber; /* a multiple of 512 */
    uint32_t size_B_of_sp;
};
VkResult adreno_private_memory(struct adreno_device *device, uint32_t size_B, struct adreno_private *private_out);

/* queue.c */
VkResult adreno_queue_init(struct vk_queue *queue, struct vk_device *device, const VkDeviceQueueCreateInfo *info,
                           uint32_t index);
void adreno_queue_finish(struct vk_queue *queue);

/* start.c: registers that command buffers rely on and never write, and the CCU's part of GMEM. */
void adreno_emit_start(struct adreno_device *device, struct adreno_cs *cs);

/* RB_CCU_CNTL: where the colour cache lies in GMEM while targets are in memory, and while they are in GMEM. */
uint32_t adreno_ccu_cntl_sysmem(const struct adreno_chip *chip);
uint32_t adreno_ccu_cntl_gmem(const struct adreno_chip *chip);
/* How much of GMEM is left for attachments in the latter case. */
uint32_t adreno_gmem_for_tiles_B(const struct adreno_chip *chip);

#endif
