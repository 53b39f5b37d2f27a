/* The rasteriser that the GPU models share: from shaded vertices to quads of covered samples. Clipping, viewport
 * transform, facing, culling, the expansion of points and lines, depth bias, the plane equations of everything that is
 * interpolated, and which samples of a tile a primitive covers.
 *
 * Screen positions are fixed point of 24 bits, of which the state says how many are below the pixel; edges are exact.
 * Everything that is interpolated is a plane over the screen: i / w and j / w, where i and j are the weights of the
 * second and the third vertex, so that a clipped piece interpolates as the whole primitive does.
 *
 * State is plain: a family fills it from its registers or descriptors, once per draw. A tile is any rectangle: its
 * size, the storage of what falls into it and who shades it are the family's business, and so is which vertices make a
 * primitive. Not for: depth, shading, or pixels. */
#ifndef MODEL_RASTER_RASTER_H
#define MODEL_RASTER_RASTER_H

#include <stdbool.h>
#include <stdint.h>

#include "util/arena.h"

#define RASTER_MAX_VIEWPORTS 16
#define RASTER_MAX_EDGES 4
#define RASTER_POS_VECTORS 4 /* position, and up to three more that the vertex shader exports for fixed function */

struct raster_viewport {
    float scale[3], offset[3];
    float z_min, z_max;
    int32_t scissor[4]; /* x0, y0, x1, y1; all rectangles of the draw intersected */
};

/* The fate of a sample that lies on an edge: it belongs to the primitive if the bit of the edge's kind is set. */
enum raster_edge_rule {
    RASTER_BOTTOM_IN = 1, /* horizontal */
    RASTER_TOP_IN = 2,    /* horizontal */
    RASTER_RIGHT_IN = 4,
    RASTER_LEFT_IN = 8,
};

struct raster_line_rule {
    uint8_t sides, ends; /* pa_edge_rule */
};

struct raster_edge_rules {
    uint8_t triangle, point, rect;                 /* pa_edge_rule */
    struct raster_line_rule right, left, down, up; /* by the direction that a line runs in most */
};

enum raster_fill {
    RASTER_FILL_POINTS,
    RASTER_FILL_LINES,
    RASTER_FILL_TRIANGLES,
};

/* An integer that the vertex shader exports beside the position: `bits` bits from `shift` on of word `word` of the
 * vertex's position vectors. No bits: it is 0. */
struct raster_field {
    uint8_t word, shift, bits;
};

struct raster_state {
    bool is_off; /* nothing reaches the rasteriser */

    /* clipping */
    bool has_clipping; /* by the view volume */
    bool has_near_plane, has_far_plane;
    bool z_is_from_zero;                    /* 0 <= z <= w; otherwise -w <= z <= w */
    float guard_x, guard_y;                 /* clip beyond this many times w */
    float discard_x, discard_y;             /* throw away what is wholly beyond this many times w */
    uint8_t clip_distances, cull_distances; /* one bit each */
    uint8_t distance_word[2];               /* of the first and the second four, among the position vectors */

    /* transform */
    bool xy_transform, z_transform;
    bool xy_divided, z_divided; /* the shader has done it */
    bool w_inverted;            /* the shader gives 1 / w */
    /* All three of these, and yet there is clipping: x and y are pixels, so guard and discard limits are pixels, too,
     * and near and far planes lie at depths. A corner that clipping leaves alone keeps its place exactly. */
    bool clips_divided;
    float clip_near, clip_far;
    uint8_t subpixel_bits; /* of positions */
    uint8_t quantum_bits;  /* of those the lowest, which rounding clears */
    float middle[2];       /* pixels: where the range of positions has its middle */
    struct raster_viewport viewports[RASTER_MAX_VIEWPORTS];
    struct raster_field layer, viewport;
    struct raster_field rate; /* of shading: what it means is the family's business */

