/* The rig of the tiler's tests: an address space with a heap, a tiler context and a geometry buffer, a queue, and
 * vertex shaders that are functions of C. They store where LEA_BUF_IMM would let them. */
#ifndef MALI_MODEL_TILER_TESTS_RIG_H
#define MALI_MODEL_TILER_TESTS_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mali/model/tiler/tiler_internal.h"

#define RIG_CONTEXT_VA 0x100000ull
#define RIG_HEAP_DESCRIPTOR_VA 0x101000ull
#define RIG_INDICES_VA 0x110000ull
#define RIG_DEPTH_VA 0x108000ull
#define RIG_DRAW_VA 0x109000ull
#define RIG_FIFO_VA 0x200000ull
#define RIG_FIFO_B 0x10000u
#define RIG_HEAP_VA 0x300000ull /* the heap's context */
#define RIG_CHUNKS_VA 0x1000000ull
#define RIG_CHUNK_B 0x40000u
#define RIG_CHUNK_MAX 64

struct rig_vertex {
    float pos[4]; /* pixels, depth, 1 / w */
    float size;
    uint8_t layer;
};

struct rig {
    struct mali_gpu gpu;
    struct mali_group group;
    struct mali_queue queue;
    struct mali_heap heap;
    struct gpu_space space;
    int fd;
    uint8_t *memory; /* of all of the space */
    struct mali_run run;

    /* The position of a vertex; its varyings are its number and its instance. */
    struct rig_vertex (*shade)(uint32_t vertex, uint32_t instance, unsigned view);
    unsigned view_count;
    _Atomic uint32_t positions, varyings; /* how many were shaded */
    _Atomic uint32_t draw_ids;            /* that these had: one bit each */

    unsigned chunk_count; /* that the kernel has given */
    unsigned chunk_limit;
    bool has_handler; /* renders and frees when the heap is full */
    unsigned handled;
    uint64_t rendered;     /* primitives that the handler saw */
    uint64_t last_order_x; /* of the last primitive that it saw: its x */
};

extern struct rig rig;

int rig_setup(void **state);
int rig_teardown(void **state);
/* A framebuffer of this size, empty bins, and registers of a triangle list without indices. */
void rig_begin(uint32_t width, uint32_t height, unsigned layers);
void rig_set64(unsigned reg, uint64_t value);
void *rig_at(uint64_t va);
bool rig_draw(uint32_t count, uint32_t instances);
bool rig_finish(void);
uint64_t rig_polygon_list(void);

/* The primitives of a rectangle, in order. */
struct rig_prims {
    struct mali_bin_prim prims[4096];
    uint64_t serials[4096];
    unsigned count;
};
void rig_walk(unsigned layer, struct raster_tile tile, struct rig_prims *prims_out);
/* The vertex of a corner, as its varyings say. */
uint32_t rig_corner(const struct mali_bin_prim *prim, unsigned corner);

#endif
