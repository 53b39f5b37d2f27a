/* Sets of scalar registers, with scc, and which of them an instruction reads and writes. */
#ifndef AMD_MODEL_SQ_REGISTERS_H
#define AMD_MODEL_SQ_REGISTERS_H

#include "amd/model/sq/sq_wave.h"

enum {
    SQ_REGISTER_SCC = 128, /* after those that operands name */
    SQ_REGISTER_WORDS = 3,
};

struct sq_registers {
    uint64_t bits[SQ_REGISTER_WORDS];
};

static inline void sq_registers_add(struct sq_registers *set, unsigned first, unsigned count)
{
    for (unsigned i = first; i < first + count && i <= SQ_REGISTER_SCC; i++)
        set->bits[i / 64] |= 1ull << i % 64;
}

static inline bool sq_registers_meet(const struct sq_registers *a, const struct sq_registers *b)
{
    return (a->bits[0] & b->bits[0]) || (a->bits[1] & b->bits[1]) || (a->bits[2] & b->bits[2]);
}

static inline bool sq_registers_are_none(const struct sq_registers *set)
{
    return !set->bits[0] && !set->bits[1] && !set->bits[2];
}

static inline void sq_registers_unite(struct sq_registers *to, const struct sq_registers *set)
{
    for (unsigned i = 0; i < SQ_REGISTER_WORDS; i++)
        to->bits[i] |= set->bits[i];
}

static inline void sq_registers_remove(struct sq_registers *to, const struct sq_registers *set)
{
    for (unsigned i = 0; i < SQ_REGISTER_WORDS; i++)
        to->bits[i] &= ~set->bits[i];
}

static inline struct sq_registers sq_registers_only(unsigned first, unsigned count)
{
    struct sq_registers set = {{0}};
    sq_registers_add(&set, first, count);
    return set;
}

/* The registers of an operand. False: one whose number is not known here. */
bool amd_sq_registers_add_operand(struct sq_registers *set, const struct isa_operand *operand, unsigned lanes);

/* Registers read and written by an instruction; exec only where it names it. False: something unknown here. */
bool amd_sq_registers_of(const struct isa_inst *inst, unsigned lanes, struct sq_registers *reads,
                         struct sq_registers *writes);

/* A scalar instruction that computes or loads, run by its own kernel: it changes registers alone. */
bool amd_sq_is_scalar(const struct sq_uop *uop);

#endif
