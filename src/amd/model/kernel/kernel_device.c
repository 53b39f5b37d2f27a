/* The device and its open files, and the one symbol of the model's shared object. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

#include "amd/model/kernel/kernel_sched.h"
#include "kernel/model.h"
#include "model/drm/drm_user.h"
#include "util/bits.h"
#include "util/log.h"

/* Enough for every driver that we know, little enough to reserve on any host: see docs/architecture.md, "Memory". */
#define LOW_VA 0x200000ull
#define HIGH_VA 0xffff800000000000ull
#ifdef __SANITIZE_THREAD__ /* which leaves a program some tens of GiB of addresses */
#define LOW_END (1ull << 30)
#define HIGH_SIZE_B (8ull << 30)
#else
#define LOW_END (16ull << 30)
#define HIGH_SIZE_B (64ull << 30)
#endif

#define GDS_SIZE_B 65536
#define GWS_COUNT 64
#define OA_COUNT 16

/* What this process may use: the machine's memory, or less where its control group says so. */
static uint64_t host_memory_B(void)
{
    struct sysinfo info = {0};
    sysinfo(&info);
    uint64_t host_B = (uint64_t)info.totalram * info.mem_unit, limit_B;
    FILE *file = fopen("/sys/fs/cgroup/memory.max", "re");
    if (!file)
        return host_B;
    if (fscanf(file, "%" SCNu64, &limit_B) == 1)
        host_B = MIN2(host_B, limit_B);
    fclose(file);
    return host_B;
}

/* VRAM and GTT are each up to half of what the host has: together they can be filled. */
static void size_heaps(struct amd_device *device)
{
    uint64_t host_B = host_memory_B();
    uint64_t half_B = host_B / 2 & ~((256ull << 20) - 1);
    uint64_t heap_B = MAX2(half_B, 256ull << 20);
    device->heaps[AMD_HEAP_VRAM].total_B = MIN2(heap_B, device->chip->vram.total_B);
    device->heaps[AMD_HEAP_GTT].total_B = heap_B;
    device->heaps[AMD_HEAP_GDS].total_B = GDS_SIZE_B;
    device->heaps[AMD_HEAP_GWS].total_B = GWS_COUNT;
    device->heaps[AMD_HEAP_OA].total_B = OA_COUNT;
}

static int open_heaps(struct amd_device *device)
{
    const char *names[AMD_HEAP_COUNT] = {[AMD_HEAP_VRAM] = "tuff-vram", [AMD_HEAP_GTT] = "tuff-gtt"};
    size_heaps(device);
    for (unsigned kind = 0; kind < AMD_HEAP_COUNT; kind++)
        device->heaps[kind].memfd = -1;
    for (unsigned kind = AMD_HEAP_VRAM; kind <= AMD_HEAP_GTT; kind++) {
        struct amd_heap *heap = &device->heaps[kind];
        heap->memfd = memfd_create(names[kind], MFD_CLOEXEC);
        if (heap->memfd < 0 || ftruncate(heap->memfd, INT64_MAX & ~(off_t)(gpu_space_granularity_B() - 1)))
            return -errno;
    }
    return 0;
}

bool amd_device_is_ours(const struct amd_device *device)
{
    return device->generation == drm_process_generation();
}

int amd_device_create(const char *chip_name, const struct amd_engine_ops *engine_ops, struct amd_device **device_out)
{
    const struct amd_chip *chip = amd_chip_find(chip_name);
    if (!chip)
        return -ENODEV;
    struct amd_device *device = calloc(1, sizeof(*device));
    if (!device)
        return -ENOMEM;
    device->chip = chip;
    snprintf(device->name, sizeof(device->name), "%s", chip_name);
    device->generation = drm_process_generation();
    device->engine_ops = engine_ops;
    device->low_va = LOW_VA;
    device->low_size_B = LOW_END - LOW_VA;
    device->high_va = HIGH_VA;
    device->high_size_B = HIGH_SIZE_B;
    list_init(&device->vms);
    list_init(&device->files);
    pthread_mutex_init(&device->lock, NULL);
    int error = open_heaps(device);
    if (!error)
        error = amd_sched_create(device, &device->sched);
    if (!error)
        error = engine_ops->create(chip, &amd_engine_host, &device->engine);
    if (error) {
        amd_device_destroy(device);
        return error;
    }
    *device_out = device;
    return 0;
}

