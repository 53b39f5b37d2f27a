/* Primitive assembly: from exported vertices to primitives that the scan converter can walk. Clipping, viewport
 * transform, facing, culling, the expansion of points and lines, depth bias, and the plane equations of everything that
 * is interpolated.
 *
 * Screen positions are fixed point of 24 bits, of which PA_SU_VTX_CNTL says how many are below the pixel; edges are
 * exact. Everything that is interpolated is a plane over the screen: i / w and j / w, where i and j are the weights of
 * the second and the third vertex, so that a clipped piece interpolates as the whole primitive does.
 *
 * Not for: which vertices make a primitive (ge_*.c), or which samples it covers (sc_*.c). */
#ifndef AMD_MODEL_PA_H
#define AMD_MODEL_PA_H

#include <stdbool.h>
#include <stdint.h>

#include "amd/hw/regs_pa.h"
#include "amd/model/cp/cp_state.h"
#include "util/arena.h"

#define PA_MAX_VIEWPORTS 16
#define PA_MAX_EDGES 4
#define PA_POS_VECTORS 4 /* position, and up to three more */

struct pa_viewport {
    float scale[3], offset[3];
    float z_min, z_max;
    int32_t scissor[4]; /* x0, y0, x1, y1; all rectangles of the draw intersected */
};

/* What becomes of a sample that lies on an edge: it belongs to the primitive if the bit of the edge's kind is set. */
enum pa_edge_rule {
    PA_BOTTOM_IN = 1, /* horizontal */
    PA_TOP_IN = 2,    /* horizontal */
    PA_RIGHT_IN = 4,
    PA_LEFT_IN = 8,
};

struct pa_line_rule {
    uint8_t sides, ends; /* pa_edge_rule */
};

struct pa_edge_rules {
    uint8_t triangle, point, rect;             /* pa_edge_rule */
    struct pa_line_rule right, left, down, up; /* by the direction that a line runs in most */
};

struct pa_state {
    struct amd_PA_CL_CLIP_CNTL clip;
    struct amd_PA_CL_VS_OUT_CNTL out;
    struct amd_PA_SU_SC_MODE_CNTL mode;
    struct amd_PA_SU_VTX_CNTL vtx;
    struct pa_edge_rules rules;
    uint8_t subpixel_bits; /* of positions */
    uint8_t quantum_bits;  /* of those the lowest, which rounding clears */
    float middle[2];       /* pixels: where the range of positions has its middle */
    bool perpendicular_caps;
    bool over_rasterize; /* triangles without an area are drawn, too */
    bool stipple;
    bool stipple_goes_on; /* from one line of a draw to the next */
    bool xy_transform, z_transform;
    bool xy_divided, z_divided; /* the shader has done it */
    bool w_inverted;            /* the shader gives 1 / w */
    bool clamp_depth;
    float guard_x, guard_y;     /* clip beyond this many times w */
    float discard_x, discard_y; /* throw away what is wholly beyond this many times w */
    float point_half[2], point_half_min, point_half_max;
    float line_half;
    float bias_scale[2], bias_offset[2], bias_clamp; /* by face: front, back */
    int bias_exponent;
    bool bias_is_float;
    uint32_t viewport_count;
    struct pa_viewport viewports[PA_MAX_VIEWPORTS];
    int8_t misc_vector, distance_vector[2]; /* which exported vector; -1: none */
    uint8_t clip_distances, cull_distances; /* one bit each */
};

/* NULL, or what the model does not implement. `samples` because lines widen differently with multisampling. */
const char *amd_pa_state_init(struct pa_state *state, enum amd_gfx gfx, const struct cp_registers *registers);

struct pa_plane {
    float at, dx, dy; /* at the primitive's origin; a pixel to the right; a pixel down */
};

/* Inside where a * x + b * y + c >= 0, x and y in subpixels: the edge rule is in c. */
struct pa_edge {
    int32_t a, b;
    int64_t c;
};

/* Which pixels of a line its stipple counts. */
struct pa_stipple {
    int32_t first; /* pixel */
    uint32_t length;
    uint32_t start; /* what the counter stands at there */
    bool along_y, backwards;
};

struct pa_prim {
    int32_t x0, y0, x1, y1; /* pixels that may be covered, the last ones exclusive */
    struct pa_edge edges[PA_MAX_EDGES];
    float origin_x, origin_y; /* pixels */
    struct pa_plane z, w;     /* w: 1 / w */
    struct pa_plane iw, jw;   /* i / w, j / w */
    struct pa_plane i, j;     /* without perspective */
    float z_min, z_max;
    const float *params[3];     /* exported parameters of the vertices: P0 and those that P10 and P20 lead to */
    const float *flat;          /* of the provoking vertex */
    const float *own;           /* that the primitive's own lane exported */
    struct pa_stipple *stipple; /* of a line, or NULL */
    uint16_t layer;
    uint8_t edge_count;
    uint8_t subpixel_bits; /* of the edges */
    uint8_t viewport;
    bool is_back;
    bool is_point;  /* i and j are the sprite's coordinates */
    bool is_linear; /* every w is the same: i, j need no division */
};