    /* facing and fill, [0] of front faces, [1] of back faces */
    bool front_is_clockwise; /* on a screen whose y goes down */
    bool is_culled[2];
    enum raster_fill fill[2];
    bool has_bias[2];
    bool has_outline_bias; /* lines and points have it too */
    float bias_scale[2], bias_offset[2], bias_clamp;
    int bias_exponent;
    bool bias_is_float;
    struct raster_edge_rules rules;
    bool over_rasterize; /* triangles without an area are drawn, too */
    bool has_one_sample; /* in the middle of a pixel: triangles without such a place are dropped */

    /* points and lines */
    bool has_point_size;     /* from the shader: */
    uint8_t point_size_word; /* among the position vectors */
    float point_half[2], point_half_min, point_half_max;
    float line_half;
    bool perpendicular_caps;
    bool stipple;
    bool stipple_goes_on; /* from one line of a draw to the next */
};

struct raster_plane {
    float at, dx, dy; /* at the primitive's origin; a pixel to the right; a pixel down */
};

/* Inside where a * x + b * y + c >= 0, x and y in subpixels: the edge rule is in c. */
struct raster_edge {
    int32_t a, b;
    int64_t c;
};

/* Which pixels of a line its stipple counts. */
struct raster_stipple {
    int32_t first; /* pixel */
    uint32_t length;
    uint32_t start; /* what the counter stands at there */
    bool along_y, backwards;
};

struct raster_prim {
    int32_t x0, y0, x1, y1; /* pixels that may be covered, the last ones exclusive */
    struct raster_edge edges[RASTER_MAX_EDGES];
    float origin_x, origin_y;   /* pixels */
    struct raster_plane z, w;   /* w: 1 / w */
    struct raster_plane iw, jw; /* i / w, j / w */
    struct raster_plane i, j;   /* without perspective */
    float z_min, z_max;
    const float *params[3];         /* exported parameters of the vertices: P0 and those that P10 and P20 lead to */
    const float *flat;              /* of the provoking vertex */
    const float *own;               /* of the primitive itself, or NULL */
    struct raster_stipple *stipple; /* of a line, or NULL */
    uint16_t layer;
    uint8_t rate, own_rate; /* of shading, as the provoking vertex and the primitive itself say it */
    uint8_t edge_count;
    uint8_t subpixel_bits; /* of the edges */
    uint8_t viewport;
    bool is_back;
    bool is_point;  /* i and j are the sprite's coordinates */
    bool is_linear; /* every w is the same: i, j need no division */
};

/* The primitives of a tile are far from each other in memory, and so are their vertices: both are asked for before they
 * are looked at. */
static inline void raster_prefetch(const struct raster_prim *prim)
{
    for (size_t at_B = 0; at_B < sizeof(*prim); at_B += 64)
        __builtin_prefetch((const char *)prim + at_B);
}

static inline void raster_prefetch_params(const struct raster_prim *prim)
{
    for (unsigned i = 0; i < 3; i++)
        __builtin_prefetch(prim->params[i]);
}

/* Primitives in the order of the API, in blocks that never move. */
#define RASTER_BLOCK_PRIMS 32
struct raster_block {
    struct raster_block *next;
    uint32_t count;
    struct raster_prim prims[RASTER_BLOCK_PRIMS];
};

struct raster_list {
    struct raster_block *first, *last;
};

/* Where a point of clip space lands. */
struct raster_screen {
    int32_t x, y; /* subpixels */
    float z;
    float w_rcp;
};

/* Where a vertex is, whatever primitives it is of. */
struct raster_place {
    struct raster_screen screen;
    bool is_on_screen;
    uint32_t crossed, discarded; /* planes that it is outside of, with and without the guard band */
};

/* Vertices as they were exported. */
struct raster_vertices {
    const float (*pos)[RASTER_POS_VECTORS][4];
    const float *params;
    uint32_t param_floats; /* of a vertex */
    const float *own;      /* parameters of the primitive in hand */
    bool has_own_place;    /* that primitive has its own layer and viewport, not those of a vertex */
    uint8_t own_viewport, own_rate;
    uint16_t own_layer;
    const struct raster_place *places; /* of triangles' vertices, or NULL */
};

enum raster_kind {
    RASTER_POINT = 1,
    RASTER_LINE = 2,
    RASTER_TRIANGLE = 3,
    RASTER_RECT = 4, /* three corners of a rectangle that is parallel to the axes */
};

