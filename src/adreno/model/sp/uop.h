/* Micro-operations: what a program is translated into. Each instruction becomes the kernel of its opcode, generated
 * from the meaning of it (gen_alu.py), which sees plain rows of lanes; before it, what brings its operands into that
 * form (a constant spread over the lanes, a modifier, a relative register); after it, what its result still needs
 * (saturation, a shared register). */
#ifndef ADRENO_MODEL_SP_UOP_H
#define ADRENO_MODEL_SP_UOP_H

#include "adreno/isa/isa.h"
#include "adreno/model/sp/wave.h"

typedef void (*sp_run_fn)(struct adreno_wave *wave, const struct sp_uop *uop);

/* Where an operand lies: a byte offset from a base. Bit 0 is the base: the wave, or the constants of the code cache;
 * bit 1 says that a half is the upper one of its row. */
typedef uint32_t sp_place;
#define SP_BASE_WAVE 0u
#define SP_BASE_CONSTANTS 1u
#define SP_HIGH_HALF 2u

struct sp_uop {
    sp_run_fn run;
    sp_place d;
    sp_place s[3];
    uint32_t imm;
    uint32_t pc;                        /* of the instruction, in instructions from the program's beginning */
    uint32_t target_pc;                 /* control flow: where to go */
    uint32_t countdown;                 /* of a branch backwards: how often until its loop is compiled; 0: never */
    const struct sp_uop *target;        /* the same, once it has been decoded; of others what is their own */
    const struct sp_uop *after;         /* of a branch: the instruction after it, once it has been decoded */
    const struct adreno_isa_inst *inst; /* the instruction that this belongs to */
};

static inline void *sp_at(const struct adreno_wave *wave, sp_place place)
{
    return (void *)(wave->base[place & 1] + (place & ~(sp_place)3));
}

/* Where a half begins in its row's dwords. */
static inline uint32_t sp_shift(sp_place place)
{
    return (place & SP_HIGH_HALF) * 8;
}

void adreno_sp_fault(struct adreno_wave *wave, const struct sp_uop *uop, enum adreno_wave_fault_kind kind,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));
void adreno_sp_memory_fault(struct adreno_wave *wave, const struct sp_uop *uop, uint64_t va, bool is_write);

#endif
