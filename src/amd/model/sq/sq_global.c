/* Global loads and stores of whole dwords where every lane is active: what copies and most streaming shaders do. Where
 * eight neighbours in the wave are neighbours in memory, such rows are found together and moved together; otherwise 16
 * bytes of a lane are. Not for: anything else, which sq_flat.c does. */
#include "amd/model/sq/sq_memory_span.h"
#include "amd/model/sq/sq_quads.h"
#include "util/debug.h"

#define ROW 8u /* lanes */

/* Bytes of each row. */
struct rows {
    uint8_t *at[LANES_MAX / ROW];
};

/* Every lane lies size_B after the one before it in its row. */
static bool are_rows(const uint32_t *offset, uint32_t size_B, unsigned lanes)
{
    const sq_quad count = {0, size_B, 2 * size_B, 3 * size_B}, next = count + 4 * size_B;
    sq_quad different = {0};
    for (unsigned first = 0; first < lanes; first += ROW) {
        uint32_t start = offset[first];
        different |= sq_quad_load(offset + first) ^ (count + start);
        different |= sq_quad_load(offset + first + SQ_QUAD) ^ (next + start);
    }
    return !sq_quad_any(different);
}

static bool is_uniform(const uint32_t *row, unsigned lanes)
{
    sq_quad different = {0}, value = different + row[0];
    for (unsigned i = 0; i < lanes; i += SQ_QUAD)
        different |= sq_quad_load(row + i) ^ value;
    return !sq_quad_any(different);
}

/* The base that the lanes' offsets of 32 bits are added to. False: there is no such thing. */
static bool find_base(uint64_t *va_out, const struct sq_wave *wave, const struct sq_uop *uop, const uint32_t *offset)
{
    uint64_t imm_B = (uint64_t)(int64_t)(int32_t)uop->imm;
    if (!(uop->s[1] & SQ_BASE_CONSTANTS)) {
        *va_out = sq_read64(sq_at(wave, uop->s[1])) + imm_B;
        return true;
    }
    /* No scalar address: the vector has 64 bits. */
    *va_out = ((uint64_t)offset[wave->lanes] << 32) + imm_B;
    return is_uniform(offset + wave->lanes, wave->lanes);
}

/* False: not rows, or not all of it may be accessed; nothing has been done. */
static bool find_rows(struct rows *out, const struct sq_wave *wave, const struct sq_uop *uop, uint32_t size_B,
                      unsigned need)
{
    const uint32_t *offset = sq_at(wave, uop->s[0]);
    uint64_t base_va;
    uint32_t low = UINT32_MAX, high = 0;
    if (!wave->exec_full || !are_rows(offset, size_B, wave->lanes) || !find_base(&base_va, wave, uop, offset))
        return false;
    for (unsigned i = 0; i < wave->lanes; i += ROW) {
        low = offset[i] < low ? offset[i] : low;
        high = offset[i] > high ? offset[i] : high;
    }
    /* A row that goes around the end of its 32 bits ends before it begins. */
    if (high > UINT32_MAX - ROW * size_B)
        return false;
    uint8_t *all = amd_sq_span_host(wave->memory, base_va, low, high, ROW * size_B, need);
    for (unsigned i = 0; i < wave->lanes; i += ROW) { /* rows may be far from each other */
        uint8_t *host = all ? all : amd_sq_span_host(wave->memory, base_va, offset[i], offset[i], ROW * size_B, need);
        if (!host)
            return false;
        out->at[i / ROW] = host + offset[i];
    }
    return true;
}

static void load_rows(uint32_t *to, const struct rows *rows, unsigned lanes, unsigned dwords)
{
    for (unsigned i = 0; i < lanes; i += ROW) {
        const uint8_t *at = rows->at[i / ROW];
        if (dwords == 1) {
            memcpy(to + i, at, ROW * 4);
        } else if (dwords == 2) {
            sq_quads_load_2(to + i, lanes, at);
            sq_quads_load_2(to + i + SQ_QUAD, lanes, at + 32);
        } else {
            sq_quads_load_4(to + i, lanes, (const uint8_t *const[4]){at, at + 16, at + 32, at + 48});
            at += 64;
            sq_quads_load_4(to + i + SQ_QUAD, lanes, (const uint8_t *const[4]){at, at + 16, at + 32, at + 48});
        }
    }
}

/* In the order of lanes, for where two write the same word, the higher one's stays. */
static void store_rows(const struct rows *rows, const uint32_t *from, unsigned lanes, unsigned dwords)
{
    const uint32_t *const channels[4] = {from, from + lanes, from + 2 * lanes, from + 3 * lanes};
    for (unsigned i = 0; i < lanes; i += ROW) {
        uint8_t *at = rows->at[i / ROW];
        if (dwords == 1) {
            memcpy(at, from + i, ROW * 4);
        } else if (dwords == 2) {
            sq_quads_store_2(at, channels[0] + i, channels[1] + i);
            sq_quads_store_2(at + 32, channels[0] + i + SQ_QUAD, channels[1] + i + SQ_QUAD);
        } else {
            sq_quads_store_4((uint8_t *const[4]){at, at + 16, at + 32, at + 48}, channels, i);
            at += 64;
            sq_quads_store_4((uint8_t *const[4]){at, at + 16, at + 32, at + 48}, channels, i + SQ_QUAD);
        }
    }
}

