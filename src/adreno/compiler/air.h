/* The machine IR of the A6xx back end: instructions of the instruction set on SSA values, then on registers.
 *
 * Selection (select_*.c) writes it from the shared IR; allocate.c gives values their registers, lower.c makes moves of
 * what is left of pseudo instructions, legalise.c adds what the hardware does not wait for by itself, emit.c encodes.
 *
 * An instruction is one of adreno/isa, with that room's decoded form as its template, or a pseudo instruction. Its
 * operands name the place of the template that they fill. There is one graph between the blocks: every fiber has its
 * own registers and its own program counter, so that no value of a fiber that waits can be overwritten by another. */
#ifndef ADRENO_COMPILER_AIR_H
#define ADRENO_COMPILER_AIR_H

#include <stdbool.h>
#include <stdint.h>

#include "adreno/isa/isa.h"
#include "compiler/machine/live.h"
#include "util/arena.h"
#include "util/list.h"

struct ir_failure;
struct strbuf;

/* Components of one size that lie side by side. */
struct air_class {
    uint8_t comps;
    bool is_half;
};

#define AIR_FULL(n) ((struct air_class){.comps = (n)})
#define AIR_HALF(n) ((struct air_class){.comps = (n), .is_half = true})

/* A register, counted in halves: r0.x is 0 and 1, hr0.x is 0, hr0.y is 1. Halves have names up to hr47.w. */
typedef uint16_t air_reg;
#define AIR_REGS (48 * 4 * 2)
#define AIR_HALF_REGS (48 * 4)
#define AIR_NO_REG 0xffff
#define AIR_SLACK_HALVES 16 /* that are kept free for tuples, which must lie side by side, and for reloads */

typedef uint32_t air_temp; /* 0: none */
#define AIR_SPECIAL_ARRAY 1024

/* The types of moves and of memory, by the instruction set's number. */
enum air_type {
    AIR_F16,
    AIR_F32,
    AIR_U16,
    AIR_U32,
    AIR_S16,
    AIR_S32,
    AIR_U8,
};

/* Forms of instructions of categories 6 and 7, whose fields are many: forms.c has a text of each. */
enum air_form {
    AIR_FORM_LDG,
    AIR_FORM_STG,
    AIR_FORM_LDL,
    AIR_FORM_STL,
    AIR_FORM_LDP,
    AIR_FORM_STP,
    AIR_FORM_LDC,
    AIR_FORM_LDIB,
    AIR_FORM_STIB,
    AIR_FORM_RESINFO,
    AIR_FORM_ATOMIC_B, /* additions; the other operations follow them in the instruction set */
    AIR_FORM_ATOMIC_G,
    AIR_FORM_ATOMIC_L,
    AIR_FORM_IMAGE_LOAD, /* of a format, as the following */
    AIR_FORM_IMAGE_STORE,
    AIR_FORM_IMAGE_SIZE,
    AIR_FORM_IMAGE_ATOMIC,
    AIR_FORM_MOVA1,
    AIR_FORM_BAR,
    AIR_FORM_FENCE,
    AIR_FORM_SHFL,
    AIR_FORM_BRCST,
    AIR_FORM_QUAD_READ,
    AIR_FORM_QUAD_SWAP, /* horizontal; vertical and diagonal follow it */
    AIR_FORM_FIBER,
    AIR_FORM_DP4,
    AIR_FORMS,
};

struct air_temp_info {
    struct air_class class;
    struct air_instr *def; /* after adreno_air_liveness */
    bool is_spilled;       /* or made by spilling: it is alive for a moment only */
};

enum air_operand_kind {
    AIR_NONE,
    AIR_TEMP,
    AIR_CONST,          /* value: component of the constant file */
    AIR_NUMBER,         /* value: an immediate, as the instruction reads it */
    AIR_CONST_RELATIVE, /* value: the same, added to a0.x */
    AIR_SPECIAL,        /* value: a register of its own kind: a0.x, a1.x, p0.x; shared ones */
    AIR_ARRAY,          /* value: component of the arrays, which lie after all other registers */
    AIR_ARRAY_RELATIVE, /* value: the same, added to a0.x, which is an operand of its own */
    AIR_UNDEF,
};

struct air_operand {
    uint8_t kind;
    uint8_t flags;          /* ADRENO_ISA_FLAG_NEG, _ABS, _NOT; _HALF of what is no temporary */
    uint8_t place;          /* enum adreno_isa_place, or AIR_PLACE_*; of a pseudo instruction: nothing */
    bool is_kill : 1;       /* last use, after liveness */
    bool is_first_kill : 1; /* first of the operands of this instruction that end this value */
    air_reg reg;            /* of a temporary, after allocation */
    union {
        air_temp temp;
        int32_t value;
    };
};

