/* The interface of Linux's panthor driver as of version 1.8: numbers, structs and requests. Debian 12's headers have
 * none of it, so it stands here, for the kernel's model and for drivers alike. Names are the kernel's own, so that its
 * documents can be read beside this. Nothing here says what the driver does. */
#ifndef MALI_HW_PANTHOR_UAPI_H
#define MALI_HW_PANTHOR_UAPI_H

#include <drm.h>
#include <stdint.h>

/* Where the page of LATEST_FLUSH_ID is to be mapped, in files of programs of 32 and of 64 bits. */
#define DRM_PANTHOR_USER_MMIO_OFFSET_32BIT (1ull << 43)
#define DRM_PANTHOR_USER_MMIO_OFFSET_64BIT (1ull << 56)

/* Structs that grow: elements of `stride` bytes each. */
struct drm_panthor_obj_array {
    uint32_t stride;
    uint32_t count;
    uint64_t array;
};

#define DRM_PANTHOR_SYNC_OP_HANDLE_TYPE_MASK 0xffu
#define DRM_PANTHOR_SYNC_OP_HANDLE_TYPE_SYNCOBJ 0u
#define DRM_PANTHOR_SYNC_OP_HANDLE_TYPE_TIMELINE_SYNCOBJ 1u
#define DRM_PANTHOR_SYNC_OP_WAIT 0u
#define DRM_PANTHOR_SYNC_OP_SIGNAL (1u << 31)

struct drm_panthor_sync_op {
    uint32_t flags;
    uint32_t handle;
    uint64_t timeline_value;
};

/* ---- DEV_QUERY ---- */

enum drm_panthor_dev_query_type {
    DRM_PANTHOR_DEV_QUERY_GPU_INFO = 0,
    DRM_PANTHOR_DEV_QUERY_CSIF_INFO = 1,
    DRM_PANTHOR_DEV_QUERY_TIMESTAMP_INFO = 2,
    DRM_PANTHOR_DEV_QUERY_GROUP_PRIORITIES_INFO = 3,
};

enum drm_panthor_gpu_coherency {
    DRM_PANTHOR_GPU_COHERENCY_ACE_LITE = 0,
    DRM_PANTHOR_GPU_COHERENCY_ACE = 1,
    DRM_PANTHOR_GPU_COHERENCY_NONE = 31,
};

struct drm_panthor_gpu_info {
    uint32_t gpu_id;
    uint32_t gpu_rev;
    uint32_t csf_id;
    uint32_t l2_features;
    uint32_t tiler_features;
    uint32_t mem_features;
    uint32_t mmu_features;
    uint32_t thread_features;
    uint32_t max_threads;
    uint32_t thread_max_workgroup_size;
    uint32_t thread_max_barrier_size;
    uint32_t coherency_features;
    uint32_t texture_features[4];
    uint32_t as_present;
    uint32_t selected_coherency; /* padding before 1.7 */
    uint64_t shader_present;
    uint64_t l2_present;
    uint64_t tiler_present;
    uint32_t core_features;
    uint32_t pad;
};

struct drm_panthor_csif_info {
    uint32_t csg_slot_count;
    uint32_t cs_slot_count;
    uint32_t cs_reg_count;
    uint32_t scoreboard_slot_count;
    uint32_t unpreserved_cs_reg_count;
    uint32_t pad;
};

#define DRM_PANTHOR_TIMESTAMP_GPU (1u << 0)
#define DRM_PANTHOR_TIMESTAMP_CPU_NONE (0u << 1)
#define DRM_PANTHOR_TIMESTAMP_CPU_MONOTONIC (1u << 1)
#define DRM_PANTHOR_TIMESTAMP_CPU_MONOTONIC_RAW (2u << 1)
#define DRM_PANTHOR_TIMESTAMP_CPU_TYPE_MASK (7u << 1)
#define DRM_PANTHOR_TIMESTAMP_GPU_OFFSET (1u << 4)
#define DRM_PANTHOR_TIMESTAMP_GPU_CYCLE_COUNT (1u << 5)
#define DRM_PANTHOR_TIMESTAMP_FREQ (1u << 6)
#define DRM_PANTHOR_TIMESTAMP_DURATION (1u << 7)

struct drm_panthor_timestamp_info {
    uint64_t timestamp_frequency;
    uint64_t current_timestamp;
    uint64_t timestamp_offset;
    uint32_t flags; /* from here on since 1.8 */
    uint32_t duration_nsec;
    uint64_t cycle_count;
    uint64_t cpu_timestamp_sec;
    uint64_t cpu_timestamp_nsec;
};

