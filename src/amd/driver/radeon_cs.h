/* Writing a command stream: dwords into buffers that the command processor reads, one chained to the next when it is
 * full. The caller reserves room for what it is about to write, so that the writes themselves check nothing.
 *
 *     radeon_cs_reserve(cs, 16);
 *     radeon_set_sh_reg(cs, AMD_REG_COMPUTE_PGM_LO, va >> 8);
 *     RADEON_PACKET(cs, DISPATCH_DIRECT, .DIM_X = x, …);
 *
 * When memory runs out the stream continues in a trash area and `error` remembers it: vkEndCommandBuffer returns it. */
#ifndef AMD_DRIVER_RADEON_CS_H
#define AMD_DRIVER_RADEON_CS_H

#include <assert.h>
#include <string.h>

#include "amd/driver/ws.h"
#include "amd/hw/pack.h"
#include "amd/hw/packets.h"
#include "vulkan/runtime/memory/vk_chunk.h"
#include "vulkan/runtime/object/vk_api.h"

/* The generation that this driver writes for: a constant, so that the packers fold. Another generation is the same
 * sources compiled with another one. */
#define RADEON_GFX AMD_GFX10_3

/* The longest piece that can be reserved at once. */
#define RADEON_CS_MAX_RESERVE 2048

/* A stream's part in one chunk. */
struct radeon_piece {
    struct vk_chunk *chunk;
    uint32_t *words;
    uint64_t va;
    uint32_t count_dw;
};

struct radeon_cs {
    struct vk_chunk_pool *pool;
    const struct ws_info *info;
    struct vk_rest *rest;       /* NULL: whole chunks only */
    uint32_t *dw, *end;         /* the next one to write; after `end` there is room for the jump to the next chunk */
    uint32_t *start;            /* of the current piece; NULL: there is none yet */
    struct radeon_piece shared; /* the first piece where it is a rest of a chunk that others began; .chunk NULL: none */
    struct list chunks;         /* struct vk_chunk, begun by this stream: the further pieces in their order */
    uint32_t *jump;             /* the last jump's size field, filled in when its target is closed */
    uint32_t *tail;             /* after radeon_cs_end: the empty place of a jump */
    bool is_dma; /* of the DMA engine, which cannot jump: every piece is submitted by itself */
    VkResult error;
};

/* `rest` may be NULL. Set `is_dma` after this. */
void radeon_cs_init(struct radeon_cs *cs, struct vk_chunk_pool *pool, const struct ws_info *info, struct vk_rest *rest);
void radeon_cs_finish(struct radeon_cs *cs);
/* Back to empty; the chunks go back to the device. */
void radeon_cs_reset(struct radeon_cs *cs);
/* Pad the last piece and fill in its size; what is left of its chunk is the next stream's. Nothing may be written
 * after this until a reset. */
void radeon_cs_end(struct radeon_cs *cs);
void radeon_cs_grow(struct radeon_cs *cs, uint32_t count_dw);
/* Of an ended stream that is not empty: where it begins; going on with another stream at its end, or with nothing. */
struct ws_ib radeon_cs_ib(const struct radeon_cs *cs);
void radeon_cs_chain(struct radeon_cs *cs, const struct radeon_cs *next);

/* The pieces of an ended stream, each with the jump at its end or with the jump's empty place, but for a DMA engine's:
 *     for (struct radeon_piece piece = radeon_cs_first(cs); piece.chunk; piece = radeon_cs_next(cs, &piece)) */
struct radeon_piece radeon_cs_first(const struct radeon_cs *cs);
struct radeon_piece radeon_cs_next(const struct radeon_cs *cs, const struct radeon_piece *piece);

static inline void radeon_cs_reserve(struct radeon_cs *cs, uint32_t count_dw)
{
    assert(count_dw <= RADEON_CS_MAX_RESERVE);
    if (__builtin_expect(cs->end - cs->dw < (ptrdiff_t)count_dw, 0))
        radeon_cs_grow(cs, count_dw);
}

