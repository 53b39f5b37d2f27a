/* An instruction on the fast path, between the files of its passes: tex_run.c has footprints and texels, tex_fast.c
 * samples, tex_gather.c gathers, tex_area.c footprints that lie together. */
#ifndef MODEL_TEXTURE_TEX_RUN_H
#define MODEL_TEXTURE_TEX_RUN_H

#include "model/texture/tex_fast.h"

/* The common part of all passes of an instruction. */
struct tex_run {
    struct tex_query *q;
    const struct tex_places *places;
    enum tex_kind kind;
    enum format format;
    bool is_once;      /* sums and positions are rounded once: four bytes and one probe */
    bool is_mixed;     /* lanes differ in their filters */
    bool is_same;      /* in nothing, levels and filters */
    bool is_one_level; /* of the pass at hand: all active lanes have it */
    bool is_pair;      /* footprints of some lanes have two texels along an axis */
    bool inside[2];    /* what is outside along that axis is not in the tables */
    struct tex_rounding rounding, z_rounding;
    bool are_rows; /* of `rounding` */
    /* Of x and y, for the rows of levels that were met last. */
    struct {
        const uint8_t *level;
        struct tex_axis axis[2];
    } scales[2];
    unsigned next_scale;
    bool z_is_same;             /* the first of z_rounding is for all lanes */
    const tex_float *reference; /* of a comparison */
    float own_reference[LANES_MAX];
    uint64_t others;      /* lanes that are not its case */
    unsigned first;       /* an active lane */
    const uint8_t *level; /* of the pass at hand, by lane */
    const uint32_t *slice;
    struct tex_looked *looked, own_looked;
    bool is_plain; /* no cube, no offsets, all lanes filter alike, and x and y repeat or neither does */
    bool is_near;  /* the same of the nearest texels, and fractions are not looked at */
    bool has_box;  /* of the pass at hand: what is reached, by axis; all lanes are within */
    struct tex_range box[3];
    struct tex_outside outside[2]; /* of x and y */
    bool is_outside;               /* some lane is */
    bool knows_border, has_border; /* its words: */
    uint32_t border[4];
    struct tex_footprint f;
};

/* False: it is not one for the fast path. */
bool tex_run_begin(struct tex_run *r, struct tex_query *q);
/* Which lanes take the nearest texel and which filter; of a gather, all of them do as if they filtered. */
void tex_run_set_filters(struct tex_run *r, const struct tex_levels *levels);
void tex_run_begin_gather(struct tex_run *r);

/* Whether the active lanes have the level of the first one. */
bool tex_is_one_level(const struct tex_query *q, const uint8_t *level, unsigned first);
/* A pass: x and y; false: all lanes are outside where the tables say nothing. Then their slices; of volumes these. */
bool tex_run_locate(struct tex_run *r, const struct tex_coords *c, const uint8_t *level, unsigned first, bool is_one);
void tex_run_set_slices(struct tex_run *r, const uint32_t *slice, const uint8_t *level, unsigned first, bool is_one);
void tex_run_locate_slices(struct tex_slices *to, struct tex_run *r, const struct tex_coords *c, const uint8_t *level,
                           unsigned first, bool is_one);

/* The words of its texels; or, of codecs and blocks, the texels, by tap. False: nothing decodes them. */
void tex_run_load_words(struct tex_run *r, unsigned element_B);
/* Channels of sRGB's texels, one for each lane. False: not its case. */
bool tex_run_load_srgb(float (*to)[LANES_MAX], struct tex_run *r, bool has_alpha);
bool tex_run_load_texels(float (*texels)[LANES_MAX][4], struct tex_run *r);

/* ---- sums of passes (tex_fast.c, tex_probes.c) ---- */

/* Channels as rows, or texels. */
struct tex_sums {
    float (*row)[LANES_MAX];
    float texel[LANES_MAX][4];
};
struct tex_reach;

/* The share of lanes; of volumes, in one of two slices. */
struct tex_share tex_run_share(const struct tex_run *r, const float *lane, const float *slice);
/* The texels around footprints, with their colours. False: not its case. */
bool tex_run_find_area(struct tex_area *area, struct tex_run *r, const uint32_t *second_slice,
                       const struct tex_reach *reach);
void tex_run_add_area(struct tex_sums *sums, struct tex_run *r, const struct tex_area *area,
                      const struct tex_share *share);
/* A level, and all probes of all levels; false: nothing decodes them. */
bool tex_run_add_level(struct tex_sums *sums, struct tex_run *r, const struct tex_coords *c, const uint8_t *level,
                       const float *lane);
bool tex_run_add_probes(struct tex_sums *sums, struct tex_run *r, const struct tex_coords *c, const struct tex_lod *lod,
                        const struct tex_levels *levels);

/* The work of tex_fast_sample: step by step (tex_step_sample), or, if the plan has is_straight, all of it for some
 * lanes and then for the next ones. False: not its case. */
bool tex_straight_sample(struct tex_result *out, const struct tex_plan *plan, struct tex_query *q,
                         const struct tex_coords *c, const struct tex_lod *lod, const struct tex_levels *levels);
/* Rows of components to X, Y, Z and W. */
void tex_order_rows(struct tex_result *out, const struct tex_image *image, unsigned channels);

/* ---- footprints that lie together (tex_area.c, tex_area_sum.c) ---- */

/* Footprints of other probes: where those at the other end are, and how many there are. */
struct tex_reach {
    const uint32_t *x, *y;
    unsigned probes;
};

/* After the pass was located: the texels around its footprints; of a volume, those of both slices, of which the pass at
 * hand is the first. False: they do not lie together. */
bool tex_area_find(struct tex_area *a, const struct tex_run *r, const uint32_t *second_slice,
                   const struct tex_reach *reach);
/* Lanes of an area of several probes stand where the pass at hand is, if they are wanted. False: some stand outside. */
bool tex_area_move(struct tex_area *a, const struct tex_run *r, const uint32_t *wanted);
/* Of one channel of a volume: what both slices come to is added to a row. */
void tex_area_add_volume(float *sum, const struct tex_area *a, const struct tex_run *r, const struct tex_slices *slices,
                         const float *lane);
/* The second slice of a volume. */
void tex_area_next_slice(struct tex_area *a, const struct tex_run *r);
/* A channel of the texels, of kinds before codecs, or all four. False: not its case. */
bool tex_area_load_one(struct tex_area *a, struct tex_run *r, unsigned channel);
bool tex_area_load_four(struct tex_area *a, struct tex_run *r);
/* A channel's texels by tap; their sum, or that of those that pass a comparison. */
void tex_area_spread(float (*to)[LANES_MAX], const struct tex_area *a, unsigned lanes);
void tex_area_add_one(float *sum, const struct tex_area *a, const struct tex_footprint *f,
                      const struct tex_share *share, unsigned lanes);
/* Sums of four channels, as rows or, of codecs and blocks, by texel. Of TEX_KIND_RGBA8 they are of 24 bits times a
 * weight, or, without weights, done. */
void tex_area_add_rows(float (*sum)[LANES_MAX], const struct tex_area *a, const struct tex_footprint *f,
                       const struct tex_share *share, unsigned lanes);
void tex_area_add_texels(float (*sum)[4], const struct tex_area *a, const struct tex_footprint *f,
                         const struct tex_share *share, unsigned lanes);
void tex_area_add_bytes(float (*sum)[LANES_MAX], const struct tex_area *a, const struct tex_footprint *f,
                        const float *weight, unsigned lanes);

#endif