struct drm_panthor_group_priorities_info {
    uint8_t allowed_mask;
    uint8_t pad[3];
};

struct drm_panthor_dev_query {
    uint32_t type;
    uint32_t size;
    uint64_t pointer;
};

/* ---- address spaces ---- */

struct drm_panthor_vm_create {
    uint32_t flags;
    uint32_t id;
    uint64_t user_va_range;
};

struct drm_panthor_vm_destroy {
    uint32_t id;
    uint32_t pad;
};

#define DRM_PANTHOR_VM_BIND_OP_MAP_READONLY (1u << 0)
#define DRM_PANTHOR_VM_BIND_OP_MAP_NOEXEC (1u << 1)
#define DRM_PANTHOR_VM_BIND_OP_MAP_UNCACHED (1u << 2)
#define DRM_PANTHOR_VM_BIND_OP_TYPE_MASK (0xfu << 28)
#define DRM_PANTHOR_VM_BIND_OP_TYPE_MAP (0u << 28)
#define DRM_PANTHOR_VM_BIND_OP_TYPE_UNMAP (1u << 28)
#define DRM_PANTHOR_VM_BIND_OP_TYPE_SYNC_ONLY (2u << 28)

struct drm_panthor_vm_bind_op {
    uint32_t flags;
    uint32_t bo_handle;
    uint64_t bo_offset;
    uint64_t va;
    uint64_t size;
    struct drm_panthor_obj_array syncs;
};

#define DRM_PANTHOR_VM_BIND_ASYNC (1u << 0)

struct drm_panthor_vm_bind {
    uint32_t vm_id;
    uint32_t flags;
    struct drm_panthor_obj_array ops;
};

enum drm_panthor_vm_state {
    DRM_PANTHOR_VM_STATE_USABLE = 0,
    DRM_PANTHOR_VM_STATE_UNUSABLE = 1,
};

struct drm_panthor_vm_get_state {
    uint32_t vm_id;
    uint32_t state;
};

/* ---- buffers ---- */

#define DRM_PANTHOR_BO_NO_MMAP (1u << 0)
#define DRM_PANTHOR_BO_WB_MMAP (1u << 1)

struct drm_panthor_bo_create {
    uint64_t size;
    uint32_t flags;
    uint32_t exclusive_vm_id;
    uint32_t handle;
    uint32_t pad;
};

struct drm_panthor_bo_mmap_offset {
    uint32_t handle;
    uint32_t pad;
    uint64_t offset;
};

struct drm_panthor_bo_set_label {
    uint32_t handle;
    uint32_t pad;
    uint64_t label;
};

struct drm_panthor_set_user_mmio_offset {
    uint64_t offset;
};

enum drm_panthor_bo_sync_op_type {
    DRM_PANTHOR_BO_SYNC_CPU_CACHE_FLUSH = 0,
    DRM_PANTHOR_BO_SYNC_CPU_CACHE_FLUSH_AND_INVALIDATE = 1,
};

struct drm_panthor_bo_sync_op {
    uint32_t handle;
    uint32_t type;
    uint64_t offset;
    uint64_t size;
};

struct drm_panthor_bo_sync {
    struct drm_panthor_obj_array ops;
};

#define DRM_PANTHOR_BO_IS_IMPORTED (1u << 0)

struct drm_panthor_bo_query_info {
    uint32_t handle;
    uint32_t extra_flags;
    uint32_t create_flags;
    uint32_t pad;
};

/* ---- groups ---- */

struct drm_panthor_queue_create {
    uint8_t priority;
    uint8_t pad[3];
    uint32_t ringbuf_size;
};

enum drm_panthor_group_priority {
    PANTHOR_GROUP_PRIORITY_LOW = 0,
    PANTHOR_GROUP_PRIORITY_MEDIUM = 1,
    PANTHOR_GROUP_PRIORITY_HIGH = 2,
    PANTHOR_GROUP_PRIORITY_REALTIME = 3,
};

struct drm_panthor_group_create {
    struct drm_panthor_obj_array queues;
    uint8_t max_compute_cores;
    uint8_t max_fragment_cores;
    uint8_t max_tiler_cores;
    uint8_t priority;
    uint32_t pad;
    uint64_t compute_core_mask;
    uint64_t fragment_core_mask;
    uint64_t tiler_core_mask;
    uint32_t vm_id;
    uint32_t group_handle;
};

struct drm_panthor_group_destroy {
    uint32_t group_handle;
    uint32_t pad;
};

