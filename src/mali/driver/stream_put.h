/* Instructions of the command stream by name, with typed registers. Each says which registers it reads and writes, so
 * that the stream waits for loads where it must (stream.h).
 *
 * What has a slot is done later: it waits for the slots of its mask itself, and holds its own slot until it is done.
 * RUN_* hold the slot that SET_SB_ENTRY chose. */
#ifndef MALI_DRIVER_STREAM_PUT_H
#define MALI_DRIVER_STREAM_PUT_H

#include "mali/driver/stream.h"

/* Wait for the slots of `wait_mask`, then hold `slot`. A mask of zero: done at once, and no slot is held. */
struct mali_deferred {
    uint16_t wait_mask;
    uint8_t slot;
};

#define MALI_NOW ((struct mali_deferred){0})

/* ---- values ---- */

static inline void mali_stream_know32(struct mali_stream *s, struct mali_r reg, uint32_t value)
{
    s->known.set |= mali_regs_r(reg);
    s->known.values[reg.number] = value;
}

static inline bool mali_stream_has(const struct mali_stream *s, struct mali_r reg, uint32_t value)
{
    return (s->known.set >> reg.number & 1) && s->known.values[reg.number] == value;
}

/* The register has this value from here on. */
static inline void mali_set32(struct mali_stream *s, struct mali_r reg, uint32_t value)
{
    if (mali_stream_has(s, reg, value))
        return;
    mali_stream_writes(s, mali_regs_r(reg));
    mali_stream_word(s, MALI_CS(MOVE32, .DESTINATION = reg.number, .IMMEDIATE = value));
    mali_stream_know32(s, reg, value);
}

/* A number for a pair: one instruction for values of 48 bits, as addresses are. */
static inline void mali_set64(struct mali_stream *s, struct mali_d pair, uint64_t value)
{
    const uint32_t low = (uint32_t)value, high = (uint32_t)(value >> 32);
    if (high >> 16 || mali_stream_has(s, mali_low(pair), low) || mali_stream_has(s, mali_high(pair), high)) {
        mali_set32(s, mali_low(pair), low);
        mali_set32(s, mali_high(pair), high);
        return;
    }
    mali_stream_writes(s, mali_regs_d(pair));
    mali_stream_word(s, MALI_CS(MOVE, .DESTINATION = pair.number, .IMMEDIATE = value));
    mali_stream_know32(s, mali_low(pair), low);
    mali_stream_know32(s, mali_high(pair), high);
}

static inline void mali_put_add32(struct mali_stream *s, struct mali_r to, struct mali_r from, int32_t value)
{
    mali_stream_reads(s, mali_regs_r(from));
    mali_stream_writes(s, mali_regs_r(to));
    mali_stream_word(s, MALI_CS(ADD_IMMEDIATE32, .DESTINATION = to.number, .SOURCE = from.number, .IMMEDIATE = value));
}

static inline void mali_put_add64(struct mali_stream *s, struct mali_d to, struct mali_d from, int32_t value)
{
    mali_stream_reads(s, mali_regs_d(from));
    mali_stream_writes(s, mali_regs_d(to));
    mali_stream_word(s, MALI_CS(ADD_IMMEDIATE64, .DESTINATION = to.number, .SOURCE = from.number, .IMMEDIATE = value));
}

static inline void mali_put_copy32(struct mali_stream *s, struct mali_r to, struct mali_r from)
{
    mali_put_add32(s, to, from, 0);
}

static inline void mali_put_copy64(struct mali_stream *s, struct mali_d to, struct mali_d from)
{
    mali_put_add64(s, to, from, 0);
}

/* The smaller one, unsigned. */
static inline void mali_put_umin32(struct mali_stream *s, struct mali_r to, struct mali_r a, struct mali_r b)
{
    mali_stream_reads(s, mali_regs_r(a) | mali_regs_r(b));
    mali_stream_writes(s, mali_regs_r(to));
    mali_stream_word(s, MALI_CS(UMIN32, .DESTINATION = to.number, .SOURCE_1 = a.number, .SOURCE_2 = b.number));
}

/* ---- memory ---- */