/* Primitives in the order of the API, in blocks that never move. */
#define PA_BLOCK_PRIMS 32
struct pa_block {
    struct pa_block *next;
    uint32_t count;
    struct pa_prim prims[PA_BLOCK_PRIMS];
};

struct pa_list {
    struct pa_block *first, *last;
};

/* Vertices as they were exported. */
struct pa_vertices {
    const float (*pos)[PA_POS_VECTORS][4];
    const float *params;
    uint32_t param_floats; /* of a vertex */
    const float *own;      /* parameters of the primitive in hand */
};

enum pa_kind {
    PA_POINT = 1,
    PA_LINE = 2,
    PA_TRIANGLE = 3,
    PA_RECT = 4, /* three corners of a rectangle that is parallel to the axes */
};

struct pa {
    const struct pa_state *state;
    struct pa_vertices vertices;
    struct arena *arena;
    struct pa_list list;
    uint64_t invocations, primitives; /* that came to the clipper, that left it */
    bool out_of_memory;
};

#define PA_ALL_EDGES 7

/* Take a primitive; what is left of it goes to the end of pa->list. `provoking` is an index into `vertex`. `edges`:
 * where only a triangle's edges or corners are drawn, one bit for each edge from a corner to the next, or for that
 * corner. */
void amd_pa_primitive(struct pa *pa, enum pa_kind kind, const uint32_t vertex[3], unsigned provoking, uint8_t edges);

/* ---- between the files of this block ---- */

struct pa_point {
    float pos[4];  /* clip space */
    float bary[3]; /* of the primitive's vertices */
};

/* Where a point of clip space lands. */
struct pa_screen {
    int32_t x, y; /* subpixels */
    float z;
    float w_rcp;
};

/* What all pieces of a primitive share. */
struct pa_source {
    const float *params[3];
    const float *flat;
    const float *own;
    const struct pa_viewport *viewport;
    uint8_t viewport_index;
    uint16_t layer;
};

#define PA_MAX_POLYGON 24

/* Clip a polygon of `count` corners (pa_clip.c); the result replaces it. Returns the new count, 0 when nothing is left.
 * distances[d][v]: exported clip distances of the primitive's vertices. */
unsigned amd_pa_clip_polygon(const struct pa_state *state, struct pa_point *points, unsigned count,
                             const float (*distances)[3]);
unsigned amd_pa_clip_line(const struct pa_state *state, struct pa_point *points, const float (*distances)[3]);
bool amd_pa_clip_point(const struct pa_state *state, const struct pa_point *point, const float (*distances)[3]);

/* False: no place on the screen. */
bool amd_pa_project(const struct pa_state *state, const struct pa_viewport *viewport, const float pos[4],
                    struct pa_screen *screen_out);

/* A new primitive at the end of the list; NULL: out of memory. amd_pa_drop_prim takes it back. */
struct pa_prim *amd_pa_new_prim(struct pa *pa, const struct pa_source *source);
void amd_pa_drop_prim(struct pa *pa);

/* Bounds of corners in subpixels, cut by the scissor: false when nothing is left. */
bool amd_pa_set_bounds(struct pa_prim *prim, const struct pa_viewport *viewport, const int32_t (*corners)[2],
                       unsigned count);

/* Corners in order; the rule of the edges behind the first corner, the third and so on, and of those between. */
void amd_pa_set_edges(struct pa_prim *prim, const int32_t (*corners)[2], unsigned count, bool clockwise,
                      uint8_t rule_even, uint8_t rule_odd);

void amd_pa_setup_triangle(struct pa *pa, const struct pa_source *source, const struct pa_point points[3],
                           const struct pa_screen screen[3], int64_t area);
void amd_pa_setup_rect(struct pa *pa, const struct pa_source *source, const struct pa_screen screen[3],
                       const struct pa_point points[3]);
void amd_pa_setup_line(struct pa *pa, const struct pa_source *source, const struct pa_screen screen[2],
                       const float ends[2], bool is_back, float bias);
void amd_pa_setup_point(struct pa *pa, const struct pa_source *source, const struct pa_screen *screen,
                        const float half[2], bool is_back, float bias);
float amd_pa_depth_bias(const struct pa_state *state, bool is_back, float slope, float z_max);

/* Twice the signed area in subpixels, positive when clockwise on a screen whose y goes down. */
int64_t amd_pa_area(const struct pa_screen screen[3]);

#endif
