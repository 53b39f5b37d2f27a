/* Parallel copies on registers as a sequence of moves: first what overwrites nothing that is still read, then the
 * cycles, by an exchange of two registers or over a spare one. Knows numbers of registers and no machine: the back end
 * emits.
 *
 * A register is the smallest unit that is copied by itself: a dword, or the half of one where halves have names. Larger
 * moves are made of several by joining. */
#ifndef COMPILER_MACHINE_COPIES_H
#define COMPILER_MACHINE_COPIES_H

#include <stdbool.h>
#include <stdint.h>

#define COPY_MAX 1024
#define COPY_REGISTERS 512
#define COPY_NO_REGISTER 0xffff

struct copy {
    uint16_t to, from; /* from COPY_NO_REGISTER: the constant */
    uint32_t value;
};

/* No register is written twice. */
struct copies {
    unsigned count;
    struct copy list[COPY_MAX];
};

/* Adds one, unless it changes nothing; false when there are too many. */
static inline bool copies_add(struct copies *copies, struct copy copy)
{
    if (copy.from == copy.to)
        return true;
    if (copies->count == COPY_MAX)
        return false;
    copies->list[copies->count++] = copy;
    return true;
}

struct copy_plan;

/* The back end's operations; `state` is its own. */
struct copy_ops {
    void (*move)(void *state, const struct copy *copy);
    /* Emits a copy that is ready together with another one that is ready too (copies_ready), and returns that one; NULL
     * and nothing emitted where there is none. Not asked for where it is NULL. */
    const struct copy *(*join)(void *state, const struct copy_plan *plan, const struct copy *copy);
    /* Exchanges two registers of a cycle; false and nothing emitted where that is not possible. May be NULL. */
    bool (*exchange)(void *state, uint16_t a, uint16_t b);
    /* A register that nothing needs here, for a cycle through `reg`; COPY_NO_REGISTER: there is none. */
    uint16_t (*spare)(void *state, uint16_t reg);
};

/* The copy that is left into a register, if nothing reads the register any more; NULL otherwise. */
const struct copy *copies_ready(const struct copy_plan *plan, uint16_t reg);

/* False when a cycle is left that nothing can open. The list is used up. */
bool copies_resolve(struct copies *copies, const struct copy_ops *ops, void *state);

#endif
