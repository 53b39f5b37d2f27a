/* MUBUF: buffers by descriptor, with the range checks and the swizzle of GFX10.3. Not for: typed buffers (buffer_load_format, MTBUF). */
#include "amd/model/sq_memory.h"

/* What an address calculation needs of a buffer descriptor (V#). */
struct buffer {
    uint64_t base_va;
    uint32_t stride_B;
    uint32_t records;
    uint32_t index_stride;
    bool swizzle;
    bool add_lane;
    enum {
        CHECK_STRUCTURED, /* the index against the records and the offset against the stride */
        CHECK_INDEX,      /* the index alone */
        CHECK_EMPTY,      /* only a buffer of no records is out of range */
        CHECK_RAW,        /* the whole offset against the size in bytes */
    } check;
};

static struct buffer unpack(const uint32_t words[4])
{
    return (struct buffer){
        .base_va = (uint64_t)((int64_t)((words[0] | (uint64_t)(words[1] & 0xffff) << 32) << 16) >> 16),
        .stride_B = words[1] >> 16 & 0x3fff,
        .swizzle = words[1] >> 31,
        .records = words[2],
        .index_stride = 8u << (words[3] >> 21 & 3),
        .add_lane = words[3] >> 23 & 1,
        .check = words[3] >> 28 & 3,
    };
}

static bool in_range(const struct buffer *b, uint32_t index, uint32_t offset_B, uint32_t soffset_B, uint32_t size_B)
{
    switch (b->check) {
    case CHECK_STRUCTURED:
        return index < b->records && (uint64_t)offset_B + size_B <= b->stride_B;
    case CHECK_INDEX:
        return index < b->records;
    case CHECK_EMPTY:
        return b->records != 0;
    default: {
        uint64_t at_B = b->swizzle && b->stride_B ? (uint64_t)index * b->stride_B + offset_B : offset_B;
        return at_B + soffset_B + size_B <= b->records;
    }
    }
}

static uint64_t address(const struct buffer *b, uint32_t index, uint32_t offset_B, uint32_t soffset_B)
{
    uint64_t at_B;
    if (b->swizzle) {
        /* Elements of 4 bytes are interleaved over index_stride records. */
        uint32_t index_high = index / b->index_stride, index_low = index % b->index_stride;
        uint32_t offset_high = offset_B / 4, offset_low = offset_B % 4;
        at_B = ((uint64_t)index_high * b->stride_B + offset_high * 4ull) * b->index_stride + index_low * 4ull + offset_low;
    } else {
        at_B = (uint64_t)index * b->stride_B + offset_B;
    }
    return b->base_va + at_B + soffset_B;
}

/* Where each lane's element lies, or one dword of it: a swizzled element wider than a dword is not contiguous. */
#define WHOLE_ELEMENT UINT32_MAX
static bool resolve(struct sq_wave *wave, const struct sq_uop *uop, const struct buffer *b, unsigned row, struct sq_places *places, unsigned need)
{
    const struct isa_mem *mem = &uop->inst->mem;
    const uint32_t *vaddr = sq_at(wave, uop->s[0]);
    uint32_t soffset_B = *(const uint32_t *)sq_at(wave, uop->s[2]);
    uint64_t exec = sq_exec(wave);
    const struct isa_op_info *info = isa_info(uop->inst->op);
    unsigned dwords = info->operands[0].count;
    uint32_t size_B = info->memory == ISA_MEMORY_ATOMIC ? (info->element == ISA_TYPE_B64 ? 8 : 4) : sq_access_size_B(info, dwords);
    uint32_t part_B = row == WHOLE_ELEMENT ? size_B : 4;

    for (unsigned i = 0; i < wave->lanes; i++) {
        places->at[i] = NULL;
        if (!(exec >> i & 1))
            continue;
        uint32_t index = (mem->idxen ? vaddr[i] : 0) + (b->add_lane ? i : 0);
        uint32_t offset_B = (mem->offen ? vaddr[(mem->idxen ? wave->lanes : 0) + i] : 0) + uop->imm;
        if (!in_range(b, index, offset_B, soffset_B, size_B))
            continue;
        uint64_t va = address(b, index, offset_B + (row == WHOLE_ELEMENT ? 0 : row * 4), soffset_B);
        if (!sq_resolve(wave, uop, va, part_B, need, &places->at[i]))
            return false;
    }
    return true;
}

void sq_buffer(struct sq_wave *wave, const struct sq_uop *uop)
{
    const struct isa_op_info *info = isa_info(uop->inst->op);
    struct buffer b = unpack(sq_at(wave, uop->s[1]));
    uint32_t *rows = sq_at(wave, uop->d);
    unsigned dwords = info->operands[0].count;
    bool is_atomic = info->memory == ISA_MEMORY_ATOMIC;
    unsigned need = is_atomic ? GPU_PERM_READ | GPU_PERM_WRITE : info->memory == ISA_MEMORY_STORE ? GPU_PERM_WRITE : GPU_PERM_READ;
    struct sq_places places;

    if (b.swizzle && dwords > 1 && !is_atomic) {
        for (unsigned row = 0; row < dwords; row++) {
            if (!resolve(wave, uop, &b, row, &places, need))
                return;
            if (info->memory == ISA_MEMORY_LOAD)
                sq_load(wave, info, &places, rows + row * wave->lanes, 1);
            else
                sq_store(wave, info, &places, rows + row * wave->lanes, 1);
        }
        return;
    }

    if (!resolve(wave, uop, &b, WHOLE_ELEMENT, &places, need))
        return;
    if (info->memory == ISA_MEMORY_LOAD) {
        sq_load(wave, info, &places, rows, dwords);
    } else if (info->memory == ISA_MEMORY_STORE) {
        sq_store(wave, info, &places, rows, dwords);
    } else {
        unsigned value_dwords = info->element == ISA_TYPE_B64 ? 2 : 1;
        sq_atomic(wave, info, &places, rows, dwords > value_dwords ? rows + value_dwords * wave->lanes : NULL,
                  uop->inst->mem.glc ? rows : NULL);
    }
}
