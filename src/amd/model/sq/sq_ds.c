/* DS: the workgroup's local memory (LDS), the global one (GDS), and the exchanges between lanes that run over LDS. Out
 * of range reads zero and writes nothing. Not for: the global wave sync (sq_gws.c), ordered counts, for which waves
 * would need an order. */
#include <stddef.h>

#include "amd/model/sq/sq_gds.h"
#include "amd/model/sq/sq_memory_span.h"

/* The memory that an instruction means. Of GDS, m0 names a part: its base in the upper half, its size in the lower one.
 */
struct share {
    uint8_t *data;
    uint32_t size_B;
};

static struct share find_share(const struct sq_wave *wave, const struct sq_uop *uop)
{
    if (!uop->inst->mem.gds)
        return (struct share){wave->lds, wave->lds_size_B};
    uint32_t base_B = wave->sgpr[SQ_M0] >> 16, size_B = wave->sgpr[SQ_M0] & 0xffff;
    if (!wave->gds || base_B >= wave->gds->size_B)
        return (struct share){NULL, 0};
    uint32_t left_B = wave->gds->size_B - base_B;
    return (struct share){wave->gds->data + base_B, size_B < left_B ? size_B : left_B};
}

static void resolve_places(struct sq_wave *wave, const struct sq_uop *uop, uint32_t offset_B, uint32_t size_B,
                           struct sq_places *places)
{
    const uint32_t *addr = sq_at(wave, uop->s[0]);
    uint64_t exec = sq_exec(wave);
    struct share share = find_share(wave, uop);
    for (unsigned i = 0; i < wave->lanes; i++) {
        uint64_t at_B = (uint32_t)(addr[i] + offset_B); /* the sum wraps: a negative base is a base */
        bool usable = (exec >> i & 1) && at_B + size_B <= share.size_B;
        places->at[i] = usable ? share.data + at_B : NULL;
    }
}

/* Whole dwords, as most accesses move. */
static void find_span(const struct sq_wave *wave, const struct sq_uop *uop, uint32_t offset_B, uint32_t size_B,
                      struct sq_span *span)
{
    struct share share = find_share(wave, uop);
    amd_sq_span_find_shared(wave, share.data, share.size_B, sq_at(wave, uop->s[0]), offset_B, size_B, span);
}

void amd_sq_ds_load(struct sq_wave *wave, const struct sq_uop *uop)
{
    const struct isa_op_info *info = isa_info(uop->inst->op);
    unsigned dwords = info->operands[0].count;
    if (sq_access_size_B(info, dwords) >= 4) {
        struct sq_span span;
        find_span(wave, uop, uop->imm, dwords * 4, &span);
        amd_sq_span_load(wave, &span, sq_at(wave, uop->d), dwords);
        return;
    }
    struct sq_places places;
    resolve_places(wave, uop, uop->imm, sq_access_size_B(info, dwords), &places);
    amd_sq_load(wave, info, &places, sq_at(wave, uop->d), dwords);
}

static void ds_store(struct sq_wave *wave, const struct sq_uop *uop)
{
    const struct isa_op_info *info = isa_info(uop->inst->op);
    unsigned dwords = info->operands[1].count;
    if (sq_access_size_B(info, dwords) >= 4) {
        struct sq_span span;
        find_span(wave, uop, uop->imm, dwords * 4, &span);
        amd_sq_span_store(wave, &span, sq_at(wave, uop->s[1]), dwords);
        return;
    }
    struct sq_places places;
    resolve_places(wave, uop, uop->imm, sq_access_size_B(info, dwords), &places);
    amd_sq_store(wave, info, &places, sq_at(wave, uop->s[1]), dwords);
}

/* Two-address forms: offsets count elements, or 64 elements in the st64 forms. */
uint32_t amd_sq_ds_offset2_B(const struct sq_uop *uop, unsigned which, uint32_t element_B)
{
    unsigned op = uop->inst->op;
    bool is_st64 = op == ISA_OP_DS_READ2ST64_B32 || op == ISA_OP_DS_READ2ST64_B64 || op == ISA_OP_DS_WRITE2ST64_B32 ||
                   op == ISA_OP_DS_WRITE2ST64_B64 || op == ISA_OP_DS_WRXCHG2ST64_RTN_B32 ||
                   op == ISA_OP_DS_WRXCHG2ST64_RTN_B64;
    return (uop->imm >> (8 * which) & 0xff) * element_B * (is_st64 ? 64 : 1);
}

