/* Writing a command stream: packets of types 4 and 7 into pieces of chunks (vk_chunk.h). The caller reserves room for
 * what it is about to write, so that the writes themselves check nothing.
 *
 *     adreno_cs_reserve(cs, 16);
 *     ADRENO_REG(cs, SP_CS_CNTL_0, .THREADSIZE = …, .MERGEDREGS = true);
 *     ADRENO_PACKET(cs, CP_EXEC_CS, .NGROUPS_X = x, …);
 *
 * Where a chunk is full the stream goes on in the next one: it is a list of pieces, which a submission names one after
 * the other and a call calls one after the other. No piece jumps to the next.
 *
 * When memory runs out the stream continues in a trash area and `error` remembers it: vkEndCommandBuffer returns it. */
#ifndef ADRENO_DRIVER_PM4_H
#define ADRENO_DRIVER_PM4_H

#include <assert.h>
#include <string.h>

#include "adreno/driver/kernel.h"
#include "adreno/hw/pack.h"
#include "adreno/hw/packets.h"
#include "vulkan/runtime/memory/vk_chunk.h"
#include "vulkan/runtime/object/vk_api.h"

/* The longest piece that can be reserved at once. */
#define ADRENO_CS_MAX_RESERVE 2048

/* Words that the GPU executes: a buffer to call, a group of state. */
struct adreno_range {
    uint64_t va;
    uint32_t size_dw; /* 0: nothing */
};

struct adreno_cs {
    struct vk_chunk_pool *pool;        /* NULL: in a place of fixed size (adreno_cs_init_fixed) */
    struct vk_rest *rest;              /* NULL: whole chunks only */
    uint32_t *dw, *end;                /* the next one to write; the end of the chunk */
    uint32_t *start;                   /* of the current piece */
    struct vk_chunk *current;          /* the chunk of the current piece; NULL: there is none yet */
    struct vk_chunk *shared;           /* the first chunk where it is a rest that others began; NULL: none */
    struct list chunks;                /* struct vk_chunk, begun by this stream */
    uint64_t va;                       /* of `start` */
    ARRAY(struct adreno_piece) pieces; /* closed ones, own and appended, in the order of execution */
    VkResult error;
};

/* `rest` may be NULL. */
void adreno_cs_init(struct adreno_cs *cs, struct vk_chunk_pool *pool, struct vk_rest *rest);
/* A stream in `size_dw` dwords that the caller has: it never grows. */
void adreno_cs_init_fixed(struct adreno_cs *cs, uint32_t *words, uint64_t va, uint32_t size_dw);
/* Back to empty; the chunks go back to the device. */
void adreno_cs_reset(struct adreno_cs *cs);
void adreno_cs_finish(struct adreno_cs *cs);
/* Closes the last piece; what is left of its chunk is the next stream's. Nothing may be written after this until a
 * reset. */
void adreno_cs_end(struct adreno_cs *cs);
void adreno_cs_grow(struct adreno_cs *cs, uint32_t count_dw);
/* Closes the current piece, so that what was written is in `pieces`; writing goes on after it. */
void adreno_cs_split(struct adreno_cs *cs);
/* The pieces of an ended stream follow, by reference: it must not be reset before this one. */
void adreno_cs_append(struct adreno_cs *cs, const struct adreno_cs *other);

static inline void adreno_cs_reserve(struct adreno_cs *cs, uint32_t count_dw)
{
    assert(count_dw <= ADRENO_CS_MAX_RESERVE);
    if (__builtin_expect(cs->end - cs->dw < (ptrdiff_t)count_dw, 0))
        adreno_cs_grow(cs, count_dw);
}

static inline bool adreno_cs_is_empty(const struct adreno_cs *cs)
{
    return cs->pieces.count == 0 && cs->dw == cs->start;
}

/* The dwords of a stream of fixed size so far. */
static inline struct adreno_range adreno_cs_range(const struct adreno_cs *cs)
{
    return (struct adreno_range){cs->va, (uint32_t)(cs->dw - cs->start)};
}

/* ---- words ---- */

static inline void adreno_emit(struct adreno_cs *cs, uint32_t value)
{
    *cs->dw++ = value;
}

static inline void adreno_emit64(struct adreno_cs *cs, uint64_t value)
{
    *cs->dw++ = (uint32_t)value;
    *cs->dw++ = (uint32_t)(value >> 32);
}

static inline void adreno_emit_array(struct adreno_cs *cs, const void *words, uint32_t count_dw)
{
    memcpy(cs->dw, words, count_dw * 4u);
    cs->dw += count_dw;
}

