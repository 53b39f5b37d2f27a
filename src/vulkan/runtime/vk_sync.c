/* What all sync types share: choosing one, creation, waiting over several types. */
#include "vulkan/runtime/vk_sync.h"

#include <time.h>
#include <unistd.h>

#include "vulkan/runtime/vk_device.h"

uint64_t vk_time_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The kernel takes absolute times as signed numbers: never is INT64_MAX. */
uint64_t vk_time_deadline_ns(uint64_t timeout_ns)
{
    if (timeout_ns == 0)
        return 0;
    uint64_t now_ns = vk_time_now_ns();
    return timeout_ns > (uint64_t)INT64_MAX - now_ns ? (uint64_t)INT64_MAX : now_ns + timeout_ns;
}

const struct vk_sync_type *vk_sync_type_find(const struct vk_sync_type *const *types, uint32_t features)
{
    for (; types && *types; types++) {
        if (((*types)->features & features) == features)
            return *types;
    }
    return NULL;
}

VkResult vk_sync_init(struct vk_device *device, struct vk_sync *sync, const struct vk_sync_type *type, uint32_t flags,
                      uint64_t initial)
{
    sync->type = type;
    sync->flags = flags;
    return type->init(device, sync, initial);
}

void vk_sync_finish(struct vk_device *device, struct vk_sync *sync)
{
    sync->type->finish(device, sync);
}

VkResult vk_sync_create(struct vk_device *device, const struct vk_sync_type *type, uint32_t flags, uint64_t initial,
                        struct vk_sync **sync_out)
{
    struct vk_sync *sync = vk_zalloc(&device->alloc, NULL, type->size_B, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!sync)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = vk_sync_init(device, sync, type, flags, initial);
    if (result != VK_SUCCESS) {
        vk_free(&device->alloc, NULL, sync);
        return result;
    }
    *sync_out = sync;
    return VK_SUCCESS;
}

void vk_sync_destroy(struct vk_device *device, struct vk_sync *sync)
{
    if (!sync)
        return;
    vk_sync_finish(device, sync);
    vk_free(&device->alloc, NULL, sync);
}

VkResult vk_sync_signal(struct vk_device *device, struct vk_sync *sync, uint64_t value)
{
    return sync->type->signal(device, sync, value);
}

VkResult vk_sync_reset(struct vk_device *device, struct vk_sync *sync)
{
    return sync->type->reset(device, sync);
}

VkResult vk_sync_get_value(struct vk_device *device, struct vk_sync *sync, uint64_t *value_out)
{
    return sync->type->get_value(device, sync, value_out);
}

VkResult vk_sync_wait(struct vk_device *device, struct vk_sync *sync, uint64_t value, uint32_t flags,
                      uint64_t deadline_ns)
{
    struct vk_sync_wait wait = {sync, value};
    return vk_sync_wait_many(device, 1, &wait, flags, deadline_ns);
}

static bool same_type(uint32_t count, const struct vk_sync_wait *waits)
{
    for (uint32_t i = 1; i < count; i++) {
        if (waits[i].sync->type != waits[0].sync->type)
            return false;
    }
    return true;
}

/* Implementations differ, so nobody can block on all of them at once: look, sleep a little, look again. The sleep grows
 * with the time that has passed, for a long wait does not mind a late answer. */
static VkResult poll_any(struct vk_device *device, uint32_t count, const struct vk_sync_wait *waits, uint32_t flags,
                         uint64_t deadline_ns)
{
    uint64_t sleep_ns = 1000;
    for (;;) {
        for (uint32_t i = 0; i < count; i++) {
            VkResult result = waits[i].sync->type->wait_many(device, 1, &waits[i], flags & ~VK_SYNC_WAIT_FOR_ANY, 0);
            if (result != VK_TIMEOUT)
                return result;
        }
        uint64_t now_ns = vk_time_now_ns();
        if (now_ns >= deadline_ns)
            return VK_TIMEOUT;
        uint64_t left_ns = deadline_ns - now_ns;
        uint64_t nap_ns = sleep_ns < left_ns ? sleep_ns : left_ns;
        nanosleep(&(struct timespec){.tv_nsec = (long)nap_ns}, NULL);
        if (sleep_ns < 1000000)
            sleep_ns *= 2;
    }
}

VkResult vk_sync_wait_many(struct vk_device *device, uint32_t count, const struct vk_sync_wait *waits, uint32_t flags,
                           uint64_t deadline_ns)
{
    if (count == 0)
        return VK_SUCCESS;
    bool any = (flags & VK_SYNC_WAIT_FOR_ANY) && count > 1;
    bool same = same_type(count, waits);
    if (same && (!any || (waits[0].sync->type->features & VK_SYNC_WAIT_ANY)))
        return waits[0].sync->type->wait_many(device, count, waits, any ? flags : flags & ~VK_SYNC_WAIT_FOR_ANY,
                                              deadline_ns);
    if (any)
        return poll_any(device, count, waits, flags, deadline_ns);
    for (uint32_t i = 0; i < count; i++) {
        VkResult result = waits[i].sync->type->wait_many(device, 1, &waits[i], flags, deadline_ns);
        if (result != VK_SUCCESS)
            return result;
    }
    return VK_SUCCESS;
}

VkResult vk_sync_import_opaque_fd(struct vk_device *device, struct vk_sync *sync, int fd)
{
    if (!sync->type->import_opaque_fd)
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    VkResult result = sync->type->import_opaque_fd(device, sync, fd);
    if (result == VK_SUCCESS)
        close(fd);
    return result;
}

VkResult vk_sync_export_opaque_fd(struct vk_device *device, struct vk_sync *sync, int *fd_out)
{
    return sync->type->export_opaque_fd ? sync->type->export_opaque_fd(device, sync, fd_out)
                                        : VK_ERROR_FEATURE_NOT_PRESENT;
}

VkResult vk_sync_import_sync_file(struct vk_device *device, struct vk_sync *sync, int fd)
{
    if (!sync->type->import_sync_file)
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    VkResult result = sync->type->import_sync_file(device, sync, fd);
    if (result == VK_SUCCESS && fd >= 0)
        close(fd);
    return result;
}

VkResult vk_sync_export_sync_file(struct vk_device *device, struct vk_sync *sync, int *fd_out)
{
    return sync->type->export_sync_file ? sync->type->export_sync_file(device, sync, fd_out)
                                        : VK_ERROR_FEATURE_NOT_PRESENT;
}
