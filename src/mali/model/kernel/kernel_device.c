/* The device and its open files, what panthor reports of itself to the shared kernel model, and the one symbol of the
 * model's shared object. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mali/model/kernel/kernel_types.h"
#include "model/drm/drm_model.h"
#include "util/bits.h"
#include "util/file_limit.h"

static const struct drm_platform places[] = {
    {"mali-g610", "fb000000.gpu", "/gpu@fb000000"},
    {"mali-g710", "28000000.gpu", "/soc/gpu@28000000"},
};

static const struct drm_platform *place_of(const struct mali_chip *chip)
{
    return drm_platform_find(places, ARRAY_SIZE(places), chip->name);
}

static void ring_name(uint32_t ring, char *name_out, size_t name_B)
{
    if (ring == MALI_RING_BIND)
        snprintf(name_out, name_B, "bind ring");
    else
        snprintf(name_out, name_B, "queue %u of slot %u", mali_ring_queue(ring), mali_ring_slot(ring));
}

static int open_file(struct drm_device *device, enum kernel_node node, struct drm_file **file_out)
{
    struct mali_file *file = NULL;
    int error = mali_file_open((struct mali_device *)device, node, &file);
    *file_out = file ? &file->file : NULL;
    return error;
}

static void close_file(struct drm_file *file)
{
    mali_file_close(mali_file(file));
}

static void destroy_device(struct drm_device *device)
{
    mali_device_destroy((struct mali_device *)device);
}

/* ---- the page of LATEST_FLUSH_ID ---- */

static int create_flush_page(struct mali_device *device)
{
    const size_t page_B = (size_t)gpu_space_granularity_B();
    device->flush_fd = memfd_create("tuff-flush-id", MFD_CLOEXEC);
    int error = device->flush_fd < 0 ? -errno : file_resize(device->flush_fd, page_B);
    if (error)
        return error;
    void *page = mmap(NULL, page_B, PROT_READ | PROT_WRITE, MAP_SHARED, device->flush_fd, 0);
    if (page == MAP_FAILED)
        return -errno;
    device->flush_id = page;
    atomic_store(device->flush_id, 1); /* 0 means "flush in any case" to a submission */
    return 0;
}

static void destroy_flush_page(struct mali_device *device)
{
    if (device->flush_id)
        munmap(device->flush_id, (size_t)gpu_space_granularity_B());
    if (device->flush_fd >= 0)
        close(device->flush_fd);
}

/* The only registers that user space may map: read-only, and whole. */
static int map_registers(struct drm_file *file, void *hint, size_t size_B, int protection, int flags, uint64_t offset_B,
                         void **memory_out)
{
    const struct mali_device *device = mali_file(file)->device;
    if (offset_B != atomic_load(&mali_file(file)->mmio_offset_B) || size_B != gpu_space_granularity_B() ||
        protection & (PROT_WRITE | PROT_EXEC) || (flags & MAP_TYPE) == MAP_PRIVATE)
        return -EINVAL;
    void *memory = mmap(hint, size_B, protection, flags, device->flush_fd, 0);
    if (memory == MAP_FAILED)
        return -errno;
    *memory_out = memory;
    return 0;
}

/* ---- the device ---- */

int mali_device_create(const char *chip_name, const struct drm_engine_ops *gpu_ops, struct mali_device **device_out)
{
    static const struct drm_driver driver = {
        .name = "panthor",
        .date = "20230801",
        .description = "Panthor DRM driver",
        .major = MALI_DRM_MAJOR,
        .minor = MALI_DRM_MINOR,
        .patch = MALI_DRM_PATCH,
        .log_name = "mali/model",
        .ioctls = mali_ioctls,
        .ioctl_count = MALI_IOCTL_COUNT,
        .ring_count = MALI_KERNEL_RINGS,
        .ring_name = ring_name,
        .gem_B = sizeof(struct mali_bo),
        .vm_B = sizeof(struct mali_vm),
        .file_open = open_file,
        .file_close = close_file,
        .device_destroy = destroy_device,
        .context_destroy = mali_context_destroy,
        .context_reset = mali_context_reset,
        .vm_finish = mali_vm_finish,
        .file_mmap = map_registers,
        .gem_may_leave = mali_gem_may_leave,
        .gem_label = mali_gem_label,
        .blob_B = sizeof(struct mali_bo_blob),
        .gem_arrived = mali_gem_arrived,
    };
    const struct mali_chip *chip = mali_chip_find(chip_name);
    if (!chip || !place_of(chip))
        return -ENODEV;
    struct mali_device *device = calloc(1, sizeof(*device));
    if (!device)
        return -ENOMEM;
    device->chip = chip;
    pthread_mutex_init(&device->slot_lock, NULL);
    snprintf(device->drm.unique, sizeof(device->drm.unique), "%s", place_of(chip)->name);
    int error = create_flush_page(device);
    int no_heap = drm_heap_open(&device->heap, "memory", MAX2(drm_host_memory_B(), 256ull << 20));
    const struct drm_front front = {gpu_ops, chip, MALI_RING_BIND};
    int failed = drm_device_init(&device->drm, &driver, &drm_front_ops, &front);
    if (error || no_heap || failed) {
        mali_device_destroy(device);
        return error ? error : no_heap ? no_heap : failed;
    }
    *device_out = device;
    return 0;
}

void mali_device_destroy(struct mali_device *device)
{
    drm_device_finish(&device->drm);
    drm_heap_close(&device->heap);
    destroy_flush_page(device);
    pthread_mutex_destroy(&device->slot_lock);
    free(device);
}

int mali_file_open(struct mali_device *device, enum kernel_node node, struct mali_file **file_out)
{
    struct mali_file *file = calloc(1, sizeof(*file));
    if (!file)
        return -ENOMEM;
    file->device = device;
    atomic_init(&file->mmio_offset_B,
                sizeof(long) == 8 ? DRM_PANTHOR_USER_MMIO_OFFSET_64BIT : DRM_PANTHOR_USER_MMIO_OFFSET_32BIT);
    drm_file_init(&file->file, &device->drm, node);
    *file_out = file;
    return 0;
}

void mali_file_close(struct mali_file *file)
{
    drm_file_leave(&file->file);
    mali_group_close_all(file);
    mali_vm_close_all(file);
    drm_file_finish(&file->file);
    free(file);
}

int mali_set_user_mmio_offset_ioctl(struct drm_file *file, void *data)
{
    const struct drm_panthor_set_user_mmio_offset *args = data;
    if (args->offset != DRM_PANTHOR_USER_MMIO_OFFSET_32BIT && args->offset != DRM_PANTHOR_USER_MMIO_OFFSET_64BIT)
        return -EINVAL;
    atomic_store(&mali_file(file)->mmio_offset_B, args->offset);
    return 0;
}

/* ---- the table ---- */

static int table_device_open(const char *chip, struct kernel_model_device **device_out)
{
    struct mali_device *device = NULL;
    int error = mali_device_create(chip, &mali_engine_ops, &device);
    *device_out = (struct kernel_model_device *)device;
    if (!error)
        drm_model_opened(&device->drm);
    return error;
}

static void table_device_info(struct kernel_model_device *device, struct kernel_device_info *info_out)
{
    const struct mali_chip *chip = ((const struct mali_device *)device)->chip;
    const char *const compatible[2] = {chip->device_tree, chip->compatible};
    drm_platform_info(place_of(chip), "panthor", compatible, info_out);
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
