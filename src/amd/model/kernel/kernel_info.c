/* AMDGPU_INFO: one function per query, found by table. The chip's facts come from its row; sizes and usage of memory
 * from the device. A query that the kernel would refuse for this chip is refused with the same errno. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "amd/model/kernel/kernel_types.h"
#include "model/drm/drm_user.h"
#include "util/bits.h"

/* Newer than Debian's header, of the interface version that we report. */
struct info_hw_ip {
    uint32_t version_major;
    uint32_t version_minor;
    uint64_t capabilities_flags;
    uint32_t ib_start_alignment;
    uint32_t ib_size_alignment;
    uint32_t available_rings;
    uint32_t ip_discovery_version;
};

/* The fields after tcc_disabled_mask in the description of a device since 3.50. */
struct info_device_tail {
    uint64_t min_engine_clock_kHz, min_memory_clock_kHz;
    /* Sizes in KiB, which the kernel knows of GFX11 and later; 0 for others. */
    uint32_t tcp_cache_KiB, sqc_per_wgp, sqc_data_cache_KiB, sqc_inst_cache_KiB, gl1c_cache_KiB, gl2c_cache_KiB;
    uint64_t mall_size_B;
    uint32_t enabled_rb_pipes_mask_hi;                                       /* of more than 32 pipes */
    uint32_t shadow_size_B, shadow_alignment_B, csa_size_B, csa_alignment_B; /* GFX11 and later */
    uint32_t pad;
};

/* The whole of it, whatever header this is built with. */
#define INFO_DEVICE_TAIL_B (offsetof(struct drm_amdgpu_info_device, tcc_disabled_mask) + sizeof(uint64_t))
#define INFO_DEVICE_B (INFO_DEVICE_TAIL_B + sizeof(struct info_device_tail))
_Static_assert(INFO_DEVICE_TAIL_B % 8 == 0 && sizeof(struct info_device_tail) == 72, "the kernel's layout");

/* Padding in Debian 12's header. */
#define INFO_DEVICE_PCIE_GEN_B (offsetof(struct drm_amdgpu_info_device, ids_flags) - sizeof(uint32_t))
#define INFO_DEVICE_PCIE_LANES_B (offsetof(struct drm_amdgpu_info_device, max_gs_waves_per_vgt) + sizeof(uint32_t))

/* Queries that Debian 12's header does not have. */
enum {
    INFO_SENSOR_PEAK_PSTATE_GFX_SCLK = 0xa,
    INFO_SENSOR_PEAK_PSTATE_GFX_MCLK = 0xb,
    INFO_MAX_IBS = 0x22,
};

/* Like snprintf: the user's size limits what is written, and a shorter answer is no error. */
static int answer_query(const struct drm_amdgpu_info *args, const void *data, size_t size_B)
{
    return drm_copy_to_user(args->return_pointer, data, MIN2(size_B, (size_t)args->return_size));
}

static int answer_u32(const struct drm_amdgpu_info *args, uint32_t value)
{
    return answer_query(args, &value, sizeof(value));
}

static int answer_u64(const struct drm_amdgpu_info *args, uint64_t value)
{
    return answer_query(args, &value, sizeof(value));
}

static int query_accel_working(struct amd_device *device, const struct drm_amdgpu_info *args)
{
    return answer_u32(args, 1);
}

static int query_nothing(struct amd_device *device, const struct drm_amdgpu_info *args)
{
    return answer_u64(args, 0); /* nothing is ever moved, evicted or lost */
}

static int query_no_flags(struct amd_device *device, const struct drm_amdgpu_info *args)
{
    return answer_u32(args, 0);
}

