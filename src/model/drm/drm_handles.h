/* Handles: small positive numbers for the objects of a file or a device, the lowest free one first, as the kernel gives
 * its IDs. The owner has the lock. */
#ifndef MODEL_DRM_HANDLES_H
#define MODEL_DRM_HANDLES_H

#include <stdint.h>

#include "util/array.h"

struct drm_handles {
    ARRAY(void *) slots;    /* handle n is slot n - 1 */
    ARRAY(uint32_t) unused; /* slots without an object: a heap, the lowest first. It has room for all */
};

/* 0, -ENOSPC where `limit` handles are taken, -ENOMEM. */
int drm_handles_insert(struct drm_handles *handles, void *object, uint32_t limit, uint32_t *handle_out);
void *drm_handles_get(const struct drm_handles *handles, uint32_t handle); /* NULL: no such handle */
/* With the last object the memory goes, too. */
void *drm_handles_remove(struct drm_handles *handles, uint32_t handle);
void drm_handles_finish(struct drm_handles *handles);

#endif
