/* Texture units: what a sample is, in a form that no family owns. A family decodes its descriptors to tex_image and
 * tex_sampler, an instruction's operands to tex_query and tex_coords, and says by tex_ops where texels are; levels of
 * detail, footprints, filters, comparison and the edges of cubes are here. A sample goes through these steps, each for
 * all lanes:
 *
 *   tex_cube.c       directions and faces
 *   tex_lod.c        level of detail and anisotropy from quads or gradients; tex_levels.c which levels these are
 *   tex_footprint.c  from coordinates to texels and weights: address modes, offsets, cube edges
 *   tex_fetch.c      texels from memory by the family's function, borders, corners of cubes
 *   tex_filter.c     reduction of the texels of a footprint; comparison
 *   tex_sample.c     passes: one for each level and, if anisotropic, each probe; tex_cubic.c those of a cubic filter
 *   tex_fast.h       the fast path of most of them: places from tables, steps that are loops over all lanes
 *
 * Weights and levels have 8 fractional bits. Lanes are those of a wave of up to LANES_MAX; a family with longer waves
 * asks for the parts. Rounding and denormals must be the default ones (isa/lane_env.h). Not here: loads and stores by
 * integers, tiling, metadata, what a result looks like in registers. */
#ifndef MODEL_TEXTURE_TEXTURE_H
#define MODEL_TEXTURE_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/lanes.h"
#include "util/format/format.h"

struct gpu_space;
struct tex_blocks;
struct tex_places_set;

/* ---- samplers ---- */

/* Which texel stands for one outside of the image. */
enum tex_wrap {
    TEX_REPEAT,
    TEX_MIRROR,
    TEX_CLAMP_TO_EDGE,
    TEX_MIRROR_ONCE_TO_EDGE,
    TEX_CLAMP_TO_HALF_BORDER, /* coordinates stop at the edge, where half of the weight is the border's */
    TEX_MIRROR_ONCE_TO_HALF_BORDER,
    TEX_CLAMP_TO_BORDER,
    TEX_MIRROR_ONCE_TO_BORDER,
};

enum tex_reduction {
    TEX_MEAN, /* weighted */
    TEX_MIN,
    TEX_MAX,
};

struct tex_sampler {
    uint8_t wrap[3];   /* enum tex_wrap, by axis */
    uint8_t reduction; /* enum tex_reduction */
    uint8_t compare;   /* enum pixel_compare: the reference against the texel */
    bool mag_linear, min_linear;
    bool mag_cubic, min_cubic;   /* of two axes: sixteen texels; elsewhere linear, which must be set, too */
    bool z_follows_xy, z_linear; /* of volumes */
    bool mip_linear, mip_none;
    bool is_seamless; /* filtering crosses the edges of a cube */
    bool is_encoded;  /* sRGB texels are returned as they are stored */
    bool trunc;       /* the nearest texel is the one that the coordinate lies in, without rounding */
    bool unnormalized;
    unsigned max_aniso; /* 1: isotropic */
    float lod_bias, min_lod, max_lod;
    float bias_limit; /* of the sampler's bias and of the sum with the instruction's, either way */
};

/* ---- images ---- */

#define TEX_MAX_LEVELS 16

/* Places of tex_image.order besides components. */
enum tex_order {
    TEX_ORDER_ZERO = 4,
    TEX_ORDER_ONE,
};

struct tex_image {
    uint8_t axes; /* 1, 2 or 3 that are filtered; a cube has two */
    bool is_cube;
    bool is_float;         /* a texel is four floats; of integers there are minima and maxima, and no means */
    bool is_signed;        /* of integers */
    bool clamps_reference; /* of a comparison: to the range of fixed point */
    /* The format of memory's bytes, if that is all there is to it: no samples or planes. FORMAT_UNDEFINED: only
     * `fetch` knows. */
    enum format format;
    uint8_t piece_log2; /* bytes of pieces that `look` is to be asked about each time, which offsets have as their upper
                           bits; 0: there are none */
    bool is_narrow;     /* of ASTC: texels have eight bits */
    uint8_t order[4];   /* X, Y, Z and W are these components of the format, or enum tex_order */
    uint8_t base_level, last_level;
    uint16_t min_lod; /* 8 fractional bits, counted from level 0 */
    uint32_t first_layer, layers;
    struct {
        uint32_t width, height, depth; /* texels */
    } level[TEX_MAX_LEVELS];
};

