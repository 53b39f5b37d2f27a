/* Machine code before it has registers: instructions on SSA values in blocks, and the passes that are the same for
 * every machine with one register file and one graph between the blocks. A back end selects into it, says by struct
 * machine what only it knows (how a value is spilled), and emits what is left.
 *
 * Registers are counted in units, the smallest piece that has a name: a dword, or half of one. A value is a run of
 * components of some units each. An instruction is one of the instruction set, by the back end's number, with its
 * decoded form as a template in `isa`; or a pseudo instruction. */
#ifndef COMPILER_MACHINE_CODE_H
#define COMPILER_MACHINE_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler/machine/live.h"
#include "util/arena.h"
#include "util/list.h"

struct ir_failure;
struct strbuf;

/* Components side by side, all in units. */
struct mach_class {
    uint8_t comps, size; /* of one component */
    uint8_t align;       /* of the first one: a power of two */
};

typedef uint32_t mach_temp; /* 0: none */
typedef uint16_t mach_reg;  /* a unit */
#define MACH_NO_REG 0xffff
#define MACH_REGS 384

struct mach_temp_info {
    struct mach_class class;
    struct mach_instr *def;
    bool is_spilled; /* or made by spilling: it is alive for a moment only */
};

enum mach_operand_kind {
    MACH_NONE,
    MACH_TEMP,
    MACH_NUMBER, /* value */
    MACH_UNDEF,
    MACH_OWN, /* this and the following: the back end's */
};

struct mach_operand {
    uint8_t kind;
    uint8_t flags, select;  /* the back end's */
    uint8_t place;          /* the back end's: where the template has it */
    bool is_kill : 1;       /* last use, after mach_find_kills */
    bool is_first_kill : 1; /* first of the operands of this instruction that end this value */
    mach_reg reg;           /* of a temporary, after allocation */
    union {
        mach_temp temp;
        int32_t value;
    };
};

struct mach_def {
    mach_temp temp;   /* 0: no value of ours */
    uint16_t special; /* the back end's, of results that are no values */
    uint8_t count;    /* the back end's, as the following, with `special` */
    bool is_relative;
    bool is_dead;  /* nothing reads it, after mach_find_kills */
    bool is_fixed; /* `reg` was chosen by selection */
    mach_reg reg;  /* after allocation */
};

/* Pseudo instructions. */
enum mach_pseudo {
    MACH_P_START = 0x8000, /* defines the inputs in the registers that def.reg says */
    MACH_P_PHI,            /* operands by predecessor */
    MACH_P_COPY,           /* parallel: def i gets operand i */
    MACH_P_COLLECT,        /* one def made of the operands side by side */
    MACH_P_SPLIT,          /* the operand taken apart into the defs */
    MACH_P_JUMP,           /* to block `target` */
    MACH_P_BRANCH,         /* to `target` where operand 0 says so, else to `other` */
};

struct mach_instr {
    struct list link;
    void *isa;       /* the back end's template */
    uint16_t op;     /* the back end's, or enum mach_pseudo */
    bool has_effect; /* on memory or on others: it stays though nothing reads its result */
    bool is_spill;   /* made by spilling */
    bool is_tied;    /* the result is in the registers of operand 0, which ends here */
    uint16_t num_defs;
    uint16_t branch; /* the back end's: what sends lanes one way or the other */
    uint32_t num_operands;
    uint32_t target, other; /* blocks */
    struct mach_def *defs;
    struct mach_operand *operands;
};

struct mach_block {
    uint32_t index;
    uint16_t loop_depth;
    bool is_kept; /* it is not left out, though it is only a jump */
    struct list instrs;
    uint32_t *preds, *succs;
    uint32_t num_preds, num_succs;
    uint32_t first_word; /* the back end's, after emission */
};

struct mach_program;

/* The back end's part. */
struct machine {
    size_t template_B; /* of `isa` */
    const char *(*name)(unsigned op);
    /* The text before an operand for its flags; may be NULL. */
    void (*print_flags)(struct strbuf *text, unsigned flags);
    void (*print_operand)(const struct mach_program *program, struct strbuf *text, const struct mach_operand *operand);
    void (*print_register)(struct strbuf *text, mach_reg reg, struct mach_class class);
    /* How many instructions long an instruction may still read its sources after it was issued; may be NULL. */
    unsigned (*reads_late)(const struct mach_instr *instr);
    /* Before the first value is spilled: makes what all accesses read, after the inputs, and returns its last
     * instruction. May be NULL. */
    struct mach_instr *(*begin_spill)(struct mach_program *program);
    /* A store of the value to its slot in private memory, or a load from there: slots are dwords. */
    void (*access_spill)(struct mach_program *program, struct list *before, bool is_store, mach_temp value,
                         uint32_t slot);
    /* Whether an instruction of one result and no operand that is a value may stand anywhere else as well: then its
     * result is made again and never stored. NULL: none may. */
    bool (*can_repeat)(const struct mach_instr *instr);
};