void amd_device_destroy(struct amd_device *device)
{
    while (device->cpu_maps.count) {
        struct amd_bo_user_mapping mapping = device->cpu_maps.data[0];
        amd_device_memory_unmapped(device, mapping.memory, mapping.size_B);
    }
    /* The scheduler's thread asks the engine; the engine's threads are maybe still telling the scheduler of a job whose
     * fence has been seen already. */
    if (device->sched)
        amd_sched_stop(device->sched);
    if (device->engine)
        device->engine_ops->destroy(device->engine);
    if (device->sched)
        amd_sched_destroy(device->sched);
    for (unsigned kind = 0; kind < AMD_HEAP_COUNT; kind++) {
        if (device->heaps[kind].memfd >= 0)
            close(device->heaps[kind].memfd);
    }
    array_finish(&device->mmap_bos);
    array_finish(&device->cpu_maps);
    array_finish(&device->shared_bos);
    array_finish(&device->flink_names.slots);
    pthread_mutex_destroy(&device->lock);
    free(device);
}

int amd_file_open(struct amd_device *device, enum kernel_node node, struct amd_file **file_out)
{
    if (!amd_device_is_ours(device))
        return -ENODEV;
    struct amd_file *file = calloc(1, sizeof(*file));
    if (!file)
        return -ENOMEM;
    file->device = device;
    file->node = node;
    int error = amd_vm_create(device, &file->vm);
    if (error) {
        free(file);
        return error;
    }
    pthread_mutex_init(&file->lock, NULL);
    drm_syncobj_table_init(&file->syncobjs);
    pthread_mutex_lock(&device->lock);
    if (node == KERNEL_NODE_PRIMARY) { /* the first one is the master */
        bool taken = false;
        list_foreach (&device->files, struct amd_file, other, node_in_device)
            taken = taken || other->master;
        file->master = file->authenticated = !taken;
    }
    list_push_back(&device->files, &file->node_in_device);
    pthread_mutex_unlock(&device->lock);
    *file_out = file;
    return 0;
}

void amd_file_close(struct amd_file *file)
{
    struct amd_device *device = file->device;
    if (!amd_device_is_ours(device))
        return; /* a child of fork: locks and memory are its parent's business, and ours only by copy */
    pthread_mutex_lock(&device->lock);
    list_remove(&file->node_in_device);
    pthread_mutex_unlock(&device->lock);
    amd_ctx_close_all(file);
    array_foreach (&file->bo_lists.slots, slot) {
        if (*slot) {
            amd_bo_list_destroy(*slot);
            free(*slot);
        }
    }
    array_foreach (&file->bos.slots, slot) {
        if (*slot)
            amd_vm_forget_bo(file->vm, *slot);
        amd_bo_unref(*slot);
    }
    drm_syncobj_table_finish(&file->syncobjs);
    amd_vm_unref(file->vm);
    array_finish(&file->bos.slots);
    array_finish(&file->contexts.slots);
    array_finish(&file->bo_lists.slots);
    map64_finish(&file->bo_handles);
    pthread_mutex_destroy(&file->lock);
    free(file);
}

/* ---- the end of the process ---- */

static struct amd_device *open_devices[16]; /* those of the table; never closed in practice */
static _Atomic uint32_t open_device_count;

/* The kernel lets work go on that a process leaves behind; ours ends with the process, so it gets the second that the
 * kernel grants to a closed file. */
__attribute__((destructor)) static void finish_work(void)
{
    int64_t deadline_ns = drm_now_ns() + 1000000000;
    for (uint32_t i = 0; i < MIN2(atomic_load(&open_device_count), (uint32_t)ARRAY_SIZE(open_devices)); i++) {
        if (open_devices[i] && amd_device_is_ours(open_devices[i]))
            amd_sched_wait_idle(open_devices[i]->sched, deadline_ns);
    }
}

/* ---- the table ---- */

