/* Held submissions. */
#include "vulkan/runtime/sync/vk_held.h"

#include <errno.h>
#include <signal.h>

#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/sync/vk_submit.h"
#include "vulkan/runtime/sync/vk_time.h"

enum {
    MAX_WATCHED = 64
};

/* The lock detects its own holder: the driver's submission, called with it held, may lose the device. */
void vk_held_init(struct vk_device *device)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&device->held.lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

VkResult vk_held_start(struct vk_device *device)
{
    return device->held.news.syncobj ? VK_SUCCESS : vk_timeline_init(device, &device->held.news, 0);
}

/* With the lock, so that the values come in their order. */
static void post_news(struct vk_device *device)
{
    vk_timeline_signal(device, &device->held.news, atomic_load(&device->held.news.submitted) + 1);
}

void vk_held_post_news(struct vk_device *device)
{
    int error = pthread_mutex_lock(&device->held.lock);
    if (device->held.news.syncobj)
        post_news(device);
    if (!error)
        pthread_mutex_unlock(&device->held.lock);
}

void vk_held_finish(struct vk_device *device)
{
    struct vk_held *held = &device->held;
    if (held->has_watcher) {
        pthread_mutex_lock(&held->lock);
        held->stops = true;
        post_news(device);
        pthread_mutex_unlock(&held->lock);
        pthread_join(held->watcher, NULL);
    }
    vk_timeline_finish(device, &held->news);
    pthread_mutex_destroy(&held->lock);
}

/* ---- with the lock ---- */

static struct vk_submission *oldest(struct vk_queue *queue)
{
    return list_is_empty(&queue->held) ? NULL : container_of(queue->held.next, struct vk_submission, link);
}

static void remove_submission(struct vk_queue *queue, struct vk_submission *submission)
{
    struct vk_device *device = queue->base.device;
    list_remove(&submission->link);
    atomic_fetch_sub(&device->held.count, 1);
    vk_submission_destroy(device, submission);
    atomic_fetch_sub(&queue->held_count, 1); /* last: now the queue's user may submit at once */
}

static void give_up(struct vk_device *device)
{
    list_foreach (&device->queues, struct vk_queue, queue, link) {
        for (struct vk_submission *submission; (submission = oldest(queue));) {
            vk_submission_signal_all(device, submission);
            remove_submission(queue, submission);
        }
    }
}

static bool release_queue(struct vk_queue *queue)
{
    struct vk_device *device = queue->base.device;
    bool progress = false;
    for (struct vk_submission *submission; (submission = oldest(queue)) && !vk_device_is_lost(device);) {
        VkResult result = vk_submission_prepare(device, submission, NULL);
        if (result == VK_NOT_READY)
            break;
        if (result == VK_SUCCESS)
            result = vk_submission_run(queue, submission);
        /* Its command has returned long ago, so the error can only be reported as a lost device. */
        if (result != VK_SUCCESS)
            vk_device_set_lost(device, "a submission that was held failed: %d", result);
        else
            remove_submission(queue, submission);
        progress = true;
    }
    return progress;
}

/* One queue's submission can be what another's waits for: until nothing moves. */
static void release_all(struct vk_device *device)
{
    bool progress = true, moved = false;
    while (progress && !vk_device_is_lost(device)) {
        progress = false;
        list_foreach (&device->queues, struct vk_queue, queue, link)
            progress |= release_queue(queue);
        moved |= progress;
    }
    if (vk_device_is_lost(device))
        give_up(device);
    if (moved && device->held.has_watcher)
        post_news(device);
}

/* ---- the watcher ---- */

static bool is_outside(const struct vk_need *need)
{
    return need->point.timeline ? need->point.timeline->is_shared : need->source && !need->is_taken;
}

/* For each queue the need that its oldest submission is held for, if others can meet it; and the news. 0 when something
 * has just become ready. */
