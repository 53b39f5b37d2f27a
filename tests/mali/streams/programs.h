/* Programs of registers, memory and control flow: made at random, written as a command stream, and run by a simple
 * interpreter that says what must come out. */
#ifndef TESTS_MALI_STREAMS_PROGRAMS_H
#define TESTS_MALI_STREAMS_PROGRAMS_H

#include "mali/driver/stream.h"

#define PROGRAM_REGS 10   /* r0 to r9 are the program's: few, so that they meet */
#define PROGRAM_CELLS 64u /* dwords of memory */

struct program_state {
    uint32_t regs[PROGRAM_REGS], cells[PROGRAM_CELLS];
};

struct program;

struct program *program_make(uint32_t seed);
void program_free(struct program *program);
void program_run(const struct program *program, struct program_state *state);
/* `cells` is a pair that has the address of memory. */
void program_write(const struct program *program, struct mali_stream *s, struct mali_d cells);

#endif
