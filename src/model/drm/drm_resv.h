/* The fences of a buffer that has left its process: what the kernel calls a reservation object. Every submission that
 * names the buffer adds its fence, and waits for those that others have added, in whatever process; so processes that
 * share a buffer need not know of each other's fences. Nothing here knows a GPU.
 *
 * The record is a table in the buffer's file, which all processes that have the buffer map. It has counters only: each
 * process publishes how many fences it has added and up to which of them all are done. The fences themselves stay where
 * they are; others wait for the counter. A process that dies has no pending fences any more. */
#ifndef MODEL_DRM_RESV_H
#define MODEL_DRM_RESV_H

#include <stdbool.h>
#include <stdint.h>

struct drm_fence;
struct drm_resv;

enum drm_resv_usage {
    DRM_RESV_WRITE, /* readers and writers must wait for it */
    DRM_RESV_READ,  /* writers must wait for it */
    DRM_RESV_USAGE_COUNT,
};

#define DRM_RESV_TABLE_B 2816u /* not across a page's end */

/* In zeroed memory of a file that no other process has yet. */
void drm_resv_table_init(void *table);

/* The object of a buffer, by its file and where the table is in it; the same one for all callers in this process.
 * -errno. */
int drm_resv_open(int fd, uint64_t table_offset_B, struct drm_resv **resv_out);
/* The object of a buffer that something in this process has open; NULL: it may be none of ours. */
struct drm_resv *drm_resv_find(int fd);
struct drm_resv *drm_resv_ref(struct drm_resv *resv);
void drm_resv_unref(struct drm_resv *resv); /* NULL is allowed */

/* Looking at the fences of several buffers and adding to them is one step, for all processes: lock them in this order,
 * each once, look at all, add to all, unlock. Nothing in between may wait for a fence. */
int drm_resv_compare(const struct drm_resv *a, const struct drm_resv *b);
void drm_resv_lock(struct drm_resv *resv);
void drm_resv_unlock(struct drm_resv *resv);

/* 0 or -ENOMEM. Where too many processes have added fences, others will not know of this one. Not under a lock that a
 * fence's callback takes. */
int drm_resv_add(struct drm_resv *resv, struct drm_fence *fence, enum drm_resv_usage usage);

/* The fence to be waited for now before an access: before reading (DRM_RESV_WRITE) all writes, before writing
 * (DRM_RESV_READ) everything; but for fences of `but_owner` (NULL: for none). A new reference; signaled where there
 * is nothing; NULL without memory. */
struct drm_fence *drm_resv_fence(struct drm_resv *resv, enum drm_resv_usage up_to, const void *but_owner);

/* The ioctls of a dma-buf, on the user's struct: SYNC, EXPORT_SYNC_FILE, IMPORT_SYNC_FILE. -ENOTTY for others. */
int drm_resv_ioctl(struct drm_resv *resv, unsigned long request, void *argument);

#endif