static int query_hw_ip_info(struct amd_device *device, const struct drm_amdgpu_info *args)
{
    if (args->query_hw_ip.ip_instance >= AMDGPU_HW_IP_INSTANCE_MAX_COUNT || args->query_hw_ip.type >= AMDGPU_HW_IP_NUM)
        return -EINVAL;
    struct info_hw_ip info = {0};
    enum amd_ring_kind kind;
    const struct amd_chip_ip *ip = amd_chip_ip_find(device->chip, args->query_hw_ip.type, &kind);
    if (ip) {
        info = (struct info_hw_ip){.version_major = ip->version_major,
                                   .version_minor = ip->version_minor,
                                   .ib_start_alignment = ip->ib_start_align_B,
                                   .ib_size_alignment = ip->ib_size_align_B,
                                   .available_rings = ip->available_rings,
                                   .ip_discovery_version = ip->discovery_version};
    }
    return answer_query(args, &info, sizeof(info));
}

static int query_hw_ip_count(struct amd_device *device, const struct drm_amdgpu_info *args)
{
    if (args->query_hw_ip.type >= AMDGPU_HW_IP_NUM)
        return -EINVAL;
    enum amd_ring_kind kind;
    return answer_u32(args, amd_chip_ip_find(device->chip, args->query_hw_ip.type, &kind) != NULL);
}

static int query_timestamp(struct amd_device *device, const struct drm_amdgpu_info *args)
{
    return answer_u64(args, device->drm.engine_ops->timestamp(device->drm.engine));
}

static int query_fw_version(struct amd_device *device, const struct drm_amdgpu_info *args)
{
    const struct amd_chip *chip = device->chip;
    if (args->query_fw.ip_instance)
        return -EINVAL;
    struct amd_chip_firmware firmware = {0};
    switch (args->query_fw.fw_type) {
    case AMDGPU_INFO_FW_GFX_ME:
        firmware = chip->fw_me;
        break;
    case AMDGPU_INFO_FW_GFX_PFP:
        firmware = chip->fw_pfp;
        break;
    case AMDGPU_INFO_FW_GFX_MEC:
        if (args->query_fw.index > 1)
            return -EINVAL;
        firmware = chip->fw_mec;
        break;
    case AMDGPU_INFO_FW_SDMA:
        if (args->query_fw.index >= 2)
            return -EINVAL;
        break;
    case AMDGPU_INFO_FW_TA:
        return -EINVAL;
    default: /* blocks without firmware of interest say version 0 */
        if (args->query_fw.fw_type == 0 || args->query_fw.fw_type == 0x9 || args->query_fw.fw_type > AMDGPU_INFO_FW_TOC)
            return -EINVAL;
        break;
    }
    struct drm_amdgpu_info_firmware info = {.ver = firmware.version, .feature = firmware.feature};
    return answer_query(args, &info, sizeof(info));
}

static uint64_t heap_used_B(struct amd_device *device, enum amd_heap_kind kind)
{
    pthread_mutex_lock(&device->drm.lock);
    uint64_t used_B = device->heaps[kind].used_B;
    pthread_mutex_unlock(&device->drm.lock);
    return used_B;
}

static int query_vram_usage(struct amd_device *device, const struct drm_amdgpu_info *args)
{
    return answer_u64(args, heap_used_B(device, AMD_HEAP_VRAM));
}

static int query_gtt_usage(struct amd_device *device, const struct drm_amdgpu_info *args)
{
    return answer_u64(args, heap_used_B(device, AMD_HEAP_GTT));
}

static int query_gds_config(struct amd_device *device, const struct drm_amdgpu_info *args)
{
    struct drm_amdgpu_info_gds info = {.compute_partition_size = (uint32_t)device->heaps[AMD_HEAP_GDS].total_B,
                                       .gds_total_size = (uint32_t)device->heaps[AMD_HEAP_GDS].total_B,
                                       .gws_per_compute_partition = (uint32_t)device->heaps[AMD_HEAP_GWS].total_B,
                                       .oa_per_compute_partition = (uint32_t)device->heaps[AMD_HEAP_OA].total_B};
    return answer_query(args, &info, sizeof(info));
}

