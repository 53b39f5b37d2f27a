/* Nothing to do, and nothing to wait for. */
#include "vulkan/runtime/vk_sync_dummy.h"

static VkResult init(struct vk_device *device, struct vk_sync *sync, uint64_t initial)
{
    return VK_SUCCESS;
}

static void finish(struct vk_device *device, struct vk_sync *sync)
{
}

static VkResult wait_many(struct vk_device *device, uint32_t count, const struct vk_sync_wait *waits, uint32_t flags,
                          uint64_t deadline_ns)
{
    return VK_SUCCESS;
}

const struct vk_sync_type vk_sync_dummy_type = {
    .name = "dummy",
    .size_B = sizeof(struct vk_sync),
    .features = VK_SYNC_BINARY | VK_SYNC_GPU_WAIT | VK_SYNC_CPU_WAIT | VK_SYNC_WAIT_ANY | VK_SYNC_WAIT_PENDING,
    .init = init,
    .finish = finish,
    .wait_many = wait_many,
};