struct raster_assembler {
    const struct raster_state *state;
    struct raster_vertices vertices;
    struct arena *arena;
    struct raster_list list;
    uint64_t invocations, primitives; /* that came to the clipper, that left it */
    bool out_of_memory;
};

/* Find the places of the assembler's vertices, which triangles that need no clipping share; `room` is for so many.
 * Where there are several viewports, or a distance clips or culls, or vertices are too few for it, they get none. */
void raster_place_vertices(struct raster_assembler *assembler, enum raster_kind kind, size_t count,
                           struct raster_place *room);

#define RASTER_ALL_EDGES 7

/* Take a primitive; what is left of it goes to the end of its list. `provoking` is an index into `vertex`. `edges`:
 * where only a triangle's edges or corners are drawn, one bit for each edge from a corner to the next, or for that
 * corner. */
void raster_primitive(struct raster_assembler *assembler, enum raster_kind kind, const uint32_t vertex[3],
                      unsigned provoking, uint8_t edges);

/* ---- coverage ---- */

#define RASTER_BLOCK 8
#define RASTER_MAX_SAMPLES 8
#define RASTER_LOCATION_BITS 8 /* of a sample's place below the pixel */
#define RASTER_LOCATION_ONE (1 << RASTER_LOCATION_BITS)

enum raster_conservative {
    RASTER_EXACT,
    RASTER_OVER,  /* every pixel that is touched */
    RASTER_UNDER, /* only pixels that are wholly inside */
};

struct raster_coverage {
    unsigned samples_log2, samples;
    unsigned iterations; /* shader invocations a pixel */
    bool same_locations; /* for all four pixels of a quad */
    /* By pixel of a quad (x + 2 * y) and sample: RASTER_LOCATION_ONE a pixel, from its corner. */
    uint8_t x[4][RASTER_MAX_SAMPLES], y[4][RASTER_MAX_SAMPLES];
    uint8_t sample_mask[4];
    uint8_t centroid_order[RASTER_MAX_SAMPLES];
    bool centroid_is_center;               /* of a pixel whose samples are all covered */
    enum raster_conservative conservative; /* of triangles */
    /* Clip rectangles: bit n of the rule says what becomes of pixels that are in those rectangles whose bits are in n.
     */
    bool has_clip_rects;
    uint16_t clip_rule;
    int32_t clip_rects[4][4];
    uint16_t stipple_pattern;
    uint8_t stipple_repeat; /* pixels a bit */
    bool stipple_from_top;  /* the highest bit first */
    /* Not 0: a pixel counts as a whole where any sample of it is covered; the samples of the targets that it stands
     * for, as in a quad's mask. Of several rasterised samples a quad's coverage stays what it is. */
    uint32_t spread;
};

/* Two by two pixels of one primitive. */
struct raster_quad {
    const struct raster_prim *prim;
    uint16_t x, y;
    uint32_t mask;     /* bit 8 * pixel + sample: covered and, after early depth, visible */
    uint32_t coverage; /* the same before depth */
    uint8_t iteration; /* of per-sample shading */
    /* Where pixels are shaded together, which the family arranges after the walk: how many, as the family says it, and
     * whether the quad is shaded with the one before it. */
    uint8_t rate;
    bool goes_on;
};

/* Whether all quads are of one primitive. Those of a tile come primitive by primitive, but a list of several tiles has
 * a primitive again, with others between. */
static inline bool raster_is_one_prim(const struct raster_quad *quads, uint32_t count)
{
    for (uint32_t i = count; i-- > 1;) { /* the last one differs most often */
        if (quads[i].prim != quads[0].prim)
            return false;
    }
    return true;
}

