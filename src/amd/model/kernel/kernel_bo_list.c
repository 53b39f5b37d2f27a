/* Lists of the buffers that a submission uses. The model's memory never moves, so a list only says what must stay alive
 * and what a wait for idle waits for. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "amd/model/kernel/kernel_types.h"
#include "model/drm/drm_user.h"
#include "util/bits.h"

#define MAX_ENTRIES (128 * 1024) /* as in Linux: what an application asks for must not take all memory */

/* A list does not say what the submission does with a buffer, so it counts as written. */
static unsigned use_flags(struct drm_gem *gem)
{
    return DRM_USE_WRITE | (amd_bo(gem)->flags & AMDGPU_GEM_CREATE_EXPLICIT_SYNC ? DRM_USE_NO_WAIT : 0u);
}

int amd_bo_list_from_user(struct amd_file *file, const struct drm_amdgpu_bo_list_in *args,
                          struct drm_use_list *list_out)
{
    *list_out = (struct drm_use_list){0};
    /* Entries may be of another size than ours: what is missing is zero, what is more is skipped. */
    void *entries = NULL;
    if (args->bo_number > MAX_ENTRIES)
        return -EINVAL;
    int error = drm_copy_array_from_user(&entries, args->bo_info_ptr, args->bo_number, args->bo_info_size);
    if (error)
        return error;
    if (!array_reserve(&list_out->uses, args->bo_number))
        error = -ENOMEM;
    pthread_mutex_lock(&file->file.lock);
    for (uint32_t i = 0; i < args->bo_number && !error; i++) {
        struct drm_amdgpu_bo_list_entry entry = {0};
        memcpy(&entry, (char *)entries + (size_t)i * args->bo_info_size,
               MIN2(sizeof(entry), (size_t)args->bo_info_size));
        struct drm_gem *gem = drm_handles_get(&file->file.gems, entry.bo_handle);
        if (gem)
            list_out->uses.data[list_out->uses.count++] = (struct drm_use){drm_gem_ref(gem), use_flags(gem)};
        error = gem ? 0 : -ENOENT;
    }
    pthread_mutex_unlock(&file->file.lock);
    free(entries);
    if (error)
        drm_use_list_finish(list_out);
    return error;
}

int amd_bo_list_copy(struct amd_file *file, uint32_t handle, struct drm_use_list *copy_out)
{
    *copy_out = (struct drm_use_list){0};
    pthread_mutex_lock(&file->file.lock);
    const struct drm_use_list *list = drm_handles_get(&file->bo_lists, handle);
    int error = list ? drm_use_list_copy(copy_out, list) : -ENOENT;
    pthread_mutex_unlock(&file->file.lock);
    return error;
}

static int create_list(struct amd_file *file, struct drm_use_list *list, uint32_t *handle_out)
{
    pthread_mutex_lock(&file->file.lock);
    int error = drm_handles_insert(&file->bo_lists, list, INT32_MAX, handle_out);
    pthread_mutex_unlock(&file->file.lock);
    return error;
}

/* Put `list` in the place of the old one, which the caller then has. */
static int update_list(struct amd_file *file, uint32_t handle, struct drm_use_list *list, struct drm_use_list **old_out)
{
    pthread_mutex_lock(&file->file.lock);
    struct drm_use_list *old = drm_handles_get(&file->bo_lists, handle);
    if (old)
        file->bo_lists.slots.data[handle - 1] = list;
    pthread_mutex_unlock(&file->file.lock);
    *old_out = old;
    return old ? 0 : -ENOENT;
}

int amd_bo_list_ioctl(struct drm_file *drm_file, void *data)
{
    struct amd_file *file = amd_file(drm_file);
    union drm_amdgpu_bo_list *args = data;
    uint32_t handle = args->in.list_handle;
    struct drm_use_list *list = calloc(1, sizeof(*list)), *old = NULL;
    if (!list)
        return -ENOMEM;
    int error = 0;
    switch (args->in.operation) {
    case AMDGPU_BO_LIST_OP_CREATE:
        error = amd_bo_list_from_user(file, &args->in, list);
        if (!error)
            error = create_list(file, list, &handle);
        old = error ? list : NULL;
        break;
    case AMDGPU_BO_LIST_OP_DESTROY: /* one that is not there is no error */
        pthread_mutex_lock(&file->file.lock);
        old = drm_handles_remove(&file->bo_lists, handle);
        pthread_mutex_unlock(&file->file.lock);
        free(list);
        handle = 0;
        break;
    case AMDGPU_BO_LIST_OP_UPDATE:
        error = amd_bo_list_from_user(file, &args->in, list);
        if (!error)
            error = update_list(file, handle, list, &old);
        old = error ? list : old;
        break;
    default:
        error = -EINVAL;
        old = list;
        break;
    }
    if (old) {
        drm_use_list_finish(old);
        free(old);
    }
    if (!error) {
        memset(args, 0, sizeof(*args));
        args->out.list_handle = handle;
    }
    return error;
}