union tex_texel {
    float f[4];
    uint32_t u[4];
    int32_t i[4];
};

/* Registers have no type. */
typedef float __attribute__((may_alias)) tex_float;

static inline const tex_float *tex_floats(const uint32_t *row)
{
    return (const tex_float *)row;
}

/* Texels at integer coordinates inside of the image, a row a coordinate. */
struct tex_rows {
    const uint32_t *x, *y, *z, *sample;
    const uint8_t *level; /* of the image */
};

/* ---- a query ---- */

/* A part of an element's offset (tex_places.h). */
struct tex_place {
    uint32_t xor_B, add_B;
};

struct tex_query;

#define TEX_ELEMENT_B 16 /* of the largest */
enum tex_piece {
    TEX_PIECE_PLAIN,   /* memory has its texels as they are */
    TEX_PIECE_ONE,     /* one element stands for all of them */
    TEX_PIECE_UNKNOWN, /* it cannot be found out here */
};

/* The family's part. Each function returns false where the wave has stopped, unless it says otherwise. */
struct tex_ops {
    /* The texels of `lanes`; whatever in others. With the sRGB curve, unless the sampler says otherwise. */
    bool (*fetch)(struct tex_query *q, union tex_texel out[LANES_MAX], const struct tex_rows *rows, uint64_t lanes);
    /* The texel outside of the image, as `fetch` would give it. */
    bool (*border)(struct tex_query *q, union tex_texel *out);
    /* Of images that have a format: where the first byte is that tables of places count from, and the parts of an
     * offset that x, y (in elements: texels or blocks) and slices of a level have; x has no `add`. False: farther apart
     * than 2 GiB. `has_changed` says whether what they say has changed since it was last
     * asked; NULL: it never does. */
    bool (*layout)(struct tex_query *q, uint64_t *base_va_out);
    struct tex_place (*place)(struct tex_query *q, unsigned level, unsigned axis, uint32_t at);
    bool (*has_changed)(struct tex_query *q);
    /* Of images whose memory has pieces (tex_image.piece_log2): what the piece that a texel is in holds; of
     * TEX_PIECE_ONE `element`, in the image's format. Nothing is reported. */
    enum tex_piece (*look)(struct tex_query *q, unsigned level, uint32_t x, uint32_t y, uint32_t slice,
                           uint8_t *element);
};

/* The operands of one instruction. Rows are registers or made by the family; those that the instruction does not have
 * are NULL. */
struct tex_query {
    const struct tex_image *image;
    const struct tex_sampler *sampler;
    const struct tex_ops *ops;
    /* For the fast path; NULL: none, each texel is to be asked for. */
    const struct gpu_space *space;
    struct tex_places_set *places; /* of the image */
    struct tex_blocks *blocks;
    uint64_t work;  /* while it is the same, and not 0, what `look` says does not change */
    unsigned lanes; /* a multiple of 16, up to LANES_MAX */
    uint64_t exec;
    const uint32_t *exec_lanes; /* the same as a row, all ones where a lane is active */
    unsigned axes;              /* coordinates that the instruction has along the image: 1 to 3 */
    bool unnormalized;
    bool is_level_zero;       /* the instruction asks for level 0 */
    bool is_one_slice;        /* all lanes are known to have the same, of images without slices of their own */
    uint8_t wanted;           /* X, Y, Z and W, a bit each; 0: all of them. Others may be anything */
    const int32_t *offset[3]; /* texels, by axis */
    const uint32_t *bias, *lod, *clamp; /* floats */
    const uint32_t *compare;
    const uint32_t *grad[2][3]; /* by direction and axis; of a cube in the plane of the lane's face */
};

/* The registers' part of X, Y, Z and W: `mask` says which components of the result come there, and `swizzle` which
 * these are, X to W from 0 on. */
static inline uint8_t tex_wanted(const uint8_t swizzle[4], unsigned mask)
{
    unsigned wanted = 0;
    for (unsigned n = 0; n < 4; n++) {
        if (mask >> n & 1 && swizzle[n] < 4)
            wanted |= 1u << swizzle[n];
    }
    return (uint8_t)wanted;
}

/* Coordinates as filtering wants them: a cube's already in [0, 1] of their face. Rows are registers, constants or the
 * ones here; copies of the struct have the same rows. */
struct tex_coords {
    const tex_float *at[3];
    const uint32_t *slice; /* of memory: layer, face or, for a volume seen as 2D, slice */
    struct {
        float at[3][LANES_MAX];
        uint32_t slice[LANES_MAX];
    } own;
};

