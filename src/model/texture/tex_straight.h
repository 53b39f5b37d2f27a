/* Inside the straight way (tex_straight.c): an instruction, and its steps, each for all vectors of sixteen lanes.
 *
 *   tex_straight.c      whether it is the case; levels, probes and slices, one pass after the other
 *   tex_straight_find.c from coordinates to the words of a pass's footprints
 *   tex_straight_add.c  from words to the sum of channels */
#ifndef MODEL_TEXTURE_TEX_STRAIGHT_H
#define MODEL_TEXTURE_TEX_STRAIGHT_H

#include "model/texture/tex_run.h"

#if TEX_HAS_WIDE

#include "model/texture/tex_sixteen.h"

/* An instruction. */
struct tex_straight {
    struct tex16 s;
    struct tex_query *q;
    const struct tex_coords *c;
    const struct tex_lod *lod;
    const struct tex_levels *levels;
    enum tex_kind kind;
    unsigned probes;     /* at most; 1: lanes stand where their coordinates are */
    unsigned components; /* that are wanted, a bit each */
    bool is_pair;        /* a footprint has four texels, not one */
    /* Two axes, one slice, no offset, no border, lanes that all filter alike: nothing of what follows. */
    bool is_plain;
    bool is_mixed; /* some lanes filter and others do not */
    bool is_once;  /* as in tex_rounding */
    bool has_slices, is_depth_linear;
    __m512i depths;   /* of volumes: texels, by level */
    uint32_t slice;   /* of all lanes, without has_slices */
    bool inside[2];   /* what is outside along this axis is not in the tables: */
    bool is_bordered; /* it has these words; else it is for another way */
    uint32_t border[4];
    bool has_table;            /* s.table is made */
    struct tex_looked *looked; /* it has all pieces, some of which are not plain; NULL: nothing is to be asked */
};

/* Of a pass. */
struct tex_straight_pass {
    unsigned level; /* 0: the lower one */
    unsigned probe;
    unsigned depth;       /* of a volume: 0: the nearer slice */
    const __m512i *count; /* of probes by group; NULL: one */
};

/* Where the footprints of a pass are, and their words. False: some are for another way. */
bool tex_straight_find(struct tex16_footprints *f, const struct tex_straight *t, const struct tex_straight_pass *pass);

/* Sums by group and channel += footprints times `share` by group; NULL: 1. Of TEX_KIND_RGBA8 they are of 24 bits. */
void tex_straight_add(__m512 (*sums)[4], const struct tex_straight *t, const struct tex16_footprints *f,
                      const __m512 *share);
/* Channels of single texels that count in full; not of TEX_KIND_RGBA8. Rows may be registers. */
void tex_straight_take(float (*rows)[LANES_MAX], const struct tex_straight *t, const struct tex16_footprints *f);

#endif

#endif
