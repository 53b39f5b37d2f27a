/* Binary over timeline. */
#include "vulkan/runtime/vk_sync_binary.h"

#include "vulkan/runtime/vk_device.h"

static const struct vk_sync_type *timeline_type(const struct vk_sync *sync)
{
    return ((const struct vk_sync_binary_type *)sync->type)->timeline;
}

static VkResult init(struct vk_device *device, struct vk_sync *sync, uint64_t initial)
{
    struct vk_sync_binary *binary = (struct vk_sync_binary *)sync;
    binary->point = 1;
    return vk_sync_init(device, binary->timeline, timeline_type(sync), VK_SYNC_IS_TIMELINE, initial ? 1 : 0);
}

static void finish(struct vk_device *device, struct vk_sync *sync)
{
    vk_sync_finish(device, ((struct vk_sync_binary *)sync)->timeline);
}

static VkResult signal(struct vk_device *device, struct vk_sync *sync, uint64_t value)
{
    struct vk_sync_binary *binary = (struct vk_sync_binary *)sync;
    return vk_sync_signal(device, binary->timeline, binary->point);
}

static VkResult reset(struct vk_device *device, struct vk_sync *sync)
{
    ((struct vk_sync_binary *)sync)->point++;
    return VK_SUCCESS;
}

/* The timeline objects cannot change places (their size is not known to this file's caller), but their contents can:
 * byte by byte. */
static VkResult move(struct vk_device *device, struct vk_sync *to, struct vk_sync *from)
{
    struct vk_sync_binary *a = (struct vk_sync_binary *)to, *b = (struct vk_sync_binary *)from;
    uint64_t point = a->point;
    char *x = (char *)a->timeline, *y = (char *)b->timeline;
    for (size_t i = 0; i < timeline_type(to)->size_B; i++) {
        char byte = x[i];
        x[i] = y[i];
        y[i] = byte;
    }
    a->point = b->point;
    b->point = point + 1;
    return VK_SUCCESS;
}

static VkResult wait_many(struct vk_device *device, uint32_t count, const struct vk_sync_wait *waits, uint32_t flags,
                          uint64_t deadline_ns)
{
    struct vk_sync_wait stack[16] = {0}, *inner = stack;
    if (count > 16) {
        inner = vk_alloc(&device->alloc, NULL, sizeof(*inner) * count, VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
        if (!inner)
            return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct vk_sync_binary *binary = (struct vk_sync_binary *)waits[i].sync;
        inner[i] = (struct vk_sync_wait){binary->timeline, binary->point};
    }
    VkResult result = vk_sync_wait_many(device, count, inner, flags, deadline_ns);
    if (inner != stack)
        vk_free(&device->alloc, NULL, inner);
    return result;
}

void vk_sync_binary_type_init(struct vk_sync_binary_type *type_out, const struct vk_sync_type *timeline)
{
    type_out->timeline = timeline;
    type_out->base = (struct vk_sync_type){
        .name = "binary over timeline",
        .size_B = sizeof(struct vk_sync_binary) + timeline->size_B,
        .features =
            VK_SYNC_BINARY | VK_SYNC_CPU_RESET |
            (timeline->features & (VK_SYNC_GPU_WAIT | VK_SYNC_GPU_MULTI_WAIT | VK_SYNC_CPU_WAIT | VK_SYNC_CPU_SIGNAL |
                                   VK_SYNC_WAIT_ANY | VK_SYNC_WAIT_PENDING | VK_SYNC_WAIT_BEFORE_SIGNAL)),
        .init = init,
        .finish = finish,
        .signal = signal,
        .reset = reset,
        .move = move,
        .wait_many = wait_many,
    };
}

struct vk_sync_binary *vk_sync_as_binary(struct vk_sync *sync)
{
    return sync->type->init == init ? (struct vk_sync_binary *)sync : NULL;
}