static int query_vram_gtt(struct amd_device *device, const struct drm_amdgpu_info *args)
{
    struct drm_amdgpu_info_vram_gtt info = {.vram_size = device->heaps[AMD_HEAP_VRAM].total_B,
                                            .vram_cpu_accessible_size = device->heaps[AMD_HEAP_VRAM].total_B,
                                            .gtt_size = device->heaps[AMD_HEAP_GTT].total_B};
    return answer_query(args, &info, sizeof(info));
}

static struct drm_amdgpu_heap_info describe_heap(struct amd_device *device, enum amd_heap_kind kind)
{
    const struct drm_heap *heap = &device->heaps[kind];
    return (struct drm_amdgpu_heap_info){.total_heap_size = heap->total_B,
                                         .usable_heap_size = heap->total_B,
                                         .heap_usage = heap_used_B(device, kind),
                                         .max_allocation = amd_heap_max_allocation_B(heap)};
}

static int query_memory(struct amd_device *device, const struct drm_amdgpu_info *args)
{
    struct drm_amdgpu_memory_info info = {.vram = describe_heap(device, AMD_HEAP_VRAM),
                                          .cpu_accessible_vram = describe_heap(device, AMD_HEAP_VRAM),
                                          .gtt = describe_heap(device, AMD_HEAP_GTT)};
    return answer_query(args, &info, sizeof(info));
}

/* The register's value for one engine and array, or for all of them. */
static bool find_mmr(const struct amd_chip *chip, uint32_t offset_dw, uint32_t instance, uint32_t *value_out)
{
    for (uint32_t i = 0; i < chip->mmr_count; i++) {
        const struct amd_chip_mmr *mmr = &chip->mmrs[i];
        if (mmr->offset_dw == offset_dw && (mmr->instance == instance || mmr->instance == UINT32_MAX)) {
            *value_out = mmr->value;
            return true;
        }
    }
    return false;
}

static int query_mmr(struct amd_device *device, const struct drm_amdgpu_info *args)
{
    uint32_t values[128];
    uint32_t count = args->read_mmr_reg.count, instance = args->read_mmr_reg.instance;
    uint32_t se = instance >> AMDGPU_INFO_MMR_SE_INDEX_SHIFT & AMDGPU_INFO_MMR_SE_INDEX_MASK;
    uint32_t sh = instance >> AMDGPU_INFO_MMR_SH_INDEX_SHIFT & AMDGPU_INFO_MMR_SH_INDEX_MASK;
    if (count > ARRAY_SIZE(values))
        return -EINVAL;
    if ((se != AMDGPU_INFO_MMR_SE_INDEX_MASK && se >= AMD_MAX_SHADER_ENGINES) ||
        (sh != AMDGPU_INFO_MMR_SH_INDEX_MASK && sh >= AMD_MAX_SHADER_ARRAYS))
        return -EINVAL;
    for (uint32_t i = 0; i < count; i++) {
        if (!find_mmr(device->chip, args->read_mmr_reg.dword_offset + i, instance, &values[i]))
            return -EFAULT; /* not on the list of registers that user space may read */
    }
    return answer_query(args, values, count * sizeof(values[0]));
}

