/* The kernel models' copy_from_user and copy_to_user: a bad pointer of the caller is -EFAULT, not a crash. */
#ifndef MODEL_DRM_USER_H
#define MODEL_DRM_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From now on this thread's copies are for a caller whose pointers are good, or for any caller again. */
void drm_user_is_sure(bool is_sure);

/* 0 or -EFAULT. A size of 0 touches nothing. */
int drm_copy_from_user(void *data, uint64_t user_address, size_t size_B);
int drm_copy_to_user(uint64_t user_address, const void *data, size_t size_B);

/* Several copies in one go; all of them or -EFAULT. */
struct drm_user_copy {
    void *data;
    uint64_t user_address;
    size_t size_B;
};
int drm_copy_list_from_user(const struct drm_user_copy *copies, uint32_t count);

/* A number that changes in a child of fork: what a process has set up is not its child's. */
uint32_t drm_process_generation(void);

/* `count` elements of `element_B` bytes in memory of their own (NULL for none). 0, -EFAULT, -ENOMEM. */
int drm_copy_array_from_user(void **data_out, uint64_t user_address, uint32_t count, size_t element_B);

/* 0, or -EFAULT when some page of the range is not mapped in this process. */
int drm_check_user_range(uint64_t user_address, uint64_t size_B);

#endif
