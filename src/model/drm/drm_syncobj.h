/* DRM synchronisation objects, binary and timeline, as the kernel defines them, and the ioctls on them. A kernel model
 * has one table per open file and passes the ioctls' structs on. Nothing here knows a GPU.
 *
 * Between processes: an exported object's state lives in a memfd (its fd is what the ioctl hands out) and works in a
 * process that only has the fd. When a process dies, the others see its pending work as done. */
#ifndef MODEL_DRM_SYNCOBJ_H
#define MODEL_DRM_SYNCOBJ_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/list.h"
#include "util/map.h"

struct drm_fence;
struct drm_syncobj;
struct drm_syncobj_array;
struct drm_syncobj_create;
struct drm_syncobj_destroy;
struct drm_syncobj_handle;
struct drm_syncobj_timeline_array;
struct drm_syncobj_timeline_wait;
struct drm_syncobj_transfer;
struct drm_syncobj_wait;

struct drm_syncobj *drm_syncobj_create(bool signaled);
struct drm_syncobj *drm_syncobj_ref(struct drm_syncobj *object);
void drm_syncobj_unref(struct drm_syncobj *object); /* NULL is allowed */

/* Memory for one fence that will be put into it: where there is none, a submission is refused before anything of it has
 * happened. Then drm_syncobj_put, or drm_syncobj_room_finish; a zeroed room has nothing. */
struct syncobj_local;
struct drm_syncobj_room {
    struct drm_syncobj *object; /* a reference */
    struct syncobj_local *local;
};
int drm_syncobj_prepare(struct drm_syncobj *object, struct drm_syncobj_room *room_out);
/* As drm_syncobj_add_point, or for point 0 as drm_syncobj_replace; the room is empty afterwards. */
void drm_syncobj_put(struct drm_syncobj_room *room, struct drm_fence *fence, uint64_t point);
void drm_syncobj_room_finish(struct drm_syncobj_room *room);

/* Forget what was in it. fence NULL: reset, which needs no memory. 0 or -ENOMEM. */
int drm_syncobj_replace(struct drm_syncobj *object, struct drm_fence *fence);

/* Add a point to the timeline. A point that does not increase is the kernel's "unordered point". 0 or -ENOMEM. */
int drm_syncobj_add_point(struct drm_syncobj *object, struct drm_fence *fence, uint64_t point);

/* A new reference to the fence of a point (0: of everything in it). -EINVAL where no fence has been put there yet. */
int drm_syncobj_find_fence(struct drm_syncobj *object, uint64_t point, struct drm_fence **fence_out);

/* The fence of a point, after waiting until that point is submitted: -ETIME after the deadline. */
int drm_syncobj_await_fence(struct drm_syncobj *object, uint64_t point, int64_t deadline_ns,
                            struct drm_fence **fence_out);

/* The highest point up to which everything is done, or the last one submitted. */
uint64_t drm_syncobj_query(struct drm_syncobj *object, bool last_submitted);

int drm_syncobj_export(struct drm_syncobj *object); /* a new fd (close-on-exec) or -errno */
int drm_syncobj_import(int fd, struct drm_syncobj **object_out);

/* How a waiting thread hears that a point has a fence; see drm_syncobj_ioctl.c. */
struct drm_syncobj_listener {
    struct list node;
    uint64_t point;
    void (*heard)(struct drm_syncobj_listener *listener); /* with the object's lock, perhaps more than once */
};
void drm_syncobj_listen(struct drm_syncobj *object, struct drm_syncobj_listener *listener);
void drm_syncobj_unlisten(struct drm_syncobj *object, struct drm_syncobj_listener *listener);

/* The objects of one open file, by handle. */
struct drm_syncobj_table {
    pthread_mutex_t lock;
    struct map64 objects;
    uint32_t next_handle;
};

void drm_syncobj_table_init(struct drm_syncobj_table *table);
void drm_syncobj_table_finish(struct drm_syncobj_table *table);
struct drm_syncobj *drm_syncobj_find(struct drm_syncobj_table *table, uint32_t handle); /* a new reference or NULL */
int drm_syncobj_insert(struct drm_syncobj_table *table, struct drm_syncobj *object, uint32_t *handle_out);

/* The ioctls; structs are in the caller's own memory, arrays they point to are the user's. 0 or -errno. */
int drm_syncobj_create_ioctl(struct drm_syncobj_table *table, struct drm_syncobj_create *args);
int drm_syncobj_destroy_ioctl(struct drm_syncobj_table *table, struct drm_syncobj_destroy *args);
int drm_syncobj_handle_to_fd_ioctl(struct drm_syncobj_table *table, struct drm_syncobj_handle *args);
int drm_syncobj_fd_to_handle_ioctl(struct drm_syncobj_table *table, struct drm_syncobj_handle *args);
int drm_syncobj_wait_ioctl(struct drm_syncobj_table *table, struct drm_syncobj_wait *args);
int drm_syncobj_timeline_wait_ioctl(struct drm_syncobj_table *table, struct drm_syncobj_timeline_wait *args);
int drm_syncobj_reset_ioctl(struct drm_syncobj_table *table, struct drm_syncobj_array *args);
int drm_syncobj_signal_ioctl(struct drm_syncobj_table *table, struct drm_syncobj_array *args);
int drm_syncobj_timeline_signal_ioctl(struct drm_syncobj_table *table, struct drm_syncobj_timeline_array *args);
int drm_syncobj_query_ioctl(struct drm_syncobj_table *table, struct drm_syncobj_timeline_array *args);
int drm_syncobj_transfer_ioctl(struct drm_syncobj_table *table, struct drm_syncobj_transfer *args);

#endif
