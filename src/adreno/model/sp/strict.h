/* Strict mode (docs/strict.md): a look at each instruction before it runs. */
#ifndef ADRENO_MODEL_SP_STRICT_H
#define ADRENO_MODEL_SP_STRICT_H

#include "adreno/model/sp/uop.h"

/* What a wave's results and sources wait for, and when ALU results are there. Opaque to all but strict.c. */
struct sp_strict;

/* Its size, 0 when strict mode is off: waves have it after their rows. */
size_t adreno_sp_strict_size_B(void);
void adreno_sp_strict_begin(struct sp_strict *strict);
void adreno_sp_strict_run(struct adreno_wave *wave, const struct sp_uop *uop);

/* The word at `va` as a mutation has it (strict_patch.c); and the list of what was decoded. */
uint64_t adreno_sp_strict_patch(uint64_t va, uint64_t word);
void adreno_sp_strict_list(uint64_t va, uint64_t word, const struct adreno_isa_inst *inst);

/* ---- strict_facts.c ---- */

enum strict_wait {
    STRICT_NOTHING,
    STRICT_SS,
    STRICT_SY,
    STRICT_SS_OR_SY,
};

#define STRICT_ADDRESS_0 1u /* a0.x */
#define STRICT_ADDRESS_1 2u /* a1.x */
#define STRICT_PREDICATE 4u /* p0.x, then p0.y ... */

struct strict_register {
    uint16_t component;
    bool is_half;
    uint8_t cycle; /* of a repeat, and of sources that are read late */
};

#define STRICT_REGISTERS 32

/* What one instruction touches, and what that waits for. */
struct strict_facts {
    bool is_alu;                                      /* categories 1 to 3 */
    bool is_scalar;                                   /* of the scalar ALU, which keeps its own order */
    bool completes;                                   /* the second of a pair that writes the same registers */
    uint32_t slots;                                   /* that it takes; delays are counted in them */
    enum strict_wait result;                          /* what its results wait for */
    enum strict_wait sources;                         /* what an overwriting of its sources waits for */
    uint32_t reads_special, writes_special;           /* STRICT_ADDRESS_0 ... */
    int32_t constant_read[4], constant_read_count[4]; /* constants by source; a count of 0: none */
    int32_t constant_write, constant_write_count;     /* those that it writes */
    uint32_t read_count, write_count;
    struct strict_register reads[STRICT_REGISTERS], writes[STRICT_REGISTERS];
};

void adreno_sp_strict_facts(struct adreno_wave *wave, const struct adreno_isa_inst *inst, struct strict_facts *out);

#endif