struct air_def {
    air_temp temp;    /* 0: `special` */
    uint16_t special; /* a0.x, a1.x, p0.x, shared registers by the instruction set's number; from AIR_SPECIAL_ARRAY on:
                         a component of the arrays */
    uint8_t count;    /* components of `special`; 0 is one */
    bool is_dead;     /* nothing reads it, after liveness */
    bool is_relative; /* the component of the arrays is added to a0.x, which is an operand */
    air_reg reg;      /* after allocation */
};

/* Pseudo instructions follow the instruction set's numbers. */
enum air_pseudo {
    AIR_P_START = ADRENO_ISA_OP_COUNT, /* defines the inputs in the registers that def.reg says */
    AIR_P_PHI,                         /* operands by predecessor */
    AIR_P_COPY,                        /* parallel: def i gets operand i */
    AIR_P_COLLECT,                     /* one def made of the operands side by side */
    AIR_P_SPLIT,                       /* the operand taken apart into the defs */
    AIR_P_JUMP,                        /* to block `target` */
    AIR_P_BRANCH,                      /* to `target` where `branch_op` and operand 0 (p0.x) say so, else to `other` */
    AIR_PSEUDO_END,
};

struct air_instr {
    struct list link;
    struct adreno_isa_inst isa; /* op is an enum air_pseudo, too; operands are filled by emit.c */
    bool has_effect;            /* on memory or on others: it stays though nothing reads its result */
    bool is_spill;              /* made by spilling */
    bool is_tied;               /* the result is in the registers of operand 0, which ends here */
    uint16_t num_defs;
    uint16_t branch_op; /* of a branch; 0: br */
    uint32_t num_operands;
    uint32_t target, other; /* blocks */
    struct air_def *defs;   /* the first one is the template's dst */
    struct air_operand *operands;
};

struct air_block {
    uint32_t index;
    uint16_t loop_depth;
    bool is_kept; /* fibers wait here for each other, or for those before it: it is not merged with another block */
    struct list instrs;
    uint32_t *preds, *succs;
    uint32_t num_preds, num_succs;
    uint32_t first_word; /* after emission */
};

/* Registers in halves; special ones follow the file. */
struct air_span {
    uint16_t first, count; /* count 0: none */
    bool is_half;
};

struct air_program {
    struct arena arena, live_arena;
    struct air_block *blocks; /* in program order */
    uint32_t num_blocks, capacity_blocks;
    struct air_temp_info *temps;
    uint32_t num_temps, capacity_temps;
    struct live_sets live; /* by temporary */
    struct ir_failure *failure;
    uint32_t max_demand;                     /* halves that are alive at once, after liveness */
    air_reg limit;                           /* halves that may be used */
    uint16_t used_halves;                    /* after allocation */
    uint16_t array_halves;                   /* of arrays that are indexed */
    air_reg array_reg;                       /* where they begin, after allocation */
    uint32_t copies;                         /* moves that allocation made */
    struct adreno_isa_inst forms[AIR_FORMS]; /* decoded when they are needed first */
    bool has_form[AIR_FORMS];
    struct air_span late[4]; /* inputs that (sy) waits for */
    unsigned num_late;
    uint32_t spilled_B; /* private memory, of the shader itself and with what is spilled */
    int32_t (*constant_of)(void *constants, uint32_t value); /* a component of the file that is the number, -1: none */
    void *constants;
};

struct air_builder {
    struct air_program *program;
    struct list *before; /* new instructions stand before this one */
};

static inline bool air_is_pseudo(const struct air_instr *instr)
{
    return instr->isa.op >= ADRENO_ISA_OP_COUNT;
}
/* An instruction of the instruction set that leads to block `target`. */
static inline bool air_is_jump(const struct air_instr *instr)
{
    switch (instr->isa.op) {
    case ADRENO_ISA_OP_JUMP:
    case ADRENO_ISA_OP_BR:
    case ADRENO_ISA_OP_BANY:
    case ADRENO_ISA_OP_BALL:
    case ADRENO_ISA_OP_GETONE:
    case ADRENO_ISA_OP_GETLAST:
        return true;
    default:
        return false;
    }
}
/* It writes arrays. */
static inline bool air_writes_array(const struct air_instr *instr)
{
    return instr->num_defs && !instr->defs[0].temp && instr->defs[0].special >= AIR_SPECIAL_ARRAY;
}
static inline struct air_operand air_use(air_temp temp)
{
    return (struct air_operand){.kind = AIR_TEMP, .temp = temp, .reg = AIR_NO_REG};
}
static inline struct air_operand air_number(int32_t value)
{
    return (struct air_operand){.kind = AIR_NUMBER, .value = value, .reg = AIR_NO_REG};
}
static inline struct air_operand air_const(int32_t component)
{
    return (struct air_operand){.kind = AIR_CONST, .value = component, .reg = AIR_NO_REG};
}
static inline struct air_operand air_special(int32_t reg)
{
    return (struct air_operand){.kind = AIR_SPECIAL, .value = reg, .reg = AIR_NO_REG};
}
static inline unsigned air_halves(struct air_class class)
{
    return class.is_half ? class.comps : class.comps * 2u;
}