/* One packet of the tables, by its fields. A packet with a tail is followed by adreno_emit. */
#define ADRENO_PACKET(cs, name, ...)                                                                                   \
    ((cs)->dw += adreno_pack_pkt_##name((cs)->dw, &(const struct adreno_pkt_##name){__VA_ARGS__}))

/* `count` neighbouring registers; the values follow by adreno_emit. */
static inline void adreno_set_regs(struct adreno_cs *cs, uint32_t reg, uint32_t count)
{
    *cs->dw++ = adreno_pkt4_header(reg, count);
}

/* A register by its number, of 32 and of 64 bits: 2 and 3 dwords. */
static inline void adreno_set_reg(struct adreno_cs *cs, uint32_t reg, uint32_t value)
{
    adreno_set_regs(cs, reg, 1);
    adreno_emit(cs, value);
}

static inline void adreno_set_reg64(struct adreno_cs *cs, uint32_t reg, uint64_t value)
{
    adreno_set_regs(cs, reg, 2);
    adreno_emit64(cs, value);
}

/* A register of 32 bits by its fields. */
#define ADRENO_REG(cs, name, ...) adreno_set_reg((cs), ADRENO_REG_##name, ADRENO_PACK(name, __VA_ARGS__))

static inline void adreno_call(struct adreno_cs *cs, struct adreno_range range)
{
    if (range.size_dw)
        ADRENO_PACKET(cs, CP_INDIRECT_BUFFER, .IB_BASE = range.va, .IB_SIZE = range.size_dw);
}

/* Packets after it are executed if a bit of a register is set (5 dwords), or in some passes alone (3): binning
 * passes, or all that see the draws of a rendering once. The words of these packets that only other forms have are
 * left out. Returns where the number of dwords that follow is written. */
static inline uint32_t *adreno_if_bit(struct adreno_cs *cs, uint32_t reg, uint32_t bit)
{
    uint32_t words[8];
    adreno_pack_pkt_CP_REG_TEST(words, &(const struct adreno_pkt_CP_REG_TEST){.REG = reg, .BIT = bit});
    adreno_emit(cs, adreno_pkt7_header(ADRENO_PKT_CP_REG_TEST, 2));
    adreno_emit(cs, words[1]);
    adreno_pack_pkt_CP_COND_REG_EXEC(
        words, &(const struct adreno_pkt_CP_COND_REG_EXEC){.MODE = ADRENO_COMPARE_MODE_PRED_TEST});
    adreno_emit(cs, adreno_pkt7_header(ADRENO_PKT_CP_COND_REG_EXEC, 3));
    adreno_emit_array(cs, words + 1, 2);
    return cs->dw - 1;
}

static inline uint32_t *adreno_if_pass(struct adreno_cs *cs, bool is_in_memory)
{
    uint32_t words[8];
    adreno_pack_pkt_CP_COND_REG_EXEC(
        words, &(const struct adreno_pkt_CP_COND_REG_EXEC){
                   .MODE = ADRENO_COMPARE_MODE_RENDER_MODE, .BINNING = true, .SYSMEM = is_in_memory});
    adreno_emit(cs, adreno_pkt7_header(ADRENO_PKT_CP_COND_REG_EXEC, 3));
    adreno_emit_array(cs, words + 1, 2);
    return cs->dw - 1;
}

static inline uint32_t *adreno_if_binning(struct adreno_cs *cs)
{
    return adreno_if_pass(cs, false);
}

static inline uint32_t *adreno_if_once(struct adreno_cs *cs)
{
    return adreno_if_pass(cs, true);
}

/* The number of dwords, once they are there: at most what was reserved together with the condition. */
static inline void adreno_end_if(const struct adreno_cs *cs, uint32_t *size_dw)
{
    *size_dw = (uint32_t)(cs->dw - size_dw - 1);
}

/* An event that writes nothing: 2 dwords. */
static inline void adreno_event(struct adreno_cs *cs, enum adreno_EVENT event)
{
    adreno_emit(cs, adreno_pkt7_header(ADRENO_PKT_CP_EVENT_WRITE, 2));
    adreno_emit(cs, (uint32_t)event);
}

/* An event that writes a word when it comes to the end of the pipeline: 5 dwords. */
static inline void adreno_event_write(struct adreno_cs *cs, enum adreno_EVENT event, uint64_t va, uint32_t value)
{
    ADRENO_PACKET(cs, CP_EVENT_WRITE, .EVENT = event, .ADDR = va, .DATA = value);
}

/* A word, or two, of memory by the command processor: the packet of one source. */
#define ADRENO_COPY_DW 6
static inline void adreno_emit_copy(struct adreno_cs *cs, uint64_t dst_va, uint64_t src_va, bool is_64)
{
    adreno_emit(cs, adreno_pkt7_header(ADRENO_PKT_CP_MEM_TO_MEM, ADRENO_COPY_DW));
    adreno_emit(cs, is_64 ? 1u << 29 : 0); /* DOUBLE */
    adreno_emit64(cs, dst_va);
    adreno_emit64(cs, src_va);
}

#endif