/* Bit n of `mask`: register first + n. Registers that the mask leaves out have no room in memory. */
static inline void mali_put_load(struct mali_stream *s, struct mali_r first, uint16_t mask, struct mali_d address,
                                 int16_t offset_B)
{
    const mali_reg_set set = (mali_reg_set)mask << first.number;
    mali_stream_reads(s, mali_regs_d(address));
    mali_stream_writes(s, set);
    mali_stream_word(s, MALI_CS(LOAD_MULTIPLE, .BASE_REGISTER = first.number, .MASK = mask, .ADDRESS = address.number,
                                .OFFSET = offset_B));
    s->loading |= set;
}

static inline void mali_put_store(struct mali_stream *s, struct mali_r first, uint16_t mask, struct mali_d address,
                                  int16_t offset_B)
{
    mali_stream_reads(s, (mali_reg_set)mask << first.number | mali_regs_d(address));
    mali_stream_word(s, MALI_CS(STORE_MULTIPLE, .BASE_REGISTER = first.number, .MASK = mask, .ADDRESS = address.number,
                                .OFFSET = offset_B));
    s->is_storing = true;
}

static inline void mali_put_load32(struct mali_stream *s, struct mali_r to, struct mali_d address, int16_t offset_B)
{
    mali_put_load(s, to, 1, address, offset_B);
}

static inline void mali_put_load64(struct mali_stream *s, struct mali_d to, struct mali_d address, int16_t offset_B)
{
    mali_put_load(s, mali_low(to), 3, address, offset_B);
}

static inline void mali_put_store32(struct mali_stream *s, struct mali_r from, struct mali_d address, int16_t offset_B)
{
    mali_put_store(s, from, 1, address, offset_B);
}

static inline void mali_put_store64(struct mali_stream *s, struct mali_d from, struct mali_d address, int16_t offset_B)
{
    mali_put_store(s, mali_low(from), 3, address, offset_B);
}

/* A clock, a counter or the queue's error, of 64 bits. */
static inline void mali_put_store_state(struct mali_stream *s, enum mali_CS_STATE state, struct mali_d address,
                                        int16_t offset_B, struct mali_deferred when)
{
    mali_stream_reads(s, mali_regs_d(address));
    mali_stream_word(s, MALI_CS(STORE_STATE, .STATE = state, .ADDRESS = address.number, .OFFSET = offset_B,
                                .WAIT_MASK = when.wait_mask, .SIGNAL_SLOT = when.slot));
}

/* ---- waits and signals ---- */

/* For what holds the slots of the mask. */
static inline void mali_put_wait(struct mali_stream *s, uint16_t mask)
{
    if (mask >> s->memory_slot & 1) {
        s->loading = 0;
        s->is_storing = false;
    }
    mali_stream_word(s, MALI_CS(WAIT, .WAIT_MASK = mask));
}

/* The slots of RUN_* and of loads and stores: the latter is the stream's. */
static inline void mali_put_slots(struct mali_stream *s, unsigned work_slot)
{
    mali_stream_word(s, MALI_CS(SET_SB_ENTRY, .ENDPOINT_ENTRY = work_slot, .OTHER_ENTRY = s->memory_slot));
}

/* `latest_id` holds the number of a flush: nothing is done if one has been made since. Zero: it is done always. */
static inline void mali_put_flush(struct mali_stream *s, enum mali_CS_FLUSH_MODE l2, enum mali_CS_FLUSH_MODE lsc,
                                  bool has_other, struct mali_r latest_id, struct mali_deferred when)
{
    mali_stream_reads(s, mali_regs_r(latest_id));
    mali_stream_word(s, MALI_CS(FLUSH_CACHE2, .L2_FLUSH_MODE = l2, .LSC_FLUSH_MODE = lsc, .OTHER_INVALIDATE = has_other,
                                .LATEST_FLUSH_ID = latest_id.number, .WAIT_MASK = when.wait_mask,
                                .SIGNAL_SLOT = when.slot));
}

/* Before another queue is signalled, what this one has stored is there. */
static inline void mali_stream_settle_for(struct mali_stream *s, struct mali_deferred when)
{
    if (s->is_storing && !(when.wait_mask >> s->memory_slot & 1))
        mali_stream_settle(s);
}

