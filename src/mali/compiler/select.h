/* Instruction selection: from the shared IR, lowered for Valhall, to machine code. What the select_*.c files share.
 *
 * A value of the IR is a list of registers (compiler/machine/select.h), one for each component of up to 32 bits, two
 * for one of 64. Vectors of two halves have one. Constants stay numbers until legalise.c places them. */
#ifndef MALI_COMPILER_SELECT_H
#define MALI_COMPILER_SELECT_H

#include "compiler/machine/select.h"
#include "mali/compiler/compiler.h"
#include "mali/compiler/vir.h"

struct sel_outputs;

struct select {
    struct mach_select m;
    const struct mali_compile_options *options;
    struct mali_shader_config *config;
    mach_temp preload[16]; /* r48 … r63 */
    bool is_varying;       /* of a vertex shader: the program that writes the packet */
    bool is_by_view;       /* of a vertex shader: mali_lower_views() has made outputs of each view */
    bool is_apart;         /* varyings were not laid out with the fragment stage */
    const struct mali_varying_layout *varyings;
    struct sel_outputs *outputs; /* outputs.h; NULL of compute shaders */
};

#define sel_fail(ctx, ...) mach_fail((ctx)->m.program, __VA_ARGS__)

/* ---- select.c ---- */
void mali_select(struct select *ctx);

/* ---- select_emit.c: instructions ---- */
/* Register `index` of a value as an operand: constants are numbers; of a pair the half. */
struct mach_operand mali_sel_operand(struct select *ctx, const struct ir_value *value, unsigned index);
static inline struct mach_operand sel_with(struct mach_operand operand, uint8_t flags)
{
    operand.flags |= flags;
    return operand;
}
static inline struct mach_operand sel_part(struct mach_operand operand, unsigned selection)
{
    operand.select = VIR_SELECT(selection);
    return operand;
}
static inline struct mach_operand sel_at(struct mach_operand operand, enum vir_place place)
{
    operand.place = (uint8_t)place;
    return operand;
}
/* The count of a shift: each of 0 to 31 is a byte of a constant. */
struct mach_operand mali_sel_count(unsigned count);
struct mach_operand mali_sel_bytes(struct mach_operand operand);

struct mach_instr *mali_sel_instr(struct select *ctx, unsigned op, mach_temp result, unsigned count,
                                  const struct mach_operand *operands);
mach_temp mali_sel_alu(struct select *ctx, unsigned op, unsigned count, const struct mach_operand *operands);
#define SEL_ALU(ctx, op, ...)                                                                                          \
    mali_sel_alu(ctx, op, sizeof((struct mach_operand[]){__VA_ARGS__}) / sizeof(struct mach_operand),                  \
                 (struct mach_operand[]){__VA_ARGS__})
/* The last instruction, to set its fields. */
struct mali_isa_inst *mali_sel_last(struct select *ctx);
/* A result of 64 bits: a pair. */
mach_temp mali_sel_wide(struct select *ctx, unsigned op, unsigned count, const struct mach_operand *operands);
mach_temp mali_sel_number(struct select *ctx, uint32_t value);
/* Moved to a register, where it is none. */
mach_temp mali_sel_move(struct select *ctx, struct mach_operand operand);
mach_temp mali_sel_and(struct select *ctx, struct mach_operand a, struct mach_operand b);
mach_temp mali_sel_or(struct select *ctx, struct mach_operand a, struct mach_operand b);
mach_temp mali_sel_xor(struct select *ctx, struct mach_operand a, struct mach_operand b);
mach_temp mali_sel_shift_left(struct select *ctx, struct mach_operand a, unsigned count);
mach_temp mali_sel_shift_right(struct select *ctx, struct mach_operand a, unsigned count);
mach_temp mali_sel_add(struct select *ctx, struct mach_operand a, struct mach_operand b);
/* Of integers: 0 or all ones. `cond`: enum mali_isa_cond_value. */
mach_temp mali_sel_compare(struct select *ctx, unsigned op, unsigned cond, struct mach_operand a,
                           struct mach_operand b);