void amd_sq_ds_load2(struct sq_wave *wave, const struct sq_uop *uop)
{
    const struct isa_op_info *info = isa_info(uop->inst->op);
    unsigned dwords = info->operands[0].count / 2;
    uint32_t *d = sq_at(wave, uop->d);
    struct sq_span spans[2]; /* both addresses before the first result: the destination may be the address */
    for (unsigned which = 0; which < 2; which++)
        find_span(wave, uop, amd_sq_ds_offset2_B(uop, which, dwords * 4), dwords * 4, &spans[which]);
    for (unsigned which = 0; which < 2; which++)
        amd_sq_span_load(wave, &spans[which], d + which * dwords * wave->lanes, dwords);
}

static void ds_store2(struct sq_wave *wave, const struct sq_uop *uop)
{
    const struct isa_op_info *info = isa_info(uop->inst->op);
    unsigned dwords = info->operands[1].count;
    struct sq_span span;
    unsigned count =
        (uop->imm & 0xff) == (uop->imm >> 8 & 0xff) ? 1 : 2; /* of two stores to one place, the first one counts */
    for (unsigned which = 0; which < count; which++) {
        find_span(wave, uop, amd_sq_ds_offset2_B(uop, which, dwords * 4), dwords * 4, &span);
        amd_sq_span_store(wave, &span, sq_at(wave, uop->s[1 + which]), dwords);
    }
}

static bool has_result(const struct isa_op_info *info)
{
    return info->dst_count != 0;
}

static void ds_atomic(struct sq_wave *wave, const struct sq_uop *uop)
{
    const struct isa_op_info *info = isa_info(uop->inst->op);
    bool is_compare = info->atomic == ISA_ATOMIC_CMPSWAP || info->atomic == ISA_ATOMIC_CMPSWAP_F;
    uint32_t *data0 = sq_at(wave, uop->s[1]), *data1 = sq_at(wave, uop->s[2]);
    uint32_t *result = has_result(info) ? sq_at(wave, uop->d) : NULL;
    struct sq_places places;
    resolve_places(wave, uop, uop->imm, info->element == ISA_TYPE_B64 ? 8 : 4, &places);
    /* DS has the comparison value first, the others the new value. */
    const uint32_t *value = is_compare ? data1 : data0, *second = is_compare ? data0 : data1;
    if (uop->inst->mem.gds || info->element == ISA_TYPE_B64)
        amd_sq_atomic(wave, info, &places, value, second, result);
    else
        amd_sq_atomic_alone(wave, info, &places, value, second, result);
}

/* Two exchanges; both addresses before the first result. */
static void ds_exchange2(struct sq_wave *wave, const struct sq_uop *uop)
{
    const struct isa_op_info *info = isa_info(uop->inst->op);
    unsigned dwords = info->operands[0].count / 2, row = dwords * wave->lanes;
    uint32_t old[4 * LANES_MAX], *d = sq_at(wave, uop->d);
    struct sq_places places[2];
    uint64_t exec = sq_exec(wave);
    for (unsigned which = 0; which < 2; which++)
        resolve_places(wave, uop, amd_sq_ds_offset2_B(uop, which, dwords * 4), dwords * 4, &places[which]);
    for (unsigned which = 0; which < 2; which++)
        amd_sq_exchange(wave, &places[which], sq_at(wave, uop->s[1 + which]), old + which * row, dwords);
    for (unsigned i = 0; i < 2 * row; i++) {
        if (exec >> i % wave->lanes & 1)
            d[i] = old[i];
    }
}

