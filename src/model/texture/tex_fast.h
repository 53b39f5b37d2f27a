/* Inside the fast path of samples: the steps of a pass, each for all lanes.
 *
 *   tex_position.c  from coordinates to entries of the tables (tex_places.h) and fractions
 *   tex_words.c     the words of the texels of a footprint
 *   tex_look.c      what metadata says of them
 *   tex_edge.c      those beyond the edges of cubes, and borders
 *   tex_area.c      texels of footprints that lie together, each once; tex_area_sum.c their sums
 *   tex_channels.c  words to channels, weights, comparison; tex_widen.c by way of rows of floats
 *   tex_part.c      some of the lanes, as if they were all
 *   tex_short.c     one channel, one level and footprints that lie together: all of that at once
 *   tex_wide.c      the same by vectors of 16 lanes
 *   tex_box.h       texels that lie together, in registers: for tex_wide.c and tex_straight_find.c
 *   tex_quads.c     levels of sixteen quads at once
 *   tex_straight.h  from coordinates to results, where the host has vectors of sixteen lanes: tex_straight*.c
 *   tex_plan.c      what does not depend on lanes, found once for an image and a sampler
 *   tex_run.h       an instruction: tex_fast.c samples, tex_probes.c with several probes, tex_gather.c gathers */
#ifndef MODEL_TEXTURE_TEX_FAST_H
#define MODEL_TEXTURE_TEX_FAST_H

#include <math.h>

#include "model/texture/tex_block.h"
#include "model/texture/tex_places.h"

#define TEX_INLINE static inline __attribute__((always_inline))

/* Hosts with gathers have words as fast as areas of texels. */
#if defined(__AVX2__)
#define TEX_HAS_GATHERS true
#else
#define TEX_HAS_GATHERS false
#endif

/* Vectors of 16 lanes (tex_wide.c, tex_straight.c, tex_quads.c). */
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
#define TEX_HAS_WIDE 1
#else
#define TEX_HAS_WIDE 0
#endif

/* The larger and the smaller of two numbers; the limit, if x is a NaN. Hosts have an instruction for it, each by
 * another name. */
TEX_INLINE float tex_at_least(float x, float limit)
{
#if defined(__aarch64__)
    return __builtin_fmaxf(x, limit);
#else
    return x > limit ? x : limit;
#endif
}

TEX_INLINE float tex_at_most(float x, float limit)
{
#if defined(__aarch64__)
    return __builtin_fminf(x, limit);
#else
    return x < limit ? x : limit;
#endif
}

/* A number that indexes a table, and stays where addresses are made: compilers make vectors of what surrounds it, and
 * moving lanes to and fro costs more than that brings. */
TEX_INLINE uint32_t tex_index(uint32_t number)
{
    __asm__("" : "+r"(number));
    return number;
}

/* How the words of a format become channels. */
enum tex_kind {
    TEX_KIND_NONE,  /* not by the fast path */
    TEX_KIND_RGBA8, /* the sum is of integers */
    TEX_KIND_SRGB8,
    TEX_KIND_R8,
    TEX_KIND_RG8,
    TEX_KIND_R16,
    TEX_KIND_RGBA16, /* this and the packed ones only where the host has gathers, else they are codecs */
    TEX_KIND_RGB565, /* the first is on top; the last is */
    TEX_KIND_BGR565,
    TEX_KIND_RGB10A2,
    TEX_KIND_RG16,
    TEX_KIND_RGBA8_SNORM,
    TEX_KIND_D24,
    TEX_KIND_R16F,
    TEX_KIND_RG16F,
    TEX_KIND_RG11B10F,
    TEX_KIND_R32F,
    TEX_KIND_RGBA16F,
    TEX_KIND_RG32F,
    TEX_KIND_CODEC,   /* by the format's codec, texel by texel */
    TEX_KIND_BLOCKS,  /* compressed */
    TEX_KIND_RGBA32F, /* of vectors of sixteen lanes alone: elsewhere a codec */
};

