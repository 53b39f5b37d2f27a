/* FLAT, GLOBAL and SCRATCH: addresses of 64 bits, or offsets into the wave's private memory. */
#include "amd/model/sq/sq_memory_span.h"

/* Private memory of a wave is interleaved by dwords, lane by lane, so that neighbouring lanes share cache lines. */
static uint64_t scratch_va(const struct sq_wave *wave, uint32_t offset_B, unsigned lane)
{
    return wave->flat_scratch_va + (uint64_t)(offset_B / 4) * wave->lanes * 4 + lane * 4 + (offset_B & 3);
}

enum segment {
    SEGMENT_FLAT,
    SEGMENT_SCRATCH,
    SEGMENT_GLOBAL,
};

struct flat {
    struct sq_wave *wave;
    const struct sq_uop *uop;
    const uint32_t *vaddr;
    uint64_t saddr;
    uint32_t size_B;
    unsigned need;
    bool has_saddr;
    bool has_vaddr;
};

/* Flat addresses choose their memory by an aperture: LDS and private memory have their own upper 32 bits. */
static bool resolve_flat(const struct flat *f, uint64_t va, unsigned lane, uint8_t **at_out)
{
    struct sq_wave *wave = f->wave;
    uint32_t aperture = (uint32_t)(va >> 32);
    if (aperture == wave->sgpr[SQ_SHARED_BASE + 1]) {
        uint32_t offset_B = (uint32_t)va;
        *at_out = (uint64_t)offset_B + f->size_B <= wave->lds_size_B ? wave->lds + offset_B : NULL;
        return true;
    }
    if (aperture == wave->sgpr[SQ_PRIVATE_BASE + 1])
        va = scratch_va(wave, (uint32_t)va, lane);
    else
        sq_note(wave, f->uop, va, f->size_B, f->need);
    return sq_resolve(wave, f->uop, va, f->size_B, f->need, at_out);
}

static bool resolve_lane(const struct flat *f, enum segment segment, unsigned i, uint32_t further_B, uint8_t **at_out)
{
    const struct sq_wave *wave = f->wave;
    int32_t offset_B = (int32_t)(f->uop->imm + further_B);
    if (segment == SEGMENT_SCRATCH) {
        uint32_t in_scratch_B =
            (f->has_vaddr ? f->vaddr[i] : 0) + (f->has_saddr ? (uint32_t)f->saddr : 0) + (uint32_t)offset_B;
        return sq_resolve(f->wave, f->uop, scratch_va(wave, in_scratch_B, i), f->size_B, f->need, at_out);
    }
    uint64_t va = f->has_saddr ? f->saddr + f->vaddr[i] : f->vaddr[i] | (uint64_t)f->vaddr[wave->lanes + i] << 32;
    va += (uint64_t)(int64_t)offset_B;
    if (segment == SEGMENT_FLAT)
        return resolve_flat(f, va, i, at_out);
    sq_note(wave, f->uop, va, f->size_B, f->need);
    return sq_resolve(f->wave, f->uop, va, f->size_B, f->need, at_out);
}

static enum segment segment_of(const struct isa_op_info *info)
{
    return info->properties & ISA_PROP_SCRATCH  ? SEGMENT_SCRATCH
           : info->properties & ISA_PROP_GLOBAL ? SEGMENT_GLOBAL
                                                : SEGMENT_FLAT;
}

static unsigned operand_index(const struct isa_op_info *info, unsigned name)
{
    for (unsigned i = 0; i < info->operand_count; i++) {
        if (info->operands[i].name == name)
            return i;
    }
    return ISA_MAX_OPERANDS;
}

/* Where every active lane's data lie, `further_B` after its address. */
static bool resolve_places(const struct flat *f, enum segment segment, uint32_t further_B, struct sq_places *places)
{
    uint64_t exec = sq_exec(f->wave);
    for (unsigned i = 0; i < f->wave->lanes; i++) {
        places->at[i] = NULL;
        if ((exec >> i & 1) && !resolve_lane(f, segment, i, further_B, &places->at[i]))
            return false;
    }
    return true;
}

/* In private memory the dwords of one lane are not neighbours: they are found and moved one by one. All of them are
 * found before the first is written, for the destination may be the address. */
static void move_by_dwords(struct flat *f, enum segment segment, const struct isa_op_info *info, uint32_t *rows,
                           unsigned dwords)
{
    struct sq_places places[4];
    f->size_B = 4;
    for (unsigned row = 0; row < dwords; row++) {
        if (!resolve_places(f, segment, row * 4, &places[row]))
            return;
    }
    for (unsigned row = 0; row < dwords; row++) {
        if (info->memory == ISA_MEMORY_LOAD)
            amd_sq_load(f->wave, info, &places[row], rows + row * f->wave->lanes, 1);
        else
            amd_sq_store(f->wave, info, &places[row], rows + row * f->wave->lanes, 1);
    }
}