/* One number for the whole wave, at m0 and the offset: append adds the active lanes to it, consume takes them away. */
static void ds_append(struct sq_wave *wave, const struct sq_uop *uop)
{
    const struct isa_op_info *info = isa_info(uop->inst->op);
    struct share share = {wave->lds, wave->lds_size_B};
    if (uop->inst->mem.gds)
        share = wave->gds ? (struct share){wave->gds->data, wave->gds->size_B} : (struct share){NULL, 0};
    uint64_t at_B = ((wave->sgpr[SQ_M0] & 0xffff) + uop->imm) & ~3ull, exec = sq_exec(wave);
    uint32_t count = (uint32_t)__builtin_popcountll(exec), old = 0, *d = sq_at(wave, uop->d);
    if (at_B + 4 <= share.size_B)
        old = __atomic_fetch_add((uint32_t *)(share.data + at_B),
                                 info->atomic == ISA_ATOMIC_CONSUME ? 0u - count : count, __ATOMIC_ACQ_REL);
    for (unsigned i = 0; i < wave->lanes; i++) {
        if (exec >> i & 1)
            d[i] = old;
    }
}

/* A dword a lane, at m0 and the offset. */
static void resolve_addtid(struct sq_wave *wave, const struct sq_uop *uop, struct sq_places *places)
{
    uint64_t exec = sq_exec(wave);
    for (unsigned i = 0; i < wave->lanes; i++) {
        uint64_t at_B = (uint64_t)(wave->sgpr[SQ_M0] & 0xffff) + uop->imm + i * 4;
        places->at[i] = (exec >> i & 1) && at_B + 4 <= wave->lds_size_B ? wave->lds + at_B : NULL;
    }
}

static void ds_load_addtid(struct sq_wave *wave, const struct sq_uop *uop)
{
    struct sq_places places;
    resolve_addtid(wave, uop, &places);
    amd_sq_load(wave, isa_info(uop->inst->op), &places, sq_at(wave, uop->d), 1);
}

static void ds_store_addtid(struct sq_wave *wave, const struct sq_uop *uop)
{
    struct sq_places places;
    resolve_addtid(wave, uop, &places);
    amd_sq_store(wave, isa_info(uop->inst->op), &places, sq_at(wave, uop->s[1]), 1);
}

void amd_sq_uop_rows_to_lds(struct sq_wave *wave, const struct sq_uop *uop)
{
    const uint32_t *rows = sq_at(wave, uop->s[0]);
    struct sq_places places;
    resolve_addtid(wave, uop, &places);
    for (unsigned i = 0; i < wave->lanes; i++) {
        if (places.at[i])
            memcpy(places.at[i], &rows[i], 4);
    }
}

void amd_sq_uop_lds_direct(struct sq_wave *wave, const struct sq_uop *uop)
{
    enum {
        LDS_U8,
        LDS_U16,
        LDS_DWORD,
        LDS_I8 = 4,
        LDS_I16,
    };
    uint32_t at_B = wave->sgpr[SQ_M0] & 0xffff, type = wave->sgpr[SQ_M0] >> 16 & 7, value = 0;
    uint32_t size_B = type == LDS_DWORD ? 4 : type & 1 ? 2 : 1;
    at_B &= ~(size_B - 1);
    if (type > LDS_I16 || type == 3) {
        amd_sq_fault(wave, uop, SQ_FAULT_INSTRUCTION, "a direct read of LDS whose type in m0 means nothing");
        return;
    }
    if (at_B + size_B <= wave->lds_size_B)
        memcpy(&value, wave->lds + at_B, size_B);
    if (type == LDS_I8)
        value = (uint32_t)(int32_t)(int8_t)value;
    else if (type == LDS_I16)
        value = (uint32_t)(int32_t)(int16_t)value;
    lanes_splat(sq_at(wave, uop->d), value, wave->lanes);
}

/* ---- exchanges between lanes ---- */

/* Lanes see the sources as they were: results go to a copy first. */
static void scatter_results(struct sq_wave *wave, const struct sq_uop *uop, const uint32_t results[LANES_MAX])
{
    uint32_t *d = sq_at(wave, uop->d);
    uint64_t exec = sq_exec(wave);
    for (unsigned i = 0; i < wave->lanes; i++) {
        if (exec >> i & 1)
            d[i] = results[i];
    }
}

