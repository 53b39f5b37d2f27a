/* The thread of a swapchain that shares its images, with a server that the test plays: what it hands over when, and
 * when images and ids come back. Nothing is drawn: the test decides when drawing counts as done. */
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/bits.h"
#include "vulkan/runtime/sync/vk_time.h"
#include "vulkan/wsi/wsi_capture.h"
#include "vulkan/wsi/wsi_swapchain.h"

#define MS 1000000ull
#define PATIENCE_MS 60000 /* for what must come, on a loaded machine, too */

/* ---- the thread's surroundings, faked ---- */

static uint64_t captured;

void wsi_capture_frame(const void *pixels, uint32_t width, uint32_t height, VkFormat format)
{
    captured++;
}

static _Atomic bool kernel_takes_fences, is_drawn;
static _Atomic uint32_t told_count;

bool wsi_image_tell_drawn(struct vk_device *device, const struct wsi_image *image)
{
    told_count += kernel_takes_fences;
    return kernel_takes_fences;
}

static _Atomic uint32_t unused_count;

void wsi_image_set_used(struct vk_device *device, const struct wsi_image *image, bool used)
{
    assert_false(used);
    unused_count++;
}

static VKAPI_ATTR VkResult VKAPI_CALL wait_for_fences(VkDevice device, uint32_t count, const VkFence *fences,
                                                      VkBool32 all, uint64_t timeout_ns)
{
    if (!is_drawn)
        nanosleep(&(struct timespec){.tv_nsec = (long)timeout_ns}, NULL);
    return is_drawn ? VK_SUCCESS : VK_TIMEOUT;
}

/* ---- the server ---- */

struct server {
    struct wsi_presenter base;
    struct wsi_sink *sink;
    int wake_fd;
    pthread_mutex_t lock;
    /* Orders of the test, carried out by the thread. */
    uint32_t release_mask;
    uint32_t reach;
    VkResult fits;
    bool has_fits, is_lost, is_ready;
    /* Images that were handed over. */
    uint32_t images[64], count, at_once_count;
    VkPresentModeKHR mode;
};

static bool is_ready(struct wsi_presenter *base)
{
    struct server *server = (struct server *)base;
    pthread_mutex_lock(&server->lock);
    bool ready = server->is_ready;
    pthread_mutex_unlock(&server->lock);
    return ready;
}

static VkResult hand_over(struct wsi_presenter *base, uint32_t image, uint32_t serial, const VkRect2D *damage,
                          bool at_once)
{
    struct server *server = (struct server *)base;
    pthread_mutex_lock(&server->lock);
    server->images[server->count++] = image;
    server->at_once_count += at_once;
    server->mode = base->mode;
    VkResult result = server->is_lost ? VK_ERROR_SURFACE_LOST_KHR : VK_SUCCESS;
    pthread_mutex_unlock(&server->lock);
    return result;
}

static VkResult obey_server(struct server *server)
{
    pthread_mutex_lock(&server->lock);
    uint32_t mask = server->release_mask, reach = server->reach;
    bool has_fits = server->has_fits, is_lost = server->is_lost;
    server->release_mask = server->reach = 0;
    server->has_fits = false;
    pthread_mutex_unlock(&server->lock);
    for (uint32_t i = 0; i < 32; i++) {
        if (mask & 1u << i)
            server->sink->ops->released(server->sink, i);
    }
    if (reach)
        server->sink->ops->reached(server->sink, reach);
    if (has_fits)
        server->sink->ops->fits(server->sink, server->fits);
    return is_lost ? VK_ERROR_SURFACE_LOST_KHR : VK_SUCCESS;
}

