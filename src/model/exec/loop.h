/* Loops as host code, for families whose lanes have a program counter each. A loop that all lanes leave together, as
 * most do, becomes one program with a loop (model/jit.h): a few lanes run it to its end, then the next ones.
 *
 * That they leave together is known if what decides about it is made of registers that have one value in all lanes.
 * Which ones have is found when the loop is compiled, in the wave at hand, with all lanes active: they are read as
 * scalars, and whether they still have one value each is looked at before the code is entered. Other waves stay with
 * the micro-operations.
 *
 * The body is followed twice, from its first instruction to the branch back to it: first with rows alone
 * (exec_rows.in_loop), to find out what is read and changed, then between exec_loop_open and exec_loop_close. From then
 * on the first micro-operation of the loop enters the code; what it was is kept beside it.
 *
 * What a family brings is struct exec_loop_family, its loop with struct exec_loop as first member, and the
 * micro-operation that enters:
 *
 *     static void enter(struct wave *wave, const struct uop *uop)
 *     {
 *         struct loop *loop = the one that family->head() was given;
 *         const struct uop *next = NULL;
 *         if (wave->is_full)
 *             next = exec_loop_enter(&family, &loop->exec, wave, exec_rows_bring(&loop->exec.uniforms, wave, row_B));
 *         if (next)
 *             wave->next = next;
 *         else if (wave is not faulted)
 *             ((const struct uop *)exec_loop_original(&loop->exec))->run(wave, ...);
 *     }
 *
 * Not for: stores and whatever else one lane could see of another; families with scalar registers and one program
 * counter for a wave, which follow their loops themselves. */
#ifndef MODEL_EXEC_LOOP_H
#define MODEL_EXEC_LOOP_H

#include "model/exec/rows.h"
#include "model/exec/run.h"

/* A loop that is not for so many waves, one after the other, is given up: looking at each costs time. */
#define EXEC_LOOP_MISSES 64

struct exec_loop {
    uint64_t begin_pc, end_pc;          /* the first instruction and the branch that goes back to it */
    void *head;                         /* the first micro-operation */
    const void *back;                   /* that branch, for reports */
    uint64_t saved[EXEC_UOP_MAX_B / 8]; /* what the first micro-operation was */
    const void *ways[JIT_MAX_LEAVES];   /* the micro-operations at `exits`, once they are needed */
    jit_code code;
    struct exec_counts *counts;
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

/* A value that has to be the same in all lanes. */
void exec_loop_must_be_same(struct exec_loop_body *body, jit_value value);
/* A branch: lanes of `goes_on` (a boolean) stay, the others go to `exit_pc`. */
void exec_loop_leave(struct exec_loop_body *body, jit_value goes_on, uint64_t exit_pc);
/* The branch back. False: this is no loop for host code. */
bool exec_loop_close(struct exec_loop_body *body);

/* Compile, and report it. `program` NULL: it could not be written. For all families. */
struct exec_loop_code {
    struct exec_code *code;
    const struct lane_program *program;
    const struct jit_frame *frame;
    unsigned variant;
    uint64_t va;
    uint32_t exit_count;
};
jit_code exec_loop_make(const struct exec_loop_code *loop);

struct exec_loop_family {
    uint32_t uop_size_B, loop_size_B;
    uint32_t scalars_B; /* of exec_uniforms */
    /* An empty program. */
    void (*begin)(struct exec_lowering *lowering, const void *wave);
    /* Through one round; ends with exec_loop_close. False: this is no loop for host code. */
    bool (*follow)(struct exec_lowering *lowering, struct exec_loop_body *body, void *wave);
    /* The body was followed once: rows that nothing looks at after the loop (exec_rows_end_with_loop). */
    void (*drop_dead)(struct exec_lowering *lowering, struct exec_loop *loop, struct exec_rows *found);
    /* The program is complete: keep what the code has to find. */
    void (*keep)(struct exec_lowering *lowering, struct exec_loop *loop);
    /* Write the micro-operation that enters to zeros. */
    void (*head)(void *uop, struct exec_loop *loop);
    /* Bring what the code looks at. False: it is not for this wave. */
    bool (*bring)(struct exec_loop *loop, void *wave);
    /* The code at a place; NULL: the wave is faulted. */
    const void *(*at)(void *wave, uint64_t pc);
    /* The byte at the frame's `stop` was set. */
    void (*stopped)(struct exec_loop *loop, void *wave);
    /* Some lanes have not run (JIT_MISSED; `way`): micro-operations do the loop for them. NULL: programs have no
     * misses. */
    void (*missed)(struct exec_loop *loop, void *wave, uint32_t way);
};

/* Compile the loop that the branch `back` at end_pc ends; `head` is the first micro-operation at begin_pc. It enters
 * the code from now on, if there is some. `va` is for reports. */
struct exec_loop_place {
    uint64_t begin_pc, end_pc, va;
    void *head;
    const void *back;
};
void exec_loop_found(const struct exec_loop_family *family, struct exec_code *code, struct exec_lowering *lowering,
                     struct exec_rows *rows, void *wave, const struct jit_frame *frame,
                     const struct exec_loop_place *place);

/* Run the code, if it is for this wave: the micro-operation to go on with. NULL: what the head was before does it, or
 * the wave is faulted. */
const void *exec_loop_enter(const struct exec_loop_family *family, struct exec_loop *loop, void *wave, bool is_for);

/* The loop's first micro-operation. */
static inline const void *exec_loop_original(const struct exec_loop *loop)
{
    return loop->saved;
}

/* Whether a place is in the loop. */
static inline bool exec_loop_has(const struct exec_loop *loop, uint64_t pc)
{
    return pc >= loop->begin_pc && pc <= loop->end_pc;
}

#endif
