/* Records in the heap: draws and primitives, as the tiler writes them and walks read them. GPU memory: what is read is
 * input. */
#ifndef MALI_MODEL_TILER_RECORD_H
#define MALI_MODEL_TILER_RECORD_H

#include "mali/model/tiler/tiler_internal.h"

struct tiler_draw_record {
    uint64_t serial;
    uint32_t words[MALI_DRAW_DW];
};

enum tiler_prim_flags {
    TILER_PRIM_BACK = 1 << 0,
    TILER_PRIM_POINT = 1 << 1,
    TILER_PRIM_LINEAR = 1 << 2, /* the weights are i and j, otherwise i / w and j / w */
    TILER_PRIM_FACE = 1 << 3,   /* a triangle: depth bias is for it */
    TILER_PRIM_CUT = 1 << 4,    /* parts of it are outside of the depth bounds */
};

struct tiler_prim_record {
    int32_t bounds[4];
    uint64_t draw_va;
    uint64_t varying_va[3];
    uint32_t primitive;
    uint8_t flags;
    uint8_t edge_count;
    uint8_t provoking;
    uint8_t layer;
    struct raster_edge edges[RASTER_MAX_EDGES];
    float origin[2];
    struct raster_plane z, w, weights[2];
    float z_top; /* the largest depth of its vertices */
    uint32_t pad;
};

_Static_assert(sizeof(struct tiler_prim_record) <= TILER_PRIM_B, "room for a primitive");
_Static_assert(TILER_PRIM_B % _Alignof(struct tiler_prim_record) == 0, "records follow each other");
_Static_assert(sizeof(struct tiler_draw_record) <= TILER_DRAW_B, "room for a draw");

#endif
