/* Command buffers and what their pool lends them while they are recorded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "vulkan/runtime/command/vk_command_buffer.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"

/* ---- a device with memory that runs out ---- */

static bool has_memory;
static int alive;

static VKAPI_ATTR void *VKAPI_CALL allocate_memory(void *user, size_t size_B, size_t align_B,
                                                   VkSystemAllocationScope scope)
{
    alive += has_memory;
    return has_memory ? malloc(size_B) : NULL;
}

static VKAPI_ATTR void VKAPI_CALL release_memory(void *user, void *memory)
{
    alive -= memory != NULL;
    free(memory);
}

static VkResult init_command_buffer(struct vk_command_buffer *command_buffer)
{
    return VK_SUCCESS;
}

static void finish_command_buffer(struct vk_command_buffer *command_buffer)
{
}

static void reset_command_buffer(struct vk_command_buffer *command_buffer, bool is_released)
{
}

struct larger {
    struct vk_recording vk;
    uint32_t word; /* zero at first, and no one else's */
};

static const struct vk_command_buffer_ops ops = {.size_B = sizeof(struct vk_command_buffer),
                                                 .recording_size_B = sizeof(struct larger),
                                                 .init = init_command_buffer,
                                                 .finish = finish_command_buffer,
                                                 .reset = reset_command_buffer};

#define COUNT 3
static struct vk_device device;
static VkCommandPool pool;
static VkCommandBuffer handles[COUNT];
static struct vk_command_buffer *buffers[COUNT];

static int set_up(void **state)
{
    (void)state;
    has_memory = true;
    device = (struct vk_device){.alloc = {.pfnAllocation = allocate_memory, .pfnFree = release_memory},
                                .command_buffer_ops = &ops};
    const VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    if (vk_common_CreateCommandPool(vk_device_to_handle(&device), &info, NULL, &pool) != VK_SUCCESS)
        return -1;
    const VkCommandBufferAllocateInfo buffer_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                     .commandPool = pool,
                                                     .commandBufferCount = COUNT};
    if (vk_common_AllocateCommandBuffers(vk_device_to_handle(&device), &buffer_info, handles) != VK_SUCCESS)
        return -1;
    for (int i = 0; i < COUNT; i++)
        buffers[i] = vk_command_buffer_from_handle(handles[i]);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    vk_common_DestroyCommandPool(vk_device_to_handle(&device), pool, NULL);
    return alive == 0 ? 0 : -1;
}

static VkResult begin_command_buffer(int i)
{
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    return vk_command_buffer_begin(buffers[i], &info);
}

/* ---- cases ---- */

static void one_after_the_other_share_what_is_lent(void **state)
{
    (void)state;
    assert_null(buffers[0]->rec);
    assert_int_equal(begin_command_buffer(0), VK_SUCCESS);
    struct vk_recording *first = buffers[0]->rec;
    assert_non_null(first);
    assert_int_equal(((struct larger *)first)->word, 0);
    first->bindings[VK_BIND_COMPUTE].valid = first->bindings[VK_BIND_COMPUTE].dirty = 1;
    first->rendering.active = true;
    first->dynamic_state.set = VK_DYN(CULL_MODE);
    assert_int_equal(vk_command_buffer_end(buffers[0]), VK_SUCCESS);
    assert_null(buffers[0]->rec);

    assert_int_equal(begin_command_buffer(1), VK_SUCCESS);
    assert_ptr_equal(buffers[1]->rec, first);
    assert_int_equal(first->bindings[VK_BIND_COMPUTE].valid | first->bindings[VK_BIND_COMPUTE].dirty, 0);
    assert_false(first->rendering.active);
    assert_false(first->dynamic_state.set & VK_DYN(CULL_MODE));
    /* Two at once have one each. */
    assert_int_equal(begin_command_buffer(2), VK_SUCCESS);
    assert_ptr_not_equal(buffers[2]->rec, first);
    assert_int_equal(((struct larger *)buffers[2]->rec)->word, 0);
}

static void a_reset_gives_it_back(void **state)
{
    (void)state;
    assert_int_equal(begin_command_buffer(0), VK_SUCCESS);
    struct vk_recording *first = buffers[0]->rec;
    assert_int_equal(vk_common_ResetCommandPool(vk_device_to_handle(&device), pool, 0), VK_SUCCESS);
    assert_null(buffers[0]->rec);
    assert_int_equal(begin_command_buffer(1), VK_SUCCESS);
    assert_ptr_equal(buffers[1]->rec, first);
    vk_common_FreeCommandBuffers(vk_device_to_handle(&device), pool, 1, &handles[1]);
    assert_null(buffers[1]->rec);
    assert_int_equal(begin_command_buffer(2), VK_SUCCESS);
    assert_ptr_equal(buffers[2]->rec, first);
}

static void without_memory_nothing_begins(void **state)
{
    (void)state;
    has_memory = false;
    assert_int_equal(begin_command_buffer(0), VK_ERROR_OUT_OF_HOST_MEMORY);
    assert_null(buffers[0]->rec);
    has_memory = true;
    assert_int_equal(begin_command_buffer(0), VK_SUCCESS);
    assert_int_equal(vk_command_buffer_end(buffers[0]), VK_SUCCESS);
    /* Memory that was lent once is there again, until the pool is trimmed. */
    has_memory = false;
    assert_int_equal(begin_command_buffer(1), VK_SUCCESS);
    assert_int_equal(vk_command_buffer_end(buffers[1]), VK_SUCCESS);
    const int before = alive;
    vk_common_TrimCommandPool(vk_device_to_handle(&device), pool, 0);
    assert_int_equal(alive, before - 1);
    assert_int_equal(begin_command_buffer(1), VK_ERROR_OUT_OF_HOST_MEMORY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_after_the_other_share_what_is_lent, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_reset_gives_it_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_memory_nothing_begins, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
