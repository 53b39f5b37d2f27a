/* Surface layouts of GFX10.3: where the bytes of an image are. The driver takes sizes and offsets from here, the model
 * the address of every texel. Not here: which swizzle mode suits an image (the driver's policy), formats (elements have
 * only a size), planes (each is a surface of its own). Compression metadata is in meta.h. */
#ifndef AMD_HW_TILING_H
#define AMD_HW_TILING_H

#include "util/bits.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The numbers are the hardware's (SW_MODE of an image descriptor, COLOR_SW_MODE, Z_INFO.SW_MODE); those left out are
 * reserved on GFX10.3. */
enum amd_swizzle {
    AMD_SW_LINEAR = 0,
    AMD_SW_256B_S = 1,
    AMD_SW_256B_D = 2,
    AMD_SW_4KB_S = 5,
    AMD_SW_4KB_D = 6,
    AMD_SW_64KB_S = 9,
    AMD_SW_64KB_D = 10,
    AMD_SW_64KB_S_T = 17,
    AMD_SW_64KB_D_T = 18,
    AMD_SW_4KB_S_X = 21,
    AMD_SW_4KB_D_X = 22,
    AMD_SW_64KB_Z_X = 24,
    AMD_SW_64KB_S_X = 25,
    AMD_SW_64KB_D_X = 26,
    AMD_SW_64KB_R_X = 27,
    AMD_SW_VAR_Z_X = 28,
    AMD_SW_VAR_R_X = 31,
    AMD_SW_COUNT = 32,
};

/* An array of 1D or 2D surfaces has the dimension of its layers. */
enum amd_dim {
    AMD_DIM_1D,
    AMD_DIM_2D,
    AMD_DIM_3D,
};

enum amd_swizzle_xor {
    AMD_SWIZZLE_XOR_NONE,
    AMD_SWIZZLE_XOR_BLOCK, /* pipe bits take bits of the same block, so that a block means the same in every place */
    AMD_SWIZZLE_XOR_FULL,  /* they take higher coordinate bits and the slice, too */
};

#define AMD_SWIZZLE_BLOCK_VAR 255

struct amd_swizzle_info {
    const char *name;
    uint8_t block_log2; /* of its bytes; AMD_SWIZZLE_BLOCK_VAR: 16 KiB for each pipe; 0 if linear */
    char type;          /* L linear, S standard, D display, Z depth, R render target */
    uint8_t xor_kind;   /* enum amd_swizzle_xor */
    uint8_t dim_mask;   /* bit n: allowed for enum amd_dim n */
};

/* NULL for a reserved number. */
const struct amd_swizzle_info *amd_swizzle_info(unsigned swizzle);

/* GB_ADDR_CONFIG's description of the memory of a chip. */
struct amd_tiling_config {
    uint32_t gb_addr_config;
    uint8_t pipes_log2;
    uint8_t packers_log2;
    uint8_t max_compressed_frags_log2;
    uint8_t topology; /* index of the section of swizzle.table */
};

/* False if the combination of pipes and packers, or an interleave other than 256 bytes, is none that the table knows.
 */
bool amd_tiling_config_init(struct amd_tiling_config *config, uint32_t gb_addr_config);

/* One address bit: the parity of all these coordinate bits. z is the slice or the depth, s the sample. */
struct amd_coord_bits {
    uint16_t x, y, z, s;
};

#define AMD_EQUATION_MAX_BITS 20

/* The bits of an address within its block. */
struct amd_equation {
    uint8_t bit_count;
    struct amd_coord_bits bit[AMD_EQUATION_MAX_BITS];
};

/* False if the mode does not exist for this dimension, element size and number of samples, or is linear. */
bool amd_equation_init(struct amd_equation *equation, const struct amd_tiling_config *config, enum amd_swizzle swizzle,
                       enum amd_dim dim, unsigned element_log2, unsigned samples_log2);

/* An equation is linear over GF(2), so that the address is the XOR of what each piece of each coordinate contributes.
 * Four bits are a piece; no equation looks at a bit above 11. */
struct amd_equation_lut {
    uint32_t x[3][16], y[3][16], z[3][16], s[8];
};

