/* Lane masks of whole programs (sq_whole.h): scalar instructions on them as lane operations, and which masks are a part
 * of what exec was at a branch that is not taken. */
#ifndef AMD_MODEL_SQ_WHOLE_MASK_H
#define AMD_MODEL_SQ_WHOLE_MASK_H

#include "amd/model/sq/sq_whole.h"

struct sq_whole_masks {
    /* A mask's regions: those that it is a part of, that is of exec where the region begins. */
    sq_regions open;                                    /* flat ones */
    jit_value flag_of;                                  /* where sq_jit_places.flag_is_lost: the mask */
    sq_regions of_register[SQ_REGISTERS];               /* of what is in a mask's registers before the part at hand */
    sq_regions of_value[JIT_MAX_INSTS];                 /* of a value of its program */
    jit_value before[SQ_REGISTERS];                     /* values of masks before the instruction at hand */
    sq_regions at_open[SQ_WHOLE_REGIONS][SQ_REGISTERS]; /* of_register where a split region begins */
};

void amd_sq_whole_masks_begin(struct sq_whole_masks *masks);
/* Before the part's results are written. */
void amd_sq_whole_masks_end(struct sq_whole_masks *masks, struct sq_jit_builder *b);

/* Around a vector instruction, which `exec` is active for. */
void amd_sq_whole_masks_before(struct sq_whole_masks *masks, const struct sq_jit_builder *b);
void amd_sq_whole_masks_after(struct sq_whole_masks *masks, struct sq_jit_builder *b, jit_value exec);

void amd_sq_whole_masks_open(struct sq_whole_masks *masks, struct sq_jit_builder *b, uint32_t region);
void amd_sq_whole_masks_close(struct sq_whole_masks *masks, uint32_t region);
/* Between two parts: where a split region begins and ends. */
void amd_sq_whole_masks_split(struct sq_whole_masks *masks, uint32_t region);
void amd_sq_whole_masks_unite(struct sq_whole_masks *masks, uint32_t region);
/* Open regions that exec is not a part of any more. */
sq_regions amd_sq_whole_masks_left(struct sq_whole_masks *masks, struct sq_jit_builder *b);

/* Whether it may be one on lane masks. */
bool amd_sq_whole_is_mask_op(const struct sq_jit_builder *b, const struct sq_uop *uop);
/* Regions that a value is a part of. */
sq_regions amd_sq_whole_regions_of(const struct sq_whole_masks *masks, const struct sq_jit_builder *b, jit_value value);
/* A scalar instruction on lane masks. False: it is none. */
bool amd_sq_whole_mask_lower(struct sq_whole_masks *masks, struct sq_jit_builder *b, const struct sq_step *step);

#endif
