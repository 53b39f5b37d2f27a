/* Ways through a program without loops, while all of it is written as one lane program (program.h): branches are not
 * taken. Lanes that go to a later place wait there with what their registers are, and where they meet others each row
 * is chosen by lane. What a lane does not come to is computed for it, too, and nothing looks at it: whatever acts on
 * memory asks which lanes run.
 *
 *     exec_paths_begin()                      all lanes, at the first instruction
 *     exec_paths_arrive(pc)                   before each instruction: those that wait there join, or at such before it
 *                                             that do nothing and were left out
 *     exec_paths_part(pc, taken)              a branch forward by lanes
 *     exec_paths_jump(pc), exec_paths_end()   of all that run; then exec_paths_next() says where it goes on
 *
 * Not for: branches backwards, what lanes give to each other. */
#ifndef MODEL_EXEC_PATHS_H
#define MODEL_EXEC_PATHS_H

#include "model/exec/rows.h"

#define EXEC_PATHS_MAX 32

struct exec_path {
    uint64_t pc;
    jit_value lanes; /* JIT_NONE: all */
    jit_value values[EXEC_ROWS_MAX];
};

struct exec_paths {
    struct lane_program *program;
    struct exec_rows *rows;
    jit_value lanes; /* that run; JIT_NONE: all */
    bool none_runs;
    uint32_t count; /* that wait */
    struct exec_path waiting[EXEC_PATHS_MAX];
};

void exec_paths_begin(struct exec_paths *paths, struct lane_program *program, struct exec_rows *rows);
void exec_paths_arrive(struct exec_paths *paths, uint64_t pc);
void exec_paths_part(struct exec_paths *paths, uint64_t pc, jit_value taken);
void exec_paths_jump(struct exec_paths *paths, uint64_t pc);
void exec_paths_end(struct exec_paths *paths);
/* Lanes may come to this place later, as those that leave a loop in one of its rounds; so far none does. */
void exec_paths_expect(struct exec_paths *paths, uint64_t pc);
/* None runs: the nearest place where lanes wait goes on. False: all have ended. */
bool exec_paths_next(struct exec_paths *paths, uint64_t *pc_out);
/* Where that is, and nothing else. */
bool exec_paths_peek(const struct exec_paths *paths, uint64_t *pc_out);

/* Before something acts on the wave's own rows, of some lanes or of all: the rows are what each lane has, whether it
 * runs or waits. Nothing of the paths changes, but that none has values of its own any more. */
void exec_paths_settle(struct exec_paths *paths);

/* Between two pieces of code: who runs and who waits goes to rows of the frame from masks_B on, EXEC_PATHS_MASKS of
 * them, and comes from there in the next piece, where registers are what the wave's rows have. After
 * exec_paths_settle. */
#define EXEC_PATHS_MASKS (1 + EXEC_PATHS_MAX)
void exec_paths_store_masks(const struct exec_paths *paths, uint32_t masks_B);
void exec_paths_load_masks(struct exec_paths *paths, uint32_t masks_B);

/* The lanes that run, as booleans. */
jit_value exec_paths_lanes(struct exec_paths *paths);

#endif
