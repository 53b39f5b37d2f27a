/* Writing a command stream: instructions into memory that a queue reads, one piece linked to the next by a JUMP when it
 * is full. stream_put.h has an instruction of the hardware as a function, stream_flow.h branches, loops and matches.
 *
 *     mali_put_load64(s, table, context, TABLE_B);
 *     mali_set32(s, mali_r(MALI_SR(COMPUTE_JOB_SIZE_X)), x);
 *     mali_put_run_compute(s, …);
 *
 * A stream remembers what it knows of the queue's registers, so that its user need not:
 *
 *   - which of them a load will write: what reads or writes one of these waits for the loads first;
 *   - which of them have a value that it wrote itself: mali_set32() and mali_set64() write only what is different;
 *   - which of them may be written here: mali_stream_allow() narrows that for a part of a recording.
 *
 * An error is kept, and the first one counts: after it nothing is written any more, and vkEndCommandBuffer returns what
 * went wrong. */
#ifndef MALI_DRIVER_STREAM_H
#define MALI_DRIVER_STREAM_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "mali/hw/instructions.h"
#include "util/array.h"
#include "vulkan/runtime/memory/vk_chunk.h"
#include "vulkan/runtime/object/vk_api.h"

/* ---- registers ---- */

/* A register of 32 bits, and a pair of them. */
struct mali_r {
    uint8_t number;
};
struct mali_d {
    uint8_t number; /* of the low half; even */
};

/* A queue has 96, of which the kernel keeps none from the last four: it writes them around each job. Links use
 * three. */
#define MALI_STREAM_REGS 92
#define MALI_STREAM_LINK_LENGTH 89
#define MALI_STREAM_LINK_ADDRESS 90

/* A set of registers: bit n is register n. */
__extension__ typedef unsigned __int128 mali_reg_set;

#define MALI_REGS(first, count) ((((mali_reg_set)1 << (count)) - 1) << (first))
#define MALI_REGS_ALL MALI_REGS(0, MALI_STREAM_LINK_LENGTH)

static inline struct mali_r mali_r(unsigned number)
{
    assert(number < MALI_STREAM_REGS);
    return (struct mali_r){(uint8_t)number};
}

static inline struct mali_d mali_d(unsigned number)
{
    assert(number < MALI_STREAM_REGS && number % 2 == 0);
    return (struct mali_d){(uint8_t)number};
}

static inline struct mali_r mali_low(struct mali_d pair)
{
    return (struct mali_r){pair.number};
}

static inline struct mali_r mali_high(struct mali_d pair)
{
    return (struct mali_r){(uint8_t)(pair.number + 1)};
}

static inline mali_reg_set mali_regs_r(struct mali_r reg)
{
    return MALI_REGS(reg.number, 1);
}

static inline mali_reg_set mali_regs_d(struct mali_d pair)
{
    return MALI_REGS(pair.number, 2);
}

/* ---- a stream ---- */

/* A stream's part in one chunk. */
struct mali_piece {
    struct vk_chunk *chunk;
    uint64_t *words;
    uint64_t va;
    uint32_t size_B;
};

/* Registers whose values are known at this point. */
struct mali_known {
    mali_reg_set set;
    uint32_t values[MALI_STREAM_REGS];
};

/* A branch forward whose target is not written yet. */
struct mali_exit {
    uint32_t branch; /* in the held instructions */
    uint16_t depth;  /* of the block whose label it goes to */
    uint16_t label;
};

struct mali_stream {
    struct vk_chunk_pool *pool;
    struct vk_rest *rest;     /* NULL: whole chunks only */
    uint64_t *next, *end;     /* where the next instruction goes; after `end` of a chunk there is room for the link */
    uint64_t *start;          /* of the current piece; NULL: there is none yet */
    struct mali_piece shared; /* the first piece where it is a rest of a chunk that others began; .chunk NULL: none */
    struct list chunks;       /* struct vk_chunk, begun by this stream: the further pieces in their order */
    uint64_t *link;           /* the MOVE32 with the length of the current piece; NULL: it is the first */