void amd_equation_lut_init(struct amd_equation_lut *lut, const struct amd_equation *equation);

static inline uint32_t amd_equation_lut_axis(const uint32_t axis[3][16], uint32_t value)
{
    return axis[0][value & 15] ^ axis[1][value >> 4 & 15] ^ axis[2][value >> 8 & 15];
}

/* 16384 texels have 15 levels; a descriptor can name 16. */
#define AMD_SURFACE_MAX_LEVELS 16
#define AMD_SURFACE_MAX_EXTENT 16384
#define AMD_SURFACE_MAX_SLICES 16384

struct amd_surface_desc {
    enum amd_swizzle swizzle;
    enum amd_dim dim;
    uint32_t width, height;   /* texels */
    uint32_t slices;          /* layers, or the depth of a 3D surface */
    uint8_t block_w, block_h; /* texels in an element: 4 and 4 for BC; 0 is 1 */
    uint8_t element_B;        /* 1, 2, 4, 8, 16; linear surfaces also 12 */
    uint8_t samples;          /* those stored: 1, 2, 4, 8 */
    uint8_t levels;
    uint32_t
        pitch; /* elements; 0 chooses. Linear surfaces of one level and powers of two only, in steps of 256 bytes */
    uint32_t
        pipe_bank_xor; /* modes with AMD_SWIZZLE_XOR_FULL or _BLOCK: what the base address holds in bits 8 and up */
};

struct amd_surface_level {
    uint64_t offset_B;       /* within a slice (within block_d slices if thick); 0 for levels in the tail */
    uint64_t row_B;          /* from one row of blocks to the next; of elements if linear */
    uint32_t pitch, height;  /* elements, aligned */
    uint32_t tail_x, tail_y; /* where a level in the tail starts within the block that all of them share */
    uint32_t tail_offset_B;  /* the same as an address, before XOR; 0 outside the tail */
};

struct amd_surface {
    struct amd_surface_desc desc;
    struct amd_tiling_config config;
    uint32_t width, height; /* elements */
    uint8_t element_log2;   /* of a 12-byte element: 2 */
    uint8_t samples_log2;
    uint8_t block_log2; /* bytes; linear: 8 */
    uint8_t block_w_log2, block_h_log2, block_d_log2;
    bool thick;
    uint32_t pitch, aligned_height,
        aligned_slices; /* of level 0, elements; the pitch of 12-byte elements counts 4 bytes */
    uint32_t col_B;     /* from one block to the next in x; one element if linear */
    uint64_t slice_B;   /* one slice with all its levels and samples */
    uint64_t layer_B;   /* from a slice to the next, or from block_d slices to the next */
    uint64_t size_B;
    uint32_t align_B;
    uint8_t first_tail_level; /* the number of levels if there is no tail */
    uint32_t xor_B;           /* pipe_bank_xor where it acts on the address within a block */
    struct amd_surface_level level[AMD_SURFACE_MAX_LEVELS];
    struct amd_equation equation; /* no bits if linear */
    struct amd_equation_lut lut;
};

/* NULL if the description is legal, or what is wrong with it. */
const char *amd_surface_problem(const struct amd_surface_desc *desc);
bool amd_surface_init(struct amd_surface *surface, const struct amd_tiling_config *config,
                      const struct amd_surface_desc *desc);

/* The pipe/bank bits for the surface_index-th surface of a set that is used together, so that they start in different
 * banks. 0 where the mode has none. */
uint32_t amd_tiling_pipe_bank_xor(const struct amd_tiling_config *config, enum amd_swizzle swizzle,
                                  unsigned surface_index);
/* The pipe/bank bits that make a surface of its own out of one slice; 0 where the mode has none or the blocks are
 * thick. */
uint32_t amd_tiling_slice_xor(const struct amd_surface *surface, unsigned slice);

/* Byte offset of an element from the start of the surface. Coordinates are those of elements in their level; z is the
 * slice or the depth. Coordinates outside the level give some number, not an error; the level itself must exist. */