/* Texels of floats may be infinite: then a weight of 0 must not make a NaN of them. */
TEX_INLINE bool tex_may_be_infinite(enum tex_kind kind)
{
    return (kind >= TEX_KIND_R16F && kind <= TEX_KIND_RG32F) || kind == TEX_KIND_RGBA32F;
}

/* Whether a component of the format is asked for. */
TEX_INLINE bool tex_is_wanted(const struct tex_query *q, unsigned component)
{
    bool wanted = !q->wanted;
    for (unsigned n = 0; n < 4; n++)
        wanted |= q->wanted >> n & 1 && q->image->order[n] == component;
    return wanted;
}

TEX_INLINE unsigned tex_wanted_components(const struct tex_query *q)
{
    unsigned components = 0;
    for (unsigned n = 0; n < 4; n++)
        components |= (!q->wanted || q->wanted >> n & 1) << q->image->order[n];
    return components;
}

/* ---- what all lanes have in common ---- */

/* The common part of all lanes along an axis: one level, filters between texels, no offsets. */
struct tex_common {
    float scale; /* from the coordinate to 256ths of a texel */
    float down, up;
    int32_t size, start;
};

/* The integer below. GCC makes one instruction of it where it is asked for. */
TEX_INLINE int32_t tex_floor_of(float x)
{
#if defined(__GNUC__) && !defined(__clang__)
    return __builtin_ifloorf(x);
#else
    return (int32_t)floorf(x);
#endif
}

#define TEX_FARTHEST (4194304.0f * 256) /* 256ths of a texel */

/* Where a coordinate is along an axis, in 256ths of a texel; of mirrored ones, there and back. Constants where it is
 * inlined: wrap. */
TEX_INLINE int32_t tex_place_of(float u, const struct tex_common *axis, unsigned wrap)
{
    if (wrap == TEX_REPEAT)
        u -= floorf(u);
    else if (wrap == TEX_MIRROR)
        u -= 2 * floorf(u * 0.5f);
    u = tex_at_most(tex_at_least(u * axis->scale, -TEX_FARTHEST), TEX_FARTHEST);
    return tex_floor_of((u - axis->down) + axis->up);
}

/* The least and the largest, of entries of the tables or of slices; of positions in 256ths of a texel. */
struct tex_range {
    uint32_t low, high;
};
struct tex_span {
    int32_t low, high;
};

/* Constants where it is inlined: wrap, is_full. */
TEX_INLINE struct tex_span tex_place_each(int32_t *restrict to, const tex_float *restrict coord,
                                          const struct tex_common *given, unsigned wrap,
                                          const uint32_t *restrict active, bool is_full, unsigned first, unsigned lanes)
{
    const struct tex_common axis = *given;
    const int32_t own = tex_place_of(coord[first], &axis, wrap);
    int32_t low = own, high = own;
    LANES_INDEPENDENT
    for (unsigned i = 0; i < lanes; i++) {
        int32_t at = tex_place_of(coord[i], &axis, wrap);
        if (!is_full)
            at = (int32_t)(((uint32_t)at & active[i]) | ((uint32_t)own & ~active[i]));
        low = low < at ? low : at;
        high = high > at ? high : at;
        to[i] = at;
    }
    return (struct tex_span){low, high};
}

/* Positions of all lanes along an axis, and from where to where they are; of lanes that are not active (NULL: all are)
 * what lane `first` has. */
TEX_INLINE struct tex_span tex_place_lanes(int32_t *to, const tex_float *coord, const struct tex_common *axis,
                                           unsigned wrap, const uint32_t *active, unsigned first, unsigned lanes)
{
#define PLACE(wrap)                                                                                                    \
    (active ? tex_place_each(to, coord, axis, wrap, active, false, first, lanes)                                       \
            : tex_place_each(to, coord, axis, wrap, NULL, true, first, lanes))
    return wrap == TEX_REPEAT ? PLACE(TEX_REPEAT) : wrap == TEX_MIRROR ? PLACE(TEX_MIRROR) : PLACE(TEX_CLAMP_TO_EDGE);
#undef PLACE
}

