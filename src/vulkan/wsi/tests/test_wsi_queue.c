/* The queue of a swapchain's images, with a presenter that the test plays itself: which image is handed out when, what
 * a time-out means, what remains after a window has gone; and the clock that stands for a vertical blank. */
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "vulkan/runtime/sync/vk_time.h"
#include "vulkan/wsi/wsi_queue.h"
#include "vulkan/wsi/wsi_window.h"

#define MS 1000000ull

static uint32_t acquire_image(struct wsi_queue *queue)
{
    uint32_t image = 99;
    assert_int_equal(wsi_queue_acquire(queue, 0, &image), VK_SUCCESS);
    return image;
}

static VkResult present_image(struct wsi_queue *queue, uint32_t image, uint64_t id)
{
    return wsi_queue_present(queue, &(struct wsi_frame){.image = image, .id = id});
}

static struct wsi_frame take_frame(struct wsi_queue *queue)
{
    struct wsi_frame frame = {.image = 99, .id = 99};
    assert_true(wsi_queue_take(queue, &frame));
    return frame;
}

static void images_go_around_in_order(void **state)
{
    struct wsi_queue queue;
    assert_true(wsi_queue_init(&queue, 3));
    for (uint32_t i = 0; i < 10; i++) {
        assert_int_equal(acquire_image(&queue), i % 3);
        assert_int_equal(present_image(&queue, i % 3, 0), VK_SUCCESS);
        struct wsi_frame frame = take_frame(&queue);
        assert_int_equal(frame.image, i % 3);
        wsi_queue_shown(&queue, &frame, VK_SUCCESS);
    }
    assert_int_equal(wsi_queue_shown_count(&queue), 10);
    wsi_queue_finish(&queue);
}

static void frames_are_shown_in_the_order_of_presentation(void **state)
{
    struct wsi_queue queue;
    assert_true(wsi_queue_init(&queue, 3));
    for (uint32_t i = 0; i < 3; i++)
        acquire_image(&queue);
    static const uint32_t order[] = {2, 0, 1};
    for (uint32_t i = 0; i < 3; i++)
        present_image(&queue, order[i], 0);
    for (uint32_t i = 0; i < 3; i++) {
        struct wsi_frame frame = take_frame(&queue);
        assert_int_equal(frame.image, order[i]);
        struct wsi_frame next;
        assert_int_equal(wsi_queue_peek(&queue, &next), i < 2);
        wsi_queue_shown(&queue, &frame, VK_SUCCESS);
    }
    wsi_queue_finish(&queue);
}

static void no_image_is_not_ready_or_a_timeout(void **state)
{
    struct wsi_queue queue;
    assert_true(wsi_queue_init(&queue, 2));
    acquire_image(&queue);
    acquire_image(&queue);
    uint32_t image = 77;
    assert_int_equal(wsi_queue_acquire(&queue, 0, &image), VK_NOT_READY);
    uint64_t before_ns = vk_time_now_ns();
    assert_int_equal(wsi_queue_acquire(&queue, 30 * MS, &image), VK_TIMEOUT);
    uint64_t waited_ns = vk_time_now_ns() - before_ns;
    assert_true(waited_ns >= 30 * MS);
    assert_int_equal(image, 77);
    wsi_queue_unacquire(&queue, 1);
    assert_int_equal(acquire_image(&queue), 1);
    wsi_queue_finish(&queue);
}

/* A presenter that shows each frame after a while. */
static void *slow_presenter(void *argument)
{
    struct wsi_queue *queue = argument;
    struct wsi_frame frame;
    while (wsi_queue_take(queue, &frame)) {
        nanosleep(&(struct timespec){.tv_nsec = 5 * MS}, NULL);
        wsi_queue_shown(queue, &frame, VK_SUCCESS);
    }
    return NULL;
}

static void acquire_waits_for_the_presenter(void **state)
{
    struct wsi_queue queue;
    pthread_t thread;
    assert_true(wsi_queue_init(&queue, 2));
    pthread_create(&thread, NULL, slow_presenter, &queue);
    for (uint64_t i = 1; i <= 20; i++) {
        uint32_t image;
        assert_int_equal(wsi_queue_acquire(&queue, UINT64_MAX, &image), VK_SUCCESS);
        assert_int_equal(present_image(&queue, image, i), VK_SUCCESS);
    }
    assert_int_equal(wsi_queue_wait_shown(&queue, 20, UINT64_MAX), VK_SUCCESS);
    wsi_queue_stop(&queue);
    pthread_join(thread, NULL);
    assert_int_equal(wsi_queue_shown_count(&queue), 20);
    wsi_queue_finish(&queue);
}