static uint32_t find_watched(struct vk_device *device, struct vk_syncobj_point *points, bool *complete_out)
{
    uint32_t count = 0;
    points[count++] =
        vk_point_in_kernel((struct vk_point){&device->held.news, atomic_load(&device->held.news.submitted) + 1});
    *complete_out = true;
    list_foreach (&device->queues, struct vk_queue, queue, link) {
        struct vk_submission *submission = oldest(queue);
        struct vk_need *need = NULL;
        if (!submission)
            continue;
        if (vk_submission_prepare(device, submission, &need) != VK_NOT_READY)
            return 0;
        if (!is_outside(need))
            continue;
        if (count == MAX_WATCHED)
            *complete_out = false;
        else
            points[count++] =
                need->point.timeline ? vk_point_in_kernel(need->point) : (struct vk_syncobj_point){need->source, 0};
    }
    return count;
}

static void *watch_queue(void *argument)
{
    struct vk_device *device = argument;
    struct vk_held *held = &device->held;
    pthread_mutex_lock(&held->lock);
    while (!held->stops && !vk_device_is_lost(device)) {
        struct vk_syncobj_point points[MAX_WATCHED];
        bool is_complete;
        release_all(device);
        uint32_t count = find_watched(device, points, &is_complete);
        if (count == 0)
            continue;
        pthread_mutex_unlock(&held->lock);
        vk_syncobj_wait(device, points, count, VK_SYNCOBJ_WAIT_ANY | VK_SYNCOBJ_WAIT_SUBMITTED,
                        is_complete ? VK_TIME_NEVER_NS : vk_time_deadline_ns(10000000), NULL);
        pthread_mutex_lock(&held->lock);
    }
    pthread_mutex_unlock(&held->lock);
    return NULL;
}

/* Signals belong to the application's threads. */
static VkResult start_watcher(struct vk_device *device)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&device->held.watcher, NULL, watch_queue, device);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    device->held.has_watcher = true;
    return VK_SUCCESS;
}

/* ---- from outside ---- */

void vk_held_enter(struct vk_queue *queue)
{
    struct vk_device *device = queue->base.device;
    pthread_mutex_lock(&device->held.lock);
    list_push_back(&device->queues, &queue->link);
    pthread_mutex_unlock(&device->held.lock);
}

void vk_held_leave(struct vk_queue *queue)
{
    struct vk_device *device = queue->base.device;
    pthread_mutex_lock(&device->held.lock);
    for (struct vk_submission *submission; (submission = oldest(queue));)
        remove_submission(queue, submission);
    list_remove(&queue->link);
    if (device->held.has_watcher)
        post_news(device);
    pthread_mutex_unlock(&device->held.lock);
}

static bool has_outside_need(const struct vk_submission *submission)
{
    for (uint32_t i = 0; i < submission->need_count; i++) {
        if (is_outside(&submission->needs[i]))
            return true;
    }
    return false;
}

VkResult vk_held_prepare(struct vk_device *device, const struct vk_submission *submission)
{
    VkResult result = VK_SUCCESS;
    pthread_mutex_lock(&device->held.lock);
    if (has_outside_need(submission) && !device->held.has_watcher)
        result = start_watcher(device);
    pthread_mutex_unlock(&device->held.lock);
    return result;
}

void vk_held_add(struct vk_queue *queue, struct vk_submission *submission)
{
    struct vk_device *device = queue->base.device;
    pthread_mutex_lock(&device->held.lock);
    atomic_fetch_add(&queue->held_count, 1);
    list_push_back(&queue->held, &submission->link);
    /* From here on a thread that signals sees the count. What was signalled before, we must see. */
    atomic_fetch_add(&device->held.count, 1);
    if (device->held.has_watcher)
        post_news(device);
    release_all(device);
    pthread_mutex_unlock(&device->held.lock);
}

void vk_held_release_all(struct vk_device *device)
{
    pthread_mutex_lock(&device->held.lock);
    release_all(device);
    pthread_mutex_unlock(&device->held.lock);
}

void vk_held_give_up(struct vk_device *device)
{
    int error = pthread_mutex_lock(&device->held.lock);
    if (device->held.news.syncobj)
        post_news(device);
    if (error) /* EDEADLK: release_all is at work, in this thread */
        return;
    give_up(device);
    pthread_mutex_unlock(&device->held.lock);
}
