/* The ioctls on synchronisation objects: arguments are checked, in order and with the errno, as the kernel's DRM core
 * does. */
#include <drm.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "model/drm/drm_fence.h"
#include "model/drm/drm_sync_file.h"
#include "model/drm/drm_syncobj.h"
#include "model/drm/drm_user.h"
#include "util/bits.h"

void drm_syncobj_table_init(struct drm_syncobj_table *table)
{
    memset(table, 0, sizeof(*table));
    pthread_mutex_init(&table->lock, NULL);
    table->next_handle = 1;
}

void drm_syncobj_table_finish(struct drm_syncobj_table *table)
{
    for (struct map64_slot *slot = NULL; (slot = map64_next(&table->objects, slot));)
        drm_syncobj_unref((struct drm_syncobj *)(uintptr_t)slot->value);
    map64_finish(&table->objects);
    pthread_mutex_destroy(&table->lock);
}

struct drm_syncobj *drm_syncobj_find(struct drm_syncobj_table *table, uint32_t handle)
{
    pthread_mutex_lock(&table->lock);
    uint64_t *value = map64_get(&table->objects, handle);
    struct drm_syncobj *object = value ? drm_syncobj_ref((struct drm_syncobj *)(uintptr_t)*value) : NULL;
    pthread_mutex_unlock(&table->lock);
    return object;
}

int drm_syncobj_insert(struct drm_syncobj_table *table, struct drm_syncobj *object, uint32_t *handle_out)
{
    pthread_mutex_lock(&table->lock);
    while (table->next_handle == 0 || map64_get(&table->objects, table->next_handle))
        table->next_handle++;
    uint32_t handle = table->next_handle;
    bool inserted = map64_set(&table->objects, handle, (uintptr_t)object);
    if (inserted) {
        drm_syncobj_ref(object);
        table->next_handle++;
        *handle_out = handle;
    }
    pthread_mutex_unlock(&table->lock);
    return inserted ? 0 : -ENOMEM;
}

int drm_syncobj_create_ioctl(struct drm_syncobj_table *table, struct drm_syncobj_create *args)
{
    if (args->flags & ~DRM_SYNCOBJ_CREATE_SIGNALED)
        return -EINVAL;
    struct drm_syncobj *object = drm_syncobj_create(args->flags & DRM_SYNCOBJ_CREATE_SIGNALED);
    if (!object)
        return -ENOMEM;
    int error = drm_syncobj_insert(table, object, &args->handle);
    drm_syncobj_unref(object);
    return error;
}

int drm_syncobj_destroy_ioctl(struct drm_syncobj_table *table, struct drm_syncobj_destroy *args)
{
    if (args->pad)
        return -EINVAL;
    pthread_mutex_lock(&table->lock);
    uint64_t *value = map64_get(&table->objects, args->handle);
    struct drm_syncobj *object = value ? (struct drm_syncobj *)(uintptr_t)*value : NULL;
    if (map64_remove(&table->objects, args->handle))
        map64_trim(&table->objects);
    pthread_mutex_unlock(&table->lock);
    drm_syncobj_unref(object);
    return object ? 0 : -EINVAL;
}

static int export_sync_file(struct drm_syncobj_table *table, struct drm_syncobj_handle *args)
{
    struct drm_syncobj *object = drm_syncobj_find(table, args->handle);
    if (!object)
        return -ENOENT;
    struct drm_fence *fence = NULL;
    int result = drm_syncobj_find_fence(object, 0, &fence);
    drm_syncobj_unref(object);
    if (result)
        return result;
    result = drm_sync_file_export(fence);
    drm_fence_unref(fence);
    if (result < 0)
        return result;
    args->fd = result;
    return 0;
}

int drm_syncobj_handle_to_fd_ioctl(struct drm_syncobj_table *table, struct drm_syncobj_handle *args)
{
    if (args->pad || (args->flags & ~DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE))
        return -EINVAL;
    if (args->flags & DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE)
        return export_sync_file(table, args);
    struct drm_syncobj *object = drm_syncobj_find(table, args->handle);
    if (!object)
        return -EINVAL;
    int fd = drm_syncobj_export(object);
    drm_syncobj_unref(object);
    if (fd < 0)
        return fd;
    args->fd = fd;
    return 0;
}

