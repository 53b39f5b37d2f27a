/* msm's own ioctls, by number. All of them are allowed on render nodes and on primary nodes alike. */
#include "adreno/model/kernel/kernel_types.h"

const struct drm_ioctl_row adreno_ioctls[ADRENO_IOCTL_COUNT] = {
    DRM_DRIVER_IOCTL(DRM_IOCTL_MSM_GET_PARAM, DRM_ROW_RENDER, adreno_get_param_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_MSM_SET_PARAM, DRM_ROW_RENDER, adreno_set_param_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_MSM_GEM_NEW, DRM_ROW_RENDER, adreno_gem_new_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_MSM_GEM_INFO, DRM_ROW_RENDER, adreno_gem_info_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_MSM_GEM_CPU_PREP, DRM_ROW_RENDER, adreno_gem_cpu_prep_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_MSM_GEM_CPU_FINI, DRM_ROW_RENDER, adreno_gem_cpu_fini_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_MSM_GEM_SUBMIT, DRM_ROW_RENDER, adreno_gem_submit_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_MSM_WAIT_FENCE, DRM_ROW_RENDER, adreno_wait_fence_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_MSM_GEM_MADVISE, DRM_ROW_RENDER, adreno_gem_madvise_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_MSM_SUBMITQUEUE_NEW, DRM_ROW_RENDER, adreno_queue_new_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_MSM_SUBMITQUEUE_CLOSE, DRM_ROW_RENDER, adreno_queue_close_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_MSM_SUBMITQUEUE_QUERY, DRM_ROW_RENDER, adreno_queue_query_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_MSM_VM_BIND, DRM_ROW_RENDER, adreno_vm_bind_ioctl),
};
