/* Lists of the buffers that a submission uses. The model's memory never moves, so a list only says what must stay alive
 * and what a wait for idle waits for. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "amd/model/kernel/kernel_types.h"
#include "model/drm/drm_user.h"
#include "util/bits.h"

void amd_bo_list_destroy(struct amd_bo_list *list)
{
    array_foreach (&list->bos, bo)
        amd_bo_unref(*bo);
    array_finish(&list->bos);
}

int amd_bo_list_from_user(struct amd_file *file, const struct drm_amdgpu_bo_list_in *args, struct amd_bo_list *list_out)
{
    *list_out = (struct amd_bo_list){0};
    /* Entries may be of another size than ours: what is missing is zero, what is more is skipped. */
    void *entries = NULL;
    int error = drm_copy_array_from_user(&entries, args->bo_info_ptr, args->bo_number, args->bo_info_size);
    if (error)
        return error;
    if (!array_reserve(&list_out->bos, args->bo_number))
        error = -ENOMEM;
    pthread_mutex_lock(&file->lock);
    for (uint32_t i = 0; i < args->bo_number && !error; i++) {
        struct drm_amdgpu_bo_list_entry entry = {0};
        memcpy(&entry, (char *)entries + (size_t)i * args->bo_info_size,
               MIN2(sizeof(entry), (size_t)args->bo_info_size));
        struct amd_bo *bo = amd_handles_get(&file->bos, entry.bo_handle);
        if (bo)
            list_out->bos.data[list_out->bos.count++] = amd_bo_ref(bo);
        error = bo ? 0 : -ENOENT;
    }
    pthread_mutex_unlock(&file->lock);
    free(entries);
    if (error)
        amd_bo_list_destroy(list_out);
    return error;
}

int amd_bo_list_copy(struct amd_file *file, uint32_t handle, struct amd_bo_list *copy_out)
{
    *copy_out = (struct amd_bo_list){0};
    pthread_mutex_lock(&file->lock);
    const struct amd_bo_list *list = amd_handles_get(&file->bo_lists, handle);
    int error = !list ? -ENOENT : array_reserve(&copy_out->bos, list->bos.count) ? 0 : -ENOMEM;
    for (uint32_t i = 0; !error && i < list->bos.count; i++)
        copy_out->bos.data[copy_out->bos.count++] = amd_bo_ref(list->bos.data[i]);
    pthread_mutex_unlock(&file->lock);
    return error;
}

static int create(struct amd_file *file, struct amd_bo_list *list, uint32_t *handle_out)
{
    pthread_mutex_lock(&file->lock);
    int error = amd_handles_insert(&file->bo_lists, list, INT32_MAX, handle_out);
    pthread_mutex_unlock(&file->lock);
    return error;
}

/* Put `list` in the place of the old one, which the caller then has. */
static int update(struct amd_file *file, uint32_t handle, struct amd_bo_list *list, struct amd_bo_list **old_out)
{
    pthread_mutex_lock(&file->lock);
    struct amd_bo_list *old = amd_handles_get(&file->bo_lists, handle);
    if (old)
        file->bo_lists.slots.data[handle - 1] = list;
    pthread_mutex_unlock(&file->lock);
    *old_out = old;
    return old ? 0 : -ENOENT;
}

int amd_bo_list_ioctl(struct amd_file *file, void *data)
{
    union drm_amdgpu_bo_list *args = data;
    uint32_t handle = args->in.list_handle;
    struct amd_bo_list *list = calloc(1, sizeof(*list)), *old = NULL;
    if (!list)
        return -ENOMEM;
    int error = 0;
    switch (args->in.operation) {
    case AMDGPU_BO_LIST_OP_CREATE:
        error = amd_bo_list_from_user(file, &args->in, list);
        if (!error)
            error = create(file, list, &handle);
        old = error ? list : NULL;
        break;
    case AMDGPU_BO_LIST_OP_DESTROY: /* one that is not there is no error */
        pthread_mutex_lock(&file->lock);
        old = amd_handles_remove(&file->bo_lists, handle);
        pthread_mutex_unlock(&file->lock);
        free(list);
        handle = 0;
        break;
    case AMDGPU_BO_LIST_OP_UPDATE:
        error = amd_bo_list_from_user(file, &args->in, list);
        if (!error)
            error = update(file, handle, list, &old);
        old = error ? list : old;
        break;
    default:
        error = -EINVAL;
        old = list;
        break;
    }
    if (old) {
        amd_bo_list_destroy(old);
        free(old);
    }
    if (!error) {
        memset(args, 0, sizeof(*args));
        args->out.list_handle = handle;
    }
    return error;
}
