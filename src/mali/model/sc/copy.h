/* Compute programs that move texels to memory (move.h), as copies of images to buffers do: each thread fetches one and
 * stores it, if it is in the bounds of the copy. Threads of workgroups that are beside each other are a rectangle,
 * which is copied as one. Rectangles that are not for this run as warps. */
#ifndef MALI_MODEL_SC_COPY_H
#define MALI_MODEL_SC_COPY_H

#include "mali/model/sc/move.h"

struct sc_copy {
    struct sc_move *move;
    jit_code code;              /* what becomes of a texel */
    bool has_store;             /* the next ones are known */
    jit_value low, high, lanes; /* where it is stored, and in which lanes */
    jit_value value;
    int32_t offset_B;
    uint64_t serial; /* of the launch that was looked at: */
    bool stays;      /* its texels stay as they are */
    uint32_t misses; /* rectangles in a row that were not for it */
};

/* While the program is written, without what a launch preloads: the fetch, and the store. False: it is not such a
 * program. */
bool mali_sc_copy_fetch(struct sc_copy *copy, struct sc_jit_builder *b, const struct sc_uop *uop);
bool mali_sc_copy_store(struct sc_copy *copy, struct sc_jit_builder *b, const struct sc_uop *uop, jit_value lanes);
/* All is written; no register is stored. False: it is not such a program, or no memory. */
bool mali_sc_copy_end(struct sc_copy *copy, struct sc_jit_builder *b, const struct jit_frame *frame);

/* Threads from `first` on, their numbers in all, in a warp that is at the launch's beginning. False: as warps. */
bool mali_sc_copy_run(struct sc_copy *copy, struct mali_warp *warp, const uint32_t first[3], uint32_t width,
                      uint32_t height);

#endif
