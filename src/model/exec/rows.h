/* Registers of a wave while a lane program (program.h) is written: rows of lanes in the wave, each the value that was
 * read or written last. Rows are named by their offset in the wave; the first ones are temporaries, which end with their
 * instruction and are never stored. A store that a later one replaces is dropped at the end. */
#ifndef MODEL_EXEC_ROWS_H
#define MODEL_EXEC_ROWS_H

#include "model/exec/program.h"

#define EXEC_ROWS_MAX 320

struct exec_rows {
    uint32_t first_B; /* the offset of the first temporary */
    uint32_t kept_B;  /* that of the first register: from here on rows are stored */
    uint32_t row_B;
    uint32_t count; /* rows in all, EXEC_ROWS_MAX at most */
    /* The value that is in a row now, JIT_NONE where it was not looked at; the row's last JIT_STORE. */
    jit_value values[EXEC_ROWS_MAX], stores[EXEC_ROWS_MAX];
};

void exec_rows_begin(struct exec_rows *rows, uint32_t first_B, uint32_t kept_B, uint32_t row_B, uint32_t count);

/* A place that is no row fails the program. */
jit_value exec_rows_read(struct exec_rows *rows, struct lane_program *program, uint32_t offset_B);
void exec_rows_write(struct exec_rows *rows, struct lane_program *program, uint32_t offset_B, jit_value value);

/* The row's value is not wanted after the program: it is not stored. */
void exec_rows_forget(struct exec_rows *rows, uint32_t offset_B);

/* Only the last store to each row stays. */
void exec_rows_end(const struct exec_rows *rows, struct lane_program *program);

#endif
