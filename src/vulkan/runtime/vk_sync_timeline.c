/* Timeline over binary. */
#include "vulkan/runtime/vk_sync_timeline.h"

#include <errno.h>
#include <time.h>

#include "vulkan/runtime/vk_device.h"

static const struct vk_sync_type *binary_type(const struct vk_sync_timeline *timeline)
{
    return ((const struct vk_sync_timeline_type *)timeline->base.type)->binary;
}

static VkResult init(struct vk_device *device, struct vk_sync *sync, uint64_t initial)
{
    struct vk_sync_timeline *timeline = (struct vk_sync_timeline *)sync;
    pthread_condattr_t attributes;
    if (pthread_mutex_init(&timeline->lock, NULL))
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    int error = pthread_cond_init(&timeline->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    if (error) {
        pthread_mutex_destroy(&timeline->lock);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    timeline->reached = timeline->pending = initial;
    list_init(&timeline->points);
    list_init(&timeline->free_points);
    return VK_SUCCESS;
}

static void free_point(struct vk_device *device, struct vk_sync_timeline_point *point)
{
    vk_sync_finish(device, point->sync);
    vk_free(&device->alloc, NULL, point);
}

static void finish(struct vk_device *device, struct vk_sync *sync)
{
    struct vk_sync_timeline *timeline = (struct vk_sync_timeline *)sync;
    list_foreach (&timeline->points, struct vk_sync_timeline_point, point, link)
        free_point(device, point);
    list_foreach (&timeline->free_points, struct vk_sync_timeline_point, point, link)
        free_point(device, point);
    pthread_cond_destroy(&timeline->changed);
    pthread_mutex_destroy(&timeline->lock);
}

/* With the lock held: a point that nobody uses any more. */
static void retire(struct vk_sync_timeline *timeline, struct vk_sync_timeline_point *point)
{
    list_remove(&point->link);
    point->installed = false;
    if (!point->users)
        list_push_back(&timeline->free_points, &point->link);
}

/* With the lock held: everything up to `value` is done, whoever found out. */
static void reach(struct vk_sync_timeline *timeline, uint64_t value)
{
    if (value > timeline->reached)
        timeline->reached = value;
    if (value > timeline->pending)
        timeline->pending = value;
    list_foreach (&timeline->points, struct vk_sync_timeline_point, point, link) {
        if (point->value <= timeline->reached)
            retire(timeline, point);
    }
    pthread_cond_broadcast(&timeline->changed);
}

/* With the lock held: ask the binary syncs how far the device has come. Queues differ, so a later point may be done
 * before an earlier one. */
static VkResult look(struct vk_device *device, struct vk_sync_timeline *timeline)
{
    uint64_t highest = timeline->reached;
    list_foreach (&timeline->points, struct vk_sync_timeline_point, point, link) {
        VkResult result = vk_sync_wait(device, point->sync, 0, VK_SYNC_WAIT_COMPLETE, 0);
        if (result != VK_SUCCESS && result != VK_TIMEOUT)
            return result;
        if (result == VK_SUCCESS)
            highest = point->value;
    }
    if (highest > timeline->reached)
        reach(timeline, highest);
    return VK_SUCCESS;
}

static VkResult signal(struct vk_device *device, struct vk_sync *sync, uint64_t value)
{
    struct vk_sync_timeline *timeline = (struct vk_sync_timeline *)sync;
    pthread_mutex_lock(&timeline->lock);
    reach(timeline, value);
    pthread_mutex_unlock(&timeline->lock);
    return VK_SUCCESS;
}

static VkResult get_value(struct vk_device *device, struct vk_sync *sync, uint64_t *value_out)
{
    struct vk_sync_timeline *timeline = (struct vk_sync_timeline *)sync;
    pthread_mutex_lock(&timeline->lock);
    VkResult result = look(device, timeline);
    *value_out = timeline->reached;
    pthread_mutex_unlock(&timeline->lock);
    return result;
}

/* With the lock held, until the value is at least pending. */
static VkResult wait_pending(struct vk_sync_timeline *timeline, uint64_t value, uint64_t deadline_ns)
{
    while (timeline->pending < value) {
        struct timespec until = {.tv_sec = (time_t)(deadline_ns / 1000000000u),
                                 .tv_nsec = (long)(deadline_ns % 1000000000u)};
        if (deadline_ns == 0 || pthread_cond_timedwait(&timeline->changed, &timeline->lock, &until) == ETIMEDOUT)
            return timeline->pending < value ? VK_TIMEOUT : VK_SUCCESS;
    }
    return VK_SUCCESS;
}

static struct vk_sync_timeline_point *find_point(struct vk_sync_timeline *timeline, uint64_t value)
{
    list_foreach (&timeline->points, struct vk_sync_timeline_point, point, link) {
        if (point->value >= value)
            return point;
    }
    return NULL;
}

static void drop_user(struct vk_sync_timeline *timeline, struct vk_sync_timeline_point *point)
{
    if (--point->users == 0 && !point->installed)
        list_push_back(&timeline->free_points, &point->link);
}

static VkResult wait_one(struct vk_device *device, struct vk_sync_timeline *timeline, uint64_t value, uint32_t flags,
                         uint64_t deadline_ns)
{
    pthread_mutex_lock(&timeline->lock);
    VkResult result = wait_pending(timeline, value, deadline_ns);
    while (result == VK_SUCCESS && !(flags & VK_SYNC_WAIT_FOR_PENDING) && timeline->reached < value) {
        struct vk_sync_timeline_point *point = find_point(timeline, value);
        if (!point)
            break; /* retired meanwhile */
        point->users++;
        pthread_mutex_unlock(&timeline->lock);
        result = vk_sync_wait(device, point->sync, 0, VK_SYNC_WAIT_COMPLETE, deadline_ns);
        pthread_mutex_lock(&timeline->lock);
        if (result == VK_SUCCESS)
            reach(timeline, point->value);
        drop_user(timeline, point);
    }
    pthread_mutex_unlock(&timeline->lock);
    return result;
}

static VkResult wait_many(struct vk_device *device, uint32_t count, const struct vk_sync_wait *waits, uint32_t flags,
                          uint64_t deadline_ns)
{
    for (uint32_t i = 0; i < count; i++) {
        VkResult result =
            wait_one(device, (struct vk_sync_timeline *)waits[i].sync, waits[i].value, flags, deadline_ns);
        if (result != VK_SUCCESS)
            return result;
    }
    return VK_SUCCESS;
}

bool vk_sync_timeline_type_init(struct vk_sync_timeline_type *type_out, const struct vk_sync_type *binary)
{
    const uint32_t needed =
        VK_SYNC_BINARY | VK_SYNC_GPU_WAIT | VK_SYNC_GPU_MULTI_WAIT | VK_SYNC_CPU_WAIT | VK_SYNC_CPU_RESET;
    if ((binary->features & needed) != needed)
        return false;
    type_out->binary = binary;
    type_out->base = (struct vk_sync_type){
        .name = "timeline over binary",
        .size_B = sizeof(struct vk_sync_timeline),
        .features = VK_SYNC_TIMELINE | VK_SYNC_GPU_WAIT | VK_SYNC_GPU_MULTI_WAIT | VK_SYNC_CPU_WAIT |
                    VK_SYNC_CPU_SIGNAL | VK_SYNC_WAIT_PENDING,
        .init = init,
        .finish = finish,
        .signal = signal,
        .get_value = get_value,
        .wait_many = wait_many,
    };
    return true;
}

struct vk_sync_timeline *vk_sync_as_timeline(struct vk_sync *sync)
{
    return sync->type->init == init ? (struct vk_sync_timeline *)sync : NULL;
}

VkResult vk_sync_timeline_alloc_point(struct vk_device *device, struct vk_sync_timeline *timeline, uint64_t value,
                                      struct vk_sync_timeline_point **point_out)
{
    struct vk_sync_timeline_point *point = NULL;
    pthread_mutex_lock(&timeline->lock);
    if (!list_is_empty(&timeline->free_points)) {
        point = container_of(timeline->free_points.next, struct vk_sync_timeline_point, link);
        list_remove(&point->link);
    }
    pthread_mutex_unlock(&timeline->lock);
    VkResult result;
    if (point) {
        result = vk_sync_reset(device, point->sync);
        if (result != VK_SUCCESS) {
            free_point(device, point);
            return result;
        }
    } else {
        const struct vk_sync_type *type = binary_type(timeline);
        point = vk_zalloc(&device->alloc, NULL, sizeof(*point) + type->size_B, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
        if (!point)
            return VK_ERROR_OUT_OF_HOST_MEMORY;
        result = vk_sync_init(device, point->sync, type, 0, 0);
        if (result != VK_SUCCESS) {
            vk_free(&device->alloc, NULL, point);
            return result;
        }
        list_init(&point->link);
    }
    point->timeline = timeline;
    point->value = value;
    point->users = 1; /* the submission, until it installs or releases the point */
    point->installed = false;
    *point_out = point;
    return VK_SUCCESS;
}

VkResult vk_sync_timeline_install(struct vk_device *device, struct vk_sync_timeline_point *point)
{
    struct vk_sync_timeline *timeline = point->timeline;
    pthread_mutex_lock(&timeline->lock);
    struct list *place = &timeline->points;
    list_foreach (&timeline->points, struct vk_sync_timeline_point, other, link) {
        if (other->value > point->value)
            break;
        place = &other->link;
    }
    list_insert_after(place, &point->link);
    point->installed = true;
    point->users--;
    if (point->value > timeline->pending)
        timeline->pending = point->value;
    pthread_cond_broadcast(&timeline->changed);
    VkResult result = look(device, timeline);
    pthread_mutex_unlock(&timeline->lock);
    return result;
}

VkResult vk_sync_timeline_get_point(struct vk_device *device, struct vk_sync_timeline *timeline, uint64_t value,
                                    struct vk_sync_timeline_point **point_out)
{
    *point_out = NULL;
    pthread_mutex_lock(&timeline->lock);
    VkResult result = look(device, timeline);
    if (result == VK_SUCCESS && timeline->reached < value) {
        *point_out = find_point(timeline, value);
        if (*point_out)
            (*point_out)->users++;
        else
            result = VK_NOT_READY;
    }
    pthread_mutex_unlock(&timeline->lock);
    return result;
}

void vk_sync_timeline_release(struct vk_device *device, struct vk_sync_timeline_point *point)
{
    struct vk_sync_timeline *timeline = point->timeline;
    pthread_mutex_lock(&timeline->lock);
    drop_user(timeline, point);
    pthread_mutex_unlock(&timeline->lock);
}
