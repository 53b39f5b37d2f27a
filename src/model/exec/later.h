/* Stores of a whole program (whole.h) that nothing is known of: where each lane stores is a row, and so is what it
 * stores, and memory is written when all lanes have run. That is the order of instructions over all lanes, whatever
 * meets, if no load follows a store.
 *
 * Not for: stores whose lanes leave each other alone, which the program writes itself (apart.h). */
#ifndef MODEL_EXEC_LATER_H
#define MODEL_EXEC_LATER_H

#include "model/exec/apart.h"

#define EXEC_LATER_DW 4

/* Dwords side by side of one instruction. */
struct exec_later_store {
    uint32_t pointer_B; /* in the frame: of a struct exec_view */
    uint32_t offset_B;  /* that all lanes add */
    uint32_t count;
    uint32_t at_B, lanes_B; /* rows: offsets, and lanes that store, as all ones */
    uint32_t values_B[EXEC_LATER_DW];
};

struct exec_later {
    uint32_t lanes, count;
    struct exec_later_store stores[EXEC_WRITES_MAX];
};

/* Rows of a frame that the program may fill: those that it does not read are. */
struct exec_later_rows {
    uint32_t first_B, row_B, count;
};

/* In place of exec_apart_end(): what is noted goes to rows. A store has its dwords' writes noted one after the other.
 * False: a load follows a store, one has more than EXEC_LATER_DW dwords, or there are too few rows. */
bool exec_later_end(struct exec_later *later, struct exec_apart *apart, const struct exec_later_rows *rows,
                    uint32_t number);

/* After the code of all lanes. */
void exec_later_store(const struct exec_later *later, const void *frame);

#endif
