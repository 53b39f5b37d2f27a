/* The device and its open files, what amdgpu reports of itself to the shared kernel model, and the one symbol of the
 * model's shared object. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "amd/model/kernel/kernel_types.h"
#include "model/drm/drm_model.h"
#include "util/bits.h"
#include "util/log.h"

/* Enough for every driver that we know, little enough to reserve on any host: see docs/architecture.md, "Memory". */
#define LOW_VA 0x200000ull
#define HIGH_VA 0xffff800000000000ull
/* amdgpu keeps the top for itself. libdrm relies on a last address that is no power of two: it makes two halves of the
 * range by a bit in which first and last differ, and RADV 26.2 puts sparse buffers into the upper one. */
#define TOP_RESERVED_B (2ull << 20)
#ifdef __SANITIZE_THREAD__ /* which leaves a program some tens of GiB of addresses */
#define LOW_END (1ull << 30)
#define HIGH_SIZE_B ((8ull << 30) - TOP_RESERVED_B)
#else
#define LOW_END (16ull << 30)
#define HIGH_SIZE_B ((64ull << 30) - TOP_RESERVED_B)
#endif

#define GDS_SIZE_B 65536
#define GWS_COUNT 64
#define OA_COUNT 16

/* VRAM and GTT are each up to half of what the host has: together they can be filled. */
static int open_heaps(struct amd_device *device)
{
    uint64_t host_B = drm_host_memory_B();
    uint64_t half_B = host_B / 2 & ~((256ull << 20) - 1);
    uint64_t heap_B = MAX2(half_B, 256ull << 20);
    int error = drm_heap_open(&device->heaps[AMD_HEAP_VRAM], "VRAM", MIN2(heap_B, device->chip->vram.total_B));
    if (!error)
        error = drm_heap_open(&device->heaps[AMD_HEAP_GTT], "GTT", heap_B);
    device->heaps[AMD_HEAP_GDS] = (struct drm_heap){.name = "GDS", .total_B = GDS_SIZE_B};
    device->heaps[AMD_HEAP_GWS] = (struct drm_heap){.name = "GWS", .total_B = GWS_COUNT};
    device->heaps[AMD_HEAP_OA] = (struct drm_heap){.name = "OA", .total_B = OA_COUNT};
    return error;
}

static void ring_name(uint32_t ring, char *name_out, size_t name_B)
{
    snprintf(name_out, name_B, "%s ring %u", amd_ring_name(amd_ring_kind(ring)), amd_ring_index(ring));
}

static void gem_closed(struct drm_file *file, struct drm_gem *gem)
{
    drm_vm_forget_gem(amd_file(file)->vm, gem);
}

static int open_file(struct drm_device *device, enum kernel_node node, struct drm_file **file_out)
{
    struct amd_file *file = NULL;
    int error = amd_file_open((struct amd_device *)device, node, &file);
    *file_out = file ? &file->file : NULL;
    return error;
}

static void close_file(struct drm_file *file)
{
    amd_file_close(amd_file(file));
}

static void destroy_device(struct drm_device *device)
{
    amd_device_destroy((struct amd_device *)device);
}

int amd_device_create(const char *chip_name, const struct drm_engine_ops *engine_ops, struct amd_device **device_out)
{
    static const struct drm_driver driver = {
        .name = "amdgpu",
        .date = "20150101",
        .description = "AMD GPU",
        .major = AMD_DRM_MAJOR,
        .minor = AMD_DRM_MINOR,
        .patch = AMD_DRM_PATCH,
        .log_name = "amd/model",
        .ioctls = amd_ioctls,
        .ioctl_count = AMD_IOCTL_COUNT,
        .ring_count = AMD_RING_COUNT,
        .ring_name = ring_name,
        .gem_B = sizeof(struct amd_bo),
        .vm_B = sizeof(struct amd_vm),
        .file_open = open_file,
        .file_close = close_file,
        .device_destroy = destroy_device,
        .context_destroy = amd_ctx_destroy,
        .gem_closed = gem_closed,
        .blob_B = sizeof(struct amd_bo_blob),
        .gem_arrived = amd_gem_arrived,
    };
    const struct amd_chip *chip = amd_chip_find(chip_name);
    if (!chip)
        return -ENODEV;
    struct amd_device *device = calloc(1, sizeof(*device));
    if (!device)
        return -ENOMEM;
    device->chip = chip;
    snprintf(device->name, sizeof(device->name), "%s", chip_name);
    snprintf(device->drm.unique, sizeof(device->drm.unique), "pci:0000:%02x:00.0", chip->pci_bus);
    device->low_va = LOW_VA;
    device->low_size_B = LOW_END - LOW_VA;
    device->high_va = HIGH_VA;
    device->high_size_B = HIGH_SIZE_B;
    int error = open_heaps(device);
    int failed = drm_device_init(&device->drm, &driver, engine_ops, chip);
    if (error || failed) {
        amd_device_destroy(device);
        return error ? error : failed;
    }
    *device_out = device;
    return 0;
}

void amd_device_destroy(struct amd_device *device)
{
    drm_device_finish(&device->drm);
    for (unsigned kind = 0; kind < AMD_HEAP_COUNT; kind++)
        drm_heap_close(&device->heaps[kind]);
    free(device);
}

int amd_file_open(struct amd_device *device, enum kernel_node node, struct amd_file **file_out)
{
    struct amd_file *file = calloc(1, sizeof(*file));
    if (!file)
        return -ENOMEM;
    file->device = device;
    const struct gpu_extent extents[] = {{device->low_va, device->low_size_B}, {device->high_va, device->high_size_B}};
    int error = drm_vm_create(&device->drm, extents, ARRAY_SIZE(extents), &file->vm);
    if (error) {
        free(file);
        return error;
    }
    drm_file_init(&file->file, &device->drm, node);
    *file_out = file;
    return 0;
}

void amd_file_close(struct amd_file *file)
{
    drm_file_leave(&file->file);
    amd_ctx_close_all(file);
    array_foreach (&file->bo_lists.slots, slot) {
        if (*slot)
            drm_use_list_finish(*slot);
        free(*slot);
    }
    drm_handles_finish(&file->bo_lists);
    drm_handles_finish(&file->contexts);
    drm_file_finish(&file->file);
    drm_vm_unref(file->vm);
    free(file);
}

/* ---- the table ---- */

static int table_device_open(const char *chip, struct kernel_model_device **device_out)
{
    struct amd_device *device = NULL;
    int error = amd_device_create(chip, amd_engine_default(), &device);
    *device_out = (struct kernel_model_device *)device;
    if (!error)
        drm_model_opened(&device->drm);
    return error;
}

static void table_device_info(struct kernel_model_device *device, struct kernel_device_info *info_out)
{
    const struct amd_chip *chip = ((const struct amd_device *)device)->chip;
    *info_out = (struct kernel_device_info){.driver = "amdgpu",
                                            .bus = KERNEL_BUS_PCI,
                                            .pci = {.bus = (uint8_t)chip->pci_bus,
                                                    .vendor_id = 0x1002,
                                                    .device_id = (uint16_t)chip->device_id,
                                                    .subvendor_id = 0x1002,
                                                    .subdevice_id = (uint16_t)chip->device_id,
                                                    .revision = (uint8_t)chip->pci_rev}};
    snprintf(info_out->model, sizeof(info_out->model), "%s", ((const struct amd_device *)device)->name);
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