static int query_dev_info(struct amd_device *device, const struct drm_amdgpu_info *args)
{
    const struct amd_chip *chip = device->chip;
    struct drm_amdgpu_info_device info = {
        .device_id = chip->device_id,
        .chip_rev = chip->chip_rev,
        .external_rev = chip->external_rev,
        .pci_rev = chip->pci_rev,
        .family = chip->family,
        .num_shader_engines = chip->shader_engines,
        .num_shader_arrays_per_engine = chip->shader_arrays_per_engine,
        .gpu_counter_freq = chip->counter_freq_kHz,
        .max_engine_clock = chip->engine_clock_max_kHz,
        .max_memory_clock = chip->memory_clock_max_kHz,
        .cu_active_number = chip->cu_active,
        .cu_ao_mask = chip->cu_ao_mask,
        .enabled_rb_pipes_mask = chip->rb_enabled_mask,
        .num_rb_pipes = chip->rb_count,
        .num_hw_gfx_contexts = chip->gfx_contexts,
        .ids_flags = chip->ids_flags,
        .virtual_address_offset = device->low_va,
        .virtual_address_max = device->low_va + device->low_size_B,
        .virtual_address_alignment = (uint32_t)gpu_space_granularity_B(),
        .pte_fragment_size = chip->pte_fragment_size_B,
        .gart_page_size = (uint32_t)gpu_space_granularity_B(),
        .ce_ram_size = chip->ce_ram_size_B,
        .vram_type = chip->vram_type,
        .vram_bit_width = chip->vram_bit_width,
        .gc_double_offchip_lds_buf = chip->double_offchip_lds_buf,
        .wave_front_size = chip->wave_size,
        .num_shader_visible_vgprs = chip->vgprs_per_simd_lane,
        .num_cu_per_sh = chip->cu_per_array,
        .num_tcc_blocks = chip->tcc_count,
        .gs_vgt_table_depth = chip->gs_vgt_table_depth,
        .gs_prim_buffer_depth = chip->gs_prim_buffer_depth,
        .max_gs_waves_per_vgt = chip->max_gs_waves_per_vgt,
        .high_va_offset = device->high_va,
        .high_va_max = device->high_va + device->high_size_B,
        .pa_sc_tile_steering_override = chip->pa_sc_tile_steering_override,
        .tcc_disabled_mask = chip->tcc_disabled_mask,
    };
    _Static_assert(sizeof(info.cu_bitmap) == sizeof(chip->cu_bitmap), "the kernel's bitmap has the chip table's shape");
    memcpy(info.cu_bitmap, chip->cu_bitmap, sizeof(info.cu_bitmap));
    memcpy(info.cu_ao_bitmap, chip->cu_ao_bitmap, sizeof(info.cu_ao_bitmap));
    const struct info_device_tail tail = {.min_engine_clock_kHz = chip->engine_clock_min_kHz,
                                          .min_memory_clock_kHz = chip->memory_clock_min_kHz,
                                          .mall_size_B = chip->mall_size_B};
    const uint32_t pcie_gen = chip->pcie_gen, pcie_lanes = chip->pcie_lanes;
    uint8_t whole[INFO_DEVICE_B];
    memcpy(whole, &info, INFO_DEVICE_TAIL_B);
    memcpy(whole + INFO_DEVICE_TAIL_B, &tail, sizeof(tail));
    memcpy(whole + INFO_DEVICE_PCIE_GEN_B, &pcie_gen, sizeof(pcie_gen));
    memcpy(whole + INFO_DEVICE_PCIE_LANES_B, &pcie_lanes, sizeof(pcie_lanes));
    return answer_query(args, whole, sizeof(whole));
}

static int query_vce_clocks(struct amd_device *device, const struct drm_amdgpu_info *args)
{
    struct drm_amdgpu_info_vce_clock_table table = {0};
    return answer_query(args, &table, sizeof(table));
}

static int query_vbios(struct amd_device *device, const struct drm_amdgpu_info *args)
{
    struct drm_amdgpu_info_vbios info = {0};
    switch (args->vbios_info.type) {
    case AMDGPU_INFO_VBIOS_SIZE: /* there is no BIOS in a model: its size is 0 and no part of it can be read */
        return answer_u32(args, 0);
    case AMDGPU_INFO_VBIOS_INFO:
        memcpy(info.name, device->chip->codename, MIN2(strlen(device->chip->codename), sizeof(info.name) - 1));
        return answer_query(args, &info, sizeof(info));
    default:
        return -EINVAL;
    }
}