static int import_sync_file(struct drm_syncobj_table *table, const struct drm_syncobj_handle *args)
{
    struct drm_fence *fence = NULL;
    int error = drm_sync_file_import(args->fd, &fence);
    if (error)
        return error;
    struct drm_syncobj *object = drm_syncobj_find(table, args->handle);
    error = object ? drm_syncobj_replace(object, fence) : -ENOENT;
    drm_fence_unref(fence);
    drm_syncobj_unref(object);
    return error;
}

int drm_syncobj_fd_to_handle_ioctl(struct drm_syncobj_table *table, struct drm_syncobj_handle *args)
{
    if (args->pad || (args->flags & ~DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE))
        return -EINVAL;
    if (args->flags & DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE)
        return import_sync_file(table, args);
    struct drm_syncobj *object = NULL;
    int error = drm_syncobj_import(args->fd, &object);
    if (error)
        return error;
    error = drm_syncobj_insert(table, object, &args->handle);
    drm_syncobj_unref(object);
    return error;
}

/* ---- arrays of handles ---- */

static void put_objects(struct drm_syncobj **objects, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        drm_syncobj_unref(objects[i]);
    free(objects);
}

static int find_objects(struct drm_syncobj_table *table, uint64_t user_handles, uint32_t count,
                        struct drm_syncobj ***objects_out)
{
    void *handles = NULL;
    int error = drm_copy_array_from_user(&handles, user_handles, count, sizeof(uint32_t));
    if (error)
        return error;
    struct drm_syncobj **objects = calloc(count, sizeof(*objects));
    if (!objects)
        error = -ENOMEM;
    for (uint32_t i = 0; i < count && !error; i++) {
        objects[i] = drm_syncobj_find(table, ((uint32_t *)handles)[i]);
        if (!objects[i])
            error = -ENOENT;
    }
    free(handles);
    if (error && objects)
        put_objects(objects, count);
    *objects_out = objects;
    return error;
}

/* ---- waiting ---- */

struct wait_item {
    struct drm_fence_callback callback;
    struct drm_syncobj_listener listener;
    struct wait *wait;
    struct drm_syncobj *object;
    struct drm_fence *fence; /* NULL until the point is submitted */
    uint64_t point;
    bool is_done;
    _Atomic bool has_news;
    struct wait_item *next_news;
};

/* A change of an item puts it into a list, and only those in it are looked at: a wait for a thousand signals is a
 * thousand looks. */
struct wait {
    struct drm_waiter waiter;
    uint32_t flags;
    struct wait_item *items;
    uint32_t count, done_count;
    uint32_t first; /* an item that is done; UINT32_MAX: none */
    _Atomic(struct wait_item *) news;
};

static void tell_news(struct wait_item *item)
{
    struct wait *wait = item->wait;
    if (!atomic_exchange(&item->has_news, true)) {
        item->next_news = atomic_load(&wait->news);
        while (!atomic_compare_exchange_weak(&wait->news, &item->next_news, item))
            ;
    }
    drm_waiter_wake(&wait->waiter);
}

static void item_signaled(struct drm_fence_callback *callback, struct drm_fence *fence)
{
    tell_news(container_of(callback, struct wait_item, callback));
}

static void item_heard(struct drm_syncobj_listener *listener)
{
    tell_news(container_of(listener, struct wait_item, listener));
}

/* Look for the item's fence if it has none, and whether it counts as done. 0 or -errno; no fence yet is no error. */
static int check_item(struct wait_item *item)
{
    struct wait *wait = item->wait;
    if (item->is_done)
        return 0;
    if (!item->fence) {
        int error = drm_syncobj_find_fence(item->object, item->point, &item->fence);
        if (error)
            return error == -EINVAL ? 0 : error;
        drm_syncobj_unlisten(item->object, &item->listener);
        drm_fence_add_callback(item->fence, &item->callback);
    }
    item->is_done = (wait->flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE) || drm_fence_is_signaled(item->fence);
    if (item->is_done) {
        const uint32_t number = (uint32_t)(item - wait->items);
        wait->first = number < wait->first ? number : wait->first;
        wait->done_count++;
    }
    return 0;
}