static inline uint64_t amd_tiling_offset(const struct amd_surface *surface, uint32_t x, uint32_t y, uint32_t z,
                                         uint32_t sample, unsigned level)
{
    const struct amd_surface_level *at = &surface->level[level];
    const struct amd_equation_lut *lut = &surface->lut;
    uint64_t block = at->offset_B + (z >> surface->block_d_log2) * surface->layer_B +
                     (y >> surface->block_h_log2) * at->row_B + (uint64_t)(x >> surface->block_w_log2) * surface->col_B;
    uint32_t inside = amd_equation_lut_axis(lut->x, x + at->tail_x) ^ amd_equation_lut_axis(lut->y, y + at->tail_y) ^
                      amd_equation_lut_axis(lut->z, z) ^ lut->s[sample & 7];
    return block + (inside ^ surface->xor_B);
}

/* The offset for the model's inner loops: one load for each coordinate. The tables cover the period of the equation, so
 * that their size does not depend on the surface; linear surfaces have a period of one. Within a row, only x changes:
 *
 *     struct amd_tiling_row row = amd_tiling_row(table, y, z, sample, level);
 *     offset = amd_tiling_row_offset(table, &row, x);
 */
#define AMD_TILING_TABLE_XY 2048
#define AMD_TILING_TABLE_Z 512

struct amd_tiling_table {
    uint64_t layer_B;
    uint32_t col_B;
    uint32_t x_mask, y_mask, z_mask;
    uint8_t block_w_log2, block_h_log2, block_d_log2;
    struct {
        uint64_t offset_B, row_B;
        uint32_t tail_x, tail_y;
    } level[AMD_SURFACE_MAX_LEVELS];
    uint32_t s[8]; /* pipe/bank bits included */
    uint32_t z[AMD_TILING_TABLE_Z];
    uint32_t x[AMD_TILING_TABLE_XY];
    uint32_t y[AMD_TILING_TABLE_XY];
};

struct amd_tiling_row {
    uint64_t base_B;
    uint32_t xor_B;
    uint32_t tail_x;
};

void amd_tiling_table_init(struct amd_tiling_table *table, const struct amd_surface *surface);

static inline struct amd_tiling_row amd_tiling_row(const struct amd_tiling_table *table, uint32_t y, uint32_t z,
                                                   uint32_t sample, unsigned level)
{
    return (struct amd_tiling_row){
        .base_B = table->level[level].offset_B + (z >> table->block_d_log2) * table->layer_B +
                  (y >> table->block_h_log2) * table->level[level].row_B,
        .xor_B = table->y[(y + table->level[level].tail_y) & table->y_mask] ^ table->z[z & table->z_mask] ^
                 table->s[sample & 7],
        .tail_x = table->level[level].tail_x,
    };
}

static inline uint64_t amd_tiling_row_offset(const struct amd_tiling_table *table, const struct amd_tiling_row *row,
                                             uint32_t x)
{
    return row->base_B + (uint64_t)(x >> table->block_w_log2) * table->col_B +
           (table->x[(x + row->tail_x) & table->x_mask] ^ row->xor_B);
}

static inline uint64_t amd_tiling_table_offset(const struct amd_tiling_table *table, uint32_t x, uint32_t y, uint32_t z,
                                               uint32_t sample, unsigned level)
{
    struct amd_tiling_row row = amd_tiling_row(table, y, z, sample, level);
    return amd_tiling_row_offset(table, &row, x);
}

/* A rectangle of elements of one slice, level and sample, for copies by the host. */
struct amd_tiling_rect {
    uint32_t x, y, width, height;
    uint32_t z, sample, level;
};

/* Linear rows, row_B bytes apart, to the surface at `tiled` and back. */
void amd_tiling_tile(const struct amd_surface *surface, const struct amd_tiling_rect *rect, void *tiled,
                     const void *linear, size_t row_B);
void amd_tiling_detile(const struct amd_surface *surface, const struct amd_tiling_rect *rect, void *linear,
                       size_t row_B, const void *tiled);

/* Bytes of an FMASK element: for each sample, the number of the fragment that holds its colour, with one number more
 * for "none" when there are fewer fragments than samples. The FMASK itself is a 2D surface of one sample, type Z. */
unsigned amd_fmask_element_B(unsigned samples, unsigned fragments);

#endif
