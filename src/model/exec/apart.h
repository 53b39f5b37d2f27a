/* Stores of a lane program that is a whole program (paths.h), and what they must not meet. A few lanes run all of it
 * before the next ones begin, and its stores come after everything else; where instructions run one after the other
 * over all lanes, a lane's load comes before the stores that follow it, of all lanes. Both are the same if no two lanes
 * meet: a store's offset grows from lane to lane by what it writes at least, and of two accesses either both are in the
 * same place of each lane's own, or they lie apart in all lanes. What the program cannot know is compared when it runs:
 * lanes that might meet miss (JIT_MISS).
 *
 * Accesses are noted in the program's order. Not for: finding the memory, which is a family's. */
#ifndef MODEL_EXEC_APART_H
#define MODEL_EXEC_APART_H

#include "model/exec/program.h"

#define EXEC_ACCESSES_MAX 64
#define EXEC_WRITES_MAX 32

/* Where lanes access memory: `at` and offset_B bytes after the pointer in the frame at pointer_B. Of whole buffers,
 * limit_B is where the frame has how many bytes they are, less size_B and one more, or how many elements of
 * 2^limit_shift bytes; 0: none is known. */
struct exec_access {
    bool is_store;
    jit_value at;
    int32_t offset_B;
    uint32_t size_B;
    uint32_t pointer_B;
    uint32_t limit_B, limit_shift;
};

struct exec_apart {
    struct lane_program *program;
    uint32_t lanes;
    uint32_t count, write_count;
    jit_value missing; /* lanes, JIT_NONE: none */
    struct exec_access accesses[EXEC_ACCESSES_MAX];
    struct jit_inst writes[EXEC_WRITES_MAX];
};

void exec_apart_begin(struct exec_apart *apart, struct lane_program *program, uint32_t lanes);
void exec_apart_access(struct exec_apart *apart, const struct exec_access *access);
/* A dword of a store: JIT_WRITE. */
void exec_apart_write(struct exec_apart *apart, jit_value at, jit_value value, jit_value lanes, uint32_t imm);
/* These lanes are to miss. */
void exec_apart_miss(struct exec_apart *apart, jit_value lanes);
/* All is noted: compare, then write. Lanes that might meet, and those that are to miss, do so by `number`. False: it
 * cannot be told. */
bool exec_apart_end(struct exec_apart *apart, uint32_t number);

/* Which operations JIT_WRITE and JIT_MISS are made of, themselves among them; one for each of the program. */
void exec_apart_find_live(const struct lane_program *program, bool *is_live_out);

#endif