/* One of TEX_REPEAT, TEX_MIRROR and TEX_CLAMP_TO_EDGE, which stands for all that do not go on beyond the edge. */
TEX_INLINE unsigned tex_wrap_kind(unsigned wrap)
{
    return wrap == TEX_REPEAT || wrap == TEX_MIRROR ? wrap : TEX_CLAMP_TO_EDGE;
}

/* ---- plans (tex_plan.c) ---- */

/* The part of an instruction that does not depend on its lanes. */
struct tex_plan {
    /* The sampler and the image that it is for. */
    struct tex_sampler sampler;
    uint8_t axes;
    bool unnormalized, is_level_zero, has_clamp, has_compare;

    bool applies;   /* to the fast path, if its offsets are small */
    bool inside[2]; /* what is outside along that axis is not in the tables */
    enum tex_kind kind;
    enum format format;
    bool is_same; /* all lanes have one level and filter, whatever their coordinates are: */
    struct tex_lod lod;
    struct tex_levels levels;
    bool is_straight; /* it is one for tex_straight.c, if its lanes are: */
    enum tex_kind straight_kind;
    bool is_short; /* it is one for tex_short.c or tex_wide.c, if its lanes are: */
    struct tex_common axis[3];
    struct tex_kept *kept; /* tex_straight.c's, one piece of memory that outlives what the plan is for; NULL: not yet */
};

/* NULL: none is kept, for the image has no fast path or the host no memory. */
struct tex_plan *tex_plan_get(const struct tex_query *q);

/* ---- the shortest way, 16 lanes at a time (tex_wide.c) ---- */

/* Of an instruction that is_short, active lanes to a row. False: not its case, nothing has been done. */
#if TEX_HAS_WIDE
bool tex_wide_sample(tex_float *to, struct tex_query *q, const struct tex_coords *c, const struct tex_plan *plan);
/* A gather's texels by tap, of a component of the format; not compared. */
bool tex_wide_gather(float (*to)[LANES_MAX], struct tex_query *q, const struct tex_coords *c, unsigned component);
/* A gather where texels do not lie together or are outside (tex_straight.c). */
bool tex_straight_gather(float (*to)[LANES_MAX], struct tex_query *q, const struct tex_coords *c,
                         const struct tex_levels *levels, unsigned component);
#endif

/* ---- levels of detail (tex_lod.c) ---- */

TEX_INLINE bool tex_wants_aniso(const struct tex_query *q)
{
    return q->sampler->max_aniso > 1 && q->axes == 2;
}

/* Of each quad, without bias and limits, where derivatives are those of quads: of coordinates, and of gradients of two
 * axes, if lanes of a quad have the same ones; false: they do not. */
void tex_lod_of_quads(float *value, const struct tex_query *q, const struct tex_coords *c, const float scale[3]);
bool tex_lod_of_quad_gradients(float *value, const struct tex_query *q, const float scale[3]);

/* tex_lod_init and tex_levels_init at once, in which lanes of a quad or all lanes have the same. False: they may not.
 * Of `lod` only the probes are written. */
bool tex_levels_init_short(struct tex_levels *levels, struct tex_lod *lod, const struct tex_query *q,
                           const struct tex_coords *c);

/* Levels that are not kept. */
void tex_find_own_levels(struct tex_found *to, struct tex_query *q, const struct tex_coords *c);

/* From a level of detail to levels: what all lanes have in common. */
struct tex_level_rules {
    float bias, low, high;
    int32_t mag, min; /* as in tex_levels.linear */
    int32_t base, last, most;
    int32_t round, mask;
};
/* Where derivatives of quads along two axes, or gradients without anisotropy, make the level, and there is no cube
 * (tex_quads.c); `scale` as in tex_lod_of_quads. Of `lod` the probes are written, and, if there are several, their
 * steps. False: lanes of a quad have other gradients. */
bool tex_levels_init_wide(struct tex_levels *levels, struct tex_lod *lod, const struct tex_query *q,
                          const struct tex_coords *c, const float scale[2], const struct tex_level_rules *rules);

/* ---- positions (tex_position.c) ---- */

/* The part of an axis that depends on the level: rows, or only their first entry where all lanes are in one level. */
struct tex_axis {
    float scale[LANES_MAX];  /* from the coordinate to texels */
    int32_t size[LANES_MAX]; /* texels */
    int32_t start[LANES_MAX];
};

