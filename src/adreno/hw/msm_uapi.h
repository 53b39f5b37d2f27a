/* The interface of Linux's msm driver as of version 1.13: numbers, structs and requests. Debian's libdrm still has that
 * of 1.3, so it stands here, for the kernel's model and for drivers alike. Names are the kernel's own, so that its
 * documents can be read beside this. Nothing here says what the driver does. */
#ifndef ADRENO_HW_MSM_UAPI_H
#define ADRENO_HW_MSM_UAPI_H

#include <drm.h>
#include <stdint.h>

#define MSM_PIPE_3D0 0x10u
#define MSM_PIPE_ID_MASK 0xffffu

struct drm_msm_timespec { /* CLOCK_MONOTONIC, absolute */
    int64_t tv_sec;
    int64_t tv_nsec;
};

/* ---- GET_PARAM, SET_PARAM ---- */

enum msm_param {
    MSM_PARAM_GPU_ID = 0x01,
    MSM_PARAM_GMEM_SIZE = 0x02,
    MSM_PARAM_CHIP_ID = 0x03,
    MSM_PARAM_MAX_FREQ = 0x04,
    MSM_PARAM_TIMESTAMP = 0x05,
    MSM_PARAM_GMEM_BASE = 0x06,
    MSM_PARAM_PRIORITIES = 0x07,
    MSM_PARAM_PP_PGTABLE = 0x08,
    MSM_PARAM_FAULTS = 0x09,
    MSM_PARAM_SUSPENDS = 0x0a,
    MSM_PARAM_SYSPROF = 0x0b, /* set */
    MSM_PARAM_COMM = 0x0c,    /* set */
    MSM_PARAM_CMDLINE = 0x0d, /* set */
    MSM_PARAM_VA_START = 0x0e,
    MSM_PARAM_VA_SIZE = 0x0f,
    MSM_PARAM_HIGHEST_BANK_BIT = 0x10,
    MSM_PARAM_RAYTRACING = 0x11,
    MSM_PARAM_UBWC_SWIZZLE = 0x12,
    MSM_PARAM_MACROTILE_MODE = 0x13,
    MSM_PARAM_UCHE_TRAP_BASE = 0x14,
    MSM_PARAM_HAS_PRR = 0x15,
    MSM_PARAM_EN_VM_BIND = 0x16, /* set */
    MSM_PARAM_AQE = 0x17,
};

struct drm_msm_param {
    uint32_t pipe;
    uint32_t param;
    uint64_t value; /* a number, or a pointer to `len` bytes */
    uint32_t len;
    uint32_t pad;
};

/* ---- buffers ---- */

#define MSM_BO_SCANOUT 0x00000001u
#define MSM_BO_GPU_READONLY 0x00000002u
#define MSM_BO_NO_SHARE 0x00000004u
#define MSM_BO_CACHED 0x00010000u
#define MSM_BO_WC 0x00020000u
#define MSM_BO_UNCACHED 0x00040000u
#define MSM_BO_CACHED_COHERENT 0x00080000u
#define MSM_BO_CACHE_MASK 0x000f0000u
#define MSM_BO_FLAGS (MSM_BO_SCANOUT | MSM_BO_GPU_READONLY | MSM_BO_NO_SHARE | MSM_BO_CACHE_MASK)

struct drm_msm_gem_new {
    uint64_t size;
    uint32_t flags;
    uint32_t handle; /* out */
};

enum msm_info {
    MSM_INFO_GET_OFFSET,
    MSM_INFO_GET_IOVA,
    MSM_INFO_SET_NAME,
    MSM_INFO_GET_NAME,
    MSM_INFO_SET_IOVA,
    MSM_INFO_GET_FLAGS,
    MSM_INFO_SET_METADATA,
    MSM_INFO_GET_METADATA,
};

struct drm_msm_gem_info {
    uint32_t handle;
    uint32_t info;
    uint64_t value; /* a number, or a pointer to `len` bytes */
    uint32_t len;
    uint32_t pad;
};