static inline bool radeon_cs_is_empty(const struct radeon_cs *cs)
{
    return !cs->start;
}

static inline void radeon_emit(struct radeon_cs *cs, uint32_t value)
{
    *cs->dw++ = value;
}

static inline void radeon_emit_array(struct radeon_cs *cs, const uint32_t *values, uint32_t count)
{
    memcpy(cs->dw, values, count * sizeof(*values));
    cs->dw += count;
}

/* One packet of the tables, by its fields. A packet with a tail is followed by radeon_emit. */
#define RADEON_PACKET(cs, name, ...)                                                                                   \
    ((cs)->dw += amd_pack_pkt_##name(RADEON_GFX, (cs)->dw, &(const struct amd_pkt_##name){__VA_ARGS__}))

/* Registers by their byte address (AMD_REG_*), `count` neighbours; the values follow by radeon_emit. */
#define RADEON_CONTEXT_BASE 0x28000u
#define RADEON_SH_BASE 0xb000u
#define RADEON_UCONFIG_BASE 0x30000u

static inline void radeon_set_context_reg_seq(struct radeon_cs *cs, uint32_t reg, uint32_t count)
{
    RADEON_PACKET(cs, SET_CONTEXT_REG, .REG_OFFSET = (reg - RADEON_CONTEXT_BASE) / 4, .tail_dw = count);
}

static inline void radeon_set_context_reg(struct radeon_cs *cs, uint32_t reg, uint32_t value)
{
    radeon_set_context_reg_seq(cs, reg, 1);
    radeon_emit(cs, value);
}

static inline void radeon_set_sh_reg_seq(struct radeon_cs *cs, uint32_t reg, uint32_t count)
{
    RADEON_PACKET(cs, SET_SH_REG, .REG_OFFSET = (reg - RADEON_SH_BASE) / 4, .tail_dw = count);
}

static inline void radeon_set_sh_reg(struct radeon_cs *cs, uint32_t reg, uint32_t value)
{
    radeon_set_sh_reg_seq(cs, reg, 1);
    radeon_emit(cs, value);
}

/* The kernel's mask of compute units is applied on the way (index 3). */
static inline void radeon_set_sh_reg_masked(struct radeon_cs *cs, uint32_t reg, uint32_t value)
{
    RADEON_PACKET(cs, SET_SH_REG_INDEX, .REG_OFFSET = (reg - RADEON_SH_BASE) / 4, .INDEX = 3, .tail_dw = 1);
    radeon_emit(cs, value);
}

static inline void radeon_set_uconfig_reg_seq(struct radeon_cs *cs, uint32_t reg, uint32_t count)
{
    RADEON_PACKET(cs, SET_UCONFIG_REG, .REG_OFFSET = (reg - RADEON_UCONFIG_BASE) / 4, .tail_dw = count);
}

static inline void radeon_set_uconfig_reg(struct radeon_cs *cs, uint32_t reg, uint32_t value)
{
    radeon_set_uconfig_reg_seq(cs, reg, 1);
    radeon_emit(cs, value);
}

static inline void radeon_set_uconfig_reg_index(struct radeon_cs *cs, uint32_t reg, uint32_t index, uint32_t value)
{
    RADEON_PACKET(cs, SET_UCONFIG_REG_INDEX, .REG_OFFSET = (reg - RADEON_UCONFIG_BASE) / 4, .INDEX = index,
                  .tail_dw = 1);
    radeon_emit(cs, value);
}

/* Chunks (vk_chunk.h) for streams, for uploads, which lie where 32-bit pointers reach, and for what the GPU writes. */
enum radeon_chunk_kind {
    RADEON_CHUNK_STREAM,
    RADEON_CHUNK_UPLOAD,
    RADEON_CHUNK_LOCAL,
    RADEON_CHUNK_KIND_COUNT
};

#endif