static void what_is_pending_is_shown_before_the_end(void **state)
{
    struct wsi_queue queue;
    pthread_t thread;
    assert_true(wsi_queue_init(&queue, 4));
    for (uint32_t i = 0; i < 4; i++)
        present_image(&queue, acquire_image(&queue), 0);
    wsi_queue_stop(&queue);
    assert_true(wsi_queue_is_ending(&queue));
    pthread_create(&thread, NULL, slow_presenter, &queue);
    pthread_join(thread, NULL);
    assert_int_equal(wsi_queue_shown_count(&queue), 4);
    wsi_queue_finish(&queue);
}

static void *acquire_for_ever(void *argument)
{
    uint32_t image;
    return (void *)(intptr_t)wsi_queue_acquire(argument, UINT64_MAX, &image);
}

static void a_lost_window_ends_every_wait(void **state)
{
    struct wsi_queue queue;
    pthread_t thread;
    assert_true(wsi_queue_init(&queue, 2));
    acquire_image(&queue);
    acquire_image(&queue);
    assert_int_equal(present_image(&queue, 0, 5), VK_SUCCESS);
    struct wsi_frame frame = take_frame(&queue);
    pthread_create(&thread, NULL, acquire_for_ever, &queue);
    nanosleep(&(struct timespec){.tv_nsec = 10 * MS}, NULL);
    wsi_queue_shown(&queue, &frame, VK_ERROR_SURFACE_LOST_KHR);
    void *result;
    pthread_join(thread, &result);
    assert_int_equal((intptr_t)result, VK_ERROR_SURFACE_LOST_KHR);
    assert_int_equal(wsi_queue_wait_shown(&queue, 5, UINT64_MAX), VK_ERROR_SURFACE_LOST_KHR);
    /* The error stays, and what is presented still comes back from the presenter. */
    assert_int_equal(present_image(&queue, 1, 6), VK_ERROR_SURFACE_LOST_KHR);
    frame = take_frame(&queue);
    assert_int_equal(frame.image, 1);
    wsi_queue_shown(&queue, &frame, VK_SUCCESS);
    uint32_t image;
    assert_int_equal(wsi_queue_acquire(&queue, UINT64_MAX, &image), VK_ERROR_SURFACE_LOST_KHR);
    assert_int_equal(wsi_queue_status(&queue), VK_ERROR_SURFACE_LOST_KHR);
    wsi_queue_finish(&queue);
}

static void suboptimal_comes_and_goes(void **state)
{
    struct wsi_queue queue;
    uint32_t image;
    assert_true(wsi_queue_init(&queue, 2));
    assert_int_equal(present_image(&queue, acquire_image(&queue), 0), VK_SUCCESS);
    struct wsi_frame frame = take_frame(&queue);
    wsi_queue_shown(&queue, &frame, VK_SUBOPTIMAL_KHR);
    assert_int_equal(wsi_queue_acquire(&queue, 0, &image), VK_SUBOPTIMAL_KHR);
    assert_int_equal(image, 1);
    assert_int_equal(present_image(&queue, image, 0), VK_SUBOPTIMAL_KHR);
    frame = take_frame(&queue);
    wsi_queue_shown(&queue, &frame, VK_SUCCESS);
    assert_int_equal(acquire_image(&queue), 0);
    wsi_queue_finish(&queue);
}

static void a_retired_swapchain_presents_and_acquires_nothing(void **state)
{
    struct wsi_queue queue;
    uint32_t image;
    assert_true(wsi_queue_init(&queue, 3));
    acquire_image(&queue);
    wsi_queue_retire(&queue);
    assert_int_equal(wsi_queue_acquire(&queue, UINT64_MAX, &image), VK_ERROR_OUT_OF_DATE_KHR);
    assert_int_equal(present_image(&queue, 0, 3), VK_SUCCESS);
    struct wsi_frame frame = take_frame(&queue);
    assert_int_equal(wsi_queue_wait_shown(&queue, 3, 0), VK_TIMEOUT);
    wsi_queue_shown(&queue, &frame, VK_SUCCESS);
    assert_int_equal(wsi_queue_wait_shown(&queue, 3, 0), VK_SUCCESS);
    assert_int_equal(wsi_queue_wait_shown(&queue, 2, 0), VK_SUCCESS);
    wsi_queue_finish(&queue);
}