static VkResult wait_server(struct wsi_presenter *base, struct pollfd *fds, uint32_t fd_count, uint64_t deadline_ns,
                            bool awaited)
{
    struct server *server = (struct server *)base;
    struct pollfd all[64] = {{.fd = server->wake_fd, .events = POLLIN}};
    for (uint32_t i = 0; i < fd_count; i++)
        all[1 + i] = fds[i];
    uint64_t now_ns = vk_time_now_ns();
    poll(all, 1 + fd_count, now_ns < deadline_ns ? (int)((deadline_ns - now_ns) / MS) : 0);
    for (uint32_t i = 0; i < fd_count; i++)
        fds[i].revents = all[1 + i].revents;
    eventfd_t value;
    if (all[0].revents)
        eventfd_read(server->wake_fd, &value);
    return obey_server(server);
}

static const struct wsi_presenter_ops server_ops = {.is_ready = is_ready, .hand_over = hand_over, .wait = wait_server};

#define ORDER(server, what)                                                                                            \
    do {                                                                                                               \
        pthread_mutex_lock(&(server)->lock);                                                                           \
        what;                                                                                                          \
        pthread_mutex_unlock(&(server)->lock);                                                                         \
        eventfd_write((server)->wake_fd, 1);                                                                           \
    } while (0)

static bool has_count(struct server *server, uint32_t count)
{
    pthread_mutex_lock(&server->lock);
    bool done = server->count >= count;
    pthread_mutex_unlock(&server->lock);
    return done;
}

static bool wait_count(struct server *server, uint32_t count)
{
    for (int i = 0; i < PATIENCE_MS; i++) {
        if (has_count(server, count))
            return true;
        nanosleep(&(struct timespec){.tv_nsec = MS}, NULL);
    }
    return false;
}

/* ---- a swapchain ---- */

struct fixture {
    struct vk_device device;
    struct wsi_swapchain swapchain;
    struct server server;
};

static struct fixture *start_case(uint32_t images)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    assert_non_null(fixture);
    struct wsi_swapchain *swapchain = &fixture->swapchain;
    struct server *server = &fixture->server;
    fixture->device.dispatch.WaitForFences = wait_for_fences;
    swapchain->base.device = &fixture->device;
    swapchain->image_use = WSI_IMAGE_SHARED;
    swapchain->image_count = images;
    swapchain->image_info.extent = (VkExtent3D){16, 16, 1};
    is_drawn = true;
    kernel_takes_fences = false;
    told_count = unused_count = 0;
    wsi_swapchain_init_sink(swapchain);
    server->base.ops = &server_ops;
    server->sink = &swapchain->sink;
    server->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    server->is_ready = true;
    pthread_mutex_init(&server->lock, NULL);
    swapchain->presenter = &server->base;
    assert_true(wsi_queue_init(&swapchain->queue, images) && wsi_queue_init_wake(&swapchain->queue));
    assert_int_equal(wsi_swapchain_start(swapchain), VK_SUCCESS);
    return fixture;
}

static void stop_case(struct fixture *fixture)
{
    wsi_swapchain_stop(&fixture->swapchain);
    wsi_queue_finish(&fixture->swapchain.queue);
    close(fixture->server.wake_fd);
    pthread_mutex_destroy(&fixture->server.lock);
    free(fixture);
}

static uint32_t present_frame(struct fixture *fixture, uint64_t id, VkPresentModeKHR mode)
{
    struct wsi_queue *queue = &fixture->swapchain.queue;
    uint32_t image;
    assert_true(wsi_queue_acquire(queue, PATIENCE_MS * MS, &image) >= 0);
    assert_true(wsi_queue_present(queue, &(struct wsi_frame){.image = image, .id = id, .mode = mode}) >= 0);
    return image;
}

/* ---- tests ---- */

static void an_image_comes_back_when_it_is_released(void **state)
{
    struct fixture *fixture = start_case(2);
    struct wsi_queue *queue = &fixture->swapchain.queue;
    uint32_t image;
    present_frame(fixture, 1, VK_PRESENT_MODE_FIFO_KHR);
    present_frame(fixture, 2, VK_PRESENT_MODE_FIFO_KHR);
    assert_true(wait_count(&fixture->server, 2));
    assert_int_equal(wsi_queue_acquire(queue, 20 * MS, &image), VK_TIMEOUT);
    ORDER(&fixture->server, fixture->server.release_mask = 1 << 1);
    assert_int_equal(wsi_queue_acquire(queue, PATIENCE_MS * MS, &image), VK_SUCCESS);
    assert_int_equal(image, 1);
    stop_case(fixture);
}

