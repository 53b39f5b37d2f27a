/* One device per kernel device within the process: contexts, handles and addresses of one file mean nothing to another,
 * and two views of one GPU would not see each other's buffers. Models have no node that could be compared: each open is
 * a GPU of its own. */
#include <drm.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amd/driver/ws.h"

static pthread_mutex_t devices_lock = PTHREAD_MUTEX_INITIALIZER;
static struct list devices = {&devices, &devices};

static int query(struct kernel_file *file, struct drm_amdgpu_info request, void *answer, uint32_t size_B)
{
    memset(answer, 0, size_B);
    request.return_pointer = (uintptr_t)answer;
    request.return_size = size_B;
    return kernel_ioctl(file, DRM_IOCTL_AMDGPU_INFO, &request);
}

static int query_ip(struct kernel_file *file, uint32_t type, struct drm_amdgpu_info_hw_ip *ip_out, uint32_t *queues_out)
{
    struct drm_amdgpu_info request = {.query = AMDGPU_INFO_HW_IP_INFO};
    request.query_hw_ip.type = type;
    int error = query(file, request, ip_out, sizeof(*ip_out));
    *queues_out = error ? 0 : (uint32_t)__builtin_popcount(ip_out->available_rings);
    return error;
}

static int query_version(struct kernel_file *file, struct ws_info *info)
{
    char name[32] = "";
    struct drm_version version = {.name = name, .name_len = sizeof(name) - 1};
    int error = kernel_ioctl(file, DRM_IOCTL_VERSION, &version);
    if (error)
        return error;
    if (strcmp(name, "amdgpu") || version.version_major != 3)
        return -ENODEV;
    info->drm_minor = (uint32_t)version.version_minor;
    return 0;
}

static int query_info(struct kernel_file *file, struct ws_info *info)
{
    uint32_t accel = 0;
    int error = query_version(file, info);
    if (!error)
        error = query(file, (struct drm_amdgpu_info){.query = AMDGPU_INFO_ACCEL_WORKING}, &accel, sizeof(accel));
    if (!error && !accel)
        error = -EBUSY;
    if (!error)
        error =
            query(file, (struct drm_amdgpu_info){.query = AMDGPU_INFO_DEV_INFO}, &info->device, sizeof(info->device));
    if (!error)
        error = query(file, (struct drm_amdgpu_info){.query = AMDGPU_INFO_MEMORY}, &info->memory, sizeof(info->memory));
    struct drm_amdgpu_info mmr = {.query = AMDGPU_INFO_READ_MMR_REG};
    mmr.read_mmr_reg.dword_offset = 0x263e; /* GB_ADDR_CONFIG */
    mmr.read_mmr_reg.count = 1;
    mmr.read_mmr_reg.instance = 0xffffffff;
    if (!error)
        error = query(file, mmr, &info->gb_addr_config, sizeof(info->gb_addr_config));
    if (!error)
        error = query_ip(file, AMDGPU_HW_IP_GFX, &info->gfx, &info->gfx_queues);
    if (!error)
        error = query_ip(file, AMDGPU_HW_IP_COMPUTE, &info->compute, &info->compute_queues);
    if (!error)
        error = query_ip(file, AMDGPU_HW_IP_DMA, &info->dma, &info->dma_queues);
    return error;
}

/* The low half begins where the kernel says; the first 4 GiB of each half are for 32-bit pointers. */
static int init_addresses(struct ws_device *device)
{
    const struct drm_amdgpu_info_device *info = &device->info.device;
    const uint64_t window_B = 1ull << 32;
    uint64_t low = info->virtual_address_offset, low_end = info->virtual_address_max;
    uint64_t high = info->high_va_offset, high_end = info->high_va_max;
    uint64_t low_32_end = low_end < window_B ? low_end : window_B;
    uint64_t high_32_end = high_end - high < window_B ? high_end : high + window_B;
    if (low > low_32_end)
        low_32_end = low;
    const uint64_t ranges[WS_VA_COUNT][2] = {
        {low, low_32_end}, {low_32_end, low_end}, {high, high_32_end}, {high_32_end, high_end}};
    for (int i = 0; i < WS_VA_COUNT; i++) {
        int error = vk_va_init(&device->va[i], ranges[i][0], ranges[i][1]);
        if (error) {
            while (i-- > 0)
                vk_va_finish(&device->va[i]);
            return error;
        }
    }
    return 0;
}

static int create_device(struct kernel_file *file, struct ws_device **device_out)
{
    struct ws_device *device = calloc(1, sizeof(*device));
    if (!device)
        return -ENOMEM;
    int error = query_info(file, &device->info);
    if (!error)
        error = init_addresses(device);
    if (error) {
        free(device);
        return error;
    }
    device->refs = 1;
    device->file = file;
    vk_gem_file_init(&device->gems, file, &amd_ws_gem_ops);
    list_init(&device->shared);
    list_init(&device->link);
    *device_out = device;
    return 0;
}

int amd_ws_device_open(struct kernel_file *file, struct ws_device **device_out)
{
    bool is_real = file->info.model[0] == '\0';
    pthread_mutex_lock(&devices_lock);
    int error = 0;
    struct ws_device *found = NULL;
    list_foreach (&devices, struct ws_device, device, link)
        if (is_real && !strcmp(device->file->info.primary_path, file->info.primary_path))
            found = device;
    if (found) {
        found->refs++;
        kernel_close(file);
    } else {
        error = create_device(file, &found);
        if (!error)
            list_push_back(&devices, &found->link);
    }
    pthread_mutex_unlock(&devices_lock);
    if (!error)
        *device_out = found;
    return error;
}

void amd_ws_device_close(struct ws_device *device)
{
    pthread_mutex_lock(&devices_lock);
    bool last = --device->refs == 0;
    if (last)
        list_remove(&device->link);
    pthread_mutex_unlock(&devices_lock);
    if (!last)
        return;
    for (int i = 0; i < WS_VA_COUNT; i++)
        vk_va_finish(&device->va[i]);
    vk_gem_file_finish(&device->gems);
    kernel_close(device->file);
    free(device);
}

int amd_ws_device_read_register(struct ws_device *device, uint32_t offset_B, uint32_t *value_out)
{
    struct drm_amdgpu_info mmr = {.query = AMDGPU_INFO_READ_MMR_REG};
    mmr.read_mmr_reg.dword_offset = offset_B / 4;
    mmr.read_mmr_reg.count = 1;
    mmr.read_mmr_reg.instance = 0xffffffff;
    return query(device->file, mmr, value_out, sizeof(*value_out));
}

int amd_ws_device_usage(struct ws_device *device, uint32_t what, uint64_t *bytes_out)
{
    return query(device->file, (struct drm_amdgpu_info){.query = what}, bytes_out, sizeof(*bytes_out));
}
