/* One lock and one condition: frames come sixty times in a second, not a million times. */
#include "vulkan/wsi/wsi_queue.h"

#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "vulkan/runtime/sync/vk_time.h"

static void push_frame(struct wsi_ring *ring, struct wsi_frame frame)
{
    ring->frames[(ring->first + ring->count++) % WSI_MAX_IMAGES] = frame;
}

static struct wsi_frame pop_frame(struct wsi_ring *ring)
{
    struct wsi_frame frame = ring->frames[ring->first];
    ring->first = (ring->first + 1) % WSI_MAX_IMAGES;
    ring->count--;
    return frame;
}

bool wsi_queue_init(struct wsi_queue *queue, uint32_t image_count)
{
    memset(queue, 0, sizeof(*queue));
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    int error = pthread_cond_init(&queue->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (error)
        return false;
    pthread_mutex_init(&queue->lock, NULL);
    queue->image_count = image_count;
    queue->wake_fd = -1;
    for (uint32_t i = 0; i < image_count; i++)
        push_frame(&queue->free, (struct wsi_frame){.image = i});
    return true;
}

bool wsi_queue_init_wake(struct wsi_queue *queue)
{
    queue->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return queue->wake_fd >= 0;
}

void wsi_queue_finish(struct wsi_queue *queue)
{
    if (queue->wake_fd >= 0)
        close(queue->wake_fd);
    pthread_cond_destroy(&queue->changed);
    pthread_mutex_destroy(&queue->lock);
}

static void wake_queue(const struct wsi_queue *queue)
{
    if (queue->wake_fd >= 0)
        eventfd_write(queue->wake_fd, 1); /* full is also readable */
}

/* With the lock held: false when the time is over. */
static bool wait_changed(struct wsi_queue *queue, uint64_t deadline_ns)
{
    struct timespec until = {.tv_sec = (time_t)(deadline_ns / 1000000000u),
                             .tv_nsec = (long)(deadline_ns % 1000000000u)};
    if (deadline_ns == 0) {
        wake_queue(queue); /* a thread that polls counts as waiting, too */
        return false;
    }
    if (queue->waiting++ == 0)
        wake_queue(queue);
    bool in_time = pthread_cond_timedwait(&queue->changed, &queue->lock, &until) == 0;
    queue->waiting--;
    return in_time;
}

static void make_free(struct wsi_queue *queue, uint32_t image)
{
    queue->states[image] = WSI_IMAGE_FREE;
    push_frame(&queue->free, (struct wsi_frame){.image = image});
    pthread_cond_broadcast(&queue->changed);
}

/* The result that every call of the application returns, or VK_SUCCESS. */
static VkResult refusal(const struct wsi_queue *queue)
{
    if (queue->status < 0)
        return queue->status;
    return queue->retired ? VK_ERROR_OUT_OF_DATE_KHR : VK_SUCCESS;
}

VkResult wsi_queue_acquire(struct wsi_queue *queue, uint64_t timeout_ns, uint32_t *image_out)
{
    uint64_t deadline_ns = vk_time_deadline_ns(timeout_ns);
    pthread_mutex_lock(&queue->lock);
    VkResult result;
    while ((result = refusal(queue)) == VK_SUCCESS && queue->free.count == 0) {
        if (wait_changed(queue, deadline_ns))
            continue;
        /* The last moment counts: what came with it is not lost. */
        if (refusal(queue) == VK_SUCCESS && queue->free.count == 0) {
            result = timeout_ns ? VK_TIMEOUT : VK_NOT_READY;
            break;
        }
    }
    if (result == VK_SUCCESS) {
        *image_out = pop_frame(&queue->free).image;
        queue->states[*image_out] = WSI_IMAGE_ACQUIRED;
        result = queue->status;
    }
    pthread_mutex_unlock(&queue->lock);
    return result;
}

void wsi_queue_unacquire(struct wsi_queue *queue, uint32_t image)
{
    pthread_mutex_lock(&queue->lock);
    if (queue->states[image] == WSI_IMAGE_ACQUIRED)
        make_free(queue, image);
    pthread_mutex_unlock(&queue->lock);
}

VkResult wsi_queue_present(struct wsi_queue *queue, const struct wsi_frame *frame)
{
    pthread_mutex_lock(&queue->lock);
    VkResult result = queue->status;
    if (queue->states[frame->image] != WSI_IMAGE_ACQUIRED) {
        result = VK_ERROR_OUT_OF_DATE_KHR; /* the application's error: it presents what it does not have */
    } else {
        queue->states[frame->image] = WSI_IMAGE_QUEUED;
        push_frame(&queue->pending, *frame);
        pthread_cond_broadcast(&queue->changed);
        wake_queue(queue);
    }
    pthread_mutex_unlock(&queue->lock);
    return result;
}

/* With the lock held. */
static bool take_first(struct wsi_queue *queue, struct wsi_frame *frame_out)
{
    if (queue->pending.count == 0)
        return false;
    *frame_out = pop_frame(&queue->pending);
    queue->states[frame_out->image] = WSI_IMAGE_TAKEN;
    return true;
}

bool wsi_queue_take(struct wsi_queue *queue, struct wsi_frame *frame_out)
{
    pthread_mutex_lock(&queue->lock);
    while (queue->pending.count == 0 && !queue->stopped)
        pthread_cond_wait(&queue->changed, &queue->lock);
    bool found = take_first(queue, frame_out);
    pthread_mutex_unlock(&queue->lock);
    return found;
}

bool wsi_queue_try_take(struct wsi_queue *queue, struct wsi_frame *frame_out)
{
    pthread_mutex_lock(&queue->lock);
    bool found = take_first(queue, frame_out);
    pthread_mutex_unlock(&queue->lock);
    return found;
}

bool wsi_queue_peek(struct wsi_queue *queue, struct wsi_frame *frame_out)
{
    pthread_mutex_lock(&queue->lock);
    bool found = queue->pending.count > 0;
    if (found)
        *frame_out = queue->pending.frames[queue->pending.first];
    pthread_mutex_unlock(&queue->lock);
    return found;
}

bool wsi_queue_is_awaited(struct wsi_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    bool awaited = queue->waiting > 0;
    pthread_mutex_unlock(&queue->lock);
    return awaited;
}

bool wsi_queue_is_over(struct wsi_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    bool over = queue->stopped && queue->pending.count == 0;
    pthread_mutex_unlock(&queue->lock);
    return over;
}

void wsi_queue_clear_wake(struct wsi_queue *queue)
{
    eventfd_t value;
    eventfd_read(queue->wake_fd, &value);
}

bool wsi_queue_is_ending(struct wsi_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    bool ending = queue->stopped || queue->retired || queue->status < 0;
    pthread_mutex_unlock(&queue->lock);
    return ending;
}

/* With the lock held, each of these. */
static void set_status(struct wsi_queue *queue, VkResult status)
{
    if (queue->status < 0)
        return;
    queue->status = status;
    if (status < 0)
        pthread_cond_broadcast(&queue->changed);
}

static void reach_id(struct wsi_queue *queue, uint64_t id)
{
    queue->shown_count++;
    if (id > queue->shown_id)
        queue->shown_id = id;
    pthread_cond_broadcast(&queue->changed);
}

void wsi_queue_shown(struct wsi_queue *queue, const struct wsi_frame *frame, VkResult result)
{
    pthread_mutex_lock(&queue->lock);
    set_status(queue, result);
    if (result >= 0)
        reach_id(queue, frame->id);
    make_free(queue, frame->image);
    pthread_mutex_unlock(&queue->lock);
}

void wsi_queue_reached(struct wsi_queue *queue, uint64_t id)
{
    pthread_mutex_lock(&queue->lock);
    reach_id(queue, id);
    pthread_mutex_unlock(&queue->lock);
}

void wsi_queue_released(struct wsi_queue *queue, uint32_t image)
{
    pthread_mutex_lock(&queue->lock);
    if (queue->states[image] == WSI_IMAGE_TAKEN) /* a server may report it twice */
        make_free(queue, image);
    pthread_mutex_unlock(&queue->lock);
}

void wsi_queue_set_status(struct wsi_queue *queue, VkResult status)
{
    pthread_mutex_lock(&queue->lock);
    set_status(queue, status);
    pthread_mutex_unlock(&queue->lock);
}

void wsi_queue_dropped(struct wsi_queue *queue, const struct wsi_frame *frame)
{
    pthread_mutex_lock(&queue->lock);
    make_free(queue, frame->image);
    pthread_mutex_unlock(&queue->lock);
}

VkResult wsi_queue_wait_shown(struct wsi_queue *queue, uint64_t id, uint64_t timeout_ns)
{
    uint64_t deadline_ns = vk_time_deadline_ns(timeout_ns);
    pthread_mutex_lock(&queue->lock);
    VkResult result = VK_SUCCESS;
    bool in_time = true;
    /* A retired swapchain still shows what it was given. */
    while (queue->shown_id < id && queue->status >= 0 && in_time)
        in_time = wait_changed(queue, deadline_ns);
    if (queue->shown_id < id)
        result = queue->status < 0 ? queue->status : VK_TIMEOUT;
    else
        result = queue->status < 0 ? VK_SUCCESS : queue->status;
    pthread_mutex_unlock(&queue->lock);
    return result;
}

VkResult wsi_queue_status(struct wsi_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    VkResult status = queue->status;
    pthread_mutex_unlock(&queue->lock);
    return status;
}

uint64_t wsi_queue_shown_count(struct wsi_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    uint64_t count = queue->shown_count;
    pthread_mutex_unlock(&queue->lock);
    return count;
}

void wsi_queue_retire(struct wsi_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->retired = true;
    pthread_cond_broadcast(&queue->changed);
    wake_queue(queue);
    pthread_mutex_unlock(&queue->lock);
}

void wsi_queue_stop(struct wsi_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->stopped = true;
    pthread_cond_broadcast(&queue->changed);
    wake_queue(queue);
    pthread_mutex_unlock(&queue->lock);
}