static void a_picture_is_handed_over_when_it_is_drawn(void **state)
{
    struct fixture *fixture = start_case(2);
    is_drawn = false;
    present_frame(fixture, 1, VK_PRESENT_MODE_FIFO_KHR);
    nanosleep(&(struct timespec){.tv_nsec = 20 * MS}, NULL);
    assert_false(has_count(&fixture->server, 1));
    assert_int_equal(unused_count, 0);
    is_drawn = true;
    assert_true(wait_count(&fixture->server, 1));
    assert_int_equal(told_count, 0);
    assert_int_equal(unused_count, 1);
    stop_case(fixture);
}

/* The kernel makes readers wait. */
static void a_picture_that_the_kernel_knows_of_is_handed_over_at_once(void **state)
{
    struct fixture *fixture = start_case(2);
    is_drawn = false;
    kernel_takes_fences = true;
    present_frame(fixture, 1, VK_PRESENT_MODE_FIFO_KHR);
    assert_true(wait_count(&fixture->server, 1));
    assert_int_equal(told_count, 1);
    assert_int_equal(unused_count, 1); /* what was submitted is with the kernel */
    stop_case(fixture);
}

static void a_captured_picture_is_drawn_whatever_the_kernel_knows(void **state)
{
    struct fixture *fixture = start_case(2);
    fixture->swapchain.image_use |= WSI_IMAGE_COPIED;
    is_drawn = false;
    kernel_takes_fences = true;
    present_frame(fixture, 1, VK_PRESENT_MODE_FIFO_KHR);
    nanosleep(&(struct timespec){.tv_nsec = 20 * MS}, NULL);
    assert_false(has_count(&fixture->server, 1));
    is_drawn = true;
    assert_true(wait_count(&fixture->server, 1));
    stop_case(fixture);
}

static void a_picture_waits_until_the_server_is_ready(void **state)
{
    struct fixture *fixture = start_case(3);
    struct server *server = &fixture->server;
    ORDER(server, server->is_ready = false);
    present_frame(fixture, 0, VK_PRESENT_MODE_FIFO_KHR);
    nanosleep(&(struct timespec){.tv_nsec = 20 * MS}, NULL);
    assert_int_equal(server->count, 0);
    ORDER(server, server->is_ready = true);
    assert_true(wait_count(server, 1));
    assert_int_equal(server->at_once_count, 0);
    stop_case(fixture);
}

static void the_mode_is_that_of_the_picture(void **state)
{
    struct fixture *fixture = start_case(3);
    struct server *server = &fixture->server;
    present_frame(fixture, 0, VK_PRESENT_MODE_FIFO_KHR);
    assert_true(wait_count(server, 1));
    assert_int_equal(server->mode, VK_PRESENT_MODE_FIFO_KHR);
    present_frame(fixture, 0, VK_PRESENT_MODE_MAILBOX_KHR);
    assert_true(wait_count(server, 2));
    assert_int_equal(server->mode, VK_PRESENT_MODE_MAILBOX_KHR);
    stop_case(fixture);
}

static void ids_are_reached_with_the_newest_picture(void **state)
{
    struct fixture *fixture = start_case(4);
    struct wsi_queue *queue = &fixture->swapchain.queue;
    for (uint64_t id = 10; id <= 30; id += 10)
        present_frame(fixture, id, VK_PRESENT_MODE_MAILBOX_KHR);
    assert_true(wait_count(&fixture->server, 3));
    assert_int_equal(wsi_queue_wait_shown(queue, 10, 0), VK_TIMEOUT);
    ORDER(&fixture->server, fixture->server.reach = 2); /* serials count from 1 */
    assert_int_equal(wsi_queue_wait_shown(queue, 20, PATIENCE_MS * MS), VK_SUCCESS);
    assert_int_equal(wsi_queue_wait_shown(queue, 30, 20 * MS), VK_TIMEOUT);
    ORDER(&fixture->server, fixture->server.reach = 3);
    assert_int_equal(wsi_queue_wait_shown(queue, 30, PATIENCE_MS * MS), VK_SUCCESS);
    assert_int_equal(wsi_queue_shown_count(queue), 3);
    stop_case(fixture);
}

