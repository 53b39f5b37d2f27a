/* The executor of the made-up instruction set of toy.py: what its generated kernels work on. */
#ifndef ISA_TESTS_TOY_H
#define ISA_TESTS_TOY_H

#include "isa/lane.h"

#define LANES_GROUP 32
#define LANES_INDEPENDENT
#define TOY_LANES 128

struct toy_mask {
    uint32_t words[TOY_LANES / 32];
};

struct toy_wave {
    struct lane_mode mode;
    size_t lanes;
    struct toy_mask active; /* the executor's: no instruction sees it */
    struct toy_mask flag;
    uint32_t base;
    uint32_t rows[8][TOY_LANES];
};

struct toy_op {
    unsigned d, s[3]; /* rows */
    uint32_t imm;
};

/* The bits of lane_bit, under the name that toy.py chose. */
#define toy_bit lane_bit

/* `value` where lanes are active. */
static inline struct toy_mask toy_blend(struct toy_mask old, struct toy_mask value, struct toy_mask active)
{
    for (unsigned i = 0; i < TOY_LANES / 32; i++)
        old.words[i] = (value.words[i] & active.words[i]) | (old.words[i] & ~active.words[i]);
    return old;
}

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
