/* See drm_device.h. */
#include "model/drm/drm_device.h"

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "model/drm/drm_gem.h"
#include "model/drm/drm_job.h"
#include "model/drm/drm_user.h"
#include "model/drm/drm_vm.h"

bool drm_device_is_ours(const struct drm_device *device)
{
    return device->generation == drm_process_generation();
}

int drm_device_init(struct drm_device *device, const struct drm_driver *driver, const struct drm_engine_ops *engine_ops,
                    const void *chip)
{
    static const struct drm_engine_host host = {.describe_address = drm_vm_describe};
    device->driver = driver;
    device->generation = drm_process_generation();
    device->engine_ops = engine_ops;
    ordered_init(&device->mmap_gems, sizeof(struct drm_gem *));
    ordered_init(&device->cpu_maps, sizeof(struct drm_cpu_map));
    list_init(&device->vms);
    list_init(&device->files);
    pthread_mutex_init(&device->lock, NULL);
    int error = drm_sched_create(device, &device->sched);
    return error ? error : engine_ops->create(chip, &host, &device->engine);
}

void drm_device_finish(struct drm_device *device)
{
    const struct drm_cpu_map *first;
    while ((first = ordered_after(&device->cpu_maps, 0))) {
        struct drm_cpu_map map = *first;
        drm_device_memory_unmapped(device, map.memory, map.size_B);
    }
    /* The scheduler's thread asks the engine; the engine's threads may still be reporting to the scheduler a job whose
     * fence has been seen already. */
    if (device->sched)
        drm_sched_stop(device->sched);
    if (device->engine)
        device->engine_ops->destroy(device->engine);
    if (device->sched)
        drm_sched_destroy(device->sched);
    ordered_finish(&device->mmap_gems);
    ordered_finish(&device->cpu_maps);
    map64_finish(&device->shared_gems);
    drm_handles_finish(&device->flink_names);
    pthread_mutex_destroy(&device->lock);
}

void drm_file_init(struct drm_file *file, struct drm_device *device, enum kernel_node node)
{
    file->device = device;
    file->node = node;
    pthread_mutex_init(&file->lock, NULL);
    drm_syncobj_table_init(&file->syncobjs);
    pthread_mutex_lock(&device->lock);
    if (node == KERNEL_NODE_PRIMARY) { /* the first one is the master */
        bool is_taken = false;
        list_foreach (&device->files, struct drm_file, other, node_in_device)
            is_taken = is_taken || other->is_master;
        file->is_master = file->is_authenticated = !is_taken;
    }
    list_push_back(&device->files, &file->node_in_device);
    pthread_mutex_unlock(&device->lock);
}

void drm_file_leave(struct drm_file *file)
{
    pthread_mutex_lock(&file->device->lock);
    list_remove(&file->node_in_device);
    pthread_mutex_unlock(&file->device->lock);
}

static bool process_may_be_nice(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {{0}};
    if (syscall(SYS_capget, &header, sets))
        return false;
    return sets[CAP_SYS_NICE / 32].effective >> (CAP_SYS_NICE % 32) & 1;
}

bool drm_file_may_hurry(const struct drm_file *file)
{
    return file->is_master || process_may_be_nice();
}

void drm_file_finish(struct drm_file *file)
{
    drm_gem_close_all(file);
    drm_syncobj_table_finish(&file->syncobjs);
    pthread_mutex_destroy(&file->lock);
}
