/* The three queues of the hardware that a queue of Vulkan is made of, what their registers are for, and the memory that
 * they share.
 *
 * Each subqueue has its own stream of a command buffer, and runs ahead of the others until a wait. A point
 * of synchronisation is a signal of one subqueue, which adds one to its progress in memory, and a wait of another for
 * that. Command buffers are recorded once and run many times, so points are counted from the beginning of a recording:
 * three pairs of registers hold what the three subqueues had reached when it began, and every recording adds what it
 * has signalled to them at its end, in each subqueue. */
#ifndef MALI_DRIVER_SUBQUEUE_H
#define MALI_DRIVER_SUBQUEUE_H

#include "mali/driver/stream.h"

enum mali_subqueue {
    MALI_VERTEX, /* vertices and the tiler */
    MALI_FRAGMENT,
    MALI_COMPUTE, /* also all transfers that are dispatches or loads and stores of the stream */
    MALI_SUBQUEUES
};
#define MALI_ALL_SUBQUEUES ((1u << MALI_SUBQUEUES) - 1)

/* Registers. Those below are of draws, dispatches and frames (mali/hw/regs_*.table); a recording must not rely on what
 * another one left in them. */
enum mali_stream_register {
    MALI_REG_WORK_COUNT = 62,
    MALI_REG_CONTEXT = 62,  /* a pair: struct mali_context */
    MALI_REG_PROGRESS = 64, /* a pair for each subqueue */
    MALI_REG_SCRATCH = 70,  /* for the instructions of one command; nothing is kept in them */
    MALI_REG_SCRATCH_COUNT = MALI_STREAM_LINK_LENGTH - MALI_REG_SCRATCH,
    MALI_REG_MARK = MALI_REG_SCRATCH + 17, /* one of them, which TUFF_DEBUG=hang overwrites where work begins */
};
#define MALI_REGS_WORK MALI_REGS(0, MALI_REG_WORK_COUNT)
#define MALI_REGS_SCRATCH MALI_REGS(MALI_REG_SCRATCH, MALI_REG_SCRATCH_COUNT)

static inline struct mali_d mali_context_reg(void)
{
    return mali_d(MALI_REG_CONTEXT);
}

static inline struct mali_d mali_progress_reg(enum mali_subqueue subqueue)
{
    return mali_d(MALI_REG_PROGRESS + 2 * (unsigned)subqueue);
}

static inline struct mali_r mali_scratch(unsigned index)
{
    return mali_r(MALI_REG_SCRATCH + index);
}

static inline struct mali_d mali_scratch_pair(unsigned index) /* even */
{
    return mali_d(MALI_REG_SCRATCH + index);
}

/* Slots of the scoreboard. Work goes round the last ones, so that a signal can wait for one part of it. */
enum mali_slot {
    MALI_SLOT_MEMORY, /* loads and stores */
    MALI_SLOT_FLUSH,
    MALI_SLOT_SIGNAL, /* signals and other instructions that wait by themselves */
    MALI_SLOT_WORK,   /* the first of them */
    MALI_SLOTS = 8
};
#define MALI_WORK_SLOTS (0xffu & ~((1u << MALI_SLOT_WORK) - 1))
#define MALI_ALL_SLOTS 0xffu

/* The context that a queue's command buffers find by MALI_REG_CONTEXT. */
struct mali_context {
    struct mali_progress {
        uint64_t value, status;
        uint64_t pad[6]; /* a cache line each */
    } progress[MALI_SUBQUEUES];
    /* Of the tiler: the heap's descriptor, and memory for positions, as TILER_CONTEXT has them. */
    uint64_t heap_va, geometry;
    /* Of its exhaustion (partial.c): the stream that handles it, and the pass that waits for bins. */
    uint64_t handler_va;
    uint32_t handler_B, pad;
    uint64_t plan_va;
    uint32_t marks[MALI_SUBQUEUES]; /* TUFF_DEBUG=hang: how far the streams are */
};

#endif
