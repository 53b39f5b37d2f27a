/* One compilation: what jit_weave.c and jit.c find out about a program, and jit_registers.c and jit_loop.c use to make
 * its code. */
#ifndef MODEL_JIT_MAKER_H
#define MODEL_JIT_MAKER_H

#include "model/jit_host.h"

enum {
    NOWHERE = -1,
    NO_SLOT = UINT16_MAX,
};

#define MAX_STRANDS 8u
#define LIMIT (JIT_MAX_INSTS * MAX_STRANDS)

/* Where values are. */
struct jit_places {
    int8_t reg[LIMIT];
    uint16_t slot[LIMIT];
    uint32_t free; /* registers, as bits */
    uint32_t held; /* those that keep their value: made before all lanes, or for as long as a loop goes on */
    uint16_t owner[JIT_MAX_REGISTERS];
};

struct jit_maker {
    uint32_t count; /* of insts */
    struct jit_shape shape;
    struct jit_buffer *buffer;
    uint32_t pinned; /* operands of the operation at hand */
    uint32_t spare;  /* registers that are never needed at once, but for such */

    /* The loop, if there is one: its JIT_LOOP and JIT_AGAIN, and its phis, which lie between. */
    uint32_t loop, again, phi_count;
    uint8_t *leave; /* the jump over the way out at hand, and its number */
    uint32_t leave_number;
    struct jit_host_masks kept_masks; /* what is so again after it, with kept */

    /* Fields from here on are not cleared: a program is far shorter than LIMIT, and is written before it is read. */
    struct jit_inst source[JIT_MAX_INSTS]; /* the program, as it is understood */
    struct jit_inst insts[LIMIT];          /* of all strands, which take turns */

    /* For each value. Uses are numbers of operations, ascending, from first_use[v] to first_use[v + 1]. */
    bool is_used[LIMIT];
    bool crosses_call[LIMIT];
    bool is_kept_in_row[LIMIT]; /* JIT_ROW of a row that this program does not change */
    uint32_t first_use[LIMIT + 1];
    uint32_t next_use[LIMIT];
    uint16_t uses[LIMIT * 3];
    jit_value phi_of[LIMIT]; /* of a value: the phi that has it in the next round, or JIT_NONE */
    struct jit_places now, kept;
};

static inline jit_value jit_operand(const struct jit_inst *inst, unsigned n)
{
    return n == 0 ? inst->a : n == 1 ? inst->b : inst->c;
}

static inline bool jit_is_result(const struct jit_inst *inst)
{
    return inst->op == JIT_STORE || inst->op == JIT_STORE_BITS || inst->op == JIT_STORE_ONE;
}

/* To memory that is not the frame's. */
static inline bool jit_is_write(const struct jit_inst *inst)
{
    return inst->op == JIT_WRITE || inst->op == JIT_WRITE_NEAR;
}

static inline bool jit_is_flow(const struct jit_inst *inst)
{
    return inst->op >= JIT_LOOP && inst->op <= JIT_AGAIN && inst->op != JIT_PHI;
}

/* It makes something that others may use. */
static inline bool jit_is_value(const struct jit_inst *inst)
{
    return !jit_is_result(inst) && !jit_is_write(inst) && !jit_is_flow(inst) && inst->op != JIT_MISS;
}

static inline bool jit_is_in_loop(const struct jit_maker *m, uint32_t v)
{
    return m->shape.has_loop && v > m->loop;
}

/* The number of an operation's lane mask in shape.masks; their count: none. */
unsigned jit_mask_of(const struct jit_maker *m, const struct jit_inst *inst);

/* ---- jit_weave.c ---- */

/* Where a program's loop is. */
struct jit_outline {
    uint32_t loop, again;        /* UINT32_MAX: there is none */
    bool is_same[JIT_MAX_INSTS]; /* in all lanes */
};

/* A loop is the end of its program, begins with its phis, and has ways out, which have results. False: it is none. */
bool jit_find_loop(const struct jit_inst *insts, uint32_t count, struct jit_outline *out);
/* As many strands as there are registers for. Rounds of a loop wait for each other: more of them help there. */
void jit_choose_strands(struct jit_maker *m, const struct jit_inst *insts, uint32_t count,
                        const struct jit_outline *outline);
/* Each operation once per strand, but for what is the same in all lanes. */
void jit_weave(struct jit_maker *m, const struct jit_inst *insts, uint32_t count, const struct jit_outline *outline);

/* ---- jit_common.c ---- */

/* Operations that are made twice are used once; the second stays, unused. */
void jit_find_common(struct jit_inst *insts, uint32_t count);

/* ---- jit_near.c ---- */

void jit_find_near(struct jit_inst *insts, uint32_t count, const bool *is_same);

/* ---- jit_signs.c ---- */

void jit_find_signs(struct jit_inst *insts, uint32_t count);
void jit_find_tests(struct jit_inst *insts, uint32_t count);

/* ---- jit_fours.c ---- */

/* How many operations there are afterwards. */
uint32_t jit_find_fours(struct jit_inst *insts, uint32_t count, struct jit_outline *outline);
/* Finds halves in pairs (jit_pairs.c), after jit_find_tests. */
uint32_t jit_find_pairs(struct jit_inst *insts, uint32_t count, struct jit_outline *outline);

/* Operations that results and decisions are made of. */
void jit_find_needed(const struct jit_inst *insts, uint32_t count, bool *is_needed);

/* A program whose values get other numbers: an operation's operands, but for what a phi has from the end of the loop;
 * then, after the last one, that, and where the loop is. */
void jit_rename_operands(struct jit_inst *inst, const jit_value *names);
void jit_rename_rest(struct jit_inst *insts, uint32_t count, const jit_value *names, struct jit_outline *outline);

/* ---- jit_registers.c ---- */

void jit_make_all(struct jit_maker *m);

/* It costs one load, or one instruction, to make it again. */
bool jit_is_cheap(const struct jit_maker *m, jit_value v);
/* The next operation from `now` on that uses a value; UINT32_MAX: none. */
uint32_t jit_next_use(struct jit_maker *m, jit_value v, uint32_t now);
/* Its value goes to a slot, if it may be wanted again, and the register is free. */
void jit_give_up(struct jit_maker *m, unsigned reg);
/* The register that a value is in from now on. */
unsigned jit_bring(struct jit_maker *m, jit_value v, uint32_t now);
void jit_release(struct jit_maker *m, jit_value v, uint32_t now);
/* A value to a register that nothing has. */
void jit_copy_to(struct jit_maker *m, jit_value v, unsigned reg);

/* ---- jit_loop.c ---- */

void jit_loop_begin(struct jit_maker *m);
void jit_loop_leave(struct jit_maker *m, uint32_t i);
void jit_loop_stay(struct jit_maker *m, uint32_t i);
void jit_loop_end(struct jit_maker *m);
/* The register of the phi that operation i makes the next value of, if nothing looks at its old one any more; NOWHERE:
 * another. */
int jit_loop_register(struct jit_maker *m, uint32_t i);

#endif