/* How positions are rounded: `down` is subtracted from 256ths of a texel, then `up` added. */
struct tex_rounding {
    float down[LANES_MAX], up[LANES_MAX];
    uint32_t mask[LANES_MAX]; /* of fractions: 255, or 0 where the nearest texel is taken */
};

struct tex_positions {
    uint32_t at[LANES_MAX]; /* the first texel: an entry of the table, or, of z, its number */
    uint32_t fraction[LANES_MAX];
};

/* `is_same`: axis and rounding are those of the first lane for all. Returns, if asked to, whether an active lane's
 * footprint, one texel or two, reaches outside; of modes that repeat, nothing does. */
bool tex_locate(struct tex_positions *to, const struct tex_query *q, const tex_float *coord, const int32_t *offset,
                const struct tex_axis *axis, const struct tex_rounding *rounding, unsigned wrap, bool is_same,
                bool is_pair, bool finds_outside);
/* tex_locate of x and y from such positions, and what they reach. False: a footprint reaches outside where that is to
 * be found. */
bool tex_locate_both(struct tex_positions *x, struct tex_positions *y, struct tex_range range[2],
                     const struct tex_query *q, const struct tex_coords *c, const struct tex_common axis[2],
                     unsigned first, const uint8_t wrap[2], const bool finds_outside[2]);
/* The nearest texels, without fractions and ranges; nothing is outside. */
void tex_locate_nearest(struct tex_positions *x, struct tex_positions *y, const struct tex_query *q,
                        const struct tex_coords *c, const struct tex_common axis[2], const uint8_t wrap[2]);
/* The two slices of a volume that lanes are between, and their weights. */
struct tex_slices {
    uint32_t at[2][LANES_MAX];
    float weight[2][LANES_MAX];
};
/* The places of z, whose slices are those of memory from `first_slice` on. */
void tex_locate_depth(struct tex_slices *to, struct tex_range *range, const struct tex_query *q, const tex_float *coord,
                      const struct tex_common *axis, unsigned first, bool repeats, uint32_t first_slice);

/* Lanes whose first texel along an axis is outside, and whose second one. */
struct tex_outside {
    uint64_t lanes[2];
};
/* The places of modes that do not repeat, lane by lane. */
void tex_find_outside(struct tex_outside *to, const struct tex_query *q, const tex_float *coord, const int32_t *offset,
                      const struct tex_axis *axis, const struct tex_rounding *rounding, bool is_same);

/* ---- words (tex_words.c) ---- */

struct tex_footprint {
    struct tex_positions x, y;
    bool is_one_slice;
    struct tex_place slice[LANES_MAX]; /* or the first one for all */
    unsigned taps;                     /* 4 or 1 */
    unsigned words;                    /* which are wanted, a bit each; others may be loaded, too */
    union {
        uint32_t word[2][4][LANES_MAX];       /* by number and tap */
        const uint8_t *element[4][LANES_MAX]; /* of codecs and blocks, by tap */
    };
};

/* Pieces that the instructions of one work have met, and the elements that stand for all texels of some. */
#define TEX_LOOKED 128
#define TEX_ONES 16
struct tex_looked {
    uint64_t work;              /* tex_query's, that all this is of */
    uint64_t piece[TEX_LOOKED]; /* by its number and 1; 0: none */
    uint8_t one[TEX_LOOKED];    /* 0: it is plain; else one of `ones`, counted from 1 on */
    unsigned count;
    /* Levels of which much was sampled: all pieces of a slice, one of the first 64, are looked at once. */
    uint32_t turns[TEX_MAX_LEVELS];
    uint64_t known[TEX_MAX_LEVELS], plain[TEX_MAX_LEVELS];
    /* Where some of those are not plain, each piece of the image has a byte here, by its number: what it holds, as
     * `one` says it, or TEX_PIECE_NOT_KNOWN, or TEX_PIECE_NOT_LOOKED. */
    bool has_pieces;
    uint8_t ones[TEX_ONES][TEX_ELEMENT_B];
    /* Outlives the work: */
    uint8_t *pieces;
    uint64_t piece_count; /* that there is memory for */
};
#define TEX_PIECE_NOT_KNOWN 254
#define TEX_PIECE_NOT_LOOKED 255

