/* Register allocation, inside: allocate.c walks the blocks and connects them, allocate_regs.c finds registers for one
 * instruction, allocate_repack.c where they are all but full.
 *
 * A temporary has one place at a time, but not one for its whole life: to make room for a tuple, others are moved by a
 * parallel copy before the instruction. Where blocks meet, the places of the first predecessor become the places at the
 * entry, and every other predecessor gets a parallel copy at its end, together with the copies for phis. So nothing is
 * renamed and SSA needs no repair: operands simply carry the register where their value is at that moment. */
#ifndef AMD_COMPILER_ALLOCATE_H
#define AMD_COMPILER_ALLOCATE_H

#include "amd/compiler/liveness.h"

#define RA_REGS 512
#define RA_GHOST UINT32_MAX /* in `file`: a copy that lives for one instruction */

struct ra_place {
    mir_temp temp;
    mir_reg reg;
};

struct ra_places {
    struct ra_place *list;
    uint32_t count;
};

/* A copy before the instruction from where things were into a register. */
struct ra_extra {
    struct mir_operand source;
    int def; /* into the register of this result, where `to` is MIR_REG_NONE */
    mir_reg to;
    uint8_t dwords;
};

/* How a result gets its register. */
enum ra_result {
    RA_FIXED,
    RA_FREE,  /* may take the place of an operand that ends here */
    RA_EARLY, /* must keep clear of all operands: its old value is copied there before */
    RA_TIED,  /* where the operand is that it continues */
};

#define RA_MAX_EXTRAS 32

/* Preferences of a temporary: to be a part of a vector, or where the others of its phi are. */
struct ra_wish {
    struct mir_instr *vector; /* MIR_P_VECTOR that it is an operand of */
    uint8_t offset;           /* in it */
    mir_reg reg;              /* wanted by a fixed use; MIR_REG_NONE */
    mir_temp web;             /* the first of the temporaries that phis, copies and ties connect; 0: none */
};

struct ra {
    struct mir_program *program;
    const struct mir_live *live;
    mir_temp file[RA_REGS];
    bool has_ghosts; /* in `file` */
    mir_reg *loc;    /* by temporary */
    struct ra_wish *wish;
    mir_reg *web_reg;               /* by first temporary of a web: where one of them was last */
    struct ra_places *entry, *exit; /* by block */
    struct ra_places *logical_exit; /* where things are at MIR_P_LOGICAL_END */
    bool *done;
    uint16_t used_sgprs, used_vgprs; /* the largest + 1 */
    bool logical;                    /* between MIR_P_LOGICAL_START and _END */
    mir_temp lanes; /* inside a stretch with fewer lanes than the block has: where those wait; 0 elsewhere */

    /* of the instruction at hand */
    struct mir_instr *instr;
    struct mir_shape shape;
    uint8_t *ends;                  /* by temporary: 1 dies here, 2 dies here but is read late */
    bool pinned[RA_REGS];           /* fixed operands: nothing else may be here when it reads */
    bool result[RA_REGS];           /* given to a result that is not fixed */
    bool written[RA_REGS];          /* fixed results, clobbered: no other result may stand here */
    struct ra_place moved[RA_REGS]; /* temporaries that move, and where they were */
    unsigned num_moved;
    struct ra_extra extras[RA_MAX_EXTRAS];
    unsigned num_extras;
    mir_temp evicted[RA_REGS];
    unsigned num_evicted;
    uint32_t capacity; /* of the next two */
    mir_reg *def_reg;  /* by def */
    uint8_t *def_kind; /* enum ra_result */
    uint32_t operand_capacity;
    int32_t *operand_reg; /* by operand: where it must be read, or -1: where the temporary is */
};

static inline unsigned ra_alignment(struct mir_class class)
{
    return class.vector || class.dwords == 1 ? 1 : class.dwords == 2 ? 2 : 4;
}
static inline struct mir_class ra_class(const struct ra *ra, mir_temp temp)
{
    return ra->program->temps[temp].class;
}

struct ra_range {
    mir_reg first, end;
};

/* Where a class may stand; how many ranges. */
unsigned amd_ra_ranges(const struct ra *ra, struct mir_class class, struct ra_range out[2]);

void amd_ra_put(struct ra *ra, mir_temp temp, mir_reg reg);
void amd_ra_take(struct ra *ra, mir_temp temp);
mir_reg amd_ra_find_free(const struct ra *ra, struct mir_class class); /* MIR_REG_NONE: none */
bool amd_ra_is_free(const struct ra *ra, struct mir_class class, mir_reg reg);

/* All of one instruction: copies before it, places of its operands and results. `kill` flags are liveness's. */
void amd_ra_instruction(struct ra *ra, struct mir_block *block, struct mir_instr *instr);

/* Move what is in the way of a block's border (scc, m0) into ordinary registers, before `place`. */
void amd_ra_clear_special(struct ra *ra, struct mir_block *block, struct list *place);

/* Take a temporary out of the file and remember where its value comes from. */
void amd_ra_lift(struct ra *ra, mir_temp temp);
/* Places for the results and what is evicted of one kind of registers, wherever the others have to go. */
void amd_ra_repack(struct ra *ra, bool vector);

/* Where a temporary was before this instruction. */
mir_reg amd_ra_origin(const struct ra *ra, mir_temp temp);
/* Registers are counted by the highest that is used. */
void amd_ra_note_use(struct ra *ra, mir_reg reg, unsigned dwords);
/* The dwords that a result in a register of its own writes. */
unsigned amd_ra_fixed_size(const struct ra *ra, const struct mir_def *def);
/* All is chosen: into the instruction (allocate_write.c). */
void amd_ra_write(struct ra *ra, struct mir_block *block);

/* A register that no value needs around a copy, for swaps. */
mir_reg amd_ra_spare(const bool busy[128]);

/* Follow what an instruction does to exec inside a block. */
void amd_ra_note_lanes(struct ra *ra, const struct mir_instr *instr);

#endif
