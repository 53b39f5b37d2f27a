/* amdgpu's own ioctls, by number. */
#include <drm.h>

#include "amd/model/kernel/kernel_types.h"

#define USER (DRM_ROW_RENDER | DRM_ROW_AUTH)

const struct drm_ioctl_row amd_ioctls[AMD_IOCTL_COUNT] = {
    DRM_DRIVER_IOCTL(DRM_IOCTL_AMDGPU_GEM_CREATE, USER, amd_gem_create_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_AMDGPU_GEM_MMAP, USER, amd_gem_mmap_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_AMDGPU_CTX, USER, amd_ctx_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_AMDGPU_BO_LIST, USER, amd_bo_list_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_AMDGPU_CS, USER, amd_cs_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_AMDGPU_INFO, USER, amd_info_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_AMDGPU_GEM_METADATA, USER, amd_gem_metadata_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE, USER, amd_gem_wait_idle_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_AMDGPU_GEM_VA, USER, amd_gem_va_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_AMDGPU_WAIT_CS, USER, amd_wait_cs_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_AMDGPU_GEM_OP, USER, amd_gem_op_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_AMDGPU_GEM_USERPTR, USER, amd_gem_userptr_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_AMDGPU_WAIT_FENCES, USER, amd_wait_fences_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_AMDGPU_VM, USER, amd_vm_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_AMDGPU_FENCE_TO_HANDLE, USER, amd_fence_to_handle_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_AMDGPU_SCHED, DRM_ROW_MASTER, amd_sched_ioctl),
};
