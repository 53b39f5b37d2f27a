/* A kernel for RADV that executes nothing: describes navi21 from our own row, gives out memory, and decodes what is
 * submitted. It stands in this program under the names of libdrm's and the C library's functions, which RADV and
 * libdrm_amdgpu then find first. The kernel model proper is in amd/model; this is as little as makes the judge
 * independent of it. */
#include <amdgpu_drm.h>
#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <xf86drm.h>

#include "amd/hw/chip.h"
#include "amd/hw/decode.h"
#include "capture.h"

#define MEMORY_B (8ull << 30) /* sparse */
#define MAX_BOS 4096
#define MAX_MAPPINGS 4096
#define EXPORTED __attribute__((visibility("default")))

struct bo {
    uint64_t offset_B, size_B;
};

struct mapping {
    uint64_t va, size_B, offset_B;
};

struct scene scenes[MAX_SCENES];
unsigned scene_count;
const char *capture_chip = "navi21";

static int memory_fd = -1;
static char *memory;
static char node_path[32];
static struct bo bos[MAX_BOS];
static unsigned bo_count = 1; /* handle 0 is none */
static struct mapping mappings[MAX_MAPPINGS];
static unsigned mapping_count;
static uint64_t used_B, fence;
static uint32_t next_handle = 1;

void capture_scene(const char *name)
{
    for (unsigned i = 0; i < scene_count; i++) {
        if (strcmp(scenes[i].name, name) == 0) {
            struct scene same = scenes[i];
            memmove(&scenes[i], &scenes[i + 1], (scene_count - i - 1) * sizeof(scenes[0]));
            scenes[scene_count - 1] = same;
            return;
        }
    }
    if (scene_count < MAX_SCENES)
        scenes[scene_count++] = (struct scene){.name = name};
}

/* --- libdrm's list of devices --- */

static void make_node(void)
{
    if (memory_fd >= 0)
        return;
    memory_fd = memfd_create("judge", MFD_CLOEXEC);
    if (memory_fd < 0 || ftruncate(memory_fd, (off_t)MEMORY_B) != 0)
        abort();
    memory = mmap(NULL, MEMORY_B, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, memory_fd, 0);
    if (memory == MAP_FAILED)
        abort();
    snprintf(node_path, sizeof(node_path), "/proc/self/fd/%d", memory_fd);
}

static drmDevicePtr make_device_info(void)
{
    static drmPciBusInfo bus = {.bus = 1};
    static drmPciDeviceInfo pci;
    static char *nodes[DRM_NODE_MAX];
    const struct amd_chip *chip = amd_chip_find(capture_chip);
    make_node();
    nodes[DRM_NODE_PRIMARY] = nodes[DRM_NODE_RENDER] = node_path;
    pci = (drmPciDeviceInfo){
        .vendor_id = 0x1002, .device_id = (uint16_t)chip->device_id, .revision_id = (uint8_t)chip->pci_rev};
    drmDevicePtr device = calloc(1, sizeof(*device));
    *device = (drmDevice){.nodes = nodes,
                          .available_nodes = 1 << DRM_NODE_RENDER,
                          .bustype = DRM_BUS_PCI,
                          .businfo.pci = &bus,
                          .deviceinfo.pci = &pci};
    return device;
}

EXPORTED int drmGetDevices2(uint32_t flags, drmDevicePtr devices[], int max_devices)
{
    if (devices && max_devices > 0)
        devices[0] = make_device_info();
    return 1;
}

EXPORTED void drmFreeDevices(drmDevicePtr devices[], int count)
{
    for (int i = 0; i < count; i++)
        free(devices[i]);
}

EXPORTED int drmGetDevice2(int fd, uint32_t flags, drmDevicePtr *device)
{
    *device = make_device_info();
    return 0;
}

EXPORTED void drmFreeDevice(drmDevicePtr *device)
{
    free(*device);
}

EXPORTED int drmGetNodeTypeFromFd(int fd)
{
    return DRM_NODE_RENDER;
}

