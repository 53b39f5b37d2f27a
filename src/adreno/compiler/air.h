/* Machine code of A6xx in the form of compiler/machine/code.h: what operands, places, results and templates are here.
 *
 * Selection (select_*.c) writes it from the shared IR; compiler/machine gives values their registers, lower.c makes
 * moves of what is left of pseudo instructions, legalise.c adds what the hardware does not wait for by itself, emit.c
 * encodes.
 *
 * The template of an instruction is adreno/isa's decoded form, whose op and operands emit.c fills in; operands name the
 * place of the template that they fill. There is one graph between the blocks: every fiber has its own registers and
 * its own program counter, so that no value of a fiber that waits can be overwritten by another.
 *
 * A unit is a half of a register: r0.x is 0 and 1, hr0.x is 0, hr0.y is 1. Halves have names up to hr47.w. */
#ifndef ADRENO_COMPILER_AIR_H
#define ADRENO_COMPILER_AIR_H

#include <stdbool.h>
#include <stdint.h>

#include "adreno/isa/isa.h"
#include "compiler/machine/code.h"

#define AIR_REGS (48 * 4 * 2)
#define AIR_HALF_REGS (48 * 4)
#define AIR_SLACK_HALVES 16 /* that are kept free for tuples, which must lie side by side, and for reloads */

/* Components of one size that lie side by side. */
static inline struct mach_class air_class(unsigned comps, bool is_half)
{
    const uint8_t size = is_half ? 1 : 2;
    return (struct mach_class){.comps = (uint8_t)comps, .size = size, .align = size};
}
static inline bool air_is_half(struct mach_class class)
{
    return class.size == 1;
}
#define AIR_FULL(n) air_class(n, false)
#define AIR_HALF(n) air_class(n, true)

/* Results that are no values, in mach_def.special: a0.x, a1.x, p0.x and shared registers by the instruction set's
 * number, mach_def.count of them (0 is one); from here on: a component of the arrays. */
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
    AIR_FORM_LDLW, /* the same between stages of a wave */
    AIR_FORM_STLW,
    AIR_FORM_LDP,
    AIR_FORM_STP,
    AIR_FORM_LDC,
    AIR_FORM_STC,
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

enum air_operand_kind {
    AIR_CONST = MACH_OWN, /* value: component of the constant file */
    AIR_CONST_RELATIVE,   /* value: the same, added to a0.x */
    AIR_FLOAT,            /* value: a float of the instruction set's own, by its number */
    AIR_SPECIAL,          /* value: a register of its own kind: a0.x, a1.x, p0.x; shared ones */
    AIR_ARRAY,            /* value: component of the arrays, which lie after all other registers */
    AIR_ARRAY_RELATIVE,   /* value: the same, added to a0.x, which is an operand of its own */
};

/* Registers in halves; special ones follow the file. */
struct air_span {
    uint16_t first, count; /* count 0: none */
    bool is_half;
};

/* A program's part beside the shared form: mach_program.own. */
struct air_own {
    uint16_t array_halves;                   /* of arrays that are indexed */
    mach_reg array_reg;                      /* where they begin, after allocation */
    struct adreno_isa_inst forms[AIR_FORMS]; /* decoded when they are needed first */
    bool has_form[AIR_FORMS];
    struct air_span late[4]; /* inputs that (sy) waits for */
    unsigned num_late;
    int32_t (*constant_of)(void *constants, uint32_t value); /* a component of the file that is the number, -1: none */
    void *constants;
    mach_temp spill_base; /* zero, the address of everything that is spilled */
};

static inline struct air_own *air_own(const struct mach_program *program)
{
    return program->own;
}
static inline struct adreno_isa_inst *air_isa(const struct mach_instr *instr)
{
    return instr->isa;
}
/* An instruction of the instruction set that leads to block `target`. */
static inline bool air_is_jump(const struct mach_instr *instr)
{
    switch (instr->op) {
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
/* A branch before it leads some fibers over it: mach_instr.branch says which (ADRENO_ISA_OP_BR: where the predicate is
 * not set), and the last operand is the predicate, if it has one. A value that it makes is tied to what the others
 * have. */
static inline bool air_is_guarded(const struct mach_instr *instr)
{
    return instr->branch && !mach_is_pseudo(instr);
}
/* It writes arrays. */
static inline bool air_writes_array(const struct mach_instr *instr)
{
    return instr->num_defs && !instr->defs[0].temp && instr->defs[0].special >= AIR_SPECIAL_ARRAY;
}
static inline struct mach_operand air_const(int32_t component)
{
    return (struct mach_operand){.kind = AIR_CONST, .value = component, .reg = MACH_NO_REG};
}
static inline struct mach_operand air_special(int32_t reg)
{
    return (struct mach_operand){.kind = AIR_SPECIAL, .value = reg, .reg = MACH_NO_REG};
}
/* Places of operands that are not the instruction's: read, but not written down; the register of numbers of texture and
 * sampler, which is a part of the field `resource`. */
#define AIR_PLACE_NONE ADRENO_ISA_PLACE_COUNT
#define AIR_PLACE_RESOURCE (ADRENO_ISA_PLACE_COUNT + 1)

/* Registers that an operand or a result names, after allocation, in halves; shared and special ones follow the file. */
#define AIR_UNIT_SHARED AIR_REGS
#define AIR_UNIT_A0 (AIR_REGS + 8 * 4 * 2)
#define AIR_UNIT_P0 (AIR_UNIT_A0 + 2)
#define AIR_UNITS (AIR_UNIT_A0 + 6)
struct air_span adreno_air_read(const struct mach_program *program, const struct mach_operand *operand);
struct air_span adreno_air_written(const struct mach_program *program, const struct mach_instr *instr, unsigned def);

/* ---- air.c ---- */
void adreno_air_init(struct mach_program *program, struct ir_failure *failure);
/* forms.c: an instruction with the fields of a form. */
struct mach_instr *adreno_air_form(struct mach_builder *builder, enum air_form form, mach_temp result,
                                   unsigned num_operands);

/* ---- the passes, in their order, between those of compiler/machine ---- */
void adreno_air_fold_conversions(struct mach_program *program); /* into the instruction before them */
void adreno_air_optimise(struct mach_program *program);         /* folding */
void adreno_air_fuse(struct mach_program *program);             /* two instructions as one */
void adreno_air_move_parts(struct mach_program *program);       /* moves of what runs are made of */
/* Another order within blocks; `free_halves`: registers that cost nothing. */
void adreno_air_schedule(struct mach_program *program, uint32_t free_halves);
void adreno_air_chain(struct mach_program *program);        /* to the next stage of the wave */
void adreno_air_lower(struct mach_program *program);        /* moves in place of copies */
void adreno_air_split_guards(struct mach_program *program); /* blocks of guarded instructions */
void adreno_air_hoist(struct mach_program *program);        /* moves before branches */
void adreno_air_lower_branches(struct mach_program *program);
void adreno_air_end_varyings(struct mach_program *program); /* (ei), of programs that have varyings */
void adreno_air_legalise(struct mach_program *program);     /* (ss), (sy), (jp), nops */

struct air_code {
    uint64_t *words; /* in the program's arena */
    uint32_t count;
};
void adreno_air_emit(struct mach_program *program, struct air_code *code_out);

#endif