/* then_value where the condition is not zero. */
mach_temp mali_sel_choose(struct select *ctx, struct mach_operand condition, struct mach_operand then_value,
                          struct mach_operand else_value);
/* Registers side by side; of one it is the register. */
mach_temp mali_sel_run(struct select *ctx, unsigned count, const struct mach_operand *operands);
void mali_sel_split(struct select *ctx, mach_temp run, unsigned count, mach_temp *regs_out);

/* ---- select_pair.c: two values of 16 bits in a register ---- */
static inline bool sel_is_pair(const struct ir_value *value)
{
    return value->bits == 16 && value->comps == 2;
}
/* Registers that the components of a value have, each for itself. */
static inline unsigned sel_num_parts(const struct ir_value *value)
{
    return value->comps * (value->bits == 64 ? 2u : 1u);
}
/* A scalar of up to 32 bits, or a pair. */
struct mach_operand mali_sel_whole(struct select *ctx, const struct ir_value *value);
mach_temp mali_sel_upper_half(struct select *ctx, struct mach_operand word);
mach_temp mali_sel_halves(struct select *ctx, struct mach_operand low, struct mach_operand high);
/* Definitions of an instruction: sel_num_parts() registers, of which a pair's are put together. */
void mali_sel_set(struct select *ctx, const struct ir_value *value, mach_temp *regs);

/* ---- select_sysval.c ---- */
/* A register that the hardware fills: 48 to 63. */
mach_temp mali_sel_preloaded(struct select *ctx, unsigned reg);
/* A word of a value that the driver gives. */
struct mach_operand mali_sel_sysval(struct select *ctx, enum mali_sysval which, unsigned word);
/* A sum that is a component of the global number of a compute shader's invocation: r60 to r62; 0: it is another one. */
mach_temp mali_sel_global_id(struct select *ctx, const struct ir_instr *sum);
bool mali_select_sysval(struct select *ctx, const struct ir_instr *instr);

/* ---- select_memory.c ---- */
const struct ir_binding_layout *mali_sel_layout(struct select *ctx, const struct ir_instr *resource);
/* The handle of a resource; `add` descriptors after it. */
struct mach_operand mali_sel_handle(struct select *ctx, const struct ir_value *value, uint32_t add);
/* A word of a descriptor. */
mach_temp mali_sel_descriptor_word(struct select *ctx, struct mach_operand handle, unsigned word);
/* The address at a pair of 64 bits plus a word without a sign. */
mach_temp mali_sel_address(struct select *ctx, struct mach_operand base, struct mach_operand offset);

/* ---- by kind of instruction: false where it is another kind ---- */
bool mali_select_pair(struct select *ctx, const struct ir_instr *instr);
bool mali_select_alu(struct select *ctx, const struct ir_instr *instr);
bool mali_select_math(struct select *ctx, const struct ir_instr *instr);
bool mali_select_convert(struct select *ctx, const struct ir_instr *instr);
bool mali_select_memory(struct select *ctx, const struct ir_instr *instr);
bool mali_select_atomic(struct select *ctx, const struct ir_instr *instr);
bool mali_select_output(struct select *ctx, const struct ir_instr *instr);
bool mali_select_vertex(struct select *ctx, const struct ir_instr *instr);
bool mali_select_fragment(struct select *ctx, const struct ir_instr *instr);
/* A component of a system value of the stage; 0: the stage has no such value. */
mach_temp mali_sel_vertex_sysval(struct select *ctx, enum ir_sysval which);
mach_temp mali_sel_fragment_sysval(struct select *ctx, enum ir_sysval which, unsigned component);
bool mali_select_texture(struct select *ctx, const struct ir_instr *instr);
bool mali_select_image(struct select *ctx, const struct ir_instr *instr);
bool mali_select_lanes(struct select *ctx, const struct ir_instr *instr);

#endif
