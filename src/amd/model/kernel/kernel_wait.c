/* Waiting for submissions, and turning one into a synchronisation object or an fd. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "amd/model/kernel/kernel_types.h"
#include "model/drm/drm_sync_file.h"
#include "model/drm/drm_user.h"

int64_t amd_deadline_ns(uint64_t timeout)
{
    return (int64_t)timeout < 0 ? INT64_MAX : (int64_t)timeout;
}

/* The fence that a submission's number means; NULL: done long ago. */
static int find_fence(struct amd_file *file, const struct drm_amdgpu_fence *user, struct drm_fence **fence_out)
{
    struct amd_ctx *ctx = amd_ctx_find(file, user->ctx_id);
    if (!ctx)
        return -EINVAL;
    struct amd_entity *entity;
    int error = amd_ctx_entity(ctx, user->ip_type, user->ip_instance, user->ring, &entity);
    if (!error)
        error = amd_entity_fence(ctx, entity, user->seq_no, false, fence_out);
    amd_ctx_unref(ctx);
    return error;
}

int amd_wait_cs_ioctl(struct drm_file *drm_file, void *data)
{
    struct amd_file *file = amd_file(drm_file);
    union drm_amdgpu_wait_cs *args = data;
    struct drm_amdgpu_fence user = {.ctx_id = args->in.ctx_id,
                                    .ip_type = args->in.ip_type,
                                    .ip_instance = args->in.ip_instance,
                                    .ring = args->in.ring,
                                    .seq_no = args->in.handle};
    struct drm_fence *fence = NULL;
    int error = find_fence(file, &user, &fence);
    if (error)
        return error;
    bool done = !fence || drm_fence_wait(fence, amd_deadline_ns(args->in.timeout));
    if (fence && done)
        error = fence->error;
    drm_fence_unref(fence);
    if (error)
        return error;
    memset(args, 0, sizeof(*args));
    args->out.status = !done;
    return 0;
}

static int wait_all(struct amd_file *file, const struct drm_amdgpu_fence *users, uint32_t count, int64_t deadline_ns,
                    struct drm_amdgpu_wait_fences_out *out)
{
    bool done = true;
    for (uint32_t i = 0; i < count && done; i++) {
        struct drm_fence *fence = NULL;
        int error = find_fence(file, &users[i], &fence);
        if (error)
            return error;
        done = !fence || drm_fence_wait(fence, deadline_ns);
        if (fence && done)
            error = fence->error;
        drm_fence_unref(fence);
        if (error)
            return error;
    }
    out->status = done;
    return 0;
}

static int wait_any(struct amd_file *file, const struct drm_amdgpu_fence *users, uint32_t count, int64_t deadline_ns,
                    struct drm_amdgpu_wait_fences_out *out)
{
    if (count == 0)
        return -EINVAL;
    struct drm_fence **fences = calloc(count, sizeof(*fences));
    if (!fences)
        return -ENOMEM;
    int error = 0;
    uint32_t found = 0;
    for (; found < count && !error; found++) {
        error = find_fence(file, &users[found], &fences[found]);
        if (!error && !fences[found])
            fences[found] = drm_fence_stub(); /* done long ago */
    }
    if (!error) {
        int first = drm_fence_wait_any(fences, count, deadline_ns);
        error = first == -ENOMEM ? -ENOMEM : 0;
        out->status = first >= 0;
        out->first_signaled = first >= 0 ? (uint32_t)first : UINT32_MAX;
        if (first >= 0)
            error = fences[first]->error;
    }
    for (uint32_t i = 0; i < count; i++)
        drm_fence_unref(fences[i]);
    free(fences);
    return error;
}

int amd_wait_fences_ioctl(struct drm_file *drm_file, void *data)
{
    struct amd_file *file = amd_file(drm_file);
    union drm_amdgpu_wait_fences *args = data;
    const struct drm_amdgpu_wait_fences_in in = args->in;
    void *users = NULL;
    int error = drm_copy_array_from_user(&users, in.fences, in.fence_count, sizeof(struct drm_amdgpu_fence));
    if (error)
        return error;
    struct drm_amdgpu_wait_fences_out out = {0};
    int64_t deadline_ns = amd_deadline_ns(in.timeout_ns);
    error = in.wait_all ? wait_all(file, users, in.fence_count, deadline_ns, &out)
                        : wait_any(file, users, in.fence_count, deadline_ns, &out);
    free(users);
    if (!error) {
        memset(args, 0, sizeof(*args));
        args->out = out;
    }
    return error;
}

/* A synchronisation object that has this fence in it. */
static int wrap_fence(struct drm_fence *fence, struct drm_syncobj **object_out)
{
    struct drm_syncobj *object = drm_syncobj_create(false);
    int error = object ? drm_syncobj_replace(object, fence) : -ENOMEM;
    *object_out = object; /* the caller's in any case */
    return error;
}

int amd_fence_to_handle_ioctl(struct drm_file *file, void *data)
{
    union drm_amdgpu_fence_to_handle *args = data;
    struct drm_fence *fence = NULL;
    struct drm_syncobj *object = NULL;
    int error = find_fence(amd_file(file), &args->in.fence, &fence);
    if (error)
        return error;
    if (!fence)
        fence = drm_fence_stub();
    uint32_t handle = 0;
    int fd = -1;
    switch (args->in.what) {
    case AMDGPU_FENCE_TO_HANDLE_GET_SYNCOBJ:
        error = wrap_fence(fence, &object);
        if (!error)
            error = drm_syncobj_insert(&file->syncobjs, object, &handle);
        break;
    case AMDGPU_FENCE_TO_HANDLE_GET_SYNCOBJ_FD:
        error = wrap_fence(fence, &object);
        if (!error)
            fd = drm_syncobj_export(object);
        break;
    case AMDGPU_FENCE_TO_HANDLE_GET_SYNC_FILE_FD:
        fd = drm_sync_file_export(fence);
        break;
    default:
        error = -EINVAL;
        break;
    }
    if (!error && args->in.what != AMDGPU_FENCE_TO_HANDLE_GET_SYNCOBJ) {
        error = fd < 0 ? fd : 0;
        handle = (uint32_t)fd;
    }
    if (!error)
        args->out.handle = handle;
    drm_syncobj_unref(object);
    drm_fence_unref(fence);
    return error;
}
