/* Inside the fast path of samples: the steps of a pass, each for all lanes.
 *
 *   tex_position.c  from coordinates to entries of the tables (tex_places.h) and fractions
 *   tex_words.c     the words of the texels of a footprint
 *   tex_look.c      whether metadata speaks of them
 *   tex_channels.c  words to channels, weights, comparison
 *   tex_fast.c      which pass when */
#ifndef MODEL_TEXTURE_TEX_FAST_H
#define MODEL_TEXTURE_TEX_FAST_H

#include "model/texture/tex_block.h"
#include "model/texture/tex_places.h"

#define TEX_INLINE static inline __attribute__((always_inline))

/* The larger and the smaller of two numbers; the limit, if x is a NaN. Hosts have an instruction for it, each by another
 * name. */
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

/* How the words of a format become channels. */
enum tex_kind {
    TEX_KIND_NONE,  /* not by the fast path */
    TEX_KIND_RGBA8, /* the sum is of integers */
    TEX_KIND_SRGB8,
    TEX_KIND_R8,
    TEX_KIND_RG8,
    TEX_KIND_R16,
    TEX_KIND_RG16,
    TEX_KIND_D24,
    TEX_KIND_R16F,
    TEX_KIND_RG16F,
    TEX_KIND_R32F,
    TEX_KIND_RGBA16F,
    TEX_KIND_RG32F,
    TEX_KIND_CODEC,  /* by the format's codec, texel by texel */
    TEX_KIND_BLOCKS, /* compressed */
};

extern const float tex_zeros[LANES_MAX], tex_ones[LANES_MAX];

/* ---- positions (tex_position.c) ---- */

/* What of an axis depends on the level: rows, or only their first entry where all lanes are in one level. */
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

/* `is_same`: axis and rounding are those of the first lane for all. Returns whether an active lane's footprint, one
 * texel or two, reaches outside. */
bool tex_locate(struct tex_positions *to, const struct tex_query *q, const float *coord, const int32_t *offset,
                const struct tex_axis *axis, const struct tex_rounding *rounding, unsigned wrap, bool is_same,
                bool is_pair);

/* ---- words (tex_words.c) ---- */

struct tex_footprint {
    struct tex_positions x, y;
    bool is_one_slice;
    struct tex_place slice[LANES_MAX]; /* or the first one for all */
    unsigned taps;                     /* 4 or 1 */
    union {
        uint32_t word[2][4][LANES_MAX];       /* by number and tap */
        const uint8_t *element[4][LANES_MAX]; /* of codecs and blocks, by tap */
    };
};

/* Pieces that were found plain while an instruction runs. */
#define TEX_LOOKED 32
struct tex_looked {
    uint64_t piece[TEX_LOOKED]; /* by its number; 0: none */
};

/* Ask about all pieces that the footprints of active lanes touch; `level` and `slice` are those of lanes. False: one is
 * not plain. */
bool tex_look(struct tex_looked *looked, const struct tex_footprint *f, const struct tex_places *p, struct tex_query *q,
              const uint8_t *level, const uint32_t *slice);

void tex_load_words(struct tex_footprint *f, const struct tex_places *p, unsigned lanes, unsigned element_B);
void tex_load_elements(struct tex_footprint *f, const struct tex_places *p, unsigned lanes);

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
/* The same of texels of four floats each, by tap. */
void tex_add_texels(float (*sum)[4], const struct tex_footprint *f, float (*texels)[LANES_MAX][4],
                    const struct tex_share *share, unsigned lanes);

#endif
