/* The images of a swapchain and their owners: free, the application's, or on their way to the screen. Knows neither
 * images nor screens, so that its rules can be tested alone. All functions may be called from any thread; what the
 * specification asks the application to synchronise is synchronised here, too. */
#ifndef VULKAN_WSI_WSI_QUEUE_H
#define VULKAN_WSI_WSI_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "vulkan/runtime/object/vk_api.h"

enum {
    WSI_MAX_IMAGES = 16
};

enum wsi_image_state {
    WSI_IMAGE_FREE,
    WSI_IMAGE_ACQUIRED, /* the application's */
    WSI_IMAGE_QUEUED,   /* presented, not taken yet */
    WSI_IMAGE_TAKEN,    /* the presenter's, or the server's that it was handed to */
};

struct wsi_frame {
    uint32_t image;
    uint64_t id; /* VkPresentIdKHR's; 0: none */
    VkPresentModeKHR mode;
    VkRect2D damage; /* outside of it nothing differs from the frame before */
};

/* A ring of at most one entry for each image. */
struct wsi_ring {
    struct wsi_frame frames[WSI_MAX_IMAGES];
    uint32_t first, count;
};

struct wsi_queue {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* of CLOCK_MONOTONIC; anything below */
    uint32_t image_count;
    enum wsi_image_state states[WSI_MAX_IMAGES];
    struct wsi_ring free;    /* the one that has been free for longest comes first */
    struct wsi_ring pending; /* in the order of presentation */
    VkResult status;         /* VK_SUCCESS, VK_SUBOPTIMAL_KHR, or the error that stays */
    uint64_t shown_id;
    uint64_t shown_count;
    uint32_t waiting; /* threads that wait for an image or for an id */
    bool retired, stopped;
    int wake_fd; /* an eventfd, or -1 */
};

bool wsi_queue_init(struct wsi_queue *queue, uint32_t image_count);

/* For a presenter that has other things to wait for than this queue: `wake_fd` becomes readable when a frame is
 * presented, when a thread begins to wait or would have to, and when the queue is retired or stopped. False: the system
 * has no more fds.
 */
bool wsi_queue_init_wake(struct wsi_queue *queue);
void wsi_queue_finish(struct wsi_queue *queue);

/* vkAcquireNextImageKHR: VK_NOT_READY for a timeout of 0, VK_TIMEOUT for another; VK_SUBOPTIMAL_KHR with an image. A
 * swapchain that was retired or has lost its surface gives none away. */
VkResult wsi_queue_acquire(struct wsi_queue *queue, uint64_t timeout_ns, uint32_t *image_out);

/* Back from the application, unpresented: what acquired it could not be finished, or it has no use for it. */
void wsi_queue_unacquire(struct wsi_queue *queue, uint32_t image);

/* vkQueuePresentKHR: the image is the presenter's now, even where nothing can be shown any more, for it waits for what
 * the GPU still does with it. Returns the swapchain's state. */
VkResult wsi_queue_present(struct wsi_queue *queue, const struct wsi_frame *frame);

/* For the presenter: the next frame, or false when the queue was stopped and nothing is left. Blocks. */
bool wsi_queue_take(struct wsi_queue *queue, struct wsi_frame *frame_out);

/* The next frame without waiting: false where there is none now. */
bool wsi_queue_try_take(struct wsi_queue *queue, struct wsi_frame *frame_out);

/* The frame that waits after the one that was taken, and stays there; false where there is none. */
bool wsi_queue_peek(struct wsi_queue *queue, struct wsi_frame *frame_out);

/* Some thread waits for an image or for an id. */
bool wsi_queue_is_awaited(struct wsi_queue *queue);

/* Stopped, and nothing is left to take. */
bool wsi_queue_is_over(struct wsi_queue *queue);

/* The wake-up of the presenter has been seen. */
void wsi_queue_clear_wake(struct wsi_queue *queue);

/* No more frames will come than are there: there is no need to wait for the screen's timing. */
bool wsi_queue_is_ending(struct wsi_queue *queue);

/* The presenter is done with a frame: shown with VK_SUCCESS or VK_SUBOPTIMAL_KHR, or not, because of an error. Its
 * image is free. */
void wsi_queue_shown(struct wsi_queue *queue, const struct wsi_frame *frame, VkResult result);

/* The end of a frame in two steps, where a server reads the image itself: first the frame is on the screen or has
 * made way for a newer one, or the server has it and more will not be known; then, at any time, the image comes
 * back. */
void wsi_queue_reached(struct wsi_queue *queue, uint64_t id);
void wsi_queue_released(struct wsi_queue *queue, uint32_t image);

/* The result of the application's calls from now on: VK_SUCCESS, VK_SUBOPTIMAL_KHR, or an error, which stays. */
void wsi_queue_set_status(struct wsi_queue *queue, VkResult status);

/* The frame makes way for a newer one (VK_PRESENT_MODE_MAILBOX_KHR). */
void wsi_queue_dropped(struct wsi_queue *queue, const struct wsi_frame *frame);

/* vkWaitForPresentKHR. */
VkResult wsi_queue_wait_shown(struct wsi_queue *queue, uint64_t id, uint64_t timeout_ns);

VkResult wsi_queue_status(struct wsi_queue *queue);
uint64_t wsi_queue_shown_count(struct wsi_queue *queue);

/* Another swapchain has the surface from now on: no image can be acquired any more, acquired ones may be presented. */
void wsi_queue_retire(struct wsi_queue *queue);

/* The presenter ends when it has shown what is pending. */
void wsi_queue_stop(struct wsi_queue *queue);

#endif