/* A synchronisation object of 64 bits at an address. An error of the queue is written beside the value. */
static inline void mali_put_sync_add64(struct mali_stream *s, enum mali_CS_SYNC_SCOPE scope, struct mali_d address,
                                       struct mali_d value, struct mali_deferred when)
{
    mali_stream_settle_for(s, when);
    mali_stream_reads(s, mali_regs_d(address) | mali_regs_d(value));
    mali_stream_word(s, MALI_CS(SYNC_ADD64, .ERROR_PROPAGATE = true, .SCOPE = scope, .ADDRESS = address.number,
                                .DATA = value.number, .WAIT_MASK = when.wait_mask, .SIGNAL_SLOT = when.slot));
}

static inline void mali_put_sync_set64(struct mali_stream *s, enum mali_CS_SYNC_SCOPE scope, struct mali_d address,
                                       struct mali_d value, struct mali_deferred when)
{
    mali_stream_settle_for(s, when);
    mali_stream_reads(s, mali_regs_d(address) | mali_regs_d(value));
    mali_stream_word(s, MALI_CS(SYNC_SET64, .ERROR_PROPAGATE = true, .SCOPE = scope, .ADDRESS = address.number,
                                .DATA = value.number, .WAIT_MASK = when.wait_mask, .SIGNAL_SLOT = when.slot));
}

/* A synchronisation object of 32 bits: events, which their user looks at. */
static inline void mali_put_sync_set32(struct mali_stream *s, enum mali_CS_SYNC_SCOPE scope, struct mali_d address,
                                       struct mali_r value, struct mali_deferred when)
{
    mali_stream_settle_for(s, when);
    mali_stream_reads(s, mali_regs_d(address) | mali_regs_r(value));
    mali_stream_word(s, MALI_CS(SYNC_SET32, .ERROR_PROPAGATE = true, .SCOPE = scope, .ADDRESS = address.number,
                                .DATA = value.number, .WAIT_MASK = when.wait_mask, .SIGNAL_SLOT = when.slot));
}

/* Until the object is greater than the value, or less or equal; unsigned. Stores of this queue are done before, for
 * another queue may wait for them. */
static inline void mali_put_sync_wait64(struct mali_stream *s, enum mali_CS_CONDITION condition, struct mali_d address,
                                        struct mali_d value)
{
    assert(condition == MALI_CS_CONDITION_GREATER || condition == MALI_CS_CONDITION_LEQUAL);
    mali_stream_settle(s);
    mali_stream_reads(s, mali_regs_d(address) | mali_regs_d(value));
    mali_stream_word(s, MALI_CS(SYNC_WAIT64, .CONDITION = condition, .ADDRESS = address.number, .DATA = value.number));
}

static inline void mali_put_sync_wait32(struct mali_stream *s, enum mali_CS_CONDITION condition, struct mali_d address,
                                        struct mali_r value)
{
    assert(condition == MALI_CS_CONDITION_GREATER || condition == MALI_CS_CONDITION_LEQUAL);
    mali_stream_settle(s);
    mali_stream_reads(s, mali_regs_d(address) | mali_regs_r(value));
    mali_stream_word(s, MALI_CS(SYNC_WAIT32, .CONDITION = condition, .ADDRESS = address.number, .DATA = value.number));
}

static inline void mali_put_error_barrier(struct mali_stream *s)
{
    mali_stream_word(s, MALI_CS(ERROR_BARRIER, 0));
}

/* ---- other streams ---- */

/* A called stream may write any register. */
static inline void mali_put_call(struct mali_stream *s, struct mali_d address, struct mali_r length_B)
{
    mali_stream_settle(s);
    mali_stream_reads(s, mali_regs_d(address) | mali_regs_r(length_B));
    mali_stream_word(s, MALI_CS(CALL, .ADDRESS = address.number, .LENGTH = length_B.number));
    mali_stream_forget(s);
}

/* The handler that runs when the tiler's heap is exhausted, from any later wait on. */
static inline void mali_put_handler(struct mali_stream *s, struct mali_d address, struct mali_r length_B)
{
    mali_stream_reads(s, mali_regs_d(address) | mali_regs_r(length_B));
    mali_stream_word(s, MALI_CS(SET_EXCEPTION_HANDLER, .EXCEPTION_TYPE = MALI_CS_EXCEPTION_TILER_OOM,
                                .ADDRESS = address.number, .LENGTH = length_B.number));
}