void tex_look_end(struct tex_looked *looked);

/* The look that is known already, or `own`, which then is empty. */
struct tex_looked *tex_look_begin(struct tex_looked *own, const struct tex_query *q);
/* After the words or elements were loaded: ask about all pieces that the footprints of active lanes touch, and put what
 * stands for their texels in place of those; `level` and `slice` are those of lanes. Returns the lanes of which it is
 * not known. */
uint64_t tex_look(struct tex_looked *looked, struct tex_footprint *f, const struct tex_places *p, struct tex_query *q,
                  const uint8_t *level, const uint32_t *slice, bool is_words);

/* Whether memory has all texels of a slice as they are, so that nothing more is to be asked. */
bool tex_look_is_plain(struct tex_looked *looked, const struct tex_places *p, struct tex_query *q, unsigned level,
                       uint32_t slice);
/* The piece of a texel whose entries of the tables are given: as `pieces` has it, where there are such. */
uint8_t tex_look_at(struct tex_looked *looked, const struct tex_places *p, struct tex_query *q, uint32_t at_x,
                    uint32_t at_y, unsigned level, uint32_t slice);

/* Rectangles of texels around the footprints of all lanes, one for each level and slice that they are in, or, of a
 * volume, for all of its slices (tex_area.c). */
#define TEX_AREA_TEXELS 2048
#define TEX_AREA_PARTS 4
#define TEX_AREA_STEP 4 /* columns that are loaded at once, where the pitch is a multiple of it */
struct tex_area_part {
    uint32_t x, y, z; /* of its first texel: entries of the tables, and a slice */
    uint32_t columns, rows, slices;
    unsigned level;
    uint32_t start; /* its first texel's number */
    /* Of a volume: slices before the first one, and the last that there is, which stands for those after it. */
    uint32_t lead, last;
};
struct tex_area {
    bool is_one; /* all lanes are in the first part */
    unsigned part_count;
    struct tex_area_part parts[TEX_AREA_PARTS];
    uint32_t pitch;                            /* texels from a row to the next */
    uint32_t count;                            /* of all texels */
    uint32_t first[LANES_MAX];                 /* by lane: the first texel of its footprint */
    uint32_t lanes[TEX_AREA_PARTS][LANES_MAX]; /* of each part, all ones */
    union {
        float one[TEX_AREA_TEXELS];
        float four[TEX_AREA_TEXELS][4] __attribute__((aligned(16)));
    };
};
/* The pieces of an area. TEX_PIECE_ONE: of each texel, in rows of `pitch`, the number of one of `ones`, counted from
 * 1 on, or 0 if it is plain. */
enum tex_piece tex_look_at_area(uint8_t *pieces, uint32_t pitch, struct tex_looked *looked,
                                const struct tex_area_part *part, const struct tex_places *p, struct tex_query *q);

void tex_load_words(struct tex_footprint *f, const struct tex_places *p, unsigned lanes, unsigned element_B);
void tex_load_elements(struct tex_footprint *f, const struct tex_places *p, unsigned lanes);
/* Channels of sRGB's texels, one texel for each lane, all of the first lane's slice. */
void tex_load_srgb(float (*to)[LANES_MAX], const struct tex_footprint *f, const struct tex_places *p, unsigned lanes,
                   bool has_alpha);

/* ---- what is outside (tex_edge.c) ---- */

/* A border's texel as words of this kind. False: they could not say what it is. */
bool tex_border_words(uint32_t words[4], struct tex_query *q, enum tex_kind kind);
/* Whether those of active lanes are ones that tables have entries for. */
bool tex_are_offsets_small(const struct tex_query *q);
void tex_put_border(struct tex_footprint *f, const struct tex_outside outside[2], const uint32_t words[2]);

/* Of cubes, after their words were loaded: those beyond an edge. Returns the lanes with a corner, of which there is
 * none. `level` and `slice` are those of lanes. */