extern const float tex_zeros[LANES_MAX], tex_ones[LANES_MAX];
extern const uint32_t tex_no_slices[LANES_MAX]; /* of images whose first layer is the first one */

/* ---- cubes (tex_cube.c) ---- */

struct tex_direction {
    float x, y, z;
};

/* Faces are +x -x +y -y +z -z. A face's own coordinates (s, t in [-1, 1]) as a direction; a direction by the axes of a
 * face, the one that leads to it last; where a direction meets the plane of a face, false behind it; the face that a
 * direction meets, the later axis where two are as long. */
struct tex_direction tex_face_direction(unsigned face, float s, float t);
struct tex_direction tex_face_axes(unsigned face, struct tex_direction d);
bool tex_face_coords(unsigned face, struct tex_direction d, float *s_out, float *t_out);
unsigned tex_face_of(struct tex_direction d);

/* A texel of a face of `size` texels, or the one beyond its edge, which is on another (tex_edge.c). False: beyond a
 * corner, where there is none. */
bool tex_cross_edge(unsigned *face, int32_t *x, int32_t *y, int32_t size);

/* ---- level of detail (tex_lod.c) ---- */

struct tex_lod {
    float lod[LANES_MAX]; /* clamped to what the sampler and the image allow; relative to the base level */
    float unclamped[LANES_MAX];
    uint8_t probes[LANES_MAX]; /* anisotropic: how many */
    unsigned max_probes;
    float step[2][LANES_MAX]; /* the distance that all probes together cover, in normalised coordinates */
};

void tex_lod_init(struct tex_lod *lod, const struct tex_query *q, const struct tex_coords *c);

/* Which levels a lane looks at, and how. */
struct tex_levels {
    uint8_t low[LANES_MAX], high[LANES_MAX]; /* of the image */
    uint8_t linear[LANES_MAX];               /* 1: between texels, 0: the nearest, 2: cubic */
    float fraction[LANES_MAX];               /* the higher level's weight */
    bool any_fraction;                       /* of an active lane */
    bool any_cubic;
    bool is_same; /* all of it is the same in all lanes */
};
void tex_levels_init(struct tex_levels *levels, const struct tex_query *q, const struct tex_lod *lod);
/* Both at once where all lanes have the same level and filter and one probe, whatever their coordinates are. False:
 * they may differ. Of `lod` only the probes are written. */
bool tex_levels_init_same(struct tex_levels *levels, struct tex_lod *lod, const struct tex_query *q);

/* Levels of an instruction, whichever way is the shortest: those that its image keeps, or made in these. */
struct tex_found {
    const struct tex_lod *lod;
    const struct tex_levels *levels;
    struct tex_lod own_lod;
    struct tex_levels own_levels;
};
void tex_find_levels(struct tex_found *to, struct tex_query *q, const struct tex_coords *c);

/* ---- footprints (tex_footprint.c) ---- */

#define TEX_MAX_TAPS 8

/* The texels of one footprint per lane. Tap bits: 0 the second in x, 1 in y, 2 in z. */
struct tex_taps {
    unsigned count; /* 1, 2, 4 or 8 */
    int32_t x[TEX_MAX_TAPS][LANES_MAX], y[TEX_MAX_TAPS][LANES_MAX], z[TEX_MAX_TAPS][LANES_MAX];
    uint8_t border[TEX_MAX_TAPS][LANES_MAX];
    uint8_t corner[TEX_MAX_TAPS][LANES_MAX]; /* of a cube: three texels meet, there is no fourth */
    float weight[TEX_MAX_TAPS][LANES_MAX];
    uint8_t level[LANES_MAX]; /* of the image */
};

/* taps->level must be set; `linear` is as in tex_levels, cubic counts as linear. A gather's taps all have the weight
 * 1. */
void tex_footprint(struct tex_taps *taps, const struct tex_query *q, const struct tex_coords *c, const uint8_t *linear,
                   bool is_gather);

/* ---- texels (tex_fetch.c, tex_filter.c) ---- */

/* taps->count rows. False: the wave has stopped. */
bool tex_fetch(union tex_texel (*out)[LANES_MAX], struct tex_query *q, const struct tex_taps *taps);

