/* DS: the workgroup's local memory (LDS), and the exchanges between lanes that run over it. Out of range reads zero and writes nothing.
 * Not for: GDS, which the translator refuses. */
#include "amd/model/sq_memory.h"

static void resolve(struct sq_wave *wave, const struct sq_uop *uop, uint32_t offset_B, uint32_t size_B, struct sq_places *places)
{
    const uint32_t *addr = sq_at(wave, uop->s[0]);
    uint64_t exec = sq_exec(wave);
    for (unsigned i = 0; i < wave->lanes; i++) {
        uint64_t at_B = (uint32_t)(addr[i] + offset_B); /* the sum wraps: a negative base is a base */
        bool usable = (exec >> i & 1) && at_B + size_B <= wave->lds_size_B;
        places->at[i] = usable ? wave->lds + at_B : NULL;
    }
}

static void ds_load(struct sq_wave *wave, const struct sq_uop *uop)
{
    const struct isa_op_info *info = isa_info(uop->inst->op);
    unsigned dwords = info->operands[0].count;
    struct sq_places places;
    resolve(wave, uop, uop->imm, sq_access_size_B(info, dwords), &places);
    sq_load(wave, info, &places, sq_at(wave, uop->d), dwords);
}

static void ds_store(struct sq_wave *wave, const struct sq_uop *uop)
{
    const struct isa_op_info *info = isa_info(uop->inst->op);
    unsigned dwords = info->operands[1].count;
    struct sq_places places;
    resolve(wave, uop, uop->imm, sq_access_size_B(info, dwords), &places);
    sq_store(wave, info, &places, sq_at(wave, uop->s[1]), dwords);
}

/* Two-address forms: offsets count elements, or 64 elements in the st64 forms. */
static uint32_t offset2_B(const struct sq_uop *uop, unsigned which, uint32_t element_B)
{
    unsigned op = uop->inst->op;
    bool is_st64 = op == ISA_OP_DS_READ2ST64_B32 || op == ISA_OP_DS_READ2ST64_B64 || op == ISA_OP_DS_WRITE2ST64_B32 ||
                   op == ISA_OP_DS_WRITE2ST64_B64 || op == ISA_OP_DS_WRXCHG2ST64_RTN_B32 || op == ISA_OP_DS_WRXCHG2ST64_RTN_B64;
    return (uop->imm >> (8 * which) & 0xff) * element_B * (is_st64 ? 64 : 1);
}

static void ds_load2(struct sq_wave *wave, const struct sq_uop *uop)
{
    const struct isa_op_info *info = isa_info(uop->inst->op);
    unsigned dwords = info->operands[0].count / 2;
    uint32_t *d = sq_at(wave, uop->d);
    struct sq_places places[2]; /* both addresses before the first result: the destination may be the address */
    for (unsigned which = 0; which < 2; which++)
        resolve(wave, uop, offset2_B(uop, which, dwords * 4), dwords * 4, &places[which]);
    for (unsigned which = 0; which < 2; which++)
        sq_load(wave, info, &places[which], d + which * dwords * wave->lanes, dwords);
}

static void ds_store2(struct sq_wave *wave, const struct sq_uop *uop)
{
    const struct isa_op_info *info = isa_info(uop->inst->op);
    unsigned dwords = info->operands[1].count;
    struct sq_places places;
    for (unsigned which = 0; which < 2; which++) {
        resolve(wave, uop, offset2_B(uop, which, dwords * 4), dwords * 4, &places);
        sq_store(wave, info, &places, sq_at(wave, uop->s[1 + which]), dwords);
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
    struct sq_places places;
    resolve(wave, uop, uop->imm, info->element == ISA_TYPE_B64 ? 8 : 4, &places);
    /* DS has the comparison value first, the others the new value. */
    sq_atomic(wave, info, &places, is_compare ? data1 : data0, is_compare ? data0 : data1, has_result(info) ? sq_at(wave, uop->d) : NULL);
}

/* ---- exchanges between lanes ---- */

/* Lanes see the sources as they were: results go to a copy first. */
static void scatter(struct sq_wave *wave, const struct sq_uop *uop, const uint32_t results[LANES_MAX])
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
    scatter(wave, uop, results);
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
    scatter(wave, uop, results);
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
    scatter(wave, uop, results);
}

static void ds_nop(struct sq_wave *wave, const struct sq_uop *uop)
{
}

sq_run_fn sq_ds_handler(const struct isa_inst *inst, const struct isa_op_info *info)
{
    switch (info->helper) {
    case ISA_HELPER_DS_LOAD: return ds_load;
    case ISA_HELPER_DS_STORE: return ds_store;
    case ISA_HELPER_DS_LOAD2: return ds_load2;
    case ISA_HELPER_DS_STORE2: return ds_store2;
    case ISA_HELPER_DS_ATOMIC: return ds_atomic;
    case ISA_HELPER_DS_BPERMUTE: return ds_bpermute;
    case ISA_HELPER_DS_PERMUTE: return ds_permute;
    case ISA_HELPER_DS_SWIZZLE:
        return (inst->mem.offset & 0xffff) >= 0xe000 ? NULL : ds_swizzle; /* the FFT patterns are put off */
    case ISA_HELPER_DS_NOP: return ds_nop;
    default: return NULL; /* GWS, append, ordered count, addtid, two-address exchange: put off */
    }
}