static void a_dropped_frame_is_reached_with_the_next_one(void **state)
{
    struct wsi_queue queue;
    assert_true(wsi_queue_init(&queue, 3));
    present_image(&queue, acquire_image(&queue), 1);
    present_image(&queue, acquire_image(&queue), 2);
    struct wsi_frame frame = take_frame(&queue);
    struct wsi_frame next;
    assert_true(wsi_queue_peek(&queue, &next));
    assert_int_equal(next.id, 2);
    wsi_queue_dropped(&queue, &frame);
    assert_int_equal(wsi_queue_wait_shown(&queue, 1, 0), VK_TIMEOUT);
    frame = take_frame(&queue);
    wsi_queue_shown(&queue, &frame, VK_SUCCESS);
    assert_int_equal(wsi_queue_wait_shown(&queue, 1, 0), VK_SUCCESS);
    assert_int_equal(wsi_queue_shown_count(&queue), 1);
    wsi_queue_finish(&queue);
}

static void an_image_that_the_server_reads_comes_back_later(void **state)
{
    struct wsi_queue queue;
    uint32_t image;
    assert_true(wsi_queue_init(&queue, 2));
    present_image(&queue, acquire_image(&queue), 7);
    present_image(&queue, acquire_image(&queue), 8);
    struct wsi_frame first = take_frame(&queue), second = take_frame(&queue);
    /* On the screen, and still read: its id is reached, and it is not free. */
    wsi_queue_reached(&queue, first.id);
    assert_int_equal(wsi_queue_wait_shown(&queue, 7, 0), VK_SUCCESS);
    assert_int_equal(wsi_queue_acquire(&queue, 0, &image), VK_NOT_READY);
    wsi_queue_released(&queue, first.image);
    wsi_queue_released(&queue, first.image); /* said twice */
    assert_int_equal(acquire_image(&queue), first.image);
    assert_int_equal(wsi_queue_acquire(&queue, 0, &image), VK_NOT_READY);
    /* The other order: back before the server has said that it was shown. */
    wsi_queue_released(&queue, second.image);
    assert_int_equal(acquire_image(&queue), second.image);
    assert_int_equal(wsi_queue_wait_shown(&queue, 8, 0), VK_TIMEOUT);
    wsi_queue_reached(&queue, second.id);
    assert_int_equal(wsi_queue_wait_shown(&queue, 8, 0), VK_SUCCESS);
    assert_int_equal(wsi_queue_shown_count(&queue), 2);
    wsi_queue_finish(&queue);
}

static void a_server_can_change_its_mind(void **state)
{
    struct wsi_queue queue;
    uint32_t image;
    assert_true(wsi_queue_init(&queue, 3));
    wsi_queue_set_status(&queue, VK_SUBOPTIMAL_KHR);
    assert_int_equal(wsi_queue_acquire(&queue, 0, &image), VK_SUBOPTIMAL_KHR);
    wsi_queue_set_status(&queue, VK_SUCCESS);
    assert_int_equal(present_image(&queue, image, 0), VK_SUCCESS);
    wsi_queue_set_status(&queue, VK_ERROR_SURFACE_LOST_KHR);
    wsi_queue_set_status(&queue, VK_SUCCESS);
    assert_int_equal(wsi_queue_status(&queue), VK_ERROR_SURFACE_LOST_KHR);
    wsi_queue_finish(&queue);
}

static bool is_awake(struct wsi_queue *queue)
{
    struct pollfd fd = {.fd = queue->wake_fd, .events = POLLIN};
    bool awake = poll(&fd, 1, 0) > 0;
    wsi_queue_clear_wake(queue);
    return awake;
}

