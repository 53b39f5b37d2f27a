/* Loops as host code, for families whose lanes have a program counter each. A loop that all lanes leave together, as most
 * do, becomes one program with a loop (model/jit.h): a few lanes run it to its end, then the next ones.
 *
 * That they leave together is known if what decides about it is made of registers that have one value in all lanes. Which
 * ones have is found when the loop is compiled, in the wave at hand, with all lanes active: they are read as scalars, and
 * whether they still have one value each is looked at before the code is entered. Other waves stay with the
 * micro-operations.
 *
 * The family follows the body twice, from its first instruction to the branch back to it: first with rows alone
 * (exec_rows.in_loop), to find out what is read and changed, then between exec_loop_open and exec_loop_close. From then on
 * the first micro-operation of the loop enters the code; what it was is kept beside it.
 *
 * Not for: stores and whatever else one lane could see of another; families with scalar registers and one program counter
 * for a wave, which follow their loops themselves. */
#ifndef MODEL_EXEC_LOOP_H
#define MODEL_EXEC_LOOP_H

#include "model/exec/rows.h"
#include "model/exec/run.h"

/* A loop that is not for so many waves, one after the other, is given up: looking at each costs time. */
#define EXEC_LOOP_MISSES 64

struct exec_loop {
    uint64_t begin_pc, end_pc; /* the first instruction and the branch that goes back to it */
    void *head;                /* the first micro-operation */
    jit_code code;
    uint32_t misses;               /* waves in a row that it was not for */
    struct exec_uniforms uniforms; /* rows that the code takes to have one value */
    uint32_t exit_count;
    uint64_t exits[JIT_MAX_LEAVES]; /* where the ways out lead */
};

/* The program of a loop while it is written. */
struct exec_loop_body {
    struct exec_loop *loop;
    struct exec_rows *rows;
    struct lane_program *program;
    bool is_final; /* not the first time */
    uint32_t same_count;
    jit_value same[64]; /* values that must be the same in all lanes */
};

/* How often a branch goes backwards before its loop is compiled; 0: never. */
uint32_t exec_loop_countdown(const struct exec_code *code);

/* Everything up to the body. `found` is what was so at the end of the first time; uniforms.scalars_B is known. */
void exec_loop_open(struct exec_loop_body *body, const struct exec_rows *found, const void *wave);
/* A value that has to be the same in all lanes. */
void exec_loop_must_be_same(struct exec_loop_body *body, jit_value value);
/* A branch: lanes of `goes_on` (a boolean) stay, the others go to `exit_pc`. */
void exec_loop_leave(struct exec_loop_body *body, jit_value goes_on, uint64_t exit_pc);
/* The branch back. False: this is no loop for host code. */
bool exec_loop_close(struct exec_loop_body *body);

/* Whether a place is in the loop. */
static inline bool exec_loop_has(const struct exec_loop *loop, uint64_t pc)
{
    return pc >= loop->begin_pc && pc <= loop->end_pc;
}

#endif