EXPORTED char *drmGetPrimaryDeviceNameFromFd(int fd)
{
    return strdup(node_path);
}

/* --- INFO --- */

static void fill_device_info(struct drm_amdgpu_info_device *dev)
{
    const struct amd_chip *c = amd_chip_find(capture_chip);
    *dev = (struct drm_amdgpu_info_device){
        .device_id = c->device_id,
        .chip_rev = c->chip_rev,
        .external_rev = c->external_rev,
        .pci_rev = c->pci_rev,
        .family = c->family,
        .num_shader_engines = c->shader_engines,
        .num_shader_arrays_per_engine = c->shader_arrays_per_engine,
        .gpu_counter_freq = c->counter_freq_kHz,
        .max_engine_clock = c->engine_clock_max_kHz,
        .max_memory_clock = c->memory_clock_max_kHz,
        .cu_active_number = c->cu_active,
        .enabled_rb_pipes_mask = c->rb_enabled_mask,
        .num_rb_pipes = c->rb_count,
        .num_hw_gfx_contexts = c->gfx_contexts,
        .ids_flags = c->ids_flags,
        .virtual_address_offset = c->va_start,
        .virtual_address_max = c->va_end,
        .virtual_address_alignment = c->va_align_B,
        .pte_fragment_size = c->pte_fragment_size_B,
        .gart_page_size = c->gart_page_size_B,
        .ce_ram_size = c->ce_ram_size_B,
        .vram_type = c->vram_type,
        .vram_bit_width = c->vram_bit_width,
        .gc_double_offchip_lds_buf = c->double_offchip_lds_buf,
        .wave_front_size = c->wave_size,
        .num_shader_visible_vgprs = c->vgprs_per_simd_lane,
        .num_cu_per_sh = c->cu_per_array,
        .num_tcc_blocks = c->tcc_count,
        .gs_vgt_table_depth = c->gs_vgt_table_depth,
        .gs_prim_buffer_depth = c->gs_prim_buffer_depth,
        .max_gs_waves_per_vgt = c->max_gs_waves_per_vgt,
        .high_va_offset = c->high_va_start,
        .high_va_max = c->high_va_end,
        .pa_sc_tile_steering_override = c->pa_sc_tile_steering_override,
        .tcc_disabled_mask = c->tcc_disabled_mask,
    };
    memcpy(dev->cu_bitmap, c->cu_bitmap, sizeof(dev->cu_bitmap));
    memcpy(dev->cu_ao_bitmap, c->cu_ao_bitmap, sizeof(dev->cu_ao_bitmap));
}

static struct drm_amdgpu_info_hw_ip ip_info(const struct amd_chip_ip *ip)
{
    return (struct drm_amdgpu_info_hw_ip){.hw_ip_version_major = ip->version_major,
                                          .hw_ip_version_minor = ip->version_minor,
                                          .ib_start_alignment = ip->ib_start_align_B,
                                          .ib_size_alignment = ip->ib_size_align_B,
                                          .available_rings = ip->available_rings};
}

static struct drm_amdgpu_heap_info heap_info(const struct amd_chip_heap *heap)
{
    return (struct drm_amdgpu_heap_info){heap->total_B, heap->usable_B, 0, heap->max_allocation_B};
}

static int answer_query(const struct drm_amdgpu_info *info, const void *data, size_t size_B)
{
    memcpy((void *)(uintptr_t)info->return_pointer, data, info->return_size < size_B ? info->return_size : size_B);
    return 0;
}