static void how_well_it_fits_is_told_to_the_application(void **state)
{
    struct fixture *fixture = start_case(3);
    struct wsi_queue *queue = &fixture->swapchain.queue;
    ORDER(&fixture->server, fixture->server.has_fits = true; fixture->server.fits = VK_SUBOPTIMAL_KHR);
    for (int i = 0; i < PATIENCE_MS && wsi_queue_status(queue) == VK_SUCCESS; i++)
        nanosleep(&(struct timespec){.tv_nsec = MS}, NULL);
    uint32_t image;
    assert_int_equal(wsi_queue_acquire(queue, 0, &image), VK_SUBOPTIMAL_KHR);
    stop_case(fixture);
}

static void what_is_pending_at_the_end_is_handed_over(void **state)
{
    struct fixture *fixture = start_case(3);
    struct server *server = &fixture->server;
    ORDER(server, server->is_ready = false);
    uint64_t before = captured;
    for (int i = 0; i < 3; i++)
        present_frame(fixture, 0, VK_PRESENT_MODE_FIFO_KHR);
    uint64_t begun_ns = vk_time_now_ns();
    wsi_swapchain_stop(&fixture->swapchain);
    assert_true(vk_time_now_ns() - begun_ns < PATIENCE_MS * MS); /* a server that reports nothing is not waited for */
    assert_int_equal(server->count, 3);
    assert_int_equal(server->at_once_count, 3);
    assert_int_equal(captured - before, 3);
    assert_int_equal(wsi_queue_shown_count(&fixture->swapchain.queue), 3);
    stop_case(fixture);
}

static void a_lost_server_ends_every_wait(void **state)
{
    struct fixture *fixture = start_case(2);
    struct wsi_queue *queue = &fixture->swapchain.queue;
    uint32_t image;
    present_frame(fixture, 5, VK_PRESENT_MODE_FIFO_KHR);
    uint32_t mine;
    assert_int_equal(wsi_queue_acquire(queue, 0, &mine), VK_SUCCESS);
    assert_true(wait_count(&fixture->server, 1));
    ORDER(&fixture->server, fixture->server.is_lost = true);
    assert_int_equal(wsi_queue_acquire(queue, PATIENCE_MS * MS, &image), VK_ERROR_SURFACE_LOST_KHR);
    assert_int_equal(wsi_queue_wait_shown(queue, 5, PATIENCE_MS * MS), VK_ERROR_SURFACE_LOST_KHR);
    /* A frame that is presented after that is taken, and no server is asked to show it. */
    assert_int_equal(wsi_queue_present(queue, &(struct wsi_frame){.image = mine}), VK_ERROR_SURFACE_LOST_KHR);
    stop_case(fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_image_comes_back_when_it_is_released),
        cmocka_unit_test(a_picture_is_handed_over_when_it_is_drawn),
        cmocka_unit_test(a_picture_that_the_kernel_knows_of_is_handed_over_at_once),
        cmocka_unit_test(a_captured_picture_is_drawn_whatever_the_kernel_knows),
        cmocka_unit_test(a_picture_waits_until_the_server_is_ready),
        cmocka_unit_test(the_mode_is_that_of_the_picture),
        cmocka_unit_test(ids_are_reached_with_the_newest_picture),
        cmocka_unit_test(how_well_it_fits_is_told_to_the_application),
        cmocka_unit_test(what_is_pending_at_the_end_is_handed_over),
        cmocka_unit_test(a_lost_server_ends_every_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
