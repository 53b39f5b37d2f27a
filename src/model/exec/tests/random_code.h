/* Random programs by micro-operations and by host code: what is the same for all instruction sets. A program is made of
 * straight code, branches that divide the lanes, loops of all lanes and of lanes that leave one by one, loads and
 * stores; the structure is chosen here, an instruction set writes it. Every program runs twice on the same registers
 * and memory, once without host code; what is left in registers and memory must be the same.
 *
 *     random_X [--count N] [--seed S] [--print]      programs S to S + N - 1
 *
 * A difference is reported with the program and the command that makes it again. Fails, too, if too few programs were
 * compiled, or too few loops entered: then the test would say nothing. */
#ifndef MODEL_EXEC_TESTS_RANDOM_CODE_H
#define MODEL_EXEC_TESTS_RANDOM_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/exec/code.h"

struct random_isa {
    const char *name;
    bool (*setup)(void);
    void (*teardown)(void);

    /* Around a program; `begin` also chooses what it runs on. */
    void (*begin)(uint64_t number);
    void (*end)(void);
    /* Some instructions; a store, an atomic operation or a load of what may have been stored. */
    void (*straight)(unsigned count);
    void (*memory)(void);
    /* If some lanes; otherwise; both. `depth` is a number of open ones, `id` of this one. */
    void (*open_if)(unsigned depth, unsigned id);
    void (*other)(unsigned depth, unsigned id);
    void (*close_if)(unsigned depth, unsigned id, bool has_other);
    /* A loop of a few rounds, the same for all lanes or of each lane's own; a way out of it for all that run. */
    void (*open_loop)(unsigned depth, unsigned id, bool is_own);
    void (*leave)(unsigned depth, unsigned id);
    void (*close_loop)(unsigned depth, unsigned id, bool is_own);

    /* Run it both ways. False: `random_differs` was called. */
    bool (*run)(void);
    /* Counts of the way with host code. */
    const struct exec_counts *(*counts)(void);
    bool has_misses;   /* loads by address */
    bool has_shuffles; /* loops that are shuffles */
    bool has_joins;    /* programs run as joined ones do, too, if they can */
    bool has_wholes;   /* programs without loops become host code as a whole: a third of them have none */
    bool has_no_loops; /* only those are made */
};

extern const struct random_isa random_isa; /* the program's */

/* ---- for the instruction set ---- */

uint32_t random_32(void);
static inline uint32_t random_below(uint32_t limit)
{
    return random_32() % limit;
}
/* Zeros, ones, limits of integers and floats, or anything. */
uint32_t random_interesting(void);

/* The program's text. */
__attribute__((format(printf, 1, 2))) void random_say(const char *format, ...);
const char *random_text(void);

/* Always false. */
__attribute__((format(printf, 1, 2))) bool random_differs(const char *format, ...);

#endif
