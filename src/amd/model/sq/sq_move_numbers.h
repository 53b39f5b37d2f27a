/* In which numbers the workgroups of a launch of moves differ (sq_move_launch.h), and the scalar instructions that make
 * them: found by following what each instruction of the program does to values that vary. */
#ifndef AMD_MODEL_SQ_MOVE_NUMBERS_H
#define AMD_MODEL_SQ_MOVE_NUMBERS_H

#include "amd/model/sq/sq_move.h"
#include "amd/model/sq/sq_registers.h"

#define SQ_NUMBERS_UOPS 384 /* of a program, up to where all scalars are there */
#define SQ_NUMBERS_OPS 192  /* of those that run for each workgroup */
#define SQ_NUMBERS_SLOTS 8

/* The operation that runs for each workgroup, in its order. */
struct sq_numbers_op {
    enum sq_numbers_kind {
        SQ_NUMBERS_RUN,  /* the micro-operation */
        SQ_NUMBERS_SET,  /* the register is `value`, as it is after the micro-operation `after` in all workgroups */
        SQ_NUMBERS_KEEP, /* the register's value is that of a slot */
    } kind;
    uint8_t reg, slot;
    uint16_t after; /* micro-operations of the program; 0: before the first */
    uint32_t value;
    const struct sq_uop *uop;
};

#define SQ_NUMBERS_SAME 255
struct sq_numbers_side {
    uint8_t low, high; /* slots whose 64 bits are added to all addresses; SQ_NUMBERS_SAME: zero */
    uint8_t xor ;      /* the slot that changes all offsets */
};

struct sq_move_numbers {
    struct sq_registers varying;
    struct sq_numbers_side from, to;
    uint32_t slot_count, uop_count, op_count;
    const struct sq_uop *uops[SQ_NUMBERS_UOPS];
    struct sq_numbers_op ops[SQ_NUMBERS_OPS];
};

/* False: the program is not for that. `first` is its first micro-operation; scalar registers of `varying` are not the
 * same for all workgroups. */
bool amd_sq_move_numbers_find(struct sq_move_numbers *numbers, const struct sq_move *move, const struct sq_uop *first,
                              unsigned lanes, const struct sq_registers *varying);

#endif