uint64_t tex_put_edges(struct tex_footprint *f, const struct tex_outside outside[2], const struct tex_places *p,
                       const struct tex_query *q, const uint8_t *level, const uint32_t *slice);

/* ---- channels (tex_channels.c) ---- */

enum tex_kind tex_kind_of(enum format format);
unsigned tex_kind_channels(enum tex_kind kind);

/* Of TEX_KIND_RGBA8: the filtered texel; sums of 24 bits times a weight, without the division. */
void tex_filter_bytes(float (*to)[LANES_MAX], const struct tex_footprint *f, unsigned lanes);
void tex_add_bytes(float (*sum)[LANES_MAX], const struct tex_footprint *f, const float *weight, unsigned lanes);
void tex_divide_sums(float (*sum)[LANES_MAX], unsigned lanes);

/* All others but codecs and blocks: sum += weight of the tap * weight of the lane * channel. The reference of a
 * comparison is NULL or already in its range: then there is one channel, of depth. */
struct tex_share {
    const float *lane;  /* weights of lanes */
    const float *slice; /* of volumes; NULL: 1 */
    const tex_float *reference;
    unsigned compare;
};
void tex_add_channels(float (*sum)[LANES_MAX], struct tex_footprint *f, enum tex_kind kind,
                      const struct tex_share *share, unsigned lanes);
/* Channel `n` of a tap's texels; not of codecs and blocks. */
void tex_take_channel(float *to, const struct tex_footprint *f, enum tex_kind kind, unsigned tap, unsigned n,
                      unsigned lanes);
/* Takes any words, a multiple of 16. */
void tex_take_words(float *to, const uint32_t *low, const uint32_t *high, enum tex_kind kind, unsigned n,
                    unsigned count);
/* Of kinds whose channels are rows of floats first (tex_widen.c): the lower and the upper halves of words, the latter
 * unless NULL; a byte by sRGB's curve, or as unorm. */
void tex_widen_halves(float *low, float *high, const uint32_t *words, unsigned lanes);
void tex_widen_srgb(float *to, const uint32_t *words, unsigned shift, unsigned lanes);
void tex_take_bytes(float *to, const uint32_t *words, unsigned shift, unsigned lanes);
void tex_add_r16f(float (*sum)[LANES_MAX], const struct tex_footprint *f, const struct tex_share *share,
                  unsigned lanes);
void tex_add_rg16f(float (*sum)[LANES_MAX], const struct tex_footprint *f, const struct tex_share *share,
                   unsigned lanes);
void tex_add_rgba16f(float (*sum)[LANES_MAX], const struct tex_footprint *f, const struct tex_share *share,
                     unsigned lanes);
void tex_add_srgb8(float (*sum)[LANES_MAX], const struct tex_footprint *f, const struct tex_share *share,
                   unsigned lanes);
/* The sum of texels of four floats each, by tap. */
void tex_add_texels(float (*sum)[4], const struct tex_footprint *f, float (*texels)[LANES_MAX][4],
                    const struct tex_share *share, unsigned lanes);

/* ---- some of the lanes (tex_part.c) ---- */

struct tex_part {
    struct tex_query given;
    struct tex_coords c;
    struct tex_lod lod; /* probes alone */
    struct tex_levels levels;
    int32_t offset[3][LANES_MAX];
    uint32_t compare[LANES_MAX], active[LANES_MAX];
};

/* Until tex_part_end the query is of these lanes, the first ones of its rows, in their order. Its gradients and what a
 * level of detail is made of are not: that is known. */
void tex_part_begin(struct tex_part *part, struct tex_query *q, uint64_t lanes, const struct tex_coords *c,
                    const struct tex_lod *lod, const struct tex_levels *levels);
void tex_part_end(const struct tex_part *part, struct tex_query *q);
/* Results of the part to its lanes; `count` are all lanes. The others keep what they have, or have nothing yet. */
void tex_part_give_texels(struct tex_result *to, uint64_t lanes, const union tex_texel *texels, unsigned count);
void tex_part_give_rows(struct tex_result *to, uint64_t lanes, const struct tex_result *rows);

#endif
