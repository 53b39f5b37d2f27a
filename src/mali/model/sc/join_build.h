/* A joined fragment program (join.h) while it is made: what join.c has of instructions, join_piece.c of the pieces that
 * they become, join_flow.c of branches. */
#ifndef MALI_MODEL_SC_JOIN_BUILD_H
#define MALI_MODEL_SC_JOIN_BUILD_H

#include "mali/model/sc/jit_build.h"
#include "mali/model/sc/join.h"
#include "mali/model/sc/join_region.h"
#include "mali/model/sc/join_ways.h"

struct joining {
    struct sc_join *join;
    struct mali_warp *warp;
    struct sc_jit_builder *b;
    struct jit_frame frame;
    uint64_t written; /* registers, by whatever */
    uint64_t before;  /* those before the piece at hand */
    struct sc_join_end end;
    jit_value tested;          /* what ATEST, or ZS_EMIT, has returned; JIT_NONE: it was not here */
    struct sc_move *move;      /* if so far it can be one */
    struct sc_join_area *area; /* if it is kept */
    bool has_blend;            /* BLEND was: its colours are values of this segment, and are stored at the end */
    bool is_divided;           /* lanes went different ways */
    uint64_t changed;          /* registers that a loop which was begun writes somewhere */
    struct sc_ways ways;
    struct sc_join_regions regions;
};

/* ---- join_piece.c ---- */

static inline uint64_t sc_join_bits(unsigned first, unsigned count)
{
    return (((uint64_t)1 << count) - 1) << first % MALI_WARP_REGISTERS;
}
void mali_sc_join_note_read(struct joining *j, uint64_t registers);
void mali_sc_join_note_written(struct joining *j, const struct mali_isa_inst *inst);
/* Rows that the piece at hand has read before anything has written them. */
void mali_sc_join_note_rows(struct joining *j);

/* The piece is complete; micro-operations come after it. */
bool mali_sc_join_end_piece(struct joining *j, const struct sc_uop *first, const struct sc_uop *end);
/* Registers are stored before that, and another piece begins. */
bool mali_sc_join_cut(struct joining *j, const struct sc_uop *first, const struct sc_uop *end);
/* Cuts without micro-operations, before the instruction of `uop`. */
bool mali_sc_join_cut_here(struct joining *j, const struct sc_uop *uop);
/* Cuts for the micro-operations of an instruction. */
bool mali_sc_join_uops(struct joining *j, const struct sc_uop *first, const struct sc_uop *end);

/* ---- join_flow.c ---- */

/* All regions that begin at this instruction. *after_out: one was a shuffle, and all of it is done. */
bool mali_sc_join_begin_regions(struct joining *j, const struct sc_uop *uop, const struct sc_uop **after_out);
/* Ends the regions that have ended where lanes go on at `pc`. */
bool mali_sc_join_end_regions(struct joining *j, const struct sc_uop *uop, uint64_t pc);
/* A branch: where it goes on. NULL: not for this. */
const struct sc_uop *mali_sc_join_branch(struct joining *j, const struct sc_uop *uop);

#endif
