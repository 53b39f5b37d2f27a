/* Runs: straight micro-operations that become host code (docs/host-code.md), for the shader cores of all families.
 *
 * While a block is decoded, the family reports every instruction (exec_runs_take). Consecutive ones whose
 * micro-operations can all be lowered make a run, and before it stands a micro-operation of the family's that enters
 * it. That one counts (exec_run_is_due) and, when the run was reached often enough, has it compiled (exec_run_compile):
 * the family lowers instruction by instruction to a lane program (program.h), with rows.h's help, and model/jit.h makes
 * host code of that. From then on it calls the code and goes on after the run. The micro-operations stay: they run
 * until then, and for waves that the code is not for.
 *
 * A wave's shape decides which variant of the code is for it: whether all lanes are active, whether inputs are the same
 * in all lanes. Each is counted and compiled by itself.
 *
 * What a family brings:
 *   - struct exec_family, a constant table of functions;
 *   - its run, with struct exec_run as first member, and what its code needs to find before it is called;
 *   - its lowering, one struct for a cache, with struct exec_lowering as first member;
 *   - the micro-operation that enters a run:
 *
 *         static void enter(struct wave *wave, const struct uop *uop)
 *         {
 *             struct run *run = the one that family->head() was given;
 *             unsigned variant = wave->is_full ? EXEC_ALL_ACTIVE : 0;
 *             if (exec_run_is_due(&run->exec, variant))
 *                 exec_run_compile(&run->exec, &code->exec, &family, &code->lowering->exec, wave, &frame, variant);
 *             if (!run->exec.code[variant]) {
 *                 wave->next = run->exec.first;
 *                 return;
 *             }
 *             run->exec.code[variant](wave);
 *             wave->next = run->exec.after[variant];
 *         }
 *
 * Not for: what can be lowered and how, what is brought before code runs. */
#ifndef MODEL_EXEC_RUN_H
#define MODEL_EXEC_RUN_H

#include "model/exec/code.h"
#include "model/exec/program.h"

/* Bits of a variant. */
#define EXEC_ALL_ACTIVE 1u /* every lane is active: results are stored without a look at the mask */
#define EXEC_ONE_INPUT 2u  /* the family's: what it interpolates is the same in all lanes */
#define EXEC_VARIANTS 4u

struct exec_run {
    struct exec_run *older; /* while the block is decoded: its runs, and indices instead of pointers */
    uint32_t head_index, limit_index;
    const void *first, *limit;         /* micro-operations */
    const void *plain;                 /* the same without the code; if it is not NULL, what follows an instruction is a run */
    const void *after[EXEC_VARIANTS];  /* where a wave goes on after the code */
    const void *end[EXEC_VARIANTS];    /* the first micro-operation that is not in it */
    uint32_t misses;                   /* waves in a row with lanes that it was not for (exec_run_missed) */
    uint32_t countdown[EXEC_VARIANTS]; /* 0: tried */
    jit_code code[EXEC_VARIANTS];      /* NULL: none */
    bool is_compiled;                  /* in some variant */
};

/* A lane program while it is written, and the wave whose size and mode it is for. */
struct exec_lowering {
    const void *wave;
    unsigned variant;
    struct lane_program program;
};

struct exec_family {
    uint32_t uop_size_B; /* EXEC_UOP_MAX_B at most */
    uint32_t run_size_B;
    /* Of a run: fewer are not worth the cost of entry and exit, unless they are so many micro-operations. */
    uint32_t least_instructions, least_uops;
    uint32_t most_instructions;

    /* Whether a micro-operation may be lowered; one that turns out not to be splits the run. */
    bool (*knows)(const void *uop);
    /* Write the micro-operation that enters a run to zeros; `follows` comes after it. */
    void (*head)(void *uop, struct exec_run *run, const void *follows);
    /* first and limit are known: fill in the family's part of a run. May be NULL. */
    void (*found)(struct exec_run *run);

    /* An empty program for lowering->wave and lowering->variant. */
    void (*begin)(struct exec_lowering *lowering);
    /* Lower the instruction whose first micro-operation is `uop`: the first one after it. NULL: it does not go into
     * this program, and the program is as it was before. */
    const void *(*lower)(struct exec_lowering *lowering, const void *uop, const void *limit);
    /* The first micro-operation of the next instruction. NULL: one that cannot be lowered leaves the rest of its run to
     * micro-operations; else it is copied, before a run of what follows, and `enter` goes to run->plain if there is
     * one. */
    const void *(*skip)(const void *uop, const void *limit);
    /* The program is complete: drop what is not needed, keep what the run's code has to find. False: no code. */
    bool (*end)(struct exec_lowering *lowering, struct exec_run *run);
    /* The GPU address of a micro-operation's instruction, or one near to it, for reports. */
    uint64_t (*address)(const struct exec_lowering *lowering, const void *uop);
};

/* The micro-operations from `first` on are one instruction's: it joins the run at hand, begins one, or ends it. One
 * without micro-operations, as a wait is, changes nothing. */
void exec_runs_take(struct exec_builder *builder, uint32_t first);
/* The block is complete and its micro-operations stay where they are: exec_code_keep() calls it. */
void exec_runs_finish(struct exec_builder *builder);

/* Count. True: now it is worth compiling. */
static inline bool exec_run_is_due(struct exec_run *run, unsigned variant)
{
    return __builtin_expect(run->countdown[variant] != 0, 0) && --run->countdown[variant] == 0;
}

/* Some lanes missed. After many waves in a row there is no code for such any more: finding that out costs time. */
static inline void exec_run_missed(struct exec_run *run, struct exec_code *code, unsigned variant)
{
    code->counts.misses++;
    if (++run->misses == 64)
        run->code[variant] = NULL;
}

/* The report of TUFF_DEBUG=jit, with the code in a file. */
struct exec_report {
    jit_code code; /* NULL: there is none */
    uint32_t size_B;
    bool is_loop;
    uint64_t va;
    uint32_t lanes;
    unsigned variant;
    uint32_t count; /* micro-operations, or ways out of a loop */
    uint32_t operations;
};
void exec_report(const struct exec_report *report);

/* Make code of as many of the run's instructions as go into one program; what is left becomes a run of its own. */
void exec_run_compile(struct exec_run *run, struct exec_code *code, const struct exec_family *family,
                      struct exec_lowering *lowering, const void *wave, const struct jit_frame *frame,
                      unsigned variant);

#endif
