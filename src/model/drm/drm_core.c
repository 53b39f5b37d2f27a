/* The ioctls of the DRM core that identify the device and the caller. */
#include <drm.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "model/drm/drm_device.h"
#include "model/drm/drm_ioctl.h"
#include "model/drm/drm_user.h"
#include "util/bits.h"

/* Fill a user's buffer as far as it reaches and report the full length, as the kernel does for strings. */
static int copy_string(uint64_t user_address, __kernel_size_t *length, const char *text)
{
    size_t full = strlen(text);
    size_t copied = MIN2((size_t)*length, full);
    *length = full;
    return user_address && copied ? drm_copy_to_user(user_address, text, copied) : 0;
}

int drm_version_ioctl(struct drm_file *file, void *data)
{
    struct drm_version *version = data;
    const struct drm_driver *driver = file->device->driver;
    version->version_major = driver->major;
    version->version_minor = driver->minor;
    version->version_patchlevel = driver->patch;
    int error = copy_string((uintptr_t)version->name, &version->name_len, driver->name);
    if (!error)
        error = copy_string((uintptr_t)version->date, &version->date_len, driver->date);
    if (!error)
        error = copy_string((uintptr_t)version->desc, &version->desc_len, driver->description);
    return error;
}

int drm_get_unique_ioctl(struct drm_file *file, void *data)
{
    struct drm_unique *unique = data;
    return copy_string((uintptr_t)unique->unique, &unique->unique_len, file->device->unique);
}

int drm_get_magic_ioctl(struct drm_file *file, void *data)
{
    struct drm_auth *auth = data;
    pthread_mutex_lock(&file->device->lock);
    if (!file->magic)
        file->magic = ++file->device->next_magic;
    auth->magic = file->magic;
    pthread_mutex_unlock(&file->device->lock);
    return 0;
}

int drm_auth_magic_ioctl(struct drm_file *file, void *data)
{
    const struct drm_auth *auth = data;
    int error = -EINVAL;
    pthread_mutex_lock(&file->device->lock);
    list_foreach (&file->device->files, struct drm_file, other, node_in_device) {
        if (auth->magic && other->magic == auth->magic) {
            other->is_authenticated = true;
            other->magic = 0;
            error = 0;
        }
    }
    pthread_mutex_unlock(&file->device->lock);
    return error;
}

int drm_get_client_ioctl(struct drm_file *file, void *data)
{
    struct drm_client *client = data;
    if (client->idx != 0)
        return -EINVAL;
    *client = (struct drm_client){.auth = file->is_authenticated};
    return 0;
}

int drm_set_version_ioctl(struct drm_file *file, void *data)
{
    struct drm_set_version *version = data;
    const struct drm_driver *driver = file->device->driver;
    bool good = (version->drm_di_major == -1 ||
                 (version->drm_di_major == 1 && version->drm_di_minor >= 0 && version->drm_di_minor <= 4)) &&
                (version->drm_dd_major == -1 || (version->drm_dd_major == driver->major && version->drm_dd_minor >= 0 &&
                                                 version->drm_dd_minor <= driver->minor));
    if (!good)
        return -EINVAL;
    *version = (struct drm_set_version){1, 4, driver->major, driver->minor};
    return 0;
}

int drm_get_cap_ioctl(struct drm_file *file, void *data)
{
    struct drm_get_cap *cap = data;
    const struct drm_driver *driver = file->device->driver;
    uint64_t value;
    if (driver->get_cap && driver->get_cap(cap->capability, &value)) {
        cap->value = value;
        return 0;
    }
    switch (cap->capability) {
    case DRM_CAP_TIMESTAMP_MONOTONIC:
    case DRM_CAP_SYNCOBJ:
    case DRM_CAP_SYNCOBJ_TIMELINE:
    case DRM_CAP_ADDFB2_MODIFIERS: /* drivers ask for it to know what a display could scan out */
    case DRM_CAP_CRTC_IN_VBLANK_EVENT:
        cap->value = 1;
        return 0;
    case DRM_CAP_PRIME:
        cap->value = DRM_PRIME_CAP_IMPORT | DRM_PRIME_CAP_EXPORT;
        return 0;
    case DRM_CAP_DUMB_BUFFER: /* the model has no display: nothing to make dumb buffers or cursors for */
    case DRM_CAP_VBLANK_HIGH_CRTC:
    case DRM_CAP_DUMB_PREFERRED_DEPTH:
    case DRM_CAP_DUMB_PREFER_SHADOW:
    case DRM_CAP_ASYNC_PAGE_FLIP:
    case DRM_CAP_PAGE_FLIP_TARGET:
        cap->value = 0;
        return 0;
    case DRM_CAP_CURSOR_WIDTH:
    case DRM_CAP_CURSOR_HEIGHT:
        cap->value = 64;
        return 0;
    default:
        return -EINVAL;
    }
}

/* A card that drives no screen has modesetting all the same: it lists nothing. */
int drm_mode_get_resources_ioctl(struct drm_file *file, void *data)
{
    struct drm_mode_card_res *resources = data;
    resources->count_fbs = resources->count_crtcs = resources->count_connectors = resources->count_encoders = 0;
    resources->min_width = resources->min_height = 0;
    resources->max_width = resources->max_height = 16384;
    return 0;
}

int drm_mode_get_plane_resources_ioctl(struct drm_file *file, void *data)
{
    struct drm_mode_get_plane_res *planes = data;
    planes->count_planes = 0;
    return 0;
}

int drm_set_client_cap_ioctl(struct drm_file *file, void *data)
{
    const struct drm_set_client_cap *cap = data;
    switch (cap->capability) {
    case DRM_CLIENT_CAP_STEREO_3D:
    case DRM_CLIENT_CAP_UNIVERSAL_PLANES:
    case DRM_CLIENT_CAP_ASPECT_RATIO:
        return cap->value > 1 ? -EINVAL : 0;
    case DRM_CLIENT_CAP_ATOMIC:
    case DRM_CLIENT_CAP_WRITEBACK_CONNECTORS:
        return -EOPNOTSUPP;
    default:
        return -EINVAL;
    }
}

static bool somebody_is_master(const struct drm_device *device)
{
    list_foreach (&((struct drm_device *)(uintptr_t)device)->files, struct drm_file, file, node_in_device) {
        if (file->is_master)
            return true;
    }
    return false;
}

int drm_set_master_ioctl(struct drm_file *file, void *data)
{
    pthread_mutex_lock(&file->device->lock);
    int error = file->is_master ? 0 : somebody_is_master(file->device) ? -EBUSY : 0;
    if (!error)
        file->is_master = file->is_authenticated = true;
    pthread_mutex_unlock(&file->device->lock);
    return error;
}

int drm_drop_master_ioctl(struct drm_file *file, void *data)
{
    pthread_mutex_lock(&file->device->lock);
    int error = file->is_master ? 0 : -EINVAL;
    file->is_master = false;
    pthread_mutex_unlock(&file->device->lock);
    return error;
}
