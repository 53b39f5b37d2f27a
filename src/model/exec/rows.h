/* Registers of a wave while a lane program (program.h) is written: rows of lanes in the wave, each the value that was
 * read or written last. Rows are named by their offset in the wave; the first ones are temporaries, which end with
 * their instruction and are never stored. A store that a later one replaces is dropped at the end.
 *
 * For a loop the body is written twice: first to find out which rows it looks at and which it changes, then, with what
 * is between exec_rows_before_loop and exec_rows_next_round, as it stays. */
#ifndef MODEL_EXEC_ROWS_H
#define MODEL_EXEC_ROWS_H

#include "model/exec/program.h"

#define EXEC_ROWS_MAX 320
#define EXEC_UNIFORMS_MAX 16

/* The fate of a row that a loop changes. */
enum exec_fate {
    EXEC_ROW_STORED,
    EXEC_ROW_HANDED_ON, /* from round to round, but nothing looks at it after the loop */
    EXEC_ROW_LOCAL,     /* each round makes it anew */
};

struct exec_rows {
    uint32_t first_B; /* the offset of the first temporary */
    uint32_t kept_B;  /* that of the first register: from here on rows are stored */
    uint32_t row_B;
    uint32_t count; /* rows in all, EXEC_ROWS_MAX at most */
    bool in_loop;   /* nothing is stored: `stores` are the phis of rows that are written */
    /* The value that is in a row now, JIT_NONE where it was not looked at; the row's last JIT_STORE. */
    jit_value values[EXEC_ROWS_MAX], stores[EXEC_ROWS_MAX];
    uint8_t fates[EXEC_ROWS_MAX]; /* enum exec_fate */
};

/* Rows with one value each, and rows that grow by one from lane to lane and are not changed. The code reads what the
 * first lane has from the wave's scalars at scalars_B: the row itself changes as the first lanes leave the loop. */
struct exec_uniforms {
    uint32_t scalars_B;
    uint32_t count;
    uint32_t rows_B[EXEC_UNIFORMS_MAX];
    uint8_t steps[EXEC_UNIFORMS_MAX]; /* 0 or 1 */
};

void exec_rows_begin(struct exec_rows *rows, uint32_t first_B, uint32_t kept_B, uint32_t row_B, uint32_t count);

/* A place that is no row fails the program. */
jit_value exec_rows_read(struct exec_rows *rows, struct lane_program *program, uint32_t offset_B);
void exec_rows_write(struct exec_rows *rows, struct lane_program *program, uint32_t offset_B, jit_value value);

/* Whether the program writes a row. */
bool exec_rows_changes(const struct exec_rows *rows, uint32_t offset_B);

/* The row's value is not wanted after the program: it is not stored. */
void exec_rows_forget(struct exec_rows *rows, uint32_t offset_B);

/* After the first time, whose program is `program`: nothing looks at this row after the loop. */
void exec_rows_end_with_loop(struct exec_rows *found, const struct lane_program *program, uint32_t offset_B);
/* Around JIT_LOOP: what the body looks at is read before it, what it changes gets a phi. `found` is what was so at the
 * end of the first time. Rows that have one value in all lanes of a wave (NULL: none is looked at), or grow by one from
 * each to the next, are read as scalars. */
void exec_rows_before_loop(struct exec_rows *rows, struct lane_program *program, const struct exec_rows *found,
                           struct exec_uniforms *uniforms, const void *wave);
void exec_rows_phis(struct exec_rows *rows, struct lane_program *program, const struct exec_rows *found);
/* On a way out: store what is changed in the loop. Before JIT_AGAIN: hand it on. */
void exec_rows_results(const struct exec_rows *rows, struct lane_program *program);
void exec_rows_next_round(const struct exec_rows *rows, struct lane_program *program);

/* Before the code runs: the scalars. False: a row is not as it was. */
bool exec_rows_bring(const struct exec_uniforms *uniforms, void *wave, uint32_t row_B);

/* Only the last store to each row stays. */
void exec_rows_end(const struct exec_rows *rows, struct lane_program *program);

#endif
