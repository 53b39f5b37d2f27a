/* Strict mode (docs/strict.md): a look at each instruction before it runs. */
#ifndef ADRENO_MODEL_SP_STRICT_H
#define ADRENO_MODEL_SP_STRICT_H

#include "adreno/model/sp/uop.h"

/* Pending results and sources of a wave, and when ALU results are there. Opaque to all but strict.c. */
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

#define STRICT_UNITS (ADRENO_WAVE_ROWS * 2) /* halves of registers */
#define STRICT_ALL_STEPS 0xff

struct strict_register {
    uint8_t component;
    bool is_half;
    uint8_t cycle;  /* of a repeat, and of sources that are read late */
    uint8_t step;   /* of a repeat: the one that it belongs to, or STRICT_ALL_STEPS */
    uint8_t source; /* of a read: the number of the operand */
    bool has_lanes; /* a relative one, of these lanes alone: */
    struct lane_mask lanes;
};

#define STRICT_REGISTERS 160

/* The first half of a register. */
static inline unsigned strict_unit_of(const struct strict_register *reg)
{
    if (!reg->is_half)
        return reg->component * 2u;
    return adreno_half_row(reg->component) * 2 + (adreno_half_shift(reg->component) ? 1 : 0);
}

static inline unsigned strict_units(const struct strict_register *reg)
{
    return reg->is_half ? 1 : 2;
}

/* Lanes that an access is about: shared registers are every lane's. */
static inline struct lane_mask strict_lanes_of(const struct adreno_wave *wave, const struct strict_register *reg)
{
    if (reg->component >= ADRENO_ISA_REG_SHARED && reg->component < ADRENO_ISA_REG_A0)
        return adreno_wave_all(wave);
    return reg->has_lanes ? reg->lanes : wave->active;
}

/* Registers that one instruction touches, and the waits for them. */
struct strict_facts {
    bool is_alu;                                      /* categories 1 to 3 */
    bool is_scalar;                                   /* of the scalar ALU, which keeps its own order */
    bool completes;                                   /* the second of a pair that writes the same registers */
    uint32_t slots;                                   /* that it takes; delays are counted in them */
    enum strict_wait result;                          /* what its results wait for */
    enum strict_wait sources;                         /* what an overwriting of its sources waits for */
    uint32_t reads_special, writes_special;           /* STRICT_ADDRESS_0 ... */
    int32_t constant_read[4], constant_read_count[4]; /* constants by source; a count of 0: none */
    bool is_constant_relative[4];                     /* a0.x is added, lane by lane */
    int32_t constant_write, constant_write_count;     /* those that it writes */
    uint8_t source_count;
    uint32_t read_count, write_count;
    struct strict_register reads[STRICT_REGISTERS], writes[STRICT_REGISTERS];
};

void adreno_sp_strict_facts(struct adreno_wave *wave, const struct adreno_isa_inst *inst, struct strict_facts *out);

/* ---- strict_defined.c ---- */

/* Which lanes of each half of a register, and of a0.x, a1.x and p0.xyzw, have a value that comes from something that
 * was written. */
struct strict_defined {
    struct lane_mask units[STRICT_UNITS];
    struct lane_mask special[6];
};

void adreno_sp_strict_define(struct strict_defined *defined, const struct strict_register *reg, struct lane_mask lanes);

/* A report where the instruction makes something of a value that nothing has written; what its results are. */
void adreno_sp_strict_check_defined(struct adreno_wave *wave, const struct sp_uop *uop, struct strict_defined *defined,
                                    const struct strict_facts *facts);
void adreno_sp_strict_keep_defined(struct adreno_wave *wave, const struct adreno_isa_inst *inst,
                                   struct strict_defined *defined, const struct strict_facts *facts);

/* One of the program's outputs when it ends. */
void adreno_sp_strict_check_output(struct adreno_wave *wave, const struct sp_uop *uop,
                                   const struct strict_defined *defined, const struct strict_register *reg);

#endif
