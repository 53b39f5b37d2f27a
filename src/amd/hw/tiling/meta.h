/* Compression metadata of GFX10.3 surfaces: HTILE of depth, CMASK of FMASK, DCC of colour. Sizes, offsets and
 * addresses; what the codes mean is the business of the model's render backends and of the driver's clears. */
#ifndef AMD_HW_TILING_META_H
#define AMD_HW_TILING_META_H

#include "amd/hw/tiling/tiling.h"

enum amd_meta_kind {
    AMD_META_HTILE, /* 4 bytes for 8x8 pixels of a depth surface */
    AMD_META_CMASK, /* 4 bits for 8x8 pixels of an FMASK surface */
    AMD_META_DCC,   /* 1 byte for 256 bytes of a colour surface */
};

struct amd_meta_level {
    uint32_t offset_B; /* within a slice; levels in the tail share the block at 0 */
    uint32_t size_B;   /* of one slice of the level; that of the whole tail stands at its first level */
    uint32_t pitch_blocks;
    uint32_t tail_x, tail_y; /* the data surface's */
};

struct amd_meta {
    enum amd_meta_kind kind;
    /* The piece of the surface that one block of metadata describes, in pixels, and the size of that block. */
    uint8_t block_w_log2, block_h_log2, block_d_log2;
    uint8_t block_log2;
    /* DCC: the pixels that one byte describes. */
    uint8_t compressed_w_log2, compressed_h_log2, compressed_d_log2;
    bool pipe_aligned;
    bool has_equation;             /* false for thick DCC, S and D modes: sizes only, see docs/tiling.md */
    uint32_t pitch, height, depth; /* pixels, aligned to blocks */
    uint32_t slice_B;
    uint64_t size_B;
    uint32_t align_B;
    uint32_t xor_B;
    uint32_t blocks_per_slice;
    struct amd_meta_level level[AMD_SURFACE_MAX_LEVELS];
    struct amd_equation_lut lut; /* in units of 4 bits */
};

/* HTILE and CMASK are always pipe aligned and belong to surfaces of type Z; `data` is the FMASK for CMASK. DCC exists
 * for blocks of 4 KiB and more; pipe_aligned is what render targets need, the other form is for the display engine.
 * False if the hardware has no such metadata for the surface. */
bool amd_meta_init(struct amd_meta *meta, enum amd_meta_kind kind, const struct amd_surface *data, bool pipe_aligned);

/* Offset of the byte (HTILE: of the dword) for a pixel, and in bit_out, if not NULL, the first bit within that byte. */
static inline uint64_t amd_meta_offset(const struct amd_meta *meta, uint32_t x, uint32_t y, uint32_t z, uint32_t sample,
                                       unsigned level, unsigned *bit_out)
{
    const struct amd_meta_level *at = &meta->level[level];
    uint64_t block = (uint64_t)(y >> meta->block_h_log2) * at->pitch_blocks + (x >> meta->block_w_log2);
    uint32_t nibble = amd_equation_lut_axis(meta->lut.x, x + at->tail_x) ^
                      amd_equation_lut_axis(meta->lut.y, y + at->tail_y) ^ amd_equation_lut_axis(meta->lut.z, z) ^
                      meta->lut.s[sample & 7];
    if (bit_out)
        *bit_out = (nibble & 1) * 4;
    return (uint64_t)meta->slice_B * (z >> meta->block_d_log2) + at->offset_B + (block << meta->block_log2) +
           (nibble >> 1 ^ meta->xor_B);
}

#endif
