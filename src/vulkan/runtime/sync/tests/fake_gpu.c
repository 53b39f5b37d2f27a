/* A kernel of syncobjs and a GPU of threads. */
#include "vulkan/runtime/sync/tests/fake_gpu.h"

#include <drm.h>
#include <errno.h>
#include <stdlib.h>

#include "model/drm/drm_fence.h"
#include "util/bits.h"

/* cmocka's assertions jump, and only in the thread that runs the test; a submission may come from another. */
static void must_hold(bool condition)
{
    if (!condition)
        abort();
}

/* ---- the kernel ---- */

static int fd_to_handle(struct fake_kernel *kernel, struct drm_syncobj_handle *args)
{
    if ((args->flags & DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE) && kernel->refuses_files)
        return -EINVAL;
    return drm_syncobj_fd_to_handle_ioctl(&kernel->table, args);
}

static int ioctl(struct kernel_file *file, unsigned long request, void *argument)
{
    struct fake_kernel *kernel = container_of(file, struct fake_kernel, file);
    kernel->ioctls++;
    switch (request) {
    case DRM_IOCTL_GET_CAP:
        ((struct drm_get_cap *)argument)->value = 1;
        return 0;
    case DRM_IOCTL_SYNCOBJ_CREATE:
        return drm_syncobj_create_ioctl(&kernel->table, argument);
    case DRM_IOCTL_SYNCOBJ_DESTROY:
        return drm_syncobj_destroy_ioctl(&kernel->table, argument);
    case DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD:
        return drm_syncobj_handle_to_fd_ioctl(&kernel->table, argument);
    case DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE:
        return fd_to_handle(kernel, argument);
    case DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT:
        return drm_syncobj_timeline_wait_ioctl(&kernel->table, argument);
    case DRM_IOCTL_SYNCOBJ_RESET:
        return drm_syncobj_reset_ioctl(&kernel->table, argument);
    case DRM_IOCTL_SYNCOBJ_SIGNAL:
        return drm_syncobj_signal_ioctl(&kernel->table, argument);
    case DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL:
        return drm_syncobj_timeline_signal_ioctl(&kernel->table, argument);
    case DRM_IOCTL_SYNCOBJ_QUERY:
        return drm_syncobj_query_ioctl(&kernel->table, argument);
    case DRM_IOCTL_SYNCOBJ_TRANSFER:
        return drm_syncobj_transfer_ioctl(&kernel->table, argument);
    default:
        return -ENOTTY;
    }
}

void fake_kernel_init(struct fake_kernel *kernel)
{
    static const struct kernel_file_ops ops = {.ioctl = ioctl};
    kernel->file.ops = &ops;
    kernel->file.refs = 1;
    kernel->ioctls = 0;
    kernel->refuses_files = false;
    drm_syncobj_table_init(&kernel->table);
}

void fake_kernel_finish(struct fake_kernel *kernel)
{
    drm_syncobj_table_finish(&kernel->table);
}

/* ---- the GPU ---- */

struct job {
    struct list link;
    struct drm_fence *begin, *end;
};

static struct drm_fence *find_fence(struct fake_queue *queue, const struct vk_syncobj_point *point)
{
    struct drm_syncobj *object = drm_syncobj_find(&queue->kernel->table, point->handle);
    struct drm_fence *fence = NULL;
    must_hold(object && drm_syncobj_find_fence(object, point->value, &fence) == 0);
    drm_syncobj_unref(object);
    return fence;
}

VkResult fake_queue_submit(struct vk_queue *base, const struct vk_work *work)
{
    struct fake_queue *queue = container_of(base, struct fake_queue, vk);
    struct drm_fence *waits[16];
    if (queue->answer != VK_SUCCESS)
        return queue->answer;
    must_hold(work->wait_count <= ARRAY_SIZE(waits));
    for (uint32_t i = 0; i < work->wait_count; i++)
        waits[i] = find_fence(queue, &work->waits[i]);
    struct job *job = calloc(1, sizeof(*job));
    must_hold(job && (job->begin = drm_fence_all(waits, work->wait_count)) && (job->end = drm_fence_create()));
    for (uint32_t i = 0; i < work->wait_count; i++)
        drm_fence_unref(waits[i]);
    for (uint32_t i = 0; i < work->signal_count; i++) {
        struct drm_syncobj *object = drm_syncobj_find(&queue->kernel->table, work->signals[i].handle);
        must_hold(object != NULL);
        must_hold((work->signals[i].value ? drm_syncobj_add_point(object, job->end, work->signals[i].value)
                                          : drm_syncobj_replace(object, job->end)) == 0);
        drm_syncobj_unref(object);
    }
    queue->submitted++;
    pthread_mutex_lock(&queue->lock);
    list_push_back(&queue->jobs, &job->link);
    pthread_cond_signal(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    return VK_SUCCESS;
}

static void *run_jobs(void *argument)
{
    struct fake_queue *queue = argument;
    pthread_mutex_lock(&queue->lock);
    while (!queue->stops) {
        if (list_is_empty(&queue->jobs) || queue->is_paused) {
            pthread_cond_wait(&queue->changed, &queue->lock);
            continue;
        }
        struct job *job = container_of(queue->jobs.next, struct job, link);
        pthread_mutex_unlock(&queue->lock);
        bool is_ready = drm_fence_wait(job->begin, drm_now_ns() + 1000000);
        if (is_ready)
            drm_fence_signal(job->end, 0);
        pthread_mutex_lock(&queue->lock);
        if (is_ready) {
            list_remove(&job->link);
            drm_fence_unref(job->begin);
            drm_fence_unref(job->end);
            free(job);
        }
    }
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

void fake_queue_start(struct fake_queue *queue, struct fake_kernel *kernel)
{
    queue->kernel = kernel;
    queue->submitted = 0;
    queue->answer = VK_SUCCESS;
    queue->stops = queue->is_paused = false;
    list_init(&queue->jobs);
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->changed, NULL);
    must_hold(pthread_create(&queue->thread, NULL, run_jobs, queue) == 0);
}

void fake_queue_pause(struct fake_queue *queue, bool is_paused)
{
    pthread_mutex_lock(&queue->lock);
    queue->is_paused = is_paused;
    pthread_cond_signal(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
}

void fake_queue_stop(struct fake_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->stops = true;
    pthread_cond_signal(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    pthread_join(queue->thread, NULL);
    list_foreach (&queue->jobs, struct job, job, link) {
        drm_fence_signal(job->end, -ECANCELED);
        drm_fence_unref(job->begin);
        drm_fence_unref(job->end);
        free(job);
    }
    pthread_cond_destroy(&queue->changed);
    pthread_mutex_destroy(&queue->lock);
}
