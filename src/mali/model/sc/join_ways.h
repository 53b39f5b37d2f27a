/* Lanes of a joined fragment program (join.h) that go different ways, over its pieces: which of them run, wait and were
 * killed are booleans of a lane program, and rows behind the warp while micro-operations run between two pieces. */
#ifndef MALI_MODEL_SC_JOIN_WAYS_H
#define MALI_MODEL_SC_JOIN_WAYS_H

#include "mali/model/sc/jit_build.h"
#include "mali/model/sc/join.h"
#include "mali/model/sc/join_region.h"
#include "model/exec/paths.h"

struct sc_ways {
    struct sc_jit_builder *b;
    struct exec_paths paths;
    jit_value killed; /* by DISCARD, so far; JIT_NONE: none */
    jit_value ended;  /* of these, by .discard; JIT_NONE: none */
    jit_value bare;   /* that have come to .discard, which ends helpers; JIT_NONE: none, or all */
    bool is_bare;     /* all */
};

void mali_sc_ways_begin(struct sc_ways *ways, struct sc_jit_builder *b);

/* An instruction at this address is next: who waits there goes on. */
void mali_sc_ways_arrive(struct sc_ways *ways, uint64_t pc);
bool mali_sc_ways_are_one(const struct sc_ways *ways);
/* All lanes run that were launched, helpers too: those of a quad all or none. */
bool mali_sc_ways_have_quads(const struct sc_ways *ways);
/* After an instruction: registers that it was the last one to read have no value any more. */
void mali_sc_ways_end_lives(struct sc_ways *ways);
/* Lanes among those that run. */
void mali_sc_ways_kill(struct sc_ways *ways, jit_value lanes);
/* .discard, of those that run. */
void mali_sc_ways_end_helpers(struct sc_ways *ways);

/* Before the first piece of a region: who waits behind it is known by a mask from now on. False: not as this can have
 * it. */
bool mali_sc_ways_open(struct sc_ways *ways, struct sc_join_region *region);
/* Before its last one ends: masks are in the same order as they were when it began. False: they are not the same
 * ones. */
bool mali_sc_ways_close(struct sc_ways *ways, const struct sc_join_region *region);

/* Piece `number` ends: all registers are stored, and which lanes go which way. What is between it and the next one is
 * for lanes that `between` then says. */
void mali_sc_ways_store(struct sc_ways *ways, struct sc_join_between *between, uint32_t number);
/* The next one begins. */
void mali_sc_ways_load(struct sc_ways *ways);

#endif