#define MSM_PREP_READ 0x1u
#define MSM_PREP_WRITE 0x2u
#define MSM_PREP_NOSYNC 0x4u
#define MSM_PREP_BOOST 0x8u
#define MSM_PREP_FLAGS (MSM_PREP_READ | MSM_PREP_WRITE | MSM_PREP_NOSYNC | MSM_PREP_BOOST)

struct drm_msm_gem_cpu_prep {
    uint32_t handle;
    uint32_t op;
    struct drm_msm_timespec timeout;
};

struct drm_msm_gem_cpu_fini {
    uint32_t handle;
};

#define MSM_MADV_WILLNEED 0u
#define MSM_MADV_DONTNEED 1u

struct drm_msm_gem_madvise {
    uint32_t handle;
    uint32_t madv;
    uint32_t retained; /* out */
};

/* ---- submissions ---- */

#define MSM_SYNCOBJ_RESET 0x1u

struct drm_msm_syncobj {
    uint32_t handle;
    uint32_t flags;
    uint64_t point;
};

#define MSM_SUBMIT_CMD_BUF 1u
#define MSM_SUBMIT_CMD_IB_TARGET_BUF 2u
#define MSM_SUBMIT_CMD_CTX_RESTORE_BUF 3u

struct drm_msm_gem_submit_cmd {
    uint32_t type;
    uint32_t submit_idx;    /* which of the buffers */
    uint32_t submit_offset; /* in it, in bytes */
    uint32_t size;          /* in bytes */
    uint32_t pad;
    uint32_t nr_relocs;
    union {
        uint64_t relocs;
        uint64_t iova; /* where VM_BIND is on */
    };
};

#define MSM_SUBMIT_BO_READ 0x1u
#define MSM_SUBMIT_BO_WRITE 0x2u
#define MSM_SUBMIT_BO_DUMP 0x4u
#define MSM_SUBMIT_BO_NO_IMPLICIT 0x8u
#define MSM_SUBMIT_BO_FLAGS (MSM_SUBMIT_BO_READ | MSM_SUBMIT_BO_WRITE | MSM_SUBMIT_BO_DUMP | MSM_SUBMIT_BO_NO_IMPLICIT)

struct drm_msm_gem_submit_bo {
    uint32_t flags;
    uint32_t handle;
    uint64_t presumed;
};

#define MSM_SUBMIT_NO_IMPLICIT 0x80000000u
#define MSM_SUBMIT_FENCE_FD_IN 0x40000000u
#define MSM_SUBMIT_FENCE_FD_OUT 0x20000000u
#define MSM_SUBMIT_SUDO 0x10000000u
#define MSM_SUBMIT_SYNCOBJ_IN 0x08000000u
#define MSM_SUBMIT_SYNCOBJ_OUT 0x04000000u
#define MSM_SUBMIT_FENCE_SN_IN 0x02000000u
#define MSM_SUBMIT_FLAGS 0xfe000000u

struct drm_msm_gem_submit {
    uint32_t flags; /* the pipe, and MSM_SUBMIT_* */
    uint32_t fence; /* out; in with FENCE_SN_IN */
    uint32_t nr_bos;
    uint32_t nr_cmds;
    uint64_t bos;
    uint64_t cmds;
    int32_t fence_fd;
    uint32_t queueid;
    uint64_t in_syncobjs;
    uint64_t out_syncobjs;
    uint32_t nr_in_syncobjs;
    uint32_t nr_out_syncobjs;
    uint32_t syncobj_stride;
    uint32_t pad;
};

#define MSM_WAIT_FENCE_BOOST 0x1u

struct drm_msm_wait_fence {
    uint32_t fence;
    uint32_t flags;
    struct drm_msm_timespec timeout;
    uint32_t queueid;
};

#define MSM_SUBMITQUEUE_ALLOW_PREEMPT 0x1u
#define MSM_SUBMITQUEUE_VM_BIND 0x2u
#define MSM_SUBMITQUEUE_FLAGS (MSM_SUBMITQUEUE_ALLOW_PREEMPT | MSM_SUBMITQUEUE_VM_BIND)