struct raster_quads {
    struct raster_quad *quads;
    uint32_t count; /* room for a whole tile more is the caller's business */
    /* Of a tile of 64 by 64 pixels: aligned blocks of 8 by 8 that are covered from the first to the last sample are
     * bits here (8 * row + column) in place of quads. */
    bool takes_blocks;
    uint64_t blocks;
    /* Not NULL: aligned blocks of which some pixels are covered are bits of `parts` in place of quads, and so are whole
     * ones where they are not taken as such; each has its pixels here at its number, a bit each, row by row. For one
     * sample that stands for itself alone. */
    uint64_t *masks;
    uint64_t parts;
    bool
        wants_no_quads; /* with masks: what is not in aligned blocks, as primitives of a few pixels, is cut into parts, too */
};

/* Pixels; the first ones are multiples of RASTER_BLOCK. */
struct raster_tile {
    int32_t x, y, width, height;
};

/* Append the quads of a primitive in a tile, row by row of blocks of 8 by 8 pixels. Edges are evaluated over blocks:
 * exact, because a pixel is a power of two of subpixels, and so as many bits can be dropped from an edge's value
 * without a change of sign. */
void raster_walk_tile(const struct raster_coverage *state, const struct raster_prim *prim,
                      const struct raster_tile *tile, struct raster_quads *out);

/* How much of a rectangle's pixels a primitive covers, whatever size the rectangle has. Not looked at: sample masks. */
enum raster_share {
    RASTER_SHARE_NONE,
    RASTER_SHARE_SOME, /* or none, or all: it would take a closer look */
    RASTER_SHARE_ALL,
};
enum raster_share raster_share(const struct raster_coverage *state, const struct raster_prim *prim,
                               const struct raster_tile *rect);

/* Append the quads of a part whose first pixel is at (x, y): `covered` as the walk has found it, `mask` what is left of
 * it. */
void raster_add_part(const struct raster_coverage *state, const struct raster_prim *prim, int32_t x, int32_t y,
                     uint64_t covered, uint64_t mask, struct raster_quads *out);

/* Rows of the 8 by 8 pixels at (x, y), lane 4 * q + p being pixel p of the block's quad q (raster_block.c): the weights
 * of the second and the third vertex at the middles of pixels. */
void raster_block_weights(const struct raster_prim *prim, uint32_t x, uint32_t y, bool is_linear, void *i_row,
                          void *j_row);
/* The pixels of which the depth at a place in each, with `at` as the plane's value at the origin, is within z_min and
 * z_max: bits in the order of those rows' lanes. */
uint64_t raster_block_within(const struct raster_prim *prim, float at, uint32_t x, uint32_t y, float in_x, float in_y);

/* A block's pixels row by row, as masks have them, in the order of those rows' lanes; and back. */
static inline uint64_t raster_swap_bits(uint64_t pixels, unsigned by, uint64_t mask)
{
    const uint64_t different = (pixels >> by ^ pixels) & mask;
    return pixels ^ different ^ different << by;
}

#define RASTER_UPPER_RIGHT 0x00f000f000f000f0ull /* four pixels each that change places with those left below them, */
#define RASTER_UPPER_PAIRS 0x0c0c0c0c0c0c0c0cull /* then two */

static inline uint64_t raster_rows_to_quads(uint64_t rows)
{
    return raster_swap_bits(raster_swap_bits(rows, 4, RASTER_UPPER_RIGHT), 2, RASTER_UPPER_PAIRS);
}

static inline uint64_t raster_quads_to_rows(uint64_t quads)
{
    return raster_swap_bits(raster_swap_bits(quads, 2, RASTER_UPPER_PAIRS), 4, RASTER_UPPER_RIGHT);
}

/* ---- between the files of this room ---- */

struct raster_point {
    float pos[4];  /* clip space */
    float bary[3]; /* of the primitive's vertices */
};

/* The shared part of all pieces of a primitive. */
struct raster_source {
    const float *pos[3]; /* as the shader gave them, where clips_divided */
    const float *params[3];
    const float *flat;
    const float *own;
    const struct raster_viewport *viewport;
    uint8_t viewport_index;
    uint8_t rate, own_rate;
    uint16_t layer;
};

#define RASTER_MAX_POLYGON 24

/* Clip a polygon of `count` corners (raster_clip.c); the result replaces it. Returns the new count, 0 when nothing is
 * left. distances[d][v]: exported clip distances of the primitive's vertices. */
