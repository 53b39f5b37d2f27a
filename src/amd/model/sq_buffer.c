/* MUBUF: buffers by descriptor, with the range checks and the swizzle of GFX10.3. Not for: typed buffers (ta_buffer.c). */
#include "amd/model/sq_buffer_address.h"

/* Where each lane's element lies, or one dword of it: a swizzled element wider than a dword is not contiguous. */
#define WHOLE_ELEMENT UINT32_MAX
static bool resolve(struct sq_wave *wave, const struct sq_uop *uop, const struct sq_buffer *b, unsigned row, struct sq_places *places, unsigned need)
{
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
        uint32_t index, offset_B;
        sq_buffer_lane(wave, uop, b, i, &index, &offset_B);
        if (!sq_buffer_in_range(b, index, offset_B, soffset_B, size_B))
            continue;
        uint64_t va = sq_buffer_address(b, index, offset_B + (row == WHOLE_ELEMENT ? 0 : row * 4), soffset_B);
        if (!sq_resolve(wave, uop, va, part_B, need, &places->at[i]))
            return false;
    }
    return true;
}

void sq_buffer(struct sq_wave *wave, const struct sq_uop *uop)
{
    const struct isa_op_info *info = isa_info(uop->inst->op);
    struct sq_buffer b = sq_buffer_unpack(sq_at(wave, uop->s[1]));
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
