/* Plans of moves: the squares of one workgroup (sq_move.h) in the order in which memory is quickest, for all workgroups
 * of a launch, which differ by where they begin.
 *
 * A unit is as many squares side by side as make whole lines of 64 bytes on both sides. Units with the same rows are a
 * strip. To squares, a strip is moved of all workgroups before the next one: what is read then are a few rows from end
 * to end, which hosts follow, and where 256 bytes are written matters little. From squares, workgroup follows
 * workgroup, and the next one's squares are asked for meanwhile, in the order of memory.
 *
 * Workgroups do not wait for each other, so that any order of theirs is a right one. Within a workgroup no two units
 * write the same bytes: that is looked at when a plan is made. */
#ifndef AMD_MODEL_SQ_MOVE_PLAN_H
#define AMD_MODEL_SQ_MOVE_PLAN_H

#include "amd/model/sq/sq_move.h"

#define SQ_PLAN_UNITS (SQ_MOVE_LOADS * SQ_MOVE_SQUARES)
#define SQ_PLAN_WIDE 4 /* squares of a unit, at most */

/* One copy of all lanes, by its sides. */
struct sq_plan_pair {
    uint32_t rows;    /* from the first copy's on, where its row of offset 0 is */
    uint32_t squares; /* exclusive or of the squares' offsets */
};

struct sq_plan_unit {
    uint32_t row; /* where its first row is, from rows_begin_B on */
    uint32_t square[SQ_PLAN_WIDE];
};

struct sq_move_plan {
    bool is_good; /* false: there is no such plan */
    bool to_squares;
    bool is_dense; /* the squares leave no gaps */
    uint8_t columns;
    uint32_t row_B;
    uint32_t rows_begin_B, rows_end_B; /* of all bytes, from the first copy's rows on */
    uint32_t squares_bits;             /* bits that any square's offset has */
    uint32_t unit_count, strip_count;
    uint16_t strip_end[SQ_PLAN_UNITS]; /* units */
    struct sq_plan_unit units[SQ_PLAN_UNITS];
    /* The lines that it was made for: */
    uint32_t serial; /* of the lines */
    uint32_t pair_count;
    struct sq_plan_pair pairs[SQ_MOVE_LOADS];
};

/* Where a workgroup begins: its first row, and what squares' offsets are added to after they are changed. */
struct sq_plan_place {
    uint8_t *rows, *squares;
    uint32_t xor ;
};

/* A plan for these pairs, unless it is one already. False: there is none. */
bool amd_sq_move_plan_make(struct sq_move_plan *plan, const struct sq_move_lines *lines,
                           const struct sq_plan_pair *pairs, uint32_t count, unsigned lanes);

/* All of it for these workgroups. */
void amd_sq_move_plan_do(const struct sq_move_plan *plan, const struct sq_plan_place *places, uint32_t count);

#endif
