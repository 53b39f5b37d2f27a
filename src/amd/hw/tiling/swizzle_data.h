/* The output of gen_swizzle.py for swizzle.table. Only for equation.c and meta.c; all others use tiling.h. */
#ifndef AMD_HW_SWIZZLE_DATA_H
#define AMD_HW_SWIZZLE_DATA_H

#include "amd/hw/tiling/tiling.h"

#define AMD_SWIZZLE_MAX_PIPE_BITS 5
#define AMD_SWIZZLE_MAX_TAIL_BITS 6
#define AMD_SWIZZLE_MAX_ORDER_BITS 8

/* Each has four rows, for 1, 2, 4 and 8 samples; the thick one has a single row. */
enum amd_swizzle_row_class {
    AMD_SWIZZLE_ROW_R = 0,
    AMD_SWIZZLE_ROW_VAR_R = 4,
    AMD_SWIZZLE_ROW_Z = 8,
    AMD_SWIZZLE_ROW_VAR_Z = 12,
    AMD_SWIZZLE_ROW_THICK_D = 16,
    AMD_SWIZZLE_ROW_COUNT = 17,
};

struct amd_swizzle_row {
    struct amd_coord_bits added[AMD_SWIZZLE_MAX_PIPE_BITS]; /* to the pipe bits of the topology */
    uint8_t tail_count;
    struct amd_coord_bits tail[AMD_SWIZZLE_MAX_TAIL_BITS];
};

enum amd_swizzle_meta {
    AMD_SWIZZLE_META_HTILE,
    AMD_SWIZZLE_META_CMASK,
    AMD_SWIZZLE_META_CMASK_8B,
    AMD_SWIZZLE_META_DCC,
    AMD_SWIZZLE_META_DCC_16B,
    AMD_SWIZZLE_META_COUNT,
};

struct amd_swizzle_meta_row {
    struct amd_coord_bits added[AMD_SWIZZLE_MAX_PIPE_BITS];
    uint8_t order_count; /* 0: the rule's order */
    struct amd_coord_bits order[AMD_SWIZZLE_MAX_ORDER_BITS];
};

struct amd_swizzle_topology {
    uint8_t pipes_log2, packers_log2;
    uint8_t pipe_count; /* pipes_log2, and one more that sits at the top of the block when there are as many packers */
    struct amd_coord_bits pipe[AMD_SWIZZLE_MAX_PIPE_BITS];
    uint8_t row[AMD_SWIZZLE_ROW_COUNT][5]; /* index into amd_swizzle_rows by log2 of the element; 0: illegal */
    struct amd_swizzle_meta_row meta[AMD_SWIZZLE_META_COUNT];
};

enum amd_swizzle_micro {
    AMD_SWIZZLE_MICRO_S,
    AMD_SWIZZLE_MICRO_D,
    AMD_SWIZZLE_MICRO_S3,
    AMD_SWIZZLE_MICRO_D3,
};

extern const struct amd_swizzle_info amd_swizzle_infos[AMD_SW_COUNT];
extern const struct amd_coord_bits amd_swizzle_micro[4][5][8];
extern const struct amd_swizzle_topology amd_swizzle_topologies[];
extern const unsigned amd_swizzle_topology_count;
extern const struct amd_swizzle_row amd_swizzle_rows[];

static inline struct amd_coord_bits amd_coord_xor(struct amd_coord_bits a, struct amd_coord_bits b)
{
    return (struct amd_coord_bits){a.x ^ b.x, a.y ^ b.y, a.z ^ b.z, a.s ^ b.s};
}

#endif