static void a_presenter_is_woken_by_what_concerns_it(void **state)
{
    struct wsi_queue queue;
    pthread_t thread;
    void *result;
    assert_true(wsi_queue_init(&queue, 1) && wsi_queue_init_wake(&queue));
    assert_false(is_awake(&queue));
    uint32_t image = acquire_image(&queue);
    assert_false(is_awake(&queue));
    assert_false(wsi_queue_is_awaited(&queue));
    uint32_t none;
    assert_int_equal(wsi_queue_acquire(&queue, 0, &none), VK_NOT_READY);
    assert_true(is_awake(&queue));
    /* A thread waits for an image. */
    pthread_create(&thread, NULL, acquire_for_ever, &queue);
    while (!wsi_queue_is_awaited(&queue))
        nanosleep(&(struct timespec){.tv_nsec = MS}, NULL);
    assert_true(is_awake(&queue));
    present_image(&queue, image, 0);
    assert_true(is_awake(&queue));
    take_frame(&queue);
    wsi_queue_released(&queue, image);
    pthread_join(thread, &result);
    assert_int_equal((intptr_t)result, VK_SUCCESS);
    assert_false(wsi_queue_is_awaited(&queue));
    wsi_queue_clear_wake(&queue);
    wsi_queue_retire(&queue);
    assert_true(is_awake(&queue));
    assert_false(wsi_queue_is_over(&queue));
    present_image(&queue, image, 0);
    wsi_queue_stop(&queue);
    assert_true(is_awake(&queue));
    assert_false(wsi_queue_is_over(&queue)); /* one is left */
    take_frame(&queue);
    assert_true(wsi_queue_is_over(&queue));
    wsi_queue_finish(&queue);
}

static void what_is_not_acquired_cannot_be_presented(void **state)
{
    struct wsi_queue queue;
    assert_true(wsi_queue_init(&queue, 2));
    assert_int_equal(present_image(&queue, 1, 0), VK_ERROR_OUT_OF_DATE_KHR);
    struct wsi_frame frame;
    assert_false(wsi_queue_try_take(&queue, &frame));
    wsi_queue_finish(&queue);
}

static void fifo_waits_for_the_next_tick(void **state)
{
    const uint64_t period_ns = 1000000000u / 60;
    struct wsi_pacer pacer = {VK_PRESENT_MODE_FIFO_KHR, 1000, 0};
    assert_int_equal(wsi_pacer_next_ns(&pacer, 5000), 5000); /* the first one waits for nothing */
    pacer.last_ns = 5000;
    assert_int_equal(wsi_pacer_next_ns(&pacer, 6000), 1000 + period_ns);
    /* Too late for the tick: the next one. */
    assert_int_equal(wsi_pacer_next_ns(&pacer, 1000 + period_ns + 7), 1000 + 2 * period_ns);
    pacer.mode = VK_PRESENT_MODE_FIFO_RELAXED_KHR;
    assert_int_equal(wsi_pacer_next_ns(&pacer, 6000), 1000 + period_ns);
    assert_int_equal(wsi_pacer_next_ns(&pacer, 1000 + period_ns + 7), 1000 + period_ns + 7);
    pacer.mode = VK_PRESENT_MODE_IMMEDIATE_KHR;
    assert_int_equal(wsi_pacer_next_ns(&pacer, 6000), 6000);
}

static void alpha_is_set_only_where_asked_for(void **state)
{
    const uint32_t in[2] = {0x00112233, 0x80445566};
    uint32_t out[2];
    wsi_copy_pixels(out, in, 2, false);
    assert_int_equal(out[1], 0x80445566);
    wsi_copy_pixels(out, in, 2, true);
    assert_int_equal(out[0], 0xff112233);
    assert_int_equal(out[1], 0xff445566);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images_go_around_in_order),
        cmocka_unit_test(frames_are_shown_in_the_order_of_presentation),
        cmocka_unit_test(no_image_is_not_ready_or_a_timeout),
        cmocka_unit_test(acquire_waits_for_the_presenter),
        cmocka_unit_test(what_is_pending_is_shown_before_the_end),
        cmocka_unit_test(a_lost_window_ends_every_wait),
        cmocka_unit_test(suboptimal_comes_and_goes),
        cmocka_unit_test(a_retired_swapchain_presents_and_acquires_nothing),
        cmocka_unit_test(a_dropped_frame_is_reached_with_the_next_one),
        cmocka_unit_test(an_image_that_the_server_reads_comes_back_later),
        cmocka_unit_test(a_server_can_change_its_mind),
        cmocka_unit_test(a_presenter_is_woken_by_what_concerns_it),
        cmocka_unit_test(what_is_not_acquired_cannot_be_presented),
        cmocka_unit_test(fifo_waits_for_the_next_tick),
        cmocka_unit_test(alpha_is_set_only_where_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
