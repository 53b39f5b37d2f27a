/* Register allocation, inside: allocate.c walks the blocks and connects them, allocate_place.c finds the places. */
#ifndef COMPILER_MACHINE_ALLOCATE_H
#define COMPILER_MACHINE_ALLOCATE_H

#include "compiler/machine/code.h"

struct place {
    mach_temp temp;
    mach_reg reg;
};

struct places {
    struct place *list;
    uint32_t count;
};

/* A value that becomes a component of a tuple wants to be where the tuple will be. */
struct wish {
    const struct mach_instr *collect;
    uint32_t component;
};

struct ra {
    struct mach_program *program;
    mach_temp file[MACH_REGS];                /* by unit: who is there */
    mach_reg *loc;                            /* by temporary; valid where `file` agrees */
    struct wish *wishes;                      /* by temporary */
    const struct mach_instr *kept[MACH_REGS]; /* by unit: a tuple that will be there, of which some is there already */
    mach_temp *web;    /* by temporary: another value that a phi joins it with, towards the one that stands for all */
    mach_reg *web_reg; /* by that one: where the last of them was put */
    uint32_t now;      /* instructions so far */
    uint32_t hot[MACH_REGS]; /* by unit: until when something may still read it that has been issued */
    struct places *entry, *exit;
    bool *done;
    bool is_packing;  /* everything is laid out anew, without gaps */
    bool keeps_small; /* large components stay away from where small ones have names */
};

static inline struct mach_class ra_class(const struct ra *ra, mach_temp temp)
{
    return ra->program->temps[temp].class;
}

static inline bool ra_is_placed(const struct ra *ra, mach_temp temp)
{
    return ra->loc[temp] != MACH_NO_REG && ra->file[ra->loc[temp]] == temp;
}

bool mach_ra_is_free(const struct ra *ra, struct mach_class class, unsigned reg);
void mach_ra_put(struct ra *ra, mach_temp temp, mach_reg reg);
void mach_ra_take(struct ra *ra, mach_temp temp);

/* The registers of one instruction, with a copy before it where results find no place. */
void mach_ra_place(struct ra *ra, struct mach_instr *instr);

/* At an entry everything may be anywhere: the edges bring it there. `wish` may be MACH_NO_REG. */
void mach_ra_place_at_entry(struct ra *ra, mach_temp temp, mach_reg wish);

#endif