static bool wait_is_over(const struct wait *wait)
{
    return wait->done_count == wait->count || (wait->done_count && !(wait->flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL));
}

static int check_news(struct wait *wait)
{
    int error = 0;
    for (struct wait_item *item = atomic_exchange(&wait->news, NULL), *next; item; item = next) {
        next = item->next_news;
        atomic_store(&item->has_news, false); /* before the look: what comes later is news again */
        error = error ? error : check_item(item);
    }
    return error;
}

static int wait_items(struct wait *wait, int64_t deadline_ns)
{
    const uint32_t wait_for_submit = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE;
    int error = 0;
    for (uint32_t i = 0; i < wait->count && !error; i++)
        error = check_item(&wait->items[i]);
    /* A point without a fence is an error, not a wait, and one that is reported before anything else. */
    for (uint32_t i = 0; i < wait->count && !error && !(wait->flags & wait_for_submit); i++)
        error = wait->items[i].fence ? 0 : -EINVAL;
    if (error || wait_is_over(wait))
        return error;
    for (uint32_t i = 0; i < wait->count; i++) {
        if (!wait->items[i].fence) {
            drm_syncobj_listen(wait->items[i].object, &wait->items[i].listener);
            tell_news(&wait->items[i]); /* what came before it listened */
        }
    }
    for (bool in_time = true;;) {
        uint32_t seen = atomic_load_explicit(&wait->waiter.word, memory_order_acquire);
        error = check_news(wait);
        if (error || wait_is_over(wait))
            return error;
        if (!in_time)
            return -ETIME;
        in_time = drm_waiter_wait(&wait->waiter, seen, deadline_ns);
    }
}

static int wait_objects(struct drm_syncobj **objects, const uint64_t *points, uint32_t count, uint32_t flags,
                        int64_t deadline_ns, uint32_t *first_out)
{
    struct wait wait = {.flags = flags, .count = count, .first = UINT32_MAX};
    struct wait_item few[4], *items = count <= ARRAY_SIZE(few) ? few : calloc(count, sizeof(*items));
    if (!items)
        return -ENOMEM;
    wait.items = items;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t point = points ? points[i] : 0;
        items[i] = (struct wait_item){.callback.signaled = item_signaled,
                                      .listener = {.point = point, .heard = item_heard},
                                      .wait = &wait,
                                      .object = objects[i],
                                      .point = point};
        list_init(&items[i].callback.node);
        list_init(&items[i].listener.node);
    }
    int error = wait_items(&wait, deadline_ns);
    for (uint32_t i = 0; i < count; i++) {
        drm_syncobj_unlisten(objects[i], &items[i].listener);
        if (items[i].fence)
            drm_fence_remove_callback(items[i].fence, &items[i].callback);
        drm_fence_unref(items[i].fence);
    }
    if (items != few)
        free(items);
    *first_out = wait.first;
    return error;
}

int drm_syncobj_wait_ioctl(struct drm_syncobj_table *table, struct drm_syncobj_wait *args)
{
    if (args->flags & ~(DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT) ||
        args->count_handles == 0)
        return -EINVAL;
    struct drm_syncobj **objects;
    int error = find_objects(table, args->handles, args->count_handles, &objects);
    if (error)
        return error;
    uint32_t first = UINT32_MAX;
    error = wait_objects(objects, NULL, args->count_handles, args->flags, args->timeout_nsec, &first);
    if (!error)
        args->first_signaled = first;
    put_objects(objects, args->count_handles);
    return error;
}

