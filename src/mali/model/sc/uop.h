/* Micro-operations: what a program is translated into. Each instruction becomes the kernel of its opcode, generated
 * from the meaning of it (gen_alu.py), which sees plain rows of lanes; before it, what brings its sources into that
 * form (halves, bytes, signs); after it, what its result still needs (a clamp, the half that is written). A uniform is
 * a row already, and so is a constant, with its selection and its modifiers. */
#ifndef MALI_MODEL_SC_UOP_H
#define MALI_MODEL_SC_UOP_H

#include "mali/isa/isa.h"
#include "mali/model/sc/warp.h"

typedef void (*sc_run_fn)(struct mali_warp *warp, const struct sc_uop *uop);

/* Where an operand lies: a byte offset from a base, whose number is the two lower bits. Rows are at whole vectors. */
typedef uint32_t sc_place;
enum sc_base {
    SC_BASE_WARP,
    SC_BASE_CONSTANTS, /* of the code cache */
    SC_BASE_UNIFORMS,  /* of the core: uniforms and special values of the launch */
};
#define SC_BASE_MASK 3u
#define SC_ROW_B (MALI_ROW_LANES * 4u)

struct sc_uop {
    sc_run_fn run;
    sc_place d;
    sc_place s[4];
    uint32_t imm;
    uint32_t imm2;                    /* a number of the instruction's */
    uint32_t countdown;               /* of a branch backwards: how often until its loop is compiled; 0: never */
    uint64_t pc;                      /* the instruction's address */
    uint64_t target_pc;               /* control flow: where to go */
    const struct sc_uop *target;      /* the same, once it has been decoded; of a run's head: the run */
    const struct sc_uop *after;       /* of a branch: the instruction after it, once it has been decoded */
    const struct mali_isa_inst *inst; /* the instruction that this belongs to */
};

static inline void *sc_at(const struct mali_warp *warp, sc_place place)
{
    return (void *)(warp->base[place & SC_BASE_MASK] + (place & ~SC_BASE_MASK));
}

/* The lanes that an active lane's stores are seen of: helpers and discarded fragments write nothing. */
static inline uint64_t sc_writers(const struct mali_warp *warp)
{
    return warp->active & warp->covered;
}

/* Every lane of a mask, from the lowest on. */
#define sc_foreach_lane(mask, lane)                                                                                    \
    for (uint64_t lane##_left = (mask); lane##_left; lane##_left &= lane##_left - 1)                                   \
        for (unsigned lane = (unsigned)__builtin_ctzll(lane##_left), lane##_once = 1; lane##_once; lane##_once = 0)

void mali_sc_fault(struct mali_warp *warp, const struct sc_uop *uop, enum mali_warp_fault_kind kind, const char *format,
                   ...) __attribute__((format(printf, 4, 5)));
void mali_sc_memory_fault(struct mali_warp *warp, const struct sc_uop *uop, uint64_t va, bool is_write);
/* A hook, or a block that was asked, has stopped the job. */
void mali_sc_stopped(struct mali_warp *warp, const struct sc_uop *uop);

#endif
