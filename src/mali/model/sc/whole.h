/* Compute programs as a whole (model/exec/whole.h, docs/host-code.md): one lane program from the first instruction to
 * the last, for programs without loops, barriers and messages other than loads and stores. A frame is a warp, whose
 * values are a row's numbers. */
#ifndef MALI_MODEL_SC_WHOLE_H
#define MALI_MODEL_SC_WHOLE_H

#include "mali/model/sc/copy.h"
#include "mali/model/sc/jit_build.h"
#include "model/exec/whole.h"

struct sc_whole {
    struct exec_whole exec;
    struct sc_copy *copy; /* it moves texels to memory, and has no code; NULL: it does not (copy.h) */
    struct sc_jit_inputs inputs;
};

/* The program of a launch, if it is worth its code: `rows` are about to run. NULL: as warps. */
struct mali_core;
struct sc_whole *mali_sc_whole_find(struct mali_core *core, const struct mali_launch *launch, struct exec_shape shape,
                                    uint64_t rows);

/* Before its rows run, and whenever the warp, which is at the launch's beginning, was used otherwise. False: not for
 * this launch. */
bool mali_sc_whole_bring(struct sc_whole *whole, struct mali_warp *warp);

/* exec_whole_work.missed: a window that does not have the address is found anew. */
void mali_sc_whole_missed(const struct exec_whole_work *work, uint32_t number);

#endif