struct drm_panthor_queue_submit {
    uint32_t queue_index;
    uint32_t stream_size;
    uint64_t stream_addr;
    uint32_t latest_flush;
    uint32_t pad;
    struct drm_panthor_obj_array syncs;
};

struct drm_panthor_group_submit {
    uint32_t group_handle;
    uint32_t pad;
    struct drm_panthor_obj_array queue_submits;
};

#define DRM_PANTHOR_GROUP_STATE_TIMEDOUT (1u << 0)
#define DRM_PANTHOR_GROUP_STATE_FATAL_FAULT (1u << 1)
#define DRM_PANTHOR_GROUP_STATE_INNOCENT (1u << 2)

struct drm_panthor_group_get_state {
    uint32_t group_handle;
    uint32_t state;
    uint32_t fatal_queues;
    uint32_t pad;
};

/* ---- heaps ---- */

struct drm_panthor_tiler_heap_create {
    uint32_t vm_id;
    uint32_t initial_chunk_count;
    uint32_t chunk_size;
    uint32_t max_chunks;
    uint32_t target_in_flight;
    uint32_t handle;
    uint64_t tiler_heap_ctx_gpu_va;
    uint64_t first_heap_chunk_gpu_va;
};

struct drm_panthor_tiler_heap_destroy {
    uint32_t handle;
    uint32_t pad;
};

/* ---- requests ---- */

#define DRM_IOCTL_PANTHOR_DEV_QUERY DRM_IOWR(DRM_COMMAND_BASE + 0, struct drm_panthor_dev_query)
#define DRM_IOCTL_PANTHOR_VM_CREATE DRM_IOWR(DRM_COMMAND_BASE + 1, struct drm_panthor_vm_create)
#define DRM_IOCTL_PANTHOR_VM_DESTROY DRM_IOWR(DRM_COMMAND_BASE + 2, struct drm_panthor_vm_destroy)
#define DRM_IOCTL_PANTHOR_VM_BIND DRM_IOWR(DRM_COMMAND_BASE + 3, struct drm_panthor_vm_bind)
#define DRM_IOCTL_PANTHOR_VM_GET_STATE DRM_IOWR(DRM_COMMAND_BASE + 4, struct drm_panthor_vm_get_state)
#define DRM_IOCTL_PANTHOR_BO_CREATE DRM_IOWR(DRM_COMMAND_BASE + 5, struct drm_panthor_bo_create)
#define DRM_IOCTL_PANTHOR_BO_MMAP_OFFSET DRM_IOWR(DRM_COMMAND_BASE + 6, struct drm_panthor_bo_mmap_offset)
#define DRM_IOCTL_PANTHOR_GROUP_CREATE DRM_IOWR(DRM_COMMAND_BASE + 7, struct drm_panthor_group_create)
#define DRM_IOCTL_PANTHOR_GROUP_DESTROY DRM_IOWR(DRM_COMMAND_BASE + 8, struct drm_panthor_group_destroy)
#define DRM_IOCTL_PANTHOR_GROUP_SUBMIT DRM_IOWR(DRM_COMMAND_BASE + 9, struct drm_panthor_group_submit)
#define DRM_IOCTL_PANTHOR_GROUP_GET_STATE DRM_IOWR(DRM_COMMAND_BASE + 10, struct drm_panthor_group_get_state)
#define DRM_IOCTL_PANTHOR_TILER_HEAP_CREATE DRM_IOWR(DRM_COMMAND_BASE + 11, struct drm_panthor_tiler_heap_create)
#define DRM_IOCTL_PANTHOR_TILER_HEAP_DESTROY DRM_IOWR(DRM_COMMAND_BASE + 12, struct drm_panthor_tiler_heap_destroy)
#define DRM_IOCTL_PANTHOR_BO_SET_LABEL DRM_IOWR(DRM_COMMAND_BASE + 13, struct drm_panthor_bo_set_label)
#define DRM_IOCTL_PANTHOR_SET_USER_MMIO_OFFSET DRM_IOWR(DRM_COMMAND_BASE + 14, struct drm_panthor_set_user_mmio_offset)
#define DRM_IOCTL_PANTHOR_BO_SYNC DRM_IOWR(DRM_COMMAND_BASE + 15, struct drm_panthor_bo_sync)
#define DRM_IOCTL_PANTHOR_BO_QUERY_INFO DRM_IOWR(DRM_COMMAND_BASE + 16, struct drm_panthor_bo_query_info)

#endif
