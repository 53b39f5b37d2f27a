/* Timelines and waits of the host. */
#include "vulkan/runtime/sync/vk_timeline.h"

#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/object/vk_temporary.h"

struct vk_timeline vk_timeline_of_the_past = {.submitted = UINT64_MAX, .reached = UINT64_MAX};

VkResult vk_timeline_init(struct vk_device *device, struct vk_timeline *timeline, uint64_t initial)
{
    uint32_t syncobj;
    VkResult result = vk_syncobj_create(device, false, &syncobj);
    if (result != VK_SUCCESS)
        return result;
    if (initial)
        result = vk_syncobj_signal(device, (struct vk_syncobj_point){syncobj, initial});
    if (result != VK_SUCCESS) {
        vk_syncobj_destroy(device, syncobj);
        return result;
    }
    timeline->syncobj = syncobj;
    timeline->is_shared = false;
    atomic_store(&timeline->submitted, initial);
    atomic_store(&timeline->reached, initial);
    return VK_SUCCESS;
}

void vk_timeline_finish(struct vk_device *device, struct vk_timeline *timeline)
{
    vk_syncobj_destroy(device, timeline->syncobj);
    timeline->syncobj = 0;
}

VkResult vk_timeline_signal(struct vk_device *device, struct vk_timeline *timeline, uint64_t value)
{
    VkResult result = vk_syncobj_signal(device, (struct vk_syncobj_point){timeline->syncobj, value});
    if (result == VK_SUCCESS)
        vk_timeline_raise(&timeline->submitted, value);
    return result;
}

VkResult vk_timeline_get_value(struct vk_device *device, struct vk_timeline *timeline, uint64_t *value_out)
{
    VkResult result = vk_syncobj_query(device, timeline->syncobj, value_out);
    if (result == VK_SUCCESS)
        vk_timeline_raise(&timeline->reached, *value_out);
    return result;
}

VkResult vk_point_check_submitted(struct vk_device *device, struct vk_point point)
{
    struct vk_timeline *timeline = point.timeline;
    if (atomic_load(&timeline->submitted) >= point.value)
        return VK_SUCCESS;
    if (!timeline->is_shared)
        return VK_NOT_READY;
    struct vk_syncobj_point in_kernel = vk_point_in_kernel(point);
    VkResult result = vk_syncobj_wait(device, &in_kernel, 1, VK_SYNCOBJ_WAIT_SUBMITTED, 0, NULL);
    if (result == VK_SUCCESS)
        vk_timeline_raise(&timeline->submitted, point.value);
    return result == VK_TIMEOUT ? VK_NOT_READY : result;
}

VkResult vk_points_wait(struct vk_device *device, const struct vk_point *points, uint32_t count, bool any,
                        uint64_t deadline_ns)
{
    struct vk_syncobj_point stack[16], *open = vk_temporary_array(&device->alloc, stack, count);
    if (!open)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    uint32_t open_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!vk_point_is_reached(points[i]))
            open[open_count++] = vk_point_in_kernel(points[i]);
    }
    VkResult result = VK_SUCCESS;
    if (open_count && (!any || open_count == count))
        result = vk_syncobj_wait(device, open, open_count, any ? VK_SYNCOBJ_WAIT_ANY : VK_SYNCOBJ_WAIT_ALL, deadline_ns,
                                 NULL);
    vk_temporary_free(&device->alloc, stack, open);
    for (uint32_t i = 0; i < count && result == VK_SUCCESS && (!any || count == 1); i++)
        vk_timeline_raise(&points[i].timeline->reached, points[i].value);
    return result;
}