static int query_info(const struct drm_amdgpu_info *info)
{
    const struct amd_chip *chip = amd_chip_find(capture_chip);
    uint32_t one = 1;
    switch (info->query) {
    case AMDGPU_INFO_ACCEL_WORKING:
        return answer_query(info, &one, sizeof(one));
    case AMDGPU_INFO_DEV_INFO: {
        struct drm_amdgpu_info_device dev;
        fill_device_info(&dev);
        return answer_query(info, &dev, sizeof(dev));
    }
    case AMDGPU_INFO_READ_MMR_REG:
        return info->read_mmr_reg.dword_offset == chip->mmrs[0].offset_dw ? answer_query(info, &chip->mmrs[0].value, 4)
                                                                          : -EINVAL;
    case AMDGPU_INFO_HW_IP_INFO: {
        struct drm_amdgpu_info_hw_ip ip = {0};
        if (info->query_hw_ip.type == AMDGPU_HW_IP_GFX)
            ip = ip_info(&chip->ip_gfx);
        else if (info->query_hw_ip.type == AMDGPU_HW_IP_COMPUTE)
            ip = ip_info(&chip->ip_compute);
        else if (info->query_hw_ip.type == AMDGPU_HW_IP_DMA)
            ip = ip_info(&chip->ip_sdma);
        return answer_query(info, &ip, sizeof(ip));
    }
    case AMDGPU_INFO_FW_VERSION: {
        struct amd_chip_firmware fw = {0};
        if (info->query_fw.fw_type == AMDGPU_INFO_FW_GFX_ME)
            fw = chip->fw_me;
        else if (info->query_fw.fw_type == AMDGPU_INFO_FW_GFX_PFP)
            fw = chip->fw_pfp;
        else if (info->query_fw.fw_type == AMDGPU_INFO_FW_GFX_MEC)
            fw = chip->fw_mec;
        return answer_query(info, &(struct drm_amdgpu_info_firmware){fw.version, fw.feature},
                            sizeof(struct drm_amdgpu_info_firmware));
    }
    case AMDGPU_INFO_MEMORY:
        return answer_query(info,
                            &(struct drm_amdgpu_memory_info){heap_info(&chip->vram), heap_info(&chip->vram_visible),
                                                             heap_info(&chip->gtt)},
                            sizeof(struct drm_amdgpu_memory_info));
    default:
        return -EINVAL;
    }
}

/* --- memory --- */

static int create_bo(union drm_amdgpu_gem_create *args)
{
    uint64_t size_B = (args->in.bo_size + 4095) & ~4095ull;
    if (bo_count >= MAX_BOS || used_B + size_B > MEMORY_B)
        return -ENOMEM;
    bos[bo_count] = (struct bo){used_B, size_B};
    used_B += size_B;
    args->out.handle = bo_count++;
    return 0;
}

static int map_va(const struct drm_amdgpu_gem_va *args)
{
    if (args->operation == AMDGPU_VA_OP_UNMAP || args->handle == 0)
        return 0; /* addresses are not used twice here */
    if (args->handle >= bo_count || mapping_count >= MAX_MAPPINGS)
        return -EINVAL;
    mappings[mapping_count++] =
        (struct mapping){args->va_address, args->map_size, bos[args->handle].offset_B + args->offset_in_bo};
    return 0;
}

/* The newest mapping of an address counts. */
static const uint32_t *read_gpu(void *data, uint64_t va, uint32_t count_dw)
{
    for (unsigned i = mapping_count; i-- > 0;) {
        const struct mapping *m = &mappings[i];
        if (va >= m->va && va - m->va <= m->size_B && 4ull * count_dw <= m->size_B - (va - m->va))
            return (const uint32_t *)(memory + m->offset_B + (va - m->va));
    }
    return NULL;
}

/* --- submission --- */

static void note_problem(void *data, uint64_t va, uint64_t offset_B, const char *message)
{
    strbuf_printf(&((struct scene *)data)->problems, "0x%" PRIx64 " + 0x%" PRIx64 ": %s\n", va, offset_B, message);
}

