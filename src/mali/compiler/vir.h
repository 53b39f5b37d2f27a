/* Machine code of Valhall in the form of compiler/machine/code.h: what operands, places and templates are here.
 *
 * A unit is a register of 32 bits. Values of 8 and 16 bits are the low bits of one, whose other bits are anything;
 * booleans are 0 or all ones. Runs of two and more begin at an even register, as staging registers and operands of 64
 * bits do. */
#ifndef MALI_COMPILER_VIR_H
#define MALI_COMPILER_VIR_H

#include "compiler/machine/code.h"
#include "mali/isa/isa.h"

enum vir_operand_kind {
    VIR_UNIFORM = MACH_OWN, /* value: its word */
    VIR_SPECIAL,            /* value: page << 8 | twice its place in the page, plus the word */
    VIR_CONSTANT,           /* value: index in mali_isa_constants; numbers become these */
    VIR_REGISTER,           /* value: one that is not allocated, by the hardware's number */
};

/* Places of operands. */
enum vir_place {
    VIR_SOURCE0,
    VIR_SOURCE1,
    VIR_SOURCE2,
    VIR_SOURCE3,
    VIR_STAGING0, /* of the template */
    VIR_STAGING1,
    VIR_NO_PLACE, /* read, but not written down */
};

/* Special values, by page and name. */
#define VIR_SPECIAL_OF(page, place) ((page) << 8 | (place)*2)
enum vir_special {
    VIR_WARP_ID = VIR_SPECIAL_OF(0, 2),
    VIR_FRAMEBUFFER_SIZE = VIR_SPECIAL_OF(0, 4),
    VIR_ATEST_DATUM = VIR_SPECIAL_OF(0, 5),
    VIR_SAMPLE_POSITIONS = VIR_SPECIAL_OF(0, 6),
    VIR_BLEND_DESCRIPTOR = VIR_SPECIAL_OF(0, 8), /* of target 0; the others follow */
    VIR_TLS = VIR_SPECIAL_OF(1, 1),
    VIR_WLS = VIR_SPECIAL_OF(1, 3),
    VIR_LANE_ID = VIR_SPECIAL_OF(3, 1),
    VIR_PROGRAM_COUNTER = VIR_SPECIAL_OF(3, 15),
};

/* Of struct mach_operand.select: the selection, plus one; 0: the row's default. */
#define VIR_SELECT(value) ((uint8_t)((value) + 1))

#define VIR_REGISTERS 64
#define VIR_SEAM 16 /* with 32 registers: r0 to r15, then r48 to r63 */
#define VIR_FIRST_PRELOAD 48
#define VIR_SLACK 6

#define VIR_RUN(n) ((struct mach_class){.comps = (uint8_t)(n), .size = 1, .align = (n) > 1 ? 2 : 1})

static inline struct mali_isa_inst *vir_isa(const struct mach_instr *instr)
{
    return instr->isa;
}
static inline struct mach_operand vir_uniform(unsigned word)
{
    return (struct mach_operand){.kind = VIR_UNIFORM, .value = (int32_t)word, .reg = MACH_NO_REG};
}
static inline struct mach_operand vir_special(unsigned special)
{
    return (struct mach_operand){.kind = VIR_SPECIAL, .value = (int32_t)special, .reg = MACH_NO_REG};
}
static inline struct mach_operand vir_constant(unsigned index)
{
    return (struct mach_operand){.kind = VIR_CONSTANT, .value = (int32_t)index, .reg = MACH_NO_REG};
}

static inline struct mach_operand vir_register(unsigned reg)
{
    return (struct mach_operand){.kind = VIR_REGISTER, .value = (int32_t)reg, .reg = MACH_NO_REG};
}

/* Uniforms of the program: where the driver's values are, and its own numbers. */
struct vir_uniforms {
    uint32_t first_immediate, count, capacity; /* words */
    uint32_t *immediates;
};

struct vir_code {
    uint64_t *words; /* in the program's arena */
    uint32_t count;
};

extern const struct machine mali_vir_machine;

/* ---- vir.c ---- */
/* An instruction of the set with its defaults; `result` 0: it has none. Operands are sources 0, 1, … */
struct mach_instr *mali_vir_instr(struct mach_builder *builder, unsigned op, mach_temp result, unsigned count,
                                  const struct mach_operand *operands);
/* The index of a number among the constants that every source can name; -1: it is none. */
int mali_vir_constant(uint32_t value);

/* ---- the passes, in their order ---- */
/* Copies that need not be made. */
void mali_vir_fold(struct mach_program *program);
/* Halves of registers are read where they are. */
void mali_vir_halves(struct mach_program *program);
/* Two instructions that one can do. */
void mali_vir_combine(struct mach_program *program);
/* Numbers and uniforms. */
void mali_vir_legalise(struct mach_program *program, struct vir_uniforms *uniforms);
/* Moves, branches; registers by the hardware's number. */
void mali_vir_lower(struct mach_program *program, unsigned registers);
/* Templates have all that they need but distances and what follows. */
void mali_vir_fill(struct mach_program *program);
/* The order within blocks. */
void mali_vir_schedule(struct mach_program *program);
/* Slots, waits, reconvergence, last uses. */
void mali_vir_wait(struct mach_program *program);
void mali_vir_emit(struct mach_program *program, struct vir_code *code_out);

#endif