struct mach_program {
    const struct machine *machine;
    void *own; /* the back end's */
    struct arena arena, live_arena;
    struct mach_block *blocks; /* in program order */
    uint32_t num_blocks, capacity_blocks;
    struct mach_temp_info *temps;
    uint32_t num_temps, capacity_temps;
    struct live_sets live; /* by temporary */
    bool has_kills;        /* found, and nothing has changed since: mach_spill and mach_allocate need not do it again */
    struct ir_failure *failure;
    struct mach_instr *spill_begin; /* made by begin_spill: accesses stand behind it; NULL: there is none */
    uint32_t max_demand;            /* units that are alive at once, after mach_find_kills */
    uint32_t max_small_demand;      /* of components that `small_limit` holds for */
    uint32_t slack;       /* units that are kept free for runs, which must lie side by side, and for reloads */
    mach_reg limit;       /* units that may be used */
    mach_reg small_limit; /* of components of one unit, if that is lower; 0: all components have the same size */
    mach_reg seam;        /* no run lies across this unit's beginning; 0: there is none */
    uint16_t used;        /* units, after allocation */
    uint32_t spilled_B;   /* private memory, of the shader itself and with what is spilled */
    uint32_t spills;      /* loads and stores */
};

struct mach_builder {
    struct mach_program *program;
    struct list *before; /* new instructions stand before this one */
};

static inline bool mach_is_pseudo(const struct mach_instr *instr)
{
    return instr->op >= MACH_P_START;
}
static inline struct mach_operand mach_use(mach_temp temp)
{
    return (struct mach_operand){.kind = MACH_TEMP, .temp = temp, .reg = MACH_NO_REG};
}
static inline struct mach_operand mach_number(uint32_t value)
{
    return (struct mach_operand){.kind = MACH_NUMBER, .value = (int32_t)value, .reg = MACH_NO_REG};
}
static inline unsigned mach_units(struct mach_class class)
{
    return (unsigned)class.comps * class.size;
}
/* Only the registers below `small_limit` have names for it. */
static inline bool mach_is_small(const struct mach_program *program, struct mach_class class)
{
    return class.size == 1 && program->small_limit;
}

#define mach_foreach_block(program, block)                                                                             \
    for (struct mach_block *block = (program)->blocks; block < (program)->blocks + (program)->num_blocks; block++)
#define mach_foreach_instr(block, instr) list_foreach (&(block)->instrs, struct mach_instr, instr, link)

/* ---- code.c ---- */
void mach_init(struct mach_program *program, const struct machine *machine, struct ir_failure *failure, mach_reg limit);
void mach_finish(struct mach_program *program);
_Noreturn void mach_fail(struct mach_program *program, const char *format, ...) __attribute__((format(printf, 2, 3)));
void *mach_alloc(struct mach_program *program, size_t size_B); /* zeroed, never NULL */
mach_temp mach_new_temp(struct mach_program *program, struct mach_class class);
struct mach_instr *mach_new_instr(struct mach_builder *builder, unsigned op, unsigned num_defs, unsigned num_operands);
struct mach_block *mach_new_block(struct mach_program *program);
void mach_edge(struct mach_program *program, uint32_t from, uint32_t to);
/* Puts the blocks into another order: `order` names each of them. */
void mach_reorder(struct mach_program *program, const uint32_t *order);
/* New blocks on edges from a fork to a join, so that copies have a place. */
void mach_split_edges(struct mach_program *program);
/* A phi of one predecessor is a copy. */
bool mach_copy_single_phis(struct mach_program *program);
/* Where blocks that have nothing but a jump lead to, by block: to themselves, where they have more. */
uint32_t *mach_find_ways(struct mach_program *program);

/* ---- text.c ---- */
void mach_print(const struct mach_program *program, struct strbuf *text);
/* The first rule that is broken, or NULL. */
const char *mach_validate(struct mach_program *program);

/* ---- the passes, in their order ---- */
void mach_drop_dead(struct mach_program *program);
/* Parts of a run that live on stay in it; after the order was chosen. */
void mach_reuse_runs(struct mach_program *program);
void mach_find_kills(struct mach_program *program); /* kills, dead results, demand */
void mach_spill(struct mach_program *program);      /* until what is alive at once fits */
void mach_allocate(struct mach_program *program);   /* operand.reg, def.reg; phis become copies on edges */

#endif
