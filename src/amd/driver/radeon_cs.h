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
#include "vulkan/runtime/vk_api.h"

struct radeon_device;

/* The generation that this driver writes for: a constant, so that the packers fold. Another generation is the same
 * sources compiled with another one. */
#define RADEON_GFX AMD_GFX10_3

/* The longest piece that can be reserved at once. */
#define RADEON_CS_MAX_RESERVE 2048

/* Memory of the GPU that streams and uploads are written to; the device keeps those that nothing uses. */
struct radeon_chunk {
    struct list link; /* in the stream or upload that began it */
    struct ws_bo *bo;
    uint8_t *map;
    uint32_t size_B;
    uint32_t users;   /* streams or uploads in it, and the keeper of its rest: all of one pool */
    uint32_t used_dw; /* of the stream that began it: what the command processor reads */
};

/* The rest of a chunk after a recording that has ended, for the next recording of the same pool: small ones lie side
 * by side. While it is being written it has one owner. A pool has one for streams and one for uploads. */
struct radeon_rest {
    struct radeon_chunk *chunk; /* NULL: none */
    uint32_t at_B;
};

/* What a stream has in one chunk. */
struct radeon_piece {
    struct radeon_chunk *chunk;
    uint32_t *words;
    uint64_t va;
    uint32_t count_dw;
};

struct radeon_cs {
    struct radeon_device *device;
    struct radeon_rest *rest; /* NULL: whole chunks only */
    uint32_t *dw, *end; /* the next one to write; after `end` there is room for the jump to the next chunk */
    uint32_t *start;    /* of the current piece; NULL: there is none yet */
    struct radeon_piece shared; /* the first piece where it is a rest of a chunk that others began; .chunk NULL: none */
    struct list chunks;         /* struct radeon_chunk, begun by this stream: the further pieces in their order */
    uint32_t *jump;             /* the last jump's size field, filled in when its target is closed */
    uint32_t *tail;             /* after radeon_cs_end: the empty place of a jump */
    VkResult error;
};

/* `rest` may be NULL. */
void radeon_cs_init(struct radeon_cs *cs, struct radeon_device *device, struct radeon_rest *rest);
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

/* The pieces of an ended stream, each with the jump at its end or with the jump's empty place:
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

/* Chunks that are kept for reuse. Both kinds are mapped; uploads lie where 32-bit pointers reach. */
enum radeon_chunk_kind {
    RADEON_CHUNK_STREAM,
    RADEON_CHUNK_UPLOAD,
    RADEON_CHUNK_KIND_COUNT
};

struct radeon_chunk_pool {
    pthread_mutex_t lock;
    struct list free[RADEON_CHUNK_KIND_COUNT];
};

void radeon_chunk_pool_init(struct radeon_chunk_pool *pool);
void radeon_chunk_pool_finish(struct radeon_device *device);
/* At least `size_B` bytes; NULL when there is no memory. */
struct radeon_chunk *radeon_chunk_take(struct radeon_device *device, enum radeon_chunk_kind kind, uint32_t size_B);
void radeon_chunk_give(struct radeon_device *device, enum radeon_chunk_kind kind, struct radeon_chunk *chunk);
/* For a pool that nothing records into: gives what it keeps back to the device. */
void radeon_rest_drop(struct radeon_device *device, enum radeon_chunk_kind kind, struct radeon_rest *rest);

/* Data for the GPU that lives as long as a recording: push constants, descriptors, small copies. */
struct radeon_upload {
    struct radeon_device *device;
    struct radeon_rest *rest;
    struct radeon_chunk *shared, *current; /* as a stream's; the one that is being filled */
    struct list chunks;
    uint8_t *map; /* of the current chunk */
    uint64_t va;
    uint32_t used_B, size_B;
};

void radeon_upload_init(struct radeon_upload *upload, struct radeon_device *device, struct radeon_rest *rest);
void radeon_upload_reset(struct radeon_upload *upload);
/* After a recording: the rest of the chunk is for the next one. */
void radeon_upload_end(struct radeon_upload *upload);
void *radeon_upload_grow(struct radeon_upload *upload, uint32_t size_B, uint64_t *va_out);

/* `size_B` bytes at a multiple of `align_B`; NULL when there is no memory. The address fits 32 bits above
 * radeon_device::address32_hi. */
static inline void *radeon_upload_alloc(struct radeon_upload *upload, uint32_t size_B, uint32_t align_B,
                                        uint64_t *va_out)
{
    uint32_t at_B = (upload->used_B + align_B - 1) & ~(align_B - 1);
    if (__builtin_expect(at_B + size_B > upload->size_B, 0))
        return radeon_upload_grow(upload, size_B, va_out);
    upload->used_B = at_B + size_B;
    *va_out = upload->va + at_B;
    return upload->map + at_B;
}

#endif
