/* The executor of the made-up instruction set of toy.py: what its generated kernels work on. */
#ifndef ISA_TESTS_TOY_H
#define ISA_TESTS_TOY_H

#include "isa/lane.h"

#define LANES_GROUP 32
#define LANES_INDEPENDENT
#define TOY_LANES 64

struct toy_wave {
    struct lane_mode mode;
    size_t lanes;
    uint64_t active; /* the executor's: no instruction sees it */
    uint64_t flag;
    uint32_t base;
    uint32_t rows[8][TOY_LANES];
};

struct toy_op {
    unsigned d, s[3]; /* rows */
    uint32_t imm;
};

/* The bits of lane_bit, under the name that toy.py chose. */
#define toy_bit lane_bit

static inline uint32_t toy_lane_twice_u32(uint32_t x)
{
    return 2 * x;
}

void toy_add_u(struct toy_wave *wave, const struct toy_op *op);
void toy_mad_f(struct toy_wave *wave, const struct toy_op *op);
void toy_min_h(struct toy_wave *wave, const struct toy_op *op);
void toy_twice(struct toy_wave *wave, const struct toy_op *op);
void toy_less(struct toy_wave *wave, const struct toy_op *op);
void toy_sel(struct toy_wave *wave, const struct toy_op *op);
void toy_wide(struct toy_wave *wave, const struct toy_op *op);
void toy_addi(struct toy_wave *wave, const struct toy_op *op);

#endif
