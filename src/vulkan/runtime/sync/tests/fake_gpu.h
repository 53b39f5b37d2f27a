/* A kernel and a GPU for the tests of fences, semaphores and queues: the ioctls of syncobjs as a real kernel answers
 * them (model/drm), and queues that do nothing but wait, signal and count. A submission that waits for what has no
 * fence ends the program: no kernel would have taken it. */
#ifndef VULKAN_RUNTIME_TESTS_FAKE_GPU_H
#define VULKAN_RUNTIME_TESTS_FAKE_GPU_H

#include <pthread.h>

#include "kernel/kernel.h"
#include "model/drm/drm_syncobj.h"
#include "vulkan/runtime/sync/vk_queue.h"

/* An open file of its own table of syncobjs: two of them are as two processes, or two devices. */
struct fake_kernel {
    struct kernel_file file;
    struct drm_syncobj_table table;
    _Atomic unsigned ioctls;    /* that came */
    _Atomic bool refuses_files; /* no sync file can be imported */
};

void fake_kernel_init(struct fake_kernel *kernel);
void fake_kernel_finish(struct fake_kernel *kernel);

struct fake_queue {
    struct vk_queue vk;
    struct fake_kernel *kernel;
    _Atomic unsigned submitted; /* works that came */
    _Atomic VkResult answer;    /* of the next submissions */

    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct list jobs;
    bool stops, is_paused; /* a paused GPU begins nothing */
};

VkResult fake_queue_submit(struct vk_queue *queue, const struct vk_work *work);
/* Around vk_queue_init and vk_queue_finish, which are the caller's. A job that is still waiting is given up. */
void fake_queue_start(struct fake_queue *queue, struct fake_kernel *kernel);
void fake_queue_stop(struct fake_queue *queue);
void fake_queue_pause(struct fake_queue *queue, bool is_paused);

#endif