static int query_sensor(struct amd_device *device, const struct drm_amdgpu_info *args)
{
    switch (args->sensor_info.type) {
    case AMDGPU_INFO_SENSOR_GFX_SCLK:
    case AMDGPU_INFO_SENSOR_STABLE_PSTATE_GFX_SCLK:
    case INFO_SENSOR_PEAK_PSTATE_GFX_SCLK:
        return answer_u32(args, (uint32_t)(device->chip->engine_clock_max_kHz / 1000));
    case AMDGPU_INFO_SENSOR_GFX_MCLK:
    case AMDGPU_INFO_SENSOR_STABLE_PSTATE_GFX_MCLK:
    case INFO_SENSOR_PEAK_PSTATE_GFX_MCLK:
        return answer_u32(args, (uint32_t)(device->chip->memory_clock_max_kHz / 1000));
    default: /* a model has no temperature, load, power or voltage */
        return -EINVAL;
    }
}

static int query_max_ibs(struct amd_device *device, const struct drm_amdgpu_info *args)
{
    uint32_t counts[AMDGPU_HW_IP_NUM];
    for (uint32_t type = 0; type < AMDGPU_HW_IP_NUM; type++)
        counts[type] = amd_cs_max_ibs(type);
    return answer_query(args, counts, sizeof(counts));
}

struct query_row {
    int (*run)(struct amd_device *device, const struct drm_amdgpu_info *args);
};

static const struct query_row queries[] = {
    [AMDGPU_INFO_ACCEL_WORKING] = {query_accel_working},
    [AMDGPU_INFO_HW_IP_INFO] = {query_hw_ip_info},
    [AMDGPU_INFO_HW_IP_COUNT] = {query_hw_ip_count},
    [AMDGPU_INFO_TIMESTAMP] = {query_timestamp},
    [AMDGPU_INFO_FW_VERSION] = {query_fw_version},
    [AMDGPU_INFO_NUM_BYTES_MOVED] = {query_nothing},
    [AMDGPU_INFO_VRAM_USAGE] = {query_vram_usage},
    [AMDGPU_INFO_GTT_USAGE] = {query_gtt_usage},
    [AMDGPU_INFO_GDS_CONFIG] = {query_gds_config},
    [AMDGPU_INFO_VRAM_GTT] = {query_vram_gtt},
    [AMDGPU_INFO_READ_MMR_REG] = {query_mmr},
    [AMDGPU_INFO_DEV_INFO] = {query_dev_info},
    [AMDGPU_INFO_VIS_VRAM_USAGE] = {query_vram_usage}, /* all of it is visible */
    [AMDGPU_INFO_NUM_EVICTIONS] = {query_nothing},
    [AMDGPU_INFO_MEMORY] = {query_memory},
    [AMDGPU_INFO_VCE_CLOCK_TABLE] = {query_vce_clocks},
    [AMDGPU_INFO_VBIOS] = {query_vbios},
    [AMDGPU_INFO_SENSOR] = {query_sensor},
    [AMDGPU_INFO_NUM_VRAM_CPU_PAGE_FAULTS] = {query_nothing},
    [AMDGPU_INFO_VRAM_LOST_COUNTER] = {query_no_flags},
    [AMDGPU_INFO_RAS_ENABLED_FEATURES] = {query_nothing},
    [INFO_MAX_IBS] = {query_max_ibs},
    /* No display (CRTC_FROM_ID), no UVD (NUM_HANDLES), no video engine (VIDEO_CAPS): EINVAL, as for an unknown query.
     */
};

int amd_info_ioctl(struct drm_file *file, void *data)
{
    const struct drm_amdgpu_info *args = data;
    if (!args->return_size || !args->return_pointer)
        return -EINVAL;
    if (args->query >= ARRAY_SIZE(queries) || !queries[args->query].run)
        return -EINVAL;
    return queries[args->query].run(amd_file(file)->device, args);
}