/* Exchanges stay within 32 lanes, in wave64 too. */
static void ds_bpermute(struct sq_wave *wave, const struct sq_uop *uop)
{
    const uint32_t *addr = sq_at(wave, uop->s[0]), *data = sq_at(wave, uop->s[1]);
    uint32_t results[LANES_MAX];
    uint64_t exec = sq_exec(wave);
    for (unsigned i = 0; i < wave->lanes; i++) {
        unsigned from = (i & ~31u) | ((addr[i] + uop->imm) >> 2 & 31);
        results[i] = exec >> from & 1 ? data[from] : 0;
    }
    scatter_results(wave, uop, results);
}

static void ds_permute(struct sq_wave *wave, const struct sq_uop *uop)
{
    const uint32_t *addr = sq_at(wave, uop->s[0]), *data = sq_at(wave, uop->s[1]);
    uint32_t results[LANES_MAX] = {0};
    uint64_t exec = sq_exec(wave);
    for (unsigned i = 0; i < wave->lanes; i++) {
        if (exec >> i & 1)
            results[(i & ~31u) | ((addr[i] + uop->imm) >> 2 & 31)] = data[i];
    }
    scatter_results(wave, uop, results);
}

static unsigned swizzle_source(uint32_t pattern, unsigned i)
{
    unsigned group = i & ~31u, in = i & 31;
    if (pattern >= 0xc000) { /* rotate */
        unsigned mask = pattern & 31, rotate = pattern >> 5 & 31;
        bool is_right = pattern >> 10 & 1;
        unsigned moved = is_right ? in - rotate : in + rotate;
        return group | ((in & mask) | (moved & ~mask & 31));
    }
    if (pattern & 0x8000) /* any order within four lanes */
        return (i & ~3u) | (pattern >> (2 * (i & 3)) & 3);
    return group | ((((in & (pattern & 31)) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31)) & 31);
}

static void ds_swizzle(struct sq_wave *wave, const struct sq_uop *uop)
{
    const uint32_t *data = sq_at(wave, uop->s[0]);
    uint32_t results[LANES_MAX];
    uint64_t exec = sq_exec(wave);
    for (unsigned i = 0; i < wave->lanes; i++) {
        unsigned from = swizzle_source(uop->imm & 0xffff, i);
        results[i] = exec >> from & 1 ? data[from] : 0;
    }
    scatter_results(wave, uop, results);
}

static void ds_nop(struct sq_wave *wave, const struct sq_uop *uop)
{
}

sq_run_fn amd_sq_ds_handler(const struct isa_inst *inst, const struct isa_op_info *info)
{
    switch (info->helper) {
    case ISA_HELPER_DS_LOAD:
        return amd_sq_ds_load;
    case ISA_HELPER_DS_STORE:
        return ds_store;
    case ISA_HELPER_DS_LOAD2:
        return amd_sq_ds_load2;
    case ISA_HELPER_DS_STORE2:
        return ds_store2;
    case ISA_HELPER_DS_ATOMIC:
        return ds_atomic;
    case ISA_HELPER_DS_BPERMUTE:
        return ds_bpermute;
    case ISA_HELPER_DS_PERMUTE:
        return ds_permute;
    case ISA_HELPER_DS_SWIZZLE:
        return (inst->mem.offset & 0xffff) >= 0xe000 ? NULL : ds_swizzle; /* the FFT patterns are not implemented */
    case ISA_HELPER_DS_NOP:
        return ds_nop;
    case ISA_HELPER_DS_EXCHANGE2:
        return ds_exchange2;
    case ISA_HELPER_DS_APPEND:
        return ds_append;
    case ISA_HELPER_DS_LOAD_ADDTID:
        return inst->mem.gds ? NULL : ds_load_addtid;
    case ISA_HELPER_DS_STORE_ADDTID:
        return inst->mem.gds ? NULL : ds_store_addtid;
    case ISA_HELPER_DS_GWS:
        return amd_sq_gws_handler(inst);
    default:
        return NULL; /* ordered count */
    }
}
