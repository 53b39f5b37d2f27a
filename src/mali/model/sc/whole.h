/* Compute programs as a whole (docs/host-code.md): one lane program from the first instruction to the last, for programs
 * without loops, barriers and messages other than loads and stores. A row of lanes is then its numbers and a call: no warp
 * is set up, and no register is stored. Lanes that the code is not for (JIT_MISS) run as warps. */
#ifndef MALI_MODEL_SC_WHOLE_H
#define MALI_MODEL_SC_WHOLE_H

#include "mali/model/sc/jit_build.h"
#include "model/exec/range.h"

/* How threads of a workgroup lie in rows of 64 lanes: bits of a lane's number that are x, and y after them. */
struct sc_whole_shape {
    uint8_t x_bits, y_bits;
};

/* The numbers of a row, in mali_warp.values: of the workgroup, and of its first lane in the workgroup and in all. */
enum sc_whole_value {
    SC_WHOLE_GROUP = 0,
    SC_WHOLE_LOCAL = 3,
    SC_WHOLE_GLOBAL = 6,
    SC_WHOLE_VALUES = 9,
};

struct sc_whole {
    struct sc_whole *next;
    uint64_t code_va;
    bool has_ftz;
    struct sc_whole_shape shape;
    uint32_t countdown;       /* rows until it is tried; 0: it was */
    uint32_t misses;          /* rows in a row with lanes that it was not for */
    uint32_t still;           /* how often, one after the other, nothing was moved */
    jit_code code;            /* NULL: none */
    struct exec_range *range; /* it moves memory; NULL: it does not, or its rows are not one after the other in x */
    struct sc_jit_inputs inputs;
};

/* False: rows are not so. */
bool mali_sc_whole_shape(const uint32_t size[3], struct sc_whole_shape *shape_out);

/* The program of a launch, if it is worth its code: `rows` are about to run. NULL: as warps. */
struct mali_core;
struct sc_whole *mali_sc_whole_find(struct mali_core *core, const struct mali_launch *launch,
                                    struct sc_whole_shape shape, uint64_t rows);

/* Before its rows run, and whenever the warp, which is at the launch's beginning, was used otherwise. False: not for this
 * launch. */
bool mali_sc_whole_bring(struct sc_whole *whole, struct mali_warp *warp);

/* One row, whose numbers are in the warp's values: the lanes that are still to run. */
uint64_t mali_sc_whole_run(struct sc_whole *whole, struct mali_warp *warp);

/* Of whole->range: `lanes` lanes that are one after the other in x, the first one's numbers being in the warp's values.
 * How many are done. */
uint32_t mali_sc_whole_move(struct sc_whole *whole, struct mali_warp *warp, uint32_t lanes);

#endif
