/* Chips: what the kernel's GET_PARAM and the silicon say of one GPU. The rows stand in chips.table; nothing here
 * depends on the kernel's headers, and nothing says how a driver or a model should use a fact. */
#ifndef ADRENO_HW_CHIP_H
#define ADRENO_HW_CHIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Registers that the kernel keeps from the streams of programs. */
struct adreno_protected {
    uint32_t first;
    uint32_t last; /* included */
    bool is_readable;
};

/* The page for accesses that UCHE must not let through, as the kernel sets it up on all chips. */
#define ADRENO_UCHE_TRAP_BASE 0x1fffffffff000ull

struct adreno_chip {
    const char *name; /* "adreno-635" */
    const char *marketing;
    const char *device_tree; /* "qcom,adreno-635.0": core, major and minor, then the patch */
    const char *compatible;

    /* identity: CHIP_ID is speed_bin << 32 | chip_id; of a chip that has a GPU_ID, without the speed bin */
    uint32_t chip_id;
    uint32_t gpu_id;    /* 0 on chips that are newer than this number */
    uint32_t speed_bin; /* decides the highest frequency */
    uint32_t max_freq_Hz;

    /* GMEM and tiles */
    uint32_t gmem_size_B;
    uint64_t gmem_base;
    uint32_t ccu_count;
    uint32_t sp_count;
    uint32_t tile_align_w, tile_align_h; /* of a bin's size */
    uint32_t tile_max_w, tile_max_h;
    uint32_t gmem_align_w, gmem_align_h; /* of what a BLIT event stores */
    uint32_t vsc_pipes;

    /* shader cores */
    uint32_t shared_memory_B; /* of a workgroup */
    uint32_t fibers_per_sp;
    uint32_t wave_granularity; /* waves that run as one */
    uint32_t reg_size_vec4;    /* registers of a wave of 64 */
    uint32_t instr_cache_size; /* in units of 128 bytes */

    /* layout of tiled memory */
    uint32_t highest_bank_bit;
    uint32_t ubwc_swizzle; /* bit n - 1: level n swizzles banks */
    uint32_t macrotile_mode;

    uint64_t va_size_B;

    /* the CCU's part of GMEM, each CCU */
    uint32_t sysmem_ccu_depth_B;
    uint32_t sysmem_ccu_color_B;
    uint32_t gmem_ccu_color_fraction; /* enum adreno_CCU_CACHE_SIZE */

    uint32_t priorities; /* of rings */
    uint32_t max_sets;   /* bindless bases */
    uint32_t vs_inputs;

    /* Values that the chip wants in registers of no public meaning. */
    uint32_t rb_dbg_eco_cntl;
    uint32_t rb_dbg_eco_cntl_blit; /* the same register while the 2D engine works */
    uint32_t rb_rbp_cntl;
    uint32_t sp_dbg_eco_cntl;
    uint32_t sp_chicken_bits;
    uint32_t tpl1_dbg_eco_cntl;
    uint32_t vpc_dbg_eco_cntl;
    uint32_t gras_dbg_eco_cntl;
    uint32_t hlsq_dbg_eco_cntl;
    uint32_t uche_client_pf;
    uint32_t pc_power_cntl; /* and VFD_POWER_CNTL: while bins are rendered */

    /* features and quirks */
    bool has_cp_reg_write;
    bool has_8bpp_ubwc;
    bool has_z24uint_s8uint;
    bool has_lpac;
    bool has_shading_rate;
    bool has_getfiberid;
    bool has_movs;
    bool has_dp2acc;
    bool has_dp4acc;
    bool has_tex_filter_cubic;
    bool has_sample_locations;
    bool has_multiview_mask;
    bool has_storage_16bit;
    bool has_ubwc_linear_levels; /* narrow levels of an image with UBWC are linear */
    bool has_lrz_fast_clear;
    bool has_lrz_direction;
    bool has_lrz_feedback; /* depths that the RB has tested become bounds, in memory too */
    bool has_per_view_viewport;
    bool has_scalar_alu;
    bool has_cached_coherent; /* memory that the CPU caches and the GPU snoops */
    bool has_prr;             /* its MMU has partially resident pages */
    bool has_isam_v;
    bool has_ssbo_imm_offsets;
    bool has_pred_bit;
    bool has_sad;
    bool tess_uses_shared;
    bool quirk_indirect_draw_wfm;
    bool quirk_depth_bounds_need_depth_test;
    bool quirk_blit_wfi;

    const struct adreno_protected *protected_ranges;
    unsigned protected_count;
};

extern const struct adreno_chip adreno_chips[];
extern const unsigned adreno_chip_count;

/* By name; NULL when there is none. */
const struct adreno_chip *adreno_chip_find(const char *name);

/* By what CHIP_ID says, with or without the speed bin; NULL when there is none. */
const struct adreno_chip *adreno_chip_find_id(uint64_t chip_id);

/* May the stream of a program write (or read) this register? */
bool adreno_chip_may_write(const struct adreno_chip *chip, uint32_t reg);
bool adreno_chip_may_read(const struct adreno_chip *chip, uint32_t reg);

#endif
