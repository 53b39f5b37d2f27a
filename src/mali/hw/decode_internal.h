/* Between the decoder's two files: the walk over instructions, and what a RUN_* points to. */
#ifndef MALI_HW_DECODE_INTERNAL_H
#define MALI_HW_DECODE_INTERNAL_H

#include "mali/hw/decode.h"
#include "mali/hw/table.h"

struct mali_decoder {
    struct hw_text t; /* first: the walk gets it back */
    struct mali_decode_queue *queue;
    uint64_t offset_B; /* of the instruction at hand, for reports */
    bool is_flat;      /* instructions are in the order in which they ran: nothing is called or jumped to */
};

/* Instructions in the order in which they ran. */
unsigned mali_decode_flat(struct strbuf *out, const struct hw_decode_options *options, struct mali_decode_queue *queue,
                          const uint32_t *words, size_t count_dw);

/* After the line of a RUN_*, or of another instruction: what it reads. */
void mali_decode_work(struct mali_decoder *d, uint64_t word);

static inline bool mali_decode_known(const struct mali_decoder *d, unsigned reg, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (reg + i >= MALI_DECODE_REGS || d->queue->is_unknown[reg + i])
            return false;
    }
    return true;
}

static inline uint64_t mali_decode_reg64(const struct mali_decoder *d, unsigned reg)
{
    return d->queue->regs[reg] | (uint64_t)d->queue->regs[reg + 1] << 32;
}

#endif