/* ---- work ---- */

/* The registers that a kind of work reads (regs_*.table). */
#define MALI_REGS_COMPUTE MALI_REGS(0, 40)
#define MALI_REGS_IDVS MALI_REGS(0, 62)
#define MALI_REGS_FRAGMENT MALI_REGS(40, 4)

struct mali_resources {
    bool has_compute, has_fragment, has_tiler, has_idvs;
};

static inline void mali_put_resources(struct mali_stream *s, struct mali_resources needed)
{
    mali_stream_word(s, MALI_CS(REQ_RESOURCE, .COMPUTE = needed.has_compute, .FRAGMENT = needed.has_fragment,
                                .TILER = needed.has_tiler, .IDVS = needed.has_idvs));
}

/* Which of four pairs hold resources, program, local storage and uniforms. */
static inline void mali_put_run_compute(struct mali_stream *s, struct mali_cs_RUN_COMPUTE fields)
{
    mali_stream_reads(s, MALI_REGS_COMPUTE);
    mali_stream_word(s, mali_pack_cs_RUN_COMPUTE(&fields));
}

static inline void mali_put_run_compute_indirect(struct mali_stream *s, struct mali_cs_RUN_COMPUTE_INDIRECT fields)
{
    mali_stream_reads(s, MALI_REGS_COMPUTE);
    mali_stream_word(s, mali_pack_cs_RUN_COMPUTE_INDIRECT(&fields));
}

static inline void mali_put_run_idvs(struct mali_stream *s, struct mali_cs_RUN_IDVS fields)
{
    mali_stream_reads(s, MALI_REGS_IDVS | (fields.DRAW_ID_REGISTER_ENABLE ? MALI_REGS(fields.DRAW_ID, 1) : 0));
    mali_stream_word(s, mali_pack_cs_RUN_IDVS(&fields));
}

static inline void mali_put_run_fullscreen(struct mali_stream *s, struct mali_d draw, uint32_t flags)
{
    mali_stream_reads(s, MALI_REGS_IDVS | mali_regs_d(draw));
    mali_stream_word(s, MALI_CS(RUN_FULLSCREEN, .DCD = draw.number, .FLAGS_OVERRIDE = flags));
}

static inline void mali_put_run_fragment(struct mali_stream *s, enum mali_TILE_RENDER_ORDER order)
{
    mali_stream_reads(s, MALI_REGS_FRAGMENT);
    mali_stream_word(s, MALI_CS(RUN_FRAGMENT, .TILE_ORDER = order));
}

static inline void mali_put_finish_tiling(struct mali_stream *s)
{
    mali_stream_word(s, MALI_CS(FINISH_TILING, .PROGRESS_INCREMENT = false));
}

/* Give the chunks of a rendered pass back, from the first to the last. */
static inline void mali_put_finish_fragment(struct mali_stream *s, struct mali_d first_chunk, struct mali_d last_chunk,
                                            bool is_completed, struct mali_deferred when)
{
    mali_stream_reads(s, mali_regs_d(first_chunk) | mali_regs_d(last_chunk));
    mali_stream_word(s, MALI_CS(FINISH_FRAGMENT, .FIRST_HEAP_CHUNK = first_chunk.number,
                                .LAST_HEAP_CHUNK = last_chunk.number, .INCREMENT_FRAGMENT_COMPLETED = is_completed,
                                .WAIT_MASK = when.wait_mask, .SIGNAL_SLOT = when.slot));
}

static inline void mali_put_heap_set(struct mali_stream *s, struct mali_d address)
{
    mali_stream_reads(s, mali_regs_d(address));
    mali_stream_word(s, MALI_CS(HEAP_SET, .ADDRESS = address.number));
}

/* Count a pass that is being tiled, tiled or rendered. */
static inline void mali_put_heap_operation(struct mali_stream *s, enum mali_CS_HEAP_OPERATION operation,
                                           struct mali_deferred when)
{
    mali_stream_word(
        s, MALI_CS(HEAP_OPERATION, .OPERATION = operation, .WAIT_MASK = when.wait_mask, .SIGNAL_SLOT = when.slot));
}

#endif
