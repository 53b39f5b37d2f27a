/* Payloads of fences and binary semaphores, and how they come and go by fd. */
#include "vulkan/runtime/sync/vk_payload.h"

#include <unistd.h>

#include "util/log.h"
#include "vulkan/runtime/device/vk_device.h"

static void finish_payload(struct vk_device *device, struct vk_payload *payload)
{
    vk_syncobj_destroy(device, payload->syncobj);
    vk_syncobj_destroy(device, payload->taken);
    payload->syncobj = payload->taken = 0;
    payload->is_shared = false;
    atomic_store(&payload->timeline, NULL);
}

/* The timeline last: a thread that sees it sees the value. */
static void set_point(struct vk_payload *payload, struct vk_point point)
{
    payload->value = point.value;
    atomic_store(&payload->timeline, point.timeline);
}

/* A thread may wait for a fence that was idle until now (vk_fence.c). */
static void announce_fence(struct vk_device *device)
{
    if (atomic_load(&device->held.listeners))
        vk_held_post_news(device);
}

static void drop_temporary(struct vk_device *device, struct vk_payload_slot *slot)
{
    if (slot->has_temporary)
        finish_payload(device, &slot->temporary);
    slot->has_temporary = false;
}

void vk_payload_slot_finish(struct vk_device *device, struct vk_payload_slot *slot)
{
    drop_temporary(device, slot);
    finish_payload(device, &slot->permanent);
}

enum vk_payload_state vk_payload_look(struct vk_payload *payload, struct vk_syncobj_point *point_out)
{
    if (payload->syncobj) {
        *point_out = (struct vk_syncobj_point){payload->syncobj, 0};
        return VK_PAYLOAD_WAITABLE;
    }
    struct vk_point point = {atomic_load(&payload->timeline), 0};
    if (!point.timeline)
        return VK_PAYLOAD_IDLE;
    point.value = payload->value;
    *point_out = vk_point_in_kernel(point);
    return vk_point_is_reached(point) ? VK_PAYLOAD_SIGNALLED : VK_PAYLOAD_WAITABLE;
}

void vk_payload_set_point(struct vk_device *device, struct vk_payload *payload, struct vk_point point)
{
    if (payload->is_shared)
        return;
    if (payload->syncobj)
        finish_payload(device, payload);
    set_point(payload, point);
    announce_fence(device);
}

VkResult vk_payload_signal(struct vk_device *device, struct vk_payload *payload)
{
    if (payload->is_shared)
        return vk_syncobj_signal(device, (struct vk_syncobj_point){payload->syncobj, 0});
    vk_payload_set_point(device, payload, (struct vk_point){&vk_timeline_of_the_past, 0});
    return VK_SUCCESS;
}

static VkResult unsignal_payload(struct vk_device *device, struct vk_payload *payload)
{
    if (payload->is_shared)
        return vk_syncobj_reset(device, payload->syncobj);
    atomic_store(&payload->timeline, NULL);
    return VK_SUCCESS;
}

void vk_payload_consume(struct vk_device *device, struct vk_payload_slot *slot)
{
    if (slot->has_temporary)
        drop_temporary(device, slot);
    else
        atomic_store(&slot->permanent.timeline, NULL);
}

VkResult vk_payload_slot_reset(struct vk_device *device, struct vk_payload_slot *slot)
{
    drop_temporary(device, slot);
    return unsignal_payload(device, &slot->permanent);
}

/* ---- by fd ---- */

VkResult vk_payload_import_fd(struct vk_device *device, struct vk_payload_slot *slot, bool is_sync_file,
                              bool temporarily, int fd)
{
    uint32_t syncobj = 0;
    VkResult result = VK_SUCCESS;
    if (!is_sync_file)
        result = vk_syncobj_import(device, fd, &syncobj);
    else if (fd >= 0)
        result = vk_syncobj_import_file(device, fd, &syncobj);
    if (result != VK_SUCCESS)
        return result;
    drop_temporary(device, slot);
    slot->has_temporary = is_sync_file || temporarily;
    struct vk_payload *payload = vk_payload_of(slot);
    finish_payload(device, payload);
    payload->syncobj = syncobj;
    payload->is_shared = !is_sync_file;
    if (!syncobj)
        set_point(payload, (struct vk_point){&vk_timeline_of_the_past, 0});
    announce_fence(device);
    if (fd >= 0)
        close(fd);
    return VK_SUCCESS;
}

/* From now on the payload is a syncobj, which begins with what the payload was. */
static VkResult share_payload(struct vk_device *device, struct vk_payload *payload)
{
    struct vk_syncobj_point now;
    enum vk_payload_state state = vk_payload_look(payload, &now);
    uint32_t syncobj = payload->syncobj;
    if (!syncobj) {
        VkResult result = vk_syncobj_create(device, state == VK_PAYLOAD_SIGNALLED, &syncobj);
        if (result == VK_SUCCESS && state == VK_PAYLOAD_WAITABLE)
            result = vk_syncobj_copy(device, now, (struct vk_syncobj_point){syncobj, 0});
        if (result != VK_SUCCESS && result != VK_NOT_READY) {
            vk_syncobj_destroy(device, syncobj); /* 0 where that was what failed */
            return result;
        }
    }
    payload->syncobj = syncobj;
    payload->is_shared = true;
    return VK_SUCCESS;
}

VkResult vk_payload_slot_init(struct vk_device *device, struct vk_payload_slot *slot, bool is_signalled,
                              bool is_shareable)
{
    if (is_signalled)
        set_point(&slot->permanent, (struct vk_point){&vk_timeline_of_the_past, 0});
    return is_shareable ? share_payload(device, &slot->permanent) : VK_SUCCESS;
}

VkResult vk_payload_copy_file(struct vk_device *device, struct vk_payload *payload, int *fd_out)
{
    struct vk_syncobj_point now;
    uint32_t signalled = 0;
    VkResult result = VK_SUCCESS;
    switch (vk_payload_look(payload, &now)) {
    case VK_PAYLOAD_IDLE:
        LOG_WARN("vulkan", "no sync file of a payload that nothing signals");
        return VK_ERROR_TOO_MANY_OBJECTS;
    case VK_PAYLOAD_SIGNALLED:
        result = vk_syncobj_create(device, true, &signalled);
        now = (struct vk_syncobj_point){signalled, 0};
        break;
    case VK_PAYLOAD_WAITABLE:
        break;
    }
    if (result == VK_SUCCESS)
        result = vk_syncobj_export_file(device, now, fd_out);
    vk_syncobj_destroy(device, signalled);
    return result;
}

VkResult vk_payload_export_fd(struct vk_device *device, struct vk_payload_slot *slot, bool is_sync_file, int *fd_out)
{
    struct vk_payload *payload = vk_payload_of(slot);
    VkResult result = VK_SUCCESS;
    if (!is_sync_file) {
        if (!payload->is_shared)
            result = share_payload(device, payload);
        return result == VK_SUCCESS ? vk_syncobj_export(device, payload->syncobj, fd_out) : result;
    }
    result = vk_payload_copy_file(device, payload, fd_out);
    if (result != VK_SUCCESS)
        return result;
    result = unsignal_payload(device, payload);
    drop_temporary(device, slot);
    return result;
}