/* ---- lanes anywhere: 16 bytes each ---- */

static uint8_t *find_lanes(const struct sq_wave *wave, const struct sq_uop *uop, unsigned need)
{
    const uint32_t *offset = sq_at(wave, uop->s[0]);
    uint64_t base_va;
    if (!wave->exec_full || !find_base(&base_va, wave, uop, offset))
        return NULL;
    sq_quad low = sq_quad_load(offset), high = low;
    for (unsigned i = SQ_QUAD; i < wave->lanes; i += SQ_QUAD) {
        sq_quad here = sq_quad_load(offset + i), less = (sq_quad)(here < low), more = (sq_quad)(here > high);
        low = (here & less) | (low & ~less);
        high = (here & more) | (high & ~more);
    }
    for (unsigned i = 1; i < SQ_QUAD; i++) {
        low[0] = low[i] < low[0] ? low[i] : low[0];
        high[0] = high[i] > high[0] ? high[i] : high[0];
    }
    return amd_sq_span_host(wave->memory, base_va, low[0], high[0], 16, need);
}

/* The destination may be the address: a lane's is taken before anything of it is written. */
static bool load_lanes(const struct sq_wave *wave, const struct sq_uop *uop)
{
    const uint32_t *offset = sq_at(wave, uop->s[0]);
    uint32_t *to = sq_at(wave, uop->d);
    const uint8_t *host = find_lanes(wave, uop, GPU_PERM_READ);
    for (unsigned i = 0; host && i < wave->lanes; i += SQ_QUAD)
        sq_quads_load_4(to + i, wave->lanes,
                        (const uint8_t *const[4]){host + offset[i], host + offset[i + 1], host + offset[i + 2],
                                                  host + offset[i + 3]});
    return host;
}

static bool store_lanes(const struct sq_wave *wave, const struct sq_uop *uop)
{
    const uint32_t *offset = sq_at(wave, uop->s[0]), *from = sq_at(wave, uop->sd);
    const size_t lanes = wave->lanes;
    const uint32_t *const channels[4] = {from, from + lanes, from + 2 * lanes, from + 3 * lanes};
    uint8_t *host = find_lanes(wave, uop, GPU_PERM_WRITE);
    for (unsigned i = 0; host && i < lanes; i += SQ_QUAD)
        sq_quads_store_4(
            (uint8_t *const[4]){host + offset[i], host + offset[i + 1], host + offset[i + 2], host + offset[i + 3]},
            channels, i);
    return host;
}

/* ---- instructions ---- */

#define HANDLERS(dwords)                                                                                               \
    static void load_##dwords(struct sq_wave *wave, const struct sq_uop *uop)                                          \
    {                                                                                                                  \
        struct rows rows;                                                                                              \
        if (find_rows(&rows, wave, uop, dwords * 4, GPU_PERM_READ))                                                    \
            load_rows(sq_at(wave, uop->d), &rows, wave->lanes, dwords);                                                \
        else if (dwords != 4 || !load_lanes(wave, uop))                                                                \
            amd_sq_flat(wave, uop);                                                                                    \
    }                                                                                                                  \
    static void store_##dwords(struct sq_wave *wave, const struct sq_uop *uop)                                         \
    {                                                                                                                  \
        struct rows rows;                                                                                              \
        if (find_rows(&rows, wave, uop, dwords * 4, GPU_PERM_WRITE))                                                   \
            store_rows(&rows, sq_at(wave, uop->sd), wave->lanes, dwords);                                              \
        else if (dwords != 4 || !store_lanes(wave, uop))                                                               \
            amd_sq_flat(wave, uop);                                                                                    \
    }
HANDLERS(1)
HANDLERS(2)
HANDLERS(4)

sq_run_fn amd_sq_global_handler(const struct isa_inst *inst)
{
    if (debug_enabled(DEBUG_COHERENCE)) /* each lane is looked at */
        return amd_sq_flat;
    switch (inst->op) {
    case ISA_OP_GLOBAL_LOAD_DWORD:
        return inst->mem.lds ? amd_sq_flat : load_1;
    case ISA_OP_GLOBAL_LOAD_DWORDX2:
        return load_2;
    case ISA_OP_GLOBAL_LOAD_DWORDX4:
        return load_4;
    case ISA_OP_GLOBAL_STORE_DWORD:
        return store_1;
    case ISA_OP_GLOBAL_STORE_DWORDX2:
        return store_2;
    case ISA_OP_GLOBAL_STORE_DWORDX4:
        return store_4;
    default:
        return amd_sq_flat;
    }
}