static int submit_chunks(union drm_amdgpu_cs *args)
{
    const uint64_t *chunks = (const uint64_t *)(uintptr_t)args->in.chunks;
    struct scene *scene = &scenes[scene_count - 1];
    struct hw_decode_options options = {
        .generation = AMD_GFX10_3, .policies = true, .read = read_gpu, .problem = note_problem, .data = scene};
    for (uint32_t i = 0; i < args->in.num_chunks; i++) {
        const struct drm_amdgpu_cs_chunk *chunk = (const struct drm_amdgpu_cs_chunk *)(uintptr_t)chunks[i];
        if (chunk->chunk_id != AMDGPU_CHUNK_ID_IB)
            continue;
        const struct drm_amdgpu_cs_chunk_ib *ib = (const struct drm_amdgpu_cs_chunk_ib *)(uintptr_t)chunk->chunk_data;
        const uint32_t *words = read_gpu(NULL, ib->va_start, ib->ib_bytes / 4);
        if (!words)
            return -EINVAL;
        options.stream = ib->ip_type == AMDGPU_HW_IP_DMA ? AMD_STREAM_SDMA : AMD_STREAM_PM4;
        amd_decode_stream(&scene->text, &options, words, ib->ib_bytes / 4);
        scene->streams++;
    }
    args->out.handle = ++fence;
    return 0;
}

/* --- ioctls --- */

static void give_text(char *to, size_t *length, const char *text)
{
    if (to && *length >= strlen(text))
        memcpy(to, text, strlen(text));
    *length = strlen(text);
}

static int drm_version(struct drm_version *version)
{
    size_t name_len = version->name_len, date_len = version->date_len, desc_len = version->desc_len;
    version->version_major = 3;
    version->version_minor = 40;
    version->version_patchlevel = 0;
    give_text(version->name, &name_len, "amdgpu");
    give_text(version->date, &date_len, "20150101");
    give_text(version->desc, &desc_len, "a judge");
    version->name_len = name_len;
    version->date_len = date_len;
    version->desc_len = desc_len;
    return 0;
}

static int amdgpu_ioctl(unsigned number, void *data)
{
    switch (number) {
    case DRM_AMDGPU_INFO:
        return query_info(data);
    case DRM_AMDGPU_GEM_CREATE:
        return create_bo(data);
    case DRM_AMDGPU_GEM_MMAP: {
        union drm_amdgpu_gem_mmap *args = data;
        if (args->in.handle >= bo_count)
            return -EINVAL;
        args->out.addr_ptr = bos[args->in.handle].offset_B;
        return 0;
    }
    case DRM_AMDGPU_GEM_VA:
        return map_va(data);
    case DRM_AMDGPU_CS:
        return submit_chunks(data);
    case DRM_AMDGPU_CTX:
        ((union drm_amdgpu_ctx *)data)->out.alloc.ctx_id = next_handle++;
        return 0;
    case DRM_AMDGPU_BO_LIST:
        ((union drm_amdgpu_bo_list *)data)->out.list_handle = next_handle++;
        return 0;
    case DRM_AMDGPU_WAIT_CS:
        ((union drm_amdgpu_wait_cs *)data)->out.status = 0;
        return 0;
    default:
        return 0;
    }
}

static int drm_ioctl(unsigned number, void *data)
{
    if (number >= DRM_COMMAND_BASE && number < DRM_COMMAND_END)
        return amdgpu_ioctl(number - DRM_COMMAND_BASE, data);
    switch (number) {
    case _IOC_NR(DRM_IOCTL_VERSION):
        return drm_version(data);
    case _IOC_NR(DRM_IOCTL_GET_CAP):
        ((struct drm_get_cap *)data)->value = 1;
        return 0;
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_CREATE):
        ((struct drm_syncobj_create *)data)->handle = next_handle++;
        return 0;
    default:
        return 0; /* everything is finished the moment it is asked for */
    }
}

EXPORTED int ioctl(int fd, unsigned long request, ...)
{
    va_list args;
    va_start(args, request);
    void *data = va_arg(args, void *);
    va_end(args);
    if (_IOC_TYPE(request) != DRM_IOCTL_BASE)
        return (int)syscall(SYS_ioctl, fd, request, data);
    int error = drm_ioctl((unsigned)_IOC_NR(request), data);
    if (error) {
        errno = -error;
        return -1;
    }
    return 0;
}
