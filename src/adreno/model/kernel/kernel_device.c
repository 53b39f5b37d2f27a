/* The device and its open files, what msm reports of itself to the shared kernel model, and the one symbol of the
 * model's shared object. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "adreno/model/kernel/kernel_types.h"
#include "model/drm/drm_model.h"
#include "util/bits.h"

static const struct drm_platform places[] = {
    {"adreno-635", "3d00000.gpu", "/soc@0/gpu@3d00000"},
    {"adreno-618", "5000000.gpu", "/soc@0/gpu@5000000"},
};

static const struct drm_platform *place_of(const struct adreno_chip *chip)
{
    return drm_platform_find(places, ARRAY_SIZE(places), chip->name);
}

static void ring_name(uint32_t ring, char *name_out, size_t name_B)
{
    snprintf(name_out, name_B, "%s", ring == ADRENO_RING_BIND ? "bind ring" : "ring 0");
}

/* A space that user space manages keeps its mappings. */
static void gem_closed(struct drm_file *file, struct drm_gem *gem)
{
    struct adreno_vm *vm = adreno_file(file)->vm;
    if (vm && !vm->is_vm_bind)
        drm_vm_forget_gem(&vm->vm, gem);
}

static int open_file(struct drm_device *device, enum kernel_node node, struct drm_file **file_out)
{
    struct adreno_file *file = NULL;
    int error = adreno_file_open((struct adreno_device *)device, node, &file);
    *file_out = file ? &file->file : NULL;
    return error;
}

static void close_file(struct drm_file *file)
{
    adreno_file_close(adreno_file(file));
}

static void destroy_device(struct drm_device *device)
{
    adreno_device_destroy((struct adreno_device *)device);
}

int adreno_device_create(const char *chip_name, const struct drm_engine_ops *gpu_ops, struct adreno_device **device_out)
{
    static const struct drm_driver driver = {
        .name = "msm",
        .date = "20130625",
        .description = "MSM Snapdragon DRM",
        .major = ADRENO_DRM_MAJOR,
        .minor = ADRENO_DRM_MINOR,
        .patch = ADRENO_DRM_PATCH,
        .log_name = "adreno/model",
        .ioctls = adreno_ioctls,
        .ioctl_count = ADRENO_IOCTL_COUNT,
        .ring_count = ADRENO_KERNEL_RINGS,
        .ring_name = ring_name,
        .gem_B = sizeof(struct adreno_bo),
        .vm_B = sizeof(struct adreno_vm),
        .file_open = open_file,
        .file_close = close_file,
        .device_destroy = destroy_device,
        .context_destroy = adreno_context_destroy,
        .gem_closed = gem_closed,
        .blob_B = sizeof(struct adreno_bo_blob),
        .gem_arrived = adreno_gem_arrived,
    };
    const struct adreno_chip *chip = adreno_chip_find(chip_name);
    if (!chip || !place_of(chip))
        return -ENODEV;
    struct adreno_device *device = calloc(1, sizeof(*device));
    if (!device)
        return -ENOMEM;
    device->chip = chip;
    snprintf(device->drm.unique, sizeof(device->drm.unique), "%s", place_of(chip)->name);
    int error = drm_heap_open(&device->heap, "memory", MAX2(drm_host_memory_B(), 256ull << 20));
    const struct drm_front front = {gpu_ops, chip, ADRENO_RING_BIND};
    int failed = drm_device_init(&device->drm, &driver, &drm_front_ops, &front);
    if (error || failed) {
        adreno_device_destroy(device);
        return error ? error : failed;
    }
    *device_out = device;
    return 0;
}

void adreno_device_destroy(struct adreno_device *device)
{
    drm_device_finish(&device->drm);
    drm_heap_close(&device->heap);
    free(device);
}

int adreno_file_open(struct adreno_device *device, enum kernel_node node, struct adreno_file **file_out)
{
    struct adreno_file *file = calloc(1, sizeof(*file));
    if (!file)
        return -ENOMEM;
    file->device = device;
    file->number = atomic_fetch_add(&device->file_count, 1) + 1;
    pthread_mutex_init(&file->iova_lock, NULL);
    drm_file_init(&file->file, &device->drm, node);
    *file_out = file;
    return 0;
}

void adreno_file_close(struct adreno_file *file)
{
    drm_file_leave(&file->file);
    adreno_queue_close_all(file);
    drm_file_finish(&file->file);
    if (file->vm)
        drm_vm_unref(&file->vm->vm);
    pthread_mutex_destroy(&file->iova_lock);
    free(file->comm);
    free(file->cmdline);
    free(file);
}

static struct adreno_vm *create_vm(struct adreno_file *file)
{
    const struct gpu_extent extent = {ADRENO_VA_START, file->device->chip->va_size_B};
    struct drm_vm *created = NULL;
    if (drm_vm_create(&file->device->drm, &extent, 1, &created))
        return NULL;
    struct adreno_vm *vm = (struct adreno_vm *)created;
    vm->is_vm_bind = file->wants_vm_bind;
    vm->next_va = ADRENO_VA_START;
    return vm;
}

struct adreno_vm *adreno_file_vm(struct adreno_file *file)
{
    pthread_mutex_lock(&file->file.lock);
    if (!file->vm)
        file->vm = create_vm(file);
    struct adreno_vm *vm = file->vm;
    pthread_mutex_unlock(&file->file.lock);
    return vm;
}

/* ---- the table ---- */

static int table_device_open(const char *chip, struct kernel_model_device **device_out)
{
    struct adreno_device *device = NULL;
    int error = adreno_device_create(chip, &adreno_engine_ops, &device);
    *device_out = (struct kernel_model_device *)device;
    if (!error)
        drm_model_opened(&device->drm);
    return error;
}

static void table_device_info(struct kernel_model_device *device, struct kernel_device_info *info_out)
{
    const struct adreno_chip *chip = ((const struct adreno_device *)device)->chip;
    const char *const compatible[2] = {chip->device_tree, chip->compatible};
    drm_platform_info(place_of(chip), "msm", compatible, info_out);
}

__attribute__((visibility("default"))) const struct kernel_model_ops *tuff_kernel_model(void);

const struct kernel_model_ops *tuff_kernel_model(void)
{
    static const struct kernel_model_ops ops = {
        DRM_MODEL_OPS,
        .device_open = table_device_open,
        .device_info = table_device_info,
    };
    return &ops;
}
