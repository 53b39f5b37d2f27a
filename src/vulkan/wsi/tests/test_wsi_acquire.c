/* Acquiring an image that the server has given back while its GPU still reads it: what the application gets are a
 * semaphore and a fence that signal when that has ended. The kernel's answer and the syncs are the test's. */
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/bits.h"
#include "vulkan/runtime/vk_fence.h"
#include "vulkan/runtime/vk_physical_device.h"
#include "vulkan/runtime/vk_semaphore.h"
#include "vulkan/wsi/vk_wsi_entrypoints.h"
#include "vulkan/wsi/wsi_swapchain.h"

/* ---- what stands around it ---- */

static int uses_fd = -1; /* readable when the server's GPU is done; -1: the kernel does not tell */

int wsi_image_export_uses(const struct wsi_image *image)
{
    return uses_fd < 0 ? -1 : dup(uses_fd);
}

VkResult wsi_image_record_copy(struct vk_device *device, VkCommandPool pool, const struct wsi_image *image,
                               VkExtent3D extent, VkCommandBuffer *commands_out)
{
    return VK_ERROR_FEATURE_NOT_PRESENT;
}

static uint32_t used_count;

void wsi_image_set_used(struct vk_device *device, const struct wsi_image *image, bool used)
{
    assert_true(used);
    used_count++;
}

/* A sync that keeps what it was told. */
struct told {
    struct vk_sync base;
    bool signalled;
    int fd; /* of what was imported; -1: nothing */
};

static bool import_fails;

static VkResult init(struct vk_device *device, struct vk_sync *sync, uint64_t initial)
{
    ((struct told *)sync)->fd = -1;
    return VK_SUCCESS;
}

static void finish(struct vk_device *device, struct vk_sync *sync)
{
    int fd = ((struct told *)sync)->fd;
    if (fd >= 0)
        close(fd);
}

static VkResult signal_sync(struct vk_device *device, struct vk_sync *sync, uint64_t value)
{
    ((struct told *)sync)->signalled = true;
    return VK_SUCCESS;
}

static VkResult import_sync_file(struct vk_device *device, struct vk_sync *sync, int fd)
{
    if (import_fails)
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    ((struct told *)sync)->fd = dup(fd);
    return VK_SUCCESS;
}

static const struct vk_sync_type with_files = {.name = "with sync files",
                                               .size_B = sizeof(struct told),
                                               .features = VK_SYNC_BINARY | VK_SYNC_CPU_SIGNAL,
                                               .init = init,
                                               .finish = finish,
                                               .signal = signal_sync,
                                               .import_sync_file = import_sync_file};
static const struct vk_sync_type without_files = {.name = "without",
                                                  .size_B = sizeof(struct told),
                                                  .features = VK_SYNC_BINARY | VK_SYNC_CPU_SIGNAL,
                                                  .init = init,
                                                  .finish = finish,
                                                  .signal = signal_sync};

struct fixture {
    struct vk_device device;
    struct wsi_swapchain swapchain;
    struct vk_semaphore *semaphore;
    struct vk_fence *fence;
};

static struct fixture *start(const struct vk_sync_type *type, unsigned use)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    fixture->semaphore = calloc(1, sizeof(*fixture->semaphore) + type->size_B);
    fixture->fence = calloc(1, sizeof(*fixture->fence) + type->size_B);
    assert_true(fixture && fixture->semaphore && fixture->fence);
    fixture->device.alloc = vk_default_allocator;
    list_init(&fixture->device.queues);
    assert_int_equal(vk_sync_init(&fixture->device, fixture->semaphore->permanent, type, 0, 0), VK_SUCCESS);
    assert_int_equal(vk_sync_init(&fixture->device, fixture->fence->permanent, type, 0, 0), VK_SUCCESS);
    fixture->swapchain.base.device = &fixture->device;
    fixture->swapchain.image_use = use;
    fixture->swapchain.image_count = 2;
    assert_true(wsi_queue_init(&fixture->swapchain.queue, 2));
    import_fails = false;
    uses_fd = -1;
    used_count = 0;
    return fixture;
}

static void stop(struct fixture *fixture)
{
    vk_sync_destroy(&fixture->device, fixture->semaphore->temporary);
    vk_sync_destroy(&fixture->device, fixture->fence->temporary);
    vk_sync_finish(&fixture->device, fixture->semaphore->permanent);
    vk_sync_finish(&fixture->device, fixture->fence->permanent);
    wsi_queue_finish(&fixture->swapchain.queue);
    free(fixture->semaphore);
    free(fixture->fence);
    free(fixture);
    if (uses_fd >= 0)
        close(uses_fd);
    uses_fd = -1;
}