/* Places of operands that are not the instruction's: read, but not written down; the register of numbers of texture and
 * sampler, which is a part of the field `resource`. */
#define AIR_PLACE_NONE ADRENO_ISA_PLACE_COUNT
#define AIR_PLACE_RESOURCE (ADRENO_ISA_PLACE_COUNT + 1)

#define air_foreach_block(program, block)                                                                              \
    for (struct air_block *block = (program)->blocks; block < (program)->blocks + (program)->num_blocks; block++)
#define air_foreach_instr(block, instr) list_foreach (&(block)->instrs, struct air_instr, instr, link)

/* Registers that an operand or a result names, after allocation, in halves; shared and special ones follow the file. */
#define AIR_UNIT_SHARED AIR_REGS
#define AIR_UNIT_A0 (AIR_REGS + 8 * 4 * 2)
#define AIR_UNIT_P0 (AIR_UNIT_A0 + 2)
#define AIR_UNITS (AIR_UNIT_A0 + 6)
struct air_span adreno_air_read(const struct air_program *program, const struct air_operand *operand);
struct air_span adreno_air_written(const struct air_program *program, const struct air_instr *instr, unsigned def);

/* ---- air.c ---- */
void adreno_air_init(struct air_program *program, struct ir_failure *failure);
void adreno_air_finish(struct air_program *program);
_Noreturn void adreno_air_fail(struct air_program *program, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void *adreno_air_alloc(struct air_program *program, size_t size_B); /* zeroed, never NULL */
air_temp adreno_air_temp(struct air_program *program, struct air_class class);
struct air_instr *adreno_air_instr(struct air_builder *builder, unsigned op, unsigned num_defs, unsigned num_operands);
/* forms.c: the same with the fields of a form. */
struct air_instr *adreno_air_form(struct air_builder *builder, enum air_form form, air_temp result,
                                  unsigned num_operands);
struct air_block *adreno_air_block(struct air_program *program);
void adreno_air_edge(struct air_program *program, uint32_t from, uint32_t to);
/* Puts the blocks into another order: `order` names each of them. */
void adreno_air_reorder(struct air_program *program, const uint32_t *order);
/* New blocks on edges from a fork to a join, so that copies have a place. */
void adreno_air_split_edges(struct air_program *program);
void adreno_air_print(const struct air_program *program, struct strbuf *text);
/* The first rule that is broken, or NULL. */
const char *adreno_air_validate(struct air_program *program);

/* ---- the passes, in their order ---- */
void adreno_air_fold_conversions(struct air_program *program); /* into the instruction before them */
void adreno_air_optimise(struct air_program *program);         /* folding */
void adreno_air_fuse(struct air_program *program);             /* two instructions as one */
void adreno_air_drop_dead(struct air_program *program);
void adreno_air_liveness(struct air_program *program); /* kills, dead results, demand */
/* Another order within blocks; `free_halves`: registers that cost nothing. */
void adreno_air_schedule(struct air_program *program, uint32_t free_halves);
void adreno_air_spill(struct air_program *program);    /* until what is alive at once fits */
void adreno_air_allocate(struct air_program *program); /* operand.reg, def.reg; phis become copies on edges */
void adreno_air_lower(struct air_program *program);    /* moves in place of copies */
void adreno_air_hoist(struct air_program *program);    /* moves before branches */
void adreno_air_lower_branches(struct air_program *program);
void adreno_air_end_varyings(struct air_program *program); /* (ei), of programs that have varyings */
void adreno_air_legalise(struct air_program *program);     /* (ss), (sy), (jp), nops */

struct air_code {
    uint64_t *words; /* in the program's arena */
    uint32_t count;
};
void adreno_air_emit(struct air_program *program, struct air_code *code_out);

#endif