    /* Branches stay in one piece, so the instructions of a block are held until the outermost one is closed. */
    ARRAY(uint64_t) held;
    ARRAY(struct mali_exit) exits;
    uint32_t depth; /* of open blocks */
    uint64_t *outer_next, *outer_end;

    mali_reg_set loading;  /* pending loads write these */
    mali_reg_set writable; /* what may be written here */
    struct mali_known known;
    bool is_storing;     /* stores are pending */
    uint8_t memory_slot; /* of the scoreboard, which loads and stores hold */

    VkResult error;
    const char *why; /* of an error that is the driver's own */
};

/* `rest` may be NULL. `memory_slot` is what SET_SB_ENTRY chose for loads and stores. */
void mali_stream_init(struct mali_stream *s, struct vk_chunk_pool *pool, struct vk_rest *rest, unsigned memory_slot);
void mali_stream_finish(struct mali_stream *s);
/* Back to empty; the chunks go back to the device. */
void mali_stream_reset(struct mali_stream *s);
/* Wait for what is pending and close the last piece; what is left of its chunk is the next stream's. Nothing may be
 * written after this until a reset. */
void mali_stream_end(struct mali_stream *s);
/* Room for `count` instructions at least, side by side; false after an error. */
bool mali_stream_grow(struct mali_stream *s, uint32_t count);
/* The first error. `why` has no end of life of its own. */
void mali_stream_fail(struct mali_stream *s, VkResult error, const char *why);

/* The pieces of an ended stream, the first of which is what CALL takes; .chunk NULL: there is none.
 *     for (struct mali_piece piece = mali_stream_first(s); piece.chunk; piece = mali_stream_next(s, &piece)) */
struct mali_piece mali_stream_first(const struct mali_stream *s);
struct mali_piece mali_stream_next(const struct mali_stream *s, const struct mali_piece *piece);

static inline bool mali_stream_is_empty(const struct mali_stream *s)
{
    return !s->start;
}

/* Of the open blocks: how many instructions there are. */
static inline uint32_t mali_stream_held(const struct mali_stream *s)
{
    return s->next ? (uint32_t)(s->next - s->held.data) : 0;
}

/* One instruction as it is. */
static inline void mali_stream_word(struct mali_stream *s, uint64_t word)
{
    if (__builtin_expect(s->next == s->end, 0) && !mali_stream_grow(s, 1))
        return;
    *s->next++ = word;
}

/* ---- what it knows ---- */

/* Wait for the loads and stores so far. */
void mali_stream_settle(struct mali_stream *s);

/* Nothing is known of the registers: after a CALL, or where paths meet. */
static inline void mali_stream_forget(struct mali_stream *s)
{
    s->known.set = 0;
}

/* From now on only these may be written; what was allowed before. Asserted builds keep a write of another as an
 * error. */
static inline mali_reg_set mali_stream_allow(struct mali_stream *s, mali_reg_set writable)
{
    const mali_reg_set before = s->writable;
    s->writable = writable & before;
    return before;
}

/* Back to what mali_stream_allow() returned. */
static inline void mali_stream_allow_again(struct mali_stream *s, mali_reg_set before)
{
    s->writable = before;
}

/* The next instruction reads these. */
static inline void mali_stream_reads(struct mali_stream *s, mali_reg_set set)
{
    if (__builtin_expect((s->loading & set) != 0, 0))
        mali_stream_settle(s);
}

/* The next instruction writes these, with what is not known. */
static inline void mali_stream_writes(struct mali_stream *s, mali_reg_set set)
{
#ifndef NDEBUG
    if (set & ~s->writable)
        mali_stream_fail(s, VK_ERROR_UNKNOWN, "a register is written that is not allowed here");
#endif
    mali_stream_reads(s, set);
    s->known.set &= ~set;
}

#endif