static VkResult acquire(struct fixture *fixture)
{
    uint32_t index;
    return vk_wsi_AcquireNextImageKHR(
        vk_device_to_handle(&fixture->device), wsi_swapchain_to_handle(&fixture->swapchain), 0,
        vk_semaphore_to_handle(fixture->semaphore), vk_fence_to_handle(fixture->fence), &index);
}

/* Both, at once. */
static bool is_signalled(struct fixture *fixture)
{
    return ((struct told *)vk_semaphore_sync(fixture->semaphore))->signalled &&
           ((struct told *)vk_fence_sync(fixture->fence))->signalled;
}

static bool has_file(const struct vk_sync *sync)
{
    return sync && ((const struct told *)sync)->fd >= 0 && !((const struct told *)sync)->signalled;
}

/* ---- tests ---- */

static void a_gpu_that_still_reads_goes_into_semaphore_and_fence(void **state)
{
    struct fixture *fixture = start(&with_files, WSI_IMAGE_SHARED);
    uses_fd = eventfd(0, EFD_CLOEXEC);
    assert_int_equal(acquire(fixture), VK_SUCCESS); /* without waiting */
    assert_int_equal(used_count, 1);
    assert_true(has_file(fixture->semaphore->temporary) && has_file(fixture->fence->temporary));
    assert_false(is_signalled(fixture));
    /* It is the kernel's sync file that both have. */
    struct pollfd poll_fd = {.fd = ((struct told *)fixture->fence->temporary)->fd, .events = POLLIN};
    assert_int_equal(poll(&poll_fd, 1, 0), 0);
    eventfd_write(uses_fd, 1);
    assert_int_equal(poll(&poll_fd, 1, 1000), 1);
    stop(fixture);
}

static void an_idle_image_is_signalled_at_once(void **state)
{
    struct fixture *fixture = start(&with_files, WSI_IMAGE_SHARED);
    uses_fd = eventfd(1, EFD_CLOEXEC);
    assert_int_equal(acquire(fixture), VK_SUCCESS);
    assert_true(is_signalled(fixture) && !fixture->semaphore->temporary && !fixture->fence->temporary);
    stop(fixture);
}

static void an_older_kernel_orders_the_work_itself(void **state)
{
    struct fixture *fixture = start(&with_files, WSI_IMAGE_SHARED);
    assert_int_equal(acquire(fixture), VK_SUCCESS);
    assert_true(is_signalled(fixture));
    stop(fixture);
}

static void nobody_is_asked_about_a_copied_image(void **state)
{
    struct fixture *fixture = start(&with_files, WSI_IMAGE_COPIED);
    uses_fd = eventfd(0, EFD_CLOEXEC);
    assert_int_equal(acquire(fixture), VK_SUCCESS);
    assert_true(is_signalled(fixture));
    stop(fixture);
}

static void *end_use(void *argument)
{
    usleep(30000);
    eventfd_write(uses_fd, 1);
    return NULL;
}

static void syncs_that_know_no_sync_files_are_waited_for(void **state)
{
    struct fixture *fixture = start(&without_files, WSI_IMAGE_SHARED);
    uses_fd = eventfd(0, EFD_CLOEXEC);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, end_use, NULL), 0);
    assert_int_equal(acquire(fixture), VK_SUCCESS);
    assert_true(is_signalled(fixture));
    struct pollfd poll_fd = {.fd = uses_fd, .events = POLLIN};
    assert_int_equal(poll(&poll_fd, 1, 0), 1);
    pthread_join(thread, NULL);
    stop(fixture);
}

static void an_image_whose_acquire_fails_can_be_acquired_again(void **state)
{
    struct fixture *fixture = start(&with_files, WSI_IMAGE_SHARED);
    uses_fd = eventfd(0, EFD_CLOEXEC);
    import_fails = true;
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(acquire(fixture), VK_ERROR_INVALID_EXTERNAL_HANDLE);
    import_fails = false;
    assert_int_equal(acquire(fixture), VK_SUCCESS);
    stop(fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gpu_that_still_reads_goes_into_semaphore_and_fence),
        cmocka_unit_test(an_idle_image_is_signalled_at_once),
        cmocka_unit_test(an_older_kernel_orders_the_work_itself),
        cmocka_unit_test(nobody_is_asked_about_a_copied_image),
        cmocka_unit_test(syncs_that_know_no_sync_files_are_waited_for),
        cmocka_unit_test(an_image_whose_acquire_fails_can_be_acquired_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