struct drm_msm_submitqueue {
    uint32_t flags;
    uint32_t prio; /* 0 is the highest */
    uint32_t id;   /* out */
};

#define MSM_SUBMITQUEUE_PARAM_FAULTS 0u

struct drm_msm_submitqueue_query {
    uint64_t data;
    uint32_t id;
    uint32_t param;
    uint32_t len;
    uint32_t pad;
};

/* ---- addresses that user space manages ---- */

#define MSM_VM_BIND_OP_UNMAP 0u
#define MSM_VM_BIND_OP_MAP 1u
#define MSM_VM_BIND_OP_MAP_NULL 2u
#define MSM_VM_BIND_OP_DUMP 0x1u /* a flag */

struct drm_msm_vm_bind_op {
    uint32_t op;
    uint32_t handle;
    uint64_t obj_offset;
    uint64_t iova;
    uint64_t range;
    uint32_t flags;
    uint32_t pad;
};

#define MSM_VM_BIND_FENCE_FD_IN 0x1u
#define MSM_VM_BIND_FENCE_FD_OUT 0x2u

struct drm_msm_vm_bind {
    uint32_t flags;
    uint32_t nr_ops;
    int32_t fence_fd;
    uint32_t queue_id;
    uint64_t in_syncobjs;
    uint64_t out_syncobjs;
    uint32_t nr_in_syncobjs;
    uint32_t nr_out_syncobjs;
    uint32_t syncobj_stride;
    uint32_t op_stride;
    union {
        struct drm_msm_vm_bind_op op; /* one */
        uint64_t ops;                 /* more */
    };
};

/* ---- requests ---- */

#define DRM_IOCTL_MSM_GET_PARAM DRM_IOWR(DRM_COMMAND_BASE + 0x00, struct drm_msm_param)
#define DRM_IOCTL_MSM_SET_PARAM DRM_IOW(DRM_COMMAND_BASE + 0x01, struct drm_msm_param)
#define DRM_IOCTL_MSM_GEM_NEW DRM_IOWR(DRM_COMMAND_BASE + 0x02, struct drm_msm_gem_new)
#define DRM_IOCTL_MSM_GEM_INFO DRM_IOWR(DRM_COMMAND_BASE + 0x03, struct drm_msm_gem_info)
#define DRM_IOCTL_MSM_GEM_CPU_PREP DRM_IOW(DRM_COMMAND_BASE + 0x04, struct drm_msm_gem_cpu_prep)
#define DRM_IOCTL_MSM_GEM_CPU_FINI DRM_IOW(DRM_COMMAND_BASE + 0x05, struct drm_msm_gem_cpu_fini)
#define DRM_IOCTL_MSM_GEM_SUBMIT DRM_IOWR(DRM_COMMAND_BASE + 0x06, struct drm_msm_gem_submit)
#define DRM_IOCTL_MSM_WAIT_FENCE DRM_IOW(DRM_COMMAND_BASE + 0x07, struct drm_msm_wait_fence)
#define DRM_IOCTL_MSM_GEM_MADVISE DRM_IOWR(DRM_COMMAND_BASE + 0x08, struct drm_msm_gem_madvise)
#define DRM_IOCTL_MSM_SUBMITQUEUE_NEW DRM_IOWR(DRM_COMMAND_BASE + 0x0a, struct drm_msm_submitqueue)
#define DRM_IOCTL_MSM_SUBMITQUEUE_CLOSE DRM_IOW(DRM_COMMAND_BASE + 0x0b, uint32_t)
#define DRM_IOCTL_MSM_SUBMITQUEUE_QUERY DRM_IOW(DRM_COMMAND_BASE + 0x0c, struct drm_msm_submitqueue_query)
#define DRM_IOCTL_MSM_VM_BIND DRM_IOWR(DRM_COMMAND_BASE + 0x0d, struct drm_msm_vm_bind)

#endif