int drm_syncobj_timeline_wait_ioctl(struct drm_syncobj_table *table, struct drm_syncobj_timeline_wait *args)
{
    if (args->flags & ~(DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT |
                        DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE) ||
        args->count_handles == 0)
        return -EINVAL;
    struct drm_syncobj **objects;
    void *points = NULL;
    int error = find_objects(table, args->handles, args->count_handles, &objects);
    if (error)
        return error;
    if (args->points)
        error = drm_copy_array_from_user(&points, args->points, args->count_handles, sizeof(uint64_t));
    uint32_t first = UINT32_MAX;
    if (!error)
        error = wait_objects(objects, points, args->count_handles, args->flags, args->timeout_nsec, &first);
    if (!error)
        args->first_signaled = first;
    free(points);
    put_objects(objects, args->count_handles);
    return error;
}

/* ---- signal, reset, query, transfer ---- */

static int replace_all(struct drm_syncobj_table *table, const struct drm_syncobj_array *args, struct drm_fence *fence)
{
    if (args->pad || args->count_handles == 0)
        return -EINVAL;
    struct drm_syncobj **objects;
    int error = find_objects(table, args->handles, args->count_handles, &objects);
    if (error)
        return error;
    for (uint32_t i = 0; i < args->count_handles && !error; i++)
        error = drm_syncobj_replace(objects[i], fence);
    put_objects(objects, args->count_handles);
    return error;
}

int drm_syncobj_reset_ioctl(struct drm_syncobj_table *table, struct drm_syncobj_array *args)
{
    return replace_all(table, args, NULL);
}

int drm_syncobj_signal_ioctl(struct drm_syncobj_table *table, struct drm_syncobj_array *args)
{
    return replace_all(table, args, drm_fence_stub());
}

int drm_syncobj_timeline_signal_ioctl(struct drm_syncobj_table *table, struct drm_syncobj_timeline_array *args)
{
    if (args->flags || args->count_handles == 0)
        return -EINVAL;
    struct drm_syncobj **objects;
    void *points = NULL;
    int error = find_objects(table, args->handles, args->count_handles, &objects);
    if (error)
        return error;
    if (args->points)
        error = drm_copy_array_from_user(&points, args->points, args->count_handles, sizeof(uint64_t));
    for (uint32_t i = 0; i < args->count_handles && !error; i++)
        error = drm_syncobj_add_point(objects[i], drm_fence_stub(), points ? ((uint64_t *)points)[i] : 0);
    free(points);
    put_objects(objects, args->count_handles);
    return error;
}

int drm_syncobj_query_ioctl(struct drm_syncobj_table *table, struct drm_syncobj_timeline_array *args)
{
    if (args->flags & ~DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED || args->count_handles == 0)
        return -EINVAL;
    struct drm_syncobj **objects;
    int error = find_objects(table, args->handles, args->count_handles, &objects);
    if (error)
        return error;
    for (uint32_t i = 0; i < args->count_handles && !error; i++) {
        uint64_t point = drm_syncobj_query(objects[i], args->flags & DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED);
        error = drm_copy_to_user(args->points + i * sizeof(point), &point, sizeof(point));
    }
    put_objects(objects, args->count_handles);
    return error;
}

/* The kernel waits five seconds for the point to be submitted. */
#define SUBMIT_TIMEOUT_NS 5000000000ll

int drm_syncobj_transfer_ioctl(struct drm_syncobj_table *table, struct drm_syncobj_transfer *args)
{
    if (args->pad)
        return -EINVAL;
    struct drm_syncobj *target = drm_syncobj_find(table, args->dst_handle);
    struct drm_syncobj *source = target ? drm_syncobj_find(table, args->src_handle) : NULL;
    struct drm_fence *fence = NULL;
    int error = -ENOENT;
    if (source && args->flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT)
        error = drm_syncobj_await_fence(source, args->src_point, drm_now_ns() + SUBMIT_TIMEOUT_NS, &fence);
    else if (source)
        error = drm_syncobj_find_fence(source, args->src_point, &fence);
    if (!error)
        error = args->dst_point ? drm_syncobj_add_point(target, fence, args->dst_point)
                                : drm_syncobj_replace(target, fence);
    drm_fence_unref(fence);
    drm_syncobj_unref(source);
    drm_syncobj_unref(target);
    return error;
}
