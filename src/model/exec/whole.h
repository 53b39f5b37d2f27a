/* Compute programs as a whole (docs/host-code.md), what all families do in the same way: a program without loops and
 * barriers is one lane program (paths.h, apart.h), and a row of a workgroup's threads is its numbers and a call: no
 * wave is set up, and no register is stored.
 *
 *     exec_shape_find()        how threads lie in rows, once for a dispatch
 *     exec_whole_find()        the program, if it is worth its code; whoever finds countdown set makes it
 *     exec_whole_compile()     the lane program is written
 *     exec_whole_run()         some workgroups; lanes that the code is not for (JIT_MISS) are the family's
 *
 * A frame has the numbers of a row (enum exec_whole_value). Not for: which instructions can be lowered and how, what is
 * brought before code runs. */
#ifndef MODEL_EXEC_WHOLE_H
#define MODEL_EXEC_WHOLE_H

#include "model/exec/later.h"
#include "model/exec/range.h"

/* How threads of a workgroup lie in rows of lanes: bits of a lane's number that are x, y after them, z after these. */
struct exec_shape {
    uint8_t bits[3];
};

/* False: rows are not so. */
bool exec_shape_find(const uint32_t size[3], uint32_t lanes, struct exec_shape *shape_out);
/* A lane's addition to the number of its row's first one. */
jit_value exec_shape_lane(struct lane_program *program, struct exec_shape shape, unsigned axis);

/* Numbers of a row: of its workgroup, of its first lane in the workgroup and in all (three each), and how many lanes
 * are before it in the workgroup. */
enum exec_whole_value {
    EXEC_WHOLE_GROUP = 0,
    EXEC_WHOLE_LOCAL = 3,
    EXEC_WHOLE_GLOBAL = 6,
    EXEC_WHOLE_FIRST = 9,
    EXEC_WHOLE_VALUES = 10,
};

struct exec_whole_key {
    uint64_t va;
    uint64_t mode; /* whatever else the family's code depends on */
    struct exec_shape shape;
};

struct exec_whole {
    struct exec_whole *next;
    struct exec_whole_key key;
    uint32_t countdown;       /* rows until it is tried; 0: it was */
    uint32_t misses;          /* rows in a row with lanes that it was not for */
    uint32_t still;           /* how often, one after the other, nothing was moved */
    jit_code code;            /* NULL: none */
    bool has_other;           /* the family runs it as a whole though it has none */
    struct exec_later *later; /* stores that come after the code; NULL: none do */
    struct exec_range *range; /* it moves memory, whichever workgroups its lanes are of (GLOBAL); NULL: it does not */
};

/* The program, the first member of the family's struct of size_B bytes, if it is worth its code: `rows` are about to
 * run. NULL: as waves. countdown is set where it was not tried yet. */
struct exec_whole *exec_whole_find(struct exec_code *code, const struct exec_whole_key *key, uint32_t size_B,
                                   uint64_t rows);

/* No register is stored: where the program does it, it does nothing. */
void exec_whole_drop_stores(struct lane_program *program);
/* Make its code, or say that there is none (program NULL). values_B is where the frame has the numbers. */
void exec_whole_compile(struct exec_whole *whole, struct exec_code *code, const struct lane_program *program,
                        const struct jit_frame *frame, uint32_t values_B);

/* The threads of a dispatch. */
struct exec_grid {
    uint32_t size[3];         /* of a workgroup */
    uint32_t count[3];        /* workgroups */
    uint32_t offset[3];       /* that is added to a thread's number among all */
    uint32_t threads;         /* of a workgroup */
    uint32_t rows, lanes;     /* of these */
    const uint32_t *local[3]; /* of each thread, its number in the workgroup */
};

void exec_grid_group(const struct exec_grid *grid, uint64_t number, uint32_t group_out[3]);

struct exec_whole_work {
    struct exec_whole *whole;
    const struct exec_grid *grid;
    void *frame; /* with all that the family brings */
    uint32_t *values;
    uint64_t env; /* how the program rounds and flushes (isa/lane_env.h) */
    struct exec_counts *counts;
    void *user;
    /* A row's lanes from `first` on are run otherwise; the frame is as before afterwards, or whole->code NULL. False:
     * all has stopped. */
    bool (*rest)(const struct exec_whole_work *work, uint64_t group, uint32_t row, uint32_t first);
    /* By which JIT_MISS lanes have missed; NULL: nothing is done about it. */
    void (*missed)(const struct exec_whole_work *work, uint32_t number);
};

/* `count` workgroups from `first` on. False: it has stopped. */
bool exec_whole_run(const struct exec_whole_work *work, uint64_t first, uint64_t count);

#endif
