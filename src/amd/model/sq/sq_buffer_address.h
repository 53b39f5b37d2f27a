/* Buffer descriptors (V#) and the addresses that they describe: range checks and swizzle of GFX10.3, shared by untyped
 * (sq_buffer.c) and typed (ta_buffer.c) access. */
#ifndef AMD_MODEL_SQ_BUFFER_ADDRESS_H
#define AMD_MODEL_SQ_BUFFER_ADDRESS_H

#include "amd/model/sq/sq_memory.h"

/* The fields of a buffer descriptor (V#) that an address calculation needs. */
struct sq_buffer {
    uint64_t base_va;
    uint32_t stride_B;
    uint32_t records;
    uint32_t index_stride;
    bool swizzle;
    bool add_lane;
    enum {
        SQ_CHECK_STRUCTURED, /* the index against the records and the offset against the stride */
        SQ_CHECK_INDEX,      /* the index alone */
        SQ_CHECK_EMPTY,      /* only a buffer of no records is out of range */
        SQ_CHECK_RAW,        /* the whole offset against the size in bytes */
    } check;
};

/* Without an index there is nothing to swizzle: drivers rely on it, for the sign of a program's own address lands in
 * the fields of stride and swizzle. */
static inline struct sq_buffer sq_buffer_unpack(const uint32_t words[4], const struct isa_mem *mem)
{
    bool add_lane = words[3] >> 23 & 1;
    return (struct sq_buffer){
        .base_va = (uint64_t)((int64_t)((words[0] | (uint64_t)(words[1] & 0xffff) << 32) << 16) >> 16),
        .stride_B = words[1] >> 16 & 0x3fff,
        .swizzle = words[1] >> 31 && (mem->idxen || add_lane),
        .records = words[2],
        .index_stride = 8u << (words[3] >> 21 & 3),
        .add_lane = add_lane,
        .check = words[3] >> 28 & 3,
    };
}

/* Of bytes that are checked at once: a typed element, an atomic, each dword of an untyped access. */
static inline bool sq_buffer_in_range(const struct sq_buffer *b, uint32_t index, uint64_t offset_B, uint32_t soffset_B,
                                      uint32_t size_B)
{
    switch (b->check) {
    case SQ_CHECK_STRUCTURED:
        return index < b->records && offset_B + size_B <= b->stride_B;
    case SQ_CHECK_INDEX:
        return index < b->records;
    case SQ_CHECK_EMPTY:
        return b->records != 0;
    default: {
        uint64_t at_B = b->swizzle && b->stride_B ? (uint64_t)index * b->stride_B + offset_B : offset_B;
        return at_B + soffset_B + size_B <= b->records;
    }
    }
}

static inline uint64_t sq_buffer_address(const struct sq_buffer *b, uint32_t index, uint32_t offset_B,
                                         uint32_t soffset_B)
{
    uint64_t at_B;
    if (b->swizzle) {
        /* Elements of 4 bytes are interleaved over index_stride records. */
        uint32_t index_high = index / b->index_stride, index_low = index % b->index_stride;
        uint32_t offset_high = offset_B / 4, offset_low = offset_B % 4;
        at_B =
            ((uint64_t)index_high * b->stride_B + offset_high * 4ull) * b->index_stride + index_low * 4ull + offset_low;
    } else {
        at_B = (uint64_t)index * b->stride_B + offset_B;
    }
    return b->base_va + at_B + soffset_B;
}

/* The lane's index and offset, from the instruction's address registers. */
static inline void sq_buffer_lane(const struct sq_wave *wave, const struct sq_uop *uop, const struct sq_buffer *b,
                                  unsigned lane, uint32_t *index_out, uint32_t *offset_B_out)
{
    const struct isa_mem *mem = &uop->inst->mem;
    const uint32_t *vaddr = sq_at(wave, uop->s[0]);
    *index_out = (mem->idxen ? vaddr[lane] : 0) + (b->add_lane ? lane : 0);
    *offset_B_out = (mem->offen ? vaddr[(mem->idxen ? wave->lanes : 0) + lane] : 0) + uop->imm;
}

#endif