/* Global addresses near each other: offsets from a scalar base, or 64-bit addresses whose upper halves agree. False:
 * lane by lane. */
static bool find_span(const struct flat *f, struct sq_span *span)
{
    const struct sq_wave *wave = f->wave;
    uint64_t offset_B = (uint64_t)(int64_t)(int32_t)f->uop->imm;
    if (f->has_saddr)
        return amd_sq_span_find(wave, f->saddr + offset_B, f->vaddr, 0, UINT32_MAX, true, f->size_B, f->need, span);

    const uint32_t *high = f->vaddr + wave->lanes;
    uint64_t exec = sq_exec(wave);
    if (!exec)
        return false;
    uint32_t first = high[__builtin_ctzll(exec)], different = 0;
    for (unsigned i = 0; i < wave->lanes; i++)
        different |= (high[i] ^ first) & (wave->exec_full ? UINT32_MAX : wave->exec_lanes[i]);
    return !different && amd_sq_span_find(wave, ((uint64_t)first << 32) + offset_B, f->vaddr, 0, UINT32_MAX, true,
                                          f->size_B, f->need, span);
}

void amd_sq_flat(struct sq_wave *wave, const struct sq_uop *uop)
{
    const struct isa_op_info *info = isa_info(uop->inst->op);
    enum segment segment = segment_of(info);
    unsigned data = operand_index(info, info->memory == ISA_MEMORY_LOAD ? ISA_NAME_VDST : ISA_NAME_VDATA);
    unsigned saddr = operand_index(info, ISA_NAME_SADDR), vaddr = operand_index(info, ISA_NAME_VADDR);
    unsigned dwords = info->operands[data].count;
    bool is_atomic = info->memory == ISA_MEMORY_ATOMIC;
    struct flat f = {
        .wave = wave,
        .uop = uop,
        .vaddr = sq_at(wave, uop->s[0]),
        .has_saddr = saddr < ISA_MAX_OPERANDS && uop->inst->operands[saddr].kind != ISA_OPERAND_NONE &&
                     !(uop->inst->operands[saddr].kind == ISA_OPERAND_SPECIAL &&
                       uop->inst->operands[saddr].value == ISA_SPECIAL_NULL),
        .has_vaddr = vaddr < ISA_MAX_OPERANDS && uop->inst->operands[vaddr].kind == ISA_OPERAND_VGPR,
        .size_B = is_atomic ? (info->element == ISA_TYPE_B64 ? 8 : 4) : sq_access_size_B(info, dwords),
        .need = info->memory == ISA_MEMORY_LOAD ? GPU_PERM_READ
                : is_atomic                     ? GPU_PERM_READ | GPU_PERM_WRITE
                                                : GPU_PERM_WRITE,
    };
    if (f.has_saddr)
        f.saddr =
            segment == SEGMENT_SCRATCH ? *(const uint32_t *)sq_at(wave, uop->s[1]) : sq_read64(sq_at(wave, uop->s[1]));

    struct sq_places places;
    uint32_t *d = sq_at(wave, uop->d), *rows = sq_at(wave, uop->sd);
    if (!is_atomic && dwords > 1 && segment != SEGMENT_GLOBAL) {
        move_by_dwords(&f, segment, info, info->memory == ISA_MEMORY_LOAD ? d : rows, dwords);
        return;
    }
    struct sq_span span;
    if (segment == SEGMENT_GLOBAL && find_span(&f, &span)) {
        if (!is_atomic && f.size_B >= 4) {
            if (info->memory == ISA_MEMORY_LOAD)
                amd_sq_span_load(wave, &span, d, dwords);
            else
                amd_sq_span_store(wave, &span, rows, dwords);
            return;
        }
        amd_sq_span_places(wave, &span, &places);
    } else if (!resolve_places(&f, segment, 0, &places)) {
        return;
    }
    if (info->memory == ISA_MEMORY_LOAD) {
        amd_sq_load(wave, info, &places, d, dwords);
    } else if (info->memory == ISA_MEMORY_STORE) {
        amd_sq_store(wave, info, &places, rows, dwords);
    } else {
        unsigned value_dwords = f.size_B / 4;
        amd_sq_atomic(wave, info, &places, rows, dwords > value_dwords ? rows + value_dwords * wave->lanes : NULL,
                      uop->inst->mem.glc ? d : NULL);
    }
}
