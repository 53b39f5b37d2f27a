/* panthor's own ioctls, by number, all of them for render nodes and primary nodes alike; and arrays of structs that may
 * be shorter or longer than what this version knows. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mali/model/kernel/kernel_types.h"
#include "model/drm/drm_user.h"
#include "util/bits.h"

#define MAX_OBJECTS (1u << 20)     /* more is no submission but a test of our memory */
#define MAX_STRIDE_B (64u * 1024u) /* a struct that has grown so much is none of ours */

const struct drm_ioctl_row mali_ioctls[MALI_IOCTL_COUNT] = {
    DRM_DRIVER_IOCTL(DRM_IOCTL_PANTHOR_DEV_QUERY, DRM_ROW_RENDER, mali_dev_query_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_PANTHOR_VM_CREATE, DRM_ROW_RENDER, mali_vm_create_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_PANTHOR_VM_DESTROY, DRM_ROW_RENDER, mali_vm_destroy_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_PANTHOR_VM_BIND, DRM_ROW_RENDER, mali_vm_bind_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_PANTHOR_VM_GET_STATE, DRM_ROW_RENDER, mali_vm_get_state_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_PANTHOR_BO_CREATE, DRM_ROW_RENDER, mali_bo_create_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_PANTHOR_BO_MMAP_OFFSET, DRM_ROW_RENDER, mali_bo_mmap_offset_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_PANTHOR_GROUP_CREATE, DRM_ROW_RENDER, mali_group_create_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_PANTHOR_GROUP_DESTROY, DRM_ROW_RENDER, mali_group_destroy_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_PANTHOR_GROUP_SUBMIT, DRM_ROW_RENDER, mali_group_submit_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_PANTHOR_GROUP_GET_STATE, DRM_ROW_RENDER, mali_group_get_state_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_PANTHOR_TILER_HEAP_CREATE, DRM_ROW_RENDER, mali_tiler_heap_create_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_PANTHOR_TILER_HEAP_DESTROY, DRM_ROW_RENDER, mali_tiler_heap_destroy_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_PANTHOR_BO_SET_LABEL, DRM_ROW_RENDER, mali_bo_set_label_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_PANTHOR_SET_USER_MMIO_OFFSET, DRM_ROW_RENDER, mali_set_user_mmio_offset_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_PANTHOR_BO_SYNC, DRM_ROW_RENDER, mali_bo_sync_ioctl),
    DRM_DRIVER_IOCTL(DRM_IOCTL_PANTHOR_BO_QUERY_INFO, DRM_ROW_RENDER, mali_bo_query_info_ioctl),
};

/* The rest of a longer struct of the user's, after the part that is known, must be zero. */
static int check_tail(uint64_t address, size_t size_B)
{
    uint8_t bytes[256];
    for (size_t done_B = 0; done_B < size_B;) {
        size_t part_B = MIN2(size_B - done_B, sizeof(bytes));
        int error = drm_copy_from_user(bytes, address + done_B, part_B);
        if (error)
            return error;
        for (size_t i = 0; i < part_B; i++) {
            if (bytes[i])
                return -E2BIG;
        }
        done_B += part_B;
    }
    return 0;
}

static int read_object(void *object, size_t object_B, uint64_t address, uint32_t stride_B)
{
    int error = drm_copy_from_user(object, address, MIN2((size_t)stride_B, object_B));
    return error || stride_B <= object_B ? error : check_tail(address + object_B, stride_B - object_B);
}

int mali_read_objects(void **data_out, const struct drm_panthor_obj_array *array, size_t object_B, size_t least_B)
{
    *data_out = NULL;
    if (!array->count)
        return 0;
    if (array->stride < least_B)
        return -EINVAL;
    if (array->stride > MAX_STRIDE_B)
        return -E2BIG;
    if (array->count > MAX_OBJECTS)
        return -ENOMEM;
    if (array->stride == object_B)
        return drm_copy_array_from_user(data_out, array->array, array->count, object_B);
    char *data = calloc(array->count, object_B);
    int error = data ? 0 : -ENOMEM;
    for (uint32_t i = 0; i < array->count && !error; i++)
        error = read_object(data + i * object_B, object_B, array->array + (uint64_t)i * array->stride, array->stride);
    if (error) {
        free(data);
        return error;
    }
    *data_out = data;
    return 0;
}
