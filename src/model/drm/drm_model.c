/* See drm_model.h. */
#include "model/drm/drm_model.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "model/drm/drm_device.h"
#include "model/drm/drm_gem.h"
#include "model/drm/drm_ioctl.h"
#include "model/drm/drm_job.h"
#include "model/drm/drm_user.h"
#include "util/bits.h"

/* ---- the end of the process ---- */

static struct drm_device *open_devices[16]; /* those of the table; never closed in practice */
static _Atomic uint32_t open_device_count;

/* The kernel lets work go on that a process leaves; ours ends with the process, so it gets the second that the kernel
 * grants to a closed file. */
__attribute__((destructor)) static void finish_work(void)
{
    int64_t deadline_ns = drm_now_ns() + 1000000000;
    for (uint32_t i = 0; i < MIN2(atomic_load(&open_device_count), (uint32_t)ARRAY_SIZE(open_devices)); i++) {
        if (open_devices[i] && drm_device_is_ours(open_devices[i]))
            drm_sched_wait_idle(open_devices[i]->sched, deadline_ns);
    }
}

void drm_model_opened(struct drm_device *device)
{
    uint32_t index = atomic_fetch_add(&open_device_count, 1);
    if (index < ARRAY_SIZE(open_devices))
        open_devices[index] = device;
}

/* ---- GPUs of systems on a chip ---- */

const struct drm_platform *drm_platform_find(const struct drm_platform *places, size_t count, const char *chip)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(places[i].chip, chip) == 0)
            return &places[i];
    }
    return NULL;
}

void drm_platform_info(const struct drm_platform *place, const char *driver, const char *const compatible[2],
                       struct kernel_device_info *info_out)
{
    *info_out = (struct kernel_device_info){.bus = KERNEL_BUS_PLATFORM};
    struct kernel_platform *platform = &info_out->platform;
    snprintf(info_out->driver, sizeof(info_out->driver), "%s", driver);
    snprintf(platform->name, sizeof(platform->name), "%s", place->name);
    snprintf(platform->of_fullname, sizeof(platform->of_fullname), "%s", place->of_fullname);
    for (unsigned i = 0; i < 2; i++)
        snprintf(platform->compatible[i], sizeof(platform->compatible[i]), "%s", compatible[i]);
    snprintf(info_out->model, sizeof(info_out->model), "%s", place->chip);
}

/* ---- the table ---- */

static struct drm_device *as_device(struct kernel_model_device *device)
{
    return (struct drm_device *)device;
}

static struct drm_file *as_file(struct kernel_model_file *file)
{
    return (struct drm_file *)file;
}

void drm_model_device_close(struct kernel_model_device *device)
{
    for (uint32_t i = 0; i < ARRAY_SIZE(open_devices); i++) {
        if (open_devices[i] == as_device(device))
            open_devices[i] = NULL;
    }
    as_device(device)->driver->device_destroy(as_device(device));
}

int drm_model_file_open(struct kernel_model_device *device, enum kernel_node node, struct kernel_model_file **file_out)
{
    struct drm_file *file = NULL;
    int error = drm_device_is_ours(as_device(device))
                    ? as_device(device)->driver->file_open(as_device(device), node, &file)
                    : -ENODEV;
    *file_out = (struct kernel_model_file *)file;
    return error;
}

void drm_model_file_close(struct kernel_model_file *file)
{
    /* A child of fork has only copies of its parent's locks and memory: it leaves them alone. */
    if (drm_device_is_ours(as_file(file)->device))
        as_file(file)->device->driver->file_close(as_file(file));
}

int drm_model_file_ioctl(struct kernel_model_file *file, unsigned long request, void *argument)
{
    return drm_file_ioctl(as_file(file), request, argument);
}

int drm_model_file_ioctl_sure(struct kernel_model_file *file, unsigned long request, void *argument)
{
    drm_user_is_sure(true);
    int error = drm_file_ioctl(as_file(file), request, argument);
    drm_user_is_sure(false);
    return error;
}

int drm_model_file_mmap(struct kernel_model_file *file, void *hint, size_t size_B, int protection, int flags,
                        uint64_t offset_B, void **memory_out)
{
    if (!drm_device_is_ours(as_file(file)->device))
        return -ENODEV;
    return drm_file_mmap(as_file(file), hint, size_B, protection, flags, offset_B, memory_out);
}

/* A DRM node has events only for displays, and the models have none: nothing to read, ever. */
int drm_model_file_poll(struct kernel_model_file *file, short events, int timeout_ms)
{
    struct timespec pause = {.tv_sec = timeout_ms / 1000, .tv_nsec = timeout_ms % 1000 * 1000000l};
    if (timeout_ms < 0)
        pause.tv_sec = 1, pause.tv_nsec = 0; /* poll may return early, but not at once: the caller would spin */
    return nanosleep(&pause, NULL) ? -errno : 0;
}

void drm_model_memory_unmapped(struct kernel_model_device *device, const void *memory, size_t size_B)
{
    if (drm_device_is_ours(as_device(device)))
        drm_device_memory_unmapped(as_device(device), memory, size_B);
}
