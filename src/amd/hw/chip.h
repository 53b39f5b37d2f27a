/* Chips: what the kernel's INFO queries and the silicon say of one GPU. The rows stand in chips.table; nothing here
 * depends on the kernel's headers, and nothing says how a driver or a model should use a fact. */
#ifndef AMD_HW_CHIP_H
#define AMD_HW_CHIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A column of the tables. Later generations compare greater. */
enum amd_gfx {
    AMD_GFX9,
    AMD_GFX10_3,
    AMD_GFX11,
    AMD_GFX_COUNT,
};

/* The kernel's AMDGPU_FAMILY_*. */
enum amd_family {
    AMD_FAMILY_NV = 143,
    AMD_FAMILY_VGH = 144,
};

/* The kernel's AMDGPU_VRAM_TYPE_*. */
enum amd_vram_type {
    AMD_VRAM_GDDR6 = 9,
    AMD_VRAM_DDR5 = 10,
};

#define AMD_MAX_SHADER_ENGINES 4
#define AMD_MAX_SHADER_ARRAYS 4 /* per engine, the size of the kernel's bitmap; chips have one or two */

/* HW_IP_INFO of one kind of engine. No rings: the chip does not have it or it cannot be used. */
struct amd_chip_ip {
    uint32_t version_major;
    uint32_t version_minor;
    uint32_t discovery_version; /* major << 16 | minor << 8 | revision; 0 where the kernel has no discovery table */
    uint32_t ib_start_align_B;
    uint32_t ib_size_align_B;
    uint32_t available_rings; /* bit mask */
};

struct amd_chip_firmware {
    uint32_t version;
    uint32_t feature;
};

/* Bytes. What is in use at the moment is the kernel's business, not the chip's. */
struct amd_chip_heap {
    uint64_t total_B;
    uint64_t usable_B;
    uint64_t max_allocation_B;
};

/* A register that the kernel reads for user space. */
struct amd_chip_mmr {
    uint32_t offset_dw;
    uint32_t instance; /* AMDGPU_INFO_MMR_*; 0xffffffff: broadcast */
    uint32_t value;
};

struct amd_chip {
    const char *name;      /* "navi21" */
    const char *codename;  /* "sienna cichlid" */
    const char *marketing; /* "AMD Radeon RX 6800" */
    const char *llvm_cpu;  /* "gfx1030" */
    enum amd_gfx gfx;
    bool apu;

    /* identity */
    uint32_t device_id;
    /* its place on the bus in the machine that these values were read on; two chips are at two places */
    uint32_t pci_bus;
    uint32_t pci_rev;
    uint32_t chip_rev;
    uint32_t external_rev;
    uint32_t family; /* enum amd_family */

    /* shader engines; a harvested unit is a zero bit */
    uint32_t shader_engines; /* as built, harvested ones included: se_count of GB_ADDR_CONFIG and of the bitmaps */
    uint32_t shader_arrays_per_engine;
    uint32_t cu_per_array; /* as built, the most that an array of this chip has enabled */
    uint32_t cu_active;
    uint32_t cu_bitmap[AMD_MAX_SHADER_ENGINES][AMD_MAX_SHADER_ARRAYS];
    uint32_t cu_ao_mask;
    uint32_t cu_ao_bitmap[AMD_MAX_SHADER_ENGINES][AMD_MAX_SHADER_ARRAYS];
    uint32_t wave_size;
    uint32_t vgprs_per_simd_lane; /* num_shader_visible_vgprs */

    /* render backends */
    uint32_t rb_count; /* as built */
    uint32_t rb_enabled_mask;
    uint32_t gfx_contexts;

    /* caches and geometry */
    uint32_t tcc_count;
    uint64_t tcc_disabled_mask;
    uint64_t mall_size_B;
    uint32_t ce_ram_size_B;
    uint32_t gs_vgt_table_depth;
    uint32_t gs_prim_buffer_depth;
    uint32_t max_gs_waves_per_vgt;
    uint32_t double_offchip_lds_buf;
    uint32_t pa_sc_tile_steering_override;

    /* clocks */
    uint32_t counter_freq_kHz; /* the counter of RELEASE_MEM's timestamps */
    uint64_t engine_clock_max_kHz;
    uint64_t engine_clock_min_kHz;
    uint64_t memory_clock_max_kHz;
    uint64_t memory_clock_min_kHz;
    uint32_t pcie_gen;
    uint32_t pcie_lanes;

    /* memory */
    uint32_t vram_type; /* enum amd_vram_type */
    uint32_t vram_bit_width;
    uint64_t va_start;
    uint64_t va_end;
    uint64_t high_va_start;
    uint64_t high_va_end;
    uint32_t va_align_B;
    uint32_t pte_fragment_size_B;
    uint32_t gart_page_size_B;
    uint64_t ids_flags; /* AMDGPU_IDS_FLAGS_*: bit 0 fusion (an APU) */
    struct amd_chip_heap vram;
    struct amd_chip_heap vram_visible;
    struct amd_chip_heap gtt;

    /* engines and their firmware */
    struct amd_chip_ip ip_gfx;
    struct amd_chip_ip ip_compute;
    struct amd_chip_ip ip_sdma;
    struct amd_chip_firmware fw_me;
    struct amd_chip_firmware fw_pfp;
    struct amd_chip_firmware fw_mec;

    /* registers that READ_MMR_REG answers */
    uint32_t gb_addr_config;
    const struct amd_chip_mmr *mmrs;
    uint32_t mmr_count;
};

extern const struct amd_chip *const amd_chips[];
extern const size_t amd_chip_count;

/* By chip name ("navi21") or LLVM's processor ("gfx1030"); the first row wins. NULL when there is none. */
const struct amd_chip *amd_chip_find(const char *name);

/* "gfx10.3"; never NULL for a valid generation. */
const char *amd_gfx_name(enum amd_gfx gfx);

/* The generation of "gfx10.3", of a chip's name or of LLVM's name for any processor of it (gfx900 … gfx1103). */
bool amd_gfx_find(const char *name, enum amd_gfx *gfx_out);

static inline bool amd_chip_cu_is_enabled(const struct amd_chip *chip, unsigned se, unsigned sa, unsigned cu)
{
    return se < AMD_MAX_SHADER_ENGINES && sa < AMD_MAX_SHADER_ARRAYS && cu < 32 && (chip->cu_bitmap[se][sa] >> cu & 1);
}

#endif
