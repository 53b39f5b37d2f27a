/* The fixed-function tessellator that the GPU models share: from the levels of a patch to points of its domain and the
 * primitives between them.
 *
 * It follows the rules that Vulkan and Direct3D 11 have in common: an edge is cut by its own level and the spacing
 * alone, symmetrically about its middle, so that two patches that share an edge and its level meet without a crack; the
 * inside is cut by the inner levels and does not depend on the outer ones. What the rules leave open (which segments of
 * a fractional edge are the shorter ones, how the outer edge is joined with the inside) is as Direct3D's fixed-function
 * tessellators have it: levels that grow by one split points at the same places.
 *
 * Coordinates are multiples of 2^-16: on an edge where u + v = 1 they are so exactly.
 *
 * Not for: how levels reach the tessellator, nor in which waves its points are shaded; that is a family's business. */
#ifndef MODEL_TESSELLATE_TESSELLATE_H
#define MODEL_TESSELLATE_TESSELLATE_H

#include <stdbool.h>
#include <stdint.h>

#define TESS_MAX_LEVEL 64
#define TESS_MAX_POINTS ((TESS_MAX_LEVEL + 1) * (TESS_MAX_LEVEL + 1))
#define TESS_MAX_PRIMS (TESS_MAX_LEVEL * TESS_MAX_LEVEL * 2)

enum tess_domain {
    TESS_DOMAIN_ISOLINES,
    TESS_DOMAIN_TRIANGLES,
    TESS_DOMAIN_QUADS,
};

enum tess_spacing {
    TESS_SPACING_EQUAL,
    TESS_SPACING_POWERS, /* of two; equal otherwise */
    TESS_SPACING_ODD,    /* fractional */
    TESS_SPACING_EVEN,
};

enum tess_output {
    TESS_OUTPUT_POINTS,
    TESS_OUTPUT_LINES,
    TESS_OUTPUT_CW, /* triangles that turn clockwise where u goes to the right and v down */
    TESS_OUTPUT_CCW,
};

struct tess_mode {
    enum tess_domain domain;
    enum tess_spacing spacing;
    enum tess_output output;
    float max_level; /* levels above are this one; at most TESS_MAX_LEVEL */
};

/* Outer levels: of the edges u = 0, v = 0, u = 1, v = 1 of a square, u = 0, v = 0, w = 0 of a triangle; of isolines
 * their number and that of the segments of each. Inner ones: along u and v of a square, the first of a triangle. */
struct tess_levels {
    float outer[4], inner[2];
};

struct tess_point {
    float u, v; /* w is 1 - u - v */
};

struct tess_patch {
    uint32_t point_count, prim_count;
    uint32_t prim_vertices; /* 1 to 3 */
    struct tess_point points[TESS_MAX_POINTS];
    uint16_t prims[TESS_MAX_PRIMS][3];
};

/* Everything of *patch_out is written but the room that is not used. A patch with an outer level that is not above zero
 * has nothing. */
void tessellate(const struct tess_mode *mode, const struct tess_levels *levels, struct tess_patch *patch_out);

/* ---- tess_edge.c: one dimension ---- */

#define TESS_ONE 65536 /* of coordinates and levels as integers */

/* How a level cuts an edge. A half of the edge has points by the level rounded down and up to the next one that cuts
 * equally; each point lies between its two places. */
struct tess_edge {
    uint32_t segments;
    uint32_t split; /* the point that is two when the level is rounded up */
    uint32_t floor_segments, ceil_segments, fraction;
};

/* `is_above_one`: a level of one is taken as the next one above it. */
struct tess_edge tess_edge_of(const struct tess_mode *mode, float level, bool is_above_one);

/* Where point 0 to `segments` lies, of TESS_ONE. */
int32_t tess_edge_place(const struct tess_edge *edge, uint32_t point);

/* The points of half an edge with 32 segments in the order in which growing levels bring them: order_out[i] is how many
 * are there before point i is. Up to `count` of them. */
void tess_edge_order(uint32_t count, uint8_t order_out[TESS_MAX_LEVEL / 2]);

#endif