unsigned raster_clip_polygon(const struct raster_state *state, struct raster_point *points, unsigned count,
                             const float (*distances)[3]);
/* The planes of the view volume that points are outside of, a row of each coordinate: what they are clipped by, and
 * what they are thrown away by. */
#define RASTER_ROW 16
void raster_classify_row(const struct raster_state *state, const float (*pos)[RASTER_ROW], uint32_t *crossed_out,
                         uint32_t *discarded_out);
unsigned raster_clip_line(const struct raster_state *state, struct raster_point *points, const float (*distances)[3]);
bool raster_clip_point(const struct raster_state *state, const struct raster_point *point, const float (*distances)[3]);

/* False: no place on the screen (raster_place.c). */
bool raster_project(const struct raster_state *state, const struct raster_viewport *viewport, const float pos[4],
                    struct raster_screen *screen_out);

/* The vertex in homogeneous coordinates, as clipping wants them: 0 <= z <= w between the near and the far plane. */
static inline void raster_undo_division(const struct raster_state *state, float pos[4])
{
    float depth = state->clip_far - state->clip_near, w = 1.0f / pos[3];
    pos[0] *= w;
    pos[1] *= w;
    pos[2] = depth > 0 ? (pos[2] - state->clip_near) / depth * w : 0.5f * w;
    pos[3] = w;
}

/* Corners in order; the rule of the edges after the first corner, the third and so on, and of those between. */
void raster_set_edges(struct raster_prim *prim, const int32_t (*corners)[2], unsigned count, bool clockwise,
                      uint8_t rule_even, uint8_t rule_odd);

void raster_setup_triangle(struct raster_assembler *assembler, const struct raster_source *source,
                           const struct raster_point points[3], const struct raster_screen screen[3], int64_t area);
void raster_setup_rect(struct raster_assembler *assembler, const struct raster_source *source,
                       const struct raster_screen screen[3], const struct raster_point points[3]);
void raster_setup_line(struct raster_assembler *assembler, const struct raster_source *source,
                       const struct raster_screen screen[2], const float ends[2], bool is_back, float bias);
void raster_setup_point(struct raster_assembler *assembler, const struct raster_source *source,
                        const struct raster_screen *screen, const float half[2], bool is_back, float bias);
float raster_depth_bias(const struct raster_state *state, bool is_back, float slope, float z_max);

/* Depth bias by itself, for families whose depth format is known only where depth is tested. `z_max` is the largest
 * depth of the primitive's vertices. */
struct raster_bias {
    float scale, offset, clamp;
    int exponent;  /* of the unit */
    bool is_float; /* it is relative to z_max's */
};
float raster_bias(const struct raster_bias *bias, float slope, float z_max);

/* Twice the signed area in subpixels, positive when clockwise on a screen whose y goes down. */
int64_t raster_area(const struct raster_screen screen[3]);

/* Pixels of the block of 8 by 8 at (x, y) that clip rectangles and stipples leave, one bit each (raster_cut.c). */
uint64_t raster_cut_block(const struct raster_coverage *state, const struct raster_prim *prim, int32_t x, int32_t y);

/* The covered samples of a quad that is wholly covered, and its mask. */
static inline uint32_t raster_whole_coverage(const struct raster_coverage *state)
{
    return ((1u << state->samples) - 1) * 0x01010101u;
}

static inline uint32_t raster_whole_quad(const struct raster_coverage *state)
{
    return state->spread ? state->spread : raster_whole_coverage(state);
}

/* Append the block at (x, y) in the tile, of which something is covered (raster_quads.c). masks: of each sample; `any`
 * and `all`: pixels of which some samples are covered, or every one. */
void raster_emit(const struct raster_coverage *state, const struct raster_prim *prim, const struct raster_tile *tile,
                 int x, int y, const uint64_t *masks, uint64_t any, uint64_t all, struct raster_quads *out);

static inline bool raster_has_cuts(const struct raster_coverage *state, const struct raster_prim *prim)
{
    return state->has_clip_rects || prim->stipple;
}

#endif