struct tex_sum {
    union tex_texel value[LANES_MAX];
    bool started;
};
void tex_compare(union tex_texel (*texels)[LANES_MAX], const struct tex_query *q, unsigned taps);
void tex_accumulate(struct tex_sum *sum, const struct tex_query *q, union tex_texel (*texels)[LANES_MAX],
                    const struct tex_taps *taps, const float *lane_weight);

/* ---- instructions (tex_sample.c, tex_cubic.c, tex_fast.c) ---- */

/* The texels of one level by a cubic filter, of the lanes whose weight is not 0. False: the wave has stopped. */
bool tex_cubic(struct tex_sum *sum, struct tex_query *q, const struct tex_coords *c, const uint8_t *level,
               const float *lane_weight);

/* False: the wave has stopped. */
bool tex_sample(union tex_texel out[LANES_MAX], struct tex_query *q, const struct tex_coords *c,
                const struct tex_lod *lod, const struct tex_levels *levels);

/* The four texels that a linear filter would look at in the lower level, by the bits of a tap, compared if the query
 * has a reference. False: the wave has stopped. */
bool tex_gather(union tex_texel out[4][LANES_MAX], struct tex_query *q, const struct tex_coords *c,
                const struct tex_levels *levels);

/* A gather without the fast path, and the fast path alone, without the comparison: false where it is not its case. */
bool tex_plain_gather(union tex_texel out[4][LANES_MAX], struct tex_query *q, const struct tex_coords *c,
                      const struct tex_levels *levels);
bool tex_fast_gather(union tex_texel out[4][LANES_MAX], struct tex_query *q, const struct tex_coords *c,
                     const struct tex_levels *levels);
/* X, Y, Z or W of them alone, by tap, compared if the query has a reference. False: not its case. */
bool tex_fast_gather_one(float out[4][LANES_MAX], struct tex_query *q, const struct tex_coords *c,
                         const struct tex_levels *levels, unsigned channel);

/* The result of most instructions: rows of X, Y, Z and W; lanes that are not active have anything. False: not its
 * case, nothing has been done. */
struct tex_result {
    const float *channel[4];
    float value[4][LANES_MAX];
};
/* A sample without levels, of images of one component, at once (tex_short.c). `into`: a row whose active lanes get
 * that component, and nothing else is given; NULL: rows of `out`. */
bool tex_short_sample(struct tex_result *out, uint32_t *into, struct tex_query *q, const struct tex_coords *c);
/* A sample to rows for the components of the format, of which only active lanes and wanted components are written;
 * rows may be those of coordinates. False: not its case, nothing has been done. */
bool tex_sample_into(float (*rows)[LANES_MAX], struct tex_query *q, const struct tex_coords *c,
                     const struct tex_lod *lod, const struct tex_levels *levels);
bool tex_fast_sample(struct tex_result *out, struct tex_query *q, const struct tex_coords *c, const struct tex_lod *lod,
                     const struct tex_levels *levels);
/* A sample without the straight way. */
bool tex_step_sample(struct tex_result *out, struct tex_query *q, const struct tex_coords *c, const struct tex_lod *lod,
                     const struct tex_levels *levels);

/* ---- what is kept from one instruction to the next (tex_straight.c) ---- */

/* On hosts that have the straight way, all that does not depend on lanes is found once for an image, a sampler and a
 * kind of instruction, and kept with the image's tables. Families whose instruction itself says that it is the same one
 * as the last time keep this, too, and need not begin anew. */
struct tex_again {
    const struct tex_plan *plan;
    unsigned components; /* that are wanted */
    uint32_t changes;    /* of the image's tables and plans when this was found */
};
/* Of a query whose lanes do not matter. False: not its case. */
bool tex_again_begin(struct tex_again *again, struct tex_query *q);

/* Nothing has been done unless it is DONE. */
enum tex_again_end {
    TEX_AGAIN_DONE,
    TEX_AGAIN_CHANGED, /* what was found is no longer so: it is for all other ways */
    TEX_AGAIN_OTHER,   /* these lanes are not its case, nor that of short and straight ones: it is for tex_step_sample */
};
/* As tex_sample_into, or tex_short_sample to the first row, of a query that differs from that one in active lanes, the
 * values in its rows and `work` alone. */
enum tex_again_end tex_again_sample(float (*rows)[LANES_MAX], const struct tex_again *again, struct tex_query *q,
                                    const struct tex_coords *c);
/* A result as rows of X, Y, Z and W. */
enum tex_again_end tex_again_result(struct tex_result *out, const struct tex_again *again, struct tex_query *q,
                                    const struct tex_coords *c);

#endif