static struct amd_device *as_device(struct kernel_model_device *device)
{
    return (struct amd_device *)device;
}

static struct amd_file *as_file(struct kernel_model_file *file)
{
    return (struct amd_file *)file;
}

static int table_device_open(const char *chip, struct kernel_model_device **device_out)
{
    struct amd_device *device = NULL;
    int error = amd_device_create(chip, amd_engine_default(), &device);
    *device_out = (struct kernel_model_device *)device;
    uint32_t index = error ? (uint32_t)ARRAY_SIZE(open_devices) : atomic_fetch_add(&open_device_count, 1);
    if (index < ARRAY_SIZE(open_devices))
        open_devices[index] = device;
    return error;
}

static void table_device_close(struct kernel_model_device *device)
{
    for (uint32_t i = 0; i < ARRAY_SIZE(open_devices); i++) {
        if (open_devices[i] == as_device(device))
            open_devices[i] = NULL;
    }
    amd_device_destroy(as_device(device));
}

static void table_device_info(struct kernel_model_device *device, struct kernel_device_info *info_out)
{
    const struct amd_chip *chip = as_device(device)->chip;
    *info_out = (struct kernel_device_info){.driver = "amdgpu",
                                            .bus = KERNEL_BUS_PCI,
                                            .pci = {.bus = (uint8_t)chip->pci_bus,
                                                    .vendor_id = 0x1002,
                                                    .device_id = (uint16_t)chip->device_id,
                                                    .subvendor_id = 0x1002,
                                                    .subdevice_id = (uint16_t)chip->device_id,
                                                    .revision = (uint8_t)chip->pci_rev}};
    snprintf(info_out->model, sizeof(info_out->model), "%s", as_device(device)->name);
}

static int table_file_open(struct kernel_model_device *device, enum kernel_node node,
                           struct kernel_model_file **file_out)
{
    struct amd_file *file = NULL;
    int error = amd_file_open(as_device(device), node, &file);
    *file_out = (struct kernel_model_file *)file;
    return error;
}

static void table_file_close(struct kernel_model_file *file)
{
    amd_file_close(as_file(file));
}

static int table_file_ioctl(struct kernel_model_file *file, unsigned long request, void *argument)
{
    return amd_file_ioctl(as_file(file), request, argument);
}

static int table_file_mmap(struct kernel_model_file *file, void *hint, size_t size_B, int protection, int flags,
                           uint64_t offset_B, void **memory_out)
{
    if (!amd_device_is_ours(as_file(file)->device))
        return -ENODEV;
    return amd_file_mmap(as_file(file), hint, size_B, protection, flags, offset_B, memory_out);
}

/* amdgpu's nodes have events only for displays, and the model has none: nothing to read, ever. */
static int table_file_poll(struct kernel_model_file *file, short events, int timeout_ms)
{
    struct timespec pause = {.tv_sec = timeout_ms / 1000, .tv_nsec = timeout_ms % 1000 * 1000000l};
    if (timeout_ms < 0)
        pause.tv_sec = 1; /* poll may return early, but not at once: the caller would spin */
    return nanosleep(&pause, NULL) ? -errno : 0;
}

static void table_memory_unmapped(struct kernel_model_device *device, const void *memory, size_t size_B)
{
    if (amd_device_is_ours(as_device(device)))
        amd_device_memory_unmapped(as_device(device), memory, size_B);
}

__attribute__((visibility("default"))) const struct kernel_model_ops *tuff_kernel_model(void);

const struct kernel_model_ops *tuff_kernel_model(void)
{
    static const struct kernel_model_ops ops = {
        .abi = KERNEL_MODEL_ABI,
        .device_open = table_device_open,
        .device_close = table_device_close,
        .device_info = table_device_info,
        .file_open = table_file_open,
        .file_close = table_file_close,
        .file_ioctl = table_file_ioctl,
        .file_mmap = table_file_mmap,
        .file_poll = table_file_poll,
        .memory_unmapped = table_memory_unmapped,
        .dmabuf_size = amd_dmabuf_size,
        .fd_ioctl = amd_fd_ioctl,
    };
    return &ops;
}
