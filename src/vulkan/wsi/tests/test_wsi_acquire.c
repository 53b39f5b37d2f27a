/* Acquiring an image that the server has given back while its GPU still reads it: what the application gets are a
 * semaphore and a fence that signal when that has ended. The kernel is the test's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/drm/drm_fence.h"
#include "model/drm/drm_sync_file.h"
#include "util/bits.h"
#include "vulkan/runtime/device/vk_physical_device.h"
#include "vulkan/runtime/sync/tests/fake_gpu.h"
#include "vulkan/runtime/sync/vk_fence.h"
#include "vulkan/runtime/sync/vk_semaphore.h"
#include "vulkan/wsi/vk_wsi_entrypoints.h"
#include "vulkan/wsi/wsi_swapchain.h"

/* ---- the surroundings, faked ---- */

static int uses_fd = -1; /* readable when the server's GPU is done; -1: the kernel cannot report it */

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

struct fixture {
    struct fake_kernel kernel;
    struct vk_device device;
    struct wsi_swapchain swapchain;
    struct vk_semaphore semaphore;
    struct vk_fence fence;
};

static struct fixture *start_case(unsigned use)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    assert_non_null(fixture);
    fake_kernel_init(&fixture->kernel);
    fixture->device.alloc = vk_default_allocator;
    fixture->device.kernel_file = &fixture->kernel.file;
    list_init(&fixture->device.queues);
    fixture->swapchain.base.device = &fixture->device;
    fixture->swapchain.image_use = use;
    fixture->swapchain.image_count = 2;
    assert_true(wsi_queue_init(&fixture->swapchain.queue, 2));
    uses_fd = -1;
    used_count = 0;
    return fixture;
}

static void stop_case(struct fixture *fixture)
{
    vk_payload_slot_finish(&fixture->device, &fixture->semaphore.binary);
    vk_payload_slot_finish(&fixture->device, &fixture->fence.payload);
    wsi_queue_finish(&fixture->swapchain.queue);
    assert_int_equal(fixture->kernel.table.objects.count, 0);
    fake_kernel_finish(&fixture->kernel);
    free(fixture);
    if (uses_fd >= 0)
        close(uses_fd);
    uses_fd = -1;
}

/* The server's GPU is at work: a sync file of a fence that is not signalled. */
static struct drm_fence *start_use(void)
{
    struct drm_fence *fence = drm_fence_create();
    assert_non_null(fence);
    uses_fd = drm_sync_file_export(fence);
    assert_true(uses_fd >= 0);
    return fence;
}

static void end_use(struct drm_fence *fence)
{
    drm_fence_signal(fence, 0);
    drm_fence_unref(fence);
}

static VkResult acquire_image(struct fixture *fixture)
{
    uint32_t index;
    return vk_wsi_AcquireNextImageKHR(
        vk_device_to_handle(&fixture->device), wsi_swapchain_to_handle(&fixture->swapchain), 0,
        vk_semaphore_to_handle(&fixture->semaphore), vk_fence_to_handle(&fixture->fence), &index);
}

/* Both, at once. */
static bool is_signalled(struct fixture *fixture)
{
    struct vk_payload *payloads[] = {vk_payload_of(&fixture->semaphore.binary), vk_payload_of(&fixture->fence.payload)};
    for (unsigned i = 0; i < ARRAY_SIZE(payloads); i++) {
        struct vk_syncobj_point point;
        enum vk_payload_state state = vk_payload_look(payloads[i], &point);
        if (state == VK_PAYLOAD_IDLE ||
            (state == VK_PAYLOAD_WAITABLE && vk_syncobj_wait(&fixture->device, &point, 1, 0, 0, NULL) != VK_SUCCESS))
            return false;
    }
    return true;
}

static bool has_files(const struct fixture *fixture)
{
    return fixture->semaphore.binary.has_temporary && fixture->fence.payload.has_temporary;
}

/* ---- tests ---- */

static void a_gpu_that_still_reads_goes_into_semaphore_and_fence(void **state)
{
    struct fixture *fixture = start_case(WSI_IMAGE_SHARED);
    struct drm_fence *use = start_use();
    assert_int_equal(acquire_image(fixture), VK_SUCCESS); /* without waiting */
    assert_int_equal(used_count, 1);
    assert_true(has_files(fixture));
    assert_false(is_signalled(fixture));
    end_use(use);
    assert_true(is_signalled(fixture));
    stop_case(fixture);
}

static void an_idle_image_is_signalled_at_once(void **state)
{
    struct fixture *fixture = start_case(WSI_IMAGE_SHARED);
    end_use(start_use());
    assert_int_equal(acquire_image(fixture), VK_SUCCESS);
    assert_true(is_signalled(fixture) && !has_files(fixture));
    assert_int_equal(fixture->kernel.ioctls, 0);
    stop_case(fixture);
}

static void an_older_kernel_orders_the_work_itself(void **state)
{
    struct fixture *fixture = start_case(WSI_IMAGE_SHARED);
    assert_int_equal(acquire_image(fixture), VK_SUCCESS);
    assert_true(is_signalled(fixture));
    stop_case(fixture);
}

static void nothing_is_asked_about_a_copied_image(void **state)
{
    struct fixture *fixture = start_case(WSI_IMAGE_COPIED);
    struct drm_fence *use = start_use();
    assert_int_equal(acquire_image(fixture), VK_SUCCESS);
    assert_true(is_signalled(fixture));
    end_use(use);
    stop_case(fixture);
}

static void an_image_whose_acquire_fails_can_be_acquired_again(void **state)
{
    struct fixture *fixture = start_case(WSI_IMAGE_SHARED);
    struct drm_fence *use = start_use();
    fixture->kernel.refuses_files = true;
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(acquire_image(fixture), VK_ERROR_INVALID_EXTERNAL_HANDLE);
    fixture->kernel.refuses_files = false;
    assert_int_equal(acquire_image(fixture), VK_SUCCESS);
    end_use(use);
    stop_case(fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gpu_that_still_reads_goes_into_semaphore_and_fence),
        cmocka_unit_test(an_idle_image_is_signalled_at_once),
        cmocka_unit_test(an_older_kernel_orders_the_work_itself),
        cmocka_unit_test(nothing_is_asked_about_a_copied_image),
        cmocka_unit_test(an_image_whose_acquire_fails_can_be_acquired_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
