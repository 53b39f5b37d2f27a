/* The host's part of jit.c: registers and bytes of instructions. jit_a64.c, jit_x64.c or jit_none.c implements it. */
#ifndef MODEL_JIT_HOST_H
#define MODEL_JIT_HOST_H

#include "model/jit.h"

#define JIT_MAX_REGISTERS 32

#define JIT_POOL_VECTORS 256
#define JIT_HOST_SLOTS 3

/* Booleans that are in mask registers, where a host has such. */
#define JIT_HOST_MASKS 8
struct jit_host_masks {
    uint8_t owner[JIT_HOST_MASKS]; /* the vector register whose boolean it is, plus one; 0: none */
    uint32_t lazy;                 /* vector registers, as bits, whose lanes were not written yet */
    uint8_t has_exec;              /* strands, as bits, whose active lanes are in their mask register */
    uint8_t turn;                  /* which gives way next */
};

/* An operand that has no register and is read where it lies: its number is JIT_IN_MEMORY, and `memory` of the buffer is
 * this. At most one of an operation is. */
#define JIT_IN_MEMORY JIT_MAX_REGISTERS
enum jit_memory_kind {
    JIT_MEMORY_CONST, /* the value is `at` */
    JIT_MEMORY_ROW,   /* `at` is its offset in the frame, as of the scalar */
    JIT_MEMORY_SCALAR,
    JIT_MEMORY_SLOT, /* `at` is its number */
};
struct jit_memory {
    enum jit_memory_kind kind;
    uint32_t at;
};

/* Code as it is written. `full` stays set when it does not fit. */
struct jit_buffer {
    uint8_t *at, *end;
    bool full;
    uint8_t *loop;                   /* where the next lanes begin */
    uint8_t *round;                  /* where the next round of a loop does */
    uint8_t *leaves[JIT_MAX_LEAVES]; /* jumps out of a loop, to the next lanes */
    uint32_t leave_count;
    uint8_t *misses[JIT_MAX_MISSES]; /* jumps out of everything, of JIT_MISS */
    uint32_t miss_count;
    uint8_t *stop;        /* the jump out of everything */
    uint8_t *frame_patch; /* where the size of the stack is written when it is known */
    uint8_t *pool_patch;  /* the same for the place of the pool */
    uint32_t pool_count;
    uint32_t pool[JIT_POOL_VECTORS][JIT_VECTOR_LANES]; /* constants; jit.c puts them after the code */
    struct jit_host_masks masks;                       /* the host's own */
    struct jit_memory memory;
};

struct jit_mask {
    bool is_result;
    uint32_t offset;
};

/* A program with what is known before its code is written. */
struct jit_shape {
    const struct jit_frame *frame;
    uint32_t strands; /* vectors that one turn of the loop computes side by side, so that neither waits for itself */
    bool is_full;
    bool has_calls;
    bool has_loop;
    uint32_t slot_count; /* vectors on the stack; the first JIT_HOST_SLOTS are the emitter's own */
    uint32_t mask_count;
    struct jit_mask masks[JIT_MAX_MASKS];
};

/* Registers that values may be in, as bits; the rest is the emitter's. */
extern const uint32_t jit_host_registers;
/* How many vectors of lanes a loop may compute side by side, and how many other programs may. */
extern const uint32_t jit_host_strands, jit_host_straight_strands;
/* How many values more than there are registers two vectors of such a program may have: a value that waits on the stack
 * costs less than an instruction that waits for the one before it. */
extern const uint32_t jit_host_excess;
/* Registers that a JIT_CALL leaves alone. */
extern const uint32_t jit_host_kept;
/* Whether JIT_FMA and JIT_FMS add to the register of their result: a constant that is loaded there need not be
 * moved. */
extern const bool jit_host_adds_in_place;
/* Whether an operation's result is as well made in the register of operand n as in another. */
bool jit_host_result_in(enum jit_op op, unsigned n);
/* Whether an operation may read operand n in memory of this kind. */
bool jit_host_reads(enum jit_op op, unsigned n, enum jit_memory_kind kind);

/* The loop around a program: entry and everything before what is made once (after which buffer->loop is set); the step
 * to the next lanes, the results that are masks, and the way out. */
void jit_host_begin(struct jit_buffer *buffer, const struct jit_shape *shape);
void jit_host_end(struct jit_buffer *buffer, const struct jit_shape *shape);
/* The pool lies at `pool` now. */
void jit_host_link(struct jit_buffer *buffer, const uint8_t *pool);

/* The immediate of a JIT_LOAD_LANE: JIT_LOAD's place, the lane, and whether it is two dwords or four. */
#define JIT_LANE_FURTHEST_B 0xfe0u
static inline uint32_t jit_lane_imm(uint32_t place, uint32_t lane, uint32_t size_dw)
{
    return place | lane << 28 | (size_dw == 4 ? 1u << 30 : 0);
}
static inline uint32_t jit_lane_of(uint32_t imm)
{
    return imm >> 28 & 3;
}
static inline bool jit_lane_has_four(uint32_t imm)
{
    return imm >> 30 & 1;
}

/* One operation. The strand of those that touch lanes by number (JIT_LANE, JIT_BITS, JIT_LOAD_LANE and both results) is
 * in inst->c; offsets of rows have it already. inst->c of JIT_LOAD says whether all lanes load the same dword. `mask`
 * is the number in shape->masks of JIT_BITS and JIT_STORE_BITS. d may be any of the operands, of which one may be
 * JIT_IN_MEMORY where jit_host_reads says so. */
void jit_host_emit(struct jit_buffer *buffer, const struct jit_shape *shape, const struct jit_inst *inst, unsigned d,
                   unsigned a, unsigned b, unsigned c, unsigned mask);
/* A loop. `round` is where a round begins. `leave` jumps, if some lane of a is set, to what `stay` writes after the way
 * out with this number; a is the same in all lanes or not. `again` goes back to the round, or out of everything if the
 * byte at the frame's `stop` says so; before it, `settle`: these registers (as bits) must have their lanes. */
void jit_host_round(struct jit_buffer *buffer);
uint8_t *jit_host_leave(struct jit_buffer *buffer, bool is_same, unsigned a);
void jit_host_stay(struct jit_buffer *buffer, uint8_t *leave, uint32_t number);
/* Out of everything, if some lane of a is set. */
void jit_host_miss(struct jit_buffer *buffer, bool is_same, unsigned a, uint32_t number);
void jit_host_settle(struct jit_buffer *buffer, uint32_t registers);
void jit_host_again(struct jit_buffer *buffer, const struct jit_shape *shape);

void jit_host_move(struct jit_buffer *buffer, unsigned d, unsigned a);
void jit_host_spill(struct jit_buffer *buffer, uint32_t slot, unsigned a);
void jit_host_reload(struct jit_buffer *buffer, uint32_t slot, unsigned d);

/* The number in the pool of a vector of one value, or of any vector; equal ones share theirs. */
uint32_t jit_pool_splat(struct jit_buffer *buffer, uint32_t value);
uint32_t jit_pool_vector(struct jit_buffer *buffer, const uint32_t *lanes);

static inline void jit_put32(struct jit_buffer *buffer, uint32_t word)
{
    if (buffer->end - buffer->at < 4) {
        buffer->full = true;
        return;
    }
    __builtin_memcpy(buffer->at, &word, 4);
    buffer->at += 4;
}

#endif
