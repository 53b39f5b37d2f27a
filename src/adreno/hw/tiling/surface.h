/* Layouts of images: where levels, layers and the flags of UBWC are, and how large all of it is. The hardware finds the
 * levels of a texture by these rules from its base, pitch and size; a driver must place them so. Which tiling an image
 * gets is the driver's choice; impossible choices are corrected here. */
#ifndef ADRENO_HW_TILING_SURFACE_H
#define ADRENO_HW_TILING_SURFACE_H

#include "adreno/hw/chip.h"

#define ADRENO_MAX_LEVELS 15
#define ADRENO_MIN_TILED_WIDTH 16u     /* texels; below it the hardware takes a level for linear */
#define ADRENO_MAX_MIN_SLICE_B 0xf000u /* what a descriptor's MIN_LAYERSZ can hold */

/* Pixels that a byte of UBWC's flags is for, as log2; no width: there are no flags for such elements. R8G8 and luma
 * planes have others. */
struct adreno_flag_block {
    uint8_t w_log2, h_log2;
};
struct adreno_flag_block adreno_flag_block(uint32_t sample_B, unsigned samples_log2);

/* The surface that is asked for. */
struct adreno_surface_info {
    uint32_t width, height, depth; /* texels; depth of a volume, else 1 */
    uint32_t levels, layers, samples;
    uint8_t block_B;          /* of a texel, or of a compressed block; all samples are side by side in memory */
    uint8_t block_w, block_h; /* texels of a compressed block; else 1 */
    bool is_volume;
    bool is_depth;     /* depth or stencil: never linear */
    bool is_two_bytes; /* R8G8 and its kin, if the format cannot change: they have blocks of their own */
    bool is_luma;      /* the first plane of a video image */
    bool is_tiled;     /* TILE6_3, not linear */
    bool has_ubwc;     /* with flags */
    uint32_t pitch_B;  /* of the first level, chosen by another driver; 0: ours */
    /* Of a volume: its first slice is so large that all levels shrink by four until they are small. For volumes whose
     * min_slice_B would be beyond ADRENO_MAX_MIN_SLICE_B. */
    bool is_rounded;
};

struct adreno_surface_level {
    uint64_t offset_B;      /* in a layer; with UBWC after the flags of all layers */
    uint32_t pitch_B;       /* between rows of texels or compressed blocks */
    uint64_t slice_B;       /* of a layer's level, or of one slice of a volume */
    bool is_tiled;          /* levels narrower than 16 texels are linear, unless is_all_tiled */
    uint64_t flag_offset_B; /* in a layer's flags */
    uint32_t flag_pitch_B;
    uint64_t flag_slice_B;
};

struct adreno_surface {
    struct adreno_surface_level levels[ADRENO_MAX_LEVELS];
    uint32_t level_count;
    uint32_t element_B;       /* of a texel or compressed block with all its samples */
    uint8_t pitch_align_log2; /* what a descriptor's PITCHALIGN counts from 64 bytes */
    uint32_t base_align_B;
    bool is_tiled, has_ubwc, is_all_tiled;
    uint64_t layer_B;      /* from a layer to the next; of a volume 0 */
    uint64_t min_slice_B;  /* of a volume: below it slices of small levels do not shrink; 0: they all do */
    uint64_t flag_layer_B; /* of a layer's flags */
    uint32_t flag_block_w, flag_block_h; /* texels that a byte of flags is for; 0: no such format */
    uint64_t size_B;
};

/* False when the pitch that was asked for cannot be, or a number is out of range. */
bool adreno_surface_init(struct adreno_surface *s, const struct adreno_chip *chip,
                         const struct adreno_surface_info *info);

#endif
